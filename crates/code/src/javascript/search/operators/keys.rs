//! A wrong key in a pattern: one that the file reads from objects.

use crate::search::change::Changes;
use crate::search::site::Site;
use crate::search::tree::Shape;

/// Maximum number of names of the file that are tried at one place.
const MOST_NAMES: usize = 40;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes() {
        let Shape::Key { is_shorthand } = &node.shape else { continue };
        let own = site.text(node.span);
        for (other, count) in site.file.fields.iter().filter(|(other, _)| **other != own).take(MOST_NAMES) {
            let weight = 0.3 * f64::from(*count).sqrt();
            let code = if *is_shorthand { format!("{other}: {own}") } else { (*other).to_owned() };
            changes.replace(weight, &node.span, code);
        }
    }
}
