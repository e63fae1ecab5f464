//! Repairs of one quotation mark in a line.

use super::proposal::Proposal;
use crate::edit::Edit;

/// Bits for a mark that is missing.
pub(crate) const MISSING: f64 = 5.0;
/// Bits for one too many.
pub(crate) const EXTRA: f64 = 5.0;
const WRONG: f64 = 4.0;

/// Every way to put a mark in, take one out, exchange or escape one. `marks`: those of the language.
pub(crate) fn one_line(start: usize, line: &str, marks: &[char], proposals: &mut Vec<Proposal>) {
    let is_word = |character: Option<char>| character.is_some_and(|one| one == '_' || one.is_alphanumeric());
    let used: Vec<char> = marks.iter().copied().filter(|mark| line.contains(*mark)).collect();
    let tried = if used.is_empty() { marks } else { used.as_slice() };
    let places = line.char_indices().map(|(at, _)| at).chain([line.len()]);
    for at in places {
        let (before, after) = line.split_at(at);
        if is_word(before.chars().next_back()) && is_word(after.chars().next()) {
            continue;
        }
        for mark in tried {
            let edit = Edit::insert(start + at, *mark);
            proposals.push(Proposal::new(vec![edit], MISSING, format!("insert the missing quote {mark}")));
        }
    }
    for (at, old) in line.char_indices().filter(|(_, character)| marks.contains(character)) {
        let range = start + at..start + at + 1;
        let remove = Edit::delete(range.clone());
        proposals.push(Proposal::new(vec![remove], EXTRA, format!("remove the extra quote {old}")));
        for new in marks.iter().filter(|new| **new != old) {
            let edit = Edit::replace(range.clone(), *new);
            proposals.push(Proposal::new(vec![edit], WRONG, format!("replace the quote {old} by {new}")));
        }
        let escape = Edit::insert(range.start, "\\");
        proposals.push(Proposal::new(vec![escape], WRONG + 4.0, format!("escape the quote {old}")));
    }
}

#[cfg(test)]
mod tests {
    use crate::fix_example::{check_fix, node};
    use crate::javascript::fix::syntax::SyntaxRepair;

    #[test]
    fn closes_string() {
        check_fix(
            &SyntaxRepair,
            node(
                r"/repo/a.js:3
SyntaxError: Invalid or unexpected token
    at wrapSafe (node:internal/modules/cjs/loader:1378:20)",
            ),
            r"
 function describe(lines) {
   if (lines.length === 0) {
-    return 'empty;
+    return 'empty';
   }
   return 'full';
 }

 function kind(lines) {
   if (lines.length === 1) {
     return 'single';
   }
   return 'double';
 }
",
        );
    }
}
