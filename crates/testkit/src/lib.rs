//! For tests only: what several crates' tests share.
//!
//! # Layout
//!
//! - `background`: servers on threads of their own
//! - [`git_http`]: git repositories served over HTTP on the loopback interface
//! - [`github`]: a GitHub of one's own, held against GitHub's description of its API
//! - [`kill`]: kill a program around every checkpoint and compare what it leaves
//! - [`ledger`]: accounts of language models, in memory
//! - [`machines`]: programs on machines of their own, whose cables can be pulled
//! - [`mail`]: a mail server that remembers
//! - [`manual`]: a manual of vehicles with hundreds of pages
//! - [`model_server`]: a language model that says what it is told to say
//! - [`ordinary_user`]: tests again, as an ordinary user
//! - [`pills`]: texts that are hard to parse
//! - [`postgres`]: a private PostgreSQL server
//! - [`repository`]: small git repositories
//! - [`site`]: a small web site that changes while it runs
//! - [`skip`]: say loudly that a part cannot be tested on this machine
//! - [`static_site`]: pages that do not change, and who asked for them

mod background;
pub mod git_http;
pub mod github;
mod http;
pub mod kill;
pub mod ledger;
pub mod machines;
pub mod mail;
pub mod manual;
pub mod model_server;
pub mod ordinary_user;
pub mod pills;
pub mod postgres;
pub mod repository;
pub mod site;
pub mod skip;
pub mod static_site;

pub use autoheal_process::Owner;
pub use skip::skip;
