//! Saves: the lobbies that have players, on disk, so that the next process of the node can go on with them (ruling C16).
//!
//! A shard puts the save of a lobby into memory every 750 ms; a thread of its own writes all of them, every 250 ms, into one file: so a
//! second is lost at most. Where there are so many that this would take more than a hundredth of a core, it writes less often.
//! Nothing here makes the game wait. If the disk fails, the saves are lost, which is counted and logged at most once a
//! minute, and the game goes on.

mod file;
mod saved_lobby;

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use protocol::{LobbyId, Time};

pub use saved_lobby::NotRestored;
pub(crate) use saved_lobby::{SavedBot, SavedGame, SavedLobby, SavedPlayer, SavedSeat};

use self::file::{Contents, SaveFiles};
use crate::log_limit::OncePerMinute;

/// How often a lobby is saved.
pub(crate) const SAVE_EVERY: Duration = Duration::from_millis(750);
/// How often the file is written: at most, and at least.
const WRITE_EVERY: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(1));
/// The pause between two writes is at least this many times as long as the last one took.
const PAUSE_FACTOR: u32 = 100;
/// Saves that could not be renewed for this long are removed: nobody wants to go back that far.
const STALE_AFTER: Duration = Duration::from_secs(10);
/// A save from further ahead in time than this is not restored: the clock that it was made by was wrong.
const AHEAD_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// The saves of a node. Clones share them.
#[derive(Clone, Default)]
pub struct Saves(Arc<Shared>);

#[derive(Default)]
struct Shared {
    lobbies: Mutex<BTreeMap<LobbyId, Arc<[u8]>>>,
    /// Rises whenever they change.
    changes: AtomicU64,
    /// The time of the newest of them, in microseconds since 1970.
    latest: AtomicU64,
    written: AtomicU64,
    failed: AtomicU64,
    restored: AtomicUsize,
    refused: AtomicUsize,
    log: OncePerMinute,
    /// To the thread that writes; none: nothing is written.
    writer: Mutex<Option<SyncSender<Flush>>>,
}

/// A request to write what there is, whether it was written before or not. Answered when that is done.
struct Flush(SyncSender<bool>);

/// What an earlier process of the node left.
#[derive(Debug, Default)]
pub struct Left {
    /// The lobbies, each as it was saved.
    pub lobbies: Vec<Vec<u8>>,
    /// When they were saved. The clock of the node must not go back behind this.
    pub saved: Option<Time>,
}

impl Left {
    /// What is in a file, as far as it is whole. None: it is not one of ours.
    pub fn decode(file: &[u8]) -> Option<Left> {
        file::decode(file).map(Left::from)
    }
}

impl From<Contents> for Left {
    fn from(contents: Contents) -> Left {
        Left { lobbies: contents.lobbies, saved: Some(contents.written) }
    }
}

/// Figures for the metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SaveCounts {
    /// Lobbies that are saved.
    pub lobbies: usize,
    /// How often the file was written.
    pub written: u64,
    /// How often it could not be.
    pub failed: u64,
    /// Lobbies that were restored at the start.
    pub restored: usize,
    /// Lobbies that were not.
    pub refused: usize,
}

impl Saves {
    /// Reads what is left in a data directory. What cannot be used is logged.
    pub fn read(directory: &Path) -> Left {
        let (contents, errors) = SaveFiles::in_directory(directory).read();
        for (path, error) in errors {
            tracing::warn!(target: "host", %error, "cannot use the saved lobbies in {}", path.display());
        }
        let Some(contents) = contents else { return Left::default() };
        if contents.damaged > 0 {
            tracing::warn!(target: "host", lobbies = contents.damaged, "saved lobbies are damaged and are not restored");
        }
        if contents.written > system_time() + AHEAD_MAX {
            let lobbies = contents.lobbies.len();
            tracing::warn!(target: "host", lobbies, "lobbies were saved by a clock that was far ahead; they are not restored");
            return Left::default();
        }
        contents.into()
    }

    /// From now on everything is written to a data directory, over what is there.
    pub fn keep_in(&self, directory: &Path) -> anyhow::Result<()> {
        let (sender, receiver) = sync_channel(1);
        let files = SaveFiles::in_directory(directory);
        let sequence = files.read().0.map_or(0, |contents| contents.next_sequence());
        let writer =
            Writer { saves: self.clone(), files, sequence, seen: None, good: Instant::now(), is_failing: false };
        thread::Builder::new().name("saves".into()).spawn(move || writer.run(&receiver))?;
        *lock(&self.0.writer) = Some(sender);
        Ok(())
    }

    /// Whether anything is written at all.
    pub fn are_kept(&self) -> bool {
        lock(&self.0.writer).is_some()
    }

    /// Keeps a lobby as it is now.
    pub fn put(&self, now: Time, lobby: LobbyId, bytes: Vec<u8>) {
        lock(&self.0.lobbies).insert(lobby, bytes.into());
        self.0.latest.fetch_max(now.micros(), Ordering::Relaxed);
        self.0.changes.fetch_add(1, Ordering::Release);
    }

    /// A lobby has no players any more.
    pub fn forget(&self, lobby: LobbyId) {
        lock(&self.0.lobbies).remove(&lobby);
        self.0.changes.fetch_add(1, Ordering::Release);
    }

    /// Writes what there is, so that it survives a power cut as well, and returns whether that worked in time.
    pub fn flush(&self, patience: Duration) -> bool {
        let Some(writer) = lock(&self.0.writer).clone() else { return true };
        let (sender, receiver) = sync_channel(1);
        writer.try_send(Flush(sender)).is_ok() && receiver.recv_timeout(patience) == Ok(true)
    }

    /// Notes what became of what an earlier process left.
    pub fn note_restored(&self, restored: usize, refused: usize) {
        self.0.restored.fetch_add(restored, Ordering::Relaxed);
        self.0.refused.fetch_add(refused, Ordering::Relaxed);
    }

    pub fn counts(&self) -> SaveCounts {
        SaveCounts {
            lobbies: lock(&self.0.lobbies).len(),
            written: self.0.written.load(Ordering::Relaxed),
            failed: self.0.failed.load(Ordering::Relaxed),
            restored: self.0.restored.load(Ordering::Relaxed),
            refused: self.0.refused.load(Ordering::Relaxed),
        }
    }

    /// The bytes of all lobbies. While the lock is held, only pointers to them are copied.
    fn all(&self) -> Vec<Arc<[u8]>> {
        lock(&self.0.lobbies).values().cloned().collect()
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing panics between two changes that belong together.
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn system_time() -> Time {
    Time::from_micros(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros() as u64)
}

/// The thread that writes.
struct Writer {
    saves: Saves,
    files: SaveFiles,
    /// That of the file that is written next.
    sequence: u64,
    /// The changes that are written.
    seen: Option<u64>,
    /// When the files were last as they should be.
    good: Instant,
    is_failing: bool,
}

impl Writer {
    fn run(mut self, flushes: &Receiver<Flush>) {
        let mut due = Instant::now() + WRITE_EVERY.0;
        loop {
            match flushes.recv_timeout(due.saturating_duration_since(Instant::now())) {
                Ok(Flush(reply)) => {
                    let is_written = self.write(true);
                    // If nobody waits for an answer any more, nobody misses it.
                    let _ = reply.send(is_written);
                }
                Err(RecvTimeoutError::Timeout) => {
                    let began = Instant::now();
                    self.write(false);
                    due = Instant::now() + (began.elapsed() * PAUSE_FACTOR).clamp(WRITE_EVERY.0, WRITE_EVERY.1);
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Writes what has changed; whether the files are as they should be.
    fn write(&mut self, syncs: bool) -> bool {
        let changes = self.saves.0.changes.load(Ordering::Acquire);
        if self.seen == Some(changes) && !syncs {
            self.good = Instant::now();
            return true;
        }
        let lobbies = self.saves.all();
        let written = match lobbies.is_empty() {
            true => self.files.remove(),
            false => self.files.write(self.sequence, self.time(), &lobbies, syncs),
        };
        match written {
            Ok(()) => {
                (self.seen, self.good) = (Some(changes), Instant::now());
                self.sequence += 1;
                self.saves.0.written.fetch_add(1, Ordering::Relaxed);
                if std::mem::take(&mut self.is_failing) {
                    tracing::info!(target: "host", "saving lobbies works again");
                }
                true
            }
            Err(error) => {
                self.fail(&error);
                false
            }
        }
    }

    /// The clock of the node may be ahead of the system's, which can be set back.
    fn time(&self) -> Time {
        system_time().max(Time::from_micros(self.saves.0.latest.load(Ordering::Relaxed)))
    }

    /// The next attempt is made on the same file, so that the other one stays whole, but not for ever.
    fn fail(&mut self, error: &std::io::Error) {
        self.is_failing = true;
        self.saves.0.failed.fetch_add(1, Ordering::Relaxed);
        if self.saves.0.log.is_due(Instant::now()) {
            tracing::error!(target: "host", %error, "cannot save lobbies: their games end with this process; the game goes on");
        }
        if self.good.elapsed() >= STALE_AFTER {
            // If that fails as well, there is nothing left to try.
            let _ = self.files.remove();
        }
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(20);

    const NOW: Time = Time::from_micros(1_700_000_000_000_000);

    fn id(number: u32) -> LobbyId {
        LobbyId::from_number(number)
    }

    #[test]
    fn what_is_put_is_written_within_seconds_and_what_is_forgotten_goes() {
        let folder = TempDir::new().expect("a folder");
        let saves = Saves::default();
        saves.keep_in(folder.path()).expect("a thread");
        saves.put(NOW, id(1), b"one".to_vec());
        saves.put(NOW, id(2), b"two".to_vec());
        saves.put(NOW, id(1), b"one again".to_vec());
        let began = Instant::now();
        while Saves::read(folder.path()).lobbies.len() < 2 {
            assert!(began.elapsed() < PATIENCE, "it is never written");
            thread::sleep(Duration::from_millis(20));
        }
        assert!(saves.flush(PATIENCE));
        let left = Saves::read(folder.path());
        assert_eq!(left.lobbies, [b"one again".to_vec(), b"two".to_vec()]);
        assert!(left.saved.is_some_and(|saved| system_time().since(saved) < PATIENCE));
        saves.forget(id(1));
        assert!(saves.flush(PATIENCE));
        assert_eq!(Saves::read(folder.path()).lobbies, [b"two".to_vec()]);
        saves.forget(id(2));
        assert!(saves.flush(PATIENCE));
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0, "old saves are removed");
        assert_eq!(saves.counts().failed, 0);
    }

    #[test]
    fn the_next_process_goes_on_counting_so_that_what_is_newer_is_known() {
        let folder = TempDir::new().expect("a folder");
        for round in 0..5_u8 {
            let saves = Saves::default();
            saves.keep_in(folder.path()).expect("a thread");
            saves.put(NOW, id(1), vec![round]);
            assert!(saves.flush(PATIENCE));
            assert_eq!(Saves::read(folder.path()).lobbies, [vec![round]]);
        }
    }

    // Not even root can make a file there.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_disk_that_cannot_be_written_costs_the_saves_and_is_counted() {
        let saves = Saves::default();
        saves.keep_in(Path::new("/proc/self")).expect("a thread");
        saves.put(NOW, id(1), b"one".to_vec());
        assert!(!saves.flush(PATIENCE));
        assert!(saves.counts().failed >= 1);
        assert_eq!(saves.counts().lobbies, 1, "the game goes on");
    }

    #[test]
    fn saves_of_a_clock_that_was_far_ahead_are_not_taken_up() {
        let folder = TempDir::new().expect("a folder");
        let files = SaveFiles::in_directory(folder.path());
        let ahead = system_time() + AHEAD_MAX * 2;
        files.write(1, ahead, &[b"one"], false).expect("it is written");
        let left = Saves::read(folder.path());
        assert!(left.lobbies.is_empty() && left.saved.is_none());
    }
}
