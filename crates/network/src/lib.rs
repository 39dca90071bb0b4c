//! A bad network as a pure model: delay, jitter, loss, bursts of loss, copies, overtaking, a slow line with a queue,
//! outages, and a NAT that forgets its clients. It has no sockets and no clock: time is passed in, arrivals are polled.
//!
//! One seed is one schedule. What is lost, copied or held back follows from the seed and from the order in which a peer
//! sends; outages and rebindings follow from the seed and from the time since the peer's first message. So the same
//! datagrams in the same order meet the same fate, and changing one fault leaves what the others do as it was.
//! Floats are only added, multiplied, divided and rooted, which gives the same bits on every machine.
//!
//! ```
//! use std::time::Duration;
//! use network::{Conditions, Message, Network};
//!
//! let mut network = Network::new(7, Conditions::PERFECT.delay_ms(40).jitter_ms(5).loss_percent(2));
//! let sent = Duration::from_secs(1);
//! network.send_up(sent, "Ann", Message::datagram(5, *b"hello"));
//! assert!(network.poll(sent).is_none(), "it is still under way");
//! let arrival = network.poll(network.next_arrival().expect("it was not lost")).expect("it arrives");
//! assert_eq!((arrival.peer, arrival.payload), ("Ann", *b"hello"));
//! // The answer goes to the address at which the NAT showed the client.
//! network.send_down(arrival.at, "Ann", arrival.binding, Message::datagram(2, *b"hi   "));
//! ```
//!
//! Start with `conditions.rs` for what can be set, then `path.rs` for the life of a datagram.

mod bursts;
mod conditions;
mod counters;
mod dice;
mod jitter;
mod network;
mod path;
mod queue;
mod schedule;

pub use conditions::{Bursts, Chance, Conditions, Faults, Jitter, Outages, Rate, Rebinding, Reorder};
pub use counters::{Counters, LossReason};
pub use network::{Binding, Delivery, Direction, IN_FLIGHT_MAX, Message, Network, SendOutcome, Service};
