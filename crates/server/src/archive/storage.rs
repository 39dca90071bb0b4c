//! Where an archive is, and the connections to it: one that writes, and one that only reads and makes nobody wait.

use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use anyhow::{Context, ensure};
use rusqlite::{Connection, ErrorCode, MAIN_DB, OpenFlags};

use super::migrations;

/// How long to wait for a file that another program has locked.
const LOCK_WAIT_MAX: Duration = Duration::from_secs(1);

/// Tells the archives in memory of one process apart.
static NEXT_IN_MEMORY: AtomicU64 = AtomicU64::new(0);

/// Where an archive is.
#[derive(Clone, Debug)]
pub enum Storage {
    File(PathBuf),
    /// In memory, under this number. It lasts while a connection is open.
    Memory(u64),
}

impl Storage {
    /// A new one in memory.
    pub fn memory() -> Storage {
        Storage::Memory(NEXT_IN_MEMORY.fetch_add(1, Ordering::Relaxed))
    }

    pub fn file(&self) -> Option<&Path> {
        match self {
            Storage::File(path) => Some(path),
            Storage::Memory(_) => None,
        }
    }

    /// A connection that writes. Creates the archive if there is none, and updates the tables of an old one.
    pub fn open(&self) -> anyhow::Result<Connection> {
        let mut connection = match self {
            Storage::File(path) => Connection::open(path).with_context(|| format!("cannot open {}", path.display()))?,
            Storage::Memory(number) => open_memory(*number)?,
        };
        connection.busy_timeout(LOCK_WAIT_MAX)?;
        // With a write-ahead log, whoever reads and the writer do not make each other wait.
        connection.pragma_update(None, "journal_mode", "wal").context("cannot use the file")?;
        // A result is synced before anybody is shown it, so that no power cut takes it back.
        connection.pragma_update(None, "synchronous", "full")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        migrations::migrate(&mut connection)?;
        ensure!(!connection.is_readonly(MAIN_DB)?, "the file is read-only");
        Ok(connection)
    }

    /// A connection that only reads.
    pub fn open_to_read(&self) -> anyhow::Result<Connection> {
        let connection = match self {
            Storage::File(path) => open_file_to_read(path)?,
            Storage::Memory(number) => {
                let connection = open_memory(*number)?;
                // In memory, two connections share their pages. This one takes no lock that the writer would wait for.
                connection.pragma_update(None, "read_uncommitted", true)?;
                connection.pragma_update(None, "query_only", true)?;
                connection
            }
        };
        connection.busy_timeout(LOCK_WAIT_MAX)?;
        migrations::check(&connection)?;
        Ok(connection)
    }
}

fn open_memory(number: u64) -> rusqlite::Result<Connection> {
    Connection::open(format!("file:volley-{number}?mode=memory&cache=shared"))
}

/// If no file can be created beside it, this shows the archive as it was last closed.
fn open_file_to_read(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let with_log = Connection::open_with_flags(path, flags).and_then(touch);
    match with_log.as_ref().map_err(rusqlite::Error::sqlite_error_code) {
        Err(Some(code)) if is_about_writing(code) && path.exists() => {
            Connection::open_with_flags(unchanging(path), flags | OpenFlags::SQLITE_OPEN_URI)
        }
        _ => with_log,
    }
}

/// Whether an error while reading comes from a file beside it that cannot be made or grow.
fn is_about_writing(code: ErrorCode) -> bool {
    matches!(code, ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::SystemIoFailure | ErrorCode::DiskFull)
}

/// SQLite opens a file only when it is first read.
fn touch(connection: Connection) -> rusqlite::Result<Connection> {
    connection.query_row("SELECT COUNT(*) FROM sqlite_schema", (), |_| Ok(()))?;
    Ok(connection)
}

/// SQLite's URI for a file that nobody changes while it is open.
pub(super) fn unchanging(path: &Path) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
    let letter = |byte: &u8| if plain(*byte) { char::from(*byte).into() } else { format!("%{byte:02x}") };
    let path: String = path.as_os_str().as_encoded_bytes().iter().map(letter).collect();
    format!("file:{path}?immutable=1")
}
