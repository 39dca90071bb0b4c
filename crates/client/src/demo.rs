//! The game behind the menus: bots play it, and nobody hears it.

use bot::BotGame;
use game::{SEATS, SUBPIXELS, Stage};

use crate::draw::{Look, Painter, Picture, View, ZoneStart};

/// How many bots play.
const PLAYERS: usize = 2;

/// A game that bots play.
pub struct Demo {
    game: BotGame,
    painter: Painter,
    /// The clock of animations: it goes on when the next game begins.
    ticks: u32,
}

impl Demo {
    /// A game of its own for each seed.
    pub fn new(seed: u64) -> Demo {
        let stage = Stage::built_in("stage1").unwrap_or_else(Stage::endless);
        Demo { game: BotGame::new(stage, PLAYERS, seed), painter: Painter::new(), ticks: 0 }
    }

    pub fn tick(&mut self) {
        self.game.tick();
        let frame = self.game.frame();
        if frame.tick.0 <= 1 {
            // Another game: its entities have nothing to do with those of the last.
            self.painter = Painter::new();
        }
        self.ticks = self.ticks.wrapping_add(1);
        self.painter.observe(frame);
    }

    pub fn draw(&mut self, look: Look, picture: &mut Picture) {
        let frame = self.game.frame();
        let zones = ZoneStart::all_of(self.game.stage());
        let view = View {
            frame,
            own: None,
            terrain: Some(&self.game.stage().terrain),
            zones: &zones,
            scroll: i64::from(frame.scroll_px) * i64::from(SUBPIXELS),
            names: [""; SEATS],
            tick: self.ticks,
            // A background that shakes disturbs whoever reads.
            look: Look { shake: false, ..look },
        };
        self.painter.draw(&view, picture);
    }
}
