//! The bytes of `volley`: golden vectors, each cut at every length and lengthened by every byte.

use game::{Frame, Input, Tick};
use proptest::prelude::*;
use protocol::{
    Malformed,
    volley::{
        baselines::Baselines,
        wire::control::{FROM_CLIENT_MAX_BYTES, FROM_SERVER_MAX_BYTES, FromClient, FromServer, next_message},
        wire::events::EventSender,
        wire::report::{Acknowledged, Report},
        wire::snapshot::{Shown, Snapshot, Writing, peek},
    },
};

mod page;
mod vectors;
use vectors::Reading;

#[test]
fn golden_vectors() {
    vectors::check(
        "volley",
        &[
            ("client stream", client_stream),
            ("client datagram", client_datagram),
            ("server stream", server_stream),
            ("server datagram", server_datagram),
        ],
    );
}

/// The only message of these bytes.
fn single(bytes: &[u8], bytes_max: usize) -> Result<&[u8], Malformed> {
    let message = next_message(bytes, bytes_max)?.ok_or(Malformed::Short)?;
    if bytes.len() == message.len() + 2 { Ok(message) } else { Err(Malformed::Trailing) }
}

fn client_stream(bytes: &[u8]) -> Result<Reading, Malformed> {
    FromClient::read(single(bytes, FROM_CLIENT_MAX_BYTES)?).map(|message| Reading::new(message, FromClient::write))
}

fn server_stream(bytes: &[u8]) -> Result<Reading, Malformed> {
    FromServer::read(single(bytes, FROM_SERVER_MAX_BYTES)?).map(|message| Reading::new(message, FromServer::write))
}

fn client_datagram(bytes: &[u8]) -> Result<Reading, Malformed> {
    Report::read(bytes).map(|report| Reading::new(report, Report::write))
}

/// A Frame that differs from nothing.
fn server_datagram(bytes: &[u8]) -> Result<Reading, Malformed> {
    if peek(bytes)?.1 != 0 {
        return Err(Malformed::BadValue);
    }
    Snapshot::read(bytes, &Shown::default()).map(|snapshot| Reading::new(snapshot, write_snapshot))
}

fn write_snapshot(snapshot: &Snapshot, out: &mut Vec<u8>) {
    let mut telling = EventSender::default();
    for dated in snapshot.events.iter().flat_map(|(_, events)| events) {
        telling.happen(&Frame { tick: dated.tick, events: vec![dated.event], ..Frame::default() });
    }
    let Snapshot { number, shown: Shown { view, inputs }, .. } = snapshot;
    let writing = Writing { number: *number, base: None, target: view, inputs: *inputs, copies: 1 };
    let mut bytes = Vec::new();
    let told = writing.write(&mut Baselines::default(), &mut telling, &mut bytes);
    assert_eq!(told, snapshot.shown, "a small Frame has room");
    out.append(&mut bytes);
}

#[test]
fn the_session_on_the_page_is_well_formed() {
    let session = page::session(include_str!("../../../docs/protocols/volley.md"));
    assert!(session.len() > 10);
    for (who, bytes) in &session {
        let reads = match *who {
            "client" => client_stream(bytes).is_ok() || client_datagram(bytes).is_ok(),
            _ => server_stream(bytes).is_ok() || peek(bytes).is_ok(),
        };
        assert!(reads, "{who} {bytes:x?}");
    }
}

#[test]
fn v1_a_message_longer_than_it_may_be_is_refused_before_it_comes() {
    assert_eq!(next_message(&[0, 1], FROM_CLIENT_MAX_BYTES), Err(Malformed::WrongSize));
    assert_eq!(next_message(&[0, 0, 9], FROM_CLIENT_MAX_BYTES), Err(Malformed::WrongSize));
    assert_eq!(next_message(&[255], FROM_CLIENT_MAX_BYTES), Ok(None));
    assert_eq!(next_message(&[2, 0, 9], FROM_CLIENT_MAX_BYTES), Ok(None));
}

proptest! {
    #[test]
    fn any_report_comes_back(
        frames in proptest::option::of((any::<u16>(), any::<u32>())),
        next_event: u16,
        newest_input: u16,
        inputs in proptest::collection::vec((0_u8..128, 0_u8..128), 0..=31),
    ) {
        let button = game::Buttons::from_bits;
        let report = Report {
            frames: frames.map(|(newest, earlier)| Acknowledged { newest, earlier }),
            next_event,
            newest_input,
            inputs: inputs.iter().map(|(held, pressed)| Input { held: button(*held), pressed: button(*pressed) }).collect(),
        };
        let mut bytes = Vec::new();
        report.write(&mut bytes);
        prop_assert_eq!(Report::read(&bytes), Ok(report));
        prop_assert!(bytes.len() <= 80);
    }

    #[test]
    fn noise_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = (client_stream(&bytes), client_datagram(&bytes), server_stream(&bytes));
        let base = Shown::default();
        let _ = Snapshot::read(&bytes, &base).map(|snapshot| snapshot.shown.view.head.tick == Tick(0));
    }
}
