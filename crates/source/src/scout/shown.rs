//! Values that a page about one thing shows without stating them: its price, its author, its day of publication.

use std::sync::LazyLock;

use autoheal_page::recipe::{Field, FieldName, NodeTake, Source};
use autoheal_page::relocate::same_kind;
use autoheal_page::robust_selector::robust_selector;
use autoheal_page::transform::{Capture, Conversion, TextStep};
use autoheal_page::value::ValueType;
use autoheal_page::{Document, NodeId};

use super::Look;
use super::conversion::{conversion_of, is_date, is_price};
use super::item_fields::is_former;

/// Distances from the headline in visible characters: of the price after it, of a date and of an author before or after it.
const PRICE_AFTER: usize = 2500;
const DATE_NEAR: usize = 800;
const AUTHOR_NEAR: usize = 1500;
/// The longest byline, and the longest name in words.
const LONGEST_BYLINE: usize = 120;
const MOST_NAME_WORDS: usize = 6;
/// Maximum number of elements around a heading whose next one may hold its list.
const MOST_LEVELS: usize = 3;

/// Parts of class names that say what an element holds.
const PRICE_NAMES: &[&str] = &["price", "prices", "preis", "prix", "precio", "prezzo", "prijs", "amount"];
const DATE_NAMES: &[&str] = &["date", "published", "pubdate", "posted", "timestamp", "datum"];
const AUTHOR_NAMES: &[&str] = &["author", "authors", "byline", "autor", "auteur", "writer"];

/// Words that a byline begins with.
const BY: &[&str] = &["by", "von", "par", "por", "door", "av"];

/// The name in a byline, without the words before it.
static NAME: LazyLock<Option<TextStep>> = LazyLock::new(|| {
    let name = Capture::parse(
        r"(?i)^(?:(?:written|posted|published|words|text|story)\s+)?(?:by|von|par|por|di|door|af|av)?\s*:?\s*(.+)$",
    );
    name.ok().map(TextStep::Regex)
});

/// A field for each of these values that the page shows near its headline, unless a field is called so already.
pub(super) fn by_appearance(look: &Look<'_>, known: &[Field]) -> Vec<Field> {
    let headlines = || look.page.nodes().filter(|node| look.page.tag(*node) == "h1");
    let Some(headline) = headlines().next().filter(|_| headlines().nth(1).is_none()) else { return Vec::new() };
    let shown = Shown { look, page: look.page, headline };
    let is_known = |name: &str| known.iter().any(|field| field.name.as_str() == name);
    let price = (!is_known("price")).then(|| shown.price()).flatten();
    // A product has no byline; the names and days on its page are those of reviews.
    let is_for_sale = price.is_some() || is_known("price");
    let author = (!is_known("author") && !is_for_sale).then(|| shown.author()).flatten();
    let published = (!is_known("published") && !is_for_sale).then(|| shown.published()).flatten();
    let lists = ["ingredients", "instructions"].into_iter().filter(|name| !is_known(name));
    let lists = lists.filter_map(|name| shown.list_below(name));
    price.into_iter().chain(author).chain(published).chain(lists).collect()
}

struct Shown<'a> {
    look: &'a Look<'a>,
    page: &'a Document,
    headline: NodeId,
}

impl Shown<'_> {
    /// Elements of the main part of the page, without those of items that go with the thing.
    fn nodes(&self) -> impl Iterator<Item = NodeId> {
        let region = self.look.region.as_ref();
        let is_of_item = move |node: NodeId| {
            region.is_some_and(|region| {
                let before = region.items.partition_point(|item| *item <= node).checked_sub(1);
                before.is_some_and(|place| self.page.contains(region.items[place], node))
            })
        };
        let page = self.page;
        page.nodes()
            .filter(move |node| !self.look.zones.is_beside(*node) && page.letters(*node) > 0 && !is_of_item(*node))
    }

    fn is_near(&self, node: NodeId, distance: usize) -> bool {
        self.page.letters_before(node).abs_diff(self.page.letters_before(self.headline)) <= distance
    }

    /// The only price after the headline that is called a price.
    fn price(&self) -> Option<Field> {
        let is_it = |node: &NodeId| {
            *node > self.headline
                && self.is_near(*node, PRICE_AFTER)
                && is_price(self.page.visible_text(*node))
                && self.is_called(*node, PRICE_NAMES)
                && !is_former(self.page, self.page.body(), *node)
        };
        let found: Vec<NodeId> = self.nodes().filter(is_it).collect();
        let inner = |node: &NodeId| !found.iter().any(|other| other != node && self.page.contains(*node, *other));
        let mut found = found.iter().copied().filter(inner);
        let first = found.next()?;
        let text = self.page.visible_text(first);
        let is_only = found.all(|other| self.page.visible_text(other) == text);
        if is_only { self.field("price", first, NodeTake::Text, conversion_of(&std::iter::once(text))) } else { None }
    }

    /// The first day near the headline: of a `time`, or of an element that is called a date.
    fn published(&self) -> Option<Field> {
        let near = || self.nodes().filter(|node| self.is_near(*node, DATE_NEAR));
        let time = near().filter(|node| self.page.tag(*node) == "time").find_map(|node| {
            let stated = self.page.attribute(node, "datetime").is_some_and(is_date);
            let take = if stated { NodeTake::Attribute("datetime".to_owned()) } else { NodeTake::Text };
            (stated || is_date(self.page.visible_text(node))).then_some((node, take))
        });
        let is_called = |node: &NodeId| self.is_called(*node, DATE_NAMES) && is_date(self.page.visible_text(*node));
        let (node, take) = time.or_else(|| Some((near().filter(is_called).last()?, NodeTake::Text)))?;
        self.field("published", node, take, Conversion::to(ValueType::Date))
    }

    /// The name that is linked as the author's, or in an element that is called so.
    fn author(&self) -> Option<Field> {
        let near = || self.nodes().filter(|node| self.is_near(*node, AUTHOR_NEAR));
        let is_linked = |node: &NodeId| {
            self.page
                .attribute(*node, "rel")
                .is_some_and(|rel| rel.split_ascii_whitespace().any(|word| word == "author"))
        };
        let is_name = |node: &NodeId| is_name(self.page.visible_text(*node));
        let linked = near().filter(is_linked).find(is_name);
        let in_byline = || {
            let mut bylines =
                near().filter(|node| self.is_called(*node, AUTHOR_NAMES) && self.page.letters(*node) < LONGEST_BYLINE);
            bylines.find_map(|node| {
                let mut links = self.page.descendants(node).filter(|inner| self.page.tag(*inner) == "a");
                links.find(is_name).or(Some(node).filter(is_name))
            })
        };
        let after_by = || {
            let lines = near().filter(|node| self.page.letters(*node) < LONGEST_BYLINE && self.page.tag(*node) != "h1");
            lines.filter(is_name).find(|node| begins_with_by(self.page.visible_text(*node)))
        };
        let name = linked.or_else(in_byline).or_else(after_by)?;
        let field = self.field("author", name, NodeTake::Text, Conversion::Text)?;
        Some(Field { steps: NAME.iter().cloned().collect(), ..field })
    }

    /// The entries of the list below the heading that is called so.
    fn list_below(&self, name: &str) -> Option<Field> {
        let is_heading = |node: &NodeId| {
            matches!(self.page.tag(*node), "h2" | "h3" | "h4") && same_kind(self.page.visible_text(*node), name)
        };
        let mut headings = self.nodes().filter(is_heading);
        let (heading, None) = (headings.next()?, headings.next()) else { return None };
        let around = std::iter::once(heading).chain(self.page.ancestors(heading)).take(MOST_LEVELS);
        let next = around.into_iter().find_map(|node| self.page.next_sibling(node))?;
        let mut inside = std::iter::once(next).chain(self.page.descendants(next));
        let list = inside.find(|node| matches!(self.page.tag(*node), "ul" | "ol"))?;
        let entries: Vec<NodeId> = self.page.children(list).filter(|entry| self.page.letters(*entry) > 0).collect();
        let select = robust_selector(&[(self.page, &entries)]).filter(|_| entries.len() > 1)?;
        let source = Source::Nodes { select, take: NodeTake::Text };
        let example = entries.iter().map(|entry| self.page.visible_text(*entry).to_owned()).collect();
        let name = FieldName::parse(name).ok()?;
        Some(Field { many: true, required: false, example, ..Field::new(name, source) })
    }

    fn is_called(&self, node: NodeId, names: &[&str]) -> bool {
        let attributes =
            ["id", "itemprop", "data-testid"].into_iter().filter_map(|name| self.page.attribute(node, name));
        let mut called = self.page.classes(node).chain(attributes).flat_map(|name| name.split(['-', '_']));
        called.any(|word| names.contains(&word.to_ascii_lowercase().as_str()))
    }

    fn field(&self, name: &str, node: NodeId, take: NodeTake, conversion: Conversion) -> Option<Field> {
        let select = robust_selector(&[(self.page, &[node])])?;
        let text = match &take {
            NodeTake::Attribute(attribute) => self.page.attribute(node, attribute).unwrap_or_default().to_owned(),
            NodeTake::Text | NodeTake::OwnText | NodeTake::Html => self.page.visible_text(node).to_owned(),
        };
        let source = Source::Nodes { select, take };
        let name = FieldName::parse(name).ok()?;
        Some(Field { conversion, required: false, example: vec![text], ..Field::new(name, source) })
    }
}

fn begins_with_by(text: &str) -> bool {
    text.split_once(' ').is_some_and(|(first, _)| BY.contains(&first.to_lowercase().as_str()))
}

/// Returns whether a text is a name, perhaps after `by`.
fn is_name(text: &str) -> bool {
    let Some(name) = NAME.as_ref().and_then(|step| step.apply(text).ok()?.pop()) else { return false };
    let words = name.split_whitespace().count();
    let has_marks = name.contains(|character: char| character.is_numeric() || "|@:/?!,;".contains(character));
    (1..=MOST_NAME_WORDS).contains(&words) && name.starts_with(char::is_uppercase) && !has_marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::PageKind;
    use crate::scout::by_page;

    /// Name and value of each field.
    fn found(html: &str) -> Vec<(String, String)> {
        let page = Document::parse(html);
        let recipe = by_page(&page, Some(PageKind::Single)).unwrap().recipe;
        let extraction = recipe.apply(&page, None);
        let value =
            |name: &str| extraction.records[0].field(name).unwrap().values.first().map(|found| found.value.to_string());
        recipe
            .fields()
            .iter()
            .map(|field| (field.name.to_string(), value(field.name.as_str()).unwrap_or_default()))
            .collect()
    }

    fn has(html: &str, name: &str, value: &str) -> bool {
        found(html).contains(&(name.to_owned(), value.to_owned()))
    }

    #[test]
    fn price_of_a_product_is_found_by_its_class() {
        let html = "<h1>Blue lamp</h1><s class=price>29.00 EUR</s><span class=price>24.90 EUR</span><p>Bright.</p><p class=price-note>incl. tax</p>";
        assert!(has(html, "price", "24.90 EUR"), "{:?}", found(html));
        let two = "<h1>Blue lamp</h1><span class=price>24.90 EUR</span><span class=price>3.00 EUR</span>";
        assert!(!found(two).iter().any(|(name, _)| name == "price"), "nothing says which of them it is");
    }

    #[test]
    fn author_and_day_of_an_article_are_found_near_its_headline() {
        for byline in [
            "<p class=byline>By <a href=/jane>Jane Doe</a></p><time datetime=2026-03-05>today</time>",
            "<a rel=author href=/jane>Jane Doe</a><time>March 5, 2026</time>",
            "<span class=post-author>by Jane Doe</span><span class=post-date>5 March 2026</span>",
        ] {
            let html =
                format!("<article><h1>A long day</h1>{byline}<p>It was long and nothing more than that.</p></article>");
            assert!(has(&html, "author", "Jane Doe") && has(&html, "published", "2026-03-05"), "{:?}", found(&html));
        }
        let recipe = "<h1>Soup</h1><p>By <a href=/ada>Ada King</a></p><h2>Ingredients</h2><ul><li>1 leek<li>salt</ul>
            <h2>Instructions</h2><ol><li>Cut it.<li>Cook it.</ol>";
        assert!(has(recipe, "author", "Ada King"), "{:?}", found(recipe));
        assert!(has(recipe, "ingredients", "1 leek") && has(recipe, "instructions", "Cut it."), "{:?}", found(recipe));
        let none = "<h1>A long day</h1><p class=author-note>Read more, subscribe: 12 offers!</p><p>Long ago.</p>";
        assert_eq!(found(none).len(), 1);
    }
}
