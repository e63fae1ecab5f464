//! A wrong attribute of the right object.

use std::collections::BTreeSet;

use ruff_python_ast::Expr;
use ruff_text_size::Ranged;

use crate::python::search::site::{Place, Site};
use crate::search::change::Changes;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    let own_attributes = site.own_attributes();
    for node in site.nodes() {
        match node.expression {
            Expr::Attribute(attribute) => {
                let receiver = site.text(&*attribute.value);
                let rarity = if node.place == Place::Target { 0.3 } else { 1.0 };
                let known = if receiver == "self" { own_attributes.clone() } else { attributes_of(site, receiver) };
                for other in counterparts(&attribute.attr) {
                    changes.replace(rarity * 3.0, &attribute.attr, other);
                }
                for other in known.iter().filter(|other| **other != attribute.attr.as_str()) {
                    // Whether something can be called is the same for both, if that is known at all.
                    let is_method = site.file.is_method(other);
                    let fit = if is_method == (node.place == Place::Callee) { 2.0 } else { 0.2 };
                    changes.replace(rarity * fit, &attribute.attr, *other);
                }
            }
            // `node.value` for `node`.
            Expr::Name(name) if !matches!(node.place, Place::Target | Place::Callee) && name.id.as_str() != "self" => {
                for attribute in attributes_of(site, &name.id) {
                    if !site.file.is_method(attribute) {
                        changes.insert(0.5, name.end().to_usize(), format!(".{attribute}"));
                    }
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

/// Maximum number of an object's attributes that are tried.
const MOST_ATTRIBUTES: usize = 20;

/// Returns the attributes that the file reads from objects of that name, and the fields of its classes.
fn attributes_of<'a>(site: &Site<'a>, receiver: &str) -> BTreeSet<&'a str> {
    let read = site.file.attributes_read(receiver);
    read.chain(site.file.fields()).take(MOST_ATTRIBUTES).collect()
}
