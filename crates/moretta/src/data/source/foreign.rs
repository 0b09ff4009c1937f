//! Files that are no tables of ours, recognized by their first bytes: what they are, and what to do with them.

use super::Input;
use crate::error::{Code, Error, Result};

/// Enough to see the mark of every format below, and a little of a text.
pub(super) const HEAD_BYTES: usize = 64;

/// What a file is, and how its table can be had.
struct Foreign {
    what: &'static str,
    help: &'static str,
}

const SHEET: &str = "save the sheet as CSV";
const STATISTICS: &str = "the Python package `moretta` takes it as it is, with the labels of its values: moretta.publish(path, …) after \
                          pip install moretta[statistics]; or export the table as CSV or Parquet";

/// Formats that begin with a mark of their own.
const MARKS: [(&[u8], Foreign); 9] = [
    (b"\xd0\xcf\x11\xe0", Foreign { what: "an old Excel workbook (.xls)", help: SHEET }),
    (b"$FL2", Foreign { what: "an SPSS file", help: STATISTICS }),
    (b"$FL3", Foreign { what: "a packed SPSS file", help: STATISTICS }),
    (b"<stata_dta>", Foreign { what: "a Stata file", help: STATISTICS }),
    (b"ARROW1", Foreign { what: "an Arrow file (Feather)", help: "write the table as Parquet" }),
    (b"FEA1", Foreign { what: "an Arrow file (Feather)", help: "write the table as Parquet" }),
    (
        b"SQLite format 3\0",
        Foreign { what: "an SQLite database", help: "write sqlite: before its name, and say which `table` it is" },
    ),
    (b"Obj\x01", Foreign { what: "an Avro file", help: "write the table as Parquet" }),
    (b"\0\0\0\0\0\0\0\0\0\0\0\0\xc2\xea\x81\x60", Foreign { what: "a SAS file", help: STATISTICS }),
];

/// Refuses a file that is known to be something else than CSV or Parquet.
pub(super) fn refuse(input: &Input, head: &[u8]) -> Result<()> {
    match recognize(input, head) {
        None => Ok(()),
        Some(Foreign { what, help }) => Err(Error::input(format!("this is {what}, and not CSV or Parquet"))
            .coded(Code::TableUnreadable)
            .at_file(input.name())
            .help(help)),
    }
}

/// Whether it is a spreadsheet of those that are read: archives, which only their names tell from others.
pub(super) fn is_spreadsheet(input: &Input, head: &[u8]) -> bool {
    let named = |ending: &str| input.name().extension().is_some_and(|e| e.eq_ignore_ascii_case(ending));
    head.starts_with(b"PK\x03\x04") && ["xlsx", "xlsm", "ods"].into_iter().any(named)
}

fn recognize(input: &Input, head: &[u8]) -> Option<Foreign> {
    if let Some((_, foreign)) = MARKS.iter().find(|(mark, _)| head.starts_with(mark)) {
        return Some(Foreign { ..*foreign });
    }
    let named = |ending: &str| input.name().extension().is_some_and(|e| e.eq_ignore_ascii_case(ending));
    if head.starts_with(b"PK\x03\x04") {
        return Some(Foreign { what: "a ZIP archive", help: "unpack it; name a spreadsheet .xlsx or .ods" });
    }
    // Older Stata files begin with the number of their version.
    if named("dta") && head.first().is_some_and(|version| (102..=115).contains(version)) {
        return Some(Foreign { what: "a Stata file", help: STATISTICS });
    }
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let is_json = match text {
        [b'{', rest @ ..] => matches!(rest.trim_ascii_start(), [b'"' | b'}', ..]),
        [b'[', rest @ ..] => matches!(rest.trim_ascii_start(), [b'{' | b'[', ..]),
        _ => false,
    };
    is_json.then_some(Foreign { what: "JSON", help: "write the table as CSV or Parquet" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, head: &[u8]) -> Option<&'static str> {
        recognize(&Input::Memory(name.into(), head.to_vec().into()), head).map(|foreign| foreign.what)
    }

    #[test]
    fn files_of_other_programs_are_called_by_their_names() {
        let sheet = |name: &str, head: &[u8]| is_spreadsheet(&Input::Memory(name.into(), head.to_vec().into()), head);
        assert!(sheet("a.xlsx", b"PK\x03\x04rest") && sheet("a.ODS", b"PK\x03\x04") && !sheet("a.xlsx", b"a,b"));
        assert_eq!(named("a.csv", b"PK\x03\x04rest"), Some("a ZIP archive"));
        assert_eq!(named("a.sav", b"$FL2@(#)"), Some("an SPSS file"));
        assert_eq!(named("a.dta", b"\x73\x02\x01"), Some("a Stata file"));
        assert_eq!(named("a.csv", b"\xef\xbb\xbf {\"age\": 3}\n"), Some("JSON"));
        assert_eq!(named("a.csv", b"[\n {\"age\": 3}]"), Some("JSON"));
    }

    #[test]
    fn tables_are_no_foreign_files() {
        for text in ["age,sex\n", "{a},b\n", "[0, 4],x\n", "s,t\n", "\"a\",b\n", ""] {
            assert_eq!(named("a.csv", text.as_bytes()), None, "{text:?}");
        }
    }
}
