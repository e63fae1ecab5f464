//! Pages that mean no good.

use std::time::{Duration, Instant};

use autoheal_extract::item::schema;
use autoheal_extract::rule_based;
use autoheal_page::Document;
use proptest::prelude::*;

/// Pieces of pages that rules look for, in any order.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("<h1>Ingredients</h1><ul><li>1 leek<li>salt</ul><h2>Method</h2><ol><li>Cut.</ol>".to_owned()),
        Just("<script type='application/ld+json'>{\"@type\":[\"Recipe\",7],\"name\":{},\"author\":[[null]],\"offers\":{\"price\":\"-1e999\"}".to_owned()),
        Just("<div itemscope itemtype=Product><b itemprop='name name offers'>x<i itemscope itemprop=offers>".to_owned()),
        Just("<table><tr><th>Price<td>€ 99999999999999999999999999999999".to_owned()),
        Just("<meta property=og:title content=' | - | '><title> - </title><time datetime='0000-99-99'>".to_owned()),
        "<[a-z]{1,8} (class|id|rel|itemprop)='[a-z -]{0,12}'>",
        "\\PC{0,40}",
    ]
}

proptest! {
    #[test]
    fn any_page_gives_a_valid_item_and_always_the_same(pieces in prop::collection::vec(piece(), 0..12)) {
        let html = pieces.concat();
        let item = serde_json::to_string(&rule_based(&Document::parse(&html), None)).unwrap();
        prop_assert_eq!(&item, &serde_json::to_string(&rule_based(&Document::parse(&html), None)).unwrap());
        let validator = jsonschema::validator_for(&schema().unwrap()).unwrap();
        let value = serde_json::from_str(&item).unwrap();
        prop_assert!(validator.is_valid(&value), "{}", item);
    }
}

#[test]
fn deep_and_large_pages_are_read_as_far_as_they_state_something() {
    let stated = "<title>Soup | Site</title><meta name=author content='Ada Byron'><h1>Soup</h1>";
    for body in [
        "<div>".repeat(5_000),
        "<div class=author itemprop=author>".repeat(5_000),
        "<ul><li>x".repeat(5_000),
        "<p>x</p>".repeat(200_000),
        "<div itemscope itemprop=x>".repeat(5_000),
        // Just small enough to be read.
        format!("{}{}", "<div>".repeat(240), "<p>words, and words</p>".repeat(50_000)),
        format!("{}{}", "<table><tr><td>".repeat(40), "<b class=author>By A</b><br>".repeat(20_000)),
    ] {
        let page = Document::parse(&format!("{stated}{body}"));
        let start = Instant::now();
        let item = rule_based(&page, None);
        assert_eq!(item.title.as_deref(), Some("Soup"));
        // A quadratic walk over them takes minutes.
        assert!(start.elapsed() < Duration::from_secs(20), "{:?} for {}", start.elapsed(), &body[..20]);
    }
}
