//! The stages of the campaign that this client knows, by number, and what their bosses are called. The stages are read once: a map
//! takes a while.

use std::sync::{Arc, LazyLock};

use game::{Kind, Stage, stage::BUILT_IN};

use crate::language::Phrase;

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

/// What a stage of this name is called, if it is one of the campaign's.
pub fn title_of(name: &str) -> Option<Phrase> {
    translated(&stages().iter().find(|stage| stage.name == name)?.title)
}

/// The title of a stage of ours, which every player reads in their language.
pub fn translated(title: &str) -> Option<Phrase> {
    Some(match title {
        "The Silent Fleet" => Phrase::StageSilentFleet,
        "The Swallowed Deep" => Phrase::StageSwallowedDeep,
        "The Last Dreadnought" => Phrase::StageLastDreadnought,
        "Endless" => Phrase::Endless,
        _ => return None,
    })
}

/// What the boss of a hull is called.
pub fn boss_name(hull: Kind) -> Option<Phrase> {
    Some(match hull {
        Kind::Salvager => Phrase::BossSalvager,
        Kind::Keeper => Phrase::BossKeeper,
        Kind::Brood => Phrase::BossBrood,
        Kind::Matriarch => Phrase::BossMatriarch,
        Kind::Gatehouse => Phrase::BossGatehouse,
        Kind::Heart => Phrase::BossHeart,
        // Parts of bosses and everything else; a test asks for the name of every hull.
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use game::tuning;

    use super::*;

    #[test]
    fn every_boss_has_a_name() {
        for boss in &tuning::BOSSES {
            assert!(boss_name(boss.hull).is_some(), "{:?}", boss.hull);
        }
    }

    #[test]
    fn every_stage_of_the_campaign_has_a_title_in_every_language() {
        assert!(stages().iter().all(|stage| title_of(&stage.name).is_some()));
    }

    #[test]
    fn the_campaign_begins_with_the_first_stage_and_has_no_endless_one() {
        assert_eq!(first(), "stage1");
        assert!(stages().is_sorted_by_key(|stage| stage.number) && stages().iter().all(|stage| !stage.endless));
    }
}
