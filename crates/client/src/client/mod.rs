//! [`Client`]: all that a shell sees. A shell passes in what happened and when, shows the picture, plays the cues, and
//! does what [`Client::poll`] asks for.
//!
//! Methods come in three kinds: what happened (`key`, `pad`, `touch`, `text`, `blur` in `devices.rs`; `quit`, `connected`,
//! `disconnected`, `receive`, `scores`), time passing (`advance`), and what comes out (`poll`, `draw`, `sounds`, `hum`,
//! `song`). `commands.rs` does what a screen wants, `lobby_notices.rs` reacts to the server, `pace.rs` pauses, `drawing.rs`
//! draws, `listening.rs` decides what is heard.

mod announcements;
mod causes;
pub(crate) mod chat;
mod commands;
mod devices;
mod drawing;
mod emotes;
mod faults;
mod feed;
mod game_over;
mod ghost;
mod listening;
mod lobby_list;
mod lobby_notices;
mod pace;
mod progress;
mod replaying;
mod teaching;

use std::collections::VecDeque;

use game::{Frame, GameState, Input, Rules};
use protocol::{Channel, GameId, LobbyId, Output, Pace, Tally, Time};

use self::{
    announcements::Announcements,
    chat::Chat,
    emotes::Emotes,
    feed::Feed,
    game_over::GameOver,
    ghost::Ghosts,
    listening::Listening,
    lobby_list::LobbyList,
    lobby_notices::RejoinStep,
    pace::{Focus, Pacing},
    teaching::Teaching,
};
use crate::{
    Key, Options,
    connection::{Change, Connection},
    demo::Demo,
    draw::{Font, Painter, Scaling},
    game_view::GameView,
    input::{Device, KeyLabels, KeyState},
    invitation::Invitation,
    language::Phrase,
    netcode::{Clock, Graph, Sample},
    screens::{IDLE_TICKS, KnownLobby, Lobbies, Practice, Scores, Screen, ScreenCommand, Title},
    settings::{QUEUE_MAX_MS, Settings},
    tables::{Board, Table, Tables},
};

/// What [`Client::poll`] asks the shell to do with the buffer that it filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Task {
    /// Send it to the server as one datagram.
    Datagram,
    /// Send it down the stream.
    Stream,
    /// Close the stream, once what was sent before has left.
    CloseStream,
    /// From now on, send datagrams to this port of the server.
    DatagramsTo(u16),
    /// Connect to the server, then call [`Client::connected`] or [`Client::disconnected`].
    Connect,
    /// Cut the connection, once what was sent before has left. Do not report back.
    Disconnect,
    /// Help the player share the lobby: its code is in the buffer.
    ShareLobby,
    /// Switch to full screen, or back.
    FullScreen,
    /// Store the text in the buffer and start the next client with it, as [`Options::settings`].
    StoreSettings,
    /// Fetch the recording of a game and pass it to [`Client::open_replay`]. The id of the game is in the buffer.
    FetchReplay,
    /// Fetch the recording of a game that the player has just played alone, and pass it to [`Client::recorded`]. Its key is in the
    /// buffer. If the server has none, there is nothing to do.
    FetchRecording,
    /// Store the recording in the buffer as a file of the player's, and call [`Client::replay_saved`]. Before it, in a line of its own,
    /// is the name of the file.
    SaveReplay,
    /// Pass what is kept for a table to [`Client::ghost`], or nothing. The name of the table is in the buffer.
    LoadGhost,
    /// Keep the bytes in the buffer for [`Task::LoadGhost`]. Before them, in a line of its own, is the name of the table.
    StoreGhost,
    /// Fetch a table of high scores and pass it to [`Client::scores`]. The query of `/api/scores` is in the buffer.
    FetchScores,
}

/// How often an idle title asks for another table, as long as those that it knows are empty.
const TABLE_EVERY_TICKS: u32 = 15;
/// Ticks for which a notice is shown.
const NOTICE_TICKS: u32 = 240;

/// The game client.
///
/// Nothing that is passed in makes it panic: not any bytes, not keys in any order, not a clock that goes back.
pub struct Client {
    /// The latest time that was passed in.
    now: Time,
    settings: Settings,
    key_state: KeyState,
    key_labels: KeyLabels,
    /// The key that is down and may have typed the next character.
    typing_key: Option<Key>,
    /// What the player used last.
    device: Device,
    is_small_screen: bool,
    /// The finger that came down on a menu. It chooses where it is lifted; a finger that flew the ship chooses nothing.
    pointing: Option<u32>,
    clock: Clock,
    pacing: Pacing,
    focus: Focus,
    connection: Connection,
    /// What to do as soon as there is a connection.
    pending_command: Option<ScreenCommand>,
    /// How far the search for a lost seat has come.
    rejoining: Option<RejoinStep>,
    /// Whether to start the game as soon as there is a seat.
    start_when_seated: bool,
    /// Whether it is to be started as soon as the lobby has said who may.
    start_is_due: bool,
    /// What began the game that the player plays in a lobby of their own.
    own_game: Option<ScreenCommand>,
    /// The stage of a lobby that is created without a choice.
    default_stage: String,
    /// The lobby in which a seat was asked for.
    joining: Option<LobbyId>,
    /// When it is asked for again, because the game there is over.
    joins_again_at: Option<Time>,
    /// The lobby that the player is in, or was last in.
    code: Option<LobbyId>,
    screen: Screen,
    /// The title as it was last: its cursor stays where it was. And what was chosen last on two other screens.
    title: Title,
    practice: Practice,
    scores: Scores,
    /// The list of lobbies as it was last, for those who come back from a screen behind it.
    lobbies: Lobbies,
    /// The game behind the menus.
    demo: Option<Demo>,
    /// The tick in which the player last did something.
    active_at: u32,
    game_view: Option<GameView>,
    painter: Painter,
    announcements: Announcements,
    lobby_list: LobbyList,
    lobby: Option<KnownLobby>,
    /// The rules of the lobby, if they are known.
    rules: Option<Rules>,
    /// What everybody did in the last stage that was won, or game that was lost, of this lobby.
    tally: Option<Tally>,
    /// The game of the last tally.
    last_game: Option<GameId>,
    tables: Tables,
    /// The table of the game that is played, or was just played.
    board: Option<Board>,
    chat: Chat,
    emotes: Emotes,
    feed: Feed,
    /// The tick since which the player has a seat but no ship.
    shipless_since: Option<u32>,
    /// The tick in which the stage was won or the game was lost, until the next one begins.
    ended_at: Option<u32>,
    /// The game that was lost, until the next one.
    game_over: Option<GameOver>,
    teaching: Teaching,
    ghosts: Ghosts,
    /// What is shown in place of the game or the menu.
    replay: Option<replaying::ShownReplay>,
    /// The state of the game in the newest Frame, if there was one.
    state_seen: Option<GameState>,
    graph: Graph,
    graph_shown: bool,
    /// A message to the player, and the tick until which it is shown.
    notice: Option<(Phrase, u32)>,
    /// The tick since which something is wrong with the server.
    fault_since: Option<u32>,
    listening: Listening,
    tasks: VecDeque<(Task, Vec<u8>)>,
    /// The character of the key that opened the chat is not part of the message.
    ignore_text_until: Time,
    /// The newest Frame; kept for its memory.
    frame: Frame,
    /// Bytes received up to the last tick.
    bytes_before: u64,
}

impl Client {
    /// A client that has just been started.
    pub fn new(now: Time, options: Options) -> Client {
        let mut settings = Settings::read(&options.settings, &options.locale);
        if let Some(name) = &options.name {
            settings.name = crate::settings::clean_name(name);
        }
        settings.queue_ms = options.queue_ms.unwrap_or(settings.queue_ms).min(QUEUE_MAX_MS);
        let scores = Scores::new(&settings);
        let mut client = Client {
            now,
            settings,
            key_state: KeyState::default(),
            key_labels: KeyLabels::default(),
            typing_key: None,
            device: if options.touch { Device::Touch } else { Device::Keyboard },
            is_small_screen: false,
            pointing: None,
            clock: Clock::default(),
            pacing: Pacing::default(),
            focus: Focus::Unknown,
            pending_command: None,
            rejoining: None,
            start_when_seated: false,
            start_is_due: false,
            own_game: None,
            default_stage: options.stage.clone(),
            joining: None,
            joins_again_at: None,
            code: None,
            screen: Screen::title(),
            title: Title::default(),
            practice: Practice::default(),
            scores,
            lobbies: Lobbies::default(),
            demo: None,
            active_at: 0,
            game_view: None,
            painter: Painter::new(),
            announcements: Announcements::default(),
            lobby_list: LobbyList::default(),
            lobby: None,
            rules: None,
            tally: None,
            last_game: None,
            tables: Tables::default(),
            board: None,
            chat: Chat::default(),
            emotes: Emotes::default(),
            feed: Feed::default(),
            shipless_since: None,
            ended_at: None,
            game_over: None,
            teaching: Teaching::default(),
            ghosts: Ghosts::default(),
            replay: None,
            state_seen: None,
            graph: Graph::default(),
            graph_shown: false,
            notice: None,
            fault_since: None,
            listening: Listening::default(),
            tasks: VecDeque::new(),
            ignore_text_until: now,
            frame: Frame::default(),
            bytes_before: 0,
            connection: Connection::new(options.clone()),
        };
        client.small_screen(options.small_screen);
        client.follow_options(&options);
        client
    }

    // ---- What happened ----

    /// The player closes the client: it says goodbye, and if there is a connection [`Task::Disconnect`] follows.
    pub fn quit(&mut self, now: Time) {
        self.set_time(now);
        if self.connection.close(self.now) {
            self.request(Task::Disconnect, "");
        }
    }

    /// The screen has become small, as that of a phone that is held upright, or is so no longer. On a small one letters are large
    /// unless the player chose a size, and the shell shows below the picture where the thumbs press.
    pub fn small_screen(&mut self, is_small: bool) {
        self.is_small_screen = is_small;
        if !self.settings.letters_chosen {
            self.settings.letters = if is_small { Font::Large } else { Font::Small };
        }
    }

    /// What is printed on the player's keys: a line for each, with its code, a tab, and what is typed with it. A key that is not told of is
    /// called by its code until a letter is typed with it.
    pub fn key_labels(&mut self, labels: &str) {
        self.key_labels = KeyLabels::read(labels);
    }

    /// There is a connection, as [`Task::Connect`] asked.
    pub fn connected(&mut self, now: Time) {
        self.set_time(now);
        self.connection.connected(self.now, &self.settings);
        self.on_connected();
    }

    /// There is no connection, or no longer.
    pub fn disconnected(&mut self, now: Time) {
        self.set_time(now);
        let change = self.connection.disconnected(self.now);
        self.on_change(change);
    }

    /// Bytes came from the server.
    pub fn receive(&mut self, now: Time, channel: Channel, bytes: &[u8]) {
        self.set_time(now);
        self.connection.receive(self.now, channel, bytes);
        self.process_received();
    }

    /// The page that leads into the player's lobby, if there is one.
    pub fn link(&self) -> Option<String> {
        Invitation::new(self.code?, self.connection.page()).link
    }

    /// The way into the lobby is on the clipboard, or it could not be put there, after [`Task::ShareLobby`].
    pub fn lobby_shared(&mut self, now: Time, is_copied: bool) {
        self.set_time(now);
        self.notify(if is_copied { Phrase::CodeCopied } else { Phrase::CodeNotCopied });
    }

    /// A table of high scores, as [`Task::FetchScores`] asked with this query.
    pub fn scores(&mut self, now: Time, query: &str, table: Table) {
        self.set_time(now);
        self.tables.receive(query, table);
    }

    // ---- Time passing ----

    /// Lets time pass. Call it before each drawing; even after a long break it does not take long.
    pub fn advance(&mut self, now: Time) {
        self.set_time(now);
        let change = self.connection.advance(self.now);
        if change != Change::None {
            self.request(Task::Disconnect, "");
        }
        self.on_change(change);
        if self.connection.wants_connection(self.now) {
            self.request(Task::Connect, "");
        }
        self.process_received();
        self.refresh_lobbies();
        self.join_again();
        self.advance_replay();
        let due = self.clock.due(self.now);
        for _ in 0..due {
            self.clock.begin_tick();
            self.tick();
        }
        // A watcher may have come when the game was paused already, and has nothing on the screen yet.
        let is_frozen = self.is_paused() && self.game_view.as_ref().is_some_and(|view| view.own().is_some());
        if due > 0 && !is_frozen {
            self.update_view();
        }
    }

    // ---- What comes out ----

    /// Takes out the next thing that the shell is asked to do. `buffer` is emptied, then filled with its bytes.
    pub fn poll(&mut self, now: Time, buffer: &mut Vec<u8>) -> Option<Task> {
        self.set_time(now);
        buffer.clear();
        // What the session still has to send goes before the connection is cut.
        let is_cut_next = matches!(self.tasks.front(), Some((Task::Disconnect, _)));
        if !is_cut_next && let Some((task, bytes)) = self.tasks.pop_front() {
            buffer.extend_from_slice(&bytes);
            return Some(task);
        }
        if let Some(output) = self.connection.poll(self.now, buffer) {
            return Some(match output {
                Output::Datagram => Task::Datagram,
                Output::Stream => Task::Stream,
                Output::CloseStream => Task::CloseStream,
                Output::DatagramsTo(port) => Task::DatagramsTo(port),
            });
        }
        buffer.clear();
        // A goodbye that is not answered yet may have to be repeated.
        if self.connection.is_closing() {
            return None;
        }
        self.tasks.pop_front().map(|(task, _)| task)
    }

    /// What everybody did in the last stage that was won, or game that was lost, of this lobby.
    pub fn tally(&self) -> Option<&Tally> {
        self.tally.as_ref()
    }

    /// How many pixels of the screen one of the picture is to be, in a window of that size.
    pub fn scale(&self, width: f64, height: f64) -> f64 {
        self.settings.scaling.factor(width, height)
    }

    /// How the player wants the picture fitted into a window.
    pub fn scaling(&self) -> Scaling {
        self.settings.scaling
    }

    /// Whether the player is typing a name, a code or a chat message: then a phone has to show its keyboard.
    pub fn is_writing(&self) -> bool {
        self.screen.is_writing()
    }

    /// What is shown of the game now: every entity where it is drawn. None outside a game.
    pub fn shown(&self) -> Option<&Frame> {
        self.game_view.as_ref().map(GameView::frame)
    }

    /// Whether the player's ship is drawn held at something deadly until the server has decided what happened.
    pub fn is_held(&self) -> bool {
        self.game_view.as_ref().is_some_and(GameView::is_held)
    }

    /// How much faster than nominal the clock runs, in 1/1,000, so that the server is neither starved nor flooded.
    pub fn bend_per_mille(&self) -> i32 {
        self.clock.bend_per_mille()
    }

    /// How the connection was in the last seconds.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    // ---- Internals ----

    /// Time never goes back, whatever the shell's clock does.
    fn set_time(&mut self, now: Time) {
        self.now = self.now.max(now);
    }

    fn tick(&mut self) {
        self.tick_menus();
        self.ask_name();
        self.hear_pause();
        self.follow_board();
        self.fetch_result();
        self.follow_ghost();
        if self.request_pace() == Pace::Paused {
            return self.pause_tick();
        }
        let input = if self.is_flying() {
            let input = self.key_state.take_input(self.settings.one_button);
            self.teach(input);
            input
        } else {
            self.key_state.discard_input()
        };
        self.press(input);
        self.sample_connection();
    }

    /// Bots play behind the menus. A title at which nobody does anything shows the table, among other things.
    fn tick_menus(&mut self) {
        if self.game_view.is_some() {
            self.demo = None;
            return;
        }
        let seed = self.now.micros();
        self.demo.get_or_insert_with(|| Demo::new(seed)).tick();
        if matches!(self.screen, Screen::Title(_)) {
            self.look_for_table();
        }
    }

    /// An idle title asks for one table after the other, until one has a game in it.
    fn look_for_table(&mut self) {
        let Some(idle) = self.idle_ticks().checked_sub(IDLE_TICKS).filter(|ticks| ticks % TABLE_EVERY_TICKS == 0)
        else {
            return;
        };
        let boards = self.scores.shown_on_title(self.today());
        let asked = (idle / TABLE_EVERY_TICKS) as usize;
        let is_found = boards.iter().take(asked).any(|board| self.tables.best(board).is_some());
        boards.get(asked).filter(|_| !is_found).into_iter().for_each(|board| self.fetch_table(board));
    }

    /// Ticks since the player did anything.
    fn idle_ticks(&self) -> u32 {
        self.clock.ticks().wrapping_sub(self.active_at)
    }

    fn press(&mut self, input: Input) {
        let sequence = self.connection.press(self.now, input);
        if let Some(view) = &mut self.game_view {
            view.sit(self.connection.seat());
            view.press(sequence, input);
        }
    }

    /// Adds this tick to the network graph.
    fn sample_connection(&mut self) {
        let stats = self.connection.stats().unwrap_or_default();
        let bytes = self.connection.bytes_in();
        if let Some(view) = &mut self.game_view {
            self.graph.push(Sample {
                round_trip_ms: stats.round_trip.as_millis().min(9_999) as u32,
                loss_percent: stats.loss_percent.into(),
                frame_age_ms: view.age_ms(self.now),
                correction: view.take_correction(),
                bytes: (bytes - self.bytes_before) as u32,
            });
        }
        self.bytes_before = bytes;
    }

    /// Handles the notices and the newest Frame that have come.
    fn process_received(&mut self) {
        while let Some(notice) = self.connection.news() {
            self.on_notice(notice);
        }
        let mut frame = std::mem::take(&mut self.frame);
        if let Some(applied) = self.connection.take_frame(&mut frame)
            && let Some(view) = &mut self.game_view
        {
            let before = self.state_seen.replace(frame.state);
            view.receive(self.now, &frame, applied.map(|(sequence, _)| sequence));
            // Until the first input has arrived, an empty queue means nothing.
            if let Some((1.., waiting)) = applied.filter(|_| self.pacing.now() != Pace::Paused) {
                self.clock.report(waiting);
            }
            self.start_when_seated &= frame.state == GameState::Waiting;
            if before != Some(frame.state) {
                self.on_game_state(before, frame.state);
            }
        }
        self.frame = frame;
        self.note_checkpoint();
        self.look_at_lobby();
        self.note_fault();
    }

    /// In a dialect that does not list lobbies, the one that the player waits in is known by its Frames.
    fn look_at_lobby(&mut self) {
        let Some(place) = self.connection.lobby() else { return };
        self.code = Some(place.code);
        let newest = self.game_view.as_ref().map(GameView::newest);
        let waiting = newest.filter(|frame| frame.state == GameState::Waiting && self.connection.seat().is_some());
        self.lobby = waiting.map(|frame| KnownLobby::seen(place, frame, self.connection.seat()));
    }

    fn request(&mut self, task: Task, text: &str) {
        self.tasks.push_back((task, text.as_bytes().to_vec()));
    }

    /// Whether the player waits in a lobby, rather than for a game that starts at once.
    fn waits_in_lobby(&self) -> bool {
        self.lobby.is_some() && !self.start_when_seated
    }

    /// Another game is on the screen, or the same one over another connection.
    fn begin_game(&mut self, view: GameView) {
        self.game_view = Some(view);
        self.feed.begin(self.clock.ticks());
        (self.shipless_since, self.ended_at, self.game_over, self.state_seen) = (None, None, None, None);
    }

    fn notify(&mut self, phrase: Phrase) {
        self.notice = Some((phrase, self.clock.ticks().wrapping_add(NOTICE_TICKS)));
    }
}

/// The state of the game that is shown.
fn state_of(view: Option<&GameView>) -> GameState {
    view.map_or(GameState::Waiting, |view| view.newest().state)
}
