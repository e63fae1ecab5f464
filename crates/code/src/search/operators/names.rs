//! Replacements for a wrong variable.

use crate::search::change::Changes;
use crate::search::site::Site;
use crate::search::tree::{Node, Place, Shape};

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes().filter(|node| node.place != Place::Callee) {
        match (&node.shape, node.place) {
            (Shape::Name, _) => variable(changes, site, node),
            (Shape::Member { object, name, .. }, place) if place != Place::Target => {
                let (object, name) = (site.text(*object), site.text(*name));
                if site.names_at(node.span.start).iter().any(|other| other.text == name) {
                    changes.replace(2.0, &node.span, name);
                }
                if object != site.file.idioms.owner {
                    changes.replace(0.25, &node.span, object);
                }
            }
            (Shape::Owner, _) => {
                for other in site.names_at(node.span.start).iter().filter(|other| other.nearness > 0.4) {
                    changes.replace(0.3, &node.span, other.text);
                }
            }
            // A constant, or an expression, where a variable belongs.
            (Shape::Number(_) | Shape::Text | Shape::Boolean | Shape::Nothing, place) if place != Place::Target => {
                let is_number = matches!(node.shape, Shape::Number(_));
                for other in site.names_at(node.span.start).iter() {
                    let fits = !is_number || !site.file.uses(other.text).is_no_number();
                    changes.replace(other.nearness * if fits { 0.7 } else { 0.1 }, &node.span, other.text);
                }
            }
            (
                Shape::Binary { .. } | Shape::Comparison { .. } | Shape::Index { .. } | Shape::Call(_),
                Place::Value | Place::Bound | Place::Index,
            ) => {
                for other in site.names_at(node.span.start).iter() {
                    changes.replace(0.1 * other.nearness, &node.span, other.text);
                }
            }
            _ => {}
        }
    }
}

fn variable(changes: &mut Changes, site: &Site<'_>, node: &Node) {
    let own = site.text(node.span);
    let idioms = site.file.idioms;
    let is_target = node.place == Place::Target;
    // The other places that read it would find nothing.
    if is_target && site.is_only_binding(own) {
        return;
    }
    // A target is seldom wrong.
    let rarity = if is_target { 0.3 } else { 1.0 };
    let uses = site.file.uses(copied_to(site, node).unwrap_or(own));
    let is_shorthand = node.place == Place::Shorthand;
    for other in site.others_at(node) {
        let weight = rarity * uses.fit(site.file.uses(other.text)) * other.nearness;
        let code = if is_shorthand { format!("{own}: {}", other.text) } else { other.text.to_owned() };
        changes.replace(weight, &node.span, code);
    }
    if is_target || is_shorthand {
        return;
    }
    for member in site.own_members() {
        let is_alike = member == own || member.trim_start_matches(['_', '#']) == own;
        changes.replace(if is_alike { 3.0 } else { 0.1 }, &node.span, format!("{}.{member}", idioms.owner));
    }
    changes.replace(0.3, &node.span, idioms.nothing);
    // A function that is passed on.
    if site.argument_of(node).is_some() && site.file.uses(own).is_called() {
        for other in site.file.functions().filter(|other| *other != own) {
            changes.replace(0.3, &node.span, other);
        }
    }
}

/// The variable that a plain copy gives the value to: what is done with it says what belongs there.
fn copied_to<'a>(site: &Site<'a>, node: &Node) -> Option<&'a str> {
    let declared = site.declarators().iter().find(|one| one.is_name && one.value == Some(node.span));
    let assigned = || site.assignments().find(|one| one.value == node.span).map(|one| one.target);
    declared.map(|one| one.target).or_else(assigned).map(|target| site.text(target))
}
