//! A server that seats everybody and does not answer the first goodbyes, as if they were lost on the way.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener, UdpSocket},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use protocol::{LobbyId, rfc2020, rfc53952};

/// The goodbye that is answered.
pub const ANSWERED: usize = 3;
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// A server that ends with the test.
pub struct StubbornServer {
    pub door: SocketAddr,
    /// Whether somebody is seated.
    pub is_met: Arc<AtomicBool>,
    /// How many goodbyes came.
    pub goodbyes: Arc<AtomicUsize>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl StubbornServer {
    pub fn of(dialect: &str) -> StubbornServer {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket");
        socket.set_read_timeout(Some(LOOK_AGAIN)).expect("a time-out");
        let (is_met, goodbyes, is_over) = (Arc::default(), Arc::default(), Arc::new(AtomicBool::new(false)));
        let talk = Talk { socket, is_met: Arc::clone(&is_met), goodbyes: Arc::clone(&goodbyes) };
        let over = Arc::clone(&is_over);
        let (door, thread) = match dialect {
            "rfc53952" => {
                let door = talk.socket.local_addr().expect("bound");
                (door, thread::spawn(move || talk.run(&over, Talk::hear_rfc53952)))
            }
            _ => {
                let desk = TcpListener::bind("127.0.0.1:0").expect("a socket");
                let door = desk.local_addr().expect("bound");
                let answer = move || {
                    talk.answer_at(&desk);
                    talk.run(&over, Talk::hear_rfc2020);
                };
                (door, thread::spawn(answer))
            }
        };
        StubbornServer { door, is_met, goodbyes, is_over, thread: Some(thread) }
    }
}

impl Drop for StubbornServer {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // One that failed has said so already.
            let _ = thread.join();
        }
    }
}

struct Talk {
    socket: UdpSocket,
    is_met: Arc<AtomicBool>,
    goodbyes: Arc<AtomicUsize>,
}

impl Talk {
    fn run(&self, is_over: &AtomicBool, hear: fn(&Talk, &[u8], SocketAddr)) {
        let mut buffer = [0; 2048];
        let mut peer = None;
        let mut spoke = Instant::now();
        while !is_over.load(Ordering::Relaxed) {
            if let Ok((length, from)) = self.socket.recv_from(&mut buffer) {
                peer = Some(from);
                hear(self, &buffer[..length], from);
            }
            // A sign of life, which only rfc2020 needs from this end.
            if let Some(peer) = peer.filter(|_| spoke.elapsed() >= Duration::from_millis(500)) {
                spoke = Instant::now();
                self.send(&game_state(), peer);
            }
        }
    }

    fn send(&self, bytes: &[u8], peer: SocketAddr) {
        // The window may be gone by now.
        let _ = self.socket.send_to(bytes, peer);
    }

    /// Whether this goodbye is answered.
    fn is_answered(&self) -> bool {
        self.goodbyes.fetch_add(1, Ordering::Relaxed) + 1 >= ANSWERED
    }

    fn hear_rfc53952(&self, bytes: &[u8], peer: SocketAddr) {
        use rfc53952::wire::{FromClient, FromServer, Packet, PacketType};
        let Ok(packet) = Packet::<FromClient>::read(bytes) else { return };
        let timestamp = packet.timestamp;
        let send = |data: FromServer| {
            let mut bytes = Vec::new();
            Packet { timestamp, data }.write(&mut bytes);
            self.send(&bytes, peer);
        };
        let packet_type = match packet.data {
            FromClient::HiServer => {
                send(FromServer::HiClient { accepted: true });
                PacketType::HiServer
            }
            FromClient::AdiosServer if self.is_answered() => PacketType::AdiosServer,
            FromClient::Ping => PacketType::Ping,
            FromClient::ClientEvents { .. } => PacketType::ClientEvents,
            // It has heard that it may play.
            FromClient::PacketValidation { .. } => return self.is_met.store(true, Ordering::Relaxed),
            FromClient::AdiosServer => return,
        };
        send(FromServer::PacketValidation { packet_type, packet_timestamp: timestamp });
    }

    /// Answers one question: there is a lobby at our port.
    fn answer_at(&self, desk: &TcpListener) {
        let (mut stream, _) = desk.accept().expect("a client");
        let mut question = [0; 1024];
        assert!(stream.read(&mut question).expect("a question") > 0);
        let lobby_port = self.socket.local_addr().expect("bound").port();
        let lobby_id = LobbyId::new("KXWQ29").ok();
        let mut bytes = Vec::new();
        let body = rfc2020::wire::FromServer::Create { lobby_port, lobby_id };
        rfc2020::wire::Message { creation_timestamp: 1, body }.write(&mut bytes);
        stream.write_all(&bytes).expect("it is there");
    }

    fn hear_rfc2020(&self, bytes: &[u8], peer: SocketAddr) {
        use rfc2020::wire::{FromClient, FromServer, MapName, Message, Method};
        let Ok(Message { creation_timestamp, body }) = Message::<FromClient>::read(bytes) else { return };
        let body = match body {
            // It has heard the game's state, and JOIN's answer before that.
            FromClient::Confirm(_) => return self.is_met.store(true, Ordering::Relaxed),
            FromClient::Join => {
                let map_name = MapName::new("endless").expect("a name");
                FromServer::Join { entity_id: 0, x_coordinate: 100, y_coordinate: 100, map_name }
            }
            FromClient::Leave { .. } if self.is_answered() => FromServer::Confirm(Method::Leave),
            _ => return,
        };
        let mut bytes = Vec::new();
        Message { creation_timestamp, body }.write(&mut bytes);
        self.send(&bytes, peer);
    }
}

fn game_state() -> Vec<u8> {
    let mut bytes = Vec::new();
    let body = rfc2020::wire::FromServer::GameState { state: rfc2020::wire::State::Running };
    rfc2020::wire::Message { creation_timestamp: 1, body }.write(&mut bytes);
    bytes
}
