//! From an answer to fields that may fit the form: names, placeholders, types, and presence on the page.

use std::collections::{BTreeMap, BTreeSet};

use autoheal_llm::structured::loose;
use autoheal_llm::{AnswerFault, ChatAnswer, Finish};
use serde_json::{Map, Value};

use super::placeholder::{Said, said};
use super::reading::Reading;
use super::{Asking, Strictness};
use crate::extraction::{LeftOut, WhyLeftOut};
use crate::form::{Form, Importance, Kind, Owner};
use crate::item::{Grounding, PageType, Provenance, Source};
use crate::mode::convert::{converted, lacks_its_amount, with_part, without_place};

/// Confidence in the page type that the page's URL suggests.
const SUGGESTED: f32 = 0.4;

/// Content of one answer, or of several answers combined.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Candidate {
    /// By the names of the form.
    pub(crate) fields: Map<String, Value>,
    pub(crate) provenance: BTreeMap<String, Provenance>,
    /// Names of the fields that, according to the model, are not on the page.
    pub(crate) unavailable: BTreeSet<String>,
    pub(crate) left_out: Vec<LeftOut>,
}

impl Candidate {
    /// Reads the content of a model's answer, and notes if the answer was cut off.
    ///
    /// # Errors
    ///
    /// If the answer cannot be read, or is not a single object.
    pub(crate) fn read(answer: &ChatAnswer, reading: &Reading, asking: &Asking<'_>) -> Result<Self, AnswerFault> {
        let mut candidate = Self::of(loose(answer)?, reading, asking.form, asking.settings.strictness)?;
        if answer.finish == Finish::Length {
            candidate.left_out.push(LeftOut { name: "the end of an answer".to_owned(), why: WhyLeftOut::CutOff });
        }
        Ok(candidate)
    }

    /// Reads the content of an answer.
    ///
    /// # Errors
    ///
    /// If the answer is not a single object.
    pub(crate) fn of(
        answer: Value,
        reading: &Reading,
        form: &Form,
        strictness: Strictness,
    ) -> Result<Self, AnswerFault> {
        let mut candidate = Self::default();
        let raw = candidate.named(members_of(answer, form)?, form);
        for (name, value) in raw {
            let value = match said(value) {
                Said::Value(value) => value,
                Said::Unavailable => {
                    candidate.unavailable.insert(name);
                    continue;
                }
                Said::Empty => continue,
            };
            let Some(property) = form.property(&name) else { continue };
            if lacks_its_amount(&value, &property.kind) {
                // A currency, or a count, without its amount.
                candidate.unavailable.insert(name);
                continue;
            }
            let without_place = without_place(&value, &property.kind).into_iter();
            let left_out =
                without_place.map(|part| LeftOut { name: format!("{name}.{part}"), why: WhyLeftOut::NoPlace });
            candidate.left_out.extend(left_out);
            let value = converted(value, &property.kind, reading.url.as_ref());
            candidate.add(&name, value, &property.kind, reading, strictness);
        }
        candidate.inject(reading, form);
        Ok(candidate)
    }

    /// The members under the names of the form; those that it has no place for are left out.
    fn named(&mut self, members: Map<String, Value>, form: &Form) -> Map<String, Value> {
        let mut named: Map<String, Value> = Map::new();
        let mut parts = Vec::new();
        for (name, value) in members {
            let Some(place) = form.place_of(&name) else {
                if !is_known(&name, form) {
                    self.left_out.push(LeftOut { name, why: WhyLeftOut::NoPlace });
                }
                continue;
            };
            let property = place.property.name.clone();
            if let Some(part) = place.part {
                parts.push((property, part, value));
                continue;
            }
            // A value counts more than a placeholder; among equals, the form's own name wins.
            let is_better = named
                .get(&property)
                .is_none_or(|before| says_something(&value) && (name == property || !says_something(before)));
            if is_better {
                named.insert(property, value);
            }
        }
        for (property, part, value) in parts {
            if let Said::Value(value) = said(value) {
                let whole = named.remove(&property).filter(says_something);
                named.insert(property, with_part(whole, part, value));
            }
        }
        named
    }

    fn add(&mut self, name: &str, value: Value, kind: &Kind, reading: &Reading, strictness: Strictness) {
        let is_on_page = |grounding: Grounding| matches!(grounding, Grounding::Found | Grounding::Judgement);
        let judged = reading.evidence.judge(&value, kind);
        let (value, grounding) = match (strictness, value) {
            (Strictness::Drop, value) if !is_on_page(judged) => {
                // Of a list, the items on the page are kept.
                let (kept, dropped) = match (value, kind) {
                    (Value::Array(items), Kind::List(kind)) => items
                        .into_iter()
                        .partition::<Vec<Value>, _>(|item| is_on_page(reading.evidence.judge(item, kind))),
                    _ => (Vec::new(), Vec::new()),
                };
                let why =
                    if kept.is_empty() { WhyLeftOut::NotOnPage } else { WhyLeftOut::ItemsNotOnPage(dropped.len()) };
                self.left_out.push(LeftOut { name: name.to_owned(), why });
                if kept.is_empty() {
                    return;
                }
                let kept = Value::Array(kept);
                let grounding = reading.evidence.judge(&kept, kind);
                (kept, grounding)
            }
            (Strictness::Mark | Strictness::Drop, value) => (value, judged),
        };
        self.fields.insert(name.to_owned(), value);
        self.provenance.insert(name.to_owned(), Provenance::by_model(grounding));
    }

    /// Adds the facts that are known without the model: the URL, and the page type that the URL and the page suggest.
    fn inject(&mut self, reading: &Reading, form: &Form) {
        match form.owner {
            Owner::Item => {
                if let Some(url) = &reading.url {
                    self.fields.insert(URL.to_owned(), url.as_str().into());
                }
                if !self.fields.contains_key(PAGE_TYPE) {
                    let suggested = reading.suggested.unwrap_or_default();
                    self.fields.insert(PAGE_TYPE.to_owned(), suggested.name().into());
                    self.provenance.insert(PAGE_TYPE.to_owned(), Provenance::by_rule(Source::Heuristic, SUGGESTED));
                }
            }
            Owner::User => {
                if let (Some(place), Some(url)) = (form.place_of(URL), &reading.url) {
                    // Known, and not from anywhere on the page.
                    self.fields.insert(place.property.name.clone(), url.as_str().into());
                    self.provenance.remove(&place.property.name);
                }
            }
        }
    }

    /// The type of page that it is about.
    pub(crate) fn page_type(&self) -> PageType {
        let named = self.fields.get(PAGE_TYPE).cloned();
        named.and_then(|name| serde_json::from_value(name).ok()).unwrap_or_default()
    }

    /// Returns the names of the fields found, without those that are known without a model.
    pub(crate) fn found(&self) -> impl Iterator<Item = &str> {
        let is_known = |name: &str| matches!(name, URL | PAGE_TYPE) || !self.provenance.contains_key(name);
        self.fields.keys().map(String::as_str).filter(move |name| !is_known(name))
    }

    /// Returns the fields that the form or the page type requires and that were neither found nor reported as
    /// unavailable.
    pub(crate) fn missing(&self, form: &Form) -> Vec<String> {
        let required = form.names_of(self.page_type(), Importance::Required);
        let is_missing = |name: &&str| !self.fields.contains_key(*name) && !self.unavailable.contains(*name);
        required.filter(is_missing).map(str::to_owned).collect()
    }

    /// The same, even if the model reported them as unavailable.
    pub(crate) fn all_missing(&self, form: &Form) -> Vec<String> {
        let required = form.names_of(self.page_type(), Importance::Required);
        required.filter(|name| !self.fields.contains_key(*name)).map(str::to_owned).collect()
    }

    /// Returns how much of the form is filled: the sum of the weights of the fields on a page of this type.
    pub(crate) fn score(&self, form: &Form) -> u32 {
        self.found().map(|name| form.importance(self.page_type(), name).weight()).sum()
    }
}

fn says_something(value: &Value) -> bool {
    matches!(said(value.clone()), Said::Value(_))
}

/// The one field that is about the page and not of it.
pub(crate) const PAGE_TYPE: &str = "page_type";
const URL: &str = "url";

/// Names without a field, because their values are already known.
fn is_known(name: &str, form: &Form) -> bool {
    form.owner == Owner::Item && matches!(crate::form::words_of(name).as_str(), URL | "page_url" | "provenance")
}

/// The members of the object that an answer is: `{"product": {...}}` and `[{...}]` are the object in them.
fn members_of(answer: Value, form: &Form) -> Result<Map<String, Value>, AnswerFault> {
    match answer {
        Value::Array(mut items) if items.len() == 1 => members_of(items.remove(0), form),
        Value::Array(items) => {
            Err(AnswerFault::WrongForm(vec![format!("a list of {} things where one was asked for", items.len())]))
        }
        Value::Object(mut members) => Ok(match wrapper_in(&members, form) {
            Some(wrapper) => {
                let inner = members.remove(&wrapper).unwrap_or_default();
                let mut within = members_of(inner, form)?;
                for (name, value) in members {
                    within.entry(name).or_insert(value);
                }
                within
            }
            None => members,
        }),
        other => Err(AnswerFault::WrongForm(vec![format!("{other} where an object was asked for")])),
    }
}

/// Returns the name of a single object that contains the whole content, under a name that the form does not know.
fn wrapper_in(members: &Map<String, Value>, form: &Form) -> Option<String> {
    let has_place = |name: &str| form.place_of(name).is_some_and(|place| place.property.name != PAGE_TYPE);
    let mut objects = members.iter().filter(|(_, value)| value.is_object()).map(|(name, _)| name);
    let only = objects.next().filter(|_| objects.next().is_none())?;
    (!members.keys().any(|name| has_place(name))).then(|| only.clone())
}

#[cfg(test)]
mod tests {
    use autoheal_page::Document;
    use serde_json::json;
    use url::Url;

    use super::*;

    const PAGE: &str = "<h1>Pot, large</h1><p>12,50 &euro; <p>4.5 of 5 (12 reviews)<ul><li>red<li>blue</ul>";

    fn candidate_of(form: &Form, strictness: Strictness, answer: Value) -> Result<Candidate, AnswerFault> {
        let url = Url::parse("https://shop.example/pots/1").unwrap();
        let reading = Reading::of(&Document::parse(PAGE), Some(&url));
        Candidate::of(answer, &reading, form, strictness)
    }

    fn of_item(strictness: Strictness, answer: Value) -> Candidate {
        candidate_of(&Form::item().unwrap(), strictness, answer).unwrap()
    }

    #[test]
    fn an_answer_becomes_fields_of_the_form() {
        let candidate = of_item(
            Strictness::Mark,
            json!({
                "type": "Product", "Product Name": "Pot, large", "price": 12.5, "currency": "€", "ratingValue": 4.5,
                "reviewCount": "12", "brand": "N/A", "sku": null, "colour": "red", "url": "https://elsewhere.example/",
            }),
        );
        let wanted = json!({
            "page_type": "product", "title": "Pot, large", "price": { "amount": "12.5", "currency": "EUR" },
            "rating": { "value": "4.5", "count": 12 }, "url": "https://shop.example/pots/1",
        });
        assert_eq!(Value::Object(candidate.fields.clone()), wanted);
        assert_eq!(candidate.unavailable, ["brand".to_owned()].into());
        assert_eq!(candidate.left_out, [LeftOut { name: "colour".to_owned(), why: WhyLeftOut::NoPlace }]);
        let grounding = |name: &str| candidate.provenance[name].grounding.unwrap();
        assert_eq!(grounding("price"), Grounding::Found);
        assert_eq!(grounding("page_type"), Grounding::Judgement);
        assert_eq!(candidate.score(&Form::item().unwrap()), 10 + 10 + 3);
    }

    #[test]
    fn what_lacks_its_amount_is_unavailable_and_spoils_nothing() {
        let answer = json!({
            "title": "Pot, large", "price": "N/A", "currency": "EUR", "rating": { "value": "N/A", "count": 0 },
        });
        let candidate = of_item(Strictness::Mark, answer);
        assert_eq!(candidate.unavailable, ["price".to_owned(), "rating".to_owned()].into());
        assert_eq!(candidate.fields.keys().collect::<Vec<_>>(), ["page_type", "title", "url"]);
    }

    #[test]
    fn parts_without_a_place_are_told() {
        let answer = json!({ "author": { "name": "Ada", "url": "/ada" }, "price": { "amount": "12.50", "vat": "2" } });
        let candidate = of_item(Strictness::Mark, answer);
        assert_eq!(candidate.fields["author"], "Ada");
        let told: Vec<String> = candidate.left_out.iter().map(|left| left.name.clone()).collect();
        assert_eq!(told, ["author.url", "price.vat"]);
    }

    #[test]
    fn of_several_names_for_one_thing_the_one_that_says_something_counts() {
        for answer in [
            json!({ "heading": null, "name": "Pot, large", "product_title": "N/A" }),
            json!({ "headline": "Pots", "title": "Pot, large" }),
            json!({ "headline": "Pot, large", "title": "-" }),
        ] {
            assert_eq!(of_item(Strictness::Mark, answer.clone()).fields["title"], "Pot, large", "{answer}");
        }
        assert_eq!(
            of_item(Strictness::Mark, json!({ "name": "n/a", "sku": "1" })).unavailable,
            ["title".to_owned()].into()
        );
    }

    #[test]
    fn what_is_not_on_the_page_is_marked_or_dropped() {
        let answer = json!({ "title": "Pan", "description": "A fine pot.", "ingredients": ["red", "green"] });
        let marked = of_item(Strictness::Mark, answer.clone());
        assert_eq!(marked.provenance["title"].grounding, Some(Grounding::NotFound));
        assert_eq!(marked.provenance["description"].grounding, Some(Grounding::OwnWords));
        assert_eq!(marked.provenance["ingredients"].grounding, Some(Grounding::NotFound));
        let strict = of_item(Strictness::Drop, answer);
        assert_eq!(strict.fields.keys().collect::<Vec<_>>(), ["ingredients", "page_type", "url"]);
        assert_eq!(strict.fields["ingredients"], json!(["red"]));
        assert_eq!(strict.provenance["ingredients"].grounding, Some(Grounding::Found));
        let dropped: Vec<String> = strict.left_out.iter().map(ToString::to_string).collect();
        let wanted =
            ["description: it is not on the page", "ingredients: 1 not on the page", "title: it is not on the page"];
        assert_eq!(dropped, wanted);
    }

    #[test]
    fn what_is_wrapped_is_unwrapped_and_a_list_of_things_is_no_thing() {
        for answer in [
            json!({ "product": { "title": "Pot, large" } }),
            json!([{ "title": "Pot, large" }]),
            json!({ "page_type": "product", "data": { "item": { "name": "Pot, large" } } }),
        ] {
            assert_eq!(of_item(Strictness::Mark, answer.clone()).fields["title"], "Pot, large", "{answer}");
        }
        let price = of_item(Strictness::Mark, json!({ "price": { "amount": "12.50" } }));
        assert_eq!(price.fields["price"], json!({ "amount": "12.50" }), "a property is no wrapper");
        for answer in [json!([{ "title": "a" }, { "title": "b" }]), json!([])] {
            let refused = candidate_of(&Form::item().unwrap(), Strictness::Mark, answer);
            assert!(matches!(refused, Err(AnswerFault::WrongForm(_))));
        }
    }

    #[test]
    fn a_form_of_somebody_else_gets_its_own_names_and_the_address_of_the_page() {
        let schema = r#"{"properties": {"productName": {"type": "string"}, "cost": {"type": "number"},
            "pageUrl": {"type": "string", "format": "uri"}, "isNew": {"type": "boolean"}}, "required": ["cost"]}"#;
        let form = Form::own(schema).unwrap();
        let answer = json!({ "product_name": "Pot, large", "price": "12,50 €", "is_new": "yes" });
        let candidate = candidate_of(&form, Strictness::Drop, answer).unwrap();
        let wanted = json!({
            "productName": "Pot, large", "cost": 12.5, "isNew": true, "pageUrl": "https://shop.example/pots/1",
        });
        assert_eq!(Value::Object(candidate.fields.clone()), wanted);
        assert_eq!(candidate.missing(&form), [""; 0]);
        assert!(!candidate.provenance.contains_key("pageUrl"), "it is known");
        let nothing = candidate_of(&form, Strictness::Drop, json!({ "colour": "red" })).unwrap();
        assert_eq!(nothing.found().next(), None, "the address alone is nothing found");
        assert_eq!(candidate_of(&form, Strictness::Drop, json!({ "x": 1 })).unwrap().missing(&form), ["cost"]);
    }
}
