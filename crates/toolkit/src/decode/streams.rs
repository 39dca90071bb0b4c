//! The messages of a TCP connection: its segments in order, the WebSocket in it if it carries a link, and the messages of the dialect.

use protocol::{
    Channel, Dialect, StreamUse,
    field_table::{FieldTable, Sender},
};

use super::{
    tcp::{Arrived, OrderedBytes},
    websocket::WebSocketReader,
};

/// Both directions of a connection.
pub struct Streams {
    table: &'static FieldTable,
    is_link: bool,
    client: CapturedEnd,
    server: CapturedEnd,
}

#[derive(Default)]
struct CapturedEnd {
    direction: OrderedBytes,
    websocket: WebSocketReader,
    /// What has come of the next message.
    buffer: Vec<u8>,
    /// Whether the place of the next message is lost.
    is_broken: bool,
}

/// A segment of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Segment<'a> {
    pub sequence: u32,
    pub is_first: bool,
    pub bytes: &'a [u8],
}

/// What a connection brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamEvent {
    /// A whole message, or a datagram of a link.
    Said(Channel, Vec<u8>),
    /// How many bytes were never captured; nothing behind them can be found.
    Missing(u64),
    /// A size makes no sense, by that ruling: nothing behind it can be found.
    Lost(&'static str),
}

impl Streams {
    pub fn new(dialect: Dialect) -> Streams {
        let entry = dialect.entry();
        Streams {
            table: entry.fields,
            is_link: matches!(entry.stream, StreamUse::Link(_)),
            client: CapturedEnd::default(),
            server: CapturedEnd::default(),
        }
    }

    /// Whether it is another protocol: a page of HTTP at the port of links.
    pub fn is_foreign(&self) -> bool {
        self.is_link && self.client.websocket.is_foreign()
    }

    /// Takes a segment, and returns what is whole now.
    pub fn take(&mut self, sender: Sender, segment: Segment) -> Vec<StreamEvent> {
        let end = self.end(sender);
        let arrived = end.direction.take(segment.sequence, segment.is_first, segment.bytes);
        self.arrive(sender, arrived)
    }

    /// What is left when the capture ends.
    pub fn finish(&mut self, sender: Sender) -> Vec<StreamEvent> {
        let arrived = self.end(sender).direction.give_up();
        self.arrive(sender, arrived)
    }

    fn end(&mut self, sender: Sender) -> &mut CapturedEnd {
        match sender {
            Sender::Client => &mut self.client,
            Sender::Server => &mut self.server,
        }
    }

    fn arrive(&mut self, sender: Sender, arrived: Arrived) -> Vec<StreamEvent> {
        let (table, is_link) = (self.table, self.is_link);
        let end = self.end(sender);
        let mut pieces = Vec::new();
        if arrived.missing > 0 && !end.is_broken {
            end.is_broken = true;
            pieces.push(StreamEvent::Missing(arrived.missing));
        }
        if end.is_broken || arrived.bytes.is_empty() {
            return pieces;
        }
        if is_link {
            let buffer = &mut end.buffer;
            end.websocket.take(&arrived.bytes, |channel, bytes| match channel {
                Channel::Datagram => pieces.push(StreamEvent::Said(channel, bytes.to_vec())),
                Channel::Stream => buffer.extend_from_slice(bytes),
            });
        } else {
            end.buffer.extend_from_slice(&arrived.bytes);
        }
        end.cut(table, sender, &mut pieces);
        pieces
    }
}

impl CapturedEnd {
    /// Takes every whole message out.
    fn cut(&mut self, table: &FieldTable, sender: Sender, pieces: &mut Vec<StreamEvent>) {
        let mut taken = 0;
        loop {
            match table.next_message(sender, &self.buffer[taken..]) {
                Ok(Some(size)) => {
                    pieces.push(StreamEvent::Said(Channel::Stream, self.buffer[taken..taken + size].to_vec()));
                    taken += size;
                }
                Ok(None) => break,
                Err(fault) => {
                    pieces.push(StreamEvent::Lost(fault.ruling));
                    self.is_broken = true;
                    break;
                }
            }
        }
        self.buffer.drain(..taken);
    }
}
