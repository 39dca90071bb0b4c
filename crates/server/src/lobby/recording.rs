//! A game is recorded, if the host wants that: from its first tick to two seconds after its end, or until everybody has left.
//!
//! If the player who left last comes back and plays on, or the node is started anew, the recording goes on with a gap. What is
//! recorded leaves as [`Effect::Recording`](crate::core::Effect::Recording), half a minute at a time.

use game::Seat;
use replay::{Header, StageSource};

use super::Lobby;
use crate::{outgoing::Context, recordings::Talk};

/// Ticks that are recorded after a game has ended, so that its end can be seen.
const AFTERMATH_TICKS: u32 = 2 * 60;

impl Lobby {
    /// Records games from now on. Everybody can watch them, so what is said in a private lobby is left out.
    pub fn keep_recordings(&mut self, talk: Talk) {
        self.recorded_talk = Some(if self.is_private { Talk::LeftOut } else { talk });
    }

    /// Follows the game from tick to tick.
    pub(super) fn follow_recording(&mut self, cx: &mut Context) {
        let Some(talk) = self.recorded_talk else { return };
        let tick = self.world.now().0;
        match self.recorder.tick_of_end() {
            _ if !self.world.is_recorded() => self.begin_recording(talk),
            Some(end) if tick.saturating_sub(end) >= AFTERMATH_TICKS => self.world.finish_recording(),
            _ => {}
        }
        if talk == Talk::Recorded {
            Seat::ALL.into_iter().for_each(|seat| self.world.note_name(seat, self.scene.name(seat)));
        }
        self.hand_out_recording(cx);
    }

    fn begin_recording(&mut self, talk: Talk) {
        let Some((began, first_tick)) = self.recorder.running().filter(|_| !self.members.have_no_player()) else {
            return;
        };
        let game = self.game_id(began);
        let header = Header {
            game: game.0,
            began_ms: began.micros() / 1000,
            seed: self.world.seed(),
            rules: self.world.rules(),
            stage: StageSource::of(self.world.stage()),
            has_talk: talk == Talk::Recorded,
        };
        let has_gap = self.world.now().0 != first_tick;
        self.world.record(game, header, has_gap);
    }

    /// Ends the recording, if there is one: everybody has left, or the node ends.
    pub(super) fn end_recording(&mut self, cx: &mut Context) {
        self.world.finish_recording();
        self.hand_out_recording(cx);
    }

    fn hand_out_recording(&mut self, cx: &mut Context) {
        while let Some(piece) = self.world.next_piece() {
            cx.out.recording(piece);
        }
    }
}
