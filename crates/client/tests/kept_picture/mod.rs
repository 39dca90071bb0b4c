//! Pictures that tests leave behind, to be looked at.

use std::{fs, path::Path};

use client::draw::Picture;

/// Leaves a picture in `target/tmp/FOLDER/NAME.png`.
pub fn keep(folder: &str, name: &str, picture: &mut Picture) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    fs::create_dir_all(&folder).expect("a folder to write to");
    let file = fs::File::create(folder.join(format!("{name}.png"))).expect("a file to write to");
    let mut encoder = png::Encoder::new(file, Picture::WIDTH as u32, Picture::HEIGHT as u32);
    encoder.set_color(png::ColorType::Rgba);
    encoder.write_header().expect("a header").write_image_data(picture.rgba()).expect("a picture");
}
