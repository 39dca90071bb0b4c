//! Any bytes as a replay: refused, or played to its end or to an error, without a panic.
//!
//! The first byte chooses whether the rest is a whole file, or the body of a block in a file whose hashes are right: so that the
//! fuzzer does not spend its time on guessing hashes.

#![no_main]

use std::sync::LazyLock;

use game::{Rules, Seat, Stage, World};
use libfuzzer_sys::fuzz_target;
use replay::{Block, Header, MomentIndex, Recorder, RecordingWriter, Reel, Replay, verify};

/// Longer games only take longer.
const TICKS_MAX: u32 = 7200;

/// A real game: its header, and a block that has only just begun.
static GAME: LazyLock<(Header, Block)> = LazyLock::new(|| {
    let mut world = World::new(Stage::endless(), Rules::default(), 1);
    world.join(Seat::ALL[0]);
    world.start();
    world.tick(&Default::default());
    (Header::of(&world), Recorder::new(&world).finish(&world))
});

fuzz_target!(|bytes: &[u8]| {
    let Some((&choice, rest)) = bytes.split_first() else { return };
    let file = match choice {
        0..=63 => rest.to_vec(),
        64..=127 => file(u16::from(choice), rest.to_vec()),
        // Whatever follows a real save.
        _ => file(u16::from(choice) * 8, [&GAME.1.body, rest].concat()),
    };
    let _ = RecordingWriter::resume(&file);
    if let Ok(replay) = Replay::read(file)
        && replay.ticks() <= TICKS_MAX
    {
        play(&replay);
    }
});

fn file(ticks: u16, body: Vec<u8>) -> Vec<u8> {
    let (mut writer, mut file) = RecordingWriter::begin(&GAME.0);
    file.extend(writer.block(&Block { ticks, body, ..GAME.1.clone() }));
    file
}

fn play(replay: &Replay) {
    let _ = verify(replay);
    let _ = MomentIndex::all(replay);
    if let Ok(mut reel) = Reel::new(replay) {
        let _ = reel.seek(replay.ticks() / 2);
        let _ = reel.seek(1);
    }
}
