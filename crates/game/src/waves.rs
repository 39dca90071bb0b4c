//! The endless stage: waves made from the seed, forever harder.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::{
    FIELD_WIDTH_PX, Kind, Mutator, Rules, Vec2, World, bosses,
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
        -px(tuning::FROM_BEHIND_PX)
    } else if tuning::boss(next.kind).is_some() {
        bosses::entrance_x(next.kind)
    } else {
        px(FIELD_WIDTH_PX + numbers::ENTRY_PX)
    };
    let position = Vec2::new(x, px(i32::from(next.y_px)));
    world.spawn_foe_of(Arrival { kind: next.kind, position, item: next.item, path: None });
    world.count_arrival(next.kind);
}

fn begin_next(world: &mut World) {
    let (rules, seed, is_opening) = (world.state.rules, world.state.seed, world.is_opening(numbers::OPENING));
    let waves = &mut world.state.waves;
    waves.number = waves.number.saturating_add(1);
    let shortened = (waves.number.min(1000) as u16).saturating_mul(numbers::WAVE_PAUSE_SHORTENS);
    let pause = numbers::WAVE_PAUSE.0.saturating_sub(shortened).max(numbers::WAVE_PAUSE.1);
    waves.pause = pause + rules.numbers().longer_pause;
    // A wave depends on nothing but the seed and its number, so that it is the same for everybody, however they play.
    let dice = Dice::new(seed ^ Dice::new(u64::from(waves.number)).bits());
    let mut wave = Composer { number: waves.number, rules, is_opening, dice }.compose();
    wave.truncate(limits::WAVE);
    wave.reverse();
    waves.pending = wave;
}

/// What a wave is made from.
struct Composer {
    number: u32,
    rules: Rules,
    /// Whether everything passes above or below the ships that have not moved yet.
    is_opening: bool,
    dice: Dice,
}

impl Composer {
    /// All of one wave in the order in which it comes.
    fn compose(mut self) -> Vec<Pending> {
        let number = self.number;
        if number.is_multiple_of(tuning::WAVES_PER_BOSS) {
            let bosses = tuning::BOSSES.len() as u32;
            let boss = &tuning::BOSSES[((number / tuning::WAVES_PER_BOSS - 1) % bosses) as usize];
            return vec![Pending { delay: numbers::BOSS_DELAY, kind: boss.hull, y_px: numbers::BOSS_Y_PX, item: None }];
        }
        let mut wave = Vec::new();
        if number % 2 == 1 {
            wave.push(self.carrier());
        }
        // What falls from above cannot pass by.
        let newest = if self.is_opening { number.min(numbers::OPENING_KNOWS) } else { number };
        let known: Vec<&Pattern> = numbers::PATTERNS.iter().filter(|pattern| pattern.from_wave <= newest).collect();
        let (every, most) = numbers::MORE_FORMATIONS;
        for _ in 0..1 + (number / every).min(most) {
            let pattern = self.dice.pick(&known);
            wave.extend(self.formation(pattern));
        }
        wave
    }

    fn carrier(&mut self) -> Pending {
        let items: &[Kind] = match () {
            () if self.rules.has(Mutator::Forceless) => &numbers::WITHOUT_CRYSTALS,
            () if self.number <= numbers::CRYSTALS_UNTIL_WAVE => &numbers::CRYSTALS,
            () => &numbers::ITEMS,
        };
        let item = Some(self.dice.pick(items));
        let y_px = self.height(Kind::Carrier, numbers::CARRIER_PX) as i16;
        Pending { delay: numbers::CARRIER_DELAY, kind: Kind::Carrier, y_px, item }
    }

    fn formation(&mut self, pattern: &Pattern) -> Vec<Pending> {
        let (width, _) = tuning::body(pattern.kind).size_px;
        let line = self.height(pattern.kind, numbers::LINE_PX);
        // Large things come fewer, however late the wave.
        let (large_px, most) = numbers::LARGE_KINDS;
        let count = if width >= large_px { self.count(pattern).min(most) } else { self.count(pattern) };
        let mut formation: Vec<Pending> = (0..count)
            .map(|_| {
                let y_px = self.height_in(pattern, line) as i16;
                Pending { delay: self.delay(pattern.gap), kind: pattern.kind, y_px, item: None }
            })
            .collect();
        if pattern.kind == Kind::Warden {
            // A warden with nobody to protect is no threat.
            let (escorts, gap) = numbers::ESCORT;
            let escort = Pending { delay: self.delay(gap), kind: Kind::Drone, y_px: line as i16, item: None };
            formation.extend(std::iter::repeat_n(escort, escorts));
        }
        formation
    }

    /// How many come in a formation: more in later waves, by the difficulty, and in a swarm.
    fn count(&self, pattern: &Pattern) -> i32 {
        let (every, most) = numbers::LARGER_FORMATIONS;
        let count = pattern.count + (self.number / every).min(most) as i32;
        let swarm = if self.rules.has(Mutator::Swarm) { tuning::mutators::SWARM_COUNT } else { 16 };
        (count * self.rules.numbers().count / 16 * swarm / 16).max(1)
    }

    /// Steps from one enemy of a formation to the next: fewer in later waves.
    fn delay(&self, gap: u16) -> u16 {
        (u32::from(gap) * numbers::DENSER / (numbers::DENSER + self.number.min(1000))) as u16
    }

    /// The height of one of a formation, the line of which is known.
    fn height_in(&mut self, pattern: &Pattern, line: i32) -> i32 {
        match pattern.heights {
            Heights::Line => line,
            Heights::Scattered => self.height(pattern.kind, numbers::SCATTERED_PX),
            Heights::Top => numbers::TOP_PX,
        }
    }

    /// A height between two, or one of those that the opening allows, at which a kind keeps clear of what the screen shows.
    fn height(&mut self, kind: Kind, range: (i32, i32)) -> i32 {
        let lanes =
            if self.is_opening { numbers::OPENING_PX.map(|lane| clear(kind, lane)) } else { [clear(kind, range); 2] };
        let [above, below] = lanes;
        let (low, high) = if above.0 > above.1 { below } else { self.dice.pick(&lanes) };
        self.dice.between(low, high)
    }
}

/// The heights of a range at which all of a kind, however it swings, is in the clear.
fn clear(kind: Kind, (low, high): (i32, i32)) -> (i32, i32) {
    let swing = tuning::swing(kind).map_or(0, |swing| i32::from(swing.reach_px));
    let reach = tuning::body(kind).hit_px.1 / 2 + swing;
    (low.max(numbers::CLEAR_PX.0 + reach), high.min(numbers::CLEAR_PX.1 - reach))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Daily, Difficulty, Mode};

    fn composer(number: u32, seed: u64) -> Composer {
        Composer { number, rules: Rules::default(), is_opening: false, dice: Dice::new(seed) }
    }

    /// Enemies of these waves that are not bosses.
    fn size(numbers: std::ops::Range<u32>, rules: Rules) -> usize {
        let waves = numbers.filter(|number| !number.is_multiple_of(tuning::WAVES_PER_BOSS));
        waves.map(|number| Composer { rules, ..composer(number, number.into()) }.compose().len()).sum()
    }

    #[test]
    fn later_waves_are_larger_and_know_more_kinds() {
        assert!(size(51..60, Rules::default()) > 2 * size(1..10, Rules::default()));
    }

    #[test]
    fn a_harder_game_and_a_swarm_bring_more() {
        let [easy, normal, hard] = Difficulty::ALL.map(|difficulty| size(1..40, Rules::of(difficulty)));
        assert!(easy < normal && normal < hard, "{easy} {normal} {hard}");
        let daily = |mutator| Rules { mode: Mode::Daily(Daily { day: 1, mutator }), ..Rules::default() };
        assert!(size(1..40, daily(Mutator::Swarm)) > normal && size(1..40, daily(Mutator::Haste)) == normal);
    }

    #[test]
    fn every_tenth_wave_is_a_boss_and_they_take_turns() {
        let boss = |number| composer(number, 9).compose()[0].kind;
        assert_eq!(
            [10, 20, 30, 60, 70].map(boss),
            [Kind::Salvager, Kind::Keeper, Kind::Brood, Kind::Heart, Kind::Salvager]
        );
    }

    #[test]
    fn without_the_force_no_crystal_comes() {
        let rules = Rules { mode: Mode::Daily(Daily { day: 1, mutator: Mutator::Forceless }), ..Rules::default() };
        for number in 1..40 {
            let wave = Composer { rules, ..composer(number, number.into()) }.compose();
            assert!(wave.iter().all(|next| next.item.is_none_or(|item| !numbers::CRYSTALS.contains(&item))));
        }
    }

    /// Whatever swings, swings clear of every ship that begins.
    #[test]
    fn the_opening_passes_above_and_below_every_ship() {
        let ship = tuning::body(Kind::Player).hit_px.1 / 2;
        let starts = tuning::SHIP_START_YS.map(|y| y / crate::SUBPIXELS);
        for (number, seed) in (1..6).flat_map(|number| (0..50).map(move |seed| (number, seed))) {
            for next in (Composer { is_opening: true, ..composer(number, seed) }).compose() {
                let swing = tuning::swing(next.kind).map_or(0, |swing| i32::from(swing.reach_px));
                let reach = tuning::body(next.kind).hit_px.1 / 2 + swing + ship;
                let clear = starts.iter().all(|&start| (i32::from(next.y_px) - start).abs() > reach);
                assert!(clear, "a {} at {} in wave {number} of seed {seed}", next.kind.name(), next.y_px);
            }
        }
    }

    #[test]
    fn the_first_waves_bring_a_crystal() {
        for seed in 0..50 {
            let wave = composer(1, seed).compose();
            let items: Vec<Kind> = wave.iter().filter_map(|pending| pending.item).collect();
            assert!(matches!(items[..], [Kind::RedCrystal | Kind::BlueCrystal | Kind::YellowCrystal]));
        }
    }
}
