//! The end of a stage or of a game: a tally of what everybody did, then the table with this game in it.

use ::game::{Counts, Difficulty, GameState, Mode, Rank, Ranked, Rules};
use protocol::{Tally, TallyLine};

use super::{
    Context,
    lobbies::joined,
    lobby::{KnownLobby, name_or_seat},
    scores::{TableView, board_name},
};
use crate::{
    Key, campaign,
    connection::LobbyAccess,
    draw::{
        Area, Colour, Font, Picture, controls,
        hud::{self, Banner},
        rank_letter, widgets,
    },
    input::Device,
    language::Phrase,
    tables::{Board, Contest},
};

/// Ticks after the end until it is told what came of it: nothing covers the end itself.
const SHOWN_AFTER_TICKS: u32 = 45;
const WON_SHOWN_AFTER_TICKS: u32 = 90;
/// Ticks after the end until the table takes the place of the tally.
const TABLE_AFTER_TICKS: u32 = 210;
/// With small letters and with large ones.
const PANEL: [Area; 2] =
    [Area { x: 70, y: 34, width: 340, height: 196 }, Area { x: 14, y: 6, width: 452, height: 238 }];
/// Width of the part with the rank.
const RANK_WIDTH: i32 = 84;
/// In place of the rank of somebody who did not fly.
const NO_RANK: &str = "–";
/// Of several players: how much of the width the names have, and where the other columns end.
const NAME_PERCENT: i32 = 28;
const ENDS_PERCENT: [i32; 6] = [36, 56, 68, 79, 88, 100];
/// Width of the corner that opens the menu, in the title of the panel.
const CORNER_WIDTH: i32 = 26;
/// The least between what two columns are called.
const HEADER_GAP: i32 = 4;

/// What is shown of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Page {
    Tally,
    Table,
}

/// A result as the player looks at it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ResultView {
    /// The page that the player turned to; if none, they come one after the other.
    turned: Option<Page>,
}

impl ResultView {
    /// The player turns the page.
    pub(super) fn turn(&mut self, context: &Context) {
        self.turned = match self.page(context) {
            Some(Page::Tally) if context.board.is_some() => Some(Page::Table),
            Some(Page::Table) if context.tally.is_some() => Some(Page::Tally),
            _ => None,
        };
    }

    /// The page to show now, if it is time.
    fn page(self, context: &Context) -> Option<Page> {
        let ticks = context.ended_ticks?;
        let by_time = if ticks < TABLE_AFTER_TICKS { Page::Tally } else { Page::Table };
        match self.turned.unwrap_or(by_time) {
            _ if ticks < SHOWN_AFTER_TICKS => None,
            Page::Tally if context.tally.is_none() => Some(Page::Table),
            Page::Table if context.board.is_none() && context.tally.is_some() => Some(Page::Tally),
            page => Some(page),
        }
    }

    /// The game is lost. The foot says what fire does.
    pub(super) fn draw_lost(self, context: &Context, picture: &mut Picture) {
        let Some(page) = self.page(context) else { return };
        let area = context.area(&PANEL);
        draw_title(context, area, picture);
        match (page, context.tally) {
            (Page::Tally, Some(tally)) => draw_tally(context, tally, area, picture),
            _ => draw_score_and_table(context, area, picture),
        }
        let buttons = [replay_button(context), saving_button(context)];
        // Beside the buttons.
        let width = buttons.iter().flatten().map(|button| button.x - area.x).min().unwrap_or(area.width);
        draw_foot_of(context, page, Area { width, ..area }, picture);
        for (button, label) in buttons.into_iter().zip([replay_label(context), saving_label(context)]) {
            button.into_iter().for_each(|button| draw_button(button, &label, picture));
        }
    }

    /// Whether a point is on the button that stores the recording of the game.
    pub(super) fn is_saving_at(self, at: (i32, i32), context: &Context) -> bool {
        self.page(context).and(saving_button(context)).is_some_and(|button| button.contains(at))
    }

    /// Whether a point is on the button that shows the recording of the game.
    pub(super) fn is_replay_at(self, at: (i32, i32), context: &Context) -> bool {
        self.page(context).and(replay_button(context)).is_some_and(|button| button.contains(at))
    }
}

/// The game is lost, and the player is asked for a name: the tally and the table come after it.
pub(super) fn draw_before_name(context: &Context, picture: &mut Picture) {
    let area = context.area(&PANEL);
    widgets::opaque_panel(area, &title(context, Phrase::GameOver), picture);
    draw_score(context, area, picture);
}

/// Where the button is that shows the recording of the game, if there is one.
fn replay_button(context: &Context) -> Option<Area> {
    if !context.has_own_recording {
        context.recorded_game()?;
    }
    let (area, letters) = (context.area(&PANEL), context.settings.letters);
    let (width, height) = (letters.width(&replay_label(context)) + 16, button_height(letters));
    Some(Area { x: area.x + area.width - width - 3, y: area.y + area.height - height - 3, width, height })
}

const fn button_height(letters: Font) -> i32 {
    letters.height() + 12
}

/// Where the button is that stores the recording as a file: left of the one that shows it.
fn saving_button(context: &Context) -> Option<Area> {
    let beside = replay_button(context).filter(|_| context.has_own_recording)?;
    let width = context.settings.letters.width(&saving_label(context)) + 16;
    Some(Area { x: beside.x - width - 2, width, ..beside })
}

fn saving_label(context: &Context) -> String {
    let save = context.translate(Phrase::SaveReplay);
    match context.device {
        Device::Keyboard => format!("{} {save}", context.key_name(Key::S)),
        Device::Pad => format!("↓ {save}"),
        Device::Touch => save.into(),
    }
}

/// What is pressed for it, and what it does.
fn replay_label(context: &Context) -> String {
    let key = match context.device {
        Device::Keyboard => context.key_name(Key::R),
        Device::Pad => "↑",
        Device::Touch => "▶",
    };
    format!("{key} {}", context.translate(Phrase::WatchReplay))
}

fn draw_button(button: Area, label: &str, picture: &mut Picture) {
    widgets::tile(button, false, picture);
    picture.text_in(picture.letters(), (button.x + 8, button.y + 6), label, Colour::GOLD);
}

/// The stage is won. Without a tally a banner says so; what comes next is known only of our own nodes.
pub(super) fn draw_won(context: &Context, picture: &mut Picture) {
    if context.ended_ticks.is_none_or(|ticks| ticks < WON_SHOWN_AFTER_TICKS) {
        return;
    }
    let Some(tally) = context.tally else {
        let (title, colour) = (context.translate(Phrase::StageClear), Banner::colour_of(GameState::Won));
        let is_own = context.lobby_access == LobbyAccess::Listed;
        let line = if is_own { context.translate(Phrase::ContinuesSoon) } else { "" };
        return hud::draw_banner(&Banner { title, line, colour }, picture);
    };
    let area = context.area(&PANEL);
    let (heading, line) = match context.board {
        None => (Phrase::StageClear, Phrase::PracticeAgain),
        Some(board) if is_last_stage(board) => (Phrase::CampaignClear, Phrase::NextRoundSoon),
        Some(_) => (Phrase::StageClear, Phrase::NextStageSoon),
    };
    let title =
        if heading == Phrase::CampaignClear { context.translate(heading).into() } else { title(context, heading) };
    widgets::opaque_panel(area, &title, picture);
    draw_tally(context, tally, area, picture);
    draw_foot(context.translate(line), area, picture);
}

/// What is counted and ranked: of a stage that was won, this stage; of a campaign that was won or a game that was lost, all of
/// it.
pub(super) fn ranked(tally: &Tally, board: Option<&Board>) -> Ranked {
    let is_of_stage = tally.is_won && !board.is_some_and(is_last_stage);
    if is_of_stage { Ranked::Stage } else { Ranked::Game }
}

/// Whether the campaign ends with the stage of that table, and begins again.
fn is_last_stage(board: &Board) -> bool {
    let last = campaign::stages().last().map(|stage| stage.name.as_str());
    matches!(&board.contest, Contest::Stage { name, .. } if last == Some(name.as_str()))
}

/// The panel of a lost game. Beside what happened is the way out.
fn draw_title(context: &Context, area: Area, picture: &mut Picture) {
    let way_out = context.menu_hint();
    let letters = picture.letters();
    // Large letters leave the corner no room beside the panel.
    let has_corner = context.device == Device::Touch && context.settings.letters == Font::Large;
    let width = if has_corner { CORNER_WIDTH } else { letters.width(&way_out) + 10 };
    widgets::opaque_panel(area, &title_in(context, Phrase::GameOver, area.width - 14 - width), picture);
    let top = area.y + 1 + (widgets::title_height(letters) - letters.height()) / 2;
    picture.text_in(letters, (area.x + area.width + 3 - width, top), &way_out, Colour::PALE);
    if has_corner {
        let middle = (area.x + area.width - CORNER_WIDTH / 2, top + letters.height() / 2);
        controls::draw_menu_corner(middle, picture);
    }
}

/// What happened, and in which game.
fn title(context: &Context, phrase: Phrase) -> String {
    title_in(context, phrase, context.area(&PANEL).width - 14)
}

/// The same, in this width: large letters may leave no room for the name of the table.
fn title_in(context: &Context, phrase: Phrase, width: i32) -> String {
    let what = context.translate(phrase);
    let game = match context.board {
        Some(board) => Some(board_name(context, board)),
        None if context.tally.is_some() => Some(context.translate(Phrase::Practice).into()),
        None => None,
    };
    let wave =
        (context.wave > 0).then(|| context.translate(Phrase::WaveNumber).replace("{}", &context.wave.to_string()));
    let whole = joined([Some(what.into()), game, wave]);
    if context.settings.letters.width(&whole) <= width { whole } else { what.into() }
}

/// What has just been done, or what fire does now, and what the arrows do. Large letters may leave no room for all of it.
fn draw_foot_of(context: &Context, page: Page, area: Area, picture: &mut Picture) {
    if let Some(notice) = context.notice {
        return draw_foot(context.translate(notice), area, picture);
    }
    let other = context.translate(if page == Page::Tally { Phrase::TurnToTable } else { Phrase::TurnToTally });
    let can_turn = context.tally.is_some() && context.board.is_some() && context.device != Device::Touch;
    let turns =
        if can_turn { [format!("   ◀ ▶ {other}"), "  ◀ ▶".into(), String::new()] } else { Default::default() };
    let letters = picture.letters();
    if context.lobby_access != LobbyAccess::Listed || context.own.is_none() {
        let texts = turns.map(|turn| format!("{}{turn}", context.translate(Phrase::NewGameSoon)));
        let fits = |text: &&String| letters.width(text) <= area.width - 16;
        return draw_foot(texts.iter().find(fits).unwrap_or(&texts[0]), area, picture);
    }
    let retry = context.retry_hint();
    let (width, height) = retry.size(letters);
    let turn = turns.iter().find(|turn| width + letters.width(turn) <= area.width - 16);
    let turn = turn.map_or("", String::as_str);
    let x = area.x + (area.width - width - letters.width(turn)) / 2;
    // In the middle of the buttons beside it.
    let middle_y = area.y + area.height - 3 - button_height(letters) / 2;
    retry.draw(x, middle_y - height / 2, context.tick, picture);
    picture.text_in(letters, (x + width, middle_y - letters.height() / 2), turn, Colour::GOLD);
}

fn draw_foot(text: &str, area: Area, picture: &mut Picture) {
    let letters = picture.letters_for(text, area.width - 16);
    let y = area.y + area.height - letters.height() - 6;
    let text = letters.fitting(text, area.width - 16);
    picture.text_in(letters, (area.x + (area.width - letters.width(text)) / 2, y), text, Colour::GOLD);
}

/// The score at the top of a panel, if it is known.
fn draw_score(context: &Context, area: Area, picture: &mut Picture) -> bool {
    let top = area.y + widgets::title_height(picture.letters()) + 8;
    let score = context.tally.map(|tally| tally.score).or(context.score);
    score.into_iter().for_each(|score| {
        widgets::centred(Font::Large, top, &score.to_string(), Colour::GOLD, picture);
    });
    score.is_some()
}

fn draw_score_and_table(context: &Context, area: Area, picture: &mut Picture) {
    let top = area.y + widgets::title_height(picture.letters()) + 8;
    let head = if draw_score(context, area, picture) { Font::Large.height() + 8 } else { 0 };
    let foot = picture.letters().height() + 12;
    let height = area.y + area.height - foot - top - head;
    let table = Area { x: area.x + 10, y: top + head, width: area.width - 20, height };
    if let Some(board) = context.board {
        TableView { context, board, area: table }.draw(None, picture);
    }
}

fn draw_tally(context: &Context, tally: &Tally, area: Area, picture: &mut Picture) {
    let top = area.y + widgets::title_height(picture.letters()) + 10;
    let inside = Area { x: area.x + 10, y: top, width: area.width - 20, height: area.height - 60 };
    let sheet = ResultSheet { context, tally, area: inside };
    let bottom = match &tally.players[..] {
        [player] => sheet.draw_single(player, picture),
        players => sheet.draw_players(players, picture),
    };
    let words = Area { y: bottom + 4, height: area.y + area.height - bottom - 24, ..inside };
    if !tally.is_scored {
        widgets::paragraph(words, context.translate(unscored_phrase(context)), Colour::PALE, picture);
        return;
    }
    // With large letters there is room for one of them only.
    let way = if context.can_restart { Phrase::TooHard } else { Phrase::TooHardElsewhere };
    let too_hard = is_too_hard(context, tally).then_some((way, Colour::PALE));
    let rules = [Phrase::RuleChain, Phrase::RuleRank].map(|phrase| (phrase, Colour::GREY));
    let count = if picture.letters() == Font::Large { 1 } else { 3 };
    let mut y = words.y;
    for (phrase, colour) in too_hard.into_iter().chain(rules).take(count) {
        let area = Area { y, height: words.height - (y - words.y), ..words };
        y += widgets::paragraph(area, context.translate(phrase), colour, picture) + 2;
    }
}

/// Why a game is in no table, as far as that is known here: a server may also have been too slow.
fn unscored_phrase(context: &Context) -> Phrase {
    let has_more_lives = |rules: Rules| rules.lives > Rules::of(rules.difficulty).lives;
    match context.rules {
        Some(Rules { mode: Mode::Practice(_), .. }) => Phrase::NotScoredPractice,
        _ if context.lobby.is_some_and(KnownLobby::has_bot) => Phrase::NotScoredBots,
        Some(rules) if has_more_lives(rules) => Phrase::NotScoredLives,
        _ if context.is_slow => Phrase::NotScoredSlow,
        _ => Phrase::NotScored,
    }
}

/// A game that lasts this many ticks was not too hard, however it ended.
const LONG_GAME_TICKS: u32 = 4 * 60 * 60;

/// Whether the player was alone, soon lost with the lowest rank, and could have played an easier game.
fn is_too_hard(context: &Context, tally: &Tally) -> bool {
    let is_poor = |line: &TallyLine| line.player.rank == Rank::D && line.player.game.ticks() < LONG_GAME_TICKS;
    !tally.is_won && matches!(&tally.players[..], [line] if is_poor(line)) && has_easier(context)
}

/// Whether there is an easier game of this kind. That of a day is the same for everyone.
pub(super) fn has_easier(context: &Context) -> bool {
    match context.board.map(|board| &board.contest) {
        Some(Contest::Stage { difficulty, .. } | Contest::Endless(difficulty)) => *difficulty != Difficulty::Easy,
        Some(Contest::Daily(_)) | None => false,
    }
}

/// A tally, and where it is drawn.
struct ResultSheet<'a> {
    context: &'a Context<'a>,
    tally: &'a Tally,
    area: Area,
}

impl ResultSheet<'_> {
    fn ranked(&self) -> Ranked {
        ranked(self.tally, self.context.board)
    }

    /// The tally of a player who was alone: a large rank, and a row for each figure. Returns where it ends.
    fn draw_single(&self, line: &TallyLine, picture: &mut Picture) -> i32 {
        let (counts, area) = (line.player.counts(self.ranked()), self.area);
        let letters = picture.letters();
        let row = letters.height() + if letters == Font::Large { 7 } else { 10 };
        draw_rank(self.context, line.player.earned(self.ranked()), (area.x + RANK_WIDTH / 2, area.y), picture);
        let (left, right) = (area.x + RANK_WIDTH + 8, area.x + area.width - 4);
        for (index, (phrase, value)) in (0..).zip(self.figures(&counts)) {
            let y = area.y + index * row;
            let label = self.context.translate(phrase);
            let value_width = letters.width(&value);
            let label_letters = picture.letters_for(label, right - left - value_width - 8);
            picture.text_in(
                label_letters,
                (left, y + (letters.height() - label_letters.height()) / 2),
                label,
                Colour::GREY,
            );
            let colour = if index == 0 { Colour::GOLD } else { Colour::PALE };
            picture.text_in(letters, (right - value_width, y), &value, colour);
            picture.rect(Area::new(left, y + letters.height() + 2, right - left, 1), Colour::of(b'3'));
        }
        (area.y + 5 * row).max(area.y + rank_letter::HEIGHT + 20)
    }

    /// The figures of one player, and what they are called.
    fn figures(&self, counts: &Counts) -> [(Phrase, String); 5] {
        let is_campaign = self.context.board.is_some_and(is_last_stage);
        let score = if self.tally.is_won && !is_campaign { counts.score } else { self.tally.score };
        [
            (Phrase::Score, score.to_string()),
            (Phrase::Kills, counts.kills.to_string()),
            (Phrase::BestChain, counts.chain_max.to_string()),
            (Phrase::ShipsLost, counts.deaths.to_string()),
            (Phrase::TimePlayed, minutes(counts.ticks())),
        ]
    }

    /// The tally of several players: a row for each. Returns where it ends.
    fn draw_players(&self, lines: &[TallyLine], picture: &mut Picture) -> i32 {
        let (context, area) = (self.context, self.area);
        let letters = picture.letters();
        let row = letters.height() + 9;
        let total = format!("{} {}", context.translate(Phrase::Score), self.tally.score);
        widgets::centred(Font::Large, area.y, &total, Colour::GOLD, picture);
        let top = area.y + Font::Large.height() + 10;
        let headers = [Phrase::Rank, Phrase::Score, Phrase::Kills, Phrase::Chain, Phrase::Lost, Phrase::TimePlayed];
        let first = top + self.draw_headers(top, headers, picture);
        for (index, line) in (0..).zip(lines) {
            let y = first + index * row;
            let (counts, seat) = (line.player.counts(self.ranked()), line.player.seat);
            if context.own == Some(seat) {
                picture.rect(Area::new(area.x - 4, y - 4, area.width + 8, row - 1), Colour::of(b'4'));
            }
            let name = name_or_seat(context, &line.name, seat);
            let room = area.width * NAME_PERCENT / 100 - 4;
            let name_letters = picture.letters_for(name, room);
            let name = name_letters.fitting(name, room);
            picture.text_in(name_letters, (area.x, y), name, Colour::SEATS[seat.index()]);
            let cells = [
                line.player.earned(self.ranked()).map_or(NO_RANK, Rank::letter).to_owned(),
                counts.score.to_string(),
                counts.kills.to_string(),
                counts.chain_max.to_string(),
                counts.deaths.to_string(),
                minutes(counts.ticks()),
            ];
            self.draw_cells(y, &cells, Colour::PALE, picture);
        }
        first + row * lines.len() as i32
    }

    /// What the columns are called, and returns how high that is. Long words need two lines: every other column is on the second.
    fn draw_headers(&self, top: i32, headers: [Phrase; 6], picture: &mut Picture) -> i32 {
        let (letters, area) = (picture.letters(), self.area);
        let headers = headers.map(|phrase| self.context.translate(phrase));
        let ends = ENDS_PERCENT.map(|end| area.x + area.width * end / 100);
        let mut columns = headers.iter().zip(ends).skip(1).zip(ends);
        let is_staggered = columns.any(|((header, end), before)| end - letters.width(header) < before + HEADER_GAP);
        for (index, (header, end)) in (0..).zip(headers.into_iter().zip(ends)) {
            let lower = if is_staggered { index % 2 * (letters.height() + 3) } else { 0 };
            picture.text_in(letters, (end - letters.width(header), top + lower), header, Colour::GREY);
        }
        if is_staggered { 2 * letters.height() + 10 } else { letters.height() + 7 }
    }

    /// The cells of a row right of the name, each at the right of its column.
    fn draw_cells(&self, y: i32, cells: &[String; 6], colour: Colour, picture: &mut Picture) {
        let area = self.area;
        let mut from = NAME_PERCENT;
        for (cell, end) in cells.iter().zip(ENDS_PERCENT) {
            let room = area.width * (end - from) / 100 - 3;
            let letters = picture.letters_for(cell, room);
            let cell = letters.fitting(cell, room.max(0));
            let lower = (picture.letters().height() - letters.height()) / 2;
            picture.text_in(letters, (area.x + area.width * end / 100 - letters.width(cell), y + lower), cell, colour);
            from = end;
        }
    }
}

fn draw_rank(context: &Context, rank: Option<Rank>, (centre, top): (i32, i32), picture: &mut Picture) {
    let word = context.translate(Phrase::Rank);
    let letters = picture.letters_for(word, RANK_WIDTH);
    picture.text_in(letters, (centre - letters.width(word) / 2, top), word, Colour::GREY);
    let top = top + letters.height() + 9;
    match rank {
        Some(rank) => rank_letter::draw(rank, (centre, top), picture),
        None => {
            let middle = (centre - Font::Large.width(NO_RANK) / 2, top + rank_letter::HEIGHT / 2);
            picture.text_in(Font::Large, middle, NO_RANK, Colour::GREY);
        }
    }
}

/// Ticks as minutes and seconds.
fn minutes(ticks: u32) -> String {
    let seconds = ticks / 60;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}
