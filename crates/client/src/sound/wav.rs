//! Samples as a WAV file, which every program can play.

use super::{SAMPLE_RATE, StereoSample};

/// A RIFF file of 16 bits and one channel.
pub fn wav(samples: &[i16]) -> Vec<u8> {
    file(1, SAMPLE_RATE, samples.iter().copied())
}

/// A RIFF file of 16 bits and two channels.
pub fn stereo_wav(samples: &[StereoSample]) -> Vec<u8> {
    file(2, SAMPLE_RATE, samples.iter().flatten().copied())
}

/// A quarter of the size: one channel, and half as many samples a second.
pub fn small_wav(samples: &[StereoSample]) -> Vec<u8> {
    let mean = |pair: &[StereoSample]| (pair.iter().flatten().map(|&side| i32::from(side)).sum::<i32>() / 4) as i16;
    file(1, SAMPLE_RATE / 2, samples.chunks_exact(2).map(mean))
}

fn file(channels: u8, rate: u32, samples: impl Iterator<Item = i16>) -> Vec<u8> {
    let data: Vec<u8> = samples.flat_map(i16::to_le_bytes).collect();
    let size = data.len() as u32;
    let mut file = Vec::with_capacity(44 + data.len());
    file.extend(b"RIFF");
    file.extend((36 + size).to_le_bytes());
    file.extend(b"WAVEfmt ");
    file.extend(16u32.to_le_bytes());
    file.extend([1, 0, channels, 0]);
    file.extend(rate.to_le_bytes());
    file.extend((2 * u32::from(channels) * rate).to_le_bytes());
    file.extend([2 * channels, 0, 16, 0]);
    file.extend(b"data");
    file.extend(size.to_le_bytes());
    file.extend(data);
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

    #[test]
    fn a_stereo_file_says_so() {
        let file = stereo_wav(&[[1, 2]]);
        assert_eq!((file[22], file[32], &file[44..]), (2, 4, &[1, 0, 2, 0][..]));
        let file = small_wav(&[[1, 3], [5, 7], [9, 9]]);
        let rate = u32::from_le_bytes([file[24], file[25], file[26], file[27]]);
        assert_eq!((file[22], rate, &file[44..]), (1, 22_050, &[4, 0][..]));
    }
}
