//! The real window on an invisible screen, with real keys and a real server.

mod node;
mod screen;
mod stubborn;

use std::{
    fs,
    io::{BufRead, BufReader},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::Ordering,
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use node::Node;
use screen::{Key, Screen};
use stubborn::StubbornServer;

/// Far more than anything takes; a slow machine should not fail a test.
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Waits until there is a value.
fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < PATIENCE, "timed out waiting for {what}");
        thread::sleep(LOOK_AGAIN);
    }
}

/// Holds a key down until there is a value, and leaves it held. A key that was pressed before the window shows the game does not reach the
/// game, though the server may have the ship already: so a key without any effect is pressed again, as a person would.
fn hold<T>(screen: &Screen, key: Key, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let mut pressed: Option<Instant> = None;
    eventually(what, || {
        if pressed.is_none_or(|at| at.elapsed() > Duration::from_secs(2)) {
            screen.key(key, false);
            screen.key(key, true);
            pressed = Some(Instant::now());
        }
        look()
    })
}

/// A `volley-desktop` on that screen that joins a game at once.
fn desktop(screen: &Screen, test: &str, arguments: &[&str]) -> Command {
    let settings = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("settings-of-{test}"));
    let data = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("data-of-{test}"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_volley-desktop"));
    command.args(["--quick", "--config"]).arg(settings).args(arguments).env("DISPLAY", &screen.name);
    command.env("XDG_DATA_HOME", data).env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
    command
}

/// The server's answer to a GET request, if it is a list.
fn get(http: SocketAddr, path: &str) -> Option<Vec<Value>> {
    ureq::get(format!("http://{http}{path}")).call().ok()?.body_mut().read_json().ok()
}

/// All players of all lobbies.
fn players(http: SocketAddr) -> Option<Vec<Value>> {
    let lobbies = get(http, "/api/lobbies")?;
    Some(lobbies.iter().filter_map(|lobby| lobby["players"].as_array()).flatten().cloned().collect())
}

/// A running `volley-desktop` that plays alone, always the same game, and the address of its server's HTTP.
struct Desktop {
    child: Child,
    http: SocketAddr,
}

impl Desktop {
    fn start(screen: &Screen, test: &str, arguments: &[&str]) -> Desktop {
        let arguments = [&["--mute", "--seed", "42"], arguments].concat();
        let mut child = desktop(screen, test, &arguments).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
        let http = line.split_once("http://").and_then(|(_, rest)| rest.split('/').next()?.parse().ok());
        Desktop { child, http: http.unwrap_or_else(|| panic!("it prints the address of its server: {line:?}")) }
    }

    /// The lobby that it plays in.
    fn lobby(&self) -> Option<Value> {
        get(self.http, "/api/lobbies")?.first().cloned()
    }

    /// Where the ship is, if there is one.
    fn ship(&self) -> Option<(i64, i64)> {
        let players = players(self.http)?;
        let player = players.first()?;
        Some((player["x"].as_i64()?, player["y"].as_i64()?))
    }

    /// Where the ship is, once there is one.
    fn flying(&self) -> (i64, i64) {
        eventually("a ship", || self.ship())
    }
}

impl Drop for Desktop {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn keys_fly_the_ship_and_the_window_shows_the_game() {
    let screen = Screen::start();
    let desktop = Desktop::start(&screen, "keys", &[]);
    let window = screen.window("Volley");
    let (x, y) = desktop.flying();
    hold(&screen, Key::Right, "a ship further right", || desktop.ship().filter(|ship| ship.0 > x + 30));
    screen.key(Key::Right, false);
    hold(&screen, Key::Down, "a ship further down", || desktop.ship().filter(|ship| ship.1 > y + 15));
    screen.key(Key::Down, false);
    screen.tap(Key::Space);
    let shot = eventually("a picture of the game", || {
        let shot = screen.shot(window);
        (shot.colours() >= 8 && shot.lit_percent() >= 2).then_some(shot)
    });
    shot.keep("window");
    assert_eq!((shot.width % 480, shot.height % 270), (0, 0));
    assert!(shot.is_scaled_by(shot.width as usize / 480), "pixels are squares");
}

#[test]
fn a_held_key_is_released_when_the_window_loses_the_keyboard() {
    let screen = Screen::start();
    let desktop = Desktop::start(&screen, "blur", &[]);
    let window = screen.window("Volley");
    let (_, y) = desktop.flying();
    hold(&screen, Key::Down, "a ship that moves", || desktop.ship().filter(|ship| ship.1 > y + 4));
    screen.blur();
    let is_paused = |paused: bool| desktop.lobby().filter(|lobby| lobby["paused"] == paused);
    eventually("a pause", || is_paused(true));
    screen.focus(window);
    screen.tap(Key::Space);
    let (resumed, (_, y)) = eventually("a game that goes on", || Some((tick(&is_paused(false)?)?, desktop.ship()?)));
    // The server may still have had some inputs from before the pause.
    let (_, later) = eventually("a second of the game", || {
        let is_later = tick_of(&desktop)? >= resumed + 60;
        desktop.ship().filter(|_| is_later)
    });
    assert!(later - y < 20, "from {y} to {later}: the ship flies on, though the key counts as released");
    screen.key(Key::Down, false);
}

fn tick(lobby: &Value) -> Option<u64> {
    lobby["tick"].as_u64()
}

fn tick_of(desktop: &Desktop) -> Option<u64> {
    tick(&desktop.lobby()?)
}

#[test]
fn escape_pauses_and_resumes_a_game_played_alone() {
    let screen = Screen::start();
    let desktop = Desktop::start(&screen, "pause", &[]);
    let window = screen.window("Volley");
    desktop.flying();
    screen.tap(Key::Escape);
    let paused = eventually("a pause", || desktop.lobby().filter(|lobby| lobby["paused"] == true));
    let began = Instant::now();
    while began.elapsed() < Duration::from_millis(500) {
        assert_eq!(tick_of(&desktop), tick(&paused), "no tick passes in a pause");
        thread::sleep(LOOK_AGAIN);
    }
    screen.shot(window).keep("pause");
    screen.tap(Key::Escape);
    eventually("a game that goes on", || tick_of(&desktop).filter(|now| Some(*now) > tick(&paused)));
}

#[test]
fn high_scores_outlive_the_window() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("data-of-scores");
    let _ = fs::remove_dir_all(&folder);
    let screen = Screen::start();
    let arguments = ["--name", "Ann"];
    let mut first = Desktop::start(&screen, "scores", &arguments);
    let window = screen.window("Volley");
    first.flying();
    // Flies up and down and fires all the time, so that it meets whatever comes.
    let mut turns = (0..).map(|turn| if turn % 40 < 20 { Key::Up } else { Key::Down });
    eventually("a score", || {
        let key = turns.next()?;
        screen.key(key, true);
        screen.tap(Key::Space);
        let score = first.lobby()?["score"].as_u64()?;
        screen.key(key, false);
        (score > 0).then_some(())
    });
    screen.close(window);
    let status = eventually("the end of the program", || first.child.try_wait().expect("it is ours"));
    assert!(status.success(), "{status}");
    assert!(folder.join("volley/solo").is_dir() && !folder.join("volley/solo/admin-token").exists());
    let second = Desktop::start(&screen, "scores", &arguments);
    let scores = eventually("its scores", || get(second.http, "/api/scores"));
    let best = scores.first().expect("the game of the first window");
    assert!(best["players"][0]["name"] == "Ann" && best["score"].as_u64() > Some(0), "{scores:?}");
}

#[test]
fn a_window_plays_on_a_server_elsewhere_and_says_goodbye_when_it_is_closed() {
    let screen = Screen::start();
    for dialect in ["volley", "snapshot", "aecs"] {
        let node = Node::start(dialect);
        let door = node.door.to_string();
        let arguments = ["--connect", &door, "--dialect", dialect, "--mute"];
        let mut child = desktop(&screen, "elsewhere", &arguments).spawn().expect("it starts");
        let window = screen.window("Volley");
        eventually("a player", || players(node.http).filter(|players| players.len() == 1));
        screen.close(window);
        let status = eventually("an end", || child.try_wait().expect("it is ours"));
        assert!(status.success(), "{status}");
        eventually("nobody", || players(node.http).filter(Vec::is_empty));
    }
}

#[test]
fn a_closed_window_repeats_its_goodbye_until_it_is_answered() {
    let screen = Screen::start();
    for dialect in ["rfc2020", "rfc53952"] {
        let server = StubbornServer::of(dialect);
        let door = server.door.to_string();
        let arguments = ["--connect", &door, "--dialect", dialect, "--mute"];
        let mut child = desktop(&screen, "goodbye", &arguments).spawn().expect("it starts");
        let window = screen.window("Volley");
        eventually("a player", || server.is_met.load(Ordering::Relaxed).then_some(()));
        screen.close(window);
        let goodbyes = || server.goodbyes.load(Ordering::Relaxed);
        eventually("a second goodbye", || (goodbyes() >= 2).then_some(()));
        let status = eventually("an end", || child.try_wait().expect("it is ours"));
        assert!(status.success(), "{dialect}: {status}");
        assert_eq!(goodbyes(), stubborn::ANSWERED, "{dialect}: no more after the answer");
    }
}

#[test]
fn a_lobby_of_rfc2020_is_created_and_joined_from_the_window_and_started_by_hand() {
    let screen = Screen::start();
    let node = Node::start("rfc2020");
    let door = node.door.to_string();
    let connect = ["--connect", &door, "--dialect", "rfc2020", "--mute"];
    let mut ann = lobby_of(&screen, "creates", &[&connect[..], &["--create", "stage1"]].concat());
    let window = screen.window("Volley");
    let lobbies = || get(node.http, "/api/lobbies").filter(|lobbies| lobbies.len() == 1);
    let lobby = eventually("a lobby", || lobbies()?.into_iter().find(|lobby| lobby["players"][0]["seat"] == 0));
    assert_eq!((&lobby["stage"], &lobby["state"]), (&"stage1".into(), &"waiting".into()), "{lobby}");
    let code = lobby["id"].as_str().expect("a code").to_owned();
    eventually("a picture of a lobby that waits", || (screen.shot(window).colours() >= 8).then_some(()));
    screen.shot(window).keep("waiting-lobby");
    let mut bob = lobby_of(&screen, "joins", &[&connect[..], &["--lobby", &code.to_lowercase()]].concat());
    eventually("two players", || lobbies()?[0]["players"].as_array().filter(|players| players.len() == 2).map(drop));
    assert_eq!(lobbies().expect("still there")[0]["state"], "waiting", "nobody has started it");
    screen.focus(window);
    // The second line shares the code, the first starts the game.
    assert!(!screen.has_clipboard());
    [Key::Down, Key::Return].into_iter().for_each(|key| screen.tap(key));
    eventually("a code on the clipboard", || screen.has_clipboard().then_some(()));
    // The invitation is closed first.
    [Key::Return, Key::Up, Key::Return].into_iter().for_each(|key| screen.tap(key));
    eventually("a game that runs", || (lobbies()?[0]["state"] == "running").then_some(()));
    for child in [&mut ann, &mut bob] {
        child.kill().expect("it is ours");
        child.wait().expect("it is ours");
    }
}

/// A `volley-desktop` that goes to a lobby, or makes one.
fn lobby_of(screen: &Screen, test: &str, arguments: &[&str]) -> Child {
    let settings = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("settings-of-{test}"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_volley-desktop"));
    command.arg("--config").arg(settings).args(arguments).env("DISPLAY", &screen.name);
    command.env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET").spawn().expect("it starts")
}

#[test]
fn an_unknown_server_is_one_line() {
    let screen = Screen::start();
    let output = desktop(&screen, "nowhere", &["--connect", "no-such-host.invalid"]).output().expect("it runs");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{complaint}");
    assert!(complaint.contains("cannot find the server no-such-host.invalid"), "{complaint}");
}

#[test]
fn a_missing_display_is_one_line() {
    let output = Command::new(env!("CARGO_BIN_EXE_volley-desktop"))
        .arg("--mute")
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("WAYLAND_SOCKET")
        .output()
        .expect("it runs");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{complaint}");
    assert!(complaint.contains("there is no display to open a window on"), "{complaint}");
}

/// A `volley-desktop` that shows a replay, or says why it cannot.
fn replaying(screen: &Screen, file: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_volley-desktop"));
    let settings = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("settings-of-replays");
    let data = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("data-of-replays");
    command.args(["--mute", "--config"]).arg(settings).arg("--data").arg(data).arg("--replay").arg(file);
    command.env("DISPLAY", &screen.name).env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
    command
}

#[test]
fn a_game_is_recorded_and_replayed_in_the_window() {
    let (screen, folder) = (Screen::start(), tempfile::TempDir::new().expect("a folder"));
    let games = folder.path().join("games");
    let options = ["--record", games.to_str().expect("a path"), "--record-days", "1", "--record-mb", "5"];
    let mut desktop = Desktop::start(&screen, "records", &options);
    let window = screen.window("Volley");
    let (x, _) = desktop.flying();
    hold(&screen, Key::Right, "a ship further right", || desktop.ship().filter(|ship| ship.0 > x + 30));
    screen.key(Key::Right, false);
    screen.close(window);
    eventually("its end", || desktop.child.try_wait().expect("its state"));
    let mut files = fs::read_dir(&games).expect("it is there").map(|entry| entry.expect("a file").path());
    let file = files.next().expect("the game is recorded");
    assert!(files.next().is_none() && file.extension().is_some_and(|extension| extension == "vreplay"), "{file:?}");

    let mut player = replaying(&screen, &file).stdout(Stdio::null()).spawn().expect("it starts");
    let window = screen.window("Volley");
    let first = eventually("a picture of the game", || {
        let shot = screen.shot(window);
        (shot.colours() >= 8 && shot.lit_percent() >= 2).then_some(shot)
    });
    first.keep("replay");
    screen.close(window);
    let status = eventually("its end", || player.try_wait().expect("its state"));
    assert!(status.success());
}

#[test]
fn what_is_not_a_replay_is_refused_in_one_line() {
    let (screen, folder) = (Screen::start(), tempfile::TempDir::new().expect("a folder"));
    let file = folder.path().join("a.vreplay");
    fs::write(&file, b"nothing that was ever played").expect("it is written");
    for (file, part) in [(file, "not a replay of Volley"), (folder.path().join("none"), "cannot read the replay")] {
        let output = replaying(&screen, &file).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{said}");
        assert!(said.starts_with("volley-desktop: ") && said.contains(part), "{said}");
    }
}

#[test]
fn a_folder_that_cannot_be_recorded_into_is_refused_in_one_line() {
    let (screen, folder) = (Screen::start(), tempfile::TempDir::new().expect("a folder"));
    let file = folder.path().join("a file");
    fs::write(&file, b"").expect("it is written");
    let arguments = ["--mute", "--record", file.to_str().expect("a path")];
    let output = desktop(&screen, "unusable", &arguments).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{said}");
    assert!(said.starts_with("volley-desktop: ") && said.contains("for recordings"), "{said}");
}
