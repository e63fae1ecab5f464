//! A statement that leaves the wrong way.

use super::returns;
use crate::search::change::Changes;
use crate::search::site::Site;
use crate::search::tree::{Kind, Node, Place, Shape};
use crate::span::Span;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    let code = site.text(site.statement.span);
    let semicolon = if code.ends_with(';') { ";" } else { "" };
    let whole = site.statement.span;
    let idle = site.file.idioms.idle;
    let mut replace = |weight: f64, other: &str| changes.replace(weight, &whole, format!("{other}{semicolon}"));
    match &site.statement.kind {
        Kind::Break => {
            replace(4.0, "continue");
            replace(1.0, "return");
            let values = returns::values(site);
            let total: f64 = values.iter().map(|(_, weight)| weight).sum();
            for (value, weight) in values {
                replace(*weight / total, &format!("return {value}"));
            }
        }
        Kind::Continue => {
            replace(4.0, "break");
            replace(0.5, "return");
        }
        Kind::Return(value) => {
            if site.statement.is_in_loop {
                replace(1.0, "continue");
                replace(1.0, "break");
            }
            if let Some(value) = value {
                replace(0.5, site.text(*value));
            }
        }
        Kind::Throw => {
            replace(1.0, format!("return {}", thrown(site)).trim_end());
            replace(0.5, "return");
        }
        _ if idle == Some(code) => ["continue", "break", "return"].into_iter().for_each(|other| replace(1.0, other)),
        _ => {}
    }
    if let (Kind::Break | Kind::Continue, Some(idle)) = (&site.statement.kind, idle) {
        replace(0.5, idle);
    }
}

/// Returns the expression that is thrown.
fn thrown<'a>(site: &Site<'a>) -> &'a str {
    let is_it =
        |node: &&Node| node.parent.is_none() && matches!(node.place, Place::Value) && node.shape != Shape::Other;
    site.text(site.nodes().find(is_it).map_or(Span::default(), |node| node.span))
}
