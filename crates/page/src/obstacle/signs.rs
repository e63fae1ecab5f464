//! Signs of a page: its heads, its amount of text, its controls and its scripts.

use super::Response;
use super::phrases;
use crate::document::{Document, NodeId};

/// Maximum number of headings that are read.
const MOST_HEADINGS: usize = 6;

/// Maximum length of a heading, in characters; longer ones are text.
const LONGEST_HEAD: usize = 160;

/// Maximum number of characters of scripts that are searched for challenges.
const LONGEST_SCRIPT: usize = 20_000;

/// Separators between the parts of a title.
const SEPARATORS: &[&str] = &[" | ", " - ", " – ", " — ", " :: ", " · ", " » ", " « ", ": ", "! ", ". ", "? "];

/// Signs that the rules combine.
pub(super) struct Signs<'a> {
    pub(super) response: &'a Response<'a>,
    /// The title and the first headings, in parts, in lower case.
    pub(super) heads: Vec<String>,
    /// The parts of the first headings alone.
    pub(super) headings: Vec<String>,
    /// The visible text in lower case.
    pub(super) text: String,
    /// Number of visible characters, not counting spaces.
    pub(super) letters: usize,
}

impl<'a> Signs<'a> {
    pub(super) fn of(response: &'a Response<'a>) -> Self {
        let page = response.page;
        let of_tag = |tags: &'static [&str]| page.nodes().filter(move |&node| tags.contains(&page.tag(node)));
        let title = of_tag(&["title"]).next().map(|node| parts(&page.text(node))).unwrap_or_default();
        let headings: Vec<String> =
            of_tag(&["h1", "h2"]).take(MOST_HEADINGS).flat_map(|node| parts(page.visible_text(node))).collect();
        let heads = title.into_iter().chain(headings.iter().cloned()).collect();
        Self { response, heads, headings, text: page.page_text().to_lowercase(), letters: page.letters(page.body()) }
    }

    pub(super) fn page(&self) -> &'a Document {
        self.response.page
    }

    pub(super) fn nodes(&self, tags: &'static [&'static str]) -> impl Iterator<Item = NodeId> + '_ {
        self.page().nodes().filter(move |&node| tags.contains(&self.page().tag(node)))
    }

    /// The first part of the title or of a heading of which a phrase is the greater part, or its beginning.
    pub(super) fn head_with(&self, phrases: &[&str]) -> Option<&str> {
        self.heads.iter().map(String::as_str).find(|head| is_said_by(head, phrases))
    }

    /// The first phrase in the visible text.
    pub(super) fn phrase(&self, phrases: &[&'static str]) -> Option<&'static str> {
        phrases.iter().copied().find(|phrase| self.text.contains(phrase))
    }

    /// The name of a challenge in the attributes of scripts, frames, forms and their holders, or in a script.
    pub(super) fn challenge(&self) -> Option<&'static str> {
        let page = self.page();
        let of_attributes = self
            .nodes(&["script", "iframe", "form", "div", "input"])
            .find_map(|node| page.attributes(node).find_map(|(_, value)| named_in(value, phrases::CHALLENGES)));
        of_attributes
            .or_else(|| self.nodes(&["script"]).find_map(|node| named_in(page.raw_text(node), phrases::CHALLENGES)))
    }

    pub(super) fn has_password(&self) -> bool {
        let page = self.page();
        self.nodes(&["input"])
            .any(|node| page.attribute(node, "type").is_some_and(|kind| kind.eq_ignore_ascii_case("password")))
    }

    /// A button or link that gives consent, and its label.
    pub(super) fn accepting(&self) -> Option<(NodeId, String)> {
        let page = self.page();
        self.nodes(&["button", "a", "input"]).find_map(|node| {
            let label = match page.visible_text(node) {
                "" => page.attribute(node, "value").unwrap_or_default(),
                text => text,
            };
            let label = label.trim().to_lowercase();
            let is_short = label.chars().count() <= 40;
            (is_short && phrases::ACCEPT.iter().any(|phrase| label.starts_with(phrase))).then_some((node, label))
        })
    }

    pub(super) fn scripts(&self) -> usize {
        self.nodes(&["script"]).count()
    }
}

fn named_in(text: &str, names: &[&'static str]) -> Option<&'static str> {
    let text = text.chars().take(LONGEST_SCRIPT).collect::<String>().to_lowercase();
    names.iter().copied().find(|name| text.contains(name))
}

/// Returns whether a phrase is at least half of a head, or its beginning.
fn is_said_by(head: &str, phrases: &[&str]) -> bool {
    let length = head.chars().count();
    phrases.iter().any(|phrase| {
        let said = phrase.chars().count();
        let is_word = |found: &str| {
            let (before, after) = (head.find(found).unwrap_or(0), head.find(found).unwrap_or(0) + found.len());
            !head[..before].ends_with(char::is_alphanumeric) && !head[after..].starts_with(char::is_alphanumeric)
        };
        head.contains(phrase) && said * 2 >= length && (said > 4 || is_word(phrase))
    })
}

/// The parts of a title or heading, in lower case.
fn parts(text: &str) -> Vec<String> {
    let mut parts = vec![text.trim().to_lowercase().replace('’', "'")];
    for separator in SEPARATORS {
        parts = parts.iter().flat_map(|part| part.split(separator)).map(str::to_owned).collect();
    }
    parts.retain(|part| !part.trim().is_empty() && part.chars().count() <= LONGEST_HEAD);
    parts
}
