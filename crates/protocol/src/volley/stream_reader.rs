//! The stream as it comes, cut anywhere: pieces are kept until a message is whole.

use super::wire::control::next_message;
use crate::Malformed;

/// What has come of a stream and is not a whole message yet.
#[derive(Debug)]
pub struct StreamReader {
    bytes: Vec<u8>,
    message_max_bytes: usize,
}

impl StreamReader {
    /// A reader for messages of at most this many bytes.
    pub fn new(message_max_bytes: usize) -> StreamReader {
        StreamReader { bytes: Vec::new(), message_max_bytes }
    }

    /// Takes the next piece, and hands on each message that is whole. An error means that nothing behind can be read.
    pub fn receive(&mut self, bytes: &[u8], mut take: impl FnMut(&[u8])) -> Result<(), Malformed> {
        self.bytes.extend_from_slice(bytes);
        let mut read = 0;
        let result = loop {
            match next_message(&self.bytes[read..], self.message_max_bytes) {
                Ok(Some(message)) => {
                    take(message);
                    read += 2 + message.len();
                }
                Ok(None) => break Ok(()),
                Err(malformed) => break Err(malformed),
            }
        };
        self.bytes.drain(..read);
        result
    }
}
