//! Semantic elements and speaking class names.

use super::super::element::{Element, element};
use super::super::record::{Article, Listing, Product, Record};
use super::date_parts;

pub(super) fn body(record: &Record) -> Element {
    let content = match record {
        Record::Article(article) => of_article(article),
        Record::Product(product) => of_product(product),
        Record::Listing(listing) => of_listing(listing),
    };
    let footer = element("footer", "site-footer").child(element("p", "").text("Example House, all rights reserved"));
    element("body", "page").child(element("main", "content").child(content)).child(footer)
}

fn of_article(article: &Article) -> Element {
    let (year, month, day) = date_parts(&article.date);
    let author = element("span", "byline").text("By ").row("author");
    let author = author.child(element("span", "author").field("author").text(&article.author));
    let published = element("time", "published").attribute("datetime", &article.date).field("date");
    let header = element("header", "article-header")
        .child(element("h1", "headline").field("title").text(&article.title))
        .child(author)
        .child(published.text(format!("{day} {month} {year}")));
    let text = element("div", "article-body").field("body");
    let tags = element("ul", "tags").row("tags");
    element("article", "article")
        .child(header)
        .child(text.children(article.body.iter().map(|paragraph| element("p", "").text(paragraph))))
        .child(tags.children(article.tags.iter().map(|tag| element("li", "tag").field("tags").text(tag))))
}

fn of_product(product: &Product) -> Element {
    let items = element("ul", "items").row("items");
    element("article", "product")
        .child(element("h1", "product-name").field("title").text(&product.title))
        .child(
            element("p", "price-line")
                .row("price")
                .child(element("span", "price").field("price").text(&product.price))
                .text(" ")
                .child(element("span", "currency").field("currency").text(&product.currency)),
        )
        .child(
            element("p", "sku-line")
                .row("sku")
                .text("Number: ")
                .child(element("span", "sku").field("sku").text(&product.sku)),
        )
        .child(element("p", "description").field("description").text(&product.description))
        .child(element("h2", "").row("items").text("In the box"))
        .child(items.children(product.items.iter().map(|item| element("li", "item").field("items").text(item))))
}

fn of_listing(listing: &Listing) -> Element {
    let entries = listing.items.iter().map(|entry| {
        element("li", "entry")
            .child(element("a", "entry-link").attribute("href", &entry.url).text(&entry.title))
            .text(" ")
            .child(element("span", "entry-price").text(format!("{} EUR", entry.price)))
    });
    let next = listing.next.iter().map(|path| {
        element("a", "next").attribute("rel", "next").attribute("href", path).row("next").text("Next page")
    });
    element("section", "listing")
        .child(element("h1", "list-title").field("title").text(&listing.title))
        .child(element("ul", "entries").row("items").children(entries))
        .child(element("nav", "pager").children(next))
}
