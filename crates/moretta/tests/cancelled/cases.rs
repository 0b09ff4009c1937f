//! Long work of every sort, each on a table large enough to be stopped in the middle.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use moretta::internals::audit::{self, AuditInput, AuditedRelease, OriginalTable};
use moretta::internals::chance::Seed;
use moretta::internals::compare::{ComparisonPlan, run as compare};
use moretta::internals::data::source::{Input, ReadOptions, Source};
use moretta::internals::data::write::{FileFormat, Header, Values, table_writer};
use moretta::internals::prepare::Prepared;
use moretta::internals::progress::Progress;
use moretta::internals::steward::{Options, publish};
use moretta::internals::storage::Storage;
use moretta::internals::{check, inspect};
use moretta::{Policy, Result};
use moretta_lab::classification::TreeAndBayes;
use moretta_lab::generate;

/// What a case does with the table of a folder; outputs go to `out` in it.
type Work = Box<dyn Fn(&Path, &Progress) -> Result<()> + Send + Sync>;

/// Work that can be stopped.
pub(crate) struct Case {
    /// What it is called.
    pub(crate) name: String,
    /// Does it, in the folder of the table.
    pub(crate) work: Work,
}

/// What a method is asked for: the rows that it gets, a promise, settings, and the attributes.
struct Way {
    rows: usize,
    require: &'static str,
    method: &'static str,
    attributes: &'static str,
    /// Settings outside the tables.
    output: &'static str,
}

const PEOPLE: &str = r#"
age = { role = "quasi", type = "integer" }
gender = { role = "quasi" }
education = { role = "quasi" }
marital = { role = "quasi" }
race = { role = "quasi" }
work_class = { role = "drop" }
country = { role = "quasi" }
occupation = { role = "sensitive" }
salary_class = { role = "drop" }
"#;

/// Few quasi-identifiers, all with hierarchies, for methods that take their time.
const FEW: &str = r#"
age = { role = "quasi", type = "integer", hierarchy = { intervals = [5, 10, 20] } }
gender = { role = "quasi", hierarchy = { mask = "right" } }
education = { role = "drop" }
marital = { role = "quasi", hierarchy = { mask = "right" } }
race = { role = "drop" }
work_class = { role = "drop" }
country = { role = "drop" }
occupation = { role = "sensitive" }
salary_class = { role = "insensitive" }
"#;

const NUMBERS: &str = r#"
age = { role = "quasi", type = "integer" }
gender = { role = "drop" }
education = { role = "drop" }
marital = { role = "drop" }
race = { role = "drop" }
work_class = { role = "drop" }
country = { role = "drop" }
occupation = { role = "sensitive" }
salary_class = { role = "quasi", type = "integer" }
"#;

const NOBODY_OPEN: &str = r#"
age = { role = "quasi", type = "integer" }
gender = { role = "quasi" }
education = { role = "quasi" }
marital = { role = "quasi" }
race = { role = "drop" }
work_class = { role = "quasi" }
country = { role = "quasi" }
occupation = { role = "sensitive" }
salary_class = { role = "quasi", type = "integer" }
"#;

fn way(rows: usize, require: &'static str, method: &'static str, attributes: &'static str) -> Way {
    Way { rows, require, method, attributes, output: "" }
}

/// All methods, with rows for about half a second of an unoptimized build.
fn ways() -> Vec<(&'static str, Way)> {
    let k = "model = \"k-anonymity\"\nk = 10";
    vec![
        (
            "mondrian",
            way(20_000, "model = \"t-closeness\"\nt = 0.3\ndistance = \"equal\"", "name = \"mondrian\"", PEOPLE),
        ),
        (
            "mondrian, buckets",
            way(30_000, "model = \"bucket-size\"\nk = 10", "name = \"mondrian\"\nrecoding = \"bucketize\"", PEOPLE),
        ),
        (
            "mondrian, priors",
            way(
                4_000,
                "model = \"b-t-privacy\"\nbandwidth = 0.5\nt = 0.5\ndistance = \"equal\"",
                "name = \"mondrian\"",
                FEW,
            ),
        ),
        (
            "least-loss",
            way(1_500, "model = \"distinct-l-diversity\"\nl = 3", "name = \"least-loss\"\nsuppression = 0.02", PEOPLE),
        ),
        ("top-down", way(1_000, k, "name = \"top-down\"", PEOPLE)),
        ("clustering", way(4_000, k, "name = \"clustering\"", PEOPLE)),
        ("full-domain", way(20_000, k, "name = \"full-domain\"\nsuppression = 0.02", FEW)),
        (
            "full-domain, heuristic",
            way(
                20_000,
                "model = \"entropy-l-diversity\"\nl = 3",
                "name = \"full-domain\"\nsearch = \"heuristic\"\nsuppression = 0.02",
                FEW,
            ),
        ),
        (
            "anatomy",
            way(20_000, "model = \"distinct-l-diversity\"\nl = 4", "name = \"anatomy\"\nsuppression = 0.5", PEOPLE),
        ),
        ("transparent", way(20_000, "model = \"distinct-l-diversity\"\nl = 4", "name = \"transparent\"", PEOPLE)),
        (
            "ambiguity",
            way(
                6_000,
                "model = \"alpha-beta-privacy\"\nalpha = 0.5\nbeta = 0.5\npresence = \"group\"",
                "name = \"ambiguity\"\nsuppression = 0.5",
                NOBODY_OPEN,
            ),
        ),
        (
            "ambiguity, combined",
            way(
                4_000,
                "model = \"alpha-beta-privacy\"\nalpha = 0.5\nbeta = 0.5\npresence = \"combined\"",
                "name = \"ambiguity\"\nsuppression = 0.5",
                NOBODY_OPEN,
            ),
        ),
        (
            "injector",
            way(
                1_200,
                "model = \"matching-l-diversity\"\nl = 2\nmin_expectation = 0.9",
                "name = \"injector\"\nsuppression = 0.5",
                FEW,
            ),
        ),
        (
            "distribution",
            way(
                20_000,
                "model = \"p-private\"\ntarget = \"table\"",
                "name = \"distribution\"\ngroups = [\"FLOOR(age / 4)\"]\nfakes = 0.02",
                FEW,
            ),
        ),
        (
            "slicing",
            way(
                6_000,
                "model = \"l-diverse-slicing\"\nl = 2",
                "name = \"slicing\"\ncolumns = 3\nsensitive_column = 2",
                PEOPLE,
            ),
        ),
        (
            "slicing, membership",
            way(
                20_000,
                "model = \"bucket-size\"\nk = 5",
                "name = \"slicing\"\ncolumns = 3\nsensitive_column = 2",
                PEOPLE,
            ),
        ),
        (
            "uncertain",
            way(
                2_000,
                "model = \"uncertain-k-anonymity\"\nk = 10",
                "name = \"uncertain\"\nfamily = \"gaussian\"",
                NUMBERS,
            ),
        ),
        (
            "uncertain, exact",
            way(
                5_000,
                "model = \"uncertain-k-anonymity\"\nk = 10",
                "name = \"uncertain\"\nfamily = \"uniform\"\nscale = \"exact\"",
                NUMBERS,
            ),
        ),
        ("condensation", way(20_000, "model = \"condensed-k\"\nk = 10", "name = \"condensation\"", NUMBERS)),
        ("parquet", Way { output: "[output]\nformat = \"parquet\"", ..way(40_000, k, "name = \"mondrian\"", FEW) }),
    ]
}

/// The table of so many rows, made once.
fn table(home: &Path, rows: usize) -> String {
    let name = format!("census-{rows}.csv");
    let path = home.join(&name);
    if !path.exists() {
        let census = generate::by_name("census", rows as u64, 1).unwrap();
        let headers: Vec<Header> =
            census.attributes().iter().map(|one| Header::coded(one.name, one.domain.clone())).collect();
        let mut file = File::create(&path).unwrap();
        let mut writer = table_writer(FileFormat::Csv, &mut file, &headers).unwrap();
        let columns = census.rows(0, rows);
        writer.write(&columns.iter().map(|codes| Values::Codes(codes)).collect::<Vec<_>>()).unwrap();
        writer.finish().unwrap();
    }
    name
}

impl Way {
    fn policy(&self, home: &Path, size: Size) -> Policy {
        let rows = size.of(self.rows);
        let text = format!(
            "{}\n[data]\nsource = {:?}\n[attributes]{}\n[[require]]\n{}\n[method]\n{}\n",
            self.output,
            table(home, rows),
            self.attributes,
            self.require,
            self.method
        );
        Policy::in_file(text, &home.join("policy.toml"), &[]).unwrap()
    }
}

fn options(home: &Path, out: &str) -> Options {
    Options { out: Some(home.join(out)), seed: Some(1), ..Options::default() }
}

/// How large tables are.
#[derive(Clone, Copy)]
pub(crate) enum Size {
    /// So many times the rows that take about half a second.
    Times(f64),
    /// So many rows, whatever that takes.
    Rows(usize),
}

impl Size {
    fn of(self, rows: usize) -> usize {
        match self {
            #[expect(clippy::cast_sign_loss, reason = "a factor is not negative")]
            Self::Times(factor) => (rows as f64 * factor) as usize,
            Self::Rows(rows) => rows,
        }
    }
}

/// Releases of these ways are checked and attacked where not all are.
pub(crate) const KEPT: &[&str] = &["mondrian", "slicing", "uncertain", "anatomy"];

/// Publishing in every way; checking and attacking what some of them make; a look at a table; a comparison.
pub(crate) fn all(home: &Path, size: Size, kept: &[&str]) -> Vec<Case> {
    let mut cases: Vec<Case> = ways().into_iter().map(|(name, way)| published(home, size, name, &way)).collect();
    for (name, way) in ways().into_iter().filter(|(name, _)| kept.contains(name)) {
        cases.extend(checked_and_attacked(home, size, name, &way));
    }
    let inspected = home.join(table(home, size.of(60_000)));
    let work = move |_: &Path, progress: &Progress| {
        let source = Source::open(Input::File(inspected.clone()), ReadOptions::detect())?;
        inspect::inspect(&source, progress).map(drop)
    };
    cases.push(Case { name: "inspect".to_owned(), work: Box::new(work) });
    let grid = "method = { name = [\"mondrian\", \"least-loss\"] }\nrequire = { model = \"k-anonymity\", k = [5, 20] }";
    let learned = "measure = [\"classification\"]\nfolds = 3\n";
    cases.push(compared(home, "compare", &table(home, size.of(3_000)), (learned, FEW, grid)));
    cases
}

/// Every way, four times: published, checked, attacked, compared.
pub(crate) fn every_way(home: &Path, size: Size) -> Vec<Case> {
    let of_way = |(name, way): (&'static str, Way)| {
        let mut cases = vec![published(home, size, name, &way)];
        cases.extend(checked_and_attacked(home, size, name, &way));
        // In a grid a list is a choice, and a list that is meant stands in another.
        let method = way.method.replace("[\"", "[[\"").replace("\"]", "\"]]").replace('\n', ", ");
        let grid = format!("method = {{ {method} }}\nrequire = {{ {} }}", way.require.replace('\n', ", "));
        let asked = "[queries]\ncount = 20\ndimension = 2\n";
        let plan = (asked, way.attributes, grid.as_str());
        cases.push(compared(home, &format!("compare, {name}"), &table(home, size.of(way.rows)), plan));
        cases
    };
    ways().into_iter().flat_map(of_way).collect()
}

fn published(home: &Path, size: Size, name: &str, way: &Way) -> Case {
    let policy = way.policy(home, size);
    let work = move |home: &Path, progress: &Progress| publish(&policy, &options(home, "out"), progress).map(drop);
    Case { name: format!("publish, {name}"), work: Box::new(work) }
}

/// What is done with a release, which is made for that first.
fn checked_and_attacked(home: &Path, size: Size, name: &str, way: &Way) -> [Case; 2] {
    let kept = format!("kept-{}", name.replace(", ", "-"));
    publish(&way.policy(home, size), &options(home, &kept), &Progress::default()).unwrap();
    let (policy, folder) = (way.policy(home, size), home.join(&kept).join("release"));
    let checked = folder.clone();
    let check = move |_: &Path, progress: &Progress| {
        let counted = Prepared::read(&policy, progress)?;
        check::release(&Storage::Folder(checked.clone()), Some(&counted.original()), progress).map(drop)
    };
    let policy = way.policy(home, size);
    let audit = move |_: &Path, progress: &Progress| attack(&policy, &folder, progress);
    [
        Case { name: format!("check, {name}"), work: Box::new(check) },
        Case { name: format!("audit, {name}"), work: Box::new(audit) },
    ]
}

fn attack(policy: &Policy, release: &Path, progress: &Progress) -> Result<()> {
    let original = OriginalTable::read(policy.clone(), progress)?;
    let beside = original.original();
    let audited = AuditedRelease::of_release(&Storage::Folder(release.to_path_buf()), Some(&beside), progress)?;
    audit::run(&AuditInput::new(&audited, Seed(1)).with_original(Some(&original)), progress).map(drop)
}

/// A comparison on a table: how it is measured, the attributes, the grid.
fn compared(home: &Path, name: &str, source: &str, (measured, attributes, grid): (&str, &str, &str)) -> Case {
    let file = name.replace(", ", "-");
    let people = format!("people-{file}.toml");
    fs::write(home.join(&people), format!("[data]\nsource = {source:?}\n[attributes]{attributes}")).unwrap();
    let plan = home.join(format!("plan-{file}.toml"));
    fs::write(&plan, format!("policy = {people:?}\n{measured}[[grid]]\n{grid}\n")).unwrap();
    let work = move |home: &Path, progress: &Progress| {
        let plan = ComparisonPlan::load(&plan, home, None)?;
        let prepared = Arc::new(Prepared::read(&plan.table_policy()?, progress)?);
        compare(&plan, &prepared, None, Some(&TreeAndBayes), progress).map(drop)
    };
    Case { name: name.to_owned(), work: Box::new(work) }
}
