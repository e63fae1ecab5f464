//! The output of biome's `github` reporter as findings: `::error title=lint/a/b,file=/w/a.js,line=1,endLine=1,col=2,endColumn=3::said`.

use std::sync::LazyLock;

use autoheal_engine::diagnostics::{Category, Finding, Location, Source};
use regex::Regex;

use super::Look;
use super::formatters;

#[expect(clippy::expect_used, reason = "the pattern is a constant, compiled by a test")]
static LINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^::error title=(?<rule>[^,\n]+),file=(?<file>[^,\n]+),line=(?<line>\d+),[^\n]*?col=(?<column>\d+)[^\n]*?::(?<said>.*)$")
        .expect("a constant pattern")
});

/// The errors; warnings are not red.
pub fn findings(output: &str, look: &Look<'_>) -> Vec<Finding> {
    LINE.captures_iter(output)
        .map(|found| {
            let file = look.name(&found["file"]);
            let number = |name: &str| found[name].parse::<u32>().ok().filter(|number| *number > 0);
            let category = match &found["rule"] {
                "format" => return formatters::unformatted("biome", file),
                "parse" => Category::Syntax,
                _ => Category::Linting,
            };
            Finding {
                source: Source::Lint,
                category,
                file: Some(file),
                location: number("line").map(|line| Location { line, column: number("column") }),
                message: format!("{}: {}", &found["rule"], found["said"].trim()),
                stack: None,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::Sources;

    #[test]
    fn errors_are_read_and_warnings_are_not() {
        let sources = Sources::new(Vec::new());
        let look = Look { prefixes: &["/w".to_owned()], directory: "", sources: &sources };
        let output = "::warning title=lint/style/useConst,file=/w/src/bad.js,line=1,endLine=1,col=1,endColumn=4::Only once.\n\
            ::error title=parse,file=/w/src/bad.js,line=1,endLine=1,col=9,endColumn=10::Expected an expression.\n\n\
            ::error title=format,file=/w/src/tax.js,line=1,endLine=1,col=2,endColumn=2::Formatter would have printed:\n\
            ::error title=lint/suspicious/noDebugger,file=/w/src/a.js,line=3,endLine=3,col=1,endColumn=9::This is unexpected.\n";
        let found = findings(output, &look);
        let seen: Vec<_> = found.iter().map(|one| (one.category, one.file.as_deref().unwrap_or_default())).collect();
        assert_eq!(
            seen,
            [(Category::Syntax, "src/bad.js"), (Category::Linting, "src/tax.js"), (Category::Linting, "src/a.js")]
        );
        assert!(formatters::is_about_format(found[1].source, &found[1].message));
        assert!(!formatters::is_about_format(found[2].source, &found[2].message));
    }
}
