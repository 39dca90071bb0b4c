//! `volley bench protocols`: the dialects side by side, for somebody who chooses one. What each of them costs and how it takes a bad
//! network is found by playing in memory under a seed: the same figures on every machine, as Markdown.

use std::{fmt, sync::Arc, time::Duration};

use anyhow::Context;
use bot::{Bot, Ground};
use game::{Buttons, Difficulty, Input, Rules, SEATS, Stage, stage::Terrain};
use network::Conditions;
use protocol::{Dialect, Plan, StreamUse};

use crate::memory_node::{Clock, MemoryClient, MemoryNode, START, memory_settings};

/// The delay of each direction, in milliseconds.
const DELAY_MS: u32 = 50;
const ROUND_TRIP: Duration = Duration::from_millis(2 * DELAY_MS as u64);
/// What is lost on a bad day.
const LOSS_PERCENT: u32 = 5;
/// Joining takes no longer, in ticks.
const JOIN_TICKS_MAX: u32 = 1200;
/// The first seconds of a game are calm.
const WARM_UP_TICKS: u32 = 10 * 60;
const MEASURED_TICKS: u32 = 60 * 60;
/// Ticks after which a player who goes up and down turns.
const TURN_TICKS: u32 = 40;

/// What was measured of a dialect.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub dialect: Dialect,
    /// Bytes and datagrams a second for one of four players, without the headers below.
    pub bytes_down: u64,
    pub bytes_up: u64,
    pub datagrams_down: u64,
    pub datagrams_up: u64,
    /// Round trips from the first byte to the player's own ship, and of the transport before it.
    pub round_trips: f64,
    pub calm: Responsiveness,
    pub lossy: Responsiveness,
}

/// How a game feels with a round trip of 100 ms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Responsiveness {
    /// From the key to the picture, without prediction.
    pub median: Duration,
    pub worst: Duration,
    /// The longest time for which another ship, which never rests, stood still.
    pub freeze: Duration,
}

/// All dialects.
#[derive(Clone, Debug)]
pub struct Report {
    pub rows: Vec<Row>,
}

/// Plays in each dialect; `progress` is told which one is next.
pub fn run(progress: impl Fn(&str)) -> anyhow::Result<Report> {
    let measured = |dialect: Dialect| {
        progress(dialect.name());
        measure(dialect).with_context(|| format!("cannot play {}", dialect.name()))
    };
    Ok(Report { rows: Dialect::ALL.into_iter().map(measured).collect::<anyhow::Result<_>>()? })
}

fn measure(dialect: Dialect) -> anyhow::Result<Row> {
    let ideal = Conditions::PERFECT.delay_ms(DELAY_MS);
    let calm = MeasuredLobby::begin(dialect, &open_space(), ideal, 2)?;
    let round_trips = calm.joined.as_secs_f64() / ROUND_TRIP.as_secs_f64() + handshakes(dialect);
    let lossy = MeasuredLobby::begin(dialect, &open_space(), ideal.loss_percent(LOSS_PERCENT), 2)?;
    let busy = MeasuredLobby::begin(dialect, &Stage::endless(), ideal, SEATS)?.play_with_bots()?;
    Ok(Row { dialect, round_trips, calm: calm.responsiveness()?, lossy: lossy.responsiveness()?, ..busy })
}

/// Round trips of the transport before the first byte of the dialect can leave: one for TCP; for WebTransport one for QUIC with
/// its encryption and one for the request.
fn handshakes(dialect: Dialect) -> f64 {
    match dialect.entry().stream {
        StreamUse::None => 0.0,
        StreamUse::OpensSession | StreamUse::Desk(_) => 1.0,
        StreamUse::Link(_) => 2.0,
    }
}

/// A stage in which nothing comes and nothing kills.
fn open_space() -> Arc<Stage> {
    Arc::new(Stage::of_terrain("open", 1, Terrain::open(0)))
}

/// Some players of a dialect in one lobby.
struct MeasuredLobby {
    clock: Clock,
    node: MemoryNode,
    clients: Vec<MemoryClient>,
    /// How long the first one took to join.
    joined: Duration,
}

impl MeasuredLobby {
    fn begin(
        dialect: Dialect,
        stage: &Arc<Stage>,
        conditions: Conditions,
        players: usize,
    ) -> anyhow::Result<MeasuredLobby> {
        let (clock, rules) = (Clock::start(), Rules { lives: 9, ..Rules::of(Difficulty::Easy) });
        let node = MemoryNode::new(memory_settings(stage, rules), clock.clone(), conditions);
        let mut lobby = MeasuredLobby { clock, node, clients: Vec::new(), joined: Duration::ZERO };
        for number in 0..players {
            let code = lobby.clients.first().and_then(|first| Some(first.session.lobby()?.code.to_string()));
            let plan = Plan { name: format!("p{number}"), stage: stage.name.clone(), lobby: code, ..Plan::at(START) };
            lobby.clients.push(MemoryClient::join(&lobby.node.exchange, dialect, plan));
            let took = lobby.until_seated(number)?;
            if number == 0 {
                lobby.joined = took;
            }
        }
        Ok(lobby)
    }

    fn until_seated(&mut self, number: usize) -> anyhow::Result<Duration> {
        let began = self.clock.now();
        for _ in 0..JOIN_TICKS_MAX {
            self.tick(|_, _| Input::IDLE)?;
            if self.clients[number].own_ship().is_some() {
                return Ok(self.clock.now().since(began));
            }
        }
        anyhow::bail!("nobody sees a ship of player {number}")
    }

    fn tick(&mut self, mut input: impl FnMut(usize, &MemoryClient) -> Input) -> anyhow::Result<()> {
        let MeasuredLobby { clock, node, clients, .. } = self;
        clock.tick(|now| node.advance(now));
        for (number, client) in clients.iter_mut().enumerate() {
            let input = input(number, client);
            client.turn(clock.now(), input)?;
        }
        Ok(())
    }

    /// What a connection carries while four bots play.
    fn play_with_bots(mut self) -> anyhow::Result<Row> {
        let mut bots: Vec<Bot> = (0..self.clients.len() as u64).map(Bot::new).collect();
        let mut before = self.clients[0].connection.traffic();
        for tick in 0..WARM_UP_TICKS + MEASURED_TICKS {
            if tick == WARM_UP_TICKS {
                before = self.clients[0].connection.traffic();
            }
            self.tick(|number, client| {
                let ground = Ground::of_terrain(client.session.terrain());
                client.session.seat().map_or(Input::IDLE, |seat| bots[number].decide(&client.frame, seat, ground))
            })?;
        }
        let (after, seconds) = (self.clients[0].connection.traffic(), u64::from(MEASURED_TICKS / 60));
        Ok(Row {
            dialect: Dialect::ALL[0],
            bytes_down: (after.bytes_down - before.bytes_down) / seconds,
            bytes_up: (after.bytes_up - before.bytes_up) / seconds,
            datagrams_down: (after.datagrams_down - before.datagrams_down) / seconds,
            datagrams_up: (after.datagrams_up - before.datagrams_up) / seconds,
            round_trips: 0.0,
            calm: Responsiveness::default(),
            lossy: Responsiveness::default(),
        })
    }

    /// Two ships go up and down without rest; the first one's player watches both.
    fn responsiveness(mut self) -> anyhow::Result<Responsiveness> {
        let (mut own, mut other) = (KeyWatch::default(), FreezeWatch::default());
        for tick in 0..MEASURED_TICKS {
            let way = if (tick / TURN_TICKS).is_multiple_of(2) { Buttons::UP } else { Buttons::DOWN };
            if tick.is_multiple_of(TURN_TICKS) {
                own.turned(self.clock.now(), way);
            }
            self.tick(|_, _| Input::holding(way))?;
            let (now, client) = (self.clock.now(), &self.clients[0]);
            own.look(now, client.own_ship().map(|ship| ship.position.y));
            let seat = client.session.seat();
            let others = client.frame.entities.iter().filter(|entity| entity.kind == game::Kind::Player);
            other.look(now, others.filter(|ship| ship.seat != seat).map(|ship| ship.position.y).next());
        }
        own.delays.sort_unstable();
        let median = own.delays.get(own.delays.len() / 2).copied().context("the ship never obeyed")?;
        Ok(Responsiveness { median, worst: own.delays.last().copied().unwrap_or(median), freeze: other.longest })
    }
}

/// When a key is pressed, and when the ship is seen to obey.
#[derive(Default)]
struct KeyWatch {
    waiting: Option<(protocol::Time, Buttons)>,
    last: Option<i32>,
    delays: Vec<Duration>,
}

impl KeyWatch {
    fn turned(&mut self, now: protocol::Time, way: Buttons) {
        self.waiting = Some((now, way));
    }

    fn look(&mut self, now: protocol::Time, y: Option<i32>) {
        let (Some(before), Some(y)) = (std::mem::replace(&mut self.last, y), y) else { return };
        let obeys = |way: Buttons| if way == Buttons::UP { y < before } else { y > before };
        if let Some((since, _)) = self.waiting.filter(|(_, way)| obeys(*way)) {
            self.delays.push(now.since(since));
            self.waiting = None;
        }
    }
}

/// For how long a ship stood still.
#[derive(Default)]
struct FreezeWatch {
    last: Option<i32>,
    moved: Option<protocol::Time>,
    longest: Duration,
}

impl FreezeWatch {
    fn look(&mut self, now: protocol::Time, y: Option<i32>) {
        if y != self.last {
            if let Some(moved) = self.moved {
                self.longest = self.longest.max(now.since(moved));
            }
            // It rests until its first key arrives.
            if self.last.is_some() {
                self.moved = Some(now);
            }
            self.last = y;
        }
    }
}

impl fmt::Display for Report {
    /// As Markdown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| protocol | bytes/s down | bytes/s up | datagrams/s down | up | round trips to the first picture | key to \
             picture, no loss: median, worst | {LOSS_PERCENT} % loss: median, worst | longest freeze, no loss | \
             {LOSS_PERCENT} % loss |"
        )?;
        writeln!(f, "|---|{}", "--:|".repeat(9))?;
        for Row { dialect, bytes_down, bytes_up, datagrams_down, datagrams_up, round_trips, calm, lossy } in &self.rows
        {
            let ms = |time: Duration| format!("{} ms", time.as_millis());
            let keys = |responsiveness: &Responsiveness| {
                format!("{}, {}", ms(responsiveness.median), ms(responsiveness.worst))
            };
            writeln!(
                f,
                "| `{}` | {bytes_down} | {bytes_up} | {datagrams_down} | {datagrams_up} | {round_trips:.1} | {} | {} | \
                 {} | {} |",
                dialect.name(),
                keys(calm),
                keys(lossy),
                ms(calm.freeze),
                ms(lossy.freeze)
            )?;
        }
        Ok(())
    }
}
