//! The instruments of the songs, by the names that the songs call them.

use super::{voice::Layer, wave::Wave};

pub struct Instrument {
    pub layers: &'static [Layer],
    /// How loud its echo is three sixteenths later, of 256.
    pub echo: i32,
}

pub fn named(name: &str) -> Option<Instrument> {
    let (layers, echo): (&[Layer], i32) = match name {
        "lead" => (&LEAD, 90),
        "second" => (&SECOND, 60),
        "arp" => (&ARP, 70),
        "bell" => (&BELL, 110),
        "pad" => (&PAD, 0),
        "bass" => (&BASS, 0),
        "growl" => (&GROWL, 0),
        "kick" => (&KICK, 0),
        "snare" => (&SNARE, 0),
        "hat" => (&HAT, 0),
        "open" => (&OPEN, 0),
        "tom" => (&TOM, 0),
        "crash" => (&CRASH, 0),
        _ => return None,
    };
    Some(Instrument { layers, echo })
}

const SOFT: Layer = Layer { dull: 1, ..Layer::of(Wave::Pulse(64), 150) };

const LEAD: [Layer; 2] = [
    Layer { decay_ms: 220, sustain: 170, release_ms: 60, vibrato: (60, 170, 220), ..SOFT },
    // A second voice, slightly out of tune, makes it broader.
    Layer {
        volume: 70,
        decay_ms: 220,
        sustain: 150,
        release_ms: 60,
        bend: (14, 14, 0),
        wave: Wave::Pulse(128),
        ..SOFT
    },
];
const SECOND: [Layer; 1] =
    [Layer { volume: 100, wave: Wave::Pulse(128), decay_ms: 160, sustain: 120, release_ms: 70, dull: 2, ..SOFT }];
const ARP: [Layer; 1] =
    [Layer { volume: 62, wave: Wave::Pulse(40), attack_ms: 4, decay_ms: 500, sustain: 120, release_ms: 50, ..SOFT }];
const BELL: [Layer; 2] = [
    Layer {
        decay_ms: 260,
        sustain: 0,
        release_ms: 160,
        ..Layer::of(Wave::Fm { ratio: 56, depth: 3, fade_ms: 120 }, 120)
    },
    Layer { decay_ms: 180, sustain: 0, release_ms: 120, ..Layer::of(Wave::Triangle, 90) },
];
const PAD: [Layer; 2] = [
    Layer {
        attack_ms: 220,
        decay_ms: 900,
        sustain: 180,
        release_ms: 260,
        vibrato: (14, 310, 0),
        ..Layer::of(Wave::Fm { ratio: 16, depth: 2, fade_ms: 0 }, 62)
    },
    Layer { attack_ms: 300, sustain: 200, release_ms: 260, bend: (-16, -16, 0), ..Layer::of(Wave::Triangle, 60) },
];
const BASS: [Layer; 2] = [
    Layer { decay_ms: 140, sustain: 170, release_ms: 25, ..Layer::of(Wave::Triangle, 165) },
    Layer { decay_ms: 70, sustain: 40, release_ms: 20, dull: 3, ..Layer::of(Wave::Pulse(96), 150) },
];
const GROWL: [Layer; 2] = [
    Layer { decay_ms: 160, sustain: 150, ..Layer::of(Wave::Fm { ratio: 16, depth: 7, fade_ms: 110 }, 170) },
    Layer { decay_ms: 140, sustain: 150, release_ms: 25, ..Layer::of(Wave::Triangle, 120) },
];
const KICK: [Layer; 2] = [
    Layer { attack_ms: 1, decay_ms: 70, sustain: 0, bend: (-4 * 256, -27 * 256, 70), ..Layer::of(Wave::Triangle, 270) },
    Layer { attack_ms: 1, decay_ms: 6, sustain: 0, bend: (50 * 256, 50 * 256, 0), ..Layer::of(Wave::Noise, 90) },
];
const SNARE: [Layer; 2] = [
    Layer { attack_ms: 1, decay_ms: 65, sustain: 0, bend: (62 * 256, 56 * 256, 90), ..Layer::of(Wave::Noise, 250) },
    Layer { attack_ms: 1, decay_ms: 40, sustain: 0, bend: (0, -8 * 256, 60), ..Layer::of(Wave::Triangle, 150) },
];
const HAT: [Layer; 1] = [Layer {
    attack_ms: 1,
    decay_ms: 16,
    sustain: 0,
    release_ms: 12,
    bend: (80 * 256, 80 * 256, 0),
    ..Layer::of(Wave::Hiss, 220)
}];
const OPEN: [Layer; 1] = [Layer { decay_ms: 90, release_ms: 60, volume: 180, ..HAT[0] }];
const TOM: [Layer; 1] =
    [Layer { attack_ms: 1, decay_ms: 110, sustain: 0, bend: (0, -12 * 256, 160), ..Layer::of(Wave::Triangle, 260) }];
const CRASH: [Layer; 2] = [
    Layer { decay_ms: 420, release_ms: 380, volume: 200, ..HAT[0] },
    Layer { decay_ms: 200, sustain: 0, release_ms: 200, bend: (74 * 256, 70 * 256, 400), ..Layer::of(Wave::Noise, 70) },
];
