//! What the cues sound like: for each one the layers, when they begin, at which pitch and for how long.
//!
//! A cue is normalised to a peak. If it is driven, it is louder than that and what is above is bent back: short sounds get
//! their weight this way.

mod combat;
mod signals;

use super::{
    Cue, SAMPLE_RATE,
    filter::Filter,
    voice::{BLOCK, Layer, Note, Voice, blocks},
    wave::{Wave, sine},
};

/// A part of a cue: when it begins in milliseconds, its pitch in semitones, its length in milliseconds, and its layer.
struct CuePart(u16, i32, u16, Layer);

/// How a cue is made of its parts.
struct Recipe {
    /// Its loudest sample.
    peak: i32,
    /// How much it is driven into that peak, of 16: 16 is not at all.
    drive: i32,
    parts: &'static [CuePart],
}

const fn recipe(peak: i32, drive: i32, parts: &'static [CuePart]) -> Recipe {
    Recipe { peak, drive, parts }
}

/// The samples of a cue.
pub fn render(cue: Cue) -> Vec<i16> {
    let Some(recipe) = recipe_of(cue) else { return hum() };
    let mut sums: Vec<i32> = Vec::new();
    for CuePart(at_ms, pitch, length_ms, layer) in recipe.parts {
        let mut voice = Voice::new(layer, Note::lasting(*pitch, *length_ms));
        let mut samples = [0; BLOCK];
        let mut at = blocks(*at_ms) as usize * BLOCK;
        while voice.fill(&mut samples) {
            sums.resize(sums.len().max(at + BLOCK), 0);
            sums[at..].iter_mut().zip(&samples).for_each(|(sum, sample)| *sum += sample);
            at += BLOCK;
        }
    }
    centre(&mut sums);
    let mut driven = driven(&sums, recipe.drive);
    // What is driven on one side only has got an offset.
    centre(&mut driven);
    scaled(&driven, recipe.peak)
}

/// How a cue is made; the hum is none that fades.
const fn recipe_of(cue: Cue) -> Option<Recipe> {
    Some(match cue {
        Cue::ChargeHum => return None,
        Cue::Shot => recipe(22_200, 80, &combat::SHOT),
        Cue::RedLaser => recipe(19_100, 56, &combat::RED_LASER),
        Cue::BlueLaser => recipe(14_700, 40, &combat::BLUE_LASER),
        Cue::YellowLaser => recipe(22_000, 56, &combat::YELLOW_LASER),
        Cue::Missile => recipe(18_400, 40, &combat::MISSILE),
        Cue::BeamSmall => recipe(19_500, 44, &combat::BEAM_SMALL),
        Cue::BeamLarge => recipe(26_000, 44, &combat::BEAM_LARGE),
        Cue::BeamFull => recipe(26_100, 48, &combat::BEAM_FULL),
        Cue::ChargeFull => recipe(17_000, 16, &combat::CHARGE_FULL),
        Cue::HitMetal => recipe(17_600, 88, &combat::HIT_METAL),
        Cue::HitFlesh => recipe(22_500, 88, &combat::HIT_FLESH),
        Cue::HitRock => recipe(21_900, 96, &combat::HIT_ROCK),
        Cue::HitArmour => recipe(14_000, 40, &combat::HIT_ARMOUR),
        Cue::HitCore => recipe(24_600, 48, &combat::HIT_CORE),
        Cue::EnemyShot => recipe(22_600, 40, &combat::ENEMY_SHOT),
        Cue::EnemyBomb => recipe(19_200, 36, &combat::ENEMY_BOMB),
        Cue::EnemyLance => recipe(21_000, 32, &combat::ENEMY_LANCE),
        Cue::NearMiss => recipe(12_000, 20, &combat::NEAR_MISS),
        Cue::ExplosionSmall => recipe(24_200, 44, &combat::EXPLOSION_SMALL),
        Cue::ExplosionLarge => recipe(26_900, 52, &combat::EXPLOSION_LARGE),
        Cue::BurstSmall => recipe(24_800, 48, &combat::BURST_SMALL),
        Cue::BurstLarge => recipe(26_700, 48, &combat::BURST_LARGE),
        Cue::Crumble => recipe(24_600, 56, &combat::CRUMBLE),
        Cue::Warning => recipe(24_000, 32, &combat::WARNING),
        Cue::BossPhase => recipe(28_500, 80, &combat::BOSS_PHASE),
        Cue::CoreOpens => recipe(19_000, 24, &combat::CORE_OPENS),
        Cue::CoreCloses => recipe(22_000, 40, &combat::CORE_CLOSES),
        Cue::PartBreaks => recipe(28_500, 48, &combat::PART_BREAKS),
        Cue::BossDestroyed => recipe(29_000, 56, &combat::BOSS_DESTROYED),
        Cue::Gate => recipe(24_000, 36, &combat::GATE),
        Cue::Death => recipe(28_500, 44, &combat::DEATH),
        Cue::AllyLost => recipe(24_000, 36, &combat::ALLY_LOST),
        Cue::ItemRed => recipe(20_000, 24, &signals::ITEM_RED),
        Cue::ItemBlue => recipe(20_000, 24, &signals::ITEM_BLUE),
        Cue::ItemYellow => recipe(20_000, 24, &signals::ITEM_YELLOW),
        Cue::ItemMissiles => recipe(20_000, 24, &signals::ITEM_MISSILES),
        Cue::ItemBit => recipe(20_000, 24, &signals::ITEM_BIT),
        Cue::ItemSpeed => recipe(20_000, 24, &signals::ITEM_SPEED),
        Cue::ForceDock => recipe(25_000, 40, &signals::FORCE_DOCK),
        Cue::ForceLaunch => recipe(25_000, 40, &signals::FORCE_LAUNCH),
        Cue::ForceRecall => recipe(19_000, 28, &signals::FORCE_RECALL),
        Cue::Return => recipe(18_000, 20, &signals::RETURN),
        Cue::ExtraLife => recipe(22_000, 24, &signals::EXTRA_LIFE),
        Cue::ChainUp => recipe(17_000, 20, &signals::CHAIN_UP),
        Cue::ChainLost => recipe(15_000, 20, &signals::CHAIN_LOST),
        Cue::StageStart => recipe(22_000, 24, &signals::STAGE_START),
        Cue::Checkpoint => recipe(18_000, 20, &signals::CHECKPOINT),
        Cue::Wave => recipe(18_000, 20, &signals::WAVE),
        Cue::StageClear => recipe(24_000, 24, &signals::STAGE_CLEAR),
        Cue::Rank => recipe(23_000, 28, &signals::RANK),
        Cue::GameOver => recipe(23_000, 24, &signals::GAME_OVER),
        Cue::MenuMove => recipe(18_800, 20, &signals::MENU_MOVE),
        Cue::MenuChoose => recipe(16_000, 20, &signals::MENU_CHOOSE),
        Cue::MenuBack => recipe(14_000, 20, &signals::MENU_BACK),
        Cue::Join => recipe(17_000, 20, &signals::JOIN),
        Cue::Leave => recipe(15_000, 20, &signals::LEAVE),
        Cue::Chat => recipe(14_000, 20, &signals::CHAT),
        Cue::Pause => recipe(15_000, 20, &signals::PAUSE),
        Cue::Resume => recipe(15_000, 20, &signals::RESUME),
    })
}

/// Half a second that repeats. Its pitches fit whole periods into it, so there is no seam.
fn hum() -> Vec<i16> {
    let length = SAMPLE_RATE / 2;
    let sample = |at: u32| {
        let turn = |periods: u64| (((u64::from(at) * periods) << 32) / u64::from(length)) as u32;
        let swell = 200 + (sine(turn(6)) >> 9);
        let low = sine(turn(55).wrapping_add((sine(turn(110)) << 13) as u32));
        let high = sine(turn(165).wrapping_add((sine(turn(6)) << 13) as u32));
        let air = sine(turn(1_320).wrapping_add((sine(turn(330)) << 15) as u32));
        ((low + high / 4 + air / 10) * swell) >> 9
    };
    scaled(&(0..length).map(sample).collect::<Vec<_>>(), 13_000)
}

/// How long the end of a sound that is not a loop fades: 3 ms.
const FADE_SAMPLES: usize = 132;

/// Removes inaudible low frequencies, and fades the end.
fn centre(sums: &mut [i32]) {
    let mut slow = 0;
    for sum in sums.iter_mut() {
        // About 14 Hz at 44,100 a second, in 2^9ths.
        slow += *sum - (slow >> 9);
        *sum -= slow >> 9;
    }
    let fade = sums.len().min(FADE_SAMPLES);
    for (left, sum) in sums.iter_mut().rev().take(fade).enumerate() {
        *sum = *sum * left as i32 / fade as i32;
    }
}

/// Bends what is loud back, the more the further it is driven, of 16: what is quiet becomes louder beside it.
fn driven(sums: &[i32], drive: i32) -> Vec<i32> {
    let loudest = i64::from(loudest(sums));
    let full = i64::from(drive) << 12;
    let bend = |sum: i64| {
        // x ÷ (1 + |x| · (1 − 16 ÷ drive)): the loudest stays the loudest, and a plain one is not bent.
        let scaled = sum * full / loudest;
        let knee = scaled.abs() * i64::from(drive - 16) / i64::from(drive);
        (scaled << 16) / ((1 << 16) + knee)
    };
    sums.iter().map(|&sum| bend(i64::from(sum)) as i32).collect()
}

/// The samples, such that the loudest is `peak`.
fn scaled(sums: &[i32], peak: i32) -> Vec<i16> {
    let loudest = i64::from(loudest(sums));
    sums.iter().map(|&sum| (i64::from(sum) * i64::from(peak) / loudest) as i16).collect()
}

fn loudest(sums: &[i32]) -> i32 {
    sums.iter().map(|sum| sum.abs()).max().unwrap_or(0).max(1)
}

/// A tone that fades while its pitch slides, in semitones relative to the note.
const fn falling(wave: Wave, volume: i32, slide: (i32, i32), ms: u16) -> Layer {
    Layer::of(wave, volume).shaped(1, ms / 2, 40, ms / 3).sliding(slide.0, slide.1, ms)
}

/// A burst of noise.
const fn burst(volume: i32, slide: (i32, i32), ms: u16) -> Layer {
    Layer::of(Wave::Noise, volume).shaped(1, ms / 2, 24, ms / 3).sliding(slide.0, slide.1, ms)
}

/// A click of a few milliseconds with everything above 6 kHz in it: what makes a sound begin.
const fn snap(volume: i32, ms: u16) -> Layer {
    Layer::of(Wave::Hiss, volume).shaped(0, ms, 0, ms)
}

/// The pitch at which hiss is brightest.
const BRIGHTEST: i32 = 140;

const fn knock(at_ms: u16, volume: i32, ms: u16) -> CuePart {
    CuePart(at_ms, BRIGHTEST, ms, snap(volume, ms))
}

const fn chime(at_ms: u16, pitch: i32) -> CuePart {
    let wave = Wave::Fm { ratio: 32, depth: 3, fade_ms: 70 };
    CuePart(at_ms, pitch, 60, Layer::of(wave, 170).shaped(1, 120, 60, 110))
}

/// A soft bell that rings on.
const fn ring(at_ms: u16, pitch: i32, volume: i32) -> CuePart {
    let wave = Wave::Fm { ratio: 56, depth: 2, fade_ms: 90 };
    CuePart(at_ms, pitch, 120, Layer::of(wave, volume).shaped(1, 220, 0, 260))
}

const fn brass(at_ms: u16, pitch: i32, length_ms: u16) -> CuePart {
    let layer = Layer::of(Wave::Saw, 120).shaped(8, 300, 160, 120).trembling(40, 170, 260);
    CuePart(at_ms, pitch, length_ms, layer.through(Filter::low(26).opening(26, 90)))
}

const fn deep(at_ms: u16, pitch: i32, length_ms: u16) -> CuePart {
    CuePart(at_ms, pitch, length_ms, Layer::of(Wave::Triangle, 220).shaped(4, 500, 140, 260))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_sound_is_only_scaled() {
        let plain = driven(&[0, 50, -100, 25], 16);
        assert_eq!(scaled(&plain, 20_000), [0, 10_000, -20_000, 5_000]);
    }

    #[test]
    fn a_driven_sound_has_the_same_peak_and_more_weight() {
        let samples = scaled(&driven(&[0, 50, -100, 25], 64), 20_000);
        assert_eq!(samples[2], -20_000);
        assert!(samples[1] > 14_000 && samples[3] > 8_000, "{samples:?}");
    }
}
