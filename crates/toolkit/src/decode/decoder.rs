//! Carries what a capture holds to the session that it belongs to, and prints what was said.
//!
//! The dialect is the one that was asked for, else that of a port, else a guess: then the first datagrams wait until it is certain enough.

use std::{
    collections::HashMap,
    io::{self, Write},
    net::SocketAddr,
    time::Duration,
};

use protocol::{Channel, Dialect, StreamUse, field_table::Sender};

use super::{
    capture::{CaptureRecord, HexLine},
    conversation::{Conversation, LobbyDoor},
    explained::{Explained, bracketed},
    guess::Evidence,
    layers::{Layers, Load, Nothing},
    output::{About, ExplanationOutput},
    segments::segment_size,
    streams::{Segment, StreamEvent, Streams},
    summary::Summary,
};

/// Conversations that are followed. What more there are is counted as foreign.
const FLOWS_MAX: usize = 65_536;
/// Ports of lobbies that are remembered.
const DOORS_MAX: usize = 65_536;
/// Datagrams that wait for a guess, and how sure it must be to end the wait.
const HELD_MAX: usize = 8;
const CERTAIN: f64 = 0.99;
/// The version of QUIC, behind the first byte of a packet that opens a connection.
const QUIC_VERSION_1: [u8; 4] = [0, 0, 0, 1];
const ENCRYPTED: &str = "QUIC: the volley dialect over WebTransport is encrypted. Start the browser with SSLKEYLOGFILE=keys.txt, capture, and open the \
                         capture in Wireshark with keys.txt as (Pre)-Master-Secret log; or use WebSocket, which this command reads";

/// Reads a capture and prints it.
pub struct Decoder<W> {
    /// The dialect, whatever the ports say.
    dialect: Option<Dialect>,
    layers: Layers,
    flows: HashMap<Ends, Flow>,
    doors: HashMap<SocketAddr, (Dialect, Option<String>)>,
    printer: Printer<W>,
    sessions: usize,
    started: Option<Duration>,
}

/// The two ends of a conversation, the lesser first.
type Ends = (SocketAddr, SocketAddr);

enum Flow {
    /// Nothing shows the dialect yet. The address is that of the end that spoke first.
    Unknown(SocketAddr, Evidence, Vec<CapturedPacket>),
    Known(Box<Conversation>, Box<Streams>),
    /// QUIC, which nobody reads without its keys.
    Encrypted,
    Foreign,
}

/// What came from one address to another.
#[derive(Clone)]
struct CapturedPacket {
    number: u64,
    time: Duration,
    from: SocketAddr,
    to: SocketAddr,
    load: Loaded,
    is_cut: bool,
}

#[derive(Clone)]
enum Loaded {
    Datagram(Vec<u8>),
    Segment {
        sequence: u32,
        is_first: bool,
        bytes: Vec<u8>,
    },
    /// A line of text: a datagram, or a whole message of a stream.
    Line(Channel, Vec<u8>),
}

struct Printer<W> {
    output: ExplanationOutput<W>,
    summary: Summary,
}

impl<W: Write> Decoder<W> {
    pub fn new(dialect: Option<Dialect>, output: ExplanationOutput<W>) -> Decoder<W> {
        Decoder {
            dialect,
            layers: Layers::default(),
            flows: HashMap::new(),
            doors: HashMap::new(),
            printer: Printer { output, summary: Summary::default() },
            sessions: 0,
            started: None,
        }
    }

    /// How many records were read.
    pub fn records(&self) -> u64 {
        self.printer.summary.records
    }

    /// Takes the next record of a capture.
    ///
    /// # Errors
    /// If it cannot be printed.
    pub fn record(&mut self, record: &CaptureRecord) -> io::Result<()> {
        let summary = &mut self.printer.summary;
        summary.records += 1;
        summary.cut += u64::from(record.is_cut);
        let number = summary.records;
        let started = *self.started.get_or_insert(record.time);
        match self.layers.read(record) {
            Ok(carried) => {
                let load = match carried.load {
                    Load::Datagram(bytes) => Loaded::Datagram(bytes.into_owned()),
                    Load::Segment { sequence, is_first, bytes, .. } => {
                        Loaded::Segment { sequence, is_first, bytes: bytes.into_owned() }
                    }
                };
                let time = record.time.saturating_sub(started);
                let (from, to, is_cut) = (carried.from, carried.to, carried.is_cut);
                self.take(CapturedPacket { number, time, from, to, load, is_cut })
            }
            Err(Nothing::Fragment) => Ok(()),
            Err(Nothing::Foreign) => {
                self.printer.summary.foreign += 1;
                Ok(())
            }
            Err(Nothing::Damaged) => {
                self.printer.summary.damaged += 1;
                Ok(())
            }
        }
    }

    /// Takes a line of text. Its ends have addresses that mean nothing.
    ///
    /// # Errors
    /// If it cannot be printed.
    pub fn line(&mut self, line: &HexLine) -> io::Result<()> {
        let summary = &mut self.printer.summary;
        summary.records += 1;
        let number = summary.records;
        let [client, server] = [1, 2].map(|port| SocketAddr::from(([0, 0, 0, 0], port)));
        let (from, to) = if line.sender == Sender::Client { (client, server) } else { (server, client) };
        if let Some(dialect) = self.dialect.filter(|_| !self.flows.contains_key(&(client, server))) {
            self.sessions += 1;
            let conversation = Conversation::new(self.sessions, dialect, client, server);
            self.flows.insert((client, server), Flow::Known(Box::new(conversation), Box::new(Streams::new(dialect))));
        }
        let load = Loaded::Line(line.channel, line.bytes.clone());
        self.take(CapturedPacket { number, time: Duration::ZERO, from, to, load, is_cut: false })
    }

    /// Prints what still waits, and sums up.
    ///
    /// # Errors
    /// If it cannot be printed.
    pub fn finish(mut self) -> io::Result<(Summary, ExplanationOutput<W>)> {
        let unknown: Vec<Ends> =
            self.flows.iter().filter(|(_, flow)| matches!(flow, Flow::Unknown(..))).map(|(ends, _)| *ends).collect();
        for ends in unknown {
            self.decide(ends)?;
        }
        let mut known: Vec<_> = self.flows.into_values().filter_map(Flow::known).collect();
        known.sort_unstable_by_key(|(conversation, _)| conversation.number);
        for (conversation, streams) in &mut known {
            for sender in Sender::ALL {
                let pieces = streams.finish(sender);
                let (from, to) = match sender {
                    Sender::Client => (conversation.client, conversation.server),
                    Sender::Server => (conversation.server, conversation.client),
                };
                let number = self.printer.summary.records;
                let time = conversation.said(sender).last;
                self.printer.pieces(conversation, &Occasion { number, time, from, to, is_cut: false }, pieces)?;
            }
            self.printer.summary.add(conversation);
        }
        let Printer { output, summary } = self.printer;
        Ok((summary, output))
    }

    fn take(&mut self, packet: CapturedPacket) -> io::Result<()> {
        let ends = ends(&packet);
        if !self.flows.contains_key(&ends) {
            if self.flows.len() >= FLOWS_MAX {
                self.printer.summary.foreign += 1;
                return Ok(());
            }
            let flow = self.open(&packet)?;
            self.flows.insert(ends, flow);
        }
        match self.flows.get_mut(&ends) {
            Some(Flow::Known(conversation, streams)) => {
                let door = self.printer.take(conversation, streams, &packet)?;
                let (dialect, server) = (conversation.dialect, conversation.server);
                self.remember(dialect, server, door);
                Ok(())
            }
            Some(Flow::Unknown(first, evidence, held)) => {
                evidence.look_at(*first, &packet);
                held.push(packet);
                let is_certain = evidence.guess().is_some_and(|guess| guess.certainty >= CERTAIN);
                if is_certain || held.len() >= HELD_MAX { self.decide(ends) } else { Ok(()) }
            }
            Some(Flow::Encrypted) => {
                self.printer.summary.encrypted += 1;
                Ok(())
            }
            Some(Flow::Foreign) | None => {
                self.printer.summary.foreign += 1;
                Ok(())
            }
        }
    }

    fn remember(&mut self, dialect: Dialect, server: SocketAddr, door: Option<LobbyDoor>) {
        if let Some(LobbyDoor { port, code }) = door.filter(|_| self.doors.len() < DOORS_MAX) {
            self.doors.insert(SocketAddr::new(server.ip(), port), (dialect, code));
        }
    }

    /// What a conversation is, by what was asked for and by its ports.
    fn open(&mut self, packet: &CapturedPacket) -> io::Result<Flow> {
        let CapturedPacket { from, to, .. } = *packet;
        let door = [to, from].into_iter().find_map(|end| self.doors.get(&end).map(|door| (end, door.clone())));
        let by_port = |dialect: &Dialect| [to, from].into_iter().find(|end| end.port() == dialect.entry().port);
        let (dialect, server, lobby) = match (self.dialect, door) {
            (Some(dialect), _) => (dialect, by_port(&dialect).unwrap_or(to), None),
            (None, Some((server, (dialect, lobby)))) => (dialect, server, lobby),
            (None, None) => match Dialect::ALL.into_iter().find_map(|dialect| Some((dialect, by_port(&dialect)?))) {
                Some((dialect, server)) => (dialect, server, None),
                None => return Ok(Flow::unknown(from)),
            },
        };
        let is_link = matches!(dialect.entry().stream, StreamUse::Link(_));
        if is_link && matches!(packet.load, Loaded::Datagram(_)) && self.dialect.is_none() {
            self.printer.output.remark(packet.number, ENCRYPTED)?;
            return Ok(Flow::Encrypted);
        }
        let client = if server == to { from } else { to };
        self.sessions += 1;
        let mut conversation = Conversation::new(self.sessions, dialect, client, server);
        conversation.lobby = lobby;
        Ok(Flow::Known(Box::new(conversation), Box::new(Streams::new(dialect))))
    }

    /// Guesses what a conversation is, and prints what waited for that.
    fn decide(&mut self, ends: Ends) -> io::Result<()> {
        let Some(Flow::Unknown(first, evidence, held)) = self.flows.remove(&ends) else { return Ok(()) };
        let Some(guess) = evidence.guess() else {
            let is_quic = held.iter().any(CapturedPacket::is_quic);
            self.printer.summary.foreign += held.len() as u64;
            if let (true, Some(packet)) = (is_quic, held.first()) {
                self.printer.output.remark(packet.number, ENCRYPTED)?;
            }
            self.flows.insert(ends, if is_quic { Flow::Encrypted } else { Flow::Foreign });
            return Ok(());
        };
        let other = if ends.0 == first { ends.1 } else { ends.0 };
        let (client, server) = if guess.is_first_client { (first, other) } else { (other, first) };
        self.sessions += 1;
        let mut conversation = Conversation::new(self.sessions, guess.dialect, client, server);
        conversation.certainty = Some(guess.certainty);
        if let Some(packet) = held.first() {
            let (name, percent) = (guess.dialect.name(), guess.certainty * 100.0);
            let text = format!("{client} → {server} is {name} by its content, {percent:.0} % sure");
            self.printer.output.remark(packet.number, &text)?;
        }
        self.flows.insert(ends, Flow::Known(Box::new(conversation), Box::new(Streams::new(guess.dialect))));
        held.into_iter().try_for_each(|packet| self.take(packet))
    }
}

fn ends(packet: &CapturedPacket) -> Ends {
    (packet.from.min(packet.to), packet.from.max(packet.to))
}

impl Flow {
    fn unknown(first: SocketAddr) -> Flow {
        Flow::Unknown(first, Evidence::new(Dialect::ALL.into_iter()), Vec::new())
    }

    fn known(self) -> Option<(Box<Conversation>, Streams)> {
        match self {
            Flow::Known(conversation, streams) => Some((conversation, *streams)),
            Flow::Unknown(..) | Flow::Encrypted | Flow::Foreign => None,
        }
    }
}

impl CapturedPacket {
    fn is_quic(&self) -> bool {
        let (Loaded::Datagram(bytes) | Loaded::Line(Channel::Datagram, bytes)) = &self.load else { return false };
        bytes.get(1..5) == Some(&QUIC_VERSION_1) && bytes[0] >= 0xc0
    }
}

impl Evidence {
    fn look_at(&mut self, first: SocketAddr, packet: &CapturedPacket) {
        let is_first = packet.from == first;
        match &packet.load {
            Loaded::Datagram(bytes) => self.take(is_first, Channel::Datagram, bytes),
            Loaded::Segment { bytes, .. } if bytes.is_empty() => {}
            Loaded::Segment { bytes, .. } => self.take(is_first, Channel::Stream, bytes),
            Loaded::Line(channel, bytes) => self.take_line(is_first, *channel, bytes),
        }
    }
}

/// Where and when something was said.
struct Occasion {
    number: u64,
    time: Duration,
    from: SocketAddr,
    to: SocketAddr,
    is_cut: bool,
}

impl<W: Write> Printer<W> {
    /// Prints what came, and says whether it named a lobby's port.
    fn take(
        &mut self,
        conversation: &mut Conversation,
        streams: &mut Streams,
        packet: &CapturedPacket,
    ) -> io::Result<Option<LobbyDoor>> {
        let CapturedPacket { number, time, from, to, is_cut, .. } = *packet;
        let place = Occasion { number, time, from, to, is_cut };
        match &packet.load {
            Loaded::Datagram(bytes) | Loaded::Line(Channel::Datagram, bytes) => {
                self.datagrams(conversation, &place, bytes)
            }
            Loaded::Line(Channel::Stream, bytes) => self.said(conversation, &place, Channel::Stream, bytes),
            Loaded::Segment { sequence, is_first, bytes } => {
                let segment = Segment { sequence: *sequence, is_first: *is_first, bytes };
                let pieces = streams.take(conversation.sender(from), segment);
                self.summary.foreign += u64::from(streams.is_foreign());
                self.pieces(conversation, &place, pieces)
            }
        }
    }

    /// One datagram, or several that were sent at once.
    fn datagrams(
        &mut self,
        conversation: &mut Conversation,
        place: &Occasion,
        bytes: &[u8],
    ) -> io::Result<Option<LobbyDoor>> {
        let sender = conversation.sender(place.from);
        let explained = conversation.read(sender, Channel::Datagram, bytes);
        let is_whole = place.is_cut || explained.fault.is_none();
        let size = if is_whole { None } else { segment_size(conversation.dialect, sender, bytes) };
        let Some(size) = size else { return self.emit(conversation, place, explained) };
        let mut door = None;
        for part in bytes.chunks(size) {
            door = self.said(conversation, place, Channel::Datagram, part)?.or(door);
        }
        Ok(door)
    }

    fn pieces(
        &mut self,
        conversation: &mut Conversation,
        place: &Occasion,
        pieces: Vec<StreamEvent>,
    ) -> io::Result<Option<LobbyDoor>> {
        let mut door = None;
        for piece in pieces {
            match piece {
                StreamEvent::Said(channel, bytes) => door = self.said(conversation, place, channel, &bytes)?.or(door),
                StreamEvent::Missing(bytes) => {
                    let text = format!(
                        "{bytes} bytes of the stream from {} were not captured; it is read no further",
                        place.from
                    );
                    self.output.remark(place.number, &text)?;
                }
                StreamEvent::Lost(ruling) => {
                    let text = format!(
                        "the stream from {} is none of {}: a size is wrong{}",
                        place.from,
                        conversation.dialect.name(),
                        bracketed(ruling)
                    );
                    self.output.remark(place.number, &text)?;
                }
            }
        }
        Ok(door)
    }

    fn said(
        &mut self,
        conversation: &mut Conversation,
        place: &Occasion,
        channel: Channel,
        bytes: &[u8],
    ) -> io::Result<Option<LobbyDoor>> {
        let explained = conversation.read(conversation.sender(place.from), channel, bytes);
        self.emit(conversation, place, explained)
    }

    fn emit(
        &mut self,
        conversation: &mut Conversation,
        place: &Occasion,
        explained: Explained,
    ) -> io::Result<Option<LobbyDoor>> {
        // What was cut off is not the sender's fault.
        let explained = if place.is_cut { Explained { fault: None, ..explained } } else { explained };
        let oddities = conversation.note(place.time, &explained);
        self.summary.explained += 1;
        self.summary.malformed += u64::from(explained.fault.is_some());
        let about = About {
            number: place.number,
            time: place.time,
            from: place.from,
            to: place.to,
            session: conversation.number,
            lobby: conversation.lobby.clone(),
            oddities,
            is_cut: place.is_cut,
        };
        self.output.explain(&about, &explained)?;
        Ok(conversation.lobby_door(&explained))
    }
}
