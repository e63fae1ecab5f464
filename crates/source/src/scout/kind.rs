//! Kind of a page: about one thing, or a list of things.

use std::collections::BTreeSet;
use std::fmt;

use autoheal_page::document::normalise;

use super::region::Region;
use super::statements::{StatedKind, headline, stated_kind};
use super::{Look, ScoutError};
use crate::definition::PageKind;

/// Minimum length of a paragraph of prose, in characters without spaces.
const PARAGRAPH: usize = 80;
/// The share of the page's text that a list has at least when it is what the page is for, in percent; and when it surely is not.
const MOST_OF_PAGE: usize = 50;
const LITTLE_OF_PAGE: usize = 25;

/// Reason for the kind of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reason {
    /// The user specified it.
    Said,
    /// The page states it.
    Stated,
    /// A list makes up most of the text, in percent.
    MostOfPage(usize),
    /// Nothing repeats, or little of the page does.
    NoList,
    /// There is more prose than list.
    Prose,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Said => f.write_str("so you said"),
            Self::Stated => f.write_str("the page states that it is"),
            Self::MostOfPage(percent) => write!(f, "the list is {percent} % of its text"),
            Self::NoList => f.write_str("no list makes up much of it"),
            Self::Prose => f.write_str("it has more prose than list"),
        }
    }
}

/// Determines the kind of the page from the evidence, and the reason for it.
///
/// # Errors
///
/// [`ScoutError::Unclear`] when the evidence supports both kinds.
pub(super) fn kind_of(look: &Look<'_>) -> Result<(PageKind, Reason), ScoutError> {
    let heading = headline(look.page);
    let heading = heading.as_ref().and_then(|field| field.example.first()).map(String::as_str);
    let stated = stated_kind(&look.stated, heading);
    let Some(region) = &look.region else { return Ok((PageKind::Single, Reason::NoList)) };
    let percent = (region.letters * 100).checked_div(look.zones.letters()).unwrap_or(0).min(100);
    let page = look.page;
    let is_prose = |node: &autoheal_page::NodeId| {
        page.tag(*node) == "p"
            && page.letters(*node) >= PARAGRAPH
            && !look.zones.is_beside(*node)
            && !region.items.iter().any(|item| page.contains(*item, *node))
    };
    let prose: usize = page.nodes().filter(is_prose).map(|node| page.letters(node)).sum();
    match &stated {
        StatedKind::OneThing => Ok((PageKind::Single, Reason::Stated)),
        StatedKind::Many(names) if percent >= LITTLE_OF_PAGE && are_listed(region, names) => {
            Ok((PageKind::List, Reason::Stated))
        }
        StatedKind::Many(_) | StatedKind::PerhapsOneThing | StatedKind::Nothing => {
            let is_against_list = stated == StatedKind::PerhapsOneThing;
            if prose > region.letters {
                Ok((PageKind::Single, Reason::Prose))
            } else if percent < LITTLE_OF_PAGE {
                Ok((PageKind::Single, Reason::NoList))
            } else if percent >= MOST_OF_PAGE && !is_against_list {
                Ok((PageKind::List, Reason::MostOfPage(percent)))
            } else {
                let says =
                    if is_against_list { "its `og:type` says one thing" } else { "it states nothing that decides" };
                let evidence = format!(
                    "a list of {} items (`{}`) is {percent} % of its text, and {says}",
                    region.items.len(),
                    region.select
                );
                Err(ScoutError::Unclear { evidence })
            }
        }
    }
}

/// Returns whether the things that are stated are those of the region: at least half of its items have their names. True if the
/// things have no names.
fn are_listed(region: &Region, names: &BTreeSet<String>) -> bool {
    let titles =
        region.fields.iter().find(|field| field.name.as_str() == "title").map_or(&[][..], |field| &field.texts);
    names.is_empty()
        || titles.iter().filter(|title| names.contains(&normalise(title))).count() * 2 >= region.items.len()
}

#[cfg(test)]
mod tests {
    use autoheal_page::Document;

    use super::*;

    fn kind(html: &str) -> Result<(PageKind, Reason), ScoutError> {
        kind_of(&Look::at(&Document::parse(html)))
    }

    fn teasers(count: usize) -> String {
        (1..=count)
            .map(|n| format!("<div class=item><h3><a href=/{n}>Lamp number {n}</a></h3><b>{n} EUR</b></div>"))
            .collect::<Vec<_>>()
            .concat()
    }

    fn script(json: &str) -> String {
        format!("<script type='application/ld+json'>{json}</script>")
    }

    #[test]
    fn what_is_stated_decides() {
        let product = script(r#"{"@type":"Product","name":"Big lamp"}"#);
        assert_eq!(kind(&format!("{product}<h1>Big lamp</h1>{}", teasers(9))), Ok((PageKind::Single, Reason::Stated)));
        let named = (1..=3)
            .map(|n| script(&format!(r#"{{"@type":"Product","name":"Lamp number {n}"}}"#)))
            .collect::<Vec<_>>()
            .concat();
        let aside = "<p>Delivered within a week, for nothing.</p>".repeat(2);
        assert_eq!(kind(&format!("{named}{aside}{}", teasers(3))), Ok((PageKind::List, Reason::Stated)));
    }

    #[test]
    fn without_a_statement_the_text_decides() {
        let prose = format!("<p>{}</p>", "A sentence about lamps and what they are for. ".repeat(20));
        assert!(matches!(kind(&teasers(6)), Ok((PageKind::List, Reason::MostOfPage(100)))));
        assert_eq!(kind(&format!("{prose}{}", teasers(6))), Ok((PageKind::Single, Reason::Prose)));
        assert_eq!(kind("<h1>Lamp</h1><p>Bright.</p>"), Ok((PageKind::Single, Reason::NoList)));
        let article = "<meta property=og:type content=article>";
        let against = kind(&format!("{article}{}", teasers(6))).unwrap_err().to_string();
        assert!(against.contains("`og:type`"), "{against}");
        let other = "<div>Delivered within a week.</div>".repeat(6);
        let unclear = kind(&format!("{other}{}", teasers(4))).unwrap_err().to_string();
        assert!(unclear.contains("4 items") && unclear.contains("--single or --list"), "{unclear}");
    }
}
