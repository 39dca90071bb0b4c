//! The limit of open files: every bot has a socket or two.

use crate::UserError;

/// Files that the process has open besides: standard streams, the terminal, what the system needs to find a host.
const OTHERS: u64 = 32;

/// Makes sure that this many sockets may be open at once.
#[cfg(unix)]
pub(crate) fn allow(sockets: u64) -> Result<(), UserError> {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};

    let needed = sockets + OTHERS;
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE)
        .map_err(|error| UserError(format!("cannot read the limit on open files: {error}")))?;
    if soft >= needed {
        return Ok(());
    }
    if hard < needed || setrlimit(Resource::RLIMIT_NOFILE, needed, hard).is_err() {
        return Err(UserError(format!(
            "this many bots need {needed} open files, but the system allows {hard}; use fewer bots, or raise the limit (ulimit -Hn)"
        )));
    }
    Ok(())
}

/// Allows as many open files as the system gives. A node may need thousands; with fewer it works too, with fewer players.
#[cfg(unix)]
pub fn allow_most() {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};

    if let Ok((_, hard)) = getrlimit(Resource::RLIMIT_NOFILE) {
        let _ = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
    }
}

/// Elsewhere the system has no such limit.
#[cfg(not(unix))]
pub fn allow_most() {}

/// Elsewhere the system has no such limit, or says when it is reached.
#[cfg(not(unix))]
pub(crate) fn allow(_sockets: u64) -> Result<(), UserError> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_few_are_allowed_and_too_many_are_a_mistake() {
        assert_eq!(allow(1), Ok(()));
        let mistake = allow(u64::MAX / 2).expect_err("nobody may open that many").0;
        assert!(mistake.contains("use fewer bots"), "{mistake}");
    }
}
