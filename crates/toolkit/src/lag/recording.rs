//! A file with a line for each message: what became of it.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::Path,
    time::Duration,
};

use network::{Direction, LossReason, SendOutcome, Service};

use super::relay_network::PeerId;
use crate::UserError;

const HEADER: &str = "sent_s,direction,service,peer,bytes,outcome,arrives_s,copy_arrives_s";

/// A table of comma-separated values.
pub struct TrafficRecording {
    out: BufWriter<File>,
    /// The first error. Nothing is written after it.
    error: Option<io::Error>,
}

impl TrafficRecording {
    pub fn create(path: &Path) -> Result<TrafficRecording, UserError> {
        let file = File::create(path)
            .map_err(|error| UserError(format!("cannot write the recording {}: {error}", path.display())))?;
        let mut recording = TrafficRecording { out: BufWriter::new(file), error: None };
        recording.line(HEADER);
        Ok(recording)
    }

    pub fn note(
        &mut self,
        now: Duration,
        (direction, service): (Direction, Service),
        (peer, bytes): (PeerId, usize),
        outcome: SendOutcome,
    ) {
        let direction = match direction {
            Direction::Up => "up",
            Direction::Down => "down",
        };
        let service = match service {
            Service::Datagram => "datagram",
            Service::Stream => "stream",
        };
        let (outcome, at, again) = match outcome {
            SendOutcome::Lost(why) => (lost_by(why), None, None),
            SendOutcome::Arrives { at, again, is_held_back: true } => ("held back", Some(at), again),
            SendOutcome::Arrives { at, again, is_held_back: false } => ("arrives", Some(at), again),
        };
        let [at, again] = [at, again].map(|time| time.map_or(String::new(), seconds));
        self.line(&format!("{},{direction},{service},{},{bytes},{outcome},{at},{again}", seconds(now), peer.0));
    }

    /// Writes what is left, and returns the first error.
    pub fn end(mut self) -> io::Result<()> {
        match self.error.take() {
            Some(error) => Err(error),
            None => self.out.flush(),
        }
    }

    fn line(&mut self, line: &str) {
        if self.error.is_none() {
            self.error = writeln!(self.out, "{line}").err();
        }
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.6}", time.as_secs_f64())
}

fn lost_by(why: LossReason) -> &'static str {
    match why {
        LossReason::Chance => "lost by chance",
        LossReason::Burst => "lost in a burst",
        LossReason::Queue => "lost in the queue",
        LossReason::Outage => "lost in an outage",
        LossReason::Forgotten => "lost at a forgotten address",
    }
}
