//! Tables for everything, as around the year 2000.

use super::super::element::{Element, element};
use super::super::record::{Article, Listing, Product, Record};
use super::date_parts;

pub(super) fn body(record: &Record) -> Element {
    let content = match record {
        Record::Article(article) => of_article(article),
        Record::Product(product) => of_product(product),
        Record::Listing(listing) => of_listing(listing),
    };
    let menu = ["Home", "Shop", "News", "Imprint"].map(|name| {
        element("tr", "").child(element("td", "").child(element("a", "").attribute("href", "/").text(name)))
    });
    element("body", "").attribute("bgcolor", "#ffffff").child(
        table("100%").child(
            element("tr", "")
                .child(element("td", "").attribute("width", "150").child(table("100%").children(menu)))
                .child(element("td", "").child(content)),
        ),
    )
}

fn table(width: &str) -> Element {
    element("table", "").attribute("border", "0").attribute("width", width)
}

fn heading(text: &str) -> Element {
    element("font", "").attribute("size", "5").child(element("b", "").field("title").text(text))
}

fn row(label: &str, field: &'static str, value: &str) -> Element {
    element("tr", "")
        .row(field)
        .child(element("td", "").attribute("align", "right").child(element("i", "").text(label)))
        .child(element("td", "").field(field).text(value))
}

fn of_article(article: &Article) -> Element {
    let (year, _, day) = date_parts(&article.date);
    let month = article.date.split('-').nth(1).unwrap_or_default();
    let facts = table("50%")
        .child(row("Author:", "author", &article.author))
        .child(row("Date:", "date", &format!("{day}.{month}.{year}")))
        .child(
            element("tr", "")
                .row("tags")
                .child(element("td", "").attribute("align", "right").child(element("i", "").text("About:")))
                .child(element("td", "").children(
                    article.tags.iter().map(|tag| element("a", "").attribute("href", "/").field("tags").text(tag)),
                )),
        );
    let text = element("blockquote", "").field("body");
    element("center", "")
        .child(heading(&article.title))
        .child(facts)
        .child(element("hr", ""))
        .child(text.children(article.body.iter().map(|paragraph| element("p", "").text(paragraph))))
}

fn of_product(product: &Product) -> Element {
    let parts = product.items.iter().map(|item| element("li", "").field("items").text(item));
    element("center", "")
        .child(heading(&product.title))
        .child(
            table("60%")
                .child(row("Article no.", "sku", &product.sku))
                .child(row("Our price", "price", &format!("{} {}", product.price, product.currency)))
                .child(row("Currency", "currency", &product.currency))
                .child(row("Description", "description", &product.description)),
        )
        .child(element("ol", "").row("items").children(parts))
}

fn of_listing(listing: &Listing) -> Element {
    let rows = listing.items.iter().enumerate().map(|(index, entry)| {
        element("tr", "")
            .child(element("td", "").text(format!("{}.", index + 1)))
            .child(element("td", "").child(element("a", "").attribute("href", &entry.url).text(&entry.title)))
            .child(element("td", "").attribute("align", "right").text(format!("{} EUR", entry.price)))
    });
    let next = listing.next.iter().map(|path| element("a", "").attribute("href", path).row("next").text(">> next >>"));
    element("center", "")
        .child(heading(&listing.title))
        .child(table("80%").row("items").children(rows))
        .child(element("p", "").children(next))
}
