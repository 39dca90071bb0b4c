//! The scoreboard: who plays, how many lives they have, how many ships they lost, and their share of the score.

use game::{Frame, SEATS, Seat};
use protocol::Tells;

use super::{area::Area, font::Font, palette::Colour, picture::Picture, widgets};

/// What the scoreboard shows. Texts are passed in, already translated.
#[derive(Clone, Copy, Debug)]
pub struct Scoreboard<'a> {
    pub frame: &'a Frame,
    /// What the dialect reports: the rest is not shown.
    pub known: Tells,
    /// The player's seat; none for a watcher.
    pub own: Option<Seat>,
    /// What the players are called, by seat.
    pub names: [&'a str; SEATS],
    /// Ships lost, by seat.
    pub losses: [u16; SEATS],
    /// The words on it.
    pub labels: Labels<'a>,
}

/// The words on a scoreboard.
#[derive(Clone, Copy, Debug)]
pub struct Labels<'a> {
    pub players: &'a str,
    /// Above the lives.
    pub lives: &'a str,
    /// Above the ships that were lost.
    pub losses: &'a str,
    /// Above the points.
    pub score: &'a str,
    /// In place of a player.
    pub open_seat: &'a str,
    /// In place of lives, for a player who has none.
    pub out: &'a str,
}

/// How many players there are.
pub fn player_count(frame: &Frame) -> usize {
    frame.players.iter().flatten().count()
}

/// Draws the scoreboard in the middle of the picture.
pub fn draw(board: &Scoreboard, picture: &mut Picture) {
    let letters = picture.letters();
    let (row, title) = (letters.height() + 8, widgets::title_height(letters));
    let width = if letters == Font::Large { 452 } else { 300 };
    let area = Area::centred(width, title + 10 + row * (SEATS as i32 + 1));
    let heading = format!("{}  {}/{SEATS}", board.labels.players, player_count(board.frame));
    widgets::panel(area, &heading, picture);
    let columns = Columns::new(board, area);
    let top = area.y + title + 8;
    columns.draw(top, board.header(), Colour::GREY, picture);
    for seat in Seat::ALL {
        let y = top + row * (i32::from(seat.number()) + 1);
        if board.own == Some(seat) {
            picture.rect(Area::new(area.x + 1, y - 4, area.width - 2, row - 1), Colour::of(b'4'));
        }
        let (cells, colour) = board.row(seat);
        columns.draw(y, cells, colour, picture);
    }
}

/// One row: the name, lives, losses, score. What is not known is empty.
type Cells = [String; 4];

impl Scoreboard<'_> {
    fn header(&self) -> Cells {
        let Labels { lives, losses, score, .. } = self.labels;
        let known = |is_known: bool, label: &str| if is_known { label.into() } else { String::new() };
        [String::new(), known(self.known.lives, lives), losses.into(), known(self.tells_shares(), score)]
    }

    fn row(&self, seat: Seat) -> (Cells, Colour) {
        let Some(player) = self.frame.players[seat.index()] else {
            return ([self.labels.open_seat.into(), String::new(), String::new(), String::new()], Colour::DIM);
        };
        let is_out = self.known.lives && player.lives == 0;
        let lives = match () {
            () if !self.known.lives => String::new(),
            () if is_out => self.labels.out.into(),
            () => format!("♥{}", player.lives),
        };
        let score = if self.tells_shares() { player.score.to_string() } else { String::new() };
        let colour = if is_out { Colour::DIM } else { Colour::SEATS[seat.index()] };
        ([self.names[seat.index()].into(), lives, self.losses[seat.index()].to_string(), score], colour)
    }

    /// Whose points are whose is shown if the dialect reports everything.
    fn tells_shares(&self) -> bool {
        self.known == Tells::ALL
    }
}

/// Where the cells of a row are: the name begins at the left, the others end at these places.
struct Columns {
    left: i32,
    ends: [i32; 3],
    width: i32,
}

impl Columns {
    fn new(board: &Scoreboard, area: Area) -> Columns {
        let right = area.x + area.width - 10;
        let width = area.width * 22 / 100;
        // Without a column at the right, the others move there.
        let shift = if board.tells_shares() { 0 } else { width };
        Columns { left: area.x + 10, ends: [2, 1, 0].map(|back| right - back * width + shift), width }
    }

    fn draw(&self, y: i32, cells: Cells, colour: Colour, picture: &mut Picture) {
        let letters = picture.letters();
        let [name, values @ ..] = cells;
        let room = self.ends[0] - self.width - self.left;
        picture.text_in(letters, (self.left, y), letters.fitting(&name, room), colour);
        for (value, end) in values.iter().zip(self.ends).filter(|(value, _)| !value.is_empty()) {
            let letters = picture.letters_for(value, self.width - 6);
            let lower = (picture.letters().height() - letters.height()) / 2;
            let value = letters.fitting(value, self.width - 4);
            picture.text_in(letters, (end - letters.width(value), y + lower), value, colour);
        }
    }
}
