//! Losing a ship and coming back: lives, extra lives, checkpoints, the end of the game.

use crate::{
    Event, GameState, Gone, Killer, Kind, Mode, Practice, RuleSet, Seat, ShipModel, Vec2, World, bits,
    foe::{Foe, Habit},
    force,
    hitbox::Hitbox,
    player_state::{Life, Ship},
    score::Chain,
    tuning,
    units::{FIELD_HEIGHT_PX, FIELD_WIDTH_PX, px},
};

impl World {
    /// A ship is lost, with all that it carried.
    pub(crate) fn kill(&mut self, seat: Seat, by: Killer) {
        let Some(player) = &mut self.state.players[seat.index()] else { return };
        let lives = player.lives.saturating_sub(1);
        player.lives = lives;
        player.in_stage.deaths = player.in_stage.deaths.saturating_add(1);
        player.chain = Chain::default();
        let next = if lives == 0 { Life::Out } else { Life::Lost { returns_in: tuning::RETURN_DELAY } };
        let Life::Flying(ship) = std::mem::replace(&mut player.life, next) else { return };
        self.emit(Event::Killed { seat, ship: ship.id, by: Some(by) });
        self.remove_ship(&ship, Gone::Destroyed);
        self.spawn_effect(Kind::BigExplosion, ship.position);
        if self.everyone_goes_back() && self.state.setback_in.is_none() {
            self.state.setback_in = Some(tuning::RETURN_DELAY);
        }
    }

    /// Tells that a ship, its Force and its Bits are gone.
    pub(crate) fn remove_ship(&mut self, ship: &Ship, gone: Gone) {
        for entity in ship.ids() {
            self.emit(Event::Destroyed { entity, gone });
        }
    }

    /// Under arcade rules, and for a player who is alone, a loss sends everyone back to the checkpoint.
    fn everyone_goes_back(&self) -> bool {
        self.state.rules.set == RuleSet::Arcade || self.seated() <= 1
    }

    /// Points for a player, and extra lives for all whenever the common score passes the next mark. What a shot hits whose
    /// player has left brings nobody anything: the common score is the sum of all shares.
    pub(crate) fn award(&mut self, seat: Seat, points: u32) {
        let Some(player) = &mut self.state.players[seat.index()] else { return };
        player.score = player.score.saturating_add(points);
        player.in_stage.score = player.in_stage.score.saturating_add(points);
        self.state.score = self.state.score.saturating_add(points);
        while self.state.score >= self.state.next_extra_life && self.state.next_extra_life < u32::MAX {
            // Company scores faster.
            let step = tuning::EXTRA_LIFE_EVERY.saturating_mul(self.seated() as u32);
            self.state.next_extra_life = self.state.next_extra_life.saturating_add(step);
            self.give_extra_lives();
        }
    }

    fn give_extra_lives(&mut self) {
        if !self.state.rules.numbers().extra_lives {
            return;
        }
        for seat in Seat::ALL {
            if let Some(player) = &mut self.state.players[seat.index()]
                && player.life != Life::Out
                && player.lives < tuning::LIVES_MAX
            {
                player.lives += 1;
                self.emit(Event::ExtraLife { seat });
            }
        }
    }

    /// A ship at the left edge, clear of terrain, that nothing hurts for a while.
    pub(crate) fn new_ship(&mut self, seat: Seat, model: ShipModel) -> Option<Ship> {
        let position = self.start_of(seat);
        Some(Ship::new(self.new_id()?, model, position))
    }

    /// In practice a new ship comes with the arms that were chosen.
    pub(crate) fn arm(&mut self, seat: Seat) {
        let Mode::Practice(Practice { arms, .. }) = self.state.rules.mode else { return };
        for _ in 0..arms.force_level {
            force::strengthen(self, seat, arms.crystal);
        }
        force::dock_in_front(self, seat);
        for _ in 0..arms.bits {
            bits::add(self, seat);
        }
        if let Some(ship) = self.state.ship_mut(seat) {
            (ship.speed, ship.missiles) = (arms.speed, arms.missiles);
        }
    }

    /// Where the ship of a seat begins: its own height, or the nearest with room for a second of flight; failing that,
    /// with room for itself. Ahead of what closes in from behind, if anything does.
    fn start_of(&self, seat: Seat) -> Vec2 {
        let preferred = tuning::SHIP_START_YS[seat.index()];
        let inside = tuning::SHIP_MARGIN.1..=px(FIELD_HEIGHT_PX) - tuning::SHIP_MARGIN.1;
        let away = (0..FIELD_HEIGHT_PX).step_by(4);
        let heights: Vec<i32> =
            away.flat_map(|away| [preferred - px(away), preferred + px(away)]).filter(|y| inside.contains(y)).collect();
        let x = self.start_x();
        let starts = || heights.iter().map(|&height| Vec2::new(x, height));
        let clear_for = |room_px| starts().find(|&start| self.is_clear(start, room_px));
        clear_for(tuning::SHIP_START_ROOM_PX).or_else(|| clear_for(0)).unwrap_or(Vec2::new(x, preferred))
    }

    fn start_x(&self) -> i32 {
        let pursuers = self.state.foes.iter().filter(|foe| foe.habit == Habit::Pursue);
        let ahead_of = |foe: &Foe| foe.position.x + px(foe.kind.size_px().0 / 2) + tuning::GRINDER_RETURN_ROOM;
        let start = pursuers.map(ahead_of).fold(tuning::SHIP_START_X, i32::max);
        start.min(px(FIELD_WIDTH_PX) - tuning::SHIP_MARGIN.0)
    }

    /// Whether a ship could begin there and fly this far ahead.
    fn is_clear(&self, start: Vec2, room_px: i32) -> bool {
        let (width, tall) = tuning::body(Kind::Player).size_px;
        // By half its width, so that its corners miss no tile.
        (0..=room_px).step_by(width as usize / 2).all(|ahead| {
            let centre = start + Vec2::new(px(ahead), 0);
            Hitbox::sized((width, tall), centre).corners().iter().all(|&corner| !self.is_terrain(corner))
        })
    }

    /// Every player with lives left starts again at the left edge: those in flight keep their ship and what it carries.
    pub(crate) fn restart_ships(&mut self) {
        for seat in Seat::ALL {
            let start = self.start_of(seat);
            let Some(player) = &mut self.state.players[seat.index()] else { continue };
            match &mut player.life {
                Life::Flying(ship) => {
                    ship.move_to(start);
                    ship.invulnerable = tuning::INVULNERABLE;
                }
                Life::Lost { .. } => self.bring_back(seat),
                Life::Out => {}
            }
        }
    }

    fn bring_back(&mut self, seat: Seat) {
        let Some(model) = self.state.players[seat.index()].as_ref().map(|player| player.model) else { return };
        let Some(ship) = self.new_ship(seat, model) else { return };
        if let Some(player) = &mut self.state.players[seat.index()] {
            player.life = Life::Flying(ship);
        }
        self.arm(seat);
    }
}

/// Counts down returns and setbacks, and ends the game when everybody is out.
pub(crate) fn settle(world: &mut World) {
    if world.state.game != GameState::Running {
        return;
    }
    let seated = world.seated();
    if seated > 0 && world.state.players.iter().flatten().all(|player| player.life == Life::Out) {
        world.change_state(GameState::Lost);
        return;
    }
    if let Some(steps) = world.state.victory_in {
        world.state.victory_in = steps.checked_sub(1);
        if steps == 0 {
            world.change_state(GameState::Won);
        }
        return;
    }
    match world.state.setback_in {
        Some(0) => world.return_to_checkpoint(),
        Some(steps) => world.state.setback_in = Some(steps - 1),
        None => count_down_returns(world),
    }
}

fn count_down_returns(world: &mut World) {
    for seat in Seat::ALL {
        let Some(player) = &mut world.state.players[seat.index()] else { continue };
        match &mut player.life {
            Life::Lost { returns_in: 0 } => world.bring_back(seat),
            Life::Lost { returns_in } => *returns_in -= 1,
            Life::Flying(_) | Life::Out => {}
        }
    }
}
