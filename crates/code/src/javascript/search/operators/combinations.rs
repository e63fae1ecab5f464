//! A value that lacks something in scope: another operand, a bound of what is gone through, the better of two.

use crate::javascript::search::site::Site;
use crate::javascript::search::stock::is_short;
use crate::javascript::search::tree::{Kind, Node, Place, Shape};
use crate::search::change::Changes;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes() {
        match &node.shape {
            Shape::Name => {
                operand(changes, site, node);
                if node.place == Place::Iterable && !site.file.uses(site.text(node.span)).is_number() {
                    part(changes, site, node);
                }
            }
            Shape::Assign { target, operator: "=", value } if site.statement.is_in_loop => {
                let (target, code) = (site.text(*target), site.text(*value));
                if matches!(site.statement.kind, Kind::Expression(_))
                    && is_short(code)
                    && !site.file.uses(target).is_no_number()
                {
                    changes.wrap(1.5, value, &format!("Math.max({target}, "), ")");
                    changes.wrap(1.0, value, &format!("Math.min({target}, "), ")");
                }
            }
            _ => {}
        }
    }
}

/// `x - y` for `x`: where a variable is an argument or an element.
fn operand(changes: &mut Changes, site: &Site<'_>, node: &Node) {
    let is_operand = matches!(node.place, Place::Value | Place::Index | Place::Bound);
    let own = site.text(node.span);
    let uses = site.file.uses(own);
    if !is_operand || node.parent.is_none() || uses.is_called() || site.binds_tightly(node) {
        return;
    }
    for other in site.names_at(node.span.start).iter().filter(|other| other.text != own) {
        let known = site.file.uses(other.text);
        let fit = other.nearness * uses.fit(known) * if known.is_collection() { 0.3 } else { 1.0 };
        let name = other.text;
        changes.insert(0.5 * fit, node.span.start, format!("{name} + "));
        changes.insert(0.3 * fit, node.span.end, format!(" + {name}"));
        changes.insert(0.5 * fit, node.span.end, format!(" - {name}"));
        changes.insert(0.2 * fit, node.span.end, format!(" * {name}"));
    }
}

/// Proposes a part of a collection: `items.slice(k)` for `items`.
fn part(changes: &mut Changes, site: &Site<'_>, node: &Node) {
    let own = site.text(node.span);
    for other in site.names_at(node.span.start).iter().filter(|other| other.text != own) {
        if !site.file.uses(other.text).is_collection() {
            let name = other.text;
            changes.insert(other.nearness, node.span.end, format!(".slice({name})"));
            changes.insert(0.7 * other.nearness, node.span.end, format!(".slice(0, {name})"));
        }
    }
}
