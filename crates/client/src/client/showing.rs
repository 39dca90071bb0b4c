//! Draws the client: the game and what stands in front of it, then the screen.

use game::Buttons;
use protocol::Time;

use super::Client;
use crate::{
    cues,
    draw::{
        Colour, Font, Picture, View,
        hud::{self, Banner, Hud, NetGraph, NetSample},
        widgets,
    },
    input::Thumbs,
    language::Word,
    play::Play,
    screens::Screen,
};

impl Client {
    /// Draws what the player sees now.
    pub fn draw(&mut self, now: Time, picture: &mut Picture) {
        self.pass(now);
        picture.set_palette(self.settings.look.palette);
        picture.set_letters(self.settings.letters);
        picture.clear(Colour::VOID);
        self.draw_game(picture);
        self.screen.draw(&self.context(), picture);
        if self.is_returning() {
            let (title, line) = (self.say(Word::LostTitle), self.say(Word::LostLine));
            hud::draw_banner(&Banner { title, line, colour: Colour::RED }, picture);
        }
        if self.graph_shown {
            self.draw_graph(picture);
        }
    }

    /// Makes up what is shown of the game, and what is heard of it.
    pub(super) fn show(&mut self) {
        let Some(play) = &mut self.play else { return };
        let before = play.frame().clone();
        play.show(self.now);
        self.painter.observe(play.frame());
        let cues = cues::cues(&play.frame().events, &before, play.frame());
        cues.into_iter().for_each(|cue| self.sound(cue));
    }

    fn draw_game(&mut self, picture: &mut Picture) {
        let Some(play) = &self.play else { return };
        let names: [&str; game::SEATS] = std::array::from_fn(|index| {
            let members = self.room.iter().flat_map(|room| &room.members);
            members.into_iter().find(|member| member.seat.index() == index).map_or("", |member| &member.name)
        });
        let tick = self.clock.ticks();
        let view = View {
            frame: play.frame(),
            own: play.own(),
            terrain: Some(play.terrain()),
            scroll: play.scroll(),
            names,
            tick: tick.wrapping_sub(self.pacing.stood()),
            look: self.settings.look,
        };
        self.painter.draw(&view, picture);
        let high_score = self.scores.first().map(|score| score.points);
        let ping = self.link.stats().map(|stats| stats.round_trip.as_millis() as u32);
        let hud = Hud {
            frame: play.frame(),
            known: self.link.tells(),
            own: play.own(),
            names,
            high_score,
            ping_ms: ping.filter(|ping| *ping > 0),
            tick: view.tick,
            flashes: self.settings.look.flashes,
        };
        hud::draw(&hud, picture);
        self.chat.draw(tick, picture);
        self.draw_caption(picture);
        if let Screen::Game(_) = self.screen
            && self.controls.thumbs().is_used()
        {
            self.draw_thumbs(picture);
        }
    }

    /// The stick below the left thumb, the buttons for the right one, and the corner that opens the menu.
    fn draw_thumbs(&self, picture: &mut Picture) {
        let thumbs = self.controls.thumbs();
        if let Some((from, at)) = thumbs.stick() {
            picture.ring(from.0, from.1, 24, Colour::EDGE);
            let within = |from: i32, at: i32| from + (at - from).clamp(-20, 20);
            picture.disc(within(from.0, at.0), within(from.1, at.1), 9, Colour::EDGE.lighter());
        }
        let buttons = [
            (Thumbs::FIRE_AT, Buttons::FIRE, Colour::RED, 22, Word::KeyFire),
            (Thumbs::FORCE_AT, Buttons::FORCE, Colour::GOLD, 18, Word::KeyForce),
        ];
        for ((x, y), button, colour, radius, word) in buttons {
            picture.ring(x, y, radius, colour);
            picture.ring(x, y, radius - 1, colour);
            let is_held = thumbs.held().contains(button);
            if is_held {
                picture.disc(x, y, radius - 4, colour.darker());
            }
            let name = self.say(word);
            picture.text(x - Picture::text_width(name) / 2, y - 3, name, if is_held { Colour::PALE } else { colour });
        }
        let (x, y) = Thumbs::MENU_AT;
        for line in -1..=1 {
            picture.rect(x - 5, y + 4 * line, 11, 2, Colour::PALE);
        }
    }

    fn draw_caption(&self, picture: &mut Picture) {
        let is_shown = |until: u32| until.wrapping_sub(self.clock.ticks()).cast_signed() > 0;
        let is_charging = self.settings.captions && self.hum() > 0;
        let word = self.caption.filter(|(_, until)| is_shown(*until)).map(|(word, _)| word);
        if let Some(word) = word.or(is_charging.then_some(Word::CaptionCharge)) {
            let y = if picture.letters() == Font::Large { 236 } else { 244 };
            widgets::centred(Font::Small, y, self.say(word), Colour::PALE, picture);
        }
    }

    fn draw_graph(&self, picture: &mut Picture) {
        let samples: Vec<NetSample> = self.graph.samples().map(sample).collect();
        let stats = self.link.stats().unwrap_or_default();
        let graph = NetGraph {
            samples: &samples,
            bytes_in_per_second: stats.bytes_in_per_second,
            bytes_out_per_second: stats.bytes_out_per_second,
        };
        hud::draw_net_graph(&graph, picture);
        let clock = format!("clock {:+}/1000", self.bend_per_mille());
        let past = format!("others {} ms ago", self.delay_ms());
        picture.text(Picture::WIDTH - 117, 163, &clock, Colour::GREY);
        picture.text(Picture::WIDTH - 117, 173, &past, Colour::GREY);
    }

    fn delay_ms(&self) -> u32 {
        self.play.as_ref().map_or(0, Play::delay_ms)
    }

    fn say(&self, word: Word) -> &'static str {
        self.settings.language.say(word)
    }
}

fn sample(sample: &crate::netcode::Sample) -> NetSample {
    NetSample {
        round_trip_ms: sample.round_trip_ms.min(u16::MAX.into()) as u16,
        loss_percent: sample.loss_percent.min(100) as u8,
        frame_age_ms: sample.frame_age_ms.min(u16::MAX.into()) as u16,
        correction_px: (sample.correction.div_ceil(game::SUBPIXELS as u32)).min(u8::MAX.into()) as u8,
        bytes: sample.bytes.min(u16::MAX.into()) as u16,
    }
}
