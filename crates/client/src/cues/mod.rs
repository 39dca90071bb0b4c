//! Which cues are heard when a Frame is shown after another, where, and their captions.
//!
//! `events.rs` has the cues of what a Frame reports; `changes.rs` those of what differs between two Frames; `gates.rs` those of gates.

mod changes;
mod events;
mod gates;
mod material;

use game::{FIELD_WIDTH_PX, Frame, Seat, Vec2, px};

pub use self::gates::GateWatch;
use crate::{
    language::Phrase,
    sound::{Cue, Heard},
};

/// The most equal cues in one tick: more would only be louder.
const SAME_MAX: usize = 2;
/// How far to the side a cue at the edge of the field is heard, of 128. Nothing is heard on one side alone.
const PAN_MAX: i32 = 88;

/// The cues of a Frame that is shown after another. A player who has a seat hears their own ship differently.
pub fn cues(before: &Frame, now: &Frame, own: Option<Seat>) -> Vec<Heard> {
    let of_events = now.events.iter().filter_map(|event| events::cue(event, before, now, own));
    let mut heard: Vec<Heard> = Vec::new();
    for new in of_events.chain(changes::cues(before, now, own)) {
        if heard.iter().filter(|other| other.cue == new.cue).count() < SAME_MAX {
            heard.push(new);
        }
    }
    heard
}

/// How loud the player's own charging beam hums, 0 to 255.
pub fn hum(frame: &Frame, own: Option<Seat>) -> u8 {
    own.and_then(|seat| frame.ship(seat)).map_or(0, |ship| ship.charge)
}

/// A cue at a place of the field.
fn at(cue: Cue, place: Vec2) -> Heard {
    let half = px(FIELD_WIDTH_PX) / 2;
    let aside = i64::from(place.x.saturating_sub(half)) * i64::from(PAN_MAX) / i64::from(half);
    Heard { cue, pan: aside.clamp(-i64::from(PAN_MAX), i64::from(PAN_MAX)) as i8 }
}

/// A cue as text, for players who cannot hear it. Shots, hits and small explosions are obvious from the picture, menus and
/// company from their words.
pub fn caption(cue: Cue) -> Option<Phrase> {
    Some(match cue {
        Cue::BeamLarge | Cue::BeamFull => Phrase::CaptionBeam,
        Cue::ChargeFull => Phrase::CaptionChargeFull,
        Cue::EnemyLance => Phrase::CaptionLance,
        Cue::NearMiss => Phrase::CaptionNearMiss,
        Cue::ExplosionLarge | Cue::BurstLarge => Phrase::CaptionExplosion,
        Cue::Warning => Phrase::CaptionWarning,
        Cue::BossPhase => Phrase::CaptionBossPhase,
        Cue::CoreOpens => Phrase::CaptionCoreOpens,
        Cue::CoreCloses => Phrase::CaptionCoreCloses,
        Cue::PartBreaks => Phrase::CaptionPartBreaks,
        Cue::BossDestroyed => Phrase::CaptionBossDestroyed,
        Cue::Gate => Phrase::CaptionGate,
        Cue::ItemRed => Phrase::CaptionItemRed,
        Cue::ItemBlue => Phrase::CaptionItemBlue,
        Cue::ItemYellow => Phrase::CaptionItemYellow,
        Cue::ItemMissiles => Phrase::CaptionItemMissiles,
        Cue::ItemBit => Phrase::CaptionItemBit,
        Cue::ItemSpeed => Phrase::CaptionItemSpeed,
        Cue::ForceDock => Phrase::CaptionForceDock,
        Cue::ForceLaunch => Phrase::CaptionForceLaunch,
        Cue::ForceRecall => Phrase::CaptionForceRecall,
        Cue::Death => Phrase::CaptionDeath,
        Cue::AllyLost => Phrase::CaptionAllyLost,
        Cue::Return => Phrase::CaptionReturn,
        Cue::ExtraLife => Phrase::CaptionExtraLife,
        Cue::ChainUp => Phrase::CaptionChainUp,
        Cue::ChainLost => Phrase::CaptionChainLost,
        Cue::Checkpoint => Phrase::CaptionCheckpoint,
        Cue::Wave => Phrase::CaptionWave,
        Cue::StageClear => Phrase::CaptionStageClear,
        Cue::Shot | Cue::RedLaser | Cue::BlueLaser | Cue::YellowLaser | Cue::Missile | Cue::BeamSmall => return None,
        // The hum has a caption while it lasts.
        Cue::ChargeHum => return None,
        Cue::HitMetal | Cue::HitFlesh | Cue::HitRock | Cue::HitArmour | Cue::HitCore => return None,
        Cue::EnemyShot | Cue::EnemyBomb | Cue::ExplosionSmall | Cue::BurstSmall | Cue::Crumble => return None,
        Cue::StageStart | Cue::Rank | Cue::GameOver => return None,
        Cue::MenuMove | Cue::MenuChoose | Cue::MenuBack | Cue::Join | Cue::Leave | Cue::Chat => return None,
        Cue::Pause | Cue::Resume => return None,
    })
}

#[cfg(test)]
mod tests;
