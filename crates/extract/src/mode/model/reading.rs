//! Content of a page, as prompts show it and responses are checked against it.

use autoheal_page::Document;
use serde_json::Value;
use url::Url;

use super::grounding::Evidence;
use crate::form::Form;
use crate::item::{Grounding, PageType};
use crate::mode::convert::converted;
use crate::mode::rule_based::{self, Line, Statement, Subject};

/// Content of a page without the page itself, so that it can be kept during a request to a model.
#[derive(Debug)]
pub struct Reading {
    pub(crate) url: Option<Url>,
    /// Text of the page, one line per block.
    pub(crate) lines: Vec<Line>,
    /// The page's statements about itself, those about its subject first.
    pub(crate) statements: Vec<Statement>,
    /// The type of page that rules see, or else its address names.
    pub(crate) suggested: Option<PageType>,
    /// True if a statement of the page says its type: questions are about the fields of that type only.
    pub(crate) is_type_stated: bool,
    pub(crate) evidence: Evidence,
}

impl Reading {
    /// Reads the content of a page. `url` is the page's URL, the base of its relative links.
    pub fn of(page: &Document, url: Option<&Url>) -> Self {
        let Subject { page_type, is_stated, statements } = rule_based::subject(page, url);
        let named = || segments(url).iter().find_map(|segment| page_type_in(segment));
        Self {
            url: url.cloned(),
            lines: rule_based::lines_of(page),
            statements,
            suggested: Some(page_type).filter(|page_type| *page_type != PageType::Generic).or_else(named),
            is_type_stated: is_stated,
            evidence: Evidence::of(page, url),
        }
    }

    /// Returns the type whose fields questions are about: every field, unless the page states its type.
    pub(crate) fn asked_type(&self) -> PageType {
        self.suggested.filter(|_| self.is_type_stated).unwrap_or_default()
    }

    /// Judges whether a value is on the page, as a value of the form's property; `None` if the form has no
    /// property of that name.
    pub fn grounding(&self, form: &Form, property: &str, value: Value) -> Option<Grounding> {
        let kind = &form.property(property)?.kind;
        Some(self.evidence.judge(&converted(value, kind, self.url.as_ref()), kind))
    }

    /// The words of its address that may describe its subject.
    pub(crate) fn segments(&self) -> Vec<String> {
        segments(self.url.as_ref())
    }
}

fn segments(url: Option<&Url>) -> Vec<String> {
    let segments = url.and_then(Url::path_segments).into_iter().flatten();
    let words = segments.map(|segment| segment.replace(['-', '_', '.', '+'], " ").replace("%20", " "));
    words.filter(|words| words.chars().any(char::is_alphabetic)).collect()
}

/// Words that name a type of page, in addresses and in statements of pages.
const NAMED: [(PageType, &[&str]); 5] = [
    (PageType::Recipe, &["recipe", "recipes", "rezept", "rezepte", "recette", "recettes", "receta", "recetas"]),
    (PageType::Job, &["job", "jobs", "jobposting", "career", "careers", "vacancy", "vacancies", "stellenangebote"]),
    (
        PageType::Event,
        &["event", "events", "musicevent", "concert", "concerts", "veranstaltung", "veranstaltungen", "festival"],
    ),
    (PageType::Product, &["product", "products", "shop", "item", "dp", "produkt", "produkte", "produit", "producto"]),
    (
        PageType::Article,
        &["article", "articles", "newsarticle", "blogposting", "blog", "news", "post", "posts", "story", "press"],
    ),
];

fn page_type_in(text: &str) -> Option<PageType> {
    let text = text.to_lowercase();
    let mut words = text.split(|character: char| !character.is_alphanumeric());
    words.find_map(|word| NAMED.iter().find(|(_, names)| names.contains(&word)).map(|(page_type, _)| *page_type))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(html: &str, url: &str) -> Reading {
        Reading::of(&Document::parse(html), Url::parse(url).ok().as_ref())
    }

    #[test]
    fn a_page_says_what_type_it_is() {
        for (html, url, suggested) in [
            ("<meta property=og:type content=product>", "https://a.example/blog/x", Some(PageType::Product)),
            (
                r#"<script type="application/ld+json">{"@type":"JobPosting","title":"Cook"}</script>"#,
                "https://a.example/",
                Some(PageType::Job),
            ),
            ("<p>x", "https://a.example/recipes/soup-of-leeks", Some(PageType::Recipe)),
            ("<meta property=og:type content=website>", "https://a.example/about", None),
        ] {
            assert_eq!(read(html, url).suggested, suggested, "{html}");
        }
        assert_eq!(read("", "https://a.example/jobs/head-cook_2/17?x").segments(), ["jobs", "head cook 2"]);
    }
}
