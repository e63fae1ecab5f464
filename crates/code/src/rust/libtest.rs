//! Output of `cargo test --message-format=json`, standard error included: the results of each test binary, as the test harness prints them.
//!
//! The id of a test is `PACKAGE::TARGET::NAME`. A target is `lib`, `bin/NAME`, `tests/NAME`, `examples/NAME`, or `doc` for the examples in
//! documentation, whose names have no line numbers, for those change with every edit above them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use std::time::Duration;

use autoheal_engine::diagnostics::{Category, Finding, Source};
use regex::Regex;
use serde::Deserialize;

use super::crates::folder_of_modules;
use super::{compiler, panics};
use crate::report::{Look, TestCase, TestOutcome, TestReport, cut_middle};

const MAX_TEXT: usize = 16 * 1024;
const MAX_MESSAGE: usize = 2 * 1024;

/// Target of the examples in documentation.
pub const DOC: &str = "doc";

fn pattern(text: &str) -> Option<Regex> {
    Regex::new(text).ok()
}

static RUNNING: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"^\s+Running (?:unittests )?\S.* \((?P<binary>[^)]+)\)$"));
static DOC_TESTS: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"^\s+Doc-tests (?P<crate>\S+)$"));
static RESULT: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"^test (?P<name>\S.*) \.\.\. (?P<outcome>ok|FAILED|ignored(?:, .*)?)$"));
static LINE_NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r" \(line (?P<line>\d+)\)"));

#[derive(Deserialize)]
struct Artifact {
    reason: String,
    package_id: String,
    manifest_path: String,
    target: Target,
    executable: Option<String>,
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
    name: String,
    src_path: String,
}

/// A test binary, or the examples of a crate.
#[derive(Debug, Clone, Default)]
struct Binary {
    /// Beginning of the ids of its tests.
    prefix: String,
    /// The file of its crate's root, if it is one of the repository's.
    root: Option<String>,
    /// The folder of its package, relative to the repository.
    package: String,
}

impl Artifact {
    fn read(line: &str) -> Option<Self> {
        let artifact: Self = serde_json::from_str(line).ok()?;
        (artifact.reason == "compiler-artifact").then_some(artifact)
    }

    /// Name of the package: `shop` of `path+file:///repo/shop#0.1.0` and of `path+file:///repo/a#shop@0.1.0`.
    fn package(&self) -> &str {
        let (path, version) = self.package_id.split_once('#').unwrap_or((&self.package_id, ""));
        match version.split_once('@') {
            Some((name, _)) => name,
            None => path.rsplit('/').next().unwrap_or(path),
        }
    }

    fn binary(&self, look: &Look<'_>, target: Option<&str>) -> Binary {
        let kind = self.target.kind.first().map_or("lib", String::as_str);
        let target = target.map_or_else(
            || match kind {
                "bin" => format!("bin/{}", self.target.name),
                "test" => format!("tests/{}", self.target.name),
                "example" => format!("examples/{}", self.target.name),
                "bench" => format!("benches/{}", self.target.name),
                _ => "lib".to_owned(),
            },
            str::to_owned,
        );
        let manifest = look.name(&self.manifest_path);
        Binary {
            prefix: format!("{}::{target}::", self.package()),
            root: look.file(&self.target.src_path),
            package: manifest.strip_suffix("Cargo.toml").unwrap_or_default().trim_end_matches('/').to_owned(),
        }
    }
}

/// Results of all test binaries; `None`: none was started.
pub fn parse(output: &str, look: &Look<'_>) -> Option<TestReport> {
    let mut binaries: BTreeMap<String, Binary> = BTreeMap::new();
    let mut libraries: BTreeMap<String, Binary> = BTreeMap::new();
    let mut report = TestReport::default();
    let mut section: Option<(Binary, Vec<&str>)> = None;
    let mut is_started = false;
    for line in output.lines() {
        if line.starts_with("{\"reason\":") {
            if let Some(artifact) = Artifact::read(line) {
                if let Some(program) = &artifact.executable {
                    binaries.insert(file_name(program).to_owned(), artifact.binary(look, None));
                } else if artifact.target.kind.iter().any(|kind| kind.contains("lib")) {
                    libraries.insert(artifact.target.name.replace('-', "_"), artifact.binary(look, Some(DOC)));
                }
            }
            continue;
        }
        let started = capture(&RUNNING, line, "binary")
            .map(|path| binaries.get(file_name(path)).cloned().unwrap_or_else(|| unknown(file_name(path))))
            .or_else(|| {
                let name = capture(&DOC_TESTS, line, "crate")?;
                let known = libraries.get(&name.replace('-', "_")).cloned();
                Some(known.unwrap_or_else(|| unknown(&format!("{name}::{DOC}"))))
            });
        if let Some(binary) = started {
            is_started = true;
            if let Some((binary, lines)) = section.replace((binary, Vec::new())) {
                read_section(&binary, &lines, look, &mut report);
            }
        } else if let Some((_, lines)) = &mut section {
            lines.push(line);
        }
    }
    if let Some((binary, lines)) = section {
        read_section(&binary, &lines, look, &mut report);
    }
    is_started.then_some(report)
}

fn unknown(name: &str) -> Binary {
    Binary { prefix: format!("{name}::"), ..Binary::default() }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn capture<'t>(pattern: &LazyLock<Option<Regex>>, line: &'t str, group: &str) -> Option<&'t str> {
    pattern.as_ref()?.captures(line)?.name(group).map(|found| found.as_str())
}

/// Reads what one binary printed. One that did not come to its end is a test that failed.
fn read_section(binary: &Binary, lines: &[&str], look: &Look<'_>, report: &mut TestReport) {
    let texts = failures(lines);
    let examples = Examples::of(lines);
    let (mut count, mut is_complete, mut is_harness) = (0, false, false);
    for line in lines {
        is_complete |= line.starts_with("test result: ");
        is_harness |= line.starts_with("running ");
        let (Some(printed), Some(outcome)) = (capture(&RESULT, line, "name"), capture(&RESULT, line, "outcome")) else {
            continue;
        };
        let plain = printed.strip_suffix(" - should panic").unwrap_or(printed);
        let text = texts.get(plain).or_else(|| texts.get(printed)).cloned().unwrap_or_default();
        let (name, number) = examples.numbered(plain);
        let id =
            if number > 1 { format!("{}{name} #{number}", binary.prefix) } else { format!("{}{name}", binary.prefix) };
        let outcome = match outcome {
            "ok" => TestOutcome::Passed,
            "FAILED" => TestOutcome::Failed,
            _ => TestOutcome::Skipped,
        };
        count += 1;
        report.cases.push(TestCase {
            id,
            outcome,
            duration: Duration::ZERO,
            message: if outcome.is_red() { message(&text) } else { String::new() },
            file: binary.file_of(&name, look),
            text: cut_middle(&text, MAX_TEXT),
        });
    }
    let said = lines.join("\n");
    let ended = lines.iter().rev().find(|line| line.contains("process didn't exit successfully"));
    // A target without the harness says only how it ended.
    let outcome = match (is_harness, is_complete, ended) {
        (true, true, _) => return,
        (false, _, None) if count == 0 => TestOutcome::Passed,
        _ => TestOutcome::Errored,
    };
    let why = ended.map_or("the test program ended before its tests did", |line| line.trim());
    report.cases.push(TestCase {
        id: binary.prefix.trim_end_matches("::").to_owned(),
        outcome,
        duration: Duration::ZERO,
        message: if outcome.is_red() { why.to_owned() } else { String::new() },
        text: cut_middle(&said, MAX_TEXT),
        file: binary.root.clone(),
    });
}

/// Lines of the examples in documentation, by their names without line numbers: tests end in any order, and examples of one item have one name.
struct Examples(BTreeMap<String, BTreeSet<u64>>);

impl Examples {
    fn of(lines: &[&str]) -> Self {
        let mut lines_of: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
        for line in lines {
            if let Some((name, number)) = capture(&RESULT, line, "name").and_then(Self::split) {
                lines_of.entry(name).or_default().insert(number);
            }
        }
        Self(lines_of)
    }

    /// The name of an example without its line number, and that number.
    fn split(name: &str) -> Option<(String, u64)> {
        let pattern = LINE_NUMBER.as_ref()?;
        let number = pattern.captures(name)?.name("line")?.as_str().parse().ok()?;
        Some((pattern.replace(name, "").into_owned(), number))
    }

    /// The name of a test without a line number, and its number among those of that name in order of their lines, from 1.
    fn numbered(&self, name: &str) -> (String, usize) {
        match Self::split(name) {
            Some((plain, line)) => {
                let before = self.0.get(&plain).map_or(0, |lines| lines.range(..line).count());
                (plain, before + 1)
            }
            None => (name.to_owned(), 1),
        }
    }
}

impl Binary {
    /// The file that a test is written in: of the modules in its name, the last that is a file.
    fn file_of(&self, name: &str, look: &Look<'_>) -> Option<String> {
        if self.prefix.ends_with(&format!("::{DOC}::")) {
            let file = name.split(" - ").next()?;
            let inside =
                [self.package.as_str(), file].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
            return look.sources.text(&inside).map(|_| inside);
        }
        let root = self.root.clone()?;
        let mut folder = folder_of_modules(&root);
        let mut found = root;
        for part in name.split("::") {
            folder = if folder.is_empty() { part.to_owned() } else { format!("{folder}/{part}") };
            let files = [format!("{folder}.rs"), format!("{folder}/mod.rs")];
            match files.into_iter().find(|file| look.sources.text(file).is_some()) {
                Some(file) => found = file,
                None => break,
            }
        }
        Some(found)
    }
}

/// Output of the failed tests, by their names: the blocks that begin with `---- NAME stdout ----`.
fn failures(lines: &[&str]) -> BTreeMap<String, String> {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    let mut current: Option<String> = None;
    for line in lines {
        if let Some(name) = line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" stdout ----")) {
            current = Some(name.to_owned());
        } else if *line == "failures:" || line.starts_with("test result: ") {
            current = None;
        } else if let Some(name) = &current {
            let text = texts.entry(name.clone()).or_default();
            text.push_str(line);
            text.push('\n');
        }
    }
    texts
}

/// The reason a test failed: its panic, the error that it returned, or the first thing that it said.
fn message(text: &str) -> String {
    if let Some(panic) = panics::all(text).into_iter().next_back() {
        return cut_middle(panic.message, MAX_MESSAGE);
    }
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let said =
        lines.clone().find(|line| line.starts_with("error") || line.starts_with("Error:")).or_else(|| lines.next());
    cut_middle(said.unwrap_or("the test failed without a message"), MAX_MESSAGE)
}

/// One finding for each red case of a report, in its order.
pub fn findings(report: &TestReport, look: &Look<'_>) -> Vec<Finding> {
    report.cases.iter().filter(|case| case.outcome.is_red()).map(|case| finding(case, look)).collect()
}

fn finding(case: &TestCase, look: &Look<'_>) -> Finding {
    let panic = panics::all(&case.text).into_iter().next_back();
    let (file, location) = match panic.and_then(|panic| panic.place(look)) {
        Some((file, location)) => (Some(file), Some(location)),
        None => (case.file.clone(), None),
    };
    Finding {
        source: Source::Test,
        category: Category::Logic,
        file,
        location,
        message: case.message.clone(),
        stack: Some(case.text.clone()),
    }
}

/// At least one finding in the output of a command that failed and started no test: the compiler's errors, or what cargo said.
pub fn findings_in_output(output: &str, ended: &str, look: &Look<'_>) -> Vec<Finding> {
    let errors = compiler::errors(output, look);
    if !errors.is_empty() {
        return errors;
    }
    let mut lines = output.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('{'));
    let from_error: Vec<&str> = lines.clone().skip_while(|line| !line.starts_with("error")).take(12).collect();
    let said =
        if from_error.is_empty() { lines.next_back().unwrap_or("no output").to_owned() } else { from_error.join("\n") };
    let is_manifest = |word: &str| word.trim_matches(['`', '\'', ':', ',']).ends_with("Cargo.toml");
    let manifest = said.split_whitespace().find(|word| is_manifest(word));
    let file = manifest.and_then(|word| look.file(word.trim_matches(['`', '\'', ':', ','])));
    let category = if file.is_some() { Category::Import } else { Category::Logic };
    let message = cut_middle(&format!("{ended}: {said}"), MAX_MESSAGE);
    vec![Finding { source: Source::Build, category, file, location: None, message, stack: Some(said) }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::Sources;

    const OUTPUT: &str = r#"   Compiling shop v0.1.0 (/repo)
{"reason":"compiler-artifact","package_id":"path+file:///repo#shop@0.1.0","manifest_path":"/repo/Cargo.toml","target":{"kind":["lib"],"crate_types":["lib"],"name":"shop","src_path":"/repo/src/lib.rs","edition":"2021","doc":true,"doctest":true,"test":true},"profile":{"test":false},"features":[],"filenames":["/t/libshop.rlib"],"executable":null,"fresh":false}
{"reason":"compiler-artifact","package_id":"path+file:///repo#shop@0.1.0","manifest_path":"/repo/Cargo.toml","target":{"kind":["lib"],"crate_types":["lib"],"name":"shop","src_path":"/repo/src/lib.rs","edition":"2021","doc":true,"doctest":true,"test":true},"profile":{"test":true},"features":[],"filenames":["/t/deps/shop-1f"],"executable":"/t/deps/shop-1f","fresh":false}
{"reason":"compiler-artifact","package_id":"path+file:///repo#shop@0.1.0","manifest_path":"/repo/Cargo.toml","target":{"kind":["test"],"crate_types":["bin"],"name":"it","src_path":"/repo/tests/it.rs","edition":"2021"},"profile":{"test":true},"features":[],"filenames":["/t/deps/it-2e"],"executable":"/t/deps/it-2e","fresh":false}
{"reason":"build-finished","success":true}
    Finished `test` profile [unoptimized + debuginfo] target(s) in 0.31s
     Running unittests src/lib.rs (/t/deps/shop-1f)

running 3 tests
test cart::tests::adds ... FAILED
test cart::tests::later ... ignored, slow
test it_stops - should panic ... ok

failures:

---- cart::tests::adds stdout ----

thread 'cart::tests::adds' (7) panicked at src/cart.rs:10:9:
assertion `left == right` failed
  left: 1
 right: 2
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace


failures:
    cart::tests::adds

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

error: test failed, to rerun pass `--lib`
     Running tests/it.rs (/t/deps/it-2e)

running 2 tests
test whole ... ok
error: test failed, to rerun pass `--test it`

Caused by:
  process didn't exit successfully: `/t/deps/it-2e` (signal: 6, SIGABRT: process abort signal)
   Doc-tests shop

running 2 tests
test src/cart.rs - cart::add (line 9) ... FAILED
test src/cart.rs - cart::add (line 3) ... ok

failures:

---- src/cart.rs - cart::add (line 9) stdout ----
error[E0425]: cannot find value `x` in this scope

failures:
    src/cart.rs - cart::add (line 9)

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.20s

error: doctest failed, to rerun pass `--doc`
"#;

    fn sources() -> Sources {
        let mut sources = Sources::new(Vec::new());
        for file in ["Cargo.toml", "src/lib.rs", "src/cart.rs", "tests/it.rs"] {
            sources.insert(file, "", false);
        }
        sources
    }

    #[test]
    fn each_test_of_each_binary_is_known() {
        let (sources, prefixes) = (sources(), ["/repo".to_owned()]);
        let look = Look { prefixes: &prefixes, directory: "", sources: &sources };
        let report = parse(OUTPUT, &look).unwrap();
        let shown: Vec<String> = report
            .cases
            .iter()
            .map(|case| format!("{} {:?} {}", case.id, case.outcome, case.file.as_deref().unwrap_or("-")))
            .collect();
        assert_eq!(
            shown,
            [
                "shop::lib::cart::tests::adds Failed src/cart.rs",
                "shop::lib::cart::tests::later Skipped src/cart.rs",
                "shop::lib::it_stops Passed src/lib.rs",
                "shop::tests/it::whole Passed tests/it.rs",
                "shop::tests/it Errored tests/it.rs",
                "shop::doc::src/cart.rs - cart::add #2 Failed src/cart.rs",
                "shop::doc::src/cart.rs - cart::add Passed src/cart.rs",
            ]
        );
        let found = findings(&report, &look);
        assert_eq!(found[0].file.as_deref(), Some("src/cart.rs"));
        assert_eq!(found[0].location.map(|location| location.line), Some(10));
        assert_eq!(found[0].message, "assertion `left == right` failed\n  left: 1\n right: 2");
        assert!(found[1].message.contains("SIGABRT"), "{}", found[1].message);
        assert!(found[2].message.contains("E0425"));
    }

    #[test]
    fn a_build_that_fails_leaves_no_report() {
        let (sources, prefixes) = (sources(), ["/repo".to_owned()]);
        let look = Look { prefixes: &prefixes, directory: "", sources: &sources };
        let output = "error: failed to parse manifest at `/repo/Cargo.toml`\n\nCaused by:\n  no targets specified\n";
        assert!(parse(output, &look).is_none());
        let found = findings_in_output(output, "exit 101", &look);
        assert_eq!(found[0].file.as_deref(), Some("Cargo.toml"));
        assert!(found[0].message.contains("failed to parse manifest"));
    }
}
