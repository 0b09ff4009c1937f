//! Random parameters of all models at once, and policies that state them.

use proptest::prelude::*;

use crate::testkit::oracle::Hundredths;

/// Parameters of all models at once.
#[derive(Clone, Debug)]
pub(super) struct Wish {
    pub(super) l: u64,
    pub(super) fraction: Hundredths,
    pub(super) c: Hundredths,
    pub(super) k: u64,
    pub(super) alpha: Hundredths,
    pub(super) weight: Hundredths,
    pub(super) t: Hundredths,
    pub(super) n: u64,
}

pub(super) fn wishes() -> impl Strategy<Value = Wish> {
    (1_u64..5, 100_u64..400, 1_u64..400, 1_u64..8, 1_u64..=100, 0_u64..500, 0_u64..69, 1_u64..40).prop_map(
        |(l, fraction, c, k, alpha, weight, t, n)| Wish {
            l,
            fraction: Hundredths(fraction),
            c: Hundredths(c),
            k,
            alpha: Hundredths(alpha),
            weight: Hundredths(weight),
            t: Hundredths(t),
            n,
        },
    )
}

pub(super) fn diversity_models(wish: &Wish) -> Vec<String> {
    let Wish { l, fraction, c, k, alpha, weight, .. } = wish;
    vec![
        format!("model = \"k-anonymity\", k = {k}"),
        format!("model = \"distinct-l-diversity\", l = {l}"),
        format!("model = \"probabilistic-l-diversity\", l = {fraction}"),
        format!("model = \"entropy-l-diversity\", l = {fraction}"),
        format!("model = \"recursive-l-diversity\", c = {c}, l = {l}"),
        format!("model = \"alpha-k-anonymity\", alpha = {alpha}, k = {k}"),
        format!(
            "model = \"alpha-k-anonymity\", alpha = {alpha}, k = {k}, attribute = \"disease\", values = [\"aa\", \"cc\"]"
        ),
        format!("model = \"p-sensitive\", p = {l}, k = {k}"),
        format!("model = \"p-plus-sensitive\", p = {l}, k = {k}, attribute = \"disease\""),
        format!("model = \"p-alpha-sensitive\", p = {l}, k = {k}, alpha = {weight}"),
        format!("model = \"delta-disclosure\", delta = {c}"),
    ]
}

pub(super) const DISTANCES: [(&str, &str); 8] = [
    ("ordered", "attribute = \"salary\""),
    ("ordered", "attribute = \"salary\", order = \"value\""),
    ("equal", "attribute = \"disease\""),
    ("hierarchical", "attribute = \"disease\""),
    ("js", "attribute = \"disease\""),
    ("kl", "attribute = \"disease\""),
    ("variational", "attribute = \"disease\""),
    ("kernel-js", "attribute = \"disease\", bandwidth = 0.7"),
];

pub(super) fn closeness_models(model: &str, wish: &Wish) -> Vec<String> {
    let write = |(distance, rest): &(&str, &str)| format!("{model}, distance = \"{distance}\", t = {}, {rest}", wish.t);
    DISTANCES.iter().map(write).collect()
}

pub(super) const T_CLOSENESS: &str = "model = \"t-closeness\"";
