//! Every mistake that a designer can make, and the exact words that he reads.

use game::{
    Class, Kind, Stage, px,
    stage::{Entrance, Gate},
    tuning,
    units::px_per_second,
};

/// A small stage with everything in it: a floor of 64 columns, four enemies, a path, a checkpoint and a boss.
pub fn sound() -> String {
    let open_rows = "0,".repeat(64 * 15);
    let floor = format!("{}{}", "1,".repeat(64 * 2 - 1), "1");
    let mut blocks = vec!["0"; 64 * 17];
    blocks[64 * 4 + 40] = "2";
    let blocks = blocks.join(",");
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<map version="1.10" orientation="orthogonal" width="64" height="17" tilewidth="16" tileheight="16" infinite="0">
 <properties>
  <property name="title" value="A test"/>
  <property name="number" type="int" value="7"/>
  <property name="scroll" type="int" value="48"/>
 </properties>
 <tileset firstgid="1" name="tiles" tilewidth="16" tileheight="16" tilecount="8" columns="8">
  <image source="tiles.png" width="128" height="16"/>
 </tileset>
 <layer id="1" name="terrain" width="64" height="17"><data encoding="csv">{open_rows}{floor}</data></layer>
 <layer id="2" name="blocks" width="64" height="17"><data encoding="csv">{blocks}</data></layer>
 <objectgroup id="3" name="paths">
  <object id="1" name="loop" x="700" y="100"><polyline points="0,0 -100,40 -200.4,0"/></object>
 </objectgroup>
 <objectgroup id="4" name="spawns">
  <object id="10" type="drone" x="600" y="50"><point/>
   <properties>
    <property name="count" type="int" value="3"/>
    <property name="gap" type="int" value="20"/>
    <property name="path" value="loop"/>
   </properties>
  </object>
  <object id="11" name="carrier" x="700.4" y="80"><point/>
   <properties><property name="item" value="red_crystal"/></properties>
  </object>
  <object id="12" name="first" type="walker" x="800" y="221"><point/></object>
  <object id="13" type="chaser" x="820" y="60" width="40" height="20">
   <properties><property name="entrance" value="left"/></properties>
  </object>
  <object id="14" type="keeper" x="1000" y="120"><point/></object>
 </objectgroup>
 <objectgroup id="5" name="checkpoints">
  <object id="20" x="320.6" y="0"><point/></object>
 </objectgroup>
 <objectgroup id="7" name="zones">
  <object id="40" name="mouth" x="0" y="0"><point/></object>
  <object id="41" name="gut_2" x="500" y="0"><point/></object>
 </objectgroup>
 <objectgroup id="8" name="gates">
  <object id="50" x="640" y="-32" width="32" height="64">
   <properties>
    <property name="travel" type="int" value="40"/>
    <property name="every" type="int" value="200"/>
   </properties>
  </object>
 </objectgroup>
 <objectgroup id="6" name="_notes"><object id="30" name="anything" x="NaN" y="0"/></objectgroup>
</map>
"#
    )
}

#[test]
fn a_sound_stage_is_read() {
    let stage = Stage::read("stages/mine.tmx", sound().as_bytes()).unwrap();
    assert_eq!((stage.name.as_str(), stage.title.as_str(), stage.number), ("mine", "A test", 7));
    assert_eq!((stage.endless, stage.scroll, stage.length_px), (false, px_per_second(48), 1024));
    assert_eq!(stage.checkpoints_px, [0, 321]);
    assert_eq!(stage.terrain.columns(), 64);
    let zone = |x_px| stage.zone_at(x_px).map(|zone| zone.name.as_str());
    assert_eq!([0, 499, 500, 1023].map(zone), ["mouth", "mouth", "gut_2", "gut_2"].map(Some));
    let gate = Gate { x_px: 640, y_px: -32, width_px: 32, height_px: 64, travel_px: 40, every_px: 200, phase_px: 0 };
    assert_eq!(stage.terrain.gates(), [gate]);
    assert!(stage.terrain.picture(0, 14) == 0 && stage.terrain.picture(63, 15) == 1);
    let found: Vec<_> = stage.spawns.iter().map(|spawn| (spawn.x_px, spawn.y_px, spawn.kind)).collect();
    let wanted = [
        (600, 50, Kind::Drone),
        (620, 50, Kind::Drone),
        (640, 50, Kind::Drone),
        (648, 72, Kind::Block),
        (700, 80, Kind::Carrier),
        (800, 230, Kind::Walker),
        (840, 70, Kind::Chaser),
        (1000, 120, Kind::Keeper),
    ];
    assert_eq!(found, wanted);
    assert_eq!(stage.spawns[4].item, Some(Kind::RedCrystal));
    assert_eq!((stage.spawns[0].path, stage.spawns[4].path), (Some(0), None));
    assert_eq!((stage.spawns[5].entrance, stage.spawns[6].entrance), (Entrance::Right, Entrance::Left));
    let points: Vec<_> = stage.paths[0].points.iter().map(|point| (point.x, point.y)).collect();
    assert_eq!(points, [(0, 0), (px(-100), px(40)), (px(-200), 0)]);
}

#[test]
fn the_fingerprint_tells_two_files_apart() {
    let (one, other) = (sound(), sound().replace("A test", "A text"));
    let fingerprint = |text: &str| Stage::read("mine", text.as_bytes()).unwrap().fingerprint;
    assert_eq!(fingerprint(&one), fingerprint(&one));
    assert_ne!(fingerprint(&one), fingerprint(&other));
}

/// The sound stage with one text replaced by another must be refused with these words.
fn check(from: &str, to: &str, message: &str) {
    let text = sound();
    assert!(text.contains(from), "the sound stage has no {from:?}");
    let error = Stage::read("stages/mine.tmx", text.replacen(from, to, 1).as_bytes());
    let error = error.map(|_| "it was read").map_err(|error| error.to_string());
    assert_eq!(error, Err(message.to_owned()), "\n{from:?} replaced by {to:?}");
}

/// All that a stage may name, as messages list it.
fn enemies() -> String {
    let is_placeable = |kind: Kind| match kind.class() {
        Class::Enemy => !matches!(kind, Kind::Shard | Kind::Larva),
        class => class == Class::Boss && tuning::boss(kind).is_some(),
    };
    let names: Vec<&str> = Kind::ALL.iter().filter(|kind| is_placeable(**kind)).map(|kind| kind.name()).collect();
    names.join(", ")
}

#[test]
fn a_mistake_in_the_map_is_refused() {
    for (from, to, message) in [
        (r#""orthogonal""#, r#""isometric""#, "stages/mine.tmx: the map is isometric; it must be orthogonal"),
        (r#" tilewidth="16""#, r#" tilewidth="8""#, "stages/mine.tmx: tiles are 8×16 pixels; they must be 16×16"),
        (r#"height="17""#, r#"height="16""#, "stages/mine.tmx: the map has 16 rows; it must have 17"),
        (
            r#"width="64""#,
            r#"width="4294967295""#,
            "stages/mine.tmx: the map has 4294967295 columns; it must have 30 to 2048",
        ),
        (
            r#"infinite="0""#,
            r#"infinite="1""#,
            "stages/mine.tmx: the map is infinite; switch off Map > Map Properties > Infinite",
        ),
        (
            r#"name="title""#,
            r#"name="titel""#,
            r#"stages/mine.tmx: property "titel": the property is unknown; known are title, number, scroll, quiet, endless"#,
        ),
        (
            r#"<property name="title" value="A test"/>"#,
            "",
            r#"stages/mine.tmx: property "title": the property is missing; it must be of the type string"#,
        ),
        ("A test", " ", r#"stages/mine.tmx: property "title": " " is not one line of 1 to 32 characters"#),
        (r#"value="7""#, r#"value="251""#, r#"stages/mine.tmx: property "number": 251 is not within 0 to 250"#),
        (
            r#"value="7""#,
            r#"value="0""#,
            r#"stages/mine.tmx: property "number": it must be 0 for an endless stage and only there"#,
        ),
        (r#"value="48""#, r#"value="0""#, r#"stages/mine.tmx: property "scroll": 0 is not within 1 to 400"#),
        (
            r#"type="int" value="48""#,
            r#"value="48""#,
            r#"stages/mine.tmx: property "scroll": it must be of the type int"#,
        ),
        (
            r#"type="int" value="48""#,
            r#"type="int" value="fast""#,
            "stages/mine.tmx: line 6: Invalid property value: invalid digit found in string",
        ),
        (
            r#"type="int" value="7""#,
            r#"type="int" value="0"/><property name="endless" type="bool" value="true""#,
            r#"stages/mine.tmx: layer "terrain": an endless stage has no layers: its waves come from the seed"#,
        ),
    ] {
        check(from, to, message);
    }
}

#[test]
fn a_mistake_in_the_layers_is_refused() {
    for (from, to, message) in [
        (
            r#"name="spawns""#,
            r#"name="spawn""#,
            r#"stages/mine.tmx: layer "spawn": the layer is unknown; known are terrain, blocks, spawns, paths, checkpoints, zones, gates, and names that begin with _ are notes"#,
        ),
        (r#"name="paths""#, r#"name="terrain""#, r#"stages/mine.tmx: layer "terrain": this must be a tile layer"#),
        (r#"name="blocks""#, r#"name="spawns""#, r#"stages/mine.tmx: layer "spawns": this must be an object layer"#),
        (
            r#"name="blocks""#,
            r#"name="terrain""#,
            r#"stages/mine.tmx: layer "terrain": there are two layers of this name"#,
        ),
        (
            r#"name="spawns">"#,
            r#"name="spawns"><properties><property name="speed" value="1"/></properties>"#,
            r#"stages/mine.tmx: layer "spawns", property "speed": no property is allowed here"#,
        ),
        (
            r#"name="spawns""#,
            r#"name="spawns" offsetx="8""#,
            r#"stages/mine.tmx: layer "spawns": the layer is moved; set its offset to 0, 0"#,
        ),
        (
            r#"name="terrain" width="64""#,
            r#"name="terrain" width="65""#,
            r#"stages/mine.tmx: layer "terrain": it says it has 1105 tiles but there are 1088"#,
        ),
        (
            r#"name="terrain" width="64" height="17""#,
            r#"name="terrain" width="17" height="64""#,
            r#"stages/mine.tmx: layer "terrain": the layer is not as large as the map, 64×17"#,
        ),
        (
            r#"encoding="csv""#,
            r#"encoding="base64" compression="zlib""#,
            r#"stages/mine.tmx: layer "terrain": tile data must be CSV: set Map > Map Properties > Tile Layer Format to CSV"#,
        ),
        ("1,1,1", "1,x,1", r#"stages/mine.tmx: layer "terrain": tile data "x" is not the number of a tile"#),
        ("1,1,1", "1,9,1", r#"stages/mine.tmx: layer "terrain", tile 1,15: the tileset has no such tile"#),
        (
            "1,1,1",
            "1,2147483649,1",
            r#"stages/mine.tmx: layer "terrain", tile 1,15: the tile is flipped or rotated, which the game does not draw"#,
        ),
    ] {
        check(from, to, message);
    }
}

#[test]
fn blocks_must_be_in_open_space_and_leave_room_for_enemies() {
    let mut tiles = vec!["0"; 64 * 17];
    tiles[64 * 4 + 40] = "2";
    let before = tiles.join(",");
    let mut solid = tiles.clone();
    solid[64 * 15 + 3] = "2";
    check(
        &before,
        &solid.join(","),
        r#"stages/mine.tmx: layer "blocks", tile 3,15: the terrain is solid here: a tile is one or the other"#,
    );
    let mut many = vec!["0"; 64 * 17];
    for column in 30..43 {
        for row in 0..5 {
            many[64 * row + column] = "2";
        }
    }
    check(
        &before,
        &many.join(","),
        r#"stages/mine.tmx: layer "blocks": 65 blocks in columns 7 to 42 are too many; 64 are left when enemies have their share"#,
    );
}

#[test]
fn a_mistake_in_the_spawns_is_refused() {
    let enemies = enemies();
    assert!(
        enemies.starts_with("drone, dart, ")
            && enemies.ends_with(", salvager, keeper, brood, matriarch, gatehouse, heart"),
        "{enemies}"
    );
    let unknown =
        format!(r#"stages/mine.tmx: layer "spawns", object 12 "first": kind "wolker" is unknown; known are {enemies}"#);
    check(r#"type="walker""#, r#"type="wolker""#, &unknown);
    let part =
        format!(r#"stages/mine.tmx: layer "spawns", object 10: kind "larva" cannot be placed; known are {enemies}"#);
    check(r#"type="drone""#, r#"type="larva""#, &part);
    for (from, to, message) in [
        (r#" type="drone""#, "", r#"object 10: it has no class, which must be the kind of enemy"#),
        (
            r#"name="gap""#,
            r#"name="gab""#,
            r#"object 10, property "gab": the property is unknown; known are item, count, gap, entrance, path"#,
        ),
        (r#"value="3""#, r#"value="13""#, r#"object 10, property "count": 13 is not within 1 to 12"#),
        (r#"value="20""#, r#"value="-20""#, r#"object 10, property "gap": -20 is not within 1 to 480"#),
        (r#"value="loop""#, r#"value="lop""#, r#"object 10, property "path": the layer "paths" has no path "lop""#),
        (
            r#"value="red_crystal"/>"#,
            r#"value="red_crystal"/><property name="path" value="loop"/>"#,
            r#"object 11 "carrier", property "path": a carrier does not follow paths"#,
        ),
        (
            r#"name="path""#,
            r#"name="item""#,
            r#"object 10, property "item": only a carrier carries an item, not a drone"#,
        ),
        (
            r#"value="red_crystal""#,
            r#"value="red_cristal""#,
            r#"object 11 "carrier", property "item": item "red_cristal" is unknown; known are red_crystal, blue_crystal, yellow_crystal, missile_pack, bit_pack, speed_up"#,
        ),
        (
            r#"<properties><property name="item" value="red_crystal"/></properties>"#,
            "",
            r#"object 11 "carrier", property "item": the property is missing; it must be of the type string"#,
        ),
        (
            r#"value="left""#,
            r#"value="top""#,
            r#"object 13, property "entrance": "top" is unknown; known are right, left"#,
        ),
        (
            r#"type="drone""#,
            r#"type="grinder""#,
            r#"object 10, property "entrance": a grinder comes from behind: "left""#,
        ),
        (r#"x="600""#, r#"x="1000""#, r#"object 10: x 1040 is outside the map, which is 1024 pixels long"#),
        (r#"y="50""#, r#"y="270""#, "object 10: y 270 is outside the field, which is 270 pixels high"),
        (r#"y="50""#, r#"y="250""#, "object 10: a drone at 600,250 is inside solid terrain"),
        (r#"y="50""#, r#"y="inf""#, "object 10: the coordinate inf is not a number of pixels within the map"),
        (r#"y="50""#, r#"y="NaN""#, "object 10: the coordinate NaN is not a number of pixels within the map"),
        (
            r#"y="221""#,
            r#"y="200""#,
            r#"object 12 "first": a walker at 800,200 needs a floor below it within 16 pixels"#,
        ),
        (
            r#"type="walker""#,
            r#"type="clinger""#,
            r#"object 12 "first": a clinger at 800,221 needs a ceiling above it within 16 pixels"#,
        ),
        (
            r#"type="walker" x="800" y="221""#,
            r#"type="turret" x="800" y="100""#,
            r#"object 12 "first": a turret at 800,100 needs a floor below it or a ceiling above it within 16 pixels"#,
        ),
        (r#"width="40""#, r#"width="-40""#, "object 13: the object's size is negative"),
        (r#"width="40""#, r#"rotation="45" width="40""#, "object 13: the object is rotated; set its rotation to 0"),
        (
            r#"y="50"><point/>"#,
            r#"y="50"><polyline points="0,0 1,1"/>"#,
            "object 10: this must be a point, not a line, a polygon or a text",
        ),
        (
            r#"id="12""#,
            r#"id="12" template="enemy.tx""#,
            r#"object 12 "first": the object is made from a template in another file; detach it"#,
        ),
    ] {
        check(from, to, &format!(r#"stages/mine.tmx: layer "spawns", {message}"#));
    }
}

#[test]
fn a_stage_ends_with_a_boss() {
    for (from, to, message) in [
        (
            r#"type="keeper""#,
            r#"type="drone""#,
            "no boss ends the stage; bosses are salvager, keeper, brood, matriarch, gatehouse, heart",
        ),
        (
            r#"x="700.4""#,
            r#"x="1001""#,
            "a carrier at x 1001 is not before the last boss, the keeper at x 1000; the stage is won when that is gone",
        ),
    ] {
        check(from, to, &format!(r#"stages/mine.tmx: layer "spawns": {message}"#));
    }
    check(
        r#"y="120"><point/>"#,
        r#"y="120"><point/><properties><property name="count" type="int" value="2"/></properties>"#,
        r#"stages/mine.tmx: layer "spawns", object 14, property "count": a boss comes alone"#,
    );
}

#[test]
fn a_mistake_in_paths_or_checkpoints_is_refused() {
    for (from, to, message) in [
        (r#" name="loop""#, "", r#""paths", object 1: a path needs a name by which enemies can follow it"#),
        (
            "</objectgroup>",
            r#"<object id="2" name="loop"><polyline points="0,0 1,1"/></object></objectgroup>"#,
            r#""paths", object 2 "loop": another path has the same name"#,
        ),
        (
            r#"<polyline points="0,0 -100,40 -200.4,0"/>"#,
            "<point/>",
            r#""paths", object 1 "loop": a path must be a polyline"#,
        ),
        ("0,0 -100,40 -200.4,0", "0,0", r#""paths", object 1 "loop": a path must have 2 to 128 points, not 1"#),
        (
            "-100,40",
            "-inf,40",
            r#""paths", object 1 "loop": the coordinate -inf is not a number of pixels within the map"#,
        ),
        (
            r#"x="320.6""#,
            r#"x="545""#,
            r#""checkpoints", object 20: x 545 is not within 0 to 544, one screen before the stage's end"#,
        ),
        (
            r#"x="320.6" y="0"><point/>"#,
            r#"x="320.6" y="0"><point/><properties><property name="a" value="1"/></properties>"#,
            r#""checkpoints", object 20, property "a": no property is allowed here"#,
        ),
        (
            r#"x="320.6""#,
            r#"x="-1""#,
            r#""checkpoints", object 20: x -1 is not within 0 to 544, one screen before the stage's end"#,
        ),
    ] {
        check(from, to, &format!("stages/mine.tmx: layer {message}"));
    }
}

#[test]
fn a_mistake_in_zones_or_gates_is_refused() {
    for (from, to, message) in [
        (
            r#"name="gut_2""#,
            r#"name="The gut""#,
            r#""zones", object 41 "The gut": "The gut" is not a valid zone name: use 1 to 32 lower-case letters, digits and underscores"#,
        ),
        (r#"name="mouth" x="0""#, r#"name="mouth" x="8""#, r#""zones": the first zone must begin at x 0"#),
        (
            r#"name="gut_2" x="500""#,
            r#"name="gut_2" x="1024""#,
            r#""zones", object 41 "gut_2": x 1024 is outside the map, which is 1024 pixels long"#,
        ),
        (
            r#" name="every" type="int" value="200""#,
            r#" name="every" type="int" value="20""#,
            r#""gates", object 50, property "every": 20 is not within 32 to 4096"#,
        ),
        (
            r#"<property name="travel" type="int" value="40"/>"#,
            "",
            r#""gates", object 50, property "travel": the property is missing; it must be of the type int"#,
        ),
        (
            r#"height="64">"#,
            r#"height="8">"#,
            r#""gates", object 50: a gate has sides of 16 to 240 pixels and is not rotated"#,
        ),
        (r#"x="640" y="-32""#, r#"x="1000" y="-32""#, r#""gates", object 50: a gate at 1000,-32 is outside the map"#),
    ] {
        check(from, to, &format!("stages/mine.tmx: layer {message}"));
    }
}

#[test]
fn ships_must_be_able_to_begin_at_every_checkpoint() {
    let rows = |row: usize, column: usize| {
        let mut tiles = vec!["0"; 64 * 17];
        tiles[64 * row + column] = "2";
        tiles.join(",")
    };
    // The screen is at 321, so ships begin at 385: between column 22 and 25 with their margins.
    let refused =
        r#"stages/mine.tmx: layer "checkpoints", object 20: a ship begins at 385,134, but the tile 23,9 is in its way"#;
    check(&rows(4, 40), &rows(9, 23), refused);
    let beginning = r#"stages/mine.tmx: layer "checkpoints", the stage's beginning: a ship begins at 64,134, but the tile 3,9 is in its way"#;
    check(&rows(4, 40), &rows(9, 3), beginning);
    let text = sound().replacen(&rows(4, 40), &rows(9, 26), 1);
    assert!(Stage::read("mine", text.as_bytes()).is_ok(), "two tiles to the right there is room");
}
