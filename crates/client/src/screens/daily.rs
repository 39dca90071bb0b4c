//! The game of the day: its date, what is different today, and today's table. Left and right choose the ship.

use ::game::{Daily as Game, Mutator, Rules, ShipModel};
use protocol::utc_day;

use super::{Context, Screen, ScreenCommand, hints, menu::turned, scores::TableView, ship_choice::ship_phrase};
use crate::{
    draw::{Area, Colour, Font, Picture, ship_card, widgets},
    input::MenuInput,
    language::Phrase,
    settings::Settings,
    tables::{Board, Contest},
};

/// With small letters and with large ones.
const PANEL: [Area; 2] =
    [Area { x: 70, y: 12, width: 340, height: 222 }, Area { x: 14, y: 4, width: 452, height: 198 }];
/// Height of the part above the table.
const HEAD: [i32; 2] = [62, 76];
/// Width of the part with the ship.
const SHIP_WIDTH: i32 = 96;

/// The game of the day.
#[derive(Clone, Copy, Debug, Default)]
pub struct Daily;

impl Daily {
    pub(super) fn navigate(&mut self, input: MenuInput, context: &Context) -> Option<ScreenCommand> {
        match input {
            MenuInput::Left => Some(choose_ship(context, -1)),
            MenuInput::Right => Some(choose_ship(context, 1)),
            MenuInput::Accept => Some(ScreenCommand::Play { stage: "endless", rules: Rules::of_day(context.today) }),
            MenuInput::Back => Some(ScreenCommand::Show(Screen::title())),
            MenuInput::Tap(x, y) if ship_area(context).contains((x, y)) => Some(choose_ship(context, 1)),
            MenuInput::Tap(x, y) if context.area(&PANEL).contains((x, y)) => self.navigate(MenuInput::Accept, context),
            MenuInput::Up | MenuInput::Down | MenuInput::Point(..) | MenuInput::Tap(..) => None,
        }
    }

    pub(super) fn draw(self, context: &Context, picture: &mut Picture) {
        let (area, large) = (context.area(&PANEL), usize::from(context.settings.letters == Font::Large));
        let title = format!("{}  {} UTC", context.translate(Phrase::Daily), utc_day::date_of(context.today));
        widgets::panel(area, &title, picture);
        let top = area.y + widgets::title_height(context.settings.letters) + 8;
        draw_mutator(
            context,
            Area { x: area.x + 12, y: top, width: area.width - SHIP_WIDTH - 28, height: 50 },
            picture,
        );
        draw_ship(context, picture);
        let table_y = top + HEAD[large];
        picture.rect(Area::new(area.x + 8, table_y - 6, area.width - 16, 1), Colour::EDGE);
        let height = area.y + area.height - table_y - 18;
        let table = Area { x: area.x + 8, y: table_y, width: area.width - 16, height };
        TableView { context, board: &board(context), area: table }.draw(None, picture);
        let play = context.play_hint();
        widgets::centred(Font::Small, area.y + area.height - 13, &play, Colour::GOLD, picture);
        widgets::foot_line(context.translate(Phrase::AboutDaily), picture);
        hints(context, picture);
    }
}

/// Today's table of those who play alone.
pub(super) fn board(context: &Context) -> Board {
    Board { contest: Contest::Daily(context.today), players: 1 }
}

/// What is different today: its name, and a sentence.
pub fn mutator_phrases(day: u32) -> (Phrase, Phrase) {
    match Game::of(day).mutator {
        Mutator::Swarm => (Phrase::Swarm, Phrase::AboutSwarm),
        Mutator::Haste => (Phrase::Haste, Phrase::AboutHaste),
        Mutator::Glass => (Phrase::Glass, Phrase::AboutGlass),
        Mutator::Forceless => (Phrase::Forceless, Phrase::AboutForceless),
        Mutator::Overcharge => (Phrase::Overcharge, Phrase::AboutOvercharge),
        Mutator::Revenge => (Phrase::Revenge, Phrase::AboutRevenge),
    }
}

fn draw_mutator(context: &Context, area: Area, picture: &mut Picture) {
    let (name, sentence) = mutator_phrases(context.today);
    let name = context.translate(name);
    picture.text_in(Font::Large, (area.x, area.y), Font::Large.fitting(name, area.width), Colour::GOLD);
    widgets::paragraph(
        Area { y: area.y + Font::Large.height() + 7, ..area },
        context.translate(sentence),
        Colour::PALE,
        picture,
    );
}

fn ship_area(context: &Context) -> Area {
    let area = context.area(&PANEL);
    let top = widgets::title_height(context.settings.letters) + 4;
    let height = HEAD[usize::from(context.settings.letters == Font::Large)] - 6;
    Area { x: area.x + area.width - SHIP_WIDTH - 8, y: area.y + top, width: SHIP_WIDTH, height }
}

fn draw_ship(context: &Context, picture: &mut Picture) {
    let (area, ship) = (ship_area(context), context.settings.ship);
    widgets::tile(area, false, picture);
    ship_card::draw_ship(ship, (area.x + area.width / 2, area.y + 20), 2, picture);
    let (name, letters) = (context.translate(ship_phrase(ship)), picture.letters());
    let y = area.y + area.height - letters.height() - 5;
    picture.text_in(letters, (area.x + (area.width - letters.width(name)) / 2, y), name, Colour::PALE);
    let arrows_y = area.y + 20 - letters.height() / 2;
    picture.text_in(letters, (area.x + 4, arrows_y), "◀", Colour::PALE);
    picture.text_in(letters, (area.x + area.width - 4 - letters.width("▶"), arrows_y), "▶", Colour::PALE);
}

fn choose_ship(context: &Context, by: i32) -> ScreenCommand {
    let ship = turned(&ShipModel::ALL, context.settings.ship, by);
    ScreenCommand::ChangeSettings(Box::new(Settings { ship, ..context.settings.clone() }))
}
