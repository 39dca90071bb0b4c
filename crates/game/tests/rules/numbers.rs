//! The numbers that the handbook quotes are those of the game.

use game::{
    Class, Difficulty, Kind, Mutator, SUBPIXELS, ShipModel,
    tuning::{
        self,
        difficulty::NUMBERS,
        score::{
            CHAIN_LASTS, CHAIN_PER_MULTIPLE, LINKS_PER_MERIT, MERIT_OF_CHAIN_MAX, MERIT_OF_KILLS, MERIT_PER_DEATH,
            MULTIPLE_MAX, RANKS,
        },
    },
    units::{STEPS_PER_SECOND, STEPS_PER_TICK},
};

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
        format!("From wave {} on, enemies also fire faster", tuning::FIERCER_IN_COMPANY_FROM),
        format!("{} reflections", tuning::BLUE_BOUNCES_MAX),
        format!("for up to {} rounds", tuning::LOOPS_MAX),
        format!("up to level {}", tuning::FORCE_LEVEL_MAX),
        format!("A docked Force of level {} or more", tuning::LASER_LEVEL_MIN),
        format!("up to {} speed-ups", tuning::SPEED_UPS_MAX),
        format!("within {}.{} seconds", seconds(CHAIN_LASTS), i32::from(CHAIN_LASTS) * 10 / STEPS_PER_SECOND % 10),
        format!("every {CHAIN_PER_MULTIPLE} enemies in it make the next ones worth"),
        format!("up to {MULTIPLE_MAX} times"),
        format!("Merit is {MERIT_OF_KILLS} for"),
        format!(
            "every {LINKS_PER_MERIT} enemies in your longest chain, up to {MERIT_OF_CHAIN_MAX}, and {MERIT_PER_DEATH} less"
        ),
        format!("S needs {}, A {}, B {}, C {};", RANKS[0], RANKS[1], RANKS[2], RANKS[3]),
        format!("for {} seconds no enemy aims", seconds(tuning::UNNOTICED)),
        format!("one of {} enemies of a stage stays away", NUMBERS[0].leaves_out),
        format!("fire {} and health {} sixteenths", NUMBERS[0].boss_fire_rate, NUMBERS[0].boss_health),
        format!("reaches {} pixels further", tuning::ITEM_REACH_PX),
        format!("it glows for {} ticks", i32::from(tuning::MINE_FUSE) / STEPS_PER_TICK),
    ];
    for sentence in quoted.iter().chain(&bosses) {
        assert!(HANDBOOK.contains(sentence.as_str()), "docs/game.md does not say {sentence:?}");
    }
}

#[test]
fn the_table_of_ships_is_that_of_the_game() {
    for model in ShipModel::ALL {
        let ship = model.numbers();
        let px = |speed: i32| (speed * STEPS_PER_SECOND + SUBPIXELS / 2) / SUBPIXELS;
        let name = model.name();
        let row = format!(
            "| {}{} | {} | {} | {} ms | {} % |",
            name[..1].to_uppercase(),
            &name[1..],
            px(ship.speeds[0]),
            px(ship.speeds[4]),
            i32::from(ship.charge_full) * 1000 / STEPS_PER_SECOND,
            ship.beam * 100 / 16
        );
        assert!(HANDBOOK.contains(&row), "docs/game.md lacks the row {row:?}");
    }
}

#[test]
fn the_tables_of_difficulties_and_mutators_are_those_of_the_game() {
    for difficulty in Difficulty::ALL {
        let it = &NUMBERS[difficulty as usize];
        let row = format!(
            "| {} | {} | {} | {} | {} | {} | {} |",
            difficulty.name(),
            it.lives,
            it.fire_rate,
            it.pace,
            it.shot_pace,
            it.health,
            it.count
        );
        assert!(HANDBOOK.contains(&row), "docs/game.md lacks the row {row:?}");
    }
    // The page names bosses only where they differ.
    assert!(NUMBERS[1..].iter().all(|it| (it.boss_fire_rate, it.boss_health) == (it.fire_rate, it.health)));
    for mutator in Mutator::ALL {
        let row = format!("| {} |", mutator.name());
        assert!(HANDBOOK.contains(&row), "docs/game.md lacks a row that begins with {row:?}");
    }
}
