//! What is drawn over the game: score, lives, beam gauge, Force, names, ping, banners, and the network graph.
//!
//! All of it is drawn from plain numbers. Texts are passed in, already translated.

use game::{Entity, Frame, GameState, Player, SEATS, Seat};
use protocol::Tells;

use super::{area::Area, font::Font, palette::Colour, picture::Picture, widgets};

/// What the HUD shows.
#[derive(Clone, Copy, Debug)]
pub struct Hud<'a> {
    /// Players and score.
    pub frame: &'a Frame,
    /// What the dialect reports: the rest is not shown.
    pub known: Tells,
    /// The player's seat; none for a watcher.
    pub own: Option<Seat>,
    /// What the players are called, by seat.
    pub names: [&'a str; SEATS],
    /// Whether the players are shown, along the top.
    pub shows_players: bool,
    /// The best score so far, if it is known.
    pub high_score: Option<u32>,
    /// The round trip in milliseconds, if it is known.
    pub ping_ms: Option<u32>,
    /// A clock for animations, 60 a second.
    pub tick: u32,
    /// Whether things flash.
    pub flashes: bool,
}

pub fn draw(hud: &Hud, picture: &mut Picture) {
    for (seat, player) in Seat::ALL.into_iter().zip(&hud.frame.players) {
        if let Some(player) = player.as_ref().filter(|_| hud.shows_players) {
            draw_player(hud, seat, player, picture);
        }
    }
    draw_score(hud, picture);
    if let Some(ship) = hud.own.and_then(|seat| hud.frame.ship(seat)).filter(|_| hud.known.charge) {
        draw_gauge(ship, hud, picture);
    }
    if let Some(ping) = hud.ping_ms {
        draw_ping(ping, hud.high_score.is_some(), picture);
    }
}

/// Width of a player's corner of the HUD.
const SLOT: i32 = 118;
/// Top of the lowest line of the HUD.
pub const FOOT: i32 = foot(Font::Small);
/// Width of what may stand there between the number of players and the best score.
pub const GAUGE_ROOM: i32 = 144;

/// Top of the lowest line, for a size of letters.
const fn foot(letters: Font) -> i32 {
    Picture::HEIGHT - letters.height() - 4
}

/// Name, lives, Force, speed-ups and missiles, at the top, from left to right by seat.
fn draw_player(hud: &Hud, seat: Seat, player: &Player, picture: &mut Picture) {
    let x = 5 + SLOT * i32::from(seat.number());
    let colour = Colour::SEATS[seat.index()];
    let mut pen = x;
    if hud.own == Some(seat) {
        pen += picture.text_edged(picture.letters(), (pen, 5), "▶", colour) + 2;
    }
    let colour = if hud.known.lives && player.lives == 0 { Colour::GREY } else { colour };
    let letters = picture.letters();
    picture.text_edged(letters, (pen, 5), letters.fitting(hud.names[seat.index()], x + 70 - pen), colour);
    if hud.known.lives {
        draw_lives(x + 74, player.lives, colour, picture);
    }
    if hud.known.gear {
        draw_gear(x, 8 + letters.height(), player, colour, picture);
    }
}

fn draw_lives(x: i32, lives: u8, colour: Colour, picture: &mut Picture) {
    let letters = picture.letters();
    if lives > 4 || letters == Font::Large && lives > 0 {
        let pen = x + picture.text_edged(letters, (x, 5), "♥", colour) + 1;
        picture.text_edged(letters, (pen, 5), &lives.to_string(), colour);
        return;
    }
    for life in 0..i32::from(lives) {
        picture.text_edged(Font::Small, (x + 7 * life, 5), "♥", colour);
    }
}

/// Squares for the Force's level, arrows for speed-ups, a diamond for missiles.
fn draw_gear(x: i32, y: i32, player: &Player, colour: Colour, picture: &mut Picture) {
    let mut pen = x;
    for level in 0..3 {
        let filled = level < player.force_level;
        picture.rect(Area::new(pen - 1, y, 6, 6), Colour::SHADOW);
        picture.rect(Area::new(pen, y + 1, 4, 4), if filled { colour } else { Colour::of(b'D') });
        pen += 7;
    }
    pen += 3;
    for speed in 0..i32::from(player.speed.min(4)) {
        picture.text_edged(Font::Small, (pen + 5 * speed, y), ">", colour);
    }
    if player.missiles {
        picture.text_edged(Font::Small, (x + 50, y), "♦", colour);
    }
}

fn draw_score(hud: &Hud, picture: &mut Picture) {
    let letters = picture.letters();
    let foot = foot(letters);
    if hud.known.score {
        let pen = match letters {
            Font::Small => 5 + picture.text_edged(letters, (5, foot), "SCORE", Colour::GREY) + 4,
            // There is no room for the label.
            Font::Large => 5,
        };
        picture.text_edged(letters, (pen, foot), &digits(hud.frame.score), Colour::PALE);
    }
    if let Some(high) = hud.high_score {
        let high = digits(high.max(hud.frame.score));
        let pen = 320 + picture.text_edged(letters, (320, foot), "HI", Colour::GREY) + 4 * letters.scale();
        picture.text_edged(letters, (pen, foot), &high, Colour::GOLD);
    }
}

/// A score with leading zeros.
fn digits(score: u32) -> String {
    format!("{score:07}")
}

/// Width of the beam gauge's inside.
const GAUGE: i32 = 128;

/// The beam gauge: fills from blue to white, and glows when it is full.
fn draw_gauge(ship: &Entity, hud: &Hud, picture: &mut Picture) {
    let x = (Picture::WIDTH - GAUGE) / 2;
    let y = FOOT + 1;
    picture.rect(Area::new(x - 2, y - 2, GAUGE + 4, 9), Colour::SHADOW);
    picture.outline(Area::new(x - 1, y - 1, GAUGE + 2, 7), Colour::EDGE);
    picture.rect(Area::new(x, y, GAUGE, 5), Colour::of(b'1'));
    let filled = i32::from(ship.charge) * GAUGE / 255;
    let is_full = ship.charge == 255;
    let lit = is_full && (!hud.flashes || (hud.tick / 4).is_multiple_of(2));
    for column in 0..filled {
        let colour = gauge_colour(column, lit);
        picture.rect(Area::new(x + column, y, 1, 5), colour.darker());
        picture.rect(Area::new(x + column, y + 1, 1, 2), colour);
    }
    for beam in &game::tuning::BEAMS[..3] {
        picture.rect(Area::new(x + i32::from(beam.charge_min) * GAUGE / 255, y, 1, 5), Colour::EDGE);
    }
    if is_full {
        picture.glow((x + GAUGE / 2, y + 2), 8, 1);
    }
}

fn gauge_colour(column: i32, lit: bool) -> Colour {
    match column * 4 / GAUGE {
        _ if lit => Colour::PALE,
        0 => Colour::of(b'K'),
        1 => Colour::of(b'L'),
        2 => Colour::of(b'M'),
        _ => Colour::of(b'N'),
    }
}

/// In the corner. Beside the best score there is no room for large letters.
fn draw_ping(ping_ms: u32, is_beside_best: bool, picture: &mut Picture) {
    let colour = match ping_ms {
        0..80 => Colour::GREEN,
        80..160 => Colour::GOLD,
        _ => Colour::RED,
    };
    let text = format!("{} ms", ping_ms.min(9999));
    let letters = if is_beside_best { Font::Small } else { picture.letters() };
    picture.text_edged(letters, (Picture::WIDTH - 5 - letters.width(&text), foot(letters)), &text, colour);
}

/// A large title across the picture, with a line below it.
#[derive(Clone, Copy, Debug)]
pub struct Banner<'a> {
    pub title: &'a str,
    /// What it means for the player; may be empty.
    pub line: &'a str,
    /// The colour of the title.
    pub colour: Colour,
}

impl Banner<'_> {
    /// The colour that fits a state of the game.
    pub fn colour_of(state: GameState) -> Colour {
        match state {
            GameState::Waiting => Colour::SEATS[0],
            GameState::Running | GameState::Won => Colour::GOLD,
            GameState::Lost | GameState::TimedOut => Colour::RED,
        }
    }
}

/// Draws a banner over the middle of the picture.
pub fn draw_banner(banner: &Banner, picture: &mut Picture) {
    let (top, height) = (104, if banner.line.is_empty() { 34 } else { 48 });
    picture.darken(Area::new(0, top, Picture::WIDTH, height), 2);
    picture.rect(Area::new(0, top, Picture::WIDTH, 1), banner.colour.darker());
    picture.rect(Area::new(0, top + height - 1, Picture::WIDTH, 1), banner.colour.darker());
    widgets::centred(Font::Large, top + 10, banner.title, banner.colour, picture);
    widgets::centred(Font::Small, top + 34, banner.line, Colour::PALE, picture);
}

/// One sample of the network graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NetSample {
    /// Round trip in milliseconds.
    pub round_trip_ms: u16,
    /// Datagrams lost, in percent.
    pub loss_percent: u8,
    /// How old the shown Frame is, in milliseconds.
    pub frame_age_ms: u16,
    /// How far the player's ship was corrected, in pixels.
    pub correction_px: u8,
    /// Bytes received.
    pub bytes: u16,
}

/// What the network graph shows.
#[derive(Clone, Copy, Debug)]
pub struct NetGraph<'a> {
    /// From the oldest to the newest; the last 100 are shown.
    pub samples: &'a [NetSample],
    /// Bytes received in the last second.
    pub bytes_in_per_second: u32,
    /// Bytes sent in the last second.
    pub bytes_out_per_second: u32,
    /// What the five curves are called: round trip, loss, age of the Frame, correction, bytes.
    pub labels: [&'a str; 5],
}

/// Draws the network graph at the right.
pub fn draw_net_graph(graph: &NetGraph, picture: &mut Picture) {
    let (x, y) = (Picture::WIDTH - 122, 26);
    picture.darken(Area::new(x, y, 118, 134), 3);
    picture.outline(Area::new(x, y, 118, 134), Colour::EDGE);
    let newest = graph.samples.last().copied().unwrap_or_default();
    let rows = [
        Row { value: format!("{} ms", newest.round_trip_ms), colour: Colour::SEATS[0], most: 300 },
        Row { value: format!("{} %", newest.loss_percent), colour: Colour::RED, most: 20 },
        Row { value: format!("{} ms", newest.frame_age_ms), colour: Colour::GOLD, most: 200 },
        Row { value: format!("{} px", newest.correction_px), colour: Colour::SEATS[3], most: 16 },
        Row { value: kilobytes(graph), colour: Colour::GREEN, most: 1200 },
    ];
    for (index, row) in rows.iter().enumerate() {
        let top = y + 4 + 26 * index as i32;
        picture.text((x + 5, top), graph.labels[index], Colour::GREY);
        picture.text((x + 113 - Picture::text_width(&row.value), top), &row.value, row.colour);
        let shown = &graph.samples[graph.samples.len().saturating_sub(SAMPLES_SHOWN)..];
        draw_bars(shown.iter().map(|sample| sample.measures()[index]), x + 9, top + 22, row, picture);
    }
}

/// How many samples fit.
const SAMPLES_SHOWN: usize = 100;

/// One of the five curves.
struct Row {
    value: String,
    colour: Colour,
    /// The value that fills the height of the row.
    most: i32,
}

impl NetSample {
    fn measures(&self) -> [i32; 5] {
        let NetSample { round_trip_ms, loss_percent, frame_age_ms, correction_px, bytes } = *self;
        [round_trip_ms.into(), loss_percent.into(), frame_age_ms.into(), correction_px.into(), bytes.into()]
    }
}

fn kilobytes(graph: &NetGraph) -> String {
    let tenths = |bytes: u32| format!("{}.{}", bytes / 1000, bytes / 100 % 10);
    format!("↓{} ↑{}", tenths(graph.bytes_in_per_second), tenths(graph.bytes_out_per_second))
}

/// Height of the tallest bar.
const BAR_MAX: i32 = 12;

fn draw_bars(measures: impl Iterator<Item = i32>, x: i32, foot: i32, row: &Row, picture: &mut Picture) {
    picture.rect(Area::new(x, foot, SAMPLES_SHOWN as i32, 1), Colour::of(b'E'));
    for (column, measure) in (0..).zip(measures) {
        let height = ((measure * BAR_MAX + row.most - 1) / row.most).clamp(0, BAR_MAX);
        picture.rect(Area::new(x + column, foot - height, 1, height), row.colour);
    }
}
