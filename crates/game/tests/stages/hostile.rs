//! Files that mean harm, and files that were hit by chance: each ends in an error, soon, and never in a panic.

use game::{Stage, stage::BUILT_IN};

use crate::broken::sound;

fn check(text: &str, message: &str) {
    let error = Stage::read("mine", text.as_bytes()).map(|_| "it was read").map_err(|error| error.to_string());
    assert_eq!(error, Err(format!("mine: {message}")));
}

fn check_replaced(from: &str, to: &str, message: &str) {
    let text = sound();
    assert!(text.contains(from), "the sound stage has no {from:?}");
    check(&text.replacen(from, to, 1), message);
}

#[test]
fn what_is_not_a_map_is_refused() {
    check("", "line 1: Document ended before root element <map> was found");
    check("<map/>", "line 1: Missing attribute: version");
    check("<tileset/>", "the tileset has no tilewidth");
    check("hello", "line 1: Document ended before root element <map> was found");
    check("<map>\n</pam>", "line 2: this is not well-formed XML: Expecting </map> found </pam>");
    check("<!DOCTYPE map><map/>", "a document type is not allowed in a stage");
    assert_eq!(
        Stage::read("mine", &[0xff, 0xfe, 0]).unwrap_err().to_string(),
        "mine: this is not text in UTF-8, so it is not a Tiled map"
    );
}

#[test]
fn numbers_that_would_cost_memory_are_refused() {
    check(&" ".repeat((1 << 20) + 1), "1048577 bytes are too many; a stage has at most 1048576");
    check_replaced(
        r#"tilecount="8""#,
        r#"tilecount="4294967295""#,
        "a tileset of 4294967295 tiles is too large; it has at most 255",
    );
    check_replaced(
        r#"tilecount="8""#,
        r#"x:tilecount="4294967295" tilecount="8""#,
        "a tileset of 4294967295 tiles is too large; it has at most 255",
    );
    check_replaced(r#" columns="8""#, "", "the tileset has no columns");
    check_replaced(r#"firstgid="1""#, r#"firstgid="2""#, "the first tileset's firstgid must be 1");
    check_replaced(
        r#"firstgid="1""#,
        r#"firstgid="1" source="../../secret""#,
        "the tileset is in another file; embed the tileset in the map",
    );
    check_replaced(
        r#"name="terrain" width="64" height="17""#,
        r#"name="terrain" width="4294967295" height="4294967295""#,
        r#"layer "terrain": it says it has 18446744065119617025 tiles but there are 1088"#,
    );
}

#[test]
fn tile_data_is_plain_text_or_refused() {
    let csv = r#"layer "terrain": tile data must be CSV: set Map > Map Properties > Tile Layer Format to CSV"#;
    for data in ["<!-- a note -->", "<tile gid=\"1\"/>", "<![CDATA[1]]>", "<chunk>", "<?php?>"] {
        check_replaced(r#"<data encoding="csv">"#, &format!(r#"<data encoding="csv">{data}"#), csv);
    }
    check_replaced(r#"<data encoding="csv">"#, "<data>", csv);
    check_replaced(
        r#"<data encoding="csv">"#,
        r#"<data encoding="csv"/><data encoding="csv">"#,
        r#"layer "terrain": it says it has 1088 tiles but there are 0"#,
    );
    check_replaced("1,1,1", "1,1&#44;1,1", r#"layer "terrain": tile data "1&#44;1" is not the number of a tile"#);
    check_replaced("1,1,1", "1,4294967296,1", r#"layer "terrain": tile data "4294967296" is not the number of a tile"#);
}

#[test]
fn deep_and_wide_files_are_refused() {
    let deep = "<group>".repeat(100_000);
    check_replaced("<objectgroup", &format!("{deep}<objectgroup"), "elements are nested more than 16 deep");
    let properties = r#"<properties><property name="a" type="class">"#.repeat(10_000);
    check_replaced(
        "<properties>",
        &format!("<properties>{properties}"),
        r#"property "a", property "a", property "a", property "a", property "a", property "a", property "a": elements are nested more than 16 deep"#,
    );
    let wide = "<a/>".repeat(100_000);
    check_replaced("<objectgroup", &format!("{wide}<objectgroup"), "there are more than 32768 elements");
    let attributes: String = (0..50_000).map(|nth| format!(" a{nth}=''")).collect();
    check_replaced("<objectgroup", &format!("<objectgroup{attributes}"), "an element has more than 32 attributes");
    let objects = r#"<object type="drone" x="500" y="50"/>"#.repeat(1100);
    check_replaced(
        r#"name="spawns">"#,
        &format!(r#"name="spawns">{objects}"#),
        r#"layer "spawns", object 0: with this there are more than 1024 enemies"#,
    );
    let points = "0,0 ".repeat(128);
    check_replaced(
        "0,0 -100",
        &format!("{points}0,0 -100"),
        r#"layer "paths", object 1 "loop": a path must have 2 to 128 points, not 131"#,
    );
}

#[test]
fn messages_are_short_and_harmless_to_a_terminal() {
    let name = format!("\u{1b}[2J{}", "x".repeat(1000));
    let text = sound().replacen(r#"name="spawns""#, &format!(r#"name="{name}""#), 1);
    let message = Stage::read("mine", text.as_bytes()).unwrap_err().to_string();
    assert!(message.starts_with(r#"mine: layer "\u{1b}[2Jxxx"#), "{message}");
    assert!(message.len() < 300 && !message.contains('\u{1b}'), "{message}");
    let text = format!("<map></{name}>");
    let message = Stage::read("mine", text.as_bytes()).unwrap_err().to_string();
    assert!(
        message.starts_with("mine: line 1: this is not well-formed XML: Expecting </map> found </?[2Jxxx"),
        "{message}"
    );
    assert!(message.len() < 300, "{message}");
}

#[test]
fn a_file_hit_by_chance_never_causes_a_panic() {
    let mut chance = Chance(0x5eed);
    let sound = sound();
    // Stage 1 is large, so its turn comes seldom.
    let sources = |round: usize| match round % 20 {
        0 => BUILT_IN[1].1,
        odd if odd % 2 == 1 => BUILT_IN[0].1,
        _ => &sound,
    };
    let mut read = 0;
    for round in 0..6000 {
        let mut bytes = sources(round).as_bytes().to_vec();
        for _ in 0..=chance.below(4) {
            chance.hit(&mut bytes);
        }
        read += usize::from(Stage::read("mutant", &bytes).is_ok());
    }
    assert!((100..5900).contains(&read), "{read} of 6000 mutants were read: hits are too soft or too hard");
}

/// A small generator of chance, the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % bound
    }

    /// Flips a bit, writes a telling byte, cuts a piece out or doubles one.
    fn hit(&mut self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let at = self.below(bytes.len());
        let end = (at + self.below(40)).min(bytes.len());
        match self.below(5) {
            0 => bytes[at] ^= 1 << self.below(8),
            1 => bytes[at] = b"<>/\"'=&;,.-09 \n!?[]"[self.below(19)],
            2 => drop(bytes.drain(at..end)),
            3 => {
                let piece = bytes[at..end].to_vec();
                let to = self.below(bytes.len());
                drop(bytes.splice(to..to, piece));
            }
            _ => drop(bytes.splice(at..at, b"99999999".iter().copied())),
        }
    }
}
