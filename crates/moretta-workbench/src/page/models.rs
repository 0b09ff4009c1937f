//! The models as a steward chooses them: by what they protect, each with its parameters and what these would mean for the table.

use moretta::text::{counted, percent, rounded};

use crate::workspace::{ColumnPicture, Picture};

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
    /// The only methods that keep it, where most do not.
    pub(super) kept_by: &'static str,
}

/// A parameter: its name, what it is, and what a form offers first.
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) first: &'static str,
    pub(super) asks: Asks,
}

/// What a form asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asks {
    Number,
    /// A number; the model has one of its own where none is stated.
    NumberOrNothing,
    Choice(&'static [&'static str]),
    Flag,
}

const fn number(name: &'static str, about: &'static str, first: &'static str) -> Parameter {
    Parameter { name, about, first, asks: Asks::Number }
}

const fn model(name: &'static str, parameters: &'static [Parameter]) -> Model {
    Model { name, parameters, kept_by: "" }
}

const K: Parameter = number("k", "the fewest people who look alike", "5");
const T: Parameter = number("t", "how far a group may differ from the table, 0 to 1", "0.2");
const P: Parameter = number("p", "different values in each group", "2");
const DISTANCE: Parameter = Parameter {
    name: "distance",
    about: "how far values are apart",
    first: "equal",
    asks: Asks::Choice(&["equal", "hierarchical", "ordered", "variational", "js", "kl"]),
};

/// The models, by what they protect from.
pub(super) const FAMILIES: [Family; 5] = [
    Family {
        title: "Nobody is recognized",
        about: "Somebody who knows a person's age, place and the like can't tell which row is the person's.",
        models: &[
            model("k-anonymity", &[K]),
            Model {
                name: "uncertain-k-anonymity",
                parameters: &[number("k", "records that are expected to fit as well", "5")],
                kept_by: "uncertain",
            },
        ],
    },
    Family {
        title: "Nobody's secret is clear",
        about: "Even who knows the group of a person can't be sure of what must not be learned.",
        models: &[
            model("distinct-l-diversity", &[number("l", "different values in each group", "3")]),
            model("probabilistic-l-diversity", &[number("l", "no value has a share above 1/l", "2")]),
            model("entropy-l-diversity", &[number("l", "as mixed as l equally frequent values", "2")]),
            model(
                "recursive-l-diversity",
                &[
                    number("c", "bound on the most frequent value", "4"),
                    number("l", "from which value on the others are summed", "3"),
                ],
            ),
            model("alpha-k-anonymity", &[number("alpha", "largest share of a value, 0 to 1", "0.5"), K]),
            model("p-sensitive", &[P, K]),
            model("p-plus-sensitive", &[number("p", "different categories in each group", "2"), K]),
            model(
                "p-alpha-sensitive",
                &[P, number("alpha", "the least weight of the values of a group together", "1"), K],
            ),
            Model {
                name: "l-diverse-slicing",
                parameters: &[number("l", "no value is believed with more than 1/l", "2")],
                kept_by: "slicing",
            },
        ],
    },
    Family {
        title: "Also against those who know more",
        about: "The adversary knows beforehand what some people can't have, or what people like them have.",
        models: &[
            model(
                "matching-l-diversity",
                &[
                    number("l", "the fewest values that are possible for anybody", "2"),
                    number("min_expectation", "how strong a rule must be to be known, 0 to 1", "0.9"),
                    Parameter {
                        name: "max_items",
                        about: "the most conditions of a rule",
                        first: "",
                        asks: Asks::NumberOrNothing,
                    },
                    Parameter {
                        name: "fuzzy",
                        about: "people near a numeric condition count in part",
                        first: "",
                        asks: Asks::Flag,
                    },
                ],
            ),
            model(
                "b-t-privacy",
                &[
                    number("bandwidth", "how near people must be to tell about each other", "0.3"),
                    number("t", "the most that anybody's belief may change", "0.25"),
                ],
            ),
        ],
    },
    Family {
        title: "The release tells little beyond the table",
        about: "What anybody believes about a person moves only a little when the release is seen.",
        models: &[
            model("t-closeness", &[T, DISTANCE]),
            model(
                "n-t-closeness",
                &[number("n", "people of a population that may be learned about", "100"), T, DISTANCE],
            ),
            model("delta-disclosure", &[number("delta", "largest logarithm of a ratio of shares", "1.5")]),
            Model {
                name: "p-private",
                parameters: &[
                    Parameter {
                        name: "target",
                        about: "what may be believed of everybody: as in",
                        first: "table",
                        asks: Asks::Choice(&["table", "group", "uniform"]),
                    },
                    Parameter {
                        name: "max_denominator",
                        about: "largest sum of the ratios that stand for it",
                        first: "",
                        asks: Asks::NumberOrNothing,
                    },
                ],
                kept_by: "distribution",
            },
        ],
    },
    Family {
        title: "For releases whose values stay exact",
        about: "Alone they keep nobody from being recognized: they bound what else such a release tells.",
        models: &[
            Model {
                name: "bucket-size",
                parameters: &[number("k", "the fewest people of a bucket", "5")],
                kept_by: "anatomy and others that make buckets",
            },
            Model {
                name: "alpha-beta-privacy",
                parameters: &[
                    number("alpha", "the largest belief that somebody is in the table at all", "0.5"),
                    number("beta", "the largest belief in a value of one who is", "0.5"),
                    Parameter {
                        name: "presence",
                        about: "judged from",
                        first: "combined",
                        asks: Asks::Choice(&["combined", "group"]),
                    },
                ],
                kept_by: "ambiguity",
            },
            Model {
                name: "condensed-k",
                parameters: &[number("k", "the fewest people of a group", "5")],
                kept_by: "condensation",
            },
        ],
    },
];

/// A model that a form offers.
pub(super) fn offered(name: &str) -> Option<&'static Model> {
    FAMILIES.iter().flat_map(|family| family.models).find(|model| model.name == name)
}

/// What a promise would mean for this table, in words; nothing where there is nothing simple to say.
pub(super) fn meaning(
    model: &str,
    parameters: &serde_json::Map<String, serde_json::Value>,
    picture: &Picture,
) -> Option<String> {
    let people = picture.people;
    let stated = |name: &str| parameters.get(name).and_then(serde_json::Value::as_f64);
    let sensitive = || picture.columns.iter().filter(|column| column.role == "sensitive");
    let most = |column: &ColumnPicture| column.most_frequent.as_ref().map_or(0, |bin| bin.people);
    match model {
        "k-anonymity" | "bucket-size" => {
            let k = stated("k").filter(|k| *k >= 1.0)?;
            #[expect(clippy::cast_sign_loss, reason = "both are positive")]
            let groups = (people as f64 / k) as u64;
            let groups = counted(groups, "group", "groups");
            let people = counted(people, "person", "people");
            Some(match model {
                "k-anonymity" => {
                    format!(
                        "Here: at most {groups} of {people}, and a guess is right with a chance of at most {}.",
                        percent(1.0 / k)
                    )
                }
                _ => format!("Here: at most {groups} of {people}."),
            })
        }
        "distinct-l-diversity" | "p-sensitive" | "p-alpha-sensitive" => {
            let fewest = sensitive().min_by_key(|column| column.distinct)?;
            let values = counted(fewest.distinct, "value", "values");
            Some(format!("Here: {} has {values}, so no group can have more.", fewest.name))
        }
        "entropy-l-diversity" => {
            let fewest = sensitive().min_by(|a, b| a.mixed_as.total_cmp(&b.mixed_as))?;
            let mixed = rounded(fewest.mixed_as, 2);
            Some(format!(
                "Here: {} of everybody is as mixed as {mixed} values; not every group can be more.",
                fewest.name
            ))
        }
        "probabilistic-l-diversity" | "alpha-k-anonymity" | "l-diverse-slicing" | "alpha-beta-privacy" => {
            let column = sensitive().max_by_key(|column| most(column))?;
            let bin = column.most_frequent.as_ref()?;
            let share = bin.people as f64 / people.max(1) as f64;
            let limit = match model {
                "probabilistic-l-diversity" | "l-diverse-slicing" => {
                    format!("l can't be above {}", rounded(1.0 / share, 2))
                }
                "alpha-k-anonymity" => "alpha can't be less".to_owned(),
                _ => "beta can't be less".to_owned(),
            };
            Some(format!("Here: {} have {} {}, so {limit}.", percent(share), column.name, bin.label))
        }
        "t-closeness" | "n-t-closeness" => Some(
            "Here: 0 means that every group looks like the table, 1 that anything goes; 0.1 to 0.3 is common."
                .to_owned(),
        ),
        "delta-disclosure" => {
            let ratio = stated("delta")?.exp();
            Some(format!(
                "Here: no value may be more than {} times as frequent in a group as in the table, or as much rarer.",
                rounded(ratio, 2)
            ))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_that_is_offered_is_one_and_takes_what_is_offered_first() {
        for model in FAMILIES.iter().flat_map(|family| family.models) {
            let asked = model.parameters.iter().filter(|parameter| !parameter.first.is_empty());
            let promise = asked.fold(moretta::Promise::new(model.name), |promise, parameter| {
                match parameter.first.parse::<f64>() {
                    Ok(x) if x.fract() == 0.0 => promise.with(parameter.name, x as i64),
                    Ok(x) => promise.with(parameter.name, x),
                    Err(_) => promise.with(parameter.name, parameter.first),
                }
            });
            promise.checked().unwrap_or_else(|error| panic!("{}: {error}", model.name));
        }
    }

    #[test]
    fn every_model_of_the_library_is_offered_once() {
        let offered: Vec<&str> = FAMILIES.iter().flat_map(|family| family.models).map(|model| model.name).collect();
        for entry in moretta::catalogue().iter().filter(|entry| entry.kind == moretta::EntryKind::Model) {
            assert_eq!(offered.iter().filter(|name| **name == entry.name).count(), 1, "{}", entry.name);
        }
    }
}
