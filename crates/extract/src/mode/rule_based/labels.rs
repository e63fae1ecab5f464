//! Values next to a label: `dt` and `dd`, two cells of a row, `Label: value`.

use autoheal_page::Document;

/// Returns the value next to the first label that equals one of these words in lower case.
pub(super) fn value(page: &Document, words: &[&str]) -> Option<String> {
    let is_label = |text: &str| {
        let text = text.trim().trim_end_matches(':').trim().to_lowercase();
        words.contains(&text.as_str())
    };
    page.nodes().find_map(|node| {
        let text = match page.tag(node) {
            "dt" | "th" | "td" | "strong" | "b" | "span" | "label" | "div" | "h3" | "h4" => page.visible_text(node),
            _ => return None,
        };
        // Long texts are not labels; boxes hold the label and its value.
        if text.len() > 40 || !is_label(text) {
            return None;
        }
        let sibling = page.next_sibling(node).map(|next| page.visible_text(next).to_owned());
        let after = sibling.filter(|text| !text.is_empty()).unwrap_or_else(|| page.text_after(node).to_owned());
        let after = after.trim().trim_start_matches(':').trim().to_owned();
        (!after.is_empty() && after.chars().count() <= 200).then_some(after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_beside_their_labels() {
        for html in [
            "<dl><dt>Brand:</dt><dd>Acme</dd></dl>",
            "<table><tr><th>Brand<td>Acme</table>",
            "<p><b>Brand:</b> Acme</p>",
            "<div><span>Brand</span><span>Acme</span></div>",
        ] {
            assert_eq!(value(&Document::parse(html), &["brand"]).as_deref(), Some("Acme"), "{html}");
        }
        assert_eq!(value(&Document::parse("<p>Our brand is Acme"), &["brand"]), None);
    }
}
