//! Fields found again after a redesign, and not found when they are not there.

use autoheal_page::Document;
use autoheal_page::recipe::Recipe;
use autoheal_page::relocate::{Relocation, Relocator, Status};

/// Each text in its own element.
fn each(texts: &[&str], before: &str, after: &str) -> String {
    texts.iter().flat_map(|text| [before, *text, after]).collect()
}

/// A recipe page in an old layout.
fn old_layout(title: &str, author: &str, items: &[&str], steps: &[&str]) -> String {
    let items = each(items, "<li class='ingredient'>", "</li>");
    let steps = each(steps, "<p class='step'>", "</p>");
    format!(
        "<html><head><title>{title} | Kitchen</title><meta property='og:title' content='{title}'></head><body>
        <div id='nav'><a href='/'>Home</a> <a href='/all'>All recipes</a></div>
        <div class='recipe'><h1 class='headline'>{title}</h1><p class='byline'>By <a href='/a'>{author}</a></p>
        <h2>Ingredients</h2><ul>{items}</ul><h2>Method</h2><div>{steps}</div></div>
        <div id='footer'>All rights reserved</div></body></html>"
    )
}

/// The same in a new layout.
fn new_layout(title: &str, author: &str, items: &[&str], steps: &[&str]) -> String {
    let items = each(items, "<div class='c-row'><span>", "</span></div>");
    let steps = each(steps, "<li>", "</li>");
    let page_title = if title.is_empty() { "Kitchen".to_owned() } else { format!("{title} - Kitchen") };
    let title = if title.is_empty() { String::new() } else { format!("<h1 class='x-19'>{title}</h1>") };
    let author = if author.is_empty() { String::new() } else { format!("<span rel='author'>{author}</span>") };
    format!(
        "<html><head><title>{page_title}</title></head><body><header><nav><a href='/'>Home</a><a href='/all'>All recipes</a></nav>
        </header><main><article><div>{title}<div class='meta'><em>Written by</em> {author}</div></div>
        <section class='c-ingredients'><h3>Ingredients</h3>{items}</section>
        <section class='c-method'><h3>Method</h3><ol>{steps}</ol></section></article></main>
        <footer>All rights reserved</footer></body></html>"
    )
}

const ITEMS: &[&str] = &["200 g flour", "2 eggs", "1 pinch of salt", "100 ml milk"];
const STEPS: &[&str] = &[
    "Mix the flour and the eggs in a large bowl until smooth.",
    "Add the milk and the salt, and let it rest for an hour.",
    "Bake it in a hot pan with a little butter.",
];
const OTHER_ITEMS: &[&str] = &["300 g rice", "1 onion", "50 g butter", "1 glass of wine", "2 spoons of cheese"];
const OTHER_STEPS: &[&str] = &[
    "Chop the onion and fry it slowly in half of the butter.",
    "Add the rice, stir until it shines, then pour in the wine.",
    "Stir in the rest of the butter and the cheese, and serve.",
];

fn recipe() -> Recipe {
    let text = r#"{"version": 1, "fields": {
        "title": {"select": "h1.headline", "take": "text", "example": ["Pancakes"]},
        "author": {"select": ".byline a", "take": "text", "example": ["Ada Low"]},
        "ingredients": {"select": "li.ingredient", "take": "text", "many": true, "example": ["200 g flour", "2 eggs"]},
        "instructions": {"select": ".recipe p.step", "take": "text", "many": true}}}"#;
    Recipe::from_json(text, "test").unwrap()
}

fn relocate(old: &[String], new: &str) -> Relocation {
    let old: Vec<Document> = old.iter().map(|html| Document::parse(html)).collect();
    let new = Document::parse(new);
    Relocator::new().unwrap().relocate(&old.iter().collect::<Vec<_>>(), &recipe(), &new)
}

fn old() -> String {
    old_layout("Pancakes", "Ada Low", ITEMS, STEPS)
}

#[test]
fn what_did_not_move_is_kept() {
    let relocation = relocate(&[old()], &old_layout("Risotto", "Ben High", OTHER_ITEMS, OTHER_STEPS));
    for (name, answer) in &relocation.fields {
        assert_eq!(answer.status, Status::Kept, "{name}");
    }
    assert_eq!(relocation.field("ingredients").unwrap().values, OTHER_ITEMS);
    assert_eq!(relocation.field("title").unwrap().values, ["Risotto"]);
}

#[test]
fn nothing_wrong_is_accepted_of_another_recipe_in_a_new_layout() {
    let new = new_layout("Risotto", "Ben High", OTHER_ITEMS, OTHER_STEPS);
    let page = Document::parse(&new);
    let relocation = relocate(&[old(), old_layout("Soup", "Ben High", &ITEMS[1..], STEPS)], &new);
    let truth: [(&str, &[&str]); 4] = [
        ("title", &["Risotto"]),
        ("author", &["Ben High"]),
        ("ingredients", OTHER_ITEMS),
        ("instructions", OTHER_STEPS),
    ];
    let mut moved = 0;
    for (name, truth) in truth {
        let answer = relocation.field(name).unwrap();
        assert_ne!(answer.status, Status::Kept, "{name}");
        if answer.status == Status::Moved {
            moved += 1;
            assert_eq!(answer.values, truth, "{name}");
            let select = answer.select.as_ref().unwrap();
            let found: Vec<_> = page.select(select).into_iter().map(|node| page.text(node).into_owned()).collect();
            assert_eq!(found, truth, "{select}");
        } else {
            assert!(answer.values.is_empty() && answer.select.is_none(), "{name}");
        }
        assert!(!answer.evidence.is_empty());
    }
    assert!(moved >= 1, "{relocation:?}");
}

#[test]
fn what_was_deleted_is_not_found() {
    for (title, author) in [("", "Ben High"), ("Risotto", "")] {
        let relocation = relocate(&[old()], &new_layout(title, author, OTHER_ITEMS, OTHER_STEPS));
        let name = if title.is_empty() { "title" } else { "author" };
        let answer = relocation.field(name).unwrap();
        assert!(matches!(answer.status, Status::Gone | Status::Unsure), "{name}: {answer:?}");
        assert!(answer.values.is_empty());
    }
}

#[test]
fn examples_alone_show_where_a_field_was() {
    let text = r#"{"version": 1, "fields": {"title": {"select": ".never", "take": "text", "example": ["Pancakes"]}}}"#;
    let recipe = Recipe::from_json(text, "test").unwrap();
    let page = Document::parse(&old());
    let relocation = Relocator::new().unwrap().with_threshold(0.0).relocate(&[&page], &recipe, &page);
    assert_eq!(relocation.field("title").unwrap().values, ["Pancakes"]);
}

#[test]
fn a_selector_that_finds_something_else_is_doubted() {
    let text = r#"{"version": 1, "fields": {"price": {"select": ".price", "take": "text"}}}"#;
    let recipe = Recipe::from_json(text, "test").unwrap();
    let old = Document::parse("<p class=price>12.50</p><p>words</p>");
    let new = Document::parse("<p class=price>on request</p>");
    let relocation = Relocator::new().unwrap().relocate(&[&old], &recipe, &new);
    let answer = relocation.field("price").unwrap();
    assert!(matches!(answer.status, Status::Gone | Status::Unsure), "{answer:?}");
}

/// Relocates one field whose selector finds something on both pages, and returns the answer.
fn kept_or_not(field: &str, select: &str, old: &str, new: &str) -> autoheal_page::relocate::Answer {
    let text = format!(r#"{{"version": 1, "fields": {{"{field}": {{"select": "{select}", "take": "text"}}}}}}"#);
    let recipe = Recipe::from_json(&text, "test").unwrap();
    let relocation = Relocator::new().unwrap().relocate(&[&Document::parse(old)], &recipe, &Document::parse(new));
    relocation.field(field).unwrap().clone()
}

#[test]
fn the_date_of_another_article_is_doubted() {
    let page = |stated: &str, shown: &str| {
        let stated = format!(r#"{{"@type":"Article","datePublished":"{stated}"}}"#);
        format!(
            "<script type='application/ld+json'>{stated}</script><h1>News</h1><div class=when>{shown}</div><p>words</p>"
        )
    };
    let old = page("2024-10-13T22:43:00+09:00", "2024/10/13 22:43");
    let same = kept_or_not("publishing_date", ".when", &old, &page("2024-12-03T23:17:00+09:00", "2024/12/03 23:17"));
    assert_eq!(same.status, Status::Kept);
    let other = kept_or_not("publishing_date", ".when", &old, &page("2024-12-03T23:17:00+09:00", "2024/12/04 00:05"));
    assert!(other.evidence.iter().any(|reason| reason.contains("another day")), "{other:?}");
}

#[test]
fn a_handle_where_a_name_was_is_doubted() {
    let old = "<h1>News</h1><p class=by>Ada Low</p><p>words</p>";
    let new = "<h1>News</h1><p class=by>@adalow</p><p>words</p>";
    let answer = kept_or_not("author", ".by", old, new);
    assert!(answer.evidence.iter().any(|reason| reason.contains("handle")), "{answer:?}");
    assert_eq!(kept_or_not("author", ".by", new, new).status, Status::Kept);
}

#[test]
fn no_page_at_all_is_answered() {
    let page = Document::parse(&old());
    let relocator = Relocator::new().unwrap();
    for html in ["", "\0\0", "<p>", "<table><tr><td>"] {
        let empty = Document::parse(html);
        for (old, new) in [(&page, &empty), (&empty, &page), (&empty, &empty)] {
            let relocation = relocator.relocate(&[old], &recipe(), new);
            assert_eq!(relocation.fields.len(), 4);
        }
        assert!(relocator.relocate(&[], &recipe(), &empty).fields.iter().all(|(_, answer)| answer.values.is_empty()));
    }
}

#[test]
fn the_same_question_has_the_same_answer() {
    let new = new_layout("Risotto", "Ben High", OTHER_ITEMS, OTHER_STEPS);
    assert_eq!(relocate(&[old()], &new), relocate(&[old()], &new));
}

#[test]
fn first_attribute_of_a_list_does_not_pass_for_the_list() {
    let links =
        |class: &str| each(&["Soup", "Cake", "Bread"], &format!("<li><a class={class} href=/item>"), "</a></li>");
    let recipe = r#"{"version": 1, "fields": {"links": {"select": ".old", "take": "attr:href", "many": true}}}"#;
    let recipe = Recipe::parse(recipe, "test").unwrap();
    let (old, new) = (Document::parse(&links("old")), Document::parse(&links("new")));
    let relocator = Relocator::new().unwrap().with_threshold(0.0);
    let answer = relocator.relocate(&[&old], &recipe, &new).field("links").unwrap().clone();
    assert_eq!((answer.status, answer.values), (Status::Unsure, Vec::new()));
    let kept = relocator.relocate(&[&old], &recipe, &old);
    assert_eq!(kept.field("links").unwrap().status, Status::Kept);
}

#[test]
fn a_value_written_in_another_manner_is_certain_where_no_other_place_has_it() {
    let recipe = r#"{"version": 1, "fields": {"date": {"select": "time"}, "price": {"select": "b"}}}"#;
    let recipe = Recipe::parse(recipe, "test").unwrap();
    let old = Document::parse("<article><h1>Lamps</h1><time>2022-04-16</time><p>From <b>24.39 EUR</b></p></article>");
    let table = |more: &str| {
        format!(
            "<table><tr><td colspan=2><font size=5>Lamps</font><tr><td>Date:<td>16.04.2022<tr><td>Price:<td>\u{20ac}24,39{more}</table>"
        )
    };
    let relocator = Relocator::new().unwrap();
    let values = |html: &str| {
        let relocation = relocator.relocate(&[&old], &recipe, &Document::parse(html));
        ["date", "price"].map(|name| relocation.field(name).unwrap().values.clone())
    };
    assert_eq!(values(&table("")), [vec!["16.04.2022"], vec!["\u{20ac}24,39"]]);
    let [date, price] = values(&table("<tr><td>Changed:<td>April 16, 2022<tr><td>Before:<td>24.39"));
    assert_eq!((date, price), (Vec::<String>::new(), Vec::new()), "either of two places may be the field's");
}

#[test]
fn a_list_rule_that_finds_the_navigation_is_not_kept() {
    let recipe = r#"{"version": 1, "fields": {"tags": {"select": "li", "many": true}}}"#;
    let recipe = Recipe::parse(recipe, "test").unwrap();
    let old = Document::parse("<article><h1>Boats</h1><ul class=tags><li>harbour<li>orchard<li>violin</ul></article>");
    let new = "<nav><ul><li>Politics<li>Culture<li>Shop</ul></nav><article><h1>Boats</h1>
        <p class=tags><a rel=tag>harbour</a> <a rel=tag>orchard</a> <a rel=tag>violin</a></p></article>";
    let relocation = Relocator::new().unwrap().relocate(&[&old], &recipe, &Document::parse(new));
    let answer = relocation.field("tags").unwrap();
    assert_ne!(answer.status, Status::Kept, "{answer:?}");
    assert!(!answer.values.contains(&"Politics".to_owned()), "{answer:?}");
}
