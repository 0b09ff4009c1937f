//! What reading costs, from Parquet and from record batches in memory: `cargo run --release -p moretta --example reading -- 3000000`.
//!
//! Each figure is the best of five; `encode` is what planning reads, `stream` the second pass over what is published as it is.
#![expect(clippy::print_stdout, reason = "a measurement that people run by hand")]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use moretta::internals::data::source::{Batches, ColumnNeed, Input, ReadOptions, Source};
use moretta::internals::data::write::{FileFormat, Header, Values, table_writer};
use moretta::internals::progress::Progress;
use moretta_lab::generate;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

fn main() {
    let rows: u64 = std::env::args().nth(1).map_or(3_000_000, |rows| rows.parse().unwrap());
    let parquet = bytes::Bytes::from(census(rows));
    let from_parquet = Input::Memory(PathBuf::from("census.parquet"), parquet.clone());
    // What the file says: texts as texts. Larger batches than readers make are cut when they are read.
    let reader = ParquetRecordBatchReaderBuilder::try_new(parquet).unwrap().with_batch_size(1 << 20).build().unwrap();
    let texts = Batches::collect(reader).unwrap();
    let from_texts = Input::Batches(PathBuf::from("batches of texts"), Arc::new(texts));
    for (name, input) in [("Parquet", from_parquet), ("record batches", from_texts)] {
        let source = Source::open(input, ReadOptions::detect()).unwrap();
        let all: Vec<usize> = (0..source.names().len()).collect();
        let needs: Vec<(usize, ColumnNeed)> = all.iter().map(|&index| (index, ColumnNeed::Codes)).collect();
        let encode = best(|| drop(source.encode(&needs, &Progress::default()).unwrap()));
        let stream = best(|| source.stream(&all, &mut |_| Ok(())).unwrap());
        println!("{rows} rows, {} columns, {name}: encode {encode:.2} s, stream {stream:.2} s", all.len());
    }
}

fn best(work: impl Fn()) -> f64 {
    let once = || {
        let clock = Instant::now();
        work();
        clock.elapsed().as_secs_f64()
    };
    (0..5).map(|_| once()).fold(f64::INFINITY, f64::min)
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
