//! Numbers as bits: the most significant first, packed without gaps, and a handful of codes that are short for what is
//! likely. A reader never goes past the end, and insists on reaching it.

use crate::Malformed;

/// Appends bits to bytes.
#[derive(Debug)]
pub struct BitWriter<'a> {
    out: &'a mut Vec<u8>,
    /// Bits of the last byte that are not used yet.
    free: u32,
}

impl<'a> BitWriter<'a> {
    /// A writer that begins a new byte behind what is there.
    pub fn new(out: &'a mut Vec<u8>) -> Self {
        BitWriter { out, free: 0 }
    }

    /// The low `count` bits of a number, at most 32.
    pub fn bits(&mut self, value: u32, count: u32) {
        let mut left = count;
        while left > 0 {
            if self.free == 0 {
                self.out.push(0);
                self.free = 8;
            }
            let taken = left.min(self.free);
            let piece = (u64::from(value) >> (left - taken)) as u32 & ((1 << taken) - 1);
            if let Some(last) = self.out.last_mut() {
                *last |= (piece << (self.free - taken)) as u8;
            }
            self.free -= taken;
            left -= taken;
        }
    }

    /// One bit.
    pub fn flag(&mut self, flag: bool) {
        self.bits(flag.into(), 1);
    }

    /// Elias' gamma code of one more than the number, which is below 2^32 − 1: 1 bit for 0, 3 for 1 and 2, 5 up to 6 …
    pub fn gamma(&mut self, value: u32) {
        let value = value.saturating_add(1);
        let length = value.ilog2();
        self.bits(0, length);
        self.bits(value, length + 1);
    }

    /// A number by its size: two bits say which of the four sizes, then that many bits. The last size is the most there is.
    pub fn sized(&mut self, value: u32, sizes: Sizes) {
        let class = sizes.iter().position(|&size| size >= 32 || value >> size == 0).unwrap_or(3);
        self.bits(class as u32, 2);
        self.bits(value, sizes[class]);
    }

    /// As [`BitWriter::sized`], of a number that may be negative.
    pub fn signed(&mut self, value: i32, sizes: Sizes) {
        self.sized(zigzag(value), sizes);
    }

    /// Rice's code: as many ones as the number has times 2^`scale`, a zero, and `scale` bits for the rest.
    pub fn rice(&mut self, value: u32, scale: u32) {
        for _ in 0..value >> scale {
            self.flag(true);
        }
        self.flag(false);
        self.bits(value, scale);
    }

    /// The first `length` bits of these bytes.
    pub fn append(&mut self, bytes: &[u8], length: usize) {
        for (index, &byte) in bytes.iter().enumerate().take(length.div_ceil(8)) {
            let count = (length - index * 8).min(8) as u32;
            self.bits(u32::from(byte) >> (8 - count), count);
        }
    }

    /// Bits in the bytes, those that were there before included.
    pub fn length(&self) -> usize {
        self.out.len() * 8 - self.free as usize
    }
}

/// The four sizes that a number may have, in bits.
pub type Sizes = [u32; 4];

/// Takes bits off bytes.
#[derive(Clone, Debug)]
pub struct BitReader<'a> {
    bytes: &'a [u8],
    /// Bits read.
    at: usize,
}

impl<'a> BitReader<'a> {
    /// A reader of these bytes from their beginning.
    pub fn new(bytes: &'a [u8]) -> Self {
        BitReader { bytes, at: 0 }
    }

    /// The next `count` bits, at most 32.
    pub fn bits(&mut self, count: u32) -> Result<u32, Malformed> {
        let mut value: u64 = 0;
        let mut left = count;
        while left > 0 {
            let byte = *self.bytes.get(self.at / 8).ok_or(Malformed::Short)?;
            let unread = 8 - (self.at % 8) as u32;
            let taken = left.min(unread);
            let piece = (u32::from(byte) >> (unread - taken)) & ((1 << taken) - 1);
            value = value << taken | u64::from(piece);
            self.at += taken as usize;
            left -= taken;
        }
        Ok(value as u32)
    }

    /// One bit.
    pub fn flag(&mut self) -> Result<bool, Malformed> {
        self.bits(1).map(|bit| bit == 1)
    }

    /// What [`BitWriter::gamma`] wrote.
    pub fn gamma(&mut self) -> Result<u32, Malformed> {
        let mut length = 0;
        while !self.flag()? {
            length += 1;
            if length > 31 {
                return Err(Malformed::BadValue);
            }
        }
        let low = self.bits(length)?;
        Ok((1 << length | low) - 1)
    }

    /// What [`BitWriter::sized`] wrote.
    pub fn sized(&mut self, sizes: Sizes) -> Result<u32, Malformed> {
        let class = self.bits(2)?;
        self.bits(sizes[class as usize])
    }

    /// What [`BitWriter::signed`] wrote.
    pub fn signed(&mut self, sizes: Sizes) -> Result<i32, Malformed> {
        self.sized(sizes).map(unzigzag)
    }

    /// What [`BitWriter::rice`] wrote.
    pub fn rice(&mut self, scale: u32) -> Result<u32, Malformed> {
        let mut times = 0_u32;
        while self.flag()? {
            times += 1;
        }
        let value = u64::from(times) << scale | u64::from(self.bits(scale)?);
        u32::try_from(value).map_err(|_| Malformed::BadValue)
    }

    /// Insists that nothing is left but zeros that fill the last byte.
    pub fn finish(mut self) -> Result<(), Malformed> {
        let left = (self.bytes.len() * 8).saturating_sub(self.at);
        match left {
            0..8 if self.bits(left as u32)? == 0 => Ok(()),
            0..8 => Err(Malformed::BadValue),
            _ => Err(Malformed::Trailing),
        }
    }
}

/// Small numbers of either sign as small numbers: 0, −1, 1, −2 … become 0, 1, 2, 3 …
fn zigzag(value: i32) -> u32 {
    (value << 1 ^ value >> 31) as u32
}

fn unzigzag(value: u32) -> i32 {
    (value >> 1) as i32 ^ -((value & 1) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: Sizes = [4, 8, 16, 32];

    #[test]
    fn what_is_written_is_read_and_nothing_more() {
        let mut bytes = vec![0xff];
        let mut writer = BitWriter::new(&mut bytes);
        writer.bits(0b101, 3);
        writer.gamma(0);
        writer.gamma(6);
        writer.signed(-9, SIZES);
        writer.bits(u32::MAX, 32);
        writer.signed(i32::MIN, SIZES);
        writer.gamma(u32::MAX - 1);
        let mut reader = BitReader::new(&bytes[1..]);
        assert_eq!(reader.bits(3), Ok(0b101));
        assert_eq!([reader.gamma(), reader.gamma()], [Ok(0), Ok(6)]);
        assert_eq!(reader.signed(SIZES), Ok(-9));
        assert_eq!(reader.bits(32), Ok(u32::MAX));
        assert_eq!(reader.signed(SIZES), Ok(i32::MIN));
        assert_eq!(reader.gamma(), Ok(u32::MAX - 1));
        assert_eq!(reader.finish(), Ok(()));
    }

    #[test]
    fn the_codes_are_those_of_the_page() {
        let mut bytes = Vec::new();
        let mut writer = BitWriter::new(&mut bytes);
        // 1, 010, 011, 00100: the gamma codes of 0 to 3; then 00 0101: five in the smallest size; two bits are left.
        (0..4).for_each(|value| writer.gamma(value));
        writer.sized(5, SIZES);
        assert_eq!(bytes, [0b1010_0110, 0b0100_0001, 0b0100_0000]);
    }

    #[test]
    fn a_reader_stops_at_the_end_and_insists_on_it() {
        assert_eq!(BitReader::new(&[]).flag(), Err(Malformed::Short));
        assert_eq!(BitReader::new(&[0; 9]).gamma(), Err(Malformed::BadValue));
        assert_eq!(BitReader::new(&[0]).gamma(), Err(Malformed::Short));
        assert_eq!(BitReader::new(&[0]).finish(), Err(Malformed::Trailing));
        let mut reader = BitReader::new(&[0b1000_0001]);
        assert_eq!(reader.flag(), Ok(true));
        assert_eq!(reader.finish(), Err(Malformed::BadValue));
    }
}
