//! Shots, hits, explosions and bosses.

use super::{CuePart, Filter, Layer, Wave, burst, falling, knock};

pub(super) static SHOT: [CuePart; 4] = [
    knock(0, 190, 16),
    CuePart(0, 86, 60, falling(Wave::Pulse(64), 170, (0, -28), 110)),
    CuePart(0, 98, 16, falling(Wave::Saw, 110, (0, -20), 40)),
    CuePart(0, 50, 24, falling(Wave::Triangle, 130, (6, -14), 50)),
];
pub(super) static RED_LASER: [CuePart; 4] = [
    knock(0, 160, 12),
    CuePart(0, 79, 110, falling(Wave::Saw, 150, (12, -10), 150).trembling(240, 26, 0)),
    CuePart(0, 91, 90, falling(Wave::Fm { ratio: 24, depth: 8, fade_ms: 80 }, 130, (5, -17), 140)),
    CuePart(0, 55, 60, falling(Wave::Triangle, 130, (0, -12), 90)),
];
pub(super) static BLUE_LASER: [CuePart; 4] = [
    knock(0, 150, 10),
    CuePart(0, 96, 70, falling(Wave::Fm { ratio: 40, depth: 5, fade_ms: 70 }, 170, (0, -7), 110)),
    CuePart(40, 103, 60, falling(Wave::Sine, 120, (0, -5), 100)),
    CuePart(0, 84, 50, falling(Wave::Pulse(40), 110, (0, 12), 80)),
];
pub(super) static YELLOW_LASER: [CuePart; 4] = [
    knock(0, 150, 10),
    CuePart(0, 67, 120, falling(Wave::Saw, 150, (0, 19), 150).through(Filter::low(20).opening(40, 70).resonant(170))),
    CuePart(0, 74, 110, falling(Wave::Pulse(90), 90, (0, 19), 150).trembling(180, 34, 0)),
    CuePart(0, 55, 50, falling(Wave::Triangle, 110, (0, 7), 80)),
];
pub(super) static MISSILE: [CuePart; 3] = [
    knock(0, 120, 14),
    CuePart(10, 112, 150, burst(150, (-16, 6), 200).through(Filter::high(82))),
    CuePart(0, 60, 120, falling(Wave::Pulse(128), 110, (-10, 14), 180)),
];
pub(super) static BEAM_SMALL: [CuePart; 4] = [
    knock(0, 220, 60),
    CuePart(0, 79, 120, falling(Wave::Fm { ratio: 24, depth: 8, fade_ms: 120 }, 180, (5, -24), 190)),
    CuePart(0, 60, 100, falling(Wave::Saw, 110, (7, -12), 160).through(Filter::low(40))),
    CuePart(0, 118, 70, burst(110, (0, -30), 160)),
];
pub(super) static BEAM_LARGE: [CuePart; 5] = [
    knock(0, 230, 110),
    CuePart(0, 74, 220, falling(Wave::Fm { ratio: 24, depth: 10, fade_ms: 220 }, 190, (7, -29), 340)),
    CuePart(0, 50, 240, falling(Wave::Saw, 150, (12, -12), 320).through(Filter::low(34).opening(20, 120))),
    CuePart(0, 118, 150, burst(130, (0, -36), 320)),
    CuePart(0, 41, 200, falling(Wave::Sine, 200, (12, -8), 260)),
];
pub(super) static BEAM_FULL: [CuePart; 6] = [
    knock(0, 240, 220),
    CuePart(0, 72, 420, falling(Wave::Fm { ratio: 24, depth: 13, fade_ms: 420 }, 180, (12, -31), 620)),
    CuePart(0, 46, 420, falling(Wave::Saw, 170, (14, -12), 560).through(Filter::low(36).opening(26, 200).resonant(90))),
    CuePart(0, 46, 420, falling(Wave::Pulse(100), 110, (14, -11), 570)),
    CuePart(0, 120, 300, burst(150, (0, -40), 620)),
    CuePart(0, 36, 420, falling(Wave::Sine, 260, (16, -10), 460)),
];
pub(super) static CHARGE_FULL: [CuePart; 3] = [
    CuePart(0, 88, 50, falling(Wave::Fm { ratio: 56, depth: 2, fade_ms: 80 }, 150, (0, 0), 260)),
    CuePart(50, 95, 60, falling(Wave::Fm { ratio: 56, depth: 2, fade_ms: 90 }, 150, (0, 0), 420)),
    CuePart(50, 107, 40, falling(Wave::Sine, 60, (0, 0), 300)),
];
pub(super) static HIT_METAL: [CuePart; 3] = [
    knock(0, 220, 14),
    CuePart(0, 81, 50, falling(Wave::Fm { ratio: 37, depth: 8, fade_ms: 30 }, 170, (0, -4), 100)),
    CuePart(0, 57, 20, falling(Wave::Triangle, 150, (5, -10), 45)),
];
pub(super) static HIT_FLESH: [CuePart; 3] = [
    knock(0, 170, 12),
    CuePart(0, 96, 34, burst(190, (0, -34), 70).through(Filter::low(6).resonant(120))),
    CuePart(0, 58, 60, falling(Wave::Sine, 190, (9, -14), 110)),
];
pub(super) static HIT_ROCK: [CuePart; 3] = [
    knock(0, 200, 14),
    CuePart(0, 110, 60, burst(220, (0, -22), 120)),
    CuePart(0, 52, 50, falling(Wave::Triangle, 170, (4, -9), 60)),
];
pub(super) static HIT_ARMOUR: [CuePart; 3] = [
    knock(0, 170, 6),
    CuePart(0, 97, 70, falling(Wave::Fm { ratio: 53, depth: 5, fade_ms: 70 }, 150, (0, 3), 150)),
    CuePart(0, 104, 50, falling(Wave::Sine, 90, (0, 5), 120)),
];
pub(super) static HIT_CORE: [CuePart; 4] = [
    knock(0, 220, 24),
    CuePart(0, 69, 60, falling(Wave::Fm { ratio: 23, depth: 12, fade_ms: 60 }, 190, (12, -7), 110)),
    CuePart(0, 88, 40, falling(Wave::Pulse(80), 110, (0, -12), 80)),
    CuePart(0, 45, 50, falling(Wave::Sine, 200, (10, -12), 80)),
];
pub(super) static ENEMY_SHOT: [CuePart; 3] = [
    knock(0, 90, 6),
    CuePart(0, 74, 46, falling(Wave::Pulse(100), 170, (0, -14), 80).through(Filter::low(28))),
    CuePart(0, 116, 30, burst(60, (0, -20), 160)),
];
pub(super) static ENEMY_BOMB: [CuePart; 3] = [
    knock(0, 90, 6),
    CuePart(0, 84, 260, falling(Wave::Sine, 170, (0, -22), 300).trembling(60, 40, 0)),
    CuePart(0, 120, 120, burst(230, (0, -12), 300)),
];
pub(super) static ENEMY_LANCE: [CuePart; 4] = [
    knock(0, 210, 60),
    CuePart(0, 55, 180, falling(Wave::Saw, 170, (24, -5), 130).through(Filter::low(30).opening(30, 80))),
    CuePart(0, 62, 170, falling(Wave::Fm { ratio: 21, depth: 12, fade_ms: 160 }, 150, (19, -9), 240)),
    CuePart(0, 110, 80, burst(120, (0, -20), 220)),
];
pub(super) static NEAR_MISS: [CuePart; 2] = [
    CuePart(0, 118, 60, Layer::of(Wave::Hiss, 190).shaped(26, 40, 0, 50).sliding(8, 20, 90)),
    CuePart(0, 96, 50, Layer::of(Wave::Sine, 50).shaped(20, 40, 0, 40).sliding(6, -6, 90)),
];
pub(super) static EXPLOSION_SMALL: [CuePart; 4] = [
    knock(0, 230, 60),
    CuePart(0, 112, 90, burst(220, (0, -44), 320)),
    CuePart(0, 52, 70, falling(Wave::Sine, 240, (8, -22), 200)),
    CuePart(30, 122, 60, burst(90, (0, -20), 300).through(Filter::high(96))),
];
pub(super) static EXPLOSION_LARGE: [CuePart; 6] = [
    knock(0, 240, 160),
    CuePart(0, 114, 200, burst(220, (0, -56), 900)),
    CuePart(90, 102, 260, burst(190, (0, -48), 1_100)),
    CuePart(0, 46, 260, falling(Wave::Sine, 280, (10, -22), 620)),
    CuePart(240, 96, 300, burst(150, (0, -40), 1_200)),
    CuePart(60, 124, 200, burst(90, (0, -24), 900).through(Filter::high(98))),
];
pub(super) static BURST_SMALL: [CuePart; 4] = [
    knock(0, 190, 40),
    CuePart(0, 92, 90, burst(220, (0, -30), 220).through(Filter::low(8).opening(20, 60).resonant(150))),
    CuePart(0, 60, 80, falling(Wave::Sine, 200, (4, -19), 150).trembling(300, 36, 0)),
    CuePart(50, 116, 60, burst(110, (0, -26), 180)),
];
pub(super) static BURST_LARGE: [CuePart; 5] = [
    knock(0, 210, 110),
    CuePart(0, 96, 240, burst(230, (0, -40), 700).through(Filter::low(8).opening(26, 160).resonant(160))),
    CuePart(0, 50, 240, falling(Wave::Sine, 260, (10, -24), 480).trembling(380, 60, 40)),
    CuePart(120, 106, 220, burst(170, (0, -36), 640)),
    CuePart(200, 62, 160, falling(Wave::Sine, 120, (12, -12), 300).trembling(400, 44, 0)),
];
pub(super) static CRUMBLE: [CuePart; 5] = [
    knock(0, 210, 40),
    CuePart(0, 100, 60, burst(220, (0, -26), 180)),
    CuePart(60, 108, 40, burst(150, (0, -20), 120)),
    CuePart(120, 96, 60, burst(120, (0, -20), 160)),
    CuePart(0, 43, 50, falling(Wave::Triangle, 190, (5, -10), 120)),
];

pub(super) static WARNING: [CuePart; 9] = [
    siren(0),
    siren(420),
    siren(840),
    low_siren(0),
    low_siren(420),
    low_siren(840),
    knock(0, 90, 20),
    knock(420, 90, 20),
    knock(840, 90, 20),
];

const fn siren(at_ms: u16) -> CuePart {
    let layer = Layer::of(Wave::Pulse(96), 150).shaped(10, 300, 200, 40).sliding(0, 5, 300);
    CuePart(at_ms, 67, 320, layer.through(Filter::low(44)))
}

const fn low_siren(at_ms: u16) -> CuePart {
    let wave = Wave::Fm { ratio: 16, depth: 6, fade_ms: 0 };
    CuePart(at_ms, 43, 320, Layer::of(wave, 170).shaped(10, 60, 200, 40).sliding(0, 5, 300))
}

pub(super) static BOSS_PHASE: [CuePart; 6] = [
    knock(0, 190, 20),
    CuePart(
        0,
        38,
        700,
        Layer::of(Wave::Saw, 170)
            .shaped(20, 500, 150, 300)
            .sliding(-5, 7, 700)
            .through(Filter::low(20).opening(40, 300).resonant(120)),
    ),
    CuePart(
        0,
        45,
        700,
        Layer::of(Wave::Fm { ratio: 23, depth: 10, fade_ms: 500 }, 150).shaped(20, 500, 120, 300).sliding(-5, 6, 700),
    ),
    CuePart(420, 68, 240, falling(Wave::Pulse(90), 120, (0, 1), 420)),
    CuePart(420, 69, 240, falling(Wave::Pulse(90), 120, (0, -1), 420)),
    CuePart(0, 112, 160, burst(120, (0, -30), 600)),
];
pub(super) static CORE_OPENS: [CuePart; 4] = [
    knock(0, 110, 8),
    CuePart(
        0,
        62,
        160,
        falling(Wave::Saw, 120, (-12, 12), 220).through(Filter::low(24).opening(20, 120).resonant(140)),
    ),
    CuePart(120, 81, 80, falling(Wave::Fm { ratio: 32, depth: 4, fade_ms: 120 }, 150, (0, 0), 260)),
    CuePart(200, 88, 80, falling(Wave::Fm { ratio: 32, depth: 4, fade_ms: 120 }, 150, (0, 0), 320)),
];
pub(super) static CORE_CLOSES: [CuePart; 3] = [
    CuePart(0, 74, 120, falling(Wave::Saw, 120, (0, -24), 170).through(Filter::low(24).resonant(120))),
    knock(150, 130, 9),
    CuePart(150, 43, 40, falling(Wave::Triangle, 210, (6, -9), 90)),
];
pub(super) static PART_BREAKS: [CuePart; 6] = [
    knock(0, 220, 20),
    CuePart(0, 112, 160, burst(220, (0, -46), 620)),
    CuePart(0, 67, 260, falling(Wave::Fm { ratio: 37, depth: 12, fade_ms: 300 }, 190, (5, -16), 520)),
    CuePart(0, 46, 180, falling(Wave::Sine, 270, (10, -20), 420)),
    CuePart(160, 84, 160, falling(Wave::Fm { ratio: 53, depth: 8, fade_ms: 160 }, 120, (0, -12), 360)),
    CuePart(260, 118, 120, burst(110, (0, -30), 420)),
];
pub(super) static BOSS_DESTROYED: [CuePart; 11] = [
    knock(0, 240, 160),
    CuePart(0, 114, 300, burst(220, (0, -50), 1_200)),
    CuePart(0, 43, 500, falling(Wave::Sine, 290, (14, -20), 900)),
    knock(380, 180, 20),
    CuePart(380, 110, 300, burst(210, (0, -46), 1_100)),
    CuePart(380, 48, 300, falling(Wave::Sine, 240, (10, -22), 700)),
    knock(760, 220, 30),
    CuePart(760, 116, 500, burst(230, (0, -60), 2_000)),
    CuePart(760, 38, 700, falling(Wave::Sine, 320, (18, -18), 1_300)),
    CuePart(0, 79, 1_100, falling(Wave::Fm { ratio: 21, depth: 12, fade_ms: 900 }, 120, (0, -48), 1_500)),
    CuePart(800, 124, 500, burst(100, (0, -20), 1_800).through(Filter::high(98))),
];
pub(super) static GATE: [CuePart; 4] = [
    knock(0, 130, 12),
    CuePart(0, 40, 60, falling(Wave::Triangle, 220, (6, -8), 140)),
    CuePart(
        40,
        33,
        620,
        Layer::of(Wave::Saw, 150).shaped(60, 500, 170, 160).sliding(0, 4, 600).through(Filter::low(26).resonant(90)),
    ),
    CuePart(40, 88, 620, Layer::of(Wave::Noise, 70).shaped(60, 400, 120, 160).trembling(500, 90, 0)),
];
pub(super) static DEATH: [CuePart; 6] = [
    knock(0, 240, 140),
    CuePart(0, 112, 120, burst(210, (0, -52), 800)),
    CuePart(0, 76, 520, falling(Wave::Pulse(128), 120, (0, -44), 760)),
    CuePart(40, 60, 300, falling(Wave::Fm { ratio: 23, depth: 12, fade_ms: 500 }, 170, (0, -36), 900)),
    CuePart(200, 94, 260, burst(170, (0, -40), 1_000)),
    CuePart(0, 43, 300, falling(Wave::Sine, 240, (12, -19), 600)),
];
pub(super) static ALLY_LOST: [CuePart; 4] = [
    knock(0, 150, 16),
    CuePart(0, 106, 110, burst(200, (0, -44), 500)),
    CuePart(0, 70, 260, falling(Wave::Pulse(128), 110, (0, -30), 420)),
    CuePart(0, 45, 160, falling(Wave::Sine, 200, (8, -16), 320)),
];
