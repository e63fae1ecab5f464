//! The output of a build that failed: a compiler's diagnostics, a bundler's error, or the stack of a script.

use autoheal_engine::diagnostics::{Finding, Source};

use super::{findings, tsc};
use crate::report::Look;

/// Returns the findings of a failed build; at least one, whatever the
/// output is. `words`: the command, for display.
pub fn findings_in(stdout: &str, stderr: &str, ended: &str, words: &str, look: &Look<'_>) -> Vec<Finding> {
    let diagnostics: Vec<Finding> = [stdout, stderr].iter().flat_map(|text| tsc::findings(text, look)).collect();
    if !diagnostics.is_empty() {
        return diagnostics;
    }
    let found = findings::findings_from_output(stdout, stderr, ended, look);
    found
        .into_iter()
        .map(|finding| Finding {
            source: Source::Build,
            message: finding.message.replace("the test run left no report", &format!("`{words}` failed")),
            ..finding
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use autoheal_engine::diagnostics::Category;

    use super::*;
    use crate::sources::Sources;

    #[test]
    fn bundlers_say_where() {
        let mut sources = Sources::new(Vec::new());
        sources.insert("src/a.js", "", false);
        let look = Look { prefixes: &["/w".to_owned()], directory: "", sources: &sources };
        let webpack = "ERROR in ./src/a.js 1:0-24\nModule not found: Error: Can't resolve './b' in '/w/src'\n";
        let rollup =
            "[!] RollupError: src/a.js (1:9): \"x\" is not exported by \"src/b.js\", imported by \"src/a.js\".\n";
        let esbuild = "✘ [ERROR] Could not resolve \"./b\"\n\n    src/a.js:1:7:\n      1 │ import \"./b\"\n";
        for text in [webpack, rollup, esbuild] {
            let found = findings_in("", text, "exit 1", "npm run build", &look).remove(0);
            assert_eq!((found.source, found.category), (Source::Build, Category::Import), "{text}: {found:?}");
        }
        let nothing = findings_in("", "", "exit 1", "npm run build", &look).remove(0);
        assert!(nothing.message.starts_with("`npm run build` failed (exit 1)"));
    }
}
