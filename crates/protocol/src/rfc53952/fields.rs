//! The fields of `rfc53952` as a table, for decoders; sessions read with `wire.rs`.

use crate::{
    Malformed,
    field_table::{
        ByteOrder, Check, Field, FieldTable, Item, Length, MessageKey, Pairing, Sentences, TextRule, UnknownValue,
        ValueItems, case, f32, text, u8, u16, u32, u64,
    },
    rfc53952::wire::HEADER_SIZE,
};

/// The bytes of the dialect.
pub static FIELDS: FieldTable = FieldTable {
    order: ByteOrder::Little,
    client: Sentences::datagrams(&CLIENT),
    server: Sentences::datagrams(&SERVER),
    opaque: None,
    pairings: &[Pairing {
        request: MessageKey::unless("type", 10, &["type", "timestamp"]),
        answer: MessageKey::when("type", 10, &["packet_type", "packet_timestamp"]),
    }],
    sequence: "",
};

static CLIENT: [Item; 2] =
    [Item::All(&HEADER), Item::Choice { on: "type", cases: &CLIENT_PACKETS, otherwise: UnknownValue::Refuse("F2") }];

static SERVER: [Item; 2] =
    [Item::All(&HEADER), Item::Choice { on: "type", cases: &SERVER_PACKETS, otherwise: UnknownValue::Refuse("F2") }];

static HEADER: [Item; 5] = [
    Item::AtLeast { bytes: HEADER_SIZE, fault: Malformed::Short, ruling: "F1" },
    Item::Value(
        u32("length", "Length", "bytes of the whole packet")
            .unit("bytes")
            .clause("3. Packet header, F1")
            .check(Check::WholeSize, "F1")
            .structure(),
    ),
    Item::Value(
        u8("type", "Type", "what the packet is")
            .clause("3. Packet header, F2")
            .names(&TYPES)
            .ruling("F2")
            .kept()
            .structure(),
    ),
    Item::Value(
        u64("timestamp", "Timestamp", "when it was sent, since 1970").unit("s").clause("4. Timestamp, F4").ruling("F4"),
    ),
    Item::Value(
        u16("datasize", "Datasize", "bytes of the data")
            .unit("bytes")
            .clause("3. Packet header, F1")
            .check(Check::RestSize(0), "F1")
            .structure(),
    ),
];

const TYPES: [(u64, &str); 10] = [
    (1, "HiServer"),
    (2, "HiClient"),
    (3, "AdiosServer"),
    (4, "Ping"),
    (5, "CreateEntity"),
    (6, "DestroyEntity"),
    (7, "MoveEntity"),
    (8, "UpdateEntity"),
    (9, "ClientEvents"),
    (10, "PacketValidation"),
];

static CLIENT_PACKETS: [ValueItems; 5] = [
    case(1, ["HiServer", "HiServer"], "5.1 HiServer", &[]),
    case(3, ["AdiosServer", "AdiosServer"], "5.3 AdiosServer", &[]),
    PING,
    case(
        9,
        ["ClientEvents", "ClientEvents"],
        "5.9 ClientEvents",
        &[
            Item::Value(
                u8("id_event", "IdEvent", "what the player does")
                    .clause("5.9 ClientEvents, F6")
                    .names(&[(1, "move"), (2, "fire"), (3, "Force"), (4, "start the game")])
                    .check(Check::ExpectedNamed, "F6"),
            ),
            description("event_description", "what exactly the player does"),
        ],
    ),
    PACKET_VALIDATION,
];

static SERVER_PACKETS: [ValueItems; 7] = [
    case(
        2,
        ["HiClient", "HiClient"],
        "5.2 HiClient, F5",
        &[Item::Optional(
            &[Item::Value(
                u8("accepted", "accepted", "a byte that refuses the client")
                    .clause("F5")
                    .names(&[(0, "false")])
                    .check(Check::Named(Malformed::BadValue), "F5"),
            )],
            "true",
        )],
    ),
    PING,
    case(
        5,
        ["CreateEntity", "CreateEntity"],
        "5.5 CreateEntity, F3",
        &[
            NETWORK_ID,
            Item::Value(
                text(
                    ["entity_prefab_path", "Entity prefab path"],
                    "what the entity is: the name of its kind",
                    Length::RestBut(8),
                    TextRule::LooseNotEmpty,
                )
                .clause("5.5 CreateEntity, F2, F7"),
            ),
            finite("x", "x", "the centre of the entity, to the right", "units"),
            finite("y", "y", "the centre of the entity, downwards", "units"),
        ],
    ),
    case(6, ["DestroyEntity", "DestroyEntity"], "5.6 DestroyEntity", &[NETWORK_ID]),
    case(
        7,
        ["MoveEntity", "MoveEntity"],
        "5.7 MoveEntity, F8",
        &[
            NETWORK_ID,
            finite("x", "x", "the centre of the entity, to the right", "units"),
            finite("y", "y", "the centre of the entity, downwards", "units"),
            finite("direction_x", "direction x", "how fast it flies to the right", "units/s"),
            finite("direction_y", "direction y", "how fast it flies downwards", "units/s"),
        ],
    ),
    case(
        8,
        ["UpdateEntity", "UpdateEntity"],
        "5.8 UpdateEntity, F7",
        &[NETWORK_ID, description("update_description", "what is new about the entity")],
    ),
    PACKET_VALIDATION,
];

const PING: ValueItems = case(4, ["Ping", "Ping"], "5.4 Ping, F8", &[]);

const PACKET_VALIDATION: ValueItems = case(
    10,
    ["PacketValidation", "PacketValidation"],
    "5.10 PacketValidation, F4",
    &[
        Item::Value(
            u8("packet_type", "PacketType", "the Type of the packet that came")
                .names(&TYPES)
                .check(Check::Named(Malformed::BadValue), "F2"),
        ),
        Item::Value(u64("packet_timestamp", "PacketTimestamp", "the Timestamp of the packet that came").unit("s")),
    ],
);

const NETWORK_ID: Item = Item::Value(u32("network_id", "Network Id", "which entity; 0 is the whole game").clause("F7"));

const fn finite(name: &'static str, label: &'static str, about: &'static str, unit: &'static str) -> Item {
    let field: Field = f32(name, label, about);
    Item::Value(field.unit(unit).check(Check::Finite, "F1"))
}

const fn description(name: &'static str, about: &'static str) -> Item {
    Item::Value(text([name, "Description"], about, Length::Rest, TextRule::Loose))
}
