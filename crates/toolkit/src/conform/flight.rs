//! How far a ship flies, for cases about keys. A ship may be lost at any moment; its player gets another one after a while.

use std::time::Duration;

use super::{case::Stop, trial::Trial};

/// A ship that has flown less far stood still.
const FLOWN_MIN: f32 = 1.0;
/// How often a flight is measured before it is told that it cannot be.
const FLIGHTS: usize = 4;

/// Pixels, or whatever a dialect counts in: right, and down.
pub type Position = (f32, f32);

/// A direction that a ship can be told to fly in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlightDirection {
    Right,
    Left,
    Down,
    Up,
}

impl FlightDirection {
    pub fn name(self) -> &'static str {
        match self {
            FlightDirection::Right => "right",
            FlightDirection::Left => "left",
            FlightDirection::Down => "down",
            FlightDirection::Up => "up",
        }
    }

    /// Whether a ship that has flown this far flew in this direction.
    pub fn is_flown(self, (x, y): Position) -> bool {
        match self {
            FlightDirection::Right => x > FLOWN_MIN,
            FlightDirection::Left => x < -FLOWN_MIN,
            FlightDirection::Down => y > FLOWN_MIN,
            FlightDirection::Up => y < -FLOWN_MIN,
        }
    }
}

/// A player whose own ship can be watched.
pub trait Flight {
    /// Where the test client's ship is. Stops the case if there is none.
    fn place(&self) -> Result<Position, Stop>;

    /// Goes through what the server says until `is_enough`, for at most this long.
    fn watch(&mut self, t: &mut Trial, limit: Duration, is_enough: fn(&Self) -> bool);

    /// How far the test client's ship flies in a while. If it is lost meanwhile, the next one is measured.
    fn flown(&mut self, t: &mut Trial, time: Duration) -> Result<Position, Stop> {
        for _ in 1..FLIGHTS {
            if let Ok(way) = self.fly_once(t, time) {
                return Ok(way);
            }
        }
        self.fly_once(t, time)
    }

    /// How far one ship flies in a while.
    fn fly_once(&mut self, t: &mut Trial, time: Duration) -> Result<Position, Stop> {
        if self.place().is_err() {
            let patience = t.patience() * 2;
            self.watch(t, patience, |player| player.place().is_ok());
        }
        let (x, y) = self.place()?;
        self.watch(t, time, |_| false);
        let (later_x, later_y) = self.place()?;
        Ok((later_x - x, later_y - y))
    }
}
