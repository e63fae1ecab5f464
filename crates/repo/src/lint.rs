//! Running the linters that the repository uses.

use std::path::{Path, PathBuf};
use std::time::Duration;

use autoheal_code::report;
use autoheal_code::report::node::Look;
use autoheal_engine::diagnostics::{Category, Finding, Source};
use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_sandbox::Outcome;

use crate::project::interpreter::is_program;
use crate::session::Session;
use crate::setup::{Interpreter, LintCommand, Linter, OldFindings};

/// A linter may take this long.
const LINT_TIME: Duration = Duration::from_mins(5);

/// What the linters say.
#[derive(Debug, Default)]
pub(crate) struct Linted {
    /// What makes the tree red: new findings of those that CI runs.
    pub(crate) findings: Vec<Finding>,
    /// Everything else that is worth a fix.
    pub(crate) advice: Vec<Finding>,
}

/// Runs every linter of the setup.
pub(crate) async fn run(session: &mut Session, context: &StepContext) -> Result<Linted, StepError> {
    let mut linted = Linted::default();
    for linter in session.setup().linters.clone() {
        let outcome = session.run_in(&linter.directory, words(&linter), LINT_TIME, context).await?;
        let old = &session.setup().old_findings;
        for finding in read(session, &linter, &outcome, &session.prefixes()) {
            let key = finding.key();
            if old.ignored.contains(&key) {
                continue;
            }
            let is_red = linter.is_required && !old.advice.contains(&key);
            let list = if is_red { &mut linted.findings } else { &mut linted.advice };
            list.push(finding);
        }
        if matches!(linter.linter, Linter::Ruff | Linter::Eslint) {
            session.keep_lint_output(String::from_utf8_lossy(&outcome.stdout).into_owned());
        }
    }
    Ok(linted)
}

/// Sorts out what the commit before had, too, by running the linters there: `before` is its tree, `None` when there is no
/// such commit. Of a linter that CI runs a few old findings are still worth a fix; of one that is only configured none is.
pub(crate) async fn old_findings(
    session: &mut Session,
    before: Option<&Path>,
    context: &StepContext,
) -> Result<OldFindings, StepError> {
    const A_FEW: usize = 10;
    let mut old = OldFindings::default();
    for linter in session.setup().linters.clone() {
        let place = match before {
            Some(before) => before.to_owned(),
            // Nothing to compare with: what CI runs counts in full, what is only configured does not count.
            None if linter.is_required => continue,
            None => session.tree(),
        };
        let directory = place.join(&linter.directory).display().to_string();
        let outcome = session.run_in(&directory, words(&linter), LINT_TIME, context).await?;
        let prefixes = [place.display().to_string()];
        let found = read(session, &linter, &outcome, &prefixes).into_iter().map(|finding| finding.key());
        if linter.is_required {
            old.advice.extend(found);
        } else {
            old.ignored.extend(found);
        }
    }
    if old.advice.len() > A_FEW {
        old.ignored.append(&mut old.advice);
    }
    Ok(old)
}

fn read(session: &Session, linter: &LintCommand, outcome: &Outcome, prefixes: &[String]) -> Vec<Finding> {
    let stdout = String::from_utf8_lossy(&outcome.stdout);
    let found = match linter.linter {
        Linter::Ruff => report::ruff::findings(&stdout, prefixes).unwrap_or_default(),
        Linter::Flake8 => report::flake8::findings(&stdout, prefixes),
        Linter::Eslint => {
            let look = Look { prefixes, directory: &linter.directory, sources: session.place().sources };
            let read = report::node::eslint::findings(&stdout, &look);
            // Warnings alone end well, and so do files that are all ignored.
            read.unwrap_or_default()
        }
    };
    if found.is_empty() && !outcome.end.is_success() {
        // It did not lint at all, and silence of that kind is not green.
        return vec![did_not_run(linter, outcome)];
    }
    found
}

fn did_not_run(linter: &LintCommand, outcome: &Outcome) -> Finding {
    let said = String::from_utf8_lossy(&outcome.stderr);
    let said = said.lines().find(|line| !line.trim().is_empty()).unwrap_or("no output");
    Finding {
        source: Source::Lint,
        category: Category::Linting,
        file: None,
        location: None,
        message: format!("`{}` did not run ({}): {said}", linter.words.join(" "), outcome.end),
        stack: None,
    }
}

fn words(linter: &LintCommand) -> Vec<String> {
    let mut words = vec![linter.program.display().to_string()];
    // What CI does about a finding is not ours to do: it only has to be said.
    words.extend(linter.arguments.iter().filter(|word| !word.starts_with("--fix")).cloned());
    match linter.linter {
        Linter::Ruff => words.extend(["--output-format", "json", "--no-cache", "--no-fix"].map(str::to_owned)),
        Linter::Flake8 => words.extend(["--format", "default"].map(str::to_owned)),
        Linter::Eslint => words.extend(["--format", "json", "--no-color"].map(str::to_owned)),
    }
    words
}

/// The linter's program: beside the interpreter, where the project's own version would be, else on `PATH`. Only a real
/// program counts; of a script the interpreter it names may not be seen inside.
///
/// A linter of JavaScript is one of the project's packages, found inside by the search path: the program is its name then.
pub(crate) fn locate(linter: Linter, directory: &str, interpreter: &Interpreter, tree: &Path) -> Option<PathBuf> {
    let name = match linter {
        Linter::Ruff => "ruff",
        Linter::Flake8 => "flake8",
        Linter::Eslint => {
            let installed = interpreter.modules.iter().map(|modules| modules.host.clone());
            let committed = [directory, ""].map(|folder| tree.join(folder).join("node_modules"));
            let is_there = installed.chain(committed).any(|folder| folder.join(".bin/eslint").exists());
            return is_there.then(|| PathBuf::from("eslint"));
        }
    };
    let beside = interpreter.program.parent().map(Path::to_path_buf);
    // A virtual environment's interpreter is a link: the tools may stand beside what it leads to.
    let behind = interpreter.program.canonicalize().ok().and_then(|program| program.parent().map(Path::to_path_buf));
    let own = beside.into_iter().chain(behind).map(|folder| folder.join(name)).find(|program| program.is_file());
    own.or_else(|| on_path(name))
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| is_program(program))
}
