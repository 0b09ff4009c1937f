//! Hierarchies that only the table itself can tell: by how many people have which value, and by what stands in other columns.

use std::collections::{BTreeMap, BTreeSet};

use crate::data::table::Column;
use crate::data::value::Value;
use crate::error::{Code, Error, Result};

/// The label of the root; another one where a value is spelled so.
fn root(values: &BTreeSet<String>) -> String {
    let mut root = "*".to_owned();
    while values.contains(&root) {
        root = format!("{{{root}}}");
    }
    root
}

/// Values of few people taken together, until each label stands for at least so many people, level by level.
///
/// At each level the labels with too few people are taken from the rarest on into bundles that reach the number; what is left over joins
/// the last of them. A label that has people enough is never touched.
pub fn by_frequency(column: &Column, weights: Option<&[u64]>, levels: &[u64]) -> Vec<Vec<String>> {
    let people = column.people_of_values(weights);
    let is_present = |code: &usize| !column.domain.value(*code as u32).is_missing();
    let codes: Vec<usize> = (0..people.len()).filter(is_present).collect();
    let mut rows: BTreeMap<usize, Vec<String>> =
        codes.iter().map(|&code| (code, vec![column.domain.value(code as u32).to_string()])).collect();
    let values: BTreeSet<String> = rows.values().map(|row| row[0].clone()).collect();
    let mut bundles: Vec<Vec<usize>> = codes.iter().map(|&code| vec![code]).collect();
    for &least in levels {
        bundles = bundled(bundles, &people, least);
        for bundle in &bundles {
            let label = label(bundle, column, &people, &values);
            for code in bundle {
                rows.entry(*code).or_default().push(label.clone());
            }
        }
    }
    // Bundles of the last level stand side by side, so that siblings are neighbours in rank.
    let in_order = bundles.into_iter().flatten();
    let root = root(&values);
    in_order.filter_map(|code| rows.remove(&code)).map(|row| row.into_iter().chain([root.clone()]).collect()).collect()
}

fn bundled(bundles: Vec<Vec<usize>>, people: &[u64], least: u64) -> Vec<Vec<usize>> {
    let size = |bundle: &Vec<usize>| bundle.iter().map(|&code| people[code]).sum::<u64>();
    let (mut rare, mut kept): (Vec<_>, Vec<_>) = bundles.into_iter().partition(|bundle| size(bundle) < least);
    rare.sort_by(|a, b| size(a).cmp(&size(b)).then_with(|| a.cmp(b)));
    let mut made: Vec<Vec<usize>> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for bundle in rare {
        open.extend(bundle);
        if size(&open) >= least {
            made.push(std::mem::take(&mut open));
        }
    }
    match made.last_mut() {
        Some(last) => last.extend(open),
        None if !open.is_empty() => made.push(open),
        None => {}
    }
    kept.extend(made);
    kept.iter_mut().for_each(|bundle| bundle.sort_unstable());
    kept.sort();
    kept
}

/// `{a, b, c}`, or the three that most people have and how many others there are. Of two bundles with a value in common one holds the other,
/// so that no two have one label.
fn label(bundle: &[usize], column: &Column, people: &[u64], values: &BTreeSet<String>) -> String {
    const NAMED: usize = 3;
    let spelled = |code: usize| {
        let text = column.domain.value(code as u32).to_string();
        let is_plain = text.trim() == text && !text.is_empty() && !text.contains([',', '{', '}', '"']);
        if is_plain { text } else { Value::Text(text.into()).to_json() }
    };
    if let [only] = bundle {
        return column.domain.value(*only as u32).to_string();
    }
    let mut order = bundle.to_vec();
    order.sort_by_key(|&code| (std::cmp::Reverse(people[code]), code));
    let names: Vec<String> = order.iter().take(NAMED).map(|&code| spelled(code)).collect();
    let others = bundle.len().saturating_sub(NAMED);
    let rest = match others {
        0 => String::new(),
        1 => " and 1 other".to_owned(),
        _ => format!(" and {others} others"),
    };
    let mut label = format!("{{{}{rest}}}", names.join(", "));
    // A table may have such a text as a value.
    while values.contains(&label) {
        label.push('\'');
    }
    label
}

/// What stands beside each value in other columns, each coarser than the one before.
///
/// Refused where two rows with one value differ there: the other column does not tell what the value belongs to.
pub fn by_columns(column: &Column, coarser: &[&Column], attribute: &str) -> Result<Vec<Vec<String>>> {
    let mut rows: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut below: &Column = column;
    for &above in coarser {
        let mut parents: BTreeMap<u32, u32> = BTreeMap::new();
        for (&value, &parent) in below.codes.iter().zip(&above.codes) {
            let known = *parents.entry(value).or_insert(parent);
            if known != parent && !below.domain.value(value).is_missing() {
                let [value, first, second] =
                    [below.domain.value(value), above.domain.value(known), above.domain.value(parent)];
                return Err(Error::input(format!(
                    "{:?} is no hierarchy of {attribute:?}: {} stands beside both {} and {} there",
                    above.name,
                    value.to_json(),
                    first.to_json(),
                    second.to_json()
                ))
                .coded(Code::HierarchyWrong)
                .help(
                    "name a column in which each value has one coarser value, or state a hierarchy of another form",
                ));
            }
        }
        if rows.is_empty() {
            rows = parents.iter().map(|(&value, &parent)| (value, vec![parent])).collect();
        } else {
            for row in rows.values_mut() {
                let parent = row.last().and_then(|last| parents.get(last)).copied().unwrap_or_default();
                row.push(parent);
            }
        }
        below = above;
    }
    let values: BTreeSet<String> = column.domain.values().iter().map(ToString::to_string).collect();
    let mut taken: BTreeSet<String> = values.clone();
    let root = root(&values);
    taken.insert(root.clone());
    let mut spelled: Vec<BTreeMap<u32, String>> = Vec::new();
    for above in coarser {
        // A label that is a value, too, or one of another column, says where it comes from.
        let label = |code: u32| {
            let text = above.domain.value(code).to_string();
            let clear = !text.is_empty() && !taken.contains(&text);
            if clear { text } else { format!("{} = {text}", above.name) }
        };
        let labels: BTreeMap<u32, String> = (0..above.domain.len() as u32).map(|code| (code, label(code))).collect();
        taken.extend(labels.values().cloned());
        spelled.push(labels);
    }
    let mut listed: Vec<(Vec<u32>, Vec<String>)> = Vec::new();
    for (value, parents) in rows.into_iter().filter(|(value, _)| !column.domain.value(*value).is_missing()) {
        let above = parents.iter().zip(&spelled).filter_map(|(parent, labels)| labels.get(parent).cloned());
        let row = [column.domain.value(value).to_string()].into_iter().chain(above).chain([root.clone()]).collect();
        listed.push((parents.into_iter().rev().collect(), row));
    }
    listed.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(listed.into_iter().map(|(_, row)| row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::domain::Domain;
    use crate::data::value::Type;
    use crate::hierarchy::{HierarchySpec, Scale};
    use proptest::prelude::*;
    use std::sync::Arc;

    fn column(name: &str, values: &[String]) -> Column {
        let (domain, codes) =
            Domain::from_unsorted(Type::Text, values.iter().map(|v| Value::Text(v.as_str().into())).collect());
        Column { name: name.to_owned(), domain: Arc::new(domain), codes }
    }

    fn texts(values: &str) -> Vec<String> {
        values.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn rare_values_are_taken_together_from_the_rarest_on() {
        let jobs = column("job", &texts("a a a a a b b b c c d e"));
        let starred = column("sign", &texts("* a a"));
        assert_eq!(by_frequency(&starred, None, &[3]), [["*", "{a, *}", "{*}"], ["a", "{a, *}", "{*}"]]);
        let rows = by_frequency(&jobs, None, &[2, 5]);
        let joined: Vec<String> = rows.iter().map(|row| row.join(" ")).collect();
        assert_eq!(
            joined,
            [
                "a a a *",
                "b b {b, c, d and 1 other} *",
                "c c {b, c, d and 1 other} *",
                "d {d, e} {b, c, d and 1 other} *",
                "e {d, e} {b, c, d and 1 other} *"
            ]
        );
    }

    #[test]
    fn another_column_is_a_hierarchy_if_it_tells_of_each_value() {
        let town = column("town", &texts("Bonn Lyon Bonn Nice Trier"));
        let country = column("country", &texts("DE FR DE FR DE"));
        let side = column("side", &texts("north south north south north"));
        let rows = by_columns(&town, &[&country, &side], "town").unwrap();
        let joined: Vec<String> = rows.iter().map(|row| row.join(" ")).collect();
        assert_eq!(joined, ["Bonn DE north *", "Trier DE north *", "Lyon FR south *", "Nice FR south *"]);
        let error = by_columns(&country, &[&town], "country").unwrap_err();
        assert!(error.message().contains("\"FR\" stands beside both \"Lyon\" and \"Nice\""), "{error}");
        let same = column("code", &texts("Bonn DE Bonn DE Bonn"));
        let rows = by_columns(&town, &[&same], "town").unwrap();
        assert_eq!(rows[0], ["Bonn", "code = Bonn", "*"]);
    }

    proptest! {
        /// By the definition: every label of a level has people enough, or it is the only one that was not; and the whole is a tree.
        #[test]
        fn every_label_has_people_enough(values in proptest::collection::vec(0_u8..20, 1..80), first in 1_u64..10) {
            let values: Vec<String> = values.iter().map(|v| format!("v{v}")).collect();
            let column = column("x", &values);
            let levels = [first, first * 3];
            let rows = by_frequency(&column, None, &levels);
            prop_assert_eq!(rows.len(), column.domain.len());
            Scale::new(&HierarchySpec::Listed(rows.clone()), column.domain.clone(), "x").unwrap();
            for (level, least) in levels.iter().enumerate() {
                let mut people: BTreeMap<&str, u64> = BTreeMap::new();
                for row in &rows {
                    *people.entry(&row[level + 1]).or_default() += values.iter().filter(|v| **v == row[0]).count() as u64;
                }
                let short = people.values().filter(|people| *people < least).count();
                prop_assert!(short == 0 || short == 1, "{people:?}");
            }
        }
    }
}
