//! Keys, pad and fingers, merged into one [`Input`] a tick in which no tap is lost, and turned into moves through menus.

use game::{Buttons, Input};

use super::{Action, Bindings, Key, Pad, Touch, TouchControls};

/// How far a stick must be pushed to count.
const STICK_MIN: f32 = 0.4;
/// Ticks between two shots in one-button mode.
const AUTO_FIRE_EVERY: u32 = 8;
/// In one-button mode, a press of up to this many ticks is for the Force; a longer one charges the beam.
const TAP_TICKS: u32 = 12;

/// A move through a menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MenuInput {
    /// To the line above.
    Up,
    /// To the line below.
    Down,
    /// To the previous value.
    Left,
    /// To the next value.
    Right,
    /// Choose the selected line.
    Accept,
    /// Leave the menu.
    Back,
    /// A finger is down at this pixel of the picture, and may still move.
    Point(i32, i32),
    /// A finger was lifted at this pixel.
    Tap(i32, i32),
}

/// What is held, and what was pressed since the last tick.
#[derive(Clone, Debug, Default)]
pub struct KeyState {
    /// Whether each key is down, by its number.
    keys: Vec<bool>,
    key_buttons: Buttons,
    pad_buttons: Buttons,
    pad_menu: u32,
    /// Whether the button for the scoreboard is held.
    pad_scoreboard: bool,
    touch_controls: TouchControls,
    pressed: Buttons,
    /// What was held when the game began: it does not count until it is pressed again.
    stale: Buttons,
    /// What was held when the last input was taken.
    before: Buttons,
    ticks: u32,
    /// In one-button mode: the ticks for which the button has been held.
    held_for: u32,
}

impl KeyState {
    /// A key went down or up. False if it was so already: keys repeat.
    pub fn key(&mut self, key: Key, down: bool, bindings: &Bindings) -> bool {
        self.keys.resize(Key::COUNT, false);
        let held = &mut self.keys[usize::from(key.number())];
        if std::mem::replace(held, down) == down {
            return false;
        }
        let held = self.held();
        self.key_buttons = self.buttons_of_keys(bindings);
        self.note(held);
        true
    }

    /// The state of the pad. Returns the moves that newly pressed buttons make through a menu, and whether the menu button
    /// was pressed.
    pub fn pad(&mut self, pad: Pad) -> (Vec<MenuInput>, bool) {
        let held = self.held();
        let before = std::mem::replace(&mut self.pad_buttons, buttons_of_pad(pad));
        self.note(held);
        let new = |button: Buttons| self.pad_buttons.contains(button) && !before.contains(button);
        let directions = [
            (Buttons::UP, MenuInput::Up),
            (Buttons::DOWN, MenuInput::Down),
            (Buttons::LEFT, MenuInput::Left),
            (Buttons::RIGHT, MenuInput::Right),
        ];
        let new_directions = directions.into_iter().filter(|(direction, _)| new(*direction));
        let mut inputs: Vec<MenuInput> = new_directions.map(|(_, input)| input).collect();
        self.pad_scoreboard = pad.buttons & 1 << 8 != 0;
        let menu = pad.buttons & (1 | 1 << 1 | 1 << 9);
        let fresh = menu & !std::mem::replace(&mut self.pad_menu, menu);
        inputs.extend((fresh & 1 != 0).then_some(MenuInput::Accept));
        inputs.extend((fresh & 1 << 1 != 0).then_some(MenuInput::Back));
        (inputs, fresh & 1 << 9 != 0)
    }

    /// Whether a button of the pad is down, or its stick pushed.
    pub fn is_pad_used(&self) -> bool {
        self.pad_buttons != Buttons::NONE
    }

    /// A finger came down, moved or was lifted.
    pub fn touch(&mut self, touch: Touch) {
        let held = self.held();
        self.touch_controls.touch(touch);
        self.note(held);
    }

    /// Releases every key, button and finger.
    pub fn release_all(&mut self) {
        self.keys.clear();
        (self.key_buttons, self.pad_buttons, self.pad_scoreboard) = (Buttons::NONE, Buttons::NONE, false);
        self.touch_controls.release_all();
        self.stale = Buttons::NONE;
    }

    /// A game begins: what was pressed before is not meant for it, and counts only when it is pressed again.
    pub fn begin_game(&mut self) {
        self.stale = self.down();
        (self.pressed, self.held_for) = (Buttons::NONE, 0);
    }

    /// Whether the player holds what shows the scoreboard.
    pub fn holds_scoreboard(&self, bindings: &Bindings) -> bool {
        let is_down = |key: &Key| self.keys.get(usize::from(key.number())).is_some_and(|is_down| *is_down);
        self.pad_scoreboard || bindings.keys(Action::Scoreboard).iter().any(is_down)
    }

    /// The fingers on the picture.
    pub fn touch_controls(&self) -> &TouchControls {
        &self.touch_controls
    }

    /// What is held now and was pressed since the last call. Call it once a tick.
    pub fn take_input(&mut self, one_button: bool) -> Input {
        self.ticks = self.ticks.wrapping_add(1);
        let input = Input { held: self.held(), pressed: std::mem::take(&mut self.pressed) };
        let input = if one_button { self.one_button(input) } else { input };
        self.before = input.held;
        input
    }

    /// Like [`KeyState::take_input`], while a menu is open: what was pressed is not meant for the ship.
    pub fn discard_input(&mut self) -> Input {
        self.ticks = self.ticks.wrapping_add(1);
        self.pressed = Buttons::NONE;
        self.held_for = 0;
        Input::IDLE
    }

    /// The ship fires by itself; a tap of the button is for the Force, holding it charges the beam.
    fn one_button(&mut self, input: Input) -> Input {
        let flying = Buttons::from_bits(input.held.bits() & !(Buttons::FIRE | Buttons::FORCE).bits());
        let steering = Buttons::from_bits(input.pressed.bits() & !(Buttons::FIRE | Buttons::FORCE).bits());
        let is_held = input.held.intersects(Buttons::FIRE | Buttons::FORCE);
        let is_pressed = input.pressed.intersects(Buttons::FIRE | Buttons::FORCE);
        if is_held {
            self.held_for = self.held_for.saturating_add(1);
            let charges = self.held_for > TAP_TICKS;
            return Input { held: flying.with(Buttons::FIRE, charges), pressed: steering };
        }
        let tapped = is_pressed || (1..=TAP_TICKS).contains(&self.held_for);
        let was_held = std::mem::take(&mut self.held_for) > 0;
        let fires = !tapped && !was_held && self.ticks.is_multiple_of(AUTO_FIRE_EVERY);
        Input { held: flying, pressed: steering.with(Buttons::FIRE, fires).with(Buttons::FORCE, tapped) }
    }

    fn held(&self) -> Buttons {
        without(self.down(), self.stale)
    }

    /// What is down, whether it counts or not.
    fn down(&self) -> Buttons {
        self.key_buttons | self.pad_buttons | self.touch_controls.held()
    }

    /// Notes what is held now and was not `before`: it was pressed, even if it is up again at the next tick.
    fn note(&mut self, before: Buttons) {
        let down = self.down();
        self.stale = without(self.stale, without(self.stale, down));
        self.pressed = self.pressed | without(self.held(), before);
    }

    fn buttons_of_keys(&self, bindings: &Bindings) -> Buttons {
        let down = |action: &Action| bindings.keys(*action).iter().any(|key| self.keys[usize::from(key.number())]);
        let held = Action::ALL.iter().filter(|action| down(action));
        held.fold(Buttons::NONE, |buttons, action| buttons | button_of(*action))
    }
}

/// The first ones that are not among the second ones.
fn without(buttons: Buttons, others: Buttons) -> Buttons {
    Buttons::from_bits(buttons.bits() & !others.bits())
}

fn button_of(action: Action) -> Buttons {
    match action {
        Action::Left => Buttons::LEFT,
        Action::Right => Buttons::RIGHT,
        Action::Up => Buttons::UP,
        Action::Down => Buttons::DOWN,
        Action::Fire => Buttons::FIRE,
        Action::Force => Buttons::FORCE,
        Action::Pause | Action::Graph | Action::Chat | Action::FullScreen | Action::Scoreboard => Buttons::NONE,
    }
}

/// The stick and the cross steer; the lower and the left face button fire, the right and the upper one are the Force's.
fn buttons_of_pad(pad: Pad) -> Buttons {
    let down = |button: u32| pad.buttons & 1 << button != 0;
    Buttons::NONE
        .with(Buttons::LEFT, pad.x < -STICK_MIN || down(14))
        .with(Buttons::RIGHT, pad.x > STICK_MIN || down(15))
        .with(Buttons::UP, pad.y < -STICK_MIN || down(12))
        .with(Buttons::DOWN, pad.y > STICK_MIN || down(13))
        .with(Buttons::FIRE, down(0) || down(2) || down(7))
        .with(Buttons::FORCE, down(1) || down(3) || down(6))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tap_within_one_tick_is_not_lost() {
        let (mut keys, bindings) = (KeyState::default(), Bindings::default());
        keys.key(Key::Z, true, &bindings);
        keys.key(Key::Z, false, &bindings);
        keys.key(Key::ARROW_UP, true, &bindings);
        assert_eq!(keys.take_input(false), Input { held: Buttons::UP, pressed: Buttons::FIRE | Buttons::UP });
        assert_eq!(keys.take_input(false), Input::holding(Buttons::UP));
    }

    #[test]
    fn two_keys_of_one_action_are_one_press_and_a_repeat_is_none() {
        let (mut keys, bindings) = (KeyState::default(), Bindings::default());
        assert!(keys.key(Key::Z, true, &bindings));
        assert!(!keys.key(Key::Z, true, &bindings));
        keys.take_input(false);
        keys.key(Key::J, true, &bindings);
        assert_eq!(keys.take_input(false), Input::holding(Buttons::FIRE));
        keys.key(Key::Z, false, &bindings);
        assert_eq!(keys.take_input(false), Input::holding(Buttons::FIRE));
    }

    #[test]
    fn a_pad_flies_fires_and_moves_through_menus_and_nonsense_does_no_harm() {
        let mut keys = KeyState::default();
        let (inputs, menu) = keys.pad(Pad { x: 0.9, y: f32::NAN, buttons: 1 | 1 << 9 });
        assert_eq!((inputs, menu), (vec![MenuInput::Right, MenuInput::Accept], true));
        assert_eq!(keys.take_input(false).held, Buttons::RIGHT | Buttons::FIRE);
        assert_eq!(keys.pad(Pad { x: 0.9, y: 0.0, buttons: 1 }), (vec![], false));
    }

    #[test]
    fn when_the_window_loses_the_keyboard_everything_is_released() {
        let (mut keys, bindings) = (KeyState::default(), Bindings::default());
        keys.key(Key::ARROW_LEFT, true, &bindings);
        keys.pad(Pad { x: 0.0, y: 1.0, buttons: 0 });
        keys.take_input(false);
        keys.release_all();
        assert_eq!(keys.take_input(false), Input::IDLE);
    }

    #[test]
    fn what_was_pressed_before_the_game_began_counts_when_it_is_pressed_again() {
        let (mut keys, bindings) = (KeyState::default(), Bindings::default());
        keys.key(Key::SPACE, true, &bindings);
        keys.key(Key::ARROW_UP, true, &bindings);
        keys.begin_game();
        assert_eq!(keys.take_input(false), Input::IDLE);
        keys.key(Key::ARROW_UP, false, &bindings);
        keys.key(Key::ARROW_RIGHT, true, &bindings);
        assert_eq!(keys.take_input(false), Input { held: Buttons::RIGHT, pressed: Buttons::RIGHT });
        keys.key(Key::SPACE, false, &bindings);
        keys.key(Key::SPACE, true, &bindings);
        let pressed = Buttons::FIRE;
        assert_eq!(keys.take_input(false), Input { held: Buttons::FIRE | Buttons::RIGHT, pressed });
    }

    #[test]
    fn in_one_button_mode_the_ship_fires_by_itself_a_tap_is_the_force_and_holding_charges() {
        let (mut keys, bindings) = (KeyState::default(), Bindings::default());
        let shots = (0..80).filter(|_| keys.take_input(true).pressed.contains(Buttons::FIRE)).count();
        assert_eq!(shots, 10);
        keys.key(Key::SPACE, true, &bindings);
        (0..5).for_each(|_| assert_eq!(keys.take_input(true), Input::IDLE));
        keys.key(Key::SPACE, false, &bindings);
        assert_eq!(keys.take_input(true).pressed, Buttons::FORCE);
        keys.key(Key::SPACE, true, &bindings);
        let last = (0..30).map(|_| keys.take_input(true)).last();
        assert_eq!(last, Some(Input::holding(Buttons::FIRE)));
    }
}
