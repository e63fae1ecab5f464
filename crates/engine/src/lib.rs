//! The rules of the house that need nothing but the standard library: workflow graphs, the diagnostics log, the circuit
//! breaker, budgets, events, and the traits by which the crates above serve each other.
//!
//! Nothing here does I/O or knows an async runtime, and nothing reads a clock: time is a parameter ([`Timestamp`]).
//! Given the same input every function gives the same output, so the laws stand as property tests.
//!
//! # Layout
//!
//! - [`graph`]: a workflow as data: nodes, routes, policies; drawn as Mermaid, walked one step at a time
//! - [`workflow`]: what a workflow's agents implement and what a step is given
//! - [`diagnostics`]: normalised errors, their log, its summary, and what changed between two logs
//! - [`breaker`]: three attempts in 24 hours, then quarantine
//! - [`budget`]: what a run and a day may cost
//! - [`event`]: what happened in a run, in one order
//! - [`output`]: the output of commands, cut to a length that a run can keep
//! - [`ledger`]: what models were asked, and what that cost
//! - [`politeness`]: how often a host may be asked, by one process or by many that share a database
//! - [`source`]: the health of a source, the stages of a recipe
//! - [`task`], [`id`], [`time`], [`error_code`]: the words the rest is said in
//!
//! # Example
//!
//! ```
//! use autoheal_engine::breaker::{Breaker, Reason, Verdict};
//! use autoheal_engine::Timestamp;
//!
//! let breaker = Breaker::default();
//! let attempts = [Timestamp::from_millis(0), Timestamp::from_millis(1), Timestamp::from_millis(2)];
//! let verdict = breaker.check(&attempts, Timestamp::from_millis(3));
//! assert!(matches!(verdict, Verdict::Refuse { reason: Reason::MaxAttemptsReached, .. }));
//! ```

pub mod breaker;
pub mod budget;
pub mod diagnostics;
pub mod error_code;
pub mod event;
pub mod graph;
pub mod id;
pub mod ledger;
pub mod output;
pub mod politeness;
pub mod source;
pub mod task;
pub mod time;
pub mod workflow;

pub use error_code::ErrorCode;
pub use id::{JobId, RunId, TaskId};
pub use time::Timestamp;
