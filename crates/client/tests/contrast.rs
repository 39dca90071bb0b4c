//! Items, enemy shots, enemies, walls and scenery stay apart, over every backdrop and in every palette.
//!
//! What a player sees is measured: each group is drawn alone over each zone, and its colours are compared with those of the
//! others. Lightness is compared by the contrast ratio of WCAG 2, colour by the distance in OKLab, where 0.02 can just be seen.
//! For the two palettes of colour-blind players the colours are first turned into what those players see (Viénot 1999).

#[allow(dead_code, reason = "each test needs a part of it")]
mod scenes;

use client::draw::{Colour, Look, Painter, Palette, Picture, TileSet, View, ZoneLook, ZoneStart, sheet, tile_sample};
use game::{Class, Frame, Kind, px};

type Linear = [f64; 3];

/// Red, green and blue as light, as the player of that palette sees them.
fn seen(palette: Palette, colour: Colour) -> Linear {
    let light = |part: u8| {
        let share = f64::from(part) / 255.0;
        if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    };
    let [red, green, blue] = palette.rgb(colour).map(light);
    match palette {
        Palette::Default => [red, green, blue],
        // Deuteranopia.
        Palette::RedGreen => {
            let both = 0.29275 * red + 0.70725 * green;
            [both, both, -0.02234 * red + 0.02234 * green + blue]
        }
        // Tritanopia.
        Palette::BlueYellow => {
            let green_blue = 0.87 * green + 0.13 * blue;
            [red + 0.127 * green - 0.127 * blue, green_blue, green_blue]
        }
    }
}

fn luminance([red, green, blue]: Linear) -> f64 {
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// The contrast ratio of two luminances: 1 to 21.
fn ratio(a: f64, b: f64) -> f64 {
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

fn oklab([red, green, blue]: Linear) -> [f64; 3] {
    let long = (0.41222 * red + 0.53633 * green + 0.05145 * blue).max(0.0).cbrt();
    let middle = (0.21190 * red + 0.68070 * green + 0.10740 * blue).max(0.0).cbrt();
    let short = (0.08830 * red + 0.28172 * green + 0.62998 * blue).max(0.0).cbrt();
    [
        0.21045 * long + 0.79362 * middle - 0.00407 * short,
        1.97800 * long - 2.42859 * middle + 0.45059 * short,
        0.02590 * long + 0.78277 * middle - 0.80868 * short,
    ]
}

/// What a group looks like.
struct Group {
    /// From the darkest pixel to the lightest.
    luminances: Vec<f64>,
    /// The mean colour of its light half, in OKLab: what gives it its colour.
    mean: [f64; 3],
}

impl Group {
    fn of(palette: Palette, colours: impl Iterator<Item = Colour>) -> Group {
        let mut linear: Vec<Linear> = colours.map(|colour| seen(palette, colour)).collect();
        assert!(!linear.is_empty(), "a group has pixels");
        linear.sort_by(|a, b| luminance(*a).total_cmp(&luminance(*b)));
        let light = &linear[linear.len() / 2..];
        let mut mean = [0.0; 3];
        for colour in light {
            oklab(*colour).iter().zip(&mut mean).for_each(|(part, mean)| *mean += part / light.len() as f64);
        }
        Group { luminances: linear.into_iter().map(luminance).collect(), mean }
    }

    /// The luminance below which this percentage of its pixels is.
    fn at(&self, percent: usize) -> f64 {
        self.luminances[(self.luminances.len() - 1) * percent / 100]
    }

    fn distance(&self, other: &Group) -> f64 {
        self.mean.iter().zip(&other.mean).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
    }
}

/// The groups that do not depend on the place.
struct Groups {
    items: Group,
    enemies: Group,
    shots: Group,
}

impl Groups {
    fn of(palette: Palette) -> Groups {
        Groups {
            items: kinds(palette, |class| class == Class::Item),
            enemies: kinds(palette, is_foe),
            shots: Group::of(palette, Colour::ENEMY_SHOT.into_iter()),
        }
    }
}

/// Measures, each with the least that it must be.
#[derive(Default)]
struct Report(Vec<String>);

impl Report {
    fn check(&mut self, what: String, measured: f64, least: f64) {
        println!("{measured:6.2}  {what}");
        if measured < least {
            self.0.push(format!("{what}: {measured:.2}, which is less than {least}"));
        }
    }

    fn conclude(self) {
        assert!(self.0.is_empty(), "{}", self.0.join("\n"));
    }
}

fn backdrop(zone: ZoneLook, scroll_px: i32) -> Picture {
    let frame = Frame { stage: 1, ..Frame::default() };
    let zones = [ZoneStart { x_px: 0, zone }];
    let scroll = i64::from(px(scroll_px));
    let view = View {
        frame: &frame,
        own: None,
        terrain: None,
        zones: &zones,
        scroll,
        names: [""; 4],
        tick: 0,
        look: Look::default(),
    };
    let mut picture = Picture::new();
    Painter::new().draw(&view, &mut picture);
    picture
}

fn scenery(palette: Palette, zone: ZoneLook) -> Group {
    let pictures: Vec<Picture> = [0, 1500, 3300].map(|scroll| backdrop(zone, scroll)).into();
    let pixels = pictures.iter().flat_map(|picture| {
        (0..Picture::HEIGHT).flat_map(move |y| (0..Picture::WIDTH).filter_map(move |x| picture.at(x, y)))
    });
    Group::of(palette, pixels)
}

/// All images of the kinds of a class, as the sheets have them.
fn kinds(palette: Palette, is_it: impl Fn(Class) -> bool) -> Group {
    let images: Vec<_> = Kind::ALL.iter().filter(|kind| is_it(kind.class())).map(|&kind| sheet(kind)).collect();
    let pixels = images.iter().flat_map(|image| {
        (0..image.height()).flat_map(move |y| (0..image.width()).filter_map(move |x| image.at(x, y)))
    });
    Group::of(palette, pixels)
}

/// Each kind of a class by itself.
fn each(palette: Palette, is_it: impl Fn(Class) -> bool) -> Vec<(Kind, Group)> {
    let of = |kind: Kind| {
        let image = sheet(kind);
        let pixels = (0..image.height()).flat_map(|y| (0..image.width()).map(move |x| (x, y)));
        Group::of(palette, pixels.filter_map(|(x, y)| image.at(x, y)))
    };
    Kind::ALL.iter().copied().filter(|kind| is_it(kind.class())).map(|kind| (kind, of(kind))).collect()
}

/// The kind whose colour is nearest to that of a group, and how far that is.
fn nearest(group: &Group, kinds: &[(Kind, Group)]) -> (Kind, f64) {
    let distances = kinds.iter().map(|(kind, looks)| (*kind, group.distance(looks)));
    distances.min_by(|one, other| one.1.total_cmp(&other.1)).expect("there are some")
}

fn is_foe(class: Class) -> bool {
    matches!(class, Class::Enemy | Class::Boss)
}

/// The outermost painted pixels of a pillar of a tile set, and all of them.
fn walls(palette: Palette, set: TileSet) -> (Group, Group) {
    let sample = tile_sample(set, &["......", "..##..", "..##..", "..##..", "..##..", "......"]);
    let pixels = || (0..sample.height()).flat_map(|y| (0..sample.width()).map(move |x| (x, y)));
    let is_rim = |x: i32, y: i32| {
        let reach = (-2..=2).flat_map(|dy| (-2..=2).map(move |dx| (dx, dy)));
        reach.into_iter().any(|(dx, dy)| sample.at(x + dx, y + dy).is_none())
    };
    let rim = pixels().filter(|&(x, y)| is_rim(x, y)).filter_map(|(x, y)| sample.at(x, y));
    (Group::of(palette, rim), Group::of(palette, pixels().filter_map(|(x, y)| sample.at(x, y))))
}

#[test]
fn scenery_is_darker_than_all_that_matters_over_every_backdrop_in_every_palette() {
    let mut report = Report::default();
    for palette in Palette::ALL {
        let Groups { items, enemies, shots } = Groups::of(palette);
        for zone in ZoneLook::ALL {
            // Stars are single points: what is behind is what nearly all pixels are.
            let light = scenery(palette, zone).at(97);
            let (rim, _) = walls(palette, TileSet::of(zone));
            let over = format!("over {zone:?}, {palette:?}");
            report.check(format!("enemy shots {over}"), ratio(shots.at(0), light), 10.0);
            report.check(format!("rings and letters of items {over}"), ratio(items.at(75), light), 6.0);
            report.check(format!("the light half of enemies {over}"), ratio(enemies.at(50), light), 2.0);
            report.check(format!("the lights of enemies {over}"), ratio(enemies.at(80), light), 2.5);
            report.check(format!("the rims of walls {over}"), ratio(rim.at(70), light), 2.5);
        }
    }
    report.conclude();
}

#[test]
fn items_enemies_walls_and_enemy_shots_stay_apart_in_every_palette() {
    let mut report = Report::default();
    for palette in Palette::ALL {
        let Groups { items, enemies, shots } = Groups::of(palette);
        let (each_item, each_enemy) = (each(palette, |class| class == Class::Item), each(palette, is_foe));
        for (item, looks) in &each_item {
            let (foe, distance) = nearest(looks, &each_enemy);
            report.check(format!("colours of {item:?} and {foe:?}, the nearest enemy, {palette:?}"), distance, 0.035);
            let apart = shots.distance(looks);
            report.check(format!("colours of shots and {item:?}, {palette:?}"), apart, 0.15);
        }
        report.check(
            format!("shots over the light half of enemies, {palette:?}"),
            ratio(shots.at(0), enemies.at(75)),
            1.8,
        );
        for set in TileSet::ALL {
            let (_, wall) = walls(palette, set);
            let over = format!("over {set:?}, {palette:?}");
            report.check(format!("shots {over}"), ratio(shots.at(0), wall.at(75)), 2.5);
            report.check(format!("rings and letters of items {over}"), ratio(items.at(75), wall.at(50)), 3.0);
            let (foe, distance) = nearest(&wall, &each_enemy);
            report.check(format!("colours of {foe:?}, the nearest enemy, {over}"), distance, 0.04);
        }
    }
    report.conclude();
}

#[test]
fn names_can_be_read_over_anything() {
    for palette in Palette::ALL {
        for ground in (0..64).map(Colour::from_number) {
            for colour in Colour::SEATS.into_iter().chain([Colour::GREY, Colour::PALE, Colour::GOLD]) {
                let mut picture = Picture::new();
                picture.clear(ground);
                picture.text_edged(client::draw::Font::Small, (20, 20), "Aurélie", colour);
                let at = |x: i32, y: i32| picture.at(x, y).expect("inside");
                for (x, y) in (15..40).flat_map(|y| (15..80).map(move |x| (x, y))).filter(|&(x, y)| at(x, y) == colour)
                {
                    let around = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (x + dx, y + dy)));
                    let is_enclosed = around.clone().all(|(x, y)| [colour, Colour::SHADOW].contains(&at(x, y)));
                    assert!(is_enclosed || ground == colour, "{ground:?} touches the letters at {x}, {y}");
                }
                let contrast = ratio(luminance(seen(palette, colour)), luminance(seen(palette, Colour::SHADOW)));
                assert!(contrast >= 4.5, "{palette:?}: {colour:?} on its edge: {contrast:.1}");
            }
        }
    }
}
