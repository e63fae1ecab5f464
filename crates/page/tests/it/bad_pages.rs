//! Recipes, selectors and diffs on pages that nobody would write.

use autoheal_page::apply::Miss;
use autoheal_page::diff::{Outline, structural_diff};
use autoheal_page::recipe::Recipe;
use autoheal_page::robust_selector::robust_selectors;
use autoheal_page::{Document, Selector};

fn recipe() -> Recipe {
    let json = r#"{"version":1,"fields":{
        "title":{"select":"h1"},
        "price":{"select":".price","type":"money","required":false},
        "name":{"take":"jsonld:Product.name","required":false}}}"#;
    Recipe::from_json(json, "recipe.json").unwrap()
}

/// Why the title is missing.
fn title_miss(html: &str) -> Miss {
    let recipe = recipe();
    let extraction = recipe.apply(&Document::parse(html), None);
    assert!(!extraction.is_complete(&recipe), "a page without its title is a failure");
    extraction.records[0].field("title").unwrap().misses[0].clone()
}

#[test]
fn a_page_without_anything_is_a_typed_miss() {
    for html in ["", "<body></body>", "\0\0\0", "<h2>x</h2>", "<!-- <h1>x</h1> -->", "{\"error\": 404}"] {
        assert_eq!(title_miss(html), Miss::NoNode { select: "h1".to_owned() }, "{html:?}");
    }
    assert_eq!(title_miss("<h1> \u{a0}\u{200b}</h1>"), Miss::Empty);
}

#[test]
fn a_page_that_is_cut_gives_what_is_there() {
    let whole = "<h1>Soup of the day</h1><p class=price>12,50 €</p><script type='application/ld+json'>{\"@type\":\"Product\",\"name\":\"Pot\"}</script>";
    for end in (0..=whole.len()).filter(|end| whole.is_char_boundary(*end)) {
        let extraction = recipe().apply(&Document::parse(&whole[..end]), None);
        let texts = extraction.records[0].field("title").unwrap().texts();
        assert!(texts.iter().all(|text| "Soup of the day</h1".starts_with(text.as_str())), "{end}: {texts:?}");
    }
}

#[test]
fn fifty_megabytes_are_read() {
    let paragraph = format!("<p class=a>{}</p>", "word ".repeat(2000));
    let html = format!("<h1>Title</h1>{}<p class=price>9,99 €</p>", paragraph.repeat(50_000_000 / paragraph.len()));
    assert!(html.len() > 49_000_000);
    let page = Document::parse(&html);
    let recipe = recipe();
    let extraction = recipe.apply(&page, None);
    assert!(extraction.is_complete(&recipe));
    assert_eq!(extraction.records[0].field("price").unwrap().values[0].value.to_string(), "9.99 EUR");
}

#[test]
fn two_hundred_thousand_nodes_are_compared_and_selected() {
    let html = format!("<h1 class=title>x</h1>{}", "<div class=entry><b class=c>y</b></div>".repeat(100_000));
    let page = Document::parse(&html);
    let other = Document::parse(&html.replace("class=c", "class=d"));
    let diff = structural_diff(&page, &other);
    assert_eq!(diff.counts(), (100_000, 100_000));
    let title = page.select(&Selector::parse("h1").unwrap());
    assert_eq!(robust_selectors(&[(&page, &title)]).first().map(Selector::source), Some(".title"));
    let rows = page.select(&Selector::parse(".entry").unwrap());
    assert_eq!(robust_selectors(&[(&page, &rows)]).first().map(Selector::source), Some(".entry"));
}

#[test]
fn deep_pages_need_no_deep_stack() {
    // Threads of tests have 2 MB: recursion over the depth would end the process.
    let html = "<span>".repeat(100_000);
    let page = Document::parse(&html);
    let deepest = page.nodes().max_by_key(|node| page.depth(*node)).unwrap();
    let extraction = recipe().apply(&page, None);
    assert_eq!(extraction.records[0].field("title").unwrap().matched, 0);
    assert!(!structural_diff(&page, &Document::parse("<p>x")).is_empty());
    let _ = robust_selectors(&[(&page, &[deepest])]);
    assert!(!Outline::parse(&html).diff(&Outline::parse("<p>x")).is_empty());
    drop(page);
}

#[test]
fn a_list_of_nothing_is_a_failure() {
    let json = r#"{"version":1,"items":{"select":"li"},"fields":{"name":{"select":"b"}}}"#;
    let recipe = Recipe::from_json(json, "list.json").unwrap();
    let extraction = recipe.apply(&Document::parse("<p>No results"), None);
    assert!(extraction.records.is_empty() && !extraction.is_complete(&recipe));
}
