//! A stage's terrain in few bytes, so that a client needs no stage file.
//!
//! Columns as a u16, then the tiles column by column, from the top, in runs: a byte below 128 says that one more than that
//! many bytes follow as they are; another that the next byte stands for 126 fewer than that many tiles. Then the gates: how many
//! as a byte, and of each x as a u32, y, width, height, travel, every and phase as 16 bits.

use game::stage::{Gate, ROWS, Terrain};

use crate::{Malformed, Reader};

/// No stage has more columns.
pub const COLUMNS_MAX: usize = 2048;
/// Bytes in a row that are written as they are, and tiles that one run stands for.
const PLAIN_MAX: usize = 128;
const RUN_MAX: usize = 129;
/// No stage has more gates.
const GATES_MAX: usize = 64;

/// Appends a terrain; columns beyond [`COLUMNS_MAX`] are left out.
pub fn write(terrain: &Terrain, out: &mut Vec<u8>) {
    let columns = terrain.columns().min(COLUMNS_MAX);
    out.extend_from_slice(&(columns as u16).to_le_bytes());
    let tiles: Vec<u8> = (0..columns * ROWS).map(|index| terrain.picture(index / ROWS, index % ROWS)).collect();
    let mut rest = &tiles[..];
    while !rest.is_empty() {
        let (taken, behind) = rest.split_at(next_piece(rest));
        match taken {
            [first, second, ..] if first == second => out.extend_from_slice(&[(taken.len() + 126) as u8, *first]),
            _ => {
                out.push((taken.len() - 1) as u8);
                out.extend_from_slice(taken);
            }
        }
        rest = behind;
    }
    write_gates(terrain, out);
}

fn write_gates(terrain: &Terrain, out: &mut Vec<u8>) {
    let gates = &terrain.gates()[..terrain.gates().len().min(GATES_MAX)];
    out.push(gates.len() as u8);
    for gate in gates {
        out.extend_from_slice(&gate.x_px.to_le_bytes());
        out.extend_from_slice(&gate.y_px.to_le_bytes());
        out.extend_from_slice(&gate.width_px.to_le_bytes());
        out.extend_from_slice(&gate.height_px.to_le_bytes());
        out.extend_from_slice(&gate.travel_px.to_le_bytes());
        out.extend_from_slice(&gate.every_px.to_le_bytes());
        out.extend_from_slice(&gate.phase_px.to_le_bytes());
    }
}

/// The length of the run, or of the tiles without one, that these begin with.
fn next_piece(tiles: &[u8]) -> usize {
    let run = tiles.iter().take_while(|tile| **tile == tiles[0]).take(RUN_MAX).count();
    if run > 1 {
        return run;
    }
    let plain = tiles.windows(2).take_while(|pair| pair[0] != pair[1]).count();
    match plain + 1 == tiles.len() {
        true => tiles.len().min(PLAIN_MAX),
        false => plain.min(PLAIN_MAX),
    }
}

/// Reads a terrain, which is all that is left.
pub fn read(reader: &mut Reader) -> Result<Terrain, Malformed> {
    let columns = usize::from(reader.u16_le()?);
    if columns > COLUMNS_MAX {
        return Err(Malformed::BadValue);
    }
    let mut tiles = Vec::new();
    while !reader.is_empty() && tiles.len() < columns * ROWS {
        match reader.u8()? {
            plain @ 0..128 => tiles.extend_from_slice(reader.take(usize::from(plain) + 1)?),
            run => tiles.resize(tiles.len() + usize::from(run) - 126, reader.u8()?),
        }
    }
    match tiles.len().cmp(&(columns * ROWS)) {
        std::cmp::Ordering::Less => Err(Malformed::Short),
        std::cmp::Ordering::Greater => Err(Malformed::WrongSize),
        std::cmp::Ordering::Equal => {
            let mut terrain = lay(columns, &tiles);
            terrain.set_gates(read_gates(reader)?);
            Ok(terrain)
        }
    }
}

fn read_gates(reader: &mut Reader) -> Result<Vec<Gate>, Malformed> {
    let count = usize::from(reader.u8()?);
    if count > GATES_MAX {
        return Err(Malformed::BadValue);
    }
    (0..count).map(|_| read_gate(reader)).collect()
}

fn read_gate(reader: &mut Reader) -> Result<Gate, Malformed> {
    let gate = Gate {
        x_px: reader.u32_le()?,
        y_px: reader.u16_le()?.cast_signed(),
        width_px: reader.u16_le()?,
        height_px: reader.u16_le()?,
        travel_px: reader.u16_le()?.cast_signed(),
        every_px: reader.u16_le()?,
        phase_px: reader.u16_le()?,
    };
    // Sums over a place in a stage must not overflow.
    let is_near = gate.x_px < (COLUMNS_MAX * 16) as u32
        && gate.y_px.unsigned_abs() < 4096
        && gate.travel_px.unsigned_abs() < 4096;
    if is_near { Ok(gate) } else { Err(Malformed::BadValue) }
}

fn lay(columns: usize, tiles: &[u8]) -> Terrain {
    let mut terrain = Terrain::open(columns);
    for (index, &picture) in tiles.iter().enumerate() {
        terrain.place(index / ROWS, index % ROWS, picture);
    }
    terrain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(terrain: &Terrain) -> usize {
        let mut bytes = Vec::new();
        write(terrain, &mut bytes);
        let mut reader = Reader::new(&bytes);
        assert_eq!(read(&mut reader).as_ref(), Ok(terrain));
        assert_eq!(reader.finish(), Ok(()));
        for length in 0..bytes.len().min(2_000) {
            assert!(read(&mut Reader::new(&bytes[..length])).is_err(), "cut to {length}");
        }
        bytes.len()
    }

    #[test]
    fn every_terrain_comes_back_and_none_is_longer_than_a_message() {
        assert_eq!(round_trip(&Terrain::default()), 3);
        for (name, _) in game::stage::BUILT_IN {
            assert!(round_trip(&game::Stage::built_in(name).expect("built in").terrain) < 6_000, "{name}");
        }
        for (columns, period) in [(1, 1), (30, 2), (COLUMNS_MAX, 3), (COLUMNS_MAX, 250), (77, 5)] {
            let mut terrain = Terrain::open(columns);
            for index in 0..columns * ROWS {
                terrain.place(index / ROWS, index % ROWS, (index % period) as u8);
            }
            assert!(round_trip(&terrain) < 36_000);
        }
    }

    #[test]
    fn gates_come_back_and_far_ones_are_refused() {
        let gate =
            Gate { x_px: 900, y_px: -32, width_px: 32, height_px: 96, travel_px: 64, every_px: 240, phase_px: 7 };
        let mut terrain = Terrain::open(80);
        terrain.set_gates(vec![gate, Gate { x_px: 800, travel_px: -64, ..gate }]);
        round_trip(&terrain);
        terrain.set_gates(vec![Gate { y_px: i16::MIN, ..gate }]);
        let mut bytes = Vec::new();
        write(&terrain, &mut bytes);
        assert_eq!(read(&mut Reader::new(&bytes)), Err(Malformed::BadValue));
    }

    #[test]
    fn a_terrain_of_more_tiles_than_its_columns_is_refused() {
        assert_eq!(read(&mut Reader::new(&[0xff, 0xff])), Err(Malformed::BadValue));
        assert_eq!(read(&mut Reader::new(&[1, 0, 255, 7])), Err(Malformed::WrongSize));
    }
}
