//! Sections 4.6, 4.7 and 4.10: the Force, and shots that hit. Our own client plays until there is something to see.

use std::{collections::BTreeSet, time::Duration};

use protocol::Dialect;

use super::super::{DROP, GRAB, HIT, SPAWN, body_of, entity_of, kind_of};
use crate::conform::{
    case::{Case, Outcome, PASSED, Stop, ensure, failed, must},
    pilot::Pilot,
    trial::Trial,
};

/// Words that kinds of shots have in their names.
const SHOTS: [&str; 5] = ["shot", "beam", "laser", "missile", "pellet"];
/// How long our bot shoots before a hit must have been told.
const SHOOTING: Duration = Duration::from_secs(60);
/// The bot that wins the Force soon, and keeps it, in the game of the kill matrix, which plays it for every bug.
const BOT: u64 = 3;

pub const CASES: &[Case] = &[
    must(
        [
            "4.6-1",
            "GRAB tells where the Force was attached",
            "R10",
            "Depending on the type of power-up, the DIRECTION may not be present in the body",
            "For the Force it is: a client shows it before or behind the ship. 17 bytes, the last of them 0 or 1.",
        ],
        grab,
    )
    .slow(),
    must(
        [
            "4.7-1",
            "a client's DROP launches the Force",
            "",
            "From client: must tell the server that the player dropped his force (shield). No body should be sent.",
            "The message has no body: the address says whose Force it is.",
        ],
        drop_launches,
    )
    .slow(),
    must(
        [
            "4.7-2",
            "DROP tells the clients of it",
            "",
            "From server: must notify the clients that a player dropped his force (shield)",
            "Tell everybody, the player too, with the player's ENTITY_ID.",
        ],
        drop_is_told,
    )
    .slow(),
    must(
        [
            "4.10-1",
            "HIT names a shot that was spawned",
            "R14",
            "Must notify clients a shot hit a target",
            "It names the shot, not what it hit, and comes for everything that can be hit.",
        ],
        hit,
    )
    .slow(),
];

fn grab(t: &mut Trial) -> Outcome {
    let mut pilot = Pilot::with_force(t, Dialect::Rfc2020, BOT)?;
    // It was attached before the case could know: launched and called back, it is attached again.
    let is_away = pilot.launch(t, |_| {})?;
    ensure(is_away, || "the Force cannot be launched".into()).map_err(Stop::in_the_way)?;
    let mut body = None;
    let is_back = pilot.call_back(t, |bytes| {
        if kind_of(bytes) == Some(GRAB) {
            body = Some(body_of(bytes).to_vec());
        }
    })?;
    if body.is_none() {
        // It may be told a moment after the Force is seen at the ship.
        let patience = t.patience();
        body = pilot.play(t, patience, |_, bytes| (kind_of(bytes) == Some(GRAB)).then(|| body_of(bytes).to_vec()))?;
    }
    match body {
        None if !is_back => Err(Stop::Blocked("the Force does not come back".into())),
        None => failed("the Force came back, and no GRAB came"),
        Some(body) => {
            let is_whole = matches!(body.get(16..), Some([0 | 1]));
            ensure(is_whole, || format!("GRAB of the Force has {} bytes of body: {body:02x?}", body.len()))?;
            PASSED
        }
    }
}

/// Wins the Force and sends DROP; whether the Force flies, and whether a DROP came.
fn drop_force(t: &mut Trial) -> Result<(bool, bool), Stop> {
    let mut pilot = Pilot::with_force(t, Dialect::Rfc2020, BOT)?;
    let mut is_told = false;
    let is_away = pilot.launch(t, |bytes| is_told |= kind_of(bytes) == Some(DROP))?;
    Ok((is_away, is_told))
}

fn drop_launches(t: &mut Trial) -> Outcome {
    let (is_away, _) = drop_force(t)?;
    ensure(is_away, || "DROP was sent, and the Force stayed at the ship".into())?;
    PASSED
}

fn drop_is_told(t: &mut Trial) -> Outcome {
    let (is_away, is_told) = drop_force(t)?;
    ensure(is_away, || "the Force cannot be launched".into()).map_err(Stop::in_the_way)?;
    ensure(is_told, || "the Force was launched, and no DROP came from the server".into())?;
    PASSED
}

fn hit(t: &mut Trial) -> Outcome {
    let mut pilot = Pilot::start(t, Dialect::Rfc2020)?;
    let mut shots = BTreeSet::new();
    let mut has_shot = false;
    let hit = pilot.play(t, SHOOTING, |_, bytes| {
        let id = entity_of(bytes)?;
        let text = String::from_utf8_lossy(body_of(bytes)).into_owned();
        if kind_of(bytes) == Some(SPAWN) && SHOTS.iter().any(|word| text.contains(word)) {
            has_shot |= text.contains("\"shot\"") || text.contains("\"beam\"");
            shots.insert(id);
        }
        (kind_of(bytes) == Some(HIT)).then(|| (id, shots.contains(&id)))
    })?;
    ensure(has_shot, || "our bot shot nothing".into()).map_err(Stop::in_the_way)?;
    let (id, is_shot) = hit.ok_or_else(|| Stop::Failed("our bot shot for a minute, and no HIT came".into()))?;
    ensure(is_shot, || format!("HIT names entity {id}, which was not spawned as a shot"))?;
    PASSED
}
