//! `volley replay`: a recorded game in the terminal, verified, or as text, a picture, a film or packets.

mod film;
mod packets;
mod progress;
mod summary;
mod viewer;
mod websocket;

use std::{
    fmt::Display,
    fs,
    io::{self, BufWriter, Write},
    ops::RangeInclusive,
    path::Path,
    time::Instant,
};

use game::{Frame, Seat};
use replay::{Reel, verify_with};
pub use replay::{Replay, ReplayError, clock};

use self::progress::Progress;
pub use self::{film::FilmOptions, packets::PacketOptions, viewer::show};
use crate::{UserError, watch::text};

/// A larger file is refused before it is read: no game is that long.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// A recorded game in a file.
pub fn open(path: &Path) -> Result<Replay, UserError> {
    let cannot = |why: String| UserError(format!("cannot read the replay {}: {why}", path.display()));
    let about = fs::metadata(path).map_err(|error| cannot(error.to_string()))?;
    if !about.is_file() {
        return Err(cannot("it is not a file".into()));
    }
    if about.len() > FILE_BYTES_MAX {
        return Err(cannot(format!("it is larger than {} MB, so it is not a replay", FILE_BYTES_MAX >> 20)));
    }
    let bytes = fs::read(path).map_err(|error| cannot(error.to_string()))?;
    Replay::read(bytes).map_err(|error| unplayable(path, &error))
}

/// Why a replay cannot be played, in one line.
pub fn unplayable(path: &Path, error: &ReplayError) -> UserError {
    UserError(format!("cannot play {}: {error}", path.display()))
}

/// Simulates the whole game again and writes what was compared. An error says where it differs from what was recorded.
pub fn write_verification(replay: &Replay, out: &mut impl Write) -> anyhow::Result<()> {
    let began = Instant::now();
    let mut progress = Progress::new("verifying", replay.ticks());
    let verified = verify_with(replay, |tick| progress.show(tick))?;
    progress.clear();
    let took = began.elapsed().as_secs_f64().max(1e-6);
    let factor = f64::from(verified.ticks) / 60.0 / took;
    summary::write(replay, out)?;
    writeln!(
        out,
        "verified: {} ticks simulated again, {} hashes are the same, the last is {:016x}",
        verified.ticks, verified.hashes, verified.last_hash
    )?;
    writeln!(out, "in {:.0} ms: {factor:.0} × real time", took * 1000.0)?;
    Ok(())
}

/// Writes every `every`th tick of a part of the game as text, and what was said.
pub fn write_text(replay: &Replay, ticks: RangeInclusive<u32>, every: u32, out: &mut impl Write) -> anyhow::Result<()> {
    summary::write(replay, out)?;
    let (mut reel, mut frame) = (Reel::new(replay)?, Frame::default());
    reel.seek(ticks.start().saturating_sub(1))?;
    while reel.now() < *ticks.end() && reel.tick()? {
        if reel.now() % every == 0 {
            reel.frame_into(&mut frame);
            text::write_frame(out, &frame, reel.world().hash())?;
        }
        for chat in reel.chat() {
            writeln!(out, "  said seat={} text={:?}", chat.seat.number(), chat.text)?;
        }
    }
    out.flush()?;
    Ok(())
}

/// Writes one picture of the game as a PNG.
pub fn write_png(replay: &Replay, options: &FilmOptions, path: &Path) -> anyhow::Result<()> {
    to_file(path, |out| film::write_png(replay, options, out))
}

/// Writes a part of the game as a GIF that moves. How many pictures it has.
pub fn write_gif(replay: &Replay, options: &FilmOptions, path: &Path) -> anyhow::Result<usize> {
    to_file(path, |out| film::write_gif(replay, options, out))
}

/// Writes what a player would have said and heard in a dialect, as a capture. How many packets it has.
pub fn write_pcap(replay: &Replay, options: &PacketOptions, path: &Path) -> anyhow::Result<usize> {
    to_file(path, |out| packets::write(replay, options, out))
}

fn to_file<T>(path: &Path, write: impl FnOnce(&mut BufWriter<fs::File>) -> anyhow::Result<T>) -> anyhow::Result<T> {
    let cannot = |error: &dyn Display| UserError(format!("cannot write {}: {error}", path.display()));
    let mut out = BufWriter::new(fs::File::create(path).map_err(|error| cannot(&error))?);
    let written = write(&mut out).map_err(|error| match error.is::<ReplayError>() {
        true => error,
        false => cannot(&error).into(),
    })?;
    out.flush().map_err(|error| cannot(&error))?;
    Ok(written)
}

/// A reader that has seen enough and goes is not an error.
pub fn allow_broken_pipe(result: anyhow::Result<()>) -> anyhow::Result<()> {
    match result {
        Err(error)
            if error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe) =>
        {
            Ok(())
        }
        result => result,
    }
}

/// The seat of a player who is counted from 1.
pub fn seat(number: u8) -> Option<Seat> {
    number.checked_sub(1).and_then(Seat::new)
}
