//! Whether columns allow what is promised, before any work.

use super::columns::{names, spell};
use super::layout::{Layout, SecretLayout};
use crate::distance::Scratch;
use crate::error::{Code, Error, Result};
use crate::kind::sliced::math::reaches;
use crate::method::Task;
use crate::model::Group;

/// Refuses columns that tell too much even with everybody in one bucket, where every cut starts.
///
/// With one bucket p(t, s) is the share of s among those whose sensitive column agrees with t in what is
/// known. The refusal names the largest ℓ of these columns, and the sensitive column that would do.
pub(super) fn check(task: &Task<'_>, columns: &[Vec<usize>], layout: &Layout<'_>) -> Result<()> {
    let quasi = task.scales.len();
    for (number, secret) in layout.secrets.iter().enumerate() {
        let Some(l) = secret.l else { continue };
        let (candidates, having) = worst(secret, layout);
        if reaches(candidates, having, l) {
            continue;
        }
        let names = names(task);
        let index = quasi + number;
        let column: &[usize] = columns.iter().find(|column| column.contains(&index)).map_or(&[], Vec::as_slice);
        let largest = one_decimal(candidates, having);
        let message = format!(
            "l = {} can't be reached with the column {}: all {} people in one bucket reach only l = {largest}",
            l.to_f64(),
            spell(column, &names),
            layout.total(),
        );
        return Err(Error::data(message).coded(Code::PromiseImpossible).help(advice(task, column, index, l, &names)));
    }
    check_groups(task, columns, layout)
}

/// The known value whose likeliest secret is the likeliest: its people, and those with the secret.
fn worst(secret: &SecretLayout, layout: &Layout<'_>) -> (u64, u64) {
    let mut having = vec![0; secret.value_of_pair.len()];
    secret.pair.iter().zip(layout.people).for_each(|(&pair, &people)| having[pair as usize] += people);
    let mut worst = (1, 0);
    for known in 0..secret.known_values() as u32 {
        let run = &having[secret.pairs_of(known)];
        let (all, most) = (run.iter().sum::<u64>(), run.iter().copied().max().unwrap_or(0));
        if u128::from(most) * u128::from(worst.0) > u128::from(worst.1) * u128::from(all) {
            worst = (all, most);
        }
    }
    worst
}

/// The largest ℓ, rounded down so that it can be asked for.
fn one_decimal(candidates: u64, having: u64) -> f64 {
    (u128::from(candidates) * 10 / u128::from(having.max(1))) as f64 / 10.0
}

/// The sensitive column with fewer attributes that allows ℓ: the one that tells most goes first.
fn advice(task: &Task<'_>, column: &[usize], index: usize, l: crate::numeric::Threshold, names: &[String]) -> String {
    let quasi = task.scales.len();
    let mut known: Vec<usize> = column.iter().copied().filter(|&other| other < quasi).collect();
    let level = |known: &[usize]| {
        let codes = (task.cells.columns[index].as_slice(), task.sensitive_sizes[index - quasi]);
        let sized =
            known.iter().map(|&other| (task.cells.columns[other].as_slice(), task.scales[other].domain().len()));
        let sized: Vec<(&[u32], usize)> = sized.collect();
        let distinct = crate::data::cells::count_distinct(&sized, task.cells.len(), None);
        let values = (distinct.cell_of_row.clone(), distinct.len());
        let secret = SecretLayout::new(None, Some(&values), codes, None);
        let layout = Layout { people: &task.cells.people, known: Vec::new(), secrets: Vec::new(), keys: Vec::new() };
        worst(&secret, &layout)
    };
    let mut best = level(&known);
    while !known.is_empty() {
        let without = |left_out: usize| -> Vec<usize> { known.iter().copied().filter(|&k| k != left_out).collect() };
        let options = known.iter().map(|&left_out| (without(left_out), level(&without(left_out))));
        let better =
            |a: &(u64, u64), b: &(u64, u64)| u128::from(a.1) * u128::from(b.0) < u128::from(b.1) * u128::from(a.0);
        let Some((fewer, found)) = options.reduce(|a, b| if better(&b.1, &a.1) { b } else { a }) else { break };
        (known, best) = (fewer, found);
        if reaches(best.0, best.1, l) {
            let kept = [known, column.iter().copied().filter(|&other| other >= quasi).collect()].concat();
            return format!(
                "the column {} allows l up to {}: name it in `columns`, or set `sensitive_column = {}`",
                spell(&kept, names),
                one_decimal(best.0, best.1),
                kept.len()
            );
        }
    }
    format!("no columns allow more than l = {}: ask for that at most", one_decimal(best.0, best.1))
}

/// The other models must hold for everybody who shares what is known in the sensitive column.
fn check_groups(task: &Task<'_>, columns: &[Vec<usize>], layout: &Layout<'_>) -> Result<()> {
    if !task.requirement.judges_groups() {
        return Ok(());
    }
    let column = group_column(layout)?;
    let pieces: Vec<(u32, u64)> = (0..).zip(layout.people.iter().copied()).collect();
    if candidates_hold(task, layout, column, &pieces, &mut Scratch::default()) {
        return Ok(());
    }
    let names = names(task);
    let with =
        columns.iter().find(|c| c.iter().any(|&index| index >= task.scales.len())).map_or(&[][..], Vec::as_slice);
    Err(Error::data(format!("the column {} tells more than the promised models allow", spell(with, &names)))
        .coded(Code::PromiseImpossible)
        .help("let the sensitive attribute stand in a column with fewer attributes, or alone"))
}

/// The known column that decides whose sensitive values are candidates; nothing where everybody's in a bucket are.
#[derive(Clone, Copy, Debug)]
pub(super) struct CandidateColumn(Option<usize>);

/// The known column that decides whose sensitive values are candidates: one for all sensitive attributes.
pub(super) fn group_column(layout: &Layout<'_>) -> Result<CandidateColumn> {
    let mut columns: Vec<Option<usize>> = layout.secrets.iter().map(|secret| secret.column).collect();
    columns.dedup();
    match columns.as_slice() {
        [] => Ok(CandidateColumn(None)),
        [one] => Ok(CandidateColumn(*one)),
        _ => Err(Error::input(
            "models about groups need all sensitive attributes in one column, or each in one without quasi-identifiers",
        )
        .help("name such columns, or require l-diverse-slicing alone")),
    }
}

/// Whether the candidates of everybody in a bucket keep every promise about groups: D(t, B) for each t.
pub(super) fn candidates_hold(
    task: &Task<'_>,
    layout: &Layout<'_>,
    CandidateColumn(column): CandidateColumn,
    pieces: &[(u32, u64)],
    scratch: &mut Scratch,
) -> bool {
    let known = |cell: u32| column.map_or(0, |column| layout.known[column].0[cell as usize]);
    let mut ordered: Vec<(u32, u32, u64)> = pieces.iter().map(|&(cell, people)| (known(cell), cell, people)).collect();
    ordered.sort_unstable();
    let mut histograms: Vec<Vec<u64>> = task.sensitive_sizes.iter().map(|&size| vec![0; size]).collect();
    let codes = &task.cells.columns[task.scales.len()..];
    ordered.chunk_by(|a, b| a.0 == b.0).all(|run| {
        for (histogram, codes) in histograms.iter_mut().zip(codes) {
            histogram.fill(0);
            run.iter().for_each(|&(_, cell, people)| histogram[codes[cell as usize] as usize] += people);
        }
        let people = run.iter().map(|&(.., people)| people).sum();
        task.requirement.values_hold(&Group { people, sensitive: &histograms, parent: None }, scratch)
    })
}
