//! A stage's terrain in few bytes, so that a client needs no stage file.
//!
//! Columns as a u16, then the tiles column by column, from the top, in runs: a byte below 128 says that one more than so
//! many bytes follow as they are; another that the next byte stands for 126 fewer than so many tiles.

use game::stage::{ROWS, Terrain};

use crate::{Malformed, Reader};

/// No stage has more columns.
pub const COLUMNS_MAX: usize = 2048;
/// Bytes in a row that are written as they are, and tiles that one run stands for.
const PLAIN_MAX: usize = 128;
const RUN_MAX: usize = 129;

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
        std::cmp::Ordering::Equal => Ok(lay(columns, &tiles)),
    }
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
        assert_eq!(round_trip(&Terrain::default()), 2);
        assert!(round_trip(&game::Stage::built_in("stage1").expect("built in").terrain) < 4_000);
        for (columns, period) in [(1, 1), (30, 2), (COLUMNS_MAX, 3), (COLUMNS_MAX, 250), (77, 5)] {
            let mut terrain = Terrain::open(columns);
            for index in 0..columns * ROWS {
                terrain.place(index / ROWS, index % ROWS, (index % period) as u8);
            }
            assert!(round_trip(&terrain) < 36_000);
        }
    }

    #[test]
    fn a_terrain_of_more_tiles_than_its_columns_is_refused() {
        assert_eq!(read(&mut Reader::new(&[0xff, 0xff])), Err(Malformed::BadValue));
        assert_eq!(read(&mut Reader::new(&[1, 0, 255, 7])), Err(Malformed::WrongSize));
    }
}
