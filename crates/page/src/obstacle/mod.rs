//! Pages that a site gives instead of the page: a bot check, a log-in page, a consent wall, a shell that scripts fill, "not found"
//! with status 200, maintenance, another language, a file.
//!
//! Each kind is one rule over the words of the title and the headings, the structure and the amount of text. Words alone are never
//! enough: a rule that is wrong hides a real failure.

mod notice;
mod phrases;
mod rules;
mod signs;

use std::fmt;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::document::Document;
pub use notice::Notice;
use signs::Signs;

/// Kind of a page that is given instead of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObstacleKind {
    /// A check for programs: a captcha, a challenge, a notice that automated requests are refused.
    BotCheck,
    /// A page that asks for a log-in or a subscription.
    LogIn,
    /// A page that asks for consent to cookies first.
    Consent,
    /// No content at all.
    Empty,
    /// A shell that scripts fill in a browser.
    Scripts,
    /// "Not found", with a status that says otherwise.
    NotFound,
    /// Maintenance, or an error of the site with a status that says otherwise.
    Maintenance,
    /// The page in another language than before.
    OtherLanguage,
    /// A response that is not HTML.
    OtherContent,
}

impl ObstacleKind {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::BotCheck,
        Self::LogIn,
        Self::Consent,
        Self::Empty,
        Self::Scripts,
        Self::NotFound,
        Self::Maintenance,
        Self::OtherLanguage,
        Self::OtherContent,
    ];

    /// The kind in the words of a message, with its article.
    pub const fn words(self) -> &'static str {
        match self {
            Self::BotCheck => "a bot check",
            Self::LogIn => "a log-in page",
            Self::Consent => "a consent page",
            Self::Empty => "an empty page",
            Self::Scripts => "a shell that scripts fill",
            Self::NotFound => "a \"not found\" page",
            Self::Maintenance => "a maintenance or error page",
            Self::OtherLanguage => "a page in another language",
            Self::OtherContent => "a response that is not HTML",
        }
    }

    /// The one thing to do about it, as a sentence.
    pub const fn advice(self) -> &'static str {
        match self {
            Self::BotCheck => {
                "Open the page in a browser; if the check stays, ask the site for an API, a feed or its permission."
            }
            Self::LogIn => "Use an address that needs no log-in: a recipe holds no session, as recipes are shared.",
            Self::Consent => {
                "Use an address that gives the page without consent: a recipe holds no cookies, as recipes are shared."
            }
            Self::Empty => "Open the page in a browser; if it has content there, use `--render`.",
            Self::Scripts => "Use `--render`: a browser runs the page's scripts first.",
            Self::NotFound => "Correct the address.",
            Self::Maintenance => "Wait, and try again later.",
            Self::OtherLanguage => {
                "Set `accept-language` in the recipe's `request.headers`, or use the address of one language."
            }
            Self::OtherContent => "Use the address of an HTML page.",
        }
    }
}

/// A page that is not the page, and the signs that say so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// Kind of the page.
    pub kind: ObstacleKind,
    /// The signs, as a clause.
    pub evidence: String,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.words(), self.evidence)
    }
}

/// A response as it is classified.
#[derive(Debug, Clone, Copy)]
pub struct Response<'a> {
    /// The body, decoded.
    pub html: &'a str,
    /// The body, parsed.
    pub page: &'a Document,
    /// Value of the header `Content-Type`.
    pub content_type: Option<&'a str>,
    /// URL of the request.
    pub asked: &'a Url,
    /// URL of the page, after all redirects.
    pub url: &'a Url,
}

impl Response<'_> {
    /// Classifies the response; `None`: nothing says that it is not the page.
    pub fn obstacle(&self) -> Option<Obstacle> {
        if let Some(evidence) = rules::other_content(self.content_type, self.html) {
            return Some(Obstacle { kind: ObstacleKind::OtherContent, evidence });
        }
        let signs = Signs::of(self);
        rules::RULES.iter().find_map(|(kind, rule)| Some(Obstacle { kind: *kind, evidence: rule(&signs)? }))
    }
}

/// Maximum number of characters from which a language is detected.
const DETECTED_FROM: usize = 4_000;

/// Minimum number of characters from which a language is detected.
const LEAST_DETECTED_FROM: usize = 200;

/// Language of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Language {
    /// Language of its text, as ISO 639-3 has it.
    pub detected: String,
    /// Language that it declares, without the country, such as `en`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared: Option<String>,
}

impl Language {
    /// Returns whether a page may be in the same language: detection confuses languages that are alike.
    pub fn may_be(&self, other: &Self) -> bool {
        self.detected == other.detected || (self.declared.is_some() && self.declared == other.declared)
    }
}

/// Returns the language of a page; `None` if the text is short or the result is not reliable.
pub fn language(page: &Document) -> Option<Language> {
    let text: String = page.page_text().chars().take(DETECTED_FROM).collect();
    if text.chars().count() < LEAST_DETECTED_FROM {
        return None;
    }
    let detected = whatlang::detect(&text).filter(whatlang::Info::is_reliable)?.lang().code().to_owned();
    let root = page.nodes().find(|&node| page.tag(node) == "html");
    let declared = root.and_then(|root| page.attribute(root, "lang")).unwrap_or_default();
    let declared = declared.split(['-', '_']).next().map(|code| code.trim().to_lowercase());
    Some(Language { detected, declared: declared.filter(|code| !code.is_empty()) })
}

#[cfg(test)]
mod tests;
