//! `kinds.json`: every kind with its number, name, class and size, and what is in each cell of its sheet.

use game::{Class, Kind};
use protocol::{
    Scale,
    sheet::{Sheet, Timing},
};
use serde::Serialize;

#[derive(Serialize)]
struct File {
    /// Pixels of a sheet for one pixel of the field.
    scale: u32,
    field: [i32; 2],
    ticks_per_second: i32,
    kinds: Vec<KindEntry>,
}

#[derive(Serialize)]
struct KindEntry {
    number: u16,
    name: &'static str,
    class: &'static str,
    description: &'static str,
    /// Width and height in pixels of the field.
    size: [i32; 2],
    /// The file beside this one.
    sheet: &'static str,
    /// From left to right.
    columns: Vec<Column>,
    /// Rows for each picture of the animation, one for each of these.
    rows: Vec<&'static str>,
    /// Pictures of the animation; picture n begins at row n times the number of `rows`.
    frames: u8,
    animation: AnimationEntry,
}

/// A column: where its cell in the first row is. The others follow below it without a gap.
#[derive(Serialize)]
struct Column {
    animation: u8,
    means: String,
    x: u32,
    width: u32,
    height: u32,
}

#[derive(Serialize)]
struct AnimationEntry {
    shown: &'static str,
    /// How long each picture is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    ticks_per_frame: Option<u32>,
    /// How long all of them are.
    #[serde(skip_serializing_if = "Option::is_none")]
    ticks: Option<u32>,
}

/// The file's text.
pub(super) fn write() -> String {
    let file = File {
        scale: super::sheet_png::SCALE as u32,
        field: [game::FIELD_WIDTH_PX, game::FIELD_HEIGHT_PX],
        ticks_per_second: game::units::TICKS_PER_SECOND,
        kinds: Kind::ALL.iter().map(|&kind| entry(kind)).collect(),
    };
    // Numbers and fixed names: there is nothing in it that JSON cannot say.
    serde_json::to_string_pretty(&file).unwrap_or_default() + "\n"
}

fn entry(kind: Kind) -> KindEntry {
    let sheet = Sheet(kind);
    let (width, height) = kind.size_px();
    KindEntry {
        number: kind.number(),
        name: kind.name(),
        class: class_name(kind.class()),
        description: kind.description(),
        size: [width, height],
        sheet: kind.name(),
        columns: (0..sheet.columns()).map(|column| column_entry(sheet, column)).collect(),
        rows: rows(sheet),
        frames: sheet.pictures(),
        animation: animation(sheet.timing()),
    }
}

fn column_entry(sheet: Sheet, column: u8) -> Column {
    let cell = sheet.cell(column, 0);
    let (width, height) = Scale::default().whole_size(sheet.cell_px(cell.animation));
    let means = [state(sheet.0, cell.animation), direction(sheet, cell.direction).into()];
    let means = means.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
    Column { animation: cell.animation, means, x: u32::from(column) * width, width, height }
}

/// What an animation of a kind means (`docs/protocols/kinds.md`).
fn state(kind: Kind, animation: u8) -> String {
    let number = usize::from(animation);
    match (kind, kind.class()) {
        (Kind::Player, _) => {
            let suffix = if number >= 3 { ", invulnerable" } else { "" };
            format!("{}{suffix}", ["level", "rising", "sinking"][number % 3])
        }
        (Kind::Force, _) => {
            format!("{}, level {}", ["red", "blue", "yellow"][(number / 4).min(2)], (number % 4).max(1))
        }
        (Kind::Beam, _) => format!("size {number}"),
        (Kind::Missile, _) => format!("{number}/8 of a turn clockwise from straight ahead"),
        (Kind::Lancer, _) if number == 3 => "about to fire".into(),
        (Kind::Hatch, _) if number == 3 => "open".into(),
        (_, Class::Enemy | Class::Boss) => ["usual", "just hurt", "shielded", "open weak point"][number % 4].into(),
        _ => String::new(),
    }
}

fn direction(sheet: Sheet, direction: u8) -> &'static str {
    match (sheet.0, direction) {
        (Kind::BlueLaser, _) => {
            let ways = [
                "to the right",
                "falling to the right",
                "rising to the right",
                "to the left",
                "falling to the left",
                "rising to the left",
            ];
            ways[usize::from(direction) % ways.len()]
        }
        (_, 0) => "",
        _ => "flying the other way",
    }
}

fn rows(sheet: Sheet) -> Vec<&'static str> {
    const SEATS: [&str; 4] = ["seat 0", "seat 1", "seat 2", "seat 3"];
    const DOCKED: [&str; 8] = [
        "seat 0, docked in front",
        "seat 1, docked in front",
        "seat 2, docked in front",
        "seat 3, docked in front",
        "seat 0, docked behind",
        "seat 1, docked behind",
        "seat 2, docked behind",
        "seat 3, docked behind",
    ];
    match sheet.rows_per_picture() {
        1 => vec!["any"],
        4 => SEATS.into(),
        _ => SEATS.into_iter().chain(DOCKED).collect(),
    }
}

fn animation(timing: Timing) -> AnimationEntry {
    let (shown, ticks_per_frame, ticks) = match timing {
        Timing::Still => ("still", None, None),
        Timing::Cycle(ticks) => ("in turn, each entity at a time of its own", Some(ticks), None),
        Timing::InStep(ticks) => ("in turn, all at the same time", Some(ticks), None),
        Timing::WhileInvulnerable(ticks) => ("in turn while invulnerable, else the first", Some(ticks), None),
        Timing::Once(ticks) => ("once from beginning to end", None, Some(ticks)),
        Timing::ById => ("one of them for each entity", None, None),
    };
    AnimationEntry { shown, ticks_per_frame, ticks }
}

fn class_name(class: Class) -> &'static str {
    match class {
        Class::Player => "player",
        Class::Gear => "gear",
        Class::Boss => "boss",
        Class::Enemy => "enemy",
        Class::EnemyShot => "enemy_shot",
        Class::PlayerShot => "player_shot",
        Class::Item => "item",
        Class::Block => "block",
        Class::Wall => "wall",
        Class::Effect => "effect",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn every_kind_is_listed_with_its_cells() {
        let file: Value = serde_json::from_str(&write()).expect("JSON");
        let kinds = file["kinds"].as_array().expect("a list");
        assert_eq!(kinds.len(), Kind::ALL.len());
        let of = |name: &str| kinds.iter().find(|kind| kind["name"] == name).expect(name);
        assert_eq!((&of("drone")["number"], &of("drone")["class"]), (&30.into(), &"enemy".into()));
        assert_eq!(of("drone")["columns"][1]["x"], 64);
        assert_eq!(
            (of("drone")["frames"].clone(), of("drone")["animation"]["ticks_per_frame"].clone()),
            (4.into(), 7.into())
        );
        assert_eq!((&of("beam")["columns"][3]["x"], &of("beam")["columns"][3]["width"]), (&672.into(), &224.into()));
        assert_eq!(of("force")["rows"].as_array().map(Vec::len), Some(12));
        assert_eq!(of("dart")["columns"][5]["means"], "just hurt, flying the other way");
        assert_eq!(of("pellet")["columns"][0]["means"], "");
    }
}
