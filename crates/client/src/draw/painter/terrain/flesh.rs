//! Living walls: a wet skin where they end, and behind it tissue with veins and blisters.

use super::{
    super::noise::{Noise, scatter_at},
    site::{Spot, TileEdge},
};

/// The waves of the skin, the veins and the grain of the tissue.
const SKIN: Noise = Noise { cell: 7, period: 1 << 14, seed: 101 };
const VEINS: Noise = Noise { cell: 18, period: 1 << 13, seed: 102 };
const GRAIN: Noise = Noise { cell: 6, period: 1 << 14, seed: 103 };
/// How thick the skin is.
const DEPTH: i32 = 10;
/// Distance of blisters.
const BLISTERS: i32 = 28;

/// Living tissue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flesh {
    /// The skin, from the outside to the inside.
    pub(super) rim: &'static [u8; 4],
    /// The tissue, from dark to light.
    pub(super) body: &'static [u8; 3],
    pub(super) vein: u8,
}

impl Flesh {
    /// The colour of a pixel; none where it is open.
    pub(super) fn letter(self, spot: &Spot) -> Option<u8> {
        let wave = SKIN.at(spot.x, spot.y) / 86;
        if spot.corner.is_some_and(|away| away < 3 + wave) {
            return None;
        }
        match spot.edge {
            Some((depth, edge)) if depth < DEPTH => self.skin(spot, depth - wave, edge),
            edge => Some(self.tissue(spot, edge.is_none())),
        }
    }

    fn skin(self, spot: &Spot, depth: i32, edge: TileEdge) -> Option<u8> {
        let corner = spot.corner.map_or(DEPTH, |away| away - 4);
        let grain = GRAIN.at(spot.x, spot.y) / 100;
        let shade = i32::from(!edge.is_lit());
        Some(match depth.min(corner) {
            ..-1 => return None,
            -1..=0 => self.rim[usize::from(edge == TileEdge::Down && grain == 0)],
            deep => match deep + grain + shade {
                1 => self.rim[0],
                2 | 3 => self.rim[1],
                4..=6 => self.rim[2],
                7 | 8 => self.rim[3],
                _ => self.tissue(spot, false),
            },
        })
    }

    fn tissue(self, spot: &Spot, is_inside: bool) -> u8 {
        if let Some(letter) = self.blister(spot).filter(|_| is_inside) {
            return letter;
        }
        let ridge = (VEINS.at(spot.x, spot.y) - 128).abs();
        match (ridge, GRAIN.at(spot.x, spot.y)) {
            (0..7, _) => self.vein,
            (7..12, _) => self.body[0],
            (_, 150..) => self.body[1],
            _ => self.body[0],
        }
    }

    /// Here and there a blister, lit from the upper left.
    fn blister(self, spot: &Spot) -> Option<u8> {
        let (column, row) = (spot.x.div_euclid(BLISTERS), spot.y.div_euclid(BLISTERS));
        let chance = scatter_at(column, row, 111);
        if !chance.is_multiple_of(3) {
            return None;
        }
        let radius = 4 + (chance >> 4 & 3) as i32;
        let middle = |bits: u32| radius + 1 + (bits % (BLISTERS - 2 * radius - 2) as u32) as i32;
        let x = spot.x.rem_euclid(BLISTERS) - middle(chance >> 8);
        let y = spot.y.rem_euclid(BLISTERS) - middle(chance >> 16);
        let away = x * x + y * y;
        if away > radius * radius {
            return None;
        }
        let light = -x - y;
        Some(match () {
            () if away > (radius - 1) * (radius - 1) => b'0',
            () if light > radius => self.rim[2],
            () if light > -radius / 2 => self.body[2],
            () => self.body[1],
        })
    }
}
