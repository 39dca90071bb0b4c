//! Recorded games: on disk, a file each, in a directory that the host chose; and in memory the last ones that somebody played
//! alone, for those players only (`solo.rs`). A thread of its own packs and writes them.
//!
//! Nothing here makes the game wait. A disk that is full, or so slow that pieces pile up, costs recordings, which is counted and
//! logged at most once a minute; the games go on. Old files are removed. Start reading at [`Recordings`].

mod folder;
mod solo;
mod writer;

use std::{
    collections::BTreeSet,
    fs::File,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc::{SyncSender, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use protocol::{GameId, RecordingKey};
use replay::{Block, Header};

use self::{folder::Folder, solo::SoloRecordings, writer::Writer};
use crate::log_limit::OncePerMinute;

/// Pieces on their way to the thread that writes: half a minute of a game each.
const QUEUE_MAX: usize = 1024;

/// What a host chooses.
#[derive(Clone, Debug)]
pub struct RecordingOptions {
    /// Where the files are.
    pub directory: PathBuf,
    /// For how long a file is kept; none: for ever.
    pub kept_for: Option<Duration>,
    /// What all files together may take, in bytes.
    pub bytes_max: u64,
    pub names_and_chat: NamesAndChat,
    /// The map of the host's own stage, if there is one.
    pub map: Option<Arc<[u8]>>,
}

/// What becomes of names and chat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamesAndChat {
    Recorded,
    LeftOut,
}

/// Which games are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedGames {
    /// None at all.
    None,
    /// Those that somebody plays alone, for that player.
    Solo,
    /// All of them, because the host wants it.
    All(NamesAndChat),
}

/// A piece of a recorded game.
#[derive(Clone, Debug)]
pub struct RecordingPiece {
    pub game: GameId,
    /// If somebody plays it alone: what they will ask for it by.
    pub key: Option<RecordingKey>,
    pub content: RecordingContent,
}

/// What a piece is.
#[derive(Clone, Debug)]
pub enum RecordingContent {
    /// The recording begins, or goes on after a gap.
    Begin(Box<Header>),
    /// Its next part.
    Block(Block),
}

/// The recordings of a node. Clones share them.
#[derive(Clone)]
pub struct Recordings {
    shared: Arc<Shared>,
    writer: SyncSender<Message>,
}

struct Shared {
    /// None: the host records nothing.
    folder: Option<Folder>,
    games: RecordedGames,
    solo: Mutex<SoloRecordings>,
    /// Games whose recordings have come to their end.
    finished: Mutex<BTreeSet<u64>>,
    /// Games of which a piece could not be taken.
    crowded_out: Mutex<BTreeSet<u64>>,
    counts: Counts,
    log: OncePerMinute,
}

#[derive(Default)]
struct Counts {
    blocks: AtomicU64,
    bytes: AtomicU64,
    failed: AtomicU64,
    removed: AtomicU64,
}

enum Message {
    Piece(RecordingPiece),
    /// Answer when everything before this is written.
    Flush(SyncSender<()>),
}

/// Figures for the metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordingCounts {
    /// Recordings that can be watched.
    pub recordings: usize,
    /// Blocks that were written.
    pub blocks: u64,
    /// Bytes that were written.
    pub bytes: u64,
    /// Recordings that broke off because something could not be written.
    pub failed: u64,
    /// Files that were removed because they were too old, or too many.
    pub removed: u64,
    pub solo: SoloCounts,
}

/// Figures of the games that are kept in memory, for those who played them alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SoloCounts {
    /// Recordings, those that go on included.
    pub recordings: usize,
    /// Bytes of them.
    pub bytes: usize,
    /// How many had to make room for others, or became too long.
    pub dropped: u64,
}

impl Recordings {
    /// Records into a directory, which is made if it is not there. Fails if it cannot be made.
    pub fn keep_in(options: RecordingOptions) -> anyhow::Result<Recordings> {
        let folder = Folder::open(&options.directory)?;
        Recordings::start(Some(folder), Some(options))
    }

    /// Keeps only what somebody plays alone, in memory.
    pub fn in_memory() -> anyhow::Result<Recordings> {
        Recordings::start(None, None)
    }

    fn start(folder: Option<Folder>, options: Option<RecordingOptions>) -> anyhow::Result<Recordings> {
        let finished = Mutex::new(folder.as_ref().map(Folder::games).unwrap_or_default());
        let shared = Arc::new(Shared {
            folder,
            games: options.as_ref().map_or(RecordedGames::Solo, |options| RecordedGames::All(options.names_and_chat)),
            solo: Mutex::default(),
            finished,
            crowded_out: Mutex::default(),
            counts: Counts::default(),
            log: OncePerMinute::default(),
        });
        let (sender, messages) = sync_channel(QUEUE_MAX);
        let writer = Writer::new(Arc::clone(&shared), options);
        thread::Builder::new().name("recordings".into()).spawn(move || writer.run(&messages))?;
        Ok(Recordings { shared, writer: sender })
    }

    /// Which games are to be recorded.
    pub fn games(&self) -> RecordedGames {
        self.shared.games
    }

    /// Takes a piece. Never waits: if too many are on their way, that recording breaks off.
    pub fn offer(&self, piece: RecordingPiece) {
        let game = piece.game;
        if self.writer.try_send(Message::Piece(piece)).is_err() {
            lock(&self.shared.crowded_out).insert(game.0);
        }
    }

    /// Whether the recording of a game can be watched.
    pub fn has(&self, game: GameId) -> bool {
        lock(&self.shared.finished).contains(&game.0)
    }

    /// The file of a game that can be watched, and its length.
    pub fn file(&self, game: GameId) -> Option<(File, u64)> {
        self.shared.folder.as_ref()?.file(game).filter(|_| self.has(game))
    }

    /// The recording of a game that somebody played alone, while it is kept.
    pub fn solo(&self, key: RecordingKey) -> Option<Arc<[u8]>> {
        lock(&self.shared.solo).find(key)
    }

    /// Waits until everything that was offered so far is written. False: it took too long.
    pub fn flush(&self, patience: Duration) -> bool {
        let (reply, answer) = sync_channel(1);
        self.writer.try_send(Message::Flush(reply)).is_ok() && answer.recv_timeout(patience).is_ok()
    }

    pub fn counts(&self) -> RecordingCounts {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let counts = &self.shared.counts;
        RecordingCounts {
            recordings: lock(&self.shared.finished).len(),
            blocks: count(&counts.blocks),
            bytes: count(&counts.bytes),
            failed: count(&counts.failed),
            removed: count(&counts.removed),
            solo: lock(&self.shared.solo).counts(),
        }
    }
}

impl Shared {
    /// A recording was cut short.
    fn fail(&self, why: &str) {
        self.counts.failed.fetch_add(1, Ordering::Relaxed);
        if self.log.is_due(Instant::now()) {
            tracing::error!(target: "host", why, "a recording was cut short; the game goes on");
        }
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing panics between two changes that belong together.
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Read, path::Path};

    use game::{Input, Rules, SEATS, Stage, World};
    use replay::{EXTENSION, Recorder, Replay, verify};
    use tempfile::TempDir;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(20);

    fn options(directory: &Path) -> RecordingOptions {
        RecordingOptions {
            directory: directory.into(),
            kept_for: None,
            bytes_max: 1 << 20,
            names_and_chat: NamesAndChat::LeftOut,
            map: None,
        }
    }

    /// A game that begins, and goes on for a minute and ten seconds: three blocks.
    fn pieces(game: GameId) -> Vec<RecordingPiece> {
        let mut world = World::new(Stage::endless(), Rules::default(), game.0);
        let header = Box::new(Header { game: game.0, ..Header::of(&world) });
        let mut contents = vec![RecordingContent::Begin(header)];
        let mut recorder = Recorder::new(&world);
        for _ in 0..4200 {
            world.tick(&[Input::IDLE; SEATS]);
            recorder.tick(&[Input::IDLE; SEATS], &world);
            if recorder.is_full() {
                contents.push(RecordingContent::Block(recorder.split(&world)));
            }
        }
        contents.push(RecordingContent::Block(recorder.finish(&world)));
        contents.into_iter().map(|content| RecordingPiece { game, key: None, content }).collect()
    }

    fn read(recordings: &Recordings, game: GameId) -> Option<Vec<u8>> {
        let (mut file, length) = recordings.file(game)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).expect("it can be read");
        assert_eq!(bytes.len() as u64, length);
        Some(bytes)
    }

    #[test]
    fn what_was_offered_can_be_read_and_verified_once_it_is_over() {
        let folder = TempDir::new().expect("a folder");
        let recordings = Recordings::keep_in(options(&folder.path().join("new"))).expect("a thread");
        let mut pieces = pieces(GameId(7));
        let last = pieces.pop().expect("a last piece");
        pieces.into_iter().for_each(|piece| recordings.offer(piece));
        assert!(recordings.flush(PATIENCE));
        assert!(!recordings.has(GameId(7)) && read(&recordings, GameId(7)).is_none(), "it still goes on");
        recordings.offer(last);
        assert!(recordings.flush(PATIENCE));
        let replay = Replay::read(read(&recordings, GameId(7)).expect("it is over")).expect("it is whole");
        assert_eq!((verify(&replay).map(|verified| verified.ticks), replay.is_finished()), (Ok(4200), true));
        assert_eq!((recordings.counts().blocks, recordings.counts().failed), (3, 0));
        let next = Recordings::keep_in(options(&folder.path().join("new"))).expect("a thread");
        assert!(next.has(GameId(7)), "the next process finds it");
    }

    #[test]
    fn the_oldest_are_removed_when_there_are_too_many() {
        let folder = TempDir::new().expect("a folder");
        let name = |game: u64| folder.path().join(format!("{}.{EXTENSION}", GameId(game)));
        for game in 0..10 {
            fs::write(name(game), [0; 10_000]).expect("it is written");
        }
        fs::write(folder.path().join("notes.txt"), [0; 5000]).expect("it is written");
        let recordings = Recordings::keep_in(RecordingOptions { bytes_max: 45_000, ..options(folder.path()) });
        let recordings = recordings.expect("a thread");
        assert!(recordings.flush(PATIENCE));
        assert_eq!((recordings.counts().removed, recordings.counts().recordings), (7, 3));
        assert!(folder.path().join("notes.txt").exists(), "other files are left alone");
        let none = RecordingOptions { kept_for: Some(Duration::ZERO), ..options(folder.path()) };
        let recordings = Recordings::keep_in(none).expect("a thread");
        assert!(recordings.flush(PATIENCE));
        assert_eq!(recordings.counts().recordings, 0);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn small_files_count_with_the_blocks_that_they_take() {
        use std::os::unix::fs::MetadataExt;
        let folder = TempDir::new().expect("a folder");
        let name = |game: u64| folder.path().join(format!("{}.{EXTENSION}", GameId(game)));
        for game in 0..10 {
            fs::write(name(game), [7]).expect("it is written");
        }
        let block = fs::metadata(name(0)).expect("it is there").blocks() * 512;
        let few = RecordingOptions { bytes_max: block.max(1) * 4, ..options(folder.path()) };
        let recordings = Recordings::keep_in(few).expect("a thread");
        assert!(recordings.flush(PATIENCE));
        assert_eq!(recordings.counts().recordings, 4);
    }

    #[test]
    fn a_recording_whose_last_piece_is_crowded_out_is_over_all_the_same() {
        let folder = TempDir::new().expect("a folder");
        let recordings = Recordings::keep_in(options(folder.path())).expect("a thread");
        let mut pieces = pieces(GameId(1));
        let _lost = pieces.pop().expect("a last piece");
        pieces.into_iter().for_each(|piece| recordings.offer(piece));
        assert!(recordings.flush(PATIENCE) && !recordings.has(GameId(1)));
        lock(&recordings.shared.crowded_out).insert(1);
        assert!(recordings.flush(PATIENCE));
        assert!(recordings.has(GameId(1)), "what was written can be watched");
        assert!(lock(&recordings.shared.crowded_out).is_empty());
        assert_eq!(recordings.counts().failed, 1);
    }

    // Not even root can make a file there.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_that_cannot_be_written_is_refused() {
        assert!(Recordings::keep_in(options(Path::new("/proc/self"))).is_err());
    }

    #[test]
    fn a_disk_that_cannot_be_written_costs_the_recording_and_is_counted() {
        let folder = TempDir::new().expect("a folder");
        let recordings = Recordings::keep_in(options(&folder.path().join("gone"))).expect("a thread");
        fs::remove_dir(folder.path().join("gone")).expect("somebody removes it");
        pieces(GameId(1)).into_iter().for_each(|piece| recordings.offer(piece));
        assert!(recordings.flush(PATIENCE));
        assert_eq!((recordings.counts().failed, recordings.counts().blocks), (1, 0));
        assert!(!recordings.has(GameId(1)));
    }

    #[test]
    fn a_disk_that_fails_in_the_middle_leaves_what_was_written() {
        let folder = TempDir::new().expect("a folder");
        let recordings = Recordings::keep_in(options(folder.path())).expect("a thread");
        let mut pieces = pieces(GameId(1));
        let last = pieces.pop().expect("a last piece");
        pieces.into_iter().for_each(|piece| recordings.offer(piece));
        assert!(recordings.flush(PATIENCE));
        let path = folder.path().join(format!("{}.{EXTENSION}", GameId(1)));
        let written = fs::read(&path).expect("it is there");
        fs::remove_file(&path).expect("it is removed");
        fs::create_dir(&path).expect("now nothing can be written there");
        recordings.offer(last);
        assert!(recordings.flush(PATIENCE));
        assert_eq!((recordings.counts().failed, recordings.counts().blocks), (1, 2));
        let replay = Replay::read(written).expect("it is whole");
        assert!(!replay.is_finished() && verify(&replay).is_ok());
    }
}
