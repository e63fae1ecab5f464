//! Selectors: CSS, or `xpath:` and a subset of XPath 1.0.

mod css;
mod effort;
mod xpath;

use std::fmt;

use self::effort::Effort;
use crate::document::{Document, NodeId};

/// Prefix of a selector that is not CSS.
const XPATH: &str = "xpath:";

/// The longest selector that is read, in bytes.
const LONGEST: usize = 4000;

/// A selector that was understood.
#[derive(Debug, Clone)]
pub struct Selector {
    source: String,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    Css(Box<dom_query::Matcher>),
    XPath(xpath::Expression),
}

/// A selector that was not understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectorError {
    /// It is not CSS, or a part of CSS that only a browser knows.
    #[error("`{selector}` is not a CSS selector; write CSS such as `h1.title`, or XPath after `xpath:`")]
    Css {
        /// The selector as written.
        selector: String,
    },
    /// The selector is longer than any handwritten one.
    #[error("a selector of {bytes} bytes is longer than {LONGEST}; write a shorter one")]
    TooLong {
        /// Length of the selector in bytes.
        bytes: usize,
    },
    /// It is not XPath, or outside the subset.
    #[error("`xpath:{selector}` is not understood at character {position}: {expected}")]
    XPath {
        /// The selector as written, without `xpath:`.
        selector: String,
        /// Position of the first invalid character, counted in characters from 1.
        position: usize,
        /// Description of the expected input at the position.
        expected: String,
    },
}

impl Selector {
    /// Reads a selector: CSS, or XPath after `xpath:`.
    ///
    /// # Errors
    ///
    /// When it is neither, or too long.
    pub fn parse(source: &str) -> Result<Self, SelectorError> {
        if source.len() > LONGEST {
            return Err(SelectorError::TooLong { bytes: source.len() });
        }
        let kind = if let Some(expression) = source.trim_start().strip_prefix(XPATH) {
            Kind::XPath(xpath::parse(expression)?)
        } else {
            let matcher = dom_query::Matcher::new(source);
            Kind::Css(Box::new(matcher.map_err(|_| SelectorError::Css { selector: source.to_owned() })?))
        };
        Ok(Self { source: source.to_owned(), kind })
    }

    /// The compiled selector, if it is CSS.
    pub(crate) fn css(&self) -> Option<&dom_query::Matcher> {
        match &self.kind {
            Kind::Css(matcher) => Some(matcher),
            Kind::XPath(_) => None,
        }
    }

    /// Returns the selector as written.
    pub fn source(&self) -> &str {
        &self.source
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.source)
    }
}

impl PartialEq for Selector {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for Selector {}

/// A selector that would take too long on a page.
#[derive(Debug, Clone, PartialEq, Eq, Hash, thiserror::Error)]
#[error("`{selector}` would take too long on this page; write it without `~`, `:has()` or conditions on whole axes")]
pub struct TooMuchWork {
    /// The selector as written.
    pub selector: String,
}

impl Document {
    /// The elements that a selector means, in document order, each once.
    ///
    /// # Errors
    ///
    /// When it would take more than some hundred steps for each element, or twenty million on a small page: each page takes
    /// time by its size, and what was found until then may be wrong.
    pub fn try_select(&self, selector: &Selector) -> Result<Vec<NodeId>, TooMuchWork> {
        let effort = Effort::for_page(self.len());
        let found = match &selector.kind {
            Kind::Css(matcher) => css::select(self, matcher, &effort),
            Kind::XPath(expression) => xpath::evaluate(expression, self, &effort),
        };
        if effort.is_spent() { Err(TooMuchWork { selector: selector.source.clone() }) } else { Ok(found) }
    }

    /// As [`Document::try_select`]; nothing when it would take too long.
    pub fn select(&self, selector: &Selector) -> Vec<NodeId> {
        self.try_select(selector).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn css_gives_document_order() {
        let page = Document::parse("<ul><li class=b>1<li class=a>2<li>3</ul>");
        let texts = |selector: &str| -> Vec<String> {
            let selector = Selector::parse(selector).unwrap();
            page.select(&selector).into_iter().map(|node| page.text(node).into_owned()).collect()
        };
        assert_eq!(texts(".a, .b"), ["1", "2"]);
        assert_eq!(texts("li:not(.a):nth-child(3), ul > li:first-child"), ["1", "3"]);
        assert_eq!(texts("ul:has(.a) > .b"), ["1"]);
        assert_eq!(texts("xpath://li[@class='a']"), ["2"]);
    }

    #[test]
    fn what_is_no_selector_is_refused() {
        for source in ["", "h1..a", "p:contains(", "xpath://p[", "xpath:", "xpath://p[unknown()]"] {
            assert!(Selector::parse(source).is_err(), "{source}");
        }
    }
}
