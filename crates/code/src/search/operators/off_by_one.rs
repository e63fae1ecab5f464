//! One too many or one too few.

use crate::search::change::Changes;
use crate::search::site::Site;
use crate::search::tree::{Node, Place, Shape};

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    let idioms = site.file.idioms;
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
                let counts = idioms.counting.contains(&site.text(*name));
                step(changes, site, node, if counts { weight * 1.5 } else { weight * 0.8 });
            }
            Shape::Index { .. } => step(changes, site, node, weight * 0.8),
            Shape::Call(call) => {
                let name = site.text(call.name);
                if !idioms.not_counting.contains(&name) {
                    let counts = idioms.counting.contains(&name);
                    step(changes, site, node, if counts { weight * 1.5 } else { weight * 0.25 });
                }
            }
            _ => {}
        }
    }
}

/// Returns the weight of the place: indices, bounds and ranges are where off-by-one faults are most common.
fn likelihood(site: &Site<'_>, node: &Node) -> f64 {
    match (node.place, site.outer(node)) {
        (Place::Target | Place::Callee | Place::Iterable | Place::Shorthand, _) => 0.0,
        (Place::Index | Place::Bound, _) => 3.0,
        (_, Some(Shape::Call(call))) if site.file.idioms.ranges.contains(&site.text(call.name)) => 3.0,
        (_, Some(Shape::Comparison { operators, .. }))
            if operators.iter().any(|operator| operator.starts_with(['<', '>', '=', '!'])) =>
        {
            1.5
        }
        (_, Some(Shape::Member { .. } | Shape::Index { .. } | Shape::Comparison { .. })) => 0.0,
        (Place::Condition, _) => 0.1,
        (_, None) => 1.0,
        (_, Some(_)) => 0.6,
    }
}

fn step(changes: &mut Changes, site: &Site<'_>, node: &Node, weight: f64) {
    // An operand of a sum is as good as the sum, which has its own turn.
    if weight <= 0.0 || matches!(site.outer(node), Some(Shape::Binary { operator: "+" | "-", .. })) {
        return;
    }
    for sign in ["+", "-"] {
        if site.binds_tightly(node) {
            changes.wrap(weight * 0.5, &node.span, "(", &format!(" {sign} 1)"));
        } else {
            changes.insert(weight * 0.5, node.span.end, format!(" {sign} 1"));
        }
    }
}
