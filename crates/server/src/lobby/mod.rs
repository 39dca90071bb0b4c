//! A lobby: a world and the people in it. Start reading at [`Lobby`]; what happens every tick is in `tick.rs`.
//!
//! It owns its world, its seats and the sessions in them. It never sees another lobby, a route or a shard: what it cannot do
//! itself it reports as a [`LobbyEvent`], to be taken out with [`Lobby::poll`]. What it has to say goes to the queue that is
//! passed in.

mod awaiting;
mod bots;
mod departures;
mod emptiness;
mod host;
mod identity;
mod members;
mod next_game;
mod notices;
mod pace;
mod panic_guard;
mod recorded_world;
mod recording;
mod records;
mod remote;
mod requests;
mod saving;
mod tick;
mod view;

use std::{collections::VecDeque, net::IpAddr, sync::Arc, time::Duration};

use game::{GameState, Rules, SEATS, Seat, ShipModel, Stage, World};
use protocol::{Channel, End, LinkSession, LobbyId, LobbyNotice, Member, Pace, Refusal, Scene, StreamUse, Time, Token};

pub use bots::BOTS_PER_SHARD_MAX;
pub(crate) use bots::BotBudget;
pub(crate) use identity::LobbyIdentity;
pub use identity::LogName;
pub(crate) use members::MemberKey;
pub use records::{Outcome, Record, RecordedPlayer};
pub(crate) use saving::{LobbySettings, RestoredSeat};
pub use view::{LobbyView, PlayerView};

use self::{
    awaiting::Awaiting, bots::Bots, emptiness::Emptiness, members::Members, next_game::NextGame, notices::Announced,
    pace::Pacing, recorded_world::RecordedWorld, records::GameRecorder, remote::RemoteLobby,
};
use crate::{
    outgoing::Context,
    peer::{PeerKey, StreamRef},
    remote::{RemoteWish, SharedRemoteServer},
    session::{Session, StreamPiece, UnreachableHint},
};

/// How long the seat of a player is kept whose link is lost.
const KEPT_SEAT_LASTS: Duration = Duration::from_secs(60);

/// All that a lobby begins with.
#[derive(Clone)]
pub(crate) struct LobbyPlan {
    pub identity: LobbyIdentity,
    pub stage: Arc<Stage>,
    pub rules: Rules,
    /// What its player asked for, if its game is played on another server.
    pub wish: RemoteWish,
}

/// A world and the people in it.
pub(crate) struct Lobby {
    identity: LobbyIdentity,
    /// It stands still if the game is played on another server.
    world: RecordedWorld,
    remote: Option<RemoteLobby>,
    scene: Scene,
    members: Members,
    bots: Bots,
    pacing: Pacing,
    recorder: GameRecorder,
    next_game: NextGame,
    announced: Announced,
    emptiness: Emptiness,
    events: VecDeque<LobbyEvent>,
    /// The players whom it waits for, since the node was started again.
    awaiting: Option<Awaiting>,
    /// When it is saved next, once it was.
    save_due: Option<Time>,
    /// Whether something in it panicked.
    is_broken: bool,
}

/// What a lobby cannot do itself.
pub(crate) enum LobbyEvent {
    /// A session is over. Its last words have been said.
    Ended(Box<Session>),
    /// A player's link is lost, or another link has taken its seat. The seat is not free.
    LinkLost(Box<Session>),
    /// The player for whom a seat was kept did not come back.
    KeptSeatFreed(PeerKey),
    /// Somebody leaves the lobby, but not the node.
    Left { session: Box<Session>, had_seat: bool },
    /// A session has done with its stream.
    StreamDone(StreamRef),
    /// Somebody asks which lobbies there are; to be answered with [`Lobby::list`].
    ListWanted(MemberKey),
    /// The lobby on the other server, where its game is played.
    RemoteLobby(LobbyId),
    /// The state of the game or the stage has changed.
    GameChanged(GameState, Arc<Stage>),
    /// Who is in the lobby has changed.
    MembersChanged { host: Option<Seat>, members: Vec<Member> },
    /// The host of the lobby has kicked a player, who is not to come back at once.
    Kicked { player: PeerKey, host: Option<PeerKey> },
    /// Ruling S10: these players are out of lives and watch, and their seats are unused.
    UnusedSeats(Box<[Option<PeerKey>; SEATS]>),
    /// Ruling C14: a player whose seat was provisional has given a second sign of life.
    Confirmed(PeerKey),
    /// Something in the lobby panicked. Nobody is in it any more, and nothing of it is to be used.
    Broke,
}

/// The place of a lobby in the table of its shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct LobbyKey(pub usize);

/// Where a link's session wants to be in a lobby.
#[derive(Clone, Copy)]
pub(crate) enum LobbyEntry {
    Seat(Seat, Token),
    Watch,
}

impl Lobby {
    /// A waiting lobby.
    pub fn new(now: Time, plan: LobbyPlan, stages: Arc<[Arc<Stage>]>, bot_budget: BotBudget) -> Lobby {
        let LobbyPlan { identity, stage, rules, wish: _ } = plan;
        let scene = Scene::new(&stage.name);
        Lobby {
            identity,
            world: RecordedWorld::new(World::new(stage, rules, identity.seed)),
            remote: None,
            scene,
            members: Members::default(),
            bots: Bots::new(bot_budget),
            pacing: Pacing::default(),
            recorder: GameRecorder::default(),
            next_game: NextGame::new(stages),
            announced: Announced::nothing(),
            emptiness: Emptiness::new(now),
            events: VecDeque::new(),
            awaiting: None,
            save_due: None,
            is_broken: false,
        }
    }

    /// A waiting lobby whose game is played on another server.
    pub fn remote(now: Time, plan: LobbyPlan, server: SharedRemoteServer, bot_budget: BotBudget) -> Lobby {
        let remote = Some(RemoteLobby::new(server, plan.wish.clone()));
        Lobby { remote, ..Lobby::new(now, plan, [].into(), bot_budget) }
    }

    pub fn id(&self) -> LobbyId {
        self.identity.id
    }

    /// Takes out the next thing that it cannot do itself.
    pub fn poll(&mut self) -> Option<LobbyEvent> {
        self.events.pop_front()
    }

    /// A player sits down. Ruling C11: a player of a dialect without lobbies starts a waiting one. A player who has had to yield
    /// the seat is gone.
    pub fn join(&mut self, cx: &mut Context, seat: Seat, session: Box<Session>, name: &str) {
        let peer = session.peer;
        self.make_way(cx, seat);
        self.members.sit(seat, session, None);
        self.guarded(cx, |lobby, cx| {
            lobby.seat_taken(seat, peer, name);
            lobby.join_remotely(cx, seat, peer, name);
            lobby.world.join(seat);
            if lobby.remote.is_none() && !matches!(peer.dialect().entry().stream, StreamUse::Desk(_)) {
                lobby.world.start();
            }
        });
    }

    /// The session of a link comes in, to sit down or to watch. If it cannot, it comes back with the reason.
    pub fn enter(
        &mut self,
        cx: &mut Context,
        session: Box<Session>,
        entry: LobbyEntry,
    ) -> Result<MemberKey, (Box<Session>, Refusal)> {
        match entry {
            LobbyEntry::Seat(seat, token) => {
                self.make_way(cx, seat);
                self.replace_earlier_session(cx, seat);
                if self.is_broken {
                    return Err((session, Refusal::NoLobby));
                }
                let (peer, name, ship) = (session.peer, session.link_name().to_owned(), session.link_ship());
                self.members.sit(seat, session, Some(token));
                let member = MemberKey::Seat(seat);
                self.guarded(cx, |lobby, cx| {
                    lobby.seat_taken(seat, peer, &name);
                    lobby.join_remotely(cx, seat, peer, &name);
                    // No change for a player who comes back to a seat that was kept.
                    lobby.world.join_with(seat, ship.unwrap_or(ShipModel::of_seat(seat)));
                    lobby.notify(cx.now, member, &LobbyNotice::Seated { code: lobby.id(), seat, token });
                    lobby.tell_stage(cx.now, member);
                });
                Ok(member)
            }
            LobbyEntry::Watch => {
                let member = self.members.watch(session).map_err(|session| (session, Refusal::Full))?;
                self.guarded(cx, |lobby, cx| lobby.greet_watcher(cx.now, member));
                Ok(member)
            }
        }
    }

    /// Ends the session of a player who has had to yield a seat, as a bot always does. One that came over a link never has to.
    fn make_way(&mut self, cx: &mut Context, seat: Seat) {
        self.guarded(cx, |lobby, _| lobby.remove_bot(seat));
        let member = MemberKey::Seat(seat);
        if self.members.get(member).is_some_and(|session| !session.is_link()) {
            self.end(cx, member, End::TimedOut);
        }
    }

    fn seat_taken(&mut self, seat: Seat, peer: PeerKey, name: &str) {
        self.go_on_or_begin(peer.ip());
        self.pacing.wish(seat, Pace::Full);
        self.announced.change_details();
        self.scene.seat_taken(seat, name);
        let (dialect, peer) = (peer.dialect().name(), peer.address);
        tracing::info!(dialect, %peer, lobby = %self.log_name(), seat = seat.number(), name, "a player joined");
    }

    /// The player who was the last to leave a game may come back to it; a stranger gets a new one. Ruling C17:
    /// nobody is seated in one that is over, so the next begins.
    fn go_on_or_begin(&mut self, newcomer: IpAddr) {
        match self.emptiness.end() {
            Some(last) if last != newcomer => self.begin_again(),
            Some(_) if self.is_over() => self.begin_next(),
            Some(_) | None => {}
        }
    }

    fn begin_again(&mut self) {
        self.recorder = GameRecorder::default();
        if self.world.game_state() != GameState::Waiting {
            self.world.restart();
        }
    }

    /// A player who comes back to a kept seat may still have a session there, whose link is lost though nobody noticed yet.
    fn replace_earlier_session(&mut self, cx: &mut Context, seat: Seat) {
        let member = MemberKey::Seat(seat);
        self.guarded(cx, |lobby, cx| {
            if let Some(session) = lobby.members.get_mut(member) {
                session.end(cx.now, End::Closed);
                lobby.flush(cx, member);
            }
        });
        if let Some(session) = self.members.take(member) {
            self.events.push_back(LobbyEvent::LinkLost(session));
        }
    }

    fn greet_watcher(&mut self, now: Time, member: MemberKey) {
        self.announced.change_details();
        self.notify(now, member, &LobbyNotice::Watching { code: self.id() });
        self.tell_stage(now, member);
        if self.pacing.in_force() != Pace::Full {
            self.notify(now, member, &LobbyNotice::Pace(self.pacing.in_force()));
        }
    }

    /// Bytes of somebody in the lobby.
    pub fn receive(&mut self, cx: &mut Context, member: MemberKey, channel: Channel, bytes: &[u8]) {
        self.guarded(cx, |lobby, cx| {
            let Some(session) = lobby.members.get_mut(member) else { return };
            let done_with = session.receive(cx, channel, bytes);
            let confirmed = session.take_confirmation().then_some(session.peer);
            lobby.events.extend(done_with.map(LobbyEvent::StreamDone));
            lobby.events.extend(confirmed.map(LobbyEvent::Confirmed));
        });
    }

    /// A numbered piece of the stream of somebody's link. It is heard when its turn comes.
    pub fn receive_piece(&mut self, cx: &mut Context, member: MemberKey, piece: StreamPiece) {
        if let Some(link) = self.members.get_mut(member).and_then(|session| session.link.as_mut()) {
            link.add_piece(piece);
            self.attend(cx, member);
        }
    }

    /// Somebody says that nobody listens where a member is (ruling C6).
    pub fn hint_unreachable(&mut self, now: Time, member: MemberKey, hint: UnreachableHint) {
        if let Some(session) = self.members.get_mut(member) {
            session.hint_unreachable(now, hint);
        }
    }

    /// Ends the session of somebody in the lobby.
    pub fn end(&mut self, cx: &mut Context, member: MemberKey, why: End) {
        self.guarded(cx, |lobby, cx| {
            if let Some(session) = lobby.members.get_mut(member) {
                session.end(cx.now, why);
                lobby.flush(cx, member);
                lobby.remove(cx, member);
            }
        });
    }

    /// Ends everybody's session; watchers only leave. For a lobby that is closed.
    pub fn end_all(&mut self, cx: &mut Context) {
        for seat in Seat::ALL {
            self.end(cx, MemberKey::Seat(seat), End::LobbyClosed);
        }
        self.dismiss_watchers(cx.now);
    }

    /// Ends a lobby in which seats are kept at most: nobody is here but watchers, who leave.
    pub fn end_idle(&mut self, cx: &mut Context) {
        Seat::ALL.into_iter().for_each(|seat| self.free_kept_seat(cx, seat));
        self.dismiss_watchers(cx.now);
    }

    /// The session in a seat.
    pub fn player(&self, seat: Seat) -> Option<PeerKey> {
        self.members.get(MemberKey::Seat(seat)).map(|session| session.peer)
    }

    /// Everybody who is here.
    pub fn sessions(&self) -> impl Iterator<Item = (MemberKey, &Session)> {
        self.members.iter()
    }

    /// A stream of a session is closed by its other end.
    pub fn forget_stream(&mut self, member: MemberKey) {
        if let Some(session) = self.members.get_mut(member) {
            session.stream = None;
        }
    }

    /// A player has another address.
    pub fn readdress(&mut self, member: MemberKey, peer: PeerKey) {
        if let Some(session) = self.members.get_mut(member) {
            session.peer = peer;
        }
    }

    /// The node itself lost time (ruling C15).
    pub fn lose_time(&mut self, lost: Duration) {
        self.members.lose_time(lost);
    }

    /// Whether it has been empty long enough to be closed.
    pub fn is_long_empty(&self, now: Time) -> bool {
        self.emptiness.is_too_long(now)
    }

    /// Whether its time passes.
    pub fn is_paused(&self) -> bool {
        self.pacing.in_force() == Pace::Paused
    }

    /// Puts another conversation in the place of somebody's. For tests.
    pub fn substitute(&mut self, member: MemberKey, protocol: Box<dyn LinkSession>) -> bool {
        self.members.get_mut(member).map(|session| session.substitute(protocol)).is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::{net::SocketAddr, sync::atomic::AtomicUsize};

    use game::Input;
    use protocol::{Dialect, Numbers, Scale, Welcome};

    use super::*;
    use crate::{
        outgoing::{Outgoing, UnprovedBudget},
        peer::ShardId,
    };

    const NOW: Time = Time::from_micros(0);
    const SEAT: Seat = Seat::ALL[0];

    fn outgoing() -> Outgoing {
        Outgoing::new(ShardId(0), UnprovedBudget::new(NOW, 0, Arc::new(AtomicUsize::new(0))))
    }

    fn sit_down(lobby: &mut Lobby, cx: &mut Context, from: [u8; 4]) {
        let peer = PeerKey::at_door(Dialect::Typeuh, SocketAddr::from((from, 5000)));
        let welcome =
            Welcome { seat: SEAT, now: NOW, started: NOW, scale: Scale::default(), numbers: Numbers::default() };
        let session = Box::new(Session::for_player(cx, peer, welcome));
        lobby.join(cx, SEAT, session, "");
    }

    /// A lobby in which the only player, at 10.0.0.1, has played for a while and left.
    fn left(cx: &mut Context) -> Lobby {
        let (id, stage, rules) = (LobbyId::from_number(1), Stage::endless(), Rules::default());
        let identity = LobbyIdentity { id, number: 0, seed: 1, is_private: false, has_host: false, made_by: None };
        let plan = LobbyPlan { identity, stage, rules, wish: RemoteWish::default() };
        let mut lobby = Lobby::new(NOW, plan, Arc::new([]), BotBudget::default());
        sit_down(&mut lobby, cx, [10, 0, 0, 1]);
        (0..600).for_each(|_| lobby.world.tick(&[Input::IDLE; SEATS]));
        lobby.end(cx, MemberKey::Seat(SEAT), End::Left);
        assert!(
            matches!(lobby.poll(), Some(LobbyEvent::Ended(_))) && lobby.is_long_empty(NOW + Duration::from_secs(30))
        );
        lobby
    }

    /// What flies about that belongs to no player.
    fn others(lobby: &Lobby) -> usize {
        let mut frame = game::Frame::default();
        lobby.world.frame_into(&mut frame);
        frame.entities.iter().filter(|entity| entity.seat.is_none()).count()
    }

    #[test]
    fn a_player_who_comes_back_plays_on_and_a_stranger_begins_again() {
        let mut out = outgoing();
        let cx = &mut Context { now: NOW, out: &mut out };
        let mut lobby = left(cx);
        let before = others(&lobby);
        assert!(before > 0);
        sit_down(&mut lobby, cx, [10, 0, 0, 1]);
        assert_eq!(others(&lobby), before);
        let mut lobby = left(cx);
        sit_down(&mut lobby, cx, [10, 0, 0, 2]);
        assert_eq!((others(&lobby), lobby.world.game_state()), (0, GameState::Running));
    }
}
