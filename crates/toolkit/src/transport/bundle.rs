//! The datagrams of one turn, one behind the other, so that the system can be given several in one call.

use server::mmsg::run_length;

/// Datagrams that leave together, in order.
#[derive(Debug, Default)]
pub struct Bundle {
    bytes: Vec<u8>,
    sizes: Vec<usize>,
}

/// Datagrams that can leave in one call: all have the same size but the last, which may be shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run<'b> {
    pub bytes: &'b [u8],
    pub segment: usize,
    pub count: usize,
}

impl Bundle {
    /// Adds a datagram.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.sizes.push(bytes.len());
    }

    /// Forgets them all.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.sizes.clear();
    }

    /// All of them, in as few runs as there can be.
    pub(super) fn runs(&self) -> impl Iterator<Item = Run<'_>> {
        let (mut bytes, mut sizes) = (&self.bytes[..], &self.sizes[..]);
        std::iter::from_fn(move || {
            let segment = *sizes.first()?;
            let count = run_length(sizes.iter().copied());
            let length = sizes.split_off(..count)?.iter().sum::<usize>();
            Some(Run { bytes: bytes.split_off(..length)?, segment, count })
        })
    }
}

impl<'b> Run<'b> {
    pub(super) fn datagrams(self) -> impl Iterator<Item = &'b [u8]> {
        // An empty datagram is a run of its own.
        let single = (self.segment == 0).then_some(self.bytes);
        single.into_iter().chain(self.bytes.chunks(self.segment.max(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle(sizes: &[usize]) -> Bundle {
        let mut bundle = Bundle::default();
        sizes.iter().enumerate().for_each(|(number, &size)| bundle.push(&vec![number as u8; size]));
        bundle
    }

    #[test]
    fn a_run_has_one_size_and_perhaps_a_shorter_end() {
        let counts = |sizes: &[usize]| bundle(sizes).runs().map(|run| run.count).collect::<Vec<_>>();
        assert_eq!(counts(&[7, 5]), [2]);
        assert_eq!(counts(&[7, 7, 5, 5, 3]), [3, 2]);
        assert_eq!(counts(&[5, 7]), [1, 1]);
        assert_eq!(counts(&[0, 0, 4, 0]), [1, 1, 1, 1]);
        assert_eq!(counts(&[1201, 1201]), [1, 1]);
        assert_eq!(counts(&[3; 130]), [64, 64, 2]);
        assert_eq!(counts(&[1200; 64]), [54, 10], "a message is no longer than an IP packet");
        assert!(counts(&[]).is_empty());
    }

    #[test]
    fn runs_are_made_of_all_datagrams_in_order() {
        let sizes = [7, 7, 5, 0, 9, 0, 1];
        let bundle = bundle(&sizes);
        let apart: Vec<_> = bundle.runs().flat_map(Run::datagrams).map(<[u8]>::to_vec).collect();
        assert_eq!(apart, (0..7).map(|number| vec![number as u8; sizes[number]]).collect::<Vec<_>>());
    }
}
