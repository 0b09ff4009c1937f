//! The files of a release, read as text: CSV and Parquet field by field, the manifest as plain JSON.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value as Json};

use super::groups::{Counts, Described, Group, Grouping};
use crate::cell::CellType;

/// A table, field by field.
#[derive(Clone, Debug, Default)]
pub struct RawTable {
    /// The names of its columns.
    pub header: Vec<String>,
    /// Its rows.
    pub rows: Vec<Vec<String>>,
}

/// A release.
#[derive(Clone, Debug)]
pub struct Release {
    /// The manifest.
    pub manifest: Json,
    /// The tables by name.
    pub tables: BTreeMap<String, RawTable>,
}

impl RawTable {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, String> {
        let mut reader = csv::Reader::from_path(path).map_err(|e| e.to_string())?;
        let fields = |record: &csv::StringRecord| record.iter().map(str::to_owned).collect::<Vec<_>>();
        let header = fields(reader.headers().map_err(|e| e.to_string())?);
        let rows = reader.records().map(|row| row.map(|row| fields(&row))).collect::<Result<_, _>>();
        Ok(Self { header, rows: rows.map_err(|e| e.to_string())? })
    }

    /// Reads a file of a folder, whatever its format.
    pub fn find(folder: &Path, name: &str) -> Result<Self, String> {
        let parquet = folder.join(format!("{name}.parquet"));
        if parquet.exists() { super::parquet::read(&parquet) } else { Self::read(&folder.join(format!("{name}.csv"))) }
    }

    /// The table as text.
    pub fn to_csv(&self) -> Vec<u8> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        // Writing into memory can't fail.
        let _ = writer.write_record(&self.header);
        for row in &self.rows {
            let _ = writer.write_record(row);
        }
        writer.into_inner().unwrap_or_default()
    }

    /// The index of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|column| column == name)
    }
}

impl Release {
    /// Reads the folder of a release.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let bytes = std::fs::read(folder.join("manifest.json")).map_err(|e| e.to_string())?;
        let manifest: Json = serde_json::from_slice(&bytes).map_err(|e| e.to_string())?;
        let mut tables = BTreeMap::new();
        for table in manifest["tables"].as_array().into_iter().flatten() {
            let (name, file) = (table["name"].as_str().unwrap_or(""), table["file"].as_str().unwrap_or(""));
            let file = folder.join(file);
            let read = if table["format"] == "csv" { RawTable::read(&file) } else { super::parquet::read(&file) };
            tables.insert(name.to_owned(), read?);
        }
        Ok(Self { manifest, tables })
    }

    /// The kind of release.
    pub fn kind(&self) -> &str {
        self.manifest["kind"].as_str().unwrap_or("")
    }

    /// A number of the manifest.
    pub fn stated(&self, key: &str) -> u64 {
        self.manifest[key].as_u64().unwrap_or(u64::MAX)
    }

    /// The promises.
    pub fn promises(&self) -> Vec<(&str, &Map<String, Json>)> {
        let list = self.manifest["guarantees"].as_array().into_iter().flatten();
        list.filter_map(|one| Some((one["model"].as_str()?, one["parameters"].as_object()?))).collect()
    }

    /// The columns of a role, as the manifest describes them.
    pub fn columns(&self, role: &str) -> Vec<&Json> {
        self.manifest["columns"].as_array().into_iter().flatten().filter(|column| column["role"] == role).collect()
    }

    /// The sensitive attributes.
    pub fn sensitive(&self) -> Vec<Described> {
        self.columns("sensitive").into_iter().map(described).collect()
    }

    /// The buckets of a sliced release, whatever stands in which column.
    pub fn sliced_buckets(&self) -> Option<Grouping> {
        let (table, attributes) = (self.tables.get("sliced")?, self.sensitive());
        let groups = by_key(table, &[table.column("bucket")?], &attributes, None)?;
        Some(Grouping { parts: None, groups, attributes })
    }

    /// How many people each group has, where groups share neither rows nor values: as counts of sensitive values, or as rows of exact ones.
    pub fn counted_groups(&self) -> Option<Grouping> {
        let (table, count) = match self.tables.get("qit") {
            Some(qit) => (qit, weight_column(self, qit)),
            None => {
                let st = self.tables.get(&format!("st_{}", self.columns("sensitive").first()?["name"].as_str()?))?;
                (st, Some(st.column("count")?))
            }
        };
        let groups = by_key(table, &[table.column("group")?], &[], count)?;
        Some(Grouping { parts: None, groups, attributes: Vec::new() })
    }

    /// The groups of a release that has some; nothing for kinds that promise something else.
    pub fn grouping(&self) -> Option<Grouping> {
        let attributes = self.sensitive();
        match self.kind() {
            "generalized" => {
                let table = self.tables.get("data")?;
                let quasi = ["quasi", "unclassified"].map(|role| self.columns(role)).concat();
                let keys = indices(table, &quasi)?;
                let groups = by_key(table, &keys, &attributes, weight_column(self, table))?;
                Some(Grouping { parts: self.parts(), groups, attributes })
            }
            "condensed" => {
                let table = self.tables.get("data")?;
                let groups = by_key(table, &[table.column("group")?], &attributes, None)?;
                Some(Grouping { parts: None, groups, attributes })
            }
            "bucketized" => self.buckets(attributes),
            "sliced" => {
                let table = self.tables.get("sliced")?;
                let slice = self.columns("sensitive").first()?["slice"].clone();
                let known: Vec<&Json> = ["quasi", "unclassified"].map(|role| self.columns(role)).concat();
                let known: Vec<&Json> = known.into_iter().filter(|column| column["slice"] == slice).collect();
                let mut keys = indices(table, &known)?;
                keys.insert(0, table.column("bucket")?);
                let groups = by_key(table, &keys, &attributes, None)?;
                Some(Grouping { parts: None, groups, attributes })
            }
            _ => None,
        }
    }

    fn buckets(&self, attributes: Vec<Described>) -> Option<Grouping> {
        let qit = self.tables.get("qit")?;
        let (group, weight) = (qit.column("group")?, weight_column(self, qit));
        let mut groups: BTreeMap<u64, Group> = BTreeMap::new();
        for row in &qit.rows {
            let entry = groups.entry(row[group].parse().ok()?).or_default();
            entry.people += weight.map_or(Some(1), |column| row[column].parse::<u64>().ok())?;
        }
        for entry in groups.values_mut() {
            entry.counts = vec![Counts::new(); attributes.len()];
        }
        for (index, attribute) in attributes.iter().enumerate() {
            let table = self.tables.get(&format!("st_{}", attribute.name))?;
            let (group, value, count) = (table.column("group")?, table.column("value")?, table.column("count")?);
            for row in &table.rows {
                let counts = &mut groups.get_mut(&row[group].parse().ok()?)?.counts[index];
                *counts.entry(row[value].clone()).or_default() += row[count].parse::<u64>().ok()?;
            }
        }
        Some(Grouping { parts: self.parts(), groups: groups.into_values().collect(), attributes })
    }

    fn parts(&self) -> Option<(Vec<usize>, Vec<usize>)> {
        let list = |key: &str| -> Option<Vec<usize>> {
            let list = self.manifest["partition"][key].as_array()?;
            list.iter().map(|number| number.as_u64().and_then(|number| usize::try_from(number).ok())).collect()
        };
        Some((list("parents")?, list("node_of_group")?))
    }
}

/// The type that the manifest states.
pub fn kind_of(column: &Json) -> CellType {
    match column["type"].as_str() {
        Some("integer") => CellType::Whole,
        Some("number") => CellType::Hundredths,
        Some("date") => CellType::Day,
        Some("boolean") => CellType::Flag,
        _ => CellType::Text,
    }
}

fn described(column: &Json) -> Described {
    let texts = |list: &Json| -> Vec<String> {
        list.as_array().into_iter().flatten().filter_map(|text| text.as_str().map(str::to_owned)).collect()
    };
    let lists = |key: &str| column[key].as_array().into_iter().flatten().map(texts).collect::<Vec<_>>();
    let kind = kind_of(column);
    let (mut paths, categories) = (lists("hierarchy"), lists("categories"));
    // All rows are written as long as the longest: a node that is named again is no other node. A leaf may share the name of its parent.
    paths.iter_mut().filter(|path| !path.is_empty()).for_each(|path| {
        let mut nodes = path.split_off(1);
        nodes.dedup();
        path.append(&mut nodes);
    });
    // Dates have a hierarchy unless the policy says otherwise.
    let has_tree = !paths.is_empty() || kind == CellType::Day || column.get("widths").is_some();
    Described { name: column["name"].as_str().unwrap_or("").to_owned(), kind, paths, has_tree, categories }
}

fn indices(table: &RawTable, columns: &[&Json]) -> Option<Vec<usize>> {
    columns.iter().map(|column| table.column(column["name"].as_str()?)).collect()
}

fn weight_column(release: &Release, table: &RawTable) -> Option<usize> {
    table.column(release.columns("weight").first()?["name"].as_str()?)
}

/// Groups of rows that agree in some columns, in the order in which they first occur.
fn by_key(table: &RawTable, keys: &[usize], attributes: &[Described], weight: Option<usize>) -> Option<Vec<Group>> {
    let mut order: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
    let mut groups: Vec<Group> = Vec::new();
    let sensitive = attributes.iter().map(|attribute| table.column(&attribute.name)).collect::<Option<Vec<_>>>()?;
    for row in &table.rows {
        let key: Vec<&str> = keys.iter().map(|&column| row[column].as_str()).collect();
        let index = *order.entry(key).or_insert_with(|| {
            groups.push(Group { people: 0, counts: vec![Counts::new(); attributes.len()] });
            groups.len() - 1
        });
        let people = weight.map_or(Some(1), |column| row[column].parse::<u64>().ok())?;
        groups[index].people += people;
        for (counts, &column) in groups[index].counts.iter_mut().zip(&sensitive) {
            *counts.entry(row[column].clone()).or_default() += people;
        }
    }
    Some(groups)
}
