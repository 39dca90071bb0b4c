//! A pilot: our own client with a bot at the stick, for cases about things that only come in the course of a game, such as the
//! Force. It keeps its thumb off the Force button: that is the case's. Start reading at [`Pilot::play`].

use std::{iter, time::Duration};

use bot::{Bot, Ground};
use game::{Buttons, Entity, EntityId, Frame, Input, Kind, units::SUBPIXELS};
use protocol::{Channel, ClientSession, Dialect, Output, Plan, Status, StreamUse};

use super::{
    case::{Outcome, PASSED, Stop, ensure},
    trial::Trial,
    trial_network::Line,
};

const TICK: Duration = Duration::from_micros(16_667);
/// How long a bot may take to win the Force, before another tries.
const FORCE_WAIT: Duration = Duration::from_secs(150);
/// The bots that try.
const SEEDS: [u64; 4] = [3, 4, 7, 11];
const LEAVING: Duration = Duration::from_millis(300);
/// How often the Force is launched before it is told that it cannot be: the ship may be lost, or stand at the edge.
const LAUNCHES: usize = 3;
/// A Force that is not farther from its ship is docked.
const DOCKED_PX: i32 = 32;
/// A Force that is farther from its ship is away.
const AWAY_PX: i32 = 56;
/// Ticks after which a Force that was near does not just fly by.
const DOCKED_TICKS: u32 = 20;

/// Our own client with a bot at the stick.
pub struct Pilot {
    session: Box<dyn ClientSession>,
    bot: Bot,
    frame: Frame,
    dialect: Dialect,
    stream: Option<Line>,
    line: Option<Line>,
    /// Whether the Force button is down.
    force_button: bool,
    /// Whether the ship stands still: one that flies may run into its Force.
    is_idle: bool,
}

impl Pilot {
    /// Joins.
    pub fn start(t: &mut Trial, dialect: Dialect) -> Result<Pilot, Stop> {
        Pilot::with_seed(t, dialect, SEEDS[0])
    }

    fn with_seed(t: &mut Trial, dialect: Dialect, seed: u64) -> Result<Pilot, Stop> {
        let stream = match dialect.entry().stream {
            StreamUse::None => None,
            _ => Some(t.connect().map_err(Stop::in_the_way)?),
        };
        let session = dialect.connect(Plan { name: "Ann".into(), ..Plan::at(t.now()) });
        let (bot, frame) = (Bot::new(seed), Frame::default());
        Ok(Pilot { session, bot, frame, dialect, stream, line: None, force_button: false, is_idle: false })
    }

    /// Joins, and plays until the Force is docked. The bot with that seed begins; one that has no luck makes room for another.
    pub fn with_force(t: &mut Trial, dialect: Dialect, first: u64) -> Result<Pilot, Stop> {
        let others = SEEDS.into_iter().filter(|seed| *seed != first);
        for seed in iter::once(first).chain(others) {
            let mut pilot = Pilot::with_seed(t, dialect, seed)?;
            let patience = t.patience() * 3;
            let ship = pilot.play(t, patience, |pilot, _| pilot.ship().map(|_| ()))?;
            ship.ok_or_else(|| Stop::Blocked("our own client has no ship to play with".into()))?;
            if pilot.await_force(t, FORCE_WAIT)? {
                return Ok(pilot);
            }
            pilot.session.leave(t.now());
            pilot.play(t, LEAVING, |_, _| None::<()>).ok();
        }
        Err(Stop::Skipped("our bots did not win the Force".into()))
    }

    /// Plays until something is seen in what the server says, for at most this long.
    pub fn play<T>(
        &mut self,
        t: &mut Trial,
        limit: Duration,
        mut look: impl FnMut(&Pilot, &[u8]) -> Option<T>,
    ) -> Result<Option<T>, Stop> {
        let until = t.now() + limit;
        while t.now() < until {
            if matches!(self.session.status(), Status::Ended(_)) {
                return Err(Stop::Blocked("the session of our own client ended".into()));
            }
            self.act(t)?;
            if let Some(found) = self.listen(t, &mut look) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// One tick of the bot, and what the client has to say.
    fn act(&mut self, t: &mut Trial) -> Result<(), Stop> {
        let now = t.now();
        self.session.advance(now);
        let ground = Ground::of_terrain(self.session.terrain());
        let chosen = self.session.seat().map_or(Input::IDLE, |seat| self.bot.decide(&self.frame, seat, ground));
        let held = if self.is_idle { Buttons::NONE } else { chosen.held };
        self.session.press(now, Input::holding(held.with(Buttons::FORCE, self.force_button)));
        let mut buffer = Vec::new();
        while let Some(output) = self.session.poll(now, &mut buffer) {
            match (output, self.stream) {
                (Output::Datagram, _) => {
                    let line = self.datagram_line(t)?;
                    t.send(line, &buffer);
                }
                (Output::Stream, Some(stream)) => t.send(stream, &buffer),
                (Output::CloseStream, Some(stream)) => t.close(stream),
                (Output::DatagramsTo(port), _) => self.line = Some(t.open_to(port)?),
                (Output::Stream | Output::CloseStream, None) => {}
            }
        }
        Ok(())
    }

    fn datagram_line(&mut self, t: &mut Trial) -> Result<Line, Stop> {
        let line = match (self.line, self.stream, self.dialect.entry().stream) {
            (Some(line), ..) => line,
            (None, Some(stream), StreamUse::OpensSession) => t.open_beside(stream)?,
            (None, ..) => t.open()?,
        };
        self.line = Some(line);
        Ok(line)
    }

    /// Hears what comes within a tick.
    fn listen<T>(&mut self, t: &mut Trial, look: &mut impl FnMut(&Pilot, &[u8]) -> Option<T>) -> Option<T> {
        let until = t.now() + TICK;
        if let Some(stream) = self.stream {
            let wait = if self.line.is_some() { Duration::ZERO } else { TICK };
            while let Some(piece) = t.next(stream, wait) {
                // What our own client cannot read is another case's affair.
                let _ = self.session.receive(t.now(), Channel::Stream, &piece);
                if piece.is_empty() {
                    break;
                }
            }
        }
        let line = self.line?;
        let mut found = None;
        while let Some(bytes) = t.next(line, until.since(t.now())) {
            let _ = self.session.receive(t.now(), Channel::Datagram, &bytes);
            self.session.take_frame(&mut self.frame);
            found = found.or_else(|| look(self, &bytes));
        }
        found
    }

    fn ship(&self) -> Option<&Entity> {
        self.frame.ship(self.session.seat()?)
    }

    /// Pixels between its ship and that ship's Force, while there are both.
    pub fn force_gap_px(&self) -> Option<i32> {
        self.force().map(|(gap, _)| gap)
    }

    /// The Force that is nearest to its ship: how far away it is in pixels, and which one it is.
    fn force(&self) -> Option<(i32, EntityId)> {
        let ship = self.ship()?;
        let forces = self.frame.entities.iter().filter(|entity| entity.kind == Kind::Force);
        let gaps = forces.map(|force| {
            let gap = force.position - ship.position;
            (gap.x.abs().max(gap.y.abs()) / SUBPIXELS, force.id)
        });
        gaps.min()
    }

    /// Plays until the Force is docked, for at most this long; whether it is.
    fn await_force(&mut self, t: &mut Trial, limit: Duration) -> Result<bool, Stop> {
        let mut near = 0;
        let won = self.play(t, limit, |pilot, _| {
            near = if pilot.force_is_docked() { near + 1 } else { 0 };
            (near >= DOCKED_TICKS).then_some(())
        })?;
        Ok(won.is_some())
    }

    /// Presses and releases the Force button.
    fn press_force<T>(
        &mut self,
        t: &mut Trial,
        mut look: impl FnMut(&Pilot, &[u8]) -> Option<T>,
    ) -> Result<Option<T>, Stop> {
        self.force_button = true;
        let found = self.play(t, TICK * 6, &mut look)?;
        self.force_button = false;
        // The Force takes some seconds to come back.
        let patience = t.patience() * 3;
        let found = match found {
            Some(found) => Some(found),
            None => self.play(t, patience, look)?,
        };
        Ok(found)
    }

    /// Launches the Force; whether it flies. What the server says meanwhile is looked at.
    pub fn launch(&mut self, t: &mut Trial, mut look: impl FnMut(&[u8])) -> Result<bool, Stop> {
        let mut has_stayed = false;
        for _ in 0..LAUNCHES {
            let docked = self.force().map(|(_, force)| force);
            let away = self.press_force(t, |pilot, bytes| {
                look(bytes);
                // Another Force that arrives at the next ship is away too, and was not launched.
                let is_it = pilot.force().map(|(_, force)| force) == docked;
                (is_it && pilot.force_is_away()).then_some(())
            })?;
            if away.is_some() {
                return Ok(true);
            }
            has_stayed |= docked.is_some() && self.force().map(|(_, force)| force) == docked;
            if !self.await_force(t, FORCE_WAIT)? {
                break;
            }
        }
        // Once it stayed at a ship that lived on, that is enough.
        if has_stayed { Ok(false) } else { Err(Stop::Skipped("the ship was lost, and the Force with it".into())) }
    }

    /// Calls the Force back that was launched; whether it comes. What the server says meanwhile is looked at.
    pub fn call_back(&mut self, t: &mut Trial, mut look: impl FnMut(&[u8])) -> Result<bool, Stop> {
        for _ in 0..LAUNCHES {
            self.is_idle = true;
            let back = self.press_force(t, |pilot, bytes| {
                look(bytes);
                (pilot.force_is_docked() || pilot.force_gap_px().is_none()).then_some(())
            })?;
            self.is_idle = false;
            if self.force_gap_px().is_some() {
                return Ok(back.is_some());
            }
            // The ship was lost, and the Force with it.
            if !self.await_force(t, FORCE_WAIT)? || !self.launch(t, |_| {})? {
                break;
            }
        }
        Err(Stop::Skipped("the ship was lost, and the Force with it".into()))
    }

    /// Whether the Force is at its ship.
    pub fn force_is_docked(&self) -> bool {
        self.force_gap_px().is_some_and(|gap| gap <= DOCKED_PX)
    }

    /// Whether the Force is away from its ship.
    pub fn force_is_away(&self) -> bool {
        self.force_gap_px().is_some_and(|gap| gap > AWAY_PX)
    }
}

/// Expects that the Force button launches the Force.
pub fn launches_force(t: &mut Trial, dialect: Dialect) -> Outcome {
    let mut pilot = Pilot::with_force(t, dialect, SEEDS[0])?;
    let flies = pilot.launch(t, |_| {})?;
    ensure(flies, || "the Force was docked, its button was pressed, and it stayed at the ship".into())?;
    PASSED
}
