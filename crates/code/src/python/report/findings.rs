//! Findings from a test report: one per failing test, at the place in the repository that is most to blame.

use autoheal_engine::diagnostics::{Category, Finding, Location, Source};

use super::doctest::{failed_example, without_example};
use super::traceback::{self, Frame, Traceback};
use crate::python::{EXTENSIONS, standard_library};
use crate::report::{Look, TestCase, TestOutcome, TestReport, category, cut_middle, flake8, relative};

const MAX_STACK: usize = 16 * 1024;
const MAX_MESSAGE: usize = 2 * 1024;

/// Returns one finding per failing test. Tests with the same root cause produce findings with the same key.
pub fn findings_from(report: &TestReport, look: &Look<'_>) -> Vec<Finding> {
    report.cases.iter().filter(|case| case.outcome.is_red()).map(|case| of_case(case, look)).collect()
}

/// Findings in the output of a run that left no report: an interpreter that crashed, a configuration that
/// pytest refuses, an error while it loads a `conftest.py`. At least one, whatever the output is.
pub fn findings_from_output(stdout: &str, stderr: &str, ended: &str, look: &Look<'_>) -> Vec<Finding> {
    let text = format!("{stdout}\n{stderr}");
    let found = traceback::parse(&text.replace("INTERNALERROR> ", ""));
    if let Some(culprit) = surfaced(&found, look) {
        return vec![of_traceback(culprit, &cut_middle(&text, MAX_STACK), None, Source::Runtime, look)];
    }
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let said = lines
        .clone()
        .find(|line| {
            let line = line.to_lowercase();
            line.contains("error") || line.contains("fatal") || line.contains("no module named")
        })
        .or_else(|| lines.next_back())
        .unwrap_or("no output");
    let message = format!("the test run left no report ({ended}): {said}");
    vec![Finding {
        source: Source::Runtime,
        category: category::of_words(said),
        file: None,
        location: None,
        message: cut_middle(&message, MAX_MESSAGE),
        stack: Some(cut_middle(&text, MAX_STACK)),
    }]
}

/// Findings in any text: one for each traceback that goes through a file of the repository, and the linter's lines about them.
pub(in crate::python) fn findings_in_text(text: &str, look: &Look<'_>) -> Vec<Finding> {
    let through = |traceback: &Traceback| place(traceback, look).is_some();
    let mut found = traceback::parse(text);
    for traceback in &mut found {
        // What follows the first line of a message may be what somebody else printed next.
        traceback.message.truncate(traceback.message.find('\n').unwrap_or(traceback.message.len()));
    }
    let raised = found
        .iter()
        .filter(|traceback| through(traceback))
        .map(|traceback| of_traceback(traceback, &stack_of(traceback), None, Source::Runtime, look));
    let is_there = |finding: &Finding| finding.file.as_deref().is_some_and(|file| look.sources.text(file).is_some());
    raised.chain(flake8::findings(text, look.prefixes).into_iter().filter(is_there)).collect()
}

/// A traceback as the interpreter would print it, without the lines of code.
fn stack_of(traceback: &Traceback) -> String {
    let frame = |frame: &Frame| {
        let function = frame.function.as_deref().unwrap_or("<module>");
        format!("  File \"{}\", line {}, in {function}\n", frame.file, frame.line)
    };
    let frames: String = traceback.frames.iter().map(frame).collect();
    format!("Traceback (most recent call last):\n{frames}{}: {}\n", traceback.error_type, traceback.message)
}

fn of_case(case: &TestCase, look: &Look<'_>) -> Finding {
    let test_file = test_file(case, look);
    if let Some(example) = failed_example(&case.text)
        && let Some(file) = relative(&example.file, look.prefixes)
        && look.sources.text(file).is_some()
    {
        return Finding {
            source: Source::Test,
            category: Category::Logic,
            file: Some(file.to_owned()),
            location: Some(Location { line: example.line.max(1), column: None }),
            message: cut_middle(&example.message(), MAX_MESSAGE),
            stack: Some(cut_middle(&case.text, MAX_STACK)),
        };
    }
    let mut found = traceback::parse(without_example(&case.text));
    found.extend(inner(&case.text));
    if let Some(culprit) = surfaced(&found, look) {
        return of_traceback(culprit, &case.text, test_file, Source::Test, look);
    }
    // No traceback: a crash, a missing fixture, a framework's own message. What is said stands in the text.
    let first = if case.outcome == TestOutcome::CollectionError || case.message.trim().is_empty() {
        case.text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or("no message")
    } else {
        case.message.trim()
    };
    let (error_type, rest) = first.split_once(':').unwrap_or((first, ""));
    let is_class =
        !error_type.is_empty() && error_type.chars().all(|char| char.is_alphanumeric() || "._".contains(char));
    Finding {
        source: Source::Test,
        category: if is_class && error_type.ends_with("Error") {
            category::of_exception(error_type, rest)
        } else {
            category::of_words(first)
        },
        location: test_file.is_some().then_some(Location { line: 1, column: None }),
        file: test_file,
        message: cut_middle(first, MAX_MESSAGE),
        stack: Some(cut_middle(&case.text, MAX_STACK)).filter(|text| !text.trim().is_empty()),
    }
}

/// The tracebacks of another process, which a test shows as a string or bytes literal in its own error.
fn inner(text: &str) -> Vec<Traceback> {
    let Some(start) = text.find("Traceback (most recent call last):\\n") else { return Vec::new() };
    let quoted = text.get(start..).unwrap_or_default();
    traceback::parse(&quoted.replace("\\n", "\n").replace("\\\"", "\"").replace("\\'", "'"))
}

/// The file of a test: as reported, or the module that its class name begins with.
fn test_file(case: &TestCase, look: &Look<'_>) -> Option<String> {
    if let Some(file) = case.file.as_deref().and_then(|file| relative(file, look.prefixes))
        && look.sources.text(file).is_some()
    {
        return Some(file.to_owned());
    }
    let dotted = case.id.split("::").next().unwrap_or_default();
    let parts: Vec<&str> = dotted.split('.').collect();
    (1..=parts.len()).rev().find_map(|count| {
        let path = format!("{}.py", parts.get(..count)?.join("/"));
        let found =
            look.sources.with_extension(EXTENSIONS).map(|(file, _)| file).find(|file| {
                file.strip_suffix(path.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
            });
        found.map(str::to_owned)
    })
}

/// The exception to be blamed: the one that surfaced, unless it only says that something failed while an earlier one of the
/// chain says that the code itself is broken.
fn surfaced<'t>(found: &'t [Traceback], look: &Look<'_>) -> Option<&'t Traceback> {
    let last = found.last()?;
    let is_broken = |traceback: &Traceback| of_error(traceback, look) != Category::Logic;
    if is_broken(last) {
        return Some(last);
    }
    Some(found.iter().rev().find(|earlier| is_broken(earlier)).unwrap_or(last))
}

fn of_error(traceback: &Traceback, look: &Look<'_>) -> Category {
    let category = category::of_exception(&traceback.error_type, &traceback.message);
    if traceback.error_name() == "NameError"
        && let Some(name) = traceback.message.split('\'').nth(1)
        && is_importable(name, look)
    {
        return Category::Import;
    }
    category
}

/// Returns whether an import statement would provide the name: a module's name, or one
/// that some file of the repository imports.
fn is_importable(name: &str, look: &Look<'_>) -> bool {
    standard_library::has(name) || look.sources.with_extension(EXTENSIONS).any(|(_, text)| imports_name(text, name))
}

fn imports_name(text: &str, name: &str) -> bool {
    text.lines().map(str::trim_start).any(|line| {
        (line.starts_with("import ") || line.starts_with("from "))
            && line.split(|char: char| !(char.is_alphanumeric() || char == '_')).skip(1).any(|word| word == name)
    })
}

fn of_traceback(
    traceback: &Traceback,
    text: &str,
    test_file: Option<String>,
    source: Source,
    look: &Look<'_>,
) -> Finding {
    let (file, line) = place(traceback, look).map_or((test_file, None), |(file, line)| (Some(file), Some(line)));
    let line = line.or(file.as_ref().map(|_| 1));
    let message = if traceback.message.is_empty() {
        traceback.error_name().to_owned()
    } else {
        format!("{}: {}", traceback.error_name(), traceback.message)
    };
    Finding {
        source,
        category: of_error(traceback, look),
        file,
        location: line.map(|line| Location { line: line.max(1), column: None }),
        message: cut_middle(&message, MAX_MESSAGE),
        stack: Some(cut_middle(text, MAX_STACK)),
    }
}

/// The deepest frame in a file of the repository that may be changed, else the deepest in any of its files.
fn place(traceback: &Traceback, look: &Look<'_>) -> Option<(String, u32)> {
    let inside: Vec<(String, u32)> = traceback.frames.iter().filter_map(|frame| in_repository(frame, look)).collect();
    inside.iter().rev().find(|(file, _)| look.sources.is_editable(file)).or_else(|| inside.last()).cloned()
}

/// A frame's file as the repository names it. A suite that starts in a folder of its own names files relative to that, and that
/// folder is one of the roots.
pub(crate) fn in_repository(frame: &Frame, look: &Look<'_>) -> Option<(String, u32)> {
    let file = relative(&frame.file, look.prefixes)?;
    let is_there = |file: &str| look.sources.text(file).is_some();
    if is_there(file) {
        return Some((file.to_owned(), frame.line));
    }
    let roots = look.sources.roots().iter().map(|root| root.trim_end_matches('/')).filter(|root| !root.is_empty());
    let mut below = roots.map(|root| format!("{root}/{file}")).filter(|file| is_there(file));
    let found = below.next()?;
    // Of two files of that name it may be either.
    below.all(|other| other == found).then_some((found, frame.line))
}
