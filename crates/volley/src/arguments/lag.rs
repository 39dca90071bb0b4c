//! The options of `volley lag`.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use clap::Args;
use network::{Chance, Conditions, Faults, Jitter, Outages, Rate, Rebinding, Reorder};
use toolkit::{
    UserError,
    lag::{
        presets::{self, Preset},
        units::{self, JITTER_MEMORY},
    },
};

use super::values::seed;

/// The queue before a slow line, if none is given: a quarter of a second at 2 Mbit/s.
const QUEUE_BYTES: u32 = 64 << 10;
/// How long a datagram that is held back waits at most.
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

    /// Show the server another address of each client at this interval, like a NAT that forgets its clients.
    #[arg(long, value_name = "TIME", value_parser = units::time)]
    pub rebind: Option<Duration>,

    /// The seed: with the same one, the same datagrams in the same order meet the same fate [default: random; it is
    /// shown].
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
                  help = concat!("Extra delay on average", $where, ": usually less, occasionally much more"))]
            jitter: Option<Duration>,
            #[arg(id = concat!($prefix, "loss"), long = concat!($prefix, "loss"), value_name = "SHARE", value_parser = units::share,
                  help = concat!("How many datagrams are lost", $where))]
            loss: Option<Chance>,
            #[arg(id = concat!($prefix, "burst"), long = concat!($prefix, "burst"), value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000),
                  help = concat!("How many datagrams in a row a loss takes on average", $where, "; the share lost stays the same"))]
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
                  help = concat!("Let nothing pass for this long", $where, ", once per period: 2s/60s"))]
            outage: Option<Outages>,
        }

        impl $name {
            fn asked(&self) -> Asked {
                Asked {
                    delay: self.delay,
                    jitter: self.jitter,
                    loss: self.loss,
                    burst: self.burst,
                    duplicate: self.duplicate,
                    reorder: self.reorder,
                    rate: self.rate,
                    queue: self.queue,
                    outage: self.outage,
                }
            }
        }
    };
}

fault_options!(BothWays, "", "", "Both ways");
fault_options!(WayUp, "up-", " on the way to the server", "On the way to the server");
fault_options!(WayDown, "down-", " on the way to the client", "On the way to the client");

/// What is asked for, both ways or for one.
#[derive(Clone, Copy)]
struct Asked {
    delay: Option<Duration>,
    jitter: Option<Duration>,
    loss: Option<Chance>,
    burst: Option<u32>,
    duplicate: Option<Chance>,
    reorder: Option<Chance>,
    rate: Option<u32>,
    queue: Option<u32>,
    outage: Option<Outages>,
}

impl Lag {
    /// What is wrong with the network: the preset, then what is asked for both ways, then for one.
    ///
    /// # Errors
    /// If a burst has no loss, or a queue no rate.
    pub fn conditions(&self) -> Result<Conditions, UserError> {
        let mut conditions = self.preset.map_or(Conditions::PERFECT, |preset| preset.conditions);
        let both = self.both.asked();
        let (up, down) = (self.up.asked(), self.down.asked());
        up.or(both).apply(&mut conditions.up);
        down.or(both).apply(&mut conditions.down);
        let (lossy_up, lossy_down) = (has_loss(&conditions.up), has_loss(&conditions.down));
        refuse_alone(both.burst.is_some() && !lossy_up && !lossy_down, "--burst", "--loss")?;
        refuse_alone(up.burst.is_some() && !lossy_up, "--up-burst", "--up-loss")?;
        refuse_alone(down.burst.is_some() && !lossy_down, "--down-burst", "--down-loss")?;
        let (slow_up, slow_down) = (conditions.up.rate.is_some(), conditions.down.rate.is_some());
        refuse_alone(both.queue.is_some() && !slow_up && !slow_down, "--queue", "--rate")?;
        refuse_alone(up.queue.is_some() && !slow_up, "--up-queue", "--up-rate")?;
        refuse_alone(down.queue.is_some() && !slow_down, "--down-queue", "--down-rate")?;
        if let Some(every) = self.rebind {
            conditions.rebinding = Some(Rebinding { every });
        }
        Ok(conditions)
    }
}

fn refuse_alone(is_alone: bool, option: &str, needed: &str) -> Result<(), UserError> {
    match is_alone {
        true => {
            Err(UserError(format!("{option} does nothing by itself; give {needed} too, or a --preset that has one")))
        }
        false => Ok(()),
    }
}

fn has_loss(faults: &Faults) -> bool {
    faults.loss != Chance::NEVER || faults.bursts.is_some_and(|bursts| bursts.begin != Chance::NEVER)
}

impl Asked {
    /// This, or else what is asked for both ways.
    fn or(self, both: Asked) -> Asked {
        Asked {
            delay: self.delay.or(both.delay),
            jitter: self.jitter.or(both.jitter),
            loss: self.loss.or(both.loss),
            burst: self.burst.or(both.burst),
            duplicate: self.duplicate.or(both.duplicate),
            reorder: self.reorder.or(both.reorder),
            rate: self.rate.or(both.rate),
            queue: self.queue.or(both.queue),
            outage: self.outage.or(both.outage),
        }
    }

    /// Changes what was asked for.
    fn apply(&self, faults: &mut Faults) {
        if let Some(delay) = self.delay {
            faults.delay = delay;
        }
        if let Some(mean) = self.jitter {
            faults.jitter = Jitter { mean, memory: JITTER_MEMORY };
        }
        self.apply_loss(faults);
        if let Some(duplicate) = self.duplicate {
            faults.duplicate = duplicate;
        }
        if let Some(chance) = self.reorder {
            faults.reorder = Reorder { chance, at_most: HELD_BACK_MAX };
        }
        self.apply_rate(faults);
        if self.outage.is_some() {
            faults.outages = self.outage;
        }
    }

    /// A share alone loses each datagram for itself; with a length of bursts, that share is lost in bursts.
    fn apply_loss(&self, faults: &mut Faults) {
        match (self.loss, self.burst) {
            (None, None) => {}
            (Some(share), None) => (faults.loss, faults.bursts) = (share, None),
            (share, Some(length)) => {
                let share = share.unwrap_or_else(|| units::share_lost(faults));
                (faults.loss, faults.bursts) = (Chance::NEVER, Some(units::bursts(share, length)));
            }
        }
    }

    fn apply_rate(&self, faults: &mut Faults) {
        if let Some(bytes_per_second) = self.rate {
            let queue_bytes = faults.rate.map_or(QUEUE_BYTES, |rate| rate.queue_bytes);
            faults.rate = Some(Rate { bytes_per_second, queue_bytes });
        }
        if let (Some(queue_bytes), Some(rate)) = (self.queue, &mut faults.rate) {
            rate.queue_bytes = queue_bytes;
        }
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
    struct CommandLine {
        #[command(flatten)]
        lag: Lag,
    }

    fn asked(flags: &[&str]) -> Result<Conditions, UserError> {
        let line = [&["lag", "--to", "localhost:1"], flags].concat();
        CommandLine::try_parse_from(line).unwrap_or_else(|error| panic!("{error}")).lag.conditions()
    }

    fn conditions(flags: &[&str]) -> Conditions {
        asked(flags).unwrap_or_else(|error| panic!("{error}"))
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
        let slow = conditions(&["--rate", "256kbit", "--queue", "32KB", "--rebind", "30s"]);
        assert_eq!(slow.down.rate, Some(Rate { bytes_per_second: 32_000, queue_bytes: 32 << 10 }));
        assert_eq!(slow.rebinding, Some(Rebinding { every: Duration::from_secs(30) }));
    }

    #[test]
    fn a_burst_without_a_loss_and_a_queue_without_a_rate_are_refused() {
        for (flags, part) in [
            (&["--burst", "4"][..], "give --loss too"),
            (&["--down-burst", "4", "--up-loss", "5%"], "give --down-loss too"),
            (&["--loss", "0%", "--burst", "4"], "give --loss too"),
            (&["--queue", "1KB"], "give --rate too"),
            (&["--up-queue", "1KB", "--preset", "wifi"], "give --up-rate too"),
        ] {
            let error = asked(flags).expect_err("it does nothing").to_string();
            assert!(error.contains(part), "{flags:?}: {error}");
        }
        let one_way = conditions(&["--burst", "4", "--up-loss", "5%"]);
        assert_eq!(one_way.up.bursts, Some(units::bursts(Chance::percent(5), 4)));
        assert_eq!(
            conditions(&["--preset", "4g", "--queue", "8KB"]).up.rate.map(|rate| rate.queue_bytes),
            Some(8 << 10)
        );
    }

    #[test]
    fn longer_bursts_of_a_preset_lose_what_the_preset_loses() {
        let preset = presets::find("wifi").expect("it exists").conditions.up;
        let longer = conditions(&["--preset", "wifi", "--burst", "9"]).up;
        let [before, after] = [preset, longer].map(|faults| f64::from(units::share_lost(&faults).in_millionths()));
        assert!(longer.bursts != preset.bursts && (before - after).abs() < 0.01 * before, "{before} {after}");
    }

    #[test]
    fn the_help_names_every_preset() {
        for preset in presets::ALL {
            assert!(LAG_EXAMPLES.contains(&format!("{:<17}{}", preset.name, preset.description)), "{}", preset.name);
        }
    }
}
