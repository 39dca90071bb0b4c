//! Which connection is closed when one too many arrives: the idlest of the address group that has the most. So nobody can
//! keep others out by holding connections, and an address that has none always gets one.

use std::net::IpAddr;

use crate::address_group::AddressCounts;

/// Chooses the connection to close for a new one. `counts` includes the new one, so an address that already has as many
/// as the others gives up one of its own as readily as one of theirs; `idlest_first` does not.
pub(crate) fn choose<K>(counts: &AddressCounts, idlest_first: impl IntoIterator<Item = (IpAddr, K)>) -> Option<K> {
    let most = counts.most();
    idlest_first.into_iter().find(|(address, _)| counts.count(*address) == most).map(|(_, key)| key)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEW: [u8; 4] = [198, 51, 100, 1];
    const MANY: [u8; 4] = [192, 0, 2, 1];
    const NEW: [u8; 4] = [203, 0, 113, 1];

    /// The position of the connection that is closed for a new one.
    fn chosen(open: &[[u8; 4]], new: [u8; 4]) -> Option<usize> {
        let mut counts = AddressCounts::default();
        open.iter().chain([&new]).for_each(|address| counts.add((*address).into()));
        choose(&counts, open.iter().enumerate().map(|(position, address)| ((*address).into(), position)))
    }

    #[test]
    fn the_heaviest_address_gives_up_its_idlest_connection() {
        assert_eq!(chosen(&[FEW, MANY, MANY], NEW), Some(1));
        assert_eq!(chosen(&[FEW, MANY, MANY], MANY), Some(1));
    }

    #[test]
    fn an_address_that_has_as_many_as_others_counts_among_the_heaviest() {
        assert_eq!(chosen(&[FEW, MANY, MANY], FEW), Some(0));
    }

    #[test]
    fn a_new_address_gets_in_even_if_no_address_has_more_than_one() {
        assert_eq!(chosen(&[FEW, MANY], NEW), Some(0));
        assert_eq!(chosen(&[], NEW), None);
    }
}
