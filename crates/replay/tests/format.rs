//! The file: small, whole or refused, and refused with the place.

mod games;

use std::sync::Arc;

use game::{RULES_VERSION, Seat, Stage, stage::BUILT_IN};
use games::{RecordedGame, file};
use replay::{Block, Recorder, RecordingWriter, Reel, Replay, ReplayError, Resumed, StageSource, verify};

fn short_game() -> RecordedGame {
    let mut game = RecordedGame::new(Stage::endless(), 2, 5).with_fidgets();
    game.play(2100);
    game
}

/// Where a block tells what happened, behind its save.
fn ops_begin(block: &Block) -> usize {
    4 + u32::from_le_bytes(*block.body.first_chunk().expect("a length")) as usize
}

#[test]
fn ten_minutes_of_four_players_take_at_most_100_kb() {
    let mut game = RecordedGame::new(Stage::endless(), 4, 1).with_fidgets();
    game.play(10 * 60 * 60);
    let (header, blocks) = game.finish();
    let bytes = file(&header, &blocks).len();
    let without_saves: usize = blocks.iter().map(|block| packed(&block.body[ops_begin(block)..])).sum();
    println!("{bytes} bytes, of which saves are {} %", 100 - 100 * without_saves / bytes);
    assert!(bytes <= 100 << 10, "{bytes} bytes");
}

/// How many bytes are left of bytes that are packed.
fn packed(bytes: &[u8]) -> usize {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut encoder, bytes).expect("memory takes it");
    encoder.finish().expect("memory takes it").len()
}

#[test]
fn a_save_begins_as_the_page_says() {
    let mut game = RecordedGame::new(Stage::endless(), 1, 77);
    game.play(90);
    let save = game.world.save();
    let number = |at: usize, bytes: usize| {
        let mut number = [0; 8];
        number[..bytes].copy_from_slice(&save[at..at + bytes]);
        u64::from_le_bytes(number)
    };
    assert_eq!((save[0], number(1, 8)), (6, game.world.stage().fingerprint), "version, stage");
    // Co-op, no friendly fire, 9 lives, normal, endless: nothing follows the mode.
    assert_eq!(save[9..14], [0, 0, 9, 1, 1], "rules, as in the header");
    assert_eq!(number(14, 8), 77, "seed");
    assert_eq!(number(30, 8), 180, "steps: two each tick");
    assert_eq!(number(38, 4), game.world.ids_end().into(), "the next id");
    assert_eq!((save[42], save[43]), (1, 0), "it runs, for the first time");
    assert_eq!(number(44, 4), 180, "steps for which it has run");
    assert_eq!(number(52, 8) / 256, game.world.frame().scroll_px.into(), "how far it has scrolled");
}

#[test]
fn a_changed_byte_is_found_and_where() {
    let whole = short_game().file();
    for index in (0..whole.len()).step_by(1 + whole.len() / 900) {
        let mut changed = whole.clone();
        changed[index] ^= 0x10;
        match Replay::read(changed) {
            Err(ReplayError::Damaged { from, to, .. }) => {
                assert!((from..to).contains(&index), "{index}: {from} to {to}")
            }
            // A changed length leads beyond the end; the versions and the first bytes are looked at before the rest.
            Err(ReplayError::CutShort { byte }) => assert!(byte == 0 || (byte..byte + 7).contains(&index), "{index}"),
            Err(ReplayError::NotAReplay) => assert!(index < 7),
            Err(ReplayError::OtherFormat(_)) => assert_eq!(index, 7),
            Err(ReplayError::OtherRules(_)) => assert!((8..10).contains(&index)),
            other => panic!("byte {index}: {:?}", other.err()),
        }
    }
}

#[test]
fn a_file_that_is_cut_short_is_refused_or_ends_with_a_block() {
    let whole = short_game().file();
    let mut ends = 0;
    for length in (0..whole.len()).step_by(1 + whole.len() / 900).chain(whole.len() - 20..whole.len()) {
        match Replay::read(whole[..length].to_vec()) {
            Ok(replay) => {
                assert!(!replay.is_finished());
                ends += 1;
            }
            Err(ReplayError::CutShort { byte }) => assert!(byte <= length),
            Err(ReplayError::NotAReplay) => assert!(length < 7),
            Err(other) => panic!("{length} bytes: {other:?}"),
        }
    }
    assert!(ends <= 1, "the game has two blocks");
    let (mut longer, end) = (whole.clone(), whole.len());
    longer.push(0);
    assert_eq!(Replay::read(longer).err(), Some(ReplayError::TrailingBytes { byte: end }));
}

#[test]
fn another_game_behind_right_hashes_is_found_by_simulating() {
    let mut game = RecordedGame::new(Stage::endless(), 2, 5);
    game.play(2100);
    let (header, mut blocks) = game.finish();
    // The first thing that a player holds after the save: something else. Ops before it are runs of one byte.
    let from = ops_begin(&blocks[1]);
    let body = &mut blocks[1].body;
    let hold = (from..).find(|&at| body[at] & !3 == 0x80).expect("a player holds something");
    body[hold + 1] ^= 0x01;
    let replay = Replay::read(file(&header, &blocks)).expect("the chain is whole");
    let Err(ReplayError::Differs { same_until, by }) = verify(&replay) else { panic!("it is another game") };
    assert!(same_until >= 1800 && by <= same_until + 60, "{same_until} to {by}");
}

#[test]
fn a_save_that_does_not_fit_is_found() {
    let (header, mut blocks) = short_game().finish();
    let other = RecordedGame::new(Stage::endless(), 2, 6).finish().1.remove(0);
    let from = ops_begin(&blocks[1]);
    let ops = blocks[1].body.split_off(from);
    blocks[1].body = [other.body, ops].concat();
    let replay = Replay::read(file(&header, &blocks)).expect("the chain is whole");
    assert!(matches!(verify(&replay), Err(ReplayError::Differs { by: 1800, .. })));
}

#[test]
fn nonsense_behind_right_hashes_is_refused() {
    let (header, blocks) = short_game().finish();
    let with = |body: Vec<u8>, ticks: u16| {
        let block = Block { ticks, body, ..blocks[1].clone() };
        let replay = Replay::read(file(&header, &[blocks[0].clone(), block])).expect("the chain is whole");
        verify(&replay).err()
    };
    let nonsense = ReplayError::Impossible { from_tick: 1800, to_tick: 2100 };
    let body = &blocks[1].body;
    for wrong in [Vec::new(), vec![0xff; 4], vec![0; 600 << 10], body[..200].to_vec(), [body, &[0xff][..]].concat()] {
        assert_eq!(with(wrong, 300), Some(nonsense.clone()));
    }
    assert_eq!(with(body.clone(), 301), Some(ReplayError::Impossible { from_tick: 1800, to_tick: 2101 }));
    assert_eq!(with(body.clone(), 299), Some(ReplayError::Impossible { from_tick: 1800, to_tick: 2099 }));
    let hash = &body[body.len() - 9..];
    assert_eq!(with([body, hash].concat(), 300), Some(nonsense), "the same hash twice costs time for nothing");
}

#[test]
fn other_rules_are_refused_with_the_version_that_they_need() {
    let mut bytes = short_game().file();
    bytes[8..10].copy_from_slice(&(RULES_VERSION + 7).to_le_bytes());
    let error = Replay::read(bytes).expect_err("no other rules are known");
    assert_eq!(error, ReplayError::OtherRules(RULES_VERSION + 7));
    let (needed, ours) = (RULES_VERSION + 7, RULES_VERSION);
    assert_eq!(
        error.to_string(),
        format!("it needs a Volley with rules version {needed}, and this one has version {ours}")
    );
}

#[test]
fn a_stage_of_ones_own_is_in_the_file_and_a_built_in_one_is_not() {
    let (_, map) = BUILT_IN[1];
    let own = map.replace("title", "Title").replace("Title", "title").replacen("<map ", "<map  ", 1);
    let stage = Arc::new(Stage::read("mine", own.as_bytes()).expect("a stage"));
    let mut game = RecordedGame::new(Arc::clone(&stage), 1, 3);
    game.play(100);
    let (mut header, blocks) = game.finish();
    assert_eq!(Replay::read(file(&header, &blocks)).err(), Some(ReplayError::UnknownStage("mine".into())));
    header.stage = StageSource::with_map(&stage, own.as_bytes());
    let replay = Replay::read(file(&header, &blocks)).expect("the stage is in it");
    assert_eq!((replay.stage().name.as_str(), replay.stage().fingerprint), ("mine", stage.fingerprint));
    verify(&replay).expect("it is the same game");
    let built_in = Stage::built_in("stage1").expect("it is built in");
    assert_eq!(StageSource::with_map(&built_in, map.as_bytes()).map, None);
}

#[test]
fn a_recording_goes_on_after_a_node_was_restarted() {
    let mut game = short_game();
    game.blocks.push(game.recorder.split(&game.world));
    let (writer, mut bytes) = RecordingWriter::begin(&game.header);
    let mut writer = writer;
    game.blocks.iter().for_each(|block| bytes.extend(writer.block(block)));
    let whole = bytes.len();
    // The last write was interrupted, and a second was lost.
    bytes.extend([0xb0, 1, 2, 3]);
    (0..60).for_each(|_| game.world.tick(&Default::default()));
    let Resumed { mut writer, kept, tail } = RecordingWriter::resume(&bytes).expect("it can be gone on with");
    assert_eq!((kept, tail.len()), (whole, 0));
    bytes.truncate(kept);
    game.recorder = Recorder::after_gap(&game.world);
    game.play(100);
    let recorder = std::mem::replace(&mut game.recorder, Recorder::new(&game.world));
    bytes.extend(writer.block(&recorder.finish(&game.world)));
    let replay = Replay::read(bytes).expect("it is whole");
    assert!(replay.has_gaps() && replay.is_finished());
    assert_eq!((replay.ticks(), verify(&replay).map(|verified| verified.ticks)), (2200, Ok(2200)));
    // Somebody came back, after everybody had left.
    let Resumed { mut writer, kept, tail } = RecordingWriter::resume(replay.bytes()).expect("it can be gone on with");
    let mut bytes = [&replay.bytes()[..kept], &tail].concat();
    let unfinished = Replay::read(bytes.clone()).expect("it is whole");
    assert_eq!((unfinished.is_finished(), unfinished.ticks(), bytes.len()), (false, 2200, replay.bytes().len()));
    bytes.extend(writer.block(&Recorder::after_gap(&game.world).finish(&game.world)));
    let replay = Replay::read(bytes).expect("it is whole");
    assert_eq!((replay.is_finished(), verify(&replay).map(|verified| verified.ticks)), (true, Ok(2200)));
}

#[test]
fn names_and_chat_are_known_where_they_belong() {
    let mut game = RecordedGame::new(Stage::endless(), 2, 9);
    game.recorder.name(Seat::ALL[1], "Zoë");
    game.play(1900);
    game.recorder.say(Seat::ALL[1], "there it is");
    game.play(10);
    let replay = Replay::read(game.file()).expect("it is whole");
    let mut reel = Reel::new(&replay).expect("it plays");
    let mut frame = game::Frame::default();
    reel.seek(1800).expect("there is such a moment");
    reel.frame_into(&mut frame);
    assert_eq!([0, 1].map(|seat: usize| frame.names[seat].as_str().to_owned()), ["", "Zoë"]);
    reel.seek(1901).expect("there is such a moment");
    assert_eq!(reel.chat().iter().map(|chat| chat.text.as_str()).collect::<Vec<_>>(), ["there it is"]);
    reel.seek(1902).expect("there is such a moment");
    assert!(reel.chat().is_empty());
}
