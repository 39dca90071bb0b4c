//! What the net graph shows: how the connection was in the last seconds.

use std::collections::VecDeque;

/// Samples kept: four seconds of ticks.
const SAMPLES: usize = 240;

/// The connection at one tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// There and back, in milliseconds.
    pub round_trip_ms: u32,
    /// Datagrams that got lost, in percent.
    pub loss_percent: u32,
    /// How old the newest Frame is, in milliseconds.
    pub frame_age_ms: u32,
    /// How far the own ship was corrected, in 1/256 pixels.
    pub correction: u32,
    /// Bytes that came in this tick.
    pub bytes: u32,
}

/// The last samples, the oldest first.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    samples: VecDeque<Sample>,
    count: u64,
}

impl Graph {
    /// Adds what one tick was like.
    pub fn push(&mut self, sample: Sample) {
        if self.samples.len() == SAMPLES {
            self.samples.pop_front();
        }
        self.samples.push_back(sample);
        self.count += 1;
    }

    /// The samples, the oldest first.
    pub fn samples(&self) -> impl Iterator<Item = &Sample> {
        self.samples.iter()
    }

    /// Samples ever.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The newest sample.
    pub fn newest(&self) -> Sample {
        self.samples.back().copied().unwrap_or_default()
    }
}
