//! Cases about a full server: players come until one of them gets no seat. Which players hold the other seats does not matter;
//! a server that is full before the case has a seat is waited for, because players of earlier cases may still be on their way out.

use std::time::Duration;

use super::{case::Stop, trial::Trial};

/// What became of somebody who asked for a seat.
pub enum Entry<T> {
    Seated,
    Refused(T),
}

/// How many players, or lobbies, a server has room for that can be filled.
pub const ROOM_MAX: usize = 4;
/// How long to wait for the first seat, beside what the network takes: a server may notice only after some seconds that a player
/// is gone, as rfc53952 does after four.
const FIRST_SEAT: Duration = Duration::from_secs(10);

/// Lets players enter until one of them is refused; what that one was told. `enter` is told how many are seated.
pub fn fill<T>(t: &mut Trial, mut enter: impl FnMut(&mut Trial, usize) -> Result<Entry<T>, Stop>) -> Result<T, Stop> {
    let deadline = t.now() + FIRST_SEAT + t.patience();
    let mut seated = 0;
    while seated <= ROOM_MAX {
        match enter(t, seated)? {
            Entry::Seated => seated += 1,
            Entry::Refused(told) if seated > 0 => return Ok(told),
            Entry::Refused(_) if t.now() >= deadline => return Err(Stop::Skipped(no_seat())),
            Entry::Refused(_) => t.rest(t.again()),
        }
    }
    Err(Stop::Skipped(too_much_room()))
}

fn no_seat() -> String {
    "the server had no free seat for this case: let its players leave, or restart it, and run this case alone".into()
}

fn too_much_room() -> String {
    format!(
        "the server still had room after {} had come: start it with room for one lobby of four (volley serve --lobbies 1), and run this case again",
        ROOM_MAX + 1
    )
}
