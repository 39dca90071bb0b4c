//! The machine's audio output. Cues are rendered at the start, on a thread of their own, so that the window does not wait;
//! songs are made while they are played.

use std::{
    sync::{
        Arc, OnceLock,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

use anyhow::{Context, bail};
use client::sound::{self, Cue, Heard, Performance, Song};
use cpal::{
    FromSample, SampleFormat, SizedSample, StreamConfig, SupportedStreamConfig,
    traits::{DeviceTrait, HostTrait, StreamTrait},
};

use crate::mixer::{Mixer, Samples, Volumes};

/// An open audio output.
pub struct Speaker {
    /// By the number of the cue; empty until they are rendered.
    cues: Arc<OnceLock<Vec<Samples>>>,
    commands: Sender<SoundCommand>,
    song: Option<Song>,
    hum: u8,
    volumes: Volumes,
    /// The sound stops when it is dropped.
    _stream: cpal::Stream,
}

/// What the audio thread is to do.
enum SoundCommand {
    Play(Samples, i8),
    SetHum(Samples),
    SetHumLevel(f32),
    SetSong(Option<Box<Performance>>),
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
        let cues = Arc::new(OnceLock::new());
        let (rendered, hum) = (Arc::clone(&cues), commands.clone());
        thread::Builder::new().name("cues".into()).spawn(move || render_cues(&rendered, &hum))?;
        Ok(Speaker { cues, commands, song: None, hum: 0, volumes, _stream: stream })
    }

    /// Plays a cue once.
    pub fn play(&self, heard: Heard) {
        if let Some(samples) = self.cues.get().and_then(|cues| cues.get(heard.cue as usize)) {
            self.send(SoundCommand::Play(samples.clone(), heard.pan));
        }
    }

    /// Sets the level of the hum; 0 is silence.
    pub fn hum(&mut self, level: u8) {
        if std::mem::replace(&mut self.hum, level) != level {
            self.send(SoundCommand::SetHumLevel(f32::from(level) / 255.0));
        }
    }

    /// Plays this song, unless it plays already; none is silence.
    pub fn song(&mut self, song: Option<Song>) {
        if self.song != song {
            self.song = song;
            self.send(SoundCommand::SetSong(song.map(|song| Box::new(Performance::new(song)))));
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

fn render_cues(cues: &OnceLock<Vec<Samples>>, commands: &Sender<SoundCommand>) {
    let all = cues.get_or_init(|| Cue::ALL.iter().map(|&cue| sound::render(cue).into()).collect());
    if let Some(hum) = all.get(Cue::ChargeHum as usize) {
        // A device that was unplugged takes no more commands; its error was printed already.
        let _ = commands.send(SoundCommand::SetHum(hum.clone()));
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
            let [left, right] = mixer.sample();
            match frame {
                [only] => *only = T::from_sample((left + right) / 2.0),
                // Further speakers stay silent.
                [first, second, others @ ..] => {
                    (*first, *second) = (T::from_sample(left), T::from_sample(right));
                    others.fill(T::EQUILIBRIUM);
                }
                [] => {}
            }
        }
    };
    let report = |error| eprintln!("volley-desktop: sound: {error}");
    device.build_output_stream(config, fill, report, None).context("cannot open the audio device")
}

fn execute(mixer: &mut Mixer, command: SoundCommand) {
    match command {
        SoundCommand::Play(samples, pan) => mixer.play(samples, pan),
        SoundCommand::SetHum(samples) => mixer.set_hum(samples),
        SoundCommand::SetHumLevel(level) => mixer.set_hum_level(level),
        SoundCommand::SetSong(performance) => mixer.set_song(performance),
        SoundCommand::SetVolumes(volumes) => mixer.set_volumes(volumes),
    }
}
