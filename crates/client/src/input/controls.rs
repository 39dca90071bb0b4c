//! Keys, pad and fingers as one [`Input`] a tick, in which no tap is lost, and as steps through menus.

use game::{Buttons, Input};

use super::{Bindings, Command, Key, Pad, Thumbs, Touch};

/// How far a stick is pushed before it counts.
const STICK_MIN: f32 = 0.4;
/// Ticks between two shots of the one-button game.
const AUTO_FIRE_EVERY: u32 = 8;
/// In the one-button game, who lets go within so many ticks means the Force, who holds on the beam.
const TAP_TICKS: u32 = 12;

/// A step through a menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the line above.
    Up,
    /// To the line below.
    Down,
    /// To the value before.
    Left,
    /// To the value after.
    Right,
    /// This one.
    Accept,
    /// Back.
    Back,
    /// A finger is there, in pixels of the picture, and may still move on.
    Point(i32, i32),
    /// It was lifted there.
    Tap(i32, i32),
}

/// What is held, and what was pressed since the last tick.
#[derive(Clone, Debug, Default)]
pub struct Controls {
    /// By number of the key.
    keys: Vec<bool>,
    key_buttons: Buttons,
    pad_buttons: Buttons,
    pad_menu: u32,
    thumbs: Thumbs,
    pressed: Buttons,
    /// What was held when the last input was taken.
    before: Buttons,
    ticks: u32,
    /// In the one-button game: since when it is held.
    held_for: u32,
}

impl Controls {
    /// A key went down or up. True if it was news: a repeat is not.
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

    /// The pad as it stands. Returns the steps that its newly pressed buttons make through a menu, and whether its menu
    /// button was pressed.
    pub fn pad(&mut self, pad: Pad) -> (Vec<Step>, bool) {
        let held = self.held();
        let before = std::mem::replace(&mut self.pad_buttons, buttons_of_pad(pad));
        self.note(held);
        let new = |button: Buttons| self.pad_buttons.contains(button) && !before.contains(button);
        let directions = [
            (Buttons::UP, Step::Up),
            (Buttons::DOWN, Step::Down),
            (Buttons::LEFT, Step::Left),
            (Buttons::RIGHT, Step::Right),
        ];
        let mut steps: Vec<Step> = directions.into_iter().filter(|(way, _)| new(*way)).map(|(_, step)| step).collect();
        let menu = pad.buttons & (1 | 1 << 1 | 1 << 9);
        let fresh = menu & !std::mem::replace(&mut self.pad_menu, menu);
        steps.extend((fresh & 1 != 0).then_some(Step::Accept));
        steps.extend((fresh & 1 << 1 != 0).then_some(Step::Back));
        (steps, fresh & 1 << 9 != 0)
    }

    /// A finger did something.
    pub fn touch(&mut self, touch: Touch) {
        let held = self.held();
        self.thumbs.touch(touch);
        self.note(held);
    }

    /// Everything is let go.
    pub fn blur(&mut self) {
        self.keys.clear();
        (self.key_buttons, self.pad_buttons) = (Buttons::NONE, Buttons::NONE);
        self.thumbs.lift();
    }

    /// The fingers.
    pub fn thumbs(&self) -> &Thumbs {
        &self.thumbs
    }

    /// What is held now and was pressed since the last call. To be called once a tick.
    pub fn take(&mut self, one_button: bool) -> Input {
        self.ticks = self.ticks.wrapping_add(1);
        let input = Input { held: self.held(), pressed: std::mem::take(&mut self.pressed) };
        let input = if one_button { self.one_button(input) } else { input };
        self.before = input.held;
        input
    }

    /// Nothing is meant for the game: a menu is open. What was pressed is forgotten.
    pub fn rest(&mut self) -> Input {
        self.ticks = self.ticks.wrapping_add(1);
        self.pressed = Buttons::NONE;
        self.held_for = 0;
        Input::IDLE
    }

    /// Shots come by themselves; a tap of the button is for the Force, holding it charges the beam.
    fn one_button(&mut self, input: Input) -> Input {
        let flying = Buttons::from_bits(input.held.bits() & !(Buttons::FIRE | Buttons::FORCE).bits());
        let turned = Buttons::from_bits(input.pressed.bits() & !(Buttons::FIRE | Buttons::FORCE).bits());
        let is_held = input.held.intersects(Buttons::FIRE | Buttons::FORCE);
        let is_pressed = input.pressed.intersects(Buttons::FIRE | Buttons::FORCE);
        if is_held {
            self.held_for = self.held_for.saturating_add(1);
            let charges = self.held_for > TAP_TICKS;
            return Input { held: flying.with(Buttons::FIRE, charges), pressed: turned };
        }
        let tapped = is_pressed || (1..=TAP_TICKS).contains(&self.held_for);
        let was_held = std::mem::take(&mut self.held_for) > 0;
        let fires = !tapped && !was_held && self.ticks.is_multiple_of(AUTO_FIRE_EVERY);
        Input { held: flying, pressed: turned.with(Buttons::FIRE, fires).with(Buttons::FORCE, tapped) }
    }

    fn held(&self) -> Buttons {
        self.key_buttons | self.pad_buttons | self.thumbs.held()
    }

    /// Notes what is held now and was not `before`: it was pressed, even if it is up again at the next tick.
    fn note(&mut self, before: Buttons) {
        self.pressed = self.pressed | Buttons::from_bits(self.held().bits() & !before.bits());
    }

    fn buttons_of_keys(&self, bindings: &Bindings) -> Buttons {
        let down = |command: &Command| bindings.keys(*command).iter().any(|key| self.keys[usize::from(key.number())]);
        let held = Command::ALL.iter().filter(|command| down(command));
        held.fold(Buttons::NONE, |buttons, command| buttons | button_of(*command))
    }
}

fn button_of(command: Command) -> Buttons {
    match command {
        Command::Left => Buttons::LEFT,
        Command::Right => Buttons::RIGHT,
        Command::Up => Buttons::UP,
        Command::Down => Buttons::DOWN,
        Command::Fire => Buttons::FIRE,
        Command::Force => Buttons::FORCE,
        Command::Pause | Command::Graph | Command::Chat | Command::FullScreen => Buttons::NONE,
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
        let (mut controls, bindings) = (Controls::default(), Bindings::default());
        controls.key(Key::Z, true, &bindings);
        controls.key(Key::Z, false, &bindings);
        controls.key(Key::ARROW_UP, true, &bindings);
        assert_eq!(controls.take(false), Input { held: Buttons::UP, pressed: Buttons::FIRE | Buttons::UP });
        assert_eq!(controls.take(false), Input::holding(Buttons::UP));
    }

    #[test]
    fn two_keys_for_one_thing_are_one_press_and_a_repeat_is_none() {
        let (mut controls, bindings) = (Controls::default(), Bindings::default());
        assert!(controls.key(Key::Z, true, &bindings));
        assert!(!controls.key(Key::Z, true, &bindings));
        controls.take(false);
        controls.key(Key::J, true, &bindings);
        assert_eq!(controls.take(false), Input::holding(Buttons::FIRE));
        controls.key(Key::Z, false, &bindings);
        assert_eq!(controls.take(false), Input::holding(Buttons::FIRE));
    }

    #[test]
    fn a_pad_flies_fires_and_steps_through_menus_and_may_say_nonsense() {
        let mut controls = Controls::default();
        let (steps, menu) = controls.pad(Pad { x: 0.9, y: f32::NAN, buttons: 1 | 1 << 9 });
        assert_eq!((steps, menu), (vec![Step::Right, Step::Accept], true));
        assert_eq!(controls.take(false).held, Buttons::RIGHT | Buttons::FIRE);
        assert_eq!(controls.pad(Pad { x: 0.9, y: 0.0, buttons: 1 }), (vec![], false));
    }

    #[test]
    fn when_the_window_is_left_everything_is_let_go() {
        let (mut controls, bindings) = (Controls::default(), Bindings::default());
        controls.key(Key::ARROW_LEFT, true, &bindings);
        controls.pad(Pad { x: 0.0, y: 1.0, buttons: 0 });
        controls.take(false);
        controls.blur();
        assert_eq!(controls.take(false), Input::IDLE);
    }

    #[test]
    fn with_one_button_shots_come_by_themselves_a_tap_is_the_force_and_holding_charges() {
        let (mut controls, bindings) = (Controls::default(), Bindings::default());
        let shots = (0..80).filter(|_| controls.take(true).pressed.contains(Buttons::FIRE)).count();
        assert_eq!(shots, 10);
        controls.key(Key::SPACE, true, &bindings);
        (0..5).for_each(|_| assert_eq!(controls.take(true), Input::IDLE));
        controls.key(Key::SPACE, false, &bindings);
        assert_eq!(controls.take(true).pressed, Buttons::FORCE);
        controls.key(Key::SPACE, true, &bindings);
        let last = (0..30).map(|_| controls.take(true)).last();
        assert_eq!(last, Some(Input::holding(Buttons::FIRE)));
    }
}
