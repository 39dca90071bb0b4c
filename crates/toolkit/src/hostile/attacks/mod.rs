//! What strangers do to a node: each attack runs until a moment, and is bounded in what it sends and holds.
//!
//! All of 127.0.0.0/8 is this machine, so a sender of many addresses needs no others: the node is told to limit loopback as it
//! limits everybody else, and ordinary players come from 127.0.0.1. The files are by what is sent: `datagrams.rs`, `icmp.rs`,
//! `streams.rs`, `quic.rs`, `http.rs`; by what players do: `goodbyes.rs`, `hosts.rs`; `machine.rs` is what happens to the process itself.

mod chance;
mod datagrams;
mod goodbyes;
mod hosts;
mod http;
mod icmp;
mod machine;
mod quic;
mod streams;

use std::{
    net::Ipv4Addr,
    path::Path,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use protocol::Time;

use super::ordinary_players::OrdinaryPlayers;
use crate::node_process::{DataFolder, NodeOptions, NodeProcess};

/// One who attacks from a single address.
const ATTACKER: Ipv4Addr = Ipv4Addr::new(127, 66, 6, 6);

/// A node that is attacked, and how to start it again.
pub(super) struct Target<'a> {
    pub program: &'a Path,
    pub options: NodeOptions<'a>,
    pub node: NodeProcess,
    pub ordinary: &'a OrdinaryPlayers,
}

/// What came of an attack.
pub(super) enum AttackOutcome {
    /// How many things it did.
    Done(u64),
    /// How many things it did, when the node did not keep its promises to others.
    Broken(u64, &'static str),
    /// This machine does not allow it, for this reason.
    LeftOut(&'static str),
}

/// Attacks until then.
type Send = fn(&Target<'_>, Instant) -> anyhow::Result<AttackOutcome>;

/// What is done.
#[derive(Clone, Copy)]
pub(super) enum Act {
    Send(Send),
    /// Something happens to the process, which may be another one afterwards.
    Machine(fn(&mut Target<'_>) -> anyhow::Result<AttackOutcome>),
}

/// What a node is started with for an attack.
pub(super) enum Needs {
    Nothing,
    /// Links have so little memory together.
    LittleMemory,
    /// So few files may be open.
    FewFiles(u32),
    /// A data directory.
    Data,
    /// A data directory with many recorded games.
    Games,
}

pub(super) struct Attack {
    pub name: &'static str,
    pub needs: Needs,
    pub act: Act,
}

/// All of them.
pub(super) const ALL: [Attack; 28] = [
    attack("noise at every UDP door", datagrams::noise),
    attack("empty datagrams, one from each address", datagrams::empty),
    attack("requests for a seat from one address", datagrams::joins_of_one),
    attack("a player who sends without end", datagrams::inputs),
    attack("datagrams of the longest size", datagrams::long),
    attack("forged ICMP of a third address", icmp::of_a_third),
    attack("forged ICMP of the players' address", icmp::of_the_players),
    attack("forged ICMP of a narrow way", icmp::narrow_way),
    attack("two datagrams from each address", datagrams::twice),
    attack("connections opened and closed", streams::opened_and_closed),
    attack("links opened and closed", http::links_opened_and_closed),
    attack("frames that are not messages", http::empty_continuations),
    attack("lobbies made and left", streams::empty_lobbies),
    attack("hosts who kick everybody", hosts::kick_everybody),
    attack("goodbyes without end", goodbyes::repeated),
    attack("TCP proofs from many addresses", streams::many_proofs),
    attack("idle TCP connections", streams::idle),
    with("idle TCP, 1,024 files", Needs::FewFiles(1024), streams::idle_everywhere),
    attack("requests that never end", http::endless_requests),
    attack("WebSockets that read nothing", http::unread_links),
    with("QUIC streams that nobody reads", Needs::LittleMemory, quic::unread_streams),
    with("readers of scores", Needs::Games, http::score_readers),
    with("readers of scores who read nothing", Needs::Games, http::slow_readers),
    attack("guesses of lobby codes", http::code_guesses),
    with("guesses of the admin token", Needs::Data, http::token_guesses),
    attack("all of this at once", machine::mixture),
    Attack { name: "stopped for ten seconds", needs: Needs::Nothing, act: Act::Machine(machine::stop) },
    Attack { name: "killed and started again", needs: Needs::Data, act: Act::Machine(machine::kill) },
];

const fn attack(name: &'static str, send: Send) -> Attack {
    with(name, Needs::Nothing, send)
}

const fn with(name: &'static str, needs: Needs, send: Send) -> Attack {
    Attack { name, needs, act: Act::Send(send) }
}

pub(super) use datagrams::{closed_port, first_datagrams};

/// The time, as sessions count it.
fn wall_clock() -> Time {
    Time::from_micros(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros() as u64)
}

impl Needs {
    /// The data directory, if one is needed.
    pub fn data(&self) -> anyhow::Result<Option<DataFolder>> {
        match self {
            Needs::Data => DataFolder::new().map(Some),
            Needs::Games => {
                let folder = DataFolder::new()?;
                http::record_games(&folder)?;
                Ok(Some(folder))
            }
            Needs::Nothing | Needs::LittleMemory | Needs::FewFiles(_) => Ok(None),
        }
    }
}
