//! `volley bots`: players over the network in any dialect, as sparring partners and as a load.
//!
//! `player.rs` is one bot at one connection, `driver.rs` drives all of them from one thread, `report.rs` is the report
//! about them and `live.rs` shows it while they play. Start reading at [`run`].

mod driver;
mod live;
mod open_files;
mod player;
mod probe;
mod report;
mod round_trips;

use std::{
    collections::BTreeMap,
    net::{IpAddr, ToSocketAddrs},
    sync::atomic::AtomicBool,
    time::Duration,
};

use anyhow::Context;
use game::Skill;
use protocol::{Dialect, StreamUse};

use self::driver::BotDriver;
pub(crate) use self::open_files::allow as allow_sockets;
pub use self::open_files::allow_most as allow_most_files;
pub use self::{
    report::{PerSecond, Report, Row, Spread},
    round_trips::RoundTrip,
};
use crate::{UserError, live_table::LiveTable};

/// Which bots, and where they go.
#[derive(Clone, Debug)]
pub struct Options {
    /// What they speak, in turn.
    pub dialects: Vec<Dialect>,
    /// How many there are.
    pub count: usize,
    /// How long they play; without end if `None`.
    pub time: Option<Duration>,
    /// The node's host, a name or an address.
    pub host: String,
    /// The port of each dialect's door.
    pub ports: BTreeMap<Dialect, u16>,
    /// The lobby to ask for, in a dialect that has lobbies.
    pub lobby: Option<String>,
    /// The stage of the lobbies that they make.
    pub stage: String,
    /// How well they play.
    pub skill: Skill,
    /// Where the bots' choices come from.
    pub seed: u64,
}

/// Lets bots play until their time is over or `stop` is set, and tells what became of them. What happens meanwhile is
/// told on standard error.
pub fn run(options: &Options, stop: &AtomicBool) -> anyhow::Result<Report> {
    let options = &Options { dialects: dialects(options)?, ..options.clone() };
    let host = find(&options.host)?;
    allow_sockets(sockets(options))?;
    let mut driver = BotDriver::new(options, host).context("cannot watch sockets")?;
    let report = driver.play(options.time, stop, &mut LiveTable::start()).context("cannot watch sockets")?;
    if report.heard_nothing() {
        return Err(UserError(nobody(options, &report)).into());
    }
    Ok(report)
}

/// What the bots speak: to join a lobby by its code, only what has words for that.
fn dialects(options: &Options) -> Result<Vec<Dialect>, UserError> {
    let can_ask = |dialect: &Dialect| options.lobby.is_none() || has_lobbies(*dialect);
    let dialects: Vec<Dialect> = options.dialects.iter().copied().filter(can_ask).collect();
    if dialects.is_empty() {
        let known: Vec<&str> =
            Dialect::ALL.into_iter().filter(|dialect| has_lobbies(*dialect)).map(Dialect::name).collect();
        return Err(UserError(format!(
            "only bots of {} can join a lobby by its code; choose one of them with --dialect",
            known.join(", ")
        )));
    }
    Ok(dialects)
}

fn has_lobbies(dialect: Dialect) -> bool {
    matches!(dialect.entry().stream, StreamUse::Desk(_) | StreamUse::Link(_))
}

fn find(host: &str) -> Result<IpAddr, UserError> {
    // An address in brackets is how one with colons is written beside a port.
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let found =
        (bare, 0).to_socket_addrs().map_err(|error| UserError(format!("cannot find the host {host:?}: {error}")))?;
    found.map(|address| address.ip()).next().ok_or_else(|| UserError(format!("the host {host:?} has no address")))
}

/// The most sockets that are open at once: those with a stream have two.
fn sockets(options: &Options) -> u64 {
    let each = |dialect: &Dialect| if matches!(dialect.entry().stream, StreamUse::None) { 1 } else { 2 };
    options.dialects.iter().cycle().take(options.count).map(each).sum()
}

fn nobody(options: &Options, report: &Report) -> String {
    let tried = |dialect: &Dialect| Some(format!("{} {}", dialect.name(), options.ports.get(dialect)?));
    let doors: Vec<String> = options.dialects.iter().take(options.count).filter_map(tried).collect();
    let why = report.first_error.as_ref().map_or(String::new(), |error| format!(" ({error})"));
    format!("nobody answers at {}, port of {}{why}; is a node running there?", options.host, doors.join(", "))
}
