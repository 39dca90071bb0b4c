//! Cues and songs, rendered to samples by a small synthesiser.
//!
//! It uses whole numbers only, so the samples are the same on every platform. It plays nothing itself. `voice.rs` is how a
//! note sounds; the songs are the texts in `art/songs/`, which `score.rs` reads.

mod cues;
mod instruments;
mod mix;
mod score;
mod voice;
mod wav;
mod wave;

use mix::Mix;
use score::Score;
pub use wav::wav;

/// Samples a second of everything that is rendered here, in one channel.
pub const SAMPLE_RATE: u32 = 44_100;

/// A short sound. The order is stable: the web page numbers cues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cue {
    /// A ship fires.
    Shot,
    /// A charged beam leaves a ship.
    Beam,
    /// The beam gauge fills; it can be looped without a seam.
    ChargeHum,
    /// A foe was hit but not destroyed.
    Hit,
    /// A small enemy explodes.
    ExplosionSmall,
    /// A large enemy explodes.
    ExplosionLarge,
    /// A ship takes an item.
    Item,
    ForceDock,
    /// The Force leaves.
    ForceLaunch,
    /// A ship is lost.
    Death,
    /// A player gets another life.
    ExtraLife,
    /// Another line of a menu is selected.
    MenuMove,
    /// A line of a menu is chosen.
    MenuChoose,
    /// A chat message arrives.
    Chat,
    /// A boss appears.
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

    /// The stable name, for files.
    pub const fn name(self) -> &'static str {
        match self {
            Cue::Shot => "shot",
            Cue::Beam => "beam",
            Cue::ChargeHum => "charge_hum",
            Cue::Hit => "hit",
            Cue::ExplosionSmall => "explosion_small",
            Cue::ExplosionLarge => "explosion_large",
            Cue::Item => "item",
            Cue::ForceDock => "force_dock",
            Cue::ForceLaunch => "force_launch",
            Cue::Death => "death",
            Cue::ExtraLife => "extra_life",
            Cue::MenuMove => "menu_move",
            Cue::MenuChoose => "menu_choose",
            Cue::Chat => "chat",
            Cue::Warning => "warning",
            Cue::StageClear => "stage_clear",
            Cue::GameOver => "game_over",
        }
    }

    /// Whether it is to be repeated.
    pub const fn is_loop(self) -> bool {
        matches!(self, Cue::ChargeHum)
    }
}

/// A piece of music.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Song {
    /// For the title and the menus.
    Title,
    /// For the stages.
    Stage1,
    /// For the endless stage.
    Endless,
    /// While there is a boss.
    Boss,
}

impl Song {
    /// Every song, in order.
    pub const ALL: [Song; 4] = [Song::Title, Song::Stage1, Song::Endless, Song::Boss];

    /// The stable name, for files.
    pub const fn name(self) -> &'static str {
        match self {
            Song::Title => "title",
            Song::Stage1 => "stage1",
            Song::Endless => "endless",
            Song::Boss => "boss",
        }
    }

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

/// The loudest sample of a song: below the cues, which matter more.
const SONG_PEAK: i32 = 23_000;

#[cfg(test)]
mod tests;
