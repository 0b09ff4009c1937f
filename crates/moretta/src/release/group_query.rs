//! The query in plain SQL that estimates and bounds how many people satisfy several conditions, where only their numbers within groups are known.

use std::fmt::Write as _;

/// What a query finds of one condition in a group, as expressions of SQL.
pub(crate) struct KnownInGroup {
    /// The share of the group's people who are expected to satisfy it.
    pub(crate) share: String,
    /// The fewest people of the group who do, and the most.
    pub(crate) least: String,
    pub(crate) most: String,
}

/// The query, as lines of a comment. `people` is the number of people of a group, `groups` what stands after FROM.
///
/// Inside a group conditions are taken to be independent of each other. At least so many people satisfy them all as do not fit beside each other, and at most
/// as many as satisfy the rarest; whoever was left out may satisfy them, too.
pub(crate) fn group_query(people: &str, conditions: &[KnownInGroup], groups: &str, suppressed: u64) -> String {
    let numbers = 1..=conditions.len();
    let list = |of: &dyn Fn(usize) -> String, between: &str| numbers.clone().map(of).collect::<Vec<_>>().join(between);
    let all_least = list(&|i| format!("g.l{i}"), " + ");
    let others = match conditions.len().saturating_sub(1) {
        1 => "g.people".to_owned(),
        others => format!("{others} * g.people"),
    };
    let rarest = match conditions.len() {
        1 => "g.m1".to_owned(),
        count => {
            let one = |i: usize| {
                let later: Vec<String> = (i + 1..=count).map(|j| format!("g.m{i} <= g.m{j}")).collect();
                format!("WHEN {} THEN g.m{i}", later.join(" AND "))
            };
            let whens: Vec<String> = (1..count).map(one).collect();
            format!("CASE {} ELSE g.m{count} END", whens.join(" "))
        }
    };
    let left_out = if suppressed > 0 { format!(" + {suppressed}") } else { String::new() };
    let mut text = format!(
        "SELECT SUM(g.people * {shares}) AS estimate,
       SUM(CASE WHEN {all_least} > {others} THEN {all_least} - {others} ELSE 0 END) AS lower,
       SUM({rarest}){left_out} AS upper
FROM (SELECT {people} AS people",
        shares = list(&|i| format!("g.e{i}"), " * "),
    );
    for (condition, number) in conditions.iter().zip(1..) {
        let KnownInGroup { share, least, most } = condition;
        let _ = write!(text, ",\n             {share} AS e{number}, {least} AS l{number}, {most} AS m{number}");
    }
    let _ = write!(text, "\n      FROM {groups}) AS g;");
    text.lines().map(|line| format!("--   {line}\n")).collect()
}
