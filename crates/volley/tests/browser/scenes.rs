//! What a person does and what comes of it, in whatever browser: a real node, keys, and what the node's API says.
//! `in_chromium.rs` and `in_firefox.rs` say which of it is played where.

use std::time::Duration;

use serde_json::Value;

use crate::{
    browser::{Browser, Place},
    host::Host,
    screenshot::Glance,
};

/// WebDriver's codes of keys that are not characters.
pub const ENTER: &str = "\u{E007}";
pub const ESCAPE: &str = "\u{E00C}";
pub const RIGHT: &str = "\u{E014}";
pub const UP: &str = "\u{E013}";
pub const DOWN: &str = "\u{E015}";
const SPACE: &str = " ";
const TAB: &str = "\u{E004}";

/// What the page is connected with: `WebTransport`, `WebSocket`, or nothing.
const LINK: &str = "return document.documentElement.dataset.link ?? ''";
const FIRST_FRAME: &str = "return performance.getEntriesByName('volley-first-frame')[0]?.startTime ?? null";
const FIRST_SOUND: &str = "return performance.getEntriesByName('volley-first-sound')[0]?.startTime ?? null";
/// Within a second of the key, however busy the machine.
const FIRST_SOUND_MS_MAX: f64 = 1_000.0;
/// Three times of what a title may take on an idle machine: tests run beside each other.
const FIRST_FRAME_MS_MAX: f64 = 1_000.0;
const TROUBLE: &str = "return document.getElementById('trouble').textContent";

/// The line *Play* of the title, in pixels of the picture.
pub const PLAY: (u32, u32) = (160, 111);

/// Returns what it played over.
pub fn open_the_page_press_enter_and_fly(browser: &dyn Browser) -> String {
    let host = Host::start();
    browser.resize(1280, 720);
    browser.open(&host.page(""));
    let first = wait_for_a_first_frame(browser);
    println!("first frame {first} ms after the page was asked for");
    assert!(first.as_f64() < Some(FIRST_FRAME_MS_MAX), "the first frame took {first} ms");
    let title = Glance::at(&browser.screenshot("title"));
    assert_eq!((title.width, title.height), (1280, 720));
    assert!(title.lit_percent >= 1 && title.colours.len() >= 4, "{title:?}");

    browser.press(ENTER);
    assert_eq!(host.ships(1)[0]["dialect"], "volley");
    fly(browser, &host, RIGHT, is_further_right);
    fly(browser, &host, UP, |from, to| to.1 < from.1 - 10);

    browser.hold(TAB);
    let is_led_away = browser.run("return document.activeElement instanceof HTMLButtonElement");
    assert_eq!(is_led_away, false, "in a game Tab shows the players");
    browser.release(TAB);

    let game = Glance::at(&browser.screenshot("game"));
    assert_eq!((game.width, game.height), (1280, 720));
    assert!(game.lit_percent >= 1 && game.colours.len() >= 8, "{game:?}");
    assert_eq!(browser.console(), [""; 0]);
    wait_for_a_link(browser)
}

pub fn hear_something_after_the_first_key(browser: &dyn Browser) {
    let host = Host::start();
    hear_something_at(browser, &host.page(""));
}

/// At this page something is heard once the first key was pressed, and nothing before.
pub fn hear_something_at(browser: &dyn Browser, page: &str) {
    browser.open(page);
    wait_for_a_first_frame(browser);
    assert_eq!(browser.run(FIRST_SOUND), Value::Null, "browsers keep a page silent until somebody uses it");
    let pressed = browser.run("return performance.now()");
    browser.press(DOWN);
    let heard = browser.wait_for("a first sound", FIRST_SOUND, &Value::is_number);
    let (heard, pressed) = (heard.as_f64().expect("a time"), pressed.as_f64().expect("a time"));
    println!("first sound {:.0} ms after the first key", heard - pressed);
    assert!(heard - pressed < FIRST_SOUND_MS_MAX, "the first sound took {:.0} ms", heard - pressed);
    assert_eq!(browser.console(), [""; 0]);
}

/// Two tabs, of which the second is shown; returns the node that they met at.
pub fn meet_in_one_lobby_by_its_link(browser: &dyn Browser) -> Host {
    let host = Host::start();
    browser.open(&host.page("?quick"));
    host.ships(1);
    let lobby = host.lobbies()[0]["id"].as_str().expect("a lobby has an id").to_owned();
    browser.new_tab();
    browser.open(&host.page(&format!("?lobby={lobby}")));
    host.ships(2);
    let lobbies = host.lobbies();
    assert_eq!(lobbies.len(), 1, "{lobbies:?}");
    assert_eq!(browser.console(), [""; 0]);
    host
}

/// Plays over what it is connected with, and returns what that is.
pub fn play_over_what_gets_through(browser: &dyn Browser) -> String {
    let host = Host::start();
    browser.open(&host.page("?quick"));
    host.ships(1);
    let link = wait_for_a_link(browser);
    fly(browser, &host, RIGHT, is_further_right);
    assert_eq!(browser.console(), [""; 0]);
    link
}

pub fn come_back_after_the_node_was_restarted(browser: &dyn Browser) {
    let mut host = Host::start();
    browser.open(&host.page("?quick"));
    host.ships(1);
    host.wait("its game is saved", || host.has_saved());
    let seats = host.seats();
    // What is saved now was decided before the last save but one.
    let saves = host.saves();
    host.wait("two more saves", || host.saves() >= saves + 2.0);
    host.restart();
    wait_for_a_link(browser);
    host.ships(1);
    assert_eq!(host.seats(), seats, "the lobby and the seat are those from before");
    fly(browser, &host, RIGHT, is_further_right);
    // The browser itself notes each try that met no node; a fault of the page would be another line.
    let is_refusal = |line: &String| line.contains("net::ERR_") || line.contains("ws://");
    let console: Vec<String> = browser.console().into_iter().filter(|line| !is_refusal(line)).collect();
    assert_eq!(console, [""; 0]);
}

pub fn click_on_the_title(browser: &dyn Browser) {
    let host = Host::start();
    browser.resize(1280, 720);
    browser.open(&host.page(""));
    wait_for_a_first_frame(browser);
    browser.click(in_page(browser, PLAY));
    host.ships(1);
    assert_eq!(browser.console(), [""; 0]);
}

/// From the title to a lobby of one's own, with bots in it, and into its game; there another bot comes, and one goes.
pub fn fill_a_lobby_with_bots_and_play(browser: &dyn Browser) {
    let host = Host::start();
    browser.resize(1280, 720);
    browser.before_each_page(NO_CLIPBOARD);
    browser.open(&host.page(""));
    wait_for_a_first_frame(browser);
    // The list of lobbies, a new one, and its last line but one, which opens it.
    press_all(browser, &[UP, UP, UP, UP, ENTER, DOWN, ENTER, UP, UP, ENTER]);
    host.wait("a lobby that waits", || host.lobbies().iter().any(|lobby| lobby["state"] == "waiting"));
    press_all(browser, &[DOWN, DOWN, DOWN, ENTER, RIGHT, ENTER]);
    host.wait("two bots", || skills(&host) == ["normal", "good"]);
    browser.screenshot("lobby");
    // Below what removes the two bots is the way for others.
    press_all(browser, &[DOWN, DOWN, DOWN, ENTER]);
    host.wait("the link, read out", || {
        browser.run(STATUS_WORDS).as_str().is_some_and(|words| words.contains("lobby="))
    });
    browser.screenshot("share");
    assert_eq!(browser.run(STATUS_SHOWN), false, "the picture shows the link: nothing covers it");
    press_all(browser, &[ESCAPE, UP, UP, UP, UP, UP, UP, ENTER]);
    host.ships(3);
    assert_eq!(host.lobbies()[0]["state"], "running");
    browser.screenshot("game-with-bots");

    // The fifth line of the menu over the game is the host's.
    press_all(browser, &[ESCAPE, DOWN, DOWN, DOWN, DOWN, ENTER, ENTER]);
    host.wait("a third bot, while the game runs", || skills(&host) == ["normal", "good", "normal"]);
    press_all(browser, &[DOWN, ENTER]);
    host.wait("the first bot is gone", || skills(&host) == ["good", "normal"]);
    browser.screenshot("host-menu");
    press_all(browser, &[ESCAPE, ESCAPE]);
    host.wait("bots play: they have a score", || host.lobbies()[0]["score"].as_u64() > Some(0));
    assert_eq!(host.lobbies().len(), 1);
    assert_eq!(browser.console(), [""; 0]);
}

/// As over plain HTTP from another machine.
const NO_CLIPBOARD: &str = "Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined })";
const STATUS_WORDS: &str = "return document.getElementById('status').textContent";
const STATUS_SHOWN: &str = "return document.getElementById('status').classList.contains('new')";

/// How well the bots of the only lobby play, by seat.
fn skills(host: &Host) -> Vec<String> {
    host.players().iter().filter_map(|player| player["bot"].as_str().map(str::to_owned)).collect()
}

fn press_all(browser: &dyn Browser, keys: &[&str]) {
    keys.iter().for_each(|key| browser.press(key));
}

/// The guest joins a lobby that waits, and its host kicks them: they are in no other game, and stay on the page. Returns what the
/// guest was connected over.
pub fn kick_a_guest(browser: &dyn Browser, guest: &dyn Browser) -> String {
    let host = Host::start();
    browser.open(&host.page(""));
    wait_for_a_first_frame(browser);
    press_all(browser, &[UP, UP, UP, UP, ENTER, DOWN, ENTER, UP, UP, ENTER]);
    host.wait("a lobby that waits", || host.lobbies().iter().any(|lobby| lobby["state"] == "waiting"));
    let lobby = host.lobbies()[0]["id"].as_str().expect("a lobby has an id").to_owned();
    guest.open(&host.page(&format!("?lobby={lobby}")));
    host.wait("the guest", || host.players().len() == 2);
    let link = wait_for_a_link(guest);
    // Below the bot is the guest, whom the host is asked about once more.
    press_all(browser, &[DOWN, DOWN, DOWN, DOWN, ENTER, ENTER]);
    host.wait("the guest is gone", || host.players().len() == 1);
    guest.wait_for("no connection", LINK, &|link| link == "");
    // The page used to be in another game within half a second.
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!((host.lobbies().len(), host.players().len()), (1, 1), "{:?}", host.lobbies());
    guest.screenshot("kicked");
    assert_eq!((browser.console(), guest.console()), (vec![], vec![]));
    link
}

/// From the title to a first game, which is lost; the next try at once; the name, once; and the table with this game in it.
pub fn play_lose_retry_and_enter_the_table(browser: &dyn Browser) {
    let host = Host::start();
    lose_a_first_game(browser, &host);
    browser.screenshot("tally");
    host.wait("fire plays again at once", || {
        browser.press(SPACE);
        host.lobbies()[0]["state"] == "running"
    });
    assert_eq!(host.lobbies().len(), 1, "in the same lobby");

    lose_with_a_score(browser, &host);
    let is_asked = "return document.documentElement.dataset.writing !== undefined";
    browser.wait_for("the name is asked for", is_asked, &|is| *is == true);
    browser.screenshot("name");
    ["A", "n", "n"].into_iter().for_each(|letter| browser.press(letter));
    browser.press(ENTER);
    let kept = "return localStorage.getItem('volley-settings') ?? ''";
    browser.wait_for("the name", kept, &|kept| kept.as_str().is_some_and(|kept| kept.contains("name = Ann\n")));
    let table = || host.scores("mode=campaign&stage=stage1&difficulty=hard&players=1");
    host.wait("the lost game is in its table under that name", || {
        table().iter().any(|game| game["players"][0]["name"] == "Ann")
    });
    assert!(table().is_sorted_by(|one, next| one["score"].as_u64() >= next["score"].as_u64()), "by score");
    // The tally may be shown yet: sideways is the table, in which the row of this game is marked.
    let own_row = |shown: &Glance| shown.colours.get(&OWN_ROW).copied().unwrap_or(0);
    host.wait("the table with this game marked", || {
        browser.press(RIGHT);
        own_row(&Glance::at(&browser.screenshot("table"))) > OWN_ROW_PIXELS_MIN
    });
    assert_eq!(browser.console(), [""; 0]);
}

/// The ground of the row of one's own game (colour `4` of the palette), and what a row of it has at least.
const OWN_ROW: [u8; 3] = [0x28, 0x34, 0x5a];
const OWN_ROW_PIXELS_MIN: u64 = 2_000;

/// From the title to a game that is lost, with a score.
pub fn lose_a_first_game(browser: &dyn Browser, host: &Host) {
    browser.resize(1280, 720);
    browser.open(&host.page(""));
    // Few lives: a test has little time.
    browser.run("localStorage.setItem('volley-settings', 'difficulty = hard\\nlanguage = english\\n')");
    browser.open(&host.page(""));
    wait_for_a_first_frame(browser);
    browser.press(ENTER);
    lose_with_a_score(browser, host);
}

/// A ship that flies blindly is lucky at times: a whole game takes half a minute as a rule, and minutes at worst.
const LOST_GAME_MAX: Duration = Duration::from_mins(5);

/// Fires until something was shot down, then flies unarmed into what comes.
fn lose_with_a_score(browser: &dyn Browser, host: &Host) {
    host.ships(1);
    browser.hold(RIGHT);
    let (mut key, mut other, mut turns) = (UP, DOWN, 0);
    host.wait_at_most(LOST_GAME_MAX, "a game with a score is lost", || {
        turns += 1;
        if turns % 8 == 1 {
            browser.release(key);
            std::mem::swap(&mut key, &mut other);
            browser.hold(key);
        }
        let lobby = &host.lobbies()[0];
        let (is_lost, has_score) = (lobby["state"] == "lost", lobby["score"].as_u64() > Some(0));
        if !has_score {
            browser.press(SPACE);
        }
        is_lost && has_score
    });
    [RIGHT, key].into_iter().for_each(|key| browser.release(key));
}

/// With one finger: a tap on the title, then a stick wherever it comes down at the left.
pub fn play_with_a_finger(browser: &dyn Browser) {
    let host = Host::start();
    browser.open(&host.page(""));
    wait_for_a_first_frame(browser);
    browser.touch(in_page(browser, PLAY));
    browser.lift();
    let from = place(&host.ships(1)[0]);
    browser.touch(in_page(browser, (80, 180)));
    browser.drag(in_page(browser, (120, 180)));
    wait_until_a_ship_is(&host, "the finger moves the ship", |at| is_further_right(from, at));
    browser.lift();
    assert_eq!(browser.console(), [""; 0]);
}

/// The page is there; how many milliseconds that took.
pub fn wait_for_a_first_frame(browser: &dyn Browser) -> Value {
    browser.wait_for("a first frame", FIRST_FRAME, &Value::is_number)
}

pub fn wait_for_a_link(browser: &dyn Browser) -> String {
    let is_there = |link: &Value| link.as_str().is_some_and(|link| !link.is_empty());
    browser.wait_for("a connection", LINK, &is_there).as_str().unwrap_or_default().to_owned()
}

/// Where a pixel of the picture is in the page.
pub fn in_page(browser: &dyn Browser, (x, y): (u32, u32)) -> Place {
    let script = format!(
        "const box = document.getElementById('picture').getBoundingClientRect();
         return [box.left + {x} * box.width / 480, box.top + {y} * box.height / 270];"
    );
    let place = browser.run(&script);
    Place { x: place[0].as_f64().expect("x"), y: place[1].as_f64().expect("y") }
}

/// Holds a key until the only ship has gone there.
fn fly(browser: &dyn Browser, host: &Host, key: &str, has_gone: impl Fn((i64, i64), (i64, i64)) -> bool) {
    let from = place(&host.ships(1)[0]);
    browser.hold(key);
    let has_come = |ship: &Value| ship["x"].is_i64() && has_gone(from, place(ship));
    host.wait("the key moves the ship", || {
        let is_there = host.players().iter().any(has_come);
        // What was pressed before the game began does not reach it, so it is pressed again, as a person would.
        if !is_there {
            browser.release(key);
            browser.hold(key);
        }
        is_there
    });
    browser.release(key);
    assert_eq!(browser.run(TROUBLE), "", "the page tells of no trouble");
}

/// It may be shot meanwhile; then the next one goes there.
pub fn wait_until_a_ship_is(host: &Host, what: &str, there: impl Fn((i64, i64)) -> bool) {
    host.wait(what, || host.players().iter().any(|ship| ship["x"].is_i64() && there(place(ship))));
}

pub fn is_further_right(from: (i64, i64), to: (i64, i64)) -> bool {
    to.0 > from.0 + 10
}

pub fn place(ship: &Value) -> (i64, i64) {
    (ship["x"].as_i64().expect("x"), ship["y"].as_i64().expect("y"))
}
