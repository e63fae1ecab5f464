//! The suite of a JavaScript project: what runs it, and what its reports say.

use std::path::Path;

use autoheal_code::Sources;
use autoheal_code::javascript::parse;
use autoheal_code::javascript::report::{entries, findings as node_findings, jest};
use autoheal_code::report::{TestCase, TestOutcome, TestReport};
use autoheal_engine::diagnostics::{Category, Finding, Location};
use autoheal_sandbox::Outcome;
use autoheal_sandbox::untrusted::UntrustedFolder;

use super::command_words::NODE_WITH_VALUE;
use super::programs::{self, MOCHA_REPORTER, NODE_TEST_REPORTER, VITEST_REPORTER};
use super::runners::{JEST, MOCHA, NODE_TEST, VITEST};
use crate::project::join;
use crate::session::read_report;
use crate::test_runner::TestRunner;
use crate::test_scope::Scope;
use crate::toolchain::Place;

/// Between the file and the titles of a test, in selectors as in ids.
pub(crate) const SEPARATOR: &str = "::";

/// The command line of the runner that tries changes.
pub(crate) fn warm_words(place: &Place<'_>) -> Option<Vec<String>> {
    let tests = &place.setup.suite().tests;
    if tests.runner == TestRunner::OPAQUE {
        return None;
    }
    // It is mocha with a compiler that is set up by variables of its own.
    if is_ts_mocha(place) {
        return None;
    }
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let tree = place.folders.tree().display().to_string();
    let mut words =
        vec![place.program(), place.tool(programs::WARM), tests.runner.name.to_owned(), jobs.to_string(), tree];
    if tests.runner == NODE_TEST {
        let (options, files) = node_arguments(place);
        words.extend(options.into_iter().chain(["--".to_owned()]).chain(files));
        return Some(words);
    }
    words.extend(tests.arguments.iter().cloned());
    if tests.runner == JEST {
        words.push(jest_cache(place));
    }
    Some(words)
}

/// Returns the option that keeps what jest compiled for the next command of this place.
fn jest_cache(place: &Place<'_>) -> String {
    format!("--cacheDirectory={}", place.folders.scratch().join("jest").display())
}

/// A file that does not load is a test without a title there.
pub(crate) fn is_selected(selector: &str, test: &str) -> bool {
    test == selector || test.strip_suffix(SEPARATOR) == Some(selector)
}

fn is_ts_mocha(place: &Place<'_>) -> bool {
    place.setup.suite().tests.words.iter().any(|word| word.ends_with("ts-mocha"))
}

/// The major version of the vitest that is installed for the project.
fn vitest_major(place: &Place<'_>) -> Option<u32> {
    const LONGEST: u64 = 1 << 20;
    let mut modules = place.setup.interpreter().modules.iter();
    modules.find_map(|modules| {
        let manifest = UntrustedFolder::open(&modules.host).ok()?.read("vitest/package.json", LONGEST).ok()?;
        let manifest: serde_json::Value = serde_json::from_slice(&manifest).ok()?;
        manifest["version"].as_str()?.split('.').next()?.parse().ok()
    })
}

/// The command line for a scope.
pub(crate) fn words(place: &Place<'_>, scope: &Scope) -> Vec<String> {
    let tests = &place.setup.suite().tests;
    let report = place.report_path().display().to_string();
    let only = match scope {
        Scope::All | Scope::UntilFirstFailure => None,
        Scope::Only(selectors) | Scope::Again(selectors) => {
            Some(Selection::of(selectors, &place.setup.suite().directory))
        }
    };
    let bail = matches!(scope, Scope::UntilFirstFailure | Scope::Only(_));
    let mut words = Vec::new();
    match tests.runner {
        JEST => {
            words.extend([program(place, "jest"), "--json".to_owned(), format!("--outputFile={report}")]);
            words.extend(
                ["--testLocationInResults", "--coverage=false", "--watchAll=false", "--no-colors", "--ci"]
                    .map(str::to_owned),
            );
            words.push(jest_cache(place));
            if bail {
                words.push("--bail".to_owned());
            }
            match only {
                None => words.extend(tests.arguments.iter().cloned()),
                Some(only) => {
                    words.extend(options_only(&tests.arguments));
                    words.extend(only.pattern(" ").map(|pattern| format!("--testNamePattern={pattern}")));
                    words.push("--runTestsByPath".to_owned());
                    words.extend(only.files);
                }
            }
        }
        MOCHA => {
            words.push(program(place, if is_ts_mocha(place) { "ts-mocha" } else { "mocha" }));
            words.extend(tests.arguments.iter().cloned());
            words.extend(["--reporter".to_owned(), place.tool(MOCHA_REPORTER), "--no-color".to_owned()]);
            if bail {
                words.push("--bail".to_owned());
            }
            // Files named here would be run beside those that the configuration names: titles say enough.
            if let Some(pattern) = only.and_then(|only| only.pattern(" ")) {
                words.extend(["--grep".to_owned(), pattern]);
            }
        }
        VITEST => {
            words.extend([program(place, "vitest"), "run".to_owned()]);
            words.push(format!("--reporter={}", place.tool(VITEST_REPORTER)));
            words.extend(["--coverage.enabled=false", "--no-color"].map(str::to_owned));
            // Its cache lies among the packages, which are read-only.
            words.extend((vitest_major(place) >= Some(2)).then(|| "--no-cache".to_owned()));
            if bail {
                words.push("--bail=1".to_owned());
            }
            match only {
                None => words.extend(tests.arguments.iter().cloned()),
                Some(only) => {
                    words.extend(options_only(&tests.arguments));
                    words.extend(only.pattern(" ").map(|pattern| format!("--testNamePattern={pattern}")));
                    words.extend(only.files);
                }
            }
        }
        NODE_TEST => {
            words.extend([place.program(), "--test".to_owned()]);
            words.push(format!("--test-reporter={}", place.tool(NODE_TEST_REPORTER)));
            words.push(format!("--test-reporter-destination={report}"));
            let (options, files) = node_arguments(place);
            words.extend(options);
            // Which titles a pattern means differs between versions of Node: files say enough.
            words.extend(only.map_or(files, |only| only.files));
        }
        _ => words.extend(tests.arguments.iter().cloned()),
    }
    words
}

/// Returns Node's options, and the files and folders of tests, each pattern replaced by the files that match it: older versions of Node
/// take names only.
fn node_arguments(place: &Place<'_>) -> (Vec<String>, Vec<String>) {
    let directory = &place.setup.suite().directory;
    let (mut options, mut named) = (Vec::new(), Vec::new());
    let mut arguments = place.setup.suite().tests.arguments.iter().peekable();
    while let Some(word) = arguments.next() {
        if word.starts_with('-') {
            options.push(word.clone());
            options.extend(arguments.next_if(|_| NODE_WITH_VALUE.contains(&word.as_str())).cloned());
            continue;
        }
        let glob = Some(word).filter(|word| word.contains('*')).and_then(|word| {
            let pattern = join(directory, word.trim_start_matches("./"));
            Some(globset::GlobBuilder::new(&pattern).literal_separator(true).build().ok()?.compile_matcher())
        });
        let Some(glob) = glob else {
            named.push(word.clone());
            continue;
        };
        let prefix = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        let files = place.sources.iter().map(|(file, _)| file).filter(|file| glob.is_match(file));
        named.extend(files.filter_map(|file| file.strip_prefix(&prefix)).map(str::to_owned));
    }
    (options, named)
}

/// A program of the project's packages, by where it is seen inside.
fn program(place: &Place<'_>, name: &str) -> String {
    let tree = place.folders.tree();
    let has = |folder: &Path, program: &str| UntrustedFolder::open(folder).is_ok_and(|it| it.kind(program).is_some());
    let of_package = format!(".bin/{name}");
    let installed = place.setup.interpreter().modules.iter().find(|modules| has(&modules.host, &of_package));
    let committed = [place.setup.suite().directory.as_str(), ""]
        .into_iter()
        .map(|folder| join(folder, &format!("node_modules/{of_package}")))
        .find(|program| has(&tree, program));
    let committed = committed.map(|program| tree.join(program));
    let found = installed.map(|modules| tree.join(&modules.inside).join(&of_package)).or(committed);
    found.map_or_else(|| name.to_owned(), |program| program.display().to_string())
}

/// Returns the options without the files and folders among the arguments. A separate value counts as a file, too: the values that
/// matter are joined to their option, or come with files that are named again.
fn options_only(arguments: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut follows_option = false;
    for word in arguments {
        let is_option = word.starts_with('-');
        let is_file = word.contains('*') || word.ends_with('/') || has_test_extension(word);
        if is_option || (follows_option && !is_file) || (follows_option && takes_a_file(&kept)) {
            kept.push(word.clone());
        }
        follows_option = is_option && !word.contains('=');
    }
    kept
}

fn takes_a_file(kept: &[String]) -> bool {
    const WITH_FILE: &[&str] = &["--config", "-c", "--require", "-r", "--import", "--loader", "--experimental-loader"];
    kept.last().is_some_and(|option| WITH_FILE.contains(&option.as_str()))
}

fn has_test_extension(word: &str) -> bool {
    autoheal_code::LanguageId::of(word).is_some()
}

/// Tests that several selectors refer to.
pub(super) struct Selection {
    /// Relative to the folder that the tests start in.
    pub(super) files: Vec<String>,
    /// The titles, outermost first; empty: all of the files.
    pub(super) titles: Vec<Vec<String>>,
}

impl Selection {
    pub(super) fn of(selectors: &[String], directory: &str) -> Self {
        let mut selection = Self { files: Vec::new(), titles: Vec::new() };
        let mut is_whole = false;
        for selector in selectors {
            let (file, titles) = selector.split_once(SEPARATOR).unwrap_or((selector, ""));
            let prefix = if directory.is_empty() { String::new() } else { format!("{directory}/") };
            let file = file.strip_prefix(&prefix).unwrap_or(file).to_owned();
            if !selection.files.contains(&file) {
                selection.files.push(file);
            }
            is_whole |= titles.is_empty();
            selection.titles.push(titles.split(" > ").map(str::to_owned).collect());
        }
        if is_whole {
            selection.titles.clear();
        }
        selection
    }

    /// A pattern for the titles, joined as the runner joins them, or by what a title may hold itself.
    fn pattern(&self, joint: &str) -> Option<String> {
        let joint = format!("(?:{}| . )", pattern_of(joint));
        let name = |titles: &Vec<String>| {
            let (last, outer) = titles.split_last().map(|(last, outer)| (last.as_str(), outer)).unwrap_or_default();
            let outer = outer.iter().map(|title| pattern_of(title));
            outer.chain([last_pattern_of(last)]).collect::<Vec<_>>().join(&joint)
        };
        let names: Vec<String> = self.titles.iter().map(name).collect();
        (!names.is_empty()).then(|| format!("^(?:{})$", names.join("|")))
    }
}

/// Returns a pattern that matches a title. Plain characters match themselves, and all others match any character: titles contain
/// anything, and ids have lost their brackets. A character that is not ASCII may be two of JavaScript's characters.
pub(super) fn pattern_of(title: &str) -> String {
    let mut pattern = String::new();
    for part in title.chars() {
        match part {
            'a'..='z' | 'A'..='Z' | '0'..='9' | ' ' | '_' => pattern.push(part),
            _ if part.is_ascii() => pattern.push_str("[^]"),
            _ => pattern.push_str("[^]{1,2}"),
        }
    }
    pattern
}

/// The number of a title that comes twice is ours; one that looks so may be its own.
fn last_pattern_of(title: &str) -> String {
    let is_number = |end: &str| !end.is_empty() && end.chars().all(|digit| digit.is_ascii_digit());
    match title.rsplit_once(" #").filter(|(_, end)| is_number(end)) {
        Some((title, number)) => format!("{}(?: #{number})?", pattern_of(title)),
        None => pattern_of(title),
    }
}

pub(crate) fn report(place: &Place<'_>, _outcome: &Outcome) -> Option<TestReport> {
    let text = read_report(place.folders).ok()?;
    let prefixes = place.prefixes();
    match place.setup.suite().tests.runner {
        JEST => jest::parse(&text, &prefixes).ok(),
        MOCHA | VITEST | NODE_TEST => entries::parse(&text, &prefixes),
        _ => None,
    }
}

pub(crate) fn findings(place: &Place<'_>, report: &TestReport) -> Vec<Finding> {
    let mut findings = node_findings::findings_from(report, &place.look(&place.prefixes()));
    name_broken_files(place.sources, &mut findings);
    findings
}

/// Runners often say only who asked for a file that does not parse. What does not parse can be found without them.
pub(crate) fn name_broken_files(sources: &Sources, findings: &mut [Finding]) {
    let is_whole = |file: &str| sources.text(file).is_some_and(|text| parse::compiles(file, text));
    let mut broken: Option<Vec<(String, u32)>> = None;
    for finding in findings.iter_mut().filter(|finding| finding.category == Category::Syntax) {
        if finding.file.as_deref().is_some_and(|file| !is_whole(file)) {
            continue;
        }
        let broken = broken.get_or_insert_with(|| {
            let editable = sources
                .with_extension(autoheal_code::javascript::EXTENSIONS)
                .filter(|(file, _)| sources.is_editable(file));
            editable
                .filter_map(|(file, text)| Some((file.to_owned(), parse::faults(file, text).first()?.line)))
                .collect()
        });
        // One test may need several of them: which comes first shows when the others are whole.
        if let Some((file, line)) = broken.first() {
            finding.file = Some(file.clone());
            finding.location = Some(Location { line: *line, column: None });
        }
    }
}

pub(crate) fn findings_in_output(place: &Place<'_>, outcome: &Outcome) -> Vec<Finding> {
    let (stdout, stderr) = outcome.text();
    let prefixes = place.prefixes();
    let known = place.look(&prefixes);
    let mut findings = node_findings::findings_from_output(&stdout, &stderr, &outcome.end.to_string(), &known);
    name_broken_files(place.sources, &mut findings);
    findings
}

pub(crate) fn file_of(place: &Place<'_>, case: &TestCase) -> Option<String> {
    case.file.as_deref().and_then(|file| place.look(&[]).file(file))
}

/// Returns the selector of a test, which is the id itself: runners take its file and its titles.
pub(crate) fn selector(place: &Place<'_>, case: &TestCase) -> Option<String> {
    let file = case.file.as_deref()?;
    match place.setup.suite().tests.runner {
        JEST | VITEST | NODE_TEST if case.outcome == TestOutcome::CollectionError => Some(file.to_owned()),
        // A file that does not load ends the whole run.
        MOCHA if case.outcome == TestOutcome::CollectionError => None,
        JEST | VITEST | NODE_TEST | MOCHA => Some(case.id.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_become_files_and_one_pattern() {
        let selectors = ["pkg/test/a.js::calc > adds (1)".to_owned(), "pkg/test/a.js::greets #2".to_owned()];
        let selection = Selection::of(&selectors, "pkg");
        assert_eq!(selection.files, ["test/a.js"]);
        assert_eq!(selection.pattern(" ").as_deref(), Some("^(?:calc(?: | . )adds [^]1[^]|greets(?: #2)?)$"));
        let whole = Selection::of(&["test/b.js".to_owned(), selectors[0].clone()], "");
        assert_eq!(whole.pattern(" "), None);
    }

    #[test]
    fn files_are_taken_off_and_options_stay() {
        let words = |text: &str| shell_words::split(text).unwrap();
        assert_eq!(options_only(&words("--config jest.config.js -i test/*.js")), ["--config", "jest.config.js", "-i"]);
        assert_eq!(options_only(&words("--import tsx test/a.test.ts src")), ["--import", "tsx"]);
    }
}
