//! What all SVG plots share: the frame, axes, texts, styles.

use std::fmt::Write as _;

use super::axis::{Axis, ticks};
use crate::numeric::tolerance;

/// The inner rectangle of a plot, in pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlotFrame {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl PlotFrame {
    pub(super) fn x(&self, share: f64) -> f64 {
        self.left + share * (self.right - self.left)
    }

    pub(super) fn y(&self, share: f64) -> f64 {
        self.bottom - share * (self.bottom - self.top)
    }

    /// Opens the picture, with its name and its description for those who can't see it.
    pub(super) fn open(&self, title: &str, description: &str) -> String {
        let (width, height) = (self.width, self.height);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"moretta-plot\" viewBox=\"0 0 {width} {height}\" \
             role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"12\" color=\"#222\">\n<title>{}</title>\n\
             <desc>{}</desc>\n<style>{STYLE}</style>\n",
            escaped(title),
            escaped(description)
        )
    }

    /// The axes with ticks, numbers and names.
    pub(super) fn axes(&self, svg: &mut String, (x, x_name): (&Axis, &str), (y, y_name): (&Axis, &str)) {
        for tick in inside(x) {
            let at = self.x(x.share(tick));
            let _ = writeln!(svg, "<path class=\"grid\" d=\"M{at:.1} {:.1}V{:.1}\"/>", self.bottom, self.top);
            self.text(svg, (at, self.bottom + 16.0), "middle", &spelled(tick));
        }
        self.upright(svg, y);
        let _ = writeln!(
            svg,
            "<path class=\"axis\" d=\"M{:.1} {:.1}V{:.1}H{:.1}\"/>",
            self.left, self.top, self.bottom, self.right
        );
        self.text(svg, (self.x(0.5), self.bottom + 34.0), "middle", x_name);
        let (at, middle) = (self.left - 44.0, self.y(0.5));
        let _ = writeln!(
            svg,
            "<text x=\"{at:.1}\" y=\"{middle:.1}\" text-anchor=\"middle\" transform=\"rotate(-90 {at:.1} {middle:.1})\">{}</text>",
            escaped(y_name)
        );
    }

    /// The ticks of the upright axis.
    pub(super) fn upright(&self, svg: &mut String, y: &Axis) {
        for tick in inside(y) {
            let at = self.y(y.share(tick));
            let _ = writeln!(svg, "<path class=\"grid\" d=\"M{:.1} {at:.1}H{:.1}\"/>", self.left, self.right);
            self.text(svg, (self.left - 6.0, at + 4.0), "end", &spelled(tick));
        }
    }

    #[expect(clippy::unused_self, reason = "everything in the picture is drawn through its frame")]
    pub(super) fn text(&self, svg: &mut String, (x, y): (f64, f64), anchor: &str, text: &str) {
        let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>", escaped(text));
    }
}

fn inside(axis: &Axis) -> impl Iterator<Item = f64> {
    let (low, high) = (axis.low, axis.high);
    let room = (high - low) * tolerance::WHOLE;
    ticks(low, high, 5).into_iter().filter(move |tick| *tick >= low - room && *tick <= high + room)
}

/// A number as short as it can be said.
pub(super) fn spelled(x: f64) -> String {
    format!("{x}")
}

/// A text inside SVG, escaped as the page escapes its own.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            _ => safe.push(sign),
        }
    }
    safe
}

/// A mark of a style: shapes differ as well as colours.
pub(super) fn mark(svg: &mut String, style: usize, (x, y): (f64, f64), filled: bool, title: &str) {
    let r = 4.5;
    // Where colours repeat, shapes do not.
    let shape = match (style + style / super::STYLES) % 4 {
        0 => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r}\""),
        1 => format!("<rect x=\"{:.1}\" y=\"{:.1}\" width=\"8\" height=\"8\"", x - 4.0, y - 4.0),
        2 => format!("<path d=\"M{x:.1} {:.1}L{:.1} {:.1}H{:.1}Z\"", y - 5.5, x + 5.0, y + 4.0, x - 5.0),
        _ => format!(
            "<path d=\"M{x:.1} {:.1}L{:.1} {y:.1}L{x:.1} {:.1}L{:.1} {y:.1}Z\"",
            y - 6.0,
            x + 6.0,
            y + 6.0,
            x - 6.0
        ),
    };
    let fill = if filled { "full" } else { "open" };
    let class = class(style);
    let _ = writeln!(svg, "{shape} class=\"{class} {fill}\"><title>{}</title>{}", escaped(title), end(&shape));
}

/// The style of what only serves to compare others with.
pub(super) const NEUTRAL: usize = usize::MAX / 2;

/// The class of a style.
pub(super) fn class(style: usize) -> String {
    if style == NEUTRAL { "n".to_owned() } else { format!("s{}", style % super::STYLES) }
}

fn end(shape: &str) -> &'static str {
    match shape.get(1..2) {
        Some("c") => "</circle>",
        Some("r") => "</rect>",
        _ => "</path>",
    }
}

/// Okabe and Ito's colours, which people with any kind of colour vision tell apart; a page may set its own.
const STYLE: &str = ".moretta-plot text{fill:currentColor}\
.moretta-plot .axis{fill:none;stroke:currentColor}\
.moretta-plot .grid{fill:none;stroke:currentColor;stroke-opacity:.15}\
.moretta-plot .line{fill:none;stroke-width:1.5;stroke-opacity:.7}\
.moretta-plot .frontier{fill:none;stroke:currentColor;stroke-width:2;stroke-dasharray:5 4}\
.moretta-plot .leader{fill:none;stroke:currentColor;stroke-opacity:.5;stroke-width:.7}\
.moretta-plot .open{fill:none;stroke-width:1.6}\
.moretta-plot .n{--c:currentColor}.moretta-plot .s0{--c:var(--moretta-0,#0072b2)}.moretta-plot .s1{--c:var(--moretta-1,#d55e00)}\
.moretta-plot .s2{--c:var(--moretta-2,#009e73)}.moretta-plot .s3{--c:var(--moretta-3,#cc79a7)}\
.moretta-plot .s4{--c:var(--moretta-4,#b58900)}.moretta-plot .s5{--c:var(--moretta-5,#56b4e9)}\
.moretta-plot .s6{--c:var(--moretta-6,#7f3c8d)}.moretta-plot .s7{--c:var(--moretta-7,#6b6b6b)}\
.moretta-plot .line,.moretta-plot .open{stroke:var(--c)}.moretta-plot .full{fill:var(--c)}\
@media (prefers-color-scheme: dark){.moretta-plot{color:#ddd}}";
