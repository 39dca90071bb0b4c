//! Writes every scene of the golden tests as a PNG, three times as large: `cargo run -p client --example gallery -- DIR`.

#[path = "../tests/scenes/mod.rs"]
#[allow(dead_code, reason = "the benchmark and the tests use the rest")]
mod scenes;

use std::{error::Error, fs, path::PathBuf};

use client::draw::Picture;

const SCALE: usize = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args().nth(1).map(PathBuf::from).ok_or("say a directory to write to")?;
    fs::create_dir_all(&directory)?;
    for (name, draw) in scenes::ALL {
        let mut picture = draw();
        let path = directory.join(format!("{name}.png"));
        let mut encoder = png::Encoder::new(
            fs::File::create(&path)?,
            Picture::WIDTH as u32 * SCALE as u32,
            Picture::HEIGHT as u32 * SCALE as u32,
        );
        encoder.set_color(png::ColorType::Rgba);
        encoder.write_header()?.write_image_data(&enlarged(picture.rgba()))?;
        println!("{}", path.display());
    }
    Ok(())
}

fn enlarged(rgba: &[u8]) -> Vec<u8> {
    let rows = rgba.chunks_exact(4 * Picture::WIDTH as usize);
    let wide =
        rows.map(|row| row.as_chunks::<4>().0.iter().flat_map(|pixel| [*pixel; SCALE].into_iter().flatten()).collect());
    wide.flat_map(|row: Vec<u8>| row.repeat(SCALE)).collect()
}
