//! The publication methods, by which a release is made: [`PolicyBuilder::method`](crate::PolicyBuilder::method).
//!
//! How a method works, and what it costs, its page says: [`explain`](crate::explain).

use serde_json::json;

use super::parameters::MethodSpec;
use crate::error::Result;
use crate::method::full_domain::Objective;

macro_rules! methods {
    ($($(#[doc = $meaning:literal])+ $method:ident = $name:literal;)+) => {
        $(
            $(#[doc = $meaning])+
            #[derive(Clone, Debug, PartialEq)]
            pub struct $method(MethodSpec);

            impl $method {
                /// With its defaults.
                pub fn new() -> Self {
                    Self::default()
                }
            }

            impl Default for $method {
                fn default() -> Self {
                    Self(MethodSpec::new($name))
                }
            }

            impl From<$method> for MethodSpec {
                fn from(method: $method) -> Self {
                    method.0
                }
            }
        )+
    };
}

methods! {
    /// Generalization with the least loss of several algorithms; groups may overlap.
    LeastLoss = "least-loss";
    /// Generalization by the algorithm of LeFevre, DeWitt and Ramakrishnan, or the same groups as buckets.
    Mondrian = "mondrian";
    /// Every value of an attribute is generalized to the same level.
    FullDomain = "full-domain";
    /// Local recoding from the top of the hierarchies down.
    TopDown = "top-down";
    /// Local recoding of clusters of similar people.
    Clustering = "clustering";
    /// Exact quasi-identifiers, with the sensitive values of buckets apart.
    Anatomy = "anatomy";
    /// Groups whose promise holds although the adversary knows the program; generalized, or as buckets.
    Transparent = "transparent";
    /// Auxiliary tables of values, so that presence and association are hidden.
    Ambiguity = "ambiguity";
    /// Buckets whose people may have many values, whatever the rules exclude that hold in the table.
    Injector = "injector";
    /// Sensitive values generalized until they seem to follow the distribution that was chosen.
    Distribution = "distribution";
    /// Records published as probability densities.
    Uncertain = "uncertain";
    /// Records drawn from the moments of groups.
    Condensation = "condensation";
}

impl Mondrian {
    /// Quasi-identifiers stay exact, and groups become buckets.
    #[must_use]
    pub fn bucketized(self) -> Self {
        Self(self.0.with("recoding", "bucketize"))
    }
}

impl Transparent {
    /// Quasi-identifiers stay exact, and groups become buckets.
    #[must_use]
    pub fn bucketized(self) -> Self {
        Self(self.0.with("recoding", "bucketize"))
    }
}

impl FullDomain {
    /// What is minimized; the loss if nothing is stated.
    #[must_use]
    pub fn objective(self, objective: Objective) -> Self {
        Self(self.0.with("objective", objective.name()))
    }

    /// Among the nodes below which nothing keeps the promise, instead of among all.
    #[must_use]
    pub fn minimal(self) -> Self {
        Self(self.0.with("search", "minimal"))
    }

    /// The best of at most so many nodes, for lattices that are too large to be searched.
    #[must_use]
    pub fn heuristic(self, nodes: u64) -> Self {
        Self(self.0.with("search", "heuristic").with("nodes", nodes))
    }
}

impl Distribution {
    /// In groups by the values of attributes or expressions.
    #[must_use]
    pub fn groups(self, expressions: impl IntoIterator<Item: Into<String>>) -> Self {
        let expressions: Vec<String> = expressions.into_iter().map(Into::into).collect();
        Self(self.0.with("groups", expressions))
    }

    /// With each combination of quasi-identifiers as a group of its own.
    #[must_use]
    pub fn by_quasi(self) -> Self {
        Self(self.0.with("grouping", "qi-sa"))
    }

    /// With up to this share of fake values in a group.
    #[must_use]
    pub fn fakes(self, share: f64) -> Self {
        Self(self.0.with("fakes", share))
    }

    /// With a tree of this fan-out over sensitive numbers.
    #[must_use]
    pub fn arity(self, arity: u32) -> Self {
        Self(self.0.with("arity", arity))
    }
}

impl Uncertain {
    /// With uniform densities instead of Gaussian ones.
    #[must_use]
    pub fn uniform(self) -> Self {
        Self(self.0.with("family", "uniform"))
    }

    /// With scales that follow each record's neighbours.
    #[must_use]
    pub fn local(self) -> Self {
        Self(self.0.with("scaling", "local"))
    }

    /// With scales along the main axes of each record's neighbours.
    #[must_use]
    pub fn rotated(self) -> Self {
        Self(self.0.with("scaling", "rotated"))
    }
}

/// Attributes in columns whose values are shuffled against each other within buckets.
#[derive(Clone, Debug, PartialEq)]
pub struct Slicing(MethodSpec);

impl Slicing {
    /// In so many columns, chosen by which attributes belong together.
    pub fn columns(columns: u64) -> Result<Self> {
        MethodSpec::new("slicing").with("columns", columns).checked().map(Self)
    }

    /// In these columns.
    pub fn named<C, N>(columns: C) -> Result<Self>
    where
        C: IntoIterator<Item = N>,
        N: IntoIterator<Item: Into<String>>,
    {
        let lists: Vec<Vec<String>> =
            columns.into_iter().map(|names| names.into_iter().map(Into::into).collect()).collect();
        MethodSpec::new("slicing").with("columns", json!(lists)).checked().map(Self)
    }

    /// Buckets of about so many people, where nothing is promised about sensitive values.
    #[must_use]
    pub fn bucket_size(self, people: u64) -> Self {
        Self(self.0.with("bucket_size", people))
    }

    /// Values of a column that fewer people share are generalized.
    #[must_use]
    pub fn column_k(self, people: u64) -> Self {
        Self(self.0.with("column_k", people))
    }
}

impl From<Slicing> for MethodSpec {
    fn from(method: Slicing) -> Self {
        method.0
    }
}
