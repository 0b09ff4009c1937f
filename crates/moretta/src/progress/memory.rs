//! How much memory work may take, and where goes what there is no room for.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The part of the limit that codes of rows may take while a table is read: planning needs the rest.
const SHARE_OF_CODES: u64 = 4;

/// The part of the limit that may be taken by rows that are sorted.
const SHARE_OF_SORTING: u64 = 8;

/// Rows are sorted in runs of at least so many bytes, whatever the limit: all runs are open files when they are merged.
const LEAST_SORTED: usize = 32 << 20;

/// The part of the limit that may be taken by rows that are counted at once.
const SHARE_OF_COUNTING: u64 = 8;

/// A limit of memory. Without a stated one it is half of what the machine has.
#[derive(Debug, Default)]
pub struct Memory {
    /// In bytes; 0 until one is stated, or asked for.
    limit: AtomicU64,
    /// The bytes that codes of rows take.
    codes: AtomicU64,
    folder: Mutex<Option<PathBuf>>,
    files: AtomicUsize,
}

impl Memory {
    /// States a limit in bytes.
    pub fn limit_to(&self, bytes: u64) {
        self.limit.store(bytes.max(1), Ordering::Relaxed);
    }

    /// The limit in bytes.
    pub fn limit(&self) -> u64 {
        match self.limit.load(Ordering::Relaxed) {
            0 => {
                let half = half_of_the_machine();
                self.limit.store(half, Ordering::Relaxed);
                half
            }
            stated => stated,
        }
    }

    /// States the folder for temporary files; without one, nothing leaves memory.
    pub(crate) fn spill_into(&self, folder: Option<PathBuf>) {
        *self.folder.lock().unwrap_or_else(PoisonError::into_inner) = folder;
    }

    /// Begins to read a table: the codes of the one before are gone.
    pub(crate) fn begin_reading(&self) {
        self.codes.store(0, Ordering::Relaxed);
    }

    /// The folder into which so many bytes of codes must go, if there is no room for them.
    pub(crate) fn spill_for(&self, bytes: usize) -> Option<PathBuf> {
        let before = self.codes.fetch_add(bytes as u64, Ordering::Relaxed);
        if before + bytes as u64 <= self.limit() / SHARE_OF_CODES {
            return None;
        }
        let folder = self.folder.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if folder.is_some() {
            self.codes.fetch_sub(bytes as u64, Ordering::Relaxed);
        }
        folder
    }

    /// A name for a temporary file that no other has.
    pub(crate) fn file_name(&self) -> String {
        format!("codes-{}", self.files.fetch_add(1, Ordering::Relaxed))
    }

    /// The bytes that rows may take while they are sorted, at most so many.
    pub(crate) fn for_sorting(&self, most: usize) -> usize {
        usize::try_from(self.limit() / SHARE_OF_SORTING).map_or(most, |share| share.max(LEAST_SORTED).min(most))
    }

    /// How many things of so many bytes may be counted at once.
    pub(crate) fn for_counting(&self, bytes: usize) -> usize {
        usize::try_from(self.limit() / SHARE_OF_COUNTING).unwrap_or(usize::MAX) / bytes.max(1)
    }
}

/// Half of the machine's memory, where the system tells how much it has; as good as no limit elsewhere.
fn half_of_the_machine() -> u64 {
    let told = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
        line.split_whitespace().nth(1)?.parse::<u64>().ok()
    });
    told.map_or(u64::MAX, |kib| kib.saturating_mul(1024) / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_go_to_disk_when_their_share_is_taken() {
        let memory = Memory::default();
        memory.limit_to(4000);
        assert_eq!(memory.spill_for(2000), None, "without a folder nothing leaves memory");
        memory.begin_reading();
        memory.spill_into(Some("x".into()));
        assert_eq!(memory.spill_for(600), None);
        assert_eq!(memory.spill_for(600), Some("x".into()));
        assert_eq!(memory.spill_for(400), None, "what went to disk takes no memory");
    }

    #[test]
    fn runs_that_are_sorted_are_neither_tiny_nor_larger_than_their_share() {
        let memory = Memory::default();
        memory.limit_to(1 << 30);
        assert_eq!((memory.for_sorting(256 << 20), memory.for_sorting(100)), (128 << 20, 100));
        memory.limit_to(1);
        assert_eq!(memory.for_sorting(256 << 20), LEAST_SORTED);
    }

    #[test]
    fn without_a_stated_limit_there_is_one() {
        assert!(Memory::default().limit() > 1 << 20);
    }
}
