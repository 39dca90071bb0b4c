//! One bot at one connection: it waits for its turn to come, joins, plays, and leaves.

use std::{
    io,
    net::SocketAddr,
    time::{Duration, Instant},
};

use game::{Buttons, Input};
use protocol::{Dialect, End, Status};

use super::probe::{PressResult, Probe};
use crate::{
    bot::{Bot, Ground},
    connection::{Connection, ConnectionRequest, Traffic},
    readiness::Readiness,
};

/// Strangers may fill a lobby before the bot that made it has a seat. So often it makes another.
const RETRIES: u32 = 5;
/// A Frame comes once a tick, give or take the difference of two clocks. Dialects that say a tick in many datagrams may be
/// seen in the midst of them, which makes no second Frame.
const FRAME_EVERY: Duration = Duration::from_micros(16_600);
/// Frames may come a little early or late.
const FRAMES_AT_ONCE: u32 = 2;

/// A bot, its connection, and what became of it.
pub(super) struct BotPlayer {
    pub(super) dialect: Dialect,
    /// The bot that makes the lobby which this one asks for.
    pub(super) leader: Option<usize>,
    bot: Bot,
    input: Input,
    /// Turns since the bot last thought.
    idle_turns: u32,
    /// Whether there is a Frame that it has not thought about.
    has_news: bool,
    /// Up to when Frames have been counted.
    counted: Instant,
    probe: Probe,
    /// How often it may yet try again.
    retries: u32,
    state: State,
    figures: PlayerFigures,
}

enum State {
    /// Not opened yet.
    Waiting,
    Open {
        connection: Box<Connection>,
        since: Instant,
        joined: Option<Instant>,
        /// The lobby that was made for it.
        lobby: Option<String>,
        leaves: bool,
    },
    Over,
}

/// What became of a bot.
#[derive(Clone, Debug, Default)]
pub(super) struct PlayerFigures {
    /// How long it took to join.
    pub(super) joined_after: Option<Duration>,
    /// How long it played.
    pub(super) played: Duration,
    /// Moments at which there was something newer to see, at most one a tick.
    pub(super) frames: u64,
    pub(super) traffic: Traffic,
    pub(super) ending: Ending,
    /// What is wrong with the server, in words.
    pub(super) server_fault: Option<String>,
}

/// How a bot's part ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Ending {
    /// Not yet, or only because we left.
    #[default]
    Orderly,
    Refused,
    TimedOut,
    /// The node ended it.
    Closed,
    /// The peer's system says that nobody listens there.
    Unreachable,
    /// Our own system failed it.
    Failed(String),
}

/// Where a bot goes.
pub(super) struct BotDestination<'a> {
    pub(super) door: SocketAddr,
    pub(super) lobby: Option<String>,
    /// The stage of a lobby that it makes.
    pub(super) stage: &'a str,
}

impl BotPlayer {
    /// A bot that waits. Its number makes its phase differ from the others'.
    pub(super) fn new(dialect: Dialect, number: usize, bot: Bot, leader: Option<usize>) -> BotPlayer {
        BotPlayer {
            dialect,
            leader,
            bot,
            input: Input::IDLE,
            idle_turns: number as u32,
            has_news: false,
            counted: Instant::now(),
            probe: Probe::new(Instant::now()),
            retries: RETRIES,
            state: State::Waiting,
            figures: PlayerFigures::default(),
        }
    }

    pub(super) fn open(&mut self, name: &str, to: BotDestination<'_>) {
        match Connection::open_as(self.dialect, to.door, ConnectionRequest { name, lobby: to.lobby, stage: to.stage }) {
            Ok(connection) => {
                self.state = State::Open {
                    connection: Box::new(connection),
                    since: Instant::now(),
                    joined: None,
                    lobby: None,
                    leaves: false,
                };
            }
            Err(error) => self.end(Ending::Failed(format!("{error:#}"))),
        }
    }

    /// Has its socket watched under this number, if it is open.
    pub(super) fn watch(&self, readiness: &mut Readiness, number: usize) -> io::Result<()> {
        match &self.state {
            State::Open { connection, .. } => connection.watch(readiness, number),
            State::Waiting | State::Over => Ok(()),
        }
    }

    /// Plays one tick. The bot thinks if there is something new and it has not thought for `think_every` turns.
    pub(super) fn turn(&mut self, think_every: u32) -> Option<PressResult> {
        if self.has_news && self.idle_turns >= think_every {
            self.think();
        }
        let State::Open { connection, .. } = &mut self.state else { return None };
        self.probe.press(Instant::now(), self.input.held);
        let turned = connection.act(self.input);
        self.input.pressed = Buttons::NONE;
        self.idle_turns += 1;
        let result = self.see(turned);
        self.look_around();
        result
    }

    /// Hears what has come.
    pub(super) fn listen(&mut self) -> Option<PressResult> {
        let State::Open { connection, .. } = &mut self.state else { return None };
        let heard = connection.listen();
        self.see(heard)
    }

    fn see(&mut self, is_new: anyhow::Result<bool>) -> Option<PressResult> {
        let State::Open { connection, leaves, .. } = &self.state else { return None };
        match is_new {
            Ok(true) if !leaves => {
                let now = Instant::now();
                let result = connection.seat().and_then(|seat| self.probe.see(now, connection.frame().ship(seat)));
                self.has_news = true;
                self.count_frame(now);
                result
            }
            Ok(_) => None,
            Err(error) => {
                self.end(Ending::Failed(format!("{error:#}")));
                None
            }
        }
    }

    fn count_frame(&mut self, now: Instant) {
        let longest = FRAME_EVERY * FRAMES_AT_ONCE;
        if now.saturating_duration_since(self.counted) > longest {
            self.counted = now - longest;
        }
        if now.saturating_duration_since(self.counted) >= FRAME_EVERY {
            self.counted += FRAME_EVERY;
            self.figures.frames += 1;
        }
    }

    fn think(&mut self) {
        let State::Open { connection, .. } = &self.state else { return };
        if let Some(seat) = connection.seat() {
            self.idle_turns = 0;
            self.has_news = false;
            self.input = self.bot.decide(connection.frame(), seat, Ground::of_terrain(connection.terrain()));
        }
    }

    /// Says goodbye. One that never came is over at once.
    pub(super) fn leave(&mut self) {
        match &mut self.state {
            State::Open { connection, leaves, joined, .. } => {
                *leaves = true;
                // What is said from here on is goodbyes, which no rate should count.
                self.figures.played = joined.map_or(Duration::ZERO, |joined| joined.elapsed());
                self.figures.traffic = connection.traffic();
                connection.leave();
            }
            State::Waiting | State::Over => self.state = State::Over,
        }
    }

    /// Whether it is to be opened, for the first time or once more.
    pub(super) fn is_waiting(&self) -> bool {
        matches!(self.state, State::Waiting)
    }

    pub(super) fn is_over(&self) -> bool {
        matches!(self.state, State::Over)
    }

    pub(super) fn is_playing(&self) -> bool {
        matches!(self.state, State::Open { joined: Some(_), .. })
    }

    /// The lobby that was made for it, once its id is known.
    pub(super) fn lobby(&self) -> Option<&str> {
        match &self.state {
            State::Open { lobby, .. } => lobby.as_deref(),
            State::Waiting | State::Over => None,
        }
    }

    /// What became of it so far.
    pub(super) fn figures(&self) -> PlayerFigures {
        let mut figures = self.figures.clone();
        if let State::Open { connection, .. } = &self.state {
            figures.server_fault = connection.fault().map(ToString::to_string);
        }
        if let State::Open { connection, joined, leaves: false, .. } = &self.state {
            figures.traffic = connection.traffic();
            figures.played = joined.map_or(Duration::ZERO, |joined| joined.elapsed());
        }
        figures
    }

    /// Notes what the last turn brought: a lobby, a seat, an end.
    fn look_around(&mut self) {
        let State::Open { connection, since, joined, lobby, leaves } = &mut self.state else { return };
        if lobby.is_none() && joined.is_none() {
            *lobby = connection.lobby();
        }
        match connection.status() {
            Status::Opening if connection.is_unreachable() => self.end(Ending::Unreachable),
            Status::Opening | Status::Leaving => {}
            Status::Playing => {
                if joined.is_none() && !*leaves {
                    *joined = Some(Instant::now());
                    self.figures.joined_after = Some(since.elapsed());
                    self.figures.frames = 0;
                }
                if connection.is_unreachable() && !*leaves {
                    self.end(Ending::Unreachable);
                }
            }
            Status::Ended(_) if *leaves => self.end(Ending::Orderly),
            Status::Ended(End::Refused | End::LobbyFull | End::NoLobby) if lobby.is_some() && self.retries > 0 => {
                self.retries -= 1;
                self.state = State::Waiting;
            }
            Status::Ended(why) => self.end(ending(why)),
        }
    }

    fn end(&mut self, ending: Ending) {
        self.figures = PlayerFigures { ending, ..self.figures() };
        self.state = State::Over;
    }
}

fn ending(why: End) -> Ending {
    match why {
        End::Refused | End::Full | End::VersionDiffers | End::LobbyClosed => Ending::Refused,
        End::NoLobby | End::LobbyFull | End::NoStage => Ending::Refused,
        End::TimedOut => Ending::TimedOut,
        End::Unreachable => Ending::Unreachable,
        End::Left | End::Dropped | End::Closed | End::Restarting => Ending::Closed,
    }
}
