//! Finds the stage that a user names: one of the built-in ones, or a file of their own.

use std::{fs, io, sync::Arc};

use game::{Stage, stage::BUILT_IN, units::STEPS_PER_SECOND};

use crate::UserError;

/// A larger stage file is refused before it is read.
const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// The stage of that name or number, or in that file: what ends in `.tmx` or has a slash in it is a file.
pub fn find(name: &str) -> Result<Arc<Stage>, UserError> {
    if is_file(name) {
        return read(name);
    }
    let by_number = match name.parse::<u8>() {
        Ok(0) => Some("endless".to_owned()),
        Ok(number) => Some(format!("stage{number}")),
        Err(_) => None,
    };
    Stage::built_in(by_number.as_deref().unwrap_or(name)).ok_or_else(|| unknown(name))
}

/// The map of a stage that is in a file of the user's own.
pub fn own_map(name: &str) -> Option<Vec<u8>> {
    if is_file(name) { fs::read(name).ok() } else { None }
}

fn is_file(name: &str) -> bool {
    name.contains('/') || name.to_ascii_lowercase().ends_with(".tmx")
}

/// The built-in stages, by number; endless comes first.
pub fn all() -> Vec<Arc<Stage>> {
    let mut stages: Vec<_> = BUILT_IN.iter().filter_map(|(name, _)| Stage::built_in(name)).collect();
    stages.sort_by_key(|stage| stage.number);
    stages
}

/// How long a stage takes to scroll by, in seconds; `None` if it has no end.
pub fn seconds(stage: &Stage) -> Option<u32> {
    let px_per_second = stage.scroll * STEPS_PER_SECOND / game::SUBPIXELS;
    let way_px = stage.length_px.saturating_sub(game::FIELD_WIDTH_PX as u32);
    if stage.endless { None } else { way_px.checked_div(u32::try_from(px_per_second).ok()?) }
}

fn unknown(name: &str) -> UserError {
    UserError(format!("there is no stage {name:?}; choose one of {}, or give a .tmx file", known()))
}

fn known() -> String {
    BUILT_IN.map(|(name, _)| name).join(", ")
}

fn read(path: &str) -> Result<Arc<Stage>, UserError> {
    let cannot = |reason: String| UserError(format!("cannot read the stage {path:?}: {reason}"));
    let unreadable =
        |error: io::Error| cannot(format!("{error}; check the path and its permissions, or choose one of {}", known()));
    let about = fs::metadata(path).map_err(unreadable)?;
    if !about.is_file() {
        return Err(cannot(format!("it is not a file; give a Tiled map, or choose one of {}", known())));
    }
    if about.len() > FILE_BYTES_MAX {
        return Err(cannot(format!(
            "it is larger than {} MB; make it smaller, or choose one of {}",
            FILE_BYTES_MAX >> 20,
            known()
        )));
    }
    let bytes = fs::read(path).map_err(unreadable)?;
    Stage::read(path, &bytes).map(Arc::new).map_err(|error| broken(&error.to_string()))
}

/// The loader says what is wrong in which file.
fn broken(why: &str) -> UserError {
    UserError(format!("{}; fix it in Tiled, or choose one of {}", one_line(why), known()))
}

/// A loader's message may quote what it found, line ends and all.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_goes_by_name_or_number() {
        assert_eq!(find("endless").map(|stage| stage.name.clone()), Ok("endless".into()));
        assert_eq!(find("0").map(|stage| stage.name.clone()), Ok("endless".into()));
    }

    #[test]
    fn what_cannot_be_found_is_a_mistake_that_names_what_can() {
        for wrong in ["stage99", "99", "", "Endless", "endless ", "no/such", "none.tmx", "NONE.TMX"] {
            let mistake = find(wrong).expect_err("there is no such stage").to_string();
            assert!(mistake.contains("endless, ") && !mistake.contains('\n'), "{mistake}");
        }
        let mistake = find(concat!(env!("CARGO_MANIFEST_DIR"), "/src")).expect_err("a directory").to_string();
        assert!(mistake.contains("it is not a file; give a Tiled map"), "{mistake}");
    }

    #[test]
    fn a_stage_without_end_has_no_length() {
        let mut stage = Stage::read("endless", BUILT_IN[0].1.as_bytes()).expect("it is built in");
        assert_eq!(seconds(&stage), None);
        (stage.endless, stage.length_px) = (false, 480 + 6000);
        stage.scroll = game::units::px_per_second(60);
        assert_eq!(seconds(&stage), Some(100));
        stage.scroll = 0;
        assert_eq!(seconds(&stage), None);
    }
}
