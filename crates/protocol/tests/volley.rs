//! The halves of a `volley` session, message by message: what the rulings V1 to V9 promise.

use std::time::Duration;

use game::{Buttons, Frame, Input, Rules, Seat, Stage, World};
use protocol::{
    Channel, ClientSession, End, LinkSession, LobbyId, LobbyNotice, LobbyRequest, LobbySummary, Malformed, Output,
    Plan, Refusal, Scene, ServerSession, Status, Time, Token,
    volley::{
        Client, FRAMES_SILENCE_MAX, News, PING_EVERY, SAY_BURST, SILENCE_MAX, Server,
        wire::control::{FromClient, FromServer, VERSION, next_message},
    },
};

const START: Time = Time::from_micros(1_700_000_000_000_000);
const TICK: Duration = Duration::from_micros(16_667);

fn code() -> LobbyId {
    LobbyId::from_number(1_000)
}

fn seated(seat: Seat) -> LobbyNotice<'static> {
    LobbyNotice::Seated { code: code(), seat, token: Token([9; 16]) }
}

fn letter(message: FromClient) -> Vec<u8> {
    let mut bytes = Vec::new();
    message.write(&mut bytes);
    bytes
}

/// A server that was greeted, and has said what it had to say.
fn greeted() -> Server {
    let mut server = Server::new(START);
    let hello = letter(FromClient::Hello { version: VERSION, name: "Ann".into() });
    server.receive(START, Channel::Stream, &hello).expect("well formed");
    assert_eq!(server.lobby_request(), Some(LobbyRequest::Rename { name: "Ann".into() }));
    assert_eq!(said(&mut server), [FromServer::Welcome { version: VERSION }]);
    server
}

/// The messages that a server says over the stream.
fn said(server: &mut Server) -> Vec<FromServer> {
    let (mut messages, mut buffer) = (Vec::new(), Vec::new());
    while let Some(output) = server.poll(START, &mut buffer) {
        let mut rest = &buffer[..];
        while output == Output::Stream
            && let Ok(Some(message)) = next_message(rest, usize::MAX)
        {
            messages.push(FromServer::read(message).expect("the server speaks well"));
            rest = &rest[message.len() + 2..];
        }
    }
    messages
}

/// Two halves, a game, and a way between them on which nothing is lost.
struct Pair {
    now: Time,
    server: Server,
    client: Client,
    world: World,
    scene: Scene,
    frame: Frame,
    /// Datagrams of the server that are held back.
    held: Option<Vec<Vec<u8>>>,
}

impl Pair {
    fn new(client: Client) -> Pair {
        let mut world = World::new(Stage::endless(), Rules::default(), 1);
        world.join(Seat::ALL[0]);
        world.start();
        let (server, scene) = (Server::new(START), Scene::new("endless"));
        Pair { now: START, server, client, world, scene, frame: Frame::default(), held: None }
    }

    /// Messages there and back, without a tick.
    fn talk(&mut self) {
        let mut buffer = Vec::new();
        while let Some(output) = self.client.poll(self.now, &mut buffer) {
            let channel = if output == Output::Datagram { Channel::Datagram } else { Channel::Stream };
            self.server.receive(self.now, channel, &buffer).expect("the client speaks well");
        }
        while let Some(output) = self.server.poll(self.now, &mut buffer) {
            match (output, &mut self.held) {
                (Output::Datagram, Some(held)) => held.push(buffer.clone()),
                (Output::Datagram, None) => {
                    self.client.receive(self.now, Channel::Datagram, &buffer).expect("the server speaks well");
                }
                _ => self.client.receive(self.now, Channel::Stream, &buffer).expect("the server speaks well"),
            }
        }
    }

    fn tick(&mut self, input: Input) {
        self.now = self.now + TICK;
        self.client.advance(self.now);
        self.client.press(self.now, input);
        self.talk();
        self.server.advance(self.now);
        let input = self.server.input(self.now);
        self.world.tick(&[input, Input::IDLE, Input::IDLE, Input::IDLE]);
        self.world.frame_into(&mut self.scene.frame);
        self.server.publish(self.now, &self.scene);
        self.talk();
        self.client.take_frame(&mut self.frame);
    }

    /// In a lobby, with a seat, and a Frame seen.
    fn play() -> Pair {
        let mut pair = Pair::new(Client::without_lobby(START, "Ann"));
        pair.talk();
        pair.server.notify(pair.now, &seated(Seat::ALL[0]));
        pair.talk();
        pair.tick(Input::IDLE);
        pair.tick(Input::IDLE);
        assert_eq!(pair.client.status(), Status::Playing);
        pair
    }
}

#[test]
fn v1_nothing_is_heard_before_hello_and_a_wrong_length_ends_the_session() {
    let mut server = Server::new(START);
    let quick = letter(FromClient::Lobby(LobbyRequest::Quick));
    assert_eq!(server.receive(START, Channel::Stream, &quick), Err(Malformed::UnknownType));
    assert_eq!((server.lobby_request(), server.status()), (None, Status::Opening));
    let mut server = greeted();
    assert_eq!(server.receive(START, Channel::Stream, &[1, 0, 99]), Err(Malformed::UnknownType));
    assert_eq!(server.status(), Status::Opening, "a message that does not read is dropped");
    assert_eq!(server.receive(START, Channel::Stream, &[0, 1]), Err(Malformed::WrongSize));
    assert_eq!(server.status(), Status::Ended(End::Closed));
    assert_eq!(said(&mut server), [FromServer::Goodbye]);
}

#[test]
fn v1_a_stream_may_be_cut_anywhere() {
    let mut server = Server::new(START);
    let mut stream = letter(FromClient::Hello { version: VERSION, name: "Ann".into() });
    stream.extend(letter(FromClient::Lobby(LobbyRequest::Join { code: code() })));
    for byte in stream {
        server.receive(START, Channel::Stream, &[byte]).expect("well formed");
    }
    assert_eq!(server.lobby_request(), Some(LobbyRequest::Rename { name: "Ann".into() }));
    assert_eq!(server.lobby_request(), Some(LobbyRequest::Join { code: code() }));
    assert_eq!(server.lobby_request(), None);
}

#[test]
fn v2_a_late_frame_and_one_of_another_lobby_are_dropped() {
    let mut pair = Pair::play();
    pair.held = Some(Vec::new());
    for _ in 0..3 {
        pair.tick(Input::IDLE);
    }
    let late = pair.held.take().expect("held back");
    assert_eq!(late.len(), 3);
    let client = &mut pair.client;
    client.receive(pair.now, Channel::Datagram, &late[2]).expect("well formed");
    assert!(client.take_frame(&mut pair.frame));
    let newest = pair.frame.tick;
    for datagram in [&late[0], &late[2]] {
        client.receive(pair.now, Channel::Datagram, datagram).expect("well formed");
        assert!(!client.take_frame(&mut pair.frame), "the past is not shown");
    }
    assert_eq!(pair.frame.tick, newest);
    pair.server.notify(pair.now, &seated(Seat::ALL[1]));
    pair.talk();
    assert_eq!((pair.client.seat(), pair.client.status()), (Some(Seat::ALL[1]), Status::Opening));
    pair.client.receive(pair.now, Channel::Datagram, &late[1]).expect("well formed");
    assert!(!pair.client.take_frame(&mut pair.frame), "a Frame of the lobby before");
    pair.tick(Input::IDLE);
    assert_eq!(pair.client.status(), Status::Playing);
}

#[test]
fn v5_the_client_learns_which_input_a_frame_contains_and_how_many_wait() {
    let mut pair = Pair::play();
    let ship = |pair: &Pair| pair.frame.ship(Seat::ALL[0]).expect("it flies").position.x;
    let before = ship(&pair);
    for _ in 0..20 {
        let number = pair.client.next_input();
        pair.tick(Input::holding(Buttons::RIGHT));
        assert_eq!((pair.client.input_ack(), pair.client.inputs_waiting()), (number, 0));
    }
    assert!(ship(&pair) > before);
    assert!(pair.client.stats().round_trip < Duration::from_millis(20));
    let last = pair.client.input_ack();
    // The client is silent, and the server repeats what was held.
    for ticks in 1..=3 {
        pair.world.frame_into(&mut pair.scene.frame);
        let _ = pair.server.input(pair.now);
        pair.server.publish(pair.now, &pair.scene);
        pair.talk();
        assert_eq!((pair.client.input_ack(), pair.client.inputs_waiting()), (last, -ticks));
    }
}

#[test]
fn v5_a_client_that_sends_ten_inputs_a_tick_flies_no_faster() {
    let way = |presses: usize| {
        let mut pair = Pair::play();
        let place = |pair: &Pair| pair.frame.ship(Seat::ALL[0]).expect("it flies").position.x;
        let before = place(&pair);
        for _ in 0..30 {
            for _ in 1..presses {
                pair.client.press(pair.now, Input::holding(Buttons::RIGHT));
                pair.talk();
            }
            pair.tick(Input::holding(Buttons::RIGHT));
        }
        place(&pair) - before
    };
    assert!(way(1) > 0);
    assert_eq!(way(10), way(1));
}

#[test]
fn v6_silence_ends_a_session_on_both_sides() {
    let mut server = greeted();
    server.advance(START + SILENCE_MAX - TICK);
    assert_eq!(server.status(), Status::Opening);
    server.advance(START + SILENCE_MAX);
    assert_eq!(server.status(), Status::Ended(End::TimedOut));
    let mut pair = Pair::play();
    pair.client.advance(pair.now + FRAMES_SILENCE_MAX);
    assert_eq!(pair.client.status(), Status::Ended(End::TimedOut));
    pair.server.advance(pair.now + SILENCE_MAX);
    assert_eq!(pair.server.status(), Status::Ended(End::TimedOut));
}

#[test]
fn v6_a_client_without_a_lobby_keeps_the_link_alive() {
    let mut pair = Pair::new(Client::without_lobby(START, "Ann"));
    pair.talk();
    for _ in 0..60 {
        pair.now = pair.now + PING_EVERY / 2;
        pair.client.advance(pair.now);
        pair.talk();
        pair.server.advance(pair.now);
    }
    assert_eq!((pair.client.status(), pair.server.status()), (Status::Opening, Status::Opening));
}

#[test]
fn v7_a_broken_link_is_unreachable_and_a_goodbye_is_not() {
    let mut pair = Pair::play();
    pair.server.receive(pair.now, Channel::Stream, &[]).expect("the end");
    assert_eq!(pair.server.status(), Status::Ended(End::Unreachable));
    let mut pair = Pair::play();
    pair.client.leave(pair.now);
    pair.talk();
    assert_eq!(pair.client.status(), Status::Ended(End::Left));
    assert_eq!(pair.server.status(), Status::Ended(End::Left));
}

#[test]
fn v7_the_token_comes_with_the_seat_and_goes_back_with_the_wish() {
    let mut pair = Pair::new(Client::without_lobby(START, "Ann"));
    pair.talk();
    pair.server.notify(pair.now, &seated(Seat::ALL[2]));
    pair.talk();
    let news = pair.client.news();
    assert_eq!(news, Some(News::Seated { code: code(), seat: Seat::ALL[2], token: Token([9; 16]) }));
    let mut again = Pair::new(Client::without_lobby(START, "Ann"));
    again.client.ask(START, LobbyRequest::Rejoin { token: Token([9; 16]) });
    (0..2).for_each(|_| again.talk());
    assert_eq!(again.server.lobby_request(), Some(LobbyRequest::Rename { name: "Ann".into() }));
    assert_eq!(again.server.lobby_request(), Some(LobbyRequest::Rejoin { token: Token([9; 16]) }));
}

#[test]
fn v8_another_version_is_refused() {
    let mut server = Server::new(START);
    let hello = letter(FromClient::Hello { version: VERSION + 1, name: "Ann".into() });
    server.receive(START, Channel::Stream, &hello).expect("well formed");
    assert_eq!(server.status(), Status::Ended(End::Refused));
    let answer = [FromServer::Welcome { version: VERSION }, FromServer::Refused(Refusal::Version), FromServer::Goodbye];
    assert_eq!(said(&mut server), answer);
}

#[test]
fn v9_too_many_words_are_refused_and_the_muted_are_not_heard() {
    let mut server = greeted();
    let say = letter(FromClient::Lobby(LobbyRequest::Say { text: "hello".into() }));
    for _ in 0..SAY_BURST + 2 {
        server.receive(START, Channel::Stream, &say).expect("well formed");
    }
    assert_eq!(std::iter::from_fn(|| server.lobby_request()).count(), SAY_BURST as usize);
    assert_eq!(said(&mut server), [FromServer::Refused(Refusal::TooFast), FromServer::Refused(Refusal::TooFast)]);
    let mute = letter(FromClient::Lobby(LobbyRequest::Mute { seat: Seat::ALL[1], on: true }));
    server.receive(START, Channel::Stream, &mute).expect("well formed");
    assert_eq!(server.lobby_request(), None);
    let from = |seat| LobbyNotice::Said { seat: Some(seat), name: "Bob", text: "hm" };
    server.notify(START, &from(Seat::ALL[1]));
    assert_eq!(said(&mut server), []);
    server.notify(START, &from(Seat::ALL[2]));
    assert_eq!(said(&mut server).len(), 1);
}

#[test]
fn a_watcher_sees_the_game_and_has_no_seat() {
    let mut pair = Pair::new(Client::without_lobby(START, "Eve"));
    pair.talk();
    pair.server.notify(pair.now, &LobbyNotice::Watching { code: code() });
    pair.talk();
    for _ in 0..10 {
        pair.tick(Input::holding(Buttons::RIGHT));
    }
    assert_eq!((pair.client.seat(), pair.client.status()), (None, Status::Playing));
    assert_eq!(pair.frame.entities, pair.scene.frame.entities);
    assert_eq!(pair.server.input(pair.now), Input::IDLE);
    pair.server.notify(pair.now, &LobbyNotice::LeftLobby);
    pair.talk();
    assert_eq!(pair.client.status(), Status::Opening);
}

#[test]
fn news_come_in_order_and_terrain_comes_along() {
    let mut pair = Pair::new(Client::without_lobby(START, "Ann"));
    pair.talk();
    let line = LobbySummary {
        code: code(),
        stage: "endless".into(),
        state: game::GameState::Running,
        players: 3,
        rules: Rules::default(),
        host: None,
        members: Vec::new(),
    };
    pair.server.notify(pair.now, &LobbyNotice::Lobbies(std::slice::from_ref(&line)));
    let stage = Stage::built_in("stage1").expect("built in");
    pair.server.notify(pair.now, &LobbyNotice::Stage(&stage));
    pair.server.notify(pair.now, &LobbyNotice::Refused(Refusal::Full));
    pair.talk();
    let expected = [
        News::Lobbies(vec![line]),
        News::Stage { name: "stage1".into(), number: 1, terrain: stage.terrain.clone() },
        News::Refused(Refusal::Full),
    ];
    assert_eq!(std::iter::from_fn(|| pair.client.news()).collect::<Vec<_>>(), expected);
    assert_eq!(
        pair.client.status(),
        Status::Opening,
        "a client that came for no lobby in particular may ask for another"
    );
}

#[test]
fn a_client_that_is_not_to_start_only_says_that_it_is_ready() {
    for (starts_at_once, expected) in
        [(true, &[LobbyRequest::Ready(true), LobbyRequest::Start][..]), (false, &[LobbyRequest::Ready(true)])]
    {
        let plan = Plan { name: "Ann".into(), starts_at_once, ..Plan::at(START) };
        let mut pair = Pair::new(Client::new(plan));
        (0..2).for_each(|_| pair.talk());
        let _first = std::iter::from_fn(|| pair.server.lobby_request()).count();
        pair.server.notify(pair.now, &LobbyNotice::Seated { code: code(), seat: Seat::ALL[1], token: Token([7; 16]) });
        (0..2).for_each(|_| pair.talk());
        let asked: Vec<LobbyRequest> = std::iter::from_fn(|| pair.server.lobby_request()).collect();
        assert_eq!(asked, expected);
    }
}

#[test]
fn a_client_that_came_for_one_lobby_leaves_when_it_cannot_have_it() {
    let plan = |lobby: Option<&str>| Plan { name: "Ann".into(), lobby: lobby.map(Into::into), ..Plan::at(START) };
    let mut pair = Pair::new(Client::new(plan(Some("ABCDEF"))));
    (0..2).for_each(|_| pair.talk());
    let wishes: Vec<LobbyRequest> = std::iter::from_fn(|| pair.server.lobby_request()).collect();
    assert_eq!(wishes[1..], [LobbyRequest::Join { code: LobbyId::new("ABCDEF").expect("a code") }]);
    pair.server.notify(pair.now, &LobbyNotice::Refused(Refusal::NoLobby));
    pair.talk();
    assert_eq!(pair.client.status(), Status::Ended(End::NoLobby));
    assert_eq!(Client::new(plan(Some("too long a code"))).status(), Status::Ended(End::Refused));
}
