//! Whether somebody is in the table at all, and which distribution values shall seem to have.

use serde_json::{Value as Json, json};

use super::{about_one, promises};
use crate::api::Promise;
use crate::error::Result;

promises! {
    /// Nobody's presence is believed with more than `alpha`, and nobody's sensitive value with more than `beta`: a promise of ambiguous releases.
    ///
    /// ```
    /// use moretta::{Policy, Run, files, methods::Ambiguity, models::AlphaBetaPrivacy, publish};
    ///
    /// // The patients of Wang, table 1.
    /// let policy = Policy::builder().quasi("age").quasi("gender").quasi("zipcode").sensitive("disease")
    ///     .require(AlphaBetaPrivacy::new(0.5, 0.5)?)
    ///     .method(Ambiguity::new())
    ///     .build()?;
    /// let table = files::parse_csv("age,gender,zipcode,disease\n45,M,11000,diabetes\n20,M,12000,flu\n50,M,23000,diarrhea\n60,M,12000,stroke\n\
    ///      20,F,54000,leukemia\n50,F,23000,diabetes\n60,F,23000,leukemia\n60,F,21000,dyspepsia\n", policy.schema())?;
    /// let published = publish(&policy, &table, &Run::new().seed(7))?;
    /// assert!(published.report().guarantees[0].holds);
    /// # Ok::<(), moretta::Error>(())
    /// ```
    AlphaBetaPrivacy = "alpha-beta-privacy"(alpha: f64, beta: f64);
}

about_one!(AlphaBetaPrivacy, PPrivate);

impl AlphaBetaPrivacy {
    /// Presence is judged by each covering group alone, and not by all of them together.
    #[must_use]
    pub fn by_group(self) -> Self {
        Self(self.0.with("presence", "group"))
    }
}

/// What can be believed of anybody's value in a group is a distribution that the steward chose: a promise of distribution releases.
///
/// ```
/// use moretta::{Policy, Run, files, methods::Distribution, models::PPrivate, publish};
///
/// // Koudas et al., the salaries of the first group: every value once, so nothing has to be generalized.
/// let policy = Policy::builder().quasi("zipcode").quasi("gender").sensitive("salary").require(PPrivate::uniform()?).method(Distribution::new()).build()?;
/// let table = files::parse_csv("zipcode,gender,salary\n91110,F,30\n91110,M,40\n91110,M,50\n91130,F,60\n", policy.schema())?;
/// let published = publish(&policy, &table, &Run::new().seed(7))?;
/// assert_eq!(published.report().guarantees[0].achieved["departing_groups"], 0);
/// # Ok::<(), moretta::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PPrivate(Promise);

impl PPrivate {
    /// Every value of the group is as likely.
    pub fn uniform() -> Result<Self> {
        Self::of("uniform")
    }

    /// As in the whole table.
    pub fn of_table() -> Result<Self> {
        Self::of("table")
    }

    /// As in the group itself.
    pub fn of_group() -> Result<Self> {
        Self::of("group")
    }

    /// As a normal distribution.
    pub fn normal(mean: f64, variance: f64) -> Result<Self> {
        Self::of(json!({ "normal": { "mean": mean, "variance": variance } }))
    }

    /// The k-th value is as likely as k^−s.
    pub fn zipf(s: f64) -> Result<Self> {
        Self::of(json!({ "zipf": s }))
    }

    /// The distribution nearest to the group's own that keeps another promise.
    pub fn keeping(promise: impl Into<Promise>) -> Result<Self> {
        Self::of(promise.into().into_json())
    }

    /// As a file lists it, which a resolver finds when the policy is built: `value`, `weight` and, if groups differ, `group`.
    pub fn file(name: &str) -> Self {
        Self(Promise::new("p-private").with("target", json!({ "file": name })))
    }

    fn of(target: impl Into<Json>) -> Result<Self> {
        Promise::new("p-private").with("target", target).checked().map(Self)
    }
}

impl From<PPrivate> for Promise {
    fn from(model: PPrivate) -> Self {
        model.0
    }
}
