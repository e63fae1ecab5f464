//! Arbitrary input: whatever comes, an answer or an error comes back, and never a crash.

use autoheal_page::Document;
use autoheal_page::diff::structural_diff;
use autoheal_page::recipe::Recipe;
use autoheal_page::robust_selector::robust_selectors;
use proptest::prelude::*;

/// Generates fragments of recipes in any order, which are closer to real recipes than arbitrary text.
fn recipe_like() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("{".to_owned()),
        Just("}".to_owned()),
        Just("[".to_owned()),
        Just("]".to_owned()),
        Just(",".to_owned()),
        Just(":".to_owned()),
        Just("=".to_owned()),
        Just("\n".to_owned()),
        "\"(version|fields|select|take|many|transforms|regex|items|next|request|wait|type|example|title)\"",
        "(version|fields|select|take|many|transforms|regex|items|next|request|wait|type|example|title)",
        "(1|true|null|\"h1\"|\"text\"|\"attr:x\"|\"xpath://a\"|'.a > b')",
        "\\[(fields|request|items)(\\.[a-z]{1,3})?\\]",
        ".{0,4}",
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Markup with everything that is out of place.
fn page_like() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "</?(p|div|table|tr|td|ul|li|a|b|h1|script|style|svg|template|select|form|html|body|head)( (class|id|itemprop|data-x)=['\"]?[a-zé:{\\\\ ]{0,6}['\"]?){0,2}/?>",
        "<!--.{0,5}(-->)?",
        "&(amp|#x?[0-9a-f]{1,6}|nbsp|.{0,3});?",
        ".{0,6}",
    ];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

fn any_recipe() -> impl Strategy<Value = Recipe> {
    let select = prop_oneof![
        Just("p"),
        Just("div *"),
        Just(".a, b"),
        Just("xpath://*[@class]"),
        Just("td:nth-child(2)"),
        Just("*")
    ];
    let take = prop_oneof![Just("text"), Just("own_text"), Just("html"), Just("attr:class")];
    let value_type = prop_oneof![
        Just("text"),
        Just("number"),
        Just("money"),
        Just("date"),
        Just("boolean"),
        Just("url"),
        Just("minutes")
    ];
    (select, take, value_type, any::<bool>(), any::<bool>()).prop_map(|(select, take, value_type, many, is_list)| {
        let items = if is_list { r#""items":{"select":"div, li"},"# } else { "" };
        let field = format!(r#"{{"select":"{select}","take":"{take}","type":"{value_type}","many":{many}}}"#);
        Recipe::from_json(&format!(r#"{{"version":1,{items}"fields":{{"a":{field}}}}}"#), "recipe.json").unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn recipes_of_any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let text = String::from_utf8_lossy(&bytes);
        let _ = Recipe::from_json(&text, "a.json");
        let _ = Recipe::from_toml(&text, "a.toml");
    }

    #[test]
    fn recipes_of_their_own_words(text in recipe_like()) {
        for name in ["a.json", "a.toml"] {
            if let Err(error) = Recipe::parse(&text, name) {
                prop_assert!(error.to_string().starts_with(name));
                let lines = text.lines().count().max(1) + 1;
                prop_assert!(error.position.is_none_or(|position| (1..=lines).contains(&position.line) && position.column >= 1));
            }
        }
    }

    #[test]
    fn a_recipe_with_one_byte_changed(place in 0_usize..10_000, byte in any::<u8>()) {
        let text = r#"{"version":1,"request":{"wait":"5s"},"fields":{"a":{"select":"h1.b > a[href]","transforms":["trim",{"regex":"(a|b)+"},"number"]}}}"#;
        let mut bytes = text.as_bytes().to_vec();
        let place = place % bytes.len();
        bytes[place] = byte;
        let _ = Recipe::from_json(&String::from_utf8_lossy(&bytes), "a.json");
    }

    #[test]
    fn recipes_on_any_page(html in page_like(), recipe in any_recipe()) {
        let page = Document::parse(&html);
        let extraction = recipe.apply(&page, None);
        for (_, outcome) in extraction.records.iter().flat_map(|record| &record.fields) {
            prop_assert!(!outcome.values.is_empty() || !outcome.misses.is_empty(), "a value, or a reason");
            prop_assert!(outcome.values.iter().all(|found| !found.origin.describe(&page).is_empty()));
        }
    }

    #[test]
    fn selectors_for_any_node_of_any_page(html in page_like(), choice in any::<prop::sample::Index>()) {
        let page = Document::parse(&html);
        let nodes: Vec<_> = page.nodes().collect();
        let node = nodes[choice.index(nodes.len())];
        for selector in robust_selectors(&[(&page, &[node])]) {
            prop_assert_eq!(page.select(&selector), vec![node], "{}", selector);
        }
    }

    #[test]
    fn diffs_of_any_pages(old in page_like(), new in page_like()) {
        let (old, new) = (Document::parse(&old), Document::parse(&new));
        let diff = structural_diff(&old, &new);
        prop_assert!(diff.unified(500).len() < 1000);
        prop_assert_eq!(diff.is_empty(), diff.summary().is_empty());
    }
}
