//! The files that saves are kept in: two, written by turns, so that one is whole whenever the process may be killed.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `VOLLEYSV` |
//! | 1 | the version of this layout |
//! | 8 | sequence: the file with the higher one is newer |
//! | 8 | when it was written, in microseconds since 1970 |
//! | 8 | hash of all that |
//! | 4, 8, n | for each lobby: n, the hash of its bytes, its bytes |
//! | 4, 8 | the end: 2^32−1, and the hash of how many lobbies there are |
//!
//! Integers are little-endian; the hashes are XXH3, with the sequence as the seed, so that what is left of an older write is never
//! taken for a part of a newer one.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use protocol::Time;
use xxhash_rust::xxh3::xxh3_64_with_seed;

const MAGIC: &[u8; 8] = b"VOLLEYSV";
const VERSION: u8 = 1;
const HEADER_BYTES: usize = 8 + 1 + 8 + 8;
const END: u32 = u32::MAX;
/// No file is read further: ten times what a thousand lobbies take.
const FILE_MAX_BYTES: u64 = 64 << 20;

/// The two files of a data directory.
#[derive(Clone, Debug)]
pub(super) struct SaveFiles([PathBuf; 2]);

/// What was in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Contents {
    sequence: u64,
    pub written: Time,
    /// Whether it was written to its end.
    is_whole: bool,
    pub lobbies: Vec<Vec<u8>>,
    /// Lobbies whose bytes are not as they were written.
    pub damaged: usize,
}

impl Contents {
    /// That of the file which follows this one.
    pub fn next_sequence(&self) -> u64 {
        self.sequence.wrapping_add(1)
    }
}

impl SaveFiles {
    pub fn in_directory(directory: &Path) -> SaveFiles {
        SaveFiles(["lobbies-0.saved", "lobbies-1.saved"].map(|name| directory.join(name)))
    }

    /// What was saved last. An error names a file that is there and cannot be read as one of ours.
    pub fn read(&self) -> (Option<Contents>, Vec<(PathBuf, io::Error)>) {
        let mut errors = Vec::new();
        let mut contents = Vec::new();
        for path in &self.0 {
            match read(path) {
                Ok(read) => contents.extend(read),
                Err(error) => errors.push((path.clone(), error)),
            }
        }
        // One that was not written to its end is used only if there is no other.
        contents.sort_by_key(|contents: &Contents| (contents.is_whole, contents.sequence));
        (contents.pop(), errors)
    }

    /// Writes the next file. The other one stays as it is.
    pub fn write(&self, sequence: u64, now: Time, lobbies: &[impl AsRef<[u8]>], syncs: bool) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        // Tokens are in it.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&self.0[(sequence % 2) as usize])?;
        let bytes = encode(sequence, now, lobbies);
        file.write_all(&bytes)?;
        file.set_len(bytes.len() as u64)?;
        if syncs { file.sync_all() } else { Ok(()) }
    }

    /// Removes both files. An error: one is still there.
    pub fn remove(&self) -> io::Result<()> {
        self.0.iter().map(|path| fs::remove_file(path).or_else(ignore_missing)).fold(Ok(()), Result::and)
    }
}

fn ignore_missing(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

fn read(path: &Path) -> io::Result<Option<Contents>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) => return ignore_missing(error).map(|()| None),
    };
    let mut bytes = Vec::new();
    file.take(FILE_MAX_BYTES).read_to_end(&mut bytes)?;
    decode(&bytes).map(Some).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "it is damaged, or not ours"))
}

fn encode(sequence: u64, now: Time, lobbies: &[impl AsRef<[u8]>]) -> Vec<u8> {
    let size: usize = lobbies.iter().map(|lobby| lobby.as_ref().len() + 12).sum();
    let mut bytes = Vec::with_capacity(HEADER_BYTES + 8 + size + 12);
    bytes.extend(MAGIC);
    bytes.push(VERSION);
    bytes.extend(sequence.to_le_bytes());
    bytes.extend(now.micros().to_le_bytes());
    bytes.extend(xxh3_64_with_seed(&bytes, sequence).to_le_bytes());
    let mut count = 0_u32;
    for lobby in lobbies {
        let lobby = lobby.as_ref();
        let Some(length) = u32::try_from(lobby.len()).ok().filter(|length| *length != END) else { continue };
        bytes.extend(length.to_le_bytes());
        bytes.extend(xxh3_64_with_seed(lobby, sequence).to_le_bytes());
        bytes.extend(lobby);
        count += 1;
    }
    bytes.extend(END.to_le_bytes());
    bytes.extend(xxh3_64_with_seed(&count.to_le_bytes(), sequence).to_le_bytes());
    bytes
}

/// What is in a file, as far as it is there and whole. None: it is not one of ours.
pub(super) fn decode(bytes: &[u8]) -> Option<Contents> {
    let (header, rest) = bytes.split_at_checked(HEADER_BYTES)?;
    let (check, mut rest) = rest.split_first_chunk()?;
    let sequence = u64::from_le_bytes(header[9..17].try_into().ok()?);
    let written = u64::from_le_bytes(header[17..25].try_into().ok()?);
    let is_ours = header.starts_with(MAGIC) && header[8] == VERSION;
    if !is_ours || u64::from_le_bytes(*check) != xxh3_64_with_seed(header, sequence) {
        return None;
    }
    let mut contents = Contents { sequence, written: Time::from_micros(written), ..Contents::default() };
    while let Some((length, check, behind)) = next_record(rest) {
        if length == END {
            let count = (contents.lobbies.len() + contents.damaged) as u32;
            contents.is_whole = check == xxh3_64_with_seed(&count.to_le_bytes(), sequence);
            break;
        }
        let Some((lobby, behind)) = behind.split_at_checked(length as usize) else { break };
        match check == xxh3_64_with_seed(lobby, sequence) {
            true => contents.lobbies.push(lobby.into()),
            false => contents.damaged += 1,
        }
        rest = behind;
    }
    Some(contents)
}

/// A length, the hash behind it, and what is behind both.
fn next_record(bytes: &[u8]) -> Option<(u32, u64, &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (check, rest) = rest.split_first_chunk()?;
    Some((u32::from_le_bytes(*length), u64::from_le_bytes(*check), rest))
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    const NOW: Time = Time::from_micros(1_700_000_000_000_000);

    fn lobbies() -> Vec<Vec<u8>> {
        vec![b"first".to_vec(), Vec::new(), vec![7; 300]]
    }

    fn folder() -> (TempDir, SaveFiles) {
        let folder = TempDir::new().expect("a folder");
        let files = SaveFiles::in_directory(folder.path());
        (folder, files)
    }

    #[test]
    fn what_was_written_last_is_read_and_a_file_that_was_not_finished_is_not_used() {
        let (_folder, files) = folder();
        assert_eq!(files.read().0, None);
        for sequence in 1..6 {
            files.write(sequence, NOW, &lobbies()[..sequence as usize % 3], false).expect("it is written");
        }
        let contents = files.read().0.expect("contents");
        assert_eq!((contents.sequence, contents.lobbies), (5, lobbies()[..2].to_vec()));
        // Killed in the middle of the sixth.
        let sixth = encode(6, NOW, &lobbies());
        for length in 0..sixth.len() {
            let mut torn = fs::read(&files.0[0]).expect("the fourth");
            torn.splice(..length.min(torn.len()), sixth[..length].iter().copied());
            fs::write(&files.0[0], torn).expect("written");
            let contents = files.read().0.expect("contents");
            assert_eq!((contents.sequence, contents.lobbies.len()), (5, 2), "after {length} bytes");
        }
        files.remove().expect("they go");
        assert_eq!(files.read().0, None);
        files.remove().expect("they are gone");
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_them() {
        use std::os::unix::fs::PermissionsExt;
        let (_folder, files) = folder();
        files.write(1, NOW, &lobbies(), true).expect("it is written");
        let mode = fs::metadata(&files.0[1]).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn every_prefix_is_read_as_far_as_it_is_whole() {
        let whole = encode(3, NOW, &lobbies());
        let contents = decode(&whole).expect("ours");
        assert!(contents.is_whole && contents.lobbies == lobbies() && contents.written == NOW);
        for length in 0..whole.len() {
            if let Some(contents) = decode(&whole[..length]) {
                assert!(!contents.is_whole, "{length}");
                assert_eq!(contents.lobbies, lobbies()[..contents.lobbies.len()], "{length}");
            }
        }
    }

    #[test]
    fn a_flipped_bit_costs_at_most_what_it_is_in() {
        let whole = encode(3, NOW, &lobbies());
        for bit in 0..whole.len() * 8 {
            let mut flipped = whole.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let Some(contents) = decode(&flipped) else { continue };
            assert!(contents.lobbies.iter().all(|lobby| lobbies().contains(lobby)), "{bit}");
            assert!(!contents.is_whole || contents.lobbies.len() + contents.damaged == 3, "{bit}");
        }
    }

    #[test]
    fn a_foreign_file_is_an_error_and_costs_no_memory() {
        let (_folder, files) = folder();
        for foreign in [&b""[..], b"VOLLEYSV", b"SQLite format 3\0 and much more behind it, as is usual", &[0xff; 4000]]
        {
            fs::write(&files.0[0], foreign).expect("written");
            let (contents, errors) = files.read();
            assert_eq!((contents, errors.len()), (None, 1));
        }
        let mut huge = encode(1, NOW, &lobbies());
        let at = HEADER_BYTES + 8;
        huge[at..at + 4].copy_from_slice(&(END - 1).to_le_bytes());
        let contents = decode(&huge).expect("ours");
        assert!(!contents.is_whole && contents.lobbies.is_empty());
    }
}
