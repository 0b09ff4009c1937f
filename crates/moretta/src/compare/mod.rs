//! Many methods, models and parameters on one table: what each costs people and analysts.
//!
//! A [`Plan`] lists [`Candidate`]s; each is published and measured with one [`Yardstick`](crate::utility::Yardstick), and kept where it
//! can be found again ([`Store`]); the efficient ones form the frontier (Li 2010, section 5.2).

mod candidate;
mod choice;
mod plan;
mod run;
mod store;

pub use candidate::Candidate;
pub use choice::Budget;
pub use plan::Plan;
pub use run::{Compared, Comparison, Found, Measured, run};
pub use store::Store;
