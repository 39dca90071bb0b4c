//! Players who come over links, choose their lobby, talk, watch, get lost and come back: on one shard and over three.

mod simulated;

use std::net::IpAddr;

use game::{GameState, Rules, Seat};
use protocol::{ClientSession, Dialect, Emote, End, LobbyId, LobbyRequest, Refusal, Status, Token, volley::News};
use server::core::{Bans, Endpoint, Order, PeerKey, SessionCounts, ShardId};
use simulated::{
    ClientId, Simulation,
    linked::LinkId,
    network::Conditions,
    panics::{Panics, When},
};

/// Something holds on one shard, and where everybody's home is another one.
fn on_one_and_three(check: impl Fn(&mut Simulation)) {
    for shards in [1, 3] {
        check(&mut Simulation::sharded(11, 100, shards));
    }
}

fn create(is_private: bool) -> LobbyRequest {
    LobbyRequest::Create { stage: "stage1".into(), rules: Rules::default(), is_private }
}

fn code(sim: &Simulation, id: LinkId) -> LobbyId {
    sim.at(id).seated().expect("a seat").0
}

fn order(sim: &mut Simulation, order: &Order) {
    for number in 0..sim.shards.len() {
        sim.with_shard(ShardId(number as u8), |core, now| core.order(now, order.clone()));
    }
    sim.deliver();
}

/// Everybody goes, and nothing of them is left anywhere.
fn all_leave(sim: &mut Simulation) {
    for index in 0..sim.links.len() {
        let now = sim.now;
        sim.links[index].client.leave(now);
    }
    sim.clients.iter_mut().for_each(|client| client.is_dead = true);
    // What they said last arrives first.
    sim.run(1);
    for index in 0..sim.clients.len() {
        // Not every dialect has a goodbye, but every system says that nobody listens any more.
        let (at, from) = (Endpoint::Door(sim.clients[index].dialect), ClientId(index).address());
        sim.hint_unreachable(sim.shard_of(at, from), PeerKey::new(at, from));
    }
    sim.run(95);
    assert_nothing_is_left(sim);
}

fn assert_nothing_is_left(sim: &Simulation) {
    assert!(sim.lobbies().is_empty() && sim.borrowed.is_empty(), "{:?}", sim.borrowed);
    for (number, core) in sim.shards.iter().enumerate() {
        let left: Vec<_> = core.table_sizes().into_iter().filter(|(_, count)| *count > 0).collect();
        assert!(left.is_empty(), "shard {number} of {} keeps {left:?}", sim.shards.len());
    }
}

#[test]
fn the_seat_of_the_maker_of_a_lobby_at_a_desk_is_not_taken_over_a_link() {
    on_one_and_three(|sim| {
        let maker = sim.join(Dialect::Rfc2020, None);
        // The lobby is made, but the first JOIN of its maker is lost, and the others are quicker.
        sim.network.conditions = Conditions::SILENT;
        sim.run(1);
        let made = sim.lobbies()[0].id.clone();
        let inside = |sim: &Simulation| sim.lobbies().iter().find(|lobby| lobby.id == made).map(|it| it.players.len());
        let links: Vec<LinkId> = (0..4).map(|number| sim.link_asking(number % 3, "Ann", LobbyRequest::Quick)).collect();
        assert_eq!(inside(sim), Some(3), "{:?}", links.iter().map(|link| code(sim, *link)).collect::<Vec<_>>());
        sim.network.conditions = Conditions::PERFECT;
        sim.run(2);
        assert_eq!((sim.clients[maker.0].session.status(), inside(sim)), (Status::Playing, Some(4)));
    });
}

#[test]
fn a_lobby_with_a_stage_and_rules_is_listed_and_joined_by_its_code() {
    on_one_and_three(|sim| {
        let rules = Rules { friendly_fire: true, lives: 7, ..Rules::default() };
        let maker =
            sim.link_asking(0, "Ann", LobbyRequest::Create { stage: "stage1".into(), rules, is_private: false });
        let (id, seat, _) = sim.at(maker).seated().expect("a seat");
        let joiner = sim.link_asking(1, "Bob", LobbyRequest::Join { code: id });
        let lister = sim.link_asking(2, "Cid", LobbyRequest::List);
        let Some(News::Lobbies(lines)) = sim.at(lister).heard.first() else { panic!("no list") };
        let connected = |count: fn(SessionCounts) -> u64| {
            sim.shards.iter().map(|core| count(core.session_counts()[Dialect::Volley as usize])).sum::<u64>()
        };
        assert_eq!((connected(|counts| counts.players), connected(|counts| counts.proved)), (2, 3), "one only looks");
        assert_eq!(
            lines.iter().map(|line| (line.code, line.stage.as_str(), line.players)).collect::<Vec<_>>(),
            [(id, "stage1", 2)]
        );
        assert_eq!(
            (seat, sim.at(joiner).seated().map(|(code, seat, _)| (code, seat))),
            (Seat::ALL[0], Some((id, Seat::ALL[1])))
        );
        let lobby = sim.at(maker).lobby().expect("a lobby");
        assert_eq!((lobby.rules, lobby.stage.as_str(), lobby.is_private), (rules, "stage1", false));
        assert_eq!(lobby.members.iter().map(|member| member.name.as_str()).collect::<Vec<_>>(), ["Ann", "Bob"]);
        assert_eq!(sim.at(joiner).lobby(), Some(lobby));
        assert_eq!(sim.at(joiner).stages(), ["stage1"]);
        assert!(sim.is_playing(maker) && sim.is_playing(joiner) && !sim.is_playing(lister));
        all_leave(sim);
    });
}

#[test]
fn a_private_lobby_is_not_found_by_trying_codes() {
    on_one_and_three(|sim| {
        let maker = sim.link_asking(2, "Ann", create(true));
        let (secret, public) = (code(sim, maker), sim.link_asking(1, "Bob", create(false)));
        let public = code(sim, public);
        // One link alone asks too seldom to find anything.
        let guessers: Vec<LinkId> = (0..60).map(|number| sim.link(number, "Eve")).collect();
        let guess = |sim: &mut Simulation| {
            for (number, guesser) in (0..).zip(&guessers[..59]) {
                let code = LobbyId::from_number(number);
                sim.ask(*guesser, LobbyRequest::Join { code });
                sim.ask(*guesser, LobbyRequest::Watch { code });
            }
        };
        for _ in 0..4 {
            guess(sim);
            sim.run(1);
        }
        let refused: Vec<Refusal> = guessers.iter().flat_map(|id| sim.at(*id).refused()).collect();
        let guesses = refused.iter().filter(|refusal| **refusal == Refusal::NoLobby).count();
        assert!(refused.len() == 4 * 59 * 2 && guesses < 300, "{guesses} of {}", refused.len());
        let guesser = guessers[59];
        for request in [LobbyRequest::Join { code: secret }, LobbyRequest::Watch { code: secret }] {
            // Wrong ones use up what a second allows.
            guess(sim);
            sim.ask(guesser, request);
            sim.run(1);
            assert_eq!(sim.at(guesser).refused().last(), Some(&Refusal::TooFast), "the answer does not tell");
        }
        sim.run(30);
        sim.ask(guesser, LobbyRequest::Join { code: public });
        sim.run(1);
        assert_eq!(code(sim, guesser), public, "a public one is no guess");
        all_leave(sim);
    });
}

#[test]
fn lobbies_that_nobody_plays_in_are_not_listed_but_found_by_their_codes() {
    on_one_and_three(|sim| {
        let makers = [0, 1, 2].map(|home| sim.link_asking(home, "Ann", create(false)));
        let codes = makers.map(|maker| code(sim, maker));
        // One lost the connection, so that the seat is kept; one has left.
        sim.lose(makers[0]);
        let now = sim.now;
        sim.links[makers[1].0].client.leave(now);
        sim.run(1);
        let lister = sim.link_asking(2, "Cid", LobbyRequest::List);
        let Some(News::Lobbies(lines)) = sim.at(lister).heard.first() else { panic!("no list") };
        let listed: Vec<_> = lines.iter().map(|line| line.code).collect();
        assert_eq!(listed, [codes[2]]);
        let friend = sim.link_asking(1, "Eve", LobbyRequest::Join { code: codes[0] });
        assert_eq!(code(sim, friend), codes[0]);
        all_leave(sim);
    });
}

#[test]
fn a_private_lobby_is_found_by_its_code_alone() {
    on_one_and_three(|sim| {
        let maker = sim.link_asking(2, "Ann", create(true));
        let secret = code(sim, maker);
        assert!(sim.lobbies()[0].is_private);
        let other = sim.link_asking(0, "Bob", LobbyRequest::List);
        assert_eq!(sim.at(other).heard, [News::Lobbies(Vec::new())]);
        sim.ask(other, LobbyRequest::Quick);
        let stranger = sim.join(Dialect::Typeuh, None);
        sim.run(2);
        assert_ne!(code(sim, other), secret);
        assert_eq!(sim.clients[stranger.0].session.status(), Status::Playing);
        let friend = sim.link_asking(1, "Cid", LobbyRequest::Join { code: secret });
        assert_eq!(code(sim, friend), secret);
        let lobbies = sim.lobbies();
        assert_eq!(
            lobbies.iter().map(|lobby| (lobby.is_private, lobby.players.len())).collect::<Vec<_>>(),
            [(true, 2), (false, 2)]
        );
        // A seat that is free again is not given to anybody either.
        let now = sim.now;
        sim.links[friend.0].client.leave(now);
        sim.run(1);
        let quick = sim.link_asking(1, "Dan", LobbyRequest::Quick);
        assert_ne!(code(sim, quick), secret);
        all_leave(sim);
    });
}

#[test]
fn c1_a_player_who_wants_any_seat_meets_players_of_other_dialects() {
    on_one_and_three(|sim| {
        let typeuh = sim.join(Dialect::Typeuh, None);
        sim.run(1);
        let quick = sim.link_asking(1, "Ann", LobbyRequest::Quick);
        sim.run(1);
        let lobby = sim.at(quick).lobby().expect("a lobby");
        let dialects: Vec<_> = lobby.members.iter().filter_map(|member| member.kind.dialect()).collect();
        assert_eq!(dialects, [Dialect::Typeuh, Dialect::Volley]);
        assert_eq!(sim.lobbies().len(), 1);
        assert_eq!(sim.clients[typeuh.0].session.status(), Status::Playing);
        all_leave(sim);
    });
}

#[test]
fn watchers_see_frames_and_have_no_seat() {
    on_one_and_three(|sim| {
        let player = sim.link_asking(0, "Ann", create(false));
        let id = code(sim, player);
        let watcher = sim.link_asking(1, "Eve", LobbyRequest::Watch { code: id });
        sim.run(1);
        assert!(sim.at(watcher).frames > 30 && sim.at(watcher).client.seat().is_none());
        assert_eq!((sim.players(), sim.at(player).lobby().map(|lobby| lobby.watchers)), (1, Some(1)));
        sim.ask(watcher, LobbyRequest::Ready(true));
        sim.ask(watcher, LobbyRequest::Start);
        sim.run(1);
        assert_eq!(sim.at(watcher).refused(), [Refusal::NotNow, Refusal::NotNow]);
        assert_eq!(sim.lobbies()[0].state, GameState::Waiting);
        all_leave(sim);
    });
}

#[test]
fn the_number_of_watchers_is_limited() {
    on_one_and_three(|sim| {
        let player = sim.link_asking(0, "Ann", create(false));
        let watch = LobbyRequest::Watch { code: code(sim, player) };
        let watchers: Vec<LinkId> = (0..33)
            .map(|number| {
                // No address has all of them, not even this machine's.
                let elsewhere = IpAddr::from([10, 0, 0, number]);
                let id = if number % 2 == 0 { sim.link(number, "Eve") } else { sim.link_from(elsewhere, "Eve") };
                sim.ask(id, watch.clone());
                id
            })
            .collect();
        sim.run(1);
        let refused: Vec<_> = watchers.iter().flat_map(|id| sim.at(*id).refused()).collect();
        assert_eq!(refused, [Refusal::Full]);
        // Somebody's place is free again, even if their link was just lost.
        let seen = watchers.iter().copied().find(|id| sim.at(*id).refused().is_empty()).expect("a watcher");
        sim.lose(seen);
        let late = sim.link_asking(2, "Zoe", watch);
        assert!(sim.at(late).refused().is_empty());
        all_leave(sim);
    });
}

#[test]
fn what_cannot_be_granted_is_refused_with_the_reason() {
    on_one_and_three(|sim| {
        let makers: Vec<LinkId> = (0..4).map(|number| sim.link_asking(number, "Ann", LobbyRequest::Quick)).collect();
        let full = code(sim, makers[0]);
        let id = sim.link(1, "Bob");
        sim.ask(id, LobbyRequest::Join { code: full });
        sim.ask(id, LobbyRequest::Join { code: LobbyId::new("ZZZZZZ").expect("a code") });
        sim.ask(id, LobbyRequest::Watch { code: LobbyId::new("ZZZZZZ").expect("a code") });
        sim.ask(id, LobbyRequest::Create { stage: "nowhere".into(), rules: Rules::default(), is_private: false });
        sim.ask(id, LobbyRequest::Rejoin { token: Token([9; 16]) });
        sim.ask(id, LobbyRequest::LeaveLobby);
        sim.ask(id, LobbyRequest::Say { text: "hello?".into() });
        sim.run(1);
        let (no_lobby, not_now) = (Refusal::NoLobby, Refusal::NotNow);
        let reasons = [Refusal::Full, no_lobby, no_lobby, Refusal::NoStage, Refusal::TooLate, not_now, not_now];
        assert_eq!(sim.at(id).refused(), reasons);
        sim.ask(makers[0], LobbyRequest::Quick);
        order(sim, &Order::Drain);
        sim.ask(id, LobbyRequest::Quick);
        sim.run(1);
        assert_eq!(
            (sim.at(makers[0]).refused(), sim.at(id).refused()[7..].to_vec()),
            (vec![not_now], vec![Refusal::NodeFull])
        );
        all_leave(sim);
    });
}

#[test]
fn a_new_name_is_seen_and_all_who_are_ready_start() {
    on_one_and_three(|sim| {
        let (ann, bob) = (sim.link_asking(0, "Ann", create(false)), sim.link(1, "Bob"));
        let id = code(sim, ann);
        sim.ask(bob, LobbyRequest::Join { code: id });
        sim.run(1);
        sim.ask(bob, LobbyRequest::Rename { name: "Robert".into() });
        sim.ask(bob, LobbyRequest::Ready(true));
        sim.run(1);
        let member = &sim.at(ann).lobby().expect("a lobby").members[1];
        assert_eq!((member.name.as_str(), member.is_ready), ("Robert", true));
        assert_eq!(sim.lobbies()[0].state, GameState::Waiting);
        sim.ask(ann, LobbyRequest::Ready(true));
        sim.run(1);
        assert_ne!(sim.lobbies()[0].state, GameState::Waiting);
        all_leave(sim);
    });
}

#[test]
fn what_is_said_reaches_everybody_but_those_who_do_not_want_to_hear_it() {
    on_one_and_three(|sim| {
        let ann = sim.link_asking(0, "Ann", create(false));
        let id = code(sim, ann);
        let bob = sim.link_asking(1, "Bob", LobbyRequest::Join { code: id });
        let eve = sim.link_asking(2, "Eve", LobbyRequest::Watch { code: id });
        let elsewhere = sim.link_asking(2, "Zoe", create(false));
        sim.ask(ann, LobbyRequest::Say { text: "one".into() });
        sim.run(1);
        sim.ask(bob, LobbyRequest::Mute { seat: Seat::ALL[0], on: true });
        sim.run(1);
        sim.ask(ann, LobbyRequest::Say { text: "two".into() });
        sim.ask(eve, LobbyRequest::Say { text: "three".into() });
        sim.run(1);
        let words = |id: LinkId| sim.at(id).said().iter().map(|(_, _, text)| text.to_string()).collect::<Vec<_>>();
        assert_eq!((words(ann), words(eve)), (vec!["one".into(), "two".into(), "three".into()], words(ann)));
        assert_eq!((words(bob), words(elsewhere)), (vec!["one".into(), "three".into()], Vec::new()));
        assert_eq!(sim.at(bob).said(), [(Some(Seat::ALL[0]), "Ann", "one"), (None, "Eve", "three")]);
        all_leave(sim);
    });
}

#[test]
fn a_gesture_of_a_player_reaches_everybody_but_those_who_muted_the_seat() {
    on_one_and_three(|sim| {
        let ann = sim.link_asking(0, "Ann", create(false));
        let id = code(sim, ann);
        let bob = sim.link_asking(1, "Bob", LobbyRequest::Join { code: id });
        let eve = sim.link_asking(2, "Eve", LobbyRequest::Watch { code: id });
        sim.ask(ann, LobbyRequest::Emote(Emote::Hello));
        sim.run(1);
        sim.ask(bob, LobbyRequest::Mute { seat: Seat::ALL[0], on: true });
        sim.run(1);
        sim.ask(ann, LobbyRequest::Emote(Emote::Help));
        // Only a ship can make one.
        sim.ask(eve, LobbyRequest::Emote(Emote::Sorry));
        sim.run(1);
        let seen = |id: LinkId| sim.at(id).gestures();
        let both = [(Seat::ALL[0], Emote::Hello), (Seat::ALL[0], Emote::Help)];
        assert_eq!((seen(ann), seen(eve), seen(bob)), (both.to_vec(), both.to_vec(), both[..1].to_vec()));
        all_leave(sim);
    });
}

#[test]
fn names_and_words_have_only_what_can_be_seen() {
    on_one_and_three(|sim| {
        let ann = sim.link_asking(1, "\u{202e}An\u{200b}n\u{2066}", create(false));
        let bob = sim.link_asking(0, "Bob", LobbyRequest::Join { code: code(sim, ann) });
        sim.ask(bob, LobbyRequest::Rename { name: "\u{feff}Ann\u{200d}".into() });
        sim.ask(ann, LobbyRequest::Say { text: "\u{2067}he\u{301}\u{301}\u{301}\u{301}\u{301}llo\u{202c}".into() });
        sim.ask(ann, LobbyRequest::Say { text: "\u{200b}\u{2060}".into() });
        sim.run(1);
        assert_eq!(sim.at(bob).said(), [(Some(Seat::ALL[0]), "Ann", "he\u{301}\u{301}\u{301}llo")]);
        let names: Vec<String> = sim.lobbies()[0].players.iter().map(|player| player.name.clone()).collect();
        assert_eq!(names, ["Ann", "Ann"]);
        all_leave(sim);
    });
}

#[test]
fn one_goes_from_lobby_to_lobby_whatever_the_pieces() {
    for piece_bytes in [1, 3, 7, usize::MAX] {
        on_one_and_three(|sim| {
            let makers: Vec<LinkId> = (0..3).map(|home| sim.link_asking(home, "Ann", create(false))).collect();
            let codes: Vec<LobbyId> = makers.iter().map(|id| code(sim, *id)).collect();
            let walker = sim.link(1, "Bob");
            sim.links[walker.0].piece_bytes = piece_bytes;
            for code in codes.iter().cycle().take(4) {
                sim.ask(walker, LobbyRequest::Join { code: *code });
                sim.ask(walker, LobbyRequest::LeaveLobby);
            }
            sim.ask(walker, LobbyRequest::Watch { code: codes[2] });
            sim.ask(walker, LobbyRequest::LeaveLobby);
            sim.ask(walker, LobbyRequest::Join { code: codes[1] });
            sim.run(2);
            let seated = sim.at(walker).heard.iter().filter(|news| matches!(news, News::Seated { .. })).count();
            let outs = sim.at(walker).heard.iter().filter(|news| **news == News::LeftLobby).count();
            assert_eq!((seated, outs, sim.at(walker).refused()), (5, 5, Vec::new()), "{piece_bytes}");
            assert_eq!(code(sim, walker), codes[1]);
            assert!(sim.is_playing(walker));
            assert_eq!(sim.players(), 4);
            all_leave(sim);
        });
    }
}

#[test]
fn a_lost_players_seat_and_ship_are_kept_for_a_minute() {
    on_one_and_three(|sim| {
        let ann = sim.link_asking(0, "Ann", create(false));
        let bob = sim.link_asking(1, "Bob", LobbyRequest::Join { code: code(sim, ann) });
        sim.ask(ann, LobbyRequest::Start);
        sim.run(2);
        let (id, seat, token) = sim.at(bob).seated().expect("a seat");
        let ship = sim.lobbies()[0].players[1].entity;
        sim.lose(bob);
        sim.run(2);
        let away: Vec<_> = sim.at(ann).lobby().expect("a lobby").members.iter().map(|member| member.is_away).collect();
        assert_eq!(away, [false, true]);
        assert_eq!(sim.lobbies()[0].players[1].entity, ship);
        let back = sim.link_asking(2, "Bob", LobbyRequest::Rejoin { token });
        assert_eq!(sim.at(back).seated(), Some((id, seat, token)));
        assert_eq!((sim.lobbies()[0].players[1].entity, ship.is_some()), (ship, true));
        sim.run(1);
        assert!(sim.is_playing(back));
        // Lost again, for too long.
        sim.lose(back);
        sim.run(58);
        assert_eq!(sim.players(), 2);
        sim.run(3);
        assert_eq!(sim.players(), 1);
        let late = sim.link_asking(1, "Bob", LobbyRequest::Rejoin { token });
        assert_eq!(sim.at(late).refused(), [Refusal::TooLate]);
        all_leave(sim);
    });
}

#[test]
fn one_comes_back_before_the_node_noticed_the_loss() {
    on_one_and_three(|sim| {
        let ann = sim.link_asking(0, "Ann", create(false));
        let bob = sim.link_asking(1, "Bob", LobbyRequest::Join { code: code(sim, ann) });
        let (id, seat, token) = sim.at(bob).seated().expect("a seat");
        sim.links[bob.0].is_dead = true;
        sim.run(1);
        let back = sim.link_asking(2, "Bob", LobbyRequest::Rejoin { token });
        assert_eq!(sim.at(back).seated(), Some((id, seat, token)));
        assert!(!sim.at(bob).is_open, "the old link is closed");
        sim.run(12);
        assert!(sim.is_playing(back) && sim.players() == 2);
        assert!(sim.at(ann).lobby().expect("a lobby").members.iter().all(|member| !member.is_away));
        all_leave(sim);
    });
}

#[test]
fn silent_links_are_noticed_and_leave_nothing_behind() {
    on_one_and_three(|sim| {
        let ann = sim.link_asking(0, "Ann", create(false));
        let watcher = sim.link_asking(1, "Eve", LobbyRequest::Watch { code: code(sim, ann) });
        let idle = sim.link_asking(2, "Zoe", LobbyRequest::List);
        let lost = sim.link_asking(1, "Bob", LobbyRequest::Join { code: code(sim, ann) });
        for id in [ann, watcher, idle, lost] {
            sim.links[id.0].is_dead = true;
        }
        sim.run(60 + 10 + 30 + 5);
        assert_nothing_is_left(sim);
    });
}

#[test]
fn a_lobby_that_closes_sends_its_watchers_out() {
    on_one_and_three(|sim| {
        let ann = sim.link_asking(0, "Ann", create(false));
        let watcher = sim.link_asking(1, "Eve", LobbyRequest::Watch { code: code(sim, ann) });
        let now = sim.now;
        sim.links[ann.0].client.leave(now);
        sim.run(32);
        assert!(sim.lobbies().is_empty());
        assert_eq!(sim.at(watcher).heard.last(), Some(&News::LeftLobby));
        sim.ask(watcher, LobbyRequest::Quick);
        sim.run(1);
        assert!(sim.is_playing(watcher));
        all_leave(sim);
    });
}

#[test]
fn orders_reach_those_who_came_over_links() {
    on_one_and_three(|sim| {
        let ann = sim.link_asking(0, "Ann", create(false));
        let id = code(sim, ann);
        let bob = sim.link_asking(1, "Bob", LobbyRequest::Join { code: id });
        let watcher = sim.link_asking(2, "Eve", LobbyRequest::Watch { code: id });
        let idle = sim.link_asking(2, "Zoe", LobbyRequest::List);
        order(sim, &Order::Kick { lobby: id, seat: Seat::ALL[1] });
        sim.run(1);
        assert_eq!((sim.at(bob).client.status(), sim.players()), (Status::Ended(End::Closed), 1));
        // For a while nobody of that host gets a seat again. A player who is away is kicked too.
        sim.run(10);
        let away = sim.link_asking(1, "Bob", LobbyRequest::Join { code: id });
        sim.lose(away);
        sim.run(1);
        assert_eq!(sim.players(), 2);
        order(sim, &Order::Kick { lobby: id, seat: Seat::ALL[1] });
        assert_eq!(sim.players(), 1);
        order(sim, &Order::CloseLobby(id));
        sim.run(1);
        assert_eq!(sim.at(ann).client.status(), Status::Ended(End::LobbyClosed));
        assert_eq!(sim.at(watcher).heard.last(), Some(&News::LeftLobby));
        let range = "127.0.0.1/32".parse().expect("a range");
        order(sim, &Order::Ban(Bans::new([&range]).into()));
        sim.run(1);
        for id in [watcher, idle] {
            assert_eq!(sim.at(id).client.status(), Status::Ended(End::Closed));
        }
        let banned = sim.link_asking(1, "Bob", LobbyRequest::Quick);
        assert_eq!(sim.at(banned).client.status(), Status::Ended(End::Refused));
        assert_nothing_is_left(sim);
    });
}

fn replace(sim: &mut Simulation, id: LinkId, when: When) {
    let peer = PeerKey::new(id.endpoint(), id.client().address());
    let shards = sim.shards.iter_mut();
    assert_eq!(shards.filter_map(|core| core.substitute(peer, Box::new(Panics::at(when))).then_some(())).count(), 1);
}

#[test]
fn a_link_that_panics_in_no_lobby_is_gone_and_nobody_else_is() {
    for when in [When::Receive, When::Advance, When::LobbyRequest, When::Poll, When::End] {
        on_one_and_three(|sim| {
            let ann = sim.link_asking(0, "Ann", create(false));
            let bad = sim.link_asking(1, "Bob", LobbyRequest::List);
            replace(sim, bad, when);
            sim.ask(bad, LobbyRequest::List);
            sim.run(1);
            if when == When::End {
                order(sim, &Order::CloseAll);
            }
            sim.run(1);
            assert!(!sim.at(bad).is_open, "{when:?}");
            assert_eq!(sim.is_playing(ann), when != When::End);
            assert_eq!(sim.counters().lobbies_broken, 0);
            all_leave(sim);
        });
    }
}

#[test]
fn a_watcher_that_panics_breaks_the_lobby_and_not_the_shard() {
    for when in [When::Advance, When::Publish, When::Poll, When::Notify] {
        on_one_and_three(|sim| {
            let ann = sim.link_asking(0, "Ann", create(false));
            let id = code(sim, ann);
            let good = sim.link_asking(2, "Eve", LobbyRequest::Watch { code: id });
            let bad = sim.link_asking(1, "Bob", LobbyRequest::Watch { code: id });
            let elsewhere = sim.link_asking(0, "Zoe", create(false));
            replace(sim, bad, when);
            sim.ask(ann, LobbyRequest::Say { text: "boo".into() });
            sim.run(1);
            assert_eq!((sim.lobbies().len(), sim.counters().lobbies_broken), (1, 1), "{when:?}");
            assert_eq!(sim.at(good).heard.last(), Some(&News::LeftLobby));
            assert!(sim.is_playing(elsewhere));
            sim.lose(bad);
            all_leave(sim);
        });
    }
}
