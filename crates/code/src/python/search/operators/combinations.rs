//! A value that lacks something in scope: another operand, a bound of what is gone through, a condition of a comprehension, the better of
//! two.

use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::Ranged;

use crate::python::search::site::{Node, Place, Site};
use crate::python::search::stock::is_short;
use crate::search::change::Changes;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes() {
        match node.expression {
            Expr::Name(name) => {
                operand(changes, site, node);
                if node.place == Place::Iterable && !site.file.uses(&name.id).is_number() {
                    part(changes, site, node);
                }
            }
            Expr::ListComp(inner) => filtered(changes, site, &inner.generators),
            Expr::SetComp(inner) => filtered(changes, site, &inner.generators),
            Expr::DictComp(inner) => filtered(changes, site, &inner.generators),
            Expr::Generator(inner) => filtered(changes, site, &inner.generators),
            _ => {}
        }
    }
    better(changes, site);
}

/// `x - y` for `x`, and `x ** 2`: where a variable is an argument, an element or an operand.
fn operand(changes: &mut Changes, site: &Site<'_>, node: &Node<'_>) {
    let is_operand = matches!(node.place, Place::Value | Place::Index | Place::Bound);
    let own = site.text(node.expression);
    let uses = site.file.uses(own);
    if !is_operand || node.parent.is_none() || uses.is_called() || matches!(own, "self" | "cls") {
        return;
    }
    let in_sum = matches!(node.parent, Some(Expr::BinOp(_)));
    if in_sum || !node.binds_tightly() {
        changes.insert(if in_sum { 0.7 } else { 0.2 }, node.expression.end().to_usize(), " ** 2");
    }
    if node.binds_tightly() {
        return;
    }
    for name in site.names().iter().copied().filter(|name| *name != own) {
        let fit = uses.fit(site.file.uses(name)) * if site.file.uses(name).is_collection() { 0.3 } else { 1.0 };
        let (start, end) = (node.expression.start().to_usize(), node.expression.end().to_usize());
        changes.insert(0.5 * fit, start, format!("{name} + "));
        changes.insert(0.3 * fit, end, format!(" + {name}"));
        changes.insert(0.5 * fit, end, format!(" - {name}"));
        changes.insert(0.2 * fit, end, format!(" * {name}"));
    }
}

/// Proposes a part of a collection: `items[k:]` for `items`.
fn part(changes: &mut Changes, site: &Site<'_>, node: &Node<'_>) {
    let end = node.expression.end().to_usize();
    let others = site.names().iter().copied().filter(|name| *name != site.text(node.expression));
    for name in others.filter(|name| !site.file.uses(name).is_collection()) {
        for (code, weight) in
            [(format!("[{name}:]"), 1.0), (format!("[:{name}]"), 0.7), (format!("[{name} + 1:]"), 0.5)]
        {
            changes.insert(weight, end, code);
        }
    }
}

/// `for x in xs if x` for `for x in xs`.
fn filtered(changes: &mut Changes, site: &Site<'_>, generators: &[ruff_python_ast::Comprehension]) {
    let Some(last) = generators.last().filter(|last| last.ifs.is_empty()) else { return };
    let end = last.iter.end().to_usize();
    let target = site.text(&last.target);
    if last.target.is_name_expr() {
        for (condition, weight) in
            [(target.to_owned(), 1.5), (format!("{target}.strip()"), 0.7), (format!("{target} is not None"), 0.7)]
        {
            changes.insert(weight, end, format!(" if {condition}"));
        }
        for name in site.names().iter().copied().filter(|name| *name != target) {
            changes.insert(0.3, end, format!(" if {target} != {name}"));
            changes.insert(0.3, end, format!(" if {target} not in {name}"));
        }
    }
    for condition in site.function_conditions() {
        changes.insert(0.3, end, format!(" if {condition}"));
    }
}

/// `best = max(best, value)` for `best = value`.
fn better(changes: &mut Changes, site: &Site<'_>) {
    let Stmt::Assign(statement) = site.statement else { return };
    let ([Expr::Name(target)], true) = (statement.targets.as_slice(), site.around.is_in_loop) else { return };
    let value = site.text(&*statement.value);
    let has_value = !site.is_only_binding(&target.id);
    if has_value && is_short(value) && !site.file.uses(&target.id).is_no_number() {
        for (best, weight) in [("max", 1.5), ("min", 1.0)] {
            changes.wrap(weight, &*statement.value, &format!("{best}({}, ", target.id), ")");
        }
    }
}
