//! The router of a shard: how bytes from outside find a session, and what is done with those that find none.
//!
//! Start reading at [`Router::datagram`]. It owns the routes, the streams, the desks, the links and the ports of lobbies; it
//! never sees a world or the sessions in a lobby. What it cannot do itself it reports as a [`RouterEvent`], to be taken out
//! with [`Router::poll`].
//!
//! | file | what comes to it |
//! |---|---|
//! | `strangers.rs` | datagrams of peers that this shard does not know |
//! | `rates.rs` | how much of all this may come from one address |
//! | `streams.rs` | streams that open sessions |
//! | `desks.rs`, `ports.rs` | streams that ask for lobbies, and the ports that those get |
//! | `links.rs`, `outside.rs` | links, and their sessions while they are in no lobby |
//! | `moves.rs`, `departures.rs` | sessions that go to another shard or into a lobby, and those that are over |

mod bans;
mod departures;
mod desks;
mod links;
mod moves;
mod outside;
mod parcels;
mod ports;
mod rates;
mod restoring;
mod routes;
mod strangers;
mod streams;

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
    time::Duration,
};

use protocol::{End, LobbyId, LobbySummary, Numbers, Time};

pub use bans::{BANS_MAX, Bans, NotARange, Range};
pub use parcels::Parcel;
pub(crate) use parcels::{
    Content, KeptBytes, LinkDestination, Message, MovingSession, Newcomer, PortRequest, StreamNews,
};
pub(crate) use rates::{Rate, RatedSender, Rates};
pub(crate) use routes::{Location, Route};

use self::{
    desks::Desks, links::HomeLink, outside::Outside, ports::LobbyPorts, routes::Routes, strangers::EarlyDatagram,
    streams::SessionStreams,
};
use crate::{
    counters::Drop,
    directory::{SeatKey, SharedDirectory},
    lobby::{LobbyEvent, LobbyPlan},
    outgoing::Context,
    peer::{Endpoint, PeerKey, ShardId, StreamId, StreamRef},
    session::UnreachableHint,
    settings::Settings,
};

/// How long the list of lobbies serves everybody who asks for it. Making it takes the directory's lock and looks at every lobby.
const LIST_LASTS: Duration = Duration::from_millis(250);

/// The router of a shard.
pub(crate) struct Router {
    shard: ShardId,
    started: Time,
    settings: Arc<Settings>,
    directory: SharedDirectory,
    /// Addresses that are not served.
    bans: Arc<Bans>,
    routes: Routes,
    /// Datagrams that came before their streams.
    early: Vec<EarlyDatagram>,
    session_streams: SessionStreams,
    desks: Desks,
    ports: LobbyPorts,
    /// Links whose home this is.
    links: HashMap<StreamId, HomeLink>,
    /// Sessions of links that are in no lobby.
    outside: Outside,
    /// The list of lobbies, and when it was made.
    list: Option<(Time, Arc<[LobbySummary]>)>,
    /// When a stranger was last logged.
    stranger_logged: Option<Time>,
    events: VecDeque<RouterEvent>,
}

/// What a router cannot do itself.
pub(crate) enum RouterEvent {
    /// Seat a player in a lobby of this shard.
    Seat(Box<Newcomer>),
    /// Let a link's session into a lobby of this shard.
    Enter(Box<MovingSession>),
    /// Let a datagram take the way that is known by now.
    Deliver(PeerKey, KeptBytes),
    /// End a session of this shard.
    End(PeerKey, End),
    /// Tell a session of this shard that nobody may be listening where its peer is.
    HintUnreachable(PeerKey, UnreachableHint),
    /// A session of this shard has another peer.
    Readdress { from: PeerKey, to: PeerKey },
    /// The earlier session of the peer of a stream has been ended: ask for a seat again.
    RetryStream(PeerKey, StreamRef),
    /// A lobby of this shard is wanted: it is to be there from now on.
    OpenLobby(LobbyId),
    /// A lobby of this shard is not wanted any more, and nobody plays in it. The directory has it no longer.
    DropLobby(LobbyId),
    /// Somebody asks for a seat in a lobby of this shard whose game is over.
    SeatWanted(LobbyId),
}

impl Router {
    /// The router of a shard. All of a node start at the same time, with the same settings.
    pub fn new(now: Time, settings: Arc<Settings>, shard: ShardId, directory: SharedDirectory) -> Router {
        Router {
            shard,
            started: now,
            settings,
            directory,
            bans: Arc::default(),
            routes: Routes::new(shard),
            early: Vec::new(),
            session_streams: SessionStreams::default(),
            desks: Desks::default(),
            ports: LobbyPorts::default(),
            links: HashMap::new(),
            outside: Outside::new(now),
            list: None,
            stranger_logged: None,
            events: VecDeque::new(),
        }
    }

    /// Takes out the next thing that it cannot do itself.
    pub fn poll(&mut self) -> Option<RouterEvent> {
        self.events.pop_front()
    }

    /// A datagram arrived. Where in a lobby of this shard it belongs, if it does.
    pub fn datagram(&mut self, cx: &mut Context, peer: PeerKey, bytes: &[u8]) -> Option<Location> {
        let counters = cx.out.counters.of(peer.dialect());
        counters.datagrams_in += 1;
        counters.bytes_in += bytes.len() as u64;
        // Anybody can write a player's address into a datagram, and must take nothing from that player with it: a session has limits
        // of its own. Nobody can write a link's.
        let sender = RatedSender::Connected(peer.ip());
        let is_link = matches!(peer.endpoint, Endpoint::Link(..));
        if is_link && !self.directory.rates().admit(cx.now, sender, Rate::Bytes, bytes.len()) {
            cx.out.count_drop(peer.dialect(), Drop::RateLimited);
            return None;
        }
        match self.look_up(peer) {
            Some(Route::Lobby(location)) => return Some(location),
            Some(Route::Outside(key)) => self.outside_datagram(cx, key, bytes),
            Some(Route::Shard(shard)) => cx.out.datagram_for(shard, peer, bytes),
            None => self.stranger(cx, peer, bytes),
        }
        None
    }

    /// Another shard handed a datagram over. It goes no further.
    pub fn handed_datagram(&mut self, cx: &mut Context, peer: PeerKey, bytes: &[u8]) -> Option<Location> {
        match self.look_up(peer) {
            Some(Route::Lobby(location)) => return Some(location),
            Some(Route::Outside(key)) => self.outside_datagram(cx, key, bytes),
            // Its session ended, or moved on, while it was on its way.
            Some(Route::Shard(_)) | None => self.stranger(cx, peer, bytes),
        }
        None
    }

    /// A datagram whose way is known by now.
    pub fn deliver(&mut self, cx: &mut Context, peer: PeerKey, bytes: &[u8]) -> Option<Location> {
        match self.look_up(peer) {
            Some(Route::Lobby(location)) => return Some(location),
            Some(Route::Outside(key)) => self.outside_datagram(cx, key, bytes),
            Some(Route::Shard(shard)) => cx.out.datagram_for(shard, peer, bytes),
            // The seat was given by another shard, whose message is still on its way here.
            None => cx.out.count_drop(peer.dialect(), Drop::Stranger),
        }
        None
    }

    fn look_up(&mut self, peer: PeerKey) -> Option<Route> {
        let (route, is_first) = self.routes.claim(peer)?;
        if is_first {
            self.directory.recent_peers().forget_claim(peer);
        }
        Some(route)
    }

    /// Another shard says something.
    pub fn message(&mut self, cx: &mut Context, message: Message) {
        match message {
            Message::Seat(newcomer) => self.events.push_back(RouterEvent::Seat(newcomer)),
            Message::Forget(peer) => self.routes.forget_shard_of(peer),
            Message::Unreachable(peer, hint) => self.events.push_back(RouterEvent::HintUnreachable(peer, hint)),
            Message::Move { from, to } => self.events.push_back(RouterEvent::Readdress { from, to }),
            Message::EndForStream { peer, stream } => self.end_for_stream(cx, peer, stream),
            Message::RetryStream { peer, stream } => self.retry_stream(cx, peer, stream),
            Message::PortWanted(request) => self.port_wanted(cx, request),
            Message::Answer { desk, answer } => self.desk_answer(cx, desk, answer),
            Message::SendStream { stream, bytes } => cx.out.stream(stream, &bytes),
            Message::CloseStream { stream } => {
                self.routes.remove_stream(stream);
                cx.out.close_stream(stream);
            }
            Message::DropLobby(id) => self.events.push_back(RouterEvent::DropLobby(id)),
            Message::SeatWanted(id) => self.events.push_back(RouterEvent::SeatWanted(id)),
            Message::Session(moving) => self.session_arrives(cx, *moving),
            Message::ForgetLink { link, peer } => {
                self.routes.forget_shard_of_stream(link);
                self.routes.forget_shard_of(peer);
            }
        }
    }

    /// Does what is due by now.
    pub fn advance(&mut self, cx: &mut Context) {
        self.retry_early(cx);
        self.advance_desks(cx);
        self.advance_outside(cx);
    }

    /// The node itself lost time: it is nobody's silence (ruling C15).
    pub fn lose_time(&mut self, now: Time, lost: Duration) {
        self.directory.lock().lose_time(now, lost);
        self.desks.lose_time(lost);
        self.outside.lose_time(lost);
    }

    /// What a lobby cannot do itself.
    pub fn lobby_event(&mut self, cx: &mut Context, id: LobbyId, event: LobbyEvent) {
        match event {
            LobbyEvent::Ended(session) => self.session_ended(cx, session),
            LobbyEvent::LinkLost(session) => self.link_lost(cx, &session),
            LobbyEvent::Left { session, had_seat } => self.session_left(cx, session, had_seat),
            LobbyEvent::KeptSeatFreed(peer) => _ = self.directory.lock().leave(peer),
            LobbyEvent::StreamDone(stream) => {
                self.routes.remove_stream(stream.id);
                cx.out.close_stream_home(stream);
            }
            LobbyEvent::RemoteLobby(there) => self.directory.lock().note_remote_lobby(id, there),
            LobbyEvent::GameChanged(state, stage) => self.directory.lock().note_game(id, state, &stage.name),
            LobbyEvent::MembersChanged { host, members } => self.directory.lock().note_members(id, host, members),
            // Anybody can be the host of a lobby: the player gets no seat in that one, but in any other.
            LobbyEvent::Kicked { player, host } => self.directory.lock().note_kicked(cx.now, id, player, host),
            LobbyEvent::UnusedSeats(watching) => self.directory.lock().note_unused_seats(id, *watching),
            LobbyEvent::Confirmed(peer) => self.directory.lock().confirm(peer),
            LobbyEvent::Broke => self.lobby_closed(cx, id),
            // The core answers this.
            LobbyEvent::ListWanted(_) => {}
        }
    }

    /// Whether nothing of it is due however much time passes. As long as others hear their players by way of this shard, it
    /// runs, and they see that it does.
    pub fn is_idle(&self) -> bool {
        self.routes.stream_count() == 0 && self.routes.peer_count() == 0 && self.early.is_empty()
    }

    /// When a desk times out.
    pub fn next_timeout(&self) -> Option<Time> {
        self.desks.next_deadline()
    }

    /// Somebody says that nobody listens where a peer is (ruling C6), perhaps to another shard than sent to it.
    pub fn unreachable(&mut self, cx: &mut Context, peer: PeerKey, hint: UnreachableHint) {
        let shard = match self.routes.peer(peer) {
            Some(Route::Lobby(_) | Route::Outside(_)) => Some(self.shard),
            Some(Route::Shard(shard)) => Some(shard),
            None if self.directory.may_know(peer) => self.directory.lock().find_shard(peer),
            None => None,
        };
        match shard {
            Some(shard) if shard == self.shard => self.events.push_back(RouterEvent::HintUnreachable(peer, hint)),
            Some(shard) => cx.out.message(shard, Message::Unreachable(peer, hint)),
            None => {}
        }
    }

    /// A session of this shard has another peer. Where it is, if it is in a lobby.
    pub fn readdress(&mut self, from: PeerKey, to: PeerKey) -> Option<Location> {
        let Some(route @ Route::Lobby(location)) = self.routes.peer(from) else { return None };
        self.routes.remove_peer(from);
        self.routes.set_peer(to, route);
        Some(location)
    }

    /// Where the session of a peer of this shard is.
    pub fn route(&self, peer: PeerKey) -> Option<Route> {
        self.routes.peer(peer)
    }

    /// Serves nobody of these from now on. Those who are there are to be ended.
    pub fn ban(&mut self, cx: &mut Context, bans: Arc<Bans>) {
        self.bans = bans;
        let bans = Arc::clone(&self.bans);
        self.close_desks(cx, |peer| bans.contain(peer.ip()));
    }

    pub fn is_banned(&self, peer: PeerKey) -> bool {
        self.bans.contain(peer.ip())
    }

    /// Gives no seat to a player's address for a while.
    pub fn keep_out(&mut self, now: Time, peer: PeerKey) {
        self.directory.recent_peers().keep_out(now, peer);
    }

    /// Opens no more lobbies.
    pub fn drain(&mut self) {
        self.directory.lock().is_draining = true;
    }

    /// What a lobby of this shard begins with.
    pub fn plan(&self, id: LobbyId) -> Option<LobbyPlan> {
        self.directory.lock().plan(id, self.shard)
    }

    /// The lobbies that anybody may see, as they were a moment ago at most.
    pub fn list(&mut self, now: Time) -> Arc<[LobbySummary]> {
        if let Some((since, list)) = &self.list
            && now.since(*since) < LIST_LASTS
        {
            return Arc::clone(list);
        }
        let list: Arc<[LobbySummary]> = self.directory.lock().list().into();
        self.list = Some((now, Arc::clone(&list)));
        list
    }

    /// If that seat is still that peer's: the numbers that the peer knows.
    pub fn seated(&self, peer: PeerKey, seat: SeatKey) -> Option<Numbers> {
        let is_seated = self.directory.lock().is_seated(peer, seat);
        is_seated.then(|| self.directory.recent_peers().numbers(peer))
    }

    /// A lobby of this shard is gone: nobody finds it any more.
    pub fn lobby_closed(&mut self, cx: &mut Context, id: LobbyId) {
        self.directory.lock().close(id);
        self.release_port(cx, id);
    }

    /// Closes a lobby of this shard unless somebody is on the way to it; whether it did.
    pub fn close_if_empty(&mut self, cx: &mut Context, id: LobbyId) -> bool {
        let is_closed = self.directory.lock().close_empty(id);
        if is_closed {
            self.release_port(cx, id);
        }
        is_closed
    }

    /// Tells the shards of lobbies that were closed to make room for others.
    fn tell_evicted(&mut self, cx: &mut Context, evicted: Vec<(ShardId, LobbyId)>) {
        for (shard, id) in evicted {
            if shard == self.shard {
                self.events.push_back(RouterEvent::DropLobby(id));
            } else {
                cx.out.message(shard, Message::DropLobby(id));
            }
        }
    }

    /// Tells the shard of a lobby whose game is over that somebody asks for a seat in it.
    fn tell_seat_wanted(&mut self, cx: &mut Context, id: LobbyId) {
        let found = self.directory.lock().find(id);
        match found {
            Some(found) if found.shard == self.shard => self.events.push_back(RouterEvent::SeatWanted(id)),
            Some(found) => cx.out.message(found.shard, Message::SeatWanted(id)),
            None => {}
        }
    }

    /// A lobby of this shard is gone, and the directory has it no longer: its port is free.
    pub fn lobby_dropped(&mut self, cx: &mut Context, id: LobbyId) {
        self.release_port(cx, id);
    }

    /// How many ways to peers it knows.
    pub fn route_count(&self) -> usize {
        self.routes.peer_count()
    }

    /// The sizes of its tables and of the directory's, by name. For tests, which look for leaks.
    pub fn table_sizes(&self) -> [(&'static str, usize); 7] {
        let (peers, tokens) = self.directory.lock().sizes();
        [
            ("routes", self.routes.peer_count()),
            ("streams", self.routes.stream_count()),
            ("links", self.links.len()),
            ("outside", self.outside.len()),
            ("desks", self.desks.len()),
            ("peers", peers),
            ("tokens", tokens),
        ]
    }
}
