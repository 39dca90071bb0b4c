//! Mixes everything that sounds at the same time: cues, the hum and a song. It knows samples, not devices.

use std::sync::Arc;

use client::sound::SAMPLE_RATE;

/// Samples at [`SAMPLE_RATE`].
pub type Samples = Arc<[i16]>;

/// The most cues at once; a new one replaces the oldest.
const CUES_MAX: usize = 16;
/// How long a song and the hum take to fade in and out.
const FADE_SECONDS: f32 = 0.1;

/// Everything that sounds.
pub struct Mixer {
    /// Samples of a source for one sample of the device, in 2^32ths.
    stride: u64,
    fade: f32,
    cues: Vec<Voice>,
    /// By [`Loop`]: what is repeated, and what is fading out before it.
    loops: [Vec<Voice>; 2],
    volumes: Volumes,
}

/// Volumes, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Volumes {
    pub sound: f32,
    pub music: f32,
}

/// What is repeated until it is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loop {
    Hum,
    Song,
}

struct Voice {
    samples: Samples,
    /// In 2^32ths of a sample.
    at: u64,
    level: f32,
    /// The level that it fades to.
    goal: f32,
    is_leaving: bool,
}

impl Mixer {
    /// For a device that plays so many samples a second.
    pub fn new(rate: u32, volumes: Volumes) -> Mixer {
        let rate = rate.max(1);
        Mixer {
            stride: (u64::from(SAMPLE_RATE) << 32) / u64::from(rate),
            fade: 1.0 / (FADE_SECONDS * rate as f32),
            cues: Vec::new(),
            loops: [Vec::new(), Vec::new()],
            volumes,
        }
    }

    pub fn set_volumes(&mut self, volumes: Volumes) {
        self.volumes = volumes;
    }

    /// Plays a sound once.
    pub fn play(&mut self, samples: Samples) {
        if self.cues.len() >= CUES_MAX {
            self.cues.remove(0);
        }
        self.cues.push(Voice { samples, at: 0, level: 1.0, goal: 1.0, is_leaving: false });
    }

    /// Repeats a sound, in place of the one before; none is silence.
    pub fn set_loop(&mut self, which: Loop, samples: Option<Samples>) {
        let voices = &mut self.loops[which as usize];
        voices.iter_mut().for_each(|voice| (voice.is_leaving, voice.goal) = (true, 0.0));
        voices.extend(samples.map(|samples| Voice { samples, at: 0, level: 0.0, goal: 1.0, is_leaving: false }));
    }

    /// Fades a loop to a level from 0 to 1.
    pub fn set_level(&mut self, which: Loop, level: f32) {
        let staying = self.loops[which as usize].iter_mut().filter(|voice| !voice.is_leaving);
        staying.for_each(|voice| voice.goal = level);
    }

    /// The next sample for the device, between −1 and 1.
    pub fn sample(&mut self) -> f32 {
        let (stride, fade) = (self.stride, self.fade);
        self.cues.retain(|voice| !voice.is_over());
        let mut sound: f32 = self.cues.iter_mut().map(|voice| voice.next(stride)).sum();
        let [hum, song] = &mut self.loops;
        sound += hum.iter_mut().map(|voice| voice.fade(fade).next_of_loop(stride)).sum::<f32>();
        let music: f32 = song.iter_mut().map(|voice| voice.fade(fade).next_of_loop(stride)).sum();
        for voices in &mut self.loops {
            voices.retain(|voice| !(voice.is_leaving && voice.level <= 0.0));
        }
        soft(sound * self.volumes.sound + music * self.volumes.music)
    }
}

/// Compresses loud sums instead of clipping them: linear up to a half, then ever flatter, never above 1.
fn soft(sample: f32) -> f32 {
    let over = sample.abs() - 0.5;
    if over <= 0.0 { sample } else { (0.5 + 0.5 * over / (over + 0.5)).copysign(sample) }
}

impl Voice {
    fn is_over(&self) -> bool {
        (self.at >> 32) as usize >= self.samples.len()
    }

    fn fade(&mut self, by: f32) -> &mut Voice {
        self.level += (self.goal - self.level).clamp(-by, by);
        self
    }

    fn next(&mut self, stride: u64) -> f32 {
        let (index, part) = self.position();
        let at = |index: usize| f32::from(self.samples.get(index).copied().unwrap_or(0));
        let sample = at(index) + (at(index + 1) - at(index)) * part;
        self.at += stride;
        sample * self.level / 32_768.0
    }

    fn next_of_loop(&mut self, stride: u64) -> f32 {
        let length = self.samples.len();
        if length == 0 {
            return 0.0;
        }
        let (index, part) = self.position();
        let at = |index: usize| f32::from(self.samples[index % length]);
        let sample = at(index) + (at(index + 1) - at(index)) * part;
        self.at = (self.at + stride) % ((length as u64) << 32);
        sample * self.level / 32_768.0
    }

    fn position(&self) -> (usize, f32) {
        ((self.at >> 32) as usize, (self.at as u32) as f32 / 4_294_967_296.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Volumes = Volumes { sound: 1.0, music: 1.0 };

    fn samples(all: &[i16]) -> Samples {
        all.into()
    }

    #[test]
    fn a_cue_is_heard_once() {
        let mut mixer = Mixer::new(SAMPLE_RATE, ALL);
        mixer.play(samples(&[8192, -8192]));
        let heard: Vec<f32> = (0..4).map(|_| mixer.sample()).collect();
        assert_eq!(heard, [0.25, -0.25, 0.0, 0.0]);
    }

    #[test]
    fn another_rate_keeps_the_pitch() {
        let mut mixer = Mixer::new(2 * SAMPLE_RATE, ALL);
        mixer.play(samples(&[0, 8192, 0]));
        let heard: Vec<f32> = (0..6).map(|_| mixer.sample()).collect();
        assert_eq!(heard, [0.0, 0.125, 0.25, 0.125, 0.0, 0.0]);
    }

    #[test]
    fn a_loop_repeats_and_fades_out_when_it_is_replaced() {
        let mut mixer = Mixer::new(SAMPLE_RATE, ALL);
        mixer.set_loop(Loop::Song, Some(samples(&[8192; 10])));
        let second = |mixer: &mut Mixer| (0..SAMPLE_RATE).map(|_| mixer.sample()).last();
        assert_eq!(second(&mut mixer), Some(0.25));
        mixer.set_loop(Loop::Song, None);
        assert!(mixer.sample() > 0.2, "not at once");
        assert_eq!(second(&mut mixer), Some(0.0));
    }

    #[test]
    fn a_hum_fades_to_its_level() {
        let mut mixer = Mixer::new(SAMPLE_RATE, ALL);
        mixer.set_loop(Loop::Hum, Some(samples(&[8192; 10])));
        mixer.set_level(Loop::Hum, 0.5);
        assert_eq!((0..SAMPLE_RATE).map(|_| mixer.sample()).last(), Some(0.125));
    }

    #[test]
    fn a_new_song_takes_the_place_of_the_old_one_and_leaves_the_hum() {
        let mut mixer = Mixer::new(SAMPLE_RATE, ALL);
        mixer.set_loop(Loop::Hum, Some(samples(&[4096; 10])));
        mixer.set_loop(Loop::Song, Some(samples(&[8192; 10])));
        mixer.set_loop(Loop::Song, Some(samples(&[-8192; 10])));
        assert_eq!((0..SAMPLE_RATE).map(|_| mixer.sample()).last(), Some(-0.125));
    }

    #[test]
    fn however_much_is_played_nothing_clips() {
        let mut mixer = Mixer::new(48_000, ALL);
        for _ in 0..100 {
            mixer.play(samples(&[i16::MAX; 1000]));
        }
        assert!((0..1000).map(|_| mixer.sample()).all(|sample| sample.abs() < 1.0));
        mixer.set_volumes(Volumes { sound: 0.0, music: 1.0 });
        mixer.play(samples(&[i16::MAX; 1000]));
        assert_eq!(mixer.sample(), 0.0);
    }

    #[test]
    fn an_empty_loop_is_silence() {
        let mut mixer = Mixer::new(48_000, ALL);
        mixer.set_loop(Loop::Hum, Some(samples(&[])));
        assert_eq!(mixer.sample(), 0.0);
    }
}
