//! The table of kinds: everything that is known of a kind whatever it is doing, one entry for each.
//!
//! An entry has the number and the name, which go over the wire in several dialects and into replays and are never
//! changed; the class; and the [`Body`], which a designer tunes. How to add one: `docs/adding-an-enemy.md`.

use crate::kind::kinds;

/// What is known of a kind whatever it is doing.
#[derive(Clone, Copy)]
pub struct Body {
    /// Width and height in pixels, as drawn.
    pub size_px: (i32, i32),
    /// Width and height in pixels of what collides.
    pub hit_px: (i32, i32),
    /// Health at first, for one player; 0 for what has none.
    pub health: u16,
    /// Points for shooting it down, or for picking it up.
    pub score: u16,
}

kinds! {
    // Ships are hit on a small box, shots on a generous one: close calls go to the player.
    /// A player's ship.
    Player = 1, "player", Player, Body { size_px: (28, 14), hit_px: (14, 6), health: 1, score: 0 };
    /// The indestructible orb.
    Force = 2, "force", Gear, Body { size_px: (18, 18), hit_px: (18, 18), health: 0, score: 0 };
    /// A small orb above or below a ship.
    Bit = 3, "bit", Gear, Body { size_px: (10, 10), hit_px: (10, 10), health: 0, score: 0 };

    /// A plain shot.
    Shot = 10, "shot", PlayerShot, Body { size_px: (12, 4), hit_px: (12, 6), health: 0, score: 0 };
    /// The charged beam; its animation is its size, 0 to 3.
    Beam = 11, "beam", PlayerShot, Body { size_px: (20, 8), hit_px: (20, 8), health: 0, score: 0 };
    /// Straight, strong, two strands entwined.
    RedLaser = 12, "red_laser", PlayerShot, Body { size_px: (24, 5), hit_px: (24, 7), health: 0, score: 0 };
    /// Reflects off terrain.
    BlueLaser = 13, "blue_laser", PlayerShot, Body { size_px: (14, 6), hit_px: (12, 8), health: 0, score: 0 };
    /// Crawls along ceiling and floor.
    YellowLaser = 14, "yellow_laser", PlayerShot, Body { size_px: (12, 10), hit_px: (12, 12), health: 0, score: 0 };
    /// Homes in on an enemy.
    Missile = 15, "missile", PlayerShot, Body { size_px: (10, 5), hit_px: (10, 8), health: 0, score: 0 };

    /// A crystal that brings or strengthens the Force and gives it the red laser.
    RedCrystal = 20, "red_crystal", Item, Body { size_px: (28, 28), hit_px: (20, 20), health: 0, score: 500 };
    /// A crystal that brings or strengthens the Force and gives it the blue laser.
    BlueCrystal = 21, "blue_crystal", Item, Body { size_px: (28, 28), hit_px: (20, 20), health: 0, score: 500 };
    /// A crystal that brings or strengthens the Force and gives it the yellow laser.
    YellowCrystal = 22, "yellow_crystal", Item, Body { size_px: (28, 28), hit_px: (20, 20), health: 0, score: 500 };
    /// Homing missiles.
    MissilePack = 23, "missile_pack", Item, Body { size_px: (28, 28), hit_px: (20, 18), health: 0, score: 300 };
    /// One Bit.
    BitPack = 24, "bit_pack", Item, Body { size_px: (28, 28), hit_px: (20, 18), health: 0, score: 300 };
    /// A faster ship.
    SpeedUp = 25, "speed_up", Item, Body { size_px: (28, 28), hit_px: (20, 18), health: 0, score: 300 };

    /// Flies in sine formation.
    Drone = 30, "drone", Enemy, Body { size_px: (16, 14), hit_px: (14, 12), health: 4, score: 100 };
    /// Takes aim once, then dives straight.
    Dart = 31, "dart", Enemy, Body { size_px: (18, 10), hit_px: (14, 8), health: 4, score: 150 };
    /// Walks on the floor and fires upwards.
    Walker = 32, "walker", Enemy, Body { size_px: (20, 20), hit_px: (16, 18), health: 12, score: 250 };
    /// Clings to the ceiling and drops when a ship is below.
    Clinger = 33, "clinger", Enemy, Body { size_px: (16, 14), hit_px: (14, 12), health: 8, score: 200 };
    /// Sits on terrain and aims.
    Turret = 34, "turret", Enemy, Body { size_px: (16, 14), hit_px: (14, 12), health: 12, score: 250 };
    /// Homes in on the nearest ship.
    Seeker = 35, "seeker", Enemy, Body { size_px: (14, 14), hit_px: (12, 12), health: 8, score: 200 };
    /// Comes from behind.
    Chaser = 36, "chaser", Enemy, Body { size_px: (20, 12), hit_px: (16, 10), health: 8, score: 250 };
    /// Splits into shards when shot.
    Splitter = 37, "splitter", Enemy, Body { size_px: (24, 22), hit_px: (20, 18), health: 20, score: 300 };
    /// A piece of a splitter.
    Shard = 38, "shard", Enemy, Body { size_px: (10, 10), hit_px: (8, 8), health: 4, score: 80 };
    /// Shields the enemies near it.
    Warden = 39, "warden", Enemy, Body { size_px: (22, 22), hit_px: (18, 18), health: 32, score: 600 };
    /// Spawns larvae until it is shot down.
    Hive = 40, "hive", Enemy, Body { size_px: (30, 26), hit_px: (26, 22), health: 48, score: 800 };
    /// What a hive spawns.
    Larva = 41, "larva", Enemy, Body { size_px: (10, 8), hit_px: (8, 8), health: 4, score: 60 };
    /// Carries an item and drops it when shot.
    Carrier = 42, "carrier", Enemy, Body { size_px: (24, 16), hit_px: (20, 14), health: 8, score: 200 };
    /// Hovers at the right and fires fans of pellets.
    Gunship = 43, "gunship", Enemy, Body { size_px: (32, 20), hit_px: (28, 16), health: 40, score: 700 };
    /// Drifts, and bursts into a ring of pellets when a ship comes near.
    Mine = 44, "mine", Enemy, Body { size_px: (14, 14), hit_px: (12, 12), health: 8, score: 150 };
    /// Flies along the top and drops bombs.
    Bomber = 45, "bomber", Enemy, Body { size_px: (24, 14), hit_px: (20, 12), health: 16, score: 350 };
    /// A piece of wreckage that tumbles by: nothing but in the way.
    Debris = 46, "debris", Enemy, Body { size_px: (20, 18), hit_px: (16, 14), health: 16, score: 50 };
    /// Fires along its own height without a pause: only behind a Force can one stand there.
    Sentry = 47, "sentry", Enemy, Body { size_px: (24, 16), hit_px: (20, 14), health: 32, score: 400 };
    /// Drifts, and bursts into slow pellets when it is shot.
    Spore = 48, "spore", Enemy, Body { size_px: (18, 18), hit_px: (14, 14), health: 8, score: 120 };
    /// Wriggles along, one behind the other.
    Leech = 49, "leech", Enemy, Body { size_px: (16, 10), hit_px: (14, 8), health: 4, score: 110 };
    /// Is rooted on floor or ceiling and spits arcs.
    Polyp = 50, "polyp", Enemy, Body { size_px: (18, 18), hit_px: (14, 16), health: 16, score: 300 };
    /// Comes in swarms that close in on a ship.
    Mite = 51, "mite", Enemy, Body { size_px: (10, 10), hit_px: (8, 8), health: 4, score: 60 };
    /// Takes a ship's height, glows, and fires lances along it.
    Lancer = 52, "lancer", Enemy, Body { size_px: (28, 16), hit_px: (22, 12), health: 24, score: 450 };
    /// Opens in a hull and releases darts; can be hurt only while it is open.
    Hatch = 53, "hatch", Enemy, Body { size_px: (24, 14), hit_px: (20, 12), health: 28, score: 500 };
    /// Rides along a hull, on floor or ceiling, and aims.
    Rover = 54, "rover", Enemy, Body { size_px: (20, 14), hit_px: (18, 12), health: 16, score: 350 };

    /// Closes in from behind and grinds what does not keep ahead of it.
    Grinder = 55, "grinder", Enemy, Body { size_px: (56, 176), hit_px: (44, 172), health: 2000, score: 5000 };

    // A hull's box leaves its parts in front of it, further than a shot flies in a step: else it would shield them.
    /// The hull of the first stage's mid-boss.
    Salvager = 60, "salvager", Boss, Body { size_px: (72, 64), hit_px: (40, 48), health: 0, score: 4000 };
    /// A claw of the salvager.
    SalvagerClaw = 61, "salvager_claw", Boss, Body { size_px: (34, 18), hit_px: (30, 14), health: 60, score: 800 };
    /// The salvager's weak point.
    SalvagerEye = 62, "salvager_eye", Boss, Body { size_px: (18, 18), hit_px: (16, 16), health: 630, score: 0 };
    /// The hull of the first stage's boss.
    Keeper = 63, "keeper", Boss, Body { size_px: (96, 130), hit_px: (52, 112), health: 0, score: 12_000 };
    /// A gun of the keeper.
    KeeperGun = 64, "keeper_gun", Boss, Body { size_px: (32, 22), hit_px: (28, 18), health: 100, score: 1200 };
    /// The keeper's weak point.
    KeeperCore = 65, "keeper_core", Boss, Body { size_px: (26, 26), hit_px: (24, 24), health: 720, score: 0 };
    /// The hull of the second stage's mid-boss.
    Brood = 66, "brood", Boss, Body { size_px: (80, 80), hit_px: (44, 56), health: 0, score: 6000 };
    /// A sac of the brood, full of mites.
    BroodSac = 67, "brood_sac", Boss, Body { size_px: (28, 26), hit_px: (24, 22), health: 80, score: 900 };
    /// The brood's weak point.
    BroodMaw = 68, "brood_maw", Boss, Body { size_px: (22, 22), hit_px: (20, 20), health: 540, score: 0 };
    /// The hull of the second stage's boss.
    Matriarch = 69, "matriarch", Boss, Body { size_px: (104, 140), hit_px: (56, 116), health: 0, score: 16_000 };
    /// An arm of the matriarch.
    MatriarchArm = 70, "matriarch_arm", Boss, Body { size_px: (36, 20), hit_px: (32, 16), health: 110, score: 1400 };
    /// The matriarch's weak point.
    MatriarchEye = 71, "matriarch_eye", Boss, Body { size_px: (26, 26), hit_px: (24, 24), health: 620, score: 0 };
    /// The hull of the third stage's mid-boss.
    Gatehouse = 72, "gatehouse", Boss, Body { size_px: (72, 120), hit_px: (36, 100), health: 0, score: 8000 };
    /// A gun of the gatehouse.
    GatehouseGun = 73, "gatehouse_gun", Boss, Body { size_px: (30, 18), hit_px: (26, 14), health: 90, score: 1000 };
    /// The gatehouse's weak point.
    GatehouseLock = 74, "gatehouse_lock", Boss, Body { size_px: (20, 20), hit_px: (18, 18), health: 500, score: 0 };
    /// The hull of the last boss.
    Heart = 75, "heart", Boss, Body { size_px: (112, 150), hit_px: (60, 120), health: 0, score: 30_000 };
    /// A coil of the heart.
    HeartCoil = 76, "heart_coil", Boss, Body { size_px: (32, 24), hit_px: (28, 20), health: 120, score: 1600 };
    /// The heart's weak point.
    HeartCore = 77, "heart_core", Boss, Body { size_px: (30, 30), hit_px: (26, 26), health: 800, score: 0 };

    /// An enemy's plain shot.
    Pellet = 80, "pellet", EnemyShot, Body { size_px: (6, 6), hit_px: (4, 4), health: 0, score: 0 };
    /// Falls.
    Bomb = 81, "bomb", EnemyShot, Body { size_px: (8, 10), hit_px: (6, 8), health: 0, score: 0 };
    /// A heavy, fast shot of a boss.
    Lance = 82, "lance", EnemyShot, Body { size_px: (20, 5), hit_px: (18, 3), health: 0, score: 0 };

    /// A block of terrain that can be shot away.
    Block = 90, "block", Block, Body { size_px: (16, 16), hit_px: (16, 16), health: 8, score: 20 };
    /// Solid terrain, which kills. Each one has a size of its own; this is the least.
    Wall = 91, "wall", Wall, Body { size_px: (16, 16), hit_px: (16, 16), health: 0, score: 0 };

    /// Something small blew up.
    Explosion = 100, "explosion", Effect, Body { size_px: (24, 24), hit_px: (0, 0), health: 0, score: 0 };
    /// Something large blew up.
    BigExplosion = 101, "big_explosion", Effect, Body { size_px: (48, 48), hit_px: (0, 0), health: 0, score: 0 };
}

/// The body of a kind.
pub const fn body(kind: Kind) -> Body {
    BODIES[kind as usize]
}

/// [`Kind::ALL`] by number, so that looking up a body costs one load.
static BODIES: [Body; 128] = {
    let mut table = [Body { size_px: (0, 0), hit_px: (0, 0), health: 0, score: 0 }; 128];
    let mut index = 0;
    while index < Kind::ALL.len() {
        table[Kind::ALL[index] as usize] = Kind::ALL[index].entry();
        index += 1;
    }
    table
};
