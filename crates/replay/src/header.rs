//! The beginning of a file: which game it was. Its layout is a table in `docs/replay-format.md`.

use std::{
    io::{Read, Write},
    sync::Arc,
};

use borsh::{BorshDeserialize, BorshSerialize};
use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use game::{RULES_VERSION, Rules, Stage, World, stage::BUILT_IN};
use xxhash_rust::xxh3::xxh3_64;

use crate::ReplayError;

/// The version of the format: it rises whenever a reader of the last one would not understand.
pub(crate) const FORMAT: u8 = 1;
const MAGIC: &[u8; 7] = b"VREPLAY";
/// Bytes before the rules.
const FIXED_BYTES: usize = 44;

const HAS_TALK: u8 = 1;
const HAS_STAGE: u8 = 2;

/// A larger stage is not unpacked. `game` does not read a larger one either.
const STAGE_BYTES_MAX: u64 = 1 << 20;

/// Which game it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Names the game: the same id is in the archive of the node.
    pub game: u64,
    /// When it began, in milliseconds since 1970, UTC; 0 if that is not known.
    pub began_ms: u64,
    /// What its world was made from.
    pub seed: u64,
    pub rules: Rules,
    pub stage: StageSource,
    /// Whether names and chat are in it.
    pub has_talk: bool,
}

/// The stage of a recorded game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageSource {
    pub name: String,
    /// The hash of its map.
    pub fingerprint: u64,
    /// The map itself, unless it is built in.
    pub map: Option<Vec<u8>>,
}

impl Header {
    /// The header of a game in a built-in stage.
    pub fn of(world: &World) -> Header {
        Header {
            game: 0,
            began_ms: 0,
            seed: world.seed(),
            rules: world.rules(),
            stage: StageSource::of(world.stage()),
            has_talk: false,
        }
    }

    /// Its bytes, with their hash: the first link of the chain.
    pub(crate) fn write(&self) -> (Vec<u8>, u64) {
        let mut bytes = MAGIC.to_vec();
        let map = self.stage.map.as_deref();
        let flags = if self.has_talk { HAS_TALK } else { 0 } | if map.is_some() { HAS_STAGE } else { 0 };
        bytes.push(FORMAT);
        bytes.extend(RULES_VERSION.to_le_bytes());
        bytes.extend([flags, 0]);
        for number in [self.game, self.began_ms, self.seed, self.stage.fingerprint] {
            bytes.extend(number.to_le_bytes());
        }
        self.rules.serialize(&mut bytes).expect("writing to memory does not fail");
        let name: String = self.stage.name.chars().take(usize::from(u8::MAX) / 4).collect();
        bytes.push(name.len() as u8);
        bytes.extend(name.as_bytes());
        if let Some(map) = map {
            let packed = deflate(map);
            bytes.extend((packed.len() as u32).to_le_bytes());
            bytes.extend(packed);
        }
        let hash = xxh3_64(&bytes);
        bytes.extend(hash.to_le_bytes());
        (bytes, hash)
    }

    /// Reads it from the beginning of a file. How many bytes it takes, and the first link of the chain.
    pub(crate) fn read(file: &[u8]) -> Result<(Header, usize, u64), ReplayError> {
        check_versions(file)?;
        let cut_short = ReplayError::CutShort { byte: 0 };
        let (header, rest) = read_fields(file).ok_or(cut_short.clone())?;
        let length = file.len() - rest.len();
        let (hash, _) = rest.split_first_chunk().ok_or(cut_short)?;
        let hash = u64::from_le_bytes(*hash);
        if hash != xxh3_64(&file[..length]) {
            return Err(ReplayError::Damaged { from: 0, to: length + 8, tick: 0 });
        }
        Ok((header, length + 8, hash))
    }
}

/// Another version may mean something else by the rest.
fn check_versions(file: &[u8]) -> Result<(), ReplayError> {
    let rest = file.strip_prefix(MAGIC).ok_or(ReplayError::NotAReplay)?;
    let (&format, rest) = rest.split_first().ok_or(ReplayError::CutShort { byte: 0 })?;
    if format != FORMAT {
        return Err(ReplayError::OtherFormat(format));
    }
    let (rules, _) = rest.split_first_chunk().ok_or(ReplayError::CutShort { byte: 0 })?;
    match u16::from_le_bytes(*rules) {
        RULES_VERSION => Ok(()),
        other => Err(ReplayError::OtherRules(other)),
    }
}

/// All fields, and what is behind them. None: they are not all there, or say something that nothing means.
fn read_fields(file: &[u8]) -> Option<(Header, &[u8])> {
    let (fixed, mut rest) = file.split_at_checked(FIXED_BYTES)?;
    let flags = fixed[10];
    let mut numbers = fixed[12..].chunks_exact(8).map(|number| number.try_into().map(u64::from_le_bytes));
    let mut number = || numbers.next()?.ok();
    let (game, began_ms, seed, fingerprint) = (number()?, number()?, number()?, number()?);
    let rules = Rules::deserialize(&mut rest).ok()?;
    let (&length, rest) = rest.split_first()?;
    let (name, mut rest) = rest.split_at_checked(length.into())?;
    let name = String::from_utf8(name.to_vec()).ok()?;
    let mut map = None;
    if flags & HAS_STAGE != 0 {
        let (length, after) = rest.split_first_chunk()?;
        let (packed, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        map = Some(inflate(packed, STAGE_BYTES_MAX)?);
        rest = after;
    }
    let stage = StageSource { name, fingerprint, map };
    Some((Header { game, began_ms, seed, rules, stage, has_talk: flags & HAS_TALK != 0 }, rest))
}

impl StageSource {
    /// A stage that is built in.
    pub fn of(stage: &Stage) -> StageSource {
        StageSource { name: stage.name.clone(), fingerprint: stage.fingerprint, map: None }
    }

    /// A stage with its map, which is kept unless it is built in.
    pub fn with_map(stage: &Stage, map: &[u8]) -> StageSource {
        let kept = built_in(&stage.name, stage.fingerprint).is_none() && xxh3_64(map) == stage.fingerprint;
        StageSource { map: kept.then(|| map.to_vec()), ..StageSource::of(stage) }
    }

    /// The stage itself.
    pub(crate) fn stage(&self) -> Result<Arc<Stage>, ReplayError> {
        if let Some(stage) = built_in(&self.name, self.fingerprint) {
            return Ok(stage);
        }
        let unknown = || ReplayError::UnknownStage(self.name.clone());
        let map = self.map.as_deref().ok_or_else(unknown)?;
        let stage = Stage::read(&self.name, map).map_err(|error| ReplayError::BadStage(error.to_string()))?;
        if stage.fingerprint == self.fingerprint { Ok(Arc::new(stage)) } else { Err(unknown()) }
    }
}

fn built_in(name: &str, fingerprint: u64) -> Option<Arc<Stage>> {
    // Reading a map takes longer than hashing it.
    let (_, map) = BUILT_IN.iter().find(|(known, _)| *known == name)?;
    Stage::built_in(name).filter(|_| xxh3_64(map.as_bytes()) == fingerprint)
}

/// Packs bytes.
pub(crate) fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("writing to memory does not fail")
}

/// Unpacks bytes. None: they are damaged, or there are more than allowed.
pub(crate) fn inflate(packed: &[u8], most: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    DeflateDecoder::new(packed).take(most + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= most).then_some(bytes)
}
