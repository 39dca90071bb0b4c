//! A game is recorded, if the host wants that: from its first tick to two seconds after its end, or until everybody has left. So is
//! one that somebody plays alone over a link, for that player only.
//!
//! If the player who left last comes back and plays on, or the node is restarted, the recording goes on with a gap. What is
//! recorded leaves as [`Effect::Recording`](crate::core::Effect::Recording), half a minute at a time.

use game::Seat;
use protocol::{GameId, RecordingKey};
use replay::{Header, StageSource};

use super::{Lobby, recorded_world::Beginning};
use crate::{
    outgoing::Context,
    recordings::{NamesAndChat, RecordedGames},
};

/// Ticks that are recorded after a game has ended, so that its end can be seen.
const AFTERMATH_TICKS: u32 = 2 * 60;

impl Lobby {
    /// Records these games from now on. Everybody can watch them, so what is said in a private lobby is left out.
    pub fn keep_recordings(&mut self, games: RecordedGames) {
        self.world.keep_recordings(match games {
            RecordedGames::All(_) if self.identity.is_private => RecordedGames::All(NamesAndChat::LeftOut),
            games => games,
        });
    }

    /// Follows the game from tick to tick.
    pub(super) fn follow_recording(&mut self, cx: &mut Context) {
        if self.world.recorded_games() == RecordedGames::None {
            return;
        }
        if self.world.is_recorded_for_player() && self.player_alone().is_none() {
            self.end_solo_recording();
        }
        let tick = self.world.now().0;
        match self.recorder.tick_of_end() {
            _ if !self.world.is_recorded() => self.begin_recording(),
            Some(end) if tick.saturating_sub(end) >= AFTERMATH_TICKS => self.world.finish_recording(),
            _ => {}
        }
        if self.records_talk() {
            Seat::ALL.into_iter().for_each(|seat| self.world.note_name(seat, self.scene.name(seat)));
        }
        self.hand_out_recording(cx);
    }

    pub(super) fn records_talk(&self) -> bool {
        self.world.recorded_games() == RecordedGames::All(NamesAndChat::Recorded)
    }

    fn begin_recording(&mut self) {
        let Some((began, first_tick)) = self.recorder.running().filter(|_| !self.members.have_no_player()) else {
            return;
        };
        let (game, has_gap) = (self.game_id(began), self.world.now().0 != first_tick);
        let key = self.player_alone().filter(|_| !has_gap).and_then(|seat| self.key_of(seat, game));
        if key.is_none() && self.world.recorded_games() == RecordedGames::Solo {
            return;
        }
        let header = Header {
            game: game.0,
            began_ms: began.micros() / 1000,
            seed: self.world.seed(),
            rules: self.world.rules(),
            stage: StageSource::of(self.world.stage()),
            has_talk: self.records_talk(),
        };
        self.world.record(Beginning { game, key, header, has_gap });
    }

    /// What the player in that seat will ask for the recording by. Only those who came over a link have a secret of their own.
    fn key_of(&self, seat: Seat, game: GameId) -> Option<RecordingKey> {
        self.members.token(seat).map(|token| RecordingKey::new(token, game))
    }

    /// The player who plays alone: nobody else is in the game, not even a bot.
    fn player_alone(&self) -> Option<Seat> {
        let mut seated = Seat::ALL.into_iter().filter(|&seat| self.world.is_seated(seat));
        seated.next().filter(|_| seated.next().is_none() && !self.bots.are_there())
    }

    /// Somebody plays along: what is recorded is for the host, if for anybody.
    fn end_solo_recording(&mut self) {
        self.world.withdraw_key();
        if self.world.recorded_games() == RecordedGames::Solo {
            self.world.finish_recording();
        }
    }

    /// Ends the recording, if there is one: everybody has left, or the node ends.
    pub(super) fn end_recording(&mut self, cx: &mut Context) {
        if self.recorder.tick_of_end().is_none() {
            // Nobody is told the result of a game that nobody finished, so nobody will ask for it.
            self.world.withdraw_key();
        }
        self.world.finish_recording();
        self.hand_out_recording(cx);
    }

    fn hand_out_recording(&mut self, cx: &mut Context) {
        while let Some(piece) = self.world.next_piece() {
            cx.out.recording(piece);
        }
    }
}
