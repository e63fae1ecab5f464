//! A portal: teasers that look like the real thing, side columns, and microdata on the real thing.

use super::super::element::{Element, element};
use super::super::record::{self, Article, Listing, Product, Record};
use super::date_parts;

/// Numbers of records that no page of the site is about.
const TEASERS: [usize; 3] = [90_001, 90_002, 90_003];

pub(super) fn body(record: &Record) -> Element {
    let (content, teasers) = match record {
        Record::Article(article) => {
            (of_article(article), TEASERS.map(|number| article_teaser(&record::article(number))))
        }
        Record::Product(product) => {
            (of_product(product), TEASERS.map(|number| product_teaser(&record::product(number))))
        }
        Record::Listing(listing) => {
            (of_listing(listing), TEASERS.map(|number| product_teaser(&record::product(number))))
        }
    };
    let menu = ["Politics", "Sports", "Culture", "Shop"]
        .map(|name| element("li", "nav__item").child(element("a", "nav__link").attribute("href", "/").text(name)));
    element("body", "portal").child(element("nav", "nav").child(element("ul", "nav__list").children(menu))).child(
        element("div", "layout")
            .child(
                element("aside", "layout__side")
                    .child(element("h3", "side__title").text("Also read"))
                    .children(teasers),
            )
            .child(element("div", "layout__main").child(content)),
    )
}

fn article_teaser(article: &Article) -> Element {
    element("section", "story story--teaser")
        .child(element("h3", "story__title").text(&article.title))
        .child(element("span", "story__author").text(&article.author))
        .child(element("span", "story__date").text(&article.date))
}

fn product_teaser(product: &Product) -> Element {
    element("section", "offer offer--teaser")
        .child(element("h3", "offer__title").text(&product.title))
        .child(element("span", "offer__price").text(format!("EUR {}", product.price)))
}

fn of_article(article: &Article) -> Element {
    let (year, month, day) = date_parts(&article.date);
    let title = element("h2", "story__title").attribute("itemprop", "headline").field("title");
    let author = element("span", "story__author").attribute("itemprop", "author").field("author");
    let date =
        element("span", "story__date").attribute("itemprop", "datePublished").attribute("content", &article.date);
    let text = element("div", "story__text").attribute("itemprop", "articleBody").field("body");
    let tags =
        article.tags.iter().map(|tag| element("a", "story__tag").attribute("rel", "tag").field("tags").text(tag));
    element("section", "story")
        .attribute("itemscope", "")
        .attribute("itemtype", "https://schema.org/NewsArticle")
        .child(title.text(&article.title))
        .child(
            element("div", "story__meta")
                .child(date.field("date").text(format!("{}. {day}, {year}", month.get(..3).unwrap_or(month))))
                .child(author.text(&article.author)),
        )
        .child(text.children(article.body.iter().map(|paragraph| element("p", "story__paragraph").text(paragraph))))
        .child(element("div", "story__tags").row("tags").children(tags))
}

fn of_product(product: &Product) -> Element {
    let title = element("h2", "offer__title").attribute("itemprop", "name").field("title");
    let price = element("strong", "offer__price").attribute("itemprop", "price").attribute("content", &product.price);
    let currency = element("abbr", "offer__currency").attribute("itemprop", "priceCurrency").field("currency");
    let sku = element("code", "offer__sku").attribute("itemprop", "sku").field("sku");
    let items = product.items.iter().map(|item| element("li", "offer__item").field("items").text(item));
    element("section", "offer")
        .attribute("itemscope", "")
        .attribute("itemtype", "https://schema.org/Product")
        .child(title.text(&product.title))
        .child(
            element("p", "offer__text")
                .attribute("itemprop", "description")
                .field("description")
                .text(&product.description),
        )
        .child(
            element("div", "offer__facts")
                .child(currency.text(&product.currency))
                .child(price.field("price").text(product.price.replace('.', ",")))
                .child(sku.text(&product.sku)),
        )
        .child(element("ul", "offer__items").row("items").children(items))
}

fn of_listing(listing: &Listing) -> Element {
    let offers = listing.items.iter().map(|entry| {
        element("section", "offer")
            .child(
                element("h3", "offer__title")
                    .child(element("a", "offer__link").attribute("href", &entry.url).text(&entry.title)),
            )
            .child(element("span", "offer__price").text(format!("EUR {}", entry.price)))
    });
    let next = listing.next.iter().map(|path| {
        element("li", "pager__next").row("next").child(element("a", "").attribute("href", path).text("\u{203a}"))
    });
    element("div", "offers")
        .child(element("h2", "offers__title").field("title").text(&listing.title))
        .child(element("div", "offers__list").row("items").children(offers))
        .child(element("ul", "pager").children(next))
}
