//! What happens to a song after its voices are added up: an echo from side to side, a small hall, air, and a
//! limiter.
//!
//! All of it works on blocks of [`BLOCK`] samples, left and right.

use super::voice::BLOCK;

/// Left and right.
pub type Stereo = [[i32; BLOCK]; 2];

/// An echo that goes from side to side and gets duller.
pub struct Echo {
    lines: [Vec<i32>; 2],
    at: usize,
    dulled: [i32; 2],
}

/// How much of an echo comes back, of 256.
const ECHO_BACK: i32 = 110;

impl Echo {
    /// Comes back after this many blocks.
    pub fn new(blocks: u32) -> Echo {
        let samples = blocks.max(1) as usize * BLOCK;
        Echo { lines: [vec![0; samples], vec![0; samples]], at: 0, dulled: [0; 2] }
    }

    /// Takes in what is to be heard again, and adds what comes back.
    pub fn apply(&mut self, sent: &[i32; BLOCK], out: &mut Stereo) {
        for (index, &sent) in sent.iter().enumerate() {
            let back = [self.lines[0][self.at], self.lines[1][self.at]];
            for side in 0..2 {
                out[side][index] += back[side];
                self.dulled[side] += (back[side] - self.dulled[side]) >> 1;
            }
            // What was heard on the right comes back on the left, and the other way round.
            self.lines[0][self.at] = sent + ((self.dulled[1] * ECHO_BACK) >> 8);
            self.lines[1][self.at] = (self.dulled[0] * ECHO_BACK) >> 8;
            self.at = (self.at + 1) % self.lines[0].len();
        }
    }
}

/// A small hall: four delays that feed each other.
pub struct Hall {
    lines: [Vec<i32>; 4],
    at: [usize; 4],
    dulled: [i32; 4],
}

/// The lengths of its delays in samples, without a common measure.
const HALL: [usize; 4] = [1_123, 1_433, 1_777, 2_141];
/// How much comes back, of 256: about a second until it is gone.
const HALL_BACK: i32 = 208;

impl Hall {
    pub fn new() -> Hall {
        Hall { lines: HALL.map(|length| vec![0; length]), at: [0; 4], dulled: [0; 4] }
    }

    /// Takes in what is to be heard in the hall, and adds what the hall makes of it.
    pub fn apply(&mut self, sent: &[i32; BLOCK], out: &mut Stereo) {
        for (index, &sent) in sent.iter().enumerate() {
            let mut back = [0; 4];
            for ((line, &at), (back, dulled)) in
                self.lines.iter().zip(&self.at).zip(back.iter_mut().zip(&mut self.dulled))
            {
                // Divisions round towards nothing, so that the hall falls silent.
                *dulled += (line[at] - *dulled) * 5 / 8;
                *back = *dulled;
            }
            let [a, b, c, d] = back;
            out[0][index] += (a + c) >> 1;
            out[1][index] += (b + d) >> 1;
            // A Hadamard matrix spreads each over all four without making them louder.
            let spread = [a + b + c + d, a - b + c - d, a + b - c - d, a - b - c + d];
            for (number, spread) in spread.into_iter().enumerate() {
                let at = self.at[number];
                self.lines[number][at] = sent + spread * HALL_BACK / 512;
                self.at[number] = (at + 1) % HALL[number];
            }
        }
    }
}

/// Lifts what is above some 5 kHz, which gives the whole song air, and takes away what is too low to be heard.
#[derive(Default)]
pub struct Air {
    dulled: [i32; 2],
    /// What is below about 14 Hz, in 2^9ths.
    offset: [i32; 2],
}

/// How much of what is above is added once more, of 256.
const AIR: i32 = 200;

impl Air {
    pub fn apply(&mut self, block: &mut Stereo) {
        for (side, (dulled, offset)) in block.iter_mut().zip(self.dulled.iter_mut().zip(&mut self.offset)) {
            for sample in side {
                *offset += *sample - (*offset >> 9);
                *sample -= *offset >> 9;
                *dulled += (*sample - *dulled) >> 1;
                *sample += ((*sample - *dulled) * AIR) >> 8;
            }
        }
    }
}

/// Keeps peaks below a ceiling: it looks one block ahead, turns down in time, and lets go slowly.
pub struct Limiter {
    ceiling: i32,
    waiting: Stereo,
    /// How much the block that waits, and this one, may be turned up, of 2^16.
    gain: i32,
    allowed: i32,
}

const UNTOUCHED: i32 = 1 << 16;
/// It lets go by a 160th of what is missing in each block: two thirds in 120 ms.
const RELEASE: i32 = 160;

impl Limiter {
    pub fn new(ceiling: i32) -> Limiter {
        Limiter { ceiling, waiting: [[0; BLOCK]; 2], gain: UNTOUCHED, allowed: UNTOUCHED }
    }

    /// Takes in a block and gives out the one before it.
    pub fn apply(&mut self, block: &mut Stereo) {
        let peak = block.iter().flatten().map(|sample| sample.abs()).max().unwrap_or(0);
        let allowed =
            if peak <= self.ceiling { UNTOUCHED } else { ((i64::from(self.ceiling) << 16) / i64::from(peak)) as i32 };
        let from = self.gain;
        let released = from + (UNTOUCHED - from) / RELEASE + i32::from(from < UNTOUCHED);
        // Both ends of the glide are allowed by the block in which it happens, so every sample of it is.
        let to = released.min(self.allowed).min(allowed);
        std::mem::swap(&mut self.waiting, block);
        for side in block.iter_mut() {
            for (at, sample) in (1..).zip(side.iter_mut()) {
                let gain = i64::from(from) + ((i64::from(to - from) * at) >> 5);
                *sample = ((i64::from(*sample) * gain) >> 16) as i32;
            }
        }
        (self.gain, self.allowed) = (to, allowed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SILENCE: [i32; BLOCK] = [0; BLOCK];

    const KNOCK: [i32; BLOCK] = {
        let mut sent = SILENCE;
        sent[0] = 20_000;
        sent
    };

    #[test]
    fn an_echo_goes_from_side_to_side_and_ends() {
        let mut echo = Echo::new(2);
        let mut heard = Vec::new();
        for block in 0..60 {
            let mut out = [SILENCE; 2];
            echo.apply(if block == 0 { &KNOCK } else { &SILENCE }, &mut out);
            heard.push(out.map(|side| side.iter().map(|sample| sample.abs()).max().unwrap_or(0)));
        }
        assert_eq!((heard[0], heard[2]), ([0, 0], [20_000, 0]));
        assert!(heard[4][0] == 0 && (1..9_000).contains(&heard[4][1]), "{:?}", heard[4]);
        assert!(heard[59].iter().all(|&peak| peak < 10));
    }

    #[test]
    fn a_hall_sounds_on_both_sides_and_falls_silent() {
        let mut hall = Hall::new();
        let strength = |out: &Stereo, side: usize| out[side].iter().map(|sample| i64::from(sample.abs())).sum::<i64>();
        let (mut early, mut late) = ([0; 2], [0; 2]);
        for block in 0..4_000 {
            let mut out = [SILENCE; 2];
            hall.apply(if block == 0 { &KNOCK } else { &SILENCE }, &mut out);
            for side in 0..2 {
                *(if block < 400 { &mut early[side] } else { &mut late[side] }) += strength(&out, side);
            }
        }
        assert!(early.iter().all(|&sum| sum > 20_000), "{early:?}");
        assert!(late.iter().zip(early).all(|(late, early)| *late < early), "{late:?}");
        let mut out = [SILENCE; 2];
        hall.apply(&SILENCE, &mut out);
        assert!(strength(&out, 0) + strength(&out, 1) < 20 * BLOCK as i64, "no more than rounding is left");
    }

    #[test]
    fn a_limiter_never_lets_more_through_and_leaves_the_rest_alone() {
        let mut limiter = Limiter::new(10_000);
        let level = |volume: i32| [[volume; BLOCK]; 2];
        let mut heard = Vec::new();
        for volume in [5_000, 5_000, 40_000, 5_000, 5_000, 9_000] {
            let mut block = level(volume);
            limiter.apply(&mut block);
            heard.push(block[0]);
        }
        assert_eq!(heard[1], [5_000; BLOCK]);
        assert!(heard.iter().flatten().all(|sample| sample.abs() <= 10_000), "{heard:?}");
        assert!(heard[3][BLOCK - 1] > 9_900 && heard[2][0] > heard[2][BLOCK - 1], "it turns down ahead of the peak");
        for _ in 0..3_000 {
            limiter.apply(&mut level(5_000));
        }
        let mut block = level(0);
        limiter.apply(&mut block);
        assert_eq!(block[0], [5_000; BLOCK], "and it lets go");
    }
}
