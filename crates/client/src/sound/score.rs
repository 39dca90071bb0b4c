//! A song as text, and how it is read. `docs/sound.md` describes the format for people who write songs.
//!
//! A song has parts, figures and sections. Reading it gives its notes in the order in which they begin, which
//! `performance.rs` plays.

use super::{
    SAMPLE_RATE,
    harmony::{Chord, Interval, pitch},
    instruments::{self, Instrument},
    voice::BLOCK,
};

/// Ticks in a bar: halves, thirds, fifths, sevenths and sixteenths fall on one.
const BAR: u32 = 1_680;
/// The pitch of a drum: the middle C. Its layers bend it.
const STRUCK: i32 = 60;
/// Of 256: a soft note, a common one, and a strong one.
const SOFT: i32 = 120;
const COMMON: i32 = 200;
const STRONG: i32 = 256;

/// A song that has been read. Times are in blocks.
pub struct Score {
    /// How long it is before it repeats.
    pub blocks: u32,
    /// After how long its echo comes back.
    pub echo_blocks: u32,
    /// How loud all of it is, of 256.
    pub gain: i32,
    pub parts: Vec<Part>,
    /// In the order in which they begin.
    pub notes: Vec<Placed>,
}

/// An instrument in a song.
#[derive(Clone, Copy)]
pub struct Part {
    pub instrument: Instrument,
    /// Of 256.
    pub volume: i32,
    /// −128 is left, 128 right.
    pub pan: i32,
    /// How much of it is heard in the echo and in the hall, of 256.
    pub echo: i32,
    pub hall: i32,
}

/// A note of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    pub part: usize,
    pub at: u32,
    pub blocks: u32,
    pub pitch: i32,
    pub volume: i32,
}

/// What is wrong with a song.
#[derive(Debug, PartialEq, Eq)]
pub struct Mistake(pub String);

/// What a word of a bar says.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Word {
    Hold,
    Rest,
    Sound { what: What, volume: i32 },
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum What {
    Drum,
    Pitch(i32),
    /// Of the chord: the bass, some octaves higher.
    Bass(i32),
    Above(Interval),
    Tone(usize),
    AllTones,
}

type Bar = Vec<Word>;

/// What a part does in a section: bars of its own, or a figure on the chords.
enum PartContent<'a> {
    Bars { part: usize, bars: Vec<Bar> },
    Figure { part: usize, figure: &'a [Bar], floor: i32, bars: usize },
    Rest { part: usize, bars: usize },
}

struct Section<'a> {
    name: &'a str,
    /// For each bar its chords, evenly divided.
    chords: Vec<Vec<Chord>>,
    lines: Vec<(usize, &'a str)>,
}

/// What was read so far.
#[derive(Default)]
struct Reader<'a> {
    tempo: u32,
    /// Quarters in a bar, in halves: 7 for 7/8.
    eighths: u32,
    /// The delay of the echo in sixteenths.
    echo: u32,
    gain: i32,
    names: Vec<&'a str>,
    parts: Vec<Part>,
    figures: Vec<(&'a str, Vec<Bar>)>,
    order: Vec<&'a str>,
    sections: Vec<Section<'a>>,
}

impl Score {
    /// Reads a song.
    pub fn read(text: &str) -> Result<Score, Mistake> {
        let mut reader = Reader { tempo: 120, eighths: 8, echo: 3, gain: 256, ..Reader::default() };
        for (number, line) in (1..).zip(text.lines().map(str::trim)) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            reader.line(number, line).ok_or_else(|| unreadable(number, line))?;
        }
        reader.finish()
    }
}

fn unreadable(number: usize, line: &str) -> Mistake {
    Mistake(format!("line {number} cannot be read: {line}"))
}

impl<'a> Reader<'a> {
    fn line(&mut self, number: usize, line: &'a str) -> Option<()> {
        if let Some(name) = line.strip_prefix('[') {
            self.sections.push(Section { name: name.strip_suffix(']')?, chords: Vec::new(), lines: Vec::new() });
            return Some(());
        }
        if let Some(section) = self.sections.last_mut() {
            match line.strip_prefix("chords:") {
                Some(bars) => section.chords.extend(read_chords(bars)?),
                // Parts and figures are known by now, but chords may come after the line that follows them.
                None => section.lines.push((number, line)),
            }
            return Some(());
        }
        let (word, rest) = line.split_once(' ')?;
        match word {
            "tempo" => self.tempo = rest.parse().ok().filter(|tempo| (30..=300).contains(tempo))?,
            "meter" => self.eighths = eighths(rest)?,
            "echo" => self.echo = rest.parse().ok().filter(|sixteenths| (1..=32).contains(sixteenths))?,
            "gain" => self.gain = rest.parse().ok()?,
            "part" => self.part(rest)?,
            "figure" => {
                let (name, bars) = rest.split_once(':')?;
                self.figures.push((name, read_bars(bars)?));
            }
            "play" => self.order.extend(rest.split_whitespace()),
            _ => return None,
        }
        Some(())
    }

    /// `lead: bright volume 200 pan -20 echo 80 hall 60`.
    fn part(&mut self, text: &'a str) -> Option<()> {
        let (name, rest) = text.split_once(':')?;
        let mut words = rest.split_whitespace();
        let mut part = Part { instrument: instruments::named(words.next()?)?, volume: 256, pan: 0, echo: 0, hall: 0 };
        while let Some(setting) = words.next() {
            let value: i32 = words.next()?.parse().ok()?;
            match setting {
                "volume" => part.volume = value,
                "pan" => part.pan = value,
                "echo" => part.echo = value,
                "hall" => part.hall = value,
                _ => return None,
            }
        }
        self.names.push(name);
        self.parts.push(part);
        Some(())
    }

    fn finish(self) -> Result<Score, Mistake> {
        // A whole number of blocks a bar: at most a twentieth of a percent off the tempo.
        let bar_blocks = SAMPLE_RATE * 30 * self.eighths / self.tempo / BLOCK as u32;
        let mut writer = Writer { bar_blocks, bars: 0, notes: Vec::new() };
        for entry in &self.order {
            let (name, silent, by) = self.entry(entry).ok_or_else(|| Mistake(format!("cannot play {entry}")))?;
            let section = self.sections.iter().find(|section| section.name == name);
            let section = section.ok_or_else(|| Mistake(format!("there is no section {name}")))?;
            self.play(section, &silent, by, &mut writer)?;
        }
        writer.notes.sort_by_key(|note| note.at);
        let echo_blocks = bar_blocks * self.echo / (2 * self.eighths);
        let blocks = writer.bars * bar_blocks;
        Ok(Score { blocks, echo_blocks, gain: self.gain, parts: self.parts, notes: writer.notes })
    }

    /// `a`, `a+2` two semitones higher, `a!lead` without the lead.
    fn entry(&self, entry: &'a str) -> Option<(&'a str, Vec<usize>, i32)> {
        let (rest, by) = match entry.find(['+', '-']) {
            Some(at) => (&entry[..at], entry[at..].parse().ok()?),
            None => (entry, 0),
        };
        let mut words = rest.split('!');
        let name = words.next()?;
        let silent = words.map(|word| self.names.iter().position(|name| *name == word)).collect::<Option<_>>()?;
        Some((name, silent, by))
    }

    /// Every part of a section has the same number of bars.
    fn play(&self, section: &Section, silent: &[usize], by: i32, writer: &mut Writer) -> Result<(), Mistake> {
        let mut lengths: Vec<Option<usize>> = vec![None; self.parts.len()];
        let first = writer.bars;
        for &(number, text) in &section.lines {
            let line = self.section_line(text, section).ok_or_else(|| unreadable(number, text))?;
            let (PartContent::Bars { part, .. } | PartContent::Figure { part, .. } | PartContent::Rest { part, .. }) =
                line;
            let from = lengths[part].unwrap_or(0);
            let to = from + line.length();
            lengths[part] = Some(to);
            if !silent.contains(&part) {
                let voice = Voicing { part, chords: &section.chords, by };
                writer.place(&line, voice, first, from).ok_or_else(|| unreadable(number, text))?;
            }
        }
        let length = lengths.iter().flatten().copied().max().unwrap_or(0);
        for (name, other) in self.names.iter().zip(&lengths) {
            if let Some(other) = other.filter(|other| *other != length) {
                return Err(Mistake(format!("{name} in {} has {other} bars, not {length}", section.name)));
            }
        }
        writer.bars += length as u32;
        Ok(())
    }

    /// `lead x2: | e5 . |`, `bass: gallop from e1`, `pad: rest for 4`.
    fn section_line(&self, text: &str, section: &Section) -> Option<PartContent<'_>> {
        let (head, rest) = text.split_once(':')?;
        let (name, times) = head.split_once(" x").unwrap_or((head, "1"));
        let part = self.names.iter().position(|known| *known == name)?;
        let rest = rest.trim();
        if rest.starts_with('|') {
            let bars = read_bars(rest)?;
            return Some(PartContent::Bars { part, bars: vec![bars; times.parse().ok()?].concat() });
        }
        let (what, bars) = match rest.split_once(" for ") {
            Some((what, bars)) => (what, bars.parse().ok()?),
            None => (rest, section.chords.len()),
        };
        if what == "rest" {
            return Some(PartContent::Rest { part, bars });
        }
        let (figure, floor) = what.split_once(" from ").unwrap_or((what, "c4"));
        let (_, figure) = self.figures.iter().find(|(name, _)| *name == figure)?;
        Some(PartContent::Figure { part, figure, floor: pitch(floor)?, bars })
    }
}

impl PartContent<'_> {
    fn length(&self) -> usize {
        match self {
            PartContent::Bars { bars, .. } => bars.len(),
            PartContent::Figure { bars, .. } | PartContent::Rest { bars, .. } => *bars,
        }
    }
}

/// Who plays a line, on which chords, and by how many semitones it is moved.
#[derive(Clone, Copy)]
struct Voicing<'a> {
    part: usize,
    chords: &'a [Vec<Chord>],
    by: i32,
}

/// Places notes in the song.
struct Writer {
    bar_blocks: u32,
    bars: u32,
    notes: Vec<Placed>,
}

impl Writer {
    /// Places a line that begins in the `from`th bar of a section that begins in the `first` bar of the song.
    fn place(&mut self, line: &PartContent, voicing: Voicing, first: u32, from: usize) -> Option<()> {
        let (floor, bars): (i32, Vec<&Bar>) = match line {
            PartContent::Rest { .. } => return Some(()),
            PartContent::Bars { bars, .. } => (pitch("c4")?, bars.iter().collect()),
            // A figure of several bars begins with the section, whatever was played before it.
            PartContent::Figure { figure, floor, bars, .. } => {
                (*floor, (from..from + bars).map(|bar| &figure[bar % figure.len()]).collect())
            }
        };
        // Notes that a hold makes longer: those of the last word that sounded.
        let mut sounding = 0..0;
        for (bar, words) in (from..).zip(bars) {
            let length = BAR / words.len() as u32;
            for (tick, word) in (0..BAR).step_by(length as usize).zip(words) {
                let at = self.block((first + bar as u32) * BAR + tick);
                let end = self.block((first + bar as u32) * BAR + tick + length);
                match *word {
                    Word::Rest => sounding = 0..0,
                    Word::Hold => self.notes[sounding.clone()].iter_mut().for_each(|note| note.blocks = end - note.at),
                    Word::Sound { what, volume } => {
                        let begin = self.notes.len();
                        let chord =
                            voicing.chords.get(bar).map(|chords| chords[tick as usize * chords.len() / BAR as usize]);
                        let pitches = pitches(what, chord, floor, voicing.by)?;
                        let note = |pitch| Placed { part: voicing.part, at, blocks: end - at, pitch, volume };
                        self.notes.extend(pitches.into_iter().map(note));
                        sounding = begin..self.notes.len();
                    }
                }
            }
        }
        Some(())
    }

    fn block(&self, tick: u32) -> u32 {
        (u64::from(tick) * u64::from(self.bar_blocks) / u64::from(BAR)) as u32
    }
}

/// The pitches of a word; none if it speaks of a chord where there is none.
fn pitches(what: What, chord: Option<Chord>, floor: i32, by: i32) -> Option<Vec<i32>> {
    // The floor moves along, so that a section sounds the same in another key.
    let floor = floor + by;
    let moved = chord.map(|chord| chord.moved(by));
    Some(match what {
        What::Drum => vec![STRUCK],
        What::Pitch(pitch) => vec![pitch + by],
        What::Bass(octaves) => vec![moved?.bass(floor) + 12 * octaves],
        What::Above(interval) => vec![moved?.bass(floor) + moved?.interval(interval)],
        What::Tone(number) => vec![moved?.tone(floor, number)],
        What::AllTones => {
            let chord = moved?;
            (0..chord.size()).map(|number| chord.tone(floor, number)).collect()
        }
    })
}

fn eighths(meter: &str) -> Option<u32> {
    let (count, of) = meter.split_once('/')?;
    let count: u32 = count.parse().ok().filter(|count| (1..=16).contains(count))?;
    match of {
        "4" => Some(2 * count),
        "8" => Some(count),
        _ => None,
    }
}

fn read_chords(text: &str) -> Option<Vec<Vec<Chord>>> {
    let mut bars: Vec<Vec<Chord>> = Vec::new();
    for bar in split_bars(text)? {
        let again = bars.last().filter(|_| bar == "%").cloned();
        bars.push(match again {
            Some(again) => again,
            None => bar.split_whitespace().map(Chord::read).collect::<Option<_>>()?,
        });
    }
    bars.iter().all(|bar| !bar.is_empty() && BAR.is_multiple_of(bar.len() as u32)).then_some(bars)
}

fn read_bars(text: &str) -> Option<Vec<Bar>> {
    let mut bars: Vec<Bar> = Vec::new();
    for bar in split_bars(text)? {
        bars.push(match (bar.strip_prefix('%'), bars.last()) {
            (Some(by), Some(before)) => moved(before, if by.is_empty() { 0 } else { by.parse().ok()? }),
            _ => bar.split_whitespace().map(Word::read).collect::<Option<_>>()?,
        });
    }
    bars.iter().all(|bar| !bar.is_empty() && BAR.is_multiple_of(bar.len() as u32)).then_some(bars)
}

fn split_bars(text: &str) -> Option<impl Iterator<Item = &str>> {
    Some(text.trim().strip_prefix('|')?.strip_suffix('|')?.split('|').map(str::trim))
}

fn moved(bar: &[Word], by: i32) -> Bar {
    let moved = |word: &Word| match *word {
        Word::Sound { what: What::Pitch(pitch), volume } => Word::Sound { what: What::Pitch(pitch + by), volume },
        other => other,
    };
    bar.iter().map(moved).collect()
}

impl Word {
    /// `-`, `.`, `x`, `c#4`, `r!`: a `!` makes it strong, a `?` soft.
    fn read(word: &str) -> Option<Word> {
        let (name, volume) = match (word.strip_suffix('!'), word.strip_suffix('?')) {
            (Some(name), _) => (name, STRONG),
            (_, Some(name)) => (name, SOFT),
            (None, None) => (word, COMMON),
        };
        let what = match name {
            "-" => return Some(Word::Hold),
            "." => return Some(Word::Rest),
            "x" => What::Drum,
            "X" => return Some(Word::Sound { what: What::Drum, volume: STRONG }),
            "r" => What::Bass(0),
            "o" => What::Bass(1),
            "t" => What::Above(Interval::Third),
            "f" => What::Above(Interval::Fifth),
            "s" => What::Above(Interval::Seventh),
            "*" => What::AllTones,
            _ => match name.parse() {
                Ok(number) => What::Tone(number),
                Err(_) => What::Pitch(pitch(name)?),
            },
        };
        Some(Word::Sound { what, volume })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "tempo 120\npart lead: lead\npart bass: bass\npart kick: kick\n";
    /// A bar of two seconds.
    const BAR_BLOCKS: u32 = 2 * SAMPLE_RATE / BLOCK as u32;

    fn score(text: &str) -> Score {
        Score::read(&format!("{HEAD}{text}")).unwrap_or_else(|mistake| panic!("{}", mistake.0))
    }

    /// Where notes begin and how long they are, in sixteenths, and their pitches.
    fn notes(text: &str) -> Vec<(u32, u32, i32)> {
        let sixteenths = |blocks: u32| (blocks * 16 + BAR_BLOCKS / 2) / BAR_BLOCKS;
        score(text).notes.iter().map(|note| (sixteenths(note.at), sixteenths(note.blocks), note.pitch)).collect()
    }

    fn mistake(text: &str) -> String {
        Score::read(&format!("{HEAD}{text}")).err().expect("a mistake").0
    }

    #[test]
    fn a_bar_is_divided_among_its_words() {
        assert_eq!(notes("play a\n[a]\nlead: | c4 - . d#4 | a4 |"), [(0, 8, 60), (12, 4, 63), (16, 16, 69)]);
    }

    #[test]
    fn a_note_is_held_over_a_bar_line() {
        assert_eq!(notes("play a\n[a]\nlead: | c4 | - e4 |"), [(0, 24, 60), (24, 8, 64)]);
    }

    #[test]
    fn a_bar_comes_again_and_moves() {
        assert_eq!(notes("play a\n[a]\nbass: | c2 | % | %-5 |"), [(0, 16, 36), (16, 16, 36), (32, 16, 31)]);
    }

    #[test]
    fn sections_follow_each_other_in_another_key_and_without_a_part() {
        let text = "play b a+2 b!lead\n[a]\nkick x2: | x |\n lead x2: | c4 |\n[b]\nlead: | c4 |\nbass: | c2 |";
        let expected = [(0, 60), (0, 36), (16, 60), (16, 62), (32, 60), (32, 62), (48, 36)];
        assert_eq!(notes(text).iter().map(|&(at, _, pitch)| (at, pitch)).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_figure_follows_the_chords() {
        let text = "figure walk: | r . o f | t |\nfigure all: | * - |\nplay a\n[a]\nchords: | C F | Am |\n";
        let bass = notes(&format!("{text}bass: walk from c2"));
        assert_eq!(bass, [(0, 4, 36), (8, 4, 41 + 12), (12, 4, 48), (16, 16, 48)]);
        let pad = notes(&format!("{text}lead: rest for 1\nlead: all from c4 for 1"));
        assert_eq!(pad, [(16, 16, 60), (16, 16, 64), (16, 16, 69)], "a hold holds all of a chord");
    }

    #[test]
    fn notes_are_soft_common_or_strong() {
        let volumes = score("play a\n[a]\nlead: | c4? c4 c4! |\nkick: | x X . |").notes;
        assert_eq!(volumes.iter().map(|note| note.volume).collect::<Vec<_>>(), [SOFT, COMMON, COMMON, STRONG, STRONG]);
    }

    #[test]
    fn a_meter_makes_bars_shorter() {
        let (four, seven) =
            (score("play a\n[a]\nkick: | x |"), score("meter 7/8\nplay a\n[a]\nkick: | x x x x x x x |"));
        assert_eq!((four.blocks, seven.blocks), (BAR_BLOCKS, BAR_BLOCKS * 7 / 8));
    }

    #[test]
    fn a_mistake_is_named() {
        assert_eq!(mistake("play a\n[a]\nlead: | c4 q |"), "line 7 cannot be read: lead: | c4 q |");
        assert_eq!(mistake("play a\n[a]\nlute: | c4 |"), "line 7 cannot be read: lute: | c4 |");
        assert_eq!(mistake("part x: lute"), "line 5 cannot be read: part x: lute");
        let eleven = "lead: | c4 . . . . . . . . . . |";
        assert_eq!(mistake(&format!("play a\n[a]\n{eleven}")), format!("line 7 cannot be read: {eleven}"));
        assert_eq!(mistake("play a\n[a]\nlead: | r |"), "line 7 cannot be read: lead: | r |", "there is no chord");
        assert_eq!(mistake("play a"), "there is no section a");
        assert_eq!(mistake("play a!lute\n[a]\nkick: | x |"), "cannot play a!lute");
        assert_eq!(mistake("play a\n[a]\nlead: | c4 |\nkick: | x | x |"), "lead in a has 1 bars, not 2");
    }
}
