//! A network for tests in which the way to one address is said to be narrower than its interface, as a forged ICMP message
//! "fragmentation needed" can say of any way.

use std::{env, net::IpAddr, process::Command};

/// The address that the way leads to, and what is said to fit.
pub(crate) const NARROW: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(127, 0, 0, 9));
const MTU: &str = "600";
/// Set in the process that runs in there.
const INSIDE: &str = "VOLLEY_TEST_NARROW_WAY";

/// Runs a test in a network of its own: in a process of its own, which is this program with that one test. Needs root.
pub(crate) fn run(test: &str, act: impl FnOnce()) {
    if env::var_os(INSIDE).is_some() {
        return act();
    }
    if !Command::new("unshare").args(["-n", "true"]).status().is_ok_and(|status| status.success()) {
        eprintln!("left out: this test needs root and `unshare`");
        return;
    }
    let route = format!("ip route replace local {NARROW} dev lo table local mtu {MTU}");
    let script = format!("ip link set lo up && {route} && exec \"$0\" --exact {test} --nocapture");
    let mut inside = Command::new("unshare");
    inside.args(["-n", "sh", "-c", &script]).arg(env::current_exe().expect("this program")).env(INSIDE, "1");
    let output = inside.output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&output.stderr));
}
