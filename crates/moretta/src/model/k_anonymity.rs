//! k-anonymity: nobody stands in a group of fewer than k.

use serde_json::{Map, Value as Json};

use super::sentence::{
    BLURRED, DRAWN, DRAWN_SIZE, EXACT, LISTED, OTHER_KINDS, Refusal, SHUFFLED, SIZE, Sentence, Wording, Wordings,
};
use super::{Group, GroupCheck, Measure, ModelEntry, PrivacyModel, Risk, Safer, Safety, SeveralRows, TableSummary};
use crate::config::Section;
use crate::distance::Scratch;
use crate::error::Result;
use crate::model::{GroupModel, Scope};
use crate::schema::Attribute;

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    name: "k-anonymity",
    summary: "every person's quasi-identifiers are published alike for at least k people",
    paper: "Samarati 2001; Sweeney 2002",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/models/k-anonymity.md")),
    wordings: WORDINGS,
    several_rows: SeveralRows::Counted("different people"),
    read,
};

const WORDINGS: Wordings = Wordings {
    generalized: Wording::Promise(Sentence {
        promise: "every person's quasi-identifiers are published alike for at least {k} people",
        argument: "Rows that publish the same quasi-identifiers are counted in the file. An adversary who knows a published person's quasi-identifiers finds at least the rows of her group, which are alike.",
        not_protected: "the sensitive value, where all people of a group share it",
        claim: "rows_alike",
    }),
    bucketized: Wording::Refused(Refusal { reason: EXACT, instead: &[SIZE] }),
    ambiguous: Wording::Refused(Refusal { reason: LISTED, instead: &[SIZE] }),
    distribution: Wording::Refused(Refusal { reason: EXACT, instead: &[SIZE] }),
    uncertain: Wording::Refused(Refusal { reason: BLURRED, instead: &["model = \"uncertain-k-anonymity\"\nk = {k}"] }),
    condensed: Wording::Refused(Refusal { reason: DRAWN, instead: &[DRAWN_SIZE] }),
    sliced: Wording::Refused(Refusal { reason: SHUFFLED, instead: &[SIZE] }),
    others: OTHER_KINDS,
};

/// |G| ≥ k for every group G (Samarati 2001, definition of k-anonymity; Sweeney 2002).
///
/// Merge-safe and grow-safe: a union is at least as large as its parts, and joining rows only adds.
/// Cost: constant for each group.
#[derive(Clone, Copy, Debug)]
struct KAnonymity {
    k: u64,
}

/// k-anonymity, as a step of other methods needs it.
pub(crate) fn of(k: u64) -> Box<dyn PrivacyModel> {
    Box::new(KAnonymity { k })
}

fn read(section: &mut Section<'_>, _: &[Attribute]) -> Result<Box<dyn PrivacyModel>> {
    Ok(Box::new(KAnonymity { k: section.required_whole("k", 1)? }))
}

impl PrivacyModel for KAnonymity {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn wordings(&self) -> &'static Wordings {
        &WORDINGS
    }

    fn parameters(&self) -> Map<String, Json> {
        Map::from_iter([("k".to_owned(), self.k.into())])
    }

    fn limit(&self, risk: Risk<'_>) -> Option<f64> {
        (risk == Risk::Linkage).then(|| 1.0 / self.k as f64)
    }

    /// Merge-safe and grow-safe by people too: different people of a part are among those of what contains it.
    fn safety_by_people(&self) -> Option<Safety> {
        Some(Safety { merge: true, grow: true })
    }

    fn scope(&self) -> Scope<'_> {
        Scope::Groups(self)
    }
}

impl GroupModel for KAnonymity {
    fn prepare(&self, _: &TableSummary) -> Result<Box<dyn GroupCheck>> {
        Ok(Box::new(*self))
    }
}

impl GroupCheck for KAnonymity {
    fn safety(&self) -> Safety {
        Safety { merge: true, grow: true }
    }

    fn least_people(&self) -> u64 {
        self.k
    }

    fn needs_histograms(&self) -> bool {
        false
    }

    fn holds(&self, group: &Group<'_>, _: &mut Scratch) -> bool {
        group.people >= self.k
    }

    fn measures(&self) -> &[Measure] {
        &[Measure { name: "k", safer: Safer::Higher }]
    }

    fn measure(&self, group: &Group<'_>, _: &mut Scratch, levels: &mut [f64]) {
        levels[0] = group.people as f64;
    }
}
