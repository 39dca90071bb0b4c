//! The sockets that the relay waits for, each known by a token.

use std::{io, time::Duration};

use mio::{Events, Interest, Poll, Token, event};
use network::Binding;
use slab::Slab;

use super::relay_network::PeerId;

/// Sockets reported at once. The others are reported the next time.
const READY_MAX: usize = 1024;

/// What a socket is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SocketPurpose {
    /// Clients connect here over TCP.
    Listener,
    /// Clients send datagrams here.
    Lane(usize),
    /// A client's datagrams reach the server from here.
    Upstream(PeerId, Binding),
    /// One end of a TCP connection.
    Stream(PeerId, StreamEnd),
}

/// The two ends of a TCP connection through the relay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamEnd {
    Client,
    Server,
}

/// All sockets.
pub struct Sources {
    poll: Poll,
    events: Events,
    known: Slab<SocketPurpose>,
}

impl Sources {
    pub fn new() -> io::Result<Sources> {
        Ok(Sources { poll: Poll::new()?, events: Events::with_capacity(READY_MAX), known: Slab::new() })
    }

    /// Watches a socket. The token is given back with [`forget`](Sources::forget) when it is closed.
    pub fn watch(&mut self, socket: &mut impl event::Source, source: SocketPurpose) -> io::Result<Token> {
        let entry = self.known.vacant_entry();
        let token = Token(entry.key());
        let interest = match source {
            SocketPurpose::Stream(..) => Interest::READABLE | Interest::WRITABLE,
            SocketPurpose::Listener | SocketPurpose::Lane(_) | SocketPurpose::Upstream(..) => Interest::READABLE,
        };
        self.poll.registry().register(socket, token, interest)?;
        entry.insert(source);
        Ok(token)
    }

    pub fn forget(&mut self, socket: &mut impl event::Source, token: Token) {
        // A socket that the system has closed is not watched any more.
        let _ = self.poll.registry().deregister(socket);
        self.known.try_remove(token.0);
    }

    /// Waits for at most that long; names the sockets that have something to tell.
    pub fn wait(&mut self, at_most: Duration, ready: &mut Vec<SocketPurpose>) -> io::Result<()> {
        ready.clear();
        match self.poll.poll(&mut self.events, Some(at_most)) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
            _ => {}
        }
        ready.extend(self.events.iter().filter_map(|event| self.known.get(event.token().0).copied()));
        Ok(())
    }
}
