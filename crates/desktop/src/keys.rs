//! Keys and fingers of a window, in the client's words.

use client::{Key, Phase};
use winit::{
    event::TouchPhase,
    keyboard::{KeyCode, PhysicalKey},
};

/// The key at that place of the keyboard, if the client knows it. Both name keys as browsers do.
pub fn key(place: PhysicalKey) -> Option<Key> {
    match place {
        PhysicalKey::Code(code) => Key::from_code(&format!("{code:?}")),
        PhysicalKey::Unidentified(_) => None,
    }
}

/// Whether it asks for full screen, or for the window again, as it does everywhere: Enter with Alt. F11 is the client's.
pub fn is_full_screen(place: PhysicalKey, is_alt: bool) -> bool {
    is_alt && place == PhysicalKey::Code(KeyCode::Enter)
}

/// What a finger does.
pub fn phase(phase: TouchPhase) -> Phase {
    match phase {
        TouchPhase::Started => Phase::Down,
        TouchPhase::Moved => Phase::Move,
        TouchPhase::Ended | TouchPhase::Cancelled => Phase::Up,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_known_by_their_place() {
        let known = [
            (KeyCode::ArrowLeft, Key::ARROW_LEFT),
            (KeyCode::KeyX, Key::X),
            (KeyCode::Space, Key::SPACE),
            (KeyCode::ControlLeft, Key::CONTROL_LEFT),
            (KeyCode::NumpadEnter, Key::NUMPAD_ENTER),
            (KeyCode::Digit7, Key::DIGIT_7),
            (KeyCode::F3, Key::F3),
        ];
        for (code, expected) in known {
            assert_eq!(key(PhysicalKey::Code(code)), Some(expected));
        }
        assert_eq!(key(PhysicalKey::Code(KeyCode::MediaStop)), None);
    }
}
