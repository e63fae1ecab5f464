//! Changes to a page's markup that leave its layout what it is.

use super::change::Switches;
use super::element::{Child, Element, element};

/// Other tags for the same things, none of which changes what a browser makes of the nesting.
const RETAGGED: &[(&str, &str)] = &[
    ("article", "section"),
    ("section", "div"),
    ("main", "div"),
    ("header", "div"),
    ("h1", "h2"),
    ("h2", "h3"),
    ("span", "b"),
    ("time", "span"),
    ("p", "div"),
    ("ul", "ol"),
    ("dl", "div"),
    ("dt", "div"),
    ("dd", "div"),
    ("aside", "section"),
];

pub(super) fn mutate(page: &mut Element, switches: &Switches) {
    for field in &switches.deleted {
        delete(page, field);
    }
    for (field, by) in &switches.replaced {
        page.walk(&mut |inner| {
            if inner.field == Some(field.as_str()) {
                replace(inner, by);
            }
        });
    }
    if switches.wrapped {
        page.walk(&mut wrap);
    }
    if switches.retagged {
        page.walk(&mut |inner| {
            if let Some((_, to)) = RETAGGED.iter().find(|(from, _)| *from == inner.tag) {
                (*to).clone_into(&mut inner.tag);
            }
        });
    }
    if let Some(seed) = switches.class_names {
        page.walk(&mut |inner| {
            for class in &mut inner.classes {
                *class = renamed(class, seed);
            }
        });
    }
}

fn delete(page: &mut Element, field: &str) {
    page.children.retain_mut(|child| match child {
        Child::Element(inner) => {
            delete(inner, field);
            inner.row != Some(field)
        }
        Child::Text(_) | Child::Script(_) => true,
    });
}

fn replace(shown: &mut Element, by: &str) {
    for (name, value) in &mut shown.attributes {
        if matches!(name.as_str(), "datetime" | "content" | "href") {
            by.clone_into(value);
        }
    }
    shown.children = vec![Child::Text(by.to_owned())];
}

/// Puts new elements between an element and what is in it, where the element is the page's body or shows a value.
fn wrap(outer: &mut Element) {
    // The new elements come under this function as well; they are neither.
    let (tag, classes) = match (outer.tag.as_str(), outer.field) {
        ("body", _) => ("div", ["shell", "shell-inner"]),
        ("meta" | "link" | "title" | "ul" | "ol" | "table" | "tbody" | "div" | "section", _) | (_, None) => return,
        (_, Some(_)) => ("span", ["value", "value-inner"]),
    };
    let content = std::mem::take(&mut outer.children);
    let mut inner = element(tag, classes[1]);
    inner.children = content;
    outer.children = vec![Child::Element(element(tag, classes[0]).child(inner))];
}

/// A name like those of CSS modules. FNV-1a, since a name must be the same in every build.
fn renamed(class: &str, seed: u64) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for byte in class.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("c{:08x}", hash & 0xffff_ffff)
}
