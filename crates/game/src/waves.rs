//! The endless stage: waves made from the seed, forever harder.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::{
    FIELD_WIDTH_PX, Kind, Vec2, World,
    dice::Dice,
    tuning::{self, limits},
    units::{px, steps_of_ms},
};

/// Where the endless stage is.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) struct Waves {
    /// The wave that is coming, from 1.
    pub number: u32,
    /// Steps until the next wave.
    pub pause: u16,
    /// What is still to come in this wave, the last first.
    pub pending: Vec<Pending>,
}

/// One enemy of a wave that is still to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) struct Pending {
    /// Steps after the one before.
    pub delay: u16,
    pub kind: Kind,
    pub y_px: i16,
    pub item: Option<Kind>,
}

impl Waves {
    /// The wave that was under way begins again.
    pub(crate) fn restart(&mut self) {
        if !self.pending.is_empty() || self.number > 0 {
            self.number = self.number.saturating_sub(1);
        }
        self.pending.clear();
        self.pause = steps_of_ms(1000);
    }
}

/// New waves wait while so many foes are left.
const CROWD: usize = 28;

/// Brings the next enemy of the wave, or begins the next wave.
pub(crate) fn advance(world: &mut World) {
    if let Some(next) = world.state.waves.pending.last_mut() {
        if next.delay > 0 {
            next.delay -= 1;
        } else if let Some(next) = world.state.waves.pending.pop() {
            bring(world, next);
        }
        return;
    }
    if world.state.waves.pause > 0 {
        world.state.waves.pause -= 1;
    } else if world.state.foes.len() < CROWD && !world.boss_is_here() {
        begin_next(world);
    }
}

fn bring(world: &mut World, next: Pending) {
    let x = match next.kind {
        Kind::Chaser => -px(16),
        kind if tuning::boss(kind).is_some() => px(FIELD_WIDTH_PX) + tuning::OUTSIDE,
        _ => px(FIELD_WIDTH_PX + 16),
    };
    world.spawn_foe_of(next.kind, Vec2::new(x, px(i32::from(next.y_px))), next.item, None);
}

fn begin_next(world: &mut World) {
    let waves = &mut world.state.waves;
    waves.number = waves.number.saturating_add(1);
    let shortened = (waves.number.min(1000) as u16).saturating_mul(tuning::WAVE_PAUSE_SHORTENS);
    waves.pause = tuning::WAVE_PAUSE.0.saturating_sub(shortened).max(tuning::WAVE_PAUSE.1);
    let mut wave = compose(waves.number, &mut world.state.dice);
    wave.truncate(limits::WAVE);
    wave.reverse();
    waves.pending = wave;
}

/// All of one wave in the order in which it comes.
fn compose(number: u32, dice: &mut Dice) -> Vec<Pending> {
    if number.is_multiple_of(tuning::WAVES_PER_BOSS) {
        let bosses = tuning::BOSSES.len() as u32;
        let boss = &tuning::BOSSES[((number / tuning::WAVES_PER_BOSS - 1) % bosses) as usize];
        return vec![Pending { delay: 120, kind: boss.hull, y_px: 135, item: None }];
    }
    let mut wave = Vec::new();
    if number % 2 == 1 {
        wave.push(carrier(number, dice));
    }
    let known: Vec<&Pattern> = PATTERNS.iter().filter(|pattern| pattern.from_wave <= number).collect();
    for _ in 0..1 + (number / 5).min(3) {
        let pattern = dice.pick(&known);
        let more = (number / 8).min(4) as i32;
        wave.extend(formation(pattern, pattern.count + more, dice));
    }
    wave
}

fn carrier(number: u32, dice: &mut Dice) -> Pending {
    // The first wave must arm the players; later ones may bring anything.
    const CRYSTALS: [Kind; 3] = [Kind::RedCrystal, Kind::BlueCrystal, Kind::YellowCrystal];
    const ANYTHING: [Kind; 8] = [
        Kind::RedCrystal,
        Kind::BlueCrystal,
        Kind::YellowCrystal,
        Kind::MissilePack,
        Kind::BitPack,
        Kind::BitPack,
        Kind::SpeedUp,
        Kind::SpeedUp,
    ];
    let item = if number <= 3 { dice.pick(&CRYSTALS) } else { dice.pick(&ANYTHING) };
    Pending { delay: 30, kind: Kind::Carrier, y_px: dice.between(60, 210) as i16, item: Some(item) }
}

/// A formation that a wave may contain.
struct Pattern {
    from_wave: u32,
    kind: Kind,
    count: i32,
    /// Steps between two of them.
    gap: u16,
    heights: Heights,
}

/// Where a formation flies.
enum Heights {
    /// One behind the other.
    Line,
    /// Each at a height of its own.
    Scattered,
    /// On the floor.
    Floor,
    /// At the ceiling.
    Ceiling,
}

#[rustfmt::skip]
const PATTERNS: [Pattern; 16] = [
    Pattern { from_wave: 1, kind: Kind::Drone, count: 6, gap: 24, heights: Heights::Line },
    Pattern { from_wave: 1, kind: Kind::Drone, count: 5, gap: 40, heights: Heights::Scattered },
    Pattern { from_wave: 1, kind: Kind::Debris, count: 5, gap: 45, heights: Heights::Scattered },
    Pattern { from_wave: 2, kind: Kind::Dart, count: 5, gap: 40, heights: Heights::Scattered },
    Pattern { from_wave: 2, kind: Kind::Mine, count: 5, gap: 60, heights: Heights::Scattered },
    Pattern { from_wave: 3, kind: Kind::Seeker, count: 4, gap: 60, heights: Heights::Scattered },
    Pattern { from_wave: 3, kind: Kind::Walker, count: 3, gap: 90, heights: Heights::Floor },
    Pattern { from_wave: 4, kind: Kind::Splitter, count: 3, gap: 90, heights: Heights::Scattered },
    Pattern { from_wave: 4, kind: Kind::Bomber, count: 3, gap: 70, heights: Heights::Ceiling },
    Pattern { from_wave: 5, kind: Kind::Chaser, count: 3, gap: 50, heights: Heights::Scattered },
    Pattern { from_wave: 5, kind: Kind::Clinger, count: 3, gap: 80, heights: Heights::Ceiling },
    Pattern { from_wave: 6, kind: Kind::Gunship, count: 1, gap: 120, heights: Heights::Scattered },
    Pattern { from_wave: 7, kind: Kind::Hive, count: 1, gap: 120, heights: Heights::Scattered },
    Pattern { from_wave: 7, kind: Kind::Turret, count: 3, gap: 70, heights: Heights::Floor },
    Pattern { from_wave: 8, kind: Kind::Warden, count: 1, gap: 20, heights: Heights::Line },
    Pattern { from_wave: 9, kind: Kind::Seeker, count: 6, gap: 30, heights: Heights::Line },
];

fn formation(pattern: &Pattern, count: i32, dice: &mut Dice) -> Vec<Pending> {
    let (width, height) = tuning::body(pattern.kind).size_px;
    let line = dice.between(50, 220);
    let heights = |dice: &mut Dice| match pattern.heights {
        Heights::Line => line,
        Heights::Scattered => dice.between(24, 246),
        Heights::Floor => 270 - height / 2,
        Heights::Ceiling => height / 2 + if pattern.kind == Kind::Bomber { 16 } else { 0 },
    };
    // Large things come fewer, however late the wave.
    let count = if width >= 24 { count.min(3) } else { count };
    let one =
        |dice: &mut Dice| Pending { delay: pattern.gap, kind: pattern.kind, y_px: heights(dice) as i16, item: None };
    let mut formation: Vec<Pending> = (0..count).map(|_| one(dice)).collect();
    if pattern.kind == Kind::Warden {
        // A warden with nobody to protect is no threat.
        let escort = Pending { delay: 16, kind: Kind::Drone, y_px: line as i16, item: None };
        formation.extend([escort; 5]);
    }
    formation
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_waves_are_larger_and_know_more_kinds() {
        let mut dice = Dice::new(1);
        let mut size = |numbers: std::ops::Range<u32>| -> usize {
            numbers.filter(|n| !n.is_multiple_of(tuning::WAVES_PER_BOSS)).map(|n| compose(n, &mut dice).len()).sum()
        };
        assert!(size(49..60) > 2 * size(1..12));
    }

    #[test]
    fn every_twelfth_wave_is_a_boss_and_they_take_turns() {
        let boss = |number| compose(number, &mut Dice::new(9))[0].kind;
        assert_eq!([12, 24, 36].map(boss), [Kind::Salvager, Kind::Keeper, Kind::Salvager]);
    }

    #[test]
    fn the_first_waves_bring_a_crystal() {
        for seed in 0..50 {
            let wave = compose(1, &mut Dice::new(seed));
            let items: Vec<Kind> = wave.iter().filter_map(|pending| pending.item).collect();
            assert!(matches!(items[..], [Kind::RedCrystal | Kind::BlueCrystal | Kind::YellowCrystal]));
        }
    }
}
