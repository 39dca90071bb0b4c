//! The options of `volley lag`.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use clap::Args;
use network::{Chance, Conditions, Faults, Jitter, Outages, Rate, Rebinding, Reorder};
use toolkit::lag::{
    presets::{self, Preset},
    units::{self, JITTER_MEMORY},
};

use super::values::seed;

/// The queue before a slow line, if none is given: a quarter of a second at 2 Mbit/s.
const QUEUE_BYTES: u32 = 64 << 10;
/// A datagram that is held back waits for at most so long.
const HELD_BACK_MAX: Duration = Duration::from_millis(50);

/// The options of `volley lag`.
#[derive(Debug, Args)]
pub struct Lag {
    /// Where clients connect, over UDP and TCP.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:4300")]
    pub listen: SocketAddr,

    /// The server.
    #[arg(long, value_name = "HOST:PORT")]
    pub to: String,

    /// A network that has a name: wifi, 4g, transatlantic or awful. Other options change parts of it.
    #[arg(long, value_name = "NAME", value_parser = preset)]
    pub preset: Option<Preset>,

    #[command(flatten)]
    pub both: BothWays,

    #[command(flatten)]
    pub up: WayUp,

    #[command(flatten)]
    pub down: WayDown,

    /// Show the server another address of each client once in such a time, as a NAT does that forgets them.
    #[arg(long, value_name = "TIME", value_parser = units::time)]
    pub rebind: Option<Duration>,

    /// The seed: the same seed gives the same datagrams in the same order the same fate [default: random; it is shown].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = seed)]
    pub seed: Option<u64>,

    /// Write what became of each message to this file, as comma-separated values.
    #[arg(long, value_name = "FILE.csv")]
    pub record: Option<PathBuf>,
}

/// Defines the options of a direction, whose names begin with `$prefix`.
macro_rules! fault_options {
    ($name:ident, $prefix:literal, $where:literal, $heading:literal) => {
        #[derive(Clone, Debug, Default, Args)]
        #[command(next_help_heading = $heading)]
        pub struct $name {
            #[arg(id = concat!($prefix, "delay"), long = concat!($prefix, "delay"), value_name = "TIME", value_parser = units::time,
                  help = concat!("How long every message takes", $where))]
            delay: Option<Duration>,
            #[arg(id = concat!($prefix, "jitter"), long = concat!($prefix, "jitter"), value_name = "TIME", value_parser = units::time,
                  help = concat!("How much longer messages take in the mean", $where, ": mostly less, sometimes much more"))]
            jitter: Option<Duration>,
            #[arg(id = concat!($prefix, "loss"), long = concat!($prefix, "loss"), value_name = "SHARE", value_parser = units::share,
                  help = concat!("How many datagrams are lost", $where))]
            loss: Option<Chance>,
            #[arg(id = concat!($prefix, "burst"), long = concat!($prefix, "burst"), value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000),
                  help = concat!("How many datagrams in a row a loss takes in the mean", $where, "; the share lost stays the same"))]
            burst: Option<u32>,
            #[arg(id = concat!($prefix, "duplicate"), long = concat!($prefix, "duplicate"), value_name = "SHARE", value_parser = units::share,
                  help = concat!("How many datagrams arrive twice", $where))]
            duplicate: Option<Chance>,
            #[arg(id = concat!($prefix, "reorder"), long = concat!($prefix, "reorder"), value_name = "SHARE", value_parser = units::share,
                  help = concat!("How many datagrams are held back for up to 50 ms", $where, ", so that later ones overtake them"))]
            reorder: Option<Chance>,
            #[arg(id = concat!($prefix, "rate"), long = concat!($prefix, "rate"), value_name = "RATE", value_parser = units::rate,
                  help = concat!("What the line carries", $where, ", such as 256kbit"))]
            rate: Option<u32>,
            #[arg(id = concat!($prefix, "queue"), long = concat!($prefix, "queue"), value_name = "SIZE", value_parser = units::size,
                  help = concat!("What may wait before a slow line", $where, " [default: 64KB]"))]
            queue: Option<u32>,
            #[arg(id = concat!($prefix, "outage"), long = concat!($prefix, "outage"), value_name = "TIME/TIME", value_parser = units::outages,
                  help = concat!("How long nothing passes", $where, ", and in which period: 2s/60s"))]
            outage: Option<Outages>,
        }

        impl $name {
            /// Changes what was asked for.
            fn apply(&self, faults: &mut Faults) {
                if let Some(delay) = self.delay {
                    faults.delay = delay;
                }
                if let Some(mean) = self.jitter {
                    faults.jitter = Jitter { mean, memory: JITTER_MEMORY };
                }
                apply_loss(self.loss, self.burst, faults);
                if let Some(duplicate) = self.duplicate {
                    faults.duplicate = duplicate;
                }
                if let Some(chance) = self.reorder {
                    faults.reorder = Reorder { chance, at_most: HELD_BACK_MAX };
                }
                apply_rate(self.rate, self.queue, faults);
                if self.outage.is_some() {
                    faults.outages = self.outage;
                }
            }
        }
    };
}

fault_options!(BothWays, "", "", "Both ways");
fault_options!(WayUp, "up-", " on the way to the server", "On the way to the server");
fault_options!(WayDown, "down-", " on the way to the client", "On the way to the client");

impl Lag {
    /// What is wrong with the network: the preset, then what is asked for both ways, then for one.
    pub fn conditions(&self) -> Conditions {
        let mut conditions = self.preset.map_or(Conditions::PERFECT, |preset| preset.conditions);
        for faults in [&mut conditions.up, &mut conditions.down] {
            self.both.apply(faults);
        }
        self.up.apply(&mut conditions.up);
        self.down.apply(&mut conditions.down);
        if let Some(every) = self.rebind {
            conditions.rebinding = Some(Rebinding { every });
        }
        conditions
    }
}

/// A share alone loses each datagram for itself; with a length of bursts, that share is lost in bursts.
fn apply_loss(share: Option<Chance>, burst: Option<u32>, faults: &mut Faults) {
    match (share, burst) {
        (None, None) => {}
        (Some(share), None) => (faults.loss, faults.bursts) = (share, None),
        (share, Some(length)) => {
            let share = share.unwrap_or(faults.loss);
            (faults.loss, faults.bursts) = (Chance::NEVER, Some(units::bursts(share, length)));
        }
    }
}

fn apply_rate(rate: Option<u32>, queue: Option<u32>, faults: &mut Faults) {
    if let Some(bytes_per_second) = rate {
        let queue_bytes = faults.rate.map_or(QUEUE_BYTES, |rate| rate.queue_bytes);
        faults.rate = Some(Rate { bytes_per_second, queue_bytes });
    }
    if let (Some(queue_bytes), Some(rate)) = (queue, &mut faults.rate) {
        rate.queue_bytes = queue_bytes;
    }
}

fn preset(text: &str) -> Result<Preset, String> {
    presets::find(text).ok_or_else(|| format!("choose {}", presets::ALL.map(|preset| preset.name).join(", ")))
}

pub(super) const LAG_EXAMPLES: &str = "\
Presets:
  wifi             a laptop two walls away from its access point
  4g               a phone in a moving train
  transatlantic    a good line across an ocean
  awful            a satellite line at the end of an overcrowded hotel network

Examples:
  volley lag --to localhost:4243 --delay 75ms --jitter 10ms --loss 5%
                                            a round trip of 150 ms with losses, for clients of snapshot at port 4300
  volley lag --to localhost:4244 --preset awful
                                            rfc2020; its lobbies' ports are followed
  volley lag --to localhost:4241 --up-loss 30% --seed 7 --record lost.csv
                                            what clients send is lost, the same way each time, and recorded
  volley bots --dialect snapshot --snapshot 4300
                                            bots that play through it";

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        lag: Lag,
    }

    fn conditions(flags: &[&str]) -> Conditions {
        let line = [&["lag", "--to", "localhost:1"], flags].concat();
        Line::try_parse_from(line).unwrap_or_else(|error| panic!("{error}")).lag.conditions()
    }

    #[test]
    fn one_direction_overrides_both_and_both_override_a_preset() {
        let awful = presets::find("awful").expect("it exists").conditions;
        assert_eq!(conditions(&["--preset", "awful"]), awful);
        let changed = conditions(&["--preset", "awful", "--delay", "80ms", "--up-delay", "1s"]);
        assert_eq!((changed.up.delay, changed.down.delay), (Duration::from_secs(1), Duration::from_millis(80)));
        assert_eq!(changed.down.rate, awful.down.rate, "the rest of the preset stays");
    }

    #[test]
    fn a_loss_in_bursts_takes_the_place_of_single_losses() {
        let single = conditions(&["--loss", "5%"]).up;
        assert_eq!((single.loss, single.bursts), (Chance::percent(5), None));
        let bursts = conditions(&["--loss", "5%", "--down-burst", "4"]).down;
        assert_eq!((bursts.loss, bursts.bursts), (Chance::NEVER, Some(units::bursts(Chance::percent(5), 4))));
    }

    #[test]
    fn a_queue_belongs_to_a_rate_and_a_rebinding_to_the_client() {
        assert_eq!(conditions(&["--queue", "1KB"]).up.rate, None);
        let slow = conditions(&["--rate", "256kbit", "--queue", "32KB", "--rebind", "30s"]);
        assert_eq!(slow.down.rate, Some(Rate { bytes_per_second: 32_000, queue_bytes: 32 << 10 }));
        assert_eq!(slow.rebinding, Some(Rebinding { every: Duration::from_secs(30) }));
    }

    #[test]
    fn the_help_names_every_preset() {
        for preset in presets::ALL {
            assert!(LAG_EXAMPLES.contains(&format!("{:<17}{}", preset.name, preset.description)), "{}", preset.name);
        }
    }
}
