//! Attacks on releases: what an adversary gains, compared with what was promised.

pub mod background;
