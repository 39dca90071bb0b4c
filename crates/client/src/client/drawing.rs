//! Draws the client: the game with its HUD, then the screen.

use game::{Buttons, Frame, GameState, Kind, Name, SEATS, Seat};
use protocol::Time;

use super::{
    Client,
    feed::{FeedLayout, Surroundings},
    state_of,
};
use crate::{
    draw::{
        Area, Colour, Font, Picture, View, chain_meter, controls,
        hud::{self, Banner, Hud, NetGraph, NetSample},
        scoreboard::{self, Labels, Scoreboard},
        widgets,
    },
    game_view::GameView,
    input::TouchControls,
    language::Phrase,
    screens::Screen,
};

/// Ticks after the end of a game until its result may be shown.
const RESULT_AFTER_TICKS: u32 = 45;

impl Client {
    /// Draws what the player sees now.
    pub fn draw(&mut self, now: Time, picture: &mut Picture) {
        self.set_time(now);
        picture.set_palette(self.settings.look.palette);
        picture.set_letters(self.settings.letters);
        picture.clear(Colour::VOID);
        if self.draw_replay(picture) {
            return;
        }
        let is_title = matches!(self.screen, Screen::Title(_));
        match &mut self.demo {
            Some(demo) if self.game_view.is_none() => {
                demo.draw(self.settings.look, picture);
                picture.darken(Area::new(0, 0, Picture::WIDTH, Picture::HEIGHT), if is_title { 1 } else { 2 });
            }
            _ => self.draw_game(picture),
        }
        self.screen.draw(&self.context(), picture);
        if self.is_rejoining() {
            let (title, line) = self.waiting_phrases();
            let (title, line) = (self.translate(title), line.map_or("", |line| self.translate(line)));
            hud::draw_banner(&Banner { title, line, colour: Colour::RED }, picture);
        }
        self.draw_fault(picture);
        if self.graph_shown {
            self.draw_graph(picture);
        }
    }

    /// What is said while the client waits for the server.
    fn waiting_phrases(&self) -> (Phrase, Option<Phrase>) {
        match () {
            () if self.connection.is_solo() => (Phrase::OneMoment, None),
            () if !self.connection.is_lost() && !self.connection.was_ever_heard() => (Phrase::Connecting, None),
            () if !self.connection.was_ever_heard() => (Phrase::NoAnswerTitle, Some(Phrase::NoAnswer)),
            () if self.connection.is_restarting(self.now) => (Phrase::RestartTitle, Some(Phrase::Reconnecting)),
            () if self.connection.has_kept_seat(self.now) => (Phrase::LostTitle, Some(Phrase::ReconnectingToSeat)),
            () => (Phrase::LostTitle, Some(Phrase::Reconnecting)),
        }
    }

    /// Brings what is shown of the game up to date, and plays its sounds.
    pub(super) fn update_view(&mut self) {
        let own = self.game_view.as_ref().and_then(GameView::own);
        let (known, now, tells_lives) = (self.known_names(own), self.clock.ticks(), self.connection.tells().lives);
        let alone = own.filter(|_| self.is_alone());
        let Some(view) = &mut self.game_view else { return };
        let before = view.frame().clone();
        view.show(self.now);
        self.painter.observe(view.frame());
        self.announcements.observe(view.frame(), now);
        let names = &view.newest().names;
        let is_out =
            Seat::ALL.map(|seat| tells_lives && view.newest().players[seat.index()].is_some_and(|it| it.lives == 0));
        let state = view.frame().state;
        let surroundings = Surroundings { before: &before, state, now: names, names: &known, is_out, alone, tick: now };
        self.feed.observe(&view.frame().events, surroundings);
        self.shipless_since = is_shipless(view).then(|| self.shipless_since.unwrap_or(now));
        self.teach_events();
        self.hear_game(&before);
    }

    /// The names that are known without events: those that the lobby tells, and the player's own.
    fn known_names(&self, own: Option<Seat>) -> [Name; SEATS] {
        Seat::ALL.map(|seat| {
            let mut members = self.lobby.iter().flat_map(|lobby| &lobby.members);
            match members.find(|member| member.seat == seat) {
                Some(member) => Name::new(&member.name),
                None if own == Some(seat) => Name::new(&self.settings.name),
                None => Name::NONE,
            }
        })
    }

    /// The names of the players. The lobby's list is newer than what was told by events.
    fn names(&self, own: Option<Seat>) -> [Name; SEATS] {
        let mut names = self.known_names(own);
        for (name, seat) in names.iter_mut().zip(Seat::ALL).filter(|(name, _)| name.is_empty()) {
            *name = self.feed.name(seat);
        }
        names
    }

    fn draw_game(&mut self, picture: &mut Picture) {
        let names = self.names(self.game_view.as_ref().and_then(GameView::own));
        let names = Seat::ALL.map(|seat| match names[seat.index()].as_str() {
            "" => self.settings.language.seat_name(seat),
            name => name,
        });
        let Some(game) = &self.game_view else { return };
        let tick = self.clock.ticks();
        let view = View {
            frame: game.frame(),
            own: game.own(),
            terrain: game.terrain(),
            zones: game.zones(),
            scroll: game.scroll(),
            names,
            tick: tick.wrapping_sub(self.pacing.paused_ticks()),
            look: self.settings.look,
        };
        self.painter.set_ghost(self.ghosts.ship());
        let is_behind_a_menu = self.is_behind_a_menu();
        self.painter.draw_scenery(&view, picture);
        // Behind everything that flies, so that no words hide a shot.
        if !is_behind_a_menu {
            self.draw_boss_bar(game.frame(), picture);
            self.draw_warnings(game, tick, picture);
            // What is to be read first is alone.
            if !self.is_boss_announced() {
                self.draw_lessons(picture);
            }
        }
        self.painter.draw_entities(&view, picture);
        if is_behind_a_menu {
            // What is read is brighter than the game behind it.
            picture.darken(Area::new(0, 0, Picture::WIDTH, Picture::HEIGHT), 1);
        }
        // A game that has not begun has no score.
        if !self.is_waiting() {
            self.draw_hud(game, &view, picture);
        }
        if !is_behind_a_menu {
            self.draw_announcements(game, tick, picture);
        }
        // In a lobby that waits, its screen has a place for it.
        if !self.is_waiting() {
            self.chat.draw(tick, picture);
        }
        self.emotes.draw(game, self.settings.language, tick, picture);
        let is_told = self.is_result_told();
        if !is_told {
            self.draw_caption(picture);
        }
        if let Screen::Game(_) = self.screen
            && self.key_state.touch_controls().is_used()
        {
            self.draw_touch_controls(picture);
        }
        if self.key_state.holds_scoreboard(&self.settings.bindings) && self.is_flying() {
            self.draw_scoreboard(game, names, picture);
        } else if !is_told && !is_behind_a_menu {
            let (right, language) = (self.feed_right(), self.settings.language);
            self.feed.draw(FeedLayout { right, language, tick, is_chased: is_chased(game.frame()) }, picture);
        }
    }

    /// Score, lives and the like. Behind a menu or a result the parts are left out that would be half hidden.
    fn draw_hud(&self, game: &GameView, view: &View, picture: &mut Picture) {
        let is_clear = !self.screen.is_menu_open();
        let ping = self.connection.stats().map(|stats| stats.round_trip.as_millis() as u32);
        let shows_ping = is_clear && !self.is_result_told() && !self.connection.is_solo();
        let hud = Hud {
            frame: view.frame,
            known: self.connection.tells(),
            own: view.own.filter(|_| is_clear),
            names: view.names,
            // The menu of the host knows better who comes and goes.
            shows_players: is_clear,
            high_score: self.board.as_ref().and_then(|board| self.tables.best(board)),
            ping_ms: ping.filter(|ping| *ping > 0 && shows_ping),
            tick: view.tick,
            flashes: self.settings.look.flashes,
        };
        hud::draw(&hud, picture);
        if is_clear {
            self.draw_chain(game, picture);
            self.draw_player_count(game.newest(), picture);
        }
    }

    /// Whether the menu over the game is open, or that of a lobby that waits.
    fn is_behind_a_menu(&self) -> bool {
        self.screen.is_menu_open() || self.is_waiting()
    }

    /// Whether the menu of a lobby that waits is shown.
    fn is_waiting(&self) -> bool {
        let waits = self.waits_in_lobby() && state_of(self.game_view.as_ref()) == GameState::Waiting;
        waits && matches!(self.screen, Screen::Game(_))
    }

    /// Whether the result of a game is shown: what is at the edges would be half behind it.
    fn is_result_told(&self) -> bool {
        self.ended_at.is_some_and(|since| self.clock.ticks().wrapping_sub(since) >= RESULT_AFTER_TICKS)
    }

    /// Where the lines of the feed end: left of the network graph and of the corner that opens the menu.
    fn feed_right(&self) -> i32 {
        match () {
            () if self.graph_shown => Picture::WIDTH - 130,
            () if self.key_state.touch_controls().is_used() => Picture::WIDTH - 28,
            () => Picture::WIDTH - 6,
        }
    }

    /// The player's chain and the number of the wave, while the game is on.
    fn draw_chain(&self, game: &GameView, picture: &mut Picture) {
        let frame = game.newest();
        if frame.state != GameState::Running {
            return;
        }
        if let Some(player) = game.own().and_then(|seat| frame.players[seat.index()]) {
            chain_meter::draw(&player, frame.tick, self.translate(Phrase::Chain), picture);
        }
        if frame.wave > 0 {
            let text = self.translate(Phrase::WaveNumber).replace("{}", &frame.wave.to_string());
            chain_meter::draw_wave(&text, picture);
        }
    }

    /// How many play, beside the score, if the player is not alone.
    fn draw_player_count(&self, frame: &Frame, picture: &mut Picture) {
        let count = scoreboard::player_count(frame);
        if count < 2 {
            return;
        }
        let letters = picture.letters();
        // Between the score and the beam gauge there is little room for large letters.
        let phrase = if letters == Font::Large { Phrase::PlayerCountShort } else { Phrase::PlayerCount };
        let text = self.translate(phrase).replace("{}", &count.to_string());
        let y = Picture::HEIGHT - letters.height() - 4;
        picture.text_edged(letters, (96, y), letters.fitting(&text, 76), Colour::GREY);
    }

    fn draw_scoreboard(&self, game: &GameView, names: [&str; SEATS], picture: &mut Picture) {
        let board = Scoreboard {
            frame: game.newest(),
            known: self.connection.tells(),
            own: game.own(),
            names,
            losses: self.feed.losses(),
            labels: Labels {
                players: self.translate(Phrase::Players),
                lives: self.translate(Phrase::Lives),
                losses: self.translate(Phrase::ShipsLost),
                score: self.translate(Phrase::Score),
                open_seat: self.translate(Phrase::FreeSeat),
                out: self.translate(Phrase::Out),
            },
        };
        scoreboard::draw(&board, picture);
    }

    /// The stick below the left thumb, the buttons for the right one, and the corner that opens the menu.
    fn draw_touch_controls(&self, picture: &mut Picture) {
        // Beside a phone's upright picture the thumbs would be in its way: what they press is below it.
        if !self.is_small_screen && self.wants_thumbs() {
            self.draw_thumbs(picture);
        }
        // The panel of a result has it in its title then.
        if !(self.settings.letters == Font::Large && self.is_result_shown()) {
            controls::draw_menu_corner(TouchControls::MENU_AT, picture);
        }
    }

    /// Whether thumbs fly the ship now, so that it is shown where they press. In menus they do nothing.
    pub fn wants_thumbs(&self) -> bool {
        self.game_view.is_some() && self.is_flying() && matches!(self.screen, Screen::Game(_))
    }

    fn draw_thumbs(&self, picture: &mut Picture) {
        let controls = self.key_state.touch_controls();
        if let Some((from, at)) = controls.stick() {
            picture.ring((from.0, from.1), 24, Colour::EDGE);
            let within = |from: i32, at: i32| from + (at - from).clamp(-20, 20);
            picture.disc((within(from.0, at.0), within(from.1, at.1)), 9, Colour::EDGE.lighter());
        }
        let buttons = [
            (TouchControls::FIRE_AT, Buttons::FIRE, Colour::RED, 22, Phrase::KeyFire),
            (TouchControls::FORCE_AT, Buttons::FORCE, Colour::GOLD, 18, Phrase::KeyForce),
        ];
        for ((x, y), button, colour, radius, phrase) in buttons {
            picture.ring((x, y), radius, colour);
            picture.ring((x, y), radius - 1, colour);
            let is_held = controls.held().contains(button);
            if is_held {
                picture.disc((x, y), radius - 4, colour.darker());
            }
            let (name, letters) = (self.translate(phrase), picture.letters());
            let (left, top) = (x - letters.width(name) / 2, y - letters.height() / 2);
            picture.text_edged(letters, (left, top), name, if is_held { Colour::PALE } else { colour });
        }
    }

    fn draw_caption(&self, picture: &mut Picture) {
        if let Some(phrase) = self.caption() {
            let y = if picture.letters() == Font::Large { 236 } else { 244 };
            widgets::centred(Font::Small, y, self.translate(phrase), Colour::PALE, picture);
        }
    }

    fn draw_graph(&self, picture: &mut Picture) {
        let samples: Vec<NetSample> = self.graph.samples().map(sample).collect();
        let stats = self.connection.stats().unwrap_or_default();
        let graph = NetGraph {
            samples: &samples,
            bytes_in_per_second: stats.bytes_in_per_second,
            bytes_out_per_second: stats.bytes_out_per_second,
            labels: [
                Phrase::GraphRoundTrip,
                Phrase::GraphLoss,
                Phrase::GraphFrameAge,
                Phrase::GraphCorrection,
                Phrase::GraphBytes,
            ]
            .map(|phrase| self.translate(phrase)),
        };
        hud::draw_net_graph(&graph, picture);
        let bend = self.bend_per_mille();
        let sign = if bend < 0 { '-' } else { '+' };
        let bend = format!("{sign}{}.{}", bend.abs() / 10, bend.abs() % 10);
        let clock = self.translate(Phrase::GraphClock).replace("{}", &bend);
        let delay = self.translate(Phrase::GraphDelay).replace("{}", &self.delay_ms().to_string());
        // Below the box of the graph.
        picture.darken(Area::new(Picture::WIDTH - 122, 160, 118, 24), 3);
        picture.text((Picture::WIDTH - 117, 163), &clock, Colour::GREY);
        picture.text((Picture::WIDTH - 117, 173), &delay, Colour::GREY);
    }

    fn delay_ms(&self) -> u32 {
        self.game_view.as_ref().map_or(0, GameView::delay_ms)
    }

    pub(super) fn translate(&self, phrase: Phrase) -> &'static str {
        self.settings.language.translate(phrase)
    }
}

/// Whether something closes in from behind.
pub(super) fn is_chased(frame: &Frame) -> bool {
    frame.entities.iter().any(|entity| entity.kind == Kind::Grinder)
}

/// Whether the player has a seat but no ship.
fn is_shipless(view: &GameView) -> bool {
    let frame = view.newest();
    let player = view.own().filter(|seat| frame.players[seat.index()].is_some());
    player.is_some_and(|seat| frame.ship(seat).is_none())
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
