//! The kill feed: who joined, left, timed out and was eliminated, newest last, each line for a few seconds. It also knows
//! what the events tell of the players for longer: their names, and how many ships they lost.

use std::collections::VecDeque;

use game::{Event, Frame, GameState, Gone, Killer, Kind, Name, SEATS, Seat, tuning};

use super::causes::cause_of;
use crate::{
    draw::{Area, Colour, DYING_BOSS_LIFE, Font, Picture},
    language::{Language, Phrase},
};

/// The most lines that are shown at once, with small letters and with large ones.
const LINES: [usize; 2] = [4, 3];
/// Ticks for which a line is shown; in the last ones it fades.
const SHOWN_TICKS: u32 = 6 * 60;
const FADES_TICKS: u32 = 45;
/// Whoever is there when the player comes, or when the game starts, did not join just now: joins of the first ticks are not shown.
const ARRIVAL_TICKS: u32 = 90;
/// The fall of a boss is seen by everybody: it is shown for a shorter time.
const BOSS_SHOWN_TICKS: u32 = 3 * 60;
/// No words lie over a boss that burns: what there is to tell waits until it has fallen to pieces and these have flown apart.
const WRECK_TICKS: u32 = DYING_BOSS_LIFE + 30;
/// The top of the first line: below the HUD, and below the line for a player without a ship.
const TOP: [i32; 2] = [50, 58];
/// The same while a chase is announced, which has that place.
const TOP_IN_CHASE: [i32; 2] = [92, 100];

/// What happened to players lately, and what is known of them.
#[derive(Clone, Debug, Default)]
pub struct Feed {
    lines: VecDeque<FeedLine>,
    names: [Name; SEATS],
    losses: [u16; SEATS],
    /// What each player's last ship was lost to, if it was not a player.
    lost_to: [Option<Phrase>; SEATS],
    /// Since when the game is seen.
    began: u32,
    /// Nothing new is shown before this tick.
    held_until: u32,
}

#[derive(Clone, Copy, Debug)]
struct FeedLine {
    phrase: Phrase,
    /// Whom it is about; none if it is about a boss.
    player: Option<Seat>,
    name: Name,
    cause: Option<Cause>,
    since: u32,
}

/// Why a ship was lost.
#[derive(Clone, Copy, Debug)]
enum Cause {
    Thing(Phrase),
    Player(Seat, Name),
}

/// What the events of a tick are understood by.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// The Frame that was shown before.
    pub before: &'a Frame,
    /// The state of the game now.
    pub state: GameState,
    /// What the players are called, with those who joined in this tick.
    pub now: &'a [Name; SEATS],
    /// The names of the players where Frames tell none; empty if nobody knows.
    pub names: &'a [Name; SEATS],
    /// Who is known to have no lives left.
    pub is_out: [bool; SEATS],
    /// The player's seat, if nobody else plays: nobody needs to be told what they see happen to themselves.
    pub alone: Option<Seat>,
    pub tick: u32,
}

/// Where and how the feed is drawn.
#[derive(Clone, Copy, Debug)]
pub struct FeedLayout {
    /// Where its lines end.
    pub right: i32,
    /// The language of the player.
    pub language: Language,
    pub tick: u32,
    /// Whether something closes in from behind, which is announced above the corridor.
    pub is_chased: bool,
}

/// What a line says: the name, in the colour of its player, is between two texts.
struct FeedText {
    before: String,
    name: String,
    after: String,
    cause: String,
}

impl Feed {
    /// Another game: nothing is known of it yet.
    pub fn begin(&mut self, tick: u32) {
        *self = Feed { began: tick, ..Feed::default() };
    }

    /// What a player is called, as far as Frames told it.
    pub fn name(&self, seat: Seat) -> Name {
        self.names[seat.index()]
    }

    /// How many ships each player was seen to lose.
    pub fn losses(&self) -> [u16; SEATS] {
        self.losses
    }

    /// What a player's last ship was lost to, if that is known and it was not a player.
    pub fn lost_to(&self, seat: Seat) -> Option<Phrase> {
        self.lost_to[seat.index()]
    }

    /// Takes in the events of a tick.
    pub fn observe(&mut self, events: &[Event], surroundings: Surroundings) {
        for (seat, name) in Seat::ALL.into_iter().zip(surroundings.now) {
            // Whoever joins comes after what happened to the one who sat there before.
            if !name.is_empty() && !events.contains(&Event::Joined { seat }) {
                self.names[seat.index()] = *name;
            }
        }
        if surroundings.before.state == GameState::Waiting && surroundings.state != GameState::Waiting {
            // Who sat there already is seen along the top, and the card of the stage is to be read.
            self.lines.retain(|line| line.phrase != Phrase::FeedJoined);
            self.began = surroundings.tick;
        }
        events.iter().for_each(|event| self.observe_event(event, surroundings));
    }

    fn observe_event(&mut self, event: &Event, surroundings: Surroundings) {
        let Surroundings { before, now, names, is_out, alone, tick, .. } = surroundings;
        match *event {
            Event::Joined { seat } => {
                (self.names[seat.index()], self.losses[seat.index()]) = (now[seat.index()], 0);
                let line = self.line(Phrase::FeedJoined, seat, surroundings);
                if tick.wrapping_sub(self.began) >= ARRIVAL_TICKS {
                    self.push(line);
                }
            }
            Event::Killed { seat, by, .. } => {
                let cause = by.map(|by| self.cause(by, names));
                let phrase = if is_out[seat.index()] { Phrase::FeedEliminated } else { Phrase::FeedShipLost };
                let line = FeedLine { cause, ..self.line(phrase, seat, surroundings) };
                if alone != Some(seat) {
                    self.push(line);
                }
                self.losses[seat.index()] = self.losses[seat.index()].saturating_add(1);
                self.lost_to[seat.index()] = match cause {
                    Some(Cause::Thing(thing)) => Some(thing),
                    Some(Cause::Player(..)) | None => None,
                };
            }
            Event::Left { seat } => self.goes(self.line(Phrase::FeedLeft, seat, surroundings)),
            Event::TimedOut { seat } => self.goes(self.line(Phrase::FeedTimedOut, seat, surroundings)),
            Event::Destroyed { entity, gone: Gone::Destroyed } => {
                let Some(phrase) = before.entity(entity).and_then(|entity| boss_falls(entity.kind)) else { return };
                self.hold_until(tick + WRECK_TICKS, tick);
                self.push(FeedLine { phrase, player: None, name: Name::NONE, cause: None, since: tick });
            }
            Event::ExtraLife { seat } if alone == Some(seat) => {
                self.push(FeedLine {
                    phrase: Phrase::FeedOwnExtraLife,
                    player: None,
                    name: Name::NONE,
                    cause: None,
                    since: tick,
                });
            }
            Event::ExtraLife { seat } => self.push(self.line(Phrase::FeedExtraLife, seat, surroundings)),
            Event::Destroyed { .. }
            | Event::Spawned { .. }
            | Event::Fired { .. }
            | Event::Hit { .. }
            | Event::Grabbed { .. }
            | Event::Dropped { .. }
            | Event::StateChanged { .. } => {}
        }
    }

    fn line(&self, phrase: Phrase, seat: Seat, surroundings: Surroundings) -> FeedLine {
        let name = self.known_name(seat, surroundings.names);
        FeedLine { phrase, player: Some(seat), name, cause: None, since: surroundings.tick }
    }

    /// A player is gone, and what is known of them goes too.
    fn goes(&mut self, line: FeedLine) {
        self.push(line);
        if let Some(seat) = line.player {
            (self.names[seat.index()], self.losses[seat.index()]) = (Name::NONE, 0);
        }
    }

    fn cause(&self, by: Killer, names: &[Name; SEATS]) -> Cause {
        match by {
            Killer { seat: Some(seat), .. } => Cause::Player(seat, self.known_name(seat, names)),
            Killer { kind, seat: None } => Cause::Thing(cause_of(kind)),
        }
    }

    /// What a player is called, by Frames or else by what is known without them.
    fn known_name(&self, seat: Seat, names: &[Name; SEATS]) -> Name {
        let told = self.names[seat.index()];
        if told.is_empty() { names[seat.index()] } else { told }
    }

    /// What is told from this tick on is shown only from another one on; points, and with them an extra life, may have been
    /// told before the boss itself.
    fn hold_until(&mut self, until: u32, tick: u32) {
        self.held_until = until;
        self.lines.iter_mut().filter(|line| line.since == tick).for_each(|line| line.since = until);
    }

    fn push(&mut self, line: FeedLine) {
        let line = FeedLine { since: line.since.max(self.held_until), ..line };
        if self.lines.len() == LINES[0] {
            self.lines.pop_front();
        }
        self.lines.push_back(line);
    }

    /// Draws the lines, the newest last.
    pub fn draw(&self, layout: FeedLayout, picture: &mut Picture) {
        let large = usize::from(picture.letters() == Font::Large);
        let recent: Vec<&FeedLine> = self.lines.iter().filter(|line| line.is_shown(layout.tick)).collect();
        let mut top = if layout.is_chased { TOP_IN_CHASE } else { TOP }[large];
        for line in &recent[recent.len().saturating_sub(LINES[large])..] {
            top += line.draw(top, layout, picture);
        }
    }
}

impl FeedLine {
    fn age(&self, tick: u32) -> u32 {
        tick.wrapping_sub(self.since)
    }

    fn is_shown(&self, tick: u32) -> bool {
        tick >= self.since && self.age(tick) < self.shown_ticks()
    }

    fn shown_ticks(&self) -> u32 {
        if self.player.is_some() { SHOWN_TICKS } else { BOSS_SHOWN_TICKS }
    }

    fn words(&self, language: Language) -> FeedText {
        let (before, after) = split(language.translate(self.phrase));
        let name = self.player.map_or(String::new(), |seat| called(seat, &self.name, language));
        let cause = match self.cause {
            None => String::new(),
            Some(Cause::Thing(thing)) => format!(" ({})", language.translate(thing)),
            Some(Cause::Player(seat, name)) => {
                let (before, after) = split(language.translate(Phrase::FeedByPlayer));
                format!(" {before}{}{after}", called(seat, &name, language))
            }
        };
        FeedText { before: before.into(), name, after: after.into(), cause }
    }

    /// Draws it, and returns how much lower the next one is.
    fn draw(&self, top: i32, layout: FeedLayout, picture: &mut Picture) -> i32 {
        let mut words = self.words(layout.language);
        let letters = words.fit(picture.letters(), layout.right - 8);
        let (width, height) = (letters.width(&words.to_text()), letters.height());
        let left = layout.right - width;
        let is_fading = self.age(layout.tick) >= self.shown_ticks() - FADES_TICKS;
        picture.darken(Area::new(left - 4, top - 2, width + 8, height + 4), if is_fading { 1 } else { 3 });
        let name_colour = self.player.map_or(Colour::GOLD, |seat| Colour::SEATS[seat.index()]);
        let parts = [
            (&words.before, Colour::PALE),
            (&words.name, name_colour),
            (&words.after, Colour::PALE),
            (&words.cause, Colour::GREY),
        ];
        let mut so_far = String::new();
        for (text, colour) in parts.into_iter().filter(|(text, _)| !text.is_empty()) {
            so_far.push_str(text);
            let pen = left + letters.width(&so_far) - letters.width(text);
            picture.text_edged(letters, (pen, top), text, if is_fading { Colour::DIM } else { colour });
        }
        height + 6
    }
}

impl FeedText {
    fn to_text(&self) -> String {
        format!("{}{}{}{}", self.before, self.name, self.after, self.cause)
    }

    /// The letters in which it fits. If it is too long for the chosen ones, it does without the cause.
    fn fit(&mut self, chosen: Font, room: i32) -> Font {
        if chosen.width(&self.to_text()) <= room {
            return chosen;
        }
        let cause = std::mem::take(&mut self.cause);
        if chosen == Font::Large && chosen.width(&self.to_text()) > room {
            self.cause = cause;
            return self.fit(Font::Small, room);
        }
        chosen
    }
}

/// What a player is called: by name, or else by the number that the HUD shows.
fn called(seat: Seat, name: &Name, language: Language) -> String {
    match (name.as_str(), language) {
        // The sentence itself says "Player".
        ("", Language::English) => (seat.number() + 1).to_string(),
        ("", Language::French) => language.seat_name(seat).into(),
        (name, _) => name.into(),
    }
}

/// A text with a place for a name, before and after it.
fn split(text: &str) -> (&str, &str) {
    text.split_once("{}").unwrap_or((text, ""))
}

/// What is said when the hull of a boss is destroyed.
fn boss_falls(hull: Kind) -> Option<Phrase> {
    FALLS.into_iter().find(|(kind, _)| *kind == hull).map(|(_, phrase)| phrase)
}

/// A sentence for each boss. The compiler counts them, and a test compares their hulls.
const FALLS: [(Kind, Phrase); tuning::BOSSES.len()] = [
    (Kind::Salvager, Phrase::FeedSalvager),
    (Kind::Keeper, Phrase::FeedKeeper),
    (Kind::Brood, Phrase::FeedBrood),
    (Kind::Matriarch, Phrase::FeedMatriarch),
    (Kind::Gatehouse, Phrase::FeedGatehouse),
    (Kind::Heart, Phrase::FeedHeart),
];

#[cfg(test)]
mod tests {
    use game::{Entity, EntityId, Vec2};

    use super::*;
    use crate::draw::announcements::Warning;

    const ANN: Seat = Seat::ALL[0];
    const BOB: Seat = Seat::ALL[1];
    const NOBODY: &[Name; SEATS] = &[Name::NONE; SEATS];
    const LATER: u32 = 1_000;

    fn around(before: &Frame, tick: u32) -> Surroundings<'_> {
        Surroundings {
            before,
            state: before.state,
            now: NOBODY,
            names: NOBODY,
            is_out: [false; SEATS],
            alone: None,
            tick,
        }
    }

    /// The names of the first two players.
    fn called(ann: &str, bob: &str) -> [Name; SEATS] {
        [Name::new(ann), Name::new(bob), Name::NONE, Name::NONE]
    }

    fn at(tick: u32, language: Language) -> FeedLayout {
        FeedLayout { right: 474, language, tick, is_chased: false }
    }

    fn said(feed: &Feed, language: Language) -> Vec<String> {
        let text = |line: &FeedLine| {
            let FeedText { before, name, after, cause } = line.words(language);
            format!("{before}{name}{after}{cause}")
        };
        feed.lines.iter().map(text).collect()
    }

    fn after(events: &[Event]) -> Feed {
        seen(&[(events, *NOBODY)])
    }

    /// A feed that saw these events, each time with the names of their Frame.
    fn seen(frames: &[(&[Event], [Name; SEATS])]) -> Feed {
        let mut feed = Feed::default();
        for (events, now) in frames {
            feed.observe(events, Surroundings { now, ..around(&Frame::default(), LATER) });
        }
        feed
    }

    fn killed(seat: Seat, by: Option<Killer>) -> Event {
        Event::Killed { seat, ship: EntityId(1), by }
    }

    #[test]
    fn a_lone_player_reads_nothing_of_their_own_losses_but_they_are_counted() {
        let (mut feed, before) = (Feed::default(), Frame::default());
        let surroundings = Surroundings { alone: Some(BOB), ..around(&before, LATER) };
        feed.observe(&[killed(BOB, None), Event::TimedOut { seat: Seat::ALL[0] }], surroundings);
        assert_eq!(said(&feed, Language::English), ["Player 1 timed out"]);
        assert_eq!(feed.losses()[BOB.index()], 1);
    }

    #[test]
    fn each_sentence_is_said_in_the_words_of_the_document_and_in_french() {
        let all = [Event::Joined { seat: BOB }, killed(BOB, None), Event::TimedOut { seat: BOB }];
        let feed = seen(&[(&all, called("", "Bob"))]);
        assert_eq!(
            said(&feed, Language::English),
            ["Player Bob joined", "Player Bob was eliminated", "Player Bob timed out"]
        );
        assert_eq!(
            said(&feed, Language::French),
            ["Bob a rejoint la partie", "Bob a perdu un vaisseau", "Bob ne répond plus"]
        );
        let feed = after(&[Event::Left { seat: BOB }]);
        assert_eq!(said(&feed, Language::English), ["Player 2 left"], "nobody knows the name");
        assert_eq!(said(&feed, Language::French), ["J2 a quitté la partie"]);
    }

    #[test]
    fn a_player_is_named_until_gone_and_the_next_in_that_seat_is_another() {
        let (left, joined) = (Event::Left { seat: BOB }, Event::Joined { seat: BOB });
        let bob = (&[][..], called("", "Bob"));
        let feed = seen(&[bob, (&[left, joined], *NOBODY)]);
        assert_eq!(said(&feed, Language::English), ["Player Bob left", "Player 2 joined"]);
        let feed = seen(&[bob, (&[left, joined], called("", "Cleo"))]);
        assert_eq!(said(&feed, Language::English), ["Player Bob left", "Player Cleo joined"]);
        assert_eq!(feed.name(BOB).as_str(), "Cleo");
    }

    #[test]
    fn what_destroyed_a_ship_is_told_where_it_is_known() {
        let by = |kind, seat| Some(Killer { kind, seat });
        let all = [killed(BOB, by(Kind::Shot, Some(ANN))), killed(BOB, by(Kind::Wall, None))];
        let feed = seen(&[(&all, called("Ann", ""))]);
        assert_eq!(
            said(&feed, Language::English),
            ["Player 2 was eliminated by Ann", "Player 2 was eliminated (a wall)"]
        );
        assert_eq!(feed.losses(), [0, 2, 0, 0]);
        let mut feed = Feed::default();
        let boss = Entity::new(EntityId(7), Kind::Keeper, Vec2::ZERO);
        let before = Frame { entities: vec![boss], ..Frame::default() };
        feed.observe(&[Event::Destroyed { entity: boss.id, gone: Gone::Departed }], around(&before, LATER));
        assert!(feed.lines.is_empty(), "it flew away");
        feed.observe(&[Event::Destroyed { entity: boss.id, gone: Gone::Destroyed }], around(&before, LATER));
        assert_eq!(said(&feed, Language::English), ["Keeper destroyed"]);
    }

    #[test]
    fn every_boss_has_a_sentence_that_is_gone_sooner_than_others() {
        for kind in Kind::ALL.iter().copied() {
            assert_eq!(boss_falls(kind).is_some(), tuning::boss(kind).is_some(), "{kind:?}");
        }
        let boss = Entity::new(EntityId(7), Kind::Heart, Vec2::ZERO);
        let before = Frame { entities: vec![boss], ..Frame::default() };
        let mut feed = Feed::default();
        feed.observe(&[Event::Destroyed { entity: boss.id, gone: Gone::Destroyed }], around(&before, LATER));
        let is_shown = |age: u32| {
            let mut picture = Picture::new();
            feed.draw(at(LATER + age, Language::English), &mut picture);
            (50..58).any(|y| (0..Picture::WIDTH).any(|x| picture.at(x, y) == Some(Colour::PALE)))
        };
        let end = WRECK_TICKS + BOSS_SHOWN_TICKS;
        assert!(is_shown(WRECK_TICKS) && !is_shown(end) && end < SHOWN_TICKS);
        assert!(!(0..WRECK_TICKS).any(is_shown), "nothing is written over a boss that burns");
    }

    #[test]
    fn what_is_told_while_a_boss_burns_waits_too() {
        let boss = Entity::new(EntityId(7), Kind::Heart, Vec2::ZERO);
        let before = Frame { entities: vec![boss], ..Frame::default() };
        let destroyed = Event::Destroyed { entity: boss.id, gone: Gone::Destroyed };
        for events in [[Event::ExtraLife { seat: BOB }, destroyed], [destroyed, Event::ExtraLife { seat: BOB }]] {
            let mut feed = Feed::default();
            feed.observe(&[killed(ANN, None)], around(&before, LATER - 10));
            feed.observe(&events, around(&before, LATER));
            feed.observe(&[Event::TimedOut { seat: ANN }], around(&before, LATER + 20));
            let shown = |age: u32| feed.lines.iter().filter(|line| line.is_shown(LATER + age)).count();
            assert_eq!([shown(0), shown(WRECK_TICKS - 1)], [1, 1], "what was there already stays");
            assert_eq!(shown(WRECK_TICKS), 4);
        }
    }

    #[test]
    fn whoever_sat_there_before_the_game_started_did_not_join_it() {
        let mut feed = Feed::default();
        feed.begin(0);
        let waiting = Frame { state: GameState::Waiting, ..Frame::default() };
        feed.observe(&[Event::Joined { seat: BOB }, Event::Left { seat: ANN }], around(&waiting, LATER));
        let started = Surroundings { state: GameState::Running, ..around(&waiting, LATER + 60) };
        feed.observe(&[Event::Joined { seat: BOB }], started);
        assert_eq!(said(&feed, Language::English), ["Player 1 left"]);
        let running = Frame { state: GameState::Running, ..Frame::default() };
        feed.observe(&[Event::Joined { seat: BOB }], around(&running, LATER + 60 + ARRIVAL_TICKS));
        assert_eq!(said(&feed, Language::English), ["Player 1 left", "Player 2 joined"]);
    }

    #[test]
    fn french_tells_the_last_ship_from_the_others() {
        let mut feed = Feed::default();
        let mut is_out = [false; SEATS];
        let before = Frame::default();
        feed.observe(&[killed(BOB, None)], Surroundings { is_out, ..around(&before, LATER) });
        is_out[BOB.index()] = true;
        feed.observe(&[killed(BOB, None)], Surroundings { is_out, ..around(&before, LATER) });
        assert_eq!(said(&feed, Language::French), ["J2 a perdu un vaisseau", "J2 est hors jeu"]);
    }

    #[test]
    fn during_a_chase_nothing_is_where_it_is_announced() {
        let feed = after(&[killed(BOB, None)]);
        let mut picture = Picture::new();
        feed.draw(FeedLayout { is_chased: true, ..at(LATER, Language::English) }, &mut picture);
        let is_lit = |y: i32| (0..Picture::WIDTH).any(|x| picture.at(x, y) == Some(Colour::PALE));
        let end = Warning::CHASE_Y + 25;
        assert!(!(0..end).any(is_lit) && (end..Picture::HEIGHT).any(is_lit));
    }

    #[test]
    fn those_who_are_there_already_did_not_join_and_the_feed_is_bounded() {
        let mut feed = Feed::default();
        feed.begin(LATER);
        feed.observe(&[Event::Joined { seat: BOB }], around(&Frame::default(), LATER + 10));
        assert!(feed.lines.is_empty());
        feed.observe(&[killed(BOB, None); 50], around(&Frame::default(), LATER + 20));
        assert_eq!(feed.lines.len(), LINES[0]);
    }

    #[test]
    fn a_line_fades_and_is_gone() {
        let feed = after(&[killed(BOB, None)]);
        let lit = |age: u32| {
            let mut picture = Picture::new();
            feed.draw(at(LATER + age, Language::English), &mut picture);
            let bright = |x: i32, y: i32| picture.at(x, y) == Some(Colour::PALE);
            (40..70).flat_map(|y| (0..Picture::WIDTH).map(move |x| (x, y))).filter(|&(x, y)| bright(x, y)).count()
        };
        assert!(lit(0) > 100, "{}", lit(0));
        assert_eq!((lit(SHOWN_TICKS - 1), lit(SHOWN_TICKS)), (0, 0));
        let mut picture = Picture::new();
        feed.draw(at(LATER + SHOWN_TICKS - 1, Language::English), &mut picture);
        let faded = (0..Picture::WIDTH).any(|x| (50..58).any(|y| picture.at(x, y) == Some(Colour::DIM)));
        assert!(faded, "it is still there");
    }

    #[test]
    fn the_longest_line_fits_in_every_language_and_size() {
        let by = Some(Killer { kind: Kind::Pellet, seat: None });
        let feed = seen(&[(&[killed(BOB, by)], called("", "Wilhelmina-Wolfgang-von-Weimarer"))]);
        let looks = [Font::Small, Font::Large].into_iter().flat_map(|font| Language::ALL.map(|it| (it, font)));
        for (language, letters) in looks {
            let mut picture = Picture::new();
            picture.set_letters(letters);
            feed.draw(at(LATER, language), &mut picture);
            let is_drawn = |x: i32| (40..90).any(|y| picture.at(x, y) == Some(Colour::SEATS[1]));
            assert!((0..Picture::WIDTH).any(is_drawn) && !is_drawn(0), "{language:?} {letters:?}");
        }
    }
}
