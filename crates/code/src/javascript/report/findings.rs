//! Findings from the reports of Node's tools: one per failing test, at the place in the repository that is most
//! to blame.

use std::sync::LazyLock;

use autoheal_engine::diagnostics::{Category, Finding, Location, Source};
use regex::Regex;

use super::stack::{self, Thrown};
use super::{kind, tsc};
use crate::javascript::{EXTENSIONS, parse};
use crate::report::{Look, TestCase, TestReport, cut_middle};

const MAX_STACK: usize = 16 * 1024;
const MAX_MESSAGE: usize = 2 * 1024;

/// Pattern for the file that imports a missing module.
#[expect(clippy::expect_used, reason = "a constant pattern, compiled by a test")]
static IMPORTER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?:imported from |Require stack:\s*\n- |' from '|" from ")([^\s'"]+)"#).expect("a constant pattern")
});

/// Returns one finding per failing test, in the order of the report.
pub fn findings_from(report: &TestReport, look: &Look<'_>) -> Vec<Finding> {
    report.cases.iter().filter(|case| case.outcome.is_red()).map(|case| of_case(case, look)).collect()
}

/// Findings in the output of a run that left no report: a file that does not load, a configuration that is
/// refused, a crash. At least one, whatever the output is.
pub fn findings_from_output(stdout: &str, stderr: &str, ended: &str, look: &Look<'_>) -> Vec<Finding> {
    // The error that ended the run is written last, to standard error.
    for text in [stderr, stdout] {
        let text = stack::without_ansi(text);
        if let Some(found) = of_text(&text, Source::Runtime, None, look) {
            return vec![found];
        }
    }
    let text = stack::without_ansi(&format!("{stderr}\n{stdout}"));
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let said = lines
        .clone()
        .find(|line| {
            ["error", "fatal", "cannot find", "not found"].iter().any(|word| line.to_lowercase().contains(word))
        })
        .or_else(|| lines.clone().next_back())
        .unwrap_or("no output");
    vec![Finding {
        source: Source::Runtime,
        category: kind::of_error("", said),
        file: None,
        location: None,
        message: cut_middle(&format!("the test run left no report ({ended}): {said}"), MAX_MESSAGE),
        stack: Some(cut_middle(&text, MAX_STACK)),
    }]
}

fn of_case(case: &TestCase, look: &Look<'_>) -> Finding {
    let test_file = case.file.as_deref().and_then(|file| look.file(file));
    if let Some(found) = of_text(&case.text, Source::Test, test_file.clone(), look) {
        return found;
    }
    let message = Some(case.message.trim()).filter(|message| !message.is_empty()).unwrap_or("no message");
    Finding {
        source: Source::Test,
        category: kind::of_error("", message),
        location: test_file.is_some().then_some(Location { line: 1, column: None }),
        file: test_file,
        message: cut_middle(message, MAX_MESSAGE),
        stack: Some(cut_middle(&case.text, MAX_STACK)).filter(|text| !text.trim().is_empty()),
    }
}

/// The finding in an error's text; `None`: it holds no error that is understood.
fn of_text(text: &str, source: Source, test_file: Option<String>, look: &Look<'_>) -> Option<Finding> {
    // A compiler inside of the runner (ts-jest, ts-node) says more than the error by which it stops.
    if let Some(found) = tsc::findings(text, look).into_iter().find(|finding| finding.file.is_some()) {
        return Some(Finding { source, stack: Some(cut_middle(text, MAX_STACK)), ..found });
    }
    let errors = stack::parse(text);
    let unnamed = unnamed(text, &errors);
    Some(of_error(unnamed.as_ref().or_else(|| blamed(&errors, text))?, text, source, test_file, look))
}

/// Findings in any text: the compiler's errors in files of the repository, and one for each error whose stack goes through them.
pub(in crate::javascript) fn findings_in_text(text: &str, look: &Look<'_>) -> Vec<Finding> {
    let compiled = tsc::findings(text, look).into_iter().filter(|finding| finding.file.is_some());
    let thrown = stack::parse(text).into_iter().filter_map(|error| {
        let shown = error.shown();
        place(&error, &shown, kind::of_error(&error.class, &error.message), look)?;
        Some(of_error(&error, &shown, Source::Runtime, None, look))
    });
    compiled.chain(thrown).collect()
}

fn of_error(blamed: &Thrown, text: &str, source: Source, test_file: Option<String>, look: &Look<'_>) -> Finding {
    let category = kind::of_error(&blamed.class, &blamed.message);
    let (file, location) = place(blamed, text, category, look).unwrap_or_else(|| {
        let location = test_file.is_some().then_some(Location { line: 1, column: None });
        (test_file, location)
    });
    let broken = unreadable(file.as_deref(), text, category, look)
        .or_else(|| unloaded(blamed, file.as_deref(), text, category, look));
    let (category, file, location) = match broken {
        Some((broken, line)) => (Category::Syntax, Some(broken.to_owned()), Some(Location { line, column: None })),
        None => (category, file, location),
    };
    Finding {
        source,
        category: importable(blamed, category, look),
        file,
        location,
        message: cut_middle(&blamed.headline(), MAX_MESSAGE),
        stack: Some(cut_middle(text, MAX_STACK)),
    }
}

/// Returns an error that is reported without a class, by its message only, such as jest's "Cannot find module".
fn unnamed(text: &str, errors: &[Thrown]) -> Option<Thrown> {
    if errors.iter().any(|error| !error.class.is_empty()) {
        return None;
    }
    let line = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with('●') && kind::of_error("", line) != Category::Logic)?;
    let frames = errors.first().map(|error| error.frames.clone()).unwrap_or_default();
    let place = errors.first().and_then(|error| error.place.clone());
    Some(Thrown { class: String::new(), message: line.to_owned(), place, frames })
}

/// The error to be blamed: the first, unless it only says that something failed while its cause says that the code itself is
/// broken. What a test asserts is not looked behind, but for a program that it started and that crashed: Node ends what it says of that
/// with its version.
fn blamed<'e>(errors: &'e [Thrown], text: &str) -> Option<&'e Thrown> {
    let is_broken = |error: &&Thrown| kind::of_error(&error.class, &error.message) != Category::Logic;
    let first = errors.first()?;
    let tells_a_crash = || text.lines().any(|line| line.starts_with("Node.js v"));
    if is_broken(&first) || first.class == "AssertionError" && !tells_a_crash() {
        return Some(first);
    }
    errors.iter().find(is_broken).or(Some(first))
}

/// Returns the position of an error: where a parser stopped, else the file that imports the
/// missing module, else the innermost frame in a file of the repository that may be changed, else
/// the innermost frame in any of its files.
fn place(
    error: &Thrown,
    text: &str,
    category: Category,
    look: &Look<'_>,
) -> Option<(Option<String>, Option<Location>)> {
    let at = |file: String, line: u32, column: Option<u32>| {
        let column = column.filter(|column| *column > 0);
        Some((Some(file), Some(Location { line: line.max(1), column })))
    };
    if let Some((file, line, column)) = &error.place
        && let Some(file) = look.file(file)
    {
        return at(file, *line, *column);
    }
    let inside: Vec<(String, u32, u32)> =
        error.frames.iter().filter_map(|frame| Some((look.file(&frame.file)?, frame.line, frame.column))).collect();
    if category == Category::Import
        && let Some(file) = IMPORTER.captures(text).and_then(|captures| look.file(&captures[1]))
    {
        let line = inside.iter().find(|frame| frame.0 == file).map_or(1, |frame| frame.1);
        return at(file, line, None);
    }
    let best = inside.iter().find(|frame| look.sources.is_editable(&frame.0)).or_else(|| inside.first())?;
    at(best.0.clone(), best.1, Some(best.2))
}

/// The file that does not parse, where the one that is blamed for that does: a loader names who asked for it. The one that the text names, else
/// the only one.
fn unreadable<'a>(blamed: Option<&str>, text: &str, category: Category, look: &Look<'a>) -> Option<(&'a str, u32)> {
    const MOST_FILES: usize = 500;
    let fault = |file: &str, text: &str| parse::check(file, text).err().map(|fault| fault.line);
    let is_broken = blamed.is_some_and(|file| look.sources.text(file).is_none_or(|text| fault(file, text).is_some()));
    if category != Category::Syntax || is_broken {
        return None;
    }
    let editable = look.sources.with_extension(EXTENSIONS).filter(|(file, _)| look.sources.is_editable(file));
    let broken = editable.take(MOST_FILES).filter_map(|(file, text)| Some((file, fault(file, text)?)));
    let broken: Vec<(&str, u32)> = broken.collect();
    let named = broken.iter().find(|(file, _)| text.contains(file));
    named.or(broken.first().filter(|_| broken.len() == 1)).copied()
}

/// The file that does not parse, where a tool that loads files gives up in words of its own: nothing of the repository ran, and what the
/// error blames or its text names cannot be read.
fn unloaded<'a>(
    error: &Thrown,
    blamed: Option<&str>,
    text: &str,
    category: Category,
    look: &Look<'a>,
) -> Option<(&'a str, u32)> {
    let may_be = matches!(category, Category::Logic | Category::TypeError) && !error.class.starts_with("Assertion");
    if !may_be || error.frames.iter().any(|frame| look.file(&frame.file).is_some()) {
        return None;
    }
    let mut named: Vec<(&str, &str)> = look
        .sources
        .with_extension(EXTENSIONS)
        .filter(|(file, _)| look.sources.is_editable(file) && (blamed == Some(*file) || text.contains(*file)))
        .collect();
    named.sort_by_key(|(file, _)| blamed != Some(*file));
    named.into_iter().find_map(|(file, text)| Some((file, parse::check(file, text).err()?.line)))
}

/// A name that is not defined is an import that is missing when some file of the repository exports or imports it.
fn importable(error: &Thrown, category: Category, look: &Look<'_>) -> Category {
    let Some(name) = error.message.strip_suffix(" is not defined").filter(|_| error.class == "ReferenceError") else {
        return category;
    };
    let brings = |line: &str| {
        let line = line.trim_start();
        let binds = ["import ", "export ", "exports."].iter().any(|start| line.starts_with(start))
            || line.contains("require(")
            || line.contains("module.exports");
        binds && line.split(|part: char| !(part.is_alphanumeric() || "_$".contains(part))).any(|word| word == name)
    };
    let is_brought = look.sources.with_extension(EXTENSIONS).any(|(_, text)| text.lines().any(brings));
    if is_brought { Category::Import } else { category }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::javascript::report::jest;
    use crate::sources::Sources;

    fn sources() -> Sources {
        let mut sources = Sources::new(Vec::new());
        sources.insert("pkg/src/calc.js", "exports.add = (a, b) => a + b;\n", false);
        sources.insert("pkg/test/calc.test.js", "require('../src/calc');\n", true);
        sources
    }

    fn found(text: &str) -> Finding {
        let sources = sources();
        let look = Look { prefixes: &["/w".to_owned()], directory: "pkg", sources: &sources };
        findings_from_output("", text, "exit 1", &look).remove(0)
    }

    #[test]
    fn the_innermost_file_that_may_be_changed_is_blamed() {
        let text = "TypeError: name.toUperCase is not a function\n    at toUperCase (/w/node_modules/x/y.js:1:1)\n    at greet (src/calc.js:5:26)\n    at Object.greet (/w/pkg/test/calc.test.js:4:33)\n";
        let found = found(text);
        assert_eq!((found.category, found.file.as_deref()), (Category::TypeError, Some("pkg/src/calc.js")));
        assert_eq!(found.location, Some(Location { line: 5, column: Some(26) }));
        assert_eq!(found.message, "TypeError: name.toUperCase is not a function");
    }

    #[test]
    fn a_file_that_does_not_parse_is_a_fault_of_syntax_in_whatever_words() {
        let mut sources = sources();
        let fresh = "exports.sorted = (a) =>\n  a.sort((x, y) = > x - y);\n";
        sources.insert("pkg/src/sort.js", fresh, false);
        let look = Look { prefixes: &["/s/tree".to_owned()], directory: "pkg", sources: &sources };
        let said = "RollupError: The left-hand side must be a variable.";
        let tool = "    at parse (file:///s/tree/node_modules/rollup/dist/parse.js:355:41)\n";
        let category = |text: String| {
            let found = of_text(&text, Source::Test, Some("pkg/test/calc.test.js".to_owned()), &look).unwrap();
            (found.category, found.file, found.location.map(|location| location.line))
        };
        let named = category(format!("{said} (pkg/src/sort.js)\n{tool}"));
        assert_eq!(named, (Category::Syntax, Some("pkg/src/sort.js".to_owned()), Some(2)));
        assert_eq!(category(format!("{said}\n{tool}")).0, Category::Logic, "the file is not named");
        let ran = format!("Error: pkg/src/sort.js\n    at f (/s/tree/pkg/src/calc.js:1:3)\n{tool}");
        assert_eq!(category(ran).0, Category::Logic, "the program ran");
    }

    #[test]
    fn who_asked_for_a_module_is_blamed() {
        for text in [
            "Error: Cannot find module './x'\nRequire stack:\n- /w/pkg/src/calc.js\n- /w/pkg/test/calc.test.js\n    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)",
            "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/w/pkg/src/x.js' imported from /w/pkg/src/calc.js\n    at finalizeResolution (node:internal/modules/esm/resolve:1:1)",
            "  ● Test suite failed to run\n\n    Cannot find module './x' from 'src/calc.js'\n\n    Require stack:\n      src/calc.js\n",
        ] {
            let found = found(text);
            assert_eq!((found.category, found.file.as_deref()), (Category::Import, Some("pkg/src/calc.js")), "{text}");
        }
    }

    #[test]
    fn a_program_that_crashed_is_looked_at_behind_the_assertion() {
        let crash = "AssertionError [ERR_ASSERTION]: ifError got unwanted exception: Command failed: /w/pkg/src/calc.js\nnode:internal/modules/cjs/loader:1210\n  throw err;\n  ^\n\nError: Cannot find module 'pth'\nRequire stack:\n- /w/pkg/src/calc.js\n    at Module._load (node:internal/modules/cjs/loader:1051:27)\n\nNode.js v20.20.2\n\n    at /w/pkg/test/calc.test.js:9:14\n";
        let blamed = found(crash);
        assert_eq!((blamed.category, blamed.file.as_deref()), (Category::Import, Some("pkg/src/calc.js")));
        assert_eq!(blamed.message, "Error: Cannot find module 'pth'");
        let asserted = found(&crash.replace("Node.js v20.20.2", ""));
        assert_eq!(asserted.category, Category::Logic, "what a test compares with may be an error's text");
    }

    #[test]
    fn a_name_that_the_repository_exports_is_an_import() {
        assert_eq!(found("ReferenceError: add is not defined\n    at f (src/calc.js:1:1)").category, Category::Import);
        assert_eq!(
            found("ReferenceError: ad is not defined\n    at f (src/calc.js:1:1)").category,
            Category::TypeError
        );
    }

    /// mocha names the module that it loads for a fault in one that this imports.
    #[test]
    fn a_file_that_does_not_parse_is_found_where_its_importer_is_named() {
        let text = "Exception during run: SyntaxError[ @/w/pkg/test/calc.test.js ]: Unexpected token '{'\n    at compileSourceTextModule (node:internal/modules/esm/utils:346:16)\n";
        let mut sources = sources();
        let of = |sources: &Sources| {
            let look = Look { prefixes: &["/w".to_owned()], directory: "pkg", sources };
            findings_from_output("", text, "exit 1", &look).remove(0)
        };
        assert_eq!(of(&sources).file, None, "none is broken");
        sources.insert("pkg/src/broken.js", "const one = 1;\nfunction add(a, b {\n", false);
        let found = of(&sources);
        assert_eq!((found.category, found.file.as_deref()), (Category::Syntax, Some("pkg/src/broken.js")));
        assert_eq!(found.location.map(|location| location.line), Some(2));
    }

    #[test]
    fn a_file_that_does_not_parse_is_blamed_and_not_its_test() {
        let json = r#"{"testResults": [{"name": "/w/pkg/test/calc.test.js", "status": "failed", "assertionResults": [],
            "message": "  ● Test suite failed to run\n\n    Jest encountered an unexpected token\n\n    Details:\n\n    SyntaxError: /w/pkg/src/calc.js: Unexpected token (2:2)\n\n      1 | a\n    > 2 | b\n"}]}"#;
        let sources = sources();
        let look = Look { prefixes: &["/w".to_owned()], directory: "pkg", sources: &sources };
        let found = findings_from(&jest::parse(json, look.prefixes).unwrap(), &look).remove(0);
        assert_eq!((found.category, found.file.as_deref()), (Category::Syntax, Some("pkg/src/calc.js")));
        assert_eq!(found.location, Some(Location { line: 2, column: Some(3) }));
    }
}
