//! Running the linters, formatters and type checkers that the repository uses.
//!
//! # Layout
//!
//! - `tools`: the table of them
//! - `versions`: which version CI uses
//! - `formatting`: what a formatter makes of a file

pub(crate) mod formatting;
pub(crate) mod tools;
pub(crate) mod versions;

use std::path::{Path, PathBuf};
use std::time::Duration;

use autoheal_code::report::node::Look;
use autoheal_engine::diagnostics::{Category, Finding, Source};
use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_sandbox::Outcome;
use autoheal_sandbox::untrusted::UntrustedFolder;

use crate::project;
use crate::project::interpreter::{SHOWN_ANYWAY, is_program};
use crate::session::Session;
use crate::setup::{Interpreter, LintCommand, Linter, OldFindings, Setup};
use crate::toolchain::Toolchain;
use tools::{Said, Tool};

/// A linter may take this long.
const LINT_TIME: Duration = Duration::from_mins(5);

/// Findings of the linters: those that make the tree red, and advice.
#[derive(Debug, Default)]
pub(crate) struct Linted {
    /// Findings that make the tree red: new ones of the linters that CI runs.
    pub(crate) findings: Vec<Finding>,
    /// Everything else that is worth a fix.
    pub(crate) advice: Vec<Finding>,
}

/// Runs every linter of the setup.
pub(crate) async fn run(session: &mut Session, context: &StepContext) -> Result<Linted, StepError> {
    let mut linted = Linted::default();
    let mut outputs = Vec::new();
    for linter in session.setup().linters.clone() {
        let outcome = lint_in(session, &linter, &linter.directory, words(session, &linter), context).await?;
        let old = &session.setup().old_findings;
        for finding in findings(session, &linter, &outcome, &session.prefixes()) {
            let key = finding.key();
            if old.ignored.contains(&key) {
                continue;
            }
            let is_red = linter.is_required && !old.advice.contains(&key);
            let list = if is_red { &mut linted.findings } else { &mut linted.advice };
            list.push(finding);
        }
        outputs.push(String::from_utf8_lossy(&outcome.stdout).into_owned());
    }
    session.keep_lint_outputs(outputs);
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
        let outcome = lint_in(session, &linter, &directory, words(session, &linter), context).await?;
        let prefixes = [place.display().to_string()];
        let found = findings(session, &linter, &outcome, &prefixes).into_iter();
        let (formats, found): (Vec<Finding>, Vec<Finding>) = found.partition(formatting::is_target);
        let found = found.into_iter().map(|finding| finding.key());
        if linter.is_required {
            old.advice.extend(found);
        } else {
            old.ignored.extend(found);
        }
        // The formatter mends a few old ones with the new ones, and CI is red before it has. Another version has other opinions.
        if formats.len() > A_FEW || !linter.is_required || !linter.is_pinned() {
            old.uncounted += if linter.is_required { formats.len() } else { 0 };
            old.ignored.extend(formats.into_iter().map(|finding| finding.key()));
        }
    }
    if old.advice.len() > A_FEW {
        old.uncounted += old.advice.len();
        old.ignored.append(&mut old.advice);
    }
    Ok(old)
}

/// Returns the findings of a linter: none if it exits successfully.
fn findings(session: &Session, linter: &LintCommand, outcome: &Outcome, prefixes: &[String]) -> Vec<Finding> {
    if outcome.end.is_success() {
        return Vec::new();
    }
    let said = Said {
        stdout: String::from_utf8_lossy(&outcome.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&outcome.stderr).into_owned(),
    };
    let look = Look { prefixes, directory: &linter.directory, sources: session.place().sources };
    let found = (Tool::of(linter.linter).read)(&said, &look);
    if found.is_empty() {
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

/// Runs words of a linter in a folder, with the tools of its language.
pub(crate) async fn lint_in(
    session: &mut Session,
    linter: &LintCommand,
    directory: &str,
    words: Vec<String>,
    context: &StepContext,
) -> Result<Outcome, StepError> {
    // A package's program is called by its name.
    let toolchain = if linter.program.is_absolute() { Toolchain::Python } else { Toolchain::Node };
    session.run_with(toolchain, directory, words, LINT_TIME, context).await
}

/// The command that reports, and changes nothing.
fn words(session: &Session, linter: &LintCommand) -> Vec<String> {
    let report = Tool::of(linter.linter).report.iter().map(|word| placed(session, word));
    let called = std::iter::once(linter.program.display().to_string()).chain(linter.arguments.iter().cloned());
    called.chain(report).collect()
}

fn placed(session: &Session, word: &str) -> String {
    word.replace("{scratch}", &session.place().folders.scratch().display().to_string())
}

/// Finds the programs of all linters again. A linter whose program is missing now keeps the old path.
pub(crate) fn find_programs(setup: &mut Setup, tree: &Path) {
    let find = |linter: &LintCommand| {
        let mut toolchains = Tool::of(linter.linter).home.toolchains().iter();
        toolchains.find_map(|toolchain| {
            locate(linter.linter, &linter.directory, &setup.tools_of(*toolchain).interpreter, tree)
        })
    };
    let programs: Vec<Option<PathBuf>> = setup.linters.iter().map(find).collect();
    for (linter, program) in setup.linters.iter_mut().zip(programs) {
        linter.program = program.unwrap_or_else(|| std::mem::take(&mut linter.program));
    }
}

/// Returns the requirements that pip installs: linters that CI runs and the interpreter lacks. A pinned version is always included.
pub(crate) fn requirements<'s>(
    setup: &'s Setup,
    interpreter: &'s Interpreter,
    tree: &'s Path,
) -> impl Iterator<Item = String> + 's {
    setup.linters.iter().filter(|linter| linter.is_required).filter_map(move |linter| {
        let requirement = linter.requirement.clone()?;
        let is_needed = linter.is_pinned() || locate(linter.linter, &linter.directory, interpreter, tree).is_none();
        is_needed.then_some(requirement)
    })
}

/// The linter's program: beside the interpreter, where the project's own version would be, else on `PATH`. Only a real
/// program counts; of a script the interpreter it names may not be seen inside.
///
/// A linter of JavaScript is one of the project's packages, found inside by the search path: the program is its name then.
pub(crate) fn locate(linter: Linter, directory: &str, interpreter: &Interpreter, tree: &Path) -> Option<PathBuf> {
    let tool = Tool::of(linter);
    let name = tool.program;
    if tool.home.toolchains().contains(&Toolchain::Node) {
        let has = |folder: &Path, program: &str| {
            UntrustedFolder::open(folder).is_ok_and(|folder| folder.kind(program).is_some())
        };
        let program = format!(".bin/{name}");
        let is_installed = interpreter.modules.iter().any(|modules| has(&modules.host, &program));
        let committed = [directory, ""].map(|folder| project::join(folder, &format!("node_modules/{program}")));
        let is_there = is_installed || committed.iter().any(|program| has(tree, program));
        if is_there {
            return Some(PathBuf::from(name));
        }
    }
    tool.home.distribution()?;
    beside(interpreter, name).or_else(|| on_path(name))
}

/// A program that stands beside the interpreter, by a path that can be run inside.
pub(crate) fn beside(interpreter: &Interpreter, name: &str) -> Option<PathBuf> {
    let Some(installed) = &interpreter.installed else {
        return beside_program(interpreter, &interpreter.program, name);
    };
    // Code of the repository may have run in it: a link that leads out of it could lead to any file of this machine.
    let environment = UntrustedFolder::open(&installed.folder).ok();
    let own = environment.and_then(|folder| folder.behind_links(&installed.folder, Path::new("bin").join(name)));
    own.or_else(|| beside_program(interpreter, &installed.base, name))
}

/// The same of an interpreter that is this machine's own, or the user's.
#[expect(clippy::disallowed_methods, reason = "the host's own interpreter, in folders that no command may write")]
fn beside_program(interpreter: &Interpreter, program: &Path, name: &str) -> Option<PathBuf> {
    let folder = program.parent().map(Path::to_path_buf);
    // A virtual environment's interpreter is a link: the tools may stand beside what it leads to.
    let behind = program.canonicalize().ok().and_then(|program| program.parent().map(Path::to_path_buf));
    folder.into_iter().chain(behind).find_map(|folder| without_link(interpreter, &folder.join(name)))
}

/// Returns whether a program is mounted in the sandbox with the interpreter, so that it needs no mount of its own.
pub(crate) fn is_seen_with(interpreter: &Interpreter, program: &Path) -> bool {
    interpreter.folders.iter().any(|folder| program.starts_with(folder))
}

/// The file that a program is. Where a link is seen inside nothing can be mounted, and what it leads to may not be seen.
#[expect(clippy::disallowed_methods, reason = "the host's own programs, in folders that no command may write")]
fn without_link(interpreter: &Interpreter, program: &Path) -> Option<PathBuf> {
    if is_seen_with(interpreter, program) && program.symlink_metadata().is_ok_and(|metadata| metadata.is_file()) {
        // Its folder may be seen by this name only.
        return Some(program.to_owned());
    }
    let real = program.canonicalize().ok().filter(|real| real.is_file())?;
    let is_seen = is_seen_with(interpreter, &real) || SHOWN_ANYWAY.iter().any(|shown| real.starts_with(shown));
    // A script from elsewhere would be seen without what it needs.
    (is_seen || is_program(&real)).then_some(real)
}

#[expect(clippy::disallowed_methods, reason = "the host's own programs")]
fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let programs = std::env::split_paths(&path).filter_map(|folder| folder.join(name).canonicalize().ok());
    programs.into_iter().find(|program| is_program(program))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::setup::InstalledEnvironment;

    #[test]
    fn what_stands_beside_the_interpreter_is_no_link() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        for folder in ["venv/bin", "tools"] {
            fs::create_dir_all(place.join(folder)).unwrap();
        }
        for (file, text) in [
            ("venv/bin/python3", "\x7fELF"),
            ("venv/bin/flake8", "#!python3"),
            ("tools/ruff", "\x7fELF"),
            ("tools/script", "#!python3"),
        ] {
            fs::write(place.join(file), text).unwrap();
        }
        for (link, target) in [("venv/bin/ruff", "tools/ruff"), ("venv/bin/script", "tools/script")] {
            symlink(place.join(target), place.join(link)).unwrap();
        }
        symlink("flake8", place.join("venv/bin/flake")).unwrap();
        let folders = vec![place.join("venv")];
        let program = place.join("venv/bin/python3");
        let interpreter = Interpreter { program, folders, ..Interpreter::default() };
        let found = |name| beside(&interpreter, name);
        for name in ["flake8", "flake"] {
            assert_eq!(found(name), Some(place.join("venv/bin/flake8")), "{name}");
        }
        assert_eq!(found("ruff"), Some(place.join("tools/ruff")));
        assert!(!is_seen_with(&interpreter, &place.join("tools/ruff")));
        assert_eq!((found("script"), found("gone")), (None, None));
    }

    #[test]
    fn of_an_installed_environment_only_what_lies_in_it_is_used() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        for folder in ["installed/bin", "secrets", "base/bin"] {
            fs::create_dir_all(place.join(folder)).unwrap();
        }
        for file in ["installed/bin/own", "secrets/core", "secrets/flake8", "base/bin/python3", "base/bin/mypy"] {
            fs::write(place.join(file), "\x7fELF with a secret").unwrap();
        }
        let installed = place.join("installed");
        symlink(place.join("secrets/core"), installed.join("bin/ruff")).unwrap();
        symlink("own", installed.join("bin/alias")).unwrap();
        // Its interpreter leads elsewhere, too, and what stands there is not the base's.
        symlink(place.join("secrets/python3"), installed.join("bin/python3")).unwrap();
        fs::write(place.join("secrets/python3"), "\x7fELF").unwrap();
        let interpreter = Interpreter {
            program: installed.join("bin/python3"),
            folders: vec![installed.clone()],
            installed: Some(InstalledEnvironment { folder: installed.clone(), base: place.join("base/bin/python3") }),
            ..Interpreter::default()
        };
        let found = |name| beside(&interpreter, name);
        assert_eq!((found("ruff"), found("flake8")), (None, None));
        assert_eq!((found("own"), found("alias")), (Some(installed.join("bin/own")), Some(installed.join("bin/own"))));
        assert_eq!(found("mypy"), Some(place.join("base/bin/mypy")), "the base is this machine's own");
    }
}
