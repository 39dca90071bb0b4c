//! Contact sheets of real games, which bots play: ten moments of a stage, and every boss in its three phases.

use client::draw::Picture;
use game::{Arms, FIELD_WIDTH_PX, Kind, Mode, Practice, Rules, Stage, tuning::BOSSES};

use crate::{canvas::Canvas, scenes::Flown};

/// Moments of a stage.
const MOMENTS: u32 = 10;
const COLUMNS: i32 = 2;
const PLAYERS: usize = 2;
const SEED: u64 = 5;
/// Nobody needs longer for a stage or a phase, in seconds.
const PATIENCE_SECONDS: u32 = 900;
/// Seconds into a phase at which it is looked at, beside the last of them.
const INTO_PHASE_SECONDS: u32 = 3;
/// A picture with its caption and a gap.
const CELL: (i32, i32) = (Picture::WIDTH + 8, Picture::HEIGHT + 16);

/// Moments of a game, from the first tenth of the stage to the last.
pub fn of_stage(stage: &Stage) -> Canvas {
    let mut canvas = Canvas::new(COLUMNS * CELL.0, MOMENTS as i32 / COLUMNS * CELL.1);
    let mut game = Flown::new(&stage.name, Rules { lives: 9, ..Rules::default() }, PLAYERS, SEED);
    let way = stage.length_px - FIELD_WIDTH_PX as u32;
    for moment in 0..MOMENTS {
        let scroll_px = way * (2 * moment + 1) / (2 * MOMENTS);
        game.play_until(PATIENCE_SECONDS, |frame| frame.scroll_px >= scroll_px && frame.boss().is_none());
        let (column, row) = (moment as i32 % COLUMNS, moment as i32 / COLUMNS);
        let mut picture = game.picture();
        canvas.text(column * CELL.0 + 4, row * CELL.1 + 2, &format!("{} at {}", stage.name, game.frame.scroll_px));
        canvas.paste(column * CELL.0 + 4, row * CELL.1 + 13, &mut picture);
    }
    canvas
}

/// A row for each boss, a column for each of its phases.
pub fn of_bosses() -> Canvas {
    let mut canvas = Canvas::new(3 * CELL.0, BOSSES.len() as i32 * CELL.1);
    for (row, boss) in (0..).zip(&BOSSES) {
        let Some(mut game) = before(boss.hull) else { continue };
        for phase in 0..3_i32 {
            let is_there = game.play_until(PATIENCE_SECONDS, |frame| {
                let here = frame.boss().filter(|here| here.kind == boss.hull && !here.is_coming);
                here.is_some_and(|here| i32::from(here.phase) == phase)
            });
            let caption = format!("{}, phase {}", boss.hull.name(), phase + 1);
            canvas.text(phase * CELL.0 + 4, row * CELL.1 + 2, &caption);
            if is_there {
                game.play_until(INTO_PHASE_SECONDS, |_| false);
                canvas.paste(phase * CELL.0 + 4, row * CELL.1 + 13, &mut game.picture());
            }
        }
    }
    canvas
}

/// A game from the last checkpoint before a boss, with a ship that is armed.
fn before(hull: Kind) -> Option<Flown> {
    let stages = ["stage1", "stage2", "stage3"].into_iter().filter_map(Stage::built_in);
    let (stage, x_px) = stages.into_iter().find_map(|stage| {
        let x_px = stage.spawns.iter().find(|spawn| spawn.kind == hull)?.x_px;
        Some((stage, x_px))
    })?;
    let checkpoint = stage.checkpoints_px.iter().rposition(|&at| at + (FIELD_WIDTH_PX as u32) < x_px)?;
    let arms = Arms { force_level: 2, ..Arms::default() };
    let mode = Mode::Practice(Practice { checkpoint: checkpoint as u8, arms });
    Some(Flown::new(&stage.name, Rules { mode, ..Rules::default() }, PLAYERS, SEED))
}
