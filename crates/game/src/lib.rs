//! The rules of Volley: one lobby's game as a pure, deterministic machine.
//!
//! [`World::new`] makes a game, [`World::tick`] moves it on by 1/60 s with what the players hold, [`World::frame`] shows
//! it. The same stage, rules, seed and inputs give the same [`World::hash`] on every platform. It never does I/O, reads
//! a clock, uses a float, or knows that there is a network. Start reading at `step.rs`: it is the order of everything.

mod bits;
mod bosses;
mod bullets;
mod burial;
mod collisions;
mod dice;
mod flight;
mod foes;
mod force;
mod frame;
mod hitbox;
mod input;
mod items;
mod kind;
mod lives;
mod observed_world;
mod pilot;
mod progress;
mod rules;
mod save;
pub mod ship;
mod soundness;
pub mod stage;
mod step;
mod things;
pub mod tuning;
pub mod units;
mod view;
mod waves;
mod weapons;
mod world;

pub use dice::Dice;
pub use frame::{Attached, Entity, EntityId, Event, Frame, GameState, Gone, Player, SEATS, Seat, Side, Tick};
pub use input::{Buttons, Input, Inputs};
pub use kind::{Class, Kind};
pub use observed_world::ObservedWorld;
pub use rules::{RuleSet, Rules};
pub use save::RestoreError;
pub use stage::Stage;
pub use units::{FIELD_HEIGHT_PX, FIELD_WIDTH_PX, SUBPIXELS, Vec2, px};
pub use world::{Departure, World, is_outside};
