//! The stages that the game brings along.

use game::{Stage, units::px_per_second};

#[test]
fn endless_has_no_end() {
    let stage = Stage::endless();
    assert_eq!((stage.name.as_str(), stage.title.as_str(), stage.number), ("endless", "Endless", 0));
    assert_eq!((stage.endless, stage.scroll, stage.length_px), (true, px_per_second(60), 0));
    assert_eq!(stage.checkpoints_px, [0]);
    assert!(stage.spawns.is_empty() && stage.terrain.columns() == 0);
}
