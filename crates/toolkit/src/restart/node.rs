//! The node that is killed: a process of this program with a data directory of its own.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader},
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use anyhow::Context;
use protocol::{Dialect, StreamUse};

use crate::capacity::ENDS_WITH_PARENT;

/// The door that comes last in the table that a node prints.
const HTTP: &str = "http";

/// The ports of all doors, by name.
pub(super) type Doors = BTreeMap<String, u16>;

/// A data directory that goes with the measurement.
pub(super) struct DataFolder(PathBuf);

impl DataFolder {
    pub fn new(dialect: Dialect) -> anyhow::Result<DataFolder> {
        let name = format!("volley-bench-restart-{}-{}", std::process::id(), dialect.name());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).with_context(|| format!("cannot create {}", path.display()))?;
        Ok(DataFolder(path))
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for DataFolder {
    fn drop(&mut self) {
        // What is left of it is in the folder for temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A node. It is killed when it is dropped, without a chance to do anything about it.
pub(super) struct KilledNode {
    child: Child,
    doors: Doors,
}

impl KilledNode {
    /// Starts a node, with any doors or with those that another one had, and returns when they are open.
    pub fn start(program: &Path, data: &DataFolder, doors: Option<&Doors>) -> anyhow::Result<KilledNode> {
        let mut command = Command::new(program);
        command.args([ENDS_WITH_PARENT, "serve", "--data"]).arg(data.path());
        for name in Dialect::with_ports().map(Dialect::name).chain([HTTP]) {
            let port = doors.and_then(|doors| doors.get(name)).copied().unwrap_or(0);
            command.arg(format!("--{name}")).arg(port.to_string());
        }
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut node = KilledNode { child: child.context("cannot start a node")?, doors: Doors::new() };
        let printed = node.child.stdout.take().context("the node has no output")?;
        for line in BufReader::new(printed).lines() {
            let line = line?;
            let mut words = line.split_whitespace();
            if let (Some(door), Some(Ok(port))) = (words.next(), words.next().map(str::parse)) {
                node.doors.insert(door.to_owned(), port);
            }
            if node.doors.contains_key(HTTP) {
                return Ok(node);
            }
        }
        anyhow::bail!("the node ended before its doors were open")
    }

    pub fn doors(&self) -> &Doors {
        &self.doors
    }

    /// Where players of a dialect come to.
    pub fn door(&self, dialect: Dialect) -> anyhow::Result<SocketAddr> {
        let name = if let StreamUse::Link(_) = dialect.entry().stream { HTTP } else { dialect.name() };
        let port = self.doors.get(name).with_context(|| format!("the node has no door {name}"))?;
        Ok((Ipv4Addr::LOCALHOST, *port).into())
    }

    /// The tick of its only lobby.
    pub fn tick(&self) -> anyhow::Result<u32> {
        let port = self.doors.get(HTTP).context("the node has no HTTP")?;
        let url = format!("http://{}:{port}/api/lobbies", Ipv4Addr::LOCALHOST);
        let text = ureq::get(url).call()?.body_mut().read_to_string()?;
        let lobbies: serde_json::Value = serde_json::from_str(&text)?;
        let tick = lobbies[0]["tick"].as_u64().with_context(|| format!("no lobby: {text}"))?;
        Ok(u32::try_from(tick)?)
    }
}

impl Drop for KilledNode {
    fn drop(&mut self) {
        // It may have ended already; then there is nobody to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
