//! (B, t)-privacy: the release moves nobody's belief about anybody by more than t.

use serde_json::{Map, Value as Json, json};

use super::closeness::Closeness;
use super::gain::Gain;
use super::members::{Known, MemberCheck, MemberModel, MemberScratch, Members};
use super::sentence::{MEMBERS_UNKNOWN, OTHER_KINDS, Sentence, Wording, Wordings, refused};
use super::{ModelEntry, PrivacyModel, Safer, SeveralRows, level_to_json};
use crate::config::{Content, Node, Section};
use crate::data::role::Role;
use crate::error::{Error, Result};
use crate::hierarchy::Scale;
use crate::knowledge::{AttributeDistance, Prior};
use crate::model::Scope;
use crate::numeric::tolerance;
use crate::schema::Attribute;

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    name: "b-t-privacy",
    summary: "the release moves the belief of an adversary who knows the table's patterns by at most t, about anybody",
    paper: "Li 2010",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/models/b-t-privacy.md")),
    wordings: WORDINGS,
    several_rows: SeveralRows::Refused("it has a belief about each row"),
    read,
};

const WORDINGS: Wordings = Wordings {
    generalized: Wording::Promise(Sentence {
        promise: "the belief in anybody's value of {each}, formed from the original's own patterns as smoothly as stated, changes by no more than stated when her group is known: {adversaries} (distance: {distance})",
        argument: "The beliefs before are computed from the original; those after from who stands in which group, exactly or by the Omega estimate, whichever moves farther.",
        not_protected: "an adversary whose knowledge is vaguer or sharper than those stated",
        claim: "change_of_belief_in_groups",
    }),
    bucketized: Wording::Promise(Sentence {
        promise: "the belief in anybody's value of {each}, formed from the original's own patterns as smoothly as stated, changes by no more than stated when her bucket is known: {adversaries} (distance: {distance})",
        argument: "The beliefs before are computed from the original; those after from who stands in which bucket, exactly or by the Omega estimate, whichever moves farther.",
        not_protected: "an adversary whose knowledge is vaguer or sharper than those stated",
        claim: "change_of_belief_in_buckets",
    }),
    ambiguous: refused(MEMBERS_UNKNOWN),
    distribution: refused(MEMBERS_UNKNOWN),
    uncertain: refused(MEMBERS_UNKNOWN),
    condensed: refused(MEMBERS_UNKNOWN),
    sliced: refused(MEMBERS_UNKNOWN),
    others: OTHER_KINDS,
};

/// D[P_prior(q), P_posterior(q)] ≤ t for everybody, and for each of some adversaries (B, t): definitions 3.6.1 and 3.6.2
/// of Li (2010).
///
/// The posterior is that of exact inference where it takes at most [`STEPS`] steps, and of the Ω-estimate; the larger
/// distance of both counts, so that neither way of reasoning gains more than t. Larger groups are judged by the Ω-estimate
/// alone, as the dissertation judges all. Not merge-safe: in a union people may change places in ways
/// that neither part allowed. Cost: people × values for the Ω-estimate and the distances.
#[derive(Clone, Debug)]
struct BTPrivacy {
    distance: Closeness,
    adversaries: Vec<Adversary>,
    stated: Vec<Stated>,
    inference: Which,
}

/// How much an adversary knows, and how much she may learn.
#[derive(Clone, Debug)]
struct Adversary {
    bandwidth: Bandwidth,
    t: f64,
}

#[derive(Clone, Debug)]
enum Bandwidth {
    Same(f64),
    By(Vec<(String, f64)>),
}

/// Distances between the values of an attribute, as the policy states them.
#[derive(Clone, Debug)]
struct Stated {
    attribute: String,
    values: Vec<String>,
    matrix: Vec<Vec<f64>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    Exact,
    Omega,
}

/// The most steps of exact inference for one group: some milliseconds.
const STEPS: u64 = 1 << 20;

const ABOVE_ZERO: &str = "above 0, in distances from 0 to 1, for example 0.3; or \"inf\"";

/// The bandwidth of somebody who knows nothing but the distribution of the whole table.
const INFINITE: &str = "inf";

fn read(section: &mut Section<'_>, attributes: &[Attribute]) -> Result<Box<dyn PrivacyModel>> {
    let distance = Closeness::of_beliefs(section, attributes)?;
    let quasi: Vec<&str> = attributes.iter().filter(|a| a.role == Role::Quasi).map(|a| a.name.as_str()).collect();
    let adversaries = match section.get("skyline") {
        None => vec![read_adversary(section, &quasi)?],
        Some(Node { content: Content::List(items), .. }) if !items.is_empty() => {
            let one = |item: &Node| {
                let mut own = section.inner("an adversary of the skyline", item)?;
                let adversary = read_adversary(&mut own, &quasi)?;
                own.finish()?;
                Ok(adversary)
            };
            items.iter().map(one).collect::<Result<Vec<_>>>()?
        }
        Some(other) => return Err(section.wrong_kind("skyline", "a list of { bandwidth, t }", &other.content)),
    };
    let largest = distance.largest();
    if let Some(adversary) = adversaries.iter().find(|adversary| adversary.t > largest) {
        return Err(section
            .error_at("t", format!("`t` is {}", adversary.t))
            .help(format!("a number from 0 to {largest:.4}: no distance of this kind is larger")));
    }
    let stated = match section.get("distances") {
        None => Vec::new(),
        Some(node) => {
            let own = section.inner("distances", node)?;
            own.entries().iter().map(|(name, node)| read_stated(&own, name, node, &quasi)).collect::<Result<_>>()?
        }
    };
    let inference = section.choice("inference", &[("exact", Which::Exact), ("omega", Which::Omega)])?;
    Ok(Box::new(BTPrivacy { distance, adversaries, stated, inference: inference.unwrap_or(Which::Exact) }))
}

fn read_adversary(section: &mut Section<'_>, quasi: &[&str]) -> Result<Adversary> {
    let t = section.required_number("t", "from 0 up", |t| t >= 0.0)?;
    let by_attribute = match section.get("bandwidth") {
        None => return Err(section.lacks("bandwidth").help(format!("a number {ABOVE_ZERO}"))),
        Some(Node { content: Content::Table(entries), .. }) => Some(entries),
        Some(_) => None,
    };
    let Some(entries) = by_attribute else {
        let infinite = section.get("bandwidth").and_then(number).filter(|&bandwidth| bandwidth == f64::INFINITY);
        let bandwidth = match infinite {
            Some(infinite) => infinite,
            None => section.required_number("bandwidth", ABOVE_ZERO, |b| b > 0.0)?,
        };
        return Ok(Adversary { bandwidth: Bandwidth::Same(bandwidth), t });
    };
    let one = |(name, node): &(String, Node)| match number(node) {
        _ if !quasi.contains(&name.as_str()) => {
            Err(section.error_at("bandwidth", format!("{name:?} is no quasi-identifier")))
        }
        Some(bandwidth) if bandwidth > 0.0 => Ok((name.clone(), bandwidth)),
        _ => Err(section
            .error_at("bandwidth", format!("the bandwidth of {name:?} is not a number above 0"))
            .help(format!("a number {ABOVE_ZERO}"))),
    };
    let by = entries.iter().map(one).collect::<Result<Vec<_>>>()?;
    match quasi.iter().find(|name| !by.iter().any(|(known, _)| known == *name)) {
        None => Ok(Adversary { bandwidth: Bandwidth::By(by), t }),
        Some(missing) => Err(section
            .error_at("bandwidth", format!("{missing:?} has no bandwidth"))
            .help("state one for every quasi-identifier, or a single number for all")),
    }
}

fn number(node: &Node) -> Option<f64> {
    match &node.content {
        Content::Float(x) => Some(*x),
        Content::Integer(i) => Some(*i as f64),
        Content::Text(text) if text == INFINITE => Some(f64::INFINITY),
        _ => None,
    }
}

fn bandwidth_to_json(bandwidth: f64) -> Json {
    if bandwidth == f64::INFINITY { INFINITE.into() } else { level_to_json(bandwidth) }
}

fn read_stated(section: &Section<'_>, name: &str, node: &Node, quasi: &[&str]) -> Result<Stated> {
    if !quasi.contains(&name) {
        return Err(section.error(format!("{name:?} is no quasi-identifier")));
    }
    let mut own = section.inner(format!("the distances of {name:?}"), node)?;
    let values = own.texts("values")?.ok_or_else(|| own.lacks("values").help("list the values"))?;
    let row = |node: &Node| match &node.content {
        Content::List(items) => items.iter().map(number).collect::<Option<Vec<f64>>>(),
        _ => None,
    };
    let matrix = match own.get("matrix").map(|node| &node.content) {
        Some(Content::List(rows)) => rows.iter().map(row).collect::<Option<Vec<_>>>(),
        _ => None,
    };
    let matrix = matrix.ok_or_else(|| own.error("`matrix` must be a list of lists of numbers"))?;
    own.finish()?;
    Ok(Stated { attribute: name.to_owned(), values, matrix })
}

impl Adversary {
    fn promise(&self) -> Json {
        let bandwidth = match &self.bandwidth {
            Bandwidth::Same(bandwidth) => bandwidth_to_json(*bandwidth),
            Bandwidth::By(list) => list.iter().map(|(name, b)| (name.clone(), bandwidth_to_json(*b))).collect(),
        };
        json!({ "bandwidth": bandwidth, "t": level_to_json(self.t) })
    }

    /// The smallest of its bandwidths.
    fn finest(&self) -> f64 {
        match &self.bandwidth {
            Bandwidth::Same(bandwidth) => *bandwidth,
            Bandwidth::By(list) => list.iter().map(|(_, bandwidth)| *bandwidth).fold(f64::INFINITY, f64::min),
        }
    }

    fn bandwidths(&self, names: &[String]) -> Result<Vec<f64>> {
        let find = |name: &String| match &self.bandwidth {
            Bandwidth::Same(bandwidth) => Ok(*bandwidth),
            Bandwidth::By(list) => list
                .iter()
                .find(|(known, _)| known == name)
                .map(|&(_, bandwidth)| bandwidth)
                .ok_or_else(|| Error::input(format!("{name:?} has no bandwidth"))),
        };
        names.iter().map(find).collect()
    }
}

impl PrivacyModel for BTPrivacy {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn wordings(&self) -> &'static Wordings {
        &WORDINGS
    }

    fn parameters(&self) -> Map<String, Json> {
        let mut promised = Map::new();
        match self.adversaries.as_slice() {
            [only] => promised.extend(only.promise().as_object().cloned().unwrap_or_default()),
            many => drop(promised.insert("skyline".into(), many.iter().map(Adversary::promise).collect())),
        }
        self.distance.promise_distance(&mut promised);
        if !self.stated.is_empty() {
            let one = |s: &Stated| (s.attribute.clone(), json!({ "values": s.values, "matrix": s.matrix }));
            promised.insert("distances".into(), Json::Object(self.stated.iter().map(one).collect()));
        }
        if self.inference == Which::Omega {
            promised.insert("inference".into(), "omega".into());
        }
        promised
    }

    fn caveat(&self) -> Option<String> {
        let vaguest = self.adversaries.iter().map(Adversary::finest).fold(0.0, f64::max);
        (vaguest < f64::INFINITY).then(|| {
            format!(
                "promises nothing against adversaries who know less than a bandwidth of {vaguest} tells: to somebody who knows \
                 only how the whole table is distributed, the release may tell much more; a skyline that ends with \
                 {{ bandwidth = \"inf\", t = ... }} (which is t-closeness) covers them"
            )
        })
    }

    fn scope(&self) -> Scope<'_> {
        Scope::Members(self)
    }
}

impl MemberModel for BTPrivacy {
    fn prepare_members(&self, known: &Known<'_>) -> Result<Box<dyn MemberCheck>> {
        let distances = known.names.iter().zip(known.scales).map(|(name, scale): (&String, &Scale)| {
            match self.stated.iter().find(|stated| stated.attribute == *name) {
                None => Ok(AttributeDistance::of_scale(scale)),
                Some(stated) => AttributeDistance::stated(name, &stated.values, &stated.matrix, scale.domain()),
            }
        });
        let distances = distances.collect::<Result<Vec<_>>>()?;
        let mut adversaries = Vec::new();
        for adversary in &self.adversaries {
            let bandwidths = adversary.bandwidths(known.names)?;
            let mut priors = Vec::new();
            for (attribute, sensitive) in self.distance.target.resolve(known.whole)? {
                let prior = Prior::new(&known.evidence(attribute), &distances, &bandwidths)?;
                priors.push(Gain::new(attribute, prior, self.distance.distance(sensitive)?));
            }
            adversaries.push((priors, adversary.t));
        }
        Ok(Box::new(Check { adversaries, exact: self.inference == Which::Exact }))
    }
}

#[derive(Debug)]
struct Check {
    adversaries: Vec<(Vec<Gain>, f64)>,
    exact: bool,
}

impl MemberCheck for Check {
    fn merge_safe(&self) -> bool {
        false
    }

    fn safer(&self) -> Safer {
        Safer::Lower
    }

    fn levels(&self) -> usize {
        self.adversaries.len()
    }

    fn may_hold(&self, members: &Members<'_>, scratch: &mut MemberScratch) -> bool {
        self.adversaries
            .iter()
            .all(|(gains, t)| gains.iter().all(|gain| gain.worst(members, None, scratch) <= t + tolerance::LOGARITHM))
    }

    fn holds(&self, members: &Members<'_>, scratch: &mut MemberScratch) -> bool {
        let exact = |(gains, t): &(Vec<Gain>, f64), scratch: &mut MemberScratch| {
            gains.iter().all(|gain| gain.worst(members, Some(STEPS), scratch) <= t + tolerance::LOGARITHM)
        };
        self.may_hold(members, scratch)
            && (!self.exact || self.adversaries.iter().all(|adversary| exact(adversary, scratch)))
    }

    fn measure(&self, members: &Members<'_>, scratch: &mut MemberScratch, levels: &mut [f64]) {
        for ((gains, _), level) in self.adversaries.iter().zip(levels) {
            *level = 0.0;
            for gain in gains {
                *level = level.max(gain.worst(members, None, scratch));
                if self.exact {
                    *level = level.max(gain.worst(members, Some(STEPS), scratch));
                }
            }
        }
    }

    fn achieved(&self, levels: &[f64]) -> Map<String, Json> {
        let level = match levels {
            [only] => level_to_json(*only),
            many => many.iter().map(|&level| level_to_json(level)).collect(),
        };
        Map::from_iter([("t".to_owned(), level)])
    }
}
