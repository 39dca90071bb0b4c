//! The edge: players who come with one connection for everything, over WebSocket or WebTransport.
//!
//! A [`Link`] carries a reliable stream and datagrams between a peer and the node's core. Nothing here knows what is
//! said over it. Each link is one task of the HTTP thread's runtime; what arrives goes to the node as [`Arrival`]s.

pub mod certificate;
mod links;
pub mod websocket;
pub mod webtransport;

pub use links::{Arrival, Arrivals, Gate, Link};
