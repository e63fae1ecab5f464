//! A stored page, displayed to the user: the elements that a recipe extracts are marked; scripts do not run and nothing is loaded.

use std::collections::BTreeMap;

use autoheal_page::document::{Document, NodeId};
use autoheal_page::recipe::Recipe;
use serde::{Deserialize, Serialize};
use url::Url;

/// Attribute that names the field that an element provides.
const FIELD: &str = "data-autoheal-field";

/// Attribute with the number of an element: its place in document order, from 0.
const NUMBER: &str = "data-autoheal-element";

/// Display of the numbers of elements, by which the user points at them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Numbers {
    /// Every element has its number.
    Shown,
    /// No element has a number.
    Hidden,
}

/// Style sheet for marked elements. The page's own styles are removed, because they would have to be loaded.
pub(crate) const STYLE: &str = "
body{font:14px/1.5 system-ui,sans-serif;margin:12px;color:#1c2430;background:#fff;overflow-wrap:anywhere}
table{border-collapse:collapse}td,th{border:1px solid #d5dae1;padding:2px 6px}
[data-autoheal-field]{outline:2px solid #0b7a4b;outline-offset:2px;background:#e3f6ec}
[data-autoheal-field]::before{content:attr(data-autoheal-field);font:600 11px/1 system-ui,sans-serif;color:#fff;background:#0b7a4b;padding:2px 4px;margin-right:4px;border-radius:3px}
[data-autoheal-element]{cursor:pointer}
[data-autoheal-element]:hover:not(:has(:hover)){outline:2px dashed #46566b;outline-offset:1px}
";

/// Elements allowed in a page, in addition to those allowed in a comment on a page.
const PARTS: [&str; 9] = ["main", "section", "address", "time", "label", "fieldset", "legend", "output", "button"];

/// Maximum number of characters displayed of an element that the page itself hides.
const MOST_UNSEEN: usize = 200;

/// The page as safe HTML.
pub(crate) fn marked(page: &Document, recipe: Option<&Recipe>, url: Option<&Url>, numbers: Numbers) -> String {
    let mut fields: BTreeMap<NodeId, Vec<String>> = BTreeMap::new();
    for record in recipe.iter().flat_map(|recipe| recipe.apply(page, url).records) {
        for (name, outcome) in &record.fields {
            for value in &outcome.values {
                let names = fields.entry(value.origin.node()).or_default();
                if !names.iter().any(|other| other == name.as_str()) {
                    names.push(name.to_string());
                }
            }
        }
    }
    let fields: Vec<_> = fields.into_iter().map(|(node, names)| (node, names.join(", "))).collect();
    let mut marked = page.with_attribute(FIELD, &fields);
    let mut sanitiser = ammonia::Builder::default();
    sanitiser.add_tags(PARTS).add_generic_attributes([FIELD]).link_rel(None).strip_comments(true);
    // Links and images lead out of the page; where they can be pointed at, they remain without what they lead to.
    if numbers == Numbers::Shown {
        let numbered: Vec<_> = page.nodes().map(|node| (node, node.index().to_string())).collect();
        marked = marked.with_attribute(NUMBER, &numbered);
        sanitiser.add_generic_attributes([NUMBER]);
        sanitiser.rm_tag_attributes("a", ["href", "hreflang"]).rm_tag_attributes("img", ["src"]);
    } else {
        sanitiser.rm_tags(["img", "a"]);
    }
    let shown = sanitiser.clean(&marked.to_html()).to_string();
    // Titles and machine-readable data are invisible to readers.
    let unseen = fields.iter().filter(|(_, names)| !shown.contains(&attribute(names)));
    let unseen: String = unseen.map(|(node, names)| unseen_line(page, *node, names, numbers)).collect();
    format!("<!doctype html><meta charset=utf-8><style>{STYLE}</style>{unseen}{shown}")
}

/// As a sanitised element has it.
fn attribute(names: &str) -> String {
    format!("{FIELD}=\"{names}\"")
}

/// A field that comes from an element which is not shown.
fn unseen_line(page: &Document, node: NodeId, names: &str, numbers: Numbers) -> String {
    let (tag, text) = (page.tag(node), page.text(node));
    let text: String = text.trim().chars().take(MOST_UNSEEN).collect();
    let (attribute, tag, text) = (attribute(names), ammonia::clean_text(tag), ammonia::clean_text(&text));
    let number = match numbers {
        Numbers::Shown => format!(" {NUMBER}=\"{}\"", node.index()),
        Numbers::Hidden => String::new(),
    };
    format!("<p {attribute}{number}>{text} <small>from an element that the page does not show: {tag}</small></p>")
}

#[cfg(test)]
mod tests {
    use autoheal_page::Selector;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_recipe_takes_is_marked_and_nothing_runs_or_loads() {
        let page = Document::parse(
            "<html><head><title>Chairs &lt;b&gt; &amp; more</title></head><body onload=alert(1)><script>alert(2)</script><section onclick=alert(6)><h1 class=t style='background:url(//evil)'>A chair</h1></section>
             <img src=//evil/x.png onerror=alert(3)><a href='javascript:alert(4)'>here</a><iframe src=//evil></iframe>
             <form action=//evil><input name=p></form><meta http-equiv=refresh content='0;//evil'>
             <p data-autoheal-field='<script>'>a page may say so itself</p><svg onload=alert(5)></svg></body></html>",
        );
        let recipe = json!({ "version": 1, "fields": { "name": { "select": "h1" }, "headline": { "select": "title" }, "whole": { "select": "section" } } });
        let recipe: Recipe = serde_json::from_value(recipe).unwrap();
        let html = marked(&page, Some(&recipe), None, Numbers::Hidden);
        assert!(html.contains("<p data-autoheal-field=\"headline\">Chairs&#32;&lt;b&gt;"), "{html}");
        assert!(html.contains("<section data-autoheal-field=\"whole\"><h1"), "{html}");
        assert!(html.contains("<h1 data-autoheal-field=\"name\">A chair</h1>"), "{html}");
        let body = html.split_once("</style>").unwrap().1;
        for forbidden in ["<script", "evil", "alert", "<img", "<a", "<iframe", "<form", "<meta", "onload", "javascript"]
        {
            assert!(!body.contains(forbidden), "{forbidden}: {body}");
        }
    }

    #[test]
    fn elements_that_can_be_pointed_at_have_numbers_and_lead_nowhere() {
        let page = Document::parse(
            "<main data-autoheal-element=1><a href=//evil class=x>More</a><img src=//evil/x.png alt='A chair'><p onclick=alert(1)>12</p></main>",
        );
        let recipe: Recipe = serde_json::from_value(
            json!({ "version": 1, "fields": { "title": { "select": "title" }, "size": { "select": "p" } } }),
        )
        .unwrap();
        let html = marked(&page, Some(&recipe), None, Numbers::Shown);
        let number = |select: &str| page.select(&Selector::parse(select).unwrap())[0].index();
        for (select, element) in [("a", ">More</a>"), ("p", "data-autoheal-field=\"size\""), ("img", "alt=\"A chair\"")]
        {
            let tag = format!("<{select} ");
            let shown = html.split(&tag).nth(1).unwrap_or_else(|| panic!("{tag}: {html}"));
            assert!(shown.contains(&format!("{NUMBER}=\"{}\"", number(select))) && shown.contains(element), "{html}");
        }
        assert!(!html.contains(&format!("<main {NUMBER}=\"1\"")), "a page does not number itself: {html}");
        for forbidden in ["evil", "href", "src", "onclick"] {
            assert!(!html.contains(forbidden), "{forbidden}: {html}");
        }
    }
}
