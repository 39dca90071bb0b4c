//! The archive: the results of games, in SQLite, on two threads of its own: `writer` and `readers`. Start reading at
//! [`Archive`].
//!
//! Nothing here ever makes the game wait, and no reader makes a record wait. Records that cannot be written wait in
//! memory, up to a limit, until the disk works again. Beyond the limit they are lost, which is counted and logged at most
//! once a minute.

mod errors;
mod file_id;
mod migrations;
mod queries;
mod readers;
mod storage;
mod store;
#[cfg(test)]
mod tests;
mod writer;

use std::{
    path::Path,
    sync::{
        Arc,
        mpsc::{SyncSender, TrySendError, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use tokio::sync::oneshot;

pub use queries::{Match, MatchPlayer, Query};
pub use store::{FILE, Forgotten};

use self::{
    errors::ErrorLog,
    readers::{Reader, Readers},
    storage::Storage,
    writer::{Message, Writer},
};
use crate::core::Record;

/// Records on their way to the thread that writes. They are small and rare: a game takes minutes.
const QUEUE_MAX: usize = 4096;
/// How long a host waits until a player is taken out of the records.
const FORGET_WAIT_MAX: Duration = Duration::from_secs(10);
/// How often a flush tries again to get into a full queue.
const FLUSH_RETRY: Duration = Duration::from_millis(1);

/// A handle to the archive. Clones share it.
#[derive(Clone)]
pub struct Archive {
    writer: SyncSender<Message>,
    readers: Readers,
    errors: Arc<ErrorLog>,
}

/// The archive cannot answer right now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unavailable;

impl Archive {
    /// An archive in a directory, which must exist. Names of players are kept for this long, or for ever.
    pub fn in_directory(directory: &Path, names_kept_for: Option<Duration>) -> anyhow::Result<Archive> {
        Archive::start(Storage::File(directory.join(FILE)), names_kept_for)
    }

    /// An archive that is lost when the process ends.
    pub fn in_memory() -> anyhow::Result<Archive> {
        Archive::start(Storage::memory(), None)
    }

    fn start(storage: Storage, names_kept_for: Option<Duration>) -> anyhow::Result<Archive> {
        let errors = Arc::new(ErrorLog::default());
        let (writer, messages) = sync_channel(QUEUE_MAX);
        let (readers, requests) = Readers::new();
        let mut reader = Reader::new(storage.clone(), Arc::clone(&errors), writer.clone());
        let mut worker = Writer::new(storage, messages, Arc::clone(&errors)).keeping_names(names_kept_for);
        // Nothing can be read before the tables are there.
        let (opened, is_opened) = sync_channel::<()>(0);
        thread::Builder::new().name("archive".into()).spawn(move || worker.run(|| drop(opened)))?;
        thread::Builder::new().name("archive reader".into()).spawn(move || {
            let _ = is_opened.recv();
            reader.run(&requests);
        })?;
        Ok(Archive { writer, readers, errors })
    }

    /// Takes a record. Never waits.
    pub fn offer(&self, record: Record) {
        if self.writer.try_send(Message::Write(record)).is_err() {
            self.errors.report("too many results at once; one was lost");
        }
    }

    /// How often something could not be written or read.
    pub fn errors(&self) -> u64 {
        self.errors.count()
    }

    /// The best games, the best first.
    pub async fn scores(&self, query: Query) -> Result<Vec<Match>, Unavailable> {
        self.readers.ask(move |connection| queries::scores(connection, &query)).await
    }

    /// Games, the newest first.
    pub async fn matches(&self, query: Query) -> Result<Vec<Match>, Unavailable> {
        self.readers.ask(move |connection| queries::matches(connection, &query)).await
    }

    /// Takes a player out of all records.
    pub async fn forget(&self, name: String) -> Result<Forgotten, Unavailable> {
        let (reply, answer) = oneshot::channel();
        self.writer.try_send(Message::Forget(name, reply)).map_err(|_| Unavailable)?;
        match tokio::time::timeout(FORGET_WAIT_MAX, answer).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) | Err(_) => Err(Unavailable),
        }
    }

    /// Writes everything that was offered so far, and leaves it in one file. False: it could not be written in time.
    pub fn flush(&self, wait_max: Duration) -> bool {
        let deadline = Instant::now() + wait_max;
        let (reply, answer) = sync_channel(1);
        let mut message = Message::Flush(reply);
        while let Err(error) = self.writer.try_send(message) {
            match error {
                TrySendError::Full(unsent) if Instant::now() < deadline => message = unsent,
                TrySendError::Full(_) | TrySendError::Disconnected(_) => return false,
            }
            thread::sleep(FLUSH_RETRY);
        }
        answer.recv_timeout(deadline.saturating_duration_since(Instant::now())).unwrap_or(false)
    }
}
