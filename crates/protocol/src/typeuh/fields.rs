//! The fields of `typeuh` as a table, for decoders; sessions read with `wire.rs`.

use crate::{
    Malformed,
    field_table::{
        ByteOrder, Check, Field, FieldTable, Group, Item, Length, Sentences, TextRule, UnknownValue, ValueItems, case,
        f32, text, u8, u16, u32,
    },
    typeuh::wire::INITIALISATION_MAX_BYTES,
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

static CLIENT: [Item; 1] = [Item::Repeated(&Group {
    name: "key event",
    items: &[Item::Value(
        u8("key_event", "Opcode", "what the user did")
            .clause("Client-to-server protocol: Instruction set")
            .names(&[
                (0x0, "right key pressed"),
                (0x1, "right key released"),
                (0x2, "up key pressed"),
                (0x3, "up key released"),
                (0x4, "left key pressed"),
                (0x5, "left key released"),
                (0x6, "down key pressed"),
                (0x7, "down key released"),
                (0x8, "left click pressed"),
                (0x9, "left click released"),
                (0xa, "right click pressed"),
                (0xb, "right click released"),
            ])
            .check(Check::Named(Malformed::UnknownType), "T3"),
    )],
})];

/// Where the second letter of the first name stands: what has letters there and can be read as nothing was meant as names.
const SECOND_LETTER: usize = 4;

static SERVER: [Item; 1] = [Item::Either { first: &INITIALISATION, second: &INSTRUCTIONS, meant_from: SECOND_LETTER }];

/// The names of all components of the session.
pub static INITIALISATION: [Item; 1] =
    [Item::Named(&case(0, ["Initialisation", "Initialisation"], "Connection initialisation: Description", &NAMES))];

static NAMES: [Item; 6] = [
    Item::Value(u16("component_count", "count", "how many components there are").kept().structure()),
    Item::Value(
        u8("name_length_max", "maximum length", "bytes of each name, with the zeros behind it").unit("bytes").kept(),
    ),
    Item::ProductMax { factors: ["component_count", "name_length_max"], more: 5, bytes: INITIALISATION_MAX_BYTES },
    Item::Times { count: "component_count", each: &NAME },
    Item::Value(
        u16("end_of_initialisation", "end", "marks the end of the names")
            .clause("Connection initialisation: Example")
            .check(Check::Is(0xffff), "T2")
            .structure(),
    ),
    Item::Learn,
];

static NAME: Group = Group {
    name: "component",
    items: &[Item::Value(
        text(
            ["component_name", "name"],
            "the name whose place in the list is its component_id",
            Length::Of("name_length_max"),
            TextRule::PaddedName,
        )
        .ruling("T2")
        .learned(),
    )],
};

/// Any number of whole instructions.
pub static INSTRUCTIONS: [Item; 1] = [Item::Repeated(&Group { name: "instruction", items: &INSTRUCTION })];

static INSTRUCTION: [Item; 2] = [
    Item::Value(
        u8("opcode", "Opcode", "what the instruction is")
            .clause("Server-to-client protocol: Instruction table")
            .names(&[
                (0x0, "Create entity"),
                (0x1, "Delete entity"),
                (0x2, "Attach component"),
                (0x3, "Update component"),
                (0x4, "Detach component"),
            ])
            .check(Check::Named(Malformed::UnknownType), "T3")
            .kept()
            .structure(),
    ),
    Item::Choice { on: "opcode", cases: &INSTRUCTION_KINDS, otherwise: UnknownValue::Refuse("T3") },
];

const ENTITY_ID: Item = Item::Value(u16("entity_id", "entity_id", "which entity").clause("Operand sizes and format"));
const COMPONENT_ID: Item = Item::Value(
    u16("component_id", "component_id", "which component: its place in the initialisation")
        .clause("Operand sizes and format")
        .kept(),
);

static INSTRUCTION_KINDS: [ValueItems; 5] = [
    case(0x0, ["Create entity", "CreateEntity"], "0x0 - Create entity", &[ENTITY_ID]),
    case(0x1, ["Delete entity", "DeleteEntity"], "0x1 - Delete entity", &[ENTITY_ID]),
    case(0x2, ["Attach component", "AttachComponent"], "0x2 - Attach component", &[ENTITY_ID, COMPONENT_ID]),
    case(
        0x3,
        ["Update component", "UpdateComponent"],
        "0x3 - Update component",
        &[
            ENTITY_ID,
            COMPONENT_ID,
            Item::Lookup { on: "component_id", unlearned: &OWN_NAMES, cases: &COMPONENTS, ruling: "T3" },
        ],
    ),
    case(0x4, ["Detach component", "DetachComponent"], "0x4 Detach component", &[ENTITY_ID, COMPONENT_ID]),
];

/// In the order in which our own initialisation names them: what they are as long as no initialisation was seen.
static OWN_NAMES: [&str; 13] = [
    "Position",
    "Velocity",
    "Kind",
    "Health",
    "Animation",
    "Player",
    "Attached",
    "Charge",
    "Score",
    "Lives",
    "Game",
    "Own",
    "Size",
];

static COMPONENTS: [ValueItems; 13] = [
    component(
        "Position",
        &[
            number(f32("position_x", "x", "the centre of the entity, to the right").unit("units")),
            number(f32("position_y", "y", "the centre of the entity, downwards").unit("units")),
        ],
    ),
    component(
        "Velocity",
        &[
            number(f32("velocity_x", "x", "how fast it flies to the right").unit("units/s")),
            number(f32("velocity_y", "y", "how fast it flies downwards").unit("units/s")),
        ],
    ),
    component("Kind", &[number(u16("kind", "kind", "what the entity is").kinds().check(Check::ExpectedNamed, "C9"))]),
    component(
        "Health",
        &[
            number(u16("health_now", "now", "what it can still bear")),
            number(u16("health_max", "max", "what it could bear at first")),
        ],
    ),
    component("Animation", &[number(u8("animation", "animation", "which of its pictures to show"))]),
    component("Player", &[number(u8("seat", "seat", "the player it belongs to").check(Check::Expected(0, 3), "T4"))]),
    component(
        "Attached",
        &[
            number(u16("attached_entity", "entity", "the entity that it is attached to")),
            number(
                u8("attached_side", "side", "at which side it is attached")
                    .names(&[(0, "front"), (1, "back")])
                    .check(Check::ExpectedNamed, "T4"),
            ),
        ],
    ),
    component("Charge", &[number(u8("charge", "charge", "how far the beam is charged").unit("/255"))]),
    component("Score", &[number(u32("score", "score", "the score of all players").unit("points"))]),
    component("Lives", &[number(u8("lives", "lives", "lives left"))]),
    component(
        "Game",
        &[
            number(u8("game_state", "state", "the state of the game").names(&STATES).check(Check::ExpectedNamed, "C9")),
            number(u8("game_stage", "stage", "the stage; 0 is endless")),
        ],
    ),
    component("Own", &[]),
    component(
        "Size",
        &[
            number(f32("size_width", "width", "the width of a wall").unit("units").clause("C12")),
            number(f32("size_height", "height", "the height of a wall").unit("units").clause("C12")),
        ],
    ),
];

static STATES: [(u64, &str); 5] = [(0, "waiting"), (1, "running"), (2, "won"), (3, "lost"), (4, "timeout")];

const fn component(name: &'static str, items: &'static [Item]) -> ValueItems {
    case(0, [name, name], "0x3 - Update component, T4", items)
}

const fn number(field: Field) -> Item {
    Item::Value(field)
}
