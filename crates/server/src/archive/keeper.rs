//! The archive's thread: writes records as they come, and keeps those that cannot be written until they can.

use std::{
    collections::VecDeque,
    fs,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, SyncSender},
    },
    time::{Duration, Instant},
};

use anyhow::Context;
use tokio::sync::oneshot;

use super::{
    Match, Query, Unavailable,
    faults::Faults,
    identity::Identity,
    store::{Place, Store},
};
use crate::core::Record;

/// Records that wait for the disk, at most; then the oldest is lost.
const BACKLOG_MAX: usize = 1000;
/// How long the disk is left alone after it failed.
const RETRY_AFTER: Duration = Duration::from_secs(5);
/// How often it is looked whether the file is still there when nothing is to be done.
const LOOK_EVERY: Duration = Duration::from_secs(5);

pub enum Message {
    Keep(Record),
    Scores(Query, Reply),
    Matches(Query, Reply),
    /// Write now, leave the file whole by itself, and say whether all is written.
    Flush(SyncSender<bool>),
}

type Reply = oneshot::Sender<Result<Vec<Match>, Unavailable>>;

pub struct Keeper {
    place: Place,
    receiver: Receiver<Message>,
    faults: Arc<Faults>,
    /// What is asked. After a fault it is good for reading alone, and opened anew for the next try to write: the file may
    /// be another one by then.
    open: Option<Open>,
    backlog: VecDeque<Record>,
    failed: Option<Instant>,
}

/// An archive that is open, and which file that is.
struct Open {
    store: Store,
    file: Option<Identity>,
}

impl Open {
    fn new(store: Store, place: &Place) -> Open {
        let file = place.file().and_then(|path| Identity::of(path).ok());
        Open { store, file }
    }

    fn is_gone_from(&self, place: &Place) -> bool {
        self.file.zip(place.file()).is_some_and(|(file, path)| file.is_gone_from(path))
    }
}

impl Keeper {
    pub fn new(place: Place, receiver: Receiver<Message>, faults: Arc<Faults>) -> Keeper {
        Keeper { place, receiver, faults, open: None, backlog: VecDeque::new(), failed: None }
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
        let rest = self.failed.map_or(LOOK_EVERY, |failed| RETRY_AFTER.saturating_sub(failed.elapsed()));
        self.receiver.recv_timeout(rest)
    }

    fn serve(&mut self, message: Message) {
        match message {
            Message::Keep(record) => {
                self.add(record);
                if !self.is_resting() {
                    self.write();
                }
            }
            // Who asked may have gone: then nobody misses the answer.
            Message::Scores(query, reply) => drop(reply.send(self.read(|store| store.scores(&query)))),
            Message::Matches(query, reply) => drop(reply.send(self.read(|store| store.matches(&query)))),
            Message::Flush(reply) => {
                self.write();
                self.close();
                let _ = reply.send(self.backlog.is_empty());
            }
        }
    }

    fn is_resting(&self) -> bool {
        self.failed.is_some_and(|failed| failed.elapsed() < RETRY_AFTER)
    }

    fn add(&mut self, record: Record) {
        if self.backlog.len() >= BACKLOG_MAX {
            self.backlog.pop_front();
            self.faults.tell("too many results wait for the disk: one is lost");
        }
        self.backlog.push_back(record);
    }

    /// Writes all that waits.
    fn write(&mut self) {
        match self.try_to_write() {
            Ok(()) if self.failed.take().is_some() => {
                tracing::info!(target: "host", "the archive of scores can be written again");
            }
            Ok(()) => {}
            Err(error) => self.fail(&error),
        }
    }

    fn try_to_write(&mut self) -> anyhow::Result<()> {
        self.notice_loss();
        let is_worn = self.failed.is_some() && self.place.file().is_some();
        if self.open.is_none() || is_worn {
            self.open_anew()?;
        }
        let open = self.open.as_mut().context("it is closed")?;
        open.store.keep(self.backlog.make_contiguous())?;
        self.backlog.clear();
        Ok(())
    }

    /// Opens the archive. Where it cannot be written, what is in it can perhaps still be read.
    fn open_anew(&mut self) -> anyhow::Result<()> {
        if let Some(directory) = self.place.file().and_then(|path| path.parent()) {
            // It may have been removed with all that was in it. If it cannot be made, neither can the file, which is told.
            let _ = fs::create_dir(directory);
        }
        let opened = Store::open(&self.place).map(|store| self.open = Some(Open::new(store, &self.place)));
        if let (Err(_), None, Some(path)) = (&opened, &self.open, self.place.file()) {
            self.open = Store::open_to_read(path).ok().map(|store| Open::new(store, &self.place));
        }
        opened
    }

    fn read(&mut self, ask: impl FnOnce(&Store) -> anyhow::Result<Vec<Match>>) -> Result<Vec<Match>, Unavailable> {
        self.notice_loss();
        if self.open.is_none() && !self.is_resting() {
            self.write();
        }
        let open = self.open.as_ref().ok_or(Unavailable)?;
        ask(&open.store).map_err(|error| {
            self.fail(&error);
            self.close();
            Unavailable
        })
    }

    /// A file that was removed can be written and read as if nothing had happened, and ends with the process.
    fn notice_loss(&mut self) {
        if self.open.as_ref().is_some_and(|open| open.is_gone_from(&self.place)) {
            // First: in closing it removes what lies beside the file under its name.
            self.close();
            self.faults.tell_at_once("its file was removed or replaced while it was open: another one is begun");
        }
    }

    fn fail(&mut self, error: &anyhow::Error) {
        self.faults.tell(&format!("{error:#}"));
        self.failed = Some(Instant::now());
    }

    /// Closes the file, if it is one, until something is asked again. What its log beside it holds is then in it.
    fn close(&mut self) {
        if self.place.file().is_some() {
            self.open = None;
        }
    }
}
