//! The numbers that the handbook quotes are those of the game.

use game::{Class, Kind, tuning, units::STEPS_PER_SECOND};

const HANDBOOK: &str = include_str!("../../../../docs/game.md");
const STAGES: &str = include_str!("../../../../docs/stages.md");

#[test]
fn the_table_of_enemies_is_that_of_the_game() {
    for &kind in Kind::ALL.iter().filter(|kind| kind.class() == Class::Enemy) {
        let body = tuning::body(kind);
        let row = format!("| {} | {} | {} |", kind.name().replace('_', " "), body.health, body.score);
        assert!(HANDBOOK.contains(&row), "docs/game.md lacks the row {row:?}");
    }
}

#[test]
fn the_page_about_stages_lists_every_enemy_that_can_be_placed() {
    let is_placeable = |kind: &&Kind| kind.class() == Class::Enemy && !matches!(kind, Kind::Shard | Kind::Larva);
    for kind in Kind::ALL.iter().filter(is_placeable) {
        let row = format!("| `{}` |", kind.name());
        assert!(STAGES.contains(&row), "docs/stages.md lacks a row that begins with {row:?}");
    }
}

#[test]
fn the_table_of_beams_is_that_of_the_game() {
    for (size, beam) in tuning::BEAMS.iter().enumerate() {
        let row = format!("| {} | {} | {} |", size + 1, beam.charge_min, beam.power);
        assert!(HANDBOOK.contains(&row), "docs/game.md lacks the row {row:?}");
    }
}

#[test]
fn the_times_and_counts_are_those_of_the_game() {
    let seconds = |steps: u16| i32::from(steps) / STEPS_PER_SECOND;
    let bosses: Vec<String> = tuning::BOSSES
        .iter()
        .map(|boss| format!("the {} after {} seconds", boss.hull.name(), seconds(boss.patience)))
        .collect();
    let quoted = [
        format!("returns after {} seconds", seconds(tuning::RETURN_DELAY)),
        format!("nothing hurts it for {} seconds", seconds(tuning::INVULNERABLE)),
        format!("{} lives at first, {} at most", tuning::LIVES_AT_FIRST, tuning::LIVES_MAX),
        format!("at {} points, then every {} more", tuning::EXTRA_LIFE_FIRST, tuning::EXTRA_LIFE_EVERY),
        format!("Every {}th wave is a boss", tuning::WAVES_PER_BOSS),
        format!("{} reflections", tuning::BLUE_BOUNCES_MAX),
        format!("for up to {} rounds", tuning::LOOPS_MAX),
        format!("up to level {}", tuning::FORCE_LEVEL_MAX),
        format!("A docked Force of level {} or more", tuning::LASER_LEVEL_MIN),
        format!("up to {} speed-ups", tuning::SHIP_SPEEDS.len() - 1),
    ];
    for sentence in quoted.iter().chain(&bosses) {
        assert!(HANDBOOK.contains(sentence.as_str()), "docs/game.md does not say {sentence:?}");
    }
}
