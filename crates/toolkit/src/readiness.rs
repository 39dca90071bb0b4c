//! Which of many sockets have something to read, asked in one call instead of one call a socket.
//!
//! On Linux it is epoll, told once for what arrives: who is told reads until there is nothing more. Elsewhere every
//! socket is said to be ready: who asks it learns better.

use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::AsFd;

#[cfg(target_os = "linux")]
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};

/// Sockets told of at once. Those that are not are told of the next time.
#[cfg(target_os = "linux")]
const READY_MAX: usize = 1024;

/// Sockets, each known by a number, and which of them have something new to read.
#[cfg(target_os = "linux")]
pub struct Readiness {
    epoll: Epoll,
    events: Vec<EpollEvent>,
}

#[cfg(target_os = "linux")]
impl Readiness {
    /// No socket is watched yet.
    pub fn new() -> io::Result<Readiness> {
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
        Ok(Readiness { epoll, events: vec![EpollEvent::empty(); READY_MAX] })
    }

    /// Watches a socket until it is closed.
    pub fn watch(&mut self, socket: impl AsFd, number: usize) -> io::Result<()> {
        Ok(self.epoll.add(socket, EpollEvent::new(EpollFlags::EPOLLIN | EpollFlags::EPOLLET, number as u64))?)
    }

    /// The numbers of sockets at which something has arrived since they were last named, at most [`READY_MAX`] of them.
    /// It never waits.
    pub fn ready(&mut self, numbers: &mut Vec<usize>) -> io::Result<()> {
        numbers.clear();
        let count = match self.epoll.wait(&mut self.events, EpollTimeout::ZERO) {
            Ok(count) => count,
            Err(nix::errno::Errno::EINTR) => 0,
            Err(error) => return Err(error.into()),
        };
        numbers.extend(self.events[..count].iter().map(|event| event.data() as usize));
        Ok(())
    }
}

/// Sockets, each known by a number.
#[cfg(not(target_os = "linux"))]
pub struct Readiness {
    numbers: Vec<usize>,
}

#[cfg(not(target_os = "linux"))]
impl Readiness {
    /// No socket is watched yet.
    pub fn new() -> io::Result<Readiness> {
        Ok(Readiness { numbers: Vec::new() })
    }

    /// Watches a socket.
    pub fn watch<S>(&mut self, _socket: S, number: usize) -> io::Result<()> {
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::net::UdpSocket;

    use super::*;

    #[test]
    fn a_socket_is_named_when_something_arrives_and_forgotten_when_it_is_closed() {
        let sockets: Vec<UdpSocket> = (0..3).map(|_| UdpSocket::bind("127.0.0.1:0").expect("a socket")).collect();
        let mut readiness = Readiness::new().expect("epoll");
        for (number, socket) in sockets.iter().enumerate() {
            readiness.watch(socket, number).expect("it is watched");
        }
        let mut ready = vec![7];
        readiness.ready(&mut ready).expect("it tells");
        assert!(ready.is_empty(), "{ready:?}");
        let to = sockets[1].local_addr().expect("an address");
        sockets[0].send_to(b"x", to).expect("it is sent");
        readiness.ready(&mut ready).expect("it tells");
        assert_eq!(ready, [1]);
        readiness.ready(&mut ready).expect("it tells");
        assert!(ready.is_empty(), "it is told once: {ready:?}");
        sockets[0].send_to(b"y", to).expect("it is sent");
        drop(sockets);
        readiness.ready(&mut ready).expect("it tells");
        assert!(ready.is_empty(), "{ready:?}");
    }
}
