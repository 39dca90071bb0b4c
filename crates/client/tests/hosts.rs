//! Lobbies as their host and guests meet them: bots, kicks, ships, the list that refreshes itself, and the way to invite others.

mod read_text;
#[expect(dead_code, reason = "each test needs a part of it")]
mod simulation;

use client::{Key, Options, Phase, Task, Touch, draw::Picture};
use game::{Difficulty, GameState, Rules, Seat, ShipModel, Skill};
use protocol::{Dialect, End, LinkSession, LobbyId, LobbyNotice, LobbyRequest, Refusal, ServerSession};
use read_text::has_text;
use simulation::{Conditions, Simulation};

const GOOD: Conditions = Conditions::PERFECT.delay_ms(10);

/// A client that has made a lobby, which waits.
fn in_a_lobby(company: bool) -> Simulation {
    let page = Some("http://192.168.1.20:4240/".into());
    let options = Options { create: Some("stage1".into()), page, ..Options::new(Dialect::Volley) };
    let mut sim = Simulation::new("stage1", 3, GOOD, company, options);
    sim.run_ms(500);
    assert_eq!(sim.world.game_state(), GameState::Waiting);
    sim.asked.clear();
    sim
}

fn tap(sim: &mut Simulation, keys: &[Key]) {
    for key in keys {
        sim.client.key(sim.now, *key, true);
        sim.client.key(sim.now, *key, false);
        sim.run_ms(150);
    }
}

fn picture(sim: &mut Simulation) -> Picture {
    let mut picture = Picture::new();
    sim.client.draw(sim.now, &mut picture);
    picture
}

/// The entries of a host: start, ready, ship, add a bot, then the others.
const TO_ADD_BOT: [Key; 3] = [Key::ARROW_DOWN; 3];

#[test]
fn the_host_adds_bots_of_a_chosen_skill_and_removes_them() {
    let mut sim = in_a_lobby(false);
    tap(&mut sim, &TO_ADD_BOT);
    tap(&mut sim, &[Key::ENTER, Key::ARROW_RIGHT, Key::ENTER]);
    assert_eq!(sim.asked, [LobbyRequest::AddBot(Skill::Normal), LobbyRequest::AddBot(Skill::Good)]);
    tap(&mut sim, &[Key::ARROW_DOWN, Key::ENTER]);
    assert_eq!(sim.asked[2..], [LobbyRequest::Kick { seat: Seat::ALL[1] }], "a bot goes at once");
}

#[test]
fn a_player_is_kicked_only_after_a_second_thought() {
    let mut sim = in_a_lobby(true);
    tap(&mut sim, &TO_ADD_BOT);
    tap(&mut sim, &[Key::ARROW_DOWN, Key::ENTER]);
    assert!(sim.asked.is_empty(), "{:?}", sim.asked);
    tap(&mut sim, &[Key::ARROW_UP, Key::ARROW_DOWN, Key::ENTER]);
    assert!(sim.asked.is_empty(), "whoever turns away has thought better of it: {:?}", sim.asked);
    tap(&mut sim, &[Key::ENTER]);
    assert_eq!(sim.asked, [LobbyRequest::Kick { seat: Seat::ALL[1] }]);
}

#[test]
fn a_guest_has_no_entries_of_the_host() {
    let mut sim = in_a_lobby(true);
    sim.host = Some(Seat::ALL[1]);
    sim.tell_lobby(LobbyId::new("VOLLEY").expect("a code"));
    sim.run_ms(200);
    tap(&mut sim, &[Key::ENTER]);
    assert_eq!(sim.asked, [LobbyRequest::Ready(true)], "that comes first");
    tap(&mut sim, &[Key::ARROW_DOWN, Key::ARROW_RIGHT]);
    assert_eq!(sim.asked[1..], [LobbyRequest::Ship(ShipModel::Wasp)]);
}

/// A game that its host has started.
fn in_a_game(company: bool) -> Simulation {
    let mut sim = in_a_lobby(company);
    tap(&mut sim, &[Key::ENTER]);
    assert_eq!(sim.world.game_state(), GameState::Running);
    sim
}

/// From a game into the host's menu, which is the fifth line of the menu over it.
fn open_host_menu(sim: &mut Simulation) {
    tap(sim, &[Key::ESCAPE]);
    tap(sim, &[Key::ARROW_DOWN; 4]);
    tap(sim, &[Key::ENTER]);
    sim.asked.clear();
}

/// What was asked for, but how fast time passes.
fn asked(sim: &Simulation) -> Vec<LobbyRequest> {
    sim.asked.iter().filter(|request| !matches!(request, LobbyRequest::Pace(_))).cloned().collect()
}

#[test]
fn the_host_adds_and_removes_bots_in_a_running_game() {
    let mut sim = in_a_game(false);
    open_host_menu(&mut sim);
    tap(&mut sim, &[Key::ENTER, Key::ARROW_RIGHT, Key::ENTER]);
    assert_eq!(asked(&sim), [LobbyRequest::AddBot(Skill::Normal), LobbyRequest::AddBot(Skill::Good)]);
    tap(&mut sim, &[Key::ARROW_DOWN, Key::ENTER]);
    assert_eq!(asked(&sim)[2..], [LobbyRequest::Kick { seat: Seat::ALL[1] }], "a bot goes at once");
    assert!(sim.client.is_paused(), "the game waits meanwhile");
    tap(&mut sim, &[Key::ESCAPE, Key::ESCAPE]);
    sim.run_ms(300);
    assert!(!sim.client.is_paused() && sim.world.game_state() == GameState::Running);
}

#[test]
fn the_host_kicks_in_a_running_game_after_a_second_thought() {
    let mut sim = in_a_game(true);
    open_host_menu(&mut sim);
    tap(&mut sim, &[Key::ARROW_DOWN, Key::ENTER]);
    assert!(asked(&sim).is_empty(), "{:?}", sim.asked);
    tap(&mut sim, &[Key::ENTER]);
    assert_eq!(asked(&sim), [LobbyRequest::Kick { seat: Seat::ALL[1] }]);
    tap(&mut sim, &[Key::ARROW_DOWN, Key::ENTER]);
    assert!(!sim.client.is_writing(), "the last line leads back to the menu");
    tap(&mut sim, &[Key::ENTER]);
    assert_eq!(asked(&sim).len(), 1, "{:?}", sim.asked);
}

#[test]
fn a_guest_has_no_menu_of_the_host_in_a_running_game() {
    let mut sim = in_a_game(true);
    sim.host = Some(Seat::ALL[1]);
    sim.tell_lobby(LobbyId::new("VOLLEY").expect("a code"));
    sim.run_ms(200);
    open_host_menu(&mut sim);
    // The fifth line is how to play, and below it is the chat.
    tap(&mut sim, &[Key::ESCAPE, Key::ESCAPE, Key::ESCAPE]);
    tap(&mut sim, &[Key::ARROW_DOWN; 5]);
    tap(&mut sim, &[Key::ENTER]);
    assert!(sim.client.is_writing(), "the sixth line is the chat");
    assert!(asked(&sim).is_empty(), "{:?}", sim.asked);
}

#[test]
fn a_finger_adds_a_bot_or_changes_its_skill_where_it_is_written() {
    let mut sim = in_a_game(false);
    open_host_menu(&mut sim);
    // The first line of the host's menu: its word at the right, then its label.
    for x in [350, 140] {
        for phase in [Phase::Down, Phase::Up] {
            sim.client.touch(sim.now, Touch { finger: 1, phase, x, y: 96 });
        }
        sim.run_ms(150);
    }
    assert_eq!(asked(&sim), [LobbyRequest::AddBot(Skill::Good)]);
}

#[test]
fn bots_are_no_company_to_chat_with_and_wait_while_the_game_is_paused() {
    let mut sim = in_a_game(false);
    open_host_menu(&mut sim);
    tap(&mut sim, &[Key::ENTER, Key::ESCAPE, Key::ESCAPE]);
    assert_eq!(sim.bots.len(), 1);
    for key in [Key::ENTER, Key::T] {
        tap(&mut sim, &[key]);
        assert!(!sim.client.is_writing(), "{key:?}");
    }
    sim.client.key(sim.now, Key::ESCAPE, true);
    sim.client.advance(sim.now + std::time::Duration::from_millis(17));
    assert!(sim.client.is_paused(), "at once, before the server has answered");
}

#[test]
fn the_list_refreshes_itself_and_the_cursor_stays_with_its_lobby() {
    let mut sim = Simulation::new("stage1", 3, GOOD, false, Options::new(Dialect::Volley));
    sim.run_ms(300);
    tap(&mut sim, &[Key::ARROW_UP; 4]);
    tap(&mut sim, &[Key::ENTER]);
    sim.run_ms(500);
    let lists = |sim: &Simulation| sim.asked.iter().filter(|asked| **asked == LobbyRequest::List).count();
    let before = lists(&sim);
    assert!(before >= 1);
    // The first lobby of the list, behind four other lines.
    tap(&mut sim, &[Key::ARROW_DOWN; 4]);
    sim.listed.reverse();
    sim.run_ms(8_000);
    assert!((2..=5).contains(&(lists(&sim) - before)), "{} times in 8 s", lists(&sim) - before);
    tap(&mut sim, &[Key::ENTER]);
    assert_eq!(sim.asked.last(), Some(&LobbyRequest::Join { code: LobbyId::new("VOLLEY").expect("a code") }));
    sim.run_ms(6_000);
    assert!(!sim.asked[sim.asked.len() - 1..].contains(&LobbyRequest::List), "not behind a game");
}

#[test]
fn a_lobby_is_made_as_hard_as_its_host_wants_it() {
    let mut sim = Simulation::new("stage1", 3, GOOD, false, Options::new(Dialect::Volley));
    sim.run_ms(300);
    tap(&mut sim, &[Key::ARROW_UP; 4]);
    // The list, then a new lobby, of which the second line is the difficulty.
    tap(&mut sim, &[Key::ENTER, Key::ARROW_DOWN, Key::ENTER, Key::ARROW_DOWN, Key::ARROW_RIGHT]);
    tap(&mut sim, &[Key::ARROW_UP, Key::ARROW_UP, Key::ARROW_UP, Key::ENTER]);
    let (_, rules) = sim.created.expect("a lobby");
    assert_eq!(rules, Rules::of(Difficulty::Hard), "with the lives of that difficulty");
}

#[test]
fn an_invitation_shows_a_qr_code_that_goes_away_again() {
    let mut sim = in_a_lobby(false);
    let before = picture(&mut sim);
    tap(&mut sim, &[Key::ARROW_UP, Key::ARROW_UP, Key::ARROW_UP, Key::ENTER]);
    assert!(sim.tasks.iter().any(|(task, text)| *task == Task::ShareLobby && text == b"VOLLEY"), "it is copied too");
    assert_eq!(sim.client.link().as_deref(), Some("http://192.168.1.20:4240/?lobby=VOLLEY"));
    let light = |picture: &Picture| {
        let places = (20..210).flat_map(|x| (30..230).map(move |y| (x, y)));
        places.filter(|(x, y)| picture.at(*x, *y) == Some(client::draw::Colour::PALE)).count()
    };
    let shown = picture(&mut sim);
    assert!(light(&shown) > 8_000 && light(&before) < 1_000, "{} and {}", light(&shown), light(&before));
    tap(&mut sim, &[Key::ESCAPE]);
    assert!(light(&picture(&mut sim)) < 1_000);
    assert_eq!(sim.world.game_state(), GameState::Waiting, "the lobby is still there");
}

fn reads(sim: &mut Simulation, text: &str) -> bool {
    has_text(&picture(sim), text)
}

#[test]
fn a_kicked_player_reads_so_at_the_title_even_if_the_connection_closes_at_once() {
    let mut sim = in_a_lobby(true);
    sim.server.end(sim.now, End::Closed);
    // The last word and the end of the socket come between two pictures of the page.
    sim.display_steps = u64::MAX;
    sim.run_ms(100);
    sim.client.disconnected(sim.now);
    sim.display_steps = 1;
    sim.run_ms(2_000);
    assert!(sim.client.shown().is_none() && sim.asked.is_empty(), "{:?}", sim.asked);
    assert!(reads(&mut sim, "You were removed from the game"));
}

#[test]
fn a_kicked_player_whose_last_message_was_lost_reads_so_and_is_not_sent_elsewhere() {
    let mut sim = in_a_lobby(true);
    sim.is_kicked = true;
    sim.cut();
    sim.run_ms(1_500);
    assert!(!sim.asked.contains(&LobbyRequest::Quick), "{:?}", sim.asked);
    assert!(sim.client.shown().is_none());
    assert!(reads(&mut sim, "You were removed from the game"));
}

#[test]
fn whoever_joins_any_game_waits_for_its_host_and_starts_one_without_a_host() {
    for (host, starts) in [(Some(Seat::ALL[1]), false), (Some(Seat::ALL[0]), true), (None, true)] {
        let options = Options { quick: true, ..Options::new(Dialect::Volley) };
        let mut sim = Simulation::new("stage1", 3, GOOD, true, options);
        sim.host = host;
        sim.run_ms(1_000);
        let asked = [LobbyRequest::Ready(true), LobbyRequest::Start];
        assert_eq!(asked.map(|request| sim.asked.contains(&request)), [starts; 2], "{host:?}: {:?}", sim.asked);
        assert_eq!(sim.world.game_state() == GameState::Running, starts);
    }
}

#[test]
fn a_host_who_comes_back_to_a_lobby_that_waits_starts_nothing() {
    let mut sim = in_a_lobby(true);
    sim.cut();
    sim.run_ms(1_500);
    let asked = |wish: &LobbyRequest| sim.asked.contains(wish);
    assert!(sim.asked.iter().any(|wish| matches!(wish, LobbyRequest::Rejoin { .. })), "{:?}", sim.asked);
    assert!(!asked(&LobbyRequest::Ready(true)) && !asked(&LobbyRequest::Start), "{:?}", sim.asked);
    assert_eq!(sim.world.game_state(), GameState::Waiting);
}

#[test]
fn a_notice_of_a_lobby_does_not_follow_to_the_title() {
    let mut sim = in_a_lobby(true);
    sim.server.notify(sim.now, &LobbyNotice::Refused(Refusal::NotHost));
    sim.run_ms(100);
    assert!(reads(&mut sim, "Only the host can do that"));
    // A host who leaves others is asked about it.
    tap(&mut sim, &[Key::ARROW_UP, Key::ENTER, Key::ENTER]);
    assert!(sim.client.shown().is_none() && !reads(&mut sim, "Only the host can do that"));
}

#[test]
fn a_host_with_company_is_asked_once_before_leaving_and_nobody_else_is() {
    let mut sim = in_a_lobby(true);
    tap(&mut sim, &[Key::ESCAPE]);
    assert!(reads(&mut sim, "Really leave?") && reads(&mut sim, "Another player becomes the host"));
    tap(&mut sim, &[Key::ARROW_UP, Key::ARROW_DOWN, Key::ENTER]);
    assert!(!sim.asked.contains(&LobbyRequest::LeaveLobby), "whoever turns away has thought better of it");
    tap(&mut sim, &[Key::ESCAPE]);
    assert_eq!(sim.asked.last(), Some(&LobbyRequest::LeaveLobby), "asked by the last key but one");
    for (company, host) in [(false, Seat::ALL[0]), (true, Seat::ALL[1])] {
        let mut sim = in_a_lobby(company);
        sim.host = Some(host);
        sim.tell_lobby(LobbyId::new("VOLLEY").expect("a code"));
        sim.run_ms(100);
        tap(&mut sim, &[Key::ESCAPE]);
        assert_eq!(sim.asked.last(), Some(&LobbyRequest::LeaveLobby), "{company} {host:?}");
    }
}

#[test]
fn a_lobby_that_waits_says_what_the_keys_do() {
    let mut sim = in_a_lobby(true);
    for words in ["Enter or Space", "confirm", "back", "Starts the game"] {
        assert!(reads(&mut sim, words), "{words}");
    }
    assert!(!reads(&mut sim, "volley"), "everybody speaks the same");
}

#[test]
fn two_players_of_one_name_are_told_apart() {
    let mut sim = in_a_lobby(true);
    assert!(!reads(&mut sim, "P1 Ann"));
    sim.names = ["Ann", "Ann"];
    sim.tell_lobby(LobbyId::new("VOLLEY").expect("a code"));
    sim.run_ms(100);
    for words in ["P1 Ann", "P2 Ann", "Kick P2 Ann"] {
        assert!(reads(&mut sim, words), "{words}");
    }
}

#[test]
fn the_cursor_of_a_lobby_stays_at_what_it_was_at_and_moves_to_nothing_that_does_harm() {
    let mut sim = in_a_lobby(true);
    sim.host = Some(Seat::ALL[1]);
    sim.tell_lobby(LobbyId::new("VOLLEY").expect("a code"));
    sim.run_ms(200);
    sim.asked.clear();
    // The host leaves: the first entry was to get ready, and now is to start.
    sim.host = Some(Seat::ALL[0]);
    sim.tell_lobby(LobbyId::new("VOLLEY").expect("a code"));
    sim.run_ms(200);
    tap(&mut sim, &[Key::ENTER]);
    assert_eq!(sim.asked, [LobbyRequest::Ready(true)]);

    // With a bot, the lowest entry at the left has none beside it.
    let mut sim = in_a_lobby(true);
    tap(&mut sim, &TO_ADD_BOT);
    tap(&mut sim, &[Key::ENTER]);
    sim.asked.clear();
    tap(&mut sim, &[Key::ARROW_DOWN, Key::ARROW_RIGHT, Key::ENTER, Key::ENTER]);
    assert_eq!(sim.asked, [LobbyRequest::Kick { seat: Seat::ALL[1] }], "it stays there");
}

#[test]
fn the_list_of_lobbies_remembers_its_cursor() {
    let mut sim = Simulation::new("stage1", 3, GOOD, false, Options::new(Dialect::Volley));
    sim.run_ms(300);
    tap(&mut sim, &[Key::ARROW_UP; 4]);
    // The list, then a new lobby, and back.
    tap(&mut sim, &[Key::ENTER, Key::ARROW_DOWN, Key::ENTER]);
    let made = picture(&mut sim);
    tap(&mut sim, &[Key::ESCAPE, Key::ENTER]);
    assert!(reads(&mut sim, "Create") && made.at(240, 100) == picture(&mut sim).at(240, 100));
    tap(&mut sim, &[Key::ARROW_UP, Key::ARROW_UP, Key::ENTER]);
    assert!(sim.created.is_some(), "it was the form for a new lobby again");
}
