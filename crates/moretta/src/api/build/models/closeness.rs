//! How far what is believed of a group may be from what is known of all.

use serde_json::Value as Json;

use super::{about_one, promises};
use crate::api::Promise;
use crate::error::Result;

/// A distance between distributions of sensitive values.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Distance {
    /// The earth mover's, where values lie on a line at equal distances, in their order.
    Ordered,
    /// The earth mover's, where numbers lie on a line as they are.
    OrderedByValue,
    /// The earth mover's, where all values are equally far apart.
    Equal,
    /// The earth mover's, where values are as far apart as their hierarchy says.
    Hierarchical,
    /// The Jensen–Shannon divergence, in nats.
    JensenShannon,
    /// The Kullback–Leibler divergence, in nats.
    KullbackLeibler,
    /// Half of the sum of all differences.
    Variational,
    /// The Jensen–Shannon divergence of distributions that were smoothed over values up to this far apart, from 0 to 1.
    KernelJensenShannon(f64),
}

impl Distance {
    /// Adds to a promise what a policy says of the distance; `bandwidth` is what it calls the width of a kernel.
    fn state(self, promise: Promise, bandwidth: &str) -> Promise {
        let name = match self {
            Self::Ordered | Self::OrderedByValue => "ordered",
            Self::Equal => "equal",
            Self::Hierarchical => "hierarchical",
            Self::JensenShannon => "js",
            Self::KullbackLeibler => "kl",
            Self::Variational => "variational",
            Self::KernelJensenShannon(_) => "kernel-js",
        };
        let named = promise.with("distance", name);
        match self {
            Self::OrderedByValue => named.with("order", "value"),
            Self::KernelJensenShannon(width) => named.with(bandwidth, width),
            _ => named,
        }
    }
}

promises! {
    /// No value is more than e^δ times as frequent in a group as in the table, or less than 1/e^δ times.
    ///
    /// ```
    /// use moretta::{Policy, Run, files, levels, models::DeltaDisclosure};
    ///
    /// // a has 3 of 8 people, and 1 of 4 in the second group.
    /// let policy = Policy::builder().group("class").sensitive("s").require(DeltaDisclosure::new(0.6932)?).build()?;
    /// let table = files::csv("class,s\n1,a\n1,a\n1,b\n1,b\n2,a\n2,b\n2,b\n2,b\n")?;
    /// let reached = levels(&table, &policy, &Run::new())?;
    /// let delta = reached.guarantees[0].achieved["delta"].as_f64().unwrap();
    /// assert!((delta - (3.0_f64 / 2.0).ln()).abs() < 1e-12);
    /// # Ok::<(), moretta::Error>(())
    /// ```
    DeltaDisclosure = "delta-disclosure"(delta: f64);
}

/// The distribution of sensitive values in every group is within t of that in the table.
///
/// ```
/// use moretta::{Policy, Run, files, levels, models::{Distance, TCloseness}};
///
/// // Li (2010), table 2.2: the salaries {3, 4, 5} are at 0.375 from those of all.
/// let policy = Policy::builder().group("class").sensitive("s").require(TCloseness::new(0.375, Distance::Ordered)?).build()?;
/// let table = files::csv("class,s\n1,3\n1,4\n1,5\n2,6\n2,11\n2,8\n3,7\n3,9\n3,10\n")?;
/// let reached = levels(&table, &policy, &Run::new())?;
/// assert_eq!((&reached.guarantees[0].achieved["t"], reached.guarantees[0].holds), (&0.375.into(), true));
/// # Ok::<(), moretta::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TCloseness(Promise);

impl TCloseness {
    /// With this bound on this distance.
    pub fn new(t: f64, distance: Distance) -> Result<Self> {
        distance.state(Promise::new("t-closeness").with("t", t), "bandwidth").checked().map(Self)
    }
}

/// The distribution of sensitive values in every group is within t of that in some part of the table that holds it and at least n people.
///
/// ```
/// use moretta::{Policy, Run, files, levels, models::{Distance, NTCloseness}};
///
/// // Groups of a thousand people, as in Li (2010), table 2.4, are large enough by themselves.
/// let policy = Policy::builder().quasi("zip").sensitive("disease").weight("people").require(NTCloseness::new(1000, 0.1, Distance::Equal)?).build()?;
/// let table = files::csv("zip,disease,people\n476**,Cancer,500\n476**,Flu,500\n479**,Cancer,200\n479**,Flu,1800\n")?;
/// let reached = levels(&table, &policy, &Run::new())?;
/// assert_eq!((&reached.guarantees[0].achieved["t"], reached.guarantees[0].holds), (&0.into(), true));
/// # Ok::<(), moretta::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NTCloseness(Promise);

impl NTCloseness {
    /// With this bound on this distance, and so many people.
    pub fn new(n: u64, t: f64, distance: Distance) -> Result<Self> {
        let promise = Promise::new("n-t-closeness").with("n", n).with("t", t);
        distance.state(promise, "bandwidth").checked().map(Self)
    }
}

/// The release moves the belief of adversaries who know the table's patterns by at most t, about anybody.
///
/// ```
/// use moretta::{Policy, Run, files, methods::Mondrian, models::BTPrivacy, publish};
///
/// // Against somebody who knows the patterns, and somebody who knows nothing but the whole.
/// let policy = Policy::builder().quasi("age").sensitive("disease").require(BTPrivacy::new([(0.3, 0.4), (f64::INFINITY, 0.4)])?).method(Mondrian::new()).build()?;
/// let table = files::parse_csv("age,disease\n22,flu\n24,gout\n26,flu\n28,cold\n41,gout\n43,cold\n", policy.schema())?;
/// let published = publish(&policy, &table, &Run::new().seed(7))?;
/// assert!(published.report().guarantees[0].holds);
/// # Ok::<(), moretta::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BTPrivacy(Promise);

impl BTPrivacy {
    /// Against adversaries (B, t): each knows the patterns as sharply as the bandwidth B says, and may learn no more than t. An infinite
    /// bandwidth knows the distribution of the whole table, and nothing else.
    pub fn new(skyline: impl IntoIterator<Item = (f64, f64)>) -> Result<Self> {
        let bandwidth = |bandwidth: f64| if bandwidth.is_finite() { Json::from(bandwidth) } else { Json::from("inf") };
        let adversaries: Vec<Json> =
            skyline.into_iter().map(|(b, t)| serde_json::json!({ "bandwidth": bandwidth(b), "t": t })).collect();
        Promise::new("b-t-privacy").with("skyline", adversaries).checked().map(Self)
    }

    /// The same with another distance between beliefs than the smoothed Jensen–Shannon divergence.
    #[must_use]
    pub fn distance(self, distance: Distance) -> Self {
        Self(distance.state(self.0, "smoothing"))
    }
}

macro_rules! into_promise {
    ($($model:ident),+) => {
        $(impl From<$model> for Promise {
            fn from(model: $model) -> Self {
                model.0
            }
        })+
    };
}

into_promise!(TCloseness, NTCloseness, BTPrivacy);
about_one!(TCloseness, NTCloseness, BTPrivacy, DeltaDisclosure);
