//! The behaviour of the repository workflow through its public API.

mod acceptance;
mod ci;
mod discovery;
mod diagnostics_log;
mod driver;
mod heal;
mod names;
mod project;
mod results;
mod rounds;
mod strategies;
