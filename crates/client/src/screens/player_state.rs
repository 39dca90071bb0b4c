//! What the player reads about their own ship over the game: eliminated, returning, watching or paused.

use super::Context;
use crate::{
    draw::{
        Colour, Font, Picture,
        announcements::{BossBar, Warning},
        hud::{self, Banner},
        widgets,
    },
    input::Device,
    language::Phrase,
};

/// Ticks for which it is said across the picture that the player was eliminated.
const BANNER_TICKS: u32 = 240;

/// A banner for a player who was eliminated, and a line for one without a ship and for a paused game without a menu.
pub(super) fn draw(context: &Context, picture: &mut Picture) {
    let state = OwnState {
        has_seat: context.own.is_some(),
        shipless_ticks: context.shipless_ticks,
        lives: context.lives,
        is_paused: context.is_paused,
    };
    match (state.banner(), state.phrase()) {
        // What is announced is alone.
        (Some(_), _) if context.is_announced => {}
        (Some(phrase), _) => draw_eliminated(phrase, context, picture),
        (None, Some(phrase @ (Phrase::Watching | Phrase::EliminatedWatching))) => {
            draw_watching(phrase, context, picture)
        }
        (None, Some(phrase)) => draw_state(phrase, context, picture),
        (None, None) => {}
    }
}

/// What holds up the player, where it is seen at once.
fn draw_state(phrase: Phrase, context: &Context, picture: &mut Picture) {
    let phrase = match phrase {
        Phrase::PressToResume if context.device == Device::Touch => Phrase::TapToResume,
        Phrase::PressToResume if context.device == Device::Pad => Phrase::PressButtonToResume,
        other => other,
    };
    let before = match (phrase, context.lost_to) {
        (Phrase::Respawning, Some(thing)) => {
            context.translate(Phrase::LostTo).replace("{}", context.translate(thing)) + " "
        }
        _ => String::new(),
    };
    let text = format!("{before}{}", context.translate(phrase));
    // Below the bar of a boss, and below the warning of a chase.
    let y = match () {
        () if context.is_boss_announced => Warning::boss_bottom(picture.letters()) + 4,
        () if context.has_boss => BossBar::bottom(picture.letters()) + 7,
        () if context.is_chased => Warning::CHASE_Y + 34,
        () => 33,
    };
    widgets::centred(Font::Small, y, &text, Colour::PALE, picture);
}

/// For as long as it lasts, a line at the foot, where the gauge of a player who flies is: there it hides nothing.
fn draw_watching(phrase: Phrase, context: &Context, picture: &mut Picture) {
    if context.is_announced {
        return;
    }
    let more = if phrase == Phrase::EliminatedWatching { context.menu_hint() } else { String::new() };
    let text = format!("{}  {more}", context.translate(phrase));
    let text = Font::Small.fitting(text.trim_end(), hud::GAUGE_ROOM);
    let x = (Picture::WIDTH - Font::Small.width(text)) / 2;
    picture.text_edged(Font::Small, (x, hud::FOOT), text, Colour::GREY);
}

/// The screen of a player who was eliminated. After a while a line is left of it, so that the game can be watched.
fn draw_eliminated(line: Phrase, context: &Context, picture: &mut Picture) {
    let (title, line) = (context.translate(Phrase::Eliminated), context.translate(line));
    hud::draw_banner(&Banner { title, line, colour: Colour::RED }, picture);
}

struct OwnState {
    has_seat: bool,
    /// None: there is a ship.
    shipless_ticks: Option<u32>,
    /// None: the dialect does not tell.
    lives: Option<u8>,
    is_paused: bool,
}

impl OwnState {
    fn phrase(&self) -> Option<Phrase> {
        match (self.has_seat, self.lives) {
            (false, _) if self.is_paused => Some(Phrase::Paused),
            (true, _) if self.is_paused => Some(Phrase::PressToResume),
            (false, _) => Some(Phrase::Watching),
            (true, _) if self.shipless_ticks.is_none() => None,
            (true, Some(1..)) => Some(Phrase::Respawning),
            (true, Some(0) | None) => Some(Phrase::EliminatedWatching),
        }
    }

    /// The line of the banner, while there is one.
    fn banner(&self) -> Option<Phrase> {
        let is_shown = self.shipless_ticks.is_some_and(|ticks| ticks < BANNER_TICKS);
        match self.lives.filter(|_| self.has_seat) {
            _ if !is_shown || !self.has_seat || self.is_paused => None,
            Some(0) => Some(Phrase::WatchUntilNextGame),
            Some(1..) => None,
            None => Some(Phrase::MayReturn),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_player_is_told_to_be_out_of_lives_only_if_that_is_known() {
        let told = |has_seat, shipless_ticks, lives, is_paused| {
            let state = OwnState { has_seat, shipless_ticks, lives, is_paused };
            (state.banner(), state.phrase())
        };
        let (just_now, long_ago) = (Some(1), Some(BANNER_TICKS));
        assert_eq!(told(true, just_now, Some(0), false).0, Some(Phrase::WatchUntilNextGame));
        assert_eq!(told(true, just_now, None, false).0, Some(Phrase::MayReturn));
        assert_eq!(told(true, long_ago, Some(0), false), (None, Some(Phrase::EliminatedWatching)));
        assert_eq!(told(true, long_ago, None, false), (None, Some(Phrase::EliminatedWatching)));
        assert_eq!(told(true, just_now, Some(2), false), (None, Some(Phrase::Respawning)));
        assert_eq!(told(true, None, None, false), (None, None));
        assert_eq!(told(false, just_now, None, false), (None, Some(Phrase::Watching)));
        assert_eq!(told(true, None, Some(3), true), (None, Some(Phrase::PressToResume)));
    }
}
