//! For tests only: what several crates' tests share.
//!
//! # Layout
//!
//! - [`skip`]: say loudly that a part cannot be tested on this machine

pub mod skip;

pub use skip::skip;
