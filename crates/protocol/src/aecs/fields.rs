//! The fields of `aecs` as a table, for decoders; sessions read with `wire.rs`.

use crate::{
    Malformed,
    aecs::wire::PACKET_MAX_BYTES,
    field_table::{
        ByteOrder, Check, Field, FieldTable, Group, Item, Length, MessageKey, Pairing, Region, Sentences,
        StreamMessages, UnknownValue, ValueItems, bytes, case, f32, u8, u16, u32,
    },
};

/// The bytes of the dialect.
pub static FIELDS: FieldTable = FieldTable {
    order: ByteOrder::Little,
    // A client says nothing over its TCP connection.
    client: Sentences { datagram: Some(&CLIENT), stream: Some(stream(&CLIENT)) },
    server: Sentences { datagram: Some(&SERVER), stream: Some(stream(&SERVER)) },
    opaque: None,
    pairings: &[
        Pairing {
            request: MessageKey::when("packet_type", 0x81, &["tick"]),
            answer: MessageKey::when("packet_type", 0x02, &["confirmed_tick"]),
        },
        Pairing {
            request: MessageKey::when("packet_type", 0x01, &[]),
            answer: MessageKey::when("packet_type", 0x82, &[]),
        },
    ],
    sequence: "",
};

const fn stream(message: &'static [Item]) -> StreamMessages {
    StreamMessages {
        message,
        size_at: 0,
        size_bytes: 2,
        head_bytes: 2,
        sizes: (1, PACKET_MAX_BYTES as u64 - 2),
        ruling: "A1",
    }
}

static CLIENT: [Item; 1] = [Item::Sized(&Region {
    size: PACKET_SIZE,
    items: &[
        PACKET_TYPE,
        Item::Choice { on: "packet_type", cases: &CLIENT_PACKETS, otherwise: UnknownValue::Refuse("") },
    ],
    is_last: true,
    fault: None,
})];

static SERVER: [Item; 1] = [Item::Sized(&Region {
    size: PACKET_SIZE,
    items: &[
        PACKET_TYPE,
        Item::Choice { on: "packet_type", cases: &SERVER_PACKETS, otherwise: UnknownValue::Refuse("") },
    ],
    is_last: true,
    fault: None,
})];

const PACKET_SIZE: Field = u16("packet_size", "packet size", "bytes of type and data")
    .unit("bytes")
    .clause("Packet Structures")
    .ruling("A4")
    .structure();

const PACKET_TYPE: Item = Item::Value(
    u8("packet_type", "packet type", "what the packet is")
        .clause("Packet Structures")
        .names(&[
            (0x80, "CONNECTED"),
            (0x81, "GAME_CHANGES"),
            (0x82, "SERVER_PONG"),
            (0x00, "GAME_INPUT"),
            (0x01, "PING"),
            (0x02, "CLIENT_PONG"),
        ])
        .kept()
        .structure(),
);

static CLIENT_PACKETS: [ValueItems; 3] = [
    case(
        0x00,
        ["GAME_INPUT", "GameInput"],
        "GAME_INPUT packet",
        &[
            Item::Value(
                u8("input_count", "input count", "how many keys are held").check(Check::RestSize(0), "A5").structure(),
            ),
            Item::Repeated(&Group {
                name: "input",
                items: &[Item::Value(
                    u8("input", "input", "a key that is held")
                        .clause("GAME_INPUT packet, A5")
                        .names(&KEYS)
                        .check(Check::ExpectedNamed, "A5"),
                )],
            }),
        ],
    ),
    case(0x01, ["PING", "Ping"], "PING packet, A7", &[]),
    case(
        0x02,
        ["CLIENT_PONG", "ClientPong"],
        "CLIENT_PONG packet",
        &[Item::Value(
            u32("confirmed_tick", "tick", "every change up to this tick has come").unit("ticks").clause("A3"),
        )],
    ),
];

static KEYS: [(u64, &str); 10] = [
    (16, "left"),
    (3, "right"),
    (25, "up"),
    (18, "down"),
    (57, "fire"),
    (38, "Force"),
    (71, "left"),
    (72, "right"),
    (73, "up"),
    (74, "down"),
];

static SERVER_PACKETS: [ValueItems; 3] = [
    case(
        0x80,
        ["CONNECTED", "Connected"],
        "CONNECTED packet",
        &[
            Item::Value(u8("client_id", "client ID", "the seat of the client").check(Check::Expected(0, 3), "C8")),
            Item::All(&GAME_STATE),
        ],
    ),
    case(
        0x81,
        ["GAME_CHANGES", "GameChanges"],
        "GAME_CHANGES packet",
        &[
            Item::Value(u8("change_count", "change count", "how many changes follow").kept().structure()),
            Item::Times { count: "change_count", each: &Group { name: "change", items: &GAME_STATE } },
        ],
    ),
    case(0x82, ["SERVER_PONG", "ServerPong"], "SERVER_PONG packet", &[]),
];

static GAME_STATE: [Item; 3] = [
    Item::Value(u32("tick", "tick", "when it was so").unit("ticks").clause("GAME_STATE packet")),
    Item::Value(
        u32("number_of_entities", "number of entities", "how many entities follow")
            .clause("GAME_STATE packet")
            .kept()
            .structure(),
    ),
    Item::Times { count: "number_of_entities", each: &Group { name: "entity", items: &ENTITY } },
];

static ENTITY: [Item; 2] = [
    Item::Value(u32("entity_id", "entity ID", "which entity").clause("GAME_STATE packet")),
    Item::Sized(&Region {
        size: u16("components_size", "data size", "bytes of all components; 0 removes the entity")
            .unit("bytes")
            .clause("GAME_STATE packet")
            .structure(),
        items: &[Item::Repeated(&Group { name: "component", items: &COMPONENT })],
        is_last: false,
        fault: None,
    }),
];

static COMPONENT: [Item; 2] = [
    Item::Value(
        u16("component_id", "component ID", "which component")
            .clause("GAME_STATE packet, A6")
            .names(&[
                (1, "Position"),
                (2, "Velocity"),
                (3, "Kind"),
                (4, "Health"),
                (5, "Animation"),
                (6, "Player"),
                (7, "Attached"),
                (8, "Charge"),
                (9, "Score"),
                (10, "Lives"),
                (11, "Game"),
                (12, "Size"),
            ])
            .check(Check::ExpectedNamed, "A6")
            .kept()
            .structure(),
    ),
    Item::Sized(&Region {
        size: u16("component_size", "data size", "bytes of this component")
            .unit("bytes")
            .clause("GAME_STATE packet")
            .ruling("A6")
            .structure(),
        items: &[Item::Choice { on: "component_id", cases: &COMPONENTS, otherwise: UnknownValue::Read(&UNKNOWN) }],
        is_last: false,
        fault: Some(Malformed::WrongSize),
    }),
];

/// Its size is beside it, so it can be passed over.
static UNKNOWN: [Item; 1] =
    [Item::Value(bytes(["component_data", "data"], "a component that we do not know", Length::Rest))];

static COMPONENTS: [ValueItems; 12] = [
    component(
        1,
        "Position",
        &[
            Item::Value(f32("position_x", "x", "the centre of the entity, to the right").unit("units")),
            Item::Value(f32("position_y", "y", "the centre of the entity, downwards").unit("units")),
        ],
    ),
    component(
        2,
        "Velocity",
        &[
            Item::Value(f32("velocity_x", "x", "how fast it flies to the right").unit("units/s")),
            Item::Value(f32("velocity_y", "y", "how fast it flies downwards").unit("units/s")),
        ],
    ),
    component(
        3,
        "Kind",
        &[Item::Value(u16("kind", "kind", "what the entity is").kinds().check(Check::ExpectedNamed, "C9"))],
    ),
    component(
        4,
        "Health",
        &[
            Item::Value(u16("health_now", "now", "what it can still bear")),
            Item::Value(u16("health_max", "max", "what it could bear at first")),
        ],
    ),
    component(5, "Animation", &[Item::Value(u8("animation", "animation", "which of its pictures to show"))]),
    component(
        6,
        "Player",
        &[Item::Value(u8("seat", "seat", "the player it belongs to").check(Check::Expected(0, 3), "A6"))],
    ),
    component(
        7,
        "Attached",
        &[
            Item::Value(u32("attached_entity", "entity", "the entity that it is attached to")),
            Item::Value(
                u8("attached_side", "side", "at which side it is attached")
                    .names(&[(0, "front"), (1, "back")])
                    .check(Check::ExpectedNamed, "A6"),
            ),
        ],
    ),
    component(8, "Charge", &[Item::Value(u8("charge", "charge", "how far the beam is charged").unit("/255"))]),
    component(9, "Score", &[Item::Value(u32("score", "score", "the score of all players").unit("points"))]),
    component(10, "Lives", &[Item::Value(u8("lives", "lives", "lives left"))]),
    component(
        11,
        "Game",
        &[
            Item::Value(
                u8("game_state", "state", "the state of the game")
                    .names(&[(0, "waiting"), (1, "running"), (2, "won"), (3, "lost"), (4, "timeout")])
                    .check(Check::ExpectedNamed, "C9"),
            ),
            Item::Value(u8("game_stage", "stage", "the stage; 0 is endless")),
        ],
    ),
    component(
        12,
        "Size",
        &[
            Item::Value(f32("size_width", "width", "the width of a wall").unit("units").clause("C12")),
            Item::Value(f32("size_height", "height", "the height of a wall").unit("units").clause("C12")),
        ],
    ),
];

const fn component(id: u64, name: &'static str, items: &'static [Item]) -> ValueItems {
    case(id, [name, name], "GAME_STATE packet, A6", items)
}
