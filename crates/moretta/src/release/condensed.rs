//! Condensed releases: records drawn from the moments of groups.

use std::sync::Arc;

use super::answers::{Adversary, Answers, Askable, Estimate};
use super::grouped_rows::numbers_of;
use super::histograms::{Parts, Populations, Profiles};
use super::tally::{Law, Member, Tally, reach};
use super::{Files, Groups, ValueMeaning};
use crate::data::Type;
use crate::data::domain::Domain;
use crate::data::role::Role;
use crate::data::table::Table;
use crate::data::value::Value;
use crate::error::{Code, Error, Result};
use crate::policy::Attribute;
use crate::progress::Progress;
use crate::query::{QueryBox, ValueSet};
use crate::uncertain::space::number_of;
use crate::uncertain::{Points, Tree};

/// A condensed release.
#[derive(Debug)]
pub struct Condensed {
    /// Its groups with their sensitive values.
    pub groups: Groups,
    /// Its records.
    pub table: Table,
    drawn: Vec<Drawn>,
}

/// An attribute whose values were drawn anew.
#[derive(Debug)]
struct Drawn {
    attribute: String,
    kind: Type,
    /// Its columns: one, or one for each value.
    columns: Vec<usize>,
    /// Where each value has a coordinate: the values, and the one whose coordinate is largest in each record.
    values: Vec<Value>,
    codes: Vec<u32>,
}

impl Drawn {
    fn all(files: &Files<'_>, table: &Table) -> Result<Vec<Self>> {
        let mut found: Vec<Self> = Vec::new();
        for (at, column) in table.quasi.iter().enumerate() {
            if column.domain.missing().is_some() {
                return Err(files.wrong(format!("{:?} lacks a number", column.name)));
            }
            let meaning = files.manifest.columns.iter().find(|meaning| meaning.name == column.name);
            let (attribute, value) = match meaning.map(|meaning| &meaning.values) {
                Some(ValueMeaning::Drawn { attribute, value }) => (attribute.as_str(), value.as_deref()),
                _ => (column.name.as_str(), None),
            };
            if found.last().is_none_or(|last| last.attribute != attribute) {
                let kind = meaning.map_or(Type::Number, |meaning| meaning.kind);
                let (columns, values, codes) = (Vec::new(), Vec::new(), Vec::new());
                found.push(Self { attribute: attribute.to_owned(), kind, columns, values, codes });
            }
            if let Some(last) = found.last_mut() {
                last.columns.push(at);
                last.values.extend(value.map(|value| Value::Text(value.into())));
            }
        }
        found.iter_mut().filter(|drawn| !drawn.values.is_empty()).for_each(|drawn| drawn.choose(table));
        Ok(found)
    }

    fn choose(&mut self, table: &Table) {
        let numbers = |&at: &usize| -> Vec<f64> { table.quasi[at].domain.values().iter().map(number_of).collect() };
        let numbers: Vec<Vec<f64>> = self.columns.iter().map(numbers).collect();
        let coordinate =
            |place: usize, row: usize| numbers[place][table.quasi[self.columns[place]].codes[row] as usize];
        let largest = |row: usize| {
            (1..numbers.len())
                .fold(0, |best, next| if coordinate(next, row) > coordinate(best, row) { next } else { best })
        };
        self.codes = (0..table.rows()).map(|row| largest(row) as u32).collect();
    }
}

impl Condensed {
    pub(super) fn read(files: &Files<'_>, progress: &Progress) -> Result<Self> {
        let attributes = files.attributes()?;
        let table = files.read("data", &attributes, progress)?;
        let described: Vec<&Attribute> = attributes.iter().filter(|a| a.role == Role::Sensitive).collect();
        let groups = Groups::of_table(&table, &described)?;
        files.compare("people", files.manifest.people, table.people())?;
        files.compare("groups", files.manifest.groups, groups.len() as u64)?;
        let drawn = Drawn::all(files, &table)?;
        Ok(Self { groups, table, drawn })
    }
}

impl Answers for Condensed {
    fn adversary<'r>(&'r self, quasi: &[(String, Arc<Domain>)]) -> Result<Box<dyn Adversary + 'r>> {
        let place = |name: &str| {
            quasi.iter().position(|(own, _)| own == name).ok_or_else(|| {
                Error::input(format!("the original has no quasi-identifier {name:?}, which the release has"))
                    .coded(Code::OriginalMismatch)
            })
        };
        // A coordinate of a value (`ATTRIBUTE=VALUE`) is known to nobody but by its attribute.
        let plain: Vec<usize> =
            (0..self.table.quasi.len()).filter(|&at| place(&self.table.quasi[at].name).is_ok()).collect();
        let numbers = |at: &usize| -> Vec<f64> {
            let column = &self.table.quasi[*at];
            let of_code: Vec<f64> = column.domain.values().iter().map(number_of).collect();
            column.codes.iter().map(|&code| of_code[code as usize]).collect()
        };
        let mut points = Points { columns: plain.iter().map(numbers).collect(), people: vec![1; self.table.rows()] };
        let units: Vec<f64> = points.moments().iter().map(|(_, deviation)| deviation.max(1e-9)).collect();
        points.columns.iter_mut().zip(&units).for_each(|(column, unit)| column.iter_mut().for_each(|x| *x /= unit));
        let sources = plain.iter().map(|&at| place(&self.table.quasi[at].name)).collect::<Result<Vec<_>>>()?;
        let domains = sources.iter().map(|&source| (source, quasi[source].1.clone())).collect();
        let group_of_row = match &self.table.group {
            Some(group) => group.codes.as_slice(),
            None => return Err(Error::bug("a condensed release without groups")),
        };
        Ok(Box::new(Reader { release: self, tree: Tree::new(&points), units, domains, group_of_row }))
    }

    fn attributes(&self) -> Vec<Askable> {
        let drawn = self.drawn.iter().map(|drawn| {
            let kind = if drawn.values.is_empty() { drawn.kind } else { Type::Text };
            Askable { name: drawn.attribute.clone(), kind }
        });
        let sensitive = self.table.sensitive.iter();
        drawn.chain(sensitive.map(|c| Askable { name: c.name.clone(), kind: c.domain.kind() })).collect()
    }

    fn values_of(&self, attribute: usize) -> Result<Vec<Value>> {
        match self.drawn.get(attribute) {
            None => Ok(self.table.sensitive[attribute - self.drawn.len()].domain.values().to_vec()),
            Some(drawn) if !drawn.values.is_empty() => Ok(drawn.values.clone()),
            Some(drawn) => {
                Err(Error::input(format!("{:?} was drawn anew: there are no values to group by", drawn.attribute))
                    .coded(Code::QueryUnsupported)
                    .help("ask for ranges of it in WHERE"))
            }
        }
    }

    fn histograms(&self, populations: &Populations, attribute: usize) -> Result<Vec<Vec<f64>>> {
        let secret = &self.table.sensitive[attribute - self.drawn.len()];
        let parts = Parts {
            columns: self.drawn.iter().map(|drawn| self.codes(drawn).to_vec()).collect(),
            people: vec![1.0; self.table.rows()],
            profile: secret.codes.clone(),
            profiles: Profiles::of_values(secret.domain.len()),
        };
        let weigh = |place: usize, set: &ValueSet| {
            self.inside(&self.drawn[place], set).into_iter().map(|inside| f64::from(u8::from(inside))).collect()
        };
        Ok(parts.histograms(populations, secret.domain.len(), weigh))
    }

    /// Counts the drawn records, as if they were the original ones.
    fn count(&self, condition: &[QueryBox]) -> Result<Estimate> {
        let (mut inside, mut certain, mut possible) = (0_u64, 0_u64, vec![false; self.table.rows()]);
        for one in condition {
            let sides = self.sides(one);
            for (row, possible) in possible.iter_mut().enumerate() {
                let by_value = holds(&sides.values, row);
                inside += u64::from(by_value && holds(&sides.drawn, row));
                certain += u64::from(by_value && sides.drawn.is_empty());
                *possible |= by_value;
            }
        }
        // A drawn number says nothing for certain about anybody's.
        let most = possible.iter().filter(|possible| **possible).count();
        Ok(Estimate::within(inside as f64, certain as f64, most as f64))
    }

    /// The values of the drawn records are expected; for certain are sensitive values, of people whoever they are.
    fn tally(&self, attribute: usize, condition: &[QueryBox]) -> Result<Tally> {
        let mut tally = Tally::default();
        let drawn = self.drawn.get(attribute);
        let column = match drawn {
            Some(drawn) => drawn.columns.first().map(|&at| &self.table.quasi[at]),
            None => self.table.sensitive.get(attribute - self.drawn.len()),
        };
        let Some(column) = column else { return Ok(tally) };
        let numbers = numbers_of(column);
        let laws: Vec<Option<u32>> = numbers.iter().map(|x| tally.expected.law(x.map(Law::point))).collect();
        let nobody = Member { low: f64::INFINITY, high: f64::NEG_INFINITY, people: 0, sure: false };
        let mut members = vec![nobody; self.table.rows()];
        for one in condition {
            let sides = self.sides(one);
            for (row, member) in members.iter_mut().enumerate().filter(|(row, _)| holds(&sides.values, *row)) {
                let code = column.codes[row] as usize;
                let known = numbers[code].filter(|_| drawn.is_none());
                let (low, high) = known.map_or_else(|| reach(one, attribute), |x| (x, x));
                (member.low, member.high) = (member.low.min(low), member.high.max(high));
                (member.people, member.sure) = (1, member.sure | sides.drawn.is_empty());
                if holds(&sides.drawn, row) {
                    tally.expected.expect(1.0, 1.0, laws[code]);
                }
            }
        }
        members.into_iter().for_each(|member| tally.crowd.add(member));
        tally.crowd.close_independent();
        Ok(tally)
    }
}

/// A box, apart for what was drawn and for what is as it was: codes, and which of them are inside.
struct Sides<'r> {
    drawn: Vec<(&'r [u32], Vec<bool>)>,
    values: Vec<(&'r [u32], Vec<bool>)>,
}

fn holds(sides: &[(&[u32], Vec<bool>)], row: usize) -> bool {
    sides.iter().all(|(codes, inside)| inside[codes[row] as usize])
}

impl Condensed {
    /// What each record has of an attribute that was drawn.
    fn codes<'r>(&'r self, drawn: &'r Drawn) -> &'r [u32] {
        if drawn.values.is_empty() { &self.table.quasi[drawn.columns[0]].codes } else { &drawn.codes }
    }

    /// Which of its codes lie in a set. Numbers that are drawn for whole ones count as what they are rounded to.
    fn inside(&self, drawn: &Drawn, set: &ValueSet) -> Vec<bool> {
        if !drawn.values.is_empty() {
            return drawn.values.iter().map(|value| set.contains(value)).collect();
        }
        let intervals = set.intervals(matches!(drawn.kind, Type::Integer | Type::Date));
        let within = |x: f64| intervals.iter().any(|&(low, high)| low <= x && x <= high);
        numbers_of(&self.table.quasi[drawn.columns[0]]).into_iter().map(|x| x.is_some_and(within)).collect()
    }

    fn sides(&self, one: &QueryBox) -> Sides<'_> {
        let mut sides = Sides { drawn: Vec::new(), values: Vec::new() };
        for (attribute, set) in &one.sides {
            let Some(drawn) = self.drawn.get(*attribute) else {
                let column = &self.table.sensitive[attribute - self.drawn.len()];
                let inside = column.domain.values().iter().map(|value| set.contains(value)).collect();
                sides.values.push((&column.codes, inside));
                continue;
            };
            if set.holds_all_known() {
                continue;
            }
            sides.drawn.push((self.codes(drawn), self.inside(drawn, set)));
        }
        sides
    }
}

/// An adversary who takes the nearest drawn record's group for the person's.
#[derive(Debug)]
struct Reader<'r> {
    release: &'r Condensed,
    tree: Tree,
    units: Vec<f64>,
    domains: Vec<(usize, Arc<Domain>)>,
    group_of_row: &'r [u32],
}

impl Reader<'_> {
    fn group(&self, person: &[u32]) -> Option<usize> {
        let coordinate =
            |((source, domain), unit): (&(usize, Arc<Domain>), &f64)| number_of(domain.value(person[*source])) / unit;
        let place: Vec<f64> = self.domains.iter().zip(&self.units).map(coordinate).collect();
        let mut found = Vec::new();
        self.tree.nearest(&place, 1, &mut found);
        found.first().map(|&(_, at)| self.group_of_row[self.tree.order[at as usize] as usize] as usize)
    }
}

impl Adversary for Reader<'_> {
    fn candidates(&self, person: &[u32]) -> Vec<(u64, f64)> {
        self.group(person).into_iter().map(|group| (group as u64, 1.0)).collect()
    }

    /// Records are nobody's: the release does not tell.
    fn presence(&self, _: &[u32]) -> Option<f64> {
        None
    }

    fn posterior(&self, person: &[u32], attribute: usize) -> Option<Vec<f64>> {
        let groups = &self.release.groups;
        let group = self.group(person)?;
        let mut belief = vec![0.0; groups.whole.sensitive.get(attribute)?.domain.len()];
        let (codes, held) = groups.held(attribute, group);
        codes
            .iter()
            .zip(held)
            .for_each(|(&code, &held)| belief[code as usize] += held as f64 / groups.people[group] as f64);
        Some(belief)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::published::publish;

    #[test]
    fn a_number_that_is_lost_is_damage() {
        let rows: String = (0..20).map(|i| format!("{},{},flu\n", 20 + i * 7 % 41, 1000 + i * 13 % 17)).collect();
        let policy = "[attributes]\nage = { role = \"quasi\" }\nincome = { role = \"quasi\" }\n\
                      disease = { role = \"sensitive\" }\n[[require]]\nmodel = \"k-anonymity\"\nk = 3\n[method]\nname = \"condensation\"\n";
        let published = publish(&format!("age,income,disease\n{rows}"), policy, 7).unwrap();
        let text = published.text("data");
        let mut lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        let column = lines[0].iter().position(|name| *name == "age").unwrap();
        lines[1][column] = "";
        let lines: Vec<String> = lines.iter().map(|line| line.join(",") + "\n").collect();
        published.forge("data", &lines.concat());
        let shelf = published.shelf();
        let error = Condensed::read(&Files::open(&shelf).unwrap(), &Progress::default()).unwrap_err();
        assert_eq!((error.code(), error.message()), ("release-damaged", "\"age\" lacks a number"));
    }
}
