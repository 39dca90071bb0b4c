//! Every number that a designer tunes, in one place, with its unit.
//!
//! Speeds are written in pixels per second and times in milliseconds, and converted here to sub-pixels per step and
//! steps. Rules live elsewhere and take their numbers from here; a limit on memory is in `limits` at the end.

use crate::{
    Kind,
    units::{px, px_per_second, sine, steps_of_ms},
};

// ---- Ships ----

/// Lives of a player who joins, unless the lobby's rules say otherwise.
pub const LIVES_AT_FIRST: u8 = 3;
/// No player ever has more lives.
pub const LIVES_MAX: u8 = 9;
/// Speed of a ship with no, one, two, … speed-ups, along one axis.
pub const SHIP_SPEEDS: [i32; 5] =
    [px_per_second(105), px_per_second(135), px_per_second(165), px_per_second(195), px_per_second(225)];
/// The ship's centre stays this far from the field's edges.
pub const SHIP_MARGIN: (i32, i32) = (px(14), px(8));
/// From the left edge, where a ship begins and returns.
pub const SHIP_START_X: i32 = px(64);
/// Height of the ships of the four seats when all begin together.
pub const SHIP_START_YS: [i32; 4] = [px(108), px(162), px(72), px(198)];
/// From the loss of a ship to its return.
pub const RETURN_DELAY: u16 = steps_of_ms(2000);
/// How long a ship that just came cannot be hurt.
pub const INVULNERABLE: u16 = steps_of_ms(2000);
/// Score at which every player still in the game gets one more life, then again after each further step.
pub const EXTRA_LIFE_FIRST: u32 = 20_000;
/// Points from one extra life to the next.
pub const EXTRA_LIFE_EVERY: u32 = 60_000;

// ---- Shots and beam ----

/// Between two plain shots of one ship.
pub const SHOT_COOLDOWN: u16 = steps_of_ms(66);
/// Speed of a plain shot.
pub const SHOT_SPEED: i32 = px_per_second(720);
/// Damage of a plain shot.
pub const SHOT_DAMAGE: u16 = 4;
/// From the press to the moment the gauge begins to fill, so that tapping never charges.
pub const CHARGE_DELAY: u16 = steps_of_ms(150);
/// From an empty to a full gauge.
pub const CHARGE_FULL: u16 = steps_of_ms(1700);
/// Below this charge (0–255) a release fires nothing.
pub const BEAM_CHARGE_MIN: u8 = 40;
/// Speed of a beam.
pub const BEAM_SPEED: i32 = px_per_second(840);
/// The four sizes of a beam, by the charge from which each begins.
pub const BEAMS: [Beam; 4] = [
    Beam { charge_min: BEAM_CHARGE_MIN, power: 10, size_px: (20, 8) },
    Beam { charge_min: 100, power: 20, size_px: (28, 12) },
    Beam { charge_min: 180, power: 40, size_px: (40, 18) },
    Beam { charge_min: 255, power: 80, size_px: (56, 26) },
];

/// One size of the charged beam.
pub struct Beam {
    /// Charge (0–255) from which a release gives this beam.
    pub charge_min: u8,
    /// Damage it can deal in all: it goes on through what it destroys with what is left.
    pub power: u16,
    /// Width and height in pixels.
    pub size_px: (i32, i32),
}

// ---- Force, lasers, missiles, Bits ----

/// Highest level of the Force.
pub const FORCE_LEVEL_MAX: u8 = 3;
/// Level from which a docked Force fires the laser of its crystal.
pub const LASER_LEVEL_MIN: u8 = 2;
/// Speed at which the Force comes in and homes to its ship.
pub const FORCE_HOMING_SPEED: i32 = px_per_second(300);
/// Speed at which it is launched.
pub const FORCE_LAUNCH_SPEED: i32 = px_per_second(420);
/// Distance from the ship that a launched Force flies to and holds.
pub const FORCE_HOLD_DISTANCE: i32 = px(150);
/// Speed at which a holding Force comes after a ship that flies away.
pub const FORCE_FOLLOW_SPEED: i32 = px_per_second(110);
/// Speed at which a holding Force follows the ship's height: slow enough for the slowest ship to fly round it.
pub const FORCE_RISE_SPEED: i32 = px_per_second(40);
/// From the ship's centre to a docked Force's.
pub const FORCE_DOCK_OFFSET: i32 = px(19);
/// Between two volleys of a detached Force.
pub const FORCE_FIRE_EVERY: u16 = steps_of_ms(250);
/// Damage of the Force to what it touches.
pub const FORCE_DAMAGE: u16 = 6;
/// Between two hurts of the same touch, for Force and Bits.
pub const TOUCH_EVERY: u16 = steps_of_ms(100);
/// Between two bursts of a laser.
pub const LASER_COOLDOWN: u16 = steps_of_ms(200);
/// Speed of the red laser.
pub const RED_SPEED: i32 = px_per_second(780);
/// Damage of one strand of the red laser at level 2 and 3.
pub const RED_DAMAGE: [u16; 2] = [9, 14];
/// How a strand of the red laser winds about its height.
pub const RED_SWING: Swing = Swing { reach_px: 7, winding: 9 };
/// Speed of the blue laser along each axis it moves on.
pub const BLUE_SPEED: i32 = px_per_second(480);
/// Damage of one blue ray at level 2 and 3.
pub const BLUE_DAMAGE: [u16; 2] = [5, 8];
/// Reflections after which a blue ray ends.
pub const BLUE_BOUNCES_MAX: u8 = 6;
/// Speed of the yellow laser, in the air and on the ground.
pub const YELLOW_SPEED: i32 = px_per_second(400);
/// Damage of one yellow flame at level 2 and 3.
pub const YELLOW_DAMAGE: [u16; 2] = [4, 6];
/// After this a yellow flame goes out.
pub const YELLOW_LIFE: u16 = steps_of_ms(1800);
/// Missiles of one ship in the field at once.
pub const MISSILES_MAX: usize = 2;
/// Speed of a missile.
pub const MISSILE_SPEED: i32 = px_per_second(330);
/// How far a missile turns, in 1/256 turns per step.
pub const MISSILE_TURN: u8 = 3;
/// Steps from one look of a missile for its target to the next.
pub const MISSILE_LOOK_EVERY: u16 = 4;
/// Damage of a missile.
pub const MISSILE_DAMAGE: u16 = 10;
/// After this a missile is spent.
pub const MISSILE_LIFE: u16 = steps_of_ms(2500);
/// Bits of one ship.
pub const BITS_MAX: usize = 2;
/// From the ship's centre to a Bit's.
pub const BIT_OFFSET_Y: i32 = px(26);
/// Speed at which a Bit catches up with its ship.
pub const BIT_SPEED: i32 = px_per_second(260);
/// Damage of a Bit to what it touches.
pub const BIT_DAMAGE: u16 = 4;
/// How items drift.
pub const ITEM_DRIFT: i32 = px_per_second(-24);

// ---- Enemies ----

/// Speed of a drone.
pub const DRONE_SPEED: i32 = px_per_second(90);
/// How a drone swings.
pub const DRONE_SWING: Swing = Swing { reach_px: 28, winding: 2 };
/// Speed of a dart before it has aimed.
pub const DART_CRUISE: i32 = px_per_second(60);
/// How long a dart cruises before it dives.
pub const DART_AIM: u16 = steps_of_ms(700);
/// Speed of its dive.
pub const DART_DIVE: i32 = px_per_second(260);
/// Speed of a walker over the ground.
pub const WALKER_SPEED: i32 = px_per_second(30);
/// Between two shots of a walker.
pub const WALKER_FIRE_EVERY: u16 = steps_of_ms(1600);
/// A clinger drops when a ship is this near sideways.
pub const CLINGER_SIGHT: i32 = px(36);
/// Downward pull, in sub-pixels per step per step.
pub const GRAVITY: i32 = 7;
/// No fall is faster.
pub const FALL_SPEED_MAX: i32 = px_per_second(330);
/// Between two shots of a turret.
pub const TURRET_FIRE_EVERY: u16 = steps_of_ms(1500);
/// Speed of a seeker.
pub const SEEKER_SPEED: i32 = px_per_second(85);
/// Between two corrections of a seeker's course.
pub const SEEKER_TURN_EVERY: u16 = steps_of_ms(150);
/// Seekers give up homing after this.
pub const SEEKER_PATIENCE: u16 = steps_of_ms(7000);
/// Speed of a chaser until it is past the ships, then of its way back.
pub const CHASER_SPEED: i32 = px_per_second(190);
/// Where a chaser turns round, from the left edge.
pub const CHASER_TURN_X: i32 = px(400);
/// Speed of a splitter.
pub const SPLITTER_SPEED: i32 = px_per_second(55);
/// Speed of its shards.
pub const SHARD_SPEED: i32 = px_per_second(130);
/// Shards of one splitter.
pub const SHARDS: u8 = 3;
/// Speed of a warden.
pub const WARDEN_SPEED: i32 = px_per_second(45);
/// Enemies this near a warden cannot be hurt.
pub const WARDEN_REACH: i32 = px(56);
/// Between two larvae of a hive.
pub const HIVE_SPAWN_EVERY: u16 = steps_of_ms(1300);
/// Larvae of one hive, in all.
pub const HIVE_BROOD: u8 = 8;
/// Speed of a larva.
pub const LARVA_SPEED: i32 = px_per_second(100);
/// Speed of a carrier.
pub const CARRIER_SPEED: i32 = px_per_second(50);
/// How a carrier swings.
pub const CARRIER_SWING: Swing = Swing { reach_px: 10, winding: 1 };
/// Speed at which a gunship takes its place and leaves.
pub const GUNSHIP_SPEED: i32 = px_per_second(70);
/// How a gunship swings.
pub const GUNSHIP_SWING: Swing = Swing { reach_px: 24, winding: 1 };
/// Where a gunship hovers, from the left edge.
pub const GUNSHIP_HOVER_X: i32 = px(390);
/// How long it stays.
pub const GUNSHIP_STAY: u16 = steps_of_ms(9000);
/// Between two fans of a gunship.
pub const GUNSHIP_FIRE_EVERY: u16 = steps_of_ms(1800);
/// Speed of a mine.
pub const MINE_SPEED: i32 = px_per_second(30);
/// A mine bursts when a ship is this near.
pub const MINE_SIGHT: i32 = px(48);
/// Pellets of a bursting mine.
pub const MINE_PELLETS: u8 = 8;
/// Speed of a bomber.
pub const BOMBER_SPEED: i32 = px_per_second(75);
/// Between two bombs.
pub const BOMBER_FIRE_EVERY: u16 = steps_of_ms(900);
/// Speed of debris.
pub const DEBRIS_SPEED: i32 = px_per_second(60);
/// Speed of something that follows a path of the stage.
pub const PATH_SPEED: i32 = px_per_second(110);
/// Speed of a pellet.
pub const PELLET_SPEED: i32 = px_per_second(120);
/// Speed of a lance.
pub const LANCE_SPEED: i32 = px_per_second(240);
/// Enemies hold fire when a ship is nearer than this: a shot that cannot be dodged is no fun.
pub const POINT_BLANK: i32 = px(40);

/// A sine about a height.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swing {
    /// How far it goes up and down, in pixels.
    pub reach_px: u8,
    /// How fast it goes round, in 1/256 turns per step.
    pub winding: u8,
}

impl Swing {
    /// How far from its middle it is at an angle of 1/256 turns, in sub-pixels.
    pub fn height(self, angle: u8) -> i32 {
        px(self.reach_px as i32) * sine(angle) / 256
    }
}

/// How the things of a kind swing, if they do.
pub fn swing(kind: Kind) -> Option<Swing> {
    match kind {
        Kind::RedLaser => Some(RED_SWING),
        Kind::Drone => Some(DRONE_SWING),
        Kind::Carrier => Some(CARRIER_SWING),
        Kind::Gunship => Some(GUNSHIP_SWING),
        _ => None,
    }
}

// ---- Bosses ----

/// A boss: a hull with parts, one of which is its weak point.
pub struct Boss {
    /// The hull, which also names the boss in a stage file.
    pub hull: Kind,
    /// Its parts, with the place of each relative to the hull's centre, in pixels. The first is the weak point.
    pub parts: &'static [(Kind, (i32, i32))],
    /// Where the hull's centre comes to rest, from the left edge.
    pub rest_x: i32,
    /// Speed of its entrance and departure.
    pub speed: i32,
    /// How far it sways up and down, in pixels.
    pub sway_px: i32,
    /// How long the weak point is closed, then open.
    pub closed: u16,
    /// How long the weak point is open.
    pub open: u16,
    /// Between two salvos of a gun.
    pub fire_every: u16,
    /// After this it leaves.
    pub patience: u16,
}

/// All bosses.
pub const BOSSES: [Boss; 2] = [
    Boss {
        hull: Kind::Salvager,
        parts: &[(Kind::SalvagerEye, (-20, 0)), (Kind::SalvagerClaw, (-26, -30)), (Kind::SalvagerClaw, (-26, 30))],
        rest_x: px(400),
        speed: px_per_second(60),
        sway_px: 50,
        closed: steps_of_ms(2200),
        open: steps_of_ms(1800),
        fire_every: steps_of_ms(1300),
        patience: steps_of_ms(40_000),
    },
    Boss {
        hull: Kind::Keeper,
        parts: &[(Kind::KeeperCore, (-30, 4)), (Kind::KeeperGun, (-24, -52)), (Kind::KeeperGun, (-24, 52))],
        rest_x: px(405),
        speed: px_per_second(40),
        sway_px: 30,
        closed: steps_of_ms(3000),
        open: steps_of_ms(2500),
        fire_every: steps_of_ms(1100),
        patience: steps_of_ms(90_000),
    },
];

/// The boss with that hull.
pub fn boss(hull: Kind) -> Option<&'static Boss> {
    BOSSES.iter().find(|boss| boss.hull == hull)
}

// ---- Difficulty ----

/// Health of an enemy in 1/16, by the number of players from one to four: company brings more fire.
pub const HEALTH_BY_PLAYERS: [u16; 4] = [16, 22, 28, 34];
/// Pace of enemy fire in 1/16, by the number of players; higher is faster.
pub const PACE_BY_PLAYERS: [u16; 4] = [16, 18, 20, 22];
/// Added to health and pace, in 1/16, for each time the stages were played through.
pub const LOOP_HARDER: u16 = 5;
/// Loops after which it gets no harder.
pub const LOOPS_MAX: u8 = 8;

// ---- The endless stage ----

/// Waves between two bosses.
pub const WAVES_PER_BOSS: u32 = 12;
/// Waves until health and pace are one loop harder.
pub const WAVES_PER_LOOP: u32 = 10;
/// Pause between two waves at first, and at last.
pub const WAVE_PAUSE: (u16, u16) = (steps_of_ms(2600), steps_of_ms(900));
/// The pause shortens by this with each wave, in steps.
pub const WAVE_PAUSE_SHORTENS: u16 = 4;

// ---- Bodies ----

/// What is known of a kind whatever it is doing.
#[derive(Clone, Copy)]
pub struct Body {
    /// Width and height in pixels, as drawn.
    pub size_px: (i32, i32),
    /// Width and height in pixels of what collides.
    pub hit_px: (i32, i32),
    /// Health at first, for one player; 0 for what has none.
    pub health: u16,
    /// Points for shooting it down.
    pub score: u16,
}

/// The body of a kind.
pub const fn body(kind: Kind) -> Body {
    BODIES[kind as usize]
}

/// [`body`] by number, so that looking one up costs one load.
static BODIES: [Body; 128] = {
    let mut table = [Body { size_px: (0, 0), hit_px: (0, 0), health: 0, score: 0 }; 128];
    let mut index = 0;
    while index < Kind::ALL.len() {
        table[Kind::ALL[index] as usize] = body_of(Kind::ALL[index]);
        index += 1;
    }
    table
};

const fn body_of(kind: Kind) -> Body {
    let (size_px, hit_px, health, score) = match kind {
        // Ships are hit on a small box, shots on a generous one: close calls go to the player.
        Kind::Player => ((28, 14), (14, 6), 1, 0),
        Kind::Force => ((18, 18), (18, 18), 0, 0),
        Kind::Bit => ((10, 10), (10, 10), 0, 0),

        Kind::Shot => ((12, 4), (12, 6), 0, 0),
        Kind::Beam => ((20, 8), (20, 8), 0, 0),
        Kind::RedLaser => ((24, 5), (24, 7), 0, 0),
        Kind::BlueLaser => ((14, 6), (12, 8), 0, 0),
        Kind::YellowLaser => ((12, 10), (12, 12), 0, 0),
        Kind::Missile => ((10, 5), (10, 8), 0, 0),

        Kind::RedCrystal | Kind::BlueCrystal | Kind::YellowCrystal => ((14, 14), (20, 20), 0, 500),
        Kind::MissilePack | Kind::BitPack | Kind::SpeedUp => ((14, 12), (20, 18), 0, 300),

        Kind::Drone => ((16, 14), (14, 12), 4, 100),
        Kind::Dart => ((18, 10), (14, 8), 4, 150),
        Kind::Walker => ((20, 20), (16, 18), 12, 250),
        Kind::Clinger => ((16, 14), (14, 12), 8, 200),
        Kind::Turret => ((16, 14), (14, 12), 12, 250),
        Kind::Seeker => ((14, 14), (12, 12), 8, 200),
        Kind::Chaser => ((20, 12), (16, 10), 8, 250),
        Kind::Splitter => ((24, 22), (20, 18), 20, 300),
        Kind::Shard => ((10, 10), (8, 8), 4, 80),
        Kind::Warden => ((22, 22), (18, 18), 32, 600),
        Kind::Hive => ((30, 26), (26, 22), 48, 800),
        Kind::Larva => ((10, 8), (8, 8), 4, 60),
        Kind::Carrier => ((24, 16), (20, 14), 8, 200),
        Kind::Gunship => ((32, 20), (28, 16), 40, 700),
        Kind::Mine => ((14, 14), (12, 12), 8, 150),
        Kind::Bomber => ((24, 14), (20, 12), 16, 350),
        Kind::Debris => ((20, 18), (16, 14), 16, 50),

        // A hull's box leaves its parts in front of it, further than a shot flies in a step: else it would shield them.
        Kind::Salvager => ((72, 64), (40, 48), 0, 4000),
        Kind::SalvagerClaw => ((34, 18), (30, 14), 60, 800),
        Kind::SalvagerEye => ((18, 18), (16, 16), 220, 0),
        Kind::Keeper => ((96, 130), (52, 112), 0, 12_000),
        Kind::KeeperGun => ((32, 22), (28, 18), 100, 1200),
        Kind::KeeperCore => ((26, 26), (24, 24), 420, 0),

        Kind::Pellet => ((6, 6), (4, 4), 0, 0),
        Kind::Bomb => ((8, 10), (6, 8), 0, 0),
        Kind::Lance => ((20, 5), (18, 3), 0, 0),

        Kind::Block => ((16, 16), (16, 16), 8, 20),

        Kind::Explosion => ((24, 24), (0, 0), 0, 0),
        Kind::BigExplosion => ((48, 48), (0, 0), 0, 0),
    };
    Body { size_px, hit_px, health, score }
}

/// How long an explosion is seen.
pub const EXPLOSION_LIFE: u16 = steps_of_ms(350);
/// How long a large explosion is seen.
pub const BIG_EXPLOSION_LIFE: u16 = steps_of_ms(700);
/// Something this far outside the field is gone.
pub const OUTSIDE: i32 = px(48);

/// The most of each that one world holds, which bounds its memory and the length of a Frame. What would pass a limit
/// does not appear.
pub mod limits {
    /// Enemies, boss parts and blocks.
    pub const FOES: usize = 96;
    /// Of these, what is kept free for bosses and their parts: without its boss a stage could not be won.
    pub const FOES_FOR_BOSSES: usize = 8;
    /// Players' shots, lasers, beams and missiles; a quarter for each seat.
    pub const SHOTS: usize = 128;
    /// Enemy shots.
    pub const BULLETS: usize = 128;
    /// Items.
    pub const ITEMS: usize = 16;
    /// Explosions.
    pub const EFFECTS: usize = 24;
    /// Enemies of one wave.
    pub const WAVE: usize = 40;
    /// Events in one tick: room for a full field that goes at once, with all that came before in the tick.
    pub const EVENTS: usize = 768;
    /// Events in one tick after which hits and shots are no longer told: what comes and goes always is.
    pub const EVENTS_OF_FIRE: usize = 192;
}
