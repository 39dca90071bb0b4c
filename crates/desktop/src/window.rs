//! The window: passes its events to the client, shows the picture and plays the sounds.

use std::{
    num::NonZeroU32,
    rc::Rc,
    time::{Duration, Instant},
};

use anyhow::{Context, anyhow};
use client::{
    Touch,
    draw::{Picture, Scaling},
};
use winit::{
    application::ApplicationHandler,
    dpi::{LogicalSize, PhysicalSize},
    event::{ElementState, KeyEvent, WindowEvent},
    event_loop::{ActiveEventLoop, ControlFlow, EventLoop, OwnedDisplayHandle},
    keyboard::ModifiersState,
    window::{Fullscreen, Window, WindowId},
};

use crate::{
    client_driver::{ClientDriver, WindowTask},
    clipboard::Clipboard,
    keys,
    mixer::Volumes,
    own_games::OwnGames,
    pads::Pads,
    scores::Scores,
    settings::Settings,
    speaker::Speaker,
    viewport::{self, Pixels, Viewport},
};

const WIDTH: usize = Picture::WIDTH as usize;
const HEIGHT: usize = Picture::HEIGHT as usize;
/// Pictures a second if the screen does not say, and the most on a fast screen.
const RATE_USUAL: u32 = 60;
const RATE_MAX: u32 = 240;
/// How often received bytes are passed on between two pictures.
const RECEIVE_EVERY: Duration = Duration::from_millis(4);
/// A new window takes at most this part of the screen.
const PART_OF_SCREEN: (u32, u32) = (4, 5);

/// What the window connects to each other.
pub struct Parts {
    pub driver: ClientDriver,
    pub scores: Option<Scores>,
    pub own_games: OwnGames,
    pub settings: Settings,
    pub speaker: Option<Speaker>,
    pub pads: Option<Pads>,
    pub is_full_screen: bool,
}

/// Shows the window and plays until it is closed.
pub fn run(parts: Parts) -> anyhow::Result<()> {
    let events = EventLoop::new().context("there is no display to open a window on")?;
    let context = softbuffer::Context::new(events.owned_display_handle())
        .map_err(|error| anyhow!("cannot draw on this screen: {error}"))?;
    let mut shell = Shell {
        parts,
        context,
        shown: None,
        picture: Picture::new(),
        clipboard: Clipboard::default(),
        modifiers: ModifiersState::empty(),
        next: Instant::now(),
        period: Duration::from_secs(1) / RATE_USUAL,
        fault: None,
    };
    events.run_app(&mut shell)?;
    shell.fault.map_or(Ok(()), Err)
}

type Surface = softbuffer::Surface<OwnedDisplayHandle, Rc<Window>>;

struct Shell {
    parts: Parts,
    context: softbuffer::Context<OwnedDisplayHandle>,
    shown: Option<ShownWindow>,
    picture: Picture,
    clipboard: Clipboard,
    modifiers: ModifiersState,
    /// When the next picture is due.
    next: Instant,
    period: Duration,
    /// The error that ended it.
    fault: Option<anyhow::Error>,
}

struct ShownWindow {
    window: Rc<Window>,
    surface: Surface,
}

impl ApplicationHandler for Shell {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        if self.shown.is_none()
            && let Err(error) = self.show(events)
        {
            self.fail(events, error);
        }
    }

    fn window_event(&mut self, events: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let now = self.parts.driver.now();
        match event {
            WindowEvent::CloseRequested => events.exit(),
            WindowEvent::RedrawRequested => {
                if let Err(error) = self.draw() {
                    self.fail(events, error);
                }
            }
            WindowEvent::Focused(false) => self.parts.driver.client.blur(now),
            WindowEvent::ModifiersChanged(modifiers) => self.modifiers = modifiers.state(),
            WindowEvent::KeyboardInput { event, is_synthetic: false, .. } => self.key(&event),
            WindowEvent::Touch(touch) => {
                let (x, y) = self.viewport().to_picture(touch.location.x, touch.location.y);
                let touch = Touch { finger: touch.id as u32, phase: keys::phase(touch.phase), x, y };
                self.parts.driver.client.touch(now, touch);
            }
            _ => {}
        }
    }

    /// The game goes on at its own pace, even while the window cannot be seen.
    fn about_to_wait(&mut self, events: &ActiveEventLoop) {
        let now = Instant::now();
        if now >= self.next {
            self.advance();
            // If it is late by more than a picture, the ones in between are left out.
            self.next = (self.next + self.period).max(now);
        } else {
            self.parts.driver.receive();
        }
        events.set_control_flow(ControlFlow::WaitUntil(self.next.min(now + RECEIVE_EVERY)));
    }

    fn exiting(&mut self, _: &ActiveEventLoop) {
        self.parts.driver.leave();
    }
}

impl Shell {
    fn show(&mut self, events: &ActiveEventLoop) -> anyhow::Result<()> {
        let screen = events.primary_monitor().or_else(|| events.available_monitors().next());
        let rate =
            screen.as_ref().and_then(|screen| screen.refresh_rate_millihertz()).map_or(RATE_USUAL, |rate| rate / 1000);
        self.period = Duration::from_secs(1) / rate.clamp(RATE_USUAL / 2, RATE_MAX);
        let full = self.parts.is_full_screen.then_some(Fullscreen::Borderless(None));
        let attributes = Window::default_attributes()
            .with_title("Volley")
            .with_inner_size(first_size(screen.map(|screen| screen.size())))
            .with_min_inner_size(LogicalSize::new(WIDTH as u32, HEIGHT as u32))
            .with_fullscreen(full);
        let window = Rc::new(events.create_window(attributes).context("cannot open a window")?);
        let surface = Surface::new(&self.context, Rc::clone(&window))
            .map_err(|error| anyhow!("cannot draw in the window: {error}"))?;
        self.shown = Some(ShownWindow { window, surface });
        Ok(())
    }

    fn fail(&mut self, events: &ActiveEventLoop, error: anyhow::Error) {
        self.fault.get_or_insert(error);
        events.exit();
    }

    fn key(&mut self, event: &KeyEvent) {
        let now = self.parts.driver.now();
        let is_down = event.state == ElementState::Pressed;
        if keys::is_full_screen(event.physical_key, self.modifiers.alt_key()) {
            if is_down && !event.repeat {
                self.toggle_full_screen();
            }
            return;
        }
        let client = &mut self.parts.driver.client;
        if let Some(key) = keys::key(event.physical_key) {
            client.key(now, key, is_down);
        }
        if let Some(text) = event.text.as_ref().filter(|_| is_down) {
            text.chars().filter(|character| !character.is_control()).for_each(|character| client.text(now, character));
        }
    }

    fn advance(&mut self) {
        let now = self.parts.driver.now();
        if let Some(pad) = self.parts.pads.as_mut().and_then(Pads::changed) {
            self.parts.driver.client.pad(now, pad);
        }
        if let Some((query, table)) = self.parts.scores.as_ref().and_then(Scores::fetched) {
            self.parts.driver.client.scores(now, &query, table);
        }
        if let Some(file) = self.parts.scores.as_ref().and_then(Scores::fetched_replay)
            && let Err(why) = self.parts.driver.show_replay(&file)
        {
            eprintln!("volley-desktop: the replay cannot be played: {why}");
        }
        if let Some((key, file)) = self.parts.scores.as_ref().and_then(Scores::fetched_recording) {
            self.parts.driver.client.recorded(now, &key, file);
        }
        for task in self.parts.driver.advance() {
            self.execute(task);
        }
        self.play_sounds();
        if let Some(shown) = &self.shown {
            shown.window.request_redraw();
        }
    }

    fn play_sounds(&mut self) {
        let client = &mut self.parts.driver.client;
        let cues = client.sounds();
        let Some(speaker) = &mut self.parts.speaker else { return };
        cues.into_iter().for_each(|heard| speaker.play(heard));
        speaker.hum(client.hum());
        speaker.song(client.song());
        let (music, sound) = client.volumes();
        speaker.set_volumes(Volumes { sound, music });
    }

    fn execute(&mut self, task: WindowTask) {
        match task {
            WindowTask::FullScreen => self.toggle_full_screen(),
            WindowTask::ShareLobby(code) => self.share(&code),
            WindowTask::StoreSettings(text) => self.parts.settings.store(&text),
            WindowTask::FetchReplay(game) => {
                self.parts.scores.iter().for_each(|scores| scores.fetch_replay(game.clone()))
            }
            WindowTask::FetchRecording(key) => {
                self.parts.scores.iter().for_each(|scores| scores.fetch_recording(key.clone()))
            }
            WindowTask::LoadGhost(table) => {
                let now = self.parts.driver.now();
                self.parts.driver.client.ghost(now, &table, &self.parts.own_games.load(&table));
            }
            WindowTask::StoreGhost(table, run) => self.parts.own_games.store(&table, &run),
            WindowTask::SaveReplay(name, file) => self.save_replay(&name, &file),
            WindowTask::FetchScores(query) => self.parts.scores.iter().for_each(|scores| scores.fetch(query.clone())),
        }
    }

    fn save_replay(&mut self, name: &str, file: &[u8]) {
        let saved = self.parts.own_games.save_replay(name, file);
        match &saved {
            Ok(path) => println!("Replay saved: {}", path.display()),
            Err(error) => eprintln!("volley-desktop: the replay cannot be saved: {error}"),
        }
        let now = self.parts.driver.now();
        self.parts.driver.client.replay_saved(now, saved.is_ok());
    }

    fn share(&mut self, code: &str) {
        println!("Lobby {code}: others can join it with --lobby {code}");
        let link = self.parts.driver.client.link();
        link.iter().for_each(|link| println!("In a browser: {link}"));
        if let Some(shown) = &self.shown {
            shown.window.set_title(&format!("Volley: lobby {code}"));
        }
        let is_copied = self.clipboard.copy(link.as_deref().unwrap_or(code));
        let now = self.parts.driver.now();
        self.parts.driver.client.lobby_shared(now, is_copied);
    }

    fn toggle_full_screen(&mut self) {
        let Some(ShownWindow { window, .. }) = &self.shown else { return };
        let is_full = window.fullscreen().is_some();
        window.set_fullscreen((!is_full).then_some(Fullscreen::Borderless(None)));
        window.set_cursor_visible(is_full);
    }

    fn viewport(&self) -> Viewport {
        let size = self.shown.as_ref().map_or(PhysicalSize::new(0, 0), |shown| shown.window.inner_size());
        let scaling = self.parts.driver.client.scaling();
        Viewport::of((WIDTH, HEIGHT), (size.width as usize, size.height as usize), scaling)
    }

    fn draw(&mut self) -> anyhow::Result<()> {
        let Some(ShownWindow { window, surface }) = &mut self.shown else { return Ok(()) };
        let size = window.inner_size();
        // A minimised window has no pixels.
        let (Some(width), Some(height)) = (NonZeroU32::new(size.width), NonZeroU32::new(size.height)) else {
            return Ok(());
        };
        self.parts.driver.client.draw(self.parts.driver.now(), &mut self.picture);
        let failed = |error| anyhow!("cannot draw in the window: {error}");
        surface.resize(width, height).map_err(failed)?;
        let mut buffer = surface.buffer_mut().map_err(failed)?;
        let pixels = Pixels { rgba: self.picture.rgba(), width: WIDTH, height: HEIGHT };
        let scaling = self.parts.driver.client.scaling();
        let viewport = Viewport::of((WIDTH, HEIGHT), (size.width as usize, size.height as usize), scaling);
        viewport::show(pixels, viewport, &mut buffer, size.width as usize);
        window.pre_present_notify();
        buffer.present().map_err(failed)
    }
}

/// The largest whole multiple of the picture that leaves part of the screen free.
fn first_size(screen: Option<PhysicalSize<u32>>) -> PhysicalSize<u32> {
    let free = |length: u32| (length * PART_OF_SCREEN.0 / PART_OF_SCREEN.1) as usize;
    let window = screen.map_or((2 * WIDTH, 2 * HEIGHT), |screen| (free(screen.width), free(screen.height)));
    let scale = Viewport::of((WIDTH, HEIGHT), window, Scaling::Whole).scale as usize;
    PhysicalSize::new((scale * WIDTH) as u32, (scale * HEIGHT) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_window_fits_on_the_screen() {
        let size = |width, height| first_size(Some(PhysicalSize::new(width, height)));
        assert_eq!(size(1920, 1080), PhysicalSize::new(1440, 810));
        assert_eq!(size(1366, 768), PhysicalSize::new(960, 540));
        assert_eq!(size(640, 480), PhysicalSize::new(480, 270));
        assert_eq!(first_size(None), PhysicalSize::new(960, 540));
    }
}
