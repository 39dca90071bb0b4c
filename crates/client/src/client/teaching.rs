//! Shows a new player what to press, at the ship, with pictures of the device in use, until each was done once.

use game::{Class, Entity, Frame, GameState, Input, Kind, px};

use super::{Client, Task};
use crate::{
    draw::{Colour, Font, Picture, announcements::BossBar, controls::Hint},
    game_view::GameView,
    language::Phrase,
    lessons::{self, Learned, Lesson, LessonProgress, OwnForce},
};

/// How far from the middle of the ship its hints are.
const SHIP_GAP: i32 = 18;
/// How far from the middle of an item its words are.
const ITEM_GAP: i32 = 14;
/// The hints of a player who joined a running game: at the edge, below the names of the players.
const ASIDE: (i32, i32) = (8, 40);
/// Where the field ends and the score begins.
const FIELD_END: i32 = 240;
/// Between two hints.
const ROW_GAP: i32 = 4;
/// The room behind a Force launched backwards that a ship needs to fit there.
const DOCK_ROOM_PX: i32 = 40;
/// Ticks for which docking is explained. Nobody has to dock in front, so the words must not stay until it was done.
const DOCK_SHOWN_TICKS: u32 = 600;

/// What a player learns in this game.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Teaching {
    practice: LessonProgress,
    /// Ticks for which docking has been explained.
    dock_shown: u32,
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
        let has_ship = |view: &&GameView| view.own().is_some_and(|own| view.newest().ship(own).is_some());
        let ship = self.game_view.as_ref().filter(has_ship).map(own_force);
        let before = self.settings.learned;
        // In one-button mode the ship fires by itself, which teaches nobody to fire.
        let is_done = |lesson: &Lesson| !(self.settings.one_button && *lesson == Lesson::Fire);
        let learned = self.teaching.practice.follow(input, ship).filter(is_done);
        self.settings.learned = learned.fold(before, |learned, lesson| learned.with(lesson));
        let is_dock_due = self.game_view.as_ref().is_some_and(|view| self.due(view).contains(&Lesson::Dock));
        self.teaching.dock_shown += u32::from(is_dock_due);
        if self.teaching.dock_shown >= DOCK_SHOWN_TICKS {
            self.settings.learned = self.settings.learned.with(Lesson::Dock);
        }
        if self.settings.learned != before {
            let text = self.settings.write();
            self.request(Task::StoreSettings, &text);
        }
    }

    /// What the game does with the player's ship may be learned too.
    pub(super) fn teach_events(&mut self) {
        let Some(view) = self.game_view.as_ref().filter(|_| self.settings.learned != Learned::ALL) else { return };
        let Some(own) = view.own().and_then(|seat| view.frame().ship(seat)).map(|ship| ship.id) else { return };
        let before = self.settings.learned;
        let taught = view.frame().events.iter().filter_map(|event| lessons::taught_by(event, own));
        self.settings.learned = taught.fold(before, Learned::with);
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
        if !self.settings.learned.has(Lesson::Take) {
            let nearest = nearest_item(view.frame(), ship);
            let words = self.settings.language.translate(Phrase::LessonTake);
            nearest.into_iter().for_each(|item| draw_taking(item, words, picture));
        }
        let ship = (ship.position.x / px(1), ship.position.y / px(1));
        let context = self.context();
        let hints: Vec<Hint> = self.due(view).into_iter().map(|lesson| context.hint(lesson)).collect();
        let sizes: Vec<(i32, i32)> = hints.iter().map(|hint| hint.size(picture.letters())).collect();
        let width = sizes.iter().map(|(width, _)| *width).max().unwrap_or(0);
        let height: i32 = sizes.iter().map(|(_, height)| height + ROW_GAP).sum();
        // In company another ship may be beside the player's own.
        let is_aside = self.teaching.is_aside || self.has_company();
        let (x, y) = if is_aside { ASIDE } else { beside_ship(ship, (width, height)) };
        let mut y = y.max(free_from(view.frame(), picture.letters()));
        for (hint, (_, height)) in hints.iter().zip(sizes) {
            hint.draw(x, y, self.clock.ticks(), picture);
            y += height + ROW_GAP;
        }
    }

    /// The lessons to show now.
    fn due(&self, view: &GameView) -> Vec<Lesson> {
        // In one-button mode the ship fires by itself.
        let learned = match self.settings.learned {
            learned if self.settings.one_button => learned.with(Lesson::Fire),
            learned => learned,
        };
        // Docking can wait until a boss is gone: the hint would lie over the fight. And there must be room to fly round the Force.
        let is_bad_time = view.frame().boss().is_some() || !has_room_behind_force(view);
        let learned = if is_bad_time { learned.with(Lesson::Dock) } else { learned };
        lessons::due(learned, own_force(view)).collect()
    }
}

/// The item in the picture that is nearest to the ship.
fn nearest_item<'a>(frame: &'a Frame, ship: &Entity) -> Option<&'a Entity> {
    let is_shown = |item: &&Entity| {
        let (x, y) = (item.position.x / px(1), item.position.y / px(1));
        (0..Picture::WIDTH).contains(&x) && (0..Picture::HEIGHT).contains(&y)
    };
    let distance = |item: &&Entity| {
        let (x, y) = (item.position.x - ship.position.x, item.position.y - ship.position.y);
        i64::from(x).pow(2) + i64::from(y).pow(2)
    };
    let items = frame.entities.iter().filter(|entity| entity.kind.class() == Class::Item);
    items.filter(is_shown).min_by_key(distance)
}

/// Says at an item that it is to be taken.
fn draw_taking(item: &Entity, words: &str, picture: &mut Picture) {
    let letters = picture.letters();
    let (x, y) = (item.position.x / px(1), item.position.y / px(1));
    let left = (x - letters.width(words) / 2).clamp(4, Picture::WIDTH - letters.width(words) - 4);
    let above = y - ITEM_GAP - letters.height();
    let top = if above > ASIDE.1 { above } else { y + ITEM_GAP };
    picture.text_edged(letters, (left, top), words, Colour::PALE);
}

/// Where the player's Force is.
fn own_force(view: &GameView) -> OwnForce {
    let frame = view.newest();
    let is_own = |entity: &&Entity| entity.kind == Kind::Force && entity.seat == view.own();
    let Some(force) = view.own().and_then(|_| frame.entities.iter().find(is_own)) else { return OwnForce::Missing };
    let ship_x = view.own().and_then(|own| frame.ship(own)).map(|ship| ship.position.x);
    if ship_x.is_some_and(|ship_x| force.position.x < ship_x) { OwnForce::Behind } else { OwnForce::Ahead }
}

/// Whether a Force that is launched backwards leaves room behind it, so that the ship can fly round it.
fn has_room_behind_force(view: &GameView) -> bool {
    let ship = view.own().and_then(|own| view.frame().ship(own));
    ship.is_some_and(|ship| ship.position.x - game::tuning::FORCE_HOLD_DISTANCE > px(DOCK_ROOM_PX))
}

/// Below the ship, or above it where there is no room: what it flies into and fires at is ahead of it.
fn beside_ship((ship_x, ship_y): (i32, i32), (width, height): (i32, i32)) -> (i32, i32) {
    let x = (ship_x - 20).min(Picture::WIDTH - width - 4).max(4);
    let below = ship_y + SHIP_GAP;
    let y = if below + height <= FIELD_END { below } else { ship_y - SHIP_GAP - height };
    (x, y)
}

/// Above this there is the bar of a boss, if one is there.
fn free_from(frame: &Frame, letters: Font) -> i32 {
    if frame.boss().is_some() { BossBar::bottom(letters) + ROW_GAP } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_nearest_item_in_the_picture_is_explained() {
        let at =
            |id: u32, kind: Kind, x: i32| Entity::new(game::EntityId(id), kind, game::Vec2 { x: px(x), y: px(100) });
        let ship = at(1, Kind::Force, 60);
        let entities = vec![ship, at(2, Kind::SpeedUp, 300), at(3, Kind::SpeedUp, -9), at(4, Kind::SpeedUp, 180)];
        let mut frame = Frame { entities, ..Frame::default() };
        let nearest = |frame: &Frame| nearest_item(frame, &ship).map(|item| item.id.0);
        assert_eq!(nearest(&frame), Some(4));
        frame.entities.truncate(3);
        assert_eq!(nearest(&frame), Some(2), "the other one has left the picture, though it is as near");
        frame.entities.remove(1);
        assert_eq!(nearest(&frame), None);
    }

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
