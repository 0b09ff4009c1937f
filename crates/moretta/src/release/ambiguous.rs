//! Ambiguous releases: for each quasi-identifier the values of every group, apart from all others
//! (Wang, *Ambiguity*, sections 4 and 5).

use std::sync::Arc;

use super::answers::{Adversary, Answers, Askable, Estimate};
use super::bucketized::{GROUP, overlap, read_groups};
use super::coverage::Coverage;
use super::files::helper;
use super::histograms::{Parts, Populations, Profiles, in_set};
use super::tally::{Law, Member, Tally};
use super::{Files, Groups};
use crate::data::Type;
use crate::data::domain::Domain;
use crate::data::role::Role;
use crate::data::value::Value;
use crate::distance::Ratio;
use crate::error::{Code, Error, Result};
use crate::policy::Attribute;
use crate::progress::Progress;
use crate::query::{QueryBox, ValueSet};

/// The name of the auxiliary table of a quasi-identifier.
pub fn at_name(attribute: &str) -> String {
    format!("at_{attribute}")
}

/// An ambiguous release.
#[derive(Debug)]
pub struct Ambiguous {
    /// Its groups with their sensitive values.
    pub groups: Groups,
    /// Its auxiliary tables, one for each quasi-identifier.
    pub auxiliary: Vec<Auxiliary>,
    suppressed: u64,
}

/// The values of a quasi-identifier by group.
#[derive(Debug)]
pub struct Auxiliary {
    /// The attribute's name.
    pub name: String,
    /// The values that occur.
    pub domain: Arc<Domain>,
    starts: Vec<u32>,
    codes: Vec<u32>,
}

impl Auxiliary {
    /// The values of a group, as codes in order.
    pub fn of_group(&self, group: usize) -> &[u32] {
        &self.codes[self.starts[group] as usize..self.starts[group + 1] as usize]
    }
}

impl Ambiguous {
    pub(super) fn read(files: &Files<'_>, progress: &Progress) -> Result<Self> {
        let attributes = files.attributes()?;
        let (groups, numbers) = read_groups(files, &attributes, progress)?;
        let quasi = attributes.iter().filter(|a| a.role == Role::Quasi);
        let auxiliary = quasi.map(|a| read_auxiliary(files, a, &numbers, progress)).collect::<Result<Vec<_>>>()?;
        files.compare("people", files.manifest.people, groups.whole.people)?;
        files.compare("groups", files.manifest.groups, groups.len() as u64)?;
        Ok(Self { groups, auxiliary, suppressed: files.manifest.suppressed })
    }

    /// How many combinations of quasi-identifiers a group covers; as many as can be counted if there are more.
    pub fn combinations(&self, group: usize) -> u128 {
        self.auxiliary.iter().fold(1, |product: u128, at| product.saturating_mul(at.of_group(group).len() as u128))
    }

    /// The probability that a combination which a group covers is present in it (Theorem 5.1): min(1, |G| / ∏|ATᵢ|).
    pub fn presence_ratio(&self, group: usize) -> Ratio {
        let combinations = self.combinations(group).max(1);
        Ratio { num: u128::from(self.groups.people[group]).min(combinations), den: combinations }
    }

    fn presence_in(&self, group: usize) -> f64 {
        self.presence_ratio(group).to_f64()
    }

    /// Which groups cover the values of people described by codes into these domains.
    pub fn coverage<'r>(&'r self, quasi: &[(String, Arc<Domain>)]) -> Result<Coverage<'r>> {
        let names_agree = quasi.len() == self.auxiliary.len()
            && quasi.iter().zip(&self.auxiliary).all(|((name, _), at)| *name == at.name);
        if !names_agree {
            return Err(Error::input("the original does not have the quasi-identifiers of the release")
                .coded(Code::OriginalMismatch)
                .help("use the policy that the release was made with"));
        }
        let sizes: Vec<usize> = quasi.iter().map(|(_, domain)| domain.len()).collect();
        // For each attribute and released value, the groups that list it.
        let of_value: Vec<Vec<Vec<u32>>> =
            self.auxiliary.iter().map(|at| groups_of_values(at, self.groups.len())).collect();
        let domains: Vec<Arc<Domain>> = quasi.iter().map(|(_, domain)| domain.clone()).collect();
        Ok(Coverage::new(self.groups.len(), &sizes, move |attribute, code, visit| {
            let released = self.auxiliary[attribute].domain.code(domains[attribute].value(code));
            let groups = released.map_or(&[][..], |released| &of_value[attribute][released as usize]);
            groups.iter().for_each(|&group| visit(group as usize));
        }))
    }
}

fn groups_of_values(auxiliary: &Auxiliary, groups: usize) -> Vec<Vec<u32>> {
    let mut of_value = vec![Vec::new(); auxiliary.domain.len()];
    for group in 0..groups {
        auxiliary.of_group(group).iter().for_each(|&code| of_value[code as usize].push(group as u32));
    }
    of_value
}

fn read_auxiliary(
    files: &Files<'_>,
    attribute: &Attribute,
    numbers: &Domain,
    progress: &Progress,
) -> Result<Auxiliary> {
    let name = at_name(&attribute.name);
    let value = Attribute { name: "value".to_owned(), ..attribute.clone() };
    let mut table = files.read(&name, &[value, helper(GROUP, Role::Group, Type::Integer)], progress)?;
    let (Some(group), Some(value)) = (table.group.take(), table.quasi.pop()) else {
        return Err(Error::bug("an auxiliary table was read without its columns"));
    };
    if group.domain.values() != numbers.values() {
        return Err(files.wrong(format!("the groups of {name} are not those of the sensitive values")));
    }
    let mut pairs: Vec<(u32, u32)> = group.codes.into_iter().zip(value.codes).collect();
    pairs.sort_unstable();
    if pairs.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(files.wrong(format!("{name} lists a value of a group twice")));
    }
    let mut starts = vec![0; numbers.len() + 1];
    pairs.iter().for_each(|&(group, _)| starts[group as usize + 1] += 1);
    (0..numbers.len()).for_each(|group| starts[group + 1] += starts[group]);
    let codes = pairs.into_iter().map(|(_, code)| code).collect();
    Ok(Auxiliary { name: attribute.name.clone(), domain: value.domain, starts, codes })
}

/// What is known about the people of a group in a box.
struct BoxInGroup {
    expected: f64,
    least: u64,
    most: u64,
}

impl Ambiguous {
    /// The truth of each value of each attribute that a box restricts: quasi-identifiers, then sensitive ones.
    fn truths(&self, one: &QueryBox) -> Vec<(usize, Vec<bool>)> {
        let of = |(attribute, set): &(usize, ValueSet)| {
            let values = self.domain(*attribute).values().iter();
            (*attribute, values.map(|value| set.contains(value)).collect())
        };
        one.sides.iter().map(of).collect()
    }

    fn domain(&self, attribute: usize) -> &Domain {
        match attribute.checked_sub(self.auxiliary.len()) {
            None => &self.auxiliary[attribute].domain,
            Some(sensitive) => &self.groups.whole.sensitive[sensitive].domain,
        }
    }

    /// c · ∏ (lᵢ / mᵢ) over the attributes that the condition names (section 6.1, corrected), and bounds: every
    /// value that a group lists belongs to somebody in it.
    fn in_group(&self, group: usize, truths: &[(usize, Vec<bool>)]) -> BoxInGroup {
        let size = self.groups.people[group];
        let mut found = BoxInGroup { expected: size as f64, least: size, most: size };
        for (attribute, truth) in truths {
            let (share, least, most) = match attribute.checked_sub(self.auxiliary.len()) {
                None => {
                    let listed = self.auxiliary[*attribute].of_group(group);
                    let matching = listed.iter().filter(|&&code| truth[code as usize]).count() as u64;
                    let all = listed.len() as u64;
                    let least = if matching == all { size } else { matching };
                    let most = if matching == 0 { 0 } else { size.saturating_sub(all - matching) };
                    (matching as f64 / all as f64, least, most)
                }
                Some(sensitive) => {
                    let (codes, people) = self.groups.held(sensitive, group);
                    let held: u64 =
                        codes.iter().zip(people).filter(|(code, _)| truth[**code as usize]).map(|(_, n)| n).sum();
                    (held as f64 / size as f64, held, held)
                }
            };
            found.expected *= share;
            found.least = overlap(size, found.least, least).0;
            found.most = overlap(size, found.most, most).1;
        }
        found
    }
}

impl Answers for Ambiguous {
    fn adversary<'r>(&'r self, quasi: &[(String, Arc<Domain>)]) -> Result<Box<dyn Adversary + 'r>> {
        Ok(Box::new(Reader { release: self, coverage: self.coverage(quasi)? }))
    }

    fn attributes(&self) -> Vec<Askable> {
        let columns = self.auxiliary.iter().map(|at| (&at.name, &at.domain));
        let sensitive = self.groups.whole.sensitive.iter().map(|s| (&s.name, &s.domain));
        columns.chain(sensitive).map(|(name, domain)| Askable { name: name.clone(), kind: domain.kind() }).collect()
    }

    fn values_of(&self, attribute: usize) -> Result<Vec<Value>> {
        Ok(self.domain(attribute).values().to_vec())
    }

    fn histograms(&self, populations: &Populations, attribute: usize) -> Result<Vec<Vec<f64>>> {
        let (sensitive, groups) = (attribute - self.auxiliary.len(), &self.groups);
        let every_group: Vec<u32> = (0..groups.len() as u32).collect();
        let parts = Parts {
            columns: vec![every_group.clone(); self.auxiliary.len()],
            people: groups.people.iter().map(|&people| people as f64).collect(),
            profile: every_group,
            profiles: Profiles::of_groups(groups, sensitive),
        };
        let weigh = |place: usize, set: &ValueSet| {
            let listed = &self.auxiliary[place];
            let truth = in_set(listed.domain.values(), set);
            let share = |group: usize| {
                let codes = listed.of_group(group);
                codes.iter().map(|&code| truth[code as usize]).sum::<f64>() / codes.len().max(1) as f64
            };
            (0..groups.len()).map(share).collect()
        };
        Ok(parts.histograms(populations, groups.whole.sensitive[sensitive].domain.len(), weigh))
    }

    fn count(&self, condition: &[QueryBox]) -> Result<Estimate> {
        let truths: Vec<_> = condition.iter().map(|one| self.truths(one)).collect();
        let (mut estimate, mut lower, mut upper) = (0.0, 0, 0);
        for group in 0..self.groups.len() {
            let mut most = 0;
            for truths in &truths {
                let found = self.in_group(group, truths);
                estimate += found.expected;
                lower += found.least;
                most += found.most;
            }
            upper += most.min(self.groups.people[group]);
        }
        let suppressed = if condition.is_empty() { 0 } else { self.suppressed };
        Ok(Estimate::within(estimate, lower as f64, (upper + suppressed) as f64))
    }

    fn tally(&self, attribute: usize, condition: &[QueryBox]) -> Result<Tally> {
        let mut tally = Tally::default();
        for one in condition {
            let truths = self.truths(one);
            for group in 0..self.groups.len() {
                self.tally_group(&mut tally, attribute, group, &truths);
            }
        }
        tally.add_suppressed(self.suppressed, attribute, condition);
        Ok(tally)
    }
}

impl Ambiguous {
    /// The values of a group that a box allows: of a sensitive attribute as often as the group has them; of a quasi-identifier
    /// each at least once, and the other people of the group have any of those that are listed.
    fn tally_group(&self, tally: &mut Tally, attribute: usize, group: usize, truths: &[(usize, Vec<bool>)]) {
        let found = self.in_group(group, truths);
        if found.most == 0 {
            return;
        }
        let truth = truths.iter().find(|(place, _)| *place == attribute).map(|(_, truth)| truth.as_slice());
        let domain = self.domain(attribute);
        let number = |code: u32| domain.value(code).as_number().filter(|_| truth.is_none_or(|t| t[code as usize]));
        let size = self.groups.people[group];
        let mut points: Vec<(f64, f64)> = Vec::new();
        match attribute.checked_sub(self.auxiliary.len()) {
            Some(sensitive) => {
                let (codes, people) = self.groups.held(sensitive, group);
                for (&code, &people) in codes.iter().zip(people) {
                    let Some(x) = number(code) else { continue };
                    points.push((x, people as f64));
                    tally.crowd.add(Member { low: x, high: x, people, sure: true });
                }
            }
            None => {
                let listed = self.auxiliary[attribute].of_group(group);
                points.extend(listed.iter().filter_map(|&code| number(code)).map(|x| (x, 1.0)));
                let ends =
                    points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), (x, _)| (x.min(l), x.max(h)));
                for (x, _) in &points {
                    tally.crowd.add(Member { low: *x, high: *x, people: 1, sure: true });
                }
                let others = size.saturating_sub(listed.len() as u64);
                let sure = points.len() == listed.len();
                tally.crowd.add(Member { low: ends.0, high: ends.1, people: others, sure });
            }
        }
        tally.crowd.close(found.least, found.most);
        let law = tally.expected.law(Law::weighted(points));
        tally.expected.expect(size as f64, found.expected / size as f64, law);
    }
}

/// An adversary: finds the groups that cover a person.
#[derive(Debug)]
struct Reader<'r> {
    release: &'r Ambiguous,
    coverage: Coverage<'r>,
}

impl Adversary for Reader<'_> {
    fn candidates(&self, person: &[u32]) -> Vec<(u64, f64)> {
        let covering = self.coverage.of_person(person);
        covering.into_iter().map(|group| (group as u64, self.release.presence_in(group))).collect()
    }

    /// 1 − ∏(1 − p) over the groups that cover the person.
    fn presence(&self, person: &[u32]) -> Option<f64> {
        let covering = self.coverage.of_person(person);
        Some(1.0 - covering.into_iter().map(|group| 1.0 - self.release.presence_in(group)).product::<f64>())
    }

    /// c / |G| in a group (Theorem 5.2); groups count as they are likely to hold the person.
    fn posterior(&self, person: &[u32], attribute: usize) -> Option<Vec<f64>> {
        let groups = &self.release.groups;
        let candidates = self.candidates(person);
        let total: f64 = candidates.iter().map(|(_, weight)| weight).sum();
        let mut belief = vec![0.0; groups.whole.sensitive.get(attribute)?.domain.len()];
        for (group, weight) in candidates {
            let group = group as usize;
            let (codes, held) = groups.held(attribute, group);
            let share = weight / total / groups.people[group] as f64;
            codes.iter().zip(held).for_each(|(&code, &held)| belief[code as usize] += share * held as f64);
        }
        (total > 0.0).then_some(belief)
    }
}
