//! What a lobby can choose about its game, and what follows from it. All numbers are in `tuning/difficulty.rs`.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::{
    Dice, Stage,
    player_state::Crystal,
    tuning::{
        self,
        difficulty::{NUMBERS, Numbers},
    },
};

/// What happens when a ship is lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum RuleSet {
    /// In company the ship returns after two seconds at the left edge; alone it goes back to the last checkpoint.
    #[default]
    Coop,
    /// Everyone goes back to the last checkpoint, alone or in company.
    Arcade,
}

/// How hard a game is. The numbers are stable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
#[borsh(use_discriminant = true)]
#[repr(u8)]
pub enum Difficulty {
    /// For a first evening.
    Easy = 0,
    /// As it is meant.
    #[default]
    Normal = 1,
    /// For those who know every stage.
    Hard = 2,
}

/// What is played for. The numbers that [`Mode::number`] gives are stable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Mode {
    /// The stages in order, then again, harder.
    #[default]
    Campaign,
    /// Waves from a seed, forever harder.
    Endless,
    /// Waves from the seed of a day, with the mutator of that day: the same for everybody.
    Daily(Daily),
    /// A stage from one of its checkpoints, with chosen arms. It is not scored.
    Practice(Practice),
}

/// A day's game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct Daily {
    /// Days since the first of January 1970, UTC.
    pub day: u32,
    /// What is different on that day.
    pub mutator: Mutator,
}

/// What is different in a game. The numbers are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
#[borsh(use_discriminant = true)]
#[repr(u8)]
pub enum Mutator {
    /// Half as many enemies more, each with half the health.
    Swarm = 0,
    /// Enemies and their shots are faster.
    Haste = 1,
    /// The players' shots do twice the damage, and everybody has one life.
    Glass = 2,
    /// No crystal comes, and so no Force: carriers bring missiles, Bits and speed-ups.
    Forceless = 3,
    /// Beams charge in half the time; plain shots do half the damage.
    Overcharge = 4,
    /// An enemy that is shot down fires a last shot at whoever is nearest.
    Revenge = 5,
}

/// Where practice begins, and with what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct Practice {
    /// Which of the stage's checkpoints: 0 is its beginning.
    pub checkpoint: u8,
    /// What every new ship carries.
    pub arms: Arms,
}

/// What a ship carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct Arms {
    pub force_level: u8,
    /// The crystal of the Force.
    pub crystal: Crystal,
    /// Whether it fires missiles.
    pub missiles: bool,
    pub bits: u8,
    /// Speed-ups, 0 to 4.
    pub speed: u8,
}

/// The rules of one lobby.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct Rules {
    /// What happens when a ship is lost.
    pub set: RuleSet,
    /// Whether players' shots hurt other players.
    pub friendly_fire: bool,
    /// Lives of a player who joins, 1 to 9.
    pub lives: u8,
    /// How hard it is.
    pub difficulty: Difficulty,
    /// What is played for.
    pub mode: Mode,
}

impl Default for Rules {
    fn default() -> Self {
        Rules::of(Difficulty::Normal)
    }
}

impl Rules {
    /// The rules of a difficulty, with its number of lives.
    pub const fn of(difficulty: Difficulty) -> Rules {
        let lives = NUMBERS[difficulty as usize].lives;
        Rules { set: RuleSet::Coop, friendly_fire: false, lives, difficulty, mode: Mode::Campaign }
    }

    /// The rules of a day's game, which nobody chooses: a table needs the same game for all.
    pub fn of_day(day: u32) -> Rules {
        let daily = Daily::of(day);
        let normal = Rules::default();
        let lives = if daily.mutator == Mutator::Glass { 1 } else { normal.lives };
        Rules { lives, mode: Mode::Daily(daily), ..normal }
    }

    /// The same rules as far as they make sense in a stage: waves are endless, stages are a campaign, and every number is
    /// within its bounds.
    pub fn in_stage(self, stage: &Stage) -> Rules {
        let mode = match self.mode {
            Mode::Daily(daily) if stage.endless => return Rules::of_day(daily.day),
            Mode::Practice(practice) if !stage.endless => Mode::Practice(practice.in_stage(stage)),
            _ if stage.endless => Mode::Endless,
            _ => Mode::Campaign,
        };
        Rules { lives: self.lives.clamp(1, tuning::LIVES_MAX), mode, ..self }
    }

    /// Whether a score under these rules goes into a table.
    pub fn is_scored(&self) -> bool {
        !matches!(self.mode, Mode::Practice(_))
    }

    /// What is different in this game, if anything is.
    pub fn mutator(&self) -> Option<Mutator> {
        match self.mode {
            Mode::Daily(daily) => Some(daily.mutator),
            Mode::Campaign | Mode::Endless | Mode::Practice(_) => None,
        }
    }

    pub(crate) fn has(&self, mutator: Mutator) -> bool {
        self.mutator() == Some(mutator)
    }

    /// The numbers of the difficulty.
    pub(crate) fn numbers(&self) -> &'static Numbers {
        &NUMBERS[self.difficulty as usize]
    }

    /// Speed of an enemy that usually has this one.
    pub(crate) fn pace(&self, speed: i32) -> i32 {
        let hasty = if self.has(Mutator::Haste) { tuning::mutators::HASTE } else { 16 };
        speed * self.numbers().pace / 16 * hasty / 16
    }

    /// Speed of an enemy's shot that usually has this one, along one axis.
    pub(crate) fn shot_pace(&self, speed: i32) -> i32 {
        let hasty = if self.has(Mutator::Haste) { tuning::mutators::HASTE } else { 16 };
        speed * self.numbers().shot_pace / 16 * hasty / 16
    }

    /// Damage of a plain shot, or of anything else of a player's that usually does this much.
    pub(crate) fn damage(&self, damage: u16) -> u16 {
        if self.has(Mutator::Glass) { damage.saturating_mul(2) } else { damage }
    }
}

impl Difficulty {
    /// All of them, from the easiest on.
    pub const ALL: [Difficulty; 3] = [Difficulty::Easy, Difficulty::Normal, Difficulty::Hard];

    pub fn from_number(number: u8) -> Option<Difficulty> {
        Difficulty::ALL.get(usize::from(number)).copied()
    }

    /// Its name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Difficulty::Easy => "easy",
            Difficulty::Normal => "normal",
            Difficulty::Hard => "hard",
        }
    }

    pub fn from_name(name: &str) -> Option<Difficulty> {
        Difficulty::ALL.into_iter().find(|difficulty| difficulty.name() == name)
    }
}

impl Mode {
    /// The names of all modes, by number.
    pub const NAMES: [&str; 4] = ["campaign", "endless", "daily", "practice"];

    /// Its number: 0 campaign, 1 endless, 2 daily, 3 practice.
    pub const fn number(self) -> u8 {
        match self {
            Mode::Campaign => 0,
            Mode::Endless => 1,
            Mode::Daily(_) => 2,
            Mode::Practice(_) => 3,
        }
    }

    /// Its name, in lower case.
    pub const fn name(self) -> &'static str {
        Mode::NAMES[self.number() as usize]
    }
}

impl Daily {
    /// The game of a day, counted from the first of January 1970.
    pub fn of(day: u32) -> Daily {
        let mut dice = Dice::new(Daily::seed_of(day));
        Daily { day, mutator: dice.pick(&Mutator::ALL) }
    }

    /// The seed of its waves: the same on every node.
    pub fn seed(self) -> u64 {
        Daily::seed_of(self.day)
    }

    fn seed_of(day: u32) -> u64 {
        // Far from the small numbers that people type as seeds.
        Dice::new(tuning::mutators::DAILY_SEED ^ u64::from(day)).bits()
    }
}

impl Mutator {
    /// All of them, by number.
    pub const ALL: [Mutator; 6] =
        [Mutator::Swarm, Mutator::Haste, Mutator::Glass, Mutator::Forceless, Mutator::Overcharge, Mutator::Revenge];

    pub fn from_number(number: u8) -> Option<Mutator> {
        Mutator::ALL.get(usize::from(number)).copied()
    }

    /// Its name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Mutator::Swarm => "swarm",
            Mutator::Haste => "haste",
            Mutator::Glass => "glass",
            Mutator::Forceless => "forceless",
            Mutator::Overcharge => "overcharge",
            Mutator::Revenge => "revenge",
        }
    }
}

impl Practice {
    fn in_stage(self, stage: &Stage) -> Practice {
        let last = stage.checkpoints_px.len().saturating_sub(1).min(usize::from(u8::MAX)) as u8;
        Practice { checkpoint: self.checkpoint.min(last), arms: self.arms.within_bounds() }
    }
}

impl Arms {
    /// The same, with every number within its bounds.
    pub fn within_bounds(self) -> Arms {
        Arms {
            force_level: self.force_level.min(tuning::FORCE_LEVEL_MAX),
            bits: self.bits.min(tuning::BITS_MAX as u8),
            speed: self.speed.min(tuning::SPEED_UPS_MAX),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_lead_back() {
        for (number, difficulty) in (0..).zip(Difficulty::ALL) {
            assert_eq!(Difficulty::from_number(number), Some(difficulty));
            assert_eq!(Difficulty::from_name(difficulty.name()), Some(difficulty));
            assert_eq!(difficulty as u8, number);
        }
        for (number, mutator) in (0..).zip(Mutator::ALL) {
            assert_eq!((Mutator::from_number(number), mutator as u8), (Some(mutator), number));
        }
        assert_eq!((Difficulty::from_number(3), Mutator::from_number(6)), (None, None));
    }

    #[test]
    fn a_day_has_one_seed_and_one_mutator_and_all_of_them_come() {
        assert_eq!(Daily::of(20_000), Daily::of(20_000));
        let seeds: std::collections::BTreeSet<u64> = (20_000..20_365).map(|day| Daily::of(day).seed()).collect();
        assert_eq!(seeds.len(), 365);
        for mutator in Mutator::ALL {
            let days = (20_000..20_365).filter(|&day| Daily::of(day).mutator == mutator).count();
            assert!((30..100).contains(&days), "{} on {days} days of a year", mutator.name());
        }
    }

    /// A day's game is the same on every node, whatever its version: this must not change.
    #[test]
    fn the_days_are_fixed() {
        let mutators = [20_500, 20_501, 20_502].map(|day| Daily::of(day).mutator.name());
        assert_eq!((Daily::of(20_500).seed(), mutators), (GOLDEN_SEED, GOLDEN_MUTATORS));
    }

    const GOLDEN_SEED: u64 = 2_435_795_593_966_076_848;
    const GOLDEN_MUTATORS: [&str; 3] = ["forceless", "forceless", "overcharge"];

    #[test]
    fn rules_fit_their_stage() {
        let (waves, stage) = (Stage::endless(), Stage::built_in("stage1").expect("it is built in"));
        let far = Practice { checkpoint: 200, arms: Arms { force_level: 9, bits: 9, speed: 9, ..Arms::default() } };
        let practice = Rules { lives: 0, mode: Mode::Practice(far), ..Rules::default() };
        assert_eq!((practice.in_stage(&waves).mode, practice.in_stage(&waves).lives), (Mode::Endless, 1));
        let Mode::Practice(fitted) = practice.in_stage(&stage).mode else { panic!("it is still practice") };
        assert_eq!(usize::from(fitted.checkpoint), stage.checkpoints_px.len() - 1);
        assert_eq!((fitted.arms.force_level, fitted.arms.bits, fitted.arms.speed), (3, 2, 4));
        let daily = Rules { difficulty: Difficulty::Easy, lives: 9, mode: Mode::Daily(Daily::of(5)), ..practice };
        assert_eq!(daily.in_stage(&waves), Rules::of_day(5), "nobody chooses the rules of a day");
        assert_eq!(daily.in_stage(&stage).mode, Mode::Campaign);
    }
}
