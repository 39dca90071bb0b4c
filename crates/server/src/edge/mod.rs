//! The edge: players who come with one connection for everything, over WebSocket or WebTransport.
//!
//! A [`Link`] carries a reliable stream and datagrams between a peer and the node's core. Nothing here knows what is
//! said over it. Each link is one task of the HTTP thread's runtime; what arrives goes to the node as [`Arrival`]s.

pub mod certificate;
mod links;
pub mod websocket;
pub mod webtransport;

pub use links::{Arrival, Arrivals, Gate, Link};

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
