//! A subscript, slice or range with the wrong bounds, missing, or too much.

use ruff_python_ast::{Expr, ExprCall, ExprSlice, ExprSubscript};
use ruff_text_size::Ranged;

use crate::edit::Edit;
use crate::python::module::Span;
use crate::python::search::site::{Place, Site, called_name};
use crate::search::change::Changes;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    let names = site.names();
    for node in site.nodes() {
        match node.expression {
            Expr::Subscript(subscript) => {
                subscripted(changes, site, subscript);
                match &*subscript.slice {
                    Expr::Slice(slice) => bounds(changes, site, slice, names),
                    index => becomes_slice(changes, site, index),
                }
            }
            Expr::Call(call) if called_name(call) == Some("range") => range(changes, site, call),
            Expr::Name(_) | Expr::Attribute(_) | Expr::Call(_)
                if matches!(node.place, Place::Value | Place::Iterable | Place::Condition)
                    && !matches!(node.parent, Some(Expr::Attribute(_))) =>
            {
                let end = node.expression.end().to_usize();
                let (parts, indices) = if node.place == Place::Iterable { (2.0, 0.2) } else { (0.6, 1.0) };
                for part in ["[1:]", "[:-1]", "[::-1]"] {
                    changes.insert(parts, end, part);
                }
                for index in ["[0]", "[-1]", "[1]"] {
                    changes.insert(indices, end, index);
                }
                let own = site.text(node.expression);
                for name in names.iter().filter(|name| **name != own && node.expression.is_name_expr()) {
                    changes.insert(0.15 * indices, end, format!("[{name}]"));
                }
            }
            _ => {}
        }
    }
}

fn subscripted(changes: &mut Changes, site: &Site<'_>, subscript: &ExprSubscript) {
    changes.replace(1.0, subscript, site.text(&*subscript.value));
    // `grid[y][x]` for `grid[x][y]`.
    if let Expr::Subscript(inner) = &*subscript.value {
        changes.swap(2.0, site.file.text, &*inner.slice, &*subscript.slice);
    }
}

fn becomes_slice(changes: &mut Changes, site: &Site<'_>, index: &Expr) {
    let code = site.text(index);
    changes.replace(0.5, index, format!("{code}:"));
    changes.replace(0.5, index, format!(":{code}"));
    // From the other end.
    changes.replace(1.0, index, format!("-{code}"));
    changes.replace(0.7, index, format!("-{code} - 1"));
}

fn bounds(changes: &mut Changes, site: &Site<'_>, slice: &ExprSlice, names: &[&str]) {
    let part = |bound: &Option<Box<Expr>>| bound.as_ref().map_or("", |bound| site.text(&**bound)).to_owned();
    let (lower, upper, step) = (part(&slice.lower), part(&slice.upper), part(&slice.step));
    let mut propose = |weight: f64, lower: &str, upper: &str, step: &str| {
        let step = if step.is_empty() { String::new() } else { format!(":{step}") };
        changes.replace(weight, slice, format!("{lower}:{upper}{step}"));
    };
    propose(2.0, &upper, &lower, &step);
    // Counted from the other end.
    if lower.is_empty() && !upper.is_empty() {
        propose(1.0, &format!("-{upper}"), "", &step);
        propose(1.0, "", &format!("-{upper}"), &step);
    }
    if upper.is_empty() && !lower.is_empty() {
        propose(1.0, "", &format!("-{lower}"), &step);
        propose(1.0, &format!("-{lower}"), "", &step);
    }
    propose(1.0, "", &upper, &step);
    propose(1.0, &lower, "", &step);
    propose(0.5, &lower, &upper, "-1");
    if lower.is_empty() {
        propose(2.0, "1", &upper, &step);
    }
    if upper.is_empty() {
        propose(2.0, &lower, "-1", &step);
    }
    if !step.is_empty() {
        propose(1.5, &lower, &upper, "");
    }
    for name in names {
        if lower.is_empty() {
            propose(0.7, name, &upper, &step);
            propose(0.5, &format!("{name} + 1"), &upper, &step);
        }
        if upper.is_empty() {
            propose(0.7, &lower, name, &step);
            propose(0.5, &lower, &format!("{name} + 1"), &step);
        }
        // A window: `xs[i:i + n]` for `xs[i:n]`.
        if !lower.is_empty() && *name == upper {
            propose(1.5, &lower, &format!("{lower} + {upper}"), &step);
        }
    }
}

fn range(changes: &mut Changes, site: &Site<'_>, call: &ExprCall) {
    match &*call.arguments.args {
        [end] => {
            let start = end.start().to_usize();
            changes.insert(3.0, start, "1, ");
            changes.insert(0.7, start, "2, ");
            for name in site.names().iter().copied().filter(|name| *name != site.text(end)) {
                changes.insert(0.5, start, format!("{name}, "));
                changes.insert(0.7, start, format!("{name} + 1, "));
            }
            let code = site.text(end);
            changes.replace(1.0, end, format!("{code} - 1, -1, -1"));
        }
        [first, last] => {
            changes.delete(2.0, Span { start: first.start().to_usize(), end: last.start().to_usize() });
            changes.delete(0.5, Span { start: first.end().to_usize(), end: last.end().to_usize() });
            changes.insert(1.0, last.end().to_usize(), ", -1");
            changes.insert(0.5, last.end().to_usize(), ", 2");
        }
        [first, last, step] => {
            changes.delete(2.0, Span { start: last.end().to_usize(), end: step.end().to_usize() });
            let text = site.file.text;
            let swapped = [(first, last), (last, first)];
            let edits = swapped
                .map(|(old, new)| Edit::replace(Span::from(old.range()).range(), Span::from(new.range()).text(text)));
            changes.add(0.5, edits.to_vec());
        }
        _ => {}
    }
}
