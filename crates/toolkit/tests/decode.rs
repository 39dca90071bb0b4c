//! `volley decode` on captures of every kind: links, VLAN, IPv6, fragments, cut records, TCP in any order, WebSockets, noise.

use std::net::Ipv4Addr;

use etherparse::{PacketBuilder, PacketBuilderStep, UdpHeader};
use protocol::{Dialect, rfc2020, snapshot};
use toolkit::decode::{Decoder, ExplanationOutput, Form, Summary, capture};

const CLIENT: [u8; 4] = [10, 0, 0, 1];
const SERVER: [u8; 4] = [10, 0, 0, 2];
const CLIENT_PORT: u16 = 50_000;
const MACS: ([u8; 6], [u8; 6]) = ([1; 6], [2; 6]);

// Types of links, as in captures.
const NULL: u32 = 0;
const ETHERNET: u32 = 1;
const RAW: u32 = 101;
const SLL: u32 = 113;
const SLL2: u32 = 276;

/// A pcap file of these records.
fn pcap(link: u32, records: &[Vec<u8>]) -> Vec<u8> {
    let mut file = Vec::new();
    for word in [0xa1b2_c3d4, 0x0004_0002, 0, 0, 262_144, link] {
        file.extend(u32::to_le_bytes(word));
    }
    for (index, record) in records.iter().enumerate() {
        let size = record.len() as u32;
        for word in [1_700_000_000, 1000 * index as u32, size, size] {
            file.extend(word.to_le_bytes());
        }
        file.extend(record);
    }
    file
}

/// A pcapng file of these records, on one interface.
fn pcapng(link: u16, records: &[Vec<u8>]) -> Vec<u8> {
    let block = |kind: u32, body: &[u8]| {
        let size = (body.len().next_multiple_of(4) + 12) as u32;
        let mut block = [kind.to_le_bytes(), size.to_le_bytes()].concat();
        block.extend(body);
        block.resize(size as usize - 4, 0);
        block.extend(size.to_le_bytes());
        block
    };
    let section = [&0x1a2b_3c4d_u32.to_le_bytes()[..], &[1, 0, 0, 0], &[0xff; 8]].concat();
    let interface = [&link.to_le_bytes()[..], &[0, 0], &[0, 0, 4, 0]].concat();
    let mut file = [block(0x0a0d_0d0a, &section), block(1, &interface)].concat();
    for record in records {
        let size = (record.len() as u32).to_le_bytes();
        let head = [&[0; 4][..], &[0; 8], &size, &size].concat();
        file.extend(block(6, &[&head, &record[..]].concat()));
    }
    file
}

fn finished(step: PacketBuilderStep<UdpHeader>, payload: &[u8]) -> Vec<u8> {
    let mut packet = Vec::new();
    step.write(&mut packet, payload).expect("a small packet");
    packet
}

/// A datagram from the client to `snapshot`'s port, from the network layer on.
fn ip(payload: &[u8]) -> Vec<u8> {
    finished(PacketBuilder::ipv4(CLIENT, SERVER, 64).udp(CLIENT_PORT, snapshot::ENTRY.port), payload)
}

fn ethernet(payload: &[u8]) -> Vec<u8> {
    let builder = PacketBuilder::ethernet2(MACS.0, MACS.1).ipv4(CLIENT, SERVER, 64);
    finished(builder.udp(CLIENT_PORT, snapshot::ENTRY.port), payload)
}

/// Player 2 presses the up arrow.
const INPUT: [u8; 10] = [1, 0, 7, 0, 0, 0, 9, 2, 0x26, 1];

/// What is printed of a capture, and its summary.
fn decode(file: &[u8]) -> (String, Summary) {
    decode_as(file, None)
}

fn decode_as(file: &[u8], dialect: Option<Dialect>) -> (String, Summary) {
    let output = ExplanationOutput::new(Vec::new(), Form::Text { has_colour: false }, None);
    let mut decoder = Decoder::new(dialect, output);
    capture::read_capture(file, |record| Ok(decoder.record(&record)?)).expect("the file is whole");
    let (summary, mut output) = decoder.finish().expect("memory can be written to");
    output.conclude(&summary).expect("memory can be written to");
    (String::from_utf8(output.out).expect("UTF-8"), summary)
}

fn assert_is_input(file: &[u8]) {
    let (text, summary) = decode(file);
    assert_eq!((summary.explained, summary.malformed), (1, 0), "{text}");
    for part in ["snapshot", "INPUT, 10 bytes", "Key Code", "38 up", "S3", "session 1"] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
}

#[test]
fn every_kind_of_link_is_read() {
    assert_is_input(&pcap(ETHERNET, &[ethernet(&INPUT)]));
    assert_is_input(&pcapng(1, &[ethernet(&INPUT)]));
    assert_is_input(&pcap(RAW, &[ip(&INPUT)]));
    assert_is_input(&pcap(NULL, &[[&2_u32.to_le_bytes()[..], &ip(&INPUT)].concat()]));
    let cooked = [&[0, 0, 3, 4, 0, 6][..], &[0; 8], &[8, 0], &ip(&INPUT)].concat();
    assert_is_input(&pcap(SLL, &[cooked]));
    let cooked2 = [&[8, 0][..], &[0; 18], &ip(&INPUT)].concat();
    assert_is_input(&pcap(SLL2, &[cooked2]));
    let vlan = PacketBuilder::ethernet2(MACS.0, MACS.1).single_vlan(7.try_into().unwrap()).ipv4(CLIENT, SERVER, 64);
    assert_is_input(&pcap(ETHERNET, &[finished(vlan.udp(CLIENT_PORT, snapshot::ENTRY.port), &INPUT)]));
    let ipv6 = PacketBuilder::ethernet2(MACS.0, MACS.1).ipv6([1; 16], [2; 16], 64);
    assert_is_input(&pcap(ETHERNET, &[finished(ipv6.udp(CLIENT_PORT, snapshot::ENTRY.port), &INPUT)]));
}

#[test]
fn a_datagram_in_fragments_is_put_together_in_any_order() {
    let whole = ip(&INPUT);
    let (header, body) = whole.split_at(20);
    let fragment = |offset: usize, end: usize| {
        let mut packet = [header, &body[offset..end]].concat();
        let size = (packet.len() as u16).to_be_bytes();
        packet[2..4].copy_from_slice(&size);
        let has_more = u16::from(end < body.len()) << 13;
        packet[6..8].copy_from_slice(&(has_more | (offset / 8) as u16).to_be_bytes());
        packet
    };
    assert_is_input(&pcap(RAW, &[fragment(8, body.len()), fragment(0, 8)]));
    assert_is_input(&pcap(RAW, &[fragment(0, 8), fragment(0, 8), fragment(8, body.len())]));
    let (text, summary) = decode(&pcap(RAW, &[fragment(0, 8)]));
    assert_eq!(summary.explained, 0, "{text}");
}

#[test]
fn what_was_cut_off_is_shown_as_far_as_it_goes_and_is_not_the_senders_fault() {
    let mut file = pcap(ETHERNET, &[ethernet(&INPUT)]);
    // The record keeps its length, but the last two bytes were not captured.
    file.truncate(file.len() - 2);
    let captured = (ethernet(&INPUT).len() - 2) as u32;
    file[24 + 8..24 + 12].copy_from_slice(&captured.to_le_bytes());
    let (text, summary) = decode(&file);
    assert_eq!((summary.explained, summary.malformed, summary.cut), (1, 0, 1), "{text}");
    assert!(text.contains("Player ID") && text.contains("only the beginning"), "{text}");
}

#[test]
fn violations_are_marked_with_their_ruling_and_summed_up() {
    let mut killed = vec![0x41, 0, 0, 0, 0, 0, 0, 3, 1, 0];
    let from_server = |payload: &[u8]| {
        let builder = PacketBuilder::ethernet2(MACS.1, MACS.0).ipv4(SERVER, CLIENT, 64);
        finished(builder.udp(snapshot::ENTRY.port, CLIENT_PORT), payload)
    };
    let mut records = vec![from_server(&killed)];
    killed[0] = 0x40;
    records.extend([from_server(&killed), from_server(&killed)]);
    records.push(ethernet(&[1, 0, 1, 0, 0, 0, 0, 7, 0x26, 1]));
    let (text, summary) = decode(&pcap(ETHERNET, &records));
    assert_eq!((summary.explained, summary.malformed), (4, 1), "{text}");
    assert!(text.contains("violation: no such type, from this side [S1]"), "{text}");
    assert!(text.contains("odd: Player ID is not what S5 expects"), "{text}");
    assert!(text.contains("odd: Packet ID 0 was used before [Header Fields, S4]"), "{text}");
    assert_eq!(summary.violations.len(), 3, "{text}");
}

#[test]
fn a_dialect_at_another_port_is_guessed_with_how_sure_it_is() {
    let join = [&[2, 0, 0, 0, 0, 0, 0][..], b"Ann"].concat();
    let answer = [8, 0, 0, 0, 0, 0, 0, 0];
    let udp = |from: [u8; 4], to, ports: (u16, u16), payload: &[u8]| {
        finished(PacketBuilder::ipv4(from, to, 64).udp(ports.0, ports.1), payload)
    };
    let records = [
        udp(CLIENT, SERVER, (9000, 9001), &join),
        udp(SERVER, CLIENT, (9001, 9000), &answer),
        udp(CLIENT, SERVER, (9000, 9001), &INPUT),
        udp(CLIENT, SERVER, (9000, 53), b"\xab\xcd\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x01a\x00\x00\x01\x00\x01"),
    ];
    let (text, summary) = decode(&pcap(RAW, &records));
    assert_eq!((summary.explained, summary.foreign), (3, 1), "{text}");
    assert!(
        text.contains("10.0.0.1:9000 → 10.0.0.2:9001 is snapshot by its content") && text.contains("% sure"),
        "{text}"
    );
    let (text, summary) = decode_as(&pcap(RAW, &records[..3]), Some(Dialect::Snapshot));
    assert_eq!((summary.explained, summary.malformed), (3, 0), "{text}");
}

/// Segments of one TCP connection.
struct Tcp {
    client: (u16, u32),
    server: (u16, u32),
    records: Vec<Vec<u8>>,
}

impl Tcp {
    fn connect(port: u16) -> Tcp {
        let mut tcp = Tcp { client: (CLIENT_PORT, 1000), server: (port, u32::MAX - 2), records: Vec::new() };
        tcp.segment(true, 1000, b"", true);
        tcp.segment(false, u32::MAX - 2, b"", true);
        tcp
    }

    fn segment(&mut self, is_client: bool, sequence: u32, bytes: &[u8], is_first: bool) {
        let (from, to) = if is_client { (CLIENT, SERVER) } else { (SERVER, CLIENT) };
        let (source, destination) =
            if is_client { (self.client.0, self.server.0) } else { (self.server.0, self.client.0) };
        let mut step = PacketBuilder::ipv4(from, to, 64).tcp(source, destination, sequence, 1024);
        if is_first {
            step = step.syn();
        }
        let mut packet = Vec::new();
        step.write(&mut packet, bytes).expect("a small packet");
        self.records.push(packet);
    }

    /// The next bytes of a direction, cut into pieces that arrive backwards, the first of them twice.
    fn say(&mut self, is_client: bool, bytes: &[u8], piece: usize) {
        let start = if is_client { self.client.1 } else { self.server.1 }.wrapping_add(1);
        let pieces: Vec<_> = bytes.chunks(piece).enumerate().collect();
        for (index, part) in pieces.iter().rev().chain(pieces.first()) {
            self.segment(is_client, start.wrapping_add((index * piece) as u32), part, false);
        }
        let end = start.wrapping_add(bytes.len() as u32).wrapping_sub(1);
        if is_client { self.client.1 = end } else { self.server.1 = end }
    }
}

#[test]
fn a_stream_is_read_however_its_segments_arrive_and_the_lobby_is_found_at_its_own_port() {
    let mut tcp = Tcp::connect(rfc2020::ENTRY.port);
    // CREATE "endless", and the answer: port 24500, lobby KXWQ29.
    let create = [&[1, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 9][..], b"endless"].concat();
    let answer = [&[0x41, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 9, 0x5f, 0xb4][..], b"KXWQ29"].concat();
    tcp.say(true, &create, 5);
    tcp.say(false, &answer, 3);
    let join = [&[12, 0, 0, 0, 0, 0, 0, 0, 0][..], &[0, 0, 0, 0, 0, 0, 0, 10]].concat();
    tcp.records.push(finished(PacketBuilder::ipv4(CLIENT, SERVER, 64).udp(40_000, 24_500), &join));
    let (text, summary) = decode(&pcap(RAW, &tcp.records));
    assert_eq!((summary.explained, summary.malformed), (3, 0), "{text}");
    assert!(text.contains("CREATE answer") && text.contains("24500"), "{text}");
    assert!(text.contains("lobby KXWQ29") && text.contains("JOIN, 17 bytes"), "{text}");
    assert!(text.contains("round trips  1"), "{text}");
}

#[test]
fn volley_over_a_websocket_is_read() {
    let mut tcp = Tcp::connect(Dialect::Volley.entry().port);
    tcp.say(true, b"GET /volley HTTP/1.1\r\nUpgrade: websocket\r\n\r\n", 100);
    tcp.say(false, b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n", 100);
    // Masked with zeros: Hello of Ann over the stream; a report as a datagram.
    tcp.say(true, &[0x82, 0x89, 0, 0, 0, 0, 1, 6, 0, 0, 4, 3, b'A', b'n', b'n'], 4);
    tcp.say(true, &[0x82, 0x86, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0], 100);
    tcp.say(false, &[0x82, 5, 1, 2, 0, 0, 4], 100);
    let (text, summary) = decode(&pcap(RAW, &tcp.records));
    assert_eq!((summary.explained, summary.malformed), (3, 0), "{text}");
    for part in ["Hello", "\"Ann\"", "Report", "newest input = 0", "Welcome"] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
}

#[test]
fn quic_is_encrypted_and_it_is_said_how_to_log_keys() {
    let quic = [&[0xc3, 0, 0, 0, 1][..], &[7; 1195]].concat();
    let builder = PacketBuilder::ipv4(CLIENT, SERVER, 64).udp(CLIENT_PORT, Dialect::Volley.entry().port);
    let (text, summary) = decode(&pcap(RAW, &[finished(builder, &quic)]));
    assert_eq!((summary.explained, summary.encrypted), (0, 1));
    assert!(text.contains("SSLKEYLOGFILE"), "{text}");
}

#[test]
fn noise_never_panics_and_is_counted() {
    let mut dice = game::Dice::new(3);
    let noise: Vec<Vec<u8>> =
        (0..2000).map(|_| (0..dice.below(120)).map(|_| dice.below(256) as u8).collect()).collect();
    for link in [NULL, ETHERNET, RAW, SLL, SLL2, 147] {
        let (_, summary) = decode(&pcap(link, &noise));
        assert_eq!(summary.records, 2000);
    }
    let sane: Vec<Vec<u8>> = noise.iter().map(|bytes| ethernet(bytes)).collect();
    let (_, summary) = decode(&pcap(ETHERNET, &sane));
    assert_eq!(summary.explained, 2000);
    let file = pcapng(1, &sane);
    for length in (0..file.len()).step_by(97) {
        let mut records = 0;
        let _ = capture::read_capture(&file[..length], |_| {
            records += 1;
            Ok(())
        });
        assert!(records <= 2000);
    }
    assert_ne!(Ipv4Addr::from(CLIENT), Ipv4Addr::from(SERVER));
}
