//! The screens. Each is a small machine: it takes a [`MenuInput`], returns a [`ScreenCommand`] if it wants something done, and draws
//! itself. None of them knows the network: what they show is in the [`Context`].

mod create;
mod credits;
mod daily;
mod game;
mod host_menu;
mod how_to_play;
mod keys;
mod lobbies;
mod lobby;
mod menu;
mod name_dialog;
mod options;
mod player_state;
mod practice;
mod result;
mod scores;
mod share;
mod ship_choice;
mod text_entry;
mod text_field;
mod title;

use ::game::{GameState, Rules, Seat, Skill};
use protocol::{Emote, GameId, LobbyId, LobbySummary, Tally};

pub(crate) use self::game::emote_phrase;
pub use self::{
    create::Create,
    daily::Daily,
    daily::mutator_phrases,
    game::Game,
    keys::Keys,
    lobbies::Lobbies,
    lobby::KnownLobby,
    options::Options,
    practice::Practice,
    scores::Scores,
    ship_choice::ShipChoice,
    text_entry::TextEntry,
    text_field::TextField,
    title::{IDLE_TICKS, Title},
};
use crate::{
    Key,
    client::chat::Chat,
    connection::LobbyAccess,
    draw::{Area, Font, Picture, widgets},
    input::{Device, KeyLabels, MenuInput},
    language::Phrase,
    settings::Settings,
    tables::{Board, Tables},
};

/// The screen that the player is on.
#[derive(Clone, Debug)]
pub enum Screen {
    /// The first screen.
    Title(Title),
    /// The ships, and how hard it is.
    ShipChoice(ShipChoice),
    /// The game of the day.
    Daily(Daily),
    /// Where practice begins, and with what.
    Practice(Practice),
    Options(Options),
    /// The key bindings.
    Keys(Keys),
    /// The open lobbies.
    Lobbies(Lobbies),
    /// A new lobby.
    Create(Create),
    /// The player types a name or a code.
    TextEntry(TextEntry),
    /// The tables of high scores.
    Scores(Scores),
    /// Who made it.
    Credits,
    /// In a lobby: waiting, playing or watching.
    Game(Game),
}

/// What a screen may show.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// What the player chose.
    pub settings: &'a Settings,
    /// What is printed on the player's keys, as far as it is known.
    pub key_labels: &'a KeyLabels,
    /// A clock for animations, 60 a second.
    pub tick: u32,
    /// What the player used last.
    pub device: Device,
    /// Ticks since the player did anything.
    pub idle_ticks: u32,
    /// What the player can do about lobbies.
    pub lobby_access: LobbyAccess,
    /// Whether what comes waits in a queue for a while.
    pub queues_changes: bool,
    /// Whether the server is the player's own: nothing speaks of connections, codes or pings.
    pub is_solo: bool,
    /// Whether somebody else is in the lobby, playing or watching.
    pub has_company: bool,
    /// The state of the connection.
    pub connection: Phrase,
    /// A message to the player, shown for a while.
    pub notice: Option<Phrase>,
    /// What was said in the lobby.
    pub chat: &'a Chat,
    /// The open lobbies, as far as known.
    pub lobbies: &'a [LobbySummary],
    /// How long the server took to answer when it was last asked for the lobbies.
    pub list_round_trip_ms: Option<u32>,
    /// The lobby in which the player waits.
    pub waiting_lobby: Option<&'a KnownLobby>,
    /// The lobby that the player is in, whether it waits or is played, as far as it is known.
    pub lobby: Option<&'a KnownLobby>,
    /// The code of the lobby that the player is in, and the address of the server's page.
    pub code: Option<LobbyId>,
    pub page: Option<&'a str>,
    /// The player's seat; none for a watcher.
    pub own: Option<Seat>,
    /// The tables of high scores that were fetched.
    pub tables: &'a Tables,
    /// The table that was looked at last.
    pub scores: &'a Scores,
    /// What was chosen for practice.
    pub practice: &'a Practice,
    /// Days since the first of January 1970, UTC.
    pub today: u32,
    /// The table of the game that is played or was just played; none in practice.
    pub board: Option<&'a Board>,
    /// What everybody did in the stage that was won, or the game that was lost.
    pub tally: Option<&'a Tally>,
    /// The last game that ended, which has a row in its table.
    pub last_game: Option<GameId>,
    /// Whether the recording of that game is here, because the player played it alone.
    pub has_own_recording: bool,
    /// For how many ticks the game has been won or lost.
    pub ended_ticks: Option<u32>,
    pub state: GameState,
    /// Whether a boss is in the picture.
    pub has_boss: bool,
    /// Whether the warning before it is shown.
    pub is_boss_announced: bool,
    /// Whether the card of a stage or a warning is shown.
    pub is_announced: bool,
    /// Whether something closes in from behind.
    pub is_chased: bool,
    /// The score of the game, if it is known.
    pub score: Option<u32>,
    /// For how many ticks the player has had a seat but no ship; none while there is a ship.
    pub shipless_ticks: Option<u32>,
    /// What the player's last ship was lost to, if that is known.
    pub lost_to: Option<Phrase>,
    /// Lives left, if that is known.
    pub lives: Option<u8>,
    /// The wave of the endless stage; 0 elsewhere.
    pub wave: u32,
    /// The rules of the lobby, if they are known.
    pub rules: Option<Rules>,
    /// Whether time passes slowly.
    pub is_slow: bool,
    /// Whether the game is paused.
    pub is_paused: bool,
    /// Whether the player's game can be restarted before it is over.
    pub can_restart: bool,
}

/// What a screen wants done.
#[derive(Clone, Debug)]
pub enum ScreenCommand {
    /// Show another screen.
    Show(Screen),
    /// Use and store these settings.
    ChangeSettings(Box<Settings>),
    /// Play this stage by these rules in a lobby of one's own, at once.
    Play {
        /// The name of the stage.
        stage: &'static str,
        rules: Rules,
    },
    /// Take a seat in any lobby and play at once.
    Quick,
    /// Ask for the list of lobbies again.
    ListLobbies,
    /// Create a lobby.
    Create {
        /// The name of its stage.
        stage: String,
        rules: Rules,
        /// Whether the lobby is left out of the list.
        is_private: bool,
    },
    /// Take a seat in this lobby.
    Join(LobbyId),
    Watch(LobbyId),
    /// Send a chat message.
    Say(String),
    /// Say one of six short words at the ship.
    MakeGesture(Emote),
    /// Tell the others whether the player is ready.
    Ready(bool),
    /// Start the game.
    Start,
    /// After a lost game, play again.
    Retry,
    /// Leave the game that is played alone, and begin another one like it.
    Restart,
    /// The same, but easy, which is what the player chooses from now on.
    RestartEasy,
    /// Leave the lobby.
    Leave,
    /// Put a bot into a free seat.
    AddBot(Skill),
    /// Take the player or the bot out of this seat.
    Kick(Seat),
    /// Copy the way into the lobby, for others.
    Share,
    /// Switch to full screen, or back.
    FullScreen,
    /// Show the tables of high scores, and fetch the one that was looked at last.
    ShowScores,
    FetchTable(Board),
    /// Show the recording of the game of this id.
    WatchReplay(String),
    /// Show the recording of the game whose result is shown.
    WatchOwnReplay,
    /// Store that recording as a file.
    SaveReplay,
    /// Show the game of the day, and fetch its table.
    ShowDaily,
    /// Show what was last chosen for practice.
    ShowPractice,
}

impl Screen {
    /// The player moves through a menu.
    pub fn navigate(&mut self, input: MenuInput, context: &Context) -> Option<ScreenCommand> {
        match self {
            Screen::Title(title) => title.navigate(input, context),
            Screen::ShipChoice(choice) => choice.navigate(input, context),
            Screen::Daily(daily) => daily.navigate(input, context),
            Screen::Practice(practice) => practice.navigate(input, context),
            Screen::Scores(scores) => scores.navigate(input, context),
            Screen::Options(options) => options.navigate(input, context),
            Screen::Keys(keys) => keys.navigate(input, context),
            Screen::Lobbies(lobbies) => lobbies.navigate(input, context),
            Screen::Create(create) => create.navigate(input, context),
            Screen::TextEntry(entry) => entry.navigate(input, context),
            Screen::Credits => matches!(input, MenuInput::Accept | MenuInput::Back | MenuInput::Tap(..))
                .then(|| ScreenCommand::Show(Screen::title())),
            Screen::Game(game) => game.navigate(input, context),
        }
    }

    /// What a tap means: the hints at the foot stand for their keys.
    pub fn tapped(&self, x: i32, y: i32, context: &Context) -> MenuInput {
        let hints = foot_hints(context, self.foot());
        let texts: Vec<(&str, &str)> = hints.iter().map(|(_, texts)| *texts).collect();
        let tapped =
            widgets::hint_at(&texts, context.settings.letters, x, y).filter(|_| !matches!(self, Screen::Game(_)));
        tapped.and_then(|index| hints[index].0).unwrap_or(MenuInput::Tap(x, y))
    }

    /// A key went down. A screen that takes text or binds keys gets the key itself; the others get what it means in a menu.
    pub fn key(&mut self, key: Key, context: &Context) -> Option<ScreenCommand> {
        match self {
            Screen::Keys(keys) if keys.is_listening() => keys.key(key, context),
            Screen::TextEntry(entry) if !matches!(key, Key::ENTER | Key::ESCAPE | Key::NUMPAD_ENTER) => {
                entry.key(key);
                None
            }
            Screen::Game(game) if game.is_writing() && !matches!(key, Key::ENTER | Key::ESCAPE | Key::NUMPAD_ENTER) => {
                game.key(key);
                None
            }
            Screen::Title(_)
            | Screen::ShipChoice(_)
            | Screen::Daily(_)
            | Screen::Practice(_)
            | Screen::Options(_)
            | Screen::Keys(_)
            | Screen::Lobbies(_)
            | Screen::Create(_)
            | Screen::TextEntry(_)
            | Screen::Scores(_)
            | Screen::Credits
            | Screen::Game(_) => self.navigate(menu_input_of(key)?, context),
        }
    }

    /// A character was typed.
    pub fn text(&mut self, character: char) {
        match self {
            Screen::TextEntry(entry) => entry.text(character),
            Screen::Game(game) => game.text(character),
            Screen::Title(_) | Screen::ShipChoice(_) | Screen::Daily(_) | Screen::Practice(_) | Screen::Options(_) => {}
            Screen::Keys(_) | Screen::Lobbies(_) | Screen::Create(_) | Screen::Scores(_) | Screen::Credits => {}
        }
    }

    /// Whether the player is typing text.
    pub fn is_writing(&self) -> bool {
        matches!(self, Screen::TextEntry(_)) || self.game().is_some_and(Game::is_writing)
    }

    /// Whether the next key is bound to an action.
    pub fn is_binding_a_key(&self) -> bool {
        matches!(self, Screen::Keys(keys) if keys.is_listening())
    }

    /// Whether the menu is open over the game.
    pub fn is_menu_open(&self) -> bool {
        self.game().is_some_and(Game::is_menu_open)
    }

    /// Whether nothing lies over the game.
    pub fn is_game_clear(&self) -> bool {
        self.game().is_some_and(Game::is_clear)
    }

    fn game(&self) -> Option<&Game> {
        if let Screen::Game(game) = self { Some(game) } else { None }
    }

    /// Draws it, over the game if there is one.
    pub fn draw(&self, context: &Context, picture: &mut Picture) {
        match self {
            Screen::Title(title) => title.draw(context, picture),
            Screen::ShipChoice(choice) => choice.draw(context, picture),
            Screen::Daily(daily) => daily.draw(context, picture),
            Screen::Practice(practice) => practice.draw(context, picture),
            Screen::Scores(scores) => scores.draw(context, picture),
            Screen::Options(options) => options.draw(context, picture),
            Screen::Keys(keys) => keys.draw(context, picture),
            Screen::Lobbies(lobbies) => lobbies.draw(context, picture),
            Screen::Create(create) => create.draw(context, picture),
            Screen::TextEntry(entry) => entry.draw(context, picture),
            Screen::Credits => credits::draw(context, picture),
            Screen::Game(game) => game.draw(context, picture),
        }
    }

    fn foot(&self) -> Foot {
        match self {
            Screen::Title(_) => Foot::First,
            Screen::Credits => Foot::Page,
            Screen::ShipChoice(_) => Foot::Ship,
            Screen::Daily(_) | Screen::Practice(_) | Screen::Options(_) => Foot::Menu,
            Screen::Keys(_) | Screen::Lobbies(_) | Screen::Create(_) => Foot::Menu,
            Screen::TextEntry(_) => Foot::Writing,
            Screen::Scores(_) | Screen::Game(_) => Foot::Menu,
        }
    }

    /// The first screen.
    pub fn title() -> Screen {
        Screen::Title(Title::default())
    }
}

impl<'a> Context<'a> {
    /// What a key is called, in the shortest form that a player understands.
    pub fn key_name(&self, key: Key) -> &'a str {
        self.key_labels.of(key).unwrap_or_else(|| self.settings.language.key_name(key))
    }
}

impl Context<'_> {
    /// A phrase in the player's language.
    pub fn translate(&self, phrase: Phrase) -> &'static str {
        self.settings.language.translate(phrase)
    }

    /// The area for the size of letters that the player chose.
    fn area(&self, areas: &[Area; 2]) -> Area {
        areas[usize::from(self.settings.letters == Font::Large)]
    }

    /// The list in that area.
    fn list(&self, areas: &[Area; 2]) -> menu::ListArea {
        menu::inside(self.area(areas), self.settings.letters)
    }

    /// What begins the game here.
    fn play_hint(&self) -> String {
        if self.device == Device::Touch {
            self.translate(Phrase::TapToPlay).into()
        } else {
            self.with_keys(Phrase::EnterToPlay)
        }
    }

    /// What confirms and what leads back, on the device in use.
    fn menu_keys<'b>(&self) -> [&'b str; 2] {
        match self.device {
            Device::Pad => ["A", "B"],
            Device::Keyboard | Device::Touch => [Phrase::EnterKey, Phrase::EscapeKey].map(|key| self.translate(key)),
        }
    }

    /// A phrase that names what confirms, and after it what leads back.
    fn with_keys(&self, phrase: Phrase) -> String {
        let keys = self.menu_keys();
        keys.into_iter().fold(self.translate(phrase).into(), |text: String, key| text.replacen("{}", key, 1))
    }

    /// What opens the menu over a game. A finger sees the corner for it.
    fn menu_hint(&self) -> String {
        let key = match self.device {
            Device::Touch => return String::new(),
            Device::Pad => "Start",
            Device::Keyboard => self.translate(Phrase::EscapeKey),
        };
        self.translate(Phrase::HintMenu).replace("{}", key)
    }

    pub fn on_or_off(&self, is_on: bool) -> &'static str {
        self.translate(if is_on { Phrase::On } else { Phrase::Off })
    }
}

/// What a key means in a menu, whatever the player bound it to: there is always a way out of a menu.
fn menu_input_of(key: Key) -> Option<MenuInput> {
    Some(match key {
        Key::ARROW_UP | Key::W => MenuInput::Up,
        Key::ARROW_DOWN | Key::S | Key::TAB => MenuInput::Down,
        Key::ARROW_LEFT | Key::A => MenuInput::Left,
        Key::ARROW_RIGHT | Key::D => MenuInput::Right,
        Key::ENTER | Key::NUMPAD_ENTER | Key::SPACE | Key::Z | Key::J => MenuInput::Accept,
        Key::ESCAPE | Key::BACKSPACE | Key::X | Key::K => MenuInput::Back,
        _ => return None,
    })
}

/// What can be done on a screen, for its hints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Foot {
    /// Choose, and go back.
    Menu,
    /// The same, while text is written.
    Writing,
    /// Choose: nothing comes before it.
    First,
    /// Go back: there is nothing to choose.
    Page,
    /// Choose a ship with two of the arrows and the difficulty with the others, and go back.
    Ship,
}

/// What the keys do, at the foot. Players without a keyboard tap there.
fn hints(context: &Context, picture: &mut Picture) {
    hints_of(context, Foot::Menu, picture);
}

fn hints_of(context: &Context, foot: Foot, picture: &mut Picture) {
    let texts: Vec<(&str, &str)> = foot_hints(context, foot).iter().map(|(_, texts)| *texts).collect();
    widgets::hints(&texts, picture);
}

/// The hints at the foot, and what a tap on each means. A touch screen has no keys: there, only the way back is of use.
fn foot_hints<'a>(context: &Context, foot: Foot) -> Vec<(Option<MenuInput>, (&'a str, &'a str))> {
    let (is_touch, [accept, back]) = (context.device == Device::Touch, context.menu_keys());
    let back = if is_touch { "◀" } else { back };
    let is_small = context.settings.letters == Font::Small;
    // Whoever writes needs the space bar, and large letters leave no room to tell of it.
    let has_space = context.device == Device::Keyboard && is_small && !matches!(foot, Foot::Writing | Foot::Ship);
    let accept = if has_space { context.translate(Phrase::HintEnterOrSpace) } else { accept };
    let mut hints = Vec::new();
    if foot == Foot::Ship && !is_touch {
        hints.push((None, ("←→", context.translate(Phrase::HintShip))));
        hints.push((None, ("↑↓", context.translate(Phrase::HintDifficulty))));
    } else if foot != Foot::Page && !is_touch {
        hints.push((None, ("↑↓←→", context.translate(Phrase::HintSelect))));
    }
    // Beside the large words for a ship and its difficulty there is no room for what everybody knows.
    let has_room = foot != Foot::Ship || is_small;
    if foot != Foot::Page && !is_touch && has_room {
        hints.push((Some(MenuInput::Accept), (accept, context.translate(Phrase::HintAccept))));
    }
    if foot != Foot::First {
        hints.push((Some(MenuInput::Back), (back, context.translate(Phrase::HintBack))));
    }
    hints
}

/// What the chosen entry does, in a line above the hints.
fn about(context: &Context, phrase: Phrase, picture: &mut Picture) {
    widgets::foot_line(context.translate(phrase), picture);
}
