//! Mondrian: cut the space of quasi-identifiers in two, again and again, while both halves keep the promise.

mod cuts;
mod owner_counts;
mod part;
mod partition;
#[cfg(test)]
mod properties;
mod settle;
mod sides;

pub(super) use self::partition::{groups_of, halves};

use super::recoding::limits::within_limits;
use super::{Method, MethodEntry, Supports, Task, Transparency, Wish};
use crate::config::{Content, Section};
use crate::data::role::Role;
use crate::error::{Error, Result};
use crate::kind::bucketized::BucketizedPlan;
use crate::kind::{KindId, Plan};
use crate::model::SeveralRows;
use crate::progress::Progress;

pub(super) const ENTRY: MethodEntry = MethodEntry {
    name: "mondrian",
    summary: "generalization by strict partitioning: cuts at medians, each group publishes the smallest box around it",
    paper: "LeFevre, DeWitt, Ramakrishnan 2006",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/methods/mondrian.md")),
    suppresses: true,
    supports: Supports::GroupsAndMembers,
    kinds: &[KindId::Generalized, KindId::Bucketized],
    transparency: Transparency::Open("a cut that was not made because of sensitive values tells something of them"),
    several_rows: SeveralRows::Counted(
        "both sides of a cut are judged by their own people; one who stands on both counts on both; also with `recoding = \"bucketize\"`",
    ),
    read,
};

/// Strict multidimensional partitioning (LeFevre, DeWitt and Ramakrishnan, ICDE 2006, section 4).
///
/// The attribute with the largest normalized width, times its importance where policies state one, is cut where it halves the people best. A cut
/// that the requirement refuses is followed by the next best one, and the last one by the next
/// attribute: a part is a group only when no cut at all is left. It works on counted cells, in
/// parallel; the groups do not depend on the number of threads.
#[derive(Clone, Copy, Debug)]
struct Mondrian {
    recoding: Recoding,
}

/// What becomes of the groups that were cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Recoding {
    /// Each publishes the smallest box around it.
    #[default]
    Generalize,
    /// Each keeps exact values, apart from its sensitive ones.
    Bucketize,
}

impl Recoding {
    pub(super) fn read(section: &mut Section<'_>) -> Result<Self> {
        let choices = [("generalize", Self::Generalize), ("bucketize", Self::Bucketize)];
        Ok(section.choice("recoding", &choices)?.unwrap_or_default())
    }

    pub(super) fn kind(self) -> KindId {
        match self {
            Self::Generalize => KindId::Generalized,
            Self::Bucketize => KindId::Bucketized,
        }
    }
}

fn read(section: &mut Section<'_>) -> Result<Box<dyn Method>> {
    let recoding = Recoding::read(section)?;
    refuse_split(section, recoding)?;
    Ok(Box::new(Mondrian { recoding }))
}

/// The key `split` chose between two algorithms, which are two methods now. It is not asked for, so that nobody is reminded of it.
fn refuse_split(section: &Section<'_>, recoding: Recoding) -> Result<()> {
    let Some((_, split)) = section.entries().iter().find(|(key, _)| key == "split") else { return Ok(()) };
    let was_loss = matches!(&split.content, Content::Text(word) if word == "loss");
    let help = match (was_loss, recoding) {
        (true, Recoding::Generalize) => "use the method least-loss",
        (true, Recoding::Bucketize) => "leave the key out: what is bucketized never depended on it",
        (false, _) => "leave the key out: mondrian is this algorithm now",
    };
    Err(section.error_at("split", "mondrian has no key `split` any more").help(help))
}

impl Method for Mondrian {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn supports(&self) -> Supports {
        ENTRY.supports
    }

    fn kind(&self) -> KindId {
        self.recoding.kind()
    }

    fn supports_role(&self, role: Role) -> bool {
        !matches!(role, Role::Group | Role::Unclassified)
    }

    fn honours(&self, _: Wish) -> bool {
        // What is bucketized is published as it is.
        self.recoding == Recoding::Generalize
    }

    fn notice(&self) -> Option<&'static str> {
        // What is bucketized was never anything but halves.
        (self.recoding == Recoding::Generalize).then_some(
            "mondrian is now the algorithm of its paper, cuts at medians and nothing else; \
             least-loss, which this name stood for, never loses more and mostly loses less",
        )
    }

    fn plan(&self, task: &Task<'_>, progress: &Progress) -> Result<Box<dyn Plan>> {
        if self.recoding == Recoding::Bucketize && task.sensitive_sizes.is_empty() {
            return Err(Error::input("bucketizing needs a sensitive attribute: it hides whose value is whose, and nothing else")
                .help("give role = \"sensitive\" to the attribute that must not be learned about a person, or leave `recoding` out"));
        }
        Ok(match self.recoding {
            Recoding::Generalize => within_limits(task, progress, &halves)?.into(),
            Recoding::Bucketize => Box::new(BucketizedPlan(halves(task, progress)?.into())),
        })
    }
}
