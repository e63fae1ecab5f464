//! Content of the pages of the site: typed records, the same in every layout.

use serde_json::{Map, Value, json};

/// Content of one page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// An article, with an author and a date.
    Article(Article),
    /// A product, with a price.
    Product(Product),
    /// A page of links to others.
    Listing(Listing),
}

/// Fields: `title`, `author`, `date`, `body`, `tags`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Article {
    /// Headline of the article.
    pub title: String,
    /// Name of the author.
    pub author: String,
    /// Date of publication, `2026-03-05`; each layout writes it in its own way.
    pub date: String,
    /// Paragraphs of the text.
    pub body: Vec<String>,
    /// Topics of the article.
    pub tags: Vec<String>,
}

/// Fields: `title`, `price`, `currency`, `sku`, `description`, `items`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Product {
    /// Name of the product.
    pub title: String,
    /// `24.90`; each layout writes it in its own way.
    pub price: String,
    /// Currency of the price: `EUR`.
    pub currency: String,
    /// Stock keeping unit (article number).
    pub sku: String,
    /// Description of the product, one sentence.
    pub description: String,
    /// Contents of the box.
    pub items: Vec<String>,
}

/// Fields: `title`, `items` (each with `title`, `price` and `url`), `next`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// Heading of the page.
    pub title: String,
    /// The entries, in order.
    pub items: Vec<Entry>,
    /// The path of the next page of the list.
    pub next: Option<String>,
}

/// One entry of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Name of the product.
    pub title: String,
    /// Price of the product, as in [`Product`].
    pub price: String,
    /// The path of its page.
    pub url: String,
}

impl Record {
    /// Returns the title of the page.
    pub fn title(&self) -> &str {
        match self {
            Self::Article(article) => &article.title,
            Self::Product(product) => &product.title,
            Self::Listing(listing) => &listing.title,
        }
    }

    /// The true values by the names of their fields: dates as `2026-03-05`, prices as `24.90`, links as paths.
    pub fn values(&self) -> Map<String, Value> {
        let values = match self {
            Self::Article(article) => json!({
                "title": article.title,
                "author": article.author,
                "date": article.date,
                "body": article.body,
                "tags": article.tags,
            }),
            Self::Product(product) => json!({
                "title": product.title,
                "price": product.price,
                "currency": product.currency,
                "sku": product.sku,
                "description": product.description,
                "items": product.items,
            }),
            Self::Listing(listing) => {
                let entry = |entry: &Entry| json!({ "title": entry.title, "price": entry.price, "url": entry.url });
                json!({
                    "title": listing.title,
                    "items": listing.items.iter().map(entry).collect::<Vec<_>>(),
                    "next": listing.next,
                })
            }
        };
        match values {
            Value::Object(values) => values,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
        }
    }
}

const ADJECTIVES: [&str; 12] = [
    "Quiet", "Amber", "Northern", "Folding", "Hollow", "Bright", "Winter", "Copper", "Narrow", "Gentle", "Restless",
    "Plain",
];
const NOUNS: [&str; 11] = [
    "Harbour", "Lantern", "Bicycle", "Orchard", "Kettle", "Compass", "Violin", "Glacier", "Notebook", "Bridge",
    "Garden",
];
const FIRST_NAMES: [&str; 7] = ["Ada", "Jonas", "Mira", "Tomás", "Yuki", "Esther", "Kwame"];
const LAST_NAMES: [&str; 9] =
    ["Lindqvist", "Okafor", "Moreau", "Hansen", "Petrov", "Castillo", "Nakamura", "O'Brien", "Weiß"];
const VERBS: [&str; 5] = ["crosses", "remembers", "outlives", "repairs", "follows"];

fn pick<'word>(words: &[&'word str], number: usize) -> &'word str {
    words[number % words.len()]
}

/// The article with this number; the same number gives the same article.
pub fn article(number: usize) -> Article {
    let noun = |offset: usize| pick(&NOUNS, number + offset);
    let sentence = |line: usize| {
        format!(
            "The {} {} {} the {} of paragraph {}, as report {number} tells at some length.",
            pick(&ADJECTIVES, number + line).to_lowercase(),
            noun(line).to_lowercase(),
            pick(&VERBS, number * 3 + line),
            noun(line + 4).to_lowercase(),
            line + 1,
        )
    };
    Article {
        title: format!("The {} {} {} number {number}", pick(&ADJECTIVES, number), noun(0), pick(&VERBS, number)),
        author: format!("{} {}", pick(&FIRST_NAMES, number), pick(&LAST_NAMES, number * 2 + 1)),
        date: format!("20{:02}-{:02}-{:02}", 19 + number % 7, 1 + number % 12, 1 + number * 5 % 28),
        body: (0..3 + number % 3).map(sentence).collect(),
        tags: (0..2 + number % 3).map(|offset| pick(&NOUNS, number + offset * 3 + 1).to_lowercase()).collect(),
    }
}

/// The product with this number.
pub fn product(number: usize) -> Product {
    let name = format!("{} {}", pick(&ADJECTIVES, number * 5 + 2), pick(&NOUNS, number * 3 + 1));
    Product {
        title: format!("{name} {number}"),
        price: format!("{}.{:02}", 3 + number * 7 % 480, number * 13 % 100),
        currency: "EUR".to_owned(),
        sku: format!("SKU-{:05}", 10_000 + number),
        description: format!("A {} for people who know what {number} of them are good for.", name.to_lowercase()),
        items: (0..3 + number % 4).map(|part| format!("{} part {}", pick(&NOUNS, number + part), part + 1)).collect(),
    }
}

/// Page `number` of a list of products, `per_page` of them on each of `pages` pages.
pub fn listing(number: usize, pages: usize, per_page: usize) -> Listing {
    let first = (number - 1) * per_page + 1;
    let entry = |product_number: usize| {
        let Product { title, price, .. } = product(product_number);
        Entry { title, price, url: format!("/product/{product_number}") }
    };
    Listing {
        title: format!("Everything we sell, page {number}"),
        items: (first..first + per_page).map(entry).collect(),
        next: (number < pages).then(|| format!("/list/{}", number + 1)),
    }
}
