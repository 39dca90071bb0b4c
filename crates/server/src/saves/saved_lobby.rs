//! What is kept of a lobby, so that the next process of the node can go on with it.
//!
//! Everything in it is read from a file, which may be anybody's: nothing of it is trusted until it was checked.

use std::net::{IpAddr, SocketAddr};

use borsh::{BorshDeserialize, BorshSerialize};
use game::{Counts, SEATS, Seat, ShipModel};

/// Rises whenever a save of an earlier version can no longer be read.
const VERSION: u8 = 2;

/// A lobby that had players.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) struct SavedLobby {
    /// The number of its code.
    pub id: u32,
    /// Its place among all lobbies of the node, by age.
    pub number: u64,
    pub seed: u64,
    pub is_private: bool,
    pub has_host: bool,
    /// The address group that it was asked for from; none if somebody asked for any seat.
    pub made_by: Option<IpAddr>,
    /// When it was saved, in microseconds since 1970, as all times here.
    pub saved: u64,
    /// The name of the stage.
    pub stage: String,
    /// As `game` saves a world: with its version, and the fingerprint of its stage.
    pub world: Vec<u8>,
    /// Numbers of the scene that peers compare.
    pub scene: u64,
    /// When the game was won or lost.
    pub over_since: Option<u64>,
    pub game: Option<SavedGame>,
    pub seats: [Option<SavedSeat>; SEATS],
    pub bots: [Option<SavedBot>; SEATS],
}

/// A bot in a seat.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) struct SavedBot {
    /// The name of its skill.
    pub skill: String,
    pub name: String,
}

/// A seat, and the player whose it is.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) struct SavedSeat {
    /// The name of the dialect.
    pub dialect: String,
    pub address: SocketAddr,
    /// The address of the node that the player speaks to, where it has several.
    pub local: Option<IpAddr>,
    /// Whether the player came from one of the host's own networks.
    pub is_neighbour: bool,
    /// The port of the lobby that the player speaks to, where lobbies have ports.
    pub lobby_port: Option<u16>,
    /// What brings the player of a link back.
    pub token: Option<[u8; 16]>,
    pub name: String,
    pub is_ready: bool,
    /// Whether the player has given no second sign of life yet (ruling C14).
    pub is_provisional: bool,
    /// The number of the pace that the player wishes.
    pub pace: u8,
    /// Numbers of the session that the peer compares.
    pub numbers: u64,
    /// When they stood so.
    pub noted: u64,
    /// When the node started, as the peer was told.
    pub started: u64,
}

/// What the record of the game needs besides what the world knows.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) struct SavedGame {
    pub began: u64,
    pub first_tick: u32,
    /// 0: it goes on, 1: it was won, 2: lost, 3: abandoned.
    pub ended: u8,
    pub is_assisted: bool,
    pub pauses: u32,
    pub paused_micros: u64,
    /// Since when it is paused, if it is.
    pub paused_since: Option<u64>,
    /// How much longer it took than its ticks, in microseconds.
    pub lost_micros: i64,
    /// Players who have left.
    pub gone: Vec<SavedPlayer>,
    pub named_late: [bool; SEATS],
}

/// Somebody who played and left.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) struct SavedPlayer {
    pub from: IpAddr,
    pub seat: Seat,
    pub name: String,
    /// The name of the dialect; for a bot `bot` and the name of its skill.
    pub kind: String,
    pub score: u32,
    pub ship: ShipModel,
    /// The number of the rank.
    pub rank: Option<u8>,
    pub counts: Counts,
}

/// Why a saved lobby is not restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotRestored {
    /// It was saved by another version of the node.
    OtherVersion,
    /// The bytes are not a save.
    Damaged,
    /// The node has no stage of that name.
    NoStage,
    /// It was saved under other rules, in another version of the stage, or is an impossible game.
    World(game::RestoreError),
    /// Nobody in it could come back.
    NoPlayers,
    /// There is a lobby with that code, or no room for another.
    NoRoom,
}

impl std::fmt::Display for NotRestored {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            NotRestored::OtherVersion => "it was saved by another version of the node",
            NotRestored::Damaged => "it is damaged",
            NotRestored::NoStage => "this node does not have its stage",
            NotRestored::World(why) => return why.fmt(f),
            NotRestored::NoPlayers => "nobody in it could come back",
            NotRestored::NoRoom => "there is no room for it",
        })
    }
}

impl SavedLobby {
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.world.len() + 1024);
        bytes.push(VERSION);
        // Writing to memory fails only if a list has more than four billion entries.
        if self.serialize(&mut bytes).is_err() {
            bytes.clear();
        }
        bytes
    }

    pub fn read(bytes: &[u8]) -> Result<SavedLobby, NotRestored> {
        match bytes.split_first() {
            Some((&VERSION, rest)) => SavedLobby::try_from_slice(rest).map_err(|_| NotRestored::Damaged),
            Some(_) => Err(NotRestored::OtherVersion),
            None => Err(NotRestored::Damaged),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved() -> SavedLobby {
        let seat = SavedSeat {
            dialect: "snapshot".into(),
            address: SocketAddr::from(([192, 0, 2, 1], 5000)),
            local: None,
            is_neighbour: false,
            lobby_port: None,
            token: Some([7; 16]),
            name: "Ann".into(),
            is_ready: false,
            is_provisional: true,
            pace: 0,
            numbers: 9,
            noted: 8,
            started: 7,
        };
        let game = SavedGame {
            began: 1,
            first_tick: 2,
            ended: 0,
            is_assisted: true,
            pauses: 3,
            paused_micros: 4,
            paused_since: Some(5),
            lost_micros: -6,
            gone: Vec::new(),
            named_late: [false; SEATS],
        };
        SavedLobby {
            id: 1,
            number: 2,
            seed: 3,
            is_private: true,
            has_host: true,
            made_by: Some([192, 0, 2, 1].into()),
            saved: 4,
            stage: "endless".into(),
            world: vec![1, 2, 3],
            scene: 5,
            over_since: None,
            game: Some(game),
            seats: [Some(seat), None, None, None],
            bots: [None, Some(SavedBot { skill: "ace".into(), name: "Bot 2".into() }), None, None],
        }
    }

    #[test]
    fn what_was_saved_is_read_again_and_every_shorter_or_longer_save_is_refused() {
        let bytes = saved().to_bytes();
        assert_eq!(SavedLobby::read(&bytes), Ok(saved()));
        for length in 0..bytes.len() {
            assert!(SavedLobby::read(&bytes[..length]).is_err(), "{length}");
        }
        assert_eq!(SavedLobby::read(&[&bytes[..], &[0]].concat()), Err(NotRestored::Damaged));
        assert_eq!(SavedLobby::read(&[9]), Err(NotRestored::OtherVersion));
        let mut older = bytes;
        older[0] = VERSION - 1;
        assert_eq!(SavedLobby::read(&older), Err(NotRestored::OtherVersion));
    }
}
