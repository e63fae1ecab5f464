//! A regular expression that matches too much or too little; a template with a wrong piece.

use crate::edit::Edit;
use crate::search::change::Changes;
use crate::search::site::Site;
use crate::search::tree::Shape;
use crate::span::Span;

/// Flags that change what is found.
const FLAGS: [(char, f64); 4] = [('g', 2.0), ('i', 2.0), ('m', 0.7), ('u', 0.3)];

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes() {
        match &node.shape {
            Shape::Pattern { body, flags } => {
                let before = changes.count();
                pattern(changes, *body, site.text(*body));
                changes.limit(before, 10.0);
                anchors(changes, *body, site.text(*body));
                let written = site.text(*flags);
                for (flag, weight) in FLAGS {
                    if written.contains(flag) {
                        changes.replace(weight, flags, written.replace(flag, ""));
                    } else {
                        changes.insert(weight, flags.end, flag.to_string());
                    }
                }
            }
            Shape::Template(pieces) => {
                for piece in pieces {
                    let before = changes.count();
                    template(changes, site, *piece);
                    changes.limit(before, 4.0);
                }
            }
            _ => {}
        }
    }
}

/// Parts of patterns, each with the parts that may have been meant and their weights.
const PARTS: &[(&str, &[(&str, f64)])] = &[
    ("+", &[("*", 3.0), ("", 1.0), ("?", 0.5), ("+?", 0.7)]),
    ("*", &[("+", 3.0), ("", 1.0), ("?", 0.5), ("*?", 0.7)]),
    ("?", &[("", 2.0), ("*", 1.0), ("+", 0.5)]),
    ("^", &[("", 2.0)]),
    ("$", &[("", 2.0)]),
    ("\\d", &[("\\D", 1.5), ("\\w", 1.0)]),
    ("\\D", &[("\\d", 2.0)]),
    ("\\w", &[("\\W", 1.5), ("\\d", 1.0)]),
    ("\\W", &[("\\w", 2.0)]),
    ("\\s", &[("\\S", 1.5)]),
    ("\\S", &[("\\s", 2.0)]),
    ("\\b", &[("\\B", 1.0), ("", 1.0)]),
    ("(?:", &[("(", 1.0)]),
    ("(", &[("(?:", 1.0)]),
    (".", &[("\\.", 2.0)]),
    ("\\.", &[(".", 2.0)]),
    ("a-z", &[("A-Z", 0.7), ("a-zA-Z", 1.0)]),
    ("A-Z", &[("a-z", 0.7), ("a-zA-Z", 1.0)]),
    ("0-9", &[("1-9", 1.0)]),
    ("1-9", &[("0-9", 1.0)]),
];

/// Maximum number of parts of one pattern that are changed.
const MOST_PARTS: usize = 40;

fn anchors(changes: &mut Changes, body: Span, code: &str) {
    for (anchor, at) in [("^", body.start), ("$", body.end)] {
        let is_there = if at == body.start { code.starts_with('^') } else { code.ends_with('$') };
        if !is_there {
            changes.insert(2.0, at, anchor);
        }
    }
}

fn pattern(changes: &mut Changes, body: Span, code: &str) {
    let mut at = 0;
    let mut parts = 0;
    while let Some(rest) = code.get(at..).filter(|rest| !rest.is_empty() && parts < MOST_PARTS) {
        let longest = PARTS.iter().filter(|(part, _)| rest.starts_with(part)).max_by_key(|(part, _)| part.len());
        let start = body.start + at;
        if let Some((part, others)) = longest {
            parts += 1;
            for (other, weight) in *others {
                changes.add(*weight, vec![Edit::replace(start..start + part.len(), *other)]);
            }
            at += part.len();
        } else if rest.starts_with("[^") {
            changes.delete(2.0, Span { start: start + 1, end: start + 2 });
            at += 2;
        } else {
            if rest.starts_with('[') {
                changes.insert(1.0, start + 1, "^");
            }
            let escaped = usize::from(rest.starts_with('\\'));
            at += rest.chars().take(1 + escaped).map(char::len_utf8).sum::<usize>();
        }
        // What may be there any number of times.
        if rest.starts_with([']', ')']) {
            for quantifier in ["+", "*", "?"] {
                changes.insert(0.5, start + 1, quantifier);
            }
        }
    }
}

fn template(changes: &mut Changes, site: &Site<'_>, piece: Span) {
    let code = site.text(piece);
    for other in ["", " ", ".", "-", ", ", "/", ":"] {
        if other != code {
            changes.replace(if other.is_empty() { 1.0 } else { 0.3 }, &piece, other);
        }
    }
    if code.trim() != code {
        changes.replace(1.0, &piece, code.trim());
    }
    changes.insert(0.5, piece.end, " ");
    for name in site.names().iter() {
        changes.insert(0.5 * name.nearness, piece.end, format!("${{{}}}", name.text));
    }
}
