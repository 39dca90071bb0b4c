//! `volley bridge`: turns arguments into a bridge, and what it did into a report.

use std::collections::BTreeMap;

use protocol::{Dialect, StreamUse};
use toolkit::{
    UserError,
    bridge::{self, Options, OtherServer},
};

use crate::{
    arguments::{Bridge, Listen},
    commands::print,
    signals::stop_on_signals,
};

/// `volley bridge`.
pub fn bridge(arguments: &Bridge) -> anyhow::Result<()> {
    let options = options(arguments)?;
    let stop = stop_on_signals()?;
    print(&bridge::run(&options, &stop)?.to_string())
}

fn options(arguments: &Bridge) -> Result<Options, UserError> {
    let (dialect, server) = (arguments.to.dialect, &arguments.to);
    if arguments.lobby.is_some() && !has_lobbies(dialect) {
        let why = format!("--lobby: a {} server has no lobbies to choose from", dialect.name());
        return Err(UserError(why));
    }
    if arguments.websocket && !is_link(dialect) {
        return Err(UserError(format!("--websocket: a {} server cannot be reached over a WebSocket", dialect.name())));
    }
    let mut to = OtherServer::find(dialect, &server.host, server.port)?;
    to.over_websocket = arguments.websocket;
    Ok(Options {
        bind: arguments.bind,
        doors: doors(&arguments.listen)?,
        to,
        lobby: arguments.lobby.map(|code| code.to_string()),
        name: arguments.name.clone(),
        players_max: arguments.players as usize,
        lobby_ports: arguments.rfc2020_lobbies.clone(),
        open_unproved: arguments.open_unproved,
        dump: arguments.dump.clone(),
    })
}

fn doors(listen: &[Listen]) -> Result<BTreeMap<Dialect, u16>, UserError> {
    let mut doors = BTreeMap::new();
    for &Listen { dialect, port } in listen {
        if doors.insert(dialect, port).is_some() {
            return Err(UserError(format!("--listen names {} twice; give each dialect one port", dialect.name())));
        }
    }
    Ok(doors)
}

fn has_lobbies(dialect: Dialect) -> bool {
    matches!(dialect.entry().stream, StreamUse::Desk(_) | StreamUse::Link(_))
}

fn is_link(dialect: Dialect) -> bool {
    matches!(dialect.entry().stream, StreamUse::Link(_))
}
