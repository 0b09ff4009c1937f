//! The frontier: what each candidate tells about people, and what it costs analysts. Points are links, so that keys reach them too.

use maud::{Markup, html};
use moretta::text::rounded;
use serde_json::Value as Json;

const SIDE: f64 = 420.0;
const MARGIN: f64 = 48.0;

/// The plane with all points that were measured.
pub(super) fn plane(points: &[Json]) -> Markup {
    let most = |key: &str| points.iter().filter_map(|point| point[key].as_f64()).fold(0.0, f64::max).max(1e-9) * 1.08;
    let (widest, highest) = (most("p_loss"), most("u_loss"));
    let x = |loss: f64| MARGIN + loss / widest * (SIDE - MARGIN - 12.0);
    let y = |loss: f64| SIDE - MARGIN - loss / highest * (SIDE - MARGIN - 12.0);
    let at = |point: &Json| Some((x(point["p_loss"].as_f64()?), y(point["u_loss"].as_f64()?)));
    let mut front: Vec<(f64, f64)> = points.iter().filter(|point| point["efficient"] == true).filter_map(at).collect();
    front.sort_by(|a, b| a.0.total_cmp(&b.0));
    let path = front
        .iter()
        .enumerate()
        .map(|(index, (x, y))| format!("{}{x:.1} {y:.1}", if index == 0 { "M" } else { "L" }))
        .collect::<String>();
    html! {
        svg.plane viewBox={ "0 0 " (SIDE) " " (SIDE) } role="group" aria-label="What each release tells about people, and what it costs analysts" {
            line.axis x1=(MARGIN) y1=(SIDE - MARGIN) x2=(SIDE - 8.0) y2=(SIDE - MARGIN) {}
            line.axis x1=(MARGIN) y1=(SIDE - MARGIN) x2=(MARGIN) y2="8" {}
            @for part in 1..=4u32 {
                @let (px, py) = (widest / 1.08 * f64::from(part) / 4.0, highest / 1.08 * f64::from(part) / 4.0);
                text.tick x=(format!("{:.1}", x(px))) y=(SIDE - MARGIN + 16.0) text-anchor="middle" { (rounded(px, 2)) }
                text.tick x=(MARGIN - 6.0) y=(format!("{:.1}", y(py) + 4.0)) text-anchor="end" { (rounded(py, 2)) }
            }
            text.name x=(SIDE / 2.0) y=(SIDE - 10.0) text-anchor="middle" { "told about people (P_loss) →" }
            text.name x="14" y=(SIDE / 2.0) text-anchor="middle" transform={ "rotate(-90 14 " (SIDE / 2.0) ")" } { "lost to analysts (U_loss) →" }
            path.front d=(path) {}
            @for (index, point) in points.iter().enumerate() {
                @if let Some((px, py)) = at(point) {
                    a href={ "#point-" (index) } class=(if point["efficient"] == true { "point is-efficient" } else { "point" }) aria-label=(words(point)) {
                        circle cx=(format!("{px:.1}")) cy=(format!("{py:.1}")) r=(if point["efficient"] == true { 7 } else { 5 }) { title { (words(point)) } }
                    }
                }
            }
        }
    }
}

/// A point in words.
fn words(point: &Json) -> String {
    let loss = |key: &str| point[key].as_f64().map_or_else(String::new, |loss| rounded(loss, 3));
    format!(
        "{}, {}: P_loss {}, U_loss {}",
        point["series"].as_str().unwrap_or_default(),
        point["numbers"].as_str().unwrap_or_default(),
        loss("p_loss"),
        loss("u_loss")
    )
}
