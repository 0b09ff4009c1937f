//! Hash maps that can be asked but not walked, so that their order reaches no output.
//!
//! Everywhere else clippy refuses the maps of `hashbrown` and of the standard library (`clippy.toml`). Who needs all
//! entries takes them by [`HashMap::into_sorted`], or keeps a `BTreeMap`.
//!
//! ```
//! let ages = moretta::internals::data::lookup::HashMap::from_iter([("Ada", 36), ("Alan", 41)]);
//! assert_eq!(ages.into_sorted(), [("Ada", 36), ("Alan", 41)]);
//! ```
//!
//! ```compile_fail
//! let ages = moretta::internals::data::lookup::HashMap::from_iter([("Ada", 36), ("Alan", 41)]);
//! for _ in ages {}
//! ```
#![expect(clippy::disallowed_types, reason = "the one place that may hold them: what it hands out has no order")]

use std::borrow::Borrow;
use std::hash::Hash;
use std::ops::Index;

use hashbrown::DefaultHashBuilder;
use hashbrown::hash_map::Entry;

/// A hash map without iteration.
#[derive(Clone, Debug)]
pub struct HashMap<K, V>(hashbrown::HashMap<K, V>);

/// A hash set without iteration.
#[derive(Clone, Debug)]
pub struct HashSet<T>(hashbrown::HashSet<T>);

impl<K, V> HashMap<K, V> {
    /// An empty map.
    pub fn new() -> Self {
        Self(hashbrown::HashMap::new())
    }

    /// An empty map with room for so many entries.
    pub fn with_capacity(capacity: usize) -> Self {
        Self(hashbrown::HashMap::with_capacity(capacity))
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Forgets all entries.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl<K: Eq + Hash, V> HashMap<K, V> {
    /// The value of a key.
    pub fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.0.get(key)
    }

    /// The value of a key, to be changed.
    pub fn get_mut<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.0.get_mut(key)
    }

    /// Whether a key has a value.
    pub fn contains_key<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.0.contains_key(key)
    }

    /// The place of a key, filled or not.
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V, DefaultHashBuilder> {
        self.0.entry(key)
    }

    /// Gives a key a value; returns the one that it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        self.0.insert(key, value)
    }

    /// Takes a key's value away.
    pub fn remove<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.0.remove(key)
    }

    /// Keeps the entries that a condition holds for. It is asked in no order, so it must not remember.
    pub fn retain(&mut self, keep: impl Fn(&K, &V) -> bool) {
        self.0.retain(|key, value| keep(key, value));
    }

    /// All entries, in the order of their keys.
    pub fn into_sorted(self) -> Vec<(K, V)>
    where
        K: Ord,
    {
        let mut entries: Vec<(K, V)> = self.0.into_iter().collect();
        entries.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        entries
    }
}

impl<K, V> Default for HashMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Eq + Hash, V> FromIterator<(K, V)> for HashMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        Self(entries.into_iter().collect())
    }
}

impl<K: Eq + Hash, V> Extend<(K, V)> for HashMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        self.0.extend(entries);
    }
}

impl<K: Eq + Hash + Borrow<Q>, Q: Eq + Hash + ?Sized, V> Index<&Q> for HashMap<K, V> {
    type Output = V;

    fn index(&self, key: &Q) -> &V {
        &self.0[key]
    }
}

impl<T: Eq + Hash> HashSet<T> {
    /// Whether a value is a member.
    pub fn contains<Q: Eq + Hash + ?Sized>(&self, value: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.contains(value)
    }

    /// Adds a value; returns whether it is new.
    pub fn insert(&mut self, value: T) -> bool {
        self.0.insert(value)
    }

    /// Keeps the members that a condition holds for. It is asked in no order, so it must not remember.
    pub fn retain(&mut self, keep: impl Fn(&T) -> bool) {
        self.0.retain(|value| keep(value));
    }
}

impl<T: Eq + Hash> FromIterator<T> for HashSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}
