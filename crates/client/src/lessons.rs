//! What a new player learns in the first game: each lesson is shown until it was done once, and then never again.

use game::{Buttons, EntityId, Event, Input, Side};

/// Ticks of steering after which a player knows how to fly.
const FLY_TICKS: u32 = 12;
/// Ticks for which fire is held when the player charges on purpose.
const CHARGE_TICKS: u32 = 45;

/// What a first game teaches, a lesson at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lesson {
    Fly,
    Fire,
    /// Of the beam.
    Charge,
    /// How to launch the Force, and to call it back.
    Force,
    /// That an item is to be taken. It is shown at the item.
    Take,
    /// How a Force that came from behind is docked at the front.
    Dock,
}

/// Where the player's Force is, as far as lessons care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnForce {
    /// There is none yet.
    Missing,
    /// Behind the ship, docked or away.
    Behind,
    Ahead,
}

impl Lesson {
    /// All of them, in the order in which they are taught.
    pub const ALL: [Lesson; 6] = [Lesson::Fly, Lesson::Fire, Lesson::Charge, Lesson::Force, Lesson::Take, Lesson::Dock];
    /// Those that a player learns by pressing something, which is shown at the ship.
    pub const PRESSED: [Lesson; 4] = [Lesson::Fly, Lesson::Fire, Lesson::Charge, Lesson::Force];

    /// Its stable name, for settings.
    pub const fn name(self) -> &'static str {
        match self {
            Lesson::Fly => "fly",
            Lesson::Fire => "fire",
            Lesson::Charge => "charge",
            Lesson::Force => "force",
            Lesson::Take => "take",
            Lesson::Dock => "dock",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// The lessons that a player has learned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Learned(u8);

impl Learned {
    /// None of them.
    pub const NONE: Learned = Learned(0);
    /// All of them.
    pub const ALL: Learned = Learned(0b11_1111);

    /// Whether it was learned.
    pub const fn has(self, lesson: Lesson) -> bool {
        self.0 & lesson.bit() != 0
    }

    #[must_use]
    pub const fn with(self, lesson: Lesson) -> Learned {
        Learned(self.0 | lesson.bit())
    }

    /// Reads what [`Learned::write`] wrote; unknown names are left out.
    pub fn read(text: &str) -> Learned {
        let is_in = |lesson: &Lesson| text.split_whitespace().any(|name| name == lesson.name());
        Lesson::ALL.into_iter().filter(is_in).fold(Learned::NONE, Learned::with)
    }

    /// Their names, with spaces between.
    pub fn write(self) -> String {
        let names: Vec<&str> = Lesson::ALL.iter().filter(|lesson| self.has(**lesson)).map(|it| it.name()).collect();
        names.join(" ")
    }
}

/// What the player has done so far towards the lessons of this game.
#[derive(Clone, Copy, Debug, Default)]
pub struct LessonProgress {
    /// Ticks of steering.
    steered: u32,
    /// Ticks for which fire has been held.
    charged: u32,
}

impl LessonProgress {
    /// The player does this for a tick, and has a ship with such a Force, or none. Returns the lessons that are learned now.
    pub fn follow(&mut self, input: Input, ship: Option<OwnForce>) -> impl Iterator<Item = Lesson> {
        let input = if ship.is_some() { input } else { Input::IDLE };
        if ship.is_none() {
            // What was held for a ship that is lost becomes no beam.
            self.charged = 0;
        }
        let has_force = ship.is_some_and(|force| force != OwnForce::Missing);
        let ways = Buttons::LEFT | Buttons::RIGHT | Buttons::UP | Buttons::DOWN;
        self.steered = self.steered.saturating_add(u32::from(input.held.intersects(ways)));
        let is_firing = input.held.contains(Buttons::FIRE);
        let charged = if is_firing { self.charged.saturating_add(1) } else { 0 };
        let before = std::mem::replace(&mut self.charged, charged);
        let learned = [
            (Lesson::Fly, self.steered >= FLY_TICKS),
            (Lesson::Fire, input.pressed.contains(Buttons::FIRE)),
            (Lesson::Charge, !is_firing && before >= CHARGE_TICKS),
            (Lesson::Force, has_force && input.pressed.contains(Buttons::FORCE)),
        ];
        learned.into_iter().filter(|(_, is_learned)| *is_learned).map(|(lesson, _)| lesson)
    }
}

/// What an event of the game teaches the player who flies that ship.
pub fn taught_by(event: &Event, own: EntityId) -> Option<Lesson> {
    match *event {
        Event::Grabbed { ship, side: None, .. } if ship == own => Some(Lesson::Take),
        Event::Grabbed { ship, side: Some(Side::Front), .. } if ship == own => Some(Lesson::Dock),
        _ => None,
    }
}

/// The lessons to show now, at most two: charging is for those who can fire, the Force for those who have it, and docking it at
/// the front for those who can launch it and have it behind them.
pub fn due(learned: Learned, force: OwnForce) -> impl Iterator<Item = Lesson> {
    let is_due = move |lesson: &Lesson| match lesson {
        Lesson::Fly | Lesson::Fire => true,
        Lesson::Charge => learned.has(Lesson::Fire),
        Lesson::Force => force != OwnForce::Missing,
        Lesson::Dock => learned.has(Lesson::Force) && force == OwnForce::Behind,
        Lesson::Take => false,
    };
    Lesson::ALL.into_iter().filter(move |lesson| !learned.has(*lesson) && is_due(lesson)).take(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn follow(practice: &mut LessonProgress, input: Input, ticks: u32) -> Vec<Lesson> {
        (0..ticks).flat_map(|_| practice.follow(input, Some(OwnForce::Missing)).collect::<Vec<_>>()).collect()
    }

    #[test]
    fn what_is_done_once_is_learned() {
        let mut practice = LessonProgress::default();
        assert!(follow(&mut practice, Input::IDLE, 600).is_empty());
        assert!(follow(&mut practice, Input::holding(Buttons::UP), FLY_TICKS - 1).is_empty());
        assert_eq!(follow(&mut practice, Input::holding(Buttons::LEFT), 1), [Lesson::Fly]);
        let mut practice = LessonProgress::default();
        assert_eq!(follow(&mut practice, Input { held: Buttons::FIRE, pressed: Buttons::FIRE }, 1), [Lesson::Fire]);
        assert!(follow(&mut practice, Input::holding(Buttons::FIRE), CHARGE_TICKS).is_empty(), "it is still held");
        assert_eq!(practice.clone().follow(Input::IDLE, None).count(), 0, "the ship was lost: no beam left it");
        assert_eq!(follow(&mut practice, Input::IDLE, 2), [Lesson::Charge]);
        let force = Input { held: Buttons::NONE, pressed: Buttons::FORCE };
        assert_eq!(practice.follow(force, Some(OwnForce::Missing)).count(), 0, "there is no Force yet");
        assert_eq!(practice.follow(force, Some(OwnForce::Behind)).collect::<Vec<_>>(), [Lesson::Force]);
    }

    #[test]
    fn lessons_come_in_order_and_two_at_a_time() {
        let shown = |learned, force| due(learned, force).collect::<Vec<_>>();
        assert_eq!(shown(Learned::NONE, OwnForce::Behind), [Lesson::Fly, Lesson::Fire]);
        assert_eq!(shown(Learned::NONE.with(Lesson::Fly), OwnForce::Missing), [Lesson::Fire]);
        let flier = Learned::NONE.with(Lesson::Fly).with(Lesson::Fire);
        assert_eq!(shown(flier, OwnForce::Missing), [Lesson::Charge]);
        assert_eq!(shown(flier, OwnForce::Behind), [Lesson::Charge, Lesson::Force]);
        let launcher = flier.with(Lesson::Charge).with(Lesson::Force);
        assert_eq!(shown(launcher, OwnForce::Behind), [Lesson::Dock]);
        assert_eq!(shown(launcher, OwnForce::Ahead), []);
        assert_eq!(shown(Learned::ALL, OwnForce::Behind), []);
    }

    #[test]
    fn events_of_the_players_ship_teach() {
        let (own, other) = (EntityId(3), EntityId(4));
        let grabbed = |ship, side| Event::Grabbed { ship, object: EntityId(9), side };
        assert_eq!(taught_by(&grabbed(own, None), own), Some(Lesson::Take));
        assert_eq!(taught_by(&grabbed(own, Some(Side::Front)), own), Some(Lesson::Dock));
        assert_eq!(taught_by(&grabbed(own, Some(Side::Back)), own), None);
        assert_eq!(taught_by(&grabbed(other, Some(Side::Front)), own), None);
    }

    #[test]
    fn written_lessons_are_read_back() {
        for learned in (0..64).map(Learned) {
            assert_eq!(Learned::read(&learned.write()), learned);
        }
        assert_eq!(Learned::read("dance fire"), Learned::NONE.with(Lesson::Fire));
    }
}
