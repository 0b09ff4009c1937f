//! The codes by which programs tell errors apart. Texts may change from version to version; codes don't.

/// Makes the enumeration of codes, the list of them and their names from one table.
macro_rules! codes {
    ($($(#[doc = $meaning:literal])+ $variant:ident = $name:literal,)+) => {
        /// What kind of error it is, for programs.
        ///
        /// Every error has one. The first five are for errors that no program needs to tell apart further; they follow
        /// the error's [`Fault`](super::Fault).
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[doc = $meaning])+ $variant,)+
        }

        impl Code {
            /// All codes, in the order of their description.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The code as programs read it: `unknown-key`.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }
    };
}

codes! {
    /// The input or the policy is wrong in a way that has no code of its own.
    WrongInput = "wrong-input",
    /// This data can't meet the policy, in a way that has no code of its own.
    DataRefused = "data-refused",
    /// The machine failed in a way that has no code of its own.
    Machine = "machine",
    /// A bug in moretta.
    Bug = "bug",
    /// The work was asked to stop before it was done.
    Cancelled = "cancelled",

    /// A policy or a plan is not valid TOML or not UTF-8, or an override is not `PATH=VALUE`.
    PolicySyntax = "policy-syntax",
    /// A policy or a plan has a key that means nothing.
    UnknownKey = "unknown-key",
    /// A policy or a plan lacks a key that it needs.
    MissingKey = "missing-key",
    /// A parameter has a value of the wrong type, outside its range, or not among its choices.
    WrongParameter = "wrong-parameter",
    /// There is no privacy model of that name.
    UnknownModel = "unknown-model",
    /// There is no method of that name.
    UnknownMethod = "unknown-method",
    /// A table or a release has no attribute of that name.
    UnknownAttribute = "unknown-attribute",
    /// A table has a column that the policy does not name.
    UnnamedColumn = "unnamed-column",
    /// A hierarchy contradicts itself, or does not hold all values of its attribute.
    HierarchyWrong = "hierarchy-wrong",

    /// A table is not what its format says: empty, damaged, ragged, of another encoding, with two columns of one name.
    TableUnreadable = "table-unreadable",
    /// A value of a table is not of its attribute's type.
    ValueOfWrongType = "value-of-wrong-type",
    /// A value is missing where none may be.
    MissingValue = "missing-value",
    /// An identifier occurs in several rows, so that rows are not people.
    RepeatedIdentifier = "repeated-identifier",
    /// No row is left after `where` and `missing`.
    NoRowsLeft = "no-rows-left",
    /// The table changed while it was being read.
    InputChanged = "input-changed",

    /// The method has no use for the role of an attribute.
    RoleUnsupported = "role-unsupported",
    /// The method can't promise the privacy model.
    ModelUnsupported = "model-unsupported",
    /// No release of this table keeps the promise, or the method finds none.
    PromiseImpossible = "promise-impossible",
    /// The promise can be kept if more people may be suppressed.
    NeedsSuppression = "needs-suppression",

    /// The output is there already, and was not asked to be replaced or is not ours.
    OutputExists = "output-exists",
    /// The folder holds no release.
    NoRelease = "no-release",
    /// The manifest can't be read, or is of another version.
    ManifestUnreadable = "manifest-unreadable",
    /// The manifest is of a kind of release that this version does not know.
    UnknownReleaseKind = "unknown-release-kind",
    /// The files of a release differ from what the manifest says, or contradict each other.
    ReleaseDamaged = "release-damaged",
    /// The release was not made from this original.
    OriginalMismatch = "original-mismatch",

    /// A query or a condition can't be parsed.
    QueryUnreadable = "query-unreadable",
    /// A query or a condition asks for something that can't be answered.
    QueryUnsupported = "query-unsupported",

    /// A file or a folder is not there.
    FileNotFound = "file-not-found",
    /// A file or a folder may not be read or written.
    PermissionDenied = "permission-denied",
    /// There is no room left to write.
    DiskFull = "disk-full",
}

impl Code {
    /// The code of a failure of the system.
    pub(super) fn of_io(error: &std::io::Error) -> Self {
        use std::io::ErrorKind;
        match error.kind() {
            ErrorKind::NotFound => Self::FileNotFound,
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Self::PermissionDenied,
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => Self::DiskFull,
            _ => Self::Machine,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_words_joined_by_hyphens() {
        let mut names: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
        let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase());
        assert!(names.iter().all(|name| name.split('-').all(is_word)), "{names:?}");
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Code::ALL.len());
    }
}
