//! `Frame`: everything that a watcher of one lobby could see at one tick. Every dialect is made from Frames.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::{
    Kind, Name, ShipModel, Vec2, tuning,
    units::{FIELD_WIDTH_PX, px},
};

/// Seats in a lobby.
pub const SEATS: usize = 4;

/// A player's place in a lobby, 0 to 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, BorshSerialize)]
pub struct Seat(u8);

impl Seat {
    /// All seats in order.
    pub const ALL: [Seat; SEATS] = [Seat(0), Seat(1), Seat(2), Seat(3)];

    /// The seat of that number, if there is one.
    pub const fn new(number: u8) -> Option<Seat> {
        if (number as usize) < SEATS { Some(Seat(number)) } else { None }
    }

    /// 0 to 3.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// 0 to 3, for indexing.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl BorshDeserialize for Seat {
    fn deserialize_reader<R: borsh::io::Read>(reader: &mut R) -> borsh::io::Result<Self> {
        Seat::new(u8::deserialize_reader(reader)?).ok_or_else(|| borsh::io::ErrorKind::InvalidData.into())
    }
}

/// The number of an entity in one world. Never reused, rises in order of appearance, never 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, BorshSerialize, BorshDeserialize)]
pub struct EntityId(pub u32);

/// A count of ticks, 60 a second, since the world began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, BorshSerialize, BorshDeserialize)]
pub struct Tick(pub u32);

/// The state of a game. The numbers are stable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
#[borsh(use_discriminant = true)]
#[repr(u8)]
pub enum GameState {
    /// Ships may fly about, but nothing comes yet.
    #[default]
    Waiting = 0,
    /// The game is on.
    Running = 1,
    /// The stage's boss is gone.
    Won = 2,
    /// Every player is out of lives.
    Lost = 3,
    /// A player or lobby was inactive for too long. Said to a peer; a world is never in it.
    TimedOut = 4,
}

impl GameState {
    pub const fn from_number(number: u8) -> Option<GameState> {
        Some(match number {
            0 => GameState::Waiting,
            1 => GameState::Running,
            2 => GameState::Won,
            3 => GameState::Lost,
            4 => GameState::TimedOut,
            _ => return None,
        })
    }

    /// The state's number.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The state's name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            GameState::Waiting => "waiting",
            GameState::Running => "running",
            GameState::Won => "won",
            GameState::Lost => "lost",
            GameState::TimedOut => "timeout",
        }
    }
}

/// A side of a ship.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
#[borsh(use_discriminant = true)]
#[repr(u8)]
pub enum Side {
    /// Ahead of the ship, to the right.
    Front = 0,
    /// Behind the ship, to the left.
    Back = 1,
}

impl Side {
    /// +1 ahead, −1 behind.
    pub const fn sign(self) -> i32 {
        match self {
            Side::Front => 1,
            Side::Back => -1,
        }
    }
}

/// What an entity is attached to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Attached {
    /// The entity that holds it.
    pub to: EntityId,
    /// At which side.
    pub side: Side,
}

/// One thing that can be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entity {
    /// Never reused within a world.
    pub id: EntityId,
    /// What kind of entity it is.
    pub kind: Kind,
    /// Its centre, in sub-pixels of the field.
    pub position: Vec2,
    /// Its movement over the field, in sub-pixels per tick.
    pub velocity: Vec2,
    /// Health left; 0 for what has none.
    pub health: u16,
    /// Health at first; 0 for what has none.
    pub health_max: u16,
    /// Which picture of its kind to show.
    pub animation: u8,
    /// The player it belongs to: ships, Forces, Bits and their shots.
    pub seat: Option<Seat>,
    /// The ship at which a Force is docked.
    pub attached: Option<Attached>,
    /// How far the beam is charged, 0 to 255; ships only.
    pub charge: u8,
    /// Lives left, this one included; ships only.
    pub lives: u8,
    /// Width and height in pixels of what has a size of its own, which is walls only; others have that of their kind.
    pub size_px: Option<(u16, u16)>,
}

impl Entity {
    /// A bare entity of that kind at that place: at rest, without health, owner or charge.
    pub const fn new(id: EntityId, kind: Kind, position: Vec2) -> Entity {
        Entity {
            id,
            kind,
            position,
            velocity: Vec2::ZERO,
            health: 0,
            health_max: 0,
            animation: 0,
            seat: None,
            attached: None,
            charge: 0,
            lives: 0,
            size_px: None,
        }
    }
}

/// What is known of one player, also while they have no ship.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Player {
    /// The ship, unless it is lost.
    pub ship: Option<EntityId>,
    /// Lives left, the flying one included. 0: out, and watching.
    pub lives: u8,
    /// The player's own share of the score.
    pub score: u32,
    /// Level of the Force, 0 without one.
    pub force_level: u8,
    /// Speed-ups taken.
    pub speed: u8,
    /// Whether the ship fires missiles.
    pub missiles: bool,
    /// Which ship it is, or will be.
    pub model: ShipModel,
    /// Links of the player's chain; 0 without one.
    pub chain: u16,
    /// The tick at which the chain ends unless it goes on; 0 without one.
    pub chain_ends: Tick,
}

impl Player {
    /// A player of whom no more is known than the seat.
    pub const fn of(seat: Seat) -> Player {
        Player {
            ship: None,
            lives: 0,
            score: 0,
            force_level: 0,
            speed: 0,
            missiles: false,
            model: ShipModel::of_seat(seat),
            chain: 0,
            chain_ends: Tick(0),
        }
    }
}

/// How an entity disappeared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Gone {
    /// It was destroyed, used up or taken.
    Destroyed,
    /// It left the field, or its time was over.
    Departed,
}

/// What destroyed a ship.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct Killer {
    /// The enemy, its shot, the wall or the player's shot.
    pub kind: Kind,
    /// The player whose shot it was.
    pub seat: Option<Seat>,
}

/// Something that happened in a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
#[allow(missing_docs, reason = "the names of most fields say it all")]
pub enum Event {
    /// An entity appeared.
    Spawned { entity: EntityId },
    /// An entity disappeared.
    Destroyed { entity: EntityId, gone: Gone },
    /// A player fired.
    Fired {
        seat: Seat,
        /// The first shot of the volley.
        shot: EntityId,
    },
    /// A shot struck the target, whether or not that hurt it, or a Force or a Bit hurt it.
    Hit { by: EntityId, target: EntityId },
    /// A player's ship was lost.
    Killed {
        seat: Seat,
        ship: EntityId,
        /// What destroyed it, if that is known.
        by: Option<Killer>,
    },
    /// A ship took an item, or its Force docked.
    Grabbed {
        ship: EntityId,
        /// The item or the Force.
        object: EntityId,
        /// The side at which a Force docked.
        side: Option<Side>,
    },
    /// A ship launched its Force.
    Dropped { ship: EntityId, force: EntityId },
    /// A player took a seat.
    Joined { seat: Seat },
    /// A player left.
    Left { seat: Seat },
    /// A player was silent for too long.
    TimedOut { seat: Seat },
    /// A player was given another life for the score.
    ExtraLife { seat: Seat },
    /// The game went into another state.
    StateChanged { state: GameState },
}

/// Everything that a watcher of one lobby could see at one tick.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The tick that it shows.
    pub tick: Tick,
    pub state: GameState,
    /// The stage: 1 and up, 0 for endless.
    pub stage: u8,
    /// The wave of the endless stage, from 1; 0 elsewhere, before the first, and in dialects that do not send it.
    pub wave: u32,
    /// How far the stage has scrolled, in whole pixels.
    pub scroll_px: u32,
    /// The score of all players together.
    pub score: u32,
    /// By seat; `None` where nobody sits.
    pub players: [Option<Player>; SEATS],
    /// What they are called, by seat, as far as that is known. A world knows no names: a lobby puts them in.
    pub names: [Name; SEATS],
    /// Everything visible, sorted by id. Walls come and go without events.
    pub entities: Vec<Entity>,
    /// What happened in this tick, in order.
    pub events: Vec<Event>,
}

impl Frame {
    pub fn entity(&self, id: EntityId) -> Option<&Entity> {
        self.entities.binary_search_by_key(&id, |entity| entity.id).ok().map(|index| &self.entities[index])
    }

    /// The ship of the player in that seat, while there is one.
    pub fn ship(&self, seat: Seat) -> Option<&Entity> {
        self.entities.iter().find(|entity| entity.kind == Kind::Player && entity.seat == Some(seat))
    }
}

/// A boss as far as it can be seen: what a screen shows of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BossView {
    pub hull: EntityId,
    pub kind: Kind,
    /// Health of its weak point, which is the boss's own.
    pub health: u16,
    /// What that was at first; 0 if it is not told, as in some dialects.
    pub health_max: u16,
    /// 0 to 2: each third of the health is a phase. 0 if the health is not told.
    pub phase: u8,
    /// It is still outside the field: time for a warning.
    pub is_coming: bool,
}

impl Frame {
    /// The boss that is here or about to come in.
    pub fn boss(&self) -> Option<BossView> {
        let (hull, boss) = self.entities.iter().find_map(|entity| Some((entity, tuning::boss(entity.kind)?)))?;
        let weak_point = self.entities.iter().find(|entity| entity.kind == boss.parts[0].0);
        let (health, health_max) = weak_point.map_or((0, 0), |part| (part.health, part.health_max));
        let phase = if health_max > 0 { tuning::Boss::phase_at(health, health_max) } else { 0 };
        let half_width = px(hull.kind.size_px().0) / 2;
        Some(BossView {
            hull: hull.id,
            kind: hull.kind,
            health,
            health_max,
            phase: phase as u8,
            is_coming: hull.position.x.saturating_sub(half_width) >= px(FIELD_WIDTH_PX),
        })
    }
}
