//! Changes that the compiler or clippy suggests.

use std::collections::BTreeMap;

use autoheal_engine::diagnostics::Category;

use super::ground::Place;
use crate::edit::{Candidate, Edit, FileEdit};
use crate::fix::{FixContext, Fixer};
use crate::repair::region::line_of;
use crate::repair::shortlist::{Ground as _, cost};
use crate::rust::compiler::{self, Suggestion};

/// Writes what is suggested.
pub(super) struct CompilerSuggestion;

/// Bits for a suggestion that the compiler says is what was meant, and for one that may be.
const SURE: f64 = 0.2;
const MAYBE: f64 = 1.5;
/// Bits for each suggestion before it, for the compiler sorts them.
const LATER: f64 = 0.5;
/// Bits for an import from `std` in a file that imports from `core`.
const OTHER_ROOT: f64 = 1.0;
/// Bits for a change that only takes code away although the compiler found an error: deleted code has no errors.
const TAKES_AWAY: f64 = 8.0;

/// Code that makes the compiler content and repairs nothing.
const SILENCES: [&str; 9] = [
    "#[allow",
    "#![allow",
    "#[expect",
    "unsafe",
    ".unwrap()",
    ".expect(",
    "todo!",
    "unimplemented!",
    "Default::default()",
];

impl Fixer for CompilerSuggestion {
    fn name(&self) -> &'static str {
        "compiler_suggestion"
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let place = Place::new(context);
        let suggestions = compiler::suggested(context.finding);
        let candidates = suggestions.iter().enumerate();
        candidates.filter_map(|(index, suggestion)| candidate(self.name(), &place, index, suggestion)).collect()
    }
}

fn candidate(fixer: &str, place: &Place<'_>, index: usize, suggestion: &Suggestion) -> Option<Candidate> {
    let (context, sources) = (&place.context, place.context.sources);
    let mut by_file: BTreeMap<&str, Vec<Edit>> = BTreeMap::new();
    for (file, start, end, replacement) in &suggestion.parts {
        let old = sources.text(file)?.get(*start..*end)?;
        if silences(old, replacement) {
            return None;
        }
        by_file.entry(file).or_default().push(Edit::replace(*start..*end, replacement.clone()));
    }
    let mut files = Vec::new();
    for (file, mut edits) in by_file {
        edits.sort();
        edits.dedup();
        let edit = FileEdit { file: file.to_owned(), edits };
        let repaired = edit.apply(sources.text(file)?).ok()?;
        if !sources.is_editable(file) || !place.is_sound(&edit, &repaired) {
            return None;
        }
        files.push(edit);
    }
    let first = files.first()?;
    let at = first.edits.first()?.start;
    let takes_away = files.iter().flat_map(|file| &file.edits).all(|edit| edit.replacement.trim().is_empty());
    let is_error = context.finding.category != Category::Linting;
    let steps = f64::from(u32::try_from(index).unwrap_or(u32::MAX));
    let mut bits = LATER.mul_add(steps, if suggestion.surely { SURE } else { MAYBE });
    let mut description =
        format!("do what the compiler suggests: {}", suggestion.message.lines().next().unwrap_or_default());
    let text = sources.text(&first.file)?;
    if files.iter().flat_map(|file| &file.edits).any(|edit| edit.replacement.starts_with("use std::"))
        && text.contains("use core::")
        && !text.contains("use std::")
    {
        bits += OTHER_ROOT;
    }
    if takes_away && is_error {
        bits += TAKES_AWAY;
        description.push_str(" (it only takes code away)");
    }
    Some(Candidate {
        fixer: fixer.to_owned(),
        category: context.finding.category,
        line: line_of(text, at),
        description,
        cost: cost(bits),
        files,
    })
}

/// Returns whether a replacement makes the compiler content without a repair.
fn silences(old: &str, new: &str) -> bool {
    let adds = |code: &&str| new.contains(*code) && !old.contains(*code);
    let is_hidden = new.trim_start().starts_with('_') && !old.trim_start().starts_with('_');
    SILENCES.iter().any(adds) || is_hidden
}

#[cfg(test)]
mod tests {
    use super::CompilerSuggestion;
    use crate::fix_example::{check_fix, check_no_fix, rustc};

    #[test]
    fn writes_name_that_compiler_knows() {
        check_fix(
            &CompilerSuggestion,
            rustc(
                "a.rs:2:5: E0425: cannot find value `cout` in this scope [a local variable with a similar name exists: cout => count]",
            ),
            r"
 fn shown(count: usize) -> usize {
-    cout
+    count
 }
",
        );
    }

    #[test]
    fn imports_type_that_is_missing() {
        check_fix(
            &CompilerSuggestion,
            rustc(
                "a.rs:1:21: E0412: cannot find type `HashMap` in this scope [consider importing this struct:  => use std::collections::HashMap;\\n]",
            ),
            r"
+use std::collections::HashMap;
 fn count(words: &[&HashMap<u8, u8>]) -> usize {
     words.len()
 }
",
        );
    }

    #[test]
    fn refuses_what_only_silences() {
        for said in [
            "a.rs:2:9: unused variable: `total` [if this is intentional, prefix it with an underscore: total => _total]",
            "a.rs:2:9: E0308: mismatched types [consider using `Option::expect` to unwrap: 1 => Some(1).expect(\"REASON\")]",
            "a.rs:2:9: E0133: call to unsafe function [consider a block: total => unsafe { total }]",
        ] {
            check_no_fix(
                &CompilerSuggestion,
                rustc(said),
                r"
 fn count() {
     let total = 1;
 }
",
            );
        }
    }
}
