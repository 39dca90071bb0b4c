//! What a lobby is from its beginning to its end, whatever is played in it and by whom.

use std::{fmt, net::IpAddr};

use protocol::LobbyId;

/// What never changes about a lobby.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LobbyIdentity {
    pub id: LobbyId,
    /// Its place among all lobbies of the node, by age.
    pub number: u64,
    /// The seed of its first game.
    pub seed: u64,
    pub is_private: bool,
    /// Whether a player made it, who is its host.
    pub has_host: bool,
    /// The address group that it was asked for from; none if somebody asked for any seat.
    pub made_by: Option<IpAddr>,
}

impl LobbyIdentity {
    pub fn log_name(&self) -> LogName {
        LogName { id: self.id, number: self.number, is_private: self.is_private }
    }
}

/// A lobby as the log names it. The code of a private one is told to nobody, and logs are read, copied and sent around.
#[derive(Clone, Copy, Debug)]
pub struct LogName {
    id: LobbyId,
    number: u64,
    is_private: bool,
}

impl fmt::Display for LogName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_private {
            true => write!(f, "private {}", self.number),
            false => self.id.fmt(f),
        }
    }
}
