//! Selectors within others. The other tools look for a field below an item; a recipe looks at the whole page and then asks which
//! item a node is in, the item itself included.

use autoheal_page::Selector;

/// Selector of a scope: of all items, or of an element within them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Scope {
    /// CSS, or XPath without its prefix.
    text: String,
    is_xpath: bool,
}

/// Parts of selectors that only jQuery knows.
const JQUERY_ONLY: &[&str] = &[
    ":eq(",
    ":gt(",
    ":lt(",
    ":first",
    ":last",
    ":even",
    ":odd",
    ":visible",
    ":hidden",
    ":parent",
    ":header",
    ":contains(",
];

impl Scope {
    /// A scope by its selector.
    ///
    /// # Errors
    ///
    /// When it cannot be used.
    pub(super) fn parse(text: &str, is_xpath: bool) -> Result<Self, String> {
        let scope = Self { text: text.trim().to_owned(), is_xpath };
        scope.selector()?;
        Ok(scope)
    }

    /// As recipes have it.
    ///
    /// # Errors
    ///
    /// When it cannot be used.
    pub(super) fn selector(&self) -> Result<Selector, String> {
        selector(&self.text, self.is_xpath)
    }

    /// Returns whether the scope is the whole page.
    pub(super) fn is_page(&self) -> bool {
        matches!(self.text.as_str(), "body" | "html" | "//body" | "//html" | "/html" | "/html/body" | ":root")
    }

    /// Returns the scope that `inner` selects below this one.
    ///
    /// # Errors
    ///
    /// When `inner` cannot be used.
    pub(super) fn below(&self, inner: &str) -> Result<Self, String> {
        let inner = inner.trim();
        if self.is_xpath {
            let below = inner_path(inner);
            let text = if self.is_page() { absolute(&below) } else { format!("({})/{below}", self.text) };
            return Self::parse(&text, true);
        }
        let own = if has_choice(inner) { format!(":is({inner})") } else { inner.to_owned() };
        if own.starts_with('>') {
            return Self::parse(&format!("{} {own}", grouped(&self.text)), false);
        }
        // Alone it has to be understood, whatever is put around it.
        selector(inner, false)?;
        if self.is_page() || cannot_be_both(&self.text, inner) {
            return Self::parse(inner, false);
        }
        Self::parse(&format!("{own}:not({})", self.text), false)
            .or_else(|_| Self::parse(&format!("{} {own}", grouped(&self.text)), false))
    }

    /// Returns the scope that `inner` selects below this one, with a selector in full: for a scope that is not the item of a recipe.
    ///
    /// # Errors
    ///
    /// When `inner` cannot be used.
    pub(super) fn around(&self, inner: &str) -> Result<Self, String> {
        if self.is_xpath || self.is_page() {
            return self.below(inner);
        }
        if !inner.trim_start().starts_with('>') {
            selector(inner, false)?;
        }
        let own = if has_choice(inner) { format!(":is({})", inner.trim()) } else { inner.trim().to_owned() };
        Self::parse(&format!("{} {own}", grouped(&self.text)), false)
    }
}

fn selector(text: &str, is_xpath: bool) -> Result<Selector, String> {
    let source = if is_xpath { format!("xpath:{text}") } else { text.to_owned() };
    Selector::parse(&source).map_err(|error| match JQUERY_ONLY.iter().find(|part| text.contains(**part)) {
        Some(&":contains(") => format!("`{text}`: put what `:contains` looks for into quotes"),
        Some(part) if !is_xpath => {
            format!(
                "`{text}`: only jQuery knows `{}`: say it in CSS, such as `:nth-child(1)`",
                part.trim_end_matches('(')
            )
        }
        Some(_) | None => error.to_string(),
    })
}

/// A path as it is looked for below an element. A name without a slash is looked for at any depth.
fn inner_path(inner: &str) -> String {
    if inner.starts_with('.') {
        inner.to_owned()
    } else if inner.starts_with('/') {
        format!(".{inner}")
    } else {
        format!(".//{inner}")
    }
}

fn absolute(below: &str) -> String {
    below
        .strip_prefix('.')
        .filter(|rest| rest.starts_with("//"))
        .map_or_else(|| format!("//body/{below}"), str::to_owned)
}

fn grouped(text: &str) -> String {
    if has_choice(text) { format!(":is({text})") } else { text.to_owned() }
}

/// Returns whether a selector has alternatives that are not in parentheses or quotes already.
fn has_choice(selector: &str) -> bool {
    let mut depth = 0_i32;
    let mut quote = None;
    for character in selector.chars() {
        match (quote, character) {
            (Some(open), close) if open == close => quote = None,
            (None, '"' | '\'') => quote = Some(character),
            (None, '(' | '[') => depth += 1,
            (None, ')' | ']') => depth -= 1,
            (None, ',') if depth == 0 => return true,
            (Some(_) | None, _) => {}
        }
    }
    false
}

/// Returns whether the tags of two selectors differ, so that no element matches both.
fn cannot_be_both(one: &str, other: &str) -> bool {
    match (subject_tag(one), subject_tag(other)) {
        (Some(one), Some(other)) => !one.eq_ignore_ascii_case(other),
        (None, _) | (_, None) => false,
    }
}

/// The tag of what a simple selector selects, if it names one.
fn subject_tag(selector: &str) -> Option<&str> {
    if has_choice(selector) || selector.contains(['(', '[', '"']) {
        return None;
    }
    let subject = selector.rsplit([' ', '>', '+', '~']).next()?;
    let tag = subject.split(['.', '#', ':']).next()?;
    (!tag.is_empty() && tag != "*").then_some(tag)
}

#[cfg(test)]
mod tests {
    use autoheal_page::Document;

    use super::*;

    const PAGE: &str =
        "<div class=card>1<div>inner</div><h2>A</h2></div><div class=card>2<h2>B</h2><h3>C</h3></div><h2>D</h2>";

    fn texts(scope: &Scope) -> Vec<String> {
        let page = Document::parse(PAGE);
        page.select(&scope.selector().unwrap()).into_iter().map(|node| page.text(node).into_owned()).collect()
    }

    #[test]
    fn an_item_is_not_below_itself() {
        let cards = Scope::parse("div.card", false).unwrap();
        assert_eq!(cards.below("h2").unwrap().text, "h2", "no tag is two tags: the recipe looks within items anyway");
        assert_eq!(texts(&cards.below("div").unwrap()), ["inner"]);
        assert_eq!(
            texts(&cards.below("> h2, h3").unwrap_or_else(|_| cards.below("h2, h3").unwrap())),
            ["A", "B", "C", "D"]
        );
        assert_eq!(texts(&cards.below("> h2").unwrap()), ["A", "B"]);
        assert_eq!(texts(&cards.around("h2, h3").unwrap()), ["A", "B", "C"]);
    }

    #[test]
    fn paths_within_paths() {
        let cards = Scope::parse("//div[@class='card']", true).unwrap();
        for inner in [".//h2", "//h2", "h2", "./h2"] {
            assert_eq!(texts(&cards.below(inner).unwrap()), ["A", "B"], "{inner}");
        }
        let page = Scope::parse("//body", true).unwrap();
        assert_eq!(page.below(".//h2").unwrap().text, "//h2");
        assert_eq!(texts(&page.below("./h2").unwrap()), ["D"]);
    }

    #[test]
    fn what_only_jquery_knows_is_refused() {
        let page = Scope::parse("body", false).unwrap();
        for (selector, part) in
            [("a:eq(0)", ":eq"), ("h2:first", ":first"), ("tr:gt(0)", ":gt"), ("a:contains(Next)", "quotes")]
        {
            let problem = page.below(selector).unwrap_err();
            assert!(problem.contains(part), "{problem}");
        }
        assert!(page.below("a:contains('Next')").is_ok());
        assert!(page.below("h1..x").is_err() && page.below("").is_err());
    }
}
