//! What a hierarchy that lists its values takes together at a level.

use super::HierarchySpec;

impl HierarchySpec {
    /// The values that have the same label at a level, in the order of the labels' first lines; a value whose line is shorter has its last label there.
    ///
    /// Nothing where no file and no rows list the values: then they depend on the table.
    pub(crate) fn parts_at(&self, level: usize) -> Option<Vec<Vec<String>>> {
        let paths: Vec<Vec<&str>> = match self {
            Self::File(file) => {
                file.paths.iter().map(|path| path.labels.iter().map(|label| &**label).collect()).collect()
            }
            Self::Listed(rows) => rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect(),
            _ => return None,
        };
        let mut parts: Vec<(&str, Vec<String>)> = Vec::new();
        for path in &paths {
            let (Some(leaf), Some(label)) = (path.first(), path.get(level).or(path.last())) else { continue };
            match parts.iter_mut().find(|(known, _)| known == label) {
                Some((_, values)) => values.push((*leaf).to_owned()),
                None => parts.push((*label, vec![(*leaf).to_owned()])),
            }
        }
        Some(parts.into_iter().map(|(_, values)| values).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_with_one_label_are_one_part() {
        let rows = [["flu", "infection", "*"], ["HIV", "virus", "*"], ["cold", "infection", "*"]];
        let spec = HierarchySpec::rows(rows.map(|row| row.to_vec()));
        let parts = |level| spec.parts_at(level).expect("the rows list the values");
        assert_eq!(parts(1), [vec!["flu", "cold"], vec!["HIV"]]);
        assert_eq!(parts(0).len(), 3);
        assert_eq!(parts(7), [vec!["flu", "HIV", "cold"]], "beyond the top everything is one");
        assert_eq!(HierarchySpec::intervals([5.0]).parts_at(1), None);
    }
}
