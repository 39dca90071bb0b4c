//! The other server of a bridge: a client session of the other server's dialect for each player, and what happens when its
//! connection is lost. It is the same code for every dialect: Inputs go in, Frames come out.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use game::{Frame, Input, SEATS, Seat, Stage, TerrainWalls, stage::Terrain};
use protocol::{Channel, ChatMessage, ClientSession, Dialect, End, Output, Plan, Scene, Status, Time};
use server::remote::{RemoteGame, RemoteJoin, RemoteNews, RemoteServer};

use super::{
    bridge_players::{BridgePlayers, Condition, PlayerRow},
    dump::{Dump, DumpDirection},
    server_connection::{ServerConnection, ServerConnector},
    translation::{Translation, seat_here},
};
use crate::transport::DATAGRAM_MAX_BYTES;

/// How long a player waits for the other server: at first, and after the connection was lost.
const FIRST_WAIT_MAX: Duration = Duration::from_secs(10);
const LOST_WAIT_MAX: Duration = Duration::from_secs(30);
/// How long it is until the next try to connect.
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// How long a goodbye is said.
const GOODBYE_MAX: Duration = Duration::from_secs(3);
/// What is read in one tick, at most.
const MESSAGES_PER_TICK_MAX: usize = 1024;
/// Things said that are passed on in one tick, at most.
const SAID_PER_TICK_MAX: usize = 16;

/// The other server, and what all players of a bridge share.
pub struct BridgedServer {
    pub(super) connector: Box<dyn ServerConnector>,
    /// The lobby for players who asked for none.
    pub(super) lobby: Option<String>,
    /// The name of players whose dialect has none.
    pub(super) name: String,
    pub(super) players: Arc<BridgePlayers>,
    pub(super) dump: Option<Arc<Dump>>,
}

impl BridgedServer {
    /// Players go to the server that this connector reaches, into that lobby if they ask for none.
    pub fn new(connector: Box<dyn ServerConnector>, lobby: Option<String>, name: &str) -> BridgedServer {
        BridgedServer { connector, lobby, name: name.into(), players: Arc::default(), dump: None }
    }
}

/// Shared, because every game goes on with it.
pub struct SharedBridgedServer(pub Arc<BridgedServer>);

impl RemoteServer for SharedBridgedServer {
    fn dialect(&self) -> Dialect {
        self.0.connector.dialect()
    }

    fn join(&self, now: Time, join: RemoteJoin) -> Box<dyn RemoteGame> {
        let number = self.0.players.add(PlayerRow::new(join.dialect, &join.name));
        Box::new(BridgedGame {
            server: Arc::clone(&self.0),
            number,
            translation: Translation::new(join.seat),
            join,
            state: State::Away { contact: Contact { since: now, has_played: false }, retry: now },
            frame: Frame::default(),
            shown: LastShown::default(),
            news: VecDeque::new(),
            input: Input::IDLE,
            wants_start: false,
            buffers: Buffers { read: vec![0; DATAGRAM_MAX_BYTES], polled: Vec::new() },
        })
    }
}

/// One player's game.
struct BridgedGame {
    server: Arc<BridgedServer>,
    number: u64,
    join: RemoteJoin,
    state: State,
    translation: Translation,
    /// The newest Frame of the other server.
    frame: Frame,
    shown: LastShown,
    news: VecDeque<RemoteNews>,
    /// What was pressed last.
    input: Input,
    /// Whether the player wants the game to start, and the server does not know.
    wants_start: bool,
    buffers: Buffers,
}

struct Buffers {
    read: Vec<u8>,
    polled: Vec<u8>,
}

enum State {
    /// There is no connection.
    Away {
        contact: Contact,
        retry: Time,
    },
    Connected {
        link: ServerLink,
        contact: Contact,
    },
    Leaving {
        link: ServerLink,
        since: Time,
    },
    Ended,
}

/// How long the other server has been waited for.
#[derive(Clone, Copy)]
struct Contact {
    /// Since when the player does not play.
    since: Time,
    /// Whether the player ever did.
    has_played: bool,
}

/// A session and what carries its bytes.
struct ServerLink {
    session: Box<dyn ClientSession>,
    connection: Box<dyn ServerConnection>,
}

/// What the lobby was told last.
#[derive(Default)]
struct LastShown {
    players: [bool; SEATS],
    names: [String; SEATS],
    terrain: Option<Terrain>,
    has_lobby: bool,
}

impl RemoteGame for BridgedGame {
    fn tick(&mut self, now: Time, input: Input, scene: &mut Scene) {
        if let Some(dump) = self.server.dump.as_ref().filter(|_| input != self.input) {
            dump.input(now, self.number, input);
        }
        self.input = input;
        match std::mem::replace(&mut self.state, State::Ended) {
            State::Away { contact, retry } => self.stay_away(now, contact, retry, scene),
            State::Connected { link, contact } => self.play(now, link, contact, scene),
            State::Leaving { link, since } => self.say_goodbye(now, link, since),
            State::Ended => {}
        }
    }

    fn start(&mut self, _now: Time) {
        self.wants_start = true;
    }

    fn say(&mut self, now: Time, text: &str) {
        if let State::Connected { link, .. } = &mut self.state {
            link.session.say(now, text);
        }
    }

    fn news(&mut self) -> Option<RemoteNews> {
        self.news.pop_front()
    }

    fn leave(&mut self, now: Time) {
        self.note(now, "the player is gone");
        self.state = match std::mem::replace(&mut self.state, State::Ended) {
            State::Connected { mut link, .. } => {
                link.session.leave(now);
                // There may be no later tick. If this fails, the next one finds it.
                let _ = self.exchange(now, &mut link, false);
                State::Leaving { link, since: now }
            }
            State::Away { .. } | State::Leaving { .. } | State::Ended => {
                self.news.push_back(RemoteNews::Ended(End::Left));
                State::Ended
            }
        };
    }
}

impl Drop for BridgedGame {
    fn drop(&mut self) {
        self.server.players.remove(self.number);
    }
}

impl BridgedGame {
    fn stay_away(&mut self, now: Time, contact: Contact, retry: Time, scene: &mut Scene) {
        self.translation.rest(&mut scene.frame);
        self.state = State::Away { contact, retry };
        let wait_max = if contact.has_played { LOST_WAIT_MAX } else { FIRST_WAIT_MAX };
        if now.since(contact.since) >= wait_max {
            return self.end(now, End::LobbyClosed);
        }
        if now < retry {
            return;
        }
        match self.connect(now) {
            Ok(link) => self.state = State::Connected { link, contact },
            Err(error) => {
                self.note(now, format_args!("cannot connect: {error:#}"));
                self.server.players.fail(self.number, format!("{error:#}"));
                self.state = State::Away { contact, retry: now + RETRY_AFTER };
            }
        }
    }

    fn connect(&mut self, now: Time) -> anyhow::Result<ServerLink> {
        let RemoteJoin { name, wish, starts_at_once, .. } = &self.join;
        let lobby = wish.lobby.map(|code| code.to_string()).or_else(|| self.server.lobby.clone());
        let plan = Plan {
            name: if name.is_empty() { self.server.name.clone() } else { name.clone() },
            lobby,
            stage: wish.stage.clone().unwrap_or_else(|| "endless".into()),
            starts_at_once: *starts_at_once,
            // The player's own client queues, if any does.
            queue: Some(Duration::ZERO),
            ..Plan::at(now)
        };
        let connector = &self.server.connector;
        Ok(ServerLink { session: connector.dialect().connect(plan), connection: connector.open()? })
    }

    fn play(&mut self, now: Time, mut link: ServerLink, contact: Contact, scene: &mut Scene) {
        let Contact { since, has_played } = contact;
        let result = self.exchange(now, &mut link, true);
        let has_news = link.session.take_frame(&mut self.frame);
        if has_news {
            self.show(now, &link, scene);
        } else {
            self.translation.rest(&mut scene.frame);
        }
        self.pass_on(&mut link);
        let is_playing = link.session.status() == Status::Playing;
        if is_playing && std::mem::take(&mut self.wants_start) {
            link.session.start(now);
        }
        let condition = if is_playing { Condition::Playing } else { Condition::Joining };
        let seat = link.session.seat();
        self.server.players.update(self.number, |row| row.note(condition, seat, has_news));
        let why = match (result, link.session.status()) {
            (Err(error), _) => ConnectionLoss::Broken(format!("{error:#}")),
            (Ok(()), Status::Ended(why)) => ConnectionLoss::Ended(why),
            (Ok(()), _) if link.connection.is_unreachable() => ConnectionLoss::Broken("nobody listens there".into()),
            (Ok(()), Status::Opening) if now.since(since) >= FIRST_WAIT_MAX && !has_played => {
                ConnectionLoss::Broken("the server does not answer".into())
            }
            (Ok(()), Status::Opening | Status::Playing | Status::Leaving) => {
                let contact = if is_playing { Contact { since: now, has_played: true } } else { contact };
                self.state = State::Connected { link, contact };
                return;
            }
        };
        self.lose(now, why, contact, scene);
    }

    /// The connection is lost: for good, or it is tried again.
    fn lose(&mut self, now: Time, why: ConnectionLoss, contact: Contact, scene: &mut Scene) {
        self.note(now, format_args!("the connection is lost: {why}"));
        self.server.players.fail(self.number, why.to_string());
        self.forget(scene);
        match why {
            ConnectionLoss::Ended(end) if is_final(end, contact.has_played) => self.end(now, end),
            ConnectionLoss::Ended(_) | ConnectionLoss::Broken(_) => {
                self.server.players.update(self.number, |row| row.reconnects += u64::from(contact.has_played));
                self.state = State::Away { contact, retry: now + RETRY_AFTER };
            }
        }
    }

    /// Nothing that was shown is there any more.
    fn forget(&mut self, scene: &mut Scene) {
        self.translation.forget();
        self.translation.clear(&mut scene.frame);
        for seat in Seat::ALL.into_iter().filter(|seat| *seat != self.join.seat) {
            scene.seat_left(seat);
        }
        self.frame = Frame::default();
        self.shown = LastShown { has_lobby: self.shown.has_lobby, ..LastShown::default() };
        self.news.push_back(RemoteNews::Players);
    }

    fn end(&mut self, now: Time, why: End) {
        self.note(now, format_args!("over: {why:?}"));
        self.news.push_back(RemoteNews::Ended(why));
        self.state = State::Ended;
    }

    fn say_goodbye(&mut self, now: Time, mut link: ServerLink, since: Time) {
        let result = self.exchange(now, &mut link, false);
        let is_over = matches!(link.session.status(), Status::Ended(_)) || now.since(since) >= GOODBYE_MAX;
        if is_over || result.is_err() {
            self.news.push_back(RemoteNews::Ended(End::Left));
        } else {
            self.state = State::Leaving { link, since };
        }
    }

    /// Receives, presses and sends.
    fn exchange(&mut self, now: Time, link: &mut ServerLink, presses: bool) -> anyhow::Result<()> {
        let Buffers { read, polled } = &mut self.buffers;
        let (dump, number) = (self.server.dump.as_deref(), self.number);
        let mut traffic = TickTraffic::default();
        for _ in 0..MESSAGES_PER_TICK_MAX {
            let Some((channel, length)) = link.connection.receive(read)? else { break };
            let bytes = &read[..length];
            traffic.bytes_in += length as u64;
            traffic.malformed += u64::from(link.session.receive(now, channel, bytes).is_err());
            if let Some(dump) = dump {
                dump.bytes(now, number, (DumpDirection::In, channel), bytes);
            }
        }
        link.session.advance(now);
        if presses {
            link.session.press(now, self.input);
        }
        while let Some(output) = link.session.poll(now, polled) {
            traffic.bytes_out += polled.len() as u64;
            link.connection.send(output, polled)?;
            if let (Some(dump), Some(channel)) = (dump, channel_of(output)) {
                dump.bytes(now, number, (DumpDirection::Out, channel), polled);
            }
        }
        self.server.players.update(number, |row| row.add(traffic));
        link.connection.push()
    }

    fn show(&mut self, now: Time, link: &ServerLink, scene: &mut Scene) {
        let terrain = link.session.terrain();
        if terrain != self.shown.terrain.as_ref() {
            self.tell_terrain(terrain, link);
        }
        self.translation.show(&self.frame, link.session.seat(), &mut scene.frame);
        if let Some(stage) = link.session.lobby().map(|place| place.stage).filter(|stage| !stage.is_empty()) {
            stage.clone_into(&mut scene.stage_name);
        }
        self.show_players(scene);
        if let Some(dump) = &self.server.dump {
            dump.frame(now, self.number, &scene.frame);
        }
    }

    fn tell_terrain(&mut self, terrain: Option<&Terrain>, link: &ServerLink) {
        self.shown.terrain = terrain.cloned();
        let Some(terrain) = terrain else { return };
        self.translation.set_walls(TerrainWalls::of(terrain));
        let name = link.session.lobby().map_or("", |place| place.stage);
        let stage = Stage::of_terrain(name, self.frame.stage, terrain.clone());
        self.news.push_back(RemoteNews::Stage(Arc::new(stage)));
    }

    /// Who plays, and what they are called. The player's own name is what they gave here.
    fn show_players(&mut self, scene: &mut Scene) {
        let mut has_changed = false;
        for seat in Seat::ALL {
            let (index, is_own) = (seat.index(), seat == self.join.seat);
            let is_there = scene.frame.players[index].is_some();
            has_changed |= std::mem::replace(&mut self.shown.players[index], is_there) != is_there;
            let name = scene.frame.names[index];
            let name = if is_there { name.as_str() } else { "" };
            if is_own || self.shown.names[index] == name {
                continue;
            }
            has_changed = true;
            name.clone_into(&mut self.shown.names[index]);
            match is_there {
                true => scene.seat_taken(seat, name),
                false => scene.seat_left(seat),
            }
        }
        if has_changed {
            self.news.push_back(RemoteNews::Players);
        }
    }

    /// Passes on what was sent beside Frames.
    fn pass_on(&mut self, link: &mut ServerLink) {
        if !self.shown.has_lobby
            && let Some(place) = link.session.lobby()
        {
            self.shown.has_lobby = true;
            let code = place.code.to_string();
            self.server.players.update(self.number, |row| row.lobby = code);
            self.news.push_back(RemoteNews::Lobby(place.code));
        }
        let own = link.session.seat();
        for _ in 0..SAID_PER_TICK_MAX {
            let Some(ChatMessage { seat, name, text }) = link.session.take_chat_message() else { break };
            let seat = seat.map(|seat| seat_here(self.join.seat, own, seat));
            self.news.push_back(RemoteNews::Said { seat, name, text });
        }
    }

    fn note(&self, now: Time, text: impl std::fmt::Display) {
        if let Some(dump) = &self.server.dump {
            dump.note(now, self.number, text);
        }
    }
}

/// What was carried in a tick.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TickTraffic {
    pub bytes_in: u64,
    pub bytes_out: u64,
    pub malformed: u64,
}

/// How a connection was lost.
enum ConnectionLoss {
    Ended(End),
    Broken(String),
}

impl std::fmt::Display for ConnectionLoss {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ConnectionLoss::Ended(End::TimedOut | End::Unreachable) => f.write_str("the server says nothing any more"),
            ConnectionLoss::Ended(End::Full) => f.write_str("the server is full"),
            ConnectionLoss::Ended(End::LobbyFull) => f.write_str("the lobby is full"),
            ConnectionLoss::Ended(End::NoLobby) => f.write_str("there is no lobby of that code"),
            ConnectionLoss::Ended(End::Refused) => f.write_str("the server refuses"),
            ConnectionLoss::Ended(End::VersionDiffers) => f.write_str("the server speaks another version"),
            ConnectionLoss::Ended(End::Restarting) => f.write_str("the server ends, and may be back soon"),
            ConnectionLoss::Ended(why) => write!(f, "the server ended it ({why:?})"),
            ConnectionLoss::Broken(why) => f.write_str(why),
        }
    }
}

/// Whether it makes no sense to try again. A server that is started again may be full for a moment.
fn is_final(why: End, has_played: bool) -> bool {
    match why {
        End::TimedOut | End::Unreachable | End::Dropped | End::Restarting => false,
        End::Refused | End::Full | End::LobbyFull | End::NoLobby | End::NoStage => !has_played,
        End::Left | End::VersionDiffers | End::LobbyClosed | End::Closed => true,
    }
}

fn channel_of(output: Output) -> Option<Channel> {
    match output {
        Output::Datagram => Some(Channel::Datagram),
        Output::Stream => Some(Channel::Stream),
        Output::CloseStream | Output::DatagramsTo(_) => None,
    }
}
