//! Which of a shard's sockets are ready, so that idle ones cost nothing.

use mio::Token;
use protocol::Dialect;

use crate::core::StreamId;

/// Something that can become ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadySource {
    Waker,
    Door(Dialect),
    /// A lobby's port.
    Lobby(u16),
    /// The number of a listener.
    Listener(usize),
    Stream(StreamId),
}

/// The low bits of a token hold the kind of source, the others its number.
const KIND_BITS: u32 = 3;

impl ReadySource {
    pub fn token(self) -> Token {
        let (kind, which) = match self {
            ReadySource::Waker => (0, 0),
            ReadySource::Door(dialect) => (1, dialect as usize),
            ReadySource::Lobby(port) => (2, port.into()),
            ReadySource::Listener(number) => (3, number),
            ReadySource::Stream(StreamId(number)) => (4, number as usize),
        };
        Token(which << KIND_BITS | kind)
    }

    pub fn of(Token(token): Token) -> Option<ReadySource> {
        let which = token >> KIND_BITS;
        match token & ((1 << KIND_BITS) - 1) {
            0 => Some(ReadySource::Waker),
            1 => Dialect::ALL.get(which).copied().map(ReadySource::Door),
            2 => u16::try_from(which).ok().map(ReadySource::Lobby),
            3 => Some(ReadySource::Listener(which)),
            4 => Some(ReadySource::Stream(StreamId(which as u64))),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_names_its_source() {
        let streams = [0, 1, 1 << 40].map(|number| ReadySource::Stream(StreamId(number)));
        let doors = Dialect::ALL.map(ReadySource::Door);
        let others = [ReadySource::Waker, ReadySource::Lobby(0), ReadySource::Lobby(65_535), ReadySource::Listener(7)];
        for source in streams.into_iter().chain(doors).chain(others) {
            assert_eq!(ReadySource::of(source.token()), Some(source));
        }
    }
}
