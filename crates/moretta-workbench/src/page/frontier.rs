//! The frontier: what each candidate tells about people, and what it costs analysts. Points are links, so that keys reach them too, and each has
//! its own account of what it costs whom.

use maud::{Markup, html};
use moretta::text::{counted, percent, rounded};
use serde_json::Value as Json;

const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 56.0;
const BOTTOM: f64 = 48.0;
const EDGE: f64 = 14.0;

/// How many parts an axis has.
const PARTS: u32 = 4;

/// The figures at an axis, with as many digits as it takes to tell them apart.
fn tick(end: f64, share: f64) -> String {
    rounded(end * share, (1.5 - end.log10()).ceil().clamp(1.0, 6.0) as i32)
}

/// The plane with all points that were measured, and beside it what each of them means.
pub(super) fn plane(points: &[Json], knee: Option<u64>) -> Markup {
    let most = |key: &str| points.iter().filter_map(|point| point[key].as_f64()).fold(0.0, f64::max).max(1e-9);
    let (widest, highest) = (most("p_loss"), most("u_loss"));
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
            @for part in 0..=PARTS {
                @let share = f64::from(part) / f64::from(PARTS);
                @let (px, py) = (x(widest * share), y(highest * share));
                line.grid x1=(format!("{px:.1}")) y1=(EDGE) x2=(format!("{px:.1}")) y2=(HEIGHT - BOTTOM) {}
                line.grid x1=(LEFT) y1=(format!("{py:.1}")) x2=(WIDTH - EDGE) y2=(format!("{py:.1}")) {}
                text.tick x=(format!("{px:.1}")) y=(HEIGHT - BOTTOM + 16.0) text-anchor="middle" { (tick(widest, share)) }
                text.tick x=(LEFT - 6.0) y=(format!("{:.1}", py + 4.0)) text-anchor="end" { (tick(highest, share)) }
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
    use super::tick;

    #[test]
    fn figures_at_an_axis_differ() {
        for end in [0.015, 0.51, 1.0, 12.0] {
            let mut ticks: Vec<String> = (0..=4).map(|part| tick(end, f64::from(part) / 4.0)).collect();
            ticks.dedup();
            assert_eq!(ticks.len(), 5, "{end}: {ticks:?}");
        }
    }
}
