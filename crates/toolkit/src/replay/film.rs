//! A replay as a picture or as a film, drawn by the client's own renderer in its 64 colours.

use std::{borrow::Cow, io::Write, ops::RangeInclusive};

use client::{
    ReplayView,
    draw::{COLOURS, Colour, Look, Palette, Picture},
};
use game::Seat;
use gif::{Encoder, Frame, Repeat};
use replay::Replay;

use super::progress::Progress;

/// Ticks for each picture of a film: 20 pictures a second, and a whole number of hundredths, in which a GIF counts.
const TICKS_EACH: u32 = 3;
/// Between two pictures, in hundredths of a second.
const DELAY: u16 = (TICKS_EACH * 100 / 60) as u16;
/// Ticks that are played before the first picture: effects such as explosions last no longer.
const LEAD_IN_TICKS: u32 = 60;

const WIDTH: u16 = Picture::WIDTH as u16;
const HEIGHT: u16 = Picture::HEIGHT as u16;

/// What is filmed.
#[derive(Clone, Debug)]
pub struct FilmOptions {
    /// The ticks of the game. A picture is of the first.
    pub ticks: RangeInclusive<u32>,
    /// The player who is followed.
    pub follows: Option<Seat>,
}

/// A replay that is filmed.
struct Film {
    view: ReplayView,
    picture: Picture,
}

impl Film {
    fn new(replay: &Replay, options: &FilmOptions) -> anyhow::Result<Film> {
        let mut film = Film { view: ReplayView::new(replay)?, picture: Picture::new() };
        let first = *options.ticks.start();
        film.view.seek(first.saturating_sub(LEAD_IN_TICKS))?;
        film.view.follow(options.follows);
        while film.view.playback().now() < first && film.tick()? {}
        film.draw();
        Ok(film)
    }

    /// Plays a tick, with its effects. False: the game is at its end.
    fn tick(&mut self) -> anyhow::Result<bool> {
        let goes_on = self.view.tick()?;
        self.draw();
        Ok(goes_on)
    }

    fn draw(&mut self) {
        self.view.draw_game(&mut self.picture, Look { shake: false, ..Look::default() });
    }

    /// The numbers of the colours, row by row.
    fn numbers(&self) -> Vec<u8> {
        let pixels = (0..Picture::HEIGHT).flat_map(|y| (0..Picture::WIDTH).map(move |x| (x, y)));
        pixels.map(|(x, y)| self.picture.at(x, y).map_or(0, Colour::number)).collect()
    }
}

/// Red, green and blue of each colour.
fn palette() -> Vec<u8> {
    (0..COLOURS as u8).flat_map(|number| Palette::Default.rgb(Colour::from_number(number))).collect()
}

/// Writes a picture of the first tick.
pub(super) fn write_png(replay: &Replay, options: &FilmOptions, out: &mut impl Write) -> anyhow::Result<()> {
    let film = Film::new(replay, options)?;
    let mut encoder = png::Encoder::new(out, WIDTH.into(), HEIGHT.into());
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_palette(palette());
    encoder.set_compression(png::Compression::High);
    encoder.write_header()?.write_image_data(&film.numbers())?;
    Ok(())
}

/// Writes a film of all ticks. How many pictures it has.
pub(super) fn write_gif(replay: &Replay, options: &FilmOptions, out: &mut impl Write) -> anyhow::Result<usize> {
    let mut film = Film::new(replay, options)?;
    let mut encoder = Encoder::new(out, WIDTH, HEIGHT, &palette())?;
    encoder.set_repeat(Repeat::Infinite)?;
    let (mut shown, mut count) = (Vec::new(), 0);
    let (first, end) = (*options.ticks.start(), (*options.ticks.end()).min(replay.ticks()));
    let mut progress = Progress::new("filming", end.saturating_sub(first));
    while film.view.playback().now() <= *options.ticks.end() {
        let numbers = film.numbers();
        encoder.write_frame(&difference(&shown, &numbers))?;
        (shown, count) = (numbers, count + 1);
        progress.show(film.view.playback().now().saturating_sub(first));
        for _ in 0..TICKS_EACH {
            if !film.tick()? {
                return Ok(count);
            }
        }
    }
    Ok(count)
}

/// A picture, of which what is as it was before is clear: that packs much better.
fn difference(before: &[u8], now: &[u8]) -> Frame<'static> {
    const CLEAR: u8 = COLOURS as u8;
    let pixels = match before.is_empty() {
        true => now.to_vec(),
        false => now.iter().zip(before).map(|(now, before)| if now == before { CLEAR } else { *now }).collect(),
    };
    Frame {
        width: WIDTH,
        height: HEIGHT,
        delay: DELAY,
        dispose: gif::DisposalMethod::Keep,
        transparent: (!before.is_empty()).then_some(CLEAR),
        buffer: Cow::Owned(pixels),
        ..Frame::default()
    }
}
