//! The archive's thread: writes records as they come, and keeps those that cannot be written until they can.

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, SyncSender},
    },
    time::{Duration, Instant},
};

use tokio::sync::oneshot;

use super::{
    Match, Query, Unavailable,
    faults::Faults,
    store::{Place, Store},
};
use crate::core::Record;

/// Records that wait for the disk, at most; then the oldest is lost.
const BACKLOG_MAX: usize = 1000;
/// How long the disk is left alone after it failed.
const RETRY_AFTER: Duration = Duration::from_secs(5);

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
    /// Closed after a fault, and opened anew for the next try: the file may be another one by then.
    store: Option<Store>,
    backlog: VecDeque<Record>,
    failed: Option<Instant>,
}

impl Keeper {
    pub fn new(place: Place, receiver: Receiver<Message>, faults: Arc<Faults>) -> Keeper {
        Keeper { place, receiver, faults, store: None, backlog: VecDeque::new(), failed: None }
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
        match self.failed {
            Some(failed) => self.receiver.recv_timeout(RETRY_AFTER.saturating_sub(failed.elapsed())),
            None => self.receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
        }
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
        let records = self.backlog.make_contiguous();
        opened(&mut self.store, &self.place)?.keep(records)?;
        self.backlog.clear();
        Ok(())
    }

    fn read(&mut self, ask: impl FnOnce(&Store) -> anyhow::Result<Vec<Match>>) -> Result<Vec<Match>, Unavailable> {
        if self.is_resting() {
            return Err(Unavailable);
        }
        opened(&mut self.store, &self.place).and_then(|store| ask(store)).map_err(|error| {
            self.fail(&error);
            Unavailable
        })
    }

    fn fail(&mut self, error: &anyhow::Error) {
        self.faults.tell(&format!("{error:#}"));
        self.failed = Some(Instant::now());
        self.close();
    }

    /// Closes the file, if it is one, until something is asked again. What its log beside it holds is then in it.
    fn close(&mut self) {
        if self.place.is_file() {
            self.store = None;
        }
    }
}

fn opened<'s>(store: &'s mut Option<Store>, place: &Place) -> anyhow::Result<&'s mut Store> {
    match store {
        Some(store) => Ok(store),
        None => Ok(store.insert(Store::open(place)?)),
    }
}
