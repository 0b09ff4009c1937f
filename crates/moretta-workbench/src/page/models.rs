//! The models as a steward chooses them: by what they protect, each with its parameters and what these would mean for the table.

use moretta::text::{counted, percent};

use crate::workspace::Picture;

/// What a family of models protects from.
pub(super) struct Family {
    pub(super) title: &'static str,
    pub(super) about: &'static str,
    pub(super) models: &'static [Model],
}

/// A model with the parameters that a form asks for. What is rarer is stated in the policy itself.
pub(super) struct Model {
    pub(super) name: &'static str,
    pub(super) parameters: &'static [Parameter],
}

/// A parameter: its name, what it is, and what a form offers first.
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) first: &'static str,
    pub(super) choices: &'static [&'static str],
}

const fn number(name: &'static str, about: &'static str, first: &'static str) -> Parameter {
    Parameter { name, about, first, choices: &[] }
}

const K: Parameter = number("k", "the fewest people who look alike", "5");
const T: Parameter = number("t", "how far a group may differ from the table, 0 to 1", "0.2");
const DISTANCE: Parameter = Parameter {
    name: "distance",
    about: "how far values are apart",
    first: "equal",
    choices: &["equal", "hierarchical", "ordered", "js"],
};

/// The models, by what they protect from.
pub(super) const FAMILIES: [Family; 4] = [
    Family {
        title: "Nobody is recognized",
        about: "Somebody who knows a person's age, place and the like can't tell which row is the person's.",
        models: &[Model { name: "k-anonymity", parameters: &[K] }],
    },
    Family {
        title: "Nobody's secret is clear",
        about: "Even who knows the group of a person can't be sure of what must not be learned.",
        models: &[
            Model { name: "distinct-l-diversity", parameters: &[number("l", "different values in each group", "3")] },
            Model {
                name: "probabilistic-l-diversity",
                parameters: &[number("l", "no value has a share above 1/l", "2")],
            },
            Model {
                name: "entropy-l-diversity",
                parameters: &[number("l", "as mixed as l equally frequent values", "2")],
            },
            Model {
                name: "recursive-l-diversity",
                parameters: &[
                    number("c", "bound on the most frequent value", "4"),
                    number("l", "from which value on the others are summed", "3"),
                ],
            },
            Model {
                name: "alpha-k-anonymity",
                parameters: &[number("alpha", "largest share of a value, 0 to 1", "0.5"), K],
            },
            Model { name: "p-sensitive", parameters: &[number("p", "different values in each group", "2"), K] },
        ],
    },
    Family {
        title: "The release tells little beyond the table",
        about: "What anybody believes about a person moves only a little when the release is seen.",
        models: &[
            Model { name: "t-closeness", parameters: &[T, DISTANCE] },
            Model {
                name: "n-t-closeness",
                parameters: &[number("n", "people of a population that may be learned about", "100"), T, DISTANCE],
            },
            Model {
                name: "delta-disclosure",
                parameters: &[number("delta", "largest logarithm of a ratio of shares", "1.5")],
            },
        ],
    },
    Family {
        title: "How many stand together, and no more",
        about: "For releases whose values stay exact in buckets (anatomy) or are drawn anew (condensation). Alone they keep nobody from being recognized.",
        models: &[
            Model { name: "bucket-size", parameters: &[number("k", "the fewest people of a bucket", "5")] },
            Model { name: "condensed-k", parameters: &[number("k", "the fewest people of a group", "5")] },
        ],
    },
];

/// What a promise would mean for this table, in words; nothing where there is nothing simple to say.
pub(super) fn meaning(
    model: &str,
    parameters: &serde_json::Map<String, serde_json::Value>,
    picture: &Picture,
) -> Option<String> {
    let people = picture.people;
    let sensitive: Vec<_> = picture.columns.iter().filter(|column| column.role == "sensitive").collect();
    match model {
        "k-anonymity" => {
            let k = parameters.get("k").and_then(serde_json::Value::as_f64).filter(|k| *k >= 1.0)?;
            #[expect(clippy::cast_sign_loss, reason = "both are positive")]
            let groups = (people as f64 / k) as u64;
            Some(format!(
                "Here: at most {} of {}, and a guess is right with a chance of at most {}.",
                counted(groups, "group", "groups"),
                counted(people, "person", "people"),
                percent(1.0 / k)
            ))
        }
        "distinct-l-diversity" => {
            let fewest = sensitive.iter().min_by_key(|column| column.distinct)?;
            Some(format!(
                "Here: {} has {}, so l can't be more.",
                fewest.name,
                counted(fewest.distinct, "value", "values")
            ))
        }
        "probabilistic-l-diversity" | "alpha-k-anonymity" => {
            let most = |column: &&&crate::workspace::ColumnPicture| {
                column.bins.iter().map(|bin| bin.people).max().unwrap_or(0)
            };
            let column = sensitive.iter().max_by_key(most)?;
            let most = column.bins.iter().max_by_key(|bin| bin.people)?;
            Some(format!(
                "Here: {} of all have the {} {}; no group can be required to have less than the table.",
                percent(most.people as f64 / people.max(1) as f64),
                column.name,
                most.label
            ))
        }
        "t-closeness" | "n-t-closeness" => Some(
            "Here: 0 means that every group looks like the table, 1 that anything goes; 0.1 to 0.3 is common."
                .to_owned(),
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_that_is_offered_is_one_and_takes_what_is_offered_first() {
        for model in FAMILIES.iter().flat_map(|family| family.models) {
            let promise = model.parameters.iter().fold(moretta::Promise::new(model.name), |promise, parameter| {
                match parameter.first.parse::<f64>() {
                    Ok(x) if x.fract() == 0.0 => promise.with(parameter.name, x as i64),
                    Ok(x) => promise.with(parameter.name, x),
                    Err(_) => promise.with(parameter.name, parameter.first),
                }
            });
            promise.checked().unwrap_or_else(|error| panic!("{}: {error}", model.name));
        }
    }
}
