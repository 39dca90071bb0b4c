//! Sections 2 and 5.1 to 5.4: joining, leaving, signs of life.

use std::time::Duration;

use protocol::rfc53952::wire::HEADER_SIZE;

use super::super::{
    raw, read_validation,
    test_client::{TestClient, hello},
    timestamp_of, type_of, validation,
};
use crate::conform::{
    case::{Case, Outcome, PASSED, Stop, ensure, failed, must, reading, reads, should},
    full_server::{Entry, fill},
    trial::Trial,
};

/// Silence after which a server ends a session.
const SILENCE: Duration = Duration::from_secs(4);

pub const CASES: &[Case] = &[
    must(
        [
            "2-1",
            "HiServer is answered by HiClient",
            "F5",
            "The server will send a positive or negative response with “HiClient” packet.",
            "Every client begins with HiServer and can do nothing before HiClient. Answer each HiServer, whoever sends it.",
        ],
        hi_client_answers,
    ),
    must(
        [
            "2-2",
            "nothing is answered before HiServer",
            "C5",
            "If it is not received or invalid, the server will not take the client into account and will not be able to process any further requests from the client.",
            "Only a HiServer makes an address known. Look the sender up first, and drop what comes from anybody else.",
        ],
        strangers_are_ignored,
    ),
    must(
        [
            "2-3",
            "more than 4 s of silence end the session",
            "F8",
            "If the server does not receive any packets from the client for more than 4 seconds, the server will consider that the connection has been lost and close it.",
            "Keep the time of the last packet of each client, and compare it in your loop. Without it, seats of crashed clients are never free again.",
        ],
        silence_ends_it,
    ),
    must(
        [
            "2-4",
            "less than 4 s of silence end nothing",
            "F8",
            "If the server does not receive any packets from the client for more than 4 seconds, the server will consider that the connection has been lost and close it.",
            "A network that stutters for two seconds is no reason to throw a player out: the limit is 4 s, not less.",
        ],
        short_silence_is_borne,
    ),
    should(
        [
            "2-5",
            "the server pings each second",
            "F8",
            "Good practice would be to send at least one \"Ping\" packet from the client to the server and vice versa every second.",
            "The client ends after 4 s without a packet. In a quiet game your Ping is the only packet there is.",
        ],
        server_pings,
    ),
    must(
        [
            "2-6",
            "players see each other",
            "C1",
            "allowing the server to create a client entity and transmit the client's actions to other connected clients.",
            "A new client needs a CreateEntity for every entity that exists already, and the others need one for its ship.",
        ],
        players_meet,
    )
    .alone(),
    must(
        [
            "5.1-1",
            "a repeated HiServer is answered again",
            "F5",
            "The client send an 'HiServer' packet to establish a connection with the server and wait for a packet 'HiClient' in response.",
            "If your HiClient was lost, the client can only ask again. A server that ignores the second HiServer of an address locks it out.",
        ],
        second_hello,
    ),
    must(
        [
            "5.1-2",
            "a HiServer with data is dropped",
            "F1",
            "In case of an error, for example an invalid packet, nothing should be returned.",
            "HiServer has no data. Check Datasize against the packet's definition before you use it.",
        ],
        hello_with_data,
    ),
    reading(
        [
            "5.2-1",
            "what a positive HiClient holds",
            "F5",
            "The server will send a positive or negative response with “HiClient” packet.",
            "The document gives the response no field. By ruling F5 no data accepts, and one byte 0 refuses.",
        ],
        acceptance,
    ),
    should(
        [
            "5.2-2",
            "a full server refuses with one byte 0",
            "F5",
            "The server will send a positive or negative response with “HiClient” packet.",
            "A client that hears nothing cannot tell a full server from one that is off. Answer, and say no.",
        ],
        refusal,
    )
    .alone(),
    must(
        [
            "5.2-3",
            "HiClient is sent again until it is validated",
            "F4",
            "Every packets needs validation.",
            "Keep what you sent until its PacketValidation comes; if none came for a while, the packet was lost: send the same bytes again.",
        ],
        hi_client_is_repeated,
    ),
    should(
        [
            "5.2-4",
            "before HiClient is validated little is sent",
            "C5",
            "This first packet is very important.",
            "Anybody can forge the sender of a datagram. A server that answers 15 bytes with a whole game becomes a weapon; stay below three times what came.",
        ],
        amplification,
    ),
    must(
        [
            "5.3-1",
            "after AdiosServer nothing more is sent",
            "",
            "it first informs the server by sending an 'AdiosServer' packet to prevent the server from continuing to send it any packets.",
            "Remove the client at once. Its port may belong to another program a moment later.",
        ],
        goodbye,
    ),
    must(
        [
            "5.3-2",
            "the ship of a player who left goes",
            "",
            "the server must send a 'DestroyEntity' packet to associated clients.",
            "Whoever leaves takes the ship along: tell the others with DestroyEntity, or it hangs there forever.",
        ],
        ship_of_leaver_goes,
    )
    .alone(),
    must(
        [
            "5.3-3",
            "AdiosServer is validated, also the second time",
            "F4",
            "Every packets needs validation.",
            "The validation of AdiosServer can be lost like any other. Answer a repeat although the session is over.",
        ],
        goodbye_again,
    ),
    must(
        [
            "5.4-1",
            "a Ping is validated",
            "F4",
            "By sending this packet every second, the client informs the server that the connection between them is alive",
            "The validation of its Ping is what tells a client that you are still there. It costs 24 bytes.",
        ],
        ping,
    ),
];

fn hi_client_answers(t: &mut Trial) -> Outcome {
    let line = t.open()?;
    t.say_at_the_end(line, &raw(3, t.now().seconds(), &[]));
    hello(t, line)?;
    PASSED
}

fn strangers_are_ignored(t: &mut Trial) -> Outcome {
    let line = t.open()?;
    let now = t.now().seconds();
    for packet in [raw(4, now, &[]), raw(9, now, b"\x01left"), raw(3, now, &[])] {
        t.send(line, &packet);
    }
    let quiet = t.quiet();
    match t.next(line, quiet).filter(|answer| read_validation(answer) != Some((3, now))) {
        None => PASSED,
        Some(_) => failed("the server answered somebody who never sent HiServer"),
    }
}

fn silence_ends_it(t: &mut Trial) -> Outcome {
    let client = TestClient::join(t)?;
    let more = t.patience();
    t.rest(SILENCE + more);
    t.forget(client.line);
    let second = Duration::from_secs(1);
    match t.next(client.line, second) {
        None => PASSED,
        Some(_) => failed(format!(
            "{} s after the last packet of the client the server still sends",
            (SILENCE + more).as_secs()
        )),
    }
}

fn short_silence_is_borne(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    t.rest(Duration::from_millis(2_500));
    client.expect_life(t)?;
    PASSED
}

fn server_pings(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let mut pings = 0;
    client.look(t, Duration::from_millis(4_500), |_, bytes| {
        pings += usize::from(type_of(bytes) == Some(4));
        None::<()>
    });
    ensure(pings >= 3, || format!("{pings} Pings came in 4.5 s"))?;
    PASSED
}

fn players_meet(t: &mut Trial) -> Outcome {
    let mut first = TestClient::join(t)?;
    let mut second = TestClient::join(t)?;
    let (one, other) = (first.own, second.own);
    let knows = |client: &mut TestClient, t: &mut Trial, ship: Option<u32>| {
        let patience = t.patience();
        let has = |client: &TestClient| ship.is_some_and(|ship| client.created.contains_key(&ship));
        has(client) || client.look(t, patience, |client, _| has(client).then_some(())).is_some()
    };
    ensure(knows(&mut first, t, other), || "the first player is not told of the ship of the second".into())?;
    ensure(knows(&mut second, t, one), || "the second player is not told of the ship of the first".into())?;
    PASSED
}

fn second_hello(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let bytes = raw(1, t.now().seconds(), &[]);
    let answer = client.ask(t, &bytes, |_, bytes| (type_of(bytes) == Some(2)).then_some(()));
    ensure(answer.is_some(), || "no HiClient answers the second HiServer".into())?;
    PASSED
}

fn hello_with_data(t: &mut Trial) -> Outcome {
    let line = t.open()?;
    let now = t.now().seconds();
    t.say_at_the_end(line, &raw(3, now, &[]));
    t.send(line, &raw(1, now, &[1, 2, 3, 4]));
    let quiet = t.quiet();
    ensure(t.next(line, quiet).is_none(), || "a HiServer with four bytes of data was answered".into())?;
    PASSED
}

fn acceptance(t: &mut Trial) -> Outcome {
    let line = t.open()?;
    t.say_at_the_end(line, &raw(3, t.now().seconds(), &[]));
    let hi_client = hello(t, line).map_err(Stop::in_the_way)?;
    match hi_client.get(HEADER_SIZE..).unwrap_or_default() {
        [] => reads(1, "no data accepts"),
        [1] => reads(2, "one byte 1 accepts"),
        [0] => Err(Stop::Skipped("the server refused: it is full".into())),
        other => reads(3, format!("{} bytes of data accept", other.len())),
    }
}

fn refusal(t: &mut Trial) -> Outcome {
    let told = fill(t, |t, _| {
        let line = t.open()?;
        let Ok(hi_client) = hello(t, line) else { return Ok(Entry::Refused(None)) };
        let data = hi_client.get(HEADER_SIZE..).unwrap_or_default();
        if !matches!(data, [] | [1]) {
            return Ok(Entry::Refused(Some(data.to_vec())));
        }
        let (now, about) = (t.now().seconds(), timestamp_of(&hi_client).unwrap_or(0));
        t.send(line, &raw(10, now, &validation(2, about)));
        t.say_at_the_end(line, &raw(3, now, &[]));
        Ok(Entry::Seated)
    })?;
    match told.as_deref() {
        Some([0]) => PASSED,
        Some(_) => failed("the refusal is not one byte 0"),
        None => failed("a HiServer that comes too late is not answered at all"),
    }
}

fn hi_client_is_repeated(t: &mut Trial) -> Outcome {
    let line = t.open()?;
    t.say_at_the_end(line, &raw(3, t.now().seconds(), &[]));
    let first = hello(t, line).map_err(Stop::in_the_way)?;
    // A Ping now and then: a server that keeps to three times what it got may not answer more otherwise (C5).
    let again = (0..8).find_map(|_| {
        t.send(line, &raw(4, t.now().seconds(), &[]));
        let again = t.again();
        t.until(line, again, |_, bytes| (bytes == first).then_some(()))
    });
    ensure(again.is_some(), || "HiClient was not validated, and yet was not sent again with the same bytes".into())?;
    PASSED
}

fn amplification(t: &mut Trial) -> Outcome {
    let line = t.open()?;
    let bytes = raw(1, t.now().seconds(), &[]);
    t.say_at_the_end(line, &raw(3, t.now().seconds(), &[]));
    t.send(line, &bytes);
    let came: usize = t.all(line, Duration::from_secs(2)).iter().map(Vec::len).sum();
    ensure(came <= bytes.len() * 3, || format!("{came} bytes came for {} that were sent", bytes.len()))?;
    PASSED
}

fn goodbye(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let bytes = raw(3, t.now().seconds(), &[]);
    client.is_validated(t, &bytes);
    let quiet = t.quiet();
    t.rest(quiet);
    t.forget(client.line);
    match t.next(client.line, Duration::from_secs(1)) {
        None => PASSED,
        Some(_) => failed("a moment after AdiosServer the server still sends"),
    }
}

fn ship_of_leaver_goes(t: &mut Trial) -> Outcome {
    let mut leaves = TestClient::join(t)?;
    let mut stays = TestClient::join(t)?;
    let patience = t.patience();
    let ship = leaves.own.unwrap_or_default();
    stays
        .look(t, patience, |stays, _| stays.created.contains_key(&ship).then_some(()))
        .ok_or_else(|| Stop::Blocked("the second player is not told of the first".into()))?;
    let bytes = raw(3, t.now().seconds(), &[]);
    leaves.is_validated(t, &bytes);
    let gone = stays.look(t, patience, |_, bytes| {
        (type_of(bytes) == Some(6) && bytes.get(HEADER_SIZE..) == Some(&ship.to_le_bytes())).then_some(())
    });
    ensure(gone.is_some(), || format!("no DestroyEntity of entity {ship} came, whose player has left"))?;
    PASSED
}

fn goodbye_again(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let bytes = raw(3, t.now().seconds(), &[]);
    ensure(client.is_validated(t, &bytes), || "AdiosServer is not validated".into())?;
    t.forget(client.line);
    ensure(client.is_validated(t, &bytes), || "the repeated AdiosServer is not validated".into())?;
    PASSED
}

fn ping(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let bytes = raw(4, t.now().seconds(), &[]);
    ensure(client.is_validated(t, &bytes), || "a Ping is not validated".into())?;
    PASSED
}
