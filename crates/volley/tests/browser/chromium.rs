//! A real Chromium, driven over WebDriver: plain JSON over HTTP to chromedriver, which Debian packages beside it.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use base64::prelude::{BASE64_STANDARD, Engine};
use serde_json::{Value, json};

/// Far more than anything takes; a slow machine should not fail a test.
pub const PATIENCE: Duration = Duration::from_secs(90);
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Headless, as root, without anything that a browser does for itself: it speaks to this machine only.
const ARGUMENTS: [&str; 9] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
    "--window-size=1280,720",
];

/// A browser with one tab or more; it ends with the test.
pub struct Chromium {
    driver: Child,
    session: String,
    agent: ureq::Agent,
}

impl Chromium {
    pub fn start() -> Chromium {
        Chromium::start_with(&[])
    }

    pub fn start_with(more: &[&str]) -> Chromium {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts; on Debian: apt-get install chromium chromium-driver");
        let said = BufReader::new(driver.stdout.take().expect("its output")).lines();
        let port = said.map_while(Result::ok).find_map(|line| port(&line)).expect("chromedriver says its port");
        let config = ureq::Agent::config_builder().timeout_global(Some(PATIENCE)).http_status_as_error(false).build();
        let agent = ureq::Agent::new_with_config(config);
        let mut chromium = Chromium { driver, session: format!("http://127.0.0.1:{port}/session"), agent };
        let arguments = [&ARGUMENTS[..], more].concat();
        let capabilities = json!({ "alwaysMatch": {
            "goog:chromeOptions": { "args": arguments },
            "goog:loggingPrefs": { "browser": "ALL" },
        }});
        let answer = chromium.post("", json!({ "capabilities": capabilities }));
        let id = answer["sessionId"].as_str().unwrap_or_else(|| panic!("no session: {answer}")).to_owned();
        chromium.session = format!("{}/{id}", chromium.session);
        chromium
    }

    fn post(&self, command: &str, body: Value) -> Value {
        let url = format!("{}{command}", self.session);
        let mut answer = self.agent.post(&url).send_json(&body).unwrap_or_else(|error| panic!("{command}: {error}"));
        let is_well = answer.status().is_success();
        let answer: Value = answer.body_mut().read_json().expect("an answer in JSON");
        assert!(is_well, "{command}: {}", answer["value"]["message"]);
        answer["value"].clone()
    }

    fn get(&self, command: &str) -> Value {
        let url = format!("{}{command}", self.session);
        let limit = 100 << 20;
        let mut answer = self.agent.get(&url).call().unwrap_or_else(|error| panic!("{command}: {error}"));
        let answer: Value = answer.body_mut().with_config().limit(limit).read_json().expect("an answer in JSON");
        answer["value"].clone()
    }

    pub fn open(&self, url: &str) {
        self.post("/url", json!({ "url": url }));
    }

    /// Opens another tab and goes there.
    pub fn new_tab(&self) {
        let made = self.post("/window/new", json!({ "type": "tab" }));
        self.post("/window", json!({ "handle": made["handle"] }));
    }

    /// What a script returns in the page.
    pub fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", json!({ "script": script, "args": [] }))
    }

    /// A command of Chromium's own protocol.
    pub fn devtools(&self, command: &str, parameters: Value) -> Value {
        self.post("/goog/cdp/execute", json!({ "cmd": command, "params": parameters }))
    }

    /// Runs before anything else in every page that is opened from now on.
    pub fn before_each_page(&self, script: &str) {
        self.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": script }));
    }

    /// The value of a script, once it is what is waited for.
    pub fn wait_for(&self, what: &str, script: &str, is_right: impl Fn(&Value) -> bool) -> Value {
        let began = Instant::now();
        loop {
            let value = self.run(script);
            if is_right(&value) {
                return value;
            }
            assert!(began.elapsed() < PATIENCE, "{what}: it is {value}; the console says {:?}", self.console());
            thread::sleep(LOOK_EVERY);
        }
    }

    /// Presses a key, as a person does: WebDriver's code of it, or its character.
    pub fn press(&self, key: &str) {
        self.keys(&[("keyDown", key)]);
        thread::sleep(LOOK_EVERY);
        self.keys(&[("keyUp", key)]);
    }

    pub fn hold(&self, key: &str) {
        self.keys(&[("keyDown", key)]);
    }

    pub fn release(&self, key: &str) {
        self.keys(&[("keyUp", key)]);
    }

    fn keys(&self, steps: &[(&str, &str)]) {
        let actions: Vec<Value> = steps.iter().map(|(kind, key)| json!({ "type": kind, "value": key })).collect();
        self.post("/actions", json!({ "actions": [{ "type": "key", "id": "keyboard", "actions": actions }] }));
    }

    /// What the console has said since it was last asked, warnings and worse.
    pub fn console(&self) -> Vec<String> {
        let log = self.post("/se/log", json!({ "type": "browser" }));
        let lines = log.as_array().cloned().unwrap_or_default().into_iter();
        let bad = lines.filter(|line| matches!(line["level"].as_str(), Some("SEVERE" | "WARNING")));
        bad.map(|line| line["message"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Keeps a screenshot under `target/artifacts/` and returns its bytes.
    pub fn screenshot(&self, name: &str) -> Vec<u8> {
        let encoded = self.get("/screenshot");
        let png = BASE64_STANDARD.decode(encoded.as_str().expect("a screenshot")).expect("in base 64");
        let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).with_file_name("artifacts");
        fs::create_dir_all(&directory).expect("a place for artefacts");
        fs::write(directory.join(format!("{name}.png")), &png).expect("kept");
        png
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // Ends the browser; what is left ends with its driver.
        let _ = self.agent.delete(&self.session).call();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// The port in `ChromeDriver was started successfully on port 41234.`
fn port(line: &str) -> Option<u16> {
    line.split_once("started successfully on port ")?.1.trim_end_matches('.').parse().ok()
}
