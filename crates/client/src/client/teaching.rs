//! Shows a new player what to press, at the ship, with pictures of the device in use, until each was done once.

use game::{Frame, GameState, Input, Kind, Seat, px};

use super::{Client, Task};
use crate::{
    draw::{Picture, controls::Hint},
    game_view::GameView,
    lessons::{self, Lesson, Practice},
};

/// How far from the middle of the ship its hints are.
const SHIP_GAP: i32 = 18;
/// The hints of a player who joined a running game: at the edge, below the names of the players.
const ASIDE: (i32, i32) = (8, 40);
/// Where the field ends and the score begins.
const FIELD_END: i32 = 240;
/// Between two hints.
const ROW_GAP: i32 = 4;

/// What a player learns in this game.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Teaching {
    practice: Practice,
    /// Whether the game ran already when the player came: others do not wait, and neither do the enemies.
    is_aside: bool,
}

impl Client {
    /// A game begins for this player, or one was joined that runs already.
    pub(super) fn begin_teaching(&mut self, is_joined: bool) {
        self.teaching = Teaching { is_aside: is_joined, ..Teaching::default() };
    }

    /// The player does this in the next tick.
    pub(super) fn teach(&mut self, input: Input) {
        let has_force = self.game_view.as_ref().is_some_and(has_force);
        let before = self.settings.learned;
        let learned = self.teaching.practice.follow(input, has_force);
        self.settings.learned = learned.fold(before, |learned, lesson| learned.with(lesson));
        if self.settings.learned != before {
            let text = self.settings.write();
            self.request(Task::StoreSettings, &text);
        }
    }

    /// Draws what is to be learned now.
    pub(super) fn draw_lessons(&self, picture: &mut Picture) {
        let Some(view) = self.game_view.as_ref().filter(|view| view.newest().state == GameState::Running) else {
            return;
        };
        let Some(ship) = view.own().and_then(|seat| view.frame().ship(seat)) else { return };
        if !self.is_flying() || self.is_paused() {
            return;
        }
        let ship = (ship.position.x / px(1), ship.position.y / px(1));
        let due = lessons::due(self.settings.learned, has_force(view));
        // In one-button mode the ship fires by itself.
        let due = due.filter(|lesson| !(self.settings.one_button && *lesson == Lesson::Fire));
        let context = self.context();
        let hints: Vec<Hint> = due.map(|lesson| context.hint(lesson)).collect();
        let sizes: Vec<(i32, i32)> = hints.iter().map(|hint| hint.size(picture.letters())).collect();
        let width = sizes.iter().map(|(width, _)| *width).max().unwrap_or(0);
        let height: i32 = sizes.iter().map(|(_, height)| height + ROW_GAP).sum();
        let (x, mut y) = if self.teaching.is_aside { ASIDE } else { beside_ship(ship, (width, height)) };
        for (hint, (_, height)) in hints.iter().zip(sizes) {
            hint.draw(x, y, self.clock.ticks(), picture);
            y += height + ROW_GAP;
        }
    }
}

/// Whether the player has a Force, docked or away.
fn has_force(view: &GameView) -> bool {
    let is_own = |frame: &Frame, own: Seat| {
        frame.entities.iter().any(|entity| entity.kind == Kind::Force && entity.seat == Some(own))
    };
    view.own().is_some_and(|own| is_own(view.newest(), own))
}

/// Below the ship, or above it where there is no room: what it flies into and fires at is ahead of it.
fn beside_ship((ship_x, ship_y): (i32, i32), (width, height): (i32, i32)) -> (i32, i32) {
    let x = (ship_x - 20).min(Picture::WIDTH - width - 4).max(4);
    let below = ship_y + SHIP_GAP;
    let y = if below + height <= FIELD_END { below } else { ship_y - SHIP_GAP - height };
    (x, y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_are_beside_the_ship_and_inside_the_picture() {
        for (x, y) in (0..480).step_by(7).flat_map(|x| (30..262).step_by(5).map(move |y| (x, y))) {
            let size = (150, 62);
            let (left, top) = beside_ship((x, y), size);
            assert!(left >= 4 && left + size.0 <= Picture::WIDTH && top >= 0, "{x} {y}");
            assert!(top >= y + SHIP_GAP || top + size.1 <= y - SHIP_GAP, "{x} {y}: over the ship");
        }
    }
}
