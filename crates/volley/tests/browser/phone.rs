//! The game on a phone, as Chromium imitates one: its screen and its fingers.

use serde_json::{Value, json};

use crate::{
    browser::Browser,
    chromium::Chromium,
    host::Host,
    scenes::{in_page, is_further_right, place, wait_for_a_first_frame, wait_until_a_ship_is},
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

fn finger(phone: &Chromium, kind: &str, points: Value) {
    phone.devtools("Input.dispatchTouchEvent", json!({ "type": kind, "touchPoints": points }));
}

#[test]
fn a_phone_shows_a_crisp_picture_and_is_played_with_fingers() {
    let host = Host::start();
    let phone = phone(844, 390);
    phone.open(&host.page("?quick"));
    let from = place(&host.ships(1)[0]);
    // A finger comes down at the left and is dragged to the right: a stick.
    finger(&phone, "touchStart", json!([{ "x": 200, "y": 200 }]));
    finger(&phone, "touchMove", json!([{ "x": 260, "y": 200 }]));
    wait_until_a_ship_is(&host, "the finger moves the ship", |at| is_further_right(from, at));
    phone.screenshot("phone-landscape");
    finger(&phone, "touchEnd", json!([]));

    let width =
        "const c = document.getElementById('picture'); return c.getBoundingClientRect().width * devicePixelRatio / 480";
    assert_eq!(phone.run(width), 4);
    turn(&phone, 390, 844);
    phone.wait_for("a smaller picture", width, &|scale| *scale == 2);
    phone.screenshot("phone-portrait");
    assert_eq!(phone.console(), [""; 0]);
}

#[test]
fn a_phone_shows_its_keyboard_for_a_name_which_is_kept() {
    let host = Host::start();
    let phone = phone(844, 390);
    phone.open(&host.page(""));
    wait_for_a_first_frame(&phone);
    let name = in_page(&phone, (180, 190));
    finger(&phone, "touchStart", json!([{ "x": name.x, "y": name.y }]));
    finger(&phone, "touchEnd", json!([]));
    phone.wait_for("the field for text", "return document.activeElement.id", &|id| *id == "writing");
    phone.devtools("Input.insertText", json!({ "text": "Annx" }));
    phone.press(BACKSPACE);
    phone.press(ENTER);
    let kept = "return localStorage.getItem('volley-settings') ?? ''";
    phone.wait_for("the name", kept, &|kept| kept.as_str().is_some_and(|kept| kept.contains("name = Ann\n")));
    assert_eq!(phone.console(), [""; 0]);
}
