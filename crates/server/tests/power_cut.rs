//! Results survive a power cut. Everything that an archive writes is recorded, and the power is cut after every write:
//! what was synced is on the disk, and of what was not, anything may be. Each result that anybody had been shown by then
//! has to be there, and the file has to be whole.

#[path = "power_cut/disk.rs"]
mod disk;
#[path = "power_cut/recording_vfs.rs"]
mod recording_vfs;

use std::{
    path::Path,
    time::{Duration, Instant},
};

use disk::Disk;
use game::{Counts, Rules, Seat, ShipModel};
use protocol::{Dialect, GameId, PlayerKind, Time};
use recording_vfs::Event;
use rusqlite::{Connection, OpenFlags};
use server::{
    archive::{Archive, FILE, Query},
    core::{Outcome, Record, RecordedPlayer},
};

/// Far more than anything takes.
const PATIENCE: Duration = Duration::from_secs(30);
/// Results that are written, before the log is moved into the file and after.
const RESULTS: usize = 12;

#[test]
fn a_result_that_was_shown_survives_a_power_cut_after_any_write() {
    recording_vfs::install();
    let folder = tempfile::tempdir().expect("a folder");
    let archive = Archive::in_directory(folder.path(), None).expect("an archive");
    for number in 0..RESULTS {
        archive.offer(record(number));
        until_shown(&archive, number + 1);
        recording_vfs::note_shown(number + 1);
        if number == RESULTS / 2 {
            assert!(archive.flush(PATIENCE), "the log is moved into the file");
        }
    }
    let events = recording_vfs::events();
    let syncs = events.iter().filter(|event| matches!(event, Event::Sync { .. })).count();
    assert!(syncs > RESULTS, "{syncs} syncs");
    cut_power_after_each(&events);
}

fn cut_power_after_each(events: &[Event]) {
    let (mut disk, mut shown) = (Disk::default(), 0);
    for (number, event) in events.iter().enumerate() {
        match event {
            Event::Shown(count) => shown = *count as u32,
            event => disk.take(event),
        }
        for (variant, files) in disk.after_power_cut(number as u64).into_iter().enumerate() {
            let folder = tempfile::tempdir().expect("a folder");
            for (name, bytes) in &files {
                std::fs::write(folder.path().join(name), bytes).expect("it is written");
            }
            let kept = kept(&folder.path().join(FILE));
            assert!(kept >= shown, "event {number}, variant {variant}: {kept} of {shown} results");
        }
    }
    assert_eq!(shown as usize, RESULTS);
}

/// How many results are in the file, which has to be whole.
fn kept(file: &Path) -> u32 {
    let flags = OpenFlags::default();
    let connection = Connection::open_with_flags_and_vfs(file, flags, "unix").expect("it can be opened");
    connection.pragma_update(None, "synchronous", "off").expect("it may be quick");
    let whole: String = connection.query_row("PRAGMA integrity_check", (), |row| row.get(0)).expect("it can be read");
    assert_eq!(whole, "ok");
    let has_tables = connection.table_exists(None, "matches").expect("it can be read");
    let count =
        || connection.query_row("SELECT COUNT(*) FROM matches JOIN players ON match = id", (), |row| row.get(0));
    if has_tables { count().expect("it can be read") } else { 0 }
}

fn until_shown(archive: &Archive, count: usize) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let began = Instant::now();
    let query = || Query { limit: 100, ..Query::default() };
    while runtime.block_on(archive.matches(query())).map_or(0, |games| games.len()) < count {
        assert!(began.elapsed() < PATIENCE, "result {count} is not shown");
    }
}

fn record(number: usize) -> Record {
    let player = RecordedPlayer {
        seat: Seat::ALL[0],
        name: "Ann".into(),
        kind: PlayerKind::Person(Dialect::Snapshot),
        score: number as u32,
        ship: ShipModel::default(),
        rank: None,
        counts: Counts::default(),
    };
    Record {
        game: GameId(number as u64),
        rules: Rules::default(),
        lobby: format!("{number:06}"),
        is_private: false,
        stage: "endless".into(),
        outcome: Outcome::Lost,
        began: Time::from_micros(1_700_000_000_000_000),
        ended: Time::from_micros(1_700_000_060_000_000),
        ticks: 3600,
        score: number as u32,
        is_assisted: false,
        pauses: 0,
        paused_seconds: 0,
        lives: 3,
        players: vec![player],
    }
}
