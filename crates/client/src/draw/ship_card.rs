//! A ship to choose: what it looks like, and how it compares with the others.

use game::{Seat, ShipModel, tuning::SHIPS};

use super::{area::Area, art::ART, font::Font, palette::Colour, picture::Picture};

/// Steps of a bar.
pub const STEPS: i32 = 5;

/// Draws a ship in the colours of the first seat, scaled up, with its centre at a point.
pub fn draw_ship(model: ShipModel, centre: (i32, i32), scale: i32, picture: &mut Picture) {
    let Some(sprite) = ART.ship(model, Some(Seat::ALL[0]), 0) else { return };
    let (left, top) = (centre.0 - sprite.width() * scale / 2, centre.1 - sprite.height() * scale / 2);
    for (x, y) in (0..sprite.height()).flat_map(|y| (0..sprite.width()).map(move |x| (x, y))) {
        if let Some(colour) = sprite.at(x, y) {
            picture.rect(Area::new(left + x * scale, top + y * scale, scale, scale), colour);
        }
    }
}

/// How fast a ship is, how quickly it charges, and how strong its beam is: 1 (the least of all ships) to [`STEPS`] each.
pub fn strengths(model: ShipModel) -> [i32; 3] {
    let measures = SHIPS.each_ref().map(|ship| [ship.speeds[0], -i32::from(ship.charge_full), i32::from(ship.beam)]);
    let own = measures[usize::from(model.number())];
    std::array::from_fn(|index| {
        let of_all = measures.map(|measure| measure[index]);
        let (least, most) =
            of_all.iter().fold((i32::MAX, i32::MIN), |(least, most), &it| (least.min(it), most.max(it)));
        let range = (most - least).max(1);
        // Rounded to the nearest step.
        1 + ((own[index] - least) * (STEPS - 1) * 2 + range) / (2 * range)
    })
}

/// Where and how wide the bars of a ship are.
#[derive(Clone, Copy, Debug)]
pub struct Bars {
    pub x: i32,
    pub y: i32,
    pub width: i32,
    /// The size of the words before them.
    pub letters: Font,
}

/// Draws a ship's strengths as bars, with a word before each, and returns how high they are together.
pub fn draw_strengths(model: ShipModel, words: [&str; 3], bars: Bars, picture: &mut Picture) -> i32 {
    let Bars { x, y, width, letters } = bars;
    let row = letters.height() + 4;
    let longest = words.iter().map(|word| letters.width(word)).max().unwrap_or(0);
    let from = longest + 6;
    let step = ((width - from) / STEPS).max(3);
    for (index, (word, strength)) in (0..).zip(words.iter().zip(strengths(model))) {
        let top = y + index * row;
        picture.text_in(letters, (x, top), word, Colour::GREY);
        for at in 0..STEPS {
            let colour = if at < strength { Colour::SEATS[0] } else { Colour::of(b'3') };
            picture.rect(Area::new(x + from + at * step, top + 1, step - 1, letters.height() - 2), colour);
        }
    }
    row * words.len() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bars_say_what_each_ship_is_for() {
        let all = ShipModel::ALL.map(strengths);
        let [arrow, wasp, anvil, lynx] = all;
        assert!(all.iter().flatten().all(|strength| (1..=STEPS).contains(strength)), "{all:?}");
        assert_eq!((wasp[0], lynx[1], anvil[2]), (STEPS, STEPS, STEPS), "each is the best at something");
        assert!(arrow.iter().all(|strength| (2..STEPS).contains(strength)), "the Arrow is good at everything");
    }

    #[test]
    fn a_ship_is_drawn_around_its_centre() {
        let mut picture = Picture::new();
        draw_ship(ShipModel::Anvil, (100, 100), 3, &mut picture);
        let lit: Vec<(i32, i32)> = (0..200)
            .flat_map(|y| (0..200).map(move |x| (x, y)))
            .filter(|&(x, y)| picture.at(x, y) != Some(Colour::VOID))
            .collect();
        assert!(lit.len() > 1_000 && lit.iter().all(|(x, y)| (55..=145).contains(x) && (70..=130).contains(y)));
    }
}
