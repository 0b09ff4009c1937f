//! One point of a grid: a method and the models that it is to keep.

use std::path::Path;

use serde_json::{Map, Value as Json};

use crate::config::{Content, Folder, Node, Opened, Origin};
use crate::error::Result;
use crate::policy::Policy;
use crate::{method, model};

/// A method with its parameters, and models with theirs.
#[derive(Clone, Debug)]
pub struct Candidate {
    method: Node,
    require: Vec<Node>,
}

/// The keys of a table that are not parameters.
const NAMES: [&str; 2] = ["name", "model"];

impl Candidate {
    /// A method with a model, or several that hold together: tables as in a policy.
    pub(crate) fn new(method: Node, require: Vec<Node>) -> Self {
        Self { method, require }
    }

    /// The same, where these promises are kept on top, unless it makes the very same or stricter ones.
    #[must_use]
    pub(crate) fn with_promises(mut self, promises: &[Node]) -> Self {
        let added: Vec<Node> =
            promises.iter().filter(|promise| !self.require.iter().any(|own| implies(own, promise))).cloned().collect();
        self.require.extend(added);
        self
    }

    /// Those of some promises that it does not make, in words.
    pub(crate) fn lacking(&self, promises: &[Node]) -> Vec<String> {
        let lacks = |promise: &&Node| !self.require.iter().any(|own| implies(own, promise));
        let in_words = |promise: &Node| {
            let parameters = entries(promise).iter().filter(|(key, _)| key != "model");
            let parameters: Vec<String> = parameters.map(|(key, value)| format!("{key} = {}", plain(value))).collect();
            [text_of(promise, "model")].into_iter().chain(parameters).collect::<Vec<_>>().join(", ")
        };
        promises.iter().filter(lacks).map(in_words).collect()
    }

    /// The policy that publishes it: `base` is the policy of the plan without models and method, and `plan` the file that
    /// states both.
    pub fn policy(&self, base: &Node, base_file: &Path, plan: &Path) -> Result<Policy> {
        let mut policy =
            Policy::from_tree(base.clone(), self.tree(base).to_toml(), base_file, &[], &Folder::of(base_file))?;
        let models = self.require.iter().map(|model| model::registry::read(model, plan, &policy.attributes));
        policy.models = models.collect::<Result<_>>()?;
        let (method, suppression) = method::registry::read(&self.method, plan)?;
        (policy.method, policy.suppression) = (Some(method.into()), suppression);
        Ok(policy)
    }

    /// The whole policy as a tree.
    pub fn tree(&self, base: &Node) -> Node {
        let mut tree = base.clone();
        if let Content::Table(entries) = &mut tree.content {
            let origin = Origin::File(1, 1);
            let models = Node { content: Content::List(self.require.clone()), origin };
            entries.push(("require".to_owned(), models));
            entries.push(("method".to_owned(), self.method.clone()));
        }
        tree
    }

    /// The name of the method.
    pub fn method(&self) -> String {
        text_of(&self.method, "name")
    }

    /// The names of the models.
    pub fn model(&self) -> String {
        self.require.iter().map(|model| text_of(model, "model")).collect::<Vec<_>>().join(" + ")
    }

    /// What is compared with each other: the method and the models, with the parameters that are words.
    pub fn series(&self) -> String {
        let words = |node: &Node| {
            let word = |(key, value): &(String, Node)| match &value.content {
                Content::Text(text) | Content::File(Opened { name: text, .. }) if !NAMES.contains(&key.as_str()) => {
                    Some(text.clone())
                }
                Content::List(_) => Some(value.inline()),
                _ => None,
            };
            let name = NAMES.iter().map(|name| text_of(node, name)).find(|name| !name.is_empty());
            name.into_iter().chain(entries(node).iter().filter_map(word)).collect::<Vec<_>>().join(" ")
        };
        let models: Vec<String> = self.require.iter().map(words).collect();
        format!("{}, {}", words(&self.method), models.join(" + "))
    }

    /// The parameters that are numbers, in words: `k = 5`.
    pub fn numbers(&self) -> String {
        let number = |(key, value): &(String, Node)| match value.content {
            Content::Text(_) | Content::File(_) | Content::List(_) => None,
            _ => Some(format!("{key} = {}", plain(value))),
        };
        let all = self.require.iter().chain([&self.method]).flat_map(entries);
        all.filter_map(number).collect::<Vec<_>>().join(", ")
    }

    /// All parameters: those of the method, then those of the models. Where two models have a parameter of the same name
    /// the later ones are called by their model too.
    pub fn parameters(&self) -> Map<String, Json> {
        let mut parameters = Map::new();
        for node in [&self.method].into_iter().chain(&self.require) {
            for (key, value) in entries(node).iter().filter(|(key, _)| !NAMES.contains(&key.as_str())) {
                let name = if parameters.contains_key(key) {
                    format!("{}.{key}", text_of(node, "model"))
                } else {
                    key.clone()
                };
                parameters.insert(name, value.to_json());
            }
        }
        parameters
    }
}

/// Models whose promise holds for every smaller value of a parameter, too.
const STRICTER_WITH: [(&str, &str); 5] = [
    ("k-anonymity", "k"),
    ("bucket-size", "k"),
    ("distinct-l-diversity", "l"),
    ("probabilistic-l-diversity", "l"),
    ("entropy-l-diversity", "l"),
];

/// Whether a table states the same model as another one with the same parameters, or with stricter ones.
fn implies(a: &Node, b: &Node) -> bool {
    let (mut a, mut b) = (a.to_json(), b.to_json());
    let key = STRICTER_WITH.iter().find(|(model, _)| a["model"] == *model).map(|&(_, key)| key);
    if let (Some(key), Some(strict), Some(loose)) = (key, a.as_object_mut(), b.as_object_mut())
        && let (Some(more), Some(less)) =
            (strict.get(key).and_then(Json::as_f64), loose.get(key).and_then(Json::as_f64))
        && more >= less
    {
        strict.remove(key);
        loose.remove(key);
    }
    a == b
}

fn entries(node: &Node) -> &[(String, Node)] {
    match &node.content {
        Content::Table(entries) => entries,
        _ => &[],
    }
}

fn text_of(node: &Node, key: &str) -> String {
    let value = entries(node).iter().find(|(name, _)| name == key).map(|(_, value)| &value.content);
    match value {
        Some(Content::Text(text)) => text.clone(),
        _ => String::new(),
    }
}

/// A number as one writes it.
fn plain(value: &Node) -> String {
    match value.content {
        Content::Float(x) => x.to_string(),
        _ => value.inline(),
    }
}
