//! Time: lobbies tick when they are due, sessions are advanced with them, and what is over is closed.

use std::panic::{AssertUnwindSafe, catch_unwind};

use game::{Event, Input, SEATS};
use protocol::{Pace, Request, Scene, Status, Time};

use super::{
    Core, LobbyKey, Outbox, SessionKey,
    lobby::{EMPTY_MAX, Lobby},
};

impl Core {
    /// Does all that is due by now. To be called at [`Core::next_due`], or a few times a tick.
    pub fn advance(&mut self, now: Time, out: &mut dyn Outbox) {
        self.retry_early(now, out);
        self.advance_desks(now, out);
        self.advance_lounge(now, out);
        let lobbies = &self.lobbies;
        let passes = |key: LobbyKey| lobbies.get(key.0).is_some_and(|lobby| lobby.pacing.in_force() != Pace::Paused);
        self.counters.ticks_skipped += self.timetable.catch_up(now, passes);
        while let Some((due, group)) = self.timetable.take_due(now) {
            let mut index = 0;
            while let Some(lobby) = self.timetable.lobby(group, index) {
                self.tick(now, due, lobby, out);
                // When one is closed, another takes its place in the group.
                index += usize::from(self.timetable.lobby(group, index) == Some(lobby));
            }
        }
    }

    /// When there is something to do even if nothing arrives; none while the shard has nothing at all.
    pub fn next_due(&self) -> Option<Time> {
        let is_idle =
            self.lobbies.is_empty() && self.desks.is_empty() && self.streams.is_empty() && self.early.is_empty();
        (!is_idle).then(|| self.timetable.next_time())
    }

    fn tick(&mut self, now: Time, due: Time, key: LobbyKey, out: &mut dyn Outbox) {
        let began = out.clock();
        let played = catch_unwind(AssertUnwindSafe(|| self.take_turn(now, key, out)));
        match played {
            Ok(_) => self.close_if_long_empty(now, key, out),
            Err(_) => self.break_lobby(now, key, out),
        }
        // A lobby in which no time passes is neither late nor busy.
        if played.unwrap_or(true) {
            self.counters.ticks += 1;
            self.counters.lateness.note(began.since(due));
            self.counters.tick_time.note(out.clock().since(began));
        }
    }

    /// Looks after everybody in a lobby, and plays its next tick, unless time does not pass. Returns whether it did.
    fn take_turn(&mut self, now: Time, key: LobbyKey, out: &mut dyn Outbox) -> bool {
        let Some(lobby) = self.lobbies.get(key.0) else { return false };
        for session in lobby.seats.into_iter().flatten() {
            self.advance_session(now, session, out);
        }
        self.end_absences(now, key, out);
        self.advance_watchers(now, key, out);
        let is_time = self.is_time(now, key);
        if is_time {
            self.play(now, key, out);
        } else {
            self.stand_still(now, key, out);
        }
        is_time
    }

    fn play(&mut self, now: Time, key: LobbyKey, out: &mut dyn Outbox) {
        let (inputs, start) = self.gather(now, key);
        let Some(lobby) = self.lobbies.get_mut(key.0) else { return };
        if start {
            lobby.world.start();
        }
        let stage = lobby.world.stage().clone();
        lobby.go_on(now, &self.settings.stages);
        lobby.world.tick(&inputs);
        lobby.world.frame_into(&mut lobby.scene.frame);
        lobby.scene.update(now);
        log_losses(&lobby.scene);
        self.tell_changes(now, key, &stage);
        self.show(now, key, true, out);
        self.keep_score(now, key, out);
    }

    /// Shows everybody in a lobby what is to be seen, if that is due, and sends what they are told.
    pub(super) fn show(&mut self, now: Time, key: LobbyKey, is_due: bool, out: &mut dyn Outbox) {
        let mut index = 0;
        while let Some(session) = self.lobbies.get(key.0).and_then(|lobby| lobby.everybody().nth(index)) {
            if is_due {
                self.publish(now, key, session);
            }
            self.flush(now, session, out);
            index += 1;
        }
    }

    fn advance_watchers(&mut self, now: Time, key: LobbyKey, out: &mut dyn Outbox) {
        let mut index = 0;
        while let Some(session) = self.lobbies.get(key.0).and_then(|lobby| lobby.watcher(index)) {
            self.advance_session(now, session, out);
            // When one is gone, the next takes its place.
            let stays = self.lobbies.get(key.0).and_then(|lobby| lobby.watcher(index)) == Some(session);
            index += usize::from(stays);
        }
    }

    fn publish(&mut self, now: Time, lobby: LobbyKey, session: SessionKey) {
        let lobby = self.lobbies.get(lobby.0);
        if let Some((session, lobby)) = self.sessions.get_mut(session.0).zip(lobby) {
            session.half.publish(now, &lobby.scene);
        }
    }

    fn advance_session(&mut self, now: Time, key: SessionKey, out: &mut dyn Outbox) {
        let Some(session) = self.sessions.get_mut(key.0) else { return };
        session.half.advance(now);
        if matches!(session.half.status(), Status::Ended(_)) {
            self.flush(now, key, out);
            self.bury(now, key, out);
        }
    }

    /// What the players of a lobby hold, and whether one of them asks for the start.
    fn gather(&mut self, now: Time, key: LobbyKey) -> ([Input; SEATS], bool) {
        let mut inputs = [Input::IDLE; SEATS];
        let mut start = false;
        let Some(lobby) = self.lobbies.get(key.0) else { return (inputs, start) };
        for (input, key) in inputs.iter_mut().zip(lobby.seats) {
            let Some(session) = key.and_then(|key| self.sessions.get_mut(key.0)) else { continue };
            *input = session.half.input(now);
            while let Some(request) = session.half.request() {
                start |= request == Request::Start;
            }
        }
        (inputs, start)
    }

    fn close_if_long_empty(&mut self, now: Time, key: LobbyKey, out: &mut dyn Outbox) {
        let Some(lobby) = self.lobbies.get(key.0) else { return };
        let is_over = lobby.empty_since.is_some_and(|since| now.since(since) >= EMPTY_MAX);
        if !is_over || !self.directory.lock().close_empty(lobby.id) {
            return;
        }
        if let Some(mut lobby) = self.detach_lobby(key) {
            self.clear_watchers(now, lobby.take_watchers(), out);
            self.release_port(&lobby, out);
            tracing::info!(lobby = %lobby.id, "an empty lobby is closed");
        }
    }

    /// Takes a lobby out of everything on this shard.
    pub(super) fn detach_lobby(&mut self, key: LobbyKey) -> Option<Lobby> {
        let lobby = self.lobbies.try_remove(key.0)?;
        self.lobby_keys.remove(&lobby.id);
        self.timetable.remove(key);
        Some(lobby)
    }

    /// Gives back the port of a lobby that the directory has no longer.
    pub(super) fn release_port(&mut self, lobby: &Lobby, out: &mut dyn Outbox) {
        if let Some(port) = lobby.port {
            out.unlisten(port);
            self.directory.lock().give_port_back(port);
        }
    }
}

/// Tells of lost players in the words that one of the documents asks for. A ship's Entity ID is its seat there.
fn log_losses(scene: &Scene) {
    for event in &scene.frame.events {
        match *event {
            Event::Killed { seat, .. } => {
                let (id, name) = (seat.number(), scene.name(seat));
                tracing::info!("Player {id} ({name}) eliminated. Entity: {id}");
            }
            Event::TimedOut { seat } => {
                let (id, name) = (seat.number(), scene.departed_name(seat));
                tracing::info!("Player {id} ({name}) timed out. Entity: {id}");
            }
            _ => {}
        }
    }
}
