//! `volley bench bridge`: what each pair of dialects loses, found by playing it in memory under a seed. The same table on every
//! machine, as Markdown for `docs/bridge.md`.

mod delay;
mod play;

use std::{
    fmt,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::Duration,
};

use anyhow::{Context, anyhow};
use protocol::Dialect;

pub use self::delay::Delay;

/// A bridge adds no more to either way: one tick.
pub const DELAY_MAX: Duration = Duration::from_micros(16_667);

/// Something that a player can do, or learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    Flight,
    Shots,
    Beam,
    Force,
    Others,
    Walls,
    Charge,
    Lives,
    Score,
    Gear,
    Health,
    Stage,
    Losses,
    OwnName,
    OtherNames,
    LobbyChoice,
    Start,
    Chat,
}

impl Feature {
    /// All of them, in the order of the table.
    pub const ALL: [Feature; 18] = [
        Feature::Flight,
        Feature::Shots,
        Feature::Beam,
        Feature::Force,
        Feature::Others,
        Feature::Walls,
        Feature::Charge,
        Feature::Lives,
        Feature::Score,
        Feature::Gear,
        Feature::Health,
        Feature::Stage,
        Feature::Losses,
        Feature::OwnName,
        Feature::OtherNames,
        Feature::LobbyChoice,
        Feature::Start,
        Feature::Chat,
    ];

    /// The head of its column.
    pub const fn head(self) -> &'static str {
        match self {
            Feature::Flight => "flies",
            Feature::Shots => "shots",
            Feature::Beam => "beam",
            Feature::Force => "Force",
            Feature::Others => "others",
            Feature::Walls => "walls",
            Feature::Charge => "charge",
            Feature::Lives => "lives",
            Feature::Score => "score",
            Feature::Gear => "gear",
            Feature::Health => "health",
            Feature::Stage => "stage",
            Feature::Losses => "losses",
            Feature::OwnName => "own name",
            Feature::OtherNames => "names",
            Feature::LobbyChoice => "lobby",
            Feature::Start => "start",
            Feature::Chat => "chat",
        }
    }

    /// What is measured.
    pub const fn meaning(self) -> &'static str {
        match self {
            Feature::Flight => "your ship follows the keys",
            Feature::Shots => "the fire key gives shots",
            Feature::Beam => "holding the fire key gives a beam",
            Feature::Force => "the Force can be launched",
            Feature::Others => "the ships of others are seen",
            Feature::Walls => "you are told of terrain that kills",
            Feature::Charge => "you are told how far the beam is charged",
            Feature::Lives => "you are told how many lives are left",
            Feature::Score => "you are told the score",
            Feature::Gear => "you are told the level of the Force",
            Feature::Health => "you are told the health of enemies",
            Feature::Stage => "you are told which stage is played",
            Feature::Losses => "you are told when your ship is lost",
            Feature::OwnName => "the server knows the player's name",
            Feature::OtherNames => "the player knows others' names, in some dialects only once they lost a ship",
            Feature::LobbyChoice => "the player can choose a lobby of the server by its code",
            Feature::Start => "a waiting game begins when the player says so, and not before",
            Feature::Chat => "words go both ways",
        }
    }
}

/// What was found for a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    features: u32,
    pub delay: Delay,
}

impl Measured {
    fn set(&mut self, feature: Feature, works: bool) {
        if works {
            self.features |= 1 << feature as u32;
        }
    }

    /// Whether it works.
    pub fn works(&self, feature: Feature) -> bool {
        self.features & 1 << feature as u32 != 0
    }
}

/// A client's dialect and a server's, and what was found.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    pub from: Dialect,
    pub to: Dialect,
    pub measured: Measured,
}

/// All pairs.
#[derive(Clone, Debug)]
pub struct Report {
    pub pairs: Vec<Pair>,
}

/// Plays every pair on several threads until `stop` is set. `progress` is told how many are over.
pub fn run(threads: usize, stop: &AtomicBool, progress: impl Fn(usize, usize) + Sync) -> anyhow::Result<Report> {
    let all: Vec<(Dialect, Dialect)> =
        Dialect::ALL.into_iter().flat_map(|from| Dialect::ALL.map(|to| (from, to))).collect();
    let (next, over) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || -> anyhow::Result<Vec<(usize, Pair)>> {
        let mut found = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(&(from, to)) = all.get(index) else { return Ok(found) };
            anyhow::ensure!(!stop.load(Ordering::Relaxed), "interrupted");
            let pair = || format!("cannot play {} on {}", from.name(), to.name());
            let measured = play::measure(from, to).with_context(pair)?;
            found.push((index, Pair { from, to, measured }));
            progress(over.fetch_add(1, Ordering::Relaxed) + 1, all.len());
        }
    };
    let mut pairs = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        let mut pairs = Vec::new();
        for worker in workers {
            pairs.extend(worker.join().map_err(|_| anyhow!("a thread panicked"))??);
        }
        anyhow::Ok(pairs)
    })?;
    pairs.sort_by_key(|(index, _)| *index);
    Ok(Report { pairs: pairs.into_iter().map(|(_, pair)| pair).collect() })
}

impl Report {
    /// The longest delays of all pairs.
    pub fn delay(&self) -> Delay {
        self.pairs.iter().fold(Delay::default(), |longest, pair| longest.max(pair.measured.delay))
    }
}

impl fmt::Display for Report {
    /// As Markdown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heads = Feature::ALL.map(Feature::head).join(" | ");
        writeln!(f, "| client | server | {heads} |")?;
        writeln!(f, "|---|---|{}", "---|".repeat(Feature::ALL.len()))?;
        for Pair { from, to, measured } in &self.pairs {
            let cells = Feature::ALL.map(|feature| if measured.works(feature) { "yes" } else { "–" }).join(" | ");
            writeln!(f, "| {} | {} | {cells} |", from.name(), to.name())?;
        }
        let Delay { down, up } = self.delay();
        let ms = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1000.0);
        writeln!(
            f,
            "\nThe longest that the bridge kept something: {} from the server, {} from the client.",
            ms(down),
            ms(up)
        )
    }
}
