//! The suites: the cases of one dialect against one side. A new suite is a line in [`ALL`].

use protocol::Dialect;

use super::{
    aecs,
    case::{Case, Stop},
    rfc2020, rfc53952, snapshot,
    trial::{Trial, TrialDirection},
    typeuh,
};

/// Which side of a dialect is under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TestedSide {
    Server,
    Client,
}

impl TestedSide {
    pub fn name(self) -> &'static str {
        match self {
            TestedSide::Server => "server",
            TestedSide::Client => "client",
        }
    }
}

/// All cases of one dialect against one side.
pub struct Suite {
    pub dialect: Dialect,
    pub side: TestedSide,
    /// Its cases, chapter by chapter.
    pub chapters: &'static [&'static [Case]],
    /// Greets the peer, to see whether it is there and speaks the dialect at all.
    pub greet: fn(&mut Trial) -> Result<(), Stop>,
    /// What bytes say, in one line.
    pub describe: fn(Speaker, &[u8]) -> String,
}

/// Whose words are described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    Client,
    Server,
}

impl Suite {
    /// All of its cases, in order.
    pub fn cases(&self) -> impl Iterator<Item = &'static Case> + use<> {
        self.chapters.iter().copied().flatten()
    }

    /// Who said what went that way.
    pub fn speaker(&self, direction: TrialDirection) -> Speaker {
        match (self.side, direction) {
            (TestedSide::Server, TrialDirection::ToPeer) | (TestedSide::Client, TrialDirection::FromPeer) => {
                Speaker::Client
            }
            (TestedSide::Server, TrialDirection::FromPeer) | (TestedSide::Client, TrialDirection::ToPeer) => {
                Speaker::Server
            }
        }
    }
}

/// Every suite.
pub static ALL: [&Suite; 10] = [
    &typeuh::SERVER,
    &typeuh::CLIENT,
    &aecs::SERVER,
    &aecs::CLIENT,
    &snapshot::SERVER,
    &snapshot::CLIENT,
    &rfc2020::SERVER,
    &rfc2020::CLIENT,
    &rfc53952::SERVER,
    &rfc53952::CLIENT,
];

/// The suite of a dialect and a side.
pub fn find(dialect: Dialect, side: TestedSide) -> Option<&'static Suite> {
    ALL.into_iter().find(|suite| suite.dialect == dialect && suite.side == side)
}
