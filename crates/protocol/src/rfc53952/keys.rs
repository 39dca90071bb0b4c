//! Turns what a player holds and presses into ClientEvents, so that it survives loss, repeats and reordering.
//!
//! A server carries out the events of its newest second in the order in which they come (F6), groups are repeated whole (F4),
//! and a count of validations can be wrong: `left`, `-left` may arrive as `-left`, `left`, or not at all though it counts as
//! delivered. So what changed in one second is said once more in the next, each key once. It is said again in each second after
//! that, until such a group is delivered over a network without trouble. It means the same in any order, however often it
//! comes.

use game::{Buttons, Input};

use super::description::{ClientEvent, Direction};
use super::reliability::UnvalidatedPackets;
use super::wire::{Packet, PacketType};
use crate::Time;

/// Seconds for which events keep an old timestamp, for a Force or a start that is not validated yet: a newer timestamp on
/// another event would make the server ignore it, and a newer one on the event itself could make it count twice.
const STICK_MAX_S: u64 = 1;
/// Presses of the Force that wait for another second, since one a second counts (F6).
const FORCES_WAITING_MAX: u8 = 2;
/// Buttons that are held, with the events that say so.
const HELD: [(Buttons, ClientEvent<'static>, ClientEvent<'static>); 5] = [
    (Buttons::LEFT, ClientEvent::Start(Direction::Left), ClientEvent::Stop(Direction::Left)),
    (Buttons::RIGHT, ClientEvent::Start(Direction::Right), ClientEvent::Stop(Direction::Right)),
    (Buttons::UP, ClientEvent::Start(Direction::Up), ClientEvent::Stop(Direction::Up)),
    (Buttons::DOWN, ClientEvent::Start(Direction::Down), ClientEvent::Stop(Direction::Down)),
    (Buttons::FIRE, ClientEvent::Press, ClientEvent::Release),
];

/// What the server was told of the player's keys.
#[derive(Debug, Default)]
pub struct ClientKeys {
    /// What it was last told to be held.
    said: Buttons,
    /// The Force button, as the player holds it: it has no release on the wire.
    force: Buttons,
    second: Second,
    forces_waiting: u8,
    forced_at: Option<u64>,
    start_waits: bool,
}

/// The events of one timestamp.
#[derive(Clone, Copy, Debug, Default)]
struct Second {
    timestamp: u64,
    /// Keys that it named.
    named: Buttons,
    /// It changed a key, rather than only say one again.
    has_news: bool,
    has_shot: bool,
    /// It has a Force or a start.
    is_sticky: bool,
}

/// Where what the player does leaves from, in this tick.
struct OutgoingEvents<'u> {
    now: Time,
    unvalidated: &'u mut UnvalidatedPackets,
}

impl ClientKeys {
    /// The game is to be started.
    pub fn start(&mut self) {
        self.start_waits = true;
    }

    /// Says what changed. To be called once a tick.
    pub fn press(&mut self, now: Time, input: Input, unvalidated: &mut UnvalidatedPackets) {
        let events = &mut OutgoingEvents { now, unvalidated };
        let (held, pressed) = (fire_for_charge(input.held), fire_for_charge(input.pressed));
        self.turn_to_this_second(events, held);
        for (button, down, up) in HELD {
            self.press_held(events, button, [held.contains(button), pressed.contains(button)], [down, up]);
        }
        self.press_force(events, held, pressed);
        if std::mem::take(&mut self.start_waits) {
            self.second.is_sticky = true;
            self.say(events, ClientEvent::StartGame);
        }
    }

    fn press_held(
        &mut self,
        events: &mut OutgoingEvents,
        button: Buttons,
        [is_held, is_pressed]: [bool; 2],
        [down, up]: [ClientEvent<'static>; 2],
    ) {
        let was_held = self.said.contains(button);
        // Let go and pressed again within the tick.
        if was_held && (!is_held || is_pressed) {
            self.say_key(events, button, up);
        }
        let is_tap = is_pressed && !is_held;
        if is_tap && button == Buttons::FIRE {
            self.second.has_shot = true;
            self.say(events, ClientEvent::Shot);
        } else if is_tap {
            self.say_key(events, button, down);
            self.say_key(events, button, up);
        } else if is_held && (!was_held || is_pressed) {
            self.say_key(events, button, down);
        }
        self.said = self.said.with(button, is_held);
    }

    fn press_force(&mut self, events: &mut OutgoingEvents, held: Buttons, pressed: Buttons) {
        let is_held = held.contains(Buttons::FORCE);
        let is_new = is_held && !self.force.contains(Buttons::FORCE);
        self.force = self.force.with(Buttons::FORCE, is_held);
        if is_new || pressed.contains(Buttons::FORCE) {
            self.forces_waiting = (self.forces_waiting + 1).min(FORCES_WAITING_MAX);
        }
        if self.forces_waiting > 0 && self.forced_at != Some(self.second.timestamp) {
            self.forces_waiting -= 1;
            self.forced_at = Some(self.second.timestamp);
            self.second.is_sticky = true;
            self.say(events, ClientEvent::Force);
        }
    }

    /// Goes on to the clock's timestamp, and says again in it what the last one may have left wrong.
    fn turn_to_this_second(&mut self, events: &mut OutgoingEvents, held: Buttons) {
        let (before, now) = (self.second, events.now);
        let late = now.seconds().saturating_sub(before.timestamp);
        let is_delivered = events.unvalidated.is_delivered(PacketType::ClientEvents, before.timestamp);
        if late == 0 || before.is_sticky && !is_delivered && late <= STICK_MAX_S {
            return;
        }
        self.second = Second { timestamp: now.seconds(), ..Second::default() };
        if is_delivered && !before.has_news && !events.unvalidated.is_troubled(now) {
            return;
        }
        for (button, down, up) in HELD {
            let is_held = self.said.contains(button);
            // What changes in this tick is said anyway.
            if before.named.contains(button) && held.contains(button) == is_held {
                self.second.named = self.second.named | button;
                self.say(events, if is_held { down } else { up });
            }
        }
        // The new second makes the server ignore the old one: better two shots than none (C10).
        if before.has_shot && !is_delivered {
            self.say(events, ClientEvent::Shot);
        }
    }

    fn say_key(&mut self, events: &mut OutgoingEvents, button: Buttons, event: ClientEvent) {
        self.second.has_news = true;
        self.second.named = self.second.named | button;
        self.say(events, event);
    }

    fn say(&mut self, events: &mut OutgoingEvents, event: ClientEvent) {
        let Some(data) = event.packet() else { return };
        let timestamp = self.second.timestamp;
        let write = |out: &mut Vec<u8>| Packet { timestamp, data }.write(out);
        events.unvalidated.push(events.now, PacketType::ClientEvents, timestamp, write);
    }
}

/// The dialect has one fire button.
fn fire_for_charge(buttons: Buttons) -> Buttons {
    buttons.with(Buttons::FIRE, buttons.intersects(Buttons::FIRE | Buttons::CHARGE))
}
