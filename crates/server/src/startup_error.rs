//! Options that a node cannot start with on this machine: which ones, why, and what to do about it.
//!
//! An error of [`Server::open`] may be one of these. The caller, which knows where each option was written, can say so.
//!
//! [`Server::open`]: crate::serve::Server::open

use std::{
    fmt, io,
    net::{IpAddr, SocketAddr},
    ops::RangeInclusive,
};

use protocol::StreamUse;

use crate::serve::Options;

/// The option that gives the lobbies of a desk their ports.
const LOBBY_PORTS: &str = "rfc2020-lobbies";

/// Lower ports are privileged.
const UNPRIVILEGED_PORT_MIN: u16 = 1024;

/// Options that a node cannot start with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartupError {
    /// The names of the options, as in `volley serve`; the most likely one first.
    pub options: Vec<&'static str>,
    /// What happened and what to do, in one line.
    pub why: String,
}

impl StartupError {
    pub fn about(option: &'static str, why: impl Into<String>) -> StartupError {
        StartupError { options: vec![option], why: why.into() }
    }

    /// A door that the system refuses to open, because of its port or its address.
    pub fn door(door: &'static str, transport: &str, address: SocketAddr, error: &io::Error) -> StartupError {
        if is_open_file_limit(error) {
            return StartupError::open_file_limit();
        }
        let (ip, port) = (address.ip(), address.port());
        let cannot = format!("cannot open the {door} door at {transport} port {port} of {ip}");
        match error.kind() {
            _ if ip.is_ipv6() && lacks_family(error) => StartupError::about(
                "bind",
                format!(
                    "this machine has no IPv6, so it cannot use {ip}; give an IPv4 address with --bind, or 0.0.0.0 for all"
                ),
            ),
            io::ErrorKind::AddrNotAvailable => StartupError::about(
                "bind",
                format!(
                    "{ip} is not an address of this machine; give one that is with --bind, or 0.0.0.0 or :: for all"
                ),
            ),
            io::ErrorKind::AddrInUse => StartupError::about(
                door,
                format!(
                    "{cannot}: another program uses it; stop that program, or choose another port with --{door} PORT"
                ),
            ),
            io::ErrorKind::PermissionDenied if (1..UNPRIVILEGED_PORT_MIN).contains(&port) => StartupError::about(
                door,
                format!(
                    "{cannot}: ports below {UNPRIVILEGED_PORT_MIN} are privileged; choose a higher one with --{door} PORT"
                ),
            ),
            _ => StartupError {
                options: vec![door, "bind"],
                why: format!(
                    "{cannot}: {error}; choose another port with --{door} PORT, or another address with --bind"
                ),
            },
        }
    }

    /// A broadcast address: a socket can be bound to it, but no peer can connect.
    pub(crate) fn broadcast(ip: IpAddr) -> StartupError {
        let why = format!("{ip} is a broadcast address; give an address of this machine with --bind, or 0.0.0.0 or ::");
        StartupError::about("bind", why)
    }

    /// None of the ports for the lobbies of a desk can be opened.
    pub(crate) fn lobby_ports(ports: &RangeInclusive<u16>, error: &io::Error) -> StartupError {
        if is_open_file_limit(error) {
            return StartupError::open_file_limit();
        }
        let (first, last) = (ports.start(), ports.end());
        let why = format!(
            "cannot open any UDP port of {first}-{last} for lobbies: {error}; choose others with --{LOBBY_PORTS} FIRST-LAST"
        );
        StartupError::about(LOBBY_PORTS, why)
    }

    /// The limit on open files is too low. No option is to blame.
    pub fn open_file_limit() -> StartupError {
        let why = "too few open files are allowed for a node; raise the limit (ulimit -n, or LimitNOFILE= of a systemd service)";
        StartupError { options: Vec::new(), why: why.into() }
    }

    /// Turns an error into one about this option.
    pub fn wrap(option: &'static str) -> impl FnOnce(anyhow::Error) -> StartupError {
        move |error| StartupError::about(option, format!("{error:#}"))
    }
}

impl fmt::Display for StartupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for StartupError {}

/// Whether too many files are open, in this process or in the whole system. The numbers are the same on every Unix.
pub fn is_open_file_limit(error: &io::Error) -> bool {
    const ENFILE: i32 = 23;
    const EMFILE: i32 = 24;
    cfg!(unix) && matches!(error.raw_os_error(), Some(ENFILE | EMFILE))
}

/// Whether the system has no addresses of this family at all.
#[cfg(unix)]
fn lacks_family(error: &io::Error) -> bool {
    error.raw_os_error() == Some(nix::errno::Errno::EAFNOSUPPORT as i32)
}

#[cfg(not(unix))]
fn lacks_family(_: &io::Error) -> bool {
    false
}

/// Ports of one transport that an option claims.
struct Claim {
    option: &'static str,
    transport: &'static str,
    ports: RangeInclusive<u16>,
}

/// Finds two options that name the same port. The system would only blame the later one.
pub(crate) fn check_ports(options: &Options) -> Result<(), StartupError> {
    let claims = claims(options);
    let pairs =
        claims.iter().enumerate().flat_map(|(index, one)| claims[..index].iter().map(move |other| (other, one)));
    for (one, other) in pairs {
        let shared = *one.ports.start().max(other.ports.start());
        if one.transport == other.transport && one.ports.contains(&shared) && other.ports.contains(&shared) {
            let (names, transport) = ([one.option, other.option], one.transport);
            let why = format!(
                "{} and {} cannot share {transport} port {shared}; choose another port with --{} or --{}",
                names[0], names[1], names[0], names[1]
            );
            return Err(StartupError { options: names.into(), why });
        }
    }
    Ok(())
}

/// Every port that the options name.
fn claims(options: &Options) -> Vec<Claim> {
    let mut claims = Vec::new();
    let mut claim = |option, transport, ports: RangeInclusive<u16>| claims.push(Claim { option, transport, ports });
    for (dialect, &port) in &options.doors.ports {
        let stream = dialect.entry().stream;
        if !matches!(stream, StreamUse::None) {
            claim(dialect.name(), "TCP", port..=port);
        }
        match stream {
            StreamUse::Desk(_) => claim(LOBBY_PORTS, "UDP", options.settings.lobby_ports.clone()),
            _ => claim(dialect.name(), "UDP", port..=port),
        }
    }
    if let Some(port) = options.http {
        claim("http", "TCP", port..=port);
        claim("http", "UDP", port..=port);
    }
    // 0 means any free port.
    claims.retain(|claim| *claim.ports.start() != 0);
    claims
}

#[cfg(test)]
mod tests {
    use super::*;

    fn door(at: &str, kind: io::ErrorKind) -> StartupError {
        StartupError::door("aecs", "TCP", at.parse().expect("an address"), &kind.into())
    }

    #[test]
    fn errors_blame_the_address_the_port_or_the_privilege() {
        let foreign = door("192.0.2.1:4242", io::ErrorKind::AddrNotAvailable);
        assert_eq!(foreign.options, ["bind"]);
        assert!(foreign.why.starts_with("192.0.2.1 is not an address of this machine"), "{foreign}");
        let taken = door("127.0.0.1:4242", io::ErrorKind::AddrInUse);
        assert_eq!(taken.options, ["aecs"]);
        assert!(taken.why.contains("TCP port 4242 of 127.0.0.1: another program uses it"), "{taken}");
        let low = door("127.0.0.1:80", io::ErrorKind::PermissionDenied);
        assert!(low.options == ["aecs"] && low.why.contains("below 1024 are privileged"), "{low}");
        #[cfg(unix)]
        {
            let raw = |errno: nix::errno::Errno| io::Error::from_raw_os_error(errno as i32);
            let of = |at: &str, error| StartupError::door("aecs", "TCP", at.parse().expect("an address"), &error);
            let old = of("[::]:4242", raw(nix::errno::Errno::EAFNOSUPPORT));
            assert!(old.options == ["bind"] && old.why.contains("no IPv6") && old.why.contains("0.0.0.0"), "{old}");
            let few = of("127.0.0.1:4242", raw(nix::errno::Errno::EMFILE));
            assert!(few.options.is_empty() && few.why.contains("ulimit -n"), "{few}");
        }
        // A sandbox may forbid every port: then its number is not the reason.
        let forbidden = door("127.0.0.1:4242", io::ErrorKind::PermissionDenied);
        assert!(forbidden.why.contains("permission denied") && !forbidden.why.contains("1024"), "{forbidden}");
    }
}
