//! Paints the layers behind each zone. They are made from numbers alone, and are the same every time.
//!
//! What is behind must never look like terrain: its colours are dark and dull, its light changes in dithered steps, and no
//! edge of it is hard or lit. A zone is painted in slices, so that the next one can be made ready while the game goes on.

mod canvas;
mod organic;
mod space;
mod warship;
mod wrecks;

pub(super) use self::canvas::Layer;
use crate::draw::zone::ZoneLook;

/// Slices in which a zone is painted.
pub(super) const SLICES: usize = 24;

/// How a layer is painted: a share of it, in the colours and by the seed of its plan.
type Paint = fn(&mut Layer, &SceneryPlan, Slice);

/// A share of the work on a layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slice(usize);

impl Slice {
    /// This slice's share of the things, by number.
    fn share_of(self, things: i32) -> impl Iterator<Item = i32> {
        let first = self.0 as i32;
        (first..things).step_by(SLICES)
    }
}

/// What a layer is painted with.
#[derive(Clone, Copy)]
pub(super) struct SceneryPlan {
    /// It repeats after this.
    width: usize,
    /// It moves this many times slower than the terrain.
    slowness: i64,
    paint: Paint,
    /// From dark to light.
    shades: &'static [u8],
    seed: u32,
}

/// The layers of a zone that are being painted.
#[derive(Clone)]
pub(super) struct Scenery {
    pub(super) zone: ZoneLook,
    pub(super) layers: Vec<Layer>,
    painted: usize,
}

impl std::fmt::Debug for Scenery {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "Scenery({:?}, {} of {SLICES})", self.zone, self.painted)
    }
}

impl Scenery {
    /// Nothing is painted yet.
    pub(super) fn new(zone: ZoneLook) -> Scenery {
        let layers = plans(zone).iter().map(|plan| Layer::clear(plan.width, plan.slowness)).collect();
        Scenery { zone, layers, painted: 0 }
    }

    /// Paints one more slice, if there is one.
    pub(super) fn paint_slice(&mut self) {
        if self.painted < SLICES {
            let slice = Slice(self.painted);
            self.layers.iter_mut().zip(plans(self.zone)).for_each(|(layer, plan)| (plan.paint)(layer, plan, slice));
            self.painted += 1;
        }
    }

    /// Paints all that is left.
    pub(super) fn finish(&mut self) {
        (self.painted..SLICES).for_each(|_| self.paint_slice());
    }
}

const fn far(paint: Paint, shades: &'static [u8], seed: u32) -> SceneryPlan {
    SceneryPlan { width: 1024, slowness: 6, paint, shades, seed }
}

const fn near(paint: Paint, shades: &'static [u8], seed: u32) -> SceneryPlan {
    SceneryPlan { width: 1536, slowness: 3, paint, shades, seed }
}

const fn sky(shades: &'static [u8], seed: u32) -> SceneryPlan {
    SceneryPlan { width: 512, slowness: 16, paint: space::clouds, shades, seed }
}

const fn stars(shades: &'static [u8], seed: u32) -> SceneryPlan {
    SceneryPlan { width: 512, slowness: 10, paint: space::stars, shades, seed }
}

/// Wide enough that only one planet is seen at a time.
const fn planet(shades: &'static [u8], seed: u32) -> SceneryPlan {
    SceneryPlan { width: 1024, slowness: 12, paint: space::planet, shades, seed }
}

/// The layers of a zone, from the back to the front.
// tidy: allow(size) a table, with one entry for each zone
fn plans(zone: ZoneLook) -> &'static [SceneryPlan] {
    const STARS: &[u8] = b"344EEEFF";
    const MOTES: &[u8] = b"5667t6";
    match zone {
        ZoneLook::Void => {
            const {
                &[
                    sky(b"00112556", 1),
                    stars(STARS, 2),
                    planet(b"0015667", 3),
                    far(space::rocks, b"112", 4),
                    near(space::rocks, b"1223", 5),
                ]
            }
        }
        ZoneLook::Belt => {
            const {
                &[
                    sky(b"0001199", 11),
                    stars(STARS, 12),
                    planet(b"00199A", 16),
                    far(space::rocks, b"11C", 14),
                    near(space::boulders, b"11CC", 15),
                ]
            }
        }
        ZoneLook::Nebula => {
            const {
                &[
                    sky(b"0055667", 21),
                    stars(STARS, 22),
                    far(space::veils, b"567", 23),
                    // No rocks: in a bright cloud they are dark, and look like something to fly around.
                    near(space::veils, b"566", 25),
                ]
            }
        }
        ZoneLook::Rings => {
            const {
                &[
                    sky(b"000112C", 31),
                    stars(STARS, 32),
                    planet(b"01CCDw", 34),
                    far(wrecks::fleet, b"112", 35),
                    near(space::rocks, b"12CC", 36),
                ]
            }
        }
        ZoneLook::Debris => {
            const {
                &[
                    sky(b"0011223", 41),
                    stars(STARS, 42),
                    planet(b"00199A", 43),
                    far(wrecks::fleet, b"112", 44),
                    near(wrecks::scrap, b"1223", 45),
                ]
            }
        }
        ZoneLook::Graveyard => {
            const {
                &[
                    sky(b"000199A", 51),
                    stars(STARS, 52),
                    far(wrecks::fleet, b"1129", 53),
                    far(wrecks::hulks, b"122", 54),
                    near(wrecks::hulks, b"1123", 55),
                ]
            }
        }
        ZoneLook::Shipyard => {
            const {
                &[
                    sky(b"001122C", 61),
                    stars(STARS, 62),
                    far(wrecks::hulks, b"112", 63),
                    far(wrecks::gantries, b"12C", 64),
                    near(wrecks::gantries, b"1CCD", 65),
                ]
            }
        }
        ZoneLook::Mouth => {
            const {
                &[
                    sky(b"0005566", 71),
                    stars(MOTES, 72),
                    far(organic::ribs, b"0556", 73),
                    far(organic::teeth, b"055", 74),
                    near(organic::teeth, b"1566", 75),
                ]
            }
        }
        ZoneLook::Gut => {
            const {
                &[
                    sky(b"0055566", 81),
                    stars(MOTES, 82),
                    far(organic::folds, b"0556", 83),
                    far(organic::ribs, b"055", 84),
                    near(organic::folds, b"0556", 85),
                ]
            }
        }
        ZoneLook::Nest => {
            const {
                &[
                    sky(b"00055tt", 91),
                    stars(MOTES, 92),
                    far(organic::folds, b"055", 93),
                    far(organic::eggs, b"556", 94),
                    near(organic::webs, b"055", 95),
                ]
            }
        }
        ZoneLook::Approach => {
            const {
                &[
                    sky(b"0001122", 101),
                    stars(STARS, 102),
                    planet(b"0015566", 103),
                    far(wrecks::fleet, b"112C", 104),
                    near(warship::skyline, b"0112", 105),
                ]
            }
        }
        ZoneLook::Hull => {
            const {
                &[
                    sky(b"000112C", 111),
                    stars(STARS, 112),
                    far(wrecks::fleet, b"112", 113),
                    far(warship::skyline, b"011", 114),
                    near(warship::skyline, b"0112", 115),
                ]
            }
        }
        ZoneLook::Inside => {
            const {
                &[
                    sky(b"001122C", 121),
                    far(warship::bulkheads, b"0112", 122),
                    far(warship::pipework, b"11C", 123),
                    near(warship::bulkheads, b"01CD", 124),
                ]
            }
        }
        ZoneLook::Core => {
            const {
                &[
                    sky(b"0005566", 131),
                    far(warship::rings, b"0556", 132),
                    far(warship::pipework, b"055", 133),
                    near(warship::bulkheads, b"0556", 134),
                ]
            }
        }
    }
}
