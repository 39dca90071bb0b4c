//! `Shared`: what the sessions of a lobby have in common. The first of them that needs it makes it.

use std::cell::RefCell;

use crate::Scale;

/// Something that is kept once for all, at each scale that there is: that of the dialect's door, which is everybody's.
#[derive(Clone, Debug)]
pub(crate) struct Shared<T> {
    scales: RefCell<Vec<(Scale, T)>>,
}

impl<T> Shared<T> {
    /// Works with what is kept at that scale, made now if nothing is.
    pub fn open<R>(&self, scale: Scale, make: impl FnOnce() -> T, work: impl FnOnce(&mut T) -> R) -> R {
        let mut scales = self.scales.borrow_mut();
        let index = scales.iter().position(|&(of, _)| of == scale).unwrap_or_else(|| {
            scales.push((scale, make()));
            scales.len() - 1
        });
        work(&mut scales[index].1)
    }
}

impl<T> Default for Shared<T> {
    fn default() -> Shared<T> {
        Shared { scales: RefCell::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_made_once_at_each_scale() {
        let shared = Shared::default();
        let [small, large] = [1, 4].map(Scale::new);
        assert_eq!(shared.open(small, || 7, |number| std::mem::replace(number, 8)), 7);
        assert_eq!(shared.open(large, || 9, |number| *number), 9);
        assert_eq!(shared.open(small, || unreachable!("it is made"), |number| *number), 8);
    }
}
