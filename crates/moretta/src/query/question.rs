//! Questions that analysts ask.

use crate::condition::Predicate;
use crate::error::Result;
use crate::release::Aggregate;

/// `SELECT … WHERE … GROUP BY …`.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// What is asked for.
    pub selected: Vec<Selected>,
    /// About whom; everybody without a condition.
    pub condition: Option<Predicate>,
    /// By what the answer is split.
    pub group_by: Vec<Key>,
}

/// Something by which an answer is split.
#[derive(Clone, Debug, PartialEq)]
pub enum Key {
    /// The values of an attribute.
    Attribute(String),
    /// The labels at a level of an attribute's hierarchy, level 0 being the values: `LEVEL(education, 1)`.
    Level(String, usize),
    /// The same, with what each label stands for.
    Labels(String, usize, Vec<(String, Predicate)>),
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Attribute(name) => f.write_str(name),
            Self::Level(name, level) | Self::Labels(name, level, _) => write!(f, "LEVEL({name}, {level})"),
        }
    }
}

/// Something that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selected {
    /// How many people.
    Count,
    /// An aggregate of an attribute.
    Aggregate(Aggregate, String),
}

impl Query {
    /// Reads a query.
    pub fn parse(sql: &str) -> Result<Self> {
        super::parse::query(sql)
    }

    /// How many people satisfy a condition.
    pub fn count(condition: Option<Predicate>) -> Self {
        Self { selected: vec![Selected::Count], condition, group_by: Vec::new() }
    }
}

impl std::fmt::Display for Selected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Count => f.write_str("COUNT(*)"),
            Self::Aggregate(aggregate, attribute) => write!(f, "{}({attribute})", aggregate.name()),
        }
    }
}
