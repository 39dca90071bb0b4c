//! Section 2.1: the initialisation.

use std::time::Duration;

use protocol::{
    InitialisationFault,
    typeuh::{component::ComponentName, wire::Initialisation},
};

use super::super::test_client::{LEFT, TestClient, hello};
use crate::conform::{
    case::{Case, Outcome, PASSED, Stop, either, ensure, failed, must, reading, should},
    full_server::{Entry, fill},
    trial::Trial,
};

pub const CASES: &[Case] = &[
    must(
        [
            "2.1-1",
            "a new address is answered",
            "T1",
            "When the client connects to the server, the server will send to the client the names of all components",
            "UDP does not connect: the first datagram of an address is the connection. By ruling T1 it may be empty.",
        ],
        answers,
    ),
    must(
        [
            "2.1-2",
            "the initialisation comes before anything else",
            "T2",
            "some initialisation process is required to make sure the client knows about all components used by the server",
            "Without the names no client can know how long an update is.",
        ],
        comes_first,
    ),
    must(
        [
            "2.1-3",
            "the count is that of the names",
            "T2",
            "the server informs the client of the number of used components on 2 bytes",
            "Count the names that you send. The client reads count × length bytes, and then expects the end.",
        ],
        count,
    ),
    must(
        [
            "2.1-4",
            "names have only letters, digits, `-`, `_` and `.`",
            "T2",
            "Meaning they all match the regular expression `[a-zA-Z0-9\\-_.]+`",
            "A blank or a colon is not allowed; nor is an empty name.",
        ],
        characters,
    ),
    must(
        [
            "2.1-5",
            "names are padded with zeros at their end",
            "T2",
            "zero-padded to fit the maximum length of a component's name",
            "Every name takes as many bytes as you announced; what is left over is zero.",
        ],
        padding,
    ),
    must(
        [
            "2.1-6",
            "the initialisation ends with 0xffff",
            "T2",
            "The bytes `0xffff`: the indicator sequence of the end of the initialisation process.",
            "It is how a client sees that all of it came.",
        ],
        end,
    ),
    reading(
        [
            "2.1-7",
            "an empty datagram asks for the initialisation again",
            "T1",
            "this process … make sure the client knows about all components used by the server",
            "The first one may have been lost, and the document has no acknowledgement: the client can only ask again.",
        ],
        again,
    ),
    should(
        [
            "2.1-8",
            "many empty datagrams get few answers",
            "T1 C5",
            "When the client connects to the server",
            "An empty datagram costs its sender nothing, and your answer has over a hundred bytes. Answer at most four times a second.",
        ],
        amplification,
    ),
    should(
        [
            "2.1-9",
            "the initialisation stays the same",
            "T2",
            "The order the names are sent in matters: their position (starting from 0) will be used as the `component_id`",
            "A client may hear it twice, and both must mean the same: keep the names in an array, not in a hash table.",
        ],
        same_again,
    ),
    should(
        [
            "2.1-10",
            "`Position`, `Kind` and `Own` are among the components",
            "T4",
            "the names of all components that may be used during the game",
            "The document leaves components to the game. Clients that know these three can show one.",
        ],
        known_names,
    ),
    reading(
        [
            "2.1-11",
            "a key event opens a session too",
            "T1",
            "When establishing connection between the client and the server",
            "Nothing in the document says what a client sends first. Take any datagram.",
        ],
        any_datagram,
    ),
    reading(
        [
            "2.1-12",
            "a full server is silent",
            "T1",
            "When the client connects to the server",
            "The dialect has no word for it. Say nothing rather than something that looks like a seat.",
        ],
        full,
    )
    .alone(),
];

/// The first datagram for a new address.
fn first(t: &mut Trial) -> Result<Vec<u8>, Stop> {
    let line = t.open()?;
    hello(t, line).map_err(Stop::in_the_way)
}

fn answers(t: &mut Trial) -> Outcome {
    let line = t.open()?;
    hello(t, line)?;
    PASSED
}

fn comes_first(t: &mut Trial) -> Outcome {
    let bytes = first(t)?;
    // An initialisation that is wrong is told of by other cases.
    let is_instruction = Initialisation::read(&bytes).is_err() && bytes.len() < 20;
    ensure(!is_instruction, || format!("the first datagram, of {} bytes, is no initialisation", bytes.len()))?;
    PASSED
}

/// Fails if the initialisation has this fault, and is in the way if it has another.
fn has_not(t: &mut Trial, fault: InitialisationFault, why: &str) -> Outcome {
    let bytes = first(t)?;
    if Initialisation::read(&bytes).is_ok() {
        return PASSED;
    }
    match Initialisation::diagnose(&bytes) {
        found if found == fault => failed(why),
        other => Err(Stop::Blocked(format!("the initialisation has another fault: {other:?}"))),
    }
}

fn count(t: &mut Trial) -> Outcome {
    has_not(t, InitialisationFault::Count, "count × length does not lead to the end of the datagram")
}

fn characters(t: &mut Trial) -> Outcome {
    has_not(t, InitialisationFault::Characters, "a name has characters that are not allowed")
}

fn padding(t: &mut Trial) -> Outcome {
    has_not(t, InitialisationFault::Padding, "a name is empty, or has a zero before its end")
}

fn end(t: &mut Trial) -> Outcome {
    has_not(t, InitialisationFault::EndMark, "it does not end with 0xffff")
}

/// The initialisation that answers an empty datagram in the middle of a session.
fn ask_again(t: &mut Trial, client: &mut TestClient) -> Option<Vec<u8>> {
    (0..4).find_map(|_| {
        client.wait(t, Duration::from_millis(300));
        t.send(client.line, &[]);
        let again = t.again();
        client.look(t, again, |_, said| Initialisation::read(&said.bytes).is_ok().then(|| said.bytes.clone()))
    })
}

fn again(t: &mut Trial) -> Outcome {
    let mut client = TestClient::enter(t)?;
    let is_answered = ask_again(t, &mut client).is_some();
    either(is_answered, "it brings the initialisation again", "it brings no second initialisation")
}

fn amplification(t: &mut Trial) -> Outcome {
    let mut client = TestClient::enter(t)?;
    client.wait(t, Duration::from_millis(300));
    for _ in 0..20 {
        t.send(client.line, &[]);
    }
    let mut count = 0;
    client.look(t, Duration::from_millis(500), |_, said| {
        count += usize::from(Initialisation::read(&said.bytes).is_ok());
        None::<()>
    });
    ensure(count <= 4, || format!("20 empty datagrams brought {count} initialisations within half a second"))?;
    PASSED
}

fn same_again(t: &mut Trial) -> Outcome {
    let mut client = TestClient::enter(t)?;
    let second = ask_again(t, &mut client).ok_or_else(|| Stop::Blocked("no second initialisation comes".into()))?;
    ensure(second == client.initialisation, || "the second initialisation is another one".into())?;
    PASSED
}

fn known_names(t: &mut Trial) -> Outcome {
    let bytes = first(t)?;
    let names: Vec<&str> = Initialisation::read(&bytes).map(|read| read.names().collect()).unwrap_or_default();
    ensure(!names.is_empty(), || "there is no initialisation".into()).map_err(Stop::in_the_way)?;
    for wanted in [ComponentName::Position, ComponentName::Kind, ComponentName::Own] {
        ensure(names.contains(&wanted.as_str()), || format!("{} is not among {names:?}", wanted.as_str()))?;
    }
    PASSED
}

fn any_datagram(t: &mut Trial) -> Outcome {
    let line = t.open()?;
    let came = (0..4).any(|_| {
        t.send(line, &[LEFT + 1]);
        let again = t.again();
        t.next(line, again).is_some()
    });
    either(came, "any datagram opens a session", "a key event of a new address opens none")
}

fn full(t: &mut Trial) -> Outcome {
    let is_silent = fill(t, |t, _| {
        let line = t.open()?;
        if hello(t, line).is_err() {
            return Ok(Entry::Refused(true));
        }
        // A player is shown the game; somebody who is only greeted has no seat.
        let (patience, mut came) = (t.patience(), 0);
        let shown = t.until(line, patience, |_, _| {
            came += 1;
            (came >= 2).then_some(())
        });
        if shown.is_none() {
            return Ok(Entry::Refused(false));
        }
        // A second sign of life, at least 100 ms after the first: until then the seat may be given to somebody else (C14).
        t.rest(Duration::from_millis(200));
        t.send(line, &[LEFT + 1]);
        Ok(Entry::Seated)
    })?;
    either(is_silent, "it says nothing", "it answers, and then says no more")
}
