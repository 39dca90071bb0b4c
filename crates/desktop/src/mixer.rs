//! Mixes everything that sounds at the same time, left and right: cues, the hum and a song. It knows samples, not devices.
//!
//! A song is made here, sample by sample: that costs a few hundredths of a processor at most and needs little memory.

use std::sync::Arc;

use client::sound::{Performance, SAMPLE_RATE, StereoSample, sides};

/// Samples of a cue at [`SAMPLE_RATE`].
pub type Samples = Arc<[i16]>;

/// The most cues at once; a new one replaces the oldest.
const CUES_MAX: usize = 24;
/// How long a song and the hum take to fade in and out, and volumes to change.
const FADE_SECONDS: f32 = 0.12;
const VOLUME_SECONDS: f32 = 0.05;
/// How long the limiter takes to let go.
const RELEASE_SECONDS: f32 = 0.2;
/// Nothing that leaves the mixer is louder.
const CEILING: f32 = 0.97;
/// One sample of a source, in the steps in which a place between two samples is counted.
const WHOLE: u64 = 1 << 32;

/// Everything that sounds.
pub struct Mixer {
    /// Samples of a source for one sample of the device, in 2^32ths.
    stride: u64,
    rate: f32,
    cues: Vec<CueVoice>,
    hum: Option<Hum>,
    /// The song that is played, after those that are fading out.
    songs: Vec<SongVoice>,
    volumes: Volumes,
    wanted: Volumes,
    /// What the limiter leaves of everything.
    limit: f32,
}

/// Volumes, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Volumes {
    pub sound: f32,
    pub music: f32,
}

struct CueVoice {
    samples: Samples,
    /// In 2^32ths of a sample.
    at: u64,
    sides: [f32; 2],
}

struct Hum {
    samples: Samples,
    at: u64,
    level: f32,
    /// The level that it fades to; its pitch follows.
    goal: f32,
}

struct SongVoice {
    performance: Box<Performance>,
    /// The four samples around the place that is played.
    around: [StereoSample; 4],
    /// How far behind the second of them that place is.
    part: u64,
    level: f32,
    is_leaving: bool,
}

impl Mixer {
    /// For a device that plays this many samples a second.
    pub fn new(rate: u32, volumes: Volumes) -> Mixer {
        let rate = rate.max(1);
        Mixer {
            stride: u64::from(SAMPLE_RATE) * WHOLE / u64::from(rate),
            rate: rate as f32,
            cues: Vec::with_capacity(CUES_MAX),
            hum: None,
            songs: Vec::with_capacity(4),
            volumes,
            wanted: volumes,
            limit: 1.0,
        }
    }

    pub fn set_volumes(&mut self, volumes: Volumes) {
        self.wanted = volumes;
    }

    /// Plays a cue once, at a place from −128 (left) to 128 (right).
    pub fn play(&mut self, samples: Samples, pan: i8) {
        if self.cues.len() >= CUES_MAX {
            self.cues.remove(0);
        }
        let sides = sides(pan.into()).map(|side| side as f32 / 256.0);
        self.cues.push(CueVoice { samples, at: 0, sides });
    }

    /// What hums when the beam is charged.
    pub fn set_hum(&mut self, samples: Samples) {
        self.hum = Some(Hum { samples, at: 0, level: 0.0, goal: 0.0 });
    }

    /// Fades the hum to a level from 0 to 1.
    pub fn set_hum_level(&mut self, level: f32) {
        self.hum.iter_mut().for_each(|hum| hum.goal = level);
    }

    /// Plays a song in place of the one before; none is silence.
    pub fn set_song(&mut self, performance: Option<Box<Performance>>) {
        self.songs.iter_mut().for_each(|song| song.is_leaving = true);
        self.songs.extend(performance.map(SongVoice::new));
    }

    /// The next sample for the device, left and right, between −1 and 1.
    pub fn sample(&mut self) -> [f32; 2] {
        let (stride, fade) = (self.stride, 1.0 / (FADE_SECONDS * self.rate));
        self.fade_volumes();
        let mut sum = [0.0; 2];
        self.cues.retain_mut(|cue| cue.add(stride, self.volumes.sound, &mut sum));
        self.hum.iter_mut().for_each(|hum| hum.add(stride, fade, self.volumes.sound, &mut sum));
        self.songs.retain_mut(|song| song.add(stride, fade, self.volumes.music, &mut sum));
        self.limited(sum)
    }

    fn fade_volumes(&mut self) {
        let by = 1.0 / (VOLUME_SECONDS * self.rate);
        self.volumes.sound = nearer(self.volumes.sound, self.wanted.sound, by);
        self.volumes.music = nearer(self.volumes.music, self.wanted.music, by);
    }

    /// Turns everything down at once when it would clip, and slowly up again.
    fn limited(&mut self, sum: [f32; 2]) -> [f32; 2] {
        let peak = sum[0].abs().max(sum[1].abs());
        self.limit = nearer(self.limit, 1.0, 1.0 / (RELEASE_SECONDS * self.rate));
        if peak * self.limit > CEILING {
            self.limit = CEILING / peak;
        }
        sum.map(|side| side * self.limit)
    }
}

fn nearer(from: f32, to: f32, by: f32) -> f32 {
    from + (to - from).clamp(-by, by)
}

impl CueVoice {
    /// Adds its next sample; false if there is none.
    fn add(&mut self, stride: u64, volume: f32, sum: &mut [f32; 2]) -> bool {
        let index = (self.at / WHOLE) as usize;
        if index >= self.samples.len() {
            return false;
        }
        let at = |index: usize| f32::from(self.samples.get(index).copied().unwrap_or(0));
        let sample = (at(index) + (at(index + 1) - at(index)) * share(self.at)) / 32_768.0 * volume;
        sum.iter_mut().zip(self.sides).for_each(|(sum, side)| *sum += sample * side);
        self.at += stride;
        true
    }
}

impl Hum {
    fn add(&mut self, stride: u64, fade: f32, volume: f32, sum: &mut [f32; 2]) {
        self.level = nearer(self.level, self.goal, fade);
        let length = self.samples.len();
        if length == 0 || self.level <= 0.0 {
            return;
        }
        let at = |index: usize| f32::from(self.samples[index % length]);
        let index = (self.at / WHOLE) as usize;
        let sample = (at(index) + (at(index + 1) - at(index)) * share(self.at)) / 32_768.0;
        // In the middle both sides share the power.
        sum.iter_mut().for_each(|sum| *sum += sample * self.level * volume * std::f32::consts::FRAC_1_SQRT_2);
        let raised = stride + (stride as f32 * self.level) as u64;
        self.at = (self.at + raised) % (length as u64 * WHOLE);
    }
}

impl SongVoice {
    fn new(mut performance: Box<Performance>) -> SongVoice {
        let mut around = [[0; 2]; 4];
        performance.fill(&mut around[1..]);
        SongVoice { performance, around, part: 0, level: 0.0, is_leaving: false }
    }

    /// Adds its next sample; false if it has faded out.
    fn add(&mut self, stride: u64, fade: f32, volume: f32, sum: &mut [f32; 2]) -> bool {
        self.level = nearer(self.level, if self.is_leaving { 0.0 } else { 1.0 }, fade);
        for (side, sum) in sum.iter_mut().enumerate() {
            let points = self.around.map(|sample| f32::from(sample[side]));
            *sum += curve(points, share(self.part)) / 32_768.0 * self.level * volume;
        }
        self.part += stride;
        while self.part >= WHOLE {
            self.part -= WHOLE;
            self.around = [self.around[1], self.around[2], self.around[3], self.performance.sample()];
        }
        !(self.is_leaving && self.level <= 0.0)
    }
}

/// How far a place is behind the sample before it.
fn share(at: u64) -> f32 {
    (at % WHOLE) as f32 / WHOLE as f32
}

/// The curve after Catmull and Rom between the second and the third point: brighter than a straight line.
fn curve([a, b, c, d]: [f32; 4], share: f32) -> f32 {
    let (first, second) = ((c - a) / 2.0, a - 2.5 * b + 2.0 * c - d / 2.0);
    let third = (d - a) / 2.0 + 1.5 * (b - c);
    b + share * (first + share * (second + share * third))
}

#[cfg(test)]
mod tests {
    use client::sound::Song;

    use super::*;

    const ALL: Volumes = Volumes { sound: 1.0, music: 1.0 };

    fn samples(all: &[i16]) -> Samples {
        all.into()
    }

    fn is_about(a: f32, b: f32) -> bool {
        (a - b).abs() < 0.002
    }

    /// The loudest of the next samples, left and right.
    fn loudest(mixer: &mut Mixer, count: u32) -> [f32; 2] {
        (0..count).fold([0.0, 0.0], |loudest: [f32; 2], _| {
            let sample = mixer.sample();
            [loudest[0].max(sample[0].abs()), loudest[1].max(sample[1].abs())]
        })
    }

    #[test]
    fn a_cue_is_heard_once_where_it_is() {
        let mut mixer = Mixer::new(SAMPLE_RATE, ALL);
        mixer.play(samples(&[8192, -8192]), -128);
        let heard: Vec<[f32; 2]> = (0..4).map(|_| mixer.sample()).collect();
        assert_eq!(heard, [[0.25, 0.0], [-0.25, 0.0], [0.0; 2], [0.0; 2]]);
        mixer.play(samples(&[8192]), 0);
        let [left, right] = mixer.sample();
        assert!(left == right && is_about(left * left + right * right, 0.0625), "{left} {right}");
        mixer.play(samples(&[8192]), 88);
        let [left, right] = mixer.sample();
        assert!(right > 1.5 * left && left > 0.0, "{left} {right}");
    }

    #[test]
    fn another_rate_keeps_the_pitch() {
        let mut mixer = Mixer::new(2 * SAMPLE_RATE, ALL);
        mixer.play(samples(&[0, 8192, 0]), -128);
        let heard: Vec<f32> = (0..6).map(|_| mixer.sample()[0]).collect();
        assert_eq!(heard, [0.0, 0.125, 0.25, 0.125, 0.0, 0.0]);
    }

    #[test]
    fn a_song_is_in_stereo_and_fades_out_when_it_is_replaced() {
        let mut mixer = Mixer::new(48_000, ALL);
        mixer.set_song(Some(Box::new(Performance::new(Song::Title))));
        let [left, right] = loudest(&mut mixer, 96_000);
        assert!(left > 0.05 && right > 0.05, "{left} {right}");
        assert!((0..4_000).map(|_| mixer.sample()).any(|[left, right]| (left - right).abs() > 0.01), "it is wide");
        mixer.set_song(None);
        assert!(loudest(&mut mixer, 2_000)[0] > 0.0, "not at once");
        loudest(&mut mixer, 48_000);
        assert_eq!((loudest(&mut mixer, 100), mixer.songs.len()), ([0.0; 2], 0));
    }

    #[test]
    fn the_same_rate_changes_no_sample_of_a_song() {
        let mut mixer = Mixer::new(SAMPLE_RATE, ALL);
        mixer.set_song(Some(Box::new(Performance::new(Song::Boss))));
        loudest(&mut mixer, SAMPLE_RATE);
        let mut straight = Performance::new(Song::Boss);
        straight.fill(&mut vec![[0; 2]; SAMPLE_RATE as usize]);
        for _ in 0..1_000 {
            let (heard, expected) = (mixer.sample()[0], f32::from(straight.sample()[0]) / 32_768.0);
            assert!(is_about(heard, expected), "{heard} {expected}");
        }
    }

    #[test]
    fn a_hum_fades_to_its_level_and_rises() {
        let mut mixer = Mixer::new(SAMPLE_RATE, ALL);
        let wave: Vec<i16> = (0..100).map(|at| if at < 50 { 8_192 } else { -8_192 }).collect();
        mixer.set_hum(samples(&wave));
        let crossings = |mixer: &mut Mixer, level: f32| {
            mixer.set_hum_level(level);
            loudest(mixer, SAMPLE_RATE);
            let heard: Vec<f32> = (0..SAMPLE_RATE).map(|_| mixer.sample()[0]).collect();
            heard.windows(2).filter(|pair| pair[0] < 0.0 && pair[1] >= 0.0).count()
        };
        assert_eq!(crossings(&mut mixer, 0.0), 0);
        let (half, full) = (crossings(&mut mixer, 0.5), crossings(&mut mixer, 1.0));
        assert!((655..670).contains(&half) && (876..890).contains(&full), "{half} {full}");
    }

    #[test]
    fn however_much_is_played_nothing_clips() {
        let mut mixer = Mixer::new(48_000, ALL);
        for _ in 0..100 {
            mixer.play(samples(&[i16::MAX; 1000]), 0);
        }
        let [left, right] = loudest(&mut mixer, 1_000);
        assert!(left <= CEILING && right <= CEILING && left > 0.9, "{left} {right}");
    }

    #[test]
    fn volumes_change_smoothly() {
        let mut mixer = Mixer::new(48_000, ALL);
        mixer.set_volumes(Volumes { sound: 0.0, music: 1.0 });
        mixer.play(samples(&[16_000; 48_000]), -128);
        assert!(mixer.sample()[0] > 0.4, "not at once");
        loudest(&mut mixer, 4_000);
        assert_eq!(mixer.sample(), [0.0; 2]);
    }
}
