//! A screenshot, looked at loosely: fonts and timing may differ, an empty or broken picture may not.

use std::{collections::BTreeMap, io::Cursor};

/// What is seen at a glance.
#[derive(Debug)]
pub struct Glance {
    pub width: u32,
    pub height: u32,
    /// Of a hundred pixels, how many are not black, or nearly so.
    pub lit_percent: u64,
    /// Colours, and how many pixels have them.
    pub colours: BTreeMap<[u8; 3], u64>,
}

impl Glance {
    pub fn at(png: &[u8]) -> Glance {
        let mut decoder = png::Decoder::new(Cursor::new(png));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().expect("a PNG");
        let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
        let info = reader.next_frame(&mut bytes).expect("pixels");
        let mut colours = BTreeMap::new();
        for pixel in bytes[..info.buffer_size()].chunks_exact(info.color_type.samples()) {
            *colours.entry([pixel[0], pixel[1], pixel[2]]).or_default() += 1;
        }
        let lit: u64 = colours.iter().filter(|(colour, _)| colour.iter().any(|part| *part > 24)).map(|(_, n)| n).sum();
        let all = u64::from(info.width) * u64::from(info.height);
        Glance { width: info.width, height: info.height, lit_percent: lit * 100 / all, colours }
    }
}
