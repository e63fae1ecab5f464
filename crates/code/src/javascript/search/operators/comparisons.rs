//! A comparison with the wrong operator: at a boundary, in the wrong direction, or negated. Strict ones stay strict.

use super::arithmetic::operator_place;
use crate::edit::Edit;
use crate::javascript::search::site::Site;
use crate::javascript::search::tree::Shape;
use crate::search::change::Changes;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes() {
        let Shape::Binary { left, right, operator } = &node.shape else { continue };
        let others = alternatives(operator);
        if others.is_empty() {
            continue;
        }
        if let Some(place) = operator_place(site.file.text, *left, *right, operator) {
            for (other, weight) in others {
                changes.add(*weight, vec![Edit::replace(place.range(), *other)]);
            }
        }
        if *operator == "in" {
            changes.wrap(3.0, &node.span, "!(", ")");
            changes.swap(0.5, site.file.text, left, right);
        }
    }
}

/// Returns the operators that may have been meant, with their weights: a boundary first, then the opposite,
/// then those that have little in common.
fn alternatives(written: &str) -> &'static [(&'static str, f64)] {
    match written {
        "<" => &[("<=", 8.0), (">", 2.0), (">=", 2.0), ("!==", 0.7), ("===", 0.5)],
        "<=" => &[("<", 8.0), (">=", 2.0), (">", 2.0), ("===", 0.7), ("!==", 0.5)],
        ">" => &[(">=", 8.0), ("<", 2.0), ("<=", 2.0), ("!==", 0.7), ("===", 0.5)],
        ">=" => &[(">", 8.0), ("<=", 2.0), ("<", 2.0), ("===", 0.7), ("!==", 0.5)],
        "===" => &[("!==", 5.0), ("<=", 0.7), (">=", 0.7), ("<", 0.4), (">", 0.4), ("==", 0.7)],
        "!==" => &[("===", 5.0), ("<", 0.7), (">", 0.7), ("<=", 0.4), (">=", 0.4), ("!=", 0.7)],
        "==" => &[("!=", 5.0), ("===", 1.0), ("<=", 0.7), (">=", 0.7), ("<", 0.4), (">", 0.4)],
        "!=" => &[("==", 5.0), ("!==", 1.0), ("<", 0.7), (">", 0.7), ("<=", 0.4), (">=", 0.4)],
        "in" => &[("===", 0.3)],
        "instanceof" => &[("===", 0.5)],
        _ => &[],
    }
}
