//! Who is connected over HTTP. When all places are taken, the address that has most of them gives one up for who comes
//! anew: the one over which nothing has gone for longest. So whoever holds places, and whatever is done there, an address
//! that has none gets one at once.
//!
//! A connection that became a player's link has left its place: nobody loses a game to who comes anew.

use std::{
    collections::HashMap,
    io,
    net::IpAddr,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
    time::Instant,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    sync::Notify,
};

use crate::household::household;

/// Connections at once.
pub const PLACES: usize = 256;

/// Who is connected. Clones share it.
#[derive(Clone)]
pub struct Crowd(Arc<Shared>);

struct Shared {
    started: Instant,
    inside: Mutex<Vec<Arc<Ticket>>>,
    crowded_out: AtomicU64,
}

/// What is known of a connection.
struct Ticket {
    household: IpAddr,
    /// When something last went over it, in microseconds since the crowd began.
    moved_us: AtomicU64,
    /// Its place is somebody else's.
    is_over: Notify,
}

/// A place among those who are connected, given back when it is dropped.
pub struct Place {
    crowd: Crowd,
    ticket: Arc<Ticket>,
}

impl Default for Crowd {
    fn default() -> Crowd {
        let (started, inside) = (Instant::now(), Mutex::default());
        Crowd(Arc::new(Shared { started, inside, crowded_out: AtomicU64::new(0) }))
    }
}

impl Crowd {
    /// How many connections were closed because there were too many.
    pub fn crowded_out(&self) -> u64 {
        self.0.crowded_out.load(Ordering::Relaxed)
    }

    /// One was closed because there were too many.
    pub fn note_crowded_out(&self) {
        self.0.crowded_out.fetch_add(1, Ordering::Relaxed);
    }

    /// Gives who comes from there a place, which may be another's until now.
    pub fn enter(&self, address: IpAddr) -> Place {
        let moved_us = AtomicU64::new(self.now_us());
        let ticket = Arc::new(Ticket { household: household(address), moved_us, is_over: Notify::new() });
        let mut inside = self.lock();
        if inside.len() >= PLACES
            && let Some(index) = who_gives_way(&inside, ticket.household)
        {
            inside.swap_remove(index).is_over.notify_one();
            self.note_crowded_out();
        }
        inside.push(Arc::clone(&ticket));
        Place { crowd: self.clone(), ticket }
    }

    /// How many come from there.
    #[cfg(test)]
    pub fn count(&self, address: IpAddr) -> usize {
        let household = household(address);
        self.lock().iter().filter(|ticket| ticket.household == household).count()
    }

    fn now_us(&self) -> u64 {
        self.0.started.elapsed().as_micros() as u64
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Ticket>>> {
        self.0.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place that who comes from `newcomer` gets. They count as if they were inside already: who has as many as others
/// takes from their own as well as from theirs.
fn who_gives_way(inside: &[Arc<Ticket>], newcomer: IpAddr) -> Option<usize> {
    let mut counts = HashMap::from([(newcomer, 1)]);
    for ticket in inside {
        *counts.entry(ticket.household).or_insert(0) += 1;
    }
    let most = counts.values().copied().max()?;
    let crowding = inside.iter().enumerate().filter(|(_, ticket)| counts.get(&ticket.household) == Some(&most));
    crowding.min_by_key(|(_, ticket)| ticket.moved_us.load(Ordering::Relaxed)).map(|(index, _)| index)
}

impl Place {
    /// Waits until the place is somebody else's.
    pub async fn lost(&self) {
        self.ticket.is_over.notified().await;
    }

    /// The same stream, by which the crowd knows when something last went over it.
    pub fn watch<S>(&self, stream: S) -> Watched<S> {
        Watched { stream, crowd: self.crowd.clone(), ticket: Arc::clone(&self.ticket) }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.crowd.lock().retain(|ticket| !Arc::ptr_eq(ticket, &self.ticket));
    }
}

/// A stream, and the ticket of its place.
pub struct Watched<S> {
    stream: S,
    crowd: Crowd,
    ticket: Arc<Ticket>,
}

impl<S> Watched<S> {
    fn note<T>(&self, poll: Poll<T>) -> Poll<T> {
        if poll.is_ready() {
            self.ticket.moved_us.store(self.crowd.now_us(), Ordering::Relaxed);
        }
        poll
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let poll = Pin::new(&mut self.stream).poll_read(context, into);
        self.note(poll)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.note(poll)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.note(poll)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enter(crowd: &Crowd, address: &str) -> Place {
        crowd.enter(address.parse().expect("an address"))
    }

    fn fill(crowd: &Crowd, addresses: usize) -> Vec<Place> {
        (0..PLACES).map(|number| enter(crowd, &format!("192.0.2.{}", number % addresses))).collect()
    }

    /// Something goes over the connection, at that time.
    fn moves(place: &Place, us: u64) {
        place.ticket.moved_us.store(us, Ordering::Relaxed);
    }

    fn is_inside(crowd: &Crowd, place: &Place) -> bool {
        crowd.lock().iter().any(|ticket| Arc::ptr_eq(ticket, &place.ticket))
    }

    fn count(crowd: &Crowd, address: &str) -> usize {
        crowd.count(address.parse().expect("an address"))
    }

    #[test]
    fn one_address_may_have_all_until_another_comes_and_gives_back_what_it_has() {
        let crowd = Crowd::default();
        let places = fill(&crowd, 1);
        assert_eq!((count(&crowd, "::ffff:192.0.2.0"), crowd.crowded_out()), (PLACES, 0));
        let other = enter(&crowd, "198.51.100.1");
        assert_eq!((count(&crowd, "192.0.2.0"), crowd.crowded_out()), (PLACES - 1, 1));
        drop((places, other));
        assert!(crowd.lock().is_empty());
    }

    #[test]
    fn who_has_most_gives_up_what_was_quiet_longest() {
        let crowd = Crowd::default();
        let few: Vec<Place> = (0..3).map(|_| enter(&crowd, "198.51.100.1")).collect();
        let many: Vec<Place> = (3..PLACES).map(|_| enter(&crowd, "192.0.2.1")).collect();
        few.iter().for_each(|place| moves(place, 1));
        many.iter().zip(1000..).for_each(|(place, us)| moves(place, us));
        moves(&many[0], 2000);
        let _fresh = enter(&crowd, "203.0.113.1");
        assert!(few.iter().all(|place| is_inside(&crowd, place)), "they have few");
        assert!(is_inside(&crowd, &many[0]) && !is_inside(&crowd, &many[1]));
    }

    #[test]
    fn who_has_most_takes_from_their_own() {
        let crowd = Crowd::default();
        let places = fill(&crowd, 2);
        let _more: Vec<Place> = (0..100).map(|_| enter(&crowd, "192.0.2.1")).collect();
        assert!((PLACES / 2 - 1..=PLACES / 2).contains(&count(&crowd, "192.0.2.0")), "{}", count(&crowd, "192.0.2.0"));
        assert_eq!(crowd.lock().len(), PLACES);
        drop(places);
    }

    #[test]
    fn an_address_with_none_gets_in_even_if_nobody_has_more_than_one() {
        let crowd = Crowd::default();
        let places = fill(&crowd, PLACES);
        places.iter().zip(1000..).for_each(|(place, us)| moves(place, us));
        let fresh = enter(&crowd, "203.0.113.1");
        assert!(is_inside(&crowd, &fresh) && !is_inside(&crowd, &places[0]));
    }

    #[test]
    fn a_network_of_ipv6_counts_as_one() {
        let crowd = Crowd::default();
        let few = enter(&crowd, "2001:db8:0:1::1");
        let _many: Vec<Place> = (1..PLACES).map(|number| enter(&crowd, &format!("2001:db8::{number:x}"))).collect();
        moves(&few, 0);
        let _fresh = enter(&crowd, "203.0.113.1");
        assert!(is_inside(&crowd, &few));
        assert_eq!(count(&crowd, "2001:db8::"), PLACES - 2);
    }
}
