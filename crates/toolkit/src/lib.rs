//! Tools for people who play, host or write an R-Type: bots that play here or over the network, and a way to
//! watch a game in a terminal.
//!
//! Each tool is a module; `volley` puts a command line over them. What the user can mend is a [`UserError`], anything
//! else that goes wrong is a fault of ours or of the machine.
//!
//! ```
//! use game::{Input, Rules, Seat, Stage, World};
//! use toolkit::bot::{Bot, Ground};
//!
//! let stage = Stage::built_in("endless").expect("it is built in");
//! let mut world = World::new(stage.clone(), Rules::default(), 42);
//! let seat = Seat::ALL[0];
//! world.join(seat);
//! world.start();
//! let mut bot = Bot::new(7);
//! for _ in 0..600 {
//!     let input = bot.decide(&world.frame(), seat, Ground::Stage(&stage));
//!     world.tick(&[input, Input::IDLE, Input::IDLE, Input::IDLE]);
//! }
//! ```

pub mod assets;
pub mod bots;
pub mod capacity;
pub mod connection;
pub mod difficulty;
pub mod hostile;
pub mod lag;
pub mod live_table;
pub mod manual;
pub mod readiness;
pub mod restart;
pub mod slot_clock;
pub mod stages;
pub mod transport;
mod user_error;
pub mod watch;

pub use bot;
pub use user_error::UserError;
