//! Tools of a model on a page (spec `navigator.md`, "Tools"): find the link that it means.

use url::Url;

use crate::page_state::{Link, PageState};

/// Minimum similarity (Jaro-Winkler) of a text and a link that is not named exactly.
const SIMILAR: f64 = 0.92;

/// Maximum number of links that are listed if none matches, or several do.
const MOST_TOLD: usize = 8;

/// Result of a click.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Click {
    /// Exactly one link matches.
    Link {
        /// Text of the link.
        text: String,
        /// Target of the link.
        href: Url,
    },
    /// Several links with different targets match; their names distinguish them.
    Ambiguous(Vec<String>),
    /// None is like it; those that are nearest.
    Missing(Vec<String>),
}

/// The link of a page that a text means: the one that has it exactly, then the one that nearly has it. `Above > Text` names the one below
/// `Above`.
pub(crate) fn click(page: &PageState, wanted: &str) -> Click {
    let wanted = plain(wanted);
    let by: [&dyn Fn(&Link) -> bool; 3] = [
        &|link| plain(&link.text) == wanted,
        &|link| plain(&full_name(link)).ends_with(&wanted) && wanted.contains(" > "),
        &|link| strsim::jaro_winkler(&plain(&link.text), &wanted) >= SIMILAR,
    ];
    for is_meant in by {
        let found: Vec<&Link> = page.links.iter().filter(|link| is_meant(link)).collect();
        let Some(first) = found.first() else { continue };
        let is_one_page = found.iter().all(|link| same_page(&link.href, &first.href));
        if is_one_page {
            return Click::Link { text: first.text.clone(), href: first.href.clone() };
        }
        return Click::Ambiguous(found.iter().take(MOST_TOLD).map(|link| full_name(link)).collect());
    }
    let mut nearest: Vec<(f64, &Link)> =
        page.links.iter().map(|link| (strsim::jaro_winkler(&plain(&link.text), &wanted), link)).collect();
    nearest.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut told: Vec<String> = Vec::new();
    for (_, link) in nearest {
        if told.len() < MOST_TOLD && !told.contains(&link.text) {
            told.push(link.text.clone());
        }
    }
    Click::Missing(told)
}

/// Returns the text of a link with the headings above it.
pub(crate) fn full_name(link: &Link) -> String {
    if link.path_hint.is_empty() { link.text.clone() } else { format!("{} > {}", link.path_hint, link.text) }
}

fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn same_page(one: &Url, other: &Url) -> bool {
    crate::address::without_fragment(one) == crate::address::without_fragment(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> PageState {
        let html = "<ul><li><a name=e>Engine</a><ul><li><a href=a>Specifications</a></ul><li><a name=b>Brakes</a><ul>\
            <li><a href=b>Specifications</a><li><a href=c>Service and Repair</a></ul></ul><a href=c#x>Service and Repair</a>";
        PageState::parse(html.as_bytes(), &"http://manual.example/".parse().unwrap())
    }

    fn path_of(click: &Click) -> &str {
        match click {
            Click::Link { href, .. } => href.path(),
            Click::Ambiguous(_) | Click::Missing(_) => "none",
        }
    }

    #[test]
    fn a_link_is_meant_exactly_or_nearly() {
        for text in ["Service and Repair", "service  and repair", "Service and Repairs"] {
            assert_eq!(path_of(&click(&page(), text)), "/c", "{text}");
        }
    }

    #[test]
    fn links_of_one_text_are_told_apart_by_what_stands_above() {
        let told = vec!["Engine > Specifications".to_owned(), "Brakes > Specifications".to_owned()];
        assert_eq!(click(&page(), "Specifications"), Click::Ambiguous(told));
        assert_eq!(path_of(&click(&page(), "Brakes > Specifications")), "/b");
    }

    #[test]
    fn where_there_is_none_the_nearest_are_told() {
        let Click::Missing(nearest) = click(&page(), "Specs of the gearbox") else { unreachable!("there is none") };
        assert_eq!(nearest[0], "Specifications");
    }
}
