//! Where somebody states how a table is to be read.

/// Where somebody states how a table is to be read: errors recommend what can be written there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OptionsPlace {
    /// Under `[data]` of a policy.
    #[default]
    Policy,
    /// As options of a command.
    CommandLine,
}

impl OptionsPlace {
    /// How to state a value, as a policy would write it: `state header = false under [data]`, or `state --no-header`.
    pub(super) fn state(self, key: &str, value: &str) -> String {
        match (self, value) {
            (Self::Policy, _) => format!("state `{key} = {value}` under [data]"),
            (Self::CommandLine, "true") => format!("state `--{key}`"),
            (Self::CommandLine, "false") => format!("state `--no-{key}`"),
            (Self::CommandLine, _) => format!("state `--{key} {}`", value.trim_matches('"')),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_recommended_can_be_written_where_it_belongs() {
        assert_eq!(OptionsPlace::Policy.state("header", "false"), "state `header = false` under [data]");
        assert_eq!(OptionsPlace::CommandLine.state("header", "false"), "state `--no-header`");
        assert_eq!(OptionsPlace::CommandLine.state("encoding", "\"x\""), "state `--encoding x`");
    }
}
