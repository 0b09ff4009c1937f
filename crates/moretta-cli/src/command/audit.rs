//! `moretta audit`: attack a release, and compare with what it promises.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use moretta::files::{self, FINDINGS, ReadOptions};
use moretta::findings::{AttackReport, Grade, Refused};
use moretta::text::{counted, grouped, rounded};
use moretta::{AttackChoice, Attacked, Audit, Error, Knowledge, Release, Result, audit};

use super::{Outcome, versioned};
use crate::console::{BAD, Console, FAINT, STRONG, WARN};
use crate::layout::{Cell, Table};
use crate::progress::ProgressShown;

/// Attack a release, and compare what adversaries reach with what was promised
///
/// TARGET is the folder of a release or, with --policy, a table that any tool made from the policy's original. Without the original only
/// attacks run that need nothing but the files. People are named in private/ only. `moretta explain` lists the attacks. Each is bounded: where there are
/// too many people it looks at some of them, and its finding says how these were chosen.
#[derive(Debug, clap::Args)]
pub(crate) struct AuditArgs {
    /// The folder of a release, or ADDRESS#SCHEMA of one in a database, or a table
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
    /// Run these attacks only
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',', conflicts_with = "skip")]
    only: Vec<String>,
    /// Run all attacks but these
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',')]
    skip: Vec<String>,
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
    let choice =
        if options.only.is_empty() { AttackChoice::skip(&options.skip)? } else { AttackChoice::only(&options.only)? };
    let shown = ProgressShown::start(console);
    let run = shown.run().seed(options.seed);
    let policy = options.original.as_ref().or(options.policy.as_ref());
    let original = match policy {
        None => None,
        Some(file) => Some(files::read_original(&files::load_policy(file, &options.set)?, &run)?),
    };
    if options.public.is_some() && original.is_none() {
        return Err(Error::input("--public needs the original, whose policy says what its columns are")
            .help("add --original POLICY"));
    }
    let public = options.public.as_ref().map(|file| files::open(file, ReadOptions::detect())).transpose()?;
    let (release, foreign) = match &options.policy {
        Some(_) => (None, Some(files::open(&options.target, ReadOptions::detect())?)),
        None => (Some(Release::open(&options.target)?), None),
    };
    let private = private_folder(options).filter(|_| original.is_some());
    let mut attacked = match (&release, &foreign, &original) {
        (Some(release), ..) => Attacked::release(release),
        (None, Some(table), Some(original)) => Attacked::table(table, original),
        (None, ..) => return Err(Error::bug("nothing to attack")),
    };
    attacked = attacked.knowledge(knowledge).choosing(choice);
    if let Some(original) = &original {
        attacked = attacked.beside(original);
    }
    if let Some(table) = &public {
        attacked = attacked.public(table);
    }
    if let Some(people) = options.population {
        attacked = attacked.population(people);
    }
    if let Some(folder) = &private {
        attacked = attacked.name_people_in(folder);
    }
    let found = audit(&attacked, &run)?;
    drop(shown);
    found.doubts.iter().for_each(|doubt| console.warn(doubt));
    let accept = original.as_ref().map(|original| original.accepted().clone()).unwrap_or_default();
    for key in found.unmeasured(&accept) {
        console.warn(&format!("[accept] {key} is set, and no attack on this release measures it"));
    }
    let refused = found.refused(&accept);
    console.result(
        || versioned(found.to_json(&accept)?),
        || render(&found, private.as_deref()) + &render_refused(&refused, policy.map(PathBuf::as_path)),
    )?;
    Ok(if found.holds() && refused.is_empty() { Outcome::Done } else { Outcome::PromiseBroken })
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
    for Refused { key, accepted, measured, attack, attribute, sentence, .. } in refused {
        let of = attribute.as_ref().map_or(String::new(), |name| format!(", {name}"));
        let _ = writeln!(
            text,
            "{BAD}Not accepted:{BAD:#} [accept] {key} = {accepted}{file}, and {attack}{of} reaches {}: {sentence}.",
            level(*measured)
        );
    }
    text
}

/// So many attacks that were passed over for the same reason are not listed one by one.
const MANY_ALIKE: usize = 4;

fn render(audit: &Audit, private: Option<&Path>) -> String {
    let mut text = String::new();
    let broken = audit.attacks.iter().filter(|attack| attack.finding.holds == Some(false)).count();
    let tested = audit.attacks.iter().filter(|attack| attack.finding.holds.is_some()).count();
    let people = match audit.persons {
        Some(persons) => format!("{} of {}", audit.unit.counted(audit.people), counted(persons, "person", "people")),
        None => audit.unit.counted(audit.people),
    };
    let _ = match broken {
        0 if tested == 0 => {
            writeln!(text, "{STRONG}{people} attacked: nothing that was tested is promised.{STRONG:#}\n")
        }
        0 => {
            let tested = counted(tested as u64, "bound", "bounds");
            writeln!(text, "{STRONG}{people} attacked: {tested} tested, none is broken.{STRONG:#}\n")
        }
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
    text.push_str(&render_sampled(audit));
    if !audit.skipped.is_empty() {
        let _ = writeln!(text, "\n{STRONG}Not attacked{STRONG:#}\n");
        let mut table = Table::new(["attack", "why"]);
        // Where most were not asked for, one line says so of all of them.
        let of = |reason: &str| audit.skipped.iter().filter(|skipped| skipped.reason == reason).count();
        let mut said: Vec<&str> = Vec::new();
        for skipped in &audit.skipped {
            match of(&skipped.reason) {
                alike if alike < MANY_ALIKE => {
                    let _ = table.row([skipped.name, &skipped.reason]);
                }
                _ if said.contains(&skipped.reason.as_str()) => {}
                alike => {
                    said.push(&skipped.reason);
                    let _ = table.row([format!("{alike} attacks"), skipped.reason.clone()]);
                }
            }
        }
        let _ = write!(text, "{}", table.render());
    }
    let _ = match private {
        Some(folder) => {
            writeln!(
                text,
                "\n{FAINT}The people who are hit worst are named in {}; report.html beside it shows all this.{FAINT:#}",
                folder.join(FINDINGS).display()
            )
        }
        None => writeln!(
            text,
            "\n{FAINT}What was not tested is not certified. With the original, --out DIR names the people who are hit worst.{FAINT:#}"
        ),
    };
    text
}

/// Which findings are about a part of the people only, and about which part.
fn render_sampled(audit: &Audit) -> String {
    let mut rows: Vec<(String, String)> = Vec::new();
    for attack in &audit.attacks {
        let Some(how) = &attack.finding.sampled else { continue };
        let of = attack.finding.attribute.as_ref().map_or(String::new(), |name| format!(" ({name})"));
        let row = (attack.name.to_owned() + &of, how.clone());
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    if rows.is_empty() {
        return String::new();
    }
    let mut table = Table::new(["attack", "who was looked at"]);
    for (attack, how) in rows {
        table.row([attack, how]);
    }
    format!("\n{STRONG}Sampled{STRONG:#}\n\n{}", table.render())
}

fn level(x: f64) -> String {
    rounded(x, 4)
}
