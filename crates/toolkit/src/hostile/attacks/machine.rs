//! What happens to the process itself, and everything at once.

use std::{
    thread,
    time::{Duration, Instant},
};

use super::{AttackOutcome, Send, Target, datagrams, http, streams};
use crate::node_process::NodeProcess;

const STOPPED_FOR: Duration = Duration::from_secs(10);

/// What comes to doors and HTTP together.
const TOGETHER: [Send; 6] = [
    datagrams::noise,
    datagrams::joins_of_one,
    streams::empty_lobbies,
    streams::idle,
    http::endless_requests,
    http::code_guesses,
];

/// Nobody but the machine is to blame (ruling C15).
pub fn stop(target: &mut Target<'_>) -> anyhow::Result<AttackOutcome> {
    target.ordinary.hold(true);
    target.node.pause(true)?;
    thread::sleep(STOPPED_FOR);
    target.node.pause(false)?;
    target.ordinary.hold(false);
    Ok(AttackOutcome::Done(1))
}

/// Killed without a warning, and started again with the same ports and data (ruling C16).
pub fn kill(target: &mut Target<'_>) -> anyhow::Result<AttackOutcome> {
    let doors = target.node.doors().clone();
    target.node.kill()?;
    target.node = NodeProcess::start(target.program, target.options, Some(&doors))?;
    Ok(AttackOutcome::Done(1))
}

/// Several attacks at the same time.
pub fn mixture(target: &Target<'_>, until: Instant) -> anyhow::Result<AttackOutcome> {
    let done = thread::scope(|scope| {
        let attacks: Vec<_> = TOGETHER.iter().map(|act| scope.spawn(move || act(target, until))).collect();
        attacks.into_iter().map(|attack| attack.join().map_err(|_| anyhow::anyhow!("an attack panicked"))?).collect()
    });
    let done: anyhow::Result<Vec<AttackOutcome>> = done;
    let count = |outcome: &AttackOutcome| if let AttackOutcome::Done(count) = outcome { *count } else { 0 };
    Ok(AttackOutcome::Done(done?.iter().map(count).sum()))
}
