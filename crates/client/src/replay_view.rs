//! A replay as a picture: the game as it was, and a bar with its moments below it. In a window, in a page, and as the frames of a film.
//!
//! What a person presses becomes a [`ReplayKey`]; time is passed in. Nothing here knows where the file came from.

use std::time::Duration;

use game::{SUBPIXELS, Seat};
use protocol::Tells;
use replay::{MomentKind, Playback, Replay, ReplayError, Speed, clock};

use crate::{
    Key,
    draw::{Area, Colour, Font, Look, Painter, Picture, View, ZoneStart, hud},
    language::Language,
};

/// How far the arrows lead, in ticks.
const STEP_TICKS: i64 = 5 * 60;
/// Ticks that are played in one picture at most, however fast it is: the rest is left out.
const TICKS_AT_ONCE_MAX: u32 = 64;

const BAR_HEIGHT: i32 = 32;
const BAR_MARGIN: i32 = 8;

/// What a person can do with a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayKey {
    Pause,
    Faster,
    Slower,
    Back,
    Forward,
    PreviousMoment,
    NextMoment,
    /// Follow the next player.
    Follow,
    Begin,
    End,
}

impl ReplayKey {
    /// What a key means, if it means anything here.
    pub fn of(key: Key) -> Option<ReplayKey> {
        Some(match key {
            Key::SPACE | Key::ENTER | Key::P => ReplayKey::Pause,
            Key::ARROW_LEFT => ReplayKey::Back,
            Key::ARROW_RIGHT => ReplayKey::Forward,
            Key::ARROW_UP => ReplayKey::Faster,
            Key::ARROW_DOWN => ReplayKey::Slower,
            Key::N => ReplayKey::NextMoment,
            Key::B => ReplayKey::PreviousMoment,
            Key::F => ReplayKey::Follow,
            Key::HOME => ReplayKey::Begin,
            Key::END => ReplayKey::End,
            _ => return None,
        })
    }
}

/// A replay as a picture.
pub struct ReplayView {
    playback: Playback,
    painter: Painter,
    zones: Vec<ZoneStart>,
    /// Ticks that were shown: the clock of animations, which never goes back.
    ticks: u32,
    /// That of the player, for those who have no name.
    language: Language,
}

impl ReplayView {
    /// The beginning of a game, which plays.
    pub fn new(replay: &Replay) -> Result<ReplayView, ReplayError> {
        let (playback, zones) = (Playback::new(replay)?, ZoneStart::all_of(replay.stage()));
        Ok(ReplayView { playback, painter: Painter::new(), zones, ticks: 0, language: Language::default() })
    }

    /// From now on, players without a name are called as in this language.
    pub fn speak(&mut self, language: Language) {
        self.language = language;
    }

    pub fn playback(&self) -> &Playback {
        &self.playback
    }

    /// Lets time pass.
    pub fn advance(&mut self, passed: Duration) -> Result<(), ReplayError> {
        if self.playback.search_on()? {
            self.notice_jump();
        }
        for _ in 0..self.playback.ticks_due(passed).min(TICKS_AT_ONCE_MAX) {
            if !self.tick()? {
                break;
            }
        }
        Ok(())
    }

    /// Plays a tick. False: the game is at its end.
    pub fn tick(&mut self) -> Result<bool, ReplayError> {
        let goes_on = self.playback.tick()?;
        if goes_on {
            self.ticks += 1;
            self.painter.observe(self.playback.frame());
        }
        Ok(goes_on)
    }

    /// Does what a person wants.
    pub fn obey(&mut self, key: ReplayKey) -> Result<(), ReplayError> {
        let playback = &mut self.playback;
        match key {
            ReplayKey::Pause if playback.now() == playback.end() => {
                playback.seek(0)?;
                playback.set_paused(false);
            }
            ReplayKey::Pause => playback.set_paused(!playback.is_paused()),
            ReplayKey::Faster => playback.set_speed(playback.speed().faster()),
            ReplayKey::Slower => playback.set_speed(playback.speed().slower()),
            ReplayKey::Back => playback.seek_by(-STEP_TICKS)?,
            ReplayKey::Forward => playback.seek_by(STEP_TICKS)?,
            ReplayKey::PreviousMoment => _ = playback.previous_moment()?,
            ReplayKey::NextMoment => _ = playback.next_moment()?,
            ReplayKey::Follow => playback.follow_next(),
            ReplayKey::Begin => playback.seek(0)?,
            ReplayKey::End => playback.seek(playback.end())?,
        }
        self.notice_jump();
        Ok(())
    }

    /// Goes to a moment of the game.
    pub fn seek(&mut self, tick: u32) -> Result<(), ReplayError> {
        self.playback.seek(tick)?;
        self.notice_jump();
        Ok(())
    }

    /// Follows a player, or nobody.
    pub fn follow(&mut self, seat: Option<Seat>) {
        self.playback.follow(seat);
    }

    /// Where in the game a place of the picture leads, if the bar is there.
    pub fn tick_at(&self, x: i32, y: i32) -> Option<u32> {
        let width = Picture::WIDTH - 2 * BAR_MARGIN;
        let along = (x - BAR_MARGIN).clamp(0, width);
        (y >= Picture::HEIGHT - BAR_HEIGHT)
            .then(|| (i64::from(self.playback.end()) * i64::from(along) / i64::from(width)) as u32)
    }

    /// What flies now has nothing to do with what flew before a jump.
    fn notice_jump(&mut self) {
        if self.playback.take_jump() {
            self.painter = Painter::new();
        }
    }

    /// Draws the game with a line for how much of it has passed: nothing hides a ship that flies low.
    pub fn draw_clear(&mut self, picture: &mut Picture, look: Look) {
        self.draw_known(picture, look, Tells::ALL);
        let along = i64::from(Picture::WIDTH) * i64::from(self.playback.now()) / i64::from(self.playback.end().max(1));
        picture.rect(Area::new(0, Picture::HEIGHT - 1, Picture::WIDTH, 1), Colour::DIM);
        picture.rect(Area::new(0, Picture::HEIGHT - 1, along as i32, 1), Colour::GOLD);
    }

    /// Draws the game, and the bar with its moments and what is pressed.
    pub fn draw(&mut self, picture: &mut Picture, look: Look, keys: &str) {
        // The bar lies over the foot of the HUD, and tells the score itself.
        self.draw_known(picture, look, Tells { score: false, charge: false, ..Tells::ALL });
        self.draw_bar(keys, picture);
    }

    /// Draws the game alone.
    pub fn draw_game(&mut self, picture: &mut Picture, look: Look) {
        self.draw_known(picture, look, Tells::ALL);
    }

    fn draw_known(&mut self, picture: &mut Picture, look: Look, known: Tells) {
        let frame = self.playback.frame();
        let names = Seat::ALL.map(|seat| match frame.names[seat.index()].as_str() {
            "" => self.language.seat_name(seat),
            name => name,
        });
        let own = self.playback.follows();
        let view = View {
            frame,
            own,
            terrain: Some(&self.playback.reel().replay().stage().terrain),
            zones: &self.zones,
            scroll: i64::from(frame.scroll_px) * i64::from(SUBPIXELS),
            names,
            tick: self.ticks,
            look,
        };
        self.painter.draw(&view, picture);
        let (tick, flashes) = (self.ticks, look.flashes);
        let hud =
            hud::Hud { frame, known, own, names, high_score: None, ping_ms: None, tick, flashes, shows_players: true };
        hud::draw(&hud, picture);
    }

    fn draw_bar(&self, keys: &str, picture: &mut Picture) {
        let (top, width) = (Picture::HEIGHT - BAR_HEIGHT, Picture::WIDTH - 2 * BAR_MARGIN);
        let end = self.playback.end().max(1);
        let place = |tick: u32| BAR_MARGIN + (i64::from(width) * i64::from(tick) / i64::from(end)) as i32;
        picture.darken(Area::new(0, top, Picture::WIDTH, BAR_HEIGHT), 2);
        picture.rect(Area::new(BAR_MARGIN, top + 4, width, 2), Colour::DIM);
        picture.rect(Area::new(BAR_MARGIN, top + 4, place(self.playback.now()) - BAR_MARGIN, 2), Colour::GOLD);
        for moment in self.playback.moments() {
            let (colour, height) = match moment.kind {
                MomentKind::Death(seat) => (Colour::SEATS[seat.index()], 4),
                MomentKind::Boss(_) => (Colour::RED, 6),
            };
            picture.rect(Area::new(place(moment.tick), top + 5 - height / 2, 1, height), colour);
        }
        picture.rect(Area::new(place(self.playback.now()) - 1, top + 2, 3, 6), Colour::PALE);
        picture.text_in(Font::Small, (BAR_MARGIN, top + 11), &self.status(), Colour::PALE);
        let score = format!("{:07}", self.playback.frame().score);
        let x = Picture::WIDTH - BAR_MARGIN - Font::Small.width(&score);
        picture.text_in(Font::Small, (x, top + 11), &score, Colour::PALE);
        picture.text_in(Font::Small, (BAR_MARGIN, top + 21), keys, Colour::GREY);
    }

    fn status(&self) -> String {
        let playback = &self.playback;
        let mut text = format!("{} / {}", clock(playback.now()), clock(playback.end()));
        if playback.is_paused() {
            text += "  ||";
        }
        if playback.speed() != Speed::NORMAL {
            text += &format!("  ×{}", playback.speed());
        }
        if let Some(seat) = playback.follows() {
            text += &format!("  {}", self.language.seat_name(seat));
        }
        text
    }
}
