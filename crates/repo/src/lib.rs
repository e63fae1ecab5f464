//! Heals a repository: the agents that clone it, run its tests, find what is wrong, fix it and prove it.
//!
//! # Layout
//!
//! - [`node`]: the graph of the agents; [`workflow`]: which agent does the job of which node
//! - [`request`], [`state`]: what is asked, and what the agents share
//! - `agents`: one file per agent; `model`: what a language model is asked, with the prompts in `prompts/`
//! - [`look`], [`acceptance`]: what a test run showed, and when a patch is accepted
//! - `change`, `session`, `suite`, `build`, `lint`, `tree`, `checkout`, [`parts`], `folders`: the tree on disk and the commands that run in its sandbox
//! - `walk`: the files of a tree; [`caches`]: what installs leave for later runs
//! - [`toolchain`]: what is particular to a language's tools; `installation`: finding them and what they need
//! - [`hints`]: what language servers say of a red tree; `language_server`: the talk with one
//! - `flaky`: what comes and goes, or depends on more than the program: found by running it otherwise
//! - `search`: changes tried by the hundred in a warm process, for what rules do not know
//! - [`own_settings`]: what a repository says about its own healing; [`wanted`]: what of it no request says
//! - [`setup`]: how a repository is tested; [`project`], [`ci_commands`], [`discovery`], [`protected`]: finding that out
//! - [`hosting`]: the CI that runs at GitHub, the pull request, the status of the commit
//! - [`branch_name`], [`commit_message`]: the spec's formats
//! - [`results`], [`report`]: what a run came to, for machines and for people
//! - [`stop_reason`]: why it ended

#![cfg_attr(test, expect(clippy::disallowed_methods, reason = "tests make the folders that they look at"))]

pub mod acceptance;
mod agents;
pub mod branch_name;
mod build;
pub mod caches;
mod change;
mod checkout;
pub mod ci_commands;
pub mod commit_message;
pub mod discovery;
mod earlier;
mod flaky;
mod folders;
pub mod hints;
pub mod hosting;
mod installation;
mod language_server;
mod lint;
pub mod look;
mod model;
pub mod node;
pub mod own_settings;
pub mod parts;
pub mod project;
pub mod protected;
pub mod report;
pub mod request;
pub mod results;
mod search;
mod session;
pub mod setup;
pub mod state;
pub mod stop_reason;
mod suite;
pub mod toolchain;
mod tree;
mod walk;
pub mod wanted;
pub mod workflow;

pub use flaky::{FlakyKind, FlakyTest, Healing};
pub use model::PromptLimits;
pub use node::{HealNode, graph};
pub use request::HealRequest;
pub use state::HealState;
pub use stop_reason::StopReason;
pub use workflow::{HealSettings, HealWorkflow, SetupError};
