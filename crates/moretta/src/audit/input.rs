//! What the auditor and the adversaries have in front of them.

use std::sync::{Arc, OnceLock};

use super::audited::AuditedRelease;
use super::budget::RunBudget;
use super::choice::AttackChoice;
use super::identifiers::IdentifyingTexts;
use super::subjects::Subjects;
use crate::chance::Seed;
use crate::data::domain::Domain;
use crate::data::role::Role;
use crate::data::source::Source;
use crate::data::table::CodedTable;
use crate::error::{Code, Error, Result};
use crate::knowledge::Points;
use crate::model::{Known, Risk, risk};
use crate::policy::Policy;
use crate::prepare::Prepared;
use crate::progress::{CancelToken, Progress};
use crate::release::{Claim, Original, Unit};
use crate::schema::{Attribute, EncodedTable, MissingRule, TableSpec};

/// A release, and what is known beside it.
#[derive(Debug)]
pub struct AuditInput<'a> {
    /// The release.
    pub audited: &'a AuditedRelease,
    /// The original, for those who may see it.
    pub original_table: Option<&'a OriginalTable>,
    /// The people among whom the released ones live.
    pub population: Option<&'a Population>,
    /// What adversaries know beforehand.
    pub knowledge: Knowledge,
    /// What chance starts from, where an attack samples.
    pub seed: Seed,
    /// How often the method may be run again.
    pub budget: RunBudget,
    /// Which attacks are run.
    pub choice: AttackChoice,
    subjects: OnceLock<Vec<Subjects>>,
}

/// What adversaries with background knowledge know.
#[derive(Clone, Debug, PartialEq)]
pub struct Knowledge {
    /// The least expectation of the negative rules that are mined.
    pub min_expectation: f64,
    /// The bandwidths of kernel priors, one adversary each.
    pub bandwidths: Vec<f64>,
    /// Whether beliefs are computed exactly where that is feasible; else by the Ω-estimate.
    pub exact: bool,
}

impl Default for Knowledge {
    fn default() -> Self {
        Self { min_expectation: 0.9, bandwidths: vec![0.3], exact: true }
    }
}

/// The original of a release, read by its policy.
#[derive(Clone, Debug)]
pub struct OriginalTable {
    /// The policy.
    pub policy: Policy,
    /// Its table, counted.
    pub counted: Arc<Prepared>,
    /// The distinct combinations of quasi-identifiers.
    pub points: Arc<Points>,
    /// The names of the quasi-identifiers.
    pub names: Vec<String>,
    /// What the publisher says of people that the files do not tell, if that is at hand.
    pub claim: Option<Claim>,
    /// What in it identifies people.
    pub(super) identifying: Arc<IdentifyingTexts>,
    row_of_point: Arc<[u32]>,
}

impl OriginalTable {
    /// Reads the table that a policy names, once: what publishing needs of it, and what identifies people.
    pub fn read(policy: Policy, progress: &Progress) -> Result<Self> {
        let source = policy.open_source()?;
        Self::of_source(policy, source, progress)
    }

    /// Reads a table as a policy describes it, once.
    pub fn of_source(policy: Policy, source: Source, progress: &Progress) -> Result<Self> {
        let in_filter = |name: &str| policy.data.filter.as_ref().is_some_and(|f| f.attributes().contains(&name));
        let dropped = |name: &str| policy.with_role(Role::Drop).any(|attribute| attribute.name == name);
        let is_level = |name: &str| policy.table_spec().is_level_of_another(name);
        let wanted = |name: &str| !dropped(name) || in_filter(name) || is_level(name);
        let encoded = EncodedTable::read(source, wanted, progress)?;
        let counted = Prepared::read_encoded(&policy, &encoded, progress)?;
        let identifying = IdentifyingTexts::of(&policy, &encoded);
        Ok(Self::new(policy, Arc::new(counted), identifying))
    }

    /// The table that was prepared before. Of its source only what identifies people is read once more.
    pub fn of_prepared(policy: Policy, counted: Arc<Prepared>, progress: &Progress) -> Result<Self> {
        let names =
            |name: &str| policy.attributes.iter().any(|attribute| attribute.name == name && attribute.role.is_in_use());
        let identifies = |name: &str| policy.with_role(Role::Identifier).any(|attribute| attribute.name == name);
        let has_identifiers =
            policy.attributes.iter().any(|a| matches!(a.role, Role::Identifier | Role::Person | Role::Pseudonym));
        let wanted = |name: &str| has_identifiers && (names(name) || identifies(name));
        let encoded = EncodedTable::read(counted.source.clone(), wanted, progress)?;
        let identifying = IdentifyingTexts::of(&policy, &encoded);
        Ok(Self::new(policy, counted, identifying))
    }

    /// The table that was prepared before, where nobody asks what identifies people.
    pub(crate) fn without_identifiers(policy: Policy, counted: Arc<Prepared>) -> Self {
        Self::new(policy, counted, IdentifyingTexts::none())
    }

    fn new(policy: Policy, counted: Arc<Prepared>, identifying: IdentifyingTexts) -> Self {
        let points = Points::of_cells(&counted.cells, &counted.scales);
        let names = counted.table.quasi.iter().map(|column| column.name.clone()).collect();
        let mut row_of_point = vec![u32::MAX; points.len()];
        for (row, &cell) in counted.cells.cell_of_row.iter().enumerate().rev() {
            row_of_point[points.of_cell[cell as usize] as usize] = counted.table.source_rows[row];
        }
        let (points, identifying) = (Arc::new(points), Arc::new(identifying));
        Self { policy, counted, points, names, claim: None, identifying, row_of_point: row_of_point.into() }
    }

    /// The same where the publisher says this of people that the files do not tell.
    #[must_use]
    pub fn claiming(&self, claim: Option<Claim>) -> Self {
        Self { claim, ..self.clone() }
    }

    /// A row of the source, counted from 1, in which somebody with these quasi-identifiers stands: the first.
    pub fn row_of_point(&self, point: usize) -> u64 {
        u64::from(self.row_of_point[point]) + 1
    }

    /// The values of the first sensitive attribute that people with these quasi-identifiers have, with how many have each.
    pub(super) fn values_at(&self, point: u32) -> impl Iterator<Item = (u32, u64)> {
        let cells = &self.counted.cells;
        // Cells stand in the order of quasi-identifiers, and so do points.
        let first = self.points.of_cell.partition_point(|&other| other < point);
        let here = (first..cells.len()).take_while(move |&cell| self.points.of_cell[cell] == point);
        here.map(|cell| (cells.columns[self.counted.scales.len()][cell], cells.people[cell]))
    }

    /// The original beside which the release is judged.
    pub fn original(&self) -> Original<'_> {
        self.counted.original().claiming(self.claim.clone())
    }

    /// The original, as knowledge is mined from it.
    pub fn known<'k>(&'k self, token: &'k CancelToken) -> Known<'k> {
        let Prepared { cells, scales, whole, .. } = &*self.counted;
        Known { names: &self.names, scales, points: &self.points, cells, whole, token }
    }

    /// The quasi-identifiers and their values.
    pub fn quasi(&self) -> Vec<(String, Arc<Domain>)> {
        self.counted.table.quasi.iter().map(|column| (column.name.clone(), column.domain.clone())).collect()
    }
}

/// The people among whom the released ones live, or how many they are.
#[derive(Debug)]
pub enum Population {
    /// A table with their quasi-identifiers.
    Table(Box<CodedTable>),
    /// Their number.
    Size(u64),
}

impl Population {
    /// Reads the quasi-identifiers of a public table, under the names and types that the policy gives them.
    pub fn read(table: &Source, original_table: &OriginalTable, progress: &Progress) -> Result<Self> {
        let policy = &original_table.policy;
        let source = Source::open(table.input().clone(), policy.data.options.clone())?;
        let file = &source.input().name().to_path_buf();
        let quasi = policy.linkable_attributes().zip(&original_table.counted.table.quasi);
        let mut attributes: Vec<Attribute> = quasi
            .map(|(attribute, column)| Attribute {
                role: Role::Quasi,
                kind: Some(column.domain.kind()),
                ..attribute.clone()
            })
            .collect();
        if let Some(lacking) = attributes.iter().find(|attribute| source.position(&attribute.name).is_none()) {
            return Err(Error::input(format!("the public table has no column {:?}", lacking.name))
                .coded(Code::UnknownAttribute)
                .at_file(file)
                .help("it needs all quasi-identifiers of the original, under the same names"));
        }
        let others: Vec<Attribute> = source
            .names()
            .iter()
            .filter(|name| attributes.iter().all(|attribute| attribute.name != **name))
            .map(|name| crate::release::auxiliary_attribute(name, Role::Drop, crate::data::Type::Text))
            .collect();
        attributes.extend(others);
        let spec = TableSpec { attributes: &attributes, file, missing: MissingRule::Drop, filter: None };
        Ok(Self::Table(Box::new(spec.read(source, progress)?.table)))
    }
}

impl<'a> AuditInput<'a> {
    /// A release without anything beside it.
    pub fn new(audited: &'a AuditedRelease, seed: Seed) -> Self {
        let (knowledge, subjects) = (Knowledge::default(), OnceLock::new());
        let (budget, choice) = (RunBudget::default(), AttackChoice::default());
        Self { audited, original_table: None, population: None, knowledge, seed, budget, choice, subjects }
    }

    /// The same, for an auditor who may see the original.
    #[must_use]
    pub fn with_original(mut self, original_table: Option<&'a OriginalTable>) -> Self {
        self.original_table = original_table;
        self
    }

    /// The same, where the population is known.
    #[must_use]
    pub fn with_population(mut self, population: Option<&'a Population>) -> Self {
        self.population = population;
        self
    }

    /// The same, where adversaries know something beforehand.
    #[must_use]
    pub fn with_knowledge(mut self, knowledge: Knowledge) -> Self {
        self.knowledge = knowledge;
        self
    }

    /// The same with some attacks only.
    #[must_use]
    pub fn with_choice(mut self, choice: AttackChoice) -> Self {
        self.choice = choice;
        self
    }

    /// Refuses an original that lacks attributes of the release, or that has others to protect.
    pub(super) fn same_attributes(&self) -> Result<()> {
        let Some(original_table) = self.original_table else { return Ok(()) };
        let shown = self.audited.release.attributes();
        let own: Vec<&str> = original_table.counted.table.sensitive.iter().map(|column| column.name.as_str()).collect();
        let lacking = own.iter().find(|name| shown.iter().all(|askable| askable.name != **name));
        let groups = self.audited.release.groups();
        let foreign =
            groups.is_ok_and(|groups| groups.whole.sensitive.iter().map(|s| s.name.as_str()).ne(own.iter().copied()));
        if lacking.is_some() || foreign {
            return Err(Error::input("the original does not have the sensitive attributes of the release")
                .coded(Code::OriginalMismatch)
                .at_file(&original_table.policy.file)
                .help("use the policy that the release was made with"));
        }
        Ok(())
    }

    /// The strictest limit that the release's promises set.
    pub fn limit(&self, risk: Risk<'_>) -> Option<f64> {
        // Where several rows may belong to one person, promises bound shares of people, and attacks measure shares of rows. How many
        // values are left is the same for both; how many candidates there are is counted in people where they are known.
        let same_for_rows = match risk {
            Risk::Values(_) => true,
            Risk::Linkage => self.audited.by_people.is_some(),
            _ => false,
        };
        if self.audited.unit == Unit::Rows && !same_for_rows {
            return None;
        }
        risk::limit(&self.audited.models, risk)
    }

    /// What can be believed about people, for each sensitive attribute: about those of the original or, where that is not at hand,
    /// about the members of each released group.
    pub(super) fn subjects(&self, progress: &Progress) -> Result<&[Subjects]> {
        if let Some(found) = self.subjects.get() {
            return Ok(found);
        }
        let found = Subjects::of_scene(self, progress)?;
        Ok(self.subjects.get_or_init(|| found))
    }
}
