//! The bytes once more, as a table for `volley decode` and the dissectors. A session reads with `wire.rs`.

use super::wire::INPUTS_MAX;
use crate::{
    Malformed,
    field_table::{
        ByteOrder, Check, FieldTable, Group, Item, Length, Sentences, TextRule, UnknownValue, ValueItems, case, text,
        u8, u16, u32,
    },
    lobby::NAME_MAX_BYTES,
};

/// The bytes of the dialect.
pub static FIELDS: FieldTable = FieldTable {
    order: ByteOrder::Big,
    client: Sentences::datagrams(&CLIENT),
    server: Sentences::datagrams(&SERVER),
    opaque: None,
    pairings: &[],
    sequence: "",
};

static CLIENT: [Item; 2] = [
    Item::Value(u8("request", "type", "what the client says").kept().structure()),
    Item::Choice { on: "request", cases: &REQUESTS, otherwise: UnknownValue::Refuse("") },
];

static REQUESTS: [ValueItems; 3] = [
    case(
        1,
        ["JOIN", "Join"],
        "",
        &[Item::Value(text(["name", "name"], "the player's name", Length::Rest, TextRule::Visible(NAME_MAX_BYTES)))],
    ),
    case(
        2,
        ["KEYS", "Keys"],
        "",
        &[
            // The type, the number, and two bytes for each input.
            Item::AtMost { bytes: 5 + 2 * INPUTS_MAX, ruling: "" },
            Item::AtLeast { bytes: 7, fault: Malformed::WrongSize, ruling: "" },
            Item::Value(u32("newest", "newest", "the number of the newest input")),
            Item::Repeated(&Group {
                name: "input",
                items: &[
                    Item::Value(u8("held", "held", "buttons that are held")),
                    Item::Value(u8("pressed", "pressed", "buttons that were pressed")),
                ],
            }),
        ],
    ),
    case(3, ["LEAVE", "Leave"], "", &[]),
];

static SERVER: [Item; 2] = [
    Item::Value(u8("notice", "type", "what the server says").kept().structure()),
    Item::Choice { on: "notice", cases: &NOTICES, otherwise: UnknownValue::Refuse("") },
];

static NOTICES: [ValueItems; 3] = [
    case(1, ["WORLD", "World"], "", &WORLD),
    case(2, ["FULL", "Full"], "", &[]),
    case(3, ["GOODBYE", "Goodbye"], "", &[]),
];

static WORLD: [Item; 8] = [
    Item::Value(u32("number", "number", "which Frame")),
    Item::Value(u8("part", "part", "which part of it, from 0")),
    Item::Value(u8("parts", "parts", "how many parts there are").check(Check::Range(1, 64, None), "")),
    Item::Value(u8("seat", "seat", "the seat of the client").check(Check::Range(0, 3, None), "")),
    Item::Value(
        u8("state", "state", "the state of the game")
            .names(&[(0, "waiting"), (1, "running"), (2, "won"), (3, "lost"), (4, "timed out")])
            .check(Check::Named(Malformed::BadValue), ""),
    ),
    Item::Value(u32("score", "score", "the score").unit("points")),
    Item::Value(u32("lives", "lives", "the lives of each player, a byte each; 255 is nobody")),
    Item::Repeated(&Group { name: "entity", items: &ENTITY }),
];

static ENTITY: [Item; 7] = [
    Item::Value(u32("id", "id", "which entity")),
    Item::Value(u16("kind", "kind", "what it is").kinds().check(Check::Named(Malformed::BadValue), "")),
    Item::Value(u32("x", "x", "to the right, in 1/256 pixel")),
    Item::Value(u32("y", "y", "downwards, in 1/256 pixel")),
    Item::Value(u16("health", "health", "what it can bear")),
    Item::Value(u8("owner", "seat", "whose it is; 255 is nobody's")),
    Item::Value(u8("charge", "charge", "how far the beam is charged").unit("/255")),
];
