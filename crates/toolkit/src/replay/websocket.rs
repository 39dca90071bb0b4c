//! A link over WebSocket, as it is written into captures: the greeting of both sides, and a binary message for each datagram and each
//! piece of the stream. Keys are zeros: nobody has to be kept from guessing them.

use protocol::Channel;
use tungstenite::protocol::frame::{FrameHeader, coding::Data, coding::OpCode};

/// What the client asks for, and what the node answers to that key (RFC 6455, 1.3).
pub const REQUEST: &[u8] =
    b"GET /volley HTTP/1.1\r\nHost: 192.0.2.2:4240\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
    Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
pub const ANSWER: &[u8] = b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
    Sec-WebSocket-Accept: ICX+Yqv66kxgM0FcWaLWlFLwTAI=\r\n\r\n";

/// One message, whose first byte is the channel. What a client sends is masked.
pub fn frame(is_client: bool, channel: Channel, bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
    let opcode = OpCode::Data(Data::Binary);
    let header = FrameHeader { opcode, mask: is_client.then_some([0; 4]), ..FrameHeader::default() };
    let mut frame = Vec::with_capacity(bytes.len() + 16);
    header.format(bytes.len() as u64 + 1, &mut frame)?;
    frame.push(u8::from(channel == Channel::Stream));
    frame.extend_from_slice(bytes);
    Ok(frame)
}
