//! Extraction of the author.

use std::sync::LazyLock;

use autoheal_page::NodeId;
use regex::Regex;

use super::View;
use super::about::About;
use super::found::Found;
use crate::item::PageType;

/// Maximum length of a name.
const LONGEST: usize = 120;

/// Maximum distance of a byline from the headline, in visible characters.
const NEAR: usize = 1500;

/// Names of `meta` elements that state the author.
const META: [&str; 10] = [
    "author",
    "article:author",
    "parsely-author",
    "article:author_name",
    "sailthru.author",
    "byl",
    "dc.creator",
    "dcterms.creator",
    "citation_author",
    "cxenseparse:author",
];

/// Returns the author; `place` is the headline.
pub(super) fn find(view: &View<'_>, about: &About<'_>, place: Option<NodeId>) -> Option<Found<String>> {
    if matches!(about.page_type.value, PageType::Product | PageType::Job | PageType::Event) {
        return None;
    }
    stated(view, about).or_else(|| in_meta(view)).or_else(|| shown(view, place))
}

fn stated(view: &View<'_>, about: &About<'_>) -> Option<Found<String>> {
    let of = |thing: &super::stated::Thing<'_>| {
        let mut names: Vec<String> = Vec::new();
        for name in thing.texts(&["author", "creator"]) {
            let name = if name.contains("://") { None } else { Some(name) };
            if let Some(name) = name.filter(|name| name.chars().count() <= LONGEST && !names.contains(name)) {
                names.push(name);
            }
        }
        (!names.is_empty()).then(|| Found::stated(names.join(", "), thing.source))
    };
    // The page may say it of its thing, or of itself.
    about.thing.as_ref().and_then(of).or_else(|| {
        view.stated
            .things()
            .filter(|thing| thing.kinds().iter().any(|kind| kind.ends_with("page") || kind.contains("article")))
            .find_map(|thing| of(&thing))
    })
}

fn in_meta(view: &View<'_>) -> Option<Found<String>> {
    static WRITTEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)written|author|autor|verfasst|geschrieben|écrit|auteur|escrito|scritto").ok()
    });
    let found = META.iter().find_map(|name| {
        let mut names: Vec<String> = Vec::new();
        for name in view.stated.metas(name).filter_map(name_in) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        (!names.is_empty()).then(|| names.join(", "))
    });
    // `twitter:label1` names the kind of value in `twitter:data1`.
    let labelled = || {
        let label = view.stated.meta(&["twitter:label1"])?;
        WRITTEN.as_ref().filter(|written| written.is_match(&label.value))?;
        view.stated.meta(&["twitter:data1"]).and_then(|found| name_in(&found.value))
    };
    found.or_else(labelled).map(|name| Found::stated(name, crate::item::Source::OpenGraph))
}

/// A name that the page shows: linked as the author's, in an element that is called so, or after `by`.
fn shown(view: &View<'_>, place: Option<NodeId>) -> Option<Found<String>> {
    if !view.is_readable {
        return None;
    }
    let page = view.page;
    let from = place.map_or(0, |place| page.letters_before(place));
    let is_near = |node: NodeId| page.letters_before(node).abs_diff(from) <= NEAR;
    let name = |node: NodeId| name_in(page.visible_text(node));
    let linked = || {
        page.nodes().filter(|&node| {
            page.attribute(node, "rel").is_some_and(|rel| rel.split_ascii_whitespace().any(|word| word == "author"))
        })
    };
    if let Some(name) = linked().filter(|&node| is_near(node)).chain(linked()).find_map(name) {
        return Some(Found::heuristic(name, 0.85));
    }
    let called = page.nodes().filter(|&node| {
        let names = ["class", "id", "data-testid", "itemprop"].iter().filter_map(|name| page.attribute(node, name));
        names.flat_map(str::split_ascii_whitespace).any(is_called_author)
    });
    // A box with a name and more is larger than a name: the first part of it that is one.
    let mut boxes = called.filter(|&node| (2..400).contains(&page.letters(node)));
    let named = boxes.find_map(|node| {
        let link = page.descendants(node).filter(|&inner| page.tag(inner) == "a").find_map(name);
        link.or_else(|| after_by(page.visible_text(node))).or_else(|| name(node))
    });
    if let Some(name) = named {
        return Some(Found::heuristic(name, 0.75));
    }
    let mut lines = page.nodes().filter(|&node| (4..80).contains(&page.letters(node)) && is_near(node));
    lines.find_map(|node| after_by(page.visible_text(node))).map(|name| Found::heuristic(name, 0.6))
}

/// Returns whether a class name marks an author.
fn is_called_author(name: &str) -> bool {
    static AUTHOR: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)(^|[-_])(author|byline|autor|auteur|username|writer)([-_]?(name|link|s|title))?$").ok()
    });
    AUTHOR.as_ref().is_some_and(|author| author.is_match(name))
}

/// The name after `by` at the beginning of a text.
fn after_by(text: &str) -> Option<String> {
    static BY: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?i)^(?:(?:written|posted|published|article|recipe|words|story|text|reviewed)\s+by|by|von|par|por|di|door|af|av|text|author|autor|auteur|autore|författare|forfatter|автор|yazan)\s*:?\s+(\p{Lu}.*)$",
        )
        .ok()
    });
    let rest = BY.as_ref()?.captures(text.trim())?.get(1)?.as_str();
    rest.chars().next().filter(|first| first.is_uppercase())?;
    name_in(rest)
}

/// The name in a text that is hardly more than one.
fn name_in(text: &str) -> Option<String> {
    static BEFORE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)^(?:(?:written|posted|published|article|recipe|words|created|submitted|story)\s+by|by|author|autor|auteur|von|par)\s*[:\s]\s*").ok()
    });
    static AFTER: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?xi) \s* (?: [|•·–—] | \s-\s | \b(?:updated|published|posted|last\ updated|on|at)\b | \b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\ \d | \d{1,2}[./]\d{1,2}[./]\d ) .* $",
        )
        .ok()
    });
    let text = text.trim();
    let text = BEFORE.as_ref().map_or(text.into(), |before| before.replace(text, ""));
    let text = AFTER.as_ref().map_or(text.clone(), |after| after.replace(&text, ""));
    let name = text.trim().trim_matches(['-', '|', ',', ':', '@']).trim();
    let is_address = name.contains("://") || name.contains("www.") || name.starts_with('/');
    let is_name = !is_address
        && name.chars().any(char::is_alphabetic)
        && name.chars().count() <= LONGEST
        && name.split_whitespace().count() <= 12
        && super::stated::is_said(name);
    is_name.then(|| name.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use autoheal_page::Document;

    use super::*;
    use crate::mode::rule_based::stated::Stated;

    fn author_of(html: &str) -> Option<String> {
        let page = Document::parse(html);
        let stated = Stated::of(&page);
        let view = View { page: &page, stated: &stated, url: None, is_readable: true };
        let about = About::of(&view, None);
        find(&view, &about, None).map(|found| found.value)
    }

    #[test]
    fn authors_are_found_where_pages_name_them() {
        for html in [
            r#"<script type="application/ld+json">{"@type":"Article","author":[{"@type":"Person","name":"Ada Byron"}]}</script>"#,
            "<meta name=author content='By Ada Byron'>",
            "<meta name=twitter:label1 content='Written by'><meta name=twitter:data1 content='Ada Byron'>",
            "<h1>Soup</h1><a rel=author href=/ada>Ada Byron</a>",
            "<h1>Soup</h1><span class='post-author'>By <a href=/ada>Ada Byron</a></span>",
            "<h1>Soup</h1><div class=byline>by Ada Byron | 3 May 2024</div>",
            "<h1>Soup</h1><p>By Ada Byron</p><p>Once upon a time",
            "<h1>Soup</h1><p>Автор: <a href=/ada>Ada Byron</a></p><p>Once upon a time",
        ] {
            assert_eq!(author_of(html).as_deref(), Some("Ada Byron"), "{html}");
        }
    }

    #[test]
    fn addresses_and_sentences_are_no_names() {
        for html in [
            "<meta property=article:author content='https://social.example/ada'>",
            "<h1>Soup</h1><p>By the way, this is how soup has been cooked since times that nobody remembers any more at all.</p>",
            "<meta name=author content='null'>",
        ] {
            assert_eq!(author_of(html), None, "{html}");
        }
    }
}
