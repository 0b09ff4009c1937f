//! What is compared where nobody says what: a few methods, and how much more privacy costs.

use std::time::Duration;

use serde_json::json;

use super::candidate::Candidate;
use crate::config::{Content, Node};
use crate::policy::Policy;

/// Methods that generalize, from the most precise to the plainest.
pub(super) const METHODS: [&str; 4] = ["least-loss", "mondrian", "top-down", "full-domain"];

/// How many times the group size of the policy is tried.
const FACTORS: [u64; 3] = [1, 2, 4];

/// The group size where the policy states none.
const USUAL_K: u64 = 5;

/// By how many conditions the populations are described that utility is measured on.
pub(super) const MAX_CONDITIONS: usize = 2;

/// How long each point may take: a table on which a method takes hours has other points to show.
pub(super) const PATIENCE: Duration = Duration::from_mins(5);

/// Whether a file is a policy and no plan: it describes attributes, and says of nothing what is compared.
pub(super) fn is_policy(root: &Node) -> bool {
    let Content::Table(entries) = &root.content else { return false };
    let has = |wanted: &str| entries.iter().any(|(key, _)| key == wanted);
    has("attributes") && !has("policy") && !has("grid")
}

/// Takes the promises and the method out of a policy, and returns the promises.
pub(super) fn without_promises(policy: &mut Node) -> Vec<Node> {
    let Content::Table(entries) = &mut policy.content else { return Vec::new() };
    let stated = entries.iter().find(|(key, _)| key == "require").map(|(_, node)| node.content.clone());
    entries.retain(|(key, _)| key != "require" && key != "method");
    match stated {
        Some(Content::List(items)) => items,
        _ => Vec::new(),
    }
}

/// Each method with k-anonymity of the policy's k, of twice and of four times as many people.
pub(super) fn candidates(policy: &Policy) -> Vec<Candidate> {
    let stated = policy.models.iter().find(|model| model.name() == "k-anonymity");
    let k = stated.and_then(|model| model.parameters().get("k")?.as_u64()).unwrap_or(USUAL_K);
    let point = |method: &str, factor: u64| {
        let model = json!({ "model": "k-anonymity", "k": k.saturating_mul(factor) });
        Candidate::new(Node::from_json(&json!({ "name": method })), vec![Node::from_json(&model)])
    };
    METHODS.iter().flat_map(|method| FACTORS.map(|factor| point(method, factor))).collect()
}
