//! The behaviour of the repository workflow through its public API.

#![expect(clippy::disallowed_methods, reason = "tests make the folders that they look at")]

mod acceptance;
mod cheats;
mod ci;
mod ci_node;
mod diagnostics_log;
mod discovery;
mod drift;
mod drift_hosted;
mod drift_npm;
mod driver;
mod external_files;
mod flaky;
mod gates;
mod heal;
mod heal_docker;
mod heal_node;
mod heal_python_versions;
mod heal_rust;
mod hostile;
mod injections;
mod lsp;
mod model;
mod names;
mod project;
mod repo_config;
mod results;
mod rounds;
mod search;
mod search_node;
mod strategies;
mod suites;
mod tests_inside;
