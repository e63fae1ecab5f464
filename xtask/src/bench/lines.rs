//! A process that answers a line of standard input with a line of standard output.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context as _, ensure};

pub(super) struct LineProcess {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl LineProcess {
    pub(super) fn start(command: &mut Command) -> anyhow::Result<Self> {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().context("cannot start a process")?;
        let questions = child.stdin.take().context("it has no standard input")?;
        let answers = BufReader::new(child.stdout.take().context("it has no standard output")?);
        Ok(Self { child, questions, answers })
    }

    /// Returns the answer to a line.
    pub(super) fn ask(&mut self, question: &str) -> anyhow::Result<String> {
        writeln!(self.questions, "{question}")?;
        let mut line = String::new();
        ensure!(self.answers.read_line(&mut line)? > 0, "the process ended before its answer");
        Ok(line)
    }

    pub(super) fn end(mut self) -> anyhow::Result<()> {
        drop(self.questions);
        self.child.wait()?;
        Ok(())
    }
}
