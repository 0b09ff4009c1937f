//! A folder as a zip: files as they are, in the order of their names. Sizes and checksums stand before each file, so that every tool can read it; the
//! form for large files is used where one needs it.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use bytes::Bytes;
use flate2::Crc;

const BUFFER: usize = 1 << 18;

/// From here on sizes and places need eight bytes.
const LARGE: u64 = 0xffff_ffff;

/// Hands bytes on in pieces, to whoever takes them.
pub(crate) struct Pieces<F: FnMut(Bytes) -> bool> {
    waiting: Vec<u8>,
    send: F,
    sent: u64,
}

impl<F: FnMut(Bytes) -> bool> Pieces<F> {
    pub(crate) fn new(send: F) -> Self {
        Self { waiting: Vec::with_capacity(BUFFER), send, sent: 0 }
    }
}

impl<F: FnMut(Bytes) -> bool> Write for Pieces<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.extend_from_slice(bytes);
        self.sent += bytes.len() as u64;
        if self.waiting.len() >= BUFFER {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let piece = Bytes::from(std::mem::take(&mut self.waiting));
        if piece.is_empty() || (self.send)(piece) { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
    }
}

/// A file of the archive, and where it begins.
struct Entry {
    name: String,
    crc: u32,
    size: u64,
    place: u64,
}

/// Writes the files of a folder; in the archive they stand in a folder of the name `within`.
pub(crate) fn write<F: FnMut(Bytes) -> bool>(folder: &Path, within: &str, out: &mut Pieces<F>) -> io::Result<()> {
    let mut names: Vec<String> =
        fs::read_dir(folder)?.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    let mut entries = Vec::new();
    for name in names {
        let path = folder.join(&name);
        // Only plain files: a link might lead to what is private.
        if !path.symlink_metadata()?.is_file() {
            continue;
        }
        let (crc, size) = sum(&path)?;
        let entry = Entry { name: format!("{within}/{name}"), crc, size, place: out.sent };
        header(out, &entry, false)?;
        let copied = io::copy(&mut File::open(&path)?, out)?;
        if copied != size {
            return Err(io::Error::other("a file of the release has changed while it was read"));
        }
        entries.push(entry);
    }
    let start = out.sent;
    entries.iter().try_for_each(|entry| header(out, entry, true))?;
    end(out, entries.len() as u64, start)?;
    out.flush()
}

fn sum(path: &Path) -> io::Result<(u32, u64)> {
    let (mut file, mut crc, mut buffer) = (File::open(path)?, Crc::new(), vec![0; BUFFER]);
    let mut size = 0;
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok((crc.sum(), size)),
            read => {
                crc.update(&buffer[..read]);
                size += read as u64;
            }
        }
    }
}

/// A number in as many bytes as it has here, the least first.
fn put(out: &mut dyn Write, number: u64, bytes: usize) -> io::Result<()> {
    out.write_all(&number.to_le_bytes()[..bytes])
}

/// What stands before a file, or in the list at the end.
fn header(out: &mut dyn Write, entry: &Entry, is_listed: bool) -> io::Result<()> {
    let large = entry.size >= LARGE || (is_listed && entry.place >= LARGE);
    let short = |number: u64| if large { LARGE } else { number };
    put(out, if is_listed { 0x0201_4b50 } else { 0x0403_4b50 }, 4)?;
    if is_listed {
        put(out, 0x032d, 2)?;
    }
    // Version 4.5 knows large files; names are UTF-8; nothing is packed; no time, so that equal releases are equal archives.
    for (number, bytes) in [
        (45, 2),
        (0x0800, 2),
        (0, 2),
        (0, 2),
        (0x0021, 2),
        (u64::from(entry.crc), 4),
        (short(entry.size), 4),
        (short(entry.size), 4),
    ] {
        put(out, number, bytes)?;
    }
    put(out, entry.name.len() as u64, 2)?;
    put(
        out,
        if !large {
            0
        } else if is_listed {
            28
        } else {
            20
        },
        2,
    )?;
    if is_listed {
        for (number, bytes) in [(0, 2), (0, 2), (0, 2), (0o100_644 << 16, 4), (short(entry.place), 4)] {
            put(out, number, bytes)?;
        }
    }
    out.write_all(entry.name.as_bytes())?;
    if large {
        put(out, 1, 2)?;
        put(out, if is_listed { 24 } else { 16 }, 2)?;
        put(out, entry.size, 8)?;
        put(out, entry.size, 8)?;
        if is_listed {
            put(out, entry.place, 8)?;
        }
    }
    Ok(())
}

/// Where the list stands, in the form for large archives where it is needed.
fn end<F: FnMut(Bytes) -> bool>(out: &mut Pieces<F>, entries: u64, start: u64) -> io::Result<()> {
    let (size, here) = (out.sent - start, out.sent);
    if here >= LARGE {
        for (number, bytes) in [
            (0x0606_4b50, 4),
            (44, 8),
            (0x032d, 2),
            (45, 2),
            (0, 4),
            (0, 4),
            (entries, 8),
            (entries, 8),
            (size, 8),
            (start, 8),
        ] {
            put(out, number, bytes)?;
        }
        for (number, bytes) in [(0x0706_4b50, 4), (0, 4), (here, 8), (1, 4)] {
            put(out, number, bytes)?;
        }
    }
    for (number, bytes) in [
        (0x0605_4b50, 4),
        (0, 2),
        (0, 2),
        (entries, 2),
        (entries, 2),
        (size.min(LARGE), 4),
        (start.min(LARGE), 4),
        (0, 2),
    ] {
        put(out, number, bytes)?;
    }
    Ok(())
}
