//! An overview of the node: its lobbies, sessions and counters, copied from the shards so that readers never make a shard
//! wait.
//!
//! A shard publishes only when somebody wants to read, and at most a few times a second, however many readers there are. It never
//! waits for one of them, and reports its sessions only if the host wants to see them.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU8, AtomicUsize, Ordering},
    },
    time::Duration,
};

use protocol::Dialect;
use serde::Serialize;
use tokio::time::Instant;

use crate::{
    core::{Core, Counters, LobbyView, SessionCounts, SessionView, ShardId},
    order_sender::ShardWaker,
};

/// How long a reader waits for a busy shard before it takes that shard's last overview.
const WAIT_MAX: Duration = Duration::from_millis(200);
/// An overview not older than this is not requested again: programs follow a game by it, so it is three ticks old at most.
const FRESH: Duration = Duration::from_millis(50);

/// What is wanted of a shard: nothing, what everybody may see, or that and its sessions.
const NOTHING: u8 = 0;
const PUBLIC: u8 = 1;
const WITH_SESSIONS: u8 = 2;

/// The newest overview of each shard. Clones share it.
#[derive(Clone)]
pub struct SharedOverview(Arc<Shared>);

struct Shared {
    shards: Vec<ShardSlot>,
    requested: Mutex<Option<Instant>>,
}

/// What one shard publishes.
struct ShardSlot {
    /// Replaced, never changed: a reader holds the lock only to get hold of it.
    overview: Mutex<Arc<Overview>>,
    session_views: Mutex<Arc<Vec<SessionView>>>,
    wanted: AtomicU8,
    sessions: AtomicUsize,
    wake: ShardWaker,
}

/// What is known about a node, or about one of its shards.
#[derive(Clone, Debug, Default)]
pub struct Overview {
    /// Every public lobby, the oldest first.
    pub lobbies: Vec<LobbyOverview>,
    /// The private ones. Their codes are told to nobody but those who are in them, and the host.
    pub private_lobbies: Vec<LobbyOverview>,
    /// Every session, if the host reads: nobody else may see them.
    pub sessions: Vec<SessionView>,
    /// The open sessions of each dialect, in the order of [`Dialect::ALL`].
    pub session_counts: [SessionCounts; Dialect::ALL.len()],
    /// What has been counted since the start.
    pub counters: Counters,
    pub shards: Vec<ShardLoad>,
}

/// How much a shard has to do.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ShardLoad {
    /// Since the start.
    pub busy_seconds: f64,
    pub sessions: usize,
    pub lobbies: usize,
    /// Bots that hosts have added to lobbies.
    pub bots: usize,
}

/// One lobby, as the API shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LobbyOverview {
    /// Rises from lobby to lobby: sorts them by age.
    #[serde(skip)]
    pub number: u64,
    /// Its code, as players type it.
    pub id: String,
    pub stage: String,
    /// `campaign`, `endless`, `daily` or `practice`.
    pub mode: &'static str,
    /// `easy`, `normal` or `hard`.
    pub difficulty: &'static str,
    /// What is different in it, in a daily game.
    pub mutator: Option<&'static str>,
    /// The wave of the endless stage, from 1; 0 elsewhere.
    pub wave: u32,
    /// `waiting`, `running`, `won` or `lost`.
    pub state: &'static str,
    /// Ticks since it began.
    pub tick: u32,
    /// The score of all players together.
    pub score: u32,
    /// The seat of the host, who starts the game, adds bots and kicks; null in a lobby that no player made.
    pub host: Option<u8>,
    /// The players and bots, by seat.
    pub players: Vec<PlayerOverview>,
    /// How many entities are visible.
    pub entities: usize,
    /// Whether its only player has paused it.
    pub paused: bool,
}

/// One player, as the API shows them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlayerOverview {
    /// 0 to 3.
    pub seat: u8,
    /// Empty if the dialect has no names.
    pub name: String,
    /// The name of their dialect; `bot` for a bot of the node.
    pub dialect: &'static str,
    /// How well a bot plays: `easy`, `normal` or `good`; null for a person.
    pub bot: Option<&'static str>,
    /// `arrow`, `wasp`, `anvil` or `lynx`.
    pub ship: &'static str,
    /// Their own share of the score.
    pub score: u32,
    /// The id of their ship, while they have one.
    pub entity: Option<u32>,
    /// The middle of their ship, in whole pixels from the left of the field.
    pub x: Option<i32>,
    /// The middle of their ship, in whole pixels from the top of the field.
    pub y: Option<i32>,
}

impl SharedOverview {
    /// An empty one, for the shards of these wakers.
    pub fn new(wakers: &[ShardWaker]) -> SharedOverview {
        let shards = wakers.iter().cloned().map(ShardSlot::new).collect();
        SharedOverview(Arc::new(Shared { shards, requested: Mutex::new(None) }))
    }

    /// Publishes a shard as it is now, if somebody wants to read it. Call it after each round.
    pub fn publish(&self, shard: ShardId, core: &Core) {
        let Some(slot) = self.0.shards.get(shard.index()) else { return };
        slot.sessions.store(core.session_count(), Ordering::Relaxed);
        let wanted = slot.wanted.load(Ordering::Acquire);
        if wanted == NOTHING {
            return;
        }
        let overview = Arc::new(Overview::of(core));
        *lock(&slot.overview) = overview;
        if wanted == WITH_SESSIONS {
            let views = Arc::new(core.sessions());
            *lock(&slot.session_views) = views;
        }
        // If more is wanted by now, the next round publishes that.
        let _ = slot.wanted.compare_exchange(wanted, NOTHING, Ordering::Release, Ordering::Relaxed);
    }

    /// How many sessions there are, as of each shard's last round.
    pub fn session_count(&self) -> usize {
        self.0.shards.iter().map(|slot| slot.sessions.load(Ordering::Relaxed)).sum()
    }

    /// The node as it was a moment ago at most. Anybody may call this as often as they like.
    pub async fn read(&self) -> Overview {
        if self.is_stale() {
            self.request(PUBLIC);
        }
        self.wait().await;
        self.last()
    }

    /// The node as it is now, with its sessions: for the host.
    pub async fn read_now(&self) -> Overview {
        self.request(WITH_SESSIONS);
        self.wait().await;
        let mut whole = self.last();
        for slot in &self.0.shards {
            let views = Arc::clone(&lock(&slot.session_views));
            whole.sessions.extend_from_slice(&views);
        }
        whole.sessions.sort_by_key(|session| session.opened);
        whole
    }

    /// The node as somebody last read it: no shard has anything to do for it.
    pub fn last(&self) -> Overview {
        let mut whole = Overview::default();
        for slot in &self.0.shards {
            let overview = Arc::clone(&lock(&slot.overview));
            whole.add(&overview);
        }
        whole.lobbies.sort_by_key(|lobby| lobby.number);
        whole.private_lobbies.sort_by_key(|lobby| lobby.number);
        whole
    }

    fn request(&self, wanted: u8) {
        self.0.shards.iter().for_each(|slot| slot.request(wanted));
    }

    /// Waits until every shard has published what is wanted of it, but not for a busy one.
    async fn wait(&self) {
        let began = Instant::now();
        let is_awaited = || self.0.shards.iter().any(|slot| slot.wanted.load(Ordering::Acquire) != NOTHING);
        while is_awaited() && began.elapsed() < WAIT_MAX {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Whether a new overview has to be requested; if so, it counts as requested now.
    fn is_stale(&self) -> bool {
        let mut requested = lock(&self.0.requested);
        let is_stale = requested.is_none_or(|requested| requested.elapsed() >= FRESH);
        if is_stale {
            *requested = Some(Instant::now());
        }
        is_stale
    }
}

impl Overview {
    fn of(core: &Core) -> Overview {
        let (private_lobbies, lobbies): (Vec<_>, Vec<_>) = core.lobbies().into_iter().partition(|view| view.is_private);
        let load = ShardLoad {
            busy_seconds: core.counters().busy.as_secs_f64(),
            sessions: core.session_count(),
            lobbies: lobbies.len() + private_lobbies.len(),
            bots: core.bot_count(),
        };
        Overview {
            lobbies: lobbies.into_iter().map(LobbyOverview::from).collect(),
            private_lobbies: private_lobbies.into_iter().map(LobbyOverview::from).collect(),
            sessions: Vec::new(),
            session_counts: core.session_counts(),
            counters: core.counters().clone(),
            shards: vec![load],
        }
    }

    fn add(&mut self, other: &Overview) {
        self.lobbies.extend_from_slice(&other.lobbies);
        self.private_lobbies.extend_from_slice(&other.private_lobbies);
        for (sum, counts) in self.session_counts.iter_mut().zip(other.session_counts) {
            sum.players += counts.players;
            sum.proved += counts.proved;
            sum.unproved += counts.unproved;
            sum.retransmissions += counts.retransmissions;
        }
        self.counters += &other.counters;
        self.shards.extend_from_slice(&other.shards);
    }

    /// How many lobbies there are, private ones included.
    pub fn lobby_count(&self) -> usize {
        self.lobbies.len() + self.private_lobbies.len()
    }

    /// The lobby with this code, public or private: for somebody who knows the code.
    pub fn lobby(&self, code: &str) -> Option<&LobbyOverview> {
        let mut all = self.lobbies.iter().chain(&self.private_lobbies);
        all.find(|lobby| lobby.id.eq_ignore_ascii_case(code))
    }

    /// The open sessions of each dialect.
    pub fn by_dialect(&self) -> impl Iterator<Item = (Dialect, SessionCounts)> {
        Dialect::ALL.into_iter().zip(self.session_counts)
    }
}

impl ShardSlot {
    fn new(wake: ShardWaker) -> ShardSlot {
        let (overview, session_views) = (Mutex::default(), Mutex::default());
        ShardSlot { overview, session_views, wanted: AtomicU8::new(NOTHING), sessions: AtomicUsize::new(0), wake }
    }

    fn request(&self, wanted: u8) {
        self.wanted.fetch_max(wanted, Ordering::Release);
        (self.wake)();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic while it was locked left the copy whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl From<LobbyView> for LobbyOverview {
    fn from(view: LobbyView) -> LobbyOverview {
        let players = view.players.into_iter().map(|player| PlayerOverview {
            seat: player.seat,
            name: player.name,
            dialect: player.kind.name(),
            bot: player.kind.bot().map(game::Skill::name),
            ship: player.ship.name(),
            score: player.score,
            entity: player.entity,
            x: player.x,
            y: player.y,
        });
        LobbyOverview {
            number: view.number,
            id: view.id,
            stage: view.stage,
            mode: view.rules.mode.name(),
            difficulty: view.rules.difficulty.name(),
            mutator: view.rules.mutator().map(game::Mutator::name),
            wave: view.wave,
            state: view.state.name(),
            tick: view.tick,
            score: view.score,
            host: view.host.map(game::Seat::number),
            players: players.collect(),
            entities: view.entities,
            paused: view.is_paused,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use protocol::Time;

    use super::*;
    use crate::{core::PeerKey, http::core_for_tests};

    /// A shard with a session, which publishes when it is woken.
    fn shard() -> (SharedOverview, Core) {
        let overview = SharedOverview::new(&[Arc::new(|| {})]);
        let mut core = core_for_tests(Time::from_micros(1_700_000_000_000_000));
        let peer = PeerKey::at_door(Dialect::Typeuh, SocketAddr::from(([127, 0, 0, 1], 5000)));
        core.datagram(Time::from_micros(1_700_000_000_000_000), peer, &[]);
        (overview, core)
    }

    /// What a reader gets from a shard that is not busy.
    async fn answered(overview: &SharedOverview, core: &Core, read: impl Future<Output = Overview>) -> Overview {
        let publish = async {
            loop {
                overview.publish(ShardId(0), core);
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::select! {
            overview = read => overview,
            () = publish => unreachable!("it goes on"),
        }
    }

    #[tokio::test]
    async fn only_the_host_makes_a_shard_tell_of_its_sessions() {
        let (overview, core) = shard();
        let read = answered(&overview, &core, overview.read()).await;
        assert_eq!((read.lobbies.len(), read.sessions.len()), (1, 0));
        assert!(lock(&overview.0.shards[0].session_views).is_empty(), "nobody asked for them");
        assert_eq!(answered(&overview, &core, overview.read_now()).await.sessions.len(), 1);
        assert_eq!(overview.last().sessions.len(), 0);
    }

    /// Each publication is a new copy.
    #[tokio::test(start_paused = true)]
    async fn however_many_read_a_shard_publishes_twenty_times_a_second_at_most() {
        let (overview, core) = shard();
        let mut published = std::collections::BTreeSet::new();
        let mut kept = Vec::new();
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(1) {
            answered(&overview, &core, overview.read()).await;
            let copy = Arc::clone(&lock(&overview.0.shards[0].overview));
            published.insert(Arc::as_ptr(&copy) as usize);
            kept.push(copy);
            tokio::time::advance(Duration::from_millis(5)).await;
        }
        assert!((15..=21).contains(&published.len()), "{}", published.len());
    }

    #[test]
    fn a_reader_that_copies_does_not_make_a_shard_wait() {
        let (overview, core) = shard();
        overview.request(PUBLIC);
        overview.publish(ShardId(0), &core);
        let read = Arc::clone(&lock(&overview.0.shards[0].overview));
        overview.request(PUBLIC);
        overview.publish(ShardId(0), &core);
        assert!(!Arc::ptr_eq(&read, &lock(&overview.0.shards[0].overview)), "it was replaced while it was read");
    }
}
