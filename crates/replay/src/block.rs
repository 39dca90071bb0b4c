//! Blocks: half a minute of a game each, packed, and chained by their hashes. [`RecordingWriter`] makes a file of them.

use xxhash_rust::xxh3::xxh3_64;

use crate::{
    Header, ReplayError,
    header::{deflate, inflate},
    replay_file::Walk,
};

/// Ticks after which a recorder closes a block: the most that a seek has to simulate.
pub(crate) const BLOCK_TICKS: u16 = 30 * 60;
/// Bytes after which it does so too.
pub(crate) const BLOCK_BYTES: usize = 128 << 10;
/// A reader refuses blocks beyond these.
pub(crate) const BLOCK_TICKS_MAX: u16 = 60 * 60;
pub(crate) const BODY_BYTES_MAX: u64 = 512 << 10;

/// Bytes of a block before its packed body: marks, ticks, length.
pub(crate) const HEAD_BYTES: usize = 7;
/// Bytes of its hash, behind the body.
pub(crate) const HASH_BYTES: usize = 8;

const TAG: u8 = 0xb0;
const IS_LAST: u8 = 1;
const IS_CUT: u8 = 2;

/// A part of a game: a save of its world, and all that happened from there on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Ticks that go by in it.
    pub ticks: u16,
    /// Whether time is missing before it, because the node was restarted.
    pub is_cut: bool,
    /// Whether the recording ends with it.
    pub is_last: bool,
    /// The length of the save, the save, and what happened.
    pub body: Vec<u8>,
}

/// Makes a file: first [`RecordingWriter::begin`], then each [`RecordingWriter::block`], appended as they come.
#[derive(Clone, Copy, Debug)]
pub struct RecordingWriter {
    chain: u64,
}

/// A file that is gone on with.
#[derive(Clone, Debug)]
pub struct Resumed {
    pub writer: RecordingWriter,
    /// How many bytes of the file are to be kept.
    pub kept: usize,
    /// What is to be appended to them.
    pub tail: Vec<u8>,
}

impl RecordingWriter {
    /// A writer, and the first bytes of its file.
    pub fn begin(header: &Header) -> (RecordingWriter, Vec<u8>) {
        let (bytes, chain) = header.write();
        (RecordingWriter { chain }, bytes)
    }

    /// Goes on with a file. A write may have been interrupted in the middle of a block, which is then left out; and if the file
    /// has an end, its last block no longer is one.
    pub fn resume(file: &[u8]) -> Result<Resumed, ReplayError> {
        let (_, mut kept, mut chain) = Header::read(file)?;
        let mut walk = Walk::new(file, kept, chain);
        while let Some(Ok(place)) = walk.next() {
            if place.is_last {
                let mut tail = file[kept..place.packed.end].to_vec();
                tail[0] &= !IS_LAST;
                chain = link(chain, &tail);
                tail.extend(chain.to_le_bytes());
                return Ok(Resumed { writer: RecordingWriter { chain }, kept, tail });
            }
            (kept, chain) = (place.end(), place.chain);
        }
        Ok(Resumed { writer: RecordingWriter { chain }, kept, tail: Vec::new() })
    }

    /// The bytes of the next block.
    pub fn block(&mut self, block: &Block) -> Vec<u8> {
        let body = deflate(&block.body);
        let marks = TAG | if block.is_last { IS_LAST } else { 0 } | if block.is_cut { IS_CUT } else { 0 };
        let mut bytes = vec![marks];
        bytes.extend(block.ticks.to_le_bytes());
        bytes.extend((body.len() as u32).to_le_bytes());
        bytes.extend(body);
        self.chain = link(self.chain, &bytes);
        bytes.extend(self.chain.to_le_bytes());
        bytes
    }
}

/// What stands before the body of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockHead {
    pub ticks: u16,
    pub is_cut: bool,
    pub is_last: bool,
    /// Bytes of the packed body.
    pub length: usize,
}

impl BlockHead {
    pub fn read(bytes: [u8; HEAD_BYTES]) -> Option<BlockHead> {
        let [marks, t0, t1, l0, l1, l2, l3] = bytes;
        let (ticks, length) = (u16::from_le_bytes([t0, t1]), u32::from_le_bytes([l0, l1, l2, l3]));
        let is_known = marks & !(IS_LAST | IS_CUT) == TAG && ticks <= BLOCK_TICKS_MAX;
        let (is_last, is_cut) = (marks & IS_LAST != 0, marks & IS_CUT != 0);
        is_known.then_some(BlockHead { ticks, is_cut, is_last, length: length as usize })
    }
}

/// The next link of the chain: each block vouches for all before it.
pub(crate) fn link(chain: u64, bytes: &[u8]) -> u64 {
    xxh3_64(&[&chain.to_le_bytes(), bytes].concat())
}

/// Unpacks a body into a save and what happened after it.
pub(crate) fn unpack(packed: &[u8]) -> Option<(Vec<u8>, usize)> {
    let body = inflate(packed, BODY_BYTES_MAX)?;
    let (length, rest) = body.split_first_chunk()?;
    let (save, _) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let save_ends = 4 + save.len();
    Some((body, save_ends))
}
