//! `Scene`: what every session of one lobby is shown in a tick. The Frame, and the little that dialects need besides.

use std::{
    any::Any,
    cell::{Cell, Ref, RefCell},
};

use game::{Class, EntityId, Frame, Name, SEATS, Seat};

use crate::{NarrowIds, Numbers, Scale, Time, shared::SharedStates};

/// Where ids are one byte, 0 to 3 are the ships.
const FIRST_ID8: u16 = SEATS as u16;
/// Where they are two bytes, 0 is the entity that carries score and state.
const FIRST_ID16: u16 = 1;

/// What every session of one lobby is shown.
#[derive(Debug)]
pub struct Scene {
    /// The newest Frame. Fill it, then call [`Scene::update`].
    pub frame: Frame,
    /// The name of the stage, as lobbies are created with.
    pub stage_name: String,
    names: [String; SEATS],
    /// The same as a Frame carries them: made when a seat is taken, because a Frame comes sixty times a second.
    frame_names: [Name; SEATS],
    departed: [String; SEATS],
    narrow8: Fitted,
    narrow16: Fitted,
    shared: SharedStates,
    before_restart: BeforeRestart,
    updates: u64,
    updated: Time,
}

/// Ruling C16: what peers may know of the scene from before the node was started again.
#[derive(Clone, Debug, Default)]
pub(crate) struct BeforeRestart {
    /// Entities by the game's ids, in rising order. Some of them may still be there, and some may never have been.
    pub entities: Box<[EntityId]>,
    /// The ids of two bytes up to this one meant something else.
    pub last_id16: u16,
    /// All ids of the game that were ever told are below this.
    pub next_id: u32,
}

/// Narrow ids that are made to fit a Frame when a session first asks for them: in most lobbies none does.
#[derive(Clone, Debug)]
struct Fitted {
    ids: RefCell<NarrowIds>,
    /// The update of the scene that they fit.
    update: Cell<u64>,
}

impl Scene {
    /// The scene of a new lobby.
    pub fn new(stage_name: &str) -> Scene {
        Scene {
            frame: Frame::default(),
            stage_name: stage_name.into(),
            names: Default::default(),
            frame_names: Default::default(),
            departed: Default::default(),
            narrow8: Fitted::new(NarrowIds::new(FIRST_ID8, u8::MAX.into())),
            narrow16: Fitted::new(NarrowIds::new(FIRST_ID16, u16::MAX)),
            shared: SharedStates::default(),
            before_restart: BeforeRestart::default(),
            updates: 0,
            updated: Time::default(),
        }
    }

    /// Where the ids stand that peers compare. A scene that goes on for the same peers is given them.
    pub fn numbers(&self) -> Numbers {
        let end = |fitted: &Fitted| u64::from(fitted.ids.borrow().end());
        Numbers::from_bits(end(&self.narrow8) << 32 | end(&self.narrow16))
    }

    /// Ruling C16: the scene goes on after its node was started again. Its peers may know these entities, in rising order, and
    /// have been told of none from `next_id` on.
    pub fn resume(&mut self, now: Time, numbers: Numbers, entities: Vec<EntityId>, next_id: u32) {
        let (end8, end16) = ((numbers.to_bits() >> 32) as u32, numbers.to_bits() as u32);
        let ids8 = NarrowIds::after(now, FIRST_ID8, u8::MAX.into(), end8);
        let ids16 = NarrowIds::after(now, FIRST_ID16, u16::MAX, end16);
        let last_id16 = u16::try_from(ids16.end().saturating_sub(1)).unwrap_or(u16::MAX);
        self.before_restart = BeforeRestart { entities: entities.into(), last_id16, next_id };
        (self.narrow8, self.narrow16) = (Fitted::new(ids8), Fitted::new(ids16));
    }

    /// What peers may know from before the node was started again.
    pub(crate) fn before_restart(&self) -> &BeforeRestart {
        &self.before_restart
    }

    /// Entities that peers may know from before the node was started again, and that are not there.
    pub(crate) fn ghosts(&self) -> impl Iterator<Item = EntityId> {
        self.before_restart.entities.iter().copied().filter(|id| self.frame.entity(*id).is_none())
    }

    /// Puts the names of the players into the Frame, and lets all that depends on it be made again. To be called once for each
    /// new Frame.
    pub fn update(&mut self, now: Time) {
        self.frame.names = self.frame_names;
        self.updates += 1;
        self.updated = now;
    }

    /// Works with what the sessions of a dialect share at one scale, made now if there is none. It is known by its type.
    pub(crate) fn shared_at<T: Any + Send, R>(
        &self,
        scale: Scale,
        make: impl FnOnce() -> T,
        work: impl FnOnce(&mut T) -> R,
    ) -> R {
        self.shared.open(Some(scale), make, work)
    }

    /// Works with what the sessions of a dialect share at any scale.
    pub(crate) fn shared<T: Any + Send + Default, R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        self.shared.open(None, T::default, work)
    }

    /// When it was last updated: the same for every session of the lobby.
    pub(crate) fn updated(&self) -> Time {
        self.updated
    }

    /// How often it was updated.
    pub(crate) fn updates(&self) -> u64 {
        self.updates
    }

    /// The ids of all but ships where ids are one byte, 4 to 255: a ship's is its seat there.
    pub(crate) fn ids8(&self) -> Ref<'_, NarrowIds> {
        let others = self.frame.entities.iter().filter(|entity| entity.kind.class() != Class::Player);
        self.narrow8.fit(self, others.map(|entity| entity.id))
    }

    /// The id of an entity where ids are two bytes, 1 and up.
    pub fn id16(&self, entity: EntityId) -> Option<u16> {
        self.ids16().get(entity)
    }

    /// The ids of all entities where they are two bytes.
    pub(crate) fn ids16(&self) -> Ref<'_, NarrowIds> {
        self.narrow16.fit(self, self.frame.entities.iter().map(|entity| entity.id))
    }

    /// A player took a seat.
    pub fn seat_taken(&mut self, seat: Seat, name: &str) {
        self.names[seat.index()] = name.into();
        self.frame_names[seat.index()] = Name::new(name);
    }

    /// A player left. Their name is still known in the tick that reports it, even if the seat is taken again at once.
    pub fn seat_left(&mut self, seat: Seat) {
        self.departed[seat.index()] = std::mem::take(&mut self.names[seat.index()]);
        self.frame_names[seat.index()] = Name::NONE;
    }

    /// The name of the player in that seat; empty if nobody sits there, or they have none.
    pub fn name(&self, seat: Seat) -> &str {
        &self.names[seat.index()]
    }

    /// The name of the player who sat there last.
    pub fn departed_name(&self, seat: Seat) -> &str {
        &self.departed[seat.index()]
    }
}

impl Fitted {
    fn new(ids: NarrowIds) -> Fitted {
        Fitted { ids: RefCell::new(ids), update: Cell::new(0) }
    }

    fn fit(&self, scene: &Scene, entities: impl Iterator<Item = EntityId> + Clone) -> Ref<'_, NarrowIds> {
        if self.update.replace(scene.updates) != scene.updates {
            self.ids.borrow_mut().update(scene.updated, entities);
        }
        self.ids.borrow()
    }
}
