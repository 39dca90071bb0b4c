//! In a lobby: the room while it waits, the menu and the chat over the game, and what is said when it is over.

use ::game::{GameState, Seat};
use protocol::LobbyDetails;

use super::{
    Context, Entry, Options, Order,
    menu::{Choice, Line, Menu, Place},
    score_lines,
};
use crate::{
    Key,
    draw::{
        Colour, Font, Picture,
        hud::{self, Banner},
        widgets::{self, Area},
    },
    input::Step,
    language::Word,
};

/// The most characters of something said.
const SAY_MAX: usize = 90;
/// With small letters and with large ones.
const MENU: [Area; 2] =
    [Area { x: 150, y: 72, width: 180, height: 116 }, Area { x: 80, y: 20, width: 320, height: 186 }];
/// With small letters and with large ones.
const ROOM: [Area; 2] = [Area { x: 90, y: 40, width: 300, height: 176 }, Area { x: 14, y: 2, width: 452, height: 266 }];
/// Where the lines of the room that can be chosen begin, below its members.
const ROOM_LINES_AT: [i32; 2] = [100, 122];

/// In a lobby.
#[derive(Clone, Debug, Default)]
pub struct Game {
    over: Over,
    room: Menu,
    is_ready: bool,
}

/// What lies over the game.
#[derive(Clone, Debug, Default)]
enum Over {
    #[default]
    Nothing,
    Menu(Menu),
    Options(Options),
    Chat(Entry),
}

const MENU_LINES: [Word; 6] = [Word::Resume, Word::Options, Word::Share, Word::FullScreen, Word::KeyChat, Word::Leave];

impl Game {
    /// Whether keys fly the ship: nothing lies over the game.
    pub fn is_flying(&self, state: GameState, has_room: bool) -> bool {
        matches!(self.over, Over::Nothing) && !(has_room && state == GameState::Waiting)
    }

    /// Whether the menu lies over the game.
    pub fn is_paused(&self) -> bool {
        matches!(self.over, Over::Menu(_) | Over::Options(_))
    }

    /// Whether something is being written.
    pub fn is_writing(&self) -> bool {
        matches!(self.over, Over::Chat(_))
    }

    /// Opens the menu, or closes what lies over the game.
    pub fn pause(&mut self) {
        self.over = match self.over {
            Over::Nothing => Over::Menu(Menu::default()),
            Over::Menu(_) | Over::Options(_) | Over::Chat(_) => Over::Nothing,
        };
    }

    /// Begins to say something.
    pub fn chat(&mut self) {
        self.over = Over::Chat(Entry::new("", SAY_MAX));
    }

    pub(super) fn key(&mut self, key: Key) {
        if let Over::Chat(entry) = &mut self.over {
            entry.key(key);
        }
    }

    pub(super) fn text(&mut self, character: char) {
        if let Over::Chat(entry) = &mut self.over {
            entry.push(character);
        }
    }

    pub(super) fn step(&mut self, step: Step, context: &Context) -> Option<Order> {
        match &mut self.over {
            Over::Menu(menu) => {
                let choice = menu.step(step, MENU_LINES.len(), context.list(&MENU))?;
                self.choose(choice)
            }
            Over::Options(options) => match options.step(step, context)? {
                Order::Go(_) => {
                    self.over = Over::Menu(Menu::default());
                    None
                }
                order => Some(order),
            },
            Over::Chat(entry) => match step {
                Step::Accept => {
                    let text = entry.text().trim().to_string();
                    self.over = Over::Nothing;
                    (!text.is_empty()).then_some(Order::Say(text))
                }
                Step::Back => {
                    self.over = Over::Nothing;
                    None
                }
                _ => None,
            },
            Over::Nothing if context.room.is_some() && context.state == GameState::Waiting => {
                self.step_room(step, context)
            }
            Over::Nothing => None,
        }
    }

    fn choose(&mut self, choice: Choice) -> Option<Order> {
        let Choice::Accept(line) = choice else {
            if choice == Choice::Back {
                self.over = Over::Nothing;
            }
            return None;
        };
        self.over = Over::Nothing;
        match MENU_LINES[line] {
            Word::Share => Some(Order::Share),
            Word::FullScreen => Some(Order::FullScreen),
            Word::Leave => Some(Order::Leave),
            Word::Options => {
                self.over = Over::Options(Options::in_game());
                None
            }
            Word::KeyChat => {
                self.chat();
                None
            }
            _ => None,
        }
    }

    fn step_room(&mut self, step: Step, context: &Context) -> Option<Order> {
        let words = self.room_words(context);
        match self.room.step(step, words.len(), room_list(context))? {
            Choice::Back => Some(Order::Leave),
            Choice::Turn(..) => None,
            Choice::Accept(line) => match words[line] {
                Word::Ready | Word::NotReady => {
                    self.is_ready = !self.is_ready;
                    Some(Order::Ready(self.is_ready))
                }
                Word::Start => Some(Order::Start),
                Word::Share => Some(Order::Share),
                Word::KeyChat => {
                    self.chat();
                    None
                }
                _ => Some(Order::Leave),
            },
        }
    }

    fn room_words(&self, context: &Context) -> Vec<Word> {
        let ready = if self.is_ready { Word::NotReady } else { Word::Ready };
        let seated = [Word::Start, ready, Word::Share, Word::KeyChat, Word::Leave];
        if context.own.is_some() { seated.to_vec() } else { vec![Word::Share, Word::KeyChat, Word::Leave] }
    }

    pub(super) fn draw(&self, context: &Context, picture: &mut Picture) {
        match context.state {
            GameState::Waiting => {
                if let Some(room) = context.room {
                    self.draw_room(context, room, picture);
                }
            }
            GameState::Won => draw_won(context, picture),
            GameState::Lost => draw_end(context, picture),
            GameState::Running | GameState::TimedOut if self.is_paused() => {}
            GameState::Running | GameState::TimedOut => draw_standing(context, picture),
        }
        match &self.over {
            Over::Nothing => {}
            Over::Menu(menu) => {
                let (title, line) =
                    if context.is_still { (Word::Paused, Word::StandsStill) } else { (Word::KeyPause, Word::GoesOn) };
                widgets::panel(context.area(&MENU), context.say(title), picture);
                let lines: Vec<Line> = MENU_LINES.iter().map(|&word| Line::plain(context.say(word))).collect();
                menu.draw(&lines, context.list(&MENU), picture);
                let below = context.area(&MENU);
                widgets::centred(Font::Small, below.y + below.height + 6, context.say(line), Colour::GREY, picture);
            }
            Over::Options(options) => options.draw(context, picture),
            Over::Chat(entry) => {
                let area =
                    Area { x: 20, y: if picture.letters() == Font::Large { 210 } else { 222 }, width: 300, height: 28 };
                widgets::entry(area, context.say(Word::KeyChat), entry.text(), context.tick, picture);
            }
        }
    }

    fn draw_room(&self, context: &Context, room: &LobbyDetails, picture: &mut Picture) {
        let stage = super::lobbies::stage_name(context, &room.stage);
        let mut title = format!("{} {}  {stage}", context.say(Word::Room), room.code);
        if room.watchers > 0 {
            title += &format!("  {} {}", room.watchers, context.say(Word::Watchers));
        }
        widgets::panel(context.area(&ROOM), &title, picture);
        for seat in Seat::ALL {
            draw_member(context, room, seat, picture);
        }
        let lines: Vec<Line> = self.room_words(context).iter().map(|&word| Line::plain(context.say(word))).collect();
        self.room.draw(&lines, room_list(context), picture);
    }
}

fn draw_member(context: &Context, room: &LobbyDetails, seat: Seat, picture: &mut Picture) {
    let (area, letters, top) = room_rows(context);
    let y = top + line(context) * i32::from(seat.number());
    let Some(member) = room.members.iter().find(|member| member.seat == seat) else {
        picture.text_in(letters, area.x + 12, y, context.say(Word::FreeSeat), Colour::DIM);
        return;
    };
    let name = if member.name.is_empty() { "-" } else { &member.name };
    let (dialect_x, state_x) = (area.x + area.width * 130 / 300, area.x + area.width * 200 / 300);
    picture.text_in(
        letters,
        area.x + 12,
        y,
        letters.fitting(name, dialect_x - area.x - 20),
        Colour::SEATS[seat.index()],
    );
    picture.text_in(
        letters,
        dialect_x,
        y,
        letters.fitting(member.dialect.name(), state_x - dialect_x - 8),
        Colour::GREY,
    );
    let (word, colour) = match (member.is_away, member.is_ready) {
        (true, _) => (Word::Away, Colour::RED),
        (false, true) => (Word::Ready, Colour::GREEN),
        (false, false) => (Word::NotReady, Colour::DIM),
    };
    let room = area.x + area.width - 8 - state_x;
    let state = context.say(word);
    let letters = picture.letters_for(state, room);
    picture.text_in(letters, state_x, y, letters.fitting(state, room), colour);
}

/// The room, the size of its letters, and where its first row is.
fn room_rows(context: &Context) -> (Area, Font, i32) {
    let (area, letters) = (context.area(&ROOM), context.settings.letters);
    (area, letters, area.y + widgets::title_height(letters) + 9)
}

/// The height of a row of the room.
fn line(context: &Context) -> i32 {
    match context.settings.letters {
        Font::Small => 14,
        Font::Large => 22,
    }
}

fn room_list(context: &Context) -> Place {
    let (area, letters, _) = room_rows(context);
    let top = ROOM_LINES_AT[usize::from(letters == Font::Large)];
    let area = Area { x: area.x + 8, y: area.y + top, width: area.width - 16, height: area.height - top - 6 };
    Place { area, letters }
}

/// The game is lost: the score, and the table.
fn draw_end(context: &Context, picture: &mut Picture) {
    let area = context.area(&[Area::centred(300, 180), Area::centred(452, 234)]);
    widgets::panel(area, context.say(Word::GameOver), picture);
    if let Some(score) = context.score {
        widgets::centred(Font::Large, area.y + 30, &score.to_string(), Colour::GOLD, picture);
    }
    let table = Area { x: area.x + 10, y: area.y + 58, width: area.width - 20, height: area.height - 76 };
    score_lines(context, table, picture);
    if context.has_lobbies {
        widgets::centred(Font::Small, area.y + area.height - 14, context.say(Word::AgainSoon), Colour::GREY, picture);
    }
}

/// A line for who has no ship.
fn draw_standing(context: &Context, picture: &mut Picture) {
    if let Some(word) = standing(context.own.is_some(), context.is_lost, context.lives, context.is_still) {
        widgets::centred(Font::Small, 36, context.say(word), Colour::PALE, picture);
    }
}

/// How it stands with a player without a ship, or whose game stands still though there is no menu. Of lives that are not known nothing is said.
fn standing(has_seat: bool, is_lost: bool, lives: Option<u8>, is_still: bool) -> Option<Word> {
    Some(match (has_seat, lives) {
        (false, _) if is_still => Word::Paused,
        (true, _) if is_still => Word::PressToGoOn,
        (false, _) => Word::Spectating,
        (true, _) if !is_lost => return None,
        (true, Some(0)) => Word::OutOfLives,
        (true, Some(_)) => Word::Returning,
        (true, None) => Word::ShipLost,
    })
}

/// The stage is won. What comes then is known of our own nodes only.
fn draw_won(context: &Context, picture: &mut Picture) {
    let (title, colour) = (context.say(Word::StageClear), Banner::colour_of(context.state));
    let line = if context.has_lobbies { context.say(Word::NextSoon) } else { "" };
    hud::draw_banner(&Banner { title, line, colour }, picture);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_told_that_lives_are_out_unless_that_is_known() {
        assert_eq!(standing(true, true, Some(0), false), Some(Word::OutOfLives));
        assert_eq!(standing(true, true, Some(2), false), Some(Word::Returning));
        assert_eq!(standing(true, true, None, false), Some(Word::ShipLost));
        assert_eq!(standing(true, false, None, false), None);
        assert_eq!(standing(false, true, None, false), Some(Word::Spectating));
        assert_eq!(standing(true, false, Some(3), true), Some(Word::PressToGoOn));
    }
}
