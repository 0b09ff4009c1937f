//! The codes of a column's rows while a table is read: narrow where they are small, and on disk where memory is scarce.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::intern::MISSING;
use crate::error::{Error, Result};
use crate::progress::Memory;

/// Rows that are packed together; few in tests, so that these have several blocks.
pub(crate) const BLOCK: usize = if cfg!(test) { 16 } else { 1 << 16 };

/// A code for each row, [`MISSING`] among them, in the order in which rows came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Codes {
    packed: Vec<Block>,
    /// The rows that do not fill a block yet.
    last: Vec<u32>,
    /// How many blocks have been looked at by [`Codes::ease`].
    eased: usize,
    file: Option<Arc<Spilled>>,
    any_missing: bool,
}

/// A full block. One more than each code, so that 0 is a missing value and small codes are small numbers.
#[derive(Clone, Debug)]
enum Block {
    Bytes(Vec<u8>),
    Shorts(Vec<u16>),
    Words(Vec<u32>),
    /// Where it stands in the file, and the bytes of each number.
    OnDisk {
        at: u64,
        width: usize,
    },
}

/// A temporary file, removed when nobody needs it any more.
#[derive(Debug)]
struct Spilled {
    path: PathBuf,
    file: Mutex<File>,
}

impl Drop for Spilled {
    fn drop(&mut self) {
        // Where it can't be removed, the folder that holds it is.
        let _ = std::fs::remove_file(&self.path);
    }
}

impl Codes {
    pub(super) fn push(&mut self, code: u32) {
        self.last.push(code);
        if self.last.len() == BLOCK {
            self.pack();
        }
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.packed.len() * BLOCK + self.last.len()
    }

    /// Whether some row lacks a value.
    pub(super) fn any_missing(&self) -> bool {
        self.any_missing || self.last.contains(&MISSING)
    }

    fn pack(&mut self) {
        let stored = || self.last.iter().map(|code| code.wrapping_add(1));
        let most = stored().max().unwrap_or(0);
        self.any_missing = self.any_missing || self.last.contains(&MISSING);
        self.packed.push(match most {
            0..=0xff => Block::Bytes(stored().map(|code| code as u8).collect()),
            0x100..=0xffff => Block::Shorts(stored().map(|code| code as u16).collect()),
            _ => Block::Words(stored().collect()),
        });
        self.last.clear();
    }

    /// Writes to disk what there is no room for.
    pub(super) fn ease(&mut self, memory: &Memory) -> Result<()> {
        while let Some(block) = self.packed.get(self.eased) {
            let spilled = match block.to_bytes() {
                None => None,
                Some(bytes) => match memory.spill_for(bytes.len()) {
                    None => None,
                    Some(folder) => {
                        let file = match &self.file {
                            Some(file) => file.clone(),
                            None => self.file.insert(Arc::new(Spilled::create(&folder, memory)?)).clone(),
                        };
                        Some(Block::OnDisk { at: file.append(&bytes)?, width: bytes.len() / BLOCK })
                    }
                },
            };
            if let Some(spilled) = spilled {
                self.packed[self.eased] = spilled;
            }
            self.eased += 1;
        }
        Ok(())
    }

    /// How many blocks there are, the last of which may be shorter.
    pub(crate) fn blocks(&self) -> usize {
        self.packed.len() + usize::from(!self.last.is_empty())
    }

    /// Adds the codes of a block to others.
    pub(crate) fn add_block(&self, block: usize, codes: &mut Vec<u32>) -> Result<()> {
        let Some(block) = self.packed.get(block) else {
            codes.extend_from_slice(&self.last);
            return Ok(());
        };
        match block {
            Block::Bytes(stored) => codes.extend(stored.iter().map(|&code| u32::from(code).wrapping_sub(1))),
            Block::Shorts(stored) => codes.extend(stored.iter().map(|&code| u32::from(code).wrapping_sub(1))),
            Block::Words(stored) => codes.extend(stored.iter().map(|code| code.wrapping_sub(1))),
            Block::OnDisk { at, width } => {
                let file = self.file.as_ref().ok_or_else(|| Error::bug("codes on disk without their file"))?;
                let bytes = file.read(*at, BLOCK * width)?;
                let number = |bytes: &[u8]| bytes.iter().rev().fold(0_u32, |sum, &byte| sum << 8 | u32::from(byte));
                codes.extend(bytes.chunks_exact(*width).map(|bytes| number(bytes).wrapping_sub(1)));
            }
        }
        Ok(())
    }

    /// Frees a block that is not needed any more.
    pub(crate) fn forget_block(&mut self, block: usize) {
        if let Some(block) = self.packed.get_mut(block) {
            *block = Block::Bytes(Vec::new());
        }
    }

    /// All codes.
    pub(crate) fn to_vec(&self) -> Result<Vec<u32>> {
        let mut codes = Vec::with_capacity(self.len());
        (0..self.blocks()).try_for_each(|block| self.add_block(block, &mut codes))?;
        Ok(codes)
    }
}

impl Block {
    /// Its numbers as bytes, the lowest first; nothing where it stands on disk already.
    fn to_bytes(&self) -> Option<std::borrow::Cow<'_, [u8]>> {
        match self {
            Self::Bytes(stored) => Some(stored.as_slice().into()),
            Self::Shorts(stored) => Some(stored.iter().flat_map(|code| code.to_le_bytes()).collect()),
            Self::Words(stored) => Some(stored.iter().flat_map(|code| code.to_le_bytes()).collect()),
            Self::OnDisk { .. } => None,
        }
    }
}

impl Spilled {
    fn create(folder: &std::path::Path, memory: &Memory) -> Result<Self> {
        let path = folder.join(memory.file_name());
        let file = File::options().read(true).write(true).create_new(true).open(&path);
        let file = Mutex::new(file.map_err(|e| Error::machine("write a temporary file", &path, e))?);
        Ok(Self { path, file })
    }

    fn append(&self, bytes: &[u8]) -> Result<u64> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let written = file.seek(SeekFrom::End(0)).and_then(|at| file.write_all(bytes).map(|()| at));
        written.map_err(|e| Error::machine("write a temporary file", &self.path, e))
    }

    fn read(&self, at: u64, length: usize) -> Result<Vec<u8>> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes = vec![0; length];
        let read = file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(&mut bytes));
        read.map_err(|e| Error::machine("read a temporary file", &self.path, e))?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn codes_of(all: &[u32]) -> Codes {
        let mut codes = Codes::default();
        all.iter().for_each(|&code| codes.push(code));
        codes
    }

    proptest! {
        #[test]
        fn codes_come_back_from_memory_and_from_disk(
            all in proptest::collection::vec(prop_oneof![0_u32..300, Just(MISSING), Just(MISSING - 1), 0_u32..100_000], 0..80),
            limit in 0_u64..200,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let memory = Memory::default();
            memory.limit_to(limit * 4);
            memory.spill_into(Some(folder.path().to_owned()));
            let mut codes = codes_of(&all);
            prop_assert_eq!(&codes.to_vec().unwrap(), &all);
            codes.ease(&memory).unwrap();
            prop_assert_eq!(&codes.to_vec().unwrap(), &all);
            prop_assert_eq!(codes.len(), all.len());
            prop_assert_eq!(codes.any_missing(), all.contains(&MISSING));
            drop(codes);
            prop_assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }

    #[test]
    fn a_folder_that_can_t_be_written_is_named() {
        let memory = Memory::default();
        memory.limit_to(1);
        memory.spill_into(Some("/nowhere/at/all".into()));
        let error = codes_of(&[1; BLOCK]).ease(&memory).unwrap_err();
        assert_eq!(error.fault(), crate::Fault::Machine, "{error}");
    }

    #[test]
    fn a_file_that_was_cut_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::default();
        memory.limit_to(1);
        memory.spill_into(Some(folder.path().to_owned()));
        let mut codes = codes_of(&[300; 2 * BLOCK]);
        codes.ease(&memory).unwrap();
        let file = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        File::options().write(true).open(file).unwrap().set_len(BLOCK as u64 * 3).unwrap();
        assert_eq!(codes.to_vec().unwrap_err().fault(), crate::Fault::Machine);
    }
}
