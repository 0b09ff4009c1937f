//! A table that was counted elsewhere, and the release that is made of its counts.

use std::sync::Arc;

use arrow_array::{RecordBatch, StringArray};
use serde_json::Value as Json;

use crate::api::publish::Published;
use crate::api::release::Release;
use crate::api::run::Run;
use crate::api::table::Table;
use crate::data::role::Role;
use crate::data::source::Source;
use crate::error::{Code, Error, Result};
use crate::policy::Policy;
use crate::prepare::{Held, Prepared};
use crate::publish::{self, check_policy};
use crate::release::{Manifest, TableSummary, ValueMeaning, spelled_out};
use crate::schema::Attribute;
use crate::steward;
use crate::storage::Storage;

/// A table that was counted elsewhere.
#[derive(Debug)]
pub struct Counted {
    policy: Policy,
    policy_of_counts: Policy,
    prepared: Prepared,
}

impl Counted {
    /// The names of the columns by which a table is counted that a policy describes, for counts in the column `count`; refuses by name what
    /// counting loses.
    pub fn columns(policy: &Policy, count: &str) -> Result<Vec<String>> {
        Ok(policy.counted(count)?.counted_by().map(|attribute| attribute.name.clone()).collect())
    }

    /// Reads the counts of a policy's table: the columns by which it is counted, and the people in the column `count`, or in that of the
    /// weights where the policy has some.
    pub fn read(cells: &Source, count: &str, policy: &Policy, run: &Run) -> Result<Self> {
        let policy_of_counts = policy.counted(count)?;
        let prepared = run.carry_out(|progress| Prepared::read_source(&policy_of_counts, cells.clone(), progress))?;
        Ok(Self { policy: policy.clone(), policy_of_counts, prepared })
    }

    /// The people: those whom the rule for missing values leaves.
    pub fn people(&self) -> u64 {
        self.prepared.table.people()
    }

    /// The distinct combinations.
    pub fn cells(&self) -> u64 {
        self.prepared.cells.len() as u64
    }

    /// Makes the release in counted form, in memory, and proves its promise from these bytes. Chance falls as it does for the table that was
    /// counted.
    pub fn publish(self, run: &Run) -> Result<Published> {
        check_policy(&self.policy)?;
        let seed = run.drawn_seed()?;
        let (files, private) = (Storage::memory(), Storage::memory());
        let made = run.carry_out(|progress| {
            let held = Held::Own(Box::new(self.prepared.without_codes()));
            steward::publish_as(
                &self.policy,
                &self.policy_of_counts,
                held,
                seed,
                (&files, &private, None),
                None,
                progress,
            )
        })?;
        // It says in which group each row of the source stands, and the source has no rows here.
        private.files()?.iter().filter(|name| name.starts_with("map.")).try_for_each(|name| private.remove(name))?;
        Ok(Published::new(made.report, Release::new(files, Some(private), made.verified.manifest)))
    }

    /// Makes one part of a release of a table that is too large for one machine, in counted form: the manifest, and the rows.
    ///
    /// Groups are compared with the whole table, whose sensitive values `whole` counts. Nobody is left out, and labels say by themselves what
    /// they stand for, so that those of different parts can stand side by side. The promise is judged when all parts are there.
    pub fn recode(self, whole: Option<&Source>, count: &str, run: &Run) -> Result<(Json, Vec<RecordBatch>)> {
        let Self { policy, policy_of_counts, prepared } = self;
        check_policy(&policy)?;
        if policy.suppression > 0.0 {
            return Err(Error::input("`suppression` is a share of the whole table, and this is a part of it")
                .coded(Code::WrongParameter)
                .at_file(&policy.file)
                .help("leave `suppression` out, or plan the whole at once"));
        }
        let (seed, people, storage) = (run.drawn_seed()?, prepared.table.people(), Storage::memory());
        run.carry_out(|progress| {
            let prepared = match whole {
                None => prepared,
                Some(whole) => {
                    let of_whole = policy_of_counts.without_quasi();
                    let table = of_whole.read_table(whole.clone(), progress)?.table;
                    let described: Vec<&Attribute> = of_whole.with_role(Role::Sensitive).collect();
                    prepared.within(TableSummary::of_table(&table, &described)?)?
                }
            };
            let planned = publish::plan(&policy, &prepared, seed, progress)?;
            publish::write(&policy_of_counts, &prepared, &planned, (&storage, None), progress).map(drop)
        })?;
        let manifest = Manifest::read(&storage)?;
        if manifest.people != people {
            return Err(Error::bug("a part of the table lost people; nothing was published"));
        }
        let made = Release::new(storage, None, Manifest { suppressed: 0, ..manifest });
        in_full(&made, count)
    }

    /// The table beside which a release in counted form is attacked.
    pub fn into_table(self) -> Table {
        Table::of_counts(self.policy_of_counts, self.prepared)
    }
}

/// The manifest and the rows of a release in counted form, in which every set is spelled out; the people stand in the column `count`, as they
/// do where the policy has weights.
fn in_full(release: &Release, count: &str) -> Result<(Json, Vec<RecordBatch>)> {
    let mut manifest = release.stated().clone();
    let (_, mut batches) =
        release.tables()?.into_iter().next().ok_or_else(|| Error::bug("a release without a table"))?;
    for meaning in &mut manifest.columns {
        let ValueMeaning::Set { nodes } = &mut meaning.values else { continue };
        let full = spelled_out(&std::mem::take(nodes), &meaning.name)?;
        for batch in &mut batches {
            *batch = respelled(batch, &meaning.name, &|label| full.get(label).map(String::as_str))?;
        }
    }
    if !manifest.columns.iter().any(|column| column.role == Role::Weight && column.name == count) {
        return Err(Error::bug(format!("the release has no column {count:?} of people")));
    }
    let manifest = serde_json::to_value(&manifest).map_err(|e| Error::bug(e.to_string()))?;
    Ok((manifest, batches))
}

/// A batch in which the texts of one column are spelled otherwise.
fn respelled<'f>(batch: &RecordBatch, name: &str, full: &dyn Fn(&str) -> Option<&'f str>) -> Result<RecordBatch> {
    let wrong = |e: arrow_schema::ArrowError| Error::bug(e.to_string());
    let index = batch.schema().index_of(name).map_err(wrong)?;
    let mut columns = batch.columns().to_vec();
    let Some(texts) = columns[index].as_any().downcast_ref::<StringArray>() else {
        return Err(Error::bug(format!("the labels of {name:?} are no texts")));
    };
    let spelled: StringArray = texts.iter().map(|text| text.map(|text| full(text).unwrap_or(text))).collect();
    columns[index] = Arc::new(spelled);
    RecordBatch::try_new(batch.schema(), columns).map_err(wrong)
}
