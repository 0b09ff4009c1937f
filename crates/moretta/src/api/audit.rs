//! Attacks on releases.

use std::path::Path;
use std::sync::Arc;

use super::release::Release;
use super::run::Run;
use super::table::Table;
use crate::audit::{self, AttackChoice, Audit, AuditInput, AuditedRelease, Knowledge, OriginalTable, Population};
use crate::check;
use crate::data::source::Source;
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::steward;

/// What is attacked, and what the adversaries know.
///
/// ```
/// use moretta::{Attacked, Release, Run, Table, audit};
///
/// # fn attack(release: &Release, table: &Table) -> moretta::Result<()> {
/// let found = audit(&Attacked::release(release).beside(table).population(70_000), &Run::new())?;
/// for attack in found.beyond_promise() {
///     println!("{}: {}", attack.name, attack.finding.sentence);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Attacked<'a> {
    target: AttackTarget<'a>,
    original: Option<&'a Table>,
    public: Option<&'a Source>,
    population: Option<u64>,
    knowledge: Knowledge,
    choice: AttackChoice,
    named_in: Option<&'a Path>,
}

#[derive(Clone, Debug)]
enum AttackTarget<'a> {
    Release(&'a Release),
    Foreign(&'a Source),
}

impl<'a> Attacked<'a> {
    /// A release of this program.
    pub fn release(release: &'a Release) -> Self {
        Self::of(AttackTarget::Release(release), None)
    }

    /// A table that any tool made from an original.
    pub fn table(table: &'a Source, original: &'a Table) -> Self {
        Self::of(AttackTarget::Foreign(table), Some(original))
    }

    fn of(target: AttackTarget<'a>, original: Option<&'a Table>) -> Self {
        let (knowledge, choice) = (Knowledge::default(), AttackChoice::default());
        Self { target, original, public: None, population: None, knowledge, choice, named_in: None }
    }

    /// Beside its original: attacks then know who is right.
    #[must_use]
    pub fn beside(mut self, original: &'a Table) -> Self {
        self.original = Some(original);
        self
    }

    /// Where a table of the population is public that has the same quasi-identifiers.
    #[must_use]
    pub fn public(mut self, table: &'a Source) -> Self {
        self.public = Some(table);
        self
    }

    /// Where the population has so many people, and there is no table of it.
    #[must_use]
    pub fn population(mut self, people: u64) -> Self {
        self.population = Some(people);
        self
    }

    /// Where adversaries know this beforehand.
    #[must_use]
    pub fn knowledge(mut self, knowledge: Knowledge) -> Self {
        self.knowledge = knowledge;
        self
    }

    /// In some ways only. What is left out is listed among what was not attacked.
    #[must_use]
    pub fn choosing(mut self, attacks: AttackChoice) -> Self {
        self.choice = attacks;
        self
    }

    /// Names the people who are hit worst in files of this folder, which is not given away.
    #[must_use]
    pub fn name_people_in(mut self, private: &'a Path) -> Self {
        self.named_in = Some(private);
        self
    }
}

/// Attacks a release in every way that its files, and what is known beside them, allow, and compares what adversaries reach with what was promised.
pub fn audit(attacked: &Attacked<'_>, run: &Run) -> Result<Audit> {
    run.carry_out(|progress| {
        let original = attacked.original.map(|table| table.original(progress)).transpose()?;
        let (audited, original) = open(attacked, original, progress)?;
        let population = population(attacked, original.as_deref(), progress)?;
        let input = AuditInput::new(&audited, run.fixed_seed())
            .with_original(original.as_deref())
            .with_population(population.as_ref())
            .with_knowledge(attacked.knowledge.clone())
            .with_choice(attacked.choice.clone());
        let found = audit::run(&input, progress)?;
        if let (Some(folder), Some(_)) = (attacked.named_in, &original) {
            // The page may take a while and be cancelled; the findings do not.
            #[cfg(feature = "report")]
            steward::write_page(folder, &input, &found, progress)?;
            steward::write_private(folder, &found)?;
        }
        Ok(found)
    })
}

fn open(
    attacked: &Attacked<'_>,
    original: Option<Arc<OriginalTable>>,
    progress: &Progress,
) -> Result<(AuditedRelease, Option<Arc<OriginalTable>>)> {
    match (&attacked.target, original) {
        (AttackTarget::Release(release), original) => {
            let original = match (original, release.private()) {
                (Some(original), Some(private)) => {
                    let claim = check::placement(release.stated(), private, &original.counted, progress)?;
                    Some(Arc::new(original.claiming(claim)))
                }
                (original, _) => original,
            };
            let beside = original.as_deref().map(OriginalTable::original);
            Ok((AuditedRelease::of_release(release.files()?, beside.as_ref(), progress)?, original))
        }
        (AttackTarget::Foreign(table), Some(original)) => {
            Ok((AuditedRelease::of_table(table, &original, progress)?, Some(original)))
        }
        (AttackTarget::Foreign(_), None) => Err(Error::bug("a table of another tool without its original")),
    }
}

fn population(
    attacked: &Attacked<'_>,
    original: Option<&OriginalTable>,
    progress: &Progress,
) -> Result<Option<Population>> {
    match (attacked.public, attacked.population, original) {
        (Some(table), _, Some(original)) => Population::read(table, original, progress).map(Some),
        (Some(_), _, None) => {
            Err(Error::input("a public table needs the original, whose policy says what its columns are")
                .help("add the original"))
        }
        (None, Some(size), _) => Ok(Some(Population::Size(size))),
        (None, None, _) => Ok(None),
    }
}
