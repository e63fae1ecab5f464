//! Rules for the fields of jobs and events.

use autoheal_page::value::number::{self, DecimalMark};

use super::about::About;
use super::found::Found;
use super::stated::Thing;
use super::{Filling, View, dates, labels};
use crate::item::{Field, PageType, Price, Salary};

/// Fills the fields of jobs and events.
pub(super) fn fill(view: &View<'_>, about: &About<'_>, filling: &mut Filling) {
    let Some(thing) = &about.thing else { return };
    filling.set(Field::Location, location(thing), |item| &mut item.location);
    match about.page_type.value {
        PageType::Job => {
            let labelled = || labels::value(view.page, &["company", "employer", "firma", "unternehmen", "entreprise"]);
            let company = thing.text(&["hiringOrganization.name", "hiringOrganization"]);
            let company = company.or_else(|| labelled().map(|value| Found::heuristic(value, 0.6)));
            filling.set(Field::Company, company, |item| &mut item.company);
            filling.set(Field::Salary, salary(thing), |item| &mut item.salary);
            let kinds = thing.texts(&["employmentType"]).join(", ");
            let kinds = (!kinds.is_empty()).then(|| Found::stated(kinds, thing.source));
            filling.set(Field::EmploymentType, kinds, |item| &mut item.employment_type);
        }
        PageType::Event => {
            filling.set(Field::Start, dates::date(thing, &["startDate"]), |item| &mut item.start);
            filling.set(Field::End, dates::date(thing, &["endDate"]), |item| &mut item.end);
            filling.set(Field::Venue, thing.text(&["location.name", "location"]), |item| &mut item.venue);
            let price = price(thing);
            filling.set(Field::Price, price, |item| &mut item.price);
        }
        PageType::Product | PageType::Article | PageType::Recipe | PageType::Generic => {}
    }
}

/// Town, region and country, as far as the thing states them.
fn location(thing: &Thing<'_>) -> Option<Found<String>> {
    let place = ["jobLocation", "location"].iter().find_map(|path| thing.below(&[path]).into_iter().next())?;
    let mut parts: Vec<String> = Vec::new();
    for name in ["streetAddress", "addressLocality", "addressRegion", "addressCountry"] {
        if let Some(part) =
            place.text(&[&format!("address.{name}")]).map(|found| found.value).filter(|part| !parts.contains(part))
        {
            parts.push(part);
        }
    }
    if parts.is_empty() {
        return place.text(&["address"]);
    }
    Some(Found::stated(parts.join(", "), thing.source))
}

fn salary(thing: &Thing<'_>) -> Option<Found<Salary>> {
    let base = thing.below(&["baseSalary"]).into_iter().next()?;
    let decimal =
        |paths: &[&str]| base.text(paths).and_then(|text| number::parse(&text.value, DecimalMark::Detect).ok());
    let exact = decimal(&["value.value", "value"]);
    let salary = Salary {
        minimum: decimal(&["value.minValue", "minValue"]).or(exact),
        maximum: decimal(&["value.maxValue", "maxValue"]).or(exact),
        currency: base.text(&["currency", "value.currency"]).map(|found| found.value),
        per: base.text(&["value.unitText", "unitText"]).map(|found| found.value),
    };
    (salary.minimum.is_some() || salary.maximum.is_some()).then(|| Found::stated(salary, thing.source))
}

/// Returns the price of a ticket; the lowest of several.
fn price(thing: &Thing<'_>) -> Option<Found<Price>> {
    let offers = thing.below(&["offers"]);
    let prices = offers.iter().filter_map(|offer| {
        let amount = number::parse(&offer.text(&["price", "lowPrice"])?.value, DecimalMark::Detect).ok()?;
        Some(Price { amount, currency: offer.text(&["priceCurrency"]).map(|found| found.value) })
    });
    prices.min_by(|one, other| one.amount.cmp(&other.amount)).map(|price| Found::stated(price, thing.source))
}
