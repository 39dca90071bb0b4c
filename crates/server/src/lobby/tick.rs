//! What happens in a lobby every tick, from top to bottom.

use game::{Event, GameState, Input, SEATS, Seat};
use protocol::{Request, Scene, Time};

use super::{Lobby, LobbyEvent};
use crate::{outgoing::Context, peer::PeerKey};

impl Lobby {
    /// Looks after everybody, and plays the next tick, unless time does not pass. Whether it did.
    pub fn tick(&mut self, cx: &mut Context) -> bool {
        // What panics was played.
        let mut is_played = true;
        self.guarded(cx, |lobby, cx| {
            lobby.advance(cx);
            if lobby.is_awaiting(cx.now) {
                is_played = false;
                return lobby.await_players(cx);
            }
            is_played = lobby.is_time(cx.now);
            lobby.note_turn(cx.now, is_played);
            if is_played && lobby.remote.is_some() {
                lobby.play_remotely(cx);
            } else if is_played {
                lobby.play(cx);
            } else {
                lobby.pause(cx);
            }
        });
        is_played
    }

    fn advance(&mut self, cx: &mut Context) {
        self.members.iter_mut().for_each(|session| session.advance(cx.now));
        self.give_up_missing(cx);
        while let Some(member) = self.members.first_ended() {
            self.flush(cx, member);
            self.remove(cx, member);
        }
        for seat in Seat::ALL {
            if self.members.kept(seat).is_some_and(|kept| kept.is_kept_too_long(cx.now)) {
                self.free_kept_seat(cx, seat);
            }
        }
    }

    fn play(&mut self, cx: &mut Context) {
        let stage = self.world.stage().clone();
        let inputs = self.gather(cx.now);
        self.follow_up(cx.now);
        self.world.tick(&inputs);
        self.world.frame_into(&mut self.scene.frame);
        self.scene.update(cx.now);
        log_losses(&self.scene);
        self.tell_unused_seats();
        self.tell_changes(cx.now, &stage);
        self.publish(cx);
        self.record_end(cx);
        self.follow_recording(cx);
    }

    /// What there is to do while no time passes.
    fn pause(&mut self, cx: &mut Context) {
        let stage = self.world.stage().clone();
        let is_shown_again = self.pacing.is_shown_again();
        if is_shown_again {
            // What happened was told when it did.
            self.scene.frame.events.clear();
            self.scene.update(cx.now);
        }
        self.tell_changes(cx.now, &stage);
        if is_shown_again {
            self.publish(cx);
        } else {
            self.flush_all(cx);
        }
    }

    /// What the players and the bots hold. If one of them asks for it, the game starts.
    pub(super) fn gather(&mut self, now: Time) -> [Input; SEATS] {
        let mut inputs = [Input::IDLE; SEATS];
        let mut has_started = false;
        for (input, session) in inputs.iter_mut().zip(self.members.players_mut()) {
            let Some(session) = session else { continue };
            *input = session.input(now);
            while let Some(Request::Start) = session.lobby_request() {
                has_started = true;
            }
        }
        if has_started && !self.start_remotely(now) {
            self.world.start();
        }
        self.bots.decide(&self.scene.frame, self.world.stage(), &mut inputs);
        inputs
    }

    /// Ruling S10: a player who is out of lives watches, and in a dialect that says so the seat is unused for as long as the
    /// game runs.
    fn tell_unused_seats(&mut self) {
        let is_running = self.world.game_state() == GameState::Running;
        let unused = Seat::ALL.map(|seat| {
            let frees_seat = |peer: &PeerKey| peer.dialect().entry().frees_seat_without_lives;
            let peer = self.player(seat).filter(|peer| is_running && frees_seat(peer))?;
            self.scene.frame.players[seat.index()].filter(|player| player.lives == 0).map(|_| peer)
        });
        if self.announced.unused_seats_are_new(unused) {
            self.events.push_back(LobbyEvent::UnusedSeats(Box::new(unused)));
        }
    }

    /// Shows everybody what there is to see, and sends what they are told.
    pub(super) fn publish(&mut self, cx: &mut Context) {
        for session in self.members.iter_mut() {
            session.publish(cx.now, &self.scene);
            self.events.extend(session.flush(cx).map(LobbyEvent::StreamDone));
        }
    }

    fn flush_all(&mut self, cx: &mut Context) {
        for session in self.members.iter_mut() {
            self.events.extend(session.flush(cx).map(LobbyEvent::StreamDone));
        }
    }
}

/// Logs lost players in the words that one of the documents asks for. A ship's Entity ID is its seat there.
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
