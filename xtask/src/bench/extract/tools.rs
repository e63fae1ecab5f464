//! The public tools, asked through a program in Python.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use anyhow::{Context as _, ensure};
use serde::Deserialize;

use super::corpus::Case;
use super::score::{Fields, Value};
use crate::bench::python;
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
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
    folder: tempfile::TempDir,
}

impl Tools {
    /// Makes what they run in, and starts them.
    pub(super) fn start(root: &Path) -> anyhow::Result<Self> {
        let environment = python::environment(root, &cache::folder("bench-extract")?, REQUIREMENTS)?;
        let mut command = process::command(root, environment.join("bin/python"));
        command.arg(SCRIPT).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().context("cannot start the tools")?;
        let questions = child.stdin.take().context("they have no standard input")?;
        let answers = BufReader::new(child.stdout.take().context("they have no standard output")?);
        Ok(Self { child, questions, answers, folder: tempfile::tempdir()? })
    }

    /// Returns the fields that each tool extracts from a page, and the seconds it takes.
    pub(super) fn ask(&mut self, case: &Case, html: &str) -> anyhow::Result<Vec<(String, Fields, f64)>> {
        let page = self.folder.path().join("page.html");
        std::fs::write(&page, html)?;
        let question = serde_json::json!({"page": page, "url": case.address(), "kind": case.kind});
        writeln!(self.questions, "{question}")?;
        let mut line = String::new();
        ensure!(self.answers.read_line(&mut line)? > 0, "the tools ended at {}", case.id);
        let answers: BTreeMap<String, Answer> = serde_json::from_str(&line).with_context(|| case.id.clone())?;
        let said = |answer: BTreeMap<String, Option<Value>>| -> Fields {
            answer.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
        };
        Ok(answers.into_iter().map(|(tool, answer)| (tool, said(answer.fields), answer.seconds)).collect())
    }

    pub(super) fn end(mut self) -> anyhow::Result<()> {
        drop(self.questions);
        self.child.wait()?;
        Ok(())
    }
}
