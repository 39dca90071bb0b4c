//! The real program in a real pseudo-terminal: it draws, it obeys keys, and it always gives the terminal back.

use std::{
    io::{Read, Write},
    num::NonZeroU16,
    process::Command,
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, SlavePty, native_pty_system};

/// Far more than anything takes; a slow machine should not fail a test.
const PATIENCE: Duration = Duration::from_secs(30);

struct Session {
    master: Box<dyn MasterPty + Send>,
    /// Kept open, so that the terminal outlives the program and can be looked at.
    _slave: Box<dyn SlavePty + Send>,
    child: Box<dyn Child + Send + Sync>,
    writer: Box<dyn Write + Send>,
    shown: Arc<Mutex<Shown>>,
    modes_before: String,
}

/// What the program sent, and what a terminal makes of it.
struct Shown {
    parser: vt100::Parser,
    bytes: Vec<u8>,
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

fn cells(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).expect("a terminal has cells")
}

impl Session {
    fn start(columns: u16, rows: u16, colorterm: &str, arguments: &[&str]) -> Session {
        Session::run(columns, rows, colorterm, &[&["watch"], arguments].concat())
    }

    fn run(columns: u16, rows: u16, colorterm: &str, arguments: &[&str]) -> Session {
        let pair = native_pty_system().openpty(size(columns, rows)).expect("a pseudo-terminal");
        let modes_before = modes(&*pair.master);
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_volley"));
        command.args(arguments);
        command.env("COLORTERM", colorterm);
        let child = pair.slave.spawn_command(command).expect("volley starts");
        let parser = vt100::Parser::new(cells(rows), cells(columns), 0);
        let shown = Arc::new(Mutex::new(Shown { parser, bytes: Vec::new() }));
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let seen = Arc::clone(&shown);
        thread::spawn(move || {
            let mut buffer = [0; 65536];
            while let Ok(length @ 1..) = reader.read(&mut buffer) {
                let mut seen = seen.lock().expect("no test panics with the lock");
                seen.parser.process(&buffer[..length]);
                seen.bytes.extend_from_slice(&buffer[..length]);
            }
        });
        let writer = pair.master.take_writer().expect("a writer");
        Session { master: pair.master, _slave: pair.slave, child, writer, shown, modes_before }
    }

    fn small_game() -> Session {
        let session = Session::start(80, 24, "truecolor", &["--seed", "42"]);
        session.wait_for("a game", |screen| screen.alternate_screen() && screen.contents().contains("score"));
        session
    }

    fn press(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).and_then(|()| self.writer.flush()).expect("the terminal takes keys");
    }

    fn wait_for(&self, what: &str, shows: impl Fn(&vt100::Screen) -> bool) {
        let began = Instant::now();
        while !shows(self.shown.lock().expect("no panic with the lock").parser.screen()) {
            assert!(began.elapsed() < PATIENCE, "no {what}; the screen:\n{}", self.contents());
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn contents(&self) -> String {
        self.shown.lock().expect("no panic with the lock").parser.screen().contents()
    }

    fn sent(&self, part: &str) -> bool {
        let shown = self.shown.lock().expect("no panic with the lock");
        shown.bytes.windows(part.len()).any(|window| window == part.as_bytes())
    }

    fn signal(&self, name: &str) {
        let id = self.child.process_id().expect("it runs").to_string();
        let status = Command::new("sh").args(["-c", &format!("kill -s {name} {id}")]).status().expect("sh runs");
        assert!(status.success());
    }

    fn end(&mut self) -> ExitStatus {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                return status;
            }
            if began.elapsed() > PATIENCE {
                self.child.kill().expect("it can be killed");
                panic!("it does not end; the screen:\n{}", self.contents());
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Ordinary screen, visible cursor, and the same modes as before.
    fn assert_given_back(&self) {
        assert!(self.sent("\x1b[?1049h"), "it never took the terminal");
        self.wait_for("ordinary screen", |screen| !screen.alternate_screen() && !screen.hide_cursor());
        assert_eq!(modes(&*self.master), self.modes_before);
    }
}

/// The terminal's modes: echo, line editing and so on.
fn modes(master: &dyn MasterPty) -> String {
    format!("{:?}", master.get_termios().expect("a terminal has modes"))
}

#[test]
fn it_takes_the_terminal_and_q_gives_it_back() {
    let mut session = Session::small_game();
    session.wait_for("hidden cursor", vt100::Screen::hide_cursor);
    assert_ne!(modes(&*session.master), session.modes_before, "the terminal still echoes");
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
    session.assert_given_back();
    session.wait_for("way to see it again", |screen| screen.contents().contains("volley watch --seed 42"));
}

#[test]
fn ctrl_c_gives_the_terminal_back() {
    let mut session = Session::small_game();
    session.press("\x03");
    assert_eq!(session.end().exit_code(), 0);
    session.assert_given_back();
}

#[test]
fn signals_give_the_terminal_back_and_still_kill() {
    for (name, word) in [("TERM", "Terminated"), ("HUP", "Hangup"), ("INT", "Interrupt"), ("QUIT", "Quit")] {
        let mut session = Session::small_game();
        session.signal(name);
        let status = session.end();
        assert!(status.signal().is_some_and(|signal| signal.contains(word)), "{name}: {status:?}");
        session.assert_given_back();
    }
}

#[test]
fn a_terminal_that_is_closed_ends_it() {
    let pair = native_pty_system().openpty(size(80, 24)).expect("a pseudo-terminal");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_volley"));
    command.args(["watch", "--seed", "42"]);
    let mut child = pair.slave.spawn_command(command).expect("volley starts");
    let mut reader = pair.master.try_clone_reader().expect("a reader");
    // Until it plays: the first frames are far longer than this.
    reader.read_exact(&mut [0; 8192]).expect("it draws");
    drop((reader, pair));
    let began = Instant::now();
    while child.try_wait().expect("it can be waited for").is_none() {
        if began.elapsed() > PATIENCE {
            child.kill().expect("it can be killed");
            panic!("it goes on without a terminal");
        }
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn after_the_last_tick_it_ends_by_itself() {
    let mut session = Session::start(80, 24, "truecolor", &["--seed", "1", "--ticks", "30", "--speed", "4"]);
    assert_eq!(session.end().exit_code(), 0);
    session.assert_given_back();
}

#[test]
fn keys_pause_change_the_speed_and_the_seed() {
    let mut session = Session::small_game();
    session.press("p");
    session.wait_for("pause", |screen| screen.contents().contains("paused"));
    session.press(" ");
    session.wait_for("game going on", |screen| !screen.contents().contains("paused"));
    session.press("+");
    session.wait_for("double speed", |screen| screen.contents().contains("×2"));
    session.press("--");
    session.wait_for("half speed", |screen| screen.contents().contains("×0.5"));
    session.press("n");
    session.wait_for("next seed", |screen| screen.contents().contains("seed 43"));
    session.press("q");
    assert!(session.end().success());
}

#[test]
fn a_terminal_that_is_too_small_is_refused_in_one_line_and_not_touched() {
    let mut session = Session::start(120, 10, "truecolor", &[]);
    assert_eq!(session.end().exit_code(), 2);
    session.wait_for("reason", |screen| screen.contents().contains("120×10, too small"));
    assert_eq!(session.contents().trim().lines().count(), 1);
    assert!(!session.sent("\x1b[?1049h"));
}

#[test]
fn a_terminal_that_shrinks_says_so_until_it_grows_again() {
    let mut session = Session::small_game();
    let resize = |session: &Session, columns, rows| {
        session.shown.lock().expect("no panic with the lock").parser.screen_mut().set_size(cells(rows), cells(columns));
        session.master.resize(size(columns, rows)).expect("it can be resized");
    };
    resize(&session, 60, 8);
    session.wait_for("complaint", |screen| screen.contents().contains("60×8 is too small"));
    resize(&session, 100, 30);
    session.wait_for("game again", |screen| screen.contents().contains("score") && screen.contents().contains('▀'));
    session.press("q");
    assert!(session.end().success());
    session.assert_given_back();
}

#[test]
fn it_uses_the_colours_that_the_terminal_knows() {
    for (colorterm, used, unused) in [("truecolor", "\x1b[48;2;", "\x1b[48;5;"), ("", "\x1b[48;5;", "\x1b[48;2;")] {
        let mut session = Session::start(80, 24, colorterm, &["--seed", "1", "--ticks", "30"]);
        assert!(session.end().success());
        session.assert_given_back();
        assert!(session.sent(used) && !session.sent(unused), "COLORTERM={colorterm:?}");
    }
}

/// A recording in the repository.
fn recording(name: &str) -> String {
    format!("{}/../replay/recordings/{name}.vreplay", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_replay_plays_pauses_seeks_and_gives_the_terminal_back() {
    let mut session = Session::run(100, 30, "truecolor", &["replay", &recording("four-in-endless")]);
    session.wait_for("the replay", |screen| screen.alternate_screen() && screen.contents().contains("/ 1:00.0"));
    session.press("p");
    session.wait_for("a pause", |screen| screen.contents().contains("paused"));
    session.press("\x1b[F");
    session.wait_for("its end", |screen| screen.contents().contains("1:00.0 / 1:00.0"));
    session.press("\x1b[D");
    session.wait_for("five seconds before it", |screen| screen.contents().contains("0:55.0 / 1:00.0"));
    session.press("f");
    session.wait_for("a player who is followed", |screen| screen.contents().contains("follows 1"));
    session.press("b");
    session
        .wait_for("a boss", |screen| screen.contents().contains("1 bosses") && !screen.contents().contains("0:55.0"));
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
    session.assert_given_back();
}

#[test]
fn long_work_on_a_replay_shows_its_progress() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let film = folder.path().join("a.gif");
    let film = film.to_str().expect("a path");
    let mut session =
        Session::run(100, 30, "truecolor", &["replay", &recording("four-in-endless"), "--gif", film, "--to", "0:40"]);
    assert_eq!(session.end().exit_code(), 0);
    session.wait_for("the result", |screen| screen.contents().contains("801 pictures"));
    assert!(session.sent("filming: 0:") && session.sent(" of 0:40.0 ("), "{}", session.contents());
    assert!(!session.contents().contains("filming"), "the line is gone when the work is done");
}
