//! The warship: bevelled armour outside, conduits and gratings inside.

use super::{
    super::noise::scatter_at,
    site::{Spot, TileEdge},
    wreck::along,
};

/// How thick the edge of a plate is.
const TRIM: i32 = 7;
/// Size of a plate.
const PLATE: (i32, i32) = (48, 32);
/// Height of a row of conduits.
const CONDUIT: i32 = 16;

/// Armour plates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Armour;

impl Armour {
    /// The colour of a pixel; none where it is open.
    pub(super) fn letter(self, spot: &Spot) -> Option<u8> {
        if spot.corner.is_some_and(|away| away < 4) {
            return None;
        }
        // A chamfered corner has a lit edge of its own.
        if spot.corner == Some(4) {
            return Some(b'I');
        }
        Some(match spot.edge {
            Some((depth, edge)) if depth < TRIM => trim(spot, depth, edge),
            _ => plate(spot),
        })
    }
}

fn trim(spot: &Spot, depth: i32, edge: TileEdge) -> u8 {
    let along = along(spot, edge);
    let tones = if edge.is_lit() { b"IyyxxwC" } else { b"yxxwwwC" };
    let is_slot = scatter_at(along.div_euclid(24), edge as i32, 51).is_multiple_of(3);
    match (depth, along.rem_euclid(24)) {
        (0, _) => tones[0],
        (1..=6, 0) => b'C',
        (3..=4, 6..=17) if is_slot => b"Cw"[(depth - 3) as usize],
        (3, 4 | 19) => b'I',
        (4, 4 | 19) => b'C',
        _ => tones[depth as usize],
    }
}

fn plate(spot: &Spot) -> u8 {
    let row = spot.y.div_euclid(PLATE.1);
    let shifted = spot.x + (row & 1) * PLATE.0 / 2;
    let chance = scatter_at(shifted.div_euclid(PLATE.0), row, 61);
    let (x, y) = (shifted.rem_euclid(PLATE.0), spot.y.rem_euclid(PLATE.1));
    let (right, down) = (PLATE.0 - 1 - x, PLATE.1 - 1 - y);
    let cut = (x + y).min(right + down).min(x + down).min(right + y);
    match x.min(y).min(right).min(down) {
        _ if cut < 4 => b'C',
        0 => b'C',
        1 if x == 1 || y == 1 => b'y',
        1 => b'D',
        2 if x == 2 || y == 2 => b'x',
        2 => b'C',
        _ => face(x, y, chance),
    }
}

fn face(x: i32, y: i32, chance: u32) -> u8 {
    let is_bolt = (x == 6 || x == PLATE.0 - 7) && (y == 6 || y == PLATE.1 - 7);
    let inset = (12..36).contains(&x) && (9..23).contains(&y);
    match chance % 5 {
        _ if is_bolt => b'y',
        // A recess with slats.
        0 if inset => match () {
            () if x == 12 || y == 9 => b'C',
            () if x == 35 || y == 22 => b'x',
            () => b"CDw"[(y % 3) as usize],
        },
        // A row of lamps that have gone out, and one that has not.
        1 if (14..17).contains(&y) && inset && x % 5 < 3 => {
            if chance & 32 == 0 && (22..27).contains(&x) {
                b'c'
            } else {
                b'C'
            }
        }
        // A welded patch.
        2 if inset => {
            if x == 12 || y == 9 {
                b'x'
            } else if x == 35 || y == 22 {
                b'C'
            } else {
                b'D'
            }
        }
        _ => b'w',
    }
}

/// Pipes, cables and gratings, row above row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conduits {
    /// The dark and the light colour of what glows.
    pub(super) glow: [u8; 2],
}

impl Conduits {
    /// The colour of a pixel; none where it is open.
    pub(super) fn letter(self, spot: &Spot) -> Option<u8> {
        if spot.corner.is_some_and(|away| away < 2) {
            return None;
        }
        Some(match spot.edge {
            Some((depth, edge)) if depth < TRIM => self.frame(spot, depth, edge),
            _ => self.inside(spot),
        })
    }

    /// The frame that holds it all: a bright rail, stripes that warn, a line that glows.
    fn frame(self, spot: &Spot, depth: i32, edge: TileEdge) -> u8 {
        let along = along(spot, edge);
        let tones = if edge.is_lit() { b"IHFEEDC" } else { b"HFEDDDC" };
        let is_stretch = scatter_at(along.div_euclid(64), edge as i32, 71).is_multiple_of(4);
        match depth {
            0 | 1 => tones[depth as usize],
            3..=5 if is_stretch => b"lC"[((along + depth).div_euclid(4) & 1) as usize],
            2..=6 if along.rem_euclid(32) < 2 => b"FC"[(along & 1) as usize],
            4 if !is_stretch => self.glow[usize::from(along.rem_euclid(32) > 8)],
            _ => tones[depth as usize],
        }
    }

    fn inside(self, spot: &Spot) -> u8 {
        let row = spot.y.div_euclid(CONDUIT);
        let stretch = spot.x.div_euclid(64);
        let chance = scatter_at(stretch, row, 81);
        let (x, y) = (spot.x.rem_euclid(64), spot.y.rem_euclid(CONDUIT));
        match chance % 6 {
            0 | 1 => pipe(x, y),
            2 => b"CDDEDCDECDEDCDDC"[((y * 3 + x / 32) & 15) as usize],
            3 if y == 0 || x == 0 => b'E',
            3 if y == 15 || x == 63 => b'C',
            3 => b"DC"[usize::from((x / 2 + y / 2) % 2 == 0)],
            4 if (6..10).contains(&y) => self.glow[usize::from((7..9).contains(&y))],
            4 => b"DDECCDDDDDDCCEDD"[y as usize],
            _ => cabinet(x % 32, y),
        }
    }
}

fn pipe(x: i32, y: i32) -> u8 {
    let is_flange = x % 32 < 4;
    match y {
        0 | 15 => b'C',
        1 | 14 if !is_flange => b'C',
        _ if is_flange => b"CFGHGFFEEEDDDDCC"[y as usize],
        _ => b"CCEFGFEEDDDDDCCC"[y as usize],
    }
}

fn cabinet(x: i32, y: i32) -> u8 {
    match (x, y) {
        (0, _) | (_, 0) => b'F',
        (31, _) | (_, 15) => b'C',
        (4..=11, 4..=10) => b"CD"[usize::from(y % 2 == 0)],
        (16, 5) | (20, 5) => b'G',
        (16..=26, 9..=10) => b'C',
        _ => b'E',
    }
}
