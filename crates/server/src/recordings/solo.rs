//! Games that somebody plays alone, in memory: for that player only, who asks for them with a key that nobody else can guess.
//!
//! They are in no list, and gone when the node ends. Whatever players do, they take no more room than the limits below: what was
//! written longest ago makes room, whether its game goes on or is over.

use std::{collections::BTreeMap, sync::Arc};

use protocol::{GameId, RecordingKey};
use replay::RecordingWriter;
use subtle::ConstantTimeEq;

use super::{RecordingContent, SoloCounts};

/// Recordings at once, those that go on included. A player fetches one within seconds of its end.
const RECORDINGS_MAX: usize = 256;
/// Bytes of one: an hour of a single player.
const RECORDING_BYTES_MAX: usize = 512 << 10;
/// Bytes of all of them together.
const ALL_BYTES_MAX: usize = 16 << 20;

#[derive(Default)]
pub(super) struct SoloRecordings {
    by_game: BTreeMap<u64, SoloRecording>,
    bytes: usize,
    /// Counts what is written: the order in which recordings make room.
    writes: u64,
    dropped: u64,
}

struct SoloRecording {
    key: RecordingKey,
    writer: RecordingWriter,
    content: Content,
    written: u64,
}

enum Content {
    GoesOn(Vec<u8>),
    Finished(Arc<[u8]>),
}

impl Content {
    fn len(&self) -> usize {
        match self {
            Content::GoesOn(bytes) => bytes.len(),
            Content::Finished(bytes) => bytes.len(),
        }
    }
}

impl SoloRecordings {
    /// Takes a piece. Without a key the game is no longer played alone, and what there is of it is forgotten.
    pub fn take(&mut self, game: GameId, key: Option<RecordingKey>, content: &RecordingContent) {
        let earlier = self.remove(game.0);
        let Some(key) = key else { return };
        let recording = match content {
            RecordingContent::Begin(header) => {
                let (writer, bytes) = RecordingWriter::begin(header);
                Some(SoloRecording { key, writer, content: Content::GoesOn(bytes), written: 0 })
            }
            RecordingContent::Block(block) => earlier.and_then(|earlier| earlier.followed_by(block)),
        };
        if let Some(recording) = recording {
            self.put(game.0, recording);
        }
    }

    /// Forgets what there is of a game.
    pub fn forget(&mut self, game: GameId) {
        self.remove(game.0);
    }

    /// The recording of a key, if its game is over.
    pub fn find(&self, key: RecordingKey) -> Option<Arc<[u8]>> {
        // Nobody learns from the time that it takes how much of a guess is right.
        let found = self.by_game.values().find(|recording| recording.key.bytes().ct_eq(key.bytes()).into())?;
        match &found.content {
            Content::GoesOn(_) => None,
            Content::Finished(bytes) => Some(Arc::clone(bytes)),
        }
    }

    pub fn counts(&self) -> SoloCounts {
        SoloCounts { recordings: self.by_game.len(), bytes: self.bytes, dropped: self.dropped }
    }

    fn put(&mut self, game: u64, mut recording: SoloRecording) {
        let bytes = recording.content.len();
        if bytes > RECORDING_BYTES_MAX {
            self.dropped += 1;
            return;
        }
        while self.by_game.len() >= RECORDINGS_MAX || self.bytes + bytes > ALL_BYTES_MAX {
            let oldest = self.by_game.iter().min_by_key(|(_, recording)| recording.written).map(|(game, _)| *game);
            let Some(oldest) = oldest else { break };
            self.remove(oldest);
            self.dropped += 1;
        }
        self.writes += 1;
        recording.written = self.writes;
        self.bytes += bytes;
        self.by_game.insert(game, recording);
    }

    fn remove(&mut self, game: u64) -> Option<SoloRecording> {
        let removed = self.by_game.remove(&game)?;
        self.bytes -= removed.content.len();
        Some(removed)
    }
}

impl SoloRecording {
    /// None: nothing follows what is finished.
    fn followed_by(mut self, block: &replay::Block) -> Option<SoloRecording> {
        let Content::GoesOn(mut bytes) = self.content else { return None };
        bytes.extend(self.writer.block(block));
        self.content = if block.is_last { Content::Finished(bytes.into()) } else { Content::GoesOn(bytes) };
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use game::{Input, Rules, SEATS, Stage, World};
    use protocol::Token;
    use replay::{Block, Header, Recorder, Replay, verify};

    use super::*;

    fn key(game: u64) -> RecordingKey {
        RecordingKey::new(Token([9; 16]), GameId(game))
    }

    /// A game of two blocks: how it begins, its first part and its last.
    fn pieces() -> [RecordingContent; 3] {
        let mut world = World::new(Stage::endless(), Rules::default(), 5);
        let header = Box::new(Header::of(&world));
        let mut recorder = Recorder::new(&world);
        for _ in 0..100 {
            world.tick(&[Input::IDLE; SEATS]);
            recorder.tick(&[Input::IDLE; SEATS], &world);
        }
        let first = recorder.split(&world);
        [
            RecordingContent::Begin(header),
            RecordingContent::Block(first),
            RecordingContent::Block(recorder.finish(&world)),
        ]
    }

    fn play(recordings: &mut SoloRecordings, game: u64) {
        pieces().iter().for_each(|piece| recordings.take(GameId(game), Some(key(game)), piece));
    }

    #[test]
    fn a_game_that_is_over_is_found_by_its_key_alone() {
        let mut recordings = SoloRecordings::default();
        let [begin, first, last] = pieces();
        for piece in [begin, first] {
            recordings.take(GameId(1), Some(key(1)), &piece);
            assert!(recordings.find(key(1)).is_none(), "it goes on");
        }
        recordings.take(GameId(1), Some(key(1)), &last);
        let file = recordings.find(key(1)).expect("it is over");
        let replay = Replay::read(file.to_vec()).expect("it is whole");
        assert_eq!(verify(&replay).map(|verified| verified.ticks), Ok(100));
        assert!(recordings.find(key(2)).is_none());
        assert_eq!(recordings.counts(), SoloCounts { recordings: 1, bytes: file.len(), dropped: 0 });
    }

    #[test]
    fn company_ends_it_and_so_does_a_missing_beginning() {
        let mut recordings = SoloRecordings::default();
        let [begin, first, last] = pieces();
        recordings.take(GameId(1), Some(key(1)), &begin);
        recordings.take(GameId(1), None, &first);
        recordings.take(GameId(1), Some(key(1)), &last);
        assert_eq!(recordings.counts(), SoloCounts::default());
    }

    #[test]
    fn the_oldest_make_room_and_nothing_grows_without_end() {
        let mut recordings = SoloRecordings::default();
        let [begin, ..] = pieces();
        // Games that never end count as well.
        recordings.take(GameId(9_999), Some(key(9_999)), &begin);
        (0..RECORDINGS_MAX as u64 + 3).for_each(|game| play(&mut recordings, game));
        let counts = recordings.counts();
        assert_eq!((counts.recordings, counts.dropped), (RECORDINGS_MAX, 4));
        assert!(recordings.find(key(2)).is_none() && recordings.find(key(3)).is_some());
        assert_eq!(counts.bytes, recordings.by_game.values().map(|recording| recording.content.len()).sum::<usize>());
    }

    #[test]
    fn bytes_are_limited_of_one_and_of_all() {
        // Noise cannot be packed.
        let mut dice = game::Dice::new(3);
        let mut noise = |bytes: usize| -> RecordingContent {
            let body = (0..bytes).map(|_| dice.bits() as u8).collect();
            RecordingContent::Block(Block { ticks: 1, is_cut: false, is_last: false, body })
        };
        let mut recordings = SoloRecordings::default();
        let [begin, ..] = pieces();
        for game in 0..40 {
            recordings.take(GameId(game), Some(key(game)), &begin);
            recordings.take(GameId(game), Some(key(game)), &noise(500_000));
            assert!(recordings.counts().bytes <= ALL_BYTES_MAX);
        }
        assert!(recordings.counts().dropped >= 6, "{:?}", recordings.counts());
        let before = recordings.counts();
        recordings.take(GameId(39), Some(key(39)), &noise(100_000));
        let after = recordings.counts();
        assert_eq!(
            (after.dropped, after.recordings),
            (before.dropped + 1, before.recordings - 1),
            "it became too long"
        );
    }
}
