//! ℓ-diverse slicing: nobody's sensitive value can be believed with more than 1/ℓ.

use rayon::prelude::*;
use serde_json::{Map, Value as Json};

use super::sentence::{OTHER_KINDS, Sentence, Wording, Wordings, refused};
use super::target::{Exact, Target};
use super::{ModelEntry, PrivacyModel, ProvedFrom, ReleaseModel, Risk, SeveralRows, Verdict, level_to_json};
use crate::config::Section;
use crate::error::{Code, Error, Result};
use crate::kind::Release;
use crate::kind::sliced::Sliced;
use crate::kind::sliced::math::{SlicedPosterior, reaches};
use crate::model::Scope;
use crate::numeric::Threshold;
use crate::release::Original;
use crate::schema::Attribute;

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    name: "l-diverse-slicing",
    summary: "over all buckets that a person matches, no sensitive value is believed with more than 1/l",
    paper: "Li 2010",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/models/l-diverse-slicing.md")),
    wordings: WORDINGS,
    several_rows: SeveralRows::Refused("it permutes rows"),
    read,
};

const WORDINGS: Wordings = Wordings {
    generalized: refused("it has no columns that were shuffled inside buckets; only sliced releases have"),
    bucketized: refused("it has no columns that were shuffled inside buckets; only sliced releases have"),
    ambiguous: refused("it has no columns that were shuffled inside buckets; only sliced releases have"),
    distribution: refused("it has no columns that were shuffled inside buckets; only sliced releases have"),
    uncertain: refused("it has no columns that were shuffled inside buckets; only sliced releases have"),
    condensed: refused("it has no columns that were shuffled inside buckets; only sliced releases have"),
    sliced: Wording::Promise(Sentence {
        promise: "over all buckets that a person of the original matches, no value of {any} is believed with more than 1/{l}",
        argument: "In each bucket those who agree with her in what stands in one column with the attribute are her candidates; buckets count by how well they match her, column by column. Where every bucket keeps the bound, every mean does.",
        not_protected: "what is known beforehand about a person; values that are alike in meaning",
        claim: "belief_over_matching_buckets",
    }),
    others: OTHER_KINDS,
};

/// p(t, s) ≤ 1/ℓ for every person t of the original and every value s, over all matching buckets of the release.
///
/// Decided exactly, with ℓ as the decimal in the policy. Li (2010), definition 4.2.2; the check of figure 4.2 has `≥`
/// where the definition, and we, have `>` as the violation.
///
/// p(t, ·) is a mean of the candidates' distributions in the buckets that t matches. Where those all keep the bound, so does every
/// mean, whoever t is: then the files prove the promise. Else who is in the original decides.
#[derive(Clone, Debug)]
pub(crate) struct LDiverseSlicing {
    target: Target,
    l: Exact,
}

fn read(section: &mut Section<'_>, attributes: &[Attribute]) -> Result<Box<dyn PrivacyModel>> {
    let l = Exact::read(section, "l", "of at least 1", |l| l >= 1.0)?;
    let (target, _) = Target::read(section, attributes)?;
    Ok(Box::new(LDiverseSlicing { target, l }))
}

impl LDiverseSlicing {
    /// Whether it speaks of a sensitive attribute.
    pub(crate) fn is_about(&self, attribute: &str) -> bool {
        self.target.names().iter().any(|name| name == attribute)
    }

    /// ℓ.
    pub(crate) fn bound(&self) -> Threshold {
        self.l.bound
    }
}

impl PrivacyModel for LDiverseSlicing {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn wordings(&self) -> &'static Wordings {
        &WORDINGS
    }

    fn parameters(&self) -> Map<String, Json> {
        let mut promised = Map::from_iter([("l".to_owned(), self.l.to_json())]);
        self.target.promise(&mut promised);
        promised
    }

    fn limit(&self, risk: Risk<'_>) -> Option<f64> {
        match risk {
            Risk::Belief(name) if self.target.includes(name) => Some(1.0 / self.l.value),
            _ => None,
        }
    }

    fn scope(&self) -> Scope<'_> {
        Scope::Release(self)
    }
}

impl ReleaseModel for LDiverseSlicing {
    fn judge(&self, release: &dyn Release, original: Option<&Original<'_>>) -> Result<Option<Verdict>> {
        let sliced = release.slices().map_err(|lacks| {
            Error::input(format!("{} can't be judged here: {lacks}", ENTRY.name)).coded(Code::ModelUnsupported)
        })?;
        let (mut level, mut holds, mut witnesses) = (f64::INFINITY, true, Vec::new());
        for name in self.target.names() {
            let secret = sliced.table.sensitive.iter().position(|column| column.name == *name);
            let secret =
                secret.ok_or_else(|| Error::bug(format!("the sensitive attribute {name:?} is not in the table")))?;
            let found = match original {
                Some(original) => self.of_people(sliced, secret, original)?,
                None => {
                    let (bucket, candidates, having) = sliced.index().worst_bucket(secret);
                    if !reaches(candidates, having, self.l.bound) {
                        return Ok(None);
                    }
                    Found { most_likely: having as f64 / candidates.max(1) as f64, bucket, holds: true }
                }
            };
            holds &= found.holds;
            if 1.0 / found.most_likely < level {
                level = 1.0 / found.most_likely;
                witnesses = vec![found.bucket as usize];
            }
        }
        // What is a fraction of small numbers shall be read as one.
        let level = (level * 1e9).round() / 1e9;
        let proved_from = if original.is_some() { ProvedFrom::FilesAndOriginal } else { ProvedFrom::Files };
        let achieved = Map::from_iter([("l".to_owned(), level_to_json(level))]);
        Ok(Some(Verdict { model: ENTRY.name, promised: self.parameters(), achieved, holds, proved_from, witnesses }))
    }
}

/// The worst that is found.
#[derive(Clone, Copy)]
struct Found {
    most_likely: f64,
    bucket: u32,
    holds: bool,
}

impl LDiverseSlicing {
    /// Asks for everybody in the original.
    fn of_people(&self, sliced: &Sliced, secret: usize, original: &Original<'_>) -> Result<Found> {
        let people = sliced.people_of(original)?;
        let nothing = Found { most_likely: 0.0, bucket: 0, holds: true };
        let worse = |a: Found, b: Found| {
            let worst = if b.most_likely > a.most_likely { b } else { a };
            Found { holds: a.holds && b.holds, ..worst }
        };
        let found = (0..people.len()).into_par_iter().with_min_len(256).map_init(
            SlicedPosterior::default,
            |posterior, person| {
                people.with_values(person, |values| sliced.index().posterior(values, secret, posterior));
                let Some((_, most_likely)) = posterior.most_likely() else {
                    // Whoever was left out has no bucket to match.
                    return if sliced.suppressed() > 0 { Ok(nothing) } else { Err(stranger()) };
                };
                let mut bucket = 0;
                people.with_values(person, |values| sliced.index().matching(values, |b, _| bucket = b));
                Ok(Found { most_likely, bucket, holds: posterior.reaches(self.l.bound) })
            },
        );
        found.try_reduce(|| nothing, |a, b| Ok(worse(a, b)))
    }
}

fn stranger() -> Error {
    Error::data("somebody in the original matches no bucket of the release")
        .coded(Code::OriginalMismatch)
        .help("use the table and the policy that the release was made with")
}
