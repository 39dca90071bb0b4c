//! Names of pitches and chords: `c#4`, `Em`, `A7/C#`.

/// A chord: which pitches belong to it, in any octave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chord {
    /// Semitones above C, 0 to 11.
    root: i32,
    /// The lowest pitch, if it is not the root.
    bass: i32,
    /// Its other pitches, in semitones above the root; as many as it has.
    above: &'static [i32],
}

impl Chord {
    /// `C`, `F#m`, `G7`, `D/F#`.
    pub fn read(word: &str) -> Option<Chord> {
        let (name, bass) = word.split_once('/').map_or((word, None), |(name, bass)| (name, Some(bass)));
        let (root, kind) = class(name)?;
        let bass = match bass.map(class) {
            None => root,
            Some(Some((bass, ""))) => bass,
            Some(_) => return None,
        };
        let above: &[i32] = match kind {
            "" => &[4, 7],
            "m" => &[3, 7],
            "5" => &[7],
            "s" => &[5, 7],
            "2" => &[2, 7],
            "d" => &[3, 6],
            "+" => &[4, 8],
            "6" => &[4, 7, 9],
            "m6" => &[3, 7, 9],
            "7" => &[4, 7, 10],
            "m7" => &[3, 7, 10],
            "M7" => &[4, 7, 11],
            "d7" => &[3, 6, 9],
            "9" => &[2, 4, 7],
            "m9" => &[2, 3, 7],
            _ => return None,
        };
        Some(Chord { root, bass, above })
    }

    /// The same chord, `by` semitones higher.
    pub fn moved(self, by: i32) -> Chord {
        let up = |class: i32| (class + by).rem_euclid(12);
        Chord { root: up(self.root), bass: up(self.bass), ..self }
    }

    /// How many different pitches it has.
    pub fn size(self) -> usize {
        1 + self.above.len()
    }

    /// The lowest bass that is not below `floor`.
    pub fn bass(self, floor: i32) -> i32 {
        floor + (self.bass - floor).rem_euclid(12)
    }

    /// How many semitones above that bass there is the third (or what stands for it), the fifth, the seventh (or the octave).
    pub fn interval(self, name: Interval) -> i32 {
        let shift = (self.root - self.bass).rem_euclid(12);
        let third =
            self.above[self.above.len().saturating_sub(1).min(usize::from(self.above[0] == 2 && self.size() == 4))];
        let fifth = self.above.iter().copied().find(|step| (6..=8).contains(step)).unwrap_or(7);
        let seventh = self.above.iter().copied().find(|step| *step > 8).unwrap_or(12);
        shift
            + match name {
                Interval::Third => third,
                Interval::Fifth => fifth,
                Interval::Seventh => seventh,
            }
    }

    /// The pitch of that number among those of the chord that are not below `floor`: the lowest is 0. Chords that follow each
    /// other are thus close to each other.
    pub fn tone(self, floor: i32, number: usize) -> i32 {
        let mut tones: Vec<i32> = std::iter::once(0)
            .chain(self.above.iter().copied())
            .map(|step| floor + (self.root + step - floor).rem_euclid(12))
            .collect();
        tones.sort_unstable();
        tones[number % tones.len()] + 12 * (number / tones.len()) as i32
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interval {
    Third,
    Fifth,
    Seventh,
}

/// A pitch with its octave, in semitones, where 60 is the middle C: `c4`, `f#5`, `bb3`.
pub fn pitch(word: &str) -> Option<i32> {
    if word.starts_with(|letter: char| letter.is_ascii_uppercase()) {
        return None;
    }
    let (class, octave) = class(word)?;
    // The class wraps, the pitch does not: there is no cb, and no b#.
    let octave: i32 = octave.parse().ok().filter(|octave| (0..=9).contains(octave))?;
    Some(12 * (octave + 1) + class)
}

/// The pitch class at the beginning of a word, and the rest of it.
fn class(word: &str) -> Option<(i32, &str)> {
    let natural = match word.chars().next()?.to_ascii_lowercase() {
        'c' => 0,
        'd' => 2,
        'e' => 4,
        'f' => 5,
        'g' => 7,
        'a' => 9,
        'b' => 11,
        _ => return None,
    };
    let rest = &word[1..];
    Some(match (rest.strip_prefix('#'), rest.strip_prefix('b')) {
        (Some(rest), _) if natural < 11 => (natural + 1, rest),
        (_, Some(rest)) if natural > 0 => (natural - 1, rest),
        _ => (natural, rest),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chord(word: &str) -> Chord {
        Chord::read(word).expect("a chord")
    }

    #[test]
    fn pitches_are_read() {
        let read = ["c4", "f#5", "bb3", "a0"].map(pitch);
        assert_eq!(read, [Some(60), Some(78), Some(58), Some(21)]);
        assert_eq!(["h4", "c", "c10", "C4", "c#", "4", "", "é4"].map(pitch), [None; 8]);
    }

    #[test]
    fn the_pitches_of_a_chord_are_counted_from_the_lowest_that_is_allowed() {
        let tones = |word, floor| [0, 1, 2, 3].map(|number| chord(word).tone(floor, number));
        assert_eq!(tones("C", 60), [60, 64, 67, 72]);
        assert_eq!(tones("Am", 60), [60, 64, 69, 72], "a chord stays where the one before was");
        assert_eq!(tones("G7", 60), [62, 65, 67, 71]);
        assert_eq!(chord("G7").size(), 4);
    }

    #[test]
    fn a_bass_has_its_intervals() {
        let above = |word| [Interval::Third, Interval::Fifth, Interval::Seventh].map(|name| chord(word).interval(name));
        assert_eq!((above("Em"), above("G7"), above("F#d")), ([3, 7, 12], [4, 7, 10], [3, 6, 12]));
        assert_eq!(above("C9"), [4, 7, 12], "the ninth is no third");
        assert_eq!((chord("Em").bass(36), chord("D/F#").bass(36), chord("B").moved(2).bass(36)), (40, 42, 37));
    }

    #[test]
    fn what_is_not_a_chord_is_refused() {
        assert!(["", "H", "Cq", "C/", "C/x", "Cm/E5"].iter().all(|word| Chord::read(word).is_none()));
    }
}
