//! Replays in a page: by a link, as a dropped file, and of a game that was played alone, on a node that records nothing.

use std::{fs, path::Path};

use base64::prelude::{BASE64_STANDARD, Engine};
use serde_json::Value;

use crate::{
    browser::Browser,
    chromium::Chromium,
    host::Host,
    scenes::{self, wait_for_a_first_frame},
    screenshot::Glance,
};

const ESCAPE: &str = "\u{E00C}";
const GAME: &str = "000000000000002a";
const IS_REPLAYING: &str = "return document.documentElement.dataset.replaying !== undefined";

fn recording() -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../replay/recordings/four-in-endless.vreplay");
    fs::read(path).expect("it is in the repository")
}

/// Lets go of a file over the page.
fn drop_file(browser: &dyn Browser, bytes: &[u8]) {
    let script = "
        const bytes = Uint8Array.from(atob('BYTES'), (letter) => letter.charCodeAt(0));
        const carried = new DataTransfer();
        carried.items.add(new File([bytes], 'game.vreplay'));
        dispatchEvent(new DragEvent('drop', { dataTransfer: carried, cancelable: true }));";
    browser.run(&script.replace("BYTES", &BASE64_STANDARD.encode(bytes)));
}

fn status(browser: &dyn Browser, part: &str) {
    let says = |status: &Value| status.as_str().is_some_and(|status| status.contains(part));
    browser.wait_for(part, "return document.getElementById('status').textContent", &says);
}

#[test]
fn a_replay_is_watched_by_its_link_and_downloaded() {
    let host = Host::start_with_recordings(&[(GAME, &recording())]);
    let chromium = Chromium::start();
    chromium.resize(1280, 720);
    chromium.open(&host.page(&format!("?replay={GAME}")));
    wait_for_a_first_frame(&chromium);
    chromium.wait_for("the replay is shown", IS_REPLAYING, &|is| *is == true);
    let shown = Glance::at(&chromium.screenshot("replay"));
    assert!(shown.lit_percent >= 1 && shown.colours.len() >= 8, "{shown:?}");
    let link = "const link = document.getElementById('download'); return link.hidden ? '' : link.getAttribute('href')";
    chromium.wait_for("the download is offered", link, &|link| *link == format!("/api/replays/{GAME}"));
    let fetched = "return fetch(document.getElementById('download').href).then((it) => it.arrayBuffer()).then((it) => it.byteLength)";
    assert_eq!(chromium.run(fetched), recording().len());
    chromium.press(ESCAPE);
    chromium.wait_for("the title is back", IS_REPLAYING, &|is| *is == false);
    chromium.wait_for("nothing is offered any more", link, &|link| *link == "");
    chromium.open(&host.page("?replay=00000000000000ff"));
    status(&chromium, "no such replay");
}

#[test]
fn a_dropped_file_is_watched_and_what_is_not_a_replay_is_refused() {
    let (host, chromium) = (Host::start(), Chromium::start());
    chromium.resize(1280, 720);
    chromium.open(&host.page(""));
    wait_for_a_first_frame(&chromium);
    drop_file(&chromium, b"no replay at all");
    status(&chromium, "cannot be played: this is not a replay");
    assert_eq!(chromium.run(IS_REPLAYING), false);
    drop_file(&chromium, &recording());
    chromium.wait_for("the replay is shown", IS_REPLAYING, &|is| *is == true);
}

#[test]
fn a_game_played_alone_is_saved_watched_and_kept_as_the_best_run() {
    let (host, chromium) = (Host::start(), Chromium::start());
    chromium.before_each_page(
        "window.saved = [];
         const make = URL.createObjectURL;
         URL.createObjectURL = (blob) => { window.saved.push(blob); return make.call(URL, blob); };",
    );
    scenes::lose_a_first_game(&chromium, &host);
    let best = "return indexedDB.databases().then((all) => all.some((it) => it.name === 'volley')
        ? new Promise((resolve) => {
            const opening = indexedDB.open('volley');
            opening.onsuccess = () => {
                const asked = opening.result.transaction('runs').objectStore('runs').getAll();
                asked.onsuccess = () => { opening.result.close(); resolve(asked.result.map((it) => it.table).join()); };
            };
        }) : '')";
    let table = "mode=campaign&stage=stage1&difficulty=hard&players=1";
    chromium.wait_for("the best run is kept", best, &|found| *found == table);
    // A player without a name is asked for one first, and declines.
    chromium.wait_for("the name is asked for", "return document.documentElement.hasAttribute('data-writing')", &|is| {
        *is == true
    });
    chromium.press(ESCAPE);
    host.wait("the replay is saved", || {
        chromium.press("s");
        chromium.run("return window.saved[0]?.slice(0, 7).text() ?? ''") == "VREPLAY"
    });
    chromium.screenshot("own-replay-offered");
    chromium.press("r");
    chromium.wait_for("the replay is shown", IS_REPLAYING, &|is| *is == true);
    assert_eq!(chromium.console(), [""; 0]);
}
