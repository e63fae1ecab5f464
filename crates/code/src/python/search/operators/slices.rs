//! A slice or range with the wrong bounds.

use crate::search::change::Changes;
use crate::search::site::Site;
use crate::search::tree::Shape;
use crate::span::Span;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes() {
        match &node.shape {
            Shape::Slice { lower, upper, step } => {
                let [lower, upper, step] = [lower, upper, step].map(|bound| bound.map_or("", |bound| site.text(bound)));
                bounds(changes, site, node.span, [lower, upper, step]);
            }
            Shape::Call(call) if site.text(call.name) == "range" => range(changes, site, &call.arguments),
            _ => {}
        }
    }
}

fn bounds(changes: &mut Changes, site: &Site<'_>, slice: Span, [lower, upper, step]: [&str; 3]) {
    let mut propose = |weight: f64, lower: &str, upper: &str, step: &str| {
        let step = if step.is_empty() { String::new() } else { format!(":{step}") };
        changes.replace(weight, &slice, format!("{lower}:{upper}{step}"));
    };
    propose(2.0, upper, lower, step);
    // Counted from the other end.
    if lower.is_empty() && !upper.is_empty() {
        propose(1.0, &format!("-{upper}"), "", step);
        propose(1.0, "", &format!("-{upper}"), step);
    }
    if upper.is_empty() && !lower.is_empty() {
        propose(1.0, "", &format!("-{lower}"), step);
        propose(1.0, &format!("-{lower}"), "", step);
    }
    propose(1.0, "", upper, step);
    propose(1.0, lower, "", step);
    propose(0.5, lower, upper, "-1");
    if lower.is_empty() {
        propose(2.0, "1", upper, step);
    }
    if upper.is_empty() {
        propose(2.0, lower, "-1", step);
    }
    if !step.is_empty() {
        propose(1.5, lower, upper, "");
    }
    for name in site.names().iter().map(|name| name.text) {
        if lower.is_empty() {
            propose(0.7, name, upper, step);
            propose(0.5, &format!("{name} + 1"), upper, step);
        }
        if upper.is_empty() {
            propose(0.7, lower, name, step);
            propose(0.5, lower, &format!("{name} + 1"), step);
        }
        // A window: `xs[i:i + n]` for `xs[i:n]`.
        if !lower.is_empty() && name == upper {
            propose(1.5, lower, &format!("{lower} + {upper}"), step);
        }
    }
}

fn range(changes: &mut Changes, site: &Site<'_>, arguments: &[Span]) {
    match arguments {
        [end] => {
            let code = site.text(*end);
            changes.insert(3.0, end.start, "1, ");
            changes.insert(0.7, end.start, "2, ");
            for name in site.names().iter().map(|name| name.text).filter(|name| *name != code) {
                changes.insert(0.5, end.start, format!("{name}, "));
                changes.insert(0.7, end.start, format!("{name} + 1, "));
            }
            changes.replace(1.0, end, format!("{code} - 1, -1, -1"));
        }
        [first, last] => {
            changes.delete(2.0, Span { start: first.start, end: last.start });
            changes.delete(0.5, Span { start: first.end, end: last.end });
            changes.insert(1.0, last.end, ", -1");
            changes.insert(0.5, last.end, ", 2");
        }
        [first, last, step] => {
            changes.delete(2.0, Span { start: last.end, end: step.end });
            changes.swap(0.5, site.file.text, first, last);
        }
        _ => {}
    }
}
