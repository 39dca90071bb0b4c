//! Networks of a test's own: namespaces with pairs of interfaces between them. Making them needs root.

use std::{
    fs::File,
    process::{Command, Stdio},
    thread,
};

use nix::sched::{CloneFlags, setns};

/// A network of its own, which goes with this.
pub struct Namespace {
    name: String,
}

impl Namespace {
    /// None: this process may not make one. On CI that is a failure: a test that was left out must not look like one that passed.
    pub fn new(name: &str) -> Option<Namespace> {
        let name = format!("volley-{name}-{}", std::process::id());
        let made = Command::new("ip").args(["netns", "add", &name]).stderr(Stdio::null()).status();
        if !made.is_ok_and(|status| status.success()) {
            assert!(std::env::var_os("CI").is_none(), "this test needs root and `ip netns`: on CI, run as root");
            eprintln!("left out: this test needs root and `ip netns`");
            return None;
        }
        let namespace = Namespace { name };
        namespace.ip("link set lo up");
        Some(namespace)
    }

    /// `ip` with these words, in there.
    pub fn ip(&self, words: &str) {
        let words = words.split_whitespace();
        let status = Command::new("ip").args(["-n", &self.name]).args(words.clone()).status().expect("ip runs");
        assert!(status.success(), "ip {}", words.collect::<Vec<_>>().join(" "));
    }

    /// Connects this one with another, with an address at each end.
    pub fn connect(&self, interface: &str, own: &str, other: &Namespace, others: &str) {
        self.ip(&format!("link add {interface} type veth peer name {interface} netns {}", other.name));
        for (namespace, address) in [(self, own), (other, others)] {
            namespace.ip(&format!("addr add {address} dev {interface}"));
            namespace.ip(&format!("link set {interface} up"));
        }
    }

    /// Does something in there: sockets that are opened and programs that are started belong to it.
    pub fn run<T: Send>(&self, act: impl FnOnce() -> T + Send) -> T {
        thread::scope(|scope| {
            let inside = scope.spawn(|| {
                let network = File::open(format!("/run/netns/{}", self.name)).expect("it is there");
                setns(network, CloneFlags::CLONE_NEWNET).expect("it can be entered");
                act()
            });
            inside.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        // Best effort: what is left goes with the machine.
        let _ = Command::new("ip").args(["netns", "del", &self.name]).status();
    }
}
