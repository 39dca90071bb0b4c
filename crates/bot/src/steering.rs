//! Where the bot flies: a few dozen manoeuvres are tried out in advance, and the least dangerous that leads to its goal wins.

use std::ops::Range;

use game::{Buttons, Class, Dice, FIELD_HEIGHT_PX, FIELD_WIDTH_PX, Kind, Vec2, px, tuning};

use super::{
    perception::{Mover, SHOT_SPEED_PER_TICK, View, is_invulnerable},
    skillset::Flying,
};

/// In what steps a manoeuvre is thought through, in ticks.
const STRIDE: i32 = 2;
/// For how long a manoeuvre may turn aside before the ship rests again, in ticks.
const TURNS: [i32; 3] = [6, 16, 34];
/// Kept between hit boxes beyond what the rules ask.
const MARGIN_PX: i32 = 3;
/// Nearer than this is uncomfortable.
const COMFORT_PX: i32 = 14;
/// Cost of a crash right now; a crash later costs less, because much can happen until then.
const CRASH: i64 = 4_000_000;
/// Cost of each uncomfortable pixel.
const DISCOMFORT: i64 = 900;
/// Cost of each pixel away from the goal.
const DETOUR: i64 = 60;
/// Cost of each pixel that is nearer to another ship than [`ELBOW_ROOM_PX`]: a single burst should not hit two.
const CROWDING: i64 = 110;
const ELBOW_ROOM_PX: i32 = 40;
/// Cost of changing direction, so that the ship does not tremble.
const CHANGE_OF_DIRECTION: i64 = 150;
/// Kept ahead of what closes in from behind.
const PURSUED_PX: i32 = 36;
/// When the ship is to be where it wants to be, in ticks.
const ARRIVAL: i32 = 20;
/// Ticks between two changes of where the ship waits.
const HOME_CHANGES_TICKS: (i32, i32) = (120, 420);
/// Ticks between two changes of by how much the bot misses.
const AIM_CHANGES_TICKS: (i32, i32) = (20, 60);

/// What the bot remembers of its manoeuvre.
#[derive(Clone, Debug, Default)]
pub(super) struct Steering {
    direction: (i32, i32),
    /// Where the ship waits when there is nothing else to do, in pixels.
    home_px: (i32, i32),
    home_changes_in: i32,
    /// By how much the bot misses, in pixels.
    aim_error_px: i32,
    aim_changes_in: i32,
    /// When it last decided, by the bot's own clock.
    decided: Option<u32>,
    /// What could strike it, and how near that must come. Kept for its memory.
    near: Vec<Threat>,
}

/// Something deadly, and the distance between centres at which it touches.
#[derive(Clone, Copy, Debug)]
struct Threat {
    mover: Mover,
    touch: Vec2,
}

/// A direction, held for some ticks.
#[derive(Clone, Copy)]
struct Manoeuvre {
    direction: (i32, i32),
    ticks: i32,
}

impl Steering {
    /// The buttons that steer the ship.
    pub(super) fn steer(&mut self, view: &View<'_>, flying: &Flying, dice: &mut Dice) -> Buttons {
        self.change_mind(flying, dice);
        let is_due = self.decided.is_none_or(|at| view.clock.wrapping_sub(at) >= flying.steers_every);
        if is_due {
            self.decided = Some(view.clock);
            self.direction = self.best_direction(view, flying.horizon);
        }
        buttons(self.direction)
    }

    fn change_mind(&mut self, flying: &Flying, dice: &mut Dice) {
        self.home_changes_in -= 1;
        if self.home_changes_in <= 0 {
            self.home_changes_in = dice.between(HOME_CHANGES_TICKS.0, HOME_CHANGES_TICKS.1);
            self.home_px = (dice.between(60, 130), dice.between(70, FIELD_HEIGHT_PX - 70));
        }
        self.aim_changes_in -= 1;
        if self.aim_changes_in <= 0 && flying.aim_error_px > 0 {
            self.aim_changes_in = dice.between(AIM_CHANGES_TICKS.0, AIM_CHANGES_TICKS.1);
            self.aim_error_px = dice.between(-flying.aim_error_px, flying.aim_error_px);
        }
    }

    fn best_direction(&mut self, view: &View<'_>, horizon: i32) -> (i32, i32) {
        let goal = self.goal(view);
        find_threats_in_reach(view, horizon, &mut self.near);
        let (mut best, mut least) = ((0, 0), i64::MAX);
        for manoeuvre in manoeuvres() {
            let change = if manoeuvre.direction == self.direction { 0 } else { CHANGE_OF_DIRECTION };
            let before = detour(view, manoeuvre, goal) + change;
            let cost = cost_below(view, &self.near, Flight { manoeuvre, horizon }, before..least);
            if let Some(cost) = cost {
                (best, least) = (manoeuvre.direction, cost);
            }
        }
        best
    }

    /// Where the ship would like to be if nothing were in the way.
    fn goal(&self, view: &View<'_>) -> Vec2 {
        let home = Vec2::new(px(self.home_px.0).max(view.pursued_to + px(PURSUED_PX)), px(self.home_px.1));
        if let Some(item) = wanted_item(view) {
            return item;
        }
        let Some(target) = best_target(view) else { return open_height(view, home) };
        let ahead = (target.position.x - view.me.position.x).max(0);
        let meets = target.after(ahead / SHOT_SPEED_PER_TICK);
        let x = home.x.min(target.position.x - px(120)).max(px(30)).max(view.pursued_to + px(COMFORT_PX));
        let y = meets.y + px(self.aim_error_px);
        open_height(view, Vec2::new(x, y.clamp(px(12), px(FIELD_HEIGHT_PX - 12))))
    }
}

/// Rest, and every direction for every length of turn.
fn manoeuvres() -> impl Iterator<Item = Manoeuvre> {
    let turns = (-1..=1).flat_map(|x| (-1..=1).map(move |y| (x, y))).filter(|&direction| direction != (0, 0));
    let turns = turns.flat_map(|direction| TURNS.map(|ticks| Manoeuvre { direction, ticks }));
    std::iter::once(Manoeuvre { direction: (0, 0), ticks: 0 }).chain(turns)
}

/// Where a manoeuvre has led the ship after that many ticks.
fn along(view: &View<'_>, manoeuvre: Manoeuvre, ticks: i32) -> Vec2 {
    let flown = view.speed * ticks.min(manoeuvre.ticks);
    let (margin_x, margin_y) = tuning::SHIP_MARGIN;
    Vec2::new(
        (view.me.position.x + manoeuvre.direction.0 * flown).clamp(margin_x, px(FIELD_WIDTH_PX) - margin_x),
        (view.me.position.y + manoeuvre.direction.1 * flown).clamp(margin_y, px(FIELD_HEIGHT_PX) - margin_y),
    )
}

/// The threats that can matter within the horizon.
fn find_threats_in_reach(view: &View<'_>, horizon: i32, near: &mut Vec<Threat>) {
    let all = view.threats.iter().map(|threat| Threat { mover: *threat, touch: touch(threat.kind) });
    near.clear();
    near.extend(all.filter(|threat| comes_near(view, threat, horizon)));
}

fn comes_near(view: &View<'_>, threat: &Threat, horizon: i32) -> bool {
    let (me, reach) = (view.me.position, view.speed * horizon);
    let near = |from: i32, to: i32, me: i32, touch: i32| {
        let wide = touch + px(COMFORT_PX) + reach;
        from.min(to) - wide < me && me < from.max(to) + wide
    };
    let (begin, end) = (threat.mover.position, threat.mover.after(horizon));
    near(begin.x, end.x, me.x, threat.touch.x) && near(begin.y, end.y, me.y, threat.touch.y)
}

fn touch(kind: Kind) -> Vec2 {
    let (mine, theirs) = (tuning::body(Kind::Player).hit_px, tuning::body(kind).hit_px);
    Vec2::new(px((mine.0 + theirs.0) / 2 + MARGIN_PX), px((mine.1 + theirs.1) / 2 + MARGIN_PX))
}

/// A manoeuvre, and for how many ticks it is thought through.
#[derive(Clone, Copy)]
struct Flight {
    manoeuvre: Manoeuvre,
    horizon: i32,
}

/// What a flight costs, from what it costs before any danger, unless that is the limit or more: thinking ends as soon as
/// another flight is known to be as good.
fn cost_below(view: &View<'_>, threats: &[Threat], flight: Flight, costs: Range<i64>) -> Option<i64> {
    let mut cost = costs.start;
    let mut ticks = 1;
    while ticks <= flight.horizon && cost < costs.end {
        let me = along(view, flight.manoeuvre, ticks);
        let worst = threats.iter().map(|threat| peril(me, threat.mover.after(ticks), threat.touch)).sum::<i64>();
        cost += (worst + crash_into_ground(view, me, ticks)) / i64::from(ticks + 4);
        ticks += STRIDE;
    }
    (cost < costs.end).then_some(cost)
}

fn peril(me: Vec2, threat: Vec2, touch: Vec2) -> i64 {
    let gap = ((threat.x - me.x).abs() - touch.x).max((threat.y - me.y).abs() - touch.y);
    match gap {
        ..=0 => CRASH / 4,
        gap if gap < px(COMFORT_PX) => i64::from(px(COMFORT_PX) - gap) / i64::from(px(1)) * DISCOMFORT,
        _ => 0,
    }
}

fn crash_into_ground(view: &View<'_>, me: Vec2, ticks: i32) -> i64 {
    let terrain = &view.terrain;
    let (width, height) = tuning::body(Kind::Player).hit_px;
    let (x, y) = (px(width / 2 + MARGIN_PX), px(height / 2 + MARGIN_PX));
    let corners = [(-x, -y), (x, -y), (-x, y), (x, y), (0, 0)];
    let hit = corners.iter().any(|&(dx, dy)| terrain.solid(Vec2::new(me.x + dx, me.y + dy), ticks));
    if hit { CRASH } else { 0 }
}

fn detour(view: &View<'_>, manoeuvre: Manoeuvre, goal: Vec2) -> i64 {
    let there = along(view, manoeuvre, ARRIVAL);
    let gap = there - goal;
    i64::from(gap.x.abs() / px(1) / 2 + gap.y.abs() / px(1)) * DETOUR + crowding(view, there)
}

fn crowding(view: &View<'_>, there: Vec2) -> i64 {
    let nearness = view.others.iter().map(|&other| {
        let gap = other - there;
        (ELBOW_ROOM_PX - (gap.x.abs().max(gap.y.abs()) / px(1))).max(0)
    });
    i64::from(nearness.sum::<i32>()) * CROWDING
}

/// The nearest item for which no other ship is nearer.
fn wanted_item(view: &View<'_>) -> Option<Vec2> {
    let me = view.me.position;
    let distance = |from: Vec2, to: Vec2| (from.x - to.x).abs() + (from.y - to.y).abs();
    let mine = view.items.iter().map(|item| item.position).filter(|&item| {
        (view.pursued_to..px(340)).contains(&item.x)
            && view.others.iter().all(|&other| distance(other, item) >= distance(me, item))
    });
    mine.min_by_key(|&item| distance(me, item))
}

/// What is best to shoot: near, ahead, and not already another ship's.
fn best_target<'a>(view: &'a View<'_>) -> Option<&'a Mover> {
    let ahead = view.targets.iter().filter(|target| target.position.x > view.me.position.x + px(24));
    ahead.filter(|target| !is_invulnerable(target.kind)).min_by_key(|target| trouble(view, target))
}

fn trouble(view: &View<'_>, target: &Mover) -> i32 {
    let gap = target.position - view.me.position;
    let crowd = view.others.iter().filter(|other| (other.y - target.position.y).abs() < px(14)).count() as i32;
    let worth = match target.kind {
        Kind::Carrier => 90,
        Kind::Debris => -60,
        // The weak point ends a boss; its other parts only thin out the fire.
        kind if tuning::is_weak_point(kind) => 160,
        kind if kind.class() == Class::Boss => 40,
        // Every other enemy is worth the same.
        _ => 0,
    };
    gap.y.abs() / px(1) * 2 + gap.x / px(1) / 2 + crowd * 70 - worth
}

/// The height nearest to the goal at which the way ahead stays open.
fn open_height(view: &View<'_>, goal: Vec2) -> Vec2 {
    let terrain = &view.terrain;
    let open = |y: i32, reach: i32| {
        (-1..reach).all(|tile| {
            let x = view.me.position.x + px(tile * 16);
            [-14, 0, 14].iter().all(|&dy| !terrain.solid(Vec2::new(x, y + px(dy)), 0))
        })
    };
    // A shorter look if no height is open for the longer one.
    for reach in [12, 8, 5, 3] {
        let heights = (1..FIELD_HEIGHT_PX / 8).map(|row| px(row * 8)).filter(|&y| open(y, reach));
        if let Some(y) = heights.min_by_key(|y| (y - goal.y).abs()) {
            return Vec2::new(goal.x, if open(goal.y, reach) { goal.y } else { y });
        }
    }
    goal
}

fn buttons(direction: (i32, i32)) -> Buttons {
    Buttons::NONE
        .with(Buttons::LEFT, direction.0 < 0)
        .with(Buttons::RIGHT, direction.0 > 0)
        .with(Buttons::UP, direction.1 < 0)
        .with(Buttons::DOWN, direction.1 > 0)
}
