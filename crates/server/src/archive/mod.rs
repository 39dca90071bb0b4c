//! The archive: the results of games, in SQLite, on a thread of its own. Start reading at [`Archive`].
//!
//! Nothing here ever makes the game wait. Records that cannot be written wait in memory, up to a limit, until the disk
//! works again. Beyond the limit they are lost, which is counted and logged at most once a minute.

mod errors;
mod file_id;
mod store;
#[cfg(test)]
mod tests;
mod worker;

use std::{
    path::Path,
    sync::{
        Arc,
        mpsc::{SyncSender, TrySendError, sync_channel},
    },
    time::Duration,
};

use tokio::sync::{Semaphore, oneshot};

pub use store::{FILE, Forgotten, Match, Query};

use self::{errors::ErrorLog, store::Storage, worker::Message};
use crate::core::Record;

/// Records on their way to the archive's thread. They are small and rare: a game takes minutes.
const QUEUE_MAX: usize = 4096;
/// Readers that wait for an answer at once. More are turned away, so that readers never displace records.
const READERS_MAX: usize = 16;
/// How long a reader waits for an answer.
const READ_WAIT_MAX: Duration = Duration::from_secs(3);

/// A handle to the archive. Clones share it.
#[derive(Clone)]
pub struct Archive {
    sender: SyncSender<Message>,
    errors: Arc<ErrorLog>,
    readers: Arc<Semaphore>,
}

/// The archive cannot answer right now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unavailable;

impl Archive {
    /// An archive in a directory, which must exist. Names of players are kept for so long, or for ever.
    pub fn in_directory(directory: &Path, names_kept_for: Option<Duration>) -> anyhow::Result<Archive> {
        Archive::start(Storage::File(directory.join(FILE)), names_kept_for)
    }

    /// An archive that is lost when the process ends.
    pub fn in_memory() -> anyhow::Result<Archive> {
        Archive::start(Storage::Memory, None)
    }

    fn start(storage: Storage, names_kept_for: Option<Duration>) -> anyhow::Result<Archive> {
        let (sender, receiver) = sync_channel(QUEUE_MAX);
        let errors = Arc::new(ErrorLog::default());
        let mut worker = worker::Worker::new(storage, receiver, Arc::clone(&errors)).keeping_names(names_kept_for);
        std::thread::Builder::new().name("archive".into()).spawn(move || worker.run())?;
        Ok(Archive { sender, errors, readers: Arc::new(Semaphore::new(READERS_MAX)) })
    }

    /// Takes a record. Never waits.
    pub fn offer(&self, record: Record) {
        if self.sender.try_send(Message::Write(record)).is_err() {
            self.errors.report("too many results at once; one was lost");
        }
    }

    /// How often something could not be written or read.
    pub fn errors(&self) -> u64 {
        self.errors.count()
    }

    /// The best games, the best first.
    pub async fn scores(&self, query: Query) -> Result<Vec<Match>, Unavailable> {
        self.ask(|reply| Message::Scores(query, reply)).await
    }

    /// Games, the newest first.
    pub async fn matches(&self, query: Query) -> Result<Vec<Match>, Unavailable> {
        self.ask(|reply| Message::Matches(query, reply)).await
    }

    /// Takes a player out of all records.
    pub async fn forget(&self, name: String) -> Result<Forgotten, Unavailable> {
        self.ask(|reply| Message::Forget(name, reply)).await
    }

    /// Writes everything that was offered so far, and leaves it in one file. False: it could not be written in time.
    pub fn flush(&self, wait_max: Duration) -> bool {
        let (reply, answer) = sync_channel(1);
        match self.sender.try_send(Message::Flush(reply)) {
            Ok(()) => answer.recv_timeout(wait_max).unwrap_or(false),
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => false,
        }
    }

    async fn ask<T>(
        &self,
        message: impl FnOnce(oneshot::Sender<Result<T, Unavailable>>) -> Message,
    ) -> Result<T, Unavailable> {
        let _permit = self.readers.try_acquire().map_err(|_| Unavailable)?;
        let (reply, answer) = oneshot::channel();
        self.sender.try_send(message(reply)).map_err(|_| Unavailable)?;
        match tokio::time::timeout(READ_WAIT_MAX, answer).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) | Err(_) => Err(Unavailable),
        }
    }
}
