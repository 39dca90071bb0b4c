//! Every route against `openapi.json`, with live answers from a real node behind it.

mod connection_flood;
mod exposition_reader;
mod openapi;

use std::{collections::BTreeSet, net::SocketAddr, time::Duration};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::ConnectInfo,
    http::{Method, Request, StatusCode, header},
};
use game::{Counts, Mode, Rank, Rules, Seat, ShipModel};
use protocol::{Channel, ClientSession, Dialect, GameId, LobbyRequest, Output, PlayerKind, RecordingKey, Time, Token};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::*;
use crate::{
    core::{BANS_MAX, Core, Effect, Outcome, PeerKey, Range, Record, RecordedPlayer, Settings, ShardId, StreamId},
    edge::LinkRules,
    order_sender::{OrderSender, ShardWaker},
    recordings::{NamesAndChat, RecordingContent, RecordingOptions, RecordingPiece, Recordings},
};

const TOKEN: &str = "0123456789abcdef";
/// Far more than anything takes.
const PATIENCE: Duration = Duration::from_secs(30);

/// A node of one shard with one player, whose core runs on a thread of the test.
struct TestNode {
    overview: SharedOverview,
    router: Router,
    shutdown: Shutdown,
}

/// The answer to a request.
struct Answer {
    status: StatusCode,
    /// Its content type.
    kind: String,
    text: String,
}

impl TestNode {
    fn new() -> TestNode {
        let archive = Archive::in_memory().expect("an archive");
        archive.offer(record());
        archive.offer(Record { lobby: "SLOWER".into(), score: 900, is_assisted: true, ..record() });
        assert!(archive.flush(PATIENCE));
        TestNode::with(archive, Vec::new())
    }

    fn with(archive: Archive, bans: Vec<Range>) -> TestNode {
        TestNode::start(archive, bans, |_, _| {})
    }

    /// A node in which something has happened before it is asked.
    fn start(archive: Archive, bans: Vec<Range>, prepare: fn(&mut Core, Time)) -> TestNode {
        let awake: ShardWaker = Arc::new(|| {});
        let overview = SharedOverview::new(std::slice::from_ref(&awake));
        let (order_sender, mut orders) = OrderSender::new(&[awake]);
        let shutdown = Shutdown::default();
        let admin = Admin::new(Some(TOKEN.into()), order_sender, bans, None);
        let (admission, arrivals) = Admission::new(Dialect::Volley, LinkRules::default(), &[Arc::new(|| {})]);
        let edge = Edge { admission, certificate: Default::default(), quic_port: Some(4240) };
        let parts = Parts {
            overview: overview.clone(),
            archive,
            admin,
            saves: Saves::default(),
            recordings: recordings(),
            shutdown: shutdown.clone(),
            edge,
            stages: vec![Stage::endless()],
            assets: assets(),
            limit_loopback: false,
            connections_max: CONNECTIONS_MAX,
            bytes_per_address: crate::limits::Limits::default().bytes_per_address,
        };
        let state = HttpState::new(parts);
        let orders = orders.remove(0);
        let read = overview.clone();
        std::thread::spawn(move || {
            let _nobody_comes = arrivals;
            let start = Instant::now();
            let now = || Time::from_micros(1_700_000_000_000_000 + start.elapsed().as_micros() as u64);
            let mut core = core(now());
            let peer = SocketAddr::from(([127, 0, 0, 1], 5000));
            core.datagram(now(), PeerKey::at_door(Dialect::Typeuh, peer), &[]);
            core.datagram(now(), PeerKey::at_door(Dialect::Snapshot, peer), &[0xee; 9]);
            prepare(&mut core, now());
            // It ends when the test's last order sender is gone.
            loop {
                match orders.try_recv() {
                    Ok(order) => core.order(now(), order),
                    Err(std::sync::mpsc::TryRecvError::Disconnected) => break,
                    Err(std::sync::mpsc::TryRecvError::Empty) => {}
                }
                core.advance(now());
                // Nobody hears what it says.
                while core.poll().is_some() {}
                overview.publish(ShardId(0), &core);
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        TestNode { overview: read, router: routes(state), shutdown }
    }

    async fn ask(&self, method: &str, path: &str, token: Option<&str>, body: Value) -> (StatusCode, String) {
        let Answer { status, text, .. } = self.send(method, path, token, body).await;
        (status, text)
    }

    async fn send(&self, method: &str, path: &str, token: Option<&str>, body: Value) -> Answer {
        self.send_from([127, 0, 0, 1], method, path, token, body).await
    }

    async fn send_from(&self, from: [u8; 4], method: &str, path: &str, token: Option<&str>, body: Value) -> Answer {
        let mut request = Request::builder().method(Method::from_bytes(method.as_bytes()).expect("a method")).uri(path);
        request = request.header(header::HOST, "localhost");
        if let Some(token) = token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
        let from = ConnectInfo(SocketAddr::from((from, 5001)));
        let request = request.extension(from).body(body).expect("a request");
        let router = hyper_util::service::TowerToHyperService::new(self.router.clone());
        let response = hyper::service::Service::call(&router, request).await.expect("an answer");
        let status = response.status();
        let kind = response.headers().get(header::CONTENT_TYPE).map(|kind| kind.to_str().expect("text").to_owned());
        let bytes = to_bytes(response.into_body(), 1 << 20).await.expect("a body");
        // A recording is not text.
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Answer { status, kind: kind.unwrap_or_default(), text }
    }

    async fn json(&self, path: &str) -> Value {
        let (status, text) = self.ask("GET", path, Some(TOKEN), Value::Null).await;
        assert_eq!(status, 200, "{path}: {text}");
        serde_json::from_str(&text).expect("JSON")
    }

    /// The first lobby, once there is one.
    async fn lobby(&self) -> String {
        let lobby = async || self.json("/api/lobbies").await[0]["id"].as_str().map(str::to_owned);
        self.until("a lobby", async || lobby().await.is_some()).await;
        lobby().await.expect("it is there")
    }

    async fn until(&self, what: &str, holds: impl AsyncFn() -> bool) {
        let began = Instant::now();
        while !holds().await {
            assert!(began.elapsed() < PATIENCE, "not within {PATIENCE:?}: {what}");
            sleep(Duration::from_millis(10)).await;
        }
    }
}

pub(crate) fn core(now: Time) -> Core {
    let stage = Stage::endless();
    let settings = Settings { unproved_bytes_per_second: 0, ..Settings::new(vec![stage.clone()], stage, 42, [7; 32]) };
    Core::new(now, settings)
}

fn record() -> Record {
    let (began, ended) = (Time::from_micros(1_700_000_000_000_000), Time::from_micros(1_700_000_060_000_000));
    let counts = Counts { score: 700, kills: 7, chain_max: 4, deaths: 3, steps: 7200 };
    let (seat, name, kind, score) = (Seat::ALL[0], "Ann".into(), PlayerKind::Person(Dialect::Snapshot), 700);
    let player = RecordedPlayer { seat, name, kind, score, ship: ShipModel::Arrow, rank: Some(Rank::C), counts };
    Record {
        game: GameId(7),
        rules: Rules { mode: Mode::Endless, ..Rules::default() },
        lobby: "AAAAAA".into(),
        is_private: false,
        stage: "endless".into(),
        outcome: Outcome::Lost,
        began,
        ended,
        ticks: 3600,
        score: 700,
        is_assisted: false,
        pauses: 1,
        paused_seconds: 9,
        lives: 3,
        players: vec![player],
    }
}

/// A folder with the recording of [`record`]'s game. It is removed when the process ends, which has the last handle to it.
fn recordings() -> Recordings {
    let folder = tempfile::TempDir::new().expect("a folder");
    let options = RecordingOptions {
        directory: folder.path().into(),
        kept_for: None,
        bytes_max: 1 << 20,
        names_and_chat: NamesAndChat::LeftOut,
        map: None,
    };
    let recordings = Recordings::keep_in(options).expect("a thread");
    let world = game::World::new(Stage::endless(), Rules::default(), 1);
    let game = record().game;
    for (game, key) in [(game, None), (GameId(9), Some(solo_key()))] {
        let header = Box::new(replay::Header { game: game.0, ..replay::Header::of(&world) });
        recordings.offer(RecordingPiece { game, key, content: RecordingContent::Begin(header) });
        let block = replay::Recorder::new(&world).finish(&world);
        recordings.offer(RecordingPiece { game, key, content: RecordingContent::Block(block) });
    }
    assert!(recordings.flush(PATIENCE));
    std::mem::forget(folder);
    recordings
}

/// What the player of a game that was played alone asks for it by.
fn solo_key() -> RecordingKey {
    RecordingKey::new(Token([3; 16]), GameId(9))
}

#[test]
fn a_game_played_alone_is_fetched_by_its_key_and_is_in_no_list() {
    runtime().block_on(async {
        let node = TestNode::new();
        let path = format!("/api/replays/{}", solo_key());
        let answer = node.send("GET", &path, None, Value::Null).await;
        assert_eq!((answer.status, &*answer.kind), (StatusCode::OK, "application/octet-stream"));
        let other = RecordingKey::new(Token([4; 16]), GameId(9));
        for path in [format!("/api/replays/{other}"), path.to_uppercase(), format!("{path}0")] {
            assert_eq!(node.ask("GET", &path, None, Value::Null).await.0, StatusCode::NOT_FOUND, "{path}");
        }
        for list in ["/api/matches", "/api/scores", "/metrics"] {
            let (_, text) = node.ask("GET", list, None, Value::Null).await;
            assert!(!text.contains(&solo_key().to_string()), "{list}: {text}");
        }
        assert!(node.ask("GET", "/metrics", None, Value::Null).await.1.contains("\nvolley_solo_recordings 1\n"));
    });
}

fn assets() -> Assets {
    Assets::new(vec![
        assets::Asset::new("drone", "image/png", || Ok(b"a sheet".to_vec())),
        assets::Asset::new("sounds/broken.wav", "audio/wav", || Err("no instrument".into())),
    ])
}

fn document() -> Value {
    serde_json::from_str(OPENAPI).expect("JSON")
}

/// The schema of an answer, with what it refers to beside it.
fn schema(method: &str, path: &str, status: &str) -> Value {
    let document = document();
    let mut schema =
        document["paths"][path][method]["responses"][status]["content"]["application/json"]["schema"].clone();
    assert!(schema.is_object(), "{method} {path} {status} has no schema");
    schema["components"] = document["components"].clone();
    schema
}

fn check(method: &str, path: &str, status: &str, answer: &Value) {
    let validator = jsonschema::validator_for(&schema(method, path, status)).expect("a schema");
    let faults: Vec<String> = validator.iter_errors(answer).map(|fault| fault.to_string()).collect();
    assert!(faults.is_empty(), "{path}: {faults:?} in {answer}");
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

#[test]
fn the_document_describes_every_route_and_no_other() {
    let document = document();
    let described: BTreeSet<(String, String)> = document["paths"]
        .as_object()
        .expect("paths")
        .iter()
        .flat_map(|(path, methods)| {
            methods.as_object().into_iter().flatten().map(|(method, _)| (method.clone(), path.clone()))
        })
        .collect();
    // A parser that meets a key twice keeps only one of the two.
    let said = |indent: &str, name: &str| OPENAPI.matches(&format!("\n{indent}{name:?}: {{")).count();
    assert!(described.iter().all(|(_, path)| said("  ", path) == 1));
    let schemas = document["components"]["schemas"].as_object().expect("schemas");
    assert!(schemas.keys().all(|name| said("   ", name) == 1));
    let served = table().into_iter().map(|(method, path, _)| (method.to_owned(), path.to_owned())).collect();
    assert_eq!(described, served);
    assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn live_answers_match_the_document() {
    runtime().block_on(async {
        let node = TestNode::new();
        let id = node.lobby().await;
        for path in [
            "/api/status",
            "/api/lobbies",
            "/api/scores",
            "/api/matches",
            "/api/daily",
            "/api/stages",
            "/api/transport",
            "/admin/sessions",
            "/admin/bans",
        ] {
            let answer = node.json(path).await;
            check("get", path, "200", &answer);
            assert!(path == "/admin/bans" || answer.as_array().is_none_or(|all| !all.is_empty()), "{path} is empty");
        }
        check("get", "/api/lobbies/{id}", "200", &node.json(&format!("/api/lobbies/{}", id.to_lowercase())).await);
        for (path, described, status) in [
            ("/api/lobbies/NOBODY", "/api/lobbies/{id}", "404"),
            ("/api/scores?limit=0", "/api/scores", "400"),
            ("/api/scores?limit=many", "/api/scores", "400"),
            ("/api/scores?sort=up", "/api/scores", "400"),
            ("/api/scores?after=first", "/api/scores", "400"),
            ("/api/matches?limit=101", "/api/matches", "400"),
            ("/api/scores?mode=chess", "/api/scores", "400"),
            ("/api/scores?difficulty=none", "/api/scores", "400"),
            ("/api/scores?players=5", "/api/scores", "400"),
            ("/api/scores?day=today", "/api/scores", "400"),
        ] {
            let (found, text) = node.ask("GET", path, None, Value::Null).await;
            assert_eq!(found.as_str(), status, "{path}: {text}");
            check("get", described, status, &serde_json::from_str(&text).expect("JSON"));
        }
    });
}

#[test]
fn scores_and_matches_have_names_and_dialects() {
    runtime().block_on(async {
        let node = TestNode::new();
        let scores = node.json("/api/scores?stage=endless&limit=5").await;
        let matches = node.json("/api/matches").await;
        for game in [&scores[0], &matches[1]] {
            assert_eq!((&game["score"], &game["assisted"]), (&json!(700), &json!(false)), "{scores} {matches}");
            assert_eq!(game["players"][0]["name"], "Ann");
            assert_eq!(game["players"][0]["dialect"], "snapshot");
        }
        assert_eq!(scores.as_array().map(Vec::len), Some(1), "an assisted game is no high score");
        assert_eq!((&matches[0]["lobby"], &matches[0]["assisted"]), (&json!("SLOWER"), &json!(true)));
        assert_eq!(node.json("/api/scores?stage=stage1").await, json!([]));
        let [mode, difficulty] = ["mode", "difficulty"].map(|key| scores[0][key].as_str().expect("a name"));
        let players = scores[0]["players"].as_array().map_or(0, Vec::len);
        let table = format!("/api/scores?mode={mode}&stage=endless&difficulty={difficulty}&players={players}");
        assert_eq!(node.json(&table).await, scores, "the table that it is in");
        let next = format!("{table}&after={}", scores[0]["id"]);
        assert_eq!(node.json(&next).await, json!([]), "there is no second page");
        let next = format!("/api/scores?after={}", scores[0]["id"]);
        assert_eq!(node.json(&next).await, json!([]), "nor of all tables");
    });
}

#[test]
fn without_the_token_every_admin_request_is_refused() {
    runtime().block_on(async {
        for token in [None, Some(""), Some("wrong"), Some("0123456789abcdeF"), Some("0123456789abcdef0")] {
            let node = TestNode::new();
            node.lobby().await;
            for (method, path, _) in table().into_iter().filter(|(_, path, _)| path.starts_with("/admin")) {
                let (status, text) = node.ask(&method.to_uppercase(), path, token, Value::Null).await;
                assert_eq!(status, 401, "{method} {path} with {token:?}: {text}");
                check(method, path, "401", &serde_json::from_str(&text).expect("JSON"));
            }
            assert_eq!(node.ask("GET", "/admin/nothing", token, Value::Null).await.0, 401);
            assert_eq!(node.ask("GET", &format!("/admin/sessions?token={TOKEN}"), None, Value::Null).await.0, 401);
            assert!(!node.shutdown.has_begun());
            let metrics = node.ask("GET", "/metrics", None, Value::Null).await.1;
            assert!(metrics.contains("\nvolley_admin_refused_total 10\n"), "{metrics}");
        }
    });
}

#[test]
fn after_many_wrong_tokens_an_address_has_to_wait_and_others_need_not() {
    runtime().block_on(async {
        let node = TestNode::new();
        let ask = async |from: [u8; 4], token: &str| {
            node.send_from(from, "GET", "/admin/bans", Some(token), Value::Null).await.status.as_u16()
        };
        let mut answers = Vec::new();
        for number in 0..100 {
            answers.push(ask([127, 0, 0, 1], &format!("{number:016}")).await);
        }
        let refused = answers.iter().position(|status| *status == 429).expect("it is limited");
        assert!(refused <= 20 && answers[..refused].iter().all(|status| *status == 401), "{answers:?}");
        assert_eq!(ask([127, 0, 0, 1], TOKEN).await, 429, "the answer does not tell which is right");
        assert_eq!(ask([192, 0, 2, 1], TOKEN).await, 200);
        assert_eq!(node.json("/api/lobbies").await.as_array().map(Vec::len), Some(1), "nothing else is refused");
    });
}

/// Somebody makes a private lobby, and stays in it for as long as the test takes.
fn make_private_lobby(core: &mut Core, now: Time) {
    let (stream, from) = (StreamId(7000), SocketAddr::from(([127, 0, 0, 1], 5002)));
    core.link_opened(now, PeerKey::at_link(Dialect::Volley, stream, from), stream);
    let mut client = protocol::volley::Client::without_lobby(now, "Zoe");
    let (stage, rules) = ("endless".into(), Rules::default());
    client.ask(now, LobbyRequest::Create { stage, rules, is_private: true });
    let mut buffer = Vec::new();
    for _ in 0..10 {
        client.advance(now);
        while let Some(output) = client.poll(now, &mut buffer) {
            if output == Output::Stream {
                core.link_bytes(now, stream, &buffer);
            }
        }
        while let Some(effect) = core.poll() {
            if let Effect::SendStream { bytes, .. } = effect {
                client.receive(now, Channel::Stream, bytes).expect("our own server speaks the dialect");
            }
        }
    }
}

#[test]
fn the_code_of_a_private_lobby_is_told_to_the_host_and_to_those_who_know_it() {
    runtime().block_on(async {
        let archive = Archive::in_memory().expect("an archive");
        archive.offer(Record { is_private: true, ..record() });
        assert!(archive.flush(PATIENCE));
        let node = TestNode::start(archive, Vec::new(), make_private_lobby);
        let public = node.lobby().await;
        let sessions = node.json("/admin/sessions").await;
        let lobbies = || sessions.as_array().into_iter().flatten().filter_map(|session| session["lobby"].as_str());
        let secret = lobbies().find(|lobby| *lobby != public).expect("a private lobby");
        let status = node.json("/api/status").await;
        assert_eq!((&status["lobby_count"], &status["private_lobbies"]), (&json!(2), &json!(1)));
        for (method, path, _) in
            table().into_iter().filter(|(_, path, _)| !path.contains("admin") && !path.contains('{'))
        {
            let (_, text) = node.ask(&method.to_uppercase(), path, None, Value::Null).await;
            assert!(!text.contains(secret) && !text.contains("AAAAAA"), "{method} {path}: {text}");
        }
        assert_eq!(node.json(&format!("/api/lobbies/{secret}")).await["players"][0]["name"], "Zoe");
        assert_eq!(node.json("/api/matches").await[0]["lobby"], Value::Null);
    });
}

#[test]
fn guesses_that_are_refused_cost_the_shards_nothing() {
    runtime().block_on(async {
        let node = TestNode::new();
        for number in 0..100 {
            let path = format!("/api/lobbies/A{number:05}");
            let guess = node.send_from([192, 0, 2, 1], "GET", &path, None, Value::Null).await.status.as_u16();
            assert_eq!(guess, if number < 20 { 404 } else { 429 });
        }
        let ticks = || node.overview.last().lobbies[0].tick;
        // The last overview that was asked for is on its way for as long as a shard sleeps; until then it changes.
        let stays = async || {
            let before = ticks();
            sleep(Duration::from_millis(400)).await;
            ticks() == before
        };
        let began = Instant::now();
        while !stays().await {
            assert!(began.elapsed() < PATIENCE, "the overview still changes");
        }
        let before = ticks();
        for _ in 0..20 {
            node.send_from([192, 0, 2, 1], "GET", "/api/lobbies/AAAAAA", None, Value::Null).await;
        }
        assert!(stays().await && ticks() == before, "nothing was published");
    });
}

#[test]
fn a_private_lobby_is_not_found_by_trying() {
    runtime().block_on(async {
        let node = TestNode::start(Archive::in_memory().expect("an archive"), Vec::new(), make_private_lobby);
        let public = node.lobby().await;
        let sessions = node.json("/admin/sessions").await;
        let lobbies = || sessions.as_array().into_iter().flatten().filter_map(|session| session["lobby"].as_str());
        let secret = lobbies().find(|lobby| *lobby != public).expect("a private lobby");
        let ask = async |from: [u8; 4], code: &str| {
            let path = format!("/api/lobbies/{code}");
            node.send_from(from, "GET", &path, None, Value::Null).await.status.as_u16()
        };
        for from in [[192, 0, 2, 1], [127, 0, 0, 1]] {
            let mut answers = Vec::new();
            for number in 0..300 {
                answers.push(ask(from, &format!("A{number:05}")).await);
            }
            let refused = answers.iter().position(|status| *status == 429).expect("it is limited");
            assert!(answers[..refused].iter().all(|status| *status == 404), "{answers:?}");
            assert_eq!(ask(from, secret).await, 429, "the answer does not tell which is right");
            assert_eq!(ask(from, &public).await, 200, "a public one is no guess");
        }
        let metrics = node.ask("GET", "/metrics", None, Value::Null).await.1;
        assert!(!metrics.contains("\nvolley_guesses_refused_total 0\n"), "{metrics}");
    });
}

#[test]
fn a_host_kicks_bans_closes_and_drains() {
    runtime().block_on(async {
        let node = TestNode::new();
        let id = node.lobby().await;
        let post = async |path: &str, body: Value| node.ask("POST", path, Some(TOKEN), body).await;
        assert_eq!(post("/admin/kick", json!({"lobby": "NOBODY", "seat": 0})).await.0, 404);
        assert_eq!(post("/admin/kick", json!({"lobby": id, "seat": 3})).await.0, 404);
        assert_eq!(post("/admin/kick", json!({"lobby": id, "seat": 9})).await.0, 400);
        assert_eq!(post("/admin/kick", json!({"lobby": id, "seat": 0, "why": "?"})).await.0, 400);
        assert_eq!(post("/admin/kick", json!({"lobby": id, "seat": 0})).await.0, 204);
        node.until("the player is out", async || node.json("/admin/sessions").await == json!([])).await;
        let (status, banned) = post("/admin/bans", json!({"range": "192.0.2.9/24"})).await;
        assert_eq!(
            (status, serde_json::from_str(&banned).ok()),
            (StatusCode::OK, Some(json!({"range": "192.0.2.0/24", "kept": false})))
        );
        assert_eq!(post("/admin/bans", json!({"range": "everybody"})).await.0, 400);
        assert_eq!(node.json("/admin/bans").await, json!(["192.0.2.0/24"]));
        let lift = async |range: &str| {
            node.ask("DELETE", &format!("/admin/bans?range={range}"), Some(TOKEN), Value::Null).await.0
        };
        assert_eq!((lift("192.0.2.0/24").await, lift("192.0.2.0/24").await), (StatusCode::OK, StatusCode::NOT_FOUND));
        assert_eq!(post(&format!("/admin/lobbies/{id}/close"), Value::Null).await.0, 204);
        let close_again = async || post(&format!("/admin/lobbies/{id}/close"), Value::Null).await.0 == 404;
        node.until("the lobby is closed", close_again).await;
        assert_eq!(node.ask("GET", "/healthz", None, Value::Null).await, (StatusCode::OK, "ok\n".into()));
        assert_eq!(post("/admin/drain", Value::Null).await.0, 202);
        assert!(node.shutdown.has_begun());
        node.shutdown.mark_announced();
        assert_eq!(
            node.ask("GET", "/healthz", None, Value::Null).await,
            (StatusCode::SERVICE_UNAVAILABLE, "draining\n".into())
        );
    });
}

#[test]
fn unknown_paths_methods_and_long_bodies_are_refused() {
    runtime().block_on(async {
        let node = TestNode::new();
        let (status, _) = node.ask("POST", "/admin/bans", Some(TOKEN), json!({"range": "1".repeat(9999)})).await;
        assert_eq!(status, 413);
        assert_eq!(node.ask("GET", "/etc/passwd", None, Value::Null).await.0, 404);
        assert_eq!(node.ask("POST", "/api/lobbies", None, Value::Null).await.0, 405);
    });
}

#[test]
fn assets_are_listed_and_served_under_their_paths_and_no_others() {
    runtime().block_on(async {
        let node = TestNode::new();
        for list in ["/assets", "/assets/"] {
            assert_eq!(node.json(list).await, json!({"files": ["drone", "sounds/broken.wav"]}));
        }
        let drone = node.send("GET", "/assets/drone", None, Value::Null).await;
        assert_eq!((drone.status, &*drone.kind, &*drone.text), (StatusCode::OK, "image/png", "a sheet"));
        for path in
            ["/assets/drone.png", "/assets/drone/", "/assets/sounds", "/assets/../Cargo.toml", "/assets/%2e%2e/x"]
        {
            assert_eq!(node.ask("GET", path, None, Value::Null).await.0, 404, "{path}");
        }
        assert_eq!(node.ask("POST", "/assets/drone", None, Value::Null).await.0, 405);
        let (status, told) = node.ask("GET", "/assets/sounds/broken.wav", None, Value::Null).await;
        assert_eq!((status, told.contains("the log says why")), (StatusCode::INTERNAL_SERVER_ERROR, true));
    });
}

/// The exposition format, read strictly: each family has its help and its type once, before all its samples, and its
/// samples stand together, without repetition; counters end in `_total`; histograms rise and end with `+Inf`.
#[test]
fn a_strict_reader_accepts_the_metrics() {
    runtime().block_on(async {
        let node = TestNode::new();
        node.lobby().await;
        let text = node.ask("GET", "/metrics", None, Value::Null).await.1;
        let families = exposition_reader::read(&text).unwrap_or_else(|fault| panic!("{fault}\n{text}"));
        for name in exposition_reader::EXPECTED {
            assert!(families.contains(*name), "no {name} in\n{text}");
        }
        assert_eq!(
            families,
            exposition_reader::named_in(include_str!("../../../../docs/hosting.md")),
            "docs/hosting.md names every metric"
        );
        assert!(text.contains("volley_players{dialect=\"typeuh\"} 1\n"), "{text}");
        assert!(text.contains("volley_drops_total{dialect=\"snapshot\",reason="), "{text}");
    });
}
