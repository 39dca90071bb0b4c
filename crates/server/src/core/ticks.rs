//! Time: lobbies tick when they are due, sessions are advanced with them, and what is over is closed.

use game::{Event, Input, SEATS};
use protocol::{Request, Scene, Status, Time, rfc2020::LobbyId};

use super::{Core, Outbox, SessionKey, lobby::EMPTY_MAX};

impl Core {
    /// Does all that is due by now. To be called a few times a tick.
    pub fn advance(&mut self, now: Time, out: &mut dyn Outbox) {
        self.advance_desks(now, out);
        let due: Vec<LobbyId> = self.lobbies.iter().filter(|(_, lobby)| lobby.due <= now).map(|(id, _)| *id).collect();
        for id in due {
            self.tick(now, id, out);
        }
        self.close_empty_lobbies(now, out);
    }

    fn tick(&mut self, now: Time, id: LobbyId, out: &mut dyn Outbox) {
        let Some(lobby) = self.lobbies.get_mut(&id) else { return };
        self.counters.ticks += 1;
        self.counters.ticks_skipped += lobby.schedule(now);
        let seats = lobby.seats;
        for key in seats.into_iter().flatten() {
            self.advance_session(now, key, out);
        }
        let (inputs, start) = self.gather(now, id);
        let Some(lobby) = self.lobbies.get_mut(&id) else { return };
        if start {
            lobby.world.start();
        }
        lobby.go_on(now, &self.settings.stages);
        lobby.world.tick(&inputs);
        lobby.world.frame_into(&mut lobby.scene.frame);
        lobby.scene.update(now);
        log_losses(&lobby.scene);
        for key in lobby.seats.into_iter().flatten() {
            if let Some(session) = self.sessions.get_mut(&key) {
                session.half.publish(now, &lobby.scene);
            }
        }
        for key in seats.into_iter().flatten() {
            self.flush(now, key, out);
        }
        self.keep_score(now, id, out);
    }

    fn advance_session(&mut self, now: Time, key: SessionKey, out: &mut dyn Outbox) {
        let Some(session) = self.sessions.get_mut(&key) else { return };
        session.half.advance(now);
        if matches!(session.half.status(), Status::Ended(_)) {
            self.bury(now, key, out);
        }
    }

    /// What the players of a lobby hold, and whether one of them asks for the start.
    fn gather(&mut self, now: Time, id: LobbyId) -> ([Input; SEATS], bool) {
        let mut inputs = [Input::IDLE; SEATS];
        let mut start = false;
        let Some(lobby) = self.lobbies.get(&id) else { return (inputs, start) };
        for (input, key) in inputs.iter_mut().zip(lobby.seats) {
            let Some(session) = key.and_then(|key| self.sessions.get_mut(&key)) else { continue };
            *input = session.half.input(now);
            while let Some(request) = session.half.request() {
                start |= request == Request::Start;
            }
        }
        (inputs, start)
    }

    fn close_empty_lobbies(&mut self, now: Time, out: &mut dyn Outbox) {
        let is_over = |since: Option<Time>| since.is_some_and(|since| now.since(since) >= EMPTY_MAX);
        self.lobbies.retain(|id, lobby| {
            let closes = is_over(lobby.empty_since);
            if closes {
                lobby.port.into_iter().for_each(|port| out.unlisten(port));
                self.by_age.retain(|other| other != id);
                tracing::info!(lobby = %id, "an empty lobby is closed");
            }
            !closes
        });
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
