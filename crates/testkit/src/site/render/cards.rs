//! Nested `div`s with utility classes, as component frameworks make them.

use super::super::element::{Element, element};
use super::super::record::{Article, Listing, Product, Record};
use super::date_parts;

pub(super) fn body(record: &Record) -> Element {
    let content = match record {
        Record::Article(article) => of_article(article),
        Record::Product(product) => of_product(product),
        Record::Listing(listing) => of_listing(listing),
    };
    let bar = element("div", "flex items-center h-16")
        .child(element("a", "text-lg font-bold").attribute("href", "/").text("Example House"));
    element("body", "antialiased").child(
        element("div", "min-h-screen")
            .attribute("id", "app")
            .child(bar)
            .child(element("div", "container mx-auto px-4").child(content)),
    )
}

/// A label and, next to it, the value.
fn labelled(label: &str, field: &'static str, value: &str) -> Element {
    element("div", "flex justify-between py-1")
        .row(field)
        .child(element("div", "text-sm text-gray-500").text(label))
        .child(element("div", "text-sm font-medium").child(element("span", "").field(field).text(value)))
}

fn title(text: &str) -> Element {
    element("div", "mb-4")
        .child(element("h2", "text-3xl font-extrabold").attribute("data-testid", "title").field("title").text(text))
}

fn of_article(article: &Article) -> Element {
    let (year, month, day) = date_parts(&article.date);
    let text = element("div", "prose space-y-4").attribute("data-testid", "content").field("body");
    let tags = element("div", "flex gap-2 mt-6").row("tags");
    element("div", "rounded shadow p-6")
        .child(title(&article.title))
        .child(
            element("div", "grid grid-cols-2 mb-4")
                .child(labelled("Written by", "author", &article.author))
                .child(labelled("Published", "date", &format!("{month} {day}, {year}"))),
        )
        .child(text.children(article.body.iter().map(|paragraph| element("div", "leading-7").text(paragraph))))
        .child(tags.children(
            article.tags.iter().map(|tag| element("span", "rounded-full px-2 bg-gray-100").field("tags").text(tag)),
        ))
}

fn of_product(product: &Product) -> Element {
    let items = element("div", "divide-y").row("items");
    element("div", "grid md:grid-cols-2 gap-8")
        .child(
            element("div", "aspect-square bg-gray-100")
                .child(element("img", "object-cover").attribute("src", "/image.png").attribute("alt", &product.title)),
        )
        .child(
            element("div", "flex flex-col")
                .child(title(&product.title))
                .child(labelled("Price", "price", &format!("\u{20ac}{}", product.price)))
                .child(labelled("Article number", "sku", &product.sku))
                .child(labelled("Currency", "currency", &product.currency))
                .child(element("div", "mt-4 text-gray-700").field("description").text(&product.description))
                .child(
                    items.children(
                        product
                            .items
                            .iter()
                            .map(|item| element("div", "py-2").child(element("span", "").field("items").text(item))),
                    ),
                ),
        )
}

fn of_listing(listing: &Listing) -> Element {
    let cards = listing.items.iter().map(|entry| {
        element("div", "rounded border p-4").attribute("data-testid", "card").child(
            element("a", "block")
                .attribute("href", &entry.url)
                .child(element("div", "font-semibold").text(&entry.title))
                .child(element("div", "text-sm").text(format!("\u{20ac}{}", entry.price))),
        )
    });
    let next = listing.next.iter().map(|path| {
        element("a", "px-3 py-1 rounded bg-blue-600").attribute("href", path).row("next").text("Show more")
    });
    element("div", "")
        .child(title(&listing.title))
        .child(element("div", "grid grid-cols-3 gap-4").row("items").children(cards))
        .child(element("div", "mt-8 text-center").children(next))
}
