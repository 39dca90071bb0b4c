//! What a bot makes of a Frame: its ship, what is deadly, what to shoot, what to pick up.

use game::{Class, Entity, EntityId, FIELD_WIDTH_PX, Frame, Kind, Player, Seat, ShipModel, Stage, Vec2, px, tuning};

/// Velocities are believed up to this, per tick; a jump in position is no movement.
const VELOCITY_MAX: i32 = px(24);

/// Positions are believed up to this either way: what a network says may be anything, and sums must not overflow.
const POSITION_MAX: i32 = px(4096);

/// The memory of the last Frame, from which velocities are taken where a Frame has none.
#[derive(Clone, Debug, Default)]
pub(super) struct Perception {
    /// Sorted by id, as Frames are.
    before: Vec<(EntityId, Vec2)>,
    tick: u32,
}

/// What a bot can see at one tick.
pub(super) struct View<'a> {
    pub(super) me: Entity,
    /// Sub-pixels that the ship flies in one tick along an axis.
    pub(super) speed: i32,
    /// Which ship it is.
    pub(super) model: ShipModel,
    /// What kills on touch.
    pub(super) threats: Vec<Mover>,
    /// What is worth shooting.
    pub(super) targets: Vec<Mover>,
    pub(super) items: Vec<Mover>,
    /// The other players' ships.
    pub(super) others: Vec<Vec2>,
    /// The bot's own Force.
    pub(super) force: Option<Entity>,
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

/// What is solid: the stage, if it is known, or else the walls that are told.
pub(super) enum TerrainAhead<'a> {
    Stage(StageAhead<'a>),
    Walls(Vec<WallAhead>),
}

impl TerrainAhead<'_> {
    /// Whether a point of the field will be solid in that many ticks.
    pub(super) fn solid(&self, point: Vec2, ticks: i32) -> bool {
        match self {
            TerrainAhead::Stage(stage) => stage.solid(point, ticks),
            TerrainAhead::Walls(walls) => walls.iter().any(|wall| wall.covers(point, ticks)),
        }
    }
}

/// A wall, and half its width and height in sub-pixels.
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

/// The stage and where the field is in it.
#[derive(Clone, Copy)]
pub(super) struct StageAhead<'a> {
    stage: &'a Stage,
    scroll_px: u32,
}

impl StageAhead<'_> {
    fn solid(&self, point: Vec2, ticks: i32) -> bool {
        self.stage.terrain.solid_at(self.scroll(ticks) + i64::from(point.x), point.y)
    }

    /// Where the field's left edge will be, in sub-pixels of the stage.
    fn scroll(&self, ticks: i32) -> i64 {
        let now = i64::from(self.scroll_px) * i64::from(px(1));
        let then = now + i64::from(self.stage.scroll * game::units::STEPS_PER_TICK) * i64::from(ticks);
        let last = (i64::from(self.stage.length_px) - i64::from(FIELD_WIDTH_PX)) * i64::from(px(1));
        if self.stage.endless { then } else { then.min(last.max(now)) }
    }
}

impl Perception {
    /// What the player of that seat sees, if there is a ship to see from.
    pub(super) fn look<'a>(&mut self, frame: &Frame, seat: Seat, stage: Option<&'a Stage>) -> Option<View<'a>> {
        let ship = frame.ship(seat).map(|&me| Entity { position: clamped(me.position, POSITION_MAX), ..me });
        let view = ship.map(|me| self.view(frame, me, seat, stage));
        self.before.clear();
        self.before.extend(frame.entities.iter().map(|entity| (entity.id, clamped(entity.position, POSITION_MAX))));
        self.tick = frame.tick.0;
        view
    }

    fn view<'a>(&self, frame: &Frame, me: Entity, seat: Seat, stage: Option<&'a Stage>) -> View<'a> {
        let mut view = View {
            me,
            speed: ship_speed(frame.players[seat.index()]),
            model: frame.players[seat.index()].map_or_else(Default::default, |player| player.model),
            threats: Vec::new(),
            targets: Vec::new(),
            items: Vec::new(),
            others: Vec::new(),
            force: None,
            terrain: stage.map_or_else(
                || TerrainAhead::Walls(self.walls(frame)),
                |stage| TerrainAhead::Stage(StageAhead { stage, scroll_px: frame.scroll_px }),
            ),
        };
        for entity in &frame.entities {
            view.sort_in(entity, self.mover(entity, frame.tick.0), seat);
        }
        view
    }

    fn walls(&self, frame: &Frame) -> Vec<WallAhead> {
        let wall = |entity: &Entity| Some(WallAhead::new(self.mover(entity, frame.tick.0), entity.size_px?));
        frame.entities.iter().filter(|entity| entity.kind == Kind::Wall).filter_map(wall).collect()
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
        let Ok(index) = self.before.binary_search_by_key(&id, |&(id, _)| id) else { return Vec2::ZERO };
        if ticks == 0 || ticks > 8 {
            return Vec2::ZERO;
        }
        let moved = position - self.before[index].1;
        let velocity = Vec2::new(moved.x / ticks as i32, moved.y / ticks as i32);
        if velocity.x.abs().max(velocity.y.abs()) > VELOCITY_MAX { Vec2::ZERO } else { velocity }
    }
}

impl View<'_> {
    fn sort_in(&mut self, entity: &Entity, mover: Mover, seat: Seat) {
        match entity.kind.class() {
            Class::Enemy | Class::Boss => {
                self.threats.push(mover);
                self.targets.push(mover);
            }
            Class::EnemyShot | Class::Block => self.threats.push(mover),
            Class::Item => self.items.push(mover),
            Class::Player if entity.seat != Some(seat) => self.others.push(entity.position),
            Class::Gear if entity.kind == Kind::Force && entity.seat == Some(seat) => self.force = Some(*entity),
            // Walls are in `terrain`.
            Class::Player | Class::Gear | Class::PlayerShot | Class::Wall | Class::Effect => {}
        }
    }

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
