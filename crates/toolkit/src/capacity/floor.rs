//! The floor: the least that any node could do. It receives a 12-byte and sends a 200-byte datagram a player and tick,
//! with the calls of the node, and knows nothing.
//!
//! [`serve`] is the bare loop, [`drive`] the load for it: a socket a player, as bots have. Each is a process of its own,
//! answers a line on standard input with a line of figures, and ends when its input does.

use std::{
    collections::BTreeSet,
    io::{self, BufRead, ErrorKind, Write},
    net::{Ipv4Addr, SocketAddr, UdpSocket},
    sync::mpsc::{self, Receiver as Lines, TryRecvError},
    thread,
    time::Duration,
};

use serde::{Deserialize, Serialize};
use server::mmsg::{BATCH, DatagramAddresses, DatagramSender, Received, Receiver};

use crate::{readiness::Readiness, slot_clock::SlotClock};

/// What a player sends each tick.
pub(super) const INPUT_BYTES: usize = 12;
/// What a player gets each tick.
pub(super) const STATE_BYTES: usize = 200;
/// Players are served in this many groups, spread over a tick, as the node's lobbies are.
const PHASES: usize = 8;
/// Turns of the load, in slots of a tick, as those of bots.
const SLOTS: usize = 16;
/// Room for what arrives while the loop is busy, as the node has.
const RECEIVE_BUFFER_BYTES: usize = 4 << 20;
/// A tick that starts later than this is late.
pub(super) const LATE: Duration = Duration::from_millis(1);
/// The first byte of a datagram from a peer that is not being answered yet.
const HELLO: u8 = 1;

/// What the loop has done so far.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub(super) struct Served {
    pub players: usize,
    /// Groups of players that were served.
    pub phases: u64,
    /// Those that were begun in time.
    pub on_time: u64,
    pub datagrams_in: u64,
    pub datagrams_out: u64,
}

/// What the load has done so far.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub(super) struct Driven {
    pub sent: u64,
    pub received: u64,
    pub turns_skipped: u64,
}

/// The bare loop. Its first line is its port.
pub fn serve() -> anyhow::Result<()> {
    let socket = open_socket()?;
    let questions = questions();
    println!("{}", socket.local_addr()?.port());
    let mut floor = Floor::new();
    let mut clock = SlotClock::start(PHASES);
    while answer(&questions, &floor.served)? {
        let slot = clock.next_slot();
        floor.served.phases += 1 + slot.ticks_skipped * PHASES as u64;
        floor.served.on_time += u64::from(slot.late < LATE);
        floor.receive(&socket)?;
        floor.send(&socket, slot.index);
    }
    Ok(())
}

struct Floor {
    receiver: Receiver,
    sender: DatagramSender,
    known: BTreeSet<SocketAddr>,
    players: Vec<SocketAddr>,
    served: Served,
}

impl Floor {
    fn new() -> Floor {
        Floor {
            receiver: Receiver::default(),
            sender: DatagramSender::new(BATCH, BATCH * STATE_BYTES),
            known: BTreeSet::new(),
            players: Vec::new(),
            served: Served::default(),
        }
    }

    fn receive(&mut self, socket: &UdpSocket) -> io::Result<()> {
        loop {
            let count = match self.receiver.receive(socket) {
                Ok(count) => count,
                // A player has gone; the loop does not care.
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => continue,
                Err(error) => return Err(error),
            };
            self.served.datagrams_in += count as u64;
            for Received { from, bytes, .. } in self.receiver.datagrams() {
                if bytes.first() == Some(&HELLO) && self.known.insert(from) {
                    self.players.push(from);
                }
            }
            if count < BATCH {
                self.served.players = self.players.len();
                return Ok(());
            }
        }
    }

    fn send(&mut self, socket: &UdpSocket, phase: usize) {
        let state = [0; STATE_BYTES];
        for &player in self.players.iter().skip(phase).step_by(PHASES) {
            while !self.sender.push(DatagramAddresses { to: player, from: None }, &state) {
                self.sender.flush(socket);
            }
        }
        self.sender.flush(socket);
        self.served.datagrams_out += self.sender.take_counts().sent;
    }
}

fn open_socket() -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    socket.set_nonblocking(true)?;
    // Less than wished for is no reason to fail.
    let _ = socket2::SockRef::from(&socket).set_recv_buffer_size(RECEIVE_BUFFER_BYTES);
    Ok(socket)
}

/// Players of the bare loop at that port.
pub fn drive(port: u16, count: usize) -> anyhow::Result<()> {
    crate::bots::allow_sockets(count as u64)?;
    let questions = questions();
    let mut load = Load::open(port, count)?;
    let mut clock = SlotClock::start(SLOTS);
    while answer(&questions, &load.driven)? {
        let slot = clock.next_slot();
        load.driven.turns_skipped += slot.ticks_skipped * count as u64;
        load.receive()?;
        load.send(slot.index);
    }
    Ok(())
}

struct Load {
    sockets: Vec<UdpSocket>,
    is_answered: Vec<bool>,
    readiness: Readiness,
    ready: Vec<usize>,
    driven: Driven,
}

impl Load {
    fn open(port: u16, count: usize) -> io::Result<Load> {
        let mut readiness = Readiness::new()?;
        let open = |number: usize| {
            let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
            socket.connect((Ipv4Addr::LOCALHOST, port))?;
            socket.set_nonblocking(true)?;
            readiness.watch(&socket, number)?;
            Ok(socket)
        };
        let sockets = (0..count).map(open).collect::<io::Result<Vec<UdpSocket>>>()?;
        let is_answered = vec![false; count];
        Ok(Load { sockets, is_answered, readiness, ready: Vec::new(), driven: Driven::default() })
    }

    fn receive(&mut self) -> io::Result<()> {
        self.readiness.ready(&mut self.ready)?;
        let mut buffer = [0; 2 * STATE_BYTES];
        for &number in &self.ready {
            // Whatever ends it, there is nothing more to read now.
            while self.sockets[number].recv(&mut buffer).is_ok() {
                self.is_answered[number] = true;
                self.driven.received += 1;
            }
        }
        Ok(())
    }

    fn send(&mut self, slot: usize) {
        for number in (slot..self.sockets.len()).step_by(SLOTS) {
            let mut input = [0; INPUT_BYTES];
            input[0] = if self.is_answered[number] { 0 } else { HELLO };
            // What cannot leave now is lost, as it might be on its way.
            self.driven.sent += u64::from(self.sockets[number].send(&input).is_ok());
        }
    }
}

/// The lines of standard input, read beside the loop.
fn questions() -> Lines<()> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            if line.is_err() || sender.send(()).is_err() {
                return;
            }
        }
    });
    receiver
}

/// Answers what was asked, if anything was. False: nobody will ask any more.
fn answer(questions: &Lines<()>, figures: &impl Serialize) -> anyhow::Result<bool> {
    match questions.try_recv() {
        Ok(()) => {
            let mut out = io::stdout().lock();
            writeln!(out, "{}", serde_json::to_string(figures)?)?;
            out.flush()?;
            Ok(true)
        }
        Err(TryRecvError::Empty) => Ok(true),
        Err(TryRecvError::Disconnected) => Ok(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_that_says_hello_gets_a_state_in_its_phase_and_no_other_does() {
        let (socket, mut floor) = (open_socket().expect("a socket"), Floor::new());
        let port = socket.local_addr().expect("an address").port();
        let mut load = Load::open(port, 3).expect("sockets");
        (0..SLOTS).for_each(|slot| load.send(slot));
        floor.receive(&socket).expect("it receives");
        assert_eq!((floor.served.players, floor.served.datagrams_in, load.driven.sent), (3, 3, 3));
        floor.send(&socket, 1);
        load.receive().expect("it receives");
        assert_eq!((load.driven.received, load.is_answered.as_slice()), (1, [false, true, false].as_slice()));
        (0..PHASES).for_each(|phase| floor.send(&socket, phase));
        load.receive().expect("it receives");
        assert_eq!((load.driven.received, floor.served.datagrams_out), (4, 4));
        // A peer that is answered no longer says hello, and none is known twice.
        (0..SLOTS).for_each(|slot| load.send(slot));
        floor.receive(&socket).expect("it receives");
        assert_eq!((floor.served.players, floor.served.datagrams_in), (3, 6));
    }
}
