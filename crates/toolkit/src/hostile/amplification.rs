//! `volley bench amplification`: what an address that has proved nothing can make a node send, at each door, as a multiple of
//! what it sent. A forged address would aim that at somebody else.

use std::{
    fmt,
    io::{Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpStream, UdpSocket},
    path::PathBuf,
    time::{Duration, Instant},
};

use anyhow::Context;
use protocol::{
    Dialect, Plan, StreamUse, Time,
    rfc2020::wire::{FromClient, FromServer, MapName, Message},
};
use wtransport::{ClientConfig, Endpoint, tls::Sha256Digest};

use crate::node_process::{NodeOptions, NodeProcess};

const LOOPBACK: Ipv4Addr = Ipv4Addr::LOCALHOST;
/// What comes within this is counted.
const LISTENS: Duration = Duration::from_secs(3);
const PATIENCE: Duration = Duration::from_secs(5);
const QUIC_FIRST_BYTES: usize = 1_200;
/// Within this a client has sent its first packet.
const QUIC_WAIT: Duration = Duration::from_millis(300);
/// More than the seats of one lobby, because not every first datagram takes one.
const SEATS_ASKED_FOR: usize = 24;

/// What is to be done.
#[derive(Clone, Debug)]
pub struct Options {
    /// This program: the node is a process of it.
    pub program: PathBuf,
}

/// What one door sends.
#[derive(Clone, Debug)]
pub struct Row {
    pub door: &'static str,
    pub asked: &'static str,
    pub bytes_in: u64,
    pub bytes_out: u64,
    /// Whether the door serves public addresses unless the host opens it.
    pub is_open_to_all: bool,
}

/// What every door sends.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub rows: Vec<Row>,
}

impl Row {
    pub fn factor(&self) -> f64 {
        self.bytes_out as f64 / self.bytes_in.max(1) as f64
    }
}

impl Report {
    /// The worst of the doors that everybody is served at.
    pub fn worst_open(&self) -> f64 {
        self.rows.iter().filter(|row| row.is_open_to_all).map(Row::factor).fold(0.0, f64::max)
    }
}

/// Asks at every door, from an address that then says nothing.
pub fn run(options: &Options) -> anyhow::Result<Report> {
    let node = NodeProcess::start(&options.program, NodeOptions::default(), None)?;
    let mut report = Report::default();
    for dialect in Dialect::with_ports() {
        if let StreamUse::Desk(_) = dialect.entry().stream {
            report.rows.push(another_port(&node, dialect)?);
            continue;
        }
        let door = node.door(dialect)?;
        let proof = dialect.entry().proof;
        let mut row = |asked, bytes: &[u8]| -> anyhow::Result<()> {
            let (bytes_in, bytes_out) = ask(door, bytes)?;
            let is_open_to_all = protocol::amplification::may_serve(proof, false, false);
            report.rows.push(Row { door: dialect.name(), asked, bytes_in, bytes_out, is_open_to_all });
            Ok(())
        };
        row("its first datagram", &hello(dialect))?;
        row("an empty datagram", b"")?;
        row("noise", &[0x55; 64])?;
    }
    report.rows.extend(quic(&node)?);
    report.rows.extend(full(options)?);
    Ok(report)
}

/// A node that is full refuses, and says so in some dialects.
fn full(options: &Options) -> anyhow::Result<Vec<Row>> {
    let arguments = ["--lobbies", "1", "--seats-per-address", "1000"];
    let node =
        NodeProcess::start(&options.program, NodeOptions { arguments: &arguments, ..NodeOptions::default() }, None)?;
    let takes_streams = |dialect: &Dialect| matches!(dialect.entry().stream, StreamUse::Desk(_));
    let dialects: Vec<Dialect> = Dialect::with_ports().filter(|dialect| !takes_streams(dialect)).collect();
    // They stay until the end: their sessions are not given up meanwhile.
    let mut inside = Vec::new();
    for dialect in dialects.iter().cycle().take(SEATS_ASKED_FOR) {
        let socket = UdpSocket::bind((LOOPBACK, 0))?;
        socket.send_to(&hello(*dialect), node.door(*dialect)?)?;
        inside.push(socket);
    }
    let mut rows = Vec::new();
    for dialect in dialects {
        let (bytes_in, bytes_out) = ask(node.door(dialect)?, &hello(dialect))?;
        let is_open_to_all = protocol::amplification::may_serve(dialect.entry().proof, false, false);
        rows.push(Row { door: dialect.name(), asked: "the same, of a full node", bytes_in, bytes_out, is_open_to_all });
    }
    Ok(rows)
}

/// The first packet of a client of WebTransport.
fn quic_initial() -> anyhow::Result<Vec<u8>> {
    let socket = UdpSocket::bind((LOOPBACK, 0))?;
    socket.set_read_timeout(Some(PATIENCE))?;
    let url = format!("https://127.0.0.1:{}/volley", socket.local_addr()?.port());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let nobody = [Sha256Digest::new([0; 32])];
        let config = ClientConfig::builder().with_bind_default().with_server_certificate_hashes(nobody).build();
        let endpoint = Endpoint::client(config)?;
        // Nobody answers: what is wanted is what it sends.
        let _ = tokio::time::timeout(QUIC_WAIT, endpoint.connect(&url)).await;
        anyhow::Ok(())
    })?;
    let mut packet = vec![0; 2048];
    let length = socket.recv(&mut packet).context("no first packet of QUIC")?;
    packet.truncate(length);
    Ok(packet)
}

/// WebTransport, at the port of HTTP.
fn quic(node: &NodeProcess) -> anyhow::Result<Vec<Row>> {
    let row = |asked, bytes: &[u8]| -> anyhow::Result<Row> {
        let (bytes_in, bytes_out) = ask(node.http()?, bytes)?;
        Ok(Row { door: Dialect::Volley.name(), asked, bytes_in, bytes_out, is_open_to_all: true })
    };
    // A long header with a version that nobody has, as long as a first packet has to be (RFC 9000, 14.1).
    let mut unknown = vec![0xc0, 0x1a, 0x2a, 0x3a, 0x4a, 8];
    unknown.resize(QUIC_FIRST_BYTES, 0x55);
    let initial = quic_initial()?;
    Ok(vec![
        row("a first packet of QUIC", &initial)?,
        row("an unknown version of QUIC", &unknown)?,
        row("noise", &[0x55; 64])?,
    ])
}

/// The first datagram of a client.
fn hello(dialect: Dialect) -> Vec<u8> {
    let now = Time::from_micros(1_700_000_000_000_000);
    let mut session = dialect.connect(Plan { name: "Ann".into(), ..Plan::at(now) });
    let mut buffer = Vec::new();
    session.advance(now);
    match session.poll(now, &mut buffer) {
        Some(protocol::Output::Datagram) => buffer,
        _ => vec![0],
    }
}

/// What was sent and what came back.
fn ask(door: SocketAddr, bytes: &[u8]) -> anyhow::Result<(u64, u64)> {
    let socket = UdpSocket::bind((LOOPBACK, 0))?;
    socket.send_to(bytes, door)?;
    Ok((bytes.len().max(1) as u64, listen(&socket)?))
}

fn listen(socket: &UdpSocket) -> anyhow::Result<u64> {
    let (began, mut heard, mut buffer) = (Instant::now(), 0, [0; 2048]);
    while let Some(left) = LISTENS.checked_sub(began.elapsed()).filter(|left| !left.is_zero()) {
        socket.set_read_timeout(Some(left))?;
        heard += socket.recv(&mut buffer).map_or(0, |length| length as u64);
    }
    Ok(heard)
}

/// JOIN from a port that the TCP exchange of this address said nothing about.
fn another_port(node: &NodeProcess, dialect: Dialect) -> anyhow::Result<Row> {
    let mut create = Vec::new();
    let map_name = MapName::new("endless").map_err(|_| anyhow::anyhow!("no map is called endless"))?;
    Message { creation_timestamp: 1, body: FromClient::Create { map_name } }.write(&mut create);
    let mut desk = TcpStream::connect(node.door(dialect)?)?;
    desk.set_read_timeout(Some(PATIENCE))?;
    desk.write_all(&create)?;
    let mut answer = [0; 64];
    let length = desk.read(&mut answer)?;
    let message = Message::<FromServer>::read(&answer[..length])
        .map_err(|_| anyhow::anyhow!("the desk sent an unexpected answer"))?;
    let FromServer::Create { lobby_port, .. } = message.body else {
        anyhow::bail!("the desk sent an unexpected answer")
    };
    let mut join = Vec::new();
    Message { creation_timestamp: 2, body: FromClient::Join }.write(&mut join);
    // The first to come after the exchange is its maker, and what was said over TCP counts for it.
    let maker = UdpSocket::bind((LOOPBACK, 0)).context("no socket")?;
    let lobby = SocketAddr::from((LOOPBACK, lobby_port));
    maker.send_to(&join, lobby)?;
    let (bytes_in, bytes_out) = ask(lobby, &join)?;
    Ok(Row { door: dialect.name(), asked: "a JOIN from another port", bytes_in, bytes_out, is_open_to_all: true })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<9} {:<27} {:>8} {:>9} {:>8}  served", "door", "asked with", "bytes", "answered", "factor")?;
        for row in &self.rows {
            let served = if row.is_open_to_all { "to everybody" } else { "to own networks" };
            let (door, asked, factor) = (row.door, row.asked, row.factor());
            writeln!(f, "{door:<9} {asked:<27} {:>8} {:>9} {factor:>8.1}  {served}", row.bytes_in, row.bytes_out)?;
        }
        Ok(())
    }
}
