//! A comparison with the wrong operator: at a boundary, in the wrong direction, or negated.

use ruff_python_ast::{CmpOp, Expr};
use ruff_text_size::Ranged;

use crate::edit::Edit;
use crate::python::search::site::Site;
use crate::python::tokens::{Kind, scan};
use crate::search::change::Changes;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes() {
        let Expr::Compare(comparison) = node.expression else { continue };
        let mut left = &*comparison.left;
        for (written, right) in comparison.ops.iter().zip(&comparison.comparators) {
            if let Some((start, end)) = operator_place(site.file.text, left.end().to_usize(), right.start().to_usize())
            {
                for (other, weight) in alternatives(*written) {
                    changes.add(*weight, vec![Edit::replace(start..end, other.as_str())]);
                }
            }
            left = right;
        }
        if let ([CmpOp::In | CmpOp::NotIn], [right]) = (&*comparison.ops, &*comparison.comparators) {
            changes.swap(0.5, site.file.text, &*comparison.left, right);
        }
    }
}

/// Returns the start and end of the operator between two operands; brackets and comments may stand there, too.
fn operator_place(text: &str, from: usize, to: usize) -> Option<(usize, usize)> {
    let tokens = scan(text.get(from..to)?);
    let mut parts = tokens.iter().filter(|token| matches!(token.kind, Kind::Operator | Kind::Keyword));
    let first = parts.next()?;
    let last = parts.next_back().unwrap_or(first);
    Some((from + first.start, from + last.end))
}

/// Returns the operators that may have been meant, with their weights: a boundary first, then the opposite, then those that have
/// little in common.
fn alternatives(written: CmpOp) -> &'static [(CmpOp, f64)] {
    use CmpOp::{Eq, Gt, GtE, In, Is, IsNot, Lt, LtE, NotEq, NotIn};
    match written {
        Lt => &[(LtE, 8.0), (Gt, 2.0), (GtE, 2.0), (NotEq, 0.7), (Eq, 0.5)],
        LtE => &[(Lt, 8.0), (GtE, 2.0), (Gt, 2.0), (Eq, 0.7), (NotEq, 0.5)],
        Gt => &[(GtE, 8.0), (Lt, 2.0), (LtE, 2.0), (NotEq, 0.7), (Eq, 0.5)],
        GtE => &[(Gt, 8.0), (LtE, 2.0), (Lt, 2.0), (Eq, 0.7), (NotEq, 0.5)],
        Eq => &[(NotEq, 5.0), (LtE, 1.0), (GtE, 1.0), (Lt, 0.5), (Gt, 0.5), (In, 0.5), (Is, 0.5)],
        NotEq => &[(Eq, 5.0), (Lt, 1.0), (Gt, 1.0), (LtE, 0.5), (GtE, 0.5), (NotIn, 0.5), (IsNot, 0.5)],
        Is => &[(IsNot, 5.0), (Eq, 1.0)],
        IsNot => &[(Is, 5.0), (NotEq, 1.0)],
        In => &[(NotIn, 5.0), (Eq, 1.0)],
        NotIn => &[(In, 5.0), (NotEq, 1.0)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operator_is_found_between_brackets_and_comments() {
        let text = "(a) not  in (b)";
        assert_eq!(operator_place(text, 2, 13), Some((4, 11)));
        let text = "(a  # <=\n  < b)";
        assert_eq!(operator_place(text, 2, 13), Some((11, 12)));
    }
}
