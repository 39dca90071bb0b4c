//! Another machine, as far as a network namespace is one: it has an address of its own, and a cable to this one.

use std::process::{Command, Stdio};

/// A network namespace with one end of a pair of virtual cables; the other end is here.
pub struct OtherMachine {
    name: String,
    address: String,
}

impl OtherMachine {
    /// Makes one. Where that cannot be done, which takes root and Linux, it says why; on CI that is a failure.
    pub fn make() -> Option<OtherMachine> {
        // Two addresses of 10.213.0.0/16 for each process, so that tests of several builds do not meet.
        let number = std::process::id() % 16_384;
        let address = |last: u32| format!("10.213.{}.{}", number / 64, number % 64 * 4 + last);
        let namespace = OtherMachine { name: format!("volley-{number}"), address: address(2) };
        match namespace.set_up(&format!("vly{number}a"), &format!("vly{number}b"), &address(1)) {
            Ok(()) => Some(namespace),
            Err(why) => {
                assert!(std::env::var("CI").as_deref() != Ok("true"), "no network namespace on CI: {why}");
                eprintln!("skipped: no network namespace can be made here: {why}");
                None
            }
        }
    }

    fn set_up(&self, here: &str, there: &str, address_here: &str) -> Result<(), String> {
        let (name, inside) = (self.name.as_str(), format!("{}/30", self.address));
        ip(&["netns", "add", name])?;
        ip(&["link", "add", here, "type", "veth", "peer", "name", there, "netns", name])?;
        ip(&["address", "add", &format!("{address_here}/30"), "dev", here])?;
        ip(&["link", "set", here, "up"])?;
        ip(&["-n", name, "address", "add", &inside, "dev", there])?;
        ip(&["-n", name, "link", "set", there, "up"])?;
        ip(&["-n", name, "link", "set", "lo", "up"])
    }

    /// By which this machine reaches it.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// A command that runs a program there.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.name, program]);
        command
    }
}

impl Drop for OtherMachine {
    fn drop(&mut self) {
        // The cable goes with it.
        let _ = ip(&["netns", "delete", &self.name]);
    }
}

fn ip(arguments: &[&str]) -> Result<(), String> {
    let output = Command::new("ip").args(arguments).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("ip: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(()) } else { Err(format!("ip {}: {}", arguments.join(" "), said.trim())) }
}
