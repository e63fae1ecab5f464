//! A wrong function: one that is easily taken for the right one.

use crate::search::change::Changes;
use crate::search::site::Site;
use crate::search::tree::{Place, Shape};

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes().filter(|node| node.place == Place::Callee) {
        let place = match &node.shape {
            Shape::Name => node.span,
            Shape::Member { name, .. } => *name,
            _ => continue,
        };
        let name = site.text(place);
        for line in site.file.idioms.related.iter().filter(|line| line.contains(&name)) {
            // The shorter the line, the closer its functions.
            let weight = 4.0 / f64::from(u32::try_from(line.len()).unwrap_or(u32::MAX));
            for other in line.iter().filter(|other| **other != name) {
                changes.replace(weight, &place, *other);
            }
        }
        if node.shape == Shape::Name {
            for other in site.file.functions().filter(|other| *other != name) {
                changes.replace(if site.file.unused.contains(&other) { 3.0 } else { 0.6 }, &place, other);
            }
            for other in site.others_at(node).iter().filter(|other| site.file.uses(other.text).is_called()) {
                changes.replace(1.0, &place, other.text);
            }
        }
    }
}
