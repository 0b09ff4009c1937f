//! Which combinations of quasi-identifiers lie in a box.

use super::Field;

/// The distinct combinations of quasi-identifiers, sorted so that those in a box are found by bisection.
///
/// A point's cells differ in sensitive values only and stand side by side. Attributes of few values come
/// first: boxes are mostly exact there, and a search narrows at once.
pub(in crate::method) struct LocalPoints {
    /// Where the cells of each point start, and the end of the last.
    starts: Vec<u32>,
    /// The attributes, in the order of sorting.
    order: Vec<usize>,
    /// The points, sorted by their ranks in that order.
    sorted: Vec<u32>,
    /// `ranks[i][place]`: the rank of the point at a place on the i-th attribute of `order`.
    ranks: Vec<Vec<u32>>,
}

impl LocalPoints {
    /// All points of a field. O(cells · attributes), and a sort.
    pub(in crate::method) fn new(field: &Field<'_>) -> Self {
        let cells = field.task.cells.len() as u32;
        let same = |a: u32, b: u32| field.ranks.iter().all(|ranks| ranks[a as usize] == ranks[b as usize]);
        let mut starts: Vec<u32> = (0..cells).filter(|&cell| cell == 0 || !same(cell - 1, cell)).collect();
        let mut order: Vec<usize> = (0..field.ranks.len()).collect();
        order.sort_by_key(|&attribute| field.taxonomies[attribute].len());
        let mut sorted: Vec<u32> = (0..starts.len() as u32).collect();
        let rank = |attribute: usize, point: u32| field.ranks[attribute][starts[point as usize] as usize];
        sorted.sort_by(|&a, &b| order.iter().map(|&i| rank(i, a)).cmp(order.iter().map(|&i| rank(i, b))));
        let ranks = order.iter().map(|&i| sorted.iter().map(|&point| rank(i, point)).collect()).collect();
        starts.push(cells);
        Self { starts, order, sorted, ranks }
    }

    /// How many there are.
    pub(in crate::method) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The cells of a point.
    pub(in crate::method) fn cells(&self, point: u32) -> std::ops::Range<u32> {
        self.starts[point as usize]..self.starts[point as usize + 1]
    }

    /// The point of a cell. O(log points).
    pub(in crate::method) fn point_of(&self, cell: u32) -> u32 {
        self.starts.partition_point(|&start| start <= cell) as u32 - 1
    }

    /// The attributes in the order of sorting, the points in that order, and their ranks on each of these attributes.
    pub(in crate::method) fn in_order(&self) -> (&[usize], &[u32], &[Vec<u32>]) {
        (&self.order, &self.sorted, &self.ranks)
    }

    /// Calls `visit` for the points in a box of spans, one for each attribute, until it says no. Says how many runs it looked at.
    ///
    /// O(log points) for each run of equal ranks that the box cuts across: cheap for boxes that are narrow
    /// in most attributes, O(points) at worst.
    pub(in crate::method) fn visit_while(&self, spans: &[(u32, u32)], visit: &mut impl FnMut(u32) -> bool) -> u64 {
        let mut looked = 0;
        self.narrow(0, (0, self.sorted.len()), spans, &mut looked, visit);
        looked
    }

    fn narrow(
        &self,
        depth: usize,
        (from, to): (usize, usize),
        spans: &[(u32, u32)],
        looked: &mut u64,
        visit: &mut impl FnMut(u32) -> bool,
    ) -> bool {
        *looked += 1;
        let Some(&attribute) = self.order.get(depth) else {
            return self.sorted[from..to].iter().all(|&point| visit(point));
        };
        let (first, last) = spans[attribute];
        let ranks = &self.ranks[depth];
        let mut start = from + ranks[from..to].partition_point(|&rank| rank < first);
        while start < to && ranks[start] <= last {
            let rank = ranks[start];
            let end = start + ranks[start..to].partition_point(|&other| other == rank);
            if !self.narrow(depth + 1, (start, end), spans, looked, visit) {
                return false;
            }
            start = end;
        }
        true
    }
}
