//! Tests of the real binary, run as a user or a script runs it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod asking;
mod assistants;
mod binary;
mod ci_job;
mod containers;
mod describing;
mod error_codes;
mod exchange;
mod extracting;
mod extracting_by_model;
mod extracting_several;
mod github;
mod gitlab;
mod healing;
mod initialising;
mod json_output;
mod language_servers;
mod listings;
mod models;
mod navigating;
mod notices;
mod obedient_models;
mod obeying_pages;
mod outliving;
mod pages;
mod python_programs;
mod relocating;
mod rows;
mod sample_repositories;
mod scouting;
mod scraper;
mod serving;
mod settings;
mod soak;
mod sources;
mod stopping;
mod terminal;
mod three_workers;
mod unlike_pages;
