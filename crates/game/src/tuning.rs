//! Every number that a designer tunes, in one place, with its unit.
//!
//! Speeds are written in pixels per second and times in milliseconds, and converted here to sub-pixels per step and
//! steps. Rules live elsewhere and take their numbers from here. Sizes, health and score of each kind are in the table
//! in `kinds.rs`, the four ships in `ships.rs`, difficulties in `difficulty.rs`, mutators in `mutators.rs`, chains and ranks
//! in `score.rs`, the waves of the endless stage in `waves.rs`, bosses in `bosses.rs`, and limits on memory in `limits` at the end.

mod bosses;
pub mod difficulty;
pub(crate) mod kinds;
pub mod mutators;
pub mod score;
mod ships;
pub(crate) mod waves;

pub use self::{
    bosses::{
        ARMOUR, Attack, BOSS_WARNING, BOSSES, Boss, CURTAIN_STEP_PX, CURTAIN_WANDERS, LASER_ARMOUR, MORTAR_APART_PX,
        MORTAR_BELOW_CEILING_PX, MORTAR_RISES_PX, PHASES, Phase, RELEASED_MAX, SIDE_ATTACKS_EVERY, STAYING_ROOM,
        STAYS_LONG, SideAttack, VICTORY_SHOWN, Volley, boss, is_weak_point,
    },
    kinds::{Body, body},
    ships::{SHIPS, SPEED_UPS_MAX, ShipNumbers},
    waves::{FIERCER_IN_COMPANY_FROM, FIERCER_MAX, WAVES_PER_BOSS, WAVES_PER_FIERCER, WAVES_PER_LOOP},
};
use crate::{
    Kind,
    units::{px, px_per_second, sine, steps_of_ms},
};

// ---- Ships ----

/// Lives of a player who joins, unless the lobby's rules say otherwise.
pub const LIVES_AT_FIRST: u8 = 3;
/// No player ever has more lives.
pub const LIVES_MAX: u8 = 9;
/// The ship's centre stays this far from the field's edges.
pub const SHIP_MARGIN: (i32, i32) = (px(14), px(8));
/// From the left edge, where a ship begins and returns.
pub const SHIP_START_X: i32 = px(64);
/// Room ahead that a ship begins with if there is any: about a second of flight, in pixels.
pub const SHIP_START_ROOM_PX: i32 = 112;
/// Height of the ships of the four seats when all begin together: near enough to each other that the first enemies can pass
/// above and below them all.
pub const SHIP_START_YS: [i32; 4] = [px(108), px(134), px(82), px(160)];
/// A new game takes no aim at a ship that has not flown yet, for at most this long: its player may still be reading, or
/// have found nothing but the fire button.
pub const UNNOTICED: u16 = steps_of_ms(30_000);
/// From the loss of a ship to its return.
pub const RETURN_DELAY: u16 = steps_of_ms(2000);
/// How long a ship that just came cannot be hurt.
pub const INVULNERABLE: u16 = steps_of_ms(2000);
/// Score at which every player still in the game gets one more life, then again after each further step.
pub const EXTRA_LIFE_FIRST: u32 = 30_000;
/// Points from one extra life to the next, for each player in a seat.
pub const EXTRA_LIFE_EVERY: u32 = 150_000;

// ---- Shots and beam ----

/// Between two plain shots of one ship.
pub const SHOT_COOLDOWN: u16 = steps_of_ms(66);
/// Speed of a plain shot.
pub const SHOT_SPEED: i32 = px_per_second(720);
/// Damage of a plain shot.
pub const SHOT_DAMAGE: u16 = 4;
/// From the press to the moment the gauge begins to fill, so that tapping never charges.
pub const CHARGE_DELAY: u16 = steps_of_ms(150);
/// From the ship's centre to where a beam begins.
pub const BEAM_MUZZLE: i32 = px(20);
/// From the centre of a ship or a Force to where a shot begins, ahead and up or down.
pub const SHOT_MUZZLE: (i32, i32) = (px(14), px(6));
/// Below this charge (0–255) a release fires nothing.
pub const BEAM_CHARGE_MIN: u8 = 40;
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
    /// Damage that an Arrow's can deal in all: it goes on through what it destroys with what is left.
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
/// The Force's centre stays this far from the field's edges.
pub const FORCE_MARGIN: i32 = px(9);
/// From the left edge, outside the field, where a Force comes in.
pub const FORCE_ENTRY_X: i32 = px(-16);
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
/// From the Force's centre to where a strand begins.
pub const RED_MUZZLE: i32 = px(16);
/// From one pair of strands to the next.
pub const RED_PAIR_GAP: i32 = px(24);
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
/// A wall further from a yellow flame than this has ended.
pub const YELLOW_REACH: i32 = px(6);
/// Directions in which missiles leave, in 1/256 turns clockwise from straight ahead: up and ahead, down and ahead.
pub const MISSILE_ANGLES: [u8; 2] = [224, 32];
/// Missiles of one ship in the field at once.
pub const MISSILES_MAX: usize = 2;
pub const MISSILE_SPEED: i32 = px_per_second(330);
/// How far a missile turns, in 1/256 turns per step.
pub const MISSILE_TURN: u8 = 3;
/// Steps from one look of a missile for its target to the next.
pub const MISSILE_LOOK_EVERY: u16 = 4;
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
/// A ship takes items this much further to each side than it is hit, in pixels.
pub const ITEM_REACH_PX: i32 = 8;
/// Speed at which an item rises or sinks out of the way of terrain: faster than any gate.
pub const ITEM_EVADES_SPEED: i32 = px_per_second(45);
/// An item gives way to what is this far to its right.
pub const ITEM_LOOKS_AHEAD: i32 = px(24);

// ---- Enemies ----

pub const DRONE_SPEED: i32 = px_per_second(90);
/// How a drone swings.
pub const DRONE_SWING: Swing = Swing { reach_px: 28, winding: 2 };
/// Between two shots of a drone.
pub const DRONE_FIRE_EVERY: u16 = steps_of_ms(3200);
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
pub const SEEKER_SPEED: i32 = px_per_second(85);
/// Between two corrections of a seeker's course.
pub const SEEKER_TURN_EVERY: u16 = steps_of_ms(150);
/// Seekers give up homing after this.
pub const SEEKER_PATIENCE: u16 = steps_of_ms(5000);
/// Speed of a chaser until it is past the ships, then of its way back.
pub const CHASER_SPEED: i32 = px_per_second(190);
/// How far outside the field what comes from behind begins: a player over a slow network must have heard of it before it is there.
pub const FROM_BEHIND_PX: i32 = 44;
/// Where a chaser turns round, from the left edge.
pub const CHASER_TURN_X: i32 = px(400);
/// How far ahead of it a chaser that has turned aims: the further, the flatter it flies.
pub const CHASER_AIM: i32 = px(200);
pub const SPLITTER_SPEED: i32 = px_per_second(55);
pub const SHARD_SPEED: i32 = px_per_second(130);
/// Shards of one splitter.
pub const SHARDS: u8 = 3;
/// How steeply two neighbouring shards fly apart: how far up or down for each `SHARD_FAN` to the left.
pub const SHARD_SPREAD: i32 = 70;
/// What the slope of shards is counted against, to the left.
pub(crate) const SHARD_FAN: i32 = -100;
pub const WARDEN_SPEED: i32 = px_per_second(45);
/// Enemies this near a warden cannot be hurt.
pub const WARDEN_REACH: i32 = px(56);
/// Between two larvae of a hive.
pub const HIVE_SPAWN_EVERY: u16 = steps_of_ms(1300);
/// Larvae of one hive, in all.
pub const HIVE_BROOD: u8 = 8;
/// A hive moves with the terrain, but at least this fast.
pub const HIVE_SPEED_MIN: i32 = px_per_second(30) / 2;
pub const LARVA_SPEED: i32 = px_per_second(100);
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
/// Directions of the pellets of a fan, in 1/256 turns from straight right.
pub const GUNSHIP_FAN: [u8; 3] = [114, 128, 142];
pub const MINE_SPEED: i32 = px_per_second(30);
/// The fuse of a mine is lit when a ship is this near.
pub const MINE_SIGHT: i32 = px(48);
/// How long it glows from then on until it bursts: 20 ticks, time to see it and turn away.
pub const MINE_FUSE: u16 = 40;
/// What a mine counts down from that is not lit: more than any fuse.
pub const MINE_UNLIT: u16 = u16::MAX;
/// Pellets of a bursting mine.
pub const MINE_PELLETS: u8 = 8;
pub const BOMBER_SPEED: i32 = px_per_second(75);
/// How far below a bomber its bombs appear.
pub(crate) const BOMB_BELOW: i32 = px(8);
/// A bomb keeps one part of this many of its bomber's speed.
pub(crate) const BOMB_SPEED_SHARE: i32 = 2;
pub const SENTRY_SPEED: i32 = px_per_second(40);
/// Between two shots of a sentry: so short that nobody passes between them.
pub const SENTRY_FIRE_EVERY: u16 = steps_of_ms(400);
/// Speed of a spore, and how it swings.
pub const SPORE_SPEED: i32 = px_per_second(40);
pub const SPORE_SWING: Swing = Swing { reach_px: 16, winding: 1 };
/// Pellets of a spore that bursts, and their speed.
pub const SPORE_PELLETS: u8 = 6;
pub const SPORE_PELLET_SPEED: i32 = px_per_second(60);
/// Speed of a leech, and how it wriggles.
pub const LEECH_SPEED: i32 = px_per_second(105);
pub const LEECH_SWING: Swing = Swing { reach_px: 40, winding: 3 };
/// Between two arcs of a polyp.
pub const POLYP_FIRE_EVERY: u16 = steps_of_ms(1900);
/// Upward speed at which something is lobbed: it comes back to its height after about 1.3 seconds.
pub const LOB_SPEED: i32 = px_per_second(260);
/// Nothing is lobbed further sideways than at this speed.
pub const LOB_ACROSS_MAX: i32 = px_per_second(150);
pub const MITE_SPEED: i32 = px_per_second(120);
/// How fast a mite turns to a ship, in sub-pixels per step per step.
pub const MITE_PULL: i32 = 6;
/// Mites give up after this.
pub const MITE_PATIENCE: u16 = steps_of_ms(6000);
/// Speed at which a lancer takes its place and leaves.
pub const LANCER_SPEED: i32 = px_per_second(90);
/// Speed at which it takes a ship's height.
pub const LANCER_RISE_SPEED: i32 = px_per_second(70);
/// Where it stands, from the left edge.
pub const LANCER_X: i32 = px(420);
/// For how long it looks for a height, then glows, then fires.
pub const LANCER_LOOKS: u16 = steps_of_ms(1300);
pub const LANCER_GLOWS: u16 = steps_of_ms(700);
pub const LANCER_FIRES: u16 = steps_of_ms(400);
/// Steps between two lances of a volley.
pub const LANCER_FIRE_EVERY: u16 = 14;
/// After this it leaves.
pub const LANCER_STAY: u16 = steps_of_ms(9500);
/// How long a hatch is open, then closed.
pub const HATCH_OPEN: u16 = steps_of_ms(1800);
pub const HATCH_CLOSED: u16 = steps_of_ms(1400);
/// Between two darts of an open hatch.
pub const HATCH_RELEASE_EVERY: u16 = steps_of_ms(700);
/// Darts of one hatch, in all.
pub const HATCH_DARTS: u8 = 6;
/// Speed of a rover over the hull.
pub const ROVER_SPEED: i32 = px_per_second(75);
/// Between two shots of a rover.
pub const ROVER_FIRE_EVERY: u16 = steps_of_ms(1200);
/// Between the left edge and a grinder that comes.
pub(crate) const GRINDER_GAP_PX: i32 = 4;
/// How far from the left edge the centre of a grinder waits, where it can be seen but reaches no ship, and for how long.
pub const GRINDER_WAITS_X: i32 = px(-16);
pub const GRINDER_WARNING: u16 = steps_of_ms(2800);
/// Speed at which it shows itself, closes in, and falls back.
pub const GRINDER_SHOWS_SPEED: i32 = px_per_second(16);
pub const GRINDER_SPEED: i32 = px_per_second(18);
pub const GRINDER_BACK_SPEED: i32 = px_per_second(64);
/// It closes in to here, from the left edge.
pub const GRINDER_REACH: i32 = px(132);
/// After this it falls back.
pub const GRINDER_STAY: u16 = steps_of_ms(18_000);
/// From its nose to where a lost ship returns ahead of it.
pub const GRINDER_RETURN_ROOM: i32 = px(64);
/// Between two bombs.
pub const BOMBER_FIRE_EVERY: u16 = steps_of_ms(900);
pub const DEBRIS_SPEED: i32 = px_per_second(60);
/// Speed at which an enemy that flies level, weaves or hovers rises or sinks out of the way of terrain.
pub const FLIER_EVADES_SPEED: i32 = px_per_second(110);
/// It gives way to what is this far ahead of it.
pub const FLIER_LOOKS_AHEAD: i32 = px(32);
/// Enemies that an easier game never leaves out: they bring items, or give chase.
pub(crate) const NEVER_LEFT_OUT: [Kind; 2] = [Kind::Carrier, Kind::Grinder];
/// What bursts when its middle is inside terrain or a block: what aims or swarms looks at nothing but its prey, and what tumbles at
/// nothing at all.
pub const BURST_ON_TERRAIN: [Kind; 7] =
    [Kind::Dart, Kind::Seeker, Kind::Chaser, Kind::Larva, Kind::Mite, Kind::Shard, Kind::Debris];
/// Speed of something that follows a path of the stage.
pub const PATH_SPEED: i32 = px_per_second(110);
pub const PELLET_SPEED: i32 = px_per_second(120);
pub const LANCE_SPEED: i32 = px_per_second(240);
/// An enemy's first shot comes at the earliest after this.
pub const FIRST_FIRE: u16 = steps_of_ms(250);
/// The first shots of a formation are spread over this, in steps.
pub const FIRST_FIRE_SPREAD: u32 = 60;
/// For how long a hit shows, in steps.
pub const HURT_SHOWN: u8 = 8;
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

/// Every kind that comes with `Habit::Weave`, with its speed and its swing; a test holds it to that.
pub(crate) const WEAVERS: [(Kind, (i32, Swing)); 3] = [
    (Kind::Drone, (DRONE_SPEED, DRONE_SWING)),
    (Kind::Spore, (SPORE_SPEED, SPORE_SWING)),
    (Kind::Leech, (LEECH_SPEED, LEECH_SWING)),
];

/// Every kind that swings.
const SWINGS: [(Kind, Swing); 6] = [
    (Kind::RedLaser, RED_SWING),
    (Kind::Drone, DRONE_SWING),
    (Kind::Carrier, CARRIER_SWING),
    (Kind::Gunship, GUNSHIP_SWING),
    (Kind::Spore, SPORE_SWING),
    (Kind::Leech, LEECH_SWING),
];

/// How the things of a kind swing, if they do.
pub fn swing(kind: Kind) -> Option<Swing> {
    SWINGS.iter().find(|(swinging, _)| *swinging == kind).map(|(_, swing)| *swing)
}

// ---- Difficulty ----

/// Health of an enemy in 1/16, by the number of players from one to four: company brings more fire.
pub const HEALTH_BY_PLAYERS: [u16; 4] = [16, 22, 28, 34];
/// Rate of enemy fire in 1/16, by the number of players.
pub const FIRE_RATE_BY_PLAYERS: [u16; 4] = [16, 18, 20, 22];
/// Added to health and rate of fire, in 1/16, for each time the stages were played through.
pub const LOOP_HARDER: u16 = 5;
/// Added to the speed of enemy shots, in 1/16, for each time the stages were played through.
pub const LOOP_FASTER: i32 = 1;
/// Loops after which it gets no harder.
pub const LOOPS_MAX: u8 = 8;

// ---- Effects and the field ----

/// What is at least this wide blows up in a large explosion, in pixels.
pub const BIG_EXPLOSION_FROM_PX: i32 = 28;
/// How long an explosion is seen.
pub const EXPLOSION_LIFE: u16 = steps_of_ms(350);
/// How long a large explosion is seen.
pub const BIG_EXPLOSION_LIFE: u16 = steps_of_ms(700);

/// How long an explosion of that kind is seen.
pub fn explosion_life(kind: Kind) -> u16 {
    if kind == Kind::BigExplosion { BIG_EXPLOSION_LIFE } else { EXPLOSION_LIFE }
}

/// Something this far outside the field is gone.
pub const OUTSIDE: i32 = px(48);
/// Room more on the right, from where bosses enter.
pub const BOSS_ROOM: i32 = px(80);
/// A wall is shown this long before its nearest edge comes into view (ruling C12), in pixels.
pub const WALL_AHEAD_PX: u32 = 64;

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
    pub const ITEMS: usize = 16;
    pub const EFFECTS: usize = 24;
    /// Walls that are near the field.
    pub const WALLS: usize = 96;
    /// Enemies of one wave.
    pub const WAVE: usize = 40;
    /// Events in one tick: room for a full field that goes at once, with all that came before in the tick.
    pub const EVENTS: usize = 768;
    /// Events in one tick after which hits and shots are no longer told: what comes and goes always is.
    pub const EVENTS_OF_FIRE: usize = 192;
}
