//! The compiler's diagnostics, as `cargo --message-format=json` writes them, as findings; and the changes that it suggests.
//!
//! A suggestion is one line of the finding's stack, behind the compiler's own text, so that it reaches the fixer with the finding and is shown to
//! people and models: `suggested change: {"message": ..., "surely": true, "parts": [["src/lib.rs", 12, 15, "name"]]}`.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use autoheal_engine::diagnostics::{Category, Finding, Location, Source};
use serde::{Deserialize, Serialize};

use super::crates::is_below;
use super::syntax;
use crate::report::{Look, cut_middle};

/// Beginning of the line of a suggestion.
const SUGGESTED: &str = "suggested change: ";

const MAX_STACK: usize = 8 * 1024;
const MAX_SUGGESTIONS: usize = 12;

/// Errors about names and files that cannot be found by their paths.
const OF_IMPORTS: [&str; 6] = ["E0432", "E0433", "E0463", "E0583", "E0603", "E0364"];

/// A change that the compiler suggests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Suggestion {
    /// Words of the compiler: `a local variable with a similar name exists`.
    pub(super) message: String,
    /// True if the compiler says that it is what was meant.
    pub(super) surely: bool,
    /// Files with the bytes that are replaced, and what replaces them.
    pub(super) parts: Vec<(String, usize, usize, String)>,
}

#[derive(Deserialize)]
struct Line {
    reason: String,
    message: Option<Diagnostic>,
}

#[derive(Deserialize)]
struct Diagnostic {
    message: String,
    code: Option<Code>,
    level: String,
    #[serde(default)]
    spans: Vec<DiagnosticSpan>,
    #[serde(default)]
    children: Vec<Self>,
    rendered: Option<String>,
}

#[derive(Deserialize)]
struct Code {
    code: String,
}

#[derive(Deserialize)]
struct DiagnosticSpan {
    file_name: String,
    byte_start: usize,
    byte_end: usize,
    line_start: u32,
    column_start: u32,
    is_primary: bool,
    label: Option<String>,
    suggested_replacement: Option<String>,
    suggestion_applicability: Option<String>,
    expansion: Option<Box<Expansion>>,
}

#[derive(Deserialize)]
struct Expansion {
    span: DiagnosticSpan,
}

/// Reads one line of a compiler's output; `None`: it is of another kind.
fn diagnostic(line: &str) -> Option<Diagnostic> {
    let line = line.trim_start().strip_prefix('{').map(|_| line)?;
    let line: Line = serde_json::from_str(line).ok()?;
    line.message.filter(|_| line.reason == "compiler-message")
}

/// The errors in the output of a build, each once.
pub fn errors(output: &str, look: &Look<'_>) -> Vec<Finding> {
    findings(output, look, Source::Build, |diagnostic| diagnostic.level == "error")
}

/// The places of the errors in the output of a build: file and byte. Errors outside of the repository are left out.
pub fn error_places(output: &str, look: &Look<'_>) -> BTreeSet<(String, usize)> {
    let errors = output.lines().filter_map(diagnostic).filter(|diagnostic| diagnostic.level == "error");
    let place = |span: &DiagnosticSpan| {
        let span = outermost(span, look)?;
        Some((file(look, &span.file_name)?, span.byte_start))
    };
    let places =
        |error: Diagnostic| -> Vec<_> { error.spans.iter().filter(|span| span.is_primary).filter_map(place).collect() };
    errors.flat_map(places).collect()
}

/// The findings in clippy's output: warnings too, unless there are errors.
pub fn lints(output: &str, look: &Look<'_>) -> Vec<Finding> {
    let errors = findings(output, look, Source::Lint, |diagnostic| diagnostic.level == "error");
    if errors.is_empty() {
        findings(output, look, Source::Lint, |diagnostic| diagnostic.level == "warning")
    } else {
        errors
    }
}

fn findings(output: &str, look: &Look<'_>, source: Source, counts: fn(&Diagnostic) -> bool) -> Vec<Finding> {
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    // The same file is compiled with its tests and without.
    for diagnostic in output.lines().filter_map(diagnostic).filter(counts) {
        let Some(finding) = finding(&diagnostic, look, source) else { continue };
        let code = diagnostic.code.as_ref().map_or_else(|| diagnostic.message.clone(), |code| code.code.clone());
        if finding.location.is_none() || seen.insert((finding.file.clone(), finding.location, code)) {
            findings.push(finding);
        }
    }
    findings
}

/// The finding of a diagnostic; `None` for one that only counts others.
fn finding(diagnostic: &Diagnostic, look: &Look<'_>, source: Source) -> Option<Finding> {
    let primary = diagnostic.spans.iter().find(|span| span.is_primary)?;
    let place = outermost(primary, look);
    let file = place.and_then(|span| file(look, &span.file_name));
    let code = diagnostic.code.as_ref().map(|code| code.code.as_str());
    let label = primary.label.as_deref().filter(|label| !diagnostic.message.contains(*label));
    let named = code.filter(|_| diagnostic.level == "error" || source == Source::Lint);
    let message = match (named, label) {
        (Some(code), Some(label)) => format!("{code}: {}\n{label}", diagnostic.message),
        (Some(code), None) => format!("{code}: {}", diagnostic.message),
        (None, Some(label)) => format!("{}\n{label}", diagnostic.message),
        (None, None) => diagnostic.message.clone(),
    };
    let category = category(diagnostic.level == "error", code, file.as_deref(), look);
    // Clippy meets the errors of the build, too, and they are the same findings.
    let source = if category == Category::Linting { source } else { Source::Build };
    let location = place.map(|span| Location { line: span.line_start, column: Some(span.column_start) });
    let mut stack = cut_middle(diagnostic.rendered.as_deref().unwrap_or_default(), MAX_STACK);
    for suggestion in suggestions(diagnostic, look).into_iter().take(MAX_SUGGESTIONS) {
        // Texts and numbers always serialise.
        let line = serde_json::to_string(&suggestion).unwrap_or_default();
        let _ = write!(stack, "\n{SUGGESTED}{line}");
    }
    Some(Finding { source, category, file, location, message, stack: Some(stack) })
}

/// Category of a diagnostic, by its code, and by the file that it is in.
pub(super) fn category(is_error: bool, code: Option<&str>, file: Option<&str>, look: &Look<'_>) -> Category {
    let text = file.and_then(|file| look.sources.text(file));
    match code {
        Some(code) if OF_IMPORTS.contains(&code) => Category::Import,
        Some(code) if code.starts_with('E') && code[1..].bytes().all(|byte| byte.is_ascii_digit()) => {
            Category::TypeError
        }
        None if text.is_some_and(|text| !syntax::parses(text)) => Category::Syntax,
        None if is_error => Category::TypeError,
        Some(_) | None => Category::Linting,
    }
}

/// The place in the repository that a span is about: outside of the macros of others.
fn outermost<'s>(span: &'s DiagnosticSpan, look: &Look<'_>) -> Option<&'s DiagnosticSpan> {
    let mut span = span;
    loop {
        if file(look, &span.file_name).is_some() {
            return Some(span);
        }
        span = &span.expansion.as_deref()?.span;
    }
}

/// The repository's name for a file as the compiler names it: relative to the root of its workspace, which is the folder of the command or
/// lies above it.
pub(super) fn file(look: &Look<'_>, printed: &str) -> Option<String> {
    if let Some(found) = look.file(printed) {
        return Some(found);
    }
    let mut folders = look.sources.iter().filter_map(|(file, _)| file.strip_suffix("/Cargo.toml"));
    let workspace = folders.find(|folder| {
        is_below(look.directory, folder) && look.sources.text(&format!("{folder}/{printed}")).is_some()
    })?;
    Some(format!("{workspace}/{printed}"))
}

/// The changes that the compiler suggests, in its own order.
fn suggestions(diagnostic: &Diagnostic, look: &Look<'_>) -> Vec<Suggestion> {
    let mut found = Vec::new();
    for child in std::iter::once(diagnostic).chain(&diagnostic.children) {
        let part = |span: &DiagnosticSpan| {
            let replacement = span.suggested_replacement.clone()?;
            Some((file(look, &span.file_name)?, span.byte_start, span.byte_end, replacement))
        };
        let with_change = child.spans.iter().filter(|span| {
            // The user would have to fill in the placeholders.
            let applicability = span.suggestion_applicability.as_deref();
            span.suggested_replacement.is_some() && applicability != Some("HasPlaceholders")
        });
        let is_sure = |span: &DiagnosticSpan| span.suggestion_applicability.as_deref() == Some("MachineApplicable");
        let all: Vec<(bool, (String, usize, usize, String))> =
            with_change.filter_map(|span| Some((is_sure(span), part(span)?))).collect();
        let Some((surely, first)) = all.first().cloned() else { continue };
        let suggest = |parts| Suggestion { message: child.message.clone(), surely, parts };
        let are_alternatives =
            all.len() > 1 && all.iter().all(|(_, part)| (&part.0, part.1, part.2) == (&first.0, first.1, first.2));
        if are_alternatives {
            found.extend(all.into_iter().map(|(_, part)| suggest(vec![part])));
        } else {
            found.push(suggest(all.into_iter().map(|(_, part)| part).collect()));
        }
    }
    found
}

/// The suggestions in the stack of a finding.
pub(super) fn suggested(finding: &Finding) -> Vec<Suggestion> {
    let lines = finding.stack.iter().flat_map(|stack| stack.lines());
    lines.filter_map(|line| serde_json::from_str(line.strip_prefix(SUGGESTED)?).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::Sources;

    const OUTPUT: &str = concat!(
        r#"   Compiling shop v0.1.0"#,
        "\n",
        r#"{"reason":"compiler-message","package_id":"p","message":{"rendered":"error[E0425]: cannot find value `cout`\n","$message_type":"diagnostic","children":[{"children":[],"code":null,"level":"help","message":"a local variable with a similar name exists","rendered":null,"spans":[{"byte_end":44,"byte_start":40,"column_end":5,"column_start":1,"expansion":null,"file_name":"src/lib.rs","is_primary":true,"label":null,"line_end":2,"line_start":2,"suggested_replacement":"count","suggestion_applicability":"MaybeIncorrect","text":[]}]}],"level":"error","message":"cannot find value `cout` in this scope","spans":[{"byte_end":44,"byte_start":40,"column_end":9,"column_start":5,"expansion":null,"file_name":"src/lib.rs","is_primary":true,"label":"help: a local variable with a similar name exists: `count`","line_end":2,"line_start":2,"suggested_replacement":null,"suggestion_applicability":null,"text":[]}],"code":{"code":"E0425","explanation":"x"}}}"#,
        "\n",
        r#"{"reason":"compiler-message","package_id":"p","message":{"rendered":"error: aborting\n","children":[],"level":"error","message":"aborting due to 1 previous error","spans":[],"code":null}}"#,
        "\n",
    );

    #[test]
    fn errors_are_findings_with_their_suggestions() {
        let mut sources = Sources::new(Vec::new());
        sources.insert("shop/src/lib.rs", "fn f(count: u8) -> u8 {\n    cout\n}\n", false);
        sources.insert("shop/Cargo.toml", "", false);
        let look = Look { prefixes: &[], directory: "shop", sources: &sources };
        let twice = format!("{OUTPUT}{OUTPUT}");
        let found = errors(&twice, &look);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].file.as_deref(), Some("shop/src/lib.rs"));
        assert_eq!(found[0].category, Category::TypeError);
        assert!(found[0].message.starts_with("E0425: cannot find value `cout` in this scope\nhelp"));
        let suggestions = suggested(&found[0]);
        assert_eq!(suggestions[0].parts, [("shop/src/lib.rs".to_owned(), 40, 44, "count".to_owned())]);
        assert!(!suggestions[0].surely);
    }
}
