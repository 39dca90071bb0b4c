//! What one client was told of its lobby, and what of a new Frame it is still to be told.
//!
//! Appearing, disappearing and descriptions are said once, in the groups of the [`UnvalidatedPackets`]; places are said again and
//! again by MoveEntity, which nobody repeats. While counted validations cannot be trusted (see
//! [`UnvalidatedPackets::is_miscounted`]) everything is said again once a second: receivers ignore what they know (F4).

use std::collections::VecDeque;
use std::fmt::Write;
use std::time::Duration;

use game::{Attached, Class, Entity, EntityId, Frame, GameState, Kind, Seat, Vec2};

use super::description::Update;
use super::reliability::{UnvalidatedPackets, first_packet};
use super::wire::{FromServer, Packet, Text};
use crate::{Scale, Scene, Time};

/// Ticks until an entity is moved again that is where its last MoveEntity and its velocity put it: 100 ms.
const MOVE_STRAIGHT_TICKS: u32 = 6;
/// One that rests where it was said to be: half a second.
const MOVE_RESTING_TICKS: u32 = 30;
/// Of the others, ships, gear and shots are moved each tick, the rest every second one: all in the same ones, so that in
/// these the client's whole picture is right.
const MOVE_TURNING_TICKS: u32 = 2;
/// Ticks in which everything is said again, spread evenly, while counts cannot be trusted.
const SAID_AGAIN_TICKS: u32 = 60;
/// How long a destruction is said again, each second, while counts cannot be trusted.
const REMOVED_AGE: Duration = Duration::from_millis(3_500);
/// Destructions remembered for that.
const REMOVED_MAX: usize = 1024;

/// What one client was told.
#[derive(Debug)]
pub struct WorldWriter {
    seat: Seat,
    scale: Scale,
    /// Frames that were published.
    tick: u32,
    /// Whether those that turn are moved in this one.
    turns: bool,
    score: SentValue<u32>,
    state: SentValue<GameState>,
    /// Sorted by id, as Frames are.
    told: Vec<KnownEntity>,
    /// The memory for the next `told`.
    next: Vec<KnownEntity>,
    /// What was told to a client that then greeted again: it may be the same one, which still knows it.
    forgotten: Vec<u32>,
    removed: VecDeque<RemovedEntity>,
    /// MoveEntity packets of this tick, one behind the other.
    moves: Vec<u8>,
    moves_sent: usize,
    text: String,
    /// How far the network ids are above the game's.
    id_offset: u32,
    /// Whether the client may know entities from before the node was started again (ruling C16).
    has_ghosts: bool,
}

/// What was told of one entity.
#[derive(Clone, Copy, Debug)]
struct KnownEntity {
    id: u32,
    facts: Facts,
    position: Vec2,
    velocity: Vec2,
    moved_tick: u32,
}

/// What UpdateEntity told of an entity.
#[derive(Clone, Copy, Debug, Default)]
struct Facts {
    seat: SentValue<Seat>,
    lives: SentValue<u8>,
    health: SentValue<u16>,
    attached: SentValue<Attached>,
    size: SentValue<(u16, u16)>,
}

/// One thing that UpdateEntity says.
#[derive(Clone, Copy, Debug)]
struct SentValue<T> {
    value: Option<T>,
    /// The second in which it was last said.
    at: Option<u64>,
    /// It was said more than once in that second, so order decides between them: to be said again in a later one.
    is_doubled: bool,
}

#[derive(Clone, Copy, Debug)]
struct RemovedEntity {
    id: u32,
    tick: u32,
    removed_at: Time,
}

impl WorldWriter {
    /// Nothing was told yet to the player in that seat.
    pub fn new(seat: Seat, scale: Scale) -> WorldWriter {
        WorldWriter {
            seat,
            scale,
            tick: 0,
            turns: false,
            score: SentValue::default(),
            state: SentValue::default(),
            told: Vec::new(),
            next: Vec::new(),
            forgotten: Vec::new(),
            removed: VecDeque::new(),
            moves: Vec::new(),
            moves_sent: 0,
            text: String::new(),
            id_offset: 0,
            has_ghosts: false,
        }
    }

    /// For a client that knows entities from before the node was started again, with network ids this far above the game's.
    pub fn resume(seat: Seat, scale: Scale, id_offset: u32) -> WorldWriter {
        WorldWriter { id_offset, has_ghosts: true, ..WorldWriter::new(seat, scale) }
    }

    pub fn id_offset(&self) -> u32 {
        self.id_offset
    }

    /// Ruling C16: destroys all that the client may know, and goes on with network ids above all that it may have been told: a
    /// CreateEntity of one that was destroyed meanwhile would be ignored (F4).
    pub fn tell_ghosts(&mut self, now: Time, scene: &Scene, unvalidated: &mut UnvalidatedPackets) {
        if !std::mem::take(&mut self.has_ghosts) {
            return;
        }
        let mut tick = TickWriter { now, again: false, unvalidated };
        let before_restart = scene.before_restart();
        before_restart.entities.iter().for_each(|entity| self.remove(&mut tick, entity.0));
        // They are not to be said again with the ids of now.
        self.removed.clear();
        self.id_offset = self.id_offset.wrapping_add(before_restart.next_id);
    }

    /// The client is a new one at the same address: it knows nothing.
    pub fn forget(&mut self) {
        (self.score, self.state) = (SentValue::default(), SentValue::default());
        self.forgotten.extend(self.told.drain(..).map(|told| told.id));
    }

    /// Tells what is new in a Frame. Costs O(entities).
    pub fn publish(&mut self, now: Time, frame: &Frame, unvalidated: &mut UnvalidatedPackets) {
        self.tick = self.tick.wrapping_add(1);
        self.turns = frame.tick.0.is_multiple_of(MOVE_TURNING_TICKS);
        self.moves.clear();
        self.moves_sent = 0;
        let mut tick = TickWriter { now, again: unvalidated.is_miscounted(now), unvalidated };
        self.tell_game(&mut tick, frame);
        let mut told = std::mem::take(&mut self.told);
        let mut old = told.drain(..).peekable();
        for entity in &frame.entities {
            while let Some(gone) = old.next_if(|told| told.id < entity.id.0) {
                self.remove(&mut tick, gone.id);
            }
            let known = old.next_if(|told| told.id == entity.id.0);
            let told = self.tell_entity(&mut tick, entity, known);
            self.next.push(told);
        }
        old.for_each(|gone| self.remove(&mut tick, gone.id));
        let forgotten = std::mem::take(&mut self.forgotten);
        forgotten
            .into_iter()
            .filter(|id| frame.entity(EntityId(*id)).is_none())
            .for_each(|id| self.remove(&mut tick, id));
        self.told = std::mem::replace(&mut self.next, told);
        self.repeat_removals(&mut tick);
    }

    /// Takes out the next MoveEntity of this tick.
    pub fn poll_move(&mut self, buffer: &mut Vec<u8>) -> bool {
        let packet = first_packet(&self.moves[self.moves_sent..]);
        buffer.extend_from_slice(packet);
        self.moves_sent += packet.len();
        !packet.is_empty()
    }

    fn tell_game(&mut self, tick: &mut TickWriter, frame: &Frame) {
        let (second, again) = (tick.now.seconds(), self.is_said_again(tick, 0));
        if self.state.is_due(second, Some(frame.state), again) {
            self.update(tick, 0, Update::State(frame.state));
        }
        if self.score.is_due(second, Some(frame.score), again) {
            self.update(tick, 0, Update::Score(frame.score));
        }
    }

    fn tell_entity(&mut self, tick: &mut TickWriter, entity: &Entity, known: Option<KnownEntity>) -> KnownEntity {
        let Some(mut told) = known else { return self.introduce(tick, entity) };
        let again = self.is_said_again(tick, told.id);
        if again {
            self.create(tick, entity);
        }
        self.describe(tick, entity, &mut told.facts, again);
        if self.is_move_due(entity, &told) {
            self.move_entity(tick, entity, &mut told);
        }
        told
    }

    fn introduce(&mut self, tick: &mut TickWriter, entity: &Entity) -> KnownEntity {
        let mut told = KnownEntity {
            id: entity.id.0,
            facts: Facts::default(),
            position: entity.position,
            velocity: Vec2::ZERO,
            moved_tick: self.tick,
        };
        self.create(tick, entity);
        self.describe(tick, entity, &mut told.facts, true);
        // CreateEntity has no velocity.
        if entity.velocity != Vec2::ZERO {
            self.move_entity(tick, entity, &mut told);
        }
        told
    }

    fn create(&mut self, tick: &mut TickWriter, entity: &Entity) {
        let Ok(entity_prefab_path) = Text::new(entity.kind.name()) else { return };
        let (x, y) = self.scale.position(entity.position);
        let network_id = self.network_id(entity.id.0);
        tick.push(FromServer::CreateEntity { network_id, entity_prefab_path, x, y });
    }

    /// Says what of an entity is not as it was said, or was said twice in an earlier second; with `again`, all that it has.
    fn describe(&mut self, tick: &mut TickWriter, entity: &Entity, said: &mut Facts, again: bool) {
        let (id, second) = (entity.id.0, tick.now.seconds());
        if said.seat.is_due(second, entity.seat, again) {
            entity.seat.into_iter().for_each(|seat| self.update(tick, id, Update::Seat(seat)));
        }
        if again && entity.kind == Kind::Player && entity.seat == Some(self.seat) {
            self.update(tick, id, Update::Own);
        }
        let lives = (entity.kind == Kind::Player).then_some(entity.lives);
        if said.lives.is_due(second, lives, again) {
            lives.into_iter().for_each(|lives| self.update(tick, id, Update::Lives(lives)));
        }
        let health = (entity.health_max > 0).then_some(entity.health);
        if said.health.is_due(second, health, again) {
            health.into_iter().for_each(|health| self.update(tick, id, Update::Health(health)));
        }
        if said.size.is_due(second, entity.size_px, again) {
            let size = entity.size_px.map(|size_px| self.scale.whole_size(size_px));
            size.into_iter().for_each(|(width, height)| self.update(tick, id, Update::Size(width, height)));
        }
        if said.attached.is_due(second, entity.attached, again) {
            let to = |held: Attached| Update::Attached(self.network_id(held.to.0), held.side);
            self.update(tick, id, entity.attached.map_or(Update::Detached, to));
        }
    }

    /// Game-wide things are said of entity 0 (F7).
    fn network_id(&self, id: u32) -> u32 {
        if id == 0 { 0 } else { id.wrapping_add(self.id_offset) }
    }

    fn update(&mut self, tick: &mut TickWriter, id: u32, update: Update) {
        let network_id = self.network_id(id);
        self.text.clear();
        // Writing to a String does not fail.
        let _ = write!(self.text, "{update}");
        let Ok(description) = Text::new(&self.text) else { return };
        tick.push(FromServer::UpdateEntity { network_id, description });
    }

    /// Whether it is this entity's turn to be said again.
    fn is_said_again(&self, tick: &TickWriter, id: u32) -> bool {
        tick.again && id.wrapping_add(self.tick).is_multiple_of(SAID_AGAIN_TICKS)
    }

    fn is_move_due(&self, entity: &Entity, told: &KnownEntity) -> bool {
        let ticks = self.tick.wrapping_sub(told.moved_tick);
        let travelled = |speed: i32| speed.saturating_mul(ticks as i32);
        let expected = told.position + Vec2::new(travelled(told.velocity.x), travelled(told.velocity.y));
        let is_as_expected = entity.position == expected && entity.velocity == told.velocity;
        match entity.kind.class() {
            _ if is_as_expected && entity.velocity == Vec2::ZERO => ticks >= MOVE_RESTING_TICKS,
            // Clients move walls themselves until their velocity changes (ruling C12); this makes up for what was lost.
            Class::Wall if is_as_expected => ticks >= MOVE_RESTING_TICKS,
            _ if is_as_expected => ticks >= MOVE_STRAIGHT_TICKS,
            Class::Player | Class::Gear | Class::PlayerShot | Class::EnemyShot => true,
            Class::Boss | Class::Enemy | Class::Item | Class::Block | Class::Wall | Class::Effect => self.turns,
        }
    }

    fn move_entity(&mut self, tick: &TickWriter, entity: &Entity, told: &mut KnownEntity) {
        let (x, y) = self.scale.position(entity.position);
        let (direction_x, direction_y) = self.scale.velocity(entity.velocity);
        let data = FromServer::MoveEntity { network_id: self.network_id(entity.id.0), x, y, direction_x, direction_y };
        Packet { timestamp: tick.now.seconds(), data }.write(&mut self.moves);
        (told.position, told.velocity, told.moved_tick) = (entity.position, entity.velocity, self.tick);
    }

    fn remove(&mut self, tick: &mut TickWriter, id: u32) {
        tick.push(FromServer::DestroyEntity { network_id: self.network_id(id) });
        if self.removed.len() == REMOVED_MAX {
            self.removed.pop_front();
        }
        self.removed.push_back(RemovedEntity { id, tick: self.tick, removed_at: tick.now });
    }

    fn repeat_removals(&mut self, tick: &mut TickWriter) {
        while self.removed.front().is_some_and(|removed| tick.now.since(removed.removed_at) > REMOVED_AGE) {
            self.removed.pop_front();
        }
        let due = |removed: &&RemovedEntity| {
            let age = self.tick.wrapping_sub(removed.tick);
            age > 0 && age.is_multiple_of(SAID_AGAIN_TICKS)
        };
        if tick.again {
            self.removed
                .iter()
                .filter(due)
                .for_each(|removed| tick.push(FromServer::DestroyEntity { network_id: self.network_id(removed.id) }));
        }
    }
}

/// What everything that is written in one tick needs.
struct TickWriter<'a> {
    now: Time,
    /// Everything is to be said again in its turn.
    again: bool,
    unvalidated: &'a mut UnvalidatedPackets,
}

impl TickWriter<'_> {
    fn push(&mut self, data: FromServer) {
        let timestamp = self.now.seconds();
        self.unvalidated.push(self.now, data.packet_type(), timestamp, |out| Packet { timestamp, data }.write(out));
    }
}

impl<T: Copy + PartialEq> SentValue<T> {
    /// Whether this is to be said in that second; if so, it counts as said. What an entity never had is not.
    fn is_due(&mut self, second: u64, value: Option<T>, again: bool) -> bool {
        let is_known = self.at.is_some() || value.is_some();
        let is_unsettled = self.is_doubled && self.at < Some(second);
        let is_due = is_known && (again || is_unsettled || self.value != value);
        if is_due {
            *self = SentValue { value, at: Some(second), is_doubled: self.at == Some(second) };
        }
        is_due
    }
}

impl<T> Default for SentValue<T> {
    fn default() -> Self {
        SentValue { value: None, at: None, is_doubled: false }
    }
}
