//! One too many or one too few.

use crate::javascript::search::site::Site;
use crate::javascript::search::tree::{Node, Place, Shape};
use crate::search::change::Changes;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes() {
        let weight = likelihood(site, node);
        match &node.shape {
            Shape::Binary { left, right, operator: operator @ ("+" | "-") } => {
                let code = site.text(*left);
                if site.text(*right) == "1" {
                    changes.replace(weight + 1.0, &node.span, code);
                    changes.replace(0.3, &node.span, format!("{code} {operator} 2"));
                } else {
                    step(changes, site, node, weight);
                }
            }
            Shape::Name => {
                let uses = site.file.uses(site.text(node.span));
                let fit = if uses.is_number() {
                    1.5
                } else if uses.is_no_number() {
                    0.1
                } else {
                    1.0
                };
                step(changes, site, node, weight * fit);
            }
            Shape::Member { name, .. } => {
                let counts = matches!(site.text(*name), "length" | "size" | "index" | "lastIndex");
                step(changes, site, node, if counts { weight * 1.5 } else { weight * 0.7 });
            }
            Shape::Index { .. } => step(changes, site, node, weight * 0.7),
            Shape::Call { name, .. } => {
                let counts = matches!(
                    site.text(*name),
                    "indexOf"
                        | "lastIndexOf"
                        | "floor"
                        | "ceil"
                        | "max"
                        | "min"
                        | "parseInt"
                        | "Number"
                        | "getMonth"
                        | "getDate"
                        | "getDay"
                );
                step(changes, site, node, if counts { weight * 1.5 } else { weight * 0.2 });
            }
            // `i++` for `++i`: whoever reads the value gets the other.
            Shape::Update { operator, is_prefix, operand }
                if node.parent.is_some() || node.place == Place::Condition =>
            {
                let operand = site.text(*operand);
                let other = if *is_prefix { format!("{operand}{operator}") } else { format!("{operator}{operand}") };
                changes.replace(2.0, &node.span, other);
            }
            _ => {}
        }
    }
}

/// Returns the weight of the place: people miscount indices and bounds most often.
fn likelihood(site: &Site<'_>, node: &Node) -> f64 {
    match (node.place, site.parent(node).map(|parent| &parent.shape)) {
        (Place::Target | Place::Callee | Place::Iterable | Place::Shorthand, _) => 0.0,
        (Place::Index | Place::Bound, _) => 3.0,
        (_, Some(Shape::Binary { operator, .. })) if operator.starts_with(['<', '>', '=', '!']) => 1.5,
        (_, Some(Shape::Member { .. } | Shape::Index { .. })) => 0.0,
        (Place::Condition, _) => 0.1,
        (_, None) => 1.0,
        (_, Some(_)) => 0.6,
    }
}

fn step(changes: &mut Changes, site: &Site<'_>, node: &Node, weight: f64) {
    if weight <= 0.0 {
        return;
    }
    let parent = site.parent(node).map(|parent| &parent.shape);
    // An operand of a sum is as good as the sum, which has its own turn.
    let is_in_sum = matches!(parent, Some(Shape::Binary { operator: "+" | "-", .. }));
    let binds_more = match parent {
        Some(Shape::Binary { operator, .. }) => {
            !operator.starts_with(['<', '>', '=', '!']) || operator.len() == 2 && matches!(*operator, "<<" | ">>")
        }
        _ => site.binds_tightly(node),
    };
    for sign in ["+", "-"] {
        if is_in_sum {
            continue;
        }
        if binds_more {
            changes.wrap(weight * 0.5, &node.span, "(", &format!(" {sign} 1)"));
        } else {
            changes.insert(weight * 0.5, node.span.end, format!(" {sign} 1"));
        }
    }
}
