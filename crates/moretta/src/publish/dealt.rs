//! What the numbers of groups must not tell: where a group lies in the table, and who of another cell stands in it.

use std::collections::BTreeMap;

use crate::testkit::published::publish;

/// The group of each row of a released table, by a column.
fn group_by(table: &[Vec<String>], header: &[String], column: &str) -> Vec<(String, u32)> {
    let at = |name: &str| header.iter().position(|other| other == name).unwrap();
    let (column, group) = (at(column), at(if header.iter().any(|name| name == "bucket") { "bucket" } else { "group" }));
    table.iter().map(|row| (row[column].clone(), row[group].parse().unwrap())).collect()
}

/// The share of pairs that stand in the same order by both numbers.
fn concordance(pairs: &[(u32, u32)]) -> f64 {
    let (mut same, mut all) = (0_u32, 0_u32);
    for (place, a) in pairs.iter().enumerate() {
        for b in &pairs[place + 1..] {
            let (first, second) = (a.0.cmp(&b.0), a.1.cmp(&b.1));
            if first.is_ne() && second.is_ne() {
                all += 1;
                same += u32::from(first == second);
            }
        }
    }
    f64::from(same) / f64::from(all)
}

/// Buckets of neighbours, the groups of a column, slices: by age they would be numbered in order if chance did not number them.
const WAYS: [(&str, &str, &str); 4] = [
    ("name = \"mondrian\"\nrecoding = \"bucketize\"", "model = \"bucket-size\"\nk = 2", "qit"),
    ("name = \"distribution\"\ngroups = [\"age\"]", "model = \"p-private\"\ntarget = \"group\"", "qit"),
    ("name = \"slicing\"\ncolumns = 2\nsensitive_column = 1", "model = \"bucket-size\"\nk = 2", "sliced"),
    ("name = \"anatomy\"", "model = \"distinct-l-diversity\"\nl = 2", "qit"),
];

#[test]
fn numbers_of_groups_tell_nothing_of_where_they_lie() {
    let csv: String = (0..96).map(|row| format!("{},d{}\n", 10 + row / 3, row % 7)).collect();
    for (method, promise, table) in WAYS {
        let mut shares = 0.0;
        for seed in 0..6 {
            let policy = format!(
                "[attributes]\nage = {{ role = \"quasi\", type = \"integer\" }}\ndisease = {{ role = \"sensitive\" }}\n\
                 [[require]]\n{promise}\n[method]\n{method}\n"
            );
            let published = publish(&format!("age,disease\n{csv}"), &policy, seed).unwrap();
            let header = published.header(table);
            let found = group_by(&published.rows(table), &header, "age");
            let pairs: Vec<(u32, u32)> = found.iter().map(|(age, group)| (age.parse().unwrap(), *group)).collect();
            shares += concordance(&pairs) / 6.0;
        }
        assert!((0.3..0.7).contains(&shares), "{method}: {shares}");
    }
}

#[test]
fn who_of_one_cell_stands_where_tells_nothing_of_another() {
    // The same forty tickets among the young with a disease and among the old with it; everybody else fills their groups.
    let same = (0..80).map(|row| format!("{},d0,t{}\n", row % 2, row / 2));
    let others = (0..80).map(|row| format!("{},d1,u{row}\n", row % 2));
    let csv: String = same.chain(others).collect();
    let policy = "[attributes]\nage = { role = \"quasi\" }\ndisease = { role = \"sensitive\" }\nticket = { role = \"insensitive\" }\n\
                  [[require]]\nmodel = \"probabilistic-l-diversity\"\nl = 2\n[method]\nname = \"anatomy\"\n";
    let published = publish(&format!("age,disease,ticket\n{csv}"), policy, 1).unwrap();
    let header = published.header("qit");
    let age = header.iter().position(|name| name == "age").unwrap();
    let mut groups: BTreeMap<String, Vec<(String, u32)>> = BTreeMap::new();
    for (row, (ticket, group)) in published.rows("qit").iter().zip(group_by(&published.rows("qit"), &header, "ticket"))
    {
        if ticket.starts_with('t') {
            groups.entry(ticket).or_default().push((row[age].clone(), group));
        }
    }
    let pairs: Vec<(u32, u32)> = groups
        .values_mut()
        .map(|both| {
            both.sort();
            (both[0].1, both[1].1)
        })
        .collect();
    assert_eq!(pairs.len(), 40);
    let share = concordance(&pairs);
    assert!((0.3..0.7).contains(&share), "{share} of the pairs stand in the same order in both cells");
}
