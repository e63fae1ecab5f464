//! Property tests of relocation: any pages and any recipe give an answer, and every selector yields the reported values.

use autoheal_page::Document;
use autoheal_page::recipe::Recipe;
use autoheal_page::relocate::{Answer, Relocator, Status};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A page as a site might send it, whole or not.
fn page() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        "[a-z]{1,8}",
        "[A-Z][a-z]{1,8} [A-Z][a-z]{1,8}",
        "(By|Published|Updated):? [0-9]{1,2} (May|June) 20[0-9]{2}",
        "[0-9]{1,3}(\\.[0-9]{2}| g| min)?",
        "[A-Z][a-z ]{5,40}\\.",
        ".{0,6}",
    ];
    let tag = prop_oneof![
        Just("p"),
        Just("div"),
        Just("li"),
        Just("ul"),
        Just("h1"),
        Just("h2"),
        Just("span"),
        Just("a"),
        Just("time"),
        Just("article"),
        Just("nav"),
        Just("b")
    ];
    let attributes = "( (class|id|itemprop|datetime|data-x|href|content)=('[a-z0-9: -]{0,8}'|[a-z]{0,4})){0,2}";
    let element = (tag, attributes, word, any::<bool>()).prop_map(|(tag, attributes, text, close)| {
        let end = if close { format!("</{tag}>") } else { String::new() };
        format!("<{tag}{attributes}>{text}{end}")
    });
    let stated = "[A-Z][a-z]{2,9}( [a-z]{2,9}){0,3}".prop_map(|text| {
        let stated = json!({"@type": "Article", "headline": text, "datePublished": "2020-05-01T10:00", "author": {"name": text}});
        format!("<script type='application/ld+json'>{stated}</script><meta property='og:title' content='{text}'><h1>{text}</h1>")
    });
    let deep = (1_usize..400, "[a-z]{1,3}").prop_map(|(depth, text)| "<div>".repeat(depth) + &text);
    let wide = (1_usize..20_000).prop_map(|length| format!("<p title='{}' class='{0}'>x", "y".repeat(length)));
    let piece = prop_oneof![30 => element, 2 => stated, 1 => deep, 1 => wide, 2 => Just("</div></ul>".to_owned())];
    let whole = proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat());
    let bytes =
        proptest::collection::vec(any::<u8>(), 0..300).prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let cut = (whole.clone(), any::<prop::sample::Index>()).prop_map(|(html, place)| {
        let place = place.index(html.len() + 1);
        html.get(..place).map_or_else(|| html.clone(), str::to_owned)
    });
    prop_oneof![6 => whole, 2 => cut, 1 => bytes]
}

/// A field with any selector, and values that may or may not stand anywhere.
fn field() -> impl Strategy<Value = Value> {
    let select = prop_oneof![
        Just("h1"),
        Just("p"),
        Just("li"),
        Just("ul > li"),
        Just("*"),
        Just("[datetime]"),
        Just("time, b"),
        Just(".gone"),
        Just("xpath://div/p"),
        Just("div:nth-child(2) span")
    ];
    let take = prop_oneof![3 => Just("text"), 1 => Just("own_text"), 1 => Just("html"), 1 => Just("attr:datetime"), 1 => Just("attr:class"),
        1 => Just("jsonld:headline")];
    let example = proptest::collection::vec("([a-z]{0,8}|[0-9]{1,3} g|[A-Z][a-z ]{0,20}\\.)", 0..4);
    (select, take, any::<bool>(), example).prop_map(|(select, take, many, example)| {
        if take.starts_with("jsonld") {
            json!({"take": take, "many": many})
        } else {
            json!({"select": select, "take": take, "many": many, "example": example})
        }
    })
}

/// A recipe with fields of known and unknown kinds.
fn recipe() -> impl Strategy<Value = Recipe> {
    let names =
        proptest::sample::subsequence(vec!["title", "author", "publishing_date", "body", "ingredients", "thing"], 1..4);
    (names, proptest::collection::vec(field(), 4)).prop_map(|(names, fields)| {
        let fields: serde_json::Map<String, Value> = names.into_iter().map(str::to_owned).zip(fields).collect();
        Recipe::from_json(&json!({"version": 1, "fields": fields}).to_string(), "any").unwrap()
    })
}

/// Returns a description of the fault in an answer; `None` if there is no fault.
fn fault(answer: &Answer, page: &Document) -> Option<String> {
    let is_there = matches!(answer.status, Status::Kept | Status::Moved);
    if is_there == answer.values.is_empty() {
        return Some(format!("{:?} with {} values", answer.status, answer.values.len()));
    }
    if answer.status != Status::Moved {
        return None;
    }
    let Some(select) = &answer.select else {
        let is_said = answer.evidence.iter().any(|reason| reason.starts_with("no selector"));
        return (!is_said).then(|| "moved without a selector and without a word".to_owned());
    };
    let field =
        json!({"select": select.source(), "take": answer.take.to_string(), "many": true, "transforms": ["trim"]});
    let recipe = Recipe::from_json(&json!({"version": 1, "fields": {"a": field}}).to_string(), "new").unwrap();
    let found: Vec<String> = recipe.apply(page, None).records[0].fields[0].1.texts();
    let found: Vec<&String> = found.iter().filter(|text| !text.is_empty()).collect();
    (found != answer.values.iter().collect::<Vec<_>>())
        .then(|| format!("{select} gives {found:?}, not {:?}", answer.values))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_moved_field_has_a_selector_that_gives_it(old in page(), new in page(), recipe in recipe(), threshold in 0.0_f32..1.0) {
        let (old, new) = (Document::parse(&old), Document::parse(&new));
        for threshold in [0.0, threshold] {
            let relocator = Relocator::new().unwrap().with_threshold(threshold);
            let relocation = relocator.relocate(&[&old], &recipe, &new);
            prop_assert_eq!(relocation.fields.len(), recipe.fields().len());
            for (name, answer) in &relocation.fields {
                prop_assert_eq!(fault(answer, &new), None, "{}", name);
                prop_assert!((0.0..=1.0).contains(&answer.confidence));
            }
            prop_assert_eq!(relocator.relocate(&[&old], &recipe, &new), relocation, "the same answer every time");
        }
    }
}
