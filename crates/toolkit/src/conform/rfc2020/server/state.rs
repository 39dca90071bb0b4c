//! Sections 4.1, 4.11 and 4.12: joining, the state of the game, signs of life, leaving.

use std::time::Duration;

use super::super::{
    DESTROY, GAME_STATE, JOIN, LEAVE, SPAWN, body_of, entity_of, kind_of, raw,
    test_client::{MAP, TestClient, TestLobby, create, join_at},
    timestamp_of,
};
use crate::conform::{
    case::{Case, Outcome, PASSED, Stop, ensure, failed, must, should},
    trial::Trial,
};

/// Silence after which a player is gone (ruling R7).
const SILENCE: Duration = Duration::from_secs(5);

pub const CASES: &[Case] = &[
    must(
        [
            "4.11-1",
            "JOIN is answered with an ENTITY_ID, a place and a MAP_NAME",
            "R6",
            "ENTITY_ID, X_COORDINATE, Y_COORDINATE, MAP_NAME",
            "24 bytes and the name. An ENTITY_ID above 3 refuses.",
        ],
        joined,
    ),
    must(
        [
            "4.11-2",
            "MAP_NAME is that of the lobby",
            "",
            "MAP_NAME: a string containing the name of the map to load",
            "The client loads this map. It has no terminator: BODY_SIZE − 24 bytes.",
        ],
        map_name,
    ),
    should(
        [
            "4.11-3",
            "a second JOIN keeps the seat",
            "R14",
            "An empty body should be sent",
            "The first answer may have been lost. Find the address among your players before you look for a seat.",
        ],
        second_join,
    ),
    must(
        [
            "4.11-4",
            "the fifth player of a lobby is refused",
            "R6",
            "If ENTITY_ID is greater than 3 the client's connection has been refused",
            "Answer; do not let the client wait.",
        ],
        full,
    ),
    must(
        [
            "4.11-5",
            "players see each other",
            "",
            "Must tell the client a new entity has spawned",
            "A new player is told of everything that is there, and everybody is told of the new ship.",
        ],
        players_meet,
    ),
    must(
        [
            "4.1-1",
            "the state of the game is sent",
            "R7",
            "STATE: the state of the game",
            "Send GAME_STATE to each player who joins, and when it changes.",
        ],
        state_is_told,
    ),
    should(
        [
            "4.1-2",
            "the state is sent again each second",
            "R7",
            "GAME_STATE … Need confirmation: Yes",
            "Its confirmation is the sign of life of a player who does nothing.",
        ],
        heartbeat,
    ),
    must(
        [
            "4.1-3",
            "GAME_STATE 1 of a player starts the game",
            "R7",
            "1: game running … From both: Change the state of the game",
            "Tell all players: the server's own GAME_STATE 1 says that it runs.",
        ],
        started,
    ),
    must(
        [
            "4.1-4",
            "a client's GAME_STATE 2 is dropped",
            "",
            "2: game won (must only be sent by the server)",
            "Otherwise anybody wins whenever they like.",
        ],
        only_server_wins,
    ),
    must(
        [
            "4.1-5",
            "GAME_STATE is sent again until it is confirmed",
            "R2",
            "GAME_STATE … Need confirmation: Yes",
            "Keep the request, and send the same bytes again after 200 ms or so.",
        ],
        state_is_repeated,
    ),
    must(
        [
            "4.1-6",
            "a player who is silent for 5 s is sent GAME_STATE 4",
            "R7",
            "4: game timeout: lobby/player inactive for too long (must only be sent by the server)",
            "It tells the client why it hears nothing more.",
        ],
        timeout_is_told,
    ),
    should(
        [
            "4.1-7",
            "5 s of silence end the session",
            "R7",
            "4: game timeout: lobby/player inactive for too long",
            "Otherwise the seats of clients that crashed are taken for ever.",
        ],
        silence_ends_it,
    ),
    should(
        [
            "4.1-8",
            "3 s of silence end nothing",
            "R7",
            "inactive for too long",
            "A network that stutters is no reason to throw a player out.",
        ],
        short_silence_is_borne,
    ),
    must(
        [
            "4.12-1",
            "LEAVE is confirmed",
            "R2",
            "Must notify the server that the client is leaving the game",
            "Also the second time: your confirmation may have been lost.",
        ],
        leave_is_confirmed,
    ),
    must(
        [
            "4.12-2",
            "after LEAVE nothing more is sent",
            "",
            "Must notify the server that the client is leaving the game",
            "Remove the player at once. The port may belong to another program a moment later.",
        ],
        left,
    ),
    must(
        [
            "4.12-3",
            "the ship of a player who left is destroyed",
            "",
            "Must tell the client to destroy a given entity",
            "Tell the others with DESTROY, or it hangs there for ever.",
        ],
        ship_goes,
    ),
];

fn lobby(t: &mut Trial) -> Result<TestLobby, Stop> {
    create(t).map_err(Stop::in_the_way)
}

fn joined(t: &mut Trial) -> Outcome {
    let lobby = lobby(t)?;
    let line = t.open_to(lobby.port)?;
    let answer = join_at(t, line)?;
    let (size, id) = (body_of(&answer).len(), entity_of(&answer).unwrap_or(u64::MAX));
    t.say_at_the_end(line, &raw(LEAVE, t.now().micros() + 1, &id.to_be_bytes()));
    ensure(size >= 24 && id <= 3, || format!("the answer has {size} bytes of body and ENTITY_ID {id}"))?;
    PASSED
}

fn map_name(t: &mut Trial) -> Outcome {
    let lobby = lobby(t)?;
    let client = TestClient::enter(t, lobby)?;
    let name = String::from_utf8_lossy(&client.map);
    ensure(name == MAP, || format!("the lobby was made with {MAP:?}, and JOIN says {name:?}"))?;
    PASSED
}

fn second_join(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let answer = client.request(t, JOIN, &[]).ok_or_else(|| Stop::Failed("a second JOIN is not answered".into()))?;
    let again = entity_of(&answer);
    ensure(again == Some(client.id), || format!("first {}, then {again:?}", client.id))?;
    PASSED
}

fn full(t: &mut Trial) -> Outcome {
    let lobby = lobby(t)?;
    for _ in 0..4 {
        TestClient::enter(t, lobby)?;
    }
    let line = t.open_to(lobby.port)?;
    let answer = join_at(t, line).map_err(|_| Stop::Failed("the fifth JOIN is not answered".into()))?;
    let id = entity_of(&answer).unwrap_or(u64::MAX);
    ensure(id > 3, || format!("the fifth player got ENTITY_ID {id}"))?;
    PASSED
}

fn players_meet(t: &mut Trial) -> Outcome {
    let lobby = lobby(t)?;
    let mut first = TestClient::enter(t, lobby)?;
    let second = TestClient::enter(t, lobby)?;
    let patience = t.patience();
    let seen = first.look(t, patience, |client, _| client.spawned.contains_key(&second.id).then_some(()));
    ensure(seen.is_some(), || "the first player is not told of the ship of the second".into())?;
    PASSED
}

/// Enters a lobby, and looks for something.
fn see<T>(
    t: &mut Trial,
    limit: Duration,
    mut look: impl FnMut(&[u8]) -> Option<T>,
) -> Result<(TestClient, Option<T>), Stop> {
    let lobby = lobby(t)?;
    let mut client = TestClient::enter(t, lobby)?;
    let found = client.look(t, limit, |_, bytes| look(bytes));
    Ok((client, found))
}

/// The STATE of a GAME_STATE.
fn state_in(bytes: &[u8]) -> Option<u8> {
    body_of(bytes).first().copied().filter(|_| kind_of(bytes) == Some(GAME_STATE))
}

fn state_is_told(t: &mut Trial) -> Outcome {
    let lobby = lobby(t)?;
    let mut client = TestClient::take_seat(t, lobby)?;
    let patience = t.patience();
    let told = client.look(t, patience, |_, bytes| state_in(bytes));
    ensure(told.is_some(), || "no GAME_STATE came".into())?;
    PASSED
}

fn heartbeat(t: &mut Trial) -> Outcome {
    let mut stamps = std::collections::BTreeSet::new();
    see(t, Duration::from_millis(4_500), |bytes| {
        if state_in(bytes).is_some() {
            stamps.extend(timestamp_of(bytes));
        }
        None::<()>
    })?;
    ensure(stamps.len() >= 3, || format!("{} GAME_STATEs came in 4.5 s", stamps.len()))?;
    PASSED
}

fn started(t: &mut Trial) -> Outcome {
    let patience = t.patience();
    let (mut client, told) = see(t, patience, state_in)?;
    told.ok_or_else(|| Stop::Blocked("no GAME_STATE came".into()))?;
    client.request(t, GAME_STATE, &[1]);
    let runs = client.look(t, patience, |_, bytes| state_in(bytes).filter(|state| *state == 1));
    ensure(runs.is_some(), || "after GAME_STATE 1 of a player the server tells no GAME_STATE 1".into())?;
    PASSED
}

fn only_server_wins(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let bytes = raw(GAME_STATE, client.stamp(t), &[2]);
    ensure(!client.is_answered(t, &bytes), || "a client's GAME_STATE 2 was confirmed".into())?;
    client.expect_life(t)?;
    PASSED
}

fn state_is_repeated(t: &mut Trial) -> Outcome {
    let lobby = lobby(t)?;
    let mut client = TestClient::enter(t, lobby)?;
    client.silent_about = vec![GAME_STATE];
    let mut seen = std::collections::BTreeSet::new();
    let again = client.look(t, Duration::from_secs(3), |_, bytes| {
        (state_in(bytes).is_some() && !seen.insert(bytes.to_vec())).then_some(())
    });
    ensure(!seen.is_empty(), || "no GAME_STATE came".into()).map_err(Stop::in_the_way)?;
    ensure(again.is_some(), || "GAME_STATE was not confirmed, and was not sent again with the same bytes".into())?;
    PASSED
}

/// Plays, and then says nothing; what comes until then is looked at.
fn fall_silent(t: &mut Trial, mut look: impl FnMut(&[u8]) -> Option<()>) -> Result<(TestClient, Option<()>), Stop> {
    let client = TestClient::join(t)?;
    let limit = SILENCE + t.patience();
    let found = t.until(client.line, limit, |_, bytes| look(bytes));
    Ok((client, found))
}

fn timeout_is_told(t: &mut Trial) -> Outcome {
    let (_, told) = fall_silent(t, |bytes| (state_in(bytes) == Some(4)).then_some(()))?;
    ensure(told.is_some(), || "the player was silent for over 5 s, and no GAME_STATE 4 came".into())?;
    PASSED
}

fn silence_ends_it(t: &mut Trial) -> Outcome {
    let (client, _) = fall_silent(t, |_| None)?;
    match t.next(client.line, Duration::from_secs(1)) {
        None => PASSED,
        Some(_) => failed("long after 5 s without a message of the client the server still sends"),
    }
}

fn short_silence_is_borne(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    t.rest(Duration::from_secs(3));
    t.forget(client.line);
    client.request(t, GAME_STATE, &[1]);
    client.expect_life(t)?;
    PASSED
}

fn leave_is_confirmed(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let bytes = raw(LEAVE, client.stamp(t), &client.id.to_be_bytes());
    for number in ["the first", "the repeated"] {
        ensure(client.ask(t, &bytes).is_some(), || format!("{number} LEAVE is not confirmed"))?;
        t.forget(client.line);
    }
    PASSED
}

fn left(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let id = client.id.to_be_bytes();
    client.request(t, LEAVE, &id);
    let quiet = t.quiet();
    t.rest(quiet);
    t.forget(client.line);
    let told = t.until(client.line, Duration::from_secs(2), |_, bytes| kind_of(bytes).filter(|kind| *kind < 0x40));
    ensure(told.is_none(), || "a moment after LEAVE the server still sends".into())?;
    PASSED
}

fn ship_goes(t: &mut Trial) -> Outcome {
    let lobby = lobby(t)?;
    let mut stays = TestClient::enter(t, lobby)?;
    let mut leaves = TestClient::enter(t, lobby)?;
    let patience = t.patience();
    let id = leaves.id;
    let is_ship = |bytes: &[u8]| kind_of(bytes) == Some(SPAWN) && entity_of(bytes) == Some(id);
    let known = stays.look(t, patience, |_, bytes| is_ship(bytes).then_some(()));
    known.ok_or_else(|| Stop::Blocked("the first player is not told of the second".into()))?;
    leaves.request(t, LEAVE, &id.to_be_bytes());
    let is_gone = |bytes: &[u8]| kind_of(bytes) == Some(DESTROY) && entity_of(bytes) == Some(id);
    let gone = stays.look(t, patience, |_, bytes| is_gone(bytes).then_some(()));
    ensure(gone.is_some(), || format!("no DESTROY of entity {id} came, whose player has left"))?;
    PASSED
}
