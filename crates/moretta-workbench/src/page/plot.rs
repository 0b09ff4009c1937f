//! Small plots of our own: bars with words, no style within the page.

use maud::{Markup, html};
use moretta::text::{counted, grouped, percent};

use crate::workspace::Bin;

const WIDTH: f64 = 320.0;
const HEIGHT: f64 = 84.0;

/// The room of a part in a plot of two bars, and the share of it that stays empty.
const GAP: f64 = 0.24;

/// Bars, as high as people are many. What they show stands in a table for those who do not see them.
pub(super) fn bars(name: &str, bins: &[Bin]) -> Markup {
    let most = bins.iter().map(|bin| bin.people).max().unwrap_or(1).max(1);
    let step = WIDTH / bins.len().max(1) as f64;
    let gap = if step > 4.0 { 2.0 } else { 0.5 };
    html! {
        div.plot {
            p.scale.quiet aria-hidden="true" { span { (grouped(most)) } span { "0" } }
            svg.bars viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label={ "How many people have which " (name) ", at most " (grouped(most)) } preserveAspectRatio="none" {
                @for (index, bin) in bins.iter().enumerate() {
                    @let height = (bin.people as f64 / most as f64 * (HEIGHT - 2.0)).max(if bin.people > 0 { 1.0 } else { 0.0 });
                    rect x=(format!("{:.1}", index as f64 * step)) y=(format!("{:.1}", HEIGHT - height)) width=(format!("{:.1}", (step - gap).max(0.5))) height=(format!("{height:.1}")) {
                        title { (bin.label) ": " (counted(bin.people, "person", "people")) }
                    }
                }
            }
            p.ends.quiet aria-hidden="true" {
                @if let (Some(first), Some(last)) = (bins.first(), bins.last()) { (end(&first.label)) @if bins.len() > 1 { (end(&last.label)) } }
            }
        }
    }
}

/// A label at an end of a plot. Days and numbers are not torn apart where it needs two lines.
fn end(label: &str) -> Markup {
    const SHORT: usize = 12;
    html! {
        span { @for word in label.split_inclusive(' ') { span class=[(word.len() <= SHORT).then_some("untorn")] { (word) } } }
    }
}

/// A part of an attribute's values: its label, the people before, and those that are expected after.
pub(super) type Pair<'a> = (&'a str, u64, Option<f64>);

/// Two bars for each part, before and after. What they show stands in a table beside them.
pub(super) fn pairs(name: &str, parts: &[Pair<'_>]) -> Markup {
    let most = parts.iter().map(|(_, before, after)| after.unwrap_or(0.0).max(*before as f64)).fold(1.0, f64::max);
    let step = WIDTH / parts.len().max(1) as f64;
    let bar = step * (1.0 - GAP) / 2.0;
    let height = |people: f64| (people / most * (HEIGHT - 2.0)).max(if people > 0.0 { 1.0 } else { 0.0 });
    let one = |place: f64, people: f64, class: &str, words: &str| {
        let high = height(people);
        html! {
            rect class=(class) x=(format!("{place:.1}")) y=(format!("{:.1}", HEIGHT - high)) width=(format!("{bar:.1}")) height=(format!("{high:.1}")) { title { (words) } }
        }
    };
    html! {
        div.plot {
            p.scale.quiet aria-hidden="true" { span { (grouped(whole(most))) } span { "0" } }
            svg.bars.pairs viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label={ "People by " (name) ", before and after" } preserveAspectRatio="none" {
                @for (index, (label, before, after)) in parts.iter().enumerate() {
                    @let place = (index as f64 + GAP / 2.0) * step;
                    (one(place, *before as f64, "before", &format!("{label}: {} before", counted(*before, "person", "people"))))
                    @if let Some(after) = after { (one(place + bar, *after, "after", &format!("{label}: about {} after", grouped(whole(*after))))) }
                }
            }
            p.ends.quiet aria-hidden="true" {
                @if let (Some(first), Some(last)) = (parts.first(), parts.last()) { (end(first.0)) @if parts.len() > 1 { (end(last.0)) } }
            }
        }
    }
}

/// People in whole numbers.
pub(super) fn whole(people: f64) -> u64 {
    #[expect(clippy::cast_sign_loss, reason = "nothing below 0 is rounded")]
    let whole = people.max(0.0).round() as u64;
    whole
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
