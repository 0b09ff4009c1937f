//! The sorted set of values that an attribute takes.

use crate::data::value::{Type, Value};

/// The values of an attribute, sorted and distinct. A value's *code* is its place in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain {
    kind: Type,
    values: Vec<Value>,
}

impl Domain {
    /// A domain of values that are already sorted and distinct.
    pub fn from_sorted(kind: Type, values: Vec<Value>) -> Self {
        debug_assert!(values.windows(2).all(|pair| pair[0] < pair[1]), "sorted and distinct");
        Self { kind, values }
    }

    /// A domain of texts, in the order given: the codes are the indices in this list.
    ///
    /// Generated and published columns keep an order that means something (ages, levels), which
    /// need not be that of the alphabet.
    pub fn labels<S: Into<Box<str>>>(labels: impl IntoIterator<Item = S>) -> Self {
        let values = labels.into_iter().map(|label| Value::Text(label.into())).collect();
        Self { kind: Type::Text, values }
    }

    /// A domain of distinct values in the order given, such as that of a hierarchy's leaves.
    pub fn in_order(kind: Type, values: Vec<Value>) -> Self {
        Self { kind, values }
    }

    /// Sorts `values` into a domain; returns it with the code of each of them.
    pub fn from_unsorted(kind: Type, values: Vec<Value>) -> (Self, Vec<u32>) {
        let mut order: Vec<u32> = (0..values.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| values[a as usize].cmp(&values[b as usize]));
        let mut code_of = vec![0; values.len()];
        let mut sorted: Vec<Value> = Vec::with_capacity(values.len());
        let mut values: Vec<Option<Value>> = values.into_iter().map(Some).collect();
        for index in order {
            let Some(value) = values[index as usize].take() else { continue };
            if sorted.last() != Some(&value) {
                sorted.push(value);
            }
            code_of[index as usize] = sorted.len() as u32 - 1;
        }
        (Self { kind, values: sorted }, code_of)
    }

    /// The type of the values.
    pub fn kind(&self) -> Type {
        self.kind
    }

    /// How many distinct values there are, a missing one included.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is no value at all.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The value of a code.
    pub fn value(&self, code: u32) -> &Value {
        &self.values[code as usize]
    }

    /// All values, in code order.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// The code of the missing value, if the domain has one. Missing sorts first.
    pub fn missing(&self) -> Option<u32> {
        self.values.first().filter(|value| value.is_missing()).map(|_| 0)
    }

    /// The code of a value of a sorted domain.
    pub fn code(&self, value: &Value) -> Option<u32> {
        self.values.binary_search(value).ok().map(|code| code as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsorted_values_get_codes_in_order_and_ties_share_one() {
        let values = [7, 3, 7, 5].map(Value::Integer).to_vec();
        let (domain, codes) = Domain::from_unsorted(Type::Integer, values);
        assert_eq!(codes, [2, 0, 2, 1]);
        assert_eq!(domain.len(), 3);
        assert_eq!(domain.code(&Value::Integer(5)), Some(1));
        assert_eq!(domain.code(&Value::Integer(6)), None);
    }
}
