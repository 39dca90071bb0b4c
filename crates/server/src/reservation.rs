//! A lock on a file that says that somebody is in. It ends with the process at the latest, however that ends, so that
//! none is ever left behind.

use std::path::Path;
#[cfg(unix)]
use std::{
    fs::{File, OpenOptions},
    io,
};

#[cfg(unix)]
use nix::{
    errno::Errno,
    fcntl::{Flock, FlockArg},
};

/// A lock, or none where the disk allows no lock: then nobody is kept out.
#[derive(Debug)]
pub struct Reservation {
    #[cfg(unix)]
    _lock: Option<Flock<File>>,
}

/// Somebody else has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken;

impl Reservation {
    /// Locks a file, which is made if there is none.
    #[cfg(unix)]
    pub fn take(path: &Path) -> Result<Reservation, Taken> {
        let opened = OpenOptions::new().write(true).create(true).truncate(false).open(path);
        let locked = opened.and_then(|file| {
            Flock::lock(file, FlockArg::LockExclusiveNonblock).map_err(|(_, error)| io::Error::from(error))
        });
        match locked {
            Ok(lock) => Ok(Reservation { _lock: Some(lock) }),
            Err(error) if error.raw_os_error() == Some(Errno::EWOULDBLOCK as i32) => Err(Taken),
            Err(error) => {
                tracing::debug!(target: "host", %error, "{} cannot be locked", path.display());
                Ok(Reservation { _lock: None })
            }
        }
    }

    /// Elsewhere nobody is kept out.
    #[cfg(not(unix))]
    pub fn take(_: &Path) -> Result<Reservation, Taken> {
        Ok(Reservation {})
    }
}
