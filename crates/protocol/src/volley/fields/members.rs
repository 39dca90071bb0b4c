//! A lobby, its members, and what everybody did.

use super::{CODE, IS_PRIVATE, NAME, NAME_LENGTH, RULES, SEAT, SHIP, SKILL, STAGE, STAGE_LENGTH, flag, length_of};
use crate::{
    Malformed,
    field_table::{Check, Group, Item, Length, TextRule, UnknownValue, ValueItems, case, text, u8, u16, u32, u64},
    lobby::NAME_MAX_BYTES,
};

/// A line of the list of lobbies.
pub(super) static SUMMARY: [Item; 8] = [
    CODE,
    STAGE_LENGTH,
    STAGE,
    Item::Value(
        u8("state", "state", "the state of the game")
            .names(&[(0, "waiting"), (1, "running"), (2, "won"), (3, "lost"), (4, "timed out")])
            .check(Check::Named(Malformed::BadValue), ""),
    ),
    Item::Value(u8("players", "seats", "seats that people have")),
    Item::All(&RULES),
    HOST,
    Item::All(&MEMBERS),
];

/// Everything about one lobby.
pub(super) static LOBBY: [Item; 8] = [
    CODE,
    STAGE_LENGTH,
    STAGE,
    Item::All(&RULES),
    IS_PRIVATE,
    Item::Value(u8("watchers", "watchers", "how many watch")),
    HOST,
    Item::All(&MEMBERS),
];

const HOST: Item = Item::Value(
    u8("host", "host", "the seat of the host, or none")
        .names(&[(255, "none")])
        .check(Check::Range(0, 3, Some(255)), "V17"),
);

static MEMBERS: [Item; 2] = [
    Item::Value(
        u8("member_count", "count", "how many members follow")
            .check(Check::Range(0, game::SEATS as u64, None), "")
            .kept()
            .structure(),
    ),
    Item::Times { count: "member_count", each: &Group { name: "member", items: &MEMBER } },
];

static MEMBER: [Item; 8] = [
    SEAT,
    NAME_LENGTH,
    NAME,
    Item::Value(
        u8("member_kind", "kind", "a person or a bot")
            .names(&[(0, "person"), (1, "bot")])
            .check(Check::Named(Malformed::BadValue), "")
            .kept(),
    ),
    Item::Choice { on: "member_kind", cases: &KINDS, otherwise: UnknownValue::Read(&[]) },
    flag("is_ready", "ready", "whether the player is ready"),
    flag("is_away", "away", "whether the player's connection is lost"),
    SHIP,
];

static KINDS: [ValueItems; 2] = [
    case(
        0,
        ["person", ""],
        "The stream",
        &[
            length_of("dialect_length", "bytes of a dialect's name"),
            Item::Value(text(
                ["dialect", "dialect"],
                "what the player speaks",
                Length::Of("dialect_length"),
                TextRule::DialectName(NAME_MAX_BYTES),
            )),
        ],
    ),
    case(1, ["bot", ""], "The stream", &[SKILL]),
];

pub(super) static TALLY: [Item; 6] = [
    Item::Value(u64("game", "id", "the game, as tables of scores name it").clause("The stream, V16")),
    flag("is_won", "won", "whether the stage was won"),
    flag("is_scored", "scored", "whether it goes into a table of scores"),
    Item::Value(u32("score", "score", "points of all together").unit("points")),
    Item::Value(
        u8("tally_count", "count", "how many players follow")
            .check(Check::Range(0, game::SEATS as u64, None), "")
            .kept()
            .structure(),
    ),
    Item::Times { count: "tally_count", each: &Group { name: "player", items: &LINE } },
];

static LINE: [Item; 7] = [
    SEAT,
    NAME_LENGTH,
    NAME,
    SHIP,
    Item::Value(
        u8("rank", "rank", "the rank that the player earned")
            .names(&[(0, "S"), (1, "A"), (2, "B"), (3, "C"), (4, "D")])
            .check(Check::Named(Malformed::BadValue), ""),
    ),
    Item::Named(&case(0, ["in the stage", ""], "The stream", &COUNTS)),
    Item::Named(&case(0, ["in the game", ""], "The stream", &COUNTS)),
];

static COUNTS: [Item; 5] = [
    Item::Value(u32("counted_score", "score", "points of the player").unit("points")),
    Item::Value(u32("kills", "kills", "enemies that the player shot down")),
    Item::Value(u16("chain_max", "longest chain", "the longest chain of the player")),
    Item::Value(u16("deaths", "deaths", "ships that the player lost")),
    // A tick has two steps, which must be counted in 32 bits as well.
    Item::Value(
        u32("ticks", "ticks", "how long the player had a ship")
            .unit("ticks")
            .check(Check::Range(0, i32::MAX as u64, None), ""),
    ),
];
