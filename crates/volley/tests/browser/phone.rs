//! The game on a phone, as Chromium imitates one: its screen and its fingers.

use serde_json::{Value, json};

use crate::{
    browser::{Browser, Place},
    chromium::Chromium,
    host::Host,
    scenes::{PLAY, in_page, is_further_right, place, wait_for_a_first_frame, wait_until_a_ship_is},
};

const BACKSPACE: &str = "\u{E003}";
const ENTER: &str = "\u{E007}";

fn phone(width: u32, height: u32) -> Chromium {
    let chromium = Chromium::start();
    turn(&chromium, width, height);
    chromium.devtools("Emulation.setTouchEmulationEnabled", json!({ "enabled": true, "maxTouchPoints": 5 }));
    chromium
}

/// Three pixels of the screen for each of the page, as good phones have.
fn turn(phone: &Chromium, width: u32, height: u32) {
    let screen = json!({ "width": width, "height": height, "deviceScaleFactor": 3, "mobile": true });
    phone.devtools("Emulation.setDeviceMetricsOverride", screen);
}

/// These fingers are down now: one that was not before comes down, one that was moves, one that is left out is lifted.
fn fingers(phone: &Chromium, kind: &str, places: &[Place]) {
    let point = |(id, place): (usize, &Place)| json!({ "id": id, "x": place.x, "y": place.y });
    let points: Vec<Value> = places.iter().enumerate().map(point).collect();
    phone.devtools("Input.dispatchTouchEvent", json!({ "type": kind, "touchPoints": points }));
}

fn tap(phone: &Chromium, at: (u32, u32)) {
    fingers(phone, "touchStart", &[in_page(phone, at)]);
    fingers(phone, "touchEnd", &[]);
}

/// Flies right with the left thumb while the right one fires, until the ship has gone there.
fn fly_and_fire(phone: &Chromium, host: &Host, stick: Place, fire: Place, name: &str) {
    let from = place(&host.ships(1)[0]);
    let pushed = Place { x: stick.x + 60.0, ..stick };
    fingers(phone, "touchStart", &[stick]);
    fingers(phone, "touchMove", &[pushed]);
    fingers(phone, "touchStart", &[pushed, fire]);
    wait_until_a_ship_is(host, "the finger moves the ship", |at| is_further_right(from, at));
    phone.screenshot(name);
    fingers(phone, "touchEnd", &[]);
    assert_eq!(phone.run(MOVED), json!([0, 0, 1, 0, 0]), "the page neither scrolls nor zooms below the fingers");
}

const MOVED: &str = "const seen = window.visualViewport;
    return [scrollX, scrollY, seen.scale, seen.offsetLeft, seen.offsetTop];";

/// How many pixels of the screen one of the picture is.
const SCALE: &str = "const box = document.getElementById('picture').getBoundingClientRect();
    return box.width * devicePixelRatio / 480";

/// A line of the title.
const OPTIONS: (u32, u32) = (160, 196);

/// Lines of the menu over the game, and the corner that opens it.
const MENU: (u32, u32) = (466, 30);
const FULL_SCREEN: (u32, u32) = (200, 131);
const LEAVE: (u32, u32) = (200, 173);

#[test]
fn a_phone_is_played_with_fingers_alone() {
    let host = Host::start();
    let phone = phone(844, 390);
    phone.open(&host.page(""));
    wait_for_a_first_frame(&phone);
    phone.screenshot("phone-title");
    assert_eq!(phone.run(SCALE), 4, "the picture is crisp: 4 of 4.33");
    tap(&phone, PLAY);
    // The right thumb is beside the picture, where it rests.
    fly_and_fire(&phone, &host, Place { x: 120.0, y: 250.0 }, Place { x: 790.0, y: 290.0 }, "phone-landscape");

    tap(&phone, MENU);
    tap(&phone, FULL_SCREEN);
    phone.wait_for("full screen", "return document.fullscreenElement !== null", &|is| *is == true);
    tap(&phone, MENU);
    tap(&phone, LEAVE);
    host.wait("the player has left", || host.players().is_empty());
    assert_eq!(phone.console(), [""; 0]);
}

#[test]
fn a_phone_that_is_held_upright_is_played_below_the_picture() {
    let host = Host::start();
    let phone = phone(844, 390);
    phone.open(&host.page("?quick"));
    host.ships(1);
    turn(&phone, 390, 844);
    let fills = "return Math.round(document.getElementById('picture').getBoundingClientRect().width)";
    phone.wait_for("a picture of the full width", fills, &|width| *width == 390);
    assert!(in_page(&phone, (0, 270)).y < 450.0, "there is room for thumbs");
    fly_and_fire(&phone, &host, Place { x: 100.0, y: 650.0 }, Place { x: 340.0, y: 650.0 }, "phone-portrait");
    assert_eq!(phone.console(), [""; 0]);
}

/// Lines of the title and of the menu over the game in large letters, which an upright phone has.
const LARGE_PLAY: (u32, u32) = (60, 93);
const LARGE_LEAVE: (u32, u32) = (290, 147);

#[test]
fn a_phone_that_is_held_upright_is_played_from_the_title_on() {
    let host = Host::start();
    let phone = phone(390, 844);
    phone.open(&host.page(""));
    wait_for_a_first_frame(&phone);
    assert_eq!(phone.run(SCALE), json!(390.0 * 3.0 / 480.0), "the picture has the full width");
    phone.screenshot("phone-upright-title");
    tap(&phone, LARGE_PLAY);
    fly_and_fire(&phone, &host, Place { x: 100.0, y: 650.0 }, Place { x: 340.0, y: 650.0 }, "phone-upright-game");
    tap(&phone, MENU);
    host.wait("the game is paused", || host.lobbies()[0]["paused"] == true);
    phone.screenshot("phone-upright-menu");
    tap(&phone, LARGE_LEAVE);
    host.wait("the player has left", || host.players().is_empty());
    assert_eq!(phone.console(), [""; 0]);
}

const KEYBOARD: &str = "Object.defineProperty(window.visualViewport, 'height', { value: 190 });
    window.visualViewport.dispatchEvent(new Event('resize'));";

#[test]
fn a_phone_shows_its_keyboard_for_a_name_which_is_kept() {
    let host = Host::start();
    let phone = phone(844, 390);
    phone.open(&host.page(""));
    wait_for_a_first_frame(&phone);
    // The options, then the first line of them.
    tap(&phone, OPTIONS);
    tap(&phone, (180, 36));
    phone.wait_for("the field for text", "return document.activeElement.id", &|id| *id == "writing");
    // A keyboard covers half of the page: the picture goes to the other half.
    phone.run(KEYBOARD);
    assert!(in_page(&phone, (0, 270)).y <= 190.0);
    phone.devtools("Input.insertText", json!({ "text": "Annx" }));
    phone.press(BACKSPACE);
    phone.press(ENTER);
    let kept = "return localStorage.getItem('volley-settings') ?? ''";
    phone.wait_for("the name", kept, &|kept| kept.as_str().is_some_and(|kept| kept.contains("name = Ann\n")));
    assert_eq!(phone.console(), [""; 0]);
}
