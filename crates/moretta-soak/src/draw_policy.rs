//! Random policies over all methods and models of the registries, with random parameters.

use moretta::internals::method::registry::METHODS;
use moretta::internals::model::registry::MODELS;

use crate::case::{Case, Column, Named};
use crate::cell::CellType;
use crate::dice::Dice;
use crate::draw_table::{self, Wish};
use crate::library;

/// A method and a model that go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The method.
    pub method: &'static str,
    /// The model.
    pub model: &'static str,
}

/// What can be drawn, and what of the registries can't.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// The pairs that the library accepts.
    pub pairs: Vec<Pair>,
    /// Names for which no parameters are known here.
    pub unknown: Vec<&'static str>,
}

impl Choices {
    /// Asks the library about every method with every model.
    pub fn of_registries() -> Self {
        let mut dice = Dice::new(0);
        let mut choices = Self::default();
        for model in MODELS {
            if promise(&mut dice, model.name, "s0", &[]).is_none() {
                choices.unknown.push(model.name);
            }
        }
        for method in METHODS {
            if settings(&mut dice, method.name, &[], &[]).is_none() {
                choices.unknown.push(method.name);
                continue;
            }
            for model in MODELS.iter().filter(|model| !choices.unknown.contains(&model.name)) {
                let pair = Pair { method: method.name, model: model.name };
                // Some parameters need an attribute of a certain sort; of a few draws one will do.
                if (0..12).any(|seed| library::accepts(&case(&mut Dice::new(seed), pair))) {
                    choices.pairs.push(pair);
                }
            }
        }
        choices
    }
}

/// Draws a case of a pair.
pub fn case(dice: &mut Dice, pair: Pair) -> Case {
    let distance = *dice.pick(&["ordered", "equal", "hierarchical", "variational", "js", "kl", "kernel-js"]);
    let compares = matches!(pair.model, "t-closeness" | "n-t-closeness" | "b-t-privacy");
    let wish = Wish {
        trees: matches!(pair.method, "full-domain" | "injector") || matches!(pair.model, "matching-l-diversity"),
        numbers: matches!(pair.method, "uncertain" | "condensation"),
        quasi: if pair.method == "ambiguity" { 2 } else { 1 },
        sensitive: match pair.method {
            "uncertain" | "condensation" => (0, 2),
            "distribution" | "injector" | "slicing" | "ambiguity" | "transparent" => (1, 1),
            _ if OF_SIZES.contains(&pair.model) && pair.method != "anatomy" => (0, 2),
            _ => (1, 2),
        },
        sensitive_tree: (compares && distance == "hierarchical") || dice.percent(15),
        sensitive_number: compares && distance == "ordered",
        categories: matches!(pair.model, "p-plus-sensitive" | "p-alpha-sensitive"),
        nothing_open: matches!(pair.method, "ambiguity" | "uncertain" | "condensation"),
        persons: counts_people(pair) && dice.percent(15),
        rows: if matches!(pair.model, "b-t-privacy" | "matching-l-diversity") { 80 } else { 300 },
    };
    let wish = if wish.sensitive_number || wish.categories { Wish { sensitive_tree: false, ..wish } } else { wish };
    let wish = if pair.method == "distribution" {
        Wish { sensitive_number: !wish.sensitive_tree && dice.percent(70), ..wish }
    } else {
        wish
    };
    let (mut columns, rows) = draw_table::table(dice, wish);
    if GENERALIZING.contains(&pair.method) && dice.percent(20) {
        limit_one(dice, &mut columns);
    }
    let quasi: Vec<String> = names(&columns, "quasi");
    let sensitive = names(&columns, "sensitive");
    let attribute = sensitive.first().map_or("s0", String::as_str);
    let values: Vec<String> = values_of(&columns, &rows, attribute);
    let mut promises =
        vec![promise(dice, pair.model, attribute, &values).unwrap_or_else(|| promise_of_size(dice, "k-anonymity"))];
    // These methods keep sizes only beside the promise that they are made for.
    let needed = match (pair.method, pair.model) {
        ("ambiguity", "bucket-size") => promise(dice, "alpha-beta-privacy", attribute, &values),
        ("distribution", "bucket-size") => promise(dice, "p-private", attribute, &values),
        _ => None,
    };
    promises.extend(needed);
    if compares {
        let first = &mut promises[0];
        let kernel = distance == "kernel-js";
        if first.name == "b-t-privacy" {
            first.settings.push(("distance".to_owned(), format!("{distance:?}")));
        } else {
            set(first, "distance", format!("{distance:?}"));
            if kernel {
                set(first, "bandwidth", (*dice.pick(&["0.2", "0.5", "1"])).to_owned());
            }
        }
        if distance == "ordered" && dice.percent(40) {
            set(first, "order", "\"value\"".to_owned());
        }
    }
    let groups_too =
        !matches!(pair.method, "ambiguity" | "injector" | "distribution" | "uncertain" | "condensation" | "slicing");
    let mut settings = settings(dice, pair.method, &quasi, &sensitive).unwrap_or_default();
    if groups_too && !OF_SIZES.contains(&pair.model) && dice.percent(20) {
        let is_exact = pair.method == "anatomy" || settings.iter().any(|(_, value)| value.contains("bucketize"));
        promises.push(promise_of_size(dice, if is_exact { "bucket-size" } else { "k-anonymity" }));
    }
    let suppresses = METHODS.iter().any(|entry| entry.name == pair.method && entry.suppresses);
    if suppresses && dice.percent(35) {
        settings.push(("suppression".to_owned(), (*dice.pick(&["0.05", "0.1", "0.29", "0.5", "0.9"])).to_owned()));
    }
    let numeric_sensitive = columns.iter().any(|column| column.role == "sensitive" && column.kind != CellType::Text);
    let missing = match dice.below(10) {
        _ if pair.method == "distribution" && numeric_sensitive => "drop",
        _ if columns.iter().any(|column| column.role == "person") => "drop",
        0..5 => "keep",
        5..8 => "drop",
        _ => "drop-any",
    };
    Case {
        columns,
        rows,
        missing,
        spelled: if dice.percent(8) { "NA" } else { "" },
        promises,
        method: Named { name: pair.method.to_owned(), settings },
        accept: dice.percent(10).then(|| {
            (
                *dice.pick(&["belief", "re_identification", "membership", "presence"]),
                *dice.pick(&["0", "0.25", "0.9", "1"]),
            )
        }),
        format: if dice.percent(8) { "parquet" } else { "csv" },
        seed: dice.number() >> 1,
    }
}

/// Methods that honour what a policy says of single attributes.
const GENERALIZING: [&str; 5] = ["least-loss", "mondrian", "full-domain", "top-down", "clustering"];

/// Says of a quasi-identifier how far it may be generalized, or how much that matters.
fn limit_one(dice: &mut Dice, columns: &mut [Column]) {
    let quasi: Vec<usize> = (0..columns.len()).filter(|&index| columns[index].role == "quasi").collect();
    let limits = &mut columns[*dice.pick(&quasi)].limits;
    match dice.below(4) {
        0 => limits.push(("importance", *dice.pick(&["0.2", "3", "50"]))),
        1 => limits.push(("max_level", *dice.pick(&["0", "1", "2"]))),
        2 => limits.push(("suppress_cells", "true")),
        _ => limits.extend([("suppress_cells", "true"), ("max_level", *dice.pick(&["0", "1", "2"]))]),
    }
}

/// Whether a method and a model count people where several rows may belong to one.
fn counts_people(pair: Pair) -> bool {
    matches!(pair.method, "least-loss" | "mondrian" | "full-domain")
        && matches!(
            pair.model,
            "k-anonymity"
                | "distinct-l-diversity"
                | "probabilistic-l-diversity"
                | "alpha-k-anonymity"
                | "p-sensitive"
                | "p-plus-sensitive"
        )
}

fn names(columns: &[Column], role: &str) -> Vec<String> {
    columns.iter().filter(|column| column.role == role).map(|column| column.name.clone()).collect()
}

fn values_of(columns: &[Column], rows: &[Vec<crate::cell::Cell>], name: &str) -> Vec<String> {
    let Some(index) = columns.iter().position(|column| column.name == name) else { return Vec::new() };
    let mut values: Vec<String> =
        rows.iter().map(|row| row[index].to_string()).filter(|value| !value.is_empty()).collect();
    values.sort();
    values.dedup();
    values
}

fn set(named: &mut Named, key: &str, value: String) {
    named.settings.retain(|(name, _)| name != key);
    named.settings.push((key.to_owned(), value));
}

/// Promises about the size of groups: k-anonymity where quasi-identifiers are generalized, and its kin elsewhere.
const OF_SIZES: [&str; 3] = ["k-anonymity", "bucket-size", "condensed-k"];

fn promise_of_size(dice: &mut Dice, model: &str) -> Named {
    Named { name: model.to_owned(), settings: vec![("k".to_owned(), dice.between(1, 6).to_string())] }
}

/// A promise with random parameters; nothing for a model that this harness does not know.
fn promise(dice: &mut Dice, model: &str, attribute: &str, values: &[String]) -> Option<Named> {
    let k = dice.between(1, 6).to_string();
    let l = dice.between(1, 4).to_string();
    let fraction = |dice: &mut Dice| (*dice.pick(&["1", "1.5", "2", "2", "2.5", "3", "4"])).to_owned();
    let share = |dice: &mut Dice| (*dice.pick(&["0.2", "0.25", "0.4", "0.5", "0.5", "0.6", "0.75", "1"])).to_owned();
    let near = |dice: &mut Dice| (*dice.pick(&["0", "0.05", "0.1", "0.2", "0.25", "0.3", "0.5", "0.6"])).to_owned();
    let mut pairs: Vec<(&str, String)> = match model {
        _ if OF_SIZES.contains(&model) => vec![("k", k)],
        "distinct-l-diversity" => vec![("l", l)],
        "probabilistic-l-diversity" | "entropy-l-diversity" | "l-diverse-slicing" => vec![("l", fraction(dice))],
        "recursive-l-diversity" => {
            vec![("c", (*dice.pick(&["0.5", "1", "1.5", "2", "3", "4.5"])).to_owned()), ("l", l)]
        }
        "alpha-k-anonymity" => {
            let mut pairs = vec![("alpha", share(dice)), ("k", k)];
            if !values.is_empty() && dice.percent(30) {
                pairs.push(("values", format!("[{:?}]", dice.pick(values))));
            }
            pairs
        }
        "p-sensitive" => vec![("p", l), ("k", k)],
        "p-plus-sensitive" => vec![("p", dice.between(1, 2).to_string()), ("k", k)],
        "p-alpha-sensitive" => vec![("p", l), ("alpha", (*dice.pick(&["0", "0.5", "1", "2"])).to_owned()), ("k", k)],
        "t-closeness" => vec![("t", near(dice)), ("distance", "\"equal\"".to_owned())],
        "n-t-closeness" => {
            vec![("n", dice.between(1, 20).to_string()), ("t", near(dice)), ("distance", "\"equal\"".to_owned())]
        }
        "delta-disclosure" => vec![("delta", (*dice.pick(&["0.1", "0.5", "0.7", "1", "1.5", "2"])).to_owned())],
        "alpha-beta-privacy" => {
            let high = |dice: &mut Dice| (*dice.pick(&["0.25", "0.5", "0.75", "0.9", "1", "1"])).to_owned();
            let mut pairs = vec![("alpha", high(dice)), ("beta", share(dice))];
            if dice.percent(40) {
                pairs.push(("presence", "\"group\"".to_owned()));
            }
            pairs
        }
        "matching-l-diversity" => {
            vec![("l", l), ("min_expectation", (*dice.pick(&["0.5", "0.75", "0.9", "0.95"])).to_owned())]
        }
        "b-t-privacy" => vec![("bandwidth", (*dice.pick(&["0.3", "0.5", "1"])).to_owned()), ("t", near(dice))],
        "p-private" => vec![("target", target(dice))],
        "uncertain-k-anonymity" => vec![("k", (*dice.pick(&["1.5", "2", "3", "4", "6"])).to_owned())],
        _ => return None,
    };
    if model == "p-private" && dice.percent(40) {
        pairs.push(("max_denominator", dice.between(4, 32).to_string()));
    }
    let names_attribute = !OF_SIZES.contains(&model) && model != "uncertain-k-anonymity";
    // (α, k) with values, and targets, are about one attribute.
    let one = model == "alpha-k-anonymity" && pairs.len() > 2;
    if names_attribute && (one || dice.percent(40)) {
        pairs.push(("attribute", format!("{attribute:?}")));
    }
    let settings = pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    Some(Named { name: model.to_owned(), settings })
}

fn target(dice: &mut Dice) -> String {
    let known = [
        "\"uniform\"",
        "\"table\"",
        "\"group\"",
        "{ zipf = 1.2 }",
        "{ model = \"probabilistic-l-diversity\", l = 2 }",
        "{ model = \"entropy-l-diversity\", l = 2 }",
        "{ model = \"t-closeness\", t = 0.2, distance = \"equal\" }",
    ];
    (*dice.pick(&known)).to_owned()
}

/// The settings of a method; nothing for a method that this harness does not know.
fn settings(dice: &mut Dice, method: &str, quasi: &[String], sensitive: &[String]) -> Option<Vec<(String, String)>> {
    let mut found: Vec<(&str, String)> = Vec::new();
    let choose = |dice: &mut Dice, choices: &[&str]| (*dice.pick(choices)).to_owned();
    match method {
        "anatomy" | "ambiguity" | "injector" => {}
        "top-down" if dice.percent(20) => found.push(("plain", "true".to_owned())),
        "least-loss" | "top-down" | "clustering" => {
            if dice.percent(40) {
                found.push(("effort", choose(dice, &["\"quick\"", "20", "200", "1000"])));
            }
        }
        "mondrian" | "transparent" => {
            if dice.percent(35) {
                found.push(("recoding", "\"bucketize\"".to_owned()));
            }
        }
        "full-domain" => {
            if dice.percent(60) {
                found
                    .push(("objective", choose(dice, &["\"loss\"", "\"gcp\"", "\"dm\"", "\"height\"", "\"entropy\""])));
            }
            if dice.percent(40) {
                found.push(("search", choose(dice, &["\"optimal\"", "\"minimal\"", "\"heuristic\""])));
            }
        }
        "slicing" => {
            let most = quasi.len() + sensitive.len();
            found.push(("columns", dice.between(2.min(most as i64), most.max(1) as i64).to_string()));
            if dice.percent(60) {
                found.push(("sensitive_column", dice.between(1, 2.min(most as i64)).to_string()));
            }
            if dice.percent(25) {
                found.push(("column_k", dice.between(2, 4).to_string()));
            }
            if dice.percent(25) {
                found.push(("bucket_size", dice.between(1, 10).to_string()));
            }
        }
        "distribution" => {
            if !quasi.is_empty() && dice.percent(60) {
                found.push(("groups", format!("[{:?}]", dice.pick(quasi))));
            }
            if dice.percent(40) {
                found.push(("grouping", choose(dice, &["\"sa-only\"", "\"qi-sa\""])));
            }
            if dice.percent(40) {
                found.push(("fakes", choose(dice, &["0.05", "0.2", "0.5"])));
            }
            if dice.percent(30) {
                found.push(("arity", dice.between(2, 4).to_string()));
            }
        }
        "uncertain" => {
            found.push(("categorical", choose(dice, &["\"keep\"", "\"drop\"", "\"one-hot\""])));
            if dice.percent(60) {
                found.push(("family", choose(dice, &["\"gaussian\"", "\"uniform\""])));
            }
            if dice.percent(40) {
                found.push(("scaling", choose(dice, &["\"global\"", "\"local\"", "\"rotated\""])));
            }
            if dice.percent(40) {
                found.push(("range", choose(dice, &["\"rounded\"", "\"exact\"", "\"none\""])));
            }
        }
        "condensation" => found.push(("categorical", choose(dice, &["\"drop\"", "\"one-hot\""]))),
        _ => return None,
    }
    Some(found.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}
