//! How often owners were seen, forgotten in no time.

/// A count for each owner. To begin anew costs nothing: a count belongs to a round, and those of earlier rounds are zero.
#[derive(Default)]
pub(super) struct OwnerCounts {
    round: u32,
    /// The round of each owner's count, and the count.
    counts: Vec<(u32, u32)>,
}

impl OwnerCounts {
    /// Forgets everybody.
    pub(super) fn begin(&mut self) {
        self.round = self.round.checked_add(1).unwrap_or_else(|| {
            self.counts.fill((0, 0));
            1
        });
    }

    /// How often an owner was seen.
    pub(super) fn get(&self, owner: u32) -> u32 {
        match self.counts.get(owner as usize) {
            Some(&(round, count)) if round == self.round => count,
            _ => 0,
        }
    }

    /// Sees an owner once more; says how often now.
    pub(super) fn add(&mut self, owner: u32) -> u32 {
        let now = self.get(owner) + 1;
        self.put(owner, now);
        now
    }

    /// Takes back that an owner was seen; says how often now.
    pub(super) fn take(&mut self, owner: u32) -> u32 {
        let now = self.get(owner).saturating_sub(1);
        self.put(owner, now);
        now
    }

    fn put(&mut self, owner: u32, count: u32) {
        let owner = owner as usize;
        if self.counts.len() <= owner {
            self.counts.resize(owner + 1, (0, 0));
        }
        self.counts[owner] = (self.round, count);
    }
}

#[cfg(test)]
mod tests {
    use super::OwnerCounts;

    #[test]
    fn a_new_round_has_seen_nobody() {
        let mut seen = OwnerCounts::default();
        seen.begin();
        assert_eq!((seen.add(3), seen.add(3), seen.add(0), seen.take(3)), (1, 2, 1, 1));
        assert_eq!((seen.get(3), seen.get(1), seen.get(9)), (1, 0, 0));
        seen.begin();
        assert_eq!((seen.get(3), seen.get(0), seen.take(3)), (0, 0, 0));
        seen.add(3);
        seen.round = u32::MAX;
        seen.counts[5 - 2] = (u32::MAX, 7);
        seen.begin();
        assert_eq!((seen.round, seen.get(3)), (1, 0));
    }
}
