//! moretta publishes tables about people so that others can analyse them and nobody in them is exposed.
//!
//! A table and a policy become a *release*. Its promise is proved from the bytes of its files, never from memory; it can be attacked,
//! asked in SQL with estimates and hard bounds, and compared with others.
//!
//! ```
//! use moretta::models::{Distance, KAnonymity, TCloseness};
//! use moretta::{Attacked, HierarchySpec, AttributeSpec, Policy, Run, methods::LeastLoss};
//!
//! # fn main() -> moretta::Result<()> {
//! // What is known of the table, what is promised, and how.
//! let policy = Policy::builder()
//!     .quasi(AttributeSpec::new("age").hierarchy(HierarchySpec::intervals([10, 20, 40])))
//!     .quasi("sex")
//!     .sensitive("disease")
//!     .require(KAnonymity::new(3)?)
//!     .require(TCloseness::new(0.4, Distance::Equal)?)
//!     .method(LeastLoss::new())
//!     .build()?;
//!
//! // The table: here from text; from Arrow with `Table::from_batches`, from files with `moretta::files`.
//! let text = "age,sex,disease\n34,F,flu\n36,F,gout\n38,F,flu\n51,M,gout\n57,M,flu\n58,M,flu\n";
//! let table = moretta::files::parse_csv(text, policy.schema())?;
//!
//! // A release, proved from its bytes. A seed is stated here so that this page always shows the same.
//! let published = moretta::publish(&policy, &table, &Run::new().seed(7))?;
//! assert!(published.report().guarantees.iter().all(|promise| promise.holds));
//!
//! // What an analyst gets: tables, and answers with bounds that the truth can't leave.
//! let (name, batches) = published.tables()?.swap_remove(0);
//! assert_eq!((name.as_str(), batches[0].num_rows()), ("data", 6));
//! let women = published.release().query("SELECT COUNT(*) WHERE sex = 'F' AND disease = 'flu'")?.single()?;
//! assert!(women.lower <= Some(2.0) && Some(2.0) <= women.upper);
//!
//! // What adversaries get.
//! let found = moretta::audit(&Attacked::release(published.release()).beside(&table), &Run::new())?;
//! assert!(found.holds());
//!
//! // What may be given away, and what must not: whole or not at all.
//! # let folder = std::env::temp_dir().join(format!("moretta-front-page-{}", std::process::id()));
//! published.save(&folder)?;
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok(())
//! # }
//! ```
//!
//! | to | call |
//! |---|---|
//! | look at a table, and get a policy to start with | [`inspect()`], [`Examined`] |
//! | see what a hierarchy does to a column | [`hierarchy()`] |
//! | state a policy | [`Policy::builder`], [`Policy::from_toml`], [`files::load_policy`] |
//! | read a table | [`Table::from_batches`], [`Table::from_reader`], [`files::read_table`] |
//! | make a release | [`publish()`], [`files::publish`] |
//! | verify one, or any anonymized table | [`check()`], [`levels()`] |
//! | ask one | [`Release::query`], [`Release::tables`] |
//! | attack one | [`audit()`] |
//! | compare many | [`compare()`], [`ComparisonPlan`] |
//! | know what a model or a method protects, and what not | [`explain()`], [`catalogue()`] |
//! | add a model, a method or an attack | [`plugin`] |
//!
//! Every call takes a [`Run`]: seed, threads, who watches, who may stop it.

#![cfg_attr(
    not(feature = "internals"),
    allow(
        dead_code,
        unreachable_pub,
        unused_imports,
        reason = "some parts are only taken by experiments, through `internals`"
    )
)]

mod api;
mod audit;
mod chance;
mod check;
mod compare;
mod condition;
mod config;
mod data;
mod database;
mod distance;
mod error;
mod export;
mod hierarchy;
mod inspect;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals;
mod kind;
mod knowledge;
mod method;
mod model;
mod numeric;
pub mod plugin;
mod policy;
mod prepare;
mod progress;
mod publish;
mod query;
mod release;
mod report;
mod schema;
mod steward;
mod storage;
#[cfg(test)]
pub(crate) mod testkit;
pub mod text;
mod utility;

pub use api::{
    Attacked, AttributePart, AttributeParts, AttributeSpec, CatalogueEntry, EntryKind, Grid, HierarchyLevel,
    HierarchyPreview, IntactFile, MethodSpec, PolicyBuilder, Promise, Published, Release, Run, Schema, Table,
    Verification, audit, catalogue, check, cluster, compare, explain, files, hierarchy, inspect, levels, methods,
    models, publish, rules,
};
pub use audit::{AttackChoice, Audit, Knowledge};
pub use chance::Seed;
pub use check::TableLevels;
pub use compare::{Comparison, ComparisonPlan};
pub use config::Resolver;
pub use data::role::Role;
pub use data::source::Source;
pub use data::value::{Type, Value};
pub use error::{Code, Error, Fault, Place, Result};
pub use hierarchy::{CodeSystem, DateUnit, HierarchySpec, Side};
pub use inspect::{Examined, Inspection};
pub use model::Verdict;
pub use policy::{Danger, Policy};
pub use progress::{CancelToken, Observer, Stage};
pub use publish::Report;
pub use query::{Answer, Query};
pub use release::manifest::SCHEMA;
pub use release::{About, Dialect, Guarantee, Unit};
pub use schema::MissingRule;

/// What answers consist of, and questions to many.
pub mod questions {
    pub use crate::query::{AnswerRow, Key, RelativeError, Selected, Workload, spell_time};
    #[cfg(feature = "sql")]
    pub use crate::query::{Statement, statements};
    pub use crate::release::{Aggregate, Estimate};
}

/// What the levels of a table consist of.
pub mod levels {
    pub use crate::check::{ClassSizes, GroupName, Unprovable, WorstGroups};
    pub use crate::model::{AttributeLevels, Levels, ProvedFrom};
}

/// What a first look at a table consists of.
pub mod inspection {
    pub use crate::inspect::{
        Dependency, DetectedReading, Frequent, InspectedColumn, Marker, Profile, Range, Repetition, RuleInWords,
        RulesFound, Subset, SuggestedHierarchy, Suggestion, Uniqueness, UniquenessRisk,
    };
    pub use crate::knowledge::Mining;
}

/// What attacks find.
pub mod findings {
    pub use crate::audit::{AttackReport, Finding, Grade, Refused, Skipped, Victim};
    pub use crate::policy::Accept;
}

/// What a comparison consists of.
pub mod frontier {
    pub use crate::audit::KnownProgram;
    pub use crate::compare::{Accuracy, Budget, Candidate, Compared, LearningTask, Measured, PointOutcome};
    pub use crate::utility::Losses;
    pub use crate::utility::privacy_loss::PrivacyLoss;
    pub use crate::utility::utility_loss::UtilityLoss;
}
