//! The title: the first screen. Beside its menu, a card shows what the chosen entry is about. After a minute without a key it also
//! shows the table and how to play.

use ::game::{Mode, Rules};

use super::{
    Context, Create, Foot, Lobbies, Options, Screen, ScreenCommand, ShipChoice, TextEntry, about, daily, hints_of,
    how_to_play::HowToPlay,
    menu::{Choice, ListArea, Menu, MenuLine, menu_entries},
    scores::difficulty_phrase,
    ship_choice,
};
use crate::{
    campaign,
    connection::LobbyAccess,
    draw::{
        Area, Colour, Font, Picture,
        ship_card::{self, Bars},
        widgets,
    },
    input::{Device, MenuInput},
    language::Phrase,
    tables::Table,
};

#[derive(Clone, Debug, Default)]
pub struct Title {
    menu: Menu,
}

/// Where the menu is, with small letters and with large ones.
const MENU: [Area; 2] =
    [Area { x: 96, y: 100, width: 140, height: 136 }, Area { x: 14, y: 76, width: 452, height: 128 }];
/// Where the card is. Large letters leave no room for it.
const CARD: Area = Area { x: 242, y: 100, width: 142, height: 136 };
/// Ticks without a key after which the title shows more than its menu.
pub const IDLE_TICKS: u32 = 60 * 60;
/// Ticks for which each of the pages is shown then.
const PAGE_TICKS: u32 = 12 * 60;
/// The strip with a message to the player: above the menu, or below it.
const MESSAGE_Y: [i32; 2] = [86, 208];

menu_entries! {
    /// What can be chosen.
    Entry {
        Play = Play, AboutPlay;
        Endless = Endless, AboutEndless;
        Daily = Daily, AboutDaily;
        Practice = Practice, AboutPractice;
        Ship = Ship, AboutShip;
        Lobbies = Lobbies, AboutLobbies;
        Create = CreateLobby, AboutCreateLobby;
        EnterCode = JoinByCode, AboutJoinByCode;
        Options = Options, AboutOptions;
        Scores = Scores, AboutScores;
        Credits = Credits, AboutCredits;
    }
}

impl Entry {
    fn is_offered(self, context: &Context) -> bool {
        match self {
            Entry::Endless | Entry::Daily | Entry::Practice | Entry::Ship => {
                context.lobby_access == LobbyAccess::Listed
            }
            Entry::Lobbies => context.lobby_access == LobbyAccess::Listed && !context.is_solo,
            // Where lobbies are listed, they are beside the list.
            Entry::Create | Entry::EnterCode => context.lobby_access == LobbyAccess::ByCode && !context.is_solo,
            Entry::Play | Entry::Options | Entry::Scores | Entry::Credits => true,
        }
    }

    /// The stage and mode of the game that it begins at once.
    fn game(self) -> Option<(&'static str, Mode)> {
        match self {
            Entry::Play => Some((campaign::first(), Mode::Campaign)),
            Entry::Endless => Some(("endless", Mode::Endless)),
            Entry::Daily | Entry::Practice | Entry::Ship | Entry::Lobbies | Entry::Create => None,
            Entry::EnterCode | Entry::Options | Entry::Scores | Entry::Credits => None,
        }
    }
}

/// What an idle title shows.
enum Page {
    Menu,
    Scores,
    HowToPlay,
    /// The game of the bots, and the name of ours.
    Game,
}

impl Title {
    pub(super) fn navigate(&mut self, input: MenuInput, context: &Context) -> Option<ScreenCommand> {
        let entries = entries(context);
        if let MenuInput::Tap(x, y) = input
            && has_card(context)
            && CARD.contains((x, y))
        {
            return choose(entries[self.menu.selected(entries.len())].behind_card(), context);
        }
        match self.menu.navigate(input, entries.len(), list(context))? {
            Choice::Accept(line) => choose(entries[line], context),
            // On the way to a game, both arrows lead past the choice of a ship.
            Choice::Turn(line, _) if context.lobby_access == LobbyAccess::Listed => {
                let (stage, mode) = entries[line].game()?;
                Some(ScreenCommand::Show(Screen::ShipChoice(ShipChoice::before(stage, mode))))
            }
            Choice::Turn(..) | Choice::Back => None,
        }
    }

    pub(super) fn draw(&self, context: &Context, picture: &mut Picture) {
        match page(context.idle_ticks) {
            Page::Menu => {
                logo(context, picture);
                self.draw_menu(context, picture);
                draw_message(context, picture);
            }
            Page::Scores => {
                dim(picture);
                context.scores.draw_alone(context, picture);
            }
            Page::HowToPlay => {
                dim(picture);
                HowToPlay::at(context.idle_ticks % PAGE_TICKS, PAGE_TICKS, context).draw(context, picture);
            }
            Page::Game => logo(context, picture),
        }
    }

    fn draw_menu(&self, context: &Context, picture: &mut Picture) {
        widgets::panel(context.area(&MENU), "", picture);
        let entries = entries(context);
        let lines: Vec<MenuLine> =
            entries.iter().map(|entry| MenuLine::plain(context.translate(entry.phrase()))).collect();
        self.menu.draw(&lines, list(context), picture);
        let chosen = entries[self.menu.selected(entries.len())];
        if has_card(context) {
            widgets::panel(CARD, "", picture);
            draw_card(chosen, context, picture);
        }
        about(context, chosen.about_on(context), picture);
        // There is no way back from here: a finger needs no hint.
        if context.device != Device::Touch {
            hints_of(context, Foot::First, picture);
        }
    }
}

impl Entry {
    /// What a tap on the card of this entry chooses.
    fn behind_card(self) -> Entry {
        match self {
            Entry::Play | Entry::Endless => Entry::Ship,
            other => other,
        }
    }

    /// What it does, and on a keyboard or a pad what the arrows do. Nothing speaks of a server that is the player's own.
    fn about_on(self, context: &Context) -> Phrase {
        let has_arrows = context.device != Device::Touch && has_card(context);
        match self {
            Entry::Play if has_arrows => Phrase::AboutPlayArrows,
            Entry::Endless if has_arrows => Phrase::AboutEndlessArrows,
            Entry::Scores if context.is_solo => Phrase::AboutOwnScores,
            other => other.about(),
        }
    }
}

fn choose(entry: Entry, context: &Context) -> Option<ScreenCommand> {
    Some(match entry {
        Entry::Play | Entry::Endless => {
            let (stage, mode) = entry.game()?;
            ScreenCommand::Play { stage, rules: Rules { mode, ..Rules::of(context.settings.difficulty) } }
        }
        Entry::Daily => ScreenCommand::ShowDaily,
        Entry::Practice => ScreenCommand::ShowPractice,
        Entry::Ship => ScreenCommand::Show(Screen::ShipChoice(ShipChoice::default())),
        Entry::Lobbies => ScreenCommand::Show(Screen::Lobbies(Lobbies::default())),
        Entry::Create => ScreenCommand::Show(Screen::Create(Create::default())),
        Entry::EnterCode => ScreenCommand::Show(TextEntry::code()),
        Entry::Options => ScreenCommand::Show(Screen::Options(Options::default())),
        Entry::Scores => ScreenCommand::ShowScores,
        Entry::Credits => ScreenCommand::Show(Screen::Credits),
    })
}

/// What can be chosen here.
fn entries(context: &Context) -> Vec<Entry> {
    Entry::ALL.iter().copied().filter(|entry| entry.is_offered(context)).collect()
}

/// Large letters are in two columns, so that all of the menu is seen at once.
fn list(context: &Context) -> ListArea {
    let (Area { x, y, width, height }, letters) = (context.area(&MENU), context.settings.letters);
    let area = Area { x: x + 5, y: y + 5, width: width - 10, height: height - 8 };
    let list = ListArea { area, letters, columns: 1 };
    if letters == Font::Large { list.in_columns(2) } else { list }
}

/// Ships, days and practice are our own dialect's, and large letters leave no room.
fn has_card(context: &Context) -> bool {
    context.lobby_access == LobbyAccess::Listed && context.settings.letters == Font::Small
}

/// What the chosen entry is about.
fn draw_card(entry: Entry, context: &Context, picture: &mut Picture) {
    match entry {
        Entry::Play | Entry::Endless | Entry::Ship => draw_ship_card(context, picture),
        Entry::Daily => {
            let (name, sentence) = daily::mutator_phrases(context.today);
            let date = protocol::utc_day::date_of(context.today);
            draw_text_card(&format!("{date} UTC"), &[context.translate(name), context.translate(sentence)], picture);
        }
        Entry::Practice => {
            let (stage, place) = context.practice.summary(context);
            draw_text_card(context.translate(Phrase::Practice), &[&stage, &place], picture);
        }
        Entry::Scores => {
            let board = context.scores.board(context.today);
            let best = context.tables.of(&board).and_then(Table::best);
            let none = || (context.translate(Phrase::NoScoresYet).into(), "");
            let (points, name) = best.map_or_else(none, |best| (best.points.to_string(), best.name.as_str()));
            draw_text_card(&super::scores::board_name(context, &board), &[&points, name], picture);
        }
        Entry::Options => {
            let name = if context.settings.name.is_empty() { "-" } else { &context.settings.name };
            let language = context.translate(Phrase::ThisLanguage);
            draw_text_card(context.translate(Phrase::Name), &[name, language], picture);
        }
        Entry::Lobbies | Entry::Create | Entry::EnterCode => draw_fleet(context.translate(Phrase::Together), picture),
        Entry::Credits => draw_fleet(context.translate(Phrase::CreditsGame), picture),
    }
}

fn draw_ship_card(context: &Context, picture: &mut Picture) {
    let ship = context.settings.ship;
    let name = context.translate(ship_choice::ship_phrase(ship));
    centred_in_card(Font::Small, CARD.y + 9, name, Colour::GOLD, picture);
    ship_card::draw_ship(ship, (CARD.x + CARD.width / 2, CARD.y + 45), 3, picture);
    let bars = Bars { x: CARD.x + 14, y: CARD.y + 74, width: CARD.width - 28, letters: Font::Small };
    ship_card::draw_strengths(ship, ship_choice::strength_words(context), bars, picture);
    let difficulty = context.translate(difficulty_phrase(context.settings.difficulty));
    centred_in_card(Font::Small, CARD.y + CARD.height - 17, difficulty, Colour::PALE, picture);
}

/// A heading, a large line and more.
fn draw_text_card(heading: &str, lines: &[&str], picture: &mut Picture) {
    let inside = Area { x: CARD.x + 10, y: CARD.y + 10, width: CARD.width - 20, height: CARD.height - 20 };
    let mut y = inside.y + widgets::paragraph(inside, heading, Colour::GREY, picture) + 8;
    for (index, line) in lines.iter().enumerate() {
        let is_large = index == 0 && Font::Large.width(line) <= inside.width;
        if is_large {
            picture.text_in(Font::Large, (inside.x, y), line, Colour::GOLD);
            y += Font::Large.height() + 9;
        } else {
            let area = Area { y, height: inside.y + inside.height - y, ..inside };
            y += widgets::paragraph(area, line, Colour::PALE, picture) + 6;
        }
    }
}

/// All four ships, one below the other.
fn draw_fleet(heading: &str, picture: &mut Picture) {
    centred_in_card(Font::Small, CARD.y + 9, heading, Colour::GOLD, picture);
    for (row, ship) in (0..).zip(::game::ShipModel::ALL) {
        ship_card::draw_ship(ship, (CARD.x + 40 + row * 20, CARD.y + 36 + row * 26), 2, picture);
    }
}

fn centred_in_card(letters: Font, y: i32, text: &str, colour: Colour, picture: &mut Picture) {
    let text = letters.fitting(text, CARD.width - 8);
    picture.text_in(letters, (CARD.x + (CARD.width - letters.width(text)) / 2, y), text, colour);
}

fn page(idle_ticks: u32) -> Page {
    let Some(ticks) = idle_ticks.checked_sub(IDLE_TICKS) else { return Page::Menu };
    match ticks / PAGE_TICKS % 3 {
        0 => Page::Scores,
        1 => Page::HowToPlay,
        _ => Page::Game,
    }
}

/// What is read is brighter than the game behind it.
fn dim(picture: &mut Picture) {
    picture.darken(Area::new(0, 0, Picture::WIDTH, Picture::HEIGHT), 1);
}

/// The logo drops in, then floats.
fn logo(context: &Context, picture: &mut Picture) {
    let y = if context.settings.letters == Font::Large { 4 } else { 14 };
    widgets::logo(y, context.tick, picture);
}

/// What went wrong, or how the connection is until it is there.
fn draw_message(context: &Context, picture: &mut Picture) {
    let (phrase, colour) = match context.notice {
        Some(notice) => (notice, Colour::RED),
        None if context.is_solo || context.connection == Phrase::Connected => return,
        None => (context.connection, Colour::GREY),
    };
    let text = context.translate(phrase);
    let letters = picture.letters_for(text, Picture::WIDTH - 8);
    let y = MESSAGE_Y[usize::from(context.settings.letters == Font::Large)];
    picture.rect(Area::new(0, y - 4, Picture::WIDTH, letters.height() + 8), Colour::PANEL);
    picture.text_edged(letters, ((Picture::WIDTH - letters.width(text)) / 2, y), text, colour);
}
