//! The songs by name.

/// A piece of music. The order is stable: the web page numbers songs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Song {
    /// For the title and the menus.
    Title,
    /// *The Silent Fleet*: cold and heroic.
    Stage1,
    /// The living cave: uneasy.
    Stage2,
    /// The warship: martial and driving.
    Stage3,
    /// For the endless stage: night, and speed.
    Endless,
    /// While there is a boss.
    Boss,
    /// While there is the last boss.
    LastBoss,
    /// After a lost game.
    GameOver,
    /// For the table of high scores.
    Scores,
}

impl Song {
    /// Every song, in order.
    pub const ALL: [Song; 9] = [
        Song::Title,
        Song::Stage1,
        Song::Stage2,
        Song::Stage3,
        Song::Endless,
        Song::Boss,
        Song::LastBoss,
        Song::GameOver,
        Song::Scores,
    ];

    /// The stable name, for files.
    pub const fn name(self) -> &'static str {
        match self {
            Song::Title => "title",
            Song::Stage1 => "stage1",
            Song::Stage2 => "stage2",
            Song::Stage3 => "stage3",
            Song::Endless => "endless",
            Song::Boss => "boss",
            Song::LastBoss => "last_boss",
            Song::GameOver => "game_over",
            Song::Scores => "scores",
        }
    }

    pub(super) const fn text(self) -> &'static str {
        match self {
            Song::Title => include_str!("../../../../art/songs/title.txt"),
            Song::Stage1 => include_str!("../../../../art/songs/stage1.txt"),
            Song::Stage2 => include_str!("../../../../art/songs/stage2.txt"),
            Song::Stage3 => include_str!("../../../../art/songs/stage3.txt"),
            Song::Endless => include_str!("../../../../art/songs/endless.txt"),
            Song::Boss => include_str!("../../../../art/songs/boss.txt"),
            Song::LastBoss => include_str!("../../../../art/songs/last_boss.txt"),
            Song::GameOver => include_str!("../../../../art/songs/game_over.txt"),
            Song::Scores => include_str!("../../../../art/songs/scores.txt"),
        }
    }
}
