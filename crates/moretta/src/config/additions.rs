//! What other crates add to a registry.

use std::sync::{PoisonError, RwLock};

use crate::error::{Error, Result};

/// Entries of a registry that were added while the program runs. They stay for as long as it lives.
#[derive(Debug)]
pub struct Additions<E: 'static>(RwLock<Vec<&'static E>>);

impl<E> Default for Additions<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E> Additions<E> {
    /// Nothing yet.
    pub const fn new() -> Self {
        Self(RwLock::new(Vec::new()))
    }

    /// Adds an entry, unless there is one of its name already: of the registry itself, or added before.
    pub fn add(&self, entry: &'static E, listed: &'static [E], name: fn(&E) -> &str) -> Result<()> {
        let mut added = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if listed.iter().chain(added.iter().copied()).any(|known| name(known) == name(entry)) {
            return Err(Error::input(format!("the name {:?} is taken", name(entry)))
                .help("give what is added a name of its own"));
        }
        added.push(entry);
        Ok(())
    }

    /// All entries, in the order in which they were added.
    pub fn all(&self) -> impl Iterator<Item = &'static E> + use<E> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone().into_iter()
    }
}
