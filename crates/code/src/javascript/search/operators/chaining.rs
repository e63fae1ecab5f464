//! `?.` where a member is read of a value that is never missing, or the other way around.

use crate::edit::Edit;
use crate::search::change::Changes;
use crate::search::site::Site;
use crate::search::tree::{Place, Shape};

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes().filter(|node| node.place != Place::Target) {
        let Shape::Member { object, name, is_optional } = &node.shape else { continue };
        let between = site.file.text.get(object.end..name.start).unwrap_or_default();
        if *is_optional {
            if let Some(at) = between.find("?.") {
                changes.add(1.0, vec![Edit::delete(object.end + at..object.end + at + 1)]);
            }
        } else if site.text(*object) != "this"
            && let Some(at) = between.rfind('.')
        {
            changes.insert(1.0, object.end + at, "?");
        }
    }
}
