//! Step 1: connecting.

use protocol::aecs::{server::SILENCE_MAX, wire::FromServer};

use super::super::{PING, raw, test_client::connected};
use crate::conform::{
    case::{Case, Outcome, PASSED, Stop, either, ensure, failed, must, reading, should},
    full_server::{Entry, fill},
    trial::Trial,
};

pub const CASES: &[Case] = &[
    must(
        [
            "1-1",
            "a TCP connection is answered with CONNECTED",
            "",
            "Once the server has detected the connection, it will send a CONNECTED packet to the client",
            "Send it as soon as you have accepted: the client says nothing over TCP.",
        ],
        answers,
    ),
    must(
        [
            "1-2",
            "CONNECTED can be read to its last byte",
            "A1",
            "containing the game state as encoded by `aecs::GameState::encode()`",
            "All counts and sizes must agree, in little-endian. TCP may cut the packet anywhere: packet size tells where it ends.",
        ],
        well_formed,
    ),
    reading(
        [
            "1-3",
            "TCP is closed after CONNECTED",
            "A2",
            "use TCP for the initial handshake",
            "Nothing more is said over it. An open connection that nobody uses costs a file handle.",
        ],
        closes,
    ),
    must(
        [
            "1-4",
            "the client ID is 0 to 3",
            "C8",
            "This packet contains the client ID, followed by the game state",
            "It is the seat. A client finds its own ship by it.",
        ],
        client_id,
    ),
    must(
        [
            "1-5",
            "CONNECTED holds what there is",
            "A6",
            "Before the client runs the game, it must first get the game state from the server.",
            "GAME_CHANGES hold only what changes. What stands still is told here or nowhere.",
        ],
        state,
    ),
    should(
        [
            "1-6",
            "a full server closes TCP without CONNECTED",
            "A2",
            "Once the server has detected the connection, it will send a CONNECTED packet",
            "The dialect has no refusal. Closing says enough.",
        ],
        full,
    )
    .alone(),
    should(
        [
            "1-7",
            "a datagram from somebody without a TCP connection is not answered",
            "A2 C5",
            "use TCP for the initial handshake",
            "Only TCP shows that an address is real. Without it, a forged datagram would aim your stream at a stranger.",
        ],
        stranger,
    ),
];

/// The CONNECTED of a new connection.
fn first(t: &mut Trial) -> Result<Vec<u8>, Stop> {
    let stream = t.connect()?;
    connected(t, stream).map_err(Stop::in_the_way)
}

fn answers(t: &mut Trial) -> Outcome {
    let stream = t.connect()?;
    let patience = t.patience();
    let came = t.next(stream, patience).filter(|bytes| !bytes.is_empty());
    ensure(came.is_some(), || "nothing came over TCP".into())?;
    PASSED
}

fn well_formed(t: &mut Trial) -> Outcome {
    let stream = t.connect()?;
    let patience = t.patience();
    let begins = t.next(stream, patience).filter(|bytes| !bytes.is_empty());
    let mut bytes = begins.ok_or_else(|| Stop::Blocked("nothing came over TCP".into()))?;
    t.until(stream, patience, |_, piece| {
        bytes.extend(piece);
        (piece.is_empty() || FromServer::read(&bytes).is_ok()).then_some(())
    });
    match FromServer::read(&bytes) {
        Ok(FromServer::Connected { .. }) => PASSED,
        Ok(_) => failed("it is another packet"),
        Err(why) => failed(format!("{} bytes came, and cannot be read: {why:?}", bytes.len())),
    }
}

fn closes(t: &mut Trial) -> Outcome {
    let stream = t.connect()?;
    connected(t, stream).map_err(Stop::in_the_way)?;
    let patience = t.patience();
    let end = t.until(stream, patience, |_, piece| piece.is_empty().then_some(()));
    either(end.is_some(), "TCP is closed after CONNECTED", "TCP stays open")
}

fn client_id(t: &mut Trial) -> Outcome {
    let id = first(t)?.get(3).copied();
    ensure(id.is_some_and(|id| id < 4), || format!("the client ID is {id:?}"))?;
    PASSED
}

fn state(t: &mut Trial) -> Outcome {
    let bytes = first(t)?;
    match FromServer::read(&bytes) {
        Ok(FromServer::Connected { game_state, .. }) => {
            ensure(game_state.entities.iter().next().is_some(), || "CONNECTED holds no entity".into())?;
            PASSED
        }
        _ => Err(Stop::Blocked("CONNECTED cannot be read".into())),
    }
}

fn full(t: &mut Trial) -> Outcome {
    fill(t, |t, seated| {
        let stream = t.connect()?;
        if connected(t, stream).is_err() {
            return Ok(Entry::Refused(()));
        }
        let line = t.open_beside(stream)?;
        let is_heard = (0..6).any(|_| {
            t.send(line, &raw(PING, &[]));
            let again = t.again();
            t.next(line, again).is_some()
        });
        ensure(is_heard || seated > 0, || "nothing comes over UDP".into()).map_err(Stop::in_the_way)?;
        ensure(is_heard, || "the last client got CONNECTED, and then nothing".into())?;
        Ok(Entry::Seated)
    })?;
    PASSED
}

fn stranger(t: &mut Trial) -> Outcome {
    if is_stranger_answered(t)? {
        // Ruling A2: it may have been taken for a client that connected in an earlier case and has sent no datagram yet.
        t.rest(SILENCE_MAX + t.patience());
        let is_answered = is_stranger_answered(t)?;
        ensure(!is_answered, || "a PING from an address without a TCP connection was answered".into())?;
    }
    PASSED
}

fn is_stranger_answered(t: &mut Trial) -> Result<bool, Stop> {
    let line = t.open()?;
    for _ in 0..3 {
        t.send(line, &raw(PING, &[]));
    }
    let quiet = t.quiet();
    Ok(t.next(line, quiet).is_some())
}
