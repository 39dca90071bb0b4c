//! Which file is at a path: the archive's may be removed or replaced while it is open, without any error.

use std::{fs, io, path::Path};

/// Something that has the file at a path open.
pub struct Opened<T> {
    pub inner: T,
    /// None: it has no file, or the system cannot tell which it is.
    file: Option<FileId>,
}

impl<T> Opened<T> {
    /// What was just opened, at this path if it is a file.
    pub fn new(inner: T, path: Option<&Path>) -> Opened<T> {
        Opened { inner, file: path.and_then(|path| FileId::of(path).ok()) }
    }

    /// Whether another file is at the path now, or none.
    pub fn is_gone_from(&self, path: Option<&Path>) -> bool {
        self.file.zip(path).is_some_and(|(file, path)| file.is_gone_from(path))
    }
}

/// Identifies a file, whatever its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileId(Option<(u64, u64)>);

impl FileId {
    /// The file that is at the path now.
    fn of(path: &Path) -> io::Result<FileId> {
        fs::metadata(path).map(|about| FileId(numbers(&about)))
    }

    /// Whether another file is at the path now, or none. If the system cannot tell, it is not.
    fn is_gone_from(self, path: &Path) -> bool {
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
