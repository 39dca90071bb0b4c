//! `Page`: bytes that are the same for every session of a lobby in a tick. The first that needs them writes them.

use std::{
    borrow::Cow,
    cell::{OnceCell, RefCell},
};

use crate::Scale;

/// Bytes that are written once for all, at one scale: that of the dialect's door, which is everybody's.
#[derive(Debug, Default)]
pub(crate) struct Page {
    written: OnceCell<(Scale, Vec<u8>)>,
    /// The memory of the page before: the next one is about as long.
    spare: RefCell<Vec<u8>>,
}

impl Page {
    /// What was written at that scale. It is written now if nothing was, and for this reader alone at another scale.
    pub fn read(&self, scale: Scale, mut write: impl FnMut(&mut Vec<u8>)) -> Cow<'_, [u8]> {
        let (written, bytes) = self.written.get_or_init(|| {
            let mut bytes = self.spare.take();
            bytes.clear();
            write(&mut bytes);
            (scale, bytes)
        });
        if *written == scale {
            return Cow::Borrowed(bytes);
        }
        let mut own = Vec::new();
        write(&mut own);
        Cow::Owned(own)
    }

    /// It is to be written anew.
    pub fn clear(&mut self) {
        if let Some((_, bytes)) = self.written.take() {
            self.spare.replace(bytes);
        }
    }
}

/// A copy of a scene writes its own pages.
impl Clone for Page {
    fn clone(&self) -> Page {
        Page::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_written_once_for_all_at_one_scale() {
        let mut page = Page::default();
        let [small, large] = [1, 4].map(Scale::new);
        assert_eq!(*page.read(small, |bytes| bytes.push(1)), [1]);
        assert_eq!(*page.read(small, |_| unreachable!("it is written")), [1]);
        assert_eq!(*page.read(large, |bytes| bytes.push(4)), [4]);
        page.clear();
        assert_eq!(*page.read(large, |bytes| bytes.push(5)), [5]);
    }
}
