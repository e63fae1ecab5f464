//! Plain English: phrases to avoid in documents, comments and messages, and the width of prose.
//!
//! A document must not contain any of the phrases. Each crate has an allowance, which may only get smaller: a higher
//! number of phrases fails, and a lower one fails until the number in [`ALLOWED`] is lowered.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use regex::{Regex, RegexSet};

use super::prose_lines::{self, ProseLine};
use super::{Complaint, SourceFile};

/// The widest line of prose in a document, in characters.
const WIDEST: usize = 110;

/// Documents at the root and folders of documents that follow the rule.
const DOCUMENTS: &[&str] =
    &["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "docs/", "dashboard/README.md"];

/// The rule itself has to name the phrases.
const THIS_FILE: &str = "xtask/src/tidy/dialect.rs";

/// Patterns of phrases, and what to write instead.
const PHRASES: &[(&str, &str)] = &[
    (r"(?i)\bso many\b", "`at most N`, `that many`"),
    (r"(?i)\b(?:some|no|any|every)body\b|\bwhoever\b", "the actor: `the caller`, `the client`, `the user`"),
    (r"(?i)\ba person\b", "`the user`, `a reviewer`"),
    (r"(?i)\b(?:is|are|was|were) no\b", "`is not a`, `there is no`"),
    (r"(?i)\b(?:has|have|had|is|are) none\b", "`has no ...`, `is not one of ...`"),
    (r"(?i)\bany more(?:[.,;:)]|$)", "`no longer`"),
    (r"(?i)\bbeside\b", "`next to`, `in addition to`"),
    (r"(?i)\b(?:stands?|stood)\b", "`is`, `represents`"),
    (r"(?i)\b(?:go|goes|went|gone|going) on\b", "`continue`, `resume`"),
    (r"(?i)\bin force\b", "`active`"),
    (r"(?i)\bmakes? no sense\b", "`is invalid`"),
    (r"(?i)\b(?:is|are|was|were|be|been) (?:asked|told|said)\b", "the actor and a verb: `request`, `report`, `return`"),
    (r"(?i)\bof (?:its|their|your|one's) own(?:[.,;:)]|$)", "`its own ...`"),
    (r"(?i)\bbut for\b", "`except`"),
    (r"(?i)\b(?:seldom|oftener)\b", "`rarely`, `more often`"),
    (r"(?i)\bmend(?:s|ed|ing)?\b", "`fix`, `repair`"),
    (r"(?i)\b(?:is|are|was|were|be|stays?) red\b", "`fails`"),
    (r"(?i)\b(?:a|the|each|every|two) looks?\b", "`a check`, `a run`"),
    (r"(?:^|[.!?:] )(?:What|Whoever|Whatever) [a-z]", "a subject and a verb instead of a clause"),
];

/// Ordinary English that contains one of the phrases.
const FINE: &str = r"(?i)\bthere (?:is|are|was|were) no\b|\b(?:is|are|was|were) no (?:longer|more|less|fewer)\b";

/// Numbers of phrases that are left, by crate or document: each may only get smaller.
const ALLOWED: &[(&str, usize)] = &[
    ("crates/cli", 6),
    ("crates/code", 136),
    ("crates/extract", 5),
    ("crates/fetch", 6),
    ("crates/llm", 5),
    ("crates/navigate", 4),
    ("crates/page", 78),
    ("crates/process", 1),
    ("crates/repo", 229),
    ("crates/sandbox", 4),
    ("crates/testkit", 9),
];

static ANY: LazyLock<RegexSet> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "literals, which the tests use")]
    RegexSet::new(PHRASES.iter().map(|(pattern, _)| pattern)).expect("valid patterns")
});

static EACH: LazyLock<Vec<Regex>> = LazyLock::new(|| PHRASES.iter().map(|(pattern, _)| regex(pattern)).collect());

static ORDINARY: LazyLock<Regex> = LazyLock::new(|| regex(FINE));

static CODE: LazyLock<Regex> = LazyLock::new(|| regex(r"`[^`]*`"));

static LINK_TARGET: LazyLock<Regex> = LazyLock::new(|| regex(r"\]\([^)]*\)"));

#[expect(clippy::expect_used, reason = "the patterns are literals, and the tests use each")]
fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a valid pattern")
}

/// A phrase in a file.
struct Finding<'f> {
    file: &'f SourceFile,
    line: usize,
    phrase: String,
    instead: &'static str,
}

impl Finding<'_> {
    fn complaint(&self) -> Complaint {
        Complaint::new(&self.file.path, self.line, format!("`{}`: write {}", self.phrase, self.instead))
    }
}

pub(super) fn check(files: &[SourceFile]) -> Vec<Complaint> {
    let wide = files.iter().filter(|file| is_document(file)).flat_map(wide_lines);
    wide.chain(compare(&by_place(files), ALLOWED)).collect()
}

/// Returns every phrase with its replacement, a line each.
pub(super) fn list(files: &[SourceFile]) -> String {
    let mut list = String::new();
    for finding in by_place(files).values().flatten() {
        // Writing to a string cannot fail.
        let _ = writeln!(list, "{}", finding.complaint());
    }
    list
}

fn compare(found: &BTreeMap<String, Vec<Finding<'_>>>, allowed: &[(&str, usize)]) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (place, findings) in found {
        let limit = allowed.iter().find(|(name, _)| name == place).map_or(0, |(_, limit)| *limit);
        if limit == 0 {
            complaints.extend(findings.iter().map(Finding::complaint));
        } else if findings.len() > limit {
            let count = findings.len();
            let message = format!(
                "{place} has {count} phrases that are not plain English, and {limit} are allowed: \
                 `cargo xtask tidy --phrases` lists them, with replacements"
            );
            complaints.push(Complaint::new(place, 1, message));
        }
    }
    for (place, limit) in allowed {
        let count = found.get(*place).map_or(0, Vec::len);
        if count < *limit {
            let message = format!("{place} has {count} such phrases left: lower its number from {limit} to {count}");
            complaints.push(Complaint::new(THIS_FILE, 1, message));
        }
    }
    complaints
}

fn by_place(files: &[SourceFile]) -> BTreeMap<String, Vec<Finding<'_>>> {
    let mut found: BTreeMap<String, Vec<Finding<'_>>> = BTreeMap::new();
    for file in files {
        let Some((place, lines)) = prose_of(file) else { continue };
        let findings = found.entry(place).or_default();
        for ProseLine { line, text, is_heading } in lines {
            // A heading may be a clause.
            let text = if is_heading { format!("# {text}") } else { text };
            findings.extend(phrases(&text).into_iter().map(|(phrase, instead)| Finding {
                file,
                line,
                phrase,
                instead,
            }));
        }
    }
    found
}

/// Returns the place of a file and the lines of prose in it.
fn prose_of(file: &SourceFile) -> Option<(String, Vec<ProseLine>)> {
    if is_document(file) {
        return Some((file.path.clone(), prose_lines::of_markdown(&file.text)));
    }
    let (home, path) = file.path.split_once("/src/")?;
    let is_program = file.has_extension(&["rs"]) && !file.is_test() && !path.contains("/tests/");
    (is_program && file.path != THIS_FILE).then(|| (home.to_owned(), prose_lines::of_rust(&file.text)))
}

fn is_document(file: &SourceFile) -> bool {
    file.has_extension(&["md"]) && file.is_below(DOCUMENTS)
}

/// Returns the phrases in a line, each with its replacement.
fn phrases(text: &str) -> Vec<(String, &'static str)> {
    if !ANY.is_match(text) {
        return Vec::new();
    }
    let text = CODE.replace_all(text, "`code`");
    let text = ORDINARY.replace_all(&text, "");
    let found = EACH.iter().zip(PHRASES).flat_map(|(pattern, (_, instead))| {
        pattern.find_iter(&text).map(|phrase| (phrase.as_str().trim().to_owned(), *instead))
    });
    found.collect()
}

/// Complains of lines of prose that are too wide. Rows of tables, code and the targets of links do not count.
fn wide_lines(file: &SourceFile) -> Vec<Complaint> {
    let raw: Vec<&str> = file.text.lines().collect();
    let lines = prose_lines::of_markdown(&file.text).into_iter().filter_map(|prose| {
        let line = raw.get(prose.line.checked_sub(1)?)?;
        let width = LINK_TARGET.replace_all(line, "]").chars().count();
        let is_wide = width > WIDEST && !line.trim_start().starts_with('|');
        is_wide.then(|| {
            let message = format!("{width} columns: lines of prose have at most {WIDEST}");
            Complaint::new(&file.path, prose.line, message)
        })
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    fn said(files: &[SourceFile], allowed: &[(&str, usize)]) -> Vec<String> {
        compare(&by_place(files), allowed).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_pattern_is_valid_and_finds_its_phrase() {
        for text in [
            "So many of them are read.",
            "Nobody waits for it.",
            "It waits for a person.",
            "This is no error.",
            "The page has none.",
            "It is not read any more.",
            "The file beside it",
            "The row stands there.",
            "The run goes on.",
            "the recipe in force",
            "This makes no sense.",
            "The server is asked for it.",
            "It has a folder of its own.",
            "all but for the last",
            "It is seldom used.",
            "A rule mends it.",
            "The suite is red.",
            "between two looks, in each look",
            "It ends. What is left is removed.",
        ] {
            assert!(!phrases(text).is_empty(), "{text}");
        }
        assert_eq!(EACH.len(), PHRASES.len());
    }

    #[test]
    fn ordinary_english_is_fine() {
        for text in [
            "There is no plugin system, and it is no longer needed.",
            "A module understands its own settings, outstanding ones included.",
            "`nobody` owns the file.",
        ] {
            assert_eq!(phrases(text), [], "{text}");
        }
    }

    #[test]
    fn documents_have_none() {
        let page =
            file("docs/a.md", "# What happens\n\nIt goes on.\n\n```\nnobody\n```\n\n    nobody\n\n`nobody` is fine.\n");
        assert_eq!(said(&[page], &[]), ["docs/a.md:3: `goes on`: write `continue`, `resume`"]);
        assert_eq!(said(&[file("notes/a.md", "It goes on.\n")], &[]), [""; 0]);
    }

    #[test]
    fn a_crate_has_as_many_as_it_is_allowed() {
        let text = "/// Nobody.\nfn f() { g(\"it goes on\"); }\n\n#[cfg(test)]\nmod tests {\n    // Nobody.\n}\n";
        let files = [file("crates/a/src/lib.rs", text), file("crates/a/tests/it/main.rs", "// Nobody.\n")];
        assert_eq!(said(&files, &[("crates/a", 2)]), [""; 0]);
        assert_eq!(said(&files, &[("crates/a", 1)]).len(), 1);
        let lower = said(&files, &[("crates/a", 3)]);
        assert_eq!(lower.len(), 1);
        assert!(lower.iter().all(|complaint| complaint.contains("from 3 to 2")), "{lower:?}");
        assert_eq!(said(&files, &[]).len(), 2);
    }

    #[test]
    fn prose_is_not_wide() {
        let wide = |text: &str| wide_lines(&file("docs/a.md", text)).len();
        let long = "word ".repeat(23);
        assert_eq!(wide(&format!("{long}\n")), 1);
        assert_eq!(wide(&format!("| {long} |\n\n```\n{long}\n```\n\n    {long}\n")), 0);
        assert_eq!(wide(&format!("[a](https://example.com/{})\n", "x".repeat(WIDEST))), 0);
    }
}
