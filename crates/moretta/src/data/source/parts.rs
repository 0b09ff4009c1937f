//! Tables in several files: a folder of parts, or the files that a pattern names. Their rows follow each other in the order of the
//! files' paths.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use super::relation::{Relation, RelationColumn, Steady};
use super::{Format, Input, ReadOptions, RowBatch, Source, Stamp, parquet_file};
use crate::error::{Code, Error, Result};

/// The files of a table, in their order.
#[derive(Debug)]
pub struct PartList {
    name: PathBuf,
    files: Vec<Input>,
    /// How many rows each file has, when they have been read once.
    rows: OnceLock<Vec<u64>>,
}

impl PartList {
    /// The parts in a folder, or those that a pattern names.
    pub(super) fn find(place: &Path) -> Result<Self> {
        let files = if place.is_dir() { in_folder(place)? } else { matching(place)? };
        if files.is_empty() {
            return Err(Error::input(if place.is_dir() {
                "this folder holds no parts of a table"
            } else {
                "no file has such a name"
            })
            .coded(Code::TableUnreadable)
            .at_file(place)
            .help("parts are CSV or Parquet files, all alike"));
        }
        Ok(Self::listed(place.to_path_buf(), files.into_iter().map(Input::File).collect()))
    }

    /// The parts that somebody has listed.
    pub(super) fn listed(name: PathBuf, files: Vec<Input>) -> Self {
        Self { name, files, rows: OnceLock::new() }
    }

    pub(super) fn name(&self) -> &Path {
        &self.name
    }

    /// The bytes of all files, and when the last one was written.
    pub(super) fn stamp(&self) -> Result<Stamp> {
        let mut stamp: Stamp = (0, None);
        for file in &self.files {
            let (bytes, written) = file.stamp()?;
            stamp = (stamp.0 + bytes, stamp.1.max(written));
        }
        Ok(stamp)
    }

    /// The file of a row of the whole table, and its number in that file; both count from 1.
    pub(super) fn place(&self, row: u64) -> Option<(&Path, u64)> {
        let mut before = 0;
        for (file, &rows) in self.files.iter().zip(self.rows.get()?) {
            if row <= before + rows {
                return Some((file.name(), row - before));
            }
            before += rows;
        }
        None
    }
}

/// The files of a folder, but for those that programs leave there for themselves.
fn in_folder(folder: &Path) -> Result<Vec<PathBuf>> {
    let unreadable = |e: std::io::Error| Error::machine("read the folder", folder, e);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let own = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(['.', '_']));
        if path.is_dir() && !own {
            return Err(Error::input("a folder of parts holds no other folders")
                .coded(Code::TableUnreadable)
                .at_file(&path)
                .help(format!("say which files are meant: {}", folder.join("*/*.parquet").display())));
        }
        if !own {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn matching(pattern: &Path) -> Result<Vec<PathBuf>> {
    let wrong = |e: &dyn std::fmt::Display| {
        Error::input(format!("this is no pattern of file names: {e}")).coded(Code::TableUnreadable).at_file(pattern)
    };
    let found = glob::glob(&pattern.to_string_lossy()).map_err(|e| wrong(&e))?;
    let mut files = found
        .map(|file| {
            file.map_err(|e| {
                let folder = e.path().to_path_buf();
                Error::machine("read the folder", &folder, e.into())
            })
        })
        .filter(|file| !file.as_ref().is_ok_and(|file| file.is_dir()))
        .collect::<Result<Vec<_>>>()?;
    files.sort();
    Ok(files)
}

/// The parts, opened.
#[derive(Debug)]
struct Parts {
    list: Arc<PartList>,
    sources: Vec<Source>,
    columns: Vec<RelationColumn>,
    schema: SchemaRef,
}

pub(super) fn open(list: &Arc<PartList>, options: &ReadOptions) -> Result<Steady> {
    let sources = list.files.iter().map(|file| Source::open(file.clone(), options.clone()));
    let sources = sources.collect::<Result<Vec<_>>>()?;
    let mut fields = sources.iter().map(fields);
    let first = fields.next().ok_or_else(|| Error::bug("a table without parts"))??;
    for (source, own) in sources[1..].iter().zip(fields) {
        refuse_difference((&sources[0], &first), (source, &own?))?;
    }
    let columns = first.iter().map(|field| RelationColumn { field: field.clone(), refused: None }).collect();
    let schema = Arc::new(Schema::new(first));
    Ok(Steady::new(Box::new(Parts { list: list.clone(), sources, columns, schema })))
}

/// The columns of a part: those of a CSV file are texts whose types are found out when all have been seen.
fn fields(source: &Source) -> Result<Vec<Field>> {
    match &source.format {
        Format::Csv(_) => Ok(source.names.iter().map(|name| Field::new(name, DataType::Utf8, true)).collect()),
        Format::Parquet => parquet_file::fields(&source.input),
        Format::Batches(_) | Format::Relation(_) => {
            Err(Error::input("a table of parts has CSV and Parquet files only")
                .coded(Code::TableUnreadable)
                .at_file(source.input.name()))
        }
    }
}

fn refuse_difference((first, theirs): (&Source, &[Field]), (source, own): (&Source, &[Field])) -> Result<()> {
    let differs = |(a, b): (&Field, &Field)| a.name() != b.name() || a.data_type() != b.data_type();
    let what = if theirs.len() != own.len() {
        format!("{} columns, the first one {}", own.len(), theirs.len())
    } else if let Some((a, b)) = theirs.iter().zip(own).find(|&pair| differs(pair)) {
        let described = |field: &Field| format!("a column {:?} of type {}", field.name(), field.data_type());
        format!("{}, the first one {}", described(b), described(a))
    } else if std::mem::discriminant(&first.format) != std::mem::discriminant(&source.format) {
        "another format than the first one".to_owned()
    } else {
        return Ok(());
    };
    Err(Error::input(format!("this part has {what}"))
        .coded(Code::TableUnreadable)
        .at_file(source.input.name())
        .help(format!("all parts have the columns of {}, in their order", first.input.name().display())))
}

impl Relation for Parts {
    fn columns(&self) -> &[RelationColumn] {
        &self.columns
    }

    fn scan(&self, sink: &mut dyn FnMut(RecordBatch) -> Result<()>) -> Result<()> {
        let mut rows = Vec::with_capacity(self.sources.len());
        for source in &self.sources {
            let mut own = 0;
            let mut counted = |batch: RecordBatch| {
                own += batch.num_rows() as u64;
                sink(batch)
            };
            match &source.format {
                Format::Csv(_) => {
                    let all: Vec<usize> = (0..self.columns.len()).collect();
                    source.stream(&all, &mut |run| counted(self.texts(&run)?))?;
                }
                _ => parquet_file::each_batch(&source.input, &mut counted)?,
            }
            rows.push(own);
        }
        self.list.rows.get_or_init(|| rows);
        Ok(())
    }
}

impl Parts {
    fn texts(&self, run: &RowBatch) -> Result<RecordBatch> {
        let column = |values: &Vec<Option<Box<str>>>| {
            Arc::new(values.iter().map(|value| value.as_deref()).collect::<StringArray>()) as ArrayRef
        };
        RecordBatch::try_new(self.schema.clone(), run.columns.iter().map(column).collect())
            .map_err(|e| Error::bug(format!("fields of CSV make no batch: {e}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::source::{ColumnData, ColumnNeed};
    use crate::data::value::Type;
    use crate::progress::Progress;

    fn folder(parts: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        parts.iter().for_each(|(name, text)| std::fs::write(folder.path().join(name), text).unwrap());
        folder
    }

    fn open(place: &Path) -> Result<Source> {
        Source::open(Input::at(place)?, ReadOptions::detect())
    }

    #[test]
    fn parts_follow_each_other_and_a_value_is_placed_in_its_own() {
        let folder = folder(&[
            ("b.csv", "age,sex\n30,f\nold,m\n"),
            ("a.csv", "age,sex\n20,f\n"),
            ("_SUCCESS", ""),
            (".hidden", "x"),
        ]);
        let source = open(folder.path()).unwrap();
        let data = source.encode(&[(0, ColumnNeed::Codes)], &Progress::default()).unwrap().remove(0);
        let ColumnData::Codes(encoded) = data else { panic!("codes") };
        assert_eq!(encoded.spellings(), ["20", "30", "old"]);
        let error = encoded.typed(Some(Type::Integer), None, None, "age", source.input()).unwrap_err();
        assert_eq!(error.place().file.as_deref(), Some(folder.path().join("b.csv").as_path()));
        assert!(error.to_string().contains("in row 2 of this part"), "{error}");
        let pattern = open(&folder.path().join("?.csv")).unwrap();
        assert_eq!(pattern.names(), ["age", "sex"]);
    }

    #[test]
    fn parts_that_differ_are_refused_by_name() {
        let folder = folder(&[("a.csv", "age,sex\n20,f\n"), ("b.csv", "age,gender\n20,f\n")]);
        let error = open(folder.path()).unwrap_err().to_string();
        assert!(error.contains("\"gender\"") && error.contains("b.csv") && error.contains("a.csv"), "{error}");
        let empty = tempfile::tempdir().unwrap();
        assert!(open(empty.path()).unwrap_err().to_string().contains("no parts"));
        assert!(open(&empty.path().join("*.csv")).unwrap_err().to_string().contains("no file has such a name"));
    }
}
