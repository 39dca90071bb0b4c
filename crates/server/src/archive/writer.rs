//! The thread that writes: records as they come, and those that cannot be written as soon as they can. Nobody reads here,
//! so no reader can make a record wait.

use std::{
    collections::VecDeque,
    fs, iter,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, SyncSender},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use anyhow::Context;
use tokio::sync::oneshot;

use super::{
    Unavailable,
    errors::ErrorLog,
    file_id::Opened,
    storage::Storage,
    store::{Forgotten, ForgottenNames, Store},
};
use crate::core::Record;

/// Records that wait for the disk. When there are more, the oldest is lost.
const BACKLOG_MAX: usize = 1000;
/// Messages that are taken in before what they bring is written, all at once.
const BATCH_MAX: usize = 256;
/// How long to wait after a failure before the disk is tried again.
const RETRY_AFTER: Duration = Duration::from_secs(5);
/// How often an idle archive checks that its file is still there.
const CHECK_FILE_EVERY: Duration = Duration::from_secs(5);

/// How often the names in old records are looked for.
const FORGET_NAMES_EVERY: Duration = Duration::from_secs(3600);

pub enum Message {
    Write(Record),
    /// Take a player out of all records, and answer what became of them.
    Forget(String, oneshot::Sender<Result<Forgotten, Unavailable>>),
    /// A reader does not find the file, or not the tables: look after it, and answer.
    CheckFile(SyncSender<()>),
    /// Write now, leave everything in one file, and answer whether all is written.
    Flush(SyncSender<bool>),
}

pub struct Writer {
    storage: Storage,
    receiver: Receiver<Message>,
    errors: Arc<ErrorLog>,
    /// The open archive. After an error it is opened again for the next attempt: the file may be another one by then.
    open: Option<Opened<Store>>,
    backlog: VecDeque<Record>,
    failed: Option<Instant>,
    /// For how long names are kept; none: for ever.
    names_kept_for: Option<Duration>,
    /// Names in games that ended up to then are forgotten, in milliseconds since 1970.
    forgotten_until: i64,
    /// When to look for names to forget; none: now.
    forgets_next: Option<Instant>,
}

impl Writer {
    pub fn new(storage: Storage, receiver: Receiver<Message>, errors: Arc<ErrorLog>) -> Writer {
        let (backlog, open, failed) = (VecDeque::new(), None, None);
        let (names_kept_for, forgotten_until, forgets_next) = (None, 0, None);
        Writer { storage, receiver, errors, open, backlog, failed, names_kept_for, forgotten_until, forgets_next }
    }

    /// The same, but names are kept for no longer than this.
    pub fn keeping_names(self, kept_for: Option<Duration>) -> Writer {
        Writer { names_kept_for: kept_for, ..self }
    }

    /// Opens the archive, calls `opened` whether or not that worked, and serves until every handle is gone.
    pub fn run(&mut self, opened: impl FnOnce()) {
        self.write();
        opened();
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
        let wait = match self.failed {
            Some(failed) => RETRY_AFTER.saturating_sub(failed.elapsed()),
            None if self.forgets_next.is_none() => Duration::ZERO,
            None => CHECK_FILE_EVERY,
        };
        self.receiver.recv_timeout(wait)
    }

    /// Serves a message, and others that wait: their records are written together, which costs one sync and not many.
    fn serve(&mut self, first: Message) {
        let batch: Vec<Message> = iter::once(first).chain(self.receiver.try_iter().take(BATCH_MAX)).collect();
        let (mut checks, mut flushes, mut forgets) = (Vec::new(), Vec::new(), Vec::new());
        for message in batch {
            match message {
                Message::Write(record) => self.add(record),
                Message::Forget(name, reply) => forgets.push((name, reply)),
                Message::CheckFile(reply) => checks.push(reply),
                Message::Flush(reply) => flushes.push(reply),
            }
        }
        if !self.is_waiting_to_retry() || !flushes.is_empty() || !forgets.is_empty() {
            self.write();
        }
        for (name, reply) in forgets {
            let _ = reply.send(self.forget(&name));
        }
        if !flushes.is_empty() {
            self.close();
        }
        // If nobody waits for an answer any more, nobody misses it.
        for reply in checks {
            let _ = reply.send(());
        }
        for reply in flushes {
            let _ = reply.send(self.backlog.is_empty());
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
        open.inner.write(self.backlog.make_contiguous())?;
        self.backlog.clear();
        if self.forgets_next.is_none_or(|next| next <= Instant::now()) {
            self.forget_some_names()?;
        }
        Ok(())
    }

    /// Removes some of the names that are too old. If there are more, it is done again as soon as all that waits is written.
    fn forget_some_names(&mut self) -> anyhow::Result<()> {
        self.forgets_next = Some(Instant::now() + FORGET_NAMES_EVERY);
        let (Some(kept_for), Some(open)) = (self.names_kept_for, self.open.as_mut()) else { return Ok(()) };
        let before = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().saturating_sub(kept_for);
        let ForgottenNames { names, until, are_all } =
            open.inner.forget_some_names(self.forgotten_until, before.as_millis() as i64)?;
        self.forgotten_until = until;
        if names > 0 {
            tracing::info!(target: "host", names, "archive: removed the names of players in old records");
        }
        if !are_all {
            self.forgets_next = None;
        }
        Ok(())
    }

    /// Takes a player out of what is written. What could not be written yet would come back with the name.
    fn forget(&mut self, name: &str) -> Result<Forgotten, Unavailable> {
        let open =
            self.open.as_mut().filter(|_| self.backlog.is_empty() && self.failed.is_none()).ok_or(Unavailable)?;
        let forgotten = open.inner.forget_player(name);
        forgotten.map_err(|error| {
            self.fail(&error);
            Unavailable
        })
    }

    fn reopen(&mut self) -> anyhow::Result<()> {
        if let Some(directory) = self.storage.file().and_then(|path| path.parent()) {
            // It may have been removed with everything in it. If it cannot be created, opening the file reports that.
            let _ = fs::create_dir(directory);
        }
        self.open = Some(Opened::new(Store::open(&self.storage)?, self.storage.file()));
        // It may be another file, with old names in it.
        (self.forgotten_until, self.forgets_next) = (0, None);
        Ok(())
    }

    /// A removed file can still be written, but is lost when it is closed: start another one.
    fn notice_replaced_file(&mut self) {
        if self.open.as_ref().is_some_and(|open| open.is_gone_from(self.storage.file())) {
            // Close it first: closing removes the files beside it, which have the same names as the new one's.
            self.open = None;
            self.errors.report_now("its file was removed or replaced while it was open; a new one was started");
        }
    }

    fn fail(&mut self, error: &anyhow::Error) {
        self.errors.report(&format!("{error:#}"));
        self.failed = Some(Instant::now());
    }

    /// Moves the log into the file and closes it, if there is one, until it is needed again.
    fn close(&mut self) {
        if self.storage.file().is_some()
            && let Some(open) = self.open.take()
        {
            open.inner.empty_log();
        }
    }
}
