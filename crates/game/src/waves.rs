//! The endless stage: waves made from the seed, forever harder.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::{
    FIELD_HEIGHT_PX, FIELD_WIDTH_PX, Kind, Vec2, World,
    dice::Dice,
    foes::Arrival,
    tuning::{
        self, limits,
        waves::{self as numbers, Heights, Pattern},
    },
    units::px,
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
        self.pause = numbers::WAVE_RESTART_PAUSE;
    }
}

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
    } else if world.state.foes.len() < numbers::CROWD && !world.boss_is_here() {
        begin_next(world);
    }
}

fn bring(world: &mut World, next: Pending) {
    let x = if numbers::FROM_BEHIND.contains(&next.kind) {
        -px(numbers::ENTRY_PX)
    } else if tuning::boss(next.kind).is_some() {
        px(FIELD_WIDTH_PX) + tuning::OUTSIDE
    } else {
        px(FIELD_WIDTH_PX + numbers::ENTRY_PX)
    };
    let position = Vec2::new(x, px(i32::from(next.y_px)));
    world.spawn_foe_of(Arrival { kind: next.kind, position, item: next.item, path: None });
}

fn begin_next(world: &mut World) {
    let waves = &mut world.state.waves;
    waves.number = waves.number.saturating_add(1);
    let shortened = (waves.number.min(1000) as u16).saturating_mul(numbers::WAVE_PAUSE_SHORTENS);
    waves.pause = numbers::WAVE_PAUSE.0.saturating_sub(shortened).max(numbers::WAVE_PAUSE.1);
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
        return vec![Pending { delay: numbers::BOSS_DELAY, kind: boss.hull, y_px: numbers::BOSS_Y_PX, item: None }];
    }
    let mut wave = Vec::new();
    if number % 2 == 1 {
        wave.push(carrier(number, dice));
    }
    let known: Vec<&Pattern> = numbers::PATTERNS.iter().filter(|pattern| pattern.from_wave <= number).collect();
    let (every, most) = numbers::MORE_FORMATIONS;
    for _ in 0..1 + (number / every).min(most) {
        let pattern = dice.pick(&known);
        let (every, most) = numbers::LARGER_FORMATIONS;
        let more = (number / every).min(most) as i32;
        wave.extend(formation(pattern, pattern.count + more, dice));
    }
    wave
}

fn carrier(number: u32, dice: &mut Dice) -> Pending {
    let item =
        if number <= numbers::CRYSTALS_UNTIL_WAVE { dice.pick(&numbers::CRYSTALS) } else { dice.pick(&numbers::ITEMS) };
    let (low, high) = numbers::CARRIER_PX;
    let y_px = dice.between(low, high) as i16;
    Pending { delay: numbers::CARRIER_DELAY, kind: Kind::Carrier, y_px, item: Some(item) }
}

fn formation(pattern: &Pattern, count: i32, dice: &mut Dice) -> Vec<Pending> {
    let (width, height) = tuning::body(pattern.kind).size_px;
    let line = dice.between(numbers::LINE_PX.0, numbers::LINE_PX.1);
    let heights = |dice: &mut Dice| match pattern.heights {
        Heights::Line => line,
        Heights::Scattered => dice.between(numbers::SCATTERED_PX.0, numbers::SCATTERED_PX.1),
        Heights::Floor => FIELD_HEIGHT_PX - height / 2,
        Heights::Ceiling => height / 2 + if pattern.kind == Kind::Bomber { numbers::BOMBER_BELOW_PX } else { 0 },
    };
    // Large things come fewer, however late the wave.
    let (large_px, most) = numbers::LARGE_KINDS;
    let count = if width >= large_px { count.min(most) } else { count };
    let one =
        |dice: &mut Dice| Pending { delay: pattern.gap, kind: pattern.kind, y_px: heights(dice) as i16, item: None };
    let mut formation: Vec<Pending> = (0..count).map(|_| one(dice)).collect();
    if pattern.kind == Kind::Warden {
        // A warden with nobody to protect is no threat.
        let (escorts, delay) = numbers::ESCORT;
        let escort = Pending { delay, kind: Kind::Drone, y_px: line as i16, item: None };
        formation.extend(std::iter::repeat_n(escort, escorts));
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
