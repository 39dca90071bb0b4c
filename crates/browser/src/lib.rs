//! The client in a web page: the functions that `www/` calls. They take and return plain numbers; `docs/web.md` has the table.
//!
//! Bytes and text cross through two buffers in the module's memory: JavaScript asks [`buffer`] for space, writes there and
//! passes the length on; results are at [`output`]. Nothing here calls JavaScript, so calls never nest. `shell` does the
//! work; it knows nothing of exports.
//!
//! A page uses them like this; `www/volley.js` does it with devices, sound and connections:
//!
//! ```js
//! const { exports: volley } = await WebAssembly.instantiateStreaming(fetch("volley.wasm")).then((it) => it.instance);
//! volley.start(performance.now(), 0, 0, 0); // no lobby to join, no settings
//! function frame(now) {
//!     volley.advance(now);
//!     const pixels = new Uint8ClampedArray(volley.memory.buffer, volley.draw(now), 480 * 270 * 4);
//!     canvas.putImageData(new ImageData(pixels, 480, 270), 0, 0);
//!     requestAnimationFrame(frame);
//! }
//! requestAnimationFrame(frame);
//! ```

// `no_mangle` counts as unsafe, because two functions of the same name would clash: outside a browser, `poll` would
// replace the C library's. There is no other unsafe code.
#![allow(unsafe_code)]

mod panic_message;
mod shell;

use std::cell::RefCell;

use client::{Pad, Phase, Touch};
use protocol::{Channel, Time};

use self::shell::Shell;

/// The result of a call that has nothing to return.
const NOTHING: i32 = -1;

thread_local! {
    // A page has one thread and one module: this is its client.
    static SHELL: RefCell<Shell> = RefCell::default();
}

fn with<T>(work: impl FnOnce(&mut Shell) -> T) -> T {
    SHELL.with_borrow_mut(work)
}

/// Milliseconds since 1970, as browsers count them, with fractions.
fn time(now_ms: f64) -> Time {
    // The conversion saturates: a negative, infinite or NaN value does no harm.
    Time::from_micros((now_ms * 1000.0) as u64)
}

/// Makes space for the bytes of the next call, and returns where it is; 0 if they are too many.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn buffer(length: usize) -> *mut u8 {
    with(|shell| shell.space(length).map_or(std::ptr::null_mut(), <[u8]>::as_mut_ptr))
}

/// Where the output of the last call is.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn output() -> *const u8 {
    with(|shell| shell.output().as_ptr())
}

/// The length of that output in bytes.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn output_length() -> usize {
    with(|shell| shell.output().len())
}

/// Starts the client. The buffer holds the code of a lobby to join, or nothing, then the settings, then the browser's
/// language, a line feed and the address of the page. Of the flags, 1 is to join any game at once, 2 that the screen is a touch screen, and 4 that it is small.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn start(now_ms: f64, lobby_length: usize, settings_length: usize, flags: u32) {
    panic_message::record();
    with(|shell| shell.start(time(now_ms), lobby_length, settings_length, flags));
}

/// A key went down or up; the buffer holds its code. Returns whether it is the client's alone.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn key(now_ms: f64, length: usize, down: bool) -> bool {
    with(|shell| shell.key(time(now_ms), length, down))
}

/// What is printed on keys: a line for each, with its `KeyboardEvent.code`, a tab, and what is typed with it.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn key_labels(length: usize) {
    with(|shell| shell.key_labels(length));
}

/// A character was typed.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn text(now_ms: f64, character: u32) {
    if let Some(character) = char::from_u32(character) {
        with(|shell| shell.with_client(|client| client.text(time(now_ms), character)));
    }
}

/// The state of all gamepads, merged.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn pad(now_ms: f64, x: f32, y: f32, buttons: u32) {
    with(|shell| shell.with_client(|client| client.pad(time(now_ms), Pad { x, y, buttons })));
}

/// A finger came down (0), moved (1) or was lifted (2), at a pixel of the picture.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn touch(now_ms: f64, finger: u32, phase: u32, x: i32, y: i32) {
    let phase = match phase {
        0 => Phase::Down,
        1 => Phase::Move,
        _ => Phase::Up,
    };
    with(|shell| shell.with_client(|client| client.touch(time(now_ms), Touch { finger, phase, x, y })));
}

/// The mouse was clicked at a pixel of the picture.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn click(now_ms: f64, x: i32, y: i32) {
    with(|shell| shell.with_client(|client| client.click(time(now_ms), x, y)));
}

/// How many pixels of the screen one of the picture is to be, in a window of this size.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn scale(width: f64, height: f64) -> f64 {
    with(|shell| shell.scale(width, height))
}

/// Whether the screen is small: a phone that is held upright.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn small_screen(is_small: bool) {
    with(|shell| shell.with_client(|client| client.small_screen(is_small)));
}

/// Whether the player is typing: then a phone has to show its keyboard.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn is_writing() -> bool {
    with(|shell| shell.is_writing())
}

/// Whether thumbs fly the ship now: then an upright phone shows where they press.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn wants_thumbs() -> bool {
    with(|shell| shell.wants_thumbs())
}

/// The page lost the keyboard.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn blur(now_ms: f64) {
    with(|shell| shell.with_client(|client| client.blur(time(now_ms))));
}

/// The page is closed: [`poll`] returns a goodbye to send.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn quit(now_ms: f64) {
    with(|shell| shell.with_client(|client| client.quit(time(now_ms))));
}

/// The page has connected to the node.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn connected(now_ms: f64) {
    with(|shell| shell.with_client(|client| client.connected(time(now_ms))));
}

/// The page could not connect, or the connection broke.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn disconnected(now_ms: f64) {
    with(|shell| shell.with_client(|client| client.disconnected(time(now_ms))));
}

/// A datagram (0) or bytes of the stream (1) came; the buffer holds them.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn receive(now_ms: f64, channel: u32, length: usize) {
    let channel = if channel == 0 { Channel::Datagram } else { Channel::Stream };
    with(|shell| shell.receive(time(now_ms), channel, length));
}

/// A table of high scores, or that it was not found. The buffer holds the query, then a line for each game: points, names,
/// ranks and the id of the game, separated by tabs.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn scores(now_ms: f64, length: usize, is_found: bool) {
    with(|shell| shell.scores(time(now_ms), length, is_found));
}

/// Shows the replay in the buffer. False: it cannot be shown, and [`output`] says why.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn open_replay(now_ms: f64, length: usize) -> bool {
    with(|shell| shell.open_replay(time(now_ms), length))
}

/// The player's own recording; the buffer holds its key, a line feed and the file.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn recorded(now_ms: f64, length: usize) {
    with(|shell| shell.recorded(time(now_ms), length));
}

/// What the page keeps for a table; the buffer holds the name of the table, a line feed and the bytes, if there are any.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn ghost(now_ms: f64, length: usize) {
    with(|shell| shell.ghost(time(now_ms), length));
}

/// The way into the lobby is on the clipboard, or it could not be put there.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn lobby_shared(now_ms: f64, is_copied: bool) {
    with(|shell| shell.with_client(|client| client.lobby_shared(time(now_ms), is_copied)));
}

/// A replay was saved, or could not be.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn replay_saved(now_ms: f64, is_saved: bool) {
    with(|shell| shell.with_client(|client| client.replay_saved(time(now_ms), is_saved)));
}

/// Whether a replay is shown.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn is_replaying() -> bool {
    with(|shell| shell.is_replaying())
}

/// Lets time pass.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn advance(now_ms: f64) {
    with(|shell| shell.with_client(|client| client.advance(time(now_ms))));
}

/// The number of the next task, with its bytes at [`output`]; -1 if there is none.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn poll(now_ms: f64) -> i32 {
    with(|shell| shell.poll(time(now_ms)).map_or(NOTHING, i32::from))
}

/// Draws, and returns where the picture is: 480 × 270 pixels, four bytes each.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn draw(now_ms: f64) -> *const u8 {
    with(|shell| shell.draw(time(now_ms)).as_ptr())
}

/// A cue to play: its number, and 256 times its place from 0 (left) to 255 (right); -1 if there is none.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn cue() -> i32 {
    with(|shell| shell.cue().map_or(NOTHING, i32::from))
}

/// Renders a cue to [`output`]: samples of 16 bits, little-endian. Returns whether there is a cue of that number.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn render_cue(number: usize) -> bool {
    with(|shell| shell.render_cue(number))
}

/// The number of the cue that hums while the beam is charged.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn hum_cue() -> u32 {
    client::sound::Cue::ChargeHum as u32
}

/// Begins a song. Returns whether there is one of that number.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn begin_song(number: usize) -> bool {
    with(|shell| shell.begin_song(number))
}

/// Makes the next samples of the song to [`output`]: left and right in turn, 16 bits each.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn make_song(samples: usize) -> bool {
    with(|shell| shell.make_song(samples))
}

/// Samples a second of all cues and songs.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn sample_rate() -> u32 {
    client::sound::SAMPLE_RATE
}

/// The level of the beam's hum, 0 to 255.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn hum() -> u32 {
    with(|shell| shell.hum().into())
}

/// The number of the song to play now; -1 if there is none.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn song() -> i32 {
    with(|shell| shell.song().map_or(NOTHING, i32::from))
}

/// The volume of cues (0) or of music (1), in percent.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn volume(of: u32) -> u32 {
    with(|shell| shell.volume_percent(of == 1))
}

/// Where the panic message is, if the module has failed.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn panic_message() -> *const u8 {
    panic_message::location().0
}

/// The length of that message in bytes.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn panic_message_length() -> usize {
    panic_message::location().1
}
