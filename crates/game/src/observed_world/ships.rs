//! What an observed world makes of ships, Forces and Bits.

use super::{bounded, per_step};
use crate::{
    Buttons, Entity, Frame, Kind, Player, SEATS, Seat, Side, Vec2, World,
    player_state::{Bit, Crystal, Force, ForceMode, Life, PlayerState, Ship},
    score::Chain,
    tally::{Counts, PastMerit},
    tuning,
    units::{STEPS_PER_TICK, px},
};

/// Other players' ships are never hurt here: where they really fly is not known.
const NEVER: u16 = u16::MAX;

/// Takes over every seat.
pub(super) fn adopt(world: &mut World, frame: &Frame, own: Option<Seat>) {
    for seat in Seat::ALL {
        let before = world.state.players[seat.index()].take();
        let mut observed = frame.players[seat.index()].map(|player| Seen { frame, seat, player }.state(before));
        if let Some(ship) = observed.as_mut().and_then(PlayerState::ship_mut).filter(|_| own != Some(seat)) {
            ship.invulnerable = NEVER;
        }
        world.state.players[seat.index()] = observed;
    }
}

/// The directions that explain a velocity.
pub(super) fn buttons_of(velocity: Vec2) -> Buttons {
    Buttons::NONE
        .with(Buttons::LEFT, velocity.x < 0)
        .with(Buttons::RIGHT, velocity.x > 0)
        .with(Buttons::UP, velocity.y < 0)
        .with(Buttons::DOWN, velocity.y > 0)
}

/// What a Frame shows of one player.
struct Seen<'f> {
    frame: &'f Frame,
    seat: Seat,
    player: Player,
}

impl Seen<'_> {
    fn state(&self, before: Option<PlayerState>) -> PlayerState {
        let held = before.as_ref().map_or(Buttons::NONE, |player| player.held);
        let model = self.player.model;
        let old = before.and_then(|player| match player.life {
            Life::Flying(ship) => Some(ship),
            Life::Lost { .. } | Life::Out => None,
        });
        let life = match self.frame.ship(self.seat) {
            Some(seen) => Life::Flying(self.ship(seen, old.filter(|old| old.id == seen.id))),
            None if self.player.lives == 0 => Life::Out,
            None => Life::Lost { returns_in: NEVER },
        };
        PlayerState {
            lives: self.player.lives,
            score: self.player.score,
            held,
            model,
            chain: self.chain(),
            in_stage: Counts::default(),
            before: Counts::default(),
            past_merit: PastMerit::default(),
            life,
        }
    }

    fn chain(&self) -> Chain {
        let ticks = self.player.chain_ends.0.saturating_sub(self.frame.tick.0).min(u16::MAX.into());
        let left = (ticks * STEPS_PER_TICK as u32).min(tuning::score::CHAIN_LASTS.into()) as u16;
        Chain { links: self.player.chain, left }
    }

    fn ship(&self, seen: &Entity, old: Option<Ship>) -> Ship {
        let position = bounded(seen.position);
        let known = old.unwrap_or_else(|| Ship::new(seen.id, self.player.model, position));
        let known = Ship { model: self.player.model, ..known };
        Ship {
            position,
            velocity: per_step(seen.velocity),
            // An animation of 3 and more says that nothing hurts it, but not for how long.
            invulnerable: if seen.animation >= 3 { known.invulnerable.max(1) } else { 0 },
            charging: charging(&known, seen.charge),
            speed: self.player.speed.min(tuning::SPEED_UPS_MAX),
            missiles: self.player.missiles,
            force: self.force(position, known.force),
            bits: self.bits(position, &known.bits),
            ..known
        }
    }

    fn force(&self, ship: Vec2, old: Option<Force>) -> Option<Force> {
        let seen = self.gear(Kind::Force).next()?;
        let position = bounded(seen.position);
        let old = old.filter(|old| old.id == seen.id);
        let known = old.unwrap_or(Force {
            id: seen.id,
            position,
            velocity: Vec2::ZERO,
            level: 1,
            crystal: Crystal::Red,
            mode: ForceMode::Homing,
            fire_in: tuning::FORCE_FIRE_EVERY,
            touch_in: 0,
        });
        let crystal = match seen.animation >> 2 {
            0 => Crystal::Red,
            1 => Crystal::Blue,
            _ => Crystal::Yellow,
        };
        let mode = mode(seen, ship, &known, old.is_some());
        let level = (seen.animation & 3).clamp(1, tuning::FORCE_LEVEL_MAX);
        Some(Force { position, velocity: per_step(seen.velocity), level, crystal, mode, ..known })
    }

    fn bits(&self, ship: Vec2, old: &[Option<Bit>; 2]) -> [Option<Bit>; tuning::BITS_MAX] {
        let mut bits = [None; tuning::BITS_MAX];
        for seen in self.gear(Kind::Bit).take(SEATS) {
            let slot = old.iter().position(|bit| bit.is_some_and(|bit| bit.id == seen.id));
            let slot = slot.unwrap_or(usize::from(seen.position.y > ship.y));
            let touch_in = old[slot].map_or(0, |bit| bit.touch_in);
            let (position, velocity) = (bounded(seen.position), per_step(seen.velocity));
            bits[slot] = Some(Bit { id: seen.id, position, velocity, touch_in });
        }
        bits
    }

    /// The Force or the Bits of this player.
    fn gear(&self, kind: Kind) -> impl Iterator<Item = &Entity> {
        self.frame.entities.iter().filter(move |entity| entity.kind == kind && entity.seat == Some(self.seat))
    }
}

/// For how long fire has been held: as carried on, unless the gauge says otherwise.
fn charging(known: &Ship, gauge: u8) -> u16 {
    if known.gauge() == gauge {
        return known.charging;
    }
    match gauge {
        0 => 0,
        _ => {
            tuning::CHARGE_DELAY
                + (u32::from(gauge) * u32::from(known.model.numbers().charge_full)).div_ceil(255) as u16
        }
    }
}

/// What a Force is doing: as carried on if that led it where it is seen, else what its speed suggests.
fn mode(seen: &Entity, ship: Vec2, known: &Force, carried: bool) -> ForceMode {
    if let Some(attached) = seen.attached {
        return ForceMode::Docked(attached.side);
    }
    let off = known.position - bounded(seen.position);
    if carried && known.docked().is_none() && off.x.abs().max(off.y.abs()) <= px(1) {
        return known.mode;
    }
    let velocity = per_step(seen.velocity);
    let speed = velocity.x.abs().max(velocity.y.abs());
    let side = if seen.position.x >= ship.x { Side::Front } else { Side::Back };
    match speed {
        _ if velocity.y == 0 && velocity.x == side.sign() * tuning::FORCE_LAUNCH_SPEED => ForceMode::Launched(side),
        speed if speed > tuning::FORCE_FOLLOW_SPEED + tuning::FORCE_RISE_SPEED => ForceMode::Homing,
        _ => ForceMode::Holding,
    }
}
