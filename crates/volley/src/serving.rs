//! `volley serve`: turns arguments into a node, and says where it is found.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    num::NonZero,
    sync::{Arc, atomic::AtomicBool},
};

use protocol::{Dialect, Scale, StreamUse, amplification::Budget};
use server::{
    core::Settings,
    serve::{Found, Host, Options},
    sockets::Doors,
};
use signal_hook::consts::{SIGINT, SIGTERM};
use toolkit::{Mistake, stages, watch};
use tracing_subscriber::EnvFilter;

use crate::arguments::{LogFormat, Serve};

/// `volley serve`.
pub fn serve(arguments: &Serve) -> anyhow::Result<()> {
    start_log(arguments.log);
    let stop = stop_on_signals()?;
    // A door that cannot be opened is for the host to mend: another port, or another program ended.
    let mut host = Host::open(options(arguments)?).map_err(|error| Mistake(format!("{error:#}")))?;
    // Nobody may be reading any more; the node serves all the same.
    let _ = io::stdout().write_all(table(host.found(), arguments).as_bytes());
    host.run(&stop);
    Ok(())
}

fn options(arguments: &Serve) -> Result<Options, Mistake> {
    let stage = stages::find(&arguments.stage)?;
    let mut all = stages::all();
    if all.iter().all(|known| known.name != stage.name) {
        all.push(Arc::clone(&stage));
    }
    let settings = Settings {
        stage,
        stages: all,
        rules: game::Rules::default(),
        lobbies_max: arguments.lobbies as usize,
        lobby_ports: arguments.rfc2020_lobbies.clone(),
        scale: Scale::default(),
        open_unproved: arguments.open_unproved,
        unproved_bytes_per_second: Budget::DEFAULT_BYTES_PER_SECOND,
        seed: arguments.seed.unwrap_or_else(watch::any_seed),
    };
    let doors = Doors { bind: arguments.bind, ports: ports(arguments) };
    let shards = arguments.shards.map_or_else(cores, usize::from);
    Ok(Options { doors, http: arguments.http.0, settings, shards })
}

/// How many threads this machine runs at once.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// The door of each dialect that is not off, by the name of its option.
fn ports(arguments: &Serve) -> BTreeMap<Dialect, u16> {
    let named = [
        ("typeuh", arguments.typeuh),
        ("aecs", arguments.aecs),
        ("snapshot", arguments.snapshot),
        ("rfc2020", arguments.rfc2020),
        ("rfc53952", arguments.rfc53952),
    ];
    named.into_iter().filter_map(|(name, port)| Some((Dialect::from_name(name)?, port.0?))).collect()
}

/// A short table of doors.
fn table(found: &Found, arguments: &Serve) -> String {
    let mut table = format!("Volley listens at {}\n", found.bind);
    for (dialect, port) in &found.doors {
        let transport = match dialect.door().stream {
            StreamUse::None => "UDP".to_owned(),
            StreamUse::OpensSession => "TCP and UDP".to_owned(),
            StreamUse::Link(_) => "WebTransport and WebSocket".to_owned(),
            StreamUse::Desk(_) => {
                let lobbies = &arguments.rfc2020_lobbies;
                format!("TCP; lobbies at UDP {}-{}", lobbies.start(), lobbies.end())
            }
        };
        table += &format!("  {:<9} {port:>5}  {transport}\n", dialect.name());
    }
    if let Some(address) = found.http {
        table += &format!("  {:<9} {:>5}  http://{address}/api/lobbies\n", "http", address.port());
    }
    table
}

fn start_log(format: LogFormat) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    match format {
        LogFormat::Text => log.init(),
        LogFormat::Json => log.json().init(),
    }
}

/// A flag that SIGINT and SIGTERM set; a second one ends the process at once.
pub fn stop_on_signals() -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register_conditional_default(signal, Arc::clone(&stop))?;
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}
