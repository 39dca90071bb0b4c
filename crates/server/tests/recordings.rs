//! Games are recorded, through a whole node: what was played can be played again, and belongs to its record.

mod simulated;

use std::collections::BTreeMap;

use game::{Frame, Rules};
use protocol::{Dialect, LobbyRequest};
use replay::{RecordingWriter, Reel, Replay, Resumed, verify};
use server::core::{NamesAndChat, Record, RecordedGames, RecordingContent};
use simulated::{ClientId, Simulation, linked::LinkId, settings};

/// The files that the pieces make, by game, as a node would write them.
fn files(sim: &Simulation) -> BTreeMap<u64, Vec<u8>> {
    let mut files: BTreeMap<u64, Vec<u8>> = BTreeMap::new();
    let mut writers: BTreeMap<u64, RecordingWriter> = BTreeMap::new();
    for piece in &sim.pieces {
        let file = files.entry(piece.game.0).or_default();
        match &piece.content {
            RecordingContent::Begin(header) => {
                let begun = || {
                    let (writer, tail) = RecordingWriter::begin(header);
                    Resumed { writer, kept: 0, tail }
                };
                let Resumed { writer, kept, tail } = RecordingWriter::resume(file).unwrap_or_else(|_| begun());
                file.truncate(kept);
                file.extend(tail);
                writers.insert(piece.game.0, writer);
            }
            RecordingContent::Block(block) => {
                file.extend(writers.get_mut(&piece.game.0).expect("it has begun").block(block));
            }
        }
    }
    files
}

fn replay_of(sim: &Simulation, record: &Record) -> Replay {
    let file = files(sim).remove(&record.game.0).expect("it is recorded");
    let replay = Replay::read(file).expect("it is whole");
    assert_eq!(verify(&replay).expect("it is the same game").ticks, replay.ticks());
    assert_eq!(replay.header().game, record.game.0);
    replay
}

fn last_frame(replay: &Replay) -> Frame {
    let mut reel = Reel::new(replay).expect("it plays");
    reel.seek(replay.ticks()).expect("it has an end");
    let mut frame = Frame::default();
    reel.frame_into(&mut frame);
    frame
}

/// A player alone, in a game that goes on.
fn playing(sim: &mut Simulation) -> LinkId {
    playing_with(sim, 1)
}

fn playing_with(sim: &mut Simulation, lives: u8) -> LinkId {
    let rules = Rules { lives, ..Rules::default() };
    let id = sim.link_asking(0, "Ann", LobbyRequest::Create { stage: "endless".into(), rules, is_private: false });
    sim.ask(id, LobbyRequest::Start);
    sim.run(1);
    id
}

fn until_lost(sim: &mut Simulation) -> Record {
    for _ in 0..600 {
        if let Some(record) = sim.records.first() {
            return record.clone();
        }
        sim.run(1);
    }
    panic!("the game never ended");
}

#[test]
fn a_lost_game_can_be_played_again_to_the_score_of_its_record() {
    let mut sim = Simulation::sharded(3, 10, 2);
    sim.keep_recordings(RecordedGames::All(NamesAndChat::LeftOut));
    playing(&mut sim);
    let record = until_lost(&mut sim);
    sim.run(3);
    let replay = replay_of(&sim, &record);
    let frame = last_frame(&replay);
    assert!(replay.is_finished() && !replay.has_gaps());
    assert_eq!((frame.score, frame.state), (record.score, game::GameState::Lost));
    assert_eq!(replay.ticks(), record.ticks + 120, "and two seconds more, to see the end");
    assert!(frame.names.iter().all(|name| name.is_empty()), "nobody asked for names");
    assert_eq!(replay.header().began_ms * 1000, record.began.micros() / 1000 * 1000);
    assert_eq!(replay.header().rules, record.rules);
}

#[test]
fn nothing_is_recorded_unless_the_host_asks_for_it() {
    let mut sim = Simulation::sharded(3, 10, 2);
    playing(&mut sim);
    sim.run(40);
    assert!(sim.pieces.is_empty());
}

#[test]
fn a_game_that_is_played_alone_is_recorded_for_its_player_on_any_node() {
    let mut sim = Simulation::sharded(3, 10, 2);
    sim.keep_recordings(RecordedGames::Solo);
    playing(&mut sim);
    let record = until_lost(&mut sim);
    sim.run(3);
    assert_eq!(replay_of(&sim, &record).ticks(), record.ticks + 120);
    assert!(sim.pieces.iter().all(|piece| piece.key.is_some()), "all of it is for the player");
    let keys: Vec<_> = sim.pieces.iter().map(|piece| piece.key).collect();
    assert!(keys.windows(2).all(|pair| pair[0] == pair[1]), "by one key");
}

#[test]
fn company_and_leaving_end_the_recording_of_a_player_who_was_alone() {
    let mut sim = patient(3);
    sim.keep_recordings(RecordedGames::Solo);
    let ann = playing_with(&mut sim, 9);
    sim.run(2);
    sim.ask(ann, LobbyRequest::AddBot(game::Skill::Easy));
    sim.run(2);
    let last = sim.pieces.last().expect("it was recorded").clone();
    assert!(last.key.is_none() && matches!(last.content, RecordingContent::Block(block) if block.is_last));
    let count = sim.pieces.len();
    sim.run(40);
    assert_eq!(sim.pieces.len(), count, "nothing more is recorded");
    let bob = playing_with(&mut sim, 9);
    sim.run(2);
    assert!(sim.pieces.last().is_some_and(|piece| piece.key.is_some()), "another game is");
    sim.ask(bob, LobbyRequest::LeaveLobby);
    sim.run(2);
    assert!(sim.pieces.last().is_some_and(|piece| piece.key.is_none()), "nobody will ask for what nobody finished");
}

/// A node on whose games nobody who does nothing is out of lives for minutes.
fn patient(seed: u64) -> Simulation {
    let mut settings = settings(seed, 10);
    settings.rules = Rules { lives: 9, ..settings.rules };
    Simulation::with_settings(settings, 2)
}

#[test]
fn players_of_all_dialects_come_and_go_in_a_recording() {
    let mut sim = patient(5);
    sim.keep_recordings(RecordedGames::All(NamesAndChat::LeftOut));
    let dialects = [Dialect::Typeuh, Dialect::Snapshot, Dialect::Aecs, Dialect::Rfc53952];
    for dialect in dialects {
        sim.join(dialect, None);
        sim.run(7);
    }
    sim.clients[1].is_dead = true;
    sim.run(20);
    sim.join(Dialect::Typeuh, None);
    sim.run(5);
    for index in 0..sim.clients.len() {
        sim.clients[index].is_dead = true;
    }
    sim.run(60);
    let record = sim.records.first().expect("everybody left").clone();
    let replay = replay_of(&sim, &record);
    assert!(replay.is_finished() && replay.ticks() > 50 * 60, "{}", replay.ticks());
}

#[test]
fn names_and_chat_are_recorded_if_the_host_asks_for_them() {
    let mut sim = Simulation::sharded(3, 10, 2);
    sim.keep_recordings(RecordedGames::All(NamesAndChat::Recorded));
    let ann = playing(&mut sim);
    sim.ask(ann, LobbyRequest::Say { text: "here they come".into() });
    let record = until_lost(&mut sim);
    sim.run(3);
    let replay = replay_of(&sim, &record);
    assert_eq!(last_frame(&replay).names[0].as_str(), "Ann");
    let mut reel = Reel::new(&replay).expect("it plays");
    let mut said = Vec::new();
    while reel.tick().expect("it is the same game") {
        said.extend(reel.chat().iter().map(|chat| chat.text.clone()));
    }
    assert_eq!(said, ["here they come"]);
}

/// Everybody who can reach the node can watch a recording.
#[test]
fn what_is_said_in_a_private_lobby_is_never_recorded() {
    let mut sim = Simulation::sharded(3, 10, 2);
    sim.keep_recordings(RecordedGames::All(NamesAndChat::Recorded));
    let rules = Rules { lives: 1, ..Rules::default() };
    let ann = sim.link_asking(0, "Ann", LobbyRequest::Create { stage: "endless".into(), rules, is_private: true });
    sim.ask(ann, LobbyRequest::Start);
    sim.run(1);
    sim.ask(ann, LobbyRequest::Say { text: "our secret".into() });
    let record = until_lost(&mut sim);
    sim.run(3);
    let replay = replay_of(&sim, &record);
    assert!(!replay.header().has_talk && last_frame(&replay).names.iter().all(|name| name.is_empty()));
    let mut reel = Reel::new(&replay).expect("it plays");
    while reel.tick().expect("it is the same game") {
        assert!(reel.chat().is_empty());
    }
}

#[test]
fn a_recording_goes_on_with_a_gap_when_the_node_was_killed() {
    let mut sim = patient(5);
    sim.keep_saves();
    sim.keep_recordings(RecordedGames::All(NamesAndChat::LeftOut));
    let ann: ClientId = sim.join(Dialect::Typeuh, None);
    sim.run(40);
    sim.restart(40);
    sim.run(10);
    sim.clients[ann.0].is_dead = true;
    sim.run(60);
    let record = sim.records.last().expect("everybody left").clone();
    let replay = replay_of(&sim, &record);
    assert!(replay.has_gaps() && replay.is_finished());
    assert!(replay.ticks() > 35 * 60, "{}", replay.ticks());
}
