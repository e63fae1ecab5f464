//! The elements of flat pages are those of documents.

use proptest::prelude::*;

use super::{FlatPage, View as _};
use crate::document::NodeId;
use crate::recipe::NodeTake;
use crate::{Document, Selector};

/// Returns whether the page was read; what was read is the same as in a document.
fn is_read(html: &str) -> bool {
    let Ok(flat) = FlatPage::parse(html) else { return false };
    let page = Document::parse(html);
    assert_eq!(outline(&flat), document_outline(&page), "{html:?}");
    for node in page.nodes() {
        assert_eq!(flat.take(node, &NodeTake::Text).unwrap(), page.text(node), "{} of {html:?}", page.tag(node));
        assert_eq!(flat.take(node, &NodeTake::OwnText).unwrap(), page.own_text(node), "{} of {html:?}", page.tag(node));
        for (below, expected) in [(false, page.text_children(node)), (true, page.text_descendants(node))] {
            let texts = flat.text_nodes(node, below);
            assert!(texts.is_none_or(|texts| texts == expected), "{} of {html:?}: {expected:?}", page.tag(node));
        }
        let is_foreign = flat.tree.elements[node.0].is_foreign;
        for (name, value) in page.attributes(node).filter(|_| !is_foreign) {
            let take = NodeTake::Attribute(name.to_owned());
            assert_eq!(flat.take(node, &take).as_deref(), Some(value), "{name} of {html:?}");
        }
    }
    true
}

fn outline(flat: &FlatPage<'_>) -> Vec<(String, usize)> {
    flat.tree.elements.iter().map(|element| (element.name.to_owned(), element.close.try_into().unwrap())).collect()
}

fn document_outline(page: &Document) -> Vec<(String, usize)> {
    page.nodes().map(|node| (page.tag(node).to_owned(), page.close(node))).collect()
}

#[test]
fn ordinary_pages_are_read() {
    for html in [
        "<!doctype html><html lang=en><head><title>a &amp; b</title><meta charset=utf-8><script>if (a < b) {}</script>\
         <noscript><link href=x></noscript></head>\n<body class='x y'><p>a<p>b<div>c</div></body></html>\n",
        "<ul><li>a<li>b<ul><li>c</ul><li>d</ul><dl><dt>a<dd>b<dt>c</dl>",
        "<!doctype html><p>x<table><caption>c</caption><tr><td>a<td><b>b</td><tr><th>c</table>y",
        "<table><colgroup><col><col></colgroup><thead><tr><th>a</thead><tbody><tr><td><table><tr><td>i</table></table>",
        "<select><option>a<option>b<optgroup label=c><option>d</select><form><input><button>x</button></form>",
        "<svg viewBox='0 0 1 1'><title>t</title><path d=x /><linearGradient><stop/></linearGradient></svg>x",
        "<p>a <b>b <i>c</i></b> caf&eacute; &notit; &#x80;\r\n<br>d<hr>e</p></p><!-- x --->f",
        "<div>a</span>b</div></body><!-- c --> \n<script>x</script>",
        "<html lang=a><head><noscript><img></noscript></head><body class=b><body id=c class=d><html lang=e id=f>x",
        "<svg><lineargradient/><image/><p>x</svg><a>1<a>2</a>",
        "<template><svg><path/></svg><select><option>a</select></template><p>x",
        "<template><div><tr>x</template><p>y<textarea>\n <b>&lt;</textarea><h1>a<h2>b</h2>",
        "<p>e<!-- -->\u{301} e&#x301; \u{200b}z\u{a0} <x-element a=\"&quot;'\" B='\"&amp;lt' a=2>q</x-element>",
    ] {
        assert!(is_read(html), "{html}");
    }
}

#[test]
fn pages_with_moved_elements_are_left_to_documents() {
    for html in [
        "<table><b>x</b><tr><td>y</table>",
        "<b>a<p>b</b>c</p>",
        "<p><b>a<p>b",
        "<a>1<p><a>2</a>",
        "<frameset><frame></frameset>",
        "<script>a</script",
        "<svg><foreignObject><p>x</svg>",
        "<table>x</table>",
    ] {
        assert!(!is_read(html), "{html}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn any_page_that_is_read_is_as_in_a_document(
        pieces in proptest::collection::vec(
            prop_oneof![
                6 => "</?(a|b|i|p|div|table|tbody|thead|caption|col|colgroup|tr|td|th|li|ul|dd|dt|dl|svg|math|mi|path|desc|select|option|optgroup|template|form|h1|h2|button|font|title|textarea|style|script|noscript|head|body|html|frameset|br|hr|input|img|meta|link|pre|nobr|main|span|object|ruby|rt|rtc|iframe|X|x-y|blockquote|A|P)( (class|id|type|x|A)=?['\"]?[a-c &;/]{0,4}['\"]?){0,3} ?/?>",
                2 => "[a-z &;#<>/!'\"=x-]{0,6}",
                1 => "&(amp|lt;|not|copy=|#65;?|#x4a|eacute)",
                1 => "<!(--)?[ a>!-]{0,4}(--)?!?>?",
                1 => "(<!\\[CDATA\\[|\\]\\]>|<!doctype html>|<!doctype html public x>|<!--|-->|\r\n?|\n|\t|<\\?|</|</>)",
                1 => "[ äé\u{301}\u{200b}\u{a0}𝒳]{1,3}",
            ],
            0..20,
        ),
    ) {
        is_read(&pieces.concat());
    }

    #[test]
    fn any_selector_finds_the_same(
        pieces in proptest::collection::vec("</?(p|b|ul|li|div|svg|a)( class=[abc]| id=x| href=y)?>|[xy ]{1,2}", 0..20),
        compounds in proptest::collection::vec(
            "(p|b|li|div|\\*|svg|a|:root)?(\\.[abc]|#x|\\[href\\]|\\[class=\"a\"\\]|:nth-child\\((2|odd|3n\\+1)\\)|:nth-last-of-type\\(2\\)|:first-child|:last-of-type|:only-child|:empty|:has\\(([>+~] )?(b|\\.a)\\)|:not\\((\\.b|li b)\\)|:is\\(p, \\.c\\)|:contains\\(\"x\"\\)){1,2}",
            1..4,
        ),
        combinator in "( | > | \\+ | ~ |, )",
    ) {
        let html = pieces.concat();
        let Ok(flat) = FlatPage::parse(&html) else { return Ok(()) };
        let selector = Selector::parse(&compounds.join(&combinator)).unwrap();
        let found = flat.select(&selector).unwrap();
        if !flat.is_void() {
            let expected: Vec<NodeId> = Document::parse(&html).select(&selector);
            prop_assert_eq!(found, expected, "{} on {:?}", selector, html);
        }
    }
}
