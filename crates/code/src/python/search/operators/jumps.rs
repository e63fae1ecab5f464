//! `yield` for `return`, and the other way around; `yield from` for either.

use crate::search::change::Changes;
use crate::search::site::Site;
use crate::search::tree::{Kind, Shape};

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    let statement = site.statement.span;
    let code = site.text(statement);
    match &site.statement.kind {
        Kind::Return(Some(value)) => {
            changes.replace(1.0, &statement, format!("yield {}", site.text(*value)));
            changes.replace(0.5, &statement, format!("yield from {}", site.text(*value)));
        }
        Kind::Expression(value) => {
            if let Some(value) = code.strip_prefix("yield from ") {
                changes.replace(3.0, &statement, format!("yield {value}"));
            } else if let Some(value) = code.strip_prefix("yield ") {
                changes.replace(3.0, &statement, format!("yield from {value}"));
                changes.replace(1.0, &statement, format!("return {value}"));
            } else if site.node_in(*value).is_some_and(|value| matches!(value.shape, Shape::Call(_))) {
                changes.insert(1.0, statement.start, "yield from ");
            }
        }
        Kind::Other if code == "pass" => changes.replace(1.0, &statement, "raise"),
        _ => {}
    }
}
