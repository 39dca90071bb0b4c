//! What was exchanged, as a capture file that Wireshark reads: bare IP packets, rebuilt from what our sockets saw.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    net::{IpAddr, SocketAddr},
    time::Duration,
};

use etherparse::PacketBuilder;
use pcap_file::{
    DataLink,
    pcap::{PcapHeader, PcapPacket, PcapWriter},
};
use protocol::Channel;

use super::{
    trial::{Exchanged, TrialDirection},
    trial_network::Line,
};

const HOPS: u8 = 64;
const WINDOW: u16 = 65_535;

/// Writes all of it.
pub fn write(out: impl Write, exchanged: &[Exchanged]) -> io::Result<()> {
    let header = PcapHeader { datalink: DataLink::RAW, ..PcapHeader::default() };
    let mut writer = PcapWriter::with_header(out, header).map_err(io::Error::other)?;
    // How far each direction of a TCP connection is.
    let mut sequence: BTreeMap<(Line, bool), u32> = BTreeMap::new();
    for message in exchanged {
        let place = sequence.entry((message.line, message.direction == TrialDirection::ToPeer)).or_insert(1);
        let packet = packet(message, *place)?;
        *place = place.wrapping_add(message.bytes.len() as u32);
        let at = Duration::from_micros(message.at.micros());
        writer.write_packet(&PcapPacket::new(at, packet.len() as u32, &packet)).map_err(io::Error::other)?;
    }
    Ok(())
}

fn packet(message: &Exchanged, sequence: u32) -> io::Result<Vec<u8>> {
    let (from, to) = match message.direction {
        TrialDirection::ToPeer => (message.ends.ours, message.ends.peers),
        TrialDirection::FromPeer => (message.ends.peers, message.ends.ours),
    };
    let mut out = Vec::new();
    let address = match ip(from, to) {
        (IpAddr::V6(from), IpAddr::V6(to)) => PacketBuilder::ipv6(from.octets(), to.octets(), HOPS),
        (IpAddr::V4(from), IpAddr::V4(to)) => PacketBuilder::ipv4(from.octets(), to.octets(), HOPS),
        _ => return Err(io::Error::other("an IPv4 and an IPv6 address on one line")),
    };
    let written = match message.ends.channel {
        Channel::Datagram => address.udp(from.port(), to.port()).write(&mut out, &message.bytes),
        Channel::Stream => address.tcp(from.port(), to.port(), sequence, WINDOW).write(&mut out, &message.bytes),
    };
    written.map_err(io::Error::other)?;
    Ok(out)
}

/// The addresses. A socket that is bound to all of them has none of its own: then it has the other end's.
fn ip(from: SocketAddr, to: SocketAddr) -> (IpAddr, IpAddr) {
    let or = |address: SocketAddr, other: SocketAddr| {
        if address.ip().is_unspecified() { other.ip() } else { address.ip() }
    };
    (or(from, to), or(to, from))
}
