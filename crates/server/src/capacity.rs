//! How many connections of each kind a node may have, from how many files the system lets it open. A node that runs out of
//! files could accept nobody any more, so each kind gets its part from the start, and a reserve is for everything else.

use crate::{edge::LINKS_MAX, http::CONNECTIONS_MAX, sockets::STREAMS_MAX};

/// Files of a node besides connections: standard streams, doors, the archive, what the runtimes need.
const RESERVE: usize = 64;
/// Sockets and wakers of one shard and its thread of the edge.
const FOR_EACH_SHARD: usize = 16;
/// No part is smaller than this.
const PART_MIN: usize = 8;
/// With fewer HTTP connections, a few readers of pages are felt by others.
const HTTP_NEEDED: usize = 64;

/// How many there may be at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// HTTP connections.
    pub http: usize,
    /// TCP connections at the doors.
    pub streams: usize,
    pub links: usize,
    /// Lobbies with a port of their own.
    pub lobby_ports: usize,
}

impl Capacity {
    /// Of a node that may have as many files open as it likes.
    pub const fn full(lobby_ports: usize) -> Capacity {
        Capacity { http: CONNECTIONS_MAX, streams: STREAMS_MAX, links: LINKS_MAX, lobby_ports }
    }

    /// Of a node, by its shards and by how many files it may have open.
    pub fn of(files: usize, shards: usize, lobby_ports: usize) -> Capacity {
        let full = Capacity::full(lobby_ports);
        let free = files.saturating_sub(RESERVE + shards * FOR_EACH_SHARD);
        if free >= full.files() {
            return full;
        }
        let part = |wanted: usize, share: usize| wanted.min((free / share).max(PART_MIN));
        let (http, streams, lobby_ports) = (part(full.http, 8), part(full.streams, 4), part(full.lobby_ports, 4));
        let links = free.saturating_sub(http + streams + lobby_ports).clamp(PART_MIN, full.links);
        Capacity { http, streams, links, lobby_ports }
    }

    /// What these seats can use: a stream for every player, a link for every player and as many watchers, and some readers of pages.
    fn needed(seats: usize, lobby_ports: usize) -> Capacity {
        let full = Capacity::full(lobby_ports);
        Capacity {
            http: HTTP_NEEDED.min(full.http),
            streams: seats.min(full.streams),
            links: (2 * seats).min(full.links),
            lobby_ports,
        }
    }

    fn files(&self) -> usize {
        self.http + self.streams + self.links + self.lobby_ports
    }

    fn is_enough_for(&self, needed: Capacity) -> bool {
        let Capacity { http, streams, links, lobby_ports } = needed;
        self.http >= http && self.streams >= streams && self.links >= links && self.lobby_ports >= lobby_ports
    }

    pub fn of_process(shards: usize, lobby_ports: usize) -> Capacity {
        file_limit().map_or(Capacity::full(lobby_ports), |files| Capacity::of(files, shards, lobby_ports))
    }

    /// Tells the log how much that is, of a node with these seats that wanted this many ports for lobbies. It warns only if somebody
    /// could be kept out whom the host's settings would let in.
    pub fn log(self, seats: usize, lobby_ports_wanted: usize) {
        let Some(files) = file_limit() else { return };
        let Capacity { http, streams, links, lobby_ports } = self;
        if self.is_enough_for(Capacity::needed(seats, lobby_ports_wanted)) {
            tracing::debug!(
                target: "host", files, http, streams, links, lobby_ports, "the limit on open files is high enough"
            );
        } else {
            tracing::warn!(
                target: "host", files, http, streams, links, lobby_ports,
                "the system allows few open files, so fewer connections are accepted; raise the limit (ulimit -Hn, LimitNOFILE=)"
            );
        }
    }
}

/// How many files this process may have open; none: nobody counts.
#[cfg(unix)]
fn file_limit() -> Option<usize> {
    use nix::sys::resource::{Resource, getrlimit};
    let (soft, _) = getrlimit(Resource::RLIMIT_NOFILE).ok()?;
    Some(usize::try_from(soft).unwrap_or(usize::MAX))
}

#[cfg(not(unix))]
fn file_limit() -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use game::SEATS;

    use super::*;

    #[test]
    fn with_enough_files_nothing_is_limited_further() {
        assert_eq!(Capacity::of(65_536, 8, 500), Capacity::full(500));
        assert_eq!(Capacity::of(usize::MAX, 64, 500), Capacity::full(500));
    }

    #[test]
    fn with_few_files_each_kind_has_its_part_and_the_rest_is_reserved() {
        for (files, shards) in [(1024, 1), (1024, 8), (4096, 2), (20_000, 4)] {
            let capacity = Capacity::of(files, shards, 500);
            assert!(capacity.files() + RESERVE + shards * FOR_EACH_SHARD <= files, "{files}: {capacity:?}");
            let parts = [capacity.http, capacity.streams, capacity.links, capacity.lobby_ports];
            assert!(parts.iter().all(|part| *part >= 50), "{files}: {capacity:?}");
        }
    }

    #[test]
    fn fewer_connections_than_there_could_be_are_enough_unless_the_seats_need_them() {
        let is_enough = |files, lobbies: usize, ports| {
            Capacity::of(files, 2, ports).is_enough_for(Capacity::needed(lobbies * SEATS, ports))
        };
        assert!(is_enough(65_536, 1000, 1000) && is_enough(20_000, 1000, 1000));
        assert!(!is_enough(4096, 1000, 1000) && !is_enough(1024, 1000, 1000));
        assert!(is_enough(1024, 24, 24), "a small node needs few");
        assert!(!is_enough(1024, 24, 500), "but it has every port that the host asked for");
        assert!(is_enough(usize::MAX, 1_000_000, 500), "no more is needed than there may ever be");
    }

    #[test]
    fn with_hardly_any_a_node_still_starts() {
        for files in [0, 10, 64, 100] {
            let Capacity { http, streams, links, lobby_ports } = Capacity::of(files, 4, 500);
            assert!([http, streams, links, lobby_ports].iter().all(|part| *part >= PART_MIN));
        }
        assert_eq!(Capacity::of(1024, 1, 3).lobby_ports, 3);
    }
}
