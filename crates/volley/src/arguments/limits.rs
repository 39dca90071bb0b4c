//! The options of `volley serve` that limit what one address, one network or one player may have and send.

use clap::Args;
use server::{limits::Limits, own_networks::OwnNetworksRule};

/// Who is a neighbour, and what everybody may have and send.
#[derive(Clone, Debug, Args)]
pub struct LimitArguments {
    /// Your own networks, such as 192.168.1.0/24,fd00::/8: the dialects that cannot prove an address serve only them and this
    /// machine. `auto` means the private networks of the interfaces that the node listens on, `none` only this machine.
    #[arg(long, value_name = "LIST", default_value = "auto", value_parser = networks)]
    pub own_networks: OwnNetworksRule,

    /// The most seats of one address; a network (/24, or /48 of IPv6) may have four times as many [default: a quarter of all
    /// seats, from 16 to 256; for this machine and your own networks three quarters of all].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub seats_per_address: Option<u32>,

    /// Seat requests allowed per second from one address, with bursts of twice that.
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = Limits::default().joins_per_address, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub joins_per_address: u32,

    /// New sessions and lobby requests allowed per second from one address, with bursts of four times that (TCP, WebSocket,
    /// WebTransport).
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = Limits::default().sessions_per_address, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub sessions_per_address: u32,

    /// Lobbies that one address may create per second, with bursts of eight times that.
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = Limits::default().lobbies_per_address, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub lobbies_per_address: u32,

    /// Bytes allowed per second from one address, with bursts of twice that.
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = Limits::default().bytes_per_address, value_parser = clap::value_parser!(u32).range(1_000..))]
    pub bytes_per_address: u32,

    /// Datagrams allowed per second from one player, plus one for each datagram sent to that player; over WebSocket and WebTransport, messages.
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = Limits::default().datagrams_per_player, value_parser = clap::value_parser!(u32).range(60..=1_000_000))]
    pub datagrams_per_player: u32,
}

impl LimitArguments {
    pub fn limits(&self) -> Limits {
        Limits {
            seats_per_address: self.seats_per_address.map(|seats| seats as usize),
            joins_per_address: self.joins_per_address,
            sessions_per_address: self.sessions_per_address,
            lobbies_per_address: self.lobbies_per_address,
            bytes_per_address: self.bytes_per_address,
            datagrams_per_player: self.datagrams_per_player,
        }
    }
}

fn networks(text: &str) -> Result<OwnNetworksRule, String> {
    text.parse().map_err(|error| format!("{error}"))
}
