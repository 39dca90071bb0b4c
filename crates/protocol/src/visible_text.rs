//! What a peer calls itself and says, as others may see it: only what can be seen, in the order in which it was written.
//!
//! Every name and every word of a chat that a node takes in goes through [`visible`]. Characters that turn text around, take
//! no room, or pile up on others would let a player look like somebody else, or write over other people's lines and logs.

/// Marks that may stand on one letter. Real languages need two, rarely three.
const MARKS_MAX: usize = 3;

/// The text without what cannot be seen, and with plain spaces; trimmed. It never gets longer.
pub fn visible(text: &str) -> String {
    let mut seen = String::with_capacity(text.len());
    // A mark needs a letter to stand on.
    let mut marks = MARKS_MAX;
    for letter in text.chars() {
        let letter = if letter.is_whitespace() { ' ' } else { letter };
        if is_invisible(letter) || (is_mark(letter) && marks == MARKS_MAX) {
            continue;
        }
        marks = match letter {
            ' ' => MARKS_MAX,
            _ if is_mark(letter) => marks + 1,
            _ => 0,
        };
        seen.push(letter);
    }
    seen.trim().into()
}

/// Control and format characters, unassigned ones that are to be ignored, and letters that are blank.
fn is_invisible(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}' | '\u{891}'
            | '\u{8e2}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}'
            | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
        || is_private_or_none(letter)
}

/// Characters that mean nothing to others: for private use, or never to be characters.
fn is_private_or_none(letter: char) -> bool {
    matches!(letter, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}' | '\u{fdd0}'..='\u{fdef}')
        || u32::from(letter) & 0xfffe == 0xfffe
}

/// Marks that stand on the letter before them, in the scripts that pile them up.
fn is_mark(letter: char) -> bool {
    matches!(letter,
        '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}' | '\u{5c2}'
        | '\u{5c4}' | '\u{5c5}' | '\u{5c7}' | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}' | '\u{670}'
        | '\u{6d6}'..='\u{6dc}' | '\u{6df}'..='\u{6e4}' | '\u{6e7}' | '\u{6e8}' | '\u{6ea}'..='\u{6ed}'
        | '\u{711}' | '\u{730}'..='\u{74a}' | '\u{7eb}'..='\u{7f3}' | '\u{816}'..='\u{82d}' | '\u{859}'..='\u{85b}'
        | '\u{898}'..='\u{89f}' | '\u{8ca}'..='\u{902}' | '\u{93c}' | '\u{94d}' | '\u{951}'..='\u{957}'
        | '\u{e31}' | '\u{e34}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}' | '\u{eb1}' | '\u{eb4}'..='\u{ebc}'
        | '\u{ec8}'..='\u{ece}' | '\u{f18}' | '\u{f19}' | '\u{f35}' | '\u{f37}' | '\u{f39}' | '\u{f71}'..='\u{f84}'
        | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{2cef}'..='\u{2cf1}'
        | '\u{2de0}'..='\u{2dff}' | '\u{302a}'..='\u{302f}' | '\u{3099}' | '\u{309a}' | '\u{a66f}'..='\u{a67d}'
        | '\u{a8e0}'..='\u{a8f1}' | '\u{fe20}'..='\u{fe2f}' | '\u{1d165}'..='\u{1d172}' | '\u{1d17b}'..='\u{1d1ad}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_names_of_many_languages_stay_as_they_are() {
        for name in [
            "Ann",
            "Zoë",
            "Zoe\u{308}",
            "Anna-Lena 7",
            "Дмитрий",
            "王小明",
            "さくら",
            "ﾊﾟｲﾛｯﾄ",
            "محمد",
            "דָּוִד",
            "สมชาย",
            "🚀 pilot",
        ] {
            assert_eq!(visible(name), name);
        }
    }

    #[test]
    fn what_turns_text_around_or_takes_no_room_is_left_out() {
        let invisible = (0x202a..=0x202e).chain(0x2066..=0x2069).chain(0x200b..=0x200f).chain([0x2060, 0xfeff, 0xad]);
        let others = [0x61c, 0x180e, 0x3164, 0xffa0, 0x2800, 0xe0041, 0x1b, 0x7f, 0x80, 0xe000, 0xffff];
        for number in invisible.chain(others) {
            let letter = char::from_u32(number).expect("a character");
            assert_eq!(visible(&format!("{letter}A{letter}n{letter}n{letter}")), "Ann", "U+{number:04X}");
            assert_eq!(visible(&letter.to_string().repeat(7)), "", "U+{number:04X}");
        }
        assert_eq!(visible("\u{202e}nimda"), "nimda");
    }

    #[test]
    fn marks_need_a_letter_and_do_not_pile_up() {
        assert_eq!(visible("\u{301}\u{302}Ann"), "Ann");
        assert_eq!(visible("A \u{301}nn"), "A nn");
        assert_eq!(visible(&format!("e{}x", "\u{301}".repeat(50))), "e\u{301}\u{301}\u{301}x");
        assert_eq!(visible(&"\u{489}".repeat(9)), "");
    }

    #[test]
    fn spaces_are_plain_and_none_are_around_it() {
        assert_eq!(visible("\u{3000}\u{a0}Ann\u{2028}Lee\t"), "Ann Lee");
        assert_eq!(visible(" \u{200b} "), "");
    }

    #[test]
    fn it_never_gets_longer_and_a_second_time_changes_nothing() {
        for number in (0..0x11_0000).step_by(7) {
            let Some(letter) = char::from_u32(number) else { continue };
            let text = format!("{letter}x{letter}{letter} {letter}");
            let once = visible(&text);
            assert!(once.len() <= text.len() && visible(&once) == once, "U+{number:04X}");
        }
    }
}
