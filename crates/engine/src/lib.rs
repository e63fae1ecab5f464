//! The parts of the domain that need no I/O: workflow graphs, the diagnostics log, the circuit breaker, budgets, events,
//! and the traits through which the crates above serve each other.
//!
//! Nothing here does I/O, depends on an async runtime, or reads a clock: time is a parameter ([`Timestamp`]).
//! Given the same input, every function returns the same output, so its invariants are tested as properties.
//!
//! # Layout
//!
//! - [`graph`]: a workflow as data: nodes, routes, policies; rendered as Mermaid, executed one step at a time
//! - [`workflow`]: the trait that workflows implement, and the context of a step
//! - [`diagnostics`]: normalised errors, their log, its summary, and what changed between two logs
//! - [`breaker`]: three attempts in 24 hours, then quarantine
//! - [`budget`]: limits on the cost of a run and of a day
//! - [`event`]: events of a run, in one order
//! - [`causes`]: an error with its causes in one line; [`counted`](mod@counted): numbers with their nouns;
//!   [`hexadecimal`](mod@hexadecimal): bytes as text
//! - [`outcome`]: what happened in a run, why, and what to do next, in the words that every interface uses
//! - [`output`]: the output of commands, cut to a length that a run can store
//! - [`ledger`]: requests to models and their cost
//! - [`politeness`]: rate limits per host, for one process or for many that share a database
//! - [`source`]: the health of a source, the stages of a recipe; `page_fault`: the faults of its runs
//! - [`alert`]: messages to the user
//! - [`task`], [`id`], [`time`], [`error_code`]: the vocabulary of the other modules
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

pub mod alert;
pub mod breaker;
pub mod budget;
pub mod causes;
pub mod counted;
pub mod diagnostics;
pub mod error_code;
pub mod event;
pub mod graph;
pub mod hexadecimal;
pub mod id;
pub mod ledger;
pub mod outcome;
pub mod output;
mod page_fault;
pub mod politeness;
pub mod source;
pub mod task;
pub mod time;
pub mod workflow;

pub use causes::with_causes;
pub use counted::counted;
pub use error_code::ErrorCode;
pub use hexadecimal::hexadecimal;
pub use id::{JobId, RunId, TaskId};
pub use outcome::{Outcome, StopReason};
pub use time::Timestamp;
