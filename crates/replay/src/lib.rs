//! Recorded games: the file, byte by byte, and a machine that plays it again.
//!
//! [`Recorder`] notes what a world is told, tick by tick, and [`RecordingWriter`] makes the file of it. [`Replay::read`] reads a file,
//! [`Reel`] simulates it, [`verify`] compares every hash in it, and [`Playback`] is what a person controls: play, pause, speed,
//! seek. Nothing here touches a disk, a clock or a screen. The bytes are described in `docs/replay-format.md`.
//!
//! ```
//! use game::{Input, Rules, Seat, Stage, World};
//! use replay::{Header, Recorder, RecordingWriter, Replay};
//!
//! let mut world = World::new(Stage::endless(), Rules::default(), 42);
//! world.join(Seat::ALL[0]);
//! world.start();
//! let mut recorder = Recorder::new(&world);
//! for _ in 0..90 {
//!     world.tick(&[Input::IDLE; 4]);
//!     recorder.tick(&[Input::IDLE; 4], &world);
//! }
//! let (mut writer, mut file) = RecordingWriter::begin(&Header::of(&world));
//! file.extend(writer.block(&recorder.finish(&world)));
//! let replay = Replay::read(file).expect("it is whole");
//! assert_eq!((replay.ticks(), replay::verify(&replay).expect("nothing was changed").hashes), (90, 2));
//! ```

mod block;
mod error;
mod header;
mod moments;
mod op;
mod playback;
mod recorder;
mod reel;
mod replay_file;
mod verify;

pub use block::{Block, RecordingWriter, Resumed};
pub use error::ReplayError;
pub use header::{Header, StageSource};
pub use moments::{Moment, MomentIndex, MomentKind};
pub use playback::{Playback, Speed};
pub use recorder::Recorder;
pub use reel::{Chat, Reel};
pub use replay_file::Replay;
pub use verify::{Verified, verify, verify_with};

/// How the name of such a file ends.
pub const EXTENSION: &str = "vreplay";

/// A moment of a game as people read it: minutes, seconds and tenths.
pub fn clock(ticks: u32) -> String {
    let tenths = u64::from(ticks) * 10 / TICKS_PER_SECOND;
    format!("{}:{:02}.{}", tenths / 600, tenths / 10 % 60, tenths % 10)
}

const TICKS_PER_SECOND: u64 = game::units::TICKS_PER_SECOND as u64;
