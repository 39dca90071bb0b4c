//! `examples/snapshot_client.py`, run without a screen: against a real node, where its picture shows our sprites where the
//! SNAPSHOT says; and against a node of the test's own, which listens closely and loses datagrams.
//!
//! Needs Python with pygame: `cargo xtask test` sees to it.

mod node;

use std::{
    fs::File,
    io::{Cursor, Read},
    net::UdpSocket,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use node::{Folder, LOOPBACK, Node, PATIENCE, player::Player};
use protocol::{
    Dialect,
    snapshot::wire::{Action, Entity, FromClient, FromServer, Header, Loss, SnapshotWriter},
};

/// Pixels, as red, green, blue and opacity.
struct Image {
    width: usize,
    pixels: Vec<[u8; 4]>,
}

/// What the client says that it drew.
#[derive(Debug)]
struct Drawn {
    id: u8,
    path: String,
    middle: (f32, f32),
    /// Left, top, width and height on the sheet.
    rect: [usize; 4],
}

/// An interpreter that has pygame: Debian's, if another one is first on the path.
fn python() -> &'static str {
    let has_pygame = |python: &&str| {
        let mut command = Command::new(python);
        command.args(["-c", "import pygame"]).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let found = ["python3", "/usr/bin/python3"].into_iter().find(has_pygame);
    found.expect("Python with pygame: on Debian and Ubuntu, `sudo apt-get install python3-pygame`")
}

/// The client, at that port, without a screen.
fn client(port: u16, arguments: &[&str]) -> Command {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/snapshot_client.py");
    let mut command = Command::new(python());
    command.env("SDL_VIDEODRIVER", "dummy").env("PYGAME_HIDE_SUPPORT_PROMPT", "1").arg(script);
    command.args(["--port", &port.to_string()]).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What it said, once it has ended by itself.
fn ended(mut child: Child) -> String {
    let began = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if began.elapsed() > PATIENCE * 3 {
            child.kill().expect("it runs");
            panic!("it does not end: {:?}", child.wait_with_output());
        }
        thread::sleep(Duration::from_millis(20));
    }
    let Output { status, stdout, stderr } = child.wait_with_output().expect("its output");
    let said = String::from_utf8(stdout).expect("text");
    assert!(status.success(), "{said}\n{}", String::from_utf8_lossy(&stderr));
    said
}

fn drawn(said: &str) -> Vec<Drawn> {
    let entity = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |index: usize| words[index].parse::<f32>().expect("a number");
        Drawn {
            id: words[0].parse().expect("an id"),
            path: words[1].into(),
            middle: (number(2), number(3)),
            rect: [4, 5, 6, 7].map(|index| number(index) as usize),
        }
    };
    said.lines().filter_map(|line| line.strip_prefix("entity ")).map(entity).collect()
}

fn image(mut file: impl Read) -> Image {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).expect("bytes");
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::ALPHA);
    let mut reader = decoder.read_info().expect("a PNG");
    let mut bytes = vec![0; reader.output_buffer_size().expect("small enough")];
    let width = reader.next_frame(&mut bytes).expect("pixels").width as usize;
    Image { width, pixels: bytes.as_chunks::<4>().0.to_vec() }
}

impl Image {
    fn at(&self, x: i32, y: i32) -> Option<[u8; 4]> {
        let (x, y) = (usize::try_from(x).ok()?, usize::try_from(y).ok()?);
        (x < self.width).then(|| self.pixels.get(y * self.width + x).copied()).flatten()
    }

    /// Of the opaque pixels of a cell that are inside the picture: the part that the picture shows, in hundredths.
    fn shows(&self, sheet: &Image, what: &Drawn) -> usize {
        let [left, top, width, height] = what.rect.map(|number| number as i32);
        let corner = (
            (what.middle.0 - width as f32 / 2.0).round_ties_even() as i32,
            (what.middle.1 - height as f32 / 2.0).round_ties_even() as i32,
        );
        let (mut opaque, mut same) = (0, 0);
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            let sprite = sheet.at(left + x, top + y).unwrap_or_else(|| panic!("{what:?} is not on its sheet"));
            if let Some(shown) = self.at(corner.0 + x, corner.1 + y).filter(|_| sprite[3] == 255) {
                opaque += 1;
                same += usize::from(shown[..3] == sprite[..3]);
            }
        }
        same * 100 / opaque.max(1)
    }
}

fn fetched(node: &Node, path: &str) -> Image {
    let mut answer = ureq::get(format!("http://{LOOPBACK}:{}/assets/{path}", node.ports["http"])).call().expect(path);
    assert_eq!(answer.headers()["content-type"], "image/png", "{path}");
    image(answer.body_mut().as_reader())
}

/// A place for pictures: that of the other screenshots, so that a failure can be looked at.
fn artifact(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("artifacts");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder.join(name)
}

#[test]
fn it_plays_beside_others_and_shows_our_sprites_where_the_snapshot_says() {
    let node = Node::start(&["--stage", "stage1"]);
    let picture = artifact("python_client.png");
    let assets = format!("http://{LOOPBACK}:{}/assets", node.ports["http"]);
    let name = picture.to_str().expect("text");
    // Until the first wall is in view.
    let arguments = ["--assets", &assets, "--frames", "400", "--picture", name, "--hold", "down"];
    let child = client(node.ports["snapshot"], &arguments).spawn().expect("Python starts");
    node.lobbies(1);
    let _friend = Player::join(&node, Dialect::Typeuh);
    let lobbies = node.lobbies(2);
    let players = lobbies[0]["players"].as_array().expect("players");
    assert!(players.iter().any(|player| player["dialect"] == "snapshot" && player["name"] == "Python"), "{players:?}");
    let said = ended(child);
    assert!(!said.contains("no sprite sheet"), "{said}");
    let (drawn, picture) = (drawn(&said), image(File::open(&picture).expect("its picture")));
    let ships: Vec<&Drawn> = drawn.iter().filter(|what| what.path == "player").collect();
    // The friend may have been shot by then.
    assert!(ships.first().is_some_and(|own| own.id == 0) && ships.len() <= 2, "{said}");
    assert!(ships[0].middle.1 > 900.0, "it holds down: {ships:?}");
    let sheet = fetched(&node, "player");
    for ship in ships {
        // A shot may hide some of it, and a ship that blinks has every second pixel.
        assert!(picture.shows(&sheet, ship) >= 80, "{ship:?}: {} %", picture.shows(&sheet, ship));
    }
    let walls: Vec<&Drawn> = drawn.iter().filter(|what| what.path == "wall" && what.middle.0 < 1_800.0).collect();
    assert!(!walls.is_empty(), "{said}");
    let sheet = fetched(&node, "wall");
    for wall in walls {
        assert!(picture.shows(&sheet, wall) >= 60, "{wall:?}: {} %", picture.shows(&sheet, wall));
    }
}

#[test]
fn it_finds_its_sprites_in_a_folder_of_volley_assets_and_ends_with_the_node() {
    let folder = Folder::new();
    let written = Command::new(env!("CARGO_BIN_EXE_volley")).args(["assets", "--out"]).arg(folder.path()).output();
    assert!(written.expect("volley starts").status.success());
    let node = Node::start(&["--drain-seconds", "0"]);
    let child = client(node.ports["snapshot"], &["--assets", folder.text()]).spawn();
    node.lobbies(1);
    node.signal("TERM");
    let said = ended(child.expect("Python starts"));
    assert_eq!(said.trim_end(), "You timed out", "and no sheet is missing");
}

/// The node's side of the dialect, by hand.
struct StrictNode {
    socket: UdpSocket,
    peer: Option<std::net::SocketAddr>,
    next_packet_id: u16,
}

impl StrictNode {
    fn open() -> StrictNode {
        let socket = UdpSocket::bind((LOOPBACK, 0)).expect("a port");
        socket.set_read_timeout(Some(PATIENCE)).expect("a time");
        StrictNode { socket, peer: None, next_packet_id: 0 }
    }

    fn port(&self) -> u16 {
        self.socket.local_addr().expect("an address").port()
    }

    /// The next datagram, which must be well-formed, and numbered as it should be.
    fn hear<T>(&mut self, read: impl Fn(FromClient) -> T) -> T {
        let mut buffer = [0; 2048];
        let (length, from) = self.socket.recv_from(&mut buffer).expect("it says something");
        assert!(self.peer.is_none_or(|peer| peer == from), "it has one address");
        self.peer = Some(from);
        let (header, message) = FromClient::read(&buffer[..length]).expect("it is well-formed");
        assert_eq!(header.packet_id, self.next_packet_id, "Packet IDs count up by one");
        self.next_packet_id += 1;
        read(message)
    }

    fn hear_join(&mut self) -> String {
        self.hear(|message| match message {
            FromClient::Join { username } => username.as_str().to_owned(),
            FromClient::Input { .. } => panic!("it was not answered yet: {message:?}"),
        })
    }

    fn hear_key(&mut self) -> (u8, u8, bool) {
        self.hear(|message| match message {
            FromClient::Input { player_id, key_code, action } => (player_id, key_code, action == Action::KeyDown),
            FromClient::Join { .. } => panic!("it was answered: {message:?}"),
        })
    }

    fn tell(&self, bytes: &[u8]) {
        self.socket.send_to(bytes, self.peer.expect("it has spoken")).expect("sent");
    }

    fn say(&self, packet_id: u16, message: FromServer) {
        let mut bytes = Vec::new();
        message.write(Header { packet_id, timestamp: 0 }, &mut bytes);
        self.tell(&bytes);
    }

    /// One ship, at that height.
    fn show(&self, packet_id: u16, y: f32) {
        let mut bytes = Vec::new();
        let mut writer = SnapshotWriter::begin(Header { packet_id, timestamp: 0 }, &mut bytes);
        let ship = Entity {
            entity_id: 2,
            position_x: 400.0,
            position_y: y,
            sprite_path: "player",
            rect_pos_x: 0.0,
            rect_pos_y: 112.0,
            rect_size_x: 112.0,
            rect_size_y: 56.0,
        };
        assert!(writer.push(&ship));
        self.tell(&bytes);
    }
}

fn loss(player_id: u8, username: &str) -> Loss<'_> {
    Loss { entity_id: player_id, player_id, username }
}

#[test]
fn it_repeats_what_may_be_lost_drops_what_is_late_and_shows_who_is_gone() {
    let mut node = StrictNode::open();
    let picture = artifact("python_client_notices.png");
    let name = picture.to_str().expect("text");
    let arguments =
        ["--name", "Zoë", "--assets", "/nowhere", "--frames", "60", "--picture", name, "--hold", "up space"];
    let child = client(node.port(), &arguments).spawn().expect("Python starts");
    assert_eq!(node.hear_join(), "Zoë");
    // The first is lost, so it asks again.
    let asked = Instant::now();
    assert_eq!(node.hear_join(), "Zoë");
    assert!(asked.elapsed() >= Duration::from_millis(300), "not sooner than after 500 ms, give or take");
    node.say(0, FromServer::PlayerIdAssignment { player_id: 2 });
    let mut held = [node.hear_key(), node.hear_key()];
    held.sort_unstable();
    assert_eq!(held, [(2, 0x20, true), (2, 0x26, true)]);
    // Its keys are said again after five seconds, though nothing changed.
    let mut again = [node.hear_key(), node.hear_key()];
    again.sort_unstable();
    assert_eq!(again, held);
    // Bytes that mean nothing, those who are gone, and a SNAPSHOT that was overtaken.
    node.tell(b"noise");
    node.tell(&[0x10, 0, 1, 0, 0, 0, 0, 7, 7]);
    node.say(1, FromServer::Killed(loss(0, "Bob")));
    node.say(2, FromServer::Timeout(loss(1, "Eve")));
    node.say(3, FromServer::Killed(loss(2, "Zoë")));
    node.show(10, 600.0);
    node.show(9, 200.0);
    let mut let_go = [node.hear_key(), node.hear_key()];
    let_go.sort_unstable();
    assert_eq!(let_go, [(2, 0x20, false), (2, 0x26, false)], "it lets go when it ends");
    let said = ended(child);
    let drawn = drawn(&said);
    assert_eq!((drawn.len(), drawn[0].middle), (1, (400.0, 600.0)), "{said}");
    assert!(said.contains("no sprite sheet player"), "{said}");
    let picture = image(File::open(&picture).expect("its picture"));
    let white_in_line = |line: i32| {
        let rows = 40 + 60 * line..90 + 60 * line;
        rows.flat_map(|y| (0..900).map(move |x| (x, y))).filter(|&(x, y)| picture.at(x, y) == Some([255; 4])).count()
    };
    assert!((0..3).all(|line| white_in_line(line) > 300), "three notices: {:?}", [0, 1, 2].map(white_in_line));
    assert_eq!(white_in_line(3), 0);
    // Without a sheet there is a box all the same.
    assert_eq!(picture.at(400 - 56, 600), Some([255, 0, 255, 255]));
}

#[test]
fn it_ends_politely_when_the_node_is_full_or_has_timed_it_out() {
    let mut node = StrictNode::open();
    let child = client(node.port(), &[]).spawn().expect("Python starts");
    node.hear_join();
    node.say(0, FromServer::PlayerIdAssignment { player_id: 255 });
    assert_eq!(ended(child).trim_end(), "Server Full");
    let mut node = StrictNode::open();
    let child = client(node.port(), &[]).spawn().expect("Python starts");
    node.hear_join();
    node.say(0, FromServer::PlayerIdAssignment { player_id: 1 });
    assert_eq!(node.hear_key(), (1, 0x28, false), "a sign of life that changes nothing");
    node.say(1, FromServer::Timeout(loss(1, "Python")));
    assert_eq!(ended(child).trim_end(), "You timed out");
}
