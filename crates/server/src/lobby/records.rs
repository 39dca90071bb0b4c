//! What is kept of a game: how it ended, who played, and with which score.
//!
//! A game counts when it is won or lost, or when everybody leaves one that has a score. If the player who left last then comes
//! back to the lobby and plays on, the same game is recorded again, and the later record takes the place of the earlier
//! one: `lobby` and `began` name a game.
//!
//! A game that was slowed down or made easier is marked: its score does not count against others. It is marked if time passed
//! slowly for a while, because a player wanted it to or the node had too much to do; if its player paused it so often that it
//! was as good as slow; if everybody had more lives than usual; or if a bot had a seat, because the tables compare people. A
//! pause now and then does not count. Practice is not recorded.
//!
//! When a game is won or lost, everybody in the lobby is told the tally, in dialects that have words for it.

use std::{
    net::{IpAddr, Ipv4Addr},
    time::Duration,
};

use game::{Counts, Dice, GameState, PlayerTally, Rank, Ranked, Rules, SEATS, Seat, ShipModel, Skill};
use protocol::{Dialect, GameId, LobbyNotice, Pace, PlayerKind, Tally, TallyLine, Time};

use super::Lobby;
use crate::{
    outgoing::Context,
    saves::{SavedGame, SavedPlayer},
};

/// Players who left during a game and are still named in its record, at most. Others are in it without their names.
const NAMED_MAX: usize = 32;

/// How often a player may pause, and after how many ticks in play once more.
const PAUSES_FREE: u32 = 5;
const PAUSE_EVERY_TICKS: u32 = 30 * 60;

/// A tick, as long as in the timetable of a shard.
const TICK: Duration = Duration::from_micros(16_667);
/// How much longer than its ticks a game may take: a moment, and some hundredths of them. More is slow.
const LOST_FREE: Duration = Duration::from_secs(2);
const LOST_PERCENT: u64 = 5;
/// Time that passed between two ticks counts as lost only up to this: a node that stood still stopped the game, but did not slow it.
const LOST_AT_ONCE_MAX: Duration = Duration::from_secs(1);

/// A game that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Names it: the same id was sent with the tally.
    pub game: GameId,
    /// The id of its lobby.
    pub lobby: String,
    /// Whether that is a secret.
    pub is_private: bool,
    /// The name of its stage.
    pub stage: String,
    /// What was played by.
    pub rules: Rules,
    /// How it ended.
    pub outcome: Outcome,
    /// When it began.
    pub began: Time,
    /// When it ended.
    pub ended: Time,
    /// How long it took, 60 a second.
    pub ticks: u32,
    /// The score of all players together.
    pub score: u32,
    /// Whether it was slowed down or made easier, in this stage or in one before that the score comes from.
    pub is_assisted: bool,
    /// How often it was paused.
    pub pauses: u32,
    /// For how long in all, in whole seconds.
    pub paused_seconds: u32,
    /// The lives that each player began with.
    pub lives: u8,
    /// The players: those who were there at the end by seat, then those who had left.
    pub players: Vec<RecordedPlayer>,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The boss is gone.
    Won,
    /// Everybody is out of lives.
    Lost,
    /// Everybody left.
    Abandoned,
}

impl Outcome {
    /// Its name, in the archive and in the API.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Won => "won",
            Outcome::Lost => "lost",
            Outcome::Abandoned => "abandoned",
        }
    }
}

/// Somebody who played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedPlayer {
    /// Where they sat.
    pub seat: Seat,
    /// Their name; empty if the dialect has none, and for a bot.
    pub name: String,
    /// What they spoke, or how well a bot played.
    pub kind: PlayerKind,
    /// Their own share of the score.
    pub score: u32,
    /// The ship that they flew last.
    pub ship: ShipModel,
    /// The rank that they earned, if they were there at the end.
    pub rank: Option<Rank>,
    /// What they did.
    pub counts: Counts,
}

/// What a lobby keeps in mind of the game that it plays.
#[derive(Debug, Default)]
pub(super) struct GameRecorder(Option<GameSoFar>);

#[derive(Debug)]
struct GameSoFar {
    began: Time,
    first_tick: u32,
    /// How it ended, if it has.
    ended: Option<Outcome>,
    /// The tick in which it did.
    last_tick: u32,
    is_assisted: bool,
    pauses: Pauses,
    lost_time: LostTime,
    gone: Vec<KnownPlayer>,
    /// Seats whose players gave a name after it had ended.
    named_late: [bool; SEATS],
}

/// What a lobby did in its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GameTurn {
    /// It played a tick.
    Tick,
    /// Time passes slowly: it played a tick, or left it out.
    Slow,
    /// Time stands still.
    Pause,
}

/// How often and how long a game was paused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Pauses {
    count: u32,
    total: Duration,
    /// Since when, while it is paused.
    since: Option<Time>,
}

impl Pauses {
    /// Notes whether time stands still now.
    fn follow(&mut self, now: Time, is_paused: bool) {
        match (self.since, is_paused) {
            (None, true) => {
                self.count += 1;
                self.since = Some(now);
            }
            (Some(since), false) => {
                self.total += now.since(since);
                self.since = None;
            }
            (None, false) | (Some(_), true) => {}
        }
    }

    /// Whether a game of this many ticks was paused so often that it was as good as slow.
    fn are_too_many(&self, ticks: u32) -> bool {
        self.count > PAUSES_FREE + ticks / PAUSE_EVERY_TICKS
    }

    fn seconds(&self, now: Time) -> u32 {
        let current = self.since.map_or(Duration::ZERO, |since| now.since(since));
        (self.total + current).as_secs() as u32
    }
}

/// How much longer a game took than its ticks, because the node had too much to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct LostTime {
    micros: i64,
    /// When its last turn was, if time passed then.
    last_turn: Option<Time>,
}

impl LostTime {
    /// Notes a turn: whether it was a tick, or time stood still. A tick that is made up for takes no time.
    fn follow(&mut self, now: Time, is_played: bool) {
        if let Some(last) = self.last_turn.filter(|_| is_played) {
            let passed = now.since(last).min(LOST_AT_ONCE_MAX);
            self.micros += passed.as_micros() as i64 - TICK.as_micros() as i64;
        }
        self.last_turn = is_played.then_some(now);
    }

    /// Whether a game of this many ticks was slow.
    fn is_much(&self, ticks: u32) -> bool {
        let free = LOST_FREE.as_micros() as u64 + u64::from(ticks) * TICK.as_micros() as u64 * LOST_PERCENT / 100;
        self.micros > free as i64
    }
}

/// Somebody who played, and from where.
#[derive(Debug)]
struct KnownPlayer {
    from: IpAddr,
    player: RecordedPlayer,
}

impl Lobby {
    /// Follows the game from tick to tick, and records its end.
    pub(super) fn record_end(&mut self, cx: &mut Context) {
        let (state, tick, pace) = (self.world.game_state(), self.world.now().0, self.pacing.in_force());
        let outcome = self.recorder.follow(cx.now, state, tick, pace);
        if self.bots.are_there() {
            self.recorder.note_bots();
        }
        if let Some(outcome) = outcome {
            self.record(cx, outcome);
            self.tell_tally(cx.now, outcome);
        }
    }

    fn tell_tally(&mut self, now: Time, outcome: Outcome) {
        let Some(game) = &self.recorder.0 else { return };
        let line = |player: PlayerTally| TallyLine { name: self.scene.name(player.seat).into(), player };
        let tally = Tally {
            game: self.game_id(game.began),
            is_won: outcome == Outcome::Won,
            is_scored: self.world.rules().is_scored() && !self.is_assisted(game),
            score: self.scene.frame.score,
            players: self.world.tally(self.ranked()).map(line).collect(),
        };
        self.notify_all(now, &LobbyNotice::Tally(&tally));
    }

    /// What ranks are for now: a stage that was won, unless the campaign ends with it; else the whole game.
    fn ranked(&self) -> Ranked {
        let stage = self.world.stage();
        let goes_on = self.next_game.stage_after(stage).number > stage.number;
        if self.world.game_state() == GameState::Won && goes_on { Ranked::Stage } else { Ranked::Game }
    }

    /// The id of the game that began then. Two lobbies of one node have different seeds, those of two nodes very likely.
    pub(super) fn game_id(&self, began: Time) -> GameId {
        GameId(Dice::new(self.identity.seed ^ Dice::new(began.micros()).bits()).bits())
    }

    /// Whether a game was slowed down or made easier.
    fn is_assisted(&self, game: &GameSoFar) -> bool {
        let rules = self.world.rules();
        let is_easier = rules.lives > Rules::of(rules.difficulty).lives;
        game.is_assisted || is_easier || game.is_slow(self.ticks_of(game))
    }

    fn ticks_of(&self, game: &GameSoFar) -> u32 {
        self.world.now().0.saturating_sub(game.first_tick)
    }

    /// Notes whether a turn was played, or time stands still. A slow lobby leaves turns out as well.
    pub(super) fn note_turn(&mut self, now: Time, is_played: bool) {
        let turn = match (self.pacing.in_force(), is_played) {
            (Pace::Slow, _) => GameTurn::Slow,
            (Pace::Full | Pace::Paused, true) => GameTurn::Tick,
            (Pace::Full | Pace::Paused, false) => GameTurn::Pause,
        };
        self.recorder.note_turn(now, turn);
    }

    /// Records a game that everybody has left, if it has a score.
    pub(super) fn record_abandoned(&mut self, cx: &mut Context) {
        let goes_on = self.recorder.0.as_ref().is_some_and(|game| game.ended.is_none());
        if goes_on && self.scene.frame.score > 0 {
            self.record(cx, Outcome::Abandoned);
        }
    }

    /// A player without a name has given one. If their game was just lost, it is recorded again with it, once for each seat: what a
    /// client may ask for again and again must not reach the disk each time.
    pub(super) fn record_late_name(&mut self, cx: &mut Context, seat: Seat) {
        let is_lost = self.world.game_state() == GameState::Lost;
        let game = self.recorder.0.as_mut().filter(|game| is_lost && game.ended == Some(Outcome::Lost));
        if game.is_some_and(|game| !std::mem::replace(&mut game.named_late[seat.index()], true)) {
            self.record(cx, Outcome::Lost);
        }
    }

    /// Keeps a player in mind who is about to leave.
    pub(super) fn remember(&mut self, seat: Seat) {
        let Some(known) = self.known(seat) else { return };
        if let Some(game) = self.recorder.0.as_mut().filter(|game| game.ended.is_none()) {
            game.remember(known);
        }
    }

    fn record(&mut self, cx: &mut Context, outcome: Outcome) {
        let Some(game) = self.recorder.0.as_ref().filter(|_| self.world.rules().is_scored()) else { return };
        let present = Seat::ALL.into_iter().filter_map(|seat| self.known(seat)).collect();
        cx.out.record(Record {
            game: self.game_id(game.began),
            lobby: self.id().to_string(),
            is_private: self.identity.is_private,
            stage: self.world.stage().name.clone(),
            rules: self.world.rules(),
            outcome,
            began: game.began,
            ended: cx.now,
            ticks: self.ticks_of(game),
            score: self.scene.frame.score,
            is_assisted: self.is_assisted(game),
            pauses: game.pauses.count,
            paused_seconds: game.pauses.seconds(cx.now),
            lives: self.world.rules().lives,
            players: game.everybody(present),
        });
    }

    fn known(&self, seat: Seat) -> Option<KnownPlayer> {
        let kind = self.player_kind(seat)?;
        let from = self.members.occupant(seat).map_or(Ipv4Addr::UNSPECIFIED.into(), |occupant| occupant.from);
        let score = self.scene.frame.players[seat.index()].map_or(0, |player| player.score);
        let name = if kind.bot().is_some() { String::new() } else { self.scene.name(seat).into() };
        let ranked = self.ranked();
        let tally = self.world.tally(ranked).find(|player| player.seat == seat);
        let ship = tally.map_or(ShipModel::of_seat(seat), |player| player.ship);
        let (rank, counts) =
            (tally.and_then(|player| player.earned(ranked)), tally.map(|player| player.game).unwrap_or_default());
        Some(KnownPlayer { from, player: RecordedPlayer { seat, name, kind, score, ship, rank, counts } })
    }
}

impl GameRecorder {
    /// Notes a tick that was played at that pace. How the game ended, if it did so in this tick.
    fn follow(&mut self, now: Time, state: GameState, tick: u32, pace: Pace) -> Option<Outcome> {
        if state == GameState::Running && self.0.as_ref().is_none_or(|game| game.ended.is_some()) {
            self.open(now, tick);
        }
        let game = self.0.as_mut().filter(|game| game.ended.is_none())?;
        game.is_assisted |= pace == Pace::Slow;
        game.ended = match state {
            GameState::Won => Some(Outcome::Won),
            GameState::Lost => Some(Outcome::Lost),
            GameState::Waiting | GameState::Running | GameState::TimedOut => None,
        };
        game.last_tick = tick;
        if game.ended.is_some() {
            game.is_assisted |= game.is_slow(tick.saturating_sub(game.first_tick));
        }
        game.ended
    }

    /// When the game that goes on began, and in which tick.
    pub fn running(&self) -> Option<(Time, u32)> {
        self.0.as_ref().filter(|game| game.ended.is_none()).map(|game| (game.began, game.first_tick))
    }

    /// The tick in which the game ended.
    pub fn tick_of_end(&self) -> Option<u32> {
        self.0.as_ref().filter(|game| game.ended.is_some()).map(|game| game.last_tick)
    }

    /// A bot plays along.
    fn note_bots(&mut self) {
        if let Some(game) = self.0.as_mut().filter(|game| game.ended.is_none()) {
            game.is_assisted = true;
        }
    }

    fn note_turn(&mut self, now: Time, turn: GameTurn) {
        if let Some(game) = self.0.as_mut().filter(|game| game.ended.is_none()) {
            game.pauses.follow(now, turn == GameTurn::Pause);
            game.lost_time.follow(now, turn == GameTurn::Tick);
        }
    }

    /// A score goes on into the next stage, and with it how it came about.
    fn open(&mut self, now: Time, first_tick: u32) {
        let is_assisted = self.0.as_ref().is_some_and(|game| game.is_assisted && game.ended == Some(Outcome::Won));
        self.0 = Some(GameSoFar {
            began: now,
            first_tick,
            ended: None,
            last_tick: first_tick,
            is_assisted,
            pauses: Pauses::default(),
            lost_time: LostTime::default(),
            gone: Vec::new(),
            named_late: [false; SEATS],
        });
    }
}

impl GameRecorder {
    /// What the next process of the node needs to go on with the record.
    pub fn save(&self) -> Option<SavedGame> {
        let game = self.0.as_ref()?;
        Some(SavedGame {
            began: game.began.micros(),
            first_tick: game.first_tick,
            ended: match game.ended {
                None => 0,
                Some(Outcome::Won) => 1,
                Some(Outcome::Lost) => 2,
                Some(Outcome::Abandoned) => 3,
            },
            is_assisted: game.is_assisted,
            pauses: game.pauses.count,
            paused_micros: game.pauses.total.as_micros() as u64,
            paused_since: game.pauses.since.map(Time::micros),
            lost_micros: game.lost_time.micros,
            gone: game.gone.iter().map(KnownPlayer::save).collect(),
            named_late: game.named_late,
        })
    }

    /// Goes on with what an earlier process saved. Anything may be in it, but no more than it could have saved.
    pub fn restore(saved: Option<SavedGame>) -> GameRecorder {
        GameRecorder(saved.map(|saved| GameSoFar {
            began: Time::from_micros(saved.began),
            first_tick: saved.first_tick,
            ended: match saved.ended {
                1 => Some(Outcome::Won),
                2 => Some(Outcome::Lost),
                3 => Some(Outcome::Abandoned),
                _ => None,
            },
            last_tick: saved.first_tick,
            is_assisted: saved.is_assisted,
            pauses: Pauses {
                count: saved.pauses,
                total: Duration::from_micros(saved.paused_micros),
                since: saved.paused_since.map(Time::from_micros),
            },
            // The time while the node was away is nobody's.
            lost_time: LostTime { micros: saved.lost_micros, last_turn: None },
            gone: saved.gone.into_iter().filter_map(KnownPlayer::restore).take(NAMED_MAX + SEATS).collect(),
            named_late: saved.named_late,
        }))
    }
}

impl GameSoFar {
    /// Whether it was slow after this many ticks: paused too often, or held up too much by the node.
    fn is_slow(&self, ticks: u32) -> bool {
        self.pauses.are_too_many(ticks) || self.lost_time.is_much(ticks)
    }

    /// A player who comes and goes again is named once. They started again each time, so that their scores add up.
    fn remember(&mut self, mut known: KnownPlayer) {
        if self.gone.len() >= NAMED_MAX && !self.gone.iter().any(|other| other.is_same(&known)) {
            known.forget();
        }
        match self.gone.iter_mut().find(|other| other.is_same(&known)) {
            Some(other) => other.add(&known),
            None => self.gone.push(known),
        }
    }

    /// Those who are there, and those who have left and not come back.
    fn everybody(&self, mut present: Vec<KnownPlayer>) -> Vec<RecordedPlayer> {
        let mut left = Vec::new();
        for gone in &self.gone {
            match present.iter_mut().find(|known| known.is_same(gone)) {
                Some(known) => known.add(gone),
                None => left.push(gone.player.clone()),
            }
        }
        present.into_iter().map(|known| known.player).chain(left).collect()
    }
}

impl KnownPlayer {
    /// The same name at the same address is the same person; without a name, the same seat.
    fn is_same(&self, other: &KnownPlayer) -> bool {
        let (mine, theirs) = (&self.player, &other.player);
        let is_there = !mine.name.is_empty() || mine.seat == theirs.seat;
        mine.name == theirs.name && mine.kind == theirs.kind && self.from == other.from && is_there
    }

    fn add(&mut self, other: &KnownPlayer) {
        self.player.score = self.player.score.saturating_add(other.player.score);
        self.player.counts = self.player.counts.and(other.player.counts);
    }

    fn save(&self) -> SavedPlayer {
        let RecordedPlayer { seat, name, kind, score, ship, rank, counts } = &self.player;
        SavedPlayer {
            from: self.from,
            seat: *seat,
            name: name.clone(),
            kind: saved_kind(*kind),
            score: *score,
            ship: *ship,
            rank: rank.map(|rank| rank as u8),
            counts: *counts,
        }
    }

    fn restore(saved: SavedPlayer) -> Option<KnownPlayer> {
        let SavedPlayer { from, seat, name, kind, score, ship, rank, counts } = saved;
        let (kind, rank) = (restored_kind(&kind)?, rank.and_then(Rank::from_number));
        let name = protocol::visible(&name);
        Some(KnownPlayer { from, player: RecordedPlayer { seat, name, kind, score, ship, rank, counts } })
    }

    /// One of too many: who it was is not kept.
    fn forget(&mut self) {
        self.from = Ipv4Addr::UNSPECIFIED.into();
        self.player.name.clear();
    }
}

/// Before the name of a bot's skill.
const BOT: &str = "bot ";

fn saved_kind(kind: PlayerKind) -> String {
    match kind {
        PlayerKind::Person(dialect) => dialect.name().into(),
        PlayerKind::Bot(skill) => format!("{BOT}{}", skill.name()),
    }
}

fn restored_kind(text: &str) -> Option<PlayerKind> {
    match text.strip_prefix(BOT) {
        Some(skill) => Skill::from_name(skill).map(PlayerKind::Bot),
        None => Dialect::from_name(text).map(PlayerKind::Person),
    }
}

#[cfg(test)]
mod tests;
