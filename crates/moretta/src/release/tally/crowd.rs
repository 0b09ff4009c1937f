//! Who may be in, and with which values: bounds of aggregates that no original which fits the release can leave.

/// People who may be selected, each with a value from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Member {
    /// The least that their values can be.
    pub low: f64,
    /// The most.
    pub high: f64,
    /// How many they are.
    pub people: u64,
    /// Whether they can be among those who must be in: see [`PossibleMembers::close`].
    pub sure: bool,
}

/// A part: some members, of whom a number must be in and no more than another can be.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Part {
    end: usize,
    least: u64,
    most: u64,
}

/// People in independent parts. Of each part at least `least` of its sure members and at most `most` of all members are in;
/// each of them has any value in its range. All bounds are attained by such a choice.
///
/// People whose being in does not depend on others share a part: everybody who is surely in must be, and the others may be.
#[derive(Clone, Debug, Default)]
pub struct PossibleMembers {
    members: Vec<Member>,
    parts: Vec<Part>,
}

impl PossibleMembers {
    /// Adds members to the part that is being made.
    pub fn add(&mut self, member: Member) {
        if member.people > 0 {
            self.members.push(member);
        }
    }

    /// Ends a part: at least `least` of its sure members are in, and at most `most` of all.
    pub fn close(&mut self, least: u64, most: u64) {
        let start = self.start();
        let members = &self.members[start..];
        let all: u64 = members.iter().map(|member| member.people).sum();
        let sure: u64 = members.iter().filter(|member| member.sure).map(|member| member.people).sum();
        let most = most.min(all);
        if most == 0 {
            self.members.truncate(start);
            return;
        }
        self.parts.push(Part { end: self.members.len(), least: least.min(sure).min(most), most });
    }

    /// Ends a part of which nobody has to be in.
    pub fn close_at_most(&mut self, most: u64) {
        self.close(0, most);
    }

    /// Ends a part whose members do not depend on each other: who is sure is in.
    pub fn close_independent(&mut self) {
        self.close(u64::MAX, u64::MAX);
    }

    fn start(&self) -> usize {
        self.parts.last().map_or(0, |part| part.end)
    }

    /// Whether nobody can be in.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Whether it can be that nobody is in.
    pub fn may_be_nobody(&self) -> bool {
        self.parts.iter().all(|part| part.least == 0)
    }

    /// What the sum can be.
    pub fn sum(&mut self) -> (f64, f64) {
        self.both_ends(|crowd| crowd.cheapest(0.0).0)
    }

    /// What the mean can be, over those choices in which somebody is in.
    pub fn mean(&mut self) -> (f64, f64) {
        self.both_ends(Self::lowest_mean)
    }

    /// What the smallest value can be, over those choices in which somebody is in.
    pub fn smallest(&mut self) -> (f64, f64) {
        (self.least_value(), self.highest_smallest())
    }

    /// What the largest value can be, over those choices in which somebody is in.
    pub fn largest(&mut self) -> (f64, f64) {
        self.mirror();
        let (low, high) = self.smallest();
        self.mirror();
        (-high, -low)
    }

    /// A lower bound as it is, and the upper one as the lower bound of the mirrored crowd.
    fn both_ends(&mut self, lowest: impl Fn(&Self) -> f64) -> (f64, f64) {
        self.order();
        let low = lowest(self);
        self.mirror();
        self.order();
        let high = -lowest(self);
        self.mirror();
        // Zero has one sign.
        (low + 0.0, high + 0.0)
    }

    fn mirror(&mut self) {
        for member in &mut self.members {
            (member.low, member.high) = (-member.high, -member.low);
        }
    }

    /// Sorts the members of each part by what their values can be at least.
    fn order(&mut self) {
        let mut start = 0;
        for part in &self.parts {
            self.members[start..part.end].sort_unstable_by(|a, b| a.low.total_cmp(&b.low));
            start = part.end;
        }
    }

    fn parts(&self) -> impl Iterator<Item = (&[Member], Part)> {
        let mut start = 0;
        self.parts.iter().map(move |part| {
            let members = &self.members[start..part.end];
            start = part.end;
            (members, *part)
        })
    }

    /// The choice with the smallest sum of (value − price): those who must be in, the lowest of them, and everybody else
    /// below the price for whom there is room. Its sum of values, and its people.
    fn cheapest(&self, price: f64) -> (f64, u64) {
        let (mut sum, mut people) = (0.0, 0);
        for (members, part) in self.parts() {
            let (mut needed, mut room) = (part.least, part.most);
            let must_come = |member: &Member, needed: &mut u64| {
                let coming = if member.sure { member.people.min(*needed) } else { 0 };
                *needed -= coming;
                coming
            };
            for member in members {
                let coming = must_come(member, &mut needed);
                room -= coming;
                people += coming;
                sum += if coming > 0 { coming as f64 * member.low } else { 0.0 };
                if needed == 0 {
                    break;
                }
            }
            let mut needed = part.least;
            for member in members.iter().take_while(|member| member.low < price) {
                let welcome = (member.people - must_come(member, &mut needed)).min(room);
                room -= welcome;
                people += welcome;
                sum += if welcome > 0 { welcome as f64 * member.low } else { 0.0 };
            }
        }
        (sum, people)
    }

    /// The least mean, by Dinkelbach's method: price everybody at the mean found so far until no choice is below it.
    fn lowest_mean(&self) -> f64 {
        if self.may_be_nobody() {
            return self.least_value();
        }
        let (sum, people) = self.cheapest(f64::NEG_INFINITY);
        let mut mean = sum / people as f64;
        loop {
            let (sum, people) = self.cheapest(mean);
            let lower = sum / people as f64;
            if lower >= mean || mean == f64::NEG_INFINITY {
                return mean;
            }
            mean = lower;
        }
    }

    /// The lowest value of anybody who can be in: who is not sure can't where those who must be in leave no room.
    fn least_value(&self) -> f64 {
        let of_part = |(members, part): (&[Member], Part)| {
            let welcome = members.iter().filter(|member| member.sure || part.most > part.least);
            welcome.map(|member| member.low).fold(f64::INFINITY, f64::min)
        };
        self.parts().map(of_part).fold(f64::INFINITY, f64::min)
    }

    /// The smallest value is largest if those who must be in are the highest: then it is the lowest of these.
    fn highest_smallest(&self) -> f64 {
        let mut found: Option<f64> = None;
        let mut sure = Vec::new();
        for (members, part) in self.parts().filter(|(_, part)| part.least > 0) {
            sure.clear();
            sure.extend(members.iter().filter(|member| member.sure).map(|member| (member.high, member.people)));
            sure.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
            let mut needed = part.least;
            for (high, people) in &sure {
                if needed <= *people {
                    found = Some(found.map_or(*high, |known| known.min(*high)));
                    break;
                }
                needed -= people;
            }
        }
        let highest = || self.members[..self.start()].iter().map(|m| m.high).fold(f64::NEG_INFINITY, f64::max);
        found.unwrap_or_else(highest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A low end, a width, and whether they are sure, one by one; at least and at most so many of them.
    type SmallPart = (Vec<(i8, u8, bool)>, u64, u64);

    /// Parts of a few people each.
    fn crowds() -> impl Strategy<Value = Vec<SmallPart>> {
        let member = (-3_i8..4, 0_u8..3, any::<bool>());
        let part = (proptest::collection::vec(member, 1..4), 0_u64..4, 0_u64..4);
        proptest::collection::vec(part, 1..4)
    }

    /// The aggregates of every choice: who is in, with both ends of their ranges.
    fn choices(crowd: &[SmallPart]) -> Vec<Vec<f64>> {
        let mut all: Vec<Vec<f64>> = vec![Vec::new()];
        for (members, least, most) in crowd {
            let sure = members.iter().filter(|member| member.2).count() as u64;
            let most = (*most).min(members.len() as u64);
            let least = (*least).min(sure).min(most);
            let mut next = Vec::new();
            // For each member: out, in with the low value, in with the high one.
            for code in 0..3_usize.pow(members.len() as u32) {
                let state = |at: usize| code / 3_usize.pow(at as u32) % 3;
                let within = (0..members.len()).filter(|&at| state(at) > 0);
                let surely = within.clone().filter(|&at| members[at].2).count() as u64;
                if surely >= least && within.clone().count() as u64 <= most {
                    let value = |at: usize| {
                        f64::from(members[at].0) + if state(at) == 2 { f64::from(members[at].1) } else { 0.0 }
                    };
                    let values: Vec<f64> = within.map(value).collect();
                    next.extend(all.iter().map(|known| known.iter().chain(&values).copied().collect::<Vec<f64>>()));
                }
            }
            all = next;
        }
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        #[test]
        fn bounds_are_the_ends_of_all_choices(parts in crowds()) {
            let mut crowd = PossibleMembers::default();
            for (members, least, most) in &parts {
                for &(low, width, sure) in members {
                    let low = f64::from(low);
                    crowd.add(Member { low, high: low + f64::from(width), people: 1, sure });
                }
                crowd.close(*least, *most);
            }
            let choices = choices(&parts);
            let ends = |of: &dyn Fn(&[f64]) -> f64, with_nobody: bool| {
                let found: Vec<f64> = choices.iter().filter(|c| with_nobody || !c.is_empty()).map(|c| of(c)).collect();
                (found.iter().copied().fold(f64::INFINITY, f64::min), found.iter().copied().fold(f64::NEG_INFINITY, f64::max))
            };
            prop_assert_eq!(crowd.is_empty(), choices.iter().all(Vec::is_empty));
            if crowd.is_empty() {
                return Ok(());
            }
            prop_assert_eq!(crowd.may_be_nobody(), choices.iter().any(Vec::is_empty));
            let close = |a: (f64, f64), b: (f64, f64)| (a.0 - b.0).abs() < 1e-9 && (a.1 - b.1).abs() < 1e-9;
            let sum = ends(&|c| c.iter().sum(), true);
            prop_assert!(close(crowd.sum(), sum), "sum {:?} {:?}", crowd.sum(), sum);
            let mean = ends(&|c| c.iter().sum::<f64>() / c.len() as f64, false);
            prop_assert!(close(crowd.mean(), mean), "mean {:?} {:?}", crowd.mean(), mean);
            let least = ends(&|c| c.iter().copied().fold(f64::INFINITY, f64::min), false);
            prop_assert!(close(crowd.smallest(), least), "min {:?} {:?}", crowd.smallest(), least);
            let most = ends(&|c| c.iter().copied().fold(f64::NEG_INFINITY, f64::max), false);
            prop_assert!(close(crowd.largest(), most), "max {:?} {:?}", crowd.largest(), most);
        }
    }
}
