//! The rules of Volley: one lobby's game as a pure, deterministic machine.
//!
//! [`World::new`] makes a game, [`World::tick`] moves it on by 1/60 s with what the players hold, [`World::frame`] shows
//! it. The same stage, rules, seed and inputs give the same [`World::hash`] on every platform. It never does I/O, reads
//! a clock, uses a float, or knows that there is a network. Start reading at `step.rs`: it is the order of everything.
//!
//! ```
//! use game::{Buttons, Class, Input, Rules, Seat, Stage, World};
//!
//! let stage = Stage::built_in("endless").expect("it is built in");
//! let mut world = World::new(stage, Rules::default(), 42);
//! world.join(Seat::ALL[0]);
//! world.start();
//! for _ in 0..60 {
//!     world.tick(&[Input::holding(Buttons::RIGHT), Input::IDLE, Input::IDLE, Input::IDLE]);
//! }
//! let frame = world.frame();
//! assert!(frame.entities.iter().any(|entity| entity.kind.class() == Class::Player));
//! ```

mod bits;
mod blocks;
mod bosses;
mod bullets;
mod collisions;
mod dice;
mod effects;
mod evasion;
mod flight;
mod foe;
mod foes;
mod force;
mod frame;
mod hitbox;
mod input;
mod items;
mod kind;
mod lives;
mod name;
mod observed_world;
mod player_state;
mod progress;
mod removal;
mod rules;
mod rules_version;
mod save;
mod score;
pub mod ship;
mod shot;
mod skill;
pub mod stage;
mod step;
mod tally;
pub mod tuning;
pub mod units;
mod validation;
mod walls;
mod waves;
mod weapons;
mod world;
mod world_frame;

pub use dice::Dice;
pub use frame::{
    Attached, BossView, Entity, EntityId, Event, Frame, GameState, Gone, Killer, Player, SEATS, Seat, Side, Tick,
};
pub use input::{Buttons, Input, Inputs};
pub use kind::{Class, Kind};
pub use name::Name;
pub use observed_world::ObservedWorld;
pub use player_state::Crystal;
pub use rules::{Arms, Daily, Difficulty, Mode, Mutator, Practice, RuleSet, Rules};
pub use rules_version::RULES_VERSION;
pub use save::RestoreError;
pub use ship::ShipModel;
pub use skill::Skill;
pub use stage::Stage;
pub use tally::{Counts, PlayerTally, Rank, Ranked};
pub use units::{FIELD_HEIGHT_PX, FIELD_WIDTH_PX, SUBPIXELS, Vec2, px};
pub use walls::TerrainWalls;
pub use world::{Departure, World, is_outside};
