//! Things by the address that has them and by age. Finding the address that has the most costs nothing: when there is no room
//! for one more, its oldest or idlest goes. So nobody keeps others out, and an address that has none always gets one.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    net::IpAddr,
};

use crate::address_group::address_group;

/// Things, by the address group that has them.
pub(crate) struct HeldByAddress<T> {
    /// Of each owner, by age.
    by_owner: HashMap<IpAddr, BTreeMap<u64, T>>,
    /// The owners, by how many they have.
    owners: BTreeSet<(usize, IpAddr)>,
}

impl<T> Default for HeldByAddress<T> {
    fn default() -> HeldByAddress<T> {
        HeldByAddress { by_owner: HashMap::new(), owners: BTreeSet::new() }
    }
}

impl<T: Clone> HeldByAddress<T> {
    /// Whether nobody has any.
    pub fn is_empty(&self) -> bool {
        self.by_owner.is_empty()
    }

    /// How many one owner has.
    pub fn count(&self, owner: IpAddr) -> usize {
        self.by_owner.get(&address_group(owner)).map_or(0, BTreeMap::len)
    }

    /// An owner has this thing, which has that number by age.
    pub fn insert(&mut self, owner: IpAddr, number: u64, thing: T) {
        self.change(address_group(owner), |own| _ = own.insert(number, thing));
    }

    /// An owner no longer has the thing of that number.
    pub fn remove(&mut self, owner: IpAddr, number: u64) {
        self.change(address_group(owner), |own| _ = own.remove(&number));
    }

    fn change(&mut self, owner: IpAddr, change: impl FnOnce(&mut BTreeMap<u64, T>)) {
        let own = self.by_owner.entry(owner).or_default();
        let before = own.len();
        change(own);
        let after = own.len();
        if after == 0 {
            self.by_owner.remove(&owner);
        }
        if before != after {
            self.owners.remove(&(before, owner));
            self.owners.extend((after > 0).then_some((after, owner)));
        }
    }

    /// The oldest of one owner.
    pub fn oldest_of(&self, owner: IpAddr) -> Option<T> {
        self.by_owner.get(&address_group(owner))?.values().next().cloned()
    }

    /// What goes for one more of an owner: the oldest of whoever would have the most then.
    pub fn yields_to(&self, owner: IpAddr) -> Option<T> {
        self.oldest_of(self.yielding_owner(owner)?)
    }

    /// The same, but the idlest of theirs: the one that was last used earliest.
    pub fn idlest_yields_to<K: Ord>(&self, owner: IpAddr, last_used: impl Fn(&T) -> K) -> Option<T> {
        let (most, own) = (self.owners.last()?.0, self.count(owner));
        let heaviest = self.owners.iter().rev().take_while(|(count, _)| *count == most && own < most);
        let owner = (own > 0 && own + 1 >= most).then(|| address_group(owner));
        let owners = heaviest.map(|(_, heaviest)| *heaviest).chain(owner);
        let things = owners.filter_map(|owner| self.by_owner.get(&owner)).flat_map(BTreeMap::values);
        things.min_by_key(|thing| last_used(thing)).cloned()
    }

    /// Whoever would have the most if that owner had one more.
    fn yielding_owner(&self, owner: IpAddr) -> Option<IpAddr> {
        let (most, heaviest) = *self.owners.last()?;
        let own = self.count(owner);
        Some(if own > 0 && own + 1 >= most { address_group(owner) } else { heaviest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_owner_of_the_most_gives_up_the_oldest() {
        let mut held = HeldByAddress::default();
        let [one, other] = [IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2])];
        held.insert(other, 0, 'a');
        [(1, 'b'), (2, 'c'), (3, 'd'), (2, 'c')]
            .into_iter()
            .for_each(|(number, thing)| held.insert(one, number, thing));
        assert_eq!((held.count(one), held.count(other)), (3, 1));
        let new = IpAddr::from([192, 0, 2, 200]);
        assert_eq!([one, other, new].map(|owner| held.yields_to(owner)), [Some('b'); 3]);
        held.remove(one, 1);
        assert_eq!([one, other, new].map(|owner| held.yields_to(owner)), [Some('c'), Some('a'), Some('c')]);
        // The later letters were used earlier.
        assert_eq!(held.idlest_yields_to(new, |letter| u32::MAX - *letter as u32), Some('d'));
        (1..4).for_each(|number| held.remove(one, number));
        held.remove(other, 0);
        assert_eq!((held.yields_to(new), held.owners.len(), held.by_owner.len()), (None, 0, 0));
    }
}
