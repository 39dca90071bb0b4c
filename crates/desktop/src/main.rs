//! `volley-desktop`: the game client in a window.
//!
//! The client itself is `client::Client`, a pure machine. This crate gives it a window, gamepads, sound and sockets.
//! Start reading at `window.rs`; `client_driver.rs` is the same without a window.
//!
//! ```sh
//! volley-desktop                                           # play alone, with a node of its own
//! volley-desktop --connect example.org --dialect rfc2020   # play elsewhere, in a document's dialect
//! volley-desktop --replay games/ID.vreplay                 # watch a recorded game
//! ```

mod address;
mod arguments;
mod client_driver;
mod clipboard;
mod folders;
mod keys;
mod local_server;
mod mixer;
mod own_games;
mod pads;
mod scores;
mod settings;
mod speaker;
mod viewport;
mod window;

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use clap::{CommandFactory, Parser};
use client::Options;
use protocol::StreamUse;
use server::{
    recordings::{NamesAndChat, RecordingOptions},
    startup_error::StartupError,
};
use toolkit::UserError;

use crate::{
    arguments::Arguments,
    client_driver::ClientDriver,
    local_server::{GameChoice, LocalServer},
    own_games::OwnGames,
    pads::Pads,
    scores::Scores,
    settings::Settings,
    speaker::Speaker,
    window::Parts,
};

const EXIT_USER_ERROR: u8 = 2;
const SECONDS_PER_DAY: u64 = 24 * 60 * 60;
/// The default port of a node's HTTP.
const HTTP_PORT: u16 = 4240;

fn main() -> ExitCode {
    let arguments = Arguments::parse().checked().unwrap_or_else(|error| error.exit());
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("volley-desktop: {error:#}");
            let is_mistake = error.chain().any(|cause| cause.is::<UserError>() || cause.is::<StartupError>());
            if is_mistake { ExitCode::from(EXIT_USER_ERROR) } else { ExitCode::FAILURE }
        }
    }
}

fn run(arguments: Arguments) -> anyhow::Result<()> {
    if let Some(directory) = &arguments.generate {
        return Ok(toolkit::manual::write(Arguments::command(), directory)?);
    }
    let replay = arguments.replay.as_deref().map(replay_file).transpose()?;
    let settings = Settings::at(arguments.config.clone());
    let options = options(&arguments, settings.read());
    let server = Server::of(&arguments, &options.stage)?;
    let mut driver = ClientDriver::new(options, server.addresses);
    if let Some(file) = replay {
        driver.show_replay(&file).map_err(UserError)?;
    }
    window::run(Parts {
        driver,
        scores: server.http.map(Scores::of),
        own_games: OwnGames::beside_scores(data_folder(&arguments)),
        settings,
        speaker: if arguments.mute { None } else { Speaker::open() },
        pads: Pads::open(),
        is_full_screen: arguments.fullscreen,
    })
    // The local server, if there is one, stops here, after the client has said goodbye to it.
}

/// The bytes of a replay that can be played. It is checked before there is a window.
fn replay_file(path: &Path) -> Result<Vec<u8>, UserError> {
    toolkit::replay::open(path).map(|replay| replay.bytes().to_vec())
}

fn options(arguments: &Arguments, settings: String) -> Options {
    Options {
        name: arguments.name.clone(),
        queue_ms: arguments.queue,
        lobby: arguments.lobby.clone(),
        create: arguments.create.clone(),
        page: page(arguments),
        quick: arguments.quick,
        solo: arguments.connect.is_none(),
        settings,
        locale: system_locale(),
        ..Options::new(arguments.dialect)
    }
}

/// The page of the server that was named: nobody else comes to one that is started here. It is where links go, if the dialect
/// uses those; else nothing is known of the port of HTTP.
fn page(arguments: &Arguments) -> Option<String> {
    let address = arguments.connect.as_ref()?;
    let door = arguments.dialect.entry();
    matches!(door.stream, StreamUse::Link(_)).then(|| format!("http://{}/", address.with_port(door.port)))
}

/// How games are recorded, if they are. Nobody else plays along, so that names and chat would tell nothing.
fn recording(arguments: &Arguments) -> Option<RecordingOptions> {
    let days = Some(arguments.record_days).filter(|days| *days > 0);
    Some(RecordingOptions {
        directory: arguments.record.clone()?,
        kept_for: days.map(|days| Duration::from_secs(u64::from(days) * SECONDS_PER_DAY)),
        bytes_max: u64::from(arguments.record_mb) << 20,
        names_and_chat: NamesAndChat::LeftOut,
        map: None,
    })
}

/// Where what is kept of games played alone is stored.
fn data_folder(arguments: &Arguments) -> Option<PathBuf> {
    arguments.data.clone().or_else(folders::scores)
}

/// The language of the system, as far as the environment names it.
fn system_locale() -> String {
    let variables = ["LC_ALL", "LC_MESSAGES", "LANG"];
    variables
        .into_iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|value| !value.is_empty())
        .unwrap_or_default()
}

/// The server to play on.
struct Server {
    addresses: Vec<SocketAddr>,
    /// Where its HTTP is expected.
    http: Option<SocketAddr>,
    _local: Option<LocalServer>,
}

impl Server {
    /// The server that was named, or one that is started here.
    fn of(arguments: &Arguments, stage: &str) -> anyhow::Result<Server> {
        let Some(address) = &arguments.connect else {
            let scores = data_folder(arguments);
            let local = LocalServer::open(
                arguments.dialect,
                GameChoice { stage, scores, seed: arguments.seed, recording: recording(arguments) },
            )?;
            println!("Playing alone; this game's own server is at http://{}/api/lobbies", local.http);
            return Ok(Server { addresses: vec![local.door], http: Some(local.http), _local: Some(local) });
        };
        let door = arguments.dialect.entry();
        let addresses = address.resolve(door.port)?;
        let http = match door.stream {
            StreamUse::Link(_) => addresses.first().copied(),
            _ => addresses.first().map(|address| SocketAddr::new(address.ip(), HTTP_PORT)),
        };
        Ok(Server { addresses, http, _local: None })
    }
}
