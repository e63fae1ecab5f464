//! Comparisons that a linter minds: `a == None`, `not a in b`.

use std::ops::Range;

use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{CmpOp, Expr, Stmt, UnaryOp};
use ruff_text_size::Ranged;

use super::super::lint_rules::line_around;
use super::{Repair, Told};
use crate::edit::Edit;
use crate::python::tokens::{self, Kind};

/// Every expression that begins on the line of `at` and for which `read` gives something.
fn on_line<T>(text: &str, at: usize, body: &[Stmt], read: &dyn Fn(&Expr) -> Option<T>) -> Vec<T> {
    struct Find<'f, T> {
        line: Range<usize>,
        read: &'f dyn Fn(&Expr) -> Option<T>,
        found: Vec<T>,
    }
    impl<'a, T> Visitor<'a> for Find<'_, T> {
        fn visit_expr(&mut self, expression: &'a Expr) {
            if self.line.contains(&expression.range().start().to_usize()) {
                self.found.extend((self.read)(expression));
            }
            walk_expr(self, expression);
        }
    }
    let mut find = Find { line: line_around(text, at), read, found: Vec::new() };
    find.visit_body(body);
    find.found
}

/// `a == None` as `a is None`; `a == True` as `a`.
pub(super) fn by_identity(told: &Told<'_>, body: &[Stmt]) -> Option<Repair> {
    let Told { text, at, .. } = *told;
    let read = |expression: &Expr| {
        let Expr::Compare(compare) = expression else { return None };
        let ([operator @ (CmpOp::Eq | CmpOp::NotEq)], [right]) = (&*compare.ops, &*compare.comparators) else {
            return None;
        };
        let is_equal = *operator == CmpOp::Eq;
        let (left, end) = (compare.left.range().to_std_range(), right.range().to_std_range());
        let truth = match right {
            Expr::NoneLiteral(_) => None,
            Expr::BooleanLiteral(literal) => Some(literal.value == is_equal),
            _ => return None,
        };
        let is_named = matches!(*compare.left, Expr::Name(_) | Expr::Attribute(_) | Expr::Call(_) | Expr::Subscript(_));
        Some((left, end, is_equal, truth.filter(|_| is_named)))
    };
    let found = on_line(text, at, body, &read);
    // Of several on the line the one that the linter points into.
    let touches =
        |(left, end, ..): &&(Range<usize>, Range<usize>, bool, Option<bool>)| (left.start..=end.end).contains(&at);
    let (left, right, is_equal, truth) = found.iter().find(touches).or(found.first())?;
    let (edits, description) = match truth {
        Some(true) => (vec![Edit::delete(left.end..right.end)], "use the truth value itself"),
        Some(false) => {
            (vec![Edit::insert(left.start, "not "), Edit::delete(left.end..right.end)], "negate the truth value")
        }
        None => {
            let between = tokens::scan(text.get(left.end..right.start)?);
            let sign = between.into_iter().find(|token| token.kind == Kind::Operator)?;
            let word = if *is_equal { "is" } else { "is not" };
            (vec![Edit::replace(left.end + sign.start..left.end + sign.end, word)], "compare by identity")
        }
    };
    Some(Repair { edits, description })
}

/// `not a in b` as `a not in b`, `not a is b` as `a is not b`.
pub(super) fn negated(told: &Told<'_>, body: &[Stmt]) -> Option<Repair> {
    let Told { text, at, .. } = *told;
    let read = |expression: &Expr| {
        let Expr::UnaryOp(negation) = expression else { return None };
        let Expr::Compare(compare) = &*negation.operand else { return None };
        let ([operator], [right]) = (&*compare.ops, &*compare.comparators) else { return None };
        let (word, negated) = match operator {
            CmpOp::In => ("in", "not in"),
            CmpOp::Is => ("is", "is not"),
            _ => return None,
        };
        let (left, right) = (compare.left.range().to_std_range(), right.range().to_std_range());
        let between = text.get(left.end..right.start)?;
        let sign = tokens::scan(between).into_iter().find(|token| token.text(between) == word)?;
        let sign = left.end + sign.start..left.end + sign.end;
        let edits = vec![
            Edit::delete(negation.range().start().to_usize()..compare.range().start().to_usize()),
            Edit::replace(sign, negated),
        ];
        // Brackets of its own would be left open.
        let is_bare =
            text.get(negation.range().start().to_usize()..compare.range().start().to_usize())?.trim() == "not";
        (negation.op == UnaryOp::Not && is_bare).then_some(edits)
    };
    let edits = on_line(text, at, body, &read).into_iter().next()?;
    Some(Repair { edits, description: "negate the comparison itself" })
}

#[cfg(test)]
mod tests {
    use crate::fix_example::{check_lint_fix, check_no_lint_fix, flake8};

    #[test]
    fn compares_with_none_by_identity() {
        check_lint_fix(
            flake8("a.py:2:15: E711 comparison to None should be 'if cond is None:'"),
            r"
 def is_open(end):
-    return end == None
+    return end is None
",
        );
    }

    #[test]
    fn tests_membership() {
        check_lint_fix(
            flake8("a.py:2:12: E713 test for membership should be 'not in'"),
            r"
 def lacks(names, name):
-    return not name in names
+    return name not in names
",
        );
    }

    #[test]
    fn leaves_brackets_alone() {
        check_no_lint_fix(
            flake8("a.py:2:12: E713 test for membership should be 'not in'"),
            r"
 def lacks(names, name):
     return not (name in names)
",
        );
    }
}
