//! Which events the player has already seen: a predicted event is not shown again when the server confirms it.

use std::collections::VecDeque;

use game::{EntityId, Event, Frame, Seat, Tick};

/// How many events are remembered.
const REMEMBERED: usize = 256;
/// Ticks until the same thing may happen to the same entity again.
const AGAIN_AFTER_TICKS: u32 = 60;

/// Events that were predicted, and so shown early.
#[derive(Debug, Default)]
pub struct ShownEvents {
    recent: VecDeque<(EventKey, Tick)>,
}

/// What identifies an event: the prediction may have invented the other fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EventKey {
    Gone(EntityId),
    Grabbed(EntityId),
    Dropped(EntityId),
    Hit(EntityId),
}

impl ShownEvents {
    /// The predicted events that are shown at once. Deaths are not among them: only the server decides those.
    pub fn predicted(&mut self, events: Vec<Event>, tick: Tick, own: Seat) -> Vec<Event> {
        events.into_iter().filter(|event| self.is_shown_early(event, tick, own)).collect()
    }

    /// The events of the server that were not shown yet.
    pub fn confirmed(&mut self, frame: &Frame, own: Option<Seat>, is_predicting: bool) -> Vec<Event> {
        let is_new = |event: &Event| match *event {
            Event::Fired { seat, .. } => !(is_predicting && own == Some(seat)),
            _ => event_key(event).is_none_or(|event_key| !self.knows(event_key, frame.tick)),
        };
        frame.events.iter().copied().filter(is_new).collect()
    }

    fn is_shown_early(&mut self, event: &Event, tick: Tick, own: Seat) -> bool {
        if let Event::Fired { seat, .. } = event {
            return *seat == own;
        }
        let Some(event_key) = event_key(event).filter(|event_key| !self.knows(*event_key, tick)) else { return false };
        if self.recent.len() == REMEMBERED {
            self.recent.pop_front();
        }
        self.recent.push_back((event_key, tick));
        true
    }

    fn knows(&self, event_key: EventKey, tick: Tick) -> bool {
        let is_recent = |then: Tick| tick.0.abs_diff(then.0) < AGAIN_AFTER_TICKS;
        self.recent.iter().any(|&(known, then)| known == event_key && is_recent(then))
    }
}

/// The key of an event that can be predicted.
fn event_key(event: &Event) -> Option<EventKey> {
    match *event {
        Event::Destroyed { entity, .. } => Some(EventKey::Gone(entity)),
        Event::Grabbed { object, .. } => Some(EventKey::Grabbed(object)),
        Event::Dropped { force, .. } => Some(EventKey::Dropped(force)),
        Event::Hit { target, .. } => Some(EventKey::Hit(target)),
        Event::Spawned { .. }
        | Event::Fired { .. }
        | Event::Killed { .. }
        | Event::ExtraLife { .. }
        | Event::Joined { .. }
        | Event::Left { .. }
        | Event::TimedOut { .. }
        | Event::StateChanged { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use game::Gone;

    use super::*;

    const ANN: Seat = Seat::ALL[0];

    #[test]
    fn a_predicted_event_is_not_shown_again() {
        let mut shown = ShownEvents::default();
        let gone = Event::Destroyed { entity: EntityId(7), gone: Gone::Destroyed };
        let killed = Event::Killed { seat: ANN, ship: EntityId(1), by: None };
        let fired = Event::Fired { seat: ANN, shot: EntityId(1 << 31) };
        assert_eq!(shown.predicted(vec![gone, killed, fired], Tick(50), ANN), [gone, fired]);
        let truly = Event::Fired { seat: ANN, shot: EntityId(9) };
        let frame = Frame { tick: Tick(55), events: vec![gone, killed, truly], ..Frame::default() };
        assert_eq!(shown.confirmed(&frame, Some(ANN), true), [killed]);
        assert_eq!(ShownEvents::default().confirmed(&frame, Some(ANN), false), [gone, killed, truly]);
    }
}
