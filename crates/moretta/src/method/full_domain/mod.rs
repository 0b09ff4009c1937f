//! Full-domain generalization: one level of its hierarchy for each attribute, the same for all people.

#[cfg(test)]
mod adult;
mod counts;
mod evaluate;
mod frontier;
mod heuristic;
mod judge;
mod lattice;
mod memo;
mod minimal;
mod objective;
mod optimal;
#[cfg(test)]
mod oracle;
mod refuse;
mod rise;
#[cfg(test)]
mod tests;

use self::counts::{Base, NodeCounts};
use self::evaluate::{Evaluator, Fit};
use self::judge::NodeJudge;
use self::lattice::{Lattice, NodeLevels};
use super::{Method, MethodEntry, Task, Transparency};
use crate::config::{Content, Node, Section};
use crate::data::role::Role;
use crate::error::{Code, Error, Result};
use crate::hierarchy::GeneralizedValue;
use crate::kind::generalized::{Grouping, PlanDraft};
use crate::kind::{KindId, Plan};
use crate::method::recoding::limits::with_followers;
use crate::method::{Supports, Wish};
use crate::model::SeveralRows;
use crate::progress::Progress;
use crate::release::plan::Piece;

pub use self::objective::Objective;

pub(super) const ENTRY: MethodEntry = MethodEntry {
    name: "full-domain",
    summary: "generalization: one level of its hierarchy for each attribute, found by a search of all combinations",
    paper: "Samarati 2001; LeFevre, DeWitt, Ramakrishnan 2005",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/methods/full-domain.md")),
    suppresses: true,
    supports: Supports::Groups,
    kinds: &[KindId::Generalized],
    transparency: Transparency::Open("a level that was not taken because of sensitive values tells something of them"),
    several_rows: SeveralRows::Counted("every node is judged by the people of its groups"),
    read,
};

/// Global recoding by levels (Samarati, TKDE 2001; LeFevre, DeWitt and Ramakrishnan, *Incognito*, SIGMOD 2005).
///
/// Every attribute has a hierarchy, of which the method chooses one level for the whole table; groups that fail then
/// are left out, as far as the policy allows. Nodes of the lattice of levels are counted from the groups of finer
/// nodes, never from rows. The result does not depend on the number of threads.
#[derive(Clone, Debug)]
struct FullDomain {
    objective: Objective,
    search: Search,
}

/// How the lattice is searched.
#[derive(Clone, Debug, Default)]
enum Search {
    /// Whole, unless the lattice is too large: then by a heuristic, which is told.
    #[default]
    Unstated,
    Optimal,
    Minimal,
    Heuristic {
        most_nodes: u64,
    },
    /// Not at all: the level of each quasi-identifier is stated.
    Stated(Vec<(String, u16)>),
}

/// A node of the lattice that keeps every promise.
#[derive(Clone, Debug, PartialEq)]
pub struct LatticeNode {
    /// The level of each quasi-identifier, in the order of the policy; 0 leaves it as it is.
    pub levels: Vec<u16>,
    /// The people whom it leaves out.
    pub suppressed: u64,
    /// What it costs, by the objective of the search.
    pub cost: f64,
}

/// Lattices with more nodes are not searched whole, but by a heuristic where the policy does not state how. Some 60 bytes are kept for each node, and the slowest searches
/// count every one.
const MOST_NODES: u128 = 1 << 20;

/// Nodes that a heuristic search counts unless told otherwise.
const HEURISTIC_NODES: u64 = 4096;

fn read(section: &mut Section<'_>) -> Result<Box<dyn Method>> {
    let objective = section.choice("objective", &Objective::NAMES)?.unwrap_or_default();
    let limit = section.whole("nodes", 1)?;
    let searches = [
        ("optimal", Search::Optimal),
        ("minimal", Search::Minimal),
        ("heuristic", Search::Heuristic { most_nodes: limit.unwrap_or(HEURISTIC_NODES) }),
    ];
    let words = searches.each_ref().map(|(word, search)| (*word, search));
    let search = section.choice("search", &words)?.cloned();
    if let Some(levels) = read_levels(section)? {
        if search.is_some() || limit.is_some() {
            return Err(section
                .error_at("levels", "`levels` states the node, so that there is nothing to search")
                .help("leave `search` and `nodes` out, or `levels`"));
        }
        return Ok(Box::new(FullDomain { objective, search: Search::Stated(levels) }));
    }
    let search = search.unwrap_or_default();
    if limit.is_some() && !matches!(search, Search::Heuristic { .. }) {
        return Err(section
            .error_at("nodes", "`nodes` limits a heuristic search only")
            .help("remove it, or set search = \"heuristic\""));
    }
    Ok(Box::new(FullDomain { objective, search }))
}

/// The level of each quasi-identifier, if they are stated.
fn read_levels(section: &mut Section<'_>) -> Result<Option<Vec<(String, u16)>>> {
    let Some(node) = section.get("levels") else { return Ok(None) };
    let level = |(name, node): &(String, Node)| match &node.content {
        Content::Integer(level) => u16::try_from(*level).ok().map(|level| (name.clone(), level)),
        _ => None,
    };
    let levels = match &node.content {
        Content::Table(entries) => entries.iter().map(level).collect::<Option<Vec<_>>>(),
        _ => None,
    };
    levels.map(Some).ok_or_else(|| {
        section
            .error_at("levels", "`levels` must give each quasi-identifier a whole number")
            .help("levels = { age = 2, sex = 0 }: 0 leaves values as they are")
    })
}

impl Method for FullDomain {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn supports(&self) -> Supports {
        ENTRY.supports
    }

    fn kind(&self) -> KindId {
        KindId::Generalized
    }

    fn supports_role(&self, role: Role) -> bool {
        !matches!(role, Role::Group | Role::Unclassified)
    }

    fn needs_hierarchies(&self) -> bool {
        true
    }

    fn honours(&self, wish: Wish) -> bool {
        match wish {
            // Discernibility counts groups, whatever they publish.
            Wish::Importance => self.objective != Objective::Dm,
            Wish::MaxLevel | Wish::Linked => true,
            // It has one level for all people: a cell is not suppressed, a column is.
            Wish::SuppressCells => false,
        }
    }

    fn plan(&self, task: &Task<'_>, progress: &Progress) -> Result<Box<dyn Plan>> {
        with_followers(task, progress, &|task, progress| self.grouping(task, progress)).map(Into::into)
    }
}

impl FullDomain {
    fn grouping(&self, task: &Task<'_>, progress: &Progress) -> Result<Grouping> {
        let ground = Ground::new(task)?;
        let is_small = ground.lattice.nodes() <= MOST_NODES;
        match &self.search {
            Search::Unstated if !is_small => {
                let why = format!("{} are too many to search them all: ", ground.lattice.in_words());
                self.heuristic(&ground, HEURISTIC_NODES, &why, progress)
            }
            Search::Unstated | Search::Optimal => {
                let node = ground.optimal(self.objective, progress)?;
                ground.plan(&node.levels)
            }
            Search::Minimal => {
                let nodes = ground.minimal(self.objective, progress)?;
                let best = nodes.iter().min_by(|a, b| a.cost.total_cmp(&b.cost));
                let best = best.ok_or_else(|| Error::bug("a search found neither a node nor a reason"))?;
                Ok(Grouping { notes: list(task, self.objective, &nodes), ..ground.plan(&best.levels)? })
            }
            Search::Stated(levels) => ground.plan(&in_order(task, levels)?),
            Search::Heuristic { most_nodes } => self.heuristic(&ground, *most_nodes, "", progress),
        }
    }

    /// The release at a good node, with what is known of the best; `why` it was not looked for.
    fn heuristic(&self, ground: &Ground<'_>, most_nodes: u64, why: &str, progress: &Progress) -> Result<Grouping> {
        let (node, at_least) = ground.heuristic(self.objective, most_nodes, progress)?;
        let note = format!(
            "{why}the search was heuristic: this release has {} {:.4}{}, and no choice of levels has less than {at_least:.4}",
            self.objective.name(),
            node.cost,
            if is_weighed(ground.task) { " by importance" } else { "" }
        );
        Ok(Grouping { notes: vec![note], ..ground.plan(&node.levels)? })
    }
}

/// Stated levels in the order of the quasi-identifiers.
fn in_order(task: &Task<'_>, stated: &[(String, u16)]) -> Result<NodeLevels> {
    let wanted = || {
        let levels: Vec<String> = task.quasi_names.iter().map(|name| format!("{name} = 0")).collect();
        format!("levels = {{ {} }}", levels.join(", "))
    };
    if let Some((unknown, _)) = stated.iter().find(|(name, _)| !task.quasi_names.contains(name)) {
        let message = format!("`levels` names {unknown:?}, which is no quasi-identifier that is generalized by itself");
        return Err(Error::input(message).help(wanted()));
    }
    let level = |name: &String| {
        let found = stated.iter().find(|(known, _)| known == name).map(|&(_, level)| level);
        found.ok_or_else(|| Error::input(format!("`levels` does not say the level of {name:?}")).help(wanted()))
    };
    task.quasi_names.iter().map(level).collect()
}

/// So many minimal nodes are listed; their number is always told.
const MOST_LISTED: usize = 50;

/// Minimal nodes in words, as a policy states them, if there are several: the cheapest first.
fn list(task: &Task<'_>, objective: Objective, nodes: &[LatticeNode]) -> Vec<String> {
    if nodes.len() < 2 {
        return Vec::new();
    }
    let mut notes = vec![format!("{} nodes of the lattice are minimal; this is the best of them", nodes.len())];
    let mut sorted: Vec<&LatticeNode> = nodes.iter().collect();
    sorted.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    notes.extend(sorted.iter().take(MOST_LISTED).map(|node| {
        let of_node = task.quasi_names.iter().zip(&node.levels);
        let levels: Vec<String> = of_node.map(|(name, level)| format!("{name} = {level}")).collect();
        let out = if node.suppressed > 0 { format!(", {} left out", node.suppressed) } else { String::new() };
        format!("minimal: levels = {{ {} }}, {} {:.4}{out}", levels.join(", "), objective.name(), node.cost)
    }));
    if nodes.len() > MOST_LISTED {
        notes.push(format!("{} more are not listed", nodes.len() - MOST_LISTED));
    }
    notes
}

fn is_weighed(task: &Task<'_>) -> bool {
    task.scales.iter().any(|scale| scale.importance().total_cmp(&1.0).is_ne())
}

/// A task made ready for searches.
struct Ground<'a> {
    task: &'a Task<'a>,
    lattice: Lattice,
    finest: (Base, NodeCounts),
}

impl<'a> Ground<'a> {
    fn new(task: &'a Task<'a>) -> Result<Self> {
        if task.cells.is_empty() {
            return Err(Error::bug("a table without people reached the method"));
        }
        let lattice = Lattice::new(task)?;
        let held = task.requirement.needs_histograms() && !task.sensitive_sizes.is_empty() || task.persons.is_some();
        let finest = Base::new(task, &lattice, held);
        Ok(Self { task, lattice, finest })
    }

    fn evaluator<'g>(&'g self, objective: Objective, progress: &'g Progress) -> Evaluator<'g> {
        progress.start("searching", 0);
        Evaluator::new(self.task, &self.lattice, &self.finest, objective, progress)
    }

    fn optimal(&self, objective: Objective, progress: &Progress) -> Result<LatticeNode> {
        refuse::too_large(&self.lattice, MOST_NODES)?;
        let mut evaluator = self.evaluator(objective, progress);
        let found = optimal::search(&mut evaluator);
        progress.check()?;
        match found {
            Some(best) => Ok(node(self.lattice.numbering().levels(best.node), best.fit)),
            None => Err(refuse::impossible(&mut evaluator)),
        }
    }

    fn minimal(&self, objective: Objective, progress: &Progress) -> Result<Vec<LatticeNode>> {
        refuse::too_large(&self.lattice, MOST_NODES)?;
        let mut evaluator = self.evaluator(objective, progress);
        let found = minimal::search(&mut evaluator);
        progress.check()?;
        if found.is_empty() {
            return Err(refuse::impossible(&mut evaluator));
        }
        let numbering = self.lattice.numbering();
        Ok(found.into_iter().map(|best| node(numbering.levels(best.node), best.fit)).collect())
    }

    /// The best node met, and what every node costs at least.
    fn heuristic(&self, objective: Objective, most_nodes: u64, progress: &Progress) -> Result<(LatticeNode, f64)> {
        let mut evaluator = self.evaluator(objective, progress);
        let most_nodes = usize::try_from(most_nodes).unwrap_or(usize::MAX);
        let guess = heuristic::search(&mut evaluator, most_nodes);
        progress.check()?;
        match guess.best {
            Some((levels, fit)) => Ok((node(levels, fit), guess.at_least)),
            None => Err(refuse::not_found(&mut evaluator)),
        }
    }

    fn plan(&self, levels: &[u16]) -> Result<Grouping> {
        self.lattice.check(levels)?;
        let (base, finest) = &self.finest;
        let raised: Vec<usize> = (0..levels.len()).filter(|&attribute| levels[attribute] > 0).collect();
        let (counts, group_of) = base.roll_up(finest, &self.lattice, levels, &raised);
        let left_out = NodeJudge::new(self.task, base).leave_out(&counts, self.task.may_suppress);
        let left_out = left_out.ok_or_else(|| {
            Error::data(format!("the levels {levels:?} do not keep the promises within the limit of suppression"))
                .coded(Code::NeedsSuppression)
        })?;
        let mut is_out = vec![false; counts.len()];
        left_out.groups.iter().for_each(|&group| is_out[group as usize] = true);
        let kept: Vec<usize> = (0..counts.len()).filter(|&group| !is_out[group]).collect();
        let mut number = vec![0; counts.len()];
        (0..).zip(&kept).for_each(|(new, &group)| number[group] = new);

        let attributes = self.lattice.ladders.iter().zip(levels).zip(&base.codes);
        let published = attributes.map(|((ladder, &level), codes)| {
            let (values, nodes) = (&ladder.value_of_code[level as usize], &ladder.nodes[level as usize]);
            let value = |&group: &usize| values[codes[counts.first[group] as usize] as usize];
            kept.iter().map(|group| GeneralizedValue::Node(nodes[value(group) as usize])).collect()
        });
        let mut pieces = Vec::with_capacity(self.task.cells.len());
        for (ends, &group) in base.first_cell.windows(2).zip(&group_of) {
            if !is_out[group as usize] {
                let people = |cell: u32| self.task.cells.people[cell as usize];
                let group = number[group as usize];
                pieces.extend((ends[0]..ends[1]).map(|cell| Piece { group, cell, people: people(cell) }));
            }
        }
        Ok(Grouping::from_draft(
            &self.task.quasi_names,
            self.task.scales,
            PlanDraft { published: published.collect(), pieces },
        )
        .0)
    }
}

fn node(levels: NodeLevels, fit: Fit) -> LatticeNode {
    LatticeNode { levels, suppressed: fit.suppressed, cost: fit.cost }
}
