//! The frontier: what each candidate tells about people, and what it costs analysts. Points are links, so that keys reach them too, and each has
//! its own account of what it costs whom.

use maud::{Markup, html};
use moretta::text::{counted, percent, rounded};
use serde_json::Value as Json;

const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 72.0;
const BOTTOM: f64 = 48.0;
const EDGE: f64 = 14.0;

/// The most parts of an axis.
const PARTS: u32 = 5;

/// An axis from 0 to a round number that is not below what it must show: its parts, how wide each is, and with how many digits that is written.
struct Axis {
    parts: u32,
    step: f64,
    digits: i32,
}

impl Axis {
    fn up_to(most: f64) -> Self {
        let most_parts = f64::from(PARTS);
        let power = (most / most_parts).log10().floor();
        let unit = 10_f64.powf(power);
        let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * unit).into_iter().find(|step| most / step <= most_parts);
        let step = step.unwrap_or(10.0 * unit);
        let parts = (1..PARTS).find(|&parts| f64::from(parts) * step >= most).unwrap_or(PARTS);
        Self { parts, step, digits: (-power).clamp(0.0, 12.0) as i32 }
    }

    fn end(&self) -> f64 {
        f64::from(self.parts) * self.step
    }

    fn ticks(&self) -> impl Iterator<Item = (f64, String)> {
        (0..=self.parts).map(|part| f64::from(part) * self.step).map(|at| (at, rounded(at, self.digits)))
    }
}

/// The plane with all points that were measured, and beside it what each of them means.
pub(super) fn plane(points: &[Json], knee: Option<u64>) -> Markup {
    let most = |key: &str| points.iter().filter_map(|point| point[key].as_f64()).fold(0.0, f64::max).max(1e-9);
    let (across, up) = (Axis::up_to(most("p_loss")), Axis::up_to(most("u_loss")));
    let (widest, highest) = (across.end(), up.end());
    let x = |loss: f64| LEFT + loss / widest * (WIDTH - LEFT - 2.0 * EDGE);
    let y = |loss: f64| HEIGHT - BOTTOM - loss / highest * (HEIGHT - BOTTOM - 2.0 * EDGE);
    let at = |point: &Json| Some((x(point["p_loss"].as_f64()?), y(point["u_loss"].as_f64()?)));
    let mut front: Vec<(f64, f64)> = points.iter().filter(|point| point["efficient"] == true).filter_map(at).collect();
    front.sort_by(|a, b| a.0.total_cmp(&b.0));
    let line: Vec<String> = front.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
    let class = |index: usize, point: &Json| match (point["efficient"] == true, knee == Some(index as u64)) {
        (true, true) => "point is-efficient is-knee",
        (true, false) => "point is-efficient",
        (false, _) => "point",
    };
    html! {
        svg.plane viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="group" aria-label="What each release tells about people, and what it costs analysts" {
            @for (at, figure) in across.ticks() {
                @let px = format!("{:.1}", x(at));
                line.grid x1=(px) y1=(EDGE) x2=(px) y2=(HEIGHT - BOTTOM) {}
                text.tick x=(px) y=(HEIGHT - BOTTOM + 16.0) text-anchor="middle" { (figure) }
            }
            @for (at, figure) in up.ticks() {
                line.grid x1=(LEFT) y1=(format!("{:.1}", y(at))) x2=(WIDTH - EDGE) y2=(format!("{:.1}", y(at))) {}
                text.tick x=(LEFT - 6.0) y=(format!("{:.1}", y(at) + 4.0)) text-anchor="end" { (figure) }
            }
            line.axis x1=(LEFT) y1=(HEIGHT - BOTTOM) x2=(WIDTH - EDGE) y2=(HEIGHT - BOTTOM) {}
            line.axis x1=(LEFT) y1=(HEIGHT - BOTTOM) x2=(LEFT) y2=(EDGE) {}
            text.name x=(f64::midpoint(LEFT, WIDTH)) y=(HEIGHT - 10.0) text-anchor="middle" { "told about people →" }
            text.name x="14" y=((HEIGHT - BOTTOM) / 2.0) text-anchor="middle" transform={ "rotate(-90 14 " ((HEIGHT - BOTTOM) / 2.0) ")" } { "lost to analysts →" }
            polyline.front points=(line.join(", ")) {}
            @for (index, point) in points.iter().enumerate() {
                @if let Some((px, py)) = at(point) {
                    a href={ "#about-" (index) } class=(class(index, point)) data-row={ "point-" (index) } aria-label=(words(point)) {
                        circle.near cx=(format!("{px:.1}")) cy=(format!("{py:.1}")) r="13" {}
                        circle.mark cx=(format!("{px:.1}")) cy=(format!("{py:.1}")) r=(if point["efficient"] == true { 7 } else { 5 }) { title { (words(point)) } }
                    }
                }
            }
        }
        ul.legend { li { span.key.is-efficient {} "efficient" } li { span.key.is-knee {} "the knee: beyond it, little is gained for much" } li { span.key {} "beaten by another" } }
        div #abouts aria-live="polite" {
            @for (index, point) in points.iter().enumerate() { @if point["refused"].is_null() { (account(index, point)) } }
        }
    }
}

/// What a point tells about whom, and what it costs whom, in sentences. It is shown while the point is looked at.
fn account(index: usize, point: &Json) -> Markup {
    let loss =
        |value: &Json| value.as_f64().map_or_else(|| "nothing that was measured".to_owned(), |loss| rounded(loss, 3));
    let people = &point["p_loss_over_people"];
    html! {
        div.about id={ "about-" (index) } {
            h3 { (text(point, "series")) " " span.quiet { (text(point, "numbers")) } }
            p { "People: the worst hit are told " (loss(&point["p_loss"])) " beyond what everybody knows"
                @if !people["median"].is_null() { ", half of them at most " (loss(&people["median"])) ", and 19 of 20 at most " (loss(&people["p95"])) }
                @if !point["p_loss_known_group"].is_null() { "; to somebody who knows their group, " (loss(&point["p_loss_known_group"])) } "." }
            p { "Analysts: a part of the people is misjudged by " (loss(&point["u_loss"])) " on average"
                @if !point["u_loss_worst"].is_null() { ", the worst-judged part by " (loss(&point["u_loss_worst"])) }
                @if let Some(error) = point["query_error"].as_f64() { "; a random count is off by " (percent(error)) } "." }
            @if let Some(left_out) = point["suppressed"].as_u64().filter(|left_out| *left_out > 0) { p { (counted(left_out, "person is", "people are")) " left out." } }
        }
    }
}

fn text<'p>(point: &'p Json, key: &str) -> &'p str {
    point[key].as_str().unwrap_or_default()
}

/// A point in words.
fn words(point: &Json) -> String {
    let loss = |key: &str| point[key].as_f64().map_or_else(String::new, |loss| rounded(loss, 3));
    format!("{}, {}: told {}, lost {}", text(point, "series"), text(point, "numbers"), loss("p_loss"), loss("u_loss"))
}

#[cfg(test)]
mod tests {
    use super::Axis;

    #[test]
    fn figures_at_an_axis_are_round_and_differ() {
        let figures = |most: f64| Axis::up_to(most).ticks().map(|(_, figure)| figure).collect::<Vec<_>>().join(" ");
        assert_eq!(figures(0.514), "0 0.2 0.4 0.6");
        assert_eq!(figures(0.0146), "0 0.005 0.01 0.015");
        assert_eq!(figures(1.0), "0 0.2 0.4 0.6 0.8 1");
        assert_eq!(figures(12.0), "0 5 10 15");
        for most in [1e-9, 0.003, 0.099, 0.1, 0.25, 7.0, 1234.0] {
            let axis = Axis::up_to(most);
            let mut ticks: Vec<String> = axis.ticks().map(|(_, figure)| figure).collect();
            let written = ticks.len();
            ticks.dedup();
            assert!(axis.end() >= most && axis.parts <= 5 && ticks.len() == written, "{most}: {ticks:?}");
        }
    }
}
