//! The dissectors in the real `tshark`: every golden vector of every dialect, and captures of our own node against golden output.
//!
//! `cargo xtask test` runs them where there is a tshark. After a change of what is shown:
//! `cargo test -p toolkit --features tshark-tests --test tshark -- --ignored`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use etherparse::{PacketBuilder, SlicedPacket, TransportSlice};
use protocol::{
    Channel, Dialect, StreamUse,
    field_table::{Sender, Value, WalkMemory},
};
use tempfile::TempDir;
use toolkit::{
    decode::{Explained, Part, capture},
    dissector,
};

#[allow(dead_code, reason = "only the parsing of the vectors is needed here")]
#[path = "../../protocol/tests/vectors/mod.rs"]
mod vectors;

const CLIENT: [u8; 4] = [10, 0, 0, 1];
const SERVER: [u8; 4] = [10, 0, 0, 2];
/// Each vector has a conversation of its own, so that none learns from another.
const FIRST_PORT: u16 = 30_000;
/// A port that belongs to no dialect.
const OTHER_PORT: u16 = 9001;
/// The lobby's port in the capture of `rfc2020`.
const LOBBY_PORT: u16 = 24_500;
/// The initialisation that the document of `typeuh` prints: the names of three components.
const TYPEUH_EXAMPLE: &[u8] = b"\x00\x03\x08PositionVelocityHealth\x00\x00\xff\xff";

/// A pcap file with bare IP packets.
fn pcap(records: &[Vec<u8>]) -> Vec<u8> {
    let mut file = Vec::new();
    for word in [0xa1b2_c3d4, 0x0004_0002, 0, 0, 262_144, 101] {
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

fn udp(sender: Sender, client_port: u16, server_port: u16, payload: &[u8]) -> Vec<u8> {
    let mut packet = Vec::new();
    let builder = match sender {
        Sender::Client => PacketBuilder::ipv4(CLIENT, SERVER, 64).udp(client_port, server_port),
        Sender::Server => PacketBuilder::ipv4(SERVER, CLIENT, 64).udp(server_port, client_port),
    };
    builder.write(&mut packet, payload).expect("a small packet");
    packet
}

fn tcp(sender: Sender, ports: (u16, u16), sequence: u32, payload: &[u8]) -> Vec<u8> {
    let mut packet = Vec::new();
    let builder = match sender {
        Sender::Client => PacketBuilder::ipv4(CLIENT, SERVER, 64).tcp(ports.0, ports.1, sequence, 1024),
        Sender::Server => PacketBuilder::ipv4(SERVER, CLIENT, 64).tcp(ports.1, ports.0, sequence, 1024),
    };
    builder.ack(1).write(&mut packet, payload).expect("a small packet");
    packet
}

/// A WebSocket's greeting from both sides, and one message in it.
fn websocket(sender: Sender, ports: (u16, u16), channel: Channel, payload: &[u8]) -> Vec<Vec<u8>> {
    let request = b"GET /volley HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
    let answer = b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ICX+Yqv66kxgM0FcWaLWlFLwTAI=\r\n\r\n";
    let body = [&[u8::from(channel == Channel::Stream)], payload].concat();
    let mask: u8 = if sender == Sender::Client { 0x80 } else { 0 };
    let mut frame = vec![0x82];
    match body.len() {
        small @ 0..126 => frame.push(mask | small as u8),
        large => {
            frame.push(mask | 126);
            frame.extend((large as u16).to_be_bytes());
        }
    }
    if sender == Sender::Client {
        frame.extend([0; 4]);
    }
    frame.extend(body);
    let sequence = if sender == Sender::Client { request.len() } else { answer.len() };
    vec![
        tcp(Sender::Client, ports, 1, request),
        tcp(Sender::Server, ports, 1, answer),
        tcp(sender, ports, 1 + sequence as u32, &frame),
    ]
}

/// What tshark shows of a packet: names and values of our fields.
#[derive(Debug, Default, PartialEq)]
struct Shown {
    values: Vec<(String, String)>,
}

impl Shown {
    fn value(&self, name: &str) -> Option<&str> {
        self.values.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

struct Tshark {
    folder: TempDir,
}

impl Tshark {
    fn new() -> Tshark {
        let folder = tempfile::tempdir().expect("a folder");
        dissector::write(folder.path()).expect("a folder can be written to");
        Tshark { folder }
    }

    /// Runs it on a capture, with the dissectors of all dialects.
    fn run(&self, capture: &Path, arguments: &[&str]) -> String {
        let output = self.output(capture, arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !error.contains("Lua"), "{error}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn output(&self, capture: &Path, arguments: &[&str]) -> Output {
        let mut command = Command::new("tshark");
        command.arg("-r").arg(capture).args(arguments).env("HOME", self.folder.path());
        for dialect in Dialect::ALL {
            let script = self.folder.path().join(format!("rtype_{}.lua", dialect.name()));
            command.arg("-X").arg(format!("lua_script:{}", script.display()));
        }
        command.output().expect("tshark runs")
    }

    /// What it shows of each packet of some records.
    fn show(&self, dialect: Dialect, records: &[Vec<u8>]) -> Vec<Shown> {
        let capture = self.folder.path().join("vectors.pcap");
        fs::write(&capture, pcap(records)).expect("a folder can be written to");
        let pdml = self.run(&capture, &["-T", "pdml"]);
        let prefix = format!("rtype.{}.", dialect.name());
        pdml.split("<packet>").skip(1).map(|packet| shown(packet, &prefix)).collect()
    }
}

fn shown(packet: &str, prefix: &str) -> Shown {
    let mut shown = Shown::default();
    for field in packet.split("<field name=\"").skip(1) {
        let (name, rest) = field.split_once('"').expect("a name ends");
        let Some(name) = name.strip_prefix(prefix) else { continue };
        let value =
            rest.split_once(" show=\"").and_then(|(_, rest)| rest.split_once('"')).map_or("", |(value, _)| value);
        let plain = [("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"), ("&apos;", "'"), ("&#39;", "'")];
        let value = plain.iter().fold(value.to_owned(), |text, (escape, letter)| text.replace(escape, letter));
        shown.values.push((name.to_owned(), value));
    }
    shown
}

/// Whether tshark's text is that value.
fn is_same(value: Value, text: &str) -> bool {
    match value {
        Value::Unsigned(number) => text == number.to_string(),
        Value::Signed(number) => text == number.to_string(),
        Value::Float(number) if number.is_finite() => text.parse::<f64>().is_ok_and(|shown| {
            let number = f64::from(number);
            (shown - number).abs() <= number.abs() * 1e-5 + 1e-44
        }),
        Value::Float(number) => text.eq_ignore_ascii_case(&format!("{number}")),
        // Letters that cannot be shown are shown in other ways.
        Value::Text(known) => {
            text == known || known.contains(|letter: char| letter.is_control() || letter == '\\' || letter == '"')
        }
        Value::Bytes(_) => true,
        Value::Nothing => text == "none",
    }
}

/// Fields that are about the message rather than in it.
const ABOUT: [&str; 8] =
    ["message", "sender", "violation", "malformed", "odd", "request_in", "answer_in", "answer_time"];

fn assert_shown(dialect: Dialect, place: &str, explained: &Explained, shown: &Shown) {
    let told: Vec<_> = explained
        .entries
        .iter()
        .filter_map(|entry| match entry.part {
            Part::Value(told) => Some(told),
            _ => None,
        })
        .collect();
    let seen: Vec<_> = shown.values.iter().filter(|(name, _)| !ABOUT.contains(&name.as_str())).collect();
    let is_alike = told.len() == seen.len()
        && told.iter().zip(&seen).all(|(told, (name, text))| told.field.name == name && is_same(told.value, text));
    assert!(is_alike, "{} {place}: the table tells {told:#?}, tshark shows {shown:#?}", dialect.name());
    let violation = shown.values.iter().rfind(|(name, _)| name == "violation");
    match explained.fault {
        // What no table can describe only our own reader can refuse.
        Some(fault) if fault.field.is_some() || dialect.entry().fields.opaque.is_none() => {
            let expected = format!("{:?} {}", fault.malformed, fault.ruling);
            assert_eq!(
                violation.map(|(_, text)| text.as_str()),
                Some(expected.trim_end()),
                "{} {place}",
                dialect.name()
            );
            assert!(shown.value("malformed").is_some(), "{} {place}: {shown:?}", dialect.name());
        }
        Some(_) => {}
        None => assert_eq!(shown.value("malformed"), None, "{} {place}: {shown:?}", dialect.name()),
    }
}

/// The packets of a vector, the last of which is shown, and what was said before it. Nothing, if no dissector ever sees it: an empty
/// datagram, and bytes of a link's stream whose size is wrong, so that no message can be cut out of it.
fn packets(dialect: Dialect, ports: (u16, u16), vector: &vectors::Vector) -> Option<(Vec<Vec<u8>>, WalkMemory)> {
    let (sender, channel) = side(vector);
    let (mut records, mut memory) = (Vec::new(), WalkMemory::default());
    if vector.bytes.is_empty() {
        return None;
    }
    if vector.section.contains(" with the names of the document's example") {
        Explained::read(dialect, (Sender::Server, channel), TYPEUH_EXAMPLE, &mut memory);
        records.push(udp(Sender::Server, ports.0, ports.1, TYPEUH_EXAMPLE));
    }
    if matches!(dialect.entry().stream, StreamUse::Link(_)) {
        let is_message = dialect.entry().fields.next_message(sender, &vector.bytes).is_ok();
        if channel == Channel::Stream && !is_message {
            return None;
        }
        records.extend(websocket(sender, ports, channel, &vector.bytes));
    } else {
        records.push(udp(sender, ports.0, ports.1, &vector.bytes));
    }
    Some((records, memory))
}

fn side(vector: &vectors::Vector) -> (Sender, Channel) {
    let sender = if vector.section.starts_with("client") { Sender::Client } else { Sender::Server };
    (sender, if vector.section.ends_with("stream") { Channel::Stream } else { Channel::Datagram })
}

#[test]
fn every_golden_vector_is_shown_as_the_table_tells_it() {
    let tshark = Tshark::new();
    for dialect in Dialect::ALL {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../protocol/vectors/{}.txt", dialect.name()));
        let (mut records, mut expected) = (Vec::new(), Vec::new());
        let vectors = vectors::load(&file);
        for (index, vector) in vectors.iter().enumerate() {
            let ports = (FIRST_PORT + index as u16, dialect.entry().port);
            let Some((packets, memory)) = packets(dialect, ports, vector) else { continue };
            records.extend(packets);
            expected.push((records.len() - 1, memory, vector));
        }
        let shown = tshark.show(dialect, &records);
        assert_eq!(shown.len(), records.len());
        for (at, mut memory, vector) in expected {
            let explained = Explained::read(dialect, side(vector), &vector.bytes, &mut memory);
            assert_shown(dialect, &format!("[{}] {:02x?}", vector.section, vector.bytes), &explained, &shown[at]);
        }
    }
}

#[test]
fn the_names_of_a_session_are_learned_and_a_stream_is_put_together() {
    let tshark = Tshark::new();
    let port = Dialect::Typeuh.entry().port;
    let health = [3, 0, 1, 0, 2, 0, 3, 0, 4];
    let records = [TYPEUH_EXAMPLE, &health].map(|bytes| udp(Sender::Server, FIRST_PORT, port, bytes));
    let shown = tshark.show(Dialect::Typeuh, &records);
    assert_eq!((shown[1].value("health_now"), shown[1].value("health_max")), (Some("3"), Some("4")), "{shown:?}");

    let port = Dialect::Rfc2020.entry().port;
    let create = [&[1, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 9][..], b"endless"].concat();
    let answer = [&[0x41, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 9, 0x5f, 0xb4][..], b"KXWQ29"].concat();
    let join = [12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10];
    let ports = (FIRST_PORT, port);
    let records = [
        tcp(Sender::Client, ports, 1, &create[..9]),
        tcp(Sender::Client, ports, 10, &create[9..]),
        tcp(Sender::Server, ports, 1, &answer),
        udp(Sender::Client, FIRST_PORT, LOBBY_PORT, &join),
    ];
    let shown = tshark.show(Dialect::Rfc2020, &records);
    assert_eq!(shown[1].value("map_name"), Some("endless"), "{shown:?}");
    assert_eq!(shown[2].value("created_lobby_id"), Some("KXWQ29"), "{shown:?}");
    assert_eq!((shown[2].value("request_in"), shown[2].value("answer_time")), (Some("2"), Some("0.001000000")));
    assert_eq!(shown[3].value("message"), Some("JOIN"), "the lobby's port was told: {shown:?}");
}

/// The datagrams of a capture, moved to a port that belongs to no dialect.
fn moved(dialect: Dialect, capture: &Path) -> Vec<Vec<u8>> {
    let mut records = Vec::new();
    let file = fs::read(capture).expect("the capture is there");
    let read = capture::read_capture(&file[..], |record| {
        let packet = SlicedPacket::from_ethernet(record.bytes)?;
        // An empty datagram never reaches a dissector.
        if let Some(TransportSlice::Udp(datagram)) = packet.transport
            && !datagram.payload().is_empty()
        {
            let is_client = [dialect.entry().port, LOBBY_PORT].contains(&datagram.destination_port());
            let sender = if is_client { Sender::Client } else { Sender::Server };
            records.push(udp(sender, FIRST_PORT, OTHER_PORT, datagram.payload()));
        }
        Ok(())
    });
    read.expect("the capture is whole");
    records
}

/// How many packets each dialect's dissector shows.
fn counts(tshark: &Tshark, capture: &Path, arguments: &[&str]) -> Vec<(Dialect, usize)> {
    let names: Vec<String> = Dialect::ALL.iter().map(|dialect| format!("rtype.{}.message", dialect.name())).collect();
    let fields = names.iter().flat_map(|name| ["-e", name.as_str()]);
    let fields: Vec<&str> = ["-T", "fields"].into_iter().chain(fields).chain(arguments.iter().copied()).collect();
    let printed = tshark.run(capture, &fields);
    let rows: Vec<Vec<&str>> = printed.lines().map(|line| line.split('\t').collect()).collect();
    let count = |column: usize| rows.iter().filter(|row| row.get(column).is_some_and(|cell| !cell.is_empty())).count();
    Dialect::ALL.into_iter().enumerate().map(|(column, dialect)| (dialect, count(column))).collect()
}

#[test]
fn datagrams_at_another_port_are_recognised_and_shown_unless_that_is_switched_off() {
    let tshark = Tshark::new();
    for (dialect, capture) in captures() {
        let (name, records) = (dialect.name(), moved(dialect, &capture));
        let path = tshark.folder.path().join("moved.pcap");
        fs::write(&path, pcap(&records)).expect("it can be written");
        for (other, shown) in counts(&tshark, &path, &[]) {
            match other == dialect {
                // What comes before the first datagram that says enough stays unknown.
                true => assert!(shown * 10 >= records.len() * 9, "{name}: {shown} of {}", records.len()),
                false => assert_eq!(shown, 0, "{name} is taken for {}", other.name()),
            }
        }
        let own = |arguments: &[&str]| {
            counts(&tshark, &path, arguments).into_iter().find(|(other, _)| *other == dialect).map(|(_, shown)| shown)
        };
        let off = format!("rtype_{name}.heuristic:FALSE");
        assert_eq!(own(&["-o", &off]), Some(0), "{name}");
        assert_eq!(
            own(&["-o", &off, "-o", &format!("rtype_{name}.ports:{OTHER_PORT}")]),
            Some(records.len()),
            "{name}"
        );
    }
}

#[test]
fn a_link_is_found_at_the_ports_of_its_preference_and_nowhere_else() {
    let tshark = Tshark::new();
    let hello = [6, 0, 0, 4, 3, b'A', b'n', b'n'];
    let capture = tshark.folder.path().join("link.pcap");
    let message = |port: u16, ports: &str| {
        let records = websocket(Sender::Client, (FIRST_PORT, port), Channel::Stream, &hello);
        fs::write(&capture, pcap(&records)).expect("it can be written");
        let preference = format!("rtype_volley.ports:{ports}");
        tshark.run(&capture, &["-T", "fields", "-e", "rtype.volley.message", "-o", &preference]).trim().to_owned()
    };
    let own = Dialect::Volley.entry().port;
    let others = format!("{}-{}", OTHER_PORT - 2, OTHER_PORT + 1);
    assert_eq!(message(own, &own.to_string()), "Hello");
    assert_eq!(message(OTHER_PORT, &others), "Hello");
    assert_eq!(message(OTHER_PORT, &own.to_string()), "");
    assert_eq!(message(own, &others), "");
    let output = tshark.output(&capture, &["-o", "rtype_volley.heuristic:FALSE"]);
    assert!(!output.status.success(), "there is nothing to switch off: {output:?}");
}

/// Captures of our own node: of every dialect with ports of its own, the first second of a game with a bot.
fn captures() -> impl Iterator<Item = (Dialect, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures");
    Dialect::with_ports().map(move |dialect| (dialect, folder.join(format!("{}.pcap", dialect.name()))))
}

/// What tshark makes of a capture: a line for each packet, and all of the first ones.
fn golden(tshark: &Tshark, dialect: Dialect, capture: &Path) -> String {
    let name = dialect.name();
    let field = |field: &str| format!("rtype.{name}.{field}");
    let (message, violation) = (field("message"), field("violation"));
    let layer = format!("rtype_{name}");
    let fields = ["-T", "fields", "-e", "frame.number", "-e", "_ws.col.Protocol", "-e", "_ws.col.Info"];
    let lines = tshark.run(capture, &[&fields[..], &["-e", &message, "-e", &violation, "-Y", &layer]].concat());
    let whole = tshark.run(capture, &["-c", "12", "-O", &layer]);
    let ours = whole.lines().filter(|line| line.starts_with("R-Type") || line.starts_with("    "));
    format!("{lines}\n{}\n", ours.collect::<Vec<_>>().join("\n"))
}

#[test]
fn captures_of_our_own_node_are_shown_as_ever_and_without_a_violation() {
    let tshark = Tshark::new();
    for (dialect, capture) in captures() {
        let shown = golden(&tshark, dialect, &capture);
        let expected = fs::read_to_string(capture.with_extension("txt")).expect("the golden output is there");
        assert_eq!(shown, expected, "{}", dialect.name());
        let name = dialect.name();
        let wrong = tshark.run(&capture, &["-Y", &format!("rtype.{name}.malformed || _ws.lua.error")]);
        assert_eq!(wrong, "", "{name}");
    }
}

#[test]
// tidy: allow(leftovers) it proves nothing: it writes what the test above compares
#[ignore = "writes tests/captures"]
fn write_the_golden_output() {
    let tshark = Tshark::new();
    for (dialect, capture) in captures() {
        fs::write(capture.with_extension("txt"), golden(&tshark, dialect, &capture)).expect("it can be written");
    }
}
