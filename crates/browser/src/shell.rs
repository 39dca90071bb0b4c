//! What is behind the exports: one client, the picture it draws on, and the buffers that bytes cross in.
//!
//! JavaScript is not trusted to count: a length beyond the buffer is cut, and calls before the start do nothing.

use std::collections::VecDeque;

use client::{
    Client, Key, Options, Score, Task,
    draw::Picture,
    sound::{self, Cue, Song},
};
use protocol::{Channel, Dialect, Time};

/// More than any message of a node; a page that asks for more has lost its way.
const INPUT_BYTES_MAX: usize = 1 << 20;
/// A table that a screen can show, and more.
const SCORES_MAX: usize = 100;

/// One page's client.
#[derive(Default)]
pub struct Shell {
    client: Option<Client>,
    picture: Picture,
    input: Vec<u8>,
    output: Vec<u8>,
    cues: VecDeque<Cue>,
}

impl Shell {
    /// Room for what the next call takes.
    pub fn room(&mut self, length: usize) -> Option<&mut [u8]> {
        if length > INPUT_BYTES_MAX {
            return None;
        }
        self.input.clear();
        self.input.resize(length, 0);
        Some(&mut self.input)
    }

    /// What the last call gave out.
    pub fn output(&self) -> &[u8] {
        &self.output
    }

    /// A client at its beginning, in our own dialect.
    pub fn start(&mut self, now: Time, lobby_length: usize, settings_length: usize, quick: bool) {
        let (lobby, rest) = self.input.split_at(lobby_length.min(self.input.len()));
        let settings = &rest[..settings_length.min(rest.len())];
        let lobby = Some(text(lobby)).filter(|lobby| !lobby.is_empty());
        let options = Options { lobby, quick, settings: text(settings), ..Options::new(Dialect::Volley) };
        self.client = Some(Client::new(now, options));
    }

    /// Tells the client something, if there is one.
    pub fn tell(&mut self, what: impl FnOnce(&mut Client)) {
        if let Some(client) = &mut self.client {
            what(client);
        }
    }

    /// A key by its code; whether the client knows it.
    pub fn key(&mut self, now: Time, length: usize, down: bool) -> bool {
        let Some(key) = Key::from_code(&text(self.taken(length))) else { return false };
        self.tell(|client| client.key(now, key, down));
        true
    }

    /// Bytes of the node's.
    pub fn receive(&mut self, now: Time, channel: Channel, length: usize) {
        let bytes = &self.input[..length.min(self.input.len())];
        if let Some(client) = &mut self.client {
            client.receive(now, channel, bytes);
        }
    }

    /// The table of high scores. A line that is none is left out.
    pub fn scores(&mut self, now: Time, length: usize) {
        let lines = text(self.taken(length));
        let scores = lines.lines().filter_map(score).take(SCORES_MAX).collect();
        self.tell(|client| client.scores(now, scores));
    }

    /// What the client wants done, by number; its bytes are given out.
    pub fn poll(&mut self, now: Time) -> Option<u8> {
        let action = self.client.as_mut()?.poll(now, &mut self.output)?;
        if let Task::DatagramsTo(port) = action {
            self.output = port.to_string().into_bytes();
        }
        Some(number(action))
    }

    /// The picture as it is now.
    pub fn draw(&mut self, now: Time) -> &[u8] {
        if let Some(client) = &mut self.client {
            client.draw(now, &mut self.picture);
        }
        self.picture.rgba()
    }

    /// A cue to play, by number.
    pub fn cue(&mut self) -> Option<u8> {
        if self.cues.is_empty() {
            self.cues.extend(self.client.as_mut()?.sounds());
        }
        self.cues.pop_front().map(|cue| cue as u8)
    }

    /// Whether something is being written.
    pub fn is_writing(&self) -> bool {
        self.client.as_ref().is_some_and(Client::is_writing)
    }

    /// How loud the beam gauge hums.
    pub fn hum(&self) -> u8 {
        self.client.as_ref().map_or(0, Client::hum)
    }

    /// The song for now, by number.
    pub fn song(&self) -> Option<u8> {
        self.client.as_ref().map(|client| client.song() as u8)
    }

    /// How loud the player wants music, or everything else.
    pub fn volume_percent(&self, of_music: bool) -> u32 {
        let (music, sounds) = self.client.as_ref().map_or((0.0, 0.0), Client::volumes);
        let volume = if of_music { music } else { sounds };
        (volume * 100.0).round() as u32
    }

    /// Gives out the samples of a cue, 16 bits each; whether there is such a cue.
    pub fn render_cue(&mut self, number: usize) -> bool {
        self.give_samples(Cue::ALL.get(number).map(|&cue| sound::render(cue)))
    }

    /// Gives out the samples of a song.
    pub fn render_song(&mut self, number: usize) -> bool {
        self.give_samples(Song::ALL.get(number).map(|&song| sound::song(song)))
    }

    fn give_samples(&mut self, samples: Option<Vec<i16>>) -> bool {
        let Some(samples) = samples else { return false };
        self.output = samples.into_iter().flat_map(i16::to_le_bytes).collect();
        true
    }

    fn taken(&self, length: usize) -> &[u8] {
        &self.input[..length.min(self.input.len())]
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn score(line: &str) -> Option<Score> {
    let mut parts = line.splitn(3, '\t');
    let points = parts.next()?.parse().ok()?;
    Some(Score { points, name: parts.next()?.to_owned(), stage: parts.next()?.to_owned() })
}

/// The numbers of the tasks in `www/volley.js`.
fn number(action: Task) -> u8 {
    match action {
        Task::Datagram => 0,
        Task::Stream => 1,
        Task::CloseStream => 2,
        Task::DatagramsTo(_) => 3,
        Task::Connect => 4,
        Task::Disconnect => 5,
        Task::ShareLobby => 6,
        Task::FullScreen => 7,
        Task::StoreSettings => 8,
        Task::FetchScores => 9,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Time = Time::from_micros(1_700_000_000_000_000);

    fn put(shell: &mut Shell, bytes: &[u8]) -> usize {
        shell.room(bytes.len()).expect("room").copy_from_slice(bytes);
        bytes.len()
    }

    fn started(lobby: &str, settings: &str) -> Shell {
        let mut shell = Shell::default();
        put(&mut shell, format!("{lobby}{settings}").as_bytes());
        shell.start(START, lobby.len(), settings.len(), false);
        shell
    }

    #[test]
    fn before_the_start_every_call_does_nothing() {
        let mut shell = Shell::default();
        let length = put(&mut shell, b"Enter");
        assert!(shell.key(START, length, true), "the key is known all the same");
        shell.receive(START, Channel::Datagram, length);
        shell.scores(START, length);
        assert_eq!((shell.poll(START), shell.cue(), shell.song(), shell.hum()), (None, None, None, 0));
        assert_eq!(shell.draw(START).len(), 4 * 480 * 270);
    }

    #[test]
    fn a_client_that_was_started_draws_and_wants_a_connection() {
        let mut shell = started("ABC123", "");
        shell.tell(|client| client.advance(START));
        assert_eq!(shell.poll(START), Some(number(Task::Connect)));
        assert!(shell.draw(START).chunks(4).any(|pixel| pixel[..3] != [0, 0, 0]));
    }

    #[test]
    fn lengths_that_lie_are_cut_and_too_much_is_refused() {
        let mut shell = started("", "");
        put(&mut shell, b"KeyA");
        assert!(shell.key(START, usize::MAX, true));
        shell.receive(START, Channel::Stream, usize::MAX);
        shell.start(START, usize::MAX, usize::MAX, false);
        assert!(shell.room(INPUT_BYTES_MAX).is_some());
        assert!(shell.room(INPUT_BYTES_MAX + 1).is_none());
    }

    #[test]
    fn settings_are_taken_from_the_page() {
        let shell = started("", "music = 0\nsound = 5\n");
        assert_eq!((shell.volume_percent(true), shell.volume_percent(false)), (0, 50));
    }

    #[test]
    fn every_cue_and_song_is_rendered_and_no_other() {
        let mut shell = Shell::default();
        for number in 0..Cue::ALL.len() {
            assert_eq!(Cue::ALL[number] as usize, number);
            assert!(shell.render_cue(number) && shell.output().len() > 2);
        }
        assert!(!shell.render_cue(Cue::ALL.len()) && !shell.render_song(Song::ALL.len()));
        assert!(shell.render_song(0) && shell.output().len() > 2 * 44_100);
        assert!(Song::ALL.iter().enumerate().all(|(number, song)| *song as usize == number));
    }

    #[test]
    fn a_score_is_three_parts_and_anything_else_is_left_out() {
        let score = score("1200\tAnn, Bob\tendless").expect("a score");
        assert_eq!((score.points, score.name.as_str(), score.stage.as_str()), (1200, "Ann, Bob", "endless"));
        assert!(["", "x\ty\tz", "1\ty", "-1\ty\tz"].iter().all(|line| super::score(line).is_none()));
    }
}
