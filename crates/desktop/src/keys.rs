//! Translates the keys and touches of a window for the client.

use client::{Key, Phase};
use winit::{
    event::TouchPhase,
    keyboard::{KeyCode, PhysicalKey},
};

/// The key at that position of the keyboard, if the client knows it. Both name keys as browsers do.
pub fn key(position: PhysicalKey) -> Option<Key> {
    match position {
        PhysicalKey::Code(code) => Key::from_code(&format!("{code:?}")),
        PhysicalKey::Unidentified(_) => None,
    }
}

/// Whether it switches to full screen or back, as Alt and Enter do everywhere. F11 is handled by the client.
pub fn is_full_screen(position: PhysicalKey, is_alt: bool) -> bool {
    is_alt && position == PhysicalKey::Code(KeyCode::Enter)
}

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
    fn keys_are_known_by_their_position() {
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
