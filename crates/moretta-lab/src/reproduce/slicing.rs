//! Slicing on Adult (Li 2010, section 4.5): what it keeps of correlations and answers, and how it hides who is there.

use moretta::internals::asking::{Analyst, QueryBox, Truth, ValueSet};
use moretta::internals::counting::Prepared;
use moretta::internals::counting::{count_distinct, permutation};
use moretta::internals::data::domain::Domain;
use moretta::internals::data::value::Value;
use moretta::internals::hierarchy::Scale;
use moretta::internals::membership::{MeasuredColumns, Membership, MembershipEffort, Positions};
use moretta::internals::planning::Slices;
use moretta::internals::planning::{Requirement, TableSummary, Task, registry};
use moretta::internals::progress::Progress;
use moretta::text::percent;
use moretta::{Error, Policy, Result};
use rand::Rng;
use rand::seq::SliceRandom;

use super::{Experiment, ExperimentContext, ResultTable};
use crate::adult::{Adult, QI_6};

pub(super) const KEPT: Experiment = Experiment { name: "slicing correlations", run: kept };

pub(super) const MEMBERSHIP: Experiment =
    Experiment { name: "slicing membership", run: |context, progress| Ok(vec![membership(context, progress)?]) };

const OCC_7: [&str; 7] = ["age", "workclass", "education", "marital_status", "occupation", "race", "sex"];

fn kept(context: &ExperimentContext, progress: &Progress) -> Result<Vec<ResultTable>> {
    let mut kept = ResultTable::new(
        "Adult OCC-7: mean |φ² original − φ² released| over pairs of attributes, and relative error of counts",
        ["method", "promise", "buckets", "inside columns", "across columns", "all pairs", "median error", "mean error"],
    );
    for l in context.settings.wholes("l")? {
        // A column of two with a larger l is refused: sex tells too much about occupation.
        let sensitive_column = if l <= 3 { 2 } else { 1 };
        let slicing = format!("name = \"slicing\"\ncolumns = 3\nsensitive_column = {sensitive_column}");
        let rivals = [
            ("slicing", slicing.as_str(), "l-diverse-slicing"),
            ("mondrian", "name = \"mondrian\"", "probabilistic-l-diversity"),
            ("least-loss (ours)", "name = \"least-loss\"", "probabilistic-l-diversity"),
            ("mondrian, bucketized", "name = \"mondrian\"\nrecoding = \"bucketize\"", "probabilistic-l-diversity"),
            ("anatomy", "name = \"anatomy\"", "probabilistic-l-diversity"),
        ];
        let mut columns = Vec::new();
        for (name, method, model) in rivals {
            if name == "anatomy" && registry::find(name).is_none() {
                continue;
            }
            let table = Adult::all().with("quasi", &QI_6).with("sensitive", &["occupation"]);
            let rest = format!("[[require]]\nmodel = \"{model}\"\nl = {l}\n[method]\n{method}\n");
            let policy = context.adult(&table, &rest)?;
            kept.row(compare(context, &policy, name, &format!("l = {l}"), &mut columns, progress)?);
        }
    }
    kept.note("columns are those of slicing: bucketization keeps all quasi-identifiers in one column, so pairs of them are exact there too");
    Ok(vec![kept])
}

/// The cells of a result: how far φ² of pairs of attributes moved, and how far counts are off.
fn compare(
    context: &ExperimentContext,
    policy: &Policy,
    name: &str,
    promise: &str,
    columns: &mut Vec<Vec<String>>,
    progress: &Progress,
) -> Result<Vec<String>> {
    let (report, release) = context.publish(policy, progress)?;
    if let Ok(sliced) = release.slices() {
        let names: Vec<String> = sliced.attributes().into_iter().map(|askable| askable.name).collect();
        *columns = sliced.columns.iter().map(|c| c.iter().map(|&index| names[index].clone()).collect()).collect();
    }
    let counted = Prepared::read(policy, progress)?;
    let original = counted.original();
    let truth = Truth(&original);
    let domains: Vec<_> = original.quasi.iter().chain(&original.sensitive).collect();
    let sides: Vec<Vec<ValueSet>> = domains.iter().map(|(_, domain)| categories(domain)).collect();
    let (mut inside, mut across) = (Vec::new(), Vec::new());
    for a in 0..domains.len() {
        for b in a + 1..domains.len() {
            let moved =
                (phi(&truth, (a, &sides[a]), (b, &sides[b]))? - phi(&*release, (a, &sides[a]), (b, &sides[b]))?).abs();
            let together = columns.iter().any(|c| c.contains(&domains[a].0) && c.contains(&domains[b].0));
            if together { inside.push(moved) } else { across.push(moved) }
        }
    }
    let mut errors = errors(context, &truth, &*release, &domains.iter().map(|(_, d)| &**d).collect::<Vec<_>>())?;
    errors.sort_by(f64::total_cmp);
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let all: Vec<f64> = inside.iter().chain(&across).copied().collect();
    Ok(vec![
        name.to_owned(),
        promise.to_owned(),
        report.groups.to_string(),
        format!("{:.4}", mean(&inside)),
        format!("{:.4}", mean(&across)),
        format!("{:.4}", mean(&all)),
        percent(errors.get(errors.len() / 2).copied().unwrap_or(0.0)),
        percent(mean(&errors)),
    ])
}

/// The values of an attribute as φ² compares them: each by itself, numbers in ten intervals.
fn categories(domain: &Domain) -> Vec<ValueSet> {
    const BINS: usize = 10;
    if !domain.kind().is_ordered() {
        return domain.values().iter().cloned().map(ValueSet::one).collect();
    }
    let numbers: Vec<f64> = domain.values().iter().filter_map(Value::as_number).collect();
    let (low, high) = (numbers.first().copied().unwrap_or(0.0), numbers.last().copied().unwrap_or(0.0));
    #[expect(clippy::cast_sign_loss, reason = "no number is below the least one")]
    let bin = |x: f64| (((x - low) / (high - low).max(f64::MIN_POSITIVE) * BINS as f64) as usize).min(BINS - 1);
    let runs = domain.values().chunk_by(|a, b| a.as_number().map(bin) == b.as_number().map(bin));
    runs.map(|run| ValueSet::above(run[0].clone(), true).intersect(&ValueSet::below(run[run.len() - 1].clone(), true)))
        .collect()
}

/// φ² of two attributes, asked of a release.
fn phi(release: &dyn Analyst, a: (usize, &[ValueSet]), b: (usize, &[ValueSet])) -> Result<f64> {
    let mut counts = vec![vec![0.0; b.1.len()]; a.1.len()];
    for (row, first) in counts.iter_mut().zip(a.1) {
        for (count, second) in row.iter_mut().zip(b.1) {
            let one = QueryBox::default().restrict(a.0, first).and_then(|one| one.restrict(b.0, second));
            *count = release.count(&one.into_iter().collect::<Vec<_>>())?.estimate.unwrap_or(0.0);
        }
    }
    let rows: Vec<f64> = counts.iter().map(|row| row.iter().sum()).collect();
    let columns: Vec<f64> = (0..b.1.len()).map(|j| counts.iter().map(|row| row[j]).sum()).collect();
    let occurring = |sums: &[f64]| sums.iter().filter(|&&sum| sum > 0.0).count();
    let values = occurring(&rows).min(occurring(&columns));
    let term = |i: usize, j: usize| {
        if counts[i][j] > 0.0 { counts[i][j] / rows[i] * (counts[i][j] / columns[j]) } else { 0.0 }
    };
    let sum: f64 = (0..rows.len()).flat_map(|i| (0..columns.len()).map(move |j| (i, j))).map(|(i, j)| term(i, j)).sum();
    Ok(if values < 2 { 0.0 } else { (sum - 1.0) / (values as f64 - 1.0) })
}

/// Relative errors of random counts over two quasi-identifiers and the sensitive attribute, of those that at least 0.1 % of people satisfy.
fn errors(
    context: &ExperimentContext,
    truth: &dyn Analyst,
    release: &dyn Analyst,
    domains: &[&Domain],
) -> Result<Vec<f64>> {
    let queries = context.settings.whole("queries")?;
    let mut chance = context.seed.stream("slicing queries", 0);
    let everybody = truth.count(&[QueryBox::default()])?.estimate.unwrap_or(0.0);
    let mut errors = Vec::new();
    let last = domains.len() - 1;
    while errors.len() < queries {
        let mut indices: Vec<usize> = (0..last).collect();
        indices.shuffle(&mut chance);
        let mut indices = vec![indices[0], indices[1], last];
        indices.sort_unstable();
        let mut one = QueryBox::default();
        for index in indices {
            let values = domains[index].values();
            let wanted = (values.len() * 2).div_ceil(5);
            let set = if domains[index].kind().is_ordered() {
                let first = chance.random_range(0..=values.len() - wanted);
                ValueSet::above(values[first].clone(), true)
                    .intersect(&ValueSet::below(values[first + wanted - 1].clone(), true))
            } else {
                let chosen = permutation(values.len(), &mut chance);
                chosen[..wanted]
                    .iter()
                    .fold(ValueSet::nothing(), |set, &v| set.union(&ValueSet::one(values[v as usize].clone())))
            };
            one = one.restrict(index, &set).unwrap_or_default();
        }
        let exact = truth.count(std::slice::from_ref(&one))?.estimate.unwrap_or(0.0);
        if exact < everybody / 1000.0 {
            continue;
        }
        let estimate = release.count(std::slice::from_ref(&one))?.estimate.unwrap_or(0.0);
        errors.push((estimate - exact).abs() / exact);
    }
    Ok(errors)
}

/// Random buckets of 100, as in section 4.5.3, beside buckets that are cut between values.
fn membership(context: &ExperimentContext, progress: &Progress) -> Result<ResultTable> {
    let mut table = ResultTable::new(
        "Adult OCC-7, membership: people, and fakes (combinations that nobody has and that match a bucket)",
        ["columns", "buckets of", "grouping", "fakes", "people > 20", "fakes > 20", "advantage"],
    );
    for columns in context.settings.wholes("columns")? {
        for size in context.settings.wholes("bucket_size")? {
            let size = size as usize;
            let people = Adult::all().with("unclassified", &OCC_7);
            let method = format!("[method]\nname = \"slicing\"\ncolumns = {columns}\nbucket_size = {size}\n");
            let policy = context.adult(&people, &method)?;
            for (grouping, found) in measure(context, &policy, size, progress)? {
                let (people, fakes) = found.matching_more_than(20);
                let estimated = if found.fakes.samples == 0 {
                    String::new()
                } else {
                    format!(" ({:.0} to {:.0})", found.fakes.lower, found.fakes.upper)
                };
                table.row([
                    columns.to_string(),
                    size.to_string(),
                    grouping.to_owned(),
                    format!("{:.0}{estimated}", found.fakes.value),
                    people.to_string(),
                    format!("{fakes:.0}"),
                    format!("{:.3}", found.advantage()),
                ]);
            }
        }
    }
    table.note("advantage: how much better than a coin (0) up to certainty (1) the number of matching buckets tells people from fakes");
    table.note("numbers in parentheses: 95 % confidence, where combinations were drawn and not all counted");
    Ok(table)
}

/// Membership with buckets at random, and with those of the policy's method.
fn measure(
    context: &ExperimentContext,
    policy: &Policy,
    size: usize,
    progress: &Progress,
) -> Result<[(&'static str, Membership); 2]> {
    let counted = Prepared::read(policy, progress)?;
    let (table, cells) = (&counted.table, &counted.cells);
    let scales = table
        .quasi
        .iter()
        .zip(policy.linkable_attributes())
        .map(|(column, attribute)| Scale::new(&attribute.hierarchy, column.domain.clone(), &column.name));
    let scales = scales.collect::<Result<Vec<_>>>()?;
    let whole = TableSummary { people: table.people(), sensitive: Vec::new() };
    let task = Task {
        quasi_names: table.quasi.iter().map(|column| column.name.clone()).collect(),
        scales: &scales,
        cells,
        sensitive_sizes: Vec::new(),
        requirement: &Requirement::prepare(&[], &whole)?,
        whole: &whole,
        may_suppress: 0,
        seed: context.seed,
        branches: None,
        persons: None,
        links: &[],
        group: None,
        token: progress.token(),
    };
    let method = policy.for_publishing()?;
    let plan = method.plan(&task, progress)?;
    let plan: &dyn std::any::Any = &*plan;
    let slices: &Slices = plan.downcast_ref().ok_or_else(|| Error::bug("slicing did not slice"))?;
    let values: Vec<(Vec<u32>, usize)> = slices
        .columns
        .iter()
        .map(|column| {
            let sized: Vec<(&[u32], usize)> =
                column.iter().map(|&p| (cells.columns[p].as_slice(), scales[p].domain().len())).collect();
            let distinct = count_distinct(&sized, cells.len(), None);
            let len = distinct.len();
            (distinct.cell_of_row, len)
        })
        .collect();
    let effort = MembershipEffort { seed: context.seed.0 as u64, ..MembershipEffort::default() };
    let of = |rows: &[(u32, u32)], people: &[u64], buckets: usize| {
        let bucket: Vec<u32> = rows.iter().map(|&(bucket, _)| bucket).collect();
        let codes: Vec<Vec<u32>> =
            values.iter().map(|(codes, _)| rows.iter().map(|&(_, cell)| codes[cell as usize]).collect()).collect();
        let columns: Vec<(&[u32], usize)> =
            codes.iter().zip(&values).map(|(codes, (_, len))| (codes.as_slice(), *len)).collect();
        let positions = Positions { bucket: &bucket, buckets, people: Some(people) };
        Membership::measure(MeasuredColumns { positions, columns: &columns }, effort, progress.token())
    };
    let order = permutation(table.rows(), &mut context.seed.stream("random buckets", 0));
    let random: Vec<(u32, u32)> =
        order.iter().enumerate().map(|(at, &row)| ((at / size) as u32, cells.cell_of_row[row as usize])).collect();
    let cut: Vec<(u32, u32)> = slices.buckets.pieces.iter().map(|piece| (piece.group, piece.cell)).collect();
    let people: Vec<u64> = slices.buckets.pieces.iter().map(|piece| piece.people).collect();
    let found = [
        ("random", of(&random, &vec![1; random.len()], random.len().div_ceil(size))),
        ("between values", of(&cut, &people, slices.buckets.len)),
    ];
    progress.check()?;
    Ok(found)
}
