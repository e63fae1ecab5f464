//! The output of `flake8` (its default format) as findings.

use std::sync::LazyLock;

use autoheal_engine::diagnostics::{Category, Finding, Location, Source};
use regex::Regex;

use super::relative;

/// `./package/module.py:12:5: F401 'os' imported but unused`.
#[expect(clippy::expect_used, reason = "the pattern is a constant, compiled by a test")]
static LINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?<file>[^:\n]+):(?<line>\d+):(?<column>\d+): (?<code>[A-Z]+\d+) (?<message>.*)$")
        .expect("a constant pattern")
});

/// The findings, one per line that is one; `prefixes` as in [`super::ruff::findings`].
pub fn findings(output: &str, prefixes: &[String]) -> Vec<Finding> {
    output.lines().filter_map(|line| finding(line, prefixes)).collect()
}

fn finding(line: &str, prefixes: &[String]) -> Option<Finding> {
    let parts = LINE.captures(line)?;
    let code = parts.name("code")?.as_str();
    let message = parts.name("message")?.as_str();
    let category = match code {
        "E999" if message.contains("Indentation") || message.contains("TabError") => Category::Indentation,
        "E999" | "E902" => Category::Syntax,
        _ => Category::Linting,
    };
    let file = parts.name("file")?.as_str();
    Some(Finding {
        source: Source::Lint,
        category,
        file: Some(relative(file, prefixes).unwrap_or(file).to_owned()),
        location: Some(Location {
            line: parts.name("line")?.as_str().parse::<u32>().ok()?.max(1),
            column: parts.name("column")?.as_str().parse().ok(),
        }),
        message: format!("{code} {message}"),
        stack: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_default_format_is_a_finding() {
        let found = findings("./a/b.py:12:5: F401 'os' imported but unused\nsomething else\n", &[]);
        let [finding] = found.as_slice() else { panic!("one finding: {found:?}") };
        assert_eq!(finding.headline(), "LINTING error in a/b.py line 12");
        assert_eq!(finding.message, "F401 'os' imported but unused");
    }

    #[test]
    fn a_file_that_does_not_parse_is_no_lint_finding() {
        let found = findings("a.py:3:1: E999 IndentationError: unexpected indent\n", &[]);
        assert_eq!(found[0].category, Category::Indentation);
    }
}
