//! Benchmarks, which measure the program and compare it with its goals.

pub(crate) mod all;
pub(crate) mod apply;
pub(crate) mod cheats;
pub(crate) mod diff;
pub(crate) mod drift;
pub(crate) mod escape;
pub(crate) mod extract;
pub(crate) mod flaky;
pub(crate) mod fleet;
pub(crate) mod heal;
pub(crate) mod inject;
mod lines;
pub(crate) mod navigate;
pub(crate) mod obstacles;
mod of_crate;
pub(crate) mod ordinary;
pub(crate) mod pages;
pub(crate) mod parsers;
pub(crate) mod prompts;
pub(crate) mod python_package;
pub(crate) mod queue;
pub(crate) mod real;
pub(crate) mod refresh;
pub(crate) mod scale;
pub(crate) mod server;
pub(crate) mod soak;
