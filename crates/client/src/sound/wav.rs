//! Samples as a WAV file, which every program can play.

use super::SAMPLE_RATE;

/// A RIFF file of 16 bits and one channel.
pub fn wav(samples: &[i16]) -> Vec<u8> {
    let size = 2 * samples.len() as u32;
    let mut file = Vec::with_capacity(44 + size as usize);
    file.extend(b"RIFF");
    file.extend((36 + size).to_le_bytes());
    file.extend(b"WAVEfmt ");
    file.extend(16u32.to_le_bytes());
    file.extend([1, 0, 1, 0]);
    file.extend(SAMPLE_RATE.to_le_bytes());
    file.extend((2 * SAMPLE_RATE).to_le_bytes());
    file.extend([2, 0, 16, 0]);
    file.extend(b"data");
    file.extend(size.to_le_bytes());
    file.extend(samples.iter().flat_map(|sample| sample.to_le_bytes()));
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_a_header_and_the_samples() {
        let file = wav(&[1, -2]);
        assert_eq!((&file[..4], &file[8..16], file.len()), (&b"RIFF"[..], &b"WAVEfmt "[..], 48));
        assert_eq!(u32::from_le_bytes([file[4], file[5], file[6], file[7]]) as usize, file.len() - 8);
        assert_eq!(file[40..], [4, 0, 0, 0, 1, 0, 0xfe, 0xff]);
    }
}
