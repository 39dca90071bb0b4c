//! An invisible screen: an X server of the test's own, with real keys and screenshots.

use std::{
    collections::HashSet,
    fs::File,
    io::{BufRead, BufReader, BufWriter},
    path::Path,
    process::{Child, Command, Stdio},
};

use x11rb::{
    connection::Connection,
    protocol::{
        xproto::{
            AtomEnum, ClientMessageEvent, ConnectionExt as _, EventMask, ImageFormat, InputFocus, KEY_PRESS_EVENT,
            KEY_RELEASE_EVENT, Window,
        },
        xtest::ConnectionExt as _,
    },
    rust_connection::RustConnection,
};

/// Keys by the number that X gives them on Linux: the kernel's plus eight.
#[derive(Clone, Copy)]
pub enum Key {
    Return = 36,
    Up = 111,
    Right = 114,
    Down = 116,
    Space = 65,
    Escape = 9,
}

/// An X server that ends with the test.
pub struct Screen {
    server: Child,
    pub name: String,
    x11: RustConnection,
    root: Window,
}

pub struct Shot {
    pub width: u32,
    pub height: u32,
    /// Red, green, blue.
    pub pixels: Vec<[u8; 3]>,
}

impl Screen {
    pub fn start() -> Screen {
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp", "-noreset"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb starts: these tests need the package xvfb");
        let mut number = String::new();
        let stdout = server.stdout.take().expect("its output");
        BufReader::new(stdout).read_line(&mut number).expect("it says which screen it is");
        let name = format!(":{}", number.trim());
        let (x11, screen) = x11rb::connect(Some(&name)).expect("the screen answers");
        let root = x11.setup().roots[screen].root;
        Screen { server, name, x11, root }
    }

    /// The window of that title, once it is visible, with the keyboard: there is no window manager to give it.
    pub fn window(&self, title: &str) -> Window {
        let found = super::eventually("a window", || {
            let tree = self.x11.query_tree(self.root).ok()?.reply().ok()?;
            tree.children.into_iter().find(|&window| self.is_seen(window) && self.title(window).starts_with(title))
        });
        self.focus(found);
        found
    }

    /// Gives the keyboard to a window.
    pub fn focus(&self, window: Window) {
        let focus = self.x11.set_input_focus(InputFocus::PARENT, window, x11rb::CURRENT_TIME);
        focus.expect("a request").check().expect("the window takes the keyboard");
    }

    fn is_seen(&self, window: Window) -> bool {
        use x11rb::protocol::xproto::MapState;
        let known = self.x11.get_window_attributes(window).ok().and_then(|cookie| cookie.reply().ok());
        known.is_some_and(|known| known.map_state == MapState::VIEWABLE)
    }

    fn title(&self, window: Window) -> String {
        let property = self.x11.get_property(false, window, AtomEnum::WM_NAME, AtomEnum::ANY, 0, 64);
        let value = property.ok().and_then(|cookie| cookie.reply().ok()).map(|reply| reply.value);
        String::from_utf8_lossy(&value.unwrap_or_default()).into_owned()
    }

    /// Presses or releases a key.
    pub fn key(&self, key: Key, is_down: bool) {
        let kind = if is_down { KEY_PRESS_EVENT } else { KEY_RELEASE_EVENT };
        let event = self.x11.xtest_fake_input(kind, key as u8, 0, self.root, 0, 0, 0);
        event.expect("a request").check().expect("keys can be pressed");
    }

    /// Presses and releases a key. The client must not lose a tap, however short it is.
    pub fn tap(&self, key: Key) {
        self.key(key, true);
        self.key(key, false);
    }

    /// Takes the keyboard away from every window.
    pub fn blur(&self) {
        let focus = self.x11.set_input_focus(InputFocus::NONE, self.root, x11rb::CURRENT_TIME);
        focus.expect("a request").check().expect("the keyboard can be taken away");
    }

    /// Whether a program has put something on the clipboard.
    pub fn has_clipboard(&self) -> bool {
        let atom = self.x11.intern_atom(false, b"CLIPBOARD").expect("a request").reply().expect("an atom").atom;
        let owner = self.x11.get_selection_owner(atom).expect("a request").reply().expect("an answer").owner;
        owner != x11rb::NONE
    }

    /// Closes a window as its button does.
    pub fn close(&self, window: Window) {
        let atom = |name: &[u8]| self.x11.intern_atom(false, name).expect("a request").reply().expect("an atom").atom;
        let data = [atom(b"WM_DELETE_WINDOW"), x11rb::CURRENT_TIME, 0, 0, 0];
        let message = ClientMessageEvent::new(32, window, atom(b"WM_PROTOCOLS"), data);
        let sent = self.x11.send_event(false, window, EventMask::NO_EVENT, message);
        sent.expect("a request").check().expect("the window can be told");
    }

    /// What a window looks like now.
    pub fn shot(&self, window: Window) -> Shot {
        let place = self.x11.get_geometry(window).expect("a request").reply().expect("a window has a size");
        let (width, height) = (place.width, place.height);
        let image = self.x11.get_image(ImageFormat::Z_PIXMAP, window, 0, 0, width, height, !0);
        let image = image.expect("a request").reply().expect("a picture");
        let pixels = image.data.chunks_exact(4).map(|bgrx| [bgrx[2], bgrx[1], bgrx[0]]).collect();
        Shot { width: width.into(), height: height.into(), pixels }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // It may have broken with the test.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

impl Shot {
    pub fn colours(&self) -> usize {
        self.pixels.iter().collect::<HashSet<_>>().len()
    }

    /// The percentage of pixels that are not nearly black.
    pub fn lit_percent(&self) -> usize {
        let lit = self.pixels.iter().filter(|pixel| pixel.iter().any(|&part| part > 24)).count();
        100 * lit / self.pixels.len().max(1)
    }

    /// Whether every pixel of the picture is a square of `scale` pixels.
    pub fn is_scaled_by(&self, scale: usize) -> bool {
        let width = self.width as usize;
        let corner = |at: usize| (at / width / scale * scale) * width + at % width / scale * scale;
        (0..self.pixels.len()).all(|at| self.pixels[at] == self.pixels[corner(at)])
    }

    /// Stores it for a person to look at.
    pub fn keep(&self, name: &str) {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.png"));
        let file = BufWriter::new(File::create(&path).expect("a file"));
        let mut encoder = png::Encoder::new(file, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        let mut writer = encoder.write_header().expect("a header");
        writer.write_image_data(self.pixels.as_flattened()).expect("its pixels");
        println!("screenshot: {}", path.display());
    }
}
