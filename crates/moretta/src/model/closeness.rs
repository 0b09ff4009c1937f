//! What the closeness models share: a distance between distributions, and the bound on it.

use std::f64::consts::LN_2;

use serde_json::{Map, Value as Json};

use super::Sensitive;
use super::target::{Exact, Target};
use crate::config::{Section, suggestion};
use crate::data::value::{Type, Value};
use crate::distance::{Ground, GroundedDistance, NAMES, PreparedDistance};
use crate::error::{Error, Result};
use crate::hierarchy::HierarchySpec;
use crate::numeric::Threshold;
use crate::schema::Attribute;

/// The bound t, the distance that it bounds, and the attributes whose values are compared.
#[derive(Clone, Debug)]
pub(super) struct Closeness {
    pub(super) target: Target,
    pub(super) t: Exact,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Ordered(Order),
    Equal,
    Hierarchical,
    Js,
    Kl,
    Variational,
    KernelJs { bandwidth: f64 },
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    Rank,
    Value,
}

/// How far kernel-smoothed JS between beliefs smooths, unless the policy says: half of the largest distance of values.
const SMOOTHING: f64 = 0.5;

impl Closeness {
    pub(super) fn read(section: &mut Section<'_>, attributes: &[Attribute]) -> Result<Self> {
        let kind = read_kind(section)?;
        let largest = kind.largest();
        let range = match kind.largest() {
            1.0 => "from 0 to 1: no distance of this kind is larger".to_owned(),
            LN_2 => "from 0 to 0.6931, ln 2: no divergence of this kind is larger".to_owned(),
            _ => "from 0 up".to_owned(),
        };
        let t = Exact::read(section, "t", &range, |t| t <= largest)?;
        let (target, chosen) = Target::read(section, attributes)?;
        for attribute in chosen {
            fits(section, kind, attribute)?;
        }
        Ok(Self { target, t, kind })
    }

    /// The bound on the variational distance of an attribute's values, which is what some of the distances are.
    pub(super) fn variation(&self, attribute: &str) -> Option<f64> {
        let is_variation = matches!(self.kind, Kind::Equal | Kind::Variational);
        (is_variation && self.target.includes(attribute)).then_some(self.t.value)
    }

    /// The distance between beliefs: kernel-smoothed JS unless another is named, whose own bandwidth is called
    /// `smoothing` here. There is no t in it.
    pub(super) fn of_beliefs(section: &mut Section<'_>, attributes: &[Attribute]) -> Result<Self> {
        let name = section.text("distance")?.unwrap_or("kernel-js");
        let order = section.choice("order", &[("rank", Order::Rank), ("value", Order::Value)])?;
        let smoothing = section.number("smoothing", "above 0, in distances from 0 to 1", |b| b > 0.0)?;
        let kind = match (name, order, smoothing) {
            ("ordered", _, None) => Kind::Ordered(order.unwrap_or(Order::Rank)),
            ("kernel-js", None, _) => Kind::KernelJs { bandwidth: smoothing.unwrap_or(SMOOTHING) },
            ("equal", None, None) => Kind::Equal,
            ("hierarchical", None, None) => Kind::Hierarchical,
            ("js", None, None) => Kind::Js,
            ("kl", None, None) => Kind::Kl,
            ("variational", None, None) => Kind::Variational,
            (known, ..) if NAMES.contains(&known) => {
                let message = format!("the distance {known:?} has no such parameter");
                let help = "`order` belongs to \"ordered\", `smoothing` to \"kernel-js\"; remove it";
                return Err(section.error_at("distance", message).help(help));
            }
            (other, ..) => {
                let message = format!("there is no distance {other:?}");
                return Err(section.error_at("distance", message).help(suggestion(other, &NAMES)));
            }
        };
        let (target, chosen) = Target::read(section, attributes)?;
        for attribute in chosen {
            fits(section, kind, attribute)?;
        }
        let zero = Threshold::new(0.0).map(|bound| Exact { value: 0.0, bound })?;
        Ok(Self { target, t: zero, kind })
    }

    /// The distance between beliefs, as the manifest states it.
    pub(super) fn promise_distance(&self, promised: &mut Map<String, Json>) {
        let mut state = |key: &str, value: Json| promised.insert(key.to_owned(), value);
        state("distance", self.kind.name().into());
        match self.kind {
            Kind::Ordered(Order::Rank) => drop(state("order", "rank".into())),
            Kind::Ordered(Order::Value) => drop(state("order", "value".into())),
            Kind::KernelJs { bandwidth } => drop(state("smoothing", bandwidth.into())),
            _ => {}
        }
        self.target.promise(promised);
    }

    /// The largest distance that there can be.
    pub(super) fn largest(&self) -> f64 {
        self.kind.largest()
    }

    /// As the manifest states it.
    pub(super) fn promise(&self, promised: &mut Map<String, Json>) {
        let mut state = |key: &str, value: Json| promised.insert(key.to_owned(), value);
        state("t", self.t.to_json());
        state("distance", self.kind.name().into());
        match self.kind {
            Kind::Ordered(Order::Rank) => drop(state("order", "rank".into())),
            Kind::Ordered(Order::Value) => drop(state("order", "value".into())),
            Kind::KernelJs { bandwidth } => drop(state("bandwidth", bandwidth.into())),
            _ => {}
        }
        self.target.promise(promised);
    }

    /// The distance, made ready for an attribute.
    pub(super) fn distance(&self, sensitive: &Sensitive) -> Result<PreparedDistance> {
        // The domain is what the reference holds: whoever was left out may have taken a value along.
        let codes = sensitive.domain.len();
        let present: Vec<u32> =
            (0..).zip(&sensitive.people).filter(|(_, people)| **people > 0).map(|(c, _)| c).collect();
        let present = if present.is_empty() { (0..codes as u32).collect() } else { present };
        let values: Vec<Value> = present.iter().map(|&code| sensitive.domain.value(code).clone()).collect();
        let leaves = sensitive.hierarchy.as_ref().map(|(tree, ranks)| {
            let ranks: Vec<u32> = present.iter().map(|&code| ranks[code as usize]).collect();
            (tree, ranks)
        });
        let tree = leaves.as_ref().map(|(tree, ranks)| Ground::Tree { tree, ranks });
        let distance = match self.kind {
            Kind::Ordered(_) if !sensitive.domain.kind().is_ordered() => {
                return Err(Error::input(unordered(&sensitive.name)).help(INSTEAD_OF_ORDERED));
            }
            Kind::Ordered(Order::Rank) => GroundedDistance::Emd(Ground::Rank),
            Kind::Ordered(Order::Value) => GroundedDistance::Emd(Ground::Value(&values)),
            Kind::Equal => GroundedDistance::Emd(Ground::Equal),
            Kind::Hierarchical => GroundedDistance::Emd(
                tree.ok_or_else(|| Error::input(treeless(&sensitive.name)).help(INSTEAD_OF_HIERARCHICAL))?,
            ),
            Kind::Js => GroundedDistance::Js,
            Kind::Kl => GroundedDistance::Kl,
            Kind::Variational => GroundedDistance::Variational,
            Kind::KernelJs { bandwidth } => {
                // The best that is known about how far apart values are; a missing one has no place on the number line.
                let on_line = sensitive.domain.kind().is_ordered();
                let by_order = if values.iter().any(Value::is_missing) { Ground::Rank } else { Ground::Value(&values) };
                let ground = tree.unwrap_or(if on_line { by_order } else { Ground::Equal });
                GroundedDistance::KernelJs { bandwidth, ground }
            }
        };
        let ready = PreparedDistance::new(distance, values.len())?;
        Ok(if present.len() == codes { ready } else { ready.within_codes(codes, present) })
    }
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Ordered(_) => "ordered",
            Self::Equal => "equal",
            Self::Hierarchical => "hierarchical",
            Self::Js => "js",
            Self::Kl => "kl",
            Self::Variational => "variational",
            Self::KernelJs { .. } => "kernel-js",
        }
    }

    /// The largest distance that there can be.
    fn largest(self) -> f64 {
        match self {
            Self::Ordered(_) | Self::Equal | Self::Hierarchical | Self::Variational => 1.0,
            Self::Js | Self::KernelJs { .. } => LN_2,
            Self::Kl => f64::INFINITY,
        }
    }
}

fn read_kind(section: &mut Section<'_>) -> Result<Kind> {
    let all = format!("one of: {}", NAMES.join(", "));
    let name = section.text("distance")?.ok_or_else(|| section.lacks("distance").help(all))?;
    let order = section.choice("order", &[("rank", Order::Rank), ("value", Order::Value)])?;
    let bandwidth = section.number("bandwidth", "above 0, in distances from 0 to 1", |b| b > 0.0)?;
    let kind = match name {
        "ordered" => Kind::Ordered(order.unwrap_or(Order::Rank)),
        "equal" => Kind::Equal,
        "hierarchical" => Kind::Hierarchical,
        "js" => Kind::Js,
        "kl" => Kind::Kl,
        "variational" => Kind::Variational,
        "kernel-js" => {
            let bandwidth = bandwidth.ok_or_else(|| {
                section.lacks("bandwidth").help("values this far apart are unlike; a number above 0, for example 0.2")
            })?;
            Kind::KernelJs { bandwidth }
        }
        other => {
            let message = format!("there is no distance {other:?}");
            return Err(section.error_at("distance", message).help(suggestion(other, &NAMES)));
        }
    };
    let alien = match kind {
        Kind::Ordered(_) => bandwidth.map(|_| "bandwidth"),
        Kind::KernelJs { .. } => order.map(|_| "order"),
        _ => order.map(|_| "order").or(bandwidth.map(|_| "bandwidth")),
    };
    match alien {
        None => Ok(kind),
        Some(key) => {
            let message = format!("`{key}` means nothing to the distance {name:?}");
            let help = "`order` belongs to \"ordered\", `bandwidth` to \"kernel-js\"; remove it";
            Err(section.error_at(key, message).help(help))
        }
    }
}

const INSTEAD_OF_ORDERED: &str = "distance = \"equal\" or \"hierarchical\", or state a numeric `type`";
const INSTEAD_OF_HIERARCHICAL: &str = "give it a `hierarchy` under [attributes], or choose distance = \"equal\"";

fn unordered(attribute: &str) -> String {
    format!("the values of {attribute:?} have no order but the alphabet's, which means nothing")
}

fn treeless(attribute: &str) -> String {
    format!("{attribute:?} has no hierarchy to measure distances in")
}

/// Refuses an attribute that lacks what the distance needs, as far as the policy tells.
fn fits(section: &Section<'_>, kind: Kind, attribute: &Attribute) -> Result<()> {
    let refused = |message: String, help: &str| Err(section.error_at("distance", message).help(help));
    match (kind, &attribute.hierarchy, attribute.kind) {
        (Kind::Ordered(_), _, Some(Type::Text | Type::Code | Type::Boolean)) => {
            refused(unordered(&attribute.name), INSTEAD_OF_ORDERED)
        }
        // Dates have the calendar without saying so; other values have no tree by themselves.
        (Kind::Hierarchical, HierarchySpec::Default, Some(Type::Date | Type::Timestamp)) => Ok(()),
        (Kind::Hierarchical, HierarchySpec::Default | HierarchySpec::Free, _) => {
            refused(treeless(&attribute.name), INSTEAD_OF_HIERARCHICAL)
        }
        _ => Ok(()),
    }
}
