//! The rules of Volley: one lobby's game as a pure, deterministic machine.
//!
//! [`World::new`] makes a game, [`World::tick`] moves it on by 1/60 s with what the players hold, [`World::frame`] shows
//! it. The same stage, rules, seed and inputs give the same [`World::hash`] on every platform. It never does I/O, reads
//! a clock, uses a float, or knows that there is a network. Start reading at `step.rs`: it is the order of everything.

mod frame;
mod input;
mod kind;
mod rules;
pub mod stage;
pub mod tuning;
pub mod units;

pub use frame::{Attached, Entity, EntityId, Event, Frame, GameState, Gone, Player, SEATS, Seat, Side, Tick};
pub use input::{Buttons, Input, Inputs};
pub use kind::{Class, Kind};
pub use rules::{RuleSet, Rules};
pub use stage::Stage;
pub use units::{FIELD_HEIGHT_PX, FIELD_WIDTH_PX, SUBPIXELS, Vec2, px};
