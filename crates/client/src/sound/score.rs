//! A song as text, and how it is read and played.
//!
//! ```text
//! tempo 144                        beats of a quarter a minute
//! play a a b                       the order of the sections
//! [a]
//! lead: | e5 - . g5 | %+2 | % |    an instrument, and bars
//! kick x4: | x . x . |             the line four times over
//! ```
//!
//! A bar is divided evenly among its words: a note; `-` the note before goes on; `.` silence; `x` a beat of a drum, `X`
//! a strong one. A note may be a chord, played as a fast arpeggio: `e4m` minor, `c4M` major, `a3s` with a fourth.
//! `%` is the bar before, `%-5` the same five semitones lower. Lines of an instrument in a section follow each other.

use super::{
    SAMPLE_RATE, instruments,
    mix::Mix,
    voice::{self, Note},
};

/// A bar has so many parts: halves, thirds and sixteenths fall on one.
const BAR: u32 = 48;
/// The pitch of a drum: the middle C. Its layers bend it.
const STRUCK: i32 = 60;
/// Of 256: a common note, and a strong one.
const COMMON: i32 = 200;
const STRONG: i32 = 256;

/// A song that has been read.
pub struct Score<'a> {
    bar_samples: u32,
    bars: u32,
    notes: Vec<Placed<'a>>,
}

/// A note of an instrument; times are in parts of a bar.
struct Placed<'a> {
    instrument: &'a str,
    at: u32,
    length: u32,
    tone: Tone,
}

/// What is wrong with a song.
#[derive(Debug, PartialEq, Eq)]
pub struct Mistake(pub String);

#[derive(Clone, Copy)]
enum Word {
    Tone(Tone),
    Hold,
    Rest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tone {
    pitch: i32,
    chord: [u8; 3],
    volume: i32,
}

/// A line of an instrument.
struct Line<'a> {
    section: &'a str,
    instrument: &'a str,
    bars: Vec<Vec<Word>>,
}

impl<'a> Score<'a> {
    /// Reads a song.
    pub fn read(text: &'a str) -> Result<Score<'a>, Mistake> {
        let mut lines: Vec<Line> = Vec::new();
        let (mut tempo, mut order, mut section) = (120, "", "");
        for (number, line) in (1..).zip(text.lines().map(str::trim)) {
            let wrong = || Mistake(format!("line {number} cannot be read: {line}"));
            if line.is_empty() || line.starts_with('#') {
            } else if let Some(beats) = line.strip_prefix("tempo ") {
                tempo = beats.parse().map_err(|_| wrong())?;
            } else if let Some(names) = line.strip_prefix("play ") {
                order = names;
            } else if let Some(name) = line.strip_prefix('[') {
                section = name.trim_end_matches(']');
            } else {
                lines.push(Line::read(section, line).ok_or_else(wrong)?);
            }
        }
        let mut score = Score { bar_samples: SAMPLE_RATE * 240 / u32::max(tempo, 20), bars: 0, notes: Vec::new() };
        order.split_whitespace().try_for_each(|name| score.append(name, &lines))?;
        Ok(score)
    }

    /// Its length.
    pub fn samples(&self) -> u32 {
        self.bars * self.bar_samples
    }

    pub fn play(&self, mix: &mut Mix) {
        for Placed { instrument, at, length, tone } in &self.notes {
            let Some(instrument) = instruments::named(instrument) else { continue };
            let (at, end) = (self.sample(*at), self.sample(at + length));
            let note = Note { pitch: tone.pitch, length: end - at, chord: tone.chord, volume: tone.volume };
            let again = Note { volume: (note.volume * instrument.echo) >> 8, ..note };
            for layer in instrument.layers {
                voice::play(layer, note, at, mix);
                if again.volume > 0 {
                    voice::play(layer, again, at + self.sample(3 * BAR / 16), mix);
                }
            }
        }
    }

    fn sample(&self, part: u32) -> u32 {
        (u64::from(part) * u64::from(self.bar_samples) / u64::from(BAR)) as u32
    }

    /// Appends a section. Every instrument in it has the same number of bars.
    fn append(&mut self, name: &str, lines: &[Line<'a>]) -> Result<(), Mistake> {
        let mut ends: Vec<(&str, u32)> = Vec::new();
        for line in lines.iter().filter(|line| line.section == name) {
            let known = ends.iter().position(|(instrument, _)| *instrument == line.instrument);
            let known = known.unwrap_or_else(|| {
                ends.push((line.instrument, self.bars));
                ends.len() - 1
            });
            ends[known].1 = self.place(line, ends[known].1);
        }
        let Some(&(_, end)) = ends.first() else { return Err(Mistake(format!("there is no section {name}"))) };
        if let Some((instrument, other)) = ends.iter().find(|(_, other)| *other != end) {
            let (bars, all) = (other - self.bars, end - self.bars);
            return Err(Mistake(format!("{instrument} in {name} has {bars} bars, not {all}")));
        }
        self.bars = end;
        Ok(())
    }

    /// Adds a line from a bar on, and returns the bar after its end.
    fn place(&mut self, line: &Line<'a>, first: u32) -> u32 {
        let mut is_sounding = false;
        for (bar, words) in (first..).zip(&line.bars) {
            let length = BAR / words.len() as u32;
            for (at, word) in (bar * BAR..).step_by(length as usize).zip(words) {
                match (word, self.notes.last_mut()) {
                    (Word::Hold, Some(last)) if is_sounding => last.length += length,
                    (Word::Hold | Word::Rest, _) => is_sounding = false,
                    (&Word::Tone(tone), _) => {
                        is_sounding = true;
                        self.notes.push(Placed { instrument: line.instrument, at, length, tone });
                    }
                }
            }
        }
        first + line.bars.len() as u32
    }
}

impl<'a> Line<'a> {
    /// `lead x2: | e5 . | %+2 |`.
    fn read(section: &'a str, line: &'a str) -> Option<Line<'a>> {
        let (head, rest) = line.split_once(':')?;
        let (instrument, times) = head.split_once(" x").unwrap_or((head, "1"));
        instruments::named(instrument)?;
        let mut bars: Vec<Vec<Word>> = Vec::new();
        for bar in rest.trim().strip_prefix('|')?.strip_suffix('|')?.split('|').map(str::trim) {
            bars.push(match (bar.strip_prefix('%'), bars.last()) {
                (Some(by), Some(before)) => moved(before, if by.is_empty() { 0 } else { by.parse().ok()? }),
                _ => bar.split_whitespace().map(Word::read).collect::<Option<_>>()?,
            });
        }
        let divides = |bar: &Vec<Word>| !bar.is_empty() && BAR.is_multiple_of(bar.len() as u32);
        bars.iter().all(divides).then_some(())?;
        let times = times.parse().ok()?;
        Some(Line { section, instrument, bars: vec![bars; times].concat() })
    }
}

fn moved(bar: &[Word], by: i32) -> Vec<Word> {
    let moved = |word: &Word| match *word {
        Word::Tone(tone) => Word::Tone(Tone { pitch: tone.pitch + by, ..tone }),
        other => other,
    };
    bar.iter().map(moved).collect()
}

impl Word {
    fn read(word: &str) -> Option<Word> {
        Some(match word {
            "-" => Word::Hold,
            "." => Word::Rest,
            "x" => Word::Tone(Tone { pitch: STRUCK, chord: [0; 3], volume: COMMON }),
            "X" => Word::Tone(Tone { pitch: STRUCK, chord: [0; 3], volume: STRONG }),
            note => Word::Tone(Tone::read(note)?),
        })
    }
}

impl Tone {
    /// `c#4`, `e4m`.
    fn read(word: &str) -> Option<Tone> {
        let mut letters = word.chars().peekable();
        let natural = match letters.next()? {
            'c' => 0,
            'd' => 2,
            'e' => 4,
            'f' => 5,
            'g' => 7,
            'a' => 9,
            'b' => 11,
            _ => return None,
        };
        let sharp = i32::from(letters.next_if_eq(&'#').is_some());
        let octave = letters.next()?.to_digit(10)? as i32;
        let chord = match letters.next() {
            None => [0; 3],
            Some('m') => [3, 7, 12],
            Some('M') => [4, 7, 12],
            Some('s') => [5, 7, 12],
            Some(_) => return None,
        };
        Some(Tone { pitch: 12 * (octave + 1) + natural + sharp, chord, volume: COMMON })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str) -> Vec<(u32, u32, i32)> {
        let score = Score::read(text).expect("a song");
        score.notes.iter().map(|placed| (placed.at, placed.length, placed.tone.pitch)).collect()
    }

    fn mistake(text: &str) -> String {
        Score::read(text).err().expect("a mistake").0
    }

    #[test]
    fn a_bar_is_divided_among_its_words() {
        assert_eq!(places("play a\n[a]\nlead: | c4 - . d#4 | a4 |"), [(0, 24, 60), (36, 12, 63), (48, 48, 69)]);
    }

    #[test]
    fn a_note_is_held_over_a_bar_line() {
        assert_eq!(places("play a\n[a]\nlead: | c4 | - e4 |"), [(0, 72, 60), (72, 24, 64)]);
    }

    #[test]
    fn a_bar_comes_again_and_moves() {
        assert_eq!(places("play a\n[a]\nbass: | c2 | % | %-5 |"), [(0, 48, 36), (48, 48, 36), (96, 48, 31)]);
    }

    #[test]
    fn sections_follow_each_other_in_the_order_of_play() {
        let text = "play b a b\n[a]\nkick x2: | x |\n[b]\nlead: | c4 |";
        assert_eq!(places(text).iter().map(|(at, ..)| at / BAR).collect::<Vec<_>>(), [0, 1, 2, 3]);
    }

    #[test]
    fn chords_are_read() {
        let tone = |word| Tone::read(word).map(|tone| (tone.pitch, tone.chord));
        assert_eq!(tone("a3m"), Some((57, [3, 7, 12])));
        assert_eq!(tone("f#4M"), Some((66, [4, 7, 12])));
        assert_eq!(tone("h4"), None);
    }

    #[test]
    fn a_mistake_is_named() {
        assert_eq!(mistake("play a\n[a]\nlead: | c4 q |"), "line 3 cannot be read: lead: | c4 q |");
        assert_eq!(mistake("[a]\nlute: | c4 |"), "line 2 cannot be read: lute: | c4 |");
        assert_eq!(mistake("[a]\nlead: | c4 c4 c4 c4 c4 |"), "line 2 cannot be read: lead: | c4 c4 c4 c4 c4 |");
        assert_eq!(mistake("play a"), "there is no section a");
        assert_eq!(mistake("play a\n[a]\nlead: | c4 |\nkick: | x | x |"), "kick in a has 2 bars, not 1");
    }
}
