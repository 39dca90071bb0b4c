//! [`Client`]: all that a shell sees. A shell passes in what happened and when, shows the picture, plays the cues, and
//! carries out what [`Client::poll`] asks for.
//!
//! Methods come in three kinds: what happened (`key`, `pad`, `touch`, `text`, `blur`, `quit`, `connected`,
//! `disconnected`, `receive`, `scores`), time passing (`advance`), and what comes out (`poll`, `draw`, `sounds`, `hum`, `song`).
//! `orders.rs` carries out what a screen wants, `news.rs` what the server tells, `pace.rs` stops the time, `showing.rs` draws.

mod chat;
mod news;
mod orders;
mod pace;
mod showing;

use std::{collections::VecDeque, time::Duration};

use game::{Frame, GameState, Input};
use protocol::{Channel, LobbyDetails, LobbyId, LobbySummary, Output, Pace, Time};

use self::{
    chat::Chat,
    news::Return,
    pace::{Attention, Pacing},
};
use crate::{
    Key, Options, Pad, Phase, Score, Touch, cues,
    draw::Painter,
    input::{Command, Controls, Step, Thumbs},
    language::Word,
    link::{Change, Link},
    netcode::{Clock, Graph, Sample},
    play::Play,
    screens::{Order, Screen},
    settings::{Settings, VOLUME_MAX},
    sound::{Cue, Song},
};

/// What [`Client::poll`] wants done with the buffer that it filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Send it to the server as one datagram.
    Datagram,
    /// Send it down the stream.
    Stream,
    /// Close the stream, once what was sent before has left.
    CloseStream,
    /// From now on, send datagrams to this port of the server.
    DatagramsTo(u16),
    /// Connect to the server, and say [`Client::connected`] or [`Client::disconnected`].
    Connect,
    /// Cut the connection, once what was sent before has left. No answer is awaited.
    Disconnect,
    /// The player wants to share the lobby: its code is in the buffer.
    Share,
    /// Go to full screen, or back.
    FullScreen,
    /// Store the text in the buffer and start the next client with it, as [`Options::settings`].
    Keep,
    /// Fetch the table of high scores, and hand it in with [`Client::scores`].
    Scores,
}

/// Cues that wait to be taken; of more, the oldest are lost.
const CUES_MAX: usize = 32;
/// After the key that opens the chat, its character comes within this.
const DEAF: Duration = Duration::from_millis(20);
/// Ticks for which a notice is shown.
const NOTICE_TICKS: u32 = 240;

/// The game client.
///
/// Nothing that is passed in makes it panic: not any bytes, not keys in any order, not a clock that goes back.
pub struct Client {
    /// The latest moment that was passed in.
    now: Time,
    settings: Settings,
    controls: Controls,
    /// The finger that came down on a menu. It chooses where it is lifted; one that flew the ship chooses nothing.
    pointing: Option<u32>,
    clock: Clock,
    pacing: Pacing,
    attention: Attention,
    link: Link,
    /// What to ask for as soon as there is a connection.
    errand: Option<Order>,
    /// How a lost seat is being looked for again.
    returning: Option<Return>,
    /// Whether the game is to be started as soon as there is a seat, and does not run yet.
    starts: bool,
    /// The lobby in which a seat was asked for.
    joining: Option<LobbyId>,
    /// The lobby that the player is in or was last in.
    code: Option<LobbyId>,
    screen: Screen,
    play: Option<Play>,
    painter: Painter,
    lobbies: Vec<LobbySummary>,
    room: Option<LobbyDetails>,
    scores: Vec<Score>,
    chat: Chat,
    graph: Graph,
    graph_shown: bool,
    notice: Option<(Word, u32)>,
    /// What is heard, in words, and until when.
    caption: Option<(Word, u32)>,
    cues: Vec<Cue>,
    asked: VecDeque<(Action, Vec<u8>)>,
    /// The key that opened the chat is not the first thing that is said.
    deaf_until: Time,
    frame: Frame,
    bytes_before: u64,
}

impl Client {
    /// A client that has just been started.
    pub fn new(now: Time, options: Options) -> Client {
        let mut settings = Settings::read(&options.settings);
        if let Some(name) = &options.name {
            settings.name = crate::settings::decent_name(name);
        }
        let mut client = Client {
            now,
            settings,
            controls: Controls::default(),
            pointing: None,
            clock: Clock::default(),
            pacing: Pacing::default(),
            attention: Attention::Unknown,
            errand: None,
            returning: None,
            starts: false,
            joining: None,
            code: None,
            screen: Screen::title(),
            play: None,
            painter: Painter::new(),
            lobbies: Vec::new(),
            room: None,
            scores: Vec::new(),
            chat: Chat::default(),
            graph: Graph::default(),
            graph_shown: false,
            notice: None,
            caption: None,
            cues: Vec::new(),
            asked: VecDeque::new(),
            deaf_until: now,
            frame: Frame::default(),
            bytes_before: 0,
            link: Link::new(options.clone()),
        };
        client.set_out(&options);
        client
    }

    // ---- What happened ----

    /// A key went down or up. Repeats of a key that is held are ignored.
    pub fn key(&mut self, now: Time, key: Key, down: bool) {
        self.pass(now);
        let is_news = self.controls.key(key, down, &self.settings.bindings);
        if down {
            self.attention = Attention::Here;
        }
        // Backspace may repeat: it is for writing.
        if down && (is_news || key == Key::BACKSPACE) {
            self.press_key(key);
        }
    }

    /// A character was typed, for names and chat. Comes after its [`Client::key`].
    pub fn text(&mut self, now: Time, character: char) {
        self.pass(now);
        if self.now > self.deaf_until {
            self.screen.text(character);
        }
    }

    /// The gamepad as it stands now; several are merged by the shell.
    pub fn pad(&mut self, now: Time, pad: Pad) {
        self.pass(now);
        let (steps, menu) = self.controls.pad(pad);
        if pad.buttons != 0 {
            self.attention = Attention::Here;
        }
        let is_flying = self.is_flying();
        match &mut self.screen {
            Screen::Game(game) if menu => game.pause(),
            _ if is_flying => {}
            _ => steps.into_iter().for_each(|step| self.step(step)),
        }
    }

    /// A finger did something.
    pub fn touch(&mut self, now: Time, touch: Touch) {
        self.pass(now);
        self.attention = Attention::Here;
        self.controls.touch(touch);
        let Touch { finger, phase, x, y } = touch;
        match phase {
            Phase::Down if self.is_flying() => self.tap(x, y),
            Phase::Down => {
                self.pointing = Some(finger);
                self.step(Step::Point(x, y));
            }
            Phase::Move if self.pointing == Some(finger) => self.step(Step::Point(x, y)),
            Phase::Up if self.pointing == Some(finger) => {
                self.pointing = None;
                self.tap(x, y);
            }
            Phase::Move | Phase::Up => {}
        }
    }

    /// The mouse was clicked at a pixel of the picture. It chooses as a finger does, and flies nothing.
    pub fn click(&mut self, now: Time, x: i32, y: i32) {
        self.pass(now);
        self.attention = Attention::Here;
        self.tap(x, y);
    }

    fn tap(&mut self, x: i32, y: i32) {
        let is_flying = self.is_flying();
        match &mut self.screen {
            Screen::Game(game) if Thumbs::is_menu(x, y) => game.pause(),
            _ if is_flying => {}
            _ => self.step(self.screen.tapped(x, y, &self.context())),
        }
    }

    /// The window lost the keyboard: every key, button and finger is up, whatever was heard last. The game of who is alone
    /// stands still until they do something again.
    pub fn blur(&mut self, now: Time) {
        self.pass(now);
        self.controls.blur();
        if self.attention == Attention::Here {
            self.attention = Attention::Elsewhere;
        }
        self.pointing = None;
    }

    /// The player closes the client: a goodbye is said, and if there is a connection [`Action::Disconnect`] follows it.
    pub fn quit(&mut self, now: Time) {
        self.pass(now);
        if self.link.close(self.now) {
            self.ask_shell(Action::Disconnect, "");
        }
    }

    /// There is a connection, as [`Action::Connect`] asked.
    pub fn connected(&mut self, now: Time) {
        self.pass(now);
        self.link.connected(self.now, &self.settings.name);
        self.arrive();
    }

    /// There is no connection, or no longer.
    pub fn disconnected(&mut self, now: Time) {
        self.pass(now);
        if self.link.disconnected(self.now) == Change::Lost {
            self.lose();
        }
    }

    /// Bytes came from the server.
    pub fn receive(&mut self, now: Time, channel: Channel, bytes: &[u8]) {
        self.pass(now);
        self.link.receive(self.now, channel, bytes);
        self.hear();
    }

    /// The table of high scores, best first, as [`Action::Scores`] asked.
    pub fn scores(&mut self, now: Time, scores: Vec<Score>) {
        self.pass(now);
        self.scores = scores;
    }

    // ---- Time passing ----

    /// Lets time pass. To be called before each drawing; however long it was not called, it does not take long.
    pub fn advance(&mut self, now: Time) {
        self.pass(now);
        if self.link.advance(self.now) == Change::Lost {
            self.asked.push_back((Action::Disconnect, Vec::new()));
            self.lose();
        }
        if self.link.wants_connection(self.now) {
            self.asked.push_back((Action::Connect, Vec::new()));
        }
        self.hear();
        let due = self.clock.due(self.now);
        for _ in 0..due {
            self.tick();
        }
        // Who only watches may have come when it stood still already.
        let is_frozen = self.is_still() && self.play.as_ref().is_some_and(|play| play.own().is_some());
        if due > 0 && !is_frozen {
            self.show();
        }
    }

    // ---- What comes out ----

    /// Takes out the next thing that the shell is asked to do. `buffer` is emptied, then filled with its bytes.
    pub fn poll(&mut self, now: Time, buffer: &mut Vec<u8>) -> Option<Action> {
        self.pass(now);
        buffer.clear();
        // What the session still says goes before the connection is cut.
        let is_cut = matches!(self.asked.front(), Some((Action::Disconnect, _)));
        if !is_cut && let Some((action, bytes)) = self.asked.pop_front() {
            buffer.extend_from_slice(&bytes);
            return Some(action);
        }
        if let Some(output) = self.link.poll(self.now, buffer) {
            return Some(match output {
                Output::Datagram => Action::Datagram,
                Output::Stream => Action::Stream,
                Output::CloseStream => Action::CloseStream,
                Output::DatagramsTo(port) => Action::DatagramsTo(port),
            });
        }
        buffer.clear();
        self.asked.pop_front().map(|(action, _)| action)
    }

    /// Takes out the sounds that are to begin now.
    pub fn sounds(&mut self) -> Vec<Cue> {
        std::mem::take(&mut self.cues)
    }

    /// How loud [`Cue::ChargeHum`] sounds now, 0 (silent) to 255; its pitch may rise with it.
    pub fn hum(&self) -> u8 {
        let play = self.play.as_ref().filter(|_| !self.is_still());
        play.map_or(0, |play| cues::hum(play.frame(), play.own()))
    }

    /// The music for now.
    pub fn song(&self) -> Song {
        let Some(play) = &self.play else { return Song::Title };
        let has_boss = play.newest().entities.iter().any(|entity| game::tuning::boss(entity.kind).is_some());
        match play.newest().stage {
            _ if has_boss => Song::Boss,
            0 => Song::Endless,
            _ => Song::Stage1,
        }
    }

    /// Loudness of music and of sounds as the player set them, 0 to 1.
    pub fn volumes(&self) -> (f32, f32) {
        let share = |volume: u8| f32::from(volume) / f32::from(VOLUME_MAX);
        (share(self.settings.music), share(self.settings.sound))
    }

    /// Whether a name, a code or a line of chat is being written: then a phone has to show its keyboard.
    pub fn is_writing(&self) -> bool {
        self.screen.is_writing()
    }

    /// What is shown of the game now: every entity where it is drawn. None outside a game.
    pub fn shown(&self) -> Option<&Frame> {
        self.play.as_ref().map(Play::frame)
    }

    /// Whether the own ship is drawn held at something deadly until the server has said what came of it.
    pub fn is_held(&self) -> bool {
        self.play.as_ref().is_some_and(Play::is_held)
    }

    /// How much faster than nominal the clock runs, in 1/1,000, so that the server is neither starved nor flooded.
    pub fn bend_per_mille(&self) -> i32 {
        self.clock.bend_per_mille()
    }

    /// How the connection was in the last seconds.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    // ---- Within ----

    /// Time never goes back, whatever the shell's clock does.
    fn pass(&mut self, now: Time) {
        self.now = self.now.max(now);
    }

    fn press_key(&mut self, key: Key) {
        let command = self.settings.bindings.command(key);
        let (state, has_room) = (state_of(self.play.as_ref()), self.has_room());
        let is_writing = match &self.screen {
            Screen::Write(_) => true,
            Screen::Keys(keys) => keys.is_listening(),
            Screen::Game(game) => game.is_writing(),
            _ => false,
        };
        match (command, &mut self.screen) {
            (Some(Command::FullScreen), _) if !is_writing => self.ask_shell(Action::FullScreen, ""),
            (Some(Command::Graph), _) if !is_writing => self.graph_shown = !self.graph_shown,
            (command, Screen::Game(game)) if game.is_flying(state, has_room) => match command {
                Some(Command::Pause) => game.pause(),
                Some(Command::Chat) if self.link.has_lobbies() => {
                    game.chat();
                    self.deaf_until = self.now + DEAF;
                }
                _ => {}
            },
            (Some(Command::Pause), Screen::Game(game)) if game.is_paused() => game.pause(),
            _ => self.press_screen(key),
        }
    }

    fn tick(&mut self) {
        if self.keep_pace() == Pace::Paused {
            return self.stand();
        }
        let input = if self.is_flying() { self.controls.take(self.settings.one_button) } else { self.controls.rest() };
        self.fly(input);
        let stats = self.link.stats().unwrap_or_default();
        let bytes = self.link.bytes_in();
        if let Some(play) = &mut self.play {
            self.graph.push(Sample {
                round_trip_ms: stats.round_trip.as_millis().min(9_999) as u32,
                loss_percent: stats.loss_percent.into(),
                frame_age_ms: play.age_ms(self.now),
                correction: play.take_correction(),
                bytes: (bytes - self.bytes_before) as u32,
            });
        }
        self.bytes_before = bytes;
    }

    fn fly(&mut self, input: Input) {
        let sequence = self.link.press(self.now, input);
        if let Some(play) = &mut self.play {
            play.sit(self.link.seat());
            play.press(sequence, input);
        }
    }

    /// Takes in what was received.
    fn hear(&mut self) {
        while let Some(news) = self.link.news() {
            self.learn(news);
        }
        let mut frame = std::mem::take(&mut self.frame);
        if let Some(told) = self.link.take_frame(&mut frame)
            && let Some(play) = &mut self.play
        {
            let state = play.newest().state;
            play.receive(self.now, &frame, told.map(|(applied, _)| applied));
            // Before the first input has arrived, that there is none says nothing.
            if let Some((1.., waiting)) = told.filter(|_| self.pacing.now() != Pace::Paused) {
                self.clock.report(waiting);
            }
            self.starts &= frame.state == GameState::Waiting;
            if frame.state == GameState::Lost && state != GameState::Lost {
                self.ask_shell(Action::Scores, "");
            }
        }
        self.frame = frame;
    }

    fn ask_shell(&mut self, action: Action, text: &str) {
        self.asked.push_back((action, text.as_bytes().to_vec()));
    }

    fn sound(&mut self, cue: Cue) {
        if self.cues.len() < CUES_MAX {
            self.cues.push(cue);
        }
        if let Some(word) = cues::caption(cue).filter(|_| self.settings.captions) {
            self.caption = Some((word, self.clock.ticks().wrapping_add(NOTICE_TICKS / 2)));
        }
    }

    /// Whether keys, pad and fingers fly the ship.
    fn is_flying(&self) -> bool {
        match &self.screen {
            Screen::Game(game) => game.is_flying(state_of(self.play.as_ref()), self.has_room()),
            _ => false,
        }
    }

    /// Whether the player waits in a room, rather than for a game that starts at once.
    fn has_room(&self) -> bool {
        self.room.is_some() && !self.starts
    }

    fn notify(&mut self, word: Word) {
        self.notice = Some((word, self.clock.ticks().wrapping_add(NOTICE_TICKS)));
    }
}

/// The state of the game that is seen.
fn state_of(play: Option<&Play>) -> GameState {
    play.map_or(GameState::Waiting, |play| play.newest().state)
}
