//! From a record of a capture to what a program was sent: link, IP, fragments, UDP and TCP.

use std::{
    collections::VecDeque,
    net::{IpAddr, SocketAddr},
};

use etherparse::{
    EtherType, IpFragOffset, IpNumber, Ipv6ExtensionSlice, LaxNetSlice, LaxSlicedPacket, TcpSlice, TransportSlice,
    UdpSlice, defrag::IpDefragBuf, ip_number,
};
use pcap_parser::Linktype;

use super::capture::CaptureRecord;

/// Packets that are put together from fragments at once. More, and the oldest is given up.
const FRAGMENTED_MAX: usize = 64;
const SLL_BYTES: usize = 16;
const SLL2_BYTES: usize = 20;
const NULL_BYTES: usize = 4;

/// What a record carries, between two addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carried<'a> {
    pub from: SocketAddr,
    pub to: SocketAddr,
    pub load: Load<'a>,
    /// Whether there was more than was captured.
    pub is_cut: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Load<'a> {
    Datagram(Bytes<'a>),
    Segment { sequence: u32, is_first: bool, is_last: bool, bytes: Bytes<'a> },
}

/// Bytes of the record, or put together from several.
pub type Bytes<'a> = std::borrow::Cow<'a, [u8]>;

/// Why a record carries nothing for us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nothing {
    /// Another protocol, or a link that we do not know.
    Foreign,
    /// A fragment of something that is not whole yet.
    Fragment,
    /// It cannot be read.
    Damaged,
}

/// Puts fragments together.
#[derive(Default)]
pub struct Layers {
    fragments: VecDeque<(FragmentKey, IpDefragBuf)>,
}

/// Source, destination, identification and protocol.
type FragmentKey = (IpAddr, IpAddr, u32, IpNumber);

impl Layers {
    /// What a record carries.
    pub fn read<'a>(&mut self, record: &CaptureRecord<'a>) -> Result<Carried<'a>, Nothing> {
        let packet = slice(record)?;
        let (source, destination) = addresses(&packet).ok_or(Nothing::Foreign)?;
        let ip = packet.ip_payload().ok_or(Nothing::Damaged)?;
        let is_cut = record.is_cut || ip.incomplete;
        if ip.fragmented {
            let (number, offset, has_more) = fragment(&packet).ok_or(Nothing::Damaged)?;
            let key = (source, destination, number, ip.ip_number);
            let whole = self.add(key, offset, has_more, ip.payload)?;
            return transport(ip.ip_number, &whole, (source, destination), is_cut);
        }
        match packet.transport {
            Some(TransportSlice::Udp(udp)) => Ok(of_udp(&udp, (source, destination), is_cut)),
            Some(TransportSlice::Tcp(tcp)) => Ok(of_tcp(&tcp, (source, destination), is_cut)),
            Some(_) => Err(Nothing::Foreign),
            None if [ip_number::UDP, ip_number::TCP].contains(&ip.ip_number) => Err(Nothing::Damaged),
            None => Err(Nothing::Foreign),
        }
    }

    fn add(
        &mut self,
        key: FragmentKey,
        offset: IpFragOffset,
        has_more: bool,
        bytes: &[u8],
    ) -> Result<Vec<u8>, Nothing> {
        let at = self.fragments.iter().position(|(known, _)| *known == key).unwrap_or_else(|| {
            if self.fragments.len() >= FRAGMENTED_MAX {
                self.fragments.pop_front();
            }
            self.fragments.push_back((key, IpDefragBuf::new(key.3, Vec::new(), Vec::new())));
            self.fragments.len() - 1
        });
        let Some((_, buffer)) = self.fragments.get_mut(at) else { return Err(Nothing::Damaged) };
        buffer.add(offset, has_more, bytes).map_err(|_| Nothing::Damaged)?;
        if !buffer.is_complete() {
            return Err(Nothing::Fragment);
        }
        self.fragments.remove(at).map(|(_, whole)| whole.take_bufs().0).ok_or(Nothing::Damaged)
    }
}

fn slice<'a>(record: &CaptureRecord<'a>) -> Result<LaxSlicedPacket<'a>, Nothing> {
    let bytes = record.bytes;
    let by_type = |type_at: usize, head: usize| {
        let kind = bytes.get(type_at..type_at + 2).ok_or(Nothing::Damaged)?;
        let payload = bytes.get(head..).ok_or(Nothing::Damaged)?;
        Ok(LaxSlicedPacket::from_ether_type(EtherType(u16::from_be_bytes([kind[0], kind[1]])), payload))
    };
    match record.link {
        Linktype::ETHERNET => LaxSlicedPacket::from_ethernet(bytes).map_err(|_| Nothing::Damaged),
        Linktype::LINUX_SLL => by_type(SLL_BYTES - 2, SLL_BYTES),
        Linktype::LINUX_SLL2 => by_type(0, SLL2_BYTES),
        Linktype::NULL | Linktype::LOOP => from_ip(bytes.get(NULL_BYTES..).ok_or(Nothing::Damaged)?),
        Linktype::RAW | Linktype::IPV4 | Linktype::IPV6 | Linktype(12 | 14) => from_ip(bytes),
        _ => Err(Nothing::Foreign),
    }
}

fn from_ip(bytes: &[u8]) -> Result<LaxSlicedPacket<'_>, Nothing> {
    LaxSlicedPacket::from_ip(bytes).map_err(|_| Nothing::Damaged)
}

fn addresses(packet: &LaxSlicedPacket) -> Option<(IpAddr, IpAddr)> {
    match packet.net.as_ref()? {
        LaxNetSlice::Ipv4(ip) => Some((ip.header().source_addr().into(), ip.header().destination_addr().into())),
        LaxNetSlice::Ipv6(ip) => Some((ip.header().source_addr().into(), ip.header().destination_addr().into())),
        LaxNetSlice::Arp(_) => None,
    }
}

/// Number, offset, and whether more follow.
fn fragment(packet: &LaxSlicedPacket) -> Option<(u32, IpFragOffset, bool)> {
    match packet.net.as_ref()? {
        LaxNetSlice::Ipv4(ip) => {
            let header = ip.header();
            Some((header.identification().into(), header.fragments_offset(), header.more_fragments()))
        }
        LaxNetSlice::Ipv6(ip) => ip.extensions().clone().into_iter().find_map(|extension| match extension {
            Ipv6ExtensionSlice::Fragment(part) => {
                Some((part.identification(), part.fragment_offset(), part.more_fragments()))
            }
            _ => None,
        }),
        LaxNetSlice::Arp(_) => None,
    }
}

/// Of a packet that was put together.
fn transport(
    number: IpNumber,
    bytes: &[u8],
    ends: (IpAddr, IpAddr),
    is_cut: bool,
) -> Result<Carried<'static>, Nothing> {
    let owned = |carried: Carried| {
        let load = match carried.load {
            Load::Datagram(bytes) => Load::Datagram(bytes.into_owned().into()),
            Load::Segment { sequence, is_first, is_last, bytes } => {
                Load::Segment { sequence, is_first, is_last, bytes: bytes.into_owned().into() }
            }
        };
        Carried { load, ..carried }
    };
    match number {
        ip_number::UDP => {
            UdpSlice::from_slice_lax(bytes).map(|udp| owned(of_udp(&udp, ends, is_cut))).map_err(|_| Nothing::Damaged)
        }
        ip_number::TCP => {
            TcpSlice::from_slice(bytes).map(|tcp| owned(of_tcp(&tcp, ends, is_cut))).map_err(|_| Nothing::Damaged)
        }
        _ => Err(Nothing::Foreign),
    }
}

fn of_udp<'a>(udp: &UdpSlice<'a>, (source, destination): (IpAddr, IpAddr), is_cut: bool) -> Carried<'a> {
    Carried {
        from: SocketAddr::new(source, udp.source_port()),
        to: SocketAddr::new(destination, udp.destination_port()),
        load: Load::Datagram(udp.payload().into()),
        is_cut,
    }
}

fn of_tcp<'a>(tcp: &TcpSlice<'a>, (source, destination): (IpAddr, IpAddr), is_cut: bool) -> Carried<'a> {
    Carried {
        from: SocketAddr::new(source, tcp.source_port()),
        to: SocketAddr::new(destination, tcp.destination_port()),
        load: Load::Segment {
            sequence: tcp.sequence_number(),
            is_first: tcp.syn(),
            is_last: tcp.fin() || tcp.rst(),
            bytes: tcp.payload().into(),
        },
        is_cut,
    }
}
