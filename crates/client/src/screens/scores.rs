//! The tables of high scores: one for each stage, difficulty and number of players, one for Endless, one for each day.

use ::game::{Difficulty, Rank, SEATS};
use protocol::utc_day;

use super::{
    Context, Screen, ScreenCommand, about, hints,
    lobbies::stage_name,
    menu::{self, Choice, ListArea, Menu, MenuLine, menu_entries, turned},
    result,
};
use crate::{
    campaign,
    draw::{
        Area, Colour, Font, Picture,
        widgets::{self, ScoreLine},
    },
    input::{Device, MenuInput},
    language::Phrase,
    settings::Settings,
    tables::{Board, Contest, Score, Table},
};

/// With small letters and with large ones.
const PANEL: [Area; 2] =
    [Area { x: 80, y: 10, width: 320, height: 226 }, Area { x: 14, y: 4, width: 452, height: 216 }];
/// How far back the games of earlier days can be looked at.
const DAYS_BACK: u32 = 30;

/// Which table is shown.
#[derive(Clone, Debug)]
pub struct Scores {
    menu: Menu,
    contest: TableKind,
    difficulty: Difficulty,
    /// 0 is today.
    days_ago: u32,
    players: u8,
}

/// What a table is about.
#[derive(Clone, Debug, PartialEq, Eq)]
enum TableKind {
    Stage(String),
    Endless,
    Daily,
}

menu_entries! {
    /// What can be turned.
    Entry {
        Contest = Table, AboutTable;
        Difficulty = Difficulty, AboutTableDifficulty;
        Day = Day, AboutDay;
        Players = Players, AboutPlayers;
    }
}

impl Scores {
    /// At first, those of the first stage, as hard as the player has it.
    pub fn new(settings: &Settings) -> Scores {
        let contest = TableKind::Stage(campaign::first().into());
        Scores { menu: Menu::default(), contest, difficulty: settings.difficulty, days_ago: 0, players: 1 }
    }

    /// From now on, the table of a game that was played on the day that `today` is.
    pub fn turn_to(&mut self, board: &Board, today: u32) {
        self.players = board.players;
        match &board.contest {
            Contest::Stage { name, difficulty } => {
                (self.contest, self.difficulty) = (TableKind::Stage(name.clone()), *difficulty);
            }
            Contest::Endless(difficulty) => (self.contest, self.difficulty) = (TableKind::Endless, *difficulty),
            Contest::Daily(day) => {
                (self.contest, self.days_ago) = (TableKind::Daily, today.saturating_sub(*day).min(DAYS_BACK));
            }
        }
    }

    /// The table that is shown on that day.
    pub fn board(&self, today: u32) -> Board {
        let difficulty = self.difficulty;
        let contest = match &self.contest {
            TableKind::Stage(name) => Contest::Stage { name: name.clone(), difficulty },
            TableKind::Endless => Contest::Endless(difficulty),
            TableKind::Daily => Contest::Daily(today.saturating_sub(self.days_ago)),
        };
        Board { contest, players: self.players }
    }

    /// The tables that an idle title may show: the one that was looked at last, then those that most people play.
    pub fn shown_on_title(&self, today: u32) -> Vec<Board> {
        let stage = |difficulty| Contest::Stage { name: campaign::first().into(), difficulty };
        let (stages, endless) = (Difficulty::ALL.map(stage), Difficulty::ALL.map(Contest::Endless));
        let alone = stages.into_iter().chain(endless).chain([Contest::Daily(today)]);
        std::iter::once(self.board(today)).chain(alone.map(|contest| Board { contest, players: 1 })).collect()
    }

    fn entries(&self, context: &Context) -> Vec<Entry> {
        let is_there = |entry: &Entry| match entry {
            Entry::Contest => true,
            Entry::Difficulty => self.contest != TableKind::Daily,
            Entry::Day => self.contest == TableKind::Daily,
            // Nobody else comes to a server of one's own.
            Entry::Players => !context.is_solo,
        };
        Entry::ALL.iter().copied().filter(is_there).collect()
    }

    /// The cursor goes through what can be turned, then through the rows of the table.
    pub(super) fn navigate(&mut self, input: MenuInput, context: &Context) -> Option<ScreenCommand> {
        let entries = self.entries(context);
        let (board, area) = (self.board(context.today), self.table_area(context));
        let rows = TableView { context, board: &board, area }.rows(context.settings.letters);
        let row = match input {
            MenuInput::Tap(x, y) | MenuInput::Point(x, y) => row_at(area, context.settings.letters, (x, y)),
            _ => self.row(entries.len(), rows.len()),
        };
        match (input, row.and_then(|row| Some((row, rows.get(row)?)))) {
            (MenuInput::Up | MenuInput::Down, _) => {
                self.menu.navigate(input, entries.len() + rows.len(), list(context, entries.len()));
                return None;
            }
            (MenuInput::Accept | MenuInput::Tap(..), Some((row, chosen))) => {
                self.menu.select(entries.len() + row);
                return chosen.recorded.clone().map(ScreenCommand::WatchReplay);
            }
            (MenuInput::Point(..), Some((row, _))) => {
                self.menu.select(entries.len() + row);
                return None;
            }
            (MenuInput::Left | MenuInput::Right, Some(_)) => return None,
            _ => {}
        }
        match self.menu.navigate(input, entries.len(), list(context, entries.len()))? {
            Choice::Back => return Some(ScreenCommand::Show(Screen::title())),
            // Enter leads back for those who only came to look; a finger turns what it touches.
            Choice::Accept(_) if input == MenuInput::Accept => return Some(ScreenCommand::Show(Screen::title())),
            Choice::Accept(line) => self.turn(entries[line], 1),
            Choice::Turn(line, by) => self.turn(entries[line], by),
        }
        Some(ScreenCommand::FetchTable(self.board(context.today)))
    }

    /// The row of the table that the cursor is at, below the other entries.
    fn row(&self, entries: usize, rows: usize) -> Option<usize> {
        self.menu.selected(entries + rows).checked_sub(entries)
    }

    /// The recorded game at the cursor, or the best one of the table of which there is a recording.
    pub fn recorded(&self, context: &Context) -> Option<String> {
        let board = self.board(context.today);
        let rows = TableView { context, board: &board, area: self.table_area(context) }.rows(context.settings.letters);
        match self.row(self.entries(context).len(), rows.len()).and_then(|row| rows.get(row)) {
            Some(chosen) => chosen.recorded.clone(),
            None => context.tables.recorded(&board, None),
        }
    }

    fn table_area(&self, context: &Context) -> Area {
        let (panel, list) = (context.area(&PANEL), list(context, self.entries(context).len()));
        let top = list.area.y + list.area.height + 6;
        Area { x: panel.x + 8, y: top, width: panel.width - 16, height: panel.y + panel.height - top - 4 }
    }

    fn turn(&mut self, entry: Entry, by: i32) {
        match entry {
            Entry::Contest => {
                let kinds = kinds();
                let at = kinds.iter().position(|kind| *kind == self.contest).unwrap_or(0) as i32;
                self.contest = kinds[(at + by).rem_euclid(kinds.len() as i32) as usize].clone();
            }
            Entry::Difficulty => self.difficulty = turned(&Difficulty::ALL, self.difficulty, by),
            // To the left is the past.
            Entry::Day => self.days_ago = (self.days_ago as i32 - by).rem_euclid(DAYS_BACK as i32 + 1) as u32,
            Entry::Players => self.players = ((i32::from(self.players) - 1 + by).rem_euclid(SEATS as i32) + 1) as u8,
        }
    }

    pub(super) fn draw(&self, context: &Context, picture: &mut Picture) {
        let entries = self.entries(context);
        widgets::panel(context.area(&PANEL), context.translate(Phrase::Scores), picture);
        let line = |entry: &Entry| {
            MenuLine::new(context.translate(entry.phrase()), format!("◀ {} ▶", self.value(context, *entry)))
        };
        let lines: Vec<MenuLine> = entries.iter().map(line).collect();
        let area = self.table_area(context);
        picture.rect(Area::new(area.x, area.y - 5, area.width, 1), Colour::EDGE);
        let board = self.board(context.today);
        let table = TableView { context, board: &board, area };
        let rows = table.rows(picture.letters());
        let row = self.row(entries.len(), rows.len());
        let list = list(context, entries.len());
        match row {
            Some(_) => Menu::draw_unselected(&lines, list, picture),
            None => self.menu.draw(&lines, list, picture),
        }
        table.draw(row, picture);
        let chosen = row.and_then(|row| rows.get(row));
        let entry = entries[self.menu.selected(entries.len())];
        about(context, chosen.map_or(entry.about(), |chosen| chosen.about(context)), picture);
        hints(context, picture);
    }

    /// The table alone, for a title at which nobody does anything.
    pub(super) fn draw_alone(&self, context: &Context, picture: &mut Picture) {
        let area = context.area(&[Area::centred(320, 190), Area::centred(452, 234)]);
        let boards = self.shown_on_title(context.today);
        let first_with_rows = boards.iter().find(|board| context.tables.best(board).is_some());
        let board = first_with_rows.unwrap_or(&boards[0]);
        widgets::panel(area, &board_name(context, board), picture);
        TableView { context, board, area: menu::inside(area, context.settings.letters).area }.draw(None, picture);
    }

    fn value(&self, context: &Context, entry: Entry) -> String {
        match entry {
            Entry::Contest => self.contest.name(context),
            Entry::Difficulty => context.translate(difficulty_phrase(self.difficulty)).into(),
            Entry::Day if self.days_ago == 0 => context.translate(Phrase::Today).into(),
            Entry::Day => utc_day::date_of(context.today.saturating_sub(self.days_ago)),
            Entry::Players => self.players.to_string(),
        }
    }
}

impl TableKind {
    fn name(&self, context: &Context) -> String {
        match self {
            TableKind::Stage(name) => stage_name(context, name),
            TableKind::Endless => context.translate(Phrase::Endless).into(),
            TableKind::Daily => context.translate(Phrase::Daily).into(),
        }
    }
}

/// What there are tables of: the stages by name, which is by number, then the others.
fn kinds() -> Vec<TableKind> {
    let stages = campaign::stages().iter().map(|stage| TableKind::Stage(stage.name.clone()));
    stages.chain([TableKind::Endless, TableKind::Daily]).collect()
}

fn list(context: &Context, lines: usize) -> ListArea {
    let list = menu::inside(context.area(&PANEL), context.settings.letters);
    let height = widgets::line(context.settings.letters) * lines as i32;
    ListArea { area: Area { height, ..list.area }, ..list }
}

pub(super) fn difficulty_phrase(difficulty: Difficulty) -> Phrase {
    match difficulty {
        Difficulty::Easy => Phrase::Easy,
        Difficulty::Normal => Phrase::Normal,
        Difficulty::Hard => Phrase::Hard,
    }
}

/// What a table is called, such as "Stage 1, normal".
pub(super) fn board_name(context: &Context, board: &Board) -> String {
    let with =
        |name: String, difficulty: Difficulty| format!("{name}, {}", context.translate(difficulty_phrase(difficulty)));
    let name = match &board.contest {
        Contest::Stage { name, difficulty } => with(stage_name(context, name), *difficulty),
        Contest::Endless(difficulty) => with(context.translate(Phrase::Endless).into(), *difficulty),
        Contest::Daily(day) => format!("{} {}", context.translate(Phrase::Daily), utc_day::date_of(*day)),
    };
    match board.players {
        1 => name,
        players => {
            format!("{name}, {}", context.translate(Phrase::PlayerCount).replace("{}", &players.to_string()))
        }
    }
}

/// Where the rows of a table are.
fn below_heading(area: Area, letters: Font) -> Area {
    let heading = widgets::score_row(letters);
    Area { y: area.y + heading, height: area.height - heading, ..area }
}

/// The row of a table that is drawn at a point.
fn row_at(area: Area, letters: Font, at: (i32, i32)) -> Option<usize> {
    let area = below_heading(area, letters);
    let y = at.1.checked_sub(area.y)?.checked_add(2)?;
    usize::try_from(y / widgets::score_row(letters)).ok().filter(|_| area.contains(at) && y >= 0)
}

/// A table, and where it is drawn.
pub(super) struct TableView<'a> {
    pub context: &'a Context<'a>,
    pub board: &'a Board,
    pub area: Area,
}

/// A row of a table.
struct Row {
    line: ScoreLine,
    /// The id of its game, if there is a recording of it.
    recorded: Option<String>,
}

impl Row {
    fn about(&self, context: &Context) -> Phrase {
        match context.device {
            _ if self.recorded.is_none() => Phrase::AboutUnrecordedGame,
            Device::Touch => Phrase::AboutRecordedGameTouch,
            Device::Keyboard | Device::Pad => Phrase::AboutRecordedGame,
        }
    }
}

impl TableView<'_> {
    /// Draws it, with the row of the player's last game marked, and the row at the cursor, if that is in the table.
    pub(super) fn draw(&self, cursor: Option<usize>, picture: &mut Picture) {
        let note = match self.context.tables.of(self.board) {
            None => Phrase::OneMoment,
            Some(Table::Unavailable) => Phrase::TableUnavailable,
            Some(Table::Scores(_)) => Phrase::NoScores,
        };
        let rows = self.rows(picture.letters());
        if rows.is_empty() {
            return draw_note(self.context, note, self.area, picture);
        }
        let words = [Phrase::Name, Phrase::Rank, Phrase::Score].map(|phrase| self.context.translate(phrase));
        widgets::score_heading(self.area, words, picture);
        let lines: Vec<ScoreLine> = rows.into_iter().map(|row| row.line).collect();
        widgets::score_table(below_heading(self.area, picture.letters()), &lines, cursor, picture);
    }

    /// The rows that fit, the best first.
    fn rows(&self, letters: Font) -> Vec<Row> {
        let context = self.context;
        let Some(Table::Scores(scores)) = context.tables.of(self.board) else { return Vec::new() };
        let id = context.last_game.map(|game| game.to_string());
        let is_own = |score: &Score| id.is_some() && score.game == id;
        let row = |(place, score): (usize, &Score)| Row {
            line: ScoreLine {
                place,
                name: String::from(context.name_or_none(&score.name)),
                score: score.points,
                note: if score.is_recorded { format!("▶ {}", score.ranks) } else { score.ranks.clone() },
                is_own: is_own(score),
            },
            recorded: score.game.clone().filter(|_| score.is_recorded),
        };
        let fitting = widgets::score_rows(below_heading(self.area, letters), letters);
        let mut rows: Vec<Row> = (1..).zip(scores).map(row).take(fitting).collect();
        // A game that has no place in the table is below it.
        let own = context.own_score(self.board);
        if let Some(own) = own.filter(|_| !rows.iter().any(|row| row.line.is_own)) {
            rows.truncate(fitting.saturating_sub(1));
            let place = scores.iter().position(is_own).map_or(0, |index| index + 1);
            rows.push(Row { line: ScoreLine { place, ..own }, recorded: None });
        }
        rows
    }
}

fn draw_note(context: &Context, phrase: Phrase, area: Area, picture: &mut Picture) {
    let inside = Area { x: area.x + 8, y: area.y + 8, width: area.width - 16, height: area.height - 8 };
    widgets::paragraph(inside, context.translate(phrase), Colour::GREY, picture);
}

impl Context<'_> {
    /// A name, or what stands in its place.
    fn name_or_none<'a>(&self, name: &'a str) -> &'a str
    where
        Self: 'a,
    {
        if name.is_empty() { self.translate(Phrase::NoName) } else { name }
    }

    /// The player's last game, if there is a recording of it.
    pub(super) fn recorded_game(&self) -> Option<String> {
        self.tables.recorded(self.board?, Some(&self.last_game?.to_string()))
    }

    /// The player's last game as a row of that table, if it belongs there.
    fn own_score(&self, board: &Board) -> Option<ScoreLine> {
        // A game with no points is in no table.
        let tally = self.tally.filter(|tally| tally.is_scored && tally.score > 0 && self.board == Some(board))?;
        let names: Vec<&str> =
            tally.players.iter().map(|line| line.name.as_str()).filter(|name| !name.is_empty()).collect();
        let name = match names.join(", ") {
            // The name may have been given after the game.
            none if none.is_empty() => self.name_or_none(&self.settings.name).to_owned(),
            names => names,
        };
        let ranked = result::ranked(tally, Some(board));
        let ranks = tally.players.iter().filter_map(|line| line.player.earned(ranked)).map(Rank::letter).collect();
        Some(ScoreLine { place: 0, name, score: tally.score, note: ranks, is_own: true })
    }
}
