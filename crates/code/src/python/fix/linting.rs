//! A linter's own fixes as candidates: ruff reports a fix with a violation, safe or unsafe; where it reports
//! none, one of our rules may provide one. The tests decide whether it is right, as for every candidate.

use autoheal_engine::diagnostics::{Category, Finding};
use serde::Deserialize;

use super::{lint_rules, told_rules};
use crate::python::index::Index;

use crate::edit::{Candidate, Edit, FileEdit};
use crate::python::module::{Role, Word};
use crate::repair::spelling::slip;
use crate::report::relative;
use crate::sources::Sources;

/// One violation in the output of `ruff check --output-format json`, reduced to the fields that are used here.
#[derive(Deserialize)]
struct Violation {
    code: Option<String>,
    filename: Option<String>,
    location: Option<Position>,
    fix: Option<Fix>,
}

#[derive(Deserialize)]
struct Fix {
    applicability: String,
    message: Option<String>,
    edits: Vec<Replacement>,
}

#[derive(Deserialize)]
struct Replacement {
    content: String,
    location: Position,
    end_location: Position,
}

/// Line and column from 1, in characters.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
struct Position {
    row: usize,
    column: usize,
}

const SAFE_COST: u32 = 100;
const UNSAFE_COST: u32 = 300;

/// Returns the candidates that the linter, or else a rule of ours, proposes for `finding`, from ruff's JSON output. `prefixes`: as
/// in [`crate::report::ruff::findings`].
pub fn candidates(output: &str, prefixes: &[String], sources: &Sources, finding: &Finding) -> Vec<Candidate> {
    let violations: Vec<Violation> = serde_json::from_str(output).unwrap_or_default();
    violations.iter().filter_map(|violation| of_violation(violation, prefixes, sources, finding)).flatten().collect()
}

/// Returns the candidate for a finding of a linter that proposes no fixes (flake8, pylint), from its words.
pub fn of_words(sources: &Sources, finding: &Finding) -> Option<Candidate> {
    let (file, location) = (finding.file.as_deref().filter(|file| sources.is_editable(file))?, finding.location?);
    if is_meant(sources, file, &finding.message) {
        return None;
    }
    let text = sources.text(file)?;
    let (row, column) = (usize::try_from(location.line).ok()?, usize::try_from(location.column.unwrap_or(1)).ok()?);
    let at = offset(text, Position { row, column: column.max(1) })?;
    let repair = told_rules::repair(file, text, at.min(text.len()), &finding.message)?;
    Some(Candidate {
        fixer: "lint_rules".to_owned(),
        category: Category::Linting,
        line: location.line,
        description: repair.description.to_owned(),
        cost: SAFE_COST,
        files: vec![FileEdit { file: file.to_owned(), edits: repair.edits }],
    })
}

fn of_violation(
    violation: &Violation,
    prefixes: &[String],
    sources: &Sources,
    finding: &Finding,
) -> Option<Vec<Candidate>> {
    let file = relative(violation.filename.as_deref()?, prefixes)?;
    let position = violation.location?;
    let code = violation.code.as_deref()?;
    let line = u32::try_from(position.row).ok()?;
    let same_place = finding.file.as_deref() == Some(file) && finding.location.is_some_and(|place| place.line == line);
    // Flake8 and ruff share their codes, so ruff's fix serves a finding of either.
    if !same_place || finding.message.split_whitespace().next() != Some(code) || !sources.is_editable(file) {
        return None;
    }
    let text = sources.text(file)?;
    let candidate = |fixer: &str, description: String, cost: u32, edits: Vec<Edit>| Candidate {
        fixer: fixer.to_owned(),
        category: Category::Linting,
        line,
        description,
        cost,
        files: vec![FileEdit { file: file.to_owned(), edits }],
    };
    if code == "F401" && is_meant(sources, file, &finding.message) {
        return None;
    }
    if let Some(fix) = &violation.fix {
        let mut edits: Vec<Edit> = fix.edits.iter().map(|edit| replacement(text, edit)).collect::<Option<_>>()?;
        edits.sort();
        let description = lowercase_first(&fix.message.clone().unwrap_or_else(|| format!("fix {code}")));
        let cost = if fix.applicability == "safe" { SAFE_COST } else { UNSAFE_COST };
        return Some(vec![candidate("ruff", description, cost, edits)]);
    }
    let repairs = lint_rules::repairs(code, file, text, offset(text, position)?).into_iter().enumerate();
    Some(
        repairs
            .map(|(index, repair)| {
                let cost = UNSAFE_COST.saturating_add(u32::try_from(index).unwrap_or(u32::MAX));
                candidate("lint_rules", repair.description.to_owned(), cost, repair.edits)
            })
            .collect(),
    )
}

/// Returns whether an unused import is spelled almost like a name that nothing binds: that name was then meant to be the import.
fn is_meant(sources: &Sources, file: &str, message: &str) -> bool {
    let imported = message.split(['`', '\'']).nth(1).unwrap_or_default();
    let local = imported.rsplit(" as ").next().unwrap_or(imported);
    let local = if imported.contains(" as ") { local } else { local.split('.').next_back().unwrap_or(local) };
    let Some(module) = Index::of(sources).module(file) else { return false };
    let is_unbound = |word: &&Word| word.role == Role::Load && module.binding_scope(&word.text, word.scope).is_none();
    module.words.iter().filter(is_unbound).any(|word| !is_built_in(&word.text) && slip(&word.text, local).is_some())
}

/// Names that every module has, and that resemble those of modules.
fn is_built_in(name: &str) -> bool {
    const NAMES: &str = "abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex copyright \
        credits delattr dict dir divmod enumerate eval exec exit filter float format frozenset getattr globals hasattr hash help hex id \
        input int isinstance issubclass iter len license list locals map max memoryview min next object oct open ord pow print property \
        quit range repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip";
    NAMES.split_whitespace().any(|known| known == name)
        || name.starts_with("__")
        || name.starts_with(char::is_uppercase)
}

fn replacement(text: &str, edit: &Replacement) -> Option<Edit> {
    Some(Edit::replace(offset(text, edit.location)?..offset(text, edit.end_location)?, edit.content.clone()))
}

/// The byte at a position; the end of the text for the position right after its last line.
fn offset(text: &str, position: Position) -> Option<usize> {
    let row = position.row.checked_sub(1)?;
    let mut start = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        if index == row {
            let within = line.char_indices().nth(position.column.checked_sub(1)?).map_or(line.len(), |(at, _)| at);
            return Some(start + within);
        }
        start += line.len();
    }
    Some(start)
}

/// `Remove unused import` reads `remove unused import` after a colon.
fn lowercase_first(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map(|first| first.to_lowercase().chain(characters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use autoheal_engine::diagnostics::{Location, Source};

    use super::*;
    use crate::fix_example::{check_lint_fix, ruff};

    const OUTPUT: &str = r#"[{"code": "F401", "filename": "/w/a.py", "location": {"row": 2, "column": 8},
        "message": "`os` imported but unused", "fix": {"applicability": "safe", "message": "Remove unused import: `os`",
        "edits": [{"content": "", "location": {"row": 2, "column": 1}, "end_location": {"row": 3, "column": 1}}]}}]"#;

    fn finding(line: u32) -> Finding {
        Finding {
            source: Source::Lint,
            category: Category::Linting,
            file: Some("a.py".to_owned()),
            location: Some(Location { line, column: Some(8) }),
            message: "F401 `os` imported but unused".to_owned(),
            stack: None,
        }
    }

    fn sources(protected: bool) -> Sources {
        let mut sources = Sources::new(vec![String::new()]);
        sources.insert("a.py", "é = 1\nimport os\nprint(é)\n", protected);
        sources
    }

    #[test]
    fn applies_fix_of_ruff() {
        check_lint_fix(
            ruff(
                r#"[{"code": "F401", "filename": "/repo/a.py", "location": {"row": 1, "column": 8},
  "message": "`os` imported but unused", "fix": {"applicability": "safe", "message": "Remove unused import: `os`",
  "edits": [{"content": "", "location": {"row": 1, "column": 1}, "end_location": {"row": 2, "column": 1}}]}}]"#,
            ),
            r"
-import os
 import sys

 print(sys.path)
",
        );
    }

    #[test]
    fn the_linters_own_fix_becomes_a_candidate() {
        let found = candidates(OUTPUT, &["/w".to_owned()], &sources(false), &finding(2));
        let [candidate] = found.as_slice() else { panic!("one candidate: {found:?}") };
        assert_eq!(candidate.description, "remove unused import: `os`");
        assert_eq!(candidate.files[0].apply("é = 1\nimport os\nprint(é)\n").unwrap(), "é = 1\nprint(é)\n");
    }

    #[test]
    fn an_import_that_a_misspelt_name_means_is_not_unused() {
        let prefixes = ["/w".to_owned()];
        for (used, is_removed) in [("oss.getcwd()", false), ("print(set())", true), ("dict()", true)] {
            let mut sources = Sources::new(vec![String::new()]);
            sources.insert("a.py", format!("x = 1\nimport os\n{used}\n"), false);
            assert_eq!(candidates(OUTPUT, &prefixes, &sources, &finding(2)).is_empty(), !is_removed, "{used}");
        }
    }

    #[test]
    fn another_line_or_a_protected_file_gets_none() {
        assert_eq!(candidates(OUTPUT, &["/w".to_owned()], &sources(false), &finding(1)), []);
        assert_eq!(candidates(OUTPUT, &["/w".to_owned()], &sources(true), &finding(2)), []);
        assert_eq!(candidates("not json", &[], &sources(false), &finding(2)), []);
    }
}
