//! Goodbyes that are said again and again: by players who have left, in every dialect, and by addresses that never played.

use std::{
    net::SocketAddr,
    thread,
    time::{Duration, Instant},
};

use game::Input;
use protocol::{ClientSession, Dialect, Output, Plan, Status};

use super::{AttackOutcome, Target, datagrams::Flood, wall_clock};
use crate::transport::{DATAGRAM_MAX_BYTES, Transport};

const TICK: Duration = Duration::from_micros(16_667);
/// How long a player may take to get a seat.
const JOIN_MAX: Duration = Duration::from_secs(10);
/// How long the last words of a session are listened to.
const LAST_WORDS: Duration = Duration::from_millis(100);
/// How often a player who has left says them.
const REPETITIONS: u64 = 500;
/// How long at least the addresses that never played say something.
const FLOOD_MIN: Duration = Duration::from_millis(500);

/// What a session said when it left.
struct Goodbye {
    /// Where its datagrams went.
    to: SocketAddr,
    datagrams: Vec<Vec<u8>>,
}

pub fn repeated(target: &Target<'_>, until: Instant) -> anyhow::Result<AttackOutcome> {
    let mut said = 0;
    let mut goodbyes = Vec::new();
    for dialect in Dialect::ALL {
        let Some(goodbye) = leave(target, dialect, &mut said)? else {
            return Ok(AttackOutcome::Broken(said, "somebody who wants to leave cannot join"));
        };
        goodbyes.push(goodbye);
    }
    let words: Vec<(SocketAddr, Vec<u8>)> =
        goodbyes.into_iter().flat_map(|it| it.datagrams.into_iter().map(move |bytes| (it.to, bytes))).collect();
    anyhow::ensure!(!words.is_empty(), "no dialect says goodbye in a datagram");
    let until = until.max(Instant::now() + FLOOD_MIN);
    let doors = words.iter().map(|(door, _)| *door).collect();
    let flood = || Flood::at(doors).run(until, |_, door, buffer| buffer.extend_from_slice(&words[door].1));
    let (forged, is_open) = thread::scope(|scope| {
        let forged = scope.spawn(flood);
        let mut is_open = true;
        for dialect in Dialect::ALL.into_iter().cycle().take_while(|_| Instant::now() < until) {
            is_open &= leave(target, dialect, &mut said)?.is_some();
        }
        Ok::<_, anyhow::Error>((forged.join(), is_open))
    })?;
    let forged = forged.map_err(|_| anyhow::anyhow!("the flood panicked"))??;
    Ok(match is_open {
        true => AttackOutcome::Done(said + forged),
        false => AttackOutcome::Broken(said + forged, "somebody who left cannot come back"),
    })
}

/// Joins, leaves, and says goodbye without end. None: there was no seat.
fn leave(target: &Target<'_>, dialect: Dialect, said: &mut u64) -> anyhow::Result<Option<Goodbye>> {
    let door = target.node.door(dialect)?;
    let mut leaver = Leaver {
        session: dialect.connect(Plan { name: "Leaver".into(), ..Plan::at(wall_clock()) }),
        transport: Transport::open(dialect, door)?,
        to: door,
        buffer: vec![0; DATAGRAM_MAX_BYTES],
    };
    let began = Instant::now();
    while leaver.session.seat().is_none() || leaver.session.status() != Status::Playing {
        if began.elapsed() >= JOIN_MAX {
            return Ok(None);
        }
        leaver.turn(None)?;
        thread::sleep(TICK);
    }
    leaver.session.leave(wall_clock());
    let (mut words, left) = (Vec::new(), Instant::now());
    while left.elapsed() < LAST_WORDS {
        leaver.turn(Some(&mut words))?;
        thread::sleep(TICK);
    }
    for _ in 0..REPETITIONS {
        for (output, bytes) in &words {
            // The node may have closed it; then nothing more can be said.
            *said += u64::from(leaver.transport.send(*output, bytes).unwrap_or(false));
        }
        let _ = leaver.transport.push();
    }
    let datagrams =
        words.into_iter().filter(|(output, _)| *output == Output::Datagram).map(|(_, bytes)| bytes).collect();
    Ok(Some(Goodbye { to: leaver.to, datagrams }))
}

struct Leaver {
    session: Box<dyn ClientSession>,
    transport: Transport,
    to: SocketAddr,
    buffer: Vec<u8>,
}

impl Leaver {
    /// Does all that is due; what it says is noted, but for the end of a stream.
    fn turn(&mut self, mut said: Option<&mut Vec<(Output, Vec<u8>)>>) -> anyhow::Result<()> {
        let now = wall_clock();
        while let Some((channel, length)) = self.transport.receive(&mut self.buffer)? {
            // Bad bytes bring no seat.
            let _ = self.session.receive(now, channel, &self.buffer[..length]);
        }
        self.session.advance(now);
        self.session.press(now, Input::IDLE);
        while let Some(output) = self.session.poll(now, &mut self.buffer) {
            self.transport.send(output, &self.buffer)?;
            match (output, &mut said) {
                (Output::DatagramsTo(port), _) => self.to.set_port(port),
                (Output::Datagram | Output::Stream, Some(said)) => said.push((output, self.buffer.clone())),
                _ => {}
            }
        }
        self.buffer.resize(DATAGRAM_MAX_BYTES, 0);
        self.transport.push()
    }
}
