//! Prices that changed as prices of one thing do not: by a factor, or into another currency.

use autoheal_page::Document;
use autoheal_page::recipe::Recipe;
use autoheal_page::relocate::{same_kind, stated_rank};
use autoheal_page::structured::{Origin, structured_data};
use autoheal_page::value::money::{Currency, Money};
use rust_decimal::Decimal;

use crate::facts::PageFacts;

/// No honest price of one thing is this many times higher or lower than all before: a decimal mark got lost, or it is the price of something
/// else.
const FACTOR: Decimal = Decimal::TEN;

/// Returns the names of prices that changed so, although the page is about the same thing, and a description of each. A price that the page
/// also states for machines is right: that is written apart from what is shown.
pub(crate) fn leaps(recipe: &Recipe, page: &Document, now: &PageFacts, history: &[PageFacts]) -> Vec<(String, String)> {
    if recipe.items().is_some() {
        return Vec::new();
    }
    let single = recipe.fields().iter().filter(|field| !field.many).map(|field| field.name.as_str());
    let leaps = single.filter(|name| history.first().is_some_and(|before| is_same_thing(recipe, name, now, before)));
    let leaps = leaps.filter_map(|name| Some((name, leap(name, page, now, history)?)));
    leaps.map(|(name, change)| (name.to_owned(), format!("Changed field: {name} {change}"))).collect()
}

/// Returns whether the page states the price in its JSON-LD or, if that has no price, in `meta` elements.
fn is_stated(page: &Document, amount: Decimal) -> bool {
    let data = structured_data(page);
    let prices = data.iter().filter(|datum| stated_rank(datum, "price").is_some());
    let amounts: Vec<(Origin, Decimal)> =
        prices.filter_map(|datum| Some((datum.origin, Money::amount_in(&datum.value)?.0))).collect();
    let origin = [Origin::JsonLd, Origin::Meta].into_iter().find(|origin| amounts.iter().any(|(of, _)| of == origin));
    origin.is_some_and(|origin| amounts.contains(&(origin, amount)))
}

/// Returns the text, the amount and the currency of a field with one value, if it is a price.
fn amount_on(page: &PageFacts, name: &str) -> Option<(String, Decimal, Option<Currency>)> {
    let [text] = page.texts.get(name)?.as_slice() else { return None };
    let (amount, currency) = Money::amount_in(text)?;
    (currency.is_some() || same_kind(name, "price")).then_some((text.clone(), amount, currency))
}

fn leap(name: &str, page: &Document, now: &PageFacts, history: &[PageFacts]) -> Option<String> {
    let (text, amount, currency) = amount_on(now, name)?;
    let earlier: Vec<_> = history.iter().filter_map(|page| amount_on(page, name)).collect();
    let change = other_currency(currency.as_ref(), &earlier).or_else(|| other_size(&text, amount, &earlier))?;
    (!is_stated(page, amount)).then_some(change)
}

fn other_currency(now: Option<&Currency>, earlier: &[(String, Decimal, Option<Currency>)]) -> Option<String> {
    let now = now?;
    let mut currencies = earlier.iter().filter_map(|(_, _, currency)| currency.as_ref());
    let before = currencies.clone().next()?;
    (!currencies.any(|before| now.may_be(before))).then(|| format!("is in {now}, and was in {before}"))
}

fn other_size(text: &str, amount: Decimal, earlier: &[(String, Decimal, Option<Currency>)]) -> Option<String> {
    let amounts = || earlier.iter().map(|(_, amount, _)| *amount);
    let (lowest, highest) = (amounts().min()?, amounts().max()?);
    let is_as_much = |less: Decimal, more: Decimal| less.checked_mul(FACTOR).is_some_and(|product| product <= more);
    let is_leap = is_as_much(amount, lowest) || is_as_much(highest, amount);
    (is_leap && !lowest.is_zero() && amount != lowest).then(|| format!("is {text}, and was {lowest} to {highest}"))
}

/// Returns whether a page is still about the same thing: another of its fields, and not one of figures alone, says the same.
fn is_same_thing(recipe: &Recipe, name: &str, now: &PageFacts, before: &PageFacts) -> bool {
    let others = recipe.fields().iter().map(|field| field.name.as_str()).filter(|other| *other != name);
    others.filter_map(|other| Some((now.texts.get(other)?, before.texts.get(other)?))).any(|(now, before)| {
        now == before && now.iter().any(|text| text.chars().filter(|char| char.is_alphabetic()).count() > 3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECIPE: &str = r#"{"version": 1, "fields": {"title": {"select": "h1"}, "price": {"select": ".price"}}}"#;

    fn change_on(page: &str, before: &[(&str, &str)], now: (&str, &str)) -> Option<String> {
        let recipe = Recipe::parse(RECIPE, "test").unwrap();
        let facts = |(title, price): (&str, &str)| PageFacts {
            texts: [("title", title), ("price", price)]
                .map(|(name, text)| (name.to_owned(), vec![text.to_owned()]))
                .into(),
            ..PageFacts::default()
        };
        let before: Vec<PageFacts> = before.iter().map(|page| facts(*page)).collect();
        let page = Document::parse(page);
        leaps(&recipe, &page, &facts(now), &before).pop().map(|(_, change)| change)
    }

    fn change(before: &[(&str, &str)], now: (&str, &str)) -> Option<String> {
        change_on("", before, now)
    }

    #[test]
    fn a_price_of_another_size_or_currency_is_noticed() {
        for (before, now) in [
            ("149.00", "14900"),
            ("93.50", "4.95"),
            ("12.50 \u{20ac}", "0.00 \u{20ac}"),
            ("12.50 \u{20ac}", "$12.50"),
            ("12.50 EUR", "12.50 USD"),
        ] {
            assert!(change(&[("Blue chair", before)], ("Blue chair", now)).is_some(), "{before} {now}");
        }
    }

    #[test]
    fn honest_prices_are_not() {
        for (before, now) in [
            ("149.00", "19.90"),
            ("12.50 \u{20ac}", "12,50 EUR"),
            ("$12.50", "USD 11.00"),
            ("0.00", "12.50"),
            ("12.50", "1.250"),
        ] {
            assert_eq!(change(&[("Blue chair", before)], ("Blue chair", now)), None, "{before} {now}");
        }
        let stated = |price| {
            format!(
                r#"<script type="application/ld+json">{{"@type":"Product","offers":{{"price":"{price}"}}}}</script>"#
            )
        };
        assert_eq!(
            change_on(&stated("4.95"), &[("Blue chair", "93.50")], ("Blue chair", "4.95")),
            None,
            "the page says so twice"
        );
        assert!(change_on(&stated("93.50"), &[("Blue chair", "93.50")], ("Blue chair", "4.95")).is_some());
        assert_eq!(change(&[("Blue chair", "93.50")], ("Key ring", "4.95")), None, "another thing");
        assert_eq!(
            change(&[("Blue chair", "93.50"), ("Blue chair", "5.95")], ("Blue chair", "4.95")),
            None,
            "it was so low before"
        );
    }
}
