//! Findings in any text, such as the log of a CI job: the compiler's errors as a terminal shows them, and panics.

use std::sync::LazyLock;

use autoheal_engine::diagnostics::{Category, Finding, Location, Source};
use regex::Regex;

use super::{compiler, panics};
use crate::report::{Look, cut_middle};

const MAX_STACK: usize = 8 * 1024;

static ERROR: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let place = r"(?P<file>[^\n]+?):(?P<line>\d+):(?P<column>\d+)";
    Regex::new(&format!(r"(?m)^error(?:\[(?P<code>E\d+)\])?: (?P<message>[^\n]+)\n *--> {place}$")).ok()
});

/// Parts of a lint that is an error: the compiler names the level, or clippy its page.
const OF_LINTS: [&str; 3] = ["#[deny(", "`-D ", "rust-lang.github.io/rust-clippy"];

/// One finding for each error of the compiler and each panic in a file of the repository.
pub(super) fn findings(text: &str, look: &Look<'_>) -> Vec<Finding> {
    // cargo-nextest indents what a test prints.
    let lines: Vec<&str> = text.lines().map(|line| line.strip_prefix("    ").unwrap_or(line)).collect();
    let text = lines.join("\n");
    let errors = ERROR.iter().flat_map(|pattern| pattern.captures_iter(&text)).filter_map(|captures| {
        let (start, file) = (captures.get(0)?.start(), compiler::file(look, &captures["file"])?);
        let block = text[start..].split("\n\n").next().unwrap_or_default();
        let code = captures.name("code").map(|code| code.as_str());
        let category = if code.is_none() && OF_LINTS.iter().any(|part| block.contains(part)) {
            Category::Linting
        } else {
            compiler::category(true, code, Some(&file), look)
        };
        let message =
            code.map_or_else(|| captures["message"].to_owned(), |code| format!("{code}: {}", &captures["message"]));
        let (line, column) = (captures["line"].parse().ok()?, captures["column"].parse().ok());
        Some(Finding {
            source: Source::Build,
            category,
            file: Some(file),
            location: Some(Location { line, column }),
            message,
            stack: Some(cut_middle(block, MAX_STACK)),
        })
    });
    let panics = panics::all(&text).into_iter().filter_map(|panic| {
        let (file, location) = panic.place(look)?;
        let stack = format!("{}\n{}", panic.head, panic.message);
        Some(Finding {
            source: Source::Test,
            category: Category::Logic,
            file: Some(file),
            location: Some(location),
            message: panic.message.to_owned(),
            stack: Some(cut_middle(&stack, MAX_STACK)),
        })
    });
    errors.chain(panics).collect()
}
