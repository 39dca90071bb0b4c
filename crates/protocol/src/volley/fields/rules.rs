//! The rules of a lobby: bytes that a client may choose.

use game::tuning;

use super::flag;
use crate::{
    Malformed,
    field_table::{Check, Item, UnknownValue, ValueItems, case, u8, u32},
};

pub(super) static RULES: [Item; 6] = [
    Item::Value(
        u8("rule_set", "set", "whether scores are shared or each player's own")
            .names(&[(0, "coop"), (1, "arcade")])
            .check(Check::Named(Malformed::BadValue), ""),
    ),
    flag("friendly_fire", "friendly fire", "whether players can hit each other"),
    Item::Value(
        u8("lives", "lives", "lives at the beginning").check(Check::Range(1, tuning::LIVES_MAX as u64, None), ""),
    ),
    Item::Value(
        u8("difficulty", "difficulty", "how hard the game is")
            .names(&[(0, "easy"), (1, "normal"), (2, "hard")])
            .check(Check::Named(Malformed::BadValue), ""),
    ),
    Item::Value(
        u8("mode", "mode", "what is played")
            .names(&[(0, "campaign"), (1, "endless"), (2, "daily"), (3, "practice")])
            .check(Check::Named(Malformed::BadValue), "")
            .kept(),
    ),
    Item::Choice { on: "mode", cases: &MODES, otherwise: UnknownValue::Read(&[]) },
];

static MODES: [ValueItems; 2] = [
    case(
        2,
        ["daily", ""],
        "The stream, V15",
        &[
            Item::Value(u32("day", "day", "days since the first of January 1970 UTC").unit("days")),
            Item::Value(
                u8("mutator", "mutator", "what is unusual on that day")
                    .names(&[
                        (0, "swarm"),
                        (1, "haste"),
                        (2, "glass"),
                        (3, "forceless"),
                        (4, "overcharge"),
                        (5, "revenge"),
                    ])
                    .check(Check::Named(Malformed::BadValue), ""),
            ),
        ],
    ),
    case(
        3,
        ["practice", ""],
        "The stream",
        &[
            Item::Value(u8("checkpoint", "checkpoint", "where the stage begins")),
            Item::Value(
                u8("force_level", "Force level", "the level of the Force at the beginning")
                    .check(Check::Range(0, tuning::FORCE_LEVEL_MAX as u64, None), ""),
            ),
            Item::Value(
                u8("crystal", "crystal", "which laser the Force has")
                    .names(&[(0, "red"), (1, "blue"), (2, "yellow")])
                    .check(Check::Named(Malformed::BadValue), ""),
            ),
            flag("missiles", "missiles", "whether the ship has missiles"),
            Item::Value(
                u8("bits", "Bits", "how many Bits the ship has")
                    .check(Check::Range(0, tuning::BITS_MAX as u64, None), ""),
            ),
            Item::Value(
                u8("speed", "speed-ups", "how many speed-ups the ship has")
                    .check(Check::Range(0, tuning::SPEED_UPS_MAX as u64, None), ""),
            ),
        ],
    ),
];
