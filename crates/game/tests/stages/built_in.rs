//! The stages that the game brings along can be played: they load, there is a way through, and all that they promise
//! is in them.

use std::sync::Arc;

use game::{
    Class, FIELD_HEIGHT_PX, FIELD_WIDTH_PX, Kind, SUBPIXELS, Stage, px,
    stage::BUILT_IN,
    tuning::{self, SHIP_MARGIN, SHIP_START_X, SHIP_START_YS, body},
    units::{STEPS_PER_SECOND, TILE_PX, px_per_second},
};

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

fn stage1() -> Arc<Stage> {
    Stage::built_in("stage1").unwrap()
}

/// Seconds of scrolling until something at `x_px` comes into view.
fn seconds_until(stage: &Stage, x_px: u32) -> i32 {
    px(x_px as i32 - FIELD_WIDTH_PX).max(0) / stage.scroll / STEPS_PER_SECOND
}

#[test]
fn stage_1_lasts_two_to_three_minutes() {
    let stage = stage1();
    assert_eq!((stage.number, stage.endless), (1, false));
    assert!((120..=180).contains(&seconds_until(&stage, stage.length_px)));
    assert!(stage.checkpoints_px.len() >= 5, "the beginning and at least four more");
}

#[test]
fn stage_1_has_every_item_blocks_and_every_boss() {
    let stage = stage1();
    for &kind in Kind::ALL {
        let is_there = stage.spawns.iter().any(|spawn| spawn.kind == kind || spawn.item == Some(kind));
        let is_wanted = match kind.class() {
            Class::Boss => tuning::boss(kind).is_some(),
            Class::Item | Class::Block => true,
            // Walls are terrain, not spawns.
            Class::Wall | Class::Player | Class::Gear | Class::Enemy => continue,
            Class::EnemyShot | Class::PlayerShot | Class::Effect => continue,
        };
        assert_eq!(is_there, is_wanted, "{}", kind.name());
    }
}

#[test]
fn stage_1_arms_its_players_in_time() {
    let stage = stage1();
    let crystal = |kind| matches!(kind, Some(Kind::RedCrystal | Kind::BlueCrystal | Kind::YellowCrystal));
    let times: Vec<i32> = stage
        .spawns
        .iter()
        .filter(|spawn| crystal(spawn.item))
        .map(|spawn| seconds_until(&stage, spawn.x_px))
        .collect();
    assert!(times[0] <= 12, "the first crystal comes after {} s", times[0]);
    assert!(times[2] <= seconds_until(&stage, boss_x(&stage, Kind::Salvager)), "three make a Force of level 3");
}

/// Death loses everything, and what is in view at a checkpoint does not come again.
#[test]
fn every_checkpoint_of_stage_1_is_soon_followed_by_a_crystal() {
    let stage = stage1();
    let crystal = |kind| matches!(kind, Some(Kind::RedCrystal | Kind::BlueCrystal | Kind::YellowCrystal));
    for &checkpoint in &stage.checkpoints_px {
        let out_of_view = checkpoint + FIELD_WIDTH_PX as u32 + TILE_PX as u32;
        let next = stage.spawns.iter().find(|spawn| spawn.x_px > out_of_view && crystal(spawn.item)).unwrap();
        let wait = px((next.x_px - out_of_view) as i32) / stage.scroll / STEPS_PER_SECOND;
        assert!(wait <= 12, "after the checkpoint at {checkpoint} the next crystal comes in {wait} s");
    }
}

fn boss_x(stage: &Stage, kind: Kind) -> u32 {
    stage.spawns.iter().find(|spawn| spawn.kind == kind).unwrap().x_px
}

#[test]
fn stage_1_has_a_boss_half_way_and_one_at_the_end() {
    let stage = stage1();
    let middle = boss_x(&stage, Kind::Salvager) * 100 / stage.length_px;
    assert!((40..=60).contains(&middle), "the mid-boss is at {middle} %");
    let last = stage.spawns.last().unwrap();
    assert_eq!(last.kind, Kind::Keeper);
    assert!(last.x_px > stage.length_px - 64, "the last screen is all there when the boss comes");
}

#[test]
fn stage_1_gives_its_bosses_room() {
    let stage = stage1();
    for boss in tuning::BOSSES {
        let spawn = stage.spawns.iter().find(|spawn| spawn.kind == boss.hull).unwrap();
        let reach = body(boss.hull).size_px.1 / 2 + i32::from(boss.sway.reach_px);
        for x in (spawn.x_px as i32 - FIELD_WIDTH_PX)..spawn.x_px as i32 {
            for y in (spawn.y_px - reach)..(spawn.y_px + reach) {
                assert!(!stage.terrain.solid_at(i64::from(px(x)), px(y)), "{} at {x},{y}", boss.hull.name());
            }
        }
    }
}

#[test]
fn walkers_clingers_and_turrets_of_stage_1_touch_what_they_hold_on_to() {
    let stage = stage1();
    let mut seen = 0;
    for spawn in &stage.spawns {
        let half = body(spawn.kind).size_px.1 / 2;
        let solid = |y: i32| stage.terrain.solid_at(i64::from(px(spawn.x_px as i32)), px(y));
        let (floor, ceiling) = (solid(spawn.y_px + half), solid(spawn.y_px - half - 1));
        let holds = match spawn.kind {
            Kind::Walker => floor,
            Kind::Clinger => ceiling,
            Kind::Turret => floor || ceiling,
            _ => continue,
        };
        assert!(holds && !solid(spawn.y_px), "{} at {},{}", spawn.kind.name(), spawn.x_px, spawn.y_px);
        seen += 1;
    }
    assert!(seen > 20);
}

/// Whether blocks are in the way.
#[derive(Clone, Copy, PartialEq)]
enum Blocks {
    Solid,
    ShotAway,
}

/// Where a ship's box may be when its centre is at `x`, for each height of its centre.
fn free_heights(stage: &Stage, x: i32, blocks: Blocks) -> Vec<bool> {
    let (half_width, half_height) = (body(Kind::Player).size_px.0 / 2, body(Kind::Player).size_px.1 / 2);
    let columns = (x - half_width) / TILE_PX..=(x + half_width - 1) / TILE_PX;
    let block = |column: i32, row: i32| {
        let middle = |tile: i32| tile * TILE_PX + TILE_PX / 2;
        let at = (middle(column) as u32, middle(row));
        blocks == Blocks::Solid
            && stage.spawns.iter().any(|spawn| spawn.kind == Kind::Block && (spawn.x_px, spawn.y_px) == at)
    };
    let rows: Vec<bool> = (0..=FIELD_HEIGHT_PX / TILE_PX)
        .map(|row| {
            columns
                .clone()
                .all(|column| stage.terrain.picture(column as usize, row as usize) == 0 && !block(column, row))
        })
        .collect();
    let margin = SHIP_MARGIN.1 / SUBPIXELS;
    (0..FIELD_HEIGHT_PX)
        .map(|y| {
            let inside = (margin..FIELD_HEIGHT_PX - margin).contains(&y);
            inside && (y - half_height..y + half_height).all(|y| rows[(y.max(0) / TILE_PX) as usize])
        })
        .collect()
}

/// Flies a ship that only moves up and down, at its slowest speed, from a checkpoint on. Gives the heights at which it
/// can arrive in the last screen, or the place where there is no way on.
fn fly(stage: &Stage, checkpoint: u32, start_y: i32, blocks: Blocks) -> Result<Vec<bool>, i32> {
    let start_x = SHIP_START_X / SUBPIXELS;
    let mut reached = vec![false; FIELD_HEIGHT_PX as usize];
    reached[start_y as usize] = true;
    // While the screen scrolls by one pixel; rounded down, so a little less than the ship can do.
    let slowest = tuning::SHIPS.iter().map(|ship| ship.speeds[0]).min().unwrap();
    let climb = (slowest / stage.scroll) as usize;
    for scroll in checkpoint as i32..=(stage.length_px as i32 - FIELD_WIDTH_PX) {
        let free = free_heights(stage, scroll + start_x, blocks);
        let near = |y: usize| (y.saturating_sub(climb)..=(y + climb).min(reached.len() - 1)).any(|from| reached[from]);
        let next: Vec<bool> = (0..reached.len()).map(|y| free[y] && near(y)).collect();
        if !next.contains(&true) {
            return Err(scroll + start_x);
        }
        reached = next;
    }
    Ok(reached)
}

#[test]
fn there_is_a_way_through_stage_1_from_every_checkpoint_and_seat() {
    let stage = stage1();
    for &checkpoint in &stage.checkpoints_px {
        for y in SHIP_START_YS {
            let end = fly(&stage, checkpoint, y / SUBPIXELS, Blocks::ShotAway);
            assert!(end.is_ok(), "from {checkpoint} at {}: no way on at {end:?}", y / SUBPIXELS);
        }
    }
}

#[test]
fn some_blocks_of_stage_1_must_be_shot_away() {
    let stage = stage1();
    let wall = fly(&stage, 0, SHIP_START_YS[0] / SUBPIXELS, Blocks::Solid).unwrap_err();
    assert!((3500..4000).contains(&wall), "the cargo hold is shut, not {wall}");
    let after = *stage.checkpoints_px.iter().find(|&&checkpoint| checkpoint > 4000).unwrap();
    assert!(fly(&stage, after, SHIP_START_YS[0] / SUBPIXELS, Blocks::Solid).is_ok(), "later ones may be passed by");
}

#[test]
fn the_way_through_stage_1_is_never_narrower_than_five_tiles() {
    let stage = stage1();
    for column in 0..stage.terrain.columns() {
        let rows: Vec<bool> =
            (0..=FIELD_HEIGHT_PX / TILE_PX).map(|row| stage.terrain.picture(column, row as usize) == 0).collect();
        let widest = rows.split(|&open| !open).map(<[bool]>::len).max().unwrap_or(0);
        assert!(widest >= 5, "column {column} is open over {widest} tiles");
    }
}
