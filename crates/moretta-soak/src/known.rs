//! Failures that are known and wait for a repair. They are counted and shown, and do not fail a run. A line goes when its cause does.

use crate::case::Case;
use crate::cell::CellType;
use crate::trial::Failure;

/// A failure that is known.
struct Known {
    /// What is wrong, for people.
    what: &'static str,
    /// Whether a failure of a case is this one.
    is: fn(&Case, &Failure) -> bool,
}

const KNOWN: &[Known] = &[
    Known {
        what: "an audit stops where an unordered quasi-identifier has no hierarchy",
        is: |_, failure| failure.sort == "audit stops" && failure.text.contains("rules speak of generalized values"),
    },
    Known {
        what: "an audit panics on one-hot condensation, or on categories that suppression emptied",
        is: |_, failure| failure.sort == "audit panics" && failure.text.contains("index out of bounds"),
    },
    Known {
        what: "an audit takes bounds.m for numbers of rows",
        is: |_, failure| failure.sort == "audit alarms" && failure.text.contains("bounds"),
    },
    Known {
        what: "strict comparisons at the ends of uniform densities",
        is: |case, failure| failure.sort == "bound left" && case.method.name == "uncertain",
    },
    Known {
        what: "intervals of fractional width exclude their own values",
        is: |case, failure| {
            let decimal =
                case.columns.iter().any(|column| column.kind == CellType::Hundredths && column.role == "quasi");
            decimal && matches!(failure.sort, "bound left" | "somebody misplaced")
        },
    },
    Known {
        what: "planner and check disagree about domains under suppression",
        is: |case, failure| failure.sort == "nothing published" && case.method.get("suppression").is_some(),
    },
    Known {
        what: "(α, k) with values under anatomy",
        is: |case, failure| failure.sort == "nothing published" && case.method.name == "anatomy",
    },
    Known {
        what: "GROUP BY leaves out keys that hide under a label",
        is: |_, failure| failure.sort == "key not listed",
    },
    Known {
        what: "a p-private release whose target is derived passes the check without the original",
        is: |_, failure| failure.sort == "spoiled file passes" && failure.text.contains("p-private"),
    },
    Known {
        what: "refusals ignore allowed suppression",
        is: |case, failure| failure.sort == "false refusal" && case.method.get("suppression").is_some(),
    },
];

/// What a failure is known as.
pub(crate) fn known(case: &Case, failure: &Failure) -> Option<&'static str> {
    KNOWN.iter().find(|known| (known.is)(case, failure)).map(|known| known.what)
}
