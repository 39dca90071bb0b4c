//! Datagrams at the doors, from one address or from very many.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket},
    thread,
    time::{Duration, Instant},
};

use protocol::{Dialect, Output, Plan, StreamUse, Time};
use server::mmsg::{DatagramAddresses, DatagramSender, System};

use super::{ATTACKER, AttackOutcome, Target, chance::AttackDice};
use crate::node_process::NodeProcess;

/// Datagrams in one go.
const BURST: usize = 100;
/// No attack sends more in a second, unless it is told to.
const PER_SECOND_MAX: f64 = 100_000.0;
/// Who is told how much to send sends a little more, so that it is never less.
const MARGIN: f64 = 1.05;
/// Bursts in a round of addresses that speak twice, and how long after the first time: then a seat is no longer provisional (ruling C14).
const TWICE_BURSTS: u64 = 10;
const TWICE_AFTER: Duration = Duration::from_millis(150);
const LONGEST_BYTES: usize = 1_400;
/// When the sessions were begun whose first words are said.
const LONG_AGO: Time = Time::from_micros(1_700_000_000_000_000);

/// Doors, and who speaks there.
pub struct Flood {
    doors: Vec<SocketAddr>,
    /// None: each datagram comes from another address.
    from: Option<Ipv4Addr>,
    per_second: f64,
}

impl Flood {
    /// At every door that is spoken to in datagrams, from everywhere.
    fn at_all(node: &NodeProcess) -> anyhow::Result<Flood> {
        Ok(Flood::at(udp_dialects().map(|dialect| node.door(dialect)).collect::<anyhow::Result<_>>()?))
    }

    /// At these, from everywhere.
    pub fn at(doors: Vec<SocketAddr>) -> Flood {
        Flood { doors, from: None, per_second: PER_SECOND_MAX }
    }

    /// Sends until then; `write` makes the datagram for the door of that index.
    pub fn run(
        &self,
        until: Instant,
        mut write: impl FnMut(&mut AttackDice, usize, &mut Vec<u8>),
    ) -> anyhow::Result<u64> {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        socket.set_nonblocking(true)?;
        let mut sender: DatagramSender<System> = DatagramSender::new(BURST, BURST * LONGEST_BYTES);
        let (mut chance, mut buffer) = (AttackDice::new(0x5eed), Vec::new());
        let (began, mut sent) = (Instant::now(), 0);
        while Instant::now() < until {
            if sent as f64 > began.elapsed().as_secs_f64() * self.per_second {
                thread::sleep(Duration::from_micros(500));
                continue;
            }
            for number in 0..BURST {
                let index = number % self.doors.len();
                buffer.clear();
                write(&mut chance, index, &mut buffer);
                let from = self.from.map_or_else(|| chance.address(), IpAddr::V4);
                if !sender.push(DatagramAddresses { to: self.doors[index], from: Some(from) }, &buffer) {
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

/// A first datagram of every dialect at its door, each from another address, at this rate if this machine can.
pub fn first_datagrams(node: &NodeProcess, until: Instant, rate: u32) -> anyhow::Result<u64> {
    let words: Vec<Vec<u8>> = udp_dialects().map(first_datagram).collect();
    let flood = Flood { per_second: f64::from(rate) * MARGIN, ..Flood::at_all(node)? };
    flood.run(until, |_, door, buffer| buffer.extend_from_slice(&words[door]))
}

/// The same load where nobody listens.
pub fn closed_port(until: Instant, rate: u32) -> anyhow::Result<u64> {
    // A port that was just given back.
    let nobody = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
    let words: Vec<Vec<u8>> = udp_dialects().map(first_datagram).collect();
    let per_second = f64::from(rate) * MARGIN;
    let flood = Flood { doors: vec![nobody; words.len()], from: None, per_second };
    flood.run(until, |_, door, buffer| buffer.extend_from_slice(&words[door]))
}

pub fn noise(target: &Target<'_>, until: Instant) -> anyhow::Result<AttackOutcome> {
    let noise = |chance: &mut AttackDice, _, buffer: &mut Vec<u8>| {
        let length = chance.next() as usize % 200;
        chance.fill(buffer, length);
    };
    Flood::at_all(&target.node)?.run(until, noise).map(AttackOutcome::Done)
}

pub fn empty(target: &Target<'_>, until: Instant) -> anyhow::Result<AttackOutcome> {
    Flood::at_all(&target.node)?.run(until, |_, _, _| {}).map(AttackOutcome::Done)
}

pub fn joins_of_one(target: &Target<'_>, until: Instant) -> anyhow::Result<AttackOutcome> {
    let words: Vec<Vec<u8>> = udp_dialects().map(first_datagram).collect();
    let flood = Flood { from: Some(ATTACKER), ..Flood::at_all(&target.node)? };
    flood.run(until, |_, door, buffer| buffer.extend_from_slice(&words[door])).map(AttackOutcome::Done)
}

/// Takes a seat with the first datagram, and then says twelve bytes of this and that.
pub fn inputs(target: &Target<'_>, until: Instant) -> anyhow::Result<AttackOutcome> {
    let words: Vec<Vec<u8>> = udp_dialects().map(first_datagram).collect();
    let flood = Flood { from: Some(ATTACKER), ..Flood::at_all(&target.node)? };
    let mut has_joined = vec![false; words.len()];
    let write = |chance: &mut AttackDice, door: usize, buffer: &mut Vec<u8>| {
        if std::mem::replace(&mut has_joined[door], true) {
            chance.fill(buffer, 12);
        } else {
            buffer.extend_from_slice(&words[door]);
        }
    };
    flood.run(until, write).map(AttackOutcome::Done)
}

pub fn long(target: &Target<'_>, until: Instant) -> anyhow::Result<AttackOutcome> {
    let flood = Flood { from: Some(ATTACKER), ..Flood::at_all(&target.node)? };
    let write = |chance: &mut AttackDice, _, buffer: &mut Vec<u8>| buffer.resize(LONGEST_BYTES, chance.next() as u8);
    flood.run(until, write).map(AttackOutcome::Done)
}

/// Each address says its first words twice, so that its seat looks like that of somebody who is there.
pub fn twice(target: &Target<'_>, until: Instant) -> anyhow::Result<AttackOutcome> {
    let words: Vec<Vec<u8>> = udp_dialects().map(first_datagram).collect();
    let flood = Flood::at_all(&target.node)?;
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
    socket.set_nonblocking(true)?;
    let mut sender: DatagramSender<System> = DatagramSender::new(BURST, BURST * LONGEST_BYTES);
    let (mut round, mut sent) = (0, 0);
    while Instant::now() < until {
        for _ in 0..2 {
            for burst in 0..TWICE_BURSTS {
                let mut chance = AttackDice::new((round * TWICE_BURSTS + burst + 1) << 20);
                for door in (0..BURST).map(|number| number % flood.doors.len()) {
                    // What does not fit is not said.
                    let _ = sender
                        .push(DatagramAddresses { to: flood.doors[door], from: Some(chance.address()) }, &words[door]);
                }
                sender.flush(&socket);
            }
            thread::sleep(TWICE_AFTER);
        }
        sent += sender.take_counts().sent;
        round += 1;
    }
    Ok(AttackOutcome::Done(sent))
}
