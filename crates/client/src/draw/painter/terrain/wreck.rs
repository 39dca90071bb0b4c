//! Metal plates: a riveted trim where they end, and behind it panels with vents, pipes, hatches and holes.

use super::{
    super::noise::{Noise, scatter_at},
    site::{Spot, TileEdge},
};

/// How thick the trim is.
const TRIM: i32 = 6;
/// Size of a panel.
const PANEL: (i32, i32) = (32, 24);

/// Plates of metal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Metal {
    /// Whether the trim has stripes that warn.
    pub(super) is_striped: bool,
    /// Whether it has dents and holes.
    pub(super) is_torn: bool,
}

impl Metal {
    /// The colour of a pixel; none where it is open.
    pub(super) fn letter(self, spot: &Spot) -> Option<u8> {
        if spot.corner.is_some_and(|away| away < 2) {
            return None;
        }
        match spot.edge {
            Some((depth, edge)) if depth < TRIM => self.trim(spot, depth, edge),
            _ => Some(self.panel(spot)),
        }
    }

    fn trim(self, spot: &Spot, depth: i32, edge: TileEdge) -> Option<u8> {
        let along = along(spot, edge);
        let is_dented = self.is_torn && scatter_at(along.div_euclid(5), edge as i32, 3).is_multiple_of(7);
        let depth = if is_dented { depth - 1 } else { depth };
        if depth < 0 {
            return None;
        }
        let tones = if edge.is_lit() { b"IGFFEC" } else { b"GEDDDC" };
        let is_stretch = scatter_at(along.div_euclid(48), edge as i32, 17).is_multiple_of(3);
        Some(match (depth, along.rem_euclid(8)) {
            (2..=4, _) if self.is_striped && is_stretch => b"lC"[((along + depth).div_euclid(4) & 1) as usize],
            (1..=5, _) if along.rem_euclid(32) == 0 => b'C',
            (2, 3) => b'H',
            (3, 3 | 4) => b'C',
            _ => tones[depth as usize],
        })
    }

    fn panel(self, spot: &Spot) -> u8 {
        let panel = Panel::at(spot);
        match panel.chance % 10 {
            5 => panel.vent(),
            6 => panel.pipes(),
            7 => panel.hatch(),
            8 | 4 if self.is_torn => panel.hole(spot),
            9 => panel.cables(spot),
            _ => panel.plain(spot),
        }
    }
}

/// Where along its edge a pixel lies.
pub(super) fn along(spot: &Spot, edge: TileEdge) -> i32 {
    match edge {
        TileEdge::Up | TileEdge::Down => spot.x,
        TileEdge::Left | TileEdge::Right => spot.y,
    }
}

/// A panel, and a pixel in it.
struct Panel {
    chance: u32,
    x: i32,
    y: i32,
}

impl Panel {
    fn at(spot: &Spot) -> Panel {
        let row = spot.y.div_euclid(PANEL.1);
        let shifted = spot.x + (scatter_at(row, 0, 5) % 32) as i32;
        let chance = scatter_at(shifted.div_euclid(PANEL.0), row, 9);
        Panel { chance, x: shifted.rem_euclid(PANEL.0), y: spot.y.rem_euclid(PANEL.1) }
    }

    /// Its edges: light at the upper left, a dark seam at the lower right.
    fn seam(&self) -> Option<u8> {
        match (self.x, self.y) {
            (x, y) if x == PANEL.0 - 1 || y == PANEL.1 - 1 => Some(b'C'),
            (0, _) | (_, 0) => Some(b'E'),
            _ => None,
        }
    }

    fn plain(&self, spot: &Spot) -> u8 {
        let is_scratch = scatter_at(spot.x.div_euclid(6), spot.y.div_euclid(2), 21).is_multiple_of(37);
        let is_bolt = (self.x == 3 || self.x == PANEL.0 - 5) && (self.y == 3 || self.y == PANEL.1 - 5);
        let face = if self.chance & 64 == 0 { b'D' } else { b'E' };
        self.seam().unwrap_or(match () {
            () if is_bolt => b'F',
            () if is_scratch && face == b'D' => b'E',
            () if is_scratch => b'D',
            () => face,
        })
    }

    fn vent(&self) -> u8 {
        let is_inside = (4..28).contains(&self.x) && (4..20).contains(&self.y);
        match (self.y - 4).rem_euclid(4) {
            _ if !is_inside => self.seam().unwrap_or(b'D'),
            _ if self.x == 4 || self.x == 27 => b'C',
            0 => b'F',
            1 => b'E',
            _ => b'C',
        }
    }

    fn pipes(&self) -> u8 {
        let is_clamp = (14..18).contains(&self.x);
        match self.y {
            4..=9 if is_clamp => b"FGFEDC"[(self.y - 4) as usize],
            4..=9 => b"EFEDDC"[(self.y - 4) as usize],
            13..=18 if is_clamp => b"FGFEDC"[(self.y - 13) as usize],
            13..=18 => b"EFEDDC"[(self.y - 13) as usize],
            _ => b'C',
        }
    }

    fn hatch(&self) -> u8 {
        let (x, y) = (self.x - 15, self.y - 11);
        let is_lit = x + y < 0;
        match x * x + y * y {
            0..=4 => b'F',
            5..=35 => b'D',
            36..=60 => {
                if is_lit {
                    b'G'
                } else {
                    b'E'
                }
            }
            61..=81 => {
                if is_lit {
                    b'E'
                } else {
                    b'C'
                }
            }
            _ => self.seam().unwrap_or(b'D'),
        }
    }

    /// A hole with a torn rim, and girders behind it.
    fn hole(&self, spot: &Spot) -> u8 {
        let (x, y) = (self.x - PANEL.0 / 2, self.y - PANEL.1 / 2);
        let ragged = Noise { cell: 5, period: 1 << 14, seed: 33 }.at(spot.x, spot.y) / 3;
        match x * x * 2 / 3 + y * y + ragged {
            ..70 if (self.x + self.y) % 11 < 2 || (self.x - self.y).rem_euclid(13) < 2 => b'D',
            ..70 => b'1',
            70..92 if x + y > 0 => b'G',
            70..92 => b'C',
            _ => self.plain(spot),
        }
    }

    fn cables(&self, spot: &Spot) -> u8 {
        let sway = Noise { cell: 16, period: 1 << 12, seed: 41 }.at(spot.x, 7) / 64;
        match (self.y + sway).rem_euclid(7) {
            _ if self.x == 8 && self.y == 12 => b'B',
            1 => b'F',
            2 => b'E',
            3 => b'C',
            _ => b'D',
        }
    }
}
