//! What a host chooses for a node.

use std::{ops::RangeInclusive, sync::Arc};

use game::{Rules, Stage};
use protocol::{Scale, amplification::Budget};

use crate::{limits::Limits, own_networks::OwnNetworksRule, remote::SharedRemoteServer};

/// What a host chooses.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The stage of lobbies that nobody chose one for.
    pub stage: Arc<Stage>,
    /// Every stage that a lobby may be created with.
    pub stages: Vec<Arc<Stage>>,
    /// The rules of new lobbies.
    pub rules: Rules,
    /// Lobbies at once, at most.
    pub lobbies_max: usize,
    /// The ports of lobbies, in the dialect that gives each its own.
    pub lobby_ports: RangeInclusive<u16>,
    /// Units of the wire for one pixel of the field.
    pub scale: Scale,
    /// Whether dialects that cannot prove an address serve public ones.
    pub open_unproved: bool,
    /// Whether loopback is subject to the limits of what may come from one address in a second.
    pub limit_loopback: bool,
    /// Who is a neighbour, whose address need not be proved.
    pub own_networks: OwnNetworksRule,
    /// What one address or one player may have and send.
    pub limits: Limits,
    /// What all unproved public peers together are sent at most.
    pub unproved_bytes_per_second: u64,
    /// The seed of everything that the node leaves to chance.
    pub seed: u64,
    /// The seed of everything that nobody may guess: tokens, and the codes of private lobbies.
    pub secret: [u8; 32],
    /// Where its games are played, if not here: then it is a bridge.
    pub remote: Option<SharedRemoteServer>,
}

impl Settings {
    /// As a host has them who chooses nothing but the stages: ten lobbies, and every limit at its default. Whoever runs a node for
    /// others takes `seed` and `secret` from chance.
    pub fn new(stages: Vec<Arc<Stage>>, stage: Arc<Stage>, seed: u64, secret: [u8; 32]) -> Settings {
        Settings {
            stage,
            stages,
            rules: Rules::default(),
            lobbies_max: 10,
            lobby_ports: 24_500..=24_999,
            scale: Scale::default(),
            open_unproved: false,
            limit_loopback: false,
            own_networks: OwnNetworksRule::default(),
            limits: Limits::default(),
            unproved_bytes_per_second: Budget::DEFAULT_BYTES_PER_SECOND,
            seed,
            secret,
            remote: None,
        }
    }

    /// Uses only this many of the ports for lobbies, the first ones.
    pub(crate) fn limit_lobby_ports(&mut self, count: usize) {
        let first = *self.lobby_ports.start();
        let last = u16::try_from(usize::from(first) + count.max(1) - 1).unwrap_or(u16::MAX);
        self.lobby_ports = first..=last.min(*self.lobby_ports.end());
    }

    pub(crate) fn stage(&self, name: &str) -> Option<Arc<Stage>> {
        self.stages.iter().find(|stage| stage.name == name).cloned()
    }
}
