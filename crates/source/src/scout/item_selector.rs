//! Selectors within the items of a list. A recipe looks only within an item and takes the first match there, so that a short selector
//! says enough, which a redesign of the page around the items leaves alone.

use autoheal_page::robust_selector::robust_selector;
use autoheal_page::{Document, NodeId, Selector};

use super::naming::is_telling;

/// Returns a selector that gives a node as the first match in its item, for each item that has one, and nothing in the others.
pub(super) fn select_in_items(page: &Document, items: &[NodeId], nodes: &[Option<NodeId>]) -> Option<Selector> {
    let gives_them = |selector: &Selector| first_in_items(page, items, selector) == nodes;
    let wanted: Vec<NodeId> = nodes.iter().flatten().copied().collect();
    let by_name = names_of(page, &wanted).into_iter().filter_map(|text| Selector::parse(&text).ok()).find(gives_them);
    let of_page = || {
        let selector = robust_selector(&[(page, &wanted)])?;
        let is_of_others = [":nth-", ":not("].iter().any(|part| selector.source().contains(part));
        (!is_of_others && gives_them(&selector)).then_some(selector)
    };
    let by_tag =
        || ways_of(page, items, nodes).into_iter().filter_map(|text| Selector::parse(&text).ok()).find(gives_them);
    by_name.or_else(of_page).or_else(by_tag)
}

/// Selectors that give a node as the first match in its item; those first that give something in most items.
pub(super) fn selectors_in_item(page: &Document, items: &[NodeId], item: NodeId, node: NodeId) -> Vec<Selector> {
    let Some(place) = items.iter().position(|other| *other == item) else { return Vec::new() };
    let texts = names_of(page, &[node]).into_iter().chain(ways_of(page, &[item], &[Some(node)]));
    let selectors = texts.filter_map(|text| Selector::parse(&text).ok());
    let mut found: Vec<(usize, Selector)> = selectors
        .map(|selector| (first_in_items(page, items, &selector), selector))
        .filter(|(first, _)| first.get(place) == Some(&Some(node)))
        .map(|(first, selector)| (first.iter().filter(|node| node.is_none()).count(), selector))
        .collect();
    found.sort_by_key(|(missing, _)| *missing);
    found.into_iter().map(|(_, selector)| selector).collect()
}

/// Maximum number of elements with the same value in an item that selectors are made of.
const MOST_HITS: usize = 3;

/// Selectors made of elements of the items, the most robust first: `hits` are for each item the elements with the wanted value, any of
/// which will do. The caller checks what they give.
pub(super) fn selectors_of_hits<'a>(
    page: &'a Document,
    items: &'a [NodeId],
    hits: &'a [Vec<NodeId>],
) -> impl Iterator<Item = Selector> + use<'a> {
    let most = hits.iter().map(Vec::len).max().unwrap_or(0);
    let last = most.checked_sub(1).filter(|last| *last >= MOST_HITS);
    let numbers: Vec<usize> = (0..most.min(MOST_HITS)).chain(last).collect();
    let nodes = move |number: usize| -> Vec<Option<NodeId>> {
        hits.iter().map(|nodes| nodes.get(number).or_else(|| nodes.last()).copied()).collect()
    };
    let parsed = |text: String| Selector::parse(&text).ok();
    let by_name = numbers.clone().into_iter().flat_map(move |number| {
        let wanted: Vec<NodeId> = nodes(number).into_iter().flatten().collect();
        names_of(page, &wanted)
    });
    let of_page = numbers.clone().into_iter().filter_map(move |number| {
        let wanted: Vec<NodeId> = nodes(number).into_iter().flatten().collect();
        let robust = robust_selector(&[(page, &wanted)]);
        robust.filter(|select| ![":nth-", ":not("].iter().any(|part| select.source().contains(part)))
    });
    let by_tag = numbers.into_iter().flat_map(move |number| ways_of(page, items, &nodes(number)));
    by_name.filter_map(parsed).chain(of_page).chain(by_tag.filter_map(parsed))
}

/// All matches of a selector in each item.
pub(super) fn all_in_items(page: &Document, items: &[NodeId], selector: &Selector) -> Vec<Vec<NodeId>> {
    let mut all: Vec<Vec<NodeId>> = vec![Vec::new(); items.len()];
    for node in page.select(selector) {
        let place = items.partition_point(|item| *item <= node).checked_sub(1);
        let place = place.filter(|place| items.get(*place).is_some_and(|item| page.contains(*item, node)));
        if let Some(nodes) = place.and_then(|place| all.get_mut(place)) {
            nodes.push(node);
        }
    }
    all
}

/// The first match of a selector in each item.
pub(crate) fn first_in_items(page: &Document, items: &[NodeId], selector: &Selector) -> Vec<Option<NodeId>> {
    all_in_items(page, items, selector).into_iter().map(|nodes| nodes.first().copied()).collect()
}

/// Selectors of what all the nodes are called.
fn names_of(page: &Document, nodes: &[NodeId]) -> Vec<String> {
    let Some(first) = nodes.first() else { return Vec::new() };
    let all = |has: &dyn Fn(NodeId) -> bool| nodes.iter().all(|node| has(*node));
    let mut names = Vec::new();
    for attribute in ["itemprop", "data-testid", "data-field"] {
        if let Some(value) = page.attribute(*first, attribute)
            && is_word(value)
            && all(&|node| page.attribute(node, attribute) == Some(value))
        {
            names.push(format!("[{attribute}=\"{value}\"]"));
        }
    }
    let classes = page.classes(*first).filter(|class| is_telling(class) && is_word(class));
    names.extend(
        classes
            .filter(|class| all(&|node| page.classes(node).any(|other| other == *class)))
            .map(|class| format!(".{class}")),
    );
    names
}

/// Returns whether a name needs no escape in a selector.
fn is_word(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|character| character.is_ascii_alphanumeric() || "-_".contains(character))
}

/// Selectors by tag, with its parent's, and by place: within an item these say enough.
fn ways_of(page: &Document, items: &[NodeId], nodes: &[Option<NodeId>]) -> Vec<String> {
    let mut found: Vec<(NodeId, NodeId)> = Vec::new();
    for (item, node) in items.iter().zip(nodes) {
        if let Some(node) = node {
            found.push((*item, *node));
        }
    }
    let Some((_, first)) = found.first() else { return Vec::new() };
    let tag = page.tag(*first);
    if found.iter().any(|(_, node)| page.tag(*node) != tag) {
        let is_heading = |node: NodeId| matches!(page.tag(node), "h1" | "h2" | "h3" | "h4" | "h5" | "h6");
        let are_headings = found.iter().all(|(_, node)| is_heading(*node));
        return if are_headings { vec!["h1, h2, h3, h4, h5, h6".to_owned()] } else { Vec::new() };
    }
    // A cell is known by its column, also the first.
    let is_cell = matches!(tag, "td" | "th");
    let mut ways = if is_cell { Vec::new() } else { vec![tag.to_owned()] };
    let parents: Vec<NodeId> = found.iter().filter_map(|(_, node)| page.parent(*node)).collect();
    let places: Vec<Option<usize>> = found
        .iter()
        .map(|(_, node)| {
            page.parent(*node).map(|parent| page.children(parent).take_while(|child| child <= node).count())
        })
        .collect();
    if let Some(parent) = parents.first().filter(|_| !is_cell)
        && parents.iter().all(|other| page.tag(*other) == page.tag(*parent))
    {
        ways.push(format!("{} > {tag}", page.tag(*parent)));
    }
    if let Some(Some(place)) = places.first()
        && places.iter().all(|other| *other == Some(*place))
    {
        ways.push(format!("{tag}:nth-child({place})"));
        if let Some(parent) = parents.first() {
            ways.push(format!("{} > {tag}:nth-child({place})", page.tag(*parent)));
        }
    }
    // Some items may lack a badge or the like before it.
    if found.iter().all(|(_, node)| page.next_sibling(*node).is_none()) {
        ways.push(format!("{tag}:last-child"));
        if let Some(parent) = parents.first() {
            ways.push(format!("{} > {tag}:last-child", page.tag(*parent)));
        }
    }
    ways
}
