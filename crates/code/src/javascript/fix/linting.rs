//! Edits that eslint itself proposes for its findings, one finding at a time, taken from its JSON output. A
//! file is never rewritten as a whole.

use std::collections::BTreeMap;

use autoheal_engine::diagnostics::{Category, Finding};
use serde::Deserialize;

use crate::edit::{Candidate, Edit, FileEdit};
use crate::javascript::module::{ImportKind, Module};
use crate::javascript::parse;
use crate::javascript::tokens::{Kind, scan};
use crate::repair::region::{line_of, line_start};
use crate::report::relative;
use crate::sources::Sources;
use crate::span::Span;

/// The fixer's name in candidates.
pub const NAME: &str = "eslint";

/// Costs: eslint is sure of its fixes, less sure of its suggestions; removals by rule come between.
const FIX: u32 = 50;
const FIX_ALL: u32 = 80;
const UNUSED: u32 = 120;
const SUGGESTION: u32 = 200;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Result {
    file_path: String,
    messages: Vec<Message>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    rule_id: Option<String>,
    #[serde(rename = "message")]
    text: String,
    line: Option<u32>,
    fix: Option<Fix>,
    #[serde(default)]
    suggestions: Vec<Suggestion>,
}

#[derive(Deserialize)]
struct Suggestion {
    desc: String,
    fix: Fix,
}

/// Offsets count UTF-16 units from the file's beginning, a byte order mark not included.
#[derive(Deserialize, Clone)]
struct Fix {
    range: (usize, usize),
    text: String,
}

/// Candidates for one finding of eslint. `output`: what `eslint --format json` printed; `prefixes`: the folders that the
/// repository lay in.
pub fn candidates(output: &str, prefixes: &[String], sources: &Sources, target: &Finding) -> Vec<Candidate> {
    let Some(file) = target.file.as_deref().filter(|file| sources.is_editable(file)) else { return Vec::new() };
    let Some(text) = sources.text(file) else { return Vec::new() };
    // A repository's configuration may print before the linter does.
    let start = output.find("[{").unwrap_or_default();
    let Ok(results) = serde_json::from_str::<Vec<Result>>(output.get(start..).unwrap_or_default().trim()) else {
        return Vec::new();
    };
    let line = target.location.map(|location| location.line);
    let all: Vec<Message> = results
        .into_iter()
        .filter(|result| relative(&result.file_path, prefixes) == Some(file))
        .flat_map(|result| result.messages)
        .collect();
    let messages = all
        .iter()
        .filter(|message| message.line == line && target.message.contains(message.text.trim_end_matches('.')));
    let offsets = Offsets::new(text);
    let mut proposals: Vec<(u32, String, Vec<Edit>)> = Vec::new();
    for message in messages {
        let rule = message.rule_id.as_deref().unwrap_or_default();
        if let Some(edit) = message.fix.as_ref().and_then(|fix| offsets.edit(fix)) {
            proposals.push((FIX, format!("fix '{rule}' as eslint does"), vec![edit]));
            let edits = alike(&all, message, target.category, &offsets);
            if edits.len() > 1 {
                proposals.push((FIX_ALL, format!("fix '{rule}' as eslint does, in {} places", edits.len()), edits));
            }
        }
        if rule.ends_with("no-unused-vars") || rule.ends_with("no-unused-imports") {
            let name = message.text.split('\'').nth(1).unwrap_or_default();
            proposals.extend(unused(file, text, name, message.line).map(|(what, edits)| (UNUSED, what, edits)));
        }
        if rule == "no-debugger" {
            proposals.extend(
                debugger(text, message.line).map(|edit| (UNUSED, "remove the breakpoint".to_owned(), vec![edit])),
            );
        }
        if matches!(rule, "no-empty" | "no-constant-condition") {
            let edit = does_nothing(text, message.line);
            proposals.extend(edit.map(|edit| (UNUSED, "remove what does nothing".to_owned(), vec![edit])));
        }
        for (index, suggestion) in message.suggestions.iter().enumerate() {
            let later = u32::try_from(index).unwrap_or(99) * 100;
            if let Some(edit) = offsets.edit(&suggestion.fix) {
                proposals.push((SUGGESTION + later, lower(&suggestion.desc), vec![edit]));
            }
        }
    }
    let parses = |edits: &Vec<Edit>| {
        let edited = FileEdit { file: file.to_owned(), edits: edits.clone() }.apply(text);
        edited.is_ok_and(|edited| edited != text && parse::compiles(file, &edited))
    };
    proposals
        .into_iter()
        .filter(|(.., edits)| parses(edits))
        .map(|(cost, description, edits)| Candidate {
            fixer: NAME.to_owned(),
            category: target.category,
            line: edits.first().map_or(1, |edit| line_of(text, edit.start)),
            description,
            cost,
            files: vec![FileEdit { file: file.to_owned(), edits }],
        })
        .collect()
}

/// Returns the fixes of all messages with the same text, which one finding represents. The text of an
/// indentation rule depends on the surrounding lines, so for such a rule all its messages count.
fn alike(all: &[Message], one: &Message, category: Category, offsets: &Offsets) -> Vec<Edit> {
    let is_alike = |other: &&Message| {
        other.rule_id == one.rule_id && (category == Category::Indentation || other.text == one.text)
    };
    let mut edits: Vec<Edit> =
        all.iter().filter(is_alike).filter_map(|other| offsets.edit(other.fix.as_ref()?)).collect();
    edits.sort();
    edits.dedup();
    edits
}

fn lower(text: &str) -> String {
    let mut characters = text.trim_end_matches('.').chars();
    characters.next().map(|first| first.to_lowercase().chain(characters).collect()).unwrap_or_default()
}

/// Takes an unused name out: from its import, or with the declaration when that does nothing else.
fn unused(file: &str, text: &str, name: &str, line: Option<u32>) -> Option<(String, Vec<Edit>)> {
    let module = Module::read(file, text);
    if let Some((import, one)) = module.imported(name).filter(|(import, _)| import.is_statement && !import.is_export) {
        let description = format!("remove the unused import '{name}'");
        if import.names.len() == 1 {
            // What the module does when it is loaded may be why it is imported: that is for the tests to say.
            let statement = module.statements.iter().find(|statement| statement.contains(import.span))?;
            return Some((description, vec![Edit::delete(whole_lines(text, *statement).range())]));
        }
        if one.kind != ImportKind::Named {
            let next = import.names.iter().find(|other| other.whole.start > one.whole.end)?;
            let brace =
                text.get(one.whole.end..next.whole.start)?.find('{').map_or(next.whole.start, |at| one.whole.end + at);
            return Some((description, vec![Edit::delete(one.whole.start..brace)]));
        }
        let position = import.names.iter().position(|other| other == one)?;
        let next = import.names.get(position + 1).filter(|next| next.kind == ImportKind::Named);
        let range = match next {
            Some(next) => one.whole.start..next.whole.start,
            None => import.names.get(position.checked_sub(1)?)?.whole.end..one.whole.end,
        };
        let between = text.get(range.clone())?;
        if between.contains('{') {
            // The only one in braces, behind a default import.
            let open = range.start;
            let close = text.get(range.end..)?.find('}').map(|at| range.end + at + 1)?;
            return Some((description, vec![Edit::delete(open..close)]));
        }
        return Some((description, vec![Edit::delete(range)]));
    }
    // A variable whose value has no effect: `const name = literal or name;` alone on its statement.
    let line = module.line_span(text, line?)?;
    let shown = line.text(text).trim();
    let rest = ["const ", "let ", "var "].iter().find_map(|word| shown.strip_prefix(word))?;
    let value = rest.strip_prefix(name)?.trim_start();
    let is_bare = value == ";" || value.is_empty();
    let value = value.strip_prefix('=').map(|value| value.trim().trim_end_matches(';'));
    let has_no_effect = |value: &str| {
        matches!(value, "[]" | "{}")
            || !value.is_empty()
                && !value.contains(['(', ',', '`', '{', '['])
                && !value.contains("++")
                && !value.contains("await")
    };
    let is_function = module.functions.iter().any(|function| function.name == name && line.contains(function.span));
    (is_bare || value.is_some_and(has_no_effect) || is_function)
        .then(|| (format!("remove the unused variable '{name}'"), vec![Edit::delete(whole_lines(text, line).range())]))
}

/// Takes out a `debugger` that stands on a line of its own.
fn debugger(text: &str, line: Option<u32>) -> Option<Edit> {
    let start = line_start(text, line?)?;
    let whole = text.get(start..)?.split_inclusive('\n').next()?;
    (whole.trim().trim_end_matches(';') == "debugger").then(|| Edit::delete(start..start + whole.len()))
}

/// A line that is an empty block, whose condition has no effect, and on which nothing else depends.
fn does_nothing(text: &str, line: Option<u32>) -> Option<Edit> {
    let start = line_start(text, line?)?;
    let mut before = scan(text.get(..start)?);
    before.retain(|token| !matches!(token.kind, Kind::Newline | Kind::Comment));
    let before = before.last().map_or("", |token| token.text(text));
    // What stands there may be all that a condition is followed by.
    if matches!(before, "else" | "do" | ")") {
        return None;
    }
    let rest = text.get(start..)?;
    // Comments are left in: with one between them these are other tokens, and what somebody explains is not taken out.
    let mut tokens = scan(rest);
    tokens.retain(|token| token.kind != Kind::Newline);
    let said = |number: usize| tokens.get(number).map_or("", |token| token.text(rest));
    let is_constant = tokens.get(2).is_some_and(|token| {
        matches!(token.kind, Kind::Number) || matches!(said(2), "true" | "false" | "null" | "undefined")
    });
    let is_empty = [said(0), said(1), said(3), said(4), said(5)] == ["if", "(", ")", "{", "}"];
    let next = tokens.iter().skip(6).find(|token| token.kind != Kind::Comment);
    if !is_constant || !is_empty || next.is_some_and(|next| next.text(rest) == "else") {
        return None;
    }
    let span = Span { start: start + tokens.first()?.start, end: start + tokens.get(5)?.end };
    Some(Edit::delete(whole_lines(text, span).range()))
}

/// A statement with the end of its line, and the space before it.
fn whole_lines(text: &str, span: Span) -> Span {
    let before = text.get(..span.start).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let start = if before.get(start..).is_some_and(|gap| gap.trim().is_empty()) { start } else { span.start };
    let after = text.get(span.end..).unwrap_or_default();
    let end = match after.find('\n') {
        Some(newline) if after.get(..newline).is_some_and(|gap| gap.trim().is_empty()) => span.end + newline + 1,
        Some(_) | None => span.end,
    };
    Span { start, end }
}

/// Conversion of UTF-16 offsets to byte offsets.
struct Offsets {
    /// Bytes by units, only where they differ; empty for plain text.
    bytes: BTreeMap<usize, usize>,
    length: usize,
    is_plain: bool,
    shift: usize,
}

impl Offsets {
    fn new(text: &str) -> Self {
        let shift = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let body = text.get(shift..).unwrap_or_default();
        let is_plain = body.is_ascii();
        let mut bytes = BTreeMap::new();
        let mut units = 0;
        if !is_plain {
            for (at, character) in body.char_indices() {
                bytes.insert(units, at);
                units += character.len_utf16();
            }
            bytes.insert(units, body.len());
        }
        Self { bytes, length: body.len(), is_plain, shift }
    }

    fn byte(&self, units: usize) -> Option<usize> {
        let at = if self.is_plain { (units <= self.length).then_some(units) } else { self.bytes.get(&units).copied() };
        at.map(|at| at + self.shift)
    }

    fn edit(&self, fix: &Fix) -> Option<Edit> {
        let (start, end) = (self.byte(fix.range.0)?, self.byte(fix.range.1)?);
        (start <= end).then(|| Edit::replace(start..end, fix.text.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use autoheal_engine::diagnostics::{Location, Source};

    use super::*;
    use crate::fix_example::{check_lint_fix, check_no_lint_fix, eslint};

    fn repaired(text: &str, line: u32, rule: &str, message: &str, more: &str) -> Vec<String> {
        let mut sources = Sources::new(Vec::new());
        sources.insert("a.mjs", text, false);
        let target = Finding {
            source: Source::Lint,
            category: Category::Linting,
            file: Some("a.mjs".to_owned()),
            location: Some(Location { line, column: None }),
            message: format!("{rule}: {message}"),
            stack: None,
        };
        let output = format!(
            "[{{\"filePath\":\"/s/a.mjs\",\"messages\":[{{\"ruleId\":\"{rule}\",\"message\":\"{message}\",\"line\":{line}{more}}}]}}]"
        );
        candidates(&output, &["/s".to_owned()], &sources, &target)
            .iter()
            .map(|candidate| candidate.files[0].apply(text).unwrap())
            .collect()
    }

    #[test]
    fn applies_fix_of_eslint() {
        check_lint_fix(
            eslint(
                r#"[{"filePath": "/repo/a.js", "messages": [{"ruleId": "prefer-const", "severity": 2,
  "message": "'limit' is never reassigned. Use 'const' instead.", "line": 1, "column": 5,
  "fix": {"range": [0, 3], "text": "const"}}]}]"#,
            ),
            r"
-let limit = 3;
+const limit = 3;
 console.log(limit);
",
        );
    }

    #[test]
    fn removes_unused_import() {
        check_lint_fix(
            eslint("a.mjs:1:10: 'join' is defined but never used. [Error/no-unused-vars]"),
            r"
//- /a.mjs
-import { join, resolve } from 'path';
+import { resolve } from 'path';

 resolve('a');
",
        );
    }

    #[test]
    fn removes_breakpoint() {
        check_lint_fix(
            eslint("a.js:2:3: Unexpected 'debugger' statement. [Error/no-debugger]"),
            r"
 function count(lines) {
-  debugger;
   return lines.length;
 }
",
        );
    }

    /// The value may be made for its effect.
    #[test]
    fn leaves_unused_value_of_call_alone() {
        check_no_lint_fix(
            eslint("a.js:1:7: 'done' is assigned a value but never used. [Error/no-unused-vars]"),
            r"
 const done = save();
",
        );
    }

    #[test]
    fn fixes_and_suggestions_are_applied_where_they_belong() {
        let fix = ",\"fix\":{\"range\":[13,14],\"text\":\"\"}";
        assert_eq!(
            repaired("x = '\u{1f600}';\n;;\n", 2, "no-extra-semi", "Unnecessary semicolon.", fix),
            [] as [&str; 0]
        );
        let fix = ",\"fix\":{\"range\":[10,11],\"text\":\"\"}";
        assert_eq!(
            repaired("x = '\u{1f600}';\n;;\n", 2, "no-extra-semi", "Unnecessary semicolon.", fix),
            ["x = '\u{1f600}';\n;\n"]
        );
        let more = ",\"suggestions\":[{\"desc\":\"Use const.\",\"fix\":{\"range\":[0,3],\"text\":\"const\"}}]";
        assert_eq!(repaired("let a = 1;\n", 1, "x", "y", more), ["const a = 1;\n"]);
    }

    #[test]
    fn a_breakpoint_on_its_own_line_is_taken_out() {
        let found = |text: &str, line| repaired(text, line, "no-debugger", "Unexpected 'debugger' statement.", "");
        assert_eq!(found("f();\n  debugger;\ng();\n", 2), ["f();\ng();\n"]);
        assert_eq!(found("if (a) debugger;\n", 1), [] as [&str; 0]);
    }

    #[test]
    fn what_does_nothing_is_taken_out() {
        let found = |text: &str, line| repaired(text, line, "no-empty", "Empty block statement.", "");
        assert_eq!(found("f();\n  if (true) {}\ng();\n", 2), ["f();\ng();\n"]);
        assert_eq!(found("f(); // why\nif (true) {}\ng();\n", 2), ["f(); // why\ng();\n"]);
        for kept in [
            "f();\nif (g()) {}\n",
            "f();\nif (true) {} else g();\n",
            "f();\nif (true) { g() }\n",
            // It is all that the condition is followed by.
            "if (a)\n  if (true) {}\ng();\n",
            "if (a) // why\n  if (true) {}\ng();\n",
            "if (a) f(); else /* why */\n  if (true) {}\ng();\n",
            // Somebody explains it.
            "f();\nif (true) { /* later */ }\n",
            "f();\nif (true) { // later\n}\n",
            "f();\nif (true) /* later */ {}\n",
            "f();\nif (/* always */ true) {}\n",
            // The other `if` would get its `else`.
            "if (a) { f(); }\nif (true) {} // why\nelse g();\n",
        ] {
            assert_eq!(found(kept, 2), [] as [&str; 0], "{kept}");
        }
    }

    #[test]
    fn all_that_is_said_alike_is_fixed_together() {
        let messages = "{\"ruleId\":\"indent\",\"message\":\"Expected 2 but found 0.\",\"line\":2,\"fix\":{\"range\":[9,9],\"text\":\"  \"}},\
                        {\"ruleId\":\"indent\",\"message\":\"Expected 2 but found 0.\",\"line\":3,\"fix\":{\"range\":[14,14],\"text\":\"  \"}},\
                        {\"ruleId\":\"semi\",\"message\":\"Expected 2 but found 0.\",\"line\":3,\"fix\":{\"range\":[14,14],\"text\":\";\"}}";
        let text = "if (a) {\nf();\ng();\n}\n";
        let mut sources = Sources::new(Vec::new());
        sources.insert("a.mjs", text, false);
        let target = Finding {
            source: Source::Lint,
            category: Category::Indentation,
            file: Some("a.mjs".to_owned()),
            location: Some(Location { line: 2, column: None }),
            message: "indent Expected 2 but found 0.".to_owned(),
            stack: None,
        };
        let output = format!("[{{\"filePath\":\"/s/a.mjs\",\"messages\":[{messages}]}}]");
        let found = candidates(&output, &["/s".to_owned()], &sources, &target);
        let texts: Vec<String> = found.iter().map(|found| found.files[0].apply(text).unwrap()).collect();
        assert_eq!(texts, ["if (a) {\n  f();\ng();\n}\n", "if (a) {\n  f();\n  g();\n}\n"]);
    }

    #[test]
    fn unused_names_are_taken_out() {
        let unused = |text: &str, name: &str, line| {
            repaired(text, line, "no-unused-vars", &format!("'{name}' is defined but never used."), "")
        };
        assert_eq!(unused("import { a, b } from 'x';\nb();\n", "a", 1), ["import { b } from 'x';\nb();\n"]);
        assert_eq!(unused("import { a, b } from 'x';\na();\n", "b", 1), ["import { a } from 'x';\na();\n"]);
        assert_eq!(unused("import a, { b } from 'x';\nb();\n", "a", 1), ["import { b } from 'x';\nb();\n"]);
        assert_eq!(unused("import a, { b } from 'x';\na();\n", "b", 1), ["import a from 'x';\na();\n"]);
        assert_eq!(unused("import a from 'x';\nb();\n", "a", 1), ["b();\n"]);
        assert_eq!(unused("f();\n  const a = 1;\n", "a", 2), ["f();\n"]);
        assert_eq!(unused("f();\nconst a = [];\n", "a", 2), ["f();\n"]);
        assert_eq!(unused("const a = f();\n", "a", 1), [] as [&str; 0]);
    }
}
