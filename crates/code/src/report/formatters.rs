//! Findings of formatters in their checking modes (`black --check`, `ruff format --check`, `isort --check`,
//! `prettier --list-different`): a file that the formatter would change, or one that it cannot read.

use std::sync::LazyLock;

use autoheal_engine::diagnostics::{Category, Finding, Location, Source};
use regex::Regex;

use super::Look;

/// The end of every message about a file that would be written otherwise.
const WOULD_REFORMAT: &str = "would write this file otherwise";

/// `would reformat a.py`, `Would reformat: a.py`, `ERROR: /w/a.py Imports are incorrectly sorted and/or formatted.`
#[expect(clippy::expect_used, reason = "the pattern is a constant, compiled by a test")]
static UNFORMATTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^(?:would reformat |Would reformat: |ERROR: )(?<file>.+?)(?: Imports are incorrectly sorted.*)?$")
        .expect("a constant pattern")
});

/// `error: cannot format a.py: Cannot parse: 3:5: x`, `error: Failed to parse a.py:3:5: x`, `[error] a.js: SyntaxError: x (3:5)`.
#[expect(clippy::expect_used, reason = "the pattern is a constant, compiled by a test")]
static UNREADABLE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^(?:error: cannot (?:parse|format):? |error: Failed to (?:parse|format) |\[error\] )(?<file>[^:\n]+): ?(?<said>.+)$")
        .expect("a constant pattern")
});

#[expect(clippy::expect_used, reason = "the pattern is a constant, compiled by a test")]
static PLACE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(\d+):(\d+)").expect("a constant pattern"));

/// The finding that a file would be written otherwise by a formatter.
pub fn unformatted(tool: &str, file: String) -> Finding {
    finding(Category::Linting, file, None, format!("{tool} {WOULD_REFORMAT}"))
}

/// Returns whether a finding is only about a file's format. The formatter itself
/// fixes it, and the program stays the same.
pub fn is_about_format(source: Source, message: &str) -> bool {
    source == Source::Lint && message.ends_with(WOULD_REFORMAT)
}

/// The findings of a formatter that names files in sentences.
pub fn in_sentences(tool: &str, output: &str, look: &Look<'_>) -> Vec<Finding> {
    let changed = UNFORMATTED.captures_iter(output).map(|found| unformatted(tool, look.name(&found["file"])));
    changed.chain(unreadable(tool, output, look)).collect()
}

/// The findings of a formatter that lists files on its standard output, one a line.
pub fn in_a_list(tool: &str, stdout: &str, stderr: &str, look: &Look<'_>) -> Vec<Finding> {
    let lines = stdout.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('['));
    let changed = lines.map(|line| unformatted(tool, look.name(line)));
    changed.chain(unreadable(tool, stderr, look)).collect()
}

fn unreadable<'o>(tool: &'o str, output: &'o str, look: &'o Look<'_>) -> impl Iterator<Item = Finding> + 'o {
    UNREADABLE.captures_iter(output).map(move |found| {
        let place = PLACE.captures(&found["said"]);
        let number = |group| place.as_ref().and_then(|place| place.get(group)?.as_str().parse::<u32>().ok());
        let location = number(1).map(|line| Location { line: line.max(1), column: number(2).map(|at| at.max(1)) });
        let message = format!("{tool} cannot read this file: {}", &found["said"]);
        finding(Category::Syntax, look.name(&found["file"]), location, message)
    })
}

fn finding(category: Category, file: String, location: Option<Location>, message: String) -> Finding {
    Finding { source: Source::Lint, category, file: Some(file), location, message, stack: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::Sources;

    fn seen(found: &[Finding]) -> Vec<(Category, &str, Option<u32>)> {
        let of = |one: &Finding| one.location.map(|at| at.line);
        found.iter().map(|one| (one.category, one.file.as_deref().unwrap_or_default(), of(one))).collect()
    }

    #[test]
    fn what_formatters_print_names_files() {
        let sources = Sources::new(Vec::new());
        let prefixes = ["/w".to_owned()];
        let look = Look { prefixes: &prefixes, directory: "", sources: &sources };
        let (format, syntax) = (Category::Linting, Category::Syntax);
        let black = "error: cannot format /w/b.py: Cannot parse for target version Python 3.12: 5:22: def f(\n\
                     error: cannot parse: /w/c.py:1:5\n    x = (\n        ^\nwould reformat /w/shop/a b.py\n\n\
                     Oh no! 💥 💔 💥\n1 file would be reformatted, 2 files would fail to reformat.\n";
        let found = in_sentences("black", black, &look);
        assert_eq!(
            seen(&found),
            [(format, "shop/a b.py", None), (syntax, "b.py", Some(5)), (syntax, "c.py", Some(1))],
            "{found:?}"
        );
        assert!(
            is_about_format(found[0].source, &found[0].message) && !is_about_format(found[1].source, &found[1].message)
        );
        let ruff = "Would reformat: shop/a.py\n1 file would be reformatted, 1 file already formatted\n\
                    error: Failed to parse shop/b.py:2:1: unexpected EOF while parsing\n";
        assert_eq!(
            seen(&in_sentences("ruff", ruff, &look)),
            [(format, "shop/a.py", None), (syntax, "shop/b.py", Some(2))]
        );
        let isort = "ERROR: /w/shop/a.py Imports are incorrectly sorted and/or formatted.\n";
        assert_eq!(seen(&in_sentences("isort", isort, &look)), [(format, "shop/a.py", None)]);
        let prettier = in_a_list(
            "prettier",
            "README.md\nsrc/a.js\n",
            "[error] src/b.js: SyntaxError: Unexpected token (3:9)\n",
            &look,
        );
        assert_eq!(
            seen(&prettier),
            [(format, "README.md", None), (format, "src/a.js", None), (syntax, "src/b.js", Some(3))]
        );
        assert_eq!(in_sentences("black", "All done!\n2 files would be left unchanged.\n", &look), []);
    }

    #[test]
    fn names_are_relative_to_the_folder_that_the_tool_ran_in() {
        let mut sources = Sources::new(Vec::new());
        sources.insert("packages/a/src/x.js", "", false);
        let look = Look { prefixes: &[], directory: "packages/a", sources: &sources };
        assert_eq!(seen(&in_a_list("prettier", "src/x.js\n", "", &look))[0].1, "packages/a/src/x.js");
    }
}
