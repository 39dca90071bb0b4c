//! `Scene`: what every session of one lobby is shown in a tick. The Frame, and the little that dialects need besides.

use std::cell::RefCell;

use game::{Class, EntityId, Frame, SEATS, Seat};

use crate::{NarrowIds, Time, aecs::Chronicle, page::Page, shared::Shared, typeuh::Told, volley::Lookout};

/// What every session of one lobby is shown.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The newest Frame. Fill it, then call [`Scene::update`].
    pub frame: Frame,
    /// The name of the stage, as lobbies are created with.
    pub stage_name: String,
    names: [String; SEATS],
    departed: [String; SEATS],
    narrow8: NarrowIds,
    narrow16: NarrowIds,
    /// The SNAPSHOT of this Frame, whose header alone is each session's own.
    pub(crate) snapshot: Page,
    /// What `aecs` has to say, whatever a session has confirmed.
    pub(crate) aecs: Shared<Chronicle>,
    /// What `typeuh` has said and says, to each the same but for whose ship is whose.
    pub(crate) typeuh: Shared<Told>,
    /// What `volley` sees of the game, and the pictures of it that clients have.
    pub(crate) volley: RefCell<Lookout>,
    updates: u64,
}

impl Scene {
    /// The scene of a new lobby.
    pub fn new(stage_name: &str) -> Scene {
        Scene {
            frame: Frame::default(),
            stage_name: stage_name.into(),
            names: Default::default(),
            departed: Default::default(),
            // 0 to 3 are the ships.
            narrow8: NarrowIds::new(SEATS as u16, u8::MAX.into()),
            // 0 is the entity that carries score and state.
            narrow16: NarrowIds::new(1, u16::MAX),
            snapshot: Page::default(),
            aecs: Shared::default(),
            typeuh: Shared::default(),
            volley: RefCell::default(),
            updates: 0,
        }
    }

    /// Gives new entities their narrow ids, and lets the page be written anew. To be called once for each new Frame.
    pub fn update(&mut self, now: Time) {
        self.updates += 1;
        self.snapshot.clear();
        let others = self.frame.entities.iter().filter(|entity| entity.kind.class() != Class::Player);
        self.narrow8.update(now, others.map(|entity| entity.id));
        self.narrow16.update(now, self.frame.entities.iter().map(|entity| entity.id));
    }

    /// How often it was updated.
    pub(crate) fn updates(&self) -> u64 {
        self.updates
    }

    /// The id of an entity where ids are one byte: a ship's is its seat, others have 4 to 255.
    pub fn id8(&self, entity: &game::Entity) -> Option<u8> {
        match (entity.kind.class(), entity.seat) {
            (Class::Player, Some(seat)) => Some(seat.number()),
            _ => self.narrow8.get(entity.id).map(|id| id as u8),
        }
    }

    /// The id of an entity where ids are two bytes, 1 and up.
    pub fn id16(&self, entity: EntityId) -> Option<u16> {
        self.narrow16.get(entity)
    }

    /// All entities that have an id of two bytes, with it, in the order of the Frame.
    pub fn entities16(&self) -> impl Iterator<Item = (u16, &game::Entity)> {
        self.narrow16.along(self.frame.entities.iter())
    }

    /// A player took a seat.
    pub fn seat_taken(&mut self, seat: Seat, name: &str) {
        self.names[seat.index()] = name.into();
    }

    /// A player left. Their name is still known in the tick that tells of it, even if the seat is taken again at once.
    pub fn seat_left(&mut self, seat: Seat) {
        self.departed[seat.index()] = std::mem::take(&mut self.names[seat.index()]);
    }

    /// The name of who sits there; empty if nobody does, or they have none.
    pub fn name(&self, seat: Seat) -> &str {
        &self.names[seat.index()]
    }

    /// The name of who sat there last.
    pub fn departed_name(&self, seat: Seat) -> &str {
        &self.departed[seat.index()]
    }
}
