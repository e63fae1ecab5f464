//! Fields that the items of a list have in common: title, link, price, date, image, the columns of a table, and elements that are
//! named by their class.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use autoheal_page::recipe::{Field, FieldName, NodeTake, Source};
use autoheal_page::relocate::{is_known, same_kind, same_name};
use autoheal_page::transform::Conversion;
use autoheal_page::{Document, NodeId, Selector};

use super::conversion::{conversion_of, is_date, is_like_number, is_price};
use super::item_selector::select_in_items;
use super::naming::{field_name, is_telling};

/// The share of items that must have a field, in percent; a field that all have is required.
const MOST_ITEMS_HAVE: usize = 60;
/// The longest text of a field that is named by a class, in characters without spaces.
const LONGEST_NAMED: usize = 400;
/// An item with more elements is a whole page.
const MOST_ELEMENTS: usize = 400;
/// Of more class names none means anything.
const MOST_CLASSES: usize = 12;

/// A field of the items.
pub(super) struct ItemField {
    pub(super) name: FieldName,
    /// Of each item that has it.
    nodes: Vec<Option<NodeId>>,
    take: NodeTake,
    pub(super) select: Selector,
    /// Texts of the field, in the order of the items.
    pub(super) texts: Vec<String>,
    conversion: Conversion,
}

impl ItemField {
    /// Returns whether every item has the field.
    pub(super) fn is_in_all(&self) -> bool {
        self.nodes.iter().all(Option::is_some)
    }

    /// As a recipe has it.
    pub(super) fn field(&self) -> Field {
        let source = Source::Nodes { select: self.select.clone(), take: self.take.clone() };
        Field {
            required: self.is_in_all(),
            conversion: self.conversion.clone(),
            example: self.texts.iter().take(1).cloned().collect(),
            ..Field::new(self.name.clone(), source)
        }
    }
}

/// A position in an item, and the part of the node that is extracted there.
type Slot = (NodeId, NodeTake);

/// The fields that most of the items have, those that every item has first.
pub(super) fn fields_of(page: &Document, items: &[NodeId]) -> Vec<ItemField> {
    let columns = columns(page, items);
    let mut fields: Vec<ItemField> = Vec::new();
    if columns.is_empty() {
        let lexicon = Lexicon::default();
        let by_item: Vec<BTreeMap<String, Slot>> = items.iter().map(|item| slots_of(page, &lexicon, *item)).collect();
        let mut names: Vec<&String> = Vec::new();
        for name in by_item.iter().flat_map(BTreeMap::keys) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.sort_by_key(|name| ORDER.iter().position(|known| known == name).unwrap_or(ORDER.len()));
        for name in names {
            let Ok(parsed) = FieldName::parse(name) else { continue };
            let slots: Vec<Option<Slot>> = by_item.iter().map(|slots| slots.get(name).cloned()).collect();
            fields.extend(item_field(page, items, parsed, &slots));
        }
    } else {
        for (name, slots) in columns {
            fields.extend(item_field(page, items, name, &slots));
        }
        if !fields.iter().any(|field| field.name.as_str() == "link")
            && let Ok(name) = FieldName::parse("link")
        {
            let links: Vec<Option<Slot>> = items.iter().map(|item| link_of(page, *item, None)).collect();
            fields.extend(item_field(page, items, name, &links));
        }
    }
    drop_repeated(&mut fields);
    fields
}

/// The order of the fields that are known; others come after them by name.
const ORDER: &[&str] = &["title", "link", "price", "date", "image"];

/// Fields that say the same as an earlier one.
fn drop_repeated(fields: &mut Vec<ItemField>) {
    let mut index = 0;
    while index < fields.len() {
        let is_repeated = fields[..index].iter().any(|earlier| earlier.texts == fields[index].texts);
        if is_repeated {
            fields.remove(index);
        } else {
            index += 1;
        }
    }
}

/// The field of this name that most of the items call so: by a class, `itemprop` or `data-` attribute, once in each.
pub(super) fn called(page: &Document, items: &[NodeId], name: &FieldName) -> Option<ItemField> {
    let is_called = |node: &NodeId| {
        let attributes = ["itemprop", "data-testid", "data-field"].into_iter();
        let attributes = attributes.filter_map(|attribute| page.attribute(*node, attribute));
        let mut names = page.classes(*node).chain(attributes);
        names.any(|called| {
            same_name(called, name.as_str()) || of_class_end(called).is_some_and(|end| same_name(end, name.as_str()))
        })
    };
    let slot = |item: &NodeId| {
        let mut nodes = page.descendants(*item).filter(|node| page.letters(*node) > 0).filter(is_called);
        let first = nodes.next()?;
        nodes.all(|other| page.contains(first, other)).then_some((first, NodeTake::Text))
    };
    item_field(page, items, name.clone(), &items.iter().map(slot).collect::<Vec<_>>())
}

/// The last part of a class name of several.
fn of_class_end(class: &str) -> Option<&str> {
    class.rsplit_once(['-', '_']).map(|(_, last)| last)
}

fn item_field(page: &Document, items: &[NodeId], name: FieldName, slots: &[Option<Slot>]) -> Option<ItemField> {
    let present = slots.iter().flatten().count();
    if present == 0 || present * 100 < items.len() * MOST_ITEMS_HAVE {
        return None;
    }
    let take = slots.iter().flatten().map(|(_, take)| take.clone()).next()?;
    let nodes: Vec<Option<NodeId>> =
        slots.iter().map(|slot| slot.as_ref().filter(|(_, other)| *other == take).map(|(node, _)| *node)).collect();
    if nodes.iter().flatten().count() * 100 < items.len() * MOST_ITEMS_HAVE {
        return None;
    }
    let select = select_in_items(page, items, &nodes)?;
    let text = |node: &NodeId| match &take {
        NodeTake::Attribute(attribute) => page.attribute(*node, attribute).unwrap_or_default().to_owned(),
        NodeTake::Text | NodeTake::OwnText | NodeTake::Html => page.text(*node).into_owned(),
    };
    let texts: Vec<String> = nodes.iter().flatten().map(text).collect();
    let conversion = match name.as_str() {
        "link" | "image" => Conversion::Url,
        "title" => Conversion::Text,
        _ => conversion_of(&texts.iter().map(String::as_str)),
    };
    Some(ItemField { name, nodes, take, select, texts, conversion })
}

/// The header cells of a table, one for each column: its first row of nothing else. `None`: there is no such row, or a cell spans columns.
pub(crate) fn headers_of(page: &Document, table: NodeId) -> Option<Vec<NodeId>> {
    let is_of_headers = |row: &NodeId| {
        page.tag(*row) == "tr"
            && page.children(*row).count() >= 2
            && page.children(*row).all(|cell| page.tag(cell) == "th")
    };
    let headers: Vec<NodeId> = page.children(page.descendants(table).find(is_of_headers)?).collect();
    (!headers.iter().any(|cell| spans(page, *cell))).then_some(headers)
}

/// The cells of a row, if there is one below each header.
pub(crate) fn cells_of(page: &Document, row: NodeId, headers: &[NodeId]) -> Option<Vec<NodeId>> {
    let cells: Vec<NodeId> = page.children(row).collect();
    let is_regular = cells.len() == headers.len() && !cells.iter().any(|cell| spans(page, *cell));
    is_regular.then_some(cells)
}

fn spans(page: &Document, cell: NodeId) -> bool {
    page.attribute(cell, "colspan").is_some_and(|span| span.trim() != "1")
}

/// The columns of a table with headers, by their names.
fn columns(page: &Document, items: &[NodeId]) -> Vec<(FieldName, Vec<Option<Slot>>)> {
    let Some(first) = items.first().filter(|item| page.tag(**item) == "tr") else { return Vec::new() };
    let Some(table) = page.ancestors(*first).find(|above| page.tag(*above) == "table") else { return Vec::new() };
    let Some(headers) = headers_of(page, table) else { return Vec::new() };
    let mut columns: Vec<(FieldName, Vec<Option<Slot>>)> = Vec::new();
    for (place, header) in headers.iter().enumerate() {
        let Some(name) = field_name(&page.text(*header)) else { continue };
        if columns.iter().any(|(other, _)| *other == name) {
            continue;
        }
        let cell = |item: &NodeId| {
            let cell = *cells_of(page, *item, &headers)?.get(place)?;
            (page.letters(cell) > 0).then_some((cell, NodeTake::Text))
        };
        columns.push((name, items.iter().map(cell).collect()));
    }
    columns
}

/// Finds the values of an item, by the name of the field.
fn slots_of(page: &Document, lexicon: &Lexicon, item: NodeId) -> BTreeMap<String, Slot> {
    let mut slots = BTreeMap::new();
    if page.descendants(item).len() > MOST_ELEMENTS {
        return slots;
    }
    let title = title_of(page, lexicon, item);
    if let Some(link) = link_of(page, item, title) {
        slots.insert("link".to_owned(), link);
    }
    slots.extend(image_of(page, item).map(|image| ("image".to_owned(), image)));
    let seen = |node: &NodeId| !page.is_skipped(*node) && page.letters(*node) > 0;
    let texts: Vec<NodeId> = std::iter::once(item).chain(page.descendants(item)).filter(seen).collect();
    let only = |is_it: &dyn Fn(&str) -> bool| {
        let holds = |node: &NodeId| {
            is_it(page.visible_text(*node)) && !page.children(*node).any(|child| is_it(page.visible_text(child)))
        };
        let mut found = texts.iter().copied().filter(holds).filter(|node| !is_former(page, item, *node));
        // Two prices are two things, and nothing says which is meant.
        found.next().filter(|first| found.all(|other| page.visible_text(other) == page.visible_text(*first)))
    };
    slots.extend(only(&is_price).map(|node| ("price".to_owned(), (node, NodeTake::Text))));
    let time = texts.iter().copied().find(|node| page.attribute(*node, "datetime").is_some_and(is_date));
    let date = match time {
        Some(node) => Some((node, NodeTake::Attribute("datetime".to_owned()))),
        None => only(&|text| is_date(text) && !is_price(text)).map(|node| (node, NodeTake::Text)),
    };
    slots.extend(date.map(|slot| ("date".to_owned(), slot)));
    for node in texts.iter().copied().filter(|node| *node != item && page.letters(*node) <= LONGEST_NAMED) {
        let Some(Called { name, is_part: true, .. }) = lexicon.called(page, node) else { continue };
        let is_taken = slots.keys().any(|other| same_kind(other, &name));
        if !is_taken {
            slots.insert(name, (node, NodeTake::Text));
        }
    }
    slots.extend(title.map(|node| ("title".to_owned(), (node, NodeTake::Text))));
    slots
}

/// Returns whether a price is no longer valid, such as one that is struck out.
pub(super) fn is_former(page: &Document, item: NodeId, node: NodeId) -> bool {
    let is_struck = |above: &NodeId| {
        matches!(page.tag(*above), "del" | "s" | "strike")
            || page
                .classes(*above)
                .flat_map(|class| class.split(['-', '_']))
                .any(|word| matches!(word, "old" | "was" | "strike" | "before" | "regular" | "rrp" | "uvp" | "list"))
    };
    std::iter::once(node).chain(page.ancestors(node)).take_while(|above| *above != item).any(|above| is_struck(&above))
}

/// Returns the title of an item: its heading, an element of that name, or the first text in its first link or in itself that is not
/// a value.
fn title_of(page: &Document, lexicon: &Lexicon, item: NodeId) -> Option<NodeId> {
    let below = || page.descendants(item).filter(|node| !page.is_skipped(*node) && page.letters(*node) > 0);
    let is_heading = |node: &NodeId| matches!(page.tag(*node), "h2" | "h3" | "h4" | "h5" | "h6");
    let is_named = |node: &NodeId| lexicon.called(page, *node).is_some_and(|called| called.is_title);
    let is_text = |node: &NodeId| {
        let text = page.visible_text(*node);
        let has_words = text.chars().filter(|character| character.is_alphabetic()).nth(2).is_some();
        has_words && page.children(*node).all(|child| page.letters(child) == 0) && !is_price(text) && !is_date(text)
    };
    let links = || below().filter(|node| page.tag(*node) == "a");
    let in_link = || links().find_map(|link| std::iter::once(link).chain(page.descendants(link)).find(is_text));
    let of_itself = || std::iter::once(item).chain(below()).find(is_text).filter(|_| page.tag(item) == "a");
    below().find(is_heading).or_else(|| below().find(is_named)).or_else(in_link).or_else(of_itself)
}

/// Finds the link of an item: the link around its title or in it, or its first.
fn link_of(page: &Document, item: NodeId, title: Option<NodeId>) -> Option<Slot> {
    let leads = |node: &NodeId| {
        let address = page.attribute(*node, "href").unwrap_or_default().trim();
        page.tag(*node) == "a" && !address.is_empty() && !address.starts_with(['#']) && !address.contains("javascript:")
    };
    let around = title.and_then(|title| {
        let outwards =
            std::iter::once(title).chain(page.ancestors(title)).take_while(|above| page.contains(item, *above));
        outwards.into_iter().find(leads)
    });
    let within = || title.and_then(|title| page.descendants(title).find(leads));
    let first = || std::iter::once(item).chain(page.descendants(item)).find(leads);
    around.or_else(within).or_else(first).map(|node| (node, NodeTake::Attribute("href".to_owned())))
}

/// Returns the first picture of an item whose address needs no script.
fn image_of(page: &Document, item: NodeId) -> Option<Slot> {
    let image = page.descendants(item).find(|node| page.tag(*node) == "img")?;
    let is_address =
        |name: &&str| page.attribute(image, name).is_some_and(|text| !text.is_empty() && !text.starts_with("data:"));
    let attribute = ["src", "data-src"].into_iter().find(is_address)?;
    Some((image, NodeTake::Attribute(attribute.to_owned())))
}

/// Cache of field names by the names of elements; a lookup is slow, and the items of a list have the same names.
#[derive(Default)]
struct Lexicon {
    known: RefCell<HashMap<String, Option<Called>>>,
}

/// The name of a field that an element is called by.
#[derive(Debug, Clone)]
struct Called {
    name: String,
    is_title: bool,
    /// True if it can be a field next to others: the whole text of an item cannot, nor can names that are for pictures.
    is_part: bool,
}

impl Lexicon {
    /// Returns the field name that an element's name is known for: by `itemprop`, or by the end of a class name.
    fn called(&self, page: &Document, node: NodeId) -> Option<Called> {
        let by_attribute = page.attribute(node, "itemprop");
        let by_class = page.classes(node).take(MOST_CLASSES).filter(|class| is_telling(class));
        by_attribute.into_iter().chain(by_class.map(|class| of_class_end(class).unwrap_or(class))).find_map(|name| {
            let mut known = self.known.borrow_mut();
            known.entry(name.to_owned()).or_insert_with(|| look_up(name)).clone()
        })
    }
}

fn look_up(name: &str) -> Option<Called> {
    if !is_known(name) || is_like_number(name) {
        return None;
    }
    let name = String::from(field_name(name)?);
    let is_any = |kinds: &[&str]| kinds.iter().any(|kind| same_kind(kind, &name));
    let (is_title, is_part) = (is_any(&["title"]), !is_any(&["body", "image", "title", "published"]));
    Some(Called { name, is_title, is_part })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of each field its name, type, selector and whether it is required.
    fn fields(item: &str, html: &str) -> Vec<String> {
        let page = Document::parse(html);
        let items = page.select(&Selector::parse(item).unwrap());
        let told = |field: Field| {
            let mark = if field.required { "" } else { "?" };
            let select = field.select().unwrap().source().to_owned();
            format!("{}{mark} {} {select} {}", field.name, field.value_type(), field.take())
        };
        fields_of(&page, &items).iter().map(|field| told(field.field())).collect()
    }

    #[test]
    fn the_usual_parts_of_an_item() {
        let item = |n: usize| {
            format!(
                "<li><img src=/{n}.png><h3><a href=/p/{n}>Lamp {n}</a></h3><del>{n}9.00 €</del><span>{n}.00 €</span>
                <time datetime=2026-03-0{n}>{n} March</time><span class=item-author>Ada {n}</span></li>"
            )
        };
        let html = (1..=4).map(item).collect::<Vec<_>>().concat();
        assert_eq!(
            fields("li", &html),
            [
                "title text h3 text",
                "link url a attr:href",
                "price money span text",
                "date date time attr:datetime",
                "image url img attr:src",
                "author text .item-author text",
            ]
        );
    }

    #[test]
    fn what_only_some_items_have_is_optional_or_left_out() {
        let item = |n: usize| {
            let price = if n == 1 { String::new() } else { format!("<b>{n} €</b>") };
            let date = if n == 2 { "<i>2026-03-05</i>" } else { "" };
            format!("<div><h4>Lamp {n}</h4>{price}{date}</div>")
        };
        let html = (1..=4).map(item).collect::<Vec<_>>().concat();
        assert_eq!(fields("div", &html), ["title text h4 text", "price? money b text"]);
    }

    #[test]
    fn two_prices_of_an_item_are_no_price() {
        let html = (1..=3)
            .map(|n| format!("<div><h4>Lamp {n}</h4><b>{n} €</b><b>{n}0 €</b></div>"))
            .collect::<Vec<_>>()
            .concat();
        assert_eq!(fields("div", &html), ["title text h4 text"]);
    }

    #[test]
    fn a_link_around_everything_is_not_the_title() {
        let html = (1..=3)
            .map(|n| format!("<div><a href={n}><span>Lamp {n}</span><span>{n} €</span></a></div>"))
            .collect::<Vec<_>>()
            .concat();
        let found = fields("div", &html);
        assert!(found[0].starts_with("title text span"), "{found:?}");
        assert!(found.iter().any(|field| field.starts_with("price money")), "{found:?}");
    }

    #[test]
    fn columns_are_called_what_their_headers_say() {
        let html = "<table><tr><th>Name<th>Unit price<th><tr><td>Lamp<td>3 €<td>x<tr><td>Chair<td>4 €<td>y<tr><td>Nail<td>5 €<td>z</table>";
        let found = fields("tr:not(:first-child)", html);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(
            found[0].starts_with("name text td:nth-child(1)") && found[1].starts_with("unit_price money"),
            "{found:?}"
        );
    }
}
