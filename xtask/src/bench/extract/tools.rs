//! The public tools, asked through a program in Python.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context as _;
use serde::Deserialize;

use super::corpus::Case;
use super::score::{Fields, Value};
use crate::bench::lines::LineProcess;
use crate::python;
use crate::{cache, process};

/// The script and its packages, from the root of the repository.
const SCRIPT: &str = "xtask/bench/extract.py";
const REQUIREMENTS: &str = "xtask/bench/extract.txt";

#[derive(Deserialize)]
struct Answer {
    fields: BTreeMap<String, Option<Value>>,
    seconds: f64,
}

/// The process of the Python tools, and the folder in which it reads the page.
pub(super) struct Tools {
    process: LineProcess,
    folder: tempfile::TempDir,
}

impl Tools {
    /// Makes what they run in, and starts them.
    pub(super) fn start(root: &Path) -> anyhow::Result<Self> {
        let environment = python::environment(root, &cache::folder("bench-extract")?, REQUIREMENTS)?;
        let process = LineProcess::start(process::command(root, environment.join("bin/python")).arg(SCRIPT))?;
        Ok(Self { process, folder: tempfile::tempdir()? })
    }

    /// Returns the fields that each tool extracts from a page, and the seconds it takes.
    pub(super) fn ask(&mut self, case: &Case, html: &str) -> anyhow::Result<Vec<(String, Fields, f64)>> {
        let page = self.folder.path().join("page.html");
        std::fs::write(&page, html)?;
        let question = serde_json::json!({"page": page, "url": case.address(), "kind": case.kind});
        let line = self.process.ask(&question.to_string()).with_context(|| case.id.clone())?;
        let answers: BTreeMap<String, Answer> = serde_json::from_str(&line).with_context(|| case.id.clone())?;
        let said = |answer: BTreeMap<String, Option<Value>>| -> Fields {
            answer.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
        };
        Ok(answers.into_iter().map(|(tool, answer)| (tool, said(answer.fields), answer.seconds)).collect())
    }

    pub(super) fn end(self) -> anyhow::Result<()> {
        self.process.end()
    }
}
