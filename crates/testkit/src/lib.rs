//! Test support that several crates share.
//!
//! # Layout
//!
//! - `background`: servers on separate threads
//! - [`figures`]: the figures of benches, in one form
//! - [`git_http`]: git repositories served over HTTP on the loopback interface
//! - [`github`]: a fake GitHub, checked against GitHub's description of its API
//! - [`gitlab`]: a fake GitLab, checked against a table of what GitLab documents
//! - [`kill`]: kills a program around every checkpoint and compares the results
//! - `large_database`: a database after months, to measure with (feature `large-database`)
//! - [`ledger`]: accounts of language models, in memory
//! - [`machines`]: programs on simulated machines that can be cut off from the network
//! - [`mail`]: a mail server that records its messages
//! - [`manual`]: a manual of vehicles with hundreds of pages
//! - [`model_server`]: a language model with scripted responses
//! - [`npm_registry`]: a small registry of npm packages
//! - [`ordinary_user`]: reruns of tests as an ordinary user
//! - [`package_index`]: a small index of Python packages
//! - [`pills`]: texts that are hard to parse
//! - [`postgres`]: a private PostgreSQL server
//! - [`repository`]: small git repositories
//! - [`site`]: a small web site that changes while it is served
//! - [`skip`]: prominent notices of parts that cannot be tested on this machine
//! - [`static_site`]: pages that do not change, with a count of requests

mod background;
pub mod figures;
pub mod git_http;
pub mod github;
pub mod gitlab;
mod http;
pub mod kill;
#[cfg(feature = "large-database")]
pub mod large_database;
pub mod ledger;
pub mod machines;
pub mod mail;
pub mod manual;
pub mod model_server;
mod model_stream;
pub mod npm_registry;
pub mod ordinary_user;
pub mod package_index;
pub mod pills;
pub mod postgres;
pub mod repository;
pub mod site;
pub mod skip;
pub mod static_site;

pub use autoheal_process::Owner;
pub use skip::skip;
