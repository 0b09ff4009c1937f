//! Beliefs about many people, kept without their zeros.
//!
//! A release leaves few values possible for anybody, however many the attribute has. Tables with thousands of values would fill the memory otherwise.

/// Distributions over the same values, one after the other.
#[derive(Debug)]
pub(super) struct Beliefs {
    values: usize,
    /// Where each starts, and where the last ends.
    starts: Vec<usize>,
    /// The values that are believed at all, and how far.
    held: Vec<(u32, f64)>,
}

impl Beliefs {
    pub(super) fn new(values: usize) -> Self {
        Self { values, starts: vec![0], held: Vec::new() }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Adds one: its values with more than nothing, in code order.
    pub(super) fn push(&mut self, held: impl IntoIterator<Item = (u32, f64)>) {
        self.held.extend(held);
        self.starts.push(self.held.len());
    }

    /// One of them, with its zeros, in room that is used again.
    pub(super) fn spread<'r>(&self, index: usize, room: &'r mut Vec<f64>) -> &'r [f64] {
        room.clear();
        room.resize(self.values, 0.0);
        self.held[self.starts[index]..self.starts[index + 1]]
            .iter()
            .for_each(|&(code, share)| room[code as usize] = share);
        room
    }
}

/// What a distribution holds beside zeros.
pub(super) fn held(shares: &[f64]) -> Vec<(u32, f64)> {
    (0..).zip(shares.iter().copied()).filter(|&(_, share)| share != 0.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back() {
        let all = [[0.0, 0.25, 0.75], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]];
        let mut beliefs = Beliefs::new(3);
        all.iter().for_each(|one| beliefs.push(held(one)));
        let mut room = vec![9.0; 7];
        assert_eq!(beliefs.len(), 3);
        (0..3).for_each(|index| assert_eq!(beliefs.spread(index, &mut room), all[index]));
    }
}
