//! The fields of what a Frame shows, as tables: how each is taken out as a number, put in again, and how many bits its
//! difference has. The delta knows nothing else of entities and players; tests insist that nothing is missing here.

use game::{Attached, Entity, EntityId, Frame, GameState, Kind, Player, Seat, ShipModel, Side, Tick};

use super::bits::Sizes;
use crate::Malformed;

/// One field of a `T`.
pub struct Field<T> {
    /// Its name on the page.
    pub name: &'static str,
    /// The sizes of its difference from what was predicted.
    pub sizes: Sizes,
    /// Takes it out.
    pub get: fn(&T) -> i32,
    /// Puts it in, unless it is no such value.
    pub set: fn(&mut T, i32) -> Result<(), Malformed>,
}

/// Where an entity is and how it moves.
pub static MOTION: [Field<Entity>; 4] = [
    Field {
        name: "velocity x",
        sizes: [5, 9, 12, 32],
        get: |it| it.velocity.x,
        set: |it, value| put(&mut it.velocity.x, value),
    },
    Field {
        name: "velocity y",
        sizes: [5, 9, 12, 32],
        get: |it| it.velocity.y,
        set: |it, value| put(&mut it.velocity.y, value),
    },
    Field {
        name: "x",
        sizes: [9, 12, 15, 32],
        get: |it| it.position.x,
        set: |it, value| put(&mut it.position.x, value),
    },
    Field {
        name: "y",
        sizes: [9, 12, 15, 32],
        get: |it| it.position.y,
        set: |it, value| put(&mut it.position.y, value),
    },
];

/// What else there is of an entity, but its id.
pub static QUALITIES: [Field<Entity>; 9] = [
    Field {
        name: "health",
        sizes: [2, 4, 8, 32],
        get: |it| it.health.into(),
        set: |it, value| narrow(&mut it.health, value),
    },
    Field {
        name: "animation",
        sizes: [2, 4, 6, 32],
        get: |it| it.animation.into(),
        set: |it, value| narrow(&mut it.animation, value),
    },
    Field {
        name: "charge",
        sizes: [2, 4, 9, 32],
        get: |it| it.charge.into(),
        set: |it, value| narrow(&mut it.charge, value),
    },
    Field { name: "seat", sizes: [2, 3, 4, 32], get: seat_of, set: set_seat },
    Field {
        name: "health at first",
        sizes: [3, 6, 9, 32],
        get: |it| it.health_max.into(),
        set: |it, value| narrow(&mut it.health_max, value),
    },
    Field {
        name: "lives",
        sizes: [2, 4, 6, 32],
        get: |it| it.lives.into(),
        set: |it, value| narrow(&mut it.lives, value),
    },
    Field {
        name: "attached to",
        sizes: [6, 12, 18, 32],
        get: |it| it.attached.map_or(0, |attached| attached.to.0 as i32),
        set: set_attached_to,
    },
    Field {
        name: "attached at",
        sizes: [1, 2, 3, 32],
        get: |it| it.attached.map_or(0, |attached| attached.side as i32),
        set: set_attached_at,
    },
    Field { name: "kind", sizes: [3, 5, 8, 32], get: |it| it.kind.number().into(), set: set_kind },
];

pub static PLAYER: [Field<Player>; 9] = [
    Field {
        name: "score",
        sizes: [8, 11, 16, 32],
        get: |it| it.score as i32,
        set: |it, value| put(&mut it.score, value as u32),
    },
    Field {
        name: "ship",
        sizes: [6, 12, 18, 32],
        get: |it| it.ship.map_or(0, |ship| ship.0 as i32),
        set: |it, value| put(&mut it.ship, (value != 0).then_some(EntityId(value as u32))),
    },
    Field {
        name: "lives",
        sizes: [2, 4, 6, 32],
        get: |it| it.lives.into(),
        set: |it, value| narrow(&mut it.lives, value),
    },
    Field {
        name: "Force level",
        sizes: [2, 3, 4, 32],
        get: |it| it.force_level.into(),
        set: |it, value| narrow(&mut it.force_level, value),
    },
    Field {
        name: "speed",
        sizes: [2, 3, 4, 32],
        get: |it| it.speed.into(),
        set: |it, value| narrow(&mut it.speed, value),
    },
    Field { name: "missiles", sizes: [1, 2, 3, 32], get: |it| it.missiles.into(), set: set_missiles },
    Field { name: "ship model", sizes: [2, 3, 4, 32], get: |it| it.model.number().into(), set: set_model },
    Field {
        name: "chain",
        sizes: [2, 5, 9, 32],
        get: |it| it.chain.into(),
        set: |it, value| narrow(&mut it.chain, value),
    },
    Field {
        name: "chain ends",
        sizes: [6, 8, 11, 32],
        get: |it| it.chain_ends.0 as i32,
        set: |it, value| put(&mut it.chain_ends, Tick(value as u32)),
    },
];

/// The game as a whole. Tick, scroll, players and entities have codes of their own; events are told apart.
pub static GAME: [Field<Frame>; 4] = [
    Field {
        name: "score",
        sizes: [8, 11, 16, 32],
        get: |it| it.score as i32,
        set: |it, value| put(&mut it.score, value as u32),
    },
    Field { name: "state", sizes: [2, 3, 4, 32], get: |it| it.state.number().into(), set: set_state },
    Field {
        name: "stage",
        sizes: [2, 4, 9, 32],
        get: |it| it.stage.into(),
        set: |it, value| narrow(&mut it.stage, value),
    },
    Field {
        name: "wave",
        sizes: [2, 6, 12, 32],
        get: |it| it.wave as i32,
        set: |it, value| put(&mut it.wave, value as u32),
    },
];

fn put<V>(place: &mut V, value: V) -> Result<(), Malformed> {
    *place = value;
    Ok(())
}

fn narrow<V: TryFrom<i32>>(place: &mut V, value: i32) -> Result<(), Malformed> {
    *place = V::try_from(value).map_err(|_| Malformed::BadValue)?;
    Ok(())
}

fn seat_of(entity: &Entity) -> i32 {
    entity.seat.map_or(-1, |seat| seat.number().into())
}

fn set_seat(entity: &mut Entity, value: i32) -> Result<(), Malformed> {
    entity.seat = match u8::try_from(value) {
        Ok(number) => Some(Seat::new(number).ok_or(Malformed::BadValue)?),
        Err(_) if value == -1 => None,
        Err(_) => return Err(Malformed::BadValue),
    };
    Ok(())
}

fn set_attached_to(entity: &mut Entity, value: i32) -> Result<(), Malformed> {
    let side = entity.attached.map_or(Side::Front, |attached| attached.side);
    entity.attached = (value != 0).then_some(Attached { to: EntityId(value as u32), side });
    Ok(())
}

/// It comes behind what it is attached to.
fn set_attached_at(entity: &mut Entity, value: i32) -> Result<(), Malformed> {
    let side = match value {
        0 => Side::Front,
        1 => Side::Back,
        _ => return Err(Malformed::BadValue),
    };
    match &mut entity.attached {
        Some(attached) => put(&mut attached.side, side),
        None => Err(Malformed::BadValue),
    }
}

fn set_kind(entity: &mut Entity, value: i32) -> Result<(), Malformed> {
    let number = u16::try_from(value).map_err(|_| Malformed::BadValue)?;
    put(&mut entity.kind, Kind::from_number(number).ok_or(Malformed::BadValue)?)
}

fn set_missiles(player: &mut Player, value: i32) -> Result<(), Malformed> {
    match value {
        0 | 1 => put(&mut player.missiles, value == 1),
        _ => Err(Malformed::BadValue),
    }
}

fn set_model(player: &mut Player, value: i32) -> Result<(), Malformed> {
    let number = u8::try_from(value).map_err(|_| Malformed::BadValue)?;
    put(&mut player.model, ShipModel::from_number(number).ok_or(Malformed::BadValue)?)
}

fn set_state(frame: &mut Frame, value: i32) -> Result<(), Malformed> {
    let number = u8::try_from(value).map_err(|_| Malformed::BadValue)?;
    put(&mut frame.state, GameState::from_number(number).ok_or(Malformed::BadValue)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::Vec2;

    /// Names every field, so that a new one does not compile until it is in a table and counted here.
    #[test]
    fn the_tables_cover_every_field() {
        let Entity {
            id: _, // the delta's own
            kind: _,
            position: Vec2 { x: _, y: _ },
            velocity: Vec2 { x: _, y: _ },
            health: _,
            health_max: _,
            animation: _,
            seat: _,
            attached: _, // two of the table's
            charge: _,
            lives: _,
            size_px: _, // of walls only, which this dialect does not tell
        } = Entity::new(EntityId(1), Kind::Player, Vec2::ZERO);
        assert_eq!(MOTION.len() + QUALITIES.len(), 4 + 7 + 2);
        let Player {
            ship: _,
            lives: _,
            score: _,
            force_level: _,
            speed: _,
            missiles: _,
            model: _,
            chain: _,
            chain_ends: _,
        } = full_player();
        assert_eq!(PLAYER.len(), 9);
        // Tick, scroll, players, names and entities have codes of their own; events are told apart.
        let Frame {
            tick: _,
            state: _,
            stage: _,
            wave: _,
            scroll_px: _,
            score: _,
            players: _,
            names: _,
            entities: _,
            events: _,
        } = Frame::default();
        assert_eq!(GAME.len(), 4);
    }

    fn full_player() -> Player {
        Player {
            ship: Some(EntityId(9)),
            lives: 3,
            score: 700,
            force_level: 2,
            speed: 1,
            missiles: true,
            model: ShipModel::Lynx,
            chain: 12,
            chain_ends: Tick(9000),
        }
    }

    /// Copying every field of the tables copies the whole, whatever it was before.
    #[test]
    fn what_is_taken_out_and_put_in_is_the_same() {
        let full = Entity {
            velocity: Vec2::new(-3, i32::MAX),
            health: u16::MAX,
            health_max: 7,
            animation: 255,
            seat: Some(Seat::ALL[3]),
            attached: Some(Attached { to: EntityId(u32::MAX), side: Side::Back }),
            charge: 200,
            lives: 9,
            ..Entity::new(EntityId(5), Kind::Force, Vec2::new(i32::MIN, 4))
        };
        let bare = Entity::new(EntityId(5), Kind::Drone, Vec2::ZERO);
        for (from, to) in [(full, bare), (bare, full)] {
            let mut copy = to;
            for field in MOTION.iter().chain(&QUALITIES) {
                if (field.get)(&copy) != (field.get)(&from) {
                    (field.set)(&mut copy, (field.get)(&from)).expect(field.name);
                }
            }
            assert_eq!(copy, from);
        }
        let mut player = Player::of(Seat::ALL[0]);
        for field in &PLAYER {
            (field.set)(&mut player, (field.get)(&full_player())).expect(field.name);
        }
        assert_eq!(player, full_player());
    }

    #[test]
    fn values_that_no_field_has_are_refused() {
        let mut entity = Entity::new(EntityId(1), Kind::Drone, Vec2::ZERO);
        for (index, value) in [(0, -1), (0, 65_536), (1, 256), (3, 4), (3, -2), (7, 1), (8, 0), (8, 70_000)] {
            assert_eq!((QUALITIES[index].set)(&mut entity, value), Err(Malformed::BadValue), "{index} {value}");
        }
        assert!((GAME[1].set)(&mut Frame::default(), 5).is_err());
        assert!((PLAYER[5].set)(&mut full_player(), 2).is_err());
        assert!((PLAYER[6].set)(&mut full_player(), 4).is_err());
    }
}
