//! The behaviour of the repository workflow through its public API.

mod acceptance;
mod driver;
mod heal;
mod results;
mod rounds;
mod strategies;
