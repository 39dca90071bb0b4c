//! The edge: players who use one connection for everything, over WebSocket or WebTransport.
//!
//! A [`Link`] carries a reliable stream and datagrams between a peer and the node's core. Nothing here knows what the bytes
//! mean. Each link is one task of an HTTP thread's runtime. What the peer sends goes to the link's shard as [`LinkEvent`]s;
//! what a shard sends waits in the link's mailbox, and at the end of a round one call wakes all tasks that have mail.

mod admission;
pub mod certificate;
pub(crate) mod handshakes;
mod links;
mod mailbox;
mod memory;
mod origin;
mod own_time;
pub mod websocket;
pub mod webtransport;

pub use admission::{Admission, LINKS_MAX, LinkRules};
pub use links::{Arrivals, Link, LinkEvent, LinkSender};
pub use mailbox::Wakeups;
pub use memory::MEMORY_DEFAULT_BYTES;
pub use origin::{AllowedOrigins, NotAnOrigin, Origin};

use self::certificate::CurrentCertificate;

/// What HTTP needs to know about the edge. Clones share it.
#[derive(Clone)]
pub struct Edge {
    /// Admits links.
    pub admission: Admission,
    /// The certificate of QUIC, and of the page if the host gave one.
    pub certificate: CurrentCertificate,
    /// The port of QUIC, if it is open.
    pub quic_port: Option<u16>,
}
