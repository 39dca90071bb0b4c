//! The data directory: the admin token, the bans and the archive's file. If the disk cannot be written, the log says so,
//! nothing is saved, and the game goes on.

use std::{
    fmt,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::{
    core::Range,
    file_lock::{AlreadyLocked, FileLock},
};

const TOKEN_FILE: &str = "admin-token";
const BANS_FILE: &str = "bans.txt";
const LOCK_FILE: &str = "volley.lock";
/// Random bytes in a token.
const TOKEN_BYTES: usize = 24;
/// A shorter token could be guessed.
pub const TOKEN_MIN_CHARS: usize = 16;

/// The admin token: what a request under `/admin` has to show. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct AdminToken {
    /// As it stands in the request.
    pub text: String,
    /// Where the host finds it.
    pub place: TokenPlace,
}

/// Where the host finds the token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenPlace {
    /// The host chose it, in the configuration file.
    Configuration,
    /// In this file, which only its owner can read.
    File(PathBuf),
}

impl fmt::Debug for AdminToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Token").field("place", &self.place).finish_non_exhaustive()
    }
}

/// The directory of `--data`.
#[derive(Clone, Debug)]
pub struct DataDir(PathBuf);

impl DataDir {
    /// Creates the directory if there is none, and logs an error if it cannot be written to. Fails if the path cannot be a
    /// directory at all.
    pub fn open(path: &Path) -> anyhow::Result<DataDir> {
        let made = fs::create_dir_all(path);
        if let Err(error) = made.as_ref()
            && !is_disk_error(error)
        {
            let why = if path.is_file() { "it is a file".into() } else { error.to_string() };
            anyhow::bail!("cannot use the data directory {}: {why}; choose another with --data DIR", path.display());
        }
        if let Err(error) = made.and_then(|()| check_writable(path)) {
            tracing::error!(target: "host", %error, "cannot write to the data directory {}: nothing will be saved; the game goes on", path.display());
        }
        Ok(DataDir(path.into()))
    }

    /// Locks the directory for this node: two nodes would overwrite each other's bans. Fails if another one holds it.
    pub fn lock(&self) -> anyhow::Result<FileLock> {
        FileLock::take(&self.0.join(LOCK_FILE)).map_err(|AlreadyLocked| {
            let path = self.0.display();
            anyhow::anyhow!(
                "another node uses the data directory {path}; stop that node, or choose another with --data DIR"
            )
        })
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The saved token, or a new one. None: a new one could not be saved, so that nobody could find it.
    pub fn token(&self) -> anyhow::Result<Option<AdminToken>> {
        let path = self.0.join(TOKEN_FILE);
        match fs::read_to_string(&path) {
            Ok(text) if text.trim().is_empty() => make_token(&path),
            Ok(text) => match check_token(text.trim()) {
                Ok(token) => {
                    warn_if_others_can_read(&path);
                    Ok(Some(AdminToken { text: token, place: TokenPlace::File(path) }))
                }
                Err(why) => {
                    anyhow::bail!("{}: {why}; write a longer one, or remove the file to get a new one", path.display())
                }
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => make_token(&path),
            Err(error) => Err(unreadable(&path, &error)),
        }
    }

    /// The saved bans.
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

    /// Saves the bans. The old file is replaced completely or not at all.
    pub fn save_bans(&self, ranges: &[Range]) -> io::Result<()> {
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
    anyhow::anyhow!("cannot read {}: {error}; make it readable for this user, or move it away", path.display())
}

/// Warns if anybody but the owner can read a file.
#[cfg(unix)]
fn warn_if_others_can_read(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    if fs::metadata(path).is_ok_and(|about| about.permissions().mode() & 0o077 != 0) {
        let path = path.display();
        tracing::warn!(target: "host", "other users of this machine can read the token in {path}; run chmod 600 {path}");
    }
}

#[cfg(not(unix))]
fn warn_if_others_can_read(_: &Path) {}

/// Creates a file in a directory and removes it again.
fn check_writable(path: &Path) -> io::Result<()> {
    let probe = path.join(format!(".volley-{}", std::process::id()));
    let written = fs::write(&probe, "written to see whether it can be\n");
    // Even if there was room for its name only.
    let removed = fs::remove_file(&probe);
    written.and(removed)
}

/// Whether the disk is at fault rather than the path.
fn is_disk_error(error: &io::Error) -> bool {
    use io::ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    matches!(error.kind(), ReadOnlyFilesystem | StorageFull | QuotaExceeded)
}

/// A token that somebody chose, if it is long enough and fits into a header.
pub fn check_token(text: &str) -> Result<String, String> {
    let fits = text.len() >= TOKEN_MIN_CHARS && text.bytes().all(|byte| byte.is_ascii_graphic());
    fits.then(|| text.to_owned()).ok_or_else(|| {
        format!("a token needs at least {TOKEN_MIN_CHARS} characters, all of them ASCII and none a space")
    })
}

/// A token that nobody can guess, from the system's randomness.
pub fn new_token() -> anyhow::Result<String> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| anyhow::anyhow!("the system provides no random bytes: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn make_token(path: &Path) -> anyhow::Result<Option<AdminToken>> {
    let text = new_token()?;
    let Err(error) = write_token(path, &text) else {
        return Ok(Some(AdminToken { text, place: TokenPlace::File(path.into()) }));
    };
    tracing::error!(target: "host", %error, "cannot save a new admin token; there is no administration over HTTP");
    // Half a token would be read as a whole one.
    let _ = fs::remove_file(path);
    Ok(None)
}

fn write_token(path: &Path, token: &str) -> io::Result<()> {
    // An empty file may have any mode: the new one gets ours.
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
    fn a_token_is_made_once_and_only_its_owner_can_read_it() {
        let (_temporary, folder) = folder();
        let token = folder.token().expect("it can be made").expect("a token");
        assert_eq!((token.text.len(), &token.place), (2 * TOKEN_BYTES, &TokenPlace::File(folder.0.join(TOKEN_FILE))));
        assert!(!format!("{token:?}").contains(&token.text), "not even for debugging");
        assert_eq!(folder.token().expect("it can be read"), Some(token));
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
        let own = AdminToken { text: "sixteen-letters-".into(), place: TokenPlace::File(file.clone()) };
        assert_eq!(folder.token().expect("long enough"), Some(own));
        fs::write(&file, "\n").expect("a file");
        let new = folder.token().expect("it can be made").expect("a new one").text;
        assert_eq!(fs::read_to_string(&file).expect("a file").trim(), new);
    }

    // Not even root can make a file there.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_directory_that_cannot_be_written_gives_no_token_and_saves_nothing() {
        let folder = DataDir::open(Path::new("/proc/self")).expect("it is a directory");
        assert_eq!(folder.token().expect("that is not an error"), None);
        assert_eq!(folder.bans().expect("none"), []);
        assert!(folder.save_bans(&[]).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn only_one_node_at_a_time_uses_a_directory() {
        let (_temporary, folder) = folder();
        let lock = folder.lock().expect("it is free");
        let said = folder.lock().expect_err("it is taken").to_string();
        assert!(said.contains("another node uses the data directory") && said.contains("--data DIR"), "{said}");
        drop(lock);
        folder.lock().expect("it is free again");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_directory_that_cannot_be_locked_can_be_used() {
        DataDir::open(Path::new("/proc/self")).expect("it is a directory").lock().expect("there is nothing to lock");
    }

    #[test]
    fn bans_are_saved_and_a_wrong_line_is_named() {
        let (_temporary, folder) = folder();
        assert_eq!(folder.bans().expect("none yet"), []);
        let ranges: Vec<Range> =
            ["192.0.2.0/24", "2001:db8::1"].iter().map(|text| text.parse().expect("one")).collect();
        folder.save_bans(&ranges).expect("they are saved");
        assert_eq!(folder.bans().expect("the same"), ranges);
        fs::write(folder.path().join(BANS_FILE), "# mine\n\n192.0.2.0/99\n").expect("a file");
        let said = folder.bans().expect_err("a wrong line").to_string();
        assert!(said.contains("bans.txt:3:") && said.contains("192.0.2.0/99"), "{said}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_disk_is_at_fault_if_it_is_full_or_read_only_and_the_path_otherwise() {
        let is_disk_error = |errno| is_disk_error(&io::Error::from_raw_os_error(errno));
        assert!([libc::EROFS, libc::ENOSPC, libc::EDQUOT].into_iter().all(is_disk_error));
        assert!(![libc::ENOENT, libc::ENOTDIR, libc::EEXIST, libc::EACCES].into_iter().any(is_disk_error));
    }

    #[test]
    fn a_path_that_cannot_be_a_directory_is_refused() {
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
