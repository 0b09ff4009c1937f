//! What some releases have beyond the questions that all of them answer.

use super::ambiguous::Ambiguous;
use super::distribution::Distribution;
use super::generalized::Generalized;
use super::sliced::Sliced;
use super::uncertain::Uncertain;
use super::{Capability, Lacks, OpenRelease};

/// What a release has beyond the questions that every release answers: what a promise or an attack of its own is about.
#[derive(Clone, Copy, Debug)]
pub enum Structure<'r> {
    /// Nothing.
    Plain,
    /// Labels that stand for several values, in groups that publish the same.
    Labels(&'r Generalized),
    /// Columns that were shuffled by themselves inside buckets.
    Slices(&'r Sliced),
    /// Records that are probability densities.
    Densities(&'r Uncertain),
    /// Lists of the values of each attribute by group, apart from each other.
    AuxiliaryTables(&'r Ambiguous),
    /// Target distributions that the sensitive values of groups follow.
    Targets(&'r Distribution),
}

impl dyn OpenRelease {
    /// Its labels, if it has any.
    pub fn labels(&self) -> Capability<&Generalized> {
        match self.structure() {
            Structure::Labels(labels) => Ok(labels),
            Structure::Plain
            | Structure::Slices(_)
            | Structure::Densities(_)
            | Structure::AuxiliaryTables(_)
            | Structure::Targets(_) => Err(Lacks("its values do not stand for groups of values")),
        }
    }

    /// Its shuffled columns, if it has any.
    pub fn slices(&self) -> Capability<&Sliced> {
        match self.structure() {
            Structure::Slices(slices) => Ok(slices),
            Structure::Plain
            | Structure::Labels(_)
            | Structure::Densities(_)
            | Structure::AuxiliaryTables(_)
            | Structure::Targets(_) => Err(Lacks("the release has no columns that were shuffled")),
        }
    }

    /// Its densities, if it has any.
    pub fn densities(&self) -> Capability<&Uncertain> {
        match self.structure() {
            Structure::Densities(densities) => Ok(densities),
            Structure::Plain
            | Structure::Labels(_)
            | Structure::Slices(_)
            | Structure::AuxiliaryTables(_)
            | Structure::Targets(_) => Err(Lacks("the release has no densities")),
        }
    }

    /// Its lists of values by group, if it has any.
    pub fn auxiliary_tables(&self) -> Capability<&Ambiguous> {
        match self.structure() {
            Structure::AuxiliaryTables(tables) => Ok(tables),
            Structure::Plain
            | Structure::Labels(_)
            | Structure::Slices(_)
            | Structure::Densities(_)
            | Structure::Targets(_) => Err(Lacks("the release does not list values by group, apart from each other")),
        }
    }

    /// Its target distributions, if it has any.
    pub fn targets(&self) -> Capability<&Distribution> {
        match self.structure() {
            Structure::Targets(targets) => Ok(targets),
            Structure::Plain
            | Structure::Labels(_)
            | Structure::Slices(_)
            | Structure::Densities(_)
            | Structure::AuxiliaryTables(_) => Err(Lacks("the release states no target distributions")),
        }
    }
}
