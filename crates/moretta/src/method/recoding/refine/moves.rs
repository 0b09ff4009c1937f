//! The moves that save loss: opening a box, dissolving a group, sending people home.

use super::board::{Board, BoxGroup};
use super::candidates::BoxCandidates;
use crate::method::recoding::local::{FieldMember, Offer, top_up};

/// So many boxes in a row are tried in vain before the rest, which promise less, is left alone.
const MAX_FAILED_BOXES: usize = 2000;

/// Finding an offer and weighing it takes about as long as looking up so many boxes.
const WORK_OF_AN_OFFER: u64 = 8;

impl Board<'_> {
    /// Opens every box that saves loss, those that promise most first, until so much has been looked at.
    pub(super) fn open_boxes(&mut self, candidates: &BoxCandidates, work: u64) {
        let hopes = (0..candidates.len()).map(|b| (self.hope(candidates, b), b));
        let mut order: Vec<(f64, usize)> = hopes.filter(|&(hope, _)| hope > 0.0).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut in_vain = 0;
        for (_, b) in order {
            // Others may have been served since.
            if self.hope(candidates, b) <= 0.0 {
                continue;
            }
            in_vain = if self.attempt(|board| board.open_box(candidates, b)) { 0 } else { in_vain + 1 };
            if in_vain == MAX_FAILED_BOXES || self.work > work || self.field.task.token.is_cancelled() {
                break;
            }
        }
    }

    /// Dissolves every group whose people are better off elsewhere, the dearest first, until so much has been looked at.
    pub(super) fn dissolve_groups(&mut self, work: u64) {
        let mut order: Vec<u32> = (0..self.groups.len() as u32).collect();
        order.retain(|&group| self.groups[group as usize].loss > 0.0);
        order.sort_by(|&a, &b| self.groups[b as usize].loss.total_cmp(&self.groups[a as usize].loss).then(a.cmp(&b)));
        for group in order {
            if self.work > work || self.field.task.token.is_cancelled() {
                break;
            }
            if !self.groups[group as usize].members.is_empty() && !self.is_outside(group) {
                self.attempt(|board| board.dissolve(group));
            }
        }
    }

    /// Sends people to finer boxes that are open, as far as their groups can spare them.
    pub(super) fn send_home(&mut self) {
        for group in 0..self.groups.len() as u32 {
            if self.groups[group as usize].loss > 0.0 && !self.field.task.token.is_cancelled() {
                self.send_home_from(group);
            }
        }
    }

    /// What a box saves at best: those who wish for it gain, those who are missing come at full price.
    fn hope(&self, candidates: &BoxCandidates, b: usize) -> f64 {
        let loss = candidates.loss[b];
        let (mut people, mut gain) = (0, 0.0);
        for cell in candidates.points(b).iter().flat_map(|&point| self.points.cells(point)) {
            for &(group, standing) in &self.stand[cell as usize] {
                let better = self.groups[group as usize].loss - loss;
                if better > 0.0 {
                    people += standing;
                    gain += better * standing as f64;
                }
            }
        }
        gain - loss * self.fewest.saturating_sub(people) as f64
    }

    /// Gathers in a box all who gain by it, with lenders where they are too few; groups that break are repaired.
    fn open_box(&mut self, candidates: &BoxCandidates, b: usize) -> bool {
        let loss = candidates.loss[b];
        let group = self.add_group(candidates.nodes(b));
        let mut sources = Vec::new();
        for cell in candidates.points(b).iter().flat_map(|&point| self.points.cells(point)) {
            for index in (0..self.stand[cell as usize].len()).rev() {
                let (from, people) = self.stand[cell as usize][index];
                if from != group && self.groups[from as usize].loss > loss {
                    self.shift(cell, people, from, group);
                    sources.push(from);
                }
            }
        }
        sources.sort_unstable();
        sources.dedup();
        let mut broken = Vec::new();
        let mut at_best = self.margin();
        for source in sources {
            if !self.groups[source as usize].members.is_empty() && !self.holds(source) {
                at_best += self.loss_of(source);
                broken.push(source);
            }
        }
        if !self.holds(group) && !self.borrow(group, &broken, at_best) {
            return false;
        }
        broken.into_iter().all(|source| self.repair(source))
    }

    /// Completes a group that has lost people, or sends the rest of them elsewhere: whatever costs less.
    fn repair(&mut self, group: u32) -> bool {
        if self.holds(group) {
            return true;
        }
        let (mark, before) = (self.mark(), self.cost());
        let borrowed = self.borrow(group, &[], self.margin());
        let price = self.cost() - before;
        self.take_back(mark);
        if self.dissolve(group) {
            if !borrowed || self.cost() - before <= price {
                return true;
            }
            self.take_back(mark);
        }
        borrowed && self.borrow(group, &[], self.margin())
    }

    /// Sends everybody of a group to the cheapest open box around them, or out of the release where that is allowed; all
    /// or nobody.
    fn dissolve(&mut self, group: u32) -> bool {
        let mark = self.mark();
        let loss = self.groups[group as usize].loss;
        while let Some(&FieldMember { cell, people }) = self.groups[group as usize].members.last() {
            // Should all others lose nothing from now on, this one may lose so much.
            let affordable = (self.margin() + self.loss_of(group)) / people as f64;
            let home = self.home(group, cell, people, affordable.max(loss)).map(|(to, _)| to);
            let Some(to) = home.or_else(|| self.outside_for(people)) else {
                self.take_back(mark);
                return false;
            };
            self.shift(cell, people, group, to);
        }
        true
    }

    fn loss_of(&self, group: u32) -> f64 {
        let BoxGroup { loss, members, .. } = &self.groups[group as usize];
        loss * members.iter().map(|member| member.people).sum::<u64>() as f64
    }

    /// Borrows people from groups that can spare them, none from those listed. Without any margin left it is not even
    /// tried: lenders come at a price.
    fn borrow(&mut self, group: u32, except: &[u32], at_most: f64) -> bool {
        at_most > 0.0 && self.borrow_few(group, except, u64::MAX)
    }

    /// The same at any price; once so many could be lent, nobody else is asked.
    pub(in crate::method::recoding) fn borrow_few(&mut self, group: u32, except: &[u32], enough: u64) -> bool {
        let target = &self.groups[group as usize];
        let taxonomies = self.field.taxonomies.iter().zip(&target.nodes);
        let spans: Vec<(u32, u32)> = taxonomies.map(|(taxonomy, &node)| taxonomy.span(node)).collect();
        let (mut offers, mut found) = (Vec::new(), 0);
        let looked = self.points.visit_while(&spans, &mut |point| {
            for cell in self.points.cells(point) {
                for &(donor, people) in &self.stand[cell as usize] {
                    let spare = self.tallies[donor as usize].people.saturating_sub(self.judge.least());
                    if spare > 0 && donor != group && !except.contains(&donor) {
                        let cost = target.loss - self.groups[donor as usize].loss;
                        found += spare.min(people);
                        offers.push(Offer { donor, cell, people, cost });
                    }
                }
            }
            found < enough
        });
        self.work += WORK_OF_AN_OFFER * offers.len() as u64;
        // Among few attributes a box is looked up at once; among many it cuts across thousands of runs.
        self.work += if self.field.is_wide() { looked } else { 0 };
        let mut tally = std::mem::take(&mut self.tallies[group as usize]);
        let loans = top_up(self.field, &mut self.judge, &mut tally, &mut self.tallies, offers);
        self.tallies[group as usize] = tally;
        let Some(loans) = loans else { return false };
        for loan in loans {
            // The tallies know already; moving counts them again.
            self.tallies[loan.donor as usize].add(self.field, loan.cell, loan.people);
            self.tallies[group as usize].remove(self.field, loan.cell, loan.people);
            self.shift(loan.cell, loan.people, loan.donor, group);
        }
        true
    }

    fn send_home_from(&mut self, group: u32) {
        let loss = self.groups[group as usize].loss;
        let mut moves: Vec<(f64, FieldMember, u32)> = Vec::new();
        for member in self.groups[group as usize].members.clone() {
            if let Some((to, finer)) = self.home(group, member.cell, 1, loss) {
                moves.push((finer, member, to));
            }
        }
        moves.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cell.cmp(&b.1.cell)));
        for (_, FieldMember { cell, people }, to) in moves {
            let mut some = people;
            while some > 0 {
                let spared = self.judge.holds_without(&mut self.tallies[group as usize], cell, some);
                if spared && self.supports_role(to, cell, some) {
                    self.shift(cell, some, group, to);
                    break;
                }
                some /= 2;
            }
        }
    }
}
