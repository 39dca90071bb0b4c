//! The pictures of the documentation, from games that bots play: eight that stand still, and one that moves.

use std::{error::Error, fs, path::Path};

use bot::BotGame;
use client::draw::{COLOURS, Colour, Painter, Palette, Picture, View, ZoneStart, announcements::BossBar, hud};
use game::{Frame, Kind, SUBPIXELS, Stage, tuning};

use crate::{canvas::Canvas, scenes};

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
    /// When a boss of that name has been there for a while.
    Boss(Kind, &'static str),
}

const MOMENTS: [GamePicture; 8] = [
    GamePicture { name: "silent-fleet", stage: "stage1", players: 3, seed: 5, when: When::Second(75) },
    GamePicture {
        name: "salvager",
        stage: "stage1",
        players: 2,
        seed: 3,
        when: When::Boss(Kind::Salvager, "THE SALVAGER"),
    },
    GamePicture { name: "keeper", stage: "stage1", players: 4, seed: 8, when: When::Boss(Kind::Keeper, "THE KEEPER") },
    GamePicture { name: "mouth", stage: "stage2", players: 2, seed: 3, when: When::Second(30) },
    GamePicture {
        name: "matriarch",
        stage: "stage2",
        players: 3,
        seed: 4,
        when: When::Boss(Kind::Matriarch, "THE MATRIARCH"),
    },
    GamePicture { name: "hull", stage: "stage3", players: 2, seed: 3, when: When::Second(45) },
    GamePicture { name: "heart", stage: "stage3", players: 4, seed: 6, when: When::Boss(Kind::Heart, "THE HEART") },
    GamePicture { name: "endless", stage: "endless", players: 4, seed: 2, when: When::Second(60) },
];
/// The game that moves, and for how long.
const MOVING: GamePicture =
    GamePicture { name: "volley", stage: "stage1", players: 3, seed: 5, when: When::Second(70) };
const MOVING_SECONDS: u32 = 7;
/// One picture of the moving one for so many ticks.
const TICKS_EACH: u32 = 4;
const TICKS_PER_SECOND: u32 = 60;
/// Seconds after a boss has come.
const BOSS_SECONDS: u32 = 10;
/// A boss that has not come by then does not come, in seconds.
const PATIENCE_SECONDS: u32 = 900;
/// How much larger the pictures are that stand still.
const SCALE: usize = 2;

pub fn write(directory: &Path) -> Result<(), Box<dyn Error>> {
    for moment in &MOMENTS {
        let mut picture = Film::until(moment)?.picture;
        let mut canvas = Canvas::new(Picture::WIDTH, Picture::HEIGHT);
        canvas.paste(0, 0, &mut picture);
        canvas.write(&directory.join(format!("{}.png", moment.name)), SCALE)?;
    }
    let mut film = Film::until(&MOVING)?;
    let pictures = MOVING_SECONDS * TICKS_PER_SECOND / TICKS_EACH;
    let mut frames = Vec::new();
    for _ in 0..pictures {
        (0..TICKS_EACH).for_each(|_| film.tick());
        frames.push(film.indices());
    }
    write_moving(&directory.join(format!("{}.png", MOVING.name)), &frames)
}

/// A game that is filmed.
struct Film {
    game: BotGame,
    zones: Vec<ZoneStart>,
    painter: Painter,
    picture: Picture,
    ticks: u32,
    /// The boss that is there, and its name.
    boss: Option<(Kind, &'static str)>,
}

impl Film {
    /// The game as it is at a moment.
    fn until(moment: &GamePicture) -> Result<Film, Box<dyn Error>> {
        let stage = Stage::built_in(moment.stage).ok_or_else(|| format!("there is no stage {}", moment.stage))?;
        let zones = ZoneStart::all_of(&stage);
        let game = BotGame::new(stage, moment.players, moment.seed);
        let mut film = Film { game, zones, painter: Painter::new(), picture: Picture::new(), ticks: 0, boss: None };
        let seconds = match moment.when {
            When::Second(second) => second,
            When::Boss(kind, name) => {
                film.wait_for(kind).ok_or_else(|| format!("{name} did not come"))?;
                film.boss = Some((kind, name));
                BOSS_SECONDS
            }
        };
        // Effects last no longer than the last second.
        (TICKS_PER_SECOND..seconds * TICKS_PER_SECOND).for_each(|_| film.play());
        (0..TICKS_PER_SECOND).for_each(|_| film.tick());
        Ok(film)
    }

    /// Plays until there is a boss.
    fn wait_for(&mut self, kind: Kind) -> Option<()> {
        (0..PATIENCE_SECONDS * TICKS_PER_SECOND).find_map(|_| {
            self.play();
            self.game.frame().entities.iter().any(|entity| entity.kind == kind).then_some(())
        })
    }

    fn play(&mut self) {
        self.game.tick();
        self.ticks += 1;
        self.painter.observe(self.game.frame());
    }

    fn tick(&mut self) {
        self.play();
        let frame = self.game.frame();
        let view = View {
            scroll: i64::from(frame.scroll_px) * i64::from(SUBPIXELS),
            zones: &self.zones,
            ..scenes::view_of(frame, self.game.stage(), self.ticks)
        };
        self.painter.draw(&view, &mut self.picture);
        hud::draw(&hud::Hud { high_score: None, ping_ms: None, ..scenes::hud_of(&view) }, &mut self.picture);
        if let Some((hull, name)) = self.boss {
            draw_bar(frame, hull, name, &mut self.picture);
        }
    }

    fn indices(&self) -> Vec<u8> {
        let pixels = (0..Picture::HEIGHT).flat_map(|y| (0..Picture::WIDTH).map(move |x| (x, y)));
        pixels.map(|(x, y)| self.picture.at(x, y).map_or(0, Colour::number)).collect()
    }
}

/// The bar of a boss, while its weak point is there.
fn draw_bar(frame: &Frame, hull: Kind, name: &str, picture: &mut Picture) {
    let weak_point = tuning::boss(hull).map(|boss| boss.parts[0].0);
    if let Some(part) = frame.entities.iter().find(|part| Some(part.kind) == weak_point) {
        BossBar { name, health: part.health.into(), health_max: part.health_max.into() }.draw(picture);
    }
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
