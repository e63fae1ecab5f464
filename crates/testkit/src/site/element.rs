//! The markup of a page as a tree, so that a change can be made to it whatever its layout.

use std::fmt::Write as _;

/// Elements that have no content and no end tag.
const VOID: &[&str] = &["meta", "link", "br", "img", "hr", "input"];

/// Child of an element.
#[derive(Debug, Clone)]
pub(super) enum Child {
    Element(Element),
    Text(String),
    /// The content of a script, which is not escaped.
    Script(String),
}

/// An HTML element of a page.
#[derive(Debug, Clone)]
pub(super) struct Element {
    pub(super) tag: String,
    pub(super) classes: Vec<String>,
    pub(super) attributes: Vec<(String, String)>,
    pub(super) children: Vec<Child>,
    /// The field whose value this element shows. Not part of the markup.
    pub(super) field: Option<&'static str>,
    /// The field without which this element has no reason to be: its label and all. Not part of the markup.
    pub(super) row: Option<&'static str>,
}

/// An element with classes, written with spaces between them.
pub(super) fn element(tag: &str, classes: &str) -> Element {
    Element {
        tag: tag.to_owned(),
        classes: classes.split_whitespace().map(str::to_owned).collect(),
        attributes: Vec::new(),
        children: Vec::new(),
        field: None,
        row: None,
    }
}

impl Element {
    pub(super) fn attribute(mut self, name: &str, value: impl Into<String>) -> Self {
        self.attributes.push((name.to_owned(), value.into()));
        self
    }

    pub(super) fn child(mut self, child: Self) -> Self {
        self.children.push(Child::Element(child));
        self
    }

    pub(super) fn children(mut self, children: impl IntoIterator<Item = Self>) -> Self {
        self.children.extend(children.into_iter().map(Child::Element));
        self
    }

    pub(super) fn text(mut self, text: impl Into<String>) -> Self {
        self.children.push(Child::Text(text.into()));
        self
    }

    pub(super) fn script(mut self, text: impl Into<String>) -> Self {
        self.children.push(Child::Script(text.into()));
        self
    }

    /// Shows the value of a field, and vanishes with it.
    pub(super) fn field(mut self, name: &'static str) -> Self {
        self.field = Some(name);
        self.row = self.row.or(Some(name));
        self
    }

    /// Vanishes with a field.
    pub(super) fn row(mut self, name: &'static str) -> Self {
        self.row = Some(name);
        self
    }

    /// Calls `change` for this element and everything in it, from the outside in.
    pub(super) fn walk(&mut self, change: &mut dyn FnMut(&mut Self)) {
        change(self);
        for child in &mut self.children {
            if let Child::Element(inner) = child {
                inner.walk(change);
            }
        }
    }

    /// The HTML of it.
    pub(super) fn html(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        let _ = write!(out, "<{}", self.tag);
        if !self.classes.is_empty() {
            let _ = write!(out, " class=\"{}\"", escape(&self.classes.join(" ")));
        }
        for (name, value) in &self.attributes {
            let _ = write!(out, " {name}=\"{}\"", escape(value));
        }
        out.push('>');
        if VOID.contains(&self.tag.as_str()) {
            return;
        }
        for child in &self.children {
            match child {
                Child::Element(inner) => inner.write(out),
                Child::Text(text) => out.push_str(&escape(text)),
                Child::Script(text) => out.push_str(&text.replace("</", "<\\/")),
            }
        }
        // A line each: neighbours in a line would otherwise be read as one word.
        let _ = writeln!(out, "</{}>", self.tag);
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
