//! A lobby of the real node, over real sockets: its host, the bots of the node, and those that `volley bots` sends.

mod node;

use std::{
    io::ErrorKind,
    net::TcpStream,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use game::{Input, Rules, Skill};
use protocol::{
    Channel, ClientSession, Dialect, End, LobbyRequest, Output, Refusal, Status, Time,
    volley::{self, News},
};
use serde_json::Value;
use tungstenite::{Message, WebSocket};

use self::node::{LOOPBACK, Node, PATIENCE, json};

/// A player of `volley` over a WebSocket, who chooses what to ask for.
struct Guest {
    client: volley::Client,
    socket: WebSocket<TcpStream>,
    news: Vec<News>,
    /// Whether the node has closed the WebSocket.
    is_closed: bool,
}

impl Guest {
    fn connect(node: &Node, name: &str) -> Guest {
        let port = node.ports["http"];
        let stream = TcpStream::connect((LOOPBACK, port)).expect("the node listens");
        let (socket, _) = tungstenite::client(format!("ws://{LOOPBACK}:{port}/volley"), stream).expect("a WebSocket");
        socket.get_ref().set_nonblocking(true).expect("it can be");
        Guest { client: volley::Client::without_lobby(now(), name), socket, news: Vec::new(), is_closed: false }
    }

    fn ask(&mut self, request: LobbyRequest) {
        self.client.ask(now(), request);
    }

    /// Plays on until something holds.
    fn until(&mut self, what: &str, mut holds: impl FnMut(&Guest) -> bool) {
        let began = Instant::now();
        while !holds(self) {
            assert!(began.elapsed() < PATIENCE, "timed out waiting for {what}: {:?}", self.news);
            self.turn();
            thread::sleep(Duration::from_millis(8));
        }
    }

    fn turn(&mut self) {
        loop {
            match self.socket.read() {
                Ok(Message::Binary(bytes)) if !bytes.is_empty() => {
                    let channel = if bytes[0] == 0 { Channel::Datagram } else { Channel::Stream };
                    self.client.receive(now(), channel, &bytes[1..]).expect("the node speaks well");
                }
                Ok(other) => self.is_closed |= matches!(other, Message::Close(_)),
                Err(tungstenite::Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => break,
                Err(_) => break,
            }
        }
        self.client.advance(now());
        self.client.press(now(), Input::IDLE);
        let mut buffer = Vec::new();
        while let Some(output) = self.client.poll(now(), &mut buffer) {
            let first = if output == Output::Datagram { 0 } else { 1 };
            let message = [&[first], buffer.as_slice()].concat();
            if matches!(output, Output::Datagram | Output::Stream) {
                let _ = self.socket.send(Message::Binary(message.into()));
            }
        }
        self.news.extend(std::iter::from_fn(|| self.client.news()));
    }

    fn code(&self) -> Option<String> {
        self.news.iter().find_map(|news| match news {
            News::Seated { code, .. } => Some(code.to_string()),
            _ => None,
        })
    }

    fn was_refused(&self, why: Refusal) -> bool {
        self.news.contains(&News::Refused(why))
    }
}

fn now() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is later");
    Time::from_micros(since.as_micros() as u64)
}

/// `volley bots` as a process of its own, which ends with the test.
struct Sent(Child);

impl Drop for Sent {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn send_bot(node: &Node, dialect: Dialect, lobby: &str) -> Sent {
    send_bots(node, &["--count", "1", "--skill", "easy", "--lobby", lobby, "--dialect", dialect.name()])
}

/// `volley bots` with these arguments, and where the doors of this node are.
fn send_bots(node: &Node, arguments: &[&str]) -> Sent {
    let mut command = Command::new(env!("CARGO_BIN_EXE_volley"));
    command.arg("bots").args(arguments);
    for dialect in Dialect::with_ports() {
        command.args([format!("--{}", dialect.name()), node.ports[dialect.name()].to_string()]);
    }
    command.args(["--volley".to_owned(), node.ports["http"].to_string()]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Sent(command.spawn().expect("volley runs"))
}

/// The only lobby, as the API shows it, if this many are in it.
fn lobby_of(node: &Node, players: usize) -> Option<Value> {
    let lobby = json(node, "/api/lobbies")[0].clone();
    (lobby["players"].as_array().map(Vec::len) == Some(players)).then_some(lobby)
}

#[test]
fn a_host_fills_a_lobby_with_bots_of_every_kind_and_starts_it() {
    let node = Node::start(&[]);
    let mut ann = Guest::connect(&node, "Ann");
    ann.ask(LobbyRequest::Create { stage: "stage1".into(), rules: Rules::default(), is_private: false });
    ann.until("a lobby", |ann| ann.code().is_some());
    let code = ann.code().expect("a code");
    let _sent = [Dialect::Volley, Dialect::Rfc2020].map(|dialect| send_bot(&node, dialect, &code));
    ann.until("two guests", |_| lobby_of(&node, 3).is_some());
    ann.ask(LobbyRequest::AddBot(Skill::Good));
    ann.until("a bot of the node", |_| lobby_of(&node, 4).is_some());
    let lobby = lobby_of(&node, 4).expect("four");
    assert_eq!((&lobby["state"], &lobby["host"]), (&"waiting".into(), &0.into()), "guests do not start it: {lobby}");
    let players = lobby["players"].as_array().expect("players");
    let mut kinds: Vec<(&str, Option<&str>)> =
        players.iter().map(|player| (player["dialect"].as_str().unwrap_or_default(), player["bot"].as_str())).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, [("bot", Some("good")), ("rfc2020", None), ("volley", None), ("volley", None)]);
    ann.ask(LobbyRequest::AddBot(Skill::Easy));
    ann.until("a refusal", |ann| ann.was_refused(Refusal::NoBot));
    ann.ask(LobbyRequest::Start);
    ann.until("the game", |_| lobby_of(&node, 4).is_some_and(|lobby| lobby["state"] == "running"));
}

#[test]
fn bots_that_are_sent_with_a_code_alone_fill_the_free_seats() {
    let node = Node::start(&[]);
    let mut ann = Guest::connect(&node, "Ann");
    ann.ask(LobbyRequest::Create { stage: "stage1".into(), rules: Rules::default(), is_private: false });
    ann.until("a lobby", |ann| ann.code().is_some());
    let code = ann.code().expect("a code");
    let _sent = send_bots(&node, &["--lobby", &code]);
    ann.until("a full lobby", |_| lobby_of(&node, 4).is_some());
}

#[test]
fn somebody_who_joins_a_lobby_full_of_bots_takes_the_seat_of_one_and_may_be_kicked() {
    let node = Node::start(&[]);
    let mut ann = Guest::connect(&node, "Ann");
    ann.ask(LobbyRequest::Create { stage: "endless".into(), rules: Rules::default(), is_private: false });
    ann.until("a lobby", |ann| ann.code().is_some());
    (0..3).for_each(|_| ann.ask(LobbyRequest::AddBot(Skill::Normal)));
    ann.until("three bots", |_| lobby_of(&node, 4).is_some());
    let code = protocol::LobbyId::new(&ann.code().expect("a code")).expect("a code");
    let mut bob = Guest::connect(&node, "Bob");
    bob.ask(LobbyRequest::Join { code });
    bob.until("a seat", |bob| bob.code().is_some());
    let bots = |lobby: &Value| {
        lobby["players"].as_array().map(|all| all.iter().filter(|one| one["bot"] != Value::Null).count())
    };
    bob.until("a bot to go", |_| lobby_of(&node, 4).as_ref().and_then(bots) == Some(2));
    let seat = bob.client.seat().expect("a seat");
    bob.ask(LobbyRequest::Kick { seat });
    bob.until("a refusal", |bob| bob.was_refused(Refusal::NotHost));
    ann.ask(LobbyRequest::Kick { seat });
    ann.until("Bob to be gone", |_| lobby_of(&node, 3).is_some());
    bob.until("the last word", |bob| bob.client.status() == Status::Ended(End::Closed));
    bob.until("the end of the link", |bob| bob.is_closed);
    assert_eq!(bob.client.status(), Status::Ended(End::Closed), "the end of the link is no other end");
    let mut again = Guest::connect(&node, "Bob");
    again.ask(LobbyRequest::Join { code });
    again.until("a refusal", |bob| bob.was_refused(Refusal::Kicked));
}
