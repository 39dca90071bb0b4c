//! Golden text: the letters of messages, without what is behind them, are compared with `tests/golden/<name>.png`.
//!
//! After an intended change: `RENEW_PICTURES=1 cargo test -p client`, look at what changed, commit.

use std::{
    fs,
    path::{Path, PathBuf},
};

use client::draw::{Colour, Picture};

/// Messages, one below the other.
#[derive(Default)]
pub struct TextSheet {
    /// One byte a pixel: whether a letter is there.
    pixels: Vec<u8>,
}

impl TextSheet {
    /// Adds what a picture has in the colours of messages in these rows.
    pub fn add(&mut self, picture: &Picture, rows: std::ops::Range<i32>) {
        let is_letter = |x, y| matches!(picture.at(x, y), Some(Colour::RED | Colour::PALE));
        let places = rows.flat_map(|y| (0..Picture::WIDTH).map(move |x| (x, y)));
        self.pixels.extend(places.map(|(x, y)| if is_letter(x, y) { 255 } else { 0 }));
    }

    /// Compares it with the golden one of that name, or rewrites that one.
    pub fn compare(&self, name: &str) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.png"));
        if std::env::var_os("RENEW_PICTURES").is_some() {
            self.write(&path);
        } else if read(&path).as_ref() != Some(&self.pixels) {
            let found = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.png"));
            self.write(&found);
            panic!("{name}: drawn now {}, expected {}", found.display(), path.display());
        }
    }

    fn write(&self, path: &Path) {
        let file = fs::File::create(path).expect("a file to write to");
        let height = self.pixels.len() / Picture::WIDTH as usize;
        let mut encoder = png::Encoder::new(file, Picture::WIDTH as u32, height as u32);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.write_header().expect("a header").write_image_data(&self.pixels).expect("a picture");
    }
}

/// What a golden picture has; none if there is no such file.
fn read(path: &Path) -> Option<Vec<u8>> {
    let mut reader = png::Decoder::new(std::io::BufReader::new(fs::File::open(path).ok()?)).read_info().ok()?;
    let mut pixels = vec![0; reader.output_buffer_size()?];
    reader.next_frame(&mut pixels).ok()?;
    Some(pixels)
}
