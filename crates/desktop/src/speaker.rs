//! The machine's audio output. Cues are rendered at the start; songs when they are first needed, on a thread of their own,
//! because each takes a fraction of a second.

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

/// An open audio output.
pub struct Speaker {
    cues: Vec<Samples>,
    commands: Sender<SoundCommand>,
    songs: Sender<Song>,
    song: Option<Song>,
    hum: u8,
    volumes: Volumes,
    /// The sound stops when it is dropped.
    _stream: cpal::Stream,
}

/// What the audio thread is to do.
enum SoundCommand {
    Play(Samples),
    SetLoop(Loop, Option<Samples>),
    SetLevel(Loop, f32),
    SetVolumes(Volumes),
}

impl Speaker {
    /// Opens the default output. If there is none, a line says so.
    pub fn open() -> Option<Speaker> {
        Speaker::try_open().inspect_err(|error| eprintln!("volley-desktop: playing without sound: {error:#}")).ok()
    }

    fn try_open() -> anyhow::Result<Speaker> {
        // ALSA would print a page about a missing device; one line of ours is enough.
        #[cfg(target_os = "linux")]
        let _unheard = alsa::Output::local_error_handler();
        let device = cpal::default_host().default_output_device().context("there is no audio device")?;
        let format = device.default_output_config().context("the audio device does not say which formats it plays")?;
        let volumes = Volumes { sound: 1.0, music: 1.0 };
        let (commands, inbox) = channel();
        let stream = start(&device, &format, Mixer::new(format.sample_rate(), volumes), inbox)?;
        stream.play().context("the audio device does not start")?;
        let (songs, wanted) = channel();
        let forward = commands.clone();
        thread::Builder::new().name("songs".into()).spawn(move || render_songs(&wanted, &forward))?;
        let cues = Cue::ALL.into_iter().map(|cue| sound::render(cue).into()).collect();
        Ok(Speaker { cues, commands, songs, song: None, hum: 0, volumes, _stream: stream })
    }

    /// Plays a cue once.
    pub fn play(&self, cue: Cue) {
        if let Some(samples) = self.cues.get(cue as usize) {
            self.send(SoundCommand::Play(samples.clone()));
        }
    }

    /// Sets the level of the hum; 0 is silence.
    pub fn hum(&mut self, level: u8) {
        let before = std::mem::replace(&mut self.hum, level);
        if (before == 0) != (level == 0) {
            let samples = self.cues.get(Cue::ChargeHum as usize).filter(|_| level > 0).cloned();
            self.send(SoundCommand::SetLoop(Loop::Hum, samples));
        }
        if before != level && level > 0 {
            self.send(SoundCommand::SetLevel(Loop::Hum, f32::from(level) / 255.0));
        }
    }

    /// Plays this song, unless it plays already.
    pub fn song(&mut self, song: Song) {
        if self.song.replace(song) != Some(song) {
            // The thread that renders songs ends only with the game.
            let _ = self.songs.send(song);
        }
    }

    pub fn set_volumes(&mut self, volumes: Volumes) {
        if std::mem::replace(&mut self.volumes, volumes) != volumes {
            self.send(SoundCommand::SetVolumes(volumes));
        }
    }

    fn send(&self, command: SoundCommand) {
        // A device that was unplugged takes no more commands; its error was printed already.
        let _ = self.commands.send(command);
    }
}

fn render_songs(wanted: &Receiver<Song>, commands: &Sender<SoundCommand>) {
    let mut known: HashMap<Song, Samples> = HashMap::new();
    while let Ok(mut song) = wanted.recv() {
        // Only the latest song counts.
        while let Ok(later) = wanted.try_recv() {
            song = later;
        }
        let samples = known.entry(song).or_insert_with(|| sound::song(song).into()).clone();
        if commands.send(SoundCommand::SetLoop(Loop::Song, Some(samples))).is_err() {
            return;
        }
    }
}

fn start(
    device: &cpal::Device,
    format: &SupportedStreamConfig,
    mixer: Mixer,
    commands: Receiver<SoundCommand>,
) -> anyhow::Result<cpal::Stream> {
    let config = format.config();
    match format.sample_format() {
        SampleFormat::F32 => start_with::<f32>(device, config, mixer, commands),
        SampleFormat::I16 => start_with::<i16>(device, config, mixer, commands),
        SampleFormat::I32 => start_with::<i32>(device, config, mixer, commands),
        SampleFormat::U16 => start_with::<u16>(device, config, mixer, commands),
        SampleFormat::U8 => start_with::<u8>(device, config, mixer, commands),
        other => bail!("the audio device needs the sample format {other}, which is not supported"),
    }
}

fn start_with<T: SizedSample + FromSample<f32>>(
    device: &cpal::Device,
    config: StreamConfig,
    mut mixer: Mixer,
    commands: Receiver<SoundCommand>,
) -> anyhow::Result<cpal::Stream> {
    let channels = usize::from(config.channels).max(1);
    let fill = move |data: &mut [T], _: &cpal::OutputCallbackInfo| {
        commands.try_iter().for_each(|command| execute(&mut mixer, command));
        for frame in data.chunks_mut(channels) {
            frame.fill(T::from_sample(mixer.sample()));
        }
    };
    let report = |error| eprintln!("volley-desktop: sound: {error}");
    device.build_output_stream(config, fill, report, None).context("cannot open the audio device")
}

fn execute(mixer: &mut Mixer, command: SoundCommand) {
    match command {
        SoundCommand::Play(samples) => mixer.play(samples),
        SoundCommand::SetLoop(which, samples) => mixer.set_loop(which, samples),
        SoundCommand::SetLevel(which, level) => mixer.set_level(which, level),
        SoundCommand::SetVolumes(volumes) => mixer.set_volumes(volumes),
    }
}
