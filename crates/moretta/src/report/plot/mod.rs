//! Plots: as SVG for pages and print, as text for terminals.
//!
//! Every function returns a text. SVG takes its ink from the page (`currentColor`) and its colours from CSS classes
//! with defaults that are told apart without colour vision, so that it reads on light and on dark ground, alone and inside a page.

mod axis;
mod bars;
mod scatter;
mod svg;
mod text;

pub use axis::{Axis, ticks};
pub use bars::{Bars, text_bars};
pub use scatter::{Mark, Scatter, Series};
pub use text::text_scatter;

/// The number of colours and shapes that are told apart; more series than that repeat them.
pub const STYLES: usize = 8;
