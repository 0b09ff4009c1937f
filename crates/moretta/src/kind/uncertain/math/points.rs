//! Prepared points in space: what expected anonymity is computed from.

use super::Frame;

/// Distinct points, each with the people that stand there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coordinates {
    /// `columns[d][p]`: coordinate d of point p.
    pub columns: Vec<Vec<f64>>,
    /// How many people stand at each point.
    pub people: Vec<u64>,
}

impl Coordinates {
    /// How many distinct points there are.
    pub fn len(&self) -> usize {
        self.people.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.people.is_empty()
    }

    /// The number of coordinates.
    pub fn dims(&self) -> usize {
        self.columns.len()
    }

    /// All people together.
    pub fn total(&self) -> u64 {
        self.people.iter().sum()
    }

    /// Writes the coordinates of a point.
    pub fn read(&self, point: usize, into: &mut [f64]) {
        into.iter_mut().zip(&self.columns).for_each(|(x, column)| *x = column[point]);
    }

    /// The coordinates of a point.
    pub fn at(&self, point: usize) -> Vec<f64> {
        self.columns.iter().map(|column| column[point]).collect()
    }

    /// Some of the points, in the order given.
    #[must_use]
    pub fn select(&self, points: &[u32]) -> Self {
        let pick = |column: &Vec<f64>| points.iter().map(|&p| column[p as usize]).collect();
        Self {
            columns: self.columns.iter().map(pick).collect(),
            people: points.iter().map(|&p| self.people[p as usize]).collect(),
        }
    }

    /// The points as seen in a frame: a shape becomes a sphere (or a cube).
    #[must_use]
    pub fn seen_in(&self, frame: &Frame) -> Self {
        let dims = self.dims();
        let mut columns = vec![Vec::with_capacity(self.len()); dims];
        let (mut x, mut y) = (vec![0.0; dims], vec![0.0; dims]);
        for point in 0..self.len() {
            self.read(point, &mut x);
            frame.apply(&x, &mut y);
            columns.iter_mut().zip(&y).for_each(|(column, &y)| column.push(y));
        }
        Self { columns, people: self.people.clone() }
    }

    /// Mean and standard deviation of each coordinate, over people.
    pub fn moments(&self) -> Vec<(f64, f64)> {
        let total = self.total().max(1) as f64;
        let weighted = |column: &[f64], f: &dyn Fn(f64) -> f64| {
            column.iter().zip(&self.people).map(|(&x, &people)| f(x) * people as f64).sum::<f64>() / total
        };
        let of = |column: &Vec<f64>| {
            let mean = weighted(column, &|x| x);
            (mean, weighted(column, &|x| (x - mean) * (x - mean)).sqrt())
        };
        self.columns.iter().map(of).collect()
    }
}
