//! What a release might tell beside what it promises: from the bytes of `release/` alone, somebody looks for the order of the source, the
//! seed, people who were left out, fakes, and values that nobody published has.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use moretta::Policy;
use moretta::internals::progress::Progress;
use moretta::internals::steward::{Options, publish};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::column::page::Page;
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::Value as Json;
use tempfile::TempDir;

/// A method of each kind of release, with a promise that it keeps.
const KINDS: [(&str, &str, &str); 10] = [
    ("mondrian", "name = \"mondrian\"", "model = \"k-anonymity\"\nk = 5"),
    ("least-loss", "name = \"least-loss\"\nsuppression = 0.05", "model = \"probabilistic-l-diversity\"\nl = 2"),
    ("anatomy", "name = \"anatomy\"", "model = \"distinct-l-diversity\"\nl = 3"),
    ("transparent", "name = \"transparent\"", "model = \"distinct-l-diversity\"\nl = 2"),
    ("ambiguity", "name = \"ambiguity\"", "model = \"alpha-beta-privacy\"\nalpha = 0.9\nbeta = 0.5"),
    ("injector", "name = \"injector\"", "model = \"matching-l-diversity\"\nl = 2\nmin_expectation = 0.95"),
    ("distribution", "name = \"distribution\"\nfakes = 0.2", "model = \"p-private\"\ntarget = \"uniform\""),
    ("uncertain", "name = \"uncertain\"\ncategorical = \"drop\"", "model = \"uncertain-k-anonymity\"\nk = 3"),
    ("condensation", "name = \"condensation\"\ncategorical = \"drop\"", "model = \"condensed-k\"\nk = 5"),
    ("slicing", "name = \"slicing\"\ncolumns = 2\nsensitive_column = 1", "model = \"l-diverse-slicing\"\nl = 2"),
];

/// The people: a name, an age, a region, a disease and a ticket. The ticket rises with the row.
fn people(count: u32) -> Vec<String> {
    let person = |row: u32| {
        let mixed = row.wrapping_mul(2_654_435_761) >> 12;
        format!("name{row},{},{},{},{}", 20 + mixed % 40, region(mixed / 40 % 6), disease(mixed / 240 % 5), 1000 + row)
    };
    (0..count).map(person).collect()
}

fn region(number: u32) -> &'static str {
    ["north", "south", "east", "west", "centre", "coast"][number as usize]
}

fn disease(number: u32) -> &'static str {
    ["flu", "cold", "hiv", "gout", "ulcer"][number as usize]
}

/// A place to publish in.
struct Desk(TempDir);

impl Desk {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    /// Publishes rows into `out`; the folder of the release.
    fn publish(&self, out: &str, rows: &[String], (method, promise): (&str, &str), settings: &Settings) -> PathBuf {
        let mut table = "name,age,region,disease,ticket\n".to_owned();
        rows.iter().for_each(|row| {
            let _ = writeln!(table, "{row}");
        });
        fs::write(self.0.path().join("table.csv"), table).unwrap();
        let tree = "north,land,*\nsouth,land,*\neast,land,*\nwest,land,*\ncentre,town,*\ncoast,sea,*\nisland,sea,*\n";
        fs::write(self.0.path().join("region.csv"), tree).unwrap();
        let policy = format!(
            "[data]\nsource = \"table.csv\"\nwhere = \"{}\"\n[attributes]\nname = {{ role = \"identifier\" }}\n\
             age = {{ role = \"quasi\", hierarchy = {{ intervals = [5, 10, 20] }} }}\nregion = {{ role = \"quasi\", hierarchy = \"region.csv\" }}\n\
             disease = {{ role = \"sensitive\" }}\nticket = {{ role = \"{}\" }}\n\
             [[require]]\n{promise}\n[method]\n{method}\n[output]\nformat = \"{}\"\n",
            settings.filter, settings.ticket, settings.format
        );
        let policy = Policy::in_file(policy, &self.0.path().join("policy.toml"), &[]).unwrap();
        let out = self.0.path().join(out);
        publish(
            &policy,
            &Options { out: Some(out.clone()), force: true, seed: settings.seed.map(Into::into) },
            &Progress::default(),
        )
        .unwrap();
        out.join("release")
    }
}

struct Settings {
    ticket: &'static str,
    format: &'static str,
    filter: &'static str,
    seed: Option<u64>,
}

const PLAIN: Settings = Settings { ticket: "drop", format: "csv", filter: "age >= 0", seed: Some(3) };

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    entries.map(|entry| (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).unwrap())).collect()
}

fn holds_text(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// The order of the source is in no byte: rows, groups, files, dictionaries, blocks.
fn is_independent_of_order(settings: &Settings, kinds: &[(&str, &str, &str)]) {
    let desk = Desk::new();
    let rows = people(240);
    let mut backwards = rows.clone();
    backwards.reverse();
    let mut mixed = rows.clone();
    mixed.sort_by_key(|row| row.len() * 31 + row.bytes().map(usize::from).sum::<usize>() % 29);
    for &(name, method, promise) in kinds {
        let first = files(&desk.publish("first", &rows, (method, promise), settings));
        for other in [&backwards, &mixed] {
            let second = files(&desk.publish("second", other, (method, promise), settings));
            assert_eq!(first.keys().collect::<Vec<_>>(), second.keys().collect::<Vec<_>>(), "{name}");
            for (file, bytes) in &first {
                assert!(
                    *bytes == second[file],
                    "{name}: {file} depends on the order of the source ({})",
                    settings.format
                );
            }
        }
    }
}

#[test]
fn no_byte_depends_on_the_order_of_the_source() {
    for format in ["csv", "parquet"] {
        is_independent_of_order(&Settings { format, ..PLAIN }, &KINDS);
    }
}

#[test]
fn nor_where_rows_are_told_apart_by_an_insensitive_attribute() {
    let generalizing = &KINDS[..1];
    is_independent_of_order(&Settings { ticket: "insensitive", ..PLAIN }, generalizing);
}

#[test]
fn nor_where_such_rows_are_dealt_to_groups() {
    let dealing: Vec<_> =
        KINDS.into_iter().filter(|(name, ..)| matches!(*name, "anatomy" | "injector" | "slicing")).collect();
    is_independent_of_order(&Settings { ticket: "insensitive", ..PLAIN }, &dealing);
}

#[test]
fn the_seed_is_in_no_file_and_every_release_draws_anew() {
    let desk = Desk::new();
    let rows = people(200);
    let seed = 9_182_736_455_463_728_193;
    for (name, method, promise) in KINDS {
        let release = files(&desk.publish("out", &rows, (method, promise), &Settings { seed: Some(seed), ..PLAIN }));
        for (file, bytes) in &release {
            for text in [seed.to_string(), format!("{seed:x}"), format!("{seed:X}")] {
                assert!(!holds_text(bytes, &text), "{name}: {file} holds the seed");
            }
            assert!(
                !bytes.windows(8).any(|window| window == seed.to_le_bytes() || window == seed.to_be_bytes()),
                "{name}: {file}"
            );
        }
        // One group, and subdomains that follow from the target: there is nothing to draw.
        let draws = !matches!(name, "mondrian" | "distribution");
        let fresh = || files(&desk.publish("out", &rows, (method, promise), &Settings { seed: None, ..PLAIN }));
        assert_eq!(fresh() != fresh(), draws, "{name}");
    }
}

#[test]
fn nothing_of_those_who_are_not_published_is_there() {
    let desk = Desk::new();
    let mut rows = people(200);
    // Filtered out, with values that nobody else has.
    rows.push("zzhidden,17,island,leprosy,77777".to_owned());
    for format in ["csv", "parquet"] {
        for (name, method, promise) in KINDS {
            let settings = Settings { filter: "age >= 18", format, ..PLAIN };
            let release = files(&desk.publish("out", &rows, (method, promise), &settings));
            for (file, bytes) in &release {
                for text in
                    ["name1", "zzhidden", "leprosy", "77777", "age >= 18", "table.csv", desk.0.path().to_str().unwrap()]
                {
                    assert!(!holds_text(bytes, text), "{name}: {file} holds {text}");
                }
            }
        }
    }
}

#[test]
fn leaves_that_nobody_has_are_listed_only_below_nodes_that_are_published() {
    let desk = Desk::new();
    // Nobody is at the sea, so that neither of its leaves may be told.
    let rows: Vec<String> = people(300).into_iter().filter(|row| !row.contains("coast")).collect();
    let release = desk.publish("out", &rows, ("name = \"full-domain\"", "model = \"k-anonymity\"\nk = 2"), &PLAIN);
    let manifest: Json = serde_json::from_slice(&fs::read(release.join("manifest.json")).unwrap()).unwrap();
    let column = manifest["columns"].as_array().unwrap().iter().find(|column| column["name"] == "region").unwrap();
    let data = fs::read_to_string(release.join("data.csv")).unwrap();
    let shown: BTreeSet<&str> = data.lines().skip(1).filter_map(|line| line.rsplit(',').nth(1)).collect();
    let everything = shown.contains("*");
    for path in column["hierarchy"].as_array().into_iter().flatten() {
        let labels: Vec<&str> = path.as_array().unwrap().iter().filter_map(Json::as_str).collect();
        assert!(
            everything || labels.iter().any(|label| shown.contains(label)),
            "{labels:?} is below nothing that is shown"
        );
    }
    let sea = ["coast", "island", "sea"].into_iter().any(|word| shown.contains(word));
    assert!(!sea && (everything || !manifest.to_string().contains("island")), "nobody is at the sea");
}

#[test]
fn fakes_look_like_everybody_else() {
    let desk = Desk::new();
    let rows = people(203);
    let release = desk.publish(
        "out",
        &rows,
        ("name = \"distribution\"\nfakes = 0.3", "model = \"p-private\"\ntarget = \"uniform\""),
        &PLAIN,
    );
    assert!(
        fs::read_dir(release.parent().unwrap().join("private"))
            .unwrap()
            .flatten()
            .any(|entry| entry.file_name().to_string_lossy().starts_with("fakes"))
    );
    for (file, bytes) in files(&release) {
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        let told = text.contains("fake") && !matches!(file.as_str(), "README.txt" | "manifest.json");
        assert!(!told, "{file} speaks of fakes");
    }
    // Subdomains are counted, so that no row of the table is a single person's or a single fake's.
    let table = fs::read_to_string(release.join("sensitive.csv")).unwrap();
    let keys: Vec<&str> = table.lines().skip(1).filter_map(|line| line.rsplit_once(',').map(|(key, _)| key)).collect();
    let distinct: BTreeSet<&&str> = keys.iter().collect();
    assert_eq!(keys.len(), distinct.len(), "equal subdomains of a group are one row");
}

#[test]
fn digits_carry_no_more_than_the_scale() {
    let desk = Desk::new();
    let rows = people(200);
    for name in ["uncertain", "condensation"] {
        let (_, method, promise) = KINDS.into_iter().find(|(kind, ..)| *kind == name).unwrap();
        let release = desk.publish("out", &rows, (method, promise), &PLAIN);
        for (file, bytes) in files(&release)
            .into_iter()
            .filter(|(file, _)| Path::new(file).extension().is_some_and(|ending| ending == "csv"))
        {
            let text = String::from_utf8(bytes).unwrap();
            let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
            let scale_of = |column: &str| header.iter().position(|other| *other == column.replacen("z_", "s_", 1));
            for fields in text.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>()) {
                for (column, field) in header.iter().zip(&fields) {
                    // A ten thousandth of the published scale; a float has up to 17 digits, whose last ones tell how it was made.
                    let scale = column.starts_with("z_").then(|| scale_of(column)).flatten();
                    let scale = scale.map_or(1.0, |at| fields[at].parse::<f64>().unwrap());
                    let most = 5.0 - scale.log10().floor().min(0.0);
                    let digits = field.split_once('.').map_or(0, |(_, digits)| digits.len());
                    let is_place = name == "condensation" || column.starts_with("z_");
                    let fits = digits as f64 <= if name == "condensation" { 10.0 } else { most };
                    assert!(
                        !is_place || field.parse::<f64>().is_err() || fits,
                        "{name}: {column} of {file} has {field}"
                    );
                }
            }
        }
    }
}

#[test]
fn parquet_footers_and_dictionaries_hold_published_values_only() {
    let desk = Desk::new();
    let rows = people(400);
    for (name, method, promise) in KINDS {
        let settings = Settings { format: "parquet", ..PLAIN };
        let release = desk.publish("out", &rows, (method, promise), &settings);
        let plain = desk.publish("plain", &rows, (method, promise), &PLAIN);
        for file in
            files(&release).keys().filter(|file| Path::new(file).extension().is_some_and(|ending| ending == "parquet"))
        {
            let csv = fs::read_to_string(plain.join(file).with_extension("csv")).unwrap();
            let mut reader = csv::Reader::from_reader(csv.as_bytes());
            let published: BTreeSet<String> =
                reader.records().flat_map(|row| row.unwrap().iter().map(str::to_owned).collect::<Vec<_>>()).collect();
            look_into(&release.join(file), &published, name);
        }
    }
}

/// What a Parquet file says of its columns must be words of the manifest.
fn look_at_words(file: &Path, name: &str) {
    let manifest = fs::read_to_string(file.with_file_name("manifest.json")).unwrap();
    let schema = ParquetRecordBatchReaderBuilder::try_new(fs::File::open(file).unwrap()).unwrap().schema().clone();
    let own = ["group", "count", "people", "rows", "bound of a sum"];
    let words = schema.fields().iter().map(|field| field.metadata()).chain([schema.metadata()]);
    let mut said = 0;
    for (key, word) in words.flat_map(|words| words.iter()) {
        assert!(key.starts_with("moretta."), "{name}: {key} in the schema");
        assert!(
            own.contains(&word.as_str()) || manifest.contains(&format!("\"{word}\"")),
            "{name}: {key} tells {word:?}"
        );
        said += 1;
    }
    assert!(said > schema.fields().len(), "{name}: the columns of {} say nothing", file.display());
}

/// Looks into a Parquet file as somebody would who is not content with its rows.
fn look_into(file: &Path, published: &BTreeSet<String>, name: &str) {
    let reader = SerializedFileReader::new(fs::File::open(file).unwrap()).unwrap();
    let metadata = reader.metadata();
    let words = metadata.file_metadata().key_value_metadata().into_iter().flatten();
    let unknown: Vec<&String> = words.map(|word| &word.key).filter(|key| *key != "ARROW:schema").collect();
    assert!(unknown.is_empty(), "{name}: {unknown:?} in the footer");
    look_at_words(file, name);
    let sizes: Vec<i64> =
        metadata.row_groups().iter().map(parquet::file::metadata::RowGroupMetaData::num_rows).collect();
    assert!(
        sizes.windows(2).all(|pair| pair[0] == sizes[0] && pair[1] <= pair[0]),
        "{name}: blocks end where groups do? {sizes:?}"
    );
    for group in 0..metadata.num_row_groups() {
        let row_group = reader.get_row_group(group).unwrap();
        for column in 0..row_group.num_columns() {
            let chunk = row_group.metadata().column(column);
            if let Some(parquet::file::statistics::Statistics::ByteArray(statistics)) = chunk.statistics() {
                for end in [statistics.min_opt(), statistics.max_opt()].into_iter().flatten() {
                    let text = end.as_utf8().unwrap();
                    assert!(
                        published.contains(text),
                        "{name}: the statistics of {:?} tell {text:?}",
                        chunk.column_path()
                    );
                }
            }
            if chunk.column_type() != parquet::basic::Type::BYTE_ARRAY {
                continue;
            }
            let mut pages = row_group.get_column_page_reader(column).unwrap();
            while let Some(page) = pages.get_next_page().unwrap() {
                let Page::DictionaryPage { buf, .. } = page else { continue };
                let mut rest = &buf[..];
                while let Some((length, after)) = rest.split_at_checked(4) {
                    let length = u32::from_le_bytes(length.try_into().unwrap()) as usize;
                    let (value, after) = after.split_at(length);
                    let text = std::str::from_utf8(value).unwrap();
                    assert!(
                        published.contains(text),
                        "{name}: the dictionary of {:?} holds {text:?}",
                        chunk.column_path()
                    );
                    rest = after;
                }
            }
        }
    }
}
