//! A lock on a file that marks something as in use. The system releases it when the process ends, however that happens,
//! so a lock is never left behind.

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

/// Holds the lock until it is dropped. Where the disk cannot lock files, it holds none and excludes nobody.
#[derive(Debug)]
pub struct FileLock {
    #[cfg(unix)]
    _lock: Option<Flock<File>>,
}

/// Another process holds the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlreadyLocked;

impl FileLock {
    /// Locks a file, and creates it if there is none.
    #[cfg(unix)]
    pub fn take(path: &Path) -> Result<FileLock, AlreadyLocked> {
        let opened = OpenOptions::new().write(true).create(true).truncate(false).open(path);
        let locked = opened.and_then(|file| {
            Flock::lock(file, FlockArg::LockExclusiveNonblock).map_err(|(_, error)| io::Error::from(error))
        });
        match locked {
            Ok(lock) => Ok(FileLock { _lock: Some(lock) }),
            Err(error) if error.raw_os_error() == Some(Errno::EWOULDBLOCK as i32) => Err(AlreadyLocked),
            Err(error) => {
                tracing::debug!(target: "host", %error, "cannot lock {}", path.display());
                Ok(FileLock { _lock: None })
            }
        }
    }

    /// Other systems have no such lock: nobody is excluded.
    #[cfg(not(unix))]
    pub fn take(_: &Path) -> Result<FileLock, AlreadyLocked> {
        Ok(FileLock {})
    }
}
