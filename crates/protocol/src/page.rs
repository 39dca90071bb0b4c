//! `Page`: bytes that are the same for every session of a lobby in a tick. The first that needs them writes them.

use std::{borrow::Cow, sync::OnceLock};

use crate::Scale;

/// Bytes that are written once for all, at one scale: that of the dialect's door, which is everybody's.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page(OnceLock<(Scale, Vec<u8>)>);

impl Page {
    /// What was written at that scale. It is written now if nothing was, and for this reader alone at another scale.
    pub fn read(&self, scale: Scale, write: impl Fn() -> Vec<u8>) -> Cow<'_, [u8]> {
        match self.0.get_or_init(|| (scale, write())) {
            (written, bytes) if *written == scale => Cow::Borrowed(bytes),
            _ => Cow::Owned(write()),
        }
    }

    /// It is to be written anew.
    pub fn clear(&mut self) {
        self.0.take();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_written_once_for_all_at_one_scale() {
        let mut page = Page::default();
        let [small, large] = [1, 4].map(Scale::new);
        assert_eq!(*page.read(small, || vec![1]), [1]);
        assert_eq!(*page.read(small, || unreachable!("it is written")), [1]);
        assert_eq!(*page.read(large, || vec![4]), [4]);
        page.clear();
        assert_eq!(*page.read(large, || vec![5]), [5]);
    }
}
