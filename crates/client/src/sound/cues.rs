//! The cues: for each one the layers, when they begin, at which pitch and for how long.

use super::{
    Cue, SAMPLE_RATE,
    mix::Mix,
    voice::{self, Layer, Note},
    wave::{Wave, samples, sine},
};

/// A part of a cue: when it begins in milliseconds, its pitch in semitones, its length in milliseconds, and its layer.
struct Part(u16, i32, u16, Layer);

const SEMITONE: i32 = 256;

/// The samples of a cue.
pub fn render(cue: Cue) -> Vec<i16> {
    if cue.is_loop() {
        return hum();
    }
    let (peak, parts) = parts(cue);
    let mut mix = Mix::line();
    for Part(at_ms, pitch, length_ms, layer) in parts {
        let note = Note { pitch: *pitch, length: samples(*length_ms), chord: [0; 3], volume: 256 };
        voice::play(layer, note, samples(*at_ms), &mut mix);
    }
    mix.finish(peak)
}

/// Half a second that repeats. Its pitches fit whole periods into it, so there is no seam.
fn hum() -> Vec<i16> {
    let length = SAMPLE_RATE / 2;
    let mut mix = Mix::ring(length);
    for at in 0..length {
        let turn = |periods: u64| (((u64::from(at) * periods) << 32) / u64::from(length)) as u32;
        let swell = 200 + (sine(turn(6)) >> 9);
        let low = sine(turn(55).wrapping_add((sine(turn(110)) << 13) as u32));
        let high = sine(turn(165).wrapping_add((sine(turn(6)) << 13) as u32));
        mix.add(at, ((low + high / 4) * swell) >> 9);
    }
    mix.finish(13_000)
}

/// The loudest sample of a cue and its parts.
const fn parts(cue: Cue) -> (i32, &'static [Part]) {
    match cue {
        Cue::Shot => (9_500, &SHOT),
        Cue::Beam => (23_000, &BEAM),
        Cue::ChargeHum => (0, &[]),
        Cue::Hit => (11_000, &HIT),
        Cue::ExplosionSmall => (20_000, &EXPLOSION_SMALL),
        Cue::ExplosionLarge => (28_000, &EXPLOSION_LARGE),
        Cue::Item => (16_000, &ITEM),
        Cue::ForceDock => (16_000, &FORCE_DOCK),
        Cue::ForceLaunch => (16_000, &FORCE_LAUNCH),
        Cue::Death => (27_000, &DEATH),
        Cue::ExtraLife => (19_000, &EXTRA_LIFE),
        Cue::MenuMove => (9_000, &MENU_MOVE),
        Cue::MenuChoose => (13_000, &MENU_CHOOSE),
        Cue::Chat => (10_000, &CHAT),
        Cue::Warning => (21_000, &WARNING),
        Cue::StageClear => (21_000, &STAGE_CLEAR),
        Cue::GameOver => (20_000, &GAME_OVER),
    }
}

const SHOT: [Part; 2] = [
    Part(0, 84, 45, falling(Wave::Pulse(64), 150, 0, -26, 90)),
    Part(0, 126, 8, Layer { attack_ms: 1, decay_ms: 10, sustain: 0, release_ms: 10, ..Layer::of(Wave::Hiss, 60) }),
];
const BEAM: [Part; 3] = [
    Part(0, 72, 260, falling(Wave::Fm { ratio: 24, depth: 10, fade_ms: 260 }, 190, 7, -31, 420)),
    Part(0, 48, 300, falling(Wave::Pulse(128), 120, 12, -12, 360)),
    Part(0, 116, 160, burst(120, 0, -36, 380)),
];
const HIT: [Part; 2] =
    [Part(0, 110, 20, burst(170, 0, -12, 40)), Part(0, 79, 18, falling(Wave::Triangle, 160, 0, -8, 40))];
const EXPLOSION_SMALL: [Part; 2] =
    [Part(0, 108, 90, burst(220, 0, -44, 330)), Part(0, 52, 70, falling(Wave::Triangle, 200, 0, -24, 220))];
const EXPLOSION_LARGE: [Part; 4] = [
    Part(0, 112, 180, burst(220, 0, -56, 900)),
    Part(90, 100, 260, burst(190, 0, -48, 1_100)),
    Part(0, 46, 260, falling(Wave::Triangle, 220, 0, -22, 700)),
    Part(240, 94, 300, burst(150, 0, -40, 1_200)),
];
const ITEM: [Part; 4] = [chime(0, 76), chime(55, 79), chime(110, 83), chime(165, 88)];
const FORCE_DOCK: [Part; 3] = [
    Part(0, 50, 40, falling(Wave::Fm { ratio: 35, depth: 8, fade_ms: 60 }, 210, 0, -5, 80)),
    Part(45, 62, 60, falling(Wave::Fm { ratio: 35, depth: 5, fade_ms: 90 }, 170, 0, 0, 80)),
    Part(0, 112, 12, burst(110, 0, -10, 30)),
];
const FORCE_LAUNCH: [Part; 2] = [
    Part(0, 50, 150, falling(Wave::Fm { ratio: 16, depth: 6, fade_ms: 200 }, 190, -7, 26, 240)),
    Part(0, 104, 90, burst(90, 0, 26, 200)),
];
const DEATH: [Part; 4] = [
    Part(0, 112, 120, burst(210, 0, -52, 800)),
    Part(0, 76, 520, falling(Wave::Pulse(128), 120, 0, -44, 760)),
    Part(40, 60, 300, falling(Wave::Fm { ratio: 23, depth: 12, fade_ms: 500 }, 170, 0, -36, 900)),
    Part(200, 92, 260, burst(170, 0, -40, 1_000)),
];
const EXTRA_LIFE: [Part; 6] =
    [chime(0, 72), chime(75, 76), chime(150, 79), chime(225, 84), chime(300, 79), chime(375, 88)];
const MENU_MOVE: [Part; 1] = [Part(0, 81, 18, falling(Wave::Pulse(64), 130, 0, 2, 30))];
const MENU_CHOOSE: [Part; 2] = [chime(0, 76), chime(70, 83)];
const CHAT: [Part; 2] = [chime(0, 86), chime(60, 91)];
const WARNING: [Part; 6] = [siren(0), siren(420), siren(840), low_siren(0), low_siren(420), low_siren(840)];
const STAGE_CLEAR: [Part; 13] = [
    brass(0, 67, 110),
    brass(130, 67, 60),
    brass(200, 67, 60),
    brass(270, 72, 240),
    brass(540, 70, 240),
    brass(810, 74, 240),
    brass(1_080, 76, 900),
    brass(1_080, 72, 900),
    brass(1_080, 67, 900),
    brass(270, 64, 240),
    brass(540, 65, 240),
    brass(810, 67, 240),
    Part(1_080, 48, 900, Layer { decay_ms: 500, sustain: 120, release_ms: 300, ..Layer::of(Wave::Triangle, 200) }),
];
const GAME_OVER: [Part; 9] = [
    brass(0, 69, 260),
    brass(300, 67, 260),
    brass(600, 64, 260),
    brass(900, 62, 500),
    brass(1_440, 57, 1_100),
    brass(1_440, 60, 1_100),
    brass(1_440, 52, 1_100),
    Part(0, 45, 860, Layer { decay_ms: 500, sustain: 140, release_ms: 200, ..Layer::of(Wave::Triangle, 180) }),
    Part(1_440, 33, 1_100, Layer { decay_ms: 600, sustain: 120, release_ms: 300, ..Layer::of(Wave::Triangle, 220) }),
];

/// A tone that fades while its pitch slides, in semitones relative to the note.
const fn falling(wave: Wave, volume: i32, from: i32, to: i32, ms: u16) -> Layer {
    let bend = (from * SEMITONE, to * SEMITONE, ms);
    Layer { attack_ms: 1, decay_ms: ms / 2, sustain: 60, release_ms: ms / 3, bend, ..Layer::of(wave, volume) }
}

/// A burst of noise.
const fn burst(volume: i32, from: i32, to: i32, ms: u16) -> Layer {
    let bend = (from * SEMITONE, to * SEMITONE, ms);
    Layer { attack_ms: 1, decay_ms: ms / 2, sustain: 30, release_ms: ms / 3, bend, ..Layer::of(Wave::Noise, volume) }
}

const fn chime(at_ms: u16, pitch: i32) -> Part {
    let wave = Wave::Fm { ratio: 32, depth: 3, fade_ms: 70 };
    Part(at_ms, pitch, 60, Layer { decay_ms: 120, sustain: 60, release_ms: 90, ..Layer::of(wave, 170) })
}

const fn brass(at_ms: u16, pitch: i32, length_ms: u16) -> Part {
    let vibrato = (50, 170, 260);
    let layer = Layer {
        attack_ms: 8,
        decay_ms: 300,
        sustain: 150,
        release_ms: 110,
        vibrato,
        ..Layer::of(Wave::Pulse(70), 120)
    };
    Part(at_ms, pitch, length_ms, Layer { dull: 1, ..layer })
}

const fn siren(at_ms: u16) -> Part {
    let bend = (0, 5 * SEMITONE, 300);
    let layer =
        Layer { attack_ms: 10, decay_ms: 300, sustain: 200, release_ms: 30, bend, ..Layer::of(Wave::Pulse(96), 150) };
    Part(at_ms, 67, 320, Layer { dull: 1, ..layer })
}

const fn low_siren(at_ms: u16) -> Part {
    let wave = Wave::Fm { ratio: 16, depth: 6, fade_ms: 0 };
    Part(at_ms, 43, 320, Layer { attack_ms: 10, sustain: 200, bend: (0, 5 * SEMITONE, 300), ..Layer::of(wave, 170) })
}
