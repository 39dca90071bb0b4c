//! The data directory: the host's token, who is banned, and the archive's file beside them. A disk that cannot be
//! written costs what would be kept there, never the game: then the log says so.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::{
    core::Range,
    reservation::{Reservation, Taken},
};

const TOKEN_FILE: &str = "admin-token";
const BANS_FILE: &str = "bans.txt";
const LOCK_FILE: &str = "volley.lock";
/// Bytes of chance in a token.
const TOKEN_BYTES: usize = 24;
/// A token that is shorter could be guessed.
pub const TOKEN_MIN_CHARS: usize = 16;

/// What opens the host's part of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What a request shows.
    pub text: String,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where a token comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The host chose it, or an earlier node made it.
    Kept,
    /// It was made just now, and is kept.
    New,
    /// It was made just now, and ends with the node.
    ForThisRun,
}

/// A directory.
#[derive(Clone, Debug)]
pub struct DataDir(PathBuf);

impl DataDir {
    /// Makes the directory if there is none, and tells in the log if nothing can be written to it. An error: it can be
    /// none by its very name.
    pub fn open(path: &Path) -> anyhow::Result<DataDir> {
        let made = fs::create_dir_all(path);
        if let Err(error) = made.as_ref()
            && !is_of_the_disk(error)
        {
            let why = if path.is_file() { "it is a file".into() } else { error.to_string() };
            anyhow::bail!("cannot use the data directory {}: {why}; choose another with --data DIR", path.display());
        }
        if let Err(error) = made.and_then(|()| try_to_write(path)) {
            tracing::error!(target: "host", %error, "nothing can be kept in {}; the game goes on", path.display());
        }
        Ok(DataDir(path.into()))
    }

    /// Keeps other nodes out: two of them would write over each other's bans. An error: another one is in.
    pub fn reserve(&self) -> anyhow::Result<Reservation> {
        Reservation::take(&self.0.join(LOCK_FILE)).map_err(|Taken| {
            let path = self.0.display();
            anyhow::anyhow!(
                "another node has the data directory {path}; end that one, or choose another with --data DIR"
            )
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The host's token: the one that is kept, or a new one.
    pub fn token(&self) -> anyhow::Result<Token> {
        let path = self.0.join(TOKEN_FILE);
        match fs::read_to_string(&path) {
            Ok(text) if text.trim().is_empty() => make_token(&path),
            Ok(text) => match sound_token(text.trim()) {
                Ok(token) => {
                    warn_of_readers(&path);
                    Ok(Token { text: token, origin: Origin::Kept })
                }
                Err(why) => {
                    anyhow::bail!("{}: {why}; write a longer one, or remove the file for a new one", path.display())
                }
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => make_token(&path),
            Err(error) => Err(unreadable(&path, &error)),
        }
    }

    /// The ranges that are banned.
    pub fn bans(&self) -> anyhow::Result<Vec<Range>> {
        let path = self.0.join(BANS_FILE);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(unreadable(&path, &error)),
        };
        let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
        let ranges = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        ranges
            .map(|(number, line)| {
                line.parse().map_err(|why| anyhow::anyhow!("{}:{number}: {line:?}: {why}", path.display()))
            })
            .collect()
    }

    /// Keeps the ranges that are banned. The old file is replaced at once or not at all.
    pub fn keep_bans(&self, ranges: &[Range]) -> io::Result<()> {
        let new = self.0.join("bans.new");
        let mut text = String::from("# Addresses that this node does not serve, one address or block a line.\n");
        ranges.iter().for_each(|range| text += &format!("{range}\n"));
        let mut file = File::create(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(new, self.0.join(BANS_FILE))
    }
}

fn unreadable(path: &Path, error: &io::Error) -> anyhow::Error {
    anyhow::anyhow!("cannot read {}: {error}; let this user read it, or move it away", path.display())
}

/// Tells in the log if others than the owner can read a file.
#[cfg(unix)]
fn warn_of_readers(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    if fs::metadata(path).is_ok_and(|about| about.permissions().mode() & 0o077 != 0) {
        let path = path.display();
        tracing::warn!(target: "host", "others on this machine can read the token in {path}; chmod 600 {path} mends that");
    }
}

#[cfg(not(unix))]
fn warn_of_readers(_: &Path) {}

/// Makes a file in a directory, for a moment.
fn try_to_write(path: &Path) -> io::Result<()> {
    let probe = path.join(format!(".volley-{}", std::process::id()));
    let written = fs::write(&probe, "Can this be kept?\n");
    // Also where there was room for its name alone.
    let removed = fs::remove_file(&probe);
    written.and(removed)
}

/// Whether a disk cannot be written, which no other name would change.
fn is_of_the_disk(error: &io::Error) -> bool {
    use io::ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    matches!(error.kind(), ReadOnlyFilesystem | StorageFull | QuotaExceeded)
}

/// A token that somebody chose, if it is long enough and can stand in a header.
pub fn sound_token(text: &str) -> Result<String, String> {
    let fits = text.len() >= TOKEN_MIN_CHARS && text.bytes().all(|byte| byte.is_ascii_graphic());
    fits.then(|| text.to_owned())
        .ok_or_else(|| format!("a token has at least {TOKEN_MIN_CHARS} characters of ASCII, none of them a space"))
}

/// A token that nobody can guess, from the system's randomness.
pub fn new_token() -> anyhow::Result<String> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| anyhow::anyhow!("the system has no randomness: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn make_token(path: &Path) -> anyhow::Result<Token> {
    let text = new_token()?;
    let Err(error) = write_token(path, &text) else { return Ok(Token { text, origin: Origin::New }) };
    tracing::error!(target: "host", %error, "the token is in force but cannot be kept on disk");
    // Half of one would be taken for one.
    let _ = fs::remove_file(path);
    Ok(Token { text, origin: Origin::ForThisRun })
}

fn write_token(path: &Path, token: &str) -> io::Result<()> {
    // One that is there but empty may have any mode: the new one gets ours.
    let _ = fs::remove_file(path);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(format!("{token}\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    /// A folder that goes with the test, and a data directory in it.
    fn folder() -> (TempDir, DataDir) {
        let folder = TempDir::new().expect("a new folder");
        let data = DataDir::open(&folder.path().join("data")).expect("a new directory");
        (folder, data)
    }

    #[test]
    fn a_token_is_made_once_and_only_its_owner_may_read_it() {
        let (_temporary, folder) = folder();
        let token = folder.token().expect("a token");
        assert!(token.origin == Origin::New && token.text.len() == 2 * TOKEN_BYTES, "{token:?}");
        assert_eq!(folder.token().expect("the same"), Token { origin: Origin::Kept, ..token });
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let metadata = fs::metadata(folder.path().join(TOKEN_FILE)).expect("a file");
            assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn a_token_that_could_be_guessed_is_refused_and_an_empty_file_is_filled() {
        let (_temporary, folder) = folder();
        let file = folder.path().join(TOKEN_FILE);
        for wrong in ["hunter2\n", "fifteen-letters", "a token with spaces in it", "sechzehn-zeichen-\u{fc}"] {
            fs::write(&file, wrong).expect("a file");
            let said = folder.token().expect_err(wrong).to_string();
            assert!(said.contains("admin-token: ") && said.contains("16 characters"), "{said}");
        }
        fs::write(&file, "  sixteen-letters-  \n").expect("a file");
        let own = Token { text: "sixteen-letters-".into(), origin: Origin::Kept };
        assert_eq!(folder.token().expect("long enough"), own);
        fs::write(&file, "\n").expect("a file");
        assert_eq!(folder.token().expect("a new one").origin, Origin::New);
    }

    // Not even root can make a file there.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_directory_that_cannot_be_written_has_a_token_for_now_and_keeps_nothing() {
        let folder = DataDir::open(Path::new("/proc/self")).expect("it is a directory");
        let first = folder.token().expect("a token");
        assert!(first.origin == Origin::ForThisRun && folder.token().expect("another").text != first.text);
        assert_eq!(folder.bans().expect("none"), []);
        assert!(folder.keep_bans(&[]).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_directory_is_for_one_node_at_a_time() {
        let (_temporary, folder) = folder();
        let reservation = folder.reserve().expect("it is free");
        let said = folder.reserve().expect_err("it is taken").to_string();
        assert!(said.contains("another node has the data directory") && said.contains("--data DIR"), "{said}");
        drop(reservation);
        folder.reserve().expect("it is free again");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn where_no_lock_can_be_had_nobody_is_kept_out() {
        DataDir::open(Path::new("/proc/self")).expect("it is a directory").reserve().expect("nothing is in the way");
    }

    #[test]
    fn bans_are_kept_and_a_wrong_line_is_named() {
        let (_temporary, folder) = folder();
        assert_eq!(folder.bans().expect("none yet"), []);
        let ranges: Vec<Range> =
            ["192.0.2.0/24", "2001:db8::1"].iter().map(|text| text.parse().expect("one")).collect();
        folder.keep_bans(&ranges).expect("they are kept");
        assert_eq!(folder.bans().expect("the same"), ranges);
        fs::write(folder.path().join(BANS_FILE), "# mine\n\n192.0.2.0/99\n").expect("a file");
        let said = folder.bans().expect_err("a wrong line").to_string();
        assert!(said.contains("bans.txt:3:") && said.contains("192.0.2.0/99"), "{said}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_disk_is_at_fault_if_it_is_full_or_read_only_and_a_name_otherwise() {
        let is_of_the_disk = |errno| is_of_the_disk(&io::Error::from_raw_os_error(errno));
        assert!([libc::EROFS, libc::ENOSPC, libc::EDQUOT].into_iter().all(is_of_the_disk));
        assert!(![libc::ENOENT, libc::ENOTDIR, libc::EEXIST, libc::EACCES].into_iter().any(is_of_the_disk));
    }

    #[test]
    fn what_is_no_directory_is_refused() {
        let folder = TempDir::new().expect("a new folder");
        let path = folder.path().join("file");
        fs::write(&path, "a file").expect("a file");
        let said = format!("{:#}", DataDir::open(&path).expect_err("no directory"));
        let below = format!("{:#}", DataDir::open(&path.join("below")).expect_err("no directory"));
        for (said, why) in [(said, "it is a file"), (below, "Not a directory")] {
            assert!(said.contains(why) && said.ends_with("choose another with --data DIR"), "{said}");
        }
    }
}
