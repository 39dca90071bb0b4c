//! The rulings of `rfc2020` that the desk decides, as a foreign client would see them over TCP: in bytes.

use protocol::{Desk, DeskAnswer, DeskQuestion, Malformed, Output, StreamUse};
use protocol::{
    LobbyId,
    rfc2020::{ENTRY, wire::FromClient},
};

mod rfc2020_by_hand;
use rfc2020_by_hand::{START, after_s, bytes_of, create};

fn desk() -> Box<dyn Desk> {
    let StreamUse::Desk(open) = ENTRY.stream else { panic!("it has a desk") };
    open(START)
}

fn polled(desk: &mut dyn Desk) -> Vec<(Output, Vec<u8>)> {
    let mut buffer = Vec::new();
    std::iter::from_fn(|| desk.poll(&mut buffer).map(|output| (output, buffer.clone()))).collect()
}

#[test]
fn r5_create_is_answered_with_port_and_id_and_then_tcp_is_closed() {
    let mut desk = desk();
    let id = LobbyId::new("KXWQ29").unwrap();
    // Cut anywhere.
    for byte in bytes_of(0x0102, create("endless")) {
        assert_eq!(desk.question(), None);
        assert_eq!(desk.receive(START, &[byte]), Ok(()));
    }
    assert_eq!(desk.question(), Some(DeskQuestion::Create { stage: "endless".into() }));
    assert_eq!(desk.question(), None);
    desk.answer(START, DeskAnswer::Lobby { port: 24_500, id });
    let answer = [&[0x41, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 1, 2, 0x5f, 0xb4][..], b"KXWQ29"].concat();
    assert_eq!(polled(&mut *desk), [(Output::Stream, answer), (Output::CloseStream, Vec::new())]);
}

#[test]
fn r5_what_is_unknown_answers_port_0_and_tcp_stays_open_for_30_s() {
    let mut desk = desk();
    let unknown = LobbyId::new("ZZZZZZ").unwrap();
    // Several in one segment.
    let both = [bytes_of(5, FromClient::AskJoin { lobby_id: unknown }), bytes_of(6, create("nowhere"))].concat();
    assert_eq!(desk.receive(START, &both), Ok(()));
    assert_eq!(desk.question(), Some(DeskQuestion::Find(unknown)));
    assert_eq!(desk.question(), None, "one answer before the next question");
    desk.answer(after_s(1), DeskAnswer::Nothing);
    assert_eq!(desk.question(), Some(DeskQuestion::Create { stage: "nowhere".into() }));
    desk.answer(after_s(2), DeskAnswer::Nothing);
    let refused = [0x40, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0].to_vec();
    let not_made = [&[0x41, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 6][..], &[0; 8]].concat();
    assert_eq!(polled(&mut *desk), [(Output::Stream, refused), (Output::Stream, not_made)]);
    desk.advance(after_s(31));
    assert_eq!(polled(&mut *desk), []);
    desk.advance(after_s(32));
    assert_eq!(polled(&mut *desk), [(Output::CloseStream, Vec::new())]);
    assert_eq!(polled(&mut *desk), []);
}

#[test]
fn r5_names_that_cannot_be_are_unknown_ones_and_leave_tcp_open() {
    let request = |method: u8, body: &[u8]| {
        [&[method][..], &(body.len() as u64).to_be_bytes(), &7u64.to_be_bytes(), body].concat()
    };
    let lobbies = [&[0; 6], &[0xff; 6], b"      "].map(|id| request(0, id));
    let maps = [&[b'm'; 1024][..], &[0xff], b"a\nb"].map(|map| request(1, map));
    for question in lobbies.iter().chain(&maps) {
        let mut desk = desk();
        assert_eq!(desk.receive(START, question), Ok(()), "{question:02x?}");
        assert_eq!(desk.question(), Some(DeskQuestion::Impossible));
        desk.answer(START, DeskAnswer::Nothing);
        let polled = polled(&mut *desk);
        assert_eq!(polled.len(), 1, "it stays open");
        assert!(polled[0].1[17..].iter().all(|&byte| byte == 0), "port 0, and no id");
    }
    let mut from_c = desk();
    assert_eq!(from_c.receive(START, &request(1, b"stage1\0")), Ok(()));
    assert_eq!(from_c.question(), Some(DeskQuestion::Create { stage: "stage1".into() }));
}

#[test]
fn r5_a_connection_that_only_begins_to_ask_is_closed_after_30_s() {
    let mut desk = desk();
    for second in 0..30 {
        assert_eq!(desk.receive(after_s(second), if second == 0 { &[1] } else { &[0; 0] }), Ok(()));
        desk.advance(after_s(second));
        assert_eq!(polled(&mut *desk), []);
    }
    desk.advance(after_s(30));
    assert_eq!(polled(&mut *desk), [(Output::CloseStream, Vec::new())]);
}

#[test]
fn r4_a_body_above_1024_bytes_closes_tcp_at_its_header_after_what_came_before_is_answered() {
    let mut desk = desk();
    let too_large = [&[0x01][..], &1025u64.to_be_bytes()].concat();
    let stream = [bytes_of(1, create("nowhere")), too_large].concat();
    assert_eq!(desk.receive(START, &stream), Err(Malformed::WrongSize));
    desk.advance(START);
    assert_eq!(desk.question(), Some(DeskQuestion::Create { stage: "nowhere".into() }));
    desk.answer(START, DeskAnswer::Nothing);
    desk.advance(START);
    let polled = polled(&mut *desk);
    assert_eq!(polled.iter().map(|(output, _)| *output).collect::<Vec<_>>(), [Output::Stream, Output::CloseStream]);
}

#[test]
fn a_desk_takes_only_what_belongs_on_tcp_and_not_without_end() {
    let mut out_of_place = desk();
    assert_eq!(out_of_place.receive(START, &bytes_of(1, FromClient::Join)), Err(Malformed::UnknownType));
    let mut flooded = desk();
    let flood: Vec<u8> = (0..100).flat_map(|stamp| bytes_of(stamp, create("x"))).collect();
    assert_eq!(flooded.receive(START, &flood), Err(Malformed::WrongSize));
    assert_eq!(flooded.receive(START, &flood), Ok(()), "nothing more is read");
}
