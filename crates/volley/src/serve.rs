//! `volley serve`: turns arguments into a node, prints where it listens, and handles signals.

use std::{
    ffi::OsString,
    io::{self, IsTerminal, Write},
    num::NonZero,
    sync::Arc,
    thread,
    time::Duration,
};

use clap::{ArgMatches, CommandFactory, Parser, parser::ValueSource};
use protocol::{Scale, StreamUse, amplification::Budget};
use server::{
    core::Settings,
    data::TokenPlace,
    edge::certificate::CertificateSource,
    http::pages,
    recordings::{NamesAndChat, RecordingOptions},
    serve::{Addresses, Options, Server, any_secret},
    shutdown::Shutdown,
    sockets::Doors,
    startup_error::{self, StartupError},
};
use toolkit::{UserError, assets, stages, watch};

use crate::{
    arguments::{Arguments, Command, Serve},
    config::{self, Config},
    error_report,
    invitation::{self, Style},
    log, signals,
};

/// `volley serve`.
pub fn serve(arguments: Serve) -> anyhow::Result<()> {
    let (arguments, config) = with_file(arguments)?;
    let log = log::start(arguments.log)?;
    toolkit::bots::allow_most_files();
    let options = options(&arguments, &config)?;
    let drain_grace = Duration::from_secs(arguments.drain_seconds.into());
    let server = open(options, drain_grace).map_err(|error| user_error(&error, &config))?;
    // What the log says of the start comes first: the address is the last line.
    log.settle();
    // The node serves even if nobody reads its output.
    let _ = io::stdout().write_all(table(server.addresses(), &arguments).as_bytes());
    server.run()
}

fn open(options: Options, drain_grace: Duration) -> anyhow::Result<Server> {
    let shutdown = Shutdown::default();
    signals::survive_file_size_limit()?;
    signals::end_on_signals(&shutdown, drain_grace)?;
    Server::open(options, shutdown)
}

/// The arguments, with those of the `--config` file if there is one. The command line wins.
fn with_file(arguments: Serve) -> Result<(Serve, Config), UserError> {
    let Some(path) = &arguments.config else { return Ok((arguments, Config::default())) };
    let mut config = config::read(path)?;
    let mut line: Vec<OsString> = std::env::args_os().collect();
    let given = Arguments::command().try_get_matches_from(&line).ok();
    let given = given.as_ref().and_then(|given| given.subcommand_matches("serve"));
    config.overridden_by(|flag| given.is_some_and(|given| is_given(given, flag)));
    // Insert the file's flags behind the program and the command.
    let own = line.split_off(2.min(line.len()));
    line.extend(config.flags.iter().cloned());
    line.extend(own);
    match Arguments::try_parse_from(line) {
        Ok(Arguments { command: Command::Serve(serve), .. }) => Ok((*serve, config)),
        Ok(_) => Ok((arguments, config)),
        Err(error) => Err(UserError(error_report::reason(&error))),
    }
}

/// Whether a flag is on the command line.
fn is_given(given: &ArgMatches, flag: &str) -> bool {
    let id = flag.replace('-', "_");
    given.try_contains_id(&id).is_ok() && given.value_source(&id) == Some(ValueSource::CommandLine)
}

/// An error at startup is the host's to fix: choose another port or directory, or stop another program.
fn user_error(error: &anyhow::Error, config: &Config) -> UserError {
    if error.chain().filter_map(|cause| cause.downcast_ref()).any(startup_error::is_open_file_limit) {
        return UserError(StartupError::open_file_limit().why);
    }
    let options = error.downcast_ref::<StartupError>().map_or(&[][..], |startup_error| &startup_error.options);
    config.user_error(options, &format!("{error:#}"))
}

fn options(arguments: &Serve, config: &Config) -> Result<Options, UserError> {
    let stage = stages::find(&arguments.stage).map_err(|UserError(why)| config.user_error(&["stage"], &why))?;
    let mut all = stages::all();
    if all.iter().all(|known| known.name != stage.name) {
        all.push(Arc::clone(&stage));
    }
    let settings = Settings {
        stage,
        stages: all,
        rules: game::Rules::of(arguments.difficulty.0),
        lobbies_max: arguments.lobbies as usize,
        lobby_ports: arguments.rfc2020_lobbies.clone(),
        scale: Scale::default(),
        open_unproved: arguments.open_unproved,
        limit_loopback: arguments.limit_loopback,
        own_networks: arguments.limits.own_networks.clone(),
        limits: arguments.limits.limits(),
        unproved_bytes_per_second: Budget::DEFAULT_BYTES_PER_SECOND,
        seed: arguments.seed.unwrap_or_else(watch::any_seed),
        secret: any_secret().map_err(|error| UserError(format!("{error:#}")))?,
        remote: None,
    };
    let doors = Doors { bind: arguments.bind, ports: arguments.doors.0.clone() };
    if doors.ports.is_empty() && arguments.http.0.is_none() {
        let why = "every door is off, so nobody could connect; give one of them a port, such as --http 4240";
        return Err(config.user_error(&["http"], why));
    }
    let (http, data) = (arguments.http.0, arguments.data.clone());
    let shards = arguments.shards.map_or_else(cores, usize::from);
    let certificate = certificate(arguments, config)?;
    Ok(Options {
        doors,
        http,
        data,
        keeps_games: true,
        names_kept_for: kept_for(arguments.keep_days),
        recording: recording(arguments),
        admin_token: config.admin_token.clone(),
        certificate,
        allow_origins: arguments.allow_origin.clone(),
        link_memory_bytes: arguments.memory,
        settings,
        shards,
        assets: assets::all(),
    })
}

fn recording(arguments: &Serve) -> Option<RecordingOptions> {
    Some(RecordingOptions {
        directory: arguments.record.clone()?,
        kept_for: kept_for(arguments.record_days),
        bytes_max: u64::from(arguments.record_mb) << 20,
        names_and_chat: if arguments.record_names { NamesAndChat::Recorded } else { NamesAndChat::LeftOut },
        map: stages::own_map(&arguments.stage).map(Arc::from),
    })
}

/// 0 days: for ever.
fn kept_for(days: u32) -> Option<Duration> {
    (days > 0).then(|| Duration::from_secs(u64::from(days) * 24 * 60 * 60))
}

/// The certificate of the two files, or a self-signed one.
fn certificate(arguments: &Serve, config: &Config) -> Result<CertificateSource, UserError> {
    let lacks = |given: &str, missing: &str| {
        Err(config.user_error(&[given], &format!("--{given} also needs --{missing} FILE.pem")))
    };
    match (&arguments.certificate, &arguments.certificate_key) {
        (Some(certificate), Some(key)) => {
            Ok(CertificateSource::Files { certificate: certificate.clone(), key: key.clone() })
        }
        (Some(_), None) => lacks("certificate", "certificate-key"),
        (None, Some(_)) => lacks("certificate-key", "certificate"),
        (None, None) => Ok(CertificateSource::SelfSigned),
    }
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// A short table of doors. HTTP comes last: scripts that wait for the node wait for that line.
fn table(addresses: &Addresses, arguments: &Serve) -> String {
    let mut table = format!("Volley listens at {}\n", addresses.bind);
    let mut row = |name: &str, port: &str, what: &str| table += &format!("  {name:<9} {port:>5}  {what}\n");
    for (dialect, port) in &addresses.doors {
        let mut transports = dialect.entry().stream.transports().to_owned();
        if let StreamUse::Desk(_) = dialect.entry().stream {
            let lobbies = &arguments.rfc2020_lobbies;
            transports += &format!("; lobbies at UDP {}-{}", lobbies.start(), lobbies.end());
        }
        row(dialect.name(), &port.to_string(), &transports);
    }
    match &arguments.data {
        Some(directory) => row("data", "", &directory.display().to_string()),
        None => row("data", "", "in memory only: scores are lost when the node ends (--data DIR keeps them)"),
    }
    if let Some(directory) = &arguments.record {
        row("record", "", &directory.display().to_string());
    }
    if let Some(address) = addresses.http {
        row("admin", "", &administration(addresses.token.as_ref()));
        row("http", &address.port().to_string(), "status, API, metrics");
    }
    if let Some(web) = &addresses.web {
        let style = Style { is_terminal: io::stdout().is_terminal(), has_client: pages::has_client() };
        table += &invitation::lines(web, style);
    }
    table
}

/// Where the host finds the admin token. The token itself is not printed: terminals and service logs are read by others.
fn administration(token: Option<&TokenPlace>) -> String {
    match token {
        Some(TokenPlace::File(path)) => format!("token in {}", path.display()),
        Some(TokenPlace::Configuration) => "token in the configuration file".into(),
        None => "off: needs --data DIR, or admin_token in a --config file".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_told_where_the_token_is() {
        let file = TokenPlace::File("data/admin-token".into());
        assert_eq!(administration(Some(&file)), "token in data/admin-token");
        assert!(administration(None).starts_with("off: needs --data DIR"));
    }
}
