//! What reading costs, from Parquet and from record batches in memory: `cargo run --release -p moretta --example reading -- 10000000`; with
//! `--write` docs/library.md gets the numbers.
//!
//! `encode` is what planning reads, `stream` the second pass over what is published as it is. Each figure is the median of five rounds, in each of
//! which all four are taken: whatever else the machine does falls on all of them alike. It fails where record batches cost more than Parquet.
#![expect(clippy::print_stdout, reason = "a measurement that people run by hand")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use moretta::internals::data::source::{Batches, ColumnNeed, Input, ReadOptions, Source};
use moretta::internals::data::write::{FileFormat, Header, Values, table_writer};
use moretta::internals::progress::Progress;
use moretta_lab::generate;
use moretta_lab::measured::write_into;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/library.md");
const ROUNDS: usize = 5;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let rows: u64 = words.iter().find_map(|word| word.parse().ok()).unwrap_or(3_000_000);
    let parquet = bytes::Bytes::from(census(rows));
    let from_parquet = Input::Memory(PathBuf::from("census.parquet"), parquet.clone());
    // What the file says: texts as texts. Larger batches than readers make are cut when they are read.
    let reader = ParquetRecordBatchReaderBuilder::try_new(parquet).unwrap().with_batch_size(1 << 20).build().unwrap();
    let texts = Batches::collect(reader).unwrap();
    let from_texts = Input::Batches(PathBuf::from("batches of texts"), Arc::new(texts));
    let sources = [from_parquet, from_texts].map(|input| Source::open(input, ReadOptions::detect()).unwrap());
    let rounds: Vec<[Seconds; 2]> = (0..ROUNDS).map(|_| sources.each_ref().map(read)).collect();
    let [of_parquet, of_batches] = [0, 1].map(|source| Seconds {
        encode: median(rounds.iter().map(|round| round[source].encode)),
        stream: median(rounds.iter().map(|round| round[source].stream)),
    });
    let table = format!(
        "{rows} rows of {} columns, medians of {ROUNDS} alternating rounds, with {} threads:\n\n\
         | | encode | second pass | both |\n|---|--:|--:|--:|\n{}{}",
        sources[0].names().len(),
        std::thread::available_parallelism().map_or(1, usize::from),
        of_parquet.line("a Parquet file, texts in dictionaries"),
        of_batches.line("record batches, plain texts"),
    );
    println!("{table}");
    if words.iter().any(|word| word == "--write") {
        write_into(Path::new(PAGE), "reading", &table).unwrap();
    }
    assert!(of_batches.both() <= of_parquet.both(), "record batches cost more than Parquet");
}

/// What each pass over a table takes.
#[derive(Clone, Copy)]
struct Seconds {
    encode: f64,
    stream: f64,
}

impl Seconds {
    fn both(self) -> f64 {
        self.encode + self.stream
    }

    fn line(self, name: &str) -> String {
        format!("| {name} | {:.2} s | {:.2} s | {:.2} s |\n", self.encode, self.stream, self.both())
    }
}

fn read(source: &Source) -> Seconds {
    let all: Vec<usize> = (0..source.names().len()).collect();
    let needs: Vec<(usize, ColumnNeed)> = all.iter().map(|&index| (index, ColumnNeed::Codes)).collect();
    Seconds {
        encode: seconds(|| drop(source.encode(&needs, &Progress::default()).unwrap())),
        stream: seconds(|| source.stream(&all, &mut |_| Ok(())).unwrap()),
    }
}

fn seconds(work: impl FnOnce()) -> f64 {
    let clock = Instant::now();
    work();
    clock.elapsed().as_secs_f64()
}

fn median(seconds: impl Iterator<Item = f64>) -> f64 {
    let mut seconds: Vec<f64> = seconds.collect();
    seconds.sort_unstable_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

/// A synthetic census as a Parquet file.
fn census(rows: u64) -> Vec<u8> {
    let generator = generate::by_name("census", rows, 7).unwrap();
    let headers: Vec<Header> =
        generator.attributes().iter().map(|column| Header::coded(column.name, column.domain.clone())).collect();
    let mut bytes = Vec::new();
    let mut writer = table_writer(FileFormat::Parquet, &mut bytes, &headers).unwrap();
    for start in (0..rows).step_by(generate::BLOCK_ROWS) {
        let columns = generator.rows(start, generate::BLOCK_ROWS.min((rows - start) as usize));
        writer.write(&columns.iter().map(|codes| Values::Codes(codes)).collect::<Vec<_>>()).unwrap();
    }
    writer.finish().unwrap();
    bytes
}
