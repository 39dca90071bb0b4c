//! A photograph of every screen, in three sizes and both languages, to be looked at: `target/artifacts`. What is asserted is
//! that each is a screen of its own, that the picture has its place in the page, and that nothing is written over its edge.

use std::{collections::BTreeMap, io::Cursor};

use serde_json::{Value, json};

use crate::{
    browser::Browser,
    chromium::Chromium,
    host::Host,
    scenes::{DOWN, ENTER, ESCAPE, RIGHT, UP, wait_for_a_first_frame, wait_for_a_link},
};

/// Name, width, height, and whether it is a phone.
const SIZES: [(&str, u32, u32, bool); 3] =
    [("upright", 390, 844, true), ("sideways", 844, 390, true), ("desktop", 1920, 1080, false)];

/// A screen asks the node for what it shows, and moves a little when it opens: after this many frames it stands still.
const FRAMES: u64 = 36;

/// The keys from the title to a screen.
const WAYS: &[(&str, &[&str])] = &[
    ("title", &[]),
    ("hangar", &[DOWN, DOWN, DOWN, DOWN, ENTER]),
    ("daily", &[DOWN, DOWN, ENTER]),
    ("practice", &[DOWN, DOWN, DOWN, ENTER]),
    ("options", &[UP, UP, UP, ENTER]),
    ("keys", &[UP, UP, UP, ENTER, UP, UP, ENTER]),
    ("lobbies", &[UP, UP, UP, UP, ENTER]),
    ("create", &[UP, UP, UP, UP, ENTER, DOWN, ENTER]),
    ("scores", &[UP, UP, ENTER]),
    ("credits", &[UP, ENTER]),
    ("lobby", &[UP, UP, UP, UP, ENTER, DOWN, ENTER, UP, UP, ENTER]),
    ("game", &[ENTER, RIGHT]),
    ("menu", &[ENTER, RIGHT, ESCAPE]),
];

#[test]
fn every_screen_is_photographed_in_three_sizes_and_both_languages() {
    let host = Host::start();
    let chromium = Chromium::start();
    for (size, width, height, is_phone) in SIZES {
        let screen = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_phone });
        chromium.devtools("Emulation.setDeviceMetricsOverride", screen);
        chromium.devtools("Emulation.setTouchEmulationEnabled", json!({ "enabled": is_phone, "maxTouchPoints": 5 }));
        for language in ["english", "french"] {
            let mut seen: BTreeMap<Vec<u8>, &str> = BTreeMap::new();
            chromium.open(&host.page(""));
            for (name, keys) in WAYS {
                open(&chromium, &host, language);
                keys.iter().for_each(|key| chromium.press(key));
                wait_until_it_is_drawn(&chromium);
                let of = format!("screen-{size}-{language}-{name}");
                let photograph = Pixels::of(&chromium.screenshot(&of));
                assert_eq!((photograph.width, photograph.height), (width, height), "{of}");
                photograph.assert_whole(&chromium, &of);
                if let Some(same) = seen.insert(photograph.bytes, name) {
                    panic!("{of} looks like {same}");
                }
            }
        }
    }
}

/// Reloads the page for each screen: what was chosen before is forgotten.
fn open(chromium: &Chromium, host: &Host, language: &str) {
    chromium.run(&format!("localStorage.setItem('volley-settings', 'language = {language}\\nname = Ann\\n')"));
    chromium.open(&host.page(""));
    wait_for_a_first_frame(chromium);
    wait_for_a_link(chromium);
}

fn wait_until_it_is_drawn(chromium: &Chromium) {
    chromium
        .run("window.drawn = 0; const count = () => { window.drawn += 1; requestAnimationFrame(count); }; count();");
    let is_enough = |drawn: &Value| drawn.as_u64() >= Some(FRAMES);
    chromium.wait_for("frames of a screen", "return window.drawn", &is_enough);
}

struct Pixels {
    width: u32,
    height: u32,
    /// Red, green and blue of each.
    bytes: Vec<u8>,
}

impl Pixels {
    fn of(png: &[u8]) -> Pixels {
        let mut decoder = png::Decoder::new(Cursor::new(png));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().expect("a PNG");
        let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
        let info = reader.next_frame(&mut bytes).expect("pixels");
        let samples = info.color_type.samples();
        let bytes = bytes[..info.buffer_size()].chunks_exact(samples).flat_map(|pixel| &pixel[..3]).copied().collect();
        Pixels { width: info.width, height: info.height, bytes }
    }

    /// Letters are as light as nothing else in the picture: none of them touches its left or its right edge.
    fn assert_whole(&self, chromium: &Chromium, of: &str) {
        let place = "const box = document.getElementById('picture').getBoundingClientRect();
            return [box.left, box.top, box.right, box.bottom].map(Math.round)";
        let place = chromium.run(place);
        let [left, top, right, bottom] = [0, 1, 2, 3].map(|side| place[side].as_i64().expect("a side"));
        let (width, height) = (i64::from(self.width), i64::from(self.height));
        assert!(left >= 0 && top >= 0 && right <= width && bottom <= height, "{of}: the picture is at {place}");
        for x in [left, right - 1] {
            let lit = (top..bottom).filter(|y| self.is_letter(x, *y)).count();
            assert_eq!(lit, 0, "{of}: letters are cut at {x}");
        }
    }

    /// Whether it is pale or golden, as letters are.
    fn is_letter(&self, x: i64, y: i64) -> bool {
        let at = 3 * (y * i64::from(self.width) + x) as usize;
        matches!(self.bytes[at..at + 3], [0xe6, 0xe8, 0xec] | [0xe4, 0xae, 0x3a] | [0xf6, 0xd4, 0x6c])
    }
}
