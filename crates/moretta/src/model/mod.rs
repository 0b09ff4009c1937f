//! Privacy models: what can be promised about a release.
//!
//! A [`PrivacyModel`] is a promise with its parameters, checked before any data is read. Prepared
//! for a table it becomes a [`GroupCheck`], which judges one group at a time and is asked by searches
//! and by the final proof alike. Adding a model means one file and one line in [`registry`].

pub mod alpha_beta_privacy;
pub(crate) mod alpha_k_anonymity;
mod b_t_privacy;
pub(crate) mod bucket_size;
mod closeness;
mod composition;
pub(crate) mod condensed_k;
pub(crate) mod delta_disclosure;
pub(crate) mod distinct_l_diversity;
mod each_attribute;
pub(crate) mod entropy_l_diversity;
mod gain;
pub(crate) mod k_anonymity;
pub(crate) mod l_diverse_slicing;
pub mod levels;
pub(crate) mod matching_l_diversity;
#[cfg(test)]
mod member_properties;
pub mod members;
mod n_t_closeness;
mod p_alpha_sensitive;
mod p_plus_sensitive;
pub(crate) mod p_private;
pub(crate) mod p_sensitive;
#[cfg(test)]
mod paper_tables;
pub mod placed;
pub(crate) mod probabilistic_l_diversity;
#[cfg(test)]
mod properties;
pub(crate) mod recursive_l_diversity;
#[cfg(test)]
mod refusals;
pub mod registry;
mod requirement;
pub mod risk;
pub mod sentence;
mod several_rows;
mod sizes;
pub(crate) mod t_closeness;
mod target;
pub(crate) mod uncertain_k_anonymity;
mod worst;

use std::any::Any;
use std::fmt::Debug;

use serde::Serialize;
use serde_json::{Map, Value as Json};

pub use composition::Composition;
pub use gain::Gain;
pub(crate) use k_anonymity::of as k_anonymity;
pub(crate) use l_diverse_slicing::LDiverseSlicing;
pub use levels::{AttributeLevels, Levels};
pub use matching_l_diversity::{Barred, MatchingL};
pub use members::{Known, MemberCheck, MemberModel, MemberRequirement, MemberScratch, Members};
pub use placed::Placed;
pub use registry::{ModelEntry, ModelId};
pub use requirement::Requirement;
pub use risk::Risk;
pub use sentence::{Refusal, Sentence, Wording, Wordings};
pub use several_rows::SeveralRows;
pub(crate) use sizes::judge as judge_sizes;
pub use uncertain_k_anonymity::UncertainKAnonymity;

pub use crate::release::{Ancestor, Categories, Groups, PartitionTree, Sensitive, TableSummary};

use crate::distance::Scratch;
use crate::error::Result;
use crate::kind::OpenRelease;
use crate::progress::Progress;
use crate::release::Original;

/// A promise about a release.
pub trait PrivacyModel: Debug + Send + Sync + Any {
    /// The name by which policies call it.
    fn name(&self) -> &'static str;

    /// What tells it from all others.
    fn id(&self) -> ModelId {
        ModelId::new(self.name())
    }

    /// What may be said of each kind of release that keeps it.
    fn wordings(&self) -> &'static Wordings;

    /// Its parameters, as the manifest states them.
    fn parameters(&self) -> Map<String, Json>;

    /// Refuses an original table that the promise can't be about: one that lacks the values it names.
    ///
    /// A release is not asked: it may lack them because their rows were left out.
    fn check_table(&self, _: &TableSummary) -> Result<()> {
        Ok(())
    }

    /// The most that an attack may reach, or the least that must remain, if the promise bounds it.
    fn limit(&self, _: Risk<'_>) -> Option<f64> {
        None
    }

    /// Where several rows may belong to one person: what a search may rely on if a group counts different people, and a value those who have it.
    ///
    /// Nothing if the promise can't be counted so. These numbers are sizes of unions: people of two groups do not add up, so that an
    /// argument by sums does not carry over, and one by "the larger contains the smaller" does.
    fn safety_by_people(&self) -> Option<Safety> {
        None
    }

    /// What whoever reads its name may expect, and these parameters do not promise; follows the name of the model.
    fn caveat(&self) -> Option<String> {
        None
    }

    /// What it speaks of, and so how it is judged.
    fn scope(&self) -> Scope<'_>;
}

/// What a promise speaks of.
#[derive(Clone, Copy, Debug)]
pub enum Scope<'m> {
    /// Each group: its size and its sensitive values.
    Groups(&'m dyn GroupModel),
    /// Each group: who its people are, which is known beside the original.
    Members(&'m dyn MemberModel),
    /// The size of each bucket: it holds at least so many people, whatever their values are.
    Sizes(u64),
    /// A whole release that has what the promise is about.
    Release(&'m dyn ReleaseModel),
}

/// A promise about each group.
pub trait GroupModel: Debug {
    /// Makes it ready to judge the groups of a table.
    fn prepare(&self, whole: &TableSummary) -> Result<Box<dyn GroupCheck>>;
}

/// A promise that can only be judged for a whole release.
pub trait ReleaseModel: Debug {
    /// Judges a release, with the original beside it if there is one; nothing if that is needed and missing.
    fn judge(
        &self,
        release: &dyn OpenRelease,
        original: Option<&Original<'_>>,
        progress: &Progress,
    ) -> Result<Option<Verdict>>;
}

/// The first model of a type.
pub fn find_model<M: PrivacyModel>(models: &[Box<dyn PrivacyModel>]) -> Option<&M> {
    models.iter().find_map(|model| (&**model as &dyn Any).downcast_ref())
}

/// A promise, made ready to judge the groups of one table.
pub trait GroupCheck: Debug + Send + Sync {
    /// What a search may rely on.
    fn safety(&self) -> Safety;

    /// The fewest people that a group needs, whatever else is asked of it.
    fn least_people(&self) -> u64 {
        1
    }

    /// Whether the group's sensitive values matter, or only its size.
    fn needs_histograms(&self) -> bool {
        true
    }

    /// Whether [`Group::ancestors`] matter, and if so, how many people one needs to matter.
    fn needs_ancestors(&self) -> Option<u64> {
        None
    }

    /// Whether the verdict about a group depends on the whole that the model was prepared for, so that
    /// it must be given anew when people elsewhere are left out.
    ///
    /// Saying yes without need costs time, never soundness. No grow-safe model here looks at the whole;
    /// one that does must say so.
    fn compares_with_whole(&self) -> bool {
        !self.safety().grow
    }

    /// What is true of the sensitive values of any group that keeps the promise in a release that leaves out at most so many people: the
    /// number of an attribute among the sensitive ones, and its values.
    ///
    /// To say less than is true weakens what `utility::bound` proves, never its truth.
    fn compositions(&self, _left_out: u64) -> Vec<(usize, Composition)> {
        Vec::new()
    }

    /// Whether the group keeps the promise. Exact: this is what decides.
    fn holds(&self, group: &Group<'_>, scratch: &mut Scratch) -> bool;

    /// What is measured, for people.
    fn measures(&self) -> &[Measure];

    /// The level that the group reaches, one number a measure.
    fn measure(&self, group: &Group<'_>, scratch: &mut Scratch, levels: &mut [f64]);
}

/// What a search may rely on. Each model's page argues why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Safety {
    /// The union of two groups that keep the promise keeps it.
    pub merge: bool,
    /// A group that keeps the promise still does when any rows join it.
    pub grow: bool,
}

/// A group of rows that publish the same quasi-identifiers.
#[derive(Clone, Copy, Debug)]
pub struct Group<'a> {
    /// The people in it.
    pub people: u64,
    /// For each sensitive attribute, the people that have each value. Empty where no model needs them.
    pub sensitive: &'a [Vec<u64>],
    /// The part of the partition tree that it was cut from, where a model needs it.
    pub parent: Option<&'a Ancestor>,
}

impl<'a> Group<'a> {
    /// The parts of the partition tree above the group, from the nearest to the whole.
    pub fn ancestors(&self) -> impl Iterator<Item = &'a Ancestor> {
        std::iter::successors(self.parent, |ancestor| ancestor.parent())
    }
}

/// A number that a model measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    /// Its name, as in the policy: `k`, `t`.
    pub name: &'static str,
    /// Which way lies safety.
    pub safer: Safer,
}

/// Which way lies safety.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Safer {
    /// A larger level is safer: the worst group has the smallest.
    Higher,
    /// A smaller level is safer: the worst group has the largest.
    Lower,
}

impl Safer {
    /// A number that is the smaller the less safe a level is.
    pub fn goodness(self, level: f64) -> f64 {
        match self {
            Self::Higher => level,
            Self::Lower => -level,
        }
    }

    /// The less safe of two levels.
    pub fn worse(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Higher => a.min(b),
            Self::Lower => a.max(b),
        }
    }
}

/// What a promise was proved from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProvedFrom {
    /// The released files alone.
    Files,
    /// The released files and the original table.
    FilesAndOriginal,
}

/// The judgement about one promise.
#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    /// The model.
    pub model: &'static str,
    /// Its parameters.
    pub promised: Map<String, Json>,
    /// The levels that the release reaches; null where infinite.
    pub achieved: Map<String, Json>,
    /// Whether the promise holds.
    pub holds: bool,
    /// What it was proved from.
    pub proved_from: ProvedFrom,
    /// The worst groups, the worst first, by their number.
    #[serde(skip)]
    pub witnesses: Vec<usize>,
}

/// A level as JSON: whole where it is whole, null where it is infinite.
pub fn level_to_json(level: f64) -> Json {
    if level.fract() == 0.0 && level.abs() < 9e15 {
        Json::from(level as i64)
    } else {
        serde_json::Number::from_f64(level).map_or(Json::Null, Json::Number)
    }
}
