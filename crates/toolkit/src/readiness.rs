//! Which of many sockets have something to read, asked in one call instead of one call a socket.
//!
//! On Unix each socket is named once for what has arrived, so its reader must read until there is nothing more. Elsewhere
//! every socket is named every time, and its reader finds out.

use std::io;
#[cfg(unix)]
use std::{os::fd::AsRawFd, time::Duration};

#[cfg(unix)]
use mio::{Events, Interest, Poll, Token, unix::SourceFd};

/// Sockets named at once. The others are named the next time.
#[cfg(unix)]
const READY_MAX: usize = 1024;

/// Sockets, each known by a number, and which of them have something new to read.
#[cfg(unix)]
pub struct Readiness {
    poll: Poll,
    events: Events,
}

#[cfg(unix)]
impl Readiness {
    /// No socket is watched yet.
    pub fn new() -> io::Result<Readiness> {
        Ok(Readiness { poll: Poll::new()?, events: Events::with_capacity(READY_MAX) })
    }

    /// Watches a socket until it is closed.
    pub fn watch(&mut self, socket: &impl AsRawFd, number: usize) -> io::Result<()> {
        self.poll.registry().register(&mut SourceFd(&socket.as_raw_fd()), Token(number), Interest::READABLE)
    }

    /// The numbers of sockets at which something has arrived since they were last named, at most 1,024 of them. It never
    /// waits.
    pub fn ready(&mut self, numbers: &mut Vec<usize>) -> io::Result<()> {
        numbers.clear();
        match self.poll.poll(&mut self.events, Some(Duration::ZERO)) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
            _ => {}
        }
        numbers.extend(self.events.iter().map(|event| event.token().0));
        Ok(())
    }
}

/// Sockets, each known by a number.
#[cfg(not(unix))]
pub struct Readiness {
    numbers: Vec<usize>,
}

#[cfg(not(unix))]
impl Readiness {
    /// No socket is watched yet.
    pub fn new() -> io::Result<Readiness> {
        Ok(Readiness { numbers: Vec::new() })
    }

    pub fn watch<S>(&mut self, _socket: &S, number: usize) -> io::Result<()> {
        if !self.numbers.contains(&number) {
            self.numbers.push(number);
        }
        Ok(())
    }

    /// The numbers of all sockets: any may have something to read.
    pub fn ready(&mut self, numbers: &mut Vec<usize>) -> io::Result<()> {
        numbers.clone_from(&self.numbers);
        Ok(())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::net::UdpSocket;

    use super::*;

    #[test]
    fn a_socket_is_named_when_something_arrives_and_forgotten_when_it_is_closed() {
        let sockets: Vec<UdpSocket> = (0..3).map(|_| UdpSocket::bind("127.0.0.1:0").expect("a socket")).collect();
        let mut readiness = Readiness::new().expect("a poll");
        for (number, socket) in sockets.iter().enumerate() {
            readiness.watch(socket, number).expect("it is watched");
        }
        let mut ready = vec![7];
        readiness.ready(&mut ready).expect("an answer");
        assert!(ready.is_empty(), "{ready:?}");
        let to = sockets[1].local_addr().expect("an address");
        sockets[0].send_to(b"x", to).expect("it is sent");
        readiness.ready(&mut ready).expect("an answer");
        assert_eq!(ready, [1]);
        readiness.ready(&mut ready).expect("an answer");
        assert!(ready.is_empty(), "it is told once: {ready:?}");
        sockets[0].send_to(b"y", to).expect("it is sent");
        drop(sockets);
        readiness.ready(&mut ready).expect("an answer");
        assert!(ready.is_empty(), "{ready:?}");
    }
}
