//! Tools for people who play, host or write an R-Type.
//!
//! To see what is on the wire: `decode` and `dissector`. To feel a bad network: `lag`. To play across protocols: `bots` and
//! `bridge`. To judge a server or a client: `conform`. To watch: `watch` and `replay`. To measure a node or the game: `capacity`,
//! `restart`, `hostile`, `difficulty`, `protocols`, `client_lines`. Each is a module; `volley` puts a command line over them. What the user can
//! mend is a [`UserError`], anything else that goes wrong is a fault of ours or of the machine.
//!
//! ```
//! use protocol::{Channel, Dialect, field_table::Sender};
//! use toolkit::decode::explain;
//!
//! // What a player of `snapshot` says to join.
//! let join = [0x02, 0, 0, 0, 0, 0, 0, b'A', b'n', b'n'];
//! for line in explain(Dialect::Snapshot, Sender::Client, Channel::Datagram, &join) {
//!     println!("{}", line.text); // offset, size, field, value, clause of the document
//!     assert!(!line.is_violation);
//! }
//! ```

pub mod assets;
pub mod bots;
pub mod bridge;
pub mod capacity;
pub mod client_lines;
pub mod conform;
pub mod connection;
pub mod decode;
pub mod difficulty;
pub mod dissector;
pub mod hostile;
pub mod lag;
pub mod live_table;
pub mod manual;
pub mod memory_node;
mod node_process;
pub mod protocols;
pub mod readiness;
pub mod replay;
pub mod restart;
pub mod slot_clock;
pub mod stages;
pub mod transport;
mod user_error;
pub mod watch;

pub use bot;
pub use user_error::UserError;
