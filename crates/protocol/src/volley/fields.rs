//! The fields of `volley` as a table, for decoders; sessions read with `wire`.
//!
//! Messages of the stream have a table like those of any dialect, but for the terrain of a Stage, which is packed. Datagrams are packed in
//! bits whose places depend on each other: only how they begin is a table, and `read_opaque` reads the rest with `wire` into lines.

mod members;
mod rules;

use game::stage::Terrain;

use self::{
    members::{LOBBY, TALLY},
    rules::RULES,
};
use super::wire::{
    control::{FROM_CLIENT_MAX_BYTES, FROM_SERVER_MAX_BYTES, FromClient, FromServer, VERSION, next_message},
    report::Report,
    snapshot::{Shown, Snapshot, peek},
};
use crate::{
    Channel, Malformed,
    field_table::{
        BitPart, ByteOrder, Check, Field, FieldTable, Follower, Group, Item, Length, MessageKey, OpaqueReader, Pairing,
        Sender, Sentences, StreamMessages, TextRule, UnknownValue, ValueItems, bytes, case, text, u8, u16, u32,
    },
    lobby::{LISTED_MAX, NAME_MAX_BYTES, SAY_MAX_BYTES, STAGE_MAX_BYTES},
};

/// The bytes of the dialect.
pub static FIELDS: FieldTable = FieldTable {
    order: ByteOrder::Little,
    client: Sentences { datagram: Some(&REPORT), stream: Some(stream(&CLIENT, FROM_CLIENT_MAX_BYTES)) },
    server: Sentences { datagram: Some(&FRAME), stream: Some(stream(&SERVER, FROM_SERVER_MAX_BYTES)) },
    opaque: Some(OpaqueReader { read: read_opaque, follow: || Box::new(FrameReader::default()) }),
    pairings: &[Pairing {
        request: MessageKey::when("request_type", 14, &["nonce"]),
        answer: MessageKey::when("notice_type", 9, &["nonce"]),
    }],
    sequence: "frame_number",
};

const fn stream(message: &'static [Item], max_bytes: usize) -> StreamMessages {
    StreamMessages { message, size_at: 0, size_bytes: 2, head_bytes: 2, sizes: (1, max_bytes as u64), ruling: "V1" }
}

// ---- Datagrams ----

static REPORT: [Item; 2] = [
    Item::Bits {
        whole: "report",
        bytes: 1,
        parts: &[
            BitPart { field: REPORT_KIND, first: 0, count: 2 },
            BitPart {
                field: u8("has_frame", "frame", "whether a Frame is confirmed")
                    .clause("What the client sends")
                    .names(&NO_YES)
                    .structure(),
                first: 2,
                count: 1,
            },
        ],
    },
    Item::Value(
        Field::opaque("report", "report", "what else the report says, in bits").clause("What the client sends"),
    ),
];

static FRAME: [Item; 2] = [
    Item::Bits {
        whole: "frame",
        bytes: 3,
        parts: &[
            BitPart { field: FRAME_KIND, first: 0, count: 2 },
            BitPart {
                field: u16("frame_number", "number", "one more with each datagram, and wraps")
                    .clause("What the server sends"),
                first: 2,
                count: 16,
            },
            BitPart {
                field: u8("distance", "distance", "how many numbers ago the Frame was that it differs from; 0 is none")
                    .clause("What the server sends, V2"),
                first: 18,
                count: 6,
            },
        ],
    },
    Item::Value(
        Field::opaque("frame", "difference", "the Frame as a difference, in bits").clause("What the server sends"),
    ),
];

const REPORT_KIND: Field = u8("report_kind", "kind", "marks a client's datagram")
    .clause("What the client sends")
    .names(&[(1, "Report")])
    .check(Check::Named(Malformed::UnknownType), "")
    .structure();
const FRAME_KIND: Field = u8("frame_kind", "kind", "marks a server's datagram")
    .clause("What the server sends")
    .names(&[(0, "Frame")])
    .check(Check::Named(Malformed::UnknownType), "")
    .structure();

// ---- The stream ----

static CLIENT: [Item; 3] = [
    Item::Value(LENGTH),
    Item::Value(
        u8("request_type", "type", "what the client asks for").clause("The stream").names(&REQUESTS).kept().structure(),
    ),
    Item::Choice { on: "request_type", cases: &CLIENT_MESSAGES, otherwise: UnknownValue::Refuse("V1") },
];

static SERVER: [Item; 3] = [
    Item::Value(LENGTH),
    Item::Value(
        u8("notice_type", "type", "what the server tells").clause("The stream").names(&NOTICES).kept().structure(),
    ),
    Item::Choice { on: "notice_type", cases: &SERVER_MESSAGES, otherwise: UnknownValue::Refuse("V1") },
];

const LENGTH: Field = u16("length", "length", "bytes of the message")
    .unit("bytes")
    .clause("The stream")
    .check(Check::RestSize(0), "V1")
    .structure();

static REQUESTS: [(u64, &str); 20] = [
    (0, "Hello"),
    (1, "List"),
    (2, "Quick"),
    (3, "Create"),
    (4, "Join"),
    (5, "Watch"),
    (6, "Rejoin"),
    (7, "Rename"),
    (8, "Ready"),
    (9, "Start"),
    (10, "Say"),
    (11, "Mute"),
    (12, "LeaveLobby"),
    (13, "Goodbye"),
    (14, "Ping"),
    (15, "Pace"),
    (16, "Ship"),
    (17, "AddBot"),
    (18, "Kick"),
    (19, "Emote"),
];

static NOTICES: [(u64, &str); 15] = [
    (0, "Welcome"),
    (1, "Lobbies"),
    (2, "Seated"),
    (3, "Watching"),
    (4, "Refused"),
    (5, "Lobby"),
    (6, "Said"),
    (7, "Stage"),
    (8, "Out"),
    (9, "Pong"),
    (10, "Goodbye"),
    (11, "Pace"),
    (12, "Restarting"),
    (13, "Tally"),
    (14, "Emote"),
];

const NO_YES: [(u64, &str); 2] = [(0, "false"), (1, "true")];

static CLIENT_MESSAGES: [ValueItems; 20] = [
    message(0, "Hello", &[VERSION_FIELD, NAME_LENGTH, NAME]),
    message(1, "List", &[]),
    message(2, "Quick", &[]),
    message(3, "Create", &[STAGE_LENGTH, STAGE, Item::All(&RULES), IS_PRIVATE]),
    message(4, "Join", &[CODE]),
    message(5, "Watch", &[CODE]),
    message(6, "Rejoin", &[TOKEN]),
    message(7, "Rename", &[NAME_LENGTH, NAME]),
    message(8, "Ready", &[flag("is_ready", "ready", "whether the player is ready")]),
    message(9, "Start", &[]),
    message(10, "Say", &[TEXT_LENGTH, TEXT]),
    message(11, "Mute", &[SEAT, flag("on", "on", "whether the player's words are kept away")]),
    message(12, "LeaveLobby", &[]),
    message(13, "Goodbye", &[]),
    message(14, "Ping", &[NONCE]),
    message(15, "Pace", &[PACE]),
    message(16, "Ship", &[SHIP]),
    message(17, "AddBot", &[SKILL]),
    message(18, "Kick", &[SEAT]),
    message(19, "Emote", &[EMOTE]),
];

static SERVER_MESSAGES: [ValueItems; 15] = [
    message(0, "Welcome", &[VERSION_FIELD]),
    message(
        1,
        "Lobbies",
        &[
            Item::Value(
                u8("lobby_count", "count", "how many lobbies follow")
                    .check(Check::Range(0, LISTED_MAX as u64, None), "")
                    .kept()
                    .structure(),
            ),
            Item::Times { count: "lobby_count", each: &Group { name: "lobby", items: &members::SUMMARY } },
        ],
    ),
    message(2, "Seated", &[CODE, SEAT, TOKEN, FROM]),
    message(3, "Watching", &[CODE, FROM]),
    message(
        4,
        "Refused",
        &[Item::Value(
            u8("refusal", "reason", "why a request is refused")
                .names(&[
                    (1, "version"),
                    (2, "no lobby"),
                    (3, "full"),
                    (4, "no stage"),
                    (5, "node full"),
                    (6, "too late"),
                    (7, "too fast"),
                    (8, "not now"),
                    (9, "not host"),
                    (10, "kicked"),
                    (11, "no bot"),
                ])
                .check(Check::Named(Malformed::BadValue), ""),
        )],
    ),
    case(5, ["Lobby", "Lobby"], "The stream", &LOBBY),
    message(6, "Said", &[HOST_OR_NONE_SEAT, NAME_LENGTH, NAME, TEXT_LENGTH, TEXT]),
    message(
        7,
        "Stage",
        &[
            STAGE_LENGTH,
            STAGE_NAME,
            Item::Value(u8("stage_number", "number", "the number of the stage; 0 is endless")),
            Item::Value(Field::opaque("terrain", "terrain", "what kills on touch, packed in runs")),
        ],
    ),
    case(8, ["Out", "LeftLobby"], "The stream", &[]),
    message(9, "Pong", &[NONCE]),
    message(10, "Goodbye", &[]),
    message(11, "Pace", &[PACE]),
    message(12, "Restarting", &[]),
    message(13, "Tally", &TALLY),
    message(14, "Emote", &[SEAT, EMOTE]),
];

const fn message(value: u64, name: &'static str, items: &'static [Item]) -> ValueItems {
    case(value, [name, name], "The stream", items)
}

const fn flag(name: &'static str, label: &'static str, about: &'static str) -> Item {
    Item::Value(u8(name, label, about).names(&NO_YES).check(Check::Named(Malformed::BadValue), ""))
}

const fn length_of(name: &'static str, about: &'static str) -> Item {
    Item::Value(u8(name, "length", about).unit("bytes").kept().structure())
}

const VERSION_FIELD: Item = Item::Value(
    u8("version", "version", "the version that is spoken").check(Check::Expected(VERSION as u64, VERSION as u64), "V8"),
);
const NAME_LENGTH: Item = length_of("name_length", "bytes of a player's name");
const NAME: Item = Item::Value(text(
    ["name", "name"],
    "the name of a player",
    Length::Of("name_length"),
    TextRule::Trimmed(NAME_MAX_BYTES),
));
const STAGE_LENGTH: Item = length_of("stage_length", "bytes of a stage's name");
const STAGE: Item = Item::Value(text(
    ["stage", "stage"],
    "the name of a stage",
    Length::Of("stage_length"),
    TextRule::Trimmed(STAGE_MAX_BYTES),
));
const STAGE_NAME: Item = Item::Value(text(
    ["stage_name", "name"],
    "the name of the stage that is played",
    Length::Of("stage_length"),
    TextRule::Trimmed(STAGE_MAX_BYTES),
));
const TEXT_LENGTH: Item = length_of("text_length", "bytes of what is said");
const TEXT: Item =
    Item::Value(text(["text", "text"], "what is said", Length::Of("text_length"), TextRule::Trimmed(SAY_MAX_BYTES)));
const CODE: Item =
    Item::Value(text(["code", "code"], "the name of a lobby", Length::Fixed(6), TextRule::LobbyCode).ruling("R5"));
const TOKEN: Item = Item::Value(bytes(["token", "token"], "proves that a seat is one's own", Length::Fixed(16)));
const SEAT: Item = Item::Value(u8("seat", "seat", "a player").check(Check::Range(0, 3, None), ""));
/// Of a player, or of nobody.
const HOST_OR_NONE_SEAT: Item = Item::Value(
    u8("speaker_seat", "seat", "the player who speaks, or nobody")
        .names(&[(255, "none")])
        .check(Check::Range(0, 3, Some(255)), ""),
);
const IS_PRIVATE: Item = flag("is_private", "private", "whether the lobby is left out of lists");
const FROM: Item = Item::Value(u16("from", "number", "the number of the lobby's first Frame"));
const NONCE: Item = Item::Value(u32("nonce", "nonce", "what comes back in the answer"));
const PACE: Item = Item::Value(
    u8("pace", "pace", "how fast time passes")
        .names(&[(0, "full"), (1, "slow"), (2, "paused")])
        .check(Check::Named(Malformed::BadValue), "V10"),
);
const SHIP: Item = Item::Value(
    u8("ship", "ship", "which ship is flown")
        .names(&[(0, "Arrow"), (1, "Wasp"), (2, "Anvil"), (3, "Lynx")])
        .check(Check::Named(Malformed::BadValue), "V14"),
);
const SKILL: Item = Item::Value(
    u8("skill", "skill", "how well a bot plays")
        .names(&[(0, "easy"), (1, "normal"), (2, "good")])
        .check(Check::Named(Malformed::BadValue), ""),
);

const EMOTE: Item = Item::Value(
    u8("emote", "emote", "which gesture a player makes")
        .names(&[(0, "hello"), (1, "thanks"), (2, "well done"), (3, "help"), (4, "sorry"), (5, "follow me")])
        .check(Check::Named(Malformed::BadValue), ""),
);

// ---- What no table can describe ----

/// Reads what is packed in bits or in runs, into lines of `name = value`. A Frame that differs from another one can be read only by those
/// who have that one ([`FrameReader`]): of it, this says no more than the table does.
fn read_opaque(sender: Sender, channel: Channel, bytes: &[u8]) -> Result<Vec<String>, Malformed> {
    match (sender, channel) {
        (Sender::Client, Channel::Datagram) => Report::read(bytes).map(|report| report_lines(&report)),
        (Sender::Server, Channel::Datagram) => match peek(bytes)? {
            (_, 0) => Snapshot::read(bytes, &Shown::default()).map(|snapshot| frame_lines(&snapshot)),
            _ => Ok(Vec::new()),
        },
        (_, Channel::Stream) => read_message(sender, bytes),
    }
}

fn read_message(sender: Sender, bytes: &[u8]) -> Result<Vec<String>, Malformed> {
    let max = match sender {
        Sender::Client => FROM_CLIENT_MAX_BYTES,
        Sender::Server => FROM_SERVER_MAX_BYTES,
    };
    let message = next_message(bytes, max)?.ok_or(Malformed::Short)?;
    if sender == Sender::Client {
        return FromClient::read(message).map(|_| Vec::new());
    }
    Ok(match FromServer::read(message)? {
        FromServer::Stage { terrain, .. } => terrain_lines(&terrain),
        _ => Vec::new(),
    })
}

fn terrain_lines(terrain: &Terrain) -> Vec<String> {
    vec![format!("columns = {}", terrain.columns()), format!("gates = {}", terrain.gates().len())]
}

fn report_lines(report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(frames) = report.frames {
        lines.push(format!("newest frame = {}", frames.newest));
        lines.push(format!("earlier frames = {:032b}", frames.earlier));
    }
    lines.push(format!("next event = {}", report.next_event));
    lines.push(format!("newest input = {}", report.newest_input));
    for (index, input) in report.inputs.iter().enumerate() {
        lines.push(format!("input {index} = held {:07b}, pressed {:07b}", input.held.bits(), input.pressed.bits()));
    }
    lines
}

fn frame_lines(snapshot: &Snapshot) -> Vec<String> {
    let head = &snapshot.shown.view.head;
    let mut lines = vec![
        format!("tick = {}", head.tick.0),
        format!("state = {}", head.state.name()),
        format!("score = {} points", head.score),
    ];
    if let Some(inputs) = snapshot.shown.inputs {
        lines.push(format!("inputs = up to {}, {} waiting", inputs.applied, inputs.waiting));
    }
    for viewed in &snapshot.shown.view.entities {
        let entity = &viewed.entity;
        let (x, y) = (f64::from(entity.position.x) / 256.0, f64::from(entity.position.y) / 256.0);
        lines.push(format!("entity {} = {} at {x:.1}, {y:.1} px", entity.id.0, entity.kind.name()));
    }
    for dated in snapshot.events.iter().flat_map(|(_, events)| events) {
        lines.push(format!("event at tick {} = {:?}", dated.tick.0, dated.event));
    }
    lines
}

/// Frames that were seen, so that those that differ from them can be read.
#[derive(Debug, Default)]
pub struct FrameReader {
    seen: std::collections::VecDeque<(u16, Shown)>,
}

impl Follower for FrameReader {
    fn read(&mut self, sender: Sender, bytes: &[u8]) -> Result<Option<Vec<String>>, Malformed> {
        if sender == Sender::Client {
            return read_opaque(sender, Channel::Datagram, bytes).map(Some);
        }
        let (number, distance) = peek(bytes)?;
        let none = Shown::default();
        let base = match distance {
            0 => Some(&none),
            _ => self.seen.iter().find(|(seen, _)| *seen == number.wrapping_sub(distance)).map(|(_, shown)| shown),
        };
        let Some(base) = base else { return Ok(None) };
        let snapshot = Snapshot::read(bytes, base)?;
        let lines = frame_lines(&snapshot);
        if self.seen.len() > super::wire::snapshot::DISTANCE_MAX.into() {
            self.seen.pop_front();
        }
        self.seen.push_back((number, snapshot.shown));
        Ok(Some(lines))
    }
}
