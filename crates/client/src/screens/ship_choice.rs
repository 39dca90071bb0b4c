//! The choice of a ship: left and right choose a ship, up and down how hard it is going to be. Enter plays at once, or goes back.

use ::game::{Difficulty, Mode, Rules, ShipModel};

use super::{Context, Foot, Screen, ScreenCommand, about, hints_of, menu::turned, scores::difficulty_phrase};
use crate::{
    draw::{
        Area, Colour, Font, Picture,
        ship_card::{self, Bars},
        widgets,
    },
    input::MenuInput,
    language::Phrase,
    settings::Settings,
};

/// Where ship and difficulty are chosen.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShipChoice {
    /// The stage and mode that are played when the player is done; if none, the title is next.
    then: Option<(&'static str, Mode)>,
}

/// The first ship; the others are beside it. With small letters and with large ones.
const SHIP: [Area; 2] = [Area { x: 20, y: 40, width: 106, height: 112 }, Area { x: 8, y: 26, width: 112, height: 125 }];
const SHIP_GAP: [i32; 2] = [111, 117];
/// The first difficulty; the others are beside it.
const DIFFICULTY: [Area; 2] =
    [Area { x: 96, y: 176, width: 92, height: 18 }, Area { x: 8, y: 176, width: 150, height: 24 }];
const DIFFICULTY_GAP: [i32; 2] = [98, 157];

impl ShipChoice {
    /// On the way to a game.
    pub fn before(stage: &'static str, mode: Mode) -> ShipChoice {
        ShipChoice { then: Some((stage, mode)) }
    }

    pub(super) fn navigate(&mut self, input: MenuInput, context: &Context) -> Option<ScreenCommand> {
        let Settings { ship, difficulty, .. } = *context.settings;
        match input {
            MenuInput::Left => Some(choose(context, turned(&ShipModel::ALL, ship, -1), difficulty)),
            MenuInput::Right => Some(choose(context, turned(&ShipModel::ALL, ship, 1), difficulty)),
            MenuInput::Up => Some(choose(context, ship, turned(&Difficulty::ALL, difficulty, -1))),
            MenuInput::Down => Some(choose(context, ship, turned(&Difficulty::ALL, difficulty, 1))),
            MenuInput::Accept => Some(self.done(context)),
            MenuInput::Back => Some(ScreenCommand::Show(Screen::title())),
            MenuInput::Point(..) => None,
            MenuInput::Tap(x, y) => self.tap((x, y), context),
        }
    }

    /// What was touched is chosen; if it was chosen already, the player is done.
    fn tap(&self, at: (i32, i32), context: &Context) -> Option<ScreenCommand> {
        let Settings { ship, difficulty, .. } = *context.settings;
        let touched_ship = ShipModel::ALL.into_iter().find(|ship| ship_area(context, *ship).contains(at));
        let touched = Difficulty::ALL.into_iter().find(|difficulty| difficulty_area(context, *difficulty).contains(at));
        match (touched_ship, touched) {
            (Some(touched), _) if touched == ship => Some(self.done(context)),
            (Some(touched), _) => Some(choose(context, touched, difficulty)),
            (None, Some(touched)) => Some(choose(context, ship, touched)),
            (None, None) => None,
        }
    }

    fn done(&self, context: &Context) -> ScreenCommand {
        let play = |(stage, mode)| ScreenCommand::Play {
            stage,
            rules: Rules { mode, ..Rules::of(context.settings.difficulty) },
        };
        self.then.map_or(ScreenCommand::Show(Screen::title()), play)
    }

    pub(super) fn draw(&self, context: &Context, picture: &mut Picture) {
        let large = usize::from(context.settings.letters == Font::Large);
        let title = context.translate(Phrase::ChooseShip);
        widgets::centred(Font::Large, [14, 8][large], title, Colour::GOLD, picture);
        ShipModel::ALL.into_iter().for_each(|ship| draw_ship(ship, context, picture));
        widgets::centred(Font::Small, [163, 159][large], &difficulty_label(context), Colour::GREY, picture);
        Difficulty::ALL.into_iter().for_each(|difficulty| draw_difficulty(difficulty, context, picture));
        about(context, about_phrase(context.settings.ship), picture);
        hints_of(context, Foot::Ship, picture);
    }
}

/// With the lives that come with it.
fn difficulty_label(context: &Context) -> String {
    let lives = Rules::of(context.settings.difficulty).lives.to_string();
    let lives = context.translate(Phrase::LivesCount).replace("{}", &lives);
    format!("{} · {lives}", context.translate(Phrase::Difficulty))
}

/// The settings with another ship or difficulty.
fn choose(context: &Context, ship: ShipModel, difficulty: Difficulty) -> ScreenCommand {
    ScreenCommand::ChangeSettings(Box::new(Settings { ship, difficulty, ..context.settings.clone() }))
}

fn ship_area(context: &Context, ship: ShipModel) -> Area {
    let gap = SHIP_GAP[usize::from(context.settings.letters == Font::Large)];
    context.area(&SHIP).right_by(gap * i32::from(ship.number()))
}

fn difficulty_area(context: &Context, difficulty: Difficulty) -> Area {
    let gap = DIFFICULTY_GAP[usize::from(context.settings.letters == Font::Large)];
    context.area(&DIFFICULTY).right_by(gap * difficulty as i32)
}

fn draw_ship(ship: ShipModel, context: &Context, picture: &mut Picture) {
    let area = ship_area(context, ship);
    let is_chosen = context.settings.ship == ship;
    widgets::tile(area, is_chosen, picture);
    let name = context.translate(ship_phrase(ship));
    draw_tile_name(name, is_chosen, Area { y: area.y + 7, ..area }, picture);
    // Large words leave less room for the ship.
    let letters = picture.letters();
    let (scale, middle, bars_height, margin) = if letters == Font::Large { (2, 43, 56, 5) } else { (3, 46, 37, 8) };
    ship_card::draw_ship(ship, (area.x + area.width / 2, area.y + middle), scale, picture);
    let y = area.y + area.height - bars_height;
    let bars = Bars { x: area.x + margin, y, width: area.width - 2 * margin, letters };
    ship_card::draw_strengths(ship, strength_words(context), bars, picture);
}

fn draw_difficulty(difficulty: Difficulty, context: &Context, picture: &mut Picture) {
    let area = difficulty_area(context, difficulty);
    let is_chosen = context.settings.difficulty == difficulty;
    widgets::tile(area, is_chosen, picture);
    let name = context.translate(difficulty_phrase(difficulty));
    let height = picture.letters_for(name, name_width(area)).height();
    draw_tile_name(name, is_chosen, Area { y: area.y + (area.height - height) / 2, ..area }, picture);
}

/// The name of a tile, in the middle between its sides and from the upper edge of the area.
fn draw_tile_name(name: &str, is_chosen: bool, area: Area, picture: &mut Picture) {
    let letters = picture.letters_for(name, name_width(area));
    let colour = if is_chosen { Colour::GOLD } else { Colour::PALE };
    picture.text_in(letters, (area.x + (area.width - letters.width(name)) / 2, area.y), name, colour);
}

fn name_width(tile: Area) -> i32 {
    tile.width - 8
}

/// What the bars are called.
pub(super) fn strength_words<'a>(context: &Context) -> [&'a str; 3] {
    [Phrase::Speed, Phrase::Charge, Phrase::Beam].map(|phrase| context.translate(phrase))
}

pub(super) fn ship_phrase(ship: ShipModel) -> Phrase {
    match ship {
        ShipModel::Arrow => Phrase::ShipArrow,
        ShipModel::Wasp => Phrase::ShipWasp,
        ShipModel::Anvil => Phrase::ShipAnvil,
        ShipModel::Lynx => Phrase::ShipLynx,
    }
}

pub(super) fn about_phrase(ship: ShipModel) -> Phrase {
    match ship {
        ShipModel::Arrow => Phrase::AboutArrow,
        ShipModel::Wasp => Phrase::AboutWasp,
        ShipModel::Anvil => Phrase::AboutAnvil,
        ShipModel::Lynx => Phrase::AboutLynx,
    }
}
