//! The store through its public API, the same suite on both engines.

mod database;
mod queue;
mod runs;
