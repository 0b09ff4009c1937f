//! The promise of another model, kept by a target itself.

use super::super::{Group, GroupCheck, PrivacyModel, TableSummary};
use crate::distance::Scratch;
use crate::error::{Error, Result};
use crate::kind::distribution::share::Share;
use crate::model::{ModelId, Scope, entropy_l_diversity, probabilistic_l_diversity, t_closeness};
use crate::numeric::{Ratio, Threshold, tolerance};

/// A promise that effective targets keep.
#[derive(Debug)]
pub(crate) struct Derived {
    /// Which, with its parameter.
    pub(crate) kind: Kind,
    check: Box<dyn GroupCheck>,
}

/// The promises that a target can be derived from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// No value is likelier than 1/l.
    Probabilistic {
        /// The nearest float.
        l: f64,
        /// The decimal.
        bound: Threshold,
    },
    /// The entropy is at least ln l.
    Entropy {
        /// How many equal values are as even.
        l: f64,
    },
    /// The distance from the table is at most t.
    Closeness {
        /// The bound.
        t: f64,
    },
}

/// Shares as counts: fine enough that rounding stays far below the tolerance.
const FINE: f64 = (1_u64 << 50) as f64;

const PROBABILISTIC: ModelId = probabilistic_l_diversity::ENTRY.id();
const ENTROPY: ModelId = entropy_l_diversity::ENTRY.id();
const CLOSENESS: ModelId = t_closeness::ENTRY.id();

impl Derived {
    /// Makes the promise ready for a table whose codes are the ranks of the target.
    pub(crate) fn new(model: &dyn PrivacyModel, whole: &TableSummary) -> Result<Self> {
        let number = |key: &str| model.parameters().get(key).and_then(serde_json::Value::as_f64);
        let kind = match (model.id(), number("l"), number("t")) {
            (PROBABILISTIC, Some(l), _) => Kind::Probabilistic { l, bound: Threshold::new(l)? },
            (ENTROPY, Some(l), _) => Kind::Entropy { l },
            (CLOSENESS, _, Some(t)) => Kind::Closeness { t },
            _ => return Err(Error::bug(format!("no target is derived from {}", model.name()))),
        };
        let Scope::Groups(of_groups) = model.scope() else {
            return Err(Error::bug(format!("{} does not judge groups", model.name())));
        };
        Ok(Self { kind, check: of_groups.prepare(whole)? })
    }

    /// Whether an effective distribution keeps the promise: in fractions for shares, with a margin for distances, so
    /// that no rounding decides in favour of the release.
    pub(crate) fn holds(&self, shares: &[Share]) -> bool {
        match self.kind {
            Kind::Probabilistic { bound, .. } => {
                shares.iter().filter(|s| s.num > 0).all(|s| Ratio { num: s.den, den: s.num }.at_least(bound))
            }
            Kind::Entropy { l } => entropy(shares) + tolerance::LOGARITHM >= l.ln(),
            Kind::Closeness { t } => {
                let shares: Vec<f64> = shares.iter().map(|share| share.to_f64()).collect();
                self.distance(&shares) <= t - tolerance::DERIVED_TARGET
            }
        }
    }

    /// How far a distribution is from the table's.
    pub(crate) fn distance(&self, shares: &[f64]) -> f64 {
        #[expect(clippy::cast_sign_loss, reason = "shares are not negative")]
        let counts: Vec<u64> = shares.iter().map(|share| (share * FINE).round() as u64).collect();
        let mut levels = [0.0];
        let group = Group { people: counts.iter().sum(), sensitive: &[counts], parent: None };
        self.check.measure(&group, &mut Scratch::default(), &mut levels);
        levels[0]
    }
}

fn entropy(shares: &[Share]) -> f64 {
    shares.iter().map(|share| share.to_f64()).filter(|&p| p > 0.0).map(|p| -p * p.ln()).sum()
}
