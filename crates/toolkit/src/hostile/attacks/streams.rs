//! TCP at the doors.

use std::{
    io::{Read, Write},
    net::{IpAddr, SocketAddr, TcpStream},
    thread,
    time::{Duration, Instant},
};

use protocol::{
    Dialect,
    rfc2020::wire::{FromClient, MapName, Message},
};
use socket2::{Domain, Socket, Type};

use super::{ATTACKER, AttackOutcome, Target, chance::AttackDice};
use crate::bots::allow_most_files;

/// Connections that are held at once.
const HELD_MAX: usize = 4_000;
const CONNECT_MAX: Duration = Duration::from_secs(1);

/// A connection from one of this machine's many addresses.
pub fn connect_from(from: IpAddr, to: SocketAddr) -> Option<TcpStream> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).ok()?;
    socket.bind(&SocketAddr::new(from, 0).into()).ok()?;
    socket.connect_timeout(&to.into(), CONNECT_MAX).ok()?;
    let stream = TcpStream::from(socket);
    stream.set_read_timeout(Some(CONNECT_MAX)).ok()?;
    stream.set_write_timeout(Some(CONNECT_MAX)).ok()?;
    Some(stream)
}

pub fn connect(to: SocketAddr) -> Option<TcpStream> {
    connect_from(ATTACKER.into(), to)
}

/// CREATE of `rfc2020`.
fn create() -> anyhow::Result<Vec<u8>> {
    let map_name = MapName::new("endless").map_err(|_| anyhow::anyhow!("no map is called endless"))?;
    let mut create = Vec::new();
    Message { creation_timestamp: 1, body: FromClient::Create { map_name } }.write(&mut create);
    Ok(create)
}

pub fn empty_lobbies(target: &Target<'_>, until: Instant) -> anyhow::Result<AttackOutcome> {
    make_lobbies(target, until, |_| ATTACKER.into())
}

/// Each connection proves another address, and leaves a lobby behind.
pub fn many_proofs(target: &Target<'_>, until: Instant) -> anyhow::Result<AttackOutcome> {
    make_lobbies(target, until, AttackDice::address)
}

fn make_lobbies(
    target: &Target<'_>,
    until: Instant,
    from: fn(&mut AttackDice) -> IpAddr,
) -> anyhow::Result<AttackOutcome> {
    let (create, door) = (create()?, target.node.door(Dialect::Rfc2020)?);
    let (mut chance, mut asked) = (AttackDice::new(0x7c9), 0);
    while Instant::now() < until {
        let Some(mut stream) = connect_from(from(&mut chance), door) else { continue };
        let is_asked = stream.write_all(&create).is_ok() && stream.read(&mut [0; 64]).is_ok();
        asked += u64::from(is_asked);
    }
    Ok(AttackOutcome::Done(asked))
}

/// As many as there may be, at one door.
pub fn idle(target: &Target<'_>, until: Instant) -> anyhow::Result<AttackOutcome> {
    hold(&[target.node.door(Dialect::Rfc2020)?], until)
}

/// At every door that takes connections, and HTTP.
pub fn idle_everywhere(target: &Target<'_>, until: Instant) -> anyhow::Result<AttackOutcome> {
    let node = &target.node;
    hold(&[node.door(Dialect::Rfc2020)?, node.door(Dialect::Aecs)?, node.http()?], until)
}

fn hold(doors: &[SocketAddr], until: Instant) -> anyhow::Result<AttackOutcome> {
    allow_most_files();
    let mut held = Vec::new();
    while Instant::now() < until {
        match connect(doors[held.len() % doors.len()]) {
            Some(stream) if held.len() < HELD_MAX => held.push(stream),
            _ => thread::sleep(Duration::from_millis(10)),
        }
    }
    Ok(AttackOutcome::Done(held.len() as u64))
}

/// Connections at the doors that take them, opened and closed at once, by turns.
pub fn opened_and_closed(target: &Target<'_>, until: Instant) -> anyhow::Result<AttackOutcome> {
    let (create, node) = (create()?, &target.node);
    let doors = [node.door(Dialect::Rfc2020)?, node.door(Dialect::Aecs)?];
    let mut opened = 0;
    while Instant::now() < until {
        let Some(mut stream) = connect(doors[opened % doors.len()]) else { continue };
        // Some say something first.
        if opened.is_multiple_of(3) {
            let _ = stream.write_all(&create);
        }
        opened += 1;
    }
    Ok(AttackOutcome::Done(opened as u64))
}
