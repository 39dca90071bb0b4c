//! Adds voices up. A ring wraps around: what still sounds at the end of a song is heard at its beginning, so a loop has
//! no seam.

/// Samples that are being added up.
pub struct Mix {
    sums: Vec<i32>,
    is_ring: bool,
}

/// How long the end of a sound that is no loop fades: 3 ms.
const FADE_SAMPLES: usize = 132;

impl Mix {
    /// For a loop of so many samples.
    pub fn ring(samples: u32) -> Mix {
        Mix { sums: vec![0; samples as usize], is_ring: true }
    }

    /// For a sound that begins and ends in silence.
    pub fn line() -> Mix {
        Mix { sums: Vec::new(), is_ring: false }
    }

    pub fn add(&mut self, at: u32, sample: i32) {
        let mut at = at as usize;
        if self.is_ring {
            at %= self.sums.len().max(1);
        } else if at >= self.sums.len() {
            self.sums.resize(at + 1, 0);
        }
        if let Some(sum) = self.sums.get_mut(at) {
            *sum += sample;
        }
    }

    /// The samples, without offset, such that the loudest is `peak`.
    pub fn finish(mut self, peak: i32) -> Vec<i16> {
        self.centre();
        let loudest = self.sums.iter().map(|sum| sum.abs()).max().unwrap_or(0).max(1);
        let scale = (i64::from(peak) << 16) / i64::from(loudest);
        self.sums.into_iter().map(|sum| ((i64::from(sum) * scale) >> 16) as i16).collect()
    }

    /// Removes the mean of a loop; removes inaudible low frequencies from a line, and fades its end.
    fn centre(&mut self) {
        if self.is_ring {
            let all: i64 = self.sums.iter().map(|&sum| i64::from(sum)).sum();
            let mean = (all / (self.sums.len() as i64).max(1)) as i32;
            self.sums.iter_mut().for_each(|sum| *sum -= mean);
            return;
        }
        let mut slow = 0;
        for sum in &mut self.sums {
            // About 14 Hz at 44,100 a second, in 2^9ths.
            slow += *sum - (slow >> 9);
            *sum -= slow >> 9;
        }
        let fade = self.sums.len().min(FADE_SAMPLES);
        for (left, sum) in self.sums.iter_mut().rev().take(fade).enumerate() {
            *sum = *sum * left as i32 / fade as i32;
        }
    }
}
