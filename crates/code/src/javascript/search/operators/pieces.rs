//! A piece of a text or an array with the wrong bounds.

use crate::search::change::Changes;
use crate::search::site::Site;
use crate::search::tree::Shape;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes() {
        let Shape::Call(call) = &node.shape else { continue };
        if !site.file.idioms.pieces.contains(&site.text(call.name)) {
            continue;
        }
        match call.arguments.as_slice() {
            [only] => {
                let code = site.text(*only);
                changes.insert(2.0, only.start, "0, ");
                changes.insert(0.5, only.start, "1, ");
                changes.insert(1.0, only.end, ", -1");
                if !code.starts_with('-') {
                    changes.replace(1.0, only, format!("-{code}"));
                    changes.replace(0.7, only, format!("0, -{code}"));
                }
                for name in site.names_at(only.start).iter().filter(|name| name.text != code) {
                    changes.insert(0.5 * name.nearness, only.end, format!(", {}", name.text));
                    changes.insert(0.5 * name.nearness, only.end, format!(", {code} + {}", name.text));
                }
            }
            [first, last] => {
                let (lower, upper) = (site.text(*first), site.text(*last));
                changes.replace(1.5, last, format!("{lower} + {upper}"));
                if !upper.starts_with('-') {
                    changes.replace(1.0, last, format!("-{upper}"));
                }
                if lower != "0" {
                    changes.replace(1.5, first, "0");
                }
            }
            _ => {}
        }
    }
}
