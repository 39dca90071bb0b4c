//! Terrain is shown as walls (ruling C12), and every shot that strikes something is reported as a hit (ruling R14).

use game::{Entity, Event, Frame, Kind, Rules, Seat, Stage, Vec2, World, px};

fn walls(frame: &Frame) -> Vec<&Entity> {
    frame.entities.iter().filter(|entity| entity.kind == Kind::Wall).collect()
}

/// A game that nobody plays, so that no loss sends it back to a checkpoint.
fn first_stage() -> World {
    in_stage("stage1")
}

fn in_stage(name: &str) -> World {
    let mut world = World::new(Stage::built_in(name).expect("built in"), Rules::default(), 1);
    world.start();
    world
}

/// Whether a wall of the Frame covers a point of the field.
fn covers(frame: &Frame, point: Vec2) -> bool {
    walls(frame).iter().any(|wall| {
        let (width, height) = wall.size_px.expect("a wall has a size");
        let (dx, dy) = (point.x - wall.position.x, point.y - wall.position.y);
        let (half_x, half_y) = (px(width.into()) / 2, px(height.into()) / 2);
        (-half_x..half_x).contains(&dx) && (-half_y..half_y).contains(&dy)
    })
}

#[test]
fn the_walls_of_a_frame_are_exactly_the_terrain_that_is_in_view_or_about_to_be() {
    for name in ["stage1", "stage2", "stage3"] {
        let mut world = in_stage(name);
        let mut solid = 0;
        for _ in 0..60 {
            (0..60).for_each(|_| world.tick(&Default::default()));
            let frame = world.frame();
            for x in (0..480 + 64).step_by(16) {
                for y in (8..270).step_by(16) {
                    let point = Vec2::new(px(x + 2), px(y));
                    let is_solid = world.stage().terrain.is_solid(world.scroll(), point);
                    assert_eq!(covers(&frame, point), is_solid, "{name}: {x}, {y} at {}", frame.scroll_px);
                    solid += usize::from(is_solid);
                }
            }
        }
        assert!(solid > 1000, "there was terrain to look at");
    }
}

#[test]
fn a_wall_moves_as_the_stage_scrolls_and_says_so() {
    let mut world = first_stage();
    while walls(&world.frame()).is_empty() {
        world.tick(&Default::default());
    }
    let before = world.frame();
    world.tick(&Default::default());
    let after = world.frame();
    let wall = walls(&before)[0];
    let later = after.entity(wall.id).expect("it is still there");
    assert!(later.velocity.x < 0);
    assert_eq!(later.position, wall.position + later.velocity);
    assert_eq!(later.size_px, wall.size_px);
}

#[test]
fn a_wall_is_gone_when_its_right_edge_has_left_the_field() {
    let mut world = first_stage();
    for _ in 0..60 * 40 {
        world.tick(&Default::default());
        for wall in walls(&world.frame()) {
            let (width, _) = wall.size_px.expect("a wall has a size");
            assert!(wall.position.x + px(width.into()) / 2 > -px(1), "{wall:?} is gone");
            assert!(wall.position.x - px(width.into()) / 2 <= px(480 + 64), "{wall:?} is too early");
        }
    }
}

#[test]
fn an_enemy_shot_that_strikes_a_ship_or_its_force_is_told_as_a_hit() {
    let mut world = World::new(Stage::sketch(&[]), Rules::default(), 1);
    let seat = Seat::ALL[0];
    world.join(seat);
    world.start();
    // A new ship cannot be hurt for two seconds.
    (0..150).for_each(|_| world.tick(&Default::default()));
    let ship = *world.frame().ship(seat).expect("a ship");
    world.spawn(Kind::RedCrystal, ship.position);
    (0..240).for_each(|_| world.tick(&Default::default()));
    let frame = world.frame();
    let force = frame.entities.iter().find(|entity| entity.kind == Kind::Force).expect("the crystal brings the Force");
    assert_eq!(hit_by_a_pellet_at(&mut world, force.position), Some(force.id));
    let ship = frame.ship(seat).expect("still a ship");
    assert_eq!(hit_by_a_pellet_at(&mut world, ship.position), Some(ship.id));
    assert!(world.frame().ship(seat).is_none(), "and that was the end of it");
}

fn hit_by_a_pellet_at(world: &mut World, position: Vec2) -> Option<game::EntityId> {
    let pellet = world.spawn(Kind::Pellet, position).expect("a pellet");
    world.tick(&Default::default());
    world.events().iter().find_map(|event| match event {
        Event::Hit { by, target } if *by == pellet => Some(*target),
        _ => None,
    })
}
