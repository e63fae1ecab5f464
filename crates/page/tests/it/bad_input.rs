//! Pages as the world sends them.

use autoheal_page::{Document, Selector};

#[test]
fn deep_nesting_is_parsed_without_recursion() {
    let html = format!("{}core{}", "<div>".repeat(20_000), "</div>".repeat(20_000));
    let page = Document::parse(&html);
    // As deep as browsers nest, and what is beyond stands there.
    let deepest = page.nodes().max_by_key(|&node| page.depth(node)).unwrap();
    assert!((500..=512).contains(&page.depth(deepest)), "{}", page.depth(deepest));
    assert_eq!(page.text(page.parent(deepest).unwrap()), "core");
    assert_eq!(page.len(), 20_003);
    for selector in ["div div > div", "xpath://div//div[not(div)]"] {
        assert!(page.select(&Selector::parse(selector).unwrap()).contains(&deepest));
    }
}

#[test]
fn a_page_of_many_elements_is_parsed() {
    let page = Document::parse(&"<p>a <b>b</b>".repeat(100_000));
    assert_eq!(page.select(&Selector::parse("p > b").unwrap()).len(), 100_000);
    assert_eq!(page.select(&Selector::parse("xpath://p[b='b']").unwrap()).len(), 100_000);
}

#[test]
fn what_is_cut_or_binary_is_a_page() {
    let whole = "<html><body><div class='a'><p>One</p><p>Two";
    for end in 0..whole.len() {
        let page = Document::parse_bytes(&whole.as_bytes()[..end]);
        assert!(page.nodes().all(|node| page.close(node) <= page.len()));
    }
    let noise: Vec<u8> = (0..50_000_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    assert!(!Document::parse_bytes(&noise).is_empty());
}
