//! How a lobby is saved, and how the next process of the node goes on with it (ruling C16).
//!
//! What was played after it was last saved is lost. Its players may have seen it, so what they know from then is named in the
//! scene, and entities that come from now on have ids above all that they may have been told.

use std::{sync::Arc, time::Duration};

use game::{Departure, EntityId, SEATS, Seat, Skill, Stage, World};
use protocol::{Dialect, LobbyId, Numbers, Pace, Scale, Scene, Time, Token, Welcome, visible};

use super::{
    Awaiting, BotBudget, Emptiness, GameRecorder, Lobby, LobbyIdentity, LobbyPlan, members::KeptSeat,
    recorded_world::RecordedWorld,
};
use crate::{
    outgoing::Context,
    peer::{Endpoint, PeerKey, StreamId},
    remote::RemoteWish,
    saves::{NotRestored, SAVE_EVERY, SavedBot, SavedLobby, SavedSeat},
    session::{Awaited, KnownNumbers, Session},
};

/// Ids that the players of a busy game may have been told of in the time that is lost: a second, and half as much again.
const LOST_IDS: u32 = 256;
/// Ids of entities that were gone when the game was saved, but whose end may not have reached everybody.
const RECENT_IDS: u32 = 64;
/// Entities that appear in a tick, at most on average, and the ticks that may have been played since a save that could not be
/// renewed.
const IDS_PER_TICK: u64 = 16;
const SKIPPED_MAX: u64 = 1 << 24;
/// Longer names are cut: no dialect has such.
const NAME_CHARS_MAX: usize = 64;

/// A seat that is kept for a player of an earlier process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RestoredSeat {
    pub seat: Seat,
    pub peer: PeerKey,
    pub token: Option<Token>,
    /// Whether the player has given no second sign of life yet (ruling C14).
    pub is_provisional: bool,
}

/// What the node's settings say about a lobby that is restored.
pub(crate) struct LobbySettings<'a> {
    pub stage: Arc<Stage>,
    pub stages: &'a Arc<[Arc<Stage>]>,
    pub bot_budget: &'a BotBudget,
    pub scale: Scale,
}

impl Lobby {
    /// Saves it if that is due, or has its save forgotten if it has no players any more.
    pub fn save_if_due(&mut self, cx: &mut Context) {
        if self.members.have_no_player() {
            if self.save_due.take().is_some() {
                cx.out.forget_save(self.id());
            }
        } else if self.save_due.is_none_or(|due| cx.now >= due) {
            self.save_now(cx);
        }
    }

    /// Saves it, if it has players.
    pub fn save_now(&mut self, cx: &mut Context) {
        if self.members.have_no_player() || self.is_broken {
            return;
        }
        self.save_due = Some(cx.now + SAVE_EVERY);
        if let Some(saved) = self.saved(cx.now) {
            cx.out.save(self.id(), saved.to_bytes());
        }
    }

    fn saved(&self, now: Time) -> Option<SavedLobby> {
        let LobbyIdentity { id, number, seed, is_private, has_host, made_by } = self.identity;
        Some(SavedLobby {
            id: id.number()?,
            number,
            seed,
            is_private,
            has_host,
            made_by,
            saved: now.micros(),
            stage: self.world.stage().name.clone(),
            world: self.world.save(),
            scene: self.scene.numbers().to_bits(),
            over_since: self.next_game.over_since().map(Time::micros),
            game: self.recorder.save(),
            seats: Seat::ALL.map(|seat| self.saved_seat(now, seat)),
            bots: Seat::ALL.map(|seat| self.saved_bot(seat)),
        })
    }

    fn saved_seat(&self, now: Time, seat: Seat) -> Option<SavedSeat> {
        let session = self.members.get(super::MemberKey::Seat(seat));
        let peer = session.map(|session| session.peer).or_else(|| self.members.kept(seat).map(|kept| kept.peer))?;
        let away = KnownNumbers { numbers: Numbers::default(), noted: now, started: now };
        let KnownNumbers { numbers, noted, started } = session.map_or(away, |session| session.known_numbers(now));
        Some(SavedSeat {
            dialect: peer.dialect().name().into(),
            address: peer.address,
            local: peer.local,
            is_neighbour: peer.is_neighbour,
            lobby_port: match peer.endpoint {
                Endpoint::Lobby(_, port) => Some(port),
                Endpoint::Door(_) | Endpoint::Link(..) => None,
            },
            token: self.members.token(seat).map(|Token(bytes)| bytes),
            name: self.scene.name(seat).into(),
            is_ready: self.members.occupant(seat)?.is_ready,
            is_provisional: session.is_some_and(Session::is_provisional),
            pace: self.pacing.wished(seat) as u8,
            numbers: numbers.to_bits(),
            noted: noted.micros(),
            started: started.micros(),
        })
    }

    /// The lobby that was saved, which waits for its players, and who they are.
    pub fn restore(
        cx: &mut Context,
        saved: SavedLobby,
        settings: LobbySettings,
    ) -> Result<(Lobby, Vec<RestoredSeat>), NotRestored> {
        let mut world = World::restore(settings.stage.clone(), &saved.world).map_err(NotRestored::World)?;
        let id = LobbyId::from_number(saved.id);
        let SavedLobby { number, seed, is_private, has_host, made_by, .. } = saved;
        let identity = LobbyIdentity { id, number, seed, is_private, has_host, made_by };
        let (stage, rules, wish) = (settings.stage, world.rules(), RemoteWish::default());
        let plan = LobbyPlan { identity, stage, rules, wish };
        let mut lobby = Lobby::new(cx.now, plan, Arc::clone(settings.stages), settings.bot_budget.clone());
        let passed = cx.now.since(Time::from_micros(saved.saved));
        lobby.scene = resume_scene(cx.now, &mut world, Numbers::from_bits(saved.scene), passed);
        lobby.world = RecordedWorld::new(world);
        if saved.over_since.is_some() {
            lobby.next_game.show_result_again(cx.now);
        }
        lobby.recorder = GameRecorder::restore(saved.game);
        lobby.awaiting = Some(Awaiting::default());
        // Those that are restored together are not all saved at once.
        lobby.save_due = Some(cx.now + SAVE_EVERY * (number % 64) as u32 / 64);
        let mut seats = Vec::new();
        for ((seat, saved), bot) in Seat::ALL.into_iter().zip(saved.seats).zip(saved.bots) {
            match (saved.and_then(|saved| lobby.restore_seat(cx, seat, saved, settings.scale)), bot) {
                (Some(restored), _) => seats.push(restored),
                (None, Some(bot)) if lobby.restore_bot(seat, &bot) => {}
                (None, _) => lobby.world.leave(seat, Departure::TimedOut),
            }
        }
        if seats.is_empty() {
            return Err(NotRestored::NoPlayers);
        }
        lobby.emptiness = Emptiness::none();
        Ok((lobby, seats))
    }

    /// Sets how many datagrams of each of its players are taken in a second.
    pub fn limit_intake(&mut self, now: Time, per_second: u32) {
        self.members.iter_mut().for_each(|session| session.limit_intake(now, per_second));
    }

    /// What it would have begun with.
    pub fn plan(&self) -> LobbyPlan {
        let (stage, rules, wish) = (self.world.stage().clone(), self.world.rules(), RemoteWish::default());
        LobbyPlan { identity: self.identity, stage, rules, wish }
    }

    /// Keeps a seat for its player. None: nobody could come back to it.
    fn restore_seat(&mut self, cx: &mut Context, seat: Seat, saved: SavedSeat, scale: Scale) -> Option<RestoredSeat> {
        let dialect = Dialect::from_name(&saved.dialect).filter(|_| self.world.is_seated(seat))?;
        let name: String = visible(&saved.name).chars().take(NAME_CHARS_MAX).collect();
        let token = saved.token.map(Token);
        let peer = PeerKey {
            endpoint: match (token, saved.lobby_port) {
                (Some(_), _) => Endpoint::Link(dialect, self.lost_link(seat)),
                (None, Some(port)) => Endpoint::Lobby(dialect, port),
                (None, None) => Endpoint::Door(dialect),
            },
            address: saved.address,
            local: saved.local,
            is_neighbour: saved.is_neighbour,
        };
        self.scene.seat_taken(seat, &name);
        self.pacing.wish(seat, [Pace::Full, Pace::Slow, Pace::Paused][usize::from(saved.pace % 3)]);
        if let Some(token) = token {
            self.members.keep(seat, KeptSeat { since: cx.now, peer }, token, saved.is_ready);
        } else {
            let started = Time::from_micros(saved.started);
            let numbers = Numbers::from_bits(saved.numbers);
            let welcome = Welcome { seat, now: cx.now, started, scale, numbers };
            let awaited = Awaited { peer, name, welcome, noted: Time::from_micros(saved.noted) };
            let mut session = Session::awaiting(cx, awaited);
            if saved.is_provisional {
                session.await_second_sign();
            }
            self.members.sit(seat, Box::new(session), None);
        }
        Some(RestoredSeat { seat, peer, token, is_provisional: saved.is_provisional && token.is_none() })
    }

    fn saved_bot(&self, seat: Seat) -> Option<SavedBot> {
        let skill = self.bots.skill(seat)?;
        Some(SavedBot { skill: skill.name().into(), name: self.scene.name(seat).into() })
    }

    /// Puts a bot back into its seat. False: it has none, or there is no room for one more.
    fn restore_bot(&mut self, seat: Seat, saved: &SavedBot) -> bool {
        let Some(skill) = Skill::from_name(&saved.skill).filter(|_| self.world.is_seated(seat)) else { return false };
        let name: String = visible(&saved.name).chars().take(NAME_CHARS_MAX).collect();
        self.seat_bot(seat, skill, &name)
    }

    /// A link that is lost has a name that no link will ever have: those count up from 0.
    fn lost_link(&self, seat: Seat) -> StreamId {
        StreamId(u64::MAX - self.identity.number.wrapping_mul(SEATS as u64) - seat.index() as u64)
    }

    /// Tells those who come back by themselves that the node is about to end. Nobody else is told, and nobody leaves: the next
    /// process goes on with the lobby.
    pub fn suspend(&mut self, cx: &mut Context) {
        self.save_now(cx);
        self.guarded(cx, |lobby, cx| {
            // If nobody goes on with it, this is how it ended; if somebody does, it will be recorded again.
            lobby.record_abandoned(cx);
            lobby.end_recording(cx);
            for session in lobby.members.iter_mut().filter(|session| session.is_link()) {
                session.end(cx.now, protocol::End::Restarting);
                let _ = session.flush(cx);
            }
        });
    }
}

/// The scene of a world that was saved some time ago. Ids that may have been used since are left out.
fn resume_scene(now: Time, world: &mut World, numbers: Numbers, passed: Duration) -> Scene {
    let mut scene = Scene::new(&world.stage().name);
    world.frame_into(&mut scene.frame);
    scene.frame.events.clear();
    let end = world.ids_end();
    let shown = scene.frame.entities.iter().map(|entity| entity.id).filter(|id| id.0 + RECENT_IDS < end);
    let unknown = (end.saturating_sub(RECENT_IDS).max(1)..end.saturating_add(LOST_IDS)).map(EntityId);
    let entities = shown.chain(unknown).collect();
    let ticks = passed.as_millis() as u64 * 60 / 1000;
    let skipped = u64::from(LOST_IDS) + ticks.saturating_mul(IDS_PER_TICK).min(SKIPPED_MAX);
    world.skip_ids(skipped as u32);
    scene.resume(now, numbers, entities, world.ids_end());
    scene
}
