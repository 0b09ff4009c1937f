//! A table of the boxes that were met in one step, emptied at once.

/// What is known of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoxMet {
    /// A group stands in it.
    Open(u32),
    /// It could be opened: its place among the choices.
    Choice(u32),
    /// One point alone, which does not suffice.
    Nothing,
}

/// Boxes by their number. Entries of earlier steps are told by their stamp, so that forgetting all costs nothing.
#[derive(Debug)]
pub(super) struct BoxesMet {
    slots: Vec<Slot>,
    stamp: u32,
    met: usize,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u64,
    stamp: u32,
    known: BoxMet,
}

const EMPTY: Slot = Slot { key: 0, stamp: 0, known: BoxMet::Nothing };

/// A power of two.
const FEWEST_SLOTS: usize = 1 << 12;

impl BoxesMet {
    pub(super) fn new() -> Self {
        Self { slots: vec![EMPTY; FEWEST_SLOTS], stamp: 1, met: 0 }
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.met = 0;
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.slots.fill(EMPTY);
            self.stamp = 1;
        }
    }

    /// What is known of a box; if it is met for the first time, what `learn` says.
    pub(super) fn get_or(&mut self, key: u64, learn: impl FnOnce() -> BoxMet) -> BoxMet {
        if 2 * self.met >= self.slots.len() {
            self.grow();
        }
        let at = self.place(key);
        let slot = &mut self.slots[at];
        if slot.stamp != self.stamp {
            *slot = Slot { key, stamp: self.stamp, known: learn() };
            self.met += 1;
        }
        slot.known
    }

    /// Where a box is, or would be.
    fn place(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (key >> 16) as usize & mask;
        while self.slots[at].stamp == self.stamp && self.slots[at].key != key {
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self) {
        let slots = vec![EMPTY; 2 * self.slots.len()];
        let before = std::mem::replace(&mut self.slots, slots);
        for slot in before.into_iter().filter(|slot| slot.stamp == self.stamp) {
            let at = self.place(slot.key);
            self.slots[at] = slot;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// It is a map that forgets, whatever keys collide.
        #[test]
        fn it_knows_what_a_map_knows(steps in proptest::collection::vec(proptest::collection::vec(0_u64..40, 0..60), 1..6)) {
            let (mut met, mut number) = (BoxesMet::new(), 0);
            for keys in steps {
                met.clear();
                let mut map = BTreeMap::new();
                for key in keys {
                    // Keys that fall on few places, and keys far apart.
                    let key = (key % 7) << 60 | (key << 16);
                    number += 1;
                    let known = *map.entry(key).or_insert(BoxMet::Choice(number));
                    prop_assert_eq!(met.get_or(key, || BoxMet::Choice(number)), known);
                }
            }
        }
    }

    #[test]
    fn it_grows() {
        let mut met = BoxesMet::new();
        let count = 3 * FEWEST_SLOTS as u64;
        (0..count).for_each(|key| {
            met.get_or(key << 14, || BoxMet::Open(key as u32));
        });
        for key in 0..count {
            assert_eq!(met.get_or(key << 14, || BoxMet::Nothing), BoxMet::Open(key as u32));
        }
    }
}
