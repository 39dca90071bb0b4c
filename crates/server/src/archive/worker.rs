//! The archive's thread: writes records as they come, and holds those that cannot be written until they can.

use std::{
    collections::VecDeque,
    fs,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, SyncSender},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use anyhow::Context;
use tokio::sync::oneshot;

use super::{
    Forgotten, Match, Query, Unavailable,
    errors::ErrorLog,
    file_id::FileId,
    store::{Storage, Store},
};
use crate::core::Record;

/// Records that wait for the disk. When there are more, the oldest is lost.
const BACKLOG_MAX: usize = 1000;
/// How long to wait after a failure before the disk is tried again.
const RETRY_AFTER: Duration = Duration::from_secs(5);
/// How often an idle archive checks that its file is still there.
const CHECK_FILE_EVERY: Duration = Duration::from_secs(5);

/// How often the names in old records are looked for.
const FORGET_NAMES_EVERY: Duration = Duration::from_secs(3600);

pub enum Message {
    Write(Record),
    Scores(Query, Reply),
    Matches(Query, Reply),
    /// Take a player out of all records.
    Forget(String, oneshot::Sender<Result<Forgotten, Unavailable>>),
    /// Write now, leave everything in one file, and answer whether all is written.
    Flush(SyncSender<bool>),
}

type Reply = oneshot::Sender<Result<Vec<Match>, Unavailable>>;

pub struct Worker {
    storage: Storage,
    receiver: Receiver<Message>,
    errors: Arc<ErrorLog>,
    /// The open archive. After an error it is only read from, and reopened for the next attempt to write: the file may be
    /// another one by then.
    open: Option<Open>,
    backlog: VecDeque<Record>,
    failed: Option<Instant>,
    /// For how long names are kept; none: for ever.
    names_kept_for: Option<Duration>,
    /// When names were last forgotten.
    forgot: Option<Instant>,
}

/// An open archive, and its file.
struct Open {
    store: Store,
    file: Option<FileId>,
}

impl Open {
    fn new(store: Store, storage: &Storage) -> Open {
        let file = storage.file().and_then(|path| FileId::of(path).ok());
        Open { store, file }
    }

    fn is_gone_from(&self, storage: &Storage) -> bool {
        self.file.zip(storage.file()).is_some_and(|(file, path)| file.is_gone_from(path))
    }
}

impl Worker {
    pub fn new(storage: Storage, receiver: Receiver<Message>, errors: Arc<ErrorLog>) -> Worker {
        let (backlog, open, failed) = (VecDeque::new(), None, None);
        Worker { storage, receiver, errors, open, backlog, failed, names_kept_for: None, forgot: None }
    }

    /// The same, but names are kept for no longer than this.
    pub fn keeping_names(self, kept_for: Option<Duration>) -> Worker {
        Worker { names_kept_for: kept_for, ..self }
    }

    /// Serves until every handle is gone.
    pub fn run(&mut self) {
        self.write();
        loop {
            match self.next() {
                Ok(message) => self.serve(message),
                Err(RecvTimeoutError::Timeout) => self.write(),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.write();
    }

    fn next(&self) -> Result<Message, RecvTimeoutError> {
        let wait = self.failed.map_or(CHECK_FILE_EVERY, |failed| RETRY_AFTER.saturating_sub(failed.elapsed()));
        self.receiver.recv_timeout(wait)
    }

    fn serve(&mut self, message: Message) {
        match message {
            Message::Write(record) => {
                self.add(record);
                if !self.is_waiting_to_retry() {
                    self.write();
                }
            }
            // If the reader has gone, nobody misses the answer.
            Message::Scores(query, reply) => drop(reply.send(self.read(|store| store.scores(&query)))),
            Message::Matches(query, reply) => drop(reply.send(self.read(|store| store.matches(&query)))),
            Message::Forget(name, reply) => drop(reply.send(self.forget(&name))),
            Message::Flush(reply) => {
                self.write();
                self.close();
                let _ = reply.send(self.backlog.is_empty());
            }
        }
    }

    fn is_waiting_to_retry(&self) -> bool {
        self.failed.is_some_and(|failed| failed.elapsed() < RETRY_AFTER)
    }

    fn add(&mut self, record: Record) {
        if self.backlog.len() >= BACKLOG_MAX {
            self.backlog.pop_front();
            self.errors.report("too many results wait for the disk; one was lost");
        }
        self.backlog.push_back(record);
    }

    /// Writes everything that waits.
    fn write(&mut self) {
        match self.try_write() {
            Ok(()) if self.failed.take().is_some() => {
                tracing::info!(target: "host", "archive: writing works again");
            }
            Ok(()) => {}
            Err(error) => self.fail(&error),
        }
    }

    fn try_write(&mut self) -> anyhow::Result<()> {
        self.notice_replaced_file();
        let has_failed = self.failed.is_some() && self.storage.file().is_some();
        if self.open.is_none() || has_failed {
            self.reopen()?;
        }
        let open = self.open.as_mut().context("it is not open")?;
        open.store.write(self.backlog.make_contiguous())?;
        self.backlog.clear();
        if self.forgot.is_none_or(|forgot| forgot.elapsed() >= FORGET_NAMES_EVERY) {
            forget_old_names(&mut open.store, self.names_kept_for)?;
            self.forgot = Some(Instant::now());
        }
        Ok(())
    }

    /// Takes a player out of what is written and of what is still to be.
    fn forget(&mut self, name: &str) -> Result<Forgotten, Unavailable> {
        self.write();
        if !self.backlog.is_empty() {
            return Err(Unavailable);
        }
        let open = self.open.as_mut().ok_or(Unavailable)?;
        let forgotten = open.store.forget_player(name);
        forgotten.map_err(|error| {
            self.fail(&error);
            Unavailable
        })
    }

    /// Opens the archive to write, or at least to read.
    fn reopen(&mut self) -> anyhow::Result<()> {
        if let Some(directory) = self.storage.file().and_then(|path| path.parent()) {
            // It may have been removed with everything in it. If it cannot be created, opening the file reports that.
            let _ = fs::create_dir(directory);
        }
        let opened = Store::open(&self.storage).map(|store| self.open = Some(Open::new(store, &self.storage)));
        if let (Err(_), None, Some(path)) = (&opened, &self.open, self.storage.file()) {
            self.open = Store::open_to_read(path).ok().map(|store| Open::new(store, &self.storage));
        }
        opened
    }

    fn read(&mut self, ask: impl FnOnce(&Store) -> anyhow::Result<Vec<Match>>) -> Result<Vec<Match>, Unavailable> {
        self.notice_replaced_file();
        if self.open.is_none() && !self.is_waiting_to_retry() {
            self.write();
        }
        let open = self.open.as_ref().ok_or(Unavailable)?;
        ask(&open.store).map_err(|error| {
            self.fail(&error);
            self.close();
            Unavailable
        })
    }

    /// A removed file can still be written and read, but is lost when it is closed: start another one.
    fn notice_replaced_file(&mut self) {
        if self.open.as_ref().is_some_and(|open| open.is_gone_from(&self.storage)) {
            // Close it first: closing removes the files beside it, which have the same names as the new one's.
            self.close();
            self.errors.report_now("its file was removed or replaced while it was open; a new one was started");
        }
    }

    fn fail(&mut self, error: &anyhow::Error) {
        self.errors.report(&format!("{error:#}"));
        self.failed = Some(Instant::now());
    }

    /// Closes the file, if there is one, until it is needed again. SQLite then moves its log into the file.
    fn close(&mut self) {
        if self.storage.file().is_some() {
            self.open = None;
        }
    }
}

fn forget_old_names(store: &mut Store, kept_for: Option<Duration>) -> anyhow::Result<()> {
    let Some(kept_for) = kept_for else { return Ok(()) };
    let before = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().saturating_sub(kept_for);
    let names = store.forget_names_before(before.as_millis() as i64)?;
    if names > 0 {
        tracing::info!(target: "host", names, "archive: removed the names of players in old records");
    }
    Ok(())
}
