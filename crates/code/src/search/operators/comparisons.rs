//! A comparison with the wrong operator: at a boundary, in the wrong direction, or negated. Strict ones stay strict.

use crate::edit::Edit;
use crate::search::change::Changes;
use crate::search::idioms::alternatives;
use crate::search::site::Site;
use crate::search::tree::Shape;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    let idioms = site.file.idioms;
    for node in site.nodes() {
        let Shape::Comparison { operands, operators } = &node.shape else { continue };
        for (pair, written) in operands.windows(2).zip(operators) {
            let [left, right] = pair else { continue };
            if let Some(place) = site.operator_place(*left, *right, written) {
                for (other, weight) in alternatives(idioms.comparisons, written) {
                    changes.add(*weight, vec![Edit::replace(place.range(), *other)]);
                }
            }
        }
        if let ([left, right], ["in" | "not in"]) = (operands.as_slice(), operators.as_slice()) {
            changes.swap(0.5, site.file.text, left, right);
            if idioms.unopposed.contains(&"in") {
                let (before, after) = idioms.not_around;
                changes.wrap(3.0, &node.span, before, after);
            }
        }
    }
}
