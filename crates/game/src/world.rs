//! `World`: one lobby's game. This file holds its state and what a lobby may do to it; how it moves on is in `step.rs`.

use std::{fmt, sync::Arc};

use borsh::{BorshDeserialize, BorshSerialize};

use crate::{
    Class, EntityId, Event, GameState, Gone, Kind, Mode, Rules, SEATS, Seat, ShipModel, Stage, Tick, Vec2,
    bosses::HullState,
    bullets::Bullet,
    dice::Dice,
    effects::Effect,
    foe::Foe,
    foes::Arrival,
    hitbox::Hitbox,
    items::Item,
    player_state::{Life, PlayerState, Ship},
    score::Chain,
    shot::{Flight, Shot},
    tally::{Counts, PastMerit},
    tuning::{self, limits},
    units::{FIELD_HEIGHT_PX, FIELD_WIDTH_PX, SUBPIXELS, TILE_PX, px},
    walls::NearWall,
    waves::Waves,
};

/// One lobby's game.
///
/// ```
/// use game::{Buttons, Input, Rules, Seat, Stage, World};
///
/// let mut world = World::new(Stage::endless(), Rules::default(), 42);
/// let seat = Seat::ALL[0];
/// world.join(seat);
/// world.start();
/// let before = world.frame().ship(seat).unwrap().position;
/// world.tick(&[Input::holding(Buttons::RIGHT); 4]);
/// assert!(world.frame().ship(seat).unwrap().position.x > before.x);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct World {
    pub(crate) stage: Arc<Stage>,
    pub(crate) state: State,
    pub(crate) scratch: Scratch,
}

/// Lists that a step fills and is done with at its end, kept so that no step has to allocate them. They are not part of the
/// game: a copy begins with none, and all worlds are equal in them.
#[derive(Default)]
pub(crate) struct Scratch {
    /// The boxes of foes, in their order.
    pub boxes: Vec<Hitbox>,
    /// What the hulls of bosses tell their parts.
    pub hulls: Vec<HullState>,
}

impl Clone for Scratch {
    fn clone(&self) -> Scratch {
        Scratch::default()
    }
}

impl fmt::Debug for Scratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scratch").finish_non_exhaustive()
    }
}

impl PartialEq for Scratch {
    fn eq(&self, _: &Scratch) -> bool {
        true
    }
}

/// Everything about a world that changes, and so everything that is saved.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) struct State {
    pub rules: Rules,
    /// What the waves of the endless stage are made from.
    pub seed: u64,
    pub dice: Dice,
    /// Steps since the world began.
    pub step: u64,
    pub next_id: u32,
    pub game: GameState,
    /// How often the stages were played through: each time is harder.
    pub loops: u8,
    /// Steps for which this game has been running.
    pub played: u32,
    /// Enemies that came in this stage and count for the rank.
    pub came: u32,
    /// How far the stage has scrolled, in sub-pixels.
    pub scroll: i64,
    /// How far it scrolled in this step: what stands on terrain moves left by as much.
    pub scrolled: i32,
    /// Index of the next of the stage's spawns.
    pub next_spawn: u32,
    /// Index of the checkpoint passed last.
    pub checkpoint: u32,
    pub waves: Waves,
    /// Steps until everyone goes back to the checkpoint.
    pub setback_in: Option<u16>,
    /// Steps until a stage whose last boss is gone is told to be won.
    pub victory_in: Option<u16>,
    pub score: u32,
    /// The score that brings the next extra life.
    pub next_extra_life: u32,
    pub players: [Option<PlayerState>; SEATS],
    // The tables below are sorted by id: ids rise, new things are pushed, old ones are retained in order.
    pub foes: Vec<Foe>,
    pub shots: Vec<Shot>,
    pub bullets: Vec<Bullet>,
    pub items: Vec<Item>,
    pub effects: Vec<Effect>,
    /// Walls near the field.
    pub walls: Vec<NearWall>,
    /// Index of the next of the stage's walls.
    pub next_wall: u32,
    /// Foes in the table and those being added in this step.
    pub foe_count: u32,
    /// What happened since the last tick began.
    pub events: Vec<Event>,
    /// How many of the events belong to the tick that is over; the rest came after it.
    pub events_shown: u32,
    /// Things that did not appear because a limit was reached.
    pub refused: u64,
}

/// Why a player goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// They said so.
    Left,
    /// They were silent for too long.
    TimedOut,
}

impl World {
    /// A new game that waits for [`World::start`]. The same stage, rules, seed and inputs give the same game.
    pub fn new(stage: Arc<Stage>, rules: Rules, seed: u64) -> World {
        let rules = rules.in_stage(&stage);
        let seed = if let Mode::Daily(daily) = rules.mode { daily.seed() } else { seed };
        let state = State {
            rules,
            seed,
            dice: Dice::new(seed),
            step: 0,
            next_id: 1,
            game: GameState::Waiting,
            loops: 0,
            played: 0,
            came: 0,
            scroll: 0,
            scrolled: 0,
            next_spawn: 0,
            checkpoint: first_checkpoint(&rules),
            waves: Waves::default(),
            setback_in: None,
            victory_in: None,
            score: 0,
            next_extra_life: tuning::EXTRA_LIFE_FIRST,
            players: [const { None }; SEATS],
            foes: Vec::new(),
            shots: Vec::new(),
            bullets: Vec::new(),
            items: Vec::new(),
            effects: Vec::new(),
            walls: Vec::new(),
            next_wall: 0,
            foe_count: 0,
            events: Vec::new(),
            events_shown: 0,
            refused: 0,
        };
        let mut world = World { stage, state, scratch: Scratch::default() };
        world.place_at_checkpoint();
        world
    }

    // ---- What a lobby may ask ----

    /// The stage being played.
    pub fn stage(&self) -> &Arc<Stage> {
        &self.stage
    }

    /// The rules being played by.
    pub fn rules(&self) -> Rules {
        self.state.rules
    }

    /// The seed of the game being played.
    pub fn seed(&self) -> u64 {
        self.state.seed
    }

    pub fn game_state(&self) -> GameState {
        self.state.game
    }

    /// Ticks since the world began.
    pub fn now(&self) -> Tick {
        Tick((self.state.step / 2) as u32)
    }

    /// Whether somebody sits there.
    pub fn is_seated(&self, seat: Seat) -> bool {
        self.state.players[seat.index()].is_some()
    }

    /// The ship that a player chose: the one in flight, or the next.
    pub fn chosen_ship(&self, seat: Seat) -> Option<ShipModel> {
        self.state.players[seat.index()].as_ref().map(|player| player.model)
    }

    /// How often the stages have been played through.
    pub fn loops(&self) -> u8 {
        self.state.loops
    }

    /// How many things did not appear because a limit of `tuning::limits` was reached.
    pub fn refused(&self) -> u64 {
        self.state.refused
    }

    // ---- What a lobby may do ----

    /// Seats a player with the ship of that seat, also in mid-game. False if the seat is taken (or all ids
    /// are used up, after a year of play).
    pub fn join(&mut self, seat: Seat) -> bool {
        self.join_with(seat, ShipModel::of_seat(seat))
    }

    /// As [`World::join`], with a ship that the player chose.
    pub fn join_with(&mut self, seat: Seat, model: ShipModel) -> bool {
        if self.is_seated(seat) {
            return false;
        }
        let Some(ship) = self.new_ship(seat, model) else { return false };
        self.state.players[seat.index()] = Some(PlayerState {
            lives: self.state.rules.lives,
            score: 0,
            held: crate::Buttons::NONE,
            model,
            chain: Chain::default(),
            in_stage: Counts::default(),
            before: Counts::default(),
            past_merit: PastMerit::default(),
            life: Life::Flying(Ship { unnoticed: tuning::UNNOTICED, ..ship }),
        });
        self.arm(seat);
        self.emit(Event::Joined { seat });
        true
    }

    /// A player chooses another ship. While a game runs, it is their next one.
    pub fn choose_ship(&mut self, seat: Seat, model: ShipModel) {
        let is_running = self.state.game == GameState::Running;
        let Some(player) = &mut self.state.players[seat.index()] else { return };
        player.model = model;
        if let Some(ship) = player.ship_mut().filter(|_| !is_running) {
            ship.model = model;
        }
    }

    /// Takes a player and all that is theirs out of the game. An empty seat changes nothing.
    pub fn leave(&mut self, seat: Seat, why: Departure) {
        let Some(player) = self.state.players[seat.index()].take() else { return };
        if let Life::Flying(ship) = player.life {
            self.remove_ship(&ship, Gone::Departed);
        }
        self.emit(match why {
            Departure::Left => Event::Left { seat },
            Departure::TimedOut => Event::TimedOut { seat },
        });
    }

    /// Starts a waiting game, every ship at its place, wherever it flew while nothing could hurt it; otherwise no
    /// change.
    pub fn start(&mut self) {
        if self.state.game == GameState::Waiting {
            self.restart_ships();
            self.hide_ships();
            self.change_state(GameState::Running);
        }
    }

    /// Goes on to a stage with the same players, score and lives. Returning to an earlier or the same stage is a new
    /// loop, and harder.
    pub fn enter(&mut self, stage: Arc<Stage>) {
        if stage.number <= self.stage.number {
            self.state.loops = (self.state.loops + 1).min(tuning::LOOPS_MAX);
        }
        self.stage = stage;
        self.state.rules = self.state.rules.in_stage(&self.stage);
        self.state.checkpoint = first_checkpoint(&self.state.rules);
        self.close_stage();
        self.state.waves = Waves::default();
        self.return_to_checkpoint();
        self.change_state(GameState::Running);
    }

    /// Starts a game that is over again, with the same players: full lives, no score, first loop. Ids go on, so that nobody
    /// who watches takes something new for something old. A day's game is the same again, others have another seed.
    pub fn restart_in(&mut self, stage: Arc<Stage>) {
        self.stage = stage;
        self.state.rules = self.state.rules.in_stage(&self.stage);
        if !matches!(self.state.rules.mode, Mode::Daily(_)) {
            self.state.seed = self.state.dice.bits();
        }
        self.state.dice = Dice::new(self.state.seed);
        (self.state.loops, self.state.score, self.state.played, self.state.came) = (0, 0, 0, 0);
        self.state.next_extra_life = tuning::EXTRA_LIFE_FIRST;
        self.state.checkpoint = first_checkpoint(&self.state.rules);
        self.state.waves = Waves::default();
        self.take_back_ships();
        self.return_to_checkpoint();
        self.hide_ships();
        self.change_state(GameState::Running);
    }

    /// As [`World::restart_in`], in the same stage.
    pub fn restart(&mut self) {
        self.restart_in(self.stage.clone());
    }

    /// Every player starts again, with a ship that is still to come.
    fn take_back_ships(&mut self) {
        for seat in Seat::ALL {
            let Some(player) = &mut self.state.players[seat.index()] else { continue };
            (player.lives, player.score) = (self.state.rules.lives, 0);
            (player.chain, player.in_stage, player.before) = Default::default();
            player.past_merit = PastMerit::default();
            let next = Life::Lost { returns_in: 0 };
            if let Life::Flying(ship) = std::mem::replace(&mut player.life, next) {
                self.remove_ship(&ship, Gone::Departed);
            }
        }
    }

    /// Nobody takes aim at a ship that has not flown yet.
    fn hide_ships(&mut self) {
        let ships = self.state.players.iter_mut().flatten().filter_map(PlayerState::ship_mut);
        ships.for_each(|ship| ship.unnoticed = tuning::UNNOTICED);
    }

    /// Puts an enemy, an enemy's shot, a boss's hull, an item or a block into the field, for tests and experiments.
    /// Kinds that cannot stand alone and places far outside the field change nothing.
    pub fn spawn(&mut self, kind: Kind, position: Vec2) -> Option<EntityId> {
        if is_outside(position) {
            return None;
        }
        match kind.class() {
            Class::Item => self.spawn_item(kind, position),
            Class::EnemyShot => self.spawn_bullet(kind, position, Vec2::ZERO),
            Class::Enemy | Class::Boss | Class::Block => {
                self.spawn_foe_of(Arrival { kind, position, item: None, path: None })
            }
            Class::Player | Class::Gear | Class::PlayerShot | Class::Wall | Class::Effect => None,
        }
    }

    // ---- What the rules share ----

    pub(crate) fn emit(&mut self, event: Event) {
        let limit = match event {
            Event::Hit { .. } | Event::Fired { .. } => limits::EVENTS_OF_FIRE,
            _ => limits::EVENTS,
        };
        if self.state.events.len() < limit {
            self.state.events.push(event);
        } else {
            self.state.refused = self.state.refused.saturating_add(1);
        }
    }

    /// The next id. None once all are used up, after more than a year of play.
    pub(crate) fn next_id(&mut self) -> Option<EntityId> {
        let id = self.state.next_id;
        self.state.next_id = id.checked_add(1)?;
        Some(EntityId(id))
    }

    /// The next id, for something whose appearance is an event.
    pub(crate) fn new_id(&mut self) -> Option<EntityId> {
        let entity = self.next_id()?;
        self.emit(Event::Spawned { entity });
        Some(entity)
    }

    /// An id for something of which there are `count` and may be `limit`.
    pub(crate) fn new_id_within(&mut self, count: usize, limit: usize) -> Option<EntityId> {
        if count >= limit {
            self.state.refused = self.state.refused.saturating_add(1);
            return None;
        }
        self.new_id()
    }

    pub(crate) fn spawn_shot(&mut self, kind: Kind, seat: Seat, position: Vec2, flight: Flight) -> Option<&mut Shot> {
        let own = self.state.shots.iter().filter(|shot| shot.seat == seat).count();
        let id = self.new_id_within(own, limits::SHOTS / SEATS)?;
        self.state.shots.push(Shot { id, kind, seat, position, velocity: Vec2::ZERO, power: 0, flight });
        self.state.shots.last_mut()
    }

    pub(crate) fn spawn_bullet(&mut self, kind: Kind, position: Vec2, velocity: Vec2) -> Option<EntityId> {
        let velocity = self.shot_velocity(velocity);
        self.push_bullet(kind, position, velocity)
    }

    /// The same at exactly this velocity.
    pub(crate) fn push_bullet(&mut self, kind: Kind, position: Vec2, velocity: Vec2) -> Option<EntityId> {
        let id = self.new_id_within(self.state.bullets.len(), limits::BULLETS)?;
        self.state.bullets.push(Bullet { id, kind, position, velocity, spent: false });
        Some(id)
    }

    pub(crate) fn spawn_item(&mut self, kind: Kind, position: Vec2) -> Option<EntityId> {
        let id = self.new_id_within(self.state.items.len(), limits::ITEMS)?;
        let velocity = Vec2::new(tuning::ITEM_DRIFT, 0);
        self.state.items.push(Item { id, kind, position, velocity, taken: false });
        Some(id)
    }

    pub(crate) fn spawn_effect(&mut self, kind: Kind, position: Vec2) {
        let life = tuning::explosion_life(kind);
        if let Some(id) = self.new_id_within(self.state.effects.len(), limits::EFFECTS) {
            self.state.effects.push(Effect { id, kind, position, life });
        }
    }

    /// Players in seats.
    pub(crate) fn seated(&self) -> usize {
        self.state.players.iter().flatten().count()
    }

    /// The ships in flight, by seat.
    pub(crate) fn ships(&self) -> impl Iterator<Item = (Seat, &Ship)> {
        let players = Seat::ALL.into_iter().zip(&self.state.players);
        players.filter_map(|(seat, player)| Some((seat, player.as_ref()?.ship()?)))
    }

    /// Where the ships are that enemies take aim at.
    pub(crate) fn targets(&self) -> impl Iterator<Item = Vec2> {
        self.ships().filter(|(_, ship)| ship.unnoticed == 0).map(|(_, ship)| ship.position)
    }

    /// Where the target nearest to a point is.
    pub(crate) fn nearest_target(&self, from: Vec2) -> Option<Vec2> {
        self.targets().min_by_key(|&position| (position - from).length_squared_px())
    }

    /// How far terrain reaches down from the upper edge at a place, at the most to the middle.
    pub(crate) fn ceiling_at(&self, x: i32) -> i32 {
        let tile = px(TILE_PX);
        let rows = (0..px(FIELD_HEIGHT_PX) / 2).step_by(tile as usize);
        rows.take_while(|&row| self.is_terrain(Vec2::new(x, row + tile / 2))).last().map_or(0, |row| row + tile)
    }

    /// Whether a point of the field is inside solid terrain or a gate.
    pub(crate) fn is_terrain(&self, point: Vec2) -> bool {
        self.stage.terrain.is_solid(self.state.scroll, point)
    }

    /// Whether a point is inside terrain or beyond the ceiling or floor of the field, on which things may also walk.
    pub(crate) fn is_ground(&self, point: Vec2) -> bool {
        !(0..px(FIELD_HEIGHT_PX)).contains(&point.y) || self.is_terrain(point)
    }

    /// A boss is in the field, so scrolling and waves wait.
    pub(crate) fn boss_is_here(&self) -> bool {
        self.state.foes.iter().any(|foe| tuning::boss(foe.kind).is_some())
    }

    pub(crate) fn change_state(&mut self, state: GameState) {
        if self.state.game != state {
            self.state.game = state;
            self.emit(Event::StateChanged { state });
        }
    }

    /// How far the stage has scrolled, in whole pixels.
    pub(crate) fn scroll_px(&self) -> u32 {
        (self.state.scroll / i64::from(SUBPIXELS)) as u32
    }
}

impl State {
    /// The ship of a seat, while it flies.
    pub(crate) fn ship_mut(&mut self, seat: Seat) -> Option<&mut Ship> {
        self.players[seat.index()].as_mut()?.ship_mut()
    }
}

/// Index of the checkpoint at which a game begins.
fn first_checkpoint(rules: &Rules) -> u32 {
    match rules.mode {
        Mode::Practice(practice) => practice.checkpoint.into(),
        Mode::Campaign | Mode::Endless | Mode::Daily(_) => 0,
    }
}

/// Whether a point is far enough outside the field that what is there is gone. Bosses enter from far on the right.
pub fn is_outside(point: Vec2) -> bool {
    point.x < -tuning::OUTSIDE
        || point.x > px(FIELD_WIDTH_PX) + tuning::OUTSIDE + tuning::BOSS_ROOM
        || point.y < -tuning::OUTSIDE
        || point.y > px(FIELD_HEIGHT_PX) + tuning::OUTSIDE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::waves::Pending;

    /// What a table may take that has grown to its limit: vectors double.
    fn grown<T>(limit: usize) -> usize {
        limit.next_power_of_two() * size_of::<T>()
    }

    #[test]
    fn a_world_whose_tables_are_all_full_stays_within_32_kb() {
        let bytes = grown::<Foe>(limits::FOES)
            + grown::<Shot>(limits::SHOTS)
            + grown::<Bullet>(limits::BULLETS)
            + grown::<Item>(limits::ITEMS)
            + grown::<Effect>(limits::EFFECTS)
            + grown::<NearWall>(limits::WALLS)
            + grown::<Event>(limits::EVENTS)
            + grown::<Pending>(limits::WAVE);
        assert!(bytes <= 32 * 1024, "{bytes} bytes");
    }
}
