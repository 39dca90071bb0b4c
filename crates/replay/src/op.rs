//! What a block says, one thing after the other: who does what, how many ticks go by, and what the world's hash is then.

use game::{Buttons, Departure, Seat, ShipModel};

/// Ticks that one byte can tell.
pub(crate) const RUN_MAX: u8 = 128;

const HOLD: u8 = 0x80;
const PRESS: u8 = 0x84;
const JOIN: u8 = 0x88;
const SHIP: u8 = 0x8c;
const LEFT: u8 = 0x90;
const TIMED_OUT: u8 = 0x94;
const NAME: u8 = 0x98;
const SAY: u8 = 0x9c;
const START: u8 = 0xa0;
const HASH: u8 = 0xa1;

/// One thing that a block says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op<'b> {
    /// Ticks that go by, 1 to [`RUN_MAX`].
    Ticks(u8),
    /// From the next tick on a player holds these down.
    Hold(Seat, Buttons),
    /// In the next tick a player presses these.
    Press(Seat, Buttons),
    Join(Seat, ShipModel),
    ChooseShip(Seat, ShipModel),
    Leave(Seat, Departure),
    /// A player is called so.
    Name(Seat, &'b str),
    /// A player says this.
    Say(Seat, &'b str),
    /// The waiting game starts.
    Start,
    /// The hash of the world.
    Hash(u64),
}

impl<'b> Op<'b> {
    /// Appends its bytes.
    pub fn write(self, bytes: &mut Vec<u8>) {
        let mut with = |code: u8, seat: Seat, value: u8| bytes.extend([code | seat.number(), value]);
        match self {
            Op::Ticks(count) => bytes.push(count.clamp(1, RUN_MAX) - 1),
            Op::Hold(seat, buttons) => with(HOLD, seat, buttons.bits()),
            Op::Press(seat, buttons) => with(PRESS, seat, buttons.bits()),
            Op::Join(seat, ship) => with(JOIN, seat, ship.number()),
            Op::ChooseShip(seat, ship) => with(SHIP, seat, ship.number()),
            Op::Leave(seat, Departure::Left) => bytes.push(LEFT | seat.number()),
            Op::Leave(seat, Departure::TimedOut) => bytes.push(TIMED_OUT | seat.number()),
            Op::Name(seat, text) => write_text(bytes, NAME, seat, text),
            Op::Say(seat, text) => write_text(bytes, SAY, seat, text),
            Op::Start => bytes.push(START),
            Op::Hash(hash) => {
                bytes.push(HASH);
                bytes.extend(hash.to_le_bytes());
            }
        }
    }

    /// Takes the next one off the front. None: it makes no sense, or is not all there.
    pub fn read(bytes: &mut &'b [u8]) -> Option<Op<'b>> {
        let code = byte(bytes)?;
        if code < RUN_MAX {
            return Some(Op::Ticks(code + 1));
        }
        let seat = Seat::new(code & 3)?;
        Some(match code {
            START => Op::Start,
            HASH => {
                let (hash, rest) = bytes.split_first_chunk()?;
                *bytes = rest;
                Op::Hash(u64::from_le_bytes(*hash))
            }
            _ => match code & !3 {
                HOLD => Op::Hold(seat, buttons(bytes)?),
                PRESS => Op::Press(seat, buttons(bytes)?),
                JOIN => Op::Join(seat, ShipModel::from_number(byte(bytes)?)?),
                SHIP => Op::ChooseShip(seat, ShipModel::from_number(byte(bytes)?)?),
                LEFT => Op::Leave(seat, Departure::Left),
                TIMED_OUT => Op::Leave(seat, Departure::TimedOut),
                NAME => Op::Name(seat, text(bytes)?),
                SAY => Op::Say(seat, text(bytes)?),
                _ => return None,
            },
        })
    }
}

fn write_text(bytes: &mut Vec<u8>, code: u8, seat: Seat, text: &str) {
    let mut length = text.len().min(u8::MAX.into());
    while !text.is_char_boundary(length) {
        length -= 1;
    }
    bytes.extend([code | seat.number(), length as u8]);
    bytes.extend(&text.as_bytes()[..length]);
}

fn byte(bytes: &mut &[u8]) -> Option<u8> {
    let (&first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(first)
}

/// A bit without a button is a mistake, not a button to be ignored.
fn buttons(bytes: &mut &[u8]) -> Option<Buttons> {
    let bits = byte(bytes)?;
    Some(Buttons::from_bits(bits)).filter(|buttons| buttons.bits() == bits)
}

fn text<'b>(bytes: &mut &'b [u8]) -> Option<&'b str> {
    let length = byte(bytes)?;
    let (text, rest) = bytes.split_at_checked(length.into())?;
    *bytes = rest;
    std::str::from_utf8(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(op: Op, hex: &str) {
        let mut bytes = Vec::new();
        op.write(&mut bytes);
        let written: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(written.join(" "), hex);
        assert_eq!(Op::read(&mut bytes.as_slice()), Some(op));
        for length in 0..bytes.len() {
            assert_eq!(Op::read(&mut &bytes[..length]), None, "{op:?} cut to {length} bytes");
        }
    }

    #[test]
    fn every_op_has_its_bytes() {
        let [first, second, third, last] = Seat::ALL;
        check(Op::Ticks(1), "00");
        check(Op::Ticks(128), "7f");
        check(Op::Hold(second, Buttons::from_bits(0x15)), "81 15");
        check(Op::Press(last, Buttons::FIRE), &format!("87 {:02x}", Buttons::FIRE.bits()));
        check(Op::Join(first, ShipModel::Anvil), "88 02");
        check(Op::ChooseShip(third, ShipModel::Lynx), "8e 03");
        check(Op::Leave(first, Departure::Left), "90");
        check(Op::Leave(last, Departure::TimedOut), "97");
        check(Op::Name(second, "Zoë"), "99 04 5a 6f c3 ab");
        check(Op::Say(first, ""), "9c 00");
        check(Op::Start, "a0");
        check(Op::Hash(0x0102_0304_0506_0708), "a1 08 07 06 05 04 03 02 01");
    }

    #[test]
    fn what_means_nothing_is_refused() {
        for wrong in [&[0xa2][..], &[0xff], &[0x80, 0x80], &[0x88, 4], &[0x98, 1, 0xff]] {
            assert_eq!(Op::read(&mut &wrong[..]), None, "{wrong:02x?}");
        }
    }

    #[test]
    fn a_long_text_is_cut_between_letters() {
        let long = "é".repeat(200);
        let mut bytes = Vec::new();
        Op::Say(Seat::ALL[0], &long).write(&mut bytes);
        let Some(Op::Say(_, text)) = Op::read(&mut bytes.as_slice()) else { panic!("it reads") };
        assert_eq!(text, "é".repeat(127));
    }
}
