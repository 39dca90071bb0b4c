//! Frames as plain text: stable and easy to compare line by line. `docs/watching.md` describes the format.

use std::{
    fmt,
    io::{self, Write},
};

use game::{Entity, Event, Frame, Gone, Kind, Player, SUBPIXELS, Seat, Side};

/// Writes one Frame: a line for the tick, then indented ones for players, entities and events.
pub fn write_frame(out: &mut impl Write, frame: &Frame, hash: u64) -> io::Result<()> {
    writeln!(
        out,
        "tick {} state {} stage {} scroll {} score {} hash {hash:016x}",
        frame.tick.0,
        frame.state.name(),
        frame.stage,
        frame.scroll_px,
        frame.score
    )?;
    for (seat, player) in frame.players.iter().enumerate() {
        if let Some(player) = player {
            write_player(out, seat, player)?;
        }
    }
    frame.entities.iter().try_for_each(|entity| write_entity(out, entity))?;
    frame.events.iter().try_for_each(|event| write_event(out, event))
}

fn write_player(out: &mut impl Write, seat: usize, player: &Player) -> io::Result<()> {
    write!(out, "  player seat={seat} lives={} score={}", player.lives, player.score)?;
    if let Some(ship) = player.ship {
        write!(out, " ship={}", ship.0)?;
    }
    writeln!(
        out,
        " force={} speed={} missiles={}",
        player.force_level,
        player.speed,
        if player.missiles { "yes" } else { "no" }
    )
}

fn write_entity(out: &mut impl Write, entity: &Entity) -> io::Result<()> {
    write!(
        out,
        "  {} {} x={} y={} vx={} vy={}",
        entity.id.0,
        entity.kind.name(),
        Px(entity.position.x),
        Px(entity.position.y),
        Px(entity.velocity.x),
        Px(entity.velocity.y)
    )?;
    if entity.health_max > 0 {
        write!(out, " health={}/{}", entity.health, entity.health_max)?;
    }
    if entity.animation > 0 {
        write!(out, " animation={}", entity.animation)?;
    }
    if let Some(seat) = entity.seat {
        write!(out, " seat={}", seat.number())?;
    }
    if let Some(attached) = entity.attached {
        write!(out, " attached={} side={}", attached.to.0, side(attached.side))?;
    }
    if entity.kind == Kind::Player {
        write!(out, " charge={} lives={}", entity.charge, entity.lives)?;
    }
    writeln!(out)
}

fn write_event(out: &mut impl Write, event: &Event) -> io::Result<()> {
    write!(out, "  event ")?;
    match *event {
        Event::Spawned { entity } => writeln!(out, "spawned entity={}", entity.0),
        Event::Destroyed { entity, gone } => writeln!(out, "destroyed entity={} gone={}", entity.0, manner(gone)),
        Event::Fired { seat, shot } => writeln!(out, "fired seat={} shot={}", seat.number(), shot.0),
        Event::Hit { by, target } => writeln!(out, "hit by={} target={}", by.0, target.0),
        Event::Killed { seat, ship, by } => {
            write!(out, "killed seat={} ship={}", seat.number(), ship.0)?;
            by.iter().try_for_each(|by| write!(out, " by={}", by.kind.name()))?;
            by.and_then(|by| by.seat).iter().try_for_each(|seat| write!(out, " by_seat={}", seat.number()))?;
            writeln!(out)
        }
        Event::Grabbed { ship, object, side: None } => writeln!(out, "grabbed ship={} object={}", ship.0, object.0),
        Event::Grabbed { ship, object, side: Some(at) } => {
            writeln!(out, "grabbed ship={} object={} side={}", ship.0, object.0, side(at))
        }
        Event::Dropped { ship, force } => writeln!(out, "dropped ship={} force={}", ship.0, force.0),
        Event::Joined { seat } => write_seat(out, "joined", seat),
        Event::Left { seat } => write_seat(out, "left", seat),
        Event::TimedOut { seat } => write_seat(out, "timed_out", seat),
        Event::ExtraLife { seat } => write_seat(out, "extra_life", seat),
        Event::StateChanged { state } => writeln!(out, "state_changed state={}", state.name()),
    }
}

fn write_seat(out: &mut impl Write, what: &str, seat: Seat) -> io::Result<()> {
    writeln!(out, "{what} seat={}", seat.number())
}

fn side(side: Side) -> &'static str {
    match side {
        Side::Front => "front",
        Side::Back => "back",
    }
}

fn manner(gone: Gone) -> &'static str {
    match gone {
        Gone::Destroyed => "destroyed",
        Gone::Departed => "departed",
    }
}

/// Sub-pixels, written as pixels with two decimals.
struct Px(i32);

impl fmt::Display for Px {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let half = i64::from(SUBPIXELS) / 2;
        let hundredths = (i64::from(self.0).abs() * 100 + half) / i64::from(SUBPIXELS);
        let sign = if self.0 < 0 && hundredths > 0 { "-" } else { "" };
        write!(f, "{sign}{}.{:02}", hundredths / 100, hundredths % 100)
    }
}

#[cfg(test)]
mod tests {
    use game::{Attached, EntityId, GameState, Tick, Vec2, px};

    use super::*;

    #[test]
    fn pixels_have_two_decimals() {
        let written = [0, 128, -128, 1, -1, 255, px(-3), i32::MIN].map(|sub| Px(sub).to_string());
        assert_eq!(written, ["0.00", "0.50", "-0.50", "0.00", "0.00", "1.00", "-3.00", "-8388608.00"]);
    }

    #[test]
    fn a_frame_reads_like_this() {
        let mut ship = Entity::new(EntityId(1), Kind::Player, Vec2::new(px(64), px(108)));
        (ship.seat, ship.health, ship.health_max, ship.charge, ship.lives) = (Seat::new(0), 1, 1, 12, 3);
        let mut force = Entity::new(EntityId(7), Kind::Force, Vec2::new(px(83), px(108) + 64));
        (force.seat, force.animation) = (Seat::new(0), 2);
        force.attached = Some(Attached { to: EntityId(1), side: Side::Front });
        let mut frame =
            Frame { tick: Tick(12), state: GameState::Running, scroll_px: 9, score: 100, ..Frame::default() };
        let player = Player {
            ship: Some(EntityId(1)),
            lives: 3,
            score: 100,
            force_level: 2,
            speed: 1,
            missiles: true,
            ..Player::of(Seat::ALL[0])
        };
        frame.players[0] = Some(player);
        frame.entities = vec![ship, force];
        frame.events = vec![
            Event::Fired { seat: Seat::ALL[0], shot: EntityId(13) },
            Event::Grabbed { ship: EntityId(1), object: EntityId(7), side: Some(Side::Back) },
            Event::StateChanged { state: GameState::Won },
        ];
        let mut out = Vec::new();
        write_frame(&mut out, &frame, 0xbeef).expect("memory takes all");
        let expected = "\
tick 12 state running stage 0 scroll 9 score 100 hash 000000000000beef
  player seat=0 lives=3 score=100 ship=1 force=2 speed=1 missiles=yes
  1 player x=64.00 y=108.00 vx=0.00 vy=0.00 health=1/1 seat=0 charge=12 lives=3
  7 force x=83.00 y=108.25 vx=0.00 vy=0.00 animation=2 seat=0 attached=1 side=front
  event fired seat=0 shot=13
  event grabbed ship=1 object=7 side=back
  event state_changed state=won
";
        assert_eq!(String::from_utf8(out).expect("text"), expected);
    }
}
