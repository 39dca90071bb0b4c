//! What both ends need because datagrams get lost (R2): timestamps that name requests, requests that are sent again
//! until they are confirmed, and a memory of the requests that were carried out.
//!
//! Nothing here knows what a request means. All three are bounded, whatever the peer does.

use std::{collections::VecDeque, time::Duration};

use super::wire::Method;
use crate::Time;

/// How long until a request is first sent again …
pub(super) const REPEAT_FIRST: Duration = Duration::from_millis(200);
/// … and the wait doubles up to this.
pub(super) const REPEAT_MAX: Duration = Duration::from_secs(1);
/// How long without any sign of life ends a session.
pub(super) const SILENCE_MAX: Duration = Duration::from_secs(5);
/// Requests sent between two calls of `advance`: a new player is told of a busy lobby over a few ticks, not in one burst.
const BURST_MAX: usize = 64;
/// Buffers kept for the next request, so that play allocates nothing.
const SPARE_MAX: usize = 256;

/// Gives out CREATION_TIMESTAMPs: microseconds since 1970, strictly increasing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stamps {
    last: u64,
}

impl Stamps {
    pub(super) fn next(&mut self, now: Time) -> u64 {
        self.last = now.micros().max(self.last.saturating_add(1));
        self.last
    }
}

/// What tells a request from others.
#[derive(Clone, Copy, Debug)]
pub(super) struct RequestName {
    pub method: Method,
    pub timestamp: u64,
    /// What it is about; requests are cancelled by it.
    pub about: u64,
}

/// A request that is not confirmed yet.
#[derive(Debug)]
struct Pending {
    name: RequestName,
    due: Time,
    /// None: not sent yet.
    wait: Option<Duration>,
    bytes: Vec<u8>,
}

/// Requests that are sent again until they are confirmed, in the order of their timestamps.
#[derive(Debug, Default)]
pub(super) struct PendingRequests {
    pending: VecDeque<Pending>,
    /// Everything before this was looked at since the last `advance`.
    cursor: usize,
    sent_since_advance: usize,
    repeats: u64,
    spare: Vec<Vec<u8>>,
}

impl PendingRequests {
    pub(super) fn len(&self) -> usize {
        self.pending.len()
    }

    /// How often a request was sent again.
    pub(super) fn repeats(&self) -> u64 {
        self.repeats
    }

    /// How many requests of a method are not confirmed.
    pub(super) fn count(&self, method: Method) -> usize {
        self.pending.iter().filter(|pending| pending.name.method == method).count()
    }

    /// Adds a request, to be sent at once. Timestamps rise from call to call.
    pub(super) fn push(&mut self, now: Time, name: RequestName, write: impl FnOnce(&mut Vec<u8>)) {
        let mut bytes = self.spare.pop().unwrap_or_default();
        bytes.clear();
        write(&mut bytes);
        self.pending.push_back(Pending { name, due: now, wait: None, bytes });
    }

    /// The peer confirmed a request; whether that was one that waits for it. Others were confirmed before, or are none of ours.
    pub(super) fn confirm(&mut self, method: Method, timestamp: u64) -> bool {
        let Ok(index) = self.pending.binary_search_by_key(&timestamp, |pending| pending.name.timestamp) else {
            return false;
        };
        let is_it = self.pending[index].name.method == method && self.pending[index].wait.is_some();
        if is_it {
            self.remove(index);
        }
        is_it
    }

    /// Gives up the requests of a method about something. Whether one of them was never sent.
    pub(super) fn cancel(&mut self, method: Method, about: u64) -> bool {
        let mut was_unsent = false;
        let mut index = 0;
        while index < self.pending.len() {
            let pending = &self.pending[index];
            if pending.name.method == method && pending.name.about == about {
                was_unsent |= pending.wait.is_none();
                self.remove(index);
            } else {
                index += 1;
            }
        }
        was_unsent
    }

    /// Gives up the oldest requests of a method about something, so that no more than `keep` are left.
    pub(super) fn thin(&mut self, method: Method, about: u64, keep: usize) {
        let is_it = |pending: &Pending| pending.name.method == method && pending.name.about == about;
        let count = self.pending.iter().filter(|pending| is_it(pending)).count();
        for _ in keep..count {
            if let Some(index) = self.pending.iter().position(is_it) {
                self.remove(index);
            }
        }
    }

    pub(super) fn clear(&mut self) {
        self.pending.clear();
        self.cursor = 0;
    }

    /// Lets time pass: what is due by now is given out by `poll`.
    pub(super) fn advance(&mut self) {
        self.cursor = 0;
        self.sent_since_advance = 0;
    }

    /// Fills the buffer with the next request that is due. False: there is none.
    pub(super) fn poll(&mut self, now: Time, buffer: &mut Vec<u8>) -> bool {
        while let Some(pending) = self.pending.get_mut(self.cursor)
            && self.sent_since_advance < BURST_MAX
        {
            self.cursor += 1;
            if pending.due <= now {
                self.repeats += u64::from(pending.wait.is_some());
                let wait = pending.wait.map_or(REPEAT_FIRST, |wait| (wait * 2).min(REPEAT_MAX));
                pending.wait = Some(wait);
                pending.due = now + wait;
                buffer.extend_from_slice(&pending.bytes);
                self.sent_since_advance += 1;
                return true;
            }
        }
        false
    }

    fn remove(&mut self, index: usize) {
        let Some(removed) = self.pending.remove(index) else { return };
        if self.spare.len() < SPARE_MAX {
            self.spare.push(removed.bytes);
        }
        if index < self.cursor {
            self.cursor -= 1;
        }
    }
}

/// Requests remembered as carried out.
const EXECUTED_MAX: usize = 512;

/// What is known of a request that came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestStatus<A> {
    /// It came for the first time.
    New,
    /// It was carried out, with this answer.
    Done(A),
    /// It is older than all that is remembered: it was carried out, or it is too late for it.
    Forgotten,
}

/// A memory of the newest requests that were carried out, so that none is carried out twice.
///
/// The oldest are forgotten first, and whatever is not newer than a forgotten one counts as carried out: a late request
/// is still carried out as long as the memory can tell that it is new.
#[derive(Debug)]
pub(super) struct Executed<A> {
    /// Sorted by timestamp and method.
    requests: VecDeque<((u64, Method), A)>,
    forgotten: Option<u64>,
}

impl<A: Copy> Executed<A> {
    pub(super) fn new() -> Self {
        Executed { requests: VecDeque::new(), forgotten: None }
    }

    /// What is known of a request.
    pub(super) fn look_up(&self, method: Method, timestamp: u64) -> RequestStatus<A> {
        match self.index(method, timestamp) {
            Ok(index) => RequestStatus::Done(self.requests[index].1),
            Err(_) if self.forgotten.is_some_and(|forgotten| timestamp <= forgotten) => RequestStatus::Forgotten,
            Err(_) => RequestStatus::New,
        }
    }

    /// Remembers a request and its answer, in place of an earlier answer.
    pub(super) fn remember(&mut self, method: Method, timestamp: u64, answer: A) {
        match self.index(method, timestamp) {
            Ok(index) => self.requests[index].1 = answer,
            Err(index) => self.requests.insert(index, ((timestamp, method), answer)),
        }
        if self.requests.len() > EXECUTED_MAX
            && let Some(((timestamp, _), _)) = self.requests.pop_front()
        {
            self.forgotten = self.forgotten.max(Some(timestamp));
        }
    }

    fn index(&self, method: Method, timestamp: u64) -> Result<usize, usize> {
        self.requests.binary_search_by_key(&(timestamp, method), |(request, _)| *request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::from_micros(ms * 1000)
    }

    fn sent_at(pending: &mut PendingRequests, ms: u64) -> bool {
        let mut buffer = Vec::new();
        pending.advance();
        pending.poll(at(ms), &mut buffer)
    }

    #[test]
    fn r2_timestamps_are_microseconds_and_strictly_increase() {
        let mut stamps = Stamps::default();
        assert_eq!(stamps.next(at(5)), 5000);
        assert_eq!([stamps.next(at(5)), stamps.next(at(4)), stamps.next(at(6))], [5001, 5002, 6000]);
    }

    #[test]
    fn r2_a_request_is_sent_again_after_200_ms_then_doubling_to_1_s_until_confirmed() {
        let mut pending = PendingRequests::default();
        pending.push(at(0), RequestName { method: Method::Hit, timestamp: 7, about: 0 }, |bytes| bytes.push(1));
        let sent: Vec<u64> = (0..5000).filter(|&ms| sent_at(&mut pending, ms)).collect();
        assert_eq!(sent, [0, 200, 600, 1400, 2400, 3400, 4400]);
        assert_eq!(pending.repeats(), 6);
        pending.confirm(Method::Drop, 7);
        pending.confirm(Method::Hit, 8);
        assert_eq!(pending.len(), 1, "another request was confirmed");
        pending.confirm(Method::Hit, 7);
        assert!(!sent_at(&mut pending, 9000));
    }

    #[test]
    fn a_burst_is_spread_and_nothing_is_skipped() {
        let mut pending = PendingRequests::default();
        let spawn = |stamp| RequestName { method: Method::Spawn, timestamp: stamp, about: stamp };
        (0..100).for_each(|stamp| pending.push(at(0), spawn(stamp), |bytes| bytes.push(stamp as u8)));
        let mut sent = Vec::new();
        let mut buffer = Vec::new();
        for expected in [64, 36, 0] {
            pending.advance();
            let before = sent.len();
            while pending.poll(at(1), &mut buffer) {
                sent.append(&mut buffer);
                pending.confirm(Method::Spawn, u64::from(sent[sent.len() - 1]) / 2 * 2);
            }
            assert_eq!(sent.len() - before, expected);
        }
        assert_eq!(sent, (0..100).collect::<Vec<u8>>());
    }

    #[test]
    fn r2_a_request_that_was_carried_out_is_known_and_a_forgotten_one_is_not_new() {
        let mut executed = Executed::new();
        executed.remember(Method::Shoot, 50, 1);
        assert_eq!(executed.look_up(Method::Shoot, 50), RequestStatus::Done(1));
        assert_eq!(executed.look_up(Method::Drop, 50), RequestStatus::New, "the method is part of the name");
        assert_eq!(executed.look_up(Method::Shoot, 49), RequestStatus::New, "late, but never seen");
        (100..100 + EXECUTED_MAX as u64).for_each(|stamp| executed.remember(Method::Drop, stamp, 2));
        assert_eq!(executed.look_up(Method::Shoot, 50), RequestStatus::Forgotten);
        assert_eq!(executed.look_up(Method::Move, 51), RequestStatus::New);
        assert_eq!(executed.requests.len(), EXECUTED_MAX);
    }
}
