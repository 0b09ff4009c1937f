//! An answer beside the truth, for those who have the original.

use serde_json::{Value as Json, json};

use super::{Answer, Selected, spell_time};

impl Answer {
    /// What the original has under the key of a row: nobody, if it has no such row.
    pub fn exact(&self, truth: &Self, row: usize, index: usize) -> Option<f64> {
        let key = &self.rows[row].key;
        match truth.rows.iter().find(|row| row.key == *key) {
            Some(row) => row.estimates[index].estimate,
            None => matches!(self.selected[index], Selected::Count).then_some(0.0),
        }
    }

    /// How far off an estimate is, by the truth: nothing for days and times, and where the truth is 0.
    pub fn relative_error(&self, truth: &Self, row: usize, index: usize) -> Option<f64> {
        let (estimate, exact) = (self.rows[row].estimates[index].estimate?, self.exact(truth, row, index)?);
        (exact != 0.0 && self.times[index].is_none()).then(|| (estimate - exact).abs() / exact.abs())
    }

    /// The answer as JSON, with the truth and the error of each number.
    pub fn to_json_beside(&self, truth: &Self) -> Json {
        let mut object = self.to_json();
        if self.group_by.is_empty() {
            self.add_truth(&mut object, truth, 0);
        } else {
            (0..self.rows.len()).for_each(|row| self.add_truth(&mut object["rows"][row], truth, row));
        }
        object
    }

    fn add_truth(&self, target: &mut Json, truth: &Self, row: usize) {
        for (index, selected) in self.selected.iter().enumerate() {
            let target =
                if self.selected.len() == 1 { &mut *target } else { &mut target["answers"][selected.to_string()] };
            target["exact"] = match (self.exact(truth, row, index), self.times[index]) {
                (Some(number), Some(kind)) => json!(spell_time(kind, number)),
                (exact, _) => json!(exact),
            };
            target["relative_error"] = json!(self.relative_error(truth, row, index));
        }
    }
}
