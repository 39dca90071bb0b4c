//! Lobbies that players make: their host, who starts, adds bots and kicks; and the bots, who give their seats up. On one shard and
//! over three.

mod simulated;

use game::{GameState, Rules, Seat, Skill};
use protocol::{ClientSession, Dialect, End, LobbyId, LobbyRequest, PlayerKind, Refusal, Status, volley::News};
use server::core::BOTS_PER_SHARD_MAX;
use simulated::{Simulation, linked::LinkId};

fn on_one_and_three(check: impl Fn(&mut Simulation)) {
    for shards in [1, 3] {
        check(&mut Simulation::sharded(11, 100, shards));
    }
}

fn create() -> LobbyRequest {
    LobbyRequest::Create { stage: "endless".into(), rules: Rules::default(), is_private: false }
}

/// Ann makes a lobby, and Bob and Cid join it.
fn three(sim: &mut Simulation) -> ([LinkId; 3], LobbyId) {
    let ann = sim.link_asking(0, "Ann", create());
    let (code, ..) = sim.at(ann).seated().expect("a seat");
    let bob = sim.link_asking(1, "Bob", LobbyRequest::Join { code });
    let cid = sim.link_asking(2, "Cid", LobbyRequest::Join { code });
    ([ann, bob, cid], code)
}

fn ask(sim: &mut Simulation, id: LinkId, request: LobbyRequest) {
    sim.ask(id, request);
    sim.run(1);
}

fn state(sim: &Simulation) -> GameState {
    sim.lobbies()[0].state
}

/// Who is in the lobby, as that member was told: names, and skills of bots.
fn members(sim: &Simulation, id: LinkId) -> Vec<(u8, String, Option<Skill>)> {
    let lobby = sim.at(id).lobby().expect("a lobby");
    lobby.members.iter().map(|member| (member.seat.number(), member.name.clone(), member.kind.bot())).collect()
}

fn host(sim: &Simulation, id: LinkId) -> Option<Seat> {
    sim.at(id).lobby().expect("a lobby").host
}

#[test]
fn v17_the_host_starts_and_the_others_are_refused_with_a_notice() {
    on_one_and_three(|sim| {
        let ([ann, bob, _], _) = three(sim);
        assert_eq!((host(sim, ann), host(sim, bob)), (Some(Seat::ALL[0]), Some(Seat::ALL[0])));
        let host_only =
            [LobbyRequest::Start, LobbyRequest::AddBot(Skill::Easy), LobbyRequest::Kick { seat: Seat::ALL[0] }];
        host_only.into_iter().for_each(|request| ask(sim, bob, request));
        assert_eq!(sim.at(bob).refused(), [Refusal::NotHost; 3]);
        assert_eq!((state(sim), members(sim, ann).len()), (GameState::Waiting, 3));
        ask(sim, ann, LobbyRequest::Kick { seat: Seat::ALL[0] });
        assert_eq!(sim.at(ann).refused(), [Refusal::NotNow], "not oneself");
        ask(sim, ann, LobbyRequest::Start);
        assert_eq!(state(sim), GameState::Running);
    });
}

#[test]
fn v17_a_lobby_in_which_everybody_is_ready_starts() {
    on_one_and_three(|sim| {
        let (all, _) = three(sim);
        for (number, id) in all.into_iter().enumerate() {
            assert_eq!(state(sim), GameState::Waiting, "after {number}");
            ask(sim, id, LobbyRequest::Ready(true));
        }
        assert_eq!(state(sim), GameState::Running);
    });
}

#[test]
fn v17_when_the_host_leaves_the_next_is_host_and_one_whose_link_is_lost_is_host_again() {
    on_one_and_three(|sim| {
        let ([ann, bob, cid], _) = three(sim);
        ask(sim, ann, LobbyRequest::LeaveLobby);
        assert_eq!(host(sim, cid), Some(Seat::ALL[1]));
        let (.., token) = sim.at(bob).seated().expect("a seat");
        sim.lose(bob);
        sim.run(2);
        assert_eq!(host(sim, cid), Some(Seat::ALL[2]), "somebody must be able to start");
        let back = sim.link_asking(1, "Bob", LobbyRequest::Rejoin { token });
        sim.run(1);
        assert_eq!((host(sim, cid), host(sim, back)), (Some(Seat::ALL[1]), Some(Seat::ALL[1])));
    });
}

#[test]
fn v17_a_lobby_that_no_player_made_has_no_host_and_anybody_starts_it() {
    on_one_and_three(|sim| {
        let ann = sim.link_asking(0, "Ann", LobbyRequest::Quick);
        let bob = sim.link_asking(1, "Bob", LobbyRequest::Quick);
        ask(sim, ann, LobbyRequest::AddBot(Skill::Good));
        assert_eq!((host(sim, ann), sim.at(ann).refused()), (None, vec![Refusal::NotHost]));
        ask(sim, bob, LobbyRequest::Start);
        assert_eq!(state(sim), GameState::Running);
    });
}

#[test]
fn v18_a_kicked_player_is_told_so_and_cannot_return_at_once() {
    on_one_and_three(|sim| {
        let ([ann, bob, cid], code) = three(sim);
        ask(sim, ann, LobbyRequest::Kick { seat: Seat::ALL[1] });
        assert_eq!(sim.at(bob).client.status(), Status::Ended(End::Closed));
        assert_eq!(members(sim, cid).len(), 2);
        // The same person over a new link.
        let again = sim.link(1, "Bob");
        for request in [LobbyRequest::Join { code }, LobbyRequest::Watch { code }] {
            ask(sim, again, request);
        }
        assert_eq!(sim.at(again).refused(), [Refusal::Kicked; 2]);
        ask(sim, again, LobbyRequest::Quick);
        let (other, ..) = sim.at(again).seated().expect("a seat elsewhere");
        assert_ne!(other, code);
        ask(sim, again, LobbyRequest::LeaveLobby);
        sim.run(60);
        ask(sim, again, LobbyRequest::Join { code });
        assert_eq!(sim.at(again).seated().map(|(code, ..)| code), Some(code), "after a minute");
    });
}

#[test]
fn v18_the_seat_of_a_player_whose_link_is_lost_is_freed_by_a_kick() {
    on_one_and_three(|sim| {
        let ([ann, bob, _], _) = three(sim);
        let (.., token) = sim.at(bob).seated().expect("a seat");
        sim.lose(bob);
        sim.run(2);
        assert_eq!(members(sim, ann).len(), 3);
        ask(sim, ann, LobbyRequest::Kick { seat: Seat::ALL[1] });
        assert_eq!(members(sim, ann).len(), 2);
        let back = sim.link(1, "Bob");
        ask(sim, back, LobbyRequest::Rejoin { token });
        assert_eq!(sim.at(back).refused(), [Refusal::TooLate]);
    });
}

#[test]
fn v19_bots_of_a_chosen_skill_play_and_are_marked_everywhere() {
    on_one_and_three(|sim| {
        let ann = sim.link_asking(0, "Ann", create());
        for skill in [Skill::Easy, Skill::Good] {
            ask(sim, ann, LobbyRequest::AddBot(skill));
        }
        let bots = vec![
            (0, "Ann".into(), None),
            (1, "Bot 2".to_owned(), Some(Skill::Easy)),
            (2, "Bot 3".to_owned(), Some(Skill::Good)),
        ];
        assert_eq!(members(sim, ann), bots);
        let lister = sim.link_asking(1, "Dot", LobbyRequest::List);
        let Some(News::Lobbies(lines)) = sim.at(lister).heard.first() else { panic!("no list") };
        assert_eq!((lines[0].players, lines[0].members.len(), lines[0].host), (1, 3, Some(Seat::ALL[0])));
        let kinds: Vec<_> = sim.lobbies()[0].players.iter().map(|player| player.kind).collect();
        let person = PlayerKind::Person(Dialect::Volley);
        assert_eq!(kinds, [person, PlayerKind::Bot(Skill::Easy), PlayerKind::Bot(Skill::Good)]);
        ask(sim, ann, LobbyRequest::Start);
        sim.run(40);
        let frame = &sim.at(ann).frame;
        let scores = [1, 2].map(|seat: usize| frame.players[seat].expect("a bot").score);
        assert!(scores.iter().all(|score| *score > 0), "they shoot: {scores:?}");
    });
}

#[test]
fn v19_somebody_who_joins_gets_a_free_seat_or_else_that_of_a_bot() {
    on_one_and_three(|sim| {
        let ann = sim.link_asking(0, "Ann", create());
        let (code, ..) = sim.at(ann).seated().expect("a seat");
        (0..2).for_each(|_| ask(sim, ann, LobbyRequest::AddBot(Skill::Normal)));
        let bob = sim.link_asking(1, "Bob", LobbyRequest::Join { code });
        assert_eq!(sim.at(bob).seated().map(|(_, seat, _)| seat), Some(Seat::ALL[3]), "no bot has that one");
        ask(sim, ann, LobbyRequest::AddBot(Skill::Normal));
        assert_eq!(sim.at(ann).refused(), [Refusal::NoBot], "the lobby is full");
        // Of another dialect, which knows nothing of bots.
        let dot = sim.join(Dialect::Snapshot, None);
        sim.run(2);
        assert_eq!(sim.clients[dot.0].session.seat(), Some(Seat::ALL[1]));
        let kinds: Vec<_> = members(sim, ann).into_iter().map(|(seat, _, bot)| (seat, bot)).collect();
        assert_eq!(kinds, [(0, None), (1, None), (2, Some(Skill::Normal)), (3, None)]);
        assert_eq!(sim.lobbies().len(), 1, "nobody had to open another lobby");
    });
}

#[test]
fn v19_bots_leave_when_they_are_kicked_and_with_the_last_player() {
    on_one_and_three(|sim| {
        let ann = sim.link_asking(0, "Ann", create());
        (0..3).for_each(|_| ask(sim, ann, LobbyRequest::AddBot(Skill::Good)));
        ask(sim, ann, LobbyRequest::Kick { seat: Seat::ALL[2] });
        assert_eq!(members(sim, ann).iter().map(|member| member.0).collect::<Vec<_>>(), [0, 1, 3]);
        assert_eq!(sim.shards.iter().map(|core| core.bot_count()).sum::<usize>(), 2);
        ask(sim, ann, LobbyRequest::LeaveLobby);
        assert_eq!(sim.shards.iter().map(|core| core.bot_count()).sum::<usize>(), 0);
        assert!(sim.lobbies()[0].players.is_empty());
        sim.run(31);
        assert!(sim.lobbies().is_empty(), "an empty lobby is closed, bots or not");
    });
}

#[test]
fn v19_bots_come_and_go_and_players_are_kicked_while_the_game_runs() {
    on_one_and_three(|sim| {
        let ([ann, bob, _], _) = three(sim);
        ask(sim, ann, LobbyRequest::Start);
        ask(sim, ann, LobbyRequest::AddBot(Skill::Normal));
        sim.run(2);
        let bot = Seat::ALL[3];
        assert!(sim.at(ann).frame.ship(bot).is_some(), "it flies");
        ask(sim, ann, LobbyRequest::Kick { seat: bot });
        ask(sim, ann, LobbyRequest::Kick { seat: Seat::ALL[1] });
        assert_eq!(sim.at(bob).client.status(), Status::Ended(End::Closed));
        assert_eq!(members(sim, ann).iter().map(|member| member.0).collect::<Vec<_>>(), [0, 2]);
        sim.run(1);
        assert!([1, 3].iter().all(|seat| sim.at(ann).frame.ship(Seat::ALL[*seat]).is_none()));
        assert_eq!(state(sim), GameState::Running);
    });
}

#[test]
fn v19_a_player_among_bots_is_alone_and_may_pause() {
    let mut sim = Simulation::sharded(11, 100, 1);
    let ann = sim.link_asking(0, "Ann", create());
    ask(&mut sim, ann, LobbyRequest::AddBot(Skill::Good));
    ask(&mut sim, ann, LobbyRequest::Start);
    ask(&mut sim, ann, LobbyRequest::Pace(protocol::Pace::Paused));
    let tick = sim.lobbies()[0].tick;
    sim.run(3);
    assert_eq!(sim.lobbies()[0].tick, tick);
}

#[test]
fn v19_a_game_with_bots_is_recorded_with_them_but_not_scored() {
    let mut sim = Simulation::sharded(11, 100, 1);
    let rules = Rules { lives: 1, ..Rules::default() };
    let request = LobbyRequest::Create { stage: "endless".into(), rules, is_private: false };
    let ann = sim.link_asking(0, "Ann", request);
    ask(&mut sim, ann, LobbyRequest::AddBot(Skill::Easy));
    ask(&mut sim, ann, LobbyRequest::Start);
    for _ in 0..600 {
        if sim.at(ann).tally().is_some() {
            break;
        }
        sim.run(1);
    }
    assert!(!sim.at(ann).tally().expect("the game ends").is_scored);
    let record = &sim.records[0];
    let players: Vec<_> = record.players.iter().map(|player| (player.name.as_str(), player.kind.bot())).collect();
    assert_eq!((record.is_assisted, players), (true, vec![("Ann", None), ("", Some(Skill::Easy))]));
}

#[test]
fn a_shard_runs_a_bounded_number_of_bots_and_counts_those_it_refused() {
    let mut sim = Simulation::sharded(11, 100, 1);
    let lobbies = BOTS_PER_SHARD_MAX / 3 + 1;
    let hosts: Vec<LinkId> = (0..lobbies).map(|_| sim.link_asking(0, "Ann", create())).collect();
    for host in &hosts {
        (0..3).for_each(|_| sim.ask(*host, LobbyRequest::AddBot(Skill::Easy)));
    }
    sim.run(1);
    assert_eq!(sim.shards[0].bot_count(), BOTS_PER_SHARD_MAX);
    let refused = (lobbies * 3 - BOTS_PER_SHARD_MAX) as u64;
    assert_eq!(sim.counters().bots_refused, refused);
    let last = *hosts.last().expect("a lobby");
    assert_eq!(sim.at(last).refused().len() as u64, refused);
    assert!(sim.at(last).refused().iter().all(|why| *why == Refusal::NoBot));
}
