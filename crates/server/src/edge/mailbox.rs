//! What waits for one peer, between the shards that say it and the task that carries it.
//!
//! Datagrams are worth most when they are new: only the last few are kept, and the oldest go first. Bytes of the stream
//! must not have a gap: with too many of them the link is over. Neither allocates in the steady state. Carriers of one
//! thread are woken together by their [`Post`], once a round of a shard and not once a datagram.

use std::{
    mem,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
};

use tokio::sync::Notify;

/// Datagrams that wait for one peer: a fifteenth of a second of play.
const DATAGRAMS_MAX: usize = 4;
/// Bytes of the stream that wait for one peer: some of the longest messages.
const LETTERS_MAX_BYTES: usize = 256 << 10;
/// Bytes of the stream that are carried at once.
const PIECE_MAX_BYTES: usize = 16 << 10;
/// Memory for letters that is kept when none wait. Few are longer.
const LETTERS_KEPT_BYTES: usize = 1 << 10;

/// What waits for one peer.
#[derive(Default)]
pub(super) struct Mailbox(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    /// A ring of `count`, the oldest at `first`. Buffers stay for their memory.
    datagrams: [Vec<u8>; DATAGRAMS_MAX],
    first: usize,
    count: usize,
    letters: Vec<u8>,
    /// Nothing more will be said.
    is_over: bool,
    /// Whether the post knows.
    is_noted: bool,
    /// Who carries it, if they sleep.
    carrier: Option<Waker>,
}

/// What is carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Datagram,
    Stream,
}

impl Mailbox {
    /// Puts in a datagram, unless it is over. False: an older one is lost for it.
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
        let place = &mut waiting.datagrams[(waiting.first + waiting.count) % DATAGRAMS_MAX];
        place.clear();
        place.extend_from_slice(bytes);
        waiting.count += 1;
        has_room
    }

    /// Puts in the next bytes of the stream, unless it is over. False: there are too many, and the link is over.
    pub fn put_letters(&self, bytes: &[u8]) -> bool {
        let waiting = &mut *self.lock();
        if waiting.is_over {
            return true;
        }
        let has_room = waiting.letters.len() + bytes.len() <= LETTERS_MAX_BYTES;
        if has_room {
            waiting.letters.extend_from_slice(bytes);
        } else {
            waiting.letters = Vec::new();
            waiting.is_over = true;
        }
        has_room
    }

    /// Nothing more will be put in.
    pub fn close(&self) {
        self.lock().is_over = true;
    }

    /// Takes out what is to be carried next, the stream before datagrams: it says what those mean. None: it is over.
    pub fn poll_take(&self, context: &Context<'_>, into: &mut Vec<u8>) -> Poll<Option<Kind>> {
        let waiting = &mut *self.lock();
        into.clear();
        if !waiting.letters.is_empty() {
            waiting.take_letters(into);
            return Poll::Ready(Some(Kind::Stream));
        }
        if waiting.count > 0 {
            mem::swap(into, &mut waiting.datagrams[waiting.first]);
            waiting.first = (waiting.first + 1) % DATAGRAMS_MAX;
            waiting.count -= 1;
            return Poll::Ready(Some(Kind::Datagram));
        }
        if waiting.is_over {
            return Poll::Ready(None);
        }
        match &mut waiting.carrier {
            Some(carrier) => carrier.clone_from(context.waker()),
            none => *none = Some(context.waker().clone()),
        }
        Poll::Pending
    }

    fn call_carrier(&self) {
        let carrier = {
            let waiting = &mut *self.lock();
            waiting.is_noted = false;
            waiting.carrier.take()
        };
        if let Some(carrier) = carrier {
            carrier.wake();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn take_letters(&mut self, into: &mut Vec<u8>) {
        let length = self.letters.len().min(PIECE_MAX_BYTES);
        into.extend(self.letters.drain(..length));
        if self.letters.is_empty() {
            self.letters.shrink_to(LETTERS_KEPT_BYTES);
        }
    }
}

/// The mail of all links of one thread of the edge.
#[derive(Default)]
pub(super) struct Post {
    with_mail: Mutex<Vec<Arc<Mailbox>>>,
    bell: Notify,
    is_open: AtomicBool,
    /// How many mailboxes there are.
    boxes: AtomicUsize,
}

impl Post {
    /// Begins to wake carriers, on the runtime that this is called from, if it has not yet.
    pub fn open(self: &Arc<Post>) {
        if !self.is_open.swap(true, Ordering::Relaxed) {
            tokio::spawn(Arc::clone(self).deliver());
        }
    }

    /// How many mailboxes there are.
    pub fn boxes(&self) -> usize {
        self.boxes.load(Ordering::Relaxed)
    }

    /// There is one more.
    pub fn add_box(&self) {
        self.boxes.fetch_add(1, Ordering::Relaxed);
    }

    /// There is one less.
    pub fn remove_box(&self) {
        self.boxes.fetch_sub(1, Ordering::Relaxed);
    }

    async fn deliver(self: Arc<Post>) {
        let mut round = Vec::new();
        loop {
            self.bell.notified().await;
            mem::swap(&mut round, &mut *self.lock());
            round.drain(..).for_each(|mailbox: Arc<Mailbox>| mailbox.call_carrier());
        }
    }

    fn note(&self, mailbox: &Arc<Mailbox>) {
        if !mem::replace(&mut mailbox.lock().is_noted, true) {
            self.lock().push(Arc::clone(mailbox));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Mailbox>>> {
        self.with_mail.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The threads of the edge that are to be rung at the end of a round.
#[derive(Default)]
pub struct Errands(Vec<Arc<Post>>);

impl Errands {
    pub(super) fn note(&mut self, post: &Arc<Post>, mailbox: &Arc<Mailbox>) {
        post.note(mailbox);
        if !self.0.iter().any(|known| Arc::ptr_eq(known, post)) {
            self.0.push(Arc::clone(post));
        }
    }

    /// Wakes those who have something to carry.
    pub fn run(&mut self) {
        self.0.drain(..).for_each(|post| post.bell.notify_one());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(mailbox: &Mailbox) -> Poll<Option<(Kind, Vec<u8>)>> {
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
        assert!(mailbox.put_letters(b"ab") && mailbox.put_letters(b"c"));
        assert_eq!(take(&mailbox), Poll::Ready(Some((Kind::Stream, b"abc".to_vec()))));
        mailbox.close();
        for number in 2..6 {
            assert_eq!(take(&mailbox), Poll::Ready(Some((Kind::Datagram, vec![number]))), "the last words leave");
        }
        assert_eq!(take(&mailbox), Poll::Ready(None));
    }

    #[test]
    fn a_stream_that_nobody_reads_ends_and_gives_its_memory_back() {
        let mailbox = Mailbox::default();
        let piece = [7; 1000];
        let put = (0..1000).take_while(|_| mailbox.put_letters(&piece)).count();
        assert_eq!(put, LETTERS_MAX_BYTES / 1000);
        assert_eq!(mailbox.lock().letters.capacity(), 0);
        assert_eq!(take(&mailbox), Poll::Ready(None));
    }

    #[test]
    fn a_long_stream_is_carried_in_pieces_without_a_gap() {
        let mailbox = Mailbox::default();
        let long: Vec<u8> = (0..70_000).map(|number| number as u8).collect();
        assert!(mailbox.put_letters(&long));
        let mut carried = Vec::new();
        while let Poll::Ready(Some((Kind::Stream, piece))) = take(&mailbox) {
            assert!(piece.len() <= PIECE_MAX_BYTES);
            carried.extend(piece);
        }
        assert!(carried == long);
        assert!(mailbox.lock().letters.capacity() <= LETTERS_KEPT_BYTES);
    }

    #[tokio::test]
    async fn one_ring_wakes_every_carrier_that_has_mail() {
        let post = Arc::new(Post::default());
        post.open();
        let carrier = |mailbox: Arc<Mailbox>| async move {
            let mut bytes = Vec::new();
            std::future::poll_fn(|context| mailbox.poll_take(context, &mut bytes)).await
        };
        let mailboxes: Vec<Arc<Mailbox>> = (0..3).map(|_| Arc::default()).collect();
        let carriers: Vec<_> = mailboxes.iter().map(|mailbox| tokio::spawn(carrier(mailbox.clone()))).collect();
        tokio::task::yield_now().await;
        let mut errands = Errands::default();
        for mailbox in &mailboxes {
            mailbox.put_datagram(b"x");
            errands.note(&post, mailbox);
            errands.note(&post, mailbox);
        }
        assert_eq!((errands.0.len(), post.lock().len()), (1, 3));
        errands.run();
        for carrier in carriers {
            assert_eq!(carrier.await.expect("no panic"), Some(Kind::Datagram));
        }
    }
}
