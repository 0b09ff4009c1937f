//! What stays with the steward: private files, and the page to decide from.

mod audit;
#[cfg(feature = "report")]
mod page;
mod publish;

pub use audit::{FILE, write_private};
#[cfg(feature = "report")]
pub use page::write_page;
pub use publish::{Made, Options, publish, publish_and_read, publish_as, publish_to, room};
