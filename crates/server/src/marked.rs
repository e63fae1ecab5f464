//! A stored page, displayed to the user: the elements that a recipe extracts are marked; scripts do not run and nothing is loaded.

use std::collections::BTreeMap;

use autoheal_page::document::{Document, NodeId};
use autoheal_page::recipe::Recipe;
use url::Url;

/// Attribute that names the field that an element provides.
const FIELD: &str = "data-autoheal-field";

/// Style sheet for marked elements. The page's own styles are removed, because they would have to be loaded.
pub(crate) const STYLE: &str = "
body{font:14px/1.5 system-ui,sans-serif;margin:12px;color:#1c2430;background:#fff;overflow-wrap:anywhere}
table{border-collapse:collapse}td,th{border:1px solid #d5dae1;padding:2px 6px}
[data-autoheal-field]{outline:2px solid #0b7a4b;outline-offset:2px;background:#e3f6ec}
[data-autoheal-field]::before{content:attr(data-autoheal-field);font:600 11px/1 system-ui,sans-serif;color:#fff;background:#0b7a4b;padding:2px 4px;margin-right:4px;border-radius:3px}
";

/// Elements allowed in a page, in addition to those allowed in a comment on a page.
const PARTS: [&str; 9] = ["main", "section", "address", "time", "label", "fieldset", "legend", "output", "button"];

/// Maximum number of characters displayed of an element that the page itself hides.
const MOST_UNSEEN: usize = 200;

/// The page as safe HTML.
pub(crate) fn marked(page: &Document, recipe: Option<&Recipe>, url: Option<&Url>) -> String {
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
    let marked = page.with_attribute(FIELD, &fields);
    let mut sanitiser = ammonia::Builder::default();
    sanitiser.add_tags(PARTS).add_generic_attributes([FIELD]).rm_tags(["img", "a"]).link_rel(None).strip_comments(true);
    let shown = sanitiser.clean(&marked.to_html()).to_string();
    // Titles and machine-readable data are invisible to readers.
    let unseen = fields.iter().filter(|(_, names)| !shown.contains(&attribute(names)));
    let unseen: String = unseen.map(|(node, names)| unseen_line(page, *node, names)).collect();
    format!("<!doctype html><meta charset=utf-8><style>{STYLE}</style>{unseen}{shown}")
}

/// As a sanitised element has it.
fn attribute(names: &str) -> String {
    format!("{FIELD}=\"{names}\"")
}

/// A field that comes from an element which is not shown.
fn unseen_line(page: &Document, node: NodeId, names: &str) -> String {
    let (tag, text) = (page.tag(node), page.text(node));
    let text: String = text.trim().chars().take(MOST_UNSEEN).collect();
    let (attribute, tag, text) = (attribute(names), ammonia::clean_text(tag), ammonia::clean_text(&text));
    format!("<p {attribute}>{text} <small>from an element that the page does not show: {tag}</small></p>")
}

#[cfg(test)]
mod tests {
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
        let html = marked(&page, Some(&recipe), None);
        assert!(html.contains("<p data-autoheal-field=\"headline\">Chairs&#32;&lt;b&gt;"), "{html}");
        assert!(html.contains("<section data-autoheal-field=\"whole\"><h1"), "{html}");
        assert!(html.contains("<h1 data-autoheal-field=\"name\">A chair</h1>"), "{html}");
        let body = html.split_once("</style>").unwrap().1;
        for forbidden in ["<script", "evil", "alert", "<img", "<a", "<iframe", "<form", "<meta", "onload", "javascript"]
        {
            assert!(!body.contains(forbidden), "{forbidden}: {body}");
        }
    }
}
