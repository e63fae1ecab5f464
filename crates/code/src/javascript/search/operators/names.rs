//! Replacements for a wrong variable.

use crate::javascript::search::site::Site;
use crate::javascript::search::tree::{Kind, Node, Place, Shape};
use crate::search::change::Changes;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes() {
        let own = site.text(node.span);
        match (&node.shape, node.place) {
            // What is called is another family's.
            (_, Place::Callee) => {}
            (Shape::Name, place) if own != "undefined" => {
                // A target is seldom wrong.
                let rarity = if place == Place::Target { 0.3 } else { 1.0 };
                let uses = site.file.uses(copied_to(site, node).unwrap_or(own));
                for other in site.names_at(node.span.start).iter().filter(|other| other.text != own) {
                    let weight = rarity * uses.fit(site.file.uses(other.text)) * other.nearness;
                    let code = if place == Place::Shorthand {
                        format!("{own}: {}", other.text)
                    } else {
                        other.text.to_owned()
                    };
                    changes.replace(weight, &node.span, code);
                }
                if matches!(place, Place::Target | Place::Shorthand) {
                    continue;
                }
                for member in site.own_members().filter(|member| *member != "constructor") {
                    let is_alike = member.trim_start_matches(['_', '#']) == own;
                    changes.replace(if is_alike { 3.0 } else { 0.1 }, &node.span, format!("this.{member}"));
                }
                changes.replace(0.3, &node.span, "undefined");
                // A function that is passed on.
                if site.argument_of(node).is_some() && site.file.uses(own).is_called() {
                    for other in site.file.functions().filter(|other| *other != own) {
                        changes.replace(0.3, &node.span, other);
                    }
                }
            }
            (Shape::Member { object, name, .. }, place) if place != Place::Target => {
                let (object, name) = (site.text(*object), site.text(*name));
                let names = site.names_at(node.span.start);
                if names.iter().any(|other| other.text == name) {
                    changes.replace(2.0, &node.span, name);
                }
                if object != "this" {
                    changes.replace(0.3, &node.span, object);
                }
            }
            (Shape::This, _) => {
                for other in site.names_at(node.span.start).iter().filter(|other| other.nearness > 0.4) {
                    changes.replace(0.3, &node.span, other.text);
                }
            }
            // A constant, or an expression, where a variable belongs.
            (Shape::Number(_) | Shape::Text | Shape::Boolean(_) | Shape::Null, place) if place != Place::Target => {
                let is_number = matches!(node.shape, Shape::Number(_));
                for other in site.names_at(node.span.start).iter() {
                    let fits = !is_number || !site.file.uses(other.text).is_no_number();
                    changes.replace(other.nearness * if fits { 0.7 } else { 0.1 }, &node.span, other.text);
                }
            }
            (
                Shape::Binary { .. } | Shape::Index { .. } | Shape::Call { .. },
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

/// The variable that a plain copy gives the value to: what is done with it says what belongs there.
fn copied_to<'a>(site: &Site<'a>, node: &Node) -> Option<&'a str> {
    let declared = match &site.statement.kind {
        Kind::Declaration(declared) | Kind::For { declared, .. } => declared.as_slice(),
        _ => &[],
    };
    let own = declared.iter().find(|declarator| declarator.is_name && declarator.value == Some(node.span));
    own.map(|declarator| declarator.target).map(|target| site.text(target)).or_else(|| {
        match site.parent(node).map(|parent| &parent.shape) {
            Some(Shape::Assign { target, value, .. }) if *value == node.span => Some(site.text(*target)),
            _ => None,
        }
    })
}
