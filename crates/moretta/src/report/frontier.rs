//! The frontier as a picture.

use super::plot::{Mark, Scatter, Series, text_scatter};
use crate::compare::Comparison;
use crate::utility::Losses;

impl Comparison {
    /// The plane of privacy and utility loss, as SVG.
    pub fn to_svg(&self) -> String {
        scatter(self).to_svg()
    }

    /// The same for a terminal, of so many columns and lines.
    pub fn to_text(&self, columns: usize, lines: usize) -> String {
        text_scatter(&scatter(self), columns, lines)
    }
}

/// The names of the losses, for axes.
const X_NAME: &str = "privacy loss P_loss: worst over people";
const Y_NAME: &str = "utility loss U_loss: mean over large populations";

fn scatter(comparison: &Comparison) -> Scatter {
    let mut series: Vec<Series> = Vec::new();
    let mut frontier: Vec<(f64, f64)> = Vec::new();
    for point in &comparison.points {
        let Some(measured) = point.measured() else { continue };
        let name = point.candidate.series();
        let index = series.iter().position(|known| known.name == name).unwrap_or_else(|| {
            series.push(Series { name, marks: Vec::new(), connected: true, neutral: false });
            series.len() - 1
        });
        let (x, y) = (measured.losses.privacy.worst, measured.losses.utility.mean);
        if point.efficient {
            frontier.push((x, y));
        }
        let label = point.candidate.numbers();
        series[index].marks.push(Mark { x, y, label, labelled: point.efficient, filled: point.efficient });
    }
    frontier.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ends = [(&comparison.removed, "quasi-identifiers removed"), (&comparison.published, "original published")];
    let end = |&(losses, label): &(&Losses, &str)| Mark {
        x: losses.privacy.worst,
        y: losses.utility.mean,
        label: label.to_owned(),
        labelled: true,
        filled: false,
    };
    series.push(Series {
        name: "the two ends".to_owned(),
        marks: ends.iter().map(end).collect(),
        connected: false,
        neutral: true,
    });
    let efficient = comparison.points.iter().filter(|point| point.efficient).count();
    let knee = comparison.knee.map_or(String::new(), |index| {
        let candidate = &comparison.points[index].candidate;
        format!(" The frontier bends most at {}, {}.", candidate.series(), candidate.numbers())
    });
    Scatter {
        title: "What releases tell about people, and what they cost analysts".to_owned(),
        description: format!(
            "{} releases by privacy loss to the right and utility loss upwards; {efficient} of them are efficient and \
             filled.{knee}",
            comparison.points.iter().filter(|point| point.measured().is_some()).count()
        ),
        x_name: X_NAME.to_owned(),
        y_name: Y_NAME.to_owned(),
        series,
        frontier,
    }
}
