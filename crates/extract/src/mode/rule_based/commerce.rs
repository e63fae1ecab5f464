//! Extraction of products and their prices.

use autoheal_page::NodeId;
use autoheal_page::value::money;
use autoheal_page::value::number::{self, DecimalMark};
use rust_decimal::Decimal;

use super::about::About;
use super::found::Found;
use super::shown_price::shown_money;
use super::stated::Thing;
use super::{Filling, View, labels};
use crate::item::{Field, Price, Rating};

/// Fills the fields of products; `place` is the headline.
pub(super) fn fill(view: &View<'_>, about: &About<'_>, place: Option<NodeId>, filling: &mut Filling) {
    let thing = about.thing.as_ref();
    let price = thing.and_then(stated_price).or_else(|| meta_price(view)).or_else(|| shown_price(view, place));
    filling.set(Field::Price, price, |item| &mut item.price);
    let availability = thing
        .and_then(|thing| thing.text(&["offers.availability", "hasVariant.offers.availability", "availability"]))
        .or_else(|| view.stated.meta(&["product:availability", "og:availability"]))
        .map(|found| found.map(|text| short(&text)));
    filling.set(Field::Availability, availability, |item| &mut item.availability);
    let labelled = |words: &[&str]| labels::value(view.page, words).map(|value| Found::heuristic(value, 0.6));
    let brand = thing
        .and_then(|thing| thing.text(&["brand.name", "brand", "manufacturer.name", "manufacturer"]))
        .or_else(|| view.stated.meta(&["product:brand", "og:brand"]))
        .or_else(|| labelled(&["brand", "manufacturer", "marke", "hersteller", "marque", "marca", "merk"]));
    filling.set(Field::Brand, brand, |item| &mut item.brand);
    let sku = thing
        .and_then(|thing| thing.text(&["sku", "offers.sku", "productID", "mpn", "gtin13", "gtin"]))
        .or_else(|| view.stated.meta(&["product:retailer_item_id"]))
        .or_else(|| labelled(&["sku", "item number", "article number", "artikelnummer", "model number", "upc"]));
    filling.set(Field::Sku, sku, |item| &mut item.sku);
    filling.set(Field::Rating, thing.and_then(rating), |item| &mut item.rating);
}

/// Returns the mean rating of a thing by its users.
pub(super) fn rating(thing: &Thing<'_>) -> Option<Found<Rating>> {
    let decimal =
        |path: &str| thing.text(&[path]).and_then(|text| number::parse(&text.value, DecimalMark::Detect).ok());
    let value = decimal("aggregateRating.ratingValue")?;
    let count = ["aggregateRating.ratingCount", "aggregateRating.reviewCount"];
    let count = count.iter().find_map(|path| u64::try_from(decimal(path)?).ok());
    // There are no ratings yet.
    if count == Some(0) {
        return None;
    }
    Some(Found::stated(Rating { value, best: decimal("aggregateRating.bestRating"), count }, thing.source))
}

/// The last part of an address of schema.org: `InStock`.
fn short(text: &str) -> String {
    text.rsplit(['/', '#']).next().unwrap_or(text).to_owned()
}

/// Returns the price of a thing; of several offers the lowest one.
fn stated_price(thing: &Thing<'_>) -> Option<Found<Price>> {
    let offers = thing.below(&["offers", "hasVariant.offers"]);
    let prices = offers.iter().chain(std::iter::once(thing)).filter_map(offered);
    let least = prices.min_by(|one, other| one.amount.cmp(&other.amount))?;
    Some(Found::stated(least, thing.source))
}

fn offered(offer: &Thing<'_>) -> Option<Price> {
    let amount = offer.text(&["price", "lowPrice", "priceSpecification.price", "offers.price"])?.value;
    let named = offer.text(&["priceCurrency", "priceSpecification.priceCurrency", "offers.priceCurrency"]);
    price(&amount, named.map(|found| found.value))
}

fn meta_price(view: &View<'_>) -> Option<Found<Price>> {
    let amount = view.stated.meta(&["product:price:amount", "og:price:amount", "product:sale_price:amount"])?;
    let currency = view.stated.meta(&["product:price:currency", "og:price:currency"]).map(|found| found.value);
    amount.and_then(|amount| price(&amount, currency))
}

/// Parses an amount of structured data: with a decimal point, else in the format of a text.
fn price(amount: &str, currency: Option<String>) -> Option<Price> {
    let plain = amount.trim().parse::<Decimal>().ok();
    let money = || money::parse(amount, DecimalMark::Detect, None).ok();
    let number = || number::parse(amount, DecimalMark::Detect).ok();
    let (amount, sign) = match plain {
        Some(amount) => (amount, None),
        None => money()
            .map(|money| (money.amount, Some(money.currency.as_str().to_owned())))
            .or_else(|| Some((number()?, None)))?,
    };
    (amount > Decimal::ZERO).then(|| Price { amount, currency: currency.or(sign) })
}

/// The price after the headline.
fn shown_price(view: &View<'_>, place: Option<NodeId>) -> Option<Found<Price>> {
    let money = shown_money(view, place?)?;
    let currency = Some(money.currency.as_str().to_owned());
    Some(Found::heuristic(Price { amount: money.amount, currency }, 0.65))
}
