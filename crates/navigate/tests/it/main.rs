//! Navigation of a manual over HTTP, by search and by a model.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod asking;
mod by_index;
mod by_model;
mod by_search;
mod manual_site;
