//! The pictures of the documentation, from games that bots play: nine that stand still, and one that moves.

use std::{error::Error, fs, path::Path};

use client::draw::{COLOURS, Colour, Palette, Picture};
use game::{Frame, Kind, Rules};

use crate::{canvas::Canvas, scenes::Flown};

/// A game, and when it is looked at.
struct GamePicture {
    name: &'static str,
    stage: &'static str,
    players: usize,
    seed: u64,
    when: When,
}

enum When {
    Second(u32),
    /// Seconds after one of that kind has come.
    Kind(Kind, u32),
}

const MOMENTS: [GamePicture; 9] = [
    GamePicture { name: "silent-fleet", stage: "stage1", players: 3, seed: 5, when: When::Second(75) },
    GamePicture {
        name: "salvager",
        stage: "stage1",
        players: 2,
        seed: 3,
        when: When::Kind(Kind::Salvager, BOSS_SECONDS),
    },
    GamePicture { name: "keeper", stage: "stage1", players: 4, seed: 8, when: When::Kind(Kind::Keeper, BOSS_SECONDS) },
    GamePicture { name: "mouth", stage: "stage2", players: 2, seed: 3, when: When::Second(30) },
    GamePicture {
        name: "matriarch",
        stage: "stage2",
        players: 3,
        seed: 4,
        when: When::Kind(Kind::Matriarch, BOSS_SECONDS),
    },
    GamePicture { name: "hull", stage: "stage3", players: 2, seed: 3, when: When::Second(45) },
    GamePicture { name: "chase", stage: "stage3", players: 2, seed: 3, when: When::Kind(Kind::Grinder, CHASE_SECONDS) },
    GamePicture { name: "heart", stage: "stage3", players: 4, seed: 6, when: When::Kind(Kind::Heart, BOSS_SECONDS) },
    GamePicture { name: "endless", stage: "endless", players: 4, seed: 2, when: When::Second(60) },
];
/// The game that moves, and for how long.
const MOVING: GamePicture =
    GamePicture { name: "volley", stage: "stage1", players: 3, seed: 5, when: When::Second(70) };
const MOVING_SECONDS: u32 = 7;
/// Ticks for each picture of the moving one.
const TICKS_EACH: u32 = 4;
const TICKS_PER_SECOND: u32 = 60;
/// Seconds after a boss or a grinder has come.
const BOSS_SECONDS: u32 = 10;
const CHASE_SECONDS: u32 = 9;
/// What has not come by then does not come, in seconds.
const PATIENCE_SECONDS: u32 = 900;
/// How much larger the pictures are that stand still.
const SCALE: usize = 2;

pub fn write(directory: &Path) -> Result<(), Box<dyn Error>> {
    for moment in &MOMENTS {
        let mut picture = film(moment)?.picture();
        let mut canvas = Canvas::new(Picture::WIDTH, Picture::HEIGHT);
        canvas.paste(0, 0, &mut picture);
        canvas.write(&directory.join(format!("{}.png", moment.name)), SCALE)?;
    }
    let mut game = film(&MOVING)?;
    let mut picture = game.picture();
    let pictures = MOVING_SECONDS * TICKS_PER_SECOND / TICKS_EACH;
    let mut frames = Vec::new();
    for _ in 0..pictures {
        (0..TICKS_EACH).for_each(|_| game.draw_next(&mut picture));
        frames.push(indices(&picture));
    }
    write_moving(&directory.join(format!("{}.png", MOVING.name)), &frames)
}

/// The game as it is at a moment.
fn film(moment: &GamePicture) -> Result<Flown, Box<dyn Error>> {
    let mut game = Flown::new(moment.stage, Rules::default(), moment.players, moment.seed);
    let seconds = match moment.when {
        When::Second(second) => second,
        When::Kind(kind, seconds) => {
            let is_there = |frame: &Frame| frame.entities.iter().any(|entity| entity.kind == kind);
            if !game.play_until(PATIENCE_SECONDS, is_there) {
                return Err(format!("no {} came", kind.name()).into());
            }
            seconds
        }
    };
    // The last second is drawn.
    game.play_until(seconds - 1, |_| false);
    Ok(game)
}

fn indices(picture: &Picture) -> Vec<u8> {
    let pixels = (0..Picture::HEIGHT).flat_map(|y| (0..Picture::WIDTH).map(move |x| (x, y)));
    pixels.map(|(x, y)| picture.at(x, y).map_or(0, Colour::number)).collect()
}

fn write_moving(path: &Path, frames: &[Vec<u8>]) -> Result<(), Box<dyn Error>> {
    let mut encoder = png::Encoder::new(fs::File::create(path)?, Picture::WIDTH as u32, Picture::HEIGHT as u32);
    encoder.set_color(png::ColorType::Indexed);
    let palette = (0..COLOURS as u8).flat_map(|number| Palette::Default.rgb(Colour::from_number(number)));
    encoder.set_palette(palette.collect::<Vec<u8>>());
    encoder.set_compression(png::Compression::High);
    encoder.set_animated(frames.len() as u32, 0)?;
    encoder.set_frame_delay(TICKS_EACH as u16, TICKS_PER_SECOND as u16)?;
    let mut writer = encoder.write_header()?;
    for frame in frames {
        writer.write_image_data(frame)?;
    }
    writer.finish()?;
    println!("{}", path.display());
    Ok(())
}
