//! Slicing: attributes into columns that go together, people into buckets, each column shuffled inside its bucket.

#[cfg(test)]
mod adult;
mod coarsen;
mod columns;
mod feasible;
mod layout;
mod medoids;
pub(crate) mod phi;
#[cfg(test)]
mod properties;
mod relaxed;
mod shared;
mod strict;

use self::columns::ColumnSpec;
use self::layout::Layout;
use self::strict::Cutter;
use super::{Method, MethodEntry, Task, Transparency};
use crate::config::section::texts_of;
use crate::config::{Content, Section};
use crate::data::role::Role;
use crate::error::{Error, Result};
use crate::kind::sliced::math::Positions;
use crate::kind::sliced::math::membership::{MeasuredColumns, Membership, MembershipEffort};
use crate::kind::sliced::{Recoded, Slices};
use crate::kind::{KindId, Plan};
use crate::method::Supports;
use crate::model::SeveralRows;
use crate::model::{
    LDiverseSlicing, ModelId, bucket_size, delta_disclosure, distinct_l_diversity, entropy_l_diversity,
    l_diverse_slicing, probabilistic_l_diversity, t_closeness,
};
use crate::numeric::Threshold;
use crate::progress::{CancelToken, Progress};
use crate::release::plan::{Buckets, Piece};

pub(super) const ENTRY: MethodEntry = MethodEntry {
    name: "slicing",
    summary: "attributes that go together stand in a column; each column is shuffled inside buckets of people",
    paper: "Li 2010",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/methods/slicing.md")),
    suppresses: false,
    supports: Supports::Only(OF_DISTRIBUTIONS),
    kinds: &[KindId::Sliced],
    transparency: Transparency::Open(
        "a bucket that was not parted because of sensitive values tells something of them",
    ),
    several_rows: SeveralRows::Refused("it permutes rows"),
    read,
};

/// Slicing (Li 2010, chapter 4).
///
/// The dissertation cuts at medians, as Mondrian does, and asks after every cut the whole table whether it is still diverse, in
/// O(n² log n). Here cuts between values come first: they leave everybody with one matching bucket, so that buckets can be
/// judged alone. Then cuts through values, which ask only those who match the bucket that is cut.
#[derive(Clone, Debug)]
struct Slicing {
    wish: ColumnSpec,
    column_k: Option<u64>,
    bucket_size: Option<u64>,
}

/// Models that speak of the distribution of sensitive values alone: one that the candidates of a person keep in every matching
/// bucket is kept by the belief about the person, which is a mean of them.
const OF_DISTRIBUTIONS: &[ModelId] = &[
    l_diverse_slicing::ENTRY.id(),
    t_closeness::ENTRY.id(),
    probabilistic_l_diversity::ENTRY.id(),
    entropy_l_diversity::ENTRY.id(),
    distinct_l_diversity::ENTRY.id(),
    delta_disclosure::ENTRY.id(),
    bucket_size::ENTRY.id(),
];

/// Buckets without a promise about sensitive values have this many people, as in the dissertation's section 4.5.3.
const BUCKET_SIZE: u64 = 100;

fn read(section: &mut Section<'_>) -> Result<Box<dyn Method>> {
    let sensitive = section.whole("sensitive_column", 1)?.map(|size| size as usize);
    let bins = section.whole("bins", 0)?;
    let column_k = section.whole("column_k", 1)?;
    let bucket_size = section.whole("bucket_size", 1)?;
    let help = "how many columns, for example columns = 5, or which: columns = [[\"age\", \"sex\"], [\"disease\"]]";
    let node = section.get("columns").ok_or_else(|| section.lacks("columns").help(help))?;
    let wish = match &node.content {
        Content::List(lists) => {
            let lists: Option<Vec<Vec<String>>> = lists.iter().map(texts_of).collect();
            let lists =
                lists.ok_or_else(|| section.error_at("columns", "`columns` lists lists of names").help(help))?;
            if let Some(key) = sensitive.map(|_| "sensitive_column").or(bins.map(|_| "bins")) {
                return Err(section
                    .error_at(key, format!("`{key}` means nothing where `columns` names them"))
                    .help("remove it, or state how many columns there shall be"));
            }
            ColumnSpec::Named(lists)
        }
        _ => {
            let columns = section.required_whole("columns", 1)? as usize;
            ColumnSpec::Count { columns, sensitive, bins: bins.unwrap_or(10) as usize }
        }
    };
    Ok(Box::new(Slicing { wish, column_k, bucket_size }))
}

impl Method for Slicing {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn supports(&self) -> Supports {
        ENTRY.supports
    }

    fn kind(&self) -> KindId {
        KindId::Sliced
    }

    fn supports_role(&self, role: Role) -> bool {
        role != Role::Group
    }

    fn needs_promise(&self) -> bool {
        false
    }

    fn plan(&self, task: &Task<'_>, progress: &Progress) -> Result<Box<dyn Plan>> {
        task.refuse_too_many(ENTRY.name)?;
        if task.cells.is_empty() {
            return Err(Error::bug("a table without people reached the method"));
        }
        progress.start("choosing columns", 0);
        let columns = columns::choose(&self.wish, task)?;
        let recoded = self.recode(task, &columns)?;
        progress.check()?;
        let layout = Layout::new(task, &columns, &recoded, &promised(task));
        feasible::check(task, &columns, &layout)?;

        let groups = task.requirement.judges_groups().then(|| feasible::group_column(&layout)).transpose()?;
        let no_promise = layout.secrets.is_empty();
        let promised = task.requirement.least_people();
        let least = self.bucket_size.unwrap_or(if no_promise && promised <= 1 { BUCKET_SIZE } else { 1 }).max(promised);
        let cutter = Cutter { task, layout: &layout, groups, least, progress };
        let cut = cutter.cut();
        progress.check()?;
        let buckets: Vec<Vec<(u32, u64)>> = if no_promise {
            // Whoever matches one bucket tells nothing by the number of buckets they match: cuts through values would.
            let of_cell = |&cell: &u32| (cell, layout.people[cell as usize]);
            cut.iter().map(|cells| cells.iter().map(of_cell).collect()).collect()
        } else {
            cutter.cut_through(cut)
        };
        progress.check()?;
        let mut pieces: Vec<Piece> = (0..)
            .zip(&buckets)
            .flat_map(|(group, shares)| shares.iter().map(move |&(cell, people)| Piece { group, cell, people }))
            .collect();
        pieces.sort_unstable_by_key(|piece| (piece.group, piece.cell));
        let names = columns::names(task);
        let listed: Vec<String> = columns.iter().map(|column| columns::spell(column, &names)).collect();
        let mut notes = match self.wish {
            ColumnSpec::Named(_) => Vec::new(),
            ColumnSpec::Count { .. } => vec![format!("the columns are {}", listed.join(", "))],
        };
        if no_promise {
            notes.push(membership_note(&layout, &pieces, buckets.len(), task.seed.0 as u64, task.token));
        }
        Ok(Box::new(Slices { columns, recoded, buckets: Buckets { pieces, len: buckets.len(), tree: None, notes } }))
    }
}

impl Slicing {
    fn recode(&self, task: &Task<'_>, columns: &[Vec<usize>]) -> Result<Vec<Option<Recoded>>> {
        let quasi = task.scales.len();
        let recode = |column: &Vec<usize>| {
            let indices: Vec<usize> = column.iter().copied().filter(|&index| index < quasi).collect();
            match self.column_k {
                Some(k) if k > 1 && !indices.is_empty() => coarsen::coarsen(task, &indices, k).map(Some),
                _ => Ok(None),
            }
        };
        columns.iter().map(recode).collect()
    }
}

/// For each sensitive attribute the largest ℓ that is promised of it.
fn promised(task: &Task<'_>) -> Vec<Option<Threshold>> {
    let models = task.requirement.models().iter().filter_map(|model| {
        let model: &dyn std::any::Any = &**model;
        model.downcast_ref::<LDiverseSlicing>()
    });
    let models: Vec<&LDiverseSlicing> = models.collect();
    let largest = |name: &str| {
        let about = models.iter().filter(|model| model.is_about(name)).map(|model| model.bound());
        about.reduce(|a, b| if a.to_f64() < b.to_f64() { b } else { a })
    };
    task.whole.sensitive.iter().map(|sensitive| largest(&sensitive.name)).collect()
}

fn membership_note(layout: &Layout<'_>, pieces: &[Piece], buckets: usize, seed: u64, token: &CancelToken) -> String {
    let bucket: Vec<u32> = pieces.iter().map(|piece| piece.group).collect();
    let people: Vec<u64> = pieces.iter().map(|piece| piece.people).collect();
    let of_pieces: Vec<Vec<u32>> =
        layout.known.iter().map(|(codes, _)| pieces.iter().map(|piece| codes[piece.cell as usize]).collect()).collect();
    let columns: Vec<(&[u32], usize)> =
        of_pieces.iter().zip(&layout.known).map(|(codes, (_, size))| (codes.as_slice(), *size)).collect();
    let positions = Positions { bucket: &bucket, buckets, people: Some(&people) };
    let found = Membership::measure(
        MeasuredColumns { positions, columns: &columns },
        MembershipEffort { seed, ..MembershipEffort::default() },
        token,
    );
    let fakes = match found.fakes.samples {
        0 => format!("{:.0} combinations that nobody has", found.fakes.value),
        samples => format!(
            "about {:.3e} combinations that nobody has ({:.3e} to {:.3e} with 95 % confidence, from {samples} draws)",
            found.fakes.value, found.fakes.lower, found.fakes.upper
        ),
    };
    format!("only membership is protected: {fakes} match a bucket, beside {} that people have", found.combinations)
}
