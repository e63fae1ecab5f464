//! Heals a repository: agents clone it, run its tests, find the failures, fix them and prove the fixes.
//!
//! # Layout
//!
//! - [`mod@graph`]: the graph of the agents; [`workflow`]: runs the agent of each node
//! - [`request`], [`state`]: the request, and the state that the agents share
//! - `agents`: one file per agent; `model`: requests to language models, with the prompts in `prompts/`
//! - [`check_result`], [`acceptance`]: the results of a test run, and the rule for accepting a patch
//! - `change`, `session`, `workspace`, `suite`, `build`, `lint`, `tree`, `checkout`, [`external_files`], `folders`: the tree on disk and the commands that run in its
//!   sandbox
//! - `walk`: the files of a tree; [`caches`]: installed packages that later runs use again
//! - [`toolchain`]: the specifics of each language's tools, with finding and installing them
//! - [`lsp_diagnostics`]: diagnostics of language servers about a failing tree; `language_server`: the conversation with one
//! - `flaky`: failures that come and go, or that depend on more than the program; found by running tests under other conditions
//! - [`drift`]: dependencies whose new release broke the tests; found by installing older releases
//! - `search`: repairs that no rule knows: hundreds of changes are tried in a warm process
//! - [`repo_config`]: the repository's own settings for its healing
//! - [`setup`]: the test setup of a repository; `test_setup`, with [`project`], [`ci_commands`], [`discovery`], [`protected`]: finding it
//! - [`hosting`]: CI at the host, the pull request or merge request, the status of the commit
//! - [`branch_name`], [`commit_message`]: the formats of the spec
//! - [`results`], [`report`]: the outcome of a run, as a document and as text for the user

#![cfg_attr(test, expect(clippy::disallowed_methods, reason = "tests make the folders that they look at"))]

pub mod acceptance;
mod agents;
pub mod branch_name;
mod build;
pub mod caches;
mod change;
pub mod check_result;
mod checkout;
mod checks;
pub mod ci_commands;
pub mod commit_message;
pub mod discovery;
pub mod drift;
mod earlier;
pub mod external_files;
mod flaky;
mod folders;
mod globs;
pub mod graph;
mod host_programs;
pub mod hosting;
mod language_server;
mod lint;
pub mod lsp_diagnostics;
mod model;
mod paths;
pub mod project;
mod prompt_limits;
pub mod protected;
pub mod repo_config;
pub mod report;
pub mod request;
pub mod results;
mod search;
mod session;
mod settings;
pub mod setup;
pub mod state;
mod step_error;
mod suite;
pub mod test_runner;
mod test_scope;
mod test_setup;
pub mod toolchain;
pub mod toolchains;
mod tree;
mod walk;
pub mod workflow;
mod workspace;

pub use flaky::{FlakyKind, FlakyTest, Healing};
pub use graph::{HealNode, graph};
pub use prompt_limits::PromptLimits;
pub use request::HealRequest;
pub use settings::{DRIFT_ENVIRONMENTS, HealSettings};
pub use state::HealState;
pub use workflow::{HealWorkflow, SetupError};
