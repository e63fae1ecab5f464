//! The real binary, as a person or a script runs it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod asking;
mod binary;
mod healing;
mod relocating;
mod rows;
mod scouting;
mod settings;
mod sources;
mod stopping;
