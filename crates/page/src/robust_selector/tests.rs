use proptest::prelude::*;

use super::*;

fn nodes(page: &Document, selector: &str) -> Vec<NodeId> {
    page.select(&Selector::parse(selector).unwrap())
}

/// The best selector for what another selects.
fn best(html: &str, selector: &str) -> String {
    let page = Document::parse(html);
    let wanted = nodes(&page, selector);
    assert!(!wanted.is_empty());
    robust_selector(&[(&page, &wanted)]).map_or_else(|| "none".to_owned(), |selector| selector.to_string())
}

#[test]
fn what_is_made_to_be_found_comes_first() {
    for (html, selector, expected) in [
        ("<h1 class='css-1x2y3z title' id=headline>a</h1>", "h1", "#headline"),
        ("<h1 class='css-1x2y3z title' id=post-12345>a</h1>", "h1", ".title"),
        ("<p>x<p class='gdDZBe' itemprop=price>a", "[itemprop]", "[itemprop=\"price\"]"),
        ("<div data-testid=price-box class=a>x</div><div class=a>", "div:first-child", "[data-testid=\"price-box\"]"),
        ("<h1 class=gdDZBe>a</h1><p>b", "h1", "h1"),
        ("<div><time>a</time></div>", "time", "time"),
        ("<div class=story><p>a</p></div><p>b", ".story p", ".story p"),
        ("<p class='title x'>a<p class='title y'>b", ".x", ".x"),
    ] {
        assert_eq!(best(html, selector), expected, "{html}");
    }
}

#[test]
fn lists_are_taken_whole() {
    let html = "<nav><ul><li>n</ul></nav><ul class=ingredients><li>a<li>b<li>c</ul><ul class=steps><li>d</ul>";
    assert_eq!(best(html, ".ingredients li"), ".ingredients li");
    let html = "<div class=body><p>a<p>b<p class=advertisement>x<p>c</div><p>y";
    assert_eq!(best(html, ".body p:not(.advertisement)"), ".body p:not(.advertisement)");
    let html = "<table class=facts><tr><th>h<td>a<tr><th>h<td>b</table><table><tr><td>c</table>";
    assert_eq!(best(html, ".facts td"), ".facts td");
}

#[test]
fn what_does_not_belong_is_taken_away() {
    let html = "<div class=body><p>a<p>b<aside class=promo><p>x</aside><p>c<p class=ad>y</div><p>z";
    assert_eq!(best(html, ".body p:not(.promo p):not(.ad)"), ".body > p:not(.ad)");
    let html = "<div class=body><section><p>a</section><section><p>b<div class=promo><section><p>x</section></div><p class=ad>y</section></div><p>z";
    assert_eq!(best(html, ".body p:not(.promo p):not(.ad)"), ".body p:not(.ad):not(.promo *)");
}

#[test]
fn a_list_of_several_kinds_is_a_union() {
    let html = "<h3>n</h3><div class=body><h3>a</h3><p>b</p><h3>c</h3><p>d</p><i>x</i><b>y</b></div><p>z</p>";
    assert_eq!(best(html, ".body h3, .body p"), ".body h3, .body p");
}

#[test]
fn a_list_without_names_is_ranges() {
    let html = "<div><p>a</p><p>b</p><p>c</p><p>d</p></div><div><p>e</p></div><div><p>f</p><p>g</p></div>";
    let wanted = "div:first-child > p:nth-child(2), div:first-child > p:nth-child(3), div:nth-child(3) > p:first-child";
    let expected =
        "body > div:nth-child(1) > p:nth-child(n+2):nth-child(-n+3), body > div:nth-child(3) > p:nth-child(1)";
    assert_eq!(best(html, wanted), expected);
}

#[test]
fn position_is_the_last_resort() {
    assert_eq!(best("<div><p>a</p><p>b</p></div>", "p:nth-child(2)"), "body > div:nth-child(1) > p:nth-child(2)");
    assert_eq!(best("<div id=main><p>a</p><p>b</p></div>", "p:nth-child(2)"), "#main > p:nth-child(2)");
}

#[test]
fn every_page_counts() {
    let first = Document::parse("<h1 class='title a'>x</h1><p class=title>");
    let second = Document::parse("<h1 class='title b'>y</h1><h1>z</h1>");
    let (one, two) = (nodes(&first, "h1"), nodes(&second, "h1.b"));
    assert_eq!(robust_selector(&[(&first, &one), (&second, &two)]).unwrap().source(), "h1.title");
    let without = Document::parse("<h1 class=title>nothing is wanted here</h1>");
    let selectors = robust_selectors(&[(&first, &one), (&without, &[])]);
    assert_eq!(selectors.first().map(Selector::source), Some(".a"));
    assert!(robust_selectors(&[(&first, &[])]).is_empty());
}

#[test]
fn great_and_deep_pages_take_a_moment_only() {
    let wide = Document::parse(&"<div class='a b c d'><p class=x>y</p></div>".repeat(50_000));
    let one = [NodeId(777)];
    assert_eq!(robust_selector(&[(&wide, &one)]), None, "one of 50,000 alike has no selector worth the name");
    let deep = Document::parse(&"<div class=a>".repeat(3_000));
    let last = deep.nodes().next_back().unwrap();
    let _ = robust_selectors(&[(&deep, &[last])]);
}

fn any_page() -> impl Strategy<Value = String> {
    let tag = prop_oneof![Just("div"), Just("p"), Just("li"), Just("h2"), Just("span"), Just("ul")];
    let attributes = "( class='[abc]( [a-d:/]){0,2}')?( id=[xy][0-9]?)?( data-k=[mn])?";
    let piece = (tag, attributes, any::<bool>()).prop_map(|(tag, attributes, close)| {
        format!("<{tag}{attributes}>t{}", if close { format!("</{tag}>") } else { String::new() })
    });
    proptest::collection::vec(piece, 1..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn exactly_the_wanted_nodes_are_selected(html in any_page(), choice in any::<prop::sample::Selector>()) {
        let page = Document::parse(&html);
        let all: Vec<NodeId> = page.descendants(page.body()).collect();
        let node = choice.select(all);
        let selectors = robust_selectors(&[(&page, &[node])]);
        prop_assert!(!selectors.is_empty(), "a single node can always be selected");
        for selector in &selectors {
            prop_assert_eq!(page.select(selector), vec![node], "{}", selector);
            let again = Selector::parse(selector.source()).unwrap();
            prop_assert_eq!(page.select(&again), vec![node]);
        }
    }

    #[test]
    fn lists_are_exact_or_refused(html in any_page(), choices in proptest::collection::vec(any::<prop::sample::Index>(), 2..5)) {
        let page = Document::parse(&html);
        let all: Vec<NodeId> = page.descendants(page.body()).collect();
        let mut wanted: Vec<NodeId> = choices.iter().map(|choice| all[choice.index(all.len())]).collect();
        wanted.sort_unstable();
        wanted.dedup();
        for selector in robust_selectors(&[(&page, &wanted)]) {
            prop_assert_eq!(page.select(&selector), wanted.clone(), "{}", selector);
        }
    }
}
