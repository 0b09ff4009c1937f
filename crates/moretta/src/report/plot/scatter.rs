//! Points on a plane, in series that lines may connect.

use std::fmt::Write as _;

use super::axis::Axis;
use super::svg::{NEUTRAL, PlotFrame, class, escaped, mark};

/// Points on a plane.
#[derive(Clone, Debug, Default)]
pub struct Scatter {
    /// What it shows.
    pub title: String,
    /// The same in a sentence or two, for those who can't see it.
    pub description: String,
    /// What the axis to the right is.
    pub x_name: String,
    /// What the axis upwards is.
    pub y_name: String,
    /// The points.
    pub series: Vec<Series>,
    /// A line through these places, in order: a frontier.
    pub frontier: Vec<(f64, f64)>,
}

/// Points that belong together.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// What they are.
    pub name: String,
    /// The points.
    pub marks: Vec<Mark>,
    /// Whether a line connects them, in order.
    pub connected: bool,
    /// Whether they only serve to compare others with: no colour of their own.
    pub neutral: bool,
}

/// A point.
#[derive(Clone, Debug, Default)]
pub struct Mark {
    /// To the right.
    pub x: f64,
    /// Upwards.
    pub y: f64,
    /// What it is.
    pub label: String,
    /// Whether its label stands beside it.
    pub labelled: bool,
    /// Whether it is filled, rather than an outline.
    pub filled: bool,
}

const WIDTH: f64 = 760.0;
const PLOT: f64 = 430.0;
const LEGEND_LINE: f64 = 18.0;

impl Scatter {
    /// The picture as SVG.
    pub fn to_svg(&self) -> String {
        let marks = || self.series.iter().flat_map(|series| &series.marks);
        let x = Axis::from_zero(marks().map(|mark| mark.x));
        let y = Axis::from_zero(marks().map(|mark| mark.y));
        let legend = self.series.len().div_ceil(2) as f64 * LEGEND_LINE;
        let frame = PlotFrame {
            width: WIDTH,
            height: PLOT + 70.0 + legend,
            left: 70.0,
            top: 36.0,
            right: WIDTH - 24.0,
            bottom: PLOT,
        };
        let mut svg = frame.open(&self.title, &self.description);
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"20\" font-size=\"14\" font-weight=\"600\">{}</text>",
            frame.left,
            escaped(&self.title)
        );
        frame.axes(&mut svg, (&x, &self.x_name), (&y, &self.y_name));
        let at = |place: (f64, f64)| (frame.x(x.share(place.0)), frame.y(y.share(place.1)));
        for (style, series) in self.styled().filter(|(_, series)| series.connected) {
            let places: Vec<(f64, f64)> = series.marks.iter().map(|mark| at((mark.x, mark.y))).collect();
            let _ = writeln!(svg, "<path class=\"line {}\" d=\"{}\"/>", class(style), path(&places));
        }
        if self.frontier.len() > 1 {
            let places: Vec<(f64, f64)> = self.frontier.iter().map(|&place| at(place)).collect();
            let _ = writeln!(svg, "<path class=\"frontier\" d=\"{}\"/>", path(&places));
        }
        for (style, series) in self.styled() {
            for one in &series.marks {
                let title = format!("{}: {} ({:.4}, {:.4})", series.name, one.label, one.x, one.y);
                mark(&mut svg, style, at((one.x, one.y)), one.filled, &title);
            }
        }
        self.labels(&mut svg, &frame, &at);
        for (number, (style, series)) in self.styled().enumerate() {
            let (column, row) = (number % 2, number / 2);
            let left = frame.left + column as f64 * (frame.right - frame.left) / 2.0;
            let line = PLOT + 62.0 + row as f64 * LEGEND_LINE;
            mark(&mut svg, style, (left, line - 4.0), true, &series.name);
            frame.text(&mut svg, (left + 12.0, line), "start", &series.name);
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn styled(&self) -> impl Iterator<Item = (usize, &Series)> {
        self.series.iter().enumerate().map(|(number, series)| (if series.neutral { NEUTRAL } else { number }, series))
    }

    /// Labels beside their marks, to the right or to the left, above or below, where nothing stands yet; what finds no room
    /// is left to the mark's title.
    fn labels(&self, svg: &mut String, frame: &PlotFrame, at: &dyn Fn((f64, f64)) -> (f64, f64)) {
        let marks: Vec<&Mark> = self.series.iter().flat_map(|series| &series.marks).collect();
        let mut taken: Vec<[f64; 4]> =
            marks.iter().map(|mark| at((mark.x, mark.y))).map(|(x, y)| [x - 5.0, y - 5.0, x + 5.0, y + 5.0]).collect();
        for mark in marks.iter().filter(|mark| mark.labelled && !mark.label.is_empty()) {
            let (x, y) = at((mark.x, mark.y));
            let width = mark.label.chars().count() as f64 * 6.3;
            let options = [
                (8.0, -6.0, "start"),
                (8.0, 14.0, "start"),
                (-8.0, -6.0, "end"),
                (-8.0, 14.0, "end"),
                (12.0, 4.0, "start"),
                (-12.0, 4.0, "end"),
                (14.0, -20.0, "start"),
                (14.0, 28.0, "start"),
                (14.0, -34.0, "start"),
                (14.0, -48.0, "start"),
            ];
            let room = options.into_iter().find_map(|(dx, dy, anchor)| {
                let (x, y) = (x + dx, y + dy);
                let left = if anchor == "end" { x - width } else { x };
                let own = [left, y - 10.0, left + width, y + 3.0];
                let free = taken.iter().all(|other| !overlap(own, *other));
                let fits = left > frame.left + 2.0
                    && left + width < frame.right
                    && own[1] > frame.top
                    && own[3] < frame.bottom;
                (free && fits).then_some((own, x, y, anchor, dy.abs() > 15.0))
            });
            if let Some((own, label_x, label_y, anchor, far)) = room {
                taken.push(own);
                if far {
                    let _ = writeln!(
                        svg,
                        "<path class=\"leader\" d=\"M{x:.1} {y:.1}L{label_x:.1} {:.1}\"/>",
                        label_y - 4.0
                    );
                }
                frame.text(svg, (label_x, label_y), anchor, &mark.label);
            }
        }
    }
}

fn overlap(a: [f64; 4], b: [f64; 4]) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

fn path(places: &[(f64, f64)]) -> String {
    let step = |(number, (x, y)): (usize, &(f64, f64))| format!("{}{x:.1} {y:.1}", if number == 0 { "M" } else { "L" });
    places.iter().enumerate().map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark_at(x: f64, y: f64) -> Mark {
        Mark { x, y, label: "k < 5 & more".into(), labelled: true, filled: true }
    }

    #[test]
    fn a_picture_is_well_formed_and_says_what_it_shows() {
        let series = Series {
            name: "a".into(),
            marks: vec![mark_at(0.1, 0.2), mark_at(0.3, 0.1)],
            connected: true,
            neutral: false,
        };
        let frontier = vec![(0.1, 0.2), (0.3, 0.1)];
        let svg = Scatter { title: "Losses".into(), series: vec![series], frontier, ..Scatter::default() }.to_svg();
        assert!(svg.contains("<title>Losses</title>") && svg.contains("<desc>"));
        assert!(svg.contains("k &lt; 5 &amp; more") && !svg.contains("k < 5"));
        let count = |what: &str| svg.matches(what).count();
        for element in ["svg", "text", "title", "circle", "style", "desc"] {
            assert_eq!(
                count(&format!("<{element}>")) + count(&format!("<{element} ")),
                count(&format!("</{element}>")),
                "{element}"
            );
        }
        assert!(!svg.contains("NaN"));
    }

    #[test]
    fn nothing_makes_a_picture_too() {
        assert!(!Scatter::default().to_svg().contains("NaN"));
    }
}
