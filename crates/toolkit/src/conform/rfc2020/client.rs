//! What a client of `rfc2020` must do.

use std::{collections::BTreeSet, time::Duration};

use super::{
    ASK_JOIN, CREATE, DESTROY, GAME_STATE, JOIN, MOVE, RESPONSE, SPAWN, body_of, body_size_of, entity_of, kind_of, raw,
    test_server::{SEAT, TestServer, first_message},
    timestamp_of,
};
use crate::conform::{
    case::{Case, Outcome, PASSED, Stop, either, ensure, failed, must, reading, reads, should},
    question::About,
    trial::Trial,
};

/// How long a case listens to a player.
const LISTENING: Duration = Duration::from_secs(3);
const PRESS_KEYS: &str = "the client sent no MOVE: somebody has to press keys meanwhile";
const DRONE: &str = "{\"kind\":\"drone\",\"x\":1440,\"y\":300}";

pub const CHAPTERS: &[&[Case]] = &[JOINING, CONFIRMING, PLAYING, SHOWN];

const JOINING: &[Case] = &[
    must(
        [
            "3-1",
            "the client asks for a lobby over TCP",
            "R4",
            "A first connection client to the server in TCP which must then allow it get sufficient information to connect to a lobby",
            "ASK_JOIN with six characters, or CREATE with the name of a map; BODY_SIZE is right.",
        ],
        asks,
    ),
    must(
        [
            "4.11-1",
            "JOIN comes to the lobby's UDP port",
            "",
            "The client should then connect to the UDP socket of the lobby",
            "An empty JOIN, to the port that the answer gave.",
        ],
        joins,
    ),
    must(
        [
            "4.11-2",
            "JOIN is sent again until it is answered",
            "R2",
            "JOIN … Need confirmation: Yes",
            "The same bytes with the same timestamp, after 200 ms or so.",
        ],
        joins_again,
    ),
    should(
        [
            "4.11-3",
            "a client that was refused stops",
            "R6",
            "If ENTITY_ID is greater than 3 the client's connection has been refused",
            "Tell the player; do not ask again several times a second.",
        ],
        refused,
    ),
    must(
        [
            "2-1",
            "random bytes do no harm",
            "C7",
            "For all type of connections, the data sent must respect the following binary format",
            "Anybody can send you a datagram. Check sizes before you read.",
        ],
        noise,
    ),
];

const CONFIRMING: &[Case] = &[
    must(
        [
            "1-1",
            "a response repeats the timestamp of its request",
            "R2",
            "this must be the the CREATION_TIMESTAMP of the request this responds to",
            "Copy it: the server knows its request by it.",
        ],
        copied,
    ),
    must(
        [
            "2-2",
            "a repeated request is confirmed again",
            "R2",
            "the response must at least contain a header",
            "It came again because your confirmation was lost.",
        ],
        again,
    ),
    must(
        [
            "4.1-1",
            "GAME_STATE is confirmed",
            "R7",
            "GAME_STATE … Need confirmation: Yes",
            "It is your sign of life: without it you are thrown out after 5 s.",
        ],
        confirms_state,
    ),
    must(
        ["4.4-1", "SPAWN is confirmed", "", "SPAWN … Need confirmation: Yes", "Even if you do not know the kind."],
        confirms_spawn,
    ),
    must(
        [
            "4.5-1",
            "DESTROY is confirmed",
            "R13",
            "DESTROY … Need confirmation: Yes",
            "Even if you never heard of the entity.",
        ],
        confirms_destroy,
    ),
    must(
        ["4.6-1", "GRAB is confirmed", "R10", "GRAB … Need confirmation: Yes", "With and without DIRECTION."],
        confirms_grab,
    ),
    must(
        [
            "4.7-1",
            "DROP is confirmed",
            "R10",
            "DROP … Need confirmation: Yes",
            "The server says which player let go of the Force.",
        ],
        confirms_drop,
    ),
    must(
        [
            "4.10-1",
            "HIT is confirmed",
            "R14",
            "HIT … Need confirmation: Yes",
            "It names a shot, which may be gone already.",
        ],
        confirms_hit,
    ),
];

const PLAYING: &[Case] = &[
    must(
        [
            "1-2",
            "BODY_SIZE is the size of the body",
            "R1",
            "BODY_SIZE: must represent the size of the BODY",
            "Eight bytes, big-endian, without the header.",
        ],
        body_size,
    ),
    must(
        [
            "4.3-1",
            "MOVE names the client's own ENTITY_ID",
            "R11",
            "ENTITY_ID: entity unique identifier of the corresponding player",
            "Take it from the answer to JOIN; it is not always 0.",
        ],
        own_id,
    ),
    must(
        [
            "4.3-2",
            "DIRECTION is 0 to 3 and STATE 0 or 1",
            "",
            "DIRECTION: 0: up, 1: left, 2: down, 3: right",
            "Anything else is dropped, and your ship stands still.",
        ],
        fields,
    ),
    must(
        [
            "4.3-3",
            "what was started is stopped",
            "",
            "STATE: boolean describing the state of the movement (ON or OFF)",
            "Without STATE 0 the ship flies on for ever.",
        ],
        stops,
    ),
    must(
        [
            "4.3-4",
            "MOVE is sent again until it is confirmed",
            "R2",
            "MOVE … Need confirmation: Yes",
            "The same bytes with the same timestamp.",
        ],
        repeats,
    ),
    should(
        [
            "4.1-2",
            "a client whose server is silent for 5 s plays no more",
            "R2",
            "4: game timeout: lobby/player inactive for too long",
            "After 5 s without a sign of life nobody is there. Asking for a lobby again is fine.",
        ],
        silence_ends_it,
    ),
    reading(
        [
            "1-3",
            "the unit of CREATION_TIMESTAMP",
            "R2",
            "CREATION_TIMESTAMP | 8 bytes",
            "The document gives no unit. By ruling R2 it is microseconds since 1970, so that two requests never have the same.",
        ],
        unit,
    ),
    reading(
        [
            "4.1-3",
            "what a client does after the game is won",
            "R14",
            "2: game won (must only be sent by the server)",
            "The lobby goes on with the next map, and nothing tells which. By ruling R14 a second JOIN asks for its name.",
        ],
        after_win,
    ),
    reading(
        [
            "4.3-5",
            "how soon a request is sent again",
            "R2",
            "MOVE … Need confirmation: Yes",
            "The document gives no time. By ruling R2 it is 200 ms, then longer and longer.",
        ],
        how_soon,
    ),
];

const SHOWN: &[Case] = &[
    must(
        [
            "4.11-4",
            "the player is told that there is no room",
            "R6",
            "If ENTITY_ID is greater than 3 the client's connection has been refused",
            "A client that only closes looks broken.",
        ],
        shows_refusal,
    )
    .asks(),
    must(
        [
            "4.4-2",
            "what is spawned is shown where it is",
            "R8",
            "Must tell the client a new entity has spawned",
            "`x` and `y` are in the units of POSITION.",
        ],
        shows_entity,
    )
    .asks(),
    must(
        ["4.2-1", "POSITION moves what is shown", "", "Must send an entity's new position", "The newest one counts."],
        shows_position,
    )
    .asks(),
    must(
        [
            "4.5-2",
            "what is destroyed is shown no more",
            "",
            "Must tell the client to destroy a given entity",
            "Remove it at once.",
        ],
        shows_destruction,
    )
    .asks(),
];

fn asks(t: &mut Trial) -> Outcome {
    let (_, bytes) = first_message(t)?;
    let is_one = match kind_of(&bytes) {
        Some(ASK_JOIN) => body_of(&bytes).len() == 6,
        Some(CREATE) => !body_of(&bytes).is_empty(),
        _ => false,
    };
    ensure(is_one, || "the first message over TCP is neither ASK_JOIN nor CREATE".into())?;
    PASSED
}

fn joins(t: &mut Trial) -> Outcome {
    let (_, bytes) = TestServer::await_join(t)?;
    let is_join = kind_of(&bytes) == Some(JOIN) && body_of(&bytes).is_empty();
    ensure(is_join, || "the first datagram to the lobby is no empty JOIN".into())?;
    PASSED
}

fn joins_again(t: &mut Trial) -> Outcome {
    let (server, join) = TestServer::await_join(t).map_err(Stop::in_the_way)?;
    let patience = t.patience();
    let again = t.until(server.line, patience, |_, bytes| (bytes == join).then_some(()));
    ensure(again.is_some(), || "JOIN was sent once only, though it was not answered".into())?;
    PASSED
}

/// Refuses a client a number of times.
fn refuse(t: &mut Trial, times: usize) -> Result<TestServer, Stop> {
    let (server, join) = TestServer::await_join(t).map_err(Stop::in_the_way)?;
    let body = [&u64::MAX.to_be_bytes()[..], &[0; 16]].concat();
    for _ in 0..times {
        t.send(server.line, &raw(RESPONSE | JOIN, timestamp_of(&join).unwrap_or(0), &body));
        let again = t.again();
        t.rest(again);
    }
    Ok(server)
}

fn refused(t: &mut Trial) -> Outcome {
    let server = refuse(t, 3)?;
    t.forget(server.line);
    let count = t.all(server.line, LISTENING).len();
    ensure(count <= 2, || format!("after it was refused, the client sent {count} datagrams in 3 s"))?;
    PASSED
}

fn noise(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    for _ in 0..60 {
        let size = t.dice.below(80) as usize;
        let bytes = t.random_bytes(size);
        t.send(server.line, &bytes);
    }
    ensure(server.speaks(t), || "after random bytes the client says nothing any more".into())?;
    PASSED
}

fn copied(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    let mut asked = BTreeSet::new();
    let mut answered = BTreeSet::new();
    for id in 20..24 {
        asked.insert(server.spawn(t, id, DRONE));
        let again = t.again();
        server.play(t, again, |bytes| {
            answered.extend(timestamp_of(bytes).filter(|_| kind_of(bytes) == Some(RESPONSE | SPAWN)));
            None::<()>
        });
    }
    ensure(!answered.is_empty(), || "no SPAWN is confirmed".into()).map_err(Stop::in_the_way)?;
    ensure(!asked.is_disjoint(&answered), || format!("requests of {asked:?} were confirmed as {answered:?}"))?;
    PASSED
}

fn again(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    let stamp = server.stamp(t);
    let bytes = raw(SPAWN, stamp, &[&30u64.to_be_bytes()[..], DRONE.as_bytes(), &[0]].concat());
    let mut count = 0;
    for _ in 0..4 {
        t.send(server.line, &bytes);
        let again = t.again();
        server.play(t, again, |bytes| {
            count += usize::from(kind_of(bytes) == Some(RESPONSE | SPAWN) && timestamp_of(bytes) == Some(stamp));
            None::<()>
        });
    }
    ensure(count > 0, || "no SPAWN is confirmed".into()).map_err(Stop::in_the_way)?;
    ensure(count >= 2, || "the same SPAWN came four times, and was confirmed once".into())?;
    PASSED
}

/// Expects that a request is confirmed.
fn confirms(t: &mut Trial, method: u8, body: &[u8]) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    ensure(server.is_confirmed(t, method, body), || format!("a request of METHOD {method} is not confirmed"))?;
    PASSED
}

fn confirms_state(t: &mut Trial) -> Outcome {
    confirms(t, GAME_STATE, &[1])
}

fn confirms_spawn(t: &mut Trial) -> Outcome {
    let json = b"{\"kind\":\"teapot\",\"x\":1,\"y\":2}\0";
    confirms(t, SPAWN, &[&40u64.to_be_bytes()[..], json].concat())
}

fn confirms_destroy(t: &mut Trial) -> Outcome {
    confirms(t, DESTROY, &99u64.to_be_bytes())
}

fn confirms_grab(t: &mut Trial) -> Outcome {
    confirms(t, 7, &[SEAT.to_be_bytes(), 99u64.to_be_bytes()].concat())
}

fn confirms_drop(t: &mut Trial) -> Outcome {
    confirms(t, 8, &SEAT.to_be_bytes())
}

fn confirms_hit(t: &mut Trial) -> Outcome {
    confirms(t, 11, &99u64.to_be_bytes())
}

fn body_size(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    let wrong = server.play(t, LISTENING, |bytes| {
        let (said, is) = (body_size_of(bytes)?, body_of(bytes).len() as u64);
        (said != is).then(|| format!("BODY_SIZE is {said} before a body of {is} bytes"))
    });
    wrong.map_or(PASSED, |why| Err(Stop::Failed(why)))
}

/// Looks at all MOVEs for a while; what is found is a fault. Skipped if none comes.
fn moves(t: &mut Trial, mut look: impl FnMut(&[u8]) -> Option<String>) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    let mut count = 0;
    let wrong = server.play(t, LISTENING, |bytes| {
        let is_move = kind_of(bytes) == Some(MOVE);
        count += usize::from(is_move);
        if is_move { look(bytes) } else { None }
    });
    match (wrong, count) {
        (Some(why), _) => failed(why),
        (None, 0) => Err(Stop::Skipped(PRESS_KEYS.into())),
        (None, _) => PASSED,
    }
}

fn own_id(t: &mut Trial) -> Outcome {
    moves(t, |bytes| {
        let id = entity_of(bytes)?;
        (id != SEAT).then(|| format!("a MOVE names entity {id}; {SEAT} was assigned"))
    })
}

fn fields(t: &mut Trial) -> Outcome {
    moves(t, |bytes| match body_of(bytes).get(8..) {
        Some([0..=3, 0..=1]) => None,
        other => Some(format!("DIRECTION and STATE are {other:?}")),
    })
}

fn stops(t: &mut Trial) -> Outcome {
    let (mut on, mut off) = (BTreeSet::new(), 0);
    moves(t, |bytes| {
        match body_of(bytes).get(8..) {
            Some([_, 0]) => off += 1,
            Some([direction, _]) => _ = on.insert(*direction),
            _ => {}
        }
        None
    })?;
    if off > 0 {
        return PASSED;
    }
    // Somebody may fly on all the time, but not everywhere at once.
    ensure(on.len() < 4, || "MOVEs in all four directions were started, and none was stopped".into())?;
    Err(Stop::Skipped("no MOVE was stopped: somebody has to press and release keys meanwhile".into()))
}

fn repeats(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    server.silent_about = vec![MOVE];
    let mut seen = BTreeSet::new();
    let again = server
        .play(t, LISTENING * 2, |bytes| (kind_of(bytes) == Some(MOVE) && !seen.insert(bytes.to_vec())).then_some(()));
    match (again, seen.len()) {
        (Some(()), _) => PASSED,
        (None, 0) => Err(Stop::Skipped(PRESS_KEYS.into())),
        (None, count) => failed(format!("{count} MOVEs were not confirmed, and none came again")),
    }
}

fn shows_refusal(t: &mut Trial) -> Outcome {
    refuse(t, 5)?;
    ensure(t.ask(About::Refused)?, || "the player is not told".into())?;
    PASSED
}

/// Lets a client in and shows it a drone.
fn with_drone(t: &mut Trial) -> Result<TestServer, Stop> {
    let mut server = TestServer::welcome(t)?;
    for _ in 0..3 {
        server.spawn(t, 50, DRONE);
        let again = t.again();
        server.play(t, again, |_| None::<()>);
    }
    Ok(server)
}

fn shows_entity(t: &mut Trial) -> Outcome {
    with_drone(t)?;
    let is_shown = t.ask(About::Entity { kind: "drone", x: 360, y: 75 })?;
    ensure(is_shown, || "a drone was spawned at (1440, 300), and is not shown there".into())?;
    PASSED
}

fn shows_position(t: &mut Trial) -> Outcome {
    let mut server = with_drone(t)?;
    for _ in 0..5 {
        server.request(t, super::POSITION, &[50u64.to_be_bytes(), 960u64.to_be_bytes(), 800u64.to_be_bytes()].concat());
        server.play(t, Duration::from_millis(50), |_| None::<()>);
    }
    let is_shown = t.ask(About::Entity { kind: "drone", x: 240, y: 200 })?;
    ensure(is_shown, || "a drone was moved to (960, 800), and is not shown there".into())?;
    PASSED
}

fn shows_destruction(t: &mut Trial) -> Outcome {
    let mut server = with_drone(t)?;
    for _ in 0..3 {
        server.request(t, DESTROY, &50u64.to_be_bytes());
        let again = t.again();
        server.play(t, again, |_| None::<()>);
    }
    ensure(t.ask(About::NoEntity { kind: "drone" })?, || "a drone that was destroyed is still shown".into())?;
    PASSED
}

fn silence_ends_it(t: &mut Trial) -> Outcome {
    let server = TestServer::welcome(t)?;
    let more = t.patience();
    t.rest(Duration::from_secs(5) + more);
    t.forget(server.line);
    let plays = t.until(server.line, LISTENING, |_, bytes| (kind_of(bytes) == Some(MOVE)).then_some(()));
    ensure(plays.is_none(), || "long after the server fell silent the client still plays".into())?;
    PASSED
}

fn unit(t: &mut Trial) -> Outcome {
    let (mut oldest, mut newest) = (u64::MAX, 0);
    moves(t, |bytes| {
        let stamp = timestamp_of(bytes)?;
        (oldest, newest) = (stamp.min(oldest), stamp.max(newest));
        None
    })
    .map_err(Stop::in_the_way)?;
    match newest.saturating_sub(oldest) {
        100_000..=20_000_000 => reads(1, "microseconds"),
        100..=20_000 => reads(2, "milliseconds"),
        1..=10 => reads(3, "seconds"),
        0 => Err(Stop::Skipped("the client sent one MOVE only: somebody has to press keys meanwhile".into())),
        other => reads(4, format!("{other} in three seconds")),
    }
}

fn after_win(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    let is_confirmed = server.is_confirmed(t, GAME_STATE, &[2]) && server.is_confirmed(t, GAME_STATE, &[1]);
    ensure(is_confirmed, || "GAME_STATE is not confirmed".into()).map_err(Stop::in_the_way)?;
    let patience = t.patience();
    let asked = server.play(t, patience, |bytes| (kind_of(bytes) == Some(JOIN)).then_some(()));
    either(asked.is_some(), "it asks for the next map with JOIN", "it does not ask")
}

fn how_soon(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    server.silent_about = vec![MOVE];
    let sent = server.play(t, LISTENING * 2, |bytes| (kind_of(bytes) == Some(MOVE)).then(|| bytes.to_vec()));
    let sent = sent.ok_or_else(|| Stop::Skipped(PRESS_KEYS.into()))?;
    let begun = t.now();
    let again = server.play(t, LISTENING * 2, |bytes| (bytes == sent).then_some(()));
    again.ok_or_else(|| Stop::Blocked("MOVE is not sent again".into()))?;
    match t.now().since(begun).as_millis() {
        0..=99 => reads(2, "within 100 ms"),
        100..=600 => reads(1, "after 200 ms or so"),
        late => reads(3, format!("after {late} ms")),
    }
}
