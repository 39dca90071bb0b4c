//! Fingers on a touch screen: a stick wherever the left thumb comes down, two buttons for the right one.

use game::Buttons;

use super::{Phase, Touch};
use crate::draw::Picture;

/// The most fingers that count at once.
const FINGERS_MAX: usize = 8;
/// Half the width of the picture: the stick is to the left of it.
const MIDDLE_PX: i32 = 240;
/// How far a thumb moves before the stick responds.
const DEAD_PX: i32 = 6;
/// How far from a button's centre a thumb still presses it.
const BUTTON_REACH_PX: i32 = 70;
/// How far from its centre the corner for the menu reaches.
const MENU_REACH_PX: u32 = 24;
/// On a phone that is held upright the thumbs are below the picture, where the shell draws the buttons: there, the outer part
/// of the right half fires.
const BELOW_PX: i32 = Picture::HEIGHT + 30;
const FIRE_BELOW_PX: i32 = 360;

/// The fingers that are down.
#[derive(Clone, Debug, Default)]
pub struct TouchControls {
    fingers: Vec<Finger>,
    /// Whether a finger ever touched the picture: then the stick and the buttons are drawn.
    used: bool,
}

#[derive(Clone, Copy, Debug)]
struct Finger {
    id: u32,
    /// Where it came down.
    from: (i32, i32),
    at: (i32, i32),
}

impl TouchControls {
    /// The centre of the fire button, in pixels.
    pub const FIRE_AT: (i32, i32) = (440, 205);
    /// The centre of the Force button.
    pub const FORCE_AT: (i32, i32) = (388, 232);
    /// The centre of the corner that opens the menu.
    pub const MENU_AT: (i32, i32) = (466, 30);

    /// Whether that point is in the corner that opens the menu.
    pub fn is_menu(x: i32, y: i32) -> bool {
        let (menu_x, menu_y) = TouchControls::MENU_AT;
        x.abs_diff(menu_x) < MENU_REACH_PX && y.abs_diff(menu_y) < MENU_REACH_PX
    }

    /// A finger came down, moved or was lifted.
    pub fn touch(&mut self, touch: Touch) {
        self.used = true;
        let at = (touch.x.clamp(-999, 999), touch.y.clamp(-999, 999));
        match touch.phase {
            Phase::Down => {
                self.fingers.retain(|finger| finger.id != touch.finger);
                if self.fingers.len() < FINGERS_MAX {
                    self.fingers.push(Finger { id: touch.finger, from: at, at });
                }
            }
            Phase::Move => {
                if let Some(finger) = self.fingers.iter_mut().find(|finger| finger.id == touch.finger) {
                    finger.at = at;
                }
            }
            Phase::Up => self.fingers.retain(|finger| finger.id != touch.finger),
        }
    }

    /// Forgets every finger.
    pub fn release_all(&mut self) {
        self.fingers.clear();
    }

    /// Whether the player uses a touch screen.
    pub fn is_used(&self) -> bool {
        self.used
    }

    /// What the fingers hold down.
    pub fn held(&self) -> Buttons {
        self.fingers.iter().fold(Buttons::NONE, |held, finger| held | finger.held())
    }

    /// Where the stick is: where its thumb came down, and where it is now.
    pub fn stick(&self) -> Option<((i32, i32), (i32, i32))> {
        self.fingers.iter().find(|finger| finger.is_stick()).map(|finger| (finger.from, finger.at))
    }
}

impl Finger {
    fn is_stick(&self) -> bool {
        self.from.0 < MIDDLE_PX
    }

    fn held(&self) -> Buttons {
        if self.is_stick() {
            return self.directions();
        }
        if self.at.1 > BELOW_PX {
            return if self.at.0 > FIRE_BELOW_PX { Buttons::FIRE } else { Buttons::FORCE };
        }
        // A thumb beside the picture counts as one at its edge.
        let (at_x, at_y) = (self.at.0.min(Picture::WIDTH), self.at.1.min(Picture::HEIGHT));
        let near = |(x, y): (i32, i32)| (at_x - x).pow(2) + (at_y - y).pow(2);
        let (fire, force) = (near(TouchControls::FIRE_AT), near(TouchControls::FORCE_AT));
        match fire.min(force) {
            nearest if nearest > BUTTON_REACH_PX.pow(2) => Buttons::NONE,
            nearest if nearest == fire => Buttons::FIRE,
            _ => Buttons::FORCE,
        }
    }

    /// One of eight directions: an axis counts if it is more than about 22° from the other one.
    fn directions(&self) -> Buttons {
        let (x, y) = (self.at.0 - self.from.0, self.at.1 - self.from.1);
        if x.abs().max(y.abs()) < DEAD_PX {
            return Buttons::NONE;
        }
        let counts = |one: i32, other: i32| one.abs() * 5 > other.abs() * 2;
        Buttons::NONE
            .with(Buttons::LEFT, x < 0 && counts(x, y))
            .with(Buttons::RIGHT, x > 0 && counts(x, y))
            .with(Buttons::UP, y < 0 && counts(y, x))
            .with(Buttons::DOWN, y > 0 && counts(y, x))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(finger: u32, phase: Phase, x: i32, y: i32) -> Touch {
        Touch { finger, phase, x, y }
    }

    #[test]
    fn the_left_thumb_steers_from_where_it_came_down() {
        let mut controls = TouchControls::default();
        controls.touch(touch(1, Phase::Down, 80, 180));
        assert_eq!(controls.held(), Buttons::NONE);
        controls.touch(touch(1, Phase::Move, 110, 182));
        assert_eq!(controls.held(), Buttons::RIGHT);
        controls.touch(touch(1, Phase::Move, 60, 160));
        assert_eq!(controls.held(), Buttons::LEFT | Buttons::UP);
        controls.touch(touch(1, Phase::Up, 60, 160));
        assert_eq!(controls.held(), Buttons::NONE);
    }

    #[test]
    fn the_right_thumb_presses_the_nearer_button() {
        let mut controls = TouchControls::default();
        controls.touch(touch(1, Phase::Down, 100, 100));
        controls.touch(touch(1, Phase::Move, 100, 140));
        controls.touch(touch(2, Phase::Down, 445, 200));
        assert_eq!(controls.held(), Buttons::DOWN | Buttons::FIRE);
        controls.touch(touch(2, Phase::Move, 385, 235));
        assert_eq!(controls.held(), Buttons::DOWN | Buttons::FORCE);
        controls.touch(touch(2, Phase::Move, 300, 40));
        assert_eq!(controls.held(), Buttons::DOWN);
    }

    #[test]
    fn a_thumb_beside_or_below_the_picture_presses_too() {
        let mut controls = TouchControls::default();
        let mut press = |x, y| {
            controls.touch(touch(1, Phase::Down, x, y));
            controls.held()
        };
        assert_eq!(press(560, 200), Buttons::FIRE);
        assert_eq!(press(388, 280), Buttons::FORCE);
        assert_eq!(press(450, 600), Buttons::FIRE);
        assert_eq!(press(300, 600), Buttons::FORCE);
        assert_eq!(press(560, 20), Buttons::NONE);
    }
}
