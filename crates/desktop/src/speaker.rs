//! The machine's loudspeaker. Cues are rendered at once; songs when they are first wanted, on a thread of their own,
//! because one takes a fraction of a second.

use std::{
    collections::HashMap,
    sync::mpsc::{Receiver, Sender, channel},
    thread,
};

use anyhow::{Context, bail};
use client::sound::{self, Cue, Song};
use cpal::{
    FromSample, SampleFormat, SizedSample, StreamConfig, SupportedStreamConfig,
    traits::{DeviceTrait, HostTrait, StreamTrait},
};

use crate::mixer::{Loop, Mixer, Samples, Volumes};

/// An open loudspeaker.
pub struct Speaker {
    cues: Vec<Samples>,
    orders: Sender<Order>,
    songs: Sender<Song>,
    song: Option<Song>,
    hum: u8,
    volumes: Volumes,
    /// Sound ends with it.
    _stream: cpal::Stream,
}

/// What the thread of the sound is told.
enum Order {
    Play(Samples),
    GoOn(Loop, Option<Samples>),
    Level(Loop, f32),
    Volumes(Volumes),
}

impl Speaker {
    /// None, with a line that says so, where nothing can be heard.
    pub fn open() -> Option<Speaker> {
        Speaker::try_open().inspect_err(|error| eprintln!("volley-desktop: no sound, the game goes on: {error:#}")).ok()
    }

    fn try_open() -> anyhow::Result<Speaker> {
        // The library below writes a page about a loudspeaker that is not there; one line of ours is enough.
        #[cfg(target_os = "linux")]
        let _unheard = alsa::Output::local_error_handler();
        let device = cpal::default_host().default_output_device().context("there is no loudspeaker")?;
        let format = device.default_output_config().context("the loudspeaker does not say what it plays")?;
        let volumes = Volumes { sound: 1.0, music: 1.0 };
        let (orders, inbox) = channel();
        let stream = start(&device, &format, Mixer::new(format.sample_rate(), volumes), inbox)?;
        stream.play().context("the loudspeaker does not start")?;
        let (songs, wanted) = channel();
        let forward = orders.clone();
        thread::Builder::new().name("songs".into()).spawn(move || render_songs(&wanted, &forward))?;
        let cues = Cue::ALL.into_iter().map(|cue| sound::render(cue).into()).collect();
        Ok(Speaker { cues, orders, songs, song: None, hum: 0, volumes, _stream: stream })
    }

    /// Plays a cue once.
    pub fn play(&self, cue: Cue) {
        if let Some(samples) = self.cues.get(cue as usize) {
            self.order(Order::Play(samples.clone()));
        }
    }

    /// Hums so loud; 0 is silence.
    pub fn hum(&mut self, level: u8) {
        let before = std::mem::replace(&mut self.hum, level);
        if (before == 0) != (level == 0) {
            let samples = self.cues.get(Cue::ChargeHum as usize).filter(|_| level > 0).cloned();
            self.order(Order::GoOn(Loop::Hum, samples));
        }
        if before != level && level > 0 {
            self.order(Order::Level(Loop::Hum, f32::from(level) / 255.0));
        }
    }

    /// Plays this song.
    pub fn song(&mut self, song: Song) {
        if self.song.replace(song) != Some(song) {
            // Without its thread there is no music; it ends only with the game.
            let _ = self.songs.send(song);
        }
    }

    /// How loud.
    pub fn volumes(&mut self, volumes: Volumes) {
        if std::mem::replace(&mut self.volumes, volumes) != volumes {
            self.order(Order::Volumes(volumes));
        }
    }

    fn order(&self, order: Order) {
        // A loudspeaker that was unplugged takes no more orders, and was told of already.
        let _ = self.orders.send(order);
    }
}

fn render_songs(wanted: &Receiver<Song>, orders: &Sender<Order>) {
    let mut known: HashMap<Song, Samples> = HashMap::new();
    while let Ok(mut song) = wanted.recv() {
        // Only the latest wish counts.
        while let Ok(later) = wanted.try_recv() {
            song = later;
        }
        let samples = known.entry(song).or_insert_with(|| sound::song(song).into()).clone();
        if orders.send(Order::GoOn(Loop::Song, Some(samples))).is_err() {
            return;
        }
    }
}

fn start(
    device: &cpal::Device,
    format: &SupportedStreamConfig,
    mixer: Mixer,
    orders: Receiver<Order>,
) -> anyhow::Result<cpal::Stream> {
    let config = format.config();
    match format.sample_format() {
        SampleFormat::F32 => start_with::<f32>(device, config, mixer, orders),
        SampleFormat::I16 => start_with::<i16>(device, config, mixer, orders),
        SampleFormat::I32 => start_with::<i32>(device, config, mixer, orders),
        SampleFormat::U16 => start_with::<u16>(device, config, mixer, orders),
        SampleFormat::U8 => start_with::<u8>(device, config, mixer, orders),
        other => bail!("the loudspeaker wants samples of the kind {other}"),
    }
}

fn start_with<T: SizedSample + FromSample<f32>>(
    device: &cpal::Device,
    config: StreamConfig,
    mut mixer: Mixer,
    orders: Receiver<Order>,
) -> anyhow::Result<cpal::Stream> {
    let channels = usize::from(config.channels).max(1);
    let fill = move |data: &mut [T], _: &cpal::OutputCallbackInfo| {
        orders.try_iter().for_each(|order| obey(&mut mixer, order));
        for frame in data.chunks_mut(channels) {
            frame.fill(T::from_sample(mixer.sample()));
        }
    };
    let complain = |error| eprintln!("volley-desktop: sound: {error}");
    device.build_output_stream(config, fill, complain, None).context("the loudspeaker cannot be opened")
}

fn obey(mixer: &mut Mixer, order: Order) {
    match order {
        Order::Play(samples) => mixer.play(samples),
        Order::GoOn(which, samples) => mixer.go_on(which, samples),
        Order::Level(which, level) => mixer.set_level(which, level),
        Order::Volumes(volumes) => mixer.set_volumes(volumes),
    }
}
