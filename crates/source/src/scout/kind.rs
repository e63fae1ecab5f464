//! Whether a page is about one thing or a list of things.

use std::fmt;

use super::statements::{StatedKind, stated_kind};
use super::{Look, ScoutError};
use crate::definition::PageKind;

/// A paragraph of so many characters, spaces not counted, is prose.
const PARAGRAPH: usize = 80;
/// The share of the page's text that a list has at least when it is what the page is for, in percent; and when it surely is not.
const MOST_OF_PAGE: usize = 50;
const LITTLE_OF_PAGE: usize = 25;

/// Why a page is what it is taken for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reason {
    /// A person has said so.
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

/// What the page is by the evidence, and which.
///
/// # Errors
///
/// [`ScoutError::Unclear`] when it speaks for both.
pub(super) fn kind_of(look: &Look<'_>) -> Result<(PageKind, Reason), ScoutError> {
    let stated = stated_kind(&look.stated);
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
    match stated {
        StatedKind::OneThing => Ok((PageKind::Single, Reason::Stated)),
        StatedKind::Many if percent >= LITTLE_OF_PAGE => Ok((PageKind::List, Reason::Stated)),
        StatedKind::Many | StatedKind::Nothing => {
            if prose > region.letters {
                Ok((PageKind::Single, Reason::Prose))
            } else if percent >= MOST_OF_PAGE {
                Ok((PageKind::List, Reason::MostOfPage(percent)))
            } else if percent < LITTLE_OF_PAGE {
                Ok((PageKind::Single, Reason::NoList))
            } else {
                let evidence = format!(
                    "a list of {} items (`{}`) is {percent} % of its text, and it states nothing that decides",
                    region.items.len(),
                    region.select
                );
                Err(ScoutError::Unclear { evidence })
            }
        }
    }
}
