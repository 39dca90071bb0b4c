//! What passed through a bridge, as text, for a bug report: every message on the side of the server, and what the two halves made
//! of it. One event a line:
//!
//! ```text
//! SECONDS PLAYER in|out datagram|stream HEX
//! SECONDS PLAYER input BUTTONS
//! SECONDS PLAYER frame TICK STATE ENTITIES EVENTS
//! SECONDS PLAYER note TEXT
//! ```

use std::{
    fmt::{self, Display},
    fs::File,
    io::{BufWriter, Write},
    path::Path,
    sync::{Mutex, PoisonError},
};

use game::{Frame, Input};
use protocol::{Channel, Time};

use crate::UserError;

/// A dump grows no larger.
const SIZE_MAX_BYTES: u64 = 1 << 30;

/// A file that events are written to. Several players share it.
pub(super) struct Dump {
    open: Mutex<Open>,
}

struct Open {
    file: BufWriter<File>,
    started: Option<Time>,
    written: u64,
    /// Why nothing more is written.
    error: Option<String>,
}

/// Where bytes go.
#[derive(Clone, Copy)]
pub(super) enum DumpDirection {
    In,
    Out,
}

impl Dump {
    pub fn create(path: &Path) -> Result<Dump, UserError> {
        let file = File::create(path)
            .map_err(|error| UserError(format!("cannot write the dump {}: {error}", path.display())))?;
        let file = BufWriter::new(file);
        Ok(Dump { open: Mutex::new(Open { file, started: None, written: 0, error: None }) })
    }

    pub fn bytes(&self, now: Time, player: u64, (direction, channel): (DumpDirection, Channel), bytes: &[u8]) {
        let direction = match direction {
            DumpDirection::In => "in",
            DumpDirection::Out => "out",
        };
        let channel = match channel {
            Channel::Datagram => "datagram",
            Channel::Stream => "stream",
        };
        self.line(now, player, format_args!("{direction} {channel} {}", Hex(bytes)));
    }

    pub fn input(&self, now: Time, player: u64, input: Input) {
        let (held, pressed) = (input.held.bits(), input.pressed.bits());
        self.line(now, player, format_args!("input {held:#04x} {pressed:#04x}"));
    }

    pub fn frame(&self, now: Time, player: u64, frame: &Frame) {
        let (tick, state) = (frame.tick.0, frame.state.name());
        let (entities, events) = (frame.entities.len(), frame.events.len());
        self.line(now, player, format_args!("frame {tick} {state} {entities} {events}"));
    }

    pub fn note(&self, now: Time, player: u64, text: impl Display) {
        self.line(now, player, format_args!("note {text}"));
    }

    /// What went wrong, if the dump is not whole.
    pub fn finish(&self) -> Option<String> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = open.file.flush() {
            open.error.get_or_insert(error.to_string());
        }
        open.error.take()
    }

    fn line(&self, now: Time, player: u64, event: fmt::Arguments<'_>) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.error.is_some() {
            return;
        }
        let since = now.since(*open.started.get_or_insert(now)).as_secs_f64();
        let line = format!("{since:.6} {player} {event}\n");
        open.written += line.len() as u64;
        let written = open.file.write_all(line.as_bytes()).map_err(|error| error.to_string());
        open.error = match written {
            Ok(()) if open.written <= SIZE_MAX_BYTES => None,
            Ok(()) => Some(format!("it ends after {} MB", SIZE_MAX_BYTES >> 20)),
            Err(error) => Some(error),
        };
    }
}

struct Hex<'b>(&'b [u8]);

impl Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_a_line() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("dump.txt");
        let dump = Dump::create(&path).expect("it can be written");
        let at = |ms: u64| Time::from_micros(5_000_000 + ms * 1000);
        dump.bytes(at(0), 1, (DumpDirection::Out, Channel::Stream), b"\x00\xff");
        dump.input(at(16), 1, Input::IDLE);
        dump.frame(at(16), 2, &Frame::default());
        dump.note(at(20), 2, "it is over");
        assert_eq!(dump.finish(), None);
        let text = std::fs::read_to_string(&path).expect("it is there");
        let expected = [
            "0.000000 1 out stream 00ff",
            "0.016000 1 input 0x00 0x00",
            "0.016000 2 frame 0 waiting 0 0",
            "0.020000 2 note it is over",
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
        let error = Dump::create(&directory.path().join("missing/dump.txt")).err().expect("no directory");
        assert!(error.to_string().starts_with("cannot write the dump"), "{error}");
    }
}
