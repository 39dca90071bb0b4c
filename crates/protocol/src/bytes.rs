//! Reading a peer's bytes: a cursor that never goes past the end and insists on reaching it.

/// A peer's bytes do not say anything in their dialect. Drop them, count them, carry on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Malformed {
    /// It is shorter than any packet of the dialect, in a dialect that says to pass over such in silence.
    Runt,
    /// It ends before what it announces.
    Short,
    /// It goes on after its end.
    Trailing,
    /// Its type or opcode is none of the dialect's.
    UnknownType,
    /// A size or count in it disagrees with its length.
    WrongSize,
    /// A field holds a value that the dialect does not allow.
    BadValue,
    /// A string in it is not what the dialect allows.
    BadText,
}

/// A cursor over a peer's bytes.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

macro_rules! integers {
    ($($be:ident $le:ident $int:ty;)+) => {
        $(
            /// The next integer, most significant byte first.
            pub fn $be(&mut self) -> Result<$int, Malformed> {
                self.array().map(<$int>::from_be_bytes)
            }

            /// The next integer, least significant byte first.
            pub fn $le(&mut self) -> Result<$int, Malformed> {
                self.array().map(<$int>::from_le_bytes)
            }
        )+
    };
}

impl<'a> Reader<'a> {
    /// A reader of these bytes from their beginning.
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { rest: bytes }
    }

    /// What is not read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Whether everything is read.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next `count` bytes.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(Malformed::Short)?;
        self.rest = rest;
        Ok(taken)
    }

    /// All that is left.
    pub fn take_rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }

    /// The next byte.
    pub fn u8(&mut self) -> Result<u8, Malformed> {
        self.array().map(|[byte]: [u8; 1]| byte)
    }

    integers! {
        u16_be u16_le u16;
        u32_be u32_le u32;
        u64_be u64_le u64;
        i64_be i64_le i64;
        f32_be f32_le f32;
    }

    /// Insists that everything is read.
    pub fn finish(self) -> Result<(), Malformed> {
        if self.rest.is_empty() { Ok(()) } else { Err(Malformed::Trailing) }
    }

    /// The next `N` bytes.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (taken, rest) = self.rest.split_first_chunk::<N>().ok_or(Malformed::Short)?;
        self.rest = rest;
        Ok(*taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_both_byte_orders_and_insists_on_the_end() {
        let mut reader = Reader::new(&[1, 2, 1, 2, 9]);
        assert_eq!(reader.u16_be(), Ok(0x0102));
        assert_eq!(reader.u16_le(), Ok(0x0201));
        assert_eq!(reader.clone().finish(), Err(Malformed::Trailing));
        assert_eq!(reader.u16_be(), Err(Malformed::Short));
        assert_eq!(reader.take(2), Err(Malformed::Short));
        assert_eq!(reader.take_rest(), [9]);
        assert_eq!(reader.finish(), Ok(()));
    }
}
