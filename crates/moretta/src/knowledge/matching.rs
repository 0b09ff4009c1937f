//! Which sensitive values a person in a group can have, when everybody there must have one.
//!
//! People of whom the same values are excluded are one *class*: what is valid for one is valid for all. A group is then
//! a small bipartite graph of classes and values, with a number of people at each.

use super::value_sets::ValueSets;

/// Room to work in, and the valid values of the group that was looked at last.
///
/// One maximum matching and the strongly connected components of its residual graph tell every edge that some perfect
/// matching uses: O(edges) after the matching, where the dissertation (section 3.4.2, figure 3.1) needs
/// O(|g|⁴ · edges). An edge is used by some perfect matching iff it is in this one or on a residual cycle.
#[derive(Clone, Debug, Default)]
pub struct Matching {
    classes: usize,
    values: Vec<u32>,
    allowed: Vec<bool>,
    flow: Vec<u64>,
    supply: Vec<u64>,
    demand: Vec<u64>,
    /// The layer of each node in the search for augmenting paths: classes, then values.
    layer: Vec<u32>,
    queue: Vec<u32>,
    /// The component of each node of the residual graph.
    component: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Matching {
    /// Matches the people of a group to its values; false if they can't all have one, which no true group with
    /// true rules shows.
    ///
    /// `people[c]` are in the group of class `c`, for which `barred` holds the values excluded; `values[v]` people
    /// have the value `v`. `known[c * values.len() + v]`, where given, says how many of the class have
    /// the value: a matching to start from, which saves looking for one.
    pub fn find(&mut self, people: &[u64], barred: &ValueSets, values: &[u64], known: Option<&[u64]>) -> bool {
        self.classes = people.len();
        self.values.clear();
        self.values.extend((0..).zip(values).filter(|&(_, &people)| people > 0).map(|(value, _)| value));
        let (classes, held) = (self.classes, self.values.len());
        self.supply.clear();
        self.supply.extend_from_slice(people);
        self.demand.clear();
        self.demand.extend(self.values.iter().map(|&value| values[value as usize]));
        self.allowed.clear();
        self.flow.clear();
        for class in 0..classes {
            for index in 0..held {
                let value = self.values[index];
                let allowed = !barred.contains(class, value);
                let known = known.map_or(u64::MAX, |known| known[class * values.len() + value as usize]);
                let flow = if allowed { known.min(self.supply[class]).min(self.demand[index]) } else { 0 };
                self.allowed.push(allowed);
                self.flow.push(flow);
                self.supply[class] -= flow;
                self.demand[index] -= flow;
            }
        }
        while self.supply.iter().any(|&people| people > 0) && self.layers() {
            for class in 0..classes {
                while self.supply[class] > 0 {
                    let sent = self.send(class, self.supply[class]);
                    self.supply[class] -= sent;
                    if sent == 0 {
                        break;
                    }
                }
            }
        }
        if self.supply.iter().chain(&self.demand).any(|&people| people > 0) {
            return false;
        }
        self.components();
        true
    }

    /// Whether some perfect matching gives a person of the class the value at a index of the group's values.
    fn valid_at(&self, class: usize, index: usize) -> bool {
        let edge = class * self.values.len() + index;
        self.allowed[edge] && (self.flow[edge] > 0 || self.component[class] == self.component[self.classes + index])
    }

    /// The values that a person of a class can have, ascending.
    pub fn valid(&self, class: usize) -> impl Iterator<Item = u32> + '_ {
        (0..self.values.len()).filter(move |&index| self.valid_at(class, index)).map(|index| self.values[index])
    }

    /// How many they are.
    pub fn valid_count(&self, class: usize) -> u64 {
        (0..self.values.len()).filter(|&index| self.valid_at(class, index)).count() as u64
    }

    /// Layers the residual graph from the classes that have people left (Hopcroft and Karp 1973, on classes); whether a
    /// value that still wants people is reached.
    fn layers(&mut self) -> bool {
        let (classes, held) = (self.classes, self.values.len());
        self.layer.clear();
        self.layer.resize(classes + held, NONE);
        self.queue.clear();
        for class in (0..classes).filter(|&class| self.supply[class] > 0) {
            self.layer[class] = 0;
            self.queue.push(class as u32);
        }
        let mut reached = false;
        let mut next = 0;
        while let Some(&node) = self.queue.get(next) {
            next += 1;
            let node = node as usize;
            let onward = self.layer[node] + 1;
            for other in 0..if node < classes { held } else { classes } {
                let (edge, to) = if node < classes {
                    (node * held + other, classes + other)
                } else {
                    (other * held + node - classes, other)
                };
                let passable = if node < classes { self.allowed[edge] } else { self.flow[edge] > 0 };
                if passable && self.layer[to] == NONE {
                    self.layer[to] = onward;
                    self.queue.push(to as u32);
                    reached |= to >= classes && self.demand[to - classes] > 0;
                }
            }
        }
        reached
    }

    /// Sends people of a class on along the layers, at most `most`; says how many arrived. A class that leads nowhere
    /// loses its layer. As deep as there are layers, at most twice the number of values.
    fn send(&mut self, class: usize, most: u64) -> u64 {
        let held = self.values.len();
        for index in 0..held {
            let edge = class * held + index;
            if !self.allowed[edge] || self.layer[self.classes + index] != self.layer[class] + 1 {
                continue;
            }
            let mut sent = most.min(self.demand[index]);
            self.demand[index] -= sent;
            if sent == 0 {
                for other in 0..self.classes {
                    let back = other * held + index;
                    if self.flow[back] > 0 && self.layer[other] == self.layer[self.classes + index] + 1 {
                        sent = self.send(other, most.min(self.flow[back]));
                        if sent > 0 {
                            self.flow[back] -= sent;
                            break;
                        }
                    }
                }
            }
            if sent > 0 {
                self.flow[edge] += sent;
                return sent;
            }
        }
        self.layer[class] = NONE - 1;
        0
    }

    /// Strongly connected components of the residual graph: class to value where allowed, value to class where matched.
    /// Kosaraju: the order in which a forward search leaves the nodes, then a backward search in reverse.
    fn components(&mut self) {
        let (classes, held) = (self.classes, self.values.len());
        let nodes = classes + held;
        let arc = |from: usize, to: usize| match (from < classes, to < classes) {
            (true, false) => self.allowed[from * held + to - classes],
            (false, true) => self.flow[to * held + from - classes] > 0,
            _ => false,
        };
        let others = |node: usize| if node < classes { classes..nodes } else { 0..classes };
        let mut left: Vec<u32> = Vec::with_capacity(nodes);
        let mut seen = vec![false; nodes];
        let mut stack: Vec<(usize, usize)> = Vec::new();
        for root in 0..nodes {
            if std::mem::replace(&mut seen[root], true) {
                continue;
            }
            stack.push((root, others(root).start));
            while let Some((node, next)) = stack.pop() {
                match (next..others(node).end).find(|&to| !seen[to] && arc(node, to)) {
                    Some(to) => {
                        stack.push((node, to + 1));
                        seen[to] = true;
                        stack.push((to, others(to).start));
                    }
                    None => left.push(node as u32),
                }
            }
        }
        let mut component = std::mem::take(&mut self.component);
        component.clear();
        component.resize(nodes, NONE);
        let mut waiting: Vec<usize> = Vec::new();
        for &root in left.iter().rev() {
            if component[root as usize] != NONE {
                continue;
            }
            component[root as usize] = root;
            waiting.push(root as usize);
            while let Some(node) = waiting.pop() {
                for from in others(node).filter(|&from| arc(from, node)) {
                    if component[from] == NONE {
                        component[from] = root;
                        waiting.push(from);
                    }
                }
            }
        }
        self.component = component;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every way to give the people, one by one, a value each: which values each person gets in some of them.
    fn brute(people: &[Vec<u32>], left: &mut [u64], so_far: &mut Vec<u32>, valid: &mut [Vec<bool>]) {
        let Some(barred) = people.get(so_far.len()) else {
            so_far.iter().enumerate().for_each(|(person, &value)| valid[person][value as usize] = true);
            return;
        };
        for value in 0..left.len() as u32 {
            if left[value as usize] > 0 && !barred.contains(&value) {
                left[value as usize] -= 1;
                so_far.push(value);
                brute(people, left, so_far, valid);
                so_far.pop();
                left[value as usize] += 1;
            }
        }
    }

    /// Classes of one to three people with excluded values, and values that need not fit.
    fn groups() -> impl Strategy<Value = (Vec<(u64, Vec<u32>)>, Vec<u64>)> {
        let class = (1_u64..4, proptest::collection::btree_set(0_u32..4, 0..4));
        let class = class.prop_map(|(people, barred)| (people, barred.into_iter().collect()));
        proptest::collection::vec(class, 1..4).prop_flat_map(|classes| {
            let people = classes.iter().map(|class: &(u64, Vec<u32>)| class.0).sum::<u64>() as usize;
            (
                Just(classes),
                proptest::collection::vec(0_usize..4, people).prop_map(|held| {
                    let mut values = vec![0; 4];
                    held.into_iter().for_each(|value| values[value] += 1);
                    values
                }),
            )
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn valid_values_are_those_of_all_matchings((classes, values) in groups()) {
            let people: Vec<Vec<u32>> =
                classes.iter().flat_map(|(people, barred)| vec![barred.clone(); *people as usize]).collect();
            let mut slow = vec![vec![false; 4]; people.len()];
            brute(&people, &mut values.clone(), &mut Vec::new(), &mut slow);
            let mut barred = ValueSets::empty(classes.len(), 4);
            for (class, (_, values)) in classes.iter().enumerate() {
                values.iter().for_each(|&value| barred.insert(class, value));
            }
            let counts: Vec<u64> = classes.iter().map(|class| class.0).collect();
            let mut matching = Matching::default();
            let feasible = matching.find(&counts, &barred, &values, None);
            prop_assert_eq!(feasible, slow[0].contains(&true));
            if feasible {
                let mut person = 0;
                for (class, (people, _)) in classes.iter().enumerate() {
                    let expected: Vec<u32> = (0..4).filter(|&value| slow[person][value as usize]).collect();
                    prop_assert_eq!(matching.valid(class).collect::<Vec<_>>(), expected);
                    prop_assert_eq!(matching.valid_count(class), slow[person].iter().filter(|&&v| v).count() as u64);
                    person += *people as usize;
                }
            }
        }
    }

    /// Section 3.4.1: one woman, two men, one ovarian cancer and two diseases of both.
    #[test]
    fn the_only_woman_has_the_only_ovarian_cancer() {
        let mut barred = ValueSets::empty(2, 3);
        barred.insert(1, 0);
        let mut matching = Matching::default();
        assert!(matching.find(&[1, 2], &barred, &[1, 1, 1], None));
        assert_eq!(matching.valid(0).collect::<Vec<_>>(), [0]);
        assert_eq!(matching.valid(1).collect::<Vec<_>>(), [1, 2]);
        assert!(matching.find(&[1, 2], &barred, &[1, 1, 1], Some(&[1, 0, 0, 0, 1, 1])));
        assert_eq!(matching.valid_count(0), 1);
        assert!(!matching.find(&[1, 2], &barred, &[2, 1, 0], None), "two ovarian cancers and one woman");
    }
}
