//! Output of the test runners and of the interpreter of Python, as data.
//!
//! # Layout
//!
//! - [`traceback`]: tracebacks, in the forms that the interpreter and pytest print; `doctest`: examples in docstrings
//! - [`findings`]: a report, or the output of a run that left none, as findings; [`compile`]: the compile check

pub mod compile;
mod doctest;
pub mod findings;
pub mod traceback;
