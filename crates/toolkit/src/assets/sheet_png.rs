//! The sheet of a kind as a PNG file, as large as the rectangles of a SNAPSHOT at a door's default scale.

use client::draw::{COLOURS, Colour, Palette, Sprite, sheet};
use game::Kind;

/// Pixels of the file for one pixel of the field: `Scale::default()`.
pub(super) const SCALE: usize = 4;
/// The number behind the colours stands for a clear pixel.
const CLEAR: u8 = COLOURS as u8;

/// The sheet of a kind.
pub(super) fn write(kind: Kind) -> Result<Vec<u8>, String> {
    let drawn = sheet(kind);
    let mut file = Vec::new();
    let (width, height) = (drawn.width() as u32 * SCALE as u32, drawn.height() as u32 * SCALE as u32);
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    // Rows repeat, and are best compressed as the difference to the row above.
    encoder.set_filter(png::Filter::Up);
    encoder.set_palette(palette());
    encoder.set_trns([[255; COLOURS].as_slice(), &[0]].concat());
    let written = encoder.write_header().and_then(|mut image| image.write_image_data(&enlarged(&drawn)));
    written.map_err(|error| error.to_string())?;
    Ok(file)
}

/// Red, green and blue of each colour, and of none.
fn palette() -> Vec<u8> {
    let colours = (0..COLOURS as u8).map(|number| Palette::Default.rgb(Colour::from_number(number)));
    colours.chain([[0; 3]]).flatten().collect()
}

fn enlarged(drawn: &Sprite) -> Vec<u8> {
    let row = |y: i32| -> Vec<u8> {
        let numbers = (0..drawn.width()).map(|x| drawn.at(x, y).map_or(CLEAR, Colour::number));
        numbers.flat_map(|number| [number; SCALE]).collect()
    };
    (0..drawn.height()).flat_map(|y| row(y).repeat(SCALE)).collect()
}

#[cfg(test)]
mod tests {
    use protocol::{Scale, sheet::Sheet};

    use super::*;

    #[test]
    fn a_sheet_can_be_read_and_is_as_large_as_its_cells() {
        assert_eq!(Scale::default().whole_size((1, 1)), (SCALE as u32, SCALE as u32));
        let file = write(Kind::Drone).expect("a sheet");
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().expect("a PNG");
        let (width, height) = Scale::default().whole_size(Sheet(Kind::Drone).cell_px(0));
        let (columns, rows) = (u32::from(Sheet(Kind::Drone).columns()), u32::from(Sheet(Kind::Drone).rows()));
        assert_eq!((reader.info().width, reader.info().height), (width * columns, height * rows));
        let mut pixels = vec![0; reader.output_buffer_size().expect("it is small")];
        reader.next_frame(&mut pixels).expect("pixels");
        assert_eq!(pixels, enlarged(&sheet(Kind::Drone)));
    }
}
