//! Hosts of lobbies who kick all who are sent there, and the players whom they kick: those have to find a seat elsewhere.

use std::{
    net::{SocketAddr, UdpSocket},
    thread,
    time::{Duration, Instant},
};

use game::{Buttons, Frame, Input, Rules, Seat};
use protocol::{
    Channel, ClientSession, Dialect, LobbyRequest, Output, Plan, Status, StreamUse,
    lobby::LobbyDetails,
    volley::{Client, News},
};

use super::{AttackOutcome, Target, chance::AttackDice, wall_clock};
use crate::transport::{DATAGRAM_MAX_BYTES, Transport};

const HOSTS: usize = 4;
/// Players of each dialect that needs nothing but datagrams, each from an address of its own.
const PLAYERS_OF_EACH: usize = 8;
/// Kicks after which a host makes another lobby: in that one nobody is known yet.
const KICKS_IN_A_LOBBY: u64 = 3;
const TICK: Duration = Duration::from_micros(16_667);
/// How long players have at the end to find a seat, with the hosts still there. Where a server has no word for a kick, a client
/// notices it after seconds of silence.
const SETTLE_MAX: Duration = Duration::from_secs(20);
/// Somebody plays who was shown something new this lately.
const FRESH: Duration = Duration::from_secs(2);
/// Everybody plays elsewhere if they seem to for this long: longer than somebody who was kicked seems to play.
const WELL: Duration = Duration::from_secs(3);

/// Hosts kick everybody, over and over. At the end everybody has to play elsewhere.
pub fn kick_everybody(target: &Target<'_>, until: Instant) -> anyhow::Result<AttackOutcome> {
    let door = target.node.door(Dialect::Volley)?;
    let mut hosts = (0..HOSTS).map(|_| KickingHost::open(door)).collect::<anyhow::Result<Vec<_>>>()?;
    let mut players = Vec::new();
    let mut well_since: Option<Instant> = None;
    while Instant::now() < until || well_since.is_none_or(|since| since.elapsed() < WELL) {
        if Instant::now() >= until + SETTLE_MAX {
            break;
        }
        for host in &mut hosts {
            host.turn()?;
        }
        // They come when the lobbies are there.
        if players.is_empty() && hosts.iter().all(|host| host.has_lobby) {
            players = join(target)?;
        }
        for player in &mut players {
            player.turn();
        }
        let are_well = !players.is_empty() && players.iter().all(KickedPlayer::plays) && !have_company(&hosts);
        well_since = well_since.or(Some(Instant::now())).filter(|_| are_well);
        thread::sleep(TICK);
    }
    let lost = players.iter().filter(|player| !player.plays()).count();
    let kicks = hosts.iter().map(|host| host.kicks).sum();
    Ok(match (kicks, lost, have_company(&hosts)) {
        (0, ..) => AttackOutcome::Broken(0, "nobody was sent to a host who kicks"),
        (_, 0, false) => AttackOutcome::Done(kicks),
        (_, 0, true) => AttackOutcome::Broken(kicks, "players are still sent to a host who kicks them"),
        _ => AttackOutcome::Broken(kicks, "a player who was kicked plays nowhere"),
    })
}

fn have_company(hosts: &[KickingHost]) -> bool {
    hosts.iter().any(|host| !host.company.is_empty())
}

fn join(target: &Target<'_>) -> anyhow::Result<Vec<KickedPlayer>> {
    let mut chance = AttackDice::new(0x4c1c);
    let dialects = Dialect::with_ports().filter(|dialect| matches!(dialect.entry().stream, StreamUse::None));
    let players = dialects.flat_map(|dialect| [dialect; PLAYERS_OF_EACH]);
    players.map(|dialect| KickedPlayer::open(dialect, target.node.door(dialect)?, &mut chance)).collect()
}

/// Makes a lobby for everybody and kicks everybody from it.
struct KickingHost {
    client: Client,
    transport: Transport,
    buffer: Vec<u8>,
    has_lobby: bool,
    /// Seats of others in its lobby.
    company: Vec<Seat>,
    kicks: u64,
    /// Of the lobby that it is in.
    kicks_here: u64,
}

impl KickingHost {
    fn open(door: SocketAddr) -> anyhow::Result<KickingHost> {
        let now = wall_clock();
        let mut client = Client::without_lobby(now, "Host");
        client.ask(now, create());
        Ok(KickingHost {
            client,
            transport: Transport::open(Dialect::Volley, door)?,
            buffer: vec![0; DATAGRAM_MAX_BYTES],
            has_lobby: false,
            company: Vec::new(),
            kicks: 0,
            kicks_here: 0,
        })
    }

    fn turn(&mut self) -> anyhow::Result<()> {
        let now = wall_clock();
        while let Some((channel, length)) = self.transport.receive(&mut self.buffer)? {
            // What cannot be read is not about who is here.
            let _ = self.client.receive(now, channel, &self.buffer[..length]);
        }
        self.client.advance(now);
        while let Some(news) = self.client.news() {
            match news {
                News::Seated { .. } => self.has_lobby = true,
                News::Lobby(details) => self.kick(&details),
                _ => {}
            }
        }
        while let Some(output) = self.client.poll(now, &mut self.buffer) {
            self.transport.send(output, &self.buffer)?;
        }
        self.buffer.resize(DATAGRAM_MAX_BYTES, 0);
        self.transport.push()
    }

    fn kick(&mut self, details: &LobbyDetails) {
        let now = wall_clock();
        let others = details.members.iter().map(|member| member.seat).filter(|seat| Some(*seat) != details.host);
        let company: Vec<Seat> = others.collect();
        for &seat in company.iter().filter(|seat| !self.company.contains(seat)) {
            self.client.ask(now, LobbyRequest::Kick { seat });
            self.kicks += 1;
            self.kicks_here += 1;
        }
        self.company = company;
        if self.company.is_empty() && self.kicks_here >= KICKS_IN_A_LOBBY {
            self.kicks_here = 0;
            self.client.ask(now, LobbyRequest::LeaveLobby);
            self.client.ask(now, create());
        }
    }
}

fn create() -> LobbyRequest {
    LobbyRequest::Create { stage: "endless".into(), rules: Rules::default(), is_private: false }
}

/// A player who comes again after every kick.
struct KickedPlayer {
    dialect: Dialect,
    socket: UdpSocket,
    session: Box<dyn ClientSession>,
    frame: Frame,
    shown: Option<Instant>,
    buffer: Vec<u8>,
}

impl KickedPlayer {
    fn open(dialect: Dialect, door: SocketAddr, chance: &mut AttackDice) -> anyhow::Result<KickedPlayer> {
        let socket = UdpSocket::bind((chance.address(), 0))?;
        socket.connect(door)?;
        socket.set_nonblocking(true)?;
        let (session, buffer) = (dialect.connect(Plan::at(wall_clock())), vec![0; DATAGRAM_MAX_BYTES]);
        Ok(KickedPlayer { dialect, socket, session, frame: Frame::default(), shown: None, buffer })
    }

    fn turn(&mut self) {
        let now = wall_clock();
        if let Status::Ended(_) = self.session.status() {
            self.session = self.dialect.connect(Plan::at(now));
        }
        let mut is_heard = false;
        while let Ok(length) = self.socket.recv(&mut self.buffer) {
            is_heard = true;
            // Bad bytes show nothing new.
            let _ = self.session.receive(now, Channel::Datagram, &self.buffer[..length]);
        }
        self.session.advance(now);
        self.session.press(now, Input::holding(Buttons::FIRE));
        while let Some(output) = self.session.poll(now, &mut self.buffer) {
            if let Output::Datagram = output {
                // What cannot leave now is lost, as it might be on its way.
                let _ = self.socket.send(&self.buffer);
            }
        }
        self.buffer.resize(DATAGRAM_MAX_BYTES, 0);
        // A client may also fly things on by itself.
        if self.session.take_frame(&mut self.frame) && is_heard {
            self.shown = Some(Instant::now());
        }
    }

    fn plays(&self) -> bool {
        self.session.status() == Status::Playing && self.shown.is_some_and(|shown| shown.elapsed() < FRESH)
    }
}
