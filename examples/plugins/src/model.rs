//! A promise: in every group the most frequent value has at most so many people more than the least frequent one.

use moretta::Result;
use moretta::plugin::{
    Attribute, Group, GroupCheck, GroupModel, Measure, ModelEntry, PrivacyModel, Refusal, Safer, Safety, Scope,
    Scratch, Section, Sentence, SeveralRows, TableSummary, Wording, Wordings,
};
use serde_json::{Map, Value};

pub const ENTRY: ModelEntry = ModelEntry {
    name: "balanced",
    summary: "in every group the most frequent value has at most `most` people more than the least frequent one",
    paper: "",
    page: "# balanced\n\nIn every group the most frequent sensitive value has at most `most` people more than the least frequent one that occurs.\n\n\
           It does not protect from somebody who can exclude values.\n",
    wordings: WORDINGS,
    several_rows: SeveralRows::Refused("leads are of rows"),
    read,
};

const OTHER: Wording =
    Wording::Refused(Refusal { reason: "groups of such a release do not show who may have which value", instead: &[] });

const WORDINGS: Wordings = Wordings {
    generalized: Wording::Promise(Sentence {
        promise: "in every group the most frequent value has at most {most} people more than the least frequent one",
        argument: "The values of each group are counted in the file.",
        not_protected: "the value, for somebody who can exclude others",
        claim: "balanced",
    }),
    bucketized: OTHER,
    ambiguous: OTHER,
    distribution: OTHER,
    uncertain: OTHER,
    condensed: OTHER,
    sliced: OTHER,
    others: OTHER,
};

#[derive(Clone, Copy, Debug)]
struct Balanced {
    most: u64,
}

fn read(section: &mut Section<'_>, _: &[Attribute]) -> Result<Box<dyn PrivacyModel>> {
    Ok(Box::new(Balanced { most: section.required_whole("most", 0)? }))
}

impl Balanced {
    /// By how many people the most frequent value of an attribute is ahead of the least frequent one that occurs.
    fn lead(counts: &[u64]) -> u64 {
        let occurring = || counts.iter().copied().filter(|&people| people > 0);
        occurring().max().unwrap_or(0) - occurring().min().unwrap_or(0)
    }

    fn worst(group: &Group<'_>) -> u64 {
        group.sensitive.iter().map(|counts| Self::lead(counts)).max().unwrap_or(0)
    }
}

impl PrivacyModel for Balanced {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn wordings(&self) -> &'static Wordings {
        &WORDINGS
    }

    fn parameters(&self) -> Map<String, Value> {
        Map::from_iter([("most".to_owned(), self.most.into())])
    }

    fn scope(&self) -> Scope<'_> {
        Scope::Groups(self)
    }
}

impl GroupModel for Balanced {
    fn prepare(&self, _: &TableSummary) -> Result<Box<dyn GroupCheck>> {
        Ok(Box::new(*self))
    }
}

impl GroupCheck for Balanced {
    /// Leads of two groups add up, so nothing is safe.
    fn safety(&self) -> Safety {
        Safety { merge: false, grow: false }
    }

    fn holds(&self, group: &Group<'_>, _: &mut Scratch) -> bool {
        Self::worst(group) <= self.most
    }

    fn measures(&self) -> &[Measure] {
        &[Measure { name: "lead", safer: Safer::Lower }]
    }

    fn measure(&self, group: &Group<'_>, _: &mut Scratch, levels: &mut [f64]) {
        levels[0] = Self::worst(group) as f64;
    }
}
