//! When a game counts as assisted, and what is recorded of it.

use super::*;

/// Whether a game is assisted that goes through these ticks, when the last has been played.
fn is_assisted(ticks: &[(GameState, Pace)]) -> bool {
    let mut recorder = GameRecorder::default();
    for (tick, (state, pace)) in (0..).zip(ticks) {
        recorder.follow(Time::from_micros(0), *state, tick, *pace);
    }
    recorder.0.expect("a game").is_assisted
}

#[test]
fn a_tick_at_a_slow_pace_marks_a_game_to_its_end_and_a_pause_does_not() {
    use GameState::{Lost, Running, Waiting};
    use Pace::{Full, Paused, Slow};
    assert!(is_assisted(&[(Running, Full), (Running, Slow), (Running, Full), (Lost, Full)]));
    assert!(is_assisted(&[(Running, Slow)]), "from the first tick on");
    assert!(!is_assisted(&[(Running, Full), (Running, Paused), (Running, Full)]));
    assert!(!is_assisted(&[(Waiting, Slow), (Running, Full)]), "before the game");
    assert!(!is_assisted(&[(Running, Full), (Lost, Full), (Lost, Slow)]), "after it");
}

/// Whether a game is assisted that was paused after every `paused_after` of its ticks.
fn is_assisted_with_pauses(ticks: u32, paused_after: u32) -> bool {
    let mut recorder = GameRecorder::default();
    let at = |turn: u32| Time::from_micros(u64::from(turn) * 16_667);
    let mut turn = 0;
    for tick in 0..=ticks {
        let state = if tick == ticks { GameState::Lost } else { GameState::Running };
        recorder.follow(at(turn), state, tick, Pace::Full);
        turn += 1;
        if (tick + 1) % paused_after == 0 {
            recorder.note_turn(at(turn), GameTurn::Pause);
            turn += 5;
            recorder.note_turn(at(turn), GameTurn::Tick);
        }
    }
    recorder.0.expect("a game").is_assisted
}

#[test]
fn pausing_by_turns_is_slow_motion_and_a_pause_now_and_then_is_not() {
    assert!(is_assisted_with_pauses(3600, 1), "a tick, a pause, a tick, a pause");
    assert!(is_assisted_with_pauses(3600, 60) && is_assisted_with_pauses(36_000, 600));
    assert!(!is_assisted_with_pauses(3600, 1000) && !is_assisted_with_pauses(36_000, 3000));
    assert!(!is_assisted_with_pauses(100, 1000), "none at all");
}

/// Whether a game of a minute is assisted in which every turn, or every 600th, takes this long.
fn is_assisted_when_late(every_ms: f64, some_ms: u64) -> bool {
    let mut recorder = GameRecorder::default();
    let mut now = Time::from_micros(0);
    for tick in 0..=3600 {
        let state = if tick == 3600 { GameState::Lost } else { GameState::Running };
        now = now + Duration::from_secs_f64(every_ms / 1000.0);
        if tick % 600 == 599 {
            now = now + Duration::from_millis(some_ms);
        }
        recorder.note_turn(now, GameTurn::Tick);
        recorder.follow(now, state, tick, Pace::Full);
    }
    recorder.0.expect("a game").is_assisted
}

#[test]
fn a_game_that_the_node_slowed_down_is_marked_and_one_that_it_stopped_is_not() {
    assert!(!is_assisted_when_late(16.667, 0) && !is_assisted_when_late(17.3, 0), "a few percent");
    assert!(is_assisted_when_late(19.0, 0) && is_assisted_when_late(90.0, 0));
    assert!(!is_assisted_when_late(16.667, 600), "a moment now and then");
    let stopped_once = {
        let mut lost = LostTime::default();
        let turns = [(0, true), (17, true), (60_017, true), (60_034, true), (60_050, false), (90_000, true)];
        turns.into_iter().for_each(|(ms, is_played)| lost.follow(Time::from_micros(ms * 1000), is_played));
        lost
    };
    assert!(!stopped_once.is_much(4), "a minute of standstill and a pause: {stopped_once:?}");
}

#[test]
fn pauses_are_counted_and_their_time_added_up() {
    let mut pauses = Pauses::default();
    for (second, is_paused) in [(0, false), (10, true), (12, true), (15, false), (20, true)] {
        pauses.follow(Time::from_micros(second * 1_000_000), is_paused);
    }
    assert_eq!((pauses.count, pauses.seconds(Time::from_micros(27_000_000))), (2, 12));
}

#[test]
fn the_mark_goes_with_the_score_into_the_next_stage_and_not_into_another_try() {
    use GameState::{Lost, Running, Won};
    use Pace::{Full, Slow};
    assert!(is_assisted(&[(Running, Slow), (Won, Full), (Running, Full), (Won, Full), (Running, Full)]));
    assert!(!is_assisted(&[(Running, Slow), (Lost, Full), (Running, Full)]));
    assert!(!is_assisted(&[(Running, Slow), (Won, Full), (Running, Full), (Lost, Full), (Running, Full)]));
}

/// A game of which some have left, each with ten points: name, seat, and the last part of the address.
fn left_by<'n>(leavers: impl IntoIterator<Item = (&'n str, usize, u8)>) -> GameSoFar {
    let mut recorder = GameRecorder::default();
    recorder.open(Time::from_micros(0), 0);
    let mut game = recorder.0.expect("a game");
    leavers.into_iter().for_each(|leaver| game.remember(known(leaver)));
    game
}

fn known((name, seat, from): (&str, usize, u8)) -> KnownPlayer {
    let (seat, kind) = (Seat::ALL[seat], PlayerKind::Person(Dialect::Snapshot));
    let (ship, rank, counts) = (ShipModel::of_seat(seat), None, Counts { kills: 1, ..Counts::default() });
    let player = RecordedPlayer { seat, name: name.into(), kind, score: 10, ship, rank, counts };
    KnownPlayer { from: [192, 0, 2, from].into(), player }
}

fn scores(players: &[RecordedPlayer]) -> Vec<u32> {
    players.iter().map(|player| player.score).collect()
}

#[test]
fn a_player_who_comes_again_is_one_and_others_are_others() {
    let named = left_by([("Ann", 0, 1), ("Ann", 3, 1), ("Ann", 1, 2), ("Bob", 0, 1)]);
    assert_eq!(scores(&named.everybody(Vec::new())), [20, 10, 10], "not Ann of another address");
    let nameless = left_by([("", 0, 1), ("", 1, 1), ("", 0, 2), ("", 0, 1)]);
    assert_eq!(scores(&nameless.everybody(Vec::new())), [20, 10, 10], "several may sit in one house");
    let back = named.everybody(vec![known(("Ann", 2, 1)), known(("Cid", 0, 1))]);
    assert_eq!(scores(&back), [30, 10, 10, 10], "a player who came back is where they sit now");
    assert_eq!(back[0].counts.kills, 3, "and what they did adds up");
}

#[test]
fn however_many_leave_their_scores_add_up_and_the_record_stays_short() {
    let names: Vec<String> = (0..1000).map(|number| number.to_string()).collect();
    let game = left_by(names.iter().enumerate().map(|(number, name)| (name.as_str(), number % 4, number as u8)));
    let players = game.everybody(Vec::new());
    assert_eq!(scores(&players).iter().sum::<u32>(), 10 * 1000);
    assert!(players.len() <= NAMED_MAX + 4, "{}", players.len());
}

#[test]
fn the_end_of_a_game_is_told_once() {
    let mut recorder = GameRecorder::default();
    let states = [GameState::Waiting, GameState::Running, GameState::Lost, GameState::Lost, GameState::Running];
    let told = states.map(|state| recorder.follow(Time::from_micros(0), state, 0, Pace::Full));
    assert_eq!(told, [None, None, Some(Outcome::Lost), None, None]);
}
