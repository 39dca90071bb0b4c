//! The fields of `snapshot` as a table, for decoders; sessions read with `wire.rs`.

use crate::{
    Malformed,
    field_table::{
        ByteOrder, Check, Field, FieldTable, Group, Item, Length, MessageKey, Pairing, Sentences, TextRule,
        UnknownValue, ValueItems, case, f32, text, u8, u16, u32,
    },
    snapshot::wire::{DATAGRAM_MAX_BYTES, Header, NO_AVAILABLE_SLOTS, Username},
};

/// The bytes of the dialect.
pub static FIELDS: FieldTable = FieldTable {
    order: ByteOrder::Big,
    client: Sentences::datagrams(&CLIENT),
    server: Sentences::datagrams(&SERVER),
    opaque: None,
    pairings: &[Pairing {
        request: MessageKey::when("packet_type", 0x02, &[]),
        answer: MessageKey::when("packet_type", 0x08, &[]),
    }],
    sequence: "packet_id",
};

static CLIENT: [Item; 2] = [
    Item::All(&HEADER),
    Item::Choice { on: "packet_type", cases: &CLIENT_PACKETS, otherwise: UnknownValue::Refuse("S1") },
];

static SERVER: [Item; 2] = [
    Item::All(&HEADER),
    Item::Choice { on: "packet_type", cases: &SERVER_PACKETS, otherwise: UnknownValue::Refuse("S1") },
];

static HEADER: [Item; 5] = [
    Item::AtMost { bytes: DATAGRAM_MAX_BYTES, ruling: "S6" },
    Item::AtLeast { bytes: Header::BYTES, fault: Malformed::Runt, ruling: "" },
    Item::Value(
        u8("packet_type", "Packet Type", "what the packet is")
            .clause("Header Fields")
            .names(&[
                (0x01, "INPUT"),
                (0x02, "JOIN"),
                (0x08, "PLAYER_ID_ASSIGNMENT"),
                (0x10, "SNAPSHOT"),
                (0x20, "TIMEOUT"),
                (0x40, "KILLED"),
            ])
            .ruling("S1")
            .kept()
            .structure(),
    ),
    Item::Value(
        u16("packet_id", "Packet ID", "counts the datagrams to this peer, and wraps")
            .clause("Header Fields, S4")
            .ruling("S4"),
    ),
    Item::Value(
        u32("timestamp", "Timestamp", "since the sender started").unit("ms").clause("Header Fields, S4").ruling("S4"),
    ),
];

static CLIENT_PACKETS: [ValueItems; 2] = [
    case(
        0x01,
        ["INPUT", "Input"],
        "0x01 - INPUT",
        &[
            Item::Value(u8("player_id", "Player ID", "which player").check(Check::Expected(0, 3), "S5")),
            Item::Value(
                u8("key_code", "Key Code", "which key").clause("S3").names(&KEYS).check(Check::ExpectedNamed, "S3"),
            ),
            Item::Value(
                u8("action", "Action", "what became of the key")
                    .names(&[(0, "key up"), (1, "key down")])
                    .check(Check::Named(Malformed::BadValue), ""),
            ),
        ],
    ),
    case(
        0x02,
        ["JOIN", "Join"],
        "0x02 - JOIN",
        &[Item::Value(
            text(["username", "Username"], "the player's name", Length::Rest, TextRule::Username(Username::MAX_BYTES))
                .clause("0x02 - JOIN, S2")
                .ruling("S2"),
        )],
    ),
];

/// Those of the document's example and those of its authors' program.
static KEYS: [(u64, &str); 11] = [
    (0x25, "left"),
    (0x26, "up"),
    (0x27, "right"),
    (0x28, "down"),
    (0x20, "fire"),
    (0x10, "Force"),
    (0, "down"),
    (1, "up"),
    (2, "left"),
    (3, "right"),
    (4, "fire"),
];

static SERVER_PACKETS: [ValueItems; 4] = [
    case(
        0x08,
        ["PLAYER_ID_ASSIGNMENT", "PlayerIdAssignment"],
        "0x08 - PLAYER_ID_ASSIGNMENT",
        &[Item::Value(
            u8("assigned_player_id", "Player ID", "the seat that the client has")
                .names(&[(NO_AVAILABLE_SLOTS as u64, "no available slots")])
                .check(Check::Range(0, 3, Some(NO_AVAILABLE_SLOTS as u64)), ""),
        )],
    ),
    case(
        0x10,
        ["SNAPSHOT", "Snapshot"],
        "0x10 - SNAPSHOT",
        &[Item::Repeated(&Group { name: "entity", items: &ENTITY })],
    ),
    case(0x20, ["TIMEOUT", "Timeout"], "0x20 - TIMEOUT", &LOSS),
    case(0x40, ["KILLED", "Killed"], "0x20 - KILLED, S1", &LOSS),
];

static LOSS: [Item; 4] = [
    Item::Value(u8("entity_id", "Entity ID", "which entity").clause("S9")),
    Item::Value(u8("lost_player_id", "Player ID", "whose ship it was").check(Check::Range(0, 3, None), "")),
    Item::Value(u8("username_length", "Username Length", "bytes of the name").unit("bytes").kept().structure()),
    Item::Value(text(
        ["lost_username", "Username"],
        "the name of the player whose ship it was",
        Length::Of("username_length"),
        TextRule::Utf8,
    )),
];

static ENTITY: [Item; 9] = [
    Item::Value(u8("entity_id", "Entity ID", "which entity").clause("S9")),
    length("position_x", "Position X", "the centre of the entity, to the right"),
    length("position_y", "Position Y", "the centre of the entity, downwards"),
    Item::Value(u8("path_length", "Path Length", "bytes of the path").unit("bytes").kept().structure()),
    Item::Value(text(
        ["sprite_path", "Sprite Path"],
        "the sprite sheet: the name of the kind",
        Length::Of("path_length"),
        TextRule::Utf8,
    )),
    length("rect_pos_x", "Rect Pos X", "the left of the picture within its sheet"),
    length("rect_pos_y", "Rect Pos Y", "the top of the picture within its sheet"),
    length("rect_size_x", "Rect Size X", "the width of the picture"),
    length("rect_size_y", "Rect Size Y", "the height of the picture"),
];

const fn length(name: &'static str, label: &'static str, about: &'static str) -> Item {
    let field: Field = f32(name, label, about);
    Item::Value(field.unit("units").clause("0x10 - SNAPSHOT, C3"))
}
