//! A lost first line of functions that make objects, where there are no classes.

use crate::search::change::Changes;
use crate::search::site::Site;
use crate::search::tree::Kind;

/// `if (!(this instanceof Shape)) return new Shape(size)`.
pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    let is_beginning = site.is_in_body()
        && site.is_first()
        && site.statement.is_in_function
        && site.owns_its_lines()
        && site.statement.kind != Kind::Definition;
    let Some(function) = site.function.filter(|_| is_beginning) else { return };
    let name = function.name;
    let is_plain = function.parameters.iter().all(|parameter| !parameter.name.is_empty());
    if !name.starts_with(|first: char| first.is_ascii_uppercase()) || !is_plain {
        return;
    }
    let parameters: Vec<&str> = function.parameters.iter().map(|parameter| parameter.name).collect();
    let (condition, leave) =
        (format!("!(this instanceof {name})"), format!("return new {name}({})", parameters.join(", ")));
    site.put_before(changes, 4.0, site.branch(&condition, &leave));
}
