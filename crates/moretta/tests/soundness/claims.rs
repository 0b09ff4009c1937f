//! Each claim that a sentence names, written straight from its words and computed from the released files as text.
//!
//! Shares and sums are compared as the definition states them, with room for the rounding of a few operations.

use std::collections::{BTreeMap, BTreeSet};

use crate::beliefs::change_of_belief;
use crate::files::{DISEASES, Person, Released};
use crate::parts::{buckets_by_number, close_to_a_part, groups_by_occurrence};

/// A claim about the files of a release.
type Claim = fn(&Released) -> bool;

/// The claims, by the names that sentences give them.
pub(crate) const CLAIMS: &[(&str, Claim)] = &[
    ("rows_alike", rows_alike),
    ("rows_alike_and_shares", |r| {
        rows_alike(r) && each(&groups(r), |g| largest(g) <= r.number("alpha") * total(g) + ROUNDING)
    }),
    ("rows_alike_and_values", |r| rows_alike(r) && each(&groups(r), |g| g.len() as f64 >= r.number("p"))),
    ("rows_alike_and_categories", |r| rows_alike(r) && each(&groups(r), |g| categories(g) as f64 >= r.number("p"))),
    ("rows_alike_and_weights", |r| {
        rows_alike(r)
            && each(&groups(r), |g| g.len() as f64 >= r.number("p") && weight(g) + ROUNDING >= r.number("alpha"))
    }),
    ("distinct_values_of_groups", |r| each(&groups(r), |g| distinct(r, g))),
    ("distinct_values_of_buckets", |r| each(&buckets(r), |g| distinct(r, g))),
    ("distinct_values_of_candidates", |r| each(&candidates(r), |g| distinct(r, g))),
    ("largest_share_of_groups", |r| each(&groups(r), |g| share(r, g))),
    ("largest_share_of_buckets", |r| each(&buckets(r), |g| share(r, g))),
    ("largest_share_of_candidates", |r| each(&candidates(r), |g| share(r, g))),
    ("entropy_of_groups", |r| each(&groups(r), |g| entropy(r, g))),
    ("entropy_of_buckets", |r| each(&buckets(r), |g| entropy(r, g))),
    ("entropy_of_candidates", |r| each(&candidates(r), |g| entropy(r, g))),
    ("recursive_of_groups", |r| each(&groups(r), |g| recursive(r, g))),
    ("recursive_of_buckets", |r| each(&buckets(r), |g| recursive(r, g))),
    ("closeness_of_groups", |r| close(r, &groups(r))),
    ("closeness_of_buckets", |r| close(r, &buckets(r))),
    ("closeness_of_candidates", |r| close(r, &candidates(r))),
    ("closeness_to_a_part_of_groups", |r| close_to_a_part(r, &groups_by_occurrence(r))),
    ("closeness_to_a_part_of_buckets", |r| close_to_a_part(r, &buckets_by_number(r))),
    ("shares_near_the_whole_of_groups", |r| near(r, &groups(r))),
    ("shares_near_the_whole_of_buckets", |r| near(r, &buckets(r))),
    ("shares_near_the_whole_of_candidates", |r| near(r, &candidates(r))),
    ("presence_and_shares", presence_and_shares),
    ("possible_values_of_groups", possible_values),
    ("possible_values_of_buckets", possible_values),
    ("change_of_belief_in_groups", change_of_belief),
    ("change_of_belief_in_buckets", change_of_belief),
    ("ranges_add_up_to_the_target", ranges_add_up),
    ("people_who_fit_as_well", people_who_fit),
    ("belief_over_matching_buckets", belief_over_buckets),
    ("bucket_sizes_in_qit", |r| {
        sizes(r, "qit", "group") && each(&buckets_if_counted(r), |g| total(g) >= r.number("k"))
    }),
    ("group_sizes_in_st", |r| each(&buckets(r), |g| total(g) >= r.number("k"))),
    ("bucket_sizes_in_slices", |r| sizes(r, "sliced", "bucket")),
    ("group_sizes_of_drawn_records", |r| sizes(r, "data", "group")),
];

/// Room for the rounding of a few operations.
pub(crate) const ROUNDING: f64 = 1e-9;

/// The people who have each disease.
pub(crate) type Histogram = BTreeMap<String, f64>;

fn each(histograms: &[Histogram], holds: impl Fn(&Histogram) -> bool) -> bool {
    histograms.iter().all(holds)
}

pub(crate) fn total(histogram: &Histogram) -> f64 {
    histogram.values().sum()
}

fn largest(histogram: &Histogram) -> f64 {
    histogram.values().copied().fold(0.0, f64::max)
}

/// The sensitive values of rows that publish the same quasi-identifiers.
fn groups(released: &Released) -> Vec<Histogram> {
    let data = released.table("data");
    let disease = data.at("disease");
    let histogram = |rows: Vec<&Vec<String>>| {
        let mut histogram = Histogram::new();
        rows.iter().for_each(|row| *histogram.entry(row[disease].clone()).or_default() += data.people(row) as f64);
        histogram
    };
    data.by(&released.quasi).into_values().map(histogram).collect()
}

/// The sensitive values of buckets, as `st_disease` counts them.
fn buckets(released: &Released) -> Vec<Histogram> {
    let table = released.table("st_disease");
    let (value, count) = (table.at("value"), table.at("count"));
    let histogram = |rows: Vec<&Vec<String>>| -> Histogram {
        rows.iter().map(|row| (row[value].clone(), row[count].parse::<f64>().unwrap())).collect()
    };
    table.by(&["group"]).into_values().map(histogram).collect()
}

fn buckets_if_counted(released: &Released) -> Vec<Histogram> {
    if released.tables.contains_key("st_disease") { buckets(released) } else { Vec::new() }
}

/// The attributes that stand in one column of slices with another, and are quasi-identifiers.
fn beside(released: &Released, attribute: &str) -> Vec<&'static str> {
    let columns = released.manifest["columns"].as_array().unwrap();
    let slice = |name: &str| columns.iter().find(|column| column["name"] == name).unwrap()["slice"].clone();
    released.quasi.iter().copied().filter(|quasi| slice(quasi) == slice(attribute)).collect()
}

/// The sensitive values of those in a bucket who agree in what stands in one column with the disease.
fn candidates(released: &Released) -> Vec<Histogram> {
    let table = released.table("sliced");
    let disease = table.at("disease");
    let mut key = beside(released, "disease");
    key.push("bucket");
    let histogram = |rows: Vec<&Vec<String>>| {
        let mut histogram = Histogram::new();
        rows.iter().for_each(|row| *histogram.entry(row[disease].clone()).or_default() += 1.0);
        histogram
    };
    table.by(&key).into_values().map(histogram).collect()
}

fn sizes(released: &Released, table: &str, column: &str) -> bool {
    let table = released.table(table);
    let people = |rows: &Vec<&Vec<String>>| rows.iter().map(|row| table.people(row)).sum::<u64>();
    table.by(&[column]).values().all(|rows| people(rows) as f64 >= released.number("k"))
}

fn rows_alike(released: &Released) -> bool {
    let data = released.table("data");
    let people = |rows: &Vec<&Vec<String>>| rows.iter().map(|row| data.people(row)).sum::<u64>();
    data.by(&released.quasi).values().all(|rows| people(rows) as f64 >= released.number("k"))
}

fn category(disease: &str) -> usize {
    DISEASES.iter().position(|name| *name == disease).unwrap() / 2
}

fn categories(histogram: &Histogram) -> usize {
    histogram.keys().map(|disease| category(disease)).collect::<BTreeSet<_>>().len()
}

/// Of two categories the first weighs 0, the second 1.
fn weight(histogram: &Histogram) -> f64 {
    histogram.iter().map(|(disease, people)| people * category(disease) as f64).sum()
}

fn distinct(released: &Released, histogram: &Histogram) -> bool {
    histogram.len() as f64 >= released.number("l")
}

fn share(released: &Released, histogram: &Histogram) -> bool {
    largest(histogram) * released.number("l") <= total(histogram) + ROUNDING
}

fn entropy(released: &Released, histogram: &Histogram) -> bool {
    let all = total(histogram);
    let entropy: f64 = histogram.values().map(|people| -people / all * (people / all).ln()).sum();
    entropy + ROUNDING >= released.number("l").ln()
}

fn recursive(released: &Released, histogram: &Histogram) -> bool {
    let mut people: Vec<f64> = histogram.values().copied().collect();
    people.sort_by(|a, b| b.total_cmp(a));
    let from = released.number("l") as usize - 1;
    people[0] < released.number("c") * people.iter().skip(from).sum::<f64>()
}

pub(crate) fn whole(histograms: &[Histogram]) -> Histogram {
    let mut whole = Histogram::new();
    for (disease, people) in histograms.iter().flatten() {
        *whole.entry(disease.clone()).or_default() += people;
    }
    whole
}

/// Half of the sum of the differences of shares: both distances that are asked for here.
pub(crate) fn variation(a: &Histogram, b: &Histogram) -> f64 {
    let share =
        |histogram: &Histogram, disease: &str| histogram.get(disease).copied().unwrap_or(0.0) / total(histogram);
    DISEASES.iter().map(|disease| (share(a, disease) - share(b, disease)).abs()).sum::<f64>() / 2.0
}

fn close(released: &Released, histograms: &[Histogram]) -> bool {
    let whole = whole(histograms);
    histograms.iter().all(|histogram| variation(histogram, &whole) <= released.number("t") + ROUNDING)
}

fn near(released: &Released, histograms: &[Histogram]) -> bool {
    let (whole, factor) = (whole(histograms), released.number("delta").exp());
    histograms.iter().all(|histogram| {
        whole.iter().all(|(disease, people)| {
            let there = people / total(&whole);
            let here = histogram.get(disease).copied().unwrap_or(0.0) / total(histogram);
            here <= there * factor + ROUNDING && here + ROUNDING >= there / factor && here > 0.0
        })
    })
}

fn presence_and_shares(released: &Released) -> bool {
    let (alpha, beta) = (released.number("alpha"), released.number("beta"));
    let st = released.table("st_disease");
    let counts = st.by(&["group"]);
    let presence: BTreeMap<&Vec<String>, f64> = counts
        .iter()
        .map(|(group, rows)| {
            let people: f64 = rows.iter().map(|row| row[st.at("count")].parse::<f64>().unwrap()).sum();
            let lists = released.quasi.iter().map(|quasi| listed(released, quasi, group).len() as f64);
            (group, (people / lists.product::<f64>()).min(1.0))
        })
        .collect();
    let shares = each(&buckets(released), |g| largest(g) <= beta * total(g) + ROUNDING);
    let alone = presence.values().all(|presence| *presence <= alpha + ROUNDING);
    let covers = |group: &Vec<String>, person: &Person| {
        let values = values_of(released, person);
        released.quasi.iter().zip(values).all(|(quasi, value)| listed(released, quasi, group).contains(&value))
    };
    let together = |person: &Person| {
        let absent = presence.iter().filter(|(group, _)| covers(group, person)).map(|(_, presence)| 1.0 - presence);
        1.0 - absent.product::<f64>()
    };
    let combined = released.parameters()["presence"] == "combined";
    shares && alone && (!combined || released.original.iter().all(|person| together(person) <= alpha + ROUNDING))
}

/// The values of an attribute that a group lists.
fn listed(released: &Released, quasi: &str, group: &[String]) -> BTreeSet<String> {
    let table = released.table(&format!("at_{quasi}"));
    let rows = table.by(&["group"]);
    rows.get(group).map_or(BTreeSet::new(), |rows| rows.iter().map(|row| row[table.at("value")].clone()).collect())
}

fn values_of(released: &Released, &(age, height, zip, ..): &Person) -> Vec<String> {
    let value = |quasi: &&str| match *quasi {
        "age" => age.to_string(),
        "height" => height.to_string(),
        _ => zip.to_owned(),
    };
    released.quasi.iter().map(value).collect()
}

/// The people of each group, by the private map: one for each whom a row stands for.
pub(crate) fn members(released: &Released) -> Vec<Vec<Person>> {
    let (row, group) = (released.map.at("row"), released.map.at("group"));
    let mut groups: BTreeMap<&str, Vec<Person>> = BTreeMap::new();
    for line in &released.map.rows {
        let person = released.original[line[row].parse::<usize>().unwrap() - 1];
        groups.entry(&line[group]).or_default().push(person);
    }
    groups.into_values().collect()
}

pub(crate) fn is_weighted(released: &Released) -> bool {
    released.original.iter().any(|person| person.4 > 1)
}

/// For everybody, the values that some way of giving the group's values to its people gives to her, against no rule.
fn possible_values(released: &Released) -> bool {
    // The map does not tell how many people of a weighted row stand in which of its groups.
    if is_weighted(released) {
        return true;
    }
    let (l, least) = (released.number("l"), released.number("min_expectation"));
    members(released).iter().all(|people| {
        let mut values: Vec<&str> = people.iter().map(|person| person.3).collect();
        values.sort_unstable();
        let barred: Vec<Vec<&str>> = people.iter().map(|person| excluded(&released.original, *person, least)).collect();
        (0..people.len()).all(|person| {
            let own = DISEASES.iter().filter(|disease| {
                let place = values.iter().position(|value| value == *disease);
                place.is_some_and(|place| {
                    !barred[person].contains(disease) && rest_fits(person, place, &values, &barred)
                })
            });
            own.count() as f64 >= l
        })
    })
}

/// Whether all others can have the other values: augmenting paths, one person at a time.
fn rest_fits(person: usize, place: usize, values: &[&str], barred: &[Vec<&str>]) -> bool {
    fn seat(of: usize, free: &mut [bool], owner: &mut [Option<usize>], values: &[&str], barred: &[Vec<&str>]) -> bool {
        for value in 0..values.len() {
            if free[value] && !barred[of].contains(&values[value]) {
                free[value] = false;
                if owner[value].is_none_or(|other| seat(other, free, owner, values, barred)) {
                    owner[value] = Some(of);
                    return true;
                }
            }
        }
        false
    }
    let mut owner = vec![None; values.len()];
    (0..values.len()).filter(|&other| other != person).all(|other| {
        let mut free = vec![true; values.len()];
        free[place] = false;
        seat(other, &mut free, &mut owner, values, barred)
    })
}

/// The diseases that nobody has who shares the age, an interval of it, or the zip code or its beginning, although somebody would be expected to.
fn excluded(people: &[Person], own: Person, least: f64) -> Vec<&'static str> {
    let conditions: [&dyn Fn(&Person) -> bool; 6] = [
        &|other| other.0 == own.0,
        &|other| other.0.div_euclid(2) == own.0.div_euclid(2),
        &|other| other.0.div_euclid(4) == own.0.div_euclid(4),
        &|other| other.0.div_euclid(8) == own.0.div_euclid(8),
        &|other| other.2 == own.2,
        &|other| other.2[..1] == own.2[..1],
    ];
    let barred = |disease: &&&str| {
        let share = people.iter().filter(|person| person.3 == **disease).count() as f64 / people.len() as f64;
        conditions.iter().any(|condition| {
            let who: Vec<&Person> = people.iter().filter(|person| condition(person)).collect();
            let expectation = 1.0 - (1.0 - share).powi(who.len() as i32);
            share > 0.0 && expectation >= least - ROUNDING && who.iter().all(|person| person.3 != **disease)
        })
    };
    DISEASES.iter().filter(barred).copied().collect()
}

/// Every range as the target inside of it: their mean is the target.
fn ranges_add_up(released: &Released) -> bool {
    let (targets, sensitive) = (released.table("targets"), released.table("sensitive"));
    let (numerator, denominator) = (targets.at("numerator"), targets.at("denominator"));
    let by_group = sensitive.by(&["group"]);
    targets.by(&["group"]).into_iter().all(|(group, rows)| {
        let share =
            |row: &Vec<String>| row[numerator].parse::<f64>().unwrap() / row[denominator].parse::<f64>().unwrap();
        let target: BTreeMap<String, f64> =
            rows.iter().map(|row| (row[targets.at("value")].clone(), share(row))).collect();
        let mut sum: BTreeMap<String, f64> = BTreeMap::new();
        let mut n = 0.0;
        for row in &by_group[&group] {
            let count: f64 = row[sensitive.at("count")].parse().unwrap();
            let inside: Vec<&String> =
                target.keys().filter(|value| holds(released, &row[sensitive.at("value")], value)).collect();
            let mass: f64 = inside.iter().map(|value| target[*value]).sum();
            inside.iter().for_each(|value| *sum.entry((*value).clone()).or_default() += count * target[*value] / mass);
            n += count;
        }
        target.iter().all(|(value, share)| (sum.get(value).copied().unwrap_or(0.0) / n - share).abs() < ROUNDING)
    })
}

/// Whether a published subdomain holds a value: a label of its own, a set, or everything.
fn holds(released: &Released, label: &str, value: &str) -> bool {
    let columns = released.manifest["columns"].as_array().unwrap();
    let disease = columns.iter().find(|column| column["name"] == "disease").unwrap();
    let members = label.trim_start_matches('{').trim_end_matches('}');
    let node = disease.to_string().contains(&format!("\"{label}\"")) && label != value;
    label == value
        || label == "*"
        || (label.starts_with('{') && members.split(", ").any(|member| member == value))
        || (node && below(disease, label, value))
}

/// Whether a node of the manifest's hierarchy has a value among its leaves.
fn below(described: &serde_json::Value, label: &str, value: &str) -> bool {
    match described {
        serde_json::Value::Object(entries) => {
            let own = entries.get(label).or_else(|| (entries.get("label")? == label).then_some(described));
            own.is_some_and(|leaves| leaves.to_string().contains(&format!("\"{value}\"")))
                || entries.values().any(|inner| below(inner, label, value))
        }
        serde_json::Value::Array(items) => items.iter().any(|inner| below(inner, label, value)),
        _ => false,
    }
}

/// Σ over people of the chance that a draw around the owner fits them at least as well, among those who publish the same scales.
fn people_who_fit(released: &Released) -> bool {
    let table = released.table("uncertain");
    if is_weighted(released) {
        return true;
    }
    let (row, record) = (released.map.at("row"), released.map.at("record"));
    let scales = |line: &Vec<String>| -> Vec<f64> {
        released.quasi.iter().map(|quasi| line[table.at(&format!("s_{quasi}"))].parse().unwrap()).collect()
    };
    let known: Vec<(Vec<f64>, Vec<f64>)> = released
        .map
        .rows
        .iter()
        .map(|line| {
            let person = released.original[line[row].parse::<usize>().unwrap() - 1];
            let place = values_of(released, &person).iter().map(|value| value.parse().unwrap()).collect();
            (place, scales(&table.rows[line[record].parse::<usize>().unwrap() - 1]))
        })
        .collect();
    known.iter().all(|(own, scales)| {
        let chance = |other: &Vec<f64>| {
            let squares = own.iter().zip(other).zip(scales).map(|((a, b), scale)| ((a - b) / scale).powi(2));
            let distance = squares.sum::<f64>().sqrt();
            if distance == 0.0 { 1.0 } else { upper_tail(distance / 2.0) }
        };
        let fitting: f64 = known.iter().filter(|(_, theirs)| theirs == scales).map(|(place, _)| chance(place)).sum();
        fitting >= released.number("k") - 0.001
    })
}

/// The chance that a normal variable exceeds x, by Simpson's rule.
fn upper_tail(x: f64) -> f64 {
    const STEPS: i32 = 2000;
    let (low, high) = (x, x + 10.0);
    let density = |z: f64| (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let width = (high - low) / f64::from(STEPS);
    let weight = |step: i32| {
        if step == 0 || step == STEPS {
            1.0
        } else if step % 2 == 1 {
            4.0
        } else {
            2.0
        }
    };
    (0..=STEPS).map(|step| weight(step) * density(low + f64::from(step) * width)).sum::<f64>() * width / 3.0
}

/// In every bucket the chance that it is hers is the product of the shares of her values column by column.
fn belief_over_buckets(released: &Released) -> bool {
    let table = released.table("sliced");
    let known = beside(released, "disease");
    let alone: Vec<&str> = released.quasi.iter().copied().filter(|quasi| !known.contains(quasi)).collect();
    let disease = table.at("disease");
    released.original.iter().all(|person| {
        let values = values_of(released, person);
        let value = |quasi: &&str| values[released.quasi.iter().position(|own| own == quasi).unwrap()].clone();
        let agrees = |row: &Vec<String>, quasi: &[&str]| quasi.iter().all(|quasi| row[table.at(quasi)] == value(quasi));
        let mut belief = Histogram::new();
        for rows in table.by(&["bucket"]).values() {
            let size = rows.len() as f64;
            let mut likely = 1.0;
            for quasi in &alone {
                likely *= rows.iter().filter(|row| agrees(row, &[*quasi])).count() as f64 / size;
            }
            let own: Vec<&&Vec<String>> = rows.iter().filter(|row| agrees(row, &known)).collect();
            likely *= own.len() as f64 / size;
            own.iter().for_each(|row| *belief.entry(row[disease].clone()).or_default() += likely / own.len() as f64);
        }
        belief.is_empty() || largest(&belief) * released.number("l") <= total(&belief) + ROUNDING
    })
}
