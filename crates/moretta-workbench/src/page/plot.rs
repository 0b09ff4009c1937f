//! Small plots of our own: bars with words, no style within the page.

use maud::{Markup, html};
use moretta::text::{counted, percent};

use crate::workspace::Bin;

const WIDTH: f64 = 320.0;
const HEIGHT: f64 = 84.0;

/// Bars, as high as people are many. What they show stands in a table for those who do not see them.
pub(super) fn bars(name: &str, bins: &[Bin]) -> Markup {
    let most = bins.iter().map(|bin| bin.people).max().unwrap_or(1).max(1) as f64;
    let step = WIDTH / bins.len().max(1) as f64;
    let gap = if step > 4.0 { 2.0 } else { 0.5 };
    html! {
        svg.bars viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label={ "How many people have which " (name) } preserveAspectRatio="none" {
            @for (index, bin) in bins.iter().enumerate() {
                @let height = (bin.people as f64 / most * (HEIGHT - 2.0)).max(if bin.people > 0 { 1.0 } else { 0.0 });
                rect x=(format!("{:.1}", index as f64 * step)) y=(format!("{:.1}", HEIGHT - height)) width=(format!("{:.1}", (step - gap).max(0.5))) height=(format!("{height:.1}")) {
                    title { (bin.label) ": " (counted(bin.people, "person", "people")) }
                }
            }
        }
        p.ends.quiet aria-hidden="true" {
            @if let (Some(first), Some(last)) = (bins.first(), bins.last()) { span { (first.label) } @if bins.len() > 1 { span { (last.label) } } }
        }
    }
}

/// A share as a bar beside its figure.
pub(super) fn share(part: u64, whole: u64) -> Markup {
    fraction(if whole == 0 { 0.0 } else { part as f64 / whole as f64 })
}

/// A fraction, from 0 to 1, as a bar beside its figure.
pub(super) fn fraction(share: f64) -> Markup {
    html! {
        svg.share viewBox="0 0 100 8" aria-hidden="true" preserveAspectRatio="none" {
            rect.rail x="0" y="0" width="100" height="8" {}
            rect.filled x="0" y="0" width=(format!("{:.2}", share.clamp(0.0, 1.0) * 100.0)) height="8" {}
        }
        span.number { (percent(share)) }
    }
}
