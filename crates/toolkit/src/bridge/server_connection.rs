//! What carries the bytes of one player to the other server and back: sockets, or something in memory for those who measure.

use protocol::{Channel, Dialect, Output};

use super::OtherServer;
use crate::transport::Transport;

/// Carries the bytes of one connection. It never waits.
pub trait ServerConnection: Send {
    /// The next thing that has come, at the beginning of `buffer`. No bytes of the stream: the other end closed it.
    fn receive(&mut self, buffer: &mut [u8]) -> anyhow::Result<Option<(Channel, usize)>>;

    /// Does what a session wants done with these bytes.
    fn send(&mut self, output: Output, bytes: &[u8]) -> anyhow::Result<()>;

    /// Sends what waits, as far as it can leave now.
    fn push(&mut self) -> anyhow::Result<()>;

    /// Whether nobody listens there.
    fn is_unreachable(&self) -> bool;
}

/// Opens connections to the other server.
pub trait ServerConnector: Send + Sync {
    /// What is spoken there.
    fn dialect(&self) -> Dialect;

    /// Sets out. That nobody listens there may show later.
    fn open(&self) -> anyhow::Result<Box<dyn ServerConnection>>;
}

impl ServerConnection for Transport {
    fn receive(&mut self, buffer: &mut [u8]) -> anyhow::Result<Option<(Channel, usize)>> {
        Transport::receive(self, buffer)
    }

    fn send(&mut self, output: Output, bytes: &[u8]) -> anyhow::Result<()> {
        Transport::send(self, output, bytes).map(|_| ())
    }

    fn push(&mut self) -> anyhow::Result<()> {
        Transport::push(self)
    }

    fn is_unreachable(&self) -> bool {
        Transport::is_unreachable(self)
    }
}

impl ServerConnector for OtherServer {
    fn dialect(&self) -> Dialect {
        self.dialect
    }

    fn open(&self) -> anyhow::Result<Box<dyn ServerConnection>> {
        Ok(Box::new(self.transport()?))
    }
}
