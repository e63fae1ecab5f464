//! Recipes, selectors and diffs on pathological pages.

use autoheal_page::apply::Miss;
use autoheal_page::diff::structural_diff;
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

/// Returns the reason why the title is missing.
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
    drop(page);
}

/// A page of about 250 kB; `{}` is a number.
fn page_of(unit: &str) -> String {
    (0..250_000 / unit.len()).map(|number| unit.replace("{}", &number.to_string())).collect()
}

/// Asserts that the page nests about as deep as in browsers at most.
fn assert_shallow(units: &[&str]) {
    for unit in units {
        let html = page_of(unit);
        let page = Document::parse(&html);
        let depth = page.nodes().map(|node| page.depth(node)).max().unwrap();
        assert!(depth <= 600, "{unit}: {depth}");
    }
}

#[test]
fn blocks_without_end_take_time_by_their_number() {
    assert_shallow(&["<div>", "<p>", "<li>", "<ul><li>", "<button>"]);
}

#[test]
fn formatting_without_end_takes_time_by_its_number() {
    assert_shallow(&["<b>", "<a>", "<font>", "<font color={}>", "<nobr>"]);
}

#[test]
fn other_tags_without_end_take_time_by_their_number() {
    assert_shallow(&["<table>", "<table><td>", "<svg>", "<math><mi>", "<select>", "<template>", "<html a{}>"]);
}

#[test]
fn unclosed_formatting_is_not_copied_without_end() {
    let many_fonts = (0..400).map(|number| format!("<font color={number}>")).collect::<Vec<_>>().concat();
    for html in [
        page_of("<b><p>"),
        page_of("<a><div>"),
        page_of("<p><b x={}></p>"),
        page_of("<b><div></b>"),
        page_of("<table><b>"),
        format!("<p>{many_fonts}</p>{}", page_of("<p>a</p>")),
        format!("{}{}", "<div>".repeat(400), page_of("<b><div>a</b>")),
    ] {
        let page = Document::parse(&html);
        assert!(page.len() < 250_000, "{}: {}", &html[..40], page.len());
    }
}

#[test]
fn what_follows_a_deep_part_stands_where_it_belongs() {
    for (start, end) in [("<div>", "</div>"), ("<ul><li>", "</ul>"), ("<span>a", "</span>"), ("<ul><li>", "</li></ul>")]
    {
        let html =
            format!("<section>{}{}</section><main><p class=last>x</p></main>", start.repeat(3000), end.repeat(3000));
        let page = Document::parse(&html);
        let last = page.select(&Selector::parse("body > main > .last").unwrap());
        assert_eq!(last.len(), 1, "{start}");
        assert_eq!(page.text(last[0]), "x");
    }
}

#[test]
fn a_long_list_is_counted_once() {
    let page = Document::parse(&"<li class=x>a".repeat(200_000));
    for (selector, count) in [
        ("li:nth-child(2)", 1),
        ("li:nth-last-child(2)", 1),
        ("li:nth-of-type(2)", 1),
        ("li:nth-last-of-type(2)", 1),
        ("li:last-of-type", 1),
        ("li + li", 199_999),
        ("li ~ li", 199_999),
    ] {
        assert_eq!(page.try_select(&Selector::parse(selector).unwrap()).unwrap().len(), count, "{selector}");
    }
}

/// Each selector is refused, and a recipe says so.
fn assert_refused(html: &str, selectors: &[&str]) {
    let page = Document::parse(html);
    for text in selectors {
        let refused = page.try_select(&Selector::parse(text).unwrap());
        assert!(matches!(&refused, Err(error) if error.selector == *text), "{text} was not refused");
    }
    let json = serde_json::json!({"version": 1, "fields": {"name": {"select": selectors[0]}}}).to_string();
    let misses =
        Recipe::from_json(&json, "recipe.json").unwrap().apply(&page, None).records[0].fields[0].1.misses.clone();
    assert!(matches!(&misses[..], [Miss::TooMuchWork(error)] if error.selector == selectors[0]), "{misses:?}");
}

#[test]
fn selectors_that_look_at_all_siblings_of_each_are_refused() {
    assert_refused(&"<li class=x><b>a</b></li>".repeat(10_000), &[".never ~ *", ":has(~ .never)"]);
}

#[test]
fn selectors_that_look_at_the_whole_way_of_each_are_refused() {
    let html = format!("{}{}", "<div>".repeat(480), "<i>x</i>".repeat(80_000));
    assert_refused(&html, &[".never i", ":contains(\"y\")"]);
}

#[test]
fn selectors_that_read_a_long_name_again_and_again_are_refused() {
    let class = "c ".repeat(100_000);
    assert_refused(&format!("<p class='{class}'>{}", "<i>x</i>".repeat(20_000)), &[".never > i"]);
}

#[test]
fn paths_that_look_at_whole_axes_of_each_are_refused() {
    let html = "<li class=x><b>a</b></li>".repeat(10_000);
    assert_refused(&html, &["xpath://li[preceding-sibling::p]", "xpath://li[following::p]"]);
}

#[test]
fn a_list_of_nothing_is_a_failure() {
    let json = r#"{"version":1,"items":{"select":"li"},"fields":{"name":{"select":"b"}}}"#;
    let recipe = Recipe::from_json(json, "list.json").unwrap();
    let extraction = recipe.apply(&Document::parse("<p>No results"), None);
    assert!(extraction.records.is_empty() && !extraction.is_complete(&recipe));
}
