//! What a bot does in Frames that are drawn by hand.

use game::{Attached, Entity, EntityId, Event, Kind, Player, Side, Stage, Tick, Vec2, px, tuning};

use super::*;

const SEAT: Seat = Seat::ALL[0];

/// A kind, where it is and how fast, in pixels and pixels per tick.
type Placed = (Kind, (i32, i32), (i32, i32));

fn frame_with(ship: (i32, i32), things: &[Placed]) -> Frame {
    let mut frame = Frame { state: game::GameState::Running, ..Frame::default() };
    let mut me = Entity::new(EntityId(1), Kind::Player, Vec2::new(px(ship.0), px(ship.1)));
    me.seat = Some(SEAT);
    frame.players[0] = Some(Player { ship: Some(me.id), lives: 3, ..Player::of(SEAT) });
    frame.entities.push(me);
    for (index, &(kind, at, velocity)) in things.iter().enumerate() {
        let mut thing = Entity::new(EntityId(10 + index as u32), kind, Vec2::new(px(at.0), px(at.1)));
        thing.velocity = Vec2::new(px(velocity.0), px(velocity.1));
        frame.entities.push(thing);
    }
    frame
}

/// Flies the ship as the bot says, and everything else as its velocity says.
fn advance(frame: &mut Frame, input: Input) {
    frame.tick.0 += 1;
    frame.events = Vec::<Event>::new();
    let step = tuning::SHIPS[0].speeds[0] * game::units::STEPS_PER_TICK;
    let held = |button| i32::from(input.held.contains(button));
    for entity in &mut frame.entities {
        if entity.kind == Kind::Player {
            entity.position.x += step * (held(Buttons::RIGHT) - held(Buttons::LEFT));
            entity.position.y += step * (held(Buttons::DOWN) - held(Buttons::UP));
        } else {
            entity.position += entity.velocity;
        }
    }
}

fn touches(frame: &Frame) -> bool {
    let me = frame.ship(SEAT).expect("the ship is in the frame").position;
    let mine = tuning::body(Kind::Player).hit_px;
    frame.entities.iter().filter(|entity| entity.kind != Kind::Player).any(|entity| {
        let theirs = tuning::body(entity.kind).hit_px;
        let gap = entity.position - me;
        gap.x.abs() < px((mine.0 + theirs.0) / 2) && gap.y.abs() < px((mine.1 + theirs.1) / 2)
    })
}

#[test]
fn without_a_ship_it_does_nothing() {
    assert_eq!(Bot::new(1).decide(&Frame::default(), SEAT, Ground::Unknown), Input::IDLE);
}

/// For as long as a chase lasts, whatever it overlooks otherwise.
#[test]
fn it_keeps_ahead_of_what_closes_in_from_behind() {
    for skill in Skill::ALL {
        let mut bot = Bot::with_skill(skill, 7);
        let mut frame = frame_with((60, 134), &[(Kind::Grinder, (-16, 134), (0, 0))]);
        for tick in 0..900 {
            let speed = if tick < 600 { tuning::GRINDER_SPEED * game::units::STEPS_PER_TICK } else { 0 };
            frame.entities[1].velocity.x = speed.min(tuning::GRINDER_REACH - frame.entities[1].position.x);
            let input = bot.decide(&frame, SEAT, Ground::Unknown);
            advance(&mut frame, input);
            assert!(!touches(&frame), "{skill:?} after {tick} ticks");
        }
    }
}

#[test]
fn the_same_seed_and_frames_give_the_same_inputs() {
    let play = |seed| {
        let mut frame =
            frame_with((100, 135), &[(Kind::Drone, (470, 140), (-1, 0)), (Kind::Pellet, (300, 130), (-2, 0))]);
        let mut bot = Bot::new(seed);
        let inputs: Vec<Input> = (0..600)
            .map(|_| {
                let input = bot.decide(&frame, SEAT, Ground::Unknown);
                advance(&mut frame, input);
                input
            })
            .collect();
        inputs
    };
    assert_eq!(play(7), play(7));
    assert_ne!(play(7), play(8));
}

#[test]
fn it_steps_out_of_the_way_of_a_pellet() {
    for (at, velocity) in [((300, 135), (-3, 0)), ((100, 20), (0, 2)), ((180, 215), (-2, -2)), ((20, 135), (3, 0))] {
        let mut frame = frame_with((100, 135), &[(Kind::Pellet, at, velocity)]);
        let mut bot = Bot::new(3);
        for _ in 0..150 {
            let input = bot.decide(&frame, SEAT, Ground::Unknown);
            advance(&mut frame, input);
            assert!(!touches(&frame), "hit by the pellet from {at:?} at tick {}", frame.tick.0);
        }
    }
}

#[test]
fn it_sees_a_pellet_come_though_frames_carry_no_velocity() {
    let mut frame = frame_with((100, 135), &[(Kind::Pellet, (300, 135), (0, 0))]);
    let mut bot = Bot::new(3);
    for _ in 0..120 {
        let input = bot.decide(&frame, SEAT, Ground::Unknown);
        advance(&mut frame, input);
        frame.entities[1].position.x -= px(3);
        assert!(!touches(&frame), "hit at tick {}", frame.tick.0);
    }
}

/// Ticks after which a bot of that skill that rests first moves out of the way of a shot that comes out of nowhere.
fn reaction_ticks(skill: Skill, tells_ticks: bool) -> Option<usize> {
    // One shot may be overlooked, but not the next.
    (40..50).find_map(|id| reaction_to(EntityId(id), skill, tells_ticks))
}

fn reaction_to(shot: EntityId, skill: Skill, tells_ticks: bool) -> Option<usize> {
    let mut frame = frame_with((100, 135), &[]);
    let mut bot = Bot::with_skill(skill, 3);
    let mut moves = |frame: &mut Frame| {
        let input = bot.decide(frame, SEAT, Ground::Unknown);
        advance(frame, input);
        frame.tick.0 *= u32::from(tells_ticks);
        input.held.intersects(Buttons::UP | Buttons::DOWN)
    };
    let mut rests_for = 0;
    while rests_for < 5 {
        rests_for = if moves(&mut frame) { 0 } else { rests_for + 1 };
    }
    let at = frame.entities[0].position;
    let mut shot = Entity::new(shot, Kind::Pellet, Vec2::new(at.x + px(90), at.y));
    shot.velocity = Vec2::new(px(-2), 0);
    frame.entities.push(shot);
    (0..45).position(|_| moves(&mut frame))
}

#[test]
fn the_better_it_is_the_sooner_it_reacts_whether_or_not_ticks_are_told() {
    for tells_ticks in [true, false] {
        let reactions = Skill::ALL.map(|skill| reaction_ticks(skill, tells_ticks));
        let [easy, Some(normal), Some(good)] = reactions else { panic!("{reactions:?}, ticks told: {tells_ticks}") };
        // A beginner may be too late.
        assert!(good + 8 < normal && easy.is_none_or(|easy| normal < easy), "{reactions:?}, ticks told: {tells_ticks}");
    }
}

#[test]
fn a_beginner_never_charges_and_leaves_the_force_alone() {
    let mut frame = frame_with((80, 135), &[]);
    let mut force = Entity::new(EntityId(5), Kind::Force, Vec2::new(px(99), px(135)));
    force.seat = Some(SEAT);
    force.attached = Some(Attached { to: EntityId(1), side: Side::Front });
    frame.entities.push(force);
    let mut bot = Bot::with_skill(Skill::Easy, 1);
    for tick in 0..1200 {
        frame.tick = Tick(tick);
        let input = bot.decide(&frame, SEAT, Ground::Unknown);
        assert!(!input.held.contains(Buttons::FIRE) && !input.pressed.contains(Buttons::FORCE), "at tick {tick}");
    }
}

#[test]
fn it_lines_up_with_an_enemy_and_fires() {
    let mut frame = frame_with((80, 60), &[(Kind::Turret, (400, 200), (0, 0))]);
    let mut bot = Bot::new(5);
    let mut taps = 0;
    for _ in 0..240 {
        let input = bot.decide(&frame, SEAT, Ground::Unknown);
        taps += i32::from(input.pressed.contains(Buttons::FIRE));
        advance(&mut frame, input);
    }
    let gap = frame.entities[0].position.y - frame.entities[1].position.y;
    assert!(gap.abs() < px(10), "still {} px off", gap / px(1));
    assert!(taps > 5, "only {taps} shots");
}

#[test]
fn with_nothing_near_it_charges_and_lets_the_beam_go_at_what_lines_up() {
    let mut frame = frame_with((80, 135), &[]);
    let mut bot = Bot::new(5);
    for charge in 0..255 {
        frame.entities[0].charge = charge;
        let input = bot.decide(&frame, SEAT, Ground::Unknown);
        assert!(input.held.contains(Buttons::FIRE), "let go at {charge}");
        advance(&mut frame, input);
    }
    frame.entities[0].charge = 255;
    let height = frame.entities[0].position.y;
    frame.entities.push(Entity::new(EntityId(9), Kind::Turret, Vec2::new(px(420), height)));
    let input = bot.decide(&frame, SEAT, Ground::Unknown);
    assert!(!input.held.contains(Buttons::FIRE), "a full beam is kept back");
}

#[test]
fn it_counts_the_charge_itself_where_frames_do_not_show_it() {
    let mut frame = frame_with((80, 135), &[]);
    let mut bot = Bot::new(5);
    for _ in 0..140 {
        let input = bot.decide(&frame, SEAT, Ground::Unknown);
        advance(&mut frame, input);
    }
    let height = frame.entities[0].position.y;
    frame.entities.push(Entity::new(EntityId(9), Kind::Turret, Vec2::new(px(420), height)));
    assert!(!bot.decide(&frame, SEAT, Ground::Unknown).held.contains(Buttons::FIRE));
}

#[test]
fn it_picks_up_an_item() {
    let mut frame = frame_with((60, 60), &[(Kind::RedCrystal, (220, 190), (0, 0))]);
    let mut bot = Bot::new(2);
    let reached = (0..240).any(|_| {
        let input = bot.decide(&frame, SEAT, Ground::Unknown);
        advance(&mut frame, input);
        touches(&frame)
    });
    assert!(reached);
}

#[test]
fn it_launches_the_force_and_calls_it_back() {
    let mut frame = frame_with((80, 135), &[(Kind::Turret, (400, 135), (0, 0))]);
    let mut force = Entity::new(EntityId(5), Kind::Force, Vec2::new(px(99), px(135)));
    force.seat = Some(SEAT);
    force.attached = Some(Attached { to: EntityId(1), side: Side::Front });
    frame.entities.insert(1, force);
    let mut bot = Bot::new(2);
    let mut presses = 0;
    for _ in 0..2400 {
        let input = bot.decide(&frame, SEAT, Ground::Unknown);
        frame.tick = Tick(frame.tick.0 + 1);
        if input.pressed.contains(Buttons::FORCE) {
            presses += 1;
            let docked = frame.entities[1].attached.is_some();
            frame.entities[1].attached = (!docked).then_some(Attached { to: EntityId(1), side: Side::Front });
            frame.entities[1].position.x = if docked { px(230) } else { px(99) };
        }
    }
    assert!((3..=12).contains(&presses), "{presses} presses in 40 seconds");
}

#[test]
fn it_keeps_off_terrain_that_scrolls_in() {
    // A floor that rises in front of the ship, which then has only the upper third to fly through.
    let mut rows = vec![".".repeat(90); 6];
    rows.extend(vec![format!("{}{}", ".".repeat(30), "#".repeat(60)); 11]);
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let stage = Stage::sketch(&rows);
    let mut frame = frame_with((100, 200), &[]);
    let mut bot = Bot::new(4);
    for tick in 0..900 {
        frame.scroll_px = tick;
        let input = bot.decide(&frame, SEAT, Ground::Stage(&stage));
        advance(&mut frame, input);
        let me = frame.entities[0].position;
        assert!(!stage.terrain.solid_at(i64::from(px(tick as i32) + me.x), me.y), "flew into the ground at {tick}");
    }
}

#[test]
fn absurd_numbers_from_a_network_do_no_harm() {
    let mut frame = frame_with((100, 100), &[]);
    for (index, value) in [i32::MIN, i32::MAX, -1, 0].into_iter().enumerate() {
        let mut thing = Entity::new(EntityId(50 + index as u32), Kind::Pellet, Vec2::new(value, value));
        thing.velocity = Vec2::new(value, i32::MAX);
        frame.entities.push(thing);
    }
    frame.entities[0].position = Vec2::new(i32::MAX, i32::MIN);
    frame.players[0].as_mut().expect("seated").speed = 255;
    frame.scroll_px = u32::MAX;
    let stage = Stage::sketch(&["####"]);
    let mut bot = Bot::new(0);
    for tick in [0, 1, u32::MAX, 3] {
        frame.tick = Tick(tick);
        bot.decide(&frame, SEAT, Ground::Stage(&stage));
        bot.decide(&frame, SEAT, Ground::Unknown);
    }
    let mut sane = frame_with((100, 135), &[(Kind::Pellet, (300, 135), (-3, 0))]);
    for _ in 0..150 {
        let input = bot.decide(&sane, SEAT, Ground::Unknown);
        advance(&mut sane, input);
        assert!(!touches(&sane), "it no longer evades at tick {}", sane.tick.0);
    }
}
