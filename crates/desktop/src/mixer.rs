//! What is heard at once: cues, a hum, a song. It mixes samples and knows no device.

use std::sync::Arc;

use client::sound::SAMPLE_RATE;

/// Samples at [`SAMPLE_RATE`], shared with who rendered them.
pub type Samples = Arc<[i16]>;

/// Cues at once; the oldest gives way.
const CUES_MAX: usize = 16;
/// How fast a song and the hum come and go: a tenth of a second from nothing to all.
const FADE_SECONDS: f32 = 0.1;

/// All that is heard.
pub struct Mixer {
    /// Steps of a source in one sample of the device, in 2^32ths.
    stride: u64,
    fade: f32,
    cues: Vec<Voice>,
    /// What goes on until it is told to stop. Those that are told to fade away first.
    loops: [Vec<Voice>; 2],
    volumes: Volumes,
}

/// How loud, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Volumes {
    pub sound: f32,
    pub music: f32,
}

/// What goes on until it is told to stop.
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
    /// Where the level is going.
    goal: f32,
    is_leaving: bool,
}

impl Mixer {
    /// For a device of so many samples a second.
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

    /// Sets how loud everything is.
    pub fn set_volumes(&mut self, volumes: Volumes) {
        self.volumes = volumes;
    }

    /// Plays something once.
    pub fn play(&mut self, samples: Samples) {
        if self.cues.len() >= CUES_MAX {
            self.cues.remove(0);
        }
        self.cues.push(Voice { samples, at: 0, level: 1.0, goal: 1.0, is_leaving: false });
    }

    /// Plays something again and again in place of what was there; nothing: silence.
    pub fn go_on(&mut self, which: Loop, samples: Option<Samples>) {
        let voices = &mut self.loops[which as usize];
        voices.iter_mut().for_each(|voice| (voice.is_leaving, voice.goal) = (true, 0.0));
        voices.extend(samples.map(|samples| Voice { samples, at: 0, level: 0.0, goal: 1.0, is_leaving: false }));
    }

    /// How loud what goes on is to become, from 0 to 1.
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

/// Many at once grow dense rather than clip: straight to a half, then ever flatter, never above 1.
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
    fn a_loop_goes_on_and_fades_away_when_told() {
        let mut mixer = Mixer::new(SAMPLE_RATE, ALL);
        mixer.go_on(Loop::Song, Some(samples(&[8192; 10])));
        let second = |mixer: &mut Mixer| (0..SAMPLE_RATE).map(|_| mixer.sample()).last();
        assert_eq!(second(&mut mixer), Some(0.25));
        mixer.go_on(Loop::Song, None);
        assert!(mixer.sample() > 0.2, "not at once");
        assert_eq!(second(&mut mixer), Some(0.0));
    }

    #[test]
    fn a_hum_grows() {
        let mut mixer = Mixer::new(SAMPLE_RATE, ALL);
        mixer.go_on(Loop::Hum, Some(samples(&[8192; 10])));
        mixer.set_level(Loop::Hum, 0.5);
        assert_eq!((0..SAMPLE_RATE).map(|_| mixer.sample()).last(), Some(0.125));
    }

    #[test]
    fn a_new_song_takes_the_place_of_the_old_one_and_leaves_the_hum() {
        let mut mixer = Mixer::new(SAMPLE_RATE, ALL);
        mixer.go_on(Loop::Hum, Some(samples(&[4096; 10])));
        mixer.go_on(Loop::Song, Some(samples(&[8192; 10])));
        mixer.go_on(Loop::Song, Some(samples(&[-8192; 10])));
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
        mixer.go_on(Loop::Hum, Some(samples(&[])));
        assert_eq!(mixer.sample(), 0.0);
    }
}
