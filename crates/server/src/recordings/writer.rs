//! The thread that writes recordings, and removes old ones.

use std::{
    collections::BTreeMap,
    io,
    sync::{
        Arc,
        atomic::Ordering,
        mpsc::{Receiver, RecvTimeoutError},
    },
    time::{Duration, Instant, SystemTime},
};

use game::Stage;
use protocol::GameId;
use replay::{Block, Header, RecordingWriter, Resumed, StageSource};

use super::{
    Message, RecordingContent, RecordingOptions, RecordingPiece, Shared,
    folder::{Folder, StoredRecording},
    lock,
};

/// How often old recordings are looked for.
const REMOVE_EVERY: Duration = Duration::from_secs(60);

pub(super) struct Writer {
    shared: Arc<Shared>,
    /// None: only what is kept in memory is recorded.
    options: Option<RecordingOptions>,
    open: BTreeMap<u64, OpenRecording>,
    removed: Option<Instant>,
}

/// A recording that goes on.
struct OpenRecording {
    writer: RecordingWriter,
    /// Bytes of its file.
    length: u64,
}

impl Writer {
    pub fn new(shared: Arc<Shared>, options: Option<RecordingOptions>) -> Writer {
        Writer { shared, options, open: BTreeMap::new(), removed: None }
    }

    /// Serves until every handle is gone.
    pub fn run(mut self, messages: &Receiver<Message>) {
        loop {
            if self.removed.is_none_or(|removed| removed.elapsed() >= REMOVE_EVERY) {
                self.remove_old();
                self.removed = Some(Instant::now());
            }
            let message = messages.recv_timeout(REMOVE_EVERY);
            self.break_off_crowded_out();
            match message {
                Ok(Message::Piece(piece)) => self.take(piece),
                // If nobody waits for an answer any more, nobody misses it.
                Ok(Message::Flush(reply)) => _ = reply.send(()),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Breaks off what a piece was lost of. No other piece may follow: that may have been the last.
    fn break_off_crowded_out(&mut self) {
        let crowded_out = std::mem::take(&mut *lock(&self.shared.crowded_out));
        for game in crowded_out {
            // A recording that misses a piece is none.
            lock(&self.shared.solo).forget(GameId(game));
            self.break_off(game, "too much is recorded at once");
        }
    }

    fn take(&mut self, piece: RecordingPiece) {
        let RecordingPiece { game, key, mut content } = piece;
        if let RecordingContent::Begin(header) = &mut content {
            self.add_map(&mut header.stage);
        }
        lock(&self.shared.solo).take(game, key, &content);
        if self.shared.folder.is_some() {
            self.write(game, content);
        }
    }

    fn write(&mut self, game: GameId, content: RecordingContent) {
        let result = match content {
            RecordingContent::Begin(header) => self.begin(game, &header),
            RecordingContent::Block(block) => self.append(game, &block),
        };
        if let Err(error) = result {
            self.break_off(game.0, &error.to_string());
        }
    }

    /// What is written so far can be watched.
    fn break_off(&mut self, game: u64, why: &str) {
        if self.open.remove(&game).is_some() {
            lock(&self.shared.finished).insert(game);
        }
        self.shared.fail(why);
    }

    fn begin(&mut self, game: GameId, header: &Header) -> io::Result<()> {
        let Some(folder) = &self.shared.folder else { return Ok(()) };
        lock(&self.shared.finished).remove(&game.0);
        let known = folder.read(game).and_then(|file| RecordingWriter::resume(&file).ok());
        let Resumed { writer, kept, tail } = known.unwrap_or_else(|| {
            let (writer, tail) = RecordingWriter::begin(header);
            Resumed { writer, kept: 0, tail }
        });
        folder.write(game, kept as u64, &tail)?;
        self.open.insert(game.0, OpenRecording { writer, length: (kept + tail.len()) as u64 });
        Ok(())
    }

    /// A stage that is not built in has to be in the file.
    fn add_map(&self, stage: &mut StageSource) {
        let Some(map) = self.options.as_ref().and_then(|options| options.map.as_ref()) else { return };
        if let Ok(own) = Stage::read(&stage.name, map)
            && own.fingerprint == stage.fingerprint
        {
            *stage = StageSource::with_map(&own, map);
        }
    }

    fn append(&mut self, game: GameId, block: &Block) -> io::Result<()> {
        // It broke off, which was counted then.
        let (Some(open), Some(folder)) = (self.open.get_mut(&game.0), &self.shared.folder) else { return Ok(()) };
        let mut writer = open.writer;
        let bytes = writer.block(block);
        folder.write(game, open.length, &bytes)?;
        open.writer = writer;
        open.length += bytes.len() as u64;
        self.shared.counts.blocks.fetch_add(1, Ordering::Relaxed);
        self.shared.counts.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        if block.is_last {
            self.open.remove(&game.0);
            lock(&self.shared.finished).insert(game.0);
        }
        Ok(())
    }

    /// Removes recordings that are too old, and the oldest of those that take too much room. Not those that go on.
    fn remove_old(&mut self) {
        let (Some(folder), Some(options)) = (&self.shared.folder, &self.options) else { return };
        let mut entries = folder.entries();
        entries.retain(|entry| !self.open.contains_key(&entry.game));
        entries.sort_by_key(|entry| (entry.written, entry.game));
        let mut bytes: u64 = entries.iter().map(|entry| entry.bytes).sum();
        for entry in entries {
            if is_too_old(options, &entry) || bytes > options.bytes_max {
                bytes -= entry.bytes;
                self.remove(folder, &entry);
            }
        }
    }

    fn remove(&self, folder: &Folder, entry: &StoredRecording) {
        match folder.remove(GameId(entry.game)) {
            Ok(()) => {
                lock(&self.shared.finished).remove(&entry.game);
                self.shared.counts.removed.fetch_add(1, Ordering::Relaxed);
            }
            Err(error) => tracing::warn!(target: "host", %error, "cannot remove an old recording"),
        }
    }
}

fn is_too_old(options: &RecordingOptions, entry: &StoredRecording) -> bool {
    let age = SystemTime::now().duration_since(entry.written).unwrap_or_default();
    options.kept_for.is_some_and(|kept_for| age > kept_for)
}
