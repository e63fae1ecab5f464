//! Examples of fixers, as tests: a tool's report, and the change that one fixer proposes for it. `docs/fixers.md` is made of them.
//!
//! A change is written like the body of a diff, with a mark before each line: a space for a line that stays, `-` and `+` for those that go and
//! come. A header such as `//- /shop/cart.py` begins a file, which is protected if that word follows; without a header the file is `a.py`,
//! `a.js`, `a.ts` or `a.rs`. A report names the repository's files by their paths below `/repo`, or relative to it.
//!
//! ```text
//! check_fix(
//!     &AttributeSpelling,
//!     pytest("  File \"/repo/a.py\", line 2, in shout\nAttributeError: 'str' object has no attribute 'uper'"),
//!     r"
//!  def shout(text):
//! -    return text.uper()
//! +    return text.upper()
//! ",
//! );
//! ```

use std::fmt::Write as _;
use std::time::Duration;

use autoheal_engine::diagnostics::{Finding, Source};
use similar::TextDiff;

use crate::edit::Candidate;
use crate::environment::{Environment, Runtime};
use crate::fix::{FixContext, Fixer};
use crate::report::{Look, TestCase, TestOutcome, TestReport, checkers, flake8, ruff};
use crate::sources::Sources;
use crate::{javascript, languages, python};

/// Folder that the repository lies in, as reports name it.
const ROOT: &str = "/repo";

/// Output of a tool, with the reader that makes findings of it.
pub(crate) struct Report {
    text: String,
    /// Name of a file without a header.
    file: &'static str,
    read: fn(&str, &Sources) -> Vec<Finding>,
}

/// The error of a failed Python test: the end of its traceback.
pub(crate) fn pytest(text: &str) -> Report {
    let read = |text: &str, sources: &Sources| {
        python::report::findings::findings_from(&failed_test(text), &look(&prefixes(), sources))
    };
    Report { text: text.to_owned(), file: "a.py", read }
}

/// The error of a failed JavaScript test, with its stack.
pub(crate) fn node(text: &str) -> Report {
    let read = |text: &str, sources: &Sources| {
        javascript::report::findings::findings_from(&failed_test(text), &look(&prefixes(), sources))
    };
    Report { text: text.to_owned(), file: "a.js", read }
}

/// Lines of the TypeScript compiler.
pub(crate) fn tsc(text: &str) -> Report {
    let read = |text: &str, sources: &Sources| javascript::report::tsc::findings(text, &look(&prefixes(), sources));
    Report { text: text.to_owned(), file: "a.ts", read }
}

/// Lines of mypy.
pub(crate) fn mypy(text: &str) -> Report {
    let read = |text: &str, sources: &Sources| checkers::mypy(text, &look(&prefixes(), sources));
    Report { text: text.to_owned(), file: "a.py", read }
}

/// Pyright's JSON.
pub(crate) fn pyright(text: &str) -> Report {
    let read = |text: &str, sources: &Sources| checkers::pyright(text, &look(&prefixes(), sources));
    Report { text: text.to_owned(), file: "a.py", read }
}

/// Lines of flake8.
pub(crate) fn flake8(text: &str) -> Report {
    let read = |text: &str, _: &Sources| flake8::findings(text, &prefixes());
    Report { text: text.to_owned(), file: "a.py", read }
}

/// Ruff's JSON, or lines of its concise form: ``a.py:3:1: E722 Do not use bare `except` ``.
pub(crate) fn ruff(text: &str) -> Report {
    let violation = |line: &str| {
        let (file, row, column, said) = placed(line);
        let (code, message) = said.split_once(' ').expect("a code and a message");
        let location = serde_json::json!({ "row": row, "column": column });
        let file = format!("{ROOT}/{file}");
        serde_json::json!({ "code": code, "filename": file, "location": location, "message": message, "fix": null })
    };
    let read = |text: &str, _: &Sources| ruff::findings(text, &prefixes()).expect("ruff's JSON");
    Report { text: json_of(text, violation), file: "a.py", read }
}

/// Eslint's JSON, or lines of its unix form: `a.js:1:5: 'x' is not defined. [Error/no-undef]`.
pub(crate) fn eslint(text: &str) -> Report {
    let violation = |line: &str| {
        let (file, row, column, said) = placed(line);
        let (message, rule) = said.rsplit_once(" [Error/").expect("a message and a rule");
        let rule = rule.trim_end_matches(']');
        let message =
            serde_json::json!({ "ruleId": rule, "severity": 2, "message": message, "line": row, "column": column });
        serde_json::json!({ "filePath": format!("{ROOT}/{file}"), "messages": [message] })
    };
    let read = |text: &str, sources: &Sources| {
        javascript::report::eslint::findings(text, &look(&prefixes(), sources)).expect("eslint's JSON")
    };
    Report { text: json_of(text, violation), file: "a.js", read }
}

/// A diagnostic of rustc, or lines of a short form with the changes that it suggests: `a.rs:2:5: E0425: words [help: old => new]`.
pub(crate) fn rustc(text: &str) -> Report {
    let read = |text: &str, sources: &Sources| {
        let output: String = text.lines().map(|line| rustc_line(line, sources) + "\n").collect();
        let prefixes = prefixes();
        let look = look(&prefixes, sources);
        [crate::rust::compiler::errors(&output, &look), crate::rust::compiler::lints(&output, &look)].concat()
    };
    Report { text: text.to_owned(), file: "a.rs", read }
}

/// The JSON of rustc: the line itself, or what it says.
fn rustc_line(line: &str, sources: &Sources) -> String {
    if line.starts_with('{') {
        return line.to_owned();
    }
    let (file, row, column, said) = placed(line);
    let (said, suggestion) = said.split_once(" [").map_or((said, None), |(said, rest)| (said, rest.strip_suffix(']')));
    let (code, message) = said.split_once(": ").filter(|(code, _)| code.starts_with('E')).unwrap_or(("", said));
    let text = sources.text(file).expect("a file of the example");
    let line_start: usize = text.split_inclusive('\n').take(row as usize - 1).map(str::len).sum();
    let span = |start: usize, end: usize, replacement: Option<&str>| {
        serde_json::json!({
            "file_name": file, "byte_start": start, "byte_end": end, "line_start": row, "column_start": column,
            "is_primary": true, "suggested_replacement": replacement, "suggestion_applicability": "MaybeIncorrect",
        })
    };
    let help = suggestion.map(|suggestion| {
        let (help, change) = suggestion.split_once(": ").expect("words of a suggestion");
        let (old, new) = change.split_once(" => ").expect("what is replaced, and by what");
        let start = line_start + text[line_start..].find(old).expect("what is replaced");
        let span = span(start, start + old.len(), Some(&new.replace("\\n", "\n")));
        serde_json::json!({ "level": "help", "message": help, "spans": [span] })
    });
    let level = if code.is_empty() && !message.starts_with("error: ") { "warning" } else { "error" };
    let message = message.trim_start_matches("error: ");
    let code = if code.is_empty() && level == "error" { None } else { Some(code) };
    let diagnostic = serde_json::json!({
        "message": message, "level": level, "code": code.map(|code| serde_json::json!({ "code": code })),
        "spans": [span(line_start, line_start, None)], "children": help.into_iter().collect::<Vec<_>>(),
    });
    serde_json::json!({ "reason": "compiler-message", "message": diagnostic }).to_string()
}

/// The JSON of a linter: the text itself, or what its lines say.
fn json_of(text: &str, violation: impl Fn(&str) -> serde_json::Value) -> String {
    if text.trim_start().starts_with('[') {
        return text.to_owned();
    }
    text.lines().map(violation).collect::<serde_json::Value>().to_string()
}

/// The file, line, column and words of `a.py:3:1: words`.
fn placed(line: &str) -> (&str, u32, u32, &str) {
    let (place, said) = line.split_once(": ").expect("a place and a message");
    let parts: Vec<&str> = place.split(':').collect();
    let [file, row, column] = parts.as_slice() else { panic!("a file, a line and a column: {place}") };
    (file, row.parse().expect("a line"), column.parse().expect("a column"), said)
}

fn prefixes() -> Vec<String> {
    vec![ROOT.to_owned()]
}

fn look<'a>(prefixes: &'a [String], sources: &'a Sources) -> Look<'a> {
    Look { prefixes, directory: "", sources }
}

fn failed_test(text: &str) -> TestReport {
    let case = TestCase {
        id: "test".to_owned(),
        outcome: TestOutcome::Failed,
        duration: Duration::ZERO,
        message: String::new(),
        text: text.to_owned(),
        file: None,
    };
    TestReport { cases: vec![case] }
}

/// An interpreter as a small project has it.
fn environment() -> Environment {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
    let table = |rows: &[(&str, &str)]| rows.iter().map(|(name, text)| ((*name).to_owned(), words(text))).collect();
    let python = Runtime {
        version: (3, 11),
        standard_library: words("calendar collections functools html itertools json os re sys typing"),
        builtins: words(
            "AttributeError Exception KeyError TypeError ValueError classmethod dict enumerate float int isinstance len list \
             map max min object open print property range reversed set sorted staticmethod str sum super tuple type zip",
        ),
        exports: table(&[
            ("collections", "Counter OrderedDict defaultdict deque namedtuple"),
            ("json", "dump dumps load loads"),
            ("os", "environ getcwd listdir path sep"),
        ]),
        members: table(&[
            ("list", "append count extend index insert pop remove reverse sort"),
            ("object", "__eq__ __hash__ __init__ __repr__ __str__"),
            ("str", "format join lower replace split strip title upper"),
        ]),
        ..Runtime::default()
    };
    let node = Runtime {
        standard_library: words("events fs os path util"),
        builtins: words("Array JSON Math Object console exports module process require"),
        ..Runtime::default()
    };
    Environment::default().with(python::ID, python).with(javascript::ID, node)
}

/// A file of an example.
struct ExampleFile {
    name: String,
    is_protected: bool,
    before: String,
    after: String,
}

impl ExampleFile {
    /// The text after a candidate.
    fn after(&self, candidate: &Candidate) -> String {
        let edit = candidate.files.iter().find(|edit| edit.file == self.name);
        edit.map_or_else(|| self.before.clone(), |edit| edit.apply(&self.before).expect("an edit that fits"))
    }
}

/// Reads the files of a change; `first` is the name of a file without a header.
fn files(change: &str, first: &str) -> Vec<ExampleFile> {
    let mut files: Vec<ExampleFile> = Vec::new();
    let named = |name: &str, is_protected| ExampleFile {
        name: name.to_owned(),
        is_protected,
        before: String::new(),
        after: String::new(),
    };
    for line in change.strip_prefix('\n').unwrap_or(change).lines() {
        if let Some(header) = line.strip_prefix("//- /") {
            let (name, marks) = header.split_once(' ').unwrap_or((header, ""));
            assert!(matches!(marks, "" | "protected"), "{marks:?} is not known in a header");
            files.push(named(name, !marks.is_empty()));
            continue;
        }
        if files.is_empty() {
            files.push(named(first, false));
        }
        let file = files.last_mut().expect("a file");
        let (mark, text) = line.split_at_checked(1).unwrap_or((" ", ""));
        let (is_before, is_after) = match mark {
            " " => (true, true),
            "-" => (true, false),
            "+" => (false, true),
            other => panic!("{other:?} does not mark a line of a diff: {line:?}"),
        };
        for (_, side) in [(is_before, &mut file.before), (is_after, &mut file.after)].into_iter().filter(|(is, _)| *is)
        {
            side.push_str(text);
            side.push('\n');
        }
    }
    files
}

/// An example as fixers see it.
struct Example {
    files: Vec<ExampleFile>,
    sources: Sources,
    environment: Environment,
    /// Output of the tool.
    output: String,
    findings: Vec<Finding>,
}

impl Example {
    #[track_caller]
    fn new(report: Report, change: &str) -> Self {
        let files = files(change, report.file);
        let mut sources = Sources::new(vec![String::new()]);
        for file in &files {
            sources.insert(file.name.as_str(), file.before.as_str(), file.is_protected);
        }
        let environment = environment();
        let findings = (report.read)(&report.text, &sources);
        let place = findings.first().and_then(|finding| finding.file.as_deref());
        assert!(place.is_some_and(|file| sources.text(file).is_some()), "the report names no file: {findings:#?}");
        Self { files, sources, environment, output: report.text, findings }
    }

    /// Candidates of one fixer, which has to be one of those that are asked for such a finding.
    #[track_caller]
    fn proposed_by(&self, fixer: &dyn Fixer) -> Vec<Candidate> {
        let target = self.findings.first().expect("a finding");
        let is_linted = target.source == Source::Lint;
        let restated = is_linted.then(|| checkers::as_runtime_error(target)).flatten();
        let finding = restated.as_ref().unwrap_or(target);
        let asked = if languages::is_of_checker(target) {
            languages::checker_fixers(target).to_vec()
        } else {
            languages::fixers(finding)
        };
        let is_asked = asked.iter().any(|other| other.name() == fixer.name());
        assert!(is_asked, "`{}` is not asked for {}: {}", fixer.name(), finding.headline(), finding.message);
        let (sources, environment) = (&self.sources, &self.environment);
        let candidates = fixer.candidates(&FixContext { finding, all_findings: &self.findings, sources, environment });
        self.checked(candidates)
    }

    /// Candidates that linters propose, or that their words mean.
    #[track_caller]
    fn proposed_by_linters(&self) -> Vec<Candidate> {
        let (outputs, target) = (std::slice::from_ref(&self.output), self.findings.first().expect("a finding"));
        self.checked(languages::linter_candidates(outputs, &prefixes(), &self.sources, target))
    }

    /// Checks what holds of every candidate.
    #[track_caller]
    fn checked(&self, candidates: Vec<Candidate>) -> Vec<Candidate> {
        for candidate in &candidates {
            for edit in &candidate.files {
                let before = self.sources.text(&edit.file).expect("a file of the example");
                let after = edit.apply(before).expect("an edit that fits");
                assert!(self.sources.is_editable(&edit.file), "{} is protected", edit.file);
                languages::check_repair(before, edit, &after).expect("no fault is added");
            }
        }
        candidates
    }

    #[track_caller]
    fn expect(&self, rank: usize, candidates: &[Candidate]) {
        let has_change = self.files.iter().any(|file| file.before != file.after);
        assert!(has_change, "no line is marked: `check_no_fix` is for what is left alone");
        let is_it = |candidate: &Candidate| self.files.iter().all(|file| file.after(candidate) == file.after);
        let found = candidates.iter().position(is_it).map(|index| index + 1);
        assert!(found == Some(rank), "wanted at rank {rank}, found at {found:?} of {}", self.shown(candidates));
    }

    #[track_caller]
    fn expect_none(&self, candidates: &[Candidate]) {
        let has_change = self.files.iter().any(|file| file.before != file.after);
        assert!(!has_change, "a line is marked: `check_fix` is for changes");
        assert!(candidates.is_empty(), "nothing was wanted, found {}", self.shown(candidates));
    }

    /// The candidates in the form of an example.
    fn shown(&self, candidates: &[Candidate]) -> String {
        let finding = self.findings.first().expect("a finding");
        let mut shown = format!("{} for {}: {}\n", candidates.len(), finding.headline(), finding.message);
        for candidate in candidates {
            writeln!(shown, "{}: {} ({})", candidate.fixer, candidate.description, candidate.cost).expect("memory");
            for file in self.files.iter().filter(|file| candidate.files.iter().any(|edit| edit.file == file.name)) {
                writeln!(shown, "//- /{}", file.name).expect("memory");
                let after = file.after(candidate);
                for change in TextDiff::from_lines(file.before.as_str(), after.as_str()).iter_all_changes() {
                    write!(shown, "{}{change}", change.tag()).expect("memory");
                }
            }
        }
        shown
    }
}

/// Checks that a fixer proposes just this change for a report, before all others of its own.
#[track_caller]
pub(crate) fn check_fix(fixer: &dyn Fixer, report: Report, change: &str) {
    check_fix_at(1, fixer, report, change);
}

/// Checks that a fixer proposes just this change for a report, at a rank (from 1) among its own.
#[track_caller]
pub(crate) fn check_fix_at(rank: usize, fixer: &dyn Fixer, report: Report, change: &str) {
    let example = Example::new(report, change);
    example.expect(rank, &example.proposed_by(fixer));
}

/// Checks that a fixer leaves files alone, whatever the report says. The lines are marked as in [`check_fix`], all by a space.
#[track_caller]
pub(crate) fn check_no_fix(fixer: &dyn Fixer, report: Report, files: &str) {
    let example = Example::new(report, files);
    example.expect_none(&example.proposed_by(fixer));
}

/// Checks that just this change is the first one for a linter's finding: the linter's own, or what its words mean.
#[track_caller]
pub(crate) fn check_lint_fix(report: Report, change: &str) {
    let example = Example::new(report, change);
    example.expect(1, &example.proposed_by_linters());
}

/// Checks that a linter's finding is left alone.
#[track_caller]
pub(crate) fn check_no_lint_fix(report: Report, files: &str) {
    let example = Example::new(report, files);
    example.expect_none(&example.proposed_by_linters());
}
