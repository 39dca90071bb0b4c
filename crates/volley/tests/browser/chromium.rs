//! A real Chromium, driven over WebDriver: plain JSON over HTTP to chromedriver, which Debian packages beside it.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};

use crate::browser::{Browser, PATIENCE};

/// Headless, as root, without anything that a browser does for itself: it speaks to this machine only.
const ARGUMENTS: [&str; 8] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--window-size=1280,720",
];

pub struct Chromium {
    driver: Child,
    session: String,
    agent: ureq::Agent,
}

impl Chromium {
    pub fn start() -> Chromium {
        Chromium::start_for("localhost", &[])
    }

    /// One that also speaks to this host, with more arguments.
    pub fn start_for(host: &str, arguments: &[&str]) -> Chromium {
        let reach =
            format!("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1, EXCLUDE {host}");
        let arguments: Vec<&str> = ARGUMENTS.iter().chain(arguments).copied().chain([reach.as_str()]).collect();
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
        let capabilities = json!({ "alwaysMatch": {
            "goog:chromeOptions": { "args": arguments },
            "goog:loggingPrefs": { "browser": "ALL" },
        }});
        let answer = chromium.post("", json!({ "capabilities": capabilities }));
        let id = answer["sessionId"].as_str().unwrap_or_else(|| panic!("no session: {answer}")).to_owned();
        chromium.session = format!("{}/{id}", chromium.session);
        chromium
    }

    /// A command of Chromium's own protocol.
    pub fn devtools(&self, command: &str, parameters: Value) -> Value {
        self.post("/goog/cdp/execute", json!({ "cmd": command, "params": parameters }))
    }

    /// Closes this tab and goes back to the first.
    pub fn close_tab(&self) {
        let url = format!("{}/window", self.session);
        let mut answer = self.agent.delete(&url).call().unwrap_or_else(|error| panic!("close a tab: {error}"));
        let left: Value = answer.body_mut().read_json().expect("an answer in JSON");
        self.post("/window", json!({ "handle": left["value"][0] }));
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
}

impl Browser for Chromium {
    fn name(&self) -> &'static str {
        "chromium"
    }

    fn resize(&self, width: u32, height: u32) {
        let screen = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", screen);
    }

    fn open(&self, url: &str) {
        self.post("/url", json!({ "url": url }));
    }

    fn new_tab(&self) {
        let made = self.post("/window/new", json!({ "type": "tab" }));
        self.post("/window", json!({ "handle": made["handle"] }));
    }

    fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", json!({ "script": script, "args": [] }))
    }

    fn before_each_page(&self, script: &str) {
        self.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": script }));
    }

    fn act(&self, device: Value) {
        self.post("/actions", json!({ "actions": [device] }));
    }

    fn console(&self) -> Vec<String> {
        let log = self.post("/se/log", json!({ "type": "browser" }));
        let lines = log.as_array().cloned().unwrap_or_default().into_iter();
        let bad = lines.filter(|line| matches!(line["level"].as_str(), Some("SEVERE" | "WARNING")));
        bad.map(|line| line["message"].as_str().unwrap_or_default().to_owned()).collect()
    }

    fn look(&self) -> String {
        self.get("/screenshot").as_str().expect("a screenshot").to_owned()
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
