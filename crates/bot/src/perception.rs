//! What a bot makes of a Frame: its ship, what is deadly, what to shoot, what to pick up.

use std::mem;

use game::{
    Class, Dice, Entity, EntityId, FIELD_WIDTH_PX, Frame, Kind, Player, Seat, ShipModel, Stage, Vec2, px,
    stage::Terrain, tuning,
};

use super::skillset::Attention;

/// Velocities are believed up to this, per tick; a jump in position is not a movement.
const VELOCITY_MAX: i32 = px(24);

/// Positions are believed up to this either way: what a network says may be anything, and sums must not overflow.
const POSITION_MAX: i32 = px(4096);

/// Two Frames further apart than this have nothing to do with each other.
const TICKS_SKIPPED_MAX: u32 = 8;

/// The memory of the last Frame, from which velocities are taken where a Frame has none, and of when something came in sight.
#[derive(Clone, Debug)]
pub(super) struct Perception {
    attention: Attention,
    /// What is overlooked differs from bot to bot.
    seed: u64,
    /// Sorted by id, as Frames are.
    before: Vec<Known>,
    /// Kept for its memory.
    next: Vec<Known>,
    tick: u32,
    /// The bot's own clock, in ticks: not every dialect says which tick it is.
    clock: u32,
    scrolling: Scrolling,
    seen: Seen,
}

/// An entity of the last Frame.
#[derive(Clone, Copy, Debug)]
struct Known {
    id: EntityId,
    position: Vec2,
    /// When it came in sight, by the bot's own clock.
    since: u32,
}

/// What is in sight, sorted by what it means to the bot.
#[derive(Clone, Debug, Default)]
struct Seen {
    threats: Vec<Mover>,
    targets: Vec<Mover>,
    items: Vec<Mover>,
    others: Vec<Vec2>,
    walls: Vec<WallAhead>,
    force: Option<Entity>,
    pursued_to: i32,
}

/// What a bot knows of the ground beside what is in a Frame.
#[derive(Clone, Copy, Debug)]
pub enum Ground<'a> {
    /// Nothing: walls come in Frames, if there are any.
    Unknown,
    /// The terrain, but not how it scrolls.
    Terrain(&'a Terrain),
    Stage(&'a Stage),
}

impl<'a> Ground<'a> {
    /// The terrain, if a dialect has told it.
    pub fn of_terrain(terrain: Option<&'a Terrain>) -> Ground<'a> {
        terrain.map_or(Ground::Unknown, Ground::Terrain)
    }
}

/// How fast the field is seen to scroll.
#[derive(Clone, Copy, Debug, Default)]
struct Scrolling {
    /// Where it was, some ticks ago.
    since_tick: u32,
    since_px: u32,
    /// Sub-pixels per tick.
    speed: i32,
}

/// Ticks over which the speed of scrolling is measured: a Frame tells whole pixels only.
const SCROLLING_TICKS: u32 = 30;

impl Scrolling {
    fn observe(&mut self, frame: &Frame) {
        let ticks = frame.tick.0.wrapping_sub(self.since_tick);
        if ticks < SCROLLING_TICKS {
            return;
        }
        let moved_px = frame.scroll_px.wrapping_sub(self.since_px) as i32;
        // A game that begins again jumps.
        let is_steady = ticks < 2 * SCROLLING_TICKS && (0..px(1)).contains(&moved_px);
        let speed = if is_steady { px(moved_px) / ticks as i32 } else { 0 };
        *self = Scrolling { since_tick: frame.tick.0, since_px: frame.scroll_px, speed: speed.min(VELOCITY_MAX) };
    }
}

/// What a bot can see at one tick.
pub(super) struct View<'a> {
    /// When it is, by the bot's own clock, in ticks.
    pub(super) clock: u32,
    pub(super) me: Entity,
    /// Sub-pixels that the ship flies in one tick along an axis.
    pub(super) speed: i32,
    /// Which ship it is.
    pub(super) model: ShipModel,
    /// What kills on touch, as far as it is noticed.
    pub(super) threats: &'a [Mover],
    /// What is worth shooting.
    pub(super) targets: &'a [Mover],
    pub(super) items: &'a [Mover],
    /// The other players' ships.
    pub(super) others: &'a [Vec2],
    /// The bot's own Force.
    pub(super) force: Option<Entity>,
    /// How far from the left edge what closes in from behind will soon reach, in sub-pixels; 0 without it.
    pub(super) pursued_to: i32,
    pub(super) terrain: TerrainAhead<'a>,
}

/// Something seen, with the velocity that it is believed to have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mover {
    pub(super) kind: Kind,
    pub(super) position: Vec2,
    /// Sub-pixels per tick.
    pub(super) velocity: Vec2,
}

impl Mover {
    /// Where it will be in that many ticks, if it flies on as it does.
    pub(super) fn after(&self, ticks: i32) -> Vec2 {
        Vec2::new(self.position.x + self.velocity.x * ticks, self.position.y + self.velocity.y * ticks)
    }
}

/// What is solid: the terrain, if it is known, or else the walls of the Frame.
pub(super) enum TerrainAhead<'a> {
    Known(KnownTerrain<'a>),
    Walls(&'a [WallAhead]),
}

impl TerrainAhead<'_> {
    /// Whether a point of the field will be solid in that many ticks.
    pub(super) fn solid(&self, point: Vec2, ticks: i32) -> bool {
        match self {
            TerrainAhead::Known(terrain) => terrain.solid(point, ticks),
            TerrainAhead::Walls(walls) => walls.iter().any(|wall| wall.covers(point, ticks)),
        }
    }
}

/// A wall, and half its width and height in sub-pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct WallAhead {
    mover: Mover,
    half: Vec2,
}

impl WallAhead {
    fn new(mover: Mover, size_px: (u16, u16)) -> WallAhead {
        WallAhead { mover, half: Vec2::new(px(size_px.0.into()) / 2, px(size_px.1.into()) / 2) }
    }

    fn covers(&self, point: Vec2, ticks: i32) -> bool {
        let centre = self.mover.after(ticks);
        (point.x - centre.x).abs() <= self.half.x && (point.y - centre.y).abs() <= self.half.y
    }
}

/// The terrain, and where the field is in it. In sub-pixels.
#[derive(Clone, Copy)]
pub(super) struct KnownTerrain<'a> {
    terrain: &'a Terrain,
    scroll: i64,
    /// By how much it scrolls in a tick.
    speed: i64,
    /// Where scrolling ends.
    last: i64,
}

impl<'a> KnownTerrain<'a> {
    fn of_stage(stage: &'a Stage, scroll_px: u32) -> KnownTerrain<'a> {
        let speed = i64::from(stage.scroll * game::units::STEPS_PER_TICK);
        let last = if stage.endless { i64::MAX } else { last_scroll(i64::from(stage.length_px)) };
        KnownTerrain { terrain: &stage.terrain, scroll: subpixels(scroll_px.into()), speed, last }
    }

    fn of_terrain(terrain: &'a Terrain, scroll_px: u32, speed: i32) -> KnownTerrain<'a> {
        let last = last_scroll(terrain.columns() as i64 * i64::from(game::units::TILE_PX));
        KnownTerrain { terrain, scroll: subpixels(scroll_px.into()), speed: speed.into(), last }
    }

    fn solid(&self, point: Vec2, ticks: i32) -> bool {
        let scroll = (self.scroll + self.speed * i64::from(ticks)).min(self.last.max(self.scroll));
        self.terrain.is_solid(scroll, point)
    }
}

fn subpixels(pixels: i64) -> i64 {
    pixels * i64::from(px(1))
}

/// Where the field's left edge is at the end of a stage that is this many pixels long.
fn last_scroll(length_px: i64) -> i64 {
    subpixels(length_px - i64::from(FIELD_WIDTH_PX))
}

impl Perception {
    pub(super) fn new(seed: u64, attention: Attention) -> Perception {
        Perception {
            attention,
            seed,
            before: Vec::new(),
            next: Vec::new(),
            tick: 0,
            clock: 0,
            scrolling: Scrolling::default(),
            seen: Seen::default(),
        }
    }

    /// What the player of that seat sees, if there is a ship to see from.
    pub(super) fn look<'a>(&'a mut self, frame: &Frame, seat: Seat, ground: Ground<'a>) -> Option<View<'a>> {
        self.scrolling.observe(frame);
        let me = frame.ship(seat).map(|&me| Entity { position: clamped(me.position, POSITION_MAX), ..me });
        self.clock = self.clock.wrapping_add(frame.tick.0.wrapping_sub(self.tick).clamp(1, TICKS_SKIPPED_MAX));
        self.seen.clear();
        for entity in &frame.entities {
            self.take_in(entity, frame.tick.0, seat);
        }
        mem::swap(&mut self.before, &mut self.next);
        self.next.clear();
        self.tick = frame.tick.0;
        let player = frame.players[seat.index()];
        Some(View {
            clock: self.clock,
            me: me?,
            speed: ship_speed(player),
            model: player.map_or_else(Default::default, |player| player.model),
            threats: &self.seen.threats,
            targets: &self.seen.targets,
            items: &self.seen.items,
            others: &self.seen.others,
            force: self.seen.force,
            pursued_to: self.seen.pursued_to,
            terrain: self.terrain(frame, ground),
        })
    }

    /// Sorts an entity in, and remembers it for the next Frame.
    fn take_in(&mut self, entity: &Entity, tick: u32, seat: Seat) {
        let mover = self.mover(entity, tick);
        let since = self.known(entity.id).map_or(self.clock, |known| known.since);
        self.next.push(Known { id: entity.id, position: mover.position, since });
        let is_noticed = self.notices(entity, self.clock.wrapping_sub(since));
        self.seen.sort_in(entity, mover, Relation { is_own: entity.seat == Some(seat), is_noticed });
    }

    /// Whether a bot is aware of something that has been in sight for `ticks`. It always notices what is large and slow.
    fn notices(&self, entity: &Entity, ticks: u32) -> bool {
        let Attention { notices_after, overlooks_percent } = self.attention;
        if !matches!(entity.kind.class(), Class::Enemy | Class::EnemyShot) || entity.kind == Kind::Grinder {
            return true;
        }
        let roll = || Dice::new(self.seed ^ u64::from(entity.id.0)).below(100);
        ticks >= notices_after && (overlooks_percent == 0 || roll() >= overlooks_percent)
    }

    fn terrain<'a>(&'a self, frame: &Frame, ground: Ground<'a>) -> TerrainAhead<'a> {
        match ground {
            Ground::Unknown => TerrainAhead::Walls(&self.seen.walls),
            Ground::Terrain(terrain) => {
                TerrainAhead::Known(KnownTerrain::of_terrain(terrain, frame.scroll_px, self.scrolling.speed))
            }
            Ground::Stage(stage) => TerrainAhead::Known(KnownTerrain::of_stage(stage, frame.scroll_px)),
        }
    }

    fn known(&self, id: EntityId) -> Option<&Known> {
        self.before.binary_search_by_key(&id, |known| known.id).ok().map(|index| &self.before[index])
    }

    fn mover(&self, entity: &Entity, tick: u32) -> Mover {
        let position = clamped(entity.position, POSITION_MAX);
        let velocity = match entity.velocity {
            Vec2::ZERO => self.shown_velocity(entity.id, position, tick),
            said => clamped(said, VELOCITY_MAX),
        };
        Mover { kind: entity.kind, position, velocity }
    }

    /// The velocity that the last two Frames show.
    fn shown_velocity(&self, id: EntityId, position: Vec2, tick: u32) -> Vec2 {
        let ticks = tick.saturating_sub(self.tick);
        let Some(known) = self.known(id) else { return Vec2::ZERO };
        if ticks == 0 || ticks > TICKS_SKIPPED_MAX {
            return Vec2::ZERO;
        }
        let moved = position - known.position;
        let velocity = Vec2::new(moved.x / ticks as i32, moved.y / ticks as i32);
        if velocity.x.abs().max(velocity.y.abs()) > VELOCITY_MAX { Vec2::ZERO } else { velocity }
    }
}

/// What an entity is to the bot.
#[derive(Clone, Copy)]
struct Relation {
    is_own: bool,
    is_noticed: bool,
}

impl Seen {
    fn clear(&mut self) {
        self.threats.clear();
        self.targets.clear();
        self.items.clear();
        self.others.clear();
        self.walls.clear();
        self.force = None;
        self.pursued_to = 0;
    }

    fn sort_in(&mut self, entity: &Entity, mover: Mover, relation: Relation) {
        match entity.kind.class() {
            Class::Enemy | Class::Boss => {
                if entity.kind == Kind::Grinder {
                    self.pursued_to = self.pursued_to.max(nose_of(&mover));
                }
                self.targets.push(mover);
                self.add_threat(mover, relation);
            }
            Class::EnemyShot | Class::Block => self.add_threat(mover, relation),
            Class::Item => self.items.push(mover),
            Class::Player if !relation.is_own => self.others.push(entity.position),
            Class::Gear if entity.kind == Kind::Force && relation.is_own => self.force = Some(*entity),
            Class::Wall => self.walls.extend(entity.size_px.map(|size_px| WallAhead::new(mover, size_px))),
            Class::Player | Class::Gear | Class::PlayerShot | Class::Effect => {}
        }
    }

    fn add_threat(&mut self, mover: Mover, relation: Relation) {
        if relation.is_noticed {
            self.threats.push(mover);
        }
    }
}

impl View<'_> {
    /// Whether something to shoot lies in the ship's line of fire, and how far ahead, in sub-pixels.
    pub(super) fn lined_up(&self) -> Option<i32> {
        self.targets.iter().filter_map(|target| self.in_line(target)).min()
    }

    fn in_line(&self, target: &Mover) -> Option<i32> {
        let ahead = target.position.x - self.me.position.x;
        if ahead < px(8) || target.position.x > px(FIELD_WIDTH_PX + 8) || is_invulnerable(target.kind) {
            return None;
        }
        let meets = target.after(ahead / SHOT_SPEED_PER_TICK);
        let reach = px(tuning::body(target.kind).hit_px.1 / 2 + 3);
        ((meets.y - self.me.position.y).abs() <= reach).then_some(ahead)
    }

    /// Distance in sub-pixels to the nearest thing to shoot that is not yet behind.
    pub(super) fn nearest_ahead(&self) -> Option<i32> {
        let ahead = self.targets.iter().map(|target| target.position.x - self.me.position.x);
        ahead.filter(|&ahead| ahead > px(-20)).min()
    }
}

/// Where the front of something that closes in from behind will be in a second.
fn nose_of(pursuer: &Mover) -> i32 {
    pursuer.after(game::units::TICKS_PER_SECOND).x + px(pursuer.kind.size_px().0 / 2)
}

/// A hull cannot be hurt, only its parts.
pub(super) fn is_invulnerable(kind: Kind) -> bool {
    tuning::body(kind).health == 0
}

/// Sub-pixels that a plain shot flies in one tick.
pub(super) const SHOT_SPEED_PER_TICK: i32 = tuning::SHOT_SPEED * game::units::STEPS_PER_TICK;

fn ship_speed(player: Option<Player>) -> i32 {
    let (model, speed) = player.map_or_else(Default::default, |player| (player.model, player.speed));
    model.speed(speed) * game::units::STEPS_PER_TICK
}

fn clamped(vector: Vec2, limit: i32) -> Vec2 {
    Vec2::new(vector.x.clamp(-limit, limit), vector.y.clamp(-limit, limit))
}
