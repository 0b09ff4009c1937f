//! How the values of each attribute are distributed in an original, and what a release lets expect of them.

use serde::Serialize;

use super::release::Release;
use super::run::Run;
use super::table::Table;
use crate::error::Result;
use crate::report::{Bin, Binned, OriginalRisk};

/// An attribute whose values are put into few parts.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct AttributeParts {
    /// Its name.
    pub name: String,
    /// Whether it is sensitive.
    pub sensitive: bool,
    /// Whether the release speaks of it at all.
    pub released: bool,
    /// The parts: numbers and dates in their order, other values the most frequent first and the rest together.
    pub parts: Vec<AttributePart>,
}

/// A part of an attribute's values.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct AttributePart {
    /// What it is called.
    pub label: String,
    /// The people in the original who have one of its values.
    pub before: u64,
    /// How many a reader of the release expects; nothing where it can't be told.
    pub after: Option<f64>,
}

impl Release {
    /// Before and after, attribute by attribute: who has which values in the original, and what the release lets expect.
    ///
    /// ```
    /// use moretta::{Policy, Run, files, methods::LeastLoss, models::KAnonymity, publish};
    ///
    /// let policy = Policy::builder().quasi("age").sensitive("disease").require(KAnonymity::new(2)?).method(LeastLoss::new()).build()?;
    /// let table = files::parse_csv("age,disease\n34,flu\n36,gout\n51,flu\n57,gout\n", policy.schema())?;
    /// let release = publish(&policy, &table, &Run::new())?.release().clone();
    /// let found = release.before_and_after(&table, &Run::new())?;
    /// assert_eq!((found[1].name.as_str(), found[1].sensitive, found[1].parts[0].before), ("disease", true, 2));
    /// # Ok::<(), moretta::Error>(())
    /// ```
    pub fn before_and_after(&self, original: &Table, run: &Run) -> Result<Vec<AttributeParts>> {
        run.carry_out(|progress| {
            let whole = original.prepared().original();
            let before = OriginalRisk::of(&whole.quasi, &whole.sensitive, whole.cells);
            let release = self.opened(progress)?;
            let attribute = |binned: &Binned| {
                progress.check()?;
                let after = binned.after(release);
                let part = |(index, bin): (usize, &Bin)| AttributePart {
                    label: bin.label.clone(),
                    before: bin.people,
                    after: after.as_ref().map(|after| after[index].max(0.0)),
                };
                Ok(AttributeParts {
                    name: binned.name.clone(),
                    sensitive: binned.sensitive,
                    released: after.is_some(),
                    parts: binned.bins.iter().enumerate().map(part).collect(),
                })
            };
            before.attributes.iter().map(attribute).collect()
        })
    }
}
