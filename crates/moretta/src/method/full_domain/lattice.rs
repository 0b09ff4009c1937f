//! The lattice of generalization levels: a level for each attribute makes a node.

use crate::error::{Error, Result};
use crate::hierarchy::{Hierarchy, NodeId, Scale};
use crate::method::Task;

/// The level of each quasi-identifier; 0 leaves it as it is.
pub(super) type NodeLevels = Vec<u16>;

/// The levels of one attribute: what each code becomes at each.
#[derive(Debug)]
pub(super) struct GeneralizationLadder {
    /// `value_of_code[level][code]`: which of the level's values the code becomes.
    pub(super) value_of_code: Vec<Vec<u32>>,
    /// `nodes[level][value]`: the hierarchy's node that a value is.
    pub(super) nodes: Vec<Vec<NodeId>>,
    /// How many levels the hierarchy has above the leaves, also those that a policy does not allow.
    pub(super) height: usize,
}

/// All combinations of levels. One node is *finer* than another if no level of it is higher.
///
/// Every hierarchy ends in one root, unless a policy does not allow its highest levels. So the top level of an attribute is the attribute left out: nodes
/// over fewer attributes, with which Incognito begins (LeFevre, DeWitt and Ramakrishnan, SIGMOD 2005,
/// section 3), are nodes of this one lattice.
#[derive(Debug)]
pub(super) struct Lattice {
    pub(super) ladders: Vec<GeneralizationLadder>,
}

impl GeneralizationLadder {
    pub(super) fn levels(&self) -> usize {
        self.nodes.len()
    }

    fn new(tree: &Hierarchy, scale: &Scale, attribute: &str) -> Result<Self> {
        let ranks = scale.rank_of_codes();
        let mut ladder = Self { value_of_code: Vec::new(), nodes: Vec::new(), height: tree.levels() - 1 };
        for level in 0..=scale.max_level().unwrap_or(ladder.height) {
            let node_of_code: Vec<NodeId> = ranks.iter().map(|&rank| tree.at_level(rank, level)).collect();
            let mut nodes = node_of_code.clone();
            nodes.sort_unstable();
            nodes.dedup();
            let value = |node: &NodeId| nodes.partition_point(|other| other < node) as u32;
            ladder.value_of_code.push(node_of_code.iter().map(value).collect());
            ladder.nodes.push(nodes);
        }
        ladder.refuse_unnested(scale, attribute)?;
        Ok(ladder)
    }

    /// Values that are one at a level must stay one above it; a line of a hierarchy file that repeats a
    /// label which another line does not repeat breaks this.
    fn refuse_unnested(&self, scale: &Scale, attribute: &str) -> Result<()> {
        for (level, pair) in self.value_of_code.windows(2).enumerate() {
            let [below, above] = pair else { continue };
            let mut first_code: Vec<Option<usize>> = vec![None; self.nodes[level].len()];
            for code in 0..below.len() {
                let first = *first_code[below[code] as usize].get_or_insert(code);
                if above[first] != above[code] {
                    let text = |code: usize| scale.domain().value(code as u32).to_string();
                    return Err(Error::input(format!(
                        "the levels of {attribute:?} do not nest: {:?} and {:?} are one at level {level} and two at level {}",
                        text(first),
                        text(code),
                        level + 1
                    ))
                    .help("give every line of the hierarchy the same number of labels"));
                }
            }
        }
        Ok(())
    }
}

impl Lattice {
    /// The lattice over a task's hierarchies. Refuses an attribute without one.
    pub(super) fn new(task: &Task<'_>) -> Result<Self> {
        let ladder = |(scale, name): (&Scale, &String)| match scale.tree() {
            Some(tree) => GeneralizationLadder::new(tree, scale, name),
            None => Err(no_hierarchy(name)),
        };
        Ok(Self { ladders: task.scales.iter().zip(&task.quasi_names).map(ladder).collect::<Result<_>>()? })
    }

    pub(super) fn attributes(&self) -> usize {
        self.ladders.len()
    }

    /// How many nodes there are; saturates.
    pub(super) fn nodes(&self) -> u128 {
        self.ladders.iter().fold(1, |product: u128, ladder| product.saturating_mul(ladder.levels() as u128))
    }

    /// The node at which everything is generalized as far as it may be.
    pub(super) fn top(&self) -> NodeLevels {
        self.ladders.iter().map(|ladder| ladder.levels() as u16 - 1).collect()
    }

    /// The attributes that have more than one value at a node: only they tell groups apart.
    pub(super) fn telling(&self, levels: &[u16]) -> Vec<usize> {
        (0..levels.len())
            .filter(|&attribute| self.ladders[attribute].nodes[levels[attribute] as usize].len() > 1)
            .collect()
    }

    /// How many levels each attribute has, in words: `5 × 5 = 25 combinations of levels`.
    pub(super) fn in_words(&self) -> String {
        let levels: Vec<String> = self.ladders.iter().map(|ladder| ladder.levels().to_string()).collect();
        format!("{} = {} combinations of levels", levels.join(" × "), self.nodes())
    }

    /// Refuses levels that this lattice does not have.
    pub(super) fn check(&self, levels: &[u16]) -> Result<()> {
        let top = self.top();
        if levels.len() == top.len() && levels.iter().zip(&top).all(|(level, top)| level <= top) {
            return Ok(());
        }
        Err(Error::input(format!("{levels:?} is no node of this lattice")).help(format!("the highest is {top:?}")))
    }

    /// A numbering of all nodes, where they can be numbered.
    pub(super) fn numbering(&self) -> Numbering {
        let mut stride = 1;
        let steps = self.ladders.iter().map(|ladder| {
            let step = Step { stride, levels: ladder.levels() };
            stride *= ladder.levels();
            step
        });
        Numbering { steps: steps.collect() }
    }
}

/// Nodes as numbers in mixed radix: a finer node has a smaller number.
#[derive(Clone, Debug)]
pub(super) struct Numbering {
    steps: Vec<Step>,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    stride: usize,
    levels: usize,
}

impl Numbering {
    pub(super) fn len(&self) -> usize {
        self.steps.iter().map(|step| step.levels).product()
    }

    pub(super) fn levels(&self, node: usize) -> NodeLevels {
        self.steps.iter().map(|step| (node / step.stride % step.levels) as u16).collect()
    }

    /// The nodes one level above in one attribute.
    pub(super) fn coarser(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let above = move |step: &Step| (node / step.stride % step.levels + 1 < step.levels).then(|| node + step.stride);
        self.steps.iter().filter_map(above)
    }

    /// The nodes one level below in one attribute.
    pub(super) fn finer(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let below = move |step: &Step| (!(node / step.stride).is_multiple_of(step.levels)).then(|| node - step.stride);
        self.steps.iter().filter_map(below)
    }
}

fn no_hierarchy(attribute: &str) -> Error {
    Error::input(format!("full-domain generalizes along hierarchies, and {attribute:?} has none")).help(
        "state one under [attributes]: hierarchy = \"file.csv\", { intervals = [5, 10] }, { mask = \"right\" }, \
         { balanced = 2 } or { dates = [\"month\", \"year\"] }; or use the method least-loss",
    )
}
