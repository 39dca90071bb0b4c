//! Which file is at a path: the archive's may be removed or replaced while it is open, without any error.

use std::{fs, io, path::Path};

/// Identifies a file, whatever its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileId(Option<(u64, u64)>);

impl FileId {
    /// The file that is at the path now.
    pub fn of(path: &Path) -> io::Result<FileId> {
        fs::metadata(path).map(|about| FileId(numbers(&about)))
    }

    /// Whether another file is at the path now, or none. If the system cannot tell, it is not.
    pub fn is_gone_from(self, path: &Path) -> bool {
        match FileId::of(path) {
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

/// Other systems do not let an open file be removed.
#[cfg(not(unix))]
fn numbers(_: &fs::Metadata) -> Option<(u64, u64)> {
    None
}
