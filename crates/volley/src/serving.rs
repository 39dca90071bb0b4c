//! `volley serve`: turns arguments into a node, says where it is found, and passes signals on to it.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    io::{self, Write},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    num::NonZero,
    sync::Arc,
    thread,
    time::Duration,
};

use clap::{ArgMatches, CommandFactory, Parser, parser::ValueSource};
use protocol::{Dialect, Scale, StreamUse, amplification::Budget};
use server::{
    core::Settings,
    data::Origin,
    edge::certificate::Source,
    ending::Ending,
    http::pages,
    misfit::{self, Misfit},
    serve::{Found, Host, Options, any_secret},
    sockets::Doors,
};
use toolkit::{UserError, stages, watch};

use crate::{
    arguments::{Arguments, Command, Serve},
    complaint,
    config::{self, Config},
    log, signals,
};

/// `volley serve`.
pub fn serve(arguments: Serve) -> anyhow::Result<()> {
    let (arguments, config) = with_file(arguments)?;
    let _log = log::start(arguments.log)?;
    toolkit::bots::allow_most_files();
    let options = options(&arguments, &config)?;
    let patience = Duration::from_secs(arguments.drain_seconds.into());
    let host = open(options, patience).map_err(|error| mistake(&error, &config))?;
    // Nobody may be reading any more; the node serves all the same.
    let _ = io::stdout().write_all(table(host.found(), &arguments).as_bytes());
    host.run()
}

fn open(options: Options, patience: Duration) -> anyhow::Result<Host> {
    let ending = Ending::default();
    signals::survive_full_files()?;
    signals::end_on_signals(&ending, patience)?;
    Host::open(options, ending)
}

/// The arguments with those of the file that they name, if any. Those of the command line win.
fn with_file(arguments: Serve) -> Result<(Serve, Config), UserError> {
    let Some(path) = &arguments.config else { return Ok((arguments, Config::default())) };
    let mut config = config::read(path)?;
    let mut line: Vec<OsString> = std::env::args_os().collect();
    let given = Arguments::command().try_get_matches_from(&line).ok();
    let given = given.as_ref().and_then(|given| given.subcommand_matches("serve"));
    config.yield_to(|flag| given.is_some_and(|given| is_given(given, flag)));
    // Behind the program and the command.
    let own = line.split_off(2.min(line.len()));
    line.extend(config.flags.iter().cloned());
    line.extend(own);
    match Arguments::try_parse_from(line) {
        Ok(Arguments { command: Command::Serve(serve), .. }) => Ok((*serve, config)),
        Ok(_) => Ok((arguments, config)),
        Err(error) => Err(UserError(complaint::reason(&error))),
    }
}

/// Whether a flag is on the command line.
fn is_given(given: &ArgMatches, flag: &str) -> bool {
    let id = flag.replace('-', "_");
    given.try_contains_id(&id).is_ok() && given.value_source(&id) == Some(ValueSource::CommandLine)
}

/// What cannot be opened is for the host to mend: another port, another directory, another program ended.
fn mistake(error: &anyhow::Error, config: &Config) -> UserError {
    if error.chain().filter_map(|cause| cause.downcast_ref()).any(misfit::is_of_files) {
        return UserError(Misfit::files().why);
    }
    let options = error.downcast_ref::<Misfit>().map_or(&[][..], |misfit| &misfit.options);
    config.mistake(options, &format!("{error:#}"))
}

fn options(arguments: &Serve, config: &Config) -> Result<Options, UserError> {
    let stage = stages::find(&arguments.stage).map_err(|UserError(why)| config.mistake(&["stage"], &why))?;
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
        secret: any_secret().map_err(|error| UserError(format!("{error:#}")))?,
    };
    let doors = Doors { bind: arguments.bind, ports: ports(arguments) };
    if doors.ports.is_empty() && arguments.http.0.is_none() {
        let why = "every door is off, so nobody could ever come in: give one of them a port, such as --http 4240";
        return Err(config.mistake(&["http"], why));
    }
    let (http, data) = (arguments.http.0, arguments.data.clone());
    let shards = arguments.shards.map_or_else(cores, usize::from);
    let certificate = certificate(arguments, config)?;
    Ok(Options { doors, http, data, admin_token: config.admin_token.clone(), certificate, settings, shards })
}

/// A real certificate, or one that the node signs itself.
fn certificate(arguments: &Serve, config: &Config) -> Result<Source, UserError> {
    let lacks = |given: &str, missing: &str| {
        Err(config.mistake(&[given], &format!("--{given} needs --{missing} FILE.pem beside it")))
    };
    match (&arguments.certificate, &arguments.certificate_key) {
        (Some(certificate), Some(key)) => Ok(Source::Files { certificate: certificate.clone(), key: key.clone() }),
        (Some(_), None) => lacks("certificate", "certificate-key"),
        (None, Some(_)) => lacks("certificate-key", "certificate"),
        (None, None) => Ok(Source::OwnSigned),
    }
}

/// How many threads this machine runs at once.
fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
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

/// A short table of doors. HTTP is last: who waits for the node waits for that line.
fn table(found: &Found, arguments: &Serve) -> String {
    let mut table = format!("Volley listens at {}\n", found.bind);
    let mut row = |name: &str, port: &str, what: &str| table += &format!("  {name:<9} {port:>5}  {what}\n");
    for (dialect, port) in &found.doors {
        let transport = match dialect.entry().stream {
            StreamUse::None => "UDP".to_owned(),
            StreamUse::OpensSession => "TCP and UDP".to_owned(),
            StreamUse::Link(_) => "WebTransport and WebSocket".to_owned(),
            StreamUse::Desk(_) => {
                let lobbies = &arguments.rfc2020_lobbies;
                format!("TCP; lobbies at UDP {}-{}", lobbies.start(), lobbies.end())
            }
        };
        row(dialect.name(), &port.to_string(), &transport);
    }
    match &arguments.data {
        Some(directory) => row("data", "", &directory.display().to_string()),
        None => row("data", "", "in memory only: scores end with the node (--data DIR keeps them)"),
    }
    if let Some(token) = &found.new_token {
        let life = if token.origin == Origin::ForThisRun { "for this run only" } else { "shown this once" };
        row("admin", "", &format!("token {} (made now, {life})", token.text));
    }
    if let Some(address) = found.http {
        row("http", &address.port().to_string(), "status, API, metrics");
        table += &invitation(&web_address(address), pages::has_client());
    }
    table
}

/// Where to click.
fn invitation(address: &str, has_client: bool) -> String {
    match has_client {
        true => format!("Play in a browser: {address}\n"),
        false => format!("Built without the client for browsers: {address} says how to add it\n"),
    }
}

/// Where a browser on this machine finds the node, and nobody else: `localhost` may mean either loopback address.
fn web_address(address: SocketAddr) -> String {
    let port = address.port();
    match address.ip() {
        IpAddr::V4(Ipv4Addr::LOCALHOST) | IpAddr::V6(Ipv6Addr::UNSPECIFIED) => format!("http://localhost:{port}/"),
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => format!("http://{}:{port}/", Ipv4Addr::LOCALHOST),
        _ => format!("http://{address}/"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_says_where_to_click_or_what_is_missing() {
        assert_eq!(invitation("http://localhost:4240/", true), "Play in a browser: http://localhost:4240/\n");
        assert!(invitation("http://localhost:4240/", false).contains("http://localhost:4240/ says how to add it"));
    }

    #[test]
    fn who_is_sent_to_localhost_meets_the_node_whichever_loopback_address_that_is() {
        let told = |at: &str| web_address(at.parse().expect("an address"));
        assert_eq!(["127.0.0.1:1", "[::]:1"].map(told), ["http://localhost:1/"; 2].map(String::from));
        assert_eq!(told("127.0.0.5:1"), "http://127.0.0.5:1/");
        assert_eq!(told("0.0.0.0:1"), "http://127.0.0.1:1/");
        assert_eq!(told("[::1]:1"), "http://[::1]:1/");
        assert_eq!(told("192.0.2.1:1"), "http://192.0.2.1:1/");
    }
}
