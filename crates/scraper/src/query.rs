//! A selector as programs write it: CSS with the pseudo-elements of the Python library parsel, or XPath that ends in a text or an
//! attribute.

use std::fmt;

use autoheal_page::reading::Reading;
use autoheal_page::recipe::{NodeTake, Take};
use autoheal_page::{NodeId, Selector, SelectorError};
use autoheal_source::SelectorLanguage;

/// Part of a selected element.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Part {
    /// The element itself, as HTML.
    Element,
    /// Each text node directly in it (`h1::text`).
    Text,
    /// Each text node in it or below it (`h1 ::text`).
    TextBelow,
    /// The text that a reader sees in it, as one text: only of elements that were found again.
    Visible,
    /// The value of an attribute (`a::attr(href)`).
    Attribute(String),
}

impl Part {
    /// Returns the part as recipes write it.
    pub fn take(&self) -> NodeTake {
        match self {
            Self::Element | Self::TextBelow | Self::Visible => NodeTake::Text,
            Self::Text => NodeTake::OwnText,
            Self::Attribute(name) => NodeTake::Attribute(name.clone()),
        }
    }

    /// Returns whether a program that takes all of these matches reads a list. Programs join the texts of one element, too.
    pub const fn is_list(&self, matches: usize) -> bool {
        matches > 1 || matches!(self, Self::Element | Self::Attribute(_))
    }

    /// Returns the part of an element that was found again, where a program asks for this part and relocation found `take`.
    pub fn found_again(&self, take: &Take) -> Option<Self> {
        match (self, take) {
            (Self::Element, Take::Node(NodeTake::Text | NodeTake::OwnText)) => Some(Self::Element),
            // The program takes the element's text: where a value is in an attribute, it would find another.
            (Self::Element, _) | (_, Take::Node(NodeTake::Html) | Take::Structured(_)) => None,
            (_, Take::Node(NodeTake::OwnText)) => Some(Self::Text),
            (Self::TextBelow, Take::Node(NodeTake::Text)) => Some(Self::TextBelow),
            (_, Take::Node(NodeTake::Text)) => Some(Self::Visible),
            (_, Take::Node(NodeTake::Attribute(name))) => Some(Self::Attribute(name.clone())),
        }
    }

    /// The texts of an element, as the program would get them.
    pub fn of(&self, page: &Reading, node: NodeId) -> Vec<String> {
        match self {
            Self::Element => vec![page.document().html(node)],
            Self::Text => page.text_nodes(node),
            Self::TextBelow => page.text_nodes_below(node),
            Self::Visible => vec![page.text(node)],
            Self::Attribute(name) => page.attribute(node, name).into_iter().collect(),
        }
    }
}

/// A selector that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// It is not CSS or XPath, or outside of what is supported.
    #[error(transparent)]
    Selector(#[from] SelectorError),
    /// Its alternatives end in different parts.
    #[error(
        "the alternatives of `{0}` end in different parts: write the same `::text` or `::attr()` at the end of each"
    )]
    MixedParts(String),
    /// A pseudo-element that does not exist.
    #[error("`{0}` ends in an unknown pseudo-element: write `::text` or `::attr(name)`")]
    PseudoElement(String),
    /// XPath that selects all texts of a page, or begins at a text.
    #[error("`{0}` selects no elements: begin with the element that holds the text, as in `//h1/text()`")]
    NoElement(String),
}

/// A selector as a program writes it.
#[derive(Debug, Clone)]
pub struct Query {
    written: String,
    language: SelectorLanguage,
    selector: Selector,
    part: Part,
}

impl Query {
    /// Reads a selector.
    ///
    /// # Errors
    ///
    /// If it is not CSS or XPath, or outside of what is supported.
    pub fn parse(written: &str, language: SelectorLanguage) -> Result<Self, QueryError> {
        let (selector, part) = match language {
            SelectorLanguage::Css => css(written)?,
            SelectorLanguage::XPath => xpath(written)?,
        };
        Ok(Self { written: written.to_owned(), language, selector, part })
    }

    /// The selector as the program writes it.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// The language in which it is written.
    pub const fn language(&self) -> SelectorLanguage {
        self.language
    }

    /// The elements that it selects.
    pub const fn selector(&self) -> &Selector {
        &self.selector
    }

    /// Part of the elements that it gives.
    pub const fn part(&self) -> &Part {
        &self.part
    }

    /// The selector of what this one finds within the elements of another; `None` if the two cannot be joined.
    pub(crate) fn within(&self, outer: &Self) -> Option<Selector> {
        let both_css = self.language == SelectorLanguage::Css && outer.language == SelectorLanguage::Css;
        both_css.then(|| within(&outer.selector, &self.selector)).flatten()
    }
}

/// The CSS selector of what one selects within what another selects.
pub(crate) fn within(outer: &Selector, inner: &Selector) -> Option<Selector> {
    let one = |selector: &Selector| match selector.source() {
        source if source.contains(',') => format!(":is({source})"),
        source => source.to_owned(),
    };
    Selector::parse(&format!("{} {}", one(outer), one(inner))).ok()
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

fn css(written: &str) -> Result<(Selector, Part), QueryError> {
    let mut parts = Vec::new();
    let mut alternatives = Vec::new();
    for alternative in top_level(written) {
        let (selector, part) = css_alternative(written, alternative)?;
        alternatives.push(selector);
        parts.push(part);
    }
    let part = parts.pop().unwrap_or(Part::Element);
    if parts.iter().any(|other| *other != part) {
        return Err(QueryError::MixedParts(written.to_owned()));
    }
    Ok((Selector::parse(&alternatives.join(", "))?, part))
}

fn css_alternative<'a>(written: &str, alternative: &'a str) -> Result<(&'a str, Part), QueryError> {
    let alternative = alternative.trim();
    let Some((selector, pseudo)) = alternative.rsplit_once("::") else { return Ok((alternative, Part::Element)) };
    // Within quotes or brackets the colons are part of a value.
    if pseudo.contains([']', '"', '\'']) && !pseudo.starts_with("attr(") {
        return Ok((alternative, Part::Element));
    }
    let part = match pseudo.trim() {
        "text" if selector.ends_with(char::is_whitespace) => Part::TextBelow,
        "text" => Part::Text,
        pseudo => {
            let name = pseudo.strip_prefix("attr(").and_then(|rest| rest.strip_suffix(')'));
            let part = name.and_then(|name| attribute(name.trim().trim_matches(['"', '\''])));
            part.ok_or_else(|| QueryError::PseudoElement(written.to_owned()))?
        }
    };
    let selector = selector.trim();
    // The texts of an element and of all below it, as parsel understands `h1 *::text`.
    if let (Part::Text, Some(around)) = (&part, selector.strip_suffix(" *")) {
        return Ok((around.trim(), Part::TextBelow));
    }
    Ok((if selector.is_empty() { "*" } else { selector }, part))
}

/// The alternatives of a selector: what commas outside of brackets and quotes separate.
fn top_level(written: &str) -> Vec<&str> {
    let (mut depth, mut quote, mut start) = (0_usize, None, 0);
    let mut alternatives = Vec::new();
    let mut is_escaped = false;
    for (at, char) in written.char_indices() {
        if std::mem::take(&mut is_escaped) {
            continue;
        }
        match (char, quote) {
            ('\\', _) => is_escaped = true,
            (_, Some(open)) => quote = (char != open).then_some(open),
            ('"' | '\'', None) => quote = Some(char),
            ('(' | '[', None) => depth += 1,
            (')' | ']', None) => depth = depth.saturating_sub(1),
            (',', None) if depth == 0 => {
                alternatives.push(&written[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    alternatives.push(&written[start..]);
    alternatives
}

fn xpath(written: &str) -> Result<(Selector, Part), QueryError> {
    let path = written.trim();
    let (elements, part) = if let Some(elements) = path.strip_suffix("//text()") {
        (elements, Part::TextBelow)
    } else if let Some(elements) = path.strip_suffix("/text()") {
        (elements, Part::Text)
    } else if let Some((elements, part)) =
        path.rsplit_once("/@").and_then(|(elements, name)| Some((elements, attribute(name).filter(|_| is_name(name))?)))
    {
        (elements, part)
    } else {
        (path, Part::Element)
    };
    // A path begins with an axis or a name; a call gives a text.
    let is_call = elements.split(['/', '[', ':']).next().is_some_and(|first| first.contains('('));
    let is_group = elements.starts_with('(');
    if elements.is_empty() || elements.ends_with('/') || (is_call && !is_group) {
        return Err(QueryError::NoElement(written.to_owned()));
    }
    Ok((Selector::parse(&format!("xpath:{elements}"))?, part))
}

/// The part that an attribute is, if recipes know attributes of this name.
fn attribute(name: &str) -> Option<Part> {
    match format!("attr:{name}").parse() {
        Ok(Take::Node(NodeTake::Attribute(name))) => Some(Part::Attribute(name)),
        _ => None,
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|char| char.is_alphanumeric() || "-_:.".contains(char))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("h1.title::text", "h1.title", Part::Text)]
    #[case("h1 ::text", "h1", Part::TextBelow)]
    #[case("h1 *::text", "h1", Part::TextBelow)]
    #[case("a::attr(HREF)", "a", Part::Attribute("href".to_owned()))]
    #[case("a::attr('data-x')", "a", Part::Attribute("data-x".to_owned()))]
    #[case("::text", "*", Part::Text)]
    #[case("h1::text, h2::text", "h1, h2", Part::Text)]
    #[case("a[title='x::text, y']", "a[title='x::text, y']", Part::Element)]
    #[case("p:not(.a, .b)", "p:not(.a, .b)", Part::Element)]
    fn css_is_read_in_the_words_of_parsel(#[case] written: &str, #[case] selector: &str, #[case] part: Part) {
        let query = Query::parse(written, SelectorLanguage::Css).unwrap();
        assert_eq!((query.selector().source(), query.part()), (selector, &part));
    }

    #[rstest]
    #[case("//h1/text()", "xpath://h1", Part::Text)]
    #[case("//div[@id='a']//text()", "xpath://div[@id='a']", Part::TextBelow)]
    #[case("//a/@href", "xpath://a", Part::Attribute("href".to_owned()))]
    #[case("//a[contains(@href, '/x')]", "xpath://a[contains(@href, '/x')]", Part::Element)]
    fn xpath_ends_in_a_part(#[case] written: &str, #[case] selector: &str, #[case] part: Part) {
        let query = Query::parse(written, SelectorLanguage::XPath).unwrap();
        assert_eq!((query.selector().source(), query.part()), (selector, &part));
    }

    #[rstest]
    #[case("h1::text, h2", SelectorLanguage::Css, "different parts")]
    #[case("h1::before", SelectorLanguage::Css, "unknown pseudo-element")]
    #[case("h1::attr(a/):has(b)", SelectorLanguage::Css, "unknown pseudo-element")]
    #[case("h1::attr()", SelectorLanguage::Css, "unknown pseudo-element")]
    #[case("h1[", SelectorLanguage::Css, "is not a CSS selector")]
    #[case("//text()", SelectorLanguage::XPath, "selects no elements")]
    #[case("string(//h1)", SelectorLanguage::XPath, "selects no elements")]
    fn other_selectors_are_refused(#[case] written: &str, #[case] language: SelectorLanguage, #[case] words: &str) {
        let error = Query::parse(written, language).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}
