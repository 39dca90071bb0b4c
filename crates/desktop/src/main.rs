//! `volley-desktop`: the game client in a window.
//!
//! The client itself is `client::Client`, a pure machine. Here are its keys, pads, pixels, loudspeaker and sockets.
//! Start reading at `window.rs`; `play.rs` is the same without a window.

mod address;
mod arguments;
mod folders;
mod home;
mod keys;
mod mixer;
mod pads;
mod play;
mod scores;
mod screen;
mod settings;
mod speaker;
mod window;

use std::{net::SocketAddr, process::ExitCode};

use clap::{CommandFactory, Parser};
use client::Options;
use protocol::StreamUse;

use crate::{
    arguments::Arguments, home::Home, pads::Pads, play::Play, scores::Scores, settings::Settings, speaker::Speaker,
    window::Parts,
};

/// Where a node's HTTP is, if nothing else was chosen.
const HTTP_PORT: u16 = 4240;

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("volley-desktop: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> anyhow::Result<()> {
    if let Some(directory) = &arguments.generate {
        return Ok(toolkit::manual::write(Arguments::command(), directory)?);
    }
    let settings = Settings::at(arguments.config.clone());
    let options = options(&arguments, settings.read());
    let place = Place::of(&arguments, &options.stage)?;
    window::run(Parts {
        play: Play::new(options, place.servers),
        scores: place.http.map(Scores::of),
        settings,
        speaker: if arguments.mute { None } else { Speaker::open() },
        pads: Pads::open(),
        is_full_screen: arguments.fullscreen,
    })
    // The server inside, if there is one, ends here: after the window has said goodbye to it.
}

fn options(arguments: &Arguments, settings: String) -> Options {
    Options {
        name: arguments.name.clone(),
        lobby: arguments.lobby.clone(),
        quick: arguments.quick,
        settings,
        ..Options::new(arguments.dialect)
    }
}

/// Where is played.
struct Place {
    /// Every address that the server may be at.
    servers: Vec<SocketAddr>,
    /// Where its HTTP is thought to be.
    http: Option<SocketAddr>,
    _home: Option<Home>,
}

impl Place {
    /// At the server that was named, or at one of our own.
    fn of(arguments: &Arguments, stage: &str) -> anyhow::Result<Place> {
        let Some(address) = &arguments.connect else {
            let home = Home::open(arguments.dialect, stage, arguments.data.clone().or_else(folders::scores))?;
            println!("You play alone, on a server inside: http://{}/api/lobbies", home.http);
            return Ok(Place { servers: vec![home.door], http: Some(home.http), _home: Some(home) });
        };
        let door = arguments.dialect.entry();
        let servers = address.resolve(door.port)?;
        let http = match door.stream {
            StreamUse::Link(_) => servers.first().copied(),
            _ => servers.first().map(|server| SocketAddr::new(server.ip(), HTTP_PORT)),
        };
        Ok(Place { servers, http, _home: None })
    }
}
