//! Many methods, models and parameters on one table: what each costs people and analysts.
//!
//! A [`ComparisonPlan`] lists [`Candidate`]s; each is published and measured with one [`LossEvaluator`](crate::utility::LossEvaluator), and kept where it
//! can be found again ([`Store`]); the efficient ones form the frontier (Li 2010, section 5.2). What can be learned from each is
//! measured on top by a [`Learner`], if the plan asks for it.

mod candidate;
mod choice;
mod learner;
mod plan;
mod run;
mod store;
#[cfg(test)]
mod tests;
mod usual;
mod written;

pub use candidate::Candidate;
pub use choice::Budget;
pub use learner::{Accuracy, Learner, LearningTask, Lessons};
pub use plan::ComparisonPlan;
pub use run::{Compared, Comparison, Measured, PointOutcome, run};
pub use store::Store;
