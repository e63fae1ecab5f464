//! The store through its public API, the same suite on both engines.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test that cannot go on has failed")]

mod backup;
mod database;
mod ledger;
mod listing;
mod load;
mod manual_index;
mod model;
mod politeness;
mod processes;
mod queue;
mod retention;
mod runs;
mod schema;
mod source;
mod trend;
mod waiting;
