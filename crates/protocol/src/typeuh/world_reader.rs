//! The client's copy of the server's ECS, and the Frame that it makes.
//!
//! An entity is in the Frame once its Kind and Position were said. Only Create makes one: what is said of an entity that
//! was never created is ignored. Numbers that mean nothing (a kind, a seat, a side that we do not know) leave their
//! part of the entity unsaid.

use std::{collections::BTreeMap, time::Duration};

use game::{Attached, Entity, EntityId, Event, Frame, GameState, Kind, Seat, Side, Vec2};

use super::{
    ENTRY, FORGET,
    component::{Component, ComponentName, ComponentTable},
    wire::Instruction,
};
use crate::{FrameBuilder, Scale, Time, roster::Roster};

/// How long after a deletion a Create of that id in another datagram is taken for a late one. An id rests two
/// seconds before it is used again (ruling C4).
const REST: Duration = Duration::from_millis(250);
/// How often we look for what is to be forgotten.
const SWEEP: Duration = Duration::from_millis(100);
/// A foreign server may create any number of entities; more than this are not kept.
const ENTITIES_MAX: usize = 4096;

#[derive(Debug)]
pub(super) struct WorldReader {
    scale: Scale,
    entities: BTreeMap<u16, Presence>,
    own: Option<u16>,
    seat: Option<Seat>,
    rebuilt: FrameBuilder,
    roster: Roster,
    /// Counts datagrams.
    datagram: u64,
    swept: Time,
}

#[derive(Clone, Copy, Debug)]
enum Presence {
    Live(Live),
    Dead { since: Time, datagram: u64 },
}

#[derive(Clone, Copy, Debug)]
struct Live {
    heard: Time,
    kind: Option<Kind>,
    /// When its position was last said.
    placed: Option<Placed>,
    /// Its `kind` is that above.
    entity: Entity,
}

/// A position as it was said, and when.
#[derive(Clone, Copy, Debug)]
struct Placed {
    position: Vec2,
    at: Time,
}

impl WorldReader {
    pub fn new(now: Time, scale: Scale) -> WorldReader {
        WorldReader {
            scale,
            entities: BTreeMap::new(),
            own: None,
            seat: None,
            rebuilt: FrameBuilder::default(),
            roster: Roster::new(ENTRY.tells),
            datagram: 0,
            swept: now,
        }
    }

    /// The player's seat, once the player's ship was seen.
    pub fn seat(&self) -> Option<Seat> {
        self.seat
    }

    /// Copies the Frame out if it is new.
    pub fn take_frame(&mut self, frame: &mut Frame) -> bool {
        self.roster.settle(self.seat, &mut self.rebuilt);
        self.rebuilt.take(frame)
    }

    /// The instructions that follow come in another datagram.
    pub fn begin_datagram(&mut self) {
        self.datagram += 1;
    }

    /// Another server: nothing of this one is left.
    pub fn clear(&mut self) {
        self.entities.clear();
        self.own = None;
        self.rebuilt.retain(|_| false);
        self.roster = Roster::new(ENTRY.tells);
        self.rebuilt.frame().players = Default::default();
    }

    /// Carries an instruction out.
    pub fn obey(&mut self, now: Time, instruction: &Instruction, table: &ComponentTable) {
        match *instruction {
            Instruction::CreateEntity { entity_id } => self.create(now, entity_id),
            Instruction::DeleteEntity { entity_id } => self.delete(now, entity_id),
            Instruction::AttachComponent { entity_id, component_id } => {
                self.attach(now, entity_id, table.name(component_id));
            }
            Instruction::UpdateComponent { entity_id, component_data, .. } => {
                self.update(now, entity_id, component_data);
            }
            Instruction::DetachComponent { entity_id, component_id } => {
                self.detach(now, entity_id, table.name(component_id));
            }
        }
    }

    /// Moves walls on, which are sent only when they change (ruling C12), and forgets what was not heard of for a long time.
    pub fn advance(&mut self, now: Time) {
        self.rebuilt.advance(now);
        self.move_walls(now);
        if now.since(self.swept) < SWEEP {
            return;
        }
        self.swept = now;
        let (rebuilt, own) = (&mut self.rebuilt, &mut self.own);
        self.entities.retain(|&id, presence| match presence {
            Presence::Live(live) if now.since(live.heard) >= FORGET => {
                rebuilt.remove(entity_id(id));
                own.take_if(|own| *own == id);
                false
            }
            Presence::Live(_) => true,
            Presence::Dead { since, .. } => now.since(*since) < REST,
        });
    }

    fn move_walls(&mut self, now: Time) {
        for (&id, presence) in &mut self.entities {
            if let Presence::Live(live) = presence
                && live.kind == Some(Kind::Wall)
                && let Some(Placed { position, at }) = live.placed
                && let Some(entity) = self.rebuilt.entity(entity_id(id))
            {
                live.entity.position = position.moved(live.entity.velocity, now.ticks_since(at));
                entity.position = live.entity.position;
            }
        }
    }

    fn create(&mut self, now: Time, id: u16) {
        let count = self.entities.len();
        match self.entities.get_mut(&id) {
            Some(Presence::Live(live)) => live.heard = now,
            Some(Presence::Dead { since, datagram }) if *datagram != self.datagram && now.since(*since) < REST => {}
            Some(dead @ Presence::Dead { .. }) => *dead = Presence::Live(Live::new(now, id)),
            None if count >= ENTITIES_MAX => {}
            None => _ = self.entities.insert(id, Presence::Live(Live::new(now, id))),
        }
    }

    fn delete(&mut self, now: Time, id: u16) {
        let dead = Presence::Dead { since: now, datagram: self.datagram };
        let count = self.entities.len();
        match self.entities.get_mut(&id) {
            Some(presence @ Presence::Live(_)) => *presence = dead,
            // Said again: it rests since the first time.
            Some(Presence::Dead { .. }) => {}
            None if count >= ENTITIES_MAX => {}
            // It overtook its Create, perhaps.
            None => _ = self.entities.insert(id, dead),
        }
        self.rebuilt.remove(entity_id(id));
        self.own.take_if(|own| *own == id);
    }

    fn attach(&mut self, now: Time, id: u16, name: Option<ComponentName>) {
        let Some(live) = self.live(now, id) else { return };
        // Every other component in its default state is as good as none: it shows once it is updated.
        if name == Some(ComponentName::Own) {
            let seat = live.entity.seat;
            self.owns(id, seat);
        }
    }

    fn owns(&mut self, id: u16, seat: Option<Seat>) {
        self.own = Some(id);
        self.seat = seat.or(self.seat);
    }

    fn update(&mut self, now: Time, id: u16, component: Component) {
        let scale = self.scale;
        let Some(live) = self.live(now, id) else { return };
        let entity = &mut live.entity;
        match component {
            Component::Position { x, y } => {
                entity.position = scale.read_position(x, y);
                live.placed = Some(Placed { position: entity.position, at: now });
            }
            Component::Velocity { x, y } => {
                entity.velocity = scale.read_velocity(x, y);
                live.placed = live.placed.map(|_| Placed { position: entity.position, at: now });
            }
            Component::Kind(number) => live.kind = Kind::from_number(number),
            Component::Health { now, max } => (entity.health, entity.health_max) = (now, max),
            Component::Animation(animation) => entity.animation = animation,
            Component::Player { seat } => entity.seat = Seat::new(seat),
            Component::Attached { entity: to, side } => {
                entity.attached = side_of(side).map(|side| Attached { to: entity_id(to), side });
            }
            Component::Charge(charge) => entity.charge = charge,
            Component::Lives(lives) => entity.lives = lives,
            Component::Score(score) => return self.rebuilt.frame().score = score,
            Component::Game { state, stage } => return self.game(state, stage),
            Component::Own => {
                let seat = entity.seat;
                return self.owns(id, seat);
            }
            Component::Size { width, height } => entity.size_px = Some(scale.read_size(width, height)),
        }
        let live = *live;
        self.show(id, &live);
    }

    fn detach(&mut self, now: Time, id: u16, name: Option<ComponentName>) {
        let Some(live) = self.live(now, id) else { return };
        let entity = &mut live.entity;
        match name {
            Some(ComponentName::Position) => live.placed = None,
            Some(ComponentName::Velocity) => entity.velocity = Vec2::ZERO,
            Some(ComponentName::Kind) => live.kind = None,
            Some(ComponentName::Health) => (entity.health, entity.health_max) = (0, 0),
            Some(ComponentName::Animation) => entity.animation = 0,
            Some(ComponentName::Player) => entity.seat = None,
            Some(ComponentName::Attached) => entity.attached = None,
            Some(ComponentName::Charge) => entity.charge = 0,
            Some(ComponentName::Lives) => entity.lives = 0,
            Some(ComponentName::Size) => entity.size_px = None,
            Some(ComponentName::Own) => {
                self.own.take_if(|own| *own == id);
                return;
            }
            // A game has a score and a state, whatever carries them; and what we do not know we do not show.
            Some(ComponentName::Score | ComponentName::Game) | None => return,
        }
        let live = *live;
        self.show(id, &live);
    }

    /// The entity, of which was just heard.
    fn live(&mut self, now: Time, id: u16) -> Option<&mut Live> {
        match self.entities.get_mut(&id) {
            Some(Presence::Live(live)) => {
                live.heard = now;
                Some(live)
            }
            Some(Presence::Dead { .. }) | None => None,
        }
    }

    fn show(&mut self, id: u16, live: &Live) {
        let shown = self.rebuilt.peek().entity(live.entity.id).map(|entity| entity.kind);
        // Another kind is another entity: its id was used again and we missed the deletion between.
        if shown.is_some() && (shown != live.kind || live.placed.is_none()) {
            self.rebuilt.remove(live.entity.id);
        }
        if let (Some(kind), true) = (live.kind, live.placed.is_some()) {
            // There is room: as many fit in as we keep.
            self.rebuilt.insert(Entity { kind, ..live.entity });
        }
        if self.own == Some(id) {
            self.owns(id, live.entity.seat);
        }
    }

    fn game(&mut self, state: u8, stage: u8) {
        let frame = self.rebuilt.frame();
        frame.stage = stage;
        let Some(state) = GameState::from_number(state).filter(|state| *state != frame.state) else { return };
        frame.state = state;
        self.rebuilt.event(Event::StateChanged { state });
    }
}

impl Live {
    fn new(heard: Time, id: u16) -> Live {
        // Nothing shows before its kind is known.
        let entity = Entity::new(entity_id(id), Kind::Player, Vec2::ZERO);
        Live { heard, kind: None, placed: None, entity }
    }
}

/// The game's ids are never 0; a foreign server's may be.
fn entity_id(id: u16) -> EntityId {
    const INSTEAD_OF_0: u32 = u16::MAX as u32 + 1;
    EntityId(if id == 0 { INSTEAD_OF_0 } else { id.into() })
}

fn side_of(number: u8) -> Option<Side> {
    match number {
        0 => Some(Side::Front),
        1 => Some(Side::Back),
        _ => None,
    }
}
