//! The thread that reads, with a connection of its own: however many readers there are, no record waits for them.
//!
//! Readers take turns in the order in which they came. What nobody waits for any more is not read.

use std::{
    path::Path,
    sync::{
        Arc,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    time::Duration,
};

use rusqlite::Connection;
use tokio::sync::{Semaphore, oneshot};

use super::{Unavailable, errors::ErrorLog, file_id::Opened, storage::Storage, writer::Message};

/// Requests that are handed to the thread at once. Others wait for their turn.
const QUEUED_MAX: usize = 16;
/// How long the thread waits for the writer to look after the file.
const WRITER_WAIT_MAX: Duration = Duration::from_secs(1);
/// How long a reader waits for an answer, its turn included.
const READ_WAIT_MAX: Duration = Duration::from_secs(3);

type Request = Box<dyn FnOnce(&mut Reader) + Send>;

/// Asks the thread that reads. Clones ask the same one.
#[derive(Clone)]
pub struct Readers {
    requests: SyncSender<Request>,
    turns: Arc<Semaphore>,
}

/// What the thread has.
pub struct Reader {
    storage: Storage,
    open: Option<Opened<Connection>>,
    errors: Arc<ErrorLog>,
    writer: SyncSender<Message>,
}

impl Readers {
    /// Where to ask, and where the thread is to take requests from.
    pub fn new() -> (Readers, Receiver<Request>) {
        let (requests, receiver) = sync_channel(QUEUED_MAX);
        (Readers { requests, turns: Arc::new(Semaphore::new(QUEUED_MAX)) }, receiver)
    }

    /// Reads on that thread. If the future is dropped before its turn, nothing is read.
    pub async fn ask<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, Unavailable> {
        let answer = async {
            let turn = Arc::clone(&self.turns).acquire_owned().await.map_err(|_| Unavailable)?;
            let (reply, answer) = oneshot::channel();
            let request: Request = Box::new(move |reader| {
                // It is held until the thread has looked at the request, even if nobody waits for that any more.
                let _turn = turn;
                if !reply.is_closed() {
                    let _ = reply.send(reader.read(read));
                }
            });
            self.requests.try_send(request).map_err(|_| Unavailable)?;
            answer.await.map_err(|_| Unavailable)?
        };
        tokio::time::timeout(READ_WAIT_MAX, answer).await.unwrap_or(Err(Unavailable))
    }
}

impl Reader {
    /// Reads from there. It tells the writer if the file is missing.
    pub fn new(storage: Storage, errors: Arc<ErrorLog>, writer: SyncSender<Message>) -> Reader {
        Reader { storage, open: None, errors, writer }
    }

    /// Serves until nobody can ask any more.
    pub fn run(&mut self, requests: &Receiver<Request>) {
        requests.iter().for_each(|request| request(self));
    }

    fn read<T>(&mut self, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, Unavailable> {
        self.check_file()?;
        let result = self.connection().and_then(|connection| Ok(read(connection)?));
        result.map_err(|error| {
            self.errors.report(&format!("cannot read: {error:#}"));
            self.open = None;
            Unavailable
        })
    }

    fn connection(&mut self) -> anyhow::Result<&Connection> {
        let open = match self.open.take() {
            Some(open) => open,
            None => Opened::new(self.connect()?, self.storage.file()),
        };
        Ok(&self.open.insert(open).inner)
    }

    /// The writer may be about to make the tables.
    fn connect(&self) -> anyhow::Result<Connection> {
        self.storage.open_to_read().or_else(|_| {
            self.await_writer();
            self.storage.open_to_read()
        })
    }

    /// The file may have been removed or replaced. Only the writer makes a new one.
    fn check_file(&mut self) -> Result<(), Unavailable> {
        if self.open.as_ref().is_some_and(|open| open.is_gone_from(self.storage.file())) {
            self.open = None;
        }
        let exists = || self.storage.file().is_none_or(Path::exists);
        if !exists() {
            self.await_writer();
        }
        exists().then_some(()).ok_or(Unavailable)
    }

    /// Lets the writer look after the file. If its queue is full, it is about to do so anyway.
    fn await_writer(&self) {
        let (reply, answer) = sync_channel(1);
        if self.writer.try_send(Message::CheckFile(reply)).is_ok() {
            let _ = answer.recv_timeout(WRITER_WAIT_MAX);
        }
    }
}
