//! A lobby and its members, as those in it and those who choose one are told: in the messages Lobbies and Lobby.

use game::{GameState, SEATS, Skill};

use super::{
    control::{code, put_seat_or_none, put_text, seat, seat_or_none, text, yes_or_no},
    rules,
};
use crate::{
    Dialect, Malformed, Reader,
    lobby::{LISTED_MAX, LobbyDetails, LobbySummary, Member, NAME_MAX_BYTES, PlayerKind, STAGE_MAX_BYTES},
};

/// In front of what a person speaks, and of how well a bot plays.
const PERSON: u8 = 0;
const BOT: u8 = 1;

pub(super) fn read_list(reader: &mut Reader) -> Result<Vec<LobbySummary>, Malformed> {
    let count = usize::from(reader.u8()?);
    if count > LISTED_MAX {
        return Err(Malformed::BadValue);
    }
    (0..count).map(|_| read_summary(reader)).collect()
}

fn read_summary(reader: &mut Reader) -> Result<LobbySummary, Malformed> {
    let (code, stage) = (code(reader)?, text(reader, STAGE_MAX_BYTES)?);
    let state = GameState::from_number(reader.u8()?).ok_or(Malformed::BadValue)?;
    let (players, rules, host) = (reader.u8()?, rules::read(reader)?, seat_or_none(reader)?);
    Ok(LobbySummary { code, stage, state, players, rules, host, members: read_members(reader)? })
}

pub(super) fn write_list(lines: &[LobbySummary], out: &mut Vec<u8>) {
    let lines = &lines[..lines.len().min(LISTED_MAX)];
    out.push(lines.len() as u8);
    for line in lines {
        out.extend_from_slice(line.code.to_string().as_bytes());
        put_text(&line.stage, STAGE_MAX_BYTES, out);
        out.extend_from_slice(&[line.state.number(), line.players]);
        rules::write(&line.rules, out);
        put_seat_or_none(line.host, out);
        write_members(&line.members, out);
    }
}

pub(super) fn read(reader: &mut Reader) -> Result<LobbyDetails, Malformed> {
    let (code, stage, rules) = (code(reader)?, text(reader, STAGE_MAX_BYTES)?, rules::read(reader)?);
    let (is_private, watchers, host) = (yes_or_no(reader)?, reader.u8()?, seat_or_none(reader)?);
    Ok(LobbyDetails { code, stage, rules, is_private, watchers, host, members: read_members(reader)? })
}

pub(super) fn write(lobby: &LobbyDetails, out: &mut Vec<u8>) {
    out.extend_from_slice(lobby.code.to_string().as_bytes());
    put_text(&lobby.stage, STAGE_MAX_BYTES, out);
    rules::write(&lobby.rules, out);
    out.extend_from_slice(&[lobby.is_private.into(), lobby.watchers]);
    put_seat_or_none(lobby.host, out);
    write_members(&lobby.members, out);
}

fn read_members(reader: &mut Reader) -> Result<Vec<Member>, Malformed> {
    let count = usize::from(reader.u8()?);
    if count > SEATS {
        return Err(Malformed::BadValue);
    }
    (0..count).map(|_| read_member(reader)).collect()
}

fn write_members(members: &[Member], out: &mut Vec<u8>) {
    let members = &members[..members.len().min(SEATS)];
    out.push(members.len() as u8);
    for member in members {
        out.push(member.seat.number());
        put_text(&member.name, NAME_MAX_BYTES, out);
        write_kind(member.kind, out);
        out.extend_from_slice(&[member.is_ready.into(), member.is_away.into(), member.ship.number()]);
    }
}

fn read_member(reader: &mut Reader) -> Result<Member, Malformed> {
    let (seat, name, kind) = (seat(reader)?, text(reader, NAME_MAX_BYTES)?, read_kind(reader)?);
    let (is_ready, is_away, ship) = (yes_or_no(reader)?, yes_or_no(reader)?, rules::ship(reader)?);
    Ok(Member { seat, name, kind, is_ready, is_away, ship })
}

fn read_kind(reader: &mut Reader) -> Result<PlayerKind, Malformed> {
    match reader.u8()? {
        PERSON => {
            let dialect = Dialect::from_name(&text(reader, NAME_MAX_BYTES)?).ok_or(Malformed::BadValue)?;
            Ok(PlayerKind::Person(dialect))
        }
        BOT => Ok(PlayerKind::Bot(skill(reader)?)),
        _ => Err(Malformed::BadValue),
    }
}

fn write_kind(kind: PlayerKind, out: &mut Vec<u8>) {
    match kind {
        PlayerKind::Person(dialect) => {
            out.push(PERSON);
            put_text(dialect.name(), NAME_MAX_BYTES, out);
        }
        PlayerKind::Bot(skill) => out.extend_from_slice(&[BOT, skill.number()]),
    }
}

pub(super) fn skill(reader: &mut Reader) -> Result<Skill, Malformed> {
    Skill::from_number(reader.u8()?).ok_or(Malformed::BadValue)
}
