//! What is behind the exports: one client, its picture, and the buffers for bytes.
//!
//! Lengths from JavaScript are not trusted: one beyond the buffer is cut. Calls before the start do nothing.

use std::collections::VecDeque;

use client::{
    Client, Key, Options, Score, Table, Task,
    draw::Picture,
    sound::{self, Cue, Heard, Performance, SAMPLE_RATE, Song},
};
use protocol::{Channel, Dialect, Time};

/// More than any message of a node, and the replay of a long day.
const INPUT_BYTES_MAX: usize = 16 << 20;
/// More lines than a screen can show.
const SCORES_MAX: usize = 100;

/// Flags of [`Shell::start`].
const QUICK: u32 = 1;
const TOUCH: u32 = 2;
const SMALL_SCREEN: u32 = 4;

/// The client of a page.
#[derive(Default)]
pub struct Shell {
    client: Option<Client>,
    picture: Picture,
    input: Vec<u8>,
    output: Vec<u8>,
    cues: VecDeque<Heard>,
    /// The song that this module makes, if it is the one in the worker.
    performance: Option<Performance>,
}

impl Shell {
    /// Space for the input of the next call; none if it is too large.
    pub fn space(&mut self, length: usize) -> Option<&mut [u8]> {
        if length > INPUT_BYTES_MAX {
            return None;
        }
        self.input.clear();
        self.input.resize(length, 0);
        Some(&mut self.input)
    }

    /// The output of the last call.
    pub fn output(&self) -> &[u8] {
        &self.output
    }

    /// Starts the client, in our own dialect.
    pub fn start(&mut self, now: Time, lobby_length: usize, settings_length: usize, flags: u32) {
        let (lobby, rest) = self.input.split_at(lobby_length.min(self.input.len()));
        let (settings, rest) = rest.split_at(settings_length.min(rest.len()));
        let rest = text(rest);
        let (locale, page) = rest.split_once('\n').unwrap_or((&rest, ""));
        let options = Options {
            lobby: Some(text(lobby)).filter(|lobby| !lobby.is_empty()),
            quick: flags & QUICK != 0,
            touch: flags & TOUCH != 0,
            small_screen: flags & SMALL_SCREEN != 0,
            settings: text(settings),
            locale: locale.into(),
            page: Some(page.into()).filter(|page: &String| !page.is_empty()),
            ..Options::new(Dialect::Volley)
        };
        self.client = Some(Client::new(now, options));
    }

    /// Calls the client, if it was started.
    pub fn with_client(&mut self, call: impl FnOnce(&mut Client)) {
        if let Some(client) = &mut self.client {
            call(client);
        }
    }

    /// A key went down or up; returns whether it is the client's alone.
    pub fn key(&mut self, now: Time, length: usize, down: bool) -> bool {
        let Some(key) = Key::from_code(&text(self.input(length))) else { return false };
        let mut is_ours = true;
        self.with_client(|client| {
            client.key(now, key, down);
            is_ours = client.needs_key(key);
        });
        is_ours
    }

    /// What is printed on the player's keys.
    pub fn key_labels(&mut self, length: usize) {
        let labels = text(self.input(length));
        self.with_client(|client| client.key_labels(&labels));
    }

    /// Bytes came from the node.
    pub fn receive(&mut self, now: Time, channel: Channel, length: usize) {
        let bytes = &self.input[..length.min(self.input.len())];
        if let Some(client) = &mut self.client {
            client.receive(now, channel, bytes);
        }
    }

    /// A table of high scores: its query, then a line for each game, of which a malformed one is left out. Or only the query, if
    /// the table was not found.
    pub fn scores(&mut self, now: Time, length: usize, is_found: bool) {
        let input = text(self.input(length));
        let mut lines = input.lines();
        let query = lines.next().unwrap_or_default();
        let scores = lines.filter_map(score).take(SCORES_MAX).collect();
        let table = if is_found { Table::Scores(scores) } else { Table::Unavailable };
        self.with_client(|client| client.scores(now, query, table));
    }

    /// Shows the replay in the buffer. False: it cannot be shown, and the output says why.
    pub fn open_replay(&mut self, now: Time, length: usize) -> bool {
        let file = &self.input[..length.min(self.input.len())];
        let opened = self.client.as_mut().map_or(Ok(()), |client| client.open_replay(now, file));
        // A file is large, and is not kept twice.
        self.input = Vec::new();
        let why = opened.err();
        self.output = why.clone().unwrap_or_default().into_bytes();
        why.is_none()
    }

    /// The player's own recording: its key, a line feed, and the file.
    pub fn recorded(&mut self, now: Time, length: usize) {
        if let Some((key, file)) = line(self.input(length)) {
            self.with_client(|client| client.recorded(now, &key, file));
        }
        self.input = Vec::new();
    }

    /// What the page keeps for a table: the name of the table, a line feed, and the bytes.
    pub fn ghost(&mut self, now: Time, length: usize) {
        if let Some((table, kept)) = line(self.input(length)) {
            self.with_client(|client| client.ghost(now, &table, &kept));
        }
    }

    /// Whether a replay is shown.
    pub fn is_replaying(&self) -> bool {
        self.client.as_ref().is_some_and(|client| client.replay().is_some())
    }

    /// The number of the next task; its bytes are the output.
    pub fn poll(&mut self, now: Time) -> Option<u8> {
        let task = self.client.as_mut()?.poll(now, &mut self.output)?;
        if let Task::DatagramsTo(port) = task {
            self.output = port.to_string().into_bytes();
        }
        Some(number(task))
    }

    /// Draws the picture.
    pub fn draw(&mut self, now: Time) -> &[u8] {
        if let Some(client) = &mut self.client {
            client.draw(now, &mut self.picture);
        }
        self.picture.rgba()
    }

    /// A cue to play: its number, and 256 times its place from 0 (left) to 255.
    pub fn cue(&mut self) -> Option<u16> {
        if self.cues.is_empty() {
            self.cues.extend(self.client.as_mut()?.sounds());
        }
        let Heard { cue, pan } = self.cues.pop_front()?;
        Some(cue as u16 + ((i16::from(pan) + 128) as u16) * 256)
    }

    /// Whether the player is typing.
    pub fn is_writing(&self) -> bool {
        self.client.as_ref().is_some_and(Client::is_writing)
    }

    /// Whether thumbs fly the ship now.
    pub fn wants_thumbs(&self) -> bool {
        self.client.as_ref().is_some_and(Client::wants_thumbs)
    }

    /// How many pixels of the screen one of the picture is to be.
    pub fn scale(&self, width: f64, height: f64) -> f64 {
        self.client.as_ref().map_or(1.0, |client| client.scale(width, height))
    }

    /// The level of the beam's hum.
    pub fn hum(&self) -> u8 {
        self.client.as_ref().map_or(0, Client::hum)
    }

    /// The number of the song to play now.
    pub fn song(&self) -> Option<u8> {
        self.client.as_ref()?.song().map(|song| song as u8)
    }

    /// The volume of music, or of everything else.
    pub fn volume_percent(&self, of_music: bool) -> u32 {
        let (music, sounds) = self.client.as_ref().map_or((0.0, 0.0), Client::volumes);
        let volume = if of_music { music } else { sounds };
        (volume * 100.0).round() as u32
    }

    /// Renders a cue to the output, 16 bits a sample; returns whether there is one of that number.
    pub fn render_cue(&mut self, number: usize) -> bool {
        self.output_samples(Cue::ALL.get(number).map(|&cue| sound::render(cue)))
    }

    /// Begins a song; returns whether there is one of that number.
    pub fn begin_song(&mut self, number: usize) -> bool {
        self.performance = Song::ALL.get(number).map(|&song| Performance::new(song));
        self.performance.is_some()
    }

    /// Makes the next samples of the song, at most four seconds of it: left and right in turn.
    pub fn make_song(&mut self, samples: usize) -> bool {
        let Some(performance) = &mut self.performance else { return false };
        let mut made = vec![[0; 2]; samples.min(4 * SAMPLE_RATE as usize)];
        performance.fill(&mut made);
        self.output_samples(Some(made.into_flattened()))
    }

    fn output_samples(&mut self, samples: Option<Vec<i16>>) -> bool {
        let Some(samples) = samples else { return false };
        self.output = samples.into_iter().flat_map(i16::to_le_bytes).collect();
        true
    }

    fn input(&self, length: usize) -> &[u8] {
        &self.input[..length.min(self.input.len())]
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn score(line: &str) -> Option<Score> {
    let mut parts = line.splitn(5, '\t');
    let points = parts.next()?.parse().ok()?;
    let (name, ranks) = (parts.next()?.to_owned(), parts.next()?.to_owned());
    let game = parts.next().filter(|game| !game.is_empty()).map(str::to_owned);
    let is_recorded = parts.next().is_some_and(|replay| !replay.is_empty());
    Some(Score { name, points, ranks, game, is_recorded })
}

/// A line, and the bytes behind it.
fn line(input: &[u8]) -> Option<(String, Vec<u8>)> {
    let end = input.iter().position(|&byte| byte == b'\n')?;
    Some((text(&input[..end]), input[end + 1..].to_vec()))
}

/// The numbers of the tasks in `www/volley.js`.
fn number(task: Task) -> u8 {
    match task {
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
        Task::FetchReplay => 10,
        Task::FetchRecording => 11,
        Task::SaveReplay => 12,
        Task::LoadGhost => 13,
        Task::StoreGhost => 14,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Time = Time::from_micros(1_700_000_000_000_000);

    fn put(shell: &mut Shell, bytes: &[u8]) -> usize {
        shell.space(bytes.len()).expect("space").copy_from_slice(bytes);
        bytes.len()
    }

    fn started(lobby: &str, settings: &str) -> Shell {
        let mut shell = Shell::default();
        put(&mut shell, format!("{lobby}{settings}").as_bytes());
        shell.start(START, lobby.len(), settings.len(), 0);
        shell
    }

    #[test]
    fn calls_before_the_start_do_nothing() {
        let mut shell = Shell::default();
        let length = put(&mut shell, b"Enter");
        assert!(shell.key(START, length, true), "the key is known even so");
        shell.receive(START, Channel::Datagram, length);
        shell.scores(START, length, true);
        assert_eq!((shell.poll(START), shell.cue(), shell.song(), shell.hum()), (None, None, None, 0));
        assert_eq!(shell.draw(START).len(), 4 * 480 * 270);
    }

    #[test]
    fn a_started_client_draws_and_asks_for_a_connection() {
        let mut shell = started("ABC123", "");
        shell.with_client(|client| client.advance(START));
        assert_eq!(shell.poll(START), Some(number(Task::Connect)));
        assert!(shell.draw(START).chunks(4).any(|pixel| pixel[..3] != [0, 0, 0]));
    }

    #[test]
    fn wrong_lengths_are_cut_and_too_large_ones_are_refused() {
        let mut shell = started("", "");
        put(&mut shell, b"KeyA");
        assert!(shell.key(START, usize::MAX, true));
        shell.receive(START, Channel::Stream, usize::MAX);
        shell.start(START, usize::MAX, usize::MAX, 0);
        assert!(shell.space(INPUT_BYTES_MAX).is_some());
        assert!(shell.space(INPUT_BYTES_MAX + 1).is_none());
    }

    #[test]
    fn settings_come_from_the_page() {
        let shell = started("", "music = 0\nsound = 5\n");
        assert_eq!((shell.volume_percent(true), shell.volume_percent(false)), (0, 50));
    }

    #[test]
    fn every_cue_and_song_can_be_rendered() {
        let mut shell = Shell::default();
        for number in 0..Cue::ALL.len() {
            assert_eq!(Cue::ALL[number] as usize, number);
            assert!(shell.render_cue(number) && shell.output().len() > 2);
        }
        assert!(!shell.render_cue(Cue::ALL.len()) && !shell.begin_song(Song::ALL.len()) && !shell.make_song(9));
        assert!(Song::ALL.iter().enumerate().all(|(number, song)| *song as usize == number));
    }

    #[test]
    fn a_song_is_made_piece_by_piece() {
        let mut shell = Shell::default();
        let mut expected = vec![[0; 2]; 3_000];
        Performance::new(Song::Boss).fill(&mut expected);
        assert!(shell.begin_song(Song::Boss as usize));
        let mut made = Vec::new();
        for samples in [1_000, 1, 1_999] {
            assert!(shell.make_song(samples) && shell.output().len() == 4 * samples);
            made.extend_from_slice(shell.output());
        }
        let expected: Vec<u8> = expected.as_flattened().iter().flat_map(|sample| sample.to_le_bytes()).collect();
        assert!(made == expected);
        assert!(shell.make_song(usize::MAX) && shell.output().len() == 4 * 4 * 44_100, "it is bounded");
    }

    #[test]
    fn a_score_has_three_parts_or_four_and_a_malformed_line_is_left_out() {
        let score = score("1200\tAnn, Bob\tAC").expect("a score");
        assert_eq!((score.points, score.name.as_str(), score.ranks.as_str()), (1200, "Ann, Bob", "AC"));
        assert_eq!(score.game, None);
        assert_eq!(super::score("1\tAnn\tB\t00ff").and_then(|score| score.game), Some("00ff".into()));
        assert!(["", "x\ty\tz", "1\ty", "-1\ty\tz"].iter().all(|line| super::score(line).is_none()));
    }
}
