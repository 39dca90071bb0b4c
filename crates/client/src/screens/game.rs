//! In a lobby: its menu while it waits, the menu and the chat over the game, and what is shown when the game is over.

use ::game::GameState;
use protocol::Emote;

use super::{
    Context, Options, ScreenCommand, TextField, about,
    host_menu::{HostChoices, HostMenu, HostMenuStep},
    how_to_play::HowToPlay,
    lobby::{Entry as LobbyEntry, Lobby, LobbyChoice},
    menu::{Choice, ListArea, Menu, MenuLine, menu_entries},
    name_dialog, player_state,
    result::{self, ResultView},
    share::Share,
};
use crate::{
    Key,
    client::chat,
    connection::LobbyAccess,
    draw::{Area, Colour, Font, Picture, widgets},
    input::MenuInput,
    invitation::Invitation,
    language::Phrase,
    settings::{NAME_MAX, Settings, clean_name},
};

/// The most characters of a chat message.
const MESSAGE_MAX: usize = 90;
/// With small letters and with large ones.
const MENU: [Area; 2] =
    [Area { x: 130, y: 48, width: 220, height: 174 }, Area { x: 14, y: 34, width: 452, height: 186 }];

/// In a lobby: waiting, playing or watching.
#[derive(Clone, Debug, Default)]
pub struct Game {
    overlay: Overlay,
    lobby: Lobby,
    result: ResultView,
}

/// What lies over the game.
#[derive(Clone, Debug, Default)]
enum Overlay {
    #[default]
    None,
    Menu(Menu),
    Options(Options),
    /// What the host does about the players.
    HostMenu(HostMenu),
    /// Six short words to choose from.
    Gestures(Menu),
    Chat(TextField),
    HowToPlay(HowToPlay),
    /// After a lost game, a player without a name is asked for one.
    Name(TextField),
    Share(Share),
}

menu_entries! {
    /// What can be chosen over the game.
    Entry {
        Resume = Resume, AboutResume;
        PlayAgain = PlayAgain, AboutPlayAgain;
        Restart = Restart, AboutRestart;
        RestartEasy = RestartEasy, AboutRestartEasy;
        Options = Options, AboutOptions;
        Share = Share, AboutShare;
        FullScreen = FullScreen, AboutFullScreen;
        HostMenu = HostMenu, AboutHostMenu;
        HowToPlay = HowToPlay, AboutHowToPlay;
        Chat = KeyChat, AboutChat;
        Gestures = Gestures, AboutGestures;
        Leave = Leave, AboutLeave;
    }
}

impl Entry {
    fn is_offered(self, context: &Context) -> bool {
        match self {
            Entry::HostMenu => !HostChoices::entries(context).is_empty(),
            Entry::Share => context.lobby_access >= LobbyAccess::ByCode && !context.is_solo,
            Entry::Chat => context.lobby_access == LobbyAccess::Listed && context.has_company,
            Entry::Gestures => Entry::Chat.is_offered(context) && context.own.is_some(),
            Entry::Resume => !can_play_again(context),
            Entry::PlayAgain => can_play_again(context),
            Entry::Restart => context.can_restart && context.state == GameState::Running,
            Entry::RestartEasy => {
                context.can_restart && context.state == GameState::Lost && result::has_easier(context)
            }
            Entry::Options | Entry::FullScreen | Entry::HowToPlay | Entry::Leave => true,
        }
    }
}

impl Game {
    /// Whether nothing lies over the game.
    pub fn is_clear(&self) -> bool {
        matches!(self.overlay, Overlay::None)
    }

    /// Whether the menu, or the options in it, is open.
    pub fn is_menu_open(&self) -> bool {
        match self.overlay {
            Overlay::Menu(_)
            | Overlay::Options(_)
            | Overlay::HostMenu(_)
            | Overlay::Gestures(_)
            | Overlay::HowToPlay(_)
            | Overlay::Share(_) => true,
            Overlay::None | Overlay::Chat(_) | Overlay::Name(_) => false,
        }
    }

    /// Whether the player is typing a message.
    pub fn is_writing(&self) -> bool {
        matches!(self.overlay, Overlay::Chat(_) | Overlay::Name(_))
    }

    /// Whether the player is asked for a name, and has to answer.
    pub fn asks_name(&self) -> bool {
        matches!(self.overlay, Overlay::Name(_))
    }

    /// What the cursor is at in a lobby that waits.
    pub fn lobby_entry(&self, context: &Context) -> Option<LobbyEntry> {
        is_waiting(context).then(|| self.lobby.chosen(context))
    }

    /// The lobby has changed since the cursor was there.
    pub fn keep_lobby_entry(&mut self, entry: LobbyEntry, context: &Context) {
        self.lobby.keep(entry, context);
    }

    /// Opens the menu, or closes what lies over the game.
    pub fn toggle_menu(&mut self) {
        self.overlay = match self.overlay {
            Overlay::None => Overlay::Menu(Menu::default()),
            Overlay::Menu(_)
            | Overlay::Options(_)
            | Overlay::HostMenu(_)
            | Overlay::Gestures(_)
            | Overlay::HowToPlay(_)
            | Overlay::Chat(_)
            | Overlay::Name(_)
            | Overlay::Share(_) => Overlay::None,
        };
    }

    pub fn open_chat(&mut self) {
        self.overlay = Overlay::Chat(TextField::new("", MESSAGE_MAX));
    }

    /// Asks for the player's name, if nothing else lies over the game.
    pub fn ask_name(&mut self) {
        if self.is_clear() {
            self.overlay = Overlay::Name(TextField::new("", NAME_MAX));
        }
    }

    /// The next game begins, or the next stage: the result is past. Whoever has not given a name yet is asked again after it.
    pub fn begin(&mut self) {
        self.result = ResultView::default();
        if let Overlay::Name(_) = self.overlay {
            self.overlay = Overlay::None;
        }
    }

    pub(super) fn key(&mut self, key: Key) {
        match (&mut self.overlay, key) {
            (Overlay::Name(field), Key::ARROW_UP) => field.spell(MenuInput::Up),
            (Overlay::Name(field), Key::ARROW_DOWN) => field.spell(MenuInput::Down),
            (Overlay::Name(field) | Overlay::Chat(field), _) => field.key(key),
            (
                Overlay::None
                | Overlay::Menu(_)
                | Overlay::Options(_)
                | Overlay::HostMenu(_)
                | Overlay::Gestures(_)
                | Overlay::HowToPlay(_)
                | Overlay::Share(_),
                _,
            ) => {}
        }
    }

    pub(super) fn text(&mut self, character: char) {
        if let Overlay::Chat(field) | Overlay::Name(field) = &mut self.overlay {
            field.push(character);
        }
    }

    pub(super) fn navigate(&mut self, input: MenuInput, context: &Context) -> Option<ScreenCommand> {
        match &mut self.overlay {
            Overlay::Menu(menu) => {
                let entries = entries(context);
                let choice = menu.navigate(input, entries.len(), list(context))?;
                self.choose(choice, &entries, context)
            }
            Overlay::Options(options) => match options.navigate(input, context)? {
                ScreenCommand::Show(_) => {
                    self.overlay = Overlay::Menu(Menu::default());
                    None
                }
                command => Some(command),
            },
            Overlay::HostMenu(menu) => match menu.navigate(input, context) {
                HostMenuStep::Stay => None,
                HostMenuStep::Close => {
                    self.overlay = Overlay::Menu(Menu::default());
                    None
                }
                HostMenuStep::Do(command) => Some(command),
            },
            Overlay::Gestures(menu) => {
                let choice = menu.navigate(input, Emote::ALL.len() + 1, gesture_list(context))?;
                self.gesture(choice)
            }
            Overlay::Chat(field) => {
                let message = field.text().trim().to_string();
                if !matches!(input, MenuInput::Accept | MenuInput::Back) {
                    return None;
                }
                self.overlay = Overlay::None;
                (input == MenuInput::Accept && !message.is_empty()).then_some(ScreenCommand::Say(message))
            }
            Overlay::Name(field) => match name_dialog::input_of(input, context) {
                answer @ (MenuInput::Accept | MenuInput::Back) => {
                    let name = if answer == MenuInput::Accept { clean_name(field.text()) } else { String::new() };
                    self.overlay = Overlay::None;
                    let settings = Settings { name, name_asked: true, ..context.settings.clone() };
                    Some(ScreenCommand::ChangeSettings(Box::new(settings)))
                }
                letter => {
                    field.spell(letter);
                    None
                }
            },
            Overlay::Share(_) => {
                if matches!(input, MenuInput::Accept | MenuInput::Back | MenuInput::Tap(..)) {
                    // It was opened from there.
                    self.overlay = if is_waiting(context) { Overlay::None } else { Overlay::Menu(Menu::default()) };
                }
                None
            }
            Overlay::HowToPlay(pages) => {
                if !pages.navigate(input, context) {
                    self.overlay = Overlay::Menu(Menu::default());
                }
                None
            }
            Overlay::None if is_waiting(context) => match self.lobby.navigate(input, context)? {
                LobbyChoice::ScreenCommand(command) => Some(command),
                LobbyChoice::OpenChat => {
                    self.open_chat();
                    None
                }
                LobbyChoice::OpenShare => self.share(context),
            },
            Overlay::None => self.navigate_game(input, context),
        }
    }

    /// Nothing lies over the game, which may be lost.
    fn navigate_game(&mut self, input: MenuInput, context: &Context) -> Option<ScreenCommand> {
        let is_lost = context.state == GameState::Lost;
        match input {
            MenuInput::Tap(x, y) if is_lost && self.result.is_replay_at((x, y), context) => return watch(context),
            MenuInput::Tap(x, y) if is_lost && self.result.is_saving_at((x, y), context) => {
                return Some(ScreenCommand::SaveReplay);
            }
            MenuInput::Accept | MenuInput::Tap(..) if is_lost => return Some(ScreenCommand::Retry),
            MenuInput::Up if is_lost => return watch(context),
            MenuInput::Down if is_lost && context.has_own_recording => return Some(ScreenCommand::SaveReplay),
            MenuInput::Left | MenuInput::Right if is_lost => self.result.turn(context),
            MenuInput::Back => self.toggle_menu(),
            MenuInput::Up
            | MenuInput::Down
            | MenuInput::Left
            | MenuInput::Right
            | MenuInput::Accept
            | MenuInput::Point(..)
            | MenuInput::Tap(..) => {}
        }
        None
    }

    /// A gesture is made, and the game goes on; the last line leads back to the menu.
    fn gesture(&mut self, choice: Choice) -> Option<ScreenCommand> {
        let chosen = match choice {
            Choice::Turn(..) => return None,
            Choice::Back => None,
            Choice::Accept(line) => Emote::ALL.get(line).copied(),
        };
        self.overlay = if chosen.is_some() { Overlay::None } else { Overlay::Menu(Menu::default()) };
        chosen.map(ScreenCommand::MakeGesture)
    }

    /// Shows the way into the lobby, and has it copied.
    fn share(&mut self, context: &Context) -> Option<ScreenCommand> {
        self.overlay = Overlay::Share(Share::new(Invitation::new(context.code?, context.page)));
        Some(ScreenCommand::Share)
    }

    fn choose(&mut self, choice: Choice, entries: &[Entry], context: &Context) -> Option<ScreenCommand> {
        let line = match choice {
            Choice::Accept(line) => line,
            Choice::Back => {
                self.overlay = Overlay::None;
                return None;
            }
            Choice::Turn(..) => return None,
        };
        self.overlay = Overlay::None;
        match entries[line] {
            Entry::Resume => None,
            Entry::PlayAgain => Some(ScreenCommand::Retry),
            Entry::Restart => Some(ScreenCommand::Restart),
            Entry::RestartEasy => Some(ScreenCommand::RestartEasy),
            Entry::Share => self.share(context),
            Entry::FullScreen => Some(ScreenCommand::FullScreen),
            Entry::Leave => Some(ScreenCommand::Leave),
            Entry::Options => {
                self.overlay = Overlay::Options(Options::in_game());
                None
            }
            Entry::HostMenu => {
                self.overlay = Overlay::HostMenu(HostMenu::default());
                None
            }
            Entry::HowToPlay => {
                self.overlay = Overlay::HowToPlay(HowToPlay::default());
                None
            }
            Entry::Gestures => {
                self.overlay = Overlay::Gestures(Menu::default());
                None
            }
            Entry::Chat => {
                self.open_chat();
                None
            }
        }
    }

    /// Below a lobby that waits: what was said there, and what the chosen entry does.
    fn draw_waiting_foot(&self, context: &Context, picture: &mut Picture) {
        let (letters, is_writing) = (picture.letters(), matches!(self.overlay, Overlay::Chat(_)));
        let is_said = context.chat.is_shown(context.tick);
        // With large letters there is room for one of them.
        let has_line = !is_writing && (letters == Font::Small || !is_said || context.notice.is_some());
        if has_line {
            self.lobby.draw_foot(context, picture);
        }
        let bottom = match () {
            () if is_writing => waiting_field_y(letters) - 1,
            () if has_line => Lobby::foot_top(context),
            () => Picture::HEIGHT - 2,
        };
        context.chat.draw_between((Lobby::bottom(context), bottom), context.tick, picture);
    }

    pub(super) fn draw(&self, context: &Context, picture: &mut Picture) {
        match context.state {
            // It would show through at the edges.
            GameState::Waiting if matches!(self.overlay, Overlay::Share(_)) => {}
            GameState::Waiting => {
                if let Some(lobby) = context.waiting_lobby {
                    self.lobby.draw(context, lobby, picture);
                    self.draw_waiting_foot(context, picture);
                }
            }
            GameState::Won | GameState::Lost if self.is_menu_open() => {}
            GameState::Won => result::draw_won(context, picture),
            GameState::Lost if self.asks_name() => result::draw_before_name(context, picture),
            GameState::Lost => self.result.draw_lost(context, picture),
            GameState::Running | GameState::TimedOut if self.is_menu_open() => {}
            GameState::Running | GameState::TimedOut => player_state::draw(context, picture),
        }
        match &self.overlay {
            Overlay::None => {}
            Overlay::Menu(menu) => draw_menu(menu, context, picture),
            Overlay::Options(options) => options.draw(context, picture),
            Overlay::HostMenu(menu) => menu.draw(context, picture),
            Overlay::Gestures(menu) => draw_gestures(menu, context, picture),
            Overlay::Chat(field) => {
                let y = if is_waiting(context) { waiting_field_y(picture.letters()) } else { chat::BOTTOM + 2 };
                draw_chat_field(y, field, context, picture);
            }
            Overlay::HowToPlay(pages) => pages.draw(context, picture),
            Overlay::Name(field) => name_dialog::draw(field, context, picture),
            Overlay::Share(share) => share.draw(context, picture),
        }
    }
}

/// Whether the player has lost a game and may begin the next one.
fn can_play_again(context: &Context) -> bool {
    context.state == GameState::Lost && context.own.is_some()
}

/// Whether the player is in a lobby that waits, and sees it.
fn is_waiting(context: &Context) -> bool {
    context.waiting_lobby.is_some() && context.state == GameState::Waiting
}

/// Height of the field in which a message is written.
const fn field_height(letters: Font) -> i32 {
    letters.height() + 8
}

/// Where it is in a lobby that waits: in place of what the chosen entry does.
const fn waiting_field_y(letters: Font) -> i32 {
    Picture::HEIGHT - field_height(letters) - 1
}

/// The field in which a message is written, with its label beside it.
fn draw_chat_field(y: i32, field: &TextField, context: &Context, picture: &mut Picture) {
    let (letters, label) = (picture.letters(), context.translate(Phrase::KeyChat));
    let (left, width) = (6, letters.width(label) + 8);
    picture.darken(Area::new(0, y - 1, Picture::WIDTH, field_height(letters) + 2), 2);
    picture.text_edged(letters, (left, y + 4), label, Colour::GREY);
    // The field itself is below the place of a label above it, which this one does without.
    let area =
        Area { x: left + width, y: y - widgets::LABEL_HEIGHT, width: Picture::WIDTH - 2 * left - width, height: 28 };
    widgets::text_field(area, "", field.text(), context.tick, picture);
}

/// What can be chosen here.
fn entries(context: &Context) -> Vec<Entry> {
    Entry::ALL.iter().copied().filter(|entry| entry.is_offered(context)).collect()
}

/// Large letters are in two columns, so that all of the menu is seen at once.
fn list(context: &Context) -> ListArea {
    let mut list = context.list(&MENU);
    // Below it is a line about the game.
    list.area.height -= list.letters.height() + 5;
    if context.settings.letters == Font::Large { list.in_columns(2) } else { list }
}

fn draw_menu(menu: &Menu, context: &Context, picture: &mut Picture) {
    let (title, line) = match context.state {
        GameState::Lost => (Phrase::GameIsOver, None),
        _ if context.is_paused => (Phrase::Paused, Some(Phrase::GameWaits)),
        _ => (Phrase::KeyPause, Some(Phrase::GameGoesOn)),
    };
    let area = context.area(&MENU);
    widgets::panel(area, context.translate(title), picture);
    let entries = entries(context);
    let lines: Vec<MenuLine> = entries.iter().map(|entry| MenuLine::plain(context.translate(entry.phrase()))).collect();
    menu.draw(&lines, list(context), picture);
    if let Some(line) = line.map(|line| context.translate(line)) {
        let letters = picture.letters_for(line, area.width - 12);
        let at = (area.x + (area.width - letters.width(line)) / 2, area.y + area.height - letters.height() - 6);
        picture.text_in(letters, at, line, Colour::GREY);
    }
    about(context, entries[menu.selected(entries.len())].about(), picture);
}

fn gesture_list(context: &Context) -> ListArea {
    context.list(&MENU).in_columns(2)
}

fn draw_gestures(menu: &Menu, context: &Context, picture: &mut Picture) {
    widgets::panel(context.area(&MENU), context.translate(Phrase::Gestures), picture);
    let phrases = Emote::ALL.into_iter().map(emote_phrase).chain([Phrase::Back]);
    let lines: Vec<MenuLine> = phrases.map(|phrase| MenuLine::plain(context.translate(phrase))).collect();
    menu.draw(&lines, gesture_list(context), picture);
    let is_back = menu.selected(lines.len()) == Emote::ALL.len();
    about(context, if is_back { Phrase::AboutBack } else { Phrase::AboutGestures }, picture);
}

/// What a gesture says.
pub(crate) const fn emote_phrase(emote: Emote) -> Phrase {
    match emote {
        Emote::Hello => Phrase::EmoteHello,
        Emote::Thanks => Phrase::EmoteThanks,
        Emote::WellDone => Phrase::EmoteWellDone,
        Emote::Help => Phrase::EmoteHelp,
        Emote::Sorry => Phrase::EmoteSorry,
        Emote::FollowMe => Phrase::EmoteFollowMe,
    }
}

/// The recording of the game that was lost, if there is one.
fn watch(context: &Context) -> Option<ScreenCommand> {
    if context.has_own_recording {
        return Some(ScreenCommand::WatchOwnReplay);
    }
    context.recorded_game().map(ScreenCommand::WatchReplay)
}
