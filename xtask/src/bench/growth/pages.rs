//! Pages: items, attributes, fields.

#![expect(clippy::unnecessary_wraps, reason = "every subject is prepared by a function of the same form")]

use std::fmt::Write as _;

use autoheal_page::diff::structural_diff;
use autoheal_page::recipe::Recipe;
use autoheal_page::relocate::Relocator;
use autoheal_page::{Document, Selector};

use super::{Subject, Work};

pub(super) const SUBJECTS: &[Subject] = &[
    Subject { what: "items of a page, parsed", from: 1_000, prepare: parsed },
    Subject { what: "attributes of an element, parsed and selected", from: 2_000, prepare: attributes },
    Subject { what: "items of a page, extracted by rules", from: 250, prepare: extracted },
    Subject { what: "paragraphs of an article, extracted by rules", from: 500, prepare: article },
    Subject { what: "items of a list, by a recipe", from: 500, prepare: list },
    Subject { what: "fields of a recipe, on one page", from: 16, prepare: fields },
    Subject { what: "items of two pages, compared", from: 500, prepare: compared },
    Subject { what: "items of two pages without one in common, compared", from: 1_000, prepare: unlike },
    Subject { what: "items of a page, a field found again", from: 125, prepare: relocated },
];

/// A shop's page; every tenth item differs between two `editions`.
fn shop(items: usize, class: &str, edition: &str) -> String {
    let mut page = format!("<html><head><title>A shop</title></head><body><h1 class={class}>All items</h1><ul>");
    for item in 0..items {
        let edition = if item.is_multiple_of(10) { edition } else { "" };
        // Writing to a string does not fail.
        let _ = write!(
            page,
            "<li class=product id=p{item}><a href=\"/item/{item}\"><h2>Item {item}{edition}</h2></a>\
             <img src=\"/{item}.jpg\" alt=\"Item {item}\"><p>Words about item {item}, which is for sale.</p>\
             <span class=price>{item}.50 EUR</span></li>"
        );
    }
    page + "</ul></body></html>"
}

fn parsed(size: usize) -> anyhow::Result<Work> {
    let page = shop(size, "title", "");
    Ok(Box::new(move || Ok(Document::parse(&page).len())))
}

fn attributes(size: usize) -> anyhow::Result<Work> {
    let all = (0..size).map(|number| format!(" a{number}=v{number}")).collect::<Vec<_>>().concat();
    let page = format!("<p{all}>A word</p>");
    let selector = Selector::parse("p[a0]")?;
    Ok(Box::new(move || Ok(Document::parse(&page).select(&selector).len() * size)))
}

fn by_rules(page: String) -> Work {
    Box::new(move || {
        let page = Document::parse(&page);
        std::hint::black_box(autoheal_extract::rule_based(&page, None));
        Ok(page.len())
    })
}

fn extracted(size: usize) -> anyhow::Result<Work> {
    Ok(by_rules(shop(size, "title", "")))
}

fn article(size: usize) -> anyhow::Result<Work> {
    let paragraph =
        |number| format!("<p>Paragraph {number} says, at some length, that the river rose again in the night.</p>");
    let paragraphs = (0..size).map(paragraph).collect::<Vec<_>>().concat();
    Ok(by_rules(format!(
        "<html><head><title>The river</title></head><body><nav><a href=/>Home</a></nav><article><h1>The river</h1>\
         {paragraphs}</article></body></html>"
    )))
}

fn list(size: usize) -> anyhow::Result<Work> {
    let page = shop(size, "title", "");
    let recipe = r#"{"version": 1, "items": {"select": "li.product"}, "fields": {"name": {"select": "h2"}, "price": {"select": ".price"}}}"#;
    let recipe = Recipe::from_json(recipe, "list.json")?;
    Ok(Box::new(move || Ok(recipe.apply(&Document::parse(&page), None).records.len())))
}

fn fields(size: usize) -> anyhow::Result<Work> {
    let page = Document::parse(&shop(2_000, "title", ""));
    let field = |number: usize| format!(r##""field_{number}": {{"select": "#p{number} .price"}}"##);
    let fields: Vec<String> = (0..size).map(field).collect();
    let recipe = format!(r#"{{"version": 1, "fields": {{{}}}}}"#, fields.join(", "));
    let recipe = Recipe::from_json(&recipe, "fields.json")?;
    Ok(Box::new(move || {
        let found = recipe.apply(&page, None);
        Ok(found.records.iter().map(|record| record.fields.len()).sum())
    }))
}

/// The pages have at least a difference for every `each` items.
fn differences(old: &str, new: &str, each: usize) -> Work {
    let (old, new) = (Document::parse(old), Document::parse(new));
    Box::new(move || {
        let (removed, added) = structural_diff(&old, &new).counts();
        Ok((removed + added) * each)
    })
}

fn compared(size: usize) -> anyhow::Result<Work> {
    Ok(differences(&shop(size, "title", ""), &shop(size, "title", ", the second"), 10))
}

fn unlike(size: usize) -> anyhow::Result<Work> {
    let page = shop(size, "title", "");
    Ok(differences(&page, &page.replace("product", "row").replace("Item", "Article").replace("span", "b"), 1))
}

fn relocated(size: usize) -> anyhow::Result<Work> {
    let (old, new) = (shop(size, "title", ""), shop(size, "name", ", the second"));
    let pages = (Document::parse(&old), Document::parse(&new));
    let recipe = r#"{"version": 1, "fields": {"title": {"select": "h1.title"}}}"#;
    let recipe = Recipe::from_json(recipe, "title.json")?;
    let relocator = Relocator::new()?;
    Ok(Box::new(move || {
        std::hint::black_box(relocator.relocate(&[&pages.0], &recipe, &pages.1));
        Ok(pages.1.len())
    }))
}
