//! Bars: histograms, and distributions before and after.

use std::fmt::Write as _;

use super::axis::Axis;
use super::svg::{PlotFrame, escaped};
use crate::text::rounded;

/// Bars side by side: for each label, one bar a series.
#[derive(Clone, Debug, Default)]
pub struct Bars {
    /// What it shows.
    pub title: String,
    /// The same in a sentence or two, for those who can't see it.
    pub description: String,
    /// What the bars stand for, from left to right.
    pub labels: Vec<String>,
    /// What the height is.
    pub y_name: String,
    /// A name and a height for each label.
    pub series: Vec<(String, Vec<f64>)>,
}

const WIDTH: f64 = 560.0;
const PLOT: f64 = 240.0;

impl Bars {
    /// The picture as SVG.
    pub fn to_svg(&self) -> String {
        let y = Axis::from_zero(self.series.iter().flat_map(|(_, heights)| heights.iter().copied()));
        let longest = self.labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
        let room = WIDTH - 90.0;
        let slot = room / self.labels.len().max(1) as f64;
        let turned = longest as f64 * 6.5 > slot;
        let below = if turned { (longest.min(24) as f64 * 5.0).max(20.0) } else { 20.0 };
        let bottom = PLOT - 30.0;
        let height = bottom + below + if self.series.len() > 1 { 36.0 } else { 16.0 };
        let frame = PlotFrame { width: WIDTH, height, left: 66.0, top: 32.0, right: 66.0 + room, bottom };
        let mut svg = frame.open(&self.title, &self.description);
        let title = escaped(&self.title);
        let _ =
            writeln!(svg, "<text x=\"{}\" y=\"18\" font-size=\"14\" font-weight=\"600\">{title}</text>", frame.left);
        frame.upright(&mut svg, &y);
        let (at, middle) = (frame.left - 46.0, frame.y(0.5));
        let _ = writeln!(
            svg,
            "<text x=\"{at:.1}\" y=\"{middle:.1}\" text-anchor=\"middle\" transform=\"rotate(-90 {at:.1} {middle:.1})\">{}</text>",
            escaped(&self.y_name)
        );
        let width = slot * 0.8 / self.series.len().max(1) as f64;
        for (place, label) in self.labels.iter().enumerate() {
            let left = frame.left + (place as f64 + 0.1) * slot;
            for (style, (name, heights)) in self.series.iter().enumerate() {
                let value = heights.get(place).copied().unwrap_or(0.0);
                let top = frame.y(y.share(value));
                let _ = writeln!(
                    svg,
                    "<rect class=\"s{} full\" x=\"{:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{:.1}\"><title>{}</title></rect>",
                    style % super::STYLES,
                    left + style as f64 * width,
                    (frame.bottom - top).max(0.0),
                    escaped(&format!("{label}, {name}: {}", rounded(value, 4)))
                );
            }
            let (x, line) = (left + slot * 0.4, frame.bottom + 15.0);
            if turned {
                let _ = writeln!(
                    svg,
                    "<text x=\"{x:.1}\" y=\"{line:.1}\" text-anchor=\"end\" font-size=\"11\" transform=\"rotate(-40 {x:.1} {line:.1})\">{}</text>",
                    escaped(label)
                );
            } else {
                frame.text(&mut svg, (x, line), "middle", label);
            }
        }
        let _ = writeln!(svg, "<path class=\"axis\" d=\"M{:.1} {:.1}H{:.1}\"/>", frame.left, frame.bottom, frame.right);
        if self.series.len() > 1 {
            for (style, (name, _)) in self.series.iter().enumerate() {
                let (x, line) = (frame.left + style as f64 * room / self.series.len() as f64, height - 8.0);
                let _ = writeln!(
                    svg,
                    "<rect class=\"s{} full\" x=\"{x:.1}\" y=\"{:.1}\" width=\"9\" height=\"9\"/>",
                    style % super::STYLES,
                    line - 9.0
                );
                frame.text(&mut svg, (x + 14.0, line), "start", name);
            }
        }
        svg.push_str("</svg>\n");
        svg
    }
}

/// Bars as lines of text, each with its label before and its number after.
pub fn text_bars(rows: &[(String, f64, String)], width: usize) -> String {
    let most = rows.iter().map(|(_, value, _)| *value).fold(0.0, f64::max);
    let label_width = rows.iter().map(|(label, _, _)| label.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (label, value, number) in rows {
        #[expect(clippy::cast_sign_loss, reason = "a height is not negative")]
        let eighths = if most > 0.0 { (value / most * (width * 8) as f64).round() as usize } else { 0 };
        let eighths = if *value > 0.0 { eighths.max(1) } else { 0 };
        let part = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
        let bar = format!("{}{part}", "█".repeat(eighths / 8));
        let _ = writeln!(text, "  {label:<label_width$}  {bar} {number}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_have_titles_and_lengths() {
        let bars = Bars {
            title: "Sizes".into(),
            labels: vec!["1".into(), "2 to 5".into()],
            series: vec![("before".into(), vec![3.0, 1.0]), ("after".into(), vec![0.0, 4.0])],
            ..Bars::default()
        };
        let svg = bars.to_svg();
        assert!(svg.contains("2 to 5, after: 4") && !svg.contains("NaN"));
        assert_eq!(svg.matches("<rect").count(), 6);
        let text = text_bars(&[("a".into(), 2.0, "2".into()), ("bb".into(), 1.0, "1".into())], 4);
        assert_eq!(text, "  a   ████ 2\n  bb  ██ 1\n");
    }
}
