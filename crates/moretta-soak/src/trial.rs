//! One case, from publishing to spoiled files.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use moretta::Error;

use crate::case::{Case, Tree};
use crate::dice::Dice;
use crate::library::{self, Asked, Audited, Judgement, Sort};
use crate::naive::files::Release;
use crate::naive::groups::{Counts, Described, Group, Grouping, Judged};
use crate::naive::{cover, densities};
use crate::naive::{matching, persons, presence, sliced, target};
use crate::{question, spoil};

/// Something that is not as it should be.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What sort of thing: the same for a case and for what it shrinks to.
    pub sort: &'static str,
    /// What was seen.
    pub text: String,
}

/// What publishing came to.
#[derive(Clone, Debug, Default)]
pub enum Outcome {
    /// A release.
    #[default]
    Published,
    /// A refusal: its code, its message, and whether the definition confirms it.
    Refused(String, String, Option<bool>),
}

/// What a case showed.
#[derive(Clone, Debug, Default)]
pub struct Trial {
    /// What publishing came to.
    pub outcome: Outcome,
    /// What is wrong.
    pub failures: Vec<Failure>,
    /// For each promise that was recomputed: what is measured by what is promised.
    pub measured: Vec<(String, f64)>,
    /// Questions that were answered, and that were declined.
    pub questions: (usize, usize),
    /// For each way to spoil: made, breaking a promise by recomputation, noticed of these.
    pub spoiled: Vec<(&'static str, bool, bool)>,
}

thread_local! {
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps the words of panics instead of printing them.
pub fn keep_panics() {
    std::panic::set_hook(Box::new(|info| PANIC.with_borrow_mut(|words| *words = info.to_string().replace('\n', " "))));
}

/// Runs something that may panic; the words of the panic where it does.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| PANIC.with_borrow(Clone::clone))
}

/// Runs a case in an empty folder; where the harness itself panics, that is a failure like any other.
pub fn guarded_run(case: &Case, folder: &Path, dice: &mut Dice) -> Trial {
    guarded(|| run(case, folder, dice)).unwrap_or_else(|words| {
        let mut trial = Trial::default();
        trial.fail("harness panics", words);
        trial
    })
}

fn run(case: &Case, folder: &Path, dice: &mut Dice) -> Trial {
    let mut trial = Trial::default();
    if let Err(error) = case.save(folder) {
        trial.fail("harness", error.to_string());
        return trial;
    }
    let judgements = match guarded(|| library::publish_saved(folder, case.seed)) {
        Ok(Ok(judgements)) => judgements,
        Ok(Err(error)) => {
            trial.refused(case, &error);
            return trial;
        }
        Err(words) => {
            trial.fail("publish panics", words);
            return trial;
        }
    };
    if case.repeats_an_identifier() {
        trial.fail("identifier repeats", "an identifier occurs in two rows, and the table is published".to_owned());
    }
    let files = folder.join("out").join("release");
    trial.recompute(case, &folder.join("out"), &judgements);
    trial.check(&files);
    match guarded(|| library::audit_saved(folder)) {
        Ok(Ok(audited)) => trial.audited(case, &audited),
        Ok(Err(error)) => trial.fail("audit stops", error.to_string()),
        Err(words) => trial.fail("audit panics", words),
    }
    let manifest = std::fs::read(files.join("manifest.json")).unwrap_or_default();
    let manifest = serde_json::from_slice(&manifest).unwrap_or_default();
    let asking = guarded(|| Asked::open(&files).map(|asked| question::ask(case, &asked, &manifest, dice, 8)));
    match asking {
        Ok(Ok(asking)) => {
            trial.questions = (asking.answered, asking.declined);
            for wrong in asking.wrong {
                let sort = if wrong.contains("are not listed") { "key not listed" } else { "bound left" };
                trial.fail(sort, wrong);
            }
        }
        Ok(Err(error)) => trial.fail("question stops", error.to_string()),
        Err(words) => trial.fail("question panics", words),
    }
    trial.spoil(case, folder, dice);
    trial
}

/// What the definition says of a promise of a release.
fn judge(
    release: &Release,
    case: &Case,
    private: Option<&Path>,
    model: &str,
    promised: &serde_json::Map<String, serde_json::Value>,
) -> Option<Judged> {
    if !case.with_role("person").is_empty() {
        return persons::grouping(release, case, private?)?.judge(model, promised);
    }
    match model {
        "bucket-size" if release.kind() == "sliced" => release.sliced_buckets()?.judge(model, promised),
        "bucket-size" if matches!(release.kind(), "ambiguous" | "distribution") => {
            release.counted_groups()?.judge(model, promised)
        }
        "alpha-beta-privacy" => presence::judge(release, case, promised),
        "l-diverse-slicing" => sliced::judge(release, case, promised),
        "p-private" => target::judge(release),
        "matching-l-diversity" => matching::judge(release, case, promised),
        _ => release.grouping()?.judge(model, promised),
    }
}

impl Trial {
    fn fail(&mut self, sort: &'static str, text: String) {
        self.failures.push(Failure { sort, text });
    }

    fn refused(&mut self, case: &Case, error: &Error) {
        let message = error.to_string().lines().next().unwrap_or("").to_owned();
        if error.code() == "repeated-identifier" {
            if !case.repeats_an_identifier() {
                self.fail("false refusal", message.clone());
            }
            self.outcome = Outcome::Refused(error.code().to_owned(), message, Some(true));
            return;
        }
        let confirmed = match library::sort(error) {
            Sort::Broken => {
                self.fail("nothing published", message.clone());
                None
            }
            Sort::Policy => None,
            Sort::Data => confirm(case),
        };
        // One group of everybody is a release of these methods.
        let can_unite =
            matches!(case.method.name.as_str(), "least-loss" | "mondrian" | "full-domain" | "top-down" | "clustering");
        // A group of everybody may have to rise above a level.
        if confirmed == Some(false) && can_unite && !case.limits("max_level") {
            self.fail("false refusal", message.clone());
        }
        self.outcome = Outcome::Refused(error.code().to_owned(), message, confirmed);
    }

    /// Nothing that was promised may be broken, and what the policy does not accept is just what reaches beyond it.
    fn audited(&mut self, case: &Case, audited: &Audited) {
        let numbered = case.with_role("insensitive").into_iter().filter(|&column| case.numbers_the_rows(column));
        let expected: Vec<String> = numbered.map(|column| case.columns[column].name.clone()).collect();
        let alarm = |words: &&String| !words.starts_with("leftover-keys") || expected.is_empty();
        let alarms: Vec<String> = audited.broken.iter().filter(alarm).cloned().collect();
        if !alarms.is_empty() {
            self.fail("audit alarms", alarms.join("; "));
        }
        let mut refused: Vec<f64> = audited.refused.iter().map(|&(_, level)| level).collect();
        let beyond = |&(key, level): &(&str, f64)| {
            let limit = case.accept.filter(|(bound, _)| *bound == key)?.1.parse::<f64>().ok()?;
            (level > limit + 1e-9).then_some(level)
        };
        let mut wanted: Vec<f64> = audited.reached.iter().filter_map(beyond).collect();
        refused.sort_by(f64::total_cmp);
        wanted.sort_by(f64::total_cmp);
        if refused != wanted {
            self.fail(
                "accepted wrongly",
                format!("{:?}: {wanted:?} reach beyond it, refused are {refused:?}", case.accept),
            );
        }
    }

    /// Recomputes every promise and level, and looks for everybody.
    fn recompute(&mut self, case: &Case, out: &Path, judgements: &[Judgement]) {
        let release = match Release::read(&out.join("release")) {
            Ok(release) => release,
            Err(words) => return self.fail("unreadable", words),
        };
        if let Err(words) = cover::everybody(case, &release, &out.join("private")) {
            self.fail("somebody misplaced", words);
        }
        if release.promises().len() != case.promises.len() {
            self.fail(
                "promise missing",
                format!("{} of {} promises are in the manifest", release.promises().len(), case.promises.len()),
            );
        }
        for ((model, promised), judgement) in release.promises().into_iter().zip(judgements) {
            let judged = match model {
                "uncertain-k-anonymity" => densities::judge(&release, case, &out.join("private"), promised),
                _ => judge(&release, case, Some(&out.join("private")), model, promised),
            };
            let Some(judged) = judged else { continue };
            self.measured.push((model.to_owned(), judged.ratio));
            if judged.holds == Some(false) {
                self.fail("promise broken", format!("{model}: measured by promised is {}", judged.ratio));
            }
            for (name, level) in &judged.levels {
                let Some(stated) = judgement.achieved.get(*name) else { continue };
                let stated = stated.as_f64().unwrap_or(f64::INFINITY);
                let same = stated.to_bits() == level.to_bits() || (stated - level).abs() <= 1e-6 * level.abs().max(1.0);
                if !same {
                    self.fail("level wrong", format!("{model}: {name} is {level}, stated is {stated}"));
                }
            }
        }
        self.compare_settings(case, &release);
    }

    /// What the manifest promises is what the policy says.
    fn compare_settings(&mut self, case: &Case, release: &Release) {
        for ((model, promised), wanted) in release.promises().into_iter().zip(&case.promises) {
            let differs = |(key, value): &&(String, String)| {
                let stated = promised.get(key).and_then(serde_json::Value::as_f64);
                matches!((value.parse::<f64>(), stated), (Ok(wanted), Some(stated)) if wanted.to_bits() != stated.to_bits())
            };
            if let Some((key, value)) = wanted.settings.iter().find(differs) {
                self.fail(
                    "promise weakened",
                    format!("{model}: the policy says {key} = {value}, the manifest {:?}", promised.get(key)),
                );
            }
        }
    }

    /// The files alone pass the check.
    fn check(&mut self, files: &Path) {
        match guarded(|| library::check_files(files)) {
            Ok(Ok((verdicts, _))) => {
                if let Some(broken) = verdicts.iter().find(|verdict| !verdict.holds) {
                    self.fail("check refuses", broken.model.clone());
                }
            }
            Ok(Err(error)) => self.fail("check stops", error.to_string()),
            Err(words) => self.fail("check panics", words),
        }
    }

    /// Spoils the files in every way, and expects the check to notice what breaks a promise.
    fn spoil(&mut self, case: &Case, folder: &Path, dice: &mut Dice) {
        let Ok(release) = Release::read(&folder.join("out").join("release")) else { return };
        for way in spoil::WAYS {
            let Some(mut spoiled) = spoil::spoil(&release, way, dice) else { continue };
            let place = folder.join("spoiled");
            let _ = std::fs::remove_dir_all(&place);
            if spoil::write(&mut spoiled, &place).is_err() {
                continue;
            }
            let from_files = |model: &str| {
                !matches!(model, "l-diverse-slicing" | "matching-l-diversity" | "b-t-privacy" | "uncertain-k-anonymity")
            };
            let judged: Vec<(&str, Option<bool>)> = spoiled
                .promises()
                .into_iter()
                .filter(|(model, promised)| {
                    from_files(model) && promised.get("presence").and_then(|x| x.as_str()) != Some("combined")
                })
                .map(|(model, promised)| {
                    (model, judge(&spoiled, case, None, model, promised).and_then(|judged| judged.holds))
                })
                .collect();
            let broken: Vec<&str> =
                judged.iter().filter(|(_, holds)| *holds == Some(false)).map(|(model, _)| *model).collect();
            let checked = guarded(|| library::check_files(&place));
            let noticed = match &checked {
                Ok(Ok((verdicts, _))) => verdicts.iter().any(|verdict| !verdict.holds),
                Ok(Err(_)) => true,
                Err(words) => {
                    self.fail("check panics", format!("{way}: {words}"));
                    continue;
                }
            };
            self.spoiled.push((way, !broken.is_empty(), noticed && !broken.is_empty()));
            if !broken.is_empty() && !noticed {
                self.fail("spoiled file passes", format!("{way}: {} is broken by recomputation", broken.join(", ")));
            }
            if let Ok(Ok((verdicts, _))) = &checked {
                let kept = |model: &str| judged.iter().any(|(name, holds)| *name == model && *holds == Some(true));
                let once = |model: &str| judged.iter().filter(|(name, _)| *name == model).count() == 1;
                if let Some(wrong) =
                    verdicts.iter().find(|verdict| !verdict.holds && kept(&verdict.model) && once(&verdict.model))
                {
                    self.fail("check alarms falsely", format!("{way}: {}", wrong.model));
                }
            }
        }
    }
}

/// Whether the definitions confirm that not even everybody in one group keeps what is promised; nothing where they can't tell.
fn confirm(case: &Case) -> Option<bool> {
    let people = case.people();
    if people.is_empty() {
        return Some(true);
    }
    let sensitive = case.with_role("sensitive");
    let described = |&index: &usize| {
        let column = &case.columns[index];
        let paths = if let Tree::File(paths) = &column.tree { paths.clone() } else { Vec::new() };
        Described {
            name: column.name.clone(),
            kind: column.kind,
            has_tree: column.tree != Tree::None,
            paths,
            categories: column.categories.clone(),
        }
    };
    let mut group = Group { people: 0, counts: vec![Counts::new(); sensitive.len()] };
    for (row, weight) in people {
        group.people += weight;
        for (counts, &column) in group.counts.iter_mut().zip(&sensitive) {
            *counts.entry(case.rows[row][column].to_string()).or_default() += weight;
        }
    }
    let attributes: Vec<Described> = sensitive.iter().map(described).collect();
    let whole = match persons::united(case, attributes.clone()) {
        Some(by_people) => by_people,
        None => Grouping { attributes, groups: vec![group], parts: None },
    };
    let mut all = Some(false);
    for promise in &case.promises {
        let parameters = promise.settings.iter().map(|(key, value)| {
            let list = serde_json::from_str(value).unwrap_or_else(|_| serde_json::Value::String(value.clone()));
            (key.clone(), list)
        });
        match whole.judge(&promise.name, &parameters.collect()).map(|judged| judged.holds) {
            Some(Some(false)) => return Some(true),
            Some(Some(true)) => {}
            _ => all = None,
        }
    }
    all
}
