//! Relocation of the fields of a page: all fields that the program's function reads, together.

use std::collections::HashMap;

use autoheal_page::obstacle::{Obstacle, Response};
use autoheal_page::recipe::{Source, Take};
use autoheal_page::relocate::{Answer, Relocator};
use autoheal_page::{Document, Selector};
use autoheal_source::doctor::relocate_list;
use url::Url;

use crate::memory::unknown_address;
use crate::query::within;
use crate::template::{Healed, KeptPage, Template};

/// The answer for each field that has been found before, by its number.
pub(crate) type Answers = HashMap<usize, Answer>;

/// Finds the fields of a page again, by the pages of one layout: of that in which fields were found again before, or of the first one.
pub(crate) fn relocate(relocator: &Relocator, template: &Template, page: &Document, by_healed: bool) -> Answers {
    let Some((recipe, numbers)) = template.recipe(by_healed) else { return Answers::new() };
    let old: Vec<&Document> =
        template.pages.iter().filter(|page| page.is_healed == by_healed).map(KeptPage::document).collect();
    let relocation = relocator.relocate(&old, &recipe, page);
    numbers.into_iter().zip(relocation.fields.into_iter().map(|(_, answer)| answer)).collect()
}

/// A list that was found again: the places of its items and of the fields in them, by the numbers of the fields.
pub(crate) type List = Vec<(usize, Healed)>;

/// Finds the items of a list again, by the values in them.
pub(crate) fn relocate_items(template: &Template, outer: usize, page: &Document, url: Option<&Url>) -> Option<List> {
    let (recipe, numbers) = template.items(outer)?;
    let old: Vec<&Document> = template.pages.iter().filter(|page| !page.is_healed).map(KeptPage::document).collect();
    let found = relocate_list(&recipe, &old, page, url)?;
    let items = found.items()?;
    let mut list = vec![(outer, Healed { selector: items.clone(), part: template.fields[outer].query.part().clone() })];
    for (number, field) in numbers.into_iter().zip(found.fields()) {
        let Source::Nodes { select, take } = &field.source else { continue };
        let part = template.fields[number].query.part().found_again(&Take::Node(take.clone()))?;
        list.push((number, Healed { selector: within(items, select)?, part }));
    }
    Some(list)
}

/// Returns whether the page has the layout that is known: its other fields, as far as pages must have them, are where they were.
pub(crate) fn is_intact(template: &Template, missing: usize, found: impl Fn(&Selector) -> bool) -> bool {
    let others: Vec<(usize, bool)> = (0..template.fields.len())
        .filter(|number| *number != missing && Some(*number) != template.fields[missing].within)
        .filter(|number| template.fields[*number].is_known() && !template.fields[*number].is_optional())
        .filter_map(|number| {
            let own = template.own_selector(number)?;
            let healed = template.fields[number].healed.as_ref().map(|healed| &healed.selector);
            Some((number, found(&own) || healed.is_some_and(&found)))
        })
        .collect();
    !others.is_empty() && others.iter().all(|(_, is_found)| *is_found)
}

/// Returns why the page is not the page, if it is not.
pub(crate) fn obstacle(html: &str, page: &Document, url: Option<&Url>) -> Option<Obstacle> {
    let unknown = Url::parse(&unknown_address()).ok()?;
    let url = url.unwrap_or(&unknown);
    Response { html, page, content_type: None, asked: url, url }.obstacle()
}
