//! A real Firefox, driven over WebDriver BiDi: JSON over a WebSocket that Firefox itself listens at, with no driver between.

use std::{
    cell::{Cell, RefCell},
    fs,
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::Instant,
};

use serde_json::{Value, json};
use tempfile::TempDir;
use tungstenite::{Message, WebSocket};

use crate::browser::{Browser, LOOK_EVERY, PATIENCE};

/// Debian's name of it, and everybody else's.
const PROGRAMS: [&str; 2] = ["firefox-esr", "firefox"];
const ARGUMENTS: [&str; 4] = ["--headless", "--no-remote", "--remote-debugging-port", "0"];
/// Every name means this machine, so that nothing that a browser does for itself leaves it.
const PREFERENCES: &str = "user_pref(\"network.dns.native-is-localhost\", true);\n\
    user_pref(\"network.proxy.type\", 0);\n";
/// In the profile: where Firefox says which port it listens at.
const SERVER_FILE: &str = "WebDriverBiDiServer.json";

pub struct Firefox {
    _process: Process,
    /// Removed once Firefox has ended.
    _profile: TempDir,
    socket: RefCell<WebSocket<TcpStream>>,
    commands: Cell<u64>,
    /// The tabs; the last one is shown.
    tabs: RefCell<Vec<String>>,
    console: RefCell<Vec<String>>,
}

impl Firefox {
    pub fn start() -> Firefox {
        let profile = TempDir::new().expect("a place for a profile");
        fs::write(profile.path().join("user.js"), PREFERENCES).expect("preferences");
        let process = PROGRAMS.iter().find_map(|program| spawn(program, profile.path()));
        let process = process.expect("Firefox starts; on Debian: apt-get install firefox-esr");
        let socket = RefCell::new(connect(profile.path()));
        let (commands, tabs, console) = (Cell::new(0), RefCell::default(), RefCell::default());
        let firefox = Firefox { _process: process, _profile: profile, socket, commands, tabs, console };
        firefox.ask("session.new", json!({ "capabilities": {} }));
        firefox.ask("session.subscribe", json!({ "events": ["log.entryAdded"] }));
        let tree = firefox.ask("browsingContext.getTree", json!({}));
        firefox.tabs.borrow_mut().push(text(&tree["contexts"][0]["context"]));
        firefox
    }

    /// What Firefox answers to a command. What it reports meanwhile is taken in.
    fn ask(&self, method: &str, parameters: Value) -> Value {
        let id = self.commands.get() + 1;
        self.commands.set(id);
        let command = json!({ "id": id, "method": method, "params": parameters });
        let mut socket = self.socket.borrow_mut();
        socket.send(Message::text(command.to_string())).unwrap_or_else(|error| panic!("{method}: {error}"));
        loop {
            let message = socket.read().unwrap_or_else(|error| panic!("{method}: {error}"));
            let Message::Text(message) = message else { continue };
            let answer: Value = serde_json::from_str(&message).expect("JSON");
            if answer["id"] == id {
                assert_eq!(answer["type"], "success", "{method}: {}", answer["message"]);
                return answer["result"].clone();
            }
            self.hear(&answer["params"]);
        }
    }

    fn hear(&self, entry: &Value) {
        if matches!(entry["level"].as_str(), Some("warn" | "error")) {
            self.console.borrow_mut().push(text(&entry["text"]));
        }
    }

    fn tab(&self) -> String {
        self.tabs.borrow().last().cloned().expect("a tab")
    }
}

impl Browser for Firefox {
    fn name(&self) -> &'static str {
        "firefox"
    }

    fn resize(&self, width: u32, height: u32) {
        let viewport = json!({ "width": width, "height": height });
        self.ask("browsingContext.setViewport", json!({ "context": self.tab(), "viewport": viewport }));
    }

    fn open(&self, url: &str) {
        self.ask("browsingContext.navigate", json!({ "context": self.tab(), "url": url, "wait": "complete" }));
    }

    fn new_tab(&self) {
        let made = self.ask("browsingContext.create", json!({ "type": "tab" }));
        self.tabs.borrow_mut().push(text(&made["context"]));
    }

    /// It goes through JSON, which both ends know, rather than through BiDi's own spelling of values.
    fn run(&self, script: &str) -> Value {
        let function = format!("() => JSON.stringify((() => {{ {script} }})() ?? null)");
        let target = json!({ "context": self.tab() });
        let call = json!({ "functionDeclaration": function, "target": target, "awaitPromise": false });
        let answer = self.ask("script.callFunction", call);
        assert_eq!(answer["type"], "success", "{script}: {}", answer["exceptionDetails"]["text"]);
        serde_json::from_str(&text(&answer["result"]["value"])).expect("JSON")
    }

    fn before_each_page(&self, script: &str) {
        let function = format!("() => {{ {script} }}");
        self.ask("script.addPreloadScript", json!({ "functionDeclaration": function }));
    }

    fn act(&self, device: Value) {
        self.ask("input.performActions", json!({ "context": self.tab(), "actions": [device] }));
    }

    fn console(&self) -> Vec<String> {
        // What was said before its answer has been heard with it.
        self.ask("session.status", json!({}));
        self.console.take()
    }

    fn look(&self) -> String {
        text(&self.ask("browsingContext.captureScreenshot", json!({ "context": self.tab() }))["data"])
    }
}

/// It ends with the test, even if that fails before Firefox listens.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn spawn(program: &str, profile: &Path) -> Option<Process> {
    let mut firefox = Command::new(program);
    firefox.args(ARGUMENTS).arg("--profile").arg(profile);
    firefox.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok().map(Process)
}

/// Waits until Firefox listens, and begins a conversation.
fn connect(profile: &Path) -> WebSocket<TcpStream> {
    let began = Instant::now();
    let port = loop {
        let told = fs::read_to_string(profile.join(SERVER_FILE)).ok();
        let told = told.and_then(|told| serde_json::from_str::<Value>(&told).ok());
        if let Some(port) = told.and_then(|told| told["ws_port"].as_u64()) {
            break port;
        }
        assert!(began.elapsed() < PATIENCE, "Firefox does not listen");
        thread::sleep(LOOK_EVERY);
    };
    let stream = TcpStream::connect(format!("127.0.0.1:{port}")).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("patience");
    tungstenite::client(format!("ws://127.0.0.1:{port}/session"), stream).expect("a WebSocket").0
}
