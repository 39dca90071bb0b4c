//! A link over WebSocket, as a TCP connection shows it: the greeting of HTTP, then frames whose messages begin with the channel.

use std::io::Cursor;

use protocol::Channel;
use tungstenite::protocol::frame::{FrameHeader, coding::Data, coding::OpCode};

/// The longest head of HTTP, and the longest message, that is read.
const HEAD_MAX_BYTES: usize = 64 << 10;
const MESSAGE_MAX_BYTES: usize = 1 << 20;

/// One direction of a connection.
#[derive(Debug, Default)]
pub struct WebSocketReader {
    state: State,
    bytes: Vec<u8>,
    /// The beginning of a message whose end is still to come.
    message: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Greeting,
    Frames,
    /// Another protocol: nothing is read any more.
    Foreign,
}

impl WebSocketReader {
    /// Whether it is HTTP that becomes a WebSocket, or may still become one.
    pub fn is_foreign(&self) -> bool {
        self.state == State::Foreign
    }

    /// Takes the next bytes of the stream, and hands on what each message carries.
    pub fn take(&mut self, bytes: &[u8], mut hand_on: impl FnMut(Channel, &[u8])) {
        if self.state == State::Foreign {
            return;
        }
        self.bytes.extend_from_slice(bytes);
        if self.state == State::Greeting {
            self.greet();
        }
        while self.state == State::Frames {
            match self.next_frame() {
                Ok(Some(message)) => hand_on_message(&message, &mut hand_on),
                Ok(None) => break,
                Err(()) => self.leave(),
            }
        }
    }

    fn leave(&mut self) {
        *self = WebSocketReader { state: State::Foreign, ..WebSocketReader::default() };
    }

    /// Both ends begin with lines of HTTP, of which one says what is to come.
    fn greet(&mut self) {
        let end = self.bytes.windows(4).position(|window| window == b"\r\n\r\n");
        match end {
            Some(end) => {
                let head = String::from_utf8_lossy(&self.bytes[..end]).to_ascii_lowercase();
                let is_upgrade = head.contains("upgrade: websocket") && head.contains("http/1.1");
                self.bytes.drain(..end + 4);
                if is_upgrade { self.state = State::Frames } else { self.leave() }
            }
            None if self.bytes.len() > HEAD_MAX_BYTES => self.leave(),
            None => {}
        }
    }

    /// The next whole message; an empty one for frames that are not messages.
    fn next_frame(&mut self) -> Result<Option<Vec<u8>>, ()> {
        let mut cursor = Cursor::new(&self.bytes[..]);
        let Some((header, length)) = FrameHeader::parse(&mut cursor).map_err(drop)? else { return Ok(None) };
        let start = usize::try_from(cursor.position()).map_err(drop)?;
        let length = usize::try_from(length).map_err(drop)?;
        if length > MESSAGE_MAX_BYTES || self.message.len() > MESSAGE_MAX_BYTES {
            return Err(());
        }
        let Some(payload) = self.bytes.get(start..start + length) else { return Ok(None) };
        let mask = header.mask.unwrap_or_default();
        let plain = payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask);
        let is_data = matches!(header.opcode, OpCode::Data(Data::Binary | Data::Continue));
        if is_data {
            self.message.extend(plain);
        }
        self.bytes.drain(..start + length);
        Ok(Some(if is_data && header.is_final { std::mem::take(&mut self.message) } else { Vec::new() }))
    }
}

fn hand_on_message(message: &[u8], hand_on: &mut impl FnMut(Channel, &[u8])) {
    match message {
        [0, datagram @ ..] => hand_on(Channel::Datagram, datagram),
        [1, stream @ ..] => hand_on(Channel::Stream, stream),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GREETING: &[u8] = b"GET /volley HTTP/1.1\r\nUpgrade: websocket\r\n\r\n";

    fn read(bytes: &[u8]) -> Vec<(Channel, Vec<u8>)> {
        let mut reader = WebSocketReader::default();
        let mut read = Vec::new();
        // However it is cut.
        for piece in bytes.chunks(3) {
            reader.take(piece, |channel, bytes| read.push((channel, bytes.to_vec())));
        }
        read
    }

    #[test]
    fn messages_are_unmasked_joined_and_told_apart() {
        // Masked with 1, 2, 3, 4: a datagram of 5 and 6; then a stream's bytes in two frames with a ping between them.
        let masked = [0x82, 0x83, 1, 2, 3, 4, 1, 5 ^ 2, 6 ^ 3];
        let frames = [0x02, 2, 1, 7, 0x89, 1, 0xff, 0x80, 1, 8];
        let all = [GREETING, &masked, &frames].concat();
        assert_eq!(read(&all), [(Channel::Datagram, vec![5, 6]), (Channel::Stream, vec![7, 8])]);
    }

    #[test]
    fn plain_http_and_noise_are_foreign() {
        assert!(read(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n\x82\x02\x00\x01").is_empty());
        let mut reader = WebSocketReader::default();
        reader.take(&vec![b'a'; HEAD_MAX_BYTES + 1], |_, _| ());
        assert!(reader.is_foreign());
        let mut reader = WebSocketReader::default();
        reader.take(GREETING, |_, _| ());
        reader.take(&[0x82, 127, 0xff, 0, 0, 0, 0, 0, 0, 0], |_, _| ());
        assert!(reader.is_foreign(), "a message of more bytes than there are");
    }
}
