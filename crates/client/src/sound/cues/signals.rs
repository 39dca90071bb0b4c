//! Items, the Force, score, stages, menus and company: sounds that mean something.

use super::{CuePart, Filter, Layer, Wave, brass, burst, chime, deep, falling, knock, ring};

// A crystal rings a chord of its own; what is not a crystal has a rhythm of its own.
pub(super) static ITEM_RED: [CuePart; 5] =
    [knock(0, 70, 6), chime(0, 76), chime(55, 80), chime(110, 83), ring(165, 88, 150)];
pub(super) static ITEM_BLUE: [CuePart; 5] =
    [knock(0, 70, 6), chime(0, 79), chime(55, 83), chime(110, 86), ring(165, 91, 150)];
pub(super) static ITEM_YELLOW: [CuePart; 5] =
    [knock(0, 70, 6), chime(0, 74), chime(55, 78), chime(110, 81), ring(165, 86, 150)];
pub(super) static ITEM_MISSILES: [CuePart; 5] =
    [knock(0, 70, 6), chime(0, 83), chime(60, 83), chime(120, 83), ring(180, 90, 150)];
pub(super) static ITEM_BIT: [CuePart; 4] = [knock(0, 70, 6), chime(0, 72), chime(70, 84), ring(140, 96, 130)];
pub(super) static ITEM_SPEED: [CuePart; 4] = [
    knock(0, 90, 8),
    CuePart(0, 69, 220, falling(Wave::Pulse(80), 150, (0, 24), 260)),
    CuePart(40, 112, 160, burst(80, (-12, 14), 260)),
    ring(200, 93, 140),
];
pub(super) static FORCE_DOCK: [CuePart; 4] = [
    knock(0, 150, 12),
    CuePart(0, 50, 40, falling(Wave::Fm { ratio: 35, depth: 8, fade_ms: 60 }, 210, (0, -5), 90)),
    CuePart(45, 62, 60, falling(Wave::Fm { ratio: 35, depth: 5, fade_ms: 90 }, 170, (0, 0), 120)),
    CuePart(0, 38, 50, falling(Wave::Sine, 220, (12, -5), 110)),
];
pub(super) static FORCE_LAUNCH: [CuePart; 3] = [
    knock(0, 130, 12),
    CuePart(0, 50, 150, falling(Wave::Fm { ratio: 16, depth: 6, fade_ms: 200 }, 190, (-7, 26), 240)),
    CuePart(0, 106, 90, burst(110, (0, 26), 220)),
];
pub(super) static FORCE_RECALL: [CuePart; 3] = [
    CuePart(0, 79, 160, falling(Wave::Fm { ratio: 16, depth: 4, fade_ms: 200 }, 170, (0, -19), 240)),
    CuePart(0, 118, 120, Layer::of(Wave::Hiss, 110).shaped(70, 60, 0, 60).sliding(10, -10, 220)),
    CuePart(120, 74, 50, falling(Wave::Sine, 90, (0, 12), 120)),
];
pub(super) static RETURN: [CuePart; 3] = [
    CuePart(
        0,
        60,
        420,
        Layer::of(Wave::Saw, 90)
            .shaped(200, 300, 120, 200)
            .sliding(-12, 12, 440)
            .through(Filter::low(24).opening(20, 300)),
    ),
    ring(320, 84, 130),
    ring(400, 91, 130),
];
pub(super) static EXTRA_LIFE: [CuePart; 8] = [
    knock(0, 60, 6),
    chime(0, 72),
    chime(75, 76),
    chime(150, 79),
    chime(225, 84),
    chime(300, 79),
    ring(375, 88, 190),
    ring(375, 84, 120),
];
pub(super) static CHAIN_UP: [CuePart; 3] = [knock(0, 60, 5), ring(0, 88, 130), ring(60, 95, 140)];
pub(super) static CHAIN_LOST: [CuePart; 2] = [
    CuePart(0, 76, 70, falling(Wave::Pulse(128), 110, (0, -3), 120).through(Filter::low(30))),
    CuePart(90, 69, 110, falling(Wave::Pulse(128), 110, (0, -7), 200).through(Filter::low(26))),
];
pub(super) static STAGE_START: [CuePart; 9] = [
    knock(0, 150, 18),
    brass(0, 64, 130),
    brass(150, 64, 60),
    brass(230, 71, 420),
    brass(230, 67, 420),
    brass(230, 59, 420),
    deep(0, 40, 130),
    deep(230, 40, 420),
    CuePart(230, 122, 200, burst(80, (0, -16), 600)),
];
pub(super) static CHECKPOINT: [CuePart; 4] = [ring(0, 79, 140), ring(90, 86, 150), ring(180, 83, 150), knock(0, 50, 6)];
pub(super) static WAVE: [CuePart; 4] = [knock(0, 100, 10), deep(0, 45, 120), brass(0, 69, 90), brass(120, 76, 200)];
pub(super) static STAGE_CLEAR: [CuePart; 17] = [
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
    deep(270, 48, 240),
    deep(540, 46, 240),
    deep(810, 43, 240),
    deep(1_080, 48, 900),
    CuePart(1_080, 124, 300, burst(110, (0, -14), 1_200)),
];
pub(super) static RANK: [CuePart; 5] = [
    knock(0, 200, 16),
    CuePart(0, 110, 60, burst(160, (0, -40), 240)),
    deep(0, 36, 160),
    brass(30, 72, 300),
    brass(30, 79, 300),
];
pub(super) static GAME_OVER: [CuePart; 10] = [
    brass(0, 69, 260),
    brass(300, 67, 260),
    brass(600, 64, 260),
    brass(900, 62, 500),
    brass(1_440, 57, 1_100),
    brass(1_440, 60, 1_100),
    brass(1_440, 52, 1_100),
    deep(0, 45, 860),
    deep(1_440, 33, 1_100),
    ring(1_440, 81, 110),
];
pub(super) static MENU_MOVE: [CuePart; 2] =
    [knock(0, 60, 4), CuePart(0, 81, 18, falling(Wave::Pulse(64), 130, (0, 2), 36))];
pub(super) static MENU_CHOOSE: [CuePart; 3] = [knock(0, 70, 5), chime(0, 76), ring(70, 83, 170)];
pub(super) static MENU_BACK: [CuePart; 3] = [knock(0, 60, 5), chime(0, 79), chime(60, 72)];
pub(super) static JOIN: [CuePart; 3] = [ring(0, 74, 140), ring(90, 81, 150), knock(0, 50, 5)];
pub(super) static LEAVE: [CuePart; 3] = [ring(0, 81, 130), ring(90, 74, 140), knock(0, 50, 5)];
pub(super) static CHAT: [CuePart; 3] = [knock(0, 50, 4), chime(0, 86), chime(60, 91)];
pub(super) static PAUSE: [CuePart; 3] =
    [knock(0, 60, 6), chime(0, 84), CuePart(70, 77, 120, falling(Wave::Triangle, 190, (0, -5), 200))];
pub(super) static RESUME: [CuePart; 3] = [knock(0, 60, 6), chime(0, 77), ring(70, 84, 170)];
