//! What stays with the steward: private files, and the page to decide from.

mod audit;
mod publish;

pub use audit::{FILE, write_page, write_private};
pub use publish::{Made, Options, publish, publish_and_read, publish_as, publish_to, room};
