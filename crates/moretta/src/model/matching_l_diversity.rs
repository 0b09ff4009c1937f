//! Matching ℓ-diversity: whoever knows what people can't have still finds ℓ possible values for each.

use serde_json::{Map, Value as Json};

use super::members::{Known, MemberCheck, MemberModel, MemberScratch, Members};
use super::sentence::{MEMBERS_UNKNOWN, OTHER_KINDS, Sentence, Wording, Wordings, refused};
use super::target::Target;
use super::{ModelEntry, PrivacyModel, Safer, SeveralRows, TableSummary, level_to_json};
use crate::config::{Content, Section};
use crate::error::Result;
use crate::knowledge::{Mining, ValueSets};
use crate::model::Scope;
use crate::schema::Attribute;

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    name: "matching-l-diversity",
    summary: "who knows what people can't have, by rules mined from the table, still finds l possible values for each",
    paper: "Li 2010",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/models/matching-l-diversity.md")),
    wordings: WORDINGS,
    several_rows: SeveralRows::Refused("it matches rows with values"),
    read,
};

const WORDINGS: Wordings = Wordings {
    generalized: Wording::Promise(Sentence {
        promise: "somebody who knows every rule that the original shows about what people can't have still finds at least {l} values of {each} possible for everybody in a group of people who publish the same quasi-identifiers",
        argument: "The rules are mined from the original. A value is possible for a person if all people of her group can have values of the group with her having it, against no rule.",
        not_protected: "knowledge of another kind than these rules; how likely each value is",
        claim: "possible_values_of_groups",
    }),
    bucketized: Wording::Promise(Sentence {
        promise: "somebody who knows every rule that the original shows about what people can't have still finds at least {l} values of {each} possible for everybody in a bucket",
        argument: "The rules are mined from the original. A value is possible for a person if all people of her bucket can have values of the bucket with her having it, against no rule.",
        not_protected: "knowledge of another kind than these rules; how likely each value is",
        claim: "possible_values_of_buckets",
    }),
    ambiguous: refused(MEMBERS_UNKNOWN),
    distribution: refused(MEMBERS_UNKNOWN),
    uncertain: refused(MEMBERS_UNKNOWN),
    condensed: refused(MEMBERS_UNKNOWN),
    sliced: refused(MEMBERS_UNKNOWN),
    others: OTHER_KINDS,
};

/// Every person of a group has at least ℓ *valid* values: values that some way of giving each person of the group one of
/// the group's values, against no rule, gives to that person. Li (2010), definition 3.4.1.
///
/// Rules are mined from the original, so that everybody's own value is always valid.
///
/// Merge-safe: what is possible in two groups is possible in their union. Not grow-safe: people who join keep what the others
/// can have, but may have too few possible values themselves. Cost: for each group, classes of people × values.
#[derive(Clone, Debug)]
pub struct MatchingL {
    target: Target,
    /// The fewest valid values.
    pub l: u64,
    /// What counts as a rule.
    pub mining: Mining,
}

fn read(section: &mut Section<'_>, attributes: &[Attribute]) -> Result<Box<dyn PrivacyModel>> {
    let l = section.required_whole("l", 1)?;
    let share = |x: f64| (0.0..=1.0).contains(&x);
    let min_expectation = section.required_number("min_expectation", "from 0 to 1, for example 0.9", share)?;
    let max_items = section.whole("max_items", 1)?.unwrap_or(1) as usize;
    let fuzzy = match section.get("fuzzy").map(|node| &node.content) {
        None => false,
        Some(Content::Boolean(fuzzy)) => *fuzzy,
        Some(other) => return Err(section.wrong_kind("fuzzy", "true or false", other)),
    };
    let (target, _) = Target::read(section, attributes)?;
    let mining = Mining { max_items, fuzzy, ..Mining::at(min_expectation) };
    Ok(Box::new(MatchingL { target, l, mining }))
}

impl MatchingL {
    /// The indices of the attributes that it is about, among the sensitive ones.
    pub fn attributes(&self, whole: &TableSummary) -> Result<Vec<usize>> {
        Ok(self.target.resolve(whole)?.into_iter().map(|(index, _)| index).collect())
    }
}

impl PrivacyModel for MatchingL {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn wordings(&self) -> &'static Wordings {
        &WORDINGS
    }

    fn parameters(&self) -> Map<String, Json> {
        let mut promised = Map::from_iter([
            ("l".to_owned(), self.l.into()),
            ("min_expectation".to_owned(), level_to_json(self.mining.min_expectation)),
            ("max_items".to_owned(), self.mining.max_items.into()),
            ("fuzzy".to_owned(), self.mining.fuzzy.into()),
        ]);
        self.target.promise(&mut promised);
        promised
    }

    fn scope(&self) -> Scope<'_> {
        Scope::Members(self)
    }
}

impl MemberModel for MatchingL {
    fn prepare_members(&self, known: &Known<'_>) -> Result<Box<dyn MemberCheck>> {
        let attributes = self.target.resolve(known.whole)?.into_iter().map(|(index, _)| {
            let incompatible = known.rules(index, &self.mining)?.incompatible;
            Ok(Barred::new(index, &incompatible))
        });
        Ok(Box::new(Check { l: self.l, attributes: attributes.collect::<Result<_>>()? }))
    }
}

/// What people can't have, by class: those of whom the same values are excluded.
#[derive(Debug)]
pub struct Barred {
    /// The index of the attribute among the sensitive ones.
    pub attribute: usize,
    /// The class of each point.
    pub class_of_point: Vec<u32>,
    /// The values excluded for each class.
    pub sets: ValueSets,
}

impl Barred {
    /// The classes of points that exclude these values of an attribute.
    pub fn new(attribute: usize, incompatible: &ValueSets) -> Self {
        let (sets, class_of_point) = incompatible.distinct();
        Self { attribute, class_of_point, sets }
    }

    /// The class of a point.
    pub fn class_of(&self, point: u32) -> u32 {
        self.class_of_point[point as usize]
    }

    /// Counts the classes of a group and finds what each can have. False if not everybody can have one.
    pub fn matched(&self, members: &Members<'_>, scratch: &mut MemberScratch) -> bool {
        let MemberScratch { matching, place_of_class, classes, people, barred, .. } = scratch;
        place_of_class.resize(place_of_class.len().max(self.sets.len()), u32::MAX);
        classes.clear();
        people.clear();
        for &(point, count) in members.points {
            let class = self.class_of_point[point as usize];
            let index = &mut place_of_class[class as usize];
            if *index == u32::MAX {
                *index = classes.len() as u32;
                classes.push(class);
                people.push(0);
            }
            people[*index as usize] += count;
        }
        *barred = ValueSets::empty(0, self.sets.values());
        for &class in &*classes {
            barred.push(self.sets.row(class as usize));
            place_of_class[class as usize] = u32::MAX;
        }
        matching.find(people, barred, &members.sensitive[self.attribute], None)
    }
}

#[derive(Debug)]
struct Check {
    l: u64,
    attributes: Vec<Barred>,
}

impl Check {
    fn level(barred: &Barred, members: &Members<'_>, scratch: &mut MemberScratch) -> u64 {
        if !barred.matched(members, scratch) {
            return 0;
        }
        (0..scratch.classes.len()).map(|class| scratch.matching.valid_count(class)).min().unwrap_or(u64::MAX)
    }
}

impl MemberCheck for Check {
    fn merge_safe(&self) -> bool {
        true
    }

    fn least_people(&self) -> u64 {
        self.l
    }

    fn safer(&self) -> Safer {
        Safer::Higher
    }

    fn may_hold(&self, members: &Members<'_>, _: &mut MemberScratch) -> bool {
        let distinct = |barred: &Barred| members.sensitive[barred.attribute].iter().filter(|&&n| n > 0).count() as u64;
        self.attributes.iter().all(|barred| distinct(barred) >= self.l)
    }

    fn holds(&self, members: &Members<'_>, scratch: &mut MemberScratch) -> bool {
        self.may_hold(members, scratch)
            && self.attributes.iter().all(|barred| Self::level(barred, members, scratch) >= self.l)
    }

    fn measure(&self, members: &Members<'_>, scratch: &mut MemberScratch, levels: &mut [f64]) {
        let least = self.attributes.iter().map(|barred| Self::level(barred, members, scratch)).min();
        levels[0] = least.unwrap_or(0) as f64;
    }

    fn achieved(&self, levels: &[f64]) -> Map<String, Json> {
        Map::from_iter([("l".to_owned(), level_to_json(levels[0]))])
    }
}
