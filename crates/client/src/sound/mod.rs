//! The sound of the game: a small synthesiser of our own, and what it plays.
//!
//! It renders cues and songs to samples, with whole numbers only: every platform hears the same bytes. It plays
//! nothing itself. `voice.rs` is how a note sounds; the songs are the texts in `art/songs/`, which `score.rs` reads.

mod cues;
mod instruments;
mod mix;
mod score;
mod voice;
mod wave;

use mix::Mix;
use score::Score;

/// Samples a second of all that is rendered here, in one channel.
pub const SAMPLE_RATE: u32 = 44_100;

/// A short sound. The order is stable: shells pass cues on by their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cue {
    /// A ship fires.
    Shot,
    /// A charged beam leaves a ship.
    Beam,
    /// The beam gauge fills; it can be looped without a seam.
    ChargeHum,
    /// Something was hit and lives.
    Hit,
    /// A small enemy bursts.
    ExplosionSmall,
    /// A large one does.
    ExplosionLarge,
    /// An item is taken.
    Item,
    /// The Force docks.
    ForceDock,
    /// The Force leaves.
    ForceLaunch,
    /// A ship is lost.
    Death,
    /// A life is won.
    ExtraLife,
    /// The choice in a menu moves.
    MenuMove,
    /// A choice is taken.
    MenuChoose,
    /// Somebody says something.
    Chat,
    /// A boss comes.
    Warning,
    /// The stage is won.
    StageClear,
    /// All lives are gone.
    GameOver,
}

impl Cue {
    /// Every cue, in order.
    pub const ALL: [Cue; 17] = [
        Cue::Shot,
        Cue::Beam,
        Cue::ChargeHum,
        Cue::Hit,
        Cue::ExplosionSmall,
        Cue::ExplosionLarge,
        Cue::Item,
        Cue::ForceDock,
        Cue::ForceLaunch,
        Cue::Death,
        Cue::ExtraLife,
        Cue::MenuMove,
        Cue::MenuChoose,
        Cue::Chat,
        Cue::Warning,
        Cue::StageClear,
        Cue::GameOver,
    ];

    /// Whether it is made to be repeated for as long as something lasts.
    pub const fn is_loop(self) -> bool {
        matches!(self, Cue::ChargeHum)
    }
}

/// A piece of music.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Song {
    /// Behind the title and the menus.
    Title,
    /// The wreck field.
    Stage1,
    /// The endless stage.
    Endless,
    /// While a boss is there.
    Boss,
}

impl Song {
    /// Every song, in order.
    pub const ALL: [Song; 4] = [Song::Title, Song::Stage1, Song::Endless, Song::Boss];

    const fn text(self) -> &'static str {
        match self {
            Song::Title => include_str!("../../../../art/songs/title.txt"),
            Song::Stage1 => include_str!("../../../../art/songs/stage1.txt"),
            Song::Endless => include_str!("../../../../art/songs/endless.txt"),
            Song::Boss => include_str!("../../../../art/songs/boss.txt"),
        }
    }
}

/// The samples of a cue, at [`SAMPLE_RATE`].
pub fn render(cue: Cue) -> Vec<i16> {
    cues::render(cue)
}

/// The samples of a song, at [`SAMPLE_RATE`]. Its end leads into its beginning.
pub fn song(song: Song) -> Vec<i16> {
    // The songs are compiled in, and a test reads every one.
    let score = Score::read(song.text()).expect("a song of ours can be read");
    let mut mix = Mix::ring(score.samples());
    score.play(&mut mix);
    mix.finish(SONG_PEAK)
}

/// How loud the loudest sample of a song is: below the cues, which tell more.
const SONG_PEAK: i32 = 23_000;

#[cfg(test)]
mod tests;
