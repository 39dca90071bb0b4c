//! Which file is at a path: the archive's may be removed or replaced while it is open, and the system says nothing.

use std::{fs, io, path::Path};

/// A file as the system knows it, whatever it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity(Option<(u64, u64)>);

impl Identity {
    /// The file that is there now.
    pub fn of(path: &Path) -> io::Result<Identity> {
        fs::metadata(path).map(|about| Identity(numbers(&about)))
    }

    /// Whether another file is there now, or none. What cannot be asked is no reason to think so.
    pub fn is_gone_from(self, path: &Path) -> bool {
        match Identity::of(path) {
            Ok(there) => there != self,
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }
}

#[cfg(unix)]
fn numbers(about: &fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((about.dev(), about.ino()))
}

/// Elsewhere a file that is open cannot be removed.
#[cfg(not(unix))]
fn numbers(_: &fs::Metadata) -> Option<(u64, u64)> {
    None
}
