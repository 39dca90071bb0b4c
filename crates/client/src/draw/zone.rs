//! Zones: the parts of a stage that look different. Each has a backdrop and a set of tiles.

use game::{Frame, Stage};

/// What a part of a stage looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ZoneLook {
    // Endless, in the order of its waves.
    Void,
    Belt,
    Nebula,
    Rings,
    // Stage 1.
    Debris,
    Graveyard,
    Shipyard,
    // Stage 2.
    Mouth,
    Gut,
    Nest,
    // Stage 3.
    Approach,
    Hull,
    Inside,
    Core,
}

/// Waves for which Endless keeps a backdrop.
const WAVES_EACH: u32 = 4;

impl ZoneLook {
    pub const ALL: [ZoneLook; 14] = [
        ZoneLook::Void,
        ZoneLook::Belt,
        ZoneLook::Nebula,
        ZoneLook::Rings,
        ZoneLook::Debris,
        ZoneLook::Graveyard,
        ZoneLook::Shipyard,
        ZoneLook::Mouth,
        ZoneLook::Gut,
        ZoneLook::Nest,
        ZoneLook::Approach,
        ZoneLook::Hull,
        ZoneLook::Inside,
        ZoneLook::Core,
    ];
    const ENDLESS: [ZoneLook; 4] = [ZoneLook::Void, ZoneLook::Belt, ZoneLook::Nebula, ZoneLook::Rings];

    /// Its name in stage files.
    pub const fn name(self) -> &'static str {
        match self {
            ZoneLook::Void => "void",
            ZoneLook::Belt => "belt",
            ZoneLook::Nebula => "nebula",
            ZoneLook::Rings => "rings",
            ZoneLook::Debris => "debris",
            ZoneLook::Graveyard => "graveyard",
            ZoneLook::Shipyard => "shipyard",
            ZoneLook::Mouth => "mouth",
            ZoneLook::Gut => "gut",
            ZoneLook::Nest => "nest",
            ZoneLook::Approach => "approach",
            ZoneLook::Hull => "hull",
            ZoneLook::Inside => "inside",
            ZoneLook::Core => "core",
        }
    }

    pub fn from_name(name: &str) -> Option<ZoneLook> {
        ZoneLook::ALL.into_iter().find(|zone| zone.name() == name)
    }

    /// How a stage begins, for one whose zones are not known. After the third the looks repeat.
    pub const fn first_of(stage: u8) -> ZoneLook {
        match stage {
            0 => ZoneLook::Void,
            _ => match stage % 3 {
                1 => ZoneLook::Debris,
                2 => ZoneLook::Mouth,
                _ => ZoneLook::Approach,
            },
        }
    }

    /// The zone of a wave of Endless.
    fn of_wave(wave: u32) -> ZoneLook {
        ZoneLook::ENDLESS[(wave.saturating_sub(1) / WAVES_EACH) as usize % ZoneLook::ENDLESS.len()]
    }
}

/// Where a zone begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZoneStart {
    /// In pixels from the left edge of the stage.
    pub x_px: i64,
    pub zone: ZoneLook,
}

impl ZoneStart {
    /// Where the zones of a stage begin. A name that is not known has no look of its own: the zone before it goes on.
    pub fn all_of(stage: &Stage) -> Vec<ZoneStart> {
        let known = stage.zones.iter().filter_map(|zone| ZoneLook::from_name(&zone.name).map(|look| (zone.x_px, look)));
        known.map(|(x_px, zone)| ZoneStart { x_px: x_px.into(), zone }).collect()
    }
}

/// What is behind the picture now: a zone, and how much of the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Passage {
    pub(super) zone: ZoneLook,
    /// The zone that follows, and by how many pixels it has come in from the right; at most the width of the picture.
    pub(super) next: Option<(ZoneLook, i64)>,
}

/// The zones of a stage, by where they begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Zones<'a> {
    pub(super) starts: &'a [ZoneStart],
    pub(super) stage: u8,
}

impl Zones<'_> {
    /// The zone at a place of the stage.
    pub(super) fn at(self, x_px: i64) -> ZoneLook {
        let begun = self.starts.iter().rev().find(|start| start.x_px <= x_px);
        begun.or(self.starts.first()).map_or(ZoneLook::first_of(self.stage), |start| start.zone)
    }

    /// What is seen when this much of the stage has scrolled by. The zone after the picture counts as coming: it is painted
    /// before it is needed.
    pub(super) fn passage(self, frame: &Frame, scroll_px: i64) -> Passage {
        if self.stage == 0 {
            return Passage { zone: ZoneLook::of_wave(frame.wave), next: None };
        }
        let zone = self.at(scroll_px);
        let coming = self.starts.iter().find(|start| start.x_px > scroll_px && start.zone != zone);
        let width = i64::from(super::Picture::WIDTH);
        let next = coming.map(|start| (start.zone, (scroll_px + width - start.x_px).clamp(0, width)));
        Passage { zone, next }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STARTS: [ZoneStart; 2] =
        [ZoneStart { x_px: 0, zone: ZoneLook::Mouth }, ZoneStart { x_px: 2000, zone: ZoneLook::Gut }];

    #[test]
    fn a_zone_is_found_by_its_name() {
        for zone in ZoneLook::ALL {
            assert_eq!(ZoneLook::from_name(zone.name()), Some(zone));
        }
        assert_eq!(ZoneLook::from_name("garden"), None);
    }

    #[test]
    fn every_zone_of_every_built_in_stage_has_a_look() {
        for (name, _) in game::stage::BUILT_IN {
            let stage = Stage::built_in(name).expect("it is built in");
            assert_eq!(ZoneStart::all_of(&stage).len(), stage.zones.len(), "{name}");
        }
    }

    #[test]
    fn the_next_zone_comes_in_from_the_right() {
        let zones = Zones { starts: &STARTS, stage: 2 };
        let passage = |scroll| zones.passage(&Frame::default(), scroll);
        assert_eq!(passage(0), Passage { zone: ZoneLook::Mouth, next: Some((ZoneLook::Gut, 0)) });
        assert_eq!(passage(1700), Passage { zone: ZoneLook::Mouth, next: Some((ZoneLook::Gut, 180)) });
        assert_eq!(passage(2000), Passage { zone: ZoneLook::Gut, next: None });
        assert_eq!(passage(-50).zone, ZoneLook::Mouth);
    }

    #[test]
    fn a_stage_without_zones_has_the_first_look_of_its_number() {
        let zone = |stage| Zones { starts: &[], stage }.at(500);
        assert_eq!([1, 2, 3, 4].map(zone), [ZoneLook::Debris, ZoneLook::Mouth, ZoneLook::Approach, ZoneLook::Debris]);
    }

    #[test]
    fn endless_changes_its_zone_with_the_waves() {
        let zone = |wave| Zones { starts: &[], stage: 0 }.passage(&Frame { wave, ..Frame::default() }, 0).zone;
        assert_eq!([0, 1, 4, 5, 9, 13, 17].map(zone), {
            use ZoneLook::{Belt, Nebula, Rings, Void};
            [Void, Void, Void, Belt, Nebula, Rings, Void]
        });
    }
}
