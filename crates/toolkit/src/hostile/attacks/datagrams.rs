//! Datagrams at the doors, from one address or from very many.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket},
    thread,
    time::{Duration, Instant},
};

use protocol::{Dialect, Output, Plan, StreamUse, Time};
use server::mmsg::{Sender, System, Way};

use super::{ATTACKER, Outcome, Target, chance::Chance};
use crate::node_process::NodeProcess;

/// Datagrams in one go.
const BURST: usize = 100;
/// No attack sends more in a second.
const PER_SECOND_MAX: f64 = 100_000.0;
const LONGEST_BYTES: usize = 1_400;
/// When the sessions were begun whose first words are said.
const LONG_AGO: Time = Time::from_micros(1_700_000_000_000_000);

/// Doors, and who speaks there.
struct Flood {
    doors: Vec<SocketAddr>,
    /// None: each datagram comes from another address.
    from: Option<Ipv4Addr>,
}

impl Flood {
    /// At every door that is spoken to in datagrams, from everywhere.
    fn at_all(node: &NodeProcess) -> anyhow::Result<Flood> {
        let doors = udp_dialects().map(|dialect| node.door(dialect)).collect::<anyhow::Result<_>>()?;
        Ok(Flood { doors, from: None })
    }

    /// Sends until then; `write` makes the datagram for the door of that index.
    fn run(&self, until: Instant, mut write: impl FnMut(&mut Chance, usize, &mut Vec<u8>)) -> anyhow::Result<u64> {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        socket.set_nonblocking(true)?;
        let mut sender: Sender<System> = Sender::new(BURST, BURST * LONGEST_BYTES);
        let (mut chance, mut buffer) = (Chance::new(0x5eed), Vec::new());
        let (began, mut sent) = (Instant::now(), 0);
        while Instant::now() < until {
            if sent as f64 > began.elapsed().as_secs_f64() * PER_SECOND_MAX {
                thread::sleep(Duration::from_micros(500));
                continue;
            }
            for number in 0..BURST {
                let index = number % self.doors.len();
                buffer.clear();
                write(&mut chance, index, &mut buffer);
                let from = self.from.map_or_else(|| chance.address(), IpAddr::V4);
                if !sender.push(Way { to: self.doors[index], from: Some(from) }, &buffer) {
                    break;
                }
            }
            sender.flush(&socket);
            sent += sender.take_counts().sent;
        }
        Ok(sent)
    }
}

fn udp_dialects() -> impl Iterator<Item = Dialect> {
    Dialect::with_ports().filter(|dialect| !matches!(dialect.entry().stream, StreamUse::Desk(_)))
}

/// The first datagram of a client; a dialect that says nothing before its stream is answered has an empty one.
fn first_datagram(dialect: Dialect) -> Vec<u8> {
    let mut session = dialect.connect(Plan { name: "Forged".into(), ..Plan::at(LONG_AGO) });
    let mut buffer = Vec::new();
    session.advance(LONG_AGO);
    while let Some(output) = session.poll(LONG_AGO, &mut buffer) {
        if let Output::Datagram = output {
            return buffer;
        }
    }
    Vec::new()
}

/// A first datagram of every dialect at its door, each from another address.
pub fn first_datagrams(node: &NodeProcess, until: Instant) -> anyhow::Result<u64> {
    let words: Vec<Vec<u8>> = udp_dialects().map(first_datagram).collect();
    Flood::at_all(node)?.run(until, |_, door, buffer| buffer.extend_from_slice(&words[door]))
}

/// The same load where nobody listens.
pub fn closed_port(until: Instant) -> anyhow::Result<u64> {
    // A port that was just given back.
    let nobody = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
    let words: Vec<Vec<u8>> = udp_dialects().map(first_datagram).collect();
    let flood = Flood { doors: vec![nobody; words.len()], from: None };
    flood.run(until, |_, door, buffer| buffer.extend_from_slice(&words[door]))
}

pub fn noise(target: &Target<'_>, until: Instant) -> anyhow::Result<Outcome> {
    let noise = |chance: &mut Chance, _, buffer: &mut Vec<u8>| {
        let length = chance.next() as usize % 200;
        chance.fill(buffer, length);
    };
    Flood::at_all(&target.node)?.run(until, noise).map(Outcome::Done)
}

pub fn empty(target: &Target<'_>, until: Instant) -> anyhow::Result<Outcome> {
    Flood::at_all(&target.node)?.run(until, |_, _, _| {}).map(Outcome::Done)
}

pub fn joins_of_one(target: &Target<'_>, until: Instant) -> anyhow::Result<Outcome> {
    let words: Vec<Vec<u8>> = udp_dialects().map(first_datagram).collect();
    let flood = Flood { from: Some(ATTACKER), ..Flood::at_all(&target.node)? };
    flood.run(until, |_, door, buffer| buffer.extend_from_slice(&words[door])).map(Outcome::Done)
}

/// Takes a seat with the first datagram, and then says twelve bytes of this and that.
pub fn inputs(target: &Target<'_>, until: Instant) -> anyhow::Result<Outcome> {
    let words: Vec<Vec<u8>> = udp_dialects().map(first_datagram).collect();
    let flood = Flood { from: Some(ATTACKER), ..Flood::at_all(&target.node)? };
    let mut has_joined = vec![false; words.len()];
    let write = |chance: &mut Chance, door: usize, buffer: &mut Vec<u8>| {
        if std::mem::replace(&mut has_joined[door], true) {
            chance.fill(buffer, 12);
        } else {
            buffer.extend_from_slice(&words[door]);
        }
    };
    flood.run(until, write).map(Outcome::Done)
}

pub fn long(target: &Target<'_>, until: Instant) -> anyhow::Result<Outcome> {
    let flood = Flood { from: Some(ATTACKER), ..Flood::at_all(&target.node)? };
    let write = |chance: &mut Chance, _, buffer: &mut Vec<u8>| buffer.resize(LONGEST_BYTES, chance.next() as u8);
    flood.run(until, write).map(Outcome::Done)
}
