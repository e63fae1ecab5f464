//! Output of the TypeScript compiler, alone or inside a runner: `src/a.ts(3,5): error TS2322: ...`, and the
//! pretty form `src/a.ts:3:5 - error TS2322: ...`.

use std::sync::LazyLock;

use autoheal_engine::diagnostics::{Finding, Location, Source};
use regex::Regex;

use super::{kind, stack};
use crate::report::{Look, cut_middle};

const MAX_MESSAGE: usize = 2 * 1024;
const MAX_FINDINGS: usize = 1000;

#[expect(clippy::expect_used, reason = "a constant pattern, compiled by a test")]
static DIAGNOSTIC: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^\s*(?:ERROR in )?(?:([^\s(:][^(:\n]*?)(?:\(([0-9]+),([0-9]+)\)|:([0-9]+):([0-9]+)))?(?:: | - )?error (?:TS)([0-9]+): (.*)$")
        .expect("a constant pattern")
});

/// The compiler's errors. Each says `TS2322: ...`; a file that is not the repository's is left out of the finding.
pub fn findings(output: &str, look: &Look<'_>) -> Vec<Finding> {
    let text = stack::without_ansi(output);
    DIAGNOSTIC
        .captures_iter(&text)
        .take(MAX_FINDINGS)
        .map(|captures| {
            let number = |group: usize| captures.get(group).and_then(|text| text.as_str().parse::<u32>().ok());
            let code = number(6).unwrap_or_default();
            let file = captures.get(1).and_then(|file| look.file(file.as_str()));
            let line = number(2).or_else(|| number(4));
            Finding {
                source: Source::Build,
                category: kind::of_typescript(code),
                location: file.as_ref().and(line).map(|line| Location {
                    line: line.max(1),
                    column: number(3).or_else(|| number(5)).filter(|column| *column > 0),
                }),
                file,
                message: cut_middle(&format!("TS{code}: {}", captures[7].trim()), MAX_MESSAGE),
                stack: None,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use autoheal_engine::diagnostics::Category;

    use super::*;
    use crate::sources::Sources;

    #[test]
    fn both_forms_are_read() {
        let mut sources = Sources::new(Vec::new());
        sources.insert("src/a.ts", "", false);
        let look = Look { prefixes: &["/w".to_owned()], directory: "", sources: &sources };
        let output = "src/a.ts(3,5): error TS2551: Property 'lenght' does not exist. Did you mean 'length'?\n\
             \u{1b}[96msrc/a.ts\u{1b}[0m:\u{1b}[93m7\u{1b}[0m:\u{1b}[93m2\u{1b}[0m - \u{1b}[91merror\u{1b}[0m\u{1b}[90m TS1005: \u{1b}[0m',' expected.\n\
             src/a.ts(1,1): error TS2307: Cannot find module './b'.\n\
             error TS6053: File 'x' not found.\nFound 3 errors.\n";
        let found = findings(output, &look);
        let seen: Vec<_> =
            found.iter().map(|one| (one.category, one.file.as_deref(), one.location.map(|at| at.line))).collect();
        assert_eq!(
            seen,
            [
                (Category::TypeError, Some("src/a.ts"), Some(3)),
                (Category::Syntax, Some("src/a.ts"), Some(7)),
                (Category::Import, Some("src/a.ts"), Some(1)),
                (Category::TypeError, None, None),
            ]
        );
        assert!(found[0].message.starts_with("TS2551: Property 'lenght'"));
    }
}
