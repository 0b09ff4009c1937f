//! The kinds of release, as they are read back from their files.

use super::{Ambiguous, Answers, Bucketized, Condensed, Distribution, Files, Generalized, Groups, Sliced, Uncertain};
use crate::error::{Code, Error, Result};
use crate::progress::Progress;

/// A release that was read from its files. Each kind answers the same questions: [`Release::answers`].
#[derive(Debug)]
pub enum Release {
    /// Groups that publish the same generalized quasi-identifiers.
    Generalized(Generalized),
    /// Exact quasi-identifiers, apart from the sensitive values of their groups.
    Bucketized(Bucketized),
    /// The values of each attribute by group, apart from each other.
    Ambiguous(Ambiguous),
    /// Exact quasi-identifiers, and by group sensitive values that follow a target.
    Distribution(Distribution),
    /// Records as probability densities.
    Uncertain(Uncertain),
    /// Records drawn anew from the moments of groups.
    Condensed(Condensed),
    /// Columns of attributes, each shuffled inside buckets of people.
    Sliced(Sliced),
}

impl Release {
    /// Reads the tables of a release. What they say of people, rows and groups must be what the manifest says.
    pub fn read(files: &Files<'_>, progress: &Progress) -> Result<Self> {
        Ok(match files.manifest.kind.as_str() {
            "generalized" => Self::Generalized(Generalized::read(files, progress)?),
            "bucketized" => Self::Bucketized(Bucketized::read(files, progress)?),
            "ambiguous" => Self::Ambiguous(Ambiguous::read(files, progress)?),
            "distribution" => Self::Distribution(Distribution::read(files, progress)?),
            "uncertain" => Self::Uncertain(Uncertain::read(files, progress)?),
            "condensed" => Self::Condensed(Condensed::read(files, progress)?),
            "sliced" => Self::Sliced(Sliced::read(files, progress)?),
            other => {
                return Err(Error::input(format!("the manifest is of the unknown kind {other:?}"))
                    .coded(Code::UnknownReleaseKind)
                    .at_file(&files.place)
                    .help("use the program that made the release, or a newer one"));
            }
        })
    }

    /// Its groups with their sensitive values, if it has groups.
    pub fn groups(&self) -> Option<&Groups> {
        match self {
            Self::Generalized(release) => Some(&release.groups),
            Self::Bucketized(release) => Some(&release.groups),
            Self::Ambiguous(release) => Some(&release.groups),
            Self::Distribution(_) | Self::Uncertain(_) => None,
            Self::Condensed(release) => Some(&release.groups),
            Self::Sliced(release) => release.groups(),
        }
    }

    /// How it answers the questions of adversaries and analysts.
    pub fn answers(&self) -> &dyn Answers {
        match self {
            Self::Generalized(release) => release,
            Self::Bucketized(release) => release,
            Self::Ambiguous(release) => release,
            Self::Distribution(release) => release,
            Self::Uncertain(release) => release,
            Self::Condensed(release) => release,
            Self::Sliced(release) => release,
        }
    }
}
