//! How much is spent on the search.

use std::fmt;

use crate::config::{Content, Section, suggestion};
use crate::error::Result;

/// How many steps a search makes. Counted, not timed: a release is the same on every machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::method) struct SearchEffort {
    pub(in crate::method) steps: u64,
}

/// The words for it. A step takes a few tenths of a millisecond where only sizes matter.
const WORDS: [(&str, u64); 3] = [("quick", 0), ("normal", 20_000), ("best", 1_000_000)];

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

    /// Writes the settings of a method, `others` being those without this one. What is drawn in a release depends on them, so without a search nothing is added: such
    /// releases stay what they are.
    pub(in crate::method) fn describe(self, f: &mut fmt::Formatter<'_>, others: &str) -> fmt::Result {
        f.write_str(others)?;
        if self.steps > 0 { write!(f, " searching {} steps", self.steps) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use crate::testkit::tables::parse;

    const POLICY: &str = r#"
        [data]
        source = "toy.csv"
        [attributes]
        age = { role = "quasi", type = "integer" }
        [method]
    "#;

    fn read(method: &str) -> Result<String, String> {
        let policy = parse(&format!("{POLICY}{method}"), &["model = \"k-anonymity\", k = 2".to_owned()]);
        policy.map(|policy| format!("{:?}", policy.method.unwrap())).map_err(|error| error.to_string())
    }

    /// Draws depend on the settings: a release without a search has those that it had before there was one.
    #[test]
    fn without_a_search_settings_are_what_they_were() {
        for (method, settings) in [
            ("name = \"least-loss\"", "LeastLoss"),
            ("name = \"least-loss\"\neffort = \"quick\"", "LeastLoss"),
            ("name = \"clustering\"\neffort = 0", "Clustering"),
            ("name = \"top-down\"", "TopDown { plain: false }"),
            ("name = \"top-down\"\nplain = true", "TopDown { plain: true }"),
        ] {
            assert_eq!(read(method).unwrap(), settings);
        }
        let searching = |effort: &str| read(&format!("name = \"least-loss\"\neffort = {effort}")).unwrap();
        assert_eq!(searching("7"), "LeastLoss searching 7 steps");
        assert_ne!(searching("\"normal\""), searching("\"best\""));
    }

    #[test]
    fn what_is_no_effort_is_refused() {
        for effort in ["\"slow\"", "-1", "true", "1.5"] {
            let error = read(&format!("name = \"least-loss\"\neffort = {effort}")).unwrap_err();
            assert!(error.contains("effort"), "{error}");
        }
        assert!(read("name = \"top-down\"\nplain = true\neffort = \"normal\"").unwrap_err().contains("plain"));
        assert!(read("name = \"mondrian\"\neffort = \"normal\"").unwrap_err().contains("effort"));
    }
}
