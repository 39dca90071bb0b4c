//! Sprite sheets: which cells the sheet of a kind has, and which of them an entity shows now.
//!
//! A sheet is a grid of equal cells. The column is what the entity is like: its animation, and which way it turns. The row
//! is whose it is, and which picture of the animation it is. `snapshot` sends a cell with every entity, `kinds.json` lists
//! the cells, and `client` draws them. The pictures themselves are in `art/`.

use game::{Class, Entity, Kind, SEATS, Seat, Side, tuning, units::STEPS_PER_TICK};

/// How the pictures of a kind follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// There is one picture.
    Still,
    /// Each picture for this many ticks; neighbours are not in step.
    Cycle(u32),
    /// Each picture for this many ticks, all in step.
    InStep(u32),
    /// As [`Timing::InStep`], but only while nothing can hurt the entity.
    WhileInvulnerable(u32),
    /// Every picture once, in this many ticks.
    Once(u32),
    /// Always the same picture, which depends on the id.
    ById,
}

/// Which way a kind is drawn in `art/`. It is mirrored when the entity flies the other way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Facing {
    Left,
    Right,
    /// It looks the same whichever way it flies.
    Neither,
}

/// A cell of a sheet, by what it shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// The animation of the entity.
    pub animation: u8,
    /// Which way it turns, below [`Sheet::directions`].
    pub direction: u8,
    /// The number of its seat; 0 if it has none.
    pub seat: u8,
    /// Where a Force is docked.
    pub dock: Option<Side>,
    /// Which picture of the animation.
    pub picture: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sheet(pub Kind);

/// Ways that a blue laser flies: level, falling and rising, to the right and to the left.
const RAY_DIRECTIONS: u8 = 6;
/// Rows of a Force for each picture: by seat, at large, docked at the front and docked at the back.
const FORCE_ROWS: u8 = 3 * SEATS as u8;

impl Sheet {
    /// Animations that the kind has: the columns for one direction.
    pub const fn animations(self) -> u8 {
        match (self.0, self.0.class()) {
            (Kind::Player, _) => 6,
            (Kind::Force, _) => 12,
            (Kind::Beam, _) => tuning::BEAMS.len() as u8,
            (Kind::Missile, _) => 8,
            (_, Class::Enemy | Class::Boss) => 4,
            (_, Class::Player | Class::Gear | Class::PlayerShot | Class::EnemyShot) => 1,
            (_, Class::Item | Class::Block | Class::Wall | Class::Effect) => 1,
        }
    }

    /// Ways in which it is drawn turned. The first is as in `art/`.
    pub fn directions(self) -> u8 {
        match self.facing() {
            _ if self.0 == Kind::BlueLaser => RAY_DIRECTIONS,
            Facing::Neither => 1,
            Facing::Left | Facing::Right => 2,
        }
    }

    /// Columns of the sheet.
    pub fn columns(self) -> u8 {
        self.animations() * self.directions()
    }

    /// Rows for one picture of the animation: one for each owner.
    pub const fn rows_per_picture(self) -> u8 {
        match (self.0, self.0.class()) {
            (Kind::Force, _) => FORCE_ROWS,
            (_, Class::Player | Class::Gear | Class::PlayerShot) => SEATS as u8,
            (_, Class::Enemy | Class::Boss | Class::EnemyShot) => 1,
            (_, Class::Item | Class::Block | Class::Wall | Class::Effect) => 1,
        }
    }

    /// Pictures of an animation.
    pub const fn pictures(self) -> u8 {
        match self.0 {
            Kind::Missile | Kind::Wall => 1,
            Kind::YellowLaser | Kind::SpeedUp => 3,
            Kind::RedLaser | Kind::RedCrystal | Kind::BlueCrystal | Kind::YellowCrystal => 4,
            Kind::Drone | Kind::Walker | Kind::Seeker | Kind::Shard | Kind::Warden | Kind::SalvagerClaw => 4,
            Kind::Debris | Kind::Explosion => 8,
            Kind::BigExplosion => 12,
            Kind::Player | Kind::Force | Kind::Bit | Kind::Shot | Kind::Beam | Kind::BlueLaser => 2,
            Kind::MissilePack | Kind::BitPack => 2,
            Kind::Dart | Kind::Clinger | Kind::Turret | Kind::Chaser | Kind::Splitter | Kind::Hive | Kind::Larva => 2,
            Kind::Carrier | Kind::Gunship | Kind::Mine | Kind::Bomber | Kind::Sentry | Kind::Spore | Kind::Leech => 2,
            Kind::Polyp | Kind::Mite | Kind::Lancer | Kind::Hatch | Kind::Rover | Kind::Grinder => 2,
            Kind::Salvager | Kind::SalvagerEye | Kind::Keeper | Kind::KeeperGun | Kind::KeeperCore => 2,
            Kind::Brood | Kind::BroodSac | Kind::BroodMaw => 2,
            Kind::Matriarch | Kind::MatriarchArm | Kind::MatriarchEye => 2,
            Kind::Gatehouse | Kind::GatehouseGun | Kind::GatehouseLock => 2,
            Kind::Heart | Kind::HeartCoil | Kind::HeartCore => 2,
            Kind::Pellet | Kind::Bomb | Kind::Lance | Kind::Block => 2,
        }
    }

    /// Rows of the sheet.
    pub const fn rows(self) -> u8 {
        self.rows_per_picture() * self.pictures()
    }

    /// How its pictures follow each other.
    pub fn timing(self) -> Timing {
        match (self.0, self.0.class()) {
            (Kind::Player, _) => Timing::WhileInvulnerable(4),
            (Kind::Force, _) => Timing::InStep(5),
            (Kind::Beam | Kind::BlueLaser, _) => Timing::InStep(3),
            (Kind::Missile | Kind::Wall, _) => Timing::Still,
            (hull, _) if tuning::boss(hull).is_some() => Timing::InStep(24),
            (kind, _) if tuning::is_weak_point(kind) => Timing::InStep(12),
            (_, Class::Player | Class::Gear | Class::PlayerShot) => Timing::Cycle(3),
            (_, Class::EnemyShot) => Timing::Cycle(6),
            (_, Class::Enemy | Class::Boss | Class::Wall) => Timing::Cycle(7),
            (_, Class::Item) => Timing::Cycle(9),
            (_, Class::Block) => Timing::ById,
            (kind, Class::Effect) => {
                Timing::Once(u32::from(tuning::explosion_life(kind)) / STEPS_PER_TICK.unsigned_abs())
            }
        }
    }

    /// Which way it is drawn.
    pub const fn facing(self) -> Facing {
        match self.0 {
            Kind::Shot | Kind::BlueLaser => Facing::Right,
            // It comes from behind.
            Kind::Chaser => Facing::Right,
            Kind::Dart | Kind::Larva | Kind::Lance => Facing::Left,
            _ => Facing::Neither,
        }
    }

    /// Width and height of a cell in pixels of the field: the size of the kind, or more if it is drawn at an angle. Beams
    /// grow, and the columns of a beam do not overlap, because each is wider than those before it.
    pub fn cell_px(self, animation: u8) -> (u16, u16) {
        let (width, height) = match (self.0, tuning::BEAMS.get(usize::from(animation))) {
            (Kind::Beam, Some(beam)) => beam.size_px,
            (Kind::Missile, _) => (11, 11),
            (Kind::BlueLaser, _) => (14, 12),
            (kind, _) => kind.size_px(),
        };
        (width as u16, height as u16)
    }

    /// What is at a column and a row. Foreign servers have other sheets: what is beyond ours is something on it.
    pub fn cell(self, column: u8, row: u8) -> Cell {
        let (animation, direction) = match self.directions() {
            1 => (column, 0),
            directions => (column % self.animations(), column / self.animations() % directions),
        };
        let seats = SEATS as u8;
        let dock = match row / seats % 3 {
            1 if self.0 == Kind::Force => Some(Side::Front),
            2 if self.0 == Kind::Force => Some(Side::Back),
            _ => None,
        };
        let seat = if self.rows_per_picture() == 1 { 0 } else { row % seats };
        Cell { animation, direction, seat, dock, picture: row / self.rows_per_picture() }
    }

    /// What an entity shows at a tick, `age` ticks after it came.
    pub fn cell_of(self, entity: &Entity, tick: u32, age: u32) -> Cell {
        Cell {
            animation: entity.animation,
            direction: self.direction(entity),
            seat: entity.seat.map_or(0, Seat::number),
            dock: entity.attached.map(|attached| attached.side).filter(|_| self.0 == Kind::Force),
            picture: self.picture(entity, tick, age),
        }
    }

    fn direction(self, entity: &Entity) -> u8 {
        let is_turned = u8::from(self.facing().is_mirrored(entity.velocity.x));
        match entity.velocity.y.signum() {
            _ if self.0 != Kind::BlueLaser => is_turned,
            slope => slope.rem_euclid(3) as u8 + 3 * is_turned,
        }
    }

    /// Which picture of its animation an entity shows.
    pub fn picture(self, entity: &Entity, tick: u32, age: u32) -> u8 {
        let pictures = u32::from(self.pictures());
        let number = match self.timing() {
            Timing::Still => 0,
            Timing::Cycle(ticks) => tick.wrapping_add(entity.id.0.wrapping_mul(5)) / ticks,
            Timing::InStep(ticks) => tick / ticks,
            Timing::WhileInvulnerable(ticks) if (3..6).contains(&entity.animation) => tick / ticks,
            Timing::WhileInvulnerable(_) => 0,
            Timing::Once(life) => (age.min(life) * pictures / life).min(pictures - 1),
            Timing::ById => entity.id.0,
        };
        (number % pictures) as u8
    }
}

impl Cell {
    /// Its column on the sheet of a kind.
    pub fn column(self, sheet: Sheet) -> u8 {
        match self.direction {
            0 => self.animation,
            direction => self.animation % sheet.animations() + sheet.animations() * direction,
        }
    }

    /// Its row on the sheet of a kind.
    pub fn row(self, sheet: Sheet) -> u8 {
        let dock = match self.dock {
            None => 0,
            Some(Side::Front) => 1,
            Some(Side::Back) => 2,
        };
        self.picture * sheet.rows_per_picture() + (dock * SEATS as u8 + self.seat) % sheet.rows_per_picture()
    }
}

impl Facing {
    /// Whether the picture is mirrored for an entity that flies with this horizontal velocity.
    pub const fn is_mirrored(self, velocity_x: i32) -> bool {
        match self {
            Facing::Left => velocity_x > 0,
            Facing::Right => velocity_x < 0,
            Facing::Neither => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use game::{EntityId, Vec2};

    use super::*;

    fn entity(kind: Kind) -> Entity {
        Entity::new(EntityId(9), kind, Vec2::ZERO)
    }

    #[test]
    fn every_cell_of_every_sheet_leads_back_to_its_column_and_row() {
        for sheet in Kind::ALL.iter().map(|&kind| Sheet(kind)) {
            for (column, row) in (0..sheet.columns()).flat_map(|column| (0..sheet.rows()).map(move |row| (column, row)))
            {
                let cell = sheet.cell(column, row);
                assert_eq!((cell.column(sheet), cell.row(sheet)), (column, row), "{sheet:?}: {cell:?}");
            }
        }
    }

    #[test]
    fn what_an_entity_shows_is_on_its_sheet_at_every_tick() {
        for sheet in Kind::ALL.iter().map(|&kind| Sheet(kind)) {
            for tick in 0..200 {
                let velocity = Vec2::new([-5, 0, 5][tick % 3], [-5, 0, 5][tick / 3 % 3]);
                let animation = tick as u8 % sheet.animations();
                let shown = Entity { velocity, animation, seat: Some(Seat::ALL[3]), ..entity(sheet.0) };
                let cell = sheet.cell_of(&shown, tick as u32, tick as u32);
                assert!(cell.column(sheet) < sheet.columns() && cell.row(sheet) < sheet.rows(), "{sheet:?}: {cell:?}");
            }
        }
    }

    #[test]
    fn pictures_follow_each_other_and_an_explosion_ends_with_the_last() {
        let pictures = |kind, ticks: u32| -> Vec<u8> {
            (0..ticks).map(|tick| Sheet(kind).picture(&entity(kind), tick, tick)).collect()
        };
        assert_eq!(pictures(Kind::Salvager, 49)[23..=24], [0, 1]);
        assert_eq!(pictures(Kind::Salvager, 49)[48], 0);
        let mut burst = pictures(Kind::Explosion, 60);
        burst.dedup();
        assert_eq!(burst, [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn a_ship_blinks_only_while_nothing_can_hurt_it() {
        let rows = |animation| {
            let ship = Entity { animation, ..entity(Kind::Player) };
            let sheet = Sheet(Kind::Player);
            (0..16).map(move |tick| sheet.cell_of(&ship, tick, 0).row(sheet)).max()
        };
        assert_eq!((rows(1), rows(4)), (Some(0), Some(4)));
    }

    #[test]
    fn a_blue_laser_has_a_column_for_each_way_that_it_flies() {
        let sheet = Sheet(Kind::BlueLaser);
        let column = |x, y| {
            let ray = Entity { velocity: Vec2::new(x, y), ..entity(Kind::BlueLaser) };
            sheet.cell_of(&ray, 0, 0).column(sheet)
        };
        assert_eq!(
            [(9, 0), (9, 9), (9, -9), (-9, 0), (-9, 9), (-9, -9)].map(|(x, y)| column(x, y)),
            [0, 1, 2, 3, 4, 5]
        );
    }
}
