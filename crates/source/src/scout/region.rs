//! The part of a page that repeats: results of a search, a grid of products, an index of articles, the rows of a table.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use autoheal_page::robust_selector::{is_volatile, robust_selector};
use autoheal_page::{Document, NodeId, Selector};

use super::item_fields::{ItemField, fields_of};
use super::zones::Zones;

/// Minimum number of similar elements that form a list.
const FEWEST_ITEMS: usize = 3;
/// Maximum number of groups to examine, the largest first, and of items in each of them.
const MOST_GROUPS: usize = 16;
const MOST_ITEMS: usize = 500;
/// Limits on the size of an item: one with more elements is a whole page, and an element with more class names has no
/// meaningful one.
const MOST_ELEMENTS: usize = 5000;
const MOST_CLASSES: usize = 12;
/// The share of items that must differ from each other, in percent.
const DISTINCT: usize = 80;
/// Lists of links with fewer characters each are menus.
const SHORTEST_LINK: usize = 12;

/// A list of alike items.
pub(super) struct Region {
    /// In document order, none within another.
    pub(super) items: Vec<NodeId>,
    /// Selector of exactly these items.
    pub(super) select: Selector,
    /// Fields that they have in common.
    pub(super) fields: Vec<ItemField>,
    /// Number of visible characters in all of them.
    pub(super) letters: usize,
}

/// The region with most text and most fields, if any part of the page repeats.
pub(super) fn largest_region(page: &Document, zones: &Zones) -> Option<Region> {
    let headlines: Vec<NodeId> = page.nodes().filter(|node| page.tag(*node) == "h1").collect();
    let mut groups: Vec<(usize, Vec<NodeId>)> = groups(page, zones)
        .into_iter()
        .filter(|items| is_list(page, items, &headlines))
        .map(|items| (items.iter().map(|item| page.letters(*item)).sum(), items))
        .collect();
    groups.sort_by(|(letters, items), (other_letters, other)| other_letters.cmp(letters).then(items.cmp(other)));
    groups.truncate(MOST_GROUPS);
    let mut best: Option<(f64, Region)> = None;
    for (letters, items) in groups {
        let Some(select) = robust_selector(&[(page, &items)]) else { continue };
        // A list that only its place distinguishes may be another list tomorrow; a table at least stays a table.
        let is_row = items.first().is_some_and(|item| page.tag(*item) == "tr");
        if !is_row && select.source().contains(":nth-") {
            continue;
        }
        let fields = fields_of(page, &items);
        // A title and something that goes with it, in every item: paragraphs, tags and sections of a text have not both.
        let in_all = fields.iter().filter(|field| field.is_in_all()).count();
        if in_all < 2 || is_menu(page, &items, &fields) {
            continue;
        }
        let score = number(letters) * (1.0 + number(items.len())).ln() * (number(in_all) + number(fields.len())) / 2.0;
        if best.as_ref().is_none_or(|(other, _)| score > *other) {
            best = Some((score, Region { items, select, fields, letters }));
        }
    }
    best.map(|(_, region)| region)
}

fn number(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::MAX, f64::from)
}

/// Tag of an element, and a class, which it has in common with similar elements.
type Likeness<'a> = (&'a str, Option<&'a str>);

/// Returns every set of elements with one tag, or one tag and class, under one parent or under alike parents next to each other.
fn groups(page: &Document, zones: &Zones) -> Vec<Vec<NodeId>> {
    let mut alike: HashMap<(NodeId, Likeness<'_>, Likeness<'_>), Vec<NodeId>> = HashMap::new();
    for node in page.nodes().filter(|node| !zones.is_beside(*node) && page.letters(*node) > 0) {
        let Some(parent) = page.parent(node) else { continue };
        if matches!(page.tag(node), "td" | "th" | "option" | "br" | "p" | "body") {
            continue;
        }
        let around = page.parent(parent).unwrap_or(parent);
        let parent_class = page.classes(parent).find(|class| !is_volatile(class));
        let classes = page.classes(node).take(MOST_CLASSES).filter(|class| !is_volatile(class));
        for class in std::iter::once(None).chain(classes.map(Some)) {
            let own = (page.tag(node), class);
            alike.entry((parent, own, ("", None))).or_default().push(node);
            alike.entry((around, own, (page.tag(parent), parent_class))).or_default().push(node);
        }
    }
    let sets: BTreeSet<Vec<NodeId>> = alike.into_values().filter(|items| items.len() >= FEWEST_ITEMS).collect();
    sets.into_iter().map(|items| without_header_rows(page, items)).collect()
}

/// The rows of a table below its headers.
fn without_header_rows(page: &Document, items: Vec<NodeId>) -> Vec<NodeId> {
    let is_header = |row: NodeId| page.tag(row) == "tr" && page.children(row).all(|cell| page.tag(cell) == "th");
    items.into_iter().filter(|item| !is_header(*item)).collect()
}

/// `headlines` are the first-level headings of the page: an element that contains one is not an item.
fn is_list(page: &Document, items: &[NodeId], headlines: &[NodeId]) -> bool {
    if items.len() < FEWEST_ITEMS || items.len() > MOST_ITEMS {
        return false;
    }
    if items.iter().any(|item| page.descendants(*item).len() > MOST_ELEMENTS) {
        return false;
    }
    let is_nested = items.windows(2).any(|pair| page.contains(pair[0], pair[1]));
    let mut texts: BTreeMap<&str, usize> = BTreeMap::new();
    for item in items {
        *texts.entry(page.visible_text(*item)).or_default() += 1;
    }
    let has_headline = items.iter().any(|item| {
        let next = headlines.get(headlines.partition_point(|headline| headline < item));
        next.is_some_and(|headline| page.contains(*item, *headline))
    });
    !is_nested && !has_headline && texts.len() * 100 >= items.len() * DISTINCT
}

/// Returns whether there is nothing but short links in the items.
fn is_menu(page: &Document, items: &[NodeId], fields: &[ItemField]) -> bool {
    let letters: usize = items.iter().map(|item| page.letters(*item)).sum();
    let linked: usize = items.iter().map(|item| page.linked_letters(*item)).sum();
    let is_only_links = fields.iter().all(|field| matches!(field.name.as_str(), "title" | "link"));
    is_only_links && linked * 10 >= letters * 9 && letters < items.len() * SHORTEST_LINK
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(html: &str) -> Option<(String, usize, Vec<String>)> {
        let page = Document::parse(html);
        let region = largest_region(&page, &Zones::of(&page))?;
        let names = region.fields.iter().map(|field| field.name.to_string()).collect();
        Some((region.select.source().to_owned(), region.items.len(), names))
    }

    fn cards(count: usize) -> String {
        (1..=count)
            .map(|n| {
                format!("<div class='card post-{n}00{n}'><h3><a href=/{n}>Lamp {n}</a></h3><b>{n}.50 EUR</b></div>")
            })
            .collect::<Vec<_>>()
            .concat()
    }

    #[test]
    fn the_items_of_a_grid_are_found() {
        let html = format!("<h1>Lamps</h1><div class=grid>{}<div class=more>More</div></div>", cards(6));
        let (select, count, names) = region(&html).unwrap();
        assert_eq!((select.as_str(), count), (".card", 6));
        assert_eq!(names, ["title", "link", "price"]);
    }

    #[test]
    fn a_grid_of_rows_is_one_list() {
        let html =
            format!("<div class=row>{}</div><div class=row>{}</div>", cards(3), cards(6).split_at(cards(3).len()).1);
        assert_eq!(region(&html).unwrap().1, 6);
    }

    #[test]
    fn the_rows_of_a_table_without_its_headers() {
        let html = "<table><tr><th>Name<th>Year<tr><td>Ada<td>1815<tr><td>Alan<td>1912<tr><td>Grace<td>1906</table>";
        let (_, count, names) = region(html).unwrap();
        assert_eq!((count, names), (3, vec!["name".to_owned(), "year".to_owned()]));
    }

    #[test]
    fn what_repeats_and_is_no_list_of_things() {
        let menu = "<div><a href=1>Home</a></div><div><a href=2>Shop</a></div><div><a href=3>Help</a></div>";
        let paragraphs = "<p>One thing.</p><p>Two things.</p><p>Three things.</p>".repeat(3);
        let tags = "<ul><li>red<li>green<li>blue</ul>";
        let same =
            "<ul><li><a href=1>Read more</a> now<li><a href=2>Read more</a> now<li><a href=3>Read more</a> now</ul>";
        let navigation = format!("<nav>{}</nav>", cards(5));
        for html in [menu, &paragraphs, tags, same, &navigation, &cards(2)] {
            assert_eq!(region(html), None, "{html}");
        }
    }
}
