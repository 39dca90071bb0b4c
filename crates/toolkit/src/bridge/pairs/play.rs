//! One pair of dialects, played in memory: a player behind a bridge, a friend of theirs on the server, and what the player could
//! do and see.

use std::sync::Arc;

use anyhow::Context;
use bot::{Bot, Ground};
use game::{
    Arms, Buttons, Class, Difficulty, Event, Frame, GameState, Input, Kind, Mode, Practice, Rules, Seat, Stage,
};
use network::Conditions;
use protocol::{Dialect, Plan};
use server::{
    core::{LobbyView, Settings},
    remote::SharedRemoteServer,
};

use super::{
    Feature, Measured,
    delay::{Delay, KeyWatch, WatchedServer},
};
use crate::{
    bridge::{BridgedServer, SharedBridgedServer},
    memory_node::{Clock, MemoryClient, MemoryConnector, MemoryNode, START, STEPS_PER_TICK, memory_settings},
};

/// Joining takes no longer, in ticks.
const JOIN_TICKS_MAX: u32 = 600;
/// How long a bot plays for the player, in ticks.
const BOT_TICKS: u32 = 1500;
/// How long a word may be on its way.
const SAY_TICKS: u32 = 120;
/// Keys that are timed, and how long each is held, in ticks.
const TIMED_KEYS: usize = 12;
const KEY_TICKS: u32 = 9;

const ANN: &str = "Ann";
const BOB: &str = "Bob";

/// A player, a bridge, a server, and a friend on it.
struct Play {
    clock: Clock,
    server: MemoryNode,
    bridge: MemoryNode,
    ann: MemoryClient,
    bob: MemoryClient,
    /// What the friend does.
    bobs_input: Input,
    keys: KeyWatch,
    seen: PlayerSightings,
}

/// What the player has seen.
#[derive(Default)]
struct PlayerSightings {
    top: Option<i32>,
    bottom: Option<i32>,
    kinds: Vec<Kind>,
    charge: u8,
    health: bool,
    launched: bool,
    others: bool,
    killed: bool,
    friends_name: bool,
    score: u32,
}

/// What is different in a play.
#[derive(Clone, Copy)]
struct Scenario {
    from: Dialect,
    to: Dialect,
    /// Whether the player asks for the friend's lobby, rather than the bridge for everybody.
    chooses_lobby: bool,
    /// Whether the game starts without being asked.
    starts_at_once: bool,
    /// What the friend speaks.
    friend: Dialect,
    /// By how many quarters of a tick the bridge is behind the server.
    phase: u32,
}

/// Plays a pair, and tells what it loses.
pub(super) fn measure(from: Dialect, to: Dialect) -> anyhow::Result<Measured> {
    let mut measured = Measured::default();
    // In volley nobody is told more.
    let game = Scenario { from, to, chooses_lobby: false, starts_at_once: true, friend: Dialect::Volley, phase: 0 };
    play_game(game, &mut measured)?;
    let chosen = Scenario { chooses_lobby: true, friend: Dialect::Rfc2020, ..game };
    measured.set(Feature::LobbyChoice, Play::begin(chosen)?.is_with_friend());
    let waiting = Scenario { starts_at_once: false, friend: Dialect::Rfc2020, ..game };
    measured.set(Feature::Start, Play::begin(waiting)?.can_start()?);
    for phase in 0..STEPS_PER_TICK {
        measured.delay = measured.delay.max(Play::begin(Scenario { phase, ..game })?.delay()?);
    }
    Ok(measured)
}

fn play_game(game: Scenario, measured: &mut Measured) -> anyhow::Result<()> {
    let mut play = Play::begin(game)?;
    measured.set(Feature::OwnName, play.lobby_of_friend().is_some_and(|lobby| has_name(&lobby, ANN)));
    play.fly_by_script()?;
    let seen = &play.seen;
    measured.set(Feature::Flight, seen.top.zip(seen.bottom).is_some_and(|(top, bottom)| bottom - top > game::px(24)));
    measured.set(Feature::Shots, seen.kinds.iter().any(|kind| kind.class() == Class::PlayerShot));
    measured.set(Feature::Charge, seen.charge > 0);
    measured.set(Feature::Beam, seen.kinds.contains(&Kind::Beam));
    measured.set(Feature::Force, seen.launched);
    measured.set(Feature::Others, seen.others);
    let has_walls = seen.kinds.contains(&Kind::Wall) || play.ann.session.terrain().is_some_and(is_solid);
    measured.set(Feature::Walls, has_walls);
    measured.set(Feature::Gear, play.is_told_alike(|frame, seat| nonzero(frame.players[seat.index()]?.force_level)));
    measured.set(Feature::Lives, play.is_told_alike(|frame, seat| nonzero(frame.players[seat.index()]?.lives)));
    measured.set(Feature::Stage, play.ann.frame.stage == play.bob.frame.stage);
    play.let_bot_play()?;
    measured.set(Feature::Health, play.seen.health);
    measured.set(Feature::Score, play.seen.score > 0);
    play.crash()?;
    measured.set(Feature::Losses, play.seen.killed);
    measured.set(Feature::OtherNames, play.seen.friends_name);
    measured.set(Feature::Chat, play.can_chat()?);
    Ok(())
}

fn nonzero(number: u8) -> Option<u8> {
    (number > 0).then_some(number)
}

/// Somebody comes to a node and takes a seat.
fn seat(clock: &Clock, node: &mut MemoryNode, dialect: Dialect, plan: Plan) -> anyhow::Result<MemoryClient> {
    let mut guest = MemoryClient::join(&node.exchange, dialect, plan);
    for _ in 0..JOIN_TICKS_MAX {
        clock.tick(|now| node.advance(now));
        guest.turn(clock.now(), Input::IDLE)?;
        if guest.own_ship().is_some() {
            return Ok(guest);
        }
    }
    anyhow::bail!("{} did not get a seat", dialect.name())
}

fn has_name(lobby: &LobbyView, name: &str) -> bool {
    lobby.players.iter().any(|player| player.name == name)
}

fn is_solid(terrain: &game::stage::Terrain) -> bool {
    (0..terrain.columns()).any(|column| (0..game::stage::ROWS).any(|row| terrain.picture(column, row) != 0))
}

fn settings(stage: &Arc<Stage>) -> Settings {
    let arms = Arms { force_level: 1, ..Arms::default() };
    let mode = Mode::Practice(Practice { checkpoint: 0, arms });
    memory_settings(stage, Rules { mode, lives: 3, ..Rules::of(Difficulty::Easy) })
}

impl Play {
    /// Both are in the game, as far as they get.
    fn begin(scenario: Scenario) -> anyhow::Result<Play> {
        let Scenario { from, to, chooses_lobby, starts_at_once, friend, phase } = scenario;
        let clock = Clock::start();
        let stage = crate::stages::find("stage1")?;
        let mut server = MemoryNode::new(settings(&stage), clock.clone(), Conditions::PERFECT);
        let witness = Plan { name: BOB.into(), starts_at_once, ..Plan::at(START) };
        let plan = Plan { stage: stage.name.clone(), ..witness };
        // Somebody who chooses can be seen to have chosen only if there is something else to get.
        let decoy = chooses_lobby.then(|| seat(&clock, &mut server, Dialect::Volley, plan.clone()));
        let _decoy = decoy.transpose()?;
        let bob = seat(&clock, &mut server, friend, plan)?;
        let code = bob.session.lobby().map(|place| place.code.to_string());
        let connector = MemoryConnector { dialect: to, exchange: server.exchange.clone() };
        let remote = BridgedServer::new(Box::new(connector), code.clone().filter(|_| !chooses_lobby), "Nobody");
        let keys = KeyWatch::default();
        let remote = WatchedServer { remote: SharedBridgedServer(Arc::new(remote)), keys: keys.clone() };
        let remote = Some(SharedRemoteServer(Arc::new(remote)));
        (0..phase).for_each(|_| clock.step(|now| server.advance(now)));
        // A stage that a bridge knows by itself would tell nothing.
        let own = Settings { remote, ..settings(&Stage::endless()) };
        let bridge = MemoryNode::new(own, clock.clone(), Conditions::PERFECT);
        let lobby = code.filter(|_| chooses_lobby);
        let plan = Plan { name: ANN.into(), lobby, starts_at_once, ..Plan::at(START) };
        let ann = MemoryClient::join(&bridge.exchange, from, plan);
        let (bobs_input, seen) = (Input::IDLE, PlayerSightings::default());
        let mut play = Play { clock, server, bridge, ann, bob, bobs_input, keys, seen };
        for _ in 0..JOIN_TICKS_MAX {
            play.tick(Input::IDLE)?;
            if play.ann.own_ship().is_some() {
                break;
            }
        }
        Ok(play)
    }

    fn tick(&mut self, input: Input) -> anyhow::Result<()> {
        let Play { clock, server, bridge, .. } = self;
        clock.tick(|now| {
            server.advance(now);
            bridge.advance(now);
        });
        let now = self.clock.now();
        self.bob.turn(now, self.bobs_input)?;
        self.keys.press(now, input.held);
        if self.ann.turn(now, input)? {
            self.look();
        }
        Ok(())
    }

    fn hold(&mut self, ticks: u32, input: Input) -> anyhow::Result<()> {
        (0..ticks).try_for_each(|_| self.tick(input))
    }

    fn look(&mut self) {
        let (seen, frame, own) = (&mut self.seen, &self.ann.frame, self.ann.session.seat());
        if let Some(ship) = own.and_then(|seat| frame.ship(seat)) {
            let y = ship.position.y;
            seen.top = Some(seen.top.map_or(y, |top| top.min(y)));
            seen.bottom = Some(seen.bottom.map_or(y, |bottom| bottom.max(y)));
            seen.charge = seen.charge.max(ship.charge);
        }
        for entity in &frame.entities {
            if !seen.kinds.contains(&entity.kind) {
                seen.kinds.push(entity.kind);
            }
            seen.health |= entity.kind.class() == Class::Enemy && entity.health > 0;
            seen.others |= entity.kind == Kind::Player && entity.seat != own;
        }
        seen.score = seen.score.max(frame.score);
        seen.friends_name |= frame.names.iter().any(|name| name.as_str() == BOB);
        seen.killed |=
            frame.events.iter().any(|event| matches!(event, Event::Killed { seat, .. } if Some(*seat) == own));
    }

    /// Up and down, some shots, a beam, and the Force away.
    fn fly_by_script(&mut self) -> anyhow::Result<()> {
        let hold = Input::holding;
        self.hold(40, hold(Buttons::UP))?;
        self.hold(40, hold(Buttons::DOWN))?;
        for _ in 0..6 {
            self.hold(4, hold(Buttons::FIRE))?;
            self.hold(8, Input::IDLE)?;
        }
        self.hold(100, hold(Buttons::FIRE))?;
        self.hold(20, Input::IDLE)?;
        let docked = self.force();
        self.tick(Input { held: Buttons::FORCE, pressed: Buttons::FORCE })?;
        self.hold(20, Input::IDLE)?;
        let launched = self.force();
        self.seen.launched =
            docked.zip(launched).is_some_and(|(docked, launched)| (launched - docked).abs() > game::px(32));
        self.tick(Input { held: Buttons::FORCE, pressed: Buttons::FORCE })?;
        self.hold(30, Input::IDLE)
    }

    /// How far the player's Force is from their ship. Whose it is, is known by where it is.
    fn force(&self) -> Option<i32> {
        let ship = self.ann.own_ship()?;
        let is_own = |force: &&game::Entity| force.seat.is_none_or(|seat| Some(seat) == ship.seat);
        let forces = self.ann.frame.entities.iter().filter(|entity| entity.kind == Kind::Force).filter(is_own);
        forces.map(|force| (force.position.x - ship.position.x).abs()).min()
    }

    fn let_bot_play(&mut self) -> anyhow::Result<()> {
        let mut bot = Bot::new(11);
        for _ in 0..BOT_TICKS {
            let (session, frame) = (&self.ann.session, &self.ann.frame);
            let ground = Ground::of_terrain(session.terrain());
            let input = session.seat().map_or(Input::IDLE, |seat| bot.decide(frame, seat, ground));
            self.tick(input)?;
        }
        Ok(())
    }

    /// Both into the floor, until both have lost a ship there.
    fn crash(&mut self) -> anyhow::Result<()> {
        self.bobs_input = Input::holding(Buttons::DOWN);
        let mut is_bob_lost = false;
        for _ in 0..BOT_TICKS {
            self.tick(Input::holding(Buttons::DOWN))?;
            is_bob_lost |= self.bob.own_ship().is_none();
            if self.seen.killed && is_bob_lost {
                break;
            }
        }
        self.bobs_input = Input::IDLE;
        // The last of it may be on its way.
        self.hold(SAY_TICKS, Input::IDLE)
    }

    /// Whether the player is told the same about themselves as the friend is told about them, and something.
    fn is_told_alike<T: PartialEq>(&self, told: impl Fn(&Frame, Seat) -> Option<T>) -> bool {
        let Some(own) = self.ann.session.seat() else { return false };
        let Some(bobs) = self.bob.session.seat() else { return false };
        let mut others = Seat::ALL.into_iter().filter(|seat| *seat != bobs);
        let there = others.find(|seat| self.bob.frame.players[seat.index()].is_some());
        let (here, there) = (told(&self.ann.frame, own), there.and_then(|seat| told(&self.bob.frame, seat)));
        here.is_some() && here == there
    }

    fn lobby_of_friend(&self) -> Option<LobbyView> {
        self.server.core.lobbies().into_iter().find(|lobby| has_name(lobby, BOB) && lobby.players.len() > 1)
    }

    fn is_with_friend(&self) -> bool {
        let code = self.bob.session.lobby().map(|place| place.code.to_string());
        self.server.core.lobbies().iter().any(|lobby| Some(&lobby.id) == code.as_ref() && lobby.players.len() > 1)
    }

    fn state_there(&self) -> Option<GameState> {
        let code = self.bob.session.lobby().map(|place| place.code.to_string());
        self.server.core.lobbies().into_iter().find(|lobby| Some(&lobby.id) == code.as_ref()).map(|lobby| lobby.state)
    }

    /// Whether a game that waits starts when the player says so, and not before.
    fn can_start(&mut self) -> anyhow::Result<bool> {
        self.hold(60, Input::IDLE)?;
        let before = self.state_there();
        self.ann.session.start(self.clock.now());
        self.hold(60, Input::IDLE)?;
        Ok((before, self.state_there()) == (Some(GameState::Waiting), Some(GameState::Running)))
    }

    /// Whether somebody else on the server hears what the player says.
    fn can_chat(&mut self) -> anyhow::Result<bool> {
        let code = self.bob.session.lobby().map(|place| place.code.to_string());
        let plan = Plan { name: "Eve".into(), lobby: code, starts_at_once: false, ..Plan::at(START) };
        let mut eve = MemoryClient::join(&self.server.exchange, Dialect::Volley, plan);
        for _ in 0..SAY_TICKS {
            self.tick(Input::IDLE)?;
            eve.turn(self.clock.now(), Input::IDLE)?;
        }
        let (now, mut heard) = (self.clock.now(), (false, false));
        self.ann.session.say(now, "from Ann");
        eve.session.say(now, "from Eve");
        for _ in 0..SAY_TICKS {
            self.tick(Input::IDLE)?;
            eve.turn(self.clock.now(), Input::IDLE)?;
            heard.0 |= eve.session.take_chat_message().is_some_and(|said| said.text == "from Ann");
            heard.1 |= self.ann.session.take_chat_message().is_some_and(|said| said.text == "from Eve");
        }
        Ok(heard == (true, true))
    }

    /// How long the bridge has kept what came from the server, and how long it keeps keys.
    fn delay(mut self) -> anyhow::Result<Delay> {
        for key in 0..TIMED_KEYS {
            if key.is_multiple_of(TIMED_KEYS / STEPS_PER_TICK as usize) {
                self.shift();
            }
            let held = if key.is_multiple_of(2) { Buttons::UP } else { Buttons::DOWN };
            self.hold(KEY_TICKS, Input::holding(held))?;
        }
        let up = self.keys.longest(TIMED_KEYS).context("keys are lost on the bridge")?;
        // Bob's own line is the first; those of the bridge follow it.
        Ok(Delay { down: self.server.exchange.waited_max_after(1), up })
    }

    /// From now on the client speaks a quarter of a tick later.
    fn shift(&mut self) {
        let Play { clock, server, bridge, .. } = self;
        clock.step(|now| {
            server.advance(now);
            bridge.advance(now);
        });
    }
}
