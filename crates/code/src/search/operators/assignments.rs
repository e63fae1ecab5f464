//! An assignment of the wrong kind: `=` for `+=`, `-=` for `+=`, and the other way around.

use crate::edit::Edit;
use crate::search::change::Changes;
use crate::search::idioms::alternatives;
use crate::search::site::Site;
use crate::search::tree::{Assignment, Shape};

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    let idioms = site.file.idioms;
    for Assignment { target, operator, value } in site.assignments() {
        let Some(place) = site.operator_place(target, value, &format!("{operator}=")) else { continue };
        let others: Vec<(String, f64)> = if operator.is_empty() {
            let is_list =
                site.node_in(target).is_some_and(|target| matches!(target.shape, Shape::Tuple(_) | Shape::List(_)));
            // What has no value yet cannot grow.
            if is_list || site.is_only_binding(site.text(target)) {
                continue;
            }
            changes.swap(0.3, site.file.text, &target, &value);
            idioms.assignments.iter().map(|(other, weight)| ((*other).to_owned(), *weight)).collect()
        } else {
            let alike = alternatives(idioms.arithmetic, operator).iter();
            alike.map(|(other, weight)| (format!("{other}="), *weight)).chain([("=".to_owned(), 2.0)]).collect()
        };
        for (other, weight) in others {
            changes.add(weight, vec![Edit::replace(place.range(), other)]);
        }
    }
}
