//! Bucket size: nobody stands in a bucket of fewer than k.

use serde_json::{Map, Value as Json};

use super::sentence::{OTHER_KINDS, Sentence, Wording, Wordings, refused};
use super::{ModelEntry, PrivacyModel, Scope, SeveralRows};
use crate::config::Section;
use crate::error::Result;
use crate::schema::Attribute;

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    name: "bucket-size",
    summary: "every bucket holds at least k people; it says nothing about how many different values it has",
    paper: "the size condition of k-anonymity, of buckets alone",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/models/bucket-size.md")),
    wordings: WORDINGS,
    several_rows: SeveralRows::Refused("it counts the rows of a bucket"),
    read,
};

/// What is not promised by any bucket-size.
const NOT_PROTECTED: &str = "how many different values a bucket has, of any attribute: all of its people may share one";

const WORDINGS: Wordings = Wordings {
    generalized: refused("k-anonymity says more there, and is as easily kept: require k-anonymity"),
    bucketized: Wording::Promise(Sentence {
        promise: "every bucket holds at least {k} people",
        argument: "The rows of `qit` and the counts of each table of sensitive values are summed by bucket, and agree.",
        not_protected: NOT_PROTECTED,
        claim: "bucket_sizes_in_qit",
    }),
    ambiguous: Wording::Promise(Sentence {
        promise: "every group holds at least {k} people",
        argument: "The counts of each table of sensitive values are summed by group.",
        not_protected: NOT_PROTECTED,
        claim: "group_sizes_in_st",
    }),
    distribution: Wording::Promise(Sentence {
        promise: "every group holds at least {k} people",
        argument: "The rows of `qit` are counted by group; added values that are nobody's do not count.",
        not_protected: NOT_PROTECTED,
        claim: "bucket_sizes_in_qit",
    }),
    uncertain: refused("it has no buckets: every record is a density of its own; require uncertain-k-anonymity"),
    condensed: refused("its records are drawn from the moments of groups; condensed-k speaks of these"),
    sliced: Wording::Promise(Sentence {
        promise: "every bucket holds at least {k} people",
        argument: "The rows of the table are counted by bucket.",
        not_protected: NOT_PROTECTED,
        claim: "bucket_sizes_in_slices",
    }),
    others: OTHER_KINDS,
};

/// |B| ≥ k for every bucket B of a release that keeps quasi-identifiers exact.
///
/// No k-anonymity: people of a bucket publish different quasi-identifiers, and whoever is alone with hers is found.
///
/// Merge-safe and grow-safe: a union is at least as large as its parts, and joining rows only adds. Cost: constant for each bucket.
#[derive(Clone, Copy, Debug)]
struct BucketSize {
    k: u64,
}

fn read(section: &mut Section<'_>, _: &[Attribute]) -> Result<Box<dyn PrivacyModel>> {
    Ok(Box::new(BucketSize { k: section.required_whole("k", 1)? }))
}

impl PrivacyModel for BucketSize {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn wordings(&self) -> &'static Wordings {
        &WORDINGS
    }

    fn parameters(&self) -> Map<String, Json> {
        Map::from_iter([("k".to_owned(), self.k.into())])
    }

    fn scope(&self) -> Scope<'_> {
        Scope::Sizes(self.k)
    }
}
