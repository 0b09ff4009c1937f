//! Sliced releases: columns of attributes, each shuffled inside buckets of people.

use std::sync::{Arc, OnceLock};

use super::answers::{Adversary, Answers, Askable, Estimate};
use super::files::helper;
use super::histograms::Populations;
use super::original::Original;
use super::region::{Region, regions};
use super::{ColumnMeaning, Files, Groups, ValueMeaning};
use crate::data::cells::{Cells, count_distinct};
use crate::data::domain::Domain;
use crate::data::role::Role;
use crate::data::table::{Column, Table};
use crate::data::value::{Type, Value};
use crate::error::{Error, Result};
use crate::policy::Attribute;
use crate::progress::Progress;
use crate::query::{QueryBox, ValueSet};
use crate::slicing::{Positions, Posterior, Secret, SlicedIndex, chance_of_a_match};

/// The name of the table.
pub const SLICED: &str = "sliced";

/// The column of bucket numbers.
pub const BUCKET: &str = "bucket";

/// A sliced release.
#[derive(Debug)]
pub struct Sliced {
    /// The columns side by side: what stands in a row together belongs together only inside a column.
    pub table: Table,
    /// The attributes of each column, as places among the quasi-identifiers and, after them, the sensitive attributes.
    pub columns: Vec<Vec<usize>>,
    bucket: Column,
    /// For each column with quasi-identifiers: those, and their distinct combinations.
    known: Vec<Known>,
    index: SlicedIndex,
    groups: Option<Groups>,
    meanings: Vec<ColumnMeaning>,
    regions: OnceLock<Vec<Vec<Region>>>,
    suppressed: u64,
}

impl Sliced {
    pub(super) fn read(files: &Files<'_>, progress: &Progress) -> Result<Self> {
        let mut attributes = files.attributes()?;
        attributes.push(helper(BUCKET, Role::Group, Type::Integer));
        let mut table = files.read(SLICED, &attributes, progress)?;
        files.compare("people", files.manifest.people, table.rows() as u64)?;
        let bucket = table.group.take().ok_or_else(|| Error::bug("a table was read without its buckets"))?;
        files.compare("groups", files.manifest.groups, bucket.domain.len() as u64)?;

        let quasi: Vec<&ColumnMeaning> = with_role(files, &[Role::Quasi, Role::Unclassified]);
        let sensitive: Vec<&ColumnMeaning> = with_role(files, &[Role::Sensitive]);
        let mut columns: Vec<Vec<usize>> = Vec::new();
        for (place, meaning) in quasi.iter().chain(&sensitive).enumerate() {
            let slice = meaning.slice.and_then(|slice| slice.checked_sub(1));
            let slice =
                slice.ok_or_else(|| files.wrong(format!("{:?} stands in no column of the slices", meaning.name)))?;
            if columns.len() <= slice as usize {
                columns.resize(slice as usize + 1, Vec::new());
            }
            columns[slice as usize].push(place);
        }
        columns.retain(|column| !column.is_empty());

        let meanings: Vec<ColumnMeaning> = quasi.into_iter().cloned().collect();
        let described: Vec<&Attribute> = attributes.iter().filter(|a| a.role == Role::Sensitive).collect();
        let (known, secrets) = known_columns(&table, &columns);
        let sized: Vec<(&[u32], usize)> =
            known.iter().map(|(_, cells): &(_, Cells)| (cells.cell_of_row.as_slice(), cells.len())).collect();
        let positions = Positions { bucket: &bucket.codes, buckets: bucket.domain.len(), people: None };
        let indexed: Vec<Secret<'_>> = table
            .sensitive
            .iter()
            .zip(&secrets)
            .map(|(column, &known)| Secret { column: known, codes: column.counted() })
            .collect();
        let index = SlicedIndex::new(positions, &sized, &indexed);
        let groups = candidates(&table, &bucket, &sized, &secrets, &described)?;
        let suppressed = files.manifest.suppressed;
        Ok(Self { table, columns, bucket, known, index, groups, meanings, regions: OnceLock::new(), suppressed })
    }

    /// The index from column values to buckets.
    pub fn index(&self) -> &SlicedIndex {
        &self.index
    }

    /// People who were left out.
    pub fn suppressed(&self) -> u64 {
        self.suppressed
    }

    /// The bucket of each row.
    pub fn buckets(&self) -> &[u32] {
        &self.bucket.codes
    }

    /// Whose sensitive values are candidates together: the people of a bucket who agree in what is known in the
    /// sensitive column. Nothing where sensitive attributes stand in several columns with something known.
    pub fn groups(&self) -> Option<&Groups> {
        self.groups.as_ref()
    }

    /// The people of an original as this release can know them.
    pub fn people_of(&self, original: &Original<'_>) -> Result<People> {
        let translation = self.translate(&original.quasi)?;
        let mut parts = Vec::with_capacity(self.known.len());
        let mut codes = Vec::with_capacity(self.known.len());
        for (number, (places, _)) in self.known.iter().enumerate() {
            let sized: Vec<(&[u32], usize)> = places
                .iter()
                .map(|&place| {
                    let at = translation.place[place];
                    (original.cells.columns[at].as_slice(), original.quasi[at].1.len())
                })
                .collect();
            let distinct = count_distinct(&sized, original.cells.len(), None);
            let of_part = |part: usize| {
                let own: Vec<u32> = distinct.columns.iter().map(|column| column[part]).collect();
                self.values_like(number, &own, &translation)
            };
            parts.push((0..distinct.len()).map(of_part).collect::<Vec<_>>());
            codes.push(distinct);
        }
        let sized: Vec<(&[u32], usize)> = codes.iter().map(|c| (c.cell_of_row.as_slice(), c.len())).collect();
        let persons = count_distinct(&sized, original.cells.len(), Some(&original.cells.people));
        Ok(People { parts, persons })
    }

    fn regions(&self) -> &[Vec<Region>] {
        self.regions.get_or_init(|| {
            let of_column = |(meaning, column): (&ColumnMeaning, &Column)| {
                let labels: Vec<String> = column.domain.values().iter().map(Value::to_string).collect();
                regions(meaning, labels.iter().map(String::as_str))
            };
            self.meanings.iter().zip(&self.table.quasi).map(of_column).collect()
        })
    }

    /// Where each quasi-identifier stands among an adversary's, and which published codes each value could have become.
    fn translate(&self, quasi: &[(String, Arc<Domain>)]) -> Result<Translation> {
        let mut found = Translation { place: Vec::new(), codes: Vec::new() };
        for (attribute, column) in self.table.quasi.iter().enumerate() {
            let place = quasi.iter().position(|(name, _)| *name == column.name).ok_or_else(|| {
                Error::input(format!("the original does not have the attribute {:?} of the release", column.name))
                    .help("use the policy that the release was made with")
            })?;
            let of_value = |value: &Value| -> Vec<u32> {
                if self.meanings[attribute].values == ValueMeaning::Exact {
                    return column.domain.code(value).into_iter().collect();
                }
                let regions = self.regions()[attribute].iter();
                (0..).zip(regions).filter(|(_, region)| region.contains(value)).map(|(code, _)| code).collect()
            };
            found.codes.push(quasi[place].1.values().iter().map(of_value).collect());
            found.place.push(place);
        }
        Ok(found)
    }

    /// The values of a column that somebody with these codes of the original could have.
    fn values_like(&self, column: usize, own: &[u32], translation: &Translation) -> Vec<u32> {
        let (places, cells) = &self.known[column];
        let mut found = Vec::new();
        let mut prefix = Vec::with_capacity(places.len());
        let options: Vec<&[u32]> =
            places.iter().zip(own).map(|(&place, &code)| translation.codes[place][code as usize].as_slice()).collect();
        narrow(cells, &options, &mut prefix, &mut found);
        found
    }

    /// How a set weighs on each code of an attribute: the share, whether all of it lies inside, whether any does.
    fn weigh(&self, attribute: usize, set: &ValueSet) -> Vec<Weight> {
        let exact = |value: &Value| {
            let inside = set.contains(value);
            Weight { share: f64::from(u8::from(inside)), inside, meets: inside }
        };
        match attribute.checked_sub(self.table.quasi.len()) {
            Some(sensitive) => self.table.sensitive[sensitive].domain.values().iter().map(exact).collect(),
            None if self.meanings[attribute].values == ValueMeaning::Exact => {
                self.table.quasi[attribute].domain.values().iter().map(exact).collect()
            }
            None => {
                let regions = self.regions()[attribute].iter();
                let weight = |region: &Region| Weight {
                    share: region.share(set),
                    inside: region.lies_in(set),
                    meets: region.meets(set),
                };
                regions.map(weight).collect()
            }
        }
    }

    fn codes(&self, attribute: usize) -> &[u32] {
        match attribute.checked_sub(self.table.quasi.len()) {
            None => &self.table.quasi[attribute].codes,
            Some(sensitive) => &self.table.sensitive[sensitive].codes,
        }
    }

    /// What of each bucket lies in a box, as one column sees it; nothing if the box does not restrict the column.
    fn in_column(&self, one: &QueryBox, column: &[usize]) -> Option<Vec<InBucket>> {
        let sides: Vec<(&[u32], Vec<Weight>)> =
            column.iter().filter_map(|&place| Some((self.codes(place), self.weigh(place, one.side(place)?)))).collect();
        if sides.is_empty() {
            return None;
        }
        let mut found = vec![InBucket { expected: 0.0, least: 0, most: 0 }; self.index.len()];
        for (row, &bucket) in self.bucket.codes.iter().enumerate() {
            let (mut share, mut inside, mut meets) = (1.0, true, true);
            for (codes, weights) in &sides {
                let weight = weights[codes[row] as usize];
                share *= weight.share;
                inside &= weight.inside;
                meets &= weight.meets;
            }
            let bucket = &mut found[bucket as usize];
            bucket.expected += share;
            bucket.least += u64::from(inside);
            bucket.most += u64::from(meets);
        }
        Some(found)
    }
}

/// Rows with the share of each that is left.
type Rows = Arc<Vec<(u32, f64)>>;

/// The quasi-identifiers of a column, and their distinct combinations.
type Known = (Vec<usize>, Cells);

/// What of a published value lies in a set.
#[derive(Clone, Copy, Debug)]
struct Weight {
    share: f64,
    inside: bool,
    meets: bool,
}

/// What of a bucket lies in a box.
#[derive(Clone, Copy, Debug)]
struct InBucket {
    expected: f64,
    least: u64,
    most: u64,
}

/// How an adversary's values read in the release.
struct Translation {
    /// The adversary's place of each quasi-identifier of the release.
    place: Vec<usize>,
    /// For each of them, the published codes that each of the adversary's codes could have become.
    codes: Vec<Vec<Vec<u32>>>,
}

/// The people of an original: the values of each column that could be theirs.
#[derive(Debug)]
pub struct People {
    /// For each column, for each distinct part of a person, the column's values like it.
    parts: Vec<Vec<Vec<u32>>>,
    /// The distinct combinations of parts.
    persons: Cells,
}

impl People {
    /// How many there are who differ in what is known.
    pub fn len(&self) -> usize {
        self.persons.len()
    }

    /// Whether there is nobody.
    pub fn is_empty(&self) -> bool {
        self.persons.is_empty()
    }

    /// How many people share what is known of one.
    pub fn count(&self, person: usize) -> u64 {
        self.persons.people[person]
    }

    /// Calls `ask` with the values of each column that could be a person's.
    pub fn with_values<R>(&self, person: usize, ask: impl FnOnce(&[&[u32]]) -> R) -> R {
        let values: Vec<&[u32]> = self
            .parts
            .iter()
            .zip(&self.persons.columns)
            .map(|(parts, codes)| parts[codes[person] as usize].as_slice())
            .collect();
        ask(&values)
    }
}

/// The rows of sorted combinations whose codes are among some options, column by column.
fn narrow(cells: &Cells, options: &[&[u32]], prefix: &mut Vec<u32>, found: &mut Vec<u32>) {
    let Some((first, rest)) = options.split_first() else {
        found.extend(cells.beginning_with(prefix).map(|cell| cell as u32));
        return;
    };
    for &code in *first {
        prefix.push(code);
        if !cells.beginning_with(prefix).is_empty() {
            narrow(cells, rest, prefix, found);
        }
        prefix.pop();
    }
}

fn with_role<'m>(files: &'m Files<'_>, roles: &[Role]) -> Vec<&'m ColumnMeaning> {
    let columns = files.manifest.columns.iter();
    columns.filter(|column| roles.iter().any(|role| role.name() == column.role)).collect()
}

/// The columns that hold quasi-identifiers, and for each sensitive attribute which of them it stands in.
fn known_columns(table: &Table, columns: &[Vec<usize>]) -> (Vec<Known>, Vec<Option<usize>>) {
    let quasi = table.quasi.len();
    let mut known = Vec::new();
    let mut secrets = vec![None; table.sensitive.len()];
    for column in columns {
        let places: Vec<usize> = column.iter().copied().filter(|&place| place < quasi).collect();
        if places.is_empty() {
            continue;
        }
        column.iter().filter(|&&place| place >= quasi).for_each(|place| secrets[place - quasi] = Some(known.len()));
        let sized: Vec<(&[u32], usize)> = places.iter().map(|&place| table.quasi[place].counted()).collect();
        let cells = count_distinct(&sized, table.rows(), None);
        known.push((places, cells));
    }
    (known, secrets)
}

/// The groups whose sensitive values are candidates together.
fn candidates(
    table: &Table,
    bucket: &Column,
    known: &[(&[u32], usize)],
    secrets: &[Option<usize>],
    described: &[&Attribute],
) -> Result<Option<Groups>> {
    let Some(&first) = secrets.first() else { return Ok(None) };
    if secrets.iter().any(|&secret| secret != first) {
        return Ok(None);
    }
    let mut sized = vec![bucket.counted()];
    sized.extend(first.map(|column| known[column]));
    let distinct = count_distinct(&sized, table.rows(), None);
    let numbers = (0_i64..).take(distinct.len()).map(Value::Integer).collect();
    let domain = Arc::new(Domain::from_sorted(Type::Integer, numbers));
    let group = Column { name: BUCKET.to_owned(), domain, codes: distinct.cell_of_row };
    let grouped = Table {
        quasi: Vec::new(),
        sensitive: table.sensitive.clone(),
        group: Some(group),
        weights: None,
        source_rows: table.source_rows.clone(),
        tally: table.tally,
    };
    Groups::of_table(&grouped, described).map(Some)
}

impl Answers for Sliced {
    fn adversary<'r>(&'r self, quasi: &[(String, Arc<Domain>)]) -> Result<Box<dyn Adversary + 'r>> {
        Ok(Box::new(Reader { release: self, translation: self.translate(quasi)? }))
    }

    fn attributes(&self) -> Vec<Askable> {
        let quasi = self.meanings.iter().map(|meaning| Askable { name: meaning.name.clone(), kind: meaning.kind });
        let sensitive = self.table.sensitive.iter();
        quasi.chain(sensitive.map(|c| Askable { name: c.name.clone(), kind: c.domain.kind() })).collect()
    }

    fn values_of(&self, attribute: usize) -> Result<Vec<Value>> {
        const MOST_VALUES: usize = 10_000;
        if let Some(sensitive) = attribute.checked_sub(self.table.quasi.len()) {
            return Ok(self.table.sensitive[sensitive].domain.values().to_vec());
        }
        if self.meanings[attribute].values == ValueMeaning::Exact {
            return Ok(self.table.quasi[attribute].domain.values().to_vec());
        }
        let mut values = Vec::new();
        for region in &self.regions()[attribute] {
            let more = region.values(MOST_VALUES).filter(|more| values.len() + more.len() <= 8 * MOST_VALUES);
            values.extend(more.ok_or_else(|| {
                Error::input(format!("{:?} stands for too many values to group by", self.meanings[attribute].name))
                    .help("ask for ranges of it in WHERE instead")
            })?);
        }
        values.sort_unstable();
        values.dedup();
        Ok(values)
    }

    /// What is left of each column: a condition narrows the column that it speaks of.
    fn histograms(&self, populations: &Populations, attribute: usize) -> Result<Vec<Vec<f64>>> {
        let column_of = |place: usize| self.columns.iter().position(|column| column.contains(&place)).unwrap_or(0);
        let (secret, values) = (column_of(attribute), self.values_of(attribute)?.len());
        let weigh = |(place, set): &(usize, ValueSet)| self.weigh(*place, set).iter().map(|w| w.share).collect();
        let shares: Vec<Vec<f64>> = populations.conditions.iter().map(weigh).collect();
        let everybody: Rows = Arc::new((0..self.bucket.codes.len() as u32).map(|row| (row, 1.0)).collect());
        let narrow = |left: &Vec<Option<Rows>>, condition: usize| {
            let place = populations.conditions[condition].0;
            let (codes, shares, column) = (self.codes(place), &shares[condition], column_of(place));
            let rows = left[column].as_ref().unwrap_or(&everybody).iter();
            let kept = rows.map(|&(row, share)| (row, share * shares[codes[row as usize] as usize]));
            let kept: Vec<(u32, f64)> = kept.filter(|(_, share)| *share > 0.0).collect();
            let mut left = left.clone();
            left[column] = Some(Arc::new(kept));
            left
        };
        let sum = |left: &Vec<Option<Rows>>| {
            let people = self.index.people();
            let mut factor = vec![1.0; people.len()];
            for rows in left.iter().enumerate().filter_map(|(c, rows)| rows.as_ref().filter(|_| c != secret)) {
                let mut inside = vec![0.0; people.len()];
                rows.iter().for_each(|&(row, share)| inside[self.bucket.codes[row as usize] as usize] += share);
                let shares = inside.iter().zip(people).map(|(inside, &size)| inside / size as f64);
                factor.iter_mut().zip(shares).for_each(|(factor, share)| *factor *= share);
            }
            let mut histogram = vec![0.0; values];
            let codes = self.codes(attribute);
            for &(row, share) in left[secret].as_ref().unwrap_or(&everybody).iter() {
                histogram[codes[row as usize] as usize] += share * factor[self.bucket.codes[row as usize] as usize];
            }
            histogram
        };
        Ok(populations.walk(&vec![None; self.columns.len()], narrow, sum))
    }

    /// Inside a bucket columns are taken to be independent of each other; inside a column nothing is lost.
    ///
    /// The bounds: people who satisfy each column's part of a box overlap at least as much as their numbers force them to,
    /// and at most as much as the fewest of them.
    fn count(&self, condition: &[QueryBox]) -> Result<Estimate> {
        let people = self.index.people();
        let (mut estimate, mut lower) = (0.0, 0_u64);
        let mut most = vec![0_u64; people.len()];
        for one in condition {
            let columns: Vec<Vec<InBucket>> =
                self.columns.iter().filter_map(|column| self.in_column(one, column)).collect();
            for (bucket, &size) in people.iter().enumerate() {
                let mut found = InBucket { expected: size as f64, least: size, most: size };
                for column in &columns {
                    found.expected *= column[bucket].expected / size as f64;
                    found.least = (found.least + column[bucket].least).saturating_sub(size);
                    found.most = found.most.min(column[bucket].most);
                }
                estimate += found.expected;
                lower += found.least;
                most[bucket] += found.most;
            }
        }
        let upper: u64 = most.iter().zip(people).map(|(&most, &size)| most.min(size)).sum();
        let suppressed = if condition.is_empty() { 0 } else { self.suppressed };
        Ok(Estimate::within(estimate, lower as f64, (upper + suppressed) as f64))
    }
}

/// An adversary: finds the buckets that hold all of a person's column values.
struct Reader<'r> {
    release: &'r Sliced,
    translation: Translation,
}

impl Reader<'_> {
    /// The values of each column that could be the person's.
    fn values(&self, person: &[u32]) -> Vec<Vec<u32>> {
        let of_column = |(column, (places, _)): (usize, &(Vec<usize>, Cells))| {
            let own: Vec<u32> = places.iter().map(|&place| person[self.translation.place[place]]).collect();
            self.release.values_like(column, &own, &self.translation)
        };
        self.release.known.iter().enumerate().map(of_column).collect()
    }

    fn matching(&self, person: &[u32], visit: impl FnMut(u32, &[u64])) {
        let values = self.values(person);
        let values: Vec<&[u32]> = values.iter().map(Vec::as_slice).collect();
        self.release.index.matching(&values, visit);
    }
}

impl Adversary for Reader<'_> {
    /// The buckets that the person matches, each with p(t, B).
    fn candidates(&self, person: &[u32]) -> Vec<(u64, f64)> {
        let mut found = Vec::new();
        let mut posterior = Posterior::default();
        self.matching(person, |bucket, counts| {
            let size = self.release.index.people()[bucket as usize];
            posterior.add(size, counts.iter().copied(), [(0, size)]);
            found.push(u64::from(bucket));
        });
        found.into_iter().zip(posterior.bucket_shares()).collect()
    }

    /// The chance that columns linked at random put all that is known of the person into one position of a bucket: 0 where no bucket
    /// matches, 1 where counts leave no other way.
    fn presence(&self, person: &[u32]) -> Option<f64> {
        let mut absent = 1.0;
        self.matching(person, |bucket, counts| {
            absent *= 1.0 - chance_of_a_match(self.release.index.people()[bucket as usize], counts);
        });
        Some(1.0 - absent)
    }

    fn posterior(&self, person: &[u32], attribute: usize) -> Option<Vec<f64>> {
        let domain = &self.release.table.sensitive.get(attribute)?.domain;
        let values = self.values(person);
        let values: Vec<&[u32]> = values.iter().map(Vec::as_slice).collect();
        let mut posterior = Posterior::default();
        self.release.index.posterior(&values, attribute, &mut posterior);
        posterior.distribution(domain.len())
    }
}
