//! What a lobby can be made for, through a whole node: difficulty, the daily game, practice, ships, tallies and records.

mod simulated;

use game::{Arms, Daily, Difficulty, Mode, Mutator, Practice, Rules, Seat, ShipModel};
use protocol::{Dialect, LobbyRequest};
use simulated::{Simulation, linked::LinkId};

/// The day of [`simulated::START`].
const TODAY: u32 = 19_675;

fn create(stage: &str, rules: Rules) -> LobbyRequest {
    LobbyRequest::Create { stage: stage.into(), rules, is_private: false }
}

/// A player alone in a lobby of their own whose game runs.
fn playing(sim: &mut Simulation, request: LobbyRequest) -> LinkId {
    let id = sim.link_asking(0, "Ann", request);
    sim.ask(id, LobbyRequest::Start);
    sim.run(1);
    id
}

/// Lets time pass until the player has been told a tally.
fn until_tally(sim: &mut Simulation, id: LinkId) {
    for _ in 0..600 {
        if sim.at(id).tally().is_some() {
            return;
        }
        sim.run(1);
    }
    panic!("the game never ended");
}

#[test]
fn a_daily_lobby_is_that_of_the_day_whatever_else_is_asked_for() {
    let mut sim = Simulation::sharded(11, 100, 3);
    let wished = Daily { day: 5, mutator: Mutator::Glass };
    let rules = Rules { lives: 9, mode: Mode::Daily(wished), ..Rules::of(Difficulty::Easy) };
    let ann = playing(&mut sim, create("stage1", rules));
    let lobby = sim.at(ann).lobby().expect("a lobby");
    assert_eq!((lobby.stage.as_str(), lobby.rules), ("endless", Rules::of_day(TODAY)));
    until_tally(&mut sim, ann);
    assert_eq!(sim.records[0].rules, Rules::of_day(TODAY));
}

#[test]
fn a_lobby_has_the_difficulty_that_its_maker_chose_and_lists_tell_it() {
    let mut sim = Simulation::sharded(11, 100, 3);
    let ann = playing(&mut sim, create("endless", Rules::of(Difficulty::Hard)));
    let rules = sim.at(ann).lobby().expect("a lobby").rules;
    assert_eq!((rules.difficulty, rules.mode, rules.lives), (Difficulty::Hard, Mode::Endless, 2));
    let lister = sim.link_asking(1, "Cid", LobbyRequest::List);
    let Some(protocol::volley::News::Lobbies(lines)) = sim.at(lister).heard.first() else { panic!("no list") };
    assert_eq!(lines[0].rules, rules);
    assert_eq!(sim.lobbies()[0].rules, rules);
}

#[test]
fn practice_is_private_begins_where_it_should_and_is_not_recorded() {
    let mut sim = Simulation::sharded(11, 100, 3);
    let arms = Arms { force_level: 3, bits: 2, ..Arms::default() };
    let rules = Rules { mode: Mode::Practice(Practice { checkpoint: 3, arms }), lives: 1, ..Rules::default() };
    let ann = playing(&mut sim, create("stage1", rules));
    assert!(sim.at(ann).lobby().expect("a lobby").is_private);
    assert_eq!(sim.at(ann).frame.players[0].expect("a player").force_level, 3);
    let start = sim.at(ann).frame.scroll_px;
    assert!(start > 3000, "{start}");
    let stranger = sim.join(Dialect::Snapshot, None);
    sim.run(1);
    assert_eq!(sim.lobbies().len(), 2, "a stranger gets another lobby");
    sim.clients[stranger.0].is_dead = true;
    until_tally(&mut sim, ann);
    let tally = sim.at(ann).tally().expect("a tally");
    assert!(!tally.is_scored && tally.players.len() == 1);
    sim.run(10);
    assert!(sim.records.is_empty(), "{:?}", sim.records);
    assert!(sim.at(ann).frame.scroll_px < start + 1000, "it begins again at the same place");
}

#[test]
fn a_tally_names_the_recorded_game_and_says_what_everybody_did() {
    let mut sim = Simulation::sharded(11, 100, 3);
    let ann = playing(&mut sim, create("endless", Rules { lives: 1, ..Rules::default() }));
    until_tally(&mut sim, ann);
    let tally = sim.at(ann).tally().expect("a tally").clone();
    let record = &sim.records[0];
    assert_eq!((tally.game, tally.score, tally.is_won, tally.is_scored), (record.game, record.score, false, true));
    let (told, kept) = (&tally.players[0], &record.players[0]);
    assert_eq!((told.name.as_str(), told.player.seat, told.player.game.deaths), ("Ann", Seat::ALL[0], 1));
    assert_eq!((told.player.game.kills, Some(told.player.rank)), (kept.counts.kills, kept.rank));
    assert!(told.player.game.ticks() > 60);
    // The next try is another game.
    sim.run(7);
    for _ in 0..600 {
        sim.run(1);
        if sim.records.len() > 1 {
            break;
        }
    }
    assert_ne!(sim.records[1].game, sim.records[0].game);
}

#[test]
fn a_player_flies_the_ship_that_they_chose_and_others_that_of_their_seat() {
    let mut sim = Simulation::sharded(11, 100, 3);
    let ann = sim.link(0, "Ann");
    sim.ask(ann, LobbyRequest::Ship(ShipModel::Lynx));
    sim.ask(ann, create("endless", Rules::default()));
    sim.run(1);
    let code = sim.at(ann).seated().expect("a seat").0;
    let bob = sim.link_asking(1, "Bob", LobbyRequest::Join { code });
    sim.join(Dialect::Snapshot, None);
    sim.run(1);
    let ships: Vec<_> = sim.at(bob).lobby().expect("a lobby").members.iter().map(|member| member.ship).collect();
    assert_eq!(ships, [ShipModel::Lynx, ShipModel::Wasp, ShipModel::Anvil]);
    let flown = sim.at(bob).frame.players.map(|player| player.map(|player| player.model));
    assert_eq!(flown, [Some(ShipModel::Lynx), Some(ShipModel::Wasp), Some(ShipModel::Anvil), None]);
    assert_eq!(sim.lobbies()[0].players[0].ship, ShipModel::Lynx);
    // In a running game the choice is for the next ship; the lobby shows it at once.
    sim.ask(bob, LobbyRequest::Ship(ShipModel::Arrow));
    sim.run(1);
    assert_eq!(sim.at(ann).lobby().expect("a lobby").members[1].ship, ShipModel::Arrow);
}

/// Nobody who only watches the screen is lost at once, whatever they connect with.
#[test]
fn in_every_dialect_a_passive_player_outlives_the_opening() {
    for dialect in Dialect::ALL {
        for (stage, seconds) in [("stage1", 30), ("endless", 20)] {
            for seed in 0..4 {
                outlives(dialect, stage, seconds, seed);
            }
        }
    }
}

/// A passive player of that dialect keeps the first ship for some seconds of a new game.
fn outlives(dialect: Dialect, stage: &str, seconds: u32, seed: u64) {
    let mut sim = Simulation::sharded(seed, 100, 1);
    sim.is_passive = true;
    let maker = sim.link_asking(0, "Ann", create(stage, Rules::default()));
    let code = sim.at(maker).seated().expect("a seat").0.to_string();
    match dialect {
        Dialect::Volley => sim.ask(maker, LobbyRequest::Start),
        _ => _ = sim.join(dialect, Some(code)),
    }
    sim.run(1);
    let ships = |sim: &Simulation| -> Vec<Option<u32>> {
        sim.lobbies()[0].players.iter().map(|player| player.entity).collect()
    };
    let first = ships(&sim);
    assert!(first.iter().all(Option::is_some) && !first.is_empty(), "{}", dialect.name());
    while sim.lobbies()[0].tick < seconds * 60 {
        sim.tick();
        let tick = sim.lobbies()[0].tick;
        assert_eq!(ships(&sim), first, "{} in {stage}, seed {seed}: lost after {tick} ticks", dialect.name());
    }
}
