//! Pages with the same values, in really different layouts.

mod cards;
mod plain;
mod portal;
mod table;

use serde_json::{Value, json};

use super::change::Switches;
use super::element::{Element, element};
use super::layout::Layout;
use super::mutate::mutate;
use super::record::{Product, Record};

/// The HTML of a page.
pub(super) fn render(record: &Record, switches: &Switches) -> String {
    let body = match switches.layout.unwrap_or_default() {
        Layout::Plain => plain::body(record),
        Layout::Cards => cards::body(record),
        Layout::Table => table::body(record),
        Layout::Portal => portal::body(record),
    };
    let head = element("head", "")
        .child(element("meta", "").attribute("charset", "utf-8"))
        .child(element("title", "").text(format!("{} - Example House", record.title())));
    let mut page = element("html", "").attribute("lang", "en").child(head).child(body);
    mutate(&mut page, switches);
    if let Record::Product(product) = record {
        page = page.child(json_ld(product, switches));
    }
    format!("<!doctype html>\n{}\n", page.html())
}

/// Returns the data that shops publish for search engines. They follow the page: fields that were deleted or
/// replaced there are so here, too.
fn json_ld(product: &Product, switches: &Switches) -> Element {
    let value = |field: &str, value: &str| -> Value {
        if switches.deleted.contains(field) {
            return Value::Null;
        }
        switches.replaced.get(field).map_or(value, String::as_str).into()
    };
    let data = json!({
        "@context": "https://schema.org",
        "@type": "Product",
        "name": value("title", &product.title),
        "sku": value("sku", &product.sku),
        "description": value("description", &product.description),
        "offers": {
            "@type": "Offer",
            "price": value("price", &product.price),
            "priceCurrency": value("currency", &product.currency),
        },
    });
    element("script", "").attribute("type", "application/ld+json").script(without_nulls(data).to_string())
}

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(members) => Value::Object(
            members
                .into_iter()
                .filter(|(_, member)| !member.is_null())
                .map(|(name, member)| (name, without_nulls(member)))
                .collect(),
        ),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => value,
    }
}

/// The names of the months as the site writes them.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The parts of `2026-03-05`: year, name of the month, day without zeros.
fn date_parts(date: &str) -> (&str, &'static str, &str) {
    let mut parts = date.split('-');
    let (year, month, day) = (parts.next(), parts.next(), parts.next());
    let index = month.and_then(|month| month.parse::<usize>().ok()).unwrap_or(1).clamp(1, 12) - 1;
    (year.unwrap_or_default(), MONTHS[index], day.unwrap_or_default().trim_start_matches('0'))
}
