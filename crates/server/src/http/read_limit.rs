//! How fast HTTP connections are read, whatever comes over them: frames of a WebSocket that are not messages, such as empty
//! continuations and pings, are counted nowhere else. A connection has a limit, and so have all of an address together.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use tokio::time::Instant;

use crate::address_group::address_group;

/// What is read from one connection in a second, and at once. A player sends a twentieth of it.
const CONNECTION_BYTES_PER_SECOND: u32 = 128 << 10;
/// Seconds' worth that may come at once.
const SECONDS_AT_ONCE: i64 = 4;
/// How long a connection that sent too much is not read from, at least: many short pauses would cost more than one.
const PAUSE_MIN: Duration = Duration::from_millis(100);
/// Addresses that are kept in mind before those that have gone are looked for.
const ADDRESSES_KEPT: usize = 1_024;

/// What may still be read.
#[derive(Debug)]
pub struct Bucket {
    per_second: u32,
    /// Below zero: how much more was read than may be.
    left: i64,
    renewed: Instant,
}

impl Bucket {
    pub fn of_connection() -> Bucket {
        Bucket::new(CONNECTION_BYTES_PER_SECOND)
    }

    fn new(per_second: u32) -> Bucket {
        Bucket { per_second, left: at_once(per_second), renewed: Instant::now() }
    }

    /// Counts bytes that were read. How long nothing more is to be read, if that was too much.
    pub fn spend(&mut self, bytes: usize) -> Option<Duration> {
        self.left -= bytes as i64;
        if self.left < 0 {
            self.renew();
        }
        let owed = u32::try_from(-self.left).unwrap_or(0);
        (owed > 0).then(|| Duration::from_secs(owed.into()) / self.per_second.max(1)).map(|pause| pause.max(PAUSE_MIN))
    }

    fn renew(&mut self) {
        let now = Instant::now();
        let earned = now.duration_since(self.renewed).as_millis() as i64 * i64::from(self.per_second) / 1000;
        self.left = self.left.saturating_add(earned).min(at_once(self.per_second));
        self.renewed = now;
    }
}

fn at_once(per_second: u32) -> i64 {
    i64::from(per_second) * SECONDS_AT_ONCE
}

/// A bucket that all connections of an address share; none if they are not limited together.
pub type AddressBucket = Option<Arc<Mutex<Bucket>>>;

/// The buckets of all addresses that have a connection or a link.
#[derive(Default)]
pub struct AddressBuckets(HashMap<IpAddr, Weak<Mutex<Bucket>>>);

impl AddressBuckets {
    /// That of an address. Loopback has none: a proxy may run there.
    pub fn get(&mut self, address: IpAddr, per_second: u32) -> AddressBucket {
        let group = address_group(address);
        if group.is_loopback() {
            return None;
        }
        if self.0.len() >= ADDRESSES_KEPT {
            self.0.retain(|_, bucket| bucket.strong_count() > 0);
        }
        let known = self.0.get(&group).and_then(Weak::upgrade);
        Some(known.unwrap_or_else(|| {
            let bucket = Arc::new(Mutex::new(Bucket::new(per_second)));
            self.0.insert(group, Arc::downgrade(&bucket));
            bucket
        }))
    }
}

/// How long nothing more is to be read from an address, after these bytes were.
pub fn spend_of_address(bucket: &AddressBucket, bytes: usize) -> Option<Duration> {
    bucket.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner).spend(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_is_read_in_the_long_run_is_what_may_be_read() {
        let mut bucket = Bucket::of_connection();
        let (began, mut read) = (Instant::now(), 0_u64);
        while began.elapsed() < Duration::from_secs(100) {
            read += 1000;
            if let Some(pause) = bucket.spend(1000) {
                tokio::time::advance(pause).await;
            }
        }
        let allowed = u64::from(CONNECTION_BYTES_PER_SECOND) * 104;
        assert!((allowed * 9 / 10..allowed * 11 / 10).contains(&read), "{read} of {allowed}");
    }

    #[tokio::test(start_paused = true)]
    async fn connections_of_one_address_share_a_bucket_and_it_goes_with_the_last() {
        let mut buckets = AddressBuckets::default();
        let (one, other) = (buckets.get([192, 0, 2, 1].into(), 1000), buckets.get([192, 0, 2, 1].into(), 1000));
        assert_eq!(spend_of_address(&one, 4000), None);
        assert!(spend_of_address(&other, 1000).is_some_and(|pause| pause >= Duration::from_secs(1)));
        assert_eq!(spend_of_address(&buckets.get([192, 0, 2, 2].into(), 1000), 1000), None, "others are not paused");
        assert!(buckets.get([127, 0, 0, 1].into(), 1000).is_none());
        drop((one, other));
        assert_eq!(spend_of_address(&buckets.get([192, 0, 2, 1].into(), 1000), 1000), None);
    }
}
