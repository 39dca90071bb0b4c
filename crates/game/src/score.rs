//! Chains: enemies that one player shoots down in quick succession are worth more and more.
//!
//! A kill within [`CHAIN_LASTS`] of the player's last one is the next link; a hit on a boss keeps the chain alive; the loss
//! of the ship ends it. Points, shares and extra lives are in `lives.rs`.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::{
    Class, GameState, Kind, Seat, World,
    player_state::PlayerState,
    tuning::score::{CHAIN_LASTS, multiple},
};

/// The chain of one player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) struct Chain {
    /// Enemies shot down without a pause.
    pub links: u16,
    /// Steps until it ends.
    pub left: u16,
}

impl Chain {
    fn add(&mut self) {
        *self = Chain { links: self.links.saturating_add(1), left: CHAIN_LASTS };
    }

    fn keep_alive(&mut self) {
        if self.links > 0 {
            self.left = CHAIN_LASTS;
        }
    }

    fn advance(&mut self) {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            self.links = 0;
        }
    }
}

/// Lets time pass for every chain.
pub(crate) fn advance(world: &mut World) {
    world.state.players.iter_mut().flatten().for_each(|player| player.chain.advance());
}

impl World {
    /// A player shot something down that is worth some plain points. What a last shot hits after the game is over counts no
    /// more, or the score on the screen would differ from the one in the tally.
    pub(crate) fn award_kill(&mut self, seat: Seat, kind: Kind, points: u16) {
        if self.state.game != GameState::Running {
            return;
        }
        let Some(player) = &mut self.state.players[seat.index()] else { return };
        let multiple = if is_link(kind) { player.add_link() } else { 1 };
        self.award(seat, u32::from(points) * u32::from(multiple));
    }

    /// A player hurt something: a boss keeps the chain alive.
    pub(crate) fn keep_chain(&mut self, seat: Seat, kind: Kind) {
        if kind.class() == Class::Boss
            && let Some(player) = &mut self.state.players[seat.index()]
        {
            player.chain.keep_alive();
        }
    }
}

impl PlayerState {
    /// One more link. How many times its plain points it is worth.
    fn add_link(&mut self) -> u16 {
        let worth = multiple(self.chain.links);
        self.chain.add();
        self.in_stage.kill(self.chain.links);
        worth
    }
}

/// Blocks and wreckage are not enemies.
fn is_link(kind: Kind) -> bool {
    matches!(kind.class(), Class::Enemy | Class::Boss) && kind != Kind::Debris
}
