//! Which attributes stand in a column together.

use super::medoids::clusters;
use super::phi::{BinnedColumn, all_pairs};
use crate::config::suggestion;
use crate::error::{Error, Result};
use crate::method::Task;

/// The columns that a policy wishes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ColumnSpec {
    /// So many, of attributes that go together; `sensitive` is the size of the sensitive attribute's column, if stated.
    Count { columns: usize, sensitive: Option<usize>, bins: usize },
    /// These.
    Named(Vec<Vec<String>>),
}

/// The attributes of each column, as indices among the quasi-identifiers and, after them, the sensitive attributes.
pub(super) fn choose(wish: &ColumnSpec, task: &Task<'_>) -> Result<Vec<Vec<usize>>> {
    let names = names(task);
    match wish {
        ColumnSpec::Named(lists) => named(lists, &names),
        ColumnSpec::Count { columns, sensitive, bins } => counted(*columns, *sensitive, *bins, task, &names),
    }
}

/// The names of all attributes that are sliced.
pub(super) fn names(task: &Task<'_>) -> Vec<String> {
    let sensitive = task.whole.sensitive.iter().map(|sensitive| sensitive.name.clone());
    task.quasi_names.iter().cloned().chain(sensitive).collect()
}

/// `{age, sex}`.
pub(super) fn spell(column: &[usize], names: &[String]) -> String {
    let listed: Vec<&str> = column.iter().map(|&index| names[index].as_str()).collect();
    format!("{{{}}}", listed.join(", "))
}

/// Every attribute stands in one column, and every column has one.
fn named(lists: &[Vec<String>], names: &[String]) -> Result<Vec<Vec<usize>>> {
    let mut taken = vec![false; names.len()];
    let mut columns = Vec::with_capacity(lists.len());
    for list in lists {
        let mut column = Vec::with_capacity(list.len());
        for name in list {
            let index = names.iter().position(|known| known == name).ok_or_else(|| {
                let known: Vec<&str> = names.iter().map(String::as_str).collect();
                Error::input(format!("`columns` names {name:?}, which is no attribute to slice"))
                    .help(suggestion(name, &known))
            })?;
            if std::mem::replace(&mut taken[index], true) {
                return Err(
                    Error::input(format!("`columns` names {name:?} twice")).help("an attribute stands in one column")
                );
            }
            column.push(index);
        }
        column.sort_unstable();
        if !column.is_empty() {
            columns.push(column);
        }
    }
    match taken.iter().position(|taken| !taken) {
        None => Ok(columns),
        Some(index) => Err(Error::input(format!("`columns` does not name {:?}", names[index]))
            .help("every quasi-identifier, sensitive and unclassified attribute stands in one column; insensitive ones get one of their own")),
    }
}

/// Columns of attributes that go together (Li 2010, section 4.3.1): clusters by 1 − φ², with a column of stated size
/// around the sensitive attribute where one is stated.
fn counted(
    columns: usize,
    sensitive: Option<usize>,
    bins: usize,
    task: &Task<'_>,
    names: &[String],
) -> Result<Vec<Vec<usize>>> {
    let attributes = names.len();
    if bins < 2 {
        return Err(Error::data(format!("`bins` is {bins}: numbers in one bin all look alike"))
            .help("2 or more, 10 for example"));
    }
    if columns > attributes {
        return Err(Error::data(format!("{columns} columns can't be made of {attributes} attributes"))
            .help(format!("`columns` goes up to {attributes}")));
    }
    let domain = |index: usize| match index.checked_sub(task.scales.len()) {
        None => task.scales[index].domain(),
        Some(sensitive) => &task.whole.sensitive[sensitive].domain,
    };
    let binned: Vec<BinnedColumn> = task
        .cells
        .columns
        .iter()
        .enumerate()
        .map(|(index, codes)| BinnedColumn::new(codes, domain(index), bins))
        .collect();
    let phi = all_pairs(&binned, &task.cells.people);
    let Some(size) = sensitive else { return Ok(clustered(&phi, &(0..attributes).collect::<Vec<_>>(), columns)) };

    let secret = match task.whole.sensitive.len() {
        1 => attributes - 1,
        0 => return Err(Error::input("`sensitive_column` needs a sensitive attribute").help("remove it")),
        _ => {
            return Err(Error::input("`sensitive_column` is for one sensitive attribute, and there are several")
                .help("name the columns: columns = [[\"…\", …], …]"));
        }
    };
    if size > attributes {
        return Err(Error::data(format!("a sensitive column of {size} can't be made of {attributes} attributes"))
            .help(format!("`sensitive_column` goes up to {}", attributes - columns + 1)));
    }
    let others = attributes - size;
    if others < columns - 1 || (columns == 1 && others > 0) {
        let message = format!("{columns} columns, one of them of {size}, can't be made of {attributes} attributes");
        let help = if columns == 1 {
            "at least 2 columns".to_owned()
        } else {
            format!("`columns` goes up to {}, or make `sensitive_column` smaller", others + 1)
        };
        return Err(Error::data(message).help(help));
    }
    let mut by_phi: Vec<usize> = (0..attributes).filter(|&index| index != secret).collect();
    by_phi.sort_by(|&a, &b| phi[secret][b].total_cmp(&phi[secret][a]).then(a.cmp(&b)));
    let (with_secret, mut rest) = (by_phi[..size - 1].to_vec(), by_phi[size - 1..].to_vec());
    rest.sort_unstable();
    let mut found = if rest.is_empty() { Vec::new() } else { clustered(&phi, &rest, columns - 1) };
    let mut own = [with_secret, vec![secret]].concat();
    own.sort_unstable();
    found.push(own);
    Ok(found)
}

fn clustered(phi: &[Vec<f64>], indices: &[usize], columns: usize) -> Vec<Vec<usize>> {
    let distances: Vec<Vec<f64>> = indices
        .iter()
        .map(|&a| indices.iter().map(|&b| if a == b { 0.0 } else { 1.0 - phi[a][b] }).collect())
        .collect();
    let mut found = vec![Vec::new(); columns];
    for (&index, cluster) in indices.iter().zip(clusters(&distances, columns)) {
        found[cluster as usize].push(index);
    }
    found
}
