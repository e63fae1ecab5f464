//! Pages and answers that mean no good.

use std::time::{Duration, Instant};

use autoheal_extract::item::schema;
use autoheal_extract::{
    Form, Grounding, ModelSettings, Provenance, Reading, Strictness, llm_dynamic_adaptive, rule_based,
};
use autoheal_page::Document;
use proptest::prelude::*;
use serde_json::Value;

use crate::scripted::{POT, POT_URL, Script, asking, item, reading};

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

/// Answers that look like some, in any nesting.
fn answer() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "N/A|-|12,50 €|1,234|PT1H|2024-13-40|99999999999999999999999999999999999 EUR|1e999|\\PC{0,20}"
            .prop_map(Value::from),
    ];
    let name = "page_type|title|price|amount|currency|rating|salary|min|start|image|ingredients|url|prepTime|tables|rows|[a-z ]{0,6}";
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(name, inner, 0..6).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn any_answer_gives_a_valid_item_or_none(answers in prop::collection::vec(answer(), 4), strict in any::<bool>()) {
        let script = Script::of(&answers);
        let strictness = if strict { Strictness::Drop } else { Strictness::Mark };
        let (form, settings) = (Form::item().unwrap(), ModelSettings { strictness, ..ModelSettings::default() });
        let session = script.session();
        let reading = reading(POT, POT_URL);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let extraction = runtime.block_on(llm_dynamic_adaptive(&reading, &asking(&session, &form, &settings)));
        prop_assert!(script.asked().len() <= 4);
        if let Ok(extraction) = extraction {
            let value = serde_json::to_value(item(&extraction)).unwrap();
            let validator = jsonschema::validator_for(&schema().unwrap()).unwrap();
            prop_assert!(validator.is_valid(&value), "{}", value);
            let is_on_page = |provenance: &Provenance| {
                matches!(provenance.grounding, None | Some(Grounding::Found | Grounding::Judgement))
            };
            prop_assert!(!strict || item(&extraction).provenance.values().all(is_on_page), "{}", value);
        }
    }
}

#[test]
fn what_models_say_is_looked_for_on_any_page_in_good_time() {
    let numbered: Vec<String> =
        (0..200_000).map(|number| format!("<p title='{number}'>{number} min, {number} EUR, 5 May 2024</p>")).collect();
    for body in [
        "<div title='12 min, 5 EUR'>".repeat(5_000),
        numbered.concat(),
        "5 May 2024 ".repeat(300_000),
        format!("<p data-x='{}'>", "&amp;".repeat(500_000)),
    ] {
        let page = Document::parse(&format!("<h1>Soup</h1>{body}"));
        let start = Instant::now();
        let reading = Reading::of(&page, None);
        assert_eq!(reading.grounding(&Form::item().unwrap(), "title", "soup".into()), Some(Grounding::Found));
        assert!(start.elapsed() < Duration::from_secs(20), "{:?} for {}", start.elapsed(), &body[..20]);
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
