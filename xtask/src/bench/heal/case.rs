//! One defect, or several at once: put in, healed, judged.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::Context as _;
use autoheal_code::formatting::is_same_program;
use serde::{Deserialize, Serialize};

use super::history::History;
use super::package::{Language, Package, git, is_program};
use super::results::{Search, searches, stop_reason, test_runs};
use super::{Bench, checks};
use crate::process;

/// Maximum number of places of a kind to break until one makes the checks fail.
const TRIES: u32 = 12;

/// A run that takes longer than this many times the suite's, and some minutes, has not healed.
const PATIENCE: f64 = 60.0;

/// A kind of defect that the injector knows.
#[derive(Deserialize)]
pub(super) struct Kind {
    pub(super) class: String,
    pub(super) kind: String,
}

/// Case to heal: a package, and the defects to put into it.
pub(super) struct Case<'a> {
    pub(super) package: &'a Package,
    /// One, or those that are put in by one commit.
    pub(super) kinds: Vec<String>,
    pub(super) seed: u32,
    pub(super) history: History,
}

impl Case<'_> {
    /// Returns the name that selects this case again.
    pub(super) fn id(&self) -> String {
        format!("{}/{}/{}", self.package.name, self.kinds.join("+"), self.seed)
    }
}

/// Outcome of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    /// The branch is green, and nothing but program text was changed.
    Healed,
    /// It said healed and the branch is not; or it changed what it must not.
    Wrong,
    /// It said that it did not heal.
    GivenUp,
    /// Only put in, not healed.
    Red,
    /// No place of this kind makes the checks red: no case.
    NoCase,
}

impl Outcome {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Healed => "healed",
            Self::Wrong => "WRONG",
            Self::GivenUp => "given up",
            Self::Red => "red",
            Self::NoCase => "no case",
        }
    }
}

/// Results of a case.
#[derive(Debug, Serialize)]
pub(super) struct Run {
    pub(super) id: String,
    pub(super) language: Language,
    pub(super) class: String,
    pub(super) kind: String,
    pub(super) defects: Vec<Defect>,
    pub(super) outcome: Outcome,
    /// Reason for the outcome, in a few words.
    pub(super) reason: String,
    /// True if the broken file has its original text again.
    pub(super) restored: bool,
    pub(super) seconds: f64,
    /// Duration of the package's own checks.
    pub(super) suite_seconds: f64,
    /// Number of places that were broken until the checks failed.
    pub(super) tries: u32,
    /// Lines that the branch takes away and adds.
    pub(super) lines_changed: u64,
    /// True if the linter alone makes the checks pass when it may fix its findings.
    pub(super) linter_heals: bool,
    /// Searches for fixes that the run made.
    pub(super) searches: Vec<Search>,
    /// Number of times that all tests were run, if the results tell.
    pub(super) test_runs: Option<f64>,
}

/// Edit made by the injector.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Defect {
    class: String,
    file: String,
    line: u32,
    parses: bool,
    old: String,
    new: String,
}

/// The kinds of defects in programs of a language.
pub(super) fn kinds(bench: &Bench, language: Language) -> anyhow::Result<Vec<Kind>> {
    let mut injector = injector(bench, language)?;
    Ok(serde_json::from_str(&process::text_of(injector.arg("--kinds"))?)?)
}

fn injector(bench: &Bench, language: Language) -> anyhow::Result<Command> {
    language.tools().injector(&bench.root, bench.environment(language)?)
}

/// Runs one case from the green repository to the judgement.
pub(super) fn run(bench: &Bench, case: &Case<'_>, keep: bool) -> anyhow::Result<Run> {
    let folder = bench.work.join(case.id().replace('/', "-"));
    std::fs::create_dir_all(&folder)?;
    let repository = folder.join("repository");
    clone(&case.package.repository, "main", &repository)?;
    let run = match break_it(bench, case, &repository)? {
        None => Run { outcome: Outcome::NoCase, tries: TRIES, ..Run::of(case) },
        Some((defects, class, tries)) => {
            let run = Run { outcome: Outcome::Red, class, tries, defects, ..Run::of(case) };
            match &bench.binary {
                None => run,
                Some(binary) => heal(bench, case, &folder, binary, run)?,
            }
        }
    };
    if !keep {
        std::fs::remove_dir_all(&folder)?;
    }
    Ok(run)
}

impl Run {
    fn of(case: &Case<'_>) -> Self {
        Self {
            id: case.id(),
            language: case.package.language,
            class: String::new(),
            kind: case.kinds.join("+"),
            defects: Vec::new(),
            outcome: Outcome::NoCase,
            reason: String::new(),
            restored: false,
            seconds: 0.0,
            suite_seconds: case.package.seconds,
            tries: 0,
            lines_changed: 0,
            linter_heals: false,
            searches: Vec::new(),
            test_runs: None,
        }
    }
}

/// A clone that knows nothing of where it came from.
fn clone(from: &Path, branch: &str, to: &Path) -> anyhow::Result<()> {
    let parent = to.parent().context("a clone lies in a folder")?;
    let (source, target) = (from.to_string_lossy(), to.to_string_lossy());
    git(parent, &["clone", "--quiet", "--branch", branch, &source, &target])?;
    git(to, &["remote", "remove", "origin"])?;
    Ok(())
}

/// The class of defects that only tests show.
const LOGIC: &str = "LOGIC";

/// Hides a third of the tests from the healing, so that they can judge its result: a fix may satisfy only the tests that it saw.
fn hide_tests(bench: &Bench, case: &Case<'_>, repository: &Path) -> anyhow::Result<()> {
    let mut injector = injector(bench, case.package.language)?;
    injector.arg(repository).args(["--hide", "--seed", &case.id()]);
    process::text_of(&mut injector)?;
    let verdict = checks::run(bench, case.package, repository, true)?;
    if !verdict.green {
        // A test that is left needs one that was taken out: none is held back here.
        git(repository, &["checkout", "--quiet", "--", "."])?;
    }
    git(repository, &["commit", "--quiet", "--all", "--allow-empty", "--message", "Fewer tests"])?;
    Ok(())
}

/// Puts all tests back.
fn restore_tests(package: &Package, fresh: &Path) -> anyhow::Result<()> {
    for file in git(&package.repository, &["ls-files"])?.lines().filter(|file| !is_program(package, file)) {
        std::fs::copy(package.repository.join(file), fresh.join(file)).with_context(|| file.to_owned())?;
    }
    Ok(())
}

/// Breaks a place; `None`: there are no more of the kind.
fn inject(
    bench: &Bench,
    case: &Case<'_>,
    kind: &str,
    repository: &Path,
    attempt: u32,
) -> anyhow::Result<Option<Defect>> {
    let mut injector = injector(bench, case.package.language)?;
    injector.arg(repository).args(&case.package.sources);
    injector.args(["--kind", kind, "--seed", &case.seed.to_string(), "--try", &attempt.to_string()]);
    Ok(serde_json::from_str(&process::text_of(&mut injector)?)?)
}

/// Commits the defects, each of which makes the checks red by itself, and tells their class and how many places were tried.
fn break_it(bench: &Bench, case: &Case<'_>, repository: &Path) -> anyhow::Result<Option<(Vec<Defect>, String, u32)>> {
    for kind in &case.kinds {
        let has_place = inject(bench, case, kind, repository, 0)?.is_some();
        git(repository, &["checkout", "--quiet", "--", "."])?;
        if !has_place {
            return Ok(None);
        }
    }
    hide_tests(bench, case, repository)?;
    let patch = repository.with_extension("patch");
    let (mut together, mut defects, mut classes, mut tries) = (String::new(), Vec::new(), Vec::new(), 0);
    for kind in &case.kinds {
        let Some((defect, class, all, attempts)) = break_once(bench, case, kind, repository, &together)? else {
            return Ok(None);
        };
        (together, tries) = (all, tries + attempts);
        defects.push(defect);
        classes.push(class);
    }
    std::fs::write(&patch, &together)?;
    git(repository, &["apply", "--whitespace=nowarn", &patch.to_string_lossy()])?;
    std::fs::remove_file(patch)?;
    if case.history == History::First {
        git(repository, &["checkout", "--quiet", "--orphan", "first"])?;
    }
    git(repository, &["commit", "--quiet", "--all", "--message", "A change made in a hurry"])?;
    if classes.iter().any(|class| class == LOGIC) {
        // The last commit shall not tell where to look.
        std::fs::write(repository.join("NOTES"), "A note.\n")?;
        git(repository, &["add", "--all"])?;
        let amend: &[&str] = if case.history == History::First { &["--amend"] } else { &[] };
        git(repository, &[&["commit", "--quiet", "--message", "A note"], amend].concat())?;
    }
    git(repository, &["branch", "--force", "--move", "main"])?;
    if case.history == History::Shallow {
        let whole = repository.with_extension("whole");
        std::fs::rename(repository, &whole)?;
        let from = format!("file://{}", whole.display());
        let folder = repository.parent().context("a clone lies in a folder")?;
        git(folder, &["clone", "--quiet", "--depth", "1", "--branch", "main", &from, &repository.to_string_lossy()])?;
        git(repository, &["remote", "remove", "origin"])?;
    }
    classes.sort();
    Ok(Some((defects, classes.join(" + "), tries)))
}

/// A defect of one kind that makes the checks red by itself, its class, the patch that puts it in with all `others`, and how many places were tried.
fn break_once(
    bench: &Bench,
    case: &Case<'_>,
    kind: &str,
    repository: &Path,
    others: &str,
) -> anyhow::Result<Option<(Defect, String, String, u32)>> {
    let restore = || git(repository, &["checkout", "--quiet", "--", "."]);
    let patch = repository.with_extension("patch");
    for attempt in 0..TRIES {
        let Some(defect) = inject(bench, case, kind, repository, attempt)? else { return Ok(None) };
        let verdict = checks::run(bench, case.package, repository, true)?;
        let class = class_of(&defect, case.package.language, &verdict.output);
        // Where it is not the last commit that is at fault, a linter's finding is an old one, and no red.
        let is_red = if class == LOGIC { !verdict.passes } else { !verdict.green };
        let has_sign = case.package.language.tools().shows(&class, defect.parses, &verdict.output);
        std::fs::write(&patch, others)?;
        let with_others =
            others.is_empty() || git(repository, &["apply", "--whitespace=nowarn", &patch.to_string_lossy()]).is_ok();
        let all = git(repository, &["diff", "--binary"])? + "\n";
        restore()?;
        if is_red && has_sign && with_others {
            return Ok(Some((defect, class, all, attempt + 1)));
        }
    }
    Ok(None)
}

/// The class of a defect's kind when the checks show a sign of it, else LOGIC.
fn class_of(defect: &Defect, language: Language, output: &str) -> String {
    let has_sign = language.tools().shows(&defect.class, defect.parses, output);
    if has_sign { defect.class.clone() } else { LOGIC.to_owned() }
}

fn heal(bench: &Bench, case: &Case<'_>, folder: &Path, binary: &Path, run: Run) -> anyhow::Result<Run> {
    let repository = folder.join("repository");
    let linter_heals = linter_heals(bench, case, folder)?;
    let broken = git(&repository, &["rev-parse", "main"])?;
    let environment = bench.environment(case.package.language)?;
    let tools = case.package.language.tools();
    let programs = std::env::join_paths(
        std::iter::once(tools.programs(environment))
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    )?;
    // It ends with this process, however that ends.
    let mut command = process::command(folder, "setpriv");
    command.args(["--pdeathsig", "TERM", "timeout", "--kill-after=30"]);
    command.arg(format!("{:.0}", PATIENCE * case.package.seconds + 300.0));
    command.arg(binary).arg("heal").arg(&repository).args(["--push", "--json"]);
    command.args(["--model", "none", "--sandbox", "bubblewrap", "--ci", "local"]);
    command.args(["--team", "Bench", "--leader", "Heal"]).arg("--data-dir").arg(folder.join("data"));
    command.env("PATH", programs);
    tools.install(&mut command, environment, &repository)?;
    let started = Instant::now();
    let output = process::output_of(&mut command)?;
    let seconds = started.elapsed().as_secs_f64();
    std::fs::write(folder.join("results.json"), &output.stdout)?;
    std::fs::write(folder.join("log.txt"), &output.stderr)?;

    // Healed, or healed as far as CI's commands can be run here.
    let said_healed = matches!(output.status.code(), Some(0 | 5));
    let judgement = judge(bench, case, folder, &run.defects, &broken, said_healed)?;
    let Judgement { outcome, reason, restored, lines_changed, suite_seconds } = judgement;
    Ok(Run {
        lines_changed,
        linter_heals,
        searches: searches(&output),
        test_runs: test_runs(&output),
        outcome,
        reason: if reason.is_empty() { stop_reason(&output) } else { reason },
        restored,
        seconds,
        suite_seconds: suite_seconds.unwrap_or(run.suite_seconds),
        ..run
    })
}

/// Returns whether the linter's own fixes make the checks pass, including the tests that are held back.
fn linter_heals(bench: &Bench, case: &Case<'_>, folder: &Path) -> anyhow::Result<bool> {
    let fixed = folder.join("fixed");
    clone(&folder.join("repository"), "main", &fixed)?;
    checks::lint_and_fix(bench, case.package, &fixed)?;
    let heals = if git(&fixed, &["status", "--porcelain"])?.is_empty() {
        false
    } else {
        restore_tests(case.package, &fixed)?;
        let verdict = checks::run(bench, case.package, &fixed, true)?;
        verdict.green && verdict.passing >= case.package.passing
    };
    std::fs::remove_dir_all(fixed)?;
    Ok(heals)
}

/// Verdict on a run.
struct Judgement {
    outcome: Outcome,
    reason: String,
    restored: bool,
    lines_changed: u64,
    /// Duration of the checks just now, on a machine that is as busy as it was while healing.
    suite_seconds: Option<f64>,
}

impl Judgement {
    fn new(outcome: Outcome, reason: impl Into<String>) -> Self {
        Self { outcome, reason: reason.into(), restored: false, lines_changed: 0, suite_seconds: None }
    }
}

/// Judges what lies in the repository now, whatever the run said of itself.
fn judge(
    bench: &Bench,
    case: &Case<'_>,
    folder: &Path,
    defects: &[Defect],
    broken: &str,
    said_healed: bool,
) -> anyhow::Result<Judgement> {
    let repository = folder.join("repository");
    if git(&repository, &["rev-parse", "main"])? != broken {
        return Ok(Judgement::new(Outcome::Wrong, "main was changed"));
    }
    let branches = git(&repository, &["for-each-ref", "--format=%(refname:short)", "refs/heads"])?;
    let branches: Vec<&str> = branches.lines().filter(|name| *name != "main").collect();
    let [branch] = branches[..] else {
        return Ok(if said_healed {
            Judgement::new(Outcome::Wrong, format!("{} new branches", branches.len()))
        } else {
            Judgement::new(Outcome::GivenUp, "")
        });
    };
    let changed = git(&repository, &["diff", "--name-only", "main", branch])?;
    for file in changed.lines().filter(|file| !is_program(case.package, file)) {
        // A change by the package's own formatter does not change the meaning, in any file.
        let text = |commit: &str| git(&repository, &["show", &format!("{commit}:{file}")]).unwrap_or_default();
        if !is_same_program(file, &text("main"), &text(branch)) {
            return Ok(Judgement::new(Outcome::Wrong, format!("{file} was changed")));
        }
    }
    if !said_healed {
        return Ok(Judgement::new(Outcome::GivenUp, ""));
    }
    for file in changed.lines().filter(|file| is_program(case.package, file)) {
        if !has_tests_of_package(case.package, &git(&repository, &["show", &format!("{branch}:{file}")])?, file)? {
            return Ok(Judgement::new(Outcome::Wrong, format!("tests in {file} were changed")));
        }
    }
    let fresh: PathBuf = folder.join("fresh");
    clone(&repository, branch, &fresh)?;
    let mut verdict = checks::run(bench, case.package, &fresh, false)?;
    let is_green = verdict.green;
    // The package's own text needs no judge: if its checks fail now, the machine was too busy for a timed test.
    let is_original = is_the_package(case.package, &fresh)?;
    if is_green && !is_original {
        restore_tests(case.package, &fresh)?;
        verdict = checks::run(bench, case.package, &fresh, false)?;
    }
    std::fs::write(folder.join("judgement.txt"), &verdict.output)?;
    let (outcome, reason) = if is_original {
        (Outcome::Healed, String::new())
    } else if !is_green {
        (Outcome::Wrong, "the checks of the branch fail".to_owned())
    } else if !verdict.green {
        (Outcome::Wrong, "tests that were held back fail".to_owned())
    } else if verdict.passing < case.package.passing {
        (Outcome::Wrong, format!("{} tests pass, {} did before", verdict.passing, case.package.passing))
    } else {
        (Outcome::Healed, String::new())
    };
    let restored = defects.iter().map(|defect| original(&fresh, &case.package.repository, &defect.file));
    let restored = restored.collect::<anyhow::Result<Vec<bool>>>()?.into_iter().all(|restored| restored);
    let lines_changed = lines_changed(&git(&repository, &["diff", "--numstat", "main", branch])?);
    Ok(Judgement { outcome, reason, restored, lines_changed, suite_seconds: Some(verdict.seconds) })
}

/// Returns whether the tests in a file of the program are those of the package.
fn has_tests_of_package(package: &Package, healed: &str, file: &str) -> anyhow::Result<bool> {
    let Ok(was) = std::fs::read_to_string(package.repository.join(file)) else { return Ok(true) };
    let tests_of = |text: &str| package.language.tools().tests_of(text);
    Ok(tests_of(healed).ok() == Some(tests_of(&was)?))
}

/// Returns whether every file of the program is identical to the package's file.
fn is_the_package(package: &Package, healed: &Path) -> anyhow::Result<bool> {
    for file in git(&package.repository, &["ls-files"])?.lines().filter(|file| is_program(package, file)) {
        if !original(healed, &package.repository, file)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn original(healed: &Path, package: &Path, file: &str) -> anyhow::Result<bool> {
    let was = std::fs::read(package.join(file)).with_context(|| format!("{file} is gone from the package"))?;
    Ok(std::fs::read(healed.join(file)).is_ok_and(|now| now == was))
}

/// The sum of what `git diff --numstat` tells.
fn lines_changed(numbers: &str) -> u64 {
    let of_line = |line: &str| line.split('\t').take(2).filter_map(|count| count.parse::<u64>().ok()).sum::<u64>();
    numbers.lines().map(of_line).sum()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn defect(class: &str, parses: bool) -> Defect {
        Defect { class: class.to_owned(), file: String::new(), line: 1, parses, old: String::new(), new: String::new() }
    }

    #[test]
    fn a_defect_without_a_sign_of_its_class_is_one_of_logic() {
        let class = |class: &str, parses, output: &str| class_of(&defect(class, parses), Language::Python, output);
        assert_eq!(class("SYNTAX", false, "SyntaxError"), "SYNTAX");
        assert_eq!(class("SYNTAX", true, "AssertionError"), "LOGIC");
        assert_eq!(class("IMPORT", true, "ModuleNotFoundError: No module named 'jsno'"), "IMPORT");
        assert_eq!(class("TYPE_ERROR", true, "E   TypeError: f() missing 1 argument"), "TYPE_ERROR");
        assert_eq!(class("TYPE_ERROR", true, "E   assert 2 == 1"), "LOGIC");
        assert_eq!(class("LINTING", true, "W291"), "LINTING");
        let class = |class: &str, output: &str| class_of(&defect(class, true), Language::JavaScript, output);
        assert_eq!(class("IMPORT", "Error: Cannot find module './utlis'"), "IMPORT");
        assert_eq!(class("INDENTATION", "Expected indentation of 2 spaces but found 3  indent"), "INDENTATION");
        assert_eq!(class("TYPE_ERROR", "AssertionError: 2 !== 1"), "LOGIC");
    }

    #[test]
    fn changed_lines_are_those_taken_away_and_those_added() {
        assert_eq!(lines_changed("1\t2\ta.js\n0\t3\tb.js\n-\t-\tpicture.png\n"), 6);
    }

    /// A program with a place for each kind of defect.
    const PROGRAM: &str = r#"'''Everything that can break.'''

from __future__ import annotations

import collections.abc as collections_abc
import os
import re
from itertools import chain as joined, islice
from json import dumps
from .other import thing

__all__ = ["Box", "first"]


class Box:
    '''A box.'''

    def __init__(self, items, size):
        self.items = list(items)
        self.size = size

    def put(self, item, at):
        self.items.insert(at, item)
        self.size += 1
        if at > self.size - 1 and item or not self.full():
            at = at * 2
            item = self.items[at : self.size]
        return self.items.copy()

    def full(self):
        if self.size:
            return True
        rest = len(self.items) - 1
        return rest


def first(box, default):
    try:
        value = box.items[0]
    except (IndexError, KeyError):
        value = default
    for item in islice(joined(box.items, []), 3):
        if item is None:
            continue
        if item == value and item not in [1, 2]:
            print("found", str(item) + "!", sep="")
    name = os.path.basename("a/b")
    pattern = re.compile("x", flags=re.I)
    if not isinstance(name, str) or isinstance(pattern, Box):
        value = dumps({"a": thing, "b": collections_abc.Mapping})
    return value
"#;

    /// Returns the defects that the injector would put into the program, by kind.
    fn preview(root: &Path, seed: &str) -> BTreeMap<String, Option<Defect>> {
        let injector = Path::new(env!("CARGO_MANIFEST_DIR")).join("bench/inject");
        let mut command = process::command(root, "python3");
        command.env("PYTHONDONTWRITEBYTECODE", "1").arg(injector);
        serde_json::from_str(&process::text_of(command.args([".", "program", "--preview", "--seed", seed])).unwrap())
            .unwrap()
    }

    #[test]
    fn every_kind_breaks_a_place_and_the_same_one_again() {
        let work = tempfile::tempdir().unwrap();
        let sources = work.path().join("program");
        std::fs::create_dir_all(&sources).unwrap();
        std::fs::write(sources.join("box.py"), PROGRAM).unwrap();
        std::fs::write(sources.join("other.py"), "thing = 1\n").unwrap();

        let seven = preview(work.path(), "7");
        for (kind, defect) in &seven {
            let defect = defect.as_ref().unwrap_or_else(|| panic!("{kind} finds no place"));
            assert_ne!(defect.old, defect.new, "{kind} changes nothing");
        }
        for class in ["SYNTAX", "INDENTATION", "IMPORT", "TYPE_ERROR", "LINTING", "LOGIC"] {
            let kinds = seven.values().flatten().filter(|defect| defect.class == class);
            assert!(kinds.count() >= 5, "{class} has several kinds");
        }
        assert_eq!(preview(work.path(), "7"), seven, "a seed is a seed");
        assert_ne!(preview(work.path(), "8"), seven, "another seed is another");
        assert_eq!(std::fs::read_to_string(sources.join("box.py")).unwrap(), PROGRAM, "a preview changes nothing");
    }
}
