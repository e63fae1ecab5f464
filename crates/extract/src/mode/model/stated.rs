//! Statements of a page about itself, as prompts show them: the properties that the form has, each value once, the thing that the page
//! is about first.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use super::reading::Reading;
use crate::form::{Form, Owner, words_of};
use crate::mode::rule_based::Statement;

/// Maximum length of a stated value in a prompt, in bytes. Longer ones are texts, and the page's text follows anyway.
const LONGEST: usize = 400;

/// Members that only hold others, as `offers` holds the price.
const HOLDERS: [&str; 3] = ["offers", "price_specification", "base_salary"];

/// Members whose name alone means something else below a holder.
const OF_HOLDERS: [&str; 4] = ["name", "description", "url", "image"];

/// Vocabularies of `meta` elements, before the first sign in their names.
const VOCABULARIES: [&str; 15] = [
    "article", "book", "citation", "dc", "dcterms", "music", "og", "parsely", "product", "profile", "recipe",
    "sailthru", "schema", "twitter", "video",
];

/// Values of one property of one thing.
struct Group<'a> {
    kind: &'a str,
    path: &'a str,
    values: Vec<&'a str>,
}

/// Returns the statements for which the form has a place. `is_secret` tells lines that must not leave this machine.
pub(super) fn shown(reading: &Reading, form: &Form, is_secret: &dyn Fn(&str) -> bool) -> String {
    let mut seen = HashSet::new();
    let mut groups: Vec<Group<'_>> = Vec::new();
    for Statement { kind, path, value } in &reading.statements {
        let Some(property) = place_of(kind, path, form) else { continue };
        if value.len() > LONGEST || is_secret(&format!("{path}: {value}")) || !seen.insert((property, value)) {
            continue;
        }
        match groups.last_mut() {
            Some(last) if last.kind == kind && last.path == path => last.values.push(value),
            _ => groups.push(Group { kind, path, values: vec![value] }),
        }
    }
    let mut text = String::new();
    for of_kind in groups.chunk_by_mut(|one, other| one.kind == other.kind) {
        // Where the text is cut, the longest property is lost.
        let mut lengths: HashMap<&str, usize> = HashMap::new();
        for group in of_kind.iter() {
            *lengths.entry(head_of(group.path)).or_default() +=
                group.values.iter().map(|value| value.len()).sum::<usize>();
        }
        of_kind.sort_by_key(|group| (lengths.get(head_of(group.path)).copied(), head_of(group.path)));
        let kind = of_kind.first().map_or("", |group| group.kind);
        // Writing to a text cannot fail.
        let _ = writeln!(text, "[{}]", if kind.is_empty() { "meta" } else { kind });
        for group in of_kind.iter() {
            match group.values.as_slice() {
                [only] => {
                    let _ = writeln!(text, "{}: {only}", group.path);
                }
                several => {
                    let _ = writeln!(text, "{}:", group.path);
                    for value in several {
                        let _ = writeln!(text, "- {value}");
                    }
                }
            }
        }
    }
    text
}

/// The property that a path begins with.
fn head_of(path: &str) -> &str {
    path.split_once('.').map_or(path, |(head, _)| head)
}

/// The name of the form's property that a statement is about.
fn place_of(kind: &str, path: &str, form: &Form) -> Option<String> {
    let names: Vec<String> = if kind.is_empty() {
        let parts: Vec<&str> = path.split([':', '.']).collect();
        let own = parts.iter().position(|part| !VOCABULARIES.contains(part)).unwrap_or(0);
        vec![words_of(&parts[own..].join("_"))]
    } else {
        path.split('.').map(words_of).collect()
    };
    let holders = names.iter().take_while(|name| HOLDERS.contains(&name.as_str())).count();
    let first = names.get(holders).or(names.first())?;
    let is_other = holders > 0 && OF_HOLDERS.contains(&first.as_str());
    let place = form.place_of(first).or_else(|| form.place_of(&names[0])).filter(|_| !is_other);
    // The form of a user may ask for any part of a thing.
    let exact = || {
        let own = form.properties.iter().filter(|_| form.owner == Owner::User);
        own.map(|property| &property.name).find(|name| names.contains(&words_of(name)))
    };
    place.map(|place| place.property.name.clone()).or_else(|| exact().cloned())
}

#[cfg(test)]
mod tests {
    use autoheal_page::Document;

    use super::*;

    fn of(html: &str) -> String {
        let reading = Reading::of(&Document::parse(html), None);
        shown(&reading, &Form::item().unwrap(), &|line| line.contains("hunter2"))
    }

    #[test]
    fn the_thing_that_the_page_is_about_comes_first_and_furniture_is_left_out() {
        let html = r##"<title>Soup | Kitchen</title><h1>Soup</h1><meta name=viewport content="width=device-width">
            <meta name=shop-api-token content=hunter2><meta name=author content=hunter2><meta property=og:title content=Soup>
            <meta property=article:published_time content=2024-05-05><meta name=google-site-verification content=xyz>
            <script type="application/ld+json">{"@graph":[
            {"@type":"WebSite","@id":"#s","name":"Kitchen","inLanguage":"en"},
            {"@type":"BreadcrumbList","itemListElement":[{"@type":"ListItem","name":"Home","position":1}]},
            {"@type":"Article","headline":"Soup","author":{"@id":"#p"},"publisher":{"name":"Kitchen"}},
            {"@type":"Person","@id":"#p","name":"Ada","sameAs":["https://a.example/1"],"description":"A cook."},
            {"@type":"Recipe","name":"Soup","recipeIngredient":["1 l water","salt"],"author":{"@id":"#p"},
             "image":["https://a.example/i.jpg","https://a.example/i.jpg"],
             "recipeInstructions":[{"@type":"HowToStep","text":"Cook.","url":"https://a.example/#1"}],
             "aggregateRating":{"ratingValue":"4.5","ratingCount":12}}]}</script>"##;
        let told = of(html);
        assert!(told.starts_with("[recipe]\n"), "{told}");
        for line in [
            "author.name: Ada",
            "recipeIngredient:\n- 1 l water\n- salt",
            "recipeInstructions.text: Cook.",
            "aggregateRating.ratingValue: 4.5",
            "[meta]\n",
            "article:published_time: 2024-05-05",
        ] {
            assert!(told.contains(line), "{line} is missing in {told}");
        }
        for line in ["Home", "sameAs", "hunter2", "viewport", "xyz", "A cook", "publisher", "#1"] {
            assert!(!told.contains(line), "{line} is in {told}");
        }
        assert_eq!(told.matches("i.jpg").count(), 1, "{told}");
        assert_eq!(told.matches(": Soup\n").count(), 1, "the title once: {told}");
    }

    #[test]
    fn offers_give_their_price_and_not_the_name_of_the_seller() {
        let told = of(r#"<script type="application/ld+json">{"@type":"Product","name":"Pot","offers":
            {"price":"12.50","priceCurrency":"EUR","seller":{"name":"Shop"},"name":"Offer"}}</script>"#);
        assert!(told.contains("offers.price: 12.50") && told.contains("offers.priceCurrency: EUR"), "{told}");
        assert!(!told.contains("Shop") && !told.contains(": Offer"), "{told}");
    }

    #[test]
    fn a_form_of_somebody_else_gets_what_has_its_names() {
        let form = Form::own(r#"{"properties": {"calories": {"type": "string"}}}"#).unwrap();
        let html = r#"<script type="application/ld+json">{"@type":"Recipe","name":"Soup","nutrition":{"calories":"90"}}
            </script>"#;
        let reading = Reading::of(&Document::parse(html), None);
        assert_eq!(shown(&reading, &form, &|_| false), "[recipe]\nnutrition.calories: 90\n");
    }
}
