//! Rules about lines of Rust.

use std::sync::LazyLock;

use regex::Regex;

use super::{Complaint, SourceFile};

/// Code that may start processes, and so may lift clippy's ban (ARCHITECTURE.md, invariant 3).
const STARTS_PROCESSES: &[&str] =
    &["crates/sandbox/", "crates/process/", "crates/fetch/src/render", "crates/testkit/", "xtask/src/process.rs"];

/// Code that reads folders that commands of repositories write to. Its `clippy.toml` forbids functions that follow links; an
/// exception states that the folders are the host's own.
const LOOKS_INTO_FOLDERS: &[&str] = &["crates/repo/src/"];

/// Text that the reason of such an exception contains.
const OWN: &str = "the host's own";

/// Code that may contain SQL.
const SPEAKS_SQL: &[&str] = &["crates/store/", "crates/testkit/", "xtask/src/tidy/"];

/// Code without I/O that reads no clock.
const PURE: &[&str] = &["crates/engine/src/", "crates/page/src/", "crates/code/src/"];

static SQL: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"\b(SELECT\b.+\bFROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM|CREATE (TABLE|INDEX|UNIQUE))\b")
});
static EFFECT: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"\b(std::(fs|net|process|env|thread)\b|tokio::|SystemTime::now|Instant::now|Timestamp::now)")
});
static BARE_ALLOW: LazyLock<Regex> = LazyLock::new(|| regex(r"^#!?\[(allow\(|cfg_attr\([^\]]*\ballow\()"));
static EXPECT: LazyLock<Regex> = LazyLock::new(|| regex(r"^#!?\[expect\("));

#[expect(clippy::expect_used, reason = "the patterns are literals, and the tests use each")]
fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a valid pattern")
}

pub(super) fn check(file: &SourceFile) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    if !file.has_extension(&["rs"]) {
        return complaints;
    }
    let mut complain = |line: usize, message: &str| complaints.push(Complaint::new(&file.path, line, message));
    let mut in_unit_tests = false;
    for (number, line) in file.lines() {
        let code = line.trim_start();
        in_unit_tests |= code.starts_with("#[cfg(test)]");
        if code.starts_with("//") {
            continue;
        }
        if BARE_ALLOW.is_match(code) {
            complain(number, "`allow` hides what it no longer needs to hide: use `#[expect(..., reason = \"...\")]`");
        }
        if let Some(found) = EXPECT.find(code) {
            let attribute = attribute_from(file, number, found.start());
            if !attribute.contains("reason") {
                complain(number, "an exception needs its `reason = \"...\"`");
            }
            let is_own =
                file.is_below(LOOKS_INTO_FOLDERS) && attribute.contains(OWN) && !file.text.contains("process::Command");
            if attribute.contains("disallowed_methods")
                && !file.is_below(STARTS_PROCESSES)
                && !is_own
                && !file.is_test()
                && !in_unit_tests
            {
                let message = if file.is_below(LOOKS_INTO_FOLDERS) {
                    "only `the host's own` folders are looked into by their paths: open others with `autoheal_sandbox::untrusted` (ARCHITECTURE.md, `crates/repo`)"
                } else {
                    "processes are started by `sandbox` and `process` only: ask them to (invariant 3)"
                };
                complain(number, message);
            }
        }
        if !file.is_below(SPEAKS_SQL) && SQL.is_match(code) {
            complain(number, "SQL is written in `store` only: give the store a function for it (invariant 3)");
        }
        if file.is_below(PURE) && !in_unit_tests && EFFECT.is_match(code) {
            complain(
                number,
                "this crate does no I/O and reads no clock: take what it needs as a parameter (invariant 2)",
            );
        }
    }
    complaints
}

/// The attribute that begins on line `number`, up to its closing bracket.
fn attribute_from(file: &SourceFile, number: usize, column: usize) -> String {
    let rest: Vec<&str> = file.text.lines().skip(number - 1).collect();
    let indent = rest.first().map_or(0, |line| line.len() - line.trim_start().len());
    let text = rest.join("\n");
    let text = text.get(indent + column..).unwrap_or_default();
    let end = text.find(")]").unwrap_or(text.len());
    text[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    fn lines_with_complaints(path: &str, text: &str) -> Vec<usize> {
        check(&file(path, text)).into_iter().map(|complaint| complaint.line).collect()
    }

    #[test]
    fn sql_stays_in_the_store() {
        let text = "let a = 1;\nlet b = \"SELECT x FROM task_queue\";\n// SELECT x FROM y\n";
        assert_eq!(lines_with_complaints("crates/repo/src/a.rs", text), [2]);
        assert!(lines_with_complaints("crates/store/src/a.rs", text).is_empty());
        for text in ["\"INSERT INTO t\"", "\"UPDATE t SET x\"", "\"DELETE FROM t\"", "\"CREATE TABLE t\""] {
            assert_eq!(lines_with_complaints("crates/repo/src/a.rs", text), [1], "{text}");
        }
    }

    #[test]
    fn exceptions_have_reasons() {
        assert_eq!(lines_with_complaints("crates/repo/src/a.rs", "#[allow(dead_code)]\n"), [1]);
        assert_eq!(lines_with_complaints("crates/repo/src/a.rs", "#[cfg_attr(test, allow(dead_code))]\n"), [1]);
        assert_eq!(lines_with_complaints("crates/repo/src/a.rs", "#[expect(dead_code)]\n"), [1]);
        let with_reason = "    #[expect(\n        dead_code,\n        reason = \"of use to the next\"\n    )]\n";
        assert!(lines_with_complaints("crates/repo/src/a.rs", with_reason).is_empty());
    }

    #[test]
    fn few_may_start_processes() {
        let text = "#[expect(clippy::disallowed_methods, reason = \"r\")]\n";
        assert_eq!(lines_with_complaints("crates/repo/src/a.rs", text), [1]);
        assert!(lines_with_complaints("crates/process/src/a.rs", text).is_empty());
        assert!(lines_with_complaints("crates/repo/tests/it/main.rs", text).is_empty());
    }

    #[test]
    fn folders_that_commands_write_to_are_looked_into_without_links() {
        let own = "#[expect(clippy::disallowed_methods, reason = \"the host's own folder\")]\n";
        assert!(lines_with_complaints("crates/repo/src/a.rs", own).is_empty());
        assert_eq!(lines_with_complaints("crates/server/src/a.rs", own), [1]);
        let starts = format!("{own}std::process::Command::new(\"x\");\n");
        assert_eq!(lines_with_complaints("crates/repo/src/a.rs", &starts), [1]);
    }

    #[test]
    fn pure_crates_read_no_clock() {
        let text = "let now = SystemTime::now();\n#[cfg(test)]\nlet now = SystemTime::now();\n";
        assert_eq!(lines_with_complaints("crates/engine/src/a.rs", text), [1]);
        assert!(lines_with_complaints("crates/store/src/a.rs", text).is_empty());
    }
}
