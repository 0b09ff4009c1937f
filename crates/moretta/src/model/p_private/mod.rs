//! p-private: all that can be learned about a person's sensitive value is that it follows a target distribution.

pub(crate) mod derived;
mod wish;

use serde_json::{Map, Value as Json};

pub(crate) use wish::{Listed, TargetSpec};

use self::derived::Derived;
use super::sentence::{OTHER_KINDS, Sentence, Wording, Wordings, refused};
use super::target::Target;
use super::{ModelEntry, PrivacyModel, ProvedFrom, ReleaseModel, SeveralRows, Verdict};
use crate::config::Section;
use crate::error::{Code, Error, Result};
use crate::kind::OpenRelease;
use crate::model::{Scope, t_closeness};
use crate::progress::Progress;
use crate::release::Original;
use crate::schema::Attribute;

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    name: "p-private",
    summary: "a person's sensitive value follows a target distribution, as far as the release tells",
    paper: "Koudas, Srivastava, Yu, Zhang 2009",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/models/p-private.md")),
    wordings: WORDINGS,
    several_rows: SeveralRows::Refused("it bounds shares of rows"),
    read,
};

const WORDINGS: Wordings = Wordings {
    generalized: refused("it states no target that ranges of sensitive values follow; only distribution releases do"),
    bucketized: refused("it states no target that ranges of sensitive values follow; only distribution releases do"),
    ambiguous: refused("it states no target that ranges of sensitive values follow; only distribution releases do"),
    distribution: Wording::Promise(Sentence {
        promise: "in every group, the ranges that are published for {each} add up to exactly the target distribution that the release states for it (target: {target})",
        argument: "Each range is read as the target inside of it; their mean is compared with the target in whole numbers of any size.",
        not_protected: "what the target itself tells; a target that follows the group tells what the group has",
        claim: "ranges_add_up_to_the_target",
    }),
    uncertain: refused("it states no target that ranges of sensitive values follow; only distribution releases do"),
    condensed: refused("it states no target that ranges of sensitive values follow; only distribution releases do"),
    sliced: refused("it states no target that ranges of sensitive values follow; only distribution releases do"),
    others: OTHER_KINDS,
};

/// (1/n) Σ P(x = t | x ∈ Dᵢ) = P(t) for every group with subdomains D₁ … D_n, fakes included, and every value t.
///
/// P is the effective target that the release states; it is decided in whole numbers of any size. Where the target
/// was derived from another model, P must keep that model's promise too. Koudas et al. (2009), definition 3.2.
#[derive(Debug)]
pub(crate) struct TargetPrivacy {
    about: Target,
    /// The target that is wished for.
    pub(crate) wish: TargetSpec,
    /// The largest sum of the weights at a node of the hierarchy.
    pub(crate) max_denominator: u32,
}

/// Ratios of up to 16 parts: groups of a few dozen people can still be cut in them.
const DEFAULT_DENOMINATOR: u64 = 16;

fn read(section: &mut Section<'_>, attributes: &[Attribute]) -> Result<Box<dyn PrivacyModel>> {
    let (about, chosen) = Target::read(section, attributes)?;
    if chosen.len() > 1 {
        return Err(section
            .error("a target is a distribution of one attribute, and there are several sensitive ones")
            .help("name it: attribute = \"…\""));
    }
    let wish = TargetSpec::read(section, attributes)?;
    let largest = section.whole("max_denominator", 1)?.unwrap_or(DEFAULT_DENOMINATOR);
    let max_denominator = u32::try_from(largest).ok().filter(|&d| d <= 1 << 20).ok_or_else(|| {
        section.error_at("max_denominator", format!("`max_denominator` is {largest}")).help("at most 1048576")
    })?;
    Ok(Box::new(TargetPrivacy { about, wish, max_denominator }))
}

impl PrivacyModel for TargetPrivacy {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn wordings(&self) -> &'static Wordings {
        &WORDINGS
    }

    fn parameters(&self) -> Map<String, Json> {
        let mut promised = Map::from_iter([
            ("target".to_owned(), self.wish.to_json()),
            ("max_denominator".to_owned(), self.max_denominator.into()),
        ]);
        self.about.promise(&mut promised);
        promised
    }

    fn scope(&self) -> Scope<'_> {
        Scope::Release(self)
    }
}

impl ReleaseModel for TargetPrivacy {
    fn judge(
        &self,
        release: &dyn OpenRelease,
        original: Option<&Original<'_>>,
        _: &Progress,
    ) -> Result<Option<Verdict>> {
        let release = release.targets().map_err(|lacks| {
            Error::input(format!("{} can't be judged here: {lacks}", ENTRY.name))
                .coded(Code::ModelUnsupported)
                .help("the method `distribution` makes such a release")
        })?;
        let mut witnesses = release.departures()?;
        let mut proved_from = ProvedFrom::Files;
        if let TargetSpec::Model(model) = &self.wish {
            let table = match (model.id() == t_closeness::ENTRY.id(), original) {
                // What the files refute by themselves needs no original.
                (true, None) if witnesses.is_empty() => return Ok(None),
                (true, None) => return Ok(Some(self.verdict(witnesses, proved_from))),
                (true, Some(original)) => {
                    proved_from = ProvedFrom::FilesAndOriginal;
                    Some(original)
                }
                (false, _) => None,
            };
            let derived = Derived::new(&**model, &release.whole(table))?;
            witnesses.extend((0..release.groups.len()).filter(|&group| !derived.holds(&release.groups[group].target)));
            witnesses.sort_unstable();
            witnesses.dedup();
        }
        Ok(Some(self.verdict(witnesses, proved_from)))
    }
}

impl TargetPrivacy {
    /// The verdict where these groups depart from their targets.
    fn verdict(&self, witnesses: Vec<usize>, proved_from: ProvedFrom) -> Verdict {
        let achieved = Map::from_iter([("departing_groups".to_owned(), witnesses.len().into())]);
        let holds = witnesses.is_empty();
        Verdict { model: ENTRY.name, promised: self.parameters(), achieved, holds, proved_from, witnesses }
    }
}
