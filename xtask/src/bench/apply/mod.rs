//! Recipes on real pages, next to public tools with the same selectors: time, and whether the values are the same.
//!
//! # Layout
//!
//! - [`jobs`]: pages and recipes
//! - [`report`]: the comparison of times and values

mod jobs;
mod report;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use serde::Deserialize;

use self::report::Report;
use super::lines::LineProcess;
use crate::python;
use crate::{cache, process};

/// The script and its packages, from the root of the repository.
const SCRIPT: &str = "xtask/bench/apply.py";
const REQUIREMENTS: &str = "xtask/bench/apply.txt";

#[derive(clap::Args)]
pub(crate) struct Options {
    /// A corpus of the drift bench or of the extraction bench; several times for several
    #[arg(long, value_name = "FOLDER", required = true)]
    corpus: Vec<PathBuf>,
    /// Print the fields whose values differ between this program and the public tools
    #[arg(long)]
    differences: bool,
}

/// Texts of each field by tool; `None` for an attribute that an element does not have.
type Values = BTreeMap<String, BTreeMap<String, Vec<Option<String>>>>;

/// Answer of one process for a page, by tool.
#[derive(Deserialize)]
struct Answer {
    seconds: BTreeMap<String, Option<f64>>,
    values: Values,
    /// True if the page was read without a document.
    is_flat: Option<bool>,
    /// True if both ways of this program gave the same.
    is_same: Option<bool>,
}

/// Measures, prints, and fails if the two ways of this program differ on any page.
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<()> {
    let environment = python::environment(root, &cache::folder("bench-apply")?, REQUIREMENTS)?;
    let mut python = LineProcess::start(process::command(root, environment.join("bin/python")).arg(SCRIPT))?;
    let bench = ["bench", "--quiet", "--package", "autoheal-page", "--bench", "apply"];
    let mut ours = LineProcess::start(process::command(root, "cargo").args(bench))?;
    let folder = tempfile::tempdir()?;
    let page = folder.path().join("page.html");
    let mut differing = Vec::new();
    for corpus in &options.corpus {
        let mut report = Report::default();
        for job in jobs::read(corpus)? {
            std::fs::write(&page, &job.html)?;
            let question = serde_json::json!({"page": page, "recipe": job.recipe}).to_string();
            let ask = |process: &mut LineProcess| -> anyhow::Result<Answer> {
                let line = process.ask(&question).with_context(|| job.name.clone())?;
                serde_json::from_str(&line).with_context(|| job.name.clone())
            };
            let (ours, theirs) = (ask(&mut ours)?, ask(&mut python)?);
            if ours.is_same != Some(true) {
                differing.push(job.name.clone());
            }
            report.add(&job.name, job.html.len(), &ours, &theirs);
        }
        report.print(corpus, options.differences);
    }
    python.end()?;
    ours.end()?;
    ensure!(differing.is_empty(), "the two ways of this program differ on {}", differing.join(", "));
    Ok(())
}
