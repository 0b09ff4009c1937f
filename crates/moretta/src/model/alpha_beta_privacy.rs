//! (α, β)-privacy: nobody's presence is believed beyond α, nobody's sensitive value beyond β.

use serde_json::{Map, Value as Json};

use super::sentence::{OTHER_KINDS, Sentence, Wording, Wordings, refused};
use super::target::{Exact, Target};
use super::{
    ModelEntry, PrivacyModel, ProvedFrom, ReleaseModel, Risk, SeveralRows, TableSummary, Verdict, level_to_json,
};
use crate::config::Section;
use crate::error::{Code, Error, Result};
use crate::kind::Release;
use crate::kind::ambiguous::{Ambiguous, CombinedPresence};
use crate::model::Scope;
use crate::numeric::{Ratio, Threshold};
use crate::release::Original;
use crate::schema::Attribute;

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    name: "alpha-beta-privacy",
    summary: "belief that a person is in the data stays within alpha, belief in a sensitive value within beta",
    paper: "Wang, Ambiguity: Hide the Presence of Individuals",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/models/alpha-beta-privacy.md")),
    wordings: WORDINGS,
    several_rows: SeveralRows::Refused("presence is a belief about rows"),
    read,
};

const WORDINGS: Wordings = Wordings {
    generalized: refused("it speaks of lists of values apart from each other, which only ambiguous releases have"),
    bucketized: refused("it speaks of lists of values apart from each other, which only ambiguous releases have"),
    ambiguous: Wording::Promise(Sentence {
        promise: "{presence}, the presence of nobody is believed with more than {alpha}, and in every group no value of {any} has a share above {beta}",
        argument: "The people of a group by the combinations that its lists cover, and the counts of its values, stand in the files; which combinations people have is known beside the original, where all groups are combined.",
        not_protected: "that a value occurs in a group; what is known beforehand about a person",
        claim: "presence_and_shares",
    }),
    distribution: refused("it speaks of lists of values apart from each other, which only ambiguous releases have"),
    uncertain: refused("it speaks of lists of values apart from each other, which only ambiguous releases have"),
    condensed: refused("it speaks of lists of values apart from each other, which only ambiguous releases have"),
    sliced: refused("it speaks of lists of values apart from each other, which only ambiguous releases have"),
    others: OTHER_KINDS,
};

/// min(1, |G| / ∏|ATᵢ|) ≤ α and c(G, s) ≤ β · |G| for every group G and value s of an ambiguous release (Wang,
/// Definition 3.3 with Theorems 5.1 and 5.2).
///
/// The paper's definition is about what an adversary believes; its theorem assumes that one group covers a person. The belief from
/// all groups that cover a combination, 1 − ∏(1 − p), stays within α too, for the combinations of the original rows, unless
/// the policy says `presence = "group"`. A group's
/// presence and association are decided in whole numbers; a product of several beliefs is rounded, and one within
/// [`crate::numeric::tolerance::PRODUCT_OF_BELIEFS`] of the bound fails.
#[derive(Clone, Debug)]
pub struct AlphaBeta {
    target: Target,
    alpha: Exact,
    beta: Exact,
    presence: Presence,
}

/// Which groups an adversary looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Presence {
    /// Each by itself, as if only one covered a person: what the paper computes.
    Group,
    /// All that cover a person, together: what an adversary believes, as the paper's definition says.
    #[default]
    Combined,
}

impl Presence {
    const NAMES: [(&str, Self); 2] = [("group", Self::Group), ("combined", Self::Combined)];
}

fn read(section: &mut Section<'_>, attributes: &[Attribute]) -> Result<Box<dyn PrivacyModel>> {
    let share = |x: f64| x > 0.0 && x <= 1.0;
    let alpha = Exact::read(section, "alpha", "above 0, and at most 1", share)?;
    let beta = Exact::read(section, "beta", "above 0, and at most 1", share)?;
    let presence = section.choice("presence", &Presence::NAMES)?.unwrap_or_default();
    let (target, _) = Target::read(section, attributes)?;
    Ok(Box::new(AlphaBeta { target, alpha, beta, presence }))
}

impl AlphaBeta {
    /// The bound of presence.
    pub fn alpha(&self) -> Threshold {
        self.alpha.bound
    }

    /// The bound of association.
    pub fn beta(&self) -> Threshold {
        self.beta.bound
    }

    /// Which groups an adversary looks at.
    pub fn presence(&self) -> Presence {
        self.presence
    }

    /// Whether it is about a sensitive attribute.
    pub fn protects(&self, attribute: &str) -> bool {
        self.target.names().iter().any(|name| name == attribute)
    }
}

impl PrivacyModel for AlphaBeta {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn wordings(&self) -> &'static Wordings {
        &WORDINGS
    }

    fn parameters(&self) -> Map<String, Json> {
        let name = Presence::NAMES.iter().find(|(_, presence)| *presence == self.presence).map_or("", |(name, _)| name);
        let mut promised = Map::from_iter([
            ("alpha".to_owned(), self.alpha.to_json()),
            ("beta".to_owned(), self.beta.to_json()),
            ("presence".to_owned(), name.into()),
        ]);
        self.target.promise(&mut promised);
        promised
    }

    /// The groups together are all people, so a value that too many of them have is too frequent in some group.
    fn check_table(&self, whole: &TableSummary) -> Result<()> {
        for attribute in whole.sensitive.iter().filter(|attribute| self.protects(&attribute.name)) {
            let counts = attribute.people.iter().copied().enumerate();
            let (code, most) = counts.max_by_key(|(_, people)| *people).unwrap_or_default();
            let ratio = Ratio { num: most.into(), den: u128::from(whole.people).max(1) };
            if ratio.at_most(self.beta.bound) {
                continue;
            }
            let share = most as f64 / whole.people as f64;
            return Err(Error::data(format!(
                "beta = {} can't hold: {share:.3} of all people have {} {:?}, and the groups together are all people",
                self.beta.value,
                attribute.name,
                attribute.domain.value(code as u32).to_string()
            ))
            .coded(Code::PromiseImpossible)
            .help(format!("a beta of at least {share:.6} can")));
        }
        Ok(())
    }

    fn limit(&self, risk: Risk<'_>) -> Option<f64> {
        match risk {
            Risk::GroupPresence => Some(self.alpha.value),
            Risk::Presence if self.presence == Presence::Combined => Some(self.alpha.value),
            Risk::Belief(name) if self.target.includes(name) => Some(self.beta.value),
            _ => None,
        }
    }

    fn caveat(&self) -> Option<String> {
        (self.presence == Presence::Group).then(|| {
            format!(
                "bounds by alpha = {} what each group tells by itself, not what somebody believes who looks at all of them: \
                 several groups can cover a person, and together they may make the presence certain; the combined belief stands \
                 in the verdict, and presence = \"combined\" bounds it",
                self.alpha.value
            )
        })
    }

    fn scope(&self) -> Scope<'_> {
        Scope::Release(self)
    }
}

impl ReleaseModel for AlphaBeta {
    fn judge(&self, release: &dyn Release, original: Option<&Original<'_>>) -> Result<Option<Verdict>> {
        let release = release.auxiliary_tables().map_err(|lacks| {
            Error::input(format!("{} can't be judged here: {lacks}", ENTRY.name))
                .coded(Code::ModelUnsupported)
                .help("`moretta explain alpha-beta-privacy` says why")
        })?;
        let attributes: Vec<usize> = self.target.resolve(&release.groups.whole)?.into_iter().map(|(a, _)| a).collect();
        let presence: Vec<Ratio> = (0..release.groups.len()).map(|group| release.presence_ratio(group)).collect();
        let association: Vec<Ratio> =
            (0..release.groups.len()).map(|group| most_frequent(release, group, &attributes)).collect();
        let fails =
            |group: usize| !presence[group].at_most(self.alpha.bound) || !association[group].at_most(self.beta.bound);
        let mut holds = !(0..release.groups.len()).any(fails);
        let worst = |ratios: &[Ratio]| ratios.iter().map(|ratio| ratio.to_f64()).fold(0.0, f64::max);
        let mut achieved = Map::from_iter([
            ("alpha".to_owned(), level_to_json(worst(&presence))),
            ("beta".to_owned(), level_to_json(worst(&association))),
        ]);
        let mut proved_from = ProvedFrom::Files;
        match (self.presence, original) {
            // What a group refutes by itself needs no original.
            (Presence::Combined, None) if holds => return Ok(None),
            (_, Some(original)) => {
                let coverage = release.coverage(&original.quasi)?;
                let alpha = self.alpha.bound;
                let combined =
                    CombinedPresence::of_cells(&coverage, original.cells, original.quasi.len(), &presence, alpha);
                achieved.insert("combined".to_owned(), level_to_json(combined.worst));
                if self.presence == Presence::Combined {
                    holds &= combined.beyond.is_empty();
                    proved_from = ProvedFrom::FilesAndOriginal;
                }
            }
            (_, None) => {}
        }
        let witnesses = worst_groups(&presence, &association, fails);
        Ok(Some(Verdict { model: ENTRY.name, promised: self.parameters(), achieved, holds, proved_from, witnesses }))
    }
}

/// The share of the most frequent value of the attributes in a group.
fn most_frequent(release: &Ambiguous, group: usize, attributes: &[usize]) -> Ratio {
    let most = |&attribute: &usize| release.groups.held(attribute, group).1.iter().copied().max().unwrap_or(0);
    let num = attributes.iter().map(most).max().unwrap_or(0).into();
    Ratio { num, den: u128::from(release.groups.people[group]).max(1) }
}

/// Groups that fail, then those nearest to failing.
fn worst_groups(presence: &[Ratio], association: &[Ratio], fails: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut groups: Vec<usize> = (0..presence.len()).collect();
    let badness = |group: usize| presence[group].to_f64().max(association[group].to_f64());
    let most = groups.len().min(super::worst::WITNESSES);
    if most < groups.len() {
        groups.select_nth_unstable_by(most, |&a, &b| fails(b).cmp(&fails(a)).then(badness(b).total_cmp(&badness(a))));
        groups.truncate(most);
    }
    groups.sort_by(|&a, &b| fails(b).cmp(&fails(a)).then(badness(b).total_cmp(&badness(a))));
    groups
}
