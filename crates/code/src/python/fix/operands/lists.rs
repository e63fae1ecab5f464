//! Lists where Python 2 had lists, and where a loop changes what it goes through.

use super::super::blame::{Blame, Place};
use super::super::shortlist::Shortlist;
use crate::edit::Edit;
use crate::python::module::Shape;

/// Words of messages about a collection that changed while a loop went through it.
pub(super) const CHANGED: [&str; 3] =
    ["changed size during iteration", "keys changed during iteration", "mutated during iteration"];

/// Types whose values were lists in Python 2, as messages name them.
pub(super) const LAZY: [&str; 6] = ["'dict_items'", "'dict_keys'", "'dict_values'", "'filter'", "'map'", "'zip'"];

/// Methods that change a list in its place: of a copy that has no name, this has no effect.
pub(super) const CHANGES_LIST: [&str; 9] =
    ["append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort", "update"];

/// Returns whether a message says that a view or an iterator has no method that changes a list.
pub(super) fn needs_list(message: &str) -> bool {
    let is_missing = |method: &str| message.contains(&format!("has no attribute '{method}'"));
    LAZY.iter().any(|kind| message.contains(kind)) && CHANGES_LIST.iter().any(|method| is_missing(method))
}

/// A list in place of the collection that a loop goes through, made before the loop changes the collection. The order stays as it is.
pub(super) fn copied(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, place: &Place, extra: f64) {
    let text = blame.text(&place.file);
    let Some(module) = blame.module(&place.file) else { return };
    let statement = module.statement_at(text, place.line).unwrap_or(place.span);
    for expression in module.expressions.iter().filter(|expression| statement.contains(expression.span)) {
        let span = expression.span;
        let before = text.get(statement.start..span.start).unwrap_or_default().trim_end();
        let is_iterated = before.ends_with(" in") && before.contains("for ");
        let is_collection = matches!(
            expression.shape,
            Shape::Name | Shape::Attribute { .. } | Shape::Call(_) | Shape::Subscript { .. }
        );
        // Of `a.items()` the whole is a collection, and not `a`, which begins at the same place.
        let is_whole = !text.get(span.end..).is_some_and(|rest| rest.starts_with(['.', '(', '[']));
        if is_iterated && is_collection && is_whole {
            let edits = vec![Edit::insert(span.start, "list("), Edit::insert(span.end, ")")];
            list.add(0.5 + extra, format!("go through a list of '{}'", span.text(text)), &place.file, edits);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Operands;
    use crate::fix_example::{check_fix, check_no_fix, pytest};

    #[test]
    fn goes_through_list_of_what_changes() {
        check_fix(
            &Operands,
            pytest(
                r#"File "/repo/a.py", line 3, in prune
RuntimeError: dictionary changed size during iteration"#,
            ),
            r"
 class Cache(dict):
     def prune(self):
-        for key, value in self.items():
+        for key, value in list(self.items()):
             if value is None:
                 del self[key]
",
        );
    }

    #[test]
    fn makes_list_of_view() {
        check_fix(
            &Operands,
            pytest(
                r#"File "/repo/a.py", line 2, in first
TypeError: 'dict_keys' object is not subscriptable"#,
            ),
            r"
 def first(table):
-    return table.keys()[0]
+    return list(table.keys())[0]
 def both(table):
     return sorted(table.keys()), list(table.keys()), sorted(table.values())
",
        );
    }

    #[test]
    fn makes_list_of_population() {
        check_fix(
            &Operands,
            pytest(
                r#"File "/repo/a.py", line 3, in pick
  File "/usr/lib/python3.11/random.py", line 439, in sample
TypeError: Population must be a sequence.  For dicts or sets, use sorted(d)."#,
            ),
            r"
 import random
 def pick(names):
-    return random.sample(names, 1)
+    return random.sample(list(names), 1)
",
        );
    }

    /// `list(keys).sort()` orders a list without a name, and passes each test whose keys are in order.
    #[test]
    fn makes_list_before_it_is_changed() {
        check_fix(
            &Operands,
            pytest(
                r#"File "/repo/a.py", line 3, in names
AttributeError: 'dict_keys' object has no attribute 'sort'"#,
            ),
            r"
 def names(table):
-    keys = table.keys()
+    keys = list(table.keys())
     keys.sort()
     return keys
",
        );
    }

    #[test]
    fn leaves_runtime_errors_of_other_kinds_alone() {
        check_no_fix(
            &Operands,
            pytest(
                r#"File "/repo/a.py", line 2, in names
RuntimeError: no names"#,
            ),
            r"
 def names(table):
     for name in table.items(): check(name)
",
        );
    }
}
