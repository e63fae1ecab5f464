//! Replacements for a wrong variable.

use ruff_python_ast::{Expr, Stmt};

use crate::python::search::site::{Node, Place, Site};
use crate::search::change::Changes;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    let names = site.names();
    let attributes = site.own_attributes();
    for node in site.nodes() {
        let own = site.text(node.expression);
        match (node.expression, node.place) {
            // What is called is another family's; a target is seldom wrong.
            (_, Place::Callee) => {}
            (Expr::Name(name), place) => {
                let rarity = match place {
                    // The other places that read it would find nothing.
                    Place::Target if site.is_only_binding(&name.id) => continue,
                    Place::Target => 0.3,
                    _ => 1.0,
                };
                let uses = site.file.uses(copied_to(site, node).unwrap_or(&name.id));
                for other in names.iter().filter(|other| **other != own) {
                    changes.replace(rarity * uses.fit(site.file.uses(other)), name, *other);
                }
                if place != Place::Target && own != "self" {
                    for attribute in &attributes {
                        let likeness =
                            if *attribute == own || attribute.trim_start_matches('_') == own { 3.0 } else { 0.1 };
                        changes.replace(likeness, name, format!("self.{attribute}"));
                    }
                }
            }
            (Expr::Attribute(attribute), place) if place != Place::Target => {
                // `x` for `self.x` when both exist; another object of the same kind with the same attribute.
                if let Expr::Name(receiver) = &*attribute.value {
                    if names.contains(&attribute.attr.as_str()) {
                        changes.replace(2.0, attribute, attribute.attr.as_str());
                    }
                    if receiver.id.as_str() != "self" {
                        changes.replace(0.2, attribute, receiver.id.as_str());
                    }
                }
            }
            // A constant, or an expression, where a variable belongs.
            (Expr::NumberLiteral(_), _) => {
                for other in names {
                    let fit = if site.file.uses(other).is_no_number() { 0.1 } else { 0.7 };
                    changes.replace(fit, node.expression, *other);
                }
            }
            (Expr::BinOp(_) | Expr::Subscript(_), Place::Value | Place::Bound | Place::Index) => {
                for other in names {
                    changes.replace(0.1, node.expression, *other);
                }
            }
            _ => {}
        }
    }
}

/// The variable that a plain copy gives the value to: what is done with it says what belongs there.
fn copied_to<'a>(site: &Site<'a>, node: &Node<'_>) -> Option<&'a str> {
    match site.statement {
        Stmt::Assign(statement) if node.parent.is_none() && node.place != Place::Target => {
            match statement.targets.as_slice() {
                [Expr::Name(target)] => Some(&target.id),
                _ => None,
            }
        }
        _ => None,
    }
}
