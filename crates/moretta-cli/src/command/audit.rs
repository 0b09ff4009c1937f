//! `moretta audit`: attack a release, and compare with what it promises.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use moretta::audit::{
    self, AttackReport, Audit, AuditInput, AuditedRelease, Grade, Knowledge, OriginalTable, Population, Refused,
};
use moretta::chance::Seed;
use moretta::policy::Accept;
use moretta::text::{counted, grouped, rounded};
use moretta::{Error, Policy, Result, check, steward};
use serde_json::{Value as Json, json};

use super::{Outcome, versioned};
use crate::console::{BAD, Console, FAINT, STRONG, WARN};
use crate::layout::{Cell, Table};
use crate::progress::ProgressShown;

/// Attack a release, and compare what adversaries reach with what was promised
///
/// TARGET is the folder of a release or, with --policy, a table that any tool made from the policy's original. Without the original only
/// attacks run that need nothing but the files. People are named in private/ only.
#[derive(Debug, clap::Args)]
pub(crate) struct AuditArgs {
    /// The folder of a release, or a table
    target: PathBuf,
    /// The policy of the original
    #[arg(long, value_name = "POLICY")]
    original: Option<PathBuf>,
    /// TARGET is a table of another tool; the policy describes its columns and names the original
    #[arg(long, value_name = "POLICY", conflicts_with = "original")]
    policy: Option<PathBuf>,
    /// A table of the population with the same quasi-identifiers, for journalist risk and as people who were held out
    #[arg(long, value_name = "TABLE", conflicts_with = "population")]
    public: Option<PathBuf>,
    /// How many people the population has, where there is no table of it
    #[arg(long, value_name = "NUMBER")]
    population: Option<u64>,
    /// What adversaries know beforehand: rules=0.9 (least expectation), bandwidth=0.3 (kernel prior, or inf; repeatable), reasoning=exact or omega
    #[arg(long, value_name = "KEY=VALUE")]
    knowledge: Vec<String>,
    /// The folder whose private/ gets the findings with people; by default that of the release
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
    /// What chance starts from where an attack samples
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Override a value of the policy, as in require.0.k=10
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

pub(crate) fn run(options: &AuditArgs, console: &Console) -> Result<Outcome> {
    let knowledge = read_knowledge(&options.knowledge)?;
    let shown = ProgressShown::start(console);
    let progress = shown.progress();
    let policy = options.original.as_ref().or(options.policy.as_ref());
    let mut original_table =
        policy.map(|file| OriginalTable::read(Policy::load(file, &options.set)?, progress)).transpose()?;
    let audited = if options.policy.is_some()
        && let Some(original_table) = &original_table
    {
        AuditedRelease::of_table(&options.target, original_table, progress)?
    } else {
        let storage = check::release_storage(&options.target)?;
        if let Some(original_table) = &mut original_table {
            original_table.claim = check::placement(&options.target, &original_table.counted, progress)?;
        }
        let original = original_table.as_ref().map(OriginalTable::original);
        AuditedRelease::of_release(&storage, original.as_ref(), progress)?
    };
    let population = match (&options.public, options.population, &original_table) {
        (Some(file), _, Some(original_table)) => Some(Population::read(file, original_table, progress)?),
        (Some(_), _, None) => {
            return Err(Error::input("--public needs the original, whose policy says what its columns are")
                .help("add --original POLICY"));
        }
        (None, Some(size), _) => Some(Population::Size(size)),
        (None, None, _) => None,
    };
    let scene = AuditInput::new(&audited, Seed(options.seed.into()))
        .with_original(original_table.as_ref())
        .with_population(population.as_ref())
        .with_knowledge(knowledge);
    let audit = audit::run(&scene, progress)?;
    drop(shown);
    audited.doubts.iter().for_each(|doubt| console.warn(doubt));
    let private = private_folder(options);
    if let (Some(folder), Some(_)) = (&private, &original_table) {
        steward::write_private(folder, &audit)?;
        steward::write_page(folder, &scene, &audit)?;
    }
    let written = private.filter(|_| original_table.is_some());
    let accept = original_table.as_ref().map(|original_table| original_table.policy.accept.clone()).unwrap_or_default();
    for key in audit.unmeasured(&accept) {
        console.warn(&format!("[accept] {key} is set, and no attack on this release measures it"));
    }
    let refused = audit.refused(&accept);
    console.result(
        || to_json(&audit, &accept, &refused),
        || render(&audit, &audited, written.as_deref()) + &render_refused(&refused, policy.map(PathBuf::as_path)),
    )?;
    Ok(if audit.holds() && refused.is_empty() { Outcome::Done } else { Outcome::PromiseBroken })
}

/// Where people may be named: the stated folder, or the one that the release was published into.
fn private_folder(options: &AuditArgs) -> Option<PathBuf> {
    match &options.out {
        Some(out) => Some(out.join("private")),
        None => Some(options.target.join("private")).filter(|folder| folder.is_dir()),
    }
}

fn read_knowledge(settings: &[String]) -> Result<Knowledge> {
    let mut knowledge = Knowledge::default();
    let mut bandwidths = Vec::new();
    for setting in settings {
        let wrong = || {
            Error::input(format!("--knowledge {setting}: not understood"))
                .help("rules=0.9 (from 0 to 1), bandwidth=0.3 (above 0, or inf), reasoning=exact or reasoning=omega")
        };
        let number =
            |text: &str, allowed: fn(f64) -> bool| text.parse::<f64>().ok().filter(|&x| allowed(x)).ok_or_else(wrong);
        match setting.split_once('=') {
            Some(("rules", text)) => knowledge.min_expectation = number(text, |x| (0.0..=1.0).contains(&x))?,
            Some(("bandwidth", text)) => bandwidths.push(number(text, |x| x > 0.0)?),
            Some(("reasoning", "exact")) => knowledge.exact = true,
            Some(("reasoning", "omega")) => knowledge.exact = false,
            _ => return Err(wrong()),
        }
    }
    if !bandwidths.is_empty() {
        knowledge.bandwidths = bandwidths;
    }
    Ok(knowledge)
}

fn to_json(audit: &Audit, accept: &Accept, refused: &[Refused]) -> Result<Json> {
    let mut object = versioned(audit)?;
    object["holds"] = json!(audit.holds());
    object["grade"] = json!(audit.grade());
    if !accept.limits().is_empty() {
        object["accepted"] = json!(refused.is_empty());
        object["refused"] = json!(refused);
    }
    Ok(object)
}

/// What was found beyond the promise, the worst first.
fn render_beyond(audit: &Audit) -> String {
    let found = audit.beyond_promise();
    if found.is_empty() {
        return String::new();
    }
    let mut text = format!("{STRONG}Found beyond the promise, the worst first{STRONG:#}\n\n");
    for attack in found {
        let style = if attack.finding.grade == Grade::Red { BAD } else { WARN };
        let (grade, sentence) = (attack.finding.grade.name(), &attack.finding.sentence);
        let _ = writeln!(text, "  {style}{grade:<5}{style:#}  {sentence} ({}).", attack.name);
    }
    text.push('\n');
    text
}

/// What the policy does not accept: the key, and the finding that reaches more.
fn render_refused(refused: &[Refused], policy: Option<&Path>) -> String {
    let mut text = String::new();
    let file = policy.map_or(String::new(), |file| format!(" in {}", file.display()));
    for Refused { key, accepted, measured, attack, attribute, sentence } in refused {
        let of = attribute.as_ref().map_or(String::new(), |name| format!(", {name}"));
        let _ = writeln!(
            text,
            "{BAD}Not accepted:{BAD:#} [accept] {key} = {accepted}{file}, and {attack}{of} reaches {}: {sentence}.",
            level(*measured)
        );
    }
    text
}

fn render(audit: &Audit, audited: &AuditedRelease, private: Option<&Path>) -> String {
    let mut text = String::new();
    let broken = audit.attacks.iter().filter(|attack| attack.finding.holds == Some(false)).count();
    let tested = audit.attacks.iter().filter(|attack| attack.finding.holds.is_some()).count();
    let people = match audited.persons {
        Some(persons) => {
            format!("{} of {}", audited.unit.counted(audited.people), counted(persons, "person", "people"))
        }
        None => audited.unit.counted(audited.people),
    };
    let _ = match broken {
        0 => writeln!(text, "{STRONG}{people} attacked: {tested} bounds tested, none is broken.{STRONG:#}\n"),
        _ => writeln!(text, "{BAD}{people} attacked: {broken} of {tested} bounds are broken.{BAD:#}\n"),
    };
    text.push_str(&render_beyond(audit));
    let groups_known = audit.attacks.iter().any(|attack| attack.finding.known_group.is_some());
    let mut header = vec!["attack", "measure", "promised", "measured"];
    header.extend(groups_known.then_some("known group"));
    header.extend(["hit", "holds"]);
    let mut table = Table::new(header);
    for attack in &audit.attacks {
        let finding = &attack.finding;
        let of = finding.attribute.as_ref().map_or(String::new(), |name| format!(" ({name})"));
        let mut cells = vec![
            Cell::from(attack.name),
            (finding.measure.to_owned() + &of).into(),
            finding.promised.map_or(String::new(), level).into(),
            level(finding.measured).into(),
        ];
        cells.extend(groups_known.then(|| finding.known_group.map_or(String::new(), level).into()));
        cells.extend([grouped(finding.hit).into(), finding.holds.map_or(Cell::default(), Cell::verdict)]);
        table.row(cells);
    }
    let _ = write!(text, "{}", table.render());
    let worst: Vec<(&AttackReport, &String)> =
        audit.attacks.iter().filter_map(|attack| Some((attack, attack.finding.worst.as_ref()?))).collect();
    if !worst.is_empty() {
        let _ = writeln!(text, "\n{STRONG}The worst{STRONG:#}\n");
        let mut table = Table::new(["attack", "what happens", "who counts as hit"]);
        for (attack, words) in worst {
            table.row([attack.name, words, &attack.finding.counts]);
        }
        let _ = write!(text, "{}", table.render());
    }
    if !audit.skipped.is_empty() {
        let _ = writeln!(text, "\n{STRONG}Not attacked{STRONG:#}\n");
        let mut table = Table::new(["attack", "why"]);
        for skipped in &audit.skipped {
            table.row([skipped.name, &skipped.reason]);
        }
        let _ = write!(text, "{}", table.render());
    }
    let _ = match private {
        Some(folder) => {
            writeln!(
                text,
                "\n{FAINT}The people who are hit worst are named in {}; report.html beside it shows all this.{FAINT:#}",
                folder.join(steward::FILE).display()
            )
        }
        None => writeln!(
            text,
            "\n{FAINT}What was not tested is not certified. With the original, --out DIR names the people who are hit worst.{FAINT:#}"
        ),
    };
    text
}

fn level(x: f64) -> String {
    rounded(x, 4)
}
