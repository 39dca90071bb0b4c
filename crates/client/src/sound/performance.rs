//! A song while it is played: a small machine that makes samples as they are needed, and never ends.
//!
//! It needs a few kilobytes for its score and some hundred for echo and hall, however long the song is.

use super::{
    Song,
    effects::{Air, Echo, Hall, Limiter, Stereo},
    score::{Part, Score},
    voice::{BLOCK, Note, Voice, sides},
};

/// No sample of a song is louder: −2 dB of full scale, so that what lies between samples stays below −1 dB.
const CEILING: i32 = 26_000;

/// Left and right.
pub type StereoSample = [i16; 2];

/// A song that is being played.
pub struct Performance {
    score: Score,
    /// The block that comes next, and the first note that begins in it or later.
    block: u32,
    next: usize,
    voices: Vec<Sounding>,
    echo: Echo,
    hall: Hall,
    air: Air,
    limiter: Limiter,
    /// Samples of the last block that were not taken yet.
    ready: [StereoSample; BLOCK],
    taken: usize,
}

struct Sounding {
    voice: Voice,
    /// How loud it is left, right, in the echo and in the hall, of 256.
    levels: [i32; 4],
}

impl Performance {
    /// Begins a song.
    pub fn new(song: Song) -> Performance {
        // The songs are compiled in, and a test reads every one.
        Performance::of(Score::read(song.text()).unwrap_or_else(|mistake| panic!("{}: {}", song.name(), mistake.0)))
    }

    pub(super) fn of(score: Score) -> Performance {
        Performance {
            block: 0,
            next: 0,
            voices: Vec::with_capacity(64),
            echo: Echo::new(score.echo_blocks),
            hall: Hall::new(),
            air: Air::default(),
            limiter: Limiter::new(CEILING),
            ready: [[0; 2]; BLOCK],
            taken: BLOCK,
            score,
        }
    }

    /// How many samples it plays before it repeats.
    pub fn length(&self) -> usize {
        self.score.blocks as usize * BLOCK
    }

    /// The next samples.
    pub fn fill(&mut self, out: &mut [StereoSample]) {
        out.fill_with(|| self.sample());
    }

    /// The next sample.
    pub fn sample(&mut self) -> StereoSample {
        if self.taken == BLOCK {
            self.make_block();
            self.taken = 0;
        }
        self.taken += 1;
        self.ready[self.taken - 1]
    }

    /// Goes on with the last blocks before the end.
    pub(super) fn skip_to_last(&mut self, blocks: u32) {
        self.block = self.score.blocks.saturating_sub(blocks);
        self.next = self.score.notes.partition_point(|note| note.at < self.block);
    }

    fn make_block(&mut self) {
        self.begin_notes();
        let mut out: Stereo = [[0; BLOCK]; 2];
        let (mut to_echo, mut to_hall) = ([0; BLOCK], [0; BLOCK]);
        self.voices.retain_mut(|sounding| sounding.add(&mut out, &mut to_echo, &mut to_hall));
        self.echo.apply(&to_echo, &mut out);
        self.hall.apply(&to_hall, &mut out);
        self.air.apply(&mut out);
        for sample in out.iter_mut().flatten() {
            *sample = (*sample * self.score.gain) >> 8;
        }
        self.limiter.apply(&mut out);
        for (ready, (left, right)) in self.ready.iter_mut().zip(out[0].iter().zip(&out[1])) {
            *ready = [*left, *right].map(|side| side.clamp(-CEILING, CEILING) as i16);
        }
        self.block = (self.block + 1) % self.score.blocks.max(1);
    }

    fn begin_notes(&mut self) {
        if self.block == 0 {
            self.next = 0;
        }
        while let Some(placed) = self.score.notes.get(self.next).filter(|note| note.at <= self.block) {
            let part = &self.score.parts[placed.part];
            let note = Note { pitch: placed.pitch, blocks: placed.blocks, volume: placed.volume };
            let sounding = |layer| Sounding::new(Voice::new(layer, note), part);
            self.voices.extend(part.instrument.iter().map(sounding));
            self.next += 1;
        }
    }
}

impl Sounding {
    fn new(voice: Voice, part: &Part) -> Sounding {
        let [left, right] = sides(part.pan + voice.pan()).map(|side| (side * part.volume) >> 8);
        let send = |share: i32| (share * part.volume) >> 8;
        Sounding { voice, levels: [left, right, send(part.echo), send(part.hall)] }
    }

    /// Adds the next block; false if it was the last.
    fn add(&mut self, out: &mut Stereo, to_echo: &mut [i32; BLOCK], to_hall: &mut [i32; BLOCK]) -> bool {
        let mut samples = [0; BLOCK];
        let goes_on = self.voice.fill(&mut samples);
        let [left, right] = out;
        for (bus, level) in [left, right, to_echo, to_hall].into_iter().zip(self.levels) {
            if level != 0 {
                bus.iter_mut().zip(&samples).for_each(|(bus, sample)| *bus += (sample * level) >> 8);
            }
        }
        goes_on
    }
}
