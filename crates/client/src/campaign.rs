//! The stages of the campaign that this client knows, by number. They are read once: a map takes a while.

use std::sync::{Arc, LazyLock};

use game::{Stage, stage::BUILT_IN};

static CAMPAIGN: LazyLock<Vec<Arc<Stage>>> = LazyLock::new(|| {
    let built_in = BUILT_IN.iter().filter_map(|(name, _)| Stage::built_in(name));
    let mut stages: Vec<Arc<Stage>> = built_in.filter(|stage| !stage.endless).collect();
    stages.sort_by_key(|stage| stage.number);
    stages
});

/// The stages of the campaign, by number.
pub fn stages() -> &'static [Arc<Stage>] {
    &CAMPAIGN
}

/// The stage in which the campaign begins.
pub fn first() -> &'static str {
    stages().first().map_or("stage1", |stage| &stage.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_campaign_begins_with_the_first_stage_and_has_no_endless_one() {
        assert_eq!(first(), "stage1");
        assert!(stages().is_sorted_by_key(|stage| stage.number) && stages().iter().all(|stage| !stage.endless));
    }
}
