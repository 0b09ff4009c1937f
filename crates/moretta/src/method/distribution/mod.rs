//! Distribution-based anonymization.

mod annotated;
mod fakes;
mod generalize;
#[cfg(test)]
mod oracle;
mod shape;
