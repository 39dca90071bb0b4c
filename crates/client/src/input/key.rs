//! A key of a keyboard, by its position and not by what is printed on it.

/// A key, named as browsers name it in `KeyboardEvent.code` and winit in `KeyCode`.
///
/// ```
/// use client::Key;
///
/// let key = Key::from_code("ArrowLeft").unwrap();
/// assert_eq!(key, Key::ARROW_LEFT);
/// assert_eq!(key.code(), "ArrowLeft");
/// assert_eq!(Key::from_code("AnyKey"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(u8);

macro_rules! keys {
    ($($constant:ident = $code:literal),+ $(,)?) => {
        /// Codes by number. A line may be added at the end, never moved: shells may keep the numbers.
        const CODES: &[&str] = &[$($code),+];

        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Number { $($constant),+ }

        impl Key {
            $(#[doc = concat!("The key `", $code, "`.")]
            pub const $constant: Key = Key(Number::$constant as u8);)+
        }
    };
}

keys! {
    ARROW_LEFT = "ArrowLeft", ARROW_RIGHT = "ArrowRight", ARROW_UP = "ArrowUp", ARROW_DOWN = "ArrowDown",
    A = "KeyA", B = "KeyB", C = "KeyC", D = "KeyD", E = "KeyE", F = "KeyF", G = "KeyG", H = "KeyH", I = "KeyI",
    J = "KeyJ", K = "KeyK", L = "KeyL", M = "KeyM", N = "KeyN", O = "KeyO", P = "KeyP", Q = "KeyQ", R = "KeyR",
    S = "KeyS", T = "KeyT", U = "KeyU", V = "KeyV", W = "KeyW", X = "KeyX", Y = "KeyY", Z = "KeyZ",
    DIGIT_0 = "Digit0", DIGIT_1 = "Digit1", DIGIT_2 = "Digit2", DIGIT_3 = "Digit3", DIGIT_4 = "Digit4",
    DIGIT_5 = "Digit5", DIGIT_6 = "Digit6", DIGIT_7 = "Digit7", DIGIT_8 = "Digit8", DIGIT_9 = "Digit9",
    SPACE = "Space", ENTER = "Enter", ESCAPE = "Escape", BACKSPACE = "Backspace", TAB = "Tab", DELETE = "Delete",
    SHIFT_LEFT = "ShiftLeft", SHIFT_RIGHT = "ShiftRight", CONTROL_LEFT = "ControlLeft", CONTROL_RIGHT = "ControlRight",
    ALT_LEFT = "AltLeft", ALT_RIGHT = "AltRight",
    COMMA = "Comma", PERIOD = "Period", SLASH = "Slash", SEMICOLON = "Semicolon", QUOTE = "Quote", MINUS = "Minus",
    EQUAL = "Equal", BRACKET_LEFT = "BracketLeft", BRACKET_RIGHT = "BracketRight", BACKSLASH = "Backslash",
    BACKQUOTE = "Backquote", INTL_BACKSLASH = "IntlBackslash",
    F1 = "F1", F2 = "F2", F3 = "F3", F4 = "F4", F5 = "F5", F6 = "F6", F7 = "F7", F8 = "F8", F9 = "F9", F10 = "F10",
    F11 = "F11", F12 = "F12",
    NUMPAD_0 = "Numpad0", NUMPAD_1 = "Numpad1", NUMPAD_2 = "Numpad2", NUMPAD_3 = "Numpad3", NUMPAD_4 = "Numpad4",
    NUMPAD_5 = "Numpad5", NUMPAD_6 = "Numpad6", NUMPAD_7 = "Numpad7", NUMPAD_8 = "Numpad8", NUMPAD_9 = "Numpad9",
    NUMPAD_ENTER = "NumpadEnter", NUMPAD_ADD = "NumpadAdd", NUMPAD_SUBTRACT = "NumpadSubtract",
    NUMPAD_DECIMAL = "NumpadDecimal",
    HOME = "Home", END = "End", PAGE_UP = "PageUp", PAGE_DOWN = "PageDown", INSERT = "Insert",
}

impl Key {
    /// How many keys are known.
    pub const COUNT: usize = CODES.len();

    /// The key with that code.
    pub fn from_code(code: &str) -> Option<Key> {
        CODES.iter().position(|known| *known == code).map(|number| Key(number as u8))
    }

    /// The key with that number.
    pub fn from_number(number: u8) -> Option<Key> {
        (usize::from(number) < CODES.len()).then_some(Key(number))
    }

    /// Its number: fewer bytes than its code.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Whether something else may be printed on it than its code says: a French keyboard has A where this one has Q.
    pub fn depends_on_layout(self) -> bool {
        !matches!(self, Key::ARROW_LEFT | Key::ARROW_RIGHT | Key::ARROW_UP | Key::ARROW_DOWN | Key::SPACE | Key::ENTER)
    }

    /// Its code, as browsers name it.
    pub fn code(self) -> &'static str {
        CODES[usize::from(self.0)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_found_by_its_code_and_its_number() {
        for number in 0..Key::COUNT as u8 {
            let key = Key::from_number(number).expect("it is known");
            assert_eq!(Key::from_code(key.code()), Some(key));
        }
        assert_eq!(Key::from_number(Key::COUNT as u8), None);
        assert_eq!(Key::NUMPAD_ENTER.code(), "NumpadEnter");
    }
}
