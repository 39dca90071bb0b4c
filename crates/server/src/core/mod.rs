//! A shard of the node as a pure machine. Start reading at [`Core`].
//!
//! What arrives is handed in with the time; what is to be done comes out of [`Core::poll`]. There is no socket, no clock and
//! no thread here, so a whole node runs in a test, faster than real time: its shards one after the other, with one
//! [`SharedDirectory`] between them.
//!
//! A core is a router (`../router`), which finds the session that bytes belong to, some lobbies (`../lobby`), which own
//! the sessions, and a timetable. It only carries what one has to tell the other (`exchange.rs`).
//!
//! ```ignore
//! core.datagram(now, peer, &bytes);                       // something arrived
//! core.advance(now);                                      // time passed
//! while let Some(effect) = core.poll() { .. }             // do what it wants done
//! ```

mod commands;
mod exchange;
mod lobbies;
mod saving;
mod timetable;
mod turns;
mod view;

use std::{net::IpAddr, sync::Arc, time::Duration};

use protocol::{Channel, Dialect, Time};

use self::lobbies::Lobbies;
pub use self::{
    commands::Order,
    saving::Restored,
    turns::Turn,
    view::{SessionCounts, SessionView},
};
pub use crate::{
    counters::{Counters, DialectCounters, Drop, Histogram},
    directory::SharedDirectory,
    lobby::{BOTS_PER_SHARD_MAX, LobbyView, Outcome, PlayerView, Record, RecordedPlayer},
    outgoing::Effect,
    peer::{Endpoint, PeerKey, ShardId, StreamId},
    recordings::{NamesAndChat, RecordedGames, RecordingContent, RecordingPiece},
    router::{BANS_MAX, Bans, NotARange, Parcel, Range},
    saves::NotRestored,
    session::UnreachableHint,
    settings::Settings,
};
use crate::{
    heartbeats::Heartbeats,
    outgoing::{Context, Outgoing, UnprovedBudget},
    own_networks::OwnNetworks,
    router::{Content, Location, Router, StreamNews},
    session::StreamPiece,
};

/// A shard: some of a node's lobbies, and the router that finds the sessions in them.
pub struct Core {
    started: Time,
    settings: Arc<Settings>,
    own_networks: Arc<OwnNetworks>,
    router: Router,
    lobbies: Lobbies,
    out: Outgoing,
    /// When it was last called.
    called: Time,
    /// Whether lobbies are saved.
    keeps_saves: bool,
    heartbeats: Heartbeats,
    shard: ShardId,
    /// Until when time in which another shard stood still has been taken off.
    stall_counted: Time,
}

impl Core {
    /// A node of one shard, without lobbies.
    pub fn new(now: Time, settings: Settings) -> Core {
        let directory = SharedDirectory::new(&settings, 1);
        Core::shard(now, settings, ShardId(0), directory)
    }

    /// A shard of a node. All of them have the same settings and start at the same time.
    pub fn shard(now: Time, settings: Settings, shard: ShardId, directory: SharedDirectory) -> Core {
        let unproved = directory.unproved();
        let heartbeats = directory.heartbeats().clone();
        let budget = UnprovedBudget::new(now, settings.unproved_bytes_per_second, unproved);
        let settings = Arc::new(settings);
        Core {
            started: now,
            router: Router::new(now, Arc::clone(&settings), shard, directory),
            lobbies: Lobbies::new(now, &settings),
            out: Outgoing::new(shard, budget),
            settings,
            own_networks: Arc::new(OwnNetworks::any_private()),
            called: now,
            keeps_saves: false,
            heartbeats,
            shard,
            stall_counted: now,
        }
    }

    /// Takes out the next thing that it wants done. To be called until there is nothing more, after any other call.
    pub fn poll(&mut self) -> Option<Effect<'_>> {
        self.out.poll()
    }

    /// Whether somebody at that address, whose datagrams come in by that interface, is a neighbour (ruling C5).
    pub fn is_neighbour(&self, address: IpAddr, interface: Option<u32>) -> bool {
        self.own_networks.contain(address, interface)
    }

    /// A datagram arrived.
    pub fn datagram(&mut self, now: Time, peer: PeerKey, bytes: &[u8]) {
        self.notice_lost_time(now);
        let location = self.router.datagram(&mut Context { now, out: &mut self.out }, peer, bytes);
        self.receive(now, location, Channel::Datagram, bytes);
        self.exchange(now);
    }

    /// Somebody says that nobody listens where a peer is (ruling C6).
    pub fn unreachable(&mut self, now: Time, peer: PeerKey, hint: UnreachableHint) {
        self.notice_lost_time(now);
        self.router.unreachable(&mut Context { now, out: &mut self.out }, peer, hint);
        self.exchange(now);
    }

    /// Something came from another shard.
    pub fn parcel(&mut self, now: Time, parcel: Parcel) {
        self.notice_lost_time(now);
        let cx = &mut Context { now, out: &mut self.out };
        match parcel.0 {
            Content::Datagram(peer, bytes) => {
                let location = self.router.handed_datagram(cx, peer, bytes.as_slice());
                self.receive(now, location, Channel::Datagram, bytes.as_slice());
            }
            Content::Stream(stream, StreamNews::Bytes(bytes)) => return self.stream_bytes(now, stream, &bytes),
            Content::Stream(stream, StreamNews::Closed) => return self.stream_closed(now, stream),
            Content::Stream(link, StreamNews::Piece(piece)) => self.link_piece(now, link, piece),
            Content::Message(message) => self.router.message(cx, message),
        }
        self.exchange(now);
    }

    /// A peer opened a stream at a dialect's door.
    pub fn stream_opened(&mut self, now: Time, peer: PeerKey, stream: StreamId) {
        self.notice_lost_time(now);
        self.router.stream_opened(&mut Context { now, out: &mut self.out }, peer, stream);
        self.exchange(now);
    }

    /// Bytes arrived over a stream.
    pub fn stream_bytes(&mut self, now: Time, stream: StreamId, bytes: &[u8]) {
        self.notice_lost_time(now);
        let location = self.router.stream_bytes(&mut Context { now, out: &mut self.out }, stream, bytes);
        self.receive(now, location, Channel::Stream, bytes);
        self.exchange(now);
    }

    /// The other end of a stream says no more, though it may still listen. False: then nor do we.
    pub fn stream_ended(&self, stream: StreamId) -> bool {
        self.router.is_stream_open(stream)
    }

    /// A stream was closed.
    pub fn stream_closed(&mut self, now: Time, stream: StreamId) {
        let cx = &mut Context { now, out: &mut self.out };
        if let Some(Location { lobby, member }) = self.router.stream_closed(cx, stream) {
            self.lobbies.visit(cx, lobby, |lobby, _| lobby.forget_stream(member));
        }
    }

    /// A peer opened a link. It is to be closed, with [`Core::link_closed`], in any case.
    pub fn link_opened(&mut self, now: Time, peer: PeerKey, link: StreamId) {
        self.notice_lost_time(now);
        self.router.link_opened(&mut Context { now, out: &mut self.out }, peer, link);
        self.exchange(now);
    }

    /// The next bytes of a link's stream. Its datagrams go to [`Core::datagram`] like all others.
    pub fn link_bytes(&mut self, now: Time, link: StreamId, bytes: &[u8]) {
        // No bytes would say that it is closed.
        if !bytes.is_empty() {
            self.next_piece(now, link, bytes);
        }
    }

    /// A link is gone.
    pub fn link_closed(&mut self, now: Time, link: StreamId) {
        self.next_piece(now, link, &[]);
        self.router.link_closed(link);
    }

    fn next_piece(&mut self, now: Time, link: StreamId, bytes: &[u8]) {
        self.notice_lost_time(now);
        let cx = &mut Context { now, out: &mut self.out };
        if let Some(piece) = self.router.next_piece(cx, link, bytes) {
            self.link_piece(now, link, piece);
            self.exchange(now);
        }
    }

    fn link_piece(&mut self, now: Time, link: StreamId, piece: StreamPiece) {
        let cx = &mut Context { now, out: &mut self.out };
        if let Some((Location { lobby, member }, piece)) = self.router.link_piece(cx, link, piece) {
            self.lobbies.visit(cx, lobby, |lobby, cx| lobby.receive_piece(cx, member, piece));
        }
    }

    /// A lobby's port that [`Effect::OpenPort`] asked for could be opened, or not.
    pub fn port_opened(&mut self, now: Time, port: u16, is_open: bool) {
        self.router.port_opened(&mut Context { now, out: &mut self.out }, port, is_open);
        self.exchange(now);
    }

    /// What has been counted since the start.
    pub fn counters(&self) -> &Counters {
        &self.out.counters
    }

    /// Counts time that the shard was at work.
    pub fn note_busy(&mut self, busy: Duration) {
        self.out.counters.busy += busy;
    }

    /// Counts how late a tick began, and how long it took.
    pub fn note_tick(&mut self, lateness: Duration, took: Duration) {
        self.out.counters.lateness.note(lateness);
        self.out.counters.tick_time.note(took);
    }

    /// Counts datagrams that were lost on the way out.
    pub fn note_lost(&mut self, dialect: Dialect, why: Drop, count: u64) {
        self.out.counters.drop_many(dialect, why, count);
    }
}
