//! `volley lag`: turns arguments into a bad network, and what it did into a report.

use toolkit::{
    lag::{self, Options},
    watch,
};

use crate::{arguments::Lag, commands::print, signals::stop_on_signals};

/// `volley lag`.
pub fn lag(arguments: &Lag) -> anyhow::Result<()> {
    let stop = stop_on_signals()?;
    let options = Options {
        listen: arguments.listen,
        to: arguments.to.clone(),
        conditions: arguments.conditions()?,
        seed: arguments.seed.unwrap_or_else(watch::any_seed),
        record: arguments.record.clone(),
    };
    print(&lag::run(&options, &stop)?.to_string())
}
