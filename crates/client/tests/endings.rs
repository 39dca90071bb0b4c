//! The ends of a connection: each has its own message and its own behaviour, and only a lost network is tried again.
//! The pictures are left in `target/tmp/endings`, to be looked at.

mod golden_text;
mod kept_picture;

use std::{collections::BTreeMap, time::Duration};

use client::{
    Client, Options, Task,
    draw::{Colour, Picture},
};
use game::ShipModel;
use golden_text::TextSheet;
use protocol::{
    Channel, Dialect, LobbyId, LobbyRequest, Refusal, Time, Token, rfc2020, rfc53952, snapshot,
    volley::wire::control::{FromClient, FromServer as VolleyMessage, VERSION},
};

const TICK: Duration = Duration::from_micros(16_667);

/// A client that has just connected, and the tasks that it asked for.
struct Player {
    client: Client,
    now: Time,
    tasks: Vec<Task>,
    /// What went down the stream.
    said: Vec<u8>,
    /// The last datagram that it sent.
    sent: Vec<u8>,
}

impl Player {
    fn connect(dialect: Dialect, lobby: Option<&str>, settings: &str) -> Player {
        let options =
            Options { quick: true, lobby: lobby.map(Into::into), settings: settings.into(), ..Options::new(dialect) };
        Player::start(options)
    }

    fn start(options: Options) -> Player {
        let now = Time::from_micros(1_700_000_000_000_000);
        let mut player =
            Player { client: Client::new(now, options), now, tasks: Vec::new(), said: Vec::new(), sent: Vec::new() };
        player.run_ms(50);
        assert_eq!(player.tasks[0], Task::Connect);
        player
    }

    /// Lets time pass. A socket can always be opened, whether or not anybody answers.
    fn run_ms(&mut self, ms: u64) {
        let end = self.now + Duration::from_millis(ms);
        let mut buffer = Vec::new();
        while self.now < end {
            self.now = self.now + TICK;
            self.client.advance(self.now);
            while let Some(task) = self.client.poll(self.now, &mut buffer) {
                self.tasks.push(task);
                if task == Task::Stream {
                    self.said.extend_from_slice(&buffer);
                }
                if task == Task::Datagram {
                    self.sent.clone_from(&buffer);
                }
                if task == Task::Connect {
                    self.client.connected(self.now);
                }
            }
        }
    }

    fn hear(&mut self, channel: Channel, bytes: &[u8]) {
        self.client.receive(self.now, channel, bytes);
        self.run_ms(50);
    }

    fn hear_volley(&mut self, messages: &[VolleyMessage]) {
        let mut bytes = Vec::new();
        messages.iter().for_each(|message| message.write(&mut bytes));
        self.hear(Channel::Stream, &bytes);
    }

    fn hear_snapshot(&mut self, message: snapshot::wire::FromServer) {
        let mut bytes = Vec::new();
        message.write(snapshot::wire::Header { packet_id: 0, timestamp: 0 }, &mut bytes);
        self.hear(Channel::Datagram, &bytes);
    }

    /// Answers the JOIN that it sent last with an ENTITY_ID above 3.
    fn refuse_join(&mut self) {
        let join = rfc2020::wire::Message::<rfc2020::wire::FromClient>::read(&self.sent).expect("a JOIN");
        let map_name = rfc2020::wire::MapName::default();
        let entity_id = rfc2020::wire::REFUSED;
        let body = rfc2020::wire::FromServer::Join { entity_id, x_coordinate: 0, y_coordinate: 0, map_name };
        let mut bytes = Vec::new();
        rfc2020::wire::Message { creation_timestamp: join.creation_timestamp, body }.write(&mut bytes);
        self.hear(Channel::Datagram, &bytes);
    }

    fn attempts(&self) -> usize {
        self.tasks.iter().filter(|task| **task == Task::Connect).count()
    }

    fn picture(&mut self) -> Picture {
        let mut picture = Picture::new();
        self.client.draw(self.now, &mut picture);
        picture
    }
}

fn seated() -> [VolleyMessage; 2] {
    let code = LobbyId::new("VOLLEY").expect("a code");
    let (seat, token) = (game::Seat::ALL[0], Token([7; 16]));
    [VolleyMessage::Welcome { version: VERSION }, VolleyMessage::Seated { code, seat, token, from: 0 }]
}

fn rfc2020_answer(body: rfc2020::wire::FromServer) -> Vec<u8> {
    let mut bytes = Vec::new();
    rfc2020::wire::Message { creation_timestamp: 1, body }.write(&mut bytes);
    bytes
}

/// Every way in which a server can end a connection, by what the player is told.
fn ended_by_the_server(settings: &str) -> Vec<(&'static str, &'static str, Player)> {
    let connect = |dialect, lobby| Player::connect(dialect, lobby, settings);
    let mut ended = Vec::new();

    let mut player = connect(Dialect::Volley, None);
    player.hear(Channel::Stream, &[]);
    ended.push(("refused", "volley", player));

    let mut player = connect(Dialect::Snapshot, None);
    player.hear_snapshot(snapshot::wire::FromServer::PlayerIdAssignment { player_id: 255 });
    ended.push(("full", "snapshot", player));
    let mut player = connect(Dialect::Aecs, None);
    player.hear(Channel::Stream, &[]);
    ended.push(("full", "aecs", player));
    let mut player = connect(Dialect::Rfc2020, None);
    player.hear(Channel::Stream, &rfc2020_answer(rfc2020::wire::FromServer::Create { lobby_port: 0, lobby_id: None }));
    ended.push(("full", "rfc2020", player));
    let mut player = connect(Dialect::Rfc53952, None);
    let mut refusal = Vec::new();
    let data = rfc53952::wire::FromServer::HiClient { accepted: false };
    rfc53952::wire::Packet { timestamp: 1, data }.write(&mut refusal);
    player.hear(Channel::Datagram, &refusal);
    ended.push(("full", "rfc53952", player));

    let mut player = connect(Dialect::Snapshot, None);
    player.hear_snapshot(snapshot::wire::FromServer::PlayerIdAssignment { player_id: 0 });
    let loss = snapshot::wire::Loss { entity_id: 1, player_id: 0, username: "Ann" };
    player.hear_snapshot(snapshot::wire::FromServer::Timeout(loss));
    ended.push(("timed_out", "snapshot", player));

    let mut player = connect(Dialect::Volley, None);
    player.hear_volley(&seated());
    player.hear_volley(&[VolleyMessage::Goodbye]);
    ended.push(("kicked", "volley", player));

    let mut player = connect(Dialect::Volley, None);
    player.hear_volley(&seated());
    player.hear_volley(&[VolleyMessage::LeftLobby, VolleyMessage::Goodbye]);
    ended.push(("lobby_closed", "volley", player));
    let mut player = connect(Dialect::Rfc2020, Some("KXWQ29"));
    player.hear(Channel::Stream, &rfc2020_answer(rfc2020::wire::FromServer::AskJoin { lobby_port: 0 }));
    ended.push(("no_lobby", "rfc2020", player));
    let mut player = connect(Dialect::Rfc2020, Some("KXWQ29"));
    player.hear(Channel::Stream, &rfc2020_answer(rfc2020::wire::FromServer::AskJoin { lobby_port: 24_500 }));
    player.refuse_join();
    ended.push(("lobby_full", "rfc2020", player));
    let options =
        Options { create: Some("my map".into()), settings: settings.into(), ..Options::new(Dialect::Rfc2020) };
    let mut player = Player::start(options);
    player.hear(Channel::Stream, &rfc2020_answer(rfc2020::wire::FromServer::Create { lobby_port: 0, lobby_id: None }));
    ended.push(("no_stage", "rfc2020", player));

    let mut player = connect(Dialect::Volley, None);
    let messages = [VolleyMessage::Welcome { version: 9 }, VolleyMessage::Refused(Refusal::Version)];
    player.hear_volley(&messages);
    ended.push(("version_differs", "volley", player));
    ended
}

/// Messages across the picture of a game whose server is not heard.
fn banners(settings: &str) -> Vec<Player> {
    let in_game = || {
        let mut player = Player::connect(Dialect::Volley, None, settings);
        player.hear_volley(&seated());
        player
    };
    let mut restarting = in_game();
    restarting.hear_volley(&[VolleyMessage::Restarting]);
    let mut with_seat = in_game();
    with_seat.client.disconnected(with_seat.now);
    let mut without_seat = in_game();
    without_seat.client.disconnected(without_seat.now);
    without_seat.run_ms(61_000);
    let mut unanswered = Player::connect(Dialect::Snapshot, None, settings);
    unanswered.run_ms(60_000);
    vec![restarting, with_seat, without_seat, unanswered]
}

/// The rows of the title in which the message stands.
const MESSAGE_ROWS: std::ops::Range<i32> = 82..106;
/// The rows of a banner, between its lines.
const BANNER_ROWS: std::ops::Range<i32> = 105..151;

#[test]
fn every_message_about_the_end_of_a_connection_reads_as_it_did() {
    for language in ["english", "french"] {
        let settings = format!("language = {language}\n");
        let mut sheet = TextSheet::default();
        let mut ends: BTreeMap<&str, Player> = BTreeMap::new();
        ended_by_the_server(&settings).into_iter().for_each(|(end, _, player)| _ = ends.entry(end).or_insert(player));
        ends.values_mut().for_each(|player| sheet.add(&player.picture(), MESSAGE_ROWS));
        banners(&settings).iter_mut().for_each(|player| sheet.add(&player.picture(), BANNER_ROWS));
        sheet.compare(&format!("messages_{language}"));
    }
}

fn message(picture: &Picture) -> Vec<Option<Colour>> {
    MESSAGE_ROWS.flat_map(|y| (0..Picture::WIDTH).map(move |x| picture.at(x, y))).collect()
}

fn keep(name: &str, picture: &mut Picture) {
    kept_picture::keep("endings", name, picture);
}

#[test]
fn a_connection_that_the_server_ended_leads_to_the_title_which_says_why_and_is_not_tried_again() {
    for language in ["english", "french"] {
        let mut messages: BTreeMap<&str, Vec<Option<Colour>>> = BTreeMap::new();
        for (end, dialect, mut player) in ended_by_the_server(&format!("language = {language}\n")) {
            assert!(player.client.shown().is_none(), "{end} in {dialect}: the game is over");
            player.run_ms(20_000);
            assert_eq!(player.attempts(), 1, "{end} in {dialect}: it tries again");
            let mut picture = player.picture();
            keep(&format!("{end}-{dialect}-{language}"), &mut picture);
            let line = message(&picture);
            let is_red = line.contains(&Some(Colour::RED));
            assert!(is_red, "{end} in {dialect}: there is no message after 20 s");
            assert_eq!(messages.entry(end).or_insert_with(|| line.clone()), &line, "{end} in {dialect}");
        }
        let different: std::collections::BTreeSet<Vec<u8>> = messages
            .values()
            .map(|line| line.iter().map(|colour| colour.map_or(0, Colour::number)).collect())
            .collect();
        assert_eq!((messages.len(), different.len()), (9, 9), "{language}: nine ends have nine messages");
    }
}

#[test]
fn a_connection_that_the_network_lost_is_tried_again_and_the_player_sees_the_last_picture() {
    for dialect in Dialect::ALL {
        let mut player = Player::connect(dialect, None, "");
        player.run_ms(100_000);
        assert!(player.attempts() > 2, "{}: {} attempts", dialect.name(), player.attempts());
        keep(&format!("no_answer-{}", dialect.name()), &mut player.picture());
    }
}

#[test]
fn a_server_that_falls_silent_is_noticed_long_before_its_session_is_given_up() {
    // The frame of the message goes across the picture.
    let is_told = |player: &mut Player| {
        let picture = player.picture();
        (0..Picture::HEIGHT).any(|y| (0..Picture::WIDTH).all(|x| picture.at(x, y) == Some(Colour::RED.darker())))
    };
    let mut player = Player::connect(Dialect::Snapshot, None, "");
    player.hear_snapshot(snapshot::wire::FromServer::PlayerIdAssignment { player_id: 0 });
    player.run_ms(2_000);
    assert!(!is_told(&mut player));
    player.run_ms(2_000);
    assert!(is_told(&mut player), "nothing came for four seconds");
    keep("silent", &mut player.picture());
    assert_eq!(player.attempts(), 1);
    player.hear_snapshot(snapshot::wire::FromServer::PlayerIdAssignment { player_id: 0 });
    assert!(!is_told(&mut player), "it is there again");
}

#[test]
fn a_server_that_restarts_says_so_and_the_player_comes_back_without_a_key() {
    for language in ["english", "french"] {
        let mut player = Player::connect(Dialect::Volley, None, &format!("language = {language}\n"));
        player.hear_volley(&seated());
        player.hear_volley(&[VolleyMessage::Restarting]);
        assert!(player.client.shown().is_some(), "the last picture stays");
        let mut told = player.picture();
        keep(&format!("restarting-{language}"), &mut told);
        let is_line = |y: i32| (0..Picture::WIDTH).all(|x| told.at(x, y) == Some(Colour::RED.darker()));
        assert!(is_line(104) && is_line(151), "{language}: it is told across the picture");
        player.run_ms(1_000);
        assert!(player.attempts() > 1, "{language}: it tries again by itself");
        player.said.clear();
        player.hear_volley(&[VolleyMessage::Welcome { version: VERSION }]);
        let mut rejoin = Vec::new();
        for request in [LobbyRequest::Rejoin { token: Token([7; 16]) }, LobbyRequest::Ship(ShipModel::Arrow)] {
            FromClient::Lobby(request).write(&mut rejoin);
        }
        assert_eq!(player.said, rejoin, "{language}: it asks for its seat, which the server may have saved");
        player.said.clear();
        player.hear_volley(&[VolleyMessage::Refused(Refusal::TooLate)]);
        let code = LobbyId::new("VOLLEY").expect("a code");
        let mut join = Vec::new();
        FromClient::Lobby(LobbyRequest::Join { code }).write(&mut join);
        assert_eq!(player.said, join, "{language}: failing that, for the same lobby");
    }
}

#[test]
fn a_kept_seat_is_promised_only_where_it_is_true() {
    for language in ["english", "french"] {
        let mut player = Player::connect(Dialect::Volley, None, &format!("language = {language}\n"));
        player.hear_volley(&seated());
        player.client.disconnected(player.now);
        let mut promised = player.picture();
        keep(&format!("lost_with_seat-{language}"), &mut promised);
        player.run_ms(61_000);
        let mut later = player.picture();
        keep(&format!("lost-{language}"), &mut later);
        let line = |picture: &Picture| -> Vec<Option<Colour>> {
            (134..150).flat_map(|y| (0..Picture::WIDTH).map(move |x| (x, y))).map(|(x, y)| picture.at(x, y)).collect()
        };
        let pale = |line: Vec<Option<Colour>>| line.iter().filter(|colour| **colour == Some(Colour::PALE)).count();
        let (with, without) = (pale(line(&promised)), pale(line(&later)));
        assert!(with > without + 100 && without > 50, "{language}: {with} and {without} pixels of text");
    }
}

#[test]
fn a_goodbye_is_repeated_until_it_is_answered_or_two_seconds_have_passed() {
    let mut player = Player::connect(Dialect::Rfc53952, None, "");
    let mut accepted = Vec::new();
    let data = rfc53952::wire::FromServer::HiClient { accepted: true };
    rfc53952::wire::Packet { timestamp: 1, data }.write(&mut accepted);
    player.hear(Channel::Datagram, &accepted);
    player.tasks.clear();
    player.client.quit(player.now);
    player.run_ms(1_900);
    let datagrams = player.tasks.iter().filter(|task| **task == Task::Datagram).count();
    assert!(datagrams >= 3, "AdiosServer is repeated: {datagrams}");
    assert!(!player.tasks.contains(&Task::Disconnect), "nothing is cut before the answer");
    player.run_ms(200);
    assert_eq!(player.tasks.last(), Some(&Task::Disconnect));
}

#[test]
fn an_answered_goodbye_cuts_the_connection_at_once() {
    let mut player = Player::connect(Dialect::Rfc53952, None, "");
    let mut bytes = Vec::new();
    let data = rfc53952::wire::FromServer::HiClient { accepted: true };
    rfc53952::wire::Packet { timestamp: 1, data }.write(&mut bytes);
    player.hear(Channel::Datagram, &bytes);
    player.client.quit(player.now);
    let packet_timestamp = player.now.seconds();
    player.run_ms(50);
    assert!(!player.tasks.contains(&Task::Disconnect));
    let packet_type = rfc53952::wire::PacketType::AdiosServer;
    let data = rfc53952::wire::FromServer::PacketValidation { packet_type, packet_timestamp };
    bytes.clear();
    rfc53952::wire::Packet { timestamp: 1, data }.write(&mut bytes);
    player.hear(Channel::Datagram, &bytes);
    assert_eq!(player.tasks.last(), Some(&Task::Disconnect));
}
