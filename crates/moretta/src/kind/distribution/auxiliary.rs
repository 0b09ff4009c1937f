//! The auxiliary table: for every group and every number of its people, the bounds of their sum.

use std::io::{Result, Write};

use super::bounds::Bounds;
use super::line::Line;
use crate::data::format::FileFormat;
use crate::data::value::Type;
use crate::data::write::{Header, Values, noted_writer};
use crate::release::{ColumnMeaning, Unit};

/// The name of the table.
pub(crate) const BOUNDS: &str = "bounds";

/// The column of that table that says how many people a sum is over.
const PEOPLE_IN_SUM: &str = "m";

/// The name of the table of subdomains.
pub(crate) const SENSITIVE: &str = "sensitive";

/// The name of the table of effective targets.
pub(crate) const TARGETS: &str = "targets";

const BATCH: usize = 1 << 16;

/// Writes the table from the bounds of each group, with its number and its people; returns how many rows it has.
///
/// Its bytes follow from the other tables, so that a recipient can write it again and compare. Koudas et al. (2009), section 3.3.
pub(crate) fn write_bounds<'g, W: Write + Send>(
    format: FileFormat,
    sink: W,
    (line, meanings, unit): (&Line, &[ColumnMeaning], Unit),
    groups: impl Iterator<Item = (i64, u64, &'g Bounds)>,
) -> Result<u64> {
    let kind = if line.is_whole() { Type::Integer } else { Type::Number };
    let mut headers = [
        Header::plain("group", Type::Integer),
        Header::plain(PEOPLE_IN_SUM, Type::Integer),
        Header::plain("sum_low", kind),
        Header::plain("sum_high", kind),
    ];
    let notes = super::ENTRY.annotate(BOUNDS, &mut headers, meanings, unit);
    let mut writer = noted_writer(format, sink, &headers, &notes)?;
    let (mut numbers, mut counts, mut sums) = (Vec::new(), Vec::new(), (Vec::new(), Vec::new()));
    let mut rows = 0;
    let mut flush = |numbers: &mut Vec<i64>, counts: &mut Vec<i64>, sums: &mut (Vec<i128>, Vec<i128>)| {
        rows += numbers.len() as u64;
        let keys = [Values::Integers(numbers), Values::Integers(counts)];
        if line.is_whole() {
            let fit = |sums: &[i128]| {
                sums.iter().map(|&sum| i64::try_from(sum)).collect::<std::result::Result<Vec<i64>, _>>()
            };
            let too_large = |_| std::io::Error::other("a sum of the sensitive attribute takes more than 64 bits");
            let (low, high) = (fit(&sums.0).map_err(too_large)?, fit(&sums.1).map_err(too_large)?);
            writer.write(&[keys[0], keys[1], Values::Integers(&low), Values::Integers(&high)])?;
        } else {
            let spell =
                |sums: &[i128]| sums.iter().map(|&sum| Some(line.spell(sum).into())).collect::<Vec<Option<Box<str>>>>();
            let (low, high) = (spell(&sums.0), spell(&sums.1));
            writer.write(&[keys[0], keys[1], Values::Texts(&low), Values::Texts(&high)])?;
        }
        numbers.clear();
        counts.clear();
        sums.0.clear();
        sums.1.clear();
        Ok::<(), std::io::Error>(())
    };
    for (number, people, bounds) in groups {
        for (m, (low, high)) in (1..).zip(bounds.sums(people)) {
            numbers.push(number);
            counts.push(m);
            sums.0.push(low);
            sums.1.push(high);
            if numbers.len() == BATCH {
                flush(&mut numbers, &mut counts, &mut sums)?;
            }
        }
    }
    flush(&mut numbers, &mut counts, &mut sums)?;
    writer.finish()?;
    Ok(rows)
}
