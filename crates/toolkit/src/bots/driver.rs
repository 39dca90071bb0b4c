//! All bots of a run, driven by one thread.
//!
//! A tick has [`SLOTS`] slots, and each bot takes its turn in one of them, so that neither this end nor the node sees
//! all of them at once. In every slot those listen whose sockets have something. When the thread falls behind by more
//! than a tick, it skips turns and counts them.

use std::{
    cmp::Reverse,
    collections::BTreeMap,
    io, mem,
    net::{IpAddr, SocketAddr},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use bot::Bot;
use game::{SEATS, units::TICKS_PER_SECOND};
use protocol::Dialect;

use super::{
    Options, has_lobbies, live,
    player::{BotDestination, BotPlayer},
    probe::PressResult,
    report::{Report, Run},
    round_trips::RoundTrips,
};
use crate::{live_table::LiveTable, readiness::Readiness, slot_clock::SlotClock};

/// Slots of a tick: about one a millisecond.
const SLOTS: usize = 16;
/// Bots that connect in one slot, so that a thousand come within two seconds and not at once.
const OPENINGS_PER_SLOT: usize = 1;
/// How often bots think, in turns, by how many there are. Up to 64 think at every Frame, which is about half of what such a bot
/// costs; then ten times a second; then six times, so that one core can run enough bots to load another.
const THINK_EVERY: [(usize, u32); 3] = [(64, 1), (1024, 6), (usize::MAX, 10)];
/// How long goodbyes may take.
const GOODBYE_MAX: Duration = Duration::from_secs(3);

/// All bots of a run.
pub(super) struct BotDriver {
    players: Vec<BotPlayer>,
    /// The bots that are still to connect, the next one last: those that make lobbies come before those that ask for them.
    to_open: Vec<usize>,
    host: IpAddr,
    ports: BTreeMap<Dialect, u16>,
    lobby: Option<String>,
    stage: String,
    think_every: u32,
    clock: SlotClock,
    turns_skipped: u64,
    readiness: Readiness,
    /// The bots that have something to read, kept from slot to slot for its memory.
    ready: Vec<usize>,
    round_trips: BTreeMap<Dialect, RoundTrips>,
}

impl BotDriver {
    pub(super) fn new(options: &Options, host: IpAddr) -> io::Result<BotDriver> {
        let spoken = options.dialects.iter().cycle().take(options.count);
        // Bots that all have lobbies share them, four in each. Among others, those fill the free seats.
        let shares = options.lobby.is_none() && options.dialects.iter().all(|dialect| has_lobbies(*dialect));
        let leader = |number: usize| (shares && !number.is_multiple_of(SEATS)).then(|| number - number % SEATS);
        let bot = |number: usize| Bot::with_skill(options.skill, options.seed.wrapping_add(number as u64));
        let player =
            |(number, dialect): (usize, &Dialect)| BotPlayer::new(*dialect, number, bot(number), leader(number));
        let players: Vec<BotPlayer> = spoken.enumerate().map(player).collect();
        let mut to_open: Vec<usize> = (0..players.len()).collect();
        to_open.sort_by_key(|&number| Reverse((players[number].leader.is_some(), number)));
        Ok(BotDriver {
            players,
            to_open,
            host,
            ports: options.ports.clone(),
            lobby: options.lobby.clone(),
            stage: options.stage.clone(),
            think_every: THINK_EVERY.iter().find(|(most, _)| options.count <= *most).map_or(1, |(_, every)| *every),
            clock: SlotClock::start(SLOTS),
            turns_skipped: 0,
            readiness: Readiness::new()?,
            ready: Vec::new(),
            round_trips: BTreeMap::new(),
        })
    }

    /// Plays until the time is over, `stop` is set, or nobody is left; then all leave.
    pub(super) fn play(
        &mut self,
        time: Option<Duration>,
        stop: &AtomicBool,
        table: &mut LiveTable,
    ) -> io::Result<Report> {
        self.clock = SlotClock::start(SLOTS);
        let is_over = |driver: &BotDriver| {
            stop.load(Ordering::Relaxed)
                || time.is_some_and(|time| driver.clock.elapsed() >= time)
                || driver.players.iter().all(BotPlayer::is_over)
        };
        while !is_over(self) {
            self.next_slot()?;
            if table.is_due() {
                live::show(table, &self.report());
            }
        }
        self.players.iter_mut().for_each(BotPlayer::leave);
        let seconds = self.clock.elapsed();
        let goodbye = Instant::now();
        while goodbye.elapsed() < GOODBYE_MAX && !self.players.iter().all(BotPlayer::is_over) {
            self.next_slot()?;
        }
        table.end();
        Ok(self.report_over(seconds))
    }

    /// Waits for the next slot, lets the bots listen that have something to read, then those of the slot take their turn.
    fn next_slot(&mut self) -> io::Result<()> {
        let slot = self.clock.next_slot();
        if slot.ticks_skipped > 0 {
            let playing = self.players.iter().filter(|player| player.is_playing()).count();
            self.turns_skipped += slot.ticks_skipped * playing as u64;
        }
        self.listen()?;
        self.open_next()?;
        for number in (slot.index..self.players.len()).step_by(SLOTS) {
            let player = &mut self.players[number];
            let was_waiting = player.is_waiting();
            let result = player.turn(self.think_every);
            if player.is_waiting() && !was_waiting {
                self.to_open.push(number);
            }
            self.note(number, result);
        }
        Ok(())
    }

    fn listen(&mut self) -> io::Result<()> {
        let mut ready = mem::take(&mut self.ready);
        self.readiness.ready(&mut ready)?;
        for &number in &ready {
            let result = self.players[number].listen();
            self.note(number, result);
        }
        self.ready = ready;
        Ok(())
    }

    fn note(&mut self, number: usize, result: Option<PressResult>) {
        if let Some(result) = result {
            self.round_trips.entry(self.players[number].dialect).or_default().add(result);
        }
    }

    fn open_next(&mut self) -> io::Result<()> {
        for _ in 0..OPENINGS_PER_SLOT {
            let Some(&number) = self.to_open.last() else { break };
            let Some(lobby) = self.lobby_of(&self.players[number]) else { break };
            let Some(&port) = self.ports.get(&self.players[number].dialect) else { break };
            self.to_open.pop();
            let player = &mut self.players[number];
            let to = BotDestination { door: SocketAddr::new(self.host, port), lobby, stage: &self.stage };
            player.open(&format!("bot {}", number + 1), to);
            player.watch(&mut self.readiness, number)?;
        }
        Ok(())
    }

    /// The lobby that a bot is to ask for, if any; none at all while its leader does not know yet.
    fn lobby_of(&self, player: &BotPlayer) -> Option<Option<String>> {
        let Some(leader) = player.leader.map(|leader| &self.players[leader]) else { return Some(self.lobby.clone()) };
        match leader.lobby() {
            Some(lobby) => Some(Some(lobby.to_owned())),
            // Without a leader it makes a lobby of its own.
            None if leader.is_over() || leader.is_playing() => Some(None),
            None => None,
        }
    }

    fn report(&self) -> Report {
        self.report_over(self.clock.elapsed())
    }

    fn report_over(&self, time: Duration) -> Report {
        let thinks = TICKS_PER_SECOND as u32 / self.think_every;
        let run = Run { players: &self.players, round_trips: &self.round_trips, time };
        Report { turns_skipped: self.turns_skipped, ..Report::new(&run, thinks) }
    }
}
