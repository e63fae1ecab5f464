//! Passages of a page: its text, in pieces.

use autoheal_page::{Document, NodeId};

use super::table::Table;
use super::terms::Terms;
use super::{is_bar, shortened};

/// No more is read of one page.
const MOST: usize = 20_000;

/// Longer headings are cut, in characters.
const LONGEST_HEADING: usize = 200;

/// Kind of a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PassageKind {
    /// A row of a table.
    Row,
    /// Part of the description of a term.
    Entry,
    /// A paragraph, an item of a list, a program text.
    Text,
}

/// A piece of a page that can be an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Kind of the passage.
    pub kind: PassageKind,
    /// Text in readable form: with the caption and the header cells of a row, with the term of an entry.
    pub text: String,
    /// Texts that may name its topic: the cells of a row, the term of an entry; none for other text.
    pub keys: Vec<String>,
    /// Text of the passage itself.
    pub own: String,
    /// Texts that apply to the passage: caption, header cells, the group of rows, headings above it.
    pub above: Vec<String>,
    /// The paragraph right before its table, which often describes the table.
    pub before: String,
}

/// Content that was read from a page.
pub(super) struct Content {
    pub(super) passages: Vec<Passage>,
    pub(super) tables: Vec<String>,
    pub(super) text: String,
}

/// Returns the contents of a page, without the parts that only link elsewhere.
pub(super) fn content(page: &Document, terms: &Terms) -> Content {
    let mut content = Content { passages: Vec::new(), tables: Vec::new(), text: String::new() };
    let mut headings: Vec<(u8, String)> = Vec::new();
    let mut before = String::new();
    let mut next = 0;
    for node in page.nodes() {
        if node.index() < next || content.passages.len() >= MOST {
            continue;
        }
        if page.is_skipped(node) || is_bar(page, node) {
            next = page.close(node);
            continue;
        }
        if let Some(level) = level(page.tag(node)) {
            headings.retain(|(above, _)| *above < level);
            let text = shortened(page.visible_text(node), LONGEST_HEADING);
            if !text.is_empty() {
                headings.push((level, text.to_owned()));
                add_line(&mut content.text, text, "\n\n");
            }
            next = page.close(node);
            continue;
        }
        let above = || headings.iter().map(|(_, text)| text.clone()).collect::<Vec<_>>();
        if page.tag(node) == "table" {
            if let Some(table) = Table::read(page, node) {
                let around = Around { headings: above(), term: term_around(page, terms, node), before: before.clone() };
                content.passages.extend(rows(&table, &around));
                let text = table.text();
                add_line(&mut content.text, &text, "\n\n");
                content.tables.push(text);
                next = page.close(node);
            }
            continue;
        }
        let Some(text) = block_text(page, node) else { continue };
        if is_caption(page, node) {
            continue;
        }
        let term = term_around(page, terms, node);
        let passage = of_block(text, term, above());
        let is_item = page.tag(node) == "li";
        add_line(&mut content.text, &passage.text, if is_item { "\n- " } else { "\n\n" });
        text.clone_into(&mut before);
        content.passages.push(passage);
    }
    content
}

/// Texts that apply to every row of a table.
struct Around {
    headings: Vec<String>,
    term: String,
    before: String,
}

fn rows<'a>(table: &'a Table, around: &'a Around) -> impl Iterator<Item = Passage> + 'a {
    table.rows.iter().map(move |row| {
        let mut text = String::new();
        for line in [&table.caption, &row.group, &table.shown(row)] {
            if !line.is_empty() {
                add_line(&mut text, line, "\n");
            }
        }
        let mut above = around.headings.clone();
        above.push(around.term.clone());
        above.push(table.caption.clone());
        above.push(row.group.clone());
        above.extend(table.header.iter().cloned());
        above.retain(|text| !text.is_empty());
        Passage {
            kind: PassageKind::Row,
            text,
            keys: row.keys.clone(),
            own: row.cells.join(" | "),
            above,
            before: around.before.clone(),
        }
    })
}

fn of_block(text: &str, term: String, mut above: Vec<String>) -> Passage {
    if term.is_empty() {
        let text = text.to_owned();
        return Passage {
            kind: PassageKind::Text,
            own: text.clone(),
            text,
            keys: Vec::new(),
            above,
            before: String::new(),
        };
    }
    above.push(term.clone());
    let shown = format!("{term}: {text}");
    Passage {
        kind: PassageKind::Entry,
        text: shown,
        keys: name_of(&term).map(str::to_owned).into_iter().chain([term]).collect(),
        own: text.to_owned(),
        above,
        before: String::new(),
    }
}

/// Returns the name in a term that is a signature, as in `run(args, timeout)`.
fn name_of(term: &str) -> Option<&str> {
    let (name, _) = term.split_once('(')?;
    let name = name.trim();
    name.chars().any(char::is_alphanumeric).then_some(name)
}

/// Returns the text of a block with content: of a block without nested blocks, or the text before the first of them. Terms include
/// their descriptions.
fn block_text(page: &Document, node: NodeId) -> Option<&str> {
    if !is_block(page.tag(node)) || page.tag(node) == "dt" {
        return None;
    }
    let inner = page.descendants(node).find(|&inner| is_block(page.tag(inner)) || level(page.tag(inner)).is_some());
    let (text, linked) = match inner {
        None => (page.visible_text(node), page.linked_letters(node)),
        Some(inner) => {
            let links =
                page.descendants(node).take_while(|&below| below < inner).filter(|&below| page.tag(below) == "a");
            (page.text_up_to(node, inner), links.map(|link| page.letters(link)).sum())
        }
    };
    let letters = text.chars().filter(|character| !character.is_whitespace()).count();
    // A block that is mostly links only leads elsewhere.
    let says_something = letters > 0 && linked * 2 <= letters && text.chars().any(char::is_alphanumeric);
    // The name of a folder describes its contents.
    let is_label = inner.is_some_and(|inner| matches!(page.tag(inner), "ul" | "ol" | "dl" | "li")) && letters < 40;
    (says_something && !is_label).then_some(text)
}

/// The term that a block describes; empty where it describes none.
fn term_around(page: &Document, terms: &Terms, node: NodeId) -> String {
    let description = std::iter::once(node).chain(page.ancestors(node)).take(24).find(|&above| page.tag(above) == "dd");
    let term = description.map(|description| terms.text_of(page, description)).unwrap_or_default();
    shortened(&term, LONGEST_HEADING).to_owned()
}

/// Returns whether a node is the title of a table. Such a title is part of the table's text.
fn is_caption(page: &Document, node: NodeId) -> bool {
    page.tag(node) == "caption"
        || (page.classes(node).any(|class| class == "title")
            && page
                .parent(node)
                .is_some_and(|parent| page.descendants(parent).take(50).any(|inner| page.tag(inner) == "table")))
}

fn add_line(text: &mut String, line: &str, between: &str) {
    if !text.is_empty() || between.ends_with("- ") {
        text.push_str(if text.is_empty() { "- " } else { between });
    }
    text.push_str(line);
}

fn level(tag: &str) -> Option<u8> {
    Some(match tag {
        "h1" => 1,
        "h2" => 2,
        "h3" => 3,
        "h4" => 4,
        "h5" => 5,
        "h6" => 6,
        _ => return None,
    })
}

fn is_block(tag: &str) -> bool {
    matches!(
        tag,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "center"
            | "dd"
            | "details"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "header"
            | "li"
            | "main"
            | "nav"
            | "ol"
            | "p"
            | "pre"
            | "section"
            | "summary"
            | "table"
            | "tbody"
            | "td"
            | "tfoot"
            | "th"
            | "thead"
            | "tr"
            | "ul"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passages_know_what_stands_above_them() {
        let html = "<nav>Skip</nav><h1>Types</h1><h2>Old</h2><h2>Numbers</h2><p>They count.<div class=table><p class=title>Table 2</p>\
            <table><tr><th>Name<th>Size<tr><td>int<td>4 bytes</table></div><dl><dt>port</dt><dd><p>It is open.<p>Default 80.</dd></dl>\
            <ul><li>An item<li>A folder<ul><li><a href=x>a link</a></ul></ul>";
        let page = Document::parse(html);
        let content = content(&page, &Terms::of_page(&page));
        let told: Vec<(PassageKind, usize, &str)> =
            content.passages.iter().map(|passage| (passage.kind, passage.keys.len(), passage.text.as_str())).collect();
        assert_eq!(
            told,
            [
                (PassageKind::Text, 0, "They count."),
                (PassageKind::Row, 2, "Table 2\nName: int | Size: 4 bytes"),
                (PassageKind::Entry, 1, "port: It is open."),
                (PassageKind::Entry, 1, "port: Default 80."),
                (PassageKind::Text, 0, "An item"),
            ]
        );
        assert_eq!(content.passages[1].above, ["Types", "Numbers", "Table 2", "Name", "Size"]);
        assert_eq!(content.passages[1].before, "They count.");
        assert_eq!(content.tables, ["Table 2\nName: int | Size: 4 bytes"]);
        assert!(content.text.starts_with("Types\n\nOld\n\nNumbers\n\nThey count.\n\nTable 2\n"), "{}", content.text);
    }
}
