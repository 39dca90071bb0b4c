//! An option of the host's that cannot be had on this machine: which one, why, and what to do about it.
//!
//! Whoever read the options knows where each was written, and can say so: an error of [`Host::open`] may be one of these.
//!
//! [`Host::open`]: crate::serve::Host::open

use std::{
    fmt, io,
    net::{IpAddr, SocketAddr},
    ops::RangeInclusive,
};

use protocol::StreamUse;

use crate::serve::Options;

/// The option that gives the lobbies of a desk their ports.
const LOBBIES: &str = "rfc2020-lobbies";

/// Ports from here on are for every user.
const FREE_FOR_ALL: u16 = 1024;

/// Options that do not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// Their names, as `volley serve` has them; that of the first says the most.
    pub options: Vec<&'static str>,
    /// Why, and what to do, in one line.
    pub why: String,
}

impl Misfit {
    /// One option that does not fit.
    pub fn of(option: &'static str, why: impl Into<String>) -> Misfit {
        Misfit { options: vec![option], why: why.into() }
    }

    /// A door that the system does not open, because of its port or because of the address.
    pub fn door(door: &'static str, transport: &str, address: SocketAddr, error: &io::Error) -> Misfit {
        if is_of_files(error) {
            return Misfit::files();
        }
        let (ip, port) = (address.ip(), address.port());
        let cannot = format!("cannot open the {door} door at {transport} port {port} of {ip}");
        match error.kind() {
            _ if ip.is_ipv6() && lacks_family(error) => Misfit::of(
                "bind",
                format!(
                    "this machine has no IPv6, so it has no {ip}: name an address of IPv4 with --bind, or 0.0.0.0 for all"
                ),
            ),
            io::ErrorKind::AddrNotAvailable => Misfit::of(
                "bind",
                format!(
                    "{ip} is not an address of this machine: name one that is with --bind, or 0.0.0.0 or :: for all"
                ),
            ),
            io::ErrorKind::AddrInUse => Misfit::of(
                door,
                format!("{cannot}: another program has it; end that one, or choose another port with --{door} PORT"),
            ),
            io::ErrorKind::PermissionDenied if (1..FREE_FOR_ALL).contains(&port) => Misfit::of(
                door,
                format!(
                    "{cannot}: ports below {FREE_FOR_ALL} need a privilege; choose a higher one with --{door} PORT"
                ),
            ),
            _ => Misfit {
                options: vec![door, "bind"],
                why: format!("{cannot}: {error}; choose another with --{door} PORT, or another address with --bind"),
            },
        }
    }

    /// An address at which a machine hears everybody and nobody finds it.
    pub(crate) fn broadcast(ip: IpAddr) -> Misfit {
        let why =
            format!("{ip} is for all machines of a network: name one of this machine with --bind, or 0.0.0.0 or ::");
        Misfit::of("bind", why)
    }

    /// None of the ports for the lobbies of a desk can be had.
    pub(crate) fn lobbies(ports: &RangeInclusive<u16>, error: &io::Error) -> Misfit {
        if is_of_files(error) {
            return Misfit::files();
        }
        let (first, last) = (ports.start(), ports.end());
        let why = format!(
            "cannot open any UDP port of {first}-{last} for a lobby: {error}; choose others with --{LOBBIES} FIRST-LAST"
        );
        Misfit::of(LOBBIES, why)
    }

    /// The limit of open files is too low, whichever option it was that met it.
    pub fn files() -> Misfit {
        let why = "the system does not allow this process as many open files as a node needs; raise the limit (ulimit -n, \
                   or LimitNOFILE= of a service)";
        Misfit { options: Vec::new(), why: why.into() }
    }

    /// The same error, as one about this option.
    pub fn from(option: &'static str) -> impl FnOnce(anyhow::Error) -> Misfit {
        move |error| Misfit::of(option, format!("{error:#}"))
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for Misfit {}

/// Whether too many files are open, in this process or in all of them. The numbers are the same on every Unix.
pub fn is_of_files(error: &io::Error) -> bool {
    const ENFILE: i32 = 23;
    const EMFILE: i32 = 24;
    cfg!(unix) && matches!(error.raw_os_error(), Some(ENFILE | EMFILE))
}

/// Whether the system knows no addresses of this kind at all.
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

/// Two options that name the same port, before the system finds out and blames only the later one.
pub(crate) fn collision(options: &Options) -> Result<(), Misfit> {
    let claims = claims(options);
    let pairs =
        claims.iter().enumerate().flat_map(|(index, one)| claims[..index].iter().map(move |other| (other, one)));
    for (one, other) in pairs {
        let shared = *one.ports.start().max(other.ports.start());
        if one.transport == other.transport && one.ports.contains(&shared) && other.ports.contains(&shared) {
            let (names, transport) = ([one.option, other.option], one.transport);
            let why = format!(
                "{} and {} cannot share {transport} port {shared}; give one of them another with --{} or --{}",
                names[0], names[1], names[0], names[1]
            );
            return Err(Misfit { options: names.into(), why });
        }
    }
    Ok(())
}

/// Every port that is asked for by its number.
fn claims(options: &Options) -> Vec<Claim> {
    let mut claims = Vec::new();
    let mut claim = |option, transport, ports: RangeInclusive<u16>| claims.push(Claim { option, transport, ports });
    for (dialect, &port) in &options.doors.ports {
        let stream = dialect.entry().stream;
        if !matches!(stream, StreamUse::None) {
            claim(dialect.name(), "TCP", port..=port);
        }
        match stream {
            StreamUse::Desk(_) => claim(LOBBIES, "UDP", options.settings.lobby_ports.clone()),
            _ => claim(dialect.name(), "UDP", port..=port),
        }
    }
    if let Some(port) = options.http {
        claim("http", "TCP", port..=port);
        claim("http", "UDP", port..=port);
    }
    // 0 is any free one.
    claims.retain(|claim| *claim.ports.start() != 0);
    claims
}

#[cfg(test)]
mod tests {
    use super::*;

    fn door(at: &str, kind: io::ErrorKind) -> Misfit {
        Misfit::door("aecs", "TCP", at.parse().expect("an address"), &kind.into())
    }

    #[test]
    fn an_address_a_port_and_a_privilege_are_told_apart() {
        let foreign = door("192.0.2.1:4242", io::ErrorKind::AddrNotAvailable);
        assert_eq!(foreign.options, ["bind"]);
        assert!(foreign.why.starts_with("192.0.2.1 is not an address of this machine"), "{foreign}");
        let taken = door("127.0.0.1:4242", io::ErrorKind::AddrInUse);
        assert_eq!(taken.options, ["aecs"]);
        assert!(taken.why.contains("TCP port 4242 of 127.0.0.1: another program has it"), "{taken}");
        let low = door("127.0.0.1:80", io::ErrorKind::PermissionDenied);
        assert!(low.options == ["aecs"] && low.why.contains("below 1024 need a privilege"), "{low}");
        #[cfg(unix)]
        {
            let raw = |errno: nix::errno::Errno| io::Error::from_raw_os_error(errno as i32);
            let of = |at: &str, error| Misfit::door("aecs", "TCP", at.parse().expect("an address"), &error);
            let old = of("[::]:4242", raw(nix::errno::Errno::EAFNOSUPPORT));
            assert!(old.options == ["bind"] && old.why.contains("no IPv6") && old.why.contains("0.0.0.0"), "{old}");
            let few = of("127.0.0.1:4242", raw(nix::errno::Errno::EMFILE));
            assert!(few.options.is_empty() && few.why.contains("ulimit -n"), "{few}");
        }
        // A sandbox may forbid any port: then the number is not the reason.
        let forbidden = door("127.0.0.1:4242", io::ErrorKind::PermissionDenied);
        assert!(forbidden.why.contains("permission denied") && !forbidden.why.contains("1024"), "{forbidden}");
    }
}
