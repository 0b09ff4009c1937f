//! Columns of bucketized and sliced releases, linked at random: what the dissertation learns from (section 4.5.1).
//!
//! Inside a bucket each column's values are permuted, and the i-th values of all columns make the i-th record.

use std::any::Any;

use moretta::internals::counting::{CodedTable, Column, permutation};
use moretta::internals::kind::OpenRelease;
use moretta::internals::kind::bucketized::Bucketized;
use moretta::internals::kind::sliced::Sliced;
use rand_chacha::ChaCha12Rng;

/// The records of one random linking; nothing where a release has no columns apart from each other, or where rows stand for several people.
pub(super) fn relink(release: &dyn OpenRelease, chance: &mut ChaCha12Rng) -> Option<CodedTable> {
    let release: &dyn Any = release;
    if let Some(sliced) = release.downcast_ref::<Sliced>() {
        return of_slices(&sliced.table, &sliced.columns, sliced.buckets(), chance);
    }
    release.downcast_ref::<Bucketized>().and_then(|bucketized| of_buckets(bucketized, chance))
}

fn of_slices(
    table: &CodedTable,
    columns: &[Vec<usize>],
    buckets: &[u32],
    chance: &mut ChaCha12Rng,
) -> Option<CodedTable> {
    let mut linked = table.weights.is_none().then(|| table.clone())?;
    let members = members(buckets);
    let quasi = table.quasi.len();
    for attributes in columns {
        let mut from: Vec<u32> = (0..buckets.len() as u32).collect();
        for rows in &members {
            let order = permutation(rows.len(), chance);
            rows.iter().zip(&order).for_each(|(&row, &other)| from[row as usize] = rows[other as usize]);
        }
        for &attribute in attributes {
            let move_codes = |column: &mut Column, codes: &[u32]| {
                column.codes = from.iter().map(|&row| codes[row as usize]).collect();
            };
            match attribute.checked_sub(quasi) {
                None => move_codes(&mut linked.quasi[attribute], &table.quasi[attribute].codes),
                Some(place) => move_codes(&mut linked.sensitive[place], &table.sensitive[place].codes),
            }
        }
    }
    Some(linked)
}

fn of_buckets(release: &Bucketized, chance: &mut ChaCha12Rng) -> Option<CodedTable> {
    let mut linked = release.qit.weights.is_none().then(|| release.qit.clone())?;
    let members = members(&release.group_of_row);
    for (place, sensitive) in release.groups.whole.sensitive.iter().enumerate() {
        let mut codes = vec![0; release.group_of_row.len()];
        for (group, rows) in members.iter().enumerate() {
            let (held, people) = release.groups.held(place, group);
            let values: Vec<u32> =
                held.iter().zip(people).flat_map(|(&code, &people)| (0..people).map(move |_| code)).collect();
            let order = permutation(values.len(), chance);
            rows.iter().zip(&order).for_each(|(&row, &value)| codes[row as usize] = values[value as usize]);
        }
        linked.sensitive.push(Column { name: sensitive.name.clone(), domain: sensitive.domain.clone(), codes });
    }
    Some(linked)
}

/// The rows of each bucket.
fn members(buckets: &[u32]) -> Vec<Vec<u32>> {
    let mut members = vec![Vec::new(); buckets.iter().max().map_or(0, |&last| last as usize + 1)];
    (0..).zip(buckets).for_each(|(row, &bucket)| members[bucket as usize].push(row));
    members
}

#[cfg(test)]
mod tests {
    use moretta::internals::chance::Seed;
    use moretta::internals::counting::Held;
    use moretta::internals::counting::Prepared;
    use moretta::internals::publish::publish;
    use moretta::{Policy, Result};

    use super::*;

    /// For each row its bucket-free content: how often each pair of codes of two columns occurs.
    fn pairs(a: &Column, b: &Column) -> Vec<(String, String)> {
        let text = |column: &Column, row: usize| column.domain.value(column.codes[row]).to_string();
        let mut all: Vec<_> = (0..a.codes.len()).map(|row| (text(a, row), text(b, row))).collect();
        all.sort();
        all
    }

    fn linked(method: &str, model: &str, seed: u64) -> Result<(CodedTable, CodedTable)> {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("table.csv");
        let row = |i: u32| format!("{},{},{},{}\n", i % 7, i % 3, i % 2, i % 5);
        std::fs::write(&file, format!("a,b,c,s\n{}", (0..120).map(row).collect::<String>())).expect("a table");
        let text = format!(
            "[data]\nsource = \"table.csv\"\n[attributes]\na = {{ role = \"quasi\" }}\nb = {{ role = \"quasi\" }}\n\
             c = {{ role = \"quasi\" }}\ns = {{ role = \"sensitive\", type = \"code\" }}\n[[require]]\n{model}\n[method]\n{method}\n"
        );
        let policy = Policy::in_file(text, &folder.path().join("policy.toml"), &[])?;
        let prepared = Prepared::read(&policy, &moretta::internals::progress::Progress::default())?;
        let quiet = moretta::internals::progress::Progress::default();
        let (_, release) = publish(&policy, Held::Shared(&prepared), Seed(1), &quiet)?;
        let linked = relink(&*release, &mut Seed(seed.into()).stream("test", 0)).expect("columns apart");
        Ok((prepared.table.clone(), linked))
    }

    #[test]
    fn columns_stay_together_and_others_are_linked_anew() {
        let slicing = (
            "name = \"slicing\"\ncolumns = [[\"a\", \"b\"], [\"c\", \"s\"]]",
            "model = \"distinct-l-diversity\"\nl = 3",
        );
        let buckets = ("name = \"mondrian\"\nrecoding = \"bucketize\"", "model = \"distinct-l-diversity\"\nl = 3");
        for (method, model) in [slicing, buckets] {
            let (original, one) = linked(method, model, 1).expect(method);
            let (_, other) = linked(method, model, 2).expect(method);
            let (a, b, s) = (0, 1, 0);
            assert_eq!(pairs(&one.quasi[a], &one.quasi[b]), pairs(&original.quasi[a], &original.quasi[b]), "{method}");
            let alone = |table: &CodedTable| pairs(&table.sensitive[s], &table.sensitive[s]);
            assert_eq!(alone(&one), alone(&original), "{method}");
            let across = |table: &CodedTable| pairs(&table.quasi[a], &table.sensitive[s]);
            assert_ne!(across(&one), across(&other), "{method}");
        }
    }
}
