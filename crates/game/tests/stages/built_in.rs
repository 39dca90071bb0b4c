//! The stages that the game brings along can be played: they load, there is a way through, and all that they promise
//! is in them.

use std::sync::Arc;

use game::{
    Class, FIELD_HEIGHT_PX, FIELD_WIDTH_PX, Kind, SUBPIXELS, Stage, Vec2, px,
    stage::BUILT_IN,
    tuning::{self, SHIP_MARGIN, SHIP_START_X, SHIP_START_YS, body},
    units::{STEPS_PER_SECOND, TILE_PX, px_per_second},
};

/// The stages of the campaign, their two bosses and their zones.
const CAMPAIGN: [(&str, [Kind; 2], &[&str]); 3] = [
    ("stage1", [Kind::Salvager, Kind::Keeper], &["debris", "graveyard", "shipyard"]),
    ("stage2", [Kind::Brood, Kind::Matriarch], &["mouth", "gut", "nest"]),
    ("stage3", [Kind::Gatehouse, Kind::Heart], &["approach", "hull", "inside", "core"]),
];

fn campaign() -> impl Iterator<Item = Arc<Stage>> {
    CAMPAIGN.iter().map(|(name, ..)| Stage::built_in(name).unwrap())
}

#[test]
fn every_built_in_stage_loads_under_its_name() {
    for (name, _) in BUILT_IN {
        assert_eq!(Stage::built_in(name).unwrap().name, name);
    }
    assert_eq!(Stage::built_in("stage99"), None);
}

#[test]
fn endless_has_no_end() {
    let stage = Stage::endless();
    assert_eq!((stage.title.as_str(), stage.number), ("Endless", 0));
    assert_eq!((stage.endless, stage.scroll, stage.length_px), (true, px_per_second(60), 0));
    assert_eq!(stage.checkpoints_px, [0]);
    assert!(stage.spawns.is_empty() && stage.terrain.columns() == 0);
}

#[test]
fn the_campaign_goes_through_three_stages_and_begins_again() {
    let all: Vec<_> = BUILT_IN.iter().map(|(name, _)| Stage::built_in(name).unwrap()).collect();
    let mut stage = Stage::built_in("stage1").unwrap();
    for next in [2, 3, 1] {
        stage = Stage::following(&stage, &all);
        assert_eq!(stage.number, next);
    }
}

/// Seconds of scrolling until something at `x_px` comes into view.
fn seconds_until(stage: &Stage, x_px: u32) -> i32 {
    px(x_px as i32 - FIELD_WIDTH_PX).max(0) / stage.scroll / STEPS_PER_SECOND
}

#[test]
fn every_stage_lasts_two_to_three_minutes() {
    for (number, stage) in (1..).zip(campaign()) {
        assert_eq!((stage.number, stage.endless), (number, false));
        let seconds = seconds_until(&stage, stage.length_px);
        assert!((120..=180).contains(&seconds), "{} lasts {seconds} s", stage.name);
        assert!(stage.checkpoints_px.len() >= 5, "the beginning and at least four more");
    }
}

#[test]
fn every_stage_has_every_item_blocks_its_two_bosses_and_its_zones() {
    for (stage, (_, bosses, zones)) in campaign().zip(CAMPAIGN) {
        for &kind in Kind::ALL {
            let is_there = stage.spawns.iter().any(|spawn| spawn.kind == kind || spawn.item == Some(kind));
            let is_wanted = match kind.class() {
                Class::Boss => bosses.contains(&kind),
                Class::Item | Class::Block => true,
                // Walls are terrain, not spawns.
                Class::Wall | Class::Player | Class::Gear | Class::Enemy => continue,
                Class::EnemyShot | Class::PlayerShot | Class::Effect => continue,
            };
            assert_eq!(is_there, is_wanted, "{}: {}", stage.name, kind.name());
        }
        let names: Vec<&str> = stage.zones.iter().map(|zone| zone.name.as_str()).collect();
        assert_eq!(names, zones);
    }
}

#[test]
fn every_enemy_that_can_be_placed_comes_in_some_stage() {
    let comes = |kind: Kind| campaign().any(|stage| stage.spawns.iter().any(|spawn| spawn.kind == kind));
    let is_placed = |kind: &&Kind| kind.class() == Class::Enemy && !matches!(kind, Kind::Shard | Kind::Larva);
    for &kind in Kind::ALL.iter().filter(is_placed) {
        assert!(comes(kind), "a {} comes nowhere", kind.name());
    }
}

fn is_crystal(kind: Option<Kind>) -> bool {
    matches!(kind, Some(Kind::RedCrystal | Kind::BlueCrystal | Kind::YellowCrystal))
}

#[test]
fn every_stage_arms_its_players_in_time() {
    for (stage, (_, [middle, _], _)) in campaign().zip(CAMPAIGN) {
        let crystals = stage.spawns.iter().filter(|spawn| is_crystal(spawn.item));
        let times: Vec<i32> = crystals.map(|spawn| seconds_until(&stage, spawn.x_px)).collect();
        assert!(times[0] <= 12, "the first crystal comes after {} s", times[0]);
        assert!(times[2] <= seconds_until(&stage, boss_x(&stage, middle)), "three make a Force of level 3");
    }
}

/// Death loses everything, and what is in view at a checkpoint does not come again.
#[test]
fn every_checkpoint_is_soon_followed_by_a_crystal() {
    for stage in campaign() {
        for &checkpoint in &stage.checkpoints_px {
            let out_of_view = checkpoint + FIELD_WIDTH_PX as u32 + TILE_PX as u32;
            let next = stage.spawns.iter().find(|spawn| spawn.x_px > out_of_view && is_crystal(spawn.item)).unwrap();
            let wait = px((next.x_px - out_of_view) as i32) / stage.scroll / STEPS_PER_SECOND;
            assert!(wait <= 12, "{}: after {checkpoint} the next crystal comes in {wait} s", stage.name);
        }
    }
}

fn boss_x(stage: &Stage, kind: Kind) -> u32 {
    stage.spawns.iter().find(|spawn| spawn.kind == kind).unwrap().x_px
}

#[test]
fn every_stage_has_a_boss_half_way_and_one_at_the_end() {
    for (stage, (_, [middle, end], _)) in campaign().zip(CAMPAIGN) {
        let middle = boss_x(&stage, middle) * 100 / stage.length_px;
        assert!((40..=60).contains(&middle), "the mid-boss is at {middle} %");
        let last = stage.spawns.last().unwrap();
        assert_eq!(last.kind, end);
        assert!(last.x_px > stage.length_px - 64, "the last screen is all there when the boss comes");
    }
}

#[test]
fn every_stage_gives_its_bosses_room() {
    for stage in campaign() {
        let bosses = stage.spawns.iter().filter_map(|spawn| Some((spawn, tuning::boss(spawn.kind)?)));
        for (spawn, boss) in bosses {
            let reach = body(boss.hull).size_px.1 / 2 + i32::from(boss.sway.reach_px);
            for x in (spawn.x_px as i32 - FIELD_WIDTH_PX)..spawn.x_px as i32 {
                for y in (spawn.y_px - reach)..(spawn.y_px + reach) {
                    let is_solid = stage.terrain.solid_at(i64::from(px(x)), px(y));
                    assert!(!is_solid, "{} of {} at {x},{y}", boss.hull.name(), stage.name);
                }
            }
        }
    }
}

#[test]
fn what_holds_on_to_terrain_touches_it() {
    for stage in campaign() {
        let mut seen = 0;
        for spawn in &stage.spawns {
            let half = body(spawn.kind).size_px.1 / 2;
            let solid = |y: i32| stage.terrain.solid_at(i64::from(px(spawn.x_px as i32)), px(y));
            let (floor, ceiling) = (solid(spawn.y_px + half), solid(spawn.y_px - half - 1));
            let holds = match spawn.kind {
                Kind::Walker => floor,
                Kind::Clinger => ceiling,
                Kind::Turret | Kind::Polyp | Kind::Hatch | Kind::Rover => floor || ceiling,
                _ => continue,
            };
            assert!(holds && !solid(spawn.y_px), "{} at {},{}", spawn.kind.name(), spawn.x_px, spawn.y_px);
            seen += 1;
        }
        assert!(seen > 20, "{}: {seen}", stage.name);
    }
}

/// No enemy comes where no shot can reach it: there is a way to its height from somewhere in the screen before it.
#[test]
fn no_enemy_comes_inside_terrain_or_out_of_reach() {
    for stage in campaign() {
        let ways = Ways::of(&stage, Blocks::ShotAway);
        for spawn in stage.spawns.iter().filter(|spawn| spawn.kind.class() == Class::Enemy) {
            let first = (spawn.x_px as i32 - FIELD_WIDTH_PX).max(0);
            let last = (spawn.x_px as i32 - SHIP_START_X / SUBPIXELS).clamp(first, ways.scrolls() - 1);
            let half = body(spawn.kind).hit_px.1 / 2 + body(Kind::Shot).hit_px.1 / 2;
            let heights = (spawn.y_px - half).max(0)..(spawn.y_px + half).min(FIELD_HEIGHT_PX);
            let in_line = |scroll: i32| heights.clone().any(|y| ways.is_free(scroll, y));
            assert!(
                (first..=last).any(in_line),
                "{}: {} at {},{}",
                stage.name,
                spawn.kind.name(),
                spawn.x_px,
                spawn.y_px
            );
        }
    }
}

/// Whether blocks are in the way.
#[derive(Clone, Copy, PartialEq)]
enum Blocks {
    Solid,
    ShotAway,
}

/// Where a ship that keeps its distance from the left edge has room, for every pixel of scrolling.
struct Ways {
    /// By scroll, then by the height of the ship's centre.
    free: Vec<Vec<bool>>,
    ship_px: i32,
    climb: usize,
}

impl Ways {
    fn of(stage: &Stage, blocks: Blocks) -> Ways {
        Ways::at(stage, blocks, SHIP_START_X / SUBPIXELS)
    }

    /// For a ship this far from the left edge, in pixels.
    fn at(stage: &Stage, blocks: Blocks, ship_px: i32) -> Ways {
        let scrolls = 0..=(stage.length_px as i32 - FIELD_WIDTH_PX);
        // While the screen scrolls by one pixel; rounded down, so a little less than the ship can do.
        let slowest = tuning::SHIPS.iter().map(|ship| ship.speeds[0]).min().unwrap();
        Ways {
            free: scrolls.map(|scroll| free_heights(stage, scroll, blocks, ship_px)).collect(),
            ship_px,
            climb: (slowest / stage.scroll) as usize,
        }
    }

    fn scrolls(&self) -> i32 {
        self.free.len() as i32
    }

    fn is_free(&self, scroll: i32, y: i32) -> bool {
        self.free[scroll as usize][y as usize]
    }

    /// Flies a ship that only moves up and down, at its slowest speed, from a checkpoint on: the place where there is no
    /// way on, if there is such a place.
    fn end_of_way(&self, checkpoint: u32, start_y: i32) -> Option<i32> {
        let mut reached = vec![false; FIELD_HEIGHT_PX as usize];
        reached[start_y as usize] = true;
        self.end_of_way_from(checkpoint..self.scrolls() as u32, reached)
    }

    /// The same for a part of the stage, from any of some heights.
    fn end_of_way_from(&self, scrolls: std::ops::Range<u32>, mut reached: Vec<bool>) -> Option<i32> {
        let (first, end) = (scrolls.start as usize, scrolls.end as usize);
        for (scroll, free) in self.free.iter().enumerate().take(end).skip(first) {
            let last = reached.len() - 1;
            let near = |y: usize| (y.saturating_sub(self.climb)..=(y + self.climb).min(last)).any(|from| reached[from]);
            let next: Vec<bool> = (0..reached.len()).map(|y| free[y] && near(y)).collect();
            if !next.contains(&true) {
                return Some(scroll as i32 + self.ship_px);
            }
            reached = next;
        }
        None
    }
}

/// At which heights a ship's whole picture is clear of terrain, gates and blocks.
fn free_heights(stage: &Stage, scroll: i32, blocks: Blocks, ship_px: i32) -> Vec<bool> {
    let (half_width, half_height) = (body(Kind::Player).size_px.0 / 2, body(Kind::Player).size_px.1 / 2);
    let x = scroll + ship_px;
    let is_block = |x: i32, y: i32| {
        let middle = |at: i32| at / TILE_PX * TILE_PX + TILE_PX / 2;
        let (x, y) = (middle(x) as u32, middle(y));
        let from = stage.spawns.partition_point(|spawn| spawn.x_px < x);
        let here = stage.spawns[from..].iter().take_while(|spawn| spawn.x_px == x);
        here.into_iter().any(|spawn| spawn.kind == Kind::Block && spawn.y_px == y)
    };
    let scroll = i64::from(px(1)) * i64::from(scroll);
    let is_open = |y: i32| {
        (-half_width..half_width).step_by(7).chain([half_width - 1]).all(|dx| {
            let point = Vec2::new(px(ship_px + dx), px(y));
            !stage.terrain.is_solid(scroll, point) && (blocks == Blocks::ShotAway || !is_block(x + dx, y))
        })
    };
    let open: Vec<bool> = (0..FIELD_HEIGHT_PX).map(is_open).collect();
    let margin = SHIP_MARGIN.1 / SUBPIXELS;
    let has_room = |y: i32| (y - half_height..y + half_height).all(|y| open[y as usize]);
    (0..FIELD_HEIGHT_PX).map(|y| (margin..FIELD_HEIGHT_PX - margin).contains(&y) && has_room(y)).collect()
}

#[test]
fn there_is_a_way_through_every_stage_from_every_checkpoint_and_seat() {
    for stage in campaign() {
        let ways = Ways::of(&stage, Blocks::ShotAway);
        for &checkpoint in &stage.checkpoints_px {
            for y in SHIP_START_YS.map(|y| y / SUBPIXELS) {
                let end = ways.end_of_way(checkpoint, y);
                assert_eq!(end, None, "{}: from {checkpoint} at {y} there is no way on", stage.name);
            }
        }
    }
}

/// The chase: where the stage is while a grinder is there, from its coming to its end.
fn chase(stage: &Stage) -> std::ops::Range<u32> {
    let grinder = stage.spawns.iter().find(|spawn| spawn.kind == Kind::Grinder).unwrap();
    let first = grinder.x_px - FIELD_WIDTH_PX as u32 - TILE_PX as u32;
    let falls_back = (tuning::GRINDER_REACH + px(64)) / tuning::GRINDER_BACK_SPEED;
    let steps = i32::from(tuning::GRINDER_STAY) + falls_back;
    first..first + (steps * stage.scroll / SUBPIXELS) as u32
}

#[test]
fn a_ship_ahead_of_the_chase_has_a_way_at_every_distance() {
    let stage = Stage::built_in("stage3").unwrap();
    let nose = tuning::GRINDER_REACH / SUBPIXELS + body(Kind::Grinder).size_px.0 / 2;
    // From just ahead of it, when it has come as far as it does, to the middle of the field.
    for ship_px in (nose + 20..=FIELD_WIDTH_PX / 2 + 20).step_by(20) {
        let ways = Ways::at(&stage, Blocks::ShotAway, ship_px);
        let scrolls = chase(&stage);
        // No height is a trap: from each that is open a ship comes through, if it leaves in time.
        for first in scrolls.clone().step_by(48) {
            let open = ways.free[first as usize].clone();
            let end = ways.end_of_way_from(first..scrolls.end, open);
            assert_eq!(end, None, "at {ship_px} from {first} there is no way on");
        }
    }
}

#[test]
fn the_chase_begins_and_ends_between_two_checkpoints_and_has_walls_and_gates() {
    let stage = Stage::built_in("stage3").unwrap();
    let scrolls = chase(&stage);
    let checkpoint = |px: u32| stage.checkpoints_px.partition_point(|&checkpoint| checkpoint <= px);
    assert_eq!(checkpoint(scrolls.start), checkpoint(scrolls.end), "nobody begins in the middle of it");
    let met = scrolls.start + FIELD_WIDTH_PX as u32 / 2..scrolls.end + FIELD_WIDTH_PX as u32 / 2;
    let mut walls: Vec<u32> =
        stage.spawns.iter().filter(|it| it.kind == Kind::Block && met.contains(&it.x_px)).map(|it| it.x_px).collect();
    walls.dedup();
    let gates = stage.terrain.gates().iter().filter(|gate| met.contains(&gate.x_px)).count();
    assert!(walls.len() >= 3 && gates >= 4, "{walls:?}, {gates} gates");
    let behind = stage.spawns.iter().filter(|spawn| spawn.entrance == game::stage::Entrance::Left);
    let comes_at = |x_px: u32| x_px - FIELD_WIDTH_PX as u32 - TILE_PX as u32;
    assert_eq!(behind.filter(|spawn| scrolls.contains(&comes_at(spawn.x_px))).count(), 1, "it comes alone");
}

#[test]
fn some_blocks_of_every_stage_must_be_shot_away() {
    for stage in campaign() {
        let wall = Ways::of(&stage, Blocks::Solid).end_of_way(0, SHIP_START_YS[0] / SUBPIXELS);
        assert!(wall.is_some(), "{} has no wall to shoot through", stage.name);
    }
}

/// A ship and six pixels more.
const NARROWEST_PX: i32 = 14 + 6;

#[test]
fn no_passage_is_ever_narrower_than_a_ship_and_six_pixels() {
    assert_eq!(NARROWEST_PX, body(Kind::Player).size_px.1 + 6);
    for stage in campaign() {
        for column in 0..stage.terrain.columns() as i32 {
            let x = column * TILE_PX + TILE_PX / 2;
            // A gate moves while it is in view; a column without one is the same all the time.
            let has_gate = stage.terrain.gates().iter().any(|gate| (gate.x_px..gate.end_px()).contains(&(x as u32)));
            let first = (x - FIELD_WIDTH_PX).max(0);
            for scroll in if has_gate { first..x.max(1) } else { first..first + 1 } {
                let widest = widest_gap(&stage, scroll, x);
                assert!(widest >= NARROWEST_PX, "{}: {widest} pixels at {x} when it is at {scroll}", stage.name);
            }
        }
    }
}

fn widest_gap(stage: &Stage, scroll: i32, x: i32) -> i32 {
    let at = i64::from(px(1)) * i64::from(scroll);
    let open: Vec<bool> =
        (0..FIELD_HEIGHT_PX).map(|y| !stage.terrain.is_solid(at, Vec2::new(px(x - scroll), px(y)))).collect();
    open.split(|&open| !open).map(<[bool]>::len).max().unwrap_or(0) as i32
}

#[test]
fn every_stage_has_gates_that_move_and_2_and_3_many_and_ambushes_from_behind() {
    for stage in campaign() {
        let moving = stage.terrain.gates().iter().filter(|gate| gate.travel_px != 0).count();
        assert!(moving >= 2, "{}: {moving} gates", stage.name);
    }
    for stage in campaign().skip(1) {
        assert!(stage.terrain.gates().len() >= 8, "{}", stage.name);
        let behind = stage.spawns.iter().filter(|spawn| spawn.entrance == game::stage::Entrance::Left).count();
        assert!(behind >= 8, "{}: {behind} from behind", stage.name);
    }
}
