//! Interpolation: what cannot be predicted is shown a little in the past, between two Frames that have arrived. The more
//! unevenly Frames arrive, the further in the past.

use std::collections::VecDeque;

use game::{Entity, Frame, Vec2, px, units::TICKS_PER_SECOND};
use protocol::{Pace, Time};

/// How many Frames are kept: a second of them.
const FRAMES: usize = 60;
/// A tick in milliseconds.
const TICK_MS: f64 = 1000.0 / TICKS_PER_SECOND as f64;
/// The shortest and the longest delay.
const DELAY_MS: (f64, f64) = (TICK_MS * 1.5, 250.0);
/// The weight of each new measurement.
const LEARN: f64 = 1.0 / 32.0;
/// The shown time moves towards the wanted delay at no more than this share of the time that passes.
const SLEW: f64 = 0.05;
/// An entity that is this far away in the next Frame did not fly there.
const JUMP: i32 = px(64);
/// After the newest Frame, entities fly on for this long and then stop.
const ONWARD_MAX_MS: f64 = 120.0;

/// The latest Frames, and the time that is shown.
#[derive(Debug, Default)]
pub struct Interpolation {
    pace: Pace,
    /// The server's time of each Frame, in milliseconds, and the Frame.
    frames: VecDeque<(f64, Frame)>,
    /// The client's clock minus the server's, for the Frame that arrived fastest.
    lead_ms: Option<f64>,
    /// How much later than that Frames arrive, on average.
    jitter_ms: f64,
    /// The server's time that is shown, and when it was.
    shown_ms: Option<(Time, f64)>,
}

impl Interpolation {
    /// Time passes at this pace from now on: what was measured between the server's clock and ours is void.
    pub fn set_pace(&mut self, pace: Pace) {
        self.pace = pace;
        (self.lead_ms, self.jitter_ms, self.shown_ms) = (None, 0.0, None);
        // Their times were computed with the old pace.
        let newest = self.frames.pop_back();
        self.frames.clear();
        self.frames.extend(newest.map(|(_, frame)| (self.tick_ms() * f64::from(frame.tick.0), frame)));
    }

    /// A Frame arrived.
    pub fn push(&mut self, now: Time, frame: &Frame) {
        let at = self.server_ms(now, frame);
        if self.frames.back().is_some_and(|(newest, _)| at <= *newest) {
            return;
        }
        if self.pace == Pace::Paused {
            self.frames.clear();
        }
        let lead = millis(now) - at;
        let fastest = self.lead_ms.map_or(lead, |fastest| fastest.min(lead));
        // The network may have become slower: the fastest Frame is forgotten little by little.
        self.lead_ms = Some(fastest + (lead - fastest) * LEARN / 8.0);
        self.jitter_ms += (lead - fastest - self.jitter_ms) * LEARN;
        if self.frames.len() == FRAMES {
            self.frames.pop_front();
        }
        self.frames.push_back((at, frame.clone()));
    }

    /// How far in the past entities are shown.
    pub fn delay_ms(&self) -> f64 {
        (TICK_MS + self.jitter_ms * 2.0).clamp(DELAY_MS.0, DELAY_MS.1)
    }

    /// Fills in the game as it was a delay ago. False if no Frame has arrived yet.
    pub fn show(&mut self, now: Time, frame: &mut Frame) -> bool {
        if self.pace == Pace::Paused || self.lead_ms.is_none() {
            return self.show_newest(frame);
        }
        let Some(at) = self.pass(now) else { return false };
        let later = self.frames.partition_point(|(time, _)| *time <= at);
        let Some((time, base)) = self.frames.get(later.saturating_sub(1)) else { return false };
        frame.clone_from(base);
        frame.events.clear();
        match self.frames.get(later) {
            Some((next_time, next)) if later > 0 => blend(frame, next, (at - time) / (next_time - time)),
            Some(_) => {}
            None => fly_on(frame, (at - time).min(ONWARD_MAX_MS) / self.tick_ms()),
        }
        true
    }

    fn show_newest(&self, frame: &mut Frame) -> bool {
        let Some((_, newest)) = self.frames.back() else { return false };
        frame.clone_from(newest);
        frame.events.clear();
        true
    }

    /// Advances the shown time, gently towards the wanted delay.
    fn pass(&mut self, now: Time) -> Option<f64> {
        let wanted = millis(now) - self.lead_ms? - self.delay_ms();
        let at = match self.shown_ms {
            Some((before, at)) if (wanted - at).abs() < 1000.0 => {
                let passed = now.since(before).as_secs_f64() * 1000.0;
                let slew = passed * SLEW;
                at + passed + (wanted - at - passed).clamp(-slew, slew)
            }
            _ => wanted,
        };
        self.shown_ms = Some((now, at));
        Some(at)
    }

    /// The server's time of a Frame. If the dialect does not number ticks, it is the time of arrival.
    fn server_ms(&self, now: Time, frame: &Frame) -> f64 {
        if frame.tick.0 > 0 { f64::from(frame.tick.0) * self.tick_ms() } else { millis(now) }
    }

    /// A tick of the server, in milliseconds.
    fn tick_ms(&self) -> f64 {
        match self.pace {
            Pace::Full | Pace::Paused => TICK_MS,
            Pace::Slow => 1000.0 / f64::from(Pace::Slow.ticks_per_second()),
        }
    }
}

fn millis(time: Time) -> f64 {
    time.micros() as f64 / 1000.0
}

/// Moves the entities that are in both Frames to a point between the two.
fn blend(frame: &mut Frame, next: &Frame, share: f64) {
    for entity in &mut frame.entities {
        let Some(then) = next.entity(entity.id) else { continue };
        let way = distance(entity, then);
        if way.x.saturating_abs().max(way.y.saturating_abs()) < JUMP {
            entity.position += scaled(way, share);
        }
    }
    let scrolled = f64::from(next.scroll_px.saturating_sub(frame.scroll_px)) * share;
    frame.scroll_px = frame.scroll_px.saturating_add(scrolled as u32);
}

/// Moves all entities on by some ticks.
fn fly_on(frame: &mut Frame, ticks: f64) {
    for entity in &mut frame.entities {
        let (x, y) = (entity.velocity.x.clamp(-JUMP, JUMP), entity.velocity.y.clamp(-JUMP, JUMP));
        let way = scaled(Vec2::new(x, y), ticks);
        entity.position = Vec2::new(entity.position.x.saturating_add(way.x), entity.position.y.saturating_add(way.y));
    }
}

/// A server may send any position: the difference must not overflow.
fn distance(from: &Entity, to: &Entity) -> Vec2 {
    Vec2::new(to.position.x.saturating_sub(from.position.x), to.position.y.saturating_sub(from.position.y))
}

fn scaled(way: Vec2, share: f64) -> Vec2 {
    let scale = |part: i32| (f64::from(part) * share) as i32;
    Vec2::new(scale(way.x), scale(way.y))
}

#[cfg(test)]
mod tests {
    use game::{EntityId, Kind, SUBPIXELS, Tick};

    use super::*;

    fn frame(tick: u32, x_px: i32) -> Frame {
        let mut ship = Entity::new(EntityId(1), Kind::Player, Vec2::new(px(x_px), 0));
        ship.velocity.x = px(2);
        Frame { tick: Tick(tick), entities: vec![ship], ..Frame::default() }
    }

    fn at(ms: f64) -> Time {
        Time::from_micros(5_000_000 + (ms * 1000.0) as u64)
    }

    /// Where a ship that flies 2 pixels a tick is shown at every tick, if each Frame is late by `late_ms`.
    fn watch(late_ms: impl Fn(u32) -> f64) -> Vec<i32> {
        let mut interpolation = Interpolation::default();
        let mut arrivals: Vec<(f64, u32)> =
            (1..600).map(|tick| (f64::from(tick) * TICK_MS + late_ms(tick), tick)).collect();
        arrivals.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut seen, mut next, mut shown) = (Vec::new(), 0, Frame::default());
        for look in 30..600 {
            let now = f64::from(look) * TICK_MS;
            while next < arrivals.len() && arrivals[next].0 <= now {
                let (when, tick) = arrivals[next];
                interpolation.push(at(when), &frame(tick, tick as i32 * 2));
                next += 1;
            }
            if interpolation.show(at(now), &mut shown) {
                seen.push(shown.entities[0].position.x);
            }
        }
        seen
    }

    fn steps(seen: &[i32]) -> (i32, i32) {
        let steps = seen.windows(2).map(|pair| pair[1] - pair[0]);
        (steps.clone().min().unwrap_or(0), steps.max().unwrap_or(0))
    }

    #[test]
    fn a_steady_flight_looks_steady_however_unevenly_frames_arrive() {
        let (least, most) = steps(&watch(|_| 75.0)[20..]);
        assert!(least >= 2 * SUBPIXELS - 8 && most <= 2 * SUBPIXELS + 8, "{least} {most}");
        let uneven = watch(|tick| 65.0 + f64::from(tick * 7919 % 20));
        let (least, most) = steps(&uneven[120..]);
        assert!(least >= SUBPIXELS && most <= 3 * SUBPIXELS, "{least} {most}");
    }

    /// Like [`watch`] over a good network, but at tick 100 the game is paused for a minute, then goes on more slowly.
    #[test]
    fn a_watcher_sees_a_pause_and_then_a_slower_pace() {
        let (mut interpolation, mut shown) = (Interpolation::default(), Frame::default());
        let mut look = |interpolation: &mut Interpolation, ms: f64| {
            assert!(interpolation.show(at(ms), &mut shown));
            shown.entities[0].position.x
        };
        for tick in 1..=100 {
            let ms = f64::from(tick) * TICK_MS;
            interpolation.push(at(ms), &frame(tick, tick as i32 * 2));
            look(&mut interpolation, ms);
        }
        let stopped = 100.0 * TICK_MS;
        interpolation.set_pace(Pace::Paused);
        for ms in [1.0, 500.0, 59_000.0] {
            interpolation.push(at(stopped + ms), &frame(100, 200));
            assert_eq!(look(&mut interpolation, stopped + ms), px(200), "it is paused");
        }
        interpolation.set_pace(Pace::Slow);
        let (slow_ms, mut seen) = (1000.0 / 45.0, Vec::new());
        for tick in 101..=200 {
            let ms = stopped + 60_000.0 + f64::from(tick - 100) * slow_ms;
            interpolation.push(at(ms), &frame(tick, tick as i32 * 2));
            seen.push(look(&mut interpolation, ms));
        }
        let (least, most) = steps(&seen[2..]);
        assert!(least >= 2 * SUBPIXELS - 8 && most <= 2 * SUBPIXELS + 8, "{least} {most}");
        assert!((px(390)..=px(400)).contains(&seen[99]), "{}", seen[99]);
    }

    #[test]
    fn the_more_unevenly_frames_arrive_the_longer_the_delay() {
        let delay = |spread: u32| {
            let mut interpolation = Interpolation::default();
            for tick in 1..400 {
                let late = f64::from(tick * 7919 % spread.max(1));
                interpolation.push(at(f64::from(tick) * TICK_MS + late), &frame(tick, 0));
            }
            interpolation.delay_ms()
        };
        assert!(delay(0) < delay(30) && delay(30) < delay(90), "{} {} {}", delay(0), delay(30), delay(90));
    }
}
