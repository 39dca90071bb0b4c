//! Ports for tests. A test that needs ports by number reserves them here; nothing else in the tests writes a port down.
//!
//! Reserved ports belong to one test for as long as it holds them, also while other processes test: each block of ports
//! is a file in the temporary folder that its holder locks. They lie outside the range from which the system takes ports
//! for sockets that ask for none, and outside a node's own default ports. What is bound to port 0 needs none of this.
//!
//! ```
//! let ports = test_ports::reserve(20);
//! println!("volley serve --rfc2020-lobbies {ports} --http {}", ports.first());
//! ```

use std::{
    fmt,
    fs::{self, File, OpenOptions},
    net::{Ipv4Addr, TcpListener, UdpSocket},
    ops::RangeInclusive,
    process,
    sync::atomic::{AtomicU16, Ordering},
};

/// Ports that are given out together. A block is locked as a whole.
const BLOCK: u16 = 10;
/// Below are ports that need a privilege, and those that well-known programs have.
const LOWEST: u16 = 10_000;
/// What Linux gives out if it was told nothing else.
const USUAL_EPHEMERAL: RangeInclusive<u16> = 32_768..=60_999;
/// A node that somebody runs beside the tests has its lobbies here by default; those that the tools and a window start for
/// themselves have them here too.
const LOBBIES_OF_NODES: RangeInclusive<u16> = 20_000..=29_999;

/// Consecutive ports that are the holder's alone.
#[derive(Debug)]
pub struct Ports {
    range: RangeInclusive<u16>,
    _locks: Vec<Lock>,
}

/// Reserves some ports in a row.
///
/// # Panics
/// If no such row is free.
pub fn reserve(count: u16) -> Ports {
    let blocks_needed = usize::from(count.div_ceil(BLOCK).max(1));
    let blocks = blocks(&ephemeral());
    let starts = blocks
        .windows(blocks_needed)
        .filter(|row| row[blocks_needed - 1] - row[0] == BLOCK * (blocks_needed as u16 - 1));
    let mut starts: Vec<u16> = starts.map(|row| row[0]).collect();
    assert!(!starts.is_empty(), "{count} ports in a row are more than there are");
    // Each test begins to look elsewhere, so that few find a block taken.
    static RESERVED: AtomicU16 = AtomicU16::new(0);
    let turn = process::id() as usize * 31 + usize::from(RESERVED.fetch_add(1, Ordering::Relaxed)) * 7;
    let length = starts.len();
    starts.rotate_left(turn % length);
    let found = starts.into_iter().find_map(|first| take(first, count.max(1)));
    found.unwrap_or_else(|| panic!("no {count} ports in a row are free"))
}

impl Ports {
    /// All of them.
    pub fn range(&self) -> RangeInclusive<u16> {
        self.range.clone()
    }

    /// The lowest one.
    pub fn first(&self) -> u16 {
        *self.range.start()
    }
}

/// As command lines take a range: `20100-20119`.
impl fmt::Display for Ports {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "{}-{}", self.range.start(), self.range.end())
    }
}

/// The first port of every block, in order.
fn blocks(ephemeral: &RangeInclusive<u16>) -> Vec<u16> {
    let is_ours = |first: &u16| {
        let last = first + (BLOCK - 1);
        [ephemeral, &LOBBIES_OF_NODES].iter().all(|other| last < *other.start() || *first > *other.end())
    };
    (LOWEST..=u16::MAX - BLOCK).step_by(BLOCK.into()).filter(is_ours).collect()
}

/// From where the system takes ports for sockets that ask for none.
fn ephemeral() -> RangeInclusive<u16> {
    let text = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    let numbers: Vec<u16> = text.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    match numbers[..] {
        [first, last] => first..=last,
        _ => USUAL_EPHEMERAL,
    }
}

/// Takes ports if no other test has them, and no other program either.
fn take(first: u16, count: u16) -> Option<Ports> {
    let range = first..=first + (count - 1);
    let locks = range.clone().step_by(BLOCK.into()).map(lock).collect::<Option<Vec<Lock>>>()?;
    range.clone().all(is_free).then_some(Ports { range, _locks: locks })
}

fn is_free(port: u16) -> bool {
    let at = (Ipv4Addr::UNSPECIFIED, port);
    UdpSocket::bind(at).is_ok() && TcpListener::bind(at).is_ok()
}

/// The file of the block that begins with that port, to be locked.
fn lock(first: u16) -> Option<Lock> {
    let folder = std::env::temp_dir().join("volley-test-ports");
    fs::create_dir_all(&folder).expect("a folder for what is reserved");
    let path = folder.join(first.to_string());
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path).expect("a file to lock");
    exclusively(file)
}

#[cfg(unix)]
type Lock = nix::fcntl::Flock<File>;
#[cfg(not(unix))]
type Lock = File;

/// The system lifts the lock when its holder ends, however it ends.
#[cfg(unix)]
fn exclusively(file: File) -> Option<Lock> {
    nix::fcntl::Flock::lock(file, nix::fcntl::FlockArg::LockExclusiveNonblock).ok()
}

/// Only the process's number keeps tests apart there.
#[cfg(not(unix))]
fn exclusively(file: File) -> Option<Lock> {
    Some(file)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_port_is_given_out_twice_while_it_is_held() {
        let held: Vec<Ports> = (1..40).map(reserve).collect();
        let ports: Vec<u16> = held.iter().flat_map(Ports::range).collect();
        assert_eq!(ports.iter().collect::<BTreeSet<_>>().len(), ports.len());
        assert_eq!(ports.len(), (1..40).sum());
    }

    #[test]
    #[cfg(unix)]
    fn what_was_let_go_can_be_taken_again_and_what_is_held_cannot() {
        let held = reserve(25);
        let first = held.first();
        assert!(take(first, 25).is_none() && take(first + 20, 1).is_none());
        drop(held);
        assert_eq!(take(first, 25).map(|ports| ports.range()), Some(first..=first + 24));
    }

    #[test]
    fn a_port_that_a_program_has_is_not_given_out() {
        let held = reserve(10);
        let first = held.first();
        let _program = UdpSocket::bind((Ipv4Addr::LOCALHOST, first + 5)).expect("it is free");
        drop(held);
        assert!(take(first, 10).is_none());
    }

    #[test]
    fn ports_of_the_system_and_of_a_node_are_left_out() {
        let blocks = blocks(&USUAL_EPHEMERAL);
        for other in [USUAL_EPHEMERAL, LOBBIES_OF_NODES] {
            assert!(blocks.iter().all(|first| (*first..first + BLOCK).all(|port| !other.contains(&port))));
        }
        assert!(blocks.contains(&10_000) && blocks.contains(&19_990) && blocks.contains(&30_000));
        assert!(!reserve(1).range().any(|port| ephemeral().contains(&port)));
    }

    #[test]
    fn a_range_reads_as_command_lines_take_it() {
        let ports = reserve(20);
        assert_eq!(ports.to_string(), format!("{}-{}", ports.first(), ports.first() + 19));
    }
}
