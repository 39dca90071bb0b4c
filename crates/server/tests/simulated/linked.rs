//! Clients that come over links and choose their lobby.

use std::net::{IpAddr, SocketAddr};

use game::{Frame, Seat};
use protocol::{
    Channel, ClientSession, Dialect, Emote, LobbyDetails, LobbyId, LobbyRequest, Output, Pace, Refusal, Status, Tally,
    Token,
    volley::{Client, News},
};
use server::core::{Endpoint, PeerKey, ShardId, StreamId};

use super::{ClientId, Simulation, network::Packet};

/// Their numbers begin here, so that they meet no others'.
const FIRST: u64 = 5_000;

/// The name of a client that came over a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkId(pub usize);

impl LinkId {
    pub fn stream(self) -> StreamId {
        StreamId(FIRST + self.0 as u64)
    }

    pub fn client(self) -> ClientId {
        ClientId(FIRST as usize + self.0)
    }

    pub fn endpoint(self) -> Endpoint {
        Endpoint::Link(Dialect::Volley, self.stream())
    }
}

/// The place of the client whose link that is, if it is one's.
pub fn index(stream: StreamId) -> Option<usize> {
    stream.0.checked_sub(FIRST).map(|index| index as usize)
}

pub struct LinkClient {
    pub client: Client,
    pub home: ShardId,
    /// Whether the node has not been told that the link is gone.
    pub is_open: bool,
    /// Neither hears nor says anything.
    pub is_dead: bool,
    /// The longest piece in which stream bytes leave.
    pub piece_bytes: usize,
    /// All that it was told, beside Frames.
    pub heard: Vec<News>,
    pub frame: Frame,
    pub frames: usize,
    /// How time passes, as it was told.
    pub pace: Pace,
}

impl LinkClient {
    pub fn seated(&self) -> Option<(LobbyId, Seat, Token)> {
        self.heard.iter().rev().find_map(|news| match news {
            News::Seated { code, seat, token } => Some((*code, *seat, *token)),
            _ => None,
        })
    }

    pub fn refused(&self) -> Vec<Refusal> {
        let refusal = |news: &News| match news {
            News::Refused(refusal) => Some(*refusal),
            _ => None,
        };
        self.heard.iter().filter_map(refusal).collect()
    }

    pub fn lobby(&self) -> Option<&LobbyDetails> {
        self.heard.iter().rev().find_map(|news| match news {
            News::Lobby(lobby) => Some(lobby),
            _ => None,
        })
    }

    pub fn said(&self) -> Vec<(Option<Seat>, &str, &str)> {
        let said = |news: &'_ News| matches!(news, News::Said { .. });
        let words = self.heard.iter().filter(|news| said(news));
        words
            .filter_map(|news| match news {
                News::Said { seat, name, text } => Some((*seat, name.as_str(), text.as_str())),
                _ => None,
            })
            .collect()
    }

    pub fn gestures(&self) -> Vec<(Seat, Emote)> {
        let gesture = |news: &News| match news {
            News::Emote { seat, emote } => Some((*seat, *emote)),
            _ => None,
        };
        self.heard.iter().filter_map(gesture).collect()
    }

    pub fn tally(&self) -> Option<&Tally> {
        self.heard.iter().rev().find_map(|news| match news {
            News::Tally(tally) => Some(tally),
            _ => None,
        })
    }

    pub fn stages(&self) -> Vec<&str> {
        let stage = |news: &'_ News| matches!(news, News::Stage { .. });
        let stages = self.heard.iter().filter(|news| stage(news));
        stages
            .filter_map(|news| match news {
                News::Stage { name, .. } => Some(name.as_str()),
                _ => None,
            })
            .collect()
    }
}

impl Simulation {
    /// A client whose link came to that shard.
    pub fn link(&mut self, home: u8, name: &str) -> LinkId {
        self.open_link(home, name, None)
    }

    /// A client whose link came from that address.
    pub fn link_from(&mut self, from: IpAddr, name: &str) -> LinkId {
        self.open_link(0, name, Some(from))
    }

    fn open_link(&mut self, home: u8, name: &str, from: Option<IpAddr>) -> LinkId {
        let id = LinkId(self.links.len());
        let home = ShardId(home % self.shards.len() as u8);
        self.links.push(LinkClient {
            client: Client::without_lobby(self.now, name),
            home,
            is_open: true,
            is_dead: false,
            piece_bytes: usize::MAX,
            heard: Vec::new(),
            frame: Frame::default(),
            frames: 0,
            pace: Pace::Full,
        });
        let (stream, own) = (id.stream(), id.client().address());
        let from = from.map_or(own, |from| SocketAddr::new(from, own.port()));
        self.with_shard(home, |core, now| {
            core.link_opened(now, PeerKey::at_link(Dialect::Volley, stream, from), stream)
        });
        id
    }

    pub fn at(&self, id: LinkId) -> &LinkClient {
        &self.links[id.0]
    }

    pub fn ask(&mut self, id: LinkId, wish: LobbyRequest) {
        let now = self.now;
        self.links[id.0].client.ask(now, wish);
    }

    /// A client whose link came to that shard, and who got what they asked for.
    pub fn link_asking(&mut self, home: u8, name: &str, wish: LobbyRequest) -> LinkId {
        let id = self.link(home, name);
        self.ask(id, wish);
        self.run(1);
        id
    }

    /// The node notices that a link is gone.
    pub fn lose(&mut self, id: LinkId) {
        self.links[id.0].is_dead = true;
        self.close_link(id.0);
    }

    /// A link breaks with the node.
    pub(super) fn lose_unnoticed(&mut self, index: usize) {
        (self.links[index].is_dead, self.links[index].is_open) = (true, false);
    }

    fn close_link(&mut self, index: usize) {
        if std::mem::take(&mut self.links[index].is_open) {
            let (home, stream) = (self.links[index].home, LinkId(index).stream());
            self.with_shard(home, |core, now| core.link_closed(now, stream));
        }
    }

    pub(super) fn link_packet(&mut self, packet: &Packet) {
        let Some(index) = index(StreamId(packet.client.0 as u64)) else { return };
        let (id, home) = (LinkId(index), self.links[index].home);
        if !self.links[index].is_open {
            return;
        }
        match packet.channel {
            // The end of a stream is an empty piece of it.
            Channel::Stream if packet.bytes.is_empty() => self.close_link(index),
            Channel::Stream => {
                self.with_shard(home, |core, now| core.link_bytes(now, id.stream(), &packet.bytes));
            }
            Channel::Datagram => self.datagram(id.endpoint(), packet.client.address(), &packet.bytes),
        }
    }

    pub(super) fn tell_link(&mut self, index: usize, packet: &Packet) {
        let link = &mut self.links[index];
        if !link.is_dead {
            let received = link.client.receive(self.now, packet.channel, &packet.bytes);
            assert_eq!(received, Ok(()), "our own server is malformed");
        }
        if packet.channel == Channel::Stream && packet.bytes.is_empty() {
            self.close_link(index);
        }
    }

    pub(super) fn drive_link(&mut self, index: usize) {
        let input = self.keys(index);
        let link = &mut self.links[index];
        if link.is_dead {
            return;
        }
        link.client.advance(self.now);
        match link.pace {
            Pace::Paused => link.client.rest(),
            Pace::Full | Pace::Slow => link.client.press(self.now, input),
        }
        let mut buffer = Vec::new();
        while let Some(output) = link.client.poll(self.now, &mut buffer) {
            let (to, port) = (LinkId(index).client(), Dialect::Volley.entry().port);
            match output {
                Output::Datagram => self.network.send_to_node(self.now, to, port, Channel::Datagram, &buffer),
                Output::Stream => {
                    for piece in buffer.chunks(link.piece_bytes) {
                        self.network.send_to_node(self.now, to, port, Channel::Stream, piece);
                    }
                }
                Output::CloseStream => self.network.send_to_node(self.now, to, port, Channel::Stream, &[]),
                Output::DatagramsTo(_) => {}
            }
        }
        for news in std::iter::from_fn(|| link.client.news()) {
            if let News::Pace(pace) = news {
                link.pace = pace;
            }
            link.heard.push(news);
        }
        link.frames += usize::from(link.client.take_frame(&mut link.frame));
    }

    pub fn is_playing(&self, id: LinkId) -> bool {
        self.at(id).client.status() == Status::Playing
    }
}
