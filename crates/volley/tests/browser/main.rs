//! The game as a person meets it: a real node, a real browser, keys, and what the node's API says came of them.
//!
//! Needs Chromium and chromedriver, and a node with the web client inside: `cargo xtask test` sees to both.

mod chromium;
mod host;
mod screenshot;

use serde_json::{Value, json};

use self::{chromium::Chromium, host::Host, screenshot::Glance};

/// WebDriver's codes of keys that are no characters.
const BACKSPACE: &str = "\u{E003}";
const ENTER: &str = "\u{E007}";
const RIGHT: &str = "\u{E014}";
const UP: &str = "\u{E013}";

/// What the page is connected with: `WebTransport`, `WebSocket`, or nothing.
const LINK: &str = "return document.documentElement.dataset.link ?? ''";
const FIRST_FRAME: &str = "return performance.getEntriesByName('volley-first-frame')[0]?.startTime ?? null";

/// A browser that shows exactly so many pixels.
fn browser(width: u32, height: u32) -> Chromium {
    let chromium = Chromium::start();
    show_as(&chromium, width, height, 1, false);
    chromium
}

fn show_as(chromium: &Chromium, width: u32, height: u32, ratio: u32, mobile: bool) {
    let screen = json!({ "width": width, "height": height, "deviceScaleFactor": ratio, "mobile": mobile });
    chromium.devtools("Emulation.setDeviceMetricsOverride", screen);
    chromium.devtools("Emulation.setTouchEmulationEnabled", json!({ "enabled": mobile, "maxTouchPoints": 5 }));
}

fn wait_for_link(chromium: &Chromium) -> String {
    let link = chromium.wait_for("a connection", LINK, |link| link.as_str().is_some_and(|link| !link.is_empty()));
    link.as_str().unwrap_or_default().to_owned()
}

fn place(ship: &Value) -> (i64, i64) {
    (ship["x"].as_i64().expect("x"), ship["y"].as_i64().expect("y"))
}

/// Holds a key until the only ship has gone there. It may be shot meanwhile; then the next one goes there.
fn fly(chromium: &Chromium, host: &Host, key: &str, has_gone: impl Fn((i64, i64), (i64, i64)) -> bool) {
    let from = place(&host.ships(1)[0]);
    chromium.hold(key);
    host.wait("the key moves the ship", || {
        host.players().iter().any(|ship| ship["x"].is_i64() && has_gone(from, place(ship)))
    });
    chromium.release(key);
    let faults = "return document.getElementById('trouble').textContent";
    assert_eq!(chromium.run(faults), "", "the page tells of no trouble");
}

#[test]
fn a_person_opens_the_page_presses_enter_and_flies() {
    let host = Host::start();
    let chromium = browser(1280, 720);
    chromium.open(&host.page(""));
    let first = chromium.wait_for("a first frame", FIRST_FRAME, Value::is_f64);
    println!("first frame {first} ms after the page was asked for");
    let title = Glance::at(&chromium.screenshot("title"));
    assert_eq!((title.width, title.height), (1280, 720));
    assert!(title.lit_percent >= 1 && title.colours.len() >= 4, "{title:?}");

    chromium.press(ENTER);
    assert_eq!(host.ships(1)[0]["dialect"], "volley");
    fly(&chromium, &host, RIGHT, |from, to| to.0 > from.0 + 10);
    fly(&chromium, &host, UP, |from, to| to.1 < from.1 - 10);

    let game = Glance::at(&chromium.screenshot("game"));
    assert_eq!((game.width, game.height), (1280, 720));
    assert!(game.lit_percent >= 1 && game.colours.len() >= 8, "{game:?}");
    assert_eq!(chromium.console(), [""; 0]);
}

#[test]
fn two_tabs_meet_in_one_lobby_by_its_link() {
    let host = Host::start();
    let chromium = browser(1280, 720);
    chromium.open(&host.page("?quick"));
    host.ships(1);
    let lobby = host.lobbies()[0]["id"].as_str().expect("a lobby has an id").to_owned();
    chromium.new_tab();
    chromium.open(&host.page(&format!("?lobby={lobby}")));
    host.ships(2);
    let lobbies = host.lobbies();
    assert_eq!(lobbies.len(), 1, "{lobbies:?}");
    assert_eq!(chromium.console(), [""; 0]);
}

#[test]
fn webtransport_carries_the_game_where_it_gets_through() {
    let host = Host::start();
    let chromium = browser(1280, 720);
    chromium.open(&host.page("?quick"));
    host.ships(1);
    assert_eq!(wait_for_link(&chromium), "WebTransport");
    fly(&chromium, &host, RIGHT, |from, to| to.0 > from.0 + 10);
    assert_eq!(chromium.console(), [""; 0]);
}

#[test]
fn a_browser_without_webtransport_plays_over_a_websocket() {
    let host = Host::start();
    let chromium = browser(1280, 720);
    chromium.before_each_page("delete window.WebTransport");
    chromium.open(&host.page("?quick"));
    host.ships(1);
    assert_eq!(wait_for_link(&chromium), "WebSocket");
    fly(&chromium, &host, RIGHT, |from, to| to.0 > from.0 + 10);
    assert_eq!(chromium.console(), [""; 0]);
}

/// As behind a firewall that lets no UDP through: nothing ever comes back, so that only patience ends the try.
#[test]
fn where_quic_is_blocked_the_page_falls_back_to_a_websocket() {
    let host = Host::start();
    let chromium = browser(1280, 720);
    chromium.before_each_page(SWALLOWED_QUIC);
    chromium.open(&host.page("?quick"));
    host.ships(1);
    assert_eq!(wait_for_link(&chromium), "WebSocket");
    assert_eq!(chromium.run("return window.triedQuic"), true);
    fly(&chromium, &host, RIGHT, |from, to| to.0 > from.0 + 10);
    assert_eq!(chromium.console(), [""; 0]);
}

const SWALLOWED_QUIC: &str = "
    window.WebTransport = class {
        ready = new Promise(() => {});
        closed = new Promise(() => {});
        constructor() { window.triedQuic = true; }
        close() {}
    };";

#[test]
fn a_page_comes_back_by_itself_after_the_node_was_restarted() {
    let mut host = Host::start();
    let chromium = browser(1280, 720);
    chromium.open(&host.page("?quick"));
    host.ships(1);
    host.restart();
    chromium.wait_for("a new connection", LINK, |link| link.as_str().is_some_and(|link| !link.is_empty()));
    host.ships(1);
    fly(&chromium, &host, RIGHT, |from, to| to.0 > from.0 + 10);
    // The browser itself notes each try that met no node; a fault of the page would be another line.
    let is_refusal = |line: &String| line.contains("net::ERR_") || line.contains("WebSocket connection to");
    let console: Vec<String> = chromium.console().into_iter().filter(|line| !is_refusal(line)).collect();
    assert_eq!(console, [""; 0]);
}

#[test]
fn a_phone_shows_a_crisp_picture_and_is_played_with_fingers() {
    let host = Host::start();
    let chromium = Chromium::start();
    show_as(&chromium, 844, 390, 3, true);
    chromium.open(&host.page("?quick"));
    let from = place(&host.ships(1)[0]);
    // A finger comes down at the left and is dragged to the right: a stick.
    let finger = |kind: &str, points: Value| {
        chromium.devtools("Input.dispatchTouchEvent", json!({ "type": kind, "touchPoints": points }));
    };
    finger("touchStart", json!([{ "x": 200, "y": 200 }]));
    finger("touchMove", json!([{ "x": 260, "y": 200 }]));
    let right_of = |ship: &Value| ship["x"].as_i64().is_some_and(|x| x > from.0 + 10);
    host.wait("the finger moves the ship", || host.players().iter().any(right_of));
    finger("touchEnd", json!([]));
    chromium.screenshot("phone-landscape");

    let width =
        "const c = document.getElementById('picture'); return c.getBoundingClientRect().width * devicePixelRatio / 480";
    assert_eq!(chromium.run(width), 4);
    show_as(&chromium, 390, 844, 3, true);
    chromium.wait_for("a smaller picture", width, |scale| *scale == 2);
    chromium.screenshot("phone-portrait");
    assert_eq!(chromium.console(), [""; 0]);
}

/// Where a pixel of the picture is in the page.
fn in_page(chromium: &Chromium, x: u32, y: u32) -> Value {
    let script = format!(
        "const box = document.getElementById('picture').getBoundingClientRect();
         return {{ x: box.left + {x} * box.width / 480, y: box.top + {y} * box.height / 270 }}"
    );
    chromium.run(&script)
}

#[test]
fn a_click_on_the_title_begins_a_game() {
    let host = Host::start();
    let chromium = browser(1280, 720);
    chromium.open(&host.page(""));
    chromium.wait_for("a first frame", FIRST_FRAME, Value::is_f64);
    let play = in_page(&chromium, 180, 134);
    for kind in ["mousePressed", "mouseReleased"] {
        let mouse = json!({ "type": kind, "x": play["x"], "y": play["y"], "button": "left", "clickCount": 1 });
        chromium.devtools("Input.dispatchMouseEvent", mouse);
    }
    host.ships(1);
    assert_eq!(chromium.console(), [""; 0]);
}

#[test]
fn a_phone_shows_its_keyboard_for_a_name_which_is_kept() {
    let host = Host::start();
    let chromium = Chromium::start();
    show_as(&chromium, 844, 390, 3, true);
    chromium.open(&host.page(""));
    chromium.wait_for("a first frame", FIRST_FRAME, Value::is_f64);
    let name = in_page(&chromium, 180, 190);
    chromium.devtools("Input.dispatchTouchEvent", json!({ "type": "touchStart", "touchPoints": [name] }));
    chromium.devtools("Input.dispatchTouchEvent", json!({ "type": "touchEnd", "touchPoints": [] }));
    chromium.wait_for("the field for text", "return document.activeElement.id", |id| *id == "writing");
    chromium.devtools("Input.insertText", json!({ "text": "Annx" }));
    chromium.press(BACKSPACE);
    chromium.press(ENTER);
    let kept = "return localStorage.getItem('volley-settings') ?? ''";
    chromium.wait_for("the name", kept, |kept| kept.as_str().is_some_and(|kept| kept.contains("name = Ann\n")));
    assert_eq!(chromium.console(), [""; 0]);
}
