//! How often an audit may run the method that is attacked.

/// How much an adversary tries who knows the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunBudget {
    /// The most originals that a small table could have been, for all of them to be tried.
    pub originals: usize,
    /// The most sensitive values of such a table.
    pub values: usize,
    /// The most runs of the method over all of them and all branches.
    pub runs: usize,
    /// So many exchanges of values are tried in larger tables.
    pub exchanges: u64,
}

/// What takes seconds.
impl Default for RunBudget {
    fn default() -> Self {
        Self { originals: 2_000, values: 4, runs: 20_000, exchanges: 40 }
    }
}
