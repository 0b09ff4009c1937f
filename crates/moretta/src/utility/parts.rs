//! The values of an attribute in few parts, so that what goes together can be counted.

use crate::condition::ValueSet;
use crate::data::domain::Domain;
use crate::data::value::Value;

/// An attribute is looked at in at most so many parts, and one more for missing values.
const MOST_PARTS: usize = 16;

/// Disjoint sets that hold every value: ranges of about as many people each where values have an order, else the most frequent ones
/// by themselves and all others together.
pub(super) fn parts(domain: &Domain, people: &[u64]) -> Vec<ValueSet> {
    let known: Vec<u32> = (0..domain.len() as u32).filter(|&code| !domain.value(code).is_missing()).collect();
    let missing = ValueSet::missing();
    let mut parts = match known.len() {
        0..=MOST_PARTS => known.iter().map(|&code| ValueSet::one(domain.value(code).clone())).collect(),
        _ if domain.kind().is_ordered() => ranges(domain, people, &known),
        _ => most_frequent(domain, people, &known),
    };
    let listed = parts.iter().fold(missing.clone(), |all, part| all.union(part));
    parts.push(missing);
    // What the original does not have may still be in a release: drawn, or between its values.
    parts.push(listed.complement());
    parts.retain(|part| !part.is_empty());
    parts
}

fn ranges(domain: &Domain, people: &[u64], known: &[u32]) -> Vec<ValueSet> {
    let total: u64 = known.iter().map(|&code| people[code as usize]).sum();
    let mut before = 0_u128;
    // A value belongs to the part in which its first person stands.
    let mut part_of = |code: u32| {
        let part = before * MOST_PARTS as u128 / u128::from(total.max(1));
        before += u128::from(people[code as usize]);
        part
    };
    let numbered: Vec<(u32, u128)> = known.iter().map(|&code| (code, part_of(code))).collect();
    let firsts: Vec<&Value> = numbered.chunk_by(|a, b| a.1 == b.1).map(|run| domain.value(run[0].0)).collect();
    let range = |(index, first): (usize, &&Value)| {
        let from = if index == 0 { ValueSet::missing().complement() } else { ValueSet::above((*first).clone(), true) };
        firsts.get(index + 1).map_or(from.clone(), |next| from.intersect(&ValueSet::below((*next).clone(), false)))
    };
    firsts.iter().enumerate().map(range).collect()
}

fn most_frequent(domain: &Domain, people: &[u64], known: &[u32]) -> Vec<ValueSet> {
    let mut order = known.to_vec();
    order.sort_by_key(|&code| (std::cmp::Reverse(people[code as usize]), code));
    order.truncate(MOST_PARTS - 1);
    order.iter().map(|&code| ValueSet::one(domain.value(code).clone())).collect()
}

/// The mutual information of two attributes in nats, from the people in each pair of parts.
pub(super) fn mutual_information(joint: &[Vec<f64>]) -> f64 {
    let total: f64 = joint.iter().flatten().sum();
    let width = joint.first().map_or(0, Vec::len);
    let rows: Vec<f64> = joint.iter().map(|row| row.iter().sum()).collect();
    let columns: Vec<f64> = (0..width).map(|column| joint.iter().map(|row| row[column]).sum()).collect();
    let mut sum = 0.0;
    for (row, of_row) in joint.iter().zip(&rows) {
        for (&people, of_column) in row.iter().zip(&columns) {
            if people > 0.0 {
                sum += people * (people * total / (of_row * of_column)).ln();
            }
        }
    }
    if total > 0.0 { (sum / total).max(0.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::value::Type;

    #[test]
    fn parts_hold_every_value_once() {
        let numbers =
            Domain::from_unsorted(Type::Integer, (0..100).map(Value::Integer).chain([Value::Missing]).collect()).0;
        let texts = Domain::from_unsorted(Type::Text, (0..40).map(|i| Value::Text(format!("t{i}").into())).collect()).0;
        for domain in [&numbers, &texts] {
            for people in [vec![1; domain.len()], (0..domain.len() as u64).map(|i| i * i % 17).collect()] {
                let parts = parts(domain, &people);
                assert!(parts.len() <= MOST_PARTS + 2);
                let strange = [Value::Missing, Value::Integer(-5), Value::Number(3.5), Value::Text("other".into())];
                let own = strange.iter().filter(|value| {
                    value.is_missing() || value.as_number().is_some() == (domain.kind() == Type::Integer)
                });
                for value in domain.values().iter().chain(own) {
                    assert_eq!(parts.iter().filter(|part| part.contains(value)).count(), 1, "{value:?}");
                }
            }
        }
    }

    #[test]
    fn what_tells_all_tells_the_entropy_and_what_tells_nothing_tells_nothing() {
        assert!((mutual_information(&[vec![3.0, 0.0], vec![0.0, 3.0]]) - 2.0_f64.ln()).abs() < 1e-12);
        assert!(mutual_information(&[vec![3.0, 6.0], vec![1.0, 2.0]]).abs() < 1e-12);
        assert!(mutual_information(&[]).abs() < 1e-12);
        assert!(mutual_information(&[vec![0.0, 0.0]]).abs() < 1e-12);
    }
}
