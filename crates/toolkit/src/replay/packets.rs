//! What one player of a replay would have said and heard in a dialect: both halves of a session over a perfect network, as a capture
//! that Wireshark and `tcpdump` read.
//!
//! The client is at 192.0.2.1 and the node at 192.0.2.2, addresses that belong to nobody. A stream is shown as TCP, every datagram
//! as UDP, and both of a link as a WebSocket: over WebTransport nobody could read them.

use std::{io::Write, ops::RangeInclusive, time::Duration};

use anyhow::Context;
use etherparse::PacketBuilder;
use game::{Frame, Input, Seat};
use pcap_file::{
    DataLink,
    pcap::{PcapHeader, PcapPacket, PcapWriter},
};
use protocol::{
    Channel, ClientSession, Desk, DeskAnswer, Dialect, LobbyId, Numbers, Output, Plan, Scale, Scene, ServerSession,
    StreamUse, Time, Welcome,
};
use replay::{Reel, Replay};

use super::websocket;
use crate::UserError;

const TICK: Duration = Duration::from_micros(16_667);
/// A game of which it is not known when it was played.
const SOME_DAY: Time = Time::from_micros(1_700_000_000_000_000);
const CLIENT: ([u8; 4], u16) = ([192, 0, 2, 1], 40_000);
const NODE: [u8; 4] = [192, 0, 2, 2];
/// The port of the lobby, in the dialect that gives each its own.
const LOBBY_PORT: u16 = 24_500;
/// Bytes of a stream in one packet, as over Ethernet.
const SEGMENT_BYTES: usize = 1_400;
const HOPS: u8 = 64;
const WINDOW: u16 = u16::MAX;

/// Whose conversation is written, and which part of the game.
#[derive(Clone, Debug)]
pub struct PacketOptions {
    pub dialect: Dialect,
    /// The ticks of the game.
    pub ticks: RangeInclusive<u32>,
    /// The player; none: the first who is there.
    pub seat: Option<Seat>,
}

/// Writes the conversation. How many packets it took.
pub(super) fn write(replay: &Replay, options: &PacketOptions, out: &mut impl Write) -> anyhow::Result<usize> {
    let mut reel = Reel::new(replay)?;
    reel.seek(*options.ticks.start())?;
    let mut frame = Frame::default();
    reel.frame_into(&mut frame);
    let seat = options.seat.or_else(|| Seat::ALL.into_iter().find(|seat| frame.players[seat.index()].is_some()));
    let is_there = |seat: &Seat| frame.players[seat.index()].is_some();
    let seat = seat
        .filter(is_there)
        .ok_or_else(|| UserError("nobody plays there at that moment; choose another with --follow or --from".into()))?;
    let began =
        if replay.header().began_ms == 0 { SOME_DAY } else { Time::from_micros(replay.header().began_ms * 1000) };
    let capture = Capture::new(out, options.dialect)?;
    let mut conversation = ReplayedConversation::new(options.dialect, seat, began + TICK * reel.now(), capture);
    let mut scene = Scene::new(&replay.stage().name);
    while reel.now() < *options.ticks.end() && reel.tick()? {
        reel.frame_into(&mut scene.frame);
        if scene.frame.players[seat.index()].is_none() {
            break;
        }
        seat_players(&mut scene);
        conversation.tick(&mut scene, reel.played()[seat.index()])?;
    }
    Ok(conversation.capture.count)
}

/// Tells the scene who is there, by name.
fn seat_players(scene: &mut Scene) {
    for seat in Seat::ALL {
        let name = scene.frame.names[seat.index()];
        match scene.frame.players[seat.index()] {
            Some(_) if scene.name(seat) != name.as_str() => scene.seat_taken(seat, name.as_str()),
            Some(_) => {}
            None => scene.seat_left(seat),
        }
    }
}

/// A client and its session, which hear each other at once.
struct ReplayedConversation<W: Write> {
    now: Time,
    dialect: Dialect,
    seat: Seat,
    client: Box<dyn ClientSession>,
    server: Option<Box<dyn ServerSession>>,
    desk: Option<Box<dyn Desk>>,
    capture: Capture<W>,
    buffer: Vec<u8>,
    seen: Frame,
}

impl<W: Write> ReplayedConversation<W> {
    fn new(dialect: Dialect, seat: Seat, now: Time, capture: Capture<W>) -> ReplayedConversation<W> {
        let plan = Plan { name: format!("Player {}", seat.number() + 1), ..Plan::at(now) };
        let client = dialect.connect(plan);
        let (server, desk, buffer) = (None, None, Vec::new());
        let mut conversation =
            ReplayedConversation { now, dialect, seat, client, server, desk, capture, buffer, seen: Frame::default() };
        match dialect.entry().stream {
            StreamUse::None => {}
            StreamUse::Desk(open) => conversation.desk = Some(open(now)),
            StreamUse::OpensSession | StreamUse::Link(_) => conversation.accept(),
        }
        conversation
    }

    fn accept(&mut self) {
        let (seat, now) = (self.seat, self.now);
        let welcome = Welcome { seat, now, started: now, scale: Scale::default(), numbers: Numbers::default() };
        self.server = Some(self.dialect.accept(welcome));
    }

    fn tick(&mut self, scene: &mut Scene, input: Input) -> anyhow::Result<()> {
        self.now = self.now + TICK;
        scene.update(self.now);
        self.client.advance(self.now);
        self.client.press(self.now, input);
        while let Some(output) = self.client.poll(self.now, &mut self.buffer) {
            let sent = std::mem::take(&mut self.buffer);
            self.hear_client(output, &sent)?;
            self.buffer = sent;
        }
        self.answer_desk()?;
        self.publish(scene)?;
        self.client.take_frame(&mut self.seen);
        Ok(())
    }

    fn hear_client(&mut self, output: Output, sent: &[u8]) -> anyhow::Result<()> {
        let Some(channel) = channel(output) else {
            if let Output::DatagramsTo(port) = output {
                self.capture.node_port = port;
            }
            return Ok(());
        };
        self.capture.add(self.now, PacketDirection::ToNode, channel, sent)?;
        if self.server.is_none() && channel == Channel::Datagram {
            self.accept();
        }
        let heard = match (&mut self.server, &mut self.desk, channel) {
            (_, Some(desk), Channel::Stream) => desk.receive(self.now, sent),
            (Some(server), _, channel) => server.receive(self.now, channel, sent).map(drop),
            (None, _, _) => Ok(()),
        };
        heard.ok().context("our server could not read what our client sent")
    }

    fn answer_desk(&mut self) -> anyhow::Result<()> {
        let Some(mut desk) = self.desk.take() else { return Ok(()) };
        while desk.question().is_some() {
            desk.answer(self.now, DeskAnswer::Lobby { port: LOBBY_PORT, id: LobbyId::from_number(1) });
        }
        while let Some(output) = desk.poll(&mut self.buffer) {
            self.tell_client(output)?;
        }
        self.desk = Some(desk);
        Ok(())
    }

    fn publish(&mut self, scene: &Scene) -> anyhow::Result<()> {
        let Some(mut server) = self.server.take() else { return Ok(()) };
        server.advance(self.now);
        server.input(self.now);
        server.publish(self.now, scene);
        while let Some(output) = server.poll(self.now, &mut self.buffer) {
            self.tell_client(output)?;
        }
        self.server = Some(server);
        Ok(())
    }

    fn tell_client(&mut self, output: Output) -> anyhow::Result<()> {
        let Some(channel) = channel(output) else { return Ok(()) };
        self.capture.add(self.now, PacketDirection::ToClient, channel, &self.buffer)?;
        self.client.receive(self.now, channel, &self.buffer).map(drop).ok().context("our own node is not understood")
    }
}

fn channel(output: Output) -> Option<Channel> {
    match output {
        Output::Datagram => Some(Channel::Datagram),
        Output::Stream => Some(Channel::Stream),
        Output::CloseStream | Output::DatagramsTo(_) => None,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PacketDirection {
    ToNode,
    ToClient,
}

/// The file.
struct Capture<W: Write> {
    file: PcapWriter<W>,
    /// The port of the dialect's door.
    door: u16,
    /// Where the client sends its datagrams.
    node_port: u16,
    /// Whether both channels go through a WebSocket, and whether it is open.
    is_link: bool,
    is_open: bool,
    /// Bytes of the stream so far, to the node and to the client.
    streamed: [u32; 2],
    count: usize,
}

impl<W: Write> Capture<W> {
    fn new(out: W, dialect: Dialect) -> anyhow::Result<Capture<W>> {
        let (door, is_link) = (dialect.entry().port, matches!(dialect.entry().stream, StreamUse::Link(_)));
        let header = PcapHeader { datalink: DataLink::IPV4, ..PcapHeader::default() };
        let file = PcapWriter::with_header(out, header)?;
        Ok(Capture { file, door, node_port: door, is_link, is_open: false, streamed: [1, 1], count: 0 })
    }

    fn add(&mut self, now: Time, direction: PacketDirection, channel: Channel, bytes: &[u8]) -> anyhow::Result<()> {
        match channel {
            _ if self.is_link => {
                self.open_link(now)?;
                self.stream(now, direction, &websocket::frame(direction == PacketDirection::ToNode, channel, bytes)?)
            }
            Channel::Datagram => {
                let packet = self.datagram(direction, bytes)?;
                self.write(now, &packet)
            }
            Channel::Stream => self.stream(now, direction, bytes),
        }
    }

    fn open_link(&mut self, now: Time) -> anyhow::Result<()> {
        if !std::mem::replace(&mut self.is_open, true) {
            self.stream(now, PacketDirection::ToNode, websocket::REQUEST)?;
            self.stream(now, PacketDirection::ToClient, websocket::ANSWER)?;
        }
        Ok(())
    }

    fn stream(&mut self, now: Time, direction: PacketDirection, bytes: &[u8]) -> anyhow::Result<()> {
        bytes.chunks(SEGMENT_BYTES).try_for_each(|piece| {
            let packet = self.segment(direction, piece)?;
            self.write(now, &packet)
        })
    }

    fn datagram(&self, direction: PacketDirection, bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
        let (from, to) = match direction {
            PacketDirection::ToNode => ((CLIENT.0, CLIENT.1), (NODE, self.node_port)),
            PacketDirection::ToClient => ((NODE, self.node_port), (CLIENT.0, CLIENT.1)),
        };
        let builder = PacketBuilder::ipv4(from.0, to.0, HOPS).udp(from.1, to.1);
        let mut packet = Vec::with_capacity(builder.size(bytes.len()));
        builder.write(&mut packet, bytes)?;
        Ok(packet)
    }

    fn segment(&mut self, direction: PacketDirection, bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
        let [to_node, to_client] = self.streamed;
        let (from, to, sequence, confirmed) = match direction {
            PacketDirection::ToNode => ((CLIENT.0, CLIENT.1), (NODE, self.door), to_node, to_client),
            PacketDirection::ToClient => ((NODE, self.door), (CLIENT.0, CLIENT.1), to_client, to_node),
        };
        let builder = PacketBuilder::ipv4(from.0, to.0, HOPS).tcp(from.1, to.1, sequence, WINDOW).ack(confirmed).psh();
        let mut packet = Vec::with_capacity(builder.size(bytes.len()));
        builder.write(&mut packet, bytes)?;
        let sent = &mut self.streamed[usize::from(direction == PacketDirection::ToClient)];
        *sent = sent.wrapping_add(bytes.len() as u32);
        Ok(packet)
    }

    fn write(&mut self, now: Time, packet: &[u8]) -> anyhow::Result<()> {
        let at = Duration::from_micros(now.micros());
        self.file.write_packet(&PcapPacket::new(at, packet.len() as u32, packet))?;
        self.count += 1;
        Ok(())
    }
}
