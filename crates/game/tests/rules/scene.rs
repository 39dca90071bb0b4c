//! A small stage for tests: a field that neither scrolls nor brings anything, ships whose first invulnerability is
//! over, and verbs that read like prose. It uses nothing that a lobby could not use.

use std::sync::Arc;

use game::{
    Buttons, Entity, EntityId, Event, Frame, Input, Kind, Player, Rules, SEATS, SUBPIXELS, Seat, Side, Stage, Vec2,
    World, px, tuning, units::STEPS_PER_TICK,
};

/// The player of every test that needs only one.
pub const ONE: Seat = Seat::ALL[0];
/// The second player.
pub const TWO: Seat = Seat::ALL[1];

/// A game under way.
pub struct Scene {
    /// The game itself.
    pub world: World,
    /// What happened since the last verb began.
    pub events: Vec<Event>,
    /// What every seat keeps doing while another acts.
    pub inputs: [Input; SEATS],
}

impl Scene {
    /// One ship in open space.
    pub fn open() -> Scene {
        Scene::drawn(&[])
    }

    /// One ship in a stage drawn in text.
    pub fn drawn(rows: &[&str]) -> Scene {
        Scene::of(Stage::sketch(rows), Rules::default(), 1)
    }

    /// Ships in open space.
    pub fn with_players(players: usize) -> Scene {
        Scene::of(Stage::sketch(&[]), Rules::default(), players)
    }

    /// Ships in a stage, started, all of them mortal.
    pub fn of(stage: Arc<Stage>, rules: Rules, players: usize) -> Scene {
        let mut scene = Scene::waiting(stage, rules, players);
        scene.world.start();
        scene.wake_players();
        scene.outlast_invulnerability();
        scene
    }

    /// Ships in a stage that is not started.
    pub fn waiting(stage: Arc<Stage>, rules: Rules, players: usize) -> Scene {
        let mut world = World::new(stage, rules, 1);
        for &seat in &Seat::ALL[..players] {
            assert!(world.join(seat));
        }
        Scene { world, events: Vec::new(), inputs: [Input::IDLE; SEATS] }
    }

    /// Every player touches something, but flies nowhere: from now on enemies take aim at them.
    pub fn wake_players(&mut self) {
        self.inputs = [Input::holding(Buttons::LEFT | Buttons::RIGHT); SEATS];
        self.wait(1);
        self.inputs = [Input::IDLE; SEATS];
    }

    /// Waits until ships that have just come can be hurt.
    pub fn outlast_invulnerability(&mut self) {
        self.wait(ticks_of(tuning::INVULNERABLE));
    }

    // ---- Verbs ----

    /// Lets time pass.
    pub fn wait(&mut self, ticks: u32) {
        self.events.clear();
        for _ in 0..ticks {
            self.tick();
        }
    }

    /// The first player holds buttons for some ticks, then lets go.
    pub fn hold(&mut self, buttons: Buttons, ticks: u32) {
        self.hold_for(ONE, buttons, ticks);
    }

    /// A player holds buttons for some ticks, then lets go.
    pub fn hold_for(&mut self, seat: Seat, buttons: Buttons, ticks: u32) {
        self.inputs[seat.index()] = Input::holding(buttons);
        self.wait(ticks);
        self.inputs[seat.index()] = Input::IDLE;
    }

    /// The first player presses and releases buttons within one tick.
    pub fn tap(&mut self, buttons: Buttons) {
        self.tap_for(ONE, buttons);
    }

    /// A player presses and releases buttons within one tick.
    pub fn tap_for(&mut self, seat: Seat, buttons: Buttons) {
        self.inputs[seat.index()] = Input::tapping(buttons);
        self.wait(1);
        self.inputs[seat.index()] = Input::IDLE;
    }

    /// Lets time pass until something is so. Panics if it is not within ten seconds.
    pub fn until(&mut self, what: &str, is_so: impl Fn(&Scene) -> bool) {
        self.until_within(600, what, is_so);
    }

    /// Lets time pass until something is so. Panics if it is not within `ticks`.
    pub fn until_within(&mut self, ticks: u32, what: &str, is_so: impl Fn(&Scene) -> bool) {
        self.events.clear();
        for _ in 0..ticks {
            if is_so(self) {
                return;
            }
            self.tick();
        }
        panic!("within {ticks} ticks it never happened that {what}");
    }

    /// Flies the first player's ship to within two pixels of a place.
    pub fn fly_to(&mut self, place: (i32, i32)) {
        self.fly_to_for(ONE, place);
    }

    /// Flies a player's ship to within two pixels of a place.
    pub fn fly_to_for(&mut self, seat: Seat, (x, y): (i32, i32)) {
        for _ in 0..600 {
            let way = Vec2::new(px(x), px(y)) - self.ship_of(seat).position;
            let held = Buttons::NONE
                .with(Buttons::LEFT, way.x < -px(2))
                .with(Buttons::RIGHT, way.x > px(2))
                .with(Buttons::UP, way.y < -px(2))
                .with(Buttons::DOWN, way.y > px(2));
            if held == Buttons::NONE {
                return;
            }
            self.hold_for(seat, held, 1);
        }
        panic!("the ship never got to {x},{y}");
    }

    /// Puts something into the field, at a place in pixels.
    pub fn spawn(&mut self, kind: Kind, (x, y): (i32, i32)) -> EntityId {
        self.world.spawn(kind, Vec2::new(px(x), px(y))).expect("it can be put into the field")
    }

    /// Gives the first player's ship an item.
    pub fn give(&mut self, item: Kind) {
        self.give_to(ONE, item);
    }

    /// Gives a player's ship an item.
    pub fn give_to(&mut self, seat: Seat, item: Kind) {
        let position = self.ship_of(seat).position;
        self.world.spawn(item, position).expect("there is room for the item");
        self.wait(1);
    }

    /// Gives the first player's ship a Force of that level, docked at the front and ready to fire.
    pub fn give_docked_force(&mut self, crystal: Kind, level: usize) {
        self.fly_to((64, 108));
        for _ in 0..level {
            self.give(crystal);
        }
        self.dock_at_front();
    }

    /// Lets the Force dock, and brings one that docked at the back to the front: launch it, fly round it, call it.
    pub fn dock_at_front(&mut self) {
        let docked = |scene: &Scene| scene.the(Kind::Force).attached.is_some();
        self.until("the Force docked", docked);
        self.fly_to((300, 180));
        self.tap(Buttons::FORCE);
        self.wait(60);
        for place in [(300, 25), (30, 25), (30, 108)] {
            self.fly_to(place);
        }
        self.tap(Buttons::FORCE);
        self.until("the Force docked again", docked);
        assert_eq!(self.the(Kind::Force).attached.map(|it| it.side), Some(Side::Front));
        self.fly_to((64, 108));
        self.until("all shots are gone", |scene| scene.all_of(Kind::Shot).is_empty());
    }

    /// Destroys the first player's ship.
    pub fn kill(&mut self) {
        self.kill_of(ONE);
    }

    /// Destroys a player's ship, which must be mortal.
    pub fn kill_of(&mut self, seat: Seat) {
        let position = self.ship_of(seat).position;
        // Bombs are not blocked here: they start on the ship.
        self.world.spawn(Kind::Bomb, position).expect("there is room for a bomb");
        self.wait(1);
        assert!(self.has_died(seat), "the ship was destroyed");
    }

    fn tick(&mut self) {
        self.world.tick(&self.inputs);
        self.events.extend_from_slice(self.world.events());
    }

    // ---- Questions ----

    /// The game as a watcher sees it.
    pub fn frame(&self) -> Frame {
        self.world.frame()
    }

    /// The first player's ship.
    pub fn ship(&self) -> Entity {
        self.ship_of(ONE)
    }

    /// A player's ship, which must be flying.
    pub fn ship_of(&self, seat: Seat) -> Entity {
        *self.frame().ship(seat).expect("the ship is flying")
    }

    /// Whether a player's ship is flying.
    pub fn flies(&self, seat: Seat) -> bool {
        self.frame().ship(seat).is_some()
    }

    /// What is known of the first player.
    pub fn player(&self) -> Player {
        self.player_of(ONE)
    }

    /// What is known of a player.
    pub fn player_of(&self, seat: Seat) -> Player {
        self.frame().players[seat.index()].expect("somebody sits there")
    }

    /// All of one kind, by id.
    pub fn all_of(&self, kind: Kind) -> Vec<Entity> {
        self.frame().entities.into_iter().filter(|entity| entity.kind == kind).collect()
    }

    /// How many there are of one kind.
    pub fn count(&self, kind: Kind) -> usize {
        self.all_of(kind).len()
    }

    /// The only one of a kind.
    pub fn the(&self, kind: Kind) -> Entity {
        match self.all_of(kind)[..] {
            [only] => only,
            ref all => panic!("there are {} {}s, not one", all.len(), kind.name()),
        }
    }

    /// The entity of that id, while it is there.
    pub fn entity(&self, id: EntityId) -> Option<Entity> {
        self.frame().entity(id).copied()
    }

    /// Whether the entity of that id is in the field.
    pub fn has(&self, id: EntityId) -> bool {
        self.entity(id).is_some()
    }

    /// The place of an entity in whole pixels.
    pub fn place_of(&self, id: EntityId) -> (i32, i32) {
        in_px(self.entity(id).expect("it is in the field").position)
    }

    /// Whether a player's ship was destroyed since the last verb began.
    pub fn has_died(&self, seat: Seat) -> bool {
        self.events.iter().any(|event| matches!(event, Event::Killed { seat: whose, .. } if *whose == seat))
    }
}

/// A position in whole pixels.
pub fn in_px(position: Vec2) -> (i32, i32) {
    (position.x / SUBPIXELS, position.y / SUBPIXELS)
}

/// Steps as ticks.
pub fn ticks_of(steps: u16) -> u32 {
    u32::from(steps) / STEPS_PER_TICK as u32
}

/// A stage in which terrain can be drawn and which scrolls, with checkpoints.
pub fn scrolling(rows: &[&str], scroll: i32, checkpoints_px: &[u32]) -> Arc<Stage> {
    let mut stage = Stage::sketch(rows);
    let own = Arc::get_mut(&mut stage).expect("nobody else has the stage yet");
    own.scroll = scroll;
    own.checkpoints_px = checkpoints_px.to_vec();
    stage
}

/// The rows of a field of that many columns, open but for its floor, the row of tiles from 240 to 256 pixels down.
pub fn with_floor(columns: usize) -> Vec<String> {
    (0..17).map(|row| if row == 15 { "#".repeat(columns) } else { " ".repeat(columns) }).collect()
}
