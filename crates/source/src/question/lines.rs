//! Lines of a page: one for each element that has its own text, as a prompt shows what is around a candidate.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use autoheal_page::{Document, NodeId};

use super::text::{one_line, quoted};

/// Levels of a page that are shown by indentation; deeper ones are not indented further.
const MOST_INDENT: usize = 8;

/// Maximum length of an element's name in a line, in characters.
const LONGEST_NAME: usize = 48;

/// Heading tags.
const HEADINGS: &[&str] = &["h1", "h2", "h3", "h4", "h5", "h6", "legend", "summary"];

/// A page as its lines.
pub(super) struct Lines<'p> {
    page: &'p Document,
    /// Elements that have their own visible text, in document order.
    nodes: Vec<NodeId>,
    headings: Vec<NodeId>,
    hidden: Vec<bool>,
    /// Hidden elements that nevertheless have text, the outermost ones.
    unseen: Vec<NodeId>,
}

impl<'p> Lines<'p> {
    pub(super) fn of(page: &'p Document) -> Self {
        let mut own: Vec<usize> = page.nodes().map(|node| page.letters(node)).collect();
        let mut hidden: Vec<bool> = Vec::with_capacity(page.len());
        for node in page.nodes() {
            let parent = page.parent(node).map(NodeId::index);
            if let Some(parent) = parent {
                own[parent] = own[parent].saturating_sub(page.letters(node));
            }
            hidden.push(is_hidden(page, node) || parent.is_some_and(|parent| hidden[parent]));
        }
        let has_line = |node: &NodeId| own[node.index()] > 0 && !page.is_skipped(*node) && !hidden[node.index()];
        let nodes: Vec<NodeId> = page.nodes().filter(has_line).collect();
        let is_heading =
            |node: &NodeId| HEADINGS.contains(&page.tag(*node)) && page.letters(*node) > 0 && !hidden[node.index()];
        let headings = page.nodes().filter(is_heading).collect();
        let is_outermost = |node: &NodeId| !page.parent(*node).is_some_and(|parent| hidden[parent.index()]);
        let is_unseen = |node: &NodeId| hidden[node.index()] && page.letters(*node) > 0 && is_outermost(node);
        let unseen = page.nodes().filter(is_unseen).collect();
        Self { page, nodes, headings, hidden, unseen }
    }

    /// Returns whether a reader does not see an element.
    pub(super) fn is_hidden(&self, node: NodeId) -> bool {
        self.hidden.get(node.index()).copied().unwrap_or(true)
    }

    /// The text right before an element, unless a reader does not see it.
    pub(super) fn label_before(&self, node: NodeId) -> &'p str {
        const ENDING: usize = 12;
        let label = self.page.text_before(node);
        let before = self.unseen.partition_point(|unseen| *unseen < node);
        let is_unseen = self.unseen[before.saturating_sub(3)..before].iter().any(|unseen| {
            let text = self.page.visible_text(*unseen);
            let end = text.char_indices().rev().nth(ENDING - 1).map_or(0, |(place, _)| place);
            text.contains(label) || label.contains(&text[end..])
        });
        if is_unseen { "" } else { label }
    }

    /// The text of the nearest heading before an element.
    pub(super) fn heading_before(&self, node: NodeId) -> &'p str {
        let place = self.headings.partition_point(|heading| *heading < node);
        place.checked_sub(1).map_or("", |place| self.page.visible_text(self.headings[place]))
    }

    /// The first element with this text.
    pub(super) fn with_text(&self, text: &str) -> Option<NodeId> {
        let is_it = |node: &&NodeId| !text.is_empty() && self.page.visible_text(**node) == text;
        self.nodes.iter().find(is_it).copied()
    }

    /// The lines around some elements, `each` before and after the beginning of each one. `marks` are the numbers of elements.
    pub(super) fn around(
        &self,
        places: &[NodeId],
        marks: &BTreeMap<NodeId, Vec<usize>>,
        each: usize,
        longest: usize,
    ) -> String {
        let mut shown: BTreeSet<NodeId> = BTreeSet::new();
        for place in places.iter().filter(|_| each > 0) {
            let at = self.nodes.partition_point(|node| node < place);
            shown.extend(&self.nodes[at.saturating_sub(each)..(at + each + 1).min(self.nodes.len())]);
            shown.insert(*place);
        }
        let outermost = shown.iter().map(|node| self.page.depth(*node)).min().unwrap_or(0);
        let mut text = String::new();
        let mut before: Option<NodeId> = None;
        for node in &shown {
            if before.is_some_and(|before| self.has_line_between(before, *node)) {
                text.push_str("...\n");
            }
            before = Some(*node);
            let numbers = marks.get(node).map(Vec::as_slice).unwrap_or_default();
            let indent = " ".repeat((self.page.depth(*node) - outermost).min(MOST_INDENT));
            for number in numbers {
                let _ = write!(text, "[{number}]");
            }
            let _ = writeln!(text, "{indent}{}", self.line(*node, longest));
        }
        text
    }

    fn line(&self, node: NodeId, longest: usize) -> String {
        let after = self.unseen.partition_point(|unseen| *unseen < node);
        let has_unseen = self.unseen.get(after).is_some_and(|unseen| self.page.contains(node, *unseen));
        let own = if has_unseen { Some(self.page.own_text(node)) } else { None };
        let text = own.as_deref().unwrap_or_else(|| self.page.visible_text(node));
        let name = name_of(self.page, node);
        if text.is_empty() { name } else { format!("{name} {}", quoted(text, longest)) }
    }

    fn has_line_between(&self, before: NodeId, after: NodeId) -> bool {
        let at = self.nodes.partition_point(|node| *node <= before);
        self.nodes.get(at).is_some_and(|node| *node < after)
    }
}

/// The tag, id and classes of an element, as a selector has them.
fn name_of(page: &Document, node: NodeId) -> String {
    let mut name = page.tag(node).to_owned();
    if let Some(id) = page.attribute(node, "id").filter(|id| !id.is_empty()) {
        let _ = write!(name, "#{id}");
    }
    for class in page.classes(node).take(4) {
        let _ = write!(name, ".{class}");
    }
    one_line(&name, LONGEST_NAME)
}

fn is_hidden(page: &Document, node: NodeId) -> bool {
    let style = page.attribute(node, "style").unwrap_or_default();
    let bare = || style.chars().filter(|character| !character.is_whitespace()).collect::<String>().to_ascii_lowercase();
    let is_styled_away = style.contains(':') && {
        let style = bare();
        ["display:none", "visibility:hidden", "opacity:0;", "font-size:0"].iter().any(|hiding| style.contains(hiding))
            || style.ends_with("opacity:0")
    };
    page.attribute(node, "hidden").is_some() || is_styled_away
}

/// Attributes that say something of an element besides those that begin with `data-`.
const TELLING: &[&str] = &[
    "id",
    "class",
    "itemprop",
    "property",
    "name",
    "rel",
    "role",
    "datetime",
    "content",
    "aria-label",
    "title",
    "href",
];

/// The opening tag of an element, with `most` attributes that say something; `also` is one of them.
pub(super) fn opening_tag(page: &Document, node: NodeId, also: Option<&str>, most: usize) -> String {
    const LONGEST: usize = 40;
    let tells = |name: &str| TELLING.contains(&name) || name.starts_with("data-") || also == Some(name);
    let mut told: Vec<(usize, &str, &str)> = page
        .attributes(node)
        .filter(|(name, value)| tells(name) && !value.is_empty())
        .map(|(name, value)| (TELLING.iter().position(|known| *known == name).unwrap_or(2), name, value))
        .collect();
    told.sort_by_key(|(place, name, _)| (*place, *name));
    let mut tag = format!("<{}", page.tag(node));
    for (_, name, value) in told.into_iter().take(most) {
        let _ = write!(tag, " {}={}", one_line(name, LONGEST), quoted(value, LONGEST));
    }
    tag.push('>');
    tag
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_around_an_element_are_marked_and_hidden_ones_are_left_out() {
        let page = Document::parse(
            "<h1 id=t>A chair</h1><p>1<p>2<p style='display: none'>Choose 7<div class='x y'><i>15</i> <b>17</b></div><p>3<p>4<p>5",
        );
        let lines = Lines::of(&page);
        let price = page.nodes().find(|node| page.tag(*node) == "i").unwrap();
        let marks = BTreeMap::from([(price, vec![1, 4])]);
        let text = lines.around(&[price], &marks, 2, 20);
        let told: Vec<&str> = text.lines().map(str::trim).collect();
        assert_eq!(told, ["p \"1\"", "p \"2\"", "[1][4] i \"15\"", "b \"17\"", "p \"3\""]);
        assert_eq!(lines.around(&[price], &marks, 0, 20), "");
        assert_eq!(lines.heading_before(price), "A chair");
        let gap = lines.around(&[price, page.nodes().last().unwrap()], &BTreeMap::new(), 1, 20);
        assert!(gap.contains("\n...\n"), "{gap}");
    }

    #[test]
    fn an_opening_tag_has_what_tells_something() {
        let page = Document::parse("<img onclick=x data-b=2 class=c id=i src=/a.png width=3>");
        let node = page.nodes().find(|node| page.tag(*node) == "img").unwrap();
        assert_eq!(opening_tag(&page, node, Some("src"), 9), "<img id=\"i\" class=\"c\" data-b=\"2\" src=\"/a.png\">");
    }
}
