//! An adversary for moretta that never tires: random tables and policies are published, read back from their files by a reader of its
//! own, and judged by the definitions, in plain arithmetic that shares nothing with the library's.
#![expect(
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "numbers are drawn small, and not negative where they are cast"
)]

pub mod case;
pub mod cell;
pub mod dice;
pub mod draw_policy;
pub mod draw_table;
pub mod features;
pub mod fuzz;
pub mod library;
pub mod naive;
pub mod question;
pub mod run;
mod shrink;
pub mod spoil;
pub mod tally;
pub mod trial;
