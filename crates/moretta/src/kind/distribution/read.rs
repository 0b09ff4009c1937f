//! Reading a release that follows targets back from its files.

use std::ops::Range;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::bounds::Bounds;
use super::line::Line;
use super::share::Share;
use super::{BOUNDS, Detail, Distribution, ReleasedGroup, SENSITIVE, Subdomains, TARGETS, write_bounds};
use crate::data::Type;
use crate::data::cells::count_distinct;
use crate::data::domain::Domain;
use crate::data::format::FileFormat;
use crate::data::lookup::HashMap;
use crate::data::role::Role;
use crate::data::table::{CodedTable, Column};
use crate::data::value::Value;
use crate::error::{Error, Result};
use crate::hierarchy::Scale;
use crate::kind::bucketized::{GROUP, QIT};
use crate::numeric::{Ratio, Threshold};
use crate::progress::Progress;
use crate::release::{Files, ValueMeaning, auxiliary_attribute};
use crate::schema::Attribute;
use crate::storage::hexadecimal;

impl Distribution {
    pub(super) fn read(files: &Files<'_>, progress: &Progress) -> Result<Self> {
        let attributes = files.attributes()?;
        let [sensitive] = attributes.iter().filter(|a| a.role == Role::Sensitive).collect::<Vec<_>>()[..] else {
            return Err(files.wrong("a release that follows a target has one sensitive attribute"));
        };
        let column = files.manifest.columns.iter().find(|column| column.name == sensitive.name);
        let kind = column.map_or(Type::Text, |column| column.kind);
        let mut columns: Vec<Attribute> = attributes.iter().filter(|a| a.role != Role::Sensitive).cloned().collect();
        columns.push(auxiliary_attribute(GROUP, Role::Group, Type::Integer));
        let (mut qit, insensitive) = files.read_all(QIT, &columns, progress)?;
        let group = qit.group.take().ok_or_else(without_groups)?;
        let (values, targets) = read_targets(files, kind, &group.domain, progress)?;
        let line = Line::of(kind, &values, &sensitive.name)?;
        if line.is_some() && !values.is_sorted() {
            return Err(files.wrong("the values of the targets are not in order"));
        }
        let nodes = match column.map(|column| &column.values) {
            Some(ValueMeaning::Hierarchy { nodes }) => nodes.as_slice(),
            _ => &[],
        };
        let ranks = Ranks::new(files, &values, nodes)?;
        let subdomains = read_subdomains(files, kind, &group.domain, &ranks, progress)?;
        let people = count_distinct(&[group.counted()], qit.rows(), qit.weights.as_deref()).people;
        let followed = |((people, subdomains), target): ((u64, Subdomains), Vec<Share>)| {
            let bounds = line.as_ref().map(|line| {
                let ends = |(ranks, count): &(Range<u32>, u64)| {
                    (line.indices[ranks.start as usize], line.indices[ranks.end as usize - 1], *count)
                };
                Bounds::of(&subdomains.iter().map(ends).collect::<Vec<_>>())
            });
            ReleasedGroup { people, subdomains, target, bounds }
        };
        let groups: Vec<ReleasedGroup> = people.into_iter().zip(subdomains).zip(targets).map(followed).collect();
        let scale = Scale::new(&sensitive.hierarchy, Arc::new(Domain::from_sorted(kind, Vec::new())), &sensitive.name);
        let release = Self {
            qit,
            group_of_row: group.codes,
            numbers: group.domain,
            groups,
            sensitive: (sensitive.name.clone(), kind),
            values,
            line,
            hierarchy: scale.ok().and_then(|scale| scale.shared_tree()),
            insensitive,
        };
        release.agree(files)?;
        Ok(release)
    }

    /// Refuses tables that contradict each other.
    fn agree(&self, files: &Files<'_>) -> Result<()> {
        for (index, group) in self.groups.iter().enumerate() {
            if group.entries() < group.people {
                return Err(files.wrong(format!(
                    "group {} has {} people, but {} sensitive values",
                    self.numbers.value(index as u32),
                    group.people,
                    group.entries()
                )));
            }
        }
        self.limit_fakes(files)?;
        files.compare("people", files.manifest.people, self.groups.iter().map(|group| group.people).sum())?;
        files.compare("groups", files.manifest.groups, self.groups.len() as u64)?;
        match &self.line {
            Some(line) if line.adds_up => self.compare_bounds(files, line),
            _ => Ok(()),
        }
    }

    /// Refuses more fakes than the manifest admits: values beyond the number of people, which may hide how often the others occur.
    fn limit_fakes(&self, files: &Files<'_>) -> Result<()> {
        let Detail { fakes: Some(share), .. } = files.detail()? else { return Ok(()) };
        let most = Threshold::new(share).map_err(|_| files.wrong(format!("a share of fakes of {share}")))?;
        let fakes = |group: &ReleasedGroup| group.entries() - group.people;
        let beyond =
            |group: &&ReleasedGroup| !Ratio { num: fakes(group).into(), den: group.people.max(1).into() }.at_most(most);
        match self.groups.iter().enumerate().find(|(_, group)| beyond(group)) {
            None => Ok(()),
            Some((index, group)) => Err(files.wrong(format!(
                "group {} has {} people and {} fake values, and the manifest admits a share of {share}",
                self.numbers.value(index as u32),
                group.people,
                fakes(group)
            ))),
        }
    }

    /// Writes the table of bounds again and compares: every bound follows from the subdomains.
    fn compare_bounds(&self, files: &Files<'_>, line: &Line) -> Result<()> {
        let file = files.manifest.table(BOUNDS)?;
        if file.format != FileFormat::Csv {
            // Another version of this program may pack the same numbers into other bytes.
            return Ok(());
        }
        let mut hash = Hashed(Sha256::new());
        let numbered = self.groups.iter().enumerate().filter_map(|(index, group)| {
            let Value::Integer(number) = self.numbers.value(index as u32) else { return None };
            Some((*number, group.people, group.bounds.as_ref()?))
        });
        let rows = {
            let said = (line, files.manifest.columns.as_slice(), files.manifest.unit);
            write_bounds(file.format, &mut hash, said, numbered).map_err(|e| Error::data(e.to_string()))?
        };
        files.compare("rows of bounds", file.rows, rows)?;
        if hexadecimal(&hash.0.finalize()) != file.sha256 {
            return Err(files.wrong("the bounds do not follow from the sensitive values"));
        }
        Ok(())
    }
}

/// A file of which only the hash is kept.
struct Hashed(Sha256);

impl std::io::Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn without_groups() -> Error {
    Error::bug("a table was read without its groups")
}

/// Where the values and the labels of subdomains lie.
struct Ranks {
    of_value: HashMap<String, u32>,
    of_label: HashMap<String, Range<u32>>,
}

impl Ranks {
    fn new(files: &Files<'_>, values: &[Value], nodes: &[crate::release::NodeMeaning]) -> Result<Self> {
        let of_value: HashMap<String, u32> = values.iter().map(ToString::to_string).zip(0..).collect();
        let mut of_label = HashMap::new();
        for node in nodes {
            let ranks: Option<Vec<u32>> = node.leaves.iter().map(|leaf| of_value.get(leaf).copied()).collect();
            let ranks = ranks.filter(|ranks| !ranks.is_empty() && ranks.windows(2).all(|pair| pair[0] + 1 == pair[1]));
            let ranks = ranks.ok_or_else(|| {
                files.wrong(format!("the node {:?} does not stand for neighbouring values of the targets", node.label))
            })?;
            of_label.insert(node.label.clone(), ranks[0]..ranks[0] + ranks.len() as u32);
        }
        Ok(Self { of_value, of_label })
    }

    fn of(&self, text: &str) -> Option<Range<u32>> {
        match self.of_value.get(text) {
            Some(&rank) => Some(rank..rank + 1),
            None => self.of_label.get(text).cloned(),
        }
    }
}

fn same_groups(files: &Files<'_>, table: &CodedTable, numbers: &Domain) -> Result<()> {
    match &table.group {
        Some(group) if group.domain.values() == numbers.values() => Ok(()),
        _ => Err(files.wrong("the tables do not have the same groups")),
    }
}

/// The values in the order of the targets, and the target of each group.
fn read_targets(
    files: &Files<'_>,
    kind: Type,
    numbers: &Domain,
    progress: &Progress,
) -> Result<(Vec<Value>, Vec<Vec<Share>>)> {
    let columns = [
        auxiliary_attribute(GROUP, Role::Group, Type::Integer),
        auxiliary_attribute("value", Role::Quasi, kind),
        auxiliary_attribute("numerator", Role::Quasi, Type::Text),
        auxiliary_attribute("denominator", Role::Quasi, Type::Text),
    ];
    let table = files.read(TARGETS, &columns, progress)?;
    same_groups(files, &table, numbers)?;
    let group = table.group.as_ref().ok_or_else(without_groups)?;
    let whole = |column: &Column| -> Vec<Option<u128>> {
        column.domain.values().iter().map(|value| value.to_string().parse().ok()).collect()
    };
    let (tops, bottoms) = (whole(&table.quasi[1]), whole(&table.quasi[2]));
    let mut order: Vec<Vec<u32>> = vec![Vec::new(); numbers.len()];
    let mut targets: Vec<Vec<Share>> = vec![Vec::new(); numbers.len()];
    for row in 0..table.rows() {
        let share = tops[table.quasi[1].codes[row] as usize].zip(bottoms[table.quasi[2].codes[row] as usize]);
        let (num, den) = share
            .filter(|&(num, den)| den > 0 && num <= den)
            .ok_or_else(|| files.wrong(format!("row {} of the targets is no probability", row + 1)))?;
        let index = group.codes[row] as usize;
        order[index].push(table.quasi[0].codes[row]);
        targets[index].push(Share { num, den });
    }
    let first = order.first().cloned().unwrap_or_default();
    if order.iter().any(|codes| *codes != first) || first.len() != table.quasi[0].domain.len() {
        return Err(files.wrong("the targets do not list the same values for every group"));
    }
    Ok((first.iter().map(|&code| table.quasi[0].domain.value(code).clone()).collect(), targets))
}

fn read_subdomains(
    files: &Files<'_>,
    kind: Type,
    numbers: &Domain,
    ranks: &Ranks,
    progress: &Progress,
) -> Result<Vec<Subdomains>> {
    let mut columns = vec![auxiliary_attribute(GROUP, Role::Group, Type::Integer)];
    if kind.is_ordered() {
        columns.extend(["low", "high"].map(|name| auxiliary_attribute(name, Role::Quasi, kind)));
    } else {
        columns.push(auxiliary_attribute("value", Role::Quasi, Type::Text));
    }
    columns.push(auxiliary_attribute("count", Role::Weight, Type::Integer));
    let table = files.read(SENSITIVE, &columns, progress)?;
    same_groups(files, &table, numbers)?;
    let group = table.group.as_ref().ok_or_else(without_groups)?;
    let of_column = |column: &Column| -> Vec<Option<Range<u32>>> {
        column.domain.values().iter().map(|value| ranks.of(&value.to_string())).collect()
    };
    let found: Vec<Vec<Option<Range<u32>>>> = table.quasi.iter().map(of_column).collect();
    let mut subdomains = vec![Vec::new(); numbers.len()];
    for row in 0..table.rows() {
        let end = |column: usize| found[column][table.quasi[column].codes[row] as usize].clone();
        let run = if kind.is_ordered() { end(0).zip(end(1)).map(|(low, high)| low.start..high.end) } else { end(0) };
        let run = run.filter(|run| !run.is_empty()).ok_or_else(|| {
            files.wrong(format!("row {} of the sensitive values is no subdomain of the targets' values", row + 1))
        })?;
        let count = table.weights.as_ref().map_or(1, |weights| weights[row]);
        subdomains[group.codes[row] as usize].push((run, count));
    }
    Ok(subdomains)
}
