//! The front door: what a program that uses this library calls. Everything here rests on the modules below and computes nothing of its own.

mod audit;
mod before_after;
mod build;
mod catalogue;
mod check;
pub mod cluster;
mod compare;
pub mod files;
mod hierarchy;
mod inspect;
mod publish;
mod release;
mod run;
mod table;

pub use audit::{Attacked, audit};
pub use before_after::{AttributePart, AttributeParts};
pub use build::{AttributeSpec, MethodSpec, PolicyBuilder, Promise, methods, models};
pub use catalogue::{CatalogueEntry, EntryKind, catalogue, explain};
pub use check::{IntactFile, Verification, check, levels};
pub use compare::{Grid, compare};
pub use hierarchy::{HierarchyLevel, HierarchyPreview, hierarchy};
pub use inspect::{inspect, rules};
pub use publish::{Published, publish};
pub use release::Release;
pub use run::Run;
pub use table::{Schema, Table};
