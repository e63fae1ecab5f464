//! Repository chores, run as `cargo xtask CHORE`: checks that no compiler makes, benches, images, coverage.
//!
//! # Layout
//!
//! - [`tidy`]: the house rules of `ARCHITECTURE.md` that a program can check
//! - [`bench`]: how fast the queue is, how much of real breakage is healed, how a fleet of sources lives
//! - [`dist`]: the files that users install
//! - [`site`]: the documentation as a site
//! - [`coverage`]: lines that the tests reach
//! - `fuzz_corpora`: a test that replays the corpora of the fuzz targets
//! - [`image`]: the container image that tests run in
//! - [`cache`]: what is kept from one run to the next; [`python`]: environments for Python
//! - [`process`]: the one place that starts programs

mod bench;
mod cache;
mod coverage;
mod dist;
#[cfg(test)]
mod fuzz_corpora;
mod image;
mod process;
mod python;
mod site;
mod tidy;

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Repository chores", disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Check the rules of the house: floors, SQL, processes, error pages, examples of fixers, property tags, file lengths, words
    Tidy {
        /// List every property of the specification with the places of its tests instead
        #[arg(long)]
        properties: bool,
        /// List every phrase that is not plain English instead, with a replacement
        #[arg(long, conflicts_with = "properties")]
        phrases: bool,
    },
    /// Write `docs/fixers.md` from the examples in the files of the fixers
    Fixers,
    /// Put a defect into a Rust package, for the bench of healing
    #[command(hide = true)]
    Inject(bench::inject::Options),
    /// Run a benchmark
    Bench {
        #[command(subcommand)]
        bench: Bench,
    },
    /// Make the local container image for a language, such as `python`
    Image {
        /// Name of the language
        language: String,
    },
    /// Make the files that users install: archive, Debian package, wheel, npm packages, install.sh, bill of materials, checksums
    Dist(dist::Options),
    /// Build the documentation as a site
    Site(site::Options),
    /// Line coverage of engine, store and repo; fails below 80 %
    Coverage,
}

#[derive(Subcommand)]
enum Bench {
    /// Run every bench that needs no data from outside, one after the other
    All(bench::all::Options),
    /// Enqueue and claim + complete, on SQLite and PostgreSQL
    Queue(bench::queue::Options),
    /// Break real packages one seeded defect at a time, heal them, and check the result independently
    Heal(bench::heal::Options),
    /// Compare the structure of real pages, and do the same in Python
    Diff(bench::diff::Options),
    /// Real releases that a dependency of today breaks: named, healed, environments tried, minutes
    Real(bench::real::Options),
    /// Repositories with flaky tests of each kind, several times: classified rightly, and no false alarm
    Flaky(bench::flaky::Options),
    /// Ordinary repositories, broken in one commit: healed rightly, given up, wrong
    Ordinary(bench::ordinary::Options),
    /// Cheats of the judge: repositories in which a change of what judges makes the tests pass
    Cheats(bench::cheats::Options),
    /// Apply recipes to real pages, and do the same with public tools
    Apply(bench::apply::Options),
    /// Find the fields of redesigned pages again, and count what is right, wrong, and accepted though deleted
    Drift(bench::drift::Options),
    /// The Python package next to public tools, on redesigned pages: right, wrong, nothing; time; memory
    Python(bench::python_package::Options),
    /// Questions to a language model about fields that are not found: is the wanted value in them, and how long are they
    Prompts(bench::prompts::Options),
    /// Classify real pages, none of which is a bot check or the like, and list the false alarms
    Obstacles(bench::obstacles::Options),
    /// Extract what pages hold by rules, and with public tools, and compare both with the truth
    Extract(bench::extract::Options),
    /// Ask a real manual questions, and count what is answered, on how many pages, and what is made up
    Navigate(bench::navigate::Options),
    /// Try to get out of each sandbox of this machine, and say what refused it
    Escape(bench::escape::Options),
    /// Let a fleet of sources live through a month of changes, and compare what was accepted with the truth
    Fleet(bench::fleet::Options),
    /// Refresh a thousand sources by the real binary: each exactly once, how fast, with how much memory
    Refresh(bench::refresh::Options),
    /// Give parsers texts that are made to be hard, and fit by which power of the length their time grows
    Parsers(bench::parsers::Options),
    /// Double each input that a stranger chooses, and fit by which power of its size time and memory grow
    Growth(bench::growth::Options),
    /// Request the status of a job a thousand times a second, while many clients follow a run
    Server(bench::server::Options),
    /// Request everything that the dashboard's pages need, with a large database behind them
    Pages(bench::pages::Options),
    /// Simulate fleets of up to a million sources on PostgreSQL: how late runs begin, what the pages cost, what the database holds
    Scale(bench::scale::Options),
    /// Keep a server and three workers busy, a tenth of it hostile, killing a worker each minute: nothing lost, nothing done twice
    Soak(bench::soak::Options),
}

fn main() -> anyhow::Result<()> {
    let root = repository_root()?;
    match Arguments::parse().chore {
        Chore::Tidy { properties: true, .. } => tidy::list_properties(&root),
        Chore::Tidy { phrases: true, .. } => tidy::list_phrases(&root),
        Chore::Tidy { .. } => tidy::run(&root),
        Chore::Inject(options) => bench::inject::run(&options),
        Chore::Fixers => tidy::write_fixers(&root),
        Chore::Bench { bench: Bench::All(options) } => bench::all::run(&root, &options),
        Chore::Bench { bench: Bench::Queue(options) } => bench::queue::run(&root, &options),
        Chore::Bench { bench: Bench::Heal(options) } => bench::heal::run(&root, &options),
        Chore::Bench { bench: Bench::Real(options) } => bench::real::run(&root, &options),
        Chore::Bench { bench: Bench::Flaky(options) } => bench::flaky::run(&root, &options),
        Chore::Bench { bench: Bench::Ordinary(options) } => bench::ordinary::run(&root, &options),
        Chore::Bench { bench: Bench::Cheats(options) } => bench::cheats::run(&root, &options),
        Chore::Bench { bench: Bench::Diff(options) } => bench::diff::run(&root, &options),
        Chore::Bench { bench: Bench::Apply(options) } => bench::apply::run(&root, &options),
        Chore::Bench { bench: Bench::Drift(options) } => bench::drift::run(&options),
        Chore::Bench { bench: Bench::Python(options) } => bench::python_package::run(&root, &options),
        Chore::Bench { bench: Bench::Prompts(options) } => bench::prompts::run(&options),
        Chore::Bench { bench: Bench::Obstacles(options) } => bench::obstacles::run(&options),
        Chore::Bench { bench: Bench::Extract(options) } => bench::extract::run(&root, &options),
        Chore::Bench { bench: Bench::Navigate(options) } => bench::navigate::run(&root, &options),
        Chore::Bench { bench: Bench::Escape(options) } => bench::escape::run(&root, &options),
        Chore::Bench { bench: Bench::Fleet(options) } => bench::fleet::run(&root, &options),
        Chore::Bench { bench: Bench::Refresh(options) } => bench::refresh::run(&root, &options),
        Chore::Bench { bench: Bench::Parsers(options) } => bench::parsers::run(&options),
        Chore::Bench { bench: Bench::Growth(options) } => bench::growth::run(&options),
        Chore::Bench { bench: Bench::Server(options) } => bench::server::run(&root, &options),
        Chore::Bench { bench: Bench::Pages(options) } => bench::pages::run(&root, &options),
        Chore::Bench { bench: Bench::Scale(options) } => bench::scale::run(&root, &options),
        Chore::Bench { bench: Bench::Soak(options) } => bench::soak::run(&root, &options),
        Chore::Image { language } => image::run(&language),
        Chore::Dist(options) => dist::run(&root, &options),
        Chore::Site(options) => site::run(&root, &options),
        Chore::Coverage => coverage::run(&root),
    }
}

/// The folder that holds the workspace: the nearest one around the current folder.
fn repository_root() -> anyhow::Result<PathBuf> {
    let here = std::env::current_dir()?;
    let root = here.ancestors().find(|folder| folder.join("xtask/Cargo.toml").is_file());
    Ok(root.context("run it inside a clone of the repository")?.to_owned())
}
