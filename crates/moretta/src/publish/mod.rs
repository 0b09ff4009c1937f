//! From a prepared table to a release that has been proved: stages, each a value.
//!
//! [`plan`] decides what is published, [`write()`] writes it, [`prove`] reads the files back and judges every promise from them,
//! [`measure`] says what it costs. [`publish`] does all four in memory.

#[cfg(test)]
mod at_thresholds;
mod bound;
mod datapackage;
#[cfg(test)]
mod dealt;
mod describe;
mod digest;
#[cfg(test)]
mod paper_tables;
#[cfg(test)]
mod people;
mod readme;
#[cfg(test)]
mod recipients;
mod refuse;
mod report;
#[cfg(test)]
mod same_table;
#[cfg(test)]
mod secrecy;
#[cfg(test)]
mod spellings;
mod thin;
#[cfg(test)]
mod times;
mod usage;
#[cfg(test)]
mod wishes;

use std::time::Instant;

pub use bound::bound;
pub use report::{LeftOut, Report, Seconds};

use self::usage::PublishedColumns;

use crate::chance::{Branches, Seed};
use crate::check::{self, Verified};
use crate::data::pseudonym::PseudonymKey;
use crate::data::role::Role;
use crate::error::{Error, Result};
use crate::hierarchy::Scale;
use crate::kind::{KindEntry, OpenRelease, Plan};
use crate::method::{Link, Task};
use crate::model::{PrivacyModel, Requirement, Scope};
use crate::policy::Policy;
use crate::prepare::{Held, Prepared};
use crate::progress::Progress;
use crate::release::datapackage::DATAPACKAGE;
use crate::release::write::Context;
use crate::release::{Claim, Manifest, manifest};
use crate::schema::Attribute;
use crate::storage::Storage;
use crate::text::grouped;
use crate::utility::{self, Yardstick};

/// What is to be published.
#[derive(Debug)]
pub struct Planned {
    /// The plan.
    pub plan: Box<dyn Plan>,
    /// What a steward should look at.
    pub warnings: Vec<String>,
    /// How quasi-identifiers were generalized, where the method needs other ways than the table's usual ones.
    scales: Option<Vec<Scale>>,
    /// What chance starts from, for this table and this way to publish it.
    seed: Seed,
    /// The fewest people that a group needs by the promises, if they ask for more than one.
    k: Option<u64>,
    /// What no release can lose less than, where that was asked, and the seconds that it took.
    bound: Option<(f64, f64)>,
    seconds: f64,
}

/// What was written.
#[derive(Debug)]
pub struct Written {
    /// What the files do not tell of people, and a promise is judged by.
    claim: Option<Claim>,
    seconds: f64,
}

/// A release whose promises were judged from its files, and hold.
#[derive(Debug)]
pub struct Proved {
    /// The release, as it was read back, and the judgements.
    pub verified: Verified,
    writing: f64,
    seconds: f64,
}

/// Makes a release in memory, proves its promise from its files, and gives it as it was read back. What analysts keep is
/// measured only by [`publish_and_ask`].
pub fn publish(
    policy: &Policy,
    held: Held<'_>,
    seed: Seed,
    progress: &Progress,
) -> Result<(Report, Box<dyn OpenRelease>)> {
    in_memory(policy, held, seed, None, progress)
}

/// The same, and asks the release what analysts keep.
pub fn publish_and_ask(
    policy: &Policy,
    held: Held<'_>,
    seed: Seed,
    progress: &Progress,
) -> Result<(Report, Box<dyn OpenRelease>)> {
    let yardstick = Yardstick::of(&held.original(), progress)?;
    in_memory(policy, held, seed, yardstick.as_ref(), progress)
}

fn in_memory(
    policy: &Policy,
    mut held: Held<'_>,
    seed: Seed,
    yardstick: Option<&Yardstick>,
    progress: &Progress,
) -> Result<(Report, Box<dyn OpenRelease>)> {
    let planned = plan(policy, &held, seed, progress)?;
    let files = Storage::memory();
    let written = write(policy, &held, &planned, (&files, None), progress)?;
    let proved = prove(policy, &mut held, written, &files, progress)?;
    let report = measure(policy, &held, planned, &proved, yardstick, progress)?;
    Ok((report, proved.verified.release))
}

/// Refuses what is wrong whatever the data: a policy that names no method, or one that can't do what is asked of it.
pub fn check_policy(policy: &Policy) -> Result<()> {
    refuse::refuse(policy, policy.for_publishing()?)
}

/// Decides what is published.
pub fn plan(policy: &Policy, prepared: &Prepared, seed: Seed, progress: &Progress) -> Result<Planned> {
    plan_by(policy, prepared, seed, None, progress)
}

/// The same where every way in which the method's draws can turn out is followed, and this is one of them.
pub(crate) fn plan_branch(
    policy: &Policy,
    prepared: &Prepared,
    branches: &Branches,
    progress: &Progress,
) -> Result<Box<dyn Plan>> {
    plan_by(policy, prepared, Seed(0), Some(branches), progress).map(|planned| planned.plan)
}

fn plan_by(
    policy: &Policy,
    prepared: &Prepared,
    seed: Seed,
    branches: Option<&Branches>,
    progress: &Progress,
) -> Result<Planned> {
    check_policy(policy)?;
    let method = policy.for_publishing()?;
    let clock = Instant::now();
    let Prepared { table, cells, whole, .. } = prepared;
    let own_scales: Option<Vec<Scale>> =
        method.needs_hierarchies().then(|| prepared.scales.iter().map(Scale::by_hierarchy).collect());
    let scales = own_scales.as_ref().unwrap_or(&prepared.scales);
    refuse::repeated_identifiers(policy, &table.tally)?;
    let may_suppress = people_in_share(policy.suppression, whole.people);
    let persons = prepared.persons();
    let thinned = match Requirement::prepare(&policy.models, whole) {
        Err(refused) if persons.is_none() => Some(thin::thin(policy, prepared, &refused, may_suppress).ok_or(refused)?),
        _ => None,
    };
    let (cells, whole) = thinned.as_ref().map_or((cells, whole), |left| (&left.cells, &left.whole));
    let requirement = match &persons {
        None => Requirement::prepare(&policy.models, whole)?,
        Some(persons) => {
            let by_people = persons.summary(whole, cells, table.quasi.len());
            Requirement::prepare_by_people(&policy.models, &by_people)?
        }
    };
    // Whoever follows branches does not draw, and the digest takes as long as a small plan.
    let seed = if branches.is_some() { seed } else { seed.for_table(&digest::of(policy, prepared)?) };
    let quasi: Vec<&Attribute> = policy.linkable_attributes().collect();
    let links = Link::all(&quasi, table, &prepared.cells).map_err(|error| error.at_file(&policy.file))?;
    let task = Task {
        quasi_names: table.quasi.iter().map(|column| column.name.clone()).collect(),
        scales,
        cells,
        sensitive_sizes: table.sensitive.iter().map(|column| column.domain.len()).collect(),
        requirement: &requirement,
        whole,
        may_suppress: may_suppress - thinned.as_ref().map_or(0, |left| left.left_out),
        seed,
        branches,
        persons,
        links: &links,
        group: table.group.as_ref().map(|column| &*column.domain),
        token: progress.token(),
    };
    let plan = method.plan(&task, progress);
    // Whatever was made after the work was asked to stop is not to be looked at, be it a plan or an error.
    progress.check()?;
    let mut plan = plan?;
    if let Some(left) = &thinned {
        let pieces = plan.pieces_mut().map_err(|lacks| Error::bug(format!("nobody can be left out: {lacks}")))?;
        pieces.iter_mut().for_each(|piece| piece.cell = left.cell_of[piece.cell as usize]);
    }
    let mut warnings = warnings(policy);
    warnings.extend(method.notice().map(str::to_owned));
    warnings.extend(plan.notes().iter().cloned());
    warnings.extend(
        thinned.as_ref().map(|left| {
            format!("{} people were left out because too many have the same sensitive value", left.left_out)
        }),
    );
    let k = Some(requirement.least_people()).filter(|&k| k > 1);
    Ok(Planned { plan, warnings, scales: own_scales, seed, k, bound: None, seconds: clock.elapsed().as_secs_f64() })
}

/// Writes the tables of a release with its manifest and the words for its readers, and beside it what only the steward may know.
pub fn write(
    policy: &Policy,
    prepared: &Prepared,
    planned: &Planned,
    (release, private): (&Storage, Option<&Storage>),
    progress: &Progress,
) -> Result<Written> {
    let clock = Instant::now();
    // Rows that stand for several people are not known before they are written.
    progress.start("writing", if prepared.table.weights.is_some() { 0 } else { planned.plan.people() });
    let Prepared { table, cells, insensitive_types, source, whole, .. } = prepared;
    let scales = planned.scales.as_ref().unwrap_or(&prepared.scales);
    if let Some(most) =
        policy.output.most_rows().filter(|&most| table.weights.is_none() && planned.plan.people() > most)
    {
        let people = grouped(planned.plan.people());
        return Err(Error::data(format!("a sheet holds {} rows, and {people} are to be published", grouped(most)))
            .at_file(&policy.file)
            .help("publish as CSV or Parquet: `format` under [output]"));
    }
    let key = pseudonym_key(policy, private)?;
    let context = Context {
        attributes: &policy.attributes,
        file: &policy.file,
        output: policy.output,
        intervals: policy.intervals,
        table,
        cells,
        scales,
        insensitive_types,
        source,
        seed: planned.seed,
        pseudonyms: key.map(|key| key.pseudonyms()),
        claims: needs_original(policy),
        progress,
    };
    let written = planned.plan.write(&context, release, private);
    progress.check()?;
    let mut written = written?;
    prepared.check_unchanged()?;
    let claim = written.claim.take();
    let persons = prepared.persons().map(|persons| match &claim {
        Some(Claim::Placement(placement)) => persons.count(placement.pieces.iter().map(|&(_, cell, _)| cell)),
        // A kind that needs no placement publishes everybody.
        _ => persons.len as u64,
    });
    let manifest = describe::manifest(policy, &*planned.plan, written, whole.people, persons)?;
    write_words(&manifest, &policy.models, planned.plan.kind(), release)?;
    Ok(Written { claim, seconds: clock.elapsed().as_secs_f64() })
}

/// Writes what a release says of itself beside its tables: the manifest, and the words for its readers.
pub fn write_words(
    manifest: &Manifest,
    models: &[Box<dyn PrivacyModel>],
    kind: &'static KindEntry,
    release: &Storage,
) -> Result<()> {
    manifest.write(release)?;
    let caveats: Vec<Option<String>> = models.iter().map(|model| model.caveat()).collect();
    let tables = PublishedColumns::of(manifest, kind, release, readme::meaning)?;
    release.write(DATAPACKAGE, datapackage::text(manifest, &tables)?.as_bytes())?;
    release.write(manifest::README, readme::text(manifest, &caveats, &tables).as_bytes()).map(drop)
}

/// The key of pseudonyms, where an identifier gets some: the stated one, or a new one. It stays in `private/`.
fn pseudonym_key(policy: &Policy, private: Option<&Storage>) -> Result<Option<PseudonymKey>> {
    if policy.with_role(Role::Pseudonym).next().is_none() {
        return Ok(None);
    }
    let key = policy.pseudonym_key.clone().map_or_else(PseudonymKey::from_system, Ok)?;
    if let Some(private) = private {
        private.write("pseudonym.key", key.to_text().as_bytes())?;
    }
    Ok(Some(key))
}

/// Reads the files back and judges every promise from them; one that can't be proved, or does not hold, is a bug of ours, and
/// nothing is published.
pub fn prove(
    policy: &Policy,
    held: &mut Held<'_>,
    written: Written,
    files: &Storage,
    progress: &Progress,
) -> Result<Proved> {
    let clock = Instant::now();
    let beside = needs_original(policy);
    if !beside {
        // What is proved from the files alone does not need the original, which takes memory.
        held.forget_rows();
    }
    let original = beside.then(|| held.original().claiming(written.claim));
    let verified = match (&original, &*held) {
        (None, Held::Own(_)) => check::release_to_prove(files, progress)?,
        _ => check::release(files, original.as_ref(), progress)?,
    };
    progress.check()?;
    if let Some(unproved) = verified.unproved.first() {
        return Err(Error::bug(format!("{} can't be proved; nothing was published", unproved.model)));
    }
    if let Some(claim) = verified.unprovable.first() {
        let message = format!("{} is no promise of such a release; nothing was published", claim.guarantee.model);
        return Err(Error::bug(message));
    }
    if let Some(broken) = verified.verdicts.iter().find(|verdict| !verdict.holds) {
        return Err(Error::bug(format!("the release does not keep {}; nothing was published", broken.model)));
    }
    drop(original);
    Ok(Proved { verified, writing: written.seconds, seconds: clock.elapsed().as_secs_f64() })
}

/// Says what was published, what it promises and what it costs; what analysts keep where there is a yardstick for it.
pub fn measure(
    policy: &Policy,
    prepared: &Prepared,
    planned: Planned,
    proved: &Proved,
    yardstick: Option<&Yardstick>,
    progress: &Progress,
) -> Result<Report> {
    let clock = Instant::now();
    progress.start("measuring", 0);
    let Verified { manifest, release, verdicts, .. } = &proved.verified;
    let Prepared { whole, seconds: (reading, counting), .. } = prepared;
    let scales = planned.scales.as_ref().unwrap_or(&prepared.scales);
    let mut utility = utility::measure(&*planned.plan, scales, release.groups().ok(), whole, planned.k);
    progress.check()?;
    if let Some(yardstick) = yardstick {
        utility = yardstick.measure(&**release, utility, progress)?;
    }
    let bound = planned.bound.map(|(bound, _)| bound);
    let gap = utility.loss.zip(bound.filter(|&bound| bound > 0.0)).map(|(loss, bound)| (loss / bound - 1.0).max(0.0));
    Ok(Report {
        schema: manifest::SCHEMA,
        method: policy.for_publishing()?.name(),
        rows_in: whole.people,
        rows_out: manifest.people,
        suppressed: manifest.suppressed,
        people_in: prepared.table.person.as_ref().map(|column| column.domain.len() as u64),
        people_out: manifest.persons,
        groups: manifest.groups,
        guarantees: verdicts.clone(),
        utility,
        bound,
        gap,
        left_out: LeftOut::from(prepared.table.tally),
        warnings: planned.warnings,
        seconds: Seconds {
            read: *reading,
            publish: counting + planned.seconds,
            bound: planned.bound.map(|(_, seconds)| seconds),
            write: proved.writing,
            check: proved.seconds + clock.elapsed().as_secs_f64(),
        },
        peak_rss_mb: None,
    })
}

/// Whether some promise can only be judged beside the original.
fn needs_original(policy: &Policy) -> bool {
    let by_people = policy.with_role(Role::Person).next().is_some();
    by_people || policy.models.iter().any(|model| matches!(model.scope(), Scope::Members(_) | Scope::Release(_)))
}

/// The most people that are no more than a share of all.
///
/// A product of floats may fall just below a whole number (0.29 of 100); a quotient is rounded to the
/// float that the policy's own decimal was rounded to, so comparing quotients decides as written.
#[expect(clippy::cast_sign_loss, reason = "a share is not negative")]
fn people_in_share(share: f64, people: u64) -> u64 {
    let near = (share * people as f64).round() as u64;
    (near.saturating_sub(1)..=near + 1)
        .rev()
        .find(|&s| s as f64 / people.max(1) as f64 <= share)
        .unwrap_or(0)
        .min(people)
}

fn warnings(policy: &Policy) -> Vec<String> {
    let mut warnings = Vec::new();
    if policy.with_role(Role::Sensitive).next().is_none() {
        warnings
            .push("no attribute is sensitive: nothing is promised about what can be learned of a person".to_owned());
    }
    let caveats = policy.models.iter().filter_map(|model| Some(format!("{}: {}", model.name(), model.caveat()?)));
    warnings.extend(caveats);
    warnings
}

#[cfg(test)]
mod tests {
    use super::people_in_share;

    #[test]
    fn a_share_of_people_is_the_one_that_the_policy_writes() {
        // As a product of floats, 0.29 of 100 is 28.999999999999996.
        for (share, people, most) in
            [(0.29, 100, 29), (0.04, 30_162, 1_206), (0.0, 7, 0), (1.0, 7, 7), (0.5, 7, 3), (0.999, 10, 9)]
        {
            assert_eq!(people_in_share(share, people), most, "{share} of {people}");
        }
    }
}
