//! What strangers do to a node: each attack runs until a moment, and is bounded in what it sends and holds.
//!
//! All of 127.0.0.0/8 is this machine, so a sender of many addresses needs no others: the node is told to limit loopback as it
//! limits everybody else.

use std::{
    io::{Read, Write},
    net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream, UdpSocket},
    thread,
    time::{Duration, Instant},
};

use protocol::{
    Dialect, StreamUse,
    rfc2020::wire::{FromClient, MapName, Message},
};
use server::mmsg::{Sender, System, Way};

use super::host::Host;

const LOOPBACK: Ipv4Addr = Ipv4Addr::LOCALHOST;
/// Datagrams in one go.
const BURST: usize = 200;
/// Connections that are held at once.
const HELD_MAX: usize = 2_000;
const CONNECT_MAX: Duration = Duration::from_secs(1);

/// An attack: how many things it did by the end.
pub(super) type Attack = fn(&Host, Instant) -> anyhow::Result<u64>;

/// All of them, by what they do.
pub(super) const ALL: [(&str, Attack); 10] = [
    ("noise at every UDP door", noise),
    ("requests for a seat from random addresses", forged_joins),
    ("empty datagrams, one from each address", empty_datagrams),
    ("inputs without end from one address", inputs),
    ("lobbies made and left empty", empty_lobbies),
    ("idle TCP connections", idle_streams),
    ("WebSockets that read nothing", unread_links),
    ("readers of scores", score_readers),
    ("guesses of lobby codes", code_guesses),
    ("datagrams of the longest size", long_datagrams),
];

/// Chance that is the same in every run.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn address(&mut self) -> IpAddr {
        let [.., a, b, c] = self.next().to_be_bytes();
        IpAddr::from([127, a | 1, b, c])
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| (self.next() >> 32) as u8).collect()
    }
}

fn udp_dialects() -> impl Iterator<Item = Dialect> {
    Dialect::with_ports().filter(|dialect| !matches!(dialect.entry().stream, StreamUse::Desk(_)))
}

/// Sends what `next` makes of chance, each from an address of its own, to a door.
fn send_until(
    until: Instant,
    doors: &[u16],
    from_many: bool,
    mut next: impl FnMut(&mut Chance) -> Vec<u8>,
) -> anyhow::Result<u64> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
    socket.set_nonblocking(true)?;
    let mut sender: Sender<System> = Sender::new(BURST, BURST * 1_500);
    let (mut chance, mut sent) = (Chance(0x5eed), 0);
    while Instant::now() < until {
        for number in 0..BURST {
            let to = SocketAddr::from((LOOPBACK, doors[number % doors.len()]));
            let from = if from_many { chance.address() } else { IpAddr::from([127, 66, 6, 6]) };
            if !sender.push(Way { to, from: Some(from) }, &next(&mut chance)) {
                break;
            }
        }
        sender.flush(&socket);
        sent += sender.take_tally().sent;
        // The others on this machine want to run as well.
        thread::sleep(Duration::from_millis(2));
    }
    Ok(sent)
}

fn doors(host: &Host) -> anyhow::Result<Vec<u16>> {
    udp_dialects().map(|dialect| host.door(dialect)).collect()
}

fn noise(host: &Host, until: Instant) -> anyhow::Result<u64> {
    send_until(until, &doors(host)?, true, |chance| {
        let length = chance.next() as usize % 200;
        chance.bytes(length)
    })
}

/// JOIN of `snapshot`: type, Packet ID, timestamp, then a name.
fn forged_joins(host: &Host, until: Instant) -> anyhow::Result<u64> {
    let mut join = None;
    let mut session = Dialect::Snapshot.connect(protocol::Plan {
        name: "Forged".into(),
        ..protocol::Plan::at(protocol::Time::from_micros(1_700_000_000_000_000))
    });
    let mut buffer = Vec::new();
    session.advance(protocol::Time::from_micros(1_700_000_000_000_000));
    while session.poll(protocol::Time::from_micros(1_700_000_000_000_000), &mut buffer).is_some() {
        join.get_or_insert_with(|| buffer.clone());
    }
    let join = join.unwrap_or_default();
    send_until(until, &[host.door(Dialect::Snapshot)?], true, |_| join.clone())
}

fn empty_datagrams(host: &Host, until: Instant) -> anyhow::Result<u64> {
    send_until(until, &[host.door(Dialect::Typeuh)?], true, |_| Vec::new())
}

fn inputs(host: &Host, until: Instant) -> anyhow::Result<u64> {
    send_until(until, &doors(host)?, false, |chance| chance.bytes(12))
}

fn long_datagrams(host: &Host, until: Instant) -> anyhow::Result<u64> {
    send_until(until, &doors(host)?, false, |chance| vec![chance.next() as u8; 1_400])
}

fn connect(port: u16) -> Option<TcpStream> {
    TcpStream::connect_timeout(&SocketAddr::from((LOOPBACK, port)), CONNECT_MAX).ok()
}

fn empty_lobbies(host: &Host, until: Instant) -> anyhow::Result<u64> {
    let mut create = Vec::new();
    let map_name = MapName::new("endless").map_err(|_| anyhow::anyhow!("no map is called endless"))?;
    Message { creation_timestamp: 1, body: FromClient::Create { map_name } }.write(&mut create);
    let mut made = 0;
    while Instant::now() < until {
        let Some(mut stream) = connect(host.door(Dialect::Rfc2020)?) else { continue };
        stream.set_read_timeout(Some(CONNECT_MAX))?;
        if stream.write_all(&create).is_ok() && stream.read(&mut [0; 64]).is_ok_and(|length| length > 0) {
            made += 1;
        }
    }
    Ok(made)
}

fn idle_streams(host: &Host, until: Instant) -> anyhow::Result<u64> {
    let mut held = Vec::new();
    while Instant::now() < until {
        match connect(host.door(Dialect::Rfc2020)?) {
            Some(stream) if held.len() < HELD_MAX => held.push(stream),
            _ => thread::sleep(Duration::from_millis(10)),
        }
    }
    Ok(held.len() as u64)
}

fn unread_links(host: &Host, until: Instant) -> anyhow::Result<u64> {
    let request = "GET /volley HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                   Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    let mut held = Vec::new();
    while Instant::now() < until {
        let Some(mut stream) = connect(host.http()?).filter(|_| held.len() < HELD_MAX) else {
            thread::sleep(Duration::from_millis(10));
            continue;
        };
        if stream.write_all(request.as_bytes()).is_ok() {
            held.push(stream);
        }
    }
    Ok(held.len() as u64)
}

/// Asks for these paths, one connection each, from many connections at once.
fn ask_until(host: &Host, until: Instant, path: impl Fn(u64) -> String + Sync) -> anyhow::Result<u64> {
    let port = host.http()?;
    let ask = |number: u64| {
        let mut stream = connect(port)?;
        stream.set_read_timeout(Some(CONNECT_MAX)).ok()?;
        let request = format!("GET {} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", path(number));
        stream.write_all(request.as_bytes()).ok()?;
        stream.read_to_end(&mut Vec::new()).ok()
    };
    let asked = thread::scope(|scope| {
        let readers: Vec<_> = (0..16_u64)
            .map(|reader| {
                scope.spawn(move || {
                    (0..)
                        .take_while(|_| Instant::now() < until)
                        .filter(|number| ask(reader << 32 | number).is_some())
                        .count()
                })
            })
            .collect();
        readers.into_iter().map(|reader| reader.join().unwrap_or(0)).sum::<usize>()
    });
    Ok(asked as u64)
}

fn score_readers(host: &Host, until: Instant) -> anyhow::Result<u64> {
    ask_until(host, until, |_| "/api/scores?limit=100".into())
}

fn code_guesses(host: &Host, until: Instant) -> anyhow::Result<u64> {
    ask_until(host, until, |number| format!("/api/lobbies/{}", protocol::LobbyId::from_number(number as u32)))
}
