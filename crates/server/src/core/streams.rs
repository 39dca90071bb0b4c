//! Streams: they open sessions or ask for lobbies. The shard that accepted a stream may not be the one that its session
//! lives on; then what is said over it travels in parcels.

use std::net::SocketAddr;

use protocol::{Channel, Dialect, End, StreamUse, Time};

use super::{
    Core, Drop, Endpoint, Outbox, Route, SessionKey, ShardId, StreamId,
    directory::Seating,
    parcels::{Content, Newcomer, Parcel},
};

/// A stream, and the shard that accepted it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub stream: StreamId,
    pub home: ShardId,
}

/// Where what comes over a stream belongs.
#[derive(Clone, Copy)]
pub(super) enum StreamEnd {
    /// To a session of this shard.
    Here(SessionKey),
    /// To a session of another one.
    Shard(ShardId),
}

impl Core {
    /// A stream was opened at a dialect's door.
    pub fn stream_opened(
        &mut self,
        now: Time,
        stream: StreamId,
        dialect: Dialect,
        from: SocketAddr,
        out: &mut dyn Outbox,
    ) {
        if self.bans.contain(from.ip()) {
            self.counters.drop(dialect, Drop::Banned);
            return out.close(stream);
        }
        match dialect.entry().stream {
            // A link is not one of bare TCP.
            StreamUse::None | StreamUse::Link(_) => out.close(stream),
            StreamUse::Desk(open) => self.open_desk(stream, dialect, from, open(now)),
            StreamUse::OpensSession => self.stream_knocks(now, stream, Endpoint::Door(dialect), from, out),
        }
    }

    /// Bytes arrived over a stream.
    pub fn stream_bytes(&mut self, now: Time, stream: StreamId, bytes: &[u8], out: &mut dyn Outbox) {
        match self.streams.get(&stream) {
            Some(&StreamEnd::Here(key)) => self.receive(now, key, Channel::Stream, bytes, out),
            Some(&StreamEnd::Shard(shard)) => {
                out.hand_over(shard, Parcel(Content::StreamBytes { stream, bytes: bytes.into() }));
            }
            None => self.desk_bytes(now, stream, bytes, out),
        }
    }

    /// The other end of a stream says no more, though it may still listen. False: then nor do we.
    pub fn stream_ended(&mut self, stream: StreamId) -> bool {
        self.streams.contains_key(&stream) || self.knocking.contains(&stream)
    }

    /// A stream was closed.
    pub fn stream_closed(&mut self, stream: StreamId, out: &mut dyn Outbox) {
        self.desks.remove(&stream);
        match self.streams.remove(&stream) {
            Some(StreamEnd::Here(key)) => {
                if let Some(session) = self.sessions.get_mut(key.0) {
                    session.stream = None;
                }
            }
            Some(StreamEnd::Shard(shard)) => {
                out.hand_over(shard, Parcel(Content::StreamClosed { stream }));
            }
            None => _ = self.knocking.remove(&stream),
        }
    }

    fn stream_knocks(&mut self, now: Time, stream: StreamId, at: Endpoint, from: SocketAddr, out: &mut dyn Outbox) {
        let (seating, has_moved) = {
            let mut directory = self.directory.lock();
            if directory.recollection.is_kept_out(now, at, from) {
                self.counters.drop(at.dialect(), Drop::Banned);
                return out.close(stream);
            }
            let seating = directory.seat(now, self.shard, at, from);
            if let Seating::New(_) = seating {
                directory.recollection.await_claim(now, at, from);
            }
            (seating, directory.has_moved(at, from))
        };
        match seating {
            Seating::New(place) => {
                let line = Line { stream, home: self.shard };
                let name = String::new();
                let newcomer = Newcomer { at, from, place, name, knock: None, stream: Some(line), via: self.shard };
                if place.shard != self.shard {
                    self.streams.insert(stream, StreamEnd::Shard(place.shard));
                }
                self.send_newcomer(now, newcomer, out);
            }
            Seating::Known(shard) if !has_moved => self.end_earlier(now, shard, stream, at, from, out),
            // Full, or a datagram from that address claimed another's session: closed without a word.
            Seating::Full | Seating::Known(_) => self.turn_away(stream, at, out),
        }
    }

    fn turn_away(&mut self, stream: StreamId, at: Endpoint, out: &mut dyn Outbox) {
        self.counters.drop(at.dialect(), Drop::Full);
        out.close(stream);
    }

    /// Who connects from the address and port of a session has begun anew: their system would not have let them, were the
    /// connection that opened it still theirs. That session is over, and they knock again.
    fn end_earlier(
        &mut self,
        now: Time,
        shard: ShardId,
        stream: StreamId,
        at: Endpoint,
        from: SocketAddr,
        out: &mut dyn Outbox,
    ) {
        if shard != self.shard {
            self.knocking.insert(stream);
            let line = Line { stream, home: self.shard };
            out.hand_over(shard, Parcel(Content::BeginAnew { line, at, from }));
        } else if let Some(Route::Here(_)) = self.routes.get(&(at, from)) {
            self.end_session(now, at, from, End::Left, out);
            self.stream_knocks(now, stream, at, from, out);
        } else {
            // The session is still on its way here.
            self.turn_away(stream, at, out);
        }
    }

    /// The peer of a player has begun anew over a stream of another shard.
    pub(super) fn begin_anew(&mut self, now: Time, line: Line, at: Endpoint, from: SocketAddr, out: &mut dyn Outbox) {
        self.end_session(now, at, from, End::Left, out);
        out.hand_over(line.home, Parcel(Content::KnockAgain { stream: line.stream, at, from }));
    }

    /// The earlier session of who knocked over a stream is over.
    pub(super) fn knock_again(
        &mut self,
        now: Time,
        stream: StreamId,
        at: Endpoint,
        from: SocketAddr,
        out: &mut dyn Outbox,
    ) {
        // They may have hung up meanwhile.
        if self.knocking.remove(&stream) {
            self.stream_knocks(now, stream, at, from, out);
        }
    }
}

impl Line {
    /// Sends bytes down the stream, wherever it is.
    pub fn say(self, shard: ShardId, bytes: &[u8], out: &mut dyn Outbox) {
        if self.home == shard {
            out.stream(self.stream, bytes);
        } else {
            out.hand_over(self.home, Parcel(Content::Say { stream: self.stream, bytes: bytes.into() }));
        }
    }

    /// Closes the stream, wherever it is.
    pub fn hang_up(self, shard: ShardId, out: &mut dyn Outbox) {
        if self.home == shard {
            out.close(self.stream);
        } else {
            out.return_link(self.stream);
            out.hand_over(self.home, Parcel(Content::HangUp { stream: self.stream }));
        }
    }
}
