//! Which events the player was already shown: what was predicted is not shown again when the server tells it.

use std::collections::VecDeque;

use game::{EntityId, Event, Frame, Seat, Tick};

/// Events that are remembered.
const REMEMBERED: usize = 256;
/// The same thing may happen to the same entity again after so many ticks.
const AGAIN_AFTER_TICKS: u32 = 60;

/// What was shown lately.
#[derive(Debug, Default)]
pub struct Told {
    lately: VecDeque<(Fact, Tick)>,
}

/// What an event comes down to, however its prediction named the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fact {
    Gone(EntityId),
    Grabbed(EntityId),
    Dropped(EntityId),
    Hit(EntityId),
}

impl Told {
    /// Of what was predicted, what is worth showing at once. Deaths are not: they are for the server to say.
    pub fn predicted(&mut self, events: Vec<Event>, tick: Tick, own: Seat) -> Vec<Event> {
        events.into_iter().filter(|event| self.is_foretold(event, tick, own)).collect()
    }

    /// Of what the server tells, what was not shown yet.
    pub fn confirmed(&mut self, frame: &Frame, own: Option<Seat>, is_predicting: bool) -> Vec<Event> {
        let is_new = |event: &Event| match *event {
            Event::Fired { seat, .. } => !(is_predicting && own == Some(seat)),
            _ => fact(event).is_none_or(|fact| !self.knows(fact, frame.tick)),
        };
        frame.events.iter().copied().filter(is_new).collect()
    }

    fn is_foretold(&mut self, event: &Event, tick: Tick, own: Seat) -> bool {
        if let Event::Fired { seat, .. } = event {
            return *seat == own;
        }
        let Some(fact) = fact(event).filter(|fact| !self.knows(*fact, tick)) else { return false };
        if self.lately.len() == REMEMBERED {
            self.lately.pop_front();
        }
        self.lately.push_back((fact, tick));
        true
    }

    fn knows(&self, fact: Fact, tick: Tick) -> bool {
        let lately = |then: Tick| tick.0.abs_diff(then.0) < AGAIN_AFTER_TICKS;
        self.lately.iter().any(|&(known, then)| known == fact && lately(then))
    }
}

fn fact(event: &Event) -> Option<Fact> {
    match *event {
        Event::Destroyed { entity, .. } => Some(Fact::Gone(entity)),
        Event::Grabbed { object, .. } => Some(Fact::Grabbed(object)),
        Event::Dropped { force, .. } => Some(Fact::Dropped(force)),
        Event::Hit { target, .. } => Some(Fact::Hit(target)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use game::Gone;

    use super::*;

    const ANN: Seat = Seat::ALL[0];

    #[test]
    fn what_was_foretold_is_not_told_again() {
        let mut told = Told::default();
        let gone = Event::Destroyed { entity: EntityId(7), gone: Gone::Destroyed };
        let killed = Event::Killed { seat: ANN, ship: EntityId(1) };
        let fired = Event::Fired { seat: ANN, shot: EntityId(1 << 31) };
        assert_eq!(told.predicted(vec![gone, killed, fired], Tick(50), ANN), [gone, fired]);
        let truly = Event::Fired { seat: ANN, shot: EntityId(9) };
        let frame = Frame { tick: Tick(55), events: vec![gone, killed, truly], ..Frame::default() };
        assert_eq!(told.confirmed(&frame, Some(ANN), true), [killed]);
        assert_eq!(Told::default().confirmed(&frame, Some(ANN), false), [gone, killed, truly]);
    }
}
