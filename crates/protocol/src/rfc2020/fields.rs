//! The fields of `rfc2020` as a table, for decoders; sessions read with `wire.rs`.

use crate::{
    Malformed,
    field_table::{
        BitPart, ByteOrder, Check, Field, FieldTable, Item, Length, MessageKey, Pairing, Sentences, StreamMessages,
        TextRule, UnknownValue, ValueItems, case, i64, text, u8, u16, u64,
    },
    rfc2020::{
        entity_json::ENTITY_JSON_MAX,
        wire::{HEADER_SIZE, MAP_NAME_MAX, TCP_BODY_MAX},
    },
};

/// The bytes of the dialect.
pub static FIELDS: FieldTable = FieldTable {
    order: ByteOrder::Big,
    client: Sentences { datagram: Some(&CLIENT), stream: Some(stream(&CLIENT)) },
    server: Sentences { datagram: Some(&SERVER), stream: Some(stream(&SERVER)) },
    opaque: None,
    pairings: &[Pairing {
        request: MessageKey::when("type", 0, &["method", "creation_timestamp"]),
        answer: MessageKey::when("type", 1, &["method", "creation_timestamp"]),
    }],
    sequence: "",
};

const fn stream(message: &'static [Item]) -> StreamMessages {
    StreamMessages {
        message,
        size_at: 1,
        size_bytes: 8,
        head_bytes: HEADER_SIZE,
        sizes: (0, TCP_BODY_MAX),
        ruling: "R4",
    }
}

static CLIENT: [Item; 2] = [
    Item::All(&HEADER),
    Item::Choice { on: "type_and_method", cases: &CLIENT_MESSAGES, otherwise: UnknownValue::Refuse("") },
];

static SERVER: [Item; 2] = [
    Item::All(&HEADER),
    Item::Choice { on: "type_and_method", cases: &SERVER_MESSAGES, otherwise: UnknownValue::Refuse("") },
];

static HEADER: [Item; 4] = [
    Item::Bits { whole: "type_and_method", bytes: 1, parts: &TYPE_AND_METHOD },
    Item::AtLeast { bytes: HEADER_SIZE, fault: Malformed::Short, ruling: "R1" },
    Item::Value(
        u64("body_size", "BODY_SIZE", "bytes of the body")
            .unit("bytes")
            .clause("Data header, R4")
            .check(Check::RestSize(8), "R4")
            .structure(),
    ),
    Item::Value(
        u64("creation_timestamp", "CREATION_TIMESTAMP", "when the request was made, since 1970")
            .unit("µs")
            .clause("Data header, R2")
            .ruling("R2"),
    ),
];

static TYPE_AND_METHOD: [BitPart; 2] = [
    BitPart {
        field: u8("type", "TYPE", "request or response")
            .clause("Data header, R1")
            .names(&[(0, "request"), (1, "response")])
            .check(Check::Named(Malformed::UnknownType), "R1")
            .structure(),
        first: 0,
        count: 2,
    },
    BitPart {
        field: u8("method", "METHOD", "what the message is about")
            .clause("Data header, R1")
            .names(&[
                (0, "ASK_JOIN"),
                (1, "CREATE"),
                (2, "GAME_STATE"),
                (3, "POSITION"),
                (4, "MOVE"),
                (5, "SPAWN"),
                (6, "DESTROY"),
                (7, "GRAB"),
                (8, "DROP"),
                (9, "CHARGE"),
                (10, "SHOOT"),
                (11, "HIT"),
                (12, "JOIN"),
                (13, "LEAVE"),
            ])
            .check(Check::Named(Malformed::UnknownType), "R1")
            .structure(),
        first: 2,
        count: 6,
    },
];

/// The bit of TYPE that makes a response of a METHOD.
const RESPONSE: u64 = 0x40;

const ENTITY_ID: Field = u64("entity_id", "ENTITY_ID", "which entity").clause("R6");
const ENTITY: Item = Item::Value(ENTITY_ID);
const PLAYER: Item = Item::Value(ENTITY_ID.check(Check::Expected(0, 3), "R11"));
const X: Item = Item::Value(i64("x_coordinate", "X_COORDINATE", "to the right").unit("units").clause("C3"));
const Y: Item = Item::Value(i64("y_coordinate", "Y_COORDINATE", "downwards").unit("units").clause("C3"));
const MAP_NAME: Item = Item::Value(
    text(["map_name", "MAP_NAME"], "the name of the map", Length::Rest, TextRule::Visible(MAP_NAME_MAX)).ruling("R5"),
);
const LOBBY_PORT: Item =
    Item::Value(u16("lobby_port", "LOBBY_PORT", "the UDP port of the lobby; 0 is none").clause("ASK_JOIN, R5"));

const STATE: Field = u8("state", "STATE", "the state of the game").names(&[
    (0, "awaiting start"),
    (1, "running"),
    (2, "won"),
    (3, "lost"),
    (4, "timeout"),
]);

static CLIENT_MESSAGES: [ValueItems; 15] = [
    case(
        0,
        ["ASK_JOIN", "AskJoin"],
        "ASK_JOIN",
        &[Item::Value(
            text(["lobby_id", "LOBBY_ID"], "the name of the lobby", Length::Fixed(6), TextRule::LobbyCode).ruling("R5"),
        )],
    ),
    case(1, ["CREATE", "Create"], "CREATE", &[MAP_NAME]),
    case(2, ["GAME_STATE", "GameState"], "GAME_STATE", &[Item::Value(STATE.check(Check::Range(0, 1, None), ""))]),
    case(
        4,
        ["MOVE", "Move"],
        "MOVE",
        &[
            PLAYER,
            Item::Value(
                u8("direction", "DIRECTION", "where the player flies")
                    .names(&[(0, "up"), (1, "left"), (2, "down"), (3, "right")])
                    .check(Check::Named(Malformed::BadValue), ""),
            ),
            Item::Value(
                u8("move_state", "STATE", "whether the player begins or ends to fly there")
                    .names(&[(0, "false"), (1, "true")])
                    .check(Check::Named(Malformed::BadValue), ""),
            ),
        ],
    ),
    case(8, ["DROP", "Drop"], "DROP, R10", &[]),
    case(9, ["CHARGE", "Charge"], "CHARGE, R9", &[PLAYER]),
    case(10, ["SHOOT", "Shoot"], "SHOOT, R9", &[PLAYER]),
    case(12, ["JOIN", "Join"], "JOIN", &[]),
    case(13, ["LEAVE", "Leave"], "LEAVE", &[PLAYER]),
    confirmation(2, "GAME_STATE confirmation", "Confirm GameState"),
    confirmation(5, "SPAWN confirmation", "Confirm Spawn"),
    confirmation(6, "DESTROY confirmation", "Confirm Destroy"),
    confirmation(7, "GRAB confirmation", "Confirm Grab"),
    confirmation(8, "DROP confirmation", "Confirm Drop"),
    confirmation(11, "HIT confirmation", "Confirm Hit"),
];

static SERVER_MESSAGES: [ValueItems; 16] = [
    case(RESPONSE, ["ASK_JOIN answer", "AskJoin"], "ASK_JOIN, R5", &[LOBBY_PORT]),
    case(
        RESPONSE | 1,
        ["CREATE answer", "Create"],
        "CREATE, R5",
        &[
            LOBBY_PORT,
            Item::Value(
                text(
                    ["created_lobby_id", "LOBBY_ID"],
                    "the name of the lobby that was made, if one was",
                    Length::Fixed(6),
                    TextRule::LobbyCodeOrNone,
                )
                .ruling("R5"),
            ),
        ],
    ),
    case(
        2,
        ["GAME_STATE", "GameState"],
        "GAME_STATE",
        &[Item::Value(STATE.check(Check::Named(Malformed::BadValue), ""))],
    ),
    case(3, ["POSITION", "Position"], "POSITION, R12", &[ENTITY, X, Y]),
    case(
        5,
        ["SPAWN", "Spawn"],
        "SPAWN",
        &[
            ENTITY,
            Item::Value(
                text(
                    ["entity_json", "ENTITY_JSON"],
                    "what the entity is",
                    Length::Rest,
                    TextRule::NulEnded(ENTITY_JSON_MAX),
                )
                .clause("SPAWN, R8")
                .ruling("R8"),
            ),
        ],
    ),
    case(6, ["DESTROY", "Destroy"], "DESTROY", &[ENTITY]),
    case(
        7,
        ["GRAB", "Grab"],
        "GRAB",
        &[
            ENTITY,
            Item::Value(u64("grabbed_entity_id", "ENTITY_ID", "the object that was taken")),
            Item::Optional(
                &[Item::Value(
                    u8("grab_direction", "DIRECTION", "at which side the object is attached")
                        .clause("GRAB, R10")
                        .names(&[(0, "front"), (1, "back")])
                        .check(Check::Named(Malformed::BadValue), ""),
                )],
                "",
            ),
        ],
    ),
    case(8, ["DROP", "Drop"], "DROP", &[ENTITY]),
    case(11, ["HIT", "Hit"], "HIT, R14", &[ENTITY]),
    case(
        RESPONSE | 10,
        ["SHOOT answer", "Shoot"],
        "SHOOT, R9",
        &[Item::Optional(
            &[
                Item::Value(
                    u8("is_valid", "IS_VALID", "whether the rules allowed the shot")
                        .names(&[(0, "false"), (1, "true")])
                        .check(Check::Named(Malformed::BadValue), "R9"),
                ),
                ENTITY,
            ],
            "Confirm",
        )],
    ),
    case(
        RESPONSE | 12,
        ["JOIN answer", "Join"],
        "JOIN, R6",
        &[Item::Optional(
            &[
                Item::Value(
                    u64("joined_entity_id", "ENTITY_ID", "the client's player; above 3 it is refused")
                        .names(&[(u64::MAX, "refused")])
                        .clause("JOIN, R6"),
                ),
                X,
                Y,
                MAP_NAME,
            ],
            "Confirm",
        )],
    ),
    confirmation(2, "GAME_STATE confirmation", "Confirm GameState"),
    confirmation(4, "MOVE confirmation", "Confirm Move"),
    confirmation(8, "DROP confirmation", "Confirm Drop"),
    confirmation(9, "CHARGE confirmation", "Confirm Charge"),
    confirmation(13, "LEAVE confirmation", "Confirm Leave"),
];

/// A header alone.
const fn confirmation(method: u64, name: &'static str, wire: &'static str) -> ValueItems {
    case(RESPONSE | method, [name, wire], "Request confirmations", &[])
}
