//! The archive: what became of games, kept in SQLite on a thread of its own. Start reading at [`Archive`].
//!
//! Nothing here ever makes the game wait. What cannot be written waits in memory, up to a bound, until the disk can be
//! written again; what does not fit is lost, counted and told in the log, at most once a minute.

mod faults;
mod identity;
mod keeper;
mod store;
#[cfg(test)]
mod tests;

use std::{
    path::Path,
    sync::{
        Arc,
        mpsc::{SyncSender, TrySendError, sync_channel},
    },
    time::Duration,
};

use tokio::sync::{Semaphore, oneshot};

pub use store::{FILE, Match, MatchPlayer, Query};

use self::{faults::Faults, keeper::Message, store::Place};
use crate::core::Record;

/// Records on their way to the archive's thread, at most. They are small and rare: a game takes minutes.
const QUEUE_MAX: usize = 4096;
/// Readers who wait for an answer at once, at most. The rest is sent away, so that readers never crowd out records.
const READERS_MAX: usize = 16;
/// How long a reader waits for an answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// A handle to the archive. Clones share it.
#[derive(Clone)]
pub struct Archive {
    sender: SyncSender<Message>,
    faults: Arc<Faults>,
    readers: Arc<Semaphore>,
}

/// The archive cannot answer at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unavailable;

impl Archive {
    /// An archive in a directory, which must exist.
    pub fn in_directory(directory: &Path) -> anyhow::Result<Archive> {
        Archive::start(Place::File(directory.join(FILE)))
    }

    /// An archive that is forgotten when the process ends.
    pub fn in_memory() -> anyhow::Result<Archive> {
        Archive::start(Place::Memory)
    }

    fn start(place: Place) -> anyhow::Result<Archive> {
        let (sender, receiver) = sync_channel(QUEUE_MAX);
        let faults = Arc::new(Faults::default());
        let mut keeper = keeper::Keeper::new(place, receiver, Arc::clone(&faults));
        std::thread::Builder::new().name("archive".into()).spawn(move || keeper.run())?;
        Ok(Archive { sender, faults, readers: Arc::new(Semaphore::new(READERS_MAX)) })
    }

    /// Takes a record, without ever waiting.
    pub fn offer(&self, record: Record) {
        if self.sender.try_send(Message::Keep(record)).is_err() {
            self.faults.tell("too many results at once: one is lost");
        }
    }

    /// How often something could not be kept or read.
    pub fn errors(&self) -> u64 {
        self.faults.count()
    }

    /// The best games of each stage, or of one.
    pub async fn scores(&self, query: Query) -> Result<Vec<Match>, Unavailable> {
        self.ask(|reply| Message::Scores(query, reply)).await
    }

    /// Games, the newest first.
    pub async fn matches(&self, query: Query) -> Result<Vec<Match>, Unavailable> {
        self.ask(|reply| Message::Matches(query, reply)).await
    }

    /// Writes what has been offered so far, and leaves all of it in one file. False if it could not be written in time.
    pub fn flush(&self, patience: Duration) -> bool {
        let (reply, answer) = sync_channel(1);
        match self.sender.try_send(Message::Flush(reply)) {
            Ok(()) => answer.recv_timeout(patience).unwrap_or(false),
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => false,
        }
    }

    async fn ask<T>(
        &self,
        message: impl FnOnce(oneshot::Sender<Result<T, Unavailable>>) -> Message,
    ) -> Result<T, Unavailable> {
        let _place = self.readers.try_acquire().map_err(|_| Unavailable)?;
        let (reply, answer) = oneshot::channel();
        self.sender.try_send(message(reply)).map_err(|_| Unavailable)?;
        match tokio::time::timeout(PATIENCE, answer).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) | Err(_) => Err(Unavailable),
        }
    }
}
