//! The part of a difference that is about the game as a whole: its score and state, how it scrolls, its players.

use game::{Name, Player, Seat};

use super::{
    bits::{BitReader, BitWriter},
    fields::{Field, GAME, PLAYER},
    view::{Scroll, WorldView},
};
use crate::Malformed;

/// The sizes of how far the scroll is from where it was predicted, in pixels.
const SCROLL_SIZES: [u32; 4] = [2, 8, 16, 32];
/// Bits of the scroll's speed.
const SPEED_BITS: u32 = 11;

/// Appends what differs, and puts it into the view that the reader will have.
pub fn write(writer: &mut BitWriter, predicted: &WorldView, target: &WorldView, view: &mut WorldView) {
    view.head = target.head.clone();
    write_scroll(writer, predicted, target, view);
    let is_same = predicted.head.players == target.head.players && predicted.head.names == target.head.names;
    let expected = expected_score(predicted, view);
    let mut head = predicted.head.clone();
    head.score = expected;
    let is_quiet = is_same && GAME.iter().all(|field| (field.get)(&head) == (field.get)(&target.head));
    writer.flag(!is_quiet);
    if is_quiet {
        return;
    }
    for (before, now) in predicted.head.players.iter().zip(&target.head.players) {
        write_player(writer, before.as_ref(), now.as_ref());
    }
    write_fields(writer, &GAME, &head, &target.head);
    writer.flag(predicted.head.names != target.head.names);
    if predicted.head.names != target.head.names {
        predicted.head.names.iter().zip(&target.head.names).for_each(|(before, now)| write_name(writer, before, now));
    }
}

/// Reads what differs into a view that holds the prediction.
pub fn read(reader: &mut BitReader, view: &mut WorldView) -> Result<(), Malformed> {
    read_scroll(reader, view)?;
    if !reader.flag()? {
        return Ok(());
    }
    let predicted = view.clone();
    for player in &mut view.head.players {
        *player = read_player(reader, *player)?;
    }
    view.head.score = expected_score(&predicted, view);
    read_fields(reader, &GAME, &mut view.head)?;
    if reader.flag()? {
        for name in &mut view.head.names {
            *name = read_name(reader, *name)?;
        }
    }
    Ok(())
}

/// What the players have more, all have more together.
fn expected_score(predicted: &WorldView, view: &WorldView) -> u32 {
    let sum =
        |view: &WorldView| view.head.players.iter().flatten().fold(0_u32, |sum, player| sum.wrapping_add(player.score));
    predicted.head.score.wrapping_add(sum(view).wrapping_sub(sum(predicted)))
}

fn write_scroll(writer: &mut BitWriter, predicted: &WorldView, target: &WorldView, view: &mut WorldView) {
    let is_other = predicted.head.scroll_px != target.head.scroll_px;
    view.scroll = if is_other { target.scroll } else { predicted.scroll };
    writer.flag(is_other);
    if is_other {
        let Scroll { part, speed } = target.scroll;
        writer.signed(target.head.scroll_px.wrapping_sub(predicted.head.scroll_px) as i32, SCROLL_SIZES);
        writer.bits(part.into(), 8);
        writer.bits(speed.into(), SPEED_BITS);
    }
}

fn read_scroll(reader: &mut BitReader, view: &mut WorldView) -> Result<(), Malformed> {
    if reader.flag()? {
        let further = reader.signed(SCROLL_SIZES)?;
        view.head.scroll_px = view.head.scroll_px.wrapping_add(further as u32);
        view.scroll = Scroll { part: reader.bits(8)? as u8, speed: reader.bits(SPEED_BITS)? as u16 };
    }
    Ok(())
}

/// A bit for a player who is as predicted; then one for whether there is a player.
fn write_player(writer: &mut BitWriter, before: Option<&Player>, now: Option<&Player>) {
    writer.flag(before != now);
    if before == now {
        return;
    }
    writer.flag(now.is_some());
    if let Some(now) = now {
        write_fields(writer, &PLAYER, before.unwrap_or(&NEWCOMER), now);
    }
}

fn read_player(reader: &mut BitReader, before: Option<Player>) -> Result<Option<Player>, Malformed> {
    if !reader.flag()? {
        return Ok(before);
    }
    if !reader.flag()? {
        return Ok(None);
    }
    let mut player = before.unwrap_or(NEWCOMER);
    read_fields(reader, &PLAYER, &mut player)?;
    Ok(Some(player))
}

/// A bit for a name that is as it was; then its bytes.
fn write_name(writer: &mut BitWriter, before: &Name, now: &Name) {
    writer.flag(before != now);
    if before != now {
        writer.bits(now.as_str().len() as u32, 6);
        now.as_str().bytes().for_each(|byte| writer.bits(byte.into(), 8));
    }
}

fn read_name(reader: &mut BitReader, before: Name) -> Result<Name, Malformed> {
    if !reader.flag()? {
        return Ok(before);
    }
    let mut bytes = [0; Name::MAX_BYTES];
    let bytes = bytes.get_mut(..reader.bits(6)? as usize).ok_or(Malformed::WrongSize)?;
    for byte in bytes.iter_mut() {
        *byte = reader.bits(8)? as u8;
    }
    let text = std::str::from_utf8(bytes).map_err(|_| Malformed::BadText)?;
    Some(Name::new(text)).filter(|name| name.as_str() == text).ok_or(Malformed::BadText)
}

/// What a player who was not there before is compared with, whatever the seat.
const NEWCOMER: Player = Player::of(Seat::ALL[0]);

/// A bit for each field that is as predicted, more for each other.
pub fn write_fields<T: Clone>(writer: &mut BitWriter, fields: &[Field<T>], before: &T, now: &T) {
    // As the reader does, because to set one field may change another.
    let mut value = before.clone();
    for field in fields {
        let (before, now) = ((field.get)(&value), (field.get)(now));
        writer.flag(before != now);
        if before != now {
            writer.signed(now.wrapping_sub(before), field.sizes);
            let is_set = (field.set)(&mut value, now);
            assert!(is_set.is_ok(), "{} is taken from another of its type", field.name);
        }
    }
}

/// Reads what [`write_fields`] wrote.
pub fn read_fields<T>(reader: &mut BitReader, fields: &[Field<T>], value: &mut T) -> Result<(), Malformed> {
    for field in fields {
        if reader.flag()? {
            let difference = reader.signed(field.sizes)?;
            (field.set)(value, (field.get)(value).wrapping_add(difference))?;
        }
    }
    Ok(())
}
