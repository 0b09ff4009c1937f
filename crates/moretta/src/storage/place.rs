//! Where the files of a release stand: in a folder, or in memory for a dry run.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use sha2::{Digest, Sha256};

use crate::data::source::Input;
use crate::error::{Code, Error, Fault, Result};
use crate::progress::Progress;

/// A place for files. A dry run keeps them in memory, so that its promise too is proved from bytes.
#[derive(Debug)]
pub enum Storage {
    /// A folder.
    Folder(PathBuf),
    /// Memory.
    Memory(Mutex<BTreeMap<String, Bytes>>),
}

/// A file that is being written.
#[derive(Debug)]
pub struct StorageWriter<'s> {
    storage: &'s Storage,
    name: String,
    sink: Sink,
    digest: Sha256,
    bytes: u64,
}

#[derive(Debug)]
enum Sink {
    File(File),
    Memory(Vec<u8>),
}

/// What identifies a written file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// Its SHA-256, in hexadecimal.
    pub sha256: String,
    /// Its length.
    pub bytes: u64,
}

impl Storage {
    /// An empty shelf in memory.
    pub fn memory() -> Self {
        Self::Memory(Mutex::default())
    }

    /// The folder that it is, if it is one.
    pub fn folder(&self) -> Option<PathBuf> {
        match self {
            Self::Folder(folder) => Some(folder.clone()),
            Self::Memory(_) => None,
        }
    }

    /// The names of all files, sorted; those of a table's parts begin with the name of their folder.
    pub fn files(&self) -> Result<Vec<String>> {
        let folder = match self {
            Self::Memory(files) => {
                return Ok(files.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect());
            }
            Self::Folder(folder) => folder,
        };
        let mut names = Vec::new();
        for (name, is_folder) in entries(folder)? {
            if is_folder {
                // A table of parts is a folder of files.
                let inner = entries(&folder.join(&name))?;
                names.extend(inner.into_iter().map(|(part, _)| format!("{name}/{part}")));
            } else {
                names.push(name);
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Starts a file.
    pub fn create(&self, name: &str) -> Result<StorageWriter<'_>> {
        let sink = match self {
            Self::Memory(_) => Sink::Memory(Vec::new()),
            Self::Folder(folder) => {
                let path = folder.join(name);
                if let Some(inner) = path.parent().filter(|inner| *inner != folder) {
                    std::fs::create_dir_all(inner).map_err(|e| Error::machine("make the folder", inner, e))?;
                }
                Sink::File(File::create(&path).map_err(|e| Error::machine("write the file", &path, e))?)
            }
        };
        Ok(StorageWriter { storage: self, name: name.to_owned(), sink, digest: Sha256::new(), bytes: 0 })
    }

    /// Writes a whole file.
    pub fn write(&self, name: &str, content: &[u8]) -> Result<Fingerprint> {
        let mut writer = self.create(name)?;
        writer.write_all(content).map_err(|e| self.unwritable(name, e))?;
        writer.finish()
    }

    /// A file, to be read.
    pub fn input(&self, name: &str) -> Result<Input> {
        match self {
            Self::Folder(folder) => Ok(Input::File(folder.join(name))),
            Self::Memory(files) => {
                let files = files.lock().unwrap_or_else(PoisonError::into_inner);
                let bytes = files.get(name).ok_or_else(|| Error::bug(format!("the file {name} was not written")))?;
                Ok(Input::Memory(name.into(), bytes.clone()))
            }
        }
    }

    /// The content of a file.
    pub fn read(&self, name: &str) -> Result<Bytes> {
        match self.input(name)? {
            Input::Memory(_, bytes) => Ok(bytes),
            Input::Batches(..) | Input::Database(_) | Input::Parts(_) => Err(Error::bug(format!("{name} is no file"))),
            Input::File(path) => {
                let bytes = std::fs::read(&path).map_err(|e| Error::machine("read the file", &path, e))?;
                Ok(bytes.into())
            }
        }
    }

    /// Removes a file.
    pub fn remove(&self, name: &str) -> Result<()> {
        match self {
            Self::Memory(files) => drop(files.lock().unwrap_or_else(PoisonError::into_inner).remove(name)),
            Self::Folder(folder) => {
                let path = folder.join(name);
                std::fs::remove_file(&path).map_err(|e| Error::machine("remove the file", &path, e))?;
            }
        }
        Ok(())
    }

    /// Copies all files to another place.
    pub fn copy_to(&self, other: &Self) -> Result<()> {
        self.files()?.iter().try_for_each(|name| other.write(name, &self.read(name)?).map(drop))
    }

    /// The error for a file that can't be written.
    pub fn unwritable(&self, name: &str, error: std::io::Error) -> Error {
        let path = match self {
            Self::Folder(folder) => folder.join(name),
            Self::Memory(_) => PathBuf::from(name),
        };
        // The format has no room for it: the disk is not to blame.
        if error.kind() == std::io::ErrorKind::Unsupported && error.raw_os_error().is_none() {
            return Error::data(error.to_string())
                .at_file(&path)
                .help("publish as CSV or Parquet: `format` under [output]");
        }
        Error::machine("write the file", &path, error)
    }
}

impl StorageWriter<'_> {
    /// Ends the file: its bytes are on disk, or in memory, when this returns.
    pub fn finish(self) -> Result<Fingerprint> {
        let Self { storage, name, sink, digest, bytes } = self;
        match (sink, storage) {
            (Sink::File(file), _) => file.sync_all().map_err(|e| storage.unwritable(&name, e))?,
            (Sink::Memory(content), Storage::Memory(files)) => {
                files.lock().unwrap_or_else(PoisonError::into_inner).insert(name, content.into());
            }
            (Sink::Memory(_), Storage::Folder(_)) => return Err(Error::bug("a file in memory on a shelf on disk")),
        }
        Ok(Fingerprint { sha256: hexadecimal(&digest.finalize()), bytes })
    }
}

impl Write for StorageWriter<'_> {
    fn write(&mut self, buffer: &[u8]) -> std::io::Result<usize> {
        let written = match &mut self.sink {
            Sink::File(file) => file.write(buffer)?,
            Sink::Memory(content) => content.write(buffer)?,
        };
        self.digest.update(&buffer[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match &mut self.sink {
            Sink::File(file) => file.flush(),
            Sink::Memory(_) => Ok(()),
        }
    }
}

/// What stands in a folder: names, and whether each is a folder itself.
fn entries(folder: &Path) -> Result<Vec<(String, bool)>> {
    let unreadable = |e: std::io::Error| Error::machine("read the folder", folder, e);
    let entry = |entry: std::io::Result<std::fs::DirEntry>| {
        let entry = entry?;
        Ok((entry.file_name().to_string_lossy().into_owned(), entry.file_type()?.is_dir()))
    };
    std::fs::read_dir(folder).map_err(unreadable)?.map(entry).collect::<std::io::Result<_>>().map_err(unreadable)
}

/// The fingerprint of a file that is there already.
pub fn fingerprint(folder: &Path, name: &str, progress: &Progress) -> Result<Fingerprint> {
    let path = folder.join(name);
    let missing = |e: std::io::Error| match e.kind() {
        std::io::ErrorKind::NotFound => Error::new(Fault::Input, "the manifest names a file that is not there")
            .coded(Code::ReleaseDamaged)
            .at_file(&path)
            .help("get the release again; one whose tables stand in a database is named by ADDRESS#SCHEMA"),
        _ => Error::machine("read the file", &path, e),
    };
    Fingerprint::of_file(&path, progress)?.map_err(missing)
}

impl Fingerprint {
    /// The fingerprint of what stands in memory.
    pub(crate) fn of_bytes(content: &[u8]) -> Self {
        Self { sha256: hexadecimal(&Sha256::digest(content)), bytes: content.len() as u64 }
    }

    /// The fingerprint of a file, or what the system has against it.
    pub(crate) fn of_file(path: &Path, progress: &Progress) -> Result<std::io::Result<Self>> {
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(error) => return Ok(Err(error)),
        };
        let (mut digest, mut bytes) = (Sha256::new(), 0);
        let mut buffer = vec![0; 1 << 18];
        loop {
            progress.check()?;
            match file.read(&mut buffer) {
                Err(error) => return Ok(Err(error)),
                Ok(0) => return Ok(Ok(Self { sha256: hexadecimal(&digest.finalize()), bytes })),
                Ok(filled) => {
                    progress.advance(filled as u64);
                    digest.update(&buffer[..filled]);
                    bytes += filled as u64;
                }
            }
        }
    }
}

/// A digest as manifests write it.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_in_memory_has_the_fingerprint_of_its_bytes() {
        let storage = Storage::memory();
        let print = storage.write("a.txt", b"abc").unwrap();
        assert_eq!(print.bytes, 3);
        assert_eq!(print.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(&storage.read("a.txt").unwrap()[..], b"abc");
        assert!(storage.read("b.txt").is_err());
    }
}
