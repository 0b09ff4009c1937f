//! Lending people to a group that does not keep the promise yet.

use super::{Field, Judge, Tally};

/// Some people of a cell whom a group could lend.
#[derive(Clone, Copy, Debug)]
pub(in crate::method) struct Offer {
    /// The group that they stand in: a place among the donors.
    pub(in crate::method) donor: u32,
    /// Their cell.
    pub(in crate::method) cell: u32,
    /// How many there are.
    pub(in crate::method) people: u64,
    /// What moving one of them costs.
    pub(in crate::method) cost: f64,
}

/// Some people of a cell who have been lent.
#[derive(Clone, Copy, Debug)]
pub(in crate::method) struct Loan {
    /// The group that lent them.
    pub(in crate::method) donor: u32,
    /// Their cell.
    pub(in crate::method) cell: u32,
    /// How many.
    pub(in crate::method) people: u64,
}

/// So many people are lent one by one before a group that needs chosen sensitive values is given up.
const MAX_STEPS: usize = 512;

/// So many kinds of people are tried at each step for one that completes the group.
const MAX_TRIES: usize = 32;

/// So many offers of each kind of people, the cheapest, are looked at.
const MAX_OFFERS: usize = 64;

/// Lends people until the target keeps the promise, taking nobody whose group would break it.
///
/// Where only sizes count, the cheapest offers are taken. Where sensitive values matter, each step looks for
/// a person who completes the target, and else takes one of the kind that it lacks most against the whole
/// table: this suits diversity (missing values come first) and closeness (the table is what it is
/// compared with). It is greedy: it may fail where a cleverer choice would not. On failure nothing is changed.
pub(in crate::method) fn top_up(
    field: &Field<'_>,
    judge: &mut Judge<'_>,
    target: &mut Tally,
    donors: &mut [Tally],
    mut offers: Vec<Offer>,
) -> Option<Vec<Loan>> {
    let mut loans = Vec::new();
    let mut lender = Lender { field, judge, target, donors, loans: &mut loans };
    let done = if lender.judge.counts_only() { lender.by_size(&mut offers) } else { lender.by_need(&mut offers) };
    if done {
        return Some(loans);
    }
    for loan in loans {
        target.remove(field, loan.cell, loan.people);
        donors[loan.donor as usize].add(field, loan.cell, loan.people);
    }
    None
}

struct Lender<'l, 'f> {
    field: &'l Field<'l>,
    judge: &'l mut Judge<'f>,
    target: &'l mut Tally,
    donors: &'l mut [Tally],
    loans: &'l mut Vec<Loan>,
}

impl Lender<'_, '_> {
    fn by_size(&mut self, offers: &mut [Offer]) -> bool {
        offers.sort_by(|a, b| a.cost.total_cmp(&b.cost).then(a.cell.cmp(&b.cell)).then(a.donor.cmp(&b.donor)));
        let least = self.judge.least();
        for offer in &*offers {
            let missing = least.saturating_sub(self.target.people);
            let spare = self.donors[offer.donor as usize].people.saturating_sub(least);
            match offer.people.min(spare).min(missing) {
                0 if missing == 0 => break,
                0 => {}
                people => self.lend(offer, people),
            }
        }
        self.judge.holds(self.target)
    }

    fn by_need(&mut self, offers: &mut [Offer]) -> bool {
        let kind_of = &self.field.kind_of_cell;
        let cheapest_first =
            |a: &Offer, b: &Offer| a.cost.total_cmp(&b.cost).then(a.cell.cmp(&b.cell)).then(a.donor.cmp(&b.donor));
        offers.sort_unstable_by_key(|offer| kind_of[offer.cell as usize]);
        let mut kinds: Vec<&mut [Offer]> =
            offers.chunk_by_mut(|a, b| kind_of[a.cell as usize] == kind_of[b.cell as usize]).collect();
        for run in &mut kinds {
            if run.len() > MAX_OFFERS {
                run.select_nth_unstable_by(MAX_OFFERS, cheapest_first);
                *run = &mut std::mem::take(run)[..MAX_OFFERS];
            }
            run.sort_unstable_by(cheapest_first);
        }
        for _ in 0..MAX_STEPS {
            let need = |run: &[Offer]| run.first().map_or(f64::NEG_INFINITY, |o| self.field.need(self.target, o.cell));
            kinds.sort_by(|a, b| need(b).total_cmp(&need(a)));
            if self.target.people + 1 >= self.judge.least() {
                let completing = kinds.iter().take(MAX_TRIES).find_map(|run| {
                    let offer = *run.first()?;
                    let donor = &mut self.donors[offer.donor as usize];
                    let completes = self.judge.holds_with(self.target, offer.cell, 1)
                        && self.judge.holds_without(donor, offer.cell, 1);
                    completes.then_some(offer)
                });
                if let Some(offer) = completing {
                    self.lend(&offer, 1);
                    return true;
                }
            }
            if !self.lend_most_needed(&mut kinds) {
                return false;
            }
        }
        false
    }

    /// Lends people of the kind most needed whose group can do without; offers that can't are passed over.
    ///
    /// One by one where groups are small. Where many people are missing, or many are there already, so
    /// many at once that the steps suffice.
    fn lend_most_needed(&mut self, kinds: &mut [&mut [Offer]]) -> bool {
        let missing = self.judge.least().saturating_sub(self.target.people);
        let step = (missing / 16).max(self.target.people / 64).max(1);
        for run in kinds {
            while let Some(&offer) = run.first() {
                let donor = &mut self.donors[offer.donor as usize];
                let able = |people: &u64| self.judge.holds_without(donor, offer.cell, *people);
                if let Some(people) = [step.min(offer.people), 1].into_iter().find(able) {
                    run[0].people -= people;
                    if run[0].people == 0 {
                        *run = &mut std::mem::take(run)[1..];
                    }
                    self.lend(&offer, people);
                    return true;
                }
                *run = &mut std::mem::take(run)[1..];
            }
        }
        false
    }

    fn lend(&mut self, offer: &Offer, people: u64) {
        let &Offer { donor, cell, .. } = offer;
        self.donors[donor as usize].remove(self.field, cell, people);
        self.target.add(self.field, cell, people);
        match self.loans.last_mut() {
            Some(last) if (last.donor, last.cell) == (donor, cell) => last.people += people,
            _ => self.loans.push(Loan { donor, cell, people }),
        }
    }
}
