//! The tally, a message of the stream: what everybody did.

use game::{Counts, PlayerTally, Rank, units::STEPS_PER_TICK};

use super::{
    control::{put_text, seat, text, yes_or_no},
    rules,
};
use crate::{
    Malformed, Reader,
    lobby::{GameId, NAME_MAX_BYTES, Tally, TallyLine},
};

/// Reads a tally, without the number of the message.
pub fn read(reader: &mut Reader) -> Result<Tally, Malformed> {
    let game = GameId(u64::from_le_bytes(reader.array()?));
    let (is_won, is_scored, score) = (yes_or_no(reader)?, yes_or_no(reader)?, reader.u32_le()?);
    let count = usize::from(reader.u8()?);
    if count > game::SEATS {
        return Err(Malformed::BadValue);
    }
    let players = (0..count).map(|_| line(reader)).collect::<Result<_, _>>()?;
    Ok(Tally { game, is_won, is_scored, score, players })
}

/// Appends a tally, with the number of the message.
pub fn write(tally: &Tally, out: &mut Vec<u8>) {
    out.push(13);
    out.extend_from_slice(&tally.game.0.to_le_bytes());
    out.extend_from_slice(&[tally.is_won.into(), tally.is_scored.into()]);
    out.extend_from_slice(&tally.score.to_le_bytes());
    let players = &tally.players[..tally.players.len().min(game::SEATS)];
    out.push(players.len() as u8);
    for line in players {
        put_line(line, out);
    }
}

fn line(reader: &mut Reader) -> Result<TallyLine, Malformed> {
    let (seat, name, ship) = (seat(reader)?, text(reader, NAME_MAX_BYTES)?, rules::ship(reader)?);
    let rank = Rank::from_number(reader.u8()?).ok_or(Malformed::BadValue)?;
    let (stage, game) = (counts(reader)?, counts(reader)?);
    Ok(TallyLine { name, player: PlayerTally { seat, ship, rank, stage, game } })
}

fn put_line(line: &TallyLine, out: &mut Vec<u8>) {
    let PlayerTally { seat, ship, rank, stage, game } = line.player;
    out.push(seat.number());
    put_text(&line.name, NAME_MAX_BYTES, out);
    out.extend_from_slice(&[ship.number(), rank as u8]);
    put_counts(&stage, out);
    put_counts(&game, out);
}

fn counts(reader: &mut Reader) -> Result<Counts, Malformed> {
    let (score, kills) = (reader.u32_le()?, reader.u32_le()?);
    let (chain_max, deaths) = (reader.u16_le()?, reader.u16_le()?);
    // Whole ticks go over the wire.
    let steps = reader.u32_le()?.checked_mul(STEPS_PER_TICK as u32).ok_or(Malformed::BadValue)?;
    Ok(Counts { score, kills, chain_max, deaths, steps })
}

fn put_counts(counts: &Counts, out: &mut Vec<u8>) {
    out.extend_from_slice(&counts.score.to_le_bytes());
    out.extend_from_slice(&counts.kills.to_le_bytes());
    out.extend_from_slice(&counts.chain_max.to_le_bytes());
    out.extend_from_slice(&counts.deaths.to_le_bytes());
    out.extend_from_slice(&counts.ticks().to_le_bytes());
}
