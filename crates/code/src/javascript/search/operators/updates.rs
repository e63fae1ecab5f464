//! `++` and `--` that count the wrong way, or give the value from before where the one behind is meant.

use crate::search::change::Changes;
use crate::search::site::Site;
use crate::search::tree::{Place, Shape};

/// `--` for `++`.
pub(super) fn direction(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes() {
        let Shape::Update { operator, is_prefix, operand } = &node.shape else { continue };
        let (other, sum) = if *operator == "++" { ("--", "+=") } else { ("++", "-=") };
        let code = site.text(*operand);
        let other = if *is_prefix { format!("{other}{code}") } else { format!("{code}{other}") };
        changes.replace(4.0, &node.span, other);
        changes.replace(0.5, &node.span, format!("{code} {sum} 2"));
        if node.parent.is_some() {
            changes.replace(1.0, &node.span, code);
        }
    }
}

/// `i++` for `++i`: whoever reads the value gets the other.
pub(super) fn moment(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes().filter(|node| node.parent.is_some() || node.place == Place::Condition) {
        let Shape::Update { operator, is_prefix, operand } = &node.shape else { continue };
        let operand = site.text(*operand);
        let other = if *is_prefix { format!("{operand}{operator}") } else { format!("{operator}{operand}") };
        changes.replace(2.0, &node.span, other);
    }
}
