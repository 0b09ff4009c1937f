//! Hierarchies from files: one leaf a line, its ancestors to the right of it.

use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::tree::Path;
use crate::error::{Code, Error, Result};

/// A hierarchy file that was read: what it says does not depend on any table.
#[derive(Clone, Debug)]
pub struct HierarchyFile {
    /// The file.
    pub file: PathBuf,
    /// The SHA-256 of its bytes.
    pub digest: [u8; 32],
    pub(super) paths: Arc<[Path]>,
}

impl HierarchyFile {
    /// Reads the content of a file of paths, separated by commas, semicolons or tabs, quoted as CSV where needed.
    pub fn parse(file: &FilePath, bytes: &[u8]) -> Result<Self> {
        let paths = parse(bytes).map_err(|error| error.at_file(file))?.into();
        Ok(Self { file: file.to_path_buf(), digest: Sha256::digest(bytes).into(), paths })
    }
}

impl PartialEq for HierarchyFile {
    fn eq(&self, other: &Self) -> bool {
        (&self.file, self.digest) == (&other.file, other.digest)
    }
}

fn parse(bytes: &[u8]) -> Result<Vec<Path>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter(bytes)).from_reader(bytes);
    let mut paths = Vec::new();
    for record in reader.byte_records() {
        let record = record.map_err(|e| {
            Error::input(format!("the hierarchy can't be read as CSV: {e}")).coded(Code::HierarchyWrong)
        })?;
        let line = record.position().map_or(0, csv::Position::line);
        let labels = record
            .iter()
            .map(|label| std::str::from_utf8(label).map(|label| label.trim().into()).map_err(|_| not_utf8(line)));
        let mut labels = labels.collect::<Result<Vec<Box<str>>>>()?;
        // A line may be padded with empty fields at its end; an empty leaf stands for a missing value.
        while labels.len() > 1 && labels.last().is_some_and(|label| label.is_empty()) {
            labels.pop();
        }
        paths.push(Path { labels, line });
    }
    if paths.is_empty() {
        return Err(Error::input("the hierarchy is empty")
            .coded(Code::HierarchyWrong)
            .help("each line lists a value and its ancestors: flu,infection,*"));
    }
    Ok(paths)
}

fn not_utf8(line: u64) -> Error {
    Error::input("a label is not UTF-8")
        .coded(Code::HierarchyWrong)
        .at_line(line)
        .help("save the file as UTF-8; it may be windows-1252 or Latin-1, and `encoding` under [data] is about the table alone")
}

/// The sign that stands outside quotes in the first line: a comma, a semicolon, or where there is neither a tab.
fn delimiter(bytes: &[u8]) -> u8 {
    let mut quoted = false;
    for &byte in bytes.iter().take_while(|&&byte| byte != b'\n') {
        match byte {
            b'"' => quoted = !quoted,
            b',' | b';' if !quoted => return byte,
            _ => {}
        }
    }
    if bytes.iter().take_while(|&&byte| byte != b'\n').any(|&byte| byte == b'\t') { b'\t' } else { b',' }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(text: &str) -> Vec<Vec<String>> {
        let paths = parse(text.as_bytes()).unwrap();
        paths.iter().map(|path| path.labels.iter().map(ToString::to_string).collect()).collect()
    }

    #[test]
    fn commas_and_semicolons_and_quotes_are_read() {
        assert_eq!(labels("a,A,*\nb,A,*\n"), [["a", "A", "*"], ["b", "A", "*"]]);
        assert_eq!(labels("\u{feff}a;\"x;y\";*\r\n"), [["a", "x;y", "*"]]);
        assert_eq!(labels("\"x,y\";A\n"), [["x,y", "A"]]);
        assert_eq!(labels("a,A,*\nb,*,\n")[1], ["b", "*"]);
        assert_eq!(labels("a\tA\t*\nb\tA\t*\n"), [["a", "A", "*"], ["b", "A", "*"]]);
        assert!(parse(b"").is_err());
        assert!(parse(b"a,gr\xe4ser,*\n").unwrap_err().to_string().contains("save the file as UTF-8"));
    }
}
