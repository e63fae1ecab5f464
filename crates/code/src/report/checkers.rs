//! Findings of type checkers and pylint (mypy, pyright, pylint), and the
//! error that an interpreter would raise there.

use std::sync::LazyLock;

use autoheal_engine::diagnostics::{Category, Finding, Location, Source};
use regex::Regex;
use serde::Deserialize;

use super::Look;
use super::{cut_middle, lsp};

const MAX_MESSAGE: usize = 2 * 1024;
const MAX_FINDINGS: usize = 2000;

/// `shop/tax.py:8:12: error: Incompatible return value type (got "Decimal", expected "str")  [return-value]`.
#[expect(clippy::expect_used, reason = "the pattern is a constant, compiled by a test")]
static MYPY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?m)^(?<file>[^:\n]+):(?<line>\d+)(?::(?<column>\d+))?: error: (?<said>.*?)(?:  \[(?<code>[a-z0-9-]+)\])?\r?$",
    )
    .expect("a constant pattern")
});

/// The errors of mypy; notes are left out.
pub fn mypy(output: &str, look: &Look<'_>) -> Vec<Finding> {
    let errors = MYPY.captures_iter(output).take(MAX_FINDINGS).map(|found| {
        let code = found.name("code").map_or("misc", |code| code.as_str());
        let category = match code {
            "syntax" if found["said"].to_lowercase().contains("indent") => Category::Indentation,
            "syntax" => Category::Syntax,
            "import" | "import-not-found" => Category::Import,
            _ => Category::TypeError,
        };
        let number = |name| found.name(name).and_then(|text: regex::Match<'_>| text.as_str().parse().ok());
        finding(
            look,
            &found["file"],
            category,
            (number("line"), number("column")),
            &format!("{}  [{code}]", &found["said"]),
        )
    });
    errors.collect()
}

#[derive(Deserialize)]
struct PylintMessage {
    path: String,
    line: Option<u32>,
    column: Option<u32>,
    symbol: String,
    message: String,
    #[serde(rename = "message-id")]
    id: String,
}

/// The messages of `pylint --output-format=json`: `E0602 Undefined variable 'x' (undefined-variable)`.
pub fn pylint(output: &str, look: &Look<'_>) -> Vec<Finding> {
    let messages: Vec<PylintMessage> = serde_json::from_str(output).unwrap_or_default();
    let findings = messages.into_iter().take(MAX_FINDINGS).map(|one| {
        let category = match one.id.as_str() {
            "E0001" => Category::Syntax,
            "E0401" | "E0611" => Category::Import,
            id if id.starts_with('E') || id.starts_with('F') => Category::TypeError,
            _ => Category::Linting,
        };
        let place = (one.line, one.column.map(|column| column + 1));
        finding(look, &one.path, category, place, &format!("{} {} ({})", one.id, one.message, one.symbol))
    });
    findings.collect()
}

#[derive(Deserialize)]
struct PyrightReport {
    #[serde(rename = "generalDiagnostics")]
    diagnostics: Vec<PyrightDiagnostic>,
}

#[derive(Deserialize)]
struct PyrightDiagnostic {
    file: String,
    severity: String,
    message: String,
    range: Option<PyrightRange>,
    rule: Option<String>,
}

#[derive(Deserialize)]
struct PyrightRange {
    start: PyrightPosition,
}

#[derive(Deserialize)]
struct PyrightPosition {
    line: u32,
    character: u32,
}

/// The errors of `pyright --outputjson`; its warnings are not red.
pub fn pyright(output: &str, look: &Look<'_>) -> Vec<Finding> {
    let report: Option<PyrightReport> = serde_json::from_str(output).ok();
    let errors = report.into_iter().flat_map(|report| report.diagnostics).filter(|one| one.severity == "error");
    let findings = errors.take(MAX_FINDINGS).map(|one| {
        let message = one.message.replace('\u{a0}', " ");
        let (category, message) = match one.rule {
            Some(rule) => (lsp::of_pyright(&rule, &message), format!("{rule}: {message}")),
            None => (lsp::of_unnamed(&message), message),
        };
        let place = one.range.map(|range| (range.start.line + 1, range.start.character + 1));
        finding(look, &one.file, category, (place.map(|at| at.0), place.map(|at| at.1)), &message)
    });
    findings.collect()
}

fn finding(
    look: &Look<'_>,
    file: &str,
    category: Category,
    (line, column): (Option<u32>, Option<u32>),
    message: &str,
) -> Finding {
    Finding {
        source: Source::Lint,
        category,
        file: Some(look.name(file)),
        location: line.map(|line| Location { line: line.max(1), column: column.filter(|column| *column > 0) }),
        message: cut_middle(message, MAX_MESSAGE),
        stack: None,
    }
}

/// A message of a checker and what the interpreter would say: groups are the names in it.
struct Rule {
    pattern: LazyLock<Option<Regex>>,
    category: Category,
    said: &'static str,
}

macro_rules! rule {
    ($pattern:literal, $category:expr, $said:literal) => {
        Rule { pattern: LazyLock::new(|| Regex::new($pattern).ok()), category: $category, said: $said }
    };
}

static RULES: [Rule; 10] = [
    rule!(r#"^Name "(\w+)" is not defined"#, Category::TypeError, "NameError: name '$1' is not defined"),
    rule!(r"^E0602 Undefined variable '(\w+)'", Category::TypeError, "NameError: name '$1' is not defined"),
    rule!(
        r#"^Module "([\w.]+)" has no attribute "(\w+)""#,
        Category::Import,
        "ImportError: cannot import name '$2' from '$1'"
    ),
    rule!(
        r"^E0611 No name '(\w+)' in module '([\w.]+)'",
        Category::Import,
        "ImportError: cannot import name '$1' from '$2'"
    ),
    rule!(
        r#"^Cannot find implementation or library stub for module named "([\w.]+)""#,
        Category::Import,
        "ModuleNotFoundError: No module named '$1'"
    ),
    rule!(r"^E0401 Unable to import '([\w.]+)'", Category::Import, "ModuleNotFoundError: No module named '$1'"),
    rule!(
        r#"^"(?:type\[)?"?(\w+)"?\]?" has no attribute "(\w+)""#,
        Category::TypeError,
        "AttributeError: '$1' object has no attribute '$2'"
    ),
    rule!(
        r"^E1101 (?:Instance of|Class) '(\w+)' has no '(\w+)' member",
        Category::TypeError,
        "AttributeError: '$1' object has no attribute '$2'"
    ),
    rule!(
        r"^E1101 Module '([\w.]+)' has no '(\w+)' member",
        Category::TypeError,
        "AttributeError: module '$1' has no attribute '$2'"
    ),
    rule!(r"^Missing return statement", Category::TypeError, "TypeError: the function should return a value"),
];

/// The checker's own suggestion: `maybe "lines"?`, `did you mean "json"?`, `maybe 'lines'?`.
#[expect(clippy::expect_used, reason = "the pattern is a constant, compiled by a test")]
static SUGGESTION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"(?:maybe|did you mean) ["'](\w+)["']"#).expect("a constant pattern"));

/// The error that an interpreter would raise at the place of a checker's finding, as fixers read it; `None`: none that is known.
pub fn as_runtime_error(finding: &Finding) -> Option<Finding> {
    let restated = RULES.iter().find_map(|rule| {
        let found = rule.pattern.as_ref()?.captures(&finding.message)?;
        let mut message = String::new();
        found.expand(rule.said, &mut message);
        if let Some(suggestion) = SUGGESTION.captures(&finding.message) {
            message = format!("{message}. Did you mean: '{}'?", &suggestion[1]);
        }
        Some((rule.category, message))
    });
    let (category, message) = restated.or_else(|| lsp::of_python(&finding.message))?;
    Some(Finding { category, message, ..finding.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::Sources;

    fn read(read: fn(&str, &Look<'_>) -> Vec<Finding>, output: &str) -> Vec<Finding> {
        let sources = Sources::new(Vec::new());
        read(output, &Look { prefixes: &["/w".to_owned()], directory: "", sources: &sources })
    }

    #[test]
    fn every_pattern_is_one() {
        assert!(RULES.iter().all(|rule| rule.pattern.is_some()));
    }

    #[test]
    fn mypy_says_where_and_what() {
        let output = "shop/tax.py:8:12: error: Incompatible return value type (got \"Decimal\", expected \"str\")  [return-value]\n\
            shop/tax.py:22:16: note: PEP 484 prohibits implicit Optional.\n\
            shop/bad.py:2: error: Unexpected EOF while parsing  [syntax]\n\
            shop/a.py:1:1: error: Cannot find implementation or library stub for module named \"jsn\"  [import-not-found]\n\
            Found 3 errors in 3 files (checked 4 source files)\n";
        let found = read(mypy, output);
        let seen: Vec<_> = found.iter().map(|one| (one.category, one.headline())).collect();
        assert_eq!(
            seen,
            [
                (Category::TypeError, "TYPE_ERROR error in shop/tax.py line 8".to_owned()),
                (Category::Syntax, "SYNTAX error in shop/bad.py line 2".to_owned()),
                (Category::Import, "IMPORT error in shop/a.py line 1".to_owned()),
            ]
        );
        assert!(found[0].message.ends_with("expected \"str\")  [return-value]"), "{found:?}");
    }

    #[test]
    fn pylint_and_pyright_are_read_from_their_json() {
        let pylint_said = r#"[{"type": "error", "path": "shop/a.py", "line": 24, "column": 11, "symbol": "undefined-variable",
            "message": "Undefined variable 'jsn'", "message-id": "E0602"}, {"type": "convention", "path": "/w/shop/a.py", "line": 1,
            "column": 0, "symbol": "missing-module-docstring", "message": "Missing module docstring", "message-id": "C0114"}]"#;
        let found = read(pylint, pylint_said);
        assert_eq!((found[0].category, found[1].category), (Category::TypeError, Category::Linting));
        assert_eq!(found[1].file.as_deref(), Some("shop/a.py"));
        let restated = as_runtime_error(&found[0]).unwrap();
        assert_eq!(restated.message, "NameError: name 'jsn' is not defined");
        let pyright_said = r#"{"generalDiagnostics": [
            {"file": "/w/a.py", "severity": "error", "message": "Type \"int\" is not assignable to return type \"str\"",
             "range": {"start": {"line": 7, "character": 11}, "end": {"line": 7, "character": 12}}, "rule": "reportReturnType"},
            {"file": "/w/a.py", "severity": "warning", "message": "x", "range": null, "rule": "reportUnusedExpression"}]}"#;
        let found = read(pyright, pyright_said);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].location, Some(Location { line: 8, column: Some(12) }));
        assert_eq!(read(pyright, "not json"), []);
    }

    #[test]
    fn checkers_messages_become_errors_with_their_suggestions() {
        for (message, error) in [
            (
                "Name \"jsn\" is not defined; did you mean \"json\"?  [name-defined]",
                "NameError: name 'jsn' is not defined. Did you mean: 'json'?",
            ),
            (
                "\"Cart\" has no attribute \"lins\"; maybe \"lines\"?  [attr-defined]",
                "AttributeError: 'Cart' object has no attribute 'lins'. Did you mean: 'lines'?",
            ),
            (
                "Module \"os\" has no attribute \"pth\"; maybe \"path\"?  [attr-defined]",
                "ImportError: cannot import name 'pth' from 'os'. Did you mean: 'path'?",
            ),
            (
                "E1101 Instance of 'C' has no 'lins' member; maybe 'lines'? (no-member)",
                "AttributeError: 'C' object has no attribute 'lins'. Did you mean: 'lines'?",
            ),
            ("Missing return statement  [return]", "TypeError: the function should return a value"),
        ] {
            let finding = Finding {
                source: Source::Lint,
                category: Category::TypeError,
                file: Some("a.py".to_owned()),
                location: None,
                message: message.to_owned(),
                stack: None,
            };
            assert_eq!(as_runtime_error(&finding).unwrap().message, error);
        }
    }
}
