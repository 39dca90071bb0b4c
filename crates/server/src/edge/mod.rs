//! The edge: players who come with one connection for everything, over WebSocket or WebTransport.
//!
//! A [`Link`] carries a reliable stream and datagrams between a peer and the node's core. Nothing here knows what is
//! said over it. Each link is one task of an HTTP thread's runtime. What arrives goes to a shard, the link's home, as
//! [`Arrival`]s; what a shard says waits in the link's mailbox, and at the end of a round one ring wakes all who carry.

pub mod certificate;
mod gate;
mod handshakes;
mod links;
mod mailbox;
pub mod websocket;
pub mod webtransport;

pub use gate::Gate;
pub use links::{Arrival, Arrivals, Link, Pen};
pub use mailbox::Errands;

use self::certificate::Pin;

/// What HTTP needs to know of the edge. Clones share it.
#[derive(Clone)]
pub struct Edge {
    /// The way in.
    pub gate: Gate,
    /// The hash of the certificate.
    pub pin: Pin,
    /// The port of QUIC, where it is open.
    pub quic_port: Option<u16>,
}
