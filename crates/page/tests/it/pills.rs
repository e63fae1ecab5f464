//! Pages that are made to keep a parser busy, each on a thread no larger than those of the server's workers.

use autoheal_page::diff::structural_diff;
use autoheal_page::recipe::Recipe;
use autoheal_page::robust_selector::robust_selectors;
use autoheal_page::select::SelectorError;
use autoheal_page::structured::structured_data;
use autoheal_page::{Document, Selector};
use autoheal_testkit::pills::{Pill, pages};
use serde_json::json;

/// Runs work for each pill on a thread with the stack of tokio's workers; an overflow would end the whole process.
fn on_small_threads(work: impl Fn(&Pill) + Sync) {
    for pill in pages() {
        std::thread::scope(|scope| {
            let small = std::thread::Builder::new().name(pill.name.to_owned()).stack_size(2 << 20);
            small.spawn_scoped(scope, || work(pill)).unwrap().join().unwrap();
        });
    }
}

#[test]
fn every_pill_is_parsed_on_a_small_stack() {
    on_small_threads(|pill| {
        let html = pill.text(1 << 20);
        assert!(!Document::parse(&html).is_empty(), "{}", pill.name);
    });
}

#[test]
fn every_pill_is_worked_on_on_a_small_stack() {
    let json = r#"{"version":1,"fields":{"name":{"select":"p","many":true},"json":{"take":"jsonld:Product.name"}}}"#;
    let recipe = Recipe::from_json(json, "recipe.json").unwrap();
    on_small_threads(|pill| {
        let html = pill.text(100_000);
        let page = Document::parse(&html);
        let _ = (recipe.apply(&page, None), structured_data(&page));
        assert!(!structural_diff(&page, &Document::parse("<p>x")).is_empty() || page.len() < 5, "{}", pill.name);
    });
}

#[test]
fn a_tag_keeps_the_first_of_very_many_attributes() {
    let others: Vec<String> = (1..200_000).map(|number| format!("a{number}")).collect();
    let html = format!("<p a0=x A0=y {}><b>c</b>", others.join(" "));
    let page = Document::parse(&html);
    let paragraph = page.select(&Selector::parse("p").unwrap())[0];
    assert_eq!(page.attribute(paragraph, "a0"), Some("x"));
    // The second `a0` counts.
    assert_eq!(page.attribute(paragraph, "a254"), Some(""));
    assert_eq!(page.attribute(paragraph, "a255"), None);
    assert_eq!(page.text(paragraph), "c");
}

#[test]
fn the_rest_of_a_page_with_a_crowded_tag_is_what_it_was() {
    let rest = "<title>a &amp; b</title><h1 class=\"x&lt;y\" id='z' hidden>c &euro; d</h1><!-- e -->\r\n<script>if (a < b) '<i>'</script>\
        <style>p > b {}</style><textarea>\nf</textarea><svg viewBox='0 0 1 1'><title>g</title></svg><p>h\u{0}i<table><td>j</table>\
        <a href=/k?l=1&m=2 HREF=n>o</a><input disabled/><math><mi>p</mi></math><noscript><b>q</b></noscript><![CDATA[r]]></s t>u";
    let crowded = format!("{rest}<i {}></i>", "a ".repeat(300));
    let (plain, crowded) = (Document::parse(&format!("{rest}<i a></i>")), Document::parse(&crowded));
    assert_eq!(plain.len(), crowded.len());
    for (one, other) in plain.nodes().zip(crowded.nodes()) {
        assert_eq!(plain.tag(one), crowded.tag(other));
        assert_eq!(plain.own_text(one).replace('\u{fffd}', ""), crowded.own_text(other).replace('\u{fffd}', ""));
        let attributes = |page: &Document, node| {
            let mut pairs: Vec<_> =
                page.attributes(node).map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
            pairs.sort();
            pairs
        };
        assert_eq!(attributes(&plain, one), attributes(&crowded, other));
    }
}

#[test]
fn selectors_are_as_long_as_a_recipe_may_hold() {
    let longest = format!("p{}", " ".repeat(3_999));
    assert!(Selector::parse(&longest).is_ok());
    let too_long = longest + " ";
    assert_eq!(Selector::parse(&too_long), Err(SelectorError::TooLong { bytes: 4_001 }));
    let json = json!({"version": 1, "fields": {"a": {"select": too_long}}}).to_string();
    let error = Recipe::from_json(&json, "recipe.json").unwrap_err().to_string();
    assert!(error.contains("a selector of 4001 bytes is longer than 4000"), "{error}");
}

/// The only way to the wanted node on this page is by its place, which takes more than a selector may have.
#[test]
fn a_selector_that_no_recipe_may_hold_is_not_proposed() {
    let page = Document::parse(&"<dl><dt>a<dd>".repeat(170));
    let nodes: Vec<_> = page.nodes().collect();
    for node in nodes {
        for selector in robust_selectors(&[(&page, &[node])]) {
            assert!(selector.source().len() <= 4_000, "{} bytes", selector.source().len());
        }
    }
}

#[test]
fn patterns_in_selectors_take_bounded_memory() {
    let selector = |pattern: &str| Selector::parse(&format!("xpath://p[re:test(., '{pattern}', 'i')]"));
    assert!(selector(r"^\w{1,9}$").is_ok());
    let error = selector(r"\w{60}").unwrap_err().to_string();
    assert!(error.contains("too much memory"), "{error}");
}
