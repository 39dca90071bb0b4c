//! What the network graph shows: how the connection was in the last seconds.

use std::collections::VecDeque;

/// Samples kept: four seconds of ticks.
const SAMPLES: usize = 240;

/// The connection at one tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// The round trip, in milliseconds.
    pub round_trip_ms: u32,
    /// Lost datagrams, in percent.
    pub loss_percent: u32,
    /// How old the newest Frame is, in milliseconds.
    pub frame_age_ms: u32,
    /// How far the player's ship was corrected, in sub-pixels.
    pub correction: u32,
    /// Bytes received in this tick.
    pub bytes: u32,
}

/// The last samples, the oldest first.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    samples: VecDeque<Sample>,
    count: u64,
}

impl Graph {
    /// Adds the sample of a tick.
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

    /// How many samples were added, in total.
    pub fn count(&self) -> u64 {
        self.count
    }

    pub fn newest(&self) -> Sample {
        self.samples.back().copied().unwrap_or_default()
    }
}
