//! One rule for each kind of page that is not the page. A rule returns its evidence as a clause.

use super::ObstacleKind;
use super::phrases;
use super::signs::Signs;

/// Maximum number of visible characters of a page that only says one thing.
const SHORT: usize = 1_500;

/// Maximum number of visible characters of a page without content.
const TINY: usize = 200;

pub(super) type Rule = fn(&Signs<'_>) -> Option<String>;

/// The rules, in the order in which they are tried.
pub(super) const RULES: &[(ObstacleKind, Rule)] = &[
    (ObstacleKind::BotCheck, bot_check),
    (ObstacleKind::LogIn, log_in),
    (ObstacleKind::Consent, consent),
    (ObstacleKind::NotFound, not_found),
    (ObstacleKind::Maintenance, maintenance),
    (ObstacleKind::Scripts, scripts),
    (ObstacleKind::Empty, empty),
];

/// A short page whose title or heading is a check, or a page without a heading that loads a challenge and has hardly any text.
fn bot_check(signs: &Signs<'_>) -> Option<String> {
    if signs.letters > SHORT {
        return None;
    }
    if let Some(head) = signs.head_with(phrases::BOT_CHECK) {
        return Some(format!("it says {head:?}"));
    }
    let challenge = signs.challenge()?;
    match signs.phrase(phrases::BOT_CHECK) {
        Some(phrase) => Some(format!("it says \"{phrase}\" and loads `{challenge}`")),
        None => (signs.letters <= TINY && signs.headings.is_empty())
            .then(|| format!("it has no heading, hardly any text, and loads `{challenge}`")),
    }
}

/// A short page that asks for a password under a title that says so or at an address that says so, or that gates its content.
fn log_in(signs: &Signs<'_>) -> Option<String> {
    if signs.letters > SHORT {
        return None;
    }
    let (asked, url) = (signs.response.asked.path(), signs.response.url.path());
    let is_log_in =
        |path: &str| path.split(['/', '.']).any(|part| phrases::LOG_IN_PATHS.contains(&part.to_lowercase().as_str()));
    let led_to = is_log_in(url) && !is_log_in(asked);
    let head = signs.head_with(phrases::LOG_IN);
    match (signs.has_password(), head, led_to) {
        (true, Some(head), _) => Some(format!("it says {head:?} and asks for a password")),
        (true, None, true) => Some(format!("the site leads to {url}, which asks for a password")),
        (false, Some(head), true) => Some(format!("the site leads to {url}, which says {head:?}")),
        _ => {
            let gate = signs.phrase(phrases::GATES)?;
            (head.is_some() || signs.has_password() || signs.letters <= TINY).then(|| format!("it says \"{gate}\""))
        }
    }
}

/// A page with a button that gives consent, and hardly any text outside of what the button belongs to.
fn consent(signs: &Signs<'_>) -> Option<String> {
    let (button, label) = signs.accepting()?;
    let page = signs.page();
    let words = |text: &str| {
        let text = text.to_lowercase();
        phrases::CONSENT.iter().filter(|word| text.contains(*word)).count()
    };
    // The smallest element around the button that speaks of consent.
    let around = page.ancestors(button).find(|&around| words(page.visible_text(around)) >= 2)?;
    let rest = signs.letters.saturating_sub(page.letters(around));
    let has_own_heading = page.nodes().any(|node| page.tag(node) == "h1" && !page.contains(around, node));
    let is_a_notice = page.letters(around) <= SHORT && (around > page.body() || words(&signs.text) >= 3);
    (is_a_notice && rest <= TINY && !has_own_heading)
        .then(|| format!("it asks for consent (the button {label:?}) and has nothing else"))
}

/// A page whose heading, or whose title where it has no heading, is "not found".
fn not_found(signs: &Signs<'_>) -> Option<String> {
    let head = signs.head_with(phrases::NOT_FOUND)?;
    let is_of_the_page =
        signs.headings.is_empty() || signs.headings.iter().any(|heading| heading == head) || signs.letters <= SHORT;
    is_of_the_page.then(|| format!("it says {head:?}"))
}

/// A short page whose title or heading is maintenance or an error.
fn maintenance(signs: &Signs<'_>) -> Option<String> {
    let head = signs.head_with(phrases::MAINTENANCE).filter(|_| signs.letters <= SHORT)?;
    Some(format!("it says {head:?}"))
}

/// A page with scripts and hardly any text that has an element to fill, or says that it needs scripts.
fn scripts(signs: &Signs<'_>) -> Option<String> {
    if signs.letters > TINY || signs.scripts() == 0 {
        return None;
    }
    let page = signs.page();
    let needs_them = |text: &str| text.to_lowercase().contains("javascript");
    let of_noscript = needs_them(&signs.text) || signs.nodes(&["noscript"]).any(|node| needs_them(page.raw_text(node)));
    let mount = page.nodes().find_map(|node| {
        let id = page.attribute(node, "id").filter(|_| page.letters(node) <= TINY / 4)?;
        phrases::MOUNTS.iter().find(|mount| id.eq_ignore_ascii_case(mount))
    });
    let amounts = format!("scripts: {}, characters of text: {}", signs.scripts(), signs.letters);
    match (of_noscript, mount) {
        (true, _) => Some(format!("it says that it needs scripts ({amounts})")),
        (false, Some(mount)) => Some(format!("it has an element `{mount}` to fill ({amounts})")),
        (false, None) => (signs.letters == 0).then(|| format!("it has nothing else ({amounts})")),
    }
}

/// A page without text, pictures and frames.
fn empty(signs: &Signs<'_>) -> Option<String> {
    let bytes = signs.response.html.len();
    let has_media = signs
        .nodes(&["img", "picture", "video", "iframe", "object", "embed", "input", "meta", "link"])
        .next()
        .is_some();
    (signs.letters == 0 && !has_media).then(|| format!("it has {bytes} bytes and no text"))
}

/// Beginnings of files that are not HTML.
const FILES: &[(&str, &str)] =
    &[("%PDF-", "a PDF"), ("PK\u{3}\u{4}", "a ZIP archive"), ("GIF8", "a picture"), ("\u{fffd}PNG", "a picture")];

/// A content type or a beginning of a file that is not HTML or XML.
pub(super) fn other_content(content_type: Option<&str>, html: &str) -> Option<String> {
    let begin = html.trim_start_matches('\u{feff}').trim_start();
    if begin.is_empty() {
        return None;
    }
    let kind = content_type.map(|kind| kind.split(';').next().unwrap_or_default().trim().to_lowercase());
    let is_markup = begin.starts_with('<');
    if let Some(kind) = kind.as_deref().filter(|kind| !is_markup && !kind.is_empty()) {
        let may_be_html =
            kind.contains("html") || kind.contains("xml") || kind == "text/plain" || kind == "application/octet-stream";
        if !may_be_html {
            return Some(format!("its content type is `{kind}`"));
        }
    }
    if let Some((_, what)) = FILES.iter().find(|(magic, _)| begin.starts_with(magic)) {
        return Some(format!("it is {what}"));
    }
    let may_be_json = begin.starts_with(['{', '[']) && serde_json::from_str::<serde::de::IgnoredAny>(begin).is_ok();
    may_be_json.then(|| "it is JSON".to_owned())
}
