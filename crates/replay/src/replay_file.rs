//! A file that was read: its header and where its blocks are. Nothing is unpacked before it is played.

use std::{ops::Range, sync::Arc};

use game::Stage;

use crate::{
    Header, ReplayError,
    block::{BlockHead, HASH_BYTES, HEAD_BYTES, link},
};

/// A recorded game. Clones share it.
#[derive(Clone, Debug)]
pub struct Replay(Arc<File>);

#[derive(Debug)]
struct File {
    bytes: Vec<u8>,
    header: Header,
    stage: Arc<Stage>,
    blocks: Vec<BlockSpan>,
    ticks: u32,
    is_finished: bool,
}

/// Where a block is.
#[derive(Clone, Debug)]
pub(crate) struct BlockSpan {
    /// Its packed body in the file.
    pub packed: Range<usize>,
    /// Ticks of the game before it.
    pub first_tick: u32,
    pub ticks: u16,
    pub is_cut: bool,
    pub is_last: bool,
    /// The link of the chain at its end.
    pub chain: u64,
}

impl Replay {
    /// Reads a file and checks every byte of it against the chain of hashes. It takes time and memory in proportion to the length.
    pub fn read(bytes: Vec<u8>) -> Result<Replay, ReplayError> {
        let (header, at, chain) = Header::read(&bytes)?;
        let stage = header.stage.stage()?;
        let blocks = Walk::new(&bytes, at, chain).collect::<Result<Vec<BlockSpan>, ReplayError>>()?;
        let last = blocks.last().ok_or(ReplayError::CutShort { byte: at })?;
        let (ticks, is_finished) = (last.end_tick(), last.is_last);
        Ok(Replay(Arc::new(File { header, stage, ticks, is_finished, blocks, bytes })))
    }

    pub fn header(&self) -> &Header {
        &self.0.header
    }

    pub fn stage(&self) -> &Arc<Stage> {
        &self.0.stage
    }

    /// How long the game was, 60 a second.
    pub fn ticks(&self) -> u32 {
        self.0.ticks
    }

    /// Whether the recording came to its end. If not, the node ended in the middle of the game, or the game still goes on.
    pub fn is_finished(&self) -> bool {
        self.0.is_finished
    }

    /// Whether time is missing somewhere, because the node was restarted.
    pub fn has_gaps(&self) -> bool {
        self.0.blocks.iter().any(|place| place.is_cut)
    }

    /// The file.
    pub fn bytes(&self) -> &[u8] {
        &self.0.bytes
    }

    pub(crate) fn place(&self, block: usize) -> Option<&BlockSpan> {
        self.0.blocks.get(block)
    }

    pub(crate) fn packed(&self, place: &BlockSpan) -> &[u8] {
        &self.0.bytes[place.packed.clone()]
    }

    /// The last block that begins no later than a tick.
    pub(crate) fn block_at(&self, tick: u32) -> usize {
        self.0.blocks.partition_point(|place| place.first_tick <= tick).saturating_sub(1)
    }
}

impl BlockSpan {
    pub fn end(&self) -> usize {
        self.packed.end + HASH_BYTES
    }

    pub fn end_tick(&self) -> u32 {
        self.first_tick + u32::from(self.ticks)
    }
}

/// Goes from block to block, and checks the chain.
pub(crate) struct Walk<'f> {
    file: &'f [u8],
    at: usize,
    chain: u64,
    tick: u32,
    has_ended: bool,
}

impl<'f> Walk<'f> {
    /// From the first block on, which begins at that byte.
    pub fn new(file: &'f [u8], at: usize, chain: u64) -> Walk<'f> {
        Walk { file, at, chain, tick: 0, has_ended: false }
    }

    fn place(&mut self) -> Result<BlockSpan, ReplayError> {
        let (start, tick) = (self.at, self.tick);
        let cut_short = ReplayError::CutShort { byte: start };
        let damaged = |to: usize| ReplayError::Damaged { from: start, to, tick };
        let (&head, rest) = self.file[start..].split_first_chunk::<HEAD_BYTES>().ok_or(cut_short.clone())?;
        let head = BlockHead::read(head).ok_or(damaged(start + HEAD_BYTES))?;
        // A length that was changed looks as if the rest were missing.
        let (_, rest) = rest.split_at_checked(head.length).ok_or(cut_short.clone())?;
        let (&hash, _) = rest.split_first_chunk::<HASH_BYTES>().ok_or(cut_short)?;
        let body = start + HEAD_BYTES;
        let packed = body..body + head.length;
        let chain = link(self.chain, &self.file[start..packed.end]);
        if chain != u64::from_le_bytes(hash) {
            return Err(damaged(packed.end + HASH_BYTES));
        }
        let BlockHead { ticks, is_cut, is_last, .. } = head;
        let place = BlockSpan { packed, first_tick: tick, ticks, is_cut, is_last, chain };
        tick.checked_add(ticks.into()).ok_or(ReplayError::Impossible { from_tick: tick, to_tick: tick })?;
        (self.at, self.chain, self.tick) = (place.end(), chain, place.end_tick());
        Ok(place)
    }
}

impl Iterator for Walk<'_> {
    type Item = Result<BlockSpan, ReplayError>;

    fn next(&mut self) -> Option<Result<BlockSpan, ReplayError>> {
        if self.at >= self.file.len() {
            return None;
        }
        if self.has_ended {
            let byte = std::mem::replace(&mut self.at, self.file.len());
            return Some(Err(ReplayError::TrailingBytes { byte }));
        }
        let place = self.place();
        match &place {
            Ok(place) => self.has_ended = place.is_last,
            Err(_) => self.at = self.file.len(),
        }
        Some(place)
    }
}
