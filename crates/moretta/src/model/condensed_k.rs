//! Condensed k: every record is drawn from the moments of at least k people.

use serde_json::{Map, Value as Json};

use super::sentence::{OTHER_KINDS, Sentence, Wording, Wordings, refused};
use super::{ModelEntry, PrivacyModel, Scope, SeveralRows};
use crate::config::Section;
use crate::error::Result;
use crate::schema::Attribute;

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    name: "condensed-k",
    summary: "each record of a condensed release is drawn from the moments of at least k people",
    paper: "Aggarwal and Yu 2004",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/models/condensed-k.md")),
    wordings: WORDINGS,
    several_rows: SeveralRows::Refused("a record is drawn from rows"),
    read,
};

const NO_MOMENTS: &str = "none of its records is drawn from the moments of a group; only condensed releases are";

const WORDINGS: Wordings = Wordings {
    generalized: refused(NO_MOMENTS),
    bucketized: refused(NO_MOMENTS),
    ambiguous: refused(NO_MOMENTS),
    distribution: refused(NO_MOMENTS),
    uncertain: refused(
        "its records are blurred one by one, not drawn from the moments of a group; require uncertain-k-anonymity",
    ),
    condensed: Wording::Promise(Sentence {
        promise: "each record is drawn from the mean and the covariance of a group of at least {k} people",
        argument: "A group has one record for each of its people, and its number stands beside each record: they are counted.",
        not_protected: "that a drawn record comes near to somebody's, or that groups whose people are all alike give away what they share",
        claim: "group_sizes_of_drawn_records",
    }),
    sliced: refused(NO_MOMENTS),
    others: OTHER_KINDS,
};

/// |G| ≥ k for every group G whose mean and covariance records are drawn from (Aggarwal and Yu, EDBT 2004, who call it
/// k-indistinguishability).
///
/// No k-anonymity: drawn records differ from each other, and none is anybody's.
///
/// Merge-safe and grow-safe: a union is at least as large as its parts, and joining rows only adds. Cost: constant for each group.
#[derive(Clone, Copy, Debug)]
struct CondensedK {
    k: u64,
}

fn read(section: &mut Section<'_>, _: &[Attribute]) -> Result<Box<dyn PrivacyModel>> {
    Ok(Box::new(CondensedK { k: section.required_whole("k", 1)? }))
}

impl PrivacyModel for CondensedK {
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
