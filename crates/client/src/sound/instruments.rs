//! The instruments of the songs, by the names that the songs call them. Each is a few layers that sound together; a pair that
//! is out of tune and to both sides is wide.

use super::{
    filter::{Filter, Passes},
    voice::Layer,
    wave::Wave,
};

pub type Instrument = &'static [Layer];

/// The instrument of that name.
pub fn named(name: &str) -> Option<Instrument> {
    ALL.iter().find(|(known, _)| *known == name).map(|(_, layers)| *layers)
}

static ALL: [(&str, Instrument); 34] = [
    // Melody.
    ("lead", &LEAD),
    ("bright", &BRIGHT),
    ("hero", &HERO),
    ("flute", &FLUTE),
    ("reed", &REED),
    ("brass", &BRASS),
    ("whistle", &WHISTLE),
    ("second", &SECOND),
    // Harmony.
    ("pad", &PAD),
    ("strings", &STRINGS),
    ("choir", &CHOIR),
    ("organ", &ORGAN),
    ("stab", &STAB),
    // Figures.
    ("arp", &ARP),
    ("pluck", &PLUCK),
    ("bell", &BELL),
    ("glass", &GLASS),
    ("harp", &HARP),
    ("drip", &DRIP),
    // Bass.
    ("bass", &BASS),
    ("deep", &DEEP),
    ("growl", &GROWL),
    ("acid", &ACID),
    ("chug", &CHUG),
    // Drums.
    ("kick", &KICK),
    ("heart", &HEART),
    ("snare", &SNARE),
    ("clap", &CLAP),
    ("hat", &HAT),
    ("open", &OPEN),
    ("shaker", &SHAKER),
    ("tom", &TOM),
    ("anvil", &ANVIL),
    ("crash", &CRASH),
];

const LEAD_SHAPE: Layer = Layer::of(Wave::Pulse(64), 105).shaped(3, 220, 170, 70).trembling(46, 175, 220);
static LEAD: [Layer; 3] = [
    LEAD_SHAPE.through(Filter::low(44)).aside(-11, -70),
    LEAD_SHAPE.through(Filter::low(44)).aside(11, 70),
    Layer::of(Wave::Pulse(128), 60).shaped(3, 160, 140, 60).through(Filter::low(30).opening(20, 90)),
];
const BRIGHT_SHAPE: Layer =
    Layer::of(Wave::Saw, 110).shaped(4, 260, 180, 90).trembling(40, 180, 260).through(Filter::low(34).opening(22, 140));
static BRIGHT: [Layer; 3] =
    [BRIGHT_SHAPE.aside(-14, -90), BRIGHT_SHAPE.aside(14, 90), Layer { volume: 80, ..BRIGHT_SHAPE }];
static HERO: [Layer; 3] = [
    BRIGHT_SHAPE.aside(-8, -60),
    Layer::of(Wave::Pulse(90), 90)
        .shaped(5, 300, 190, 110)
        .trembling(50, 190, 240)
        .through(Filter::low(40))
        .aside(9, 60),
    // An octave below, for weight.
    Layer::of(Wave::Triangle, 90).shaped(6, 300, 190, 90).sliding(-12, -12, 0),
];
static FLUTE: [Layer; 3] = [
    Layer::of(Wave::Triangle, 190).shaped(24, 300, 200, 110).trembling(36, 200, 240),
    Layer::of(Wave::Sine, 60).shaped(30, 300, 160, 110).sliding(12, 12, 0),
    Layer::of(Wave::Noise, 26).shaped(8, 90, 50, 60).sliding(36, 36, 0).through(Filter::high(96)),
];
static REED: [Layer; 2] = [
    Layer::of(Wave::Fm { ratio: 32, depth: 3, fade_ms: 0 }, 130)
        .shaped(14, 260, 190, 90)
        .trembling(40, 210, 200)
        .aside(-5, -40),
    Layer::of(Wave::Fm { ratio: 48, depth: 2, fade_ms: 300 }, 90).shaped(10, 260, 150, 90).aside(6, 40),
];
const BRASS_SHAPE: Layer =
    Layer::of(Wave::Saw, 120).shaped(16, 260, 190, 90).through(Filter::low(22).opening(26, 110).resonant(60));
static BRASS: [Layer; 3] = [
    BRASS_SHAPE.aside(-9, -70),
    BRASS_SHAPE.aside(9, 70),
    Layer::of(Wave::Pulse(110), 60).shaped(20, 260, 180, 90).through(Filter::low(26)),
];
static WHISTLE: [Layer; 2] = [
    Layer::of(Wave::Sine, 170).shaped(20, 300, 210, 160).trembling(60, 240, 120),
    Layer::of(Wave::Sine, 36).shaped(30, 300, 150, 160).sliding(19, 19, 0),
];
static SECOND: [Layer; 2] = [
    Layer::of(Wave::Pulse(128), 80).shaped(4, 180, 130, 80).through(Filter::low(26).opening(14, 100)).aside(-8, -50),
    Layer::of(Wave::Pulse(100), 70).shaped(4, 180, 130, 80).through(Filter::low(26).opening(14, 100)).aside(8, 50),
];

const PAD_SHAPE: Layer = Layer::of(Wave::Swept(2_300), 46).shaped(220, 900, 190, 420).through(Filter::low(26));
static PAD: [Layer; 2] = [PAD_SHAPE.aside(-10, -110), PAD_SHAPE.aside(10, 110)];
const STRINGS_SHAPE: Layer =
    Layer::of(Wave::Saw, 48).shaped(110, 700, 210, 320).through(Filter::low(34).opening(10, 300));
static STRINGS: [Layer; 3] = [STRINGS_SHAPE.aside(-15, -120), STRINGS_SHAPE.aside(15, 120), STRINGS_SHAPE.aside(3, 0)];
static CHOIR: [Layer; 3] = [
    Layer::of(Wave::Fm { ratio: 16, depth: 2, fade_ms: 0 }, 60)
        .shaped(260, 900, 210, 480)
        .trembling(22, 310, 0)
        .aside(-7, -100),
    Layer::of(Wave::Fm { ratio: 32, depth: 1, fade_ms: 0 }, 60)
        .shaped(300, 900, 210, 480)
        .trembling(20, 270, 0)
        .aside(7, 100),
    Layer::of(Wave::Noise, 10).shaped(300, 900, 180, 400).sliding(40, 40, 0).through(Filter::high(100)),
];
static ORGAN: [Layer; 3] = [
    Layer::of(Wave::Sine, 80).shaped(6, 300, 230, 60).aside(0, -40),
    Layer::of(Wave::Sine, 56).shaped(6, 300, 220, 60).sliding(12, 12, 0),
    Layer::of(Wave::Sine, 34).shaped(4, 60, 90, 40).sliding(19, 19, 0),
];
static STAB: [Layer; 2] = [
    Layer::of(Wave::Saw, 80)
        .shaped(2, 140, 60, 70)
        .through(Filter::low(24).opening(34, 70).resonant(80))
        .aside(-12, -100),
    Layer::of(Wave::Saw, 80)
        .shaped(2, 140, 60, 70)
        .through(Filter::low(24).opening(34, 70).resonant(80))
        .aside(12, 100),
];

static ARP: [Layer; 1] = [Layer::of(Wave::Pulse(40), 100).shaped(2, 90, 60, 50).through(Filter::low(46))];
const PLUCK_SHAPE: Layer =
    Layer::of(Wave::Saw, 110).shaped(1, 130, 20, 90).through(Filter::low(14).opening(46, 60).resonant(110));
static PLUCK: [Layer; 2] = [PLUCK_SHAPE.aside(-9, -60), PLUCK_SHAPE.aside(9, 60)];
static BELL: [Layer; 2] = [
    Layer::of(Wave::Fm { ratio: 56, depth: 3, fade_ms: 130 }, 110).shaped(1, 280, 0, 260).aside(0, -30),
    Layer::of(Wave::Sine, 90).shaped(1, 360, 0, 300).aside(4, 30),
];
static GLASS: [Layer; 3] = [
    Layer::of(Wave::Sine, 110).shaped(2, 420, 0, 380).aside(-4, -80),
    Layer::of(Wave::Sine, 44).shaped(1, 160, 0, 160).sliding(28, 28, 0),
    Layer::of(Wave::Fm { ratio: 112, depth: 1, fade_ms: 60 }, 60).shaped(1, 90, 0, 90).aside(5, 80),
];
static HARP: [Layer; 2] = [
    Layer::of(Wave::Triangle, 150).shaped(1, 320, 0, 260),
    Layer::of(Wave::Fm { ratio: 32, depth: 4, fade_ms: 40 }, 70).shaped(1, 120, 0, 120),
];
static DRIP: [Layer; 1] = [Layer::of(Wave::Sine, 150).shaped(1, 70, 0, 60).sliding(-3, 9, 60)];

static BASS: [Layer; 3] = [
    Layer::of(Wave::Triangle, 170).shaped(2, 160, 190, 30),
    Layer::of(Wave::Pulse(96), 90).shaped(2, 120, 90, 25).through(Filter::low(14).opening(34, 50)),
    Layer::of(Wave::Noise, 30).shaped(1, 6, 0, 5).sliding(60, 60, 0),
];
static DEEP: [Layer; 2] = [
    Layer::of(Wave::Sine, 220).shaped(8, 400, 210, 90),
    Layer::of(Wave::Triangle, 60).shaped(8, 300, 160, 80).through(Filter::low(20)),
];
static GROWL: [Layer; 2] = [
    Layer::of(Wave::Fm { ratio: 16, depth: 7, fade_ms: 110 }, 130).shaped(1, 170, 150, 30),
    Layer::of(Wave::Triangle, 150).shaped(2, 150, 170, 30),
];
static ACID: [Layer; 2] = [
    Layer::of(Wave::Saw, 130).shaped(2, 180, 120, 30).through(Filter::low(10).opening(40, 70).resonant(170)),
    Layer::of(Wave::Sine, 130).shaped(2, 200, 180, 30),
];
static CHUG: [Layer; 3] = [
    Layer::of(Wave::Saw, 90).shaped(1, 110, 110, 25).through(Filter::low(22).opening(26, 40)).aside(-10, -100),
    Layer::of(Wave::Saw, 90).shaped(1, 110, 110, 25).through(Filter::low(22).opening(26, 40)).aside(10, 100),
    Layer::of(Wave::Triangle, 150).shaped(1, 140, 180, 25),
];

static KICK: [Layer; 3] = [
    Layer::of(Wave::Sine, 330).shaped(1, 90, 0, 60).sliding(-3, -26, 55),
    Layer::of(Wave::Triangle, 90).shaped(1, 20, 0, 20).sliding(24, -12, 22),
    Layer::of(Wave::Noise, 90).shaped(1, 4, 0, 4).sliding(62, 62, 0),
];
static HEART: [Layer; 2] = [
    Layer::of(Wave::Sine, 300).shaped(6, 110, 0, 80).sliding(-14, -30, 90),
    Layer::of(Wave::Noise, 60).shaped(6, 50, 0, 40).sliding(0, -12, 80),
];
static SNARE: [Layer; 3] = [
    Layer::of(Wave::Noise, 210).shaped(1, 70, 0, 70).sliding(62, 56, 90).through(Filter::high(72)),
    Layer::of(Wave::Triangle, 170).shaped(1, 38, 0, 30).sliding(2, -8, 50),
    Layer::of(Wave::Hiss, 90).shaped(1, 30, 0, 60).sliding(80, 80, 0),
];
static CLAP: [Layer; 2] = [
    Layer::of(Wave::Noise, 170).shaped(6, 60, 0, 70).sliding(58, 58, 0).through(BAND).aside(0, -50),
    Layer::of(Wave::Noise, 170).shaped(14, 50, 0, 70).sliding(60, 60, 0).through(BAND).aside(1, 50),
];
const BAND: Filter = Filter { passes: Passes::Band, cutoff: 92, is_fixed: true, ..Filter::low(0) }.resonant(90);
const HISS: Layer = Layer::of(Wave::Hiss, 230).sliding(80, 80, 0);
static HAT: [Layer; 1] = [HISS.shaped(1, 18, 0, 14)];
static OPEN: [Layer; 1] = [HISS.shaped(1, 95, 0, 60)];
static SHAKER: [Layer; 1] = [HISS.shaped(14, 26, 0, 20)];
static TOM: [Layer; 2] = [
    Layer::of(Wave::Sine, 280).shaped(1, 130, 0, 80).sliding(4, -10, 150),
    Layer::of(Wave::Noise, 50).shaped(1, 12, 0, 10).sliding(50, 44, 20),
];
static ANVIL: [Layer; 3] = [
    Layer::of(Wave::Fm { ratio: 37, depth: 9, fade_ms: 120 }, 130)
        .shaped(1, 160, 0, 140)
        .sliding(22, 22, 0)
        .aside(0, -60),
    Layer::of(Wave::Fm { ratio: 53, depth: 6, fade_ms: 90 }, 100)
        .shaped(1, 120, 0, 100)
        .sliding(29, 29, 0)
        .aside(1, 60),
    Layer::of(Wave::Hiss, 120).shaped(1, 12, 0, 10).sliding(80, 80, 0),
];
static CRASH: [Layer; 3] = [
    HISS.shaped(1, 520, 0, 420).aside(80 * 256, -90),
    HISS.shaped(1, 560, 0, 420).aside(80 * 256 + 9, 90),
    Layer::of(Wave::Noise, 70).shaped(1, 220, 0, 200).sliding(74, 70, 400),
];
