//! The plan of a comparison, read from a file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::candidate::Candidate;
use super::learner::LearningTask;
use super::usual;
use crate::chance::Seed;
use crate::config::resolve::absolute;
use crate::config::{Content, Folder, Node, Section};
use crate::data::role::Role;
use crate::data::source::ServerPassword;
use crate::error::{Code, Error, Result};
use crate::policy::Policy;
use crate::utility::evaluator::{Belief, LossConfig};

/// What is compared, on which table, and how it is measured.
#[derive(Clone, Debug)]
pub struct ComparisonPlan {
    /// The plan's file.
    pub file: PathBuf,
    /// The policy without models and method.
    pub base: Node,
    /// The file to which the policy's paths are relative.
    pub base_file: PathBuf,
    /// What is published and measured, in the order of the plan.
    pub candidates: Vec<Candidate>,
    /// How losses are measured.
    pub measuring: LossConfig,
    /// What chance starts from.
    pub seed: Seed,
    /// What is to be learned from each release, if anything.
    pub classification: Option<LearningTask>,
    /// Whether it is measured what somebody gains who knows the program.
    pub known_program: bool,
    /// How long each point may take before it is given up, with that as its reason; without it, as long as it takes.
    pub patience: Option<Duration>,
    /// Where the password of a server comes from that has the table.
    pub password: ServerPassword,
    /// The promises of the policy, as it states them.
    own: Vec<Node>,
}

impl ComparisonPlan {
    /// Reads a plan. The policy's paths are relative to the file that states the policy, or to `data` where the plan says
    /// `relative_to = "data"`.
    pub fn load(file: &Path, data: &Path, seed: Option<Seed>) -> Result<Self> {
        let root = read(file, "plan")?;
        if usual::is_policy(&root) {
            return Self::of_policy(&Policy::load(file, &[])?, seed.unwrap_or(Seed(1_u64.into())));
        }
        let mut top = Section::new("the plan", &root, file)?;
        let relative_to_data = top.choice("relative_to", &[("plan", false), ("data", true)])?.unwrap_or(false);
        let (mut base, stated_in) = match top.get("policy") {
            None => {
                return Err(top.lacks("policy").help(
                    "name a policy file, policy = \"policy.toml\", or write [policy.data] and [policy.attributes]",
                ));
            }
            Some(Node { content: Content::Text(path), .. }) => {
                let path = top.beside(path);
                (read(&path, "policy")?, path)
            }
            Some(node @ Node { content: Content::Table(_), .. }) => (node.clone(), file.to_path_buf()),
            Some(other) => return Err(top.wrong_kind("policy", "a path or a table", &other.content)),
        };
        let own = usual::without_promises(&mut base);
        let keeps_own = top.choice("promises", &[("grid", false), ("policy-too", true)])?.unwrap_or(false);
        let base_file = if relative_to_data { data.join("policy.toml") } else { stated_in };
        base.open_files(&Folder::of(&base_file), &base_file)?;
        let stated = top.whole("seed", 0)?;
        let seed = seed.unwrap_or(Seed(stated.unwrap_or(1).into()));
        let measuring = read_measuring(&mut top, seed)?;
        let patience =
            top.number("patience", "of seconds from 0 to 31536000", |x| (0.0..=31_536_000.0).contains(&x))?;
        let (classification, known_program) = read_measures(&mut top)?;
        let mut candidates = match top.get("grid") {
            Some(Node { content: Content::List(items), .. }) if !items.is_empty() => {
                let mut candidates = Vec::new();
                for item in items {
                    let mut grid = item.clone();
                    grid.open_files(&Folder::of(file), file)?;
                    candidates.extend(read_grid(&grid, file)?);
                }
                candidates
            }
            Some(other) => return Err(top.wrong_kind("grid", "a list: write [[grid]]", &other.content)),
            None => {
                return Err(top.lacks("[[grid]]").help(
                    "say what is compared: method = \"least-loss\" and require = { model = \"k-anonymity\", k = [5, 10] }",
                ));
            }
        };
        top.finish()?;
        if keeps_own {
            candidates = candidates.into_iter().map(|candidate| candidate.with_promises(&own)).collect();
        }
        let plan = Self {
            file: file.to_path_buf(),
            base,
            base_file,
            candidates,
            measuring,
            seed,
            classification,
            known_program,
            patience: patience.map(Duration::from_secs_f64),
            password: ServerPassword::default(),
            own,
        };
        // Whatever is wrong whatever the data is found before anything is published.
        plan.candidates.iter().try_for_each(|candidate| plan.policy(candidate).map(drop))?;
        Ok(plan)
    }

    /// Some candidates on the table of a policy, measured in the usual way.
    pub fn of_candidates(policy: &Policy, candidates: Vec<Candidate>, seed: Seed) -> Result<Self> {
        let mut base = (*policy.tree).clone();
        let own = usual::without_promises(&mut base);
        let (file, base_file) = (policy.file.clone(), policy.file.clone());
        let mut measuring = LossConfig::usual(seed);
        // A query restricts quasi-identifiers and a sensitive attribute: no more than there are.
        measuring.workload.dimension = measuring.workload.dimension.min(policy.linkable_attributes().count() + 1);
        let plan = Self {
            file,
            base,
            base_file,
            candidates,
            measuring,
            seed,
            classification: None,
            known_program: false,
            patience: None,
            password: ServerPassword::default(),
            own,
        };
        plan.candidates.iter().try_for_each(|candidate| plan.policy(candidate).map(drop))?;
        Ok(plan)
    }

    /// The usual grid on the table of a policy, whose own promises every point keeps.
    pub fn of_policy(policy: &Policy, seed: Seed) -> Result<Self> {
        let mut own = (*policy.tree).clone();
        let own = usual::without_promises(&mut own);
        let candidates = usual::candidates(policy);
        let mut plan =
            Self::of_candidates(policy, candidates.into_iter().map(|point| point.with_promises(&own)).collect(), seed)?;
        // Of a wide table all combinations would be millions.
        plan.measuring.max_conditions = Some(usual::MAX_CONDITIONS);
        plan.patience = Some(usual::PATIENCE);
        // Of several sensitive attributes the first is measured.
        plan.measuring.attribute = policy.with_role(Role::Sensitive).next().map(|attribute| attribute.name.clone());
        Ok(plan)
    }

    /// The promises of the policy that a candidate does not make, in words: `k-anonymity, k = 5`.
    pub fn dropped_promises(&self, candidate: &Candidate) -> Vec<String> {
        candidate.lacking(&self.own)
    }

    /// The policy on whose table everything is compared.
    pub fn table_policy(&self) -> Result<Policy> {
        match self.candidates.first() {
            Some(first) => Ok(self.policy(first)?.with_password(self.password.clone())),
            None => Err(Error::input("the plan compares nothing")),
        }
    }

    /// The policy of a candidate.
    pub fn policy(&self, candidate: &Candidate) -> Result<Policy> {
        candidate.policy(&self.base, &self.base_file, &self.file)
    }

    /// What a steward should know about the methods themselves, each thing once.
    pub fn notices(&self) -> Result<Vec<&'static str>> {
        let mut notices = Vec::new();
        for candidate in &self.candidates {
            let notice = self.policy(candidate)?.method.and_then(|method| method.notice());
            notices.extend(notice.filter(|notice| !notices.contains(notice)));
        }
        Ok(notices)
    }

    /// The policy of a candidate, ready for `publish` from another folder: its paths do not depend on where it stands.
    pub fn policy_text(&self, candidate: &Candidate) -> Result<String> {
        let mut tree = candidate.tree(&self.base);
        tree.anchor_files()?;
        anchor_source(&mut tree, self.base_file.parent().unwrap_or(Path::new("")))?;
        let text = format!("# {}; {}\n\n{}", candidate.series(), candidate.numbers(), tree.to_toml());
        Policy::in_file(text.clone(), Path::new("policy.toml"), &[])?;
        Ok(text)
    }
}

fn read(file: &Path, what: &str) -> Result<Node> {
    let bytes = std::fs::read(file).map_err(|e| Error::machine(&format!("read the {what}"), file, e))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Error::input(format!("the {what} is not UTF-8")).coded(Code::PolicySyntax).at_file(file))?;
    Node::parse(&text, file)
}

/// Makes the path of a policy's table absolute.
fn anchor_source(policy: &mut Node, folder: &Path) -> Result<()> {
    let Content::Table(sections) = &mut policy.content else { return Ok(()) };
    let Some((_, data)) = sections.iter_mut().find(|(key, _)| key == "data") else { return Ok(()) };
    let Content::Table(entries) = &mut data.content else { return Ok(()) };
    let source = entries.iter_mut().find(|(key, _)| key == "source");
    if let Some((_, Node { content: Content::Text(source), .. })) = source {
        *source = absolute(&folder.join(&*source))?;
    }
    Ok(())
}

const BELIEFS: [(&str, Belief); 2] = [("posterior", Belief::Posterior), ("group", Belief::Group)];

fn read_measuring(top: &mut Section<'_>, seed: Seed) -> Result<LossConfig> {
    let share = |x: f64| x > 0.0 && x <= 1.0;
    let usual = LossConfig::usual(seed);
    let mut workload = usual.workload;
    if let Some(node) = top.get("queries") {
        let mut own = top.inner("queries", node)?;
        let whole = |number: Option<u64>, default: usize| number.map_or(default, |number| number as usize);
        workload.queries = whole(own.whole("count", 1)?, workload.queries);
        workload.dimension = whole(own.whole("dimension", 1)?, workload.dimension);
        workload.selectivity = own.number("selectivity", "above 0, at most 1", share)?.unwrap_or(workload.selectivity);
        own.finish()?;
    }
    let names = crate::distance::NAMES.map(|name| (name, name));
    Ok(LossConfig {
        attribute: top.text("attribute")?.map(str::to_owned),
        min_support: top.number("min_support", "above 0, at most 1", share)?.unwrap_or(usual.min_support),
        max_conditions: top.whole("max_conditions", 1)?.map(|most| most as usize),
        distance: top.choice("distance", &names)?.map_or(usual.distance, str::to_owned),
        belief: top.choice("belief", &BELIEFS)?.unwrap_or(usual.belief),
        bandwidth: top.number("bandwidth", "above 0", |x| x > 0.0)?.unwrap_or(usual.bandwidth),
        workload,
    })
}

/// What is measured on top of losses and query error: what can be learned, and what somebody gains who knows the program.
fn read_measures(top: &mut Section<'_>) -> Result<(Option<LearningTask>, bool)> {
    let target = top.text("target")?.map(str::to_owned);
    let folds = top.whole("folds", 2)?;
    let names = top.texts("measure")?.unwrap_or_default();
    if let Some(other) = names.iter().find(|name| !["classification", "known-program"].contains(&name.as_str())) {
        return Err(top
            .error_at("measure", format!("there is no measure {other:?}"))
            .help("losses and query error are always measured; \"classification\" and \"known-program\" come on top"));
    }
    let measures = |wanted: &str| names.iter().any(|name| name == wanted);
    if !measures("classification") && (target.is_some() || folds.is_some()) {
        return Err(top.error("`target` and `folds` belong to measure = [\"classification\"]"));
    }
    let task =
        measures("classification").then(|| LearningTask { target, folds: folds.map_or(10, |folds| folds as usize) });
    Ok((task, measures("known-program")))
}

/// The candidates of one grid: every method with every combination of the models' parameters.
fn read_grid(node: &Node, file: &Path) -> Result<Vec<Candidate>> {
    let mut section = Section::new("[[grid]]", node, file)?;
    let methods = section.get("method").ok_or_else(|| section.lacks("method"))?;
    let methods: Vec<&Node> = match &methods.content {
        Content::List(items) => items.iter().collect(),
        _ => vec![methods],
    };
    let models = section.get("require").ok_or_else(|| section.lacks("require"))?;
    let models: Vec<&Node> = match &models.content {
        Content::List(items) => items.iter().collect(),
        _ => vec![models],
    };
    section.finish()?;
    let mut choices: Vec<Vec<Node>> = vec![Vec::new()];
    for model in models {
        Section::new("[[grid]]: a model", model, file)?;
        let values = expand(model);
        let with = |chosen: &Vec<Node>| -> Vec<Vec<Node>> {
            values.iter().map(|value| chosen.iter().chain([value]).cloned().collect()).collect()
        };
        choices = choices.iter().flat_map(with).collect();
    }
    let mut candidates = Vec::new();
    for method in methods {
        let method = match &method.content {
            Content::Text(_) => {
                let content = Content::Table(vec![("name".to_owned(), method.clone())]);
                Node { content, origin: method.origin.clone() }
            }
            _ => method.clone(),
        };
        Section::new("[[grid]]: a method", &method, file)?;
        for method in expand(&method) {
            candidates.extend(choices.iter().map(|models| Candidate::new(method.clone(), models.clone())));
        }
    }
    Ok(candidates)
}

/// A table for each combination of the items of its lists: a list stands for alternatives, so a value that is a list
/// itself stands in a list of its own.
fn expand(node: &Node) -> Vec<Node> {
    let Content::Table(entries) = &node.content else { return vec![node.clone()] };
    let mut found = vec![Vec::new()];
    for (key, value) in entries {
        let items = match &value.content {
            Content::List(items) => items.clone(),
            _ => vec![value.clone()],
        };
        let with = |chosen: &Vec<(String, Node)>| -> Vec<Vec<(String, Node)>> {
            items.iter().map(|item| chosen.iter().cloned().chain([(key.clone(), item.clone())]).collect()).collect()
        };
        found = found.iter().flat_map(with).collect();
    }
    found.into_iter().map(|entries| Node { content: Content::Table(entries), origin: node.origin.clone() }).collect()
}
