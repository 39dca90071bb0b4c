//! Rooms as their host and guests meet them: bots, kicks, ships, the list that refreshes itself, and the way to invite others.

#[expect(dead_code, reason = "each test needs a part of it")]
mod simulation;

use client::{Key, Options, Task, draw::Picture};
use game::{GameState, Seat, ShipModel, Skill};
use protocol::{Dialect, LobbyId, LobbyRequest};
use simulation::{Conditions, Simulation};

const GOOD: Conditions = Conditions::PERFECT.delay_ms(10);

/// A client that has made a room, which waits.
fn in_a_room(company: bool) -> Simulation {
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
    let mut sim = in_a_room(false);
    tap(&mut sim, &TO_ADD_BOT);
    tap(&mut sim, &[Key::ENTER, Key::ARROW_RIGHT, Key::ENTER]);
    assert_eq!(sim.asked, [LobbyRequest::AddBot(Skill::Normal), LobbyRequest::AddBot(Skill::Good)]);
    tap(&mut sim, &[Key::ARROW_DOWN, Key::ENTER]);
    assert_eq!(sim.asked[2..], [LobbyRequest::Kick { seat: Seat::ALL[1] }], "a bot goes at once");
}

#[test]
fn a_player_is_kicked_only_after_a_second_thought() {
    let mut sim = in_a_room(true);
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
    let mut sim = in_a_room(true);
    sim.host = Some(Seat::ALL[1]);
    sim.tell_room(LobbyId::new("VOLLEY").expect("a code"));
    sim.run_ms(200);
    tap(&mut sim, &[Key::ENTER]);
    assert_eq!(sim.asked, [LobbyRequest::Ready(true)], "that comes first");
    tap(&mut sim, &[Key::ARROW_DOWN, Key::ARROW_RIGHT]);
    assert_eq!(sim.asked[1..], [LobbyRequest::Ship(ShipModel::Wasp)]);
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
fn an_invitation_shows_a_qr_code_that_goes_away_again() {
    let mut sim = in_a_room(false);
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
    assert_eq!(sim.world.game_state(), GameState::Waiting, "the room is still there");
}
