//! A wrong member: one that objects of that name have, that the file knows, or that has the other name of a pair.

use std::collections::BTreeMap;

use crate::search::change::Changes;
use crate::search::site::Site;
use crate::search::tree::{Place, Shape};

/// Maximum number of names of the file that are tried at one place.
const MOST_NAMES: usize = 40;

/// Maximum number of members that are tried behind a value.
const MOST_BEHIND: usize = 20;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    let (file, idioms) = (site.file, site.file.idioms);
    for node in site.nodes() {
        match &node.shape {
            Shape::Member { object, name, .. } => {
                let (own, object) = (site.text(*name), site.text(*object));
                let is_called = node.place == Place::Callee;
                let is_of_kind = |other: &str| file.methods.contains(other) == is_called;
                let mut others: BTreeMap<&str, f64> = BTreeMap::new();
                if is_called {
                    others.extend(file.methods.iter().map(|method| (*method, 0.4)));
                } else {
                    others.extend(file.keys.iter().take(MOST_NAMES).map(|key| (*key, 0.3)));
                    others.extend(file.fields.keys().take(MOST_NAMES).map(|field| (*field, 0.5)));
                    others.extend(idioms.members.iter().copied());
                    others.extend(file.declared.iter().take(MOST_NAMES).map(|field| (*field, 1.5)));
                }
                let own_members = if object == idioms.owner { site.own_members() } else { Vec::new() };
                // Whether something can be called is the same for both, if that is known at all.
                let same = file.members_of(object).chain(own_members);
                others.extend(same.map(|other| (other, if is_of_kind(other) { 3.0 } else { 0.2 })));
                others.extend(counterparts(own).map(|other| (other, 3.0)));
                // A target is seldom wrong.
                let rarity = if node.place == Place::Target { 0.3 } else { 1.0 };
                for (other, weight) in others.into_iter().filter(|(other, _)| *other != own && !other.starts_with('#'))
                {
                    changes.replace(rarity * weight, name, other);
                }
            }
            // `node.value` for `node`.
            Shape::Name if !matches!(node.place, Place::Target | Place::Callee | Place::Shorthand) => {
                let known = file.members_of(site.text(node.span)).chain(file.declared.iter().copied());
                for member in known.filter(|member| !file.methods.contains(member)).take(MOST_BEHIND) {
                    changes.insert(0.5, node.span.end, format!(".{member}"));
                }
            }
            _ => {}
        }
    }
}

/// Names that come in pairs, of which one is easily written for the other.
const PAIRS: [[&str; 2]; 16] = [
    ["left", "right"],
    ["first", "last"],
    ["first", "second"],
    ["start", "end"],
    ["start", "stop"],
    ["begin", "end"],
    ["lower", "upper"],
    ["low", "high"],
    ["next", "previous"],
    ["next", "prev"],
    ["head", "tail"],
    ["parent", "child"],
    ["width", "height"],
    ["x", "y"],
    ["key", "value"],
    ["row", "column"],
];

/// The other names of the pairs that a name is in.
fn counterparts(name: &str) -> impl Iterator<Item = &'static str> {
    PAIRS.iter().filter_map(move |[one, other]| match name {
        name if name == *one => Some(*other),
        name if name == *other => Some(*one),
        _ => None,
    })
}
