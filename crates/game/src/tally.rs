//! What each player did in a stage and in a game, and the rank that it earns.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::{
    Class, GameState, Kind, Seat, ShipModel, World, player_state::PlayerState, tuning::score, units::STEPS_PER_TICK,
};

/// What a player did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Counts {
    pub score: u32,
    /// Enemies shot down.
    pub kills: u32,
    /// Links of the longest chain.
    pub chain_max: u16,
    /// Ships lost.
    pub deaths: u16,
    /// Steps played: two are a tick.
    pub steps: u32,
}

/// How well a stage was played. The numbers are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Rank {
    /// The best.
    S = 0,
    /// Very good.
    A = 1,
    /// Good.
    B = 2,
    /// Fair.
    C = 3,
    /// A beginning.
    D = 4,
}

/// What a rank is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranked {
    /// The stage that is being played.
    Stage,
    /// All stages since the game began, or since the player joined it: their mean.
    Game,
}

/// The merit of the stages before this one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) struct PastMerit {
    sum: u32,
    stages: u16,
}

/// One player's line of a tally.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayerTally {
    pub seat: Seat,
    /// The ship flown.
    pub ship: ShipModel,
    /// The rank earned; whoever did not fly earned none, see [`PlayerTally::earned`].
    pub rank: Rank,
    /// What the player did in this stage.
    pub stage: Counts,
    /// What the player did since the game began, or since they joined it.
    pub game: Counts,
}

impl Rank {
    /// All of them, the best first.
    pub const ALL: [Rank; 5] = [Rank::S, Rank::A, Rank::B, Rank::C, Rank::D];

    pub fn from_number(number: u8) -> Option<Rank> {
        Rank::ALL.get(usize::from(number)).copied()
    }

    pub const fn letter(self) -> &'static str {
        match self {
            Rank::S => "S",
            Rank::A => "A",
            Rank::B => "B",
            Rank::C => "C",
            Rank::D => "D",
        }
    }

    /// The rank that this merit earns.
    fn of_merit(merit: u32) -> Rank {
        let better = score::RANKS.iter().position(|&least| merit >= least);
        Rank::ALL[better.unwrap_or(score::RANKS.len())]
    }
}

impl PlayerTally {
    /// What the player did in what the rank is for.
    pub fn counts(&self, ranked: Ranked) -> Counts {
        match ranked {
            Ranked::Stage => self.stage,
            Ranked::Game => self.game,
        }
    }

    /// The rank, unless the player never flew: what others shot down is no merit of a spectator.
    pub fn earned(&self, ranked: Ranked) -> Option<Rank> {
        (self.counts(ranked).ticks() > 0).then_some(self.rank)
    }
}

impl PastMerit {
    fn and(self, merit: u32) -> PastMerit {
        PastMerit { sum: self.sum.saturating_add(merit), stages: self.stages.saturating_add(1) }
    }

    fn mean(self) -> u32 {
        self.sum / u32::from(self.stages).max(1)
    }
}

impl Counts {
    pub(crate) fn kill(&mut self, chain: u16) {
        self.kills = self.kills.saturating_add(1);
        self.chain_max = self.chain_max.max(chain);
    }

    /// Ticks played, 60 a second.
    pub fn ticks(&self) -> u32 {
        self.steps / STEPS_PER_TICK as u32
    }

    /// Both together.
    pub fn and(self, more: Counts) -> Counts {
        Counts {
            score: self.score.saturating_add(more.score),
            kills: self.kills.saturating_add(more.kills),
            chain_max: self.chain_max.max(more.chain_max),
            deaths: self.deaths.saturating_add(more.deaths),
            steps: self.steps.saturating_add(more.steps),
        }
    }
}

impl PlayerState {
    /// A new stage begins: what was done in the last one is added to the game's.
    fn close_stage(&mut self, merit: u32) {
        self.past_merit = self.past_merit.and(merit);
        self.before = self.before.and(std::mem::take(&mut self.in_stage));
    }
}

impl World {
    /// The tally of everybody who has a seat, with the ranks of the stage or of the game.
    pub fn tally(&self, ranked: Ranked) -> impl Iterator<Item = PlayerTally> {
        let kills = self.kills_in_stage();
        let players = Seat::ALL.into_iter().zip(&self.state.players);
        players.filter_map(move |(seat, player)| {
            let player = player.as_ref()?;
            let merit = self.merit(kills, &player.in_stage);
            let rank = Rank::of_merit(match ranked {
                Ranked::Stage => merit,
                Ranked::Game => player.past_merit.and(merit).mean(),
            });
            let (stage, game) = (player.in_stage, player.before.and(player.in_stage));
            Some(PlayerTally { seat, ship: player.flown(), rank, stage, game })
        })
    }

    /// A new stage begins: for everybody, the last one becomes a part of the game.
    pub(crate) fn close_stage(&mut self) {
        let kills = self.kills_in_stage();
        let merits = Seat::ALL.map(|seat| {
            let player = self.state.players[seat.index()].as_ref();
            player.map_or(0, |player| self.merit(kills, &player.in_stage))
        });
        for (player, merit) in self.state.players.iter_mut().zip(merits) {
            player.iter_mut().for_each(|player| player.close_stage(merit));
        }
        self.state.came = 0;
    }

    /// What all have shot down.
    fn kills_in_stage(&self) -> u32 {
        let kills = self.state.players.iter().flatten().map(|player| player.in_stage.kills);
        kills.fold(0, u32::saturating_add)
    }

    /// Steps since this game began; a new try is another game.
    pub(crate) fn is_opening(&self, steps: u32) -> bool {
        self.state.played < steps
    }

    /// How well a player did: what all have shot down of what came, the player's own best chain and lost ships. Whoever did
    /// not fly did nothing.
    fn merit(&self, kills: u32, own: &Counts) -> u32 {
        if own.ticks() == 0 {
            return 0;
        }
        let came = self.state.came.max(1);
        let of_kills = u64::from(score::MERIT_OF_KILLS) * u64::from(kills.min(came)) / u64::from(came);
        let of_chain = (u32::from(own.chain_max) / score::LINKS_PER_MERIT).min(score::MERIT_OF_CHAIN_MAX);
        let of_deaths = u32::from(own.deaths).saturating_mul(score::MERIT_PER_DEATH);
        (of_kills as u32 + of_chain).saturating_sub(of_deaths)
    }

    /// An enemy came that counts for the rank.
    pub(crate) fn count_arrival(&mut self, kind: Kind) {
        if kind.class() == Class::Enemy && kind != Kind::Debris {
            self.state.came = self.state.came.saturating_add(1);
        }
    }
}

/// Counts a step for everybody who is in the game.
pub(crate) fn advance(world: &mut World) {
    if world.state.game != GameState::Running {
        return;
    }
    world.state.played = world.state.played.saturating_add(1);
    for player in world.state.players.iter_mut().flatten().filter(|player| player.lives > 0) {
        player.in_stage.steps = player.in_stage.steps.saturating_add(1);
    }
}
