//! Section 3: lobbies over TCP.

use super::super::{
    ASK_JOIN, CREATE, RESPONSE, body_of, kind_of, raw,
    test_client::{MAP, TestClient, ask, ask_for_lobby, ask_join, create, lobby_in, port_in},
};
use crate::conform::{
    case::{Case, Outcome, PASSED, Stop, either, ensure, failed, must, reading, should},
    full_server::{Entry, fill},
    trial::Trial,
    trial_network::Line,
};

pub const CASES: &[Case] = &[
    must(
        [
            "3.1-1",
            "ASK_JOIN finds a lobby that was made",
            "R5",
            "Must Asks the serer to join the lobby.",
            "Friends join with the six letters. Look them up, and answer with the same port.",
        ],
        found,
    ),
    must(
        [
            "3.1-2",
            "ASK_JOIN of an unknown lobby is answered with port 0",
            "R5",
            "If LOBBY_PORT isn't equal to 0, the server must disconnect the client",
            "0 says no. An answer that never comes leaves a client waiting.",
        ],
        unknown,
    ),
    must(
        [
            "3.1-3",
            "TCP is closed after ASK_JOIN was answered with a port",
            "",
            "If LOBBY_PORT isn't equal to 0, the server must disconnect the client from the TCP socket.",
            "The client has all it needs; close your end.",
        ],
        closed_after_ask,
    ),
    reading(
        [
            "3.1-4",
            "after port 0 the client may try again",
            "R5",
            "If LOBBY_PORT isn't equal to 0, the server must disconnect the client from the TCP socket.",
            "If it is 0, the connection stays: a mistyped letter is no reason to start again.",
        ],
        second_try,
    ),
    reading(
        [
            "3.1-5",
            "the letters of a lobby may be small",
            "R5",
            "LOBBY_ID: ID of the lobby (6 ascii characters)",
            "People type them. Compare them without regard to case.",
        ],
        small_letters,
    ),
    must(
        [
            "3.2-1",
            "CREATE makes a lobby",
            "",
            "the server has created a lobby and must disconnect the client from the TCP socket",
            "Answer with its UDP port and its six letters.",
        ],
        created,
    ),
    must(
        [
            "3.2-2",
            "LOBBY_ID is six printable characters",
            "R5",
            "LOBBY_ID: ID of the lobby (6 ascii characters)",
            "People read them to each other. Letters and digits only.",
        ],
        printable,
    ),
    must(
        [
            "3.2-3",
            "TCP is closed after CREATE was answered with a port",
            "",
            "the server has created a lobby and must disconnect the client from the TCP socket",
            "The client has all it needs; close your end.",
        ],
        closed_after_create,
    ),
    reading(
        [
            "3.2-4",
            "CREATE of an unknown map gives port 0 and no id",
            "R5",
            "Must contain the name of the map to create",
            "Port 0 and six zero bytes: an id would name a lobby that is not there.",
        ],
        unknown_map,
    ),
    should(
        [
            "3.2-6",
            "CREATE on a full server is answered with port 0",
            "R5",
            "If LOBBY_PORT isn't equal to 0, the server has created a lobby",
            "0 says no. With any other port the client asks to join a lobby that is not there.",
        ],
        full,
    )
    .alone(),
    must(
        [
            "3.2-5",
            "a message may come in pieces",
            "R4",
            "For all type of connections, the data sent must respect the following binary format",
            "TCP is a stream: a read may end anywhere. Collect bytes until the message is whole.",
        ],
        pieces,
    ),
    must(
        [
            "3-1",
            "a BODY_SIZE beyond all bounds closes TCP",
            "R4",
            "BODY_SIZE: must represent the size of the BODY",
            "Never allocate by a number that a stranger sent. Above 1,024 it is no message of this dialect.",
        ],
        bounded,
    ),
];

fn found(t: &mut Trial) -> Outcome {
    let lobby = create(t).map_err(Stop::in_the_way)?;
    let port = ask_join(t, lobby.id)?;
    ensure(port == lobby.port, || format!("CREATE gave port {}, ASK_JOIN gives {port}", lobby.port))?;
    PASSED
}

fn unknown(t: &mut Trial) -> Outcome {
    let port = ask_join(t, *b"ZZZZZ9")?;
    ensure(port == 0, || format!("an unknown lobby has port {port}"))?;
    PASSED
}

/// Expects that a stream ends.
fn ends(t: &mut Trial, stream: Line) -> Outcome {
    let patience = t.patience();
    let end = t.until(stream, patience, |_, piece| piece.is_empty().then_some(()));
    ensure(end.is_some(), || "TCP stays open".into())?;
    PASSED
}

fn closed_after_ask(t: &mut Trial) -> Outcome {
    let lobby = create(t).map_err(Stop::in_the_way)?;
    let stream = t.connect()?;
    let answer = ask(t, stream, &raw(ASK_JOIN, t.now().micros(), &lobby.id)).map_err(Stop::in_the_way)?;
    if port_in(&answer).map_err(Stop::in_the_way)? == 0 {
        return Err(Stop::Blocked("the lobby is not found".into()));
    }
    ends(t, stream)
}

fn second_try(t: &mut Trial) -> Outcome {
    let stream = t.connect()?;
    let question = raw(ASK_JOIN, t.now().micros(), b"ZZZZZ9");
    ask(t, stream, &question).map_err(Stop::in_the_way)?;
    let is_answered = ask(t, stream, &question).is_ok();
    either(is_answered, "TCP stays open for another try", "the client has to connect again")
}

fn small_letters(t: &mut Trial) -> Outcome {
    let lobby = create(t).map_err(Stop::in_the_way)?;
    let small = lobby.id.map(|letter| letter.to_ascii_lowercase());
    let port = ask_join(t, small).map_err(Stop::in_the_way)?;
    either(port != 0, "letters are compared without regard to case", "small letters are others")
}

fn created(t: &mut Trial) -> Outcome {
    create(t)?;
    PASSED
}

fn printable(t: &mut Trial) -> Outcome {
    let lobby = create(t).map_err(Stop::in_the_way)?;
    ensure(lobby.id.iter().all(u8::is_ascii_graphic), || format!("LOBBY_ID is {:?}", lobby.id))?;
    PASSED
}

/// Asks for a lobby with a map; the stream and the answer.
fn create_with(t: &mut Trial, map: &str) -> Result<(Line, Vec<u8>), Stop> {
    let stream = t.connect()?;
    let answer = ask(t, stream, &raw(CREATE, t.now().micros(), map.as_bytes())).map_err(Stop::in_the_way)?;
    Ok((stream, answer))
}

fn closed_after_create(t: &mut Trial) -> Outcome {
    let (stream, answer) = create_with(t, MAP)?;
    match lobby_in(&answer) {
        Some(lobby) if lobby.port != 0 => ends(t, stream),
        _ => Err(Stop::Blocked("no lobby was made".into())),
    }
}

fn unknown_map(t: &mut Trial) -> Outcome {
    let (_, answer) = create_with(t, "no-such-map-anywhere")?;
    match lobby_in(&answer) {
        Some(lobby) => {
            let is_none = lobby.port == 0 && lobby.id == [0; 6];
            ensure(lobby.port == 0, || format!("LOBBY_PORT is {}", lobby.port))?;
            either(is_none, "LOBBY_ID is six zero bytes", "LOBBY_ID has letters")
        }
        None => failed(format!("the body of the answer has {} bytes", body_of(&answer).len())),
    }
}

fn full(t: &mut Trial) -> Outcome {
    fill(t, |t, made| {
        let asked = ask_for_lobby(t);
        let lobby = if made > 0 { asked? } else { asked.map_err(Stop::in_the_way)? };
        if lobby.port == 0 {
            return Ok(Entry::Refused(()));
        }
        // A lobby that nobody plays in may make room for another.
        match TestClient::take_seat(t, lobby) {
            Ok(_) => Ok(Entry::Seated),
            Err(_) if made > 0 => {
                failed(format!("CREATE was answered with port {}, and nobody gets in there", lobby.port))
            }
            Err(why) => Err(why),
        }
    })?;
    PASSED
}

fn pieces(t: &mut Trial) -> Outcome {
    let stream = t.connect()?;
    let message = raw(ASK_JOIN, t.now().micros(), b"ZZZZZ9");
    let (last, first) = message.split_last().unwrap_or((&0, &[]));
    for piece in first.chunks(5) {
        t.send(stream, piece);
        t.rest(std::time::Duration::from_millis(30));
    }
    let answer = ask(t, stream, &[*last])?;
    ensure(kind_of(&answer) == Some(RESPONSE | ASK_JOIN), || "the answer is another message".into())?;
    PASSED
}

fn bounded(t: &mut Trial) -> Outcome {
    let stream = t.connect()?;
    let mut message = raw(CREATE, t.now().micros(), b"endless");
    message[1..9].copy_from_slice(&u64::MAX.to_be_bytes());
    t.send(stream, &message);
    ends(t, stream)
}
