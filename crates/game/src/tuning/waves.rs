//! The endless stage in numbers: which formations come, from which wave on, and how they grow.

use crate::{Kind, units::steps_of_ms};

/// Waves between two bosses.
pub const WAVES_PER_BOSS: u32 = 10;
/// Waves until health is that of the next loop.
pub const WAVES_PER_LOOP: u32 = 10;
/// Waves until enemies fire as in the next loop: fire grows faster than health, or bosses would take for ever.
pub const WAVES_PER_FIERCER: u32 = 2;
/// Loops of fire that waves are worth at most.
pub const FIERCER_MAX: u32 = 24;
/// From this wave on company makes enemies fiercer still, or four players would hold out without end.
pub const FIERCER_IN_COMPANY_FROM: u32 = 15;
/// Waves from there until enemies fire as in the next loop: this many for two players, half of them for three, a third for four.
pub const WAVES_PER_FIERCER_IN_COMPANY: u32 = 6;
/// Loops of fire that company is worth at most.
pub const FIERCER_IN_COMPANY_MAX: u32 = 24;
/// Pause between two waves at first, and at last.
pub(crate) const WAVE_PAUSE: (u16, u16) = (steps_of_ms(2600), steps_of_ms(900));
/// The pause shortens by this with each wave, in steps.
pub(crate) const WAVE_PAUSE_SHORTENS: u16 = 4;
/// Pause before a wave that begins again.
pub(crate) const WAVE_RESTART_PAUSE: u16 = steps_of_ms(1000);
/// New waves wait while this many foes are left.
pub(crate) const CROWD: usize = 28;
/// Enemies come this far outside the field, in pixels.
pub(crate) const ENTRY_PX: i32 = 16;
/// Kinds that come from behind.
pub(crate) const FROM_BEHIND: &[Kind] = &[Kind::Chaser];
/// Steps before a boss comes.
pub(crate) const BOSS_DELAY: u16 = 120;
/// Height at which a boss comes, in pixels.
pub(crate) const BOSS_Y_PX: i16 = 135;
/// Formations of one wave: one, and one more every this many waves, up to that many more.
pub(crate) const MORE_FORMATIONS: (u32, u32) = (4, 6);
/// More enemies in each formation: one every this many waves, up to that many.
pub(crate) const LARGER_FORMATIONS: (u32, u32) = (5, 8);
/// In a wave with this number enemies follow each other in half the time of the first, in twice this number in a third, and so on.
pub(crate) const DENSER: u32 = 20;
/// What is at least this many pixels wide comes in formations of at most that many.
pub(crate) const LARGE_KINDS: (i32, i32) = (24, 3);
/// Steps of a new game in which what comes passes above or below the ships that have not moved yet, and does not fire.
pub(crate) const OPENING: u32 = steps_of_ms(20_000) as u32;
/// The newest formations that come in the opening are those of this wave.
pub(crate) const OPENING_KNOWS: u32 = 2;
/// The lowest and the highest line of what passes above, and of what passes below, in pixels.
pub(crate) const OPENING_PX: [(i32, i32); 2] = [(34, 44), (200, 222)];
/// Nothing swings above or below this, in pixels: there the screen shows names, lives and score.
pub(crate) const CLEAR_PX: (i32, i32) = (22, 258);
/// Lowest and highest line of a formation that flies in one, in pixels.
pub(crate) const LINE_PX: (i32, i32) = (50, 220);
/// Lowest and highest of a formation that is scattered, in pixels.
pub(crate) const SCATTERED_PX: (i32, i32) = (34, 226);
/// Height of what flies near the top, in pixels.
pub(crate) const TOP_PX: i32 = 34;
/// Drones that escort a warden, and the steps between them.
pub(crate) const ESCORT: (usize, u16) = (5, 16);
/// Steps before a carrier comes.
pub(crate) const CARRIER_DELAY: u16 = 30;
/// Lowest and highest carrier, in pixels.
pub(crate) const CARRIER_PX: (i32, i32) = (60, 210);
/// Up to this wave carriers bring crystals only: the first waves must arm the players.
pub(crate) const CRYSTALS_UNTIL_WAVE: u32 = 3;
/// What carriers of the first waves bring.
pub(crate) const CRYSTALS: [Kind; 3] = [Kind::RedCrystal, Kind::BlueCrystal, Kind::YellowCrystal];
/// What carriers bring if there are no crystals.
pub(crate) const WITHOUT_CRYSTALS: [Kind; 3] = [Kind::MissilePack, Kind::BitPack, Kind::SpeedUp];
/// What later carriers bring, each as often as it stands here.
pub(crate) const ITEMS: [Kind; 8] = [
    Kind::RedCrystal,
    Kind::BlueCrystal,
    Kind::YellowCrystal,
    Kind::MissilePack,
    Kind::BitPack,
    Kind::BitPack,
    Kind::SpeedUp,
    Kind::SpeedUp,
];

/// A formation that a wave may contain.
pub(crate) struct Pattern {
    /// The first wave that may contain it.
    pub from_wave: u32,
    pub kind: Kind,
    pub count: i32,
    /// Steps between two of them.
    pub gap: u16,
    pub heights: Heights,
}

/// Where a formation flies.
pub(crate) enum Heights {
    /// One behind the other.
    Line,
    /// Each at a height of its own.
    Scattered,
    /// Near the top, below what the screen shows there.
    Top,
}

/// All formations. What holds on to terrain is in none: there is no terrain, and the edges are under the score.
#[rustfmt::skip]
pub(crate) const PATTERNS: &[Pattern] = &[
    Pattern { from_wave: 1, kind: Kind::Drone, count: 6, gap: 24, heights: Heights::Line },
    Pattern { from_wave: 1, kind: Kind::Drone, count: 5, gap: 40, heights: Heights::Scattered },
    Pattern { from_wave: 2, kind: Kind::Debris, count: 5, gap: 45, heights: Heights::Scattered },
    Pattern { from_wave: 3, kind: Kind::Dart, count: 5, gap: 40, heights: Heights::Scattered },
    Pattern { from_wave: 3, kind: Kind::Mine, count: 5, gap: 60, heights: Heights::Scattered },
    Pattern { from_wave: 3, kind: Kind::Seeker, count: 4, gap: 60, heights: Heights::Scattered },
    Pattern { from_wave: 3, kind: Kind::Spore, count: 5, gap: 60, heights: Heights::Scattered },
    Pattern { from_wave: 4, kind: Kind::Splitter, count: 3, gap: 90, heights: Heights::Scattered },
    Pattern { from_wave: 4, kind: Kind::Bomber, count: 3, gap: 70, heights: Heights::Top },
    Pattern { from_wave: 4, kind: Kind::Leech, count: 7, gap: 14, heights: Heights::Line },
    Pattern { from_wave: 4, kind: Kind::Sentry, count: 1, gap: 60, heights: Heights::Scattered },
    Pattern { from_wave: 5, kind: Kind::Chaser, count: 3, gap: 50, heights: Heights::Scattered },
    Pattern { from_wave: 5, kind: Kind::Mite, count: 8, gap: 18, heights: Heights::Scattered },
    Pattern { from_wave: 6, kind: Kind::Gunship, count: 1, gap: 120, heights: Heights::Scattered },
    Pattern { from_wave: 7, kind: Kind::Hive, count: 1, gap: 120, heights: Heights::Scattered },
    Pattern { from_wave: 10, kind: Kind::Lancer, count: 2, gap: 150, heights: Heights::Scattered },
    Pattern { from_wave: 8, kind: Kind::Warden, count: 1, gap: 20, heights: Heights::Line },
    Pattern { from_wave: 9, kind: Kind::Seeker, count: 6, gap: 30, heights: Heights::Line },
];
