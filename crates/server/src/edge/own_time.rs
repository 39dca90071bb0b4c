//! Time-outs that count only time in which this process ran (ruling C15).
//!
//! A timer of the runtime's knows nothing of that: after the process was stopped for ten seconds, every one of five seconds is
//! over, though nobody had a chance to say anything. These count slices, and a slice is one however long it took.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::time::{Instant, Sleep, sleep};

/// No time-out is more precise than this.
const SLICE: Duration = Duration::from_millis(250);

/// Ready once the process has run for this long.
pub(super) struct OwnTimer {
    slice: Pin<Box<Sleep>>,
    left: u128,
}

impl OwnTimer {
    pub fn new(duration: Duration) -> OwnTimer {
        let slices = duration.as_millis().div_ceil(SLICE.as_millis());
        OwnTimer { slice: Box::pin(sleep(SLICE)), left: slices }
    }
}

impl Future for OwnTimer {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        while self.left > 0 {
            ready!(self.slice.as_mut().poll(context));
            self.left -= 1;
            self.slice.as_mut().reset(Instant::now() + SLICE);
        }
        Poll::Ready(())
    }
}

/// What comes of this, if it comes before the process has run for this long.
pub(super) async fn within<T>(duration: Duration, future: impl IntoFuture<Output = T>) -> Option<T> {
    tokio::select! {
        biased;
        result = future.into_future() => Some(result),
        () = OwnTimer::new(duration) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn is_over(timer: &mut OwnTimer) -> bool {
        std::future::poll_fn(|context| Poll::Ready(Pin::new(&mut *timer).poll(context).is_ready())).await
    }

    /// With the clock paused, a step of it is a time in which the process did not run.
    #[tokio::test(start_paused = true)]
    async fn c15_time_in_which_the_process_did_not_run_does_not_count() {
        let mut timer = OwnTimer::new(Duration::from_secs(5));
        assert!(!is_over(&mut timer).await);
        tokio::time::advance(Duration::from_secs(60)).await;
        assert!(!is_over(&mut timer).await, "that was one slice");
        let began = Instant::now();
        timer.await;
        assert!((4..=5).contains(&began.elapsed().as_secs()), "{:?}", began.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn what_comes_in_time_comes_through() {
        assert_eq!(within(Duration::from_secs(1), async { 7 }).await, Some(7));
        assert_eq!(within(Duration::from_secs(1), std::future::pending::<u8>()).await, None);
    }
}
