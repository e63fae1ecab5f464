use super::*;
use crate::value::ValueError;

fn recipe(fields: &str) -> Recipe {
    Recipe::from_json(&format!(r#"{{"version":1,"fields":{fields}}}"#), "recipe.json").unwrap()
}

/// The values of a field, or why there are none, as text.
fn apply(html: &str, field: &str) -> Vec<String> {
    let url = Url::parse("https://example.org/list/page").unwrap();
    let extraction = recipe(&format!(r#"{{"field":{field}}}"#)).apply(&Document::parse(html), Some(&url));
    let outcome = extraction.records[0].field("field").unwrap();
    let misses = outcome.misses.iter().map(|miss| format!("! {miss}"));
    outcome.values.iter().map(|found| found.value.to_string()).chain(misses).collect()
}

#[test]
fn every_way_of_taking() {
    let html = r#"<meta property="og:title" content="Stew"><script type="application/ld+json">
        {"@type": "Recipe", "name": "Soup", "keywords": ["a", "b"]}</script>
        <h1 id=x title="T">Soup <b>of the</b> day</h1><div itemscope itemtype="https://schema.org/Product"><i itemprop="name">Pot</i></div>"#;
    for (field, expected) in [
        (r#"{"select":"h1"}"#, "Soup of the day"),
        (r#"{"select":"h1","take":"own_text"}"#, "Soup day"),
        (r#"{"select":"h1 b","take":"html"}"#, "<b>of the</b>"),
        (r#"{"select":"h1","take":"attr:TITLE"}"#, "T"),
        (r#"{"select":"xpath://h1/b"}"#, "of the"),
        (r#"{"take":"jsonld:Recipe.name"}"#, "Soup"),
        (r#"{"take":"jsonld:name"}"#, "Soup"),
        (r#"{"take":"microdata:Product.name"}"#, "Pot"),
        (r#"{"take":"meta:og:title"}"#, "Stew"),
    ] {
        assert_eq!(apply(html, field), [expected], "{field}");
    }
    assert_eq!(apply(html, r#"{"take":"jsonld:keywords","many":true}"#), ["a", "b"]);
}

#[test]
fn values_have_their_types() {
    let html = r#"<p class=price>1.234,50 €</p><a href="../item?a=1">x</a><time>15. Oktober 2024</time><ul><li>a<li> <li>b, c</ul>"#;
    for (field, expected) in [
        (r#"{"select":".price","type":"money"}"#, "1234.50 EUR"),
        (r#"{"select":"a","take":"attr:href","type":"url"}"#, "https://example.org/item?a=1"),
        (r#"{"select":"time","type":"date"}"#, "2024-10-15"),
        (r#"{"select":".price","transforms":[{"regex":"[\\d.,]+"},"number"]}"#, "1234.50"),
    ] {
        assert_eq!(apply(html, field), [expected], "{field}");
    }
    assert_eq!(
        apply(html, r#"{"select":"li","many":true,"transforms":[{"split":","}]}"#),
        ["a", "b", "c", "! what is selected is empty"]
    );
}

#[test]
fn misses_say_why() {
    let html = "<h1>Soup</h1><p> </p>";
    for (field, expected) in [
        (r#"{"select":"h2"}"#, "! no node matches `h2`"),
        (r#"{"select":"h1","take":"attr:id"}"#, "! the selected `h1` has no attribute `id`"),
        (r#"{"select":"p"}"#, "! what is selected is empty"),
        (r#"{"take":"jsonld:Recipe.name"}"#, "! the page states no `jsonld:Recipe.name`"),
        (r#"{"select":"h1","transforms":[{"regex":"\\d+"}]}"#, "! the pattern `\\d+` matches nothing in it"),
    ] {
        assert_eq!(apply(html, field), [expected], "{field}");
    }
    let outcome = recipe(r#"{"a":{"select":"h1","type":"number"}}"#).apply(&Document::parse(html), None);
    let misses = &outcome.records[0].field("a").unwrap().misses;
    assert!(matches!(misses[..], [Miss::NoValue(ValueError::Absent { .. })]));
}

#[test]
fn a_single_field_takes_the_first_and_counts_all() {
    let extraction = recipe(r#"{"a":{"select":"p"}}"#).apply(&Document::parse("<p>1<p>2<p>3"), None);
    let outcome = extraction.records[0].field("a").unwrap();
    assert_eq!((outcome.texts(), outcome.matched), (vec!["1".to_owned()], 3));
    assert!(outcome.is_complete());
}

#[test]
fn a_list_page_gives_a_record_of_each_item() {
    let json = r#"{"version":1,"items":{"select":"li.item"},"fields":{
        "id":{"select":".item","take":"attr:data-id"},
        "name":{"select":"b"},
        "tags":{"select":"i","many":true,"required":false}}}"#;
    let recipe = Recipe::from_json(json, "list.json").unwrap();
    let html = "<b>Not this</b><ul><li class=item data-id=1><b>A</b><i>x</i><i>y</i>
        <ul><li class=item data-id=2><b>B</b></ul><i>z</i><li class=item data-id=3><i>w</i></ul><b>nor this</b>";
    let page = Document::parse(html);
    let extraction = recipe.apply(&page, None);
    let texts: Vec<Vec<Vec<String>>> = extraction
        .records
        .iter()
        .map(|record| record.fields.iter().map(|(_, outcome)| outcome.texts()).collect())
        .collect();
    assert_eq!(
        texts,
        [
            [vec!["1".to_owned()], vec!["A".to_owned()], vec!["x".to_owned(), "y".to_owned(), "z".to_owned()]],
            [vec!["2".to_owned()], vec!["B".to_owned()], vec![]],
            [vec!["3".to_owned()], vec![], vec!["w".to_owned()]],
        ]
    );
    assert!(!extraction.is_complete(&recipe), "the third has no name");
    assert!(!recipe.apply(&Document::parse("<p>"), None).is_complete(&recipe), "no items");
}

#[test]
fn origins_can_be_shown() {
    let page = Document::parse("<body><div></div><div><p>a</p></div></body>");
    let extraction = recipe(r#"{"a":{"select":"p"}}"#).apply(&page, None);
    let found = &extraction.records[0].field("a").unwrap().values[0];
    assert_eq!(found.origin.describe(&page), "html > body > div:nth-child(2) > p text");
}

#[test]
fn the_next_page_is_another_page() {
    let recipe =
        Recipe::from_json(r#"{"version":1,"fields":{"a":{"select":"p"}},"next":{"select":"a.next"}}"#, "a.json")
            .unwrap();
    let url = Url::parse("https://example.org/list?page=1").unwrap();
    let next = |html: &str| recipe.next_page(&Document::parse(html), &url).map(|url| url.to_string());
    assert_eq!(next("<a class=next href='?page=2'>").as_deref(), Some("https://example.org/list?page=2"));
    assert_eq!(next("<base href='/x/'><a class=next href='y'>").as_deref(), Some("https://example.org/x/y"));
    assert_eq!(next("<a class=next href='#top'>"), None);
    assert_eq!(next("<a class=next href='javascript:more()'>"), None);
    assert_eq!(next("<a href='?page=2'>"), None);
}
