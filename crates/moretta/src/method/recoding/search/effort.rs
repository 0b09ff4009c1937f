//! How much is spent on the search.

use crate::config::{Content, Section, suggestion};
use crate::error::Result;

/// How many steps a search makes. Counted, not timed: a release is the same on every machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::method) struct SearchEffort {
    pub(in crate::method) steps: u64,
}

/// The words for it. A step takes about a tenth of a millisecond where only sizes matter.
const WORDS: [(&str, u64); 3] = [("quick", 0), ("normal", 12_000), ("best", 1_000_000)];

/// More steps than this are a mistake.
const MOST_STEPS: u64 = 1 << 40;

impl SearchEffort {
    /// Reads `effort`, which is one of the words or a number of steps.
    pub(in crate::method) fn read(section: &mut Section<'_>) -> Result<Self> {
        let steps = match section.get("effort").map(|node| &node.content) {
            None => 0,
            Some(Content::Text(word)) => {
                let known = WORDS.iter().find(|(name, _)| name == word);
                let names = WORDS.map(|(name, _)| name);
                known.map(|&(_, steps)| steps).ok_or_else(|| {
                    section.error_at("effort", format!("`effort` can't be {word:?}")).help(suggestion(word, &names))
                })?
            }
            Some(&Content::Integer(steps)) => {
                u64::try_from(steps).ok().filter(|&steps| steps <= MOST_STEPS).ok_or_else(|| {
                    section
                        .error_at("effort", format!("`effort` is {steps}"))
                        .help(format!("a number of steps from 0 to {MOST_STEPS}, \"quick\", \"normal\" or \"best\""))
                })?
            }
            Some(other) => {
                return Err(section.wrong_kind(
                    "effort",
                    "\"quick\", \"normal\", \"best\" or a number of steps",
                    other,
                ));
            }
        };
        Ok(Self { steps })
    }
}
