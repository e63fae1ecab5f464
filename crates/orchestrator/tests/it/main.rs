//! Toy workflows on real databases, in this process and in others.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod crew;
mod database;
#[cfg(feature = "fail-points")]
mod killing;
mod performing;
mod rows;
mod sharing;
mod toy;
mod walking;
