//! What waits for one peer, between the shards that send it and the task that carries it.
//!
//! Datagrams are worth most when they are new: only the last few are kept, and the oldest go first. The stream must not have
//! a gap: if too much of it waits, the link is over. Neither allocates in the steady state. The tasks of one thread are
//! woken together by their [`WakeQueue`], once a round of a shard and not once a datagram.

use std::{
    mem,
    net::IpAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
    time::Duration,
};

use tokio::sync::Notify;

use super::memory::LinkMemory;
use crate::heartbeats::Pulse;

/// Datagrams that wait for one peer: a fifteenth of a second.
const DATAGRAMS_MAX: usize = 4;
/// Bytes of the stream that wait for one peer: a few of the longest messages.
const STREAM_MAX_BYTES: usize = 256 << 10;
/// Bytes of the stream that are taken at once.
pub(super) const PIECE_MAX_BYTES: usize = 8 << 10;
/// Memory for the stream that is kept when nothing waits. Few messages are longer.
const STREAM_KEPT_BYTES: usize = 1 << 10;

/// How often a thread says that it runs: a few times in what counts as standing still.
const BEAT_EVERY: Duration = Duration::from_millis(100);

/// What waits for one peer.
pub(super) struct Mailbox {
    waiting: Mutex<Waiting>,
    account: Account,
}

/// Where a mailbox takes memory from: the budget of all links, and of that the share of its peer's address.
struct Account {
    memory: Arc<LinkMemory>,
    ip: IpAddr,
}

#[derive(Default)]
struct Waiting {
    /// A ring of `count`, the oldest at `first`. The buffers are reused.
    datagrams: [Vec<u8>; DATAGRAMS_MAX],
    first: usize,
    count: usize,
    stream: Vec<u8>,
    /// What the stream has taken of the memory of all links.
    stream_memory_bytes: usize,
    /// Nothing more will be sent.
    is_over: bool,
    /// Whether it is in the wake queue.
    is_queued: bool,
    /// Wakes the task that empties it, if that sleeps.
    task: Option<Waker>,
}

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessageKind {
    Datagram,
    Stream,
}

impl Mailbox {
    /// An empty one, which takes what it needs from there, at the cost of this address.
    pub fn new(memory: Arc<LinkMemory>, ip: IpAddr) -> Mailbox {
        Mailbox { waiting: Mutex::default(), account: Account { memory, ip } }
    }

    /// Adds a datagram, unless the link is over. False: an older one was lost for it.
    pub fn put_datagram(&self, bytes: &[u8]) -> bool {
        let waiting = &mut *self.lock();
        if waiting.is_over {
            return true;
        }
        let has_room = waiting.count < DATAGRAMS_MAX;
        if !has_room {
            waiting.first = (waiting.first + 1) % DATAGRAMS_MAX;
            waiting.count -= 1;
        }
        let buffer = &mut waiting.datagrams[(waiting.first + waiting.count) % DATAGRAMS_MAX];
        buffer.clear();
        buffer.extend_from_slice(bytes);
        waiting.count += 1;
        has_room
    }

    /// Adds bytes to the stream, unless the link is over. False: too many wait, and the link is over.
    pub fn put_stream(&self, bytes: &[u8]) -> bool {
        let waiting = &mut *self.lock();
        if waiting.is_over {
            return true;
        }
        let has_room = waiting.stream.len() + bytes.len() <= STREAM_MAX_BYTES;
        if has_room {
            waiting.stream.extend_from_slice(bytes);
        }
        let is_kept = has_room && waiting.settle(&self.account);
        if !is_kept {
            waiting.stream = Vec::new();
            waiting.settle(&self.account);
            waiting.is_over = true;
        }
        is_kept
    }

    /// Nothing more will be added.
    pub fn close(&self) {
        self.lock().is_over = true;
    }

    /// Takes what is to be sent next, the stream before datagrams, because it says what those mean. None: it is over.
    pub fn poll_take(&self, context: &Context<'_>, into: &mut Vec<u8>) -> Poll<Option<MessageKind>> {
        let waiting = &mut *self.lock();
        into.clear();
        if !waiting.stream.is_empty() {
            waiting.take_stream(into);
            waiting.settle(&self.account);
            return Poll::Ready(Some(MessageKind::Stream));
        }
        if waiting.count > 0 {
            mem::swap(into, &mut waiting.datagrams[waiting.first]);
            waiting.first = (waiting.first + 1) % DATAGRAMS_MAX;
            waiting.count -= 1;
            return Poll::Ready(Some(MessageKind::Datagram));
        }
        if waiting.is_over {
            return Poll::Ready(None);
        }
        match &mut waiting.task {
            Some(task) => task.clone_from(context.waker()),
            none => *none = Some(context.waker().clone()),
        }
        Poll::Pending
    }

    fn wake_task(&self) {
        let task = {
            let waiting = &mut *self.lock();
            waiting.is_queued = false;
            waiting.task.take()
        };
        if let Some(task) = task {
            task.wake();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        let taken = self.lock().stream_memory_bytes;
        self.account.memory.give_back(self.account.ip, taken);
    }
}

impl Waiting {
    /// Takes memory for what the stream has grown by, or gives back what it has shrunk by. False: there is none left.
    fn settle(&mut self, account: &Account) -> bool {
        let (taken, needed) = (self.stream_memory_bytes, self.stream.capacity());
        if needed > taken && !account.memory.take(account.ip, needed - taken) {
            return false;
        }
        if needed < taken {
            account.memory.give_back(account.ip, taken - needed);
        }
        self.stream_memory_bytes = needed;
        true
    }

    fn take_stream(&mut self, into: &mut Vec<u8>) {
        let length = self.stream.len().min(PIECE_MAX_BYTES);
        into.extend(self.stream.drain(..length));
        if self.stream.is_empty() {
            self.stream.shrink_to(STREAM_KEPT_BYTES);
        }
    }
}

/// The mailboxes of one thread of the edge, and those of them whose tasks are to be woken.
#[derive(Default)]
pub(super) struct WakeQueue {
    queued: Mutex<Vec<Arc<Mailbox>>>,
    is_due: Notify,
    is_started: AtomicBool,
    mailboxes: AtomicUsize,
}

impl WakeQueue {
    /// Starts waking tasks on the runtime that this is called from, if it has not started yet, and says that its thread runs.
    pub fn start(self: &Arc<WakeQueue>, pulse: Option<&Pulse>) {
        if !self.is_started.swap(true, Ordering::Relaxed) {
            tokio::spawn(Arc::clone(self).run());
            pulse.into_iter().for_each(|pulse| drop(tokio::spawn(Arc::clone(self).beat(pulse()))));
        }
    }

    /// How many mailboxes there are.
    pub fn mailboxes(&self) -> usize {
        self.mailboxes.load(Ordering::Relaxed)
    }

    pub fn add_mailbox(&self) {
        self.mailboxes.fetch_add(1, Ordering::Relaxed);
    }

    pub fn remove_mailbox(&self) {
        self.mailboxes.fetch_sub(1, Ordering::Relaxed);
    }

    async fn run(self: Arc<WakeQueue>) {
        let mut round = Vec::new();
        loop {
            self.is_due.notified().await;
            mem::swap(&mut round, &mut *self.lock());
            round.drain(..).for_each(|mailbox: Arc<Mailbox>| mailbox.wake_task());
        }
    }

    async fn beat(self: Arc<WakeQueue>, heartbeat: Box<dyn Fn(bool) + Send>) {
        loop {
            heartbeat(self.mailboxes() == 0);
            tokio::time::sleep(BEAT_EVERY).await;
        }
    }

    fn push(&self, mailbox: &Arc<Mailbox>) {
        if !mem::replace(&mut mailbox.lock().is_queued, true) {
            self.lock().push(Arc::clone(mailbox));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Mailbox>>> {
        self.queued.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The threads of the edge that are to be woken at the end of a round.
#[derive(Default)]
pub struct Wakeups(Vec<Arc<WakeQueue>>);

impl Wakeups {
    pub(super) fn add(&mut self, wake_queue: &Arc<WakeQueue>, mailbox: &Arc<Mailbox>) {
        wake_queue.push(mailbox);
        if !self.0.iter().any(|known| Arc::ptr_eq(known, wake_queue)) {
            self.0.push(Arc::clone(wake_queue));
        }
    }

    /// Wakes every task that has something to send.
    pub fn send(&mut self) {
        self.0.drain(..).for_each(|wake_queue| wake_queue.is_due.notify_one());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCAL: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    impl Default for Mailbox {
        fn default() -> Mailbox {
            Mailbox::new(Arc::default(), LOCAL)
        }
    }

    fn take(mailbox: &Mailbox) -> Poll<Option<(MessageKind, Vec<u8>)>> {
        let mut bytes = vec![9; 9];
        let taken = mailbox.poll_take(&Context::from_waker(Waker::noop()), &mut bytes);
        taken.map(|kind| kind.map(|kind| (kind, bytes)))
    }

    #[test]
    fn the_stream_goes_first_and_of_datagrams_the_newest_are_kept() {
        let mailbox = Mailbox::default();
        assert_eq!(take(&mailbox), Poll::Pending);
        let kept: Vec<bool> = (0..6).map(|number| mailbox.put_datagram(&[number])).collect();
        assert_eq!(kept, [true, true, true, true, false, false]);
        assert!(mailbox.put_stream(b"ab") && mailbox.put_stream(b"c"));
        assert_eq!(take(&mailbox), Poll::Ready(Some((MessageKind::Stream, b"abc".to_vec()))));
        mailbox.close();
        for number in 2..6 {
            assert_eq!(
                take(&mailbox),
                Poll::Ready(Some((MessageKind::Datagram, vec![number]))),
                "what waits is still sent"
            );
        }
        assert_eq!(take(&mailbox), Poll::Ready(None));
    }

    #[test]
    fn a_stream_that_nobody_reads_ends_and_frees_its_memory() {
        let mailbox = Mailbox::default();
        let piece = [7; 1000];
        let put = (0..1000).take_while(|_| mailbox.put_stream(&piece)).count();
        assert_eq!(put, STREAM_MAX_BYTES / 1000);
        assert_eq!(mailbox.lock().stream.capacity(), 0);
        assert_eq!(take(&mailbox), Poll::Ready(None));
    }

    #[test]
    fn streams_that_nobody_reads_share_one_budget_and_give_it_back() {
        let memory = Arc::new(LinkMemory::new(100_000));
        let mailboxes: Vec<Mailbox> = (0..50).map(|_| Mailbox::new(memory.clone(), LOCAL)).collect();
        let kept = mailboxes.iter().filter(|mailbox| (0..8).all(|_| mailbox.put_stream(&[7; 1000]))).count();
        assert!((1..=12).contains(&kept) && memory.used_bytes() <= 100_000, "{kept} {}", memory.used_bytes());
        let refused = mailboxes.iter().find(|mailbox| take(mailbox) == Poll::Ready(None));
        assert!(refused.is_some(), "a link without memory is over");
        let first = &mailboxes[0];
        while let Poll::Ready(Some(_)) = take(first) {}
        assert!(first.lock().stream_memory_bytes <= STREAM_KEPT_BYTES, "what was read is given back");
        drop(mailboxes);
        assert_eq!(memory.used_bytes(), 0);
    }

    #[test]
    fn an_address_that_reads_nothing_costs_the_links_of_others_nothing() {
        let memory = Arc::new(LinkMemory::new(1 << 20));
        let of = |ip: [u8; 4]| Mailbox::new(memory.clone(), ip.into());
        let unread: Vec<Mailbox> = (0..200).map(|_| of([203, 0, 113, 1])).collect();
        let kept = unread.iter().filter(|mailbox| mailbox.put_stream(&[7; 10_000])).count();
        assert!((1..=26).contains(&kept), "{kept}");
        let honest: Vec<Mailbox> = (0..20).map(|_| of([192, 0, 2, 1])).collect();
        assert!(honest.iter().all(|mailbox| mailbox.put_stream(&[7; 10_000])));
    }

    #[test]
    fn a_long_stream_is_carried_in_pieces_without_a_gap() {
        let mailbox = Mailbox::default();
        let long: Vec<u8> = (0..70_000).map(|number| number as u8).collect();
        assert!(mailbox.put_stream(&long));
        let mut carried = Vec::new();
        while let Poll::Ready(Some((MessageKind::Stream, piece))) = take(&mailbox) {
            assert!(piece.len() <= PIECE_MAX_BYTES);
            carried.extend(piece);
        }
        assert!(carried == long);
        assert!(mailbox.lock().stream.capacity() <= STREAM_KEPT_BYTES);
    }

    #[tokio::test(start_paused = true)]
    async fn c15_a_thread_with_links_says_all_the_time_that_it_runs() {
        let beats = Arc::new(Mutex::new(Vec::new()));
        let pulse: Pulse = Arc::new({
            let beats = Arc::clone(&beats);
            move || {
                let beats = Arc::clone(&beats);
                Box::new(move |is_asleep| beats.lock().expect("no panic").push(is_asleep))
            }
        });
        let wake_queue = Arc::new(WakeQueue::default());
        wake_queue.add_mailbox();
        (0..3).for_each(|_| wake_queue.start(Some(&pulse)));
        tokio::time::sleep(Duration::from_millis(450)).await;
        wake_queue.remove_mailbox();
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert_eq!(*beats.lock().expect("no panic"), [false, false, false, false, false, true]);
    }

    #[tokio::test]
    async fn one_call_wakes_every_task_that_has_mail() {
        let wake_queue = Arc::new(WakeQueue::default());
        wake_queue.start(None);
        let task = |mailbox: Arc<Mailbox>| async move {
            let mut bytes = Vec::new();
            std::future::poll_fn(|context| mailbox.poll_take(context, &mut bytes)).await
        };
        let mailboxes: Vec<Arc<Mailbox>> = (0..3).map(|_| Arc::default()).collect();
        let tasks: Vec<_> = mailboxes.iter().map(|mailbox| tokio::spawn(task(mailbox.clone()))).collect();
        tokio::task::yield_now().await;
        let mut wakeups = Wakeups::default();
        for mailbox in &mailboxes {
            mailbox.put_datagram(b"x");
            wakeups.add(&wake_queue, mailbox);
            wakeups.add(&wake_queue, mailbox);
        }
        assert_eq!((wakeups.0.len(), wake_queue.lock().len()), (1, 3));
        wakeups.send();
        for task in tasks {
            assert_eq!(task.await.expect("no panic"), Some(MessageKind::Datagram));
        }
    }
}
